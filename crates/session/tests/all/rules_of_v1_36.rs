//! Rules of Kubernetes v1.36 that the page explains: how a pod changes the balance of a node's resources, features that
//! a node lacks, and the rule by which a container was restarted (S-14, U-06).

use podscope_protocol::explained::NodeVerdict;
use podscope_protocol::{Request, SessionSource, SubjectRef, Update, explained};
use podscope_session::host::{Host, NextWork};

/// A scenario with two v1.36 nodes, one with balanced and one with unbalanced resources, an older node, and a pod that
/// uses the new rules.
const CLUSTER: &str = r#"
apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: explanation}
spec:
  title: Three nodes
  seed: 5
  cluster: {zones: [a], nodesPerZone: 2, node: {cpu: 4, memory: 8Gi, pods: 20}}
---
apiVersion: v1
kind: Node
metadata: {name: old}
status:
  capacity: {cpu: "4", memory: 8Gi, pods: "20"}
  nodeInfo: {kubeletVersion: v1.35.6}
---
apiVersion: v1
kind: Pod
metadata: {name: lopsided}
spec:
  nodeName: a-1
  containers: [{name: c, image: x, resources: {requests: {cpu: "3", memory: 1Gi}}}]
---
apiVersion: v1
kind: Pod
metadata: {name: train, annotations: {behavior.podscope.dev/train: "run=5s, exit=42"}}
spec:
  restartPolicy: Never
  containers:
  - name: train
    image: x
    resources: {requests: {cpu: 100m, memory: 4Gi}}
    restartPolicy: Never
    restartPolicyRules:
    - {action: Restart, exitCodes: {operator: In, values: [42]}}
    - {action: RestartAllContainers, exitCodes: {operator: In, values: [43]}}
"#;

/// Sends a request, and works until the host has no more work. Returns all updates.
fn send(host: &mut Host, clock: &mut f64, request: Request) -> Vec<Update> {
    let mut all = host.handle(request, *clock);
    for _ in 0..1_000_000 {
        if all.iter().any(|update| matches!(update, Update::Frame(_))) {
            host.handle(Request::FrameDone, *clock);
        }
        match host.next_work() {
            NextWork::AfterRequest => break,
            NextWork::Now => *clock += 0.1,
            NextWork::At(at) => *clock = at.max(*clock + 0.1),
        }
        all.extend(host.work(*clock));
    }
    all
}

// Shows: SCH-107, LC-227, LC-229
#[test]
fn rules_of_v1_36_are_explained() {
    let (mut host, mut clock) = (Host::new(), 0.0);
    let source = SessionSource::Files {
        files: vec![("explanation.yaml".into(), CLUSTER.into())],
    };
    send(&mut host, &mut clock, Request::Open { source });
    send(&mut host, &mut clock, Request::Seek { at: 12_000_000 });
    let updates = send(
        &mut host,
        &mut clock,
        Request::Explain {
            pod: "default/train".into(),
            uid: String::new(),
            attempt: None,
        },
    );
    let explanation = updates.into_iter().find_map(|update| match update {
        Update::Explanation { explanation, .. } => explanation,
        _ => None,
    });
    let explanation = explanation.expect("an explanation");
    let balanced = explanation
        .plugins
        .iter()
        .position(|plugin| plugin.name == "NodeResourcesBalancedAllocation")
        .expect("NodeResourcesBalancedAllocation scores nodes");
    let mut texts = Vec::new();
    for node in &explanation.nodes {
        match &node.verdict {
            NodeVerdict::Fits(scores) => {
                texts.extend(
                    scores
                        .notes
                        .iter()
                        .filter(|(place, _)| *place == balanced)
                        .map(|(_, note)| format!("{}: {}", node.name, explained::score_note(*note))),
                );
            }
            NodeVerdict::Refused { refusal, .. } => {
                texts.push(format!("{}: {}", node.name, explained::refusal_text(refusal)));
            }
            NodeVerdict::NotExamined => {}
        }
    }
    texts.sort_unstable();
    assert_eq!(
        texts,
        [
            "a-1: even use of its resources 68 → 92: this pod evens the node out",
            "a-2: even use of its resources 100 → 76: this pod makes the node less even",
            "old: its kubelet does not declare RestartAllContainersOnContainerExits, which the pod needs",
        ]
    );
    let updates = send(
        &mut host,
        &mut clock,
        Request::Inspect {
            subject: Some(SubjectRef::Pod {
                key: "default/train".into(),
                uid: String::new(),
            }),
        },
    );
    let restarted = updates.into_iter().find_map(|update| match update {
        Update::Detail(detail) => detail.containers[0].restarted.as_ref().map(ToString::to_string),
        _ => None,
    });
    assert_eq!(
        restarted.as_deref(),
        Some("exit code 42: restartPolicyRules[0] (Restart, exit code In [42]) starts it again")
    );
}
