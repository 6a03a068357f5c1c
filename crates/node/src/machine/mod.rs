//! The machine: processes, images, disks, power. It is what really runs, whatever the API objects say. The machine does
//! not know the API server. The kubelet calls it for sandboxes, containers, hooks and signals, and receives all other
//! changes as [`MachineEvent`]s. A machine keeps running when its kubelet crashes.

mod adopt;
mod behavior;
mod container_problems;
mod devices;
mod empty_dirs;
mod fault;
mod images;
mod memory;
mod process;
mod running;
mod sandbox;
mod static_pods;

use podscope_api::ordered;
use std::sync::Arc;

use podscope_api::{CausedBy, Kind, NodeCondition, NodeName, ObjectKey, Pod, ResourceList, Str, Taint, Uid};

pub use behavior::{Behavior, LinearUsage, ProbeAnswers, ProbeResult, Role, TimedOutcome, behavior_of};
pub use devices::{DeviceState, Devices, PreparedClaim, PreparedDevice};
pub use empty_dirs::EmptyDirData;
pub use fault::MachineFault;
pub(crate) use images::hex_digest;
pub use images::{HeldImage, Image};
pub(crate) use process::round_to_pages;
pub use process::{Container, Exit, RunningHook};

pub use sandbox::Sandbox;

use self::images::PendingPull;
use crate::Context;
use podscope_sim::{ContainerProblem, Happening, SimTime, Span, Subject, subject};

/// ID of a container. A machine never uses an ID again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContainerId(pub u64);

/// Identifies an image pull on its machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PullId(pub u64);

pub use podscope_sim::HookKind;

/// A timer of a machine. Timers are never cancelled: when one fires, the machine checks its state and ignores the timer
/// if it no longer applies.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum MachineTimer {
    /// The process may have reached its planned exit.
    Process(Uid, ContainerId),
    /// A hook may have reached its end.
    Hook(Uid, ContainerId),
    /// A pull may have ended.
    Pull,
    /// The machine may have run out of memory.
    Memory,
}

/// A change on the machine that its kubelet can observe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MachineEvent {
    /// A container's process ended.
    Exited { pod: Uid, container: ContainerId },
    /// A hook returned.
    HookFinished {
        pod: Uid,
        container: ContainerId,
        hook: HookKind,
        succeeded: bool,
    },
    /// An image pull ended.
    Pulled {
        pull: PullId,
        succeeded: bool,
        /// Duration of the pull itself.
        took: Span,
        /// Duration of the pull plus the time in the queue behind other pulls.
        waited: Span,
    },
    /// A pod's sandbox was lost.
    SandboxLost(Uid),
    /// The container runtime went down or came back; calls in progress failed.
    Runtime { is_up: bool },
    /// The operating system shuts down gracefully, and waits for the kubelet (LC-212).
    ShuttingDown,
    /// A device or the process of the device drivers changed.
    Devices,
    /// The kernel killed a process because the machine's memory was used up.
    OutOfMemory {
        /// Name of the killed process, which is that of its container.
        process: Str,
        pid: u64,
    },
}

/// A running container, as `-o processes` prints it.
#[derive(Debug, Clone, PartialEq)]
pub struct ProcessView {
    pub node: NodeName,
    /// Namespace and name of the pod.
    pub pod: ObjectKey,
    /// UID of the pod.
    pub uid: Uid,
    pub container: Str,
    pub started_at: SimTime,
    /// Signals that the process has received, in order.
    pub signals: Vec<Str>,
}

/// A mounted volume.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mount {
    /// Name of the PersistentVolume, or of the disk or export in the storage backend.
    pub volume: Str,
    /// Name in the node's `status.volumesAttached`; None if the volume needs no attachment.
    pub unique_name: Option<Str>,
    pub is_writable: bool,
    /// Whether the volume is reached over the network.
    pub is_remote: bool,
}

/// State that the machine keeps for one pod.
#[derive(Debug, Clone)]
pub struct MachinePod {
    /// Namespace, name and UID of the pod.
    pub subject: Arc<Subject>,
    /// The present sandbox; None before the first one is created.
    pub sandbox: Option<Sandbox>,
    /// Containers, oldest first; at most two per name: the latest one and the one before it.
    pub containers: Vec<Container>,
    pub mounts: Vec<Mount>,
    /// Data that removed containers left in emptyDirs.
    removed_written: Vec<EmptyDirData>,
}

impl MachinePod {
    /// Returns the newest container with this name.
    pub fn latest(&self, name: &str) -> Option<&Container> {
        self.containers.iter().rev().find(|container| &*container.name == name)
    }

    /// Returns the container before the newest one with this name.
    pub fn previous(&self, name: &str) -> Option<&Container> {
        self.containers
            .iter()
            .rev()
            .filter(|container| &*container.name == name)
            .nth(1)
    }

    /// Returns the container with this name that has been restarted `attempt` times.
    pub fn instance(&self, name: &str, attempt: i32) -> Option<&Container> {
        let mut all = self.containers.iter().rev();
        all.find(|container| &*container.name == name && container.attempt == attempt)
    }

    pub fn container(&self, id: ContainerId) -> Option<&Container> {
        self.containers.iter().find(|container| container.id == id)
    }

    /// Returns whether the container was created in the pod's present sandbox, whether or not that sandbox is ready.
    pub fn is_in_present_sandbox(&self, container: &Container) -> bool {
        self.sandbox
            .as_ref()
            .is_some_and(|sandbox| sandbox.attempt == container.sandbox)
    }

    /// Returns the containers whose process runs.
    pub fn running(&self) -> impl Iterator<Item = &Container> {
        self.containers.iter().filter(|container| container.is_running())
    }

    /// Returns whether the sandbox exists and is usable.
    pub fn has_sandbox(&self) -> bool {
        self.sandbox.as_ref().is_some_and(|sandbox| sandbox.is_ready)
    }

    /// Returns the latest trace record about any of the pod's processes, as the cause of what follows from it.
    pub fn cause_from_latest_record(&self) -> CausedBy {
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
    reboot_count: u32,
    pods: ordered::Map<Uid, MachinePod>,
    /// Manifests of static pods, each with the metadata of its latest mirror pod.
    static_pods: Vec<Arc<Pod>>,
    /// Images, in the order in which they were added.
    images: Vec<HeldImage>,
    /// Whether images are stored on a separate disk.
    has_image_disk: bool,
    /// Problems of containers of imported pods, by pod UID and container name.
    container_problems: ordered::Map<Uid, Arc<[(Str, ContainerProblem)]>>,
    /// Unhealthy node conditions of the imported Node; they last until the machine reboots.
    conditions: Arc<[NodeCondition]>,
    /// Pods whose next sandbox cannot be created, because of the command `fault sandbox`.
    refused_sandboxes: ordered::Set<Uid>,
    /// Pulls, in the order in which they were requested.
    pulls: Vec<PendingPull>,
    /// Maximum number of concurrent pulls.
    pull_limit: usize,
    events: Vec<MachineEvent>,
    next_id: u64,
    next_address: u32,
    /// Behaviours of containers. Equal ones are shared, for example by the pods of one template.
    behaviors: Vec<Arc<Behavior>>,
    /// Increased whenever a container starts, ends or is removed, and when an image is added or removed.
    changes: u64,
    /// Increased whenever a pod gets or loses its address.
    address_changes: u64,
    /// Instant of the next check of memory use; None if memory cannot run out.
    memory_due: Option<SimTime>,
    /// The kubelet's allocation checkpoint: pods with the resources that the kubelet granted. It contains only pods
    /// whose API objects request other resources.
    allocations: ordered::Map<Uid, Arc<Pod>>,
    /// Version of the installed kubelet; empty if it is the version that the settings give all kubelets.
    kubelet_version: Str,
    /// Resources that the kubelet reserves for the system.
    reserved: ResourceList,
    /// Taints that the kubelet registers the Node with, in addition to those of the settings.
    taints: Vec<Taint>,
    /// Devices of the machine; `None` if it never had any.
    devices: Option<Arc<Devices>>,
    /// Description of the machine's devices, with which the kubelet registers the Node; empty if there is none.
    device_description: Str,
}

impl Machine {
    /// Creates a machine that is on and runs no process. Its kubelet registers the Node with `labels`.
    pub fn new(node: NodeName, labels: ordered::Map<Str, Str>, capacity: ResourceList) -> Self {
        Self {
            node,
            labels,
            capacity,
            is_on: true,
            is_runtime_up: true,
            is_shutting_down: false,
            is_storage_refused: false,
            reboot_count: 0,
            pods: ordered::Map::new(),
            static_pods: Vec::new(),
            images: Vec::new(),
            has_image_disk: false,
            container_problems: ordered::Map::new(),
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
            devices: None,
            device_description: Str::default(),
        }
    }

    /// Sets the description of the machine's devices, which is an annotation of its Node.
    pub fn set_device_description(&mut self, description: Str) {
        self.device_description = description;
    }

    /// Returns the description of the machine's devices, with which the kubelet registers the Node; empty if there is
    /// none.
    pub fn device_description(&self) -> &Str {
        &self.device_description
    }

    pub fn node(&self) -> &NodeName {
        &self.node
    }

    /// Returns the labels with which the kubelet registers the Node.
    pub fn labels(&self) -> &ordered::Map<Str, Str> {
        &self.labels
    }

    /// Configures the kubelet: resources reserved for the system, and taints with which it registers the Node.
    pub fn configure_kubelet(&mut self, reserved: ResourceList, taints: Vec<Taint>) {
        self.reserved = reserved;
        self.taints = taints;
    }

    /// Returns the resources that the kubelet reserves for the system.
    pub fn reserved(&self) -> &ResourceList {
        &self.reserved
    }

    /// Returns the taints that the kubelet registers the Node with, in addition to those of the settings.
    pub fn taints(&self) -> &[Taint] {
        &self.taints
    }

    /// Sets the version of the kubelet on this machine.
    pub fn install_kubelet(&mut self, version: Str) {
        self.kubelet_version = version;
    }

    /// Returns the version of the installed kubelet; empty if it is the one in the settings.
    pub fn kubelet_version(&self) -> &Str {
        &self.kubelet_version
    }

    /// Returns the pod with the resources that the kubelet granted, if its API object requests other ones.
    pub fn allocation(&self, uid: &Uid) -> Option<&Arc<Pod>> {
        self.allocations.get(uid)
    }

    /// Stores the pod with the resources that the kubelet granted; None if its API object requests exactly these.
    pub fn set_allocation(&mut self, uid: &Uid, pod: Option<Arc<Pod>>) {
        match pod {
            Some(pod) => drop(self.allocations.insert(uid.clone(), pod)),
            None => drop(self.allocations.remove(uid)),
        }
    }

    pub fn capacity(&self) -> &ResourceList {
        &self.capacity
    }

    /// Returns the size of the disk in bytes; unlimited if the scenario does not give it.
    fn disk_size(&self) -> i64 {
        let size = self.capacity.get("ephemeral-storage").map(|size| size.value());
        size.filter(|size| *size > 0).unwrap_or(i64::MAX)
    }

    /// Returns whether the machine has power.
    pub fn is_on(&self) -> bool {
        self.is_on
    }

    /// Returns whether the container runtime answers.
    pub fn is_runtime_up(&self) -> bool {
        self.is_on && self.is_runtime_up
    }

    /// Returns whether the operating system is in a graceful shutdown (LC-212).
    pub fn is_shutting_down(&self) -> bool {
        self.is_shutting_down
    }

    /// Returns whether the storage servers refuse this machine (fencing): its writes to remote volumes fail.
    pub fn is_storage_refused(&self) -> bool {
        self.is_storage_refused
    }

    /// Returns the number of reboots.
    pub fn reboot_count(&self) -> u32 {
        self.reboot_count
    }

    pub fn pod(&self, uid: &Uid) -> Option<&MachinePod> {
        self.pods.get(uid)
    }

    /// Returns all pods for which the machine keeps state, by UID.
    pub fn pods(&self) -> impl Iterator<Item = (&Uid, &MachinePod)> {
        self.pods.iter()
    }

    /// Returns the running containers, sorted by pod UID and start time.
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

    /// Returns a number that increases whenever a container starts, ends or is removed, and when an image is added or
    /// removed.
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// Returns a number that increases whenever a pod gets or loses its address.
    pub fn address_changes(&self) -> u64 {
        self.address_changes
    }

    /// Removes dead containers, as node-level reclaim does (LC-194). The latest container of each name stays unless its
    /// pod is finished.
    pub fn collect_dead_containers(&mut self, is_finished: &dyn Fn(&Uid) -> bool, now: SimTime) {
        let uids: Vec<Uid> = self.pods.keys().cloned().collect();
        for uid in uids {
            let is_finished = is_finished(&uid);
            let is_last =
                |pod: &MachinePod, one: &Container| pod.latest(&one.name).is_some_and(|last| last.id == one.id);
            self.remove_containers(&uid, now, &|pod, one| {
                !one.is_running() && (is_finished || !is_last(pod, one))
            });
        }
    }

    /// Removes those containers of a pod for which `is_removed` returns true, and releases their images.
    fn remove_containers(&mut self, uid: &Uid, now: SimTime, is_removed: &dyn Fn(&MachinePod, &Container) -> bool) {
        let Some(pod) = self.pods.get_mut(uid) else { return };
        let flags: Vec<bool> = pod.containers.iter().map(|one| is_removed(pod, one)).collect();
        let mut flags = flags.into_iter();
        let is_removed = |_: &Container| flags.next().unwrap_or(false);
        let (removed, rest): (Vec<_>, Vec<_>) = std::mem::take(&mut pod.containers).into_iter().partition(is_removed);
        pod.containers = rest;
        removed.iter().for_each(|one| pod.keep_written_data(one, now));
        if !removed.is_empty() {
            self.changes += 1;
        }
        for one in removed {
            self.release_image(&one.source, now);
        }
    }

    /// Returns all mounted volumes, with the pods that mount them.
    pub fn mounts(&self) -> impl Iterator<Item = (&Uid, &MachinePod, &Mount)> {
        self.pods
            .iter()
            .flat_map(|(uid, pod)| pod.mounts.iter().map(move |mount| (uid, pod, mount)))
    }

    /// Remembers `record` as the latest trace record about the newest container with this name.
    pub fn note_record(&mut self, uid: &Uid, container: &str, record: CausedBy) {
        let of_pod = self.pods.get_mut(uid);
        let mut newest_first = of_pod.into_iter().flat_map(|pod| pod.containers.iter_mut().rev());
        if let Some(process) = newest_first.find(|process| &*process.name == container) {
            process.latest = record;
        }
    }

    /// Returns the events since the last call. The caller delivers them to the kubelet if one runs.
    pub fn take_events(&mut self) -> Vec<MachineEvent> {
        std::mem::take(&mut self.events)
    }

    /// Handles a timer of the machine.
    pub fn handle(&mut self, timer: MachineTimer, ctx: &mut Context<'_>) {
        match timer {
            MachineTimer::Process(uid, id) => self.handle_process_timer(&uid, id, ctx),
            MachineTimer::Hook(uid, id) => self.handle_hook_timer(&uid, id, ctx),
            MachineTimer::Pull => self.handle_pull_timer(ctx),
            MachineTimer::Memory => self.handle_memory_timer(ctx),
        }
    }

    /// Removes ended init containers of an earlier sandbox: they run again in the new one (LC-071).
    pub fn purge_init_containers(&mut self, uid: &Uid, now: SimTime) {
        self.remove_containers(uid, now, &|_, one| {
            !one.is_running() && matches!(one.role, Role::Init | Role::Sidecar)
        });
    }

    /// Removes all containers of a pod; none may be running. They start again in the same sandbox.
    pub fn purge_containers(&mut self, uid: &Uid, now: SimTime) {
        self.remove_containers(uid, now, &|_, one| {
            debug_assert!(!one.is_running(), "a container must be stopped before it is removed");
            !one.is_running()
        });
    }

    /// Mounts a volume for a pod.
    pub fn mount(&mut self, pod: &Pod, mount: Mount, ctx: &mut Context<'_>) {
        let node = self.node.clone();
        let held = self.pod_entry(pod);
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

    /// Removes all state of a pod, if none of its containers runs.
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

    fn pod_entry(&mut self, pod: &Pod) -> &mut MachinePod {
        self.pods.entry(pod.metadata.uid.clone()).or_insert_with(|| MachinePod {
            subject: subject(Kind::Pod, pod.metadata.key(), pod.metadata.uid.clone()),
            sandbox: None,
            containers: Vec::new(),
            mounts: Vec::new(),
            removed_written: Vec::new(),
        })
    }
}

/// Returns every container of a pod with its role: init containers, containers, ephemeral containers.
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
