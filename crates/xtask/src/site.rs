//! The site: Trunk builds it, and `finish` (Trunk's last hook) prepares it for any static host: content hashes in
//! names, Content-Security-Policy, header files for hosts, offline copy.

use crate::run::{Fallible, Run};
use crate::tools::{self, Tool, ToolPaths};
use crate::{host, hosts, parts, translate};
use base64::Engine as _;
use sha2::{Digest, Sha256};
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Child;
use std::time::{Duration, Instant};

/// Files that the offline copy of the site does not contain.
const FILES_NOT_OFFLINE: &[&str] = &["sw.js", "LICENSE", "THIRD-PARTY.md"];

/// Directories that get a hash of their contents as a suffix, so that browsers never mix files of different versions.
const HASHED_DIRS: &[&str] = &["engine", "editor", "film", "icons", LOCALES_DIR];
/// File name of the lesson texts, in the directory of the engine.
pub(crate) const LESSONS_FILE: &str = "lessons";
/// Directory with one file for each language but English. The page loads a file when its language is chosen.
const LOCALES_DIR: &str = "locales";
/// File of the pseudo-locale, which only tests use.
const PSEUDO_LOCALE_FILE: &str = "/en-XA.txt";
/// Web app manifest, for installing the page as an application.
const MANIFEST_FILE: &str = "manifest.webmanifest";

/// Time limit of a development build, enough for a first build on a slow machine.
const BUILD_TIMEOUT: Duration = Duration::from_secs(20 * 60);

/// Returns the directory of the deployable site.
pub(crate) fn dist() -> PathBuf {
    host::root().join("dist")
}

/// `cargo xtask build`: builds the release site in `dist/` and prints the sizes of its files.
pub(crate) fn build() -> Fallible {
    build_with(&tools::ensure(tools::SITE_TOOLS)?)?;
    println!("dist/ is the site: serve it at any path of any static host");
    crate::size::report()
}

/// `cargo xtask picture`: takes the README's pictures of the release site.
pub(crate) fn picture() -> Fallible {
    build_with(&tools::ensure(tools::SITE_TOOLS)?)?;
    let paths = tools::ensure(&[Tool::Node, Tool::Playwright, Tool::Browser])?;
    Run::new("node").args(["tests/e2e/picture.mjs"]).tools(&paths).status()
}

/// Builds the release site with these tools.
pub(crate) fn build_with(paths: &ToolPaths) -> Fallible {
    download_packages()?;
    Run::new("trunk")
        .args(["build", "--release", "--offline=true"])
        .tools(paths)
        .status()
}

/// Downloads all packages, because cargo cannot do so during the build: Trunk runs with `--offline`, so that it
/// downloads no tools itself, and passes this option on to cargo.
fn download_packages() -> Fallible {
    Run::cargo().args(["fetch"]).status()
}

/// `cargo xtask serve`: builds in the development profile, with live reload.
pub(crate) fn serve(args: &[String]) -> Fallible {
    trunk_serve(&tools::ensure(tools::SITE_TOOLS)?, args)?.status()
}

/// Returns the run of Trunk that serves the development build.
fn trunk_serve(paths: &ToolPaths, args: &[String]) -> Fallible<Run> {
    download_packages()?;
    let port = args
        .iter()
        .zip(args.iter().skip(1))
        .find(|(flag, _)| *flag == "--port" || *flag == "-p")
        .map_or("8080", |(_, port)| port);
    println!("Podscope will be at http://127.0.0.1:{port}/ as soon as it is built");
    // Serving uses a separate directory, so that `dist/` always contains the release site. Trunk requires that ignored
    // directories exist.
    let served = host::target().join("serve");
    for dir in [&served, &dist()] {
        fs::create_dir_all(dir).map_err(|e| format!("{}: {e}", dir.display()))?;
    }
    let run = Run::new("trunk").args(["serve", "--offline=true", "--dist"]);
    Ok(run.args([&served]).args(args).tools(paths))
}

/// The test step `serve`: `cargo xtask serve` must serve the page with scripts, wasm and the script of live reload.
pub(crate) fn check_serve(paths: &ToolPaths) -> Fallible {
    let free = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
    let port = free.map_err(|e| format!("no free port: {e}"))?.port();
    let mut server = trunk_serve(paths, &["--port".into(), port.to_string()])?.start()?;
    let result = wait_for_page(&mut server, port).and_then(|page| {
        let engine = page
            .split_once("data-engine=\"")
            .and_then(|(_, rest)| rest.split_once('"'));
        let engine = engine.ok_or("the page contains no path of the engine")?.0.to_string();
        let folder = engine.rsplit_once('/').map_or("", |(folder, _)| folder).to_string();
        for (path, kind) in [
            (engine, "text/javascript"),
            (format!("{folder}/podscope-js_bg.wasm"), "application/wasm"),
        ] {
            let (head, _) = http_get(port, &format!("/{path}"))?;
            if !head.starts_with("HTTP/1.1 200") || !head.to_ascii_lowercase().contains(kind) {
                return Err(format!("{path}: {head}"));
            }
        }
        let has_live_reload = page.contains(".well-known/trunk/ws");
        has_live_reload
            .then_some(())
            .ok_or_else(|| "the page has no live reload".into())
    });
    let _ = server.kill();
    let _ = server.wait();
    result
}

/// Waits until the local server serves the built page, and returns its HTML.
fn wait_for_page(server: &mut Child, port: u16) -> Fallible<String> {
    let began = Instant::now();
    while began.elapsed() < BUILD_TIMEOUT {
        if let Ok((head, page)) = http_get(port, "/")
            && head.starts_with("HTTP/1.1 200")
            && page.contains("<title>Podscope</title>")
        {
            return Ok(page);
        }
        if let Ok(Some(status)) = server.try_wait() {
            return Err(format!("the server ended: {status}"));
        }
        std::thread::sleep(Duration::from_millis(500));
    }
    Err(format!(
        "nothing was served within {} minutes",
        BUILD_TIMEOUT.as_secs() / 60
    ))
}

/// Requests a path of the local server. Returns the head and the body of the response.
fn http_get(port: u16, path: &str) -> Fallible<(String, String)> {
    let request = || -> std::io::Result<Vec<u8>> {
        let mut stream = TcpStream::connect(("127.0.0.1", port))?;
        stream.set_read_timeout(Some(Duration::from_secs(30)))?;
        write!(
            stream,
            "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAccept: */*\r\nConnection: close\r\n\r\n"
        )?;
        let mut response = Vec::new();
        stream.read_to_end(&mut response)?;
        Ok(response)
    };
    let response = request().map_err(|e| format!("{path}: {e}"))?;
    let response = String::from_utf8_lossy(&response);
    let (head, body) = response.split_once("\r\n\r\n").unwrap_or((&response, ""));
    Ok((head.to_string(), body.to_string()))
}

/// `cargo xtask finish`: Trunk's last hook, run in the staged site.
pub(crate) fn finish() -> Fallible {
    let staging = std::env::var_os("TRUNK_STAGING_DIR")
        .map(PathBuf::from)
        .ok_or("`finish` is a hook of Trunk: run `cargo xtask build`")?;
    let index = staging.join("index.html");
    let mut html = read(&index)?;
    // While serving, Trunk rewrites its live-reload script after this hook, so its hash is unknown here.
    let is_serving = html.contains("__TRUNK_ADDRESS__");

    let engine = staging.join("engine");
    write(&engine.join(LESSONS_FILE), &lessons_file_text()?)?;
    if !is_serving {
        parts::cut_engine(&engine)?;
        parts::cut_page(&staging, &mut html)?;
    }
    translate::write_language_files(&staging.join(LOCALES_DIR))?;
    let manifest = staging.join(MANIFEST_FILE);
    let mut manifest_text = read(&manifest)?;
    for dir in HASHED_DIRS {
        let files = files_under(&staging, dir)?;
        let named = format!("{dir}-{}", &hash_of_files(&staging, &files)?[..16]);
        fs::rename(staging.join(dir), staging.join(&named)).map_err(|e| format!("{dir}: {e}"))?;
        for text in [&mut html, &mut manifest_text] {
            *text = text.replace(&format!("\"{dir}/"), &format!("\"{named}/"));
        }
    }
    write(&manifest, &manifest_text)?;
    let named = format!(
        "manifest-{}.webmanifest",
        &hash_of_files(&staging, &[MANIFEST_FILE.into()])?[..16]
    );
    fs::rename(&manifest, staging.join(&named)).map_err(|e| format!("{MANIFEST_FILE}: {e}"))?;
    html = html.replace(&format!("\"{MANIFEST_FILE}\""), &format!("\"{named}\""));

    let allowed = if is_serving {
        "'unsafe-inline'".to_string()
    } else {
        inline_script_hashes(&html)
    };
    html = html.replace("'sha256-inline'", &allowed);
    if is_serving {
        write(&index, &html)?;
        return fs::remove_file(staging.join("sw.js")).map_err(|e| format!("sw.js: {e}"));
    }

    // The version is a hash of all files, including the worker of the offline copy. The page contains the version.
    write(&index, &html)?;
    let version = hash_of_files(&staging, &files_under(&staging, "")?)?[..16].to_string();
    html = html.replacen("<html ", &format!("<html data-version=\"{version}\" "), 1);
    write(&index, &html)?;
    let policy = html
        .split_once("Content-Security-Policy\" content=\"")
        .and_then(|(_, rest)| rest.split_once('"'));
    let (policy, _) = policy.ok_or("the page has no policy")?;

    let mut list = String::new();
    for file in files_under(&staging, "")? {
        if FILES_NOT_OFFLINE.contains(&file.as_str()) || file.ends_with(PSEUDO_LOCALE_FILE) {
            continue;
        }
        let digest = base64::engine::general_purpose::STANDARD.encode(sha256_of_file(&staging, &file)?);
        let address = if file == "index.html" { "./" } else { &file };
        list.push_str(&format!("\n  \"{address}\": \"sha256-{digest}\","));
    }
    let worker = staging.join("sw.js");
    let text = read(&worker)?
        .replacen("\"unversioned\"", &format!("\"{version}\""), 1)
        .replacen("const FILES = {};", &format!("const FILES = {{{list}\n}};"), 1);
    write(&worker, &text)?;
    hosts::write_headers(&staging, policy)
}

/// Returns the text of the file with all lessons, which the engine requests when the first lesson is opened. Names and
/// texts alternate, each with a NUL at its end (see `podscope_session::lessons::provide`).
fn lessons_file_text() -> Fallible<String> {
    let folder = host::root().join("crates/session/lessons");
    let mut all = String::new();
    for file in files_under(&folder, "")? {
        if let Some(name) = file.strip_suffix(".yaml").filter(|name| !name.contains('/')) {
            all.push_str(&format!("{name}\0{}\0", read(&folder.join(&file))?));
        }
    }
    Ok(all)
}

/// Returns the CSP sources (hashes) of the inline scripts of the page.
fn inline_script_hashes(html: &str) -> String {
    let mut sources = Vec::new();
    let mut rest = html;
    while let Some(at) = rest.find("<script") {
        rest = &rest[at..];
        let Some(open) = rest.find('>') else { break };
        let Some(close) = rest.find("</script>") else {
            break;
        };
        if open < close && !rest[..open].contains(" src=") {
            let hash = Sha256::digest(&rest.as_bytes()[open + 1..close]);
            let hash = base64::engine::general_purpose::STANDARD.encode(hash);
            sources.push(format!("'sha256-{hash}'"));
        }
        rest = &rest[close..];
    }
    sources.join(" ")
}

/// Returns the files below directory `dir` of `base`, as sorted relative paths with slashes.
pub(crate) fn files_under(base: &Path, dir: &str) -> Fallible<Vec<String>> {
    let mut found = Vec::new();
    let mut pending_dirs = vec![dir.to_string()];
    while let Some(dir) = pending_dirs.pop() {
        let path = base.join(&dir);
        let entries = fs::read_dir(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        for entry in entries {
            let entry = entry.map_err(|e| format!("{}: {e}", path.display()))?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let name = if dir.is_empty() { name } else { format!("{dir}/{name}") };
            if entry.path().is_dir() {
                pending_dirs.push(name);
            } else {
                found.push(name);
            }
        }
    }
    found.sort();
    Ok(found)
}

fn sha256_of_file(base: &Path, file: &str) -> Fallible<impl AsRef<[u8]> + use<>> {
    let path = base.join(file);
    let bytes = fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(Sha256::digest(bytes))
}

/// Returns the SHA-256 of the names and contents of files, in hexadecimal.
fn hash_of_files(base: &Path, files: &[String]) -> Fallible<String> {
    let mut hash = Sha256::new();
    for file in files {
        let path = base.join(file);
        let bytes = fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        hash.update(file.as_bytes());
        hash.update((bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    }
    Ok(hex(&hash.finalize()))
}

/// Returns the SHA-256 of bytes, in hexadecimal.
pub(crate) fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn hex(digest: &[u8]) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(crate) fn read(path: &Path) -> Fallible<String> {
    fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))
}

pub(crate) fn write(path: &Path, text: &str) -> Fallible {
    if let Some(dir) = path.parent() {
        fs::create_dir_all(dir).map_err(|e| format!("{}: {e}", dir.display()))?;
    }
    fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::inline_script_hashes;

    #[test]
    fn csp_hashes_cover_only_inline_scripts() {
        let html = "<script>alert(1)</script><script src=\"a.js\"></script><script type=\"module\">\nx\n</script>";
        assert_eq!(
            inline_script_hashes(html),
            "'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI=' \
             'sha256-0j+bQHb1Xx5lDFk/gPRR8glNxZzORwwGPrIq6mPkyzk='"
        );
    }
}
