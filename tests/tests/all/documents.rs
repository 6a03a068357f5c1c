//! What the documents name is there: paths, commands, crates, types. Q-07.

use podscope_api::ordered;
use podscope_tests::root;
use std::fs;
use std::path::Path;
use std::process::Command;

/// What a path of ours begins with.
const FOLDERS: &[&str] = &["crates/", "tests/", "docs/", "www/", ".github/", ".ci/"];

/// Names of files of ours end so, also where a document names only the end of a path.
const ENDINGS: &[&str] = &[".rs", ".mjs", ".js"];

/// The specification names what is still to be built: its commands and paths need not be there.
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

    /// What stands between single backticks, outside of fenced blocks.
    fn codes(&self) -> Vec<&str> {
        let mut is_fenced = false;
        let plain = self.text.lines().filter(|line| {
            let is_fence = line.trim_start().starts_with("```");
            is_fenced ^= is_fence;
            !is_fence && !is_fenced
        });
        plain.flat_map(|line| line.split('`').skip(1).step_by(2)).collect()
    }

    /// Lines of fenced `sh` blocks, inline code, and steps of a workflow: what a person or a machine may type.
    fn commands(&self) -> Vec<&str> {
        let mut inside = false;
        let blocks = self.text.lines().filter(|line| {
            if line.starts_with("```") {
                inside = line.ends_with("sh");
            }
            inside
        });
        let steps = self.text.lines().filter_map(|line| Some(line.split_once("- run: ")?.1));
        blocks.map(str::trim).chain(steps).chain(self.codes()).collect()
    }

    /// Where its links lead.
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

/// Whether a document is about this repository: then every path and type in it is ours.
fn is_ours(name: &str) -> bool {
    const ON_KUBERNETES: [&str; 3] = ["docs/specification.md", "docs/examples.md", "docs/since-v1.34.md"];
    !name.starts_with("docs/facts/") && !ON_KUBERNETES.contains(&name)
}

/// Every document but the licences of others.
fn all() -> Vec<Document> {
    let names = tree()
        .into_iter()
        .filter(|name| name.ends_with(".md") && name != "www/THIRD-PARTY.md");
    names.filter_map(|name| Document::open(&name)).collect()
}

fn ours() -> Vec<Document> {
    all().into_iter().filter(|document| is_ours(&document.name)).collect()
}

/// Every file of the repository that git knows or would know, as a path with slashes.
fn tree() -> Vec<String> {
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

/// `a/{b,c}.rs` is two paths.
fn spread(path: &str) -> Vec<String> {
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

/// The part of a path before what stands for something else: `crates/NAME/src`, `tests/*.yaml`.
fn fixed(path: &str) -> &str {
    let is_open = |part: &str| {
        part.contains(['*', '…', '<'])
            || part.split('.').next().is_some_and(|stem| {
                !stem.is_empty()
                    && stem.bytes().all(|b| b.is_ascii_uppercase())
                    && !["README", "ARCHITECTURE", "SECURITY", "CONTRIBUTING", "LICENSE"].contains(&stem)
            })
    };
    let mut end = 0;
    for part in path.split('/') {
        if is_open(part) {
            break;
        }
        end += part.len() + 1;
    }
    path[..end.min(path.len())].trim_end_matches('/')
}

/// Shows: Q-07
#[test]
fn paths_and_links_of_the_documents_lead_somewhere() {
    let tree = tree();
    let is_there = |path: &str| {
        let ending = format!("/{path}");
        let inside = format!("{path}/");
        let middle = format!("/{path}/");
        path.is_empty()
            || tree.iter().any(|file| {
                file == path || file.ends_with(&ending) || file.starts_with(&inside) || file.contains(&middle)
            })
    };
    let mut lost = Vec::new();
    for document in all() {
        let is_ours = is_ours(&document.name);
        for code in document.codes().into_iter().filter(|_| document.name != SPECIFICATION) {
            let is_path = !code.contains([' ', '(', '"', '=', ':'])
                && (FOLDERS.iter().any(|folder| code.starts_with(folder))
                    || is_ours && ENDINGS.iter().any(|ending| code.ends_with(ending)));
            if is_path && !spread(code).iter().all(|path| is_there(fixed(path))) {
                lost.push(format!("{}: `{code}` is not there", document.name));
            }
        }
        let below = root().join(&document.name);
        let below = below.parent().unwrap_or(Path::new(""));
        for target in document
            .links()
            .into_iter()
            .filter(|target| !below.join(target).exists())
        {
            lost.push(format!("{} links to {target}, which is not there", document.name));
        }
    }
    assert!(lost.is_empty(), "{}", lost.join("\n"));
}

/// What a command of ours prints.
fn said(args: &[&str]) -> String {
    let out = Command::new(env!("CARGO"))
        .arg("xtask")
        .args(args)
        .current_dir(root())
        .output();
    String::from_utf8_lossy(&out.expect("it runs").stdout).into_owned()
}

/// The first words of what a help text lists.
fn listed<'t>(help: &'t str, lead: &str) -> ordered::Set<&'t str> {
    let rows = help
        .lines()
        .filter_map(|line| line.strip_prefix(lead)?.split(' ').next());
    rows.filter(|word| !word.is_empty()).collect()
}

/// Shows: Q-07
#[test]
fn commands_of_the_documents_exist() {
    let podscope = fs::read_to_string(root().join("crates/cli/src/help.txt")).expect("what `podscope help` prints");
    let (xtask, steps) = (said(&["help"]), said(&["test", "--list"]));
    let (xtask, podscope, steps) = (
        listed(&xtask, "  "),
        listed(&podscope, "  podscope "),
        listed(&steps, ""),
    );
    let mut lost = Vec::new();
    let workflows = podscope_tests::files(".github/workflows", ".yml");
    let workflows = workflows
        .iter()
        .filter_map(|path| Document::open(&path.to_string_lossy()));
    for document in all().into_iter().chain(workflows) {
        for command in document
            .commands()
            .into_iter()
            .filter(|_| document.name != SPECIFICATION)
        {
            // `[…]` and words in capitals stand for something else.
            let is_word = |word: &&str| word.starts_with(|c: char| c.is_ascii_lowercase());
            let mut words = command.split(' ').take_while(|word| *word != "#");
            let known = match (words.next(), words.next()) {
                (Some("cargo"), Some("xtask")) => match words.next() {
                    Some("test") => words.filter(is_word).all(|step| steps.contains(step)),
                    Some("finish") | None => true, // Trunk's hook, no person's command
                    Some(word) => !is_word(&word) || xtask.contains(word),
                },
                (Some("podscope"), Some(word)) => !is_word(&word) || podscope.contains(word) || word == "help",
                _ => true,
            };
            if !known {
                lost.push(format!("{}: `{command}`", document.name));
            }
        }
    }
    assert!(lost.is_empty(), "no such command:\n{}", lost.join("\n"));
}

/// Lessons that documents link to by their address.
#[test]
fn lessons_of_the_documents_exist() {
    for document in all() {
        for rest in document.text.split("#lesson=").skip(1) {
            let lesson = rest.split(['&', '"', ')', '`']).next().unwrap_or_default();
            // `NAME` and `…` stand for something else.
            let is_name = lesson.starts_with(|c: char| c.is_ascii_lowercase());
            assert!(
                !is_name || podscope_session::lessons::text(lesson).is_some(),
                "{}: no lesson {lesson}",
                document.name
            );
        }
    }
}

/// What Rust and JavaScript code of ours says besides comments: names of items and variants, and every
/// word of a text in quotes.
fn words() -> ordered::Set<String> {
    let mut found = ordered::Set::new();
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    for file in tree() {
        if ![".rs", ".mjs", ".js"].iter().any(|ending| file.ends_with(ending)) {
            continue;
        }
        let text = fs::read_to_string(root().join(&file)).unwrap_or_default();
        for line in text.lines().map(str::trim).filter(|line| !line.starts_with("//")) {
            let code = line.split(" // ").next().unwrap_or_default();
            found.extend(
                code.split(|c| !is_part(c))
                    .filter(|word| !word.is_empty())
                    .map(str::to_string),
            );
        }
        // A file is a module.
        found.extend(file.split(['/', '.']).map(str::to_string));
    }
    found
}

/// Shows: Q-07
#[test]
fn crates_and_types_of_the_documents_exist() {
    let words = words();
    let packages = said_packages();
    let mut lost = Vec::new();
    for document in ours() {
        for code in document.codes() {
            let name = code.trim_end_matches("()");
            let parts: Vec<&str> = name.split("::").collect();
            let is_name = parts.iter().all(|part| {
                part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
                    && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            });
            let humps = name.chars().filter(char::is_ascii_uppercase).count();
            let is_type = parts.len() > 1
                || humps > 1
                    && name.starts_with(|c: char| c.is_ascii_uppercase())
                    && name.contains(|c: char| c.is_ascii_lowercase());
            let is_lost = is_name && is_type && !parts.iter().all(|part| words.contains(*part))
                || name.starts_with("podscope-") && is_name_of_crate(name) && !packages.contains(name);
            if is_lost {
                lost.push(format!("{}: `{code}`", document.name));
            }
        }
    }
    assert!(lost.is_empty(), "no such name:\n{}", lost.join("\n"));
}

/// What ARCHITECTURE says is written by hand weighs what it says there, within a tenth.
/// Shows: Q-07
#[test]
fn what_is_written_by_hand_weighs_what_the_architecture_says() {
    let architecture = Document::open("ARCHITECTURE.md").expect("it is there");
    let (_, table) = architecture.text.split_once("**Written by hand**").expect("its table");
    let mut wrong = Vec::new();
    for row in table
        .lines()
        .filter(|line| line.starts_with("| ") && line.contains('`'))
    {
        let cells: Vec<&str> = row.split(" | ").collect();
        let codes = cells[0].split('`').skip(1).step_by(2).flat_map(spread);
        let of_rows = codes.collect::<Vec<_>>();
        let counted = tree().into_iter().filter(|file| {
            let is_named = |path: &String| file == path || file.starts_with(&format!("{path}/"));
            of_rows.iter().any(is_named) && !file.ends_with("/tests.rs")
        });
        let (mut lines, mut bytes) = (0, 0);
        for file in counted {
            let text = fs::read_to_string(root().join(file)).expect("a text");
            lines += text.lines().count();
            bytes += text.len();
        }
        let said = |cell: &str| cell.replace(' ', "").parse::<usize>().unwrap_or_default();
        let fits = |said: usize, is: usize| said.abs_diff(is) * 10 <= is + 10;
        if !fits(said(cells[1]), lines) || !fits(said(cells[2]), bytes / 1024) {
            wrong.push(format!("{}: {lines} lines, {} KiB", cells[0], bytes / 1024));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn is_name_of_crate(name: &str) -> bool {
    name.chars().all(|c| c.is_ascii_lowercase() || c == '-')
}

/// The packages of the workspace.
fn said_packages() -> ordered::Set<String> {
    let tree = tree();
    let manifests = tree.iter().filter(|file| file.ends_with("Cargo.toml"));
    let texts = manifests.filter_map(|file| fs::read_to_string(root().join(file)).ok());
    let names = texts.filter_map(|text| {
        let line = text.lines().find_map(|line| line.strip_prefix("name = \""))?;
        Some(line.trim_end_matches('"').to_string())
    });
    names.collect()
}
