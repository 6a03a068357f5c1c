//! The tests of this crate through its public door, one program: linked once, and two long ones run side by side.
#![allow(
    clippy::too_many_lines,
    reason = "tables of cases, and stories told from their beginning"
)]

mod common;
mod deletion;
mod faults;
mod kubelet;
mod traffic;
mod world;
