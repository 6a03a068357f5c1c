//! The tests of this crate through its public door, one program: linked once, and two long ones run side by side.
#![allow(
    clippy::too_many_lines,
    reason = "tables of cases, and stories told from their beginning"
)]

mod config;
mod explain;
mod incremental;
mod plain;
mod queue;
mod what_would_help;
mod wider;
