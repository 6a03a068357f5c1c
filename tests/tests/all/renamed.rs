//! A dump with replaced names contains no private name, and its scheduling decisions are those of the original dump.

use podscope_api::explained::NodeVerdict;
use podscope_api::ordered::StableSort as _;
use podscope_api::{Pod, ordered};
use podscope_session::explain::explain_pod;
use podscope_session::rename::rename;
use podscope_session::scenario::{self, File};
use podscope_session::timeline::Session;
use podscope_tests::dump::{Size, dump};
use podscope_tests::files;
use serde_json::Value;

fn open_session(text: &str) -> Session {
    let files: Vec<File> = vec![("dump.yaml".to_owned(), text.to_owned())];
    let loaded = scenario::load(&files).unwrap_or_else(|problems| panic!("{problems:?}"));
    Session::new(loaded).unwrap_or_else(|problems| panic!("{problems:?}"))
}

fn read_dumps() -> Vec<String> {
    let shared = files("tests/dumps", "yaml").into_iter();
    let mut all: Vec<String> = shared
        .map(|path| std::fs::read_to_string(path).expect("a dump"))
        .collect();
    all.push(dump(Size { nodes: 6, pods: 40 }));
    all
}

/// Collects every string of a JSON value, including the keys of maps.
fn collect_strings(value: &Value, found: &mut ordered::Set<String>) {
    match value {
        Value::String(text) => drop(found.insert(text.clone())),
        Value::Array(items) => items.iter().for_each(|item| collect_strings(item, found)),
        Value::Object(fields) => {
            for (key, value) in fields {
                // Field names contain none of these characters; keys of maps, such as label keys, usually contain one.
                if key.contains(['.', '/', '-']) {
                    found.insert(key.clone());
                }
                collect_strings(value, found);
            }
        }
        _ => {}
    }
}

/// Shows
#[test]
fn renaming_removes_every_private_name_of_a_dump() {
    let text = std::fs::read_to_string(podscope_tests::root().join("tests/dumps/private.yaml")).expect("a dump");
    let renamed = rename(&[("dump.yaml".to_owned(), text)]);
    for private in [
        "acme",
        "payroll",
        "10.0.1.2",
        "10-0-1-2",
        "eu-central-1a",
        "i-0123456789abcdef0",
        "uuid",
        "hunter2",
        "gold",
        "tier",
        "hsm",
        "vault",
        "ec2",
        "nas",
        "postgres",
        "hashicorp",
    ] {
        assert!(!renamed.text.contains(private), "{private} in\n{}", renamed.text);
    }
    assert!(
        renamed.table.iter().any(|(old, _)| old == "acmebank-payroll"),
        "{:?}",
        renamed.table
    );
}

/// A string that occurs both in the renamed and in the original dump is public: it starts with a capital letter or a
/// digit, contains a documented domain, or is a well-known word of Kubernetes.
/// Shows
#[test]
fn renaming_keeps_only_public_strings_of_a_dump() {
    for text in read_dumps() {
        let renamed = rename(&[("dump.yaml".to_owned(), text.clone())]);
        let mut before = ordered::Set::new();
        collect_strings(&podscope_api::read_yaml(&text).expect("YAML").to_value(), &mut before);
        let mut after = ordered::Set::new();
        let (documents, _) = podscope_api::read_documents(&renamed.text);
        documents
            .iter()
            .for_each(|tree| collect_strings(&tree.to_value(), &mut after));
        let is_public = |text: &str| {
            let has_public_start = text.starts_with(|c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '+');
            let domains = [
                "kubernetes.io/",
                "k8s.io/",
                "amazonaws.com/",
                "aws.com",
                "karpenter.sh/",
                "external-attacher/ebs",
                "podscope.dev/",
                "kubernetes.azure.com/",
                "cloud.google.com/",
                "nvidia.com/",
            ];
            let names = [
                "default",
                "kube-system",
                "default-scheduler",
                "cpu",
                "memory",
                "pods",
                "linux",
                "amd64",
                "true",
                "false",
                "yes",
                "ephemeral-storage",
                "system-node-critical",
                "system-cluster-critical",
                "kubernetes",
                "v1",
                "apps/v1",
                "batch/v1",
                "policy/v1",
                "autoscaling/v2",
                "metadata.name",
                "ext4",
                "kube-root-ca.crt",
                "http",
                "v1.34.1",
                "v1.33.3",
                "x-kubernetes-preserve-unknown-fields",
                "hugepages-2Mi",
            ];
            // The kubelet writes this message into a condition of its node.
            let is_kubelet_message = text
                .strip_prefix("kubelet has Kubelet")
                .is_some_and(|reason| reason.bytes().all(|byte| byte.is_ascii_alphabetic()));
            // The name of a dynamically provisioned volume is replaced by `pvc-` and a number.
            let is_provisioned = text
                .strip_prefix("pvc-")
                .is_some_and(|ordinal| ordinal.parse::<u8>().is_ok());
            text.len() < 2
                || has_public_start
                || is_provisioned
                || is_kubelet_message
                || names.contains(&text)
                || domains.iter().any(|domain| text.contains(domain))
        };
        let leaked: Vec<&String> = after
            .iter()
            .filter(|text| before.contains(*text) && !is_public(text))
            .collect();
        assert!(leaked.is_empty(), "{leaked:?}");
    }
}

/// Schedules each pod as if it were pending. Returns the verdict for the pod, and for each node the rejecting plugin or
/// the total score, sorted.
fn pod_decisions(session: &Session) -> Vec<(String, Vec<Option<String>>)> {
    let objects = session.world().objects();
    let pods = objects.list::<Pod>().filter(|pod| !pod.is_terminal());
    let mut all = Vec::new();
    for pod in pods {
        let mut pending = (**pod).clone();
        pending.spec.node_name = None;
        let Some(found) = explain_pod(objects, session.scheduler_config(), &std::sync::Arc::new(pending)) else {
            continue;
        };
        let explanation = found.explanation;
        let verdicts = explanation.nodes.iter().map(|node| match &node.verdict {
            NodeVerdict::Refused { refusal, .. } => refusal.plugin().map(str::to_owned),
            NodeVerdict::Fits(scores) => Some(format!("{:?}", scores.total)),
            NodeVerdict::NotExamined => Some("not examined".to_owned()),
        });
        let mut verdicts: Vec<_> = verdicts.collect();
        verdicts.stable_sort();
        all.push((format!("{:?}", explanation.verdict()), verdicts));
    }
    all
}

/// Shows
#[test]
fn renaming_keeps_scheduling_decisions_of_a_dump() {
    for text in read_dumps() {
        let renamed = rename(&[("dump.yaml".to_owned(), text.clone())]);
        let (mut original, mut decisions_of_renamed) = (
            pod_decisions(&open_session(&text)),
            pod_decisions(&open_session(&renamed.text)),
        );
        original.stable_sort();
        decisions_of_renamed.stable_sort();
        assert_eq!(original, decisions_of_renamed, "{}", renamed.text);
    }
}
