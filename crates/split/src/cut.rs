//! The cut itself.

use std::collections::{BTreeMap, BTreeSet};

use wasm_encoder::reencode::Reencode;
use wasm_encoder::{
    BlockType, CodeSection, ConstExpr, DataSection, ElementSection, Elements, EntityType, ExportKind, ExportSection,
    Function, FunctionSection, GlobalSection, GlobalType, ImportSection, Instruction, MemorySection, TableSection,
    TypeSection, ValType,
};
use wasmparser::{ExternalKind, FuncToValidate, Operator, Parser, ValidPayload, Validator, ValidatorResources};

use crate::instrument::segments_of;
use crate::module::{FUNCTION_TABLE, Module, told};
use crate::numbers::Numbers;
use crate::outline::{self, Site};
use crate::regions::{self, Visited};

/// The two halves, and what there is to say of them.
pub(crate) struct Parts {
    pub(crate) first: Vec<u8>,
    pub(crate) rest: Vec<u8>,
    /// How many functions stay, of how many.
    pub(crate) kept: (usize, usize),
    /// How many regions of them moved out.
    pub(crate) moved: usize,
    /// How many functions of the rest the first half may reach.
    pub(crate) doors: usize,
}

/// The name, within wasm-bindgen's, of the imported function that loads the rest.
const LOADER: &str = "loadRest";

/// What the rest imports comes from a module of this name: the first half's exports.
const FIRST: &str = "first";

/// Functions whose body is not longer than a door are not worth one, in bytes.
const DOOR: usize = 12;

/// What is where.
struct Plan<'a> {
    loader: u32,
    /// Functions of the first half, without the regions that leave them.
    hot: BTreeMap<u32, Visited<'a>>,
    /// How the regions of each are called, in their order.
    sites: BTreeMap<u32, Vec<Site>>,
    /// Functions of the rest.
    cold: BTreeSet<u32>,
    /// Those of them that the first half may reach, and their slots in the table.
    doors: BTreeMap<u32, u32>,
    /// Slots of the table, with those added for doors and regions.
    slots: u32,
    /// Function types that regions added to the module's.
    types: Types,
    /// Functions that the rest calls or names.
    named_by_rest: BTreeSet<u32>,
}

/// Function types, each once.
struct Types {
    known: BTreeMap<Signature, u32>,
    added: Vec<Signature>,
    next: u32,
}

type Signature = (Vec<wasmparser::ValType>, Vec<wasmparser::ValType>);

impl Types {
    fn of(module: &Module<'_>) -> Self {
        let known = module.signatures.iter().zip(0..);
        let known = known.map(|(ty, index)| ((ty.params().to_vec(), ty.results().to_vec()), index));
        Self {
            known: known.collect(),
            added: Vec::new(),
            next: module.signatures.len() as u32,
        }
    }
    fn index(&mut self, signature: Signature) -> u32 {
        if let Some(index) = self.known.get(&signature) {
            return *index;
        }
        self.known.insert(signature.clone(), self.next);
        self.added.push(signature);
        self.next += 1;
        self.next - 1
    }
    /// The type section of a half.
    fn section(&self, module: &Module<'_>, numbers: &mut Numbers) -> Result<TypeSection, String> {
        let mut types = TypeSection::new();
        numbers
            .parse_type_section(&mut types, module.types.clone())
            .map_err(told)?;
        for (params, results) in &self.added {
            let params = numbers.val_types(params.clone()).map_err(told)?;
            let results = numbers.val_types(results.clone()).map_err(told)?;
            types.ty().function(params, results);
        }
        Ok(types)
    }
}

/// Cuts a module; `ran` are numbers of segments, `gain` the bytes that moving a part of a visited
/// function must save.
///
/// # Errors
/// When the module is not what wasm-bindgen makes of the engine.
pub(crate) fn cut(bytes: &[u8], ran: &BTreeSet<u64>, gain: u64) -> Result<Parts, String> {
    let module = Module::parse(bytes)?;
    let plan = plan(&module, bodies(bytes)?, ran, gain)?;
    let (first, shared) = first(&module, &plan)?;
    let rest = rest(&module, &plan, &shared)?;
    for half in [&first, &rest] {
        Validator::new().validate_all(half).map_err(told)?;
    }
    Ok(Parts {
        first,
        rest,
        kept: (plan.hot.len(), module.bodies.len()),
        moved: plan.sites.values().map(Vec::len).sum(),
        doors: plan.doors.len(),
    })
}

/// What it takes to know the operand stack within each function.
fn bodies(bytes: &[u8]) -> Result<Vec<FuncToValidate<ValidatorResources>>, String> {
    let mut validator = Validator::new();
    let mut bodies = Vec::new();
    for payload in Parser::new(0).parse_all(bytes) {
        if let ValidPayload::Func(body, _) = validator.payload(&payload.map_err(told)?).map_err(told)? {
            bodies.push(body);
        }
    }
    Ok(bodies)
}

fn plan<'a>(
    module: &Module<'a>,
    bodies: Vec<FuncToValidate<ValidatorResources>>,
    ran: &BTreeSet<u64>,
    gain: u64,
) -> Result<Plan<'a>, String> {
    let loader = module.imports.iter().position(|import| import.name.contains(LOADER));
    let loader = loader.ok_or_else(|| format!("it does not import `{LOADER}`"))? as u32;
    let exported = module.exports.iter().filter(|export| export.kind == ExternalKind::Func);
    let exported: BTreeSet<u32> = exported.map(|export| export.index).collect();

    let (mut hot, mut cold, mut named_by_rest) = (BTreeMap::new(), BTreeSet::new(), BTreeSet::new());
    let mut segment = 0;
    for ((function, body), validated) in module.defined().zip(bodies) {
        let first = segment;
        segment += segments_of(body)?;
        let stays = ran.contains(&first) || exported.contains(&function) || body.as_bytes().len() <= DOOR;
        if stays {
            let mut validator = validated.into_validator(Default::default());
            let signature = module.signature(function);
            let visited = regions::visited(body, signature, &module.signatures, &mut validator, gain, |at| {
                ran.contains(&(first + at))
            })?;
            hot.insert(function, visited);
        } else {
            cold.insert(function);
            named_by_rest.extend(module.named_by(body)?);
        }
    }

    let (mut doors, mut slots) = (BTreeMap::new(), 1);
    for run in &module.elements {
        for (slot, function) in (run.start..).zip(&run.functions) {
            slots = slots.max(slot + 1);
            if cold.contains(function) {
                doors.entry(*function).or_insert(slot);
            }
        }
    }
    let (mut types, mut sites) = (Types::of(module), BTreeMap::new());
    for (function, visited) in &hot {
        let mut at_home = vec![true; visited.code.len()];
        let mut calls = Vec::new();
        for region in &visited.regions {
            at_home[region.range.clone()].fill(false);
            calls.push(Site {
                type_index: types.index(outline::signature(region, &visited.locals)),
                slot: slots,
            });
            slots += 1;
        }
        sites.insert(*function, calls);
        for (instr, at_home) in visited.code.iter().zip(at_home) {
            let (Operator::Call { function_index } | Operator::RefFunc { function_index }) = instr.op else {
                continue;
            };
            if !at_home {
                named_by_rest.insert(function_index);
            } else if cold.contains(&function_index) && !doors.contains_key(&function_index) {
                doors.insert(function_index, slots);
                slots += 1;
            }
        }
    }
    Ok(Plan {
        loader,
        hot,
        sites,
        cold,
        doors,
        slots,
        types,
        named_by_rest,
    })
}

/// What the rest takes from the first half, by name. Names are as short as can be: there are thousands.
#[derive(Default)]
struct Shared {
    /// Functions by their index in the whole module.
    functions: Vec<(u32, String)>,
    globals: Vec<String>,
    tables: Vec<String>,
    memory: String,
    given: usize,
}

impl Shared {
    fn name(&mut self) -> String {
        self.given += 1;
        let mut number = self.given;
        let mut name = String::new();
        while number > 0 {
            name.push(char::from_digit((number % 36) as u32, 36).unwrap_or('_'));
            number /= 36;
        }
        name
    }
}

/// The first half: the whole module with doors in the place of cold functions.
fn first(module: &Module<'_>, plan: &Plan<'_>) -> Result<(Vec<u8>, Shared), String> {
    let kept = (0..module.imported())
        .chain(plan.hot.keys().copied())
        .chain(plan.doors.keys().copied());
    let mut numbers = Numbers::of(kept);
    let ensure = numbers.0.len() as u32;
    let loaded = module.globals.count();

    let mut out = wasm_encoder::Module::new();
    let mut types = plan.types.section(module, &mut numbers)?;
    types.ty().function([], []);
    out.section(&types);

    let mut imports = ImportSection::new();
    for import in &module.imports {
        numbers.parse_import(&mut imports, *import).map_err(told)?;
    }
    out.section(&imports);

    let mut functions = FunctionSection::new();
    for function in plan.hot.keys().chain(plan.doors.keys()) {
        functions.function(module.functions[*function as usize]);
    }
    functions.function(plan.types.next);
    out.section(&functions);

    let mut tables = TableSection::new();
    for (index, table) in (0..).zip(module.tables.clone()) {
        let mut ty = numbers.table_type(table.map_err(told)?.ty).map_err(told)?;
        if index == FUNCTION_TABLE {
            ty.minimum = ty.minimum.max(plan.slots.into());
            ty.maximum = ty.maximum.map(|maximum| maximum.max(ty.minimum));
        }
        tables.table(ty);
    }
    out.section(&tables);
    let mut memories = MemorySection::new();
    for memory in &module.memories {
        memories.memory(numbers.memory_type(*memory).map_err(told)?);
    }
    out.section(&memories);

    let mut globals = GlobalSection::new();
    numbers
        .parse_global_section(&mut globals, module.globals.clone())
        .map_err(told)?;
    let flag = GlobalType {
        val_type: ValType::I32,
        mutable: true,
        shared: false,
    };
    globals.global(flag, &ConstExpr::i32_const(0));
    out.section(&globals);
    let (exports, shared) = exports(module, plan, &mut numbers)?;
    out.section(&exports);

    let mut elements = ElementSection::new();
    for run in &module.elements {
        fill(&mut elements, run.start, &run.functions, &numbers)?;
    }
    declare(&mut elements, module, &numbers);
    out.section(&elements);
    if let Some(count) = module.data_count {
        out.section(&wasm_encoder::DataCountSection { count });
    }

    let mut code = CodeSection::new();
    for (function, visited) in &plan.hot {
        let params = module.signature(*function).params().len();
        code.function(&outline::visited(
            visited,
            params,
            &plan.sites[function],
            &mut numbers,
            ensure,
        )?);
    }
    for (function, slot) in &plan.doors {
        code.function(&door(module, *function, *slot, ensure));
    }
    code.function(&ensure_loaded(plan.loader, loaded));
    out.section(&code);
    let mut data = DataSection::new();
    numbers
        .parse_data_section(&mut data, module.data.clone())
        .map_err(told)?;
    out.section(&data);
    Ok((out.finish(), shared))
}

/// The module's exports, and what the rest needs.
fn exports(module: &Module<'_>, plan: &Plan<'_>, numbers: &mut Numbers) -> Result<(ExportSection, Shared), String> {
    let mut exports = ExportSection::new();
    for export in &module.exports {
        numbers.parse_export(&mut exports, *export).map_err(told)?;
    }
    let mut shared = Shared::default();
    for function in plan.named_by_rest.difference(&plan.cold) {
        let name = shared.name();
        exports.export(&name, ExportKind::Func, numbers.get(*function)?);
        shared.functions.push((*function, name));
    }
    for global in 0..module.globals.count() {
        let name = shared.name();
        exports.export(&name, ExportKind::Global, global);
        shared.globals.push(name);
    }
    for table in 0..module.tables.count() {
        let name = shared.name();
        exports.export(&name, ExportKind::Table, table);
        shared.tables.push(name);
    }
    shared.memory = shared.name();
    exports.export(&shared.memory, ExportKind::Memory, 0);
    Ok((exports, shared))
}

/// Puts functions into slots of the table.
fn fill(elements: &mut ElementSection, start: u32, functions: &[u32], numbers: &Numbers) -> Result<(), String> {
    let functions: Result<Vec<u32>, String> = functions.iter().map(|function| numbers.get(*function)).collect();
    let at = ConstExpr::i32_const(start.cast_signed());
    elements.active(Some(FUNCTION_TABLE), &at, Elements::Functions(functions?.into()));
    Ok(())
}

/// Functions that `ref.func` names and no table holds.
fn declare(elements: &mut ElementSection, module: &Module<'_>, numbers: &Numbers) {
    let here = module.declared.iter().filter_map(|function| numbers.0.get(function));
    let here: Vec<u32> = here.copied().collect();
    if !here.is_empty() {
        elements.declared(Elements::Functions(here.into()));
    }
}

/// Has the rest loaded, then calls what took the door's slot.
fn door(module: &Module<'_>, function: u32, slot: u32, ensure: u32) -> Function {
    let mut door = Function::new([]);
    door.instruction(&Instruction::Call(ensure));
    for (param, _) in (0..).zip(module.signature(function).params()) {
        door.instruction(&Instruction::LocalGet(param));
    }
    door.instruction(&Instruction::I32Const(slot.cast_signed()));
    door.instruction(&Instruction::CallIndirect {
        type_index: module.functions[function as usize],
        table_index: FUNCTION_TABLE,
    });
    door.instruction(&Instruction::End);
    door
}

fn ensure_loaded(loader: u32, loaded: u32) -> Function {
    let mut ensure = Function::new([]);
    ensure.instruction(&Instruction::GlobalGet(loaded));
    ensure.instruction(&Instruction::I32Eqz);
    ensure.instruction(&Instruction::If(BlockType::Empty));
    ensure.instruction(&Instruction::Call(loader));
    ensure.instruction(&Instruction::I32Const(1));
    ensure.instruction(&Instruction::GlobalSet(loaded));
    ensure.instruction(&Instruction::End);
    ensure.instruction(&Instruction::End);
    ensure
}

/// The other half: cold functions and regions, on the first half's memory, tables and globals.
fn rest(module: &Module<'_>, plan: &Plan<'_>, shared: &Shared) -> Result<Vec<u8>, String> {
    let imported = shared.functions.iter().map(|(function, _)| *function);
    let mut numbers = Numbers::of(imported.chain(plan.cold.iter().copied()));
    let first_region = numbers.0.len() as u32;
    let mut out = wasm_encoder::Module::new();
    out.section(&plan.types.section(module, &mut numbers)?);

    let mut imports = ImportSection::new();
    for (function, name) in &shared.functions {
        let ty = module.functions[*function as usize];
        imports.import(FIRST, name, EntityType::Function(ty));
    }
    for (name, global) in shared.globals.iter().zip(module.globals.clone()) {
        let ty = numbers.global_type(global.map_err(told)?.ty).map_err(told)?;
        imports.import(FIRST, name, EntityType::Global(ty));
    }
    for (name, table) in shared.tables.iter().zip(module.tables.clone()) {
        let mut ty = numbers.table_type(table.map_err(told)?.ty).map_err(told)?;
        ty.maximum = None;
        imports.import(FIRST, name, EntityType::Table(ty));
    }
    for memory in &module.memories {
        let ty = numbers.memory_type(*memory).map_err(told)?;
        imports.import(FIRST, &shared.memory, EntityType::Memory(ty));
    }
    out.section(&imports);

    let mut functions = FunctionSection::new();
    for function in &plan.cold {
        functions.function(module.functions[*function as usize]);
    }
    for site in plan.sites.values().flatten() {
        functions.function(site.type_index);
    }
    out.section(&functions);

    let mut elements = ElementSection::new();
    let mut slots: BTreeMap<u32, u32> = BTreeMap::new();
    for (function, slot) in &plan.doors {
        slots.insert(*slot, numbers.get(*function)?);
    }
    for run in &module.elements {
        for (slot, function) in (run.start..).zip(&run.functions) {
            if plan.cold.contains(function) {
                slots.insert(slot, numbers.get(*function)?);
            }
        }
    }
    slots.extend(
        (first_region..)
            .zip(plan.sites.values().flatten())
            .map(|(region, site)| (site.slot, region)),
    );
    for (start, functions) in runs(&slots) {
        let at = ConstExpr::i32_const(start.cast_signed());
        elements.active(Some(FUNCTION_TABLE), &at, Elements::Functions(functions.into()));
    }
    declare(&mut elements, module, &numbers);
    out.section(&elements);

    let mut code = CodeSection::new();
    for (_, body) in module.defined().filter(|(function, _)| plan.cold.contains(function)) {
        numbers.parse_function_body(&mut code, body.clone()).map_err(told)?;
    }
    for visited in plan.hot.values() {
        for region in &visited.regions {
            code.function(&outline::region(visited, region, &mut numbers)?);
        }
    }
    out.section(&code);
    Ok(out.finish())
}

/// Slots of the table as runs of neighbours.
fn runs(slots: &BTreeMap<u32, u32>) -> Vec<(u32, Vec<u32>)> {
    let mut runs: Vec<(u32, Vec<u32>)> = Vec::new();
    for (slot, function) in slots {
        match runs.last_mut() {
            Some((start, run)) if *start + run.len() as u32 == *slot => run.push(*function),
            _ => runs.push((*slot, vec![*function])),
        }
    }
    runs
}
