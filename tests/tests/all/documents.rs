//! All paths, commands, crates and types that are named in the documents exist (Q-07).

use podscope_api::ordered;
use podscope_tests::root;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Prefixes by which a path in a document is recognised as a path of this repository.
const REPOSITORY_FOLDERS: &[&str] = &["crates/", "tests/", "docs/", "www/", ".github/", ".ci/"];

/// Extensions of source files. A document may refer to such a file by the last part of its path.
const SOURCE_ENDINGS: &[&str] = &[".rs", ".mjs", ".js"];

/// The specification also names commands and paths that do not exist yet, so they are not checked.
const SPECIFICATION: &str = "docs/specification.md";

struct Document {
    name: String,
    text: String,
}

impl Document {
    fn open(name: &str) -> Option<Self> {
        let text = fs::read_to_string(root().join(name)).ok()?;
        Some(Self {
            name: name.into(),
            text,
        })
    }

    /// Returns the inline code of the document, without fenced code blocks.
    fn inline_code(&self) -> Vec<&str> {
        let mut is_fenced = false;
        let plain = self.text.lines().filter(|line| {
            let is_fence = line.trim_start().starts_with("```");
            is_fenced ^= is_fence;
            !is_fence && !is_fenced
        });
        plain.flat_map(|line| line.split('`').skip(1).step_by(2)).collect()
    }

    /// Returns everything that may be a command: lines of fenced `sh` blocks, inline code and steps of a workflow.
    fn possible_commands(&self) -> Vec<&str> {
        let mut inside = false;
        let blocks = self.text.lines().filter(|line| {
            if line.starts_with("```") {
                inside = line.ends_with("sh");
            }
            inside
        });
        let steps = self.text.lines().filter_map(|line| Some(line.split_once("- run: ")?.1));
        blocks.map(str::trim).chain(steps).chain(self.inline_code()).collect()
    }

    /// Returns the targets of relative links.
    fn links(&self) -> Vec<&str> {
        let marked = ["](", "src=\"", "srcset=\"", "href=\""];
        let plain = self.text.lines().flat_map(|line| line.split('`').step_by(2));
        let starts = plain.flat_map(|text| marked.iter().flat_map(move |mark| text.split(mark).skip(1)));
        let targets = starts.filter_map(|rest| rest.split([')', '"', '#', ' ']).next());
        targets
            .filter(|target| !target.is_empty() && !target.contains("://"))
            .collect()
    }
}

/// Returns whether all paths and types in the document must exist in this repository. Some documents also name those of
/// Kubernetes.
fn is_about_this_repository(name: &str) -> bool {
    const DOCUMENTS_ON_KUBERNETES: [&str; 3] = ["docs/specification.md", "docs/examples.md", "docs/since-v1.34.md"];
    !name.starts_with("docs/facts/") && !DOCUMENTS_ON_KUBERNETES.contains(&name)
}

/// Returns all documents, except licences of third parties.
fn all_documents() -> Vec<Document> {
    let names = repository_files()
        .into_iter()
        .filter(|name| name.ends_with(".md") && name != "www/THIRD-PARTY.md");
    names.filter_map(|name| Document::open(&name)).collect()
}

fn documents_about_this_repository() -> Vec<Document> {
    all_documents()
        .into_iter()
        .filter(|document| is_about_this_repository(&document.name))
        .collect()
}

/// Returns the path of every file of the repository except build output, with forward slashes.
fn repository_files() -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![root()];
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(&dir).expect("a folder").flatten() {
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().into_owned();
            if path.is_dir() {
                if !["target", "dist", "node_modules", ".git", "pkg"].contains(&name.as_str()) {
                    open.push(path);
                }
            } else if let Ok(path) = path.strip_prefix(root()) {
                found.push(path.to_string_lossy().replace('\\', "/"));
            }
        }
    }
    found
}

/// Expands braces: `a/{b,c}.rs` gives two paths.
fn expand_braces(path: &str) -> Vec<String> {
    match path
        .split_once('{')
        .and_then(|(before, rest)| Some((before, rest.split_once('}')?)))
    {
        Some((before, (choices, after))) => choices
            .split(',')
            .map(|choice| format!("{before}{choice}{after}"))
            .collect(),
        None => vec![path.to_string()],
    }
}

/// Returns the part of a path before the first placeholder: `crates` of `crates/NAME/src`, `tests` of `tests/*.yaml`.
fn before_placeholder(path: &str) -> &str {
    let is_placeholder = |part: &str| {
        part.contains(['*', '…', '<'])
            || part.split('.').next().is_some_and(|stem| {
                !stem.is_empty()
                    && stem.bytes().all(|b| b.is_ascii_uppercase())
                    && !["README", "ARCHITECTURE", "SECURITY", "CONTRIBUTING", "LICENSE"].contains(&stem)
            })
    };
    let mut end = 0;
    for part in path.split('/') {
        if is_placeholder(part) {
            break;
        }
        end += part.len() + 1;
    }
    path[..end.min(path.len())].trim_end_matches('/')
}

/// Shows: Q-07
#[test]
fn paths_and_links_in_documents_exist() {
    let tree = repository_files();
    let exists = |path: &str| {
        let ending = format!("/{path}");
        let inside = format!("{path}/");
        let middle = format!("/{path}/");
        path.is_empty()
            || tree.iter().any(|file| {
                file == path || file.ends_with(&ending) || file.starts_with(&inside) || file.contains(&middle)
            })
    };
    let mut missing = Vec::new();
    for document in all_documents() {
        let is_about_this_repository = is_about_this_repository(&document.name);
        for code in document
            .inline_code()
            .into_iter()
            .filter(|_| document.name != SPECIFICATION)
        {
            let is_path = !code.contains([' ', '(', '"', '=', ':'])
                && (REPOSITORY_FOLDERS.iter().any(|folder| code.starts_with(folder))
                    || is_about_this_repository && SOURCE_ENDINGS.iter().any(|ending| code.ends_with(ending)));
            if is_path && !expand_braces(code).iter().all(|path| exists(before_placeholder(path))) {
                missing.push(format!("{}: `{code}` does not exist", document.name));
            }
        }
        let document_path = root().join(&document.name);
        let folder = document_path.parent().unwrap_or(Path::new(""));
        for target in document
            .links()
            .into_iter()
            .filter(|target| !folder.join(target).exists())
        {
            missing.push(format!("{} links to {target}, which does not exist", document.name));
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

/// Returns what `cargo xtask ARGS` prints.
fn xtask_output(args: &[&str]) -> String {
    let out = Command::new(env!("CARGO"))
        .arg("xtask")
        .args(args)
        .current_dir(root())
        .output();
    String::from_utf8_lossy(&out.expect("xtask runs").stdout).into_owned()
}

/// Returns the word that follows `prefix` in each line that starts with it.
fn first_words_after_prefix<'t>(help: &'t str, prefix: &str) -> ordered::Set<&'t str> {
    let rows = help
        .lines()
        .filter_map(|line| line.strip_prefix(prefix)?.split(' ').next());
    rows.filter(|word| !word.is_empty()).collect()
}

/// Shows: Q-07
#[test]
fn commands_in_documents_exist() {
    let podscope = fs::read_to_string(root().join("docs/commands.md")).expect("docs/commands.md");
    let (xtask, steps) = (xtask_output(&["help"]), xtask_output(&["test", "--list"]));
    let (xtask, podscope, steps) = (
        first_words_after_prefix(&xtask, "  "),
        first_words_after_prefix(&podscope, "## podscope "),
        first_words_after_prefix(&steps, ""),
    );
    let mut missing = Vec::new();
    let workflows = podscope_tests::files(".github/workflows", ".yml");
    let workflows = workflows
        .iter()
        .filter_map(|path| Document::open(&path.to_string_lossy()));
    for document in all_documents().into_iter().chain(workflows) {
        for command in document
            .possible_commands()
            .into_iter()
            .filter(|_| document.name != SPECIFICATION)
        {
            // `[…]` and words in upper case are placeholders.
            let is_word = |word: &&str| word.starts_with(|c: char| c.is_ascii_lowercase());
            let mut words = command.split(' ').take_while(|word| *word != "#");
            let known = match (words.next(), words.next()) {
                (Some("cargo"), Some("xtask")) => match words.next() {
                    Some("test") => words.filter(is_word).all(|step| steps.contains(step)),
                    Some("finish") | None => true, // only Trunk's hook calls `finish`
                    Some(word) => !is_word(&word) || xtask.contains(word),
                },
                (Some("podscope"), Some(word)) => !is_word(&word) || podscope.contains(word) || word == "help",
                _ => true,
            };
            if !known {
                missing.push(format!("{}: `{command}`", document.name));
            }
        }
    }
    assert!(missing.is_empty(), "no such command:\n{}", missing.join("\n"));
}

/// If a document links to a lesson with `#lesson=NAME`, the lesson exists.
#[test]
fn lessons_linked_in_documents_exist() {
    for document in all_documents() {
        for rest in document.text.split("#lesson=").skip(1) {
            let lesson = rest.split(['&', '"', ')', '`']).next().unwrap_or_default();
            // `NAME` and `…` are placeholders.
            let is_name = lesson.starts_with(|c: char| c.is_ascii_lowercase());
            assert!(
                !is_name || podscope_session::lessons::text(lesson).is_some(),
                "{}: no lesson {lesson}",
                document.name
            );
        }
    }
}

/// Returns every word of the Rust and JavaScript code, without comments: identifiers, words in string literals and
/// names of modules.
fn words_in_code() -> ordered::Set<String> {
    let mut found = ordered::Set::new();
    let is_identifier_char = |c: char| c.is_ascii_alphanumeric() || c == '_';
    for file in repository_files() {
        if ![".rs", ".mjs", ".js"].iter().any(|ending| file.ends_with(ending)) {
            continue;
        }
        let text = fs::read_to_string(root().join(&file)).unwrap_or_default();
        for line in text.lines().map(str::trim).filter(|line| !line.starts_with("//")) {
            let code = line.split(" // ").next().unwrap_or_default();
            found.extend(
                code.split(|c| !is_identifier_char(c))
                    .filter(|word| !word.is_empty())
                    .map(str::to_string),
            );
        }
        // A file name is the name of a module.
        found.extend(file.split(['/', '.']).map(str::to_string));
    }
    found
}

/// Shows: Q-07
#[test]
fn crates_and_types_in_documents_exist() {
    let words = words_in_code();
    let packages = workspace_packages();
    let mut missing = Vec::new();
    for document in documents_about_this_repository() {
        for code in document.inline_code() {
            let name = code.trim_end_matches("()");
            let parts: Vec<&str> = name.split("::").collect();
            let is_name = parts.iter().all(|part| {
                part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
                    && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            });
            let upper_case_letters = name.chars().filter(char::is_ascii_uppercase).count();
            let is_type = parts.len() > 1
                || upper_case_letters > 1
                    && name.starts_with(|c: char| c.is_ascii_uppercase())
                    && name.contains(|c: char| c.is_ascii_lowercase());
            let is_missing = is_name && is_type && !parts.iter().all(|part| words.contains(*part))
                || name.starts_with("podscope-") && is_crate_name(name) && !packages.contains(name);
            if is_missing {
                missing.push(format!("{}: `{code}`", document.name));
            }
        }
    }
    assert!(missing.is_empty(), "no such name:\n{}", missing.join("\n"));
}

/// The table "Written by hand" in ARCHITECTURE.md states the size of some folders. The actual lines and KiB must be
/// within 10 % of it.
/// Shows: Q-07
#[test]
fn hand_written_code_has_the_documented_size() {
    let architecture = Document::open("ARCHITECTURE.md").expect("ARCHITECTURE.md exists");
    let (_, table) = architecture
        .text
        .split_once("**Written by hand**")
        .expect("the table exists");
    let mut wrong = Vec::new();
    for row in table
        .lines()
        .filter(|line| line.starts_with("| ") && line.contains('`'))
    {
        let cells: Vec<&str> = row.split(" | ").collect();
        let codes = cells[0].split('`').skip(1).step_by(2).flat_map(expand_braces);
        let paths = codes.collect::<Vec<_>>();
        let files = repository_files().into_iter().filter(|file| {
            let is_named = |path: &String| file == path || file.starts_with(&format!("{path}/"));
            paths.iter().any(is_named) && !file.ends_with("/tests.rs")
        });
        let (mut lines, mut bytes) = (0, 0);
        for file in files {
            let text = fs::read_to_string(root().join(file)).expect("a text");
            lines += text.lines().count();
            bytes += text.len();
        }
        let number = |cell: &str| cell.replace(' ', "").parse::<usize>().unwrap_or_default();
        let is_close = |stated: usize, actual: usize| stated.abs_diff(actual) * 10 <= actual + 10;
        if !is_close(number(cells[1]), lines) || !is_close(number(cells[2]), bytes / 1024) {
            wrong.push(format!("{}: {lines} lines, {} KiB", cells[0], bytes / 1024));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn is_crate_name(name: &str) -> bool {
    name.chars().all(|c| c.is_ascii_lowercase() || c == '-')
}

/// Returns the package names in all Cargo.toml files.
fn workspace_packages() -> ordered::Set<String> {
    let tree = repository_files();
    let manifests = tree.iter().filter(|file| file.ends_with("Cargo.toml"));
    let texts = manifests.filter_map(|file| fs::read_to_string(root().join(file)).ok());
    let names = texts.filter_map(|text| {
        let line = text.lines().find_map(|line| line.strip_prefix("name = \""))?;
        Some(line.trim_end_matches('"').to_string())
    });
    names.collect()
}
