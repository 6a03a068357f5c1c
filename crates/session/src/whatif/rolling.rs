//! A rolling drain: all nodes are drained one after another, and each is made schedulable again before the next, as in
//! an upgrade of the nodes. A consolidation drains nodes in the same way, the emptiest first, and leaves them out.
//!
//! A node whose drain does not end, or whose pods find no other node, is left for later: the drain of another node may
//! make room for it. If none of the remaining nodes can be drained, the rolling drain stops there.
//!
//! ```text
//! left ──drain ends, every pod has a node──▶ order
//!   └──a whole pass over the nodes that are left drains none──▶ stopped
//! ```

use podscope_api::ordered::StableSort as _;
use podscope_api::well_known::condition;
use podscope_api::{ConditionStatus, Node, NodeName, ObjectKey, Pod, Quantity, ordered};
use podscope_cluster::Span;
use podscope_kubectl::command;
use podscope_protocol::Problem;
use serde::Serialize;

use super::compare::blocked_pods;
use super::run::{self, drain_command};
use super::shortfall::{Shortfall, Watcher};
use super::text::why_blocked;
use super::{Control, Stage};
use crate::scenario::Loaded;
use crate::timeline::Session;

/// Result of a rolling drain.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Rolling {
    /// The drained nodes, in an order that works.
    pub order: Vec<DrainedNode>,
    /// The nodes that cannot be drained, each with the pod that prevents it.
    pub stopped: Vec<StoppedNode>,
    /// Objects that had less than they have to have meanwhile.
    pub shortfalls: Vec<Shortfall>,
    /// Simulated seconds until the last node was drained.
    pub seconds: i64,
}

/// A node that was drained.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DrainedNode {
    pub node: String,
    /// Number of pods that left it.
    pub pods: usize,
    /// Simulated seconds until its pods ran elsewhere.
    pub seconds: i64,
}

/// A node that cannot be drained.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StoppedNode {
    pub node: String,
    /// `NAMESPACE/NAME` of the pod that prevents it.
    pub pod: String,
    pub reason: String,
}

/// Nodes that the cluster can do without.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Consolidation {
    /// The nodes that can go, all of them together, in the order of their drains.
    pub nodes: Vec<DrainedNode>,
    /// The nodes whose drain was tried in vain, each with the pod that needs it.
    pub kept: Vec<StoppedNode>,
    /// Objects that had less than they have to have during the drains.
    pub shortfalls: Vec<Shortfall>,
}

/// Drains the named nodes one after another; all schedulable nodes if none is named.
///
/// # Errors
/// The API server refuses objects of the files, or a node does not exist.
pub fn rolling_drain(loaded: &Loaded, nodes: &[String], control: Control<'_>) -> Result<Rolling, Vec<Problem>> {
    let stop = control.stop;
    let mut session = run::start_cluster(loaded.clone(), control)?;
    let mut left = nodes_to_drain(&session, nodes).map_err(|why| vec![Problem::of("whatif", why)])?;
    let begin = session.now();
    let mut watcher = Watcher::new(&session);
    let mut rolling = Rolling::default();
    let n_nodes = left.len();
    'rounds: loop {
        let n_left = left.len();
        rolling.stopped.clear();
        for node in std::mem::take(&mut left) {
            (control.progress)(Stage::Drained(rolling.order.len(), n_nodes));
            // A failed attempt is undone: only the copies have seen it.
            let (mut attempt, mut watched) = (session.clone(), watcher.clone());
            let result = drain(&mut attempt, &node, &mut watched, stop)?;
            // An interrupted drain says nothing about the node.
            if stop() {
                break 'rounds;
            }
            match result {
                Ok(drained) => {
                    give(&mut attempt, &format!("kubectl uncordon {node}"))?;
                    run::settle(&mut attempt, Span::ZERO, stop, &mut |session| watched.sample(session));
                    rolling.order.push(drained);
                    (session, watcher) = (attempt, watched);
                }
                Err(stopped) => {
                    rolling.stopped.push(stopped);
                    left.push(node);
                }
            }
        }
        if left.is_empty() || left.len() == n_left {
            break;
        }
    }
    rolling.shortfalls = watcher.shortfalls();
    rolling.seconds = (session.now() - begin).0 / 1_000_000;
    Ok(rolling)
}

/// Looks for nodes that the cluster can do without: drains the emptiest nodes one after another and leaves them out, as
/// long as every pod finds another node. Nodes without pods to evict can go at once. At most `most` drains are tried.
///
/// # Errors
/// The API server refuses objects of the files.
pub fn consolidate(loaded: &Loaded, most: usize, control: Control<'_>) -> Result<Consolidation, Vec<Problem>> {
    let stop = control.stop;
    let mut session = run::start_cluster(loaded.clone(), control)?;
    let mut found = Consolidation::default();
    let mut watcher = Watcher::new(&session);
    let candidates = emptiest_first(&session);
    let n_drains = most.min(candidates.len());
    for node in candidates.into_iter().take(n_drains) {
        (control.progress)(Stage::Drained(found.nodes.len() + found.kept.len(), n_drains));
        let (mut attempt, mut watched) = (session.clone(), watcher.clone());
        let result = drain(&mut attempt, &node, &mut watched, stop)?;
        // An interrupted drain says nothing about the node.
        if stop() {
            break;
        }
        match result {
            Ok(drained) => {
                found.nodes.push(drained);
                (session, watcher) = (attempt, watched);
            }
            Err(stopped) => found.kept.push(stopped),
        }
    }
    found.shortfalls = watcher.shortfalls();
    Ok(found)
}

/// The schedulable nodes without control plane, by the share of their cpu or memory that is requested.
fn emptiest_first(session: &Session) -> Vec<String> {
    let objects = session.world().objects();
    let is_candidate = |node: &&std::sync::Arc<Node>| {
        let is_control_plane = node.metadata.label("node-role.kubernetes.io/control-plane").is_some();
        !node.is_unschedulable() && !is_control_plane
    };
    let per_mille = |node: &Node, resource: &str| {
        let name = NodeName(node.metadata.name.clone());
        let pods = objects.pods_on(&name).filter(|pod| !pod.is_terminal());
        let requested = pods.map(|pod| pod.spec.total_requests().get(resource).map_or(0, Quantity::milli_value));
        let requested: i64 = requested.fold(0, i64::saturating_add);
        let allocatable = node.status.allocatable.get(resource).map_or(0, Quantity::milli_value);
        requested.saturating_mul(1000) / allocatable.max(1)
    };
    let candidates = objects.list::<Node>().filter(is_candidate);
    let mut found: Vec<(i64, String)> = candidates
        .map(|node| {
            let fullness = per_mille(node, "cpu").max(per_mille(node, "memory"));
            (fullness, node.metadata.name.to_string())
        })
        .collect();
    found.stable_sort();
    found.into_iter().map(|(_, node)| node).collect()
}

fn nodes_to_drain(session: &Session, named: &[String]) -> Result<Vec<String>, String> {
    let objects = session.world().objects();
    if let Some(unknown) = named.iter().find(|name| objects.named::<Node>(name).is_none()) {
        return Err(format!("nodes {unknown:?} not found"));
    }
    if !named.is_empty() {
        return Ok(named.to_vec());
    }
    let schedulable = objects.list::<Node>().filter(|node| !node.is_unschedulable());
    Ok(schedulable.map(|node| node.metadata.name.to_string()).collect())
}

/// Drains one node. Returns the pod that prevents it, if one does.
fn drain(
    session: &mut Session,
    node: &str,
    watcher: &mut Watcher,
    stop: fn() -> bool,
) -> Result<Result<DrainedNode, StoppedNode>, Vec<Problem>> {
    let begin = session.now();
    let before = pods_to_evict(session, node);
    let waited_before = unscheduled(session);
    give(session, &drain_command(&[node.to_owned()]))?;
    let moved = run::settle(session, Span::ZERO, stop, &mut |session| watcher.sample(session));
    let stopped = |pod: &ObjectKey, reason: String| StoppedNode {
        node: node.to_owned(),
        pod: pod.to_string(),
        reason,
    };
    // A pod that finds no node also keeps its budget from allowing the next eviction.
    let waiting = unscheduled(session).into_iter();
    let mut newly_waiting = waiting.filter(|(pod, _)| !waited_before.contains_key(pod));
    if let Some((pod, reason)) = newly_waiting.next() {
        return Ok(Err(stopped(&pod, reason)));
    }
    if let Some(blocked) = blocked_pods(session, &[node.to_owned()]).first() {
        let reason = why_blocked(blocked);
        return Ok(Err(StoppedNode {
            node: node.to_owned(),
            pod: blocked.pod.clone(),
            reason,
        }));
    }
    if let Some(stays) = pods_to_evict(session, node).first() {
        return Ok(Err(stopped(stays, "it is still on the node".to_owned())));
    }
    Ok(Ok(DrainedNode {
        node: node.to_owned(),
        pods: before.len(),
        seconds: (moved - begin).0 / 1_000_000,
    }))
}

fn give(session: &mut Session, line: &str) -> Result<(), Vec<Problem>> {
    let refuse = |why: String| vec![Problem::of("whatif", why)];
    let read = command::parse(line).map_err(|error| refuse(error.message))?;
    session.command(read).map_err(|limit| refuse(limit.to_string()))
}

/// The pods of a node that a drain evicts or deletes.
fn pods_to_evict(session: &Session, node: &str) -> Vec<ObjectKey> {
    let pods = session.world().objects().pods_on(&NodeName(node.into()));
    let of_daemon_set = |pod: &Pod| {
        pod.metadata
            .controller_ref()
            .is_some_and(|owner| &*owner.kind == "DaemonSet")
    };
    let pods = pods.filter(|pod| !pod.is_terminal() && !pod.is_mirror() && !of_daemon_set(pod));
    pods.map(|pod| pod.metadata.key()).collect()
}

/// Pods that the scheduler has refused, each with its message.
fn unscheduled(session: &Session) -> ordered::Map<ObjectKey, String> {
    let pods = session.world().objects().list::<Pod>();
    let waiting = pods.filter(|pod| !pod.is_terminal() && pod.spec.node_name.is_none());
    let refused = waiting.filter_map(|pod| {
        let condition = pod.condition(condition::POD_SCHEDULED)?;
        (condition.status == ConditionStatus::False).then(|| (pod.metadata.key(), condition.message.to_string()))
    });
    refused.collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::scenario;

    /// The pod of `db` may only be on b-1, so that this node cannot be drained. The pod on c-1 is not replaced.
    const NODES: &str = r#"
apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: three}
spec: {cluster: {zones: [a, b, c], nodesPerZone: 1, node: {cpu: 4, memory: 8Gi, pods: 20}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: pinned}, spec: {nodeName: c-1, nodeSelector: {kubernetes.io/hostname: c-1}, containers: [{name: c, image: x}]}}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  replicas: 1
  serviceName: db
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {nodeSelector: {kubernetes.io/hostname: b-1}, containers: [{name: c, image: x}]}
"#;

    /// Number of calls of `stops` that return false.
    static POLLS: AtomicUsize = AtomicUsize::new(0);

    fn stops() -> bool {
        let count = |left: usize| left.checked_sub(1);
        POLLS.fetch_update(Ordering::Relaxed, Ordering::Relaxed, count).is_err()
    }

    /// A drain that was interrupted counts neither as done nor as impossible.
    /// Shows: P-14
    #[test]
    fn interrupted_rolling_drain_reports_finished_nodes_only() {
        let files = [("three.yaml".to_owned(), NODES.to_owned())];
        let loaded = scenario::load(&files).expect("a scenario");
        let run = |polls: usize| {
            POLLS.store(polls, Ordering::Relaxed);
            let stages = Mutex::new(Vec::new());
            let control = Control {
                stop: stops,
                progress: &|stage| stages.lock().expect("one thread").push(stage),
            };
            let rolling = rolling_drain(&loaded, &[], control).expect("the nodes exist");
            (rolling, stages.into_inner().expect("one thread"))
        };
        let (complete, stages) = run(usize::MAX);
        let order: Vec<&str> = complete.order.iter().map(|one| one.node.as_str()).collect();
        let stopped: Vec<&str> = complete.stopped.iter().map(|one| one.node.as_str()).collect();
        assert_eq!((order, stopped), (vec!["a-1", "c-1"], vec!["b-1"]));
        let drained = |n_done| Stage::Drained(n_done, 3);
        let expected = [Stage::Starting, drained(0), drained(1), drained(1), drained(2)];
        assert_eq!(stages, expected, "b-1 is tried again after the others");
        let mut lengths = Vec::new();
        for polls in (0..400).step_by(10) {
            let (partial, _) = run(polls);
            let n_drained = partial.order.len();
            assert_eq!(partial.order, complete.order[..n_drained], "after {polls} polls");
            assert!(
                partial.stopped.iter().all(|one| one.node == "b-1"),
                "after {polls} polls"
            );
            lengths.push(n_drained);
        }
        assert!(
            lengths.is_sorted() && lengths.contains(&0) && lengths.contains(&2),
            "{lengths:?}"
        );
    }
}
