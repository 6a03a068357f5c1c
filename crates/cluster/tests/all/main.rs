//! Tests of this crate through its public API. They are one program, so that they are linked once and run in parallel.
#![allow(clippy::too_many_lines, reason = "tables of cases, and long scenarios")]

mod common;
mod deletion;
mod devices;
mod faults;
mod kubelet;
mod traffic;
mod world;
