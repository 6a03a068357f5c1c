//! The parts of a tree that typed structs do not represent: the source of [`crate::Extra`].

use crate::ProblemKind;
use serde::ser::{SerializeMap, SerializeSeq};

use crate::decode::FieldError;
use crate::tree::Tree;

/// The untyped part of a value, borrowed from its tree.
#[derive(Debug)]
pub enum Residual<'n> {
    /// A whole value, under a key that is not a field of the struct.
    Raw(&'n Tree<'n>),
    /// Some fields of a map.
    Map(Vec<(&'n str, Residual<'n>)>),
    /// Some elements of a list, by index; the slice holds the whole list.
    List(&'n [Tree<'n>], Vec<Option<Residual<'n>>>),
}

/// Fields that identify an element of a list, if the element has them.
pub(crate) const IDENTITY_FIELDS: [&str; 10] = [
    "name",
    "type",
    "containerPort",
    "mountPath",
    "devicePath",
    "key",
    "uid",
    "topologyKey",
    "ip",
    "conditionType",
];
/// Key that marks a partial map in the JSON text of an `Extra`: the map holds only its untyped fields.
pub(crate) const PARTIAL_MAP: &str = "\u{1}map";
/// Key that marks a partial list in the JSON text of an `Extra`: its elements hold only their untyped fields and the
/// fields that identify them.
pub(crate) const PARTIAL_LIST: &str = "\u{1}list";

impl<'n> Residual<'n> {
    pub(crate) fn push_unknown_field_errors(&self, path: &mut String, errors: &mut Vec<FieldError>) {
        let length = path.len();
        match self {
            Residual::Raw(node) => errors.push(FieldError {
                mismatch: None,
                path: path.clone(),
                line: node.line,
                column: node.column,
                message: crate::schema::unknown_field(path),
                kind: ProblemKind::UnknownField,
            }),
            Residual::Map(fields) => {
                for (key, inner) in fields {
                    if !path.is_empty() {
                        path.push('.');
                    }
                    path.push_str(key);
                    inner.push_unknown_field_errors(path, errors);
                    path.truncate(length);
                }
            }
            Residual::List(_, items) => {
                for (index, inner) in items.iter().enumerate() {
                    if let Some(inner) = inner {
                        path.push_str(&format!("[{index}]"));
                        inner.push_unknown_field_errors(path, errors);
                        path.truncate(length);
                    }
                }
            }
        }
    }

    /// Removes and returns the residual under a path of keys.
    pub(crate) fn take_at_path(&mut self, path: &[&str]) -> Option<Residual<'n>> {
        let (first, rest) = path.split_first()?;
        let Residual::Map(fields) = self else {
            return None;
        };
        let at = fields.iter().position(|(key, _)| key == first)?;
        if rest.is_empty() {
            return Some(fields.remove(at).1);
        }
        let (_, inner) = fields.get_mut(at)?;
        let found = inner.take_at_path(rest);
        if matches!(inner, Residual::Map(fields) if fields.is_empty()) {
            fields.remove(at);
        }
        found
    }

    pub(crate) fn is_empty(&self) -> bool {
        matches!(self, Residual::Map(fields) if fields.is_empty())
    }
}

impl serde::Serialize for Residual<'_> {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        struct MapResiduals<'r, 'n> {
            fields: &'r [(&'n str, Residual<'n>)],
            /// The whole map, if it is an element of a list: its identity fields are printed as well.
            list_element: Option<&'n Tree<'n>>,
        }

        impl serde::Serialize for MapResiduals<'_, '_> {
            fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                let mut map = s.serialize_map(None)?;
                if let Some(element) = self.list_element {
                    for key in IDENTITY_FIELDS {
                        if let Some(value) = element.get(key)
                            && !self.fields.iter().any(|(other, _)| *other == key)
                        {
                            map.serialize_entry(key, value)?;
                        }
                    }
                }
                for (key, inner) in self.fields {
                    map.serialize_entry(key, inner)?;
                }
                map.end()
            }
        }

        struct ListResiduals<'r, 'n> {
            elements: &'n [Tree<'n>],
            residuals: &'r [Option<Residual<'n>>],
        }

        impl serde::Serialize for ListResiduals<'_, '_> {
            fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                let mut list = s.serialize_seq(Some(self.residuals.len()))?;
                for (element, kept) in self.elements.iter().zip(self.residuals) {
                    match kept {
                        None => list.serialize_element(&())?,
                        Some(Residual::Map(fields)) => list.serialize_element(&MapResiduals {
                            fields,
                            list_element: Some(element),
                        })?,
                        Some(other) => list.serialize_element(other)?,
                    }
                }
                list.end()
            }
        }
        match self {
            Residual::Raw(node) => node.serialize(s),
            Residual::Map(fields) => {
                let mut map = s.serialize_map(Some(1))?;
                map.serialize_entry(
                    PARTIAL_MAP,
                    &MapResiduals {
                        fields,
                        list_element: None,
                    },
                )?;
                map.end()
            }
            Residual::List(elements, residuals) => {
                let mut map = s.serialize_map(Some(1))?;
                map.serialize_entry(PARTIAL_LIST, &ListResiduals { elements, residuals })?;
                map.end()
            }
        }
    }
}
