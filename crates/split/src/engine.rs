//! The cut of the engine.
//!
//! 1. `instrument.rs` makes a copy of the wasm that notes which functions run.
//! 2. `node/profile.mjs` runs the copy in Node through the requests of `visit.rs`, with a clock of its own, so that the
//!    result depends on the wasm and the lessons alone.
//! 3. `cut.rs` writes the functions that ran to the first part, and the others to the rest.
//! 4. `node/check.mjs` runs the parts through the same requests: the engine posts the same updates, and loads the rest
//!    only for the requests after the visit.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use podscope_protocol::{Request, Update, pack};
use serde::Deserialize;

use crate::module::Module;
use crate::{Fallible, cut, instrument, read, visit, with_short_callees, write};

/// The engine's wasm, which becomes its first part.
const WASM: &str = "podscope-js_bg.wasm";
/// The script of `wasm-bindgen` that instantiates the engine's wasm.
const SCRIPT: &str = "podscope-js.js";
/// The rest of the engine's wasm.
const REST: &str = "rest.wasm";

/// Output of `node/profile.mjs`.
#[derive(Debug, Deserialize)]
struct Profile {
    /// Numbers of the bodies of the functions that a first visit runs.
    ran: Vec<usize>,
    /// Digests of the updates that the engine posted: up to the end of the visit, and in all.
    updates: [String; 2],
}

/// Cuts the engine in the folder `engine`, which contains `podscope-js_bg.wasm`, its script `podscope-js.js` and the file of
/// the lessons: replaces the wasm by its first part, and writes `rest.wasm` beside it. The folder `work` is for
/// intermediate files.
///
/// # Errors
/// A file cannot be read or written, the wasm cannot be cut, or the cut engine does not do what the uncut one does.
pub(crate) fn cut(engine: &Path, work: &Path) -> Fallible {
    fs::create_dir_all(work).map_err(|e| format!("{}: {e}", work.display()))?;
    // Named so that Node reads it as a module.
    write(&work.join("engine.mjs"), &read(&engine.join(SCRIPT))?)?;
    write(&work.join("lessons"), &read(&engine.join("lessons"))?)?;
    write(&work.join("worker.mjs"), include_bytes!("node/worker.mjs"))?;
    write(&work.join("profile.mjs"), include_bytes!("node/profile.mjs"))?;
    write(&work.join("check.mjs"), include_bytes!("node/check.mjs"))?;
    write(&work.join("requests.json"), requests()?.as_bytes())?;

    let bytes = read(&engine.join(WASM))?;
    let module = Module::parse(&bytes)?;
    write(&work.join("instrumented.wasm"), &instrument::instrument(&module)?)?;
    let profile: Profile = run_node(&work.join("profile.mjs"))?;
    let ran = profile.ran.iter().map(|body| module.function_of_body(*body)).collect();
    let (first, rest) = cut::cut(&module, &with_short_callees(&module, ran))?;
    write(&work.join("first.wasm"), &first)?;
    write(&work.join(REST), &rest)?;
    let updates: [String; 2] = run_node(&work.join("check.mjs"))?;
    if updates != profile.updates {
        return Err("the cut engine posts other updates than the uncut one".to_owned());
    }
    write(&engine.join(WASM), &first)?;
    write(&engine.join(REST), &rest)
}

/// Runs a script in Node. Returns the JSON that it prints.
fn run_node<T: for<'a> Deserialize<'a>>(script: &Path) -> Fallible<T> {
    let run = Command::new("node").arg(script).stderr(Stdio::inherit()).output();
    let run = run.map_err(|e| format!("node: {e}"))?;
    if !run.status.success() {
        return Err(format!("{} failed", script.display()));
    }
    serde_json::from_slice(&run.stdout).map_err(|e| format!("{}: {e}", script.display()))
}

/// Returns the requests as JSON: the bytes of each, after the milliseconds that pass before it.
fn requests() -> Fallible<String> {
    let packed = |requests: Vec<(u32, Request)>| -> Fallible<Vec<(u32, Vec<u8>)>> {
        let packed = requests.into_iter().map(|(wait, request)| Ok((wait, pack(&request)?)));
        packed.collect()
    };
    // The first byte of an update is its variant.
    let refused = pack(&Update::Refused { problems: Vec::new() })?;
    let crashed = pack(&Update::Crashed { message: String::new() })?;
    let requests = serde_json::json!({
        "visit": packed(visit::visit())?,
        "further": packed(visit::further())?,
        "frameDone": pack(&Request::FrameDone)?,
        "failures": [refused[0], crashed[0]],
    });
    Ok(requests.to_string())
}
