//! Golden scenarios: each file of `tests/scenarios` is run. Its expectations hold, no invariant is violated by a bug, the
//! trace contains the records of its `# trace:` lines in this order, and the whole trace equals the golden one. The files
//! name the requirements (S-02, S-04 to S-09, L-01 to L-16, C-01 to C-13, V-01 to V-06, F-01 to F-04, F-20, T-02) and the
//! facts behind each expectation.

use std::fs;

use podscope_cluster::Record;
use podscope_session::report;
use podscope_session::scenario::{self, Timing};
use podscope_session::timeline::{Session, Slice};
use podscope_tests::{assert_golden, files};
use serde_json::Value;

/// A `# trace:` line of a scenario: names and values of fields that a record of the trace must have.
struct ExpectedRecord<'a>(Vec<(&'a str, &'a str)>);

impl<'a> ExpectedRecord<'a> {
    fn parse_all(text: &'a str) -> Vec<Self> {
        text.lines()
            .filter_map(|line| line.strip_prefix("# trace: "))
            .map(|line| {
                Self(
                    line.split_whitespace()
                        .filter_map(|part| part.split_once('='))
                        .collect(),
                )
            })
            .collect()
    }

    fn matches(&self, record: &Record) -> bool {
        let line: Value = serde_json::from_str(&record.to_json_line()).expect("a record is JSON");
        self.0.iter().all(|(key, expected_value)| match *key {
            "object" => {
                let subject = &line["object"];
                let kind = subject["kind"].as_str().unwrap_or_default();
                let name = subject["name"].as_str().unwrap_or_default();
                *expected_value == kind || expected_value.split_once('/') == Some((kind, name))
            }
            key => match &line[key] {
                Value::String(text) => text == expected_value,
                other => {
                    serde_json::from_str::<Value>(expected_value).is_ok_and(|expected_value| expected_value == *other)
                }
            },
        })
    }
}

/// Returns the expectations of a run that do not hold, and the violations that neither a command nor a fault explains.
pub(crate) fn unmet_expectations_and_bugs(name: &str, session: &Session) -> Vec<String> {
    let mut complaints = Vec::new();
    let expectations = session.loaded().scenario.expect.iter();
    for (expect, verdict) in expectations.zip(session.progress().expectations()) {
        if !(*verdict == Some(true) || (verdict.is_none() && matches!(expect.timing, Timing::Always))) {
            complaints.push(format!("{name}: {}", expect.text));
        }
    }
    if session.progress().bug_count() > 0 {
        let bugs: Vec<_> = session.violations().map(|record| record.to_json_line()).collect();
        complaints.push(format!(
            "{name}: {} violations by bugs: {}",
            session.progress().bug_count(),
            bugs.join("\n")
        ));
    }
    complaints
}

#[test]
fn golden_scenarios_meet_their_expectations() {
    let mut complaints = Vec::new();
    for path in files("tests/scenarios", ".yaml") {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).expect("a scenario");
        let loaded = match scenario::load(&[(format!("{name}.yaml"), text.clone())]) {
            Ok(loaded) => loaded,
            Err(problems) => {
                complaints.push(format!("{name}: {problems:?}"));
                continue;
            }
        };
        let until = loaded.default_until();
        let mut session = Session::new(loaded).expect("a session");
        assert_eq!(session.advance(until, u64::MAX), Slice::Done, "{name}");
        complaints.extend(unmet_expectations_and_bugs(&name, &session));
        let mut rest = session.trace();
        for expected in ExpectedRecord::parse_all(&text) {
            if !rest.any(|record| expected.matches(&record)) {
                complaints.push(format!("{name}: no record {:?} after the previous one", expected.0));
                break;
            }
        }
        assert_golden(&format!("{name}.trace"), &report::trace(session.trace()));
    }
    assert!(
        complaints.is_empty(),
        "{} complaints:\n{}",
        complaints.len(),
        complaints.join("\n")
    );
}
