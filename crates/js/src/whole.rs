//! The whole engine behind a worker's message port, which takes over where the first build lacks a capability. It is the
//! same code with the feature `whole`, as a program, so that it has another file name than the library.

#[cfg(target_arch = "wasm32")]
mod memory;
mod worker;

pub use worker::{serve, take_over};

fn main() {}
