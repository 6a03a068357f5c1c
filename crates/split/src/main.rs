//! Cuts the engine's wasm in two, so that a first visit transfers only the code that it runs.
//!
//! ```text
//!            instrument                 visit (Node)                 cut
//! whole.wasm ──────────► counted.wasm ──────────────► visited.txt ──────► first.wasm  rest.wasm
//! ```
//!
//! `first.wasm` takes the place of the whole module: same imports, same exports, same memory image.
//! Each function that was not visited is in `rest.wasm`; where visited code may reach it, by a call
//! or through the table of functions, `first.wasm` has a door of a few bytes in its place, which has
//! the rest loaded and calls on. So the cut never changes what the engine does, whatever a visit
//! saw; it only decides when code is fetched.
//!
//! ```text
//! first.wasm                                         rest.wasm (imports first.wasm's exports)
//!   visited code ── call ──► door ─┐                    cold code ── call ──► visited code
//!   table slot ────────────► door ─┤ load_rest()          ▲
//!                                  └─ call_indirect slot ─┘ (an element segment fills the slots)
//! ```

#![allow(clippy::disallowed_types, clippy::disallowed_methods)] // a build tool

mod cut;
mod instrument;
mod liveness;
mod module;
mod numbers;
mod outline;
mod regions;

use std::collections::BTreeSet;
use std::fs;
use std::process::ExitCode;

const USAGE: &str = "usage: podscope-split instrument WHOLE.wasm OUT.wasm
       podscope-split cut WHOLE.wasm VISITED.txt GAIN FIRST.wasm REST.wasm

GAIN: a part of a visited function moves out when that saves at least so many bytes";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let done = match args.as_slice() {
        ["instrument", whole, out] => instrument(whole, out),
        ["cut", whole, visited, gain, first, rest] => gain
            .parse()
            .map_err(|_| USAGE.to_string())
            .and_then(|gain| cut(whole, visited, gain, first, rest)),
        _ => Err(USAGE.to_string()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn instrument(whole: &str, out: &str) -> Result<(), String> {
    let bytes = read(whole)?;
    let counted = module::Module::parse(&bytes).and_then(|m| instrument::instrument(&m));
    write(out, &counted.map_err(|e| format!("{whole}: {e}"))?)
}

fn cut(whole: &str, visited: &str, gain: u64, first: &str, rest: &str) -> Result<(), String> {
    let list = String::from_utf8(read(visited)?).map_err(|e| format!("{visited}: {e}"))?;
    let list: Result<BTreeSet<u64>, _> = list.split_whitespace().map(str::parse).collect();
    let list = list.map_err(|e| format!("{visited}: {e}"))?;
    let parts = cut::cut(&read(whole)?, &list, gain).map_err(|e| format!("{whole}: {e}"))?;
    let (kept, functions) = parts.kept;
    println!(
        "a first visit runs {kept} of {functions} functions, {} parts of them moved out, {} doors",
        parts.moved, parts.doors
    );
    write(first, &parts.first)?;
    write(rest, &parts.rest)
}

fn read(path: &str) -> Result<Vec<u8>, String> {
    fs::read(path).map_err(|e| format!("{path}: {e}"))
}

fn write(path: &str, bytes: &[u8]) -> Result<(), String> {
    fs::write(path, bytes).map_err(|e| format!("{path}: {e}"))
}

#[cfg(test)]
mod tests;
