//! The cut: one module becomes two, the one that is loaded at once and the rest.
//!
//! The first module contains the functions that the caller wants to keep, all data, tables and globals. For a function of
//! the rest to which the first module refers, the first module contains a *stub*: it loads the rest, if it is not there
//! yet, and calls the function through a table. The rest imports memory, tables, globals and the functions of the first
//! module that it calls; when it is instantiated, it writes its functions into the tables.
//!
//! ```text
//! first                                     rest
//!   table 0: …, function, stub, …    ←—       writes its functions over their stubs
//!   SLOTS:   null, null, | function, …        writes its functions called by stubs; imports the functions after them
//!   IS_LOADED: 0                     ←—       start: 1
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use wasm_encoder::reencode::{self, Reencode, utils};
use wasm_encoder::{
    BlockType, CodeSection, ConstExpr, ElementSection, Elements, EntityType, ExportKind, ExportSection, Function,
    FunctionSection, GlobalSection, GlobalType, ImportSection, Instruction, MemoryType, StartSection, TableSection,
    TableType, TypeSection, ValType,
};
use wasmparser::{
    CodeSectionReader, CustomSectionReader, ElementSectionReader, ExportSectionReader, FunctionSectionReader,
    GlobalSectionReader, Parser, Payload, TableSectionReader,
};

use crate::Fallible;
use crate::module::{Module, function_table};

/// The exported function of the module that loads the rest and returns when it is there.
const LOAD: &str = "load_rest";
/// Name of the module from which the rest imports memory, tables and globals: the exports of the first module.
const FIRST: &str = "first";
/// Name of the module from which the rest imports functions, each named by its index in the table [`SLOTS`].
const FUNCTIONS: &str = "functions";
/// Exported table: null until the rest writes the functions that stubs call; after them, functions for the rest.
const SLOTS: &str = "slots";
/// Exported global: 1 once the rest is there.
const IS_LOADED: &str = "is_loaded";

/// A reference to a function that is in the other part and has no stub here: a bug of this program.
#[derive(Debug)]
struct OtherPart(u32);

impl fmt::Display for OtherPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "function {} is in the other part", self.0)
    }
}

type Error = reencode::Error<OtherPart>;

/// Where a stub finds its function.
#[derive(Debug, Clone, Copy)]
struct Entry {
    table: u32,
    index: u32,
}

/// The division of a module, on which both parts agree.
struct Plan<'a> {
    module: &'a Module<'a>,
    /// Functions of the rest.
    rest: BTreeSet<u32>,
    /// Functions of the rest that have a stub.
    stubs: BTreeMap<u32, Entry>,
    /// Functions of the rest that are written to [`SLOTS`], in order.
    slots: Vec<u32>,
    /// Functions of the first module that the rest imports, in order; they follow in [`SLOTS`].
    imported: Vec<u32>,
    /// The function [`LOAD`].
    load: u32,
}

impl<'a> Plan<'a> {
    fn new(module: &'a Module<'a>, kept: &BTreeSet<u32>) -> Fallible<Self> {
        let load = module.exported(LOAD)?;
        let mut always: BTreeSet<u32> = module.exports.iter().map(|(_, function)| *function).collect();
        always.extend(reached_from(module, load));
        let (first, rest): (BTreeSet<u32>, BTreeSet<u32>) =
            (module.defined()).partition(|f| kept.contains(f) || always.contains(f));
        let mut stubs = BTreeMap::new();
        for (offset, functions) in &module.segments {
            for (index, function) in (*offset..).zip(functions) {
                if rest.contains(function) {
                    stubs.entry(*function).or_insert(Entry { table: 0, index });
                }
            }
        }
        let mut slots = Vec::new();
        for function in first {
            for callee in module.callees(function).intersection(&rest) {
                stubs.entry(*callee).or_insert_with(|| {
                    slots.push(*callee);
                    Entry {
                        table: module.n_tables,
                        index: slots.len() as u32 - 1,
                    }
                });
            }
        }
        let mut imported = BTreeSet::new();
        for function in &rest {
            imported.extend(module.callees(*function).difference(&rest));
        }
        Ok(Self {
            module,
            rest,
            stubs,
            slots,
            imported: imported.into_iter().collect(),
            load,
        })
    }

    /// Returns the type of a function without parameters and results.
    fn plain_type(&self) -> u32 {
        self.module.type_of(self.load)
    }

    /// Returns the type of [`SLOTS`].
    fn slots_type(&self) -> TableType {
        function_table((self.slots.len() + self.imported.len()) as u64)
    }

    /// Returns the functions of the first module in order, stubs included.
    fn first_functions(&self) -> impl Iterator<Item = u32> + '_ {
        let is_here = |function: &u32| !self.rest.contains(function) || self.stubs.contains_key(function);
        self.module.defined().filter(is_here)
    }

    /// Returns the body of a stub. `ensure_loaded` is the index of the function that loads the rest unless it is there.
    fn stub(&self, function: u32, entry: Entry, ensure_loaded: u32) -> Function {
        let parameters = (0..self.module.n_parameters(function)).map(Instruction::LocalGet);
        let call = Instruction::CallIndirect {
            type_index: self.module.type_of(function),
            table_index: entry.table,
        };
        let load = std::iter::once(Instruction::Call(ensure_loaded));
        body_of(
            load.chain(parameters)
                .chain([Instruction::I32Const(entry.index as i32), call]),
        )
    }
}

/// Returns the functions that a function calls, directly or through others. For [`LOAD`], none of them may be a stub,
/// which would load the rest again.
fn reached_from(module: &Module<'_>, function: u32) -> BTreeSet<u32> {
    let (mut reached, mut pending) = (BTreeSet::new(), vec![function]);
    while let Some(function) = pending.pop() {
        if reached.insert(function) && module.is_defined(function) {
            pending.extend(module.callees(function));
        }
    }
    reached
}

/// Returns a function without locals, with these instructions and an `end`.
fn body_of<'i>(instructions: impl IntoIterator<Item = Instruction<'i>>) -> Function {
    let mut function = Function::new([]);
    for instruction in instructions {
        function.instruction(&instruction);
    }
    function.instruction(&Instruction::End);
    function
}

/// Maps the functions of the original module to those of one of the two.
///
/// The index is the number in the original module.
struct Mapping(Vec<Option<u32>>);

impl Mapping {
    fn new(module: &Module<'_>, numbered: impl Iterator<Item = u32>) -> Self {
        let mut map = vec![None; module.n_functions() as usize];
        for (new, old) in (0..).zip(numbered) {
            map[old as usize] = Some(new);
        }
        Self(map)
    }

    fn get(&self, function: u32) -> Result<u32, Error> {
        self.0[function as usize].ok_or(Error::UserError(OtherPart(function)))
    }
}

/// Writes the first module.
struct First<'a> {
    plan: &'a Plan<'a>,
    mapping: Mapping,
    /// Index of the function that loads the rest unless it is there.
    ensure_loaded: u32,
}

impl Reencode for First<'_> {
    type Error = OtherPart;

    fn function_index(&mut self, function: u32) -> Result<u32, Error> {
        self.mapping.get(function)
    }

    /// Omits custom sections: names of functions, whose numbers change, and remarks about the tools that made the module.
    fn parse_custom_section(&mut self, _: &mut wasm_encoder::Module, _: CustomSectionReader<'_>) -> Result<(), Error> {
        Ok(())
    }

    fn parse_function_section(
        &mut self,
        functions: &mut FunctionSection,
        _: FunctionSectionReader<'_>,
    ) -> Result<(), Error> {
        for function in self.plan.first_functions() {
            functions.function(self.plan.module.type_of(function));
        }
        functions.function(self.plan.plain_type());
        Ok(())
    }

    fn parse_table_section(&mut self, tables: &mut TableSection, section: TableSectionReader<'_>) -> Result<(), Error> {
        utils::parse_table_section(self, tables, section)?;
        tables.table(self.plan.slots_type());
        Ok(())
    }

    fn parse_global_section(
        &mut self,
        globals: &mut GlobalSection,
        section: GlobalSectionReader<'_>,
    ) -> Result<(), Error> {
        utils::parse_global_section(self, globals, section)?;
        globals.global(IS_LOADED_TYPE, &ConstExpr::i32_const(0));
        Ok(())
    }

    fn parse_export_section(
        &mut self,
        exports: &mut ExportSection,
        section: ExportSectionReader<'_>,
    ) -> Result<(), Error> {
        utils::parse_export_section(self, exports, section)?;
        let module = self.plan.module;
        for table in 0..module.n_tables {
            exports.export(&table_name(table), ExportKind::Table, table);
        }
        exports.export(SLOTS, ExportKind::Table, module.n_tables);
        for global in 0..module.n_globals {
            exports.export(&global_name(global), ExportKind::Global, global);
        }
        exports.export(IS_LOADED, ExportKind::Global, module.n_globals);
        Ok(())
    }

    fn parse_element_section(
        &mut self,
        elements: &mut ElementSection,
        section: ElementSectionReader<'_>,
    ) -> Result<(), Error> {
        utils::parse_element_section(self, elements, section)?;
        let plan = self.plan;
        let imported: Result<Vec<u32>, _> = plan.imported.iter().map(|f| self.mapping.get(*f)).collect();
        elements.active(
            Some(plan.module.n_tables),
            &ConstExpr::i32_const(plan.slots.len() as i32),
            Elements::Functions(imported?.into()),
        );
        Ok(())
    }

    fn parse_code_section(&mut self, code: &mut CodeSection, _: CodeSectionReader<'_>) -> Result<(), Error> {
        let plan = self.plan;
        for function in plan.first_functions() {
            match plan.stubs.get(&function) {
                Some(entry) => {
                    code.function(&plan.stub(function, *entry, self.ensure_loaded));
                }
                None => self.parse_function_body(code, plan.module.body(function).clone())?,
            }
        }
        code.function(&body_of([
            Instruction::GlobalGet(plan.module.n_globals),
            Instruction::I32Eqz,
            Instruction::If(BlockType::Empty),
            Instruction::Call(self.mapping.get(plan.load)?),
            Instruction::End,
        ]));
        Ok(())
    }
}

/// Re-encodes the functions of the rest.
struct Rest(Mapping);

impl Reencode for Rest {
    type Error = OtherPart;

    fn function_index(&mut self, function: u32) -> Result<u32, Error> {
        self.0.get(function)
    }
}

const IS_LOADED_TYPE: GlobalType = GlobalType {
    val_type: ValType::I32,
    mutable: true,
    shared: false,
};

fn table_name(table: u32) -> String {
    format!("table{table}")
}

fn global_name(global: u32) -> String {
    format!("global{global}")
}

/// Cuts a module in two: one with the functions in `kept`, and the rest.
///
/// # Errors
/// The module is not valid, or contains something that the cut does not support.
pub(crate) fn cut(module: &Module<'_>, kept: &BTreeSet<u32>) -> Fallible<(Vec<u8>, Vec<u8>)> {
    let plan = Plan::new(module, kept)?;
    let first = first(&plan).map_err(|e| e.to_string())?;
    let rest = rest(&plan).map_err(|e| e.to_string())?;
    for part in [&first, &rest] {
        wasmparser::validate(part).map_err(|e| format!("a part is not valid: {e}"))?;
    }
    Ok((first, rest))
}

fn first(plan: &Plan<'_>) -> Result<Vec<u8>, Error> {
    let imports = 0..plan.module.n_imported;
    let mut first = First {
        plan,
        mapping: Mapping::new(plan.module, imports.chain(plan.first_functions())),
        ensure_loaded: plan.module.n_imported + plan.first_functions().count() as u32,
    };
    let mut module = wasm_encoder::Module::new();
    utils::parse_core_module(&mut first, &mut module, Parser::new(0), plan.module.bytes)?;
    Ok(module.finish())
}

fn rest(plan: &Plan<'_>) -> Result<Vec<u8>, Error> {
    let original = plan.module;
    let numbered = plan.imported.iter().chain(&plan.rest).copied();
    let mut rest = Rest(Mapping::new(original, numbered));
    let n_imported = plan.imported.len() as u32;

    let mut types = TypeSection::new();
    let mut imports = ImportSection::new();
    for payload in Parser::new(0).parse_all(original.bytes) {
        match payload? {
            Payload::TypeSection(section) => rest.parse_type_section(&mut types, section)?,
            Payload::MemorySection(section) => {
                for memory in section {
                    let memory: MemoryType = rest.memory_type(memory?)?;
                    imports.import(FIRST, "memory", EntityType::Memory(memory));
                }
            }
            Payload::TableSection(section) => {
                for (number, table) in (0..).zip(section) {
                    let table = rest.table_type(table?.ty)?;
                    imports.import(FIRST, &table_name(number), EntityType::Table(table));
                }
                imports.import(FIRST, SLOTS, EntityType::Table(plan.slots_type()));
            }
            Payload::GlobalSection(section) => {
                for (number, global) in (0..).zip(section) {
                    let global = rest.global_type(global?.ty)?;
                    imports.import(FIRST, &global_name(number), EntityType::Global(global));
                }
                imports.import(FIRST, IS_LOADED, EntityType::Global(IS_LOADED_TYPE));
            }
            _ => {}
        }
    }
    for (slot, function) in (plan.slots.len()..).zip(&plan.imported) {
        let ty = EntityType::Function(original.type_of(*function));
        imports.import(FUNCTIONS, &slot.to_string(), ty);
    }

    let mut functions = FunctionSection::new();
    let mut code = CodeSection::new();
    for function in &plan.rest {
        functions.function(original.type_of(*function));
        rest.parse_function_body(&mut code, original.body(*function).clone())?;
    }
    functions.function(plan.plain_type());
    code.function(&body_of([
        Instruction::I32Const(1),
        Instruction::GlobalSet(original.n_globals),
    ]));

    let mut module = wasm_encoder::Module::new();
    module
        .section(&types)
        .section(&imports)
        .section(&functions)
        .section(&StartSection {
            function_index: n_imported + plan.rest.len() as u32,
        })
        .section(&written_to_tables(plan, &mut rest)?)
        .section(&code);
    Ok(module.finish())
}

/// Returns the segments by which the rest writes its functions to the tables.
fn written_to_tables(plan: &Plan<'_>, rest: &mut Rest) -> Result<ElementSection, Error> {
    let mut elements = ElementSection::new();
    let slots: Result<Vec<u32>, _> = plan.slots.iter().map(|f| rest.function_index(*f)).collect();
    elements.active(
        Some(plan.module.n_tables),
        &ConstExpr::i32_const(0),
        Elements::Functions(slots?.into()),
    );
    for (offset, functions) in &plan.module.segments {
        let mut begin = *offset;
        for run in functions.chunk_by(|a, b| plan.rest.contains(a) == plan.rest.contains(b)) {
            if plan.rest.contains(&run[0]) {
                let numbers: Result<Vec<u32>, _> = run.iter().map(|f| rest.function_index(*f)).collect();
                elements.active(
                    None,
                    &ConstExpr::i32_const(begin as i32),
                    Elements::Functions(numbers?.into()),
                );
            }
            begin += run.len() as u32;
        }
    }
    Ok(elements)
}
