//! Podscope js.
