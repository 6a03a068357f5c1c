//! All integration tests of this crate in one program, which is linked only once and runs its two long tests in
//! parallel.
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
mod readme;
#[cfg(unix)]
mod search_command;
mod streams;

/// Returns a command for the built binary, with English output regardless of the environment.
fn podscope_command() -> std::process::Command {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_podscope"));
    command.env_remove("PODSCOPE_LANG");
    command
}
