//! The README's commands exist and do what it says.

use podscope_tests::root;
use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

/// The commands of a document's fenced `sh` blocks and of its inline code.
fn commands(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
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
    found.retain(|command| command.starts_with("cargo xtask ") || command.starts_with("podscope "));
    found
}

/// Each `cargo xtask …` of the documents is a command that the help lists.
#[test]
fn each_xtask_command_in_the_documents_exists() {
    let help = Command::new(env!("CARGO"))
        .args(["run", "--quiet", "--package", "xtask", "--", "help"])
        .current_dir(root())
        .output()
        .expect("xtask runs");
    let help = String::from_utf8_lossy(&help.stdout).into_owned();
    let known: BTreeSet<&str> = help
        .lines()
        .filter_map(|line| line.strip_prefix("  ")?.split(' ').next())
        .collect();
    for document in ["README.md", "ARCHITECTURE.md", ".github/CONTRIBUTING.md"] {
        let text = fs::read_to_string(root().join(document)).expect("a document");
        for command in commands(&text).iter().filter_map(|c| c.strip_prefix("cargo xtask ")) {
            let word = command.split(' ').next().unwrap_or_default();
            // `finish` is Trunk's hook, not a person's command.
            assert!(
                known.contains(word) || word == "finish",
                "{document}: cargo xtask {command}"
            );
        }
    }
}
