//! Objects of kinds that no simulated component acts on: they are stored, validated and printed unchanged.

use serde_json::{Map, Value};

use crate::decode::Reader;
use crate::residual::Residual;
use crate::tree::{Data, Tree};
use crate::wire::{DecodeResult, Wire};
use crate::{Extra, Kind, ObjectMeta};

/// An object of a kind without a Rust type; its fields are stored as JSON.
#[derive(Debug, Clone, PartialEq)]
pub struct UntypedObject {
    pub kind: Kind,
    pub metadata: ObjectMeta,
    /// All fields except `apiVersion`, `kind` and `metadata`.
    pub fields: Map<String, Value>,
    /// Untyped fields of `metadata`.
    pub extra: Extra,
}

impl UntypedObject {
    /// Creates an empty object of a kind.
    #[must_use]
    pub fn of(kind: Kind) -> Self {
        Self {
            kind,
            metadata: ObjectMeta::default(),
            fields: Map::new(),
            extra: Extra::default(),
        }
    }

    /// Returns the value at a JSON pointer, such as `/spec/rules`.
    #[must_use]
    pub fn at(&self, pointer: &str) -> Option<&Value> {
        let mut parts = pointer.split('/').skip(1);
        let first = self.fields.get(parts.next()?)?;
        parts.try_fold(first, |value, part| match value {
            Value::Array(items) => items.get(part.parse::<usize>().ok()?),
            value => value.get(part),
        })
    }
}

impl Wire for UntypedObject {
    fn from_null() -> Self {
        Self::of(Kind::PodTemplate)
    }

    fn go_type() -> String {
        "unstructured.Unstructured".to_owned()
    }

    fn to_json_value(&self) -> Value {
        let mut map = Map::new();
        map.insert("metadata".to_owned(), self.metadata.to_json_value());
        map.extend(self.fields.clone());
        Value::Object(map)
    }

    fn decode<'n>(&mut self, node: &'n Tree<'n>, reader: &mut Reader<'n>) -> DecodeResult<'n> {
        let entries = match &node.data {
            Data::Null => return Ok(None),
            Data::Map(entries) => entries,
            _ => return Err(reader.mismatch_failure(node, &Self::go_type())),
        };
        let mut rest = None;
        for entry in entries.iter().filter(|entry| !entry.value.is_null()) {
            match &*entry.key {
                "apiVersion" | "kind" => {}
                "metadata" => rest = reader.decode_field("metadata", &mut self.metadata, &entry.value)?,
                key => drop(self.fields.insert(key.to_owned(), entry.value.to_value())),
            }
        }
        Ok(rest.map(|rest| Residual::Map(vec![("metadata", rest)])))
    }
}
