//! `cargo xtask test --changed`: formatting, clippy and tests of the crates that a change affects.
//!
//! ```text
//! files that differ from main ─► their crates (touched) ─► crates that depend on them (affected)
//! tests                          clippy: they still compile
//! ```
//! The tests that span crates are many and slow. Of these, the golden scenarios run if the engine is affected, and a
//! test module runs if its own file changed. `cargo xtask test` runs everything.

use crate::host;
use crate::run::{Counts, Fallible, Run};
use crate::steps::{self, BROWSER_CRATES, StepOutcome};
use std::collections::BTreeSet;
use std::time::Instant;

/// Package of the cross-crate tests.
const TESTS_PACKAGE: &str = "podscope-tests";
/// Package that every simulation uses; if it is affected, the golden scenarios run.
const ENGINE_PACKAGE: &str = "podscope-cluster";

/// A package of the workspace.
struct Member {
    name: String,
    /// Folder of the package, relative to the root.
    dir: String,
    /// Names of the workspace packages on which this one depends, including dev-dependencies.
    dependencies: Vec<String>,
}

/// Runs the checks and tests for the files that differ from main.
pub(crate) fn run() -> Fallible {
    let files = changed_files()?;
    let members = workspace_members()?;
    let touched = touched_members(&files, &members);
    let affected = affected_members(&touched, &members);
    println!("changed: {} files", files.len());
    println!("touched: {}", comma_list(&touched));
    println!("affected: {}", comma_list(&affected));

    let suite_began = Instant::now();
    let mut outcomes = Vec::new();
    let mut step = |name, run: Option<Run>| {
        let Some(run) = run else { return };
        eprintln!("\n== {name}");
        let began = Instant::now();
        let (result, counts) = run.count_tests();
        let seconds = began.elapsed().as_secs_f64();
        outcomes.push(StepOutcome {
            name,
            seconds,
            counts,
            result,
        });
    };
    step("fmt", Some(Run::cargo().args(["fmt", "--all", "--check"])));
    let is_native = |name: &&str| !BROWSER_CRATES.contains(name);
    step(
        "clippy",
        clippy_of_packages(affected.iter().copied().filter(is_native), &[]),
    );
    let mut wasm = vec!["--target", "wasm32-unknown-unknown"];
    if affected.contains("podscope-web") {
        wasm.extend(steps::IN_BROWSER_FEATURE);
    }
    step(
        "clippy-wasm",
        clippy_of_packages(affected.iter().copied().filter(|name| !is_native(name)), &wasm),
    );
    // The pure parts of the page are tested natively; the JavaScript interface of the engine is not.
    let native = touched
        .iter()
        .copied()
        .filter(|name| *name != TESTS_PACKAGE && *name != "podscope-js");
    step(
        "native",
        cargo_run_for_packages(native, &["test", "--no-fail-fast"], &[]),
    );
    let modules = cross_crate_modules(&files, affected.contains(ENGINE_PACKAGE));
    let filters: Vec<String> = modules.iter().map(|module| format!("{module}::")).collect();
    let cross_crate_tests = || {
        Run::cargo()
            .args(["test", "-p", TESTS_PACKAGE, "--test", "all", "--"])
            .args(filters)
    };
    step("crossing", (!files.is_empty()).then(cross_crate_tests));

    let began = Instant::now();
    let result = crate::spec::report(&["--missing".to_string()]);
    let (seconds, counts) = (began.elapsed().as_secs_f64(), Counts::default());
    outcomes.push(StepOutcome {
        name: "spec",
        seconds,
        counts,
        result,
    });
    steps::print_summary(&outcomes, suite_began.elapsed(), "cargo xtask test --changed")
}

/// Joins names by commas; returns `nothing` for an empty set.
fn comma_list(names: &BTreeSet<&str>) -> String {
    let names: Vec<&str> = names.iter().copied().collect();
    if names.is_empty() {
        "nothing".into()
    } else {
        names.join(", ")
    }
}

/// Returns the run `cargo COMMAND -p … LAST_ARGS` for these packages; `None` if there are none.
fn cargo_run_for_packages<'n>(
    names: impl Iterator<Item = &'n str>,
    command: &[&str],
    last_args: &[&str],
) -> Option<Run> {
    let packages: Vec<&str> = names.flat_map(|name| ["-p", name]).collect();
    (!packages.is_empty()).then(|| Run::cargo().args(command).args(packages).args(last_args))
}

/// Returns the run of clippy for these packages; `None` if there are none.
fn clippy_of_packages<'n>(names: impl Iterator<Item = &'n str>, target: &[&str]) -> Option<Run> {
    let command: Vec<&str> = ["clippy", "--keep-going"].iter().chain(target).copied().collect();
    cargo_run_for_packages(names, &command, &["--all-targets", "--", "-D", "warnings"])
}

/// Returns the files that differ from the commit where the branch left main, including uncommitted and new files.
fn changed_files() -> Fallible<Vec<String>> {
    let git = |args: &[&str]| Run::new("git").args(args).output();
    let base = git(&["merge-base", "main", "HEAD"]).or_else(|_| git(&["merge-base", "origin/main", "HEAD"]));
    let base = base.or_else(|_| git(&["rev-parse", "HEAD"]))?;
    let mut found = git(&["diff", "--name-only", base.trim()])?;
    found.push_str(&git(&["ls-files", "--others", "--exclude-standard"])?);
    Ok(found.lines().map(str::to_string).collect())
}

/// Returns the packages of the workspace with their dependencies, from `cargo tree`.
fn workspace_members() -> Fallible<Vec<Member>> {
    let tree = Run::cargo().args([
        "tree",
        "--workspace",
        "--depth",
        "1",
        "--prefix",
        "depth",
        "--target",
        "all",
    ]);
    let text = tree.args(["--edges", "normal,build,dev", "--format", "{p}"]).output()?;
    Ok(parse_members(&text, &host::root().to_string_lossy()))
}

/// Parses lines `0NAME vVERSION (/PATH)` for a member and `1NAME …` for a dependency of it. Only members have a path.
fn parse_members(tree: &str, root: &str) -> Vec<Member> {
    let mut members: Vec<Member> = Vec::new();
    for line in tree.lines() {
        let Some((name, rest)) = line.split_once(' ') else {
            continue;
        };
        let dir = rest.split_once('(').and_then(|(_, path)| path.split(')').next());
        let Some(dir) = dir.and_then(|path| path.strip_prefix(root)) else {
            continue;
        };
        if let Some(name) = name.strip_prefix('0') {
            let dir = dir.trim_start_matches(['/', '\\']).replace('\\', "/");
            members.push(Member {
                name: name.into(),
                dir,
                dependencies: Vec::new(),
            });
        } else if let (Some(name), Some(member)) = (name.strip_prefix('1'), members.last_mut()) {
            member.dependencies.push(name.into());
        }
    }
    members
}

/// Returns the members whose folders contain the files; all members if one of the files affects the whole workspace.
fn touched_members<'m>(files: &[String], members: &'m [Member]) -> BTreeSet<&'m str> {
    let workspace_files = ["Cargo.toml", "Cargo.lock", ".clippy.toml", "rust-toolchain.toml"];
    if files.iter().any(|file| workspace_files.contains(&file.as_str())) {
        return members.iter().map(|member| member.name.as_str()).collect();
    }
    let lies_in = |file: &str, dir: &str| file.strip_prefix(dir).is_some_and(|rest| rest.starts_with('/'));
    let holders = files
        .iter()
        .filter_map(|file| members.iter().find(|member| lies_in(file, &member.dir)));
    holders.map(|member| member.name.as_str()).collect()
}

/// Returns these members and all that depend on them, directly or indirectly.
fn affected_members<'m>(touched: &BTreeSet<&'m str>, members: &'m [Member]) -> BTreeSet<&'m str> {
    let mut affected = touched.clone();
    loop {
        let before = affected.len();
        for member in members {
            if member.dependencies.iter().any(|name| affected.contains(name.as_str())) {
                affected.insert(&member.name);
            }
        }
        if affected.len() == before {
            return affected;
        }
    }
}

/// Returns the modules of the cross-crate tests that must run for these files.
fn cross_crate_modules(files: &[String], is_engine_affected: bool) -> BTreeSet<&str> {
    let mut tests = BTreeSet::new();
    for file in files {
        if let Some(name) = file
            .strip_prefix("tests/tests/all/")
            .and_then(|name| name.strip_suffix(".rs"))
        {
            tests.insert(name);
        } else if file.starts_with("tests/conformance/") {
            tests.insert("conformance");
        } else if file.starts_with("tests/fuzz/") || file.starts_with("tests/src/fuzz/") {
            tests.insert("fuzz");
        }
        let is_golden = ["tests/scenarios/", "tests/golden/"]
            .iter()
            .any(|dir| file.starts_with(dir));
        if is_engine_affected || is_golden {
            tests.insert("scenarios");
        }
    }
    if !files.is_empty() {
        tests.extend(["architecture", "documents"]);
    }
    tests
}

#[cfg(test)]
mod tests {
    use super::{affected_members, cross_crate_modules, parse_members, touched_members};
    use std::collections::BTreeSet;

    /// Output of `cargo tree` for three crates and the xtask.
    const EXAMPLE_CARGO_TREE: &str = "0podscope-api v0.1.0 (/r/crates/api)\n1libm v0.2.1\n0podscope-sim v0.1.0 (/r/crates/sim)\n\
        1podscope-api v0.1.0 (/r/crates/api)\n0podscope v0.1.0 (/r/crates/cli)\n1podscope-sim v0.1.0 (/r/crates/sim) (*)\n\
        0xtask v0.1.0 (/r/crates/xtask)\n1sha2 v0.11.1\n";

    /// Returns the names of the members that these files touch, and of those that they affect.
    fn touched_and_affected(files: &[&str]) -> (Vec<String>, Vec<String>) {
        let members = parse_members(EXAMPLE_CARGO_TREE, "/r");
        let files: Vec<String> = files.iter().map(|file| (*file).to_string()).collect();
        let touched = touched_members(&files, &members);
        let owned = |names: &BTreeSet<&str>| names.iter().map(|name| (*name).to_string()).collect();
        (owned(&touched), owned(&affected_members(&touched, &members)))
    }

    #[test]
    fn change_touches_its_crate_and_affects_dependents() {
        let (touched, affected) = touched_and_affected(&["crates/sim/src/rng.rs", "README.md"]);
        assert_eq!(touched, ["podscope-sim"]);
        assert_eq!(affected, ["podscope", "podscope-sim"]);
        assert_eq!(touched_and_affected(&["crates/xtask/src/main.rs"]).1, ["xtask"]);
        assert_eq!(touched_and_affected(&["Cargo.lock"]).0.len(), 4);
        assert!(touched_and_affected(&["crates/simulated/x.rs"]).0.is_empty());
    }

    #[test]
    fn cross_crate_tests_run_if_engine_or_own_file_changed() {
        let modules = |files: &[&str], engine| -> Vec<String> {
            let files: Vec<String> = files.iter().map(|file| (*file).to_string()).collect();
            cross_crate_modules(&files, engine)
                .into_iter()
                .map(str::to_string)
                .collect()
        };
        assert_eq!(
            modules(&["crates/node/src/lib.rs"], true),
            ["architecture", "documents", "scenarios"]
        );
        assert_eq!(
            modules(&["tests/tests/all/links.rs"], false),
            ["architecture", "documents", "links"]
        );
        assert!(modules(&[], false).is_empty());
    }
}
