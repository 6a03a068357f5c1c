//! The Node object: registration, conditions, volumes in use (LC-203 to LC-205, LC-209, LC-210). The renewals of the
//! node's lease are simulated outside the kubelet.
//!
//! Deviation: patches that would only renew `lastHeartbeatTime` are not sent.

use podscope_api::ordered::{self, StableSort as _};
use podscope_api::well_known::{condition, label};
use std::cmp::Reverse;
use std::sync::Arc;

use podscope_api::{
    ConditionStatus, ContainerImage, EventType, Kind, Node, NodeAddress, NodeCondition, NodeName, NodeSystemInfo,
    Object, ObjectKey, Quantity, Str, features,
};

use super::host::{Host, PendingCall};
use super::{EvictionSignal, KubeletManagers, KubeletTimer, events};
use crate::Timer;
use crate::machine::Image;
use podscope_sim::{Answer, Mutation, Part, Request, SimTime, Span};

/// Time for which the runtime may be down before the node becomes NotReady (LC-204).
pub(super) const RUNTIME_TIMEOUT: Span = Span::seconds(30);

/// A pressure condition of the node (LC-191, LC-205).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum NodePressure {
    Memory,
    Disk,
    Pid,
}

impl NodePressure {
    pub(super) const ALL: [Self; 3] = [Self::Memory, Self::Disk, Self::Pid];
    /// Returns the pressure that a signal measures.
    pub(super) const fn from_signal(signal: EvictionSignal) -> Self {
        match signal {
            EvictionSignal::MemoryAvailable => Self::Memory,
            EvictionSignal::NodefsAvailable
            | EvictionSignal::NodefsInodesFree
            | EvictionSignal::ImagefsAvailable
            | EvictionSignal::ImagefsInodesFree => Self::Disk,
            EvictionSignal::PidAvailable => Self::Pid,
        }
    }

    /// Returns the type of the node condition.
    pub(super) const fn condition(self) -> &'static str {
        match self {
            Self::Memory => condition::MEMORY_PRESSURE,
            Self::Disk => condition::DISK_PRESSURE,
            Self::Pid => condition::PID_PRESSURE,
        }
    }

    /// Returns the reason of the event that reports a change of the condition.
    const fn event_reason(self, has_pressure: bool) -> &'static str {
        match (self, has_pressure) {
            (Self::Memory, true) => "NodeHasInsufficientMemory",
            (Self::Memory, false) => "NodeHasSufficientMemory",
            (Self::Disk, true) => "NodeHasDiskPressure",
            (Self::Disk, false) => "NodeHasNoDiskPressure",
            (Self::Pid, true) => "NodeHasInsufficientPID",
            (Self::Pid, false) => "NodeHasSufficientPID",
        }
    }

    /// Returns the reason and message of the condition.
    const fn reason_and_message(self, has_pressure: bool) -> (&'static str, &'static str) {
        match (self, has_pressure) {
            (Self::Memory, true) => (
                "KubeletHasInsufficientMemory",
                "kubelet has insufficient memory available",
            ),
            (Self::Memory, false) => ("KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
            (Self::Disk, true) => ("KubeletHasDiskPressure", "kubelet has disk pressure"),
            (Self::Disk, false) => ("KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
            (Self::Pid, true) => ("KubeletHasInsufficientPID", "kubelet has insufficient PID available"),
            (Self::Pid, false) => ("KubeletHasSufficientPID", "kubelet has sufficient PID available"),
        }
    }
}

/// Returns the type, status, reason and message of the conditions of a healthy node (LC-204, LC-205).
pub fn healthy_node_conditions() -> [(&'static str, bool, &'static str, &'static str); 4] {
    let [memory, disk, pid] = NodePressure::ALL.map(|kind| {
        let (reason, message) = kind.reason_and_message(false);
        (kind.condition(), false, reason, message)
    });
    [memory, disk, pid, READY_CONDITION]
}

/// The `Ready` condition of a healthy node.
const READY_CONDITION: (&str, bool, &str, &str) = (
    condition::READY,
    true,
    "KubeletReady",
    "kubelet is posting ready status",
);

/// Maximum number of images that a node reports (`nodeStatusMaxImages`).
const MAX_REPORTED_IMAGES: usize = 50;
/// Maximum number of names that a node reports for an image (a constant of the kubelet).
const MAX_NAMES_PER_REPORTED_IMAGE: usize = 5;

/// The kubelet's state about its node.
#[derive(Debug, Clone, Default)]
pub(super) struct NodeState {
    /// Whether this process has registered the Node or found it registered (LC-210: once per process).
    is_registered: bool,
    is_registering: bool,
    /// Pressure that the eviction manager has observed.
    pub(super) pressure: Vec<NodePressure>,
    /// Attachable volumes that pods wait for or have mounted.
    pub(super) wanted_volumes: ordered::Set<Str>,
    /// Whether the machine is in a graceful shutdown (LC-212).
    pub(super) is_shutting_down: bool,
    /// Whether the node was cordoned when its status was last computed.
    was_unschedulable: bool,
    /// Whether this process has pulled or removed an image. Only then does it report the node's images.
    reports_images: bool,
    /// Since when the container runtime has been down.
    pub(super) runtime_down_since: Option<SimTime>,
    is_in_flight: bool,
    queued: Option<SimTime>,
}

impl Host<'_, '_> {
    /// Reports a volume in `status.volumesInUse`; the next node status contains it (CT-128).
    pub(super) fn report_volume_in_use(&mut self, unique_name: Str) {
        self.shared.node_state.wanted_volumes.insert(unique_name);
        self.request_node_status();
    }

    /// Schedules the next regular pass of the node status loop (LC-203).
    pub(super) fn request_node_status(&mut self) {
        let at = self.shared.next_slow_pass_after(self.ctx.now);
        self.schedule_node_status_pass(at);
    }

    /// Requests a node status after an image was added or removed (LC-068).
    pub(super) fn handle_images_changed(&mut self) {
        self.shared.node_state.reports_images = true;
        if is_node_status_outdated(self) {
            self.request_node_status();
        }
    }

    /// Schedules a pass of the node status loop at `at`, unless an earlier one is scheduled.
    pub(super) fn schedule_node_status_pass(&mut self, at: SimTime) {
        let queued = &mut self.shared.node_state.queued;
        if queued.is_none_or(|queued| queued > at) {
            *queued = Some(at);
            self.ctx.timer(at, Timer::Kubelet(KubeletTimer::Node));
        }
    }
}

impl KubeletManagers {
    /// Handles a new state of the Node object; None means that it does not exist.
    pub(super) fn observe_node(&mut self, node: Option<Arc<Node>>, host: &mut Host<'_, '_>) {
        let existed = host.shared.node_object.is_some();
        let exists = node.is_some();
        let attached = |node: &Option<Arc<Node>>| {
            node.as_ref()
                .map(|node| (node.status.volumes_attached.clone(), node.status.volumes_in_use.clone()))
        };
        let volumes_changed = attached(&host.shared.node_object) != attached(&node);
        let is_first = !existed && !host.shared.is_restart;
        host.shared.node_object = node;
        let is_unschedulable = is_unschedulable(host);
        if is_first {
            host.shared.node_state.was_unschedulable = is_unschedulable;
        } else if exists && host.shared.node_state.was_unschedulable != is_unschedulable {
            host.request_node_status();
        }
        if exists {
            let is_known = std::mem::replace(&mut host.shared.node_state.is_registered, true);
            // A Node that was created again does not list the volumes that this machine has mounted.
            self.update_volumes_in_use(host);
            if is_node_status_outdated(host) {
                // A kubelet that starts computes its first node status at once.
                match host.shared.is_restart && !is_known {
                    true => host.schedule_node_status_pass(host.ctx.now),
                    false => host.request_node_status(),
                }
            }
        } else if !host.shared.node_state.is_registered || (existed && host.ctx.switches.healed_kubelet_reregisters) {
            host.shared.node_state.is_registered = false;
            register_node(host);
        }
        if volumes_changed {
            self.handle_volumes_changed(host);
        }
    }

    /// Runs the node status loop once: registers the Node, or patches its status if that is outdated.
    pub(super) fn run_node_status_pass(&mut self, host: &mut Host<'_, '_>) {
        if host.shared.node_state.queued.is_none_or(|queued| queued > host.ctx.now) {
            return;
        }
        host.shared.node_state.queued = None;
        self.update_volumes_in_use(host);
        emit_schedulable_event(host);
        if !host.shared.node_state.is_registered {
            register_node(host);
        } else if host.shared.node_object.is_some()
            && is_node_status_outdated(host)
            && !host.shared.node_state.is_in_flight
        {
            write_node_status(host);
        }
        if let Some(since) = host.shared.node_state.runtime_down_since
            && host.ctx.now - since < RUNTIME_TIMEOUT
        {
            host.request_node_status();
        }
    }

    /// Handles the response to the registration or to a status patch.
    pub(super) fn handle_node_answer(&mut self, call: &PendingCall, answer: &Answer, host: &mut Host<'_, '_>) {
        match call {
            PendingCall::Register => {
                host.shared.node_state.is_registering = false;
                match answer {
                    Ok(_) => host.shared.node_state.is_registered = true,
                    Err(error) if error.is_already_exists() => host.shared.node_state.is_registered = true,
                    Err(_) => host.schedule_node_status_pass(host.ctx.now + Span::seconds(7)),
                }
            }
            _ => {
                host.shared.node_state.is_in_flight = false;
                match answer {
                    Ok(Some(Object::Node(node))) => self.observe_node(Some(node.clone()), host),
                    Ok(_) => {}
                    Err(error) if error.code == 404 => {}
                    Err(_) => host.request_node_status(),
                }
            }
        }
    }

    /// Recomputes the volumes reported in `status.volumesInUse`: those that pods need or have mounted (CT-128).
    fn update_volumes_in_use(&mut self, host: &mut Host<'_, '_>) {
        let mut wanted: ordered::Set<Str> = host
            .machine
            .mounts()
            .filter_map(|(_, _, mount)| mount.unique_name.clone())
            .collect();
        for worker in self.pods.values().filter(|worker| worker.wants_volumes()) {
            for volume in worker.pod.spec.volumes.iter() {
                if let podscope_sim::volume::ResolvedVolume::Backend(backend) =
                    podscope_sim::volume::resolve(&worker.pod, volume, host.cache)
                    && backend.needs_attach
                {
                    wanted.insert(backend.unique_name);
                }
            }
        }
        host.shared.node_state.wanted_volumes = wanted;
    }
}

fn is_unschedulable(host: &Host<'_, '_>) -> bool {
    let node = host.shared.node_object.as_ref();
    node.is_some_and(|node| node.is_unschedulable())
}

/// Emits an event if the node was cordoned or uncordoned since the last computed status (`recordNodeSchedulableEvent`).
fn emit_schedulable_event(host: &mut Host<'_, '_>) {
    let is_unschedulable = is_unschedulable(host);
    if std::mem::replace(&mut host.shared.node_state.was_unschedulable, is_unschedulable) == is_unschedulable {
        return;
    }
    let reason = if is_unschedulable {
        "NodeNotSchedulable"
    } else {
        "NodeSchedulable"
    };
    emit_status_event(reason, host);
}

/// Emits an event about a changed node status (`recordNodeStatusEvent`).
fn emit_status_event(reason: &str, host: &mut Host<'_, '_>) {
    let node = host.shared.node.clone();
    let message = format!("Node {node} status is now: {reason}");
    events::emit_for_node(&node, EventType::Normal, reason, message, host);
}

/// Emits the events of a starting kubelet (LC-203). Every process emits them, whatever an earlier one emitted.
pub(super) fn emit_start_events(host: &mut Host<'_, '_>) {
    let node = host.shared.node.clone();
    events::emit_for_node(&node, EventType::Normal, "Starting", "Starting kubelet.", host);
    let message = "Updated Node Allocatable limit across pods";
    events::emit_for_node(&node, EventType::Normal, "NodeAllocatableEnforced", message, host);
    for kind in NodePressure::ALL {
        let has_pressure = host.machine.imported_condition(kind.condition()).is_some();
        emit_status_event(kind.event_reason(has_pressure), host);
    }
}

/// Emits events about conditions whose status changes. A condition that was missing before counts as changed if it is a
/// pressure condition, but not if it is Ready.
fn emit_condition_events(before: &[NodeCondition], after: &[NodeCondition], host: &mut Host<'_, '_>) {
    let status_of = |all: &[NodeCondition], kind: &str| {
        let known = all.iter().find(|one| &*one.kind == kind);
        known.map(|known| known.status.clone())
    };
    for kind in NodePressure::ALL {
        let (old, new) = (status_of(before, kind.condition()), status_of(after, kind.condition()));
        if let Some(new) = new.clone().filter(|_| old != new) {
            emit_status_event(kind.event_reason(new == ConditionStatus::True), host);
        }
    }
    if let (Some(old), Some(new)) = (status_of(before, condition::READY), status_of(after, condition::READY))
        && old != new
    {
        let is_ready = new == ConditionStatus::True;
        emit_status_event(if is_ready { "NodeReady" } else { "NodeNotReady" }, host);
    }
}

/// Returns the boot ID of a machine that has rebooted, if the Node still has an earlier one.
fn new_boot_id(node: &Node, host: &Host<'_, '_>) -> Option<Str> {
    let own = boot_id(host);
    let reported = node.status.node_info.as_ref().map(|info| info.boot_id.clone());
    (host.machine.reboot_count() > 0 && reported.as_ref() != Some(&own)).then_some(own)
}

fn boot_id(host: &Host<'_, '_>) -> Str {
    format!("{}-{}", host.shared.node, host.machine.reboot_count()).into()
}

/// Returns the labels that a kubelet sets on its Node by default.
pub fn default_labels(name: &str) -> [(&str, &str); 5] {
    [
        (label::HOSTNAME, name),
        (label::OS, "linux"),
        (label::ARCH, "amd64"),
        (label::BETA_OS, "linux"),
        (label::BETA_ARCH, "amd64"),
    ]
}

/// Creates the Node if `registerNode` allows it and no request for it is pending.
fn register_node(host: &mut Host<'_, '_>) {
    if host.shared.node_state.is_registering || !host.shared.settings.register_node {
        return;
    }
    host.shared.node_state.is_registering = true;
    let name = host.shared.node.clone();
    let mut node = Node::default();
    node.metadata.name = name.0.clone();
    let mut labels = host.machine.labels().clone();
    for (key, value) in default_labels(name.as_str()) {
        labels.entry(key.into()).or_insert_with(|| value.into());
    }
    node.metadata.labels = Arc::new(labels);
    let devices = host.machine.device_description();
    if !devices.is_empty() {
        let annotations = Arc::make_mut(&mut node.metadata.annotations);
        annotations.insert(podscope_api::DEVICES_ANNOTATION.into(), devices.clone());
    }
    let mut capacity = host.machine.capacity().clone();
    capacity
        .entry("pods".into())
        .or_insert_with(|| Quantity::from_units(host.shared.settings.max_pods));
    node.status.allocatable = capacity.clone();
    for (name, reserved) in host.machine.reserved() {
        if let Some(amount) = node.status.allocatable.get_mut(name) {
            *amount = amount.minus(*reserved);
        }
    }
    node.status.capacity = capacity;
    node.status.addresses = vec![NodeAddress {
        kind: "Hostname".into(),
        address: name.0.clone(),
    }];
    node.status.node_info = Some(NodeSystemInfo {
        kubelet_version: kubelet_version(host),
        container_runtime_version: "containerd://2.1.4".into(),
        operating_system: "linux".into(),
        architecture: "amd64".into(),
        boot_id: boot_id(host),
        ..NodeSystemInfo::default()
    });
    node.status.conditions = node_conditions(&[], host);
    node.status.images = reported_images(host);
    node.status.declared_features = declared_features(host);
    node.spec.taints.clone_from(&host.shared.settings.register_with_taints);
    node.spec.taints.extend(host.machine.taints().iter().cloned());
    let id = host.ctx.call(Request::Create(Object::Node(Arc::new(node))));
    host.shared.calls.insert(id, PendingCall::Register);
}

/// Returns the version of this kubelet: the one installed on its machine, or else the configured one.
fn kubelet_version(host: &Host<'_, '_>) -> Str {
    let installed = host.machine.kubelet_version();
    if installed.is_empty() {
        host.shared.settings.version.clone()
    } else {
        installed.clone()
    }
}

/// Returns the features that this kubelet has and declares, sorted (`status.declaredFeatures`).
pub(super) fn declared_features(host: &Host<'_, '_>) -> Vec<Str> {
    features::declared_by(&kubelet_version(host))
}

/// Returns the node conditions that this kubelet owns, merged into those of the API object (LC-204, LC-205).
fn node_conditions(known: &[NodeCondition], host: &Host<'_, '_>) -> Vec<NodeCondition> {
    let state = &host.shared.node_state;
    let now = host.ctx.wall();
    let is_runtime_lost = state
        .runtime_down_since
        .is_some_and(|since| host.ctx.now - since >= RUNTIME_TIMEOUT);
    let ready = match (is_runtime_lost, state.is_shutting_down) {
        (false, false) => host
            .machine
            .imported_condition(condition::READY)
            .map_or(READY_CONDITION, |imported| {
                let (reason, message) = imported_reason_and_message(imported).unwrap_or(("KubeletNotReady", ""));
                (condition::READY, false, reason, message)
            }),
        (true, false) => (condition::READY, false, "KubeletNotReady", "container runtime is down"),
        (false, true) => (condition::READY, false, "KubeletNotReady", "node is shutting down"),
        (true, true) => (
            condition::READY,
            false,
            "KubeletNotReady",
            "[container runtime is down, node is shutting down]",
        ),
    };
    let pressure = NodePressure::ALL.map(|kind| {
        let imported = host.machine.imported_condition(kind.condition());
        let has_pressure = state.pressure.contains(&kind) || imported.is_some();
        let (reason, message) = imported
            .and_then(imported_reason_and_message)
            .unwrap_or_else(|| kind.reason_and_message(has_pressure));
        (kind.condition(), has_pressure, reason, message)
    });
    let mut all: Vec<NodeCondition> = known.to_vec();
    for (kind, is_true, reason, message) in pressure.into_iter().chain([ready]) {
        let status = if is_true {
            ConditionStatus::True
        } else {
            ConditionStatus::False
        };
        let wanted = |transition| NodeCondition {
            kind: kind.into(),
            status: status.clone(),
            last_heartbeat_time: Some(now),
            last_transition_time: transition,
            reason: reason.into(),
            message: message.into(),
        };
        match all.iter_mut().find(|one| &*one.kind == kind) {
            // A condition that the scenario gives without a reason is kept if its status is right.
            Some(one) if one.status == status && (&*one.reason == reason || one.reason.is_empty()) => {}
            Some(one) => {
                let transition = if one.status == status {
                    one.last_transition_time
                } else {
                    Some(now)
                };
                *one = wanted(transition);
            }
            // A missing pressure condition is equivalent to False.
            None if !is_true && !known.is_empty() => {}
            None => all.push(wanted(Some(now))),
        }
    }
    all
}

/// Returns the reason and message of an imported node condition, which lasts until a reboot (P-09).
fn imported_reason_and_message(imported: &NodeCondition) -> Option<(&str, &str)> {
    (!imported.reason.is_empty()).then_some((&*imported.reason, &*imported.message))
}

/// Returns the machine's images as the Node reports them, the largest first.
fn reported_images(host: &Host<'_, '_>) -> Vec<ContainerImage> {
    let mut held: Vec<&Image> = host.machine.images().iter().map(|held| &*held.image).collect();
    held.stable_sort_by_key(|image| Reverse(image.bytes));
    let reported = held.into_iter().take(MAX_REPORTED_IMAGES).map(|image| ContainerImage {
        names: image.names.iter().take(MAX_NAMES_PER_REPORTED_IMAGE).cloned().collect(),
        size_bytes: image.bytes,
    });
    reported.collect()
}

/// Returns whether the Node's status in the API differs from what this kubelet would report.
fn is_node_status_outdated(host: &Host<'_, '_>) -> bool {
    let Some(node) = &host.shared.node_object else {
        return false;
    };
    let in_use: Vec<Str> = host.shared.node_state.wanted_volumes.iter().cloned().collect();
    node_conditions(&node.status.conditions, host) != node.status.conditions
        || in_use != node.status.volumes_in_use
        || new_boot_id(node, host).is_some()
        || declared_features(host) != node.status.declared_features
        || (host.shared.node_state.reports_images && reported_images(host) != node.status.images)
}

/// Sends a patch of the Node's status, and emits the events about what it changes.
fn write_node_status(host: &mut Host<'_, '_>) {
    let Some(node) = host.shared.node_object.clone() else {
        return;
    };
    let name: NodeName = host.shared.node.clone();
    let conditions = node_conditions(&node.status.conditions, host);
    let in_use: Vec<Str> = host.shared.node_state.wanted_volumes.iter().cloned().collect();
    let images = host.shared.node_state.reports_images.then(|| reported_images(host));
    let declared = declared_features(host);
    let boot = new_boot_id(&node, host);
    if let Some(boot) = &boot {
        let message = format!("Node {name} has been rebooted, boot id: {boot}");
        events::emit_for_node(&name, EventType::Warning, "Rebooted", message, host);
    }
    emit_condition_events(&node.status.conditions, &conditions, host);
    let change = Mutation::new::<Node>("node status", move |node| {
        if let Some(boot) = &boot {
            node.status.node_info.get_or_insert_default().boot_id = boot.clone();
        }
        if let Some(images) = &images {
            node.status.images.clone_from(images);
        }
        for one in &conditions {
            match node.status.conditions.iter_mut().find(|known| known.kind == one.kind) {
                Some(known) => *known = one.clone(),
                None => node.status.conditions.push(one.clone()),
            }
        }
        node.status.volumes_in_use = in_use.clone();
        node.status.declared_features.clone_from(&declared);
    });
    let id = host.ctx.call(Request::Patch {
        kind: Kind::Node,
        key: ObjectKey::cluster(name.0),
        uid: Some(node.metadata.uid.clone()),
        part: Part::Status,
        change,
    });
    host.shared.node_state.is_in_flight = true;
    host.shared.calls.insert(id, PendingCall::NodeStatus);
}
