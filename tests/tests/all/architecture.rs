//! The shape of the workspace, as ARCHITECTURE.md states it. P-02.

use podscope_api::ordered;
use podscope_tests::{files, root};
use serde_json::Value;
use std::process::Command;

/// Each room with those it stands on: it may import them and what they stand on. From the ground up, so that no two
/// stand on each other.
const ROOMS: &[(&str, &[&str])] = &[
    ("podscope-api", &[]),
    ("podscope-cel", &["podscope-api"]),
    ("podscope-scheduler", &["podscope-cel"]),
    ("podscope-sim", &["podscope-api"]),
    ("podscope-apiserver", &["podscope-sim"]),
    ("podscope-node", &["podscope-sim"]),
    ("podscope-controllers", &["podscope-sim"]),
    (
        "podscope-cluster",
        &[
            "podscope-apiserver",
            "podscope-node",
            "podscope-controllers",
            "podscope-scheduler",
        ],
    ),
    ("podscope-kubectl", &["podscope-cluster"]),
    ("podscope-protocol", &["podscope-api"]),
    ("podscope-session", &["podscope-kubectl", "podscope-protocol"]),
    ("podscope-js", &["podscope-session"]),
    // The page knows nothing else of the engine.
    ("podscope-web", &["podscope-protocol"]),
    ("podscope-serve", &["podscope-session"]),
    ("podscope", &["podscope-serve"]),
    ("podscope-tests", &["podscope-serve"]),
    ("xtask", &[]),
];

/// What each room may import.
fn below() -> ordered::Map<&'static str, ordered::Set<&'static str>> {
    let mut all: ordered::Map<&str, ordered::Set<&str>> = ordered::Map::new();
    for (room, stands_on) in ROOMS {
        let mut below = ordered::Set::new();
        for under in *stands_on {
            below.insert(*under);
            below.extend(all[under].iter().copied());
        }
        all.insert(*room, below);
    }
    all
}

/// Dependencies with a place of their own.
const PLACES: &[(&str, &[&str])] = &[
    ("hyper", &["podscope-serve"]),
    ("tokio", &["podscope-serve"]),
    ("yew", &["podscope-web"]),
    ("gloo-timers", &["podscope-web", "podscope-js"]),
    ("wasm-bindgen", &["podscope-web", "podscope-js"]),
    ("web-sys", &["podscope-web", "podscope-js"]),
    ("js-sys", &["podscope-web", "podscope-js"]),
    ("serde-wasm-bindgen", &["podscope-js"]),
    ("console_error_panic_hook", &["podscope-web", "podscope-js"]),
];

/// What Cargo says of our crates.
fn packages() -> Vec<Value> {
    let out = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .current_dir(root())
        .output()
        .expect("cargo metadata runs");
    let metadata: Value = serde_json::from_slice(&out.stdout).expect("metadata is JSON");
    metadata["packages"].as_array().expect("packages").clone()
}

/// Our crates and the packages that each names as normal dependencies.
fn dependencies() -> ordered::Map<String, ordered::Set<String>> {
    packages()
        .iter()
        .map(|package| {
            let names = package["dependencies"].as_array().into_iter().flatten();
            let normal = names.filter(|dependency| dependency["kind"].is_null());
            let names = normal.filter_map(|dependency| dependency["name"].as_str());
            (
                package["name"].as_str().unwrap_or_default().into(),
                names.map(String::from).collect(),
            )
        })
        .collect()
}

#[test]
fn imports_run_one_way() {
    let all = dependencies();
    let ours: ordered::Set<&String> = all.keys().collect();
    let below = below();
    for (package, names) in &all {
        let below = below
            .get(package.as_str())
            .unwrap_or_else(|| panic!("{package} has no place in tests/tests/all/architecture.rs"));
        for name in names.iter().filter(|name| ours.contains(name)) {
            assert!(below.contains(name.as_str()), "{package} must not import {name}");
        }
    }
}

#[test]
fn browser_dependencies_stay_in_the_browsers_crates_and_are_used_there() {
    let all = dependencies();
    for (dependency, places) in PLACES {
        for (package, names) in &all {
            let named = names.contains(*dependency);
            let belongs = places.contains(&package.as_str());
            assert_eq!(named, belongs, "{package} and {dependency}");
            if named {
                let word = dependency.replace('-', "_");
                let crate_dir = package.trim_start_matches("podscope-");
                let sources = podscope_tests::files(&format!("crates/{crate_dir}/src"), ".rs");
                let used = sources
                    .iter()
                    .any(|path| std::fs::read_to_string(path).is_ok_and(|text| text.contains(&word)));
                assert!(used, "{package} names {dependency} and does not use it");
            }
        }
    }
}

#[test]
fn each_dependency_is_named_in_the_architecture_with_its_purpose() {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let table = text.split("## Dependencies").nth(1).unwrap_or_default();
    let named: ordered::Set<&str> = table
        .lines()
        .take_while(|line| !line.starts_with("## "))
        .filter_map(|line| line.strip_prefix('|')?.split('|').next())
        .flat_map(|cell| cell.split(','))
        .map(|name| name.trim().trim_matches('`'))
        .collect();
    let all = dependencies();
    let ours: ordered::Set<&String> = all.keys().collect();
    let missing: ordered::Set<&String> = all
        .values()
        .flatten()
        .filter(|name| !ours.contains(name) && !named.contains(name.as_str()))
        .collect();
    assert!(missing.is_empty(), "the table in ARCHITECTURE.md lacks {missing:?}");
}

#[test]
fn the_top_level_holds_what_a_newcomer_opens_first() {
    let out = Command::new("git").args(["ls-files"]).current_dir(root()).output();
    // An unpacked archive has no git: then there is nothing to look at.
    let Some(out) = out.ok().filter(|out| out.status.success()) else {
        return;
    };
    let text = String::from_utf8_lossy(&out.stdout);
    let top: ordered::Set<&str> = text.lines().filter_map(|path| path.split('/').next()).collect();
    let known = [
        "ARCHITECTURE.md",
        "Cargo.lock",
        "Cargo.toml",
        "LICENSE",
        "README.md",
        "Trunk.toml",
        "contrib",
        "crates",
        "docs",
        "index.html",
        "rust-toolchain.toml",
        "tests",
        "www",
    ];
    let strange: Vec<&&str> = top
        .iter()
        .filter(|name| !name.starts_with('.') && !known.contains(name))
        .collect();
    assert!(strange.is_empty(), "{strange:?} belong into a folder");
}

#[test]
fn each_library_crate_begins_with_an_example() {
    for name in [
        "api",
        "scheduler",
        "sim",
        "apiserver",
        "node",
        "controllers",
        "cluster",
        "protocol",
        "kubectl",
        "session",
    ] {
        let path = root().join(format!("crates/{name}/src/lib.rs"));
        let text = std::fs::read_to_string(&path).expect("lib.rs");
        let examples = text.lines().filter(|line| *line == "//! ```").count();
        assert!(examples >= 2, "{name}: the front page has no example that runs");
    }
}

/// Each program of tests links the whole engine once more: a crate has one, of many modules. A browser's has one for each
/// page that wasm-pack opens.
#[test]
fn a_crate_has_one_program_of_tests() {
    for package in packages() {
        let name = package["name"].as_str().unwrap_or_default();
        let targets = package["targets"].as_array().into_iter().flatten();
        for target in targets.filter(|target| target["kind"][0] == "test") {
            let is_browsers = matches!(name, "podscope-web" | "podscope-js");
            assert!(
                is_browsers || target["name"] == "all",
                "{name}: {} belongs into tests/all",
                target["name"]
            );
        }
    }
}

/// A blank line stands between items, as readers of rustfmt's output expect.
#[test]
fn a_blank_line_stands_between_items() {
    let begins = |line: &str| {
        let words = [
            "///", "#[", "pub ", "pub(", "fn ", "impl", "struct ", "enum ", "trait ", "mod ", "const ", "static ",
            "type ",
        ];
        words.iter().any(|word| line.starts_with(word))
    };
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut close = Vec::new();
    for file in files("crates", ".rs").into_iter().chain(files("tests", ".rs")) {
        let text = std::fs::read_to_string(&file).expect("a source file");
        let pairs = text.lines().zip(text.lines().skip(1)).enumerate();
        let places = pairs
            .filter(|(_, (end, next))| end.trim() == "}" && indent(end) == indent(next) && begins(next.trim_start()));
        close.extend(places.map(|(at, _)| format!("{}:{}", file.display(), at + 2)));
    }
    assert!(close.is_empty(), "no blank line before:\n{}", close.join("\n"));
}

/// The name that a line of code gives something: an item, a field, a variant.
fn named(line: &str) -> Option<&str> {
    let skipped = [
        "pub", "const", "async", "unsafe", "fn", "struct", "enum", "trait", "type", "mod", "static",
    ];
    let words = line.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    let mut words = words.filter(|word| !word.is_empty() && !skipped.contains(word));
    let first = words.next()?;
    let is_scoped = ["crate", "super"].contains(&first) && line.trim_start().starts_with("pub(");
    if is_scoped { words.next() } else { Some(first) }
}

/// The words of a text or a name, in singular and small letters; articles say nothing.
fn meant(text: &str) -> ordered::Set<String> {
    let mut spaced = String::new();
    for c in text.chars() {
        if c.is_uppercase() || !c.is_alphanumeric() {
            spaced.push(' ');
        }
        if c.is_alphanumeric() {
            spaced.push(c.to_ascii_lowercase());
        }
    }
    let articles = ["a", "an", "the", "its", "of", "one", "this", "that", "which", "what"];
    let words = spaced.split_whitespace().filter(|word| !articles.contains(word));
    words.map(|word| word.trim_end_matches('s').to_owned()).collect()
}

/// A comment says more than the name below it.
#[test]
fn no_comment_only_repeats_a_name() {
    let mut found = Vec::new();
    for file in files("crates", ".rs") {
        let text = std::fs::read_to_string(&file).expect("a source file");
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        let is_comment = |at: Option<usize>| {
            at.and_then(|at| lines.get(at))
                .is_some_and(|line| line.starts_with("///"))
        };
        for (at, line) in lines.iter().enumerate() {
            let Some(comment) = line.strip_prefix("/// ").filter(|text| !text.contains(['`', '('])) else {
                continue;
            };
            if is_comment(at.checked_sub(1)) || is_comment(Some(at + 1)) {
                continue;
            }
            let below = lines.iter().skip(at + 1).find(|line| !line.starts_with("#["));
            let name = below.and_then(|line| named(line)).unwrap_or_default();
            if meant(comment).is_subset(&meant(name)) {
                found.push(format!("{}:{}: {comment} {name}", file.display(), at + 1));
            }
        }
    }
    assert!(found.is_empty(), "these comments can go:\n{}", found.join("\n"));
}
