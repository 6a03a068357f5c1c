//! Commands that write files with which tests compare: golden results and third-party notices.

use crate::run::{Fallible, Run};
use crate::{host, site};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

/// `cargo xtask bless`: runs the native tests so that they rewrite their golden files; `names` filters the tests.
pub(crate) fn bless(names: &[String]) -> Fallible {
    Run::cargo()
        .args(["test", "--package", "podscope-tests", "--"])
        .args(names)
        .env("PODSCOPE_BLESS", "1")
        .status()?;
    println!("check `git diff` before you commit");
    Ok(())
}

/// Path of the file with the licences of the packages that the site and the command line contain.
const NOTICES_FILE: &str = "www/THIRD-PARTY.md";

/// `cargo xtask notices`: writes the licences of the packages from which the site and the command line are built.
pub(crate) fn notices() -> Fallible {
    let path = host::root().join(NOTICES_FILE);
    site::write(&path, &notices_text()?)?;
    println!("written to {}", path.display());
    Ok(())
}

/// Fails unless the notices list exactly the packages that are used.
pub(crate) fn check_notices() -> Fallible {
    let rows = |text: &str| -> Vec<String> {
        text.lines()
            .filter(|line| line.starts_with("| "))
            .map(String::from)
            .collect()
    };
    let committed = site::read(&host::root().join(NOTICES_FILE))?;
    if rows(&committed) == rows(&notices_text()?) {
        Ok(())
    } else {
        Err(format!("{NOTICES_FILE} is not current: run `cargo xtask notices`"))
    }
}

/// Returns the licences of all packages that the site and the command line contain.
fn notices_text() -> Fallible<String> {
    let tree = |package: &str, target: &[&str]| {
        Run::cargo()
            .args(["tree", "--package", package, "--edges", "normal", "--prefix", "none"])
            .args(["--format", "{p}\t{l}\t{r}"])
            .args(target)
            .output()
    };
    let wasm = ["--target", "wasm32-unknown-unknown"];
    let mut packages: BTreeMap<(String, String), (String, String)> = BTreeMap::new();
    for text in [
        tree("podscope-web", &wasm)?,
        tree("podscope-js", &wasm)?,
        tree("podscope", &[])?,
    ] {
        for line in text.lines() {
            let mut cells = line.trim_end_matches(" (*)").split('\t');
            let mut words = cells.next().unwrap_or_default().split(' ');
            let (Some(name), Some(version)) = (words.next(), words.next()) else {
                continue;
            };
            if name.starts_with("podscope") {
                continue;
            }
            let version = version.trim_start_matches('v').to_string();
            let license = cells.next().unwrap_or_default().to_string();
            let home = cells.next().unwrap_or_default().trim_end_matches(" (*)").to_string();
            packages.insert((name.to_string(), version), (license, home));
        }
    }

    let mut text = String::from(
        "# Third-party notices\n\nPodscope is built from these packages. Written by `cargo xtask notices`.\n\n\
         | package | version | licence | from |\n|---|---|---|---|\n",
    );
    let mut texts: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for ((name, version), (license, home)) in &packages {
        text.push_str(&format!("| {name} | {version} | {license} | {home} |\n"));
        for license in license_files(name, version) {
            texts.entry(license).or_default().insert(format!("{name} {version}"));
        }
    }
    for (license, users) in &texts {
        let users: Vec<&str> = users.iter().map(String::as_str).collect();
        text.push_str(&format!("\n## {}\n\n```text\n{license}\n```\n", users.join(", ")));
    }
    Ok(text)
}

/// Returns the licence texts in the registry's copy of a package.
fn license_files(name: &str, version: &str) -> Vec<String> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from).or_else(|| {
        let home = std::env::var_os("HOME").or_else(|| std::env::var_os("USERPROFILE"))?;
        Some(PathBuf::from(home).join(".cargo"))
    });
    let registries = home.and_then(|home| fs::read_dir(home.join("registry/src")).ok());
    let mut found = BTreeSet::new();
    for registry in registries.into_iter().flatten().flatten() {
        let Ok(files) = fs::read_dir(registry.path().join(format!("{name}-{version}"))) else {
            continue;
        };
        for file in files.flatten() {
            let upper = file.file_name().to_string_lossy().to_ascii_uppercase();
            if ["LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE"]
                .iter()
                .any(|w| upper.starts_with(w))
                && let Ok(license) = fs::read_to_string(file.path())
            {
                let lines: Vec<&str> = license.lines().map(str::trim_end).collect();
                found.insert(lines.join("\n").trim().replace("```", "'''"));
            }
        }
    }
    found.into_iter().collect()
}
