//! The whole engine in a worker. It takes over if the session needs a capability that the first build lacks. It is the
//! same code with the feature `whole`, built as a program so that its file name differs from that of the library.

#[cfg(target_arch = "wasm32")]
mod memory;
mod worker;

pub use worker::{serve, take_over};

fn main() {}
