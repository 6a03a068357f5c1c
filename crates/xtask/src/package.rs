//! The npm package: wasm-pack builds `crates/js`, npm packs it. One tarball serves browsers and Node;
//! `crates/js/npm/package.json` lists the entry point of each.

use crate::run::{Fallible, Run};
use crate::tools::{self, Tool, ToolPaths};
use crate::{host, site};
use std::fs;
use std::path::PathBuf;

/// Tools that are needed to build the package.
pub(crate) const TOOLS: &[Tool] = &[
    Tool::Toolchain,
    Tool::Node,
    Tool::WasmOpt,
    Tool::WasmBindgen,
    Tool::WasmPack,
];

/// `cargo xtask package`: builds the npm package and prints the path of its tarball.
pub(crate) fn package() -> Fallible {
    let tarball = build_with(&tools::ensure(TOOLS)?)?;
    println!(
        "{} is the package: `npm install` or `npm publish` takes it",
        tarball.display()
    );
    Ok(())
}

/// Builds the package and returns the path of its tarball.
pub(crate) fn build_with(paths: &ToolPaths) -> Fallible<PathBuf> {
    let root = host::root();
    let out = host::target().join("package");
    let staged = out.join("engine");
    // Files of an older build would be packed too, so the directory is emptied first.
    let _ = fs::remove_dir_all(&out);
    Run::new("wasm-pack")
        .args(["build", "crates/js", "--target", "web", "--scope", "podscope"])
        .args(["--out-name", "podscope", "--mode", "no-install", "--out-dir"])
        .args([&staged])
        .args(["--", "--no-default-features", "--features", "package"])
        .tools(paths)
        .status()?;
    let manifest = site::read(&root.join("crates/js/npm/package.json"))?;
    let version = format!("\"version\": \"{}\"", env!("CARGO_PKG_VERSION"));
    let manifest = manifest.replacen("\"version\": \"0.0.0\"", &version, 1);
    site::write(&staged.join("package.json"), &manifest)?;
    for (from, to) in [
        ("crates/js/npm/lesson.js", "lesson.js"),
        ("crates/js/npm/node.js", "node.js"),
        ("LICENSE", "LICENSE"),
        ("www/THIRD-PARTY.md", "THIRD-PARTY.md"),
    ] {
        fs::copy(root.join(from), staged.join(to)).map_err(|e| format!("{from}: {e}"))?;
    }
    let npm = host::which("npm").unwrap_or_else(|| "npm".into());
    let printed = Run::new(npm)
        .args(["pack", "--silent", "--pack-destination", "..", "--loglevel=error"])
        .dir(&staged)
        .output()?;
    let name = printed.lines().last().unwrap_or_default().trim();
    let tarball = out.join(name);
    if tarball.is_file() {
        Ok(tarball)
    } else {
        Err(format!("npm pack printed {printed:?} and left no such file"))
    }
}

/// Returns the path of the tarball that was built last.
pub(crate) fn built_tarball() -> Fallible<PathBuf> {
    let out = host::target().join("package");
    let entries = fs::read_dir(&out).map_err(|e| format!("{}: {e}", out.display()))?;
    let mut paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    paths
        .find(|path| path.extension().is_some_and(|extension| extension == "tgz"))
        .ok_or_else(|| format!("{} has no package", out.display()))
}
