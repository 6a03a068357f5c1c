//! Typed values ⇄ trees, by table: every struct tells its fields as trait
//! objects ([`Record`]), and reading and printing are written once over them.
//! The code for a field is a row of a table, which is what lets 25 kinds fit
//! into a page (see "Size of the code" in `docs/measurements.md`).

use serde_json::Map;
pub use serde_json::Value;

pub use crate::decode::{Failure, Reader};
pub use crate::residual::Residual;
use crate::tree::Tree;

/// What a value did not hold of what it was read from.
pub type Read<'n> = Result<Option<Residual<'n>>, Failure>;

/// A value of the API with a form in JSON.
pub trait Wire {
    /// The value that `null` stands for (VA-240).
    fn null() -> Self
    where
        Self: Sized;
    /// The type's name as Go has it (VA-238: `[]v1.Container`, `map[string]string`).
    fn go_type() -> String
    where
        Self: Sized;
    /// Whether the field is left out when an object is printed (Go's `omitempty`).
    ///
    /// Options, lists, maps and strings are left out when empty; numbers and
    /// booleans are always printed (use `Option<bool>` where the API omits them).
    fn absent(&self) -> bool {
        false
    }

    /// The value as JSON has it.
    fn write(&self) -> Value;
    /// Takes the value from a tree; `self` is as [`Wire::null`] made it.
    ///
    /// # Errors
    /// The first field of a wrong type.
    fn read<'n>(&mut self, node: &'n Tree<'n>, reader: &mut Reader<'n>) -> Read<'n>;
}

/// A struct as a list of fields.
pub trait Record {
    /// Its name and the names of its fields.
    fn shape(&self) -> &'static Shape;
    /// The field at an index of [`Shape::fields`].
    fn field(&self, at: usize) -> &dyn Wire;
    /// The field at an index of [`Shape::fields`], to read into.
    fn field_mut(&mut self, at: usize) -> &mut dyn Wire;
}

/// What all values of a struct have in common.
pub struct Shape {
    /// The name of the struct.
    pub name: &'static str,
    /// Its fields, in Rust's case, or as they are on the wire where that differs; an empty name is not on the wire.
    pub fields: &'static [&'static str],
    /// Indices of fields that are printed even if absent, as `null` or `""`: Go's `omitempty` does not leave out a
    /// `metav1.Time`, and some texts lack it.
    pub shown: &'static [usize],
}

impl Shape {
    /// The names of its fields on the wire.
    pub fn names(&self) -> impl Iterator<Item = String> {
        self.fields.iter().map(|name| camel(name))
    }

    /// The field of that name on the wire.
    pub(crate) fn find(&self, key: &str) -> Option<usize> {
        // Most names begin otherwise, and no two letters need a call to compare them.
        let first = key.as_bytes().first();
        let is_it = |name: &&str| name.as_bytes().first() == first && is_camel(name, key);
        self.fields.iter().position(is_it)
    }
}

/// Whether `key` is `name` in camel case.
fn is_camel(name: &str, key: &str) -> bool {
    let mut rest = key.bytes();
    let mut raise = false;
    for byte in name.bytes() {
        if byte == b'_' {
            raise = true;
            continue;
        }
        let wanted = if raise { byte.to_ascii_uppercase() } else { byte };
        raise = false;
        if rest.next() != Some(wanted) {
            return false;
        }
    }
    !name.is_empty() && rest.next().is_none()
}

pub(crate) fn camel(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    let mut raise = false;
    for letter in name.chars() {
        if letter == '_' {
            raise = true;
        } else {
            text.push(if raise { letter.to_ascii_uppercase() } else { letter });
            raise = false;
        }
    }
    text
}

/// A struct as a JSON object: its fields in their order, without the absent ones.
pub fn write_record(record: &dyn Record) -> Value {
    let mut map = Map::new();
    let shape = record.shape();
    for (at, name) in shape.fields.iter().enumerate() {
        let field = record.field(at);
        if !name.is_empty() && (!field.absent() || shape.shown.contains(&at)) {
            map.insert(camel(name), field.write());
        }
    }
    Value::Object(map)
}

/// The value as one line of JSON.
pub fn to_json(value: &dyn Wire) -> String {
    value.write().to_string()
}

/// Reads a value from JSON.
///
/// # Errors
/// What is wrong with the first field that does not fit.
pub fn from_value<T: Wire>(value: &Value) -> Result<T, String> {
    crate::decode(&Tree::from_value(value), false).map_err(crate::decode::first_message)
}

/// The Go name of a struct in messages.
pub fn go_struct(name: &str) -> String {
    format!("v1.{}", crate::decode::go_name(name))
}

/// A bug: there is no field of that index.
pub fn no_field(at: usize) -> ! {
    unreachable!("no field {at}")
}

/// Declares structs with a wire form: camelCase names (or the one given by `as`; `as ""` is not on the wire),
/// every field optional on input, empty fields left out on output (see [`Wire::absent`](crate::wire::Wire::absent))
/// unless they are marked `[shown]`.
#[macro_export]
macro_rules! wire_types {
    ($($(#[$m:meta])* $vis:vis struct $name:ident {
        $($(#[$fm:meta])* $fvis:vis $field:ident $(as $wire:literal)? $([$shown:ident])? : $ty:ty),* $(,)?
    })*) => {$(
        $(#[$m])*
        // `Eq` lets shared parts that are the same one be equal without a look at them.
        #[derive(Debug, Clone, PartialEq, Eq, Default)]
        $vis struct $name {
            $(
                $(#[$fm])*
                #[doc = concat!("`", stringify!($field), "` of the API.")]
                $fvis $field: $ty,
            )*
        }

        const _: () = {
            #[allow(non_camel_case_types, dead_code)]
            enum At { $($field),* }
            static SHAPE: $crate::wire::Shape = $crate::wire::Shape {
                name: stringify!($name),
                fields: &[$($crate::wire_types!(@name $field $($wire)?)),*],
                shown: &[$($($crate::wire_types!(@$shown At::$field),)?)*],
            };
            impl $crate::wire::Record for $name {
                fn shape(&self) -> &'static $crate::wire::Shape { &SHAPE }
                fn field(&self, at: usize) -> &dyn $crate::wire::Wire {
                    match at {
                        $(at if at == At::$field as usize => &self.$field,)*
                        _ => $crate::wire::no_field(at),
                    }
                }

                fn field_mut(&mut self, at: usize) -> &mut dyn $crate::wire::Wire {
                    match at {
                        $(at if at == At::$field as usize => &mut self.$field,)*
                        _ => $crate::wire::no_field(at),
                    }
                }
            }

            impl $crate::wire::Wire for $name {
                fn null() -> Self { Self::default() }
                fn go_type() -> String { $crate::wire::go_struct(SHAPE.name) }
                fn write(&self) -> $crate::wire::Value { $crate::wire::write_record(self) }
                fn read<'n>(&mut self, node: &'n $crate::Tree<'n>, reader: &mut $crate::wire::Reader<'n>) -> $crate::wire::Read<'n> {
                    reader.record(self, node)
                }
            }
        };
    )*};
    (@name $field:ident) => { stringify!($field) };
    (@name $field:ident $wire:literal) => { $wire };
    (@shown $at:path) => { $at as usize };
}
