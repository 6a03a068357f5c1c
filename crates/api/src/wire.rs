//! Conversion between typed values and trees, driven by tables: each struct exposes its fields as trait objects
//! ([`Record`]), and reading and printing are implemented once over them. A field costs one table row instead of
//! generated code, which keeps the wasm small (see "Size of the code" in `docs/measurements.md`).

use serde_json::Map;
pub use serde_json::Value;

pub use crate::decode::{DecodeFailure, Reader};
pub use crate::residual::Residual;
use crate::tree::Tree;

/// The result of decoding: the part of the tree that the value does not represent, or a type error.
pub type DecodeResult<'n> = Result<Option<Residual<'n>>, DecodeFailure>;

/// A value of the API with a JSON form.
pub trait Wire {
    /// Returns the value that `null` decodes to (VA-240).
    fn from_null() -> Self
    where
        Self: Sized;
    /// Returns the Go name of the type, as error messages print it (VA-238: `[]v1.Container`, `map[string]string`).
    fn go_type() -> String
    where
        Self: Sized;
    /// Returns whether the field is omitted when an object is printed (Go's `omitempty`).
    ///
    /// Options, lists, maps and strings are omitted when empty; numbers and booleans are always printed (use
    /// `Option<bool>` where the API omits them).
    fn is_omitted_when_printed(&self) -> bool {
        false
    }

    /// Encodes the value as JSON.
    fn to_json_value(&self) -> Value;
    /// Decodes the value from a tree; before the call, `self` is the value of [`Wire::from_null`].
    ///
    /// # Errors
    /// The first field with a wrong type.
    fn decode<'n>(&mut self, node: &'n Tree<'n>, reader: &mut Reader<'n>) -> DecodeResult<'n>;
}

/// A struct whose fields can be accessed by index.
pub trait Record {
    /// Returns the struct's name and the names of its fields.
    fn shape(&self) -> &'static RecordShape;
    /// Returns the field at an index of [`RecordShape::fields`].
    fn field(&self, at: usize) -> &dyn Wire;
    /// Returns mutable access to the field at an index of [`RecordShape::fields`], to decode into it.
    fn field_mut(&mut self, at: usize) -> &mut dyn Wire;
}

/// The name of a struct with a JSON form, and the names of its fields.
pub struct RecordShape {
    /// Go's name of the struct, as error messages print it.
    pub name: &'static str,
    /// Names of the fields: in Rust's snake case, or the wire name if it is not the camelCase form; "" for a field that
    /// is not part of the JSON form.
    pub fields: &'static [&'static str],
    /// Indices of fields that are printed as `null` or `""` even if they are empty: Go's `omitempty` keeps a zero
    /// `metav1.Time`, and some string fields have no `omitempty`.
    pub shown: &'static [usize],
}

impl RecordShape {
    /// Returns the names of the fields on the wire.
    pub fn names(&self) -> impl Iterator<Item = String> {
        self.fields.iter().map(|name| to_camel_case(name))
    }

    /// Returns the index of the field with this wire name.
    pub(crate) fn field_index(&self, key: &str) -> Option<usize> {
        // Most names differ in the first letter. It is compared first, because this needs no function call.
        let first = key.as_bytes().first();
        let has_key = |name: &&str| name.as_bytes().first() == first && is_camel_case_of(name, key);
        self.fields.iter().position(has_key)
    }
}

/// Returns whether `key` is `name` in camel case.
fn is_camel_case_of(name: &str, key: &str) -> bool {
    let mut rest = key.bytes();
    let mut raise = false;
    for byte in name.bytes() {
        if byte == b'_' {
            raise = true;
            continue;
        }
        let expected = if raise { byte.to_ascii_uppercase() } else { byte };
        raise = false;
        if rest.next() != Some(expected) {
            return false;
        }
    }
    !name.is_empty() && rest.next().is_none()
}

pub(crate) fn to_camel_case(name: &str) -> String {
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

/// Encodes a struct as a JSON object: its fields in declaration order, without absent ones.
pub fn record_to_json_value(record: &dyn Record) -> Value {
    let mut map = Map::new();
    let shape = record.shape();
    for (at, name) in shape.fields.iter().enumerate() {
        let field = record.field(at);
        if !name.is_empty() && (!field.is_omitted_when_printed() || shape.shown.contains(&at)) {
            map.insert(to_camel_case(name), field.to_json_value());
        }
    }
    Value::Object(map)
}

/// Encodes the value as one line of JSON.
pub fn to_json(value: &dyn Wire) -> String {
    value.to_json_value().to_string()
}

/// Decodes a value from JSON.
///
/// # Errors
/// The error of the first field with a wrong type.
pub fn from_value<T: Wire>(value: &Value) -> Result<T, String> {
    crate::decode(&Tree::from_value(value), false).map_err(crate::decode::first_error_message)
}

/// Returns the name that error messages use for a struct, such as `v1.PodSpec` for `PodSpec`.
pub fn go_struct_name(name: &str) -> String {
    format!("v1.{name}")
}

/// Panics because of an invalid field index. [`wire_types`](crate::wire_types) generates only valid indices.
pub fn panic_no_field(at: usize) -> ! {
    unreachable!("no field {at}")
}

/// Declares structs with a JSON form. `as` after the name of a struct gives Go's name if it differs. Wire names of
/// fields are camelCase, or given by `as`; a field with `as ""` is not part of the JSON form. Every field is optional
/// on input. Empty fields are omitted on output unless they are marked `[shown]` (see
/// [`Wire::is_omitted_when_printed`](crate::wire::Wire::is_omitted_when_printed)).
#[macro_export]
macro_rules! wire_types {
    ($($(#[$m:meta])* $vis:vis struct $name:ident $(as $go:literal)? {
        $($(#[$fm:meta])* $fvis:vis $field:ident $(as $wire:literal)? $([$shown:ident])? : $ty:ty),* $(,)?
    })*) => {$(
        $(#[$m])*
        // `Arc<T>` compares pointers before values only if `T` implements `Eq`.
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
            enum FieldIndex { $($field),* }
            static SHAPE: $crate::wire::RecordShape = $crate::wire::RecordShape {
                name: $crate::wire_types!(@name $name $($go)?),
                fields: &[$($crate::wire_types!(@name $field $($wire)?)),*],
                shown: &[$($($crate::wire_types!(@$shown FieldIndex::$field),)?)*],
            };
            impl $crate::wire::Record for $name {
                fn shape(&self) -> &'static $crate::wire::RecordShape { &SHAPE }
                fn field(&self, at: usize) -> &dyn $crate::wire::Wire {
                    match at {
                        $(at if at == FieldIndex::$field as usize => &self.$field,)*
                        _ => $crate::wire::panic_no_field(at),
                    }
                }

                fn field_mut(&mut self, at: usize) -> &mut dyn $crate::wire::Wire {
                    match at {
                        $(at if at == FieldIndex::$field as usize => &mut self.$field,)*
                        _ => $crate::wire::panic_no_field(at),
                    }
                }
            }

            impl $crate::wire::Wire for $name {
                fn from_null() -> Self { Self::default() }
                fn go_type() -> String { $crate::wire::go_struct_name(SHAPE.name) }
                fn to_json_value(&self) -> $crate::wire::Value { $crate::wire::record_to_json_value(self) }
                fn decode<'n>(
                    &mut self,
                    node: &'n $crate::Tree<'n>,
                    reader: &mut $crate::wire::Reader<'n>,
                ) -> $crate::wire::DecodeResult<'n> {
                    reader.decode_record(self, node)
                }
            }
        };
    )*};
    (@name $field:ident) => { stringify!($field) };
    (@name $field:ident $wire:literal) => { $wire };
    (@shown $at:path) => { $at as usize };
}
