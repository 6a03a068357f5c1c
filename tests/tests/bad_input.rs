//! Bad input gets words with a place, never a panic. P-04, Q-03.

use podscope_api::parse;
use podscope_session::scenario;
use podscope_tests::{files, golden};
use std::fs;
use std::path::Path;

fn problems(name: &str, text: &str) -> Vec<String> {
    parse(text)
        .problems
        .iter()
        .map(|problem| format!("{name}:{problem}"))
        .collect()
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Each file of `tests/fixtures/bad` is refused, with everything that is wrong and where (P-04).
#[test]
fn each_bad_file_is_refused_with_places() {
    let mut all = String::new();
    for path in files("tests/fixtures/bad", "") {
        let text = fs::read_to_string(&path).expect("a fixture");
        let found = problems(&name(&path), &text);
        assert!(!found.is_empty(), "{} is accepted", path.display());
        all.push_str(&found.join("\n"));
        all.push('\n');
    }
    golden("bad-input.txt", &all);
}

/// A scenario's problems come all at once, with file, line and column: an unknown machine in a fault,
/// a command that does not parse, an unknown field, invariant or unit (P-04, T-02).
#[test]
fn each_bad_scenario_is_refused_with_places() {
    let mut all = String::new();
    for path in files("tests/fixtures/bad-scenarios", "") {
        let text = fs::read_to_string(&path).expect("a fixture");
        let problems = scenario::load(&[(name(&path), text)]).expect_err("it is accepted");
        let lines = problems.iter().map(ToString::to_string);
        all.push_str(&lines.collect::<Vec<_>>().join("\n"));
        all.push('\n');
    }
    golden("bad-scenarios.txt", &all);
}

/// Cut off somewhere, a file is read or refused, and that is all.
#[test]
fn files_cut_off_somewhere_never_panic() {
    let mut paths = files("tests/fixtures/bad", "");
    paths.extend(files("tests/scenarios", ".yaml").into_iter().take(5));
    for path in paths {
        let text = fs::read_to_string(&path).expect("a fixture");
        for (at, _) in text.char_indices().step_by(3) {
            let _ = parse(&text[..at]);
        }
    }
}

/// Deep, wide and strange texts end in words, soon.
#[test]
fn hostile_texts_are_refused() {
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
        assert!(!problems(what, &text).is_empty(), "{what} is accepted");
    }
}
