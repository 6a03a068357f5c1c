//! Cuts the engine's wasm in two: what a first visit runs, and the rest, which the worker loads on first use.
//!
//! Usage: `podscope-split ENGINE WORK`. The folder ENGINE contains `podscope-js_bg.wasm`, its script `podscope-js.js` and
//! the file of the lessons. The wasm is replaced by its first part, and `rest.wasm` is written beside it. The folder WORK
//! is for the instrumented copy.
//!
//! 1. `instrument.rs` makes a copy of the wasm that notes which functions run.
//! 2. `profile.mjs` runs the copy in Node through the requests of `visit.rs`, with a clock of its own, so that the result
//!    depends on the wasm alone.
//! 3. `cut.rs` writes the functions that ran to the first part, and the others to the rest.
//!
//! A function that the profile missed costs a load of the rest, never a different result.

// A program of the build: `std`'s ordered collections and clocks cost the page nothing.
#![allow(clippy::disallowed_types, clippy::disallowed_methods)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use module::Module;
use podscope_protocol::Request;

mod cut;
mod instrument;
mod module;
#[cfg(test)]
mod tests;
mod visit;

/// The engine's wasm, and the script of `wasm-bindgen` that instantiates it.
const WASM: &str = "podscope-js_bg.wasm";
const SCRIPT: &str = "podscope-js.js";

/// Maximum length of the body of a short function, in bytes.
const SHORT: usize = 120;

/// A result whose error is a sentence for the terminal.
type Fallible<T = ()> = Result<T, String>;

fn main() -> ExitCode {
    let folders: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [engine, work] = &folders[..] else {
        eprintln!("usage: podscope-split ENGINE WORK");
        return ExitCode::from(2);
    };
    match split(engine, work) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("podscope-split: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn split(engine: &Path, work: &Path) -> Fallible {
    let wasm = engine.join(WASM);
    let bytes = read(&wasm)?;
    let module = Module::parse(&bytes)?;
    let ran = profile(&module, engine, work)?;
    let kept = with_short_callees(&module, ran)?;
    let (first, rest) = cut::cut(&module, &kept)?;
    for part in [&first, &rest] {
        wasmparser::validate(part).map_err(|e| format!("a part is not valid: {e}"))?;
    }
    write(&wasm, &first)?;
    write(&engine.join("rest.wasm"), &rest)
}

/// Adds the short functions that these functions call. Many of them only drop or copy a value, and whether they run
/// depends on the values; all of them together are small.
fn with_short_callees(module: &Module<'_>, ran: BTreeSet<u32>) -> Fallible<BTreeSet<u32>> {
    let mut kept = ran.clone();
    for function in ran {
        kept.extend(
            module
                .callees(function)?
                .into_iter()
                .filter(|callee| module.length(*callee) <= SHORT),
        );
    }
    Ok(kept)
}

/// Returns the functions that run during a first visit.
fn profile(module: &Module<'_>, engine: &Path, work: &Path) -> Fallible<BTreeSet<u32>> {
    fs::create_dir_all(work).map_err(|e| format!("{}: {e}", work.display()))?;
    write(&work.join("engine.wasm"), &instrument::instrument(module)?)?;
    // Named so that Node reads it as a module.
    write(&work.join("engine.mjs"), &read(&engine.join(SCRIPT))?)?;
    write(&work.join("lessons"), &read(&engine.join("lessons"))?)?;
    write(&work.join("profile.mjs"), include_bytes!("profile.mjs"))?;
    write(&work.join("requests.json"), requests()?.as_bytes())?;
    let run = Command::new("node")
        .arg(work.join("profile.mjs"))
        .stderr(Stdio::inherit())
        .output();
    let run = run.map_err(|e| format!("node: {e}"))?;
    if !run.status.success() {
        return Err("the engine did not run through a first visit".into());
    }
    let bodies = String::from_utf8_lossy(&run.stdout);
    let bodies = bodies.split_whitespace().map(str::parse::<usize>);
    bodies
        .map(|body| Ok(module.function_of_body(body.map_err(|e| format!("node: {e}"))?)))
        .collect()
}

/// Returns the requests as JSON: the bytes of each, after the milliseconds that pass before it. The bytes of
/// `FrameDone`, which the page sends after each frame, stand apart.
fn requests() -> Fallible<String> {
    let packed = visit::requests().into_iter().map(|(wait, request)| {
        let bytes = podscope_protocol::pack(&request)?;
        Ok(format!("[{wait},{bytes:?}]"))
    });
    let packed: Fallible<Vec<String>> = packed.collect();
    let frame_done = podscope_protocol::pack(&Request::FrameDone)?;
    Ok(format!(
        r#"{{"frameDone":{frame_done:?},"requests":[{}]}}"#,
        packed?.join(",")
    ))
}

fn read(path: &Path) -> Fallible<Vec<u8>> {
    fs::read(path).map_err(|e| format!("{}: {e}", path.display()))
}

fn write(path: &Path, bytes: &[u8]) -> Fallible {
    fs::write(path, bytes).map_err(|e| format!("{}: {e}", path.display()))
}
