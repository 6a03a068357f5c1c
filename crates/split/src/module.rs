//! A parsed module: the sections that are rewritten, by index space.

use std::fmt::Display;

use wasmparser::{
    CompositeInnerType, DataSectionReader, ElementItems, ElementKind, Export, FuncType, FunctionBody,
    GlobalSectionReader, Import, MemoryType, Operator, Parser, Payload, TableSectionReader, TypeRef, TypeSectionReader,
};

/// What of a module is looked at. Custom sections are left out: names and producers are not shipped.
pub(crate) struct Module<'a> {
    /// As they stand.
    pub(crate) types: TypeSectionReader<'a>,
    /// The function types, by type index.
    pub(crate) signatures: Vec<FuncType>,
    /// In order; wasm-bindgen's modules import functions only.
    pub(crate) imports: Vec<Import<'a>>,
    /// Type index of every function, the imported first.
    pub(crate) functions: Vec<u32>,
    pub(crate) tables: TableSectionReader<'a>,
    pub(crate) memories: Vec<MemoryType>,
    pub(crate) globals: GlobalSectionReader<'a>,
    pub(crate) exports: Vec<Export<'a>>,
    pub(crate) elements: Vec<Slots>,
    /// Functions named by `ref.func` alone.
    pub(crate) declared: Vec<u32>,
    /// Bodies of the functions that are not imported.
    pub(crate) bodies: Vec<FunctionBody<'a>>,
    pub(crate) data: DataSectionReader<'a>,
    pub(crate) data_count: Option<u32>,
}

/// A run of functions in the table of functions.
pub(crate) struct Slots {
    /// The first slot.
    pub(crate) start: u32,
    pub(crate) functions: Vec<u32>,
}

/// The table that indirect calls use.
pub(crate) const FUNCTION_TABLE: u32 = 0;

pub(crate) fn told(error: impl Display) -> String {
    error.to_string()
}

impl<'a> Module<'a> {
    pub(crate) fn parse(bytes: &'a [u8]) -> Result<Self, String> {
        let (mut types, mut tables, mut globals, mut data) = (None, None, None, None);
        let (mut signatures, mut imports, mut functions) = (Vec::new(), Vec::new(), Vec::new());
        let (mut memories, mut exports, mut bodies) = (Vec::new(), Vec::new(), Vec::new());
        let (mut elements, mut declared, mut data_count) = (Vec::new(), Vec::new(), None);
        for payload in Parser::new(0).parse_all(bytes) {
            match payload.map_err(told)? {
                Payload::TypeSection(section) => {
                    for group in section.clone() {
                        for ty in group.map_err(told)?.into_types() {
                            match ty.composite_type.inner {
                                CompositeInnerType::Func(func) => signatures.push(func),
                                _ => return Err("a type that is no function's".into()),
                            }
                        }
                    }
                    types = Some(section);
                }
                Payload::ImportSection(section) => {
                    for import in section.into_imports() {
                        let import = import.map_err(told)?;
                        match import.ty {
                            TypeRef::Func(ty) => functions.push(ty),
                            _ => return Err(format!("{} is imported and no function", import.name)),
                        }
                        imports.push(import);
                    }
                }
                Payload::FunctionSection(section) => {
                    for ty in section {
                        functions.push(ty.map_err(told)?);
                    }
                }
                Payload::TableSection(section) => tables = Some(section),
                Payload::MemorySection(section) => {
                    for memory in section {
                        memories.push(memory.map_err(told)?);
                    }
                }
                Payload::GlobalSection(section) => globals = Some(section),
                Payload::ExportSection(section) => {
                    for export in section {
                        exports.push(export.map_err(told)?);
                    }
                }
                Payload::ElementSection(section) => {
                    for element in section {
                        let element = element.map_err(told)?;
                        let ElementItems::Functions(items) = element.items else {
                            return Err("an element segment of expressions".into());
                        };
                        let items: Vec<u32> = items.into_iter().collect::<Result<_, _>>().map_err(told)?;
                        match element.kind {
                            ElementKind::Declared => declared.extend(items),
                            ElementKind::Passive => return Err("a passive element segment".into()),
                            ElementKind::Active {
                                table_index,
                                offset_expr,
                            } => {
                                if table_index.unwrap_or(FUNCTION_TABLE) != FUNCTION_TABLE {
                                    return Err("elements of another table".into());
                                }
                                let Operator::I32Const { value } =
                                    offset_expr.get_operators_reader().read().map_err(told)?
                                else {
                                    return Err("elements at a computed place".into());
                                };
                                elements.push(Slots {
                                    start: value.cast_unsigned(),
                                    functions: items,
                                });
                            }
                        }
                    }
                }
                Payload::CodeSectionEntry(body) => bodies.push(body),
                Payload::DataCountSection { count, .. } => data_count = Some(count),
                Payload::DataSection(section) => data = Some(section),
                Payload::StartSection { .. } => return Err("a start function".into()),
                Payload::TagSection(_) => return Err("exception tags".into()),
                _ => {}
            }
        }
        Ok(Self {
            types: types.ok_or("no types")?,
            signatures,
            imports,
            functions,
            tables: tables.ok_or("no tables")?,
            memories,
            globals: globals.ok_or("no globals")?,
            exports,
            elements,
            declared,
            bodies,
            data: data.ok_or("no data")?,
            data_count,
        })
    }

    /// How many functions are imported: the index of the first that is not.
    pub(crate) fn imported(&self) -> u32 {
        self.imports.len() as u32
    }

    /// The functions that are not imported, with their bodies.
    pub(crate) fn defined(&self) -> impl Iterator<Item = (u32, &FunctionBody<'a>)> {
        (self.imported()..).zip(&self.bodies)
    }

    /// The signature of a function.
    pub(crate) fn signature(&self, function: u32) -> &FuncType {
        &self.signatures[self.functions[function as usize] as usize]
    }

    /// The functions that a body calls or names.
    pub(crate) fn named_by(&self, body: &FunctionBody<'_>) -> Result<Vec<u32>, String> {
        let mut found = Vec::new();
        for operator in body.get_operators_reader().map_err(told)? {
            match operator.map_err(told)? {
                Operator::Call { function_index } | Operator::RefFunc { function_index } => found.push(function_index),
                Operator::ReturnCall { function_index } => found.push(function_index),
                _ => {}
            }
        }
        Ok(found)
    }
}
