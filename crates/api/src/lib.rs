//! Kubernetes objects as plain data: types, parsing with positions,
//! defaulting, validation, printing. Knows no simulator.
//!
//! Only what has behaviour is typed; everything else an object carried stays
//! beside it in [`Extra`], so that nothing is lost on export.

mod core;
pub(crate) mod macros;
mod meta;
mod node;
mod object;
mod pod;
mod quantity;
mod storage;
mod time;
mod workload;

use std::sync::Arc;

pub use self::core::*;
pub use self::macros::Absent;
pub use self::meta::*;
pub use self::node::*;
pub use self::object::*;
pub use self::pod::*;
pub use self::quantity::{Format, Quantity};
pub use self::storage::*;
pub use self::time::{MicroTime, Time, parse_rfc3339, print_rfc3339};
pub use self::workload::*;

/// A shared, immutable string: names and labels are copied far more often than made.
pub type Str = Arc<str>;

/// `intstr.IntOrString`.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
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

impl macros::Absent for IntOrString {}
impl macros::Absent for serde_json::Value {
    fn absent(&self) -> bool {
        self.is_null()
    }
}
