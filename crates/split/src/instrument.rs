//! Instruments a module: makes a copy that records which of its functions run.
//!
//! The copy exports one more table, with an entry for each function body. An entry is null until that function runs.

use std::convert::Infallible;

use wasm_encoder::reencode::{self, Reencode, utils};
use wasm_encoder::{CodeSection, ExportKind, ExportSection, Instruction, TableSection};
use wasmparser::{ExportSectionReader, FunctionBody, Parser, TableSectionReader};

use crate::Fallible;
use crate::module::{Module, function_table_type};

/// Name under which the copy exports the table of the functions that have run.
const PROFILE_TABLE: &str = "profile";

struct Instrumented<'a> {
    module: &'a Module<'a>,
    /// The function reference that is stored for a function that has run. It is an exported function, because a
    /// reference to such a function needs no declaration.
    marker: u32,
    n_bodies: u32,
}

impl Reencode for Instrumented<'_> {
    type Error = Infallible;

    fn parse_table_section(
        &mut self,
        tables: &mut TableSection,
        section: TableSectionReader<'_>,
    ) -> Result<(), reencode::Error> {
        utils::parse_table_section(self, tables, section)?;
        tables.table(function_table_type(self.module.bodies.len() as u64));
        Ok(())
    }

    fn parse_export_section(
        &mut self,
        exports: &mut ExportSection,
        section: ExportSectionReader<'_>,
    ) -> Result<(), reencode::Error> {
        utils::parse_export_section(self, exports, section)?;
        exports.export(PROFILE_TABLE, ExportKind::Table, self.module.n_tables);
        Ok(())
    }

    fn parse_function_body(&mut self, code: &mut CodeSection, body: FunctionBody<'_>) -> Result<(), reencode::Error> {
        let mut function = self.new_function_with_parsed_locals(&body)?;
        function.instruction(&Instruction::I32Const(self.n_bodies as i32));
        function.instruction(&Instruction::RefFunc(self.marker));
        function.instruction(&Instruction::TableSet(self.module.n_tables));
        let mut operators = body.get_operators_reader()?;
        while !operators.eof() {
            function.instruction(&self.parse_instruction(&mut operators)?);
        }
        code.function(&function);
        self.n_bodies += 1;
        Ok(())
    }
}

/// Returns the instrumented copy of a module.
///
/// # Errors
/// The module is not valid.
pub(crate) fn instrument(module: &Module<'_>) -> Fallible<Vec<u8>> {
    let marker = module.exports.first().ok_or("the module exports no function")?.1;
    let mut copy = wasm_encoder::Module::new();
    let mut instrumented = Instrumented {
        module,
        marker,
        n_bodies: 0,
    };
    utils::parse_core_module(&mut instrumented, &mut copy, Parser::new(0), module.bytes).map_err(|e| e.to_string())?;
    Ok(copy.finish())
}
