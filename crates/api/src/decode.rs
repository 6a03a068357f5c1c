//! [`Tree`] → typed structs, with Go's wording for a value of the wrong type
//! (VA-238, VA-239), and what the structs do not hold kept aside.
//!
//! Null is the zero value, as in Go (VA-240).

use std::cell::RefCell;

use serde::de::{self, DeserializeOwned, DeserializeSeed, IntoDeserializer, Visitor};

use crate::limits;
use crate::residual::Residual;
use crate::tree::{Data, Entry, Step, Tree};
use crate::type_name::Probe;

/// One field that could not be read.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldError {
    /// The field, as `spec.containers[0].image`; empty for the whole value.
    pub path: String,
    /// Line, from 1; 0 where the value has no text.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
    /// What is wrong.
    pub message: String,
}

/// Reads a tree into a typed value; all fields of a wrong type at once.
///
/// `strict` also reports fields that the type does not know (`unknown field "spec.foo"`).
///
/// # Errors
/// Every field that could not be read, in the order of the text.
pub fn decode<T: DeserializeOwned>(node: &Tree, strict: bool) -> Result<T, Vec<FieldError>> {
    let (value, residual) = decode_with_residual::<T>(node)?;
    if strict && let Some(residual) = residual {
        let mut errors = Vec::new();
        residual.unknown_fields(&mut String::new(), &mut errors);
        if !errors.is_empty() {
            return Err(errors);
        }
    }
    Ok(value)
}

/// As [`decode`], with what the type does not hold.
pub(crate) fn decode_with_residual<T: DeserializeOwned>(
    node: &Tree,
) -> Result<(T, Option<Residual<'_>>), Vec<FieldError>> {
    let first = match attempt::<T>(node) {
        Ok(value) => return Ok(value),
        Err(error) => error,
    };
    // A wrong field: note it, take it out, and go on, so that all problems show at once.
    let mut errors = vec![first.field];
    let mut copy = node.clone();
    copy.erase(&first.steps);
    while errors.len() < limits::TYPE_PROBLEMS {
        let next = match attempt::<T>(&copy) {
            Ok(_) => break,
            Err(error) => error,
        };
        if errors.iter().any(|known| known.path == next.field.path) {
            break;
        }
        errors.push(next.field);
        copy.erase(&next.steps);
    }
    errors.sort_by_key(|error| (error.line, error.column));
    Err(errors)
}

struct Failure {
    field: FieldError,
    steps: Vec<Step>,
}

fn attempt<T: DeserializeOwned>(node: &Tree) -> Result<(T, Option<Residual<'_>>), Failure> {
    let context = Context::default();
    match T::deserialize(Decoder {
        node,
        context: &context,
    }) {
        Ok(value) => Ok((value, context.residual.take())),
        Err(error) => {
            let located = error.0.unwrap_or_else(|message| Located {
                message,
                path: String::new(),
                line: node.line,
                column: node.column,
                steps: Vec::new(),
            });
            Err(Failure {
                field: FieldError {
                    path: located.path,
                    line: located.line,
                    column: located.column,
                    message: located.message,
                },
                steps: located.steps,
            })
        }
    }
}

/// An error, without a place until the field it belongs to is known.
#[derive(Debug)]
struct DecodeError(Result<Located, String>);

#[derive(Debug)]
struct Located {
    message: String,
    path: String,
    line: u32,
    column: u32,
    steps: Vec<Step>,
}

impl std::fmt::Display for DecodeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match &self.0 {
            Ok(located) => &located.message,
            Err(message) => message,
        })
    }
}
impl std::error::Error for DecodeError {}
impl de::Error for DecodeError {
    fn custom<T: std::fmt::Display>(message: T) -> Self {
        DecodeError(Err(message.to_string()))
    }
}

/// One part of the path to the value being read.
#[derive(Clone, Copy)]
enum Segment<'n> {
    Field(&'n str),
    Key(&'n str),
    Index(usize),
}

#[derive(Default)]
struct Context<'n> {
    path: RefCell<Vec<Segment<'n>>>,
    /// Go type of the struct whose field is being read.
    holder: std::cell::Cell<&'static str>,
    /// What the last value read did not hold.
    residual: RefCell<Option<Residual<'n>>>,
}

impl<'n> Context<'n> {
    fn locate(&self, error: DecodeError, node: &Tree) -> DecodeError {
        match error.0 {
            Ok(_) => error,
            Err(message) => {
                let path = self.path.borrow();
                DecodeError(Ok(Located {
                    message,
                    path: field_path(&path),
                    line: node.line,
                    column: node.column,
                    steps: path
                        .iter()
                        .map(|segment| match segment {
                            Segment::Field(key) | Segment::Key(key) => Step::Key((*key).into()),
                            Segment::Index(index) => Step::Index(*index),
                        })
                        .collect(),
                }))
            }
        }
    }

    fn mismatch(&self, node: &Tree, wanted: &str) -> DecodeError {
        let found = match &node.data {
            Data::Number(text) => format!("number {text}"),
            Data::Int(number) if wanted.starts_with("int") || wanted.starts_with("uint") => format!("number {number}"),
            _ => node.json_kind().to_owned(),
        };
        let found = if wanted == "string" {
            node.json_kind().to_owned()
        } else {
            found
        };
        let path = self.path.borrow();
        let fields: Vec<&str> = path
            .iter()
            .filter_map(|segment| match segment {
                Segment::Field(key) => Some(*key),
                _ => None,
            })
            .collect();
        let target = if fields.is_empty() {
            "value".to_owned()
        } else {
            format!("struct field {}.{}", go_name(self.holder.get()), fields.join("."))
        };
        drop(path);
        let message = format!("json: cannot unmarshal {found} into Go {target} of type {wanted}");
        self.locate(DecodeError(Err(message)), node)
    }

    /// Reads one value below the current one.
    fn descend<S: DeserializeSeed<'n>>(
        &self,
        segment: Segment<'n>,
        node: &'n Tree,
        seed: S,
    ) -> Result<(S::Value, Option<Residual<'n>>), DecodeError> {
        self.path.borrow_mut().push(segment);
        let holder = self.holder.get();
        let value = seed
            .deserialize(Decoder { node, context: self })
            .map_err(|error| self.locate(error, node))?;
        self.holder.set(holder);
        self.path.borrow_mut().pop();
        Ok((value, self.residual.take()))
    }
}

fn field_path(path: &[Segment<'_>]) -> String {
    let mut text = String::new();
    for segment in path {
        match segment {
            Segment::Field(key) => {
                if !text.is_empty() {
                    text.push('.');
                }
                text.push_str(key);
            }
            Segment::Key(key) => {
                text.push('[');
                text.push_str(key);
                text.push(']');
            }
            Segment::Index(index) => text.push_str(&format!("[{index}]")),
        }
    }
    text
}

/// The Go name of a struct that we spell in Rust case.
pub(crate) fn go_name(name: &str) -> &str {
    match name {
        "HttpGetAction" => "HTTPGetAction",
        "TcpSocketAction" => "TCPSocketAction",
        "GrpcAction" => "GRPCAction",
        "HttpHeader" => "HTTPHeader",
        "PodOs" => "PodOS",
        "EmptyDirVolume" => "EmptyDirVolumeSource",
        "HostPathVolume" => "HostPathVolumeSource",
        "ClaimVolume" => "PersistentVolumeClaimVolumeSource",
        "ConfigMapVolume" => "ConfigMapVolumeSource",
        "SecretVolume" => "SecretVolumeSource",
        "NfsVolume" => "NFSVolumeSource",
        "ProjectedVolume" => "ProjectedVolumeSource",
        "DownwardApiVolume" => "DownwardAPIVolumeSource",
        "CsiInlineVolume" => "CSIVolumeSource",
        "EphemeralVolume" => "EphemeralVolumeSource",
        "CsiVolume" => "CSIPersistentVolumeSource",
        "CsiNode" => "CSINode",
        "CsiDriver" => "CSIDriver",
        "CsiStorageCapacity" => "CSIStorageCapacity",
        other => other,
    }
}

#[derive(Clone, Copy)]
struct Decoder<'n, 'c> {
    node: &'n Tree,
    context: &'c Context<'n>,
}

impl<'n> Decoder<'n, '_> {
    fn mismatch(&self, wanted: &str) -> DecodeError {
        self.context.mismatch(self.node, wanted)
    }

    fn number<T: TryFrom<i64>>(&self, wanted: &str) -> Result<T, DecodeError> {
        match &self.node.data {
            Data::Null => T::try_from(0).map_err(|_| self.mismatch(wanted)),
            Data::Int(number) => T::try_from(*number).map_err(|_| self.mismatch(wanted)),
            Data::Number(text) if wanted == "uint64" => match text.parse::<u64>() {
                // The one integer type that reaches beyond i64; nothing in the API uses it.
                Ok(_) | Err(_) => Err(self.mismatch(wanted)),
            },
            _ => Err(self.mismatch(wanted)),
        }
    }
}

macro_rules! integers {
    ($($method:ident $visit:ident $ty:ty, $go:literal;)*) => {$(
        fn $method<V: Visitor<'n>>(self, visitor: V) -> Result<V::Value, DecodeError> {
            visitor.$visit(self.number::<$ty>($go)?)
        }
    )*};
}

impl<'n> de::Deserializer<'n> for Decoder<'n, '_> {
    type Error = DecodeError;

    fn deserialize_any<V: Visitor<'n>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match &self.node.data {
            Data::Null => visitor.visit_unit(),
            Data::Bool(value) => visitor.visit_bool(*value),
            Data::Int(number) => visitor.visit_i64(*number),
            Data::Number(text) => match (text.parse::<u64>(), text.parse::<f64>()) {
                (Ok(number), _) => visitor.visit_u64(number),
                (_, Ok(number)) => visitor.visit_f64(number),
                _ => Err(self.mismatch("float64")),
            },
            Data::String(text) => visitor.visit_borrowed_str(text),
            Data::Seq(items) => visitor.visit_seq(Items::new(items, self.context)),
            Data::Map(entries) => visitor.visit_map(Fields::new(entries, false, self.context)),
        }
    }

    integers! {
        deserialize_i8 visit_i8 i8, "int8";
        deserialize_i16 visit_i16 i16, "int16";
        deserialize_i32 visit_i32 i32, "int32";
        deserialize_i64 visit_i64 i64, "int64";
        deserialize_u8 visit_u8 u8, "uint8";
        deserialize_u16 visit_u16 u16, "uint16";
        deserialize_u32 visit_u32 u32, "uint32";
        deserialize_u64 visit_u64 u64, "uint64";
    }

    fn deserialize_bool<V: Visitor<'n>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match self.node.data {
            Data::Null => visitor.visit_bool(false),
            Data::Bool(value) => visitor.visit_bool(value),
            _ => Err(self.mismatch("bool")),
        }
    }

    fn deserialize_f32<V: Visitor<'n>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.deserialize_f64(visitor)
    }

    fn deserialize_f64<V: Visitor<'n>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match &self.node.data {
            Data::Null => visitor.visit_f64(0.0),
            #[allow(clippy::cast_precision_loss)]
            Data::Int(number) => visitor.visit_f64(*number as f64),
            Data::Number(text) => match text.parse() {
                Ok(number) => visitor.visit_f64(number),
                Err(_) => Err(self.mismatch("float64")),
            },
            _ => Err(self.mismatch("float64")),
        }
    }

    fn deserialize_char<V: Visitor<'n>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_str<V: Visitor<'n>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match &self.node.data {
            Data::Null => visitor.visit_borrowed_str(""),
            Data::String(text) => visitor.visit_borrowed_str(text),
            _ => Err(self.mismatch("string")),
        }
    }

    fn deserialize_string<V: Visitor<'n>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_identifier<V: Visitor<'n>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_bytes<V: Visitor<'n>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_byte_buf<V: Visitor<'n>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'n>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match self.node.data {
            Data::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_unit<V: Visitor<'n>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        visitor.visit_unit()
    }

    fn deserialize_unit_struct<V: Visitor<'n>>(self, _name: &'static str, visitor: V) -> Result<V::Value, DecodeError> {
        visitor.visit_unit()
    }

    fn deserialize_newtype_struct<V: Visitor<'n>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'n>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match &self.node.data {
            Data::Null => visitor.visit_seq(Items::new(&[], self.context)),
            Data::Seq(items) => visitor.visit_seq(Items::new(items, self.context)),
            _ => {
                let element = visitor.visit_seq(Probe).err().map_or_else(String::new, |error| error.0);
                Err(self.mismatch(&format!("[]{element}")))
            }
        }
    }

    fn deserialize_tuple<V: Visitor<'n>>(self, _len: usize, visitor: V) -> Result<V::Value, DecodeError> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'n>>(
        self,
        _name: &'static str,
        _len: usize,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'n>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match &self.node.data {
            Data::Null => visitor.visit_map(Fields::new(&[], false, self.context)),
            Data::Map(entries) => visitor.visit_map(Fields::new(entries, false, self.context)),
            _ => {
                let value = visitor.visit_map(Probe).err().map_or_else(String::new, |error| error.0);
                Err(self.mismatch(&format!("map[string]{value}")))
            }
        }
    }

    fn deserialize_struct<V: Visitor<'n>>(
        self,
        name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        match &self.node.data {
            Data::Null => visitor.visit_map(Fields::new(&[], true, self.context)),
            Data::Map(entries) => {
                self.context.holder.set(name);
                visitor.visit_map(Fields::new(entries, true, self.context))
            }
            _ => Err(self.mismatch(&format!("v1.{}", go_name(name)))),
        }
    }

    fn deserialize_enum<V: Visitor<'n>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        match &self.node.data {
            Data::String(text) => visitor.visit_enum((&**text).into_deserializer()),
            Data::Null => visitor.visit_enum("".into_deserializer()),
            Data::Map(entries) => visitor.visit_enum(de::value::MapAccessDeserializer::new(Fields::new(
                entries,
                true,
                self.context,
            ))),
            _ => Err(self.mismatch("string")),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'n>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        *self.context.residual.borrow_mut() = match self.node.data {
            Data::Null => None,
            _ => Some(Residual::Raw(self.node)),
        };
        visitor.visit_unit()
    }
}

struct Items<'n, 'c> {
    items: &'n [Tree],
    next: usize,
    kept: Vec<Option<Residual<'n>>>,
    context: &'c Context<'n>,
}

impl<'n, 'c> Items<'n, 'c> {
    fn new(items: &'n [Tree], context: &'c Context<'n>) -> Self {
        Self {
            items,
            next: 0,
            kept: Vec::new(),
            context,
        }
    }
}

impl<'n> de::SeqAccess<'n> for Items<'n, '_> {
    type Error = DecodeError;

    fn next_element_seed<S: DeserializeSeed<'n>>(&mut self, seed: S) -> Result<Option<S::Value>, DecodeError> {
        let Some(node) = self.items.get(self.next) else {
            let kept = std::mem::take(&mut self.kept);
            *self.context.residual.borrow_mut() = if kept.is_empty() {
                None
            } else {
                Some(Residual::List(self.items, kept))
            };
            return Ok(None);
        };
        let (value, residual) = self.context.descend(Segment::Index(self.next), node, seed)?;
        self.next += 1;
        if residual.is_some() {
            self.kept.resize_with(self.next - 1, || None);
            self.kept.push(residual);
        }
        Ok(Some(value))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.items.len() - self.next)
    }
}

struct Fields<'n, 'c> {
    entries: &'n [Entry],
    next: usize,
    of_struct: bool,
    kept: Vec<(&'n str, Residual<'n>)>,
    context: &'c Context<'n>,
}

impl<'n, 'c> Fields<'n, 'c> {
    fn new(entries: &'n [Entry], of_struct: bool, context: &'c Context<'n>) -> Self {
        Self {
            entries,
            next: 0,
            of_struct,
            kept: Vec::new(),
            context,
        }
    }
}

impl<'n> de::MapAccess<'n> for Fields<'n, '_> {
    type Error = DecodeError;

    fn next_key_seed<K: DeserializeSeed<'n>>(&mut self, seed: K) -> Result<Option<K::Value>, DecodeError> {
        if self.of_struct {
            while self
                .entries
                .get(self.next)
                .is_some_and(|entry| entry.value.data == Data::Null)
            {
                self.next += 1;
            }
        }
        match self.entries.get(self.next) {
            Some(entry) => seed
                .deserialize(de::value::BorrowedStrDeserializer::new(&entry.key))
                .map(Some),
            None => {
                let kept = std::mem::take(&mut self.kept);
                *self.context.residual.borrow_mut() = if kept.is_empty() {
                    None
                } else {
                    Some(Residual::Map(kept))
                };
                Ok(None)
            }
        }
    }

    fn next_value_seed<S: DeserializeSeed<'n>>(&mut self, seed: S) -> Result<S::Value, DecodeError> {
        let Some(entry) = self.entries.get(self.next) else {
            return Err(de::Error::custom("value without a key"));
        };
        self.next += 1;
        let segment = if self.of_struct {
            Segment::Field(&entry.key)
        } else {
            Segment::Key(&entry.key)
        };
        let (value, residual) = self.context.descend(segment, &entry.value, seed)?;
        if let Some(residual) = residual {
            self.kept.push((&entry.key, residual));
        }
        Ok(value)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.entries.len() - self.next)
    }
}
