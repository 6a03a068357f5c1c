//! Cuts one wasm module into two: the *first module*, which is loaded at once, and the *rest*, which is loaded when it
//! is first needed.
//!
//! The first module contains all data, tables and globals, and the functions that the caller of [`cut`] wants to keep.
//! For a function of the rest to which the first module refers, the first module contains a *stub*: a function that
//! loads the rest, if it is not loaded yet, and calls the function of the rest through a table. The rest imports
//! memory, tables, globals and the functions of the first module that it calls; when it is instantiated, it writes its
//! functions into the tables.
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
use crate::module::{Module, function_table_type};

/// The exported function of the original module that loads the rest, and returns when the rest is instantiated.
const LOAD_FUNCTION: &str = "load_rest";
/// Module name in the imports of memory, tables and globals by the rest: the first module exports them.
const FIRST_MODULE: &str = "first";
/// Module name in the imports of functions by the rest. The name of each function is its index in the table
/// [`SLOTS_TABLE`].
const FUNCTIONS_MODULE: &str = "functions";
/// Table that the first module exports. It has first the functions of the rest that stubs call, null until the rest
/// writes them, and then the functions of the first module that the rest imports.
const SLOTS_TABLE: &str = "slots";
/// Global that the first module exports: 0, or 1 once the rest is instantiated.
const IS_LOADED_GLOBAL: &str = "is_loaded";

/// Error: a module refers to a function of the other module that has no stub. This is a bug of this program.
#[derive(Debug)]
struct MissingFunction(u32);

impl fmt::Display for MissingFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "function {} is in the other part", self.0)
    }
}

type Error = reencode::Error<MissingFunction>;

/// The table entry through which a stub calls its function.
#[derive(Debug, Clone, Copy)]
struct TableEntry {
    table: u32,
    index: u32,
}

/// The division of a module into the first module and the rest. Functions have their numbers in the original module.
struct CutPlan<'a> {
    module: &'a Module<'a>,
    /// Functions of the rest.
    rest: BTreeSet<u32>,
    /// Functions of the rest that have a stub.
    stubs: BTreeMap<u32, TableEntry>,
    /// Functions of the rest that the rest writes to the beginning of [`SLOTS_TABLE`], in order.
    slots: Vec<u32>,
    /// Functions of the first module that the rest imports. They follow in [`SLOTS_TABLE`] in this order.
    imported: Vec<u32>,
    /// Number of the function [`LOAD_FUNCTION`].
    load: u32,
}

impl<'a> CutPlan<'a> {
    fn new(module: &'a Module<'a>, kept: &BTreeSet<u32>) -> Fallible<Self> {
        let load = module.exported_function(LOAD_FUNCTION)?;
        let mut always: BTreeSet<u32> = module.exports.iter().map(|(_, function)| *function).collect();
        always.extend(functions_reached_from(module, load));
        let (first, rest): (BTreeSet<u32>, BTreeSet<u32>) =
            (module.defined_functions()).partition(|f| kept.contains(f) || always.contains(f));
        let mut stubs = BTreeMap::new();
        for (offset, functions) in &module.segments {
            for (index, function) in (*offset..).zip(functions) {
                if rest.contains(function) {
                    stubs.entry(*function).or_insert(TableEntry { table: 0, index });
                }
            }
        }
        let mut slots = Vec::new();
        for function in first {
            for callee in module.callees(function).intersection(&rest) {
                stubs.entry(*callee).or_insert_with(|| {
                    slots.push(*callee);
                    TableEntry {
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
    fn parameterless_function_type(&self) -> u32 {
        self.module.type_of(self.load)
    }

    /// Returns the type of [`SLOTS_TABLE`].
    fn slots_table_type(&self) -> TableType {
        function_table_type((self.slots.len() + self.imported.len()) as u64)
    }

    /// Returns the functions of the first module in order, stubs included.
    fn first_functions(&self) -> impl Iterator<Item = u32> + '_ {
        let is_here = |function: &u32| !self.rest.contains(function) || self.stubs.contains_key(function);
        self.module.defined_functions().filter(is_here)
    }

    /// Returns the body of the stub of a function. `ensure_loaded` is the index of the function that loads the rest
    /// unless it is already loaded.
    fn stub(&self, function: u32, entry: TableEntry, ensure_loaded: u32) -> Function {
        let parameters = (0..self.module.n_parameters(function)).map(Instruction::LocalGet);
        let call = Instruction::CallIndirect {
            type_index: self.module.type_of(function),
            table_index: entry.table,
        };
        let load = std::iter::once(Instruction::Call(ensure_loaded));
        function_from_instructions(
            load.chain(parameters)
                .chain([Instruction::I32Const(entry.index as i32), call]),
        )
    }
}

/// Returns a function and all functions that it calls, directly or through others. The functions that
/// [`LOAD_FUNCTION`] calls must be in the first module, because a stub among them would load the rest again.
fn functions_reached_from(module: &Module<'_>, function: u32) -> BTreeSet<u32> {
    let (mut reached, mut pending) = (BTreeSet::new(), vec![function]);
    while let Some(function) = pending.pop() {
        if reached.insert(function) && module.is_defined(function) {
            pending.extend(module.callees(function));
        }
    }
    reached
}

/// Returns a function without locals, with these instructions and an `end`.
fn function_from_instructions<'i>(instructions: impl IntoIterator<Item = Instruction<'i>>) -> Function {
    let mut function = Function::new([]);
    for instruction in instructions {
        function.instruction(&instruction);
    }
    function.instruction(&Instruction::End);
    function
}

/// Maps the number of a function in the original module to its number in the first module or in the rest; `None` if
/// that module does not contain it.
struct FunctionNumbers(Vec<Option<u32>>);

impl FunctionNumbers {
    fn new(module: &Module<'_>, numbered: impl Iterator<Item = u32>) -> Self {
        let mut map = vec![None; module.n_functions() as usize];
        for (new, old) in (0..).zip(numbered) {
            map[old as usize] = Some(new);
        }
        Self(map)
    }

    fn get(&self, function: u32) -> Result<u32, Error> {
        self.0[function as usize].ok_or(Error::UserError(MissingFunction(function)))
    }
}

/// Re-encodes the original module as the first module: with stubs, the table [`SLOTS_TABLE`] and the global
/// [`IS_LOADED_GLOBAL`].
struct FirstModuleEncoder<'a> {
    plan: &'a CutPlan<'a>,
    mapping: FunctionNumbers,
    /// Index of the function that loads the rest unless it is already loaded.
    ensure_loaded: u32,
}

impl Reencode for FirstModuleEncoder<'_> {
    type Error = MissingFunction;

    fn function_index(&mut self, function: u32) -> Result<u32, Error> {
        self.mapping.get(function)
    }

    /// Omits custom sections: the names of functions, because the numbers of the functions change, and the list of
    /// tools that produced the module.
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
        functions.function(self.plan.parameterless_function_type());
        Ok(())
    }

    fn parse_table_section(&mut self, tables: &mut TableSection, section: TableSectionReader<'_>) -> Result<(), Error> {
        utils::parse_table_section(self, tables, section)?;
        tables.table(self.plan.slots_table_type());
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
        exports.export(SLOTS_TABLE, ExportKind::Table, module.n_tables);
        for global in 0..module.n_globals {
            exports.export(&global_name(global), ExportKind::Global, global);
        }
        exports.export(IS_LOADED_GLOBAL, ExportKind::Global, module.n_globals);
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
        code.function(&function_from_instructions([
            Instruction::GlobalGet(plan.module.n_globals),
            Instruction::I32Eqz,
            Instruction::If(BlockType::Empty),
            Instruction::Call(self.mapping.get(plan.load)?),
            Instruction::End,
        ]));
        Ok(())
    }
}

/// Re-encodes the functions of the rest with their new numbers.
struct RestEncoder(FunctionNumbers);

impl Reencode for RestEncoder {
    type Error = MissingFunction;

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

/// Cuts a module in two. Returns the first module, with the functions in `kept`, and the rest.
///
/// # Errors
/// The module is not valid, or contains something that the cut does not support.
pub(crate) fn cut(module: &Module<'_>, kept: &BTreeSet<u32>) -> Fallible<(Vec<u8>, Vec<u8>)> {
    let plan = CutPlan::new(module, kept)?;
    let first = write_first_module(&plan).map_err(|e| e.to_string())?;
    let rest = write_rest(&plan).map_err(|e| e.to_string())?;
    for part in [&first, &rest] {
        wasmparser::validate(part).map_err(|e| format!("a part is not valid: {e}"))?;
    }
    Ok((first, rest))
}

fn write_first_module(plan: &CutPlan<'_>) -> Result<Vec<u8>, Error> {
    let imports = 0..plan.module.n_imported;
    let mut first = FirstModuleEncoder {
        plan,
        mapping: FunctionNumbers::new(plan.module, imports.chain(plan.first_functions())),
        ensure_loaded: plan.module.n_imported + plan.first_functions().count() as u32,
    };
    let mut module = wasm_encoder::Module::new();
    utils::parse_core_module(&mut first, &mut module, Parser::new(0), plan.module.bytes)?;
    Ok(module.finish())
}

fn write_rest(plan: &CutPlan<'_>) -> Result<Vec<u8>, Error> {
    let original = plan.module;
    let numbered = plan.imported.iter().chain(&plan.rest).copied();
    let mut rest = RestEncoder(FunctionNumbers::new(original, numbered));
    let n_imported = plan.imported.len() as u32;

    let mut types = TypeSection::new();
    let mut imports = ImportSection::new();
    for payload in Parser::new(0).parse_all(original.bytes) {
        match payload? {
            Payload::TypeSection(section) => rest.parse_type_section(&mut types, section)?,
            Payload::MemorySection(section) => {
                for memory in section {
                    let memory: MemoryType = rest.memory_type(memory?)?;
                    imports.import(FIRST_MODULE, "memory", EntityType::Memory(memory));
                }
            }
            Payload::TableSection(section) => {
                for (number, table) in (0..).zip(section) {
                    let table = rest.table_type(table?.ty)?;
                    imports.import(FIRST_MODULE, &table_name(number), EntityType::Table(table));
                }
                imports.import(FIRST_MODULE, SLOTS_TABLE, EntityType::Table(plan.slots_table_type()));
            }
            Payload::GlobalSection(section) => {
                for (number, global) in (0..).zip(section) {
                    let global = rest.global_type(global?.ty)?;
                    imports.import(FIRST_MODULE, &global_name(number), EntityType::Global(global));
                }
                imports.import(FIRST_MODULE, IS_LOADED_GLOBAL, EntityType::Global(IS_LOADED_TYPE));
            }
            _ => {}
        }
    }
    for (slot, function) in (plan.slots.len()..).zip(&plan.imported) {
        let ty = EntityType::Function(original.type_of(*function));
        imports.import(FUNCTIONS_MODULE, &slot.to_string(), ty);
    }

    let mut functions = FunctionSection::new();
    let mut code = CodeSection::new();
    for function in &plan.rest {
        functions.function(original.type_of(*function));
        rest.parse_function_body(&mut code, original.body(*function).clone())?;
    }
    functions.function(plan.parameterless_function_type());
    code.function(&function_from_instructions([
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
        .section(&table_segments_of_rest(plan, &mut rest)?)
        .section(&code);
    Ok(module.finish())
}

/// Returns the element segments of the rest, which write its functions to the tables when it is instantiated.
fn table_segments_of_rest(plan: &CutPlan<'_>, rest: &mut RestEncoder) -> Result<ElementSection, Error> {
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
