//! The tests of this crate through its public door, one program: linked once, and two long ones run side by side.

mod common;
mod deletion;
mod faults;
mod kubelet;
mod world;
