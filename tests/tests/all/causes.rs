//! Chains of causes: the field `causedBy` of the trace records connects all steps by which a teacher would explain an
//! effect.

use std::fs;
use std::sync::Arc;

use podscope_cluster::{Fingerprint, Record, SimTime};
use podscope_session::link::Link;
use podscope_session::timeline::{Session, Slice};
use podscope_session::{causes, scenario};
use podscope_tests::root;

fn run_scenario(text: &str, seconds: Option<i64>) -> Session {
    let loaded = scenario::load(&[("causes.yaml".to_owned(), text.to_owned())]).expect("the scenario loads");
    let until = seconds.map_or(loaded.default_until(), SimTime::from_seconds);
    let mut session = Session::new(loaded).expect("the objects are admitted");
    assert_eq!(session.advance(until, u64::MAX), Slice::Done);
    session
}

/// Formats a record as `WHAT Kind/name FIELDS…`, such as `SignalSent Pod/low SIGTERM`.
fn record_summary(record: &Record) -> String {
    let subject = record.object.as_ref();
    let about = subject.map_or_else(String::new, |subject| {
        format!(" {}/{}", subject.kind.name(), subject.key.name)
    });
    let fields = record.happening.fields();
    let values = fields.iter().map(|(_, value)| match value {
        serde_json::Value::String(text) => format!(" {text}"),
        other => format!(" {other}"),
    });
    format!("{}{about}{}", record.what().as_str(), values.collect::<String>())
}

/// Returns the last record that matches `end` and all its causes, first cause first.
fn cause_chain(session: &Session, end: &str) -> Vec<String> {
    let found = session
        .trace()
        .rev()
        .find(|record| words_match(&record_summary(record), end));
    let end: Arc<Record> = found.unwrap_or_else(|| panic!("no record matches {end:?}"));
    let chain = session.with_causes([end.seq]);
    chain.iter().map(|record| record_summary(record)).collect()
}

/// Returns whether `text` contains, in this order, words that start with each word of `prefixes`. Other words may be
/// between them.
fn words_match(text: &str, prefixes: &str) -> bool {
    let mut rest = text.split_whitespace();
    prefixes
        .split_whitespace()
        .all(|prefix| rest.any(|word| word.starts_with(prefix)))
}

#[track_caller]
fn assert_cause_chain(session: &Session, expected: &[&str]) {
    let end = expected.last().expect("a chain");
    let chain = cause_chain(session, end);
    let mut rest = chain.iter();
    for link in expected {
        assert!(
            rest.any(|text| words_match(text, link)),
            "{link:?} is missing on the way to {end:?}:\n{}",
            chain.join("\n")
        );
    }
}

fn run_scenario_file(name: &str) -> Session {
    let path = root().join(format!("tests/scenarios/{name}.yaml"));
    run_scenario(&fs::read_to_string(path).expect("a scenario"), None)
}

/// Shows: U-22
#[test]
fn causal_chain_of_preemption_ends_with_bound_preemptor() {
    let session = run_scenario_file("preemption-grace");
    assert_cause_chain(
        &session,
        &[
            "Command kubectl",
            "Created Pod/high",
            "Attempt Pod/high 1 unschedulable",
            "ConditionChanged Pod/low DisruptionTarget",
            "DeletionRequested Pod/low",
            "SignalSent Pod/low SIGTERM",
            "SignalSent Pod/low SIGKILL",
            "ContainerExited Pod/low 137",
            "Updated Pod/low Failed",
            "Attempt Pod/high scheduled",
            "Bound Pod/high",
            "ContainerStarted Pod/high",
        ],
    );
    assert_cause_chain(
        &session,
        &["Attempt Pod/high 1", "DeletionRequested Pod/low", "Preempted Pod/low"],
    );
}

#[test]
fn causal_chain_of_force_delete_ends_with_invariant_violation() {
    let session = run_scenario_file("force-delete-statefulset");
    assert_cause_chain(
        &session,
        &[
            "Command kubectl delete",
            "Deleted Pod/web-0",
            "Created Pod/web-0",
            "Attempt Pod/web-0",
            "Bound Pod/web-0 b-1",
            "ContainerStarted Pod/web-0",
            "InvariantViolated Pod/web-0 at-most-one",
        ],
    );
}

#[test]
fn causal_chain_of_partition_ends_with_replacement_pod() {
    let session = run_scenario_file("partition-replicaset");
    let links = [
        "Command fault partition",
        "Fault Node/",
        "ConditionChanged Node/ Ready Unknown",
        "TaintAdded Node/ node.kubernetes.io/unreachable NoExecute",
        "DeletionRequested Pod/",
        "Created Pod/",
        "Bound Pod/",
    ];
    assert_cause_chain(&session, &links);
}

#[test]
fn causal_chain_of_drain_ends_with_replacement_pod() {
    let session = run_scenario_file("drain-pdb");
    assert_cause_chain(
        &session,
        &["Command kubectl drain", "DeletionRequested Pod/", "Created Pod/"],
    );
}

#[test]
fn causal_chain_of_memory_pressure_ends_with_eviction() {
    let session = run_scenario_file("pressure-order");
    assert_cause_chain(
        &session,
        &["ContainerStarted Pod/", "SignalSent Pod/", "ContainerExited Pod/"],
    );
    assert_cause_chain(&session, &["ContainerStarted Pod/", "Event Pod/ Evicted"]);
}

const WEB_DEPLOYMENT: &str = "\
{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: 2, selector: {matchLabels: {app: web}}, \
strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}, template: {metadata: {labels: {app: web}}, spec: {containers: \
[{name: c, image: 'x:1', readinessProbe: {httpGet: {port: 80}, periodSeconds: 1}}]}}}}";

#[test]
fn causal_chain_of_rolling_update_ends_with_deleted_old_pod() {
    let scenario = "{apiVersion: podscope.dev/v1alpha1, kind: Scenario, metadata: {name: update}, spec: {timeline: \
                    [{at: 20s, run: kubectl set image deploy/web c=x:2}]}}";
    let session = run_scenario(&format!("{scenario}\n---\n{WEB_DEPLOYMENT}"), Some(80));
    assert_cause_chain(
        &session,
        &[
            "Command kubectl set image",
            "Updated Deployment/web",
            "Created ReplicaSet/web-",
            "Created Pod/web-",
            "Attempt Pod/web-",
            "Bound Pod/web-",
            "ImagePulled Pod/web-",
            "ContainerStarted Pod/web-",
            "ProbeSucceeded Pod/web-",
            "ConditionChanged Pod/web- Ready True",
            "Updated ReplicaSet/web-",
            "DeletionRequested Pod/web-",
            "SignalSent Pod/web- SIGTERM",
            "ContainerExited Pod/web-",
            "Deleted Pod/web-",
        ],
    );
}

#[test]
fn causal_chain_of_liveness_failure_ends_with_restart() {
    let pod = "{apiVersion: v1, kind: Pod, metadata: {name: sick, annotations: {behavior.podscope.dev/c: 'liveness=fail@10s..60s'}}, \
               spec: {containers: [{name: c, image: 'x:1', livenessProbe: {httpGet: {port: 80}, periodSeconds: 2}}]}}";
    let session = run_scenario(pod, Some(25));
    assert_cause_chain(
        &session,
        &[
            "Bound Pod/sick",
            "ContainerStarted Pod/sick 0",
            "ProbeFailed Pod/sick liveness",
            "SignalSent Pod/sick SIGTERM",
            "ContainerExited Pod/sick",
            "ContainerStarted Pod/sick 1",
        ],
    );
}

/// A cause precedes its effect in the trace, and a seek reproduces the same causes.
/// Shows: Q-01
#[test]
fn causes_precede_effects_and_survive_seek() {
    let mut session = run_scenario_file("partition-replicaset");
    let before: Vec<String> = session.trace().map(|record| record.to_json_line()).collect();
    for record in session.trace() {
        assert!(
            record.caused_by.seq().is_none_or(|cause| cause < record.seq),
            "{}",
            record.to_json_line()
        );
    }
    let end = session.now();
    session.seek(SimTime::from_seconds(60));
    session.advance(SimTime::from_seconds(60), u64::MAX);
    session.seek(end);
    session.advance(end, u64::MAX);
    let after: Vec<String> = session.trace().map(|record| record.to_json_line()).collect();
    assert!(before == after, "a seek changed a record");
}

#[test]
fn printed_causal_chain_indents_records_under_causes() {
    let session = run_scenario_file("preemption-grace");
    let (kind, key) = scenario::parse_object_ref("Pod default/high").expect("an object");
    let links = causes::cause_chains(&session, kind, &key);
    let mut open: Vec<u64> = Vec::new();
    for link in &links {
        open.truncate(link.depth);
        assert_eq!(
            open.last().copied(),
            link.record.caused_by.seq(),
            "{}",
            record_summary(&link.record)
        );
        open.push(link.record.seq);
    }
    let text = causes::chains_text(&links);
    assert_eq!(text.lines().count(), links.len());
    assert!(
        text.lines()
            .any(|line| line.starts_with("  ") && line.contains(" Bound Pod default/high node=a-1 ")),
        "{text}"
    );
}

/// The hash in an old link covers the trace without causes, so it is compared with the hash of the new trace without
/// causes. A new link contains a fingerprint of the trace's facts instead.
/// Shows: T-03
#[test]
fn old_link_trace_hash_is_compared_without_causes() {
    let session = run_scenario_file("preemption-grace");
    let old_link = |hash: &str| Link {
        trace_hash: hash.to_owned(),
        ..Link::default()
    };
    assert!(old_link("29c45afac9ca14ad").trace_difference(&session).is_none());
    assert!(old_link("29c45afac9ca14ae").trace_difference(&session).is_some());
    let link = Link::of(&session, None, String::new());
    assert!(link.trace_hash.is_empty() && link.trace_difference(&session).is_none());
    let other = run_scenario_file("partition-replicaset");
    assert!(link.trace_difference(&other).is_some());
}

/// A fingerprint of facts contains neither causes nor sentences written by Podscope.
#[test]
fn facts_fingerprint_omits_causes_and_podscope_texts() {
    let session = run_scenario_file("force-delete-statefulset");
    let violation = session.violations().next().expect("a violation");
    let facts = violation.fingerprint_line(Fingerprint::Facts);
    assert!(
        facts.contains("\"invariant\":\"") && facts.ends_with("\"cause\":\"command\"}"),
        "{facts}"
    );
    let whole = violation.to_json_line();
    assert!(
        whole.contains("\"by\":\"") && whole.contains("\"message\":\"") && whole.contains("\"causedBy\":"),
        "{whole}"
    );
}
