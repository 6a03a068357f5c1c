//! The indexes of functions in a half.

use std::collections::BTreeMap;

use wasm_encoder::reencode::{Error, Reencode};

/// Index in the half, by index in the whole module.
pub(crate) struct Numbers(pub(crate) BTreeMap<u32, u32>);

impl Numbers {
    /// Numbers functions in the given order.
    pub(crate) fn of(functions: impl Iterator<Item = u32>) -> Self {
        Self(functions.zip(0..).collect())
    }
    pub(crate) fn get(&self, function: u32) -> Result<u32, String> {
        let number = self.0.get(&function).copied();
        number.ok_or_else(|| missing(function))
    }
}

fn missing(function: u32) -> String {
    format!("function {function} is named and is not there")
}

impl Reencode for Numbers {
    type Error = String;
    fn function_index(&mut self, function: u32) -> Result<u32, Error<String>> {
        self.get(function).map_err(Error::UserError)
    }
}
