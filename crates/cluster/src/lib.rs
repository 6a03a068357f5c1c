//! Podscope cluster.
