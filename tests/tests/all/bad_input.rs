//! Invalid input is refused with a message and a position, never with a panic (P-04, Q-03).

use podscope_api::parse;
use podscope_session::scenario;
use podscope_tests::{assert_golden, files};
use std::fs;
use std::path::Path;

fn problem_texts(name: &str, text: &str) -> Vec<String> {
    parse(text)
        .problems
        .iter()
        .map(|problem| format!("{name}:{problem}"))
        .collect()
}

fn fixture_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Each file of `tests/fixtures/bad` is refused with all its problems and their positions.
/// Shows: P-04
#[test]
fn bad_file_is_refused_with_positions() {
    let mut all = String::new();
    for path in files("tests/fixtures/bad", "") {
        let text = fs::read_to_string(&path).expect("a fixture");
        let found = problem_texts(&fixture_name(&path), &text);
        assert!(!found.is_empty(), "{} is accepted", path.display());
        all.push_str(&found.join("\n"));
        all.push('\n');
    }
    assert_golden("bad-input.txt", &all);
}

/// All problems of a scenario are reported together, with file, line and column: an unknown node in a fault, a command
/// that does not parse, an unknown field, invariant or unit.
/// Shows: P-04, T-02
#[test]
fn bad_scenario_is_refused_with_positions() {
    let mut all = String::new();
    for path in files("tests/fixtures/bad-scenarios", "") {
        let text = fs::read_to_string(&path).expect("a fixture");
        let problems = scenario::load(&[(fixture_name(&path), text)]).expect_err("it is accepted");
        let lines = problems.iter().map(ToString::to_string);
        all.push_str(&lines.collect::<Vec<_>>().join("\n"));
        all.push('\n');
    }
    assert_golden("bad-scenarios.txt", &all);
}

/// A problem in one document neither hides problems of other documents nor causes problems in valid ones.
/// Shows: P-04
#[test]
fn bad_document_does_not_hide_problems_of_others() {
    let unreadable = "\n---\n{apiVersion: v1, kind: Pod, metadata: {name: unreadable}, spec: {containers: 5}}\n";
    let invalid = "---\n{apiVersion: v1, kind: Pod, metadata: {name: Upper}, spec: {terminationGracePeriodSeconds: soon}}\n\
                   ---\n{apiVersion: v1, kind: Pod, metadata: {name: invalid}, spec: {containers: [{name: c}]}}\n\
                   ---\n{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: -1}}\n";
    let problems = scenario::load(&[("a.yaml".to_owned(), invalid.to_owned())]).expect_err("it is accepted");
    let found: Vec<String> = problems.iter().map(ToString::to_string).collect();
    let expected = [
        "a.yaml:2:92: spec.terminationGracePeriodSeconds: json: cannot unmarshal string",
        "a.yaml:4:76: spec.containers[0].image: Required value",
        "a.yaml:6:81: spec.replicas: Invalid value: -1: must be greater than or equal to 0",
    ];
    for expected in expected {
        assert!(
            found.iter().any(|line| line.starts_with(expected)),
            "{expected}: {found:#?}"
        );
    }
    let mut n_files = 0;
    for path in files("tests/scenarios", ".yaml")
        .into_iter()
        .chain(files("crates/session/lessons", ".yaml"))
        .filter(|path| !is_translation(path))
    {
        n_files += 1;
        let text = fs::read_to_string(&path).expect("a scenario") + unreadable;
        let problems = scenario::load(&[(fixture_name(&path), text)]).expect_err("it is accepted");
        assert_eq!(problems.len(), 1, "{problems:#?}");
        assert_eq!(problems[0].path, "spec.containers");
    }
    assert!(n_files > 40, "{n_files}");
}

/// A truncated file is either read or refused.
/// Shows: Q-03
#[test]
fn truncated_files_never_panic() {
    let mut paths = files("tests/fixtures/bad", "");
    paths.extend(files("tests/scenarios", ".yaml").into_iter().take(5));
    for path in paths {
        let text = fs::read_to_string(&path).expect("a fixture");
        for (at, _) in text.char_indices().step_by(3) {
            let _ = parse(&text[..at]);
        }
    }
}

/// Deeply nested, wide and malformed texts are refused with a message and do not take long.
/// Shows: Q-03
#[test]
fn hostile_text_is_refused() {
    let deep = 20_000;
    let rows = [
        ("deep flow", "[".repeat(deep)),
        ("deep json", format!("{}{}", "{\"a\":".repeat(deep), "1")),
        (
            "deep block",
            (0..2_000).map(|n| format!("{}a:\n", " ".repeat(n))).collect(),
        ),
        ("deep dashes", format!("{}x", "- ".repeat(deep))),
        ("control characters", "apiVersion: v1\nkind: \u{0}\u{7}\n".to_string()),
        ("unknown anchor", "a: *nowhere\n".to_string()),
    ];
    for (what, text) in rows {
        assert!(!problem_texts(what, &text).is_empty(), "{what} is accepted");
    }
}

/// Returns whether a file contains the texts of a lesson in another language.
fn is_translation(path: &std::path::Path) -> bool {
    let folder = path.parent().and_then(|folder| folder.file_name());
    folder.is_some_and(|folder| folder.len() == 2)
}
