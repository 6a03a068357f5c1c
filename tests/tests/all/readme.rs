//! The README's commands do what it says; that those of all documents exist is in `documents.rs`. P-06, P-07.

use podscope_api::ordered;
use podscope_tests::root;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// What a person is told to type.
const STARTS: [&str; 4] = ["cargo xtask ", "cargo install ", "podscope ", "wasm-pack "];

/// The commands of a document's fenced `sh` blocks and of its inline code.
fn commands(text: &str) -> ordered::Set<String> {
    let mut found = ordered::Set::new();
    let mut inside = false;
    for line in text.lines() {
        if line.starts_with("```") {
            inside = line.trim_start_matches('`').trim() == "sh";
        } else if inside {
            found.insert(line.split(" #").next().unwrap_or_default().trim().to_string());
        } else {
            found.extend(line.split('`').skip(1).step_by(2).map(str::to_string));
        }
    }
    found.retain(|command| STARTS.iter().any(|start| command.starts_with(start)));
    found
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

/// The README's commands that a step of the test suite runs, and the step.
const STEPS: &[(&str, &str)] = &[
    ("cargo xtask serve", "serve"),
    ("cargo xtask test", "native"), // of which this is a part
    ("cargo xtask build", "site"),
    ("cargo xtask size", "size"),
    ("cargo xtask package", "package"),
    ("cargo xtask spec", "spec"),
];

/// Every command of the README is run: by a step, or here.
/// Shows: P-07
#[test]
fn each_command_of_the_readme_is_run() {
    let steps = xtask(&["test", "--list"]);
    let has_step = |name: &str| steps.lines().any(|line| line.split(' ').next() == Some(name));
    let tools = Path::new(env!("CARGO_TARGET_TMPDIR")).join("installed");
    let podscope = tools
        .join("bin")
        .join(format!("podscope{}", std::env::consts::EXE_SUFFIX));
    let all = commands(&fs::read_to_string(root().join("README.md")).expect("a README"));
    let (install, rest): (Vec<&String>, Vec<&String>) = all.iter().partition(|line| line.starts_with("cargo install"));
    assert_eq!(install, ["cargo install --path crates/cli --profile native"]);
    // The same, built as quickly as can be: it is asked little.
    let to = tools.to_string_lossy();
    let optimised = ["scheduler", "sim", "apiserver", "node", "controllers", "cluster"];
    let plain = optimised.map(|name| format!("profile.dev.package.podscope-{name}.opt-level=0"));
    let mut args = vec![
        "install",
        "--path",
        "crates/cli",
        "--debug",
        "--force",
        "--quiet",
        "--locked",
    ];
    args.extend(["--root", &to, "--config", "profile.dev.debug=false"]);
    args.extend(plain.iter().flat_map(|one| ["--config", one]));
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
