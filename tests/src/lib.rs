//! Helpers shared by the tests that cross crates.

pub mod dump;
pub mod fuzz;
pub mod links;
pub mod live;
pub mod sentences;
pub mod traces;

use std::fs;
use std::path::{Path, PathBuf};

use podscope_session::scenario::Loaded;

/// Returns the notices about loaded files as text.
#[must_use]
pub fn notices_of(loaded: &Loaded) -> Vec<String> {
    loaded.notices.iter().map(ToString::to_string).collect()
}

/// Returns the root directory of the repository.
#[must_use]
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// Asserts that `got` equals the golden file `tests/golden/NAME`. `cargo xtask bless` rewrites the file.
///
/// # Panics
/// If they differ, with the first different line and the command to update the file.
pub fn assert_golden(name: &str, got: &str) {
    let path = root().join("tests/golden").join(name);
    let Err(want) = compare_with_file(&path, got.as_bytes()) else {
        return;
    };
    let want = String::from_utf8_lossy(&want);
    let lines = want.lines().map(Some).chain(std::iter::repeat(None));
    let pairs = got.lines().map(Some).chain([None]).zip(lines);
    let at = pairs.take_while(|(got, want)| got == want && got.is_some()).count();
    panic!(
        "{name} differs from line {}:\n  want {:?}\n  got  {:?}\nIf the change is meant: cargo xtask bless",
        at + 1,
        want.lines().nth(at),
        got.lines().nth(at),
    );
}

/// Compares `got` with a committed file. `cargo xtask bless` rewrites the file.
///
/// # Errors
/// The content of the file, if it differs from `got`.
///
/// # Panics
/// If the file cannot be written.
pub fn compare_with_file(path: &Path, got: &[u8]) -> Result<(), Vec<u8>> {
    // Only tests read the environment; the engine never does.
    if std::env::var_os("PODSCOPE_BLESS").is_some() {
        let dir = path.parent().unwrap_or(path);
        let written = fs::create_dir_all(dir).and_then(|()| fs::write(path, got));
        assert!(written.is_ok(), "{}: {written:?}", path.display());
        return Ok(());
    }
    let want = fs::read(path).unwrap_or_default();
    if want == got { Ok(()) } else { Err(want) }
}

/// Returns the files with this ending in a directory below the root, recursively and sorted.
#[must_use]
pub fn files(dir: &str, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut pending_dirs = vec![root().join(dir)];
    while let Some(dir) = pending_dirs.pop() {
        for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                pending_dirs.push(path);
            } else if path.to_string_lossy().ends_with(ending) {
                found.push(path);
            }
        }
    }
    found.sort_unstable();
    found
}
