//! The built page (`--site DIR`): its files are read at the start and served from memory, so that no request reaches
//! the file system.

use std::collections::BTreeMap;
use std::path::Path;
use std::{fs, io};

use bytes::Bytes;
use podscope_api::hash;

use crate::http::{HttpRequest, Reply};

/// Maximum total size of the files in bytes. A built page has about ten megabytes; a wrong directory may have many
/// more.
const MAX_SITE_BYTES: u64 = 128 * 1024 * 1024;
/// File name of the page.
const INDEX_FILE: &str = "index.html";
/// File name under which [`PAGE_SCRIPT`] is served.
const SCRIPT_NAME: &str = "podscope-serve.js";
/// Script that connects the page to this server instead of a worker.
const PAGE_SCRIPT: &str = include_str!("page.js");
/// Text that a page contains if its start script (`www/boot.js`) supports [`PAGE_SCRIPT`].
const BOOT_MARKER: &str = "podscopeEngine ??=";

#[derive(Debug)]
struct File {
    content: Bytes,
    content_type: &'static str,
    etag: String,
}

/// The files of a built page, by path without a leading slash.
#[derive(Debug)]
pub(crate) struct Site {
    files: BTreeMap<String, File>,
}

impl Site {
    /// Reads the files of a directory that `cargo xtask build` has created.
    ///
    /// # Errors
    /// The directory cannot be read, or is not a built page of this version.
    pub(crate) fn read(dir: &Path) -> io::Result<Site> {
        let mut contents = BTreeMap::new();
        let mut bytes_left = MAX_SITE_BYTES;
        read_dir(dir, "", &mut bytes_left, &mut contents)
            .map_err(|error| directory_error(dir, &error.to_string(), error.kind()))?;
        let wrong = |why: &str| directory_error(dir, why, io::ErrorKind::InvalidInput);
        let index = contents
            .remove(INDEX_FILE)
            .and_then(|index| String::from_utf8(index).ok())
            .ok_or_else(|| wrong("there is no index.html; `cargo xtask build` makes dist/"))?;
        if !index.contains(BOOT_MARKER) || !index.contains("<title>") {
            return Err(wrong("index.html is not the page of this version of Podscope"));
        }
        // The script must run before the page's start script.
        let script = format!("<script src=\"{SCRIPT_NAME}\"></script>\n    <title>");
        contents.insert(
            INDEX_FILE.to_owned(),
            index.replacen("<title>", &script, 1).into_bytes(),
        );
        contents.insert(SCRIPT_NAME.to_owned(), PAGE_SCRIPT.as_bytes().to_vec());
        let files = contents
            .into_iter()
            .map(|(name, content)| (name.clone(), File::new(&name, content)));
        Ok(Site { files: files.collect() })
    }

    /// Responds to a request for a file; None if there is no such file.
    pub(crate) fn answer(&self, request: &HttpRequest) -> Option<Reply> {
        if !matches!(request.method.as_str(), "GET" | "HEAD") {
            return None;
        }
        let path = request.path.split(['?', '#']).next().unwrap_or_default();
        let name = match path.strip_prefix('/')? {
            // The Kubernetes API serves `/` too, to clients that do not explicitly accept HTML.
            "" if request.header("accept")?.contains("text/html") => INDEX_FILE,
            name => name,
        };
        let file = self.files.get(name)?;
        let is_cached = request
            .header("if-none-match")
            .is_some_and(|known| known.split(',').any(|known| known.trim() == file.etag));
        let reply = match is_cached {
            true => Reply::new(304, "", Bytes::new()),
            false => Reply::new(200, file.content_type, file.content.clone()),
        };
        let reply = reply
            .with_header("ETag", file.etag.clone())
            .with_header("X-Content-Type-Options", "nosniff");
        // The page's HTML contains its content security policy, except for this directive, which is valid only in a
        // header.
        Some(match name {
            INDEX_FILE => reply.with_header("Content-Security-Policy", "frame-ancestors 'none'"),
            _ => reply,
        })
    }
}

impl File {
    fn new(name: &str, content: Vec<u8>) -> File {
        let digest = hash::fnv1a(hash::EMPTY, content.iter().copied());
        File {
            etag: format!("\"{digest:016x}\""),
            content_type: content_type(name),
            content: Bytes::from(content),
        }
    }
}

fn directory_error(dir: &Path, why: &str, kind: io::ErrorKind) -> io::Error {
    io::Error::new(kind, format!("--site {}: {why}", dir.display()))
}

/// Reads all regular files below a directory, but no symbolic links.
fn read_dir(
    dir: &Path,
    prefix: &str,
    bytes_left: &mut u64,
    contents: &mut BTreeMap<String, Vec<u8>>,
) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else {
            continue;
        };
        let (name, kind) = (format!("{prefix}{name}"), entry.file_type()?);
        if kind.is_dir() {
            read_dir(&entry.path(), &format!("{name}/"), bytes_left, contents)?;
        } else if kind.is_file() {
            *bytes_left = bytes_left.checked_sub(entry.metadata()?.len()).ok_or_else(|| {
                let why = "it has more than 128 MiB and is not a built page";
                io::Error::new(io::ErrorKind::InvalidInput, why)
            })?;
            contents.insert(name, fs::read(entry.path())?);
        }
    }
    Ok(())
}

fn content_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "json" => "application/json",
        "wasm" => "application/wasm",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "webmanifest" => "application/manifest+json",
        "md" | "txt" | "yaml" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}
