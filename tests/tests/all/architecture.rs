//! The structure of the workspace matches ARCHITECTURE.md (P-02).

use podscope_api::ordered;
use podscope_tests::{files, root};
use serde_json::Value;
use std::process::Command;

/// Each crate with the crates on which it builds. A crate may import these and, transitively, theirs. A crate is
/// listed after the crates on which it builds, so that cycles are impossible.
const CRATE_LAYERS: &[(&str, &[&str])] = &[
    ("podscope-messages", &[]),
    ("podscope-api", &["podscope-messages"]),
    ("podscope-cel", &["podscope-api"]),
    ("podscope-scheduler", &["podscope-cel"]),
    ("podscope-sim", &["podscope-api"]),
    ("podscope-apiserver", &["podscope-sim", "podscope-cel"]),
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
    // The page depends on the protocol and on nothing else of the engine.
    ("podscope-web", &["podscope-protocol"]),
    // The translator depends only on the glossary and the lesson files, so that the site can be built without the
    // engine.
    ("podscope-translate", &["podscope-protocol"]),
    ("podscope-split", &["podscope-protocol"]),
    ("podscope-serve", &["podscope-session"]),
    ("podscope-course", &["podscope-session"]),
    ("podscope-js", &["podscope-course"]),
    ("podscope", &["podscope-serve", "podscope-course"]),
    ("podscope-tests", &["podscope-serve"]),
    ("xtask", &[]),
];

/// Returns the crates that each crate may import.
fn allowed_imports() -> ordered::Map<&'static str, ordered::Set<&'static str>> {
    let mut all: ordered::Map<&str, ordered::Set<&str>> = ordered::Map::new();
    for (package, direct) in CRATE_LAYERS {
        let mut allowed = ordered::Set::new();
        for dependency in *direct {
            allowed.insert(*dependency);
            allowed.extend(all[dependency].iter().copied());
        }
        all.insert(*package, allowed);
    }
    all
}

/// Dependencies that only certain crates may use, with these crates.
const RESTRICTED_DEPENDENCIES: &[(&str, &[&str])] = &[
    // The page uses the plural rules of the browser instead.
    ("intl_pluralrules", &["podscope"]),
    ("hyper", &["podscope-serve"]),
    ("tokio", &["podscope-serve"]),
    ("tokio-tungstenite", &["podscope-serve"]),
    ("yew", &["podscope-web"]),
    ("gloo-timers", &["podscope-web", "podscope-js"]),
    ("wasm-bindgen", &["podscope-web", "podscope-js"]),
    ("web-sys", &["podscope-web", "podscope-js"]),
    ("js-sys", &["podscope-web", "podscope-js"]),
    ("serde-wasm-bindgen", &["podscope-js"]),
    ("console_error_panic_hook", &["podscope-web", "podscope-js"]),
];

/// Returns the metadata of the crates of the workspace.
fn workspace_packages() -> Vec<Value> {
    let out = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .current_dir(root())
        .output()
        .expect("cargo metadata runs");
    let metadata: Value = serde_json::from_slice(&out.stdout).expect("metadata is JSON");
    metadata["packages"].as_array().expect("packages").clone()
}

/// Returns the normal dependencies of each crate of the workspace.
fn dependencies_by_crate() -> ordered::Map<String, ordered::Set<String>> {
    workspace_packages()
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
fn crate_imports_follow_declared_layers() {
    let all = dependencies_by_crate();
    let ours: ordered::Set<&String> = all.keys().collect();
    let allowed_by_package = allowed_imports();
    for (package, names) in &all {
        let allowed = allowed_by_package
            .get(package.as_str())
            .unwrap_or_else(|| panic!("{package} has no place in tests/tests/all/architecture.rs"));
        for name in names.iter().filter(|name| ours.contains(name)) {
            assert!(allowed.contains(name.as_str()), "{package} must not import {name}");
        }
    }
}

#[test]
fn restricted_dependencies_are_used_only_by_their_crates() {
    let all = dependencies_by_crate();
    for (dependency, allowed) in RESTRICTED_DEPENDENCIES {
        for (package, names) in &all {
            let is_declared = names.contains(*dependency);
            let is_allowed = allowed.contains(&package.as_str());
            assert_eq!(is_declared, is_allowed, "{package} depends on {dependency} or lacks it");
            if is_declared {
                let import_name = dependency.replace('-', "_");
                let crate_dir = match package.as_str() {
                    "podscope" => "cli",
                    library => library.trim_start_matches("podscope-"),
                };
                let sources = podscope_tests::files(&format!("crates/{crate_dir}/src"), ".rs");
                let is_used = sources
                    .iter()
                    .any(|path| std::fs::read_to_string(path).is_ok_and(|text| text.contains(&import_name)));
                assert!(is_used, "{package} declares {dependency} but does not use it");
            }
        }
    }
}

#[test]
fn architecture_document_lists_each_dependency() {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let table = text.split("## Dependencies").nth(1).unwrap_or_default();
    let listed: ordered::Set<&str> = table
        .lines()
        .take_while(|line| !line.starts_with("## "))
        .filter_map(|line| line.strip_prefix('|')?.split('|').next())
        .flat_map(|cell| cell.split(','))
        .map(|name| name.trim().trim_matches('`'))
        .collect();
    let all = dependencies_by_crate();
    let ours: ordered::Set<&String> = all.keys().collect();
    let missing: ordered::Set<&String> = all
        .values()
        .flatten()
        .filter(|name| !ours.contains(name) && !listed.contains(name.as_str()))
        .collect();
    assert!(missing.is_empty(), "the table in ARCHITECTURE.md lacks {missing:?}");
}

#[test]
fn repository_root_has_only_known_entries() {
    let out = Command::new("git").args(["ls-files"]).current_dir(root()).output();
    // An unpacked source archive is not a git repository, so there is nothing to check.
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
    let unknown: Vec<&&str> = top
        .iter()
        .filter(|name| !name.starts_with('.') && !known.contains(name))
        .collect();
    assert!(
        unknown.is_empty(),
        "{unknown:?} must move into a folder or be added to this list"
    );
}

fn separates_identifiers(letter: char) -> bool {
    !letter.is_ascii_alphanumeric() && letter != '_'
}

/// Returns the identifier at the beginning of a text.
fn leading_identifier(text: &str) -> &str {
    text.split(separates_identifiers).next().unwrap_or_default()
}

/// Returns the identifier at the end of a text.
fn trailing_identifier(text: &str) -> &str {
    text.rsplit(separates_identifiers).next().unwrap_or_default()
}

/// Returns the paths `file::id` of the messages that a source file uses, with import aliases resolved.
fn messages_used_in_source(source: &str) -> ordered::Set<(String, String)> {
    let mut files: ordered::Map<&str, &str> = ordered::Map::new();
    for (at, _) in source.match_indices(" as ") {
        let file = trailing_identifier(&source[..at]);
        files.insert(leading_identifier(&source[at + 4..]), file);
    }
    let mut named = ordered::Set::new();
    for (at, _) in source.match_indices("::") {
        let file = trailing_identifier(&source[..at]);
        let file = files.get(file).copied().unwrap_or(file);
        if source[at + 2..].starts_with('$') {
            // A macro of this file completes the path with the first identifier in each of its calls.
            for (open, _) in source.match_indices("!(") {
                named.insert((file.to_owned(), leading_identifier(&source[open + 2..]).to_owned()));
            }
        }
        named.insert((file.to_owned(), leading_identifier(&source[at + 2..]).to_owned()));
    }
    named
}

/// Shows: Q-09
#[test]
fn each_message_is_used() {
    let mut named = ordered::Set::new();
    for path in files("crates", ".rs") {
        named.extend(messages_used_in_source(
            &std::fs::read_to_string(path).expect("a source"),
        ));
    }
    // Only the build script of the messages uses `language::name`: it lists the languages.
    named.insert(("language".to_owned(), "name".to_owned()));
    let unused: Vec<String> = podscope_messages::IDS
        .iter()
        .map(|(file, id)| (file.replace('-', "_"), id.replace('-', "_")))
        .filter(|message| !named.contains(message))
        .map(|(file, id)| format!("{file}::{id}"))
        .collect();
    assert!(unused.is_empty(), "no code uses {unused:?}");
}

#[test]
fn each_library_crate_has_a_tested_example() {
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
        assert!(examples >= 2, "{name}: lib.rs has no doc test");
    }
}

/// Each test binary links the engine again. Therefore a crate has a single test binary with many modules. Only the
/// crates for the browser have one for each page that wasm-pack opens.
#[test]
fn each_crate_has_one_test_binary() {
    for package in workspace_packages() {
        let name = package["name"].as_str().unwrap_or_default();
        let targets = package["targets"].as_array().into_iter().flatten();
        for target in targets.filter(|target| target["kind"][0] == "test") {
            let is_browser_crate = matches!(name, "podscope-web" | "podscope-js");
            assert!(
                is_browser_crate || target["name"] == "all",
                "{name}: {} must be a module of tests/all",
                target["name"]
            );
        }
    }
}

/// rustfmt does not insert blank lines between items, so this test demands them.
#[test]
fn blank_line_separates_items() {
    let begins_item = |line: &str| {
        let words = [
            "///", "#[", "pub ", "pub(", "fn ", "impl", "struct ", "enum ", "trait ", "mod ", "const ", "static ",
            "type ",
        ];
        words.iter().any(|word| line.starts_with(word))
    };
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut missing = Vec::new();
    for file in files("crates", ".rs").into_iter().chain(files("tests", ".rs")) {
        let text = std::fs::read_to_string(&file).expect("a source file");
        let pairs = text.lines().zip(text.lines().skip(1)).enumerate();
        let places = pairs.filter(|(_, (end, next))| {
            end.trim() == "}" && indent(end) == indent(next) && begins_item(next.trim_start())
        });
        missing.extend(places.map(|(at, _)| format!("{}:{}", file.display(), at + 2)));
    }
    assert!(missing.is_empty(), "no blank line before:\n{}", missing.join("\n"));
}

/// Returns the name of the item, field or variant that a line of code declares.
fn declared_name(line: &str) -> Option<&str> {
    let skipped = [
        "pub", "const", "async", "unsafe", "fn", "struct", "enum", "trait", "type", "mod", "static",
    ];
    let words = line.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    let mut words = words.filter(|word| !word.is_empty() && !skipped.contains(word));
    let first = words.next()?;
    let is_scoped = ["crate", "super"].contains(&first) && line.trim_start().starts_with("pub(");
    if is_scoped { words.next() } else { Some(first) }
}

/// Returns the words of a text or identifier in lower case and singular, without articles and other filler words.
fn significant_words(text: &str) -> ordered::Set<String> {
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

/// A doc comment must say more than the name of its item.
#[test]
fn no_doc_comment_only_repeats_the_name() {
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
            let declaration = lines.iter().skip(at + 1).find(|line| !line.starts_with("#["));
            let name = declaration.and_then(|line| declared_name(line)).unwrap_or_default();
            if significant_words(comment).is_subset(&significant_words(name)) {
                found.push(format!("{}:{}: {comment} {name}", file.display(), at + 1));
            }
        }
    }
    assert!(
        found.is_empty(),
        "delete these comments, they only repeat the name:\n{}",
        found.join("\n")
    );
}
