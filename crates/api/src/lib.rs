//! Kubernetes objects as plain data: types, parsing with positions,
//! defaulting, validation, printing. Knows no simulator.
//!
//! Only what has behaviour is typed; everything else an object carried stays
//! beside it in [`Extra`], so that nothing is lost on export.

mod advice;
mod behavior;
mod config;
mod core;
mod decode;
mod default;
mod duration;
mod extra;
mod json;
pub mod limits;
pub(crate) mod macros;
mod meta;
mod node;
mod object;
mod parse;
mod pod;
mod pod_total;
mod print;
mod quantity;
mod residual;
mod served;
mod storage;
mod time;
mod tree;
mod type_name;
mod validate;
mod workload;
mod yaml;

use std::sync::Arc;

pub use self::advice::{Advice, advice};
pub use self::behavior::*;
pub use self::config::*;
pub use self::core::*;
pub use self::decode::{FieldError, decode};
pub use self::default::{default_object, generate_job_selector, stored_grace_period};
pub use self::duration::{Duration, parse_duration, print_duration, print_duration_short};
pub use self::extra::Extra;
pub use self::macros::Absent;
pub use self::meta::*;
pub use self::node::*;
pub use self::object::*;
pub use self::parse::{Config, Located, Location, Parsed, Problem, Unknown, object_from_value, parse, read_yaml};
pub use self::pod::*;
pub use self::print::{print_json, print_yaml};
pub use self::quantity::{Format, Quantity};
pub use self::storage::*;
pub use self::time::{MicroTime, Time, parse_rfc3339, print_rfc3339};
pub use self::tree::{Data, Entry, Tree};
pub use self::validate::{ErrorList, ValidationError, validate, validate_update};
pub use self::workload::*;

/// A shared, immutable string: names and labels are copied far more often than made.
pub type Str = Arc<str>;

/// `intstr.IntOrString`.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(untagged)]
pub enum IntOrString {
    /// A number.
    Int(i32),
    /// A percentage or a port name.
    String(Str),
}

impl Default for IntOrString {
    fn default() -> Self {
        Self::Int(0)
    }
}

impl std::fmt::Display for IntOrString {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Int(number) => number.fmt(f),
            Self::String(text) => f.write_str(text),
        }
    }
}

impl<'de> serde::Deserialize<'de> for IntOrString {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = IntOrString;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an integer or a string")
            }
            fn visit_str<E>(self, text: &str) -> Result<IntOrString, E> {
                Ok(IntOrString::String(text.into()))
            }
            fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<IntOrString, E> {
                let wide = |_| {
                    E::custom(format!(
                        "json: cannot unmarshal number {number} into Go value of type int32"
                    ))
                };
                i32::try_from(number).map(IntOrString::Int).map_err(wide)
            }
            fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<IntOrString, E> {
                let wide = |_| {
                    E::custom(format!(
                        "json: cannot unmarshal number {number} into Go value of type int32"
                    ))
                };
                i32::try_from(number).map(IntOrString::Int).map_err(wide)
            }
            fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<IntOrString, E> {
                Err(E::custom(format!(
                    "json: cannot unmarshal number {number} into Go value of type int32"
                )))
            }
            fn visit_bool<E: serde::de::Error>(self, _: bool) -> Result<IntOrString, E> {
                Err(E::custom("json: cannot unmarshal bool into Go value of type int32"))
            }
            fn visit_unit<E>(self) -> Result<IntOrString, E> {
                Ok(IntOrString::Int(0))
            }
        }
        d.deserialize_any(Visitor)
    }
}

impl macros::Absent for IntOrString {}
impl macros::Absent for serde_json::Value {
    fn absent(&self) -> bool {
        self.is_null()
    }
}
