//! The release site's wasm, cut in two: what a first visit runs, and the rest (`crates/split`).

use crate::host;
use crate::run::{Fallible, Run};
use crate::site::{read, write};
use base64::Engine as _;
use sha2::{Digest, Sha256, Sha384};
use std::fs;
use std::path::{Path, PathBuf};

/// The engine does nearly the same at every visit: the smallest part that did not run may go.
const ENGINE_GAIN: &str = "6";
/// The page's hash maps differ from visit to visit: a small part that did not run may run in the next.
const PAGE_GAIN: &str = "30";

/// Where instrumented modules and what they saw are kept, for whoever wants to look.
fn work() -> Fallible<PathBuf> {
    let dir = host::target().join("split");
    fs::create_dir_all(&dir).map_err(|e| format!("{}: {e}", dir.display()))?;
    Ok(dir)
}

fn tool(args: &[&Path], verb: &str) -> Fallible {
    let run = Run::cargo().args(["run", "--quiet", "--package", "podscope-split", "--", verb]);
    run.args(args).status()
}

/// A module that is cut in its place, instrumented beside it.
struct Whole {
    wasm: PathBuf,
    counted: PathBuf,
    ran: PathBuf,
}

impl Whole {
    fn instrument(wasm: PathBuf) -> Fallible<Self> {
        let stem = wasm.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let file = |ending: &str| work().map(|dir| dir.join(format!("{stem}{ending}")));
        let (counted, ran) = (file("-counted.wasm")?, file("-ran.txt")?);
        tool(&[&wasm, &counted], "instrument")?;
        Ok(Self { wasm, counted, ran })
    }
    /// Moves what is not among the segments that `ran`, where that saves `gain` bytes.
    fn cut(&self, ran: &str, gain: &str, rest: &Path) -> Fallible {
        write(&self.ran, ran)?;
        tool(&[&self.wasm, &self.ran, Path::new(gain), &self.wasm, rest], "cut")
    }
}

fn script(name: &str) -> Run {
    Run::new("node").args([host::root().join("crates/split").join(name)])
}

/// The halves of a staged site's engine, and of its page where a browser is at hand to visit it;
/// the page as it then is.
pub(crate) fn of(staging: &Path, html: String) -> Fallible<String> {
    let folder = staging.join("engine");
    let engine = Whole::instrument(folder.join("podscope-js_bg.wasm"))?;
    let glue = folder.join("podscope-js.js");
    let mut ran = script("engine-visit.mjs").args([&glue, &engine.counted]).output()?;
    let cut = |ran: &str| engine.cut(ran, ENGINE_GAIN, &folder.join("rest.wasm"));
    if std::env::var_os("PODSCOPE_NODE_MODULES").is_none() {
        println!("the page's wasm stays whole: `cargo xtask build` brings the browser that visits it");
        return cut(&ran).map(|()| html);
    }
    let (html, seen) = page(staging, html, &engine)?;
    ran.push_str(&seen);
    cut(&ran).map(|()| html)
}

/// The page, and the segments of the engine that ran while it was visited.
fn page(staging: &Path, html: String, engine: &Whole) -> Fallible<(String, String)> {
    let old = between(&html, "/podscope-web-", "_bg.wasm")
        .ok_or("the page names no wasm")?
        .to_string();
    let named = |name: &str, ending: &str| staging.join(format!("podscope-web-{name}{ending}"));
    let (wasm, rest, glue) = (named(&old, "_bg.wasm"), named(&old, "_rest.wasm"), named(&old, ".js"));
    let whole = Whole::instrument(wasm.clone())?;
    let visit = script("page-visit.mjs").env("PODSCOPE_DIST", staging);
    let seen = visit
        .args([wasm.as_path(), &whole.counted, &engine.wasm, &engine.counted])
        .output()?;
    let of = |module: &str| -> String {
        let lines = seen.lines().filter_map(|line| line.strip_prefix(module));
        lines.flat_map(|segment| [segment, "\n"]).collect()
    };
    whole.cut(&of("page"), PAGE_GAIN, &rest)?;
    let seen = of("engine");

    // The rest needs the first half's exports before anything of the page runs; who will need the
    // rest waits for it (`www/boot.js`).
    let mut text = read(&glue)?;
    for (was, is) in [
        (
            "wasm = instance.exports;",
            "wasm = window.podscopePage = instance.exports;",
        ),
        (
            "const { instance, module } = await __wbg_load(await module_or_path, imports);",
            "const { instance, module } = await __wbg_load(await module_or_path, imports);\n    await window.podscopeRest;",
        ),
    ] {
        if text.matches(was).count() != 1 {
            return Err(format!(
                "{}: not the script that wasm-bindgen used to write",
                glue.display()
            ));
        }
        text = text.replace(was, is);
    }
    write(&glue, &text)?;

    // Both halves are of one visit: they are named by what they are.
    let mut hash = Sha256::new();
    for file in [&wasm, &rest, &glue] {
        hash.update(fs::read(file).map_err(|e| format!("{}: {e}", file.display()))?);
    }
    let new: String = hash
        .finalize()
        .iter()
        .take(8)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let mut html = html.replace(&old, &new);
    for ending in ["_bg.wasm", "_rest.wasm", ".js"] {
        fs::rename(named(&old, ending), named(&new, ending)).map_err(|e| format!("{old}{ending}: {e}"))?;
    }
    for ending in ["_bg.wasm", ".js"] {
        html = with_integrity(html, &format!("podscope-web-{new}{ending}"), &named(&new, ending))?;
    }
    let rest = format!("<html data-rest=\"podscope-web-{new}_rest.wasm\" ");
    Ok((html.replacen("<html ", &rest, 1), seen))
}

/// Puts a file's digest into the link that names it.
fn with_integrity(html: String, name: &str, file: &Path) -> Fallible<String> {
    const KEY: &str = "integrity=\"";
    let link = html
        .find(&format!("href=\"./{name}\""))
        .ok_or_else(|| format!("no link to {name}"))?;
    let start = link + html[link..].find(KEY).ok_or_else(|| format!("no digest of {name}"))? + KEY.len();
    let end = start + html[start..].find('"').ok_or("a digest without an end")?;
    let bytes = fs::read(file).map_err(|e| format!("{}: {e}", file.display()))?;
    let digest = base64::engine::general_purpose::STANDARD.encode(Sha384::digest(bytes));
    Ok(format!("{}sha384-{digest}{}", &html[..start], &html[end..]))
}

/// What stands between two texts, first found.
fn between<'t>(text: &'t str, before: &str, after: &str) -> Option<&'t str> {
    let end = text.find(after)?;
    let start = text[..end].rfind(before)? + before.len();
    Some(&text[start..end])
}
