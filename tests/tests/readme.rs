//! The README's commands do what it says, and those of the other documents exist. P-06, P-07.

use podscope_api::ordered;
use podscope_tests::root;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// What a person is told to type.
const STARTS: [&str; 4] = ["cargo xtask ", "cargo install ", "podscope ", "wasm-pack "];

/// The commands of a document's fenced `sh` blocks, of its inline code, and of a workflow's steps.
fn commands(text: &str) -> ordered::Set<String> {
    let mut found = ordered::Set::new();
    let mut inside = false;
    for line in text.lines() {
        if line.starts_with("```") {
            inside = line.trim_start_matches('`').trim() == "sh";
        } else if inside {
            found.insert(line.split(" #").next().unwrap_or_default().trim().to_string());
        } else if let Some((_, command)) = line.split_once("- run: ") {
            found.insert(command.to_string());
        } else {
            found.extend(line.split('`').skip(1).step_by(2).map(str::to_string));
        }
    }
    found.retain(|command| STARTS.iter().any(|start| command.starts_with(start)));
    found
}

fn document(name: &str) -> String {
    fs::read_to_string(root().join(name)).expect("a document")
}

fn output(program: &str, args: &[&str]) -> Output {
    let mut command = Command::new(program);
    let out = command.args(args).current_dir(root()).output().expect("it runs");
    let shown = format!("{program} {}", args.join(" "));
    assert!(
        out.status.success(),
        "{shown}: {}\n{}",
        out.status,
        String::from_utf8_lossy(&out.stderr)
    );
    out
}

fn xtask(args: &[&str]) -> String {
    let cargo: Vec<&str> = ["run", "--quiet", "--package", "xtask", "--"]
        .iter()
        .chain(args)
        .copied()
        .collect();
    String::from_utf8_lossy(&output(env!("CARGO"), &cargo).stdout).into_owned()
}

const DOCUMENTS: [&str; 4] = [
    "README.md",
    "ARCHITECTURE.md",
    "crates/js/README.md",
    ".github/CONTRIBUTING.md",
];

/// What the documents link to is there, pictures and lessons included.
#[test]
fn links_of_the_documents_lead_somewhere() {
    for name in DOCUMENTS {
        let text = document(name);
        let below = root().join(name);
        let below = below.parent().expect("a folder");
        let linked = ["](", "src=\"", "srcset=\""].iter().flat_map(|mark| {
            let targets = text.split(mark).skip(1);
            targets.filter_map(|rest| rest.split([')', '"', '#']).next())
        });
        for target in linked.filter(|target| !target.is_empty() && !target.contains("://")) {
            assert!(
                below.join(target).exists(),
                "{name} links to {target}, which is not there"
            );
        }
        for rest in text.split("#lesson=").skip(1) {
            let lesson = rest.split(['&', '"']).next().unwrap_or_default();
            assert!(
                podscope_session::lessons::text(lesson).is_some(),
                "{name}: no lesson {lesson}"
            );
        }
    }
}

/// Each `cargo xtask …` of the documents and workflows is a command that the help lists.
#[test]
fn each_xtask_command_in_the_documents_exists() {
    let help = xtask(&["help"]);
    let known: ordered::Set<&str> = help
        .lines()
        .filter_map(|line| line.strip_prefix("  ")?.split(' ').next())
        .collect();
    let workflows = ["pages", "site", "test"].map(|name| format!(".github/workflows/{name}.yml"));
    for name in DOCUMENTS.into_iter().chain(workflows.iter().map(String::as_str)) {
        for command in commands(&document(name))
            .iter()
            .filter_map(|c| c.strip_prefix("cargo xtask "))
        {
            let word = command.split(' ').next().unwrap_or_default();
            // `finish` is Trunk's hook, not a person's command.
            assert!(
                known.contains(word) || word == "finish",
                "{name}: cargo xtask {command}"
            );
        }
    }
}

/// The README's commands that a step of the test suite runs, and the step.
const STEPS: &[(&str, &str)] = &[
    ("cargo xtask serve", "serve"),
    ("cargo xtask test", "native"), // of which this is a part
    ("cargo xtask build", "site"),
    ("cargo xtask size", "size"),
    ("cargo xtask package", "package"),
    ("cargo xtask spec", "spec"),
];

/// Every command of the README is run: by a step, or here. P-07.
#[test]
fn each_command_of_the_readme_is_run() {
    let steps = xtask(&["test", "--list"]);
    let has_step = |name: &str| steps.lines().any(|line| line.split(' ').next() == Some(name));
    let tools = Path::new(env!("CARGO_TARGET_TMPDIR")).join("installed");
    let podscope = tools
        .join("bin")
        .join(format!("podscope{}", std::env::consts::EXE_SUFFIX));
    let all = commands(&document("README.md"));
    let (install, rest): (Vec<&String>, Vec<&String>) = all.iter().partition(|line| line.starts_with("cargo install"));
    assert_eq!(install, ["cargo install --path crates/cli --profile native"]);
    // The same, in the profile that the tests have built already.
    let to = tools.to_string_lossy();
    let args = [
        "install",
        "--path",
        "crates/cli",
        "--debug",
        "--force",
        "--quiet",
        "--locked",
        "--root",
        &to,
    ];
    output(env!("CARGO"), &args);

    for line in rest {
        if let Some((_, step)) = STEPS.iter().find(|(command, _)| command == line) {
            assert!(
                has_step(step),
                "`{line}` is to be run by the step {step}, which is not there"
            );
            continue;
        }
        let (program, args) = line.split_once(' ').expect("a program and what it is to do");
        let args: Vec<&str> = args.split(' ').collect();
        let out = match program {
            "podscope" => output(&podscope.to_string_lossy(), &args),
            _ => output(env!("CARGO"), &args),
        };
        assert!(
            !(out.stdout.is_empty() && out.stderr.is_empty()),
            "`{line}` says nothing"
        );
    }
}
