//! The integration tests of this crate as one program: it is linked only once, and its two long tests run in parallel.
#![allow(
    clippy::too_many_lines,
    reason = "tests with tables of cases and long sequences of steps"
)]

mod cli;
mod clients;
mod course;
mod dump;
mod kube_controller;
mod kube_stale_cache;
#[cfg(unix)]
mod search_command;
mod streams;

/// The built binary, in English whatever the environment says.
fn podscope_command() -> std::process::Command {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_podscope"));
    command.env_remove("PODSCOPE_LANG");
    command
}
