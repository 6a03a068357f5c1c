//! `cargo xtask test --changed`: form, clippy and tests of what a change touches.
//!
//! ```text
//! files that differ from main ─► crates they lie in (touched) ─► those that use them (affected)
//!                                      tests                          clippy: they still compile
//! ```
//! The tests that cross crates are many and long: of those, the golden scenarios run when the engine
//! is affected, and a test of theirs when its own file changed. `cargo xtask test` runs everything.

use crate::host;
use crate::run::{Counts, Fallible, Run};
use crate::steps::{self, BROWSER_CRATES, Outcome};
use std::collections::BTreeSet;
use std::time::Instant;

/// The package of tests that cross crates.
const TESTS: &str = "podscope-tests";
/// A package that every run of the engine contains.
const ENGINE: &str = "podscope-cluster";

/// A package of the workspace.
struct Member {
    name: String,
    /// Its folder, from the root.
    dir: String,
    /// Members that it uses, for its tests too.
    uses: Vec<String>,
}

pub(crate) fn test() -> Fallible {
    let files = files()?;
    let members = members()?;
    let touched = touched(&files, &members);
    let affected = affected(&touched, &members);
    println!("changed: {} files", files.len());
    println!("touched: {}", listed(&touched));
    println!("affected: {}", listed(&affected));

    let mut outcomes = Vec::new();
    let mut step = |name, run: Option<Run>| {
        let Some(run) = run else { return };
        eprintln!("\n== {name}");
        let began = Instant::now();
        let (done, counts) = run.counted();
        let seconds = began.elapsed().as_secs_f64();
        outcomes.push(Outcome {
            name,
            seconds,
            counts,
            done,
        });
    };
    step("fmt", Some(Run::cargo().args(["fmt", "--all", "--check"])));
    let is_native = |name: &&str| !BROWSER_CRATES.contains(name);
    step("clippy", clippy(affected.iter().copied().filter(is_native), &[]));
    let mut wasm = vec!["--target", "wasm32-unknown-unknown"];
    if affected.contains("podscope-web") {
        wasm.extend(steps::IN_BROWSER);
    }
    step(
        "clippy-wasm",
        clippy(affected.iter().copied().filter(|name| !is_native(name)), &wasm),
    );
    // The page's pure parts are tested natively; the engine's JavaScript surface is not.
    let own = touched
        .iter()
        .copied()
        .filter(|name| *name != TESTS && *name != "podscope-js");
    step("native", of(own, &["test", "--no-fail-fast"], &[]));
    let crossing = crossing(&files, affected.contains(ENGINE));
    let filters: Vec<String> = crossing.iter().map(|module| format!("{module}::")).collect();
    let crossing = || {
        Run::cargo()
            .args(["test", "-p", TESTS, "--test", "all", "--"])
            .args(filters)
    };
    step("crossing", (!files.is_empty()).then(crossing));

    let began = Instant::now();
    let done = crate::spec::report(&["--missing".to_string()]);
    let (seconds, counts) = (began.elapsed().as_secs_f64(), Counts::default());
    outcomes.push(Outcome {
        name: "spec",
        seconds,
        counts,
        done,
    });
    steps::summary(&outcomes, "cargo xtask test --changed")
}

fn listed(names: &BTreeSet<&str>) -> String {
    let names: Vec<&str> = names.iter().copied().collect();
    if names.is_empty() {
        "nothing".into()
    } else {
        names.join(", ")
    }
}

/// `cargo COMMAND -p …`, or nothing to do.
fn of<'n>(names: impl Iterator<Item = &'n str>, command: &[&str], rest: &[&str]) -> Option<Run> {
    let packages: Vec<&str> = names.flat_map(|name| ["-p", name]).collect();
    (!packages.is_empty()).then(|| Run::cargo().args(command).args(packages).args(rest))
}

fn clippy<'n>(names: impl Iterator<Item = &'n str>, target: &[&str]) -> Option<Run> {
    let command: Vec<&str> = ["clippy", "--keep-going"].iter().chain(target).copied().collect();
    of(names, &command, &["--all-targets", "--", "-D", "warnings"])
}

/// Files that differ from where the branch left main, uncommitted and new ones too.
fn files() -> Fallible<Vec<String>> {
    let git = |args: &[&str]| Run::new("git").args(args).output();
    let base = git(&["merge-base", "main", "HEAD"]).or_else(|_| git(&["merge-base", "origin/main", "HEAD"]));
    let base = base.or_else(|_| git(&["rev-parse", "HEAD"]))?;
    let mut found = git(&["diff", "--name-only", base.trim()])?;
    found.push_str(&git(&["ls-files", "--others", "--exclude-standard"])?);
    Ok(found.lines().map(str::to_string).collect())
}

fn members() -> Fallible<Vec<Member>> {
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
    Ok(members_of(&text, &host::root().to_string_lossy()))
}

/// Reads `0NAME vVERSION (/PATH)`, a member, and `1NAME …`, what it uses; only members have a path.
fn members_of(tree: &str, root: &str) -> Vec<Member> {
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
                uses: Vec::new(),
            });
        } else if let (Some(name), Some(member)) = (name.strip_prefix('1'), members.last_mut()) {
            member.uses.push(name.into());
        }
    }
    members
}

/// The members in whose folders the files lie; all, where one is of the whole workspace.
fn touched<'m>(files: &[String], members: &'m [Member]) -> BTreeSet<&'m str> {
    let of_all = ["Cargo.toml", "Cargo.lock", ".clippy.toml", "rust-toolchain.toml"];
    if files.iter().any(|file| of_all.contains(&file.as_str())) {
        return members.iter().map(|member| member.name.as_str()).collect();
    }
    let lies_in = |file: &str, dir: &str| file.strip_prefix(dir).is_some_and(|rest| rest.starts_with('/'));
    let holders = files
        .iter()
        .filter_map(|file| members.iter().find(|member| lies_in(file, &member.dir)));
    holders.map(|member| member.name.as_str()).collect()
}

/// These members and all that use them, directly or not.
fn affected<'m>(touched: &BTreeSet<&'m str>, members: &'m [Member]) -> BTreeSet<&'m str> {
    let mut affected = touched.clone();
    loop {
        let before = affected.len();
        for member in members {
            if member.uses.iter().any(|name| affected.contains(name.as_str())) {
                affected.insert(&member.name);
            }
        }
        if affected.len() == before {
            return affected;
        }
    }
}

/// The modules of tests that cross crates and that these files concern.
fn crossing(files: &[String], is_engine_affected: bool) -> BTreeSet<&str> {
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
    use super::{affected, crossing, members_of, touched};
    use std::collections::BTreeSet;

    const TREE: &str = "0podscope-api v0.1.0 (/r/crates/api)\n1libm v0.2.1\n0podscope-sim v0.1.0 (/r/crates/sim)\n\
        1podscope-api v0.1.0 (/r/crates/api)\n0podscope v0.1.0 (/r/crates/cli)\n1podscope-sim v0.1.0 (/r/crates/sim) (*)\n\
        0xtask v0.1.0 (/r/crates/xtask)\n1sha2 v0.11.1\n";

    fn names(files: &[&str]) -> (Vec<String>, Vec<String>) {
        let members = members_of(TREE, "/r");
        let files: Vec<String> = files.iter().map(|file| (*file).to_string()).collect();
        let touched = touched(&files, &members);
        let owned = |names: &BTreeSet<&str>| names.iter().map(|name| (*name).to_string()).collect();
        (owned(&touched), owned(&affected(&touched, &members)))
    }

    #[test]
    fn a_change_touches_its_crate_and_affects_who_uses_it() {
        let (touched, affected) = names(&["crates/sim/src/rng.rs", "README.md"]);
        assert_eq!(touched, ["podscope-sim"]);
        assert_eq!(affected, ["podscope", "podscope-sim"]);
        assert_eq!(names(&["crates/xtask/src/main.rs"]).1, ["xtask"]);
        assert_eq!(names(&["Cargo.lock"]).0.len(), 4);
        assert!(names(&["crates/simulated/x.rs"]).0.is_empty());
    }

    #[test]
    fn tests_that_cross_crates_run_when_the_engine_or_they_themselves_changed() {
        let of = |files: &[&str], engine| -> Vec<String> {
            let files: Vec<String> = files.iter().map(|file| (*file).to_string()).collect();
            crossing(&files, engine).into_iter().map(str::to_string).collect()
        };
        assert_eq!(
            of(&["crates/node/src/lib.rs"], true),
            ["architecture", "documents", "scenarios"]
        );
        assert_eq!(
            of(&["tests/tests/all/links.rs"], false),
            ["architecture", "documents", "links"]
        );
        assert!(of(&[], false).is_empty());
    }
}
