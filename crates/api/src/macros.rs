//! How API structs are written down: one macro that gives every field the
//! wire rules of the Kubernetes API, so that the struct reads like its docs.

use std::collections::BTreeMap;
use std::sync::Arc;

/// Whether a field is left out when an object is printed (Go's `omitempty`).
///
/// Options, lists, maps and strings are left out when empty; numbers and
/// booleans are always printed (use `Option<bool>` where the API omits them).
pub trait Absent {
    /// True when the field is not printed.
    fn absent(&self) -> bool {
        false
    }
}

impl<T> Absent for Option<T> {
    fn absent(&self) -> bool {
        self.is_none()
    }
}
impl<T> Absent for Vec<T> {
    fn absent(&self) -> bool {
        self.is_empty()
    }
}
impl<K, V> Absent for BTreeMap<K, V> {
    fn absent(&self) -> bool {
        self.is_empty()
    }
}
impl<T: Absent + ?Sized> Absent for Arc<T> {
    fn absent(&self) -> bool {
        (**self).absent()
    }
}
impl<T> Absent for [T] {
    fn absent(&self) -> bool {
        self.is_empty()
    }
}
impl<T: Absent> Absent for Box<T> {
    fn absent(&self) -> bool {
        (**self).absent()
    }
}
impl Absent for str {
    fn absent(&self) -> bool {
        self.is_empty()
    }
}
impl Absent for bool {}
impl Absent for i32 {}
impl Absent for i64 {}

/// Declares API structs: camelCase names, every field optional on input,
/// empty fields left out on output (see [`Absent`]).
macro_rules! api_types {
    ($($(#[$m:meta])* pub struct $name:ident { $($(#[$fm:meta])* pub $field:ident : $ty:ty),* $(,)? })*) => {$(
        $(#[$m])*
        #[derive(Debug, Clone, PartialEq, Default, serde::Serialize, serde::Deserialize)]
        #[serde(rename_all = "camelCase", default)]
        pub struct $name {
            $(
                $(#[$fm])*
                #[doc = concat!("`", stringify!($field), "` of the Kubernetes API.")]
                #[serde(skip_serializing_if = "crate::macros::Absent::absent")]
                pub $field: $ty,
            )*
        }
        impl crate::macros::Absent for $name {}
    )*};
}
pub(crate) use api_types;

/// Declares an enum that is a string on the wire. An unknown string is kept
/// in `Other`, so that validation can name it and export does not lose it.
macro_rules! string_enum {
    ($($(#[$m:meta])* pub enum $name:ident { $($(#[$vm:meta])* $variant:ident = $text:literal),* $(,)? })*) => {$(
        $(#[$m])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $name {
            $(
                $(#[$vm])*
                #[doc = concat!("`", $text, "`.")]
                $variant,
            )*
            /// A value the API does not know; refused by validation.
            Other(crate::Str),
        }
        impl $name {
            /// The values the API knows, in declaration order.
            pub const KNOWN: &'static [&'static str] = &[$($text),*];
            /// The wire form.
            pub fn as_str(&self) -> &str {
                match self { $(Self::$variant => $text,)* Self::Other(text) => text }
            }
            /// Whether the API knows this value.
            pub fn is_known(&self) -> bool {
                !matches!(self, Self::Other(_))
            }
        }
        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                match text { $($text => Self::$variant,)* other => Self::Other(other.into()) }
            }
        }
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                s.serialize_str(self.as_str())
            }
        }
        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                let text = <std::borrow::Cow<'de, str> as serde::Deserialize>::deserialize(d)?;
                Ok(Self::from(text.as_ref()))
            }
        }
        impl crate::macros::Absent for $name {}
    )*};
}
pub(crate) use string_enum;

/// Declares a newtype over a shared string.
macro_rules! string_newtype {
    ($($(#[$m:meta])* pub struct $name:ident;)*) => {$(
        $(#[$m])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub crate::Str);
        impl $name {
            /// The text.
            pub fn as_str(&self) -> &str { &self.0 }
        }
        impl Default for $name {
            fn default() -> Self { Self(crate::Str::from("")) }
        }
        impl From<&str> for $name {
            fn from(text: &str) -> Self { Self(text.into()) }
        }
        impl From<String> for $name {
            fn from(text: String) -> Self { Self(text.into()) }
        }
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { f.write_str(&self.0) }
        }
        impl std::ops::Deref for $name {
            type Target = str;
            fn deref(&self) -> &str { &self.0 }
        }
        impl std::borrow::Borrow<str> for $name {
            fn borrow(&self) -> &str { &self.0 }
        }
        impl PartialEq<str> for $name {
            fn eq(&self, other: &str) -> bool { &*self.0 == other }
        }
        impl PartialEq<&str> for $name {
            fn eq(&self, other: &&str) -> bool { &*self.0 == *other }
        }
        impl crate::macros::Absent for $name {
            fn absent(&self) -> bool { self.0.is_empty() }
        }
    )*};
}
pub(crate) use string_newtype;
