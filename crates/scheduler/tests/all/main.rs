//! The tests of this crate through its public door, one program: linked once, and two long ones run side by side.

mod config;
mod explain;
mod incremental;
mod plain;
mod queue;
mod what_would_help;
mod wider;
