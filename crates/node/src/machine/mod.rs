//! The machine: processes, images, disks, power. What really runs, whatever
//! the API says. It knows nothing of the API server; the kubelet on it asks
//! for sandboxes, containers, hooks and signals, and learns of the rest by
//! events. A machine outlives its kubelet's crash.

mod adopt;
mod behavior;
mod empty_dirs;
mod fault;
mod images;
mod memory;
mod process;
mod running;
mod sandbox;
mod static_pods;
mod trouble;

use podscope_api::ordered;
use std::sync::Arc;

use podscope_api::{CausedBy, Kind, NodeCondition, NodeName, ObjectKey, Pod, ResourceList, Str, Taint, Uid};

pub use behavior::{Answers, Behavior, Outcome, ProbeResult, Role, Usage, behavior_of};
pub use empty_dirs::Written;
pub use fault::MachineFault;
pub(crate) use images::hex_digest;
pub use images::{HeldImage, Image};
pub(crate) use process::whole_pages;
pub use process::{Container, Exit, RunningHook};

pub use sandbox::Sandbox;

use self::images::Pull;
use crate::Context;
use podscope_sim::{Happening, SimTime, Span, Subject, Trouble, subject};

/// Number of a container on its machine; never used twice there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContainerId(pub u64);

/// Number of an image pull on its machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PullId(pub u64);

pub use podscope_sim::HookKind;

/// A timer of a machine. Each is checked against the state when due; nothing is ever taken back.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum MachineTimer {
    /// A process may have reached the end of its plan.
    Process(Uid, ContainerId),
    /// A hook may end by itself.
    Hook(Uid, ContainerId),
    /// A pull may have ended.
    Pull,
    /// Memory may be used up.
    Memory,
}

/// What a kubelet can notice of its machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MachineEvent {
    /// A container's process ended.
    Exited { pod: Uid, container: ContainerId },
    /// A hook returned.
    HookFinished {
        pod: Uid,
        container: ContainerId,
        hook: HookKind,
        /// Whether it succeeded.
        succeeded: bool,
    },
    /// An image pull ended.
    Pulled {
        pull: PullId,
        /// Whether it succeeded.
        succeeded: bool,
        /// How long the pull itself took.
        took: Span,
        /// The same with the wait for other pulls.
        waited: Span,
    },
    /// A pod's sandbox was lost.
    SandboxLost(Uid),
    /// The container runtime went down or came back; calls under way failed.
    Runtime {
        /// Whether it answers.
        is_up: bool,
    },
    /// The operating system goes down in order, and waits for the kubelet (LC-212).
    ShuttingDown,
    /// The kernel killed a process because the machine's memory was used up.
    OutOfMemory {
        /// The name of the process: that of its container.
        process: Str,
        /// Its number.
        pid: u64,
    },
}

/// A container that really runs, as `-o processes` shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct ProcessView {
    /// The machine.
    pub node: NodeName,
    /// The pod's namespace and name.
    pub pod: ObjectKey,
    /// The pod's UID.
    pub uid: Uid,
    /// The container's name.
    pub container: Str,
    /// When the process started.
    pub started_at: SimTime,
    /// Signals it has received, in order.
    pub signals: Vec<Str>,
}

/// A mounted volume.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mount {
    /// Its name: that of the PersistentVolume, or of the back-end's disk or export.
    pub volume: Str,
    /// Its name in the node's status, if it had to be attached.
    pub unique_name: Option<Str>,
    /// Whether the pod can write to it.
    pub is_writable: bool,
    /// Whether it lies behind the network.
    pub is_remote: bool,
}

/// What the machine holds of one pod.
#[derive(Debug, Clone)]
pub struct MachinePod {
    /// Namespace, name and UID.
    pub subject: Arc<Subject>,
    /// The sandbox; none before the first.
    pub sandbox: Option<Sandbox>,
    /// Containers, oldest first; at most two of a name (the running or last one, and the one before).
    pub containers: Vec<Container>,
    /// Mounted volumes.
    pub mounts: Vec<Mount>,
    /// What containers that have been removed left in emptyDirs.
    kept: Vec<Written>,
}

impl MachinePod {
    /// The newest container of that name.
    pub fn latest(&self, name: &str) -> Option<&Container> {
        self.containers.iter().rev().find(|container| &*container.name == name)
    }

    /// The container before the newest of that name.
    pub fn previous(&self, name: &str) -> Option<&Container> {
        self.containers
            .iter()
            .rev()
            .filter(|container| &*container.name == name)
            .nth(1)
    }

    /// The container of that name that was restarted so often before.
    pub fn instance(&self, name: &str, attempt: i32) -> Option<&Container> {
        let mut all = self.containers.iter().rev();
        all.find(|container| &*container.name == name && container.attempt == attempt)
    }

    /// The container of that number.
    pub fn container(&self, id: ContainerId) -> Option<&Container> {
        self.containers.iter().find(|container| container.id == id)
    }

    /// Whether the container was made in the sandbox that is there now, usable or not.
    pub fn is_of_sandbox(&self, container: &Container) -> bool {
        self.sandbox
            .as_ref()
            .is_some_and(|sandbox| sandbox.attempt == container.sandbox)
    }

    /// Containers whose process runs.
    pub fn running(&self) -> impl Iterator<Item = &Container> {
        self.containers.iter().filter(|container| container.is_running())
    }

    /// Whether the sandbox exists and is usable.
    pub fn has_sandbox(&self) -> bool {
        self.sandbox.as_ref().is_some_and(|sandbox| sandbox.is_ready)
    }

    /// The latest record about any of its processes.
    pub fn latest_record(&self) -> CausedBy {
        let records = self.containers.iter().map(|container| container.latest);
        records.fold(CausedBy::NOTHING, CausedBy::latest)
    }

    fn container_mut(&mut self, id: ContainerId) -> Option<&mut Container> {
        self.containers.iter_mut().find(|container| container.id == id)
    }
}

#[derive(Debug, Clone)]
pub struct Machine {
    node: NodeName,
    labels: ordered::Map<Str, Str>,
    capacity: ResourceList,
    is_on: bool,
    is_runtime_up: bool,
    is_shutting_down: bool,
    is_storage_refused: bool,
    boots: u32,
    pods: ordered::Map<Uid, MachinePod>,
    /// Manifests of static pods, as the mirror of each showed them when it was made.
    static_pods: Vec<Arc<Pod>>,
    /// In the order in which they came.
    images: Vec<HeldImage>,
    /// Whether images lie on a disk of their own.
    has_image_disk: bool,
    /// What is wrong with containers of imported pods, by name.
    troubles: ordered::Map<Uid, Arc<[(Str, Trouble)]>>,
    /// What a dump says of the node that is not well: until the machine starts anew.
    conditions: Arc<[NodeCondition]>,
    /// Pods whose next sandbox cannot be made.
    refused_sandboxes: ordered::Set<Uid>,
    /// In the order in which they were asked for.
    pulls: Vec<Pull>,
    /// How many pulls may be under way at once.
    pull_limit: usize,
    events: Vec<MachineEvent>,
    next_id: u64,
    next_address: u32,
    /// Behaviours of containers, so that equal ones are kept once: the pods of a template share theirs.
    behaviors: Vec<Arc<Behavior>>,
    /// Raised whenever a container starts, ends or is removed, and when an image comes or goes.
    changes: u64,
    /// Raised whenever a pod gets or loses its address.
    address_changes: u64,
    /// When memory is looked at next.
    memory_due: Option<SimTime>,
    /// Pods as their kubelet has admitted them, of those whose API object asks for other resources: its checkpoint.
    allocations: ordered::Map<Uid, Arc<Pod>>,
    /// The version of the kubelet that is installed; empty where it is the one that all kubelets are configured to be.
    kubelet_version: Str,
    /// What its kubelet keeps of the capacity for the system, and registers the Node with beside the settings' taints.
    reserved: ResourceList,
    taints: Vec<Taint>,
}

impl Machine {
    /// A machine with power, without processes. Labels are those its kubelet registers with.
    pub fn new(node: NodeName, labels: ordered::Map<Str, Str>, capacity: ResourceList) -> Self {
        Self {
            node,
            labels,
            capacity,
            is_on: true,
            is_runtime_up: true,
            is_shutting_down: false,
            is_storage_refused: false,
            boots: 0,
            pods: ordered::Map::new(),
            static_pods: Vec::new(),
            images: Vec::new(),
            has_image_disk: false,
            troubles: ordered::Map::new(),
            conditions: Arc::default(),
            refused_sandboxes: ordered::Set::new(),
            pulls: Vec::new(),
            pull_limit: 1,
            events: Vec::new(),
            next_id: 0,
            next_address: 1,
            behaviors: Vec::new(),
            changes: 0,
            address_changes: 0,
            memory_due: None,
            allocations: ordered::Map::new(),
            kubelet_version: Str::default(),
            reserved: ResourceList::new(),
            taints: Vec::new(),
        }
    }

    /// Its name.
    pub fn node(&self) -> &NodeName {
        &self.node
    }

    /// The labels its kubelet registers with.
    pub fn labels(&self) -> &ordered::Map<Str, Str> {
        &self.labels
    }

    /// Configures its kubelet: what it keeps of the capacity, and the taints that it registers with.
    pub fn reserve(&mut self, reserved: ResourceList, taints: Vec<Taint>) {
        self.reserved = reserved;
        self.taints = taints;
    }

    /// What its kubelet keeps of the capacity.
    pub fn reserved(&self) -> &ResourceList {
        &self.reserved
    }

    /// Taints that its kubelet registers with, beside those of the settings.
    pub fn taints(&self) -> &[Taint] {
        &self.taints
    }

    /// Installs a kubelet of that version.
    pub fn install_kubelet(&mut self, version: Str) {
        self.kubelet_version = version;
    }

    /// The version of the kubelet that is installed; empty where it is the configured one.
    pub fn kubelet_version(&self) -> &Str {
        &self.kubelet_version
    }

    /// The pod as admitted, if its API object asks for other resources than it was granted.
    pub fn allocation(&self, uid: &Uid) -> Option<&Arc<Pod>> {
        self.allocations.get(uid)
    }

    /// Keeps what a pod was granted, or forgets it because it is what the API object asks for.
    pub fn set_allocation(&mut self, uid: &Uid, pod: Option<Arc<Pod>>) {
        match pod {
            Some(pod) => drop(self.allocations.insert(uid.clone(), pod)),
            None => drop(self.allocations.remove(uid)),
        }
    }

    /// What it has.
    pub fn capacity(&self) -> &ResourceList {
        &self.capacity
    }

    /// Whether it has power.
    pub fn is_on(&self) -> bool {
        self.is_on
    }

    /// Whether its container runtime answers.
    pub fn is_runtime_up(&self) -> bool {
        self.is_on && self.is_runtime_up
    }

    /// Whether its operating system is going down in order (LC-212).
    pub fn is_shutting_down(&self) -> bool {
        self.is_shutting_down
    }

    /// Whether the storage servers refuse it (fencing): what it writes does not arrive.
    pub fn is_storage_refused(&self) -> bool {
        self.is_storage_refused
    }

    /// How often it was booted again.
    pub fn boots(&self) -> u32 {
        self.boots
    }

    /// What it holds of a pod.
    pub fn pod(&self, uid: &Uid) -> Option<&MachinePod> {
        self.pods.get(uid)
    }

    /// All pods it holds anything of, by UID.
    pub fn pods(&self) -> impl Iterator<Item = (&Uid, &MachinePod)> {
        self.pods.iter()
    }

    /// Containers that run now, by pod UID and start.
    pub fn processes(&self) -> Vec<ProcessView> {
        let running = self.pods.iter().flat_map(|(uid, pod)| {
            pod.running().map(move |container| ProcessView {
                node: self.node.clone(),
                pod: pod.subject.key.clone(),
                uid: uid.clone(),
                container: container.name.clone(),
                started_at: container.started_at,
                signals: container.signals.clone(),
            })
        });
        running.collect()
    }

    /// A number that grows whenever a container starts, ends or is removed, and when an image comes or goes.
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// A number that grows whenever a pod gets or loses its address.
    pub fn address_changes(&self) -> u64 {
        self.address_changes
    }

    /// Removes what is left of dead containers but the last of each name, and that too where the pod is over:
    /// node-level reclaim (LC-194).
    pub fn collect_dead_containers(&mut self, is_over: &dyn Fn(&Uid) -> bool, now: SimTime) {
        let uids: Vec<Uid> = self.pods.keys().cloned().collect();
        for uid in uids {
            let is_over = is_over(&uid);
            let is_last =
                |pod: &MachinePod, one: &Container| pod.latest(&one.name).is_some_and(|last| last.id == one.id);
            self.remove_containers(&uid, now, &|pod, one| {
                !one.is_running() && (is_over || !is_last(pod, one))
            });
        }
    }

    /// Removes containers of a pod; what they were made from is used no longer.
    fn remove_containers(&mut self, uid: &Uid, now: SimTime, goes: &dyn Fn(&MachinePod, &Container) -> bool) {
        let Some(pod) = self.pods.get_mut(uid) else { return };
        let gone: Vec<bool> = pod.containers.iter().map(|one| goes(pod, one)).collect();
        let mut gone = gone.into_iter();
        let goes = |_: &Container| gone.next().unwrap_or(false);
        let (removed, rest): (Vec<_>, Vec<_>) = std::mem::take(&mut pod.containers).into_iter().partition(goes);
        pod.containers = rest;
        removed.iter().for_each(|one| pod.keep(one, now));
        if !removed.is_empty() {
            self.changes += 1;
        }
        for one in removed {
            self.release_image(&one.source, now);
        }
    }

    /// Mounted volumes with the pod they are mounted for.
    pub fn mounts(&self) -> impl Iterator<Item = (&Uid, &MachinePod, &Mount)> {
        self.pods
            .iter()
            .flat_map(|(uid, pod)| pod.mounts.iter().map(move |mount| (uid, pod, mount)))
    }

    /// The newest process of that name belongs to the latest record about it.
    pub fn note_record(&mut self, uid: &Uid, container: &str, record: CausedBy) {
        let of_pod = self.pods.get_mut(uid);
        let mut newest_first = of_pod.into_iter().flat_map(|pod| pod.containers.iter_mut().rev());
        if let Some(process) = newest_first.find(|process| &*process.name == container) {
            process.latest = record;
        }
    }

    /// What the kubelet can notice since the last call; the world hands it to the kubelet if one runs.
    pub fn take_events(&mut self) -> Vec<MachineEvent> {
        std::mem::take(&mut self.events)
    }

    /// A timer of the machine.
    pub fn handle(&mut self, timer: MachineTimer, ctx: &mut Context<'_>) {
        match timer {
            MachineTimer::Process(uid, id) => self.process_due(&uid, id, ctx),
            MachineTimer::Hook(uid, id) => self.hooks_due(&uid, id, ctx),
            MachineTimer::Pull => self.pulls_due(ctx),
            MachineTimer::Memory => self.memory_due(ctx),
        }
    }

    /// Forgets the init containers of an earlier sandbox, which will run again (LC-071).
    pub fn purge_init_containers(&mut self, uid: &Uid, now: SimTime) {
        self.remove_containers(uid, now, &|_, one| {
            !one.is_running() && matches!(one.role, Role::Init | Role::Sidecar)
        });
    }

    /// Forgets all containers of a pod, none of which runs: they begin anew in the same sandbox.
    pub fn purge_containers(&mut self, uid: &Uid, now: SimTime) {
        self.remove_containers(uid, now, &|_, one| {
            debug_assert!(
                !one.is_running(),
                "a container that runs is stopped before it is removed"
            );
            !one.is_running()
        });
    }

    /// Mounts a volume for a pod.
    pub fn mount(&mut self, pod: &Pod, mount: Mount, ctx: &mut Context<'_>) {
        let node = self.node.clone();
        let held = self.entry(pod);
        if held.mounts.iter().any(|existing| existing.volume == mount.volume) {
            return;
        }
        ctx.record_subject(
            Happening::VolumeMounted {
                volume: (&*mount.volume).into(),
                node,
                writable: mount.is_writable,
            },
            Some(held.subject.clone()),
            None,
        );
        held.mounts.push(mount);
    }

    /// Unmounts all volumes of a pod.
    pub fn unmount_all(&mut self, uid: &Uid, ctx: &mut Context<'_>) {
        let node = self.node.clone();
        let Some(pod) = self.pods.get_mut(uid) else { return };
        for mount in std::mem::take(&mut pod.mounts) {
            let (volume, node) = ((&*mount.volume).into(), node.clone());
            let unmounted = Happening::VolumeUnmounted { volume, node };
            ctx.record_subject(unmounted, Some(pod.subject.clone()), None);
        }
    }

    /// Forgets a pod of which nothing runs: its records, directories and mounts.
    pub fn remove_pod(&mut self, uid: &Uid, ctx: &mut Context<'_>) {
        if self.pods.get(uid).is_some_and(|pod| pod.running().next().is_none()) {
            self.unmount_all(uid, ctx);
            self.remove_containers(uid, ctx.now, &|_, _| true);
            self.pods.remove(uid);
            self.allocations.remove(uid);
            self.changes += 1;
        }
    }

    fn new_id(&mut self) -> ContainerId {
        self.next_id += 1;
        ContainerId(self.next_id)
    }

    fn entry(&mut self, pod: &Pod) -> &mut MachinePod {
        self.pods.entry(pod.metadata.uid.clone()).or_insert_with(|| MachinePod {
            subject: subject(Kind::Pod, pod.metadata.key(), pod.metadata.uid.clone()),
            sandbox: None,
            containers: Vec::new(),
            mounts: Vec::new(),
            kept: Vec::new(),
        })
    }
}

/// Every container of a pod with its role: init containers, containers, ephemeral containers.
pub fn containers_of(pod: &Pod) -> impl Iterator<Item = (Role, &podscope_api::Container)> {
    let init = pod.spec.init_containers.iter().map(|container| {
        let role = if container.is_sidecar() {
            Role::Sidecar
        } else {
            Role::Init
        };
        (role, container)
    });
    let apps = pod.spec.containers.iter().map(|container| (Role::App, container));
    let ephemeral = pod
        .spec
        .ephemeral_containers
        .iter()
        .map(|container| (Role::Ephemeral, container));
    init.chain(apps).chain(ephemeral)
}
