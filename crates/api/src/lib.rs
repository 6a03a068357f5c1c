//! Podscope api.
