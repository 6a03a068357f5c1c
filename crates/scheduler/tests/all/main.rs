//! Tests of this crate's public API. They are one program, so that it is linked once and the two long tests run in
//! parallel.
#![allow(clippy::too_many_lines, reason = "tables of cases, and tests with many steps")]

mod config;
mod devices;
mod explain;
mod extra_decisions;
mod incremental;
mod plain;
mod queue;
mod what_would_help;
