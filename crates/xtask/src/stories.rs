//! Runs the browser stories (`tests/e2e/stories`) with `@playwright/test`.

use crate::run::{Fallible, Run};
use crate::tools::{self, Tool, ToolPaths};
use std::path::PathBuf;

/// Returns the command that runs all stories, with `args` for Playwright's command line.
pub(crate) fn command(paths: &ToolPaths, args: &[String]) -> Run {
    let modules = paths
        .var("PODSCOPE_NODE_MODULES")
        .map(PathBuf::from)
        .unwrap_or_default();
    Run::new("node")
        .args([modules.join("@playwright/test/cli.js")])
        .args(["test", "--config", "tests/e2e/playwright.config.mjs"])
        .args(args)
        .tools(paths)
}

/// `cargo xtask e2e WORD… [--FLAG…]`: runs the stories whose file or name contains one of the words, on the site in
/// `dist/`. All arguments after the first flag are passed to Playwright.
pub(crate) fn run_matching(args: &[String]) -> Fallible {
    let paths = tools::ensure(&[Tool::Node, Tool::Playwright, Tool::Browser])?;
    command(&paths, &grep_args(args)).status()
}

/// Converts the words to a `--grep` pattern of Playwright, which matches file and name of a story.
fn grep_args(args: &[String]) -> Vec<String> {
    let n_words = args.iter().take_while(|arg| !arg.starts_with('-')).count();
    let (words, flags) = args.split_at(n_words);
    let mut passed = Vec::new();
    if !words.is_empty() {
        let patterns: Vec<String> = words.iter().map(|word| escape_regex(word)).collect();
        passed.push(format!("--grep={}", patterns.join("|")));
    }
    passed.extend(flags.iter().cloned());
    passed
}

/// Returns a regular expression that matches exactly this text.
fn escape_regex(text: &str) -> String {
    let mut pattern = String::new();
    for c in text.chars() {
        if c.is_ascii_punctuation() {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern
}

#[cfg(test)]
mod tests {
    use super::grep_args;
    use crate::{host, site};

    #[test]
    fn stories_wait_for_states_and_never_sleep() {
        let root = host::root();
        let stories = site::files_under(&root, "tests/e2e/stories").expect("the stories exist");
        let shared = ["tests/e2e/actions.mjs", "tests/e2e/looks.mjs"].map(String::from);
        for file in stories.into_iter().chain(shared) {
            let text = site::read(&root.join(&file)).expect("the file exists");
            assert!(!text.contains("waitForTimeout"), "{file} sleeps: wait for a state");
        }
    }

    #[test]
    fn e2e_words_become_grep_pattern_and_flags_pass_through() {
        for (args, want) in [
            (vec![], vec![]),
            (vec!["presses"], vec!["--grep=presses"]),
            (vec!["editor", "a (b)"], vec![r"--grep=editor|a \(b\)"]),
            (
                vec!["x", "--repeat-each", "20"],
                vec!["--grep=x", "--repeat-each", "20"],
            ),
            (vec!["--debug"], vec!["--debug"]),
        ] {
            let args: Vec<String> = args.into_iter().map(String::from).collect();
            assert_eq!(grep_args(&args), want);
        }
    }
}
