//! A rolling drain: all nodes are drained one after another, and each is made schedulable again before the next, as in
//! an upgrade of the nodes. A consolidation also drains one node after another, the emptiest first, but the drained
//! nodes stay unschedulable.
//!
//! A node whose drain does not finish, or whose pods find no other node, is tried again later: the drain of another
//! node may make room for its pods. The rolling drain stops if none of the remaining nodes can be drained.
//!
//! ```text
//! left ──drain ends, every pod has a node──▶ order
//!   └──a whole pass over the nodes that are left drains none──▶ stopped
//! ```

use podscope_api::ordered::StableSort as _;
use podscope_api::well_known::condition;
use podscope_api::{ConditionStatus, Node, NodeName, ObjectKey, Pod, Quantity, ordered};
use podscope_cluster::{SimTime, Span};
use podscope_kubectl::command;
use podscope_messages::{Sentence, sentence};
use podscope_protocol::Problem;
use serde::Serialize;

use super::compare::blocked_pods;
use super::question_run::SettlingDetector;
use super::run::{self, EVENTS_PER_POLL, drain_command};
use super::shortfall::{Shortfall, ShortfallWatcher};
use super::text::why_blocked;
use super::{ProgressStage, WorkControl, is_removed_by_drain};
use crate::scenario::Loaded;
use crate::timeline::Session;

/// Result of draining all nodes one after another.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct RollingDrain {
    /// The nodes that were drained, in an order in which this is possible.
    pub order: Vec<DrainedNode>,
    /// The nodes that cannot be drained, each with the pod that prevents the drain.
    pub stopped: Vec<UndrainableNode>,
    /// Objects that had less than they require during the drains.
    pub shortfalls: Vec<Shortfall>,
    /// Simulated time from the first drain until the pods had settled after the last one, in seconds.
    pub seconds: i64,
}

/// A node that was drained.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DrainedNode {
    pub node: String,
    /// Number of pods that had to leave the node.
    pub pods: usize,
    /// Simulated time until the last of these pods had moved, in seconds.
    pub seconds: i64,
}

/// A node that cannot be drained.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UndrainableNode {
    pub node: String,
    /// `NAMESPACE/NAME` of the pod that prevents the drain.
    pub pod: String,
    #[serde(serialize_with = "podscope_messages::as_english")]
    pub reason: Sentence,
}

/// Result of a consolidation: the nodes that can be removed from the cluster.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Consolidation {
    /// The nodes that can all be removed together, in the order in which they were drained.
    pub nodes: Vec<DrainedNode>,
    /// The nodes that could not be drained, each with the pod that needs the node.
    pub kept: Vec<UndrainableNode>,
    /// Objects that had less than they require during the drains.
    pub shortfalls: Vec<Shortfall>,
}

/// Drains the given nodes one after another. If `nodes` is empty, drains all schedulable nodes.
///
/// # Errors
/// The API server refuses objects of the files, or a node does not exist.
pub fn rolling_drain(
    loaded: &Loaded,
    nodes: &[String],
    control: WorkControl<'_>,
) -> Result<RollingDrain, Vec<Problem>> {
    let stop = control.stop;
    let mut session = run::start_cluster(loaded.clone(), control)?;
    let mut left = nodes_to_drain(&session, nodes).map_err(|why| vec![Problem::of_file("whatif", why)])?;
    let begin = session.now();
    let mut watcher = ShortfallWatcher::new(&session);
    let mut rolling = RollingDrain::default();
    let n_nodes = left.len();
    'rounds: loop {
        let n_left = left.len();
        rolling.stopped.clear();
        for node in std::mem::take(&mut left) {
            (control.progress)(ProgressStage::Drained(rolling.order.len(), n_nodes));
            let mut draining = NodeDrain::start(&session, &watcher, node.clone())?;
            while !draining.work(EVENTS_PER_POLL) && !stop() {}
            // For a node whose drain was interrupted there is no result.
            if stop() {
                break 'rounds;
            }
            match draining.result() {
                Ok(drained) => {
                    (session, watcher) = (draining.session, draining.watcher);
                    run_line(&mut session, &format!("kubectl uncordon {node}"))?;
                    run::settle(&mut session, Span::ZERO, stop, &mut |session| watcher.sample(session));
                    rolling.order.push(drained);
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

/// Looks for nodes that can be removed: drains the emptiest nodes one after another and leaves them unschedulable, as
/// long as every pod finds another node. At most `max_drains` drains are tried.
///
/// # Errors
/// The API server refuses objects of the files.
pub fn consolidate(
    loaded: &Loaded,
    max_drains: usize,
    control: WorkControl<'_>,
) -> Result<Consolidation, Vec<Problem>> {
    let mut consolidating = ConsolidationSearch::start(run::start_cluster(loaded.clone(), control)?, max_drains);
    let mut reported = None;
    while !consolidating.work(EVENTS_PER_POLL)? && !(control.stop)() {
        let (tried, of) = consolidating.n_tried();
        if reported.replace(tried) != Some(tried) {
            (control.progress)(ProgressStage::Drained(tried, of));
        }
    }
    Ok(consolidating.into_answer())
}

/// The search for nodes that can be removed. It is done in pieces of work, so that the page stays responsive and can
/// stop it.
#[derive(Debug)]
pub struct ConsolidationSearch {
    /// The cluster, in which the removable nodes found so far are drained.
    session: Session,
    watcher: ShortfallWatcher,
    /// The nodes whose drain has not been tried yet, the next one last.
    candidates: Vec<String>,
    draining: Option<NodeDrain>,
    found: Consolidation,
}

impl ConsolidationSearch {
    /// Starts a search in a session at its current time. At most `max_drains` drains are tried.
    #[must_use]
    pub fn start(session: Session, max_drains: usize) -> Self {
        let mut candidates = nodes_emptiest_first(&session);
        candidates.truncate(max_drains);
        candidates.reverse();
        Self {
            watcher: ShortfallWatcher::new(&session),
            candidates,
            session,
            draining: None,
            found: Consolidation::default(),
        }
    }

    /// Simulates at most `max_events` events. Returns whether all drains have been tried.
    ///
    /// # Errors
    /// The command of a drain is refused.
    pub fn work(&mut self, max_events: u64) -> Result<bool, Vec<Problem>> {
        let mut draining = match self.draining.take() {
            Some(draining) => draining,
            None => match self.candidates.pop() {
                Some(node) => NodeDrain::start(&self.session, &self.watcher, node)?,
                None => return Ok(true),
            },
        };
        if !draining.work(max_events) {
            self.draining = Some(draining);
            return Ok(false);
        }
        match draining.result() {
            Ok(drained) => {
                self.found.nodes.push(drained);
                (self.session, self.watcher) = (draining.session, draining.watcher);
            }
            Err(stopped) => self.found.kept.push(stopped),
        }
        Ok(self.candidates.is_empty())
    }

    /// Returns the number of drains that have been tried, and the total number of drains to try.
    #[must_use]
    pub fn n_tried(&self) -> (usize, usize) {
        let tried = self.found.nodes.len() + self.found.kept.len();
        (
            tried,
            tried + usize::from(self.draining.is_some()) + self.candidates.len(),
        )
    }

    /// Returns the nodes that can be removed, according to the drains that have been tried. For a node whose drain was
    /// interrupted there is no result.
    #[must_use]
    pub fn into_answer(mut self) -> Consolidation {
        self.found.shortfalls = self.watcher.shortfalls();
        self.found
    }
}

/// Returns the schedulable nodes outside the control plane, ordered by the requested share of their CPU or memory,
/// whichever is greater.
fn nodes_emptiest_first(session: &Session) -> Vec<String> {
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

/// The drain of one node in a copy of the cluster. If the drain fails, the copy is dropped.
#[derive(Debug)]
struct NodeDrain {
    node: String,
    session: Session,
    watcher: ShortfallWatcher,
    begin: SimTime,
    /// Number of pods that the drain must remove from the node.
    n_pods: usize,
    /// Pods that the scheduler had already refused before the drain, each with its message.
    waited_before: ordered::Map<ObjectKey, String>,
    settling: SettlingDetector,
}

impl NodeDrain {
    fn start(session: &Session, watcher: &ShortfallWatcher, node: String) -> Result<Self, Vec<Problem>> {
        let mut session = session.clone();
        let (begin, n_pods) = (session.now(), pods_to_evict(&session, &node).len());
        let waited_before = unscheduled_pods(&session);
        run_line(&mut session, &drain_command(std::slice::from_ref(&node)))?;
        Ok(Self {
            settling: SettlingDetector::begin(&session, Span::ZERO),
            node,
            session,
            watcher: watcher.clone(),
            begin,
            n_pods,
            waited_before,
        })
    }

    /// Simulates at most `max_events` events. Returns whether the pods have stopped moving.
    fn work(&mut self, max_events: u64) -> bool {
        let watcher = &mut self.watcher;
        self.settling
            .work(&mut self.session, max_events, &mut |session| watcher.sample(session))
    }

    /// Returns the result for the drained node. The error contains the pod that prevents the drain.
    fn result(&self) -> Result<DrainedNode, UndrainableNode> {
        let stopped = |pod: String, reason: Sentence| UndrainableNode {
            node: self.node.clone(),
            pod,
            reason,
        };
        // A pod that finds no node is the cause, even if its PodDisruptionBudget then refuses the next eviction.
        let waiting = unscheduled_pods(&self.session).into_iter();
        let mut newly_waiting = waiting.filter(|(pod, _)| !self.waited_before.contains_key(pod));
        if let Some((pod, reason)) = newly_waiting.next() {
            return Err(stopped(pod.to_string(), reason.into()));
        }
        if let Some(blocked) = blocked_pods(&self.session, std::slice::from_ref(&self.node)).first() {
            return Err(stopped(blocked.pod.clone(), why_blocked(blocked)));
        }
        if let Some(stays) = pods_to_evict(&self.session, &self.node).first() {
            return Err(stopped(stays.to_string(), sentence!(what_if_answer::still_on_node)));
        }
        Ok(DrainedNode {
            node: self.node.clone(),
            pods: self.n_pods,
            seconds: (self.settling.last_move_time() - self.begin).0 / 1_000_000,
        })
    }
}

fn run_line(session: &mut Session, line: &str) -> Result<(), Vec<Problem>> {
    let refuse = |why: String| vec![Problem::of_file("whatif", why)];
    let read = command::parse(line).map_err(|error| refuse(error.message))?;
    session.command(read).map_err(|limit| refuse(limit.to_string()))
}

/// Returns the pods on a node that a drain evicts or deletes.
fn pods_to_evict(session: &Session, node: &str) -> Vec<ObjectKey> {
    let pods = session.world().objects().pods_on(&NodeName(node.into()));
    let pods = pods.filter(|pod| is_removed_by_drain(pod));
    pods.map(|pod| pod.metadata.key()).collect()
}

/// Returns the pods that the scheduler has refused, each with the scheduler's message.
fn unscheduled_pods(session: &Session) -> ordered::Map<ObjectKey, String> {
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

    /// A scenario in which the pod of `db` can only run on b-1, so b-1 cannot be drained. No controller replaces the
    /// pod on c-1.
    const UNDRAINABLE_NODE: &str = r#"
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

    /// Number of calls of `stop_after_polls` that still return false.
    static REMAINING_POLLS: AtomicUsize = AtomicUsize::new(0);

    fn stop_after_polls() -> bool {
        let count = |left: usize| left.checked_sub(1);
        REMAINING_POLLS
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, count)
            .is_err()
    }

    /// The node whose drain is interrupted is reported neither as drained nor as impossible to drain.
    /// Shows: P-14
    #[test]
    fn interrupted_rolling_drain_reports_finished_nodes_only() {
        let files = [("three.yaml".to_owned(), UNDRAINABLE_NODE.to_owned())];
        let loaded = scenario::load(&files).expect("a scenario");
        let run = |polls: usize| {
            REMAINING_POLLS.store(polls, Ordering::Relaxed);
            let stages = Mutex::new(Vec::new());
            let control = WorkControl {
                stop: stop_after_polls,
                progress: &|stage| stages.lock().expect("one thread").push(stage),
            };
            let rolling = rolling_drain(&loaded, &[], control).expect("the nodes exist");
            (rolling, stages.into_inner().expect("one thread"))
        };
        let (complete, stages) = run(usize::MAX);
        let order: Vec<&str> = complete.order.iter().map(|one| one.node.as_str()).collect();
        let stopped: Vec<&str> = complete.stopped.iter().map(|one| one.node.as_str()).collect();
        assert_eq!((order, stopped), (vec!["a-1", "c-1"], vec!["b-1"]));
        let drained = |n_done| ProgressStage::Drained(n_done, 3);
        let expected = [ProgressStage::Starting, drained(0), drained(1), drained(1), drained(2)];
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
