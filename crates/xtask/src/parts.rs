//! The wasm of page and engine in two parts each (`crates/split`): what a first visit runs, and the rest.

use crate::host;
use crate::run::{Fallible, Run};
use crate::site::{self, files_under};
use crate::tools::{self, Tool};
use base64::Engine as _;
use sha2::{Digest, Sha384};
use std::fs;
use std::path::{Path, PathBuf};

/// File that lists the functions of the page that a first visit does not need. [`profile`] writes it.
const UNNEEDED_FUNCTIONS_FILE: &str = "crates/web/unneeded-at-first.txt";

/// Suffix of the file name of the page's wasm. A hash of its content precedes the suffix.
const PAGE_WASM_SUFFIX: &str = "_bg.wasm";

/// Suffix of the file name of the rest of the page's wasm, which is loaded later.
const REST_WASM_SUFFIX: &str = "_rest.wasm";

/// Returns whether a file of the site is the page's wasm: the whole, or the first part once it is cut.
pub(crate) fn is_page_wasm(name: &str) -> bool {
    name.starts_with("podscope-web-") && name.ends_with(PAGE_WASM_SUFFIX)
}

fn split_program() -> Run {
    Run::cargo().args(["run", "--quiet", "-p", "podscope-split", "--"])
}

/// Returns the directory for intermediate files.
fn work_dir() -> PathBuf {
    host::target().join("split")
}

/// Returns the file with the page's wasm before it was cut.
fn uncut_page_wasm() -> PathBuf {
    work_dir().join("page.wasm")
}

/// Cuts the engine's wasm in two. `folder` contains the engine and the lesson texts.
pub(crate) fn cut_engine(folder: &Path) -> Fallible {
    split_program()
        .args(["engine".as_ref(), folder.as_os_str(), work_dir().as_os_str()])
        .status()
}

/// Cuts the page's wasm of a staged site in two. Names both parts by a hash of their content, and updates the names in
/// `html`.
pub(crate) fn cut_page(staging: &Path, html: &mut String) -> Fallible {
    let names = files_under(staging, "")?;
    let old = names.iter().find(|name| is_page_wasm(name));
    let old = old.ok_or("the site has no wasm of the page")?;
    let (wasm, rest) = (staging.join(old), staging.join("rest.wasm"));
    fs::create_dir_all(work_dir()).map_err(|e| e.to_string())?;
    fs::copy(&wasm, uncut_page_wasm()).map_err(|e| format!("{old}: {e}"))?;
    let list = host::root().join(UNNEEDED_FUNCTIONS_FILE);
    split_program()
        .args(["page".as_ref(), wasm.as_os_str(), list.as_os_str(), rest.as_os_str()])
        .status()?;

    let bytes = fs::read(&wasm).map_err(|e| format!("{old}: {e}"))?;
    let digest = &site::sha256_hex(&[bytes.as_slice(), &fs::read(&rest).map_err(|e| e.to_string())?].concat())[..16];
    let named = |end: &str| format!("podscope-web-{digest}{end}");
    for (from, to) in [(wasm, named(PAGE_WASM_SUFFIX)), (rest, named(REST_WASM_SUFFIX))] {
        fs::rename(&from, staging.join(&to)).map_err(|e| format!("{to}: {e}"))?;
    }
    *html = html.replace(old, &named(PAGE_WASM_SUFFIX));
    *html = html.replacen(
        "<html ",
        &format!("<html data-rest=\"{}\" ", named(REST_WASM_SUFFIX)),
        1,
    );
    *html = with_updated_integrity(html, &named(PAGE_WASM_SUFFIX), &bytes)?;
    Ok(())
}

/// Returns `html` with the new digest of a preloaded file. Its content has changed since Trunk wrote the digest.
fn with_updated_integrity(html: &str, name: &str, bytes: &[u8]) -> Fallible<String> {
    const ATTRIBUTE: &str = "integrity=\"sha384-";
    let missing = || format!("{name} is not preloaded with its digest");
    let link = html.find(&format!("href=\"./{name}\"")).ok_or_else(missing)?;
    let begin = link + html[link..].find(ATTRIBUTE).ok_or_else(missing)? + ATTRIBUTE.len();
    let end = begin + html[begin..].find('"').ok_or_else(missing)?;
    let digest = base64::engine::general_purpose::STANDARD.encode(Sha384::digest(bytes));
    Ok(format!("{}{digest}{}", &html[..begin], &html[end..]))
}

/// `cargo xtask profile`: runs first visits in Chromium, and writes the list of functions of the page that they do
/// not need.
pub(crate) fn profile() -> Fallible {
    site::build_with(&tools::ensure(tools::SITE_TOOLS)?)?;
    let paths = tools::ensure(&[Tool::Node, Tool::Playwright, Tool::Browser])?;
    let (copy, ran) = (work_dir().join("instrumented-page.wasm"), work_dir().join("ran.json"));
    let uncut = uncut_page_wasm();
    split_program()
        .args(["instrument".as_ref(), uncut.as_os_str(), copy.as_os_str()])
        .status()?;
    Run::new("node")
        .args(["tests/e2e/profile.mjs".as_ref(), copy.as_os_str(), ran.as_os_str()])
        .tools(&paths)
        .status()?;
    let lines = split_program()
        .args(["unneeded".as_ref(), uncut.as_os_str(), ran.as_os_str()])
        .output()?;
    site::write(&host::root().join(UNNEEDED_FUNCTIONS_FILE), &lines)?;
    println!("{UNNEEDED_FUNCTIONS_FILE} is written: `cargo xtask build` uses it");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::with_updated_integrity;

    #[test]
    fn integrity_of_changed_file_is_replaced() {
        let html = "<link href=\"./a.js\" integrity=\"sha384-A\"><link href=\"./b.wasm\" integrity=\"sha384-B\">";
        let changed = with_updated_integrity(html, "b.wasm", b"").expect("the file is preloaded");
        assert_eq!(
            changed,
            "<link href=\"./a.js\" integrity=\"sha384-A\"><link href=\"./b.wasm\" \
             integrity=\"sha384-OLBgp1GsljhM2TJ+sbHjaiH9txEUvgdDTAzHv2P24donTt6/529l+9Ua0vFImLlb\">"
        );
        assert!(with_updated_integrity(html, "c.wasm", b"").is_err());
    }
}
