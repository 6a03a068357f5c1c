//! Tests of this crate's public interface. They are one program, so that it is linked only once and long tests run in
//! parallel.
#![allow(
    clippy::too_many_lines,
    reason = "tables of cases, and tests that replay a sequence of steps"
)]

mod advice;
mod behavior;
mod calls;
mod default;
mod keys;
mod long_lists;
mod parity;
mod parse;
mod print;
mod token_volume;
mod totality;
mod validate;
mod validate_update;
