//! The local machine: root of the repository, per-user cache, programs on PATH.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Environment variable in which cargo passes the directory of this package.
pub(crate) const PACKAGE_DIR_VARIABLE: &str = "CARGO_MANIFEST_DIR";

/// Returns the directory of this package in the repository in which cargo runs it. It may differ from where the package
/// was compiled.
pub(crate) fn package_dir() -> PathBuf {
    std::env::var_os(PACKAGE_DIR_VARIABLE).map_or_else(|| env!("CARGO_MANIFEST_DIR").into(), PathBuf::from)
}

/// Returns the root of the repository in which cargo runs this package.
pub(crate) fn root() -> PathBuf {
    let package_dir = package_dir();
    package_dir.ancestors().nth(2).unwrap_or(&package_dir).to_path_buf()
}

/// Returns the target directory of cargo.
pub(crate) fn target() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(dir) => root().join(dir),
        None => root().join("target"),
    }
}

/// Returns the cache directory for installed tools. There is one per user, shared by all clones of the repository.
pub(crate) fn cache() -> PathBuf {
    let env = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    if let Some(dir) = env("PODSCOPE_TOOLS") {
        return dir;
    }
    let base = if cfg!(windows) {
        env("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        env("HOME").map(|home| home.join("Library/Caches"))
    } else {
        env("XDG_CACHE_HOME").or_else(|| env("HOME").map(|home| home.join(".cache")))
    };
    base.unwrap_or_else(std::env::temp_dir).join("podscope-tools")
}

/// Returns the path of the first program with this name on PATH.
pub(crate) fn which(name: &str) -> Option<PathBuf> {
    let suffixes: &[&str] = if cfg!(windows) {
        &[".exe", ".cmd", ".bat"]
    } else {
        &[""]
    };
    std::env::split_paths(&std::env::var_os("PATH")?)
        .flat_map(|dir| suffixes.iter().map(move |s| dir.join(format!("{name}{s}"))))
        .find(|path| path.is_file())
}

/// Returns the output of `PROGRAM --version`; `None` if the program cannot be run.
pub(crate) fn version_of(program: &Path) -> Option<String> {
    let out = Command::new(program).arg("--version").output().ok()?;
    out.status
        .success()
        .then(|| String::from_utf8_lossy(&out.stdout).trim().to_string())
}

/// Returns whether a command can be run and succeeds. Its output is discarded.
pub(crate) fn succeeds(program: &str, args: &[&str]) -> bool {
    Command::new(program)
        .args(args)
        .output()
        .is_ok_and(|out| out.status.success())
}

/// Returns the path of the cargo that runs this program.
pub(crate) fn cargo() -> PathBuf {
    std::env::var_os("CARGO").map_or_else(|| PathBuf::from("cargo"), PathBuf::from)
}
