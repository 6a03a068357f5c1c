//! Interned strings: labels, taints, namespaces and resource names are stored as integers, so that comparisons are
//! cheap.

use std::sync::Arc;

use podscope_api::Str;
use podscope_api::hash::{self, fnv1a};

/// An interned string. Within one [`Symbols`] table, equal symbols are equal strings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Symbol(pub(crate) u32);

/// The table of interned strings, a hash table with open addressing. Strings are never removed. Clones share the table
/// until one of them changes it.
#[derive(Debug, Clone)]
pub struct Symbols {
    inner: Arc<SymbolTable>,
}

#[derive(Debug, Clone)]
struct SymbolTable {
    names: Vec<Str>,
    /// Invariant: the length is a power of two, and at most half of the slots are used. An empty slot is 0; a used
    /// slot is its symbol + 1.
    slots: Vec<u32>,
}

macro_rules! well_known {
    ($($(#[$m:meta])* $name:ident = $index:literal $text:literal;)*) => {
        /// Symbols that every table contains.
        impl Symbol { $($(#[$m])* #[doc = concat!("`", $text, "`.")] pub const $name: Symbol = Symbol($index);)* }
        const WELL_KNOWN: &[&str] = &[$($text),*];
    };
}
well_known! {
    EMPTY = 0 "";
    HOSTNAME = 1 "kubernetes.io/hostname";
    ZONE = 2 "topology.kubernetes.io/zone";
    REGION = 3 "topology.kubernetes.io/region";
    BETA_ZONE = 4 "failure-domain.beta.kubernetes.io/zone";
    BETA_REGION = 5 "failure-domain.beta.kubernetes.io/region";
    UNSCHEDULABLE_TAINT = 6 "node.kubernetes.io/unschedulable";
    TCP = 7 "TCP";
    ANY_IP = 8 "0.0.0.0";
}

impl Default for Symbols {
    fn default() -> Self {
        let mut symbols = Self {
            inner: Arc::new(SymbolTable {
                names: Vec::new(),
                slots: vec![0; 64],
            }),
        };
        for text in WELL_KNOWN {
            symbols.intern(text);
        }
        symbols
    }
}

fn slot_hash(text: &str) -> u32 {
    // Combine the high half with the low bits, which select the slot.
    let state = fnv1a(hash::EMPTY, text.bytes());
    (state ^ (state >> 32)) as u32
}

impl SymbolTable {
    fn find_symbol_or_free_slot(&self, text: &str) -> Result<Symbol, usize> {
        let mask = self.slots.len() - 1;
        let mut slot = slot_hash(text) as usize & mask;
        loop {
            match self.slots[slot] {
                0 => return Err(slot),
                id if &*self.names[id as usize - 1] == text => return Ok(Symbol(id - 1)),
                _ => slot = (slot + 1) & mask,
            }
        }
    }
}

impl Symbols {
    /// Returns the symbol of a string; adds it if it is new.
    pub fn intern(&mut self, text: &str) -> Symbol {
        let slot = match self.inner.find_symbol_or_free_slot(text) {
            Ok(symbol) => return symbol,
            Err(slot) => slot,
        };
        let inner = Arc::make_mut(&mut self.inner);
        inner.names.push(text.into());
        inner.slots[slot] = inner.names.len() as u32;
        if inner.names.len() * 2 > inner.slots.len() {
            let size = inner.slots.len() * 2;
            inner.slots = vec![0; size];
            for (index, name) in inner.names.iter().enumerate() {
                let mut slot = slot_hash(name) as usize & (size - 1);
                while inner.slots[slot] != 0 {
                    slot = (slot + 1) & (size - 1);
                }
                inner.slots[slot] = index as u32 + 1;
            }
        }
        debug_assert!(
            inner.slots.len().is_power_of_two() && inner.names.len() * 2 <= inner.slots.len(),
            "a search masks the hash with the length, and ends at a free slot"
        );
        Symbol(inner.names.len() as u32 - 1)
    }

    /// Returns the symbol of a string, if the string was interned before.
    pub fn get(&self, text: &str) -> Option<Symbol> {
        self.inner.find_symbol_or_free_slot(text).ok()
    }

    /// Returns the text of a symbol.
    pub fn text(&self, symbol: Symbol) -> &Str {
        &self.inner.names[symbol.0 as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_stay_valid_while_table_grows() {
        let mut symbols = Symbols::default();
        assert_eq!(symbols.intern("topology.kubernetes.io/zone"), Symbol::ZONE);
        let ids: Vec<Symbol> = (0..1000).map(|i| symbols.intern(&format!("label-{i}"))).collect();
        for (i, id) in ids.iter().enumerate() {
            assert_eq!(symbols.get(&format!("label-{i}")), Some(*id));
            assert_eq!(&**symbols.text(*id), format!("label-{i}"));
        }
        assert_eq!(symbols.get("never seen"), None);
    }
}
