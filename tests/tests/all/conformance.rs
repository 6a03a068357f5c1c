//! Every recorded decision of kube-scheduler v1.36.3 is reproduced exactly (S-01, SCH-138).

use std::io::Read as _;

use podscope_scheduler::cases::{compare, run_case};
use serde_json::Value;

fn read_corpus(name: &str) -> String {
    let path = format!("{}/conformance/{name}", env!("CARGO_MANIFEST_DIR"));
    let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let mut text = String::new();
    let result = match name.ends_with(".gz") {
        true => flate2::read::GzDecoder::new(bytes.as_slice()).read_to_string(&mut text),
        false => bytes.as_slice().read_to_string(&mut text),
    };
    result.unwrap_or_else(|error| panic!("{path}: {error}"));
    text
}

/// Compares all cases of a corpus with the recorded decisions, and checks the number of cases.
fn check_corpus(name: &str, expected_cases: usize) {
    let text = read_corpus(name);
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
    assert_eq!(n, expected_cases);
}

/// Shows: S-01
#[test]
fn decisions_with_default_configuration_match() {
    check_corpus("decisions.jsonl.gz", 1500);
}

/// Shows: S-01, S-16
#[test]
fn decisions_with_other_configurations_match() {
    check_corpus("configured.jsonl.gz", 600);
}

/// The test also compares device allocations, except where runs of the real scheduler differ from each other.
/// Shows: S-19
#[test]
fn decisions_with_resource_claims_match() {
    check_corpus("dra.jsonl.gz", 1803);
}

/// Each case is the smallest cluster in which its scheduling rule has an effect.
/// Shows: S-01, SCH-063, SCH-066, SCH-126
#[test]
fn decisions_of_minimal_cases_match() {
    check_corpus("minimal.jsonl", 11);
}
