//! Implements [`Wire`] for scalars, lists and maps.

use crate::ordered;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::decode::{DecodeFailure, Reader};
use crate::tree::{Data, Tree};
use crate::wire::{DecodeResult, Wire};
use crate::{Extra, IntOrString, ProblemKind, Quantity, Str};

impl<T: Wire> Wire for Option<T> {
    fn from_null() -> Self {
        None
    }

    fn go_type() -> String {
        T::go_type()
    }

    fn is_omitted_when_printed(&self) -> bool {
        self.is_none()
    }

    fn to_json_value(&self) -> Value {
        match self {
            Some(value) => value.to_json_value(),
            None => Value::Null,
        }
    }

    fn decode<'n>(&mut self, node: &'n Tree<'n>, reader: &mut Reader<'n>) -> DecodeResult<'n> {
        if node.is_null() {
            return Ok(None);
        }
        self.insert(T::from_null()).decode(node, reader)
    }
}

/// Implements [`Wire`] for `Box` and `Arc` by delegating to the value.
macro_rules! impl_wire_for_pointers {
    ($($pointer:ident)*) => {$(
        impl<T: Wire> Wire for $pointer<T> {
            fn from_null() -> Self {
                $pointer::new(T::from_null())
            }

            fn go_type() -> String {
                T::go_type()
            }

            fn is_omitted_when_printed(&self) -> bool {
                (**self).is_omitted_when_printed()
            }

            fn to_json_value(&self) -> Value {
                (**self).to_json_value()
            }

            fn decode<'n>(&mut self, node: &'n Tree<'n>, reader: &mut Reader<'n>) -> DecodeResult<'n> {
                let mut value = T::from_null();
                let rest = value.decode(node, reader)?;
                *self = $pointer::new(value);
                Ok(rest)
            }
        }
    )*};
}

impl_wire_for_pointers! { Arc Box }

impl<T: Wire> Wire for Vec<T> {
    fn from_null() -> Self {
        Vec::new()
    }

    fn go_type() -> String {
        format!("[]{}", T::go_type())
    }

    fn is_omitted_when_printed(&self) -> bool {
        self.is_empty()
    }

    fn to_json_value(&self) -> Value {
        Value::Array(self.iter().map(|item| item.to_json_value()).collect())
    }

    fn decode<'n>(&mut self, node: &'n Tree<'n>, reader: &mut Reader<'n>) -> DecodeResult<'n> {
        reader.decode_list(node, Self::go_type, &mut |node, reader| {
            let mut item = T::from_null();
            let rest = item.decode(node, reader)?;
            self.push(item);
            Ok(rest)
        })
    }
}

/// A string type usable as the key of a map.
pub trait Key: Ord + for<'t> From<&'t str> + AsRef<str> {}
impl Key for Str {}
impl Key for String {}

impl<K: Key, V: Wire> Wire for ordered::Map<K, V> {
    fn from_null() -> Self {
        ordered::Map::new()
    }

    fn go_type() -> String {
        format!("map[string]{}", V::go_type())
    }

    fn is_omitted_when_printed(&self) -> bool {
        self.is_empty()
    }

    fn to_json_value(&self) -> Value {
        let mut map = Map::new();
        for (key, value) in self {
            map.insert(key.as_ref().to_owned(), value.to_json_value());
        }
        Value::Object(map)
    }

    fn decode<'n>(&mut self, node: &'n Tree<'n>, reader: &mut Reader<'n>) -> DecodeResult<'n> {
        reader.decode_map(node, Self::go_type, &mut |key, node, reader| {
            let mut value = V::from_null();
            let rest = value.decode(node, reader)?;
            self.insert(key.into(), value);
            Ok(rest)
        })
    }
}

impl Wire for Value {
    fn from_null() -> Self {
        Value::Null
    }

    fn go_type() -> String {
        "interface {}".into()
    }

    fn is_omitted_when_printed(&self) -> bool {
        self.is_null()
    }

    fn to_json_value(&self) -> Value {
        self.clone()
    }

    fn decode<'n>(&mut self, node: &'n Tree<'n>, _: &mut Reader<'n>) -> DecodeResult<'n> {
        *self = node.to_value();
        Ok(None)
    }
}

/// Implements [`Wire`] for string types that accept any string.
macro_rules! impl_wire_for_strings {
    ($($ty:ty),*) => {$(
        impl Wire for $ty {
            fn from_null() -> Self {
                Self::default()
            }

            fn go_type() -> String {
                "string".into()
            }

            fn is_omitted_when_printed(&self) -> bool {
                self.is_empty()
            }

            fn to_json_value(&self) -> Value {
                Value::String((**self).to_owned())
            }

            fn decode<'n>(&mut self, node: &'n Tree<'n>, reader: &mut Reader<'n>) -> DecodeResult<'n> {
                *self = reader.decode_text(node)?.into();
                Ok(None)
            }
        }
    )*};
}

impl_wire_for_strings! { Str, String, crate::Uid, crate::NodeName }

macro_rules! impl_wire_for_integers {
    ($($ty:ident $go:literal),*) => {$(
        impl Wire for $ty {
            fn from_null() -> Self {
                0
            }

            fn go_type() -> String {
                $go.into()
            }

            fn to_json_value(&self) -> Value {
                (*self).into()
            }

            fn decode<'n>(&mut self, node: &'n Tree<'n>, reader: &mut Reader<'n>) -> DecodeResult<'n> {
                let number = reader.decode_integer(node, $go)?;
                *self = $ty::try_from(number).map_err(|_| reader.mismatch_failure(node, $go))?;
                Ok(None)
            }
        }
    )*};
}

impl_wire_for_integers! { i32 "int32", i64 "int64", u32 "uint32", u64 "uint64" }

impl Wire for bool {
    fn from_null() -> Self {
        false
    }

    fn go_type() -> String {
        "bool".into()
    }

    fn to_json_value(&self) -> Value {
        Value::Bool(*self)
    }

    fn decode<'n>(&mut self, node: &'n Tree<'n>, reader: &mut Reader<'n>) -> DecodeResult<'n> {
        *self = reader.decode_boolean(node)?;
        Ok(None)
    }
}

impl Wire for IntOrString {
    fn from_null() -> Self {
        Self::Int(0)
    }

    fn go_type() -> String {
        "intstr.IntOrString".into()
    }

    fn to_json_value(&self) -> Value {
        match self {
            Self::Int(number) => (*number).into(),
            Self::String(text) => Value::String((**text).to_owned()),
        }
    }

    fn decode<'n>(&mut self, node: &'n Tree<'n>, reader: &mut Reader<'n>) -> DecodeResult<'n> {
        *self = decode_int_or_string(node, reader)?;
        Ok(None)
    }
}

fn decode_int_or_string(node: &Tree<'_>, reader: &Reader<'_>) -> Result<IntOrString, DecodeFailure> {
    let narrow = |found: &str| {
        let message = format!("json: cannot unmarshal {found} into Go value of type int32");
        reader.fail_with_kind(ProblemKind::OtherType, node, message)
    };
    match &node.data {
        Data::Null => Ok(IntOrString::Int(0)),
        Data::String(text) => Ok(IntOrString::String((&**text).into())),
        Data::Int(number) => i32::try_from(*number)
            .map(IntOrString::Int)
            .map_err(|_| narrow(&format!("number {number}"))),
        Data::Number(text) => Err(narrow(&format!("number {text}"))),
        Data::Bool(_) => Err(narrow("bool")),
        Data::Seq(_) | Data::Map(_) => Err(reader.not_a_scalar_failure(node, "an integer or a string")),
    }
}

impl Wire for Quantity {
    fn from_null() -> Self {
        Self::default()
    }

    fn go_type() -> String {
        "resource.Quantity".into()
    }

    fn to_json_value(&self) -> Value {
        Value::String(self.to_string())
    }

    /// Accepts a string or a bare number, as the API server does.
    fn decode<'n>(&mut self, node: &'n Tree<'n>, reader: &mut Reader<'n>) -> DecodeResult<'n> {
        *self = match &node.data {
            Data::Null => Self::default(),
            Data::Int(number) => Self::from_units((*number).max(-i64::MAX)),
            Data::String(text) | Data::Number(text) => {
                (text.parse()).map_err(|error| reader.fail_with_kind(ProblemKind::NoQuantity, node, error))?
            }
            Data::Bool(value) => {
                let read = value.to_string().parse();
                read.map_err(|error| reader.fail_with_kind(ProblemKind::NoQuantity, node, error))?
            }
            Data::Seq(_) | Data::Map(_) => {
                return Err(reader.not_a_scalar_failure(node, "a quantity such as 250m or 1Gi"));
            }
        };
        Ok(None)
    }
}

/// Implements [`Wire`] for types that parse from and print to a string.
macro_rules! impl_wire_for_parsed_strings {
    ($($ty:ident),*) => {$(
        impl Wire for crate::$ty {
            fn from_null() -> Self {
                Self::default()
            }

            fn go_type() -> String {
                "string".into()
            }

            fn to_json_value(&self) -> Value {
                Value::String(self.to_string())
            }

            fn decode<'n>(&mut self, node: &'n Tree<'n>, reader: &mut Reader<'n>) -> DecodeResult<'n> {
                *self = reader.decode_text(node)?.parse().map_err(|error| reader.fail(node, error))?;
                Ok(None)
            }
        }
    )*};
}

impl_wire_for_parsed_strings! { Time, MicroTime, Duration }

/// Implements [`Wire`] for types that are not fields of the JSON form.
macro_rules! impl_wire_for_fields_outside_json {
    ($($ty:ty),*) => {$(
        impl Wire for $ty {
            fn from_null() -> Self {
                Self::default()
            }

            fn go_type() -> String {
                String::new()
            }

            fn is_omitted_when_printed(&self) -> bool {
                true
            }

            fn to_json_value(&self) -> Value {
                Value::Null
            }

            fn decode<'n>(&mut self, _: &'n Tree, _: &mut Reader<'n>) -> DecodeResult<'n> {
                Ok(None)
            }
        }
    )*};
}
// These types are not fields of the JSON form; other code prints them: `Extra` by `Extra::merge_into`, managers by
// `FieldManagers::to_value` on request, the token volume by `Pod::with_token_volume`.
impl_wire_for_fields_outside_json! { Extra, crate::managed::FieldManagers, Option<crate::TokenVolumeSuffix> }
