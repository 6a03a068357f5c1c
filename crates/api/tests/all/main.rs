//! The tests of this crate through its public door, one program: linked once, and two long ones run side by side.
#![allow(
    clippy::too_many_lines,
    reason = "tables of cases, and stories told from their beginning"
)]

mod advice;
mod api_access;
mod behavior;
mod calls;
mod default;
mod keys;
mod long_lists;
mod parity;
mod parse;
mod print;
mod totality;
mod validate;
mod validate_update;
