//! Cuts a wasm module in two: the first part, which contains the functions that a first visit to the page runs, and the
//! rest, which is loaded later. If a visit needs a function that the first part lacks, the rest is loaded earlier; the
//! results are the same.
//!
//! - `podscope-split engine FOLDER WORK` cuts the engine (`engine.rs`).
//! - `podscope-split page WASM LIST REST` cuts the page (`page.rs`): replaces the file WASM by its first part, and
//!   writes the rest to the file REST. LIST is a file of paths that a first visit does not need.
//! - `podscope-split instrument WASM COPY` writes a copy of a module that records which functions run
//!   (`instrument.rs`).
//! - `podscope-split unneeded WASM RAN` prints the paths for LIST. RAN is a file with a JSON array of the indexes of
//!   the function bodies that ran.

// The page does not contain this program, so it may use `std`'s ordered collections, which would enlarge the page.
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

/// A result whose error is a message that the program prints.
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

/// Returns the functions in `ran` and the short functions that they call. Many of the short ones only drop or copy a
/// value, and may run in another visit with other values; all of them together are small.
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
