//! The help of every command, shell completions, and manual pages. All are generated from the same argument
//! definitions.

use std::path::Path;
use std::process::Command;

use super::{podscope, succeed, write_file};

/// Returns the help of a command as it is printed without a terminal width.
fn help_of_command(path: &[String]) -> String {
    let output = crate::podscope_command()
        .args(path)
        .arg("--help")
        .env_remove("COLUMNS")
        .output()
        .expect("the binary starts");
    assert!(output.status.success(), "{path:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// Returns the subcommands that a help text lists.
fn subcommands_in_help(help: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let rows = lines.take_while(|line| !line.is_empty());
    let names = rows.filter_map(|row| row.strip_prefix("  ")?.split(' ').next().map(str::to_owned));
    names.filter(|name| !name.is_empty() && name != "help").collect()
}

/// Collects the help of a command and of its subcommands.
fn collect_help_texts(path: &[String], into: &mut Vec<(Vec<String>, String)>) {
    let text = help_of_command(path);
    let names = subcommands_in_help(&text);
    into.push((path.to_vec(), text));
    for name in names {
        collect_help_texts(&[path, &[name]].concat(), into);
    }
}

fn all_help_texts() -> Vec<(Vec<String>, String)> {
    let mut all = Vec::new();
    collect_help_texts(&[], &mut all);
    all
}

/// `docs/commands.md` contains the output of `--help`. `cargo xtask bless` updates it.
/// Shows: P-07
#[test]
fn documented_help_equals_printed_help() {
    let mut text =
        "# Commands of `podscope`\n\nWhat `--help` prints of each command; `podscope completions SHELL` prints \
                    completions for a shell, and `podscope man DIR` writes manual pages.\n"
            .to_owned();
    for (path, help) in all_help_texts() {
        let title = std::iter::once("podscope").chain(path.iter().map(String::as_str));
        let title = title.collect::<Vec<_>>().join(" ");
        let lines = help.lines().map(str::trim_end).collect::<Vec<_>>().join("\n");
        text.push_str(&format!("\n## {title}\n\n```text\n{}\n```\n", lines.trim_end()));
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/commands.md");
    let is_equal = podscope_tests::compare_with_file(&path, text.as_bytes()).is_ok();
    assert!(
        is_equal,
        "docs/commands.md differs. If the change is meant: cargo xtask bless documented_help"
    );
}

/// Shows: P-07
#[test]
fn every_command_has_short_help_and_help_command() {
    let all = all_help_texts();
    assert!(all.len() > 20, "{}", all.len());
    for (path, long) in all {
        let words: Vec<&str> = path.iter().map(String::as_str).collect();
        let short = succeed(&[&words[..], &["-h"]].concat());
        assert_eq!(short.lines().next(), long.lines().next(), "{path:?}");
        let asked = succeed(&[&["help"], &words[..]].concat());
        assert_eq!(asked.lines().next(), long.lines().next(), "{path:?}");
    }
    assert!(succeed(&["--version"]).starts_with("podscope "));
}

#[test]
fn completions_contain_commands_and_options() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = succeed(&["completions", shell]);
        for word in ["whatif", "consolidate", "kubeconfig"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    let run = podscope(&["completions", "csh"]);
    assert!(
        run.status == 2 && run.err.contains("possible values: bash"),
        "{}",
        run.err
    );
}

/// Bash loads the completion script and completes a command and a value.
#[cfg(unix)]
#[test]
fn bash_completes_command_and_value() {
    let script = write_file("completions.bash", &succeed(&["completions", "bash"]));
    let complete = |words: &[&str]| {
        let line = format!(
            "source {script}; COMP_WORDS=({}); COMP_CWORD={}; _podscope podscope \"${{COMP_WORDS[COMP_CWORD]}}\" \
             \"${{COMP_WORDS[COMP_CWORD-1]}}\"; echo \"${{COMPREPLY[@]}}\"",
            words.join(" "),
            words.len() - 1,
        );
        let output = Command::new("bash").args(["--norc", "-c", &line]).output();
        let output = output.expect("bash starts");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    };
    assert_eq!(complete(&["podscope", "expl"]), "explain");
    assert_eq!(complete(&["podscope", "why", "--output", "mark"]), "markdown");
}

#[test]
fn man_writes_page_for_each_command() {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("man");
    std::fs::create_dir_all(&dir).expect("a writable directory");
    let printed = succeed(&["man", dir.to_str().expect("a UTF-8 path")]);
    assert_eq!(printed, "");
    for (path, _) in all_help_texts() {
        let name = std::iter::once("podscope").chain(path.iter().map(String::as_str));
        let name = name.collect::<Vec<_>>().join("-");
        let page = std::fs::read_to_string(dir.join(format!("{name}.1"))).expect("a page");
        assert!(page.contains(".SH SYNOPSIS"), "{name}: {page}");
    }
    assert!(succeed(&["man"]).contains(".TH podscope 1"));
    let run = podscope(&["man", "/no/such/folder"]);
    assert!(
        run.status == 2 && run.err.starts_with("/no/such/folder: "),
        "{}",
        run.err
    );
}
