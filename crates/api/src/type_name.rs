//! The Go name of a Rust type, found by asking it to deserialize itself
//! (VA-238: `[]v1.Container`, `map[string]string`).

use serde::de::{self, DeserializeSeed, Visitor};

use crate::decode::go_name;

/// Finds out what a list or map holds, to name it as Go would: every read fails with the type's name.
pub(crate) struct Probe;

#[derive(Debug)]
pub(crate) struct TypeName(pub(crate) String);
impl std::fmt::Display for TypeName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}
impl std::error::Error for TypeName {}
impl de::Error for TypeName {
    fn custom<T: std::fmt::Display>(_: T) -> Self {
        TypeName("string".into())
    }
}

impl<'n> de::SeqAccess<'n> for Probe {
    type Error = TypeName;
    fn next_element_seed<S: DeserializeSeed<'n>>(&mut self, seed: S) -> Result<Option<S::Value>, TypeName> {
        seed.deserialize(Probe).map(Some)
    }
}
impl<'n> de::MapAccess<'n> for Probe {
    type Error = TypeName;
    fn next_key_seed<K: DeserializeSeed<'n>>(&mut self, seed: K) -> Result<Option<K::Value>, TypeName> {
        seed.deserialize(de::value::BorrowedStrDeserializer::new("")).map(Some)
    }
    fn next_value_seed<S: DeserializeSeed<'n>>(&mut self, seed: S) -> Result<S::Value, TypeName> {
        seed.deserialize(Probe)
    }
}
macro_rules! probe {
    ($($method:ident $go:literal;)*) => {$(
        fn $method<V: Visitor<'n>>(self, _: V) -> Result<V::Value, TypeName> { Err(TypeName($go.into())) }
    )*};
}
impl<'n> de::Deserializer<'n> for Probe {
    type Error = TypeName;
    probe! {
        deserialize_any "resource.Quantity"; deserialize_bool "bool"; deserialize_i8 "int8"; deserialize_i16 "int16";
        deserialize_i32 "int32"; deserialize_i64 "int64"; deserialize_u8 "uint8"; deserialize_u16 "uint16";
        deserialize_u32 "uint32"; deserialize_u64 "uint64"; deserialize_f32 "float64"; deserialize_f64 "float64";
        deserialize_char "string"; deserialize_str "string"; deserialize_string "string"; deserialize_bytes "string";
        deserialize_byte_buf "string"; deserialize_unit "interface {}"; deserialize_identifier "string";
        deserialize_ignored_any "interface {}";
    }
    fn deserialize_option<V: Visitor<'n>>(self, visitor: V) -> Result<V::Value, TypeName> {
        visitor.visit_some(Probe)
    }
    fn deserialize_unit_struct<V: Visitor<'n>>(self, name: &'static str, _: V) -> Result<V::Value, TypeName> {
        Err(TypeName(format!("v1.{}", go_name(name))))
    }
    fn deserialize_newtype_struct<V: Visitor<'n>>(self, _: &'static str, visitor: V) -> Result<V::Value, TypeName> {
        visitor.visit_newtype_struct(Probe)
    }
    fn deserialize_seq<V: Visitor<'n>>(self, visitor: V) -> Result<V::Value, TypeName> {
        visitor
            .visit_seq(Probe)
            .map_err(|inner| TypeName(format!("[]{}", inner.0)))
    }
    fn deserialize_tuple<V: Visitor<'n>>(self, _: usize, visitor: V) -> Result<V::Value, TypeName> {
        self.deserialize_seq(visitor)
    }
    fn deserialize_tuple_struct<V: Visitor<'n>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, TypeName> {
        self.deserialize_seq(visitor)
    }
    fn deserialize_map<V: Visitor<'n>>(self, visitor: V) -> Result<V::Value, TypeName> {
        visitor
            .visit_map(Probe)
            .map_err(|inner| TypeName(format!("map[string]{}", inner.0)))
    }
    fn deserialize_struct<V: Visitor<'n>>(
        self,
        name: &'static str,
        _: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, TypeName> {
        Err(TypeName(format!("v1.{}", go_name(name))))
    }
    fn deserialize_enum<V: Visitor<'n>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, TypeName> {
        Err(TypeName("string".into()))
    }
}
