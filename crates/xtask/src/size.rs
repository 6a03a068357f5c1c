//! Brotli-compressed size of all files that a first visit loads, and its budget.

use crate::run::{Fallible, Run};
use crate::site::{LESSONS_FILE, dist, files_under};
use crate::{hosts, parts};
use std::path::Path;

/// Maximum compressed size of all files that a first visit loads, in bytes. They include the rest of the page's wasm,
/// which is loaded when the engine has answered.
const FIRST_VISIT_BUDGET: u64 = 1510 * 1024;

/// Maximum compressed size of the first part of the page's wasm, in bytes. If new code exceeds it,
/// `cargo xtask profile` moves what a first visit does not need to the rest.
const FIRST_PART_BUDGET: u64 = 325 * 1024;

/// Maximum compressed size of the rest of the engine, in bytes. It is loaded on first use.
const REST_OF_ENGINE_BUDGET: u64 = 1180 * 1024;

/// File of the rest of the engine (`crates/split`), in the directory of the engine.
const REST_OF_ENGINE_FILE: &str = "rest.wasm";

/// Name prefixes of files that a first visit does not load. They are requested later, or only by the offline copy.
const NOT_IN_FIRST_VISIT: &[&str] = &["sw.js", "editor-", "film-", "locales-", "LICENSE", "THIRD-PARTY.md"];

/// A file of the site, with its size uncompressed and compressed, in bytes.
pub(crate) struct SiteFile {
    pub(crate) name: String,
    pub(crate) bytes: u64,
    pub(crate) brotli: u64,
}

/// Returns the files that a first visit loads.
pub(crate) fn first_visit_files() -> Fallible<Vec<SiteFile>> {
    let names = files_under(&dist(), "").map_err(|e| format!("{e}\nrun `cargo xtask build` first"))?;
    let is_later_part = |name: &str| {
        let file = name.strip_prefix("engine-").and_then(|name| name.split_once('/'));
        file.is_some_and(|(_, file)| file == LESSONS_FILE || file == REST_OF_ENGINE_FILE)
    };
    let names: Vec<String> = names
        .into_iter()
        .filter(|name| !is_later_part(name))
        .filter(|name| {
            !NOT_IN_FIRST_VISIT.iter().any(|l| name.starts_with(l)) && !hosts::HEADER_FILES.contains(&name.as_str())
        })
        .collect();
    measure_files(names)
}

/// Returns the file of the rest of the engine.
fn rest_of_engine() -> Fallible<Vec<SiteFile>> {
    let names = files_under(&dist(), "")?.into_iter();
    measure_files(
        names
            .filter(|name| name.ends_with(&format!("/{REST_OF_ENGINE_FILE}")))
            .collect(),
    )
}

/// Returns the file of the first part of the page's wasm.
fn first_part_of_page() -> Fallible<Vec<SiteFile>> {
    let names = files_under(&dist(), "")?.into_iter();
    measure_files(names.filter(|name| parts::is_page_wasm(name)).collect())
}

/// Returns files of the site with their sizes.
fn measure_files(names: Vec<String>) -> Fallible<Vec<SiteFile>> {
    let sizes = brotli_sizes(&dist(), &names)?;
    let files = names.into_iter().zip(sizes);
    let files = files.map(|(name, (bytes, brotli))| SiteFile { name, bytes, brotli });
    Ok(files.collect())
}

/// Returns the sizes of the files of a directory in bytes, uncompressed and compressed with brotli.
pub(crate) fn brotli_sizes(dir: &Path, names: &[String]) -> Fallible<Vec<(u64, u64)>> {
    let script = "const z=require('zlib'),f=require('fs');\
        for(const n of process.argv.slice(1)){const b=f.readFileSync(n);\
        console.log(b.length, z.brotliCompressSync(b,{params:{[z.constants.BROTLI_PARAM_QUALITY]:11,\
        [z.constants.BROTLI_PARAM_SIZE_HINT]:b.length,[z.constants.BROTLI_PARAM_LGWIN]:22}}).length)}";
    let sizes = Run::new("node")
        .args(["-e", script, "--"])
        .args(names)
        .dir(dir)
        .output()?;
    let sizes = sizes.lines().filter_map(|line| {
        let (bytes, brotli) = line.split_once(' ')?;
        Some((bytes.parse().ok()?, brotli.parse().ok()?))
    });
    Ok(sizes.collect())
}

/// Prints tables of the files. Returns an error if a budget is exceeded.
pub(crate) fn report() -> Fallible {
    let visit = check_budget("first visit", &first_visit_files()?, FIRST_VISIT_BUDGET);
    let rest_files = rest_of_engine()?;
    if rest_files.is_empty() {
        return Err(format!("the site has no {REST_OF_ENGINE_FILE}"));
    }
    let page = first_part_of_page()?;
    visit
        .and(check_budget("first part of the page", &page, FIRST_PART_BUDGET))
        .and(check_budget(
            "rest of the engine, loaded on use",
            &rest_files,
            REST_OF_ENGINE_BUDGET,
        ))
}

/// Prints a table of files. Returns an error if their total size exceeds the budget.
fn check_budget(what: &str, files: &[SiteFile], budget: u64) -> Fallible {
    let kib = |bytes: u64| format!("{:.1}", bytes as f64 / 1024.0);
    println!("\n{:<48} {:>9} {:>9}", format!("{what} (KiB)"), "file", "brotli");
    for file in files {
        println!("{:<48} {:>9} {:>9}", file.name, kib(file.bytes), kib(file.brotli));
    }
    let wasm = files.iter().filter(|file| file.name.ends_with(".wasm"));
    let wasm: u64 = wasm.map(|file| file.brotli).sum();
    let all: u64 = files.iter().map(|file| file.brotli).sum();
    println!("{:<48} {:>9} {:>9}", "all wasm", "", kib(wasm));
    println!("{:<48} {:>9} {:>9} of {}", "everything", "", kib(all), kib(budget));
    match all > budget {
        true => Err(format!("{what}: over its budget")),
        false => Ok(()),
    }
}
