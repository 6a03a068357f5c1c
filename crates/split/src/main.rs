//! Cuts a wasm module in two: the first part, which a first visit runs, and the rest, which is loaded later. A function
//! that a visit needs but the first part lacks costs a load of the rest, never a different result.
//!
//! - `podscope-split engine FOLDER WORK` cuts the engine (`engine.rs`).
//! - `podscope-split page WASM LIST REST` cuts the page (`page.rs`): replaces the file WASM by its first part, and writes
//!   the file REST. LIST is a file of paths that a first visit does not need.
//! - `podscope-split instrument WASM COPY` writes a copy of a module that notes which functions run (`instrument.rs`).
//! - `podscope-split unneeded WASM RAN` prints the paths for LIST. RAN is a JSON array of the numbers of the function
//!   bodies that ran.

// A program of the build: `std`'s ordered collections cost the page nothing.
#![allow(clippy::disallowed_types, clippy::disallowed_methods)]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use module::Module;

mod cut;
mod engine;
mod instrument;
mod module;
mod names;
mod page;
#[cfg(test)]
mod tests;
mod visit;

/// Maximum length of the body of a short function, in bytes.
const SHORT_BODY_BYTES: usize = 120;

/// A result whose error is a sentence for the terminal.
type Fallible<T = ()> = Result<T, String>;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let result = match args[..] {
        ["engine", folder, work] => engine::cut(Path::new(folder), Path::new(work)),
        ["page", wasm, list, rest] => page::cut(Path::new(wasm), Path::new(list), Path::new(rest)),
        ["instrument", wasm, copy] => write_instrumented(Path::new(wasm), Path::new(copy)),
        ["unneeded", wasm, ran] => page::print_unneeded(Path::new(wasm), Path::new(ran)),
        _ => {
            eprintln!(
                "usage: podscope-split engine FOLDER WORK | page WASM LIST REST | instrument WASM COPY | unneeded WASM RAN"
            );
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("podscope-split: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn write_instrumented(wasm: &Path, copy: &Path) -> Fallible {
    let bytes = read(wasm)?;
    write(copy, &instrument::instrument(&Module::parse(&bytes)?)?)
}

/// Adds the short functions that these functions call. Many of them only drop or copy a value, and whether they run
/// depends on the values; all of them together are small.
fn with_short_callees(module: &Module<'_>, ran: BTreeSet<u32>) -> BTreeSet<u32> {
    let mut kept = ran.clone();
    for function in ran {
        let callees = module.callees(function).iter();
        kept.extend(callees.filter(|callee| module.body_bytes(**callee) <= SHORT_BODY_BYTES));
    }
    kept
}

fn read(path: &Path) -> Fallible<Vec<u8>> {
    fs::read(path).map_err(|e| format!("{}: {e}", path.display()))
}

fn write(path: &Path, bytes: &[u8]) -> Fallible {
    fs::write(path, bytes).map_err(|e| format!("{}: {e}", path.display()))
}
