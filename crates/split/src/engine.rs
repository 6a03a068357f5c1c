//! Cuts the engine's wasm: the functions that a first visit to the page runs become the first part.
//!
//! 1. `instrument.rs` makes a copy of the wasm that notes which functions run.
//! 2. `node/profile.mjs` runs the copy in Node through the requests of `visit.rs`, with a simulated clock, so that the
//!    result depends only on the wasm and the lessons.
//! 3. `cut.rs` writes the functions that ran to the first part, and the others to the rest.
//! 4. `node/check.mjs` runs both parts through the same requests, and checks that the engine posts the same updates and
//!    loads the rest only for the requests after the visit.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use podscope_protocol::{Request, Update, pack};
use serde::Deserialize;

use crate::module::Module;
use crate::{Fallible, cut, instrument, read, visit, with_short_callees, write};

/// File of the engine's wasm, which the cut replaces by its first part.
const WASM_FILE: &str = "podscope-js_bg.wasm";
/// File of the script of `wasm-bindgen` that instantiates the engine's wasm.
const SCRIPT_FILE: &str = "podscope-js.js";
/// File to which the rest of the engine's wasm is written.
const REST_FILE: &str = "rest.wasm";

/// Output of `node/profile.mjs`.
#[derive(Debug, Deserialize)]
struct Profile {
    /// Indexes of the function bodies that a first visit runs.
    ran: Vec<usize>,
    /// Digests of the updates that the engine posted: until the end of the visit, and in the whole run.
    updates: [String; 2],
}

/// Cuts the engine in the folder `engine`, which contains `podscope-js_bg.wasm`, its script `podscope-js.js` and the
/// file of the lessons: replaces the wasm by its first part, and writes `rest.wasm` beside it. The folder `work` is for
/// intermediate files.
///
/// # Errors
/// A file cannot be read or written, the wasm cannot be cut, or the cut engine does not do what the uncut one does.
pub(crate) fn cut(engine: &Path, work: &Path) -> Fallible {
    fs::create_dir_all(work).map_err(|e| format!("{}: {e}", work.display()))?;
    // With the extension `.mjs`, Node loads the script as an ECMAScript module.
    write(&work.join("engine.mjs"), &read(&engine.join(SCRIPT_FILE))?)?;
    write(&work.join("lessons"), &read(&engine.join("lessons"))?)?;
    write(&work.join("worker.mjs"), include_bytes!("node/worker.mjs"))?;
    write(&work.join("profile.mjs"), include_bytes!("node/profile.mjs"))?;
    write(&work.join("check.mjs"), include_bytes!("node/check.mjs"))?;
    write(&work.join("requests.json"), requests_json()?.as_bytes())?;

    let bytes = read(&engine.join(WASM_FILE))?;
    let module = Module::parse(&bytes)?;
    write(&work.join("instrumented.wasm"), &instrument::instrument(&module)?)?;
    let profile: Profile = run_node(&work.join("profile.mjs"))?;
    let ran = profile.ran.iter().map(|body| module.function_of_body(*body)).collect();
    let (first, rest) = cut::cut(&module, &with_short_callees(&module, ran))?;
    write(&work.join("first.wasm"), &first)?;
    write(&work.join(REST_FILE), &rest)?;
    let updates: [String; 2] = run_node(&work.join("check.mjs"))?;
    if updates != profile.updates {
        return Err("the cut engine posts other updates than the uncut one".to_owned());
    }
    write(&engine.join(WASM_FILE), &first)?;
    write(&engine.join(REST_FILE), &rest)
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

/// Returns the content of `requests.json`, which `node/worker.mjs` reads. A request is a pair: the milliseconds that
/// pass before it, and its bytes.
fn requests_json() -> Fallible<String> {
    let packed = |requests: Vec<(u32, Request)>| -> Fallible<Vec<(u32, Vec<u8>)>> {
        let packed = requests.into_iter().map(|(wait, request)| Ok((wait, pack(&request)?)));
        packed.collect()
    };
    // The first byte of an update identifies its variant.
    let refused = pack(&Update::Refused { problems: Vec::new() })?;
    let crashed = pack(&Update::Crashed { message: String::new() })?;
    let requests = serde_json::json!({
        "visit": packed(visit::requests_of_visit())?,
        "further": packed(visit::requests_after_visit())?,
        "frameDone": pack(&Request::FrameDone)?,
        "failures": [refused[0], crashed[0]],
    });
    Ok(requests.to_string())
}
