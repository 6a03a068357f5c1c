//! The commands of the README succeed (P-06, P-07). `tests/tests/all/documents.rs` checks that the commands of all
//! documents exist.

use podscope_api::ordered;
use podscope_tests::root;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// Prefixes of commands that a reader is asked to run.
const COMMAND_PREFIXES: [&str; 4] = ["cargo xtask ", "cargo install ", "podscope ", "wasm-pack "];

/// Returns the commands in fenced `sh` blocks and in inline code.
fn commands_of_document(text: &str) -> ordered::Set<String> {
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
    found.retain(|command| COMMAND_PREFIXES.iter().any(|start| command.starts_with(start)));
    found
}

fn run_program(program: &str, args: &[&str]) -> Output {
    let mut command = Command::new(program);
    let out = command
        .args(args)
        .current_dir(root())
        .output()
        .expect("the program starts");
    let shown = format!("{program} {}", args.join(" "));
    assert!(
        out.status.success(),
        "{shown}: {}\n{}",
        out.status,
        String::from_utf8_lossy(&out.stderr)
    );
    out
}

fn run_xtask(args: &[&str]) -> String {
    let cargo: Vec<&str> = ["run", "--quiet", "--package", "xtask", "--"]
        .iter()
        .chain(args)
        .copied()
        .collect();
    String::from_utf8_lossy(&run_program(env!("CARGO"), &cargo).stdout).into_owned()
}

/// Commands of the README that a step of `cargo xtask test` runs, with the name of the step.
const COMMANDS_OF_TEST_STEPS: &[(&str, &str)] = &[
    ("cargo xtask serve", "serve"),
    ("cargo xtask test", "native"), // the step that runs this test
    ("cargo xtask build", "site"),
    ("cargo xtask size", "size"),
    ("cargo xtask package", "package"),
    ("cargo xtask spec", "spec"),
];

/// Returns whether to install the program as the README says, which takes minutes. The weekly run does so
/// (`.github/workflows/test.yml`).
fn is_install_tested() -> bool {
    std::env::var_os("PODSCOPE_INSTALL").is_some_and(|value| !value.is_empty())
}

/// Each command of the README is run, by a step of `cargo xtask test` or by this test.
/// Shows: P-07
#[test]
fn each_command_of_the_readme_is_run() {
    let steps = run_xtask(&["test", "--list"]);
    let has_step = |name: &str| steps.lines().any(|line| line.split(' ').next() == Some(name));
    let all = commands_of_document(&fs::read_to_string(root().join("README.md")).expect("a README"));
    let (install, rest): (Vec<&String>, Vec<&String>) = all.iter().partition(|line| line.starts_with("cargo install"));
    assert_eq!(install, ["cargo install --path crates/cli --profile native"]);
    let podscope = if is_install_tested() {
        let installed = Path::new(env!("CARGO_TARGET_TMPDIR")).join("installed");
        let root = installed.to_string_lossy();
        let args = install[0].split(' ').skip(1);
        let args: Vec<&str> = args.chain(["--force", "--quiet", "--root", &root]).collect();
        run_program(env!("CARGO"), &args);
        let file = format!("podscope{}", std::env::consts::EXE_SUFFIX);
        installed.join("bin").join(file).to_string_lossy().into_owned()
    } else {
        env!("CARGO_BIN_EXE_podscope").to_owned()
    };

    for line in rest {
        if let Some((_, step)) = COMMANDS_OF_TEST_STEPS.iter().find(|(command, _)| command == line) {
            assert!(
                has_step(step),
                "the step {step} must run `{line}`, but it does not exist"
            );
            continue;
        }
        let (program, args) = line.split_once(' ').expect("a program and its arguments");
        let args: Vec<&str> = args.split(' ').collect();
        let out = match program {
            "podscope" => run_program(&podscope, &args),
            _ => run_program(env!("CARGO"), &args),
        };
        assert!(
            !(out.stdout.is_empty() && out.stderr.is_empty()),
            "`{line}` prints nothing"
        );
    }
}
