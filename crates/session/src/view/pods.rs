//! Pods and ghosts (deleted pods whose processes still run), in the form in which the page shows them.

use std::sync::Arc;

use podscope_api::ordered::{self, StableSort as _};

use podscope_api::{Kind, NodeName, ObjectKey, Pod, PodPhase, ReplicaSet};
use podscope_cluster::kubelet::TerminationStep;
use podscope_cluster::machine::Machine;
use podscope_cluster::{Change, SimTime, World};
use podscope_scheduler::QueueEntry;

use super::Owners;
use super::groups::PodContribution;
use super::nodes::Machines;
use super::queue::queue_view;
use crate::owners::workload_of;
use crate::timeline::Session;
use podscope_kubectl::pod_row;
use podscope_protocol::{ContainerStage, Frame, Micros, PodMark, PodView, TerminationStage, TerminationView};

/// Returns id and name of the workload that owns a pod. Both are empty if the pod has no owner.
pub(crate) fn owner_of(world: &World, pod: &Pod) -> (String, String) {
    match workload_of(world.objects(), &pod.metadata) {
        Some(top) => (
            format!("{} {}/{}", top.kind, pod.metadata.namespace, top.name),
            top.name.to_string(),
        ),
        None => Default::default(),
    }
}

/// Returns a short name of a pod: the first letter of its owner and the pod's ordinal, or else the last two letters of
/// its name.
fn short_name(name: &str, owner: &str) -> String {
    let base = if owner.is_empty() { name } else { owner };
    let letter: String = base.chars().take(1).collect();
    match name.rsplit_once('-') {
        Some((_, ordinal))
            if !ordinal.is_empty() && ordinal.len() <= 3 && ordinal.bytes().all(|byte| byte.is_ascii_digit()) =>
        {
            format!("{letter}{ordinal}")
        }
        _ if owner.is_empty() => name.chars().take(3).collect(),
        _ => {
            let tail: Vec<char> = name.chars().rev().take(2).collect();
            format!("{letter}{}", tail.into_iter().rev().collect::<String>())
        }
    }
}

/// The view of a pod, with the pod from which it was built.
#[derive(Debug, Clone)]
pub(crate) struct PodEntry {
    pub(crate) pod: Arc<Pod>,
    pub(crate) view: Arc<PodView>,
    /// What the pod contributes to the counts of its group of nodes. None until it has been computed.
    pub(crate) contribution: Option<PodContribution>,
    /// Whether the pod has a node and is not terminating. Its view then does not depend on time.
    is_settled: bool,
}

/// The entries of all pods that exist in the API.
#[derive(Debug, Clone, Default)]
pub(crate) struct Pods {
    /// Entries of pods, ordered by the pods' keys.
    pub(crate) entries: Vec<PodEntry>,
    /// ReplicaSets from which the owners of the pods were determined.
    sets: Vec<Arc<ReplicaSet>>,
    /// The last write to the store at the time when the entries were updated.
    last: Option<Arc<Change>>,
}

impl Pods {
    /// Returns the changes to apply to the entries. If the writes since the last frame are known, and neither owners
    /// nor the reachability of machines have changed, only the written pods are examined.
    fn changes(&mut self, world: &World, machines: &Machines, last_machines: &Machines) -> Vec<PodChange> {
        let is_reachability_same_for_all = machines.have_same_reachability(last_machines);
        let update_owners = self.update_owners(world);
        let written = (is_reachability_same_for_all && update_owners)
            .then(|| self.changes_from_writes(world))
            .flatten();
        written.unwrap_or_else(|| {
            let is_reachability_same =
                |node: &str| is_reachability_same_for_all || machines.is_silent(node) == last_machines.is_silent(node);
            self.changes_of_all_pods(world, |old| {
                update_owners && old.is_settled && is_reachability_same(&old.view.node)
            })
        })
    }

    /// Stores the current ReplicaSets. Returns whether the owners of pods are the same as before.
    fn update_owners(&mut self, world: &World) -> bool {
        let sets: Vec<Arc<ReplicaSet>> = world.objects().list::<ReplicaSet>().cloned().collect();
        let is_same = |(old, new): (&Arc<ReplicaSet>, &Arc<ReplicaSet>)| {
            let (before, now) = (&old.metadata, &new.metadata);
            Arc::ptr_eq(old, new)
                || (&before.namespace, &before.name, &before.owner_references)
                    == (&now.namespace, &now.name, &now.owner_references)
        };
        let before = std::mem::replace(&mut self.sets, sets);
        before.len() == self.sets.len() && before.iter().zip(&self.sets).all(is_same)
    }

    /// Compares all pods with the entries, and returns the changes. Pods that have not changed and for which `stays`
    /// returns true are left out; these are most pods.
    fn changes_of_all_pods(&self, world: &World, stays: impl Fn(&PodEntry) -> bool) -> Vec<PodChange> {
        let (mut changes, mut at) = (Vec::new(), 0);
        for pod in world.objects().list::<Pod>() {
            let is_same = |old: &&PodEntry| Arc::ptr_eq(&old.pod, pod);
            if self.entries.get(at).filter(is_same).is_some_and(&stays) {
                at += 1;
                continue;
            }
            while (self.entries.get(at)).is_some_and(|old| !is_same(&old) && sort_key(&old.pod) < sort_key(pod)) {
                changes.push(PodChange::remove(at));
                at += 1;
            }
            let had = (self.entries.get(at)).is_some_and(|old| is_same(&old) || sort_key(&old.pod) == sort_key(pod));
            let pod = Some(Arc::clone(pod));
            changes.push(PodChange { at, had, pod });
            at += usize::from(had);
        }
        changes.extend((at..self.entries.len()).map(PodChange::remove));
        changes
    }

    /// Returns the changes that result from the writes since the last frame, and a change for each pod whose view
    /// depends on time. None if the store no longer has these writes.
    fn changes_from_writes(&self, world: &World) -> Option<Vec<PodChange>> {
        let writes = world.writes_after(self.last.as_ref()?)?;
        let pods = writes.filter_map(|write| write.object().filter(|object| object.kind() == Kind::Pod));
        let mut keys: Vec<ObjectKey> = pods.map(|object| object.metadata().key()).collect();
        keys.stable_sort();
        keys.dedup();
        let mut changes: Vec<PodChange> = Vec::new();
        for key in keys {
            let pod = world.objects().get::<Pod>(&key).cloned();
            match (self.entries).binary_search_by(|entry| sort_key(&entry.pod).cmp(&(&*key.namespace, &*key.name))) {
                Ok(at) => changes.push(PodChange { at, had: true, pod }),
                Err(at) if pod.is_some() => changes.push(PodChange { at, had: false, pod }),
                Err(_) => {} // the pod was created and deleted between two frames
            }
        }
        let written: Vec<usize> = changes
            .iter()
            .filter(|change| change.had)
            .map(|change| change.at)
            .collect();
        let moving: Vec<PodChange> = (self.entries.iter().enumerate())
            .filter(|(at, entry)| !entry.is_settled && written.binary_search(at).is_err())
            .map(|(at, entry)| PodChange {
                at,
                had: true,
                pod: Some(Arc::clone(&entry.pod)),
            })
            .collect();
        changes.extend(moving);
        // An insertion before an entry must come before the change of this entry.
        changes.stable_sort_by_key(|change| (change.at, change.had));
        Some(changes)
    }
}

/// A change of the list of entries at index `at`. If `had` is set, the entry at this index is replaced by an entry of
/// `pod`, or removed if `pod` is None. Otherwise an entry of `pod` is inserted before it.
#[derive(Debug)]
struct PodChange {
    at: usize,
    had: bool,
    pod: Option<Arc<Pod>>,
}

impl PodChange {
    fn remove(at: usize) -> PodChange {
        PodChange {
            at,
            had: true,
            pod: None,
        }
    }
}

fn sort_key(pod: &Pod) -> (&str, &str) {
    (&pod.metadata.namespace, &pod.metadata.name)
}

/// Updates the entries to the pods that exist in the API at the cursor, and adds the changes to the frame. The nodes of
/// changed pods are added to `changed_nodes`. `last_machines` are the machines of the last frame.
pub(crate) fn update(
    pods: &mut Pods,
    session: &Session,
    machines: &Machines,
    last_machines: &Machines,
    owners: &mut Owners,
    changed_nodes: &mut ordered::Set<NodeName>,
    frame: &mut Frame,
) {
    let world = session.world();
    let changes = pods.changes(world, machines, last_machines);
    pods.last = world.last_write().cloned();
    let mut update = PodUpdate::new(world, machines, last_machines, owners, changed_nodes, frame);
    let mut before = std::mem::take(&mut pods.entries).into_iter();
    pods.entries.reserve(before.len());
    let mut consumed = 0;
    for change in &changes {
        pods.entries.extend(before.by_ref().take(change.at - consumed));
        let old = before.by_ref().take(usize::from(change.had)).next();
        consumed = change.at + usize::from(change.had);
        match &change.pod {
            Some(pod) => pods.entries.push(update.rebuild(pod, old)),
            None => update.remove(old),
        }
    }
    pods.entries.extend(before);
    debug_assert!(
        (world.objects().list::<Pod>())
            .map(Arc::as_ptr)
            .eq(pods.entries.iter().map(|entry| Arc::as_ptr(&entry.pod)))
            && (pods.entries.iter()).all(|entry| entry.view.owner == owner_of(world, &entry.pod).0),
        "the entries are the pods of the API server, with their owners"
    );
}

/// Inputs and outputs of rebuilding the entries of pods.
struct PodUpdate<'a> {
    world: &'a World,
    machines: &'a Machines,
    /// The machines at the time of the last frame.
    last_machines: &'a Machines,
    /// Pods in the scheduler's queue, ordered by UID.
    waiting: Vec<QueueEntry>,
    now: podscope_api::Time,
    owners: &'a mut Owners,
    changed_nodes: &'a mut ordered::Set<NodeName>,
    frame: &'a mut Frame,
    /// The previous pod with id and name of its owner. It is cached, because consecutive pods often have the same
    /// owner.
    last: Option<(Arc<Pod>, (String, String))>,
}

impl<'a> PodUpdate<'a> {
    fn new(
        world: &'a World,
        machines: &'a Machines,
        last_machines: &'a Machines,
        owners: &'a mut Owners,
        changed_nodes: &'a mut ordered::Set<NodeName>,
        frame: &'a mut Frame,
    ) -> Self {
        let mut waiting = world.scheduler().map(|scheduler| scheduler.queue()).unwrap_or_default();
        waiting.stable_sort_by(|a, b| a.uid.cmp(&b.uid));
        PodUpdate {
            world,
            machines,
            last_machines,
            waiting,
            now: world.wall_time(),
            owners,
            changed_nodes,
            frame,
            last: None,
        }
    }

    /// Removes a deleted pod from the page.
    fn remove(&mut self, old: Option<PodEntry>) {
        if let Some(old) = old {
            self.changed_nodes.extend(old.pod.spec.node_name.clone());
            self.frame.pods_gone.push(old.view.id.clone());
        }
    }

    /// Rebuilds the entry of a pod. The entry of an unchanged pod stays if it is settled.
    fn rebuild(&mut self, pod: &Arc<Pod>, old: Option<PodEntry>) -> PodEntry {
        let (owner, name) = self.owner(pod);
        let is_written = old.as_ref().is_none_or(|old| !Arc::ptr_eq(&old.pod, pod));
        if is_written {
            self.changed_nodes
                .extend(old.as_ref().and_then(|old| old.pod.spec.node_name.clone()));
            self.changed_nodes.extend(pod.spec.node_name.clone());
        }
        let is_reachability_same = |node: &str| self.machines.is_silent(node) == self.last_machines.is_silent(node);
        let stays = |old: &PodEntry| {
            !is_written && old.is_settled && old.view.owner == owner && is_reachability_same(&old.view.node)
        };
        let old = match old {
            Some(old) if stays(&old) => return old,
            old => old,
        };
        if !owner.is_empty() {
            self.owners.add_pod(&owner, &name, &pod.metadata.uid);
        }
        let view = pod_view(self.world, self.machines, &self.waiting, pod, owner, &name, self.now);
        let view = Arc::new(view);
        if let Some(old) = old.as_ref().filter(|old| old.view.id != view.id) {
            self.frame.pods_gone.push(old.view.id.clone());
        }
        let contribution = match old.filter(|old| old.view == view) {
            Some(old) => old.contribution,
            None => {
                self.frame.pods.push(view.clone());
                None
            }
        };
        PodEntry {
            pod: Arc::clone(pod),
            is_settled: !view.node.is_empty() && !pod.metadata.is_terminating(),
            view,
            contribution,
        }
    }

    fn owner(&mut self, pod: &Arc<Pod>) -> (String, String) {
        // Returns the part of a pod on which the result of `owner_of` depends.
        fn controller_of(pod: &Pod) -> Option<(&str, &str, &str)> {
            let owner = pod.metadata.controller_ref()?;
            Some((&pod.metadata.namespace, &owner.kind, &owner.name))
        }
        match &self.last {
            Some((last, owner)) if controller_of(last) == controller_of(pod) => owner.clone(),
            _ => {
                let owner = owner_of(self.world, pod);
                self.last = Some((Arc::clone(pod), owner.clone()));
                owner
            }
        }
    }
}

/// Returns the pods that have running processes on a machine but do not exist in the API, ordered by UID.
pub(crate) fn ghost_pods(world: &World, machine: &Machine, owners: &Owners) -> Vec<PodView> {
    let mut ghosts: Vec<PodView> = Vec::new();
    for process in machine.processes() {
        match ghosts.last_mut() {
            Some(ghost) if *ghost.uid() == *process.uid => ghost.containers.push(ContainerStage::Running),
            _ if world.objects().by_uid(&process.uid).is_some() => {}
            _ => ghosts.push(PodView {
                id: format!("{}@{}", process.uid, process.node),
                key: process.pod.to_string(),
                short: short_name(&process.pod.name, ""),
                owner: owners.owner_of_uid(&process.uid),
                node: process.node.to_string(),
                mark: PodMark::Ghost,
                phase: "forgotten".into(),
                status: "Ghost".into(),
                containers: vec![ContainerStage::Running],
                ..PodView::default()
            }),
        }
    }
    ghosts
}

fn pod_view(
    world: &World,
    machines: &Machines,
    waiting: &[QueueEntry],
    pod: &Pod,
    owner: String,
    owner_name: &str,
    now: podscope_api::Time,
) -> PodView {
    let row = pod_row(pod, now);
    let node = pod
        .spec
        .node_name
        .as_ref()
        .map_or_else(String::new, ToString::to_string);
    let is_silent = !node.is_empty() && machines.is_silent(&node);
    let crash = pod.status.statuses().any(|status| {
        status
            .state
            .waiting
            .as_ref()
            .is_some_and(|waiting| &*waiting.reason == "CrashLoopBackOff" || &*waiting.reason == "ImagePullBackOff")
    });
    let running = pod
        .status
        .container_statuses
        .iter()
        .any(|status| status.state.running.is_some());
    let mark = match &pod.status.phase {
        Some(PodPhase::Succeeded) => PodMark::Succeeded,
        Some(PodPhase::Failed) => PodMark::Failed,
        _ if pod.metadata.is_terminating() => PodMark::Terminating,
        _ if node.is_empty() => PodMark::Pending,
        _ if is_silent && running => PodMark::Unconfirmed,
        _ if crash => PodMark::CrashLoop,
        Some(PodPhase::Running) if pod.is_ready() => PodMark::Ready,
        Some(PodPhase::Running) if running => PodMark::NotReady,
        _ => PodMark::Starting,
    };
    let priority = pod.priority();
    PodView {
        id: pod.metadata.uid.to_string(),
        key: pod.metadata.key().to_string(),
        short: short_name(&pod.metadata.name, owner_name),
        owner,
        nominated: pod.status.nominated_node_name.to_string(),
        mark,
        is_ready: pod.is_ready(),
        phase: pod.status.phase.as_ref().map_or_else(String::new, ToString::to_string),
        status: row.status,
        labels: (pod.metadata.labels.iter())
            .map(|(key, value)| format!("{key}={value}"))
            .collect(),
        also: search_texts(pod),
        image: (pod.spec.containers.first()).map_or_else(String::new, |container| container.image.to_string()),
        requests: super::nodes::requested_cpu_and_memory(pod),
        running_since: running_since(world, pod),
        priority,
        ticks: match priority {
            ..=0 => 0,
            1..=999 => 1,
            1000..=999_999 => 2,
            _ => 3,
        },
        containers: containers(pod),
        termination: termination_view(world, machines, pod, &node).map(Box::new),
        countdown: back_off_end(world, pod),
        queue: node.is_empty().then(|| Box::new(queue_view(world, waiting, pod))),
        node,
    }
}

/// Returns the time at which the oldest running container of the pod was started.
fn running_since(world: &World, pod: &Pod) -> Option<Micros> {
    let running = pod.status.container_statuses.iter();
    let since = running.filter_map(|status| status.state.running.as_ref()?.started_at);
    since.min().map(|at| world.sim_time(at).0)
}

/// Returns the texts by which the user can search for a pod, other than its name: images, PriorityClass, IPs.
fn search_texts(pod: &Pod) -> String {
    let images = pod.spec.all_containers().map(|container| &*container.image);
    let class = std::iter::once(&*pod.spec.priority_class_name);
    // `podIPs` also contains `podIP`.
    let first = &*pod.status.pod_ip;
    let others = pod.status.pod_ips.iter().map(|one| &*one.ip).filter(|ip| *ip != first);
    let ips = std::iter::once(first).chain(others);
    let mut search_texts = String::new();
    for word in images.chain(class).chain(ips).filter(|word| !word.is_empty()) {
        if !search_texts.is_empty() {
            search_texts.push(' ');
        }
        search_texts.push_str(word);
    }
    search_texts
}

/// Returns the stage of each sidecar and main container of the pod.
fn containers(pod: &Pod) -> Vec<ContainerStage> {
    pod.spec
        .init_containers
        .iter()
        .filter(|container| container.is_sidecar())
        .chain(pod.spec.containers.iter())
        .map(
            |container| match pod.status.status_of(&container.name).map(|status| &status.state) {
                Some(state) if state.running.is_some() => ContainerStage::Running,
                Some(state) => match &state.terminated {
                    Some(ended) if ended.exit_code == 0 => ContainerStage::Done,
                    Some(_) => ContainerStage::Failed,
                    None => ContainerStage::Waiting,
                },
                None => ContainerStage::Waiting,
            },
        )
        .collect()
}

fn termination_view(world: &World, machines: &Machines, pod: &Pod, node: &str) -> Option<TerminationView> {
    let deletion = pod.metadata.deletion_timestamp?;
    if pod.is_terminal() {
        return None;
    }
    let grace = pod.metadata.deletion_grace_period_seconds.unwrap_or(0);
    let due = deletion.0.saturating_sub(world.start_time().0);
    let requested = SimTime(due.saturating_sub(grace.saturating_mul(1_000_000)));
    let is_unreachable = machines.receives_no_api_messages(node);
    let steps = world
        .kubelet_of(node)
        .and_then(|kubelet| kubelet.termination(&pod.metadata.uid));
    let Some(steps) = steps else {
        return Some(TerminationView {
            stage: if is_unreachable {
                TerminationStage::Unreachable
            } else {
                TerminationStage::NotObserved
            },
            since: requested.0,
            until: None,
        });
    };
    // The container that is furthest from its end determines the termination stage of the pod.
    let furthest = steps.containers.iter().min_by_key(|one| one.step)?;
    Some(TerminationView {
        stage: match furthest.step {
            TerminationStep::PreStop => TerminationStage::PreStop,
            TerminationStep::Turn => TerminationStage::Turn,
            TerminationStep::Stopping => TerminationStage::Sigterm,
            TerminationStep::Killed => TerminationStage::Killed,
        },
        since: furthest.since.0,
        until: furthest.until.map(|until| until.0),
    })
}

/// Returns the time at which a container in back-off is restarted: the end of its last run plus the delay.
fn back_off_end(world: &World, pod: &Pod) -> Option<i64> {
    let kubelet = world.kubelet_of(pod.spec.node_name.as_deref()?)?;
    pod.status
        .statuses()
        .filter(|status| status.state.waiting.is_some())
        .find_map(|status| {
            let delay = kubelet.back_off(&pod.metadata.uid, &status.name)?;
            let ended = status.last_state.terminated.as_ref()?.finished_at?;
            Some(world.sim_time(ended).0 + delay.0)
        })
}
