//! Bundles the editor: CodeMirror from npm, bundled once into `target/editor/`, from where Trunk copies it. The page
//! loads the bundle when the editor is first opened.

use crate::host;
use crate::run::{Fallible, Run};
use std::fs;
use std::path::PathBuf;

/// Files from which the editor is bundled, in `source_dir`.
const BUNDLED_SOURCES: &[&str] = &["package.json", "package-lock.json", "editor.js"];

fn source_dir() -> PathBuf {
    host::root().join("crates/web/editor")
}

/// Bundles the editor, unless the existing bundle was made from the same sources.
pub(crate) fn bundle() -> Fallible {
    let out = host::root().join("target/editor/editor.js");
    let work = host::root().join("target/editor-build");
    let stamp = work.join("made-from");
    let mut made_from = String::new();
    for name in BUNDLED_SOURCES {
        made_from.push_str(&crate::site::read(&source_dir().join(name))?);
    }
    if out.is_file() && fs::read_to_string(&stamp).is_ok_and(|old| old == made_from) {
        return Ok(());
    }
    for name in BUNDLED_SOURCES {
        crate::site::write(&work.join(name), &crate::site::read(&source_dir().join(name))?)?;
    }
    let npm = host::which("npm").unwrap_or_else(|| "npm".into());
    Run::new(npm)
        .args(["ci", "--no-audit", "--no-fund", "--loglevel=error"])
        .dir(&work)
        .status()?;
    let esbuild = work.join("node_modules/.bin/esbuild");
    Run::new(esbuild)
        .args([
            "editor.js",
            "--bundle",
            "--minify",
            "--format=esm",
            "--target=es2022",
            "--log-level=warning",
        ])
        .args([format!("--outfile={}", out.display())])
        .dir(&work)
        .status()?;
    crate::site::write(&stamp, &made_from)
}
