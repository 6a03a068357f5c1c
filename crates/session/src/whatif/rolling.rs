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
pub fn rolling_drain(loaded: &Loaded, nodes: &[String], stop: fn() -> bool) -> Result<Rolling, Vec<Problem>> {
    let mut session = run::start_cluster(loaded.clone(), stop)?;
    let mut left = nodes_to_drain(&session, nodes).map_err(|why| vec![Problem::of("whatif", why)])?;
    let begin = session.now();
    let mut watcher = Watcher::new(&session);
    let mut rolling = Rolling::default();
    loop {
        let n_left = left.len();
        rolling.stopped.clear();
        for node in std::mem::take(&mut left) {
            if stop() {
                return Ok(rolling);
            }
            // A failed attempt is undone: only the copies have seen it.
            let (mut attempt, mut watched) = (session.clone(), watcher.clone());
            match drain(&mut attempt, &node, &mut watched, stop)? {
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
pub fn consolidate(loaded: &Loaded, most: usize, stop: fn() -> bool) -> Result<Consolidation, Vec<Problem>> {
    let mut session = run::start_cluster(loaded.clone(), stop)?;
    let mut found = Consolidation::default();
    let mut watcher = Watcher::new(&session);
    for node in emptiest_first(&session).into_iter().take(most) {
        if stop() {
            break;
        }
        let (mut attempt, mut watched) = (session.clone(), watcher.clone());
        match drain(&mut attempt, &node, &mut watched, stop)? {
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
