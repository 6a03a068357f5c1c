//! Reads what the cut needs of a wasm module: its functions, and to which other functions each one refers.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use wasm_encoder::{RefType, TableType};
use wasmparser::{
    ElementItems, ElementKind, ExternalKind, FunctionBody, KnownCustom, Name, Operator, Parser, Payload, TypeRef,
};

use crate::Fallible;
use crate::names::without_hashes;

/// A parsed wasm module. Functions are numbered as in wasm: first the imported ones, then the defined ones.
#[derive(Debug, Default)]
pub(crate) struct Module<'a> {
    pub(crate) bytes: &'a [u8],
    /// Number of imported functions.
    pub(crate) n_imported: u32,
    /// Type of each function, imported or defined.
    types: Vec<u32>,
    /// Number of parameters of each type.
    n_parameters: Vec<u32>,
    pub(crate) bodies: Vec<FunctionBody<'a>>,
    /// For each body, the functions that it calls or takes a reference to.
    callees: Vec<BTreeSet<u32>>,
    pub(crate) n_tables: u32,
    pub(crate) n_globals: u32,
    /// Functions that the module exports, by name.
    pub(crate) exports: Vec<(&'a str, u32)>,
    /// Offset and functions of each segment of table 0, through which functions are called indirectly.
    pub(crate) segments: Vec<(u32, Vec<u32>)>,
    /// Names of functions without hashes, from the custom section `name`; empty if the module has no such section.
    names: BTreeMap<u32, String>,
}

impl<'a> Module<'a> {
    /// Parses a module that `wasm-bindgen` has generated.
    ///
    /// # Errors
    /// The bytes are not a valid module, or it contains something that the cut does not support.
    pub(crate) fn parse(bytes: &'a [u8]) -> Fallible<Self> {
        let mut module = Self {
            bytes,
            ..Self::default()
        };
        for payload in Parser::new(0).parse_all(bytes) {
            module.read(payload.map_err(|e| e.to_string())?)?;
        }
        if module.segments.is_empty() {
            return Err("the module calls no functions through a table".into());
        }
        Ok(module)
    }

    fn read(&mut self, payload: Payload<'a>) -> Fallible {
        let invalid = |e: wasmparser::BinaryReaderError| e.to_string();
        match payload {
            Payload::TypeSection(section) => {
                for ty in section.into_iter_err_on_gc_types() {
                    self.n_parameters.push(ty.map_err(invalid)?.params().len() as u32);
                }
            }
            Payload::ImportSection(section) => {
                for import in section.into_imports() {
                    match import.map_err(invalid)?.ty {
                        TypeRef::Func(ty) => self.types.push(ty),
                        other => return Err(format!("the module imports something other than functions: {other:?}")),
                    }
                }
                self.n_imported = self.types.len() as u32;
            }
            Payload::FunctionSection(section) => {
                for ty in section {
                    self.types.push(ty.map_err(invalid)?);
                }
            }
            Payload::TableSection(section) => self.n_tables = section.count(),
            Payload::GlobalSection(section) => self.n_globals = section.count(),
            Payload::ExportSection(section) => {
                for export in section {
                    let export = export.map_err(invalid)?;
                    if export.kind == ExternalKind::Func {
                        self.exports.push((export.name, export.index));
                    }
                }
            }
            Payload::ElementSection(section) => {
                for element in section {
                    let element = element.map_err(invalid)?;
                    let segment = match (element.kind, element.items) {
                        (
                            ElementKind::Active {
                                table_index: None | Some(0),
                                offset_expr,
                            },
                            ElementItems::Functions(items),
                        ) => {
                            let mut offset = offset_expr.get_operators_reader();
                            let begin = match (offset.read().map_err(invalid)?, offset.read().map_err(invalid)?) {
                                (Operator::I32Const { value }, Operator::End) => value as u32,
                                _ => return Err("a segment of a table does not begin at a number".into()),
                            };
                            (begin, items.into_iter().collect::<Result<_, _>>().map_err(invalid)?)
                        }
                        _ => return Err("a segment of a table is not an active one of functions".into()),
                    };
                    self.segments.push(segment);
                }
            }
            Payload::CodeSectionEntry(body) => {
                self.callees.push(callees_of(&body)?);
                self.bodies.push(body);
            }
            Payload::CustomSection(section) => {
                if let KnownCustom::Name(section) = section.as_known() {
                    for names in section {
                        let Name::Function(names) = names.map_err(invalid)? else {
                            continue;
                        };
                        for naming in names {
                            let naming = naming.map_err(invalid)?;
                            self.names.insert(naming.index, without_hashes(naming.name));
                        }
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Returns the number of functions, imported or defined.
    pub(crate) fn n_functions(&self) -> u32 {
        self.types.len() as u32
    }

    /// Returns the numbers of the functions that are defined in the module, not imported.
    pub(crate) fn defined_functions(&self) -> Range<u32> {
        self.n_imported..self.n_functions()
    }

    /// Returns whether a function is defined in the module, not imported.
    pub(crate) fn is_defined(&self, function: u32) -> bool {
        function >= self.n_imported
    }

    /// Returns the type of a function, as an index of the type section.
    pub(crate) fn type_of(&self, function: u32) -> u32 {
        self.types[function as usize]
    }

    /// Returns the number of parameters of a function.
    pub(crate) fn n_parameters(&self, function: u32) -> u32 {
        self.n_parameters[self.type_of(function) as usize]
    }

    /// Returns the function that has the body with this index.
    pub(crate) fn function_of_body(&self, body: usize) -> u32 {
        self.n_imported + body as u32
    }

    /// Returns the body of a defined function.
    pub(crate) fn body(&self, function: u32) -> &FunctionBody<'a> {
        &self.bodies[(function - self.n_imported) as usize]
    }

    /// Returns the length of a function's body in bytes; an imported function has none.
    pub(crate) fn body_bytes(&self, function: u32) -> usize {
        match self.is_defined(function) {
            false => 0,
            true => self.body(function).as_bytes().len(),
        }
    }

    /// Returns the function that is exported under a name.
    pub(crate) fn exported_function(&self, name: &str) -> Fallible<u32> {
        let found = self.exports.iter().find(|(exported, _)| *exported == name);
        found
            .map(|(_, function)| *function)
            .ok_or_else(|| format!("the module does not export `{name}`"))
    }

    /// Returns the name of a function, or an empty one if the module does not contain it.
    pub(crate) fn name(&self, function: u32) -> &str {
        self.names.get(&function).map_or("", String::as_str)
    }

    /// Returns the functions that can run although no function calls them directly: exported functions and those in
    /// table 0.
    pub(crate) fn functions_exported_or_in_table(&self) -> BTreeSet<u32> {
        let exported = self.exports.iter().map(|(_, function)| function);
        exported
            .chain(self.segments.iter().flat_map(|(_, functions)| functions))
            .copied()
            .collect()
    }

    /// Returns the functions that a defined function calls or takes a reference to.
    pub(crate) fn callees(&self, function: u32) -> &BTreeSet<u32> {
        &self.callees[(function - self.n_imported) as usize]
    }
}

fn callees_of(body: &FunctionBody<'_>) -> Fallible<BTreeSet<u32>> {
    let mut callees = BTreeSet::new();
    let mut operators = body.get_operators_reader().map_err(|e| e.to_string())?;
    while !operators.eof() {
        match operators.read().map_err(|e| e.to_string())? {
            Operator::Call { function_index }
            | Operator::ReturnCall { function_index }
            | Operator::RefFunc { function_index } => {
                callees.insert(function_index);
            }
            Operator::MemoryInit { .. } | Operator::DataDrop { .. } => {
                return Err("the module uses passive data, which only one of two modules can have".into());
            }
            _ => {}
        }
    }
    Ok(callees)
}

/// Returns the type of a table of functions with a fixed length.
pub(crate) fn function_table_type(length: u64) -> TableType {
    TableType {
        element_type: RefType::FUNCREF,
        table64: false,
        minimum: length,
        maximum: Some(length),
        shared: false,
    }
}
