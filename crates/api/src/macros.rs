//! Macros that declare the string types of the API: enums with a string on the wire, and newtypes over strings.

/// Declares an enum whose values are strings on the wire: the string of a variant is its name. `Other` keeps an unknown
/// string, so that validation can report it and export does not lose it.
macro_rules! string_enum {
    ($($(#[$m:meta])* pub enum $name:ident { $($(#[$vm:meta])* $variant:ident),* $(,)? })*) => {$(
        $(#[$m])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $name {
            $(
                $(#[$vm])*
                #[doc = concat!("`", stringify!($variant), "`.")]
                $variant,
            )*
            /// A value that the API does not know; validation refuses it.
            Other(crate::Str),
        }

        impl $name {
            /// The values that the API knows, in declaration order.
            pub const KNOWN: &'static [&'static str] = &[$(stringify!($variant)),*];
            /// Returns the value as it is on the wire.
            pub fn as_str(&self) -> &str {
                match self { $(Self::$variant => stringify!($variant),)* Self::Other(text) => text }
            }

            /// Returns whether the API knows this value.
            pub fn is_known(&self) -> bool {
                !matches!(self, Self::Other(_))
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                $(if text == stringify!($variant) { return Self::$variant; })*
                Self::Other(text.into())
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl crate::wire::Wire for $name {
            fn from_null() -> Self { Self::from("") }
            fn go_type() -> String { "string".into() }
            fn to_json_value(&self) -> serde_json::Value { self.as_str().into() }
            fn decode<'n>(
                &mut self,
                node: &'n crate::Tree<'n>,
                reader: &mut crate::wire::Reader<'n>,
            ) -> crate::wire::DecodeResult<'n> {
                *self = Self::from(reader.decode_text(node)?);
                Ok(None)
            }
        }
    )*};
}

pub(crate) use string_enum;

/// Declares a newtype over a shared string.
macro_rules! string_newtype {
    ($($(#[$m:meta])* pub struct $name:ident;)*) => {$(
        $(#[$m])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, ::serde::Serialize, ::serde::Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub crate::Str);
        impl PartialOrd for $name {
            fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> { Some(self.cmp(other)) }
        }

        impl Ord for $name {
            fn cmp(&self, other: &Self) -> std::cmp::Ordering { crate::meta::compare_key_strings(&self.0, &other.0) }
        }

        impl $name {
            pub fn as_str(&self) -> &str { &self.0 }
        }

        impl Default for $name {
            fn default() -> Self { Self(crate::Str::default()) }
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
    )*};
}

pub(crate) use string_newtype;

/// Declares an enum whose variants have a name in manifests, commands and trace records. Unlike a `string_enum`, such
/// an enum has no variant for unknown values.
#[macro_export]
macro_rules! named_enum {
    ($($(#[$meta:meta])* $name:ident { $($(#[$variant_meta:meta])* $variant:ident = $text:literal),* $(,)? })*) => {$(
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, ::serde::Serialize, ::serde::Deserialize)]
        pub enum $name { $($(#[$variant_meta])* $variant),* }

        impl $name {
            /// Returns the name in manifests, commands and trace records.
            pub const fn as_str(self) -> &'static str { match self { $(Self::$variant => $text),* } }

            /// The names of all variants, in declaration order.
            pub const NAMES: &'static [&'static str] = &[$($text),*];

            pub fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($text => Some(Self::$variant),)*
                    _ => None,
                }
            }
        }
    )*};
}
