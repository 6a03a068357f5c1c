//! S-01, SCH-138: every decision of kube-scheduler v1.36.3 in the corpora, whole and strict.

use std::io::Read as _;

use podscope_scheduler::cases::{compare, run_case};
use serde_json::Value;

fn corpus(name: &str) -> String {
    let path = format!("{}/conformance/{name}", env!("CARGO_MANIFEST_DIR"));
    let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let mut text = String::new();
    let read = match name.ends_with(".gz") {
        true => flate2::read::GzDecoder::new(bytes.as_slice()).read_to_string(&mut text),
        false => bytes.as_slice().read_to_string(&mut text),
    };
    read.unwrap_or_else(|error| panic!("{path}: {error}"));
    text
}

fn check(name: &str, cases: usize) {
    let text = corpus(name);
    let mut failures = Vec::new();
    let mut n = 0;
    for line in text.lines().filter(|line| !line.is_empty()) {
        n += 1;
        let case: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("line {n}: {error}"));
        let differences = match run_case(&case) {
            Ok(got) => compare(&got, &case["expect"]),
            Err(error) => vec![error],
        };
        if !differences.is_empty() {
            failures.push(format!("{} {}: {}", case["name"], case["tags"], differences.join("; ")));
        }
    }
    let shown: Vec<&str> = failures.iter().take(20).map(String::as_str).collect();
    assert!(
        failures.is_empty(),
        "{} of {n} differ:\n{}",
        failures.len(),
        shown.join("\n")
    );
    assert_eq!(n, cases);
}

/// Shows: S-01
#[test]
fn decisions_with_the_default_configuration_equal_kube_schedulers() {
    check("decisions.jsonl.gz", 1500);
}

/// Shows: S-01, S-16
#[test]
fn decisions_under_other_configurations_equal_kube_schedulers() {
    check("configured.jsonl.gz", 600);
}

/// Allocations included, but where runs of the real scheduler differ in them.
/// Shows: S-19
#[test]
fn decisions_with_resource_claims_equal_kube_schedulers() {
    check("dra.jsonl.gz", 1803);
}

/// Each the smallest world that shows a rule.
/// Shows: S-01, SCH-063, SCH-066, SCH-126
#[test]
fn rules_that_only_wider_worlds_show_hold() {
    check("minimal.jsonl", 11);
}
