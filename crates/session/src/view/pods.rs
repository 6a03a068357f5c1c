//! Pods and ghosts as they are drawn (UI: pod marks).

use std::sync::Arc;

use podscope_api::ordered::{self, StableSort as _};

use podscope_api::{Kind, NodeName, ObjectKey, Pod, PodPhase, ReplicaSet};
use podscope_cluster::kubelet::TerminationStep;
use podscope_cluster::machine::Machine;
use podscope_cluster::{Change, SimTime, World};
use podscope_scheduler::QueueEntry;

use super::Owners;
use super::groups::Share;
use super::nodes::Machines;
use super::queue::queue;
use crate::owners::workload_of;
use crate::timeline::Session;
use podscope_kubectl::pod_row;
use podscope_protocol::{ContainerStage, Frame, Micros, PodMark, PodView, TerminationStage, TerminationView};

/// Id and name of the top owner of a pod; empty for a bare pod.
pub(crate) fn owner_of(world: &World, pod: &Pod) -> (String, String) {
    match workload_of(world.objects(), &pod.metadata) {
        Some(top) => (
            format!("{} {}/{}", top.kind, pod.metadata.namespace, top.name),
            top.name.to_string(),
        ),
        None => Default::default(),
    }
}

/// A short name: the owner's letter and the ordinal, or the last two letters.
fn short(name: &str, owner: &str) -> String {
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

/// A pod's view, and what it was made of.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    pub(crate) pod: Arc<Pod>,
    pub(crate) view: Arc<PodView>,
    /// What it adds to the groups' counts, once that is known.
    pub(crate) share: Option<Share>,
    /// Whether the pod stands on a node and does not end: of its view nothing depends on the time.
    is_settled: bool,
}

/// The pods of a picture.
#[derive(Debug, Clone, Default)]
pub(crate) struct Pods {
    /// In the order of their keys.
    pub(crate) seen: Vec<Seen>,
    /// The ReplicaSets by which their owners were found.
    sets: Vec<Arc<ReplicaSet>>,
    /// The last write that the picture knows.
    last: Option<Arc<Change>>,
}

impl Pods {
    /// The pods to look at: those that were written, where that is known and nothing else has changed about the others.
    fn turns(&mut self, world: &World, machines: &Machines, heard: &Machines) -> Vec<Turn> {
        let is_steady = machines.are_heard_as(heard);
        let are_owned_as_before = self.are_owned_as_before(world);
        let written = (is_steady && are_owned_as_before)
            .then(|| self.written(world))
            .flatten();
        written.unwrap_or_else(|| {
            let is_heard_as_before = |node: &str| is_steady || machines.is_dark(node) == heard.is_dark(node);
            self.all(world, |old| {
                are_owned_as_before && old.is_settled && is_heard_as_before(&old.view.node)
            })
        })
    }

    /// Takes the ReplicaSets of the cursor; whether a pod that is the same one has the owner that it had.
    fn are_owned_as_before(&mut self, world: &World) -> bool {
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

    /// Every pod to look at, if all have to be compared: those that `stays` does not leave out. Most pods stay as they
    /// are: what they say is not even read.
    fn all(&self, world: &World, stays: impl Fn(&Seen) -> bool) -> Vec<Turn> {
        let (mut turns, mut at) = (Vec::new(), 0);
        for pod in world.objects().list::<Pod>() {
            let is_it = |old: &&Seen| Arc::ptr_eq(&old.pod, pod);
            if self.seen.get(at).filter(is_it).is_some_and(&stays) {
                at += 1;
                continue;
            }
            while (self.seen.get(at)).is_some_and(|old| !is_it(&old) && place(&old.pod) < place(pod)) {
                turns.push(Turn::gone(at));
                at += 1;
            }
            let had = (self.seen.get(at)).is_some_and(|old| is_it(&old) || place(&old.pod) == place(pod));
            let pod = Some(Arc::clone(pod));
            turns.push(Turn { at, had, pod });
            at += usize::from(had);
        }
        turns.extend((at..self.seen.len()).map(Turn::gone));
        turns
    }

    /// The pods to look at, if the writes since the last picture are known: those that were written, and those whose view
    /// depends on the time.
    fn written(&self, world: &World) -> Option<Vec<Turn>> {
        let writes = world.writes_after(self.last.as_ref()?)?;
        let pods = writes.filter_map(|write| write.object().filter(|object| object.kind() == Kind::Pod));
        let mut keys: Vec<ObjectKey> = pods.map(|object| object.metadata().key()).collect();
        keys.stable_sort();
        keys.dedup();
        let mut turns: Vec<Turn> = Vec::new();
        for key in keys {
            let pod = world.objects().get::<Pod>(&key).cloned();
            match (self.seen).binary_search_by(|seen| place(&seen.pod).cmp(&(&*key.namespace, &*key.name))) {
                Ok(at) => turns.push(Turn { at, had: true, pod }),
                Err(at) if pod.is_some() => turns.push(Turn { at, had: false, pod }),
                Err(_) => {} // it came and went between two pictures
            }
        }
        let written: Vec<usize> = turns.iter().filter(|turn| turn.had).map(|turn| turn.at).collect();
        let moving: Vec<Turn> = (self.seen.iter().enumerate())
            .filter(|(at, seen)| !seen.is_settled && written.binary_search(at).is_err())
            .map(|(at, seen)| Turn {
                at,
                had: true,
                pod: Some(Arc::clone(&seen.pod)),
            })
            .collect();
        turns.extend(moving);
        // What comes before a place is put there first.
        turns.stable_sort_by_key(|turn| (turn.at, turn.had));
        Some(turns)
    }
}

/// A place of the list where another pod may stand now: what stands there, if it `had` one, becomes `pod`; else `pod`
/// comes before what stands there.
#[derive(Debug)]
struct Turn {
    at: usize,
    had: bool,
    pod: Option<Arc<Pod>>,
}

impl Turn {
    fn gone(at: usize) -> Turn {
        Turn {
            at,
            had: true,
            pod: None,
        }
    }
}

fn place(pod: &Pod) -> (&str, &str) {
    (&pod.metadata.namespace, &pod.metadata.name)
}

/// Makes the pods those of the API at the cursor, in the order of their keys, and says what changed;
/// `places` become the nodes of which a pod is another one. `heard` are the machines of the last
/// picture.
pub(crate) fn follow(
    pods: &mut Pods,
    session: &Session,
    machines: &Machines,
    heard: &Machines,
    owners: &mut Owners,
    places: &mut ordered::Set<NodeName>,
    frame: &mut Frame,
) {
    let world = session.world();
    let turns = pods.turns(world, machines, heard);
    pods.last = world.last_write().cloned();
    let mut drawing = Drawing::new(world, machines, heard, owners, places, frame);
    let mut before = std::mem::take(&mut pods.seen).into_iter();
    pods.seen.reserve(before.len());
    let mut passed = 0;
    for turn in &turns {
        pods.seen.extend(before.by_ref().take(turn.at - passed));
        let old = before.by_ref().take(usize::from(turn.had)).next();
        passed = turn.at + usize::from(turn.had);
        match &turn.pod {
            Some(pod) => pods.seen.push(drawing.draw(pod, old)),
            None => drawing.gone(old),
        }
    }
    pods.seen.extend(before);
    debug_assert!(
        (world.objects().list::<Pod>())
            .map(Arc::as_ptr)
            .eq(pods.seen.iter().map(|seen| Arc::as_ptr(&seen.pod)))
            && (pods.seen.iter()).all(|seen| seen.view.owner == owner_of(world, &seen.pod).0),
        "the pods of the picture are those of the API server, with their owners"
    );
}

/// What pods are drawn by, and what is told of those that are drawn anew.
struct Drawing<'a> {
    world: &'a World,
    machines: &'a Machines,
    /// The machines of the last picture.
    heard: &'a Machines,
    /// Pods in the scheduler's queue, by UID.
    waiting: Vec<QueueEntry>,
    now: podscope_api::Time,
    owners: &'a mut Owners,
    places: &'a mut ordered::Set<NodeName>,
    frame: &'a mut Frame,
    /// The last pod, and its owner: neighbours mostly have one.
    last: Option<(Arc<Pod>, (String, String))>,
}

impl<'a> Drawing<'a> {
    fn new(
        world: &'a World,
        machines: &'a Machines,
        heard: &'a Machines,
        owners: &'a mut Owners,
        places: &'a mut ordered::Set<NodeName>,
        frame: &'a mut Frame,
    ) -> Self {
        let mut waiting = world.scheduler().map(|scheduler| scheduler.queue()).unwrap_or_default();
        waiting.stable_sort_by(|a, b| a.uid.cmp(&b.uid));
        Drawing {
            world,
            machines,
            heard,
            waiting,
            now: podscope_api::Time(world.start().0 + world.now().0),
            owners,
            places,
            frame,
            last: None,
        }
    }

    /// A pod that is no more.
    fn gone(&mut self, old: Option<Seen>) {
        if let Some(old) = old {
            self.places.extend(old.pod.spec.node_name.clone());
            self.frame.pods_gone.push(old.view.id.clone());
        }
    }

    /// A pod as it is now. One that stands on a node and has not changed stays as it was: of it nothing depends on the
    /// time.
    fn draw(&mut self, pod: &Arc<Pod>, old: Option<Seen>) -> Seen {
        let (owner, name) = self.owner(pod);
        let is_written = old.as_ref().is_none_or(|old| !Arc::ptr_eq(&old.pod, pod));
        if is_written {
            self.places
                .extend(old.as_ref().and_then(|old| old.pod.spec.node_name.clone()));
            self.places.extend(pod.spec.node_name.clone());
        }
        let is_heard_as_before = |node: &str| self.machines.is_dark(node) == self.heard.is_dark(node);
        let stays =
            |old: &Seen| !is_written && old.is_settled && old.view.owner == owner && is_heard_as_before(&old.view.node);
        let old = match old {
            Some(old) if stays(&old) => return old,
            old => old,
        };
        if !owner.is_empty() {
            self.owners.see(&owner, &name, &pod.metadata.uid);
        }
        let view = view(self.world, self.machines, &self.waiting, pod, owner, &name, self.now);
        let view = Arc::new(view);
        if let Some(old) = old.as_ref().filter(|old| old.view.id != view.id) {
            self.frame.pods_gone.push(old.view.id.clone());
        }
        let share = match old.filter(|old| old.view == view) {
            Some(old) => old.share,
            None => {
                self.frame.pods.push(view.clone());
                None
            }
        };
        Seen {
            pod: Arc::clone(pod),
            is_settled: !view.node.is_empty() && !pod.metadata.is_terminating(),
            view,
            share,
        }
    }

    fn owner(&mut self, pod: &Arc<Pod>) -> (String, String) {
        // What `owner_of` asks of the pod.
        fn by(pod: &Pod) -> Option<(&str, &str, &str)> {
            let owner = pod.metadata.controller_ref()?;
            Some((&pod.metadata.namespace, &owner.kind, &owner.name))
        }
        match &self.last {
            Some((last, owner)) if by(last) == by(pod) => owner.clone(),
            _ => {
                let owner = owner_of(self.world, pod);
                self.last = Some((Arc::clone(pod), owner.clone()));
                owner
            }
        }
    }
}

/// What runs on a machine and is no pod of the API, by UID.
pub(crate) fn ghosts(world: &World, machine: &Machine, owners: &Owners) -> Vec<PodView> {
    let mut ghosts: Vec<PodView> = Vec::new();
    for process in machine.processes() {
        match ghosts.last_mut() {
            Some(ghost) if *ghost.uid() == *process.uid => ghost.containers.push(ContainerStage::Running),
            _ if world.objects().by_uid(&process.uid).is_some() => {}
            _ => ghosts.push(PodView {
                id: format!("{}@{}", process.uid, process.node),
                key: process.pod.to_string(),
                short: short(&process.pod.name, ""),
                owner: owners.of_uid(&process.uid),
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

fn view(
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
    let is_dark = !node.is_empty() && machines.is_dark(&node);
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
        _ if is_dark && running => PodMark::Unconfirmed,
        _ if crash => PodMark::CrashLoop,
        Some(PodPhase::Running) if pod.is_ready() => PodMark::Ready,
        Some(PodPhase::Running) if running => PodMark::NotReady,
        _ => PodMark::Starting,
    };
    let priority = pod.priority();
    PodView {
        id: pod.metadata.uid.to_string(),
        key: pod.metadata.key().to_string(),
        short: short(&pod.metadata.name, owner_name),
        owner,
        nominated: pod.status.nominated_node_name.to_string(),
        mark,
        is_ready: pod.is_ready(),
        phase: pod.status.phase.as_ref().map_or_else(String::new, ToString::to_string),
        status: row.status,
        labels: (pod.metadata.labels.iter())
            .map(|(key, value)| format!("{key}={value}"))
            .collect(),
        also: also(pod),
        image: (pod.spec.containers.first()).map_or_else(String::new, |container| container.image.to_string()),
        requests: super::nodes::requests(pod),
        running_since: running_since(world, pod),
        priority,
        ticks: match priority {
            ..=0 => 0,
            1..=999 => 1,
            1000..=999_999 => 2,
            _ => 3,
        },
        containers: containers(pod),
        termination: termination(world, machines, pod, &node).map(Box::new),
        countdown: countdown(world, pod),
        queue: node.is_empty().then(|| Box::new(queue(world, waiting, pod))),
        node,
    }
}

/// Since when its oldest running container runs.
fn running_since(world: &World, pod: &Pod) -> Option<Micros> {
    let running = pod.status.container_statuses.iter();
    let since = running.filter_map(|status| status.state.running.as_ref()?.started_at);
    since.min().map(|at| at.0 - world.start().0)
}

/// What else a pod is found by.
fn also(pod: &Pod) -> String {
    let images = pod.spec.all_containers().map(|container| &*container.image);
    let class = std::iter::once(&*pod.spec.priority_class_name);
    // The first of its IPs comes again among all of them.
    let first = &*pod.status.pod_ip;
    let others = pod.status.pod_ips.iter().map(|one| &*one.ip).filter(|ip| *ip != first);
    let ips = std::iter::once(first).chain(others);
    let mut also = String::new();
    for word in images.chain(class).chain(ips).filter(|word| !word.is_empty()) {
        if !also.is_empty() {
            also.push(' ');
        }
        also.push_str(word);
    }
    also
}

/// How far each container is.
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

fn termination(world: &World, machines: &Machines, pod: &Pod, node: &str) -> Option<TerminationView> {
    let deletion = pod.metadata.deletion_timestamp?;
    if pod.is_terminal() {
        return None;
    }
    let grace = pod.metadata.deletion_grace_period_seconds.unwrap_or(0);
    let due = deletion.0.saturating_sub(world.start().0);
    let requested = SimTime(due.saturating_sub(grace.saturating_mul(1_000_000)));
    let is_dark = machines.is_deaf(node);
    let steps = world
        .kubelet_of(node)
        .and_then(|kubelet| kubelet.termination(&pod.metadata.uid));
    let Some(steps) = steps else {
        return Some(TerminationView {
            stage: if is_dark {
                TerminationStage::Unreachable
            } else {
                TerminationStage::Unheard
            },
            since: requested.0,
            until: None,
        });
    };
    // The container that is furthest from its end speaks for the pod.
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

/// When a container in back-off is started again: the end of its last run, and the delay that its kubelet counts from there.
fn countdown(world: &World, pod: &Pod) -> Option<i64> {
    let kubelet = world.kubelet_of(pod.spec.node_name.as_deref()?)?;
    pod.status
        .statuses()
        .filter(|status| status.state.waiting.is_some())
        .find_map(|status| {
            let delay = kubelet.back_off(&pod.metadata.uid, &status.name)?;
            let ended = status.last_state.terminated.as_ref()?.finished_at?;
            Some(ended.0 - world.start().0 + delay.0)
        })
}
