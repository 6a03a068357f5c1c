//! Implements [`Wire`] for scalars, lists and maps.

use crate::ordered;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::decode::{Failure, Reader};
use crate::tree::{Data, Tree};
use crate::wire::{Read, Wire};
use crate::{Extra, IntOrString, ProblemKind, Quantity, Str};

impl<T: Wire> Wire for Option<T> {
    fn null() -> Self {
        None
    }

    fn go_type() -> String {
        T::go_type()
    }

    fn is_omitted_when_printed(&self) -> bool {
        self.is_none()
    }

    fn write(&self) -> Value {
        match self {
            Some(value) => value.write(),
            None => Value::Null,
        }
    }

    fn read<'n>(&mut self, node: &'n Tree<'n>, reader: &mut Reader<'n>) -> Read<'n> {
        if node.is_null() {
            return Ok(None);
        }
        self.insert(T::null()).read(node, reader)
    }
}

/// Implements [`Wire`] for `Box` and `Arc` by delegating to the value.
macro_rules! pointers {
    ($($pointer:ident)*) => {$(
        impl<T: Wire> Wire for $pointer<T> {
            fn null() -> Self {
                $pointer::new(T::null())
            }

            fn go_type() -> String {
                T::go_type()
            }

            fn is_omitted_when_printed(&self) -> bool {
                (**self).is_omitted_when_printed()
            }

            fn write(&self) -> Value {
                (**self).write()
            }

            fn read<'n>(&mut self, node: &'n Tree<'n>, reader: &mut Reader<'n>) -> Read<'n> {
                let mut value = T::null();
                let rest = value.read(node, reader)?;
                *self = $pointer::new(value);
                Ok(rest)
            }
        }
    )*};
}
pointers! { Arc Box }

impl<T: Wire> Wire for Vec<T> {
    fn null() -> Self {
        Vec::new()
    }

    fn go_type() -> String {
        format!("[]{}", T::go_type())
    }

    fn is_omitted_when_printed(&self) -> bool {
        self.is_empty()
    }

    fn write(&self) -> Value {
        Value::Array(self.iter().map(|item| item.write()).collect())
    }

    fn read<'n>(&mut self, node: &'n Tree<'n>, reader: &mut Reader<'n>) -> Read<'n> {
        reader.list(node, Self::go_type, &mut |node, reader| {
            let mut item = T::null();
            let rest = item.read(node, reader)?;
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
    fn null() -> Self {
        ordered::Map::new()
    }

    fn go_type() -> String {
        format!("map[string]{}", V::go_type())
    }

    fn is_omitted_when_printed(&self) -> bool {
        self.is_empty()
    }

    fn write(&self) -> Value {
        let mut map = Map::new();
        for (key, value) in self {
            map.insert(key.as_ref().to_owned(), value.write());
        }
        Value::Object(map)
    }

    fn read<'n>(&mut self, node: &'n Tree<'n>, reader: &mut Reader<'n>) -> Read<'n> {
        reader.map(node, Self::go_type, &mut |key, node, reader| {
            let mut value = V::null();
            let rest = value.read(node, reader)?;
            self.insert(key.into(), value);
            Ok(rest)
        })
    }
}

impl Wire for Value {
    fn null() -> Self {
        Value::Null
    }

    fn go_type() -> String {
        "interface {}".into()
    }

    fn is_omitted_when_printed(&self) -> bool {
        self.is_null()
    }

    fn write(&self) -> Value {
        self.clone()
    }

    fn read<'n>(&mut self, node: &'n Tree<'n>, _: &mut Reader<'n>) -> Read<'n> {
        *self = node.to_value();
        Ok(None)
    }
}

/// Implements [`Wire`] for string types that accept any string.
macro_rules! texts {
    ($($ty:ty),*) => {$(
        impl Wire for $ty {
            fn null() -> Self {
                Self::default()
            }

            fn go_type() -> String {
                "string".into()
            }

            fn is_omitted_when_printed(&self) -> bool {
                self.is_empty()
            }

            fn write(&self) -> Value {
                Value::String((**self).to_owned())
            }

            fn read<'n>(&mut self, node: &'n Tree<'n>, reader: &mut Reader<'n>) -> Read<'n> {
                *self = reader.text(node)?.into();
                Ok(None)
            }
        }
    )*};
}
texts! { Str, String, crate::Uid, crate::NodeName }

macro_rules! integers {
    ($($ty:ident $go:literal),*) => {$(
        impl Wire for $ty {
            fn null() -> Self {
                0
            }

            fn go_type() -> String {
                $go.into()
            }

            fn write(&self) -> Value {
                (*self).into()
            }

            fn read<'n>(&mut self, node: &'n Tree<'n>, reader: &mut Reader<'n>) -> Read<'n> {
                *self = $ty::try_from(reader.integer(node, $go)?).map_err(|_| reader.mismatch_failure(node, $go))?;
                Ok(None)
            }
        }
    )*};
}
integers! { i32 "int32", i64 "int64", u32 "uint32", u64 "uint64" }

impl Wire for bool {
    fn null() -> Self {
        false
    }

    fn go_type() -> String {
        "bool".into()
    }

    fn write(&self) -> Value {
        Value::Bool(*self)
    }

    fn read<'n>(&mut self, node: &'n Tree<'n>, reader: &mut Reader<'n>) -> Read<'n> {
        *self = reader.boolean(node)?;
        Ok(None)
    }
}

impl Wire for IntOrString {
    fn null() -> Self {
        Self::Int(0)
    }

    fn go_type() -> String {
        "intstr.IntOrString".into()
    }

    fn write(&self) -> Value {
        match self {
            Self::Int(number) => (*number).into(),
            Self::String(text) => Value::String((**text).to_owned()),
        }
    }

    fn read<'n>(&mut self, node: &'n Tree<'n>, reader: &mut Reader<'n>) -> Read<'n> {
        *self = int_or_string(node, reader)?;
        Ok(None)
    }
}

fn int_or_string(node: &Tree<'_>, reader: &Reader<'_>) -> Result<IntOrString, Failure> {
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
    fn null() -> Self {
        Self::default()
    }

    fn go_type() -> String {
        "resource.Quantity".into()
    }

    fn write(&self) -> Value {
        Value::String(self.to_string())
    }

    /// Accepts a string or a bare number, as the API server does.
    fn read<'n>(&mut self, node: &'n Tree<'n>, reader: &mut Reader<'n>) -> Read<'n> {
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
macro_rules! forms {
    ($($ty:ident),*) => {$(
        impl Wire for crate::$ty {
            fn null() -> Self {
                Self::default()
            }

            fn go_type() -> String {
                "string".into()
            }

            fn write(&self) -> Value {
                Value::String(self.to_string())
            }

            fn read<'n>(&mut self, node: &'n Tree<'n>, reader: &mut Reader<'n>) -> Read<'n> {
                *self = reader.text(node)?.parse().map_err(|error| reader.fail(node, error))?;
                Ok(None)
            }
        }
    )*};
}
forms! { Time, MicroTime, Duration }

/// Implements [`Wire`] for types that are not fields of the JSON form.
macro_rules! off_wire {
    ($($ty:ty),*) => {$(
        impl Wire for $ty {
            fn null() -> Self {
                Self::default()
            }

            fn go_type() -> String {
                String::new()
            }

            fn is_omitted_when_printed(&self) -> bool {
                true
            }

            fn write(&self) -> Value {
                Value::Null
            }

            fn read<'n>(&mut self, _: &'n Tree, _: &mut Reader<'n>) -> Read<'n> {
                Ok(None)
            }
        }
    )*};
}
// These types are not fields of the JSON form; other code prints them: `Extra` by `Extra::merge_into`, managers by
// `Managers::to_value` on request, API access by `Pod::written_out`.
off_wire! { Extra, crate::managed::Managers, Option<crate::ApiAccess> }
