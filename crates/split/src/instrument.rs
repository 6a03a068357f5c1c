//! The whole module, marking what of it runs.
//!
//! A body is cut into segments: straight runs of instructions, each begun by the function, a block, a
//! loop, an arm of an `if`, an `end` or the way past a `br_if`. Segments are numbered through the
//! module; a segment that runs sets its byte behind the module's memory. The exported global `marks`
//! tells where those bytes begin, `marked` how many there are.

use wasm_encoder::reencode::{Reencode, RoundtripReencoder};
use wasm_encoder::{
    CodeSection, ConstExpr, DataSection, ElementSection, Elements, ExportKind, ExportSection, Function,
    FunctionSection, GlobalSection, GlobalType, ImportSection, Instruction, MemArg, MemArgTarget, MemorySection,
    TableSection, TypeSection, ValType,
};
use wasmparser::{FunctionBody, Operator};

use crate::module::{FUNCTION_TABLE, Module, told};

const PAGE: u64 = 65_536;

/// Whether what follows the instruction is a segment of its own.
pub(crate) fn ends_segment(operator: &Operator<'_>) -> bool {
    matches!(
        operator,
        Operator::Block { .. }
            | Operator::Loop { .. }
            | Operator::If { .. }
            | Operator::Else
            | Operator::End
            | Operator::BrIf { .. }
    )
}

/// How many segments a body has.
pub(crate) fn segments_of(body: &FunctionBody<'_>) -> Result<u64, String> {
    let mut count = 1;
    for operator in body.get_operators_reader().map_err(told)? {
        count += u64::from(ends_segment(&operator.map_err(told)?));
    }
    Ok(count)
}

pub(crate) fn instrument(module: &Module<'_>) -> Result<Vec<u8>, String> {
    let mut same = RoundtripReencoder;
    let mut out = wasm_encoder::Module::new();
    let mut count = 0;
    for body in &module.bodies {
        count += segments_of(body)?;
    }
    let marks = module.memories.first().ok_or("no memory")?.initial * PAGE;

    let mut types = TypeSection::new();
    same.parse_type_section(&mut types, module.types.clone())
        .map_err(told)?;
    out.section(&types);
    let mut imports = ImportSection::new();
    for import in &module.imports {
        same.parse_import(&mut imports, *import).map_err(told)?;
    }
    out.section(&imports);
    let mut functions = FunctionSection::new();
    for ty in &module.functions[module.imports.len()..] {
        functions.function(*ty);
    }
    out.section(&functions);
    let mut tables = TableSection::new();
    same.parse_table_section(&mut tables, module.tables.clone())
        .map_err(told)?;
    out.section(&tables);
    let mut memories = MemorySection::new();
    for memory in &module.memories {
        let mut ty = same.memory_type(*memory).map_err(told)?;
        ty.minimum += count.div_ceil(PAGE);
        memories.memory(ty);
    }
    out.section(&memories);

    let mut globals = GlobalSection::new();
    same.parse_global_section(&mut globals, module.globals.clone())
        .map_err(told)?;
    let mut exports = ExportSection::new();
    for export in &module.exports {
        same.parse_export(&mut exports, *export).map_err(told)?;
    }
    for (name, value) in [("marks", marks), ("marked", count)] {
        let ty = GlobalType {
            val_type: ValType::I32,
            mutable: false,
            shared: false,
        };
        exports.export(name, ExportKind::Global, globals.len());
        globals.global(ty, &ConstExpr::i32_const(value as i32));
    }
    out.section(&globals);
    out.section(&exports);

    let mut elements = ElementSection::new();
    for slots in &module.elements {
        let at = ConstExpr::i32_const(slots.start.cast_signed());
        elements.active(
            Some(FUNCTION_TABLE),
            &at,
            Elements::Functions(slots.functions.as_slice().into()),
        );
    }
    if !module.declared.is_empty() {
        elements.declared(Elements::Functions(module.declared.as_slice().into()));
    }
    out.section(&elements);
    if let Some(count) = module.data_count {
        out.section(&wasm_encoder::DataCountSection { count });
    }

    let mut next = marks;
    let mut mark = |function: &mut Function| {
        function.instruction(&Instruction::I32Const(0));
        function.instruction(&Instruction::I32Const(1));
        function.instruction(&Instruction::I32Store8(MemArg {
            offset: next,
            align: 0,
            target: MemArgTarget::Memory(0),
            ordering: None,
        }));
        next += 1;
    };
    let mut code = CodeSection::new();
    for body in &module.bodies {
        let mut marked: Function = same.new_function_with_parsed_locals(body).map_err(told)?;
        mark(&mut marked);
        let mut operators = body.get_operators_reader().map_err(told)?;
        while !operators.eof() {
            let operator = operators.read().map_err(told)?;
            let begins = ends_segment(&operator);
            marked.instruction(&same.instruction(operator).map_err(told)?);
            // Nothing follows the function's own end; its number is spent all the same.
            if begins && operators.eof() {
                next_unused(&mut mark);
            } else if begins {
                mark(&mut marked);
            }
        }
        code.function(&marked);
    }
    out.section(&code);
    let mut data = DataSection::new();
    same.parse_data_section(&mut data, module.data.clone()).map_err(told)?;
    out.section(&data);
    Ok(out.finish())
}

/// Spends a number.
fn next_unused(mark: &mut impl FnMut(&mut Function)) {
    mark(&mut Function::new([]));
}
