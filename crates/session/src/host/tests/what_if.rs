//! What-if questions of the page: answered in pieces, with progress, and stopped.

use podscope_protocol::{WhatIf, WhatIfAnswer};

use super::*;

/// Works until the host rests. Returns the number of pieces, the reported parts of the work, and the answer.
fn ask(host: &mut Host, change: &WhatIf) -> (usize, Vec<u32>, Option<WhatIfAnswer>) {
    let mut updates = host.handle(Request::WhatIf(Some(change.clone())), 0.0);
    let mut pieces = 0;
    while host.wants() == Wants::Now {
        updates.extend(host.work(0.0));
        pieces += 1;
    }
    let mut reported = Vec::new();
    let mut answer = None;
    for update in updates {
        match update {
            Update::Progress {
                task: Task::WhatIf,
                per_mille,
            } => reported.push(per_mille),
            Update::WhatIf(found) => answer = Some(*found),
            _ => {}
        }
    }
    (pieces, reported, answer)
}

/// Shows: P-14
#[test]
fn what_if_question_is_answered_in_pieces_with_progress() {
    let mut host = Host::new();
    host.handle(Request::Open { source: Source::Free }, 0.0);
    host.handle(Request::Seek { at: 60_000_000 }, 0.0);
    settle(&mut host, &mut 0.0);
    let before = host.active.as_ref().map(|active| active.session.now());
    for change in [WhatIf::Drain(vec!["a-1".into()]), WhatIf::LoseZone("a".into())] {
        let (pieces, reported, answer) = ask(&mut host, &change);
        assert!(pieces > 20, "{pieces} pieces");
        assert!(reported.len() > 5 && reported.is_sorted(), "{reported:?}");
        assert!(reported.iter().all(|per_mille| *per_mille < 1000));
        let answer = answer.expect("an answer");
        assert_eq!(Some(answer.at), before.map(|now| now.0));
        assert_eq!(answer.change, change);
        assert!(!answer.moves.is_empty(), "{answer:?}");
    }
    assert_eq!(host.active.as_ref().map(|active| active.session.now()), before);
}

/// Requests are handled between two pieces, and a stopped question has no answer.
#[test]
fn stopped_what_if_question_leaves_no_work_and_no_answer() {
    let (mut host, _) = welcome();
    host.handle(Request::FrameDone, 0.0);
    host.handle(Request::WhatIf(Some(WhatIf::LoseZone("a".into()))), 0.0);
    for _ in 0..5 {
        let updates = host.work(0.0);
        assert!(!updates.iter().any(|update| matches!(update, Update::WhatIf(_))));
    }
    assert_eq!(host.wants(), Wants::Now);
    let line = "kubectl get nodes".to_owned();
    let updates = host.handle(Request::Command { line }, 0.0);
    assert!(updates.iter().any(|update| matches!(update, Update::Console { .. })));
    let stopped = host.handle(Request::WhatIf(None), 0.0);
    let ends_progress = |update: &Update| matches!(update, Update::Progress { per_mille: 1000, .. });
    assert!(stopped.iter().any(ends_progress));
    assert_eq!(host.handle(Request::WhatIf(None), 0.0), [], "nothing is left to stop");
    let mut clock = 0.0;
    let updates = settle(&mut host, &mut clock);
    assert!(!updates.iter().any(|update| matches!(update, Update::WhatIf(_))));
}

/// A replacement that finds no node waits; a pod without a controller is gone.
/// Shows: P-14
#[test]
fn what_if_answer_tells_pending_pods_from_lost_ones() {
    const FULL: &str = r#"
apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: full}
spec: {cluster: {zones: [a], nodesPerZone: 2, node: {cpu: 2, memory: 4Gi, pods: 20}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: x, resources: {requests: {cpu: 1500m}}}]}
---
{apiVersion: v1, kind: Pod, metadata: {name: alone}, spec: {nodeName: a-1, containers: [{name: c, image: x}]}}
"#;
    let mut host = Host::new();
    let files = vec![("full.yaml".to_owned(), FULL.to_owned())];
    let source = Source::Files { files };
    host.handle(Request::Open { source }, 0.0);
    host.handle(Request::Seek { at: 60_000_000 }, 0.0);
    let mut clock = 0.0;
    settle(&mut host, &mut clock);
    let (_, _, answer) = ask(&mut host, &WhatIf::Drain(vec!["a-1".into()]));
    let answer = answer.expect("an answer");
    let of = |name: &str| answer.moves.iter().find(|one| one.pod.contains(name));
    assert_eq!(of("/web-").map(|one| (&one.to, one.waits)), Some((&None, true)));
    assert_eq!(of("/alone").map(|one| (&one.to, one.waits)), Some((&None, false)));
}
