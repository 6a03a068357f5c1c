//! What-if questions of the page are answered in pieces of work, with progress updates, and can be stopped.

use podscope_api::{Node, ObjectKey, Pod};
use podscope_messages::Sentence;
use podscope_protocol::{WhatIf, WhatIfAnswer};

use super::*;

/// Sends a what-if question and lets the host work until it is idle. Returns the number of pieces of work, each
/// reported progress in per mille, and the answer.
fn ask_what_if(host: &mut Host, change: &WhatIf) -> (usize, Vec<u32>, Option<WhatIfAnswer>) {
    let mut updates = host.handle(Request::WhatIf(Some(change.clone())), 0.0);
    let mut pieces = 0;
    while host.next_work() == NextWork::Now {
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

/// Returns a scenario with two machines in each zone. Two of the machines each run a pod that leaves no room for
/// another pod.
fn scenario_with_two_large_pods(zones: &str) -> String {
    format!(
        "
apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {{name: large-pods}}
spec: {{cluster: {{zones: {zones}, nodesPerZone: 2, node: {{cpu: 2, memory: 4Gi, pods: 20}}}}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {{name: web}}
spec:
  replicas: 2
  selector: {{matchLabels: {{app: web}}}}
  template:
    metadata: {{labels: {{app: web}}}}
    spec: {{containers: [{{name: c, image: x, resources: {{requests: {{cpu: 1500m}}}}}}]}}
"
    )
}

/// Returns a host that has opened a file, one minute after t = 0.
fn host_after_a_minute(text: &str) -> Host {
    let mut host = Host::new();
    let files = vec![("cluster.yaml".to_owned(), text.to_owned())];
    host.handle(
        Request::Open {
            source: SessionSource::Files { files },
        },
        0.0,
    );
    host.handle(Request::Seek { at: 60_000_000 }, 0.0);
    work_until_idle(&mut host, &mut 0.0);
    host
}

/// Shows: P-14
#[test]
fn what_if_question_is_answered_in_pieces_with_progress() {
    let mut host = Host::new();
    host.handle(
        Request::Open {
            source: SessionSource::Free,
        },
        0.0,
    );
    host.handle(Request::Seek { at: 60_000_000 }, 0.0);
    work_until_idle(&mut host, &mut 0.0);
    let before = host.active.as_ref().map(|active| active.session.now());
    for change in [WhatIf::Drain(vec!["a-1".into()]), WhatIf::LoseZone("a".into())] {
        let (pieces, reported, answer) = ask_what_if(&mut host, &change);
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

/// The host handles a request between two pieces of work. A what-if question that was stopped gets no answer.
#[test]
fn stopped_what_if_question_leaves_no_work_and_no_answer() {
    let (mut host, _) = open_first_visit();
    host.handle(Request::FrameDone, 0.0);
    host.handle(Request::WhatIf(Some(WhatIf::LoseZone("a".into()))), 0.0);
    for _ in 0..5 {
        let updates = host.work(0.0);
        assert!(!updates.iter().any(|update| matches!(update, Update::WhatIf(_))));
    }
    assert_eq!(host.next_work(), NextWork::Now);
    let line = "kubectl get nodes".to_owned();
    let updates = host.handle(Request::Command { line }, 0.0);
    assert!(updates.iter().any(|update| matches!(update, Update::Console { .. })));
    let stopped = host.handle(Request::WhatIf(None), 0.0);
    let ends_progress = |update: &Update| matches!(update, Update::Progress { per_mille: 1000, .. });
    assert!(stopped.iter().any(ends_progress));
    assert_eq!(host.handle(Request::WhatIf(None), 0.0), [], "nothing is left to stop");
    let mut clock = 0.0;
    let updates = work_until_idle(&mut host, &mut clock);
    assert!(!updates.iter().any(|update| matches!(update, Update::WhatIf(_))));
}

/// In the answer, a replacement pod without a feasible node is pending, and a pod without a controller is lost.
/// Shows: P-14
#[test]
fn what_if_answer_distinguishes_pending_and_lost_pods() {
    const POD_WITHOUT_CONTROLLER: &str = "---
{apiVersion: v1, kind: Pod, metadata: {name: alone}, spec: {nodeName: a-1, containers: [{name: c, image: x}]}}
";
    let mut host = host_after_a_minute(&format!(
        "{}{POD_WITHOUT_CONTROLLER}",
        scenario_with_two_large_pods("[a]")
    ));
    let (_, _, answer) = ask_what_if(&mut host, &WhatIf::Drain(vec!["a-1".into()]));
    let answer = answer.expect("an answer");
    let of = |name: &str| answer.moves.iter().find(|one| one.pod.contains(name));
    assert_eq!(of("/web-").map(|one| (&one.to, one.waits)), Some((&None, true)));
    assert_eq!(of("/alone").map(|one| (&one.to, one.waits)), Some((&None, false)));
}

/// Two of the four machines are full. The answer reports for each why no further copy of the pod fits.
/// Shows: P-14
#[test]
fn copies_that_fit_are_counted_with_reason_per_node() {
    let mut host = host_after_a_minute(&scenario_with_two_large_pods("[a, b]"));
    let pods = |host: &Host| -> Vec<ObjectKey> {
        let objects = host
            .active
            .as_ref()
            .map(|active| active.session.world().objects().clone());
        let web = objects.iter().flat_map(|objects| objects.list::<Pod>());
        web.map(|pod| ObjectKey::new(pod.metadata.namespace.clone(), pod.metadata.name.clone()))
            .collect()
    };
    let before = pods(&host);
    let pod = before.first().expect("a pod").to_string();
    let (_, _, answer) = ask_what_if(&mut host, &WhatIf::Fit { pod, need: 0 });
    let answer = answer.expect("an answer");
    assert_eq!(answer.summary.english(), "2 more pods of this shape fit.");
    let mut room: Vec<usize> = answer.room.iter().map(|node| node.pods).collect();
    room.sort_unstable();
    assert_eq!(room, [0, 0, 1, 1]);
    assert!(
        answer.room.iter().all(|node| node.reason == "Insufficient cpu"),
        "{answer:?}"
    );
    assert_eq!(pods(&host), before, "the session has no copies");
    let refused = host.handle(
        Request::WhatIf(Some(WhatIf::Fit {
            pod: "default/none".into(),
            need: 0,
        })),
        0.0,
    );
    let Some(Update::Refused { problems }) = refused.first() else {
        panic!("{refused:?}");
    };
    assert_eq!(problems[0].message.english(), r#"pods "none" not found"#);
}

/// In the cluster of free play the nodes are nearly empty, so nearly all of them can be removed; the answer counts
/// them.
/// Shows: P-14
#[test]
fn removable_nodes_are_found_by_draining_a_copy() {
    let mut host = Host::new();
    host.handle(
        Request::Open {
            source: SessionSource::Free,
        },
        0.0,
    );
    host.handle(Request::Seek { at: 60_000_000 }, 0.0);
    work_until_idle(&mut host, &mut 0.0);
    let nodes = |host: &Host| {
        let active = host.active.as_ref().expect("a session");
        let nodes = active.session.world().objects().list::<Node>();
        nodes.filter(|node| !node.is_unschedulable()).count()
    };
    let before = nodes(&host);
    let (_, reported, answer) = ask_what_if(&mut host, &WhatIf::Consolidate);
    let answer = answer.expect("an answer");
    assert!(reported.is_sorted() && reported.len() > 1, "{reported:?}");
    let lines = |title: &str| {
        let section = answer.sections.iter().find(|(one, _)| one.english() == title);
        section.map_or(0, |(_, lines)| lines.len())
    };
    assert!(answer.can_go.len() > 1, "{answer:?}");
    assert_eq!(lines("Can be removed"), answer.can_go.len());
    assert_eq!(lines("Can be removed") + lines("Are needed"), before);
    assert_eq!(nodes(&host), before, "the session itself has drained none");
}

/// Two compared runs have a plot for each resource, with a point for each node. If no comparison is open, the host
/// refuses the question.
/// Shows: P-14, T-04
#[test]
fn figures_are_measured_from_compared_runs() {
    let (mut host, mut clock) = (open_first_visit().0, 0.0);
    let refused = host.handle(Request::WhatIf(Some(WhatIf::Figures)), clock);
    assert!(matches!(refused.as_slice(), [Update::Refused { .. }]), "{refused:?}");
    let active = host.active.as_ref().expect("a session");
    let other = Some(joined_text(&active.session.loaded().files));
    let n_nodes = active.session.world().objects().list::<Node>().count();
    let line = "kubectl create deployment more --image=x --replicas=2".to_owned();
    for request in [
        Request::Seek { at: 30_000_000 },
        Request::Command { line },
        Request::Seek { at: 60_000_000 },
    ] {
        host.handle(request, clock);
        work_until_idle(&mut host, &mut clock);
    }
    host.handle(Request::Compare { other }, clock);
    work_until_idle(&mut host, &mut clock);
    let (_, _, answer) = ask_what_if(&mut host, &WhatIf::Figures);
    let answer = answer.expect("an answer");
    let row = |title: &str| {
        let mut rows = answer.figures.rows.iter();
        let found = rows.find(|row| row[0].english() == title);
        found.map(|row| row.iter().map(Sentence::english).collect::<Vec<String>>())
    };
    assert_eq!(
        row("").as_deref(),
        Some(&["", "this run", "the other"].map(str::to_owned)[..])
    );
    let placed: Vec<usize> = row("pods placed").expect("a row")[1..]
        .iter()
        .filter_map(|cell| cell.parse().ok())
        .collect();
    assert_eq!(placed[0], placed[1] + 2);
    assert_eq!(answer.summary.english(), "2 pods have another node.");
    let resources: Vec<&str> = answer.figures.fullness.iter().map(|one| &*one.resource).collect();
    assert_eq!(resources, ["cpu", "memory"]);
    let points = answer
        .figures
        .fullness
        .iter()
        .flat_map(|one| one.runs.iter().map(Vec::len));
    assert!(
        points.clone().count() == 4 && points.clone().all(|n| n == n_nodes),
        "{answer:?}"
    );
}

/// Two copies of the pod fit; each additional machine makes room for one more.
/// Shows: P-14
#[test]
fn answer_suggests_machines_for_copies_that_do_not_fit() {
    let mut host = host_after_a_minute(&scenario_with_two_large_pods("[a, b]"));
    let pod = {
        let objects = host.active.as_ref().expect("a session").session.world().objects();
        let first = objects.list::<Pod>().next().expect("a pod");
        ObjectKey::new("default", first.metadata.name.clone()).to_string()
    };
    let mut asked = |need| {
        let change = WhatIf::Fit { pod: pod.clone(), need };
        let (_, _, answer) = ask_what_if(&mut host, &change);
        answer.expect("an answer").changes
    };
    assert_eq!(asked(2), [], "so many fit already");
    let changes = asked(5);
    let [change] = changes.as_slice() else {
        panic!("{changes:?}");
    };
    assert_eq!(change.fits, 5);
    assert_eq!(change.commands, ["fault join a-1-copy --like a-1 --count 3"]);
}
