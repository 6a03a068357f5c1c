//! Effects of faults on the world (F-01), and of their repairs.

mod control_plane;
mod join;
mod storage;

use std::sync::Arc;

use podscope_api::fault::{CutFrom, FaultKind, FenceMechanism, OneWay};
use podscope_api::{Kind, Node, NodeName, ObjectKey, Pod};
use podscope_sim::{FaultDetails, Happening};

use crate::controllers;
use crate::event::Event;
use crate::fault::{Fault, Targets, joined_node_names};
use crate::machine::MachineFault;
use crate::node_groups::MachineTemplate;
use crate::traffic::TrafficTouch;
use crate::watch::WatchState;
use crate::world::NodeState;
use crate::{Actor, Place, Sink, Span, Subject, World, subject, subject_of};

/// Time from power on to the start of the kubelet.
const MACHINE_BOOT_DELAY: Span = Span::seconds(10);
/// Time from the start of a process to its first action.
const PROCESS_START_DELAY: Span = Span::millis(100);

impl World {
    /// Applies a fault or its repair now, before the events of this instant.
    ///
    /// # Errors
    /// Returns the reason why the fault is not possible: unknown node, process that already runs, ….
    pub fn apply_fault(&mut self, fault: &Fault, sink: &mut dyn Sink) -> Result<(), String> {
        let done = self.inject(&Actor::World, fault, sink);
        self.settle_traffic(sink);
        done
    }

    /// Applies a fault on behalf of an actor (the world, or a component such as fencing).
    #[expect(clippy::too_many_lines, reason = "one arm for each fault")]
    pub(crate) fn inject(&mut self, by: &Actor, fault: &Fault, sink: &mut dyn Sink) -> Result<(), String> {
        match fault {
            Fault::Partition { targets, from, one_way } => {
                let nodes = self.resolve_targets(targets)?;
                if let Some(CutFrom::Node(other)) = from {
                    self.existing_node(other)?;
                }
                self.partition(targets, from.as_ref(), *one_way);
                let cause = self.queue.cause();
                for node in nodes {
                    self.queue.set_cause(cause);
                    let details = FaultDetails::Cut {
                        from: from.clone(),
                        one_way: *one_way,
                    };
                    let fault = FaultKind::Partition;
                    self.emit_node_record(by, Happening::Fault { fault, details }, &node, sink);
                    self.heartbeats.blame(&node, self.queue.cause());
                }
            }
            Fault::Heal(targets) => self.heal(by, targets, sink)?,
            Fault::Join {
                node,
                count,
                like,
                labels,
                capacity,
            } => {
                let mut template = MachineTemplate::default();
                if let Some(like) = like {
                    template = self.machine_template_like(like)?;
                }
                template
                    .labels
                    .extend(labels.iter().map(|(key, value)| (key.clone(), value.clone())));
                template
                    .capacity
                    .extend(capacity.iter().map(|(name, amount)| (name.clone(), *amount)));
                self.join(by, &joined_node_names(node, *count), &template, sink)?;
            }
            Fault::Leave(node) => {
                self.existing_node(node)?;
                self.emit_node_record(by, fault_record(FaultKind::Leave), node, sink);
                self.power_off(node, sink);
                self.network.heal(node);
                self.nodes.remove_mut(node);
                self.update_proxy_of_machine(node);
            }
            Fault::Kubelet { node, up } => self.apply_kubelet_fault(by, node, *up, sink)?,
            Fault::Runtime { node, up } => {
                self.powered_node(node)?;
                let fault = if *up {
                    MachineFault::RuntimeUp
                } else {
                    MachineFault::RuntimeDown
                };
                let happening = fault_or_repair_record(FaultKind::CrashRuntime, *up);
                self.emit_node_record(by, happening, node, sink);
                self.apply_machine_fault(node, &fault, sink)?;
                if let Some(state) = self.nodes.get_mut(node) {
                    state.has_runtime = *up;
                }
            }
            Fault::Device { node, device, change } => self.apply_device_fault(by, node, device, change, sink)?,
            Fault::Driver { node, up } => self.apply_driver_fault(by, node, *up, sink)?,
            Fault::Power { node, on } => self.apply_power_fault(by, node, *on, sink)?,
            Fault::Shutdown(node) => self.shut_down_machine(by, node, sink)?,
            Fault::ControlPlane { process, up } => self.apply_control_plane_fault(by, *process, *up, sink)?,
            Fault::Second(process) => self.start_second_instance(by, *process, sink)?,
            Fault::Etcd { up } => self.apply_etcd_fault(by, *up, sink)?,
            Fault::Slow(node, extra) => {
                self.existing_node(node)?;
                self.network.set_extra_latency(node.clone(), *extra);
                let (fault, details) = (FaultKind::Slow, FaultDetails::Latency(*extra));
                let happening = if *extra == Span::ZERO {
                    Happening::Healed { fault, details }
                } else {
                    Happening::Fault { fault, details }
                };
                self.emit_node_record(by, happening, node, sink);
            }
            Fault::Exit { pod, container, code } => {
                let (subject, node, uid) = self.bound_pod(pod)?;
                let fault = MachineFault::ContainerExit {
                    pod: uid,
                    container: container.clone(),
                    code: *code,
                };
                let happening = Happening::Fault {
                    fault: FaultKind::Exit,
                    details: FaultDetails::Exit {
                        container: container.clone(),
                        code: *code,
                    },
                };
                self.emit(by, happening, Some(subject), None, sink);
                self.apply_machine_fault(&node, &fault, sink)?;
            }
            Fault::Sandbox(pod) => {
                let (subject, node, uid) = self.bound_pod(pod)?;
                self.emit(by, fault_record(FaultKind::Sandbox), Some(subject), None, sink);
                self.apply_machine_fault(&node, &MachineFault::SandboxLost(uid), sink)?;
            }
            Fault::Fence(node, mechanism) => self.fence(by, node, *mechanism, sink)?,
            Fault::Unfence(node) => self.unfence(by, node, sink)?,
            Fault::Detach(volume) => self.force_detach_volume(by, volume, sink)?,
            Fault::Member { group, member, add } => self.change_member(group, member, *add)?,
            Fault::Traffic(command) => self.change_traffic(command)?,
        }
        self.touch_traffic(TrafficTouch::All);
        Ok(())
    }

    /// Performs an action of a controller outside the API. An action that is no longer possible has no effect: the node
    /// to be fenced was deleted, the Node to be removed has no machine, or the name of a new machine is taken.
    pub(crate) fn inject_for_controller(&mut self, by: &Actor, act: controllers::Act, sink: &mut dyn Sink) {
        let _ = match act {
            controllers::Act::Fence(node, mechanism) => self.inject(by, &Fault::Fence(node, mechanism), sink),
            controllers::Act::Join { node, group } => self.join_group(by, &node, &group, sink),
            controllers::Act::Leave(node) => self.inject(by, &Fault::Leave(node), sink),
        };
    }

    pub(crate) fn emit_node_record(&mut self, by: &Actor, happening: Happening, node: &NodeName, sink: &mut dyn Sink) {
        let subject = self.node_subject(node);
        self.emit(by, happening, Some(subject), None, sink);
    }

    fn node_subject(&self, node: &NodeName) -> Arc<Subject> {
        let uid = self
            .objects()
            .named::<Node>(node.as_str())
            .map(|node| node.metadata.uid.clone())
            .unwrap_or_default();
        subject(Kind::Node, ObjectKey::cluster(node.0.clone()), uid)
    }

    fn existing_node(&self, node: &NodeName) -> Result<&NodeState, String> {
        self.nodes
            .get(node)
            .ok_or_else(|| format!("there is no machine called {:?}", node.as_str()))
    }

    pub(crate) fn powered_node(&self, node: &NodeName) -> Result<&NodeState, String> {
        let state = self.existing_node(node)?;
        if state.is_powered {
            Ok(state)
        } else {
            Err(format!("machine {:?} has no power", node.as_str()))
        }
    }

    fn bound_pod(&self, key: &ObjectKey) -> Result<(Arc<Subject>, NodeName, podscope_api::Uid), String> {
        let pod = self
            .objects()
            .get::<Pod>(key)
            .ok_or_else(|| format!("there is no pod {key}"))?;
        let node = pod
            .spec
            .node_name
            .clone()
            .ok_or_else(|| format!("pod {key} is not on a node"))?;
        let uid = pod.metadata.uid.clone();
        Ok((subject_of(&podscope_api::Object::Pod(pod.clone())), node, uid))
    }

    fn apply_machine_fault(
        &mut self,
        node: &NodeName,
        fault: &MachineFault,
        sink: &mut dyn Sink,
    ) -> Result<(), String> {
        self.with_machine(node, sink, |machine, ctx| machine.apply_fault(fault, ctx))
            .unwrap_or_else(|| Err(format!("there is no machine called {:?}", node.as_str())))
    }

    /// Resolves targets to node names.
    ///
    /// # Errors
    /// Returns an error if a node or zone does not exist.
    fn resolve_targets(&self, targets: &Targets) -> Result<Vec<NodeName>, String> {
        match targets {
            Targets::Nodes(nodes) => {
                for node in nodes {
                    self.existing_node(node)?;
                }
                Ok(nodes.clone())
            }
            Targets::Zone(zone) => {
                let nodes: Vec<NodeName> = self
                    .nodes
                    .iter()
                    .filter(|(_, state)| state.zone.as_ref() == Some(zone))
                    .map(|(name, _)| name.clone())
                    .collect();
                if nodes.is_empty() {
                    return Err(format!("there is no machine in zone {:?}", &**zone));
                }
                Ok(nodes)
            }
            Targets::All => Ok(self.nodes.keys().cloned().collect()),
        }
    }

    /// Cuts links, by default all of them in both directions. No record is made and no component is notified.
    pub(crate) fn partition(&mut self, targets: &Targets, from: Option<&CutFrom>, one_way: Option<OneWay>) {
        let Ok(nodes) = self.resolve_targets(targets) else {
            return;
        };
        let zone = match targets {
            Targets::Zone(zone) => Some(zone.clone()),
            Targets::Nodes(_) | Targets::All => None,
        };
        let (inward, outward) = (one_way != Some(OneWay::Out), one_way != Some(OneWay::In));
        for node in &nodes {
            let place = Place::Node(node.clone());
            let other = match from {
                None => {
                    self.network.isolate(node, zone.as_ref(), inward, outward);
                    None
                }
                Some(CutFrom::Nodes) => {
                    self.network.cut_from_nodes(node, inward, outward);
                    None
                }
                Some(CutFrom::ControlPlane) => Some(Place::ControlPlane),
                Some(CutFrom::Storage) => Some(Place::Storage),
                Some(CutFrom::Node(other)) => Some(Place::Node(other.clone())),
            };
            if let Some(other) = other {
                if inward {
                    self.network.cut(other.clone(), place.clone());
                }
                if outward {
                    self.network.cut(place, other);
                }
            }
            self.break_watches_over_cut_link(node);
        }
    }

    /// Breaks a kubelet's watch and stops its heartbeats if they used links that were just cut.
    fn break_watches_over_cut_link(&mut self, node: &NodeName) {
        self.update_proxy_link(node);
        let place = Place::Node(node.clone());
        if !self.network.is_open(&Place::ControlPlane, &place) {
            let revision = self.api.store().revision();
            for actor in [Actor::Kubelet(node.clone()), Actor::Driver(node.clone())] {
                self.break_watch(&actor, revision);
            }
        }
        if !self.network.is_open(&place, &Place::ControlPlane) {
            self.heartbeats.end(node, self.now, self.queue.cause());
        }
    }

    fn heal(&mut self, by: &Actor, targets: &Targets, sink: &mut dyn Sink) -> Result<(), String> {
        let nodes = match targets {
            Targets::All => self.network.cut_nodes().into_iter().collect(),
            targets => self.resolve_targets(targets)?,
        };
        let mut healed = Vec::new();
        let cause = self.queue.cause();
        for node in nodes {
            if self.network.heal(&node) {
                self.queue.set_cause(cause);
                self.emit_node_record(by, repair_record(FaultKind::Partition), &node, sink);
                healed.push((node, self.queue.cause()));
            }
        }
        // Restoring a link between two nodes may allow both of them to resume, so all links are restored first.
        for (node, repair) in &healed {
            self.queue.set_cause(*repair);
            self.resume_watches_over_healed_link(node);
        }
        Ok(())
    }

    /// Resumes heartbeats and watch of a node if links that were just restored make that possible.
    fn resume_watches_over_healed_link(&mut self, node: &NodeName) {
        self.update_proxy_link(node);
        if self.heartbeats.silent().any(|silent| silent == node) {
            self.start_heartbeats_if_reachable(node);
        }
        for actor in [Actor::Kubelet(node.clone()), Actor::Driver(node.clone())] {
            let watch = self.process(&actor).map(|state| &state.watch);
            if matches!(watch, Some(WatchState::Broken { .. }))
                && let Some(process) = self.running(&actor)
            {
                self.retry_watch(&process);
            }
        }
    }

    fn start_kubelet(&mut self, node: &NodeName, delay: Span) {
        let actor = Actor::Kubelet(node.clone());
        self.boot_kubelet(node);
        if let Some(process) = self.running(&actor) {
            self.queue.push(self.now + delay, Event::Start(process));
        }
        self.start_heartbeats_if_reachable(node);
    }

    fn apply_kubelet_fault(
        &mut self,
        by: &Actor,
        node: &NodeName,
        up: bool,
        sink: &mut dyn Sink,
    ) -> Result<(), String> {
        let is_running = self.powered_node(node)?.kubelet.runs();
        if !up && !is_running {
            return Err(format!("the kubelet of {:?} does not run", node.as_str()));
        }
        self.emit_node_record(by, fault_or_repair_record(FaultKind::CrashKubelet, up), node, sink);
        if is_running {
            self.kill(&Actor::Kubelet(node.clone()));
        }
        // A graceful shutdown waits only for the kubelet process that began it. This process has ended, so the machine
        // powers off.
        if self
            .nodes
            .get(node)
            .is_some_and(|state| state.machine.is_shutting_down())
        {
            self.power_off(node, sink);
        } else if up {
            self.start_kubelet(node, PROCESS_START_DELAY);
        }
        Ok(())
    }

    fn power_off(&mut self, node: &NodeName, sink: &mut dyn Sink) {
        self.kill(&Actor::Kubelet(node.clone()));
        self.stop_driver(node, sink);
        if let Some(state) = self.nodes.get_mut(node) {
            state.is_powered = false;
        }
        // The result is ignored: the fault fails only if the machine is already off.
        let _ = self.apply_machine_fault(node, &MachineFault::PowerOff, sink);
        self.monitors.ledger.end_live_pods_on_node(node);
        self.update_proxy_of_machine(node);
    }

    fn shut_down_machine(&mut self, by: &Actor, node: &NodeName, sink: &mut dyn Sink) -> Result<(), String> {
        let has_kubelet = self.powered_node(node)?.kubelet.runs();
        self.emit_node_record(by, fault_record(FaultKind::Shutdown), node, sink);
        if has_kubelet && !self.settings.kubelet.shutdown.is_empty() {
            return self.apply_machine_fault(node, &MachineFault::ShutDown, sink);
        }
        self.power_off(node, sink);
        Ok(())
    }

    fn apply_power_fault(&mut self, by: &Actor, node: &NodeName, on: bool, sink: &mut dyn Sink) -> Result<(), String> {
        let is_powered = self.existing_node(node)?.is_powered;
        match (on, is_powered) {
            (true, true) => Err(format!("machine {:?} already has power", node.as_str())),
            (false, false) => Err(format!("machine {:?} has no power", node.as_str())),
            (false, true) => {
                self.emit_node_record(by, fault_record(FaultKind::PowerOff), node, sink);
                self.power_off(node, sink);
                Ok(())
            }
            (true, false) => {
                self.emit_node_record(by, repair_record(FaultKind::PowerOff), node, sink);
                if let Some(state) = self.nodes.get_mut(node) {
                    state.is_powered = true;
                    state.has_runtime = true;
                }
                self.apply_machine_fault(node, &MachineFault::Boot, sink)?;
                self.start_kubelet(node, MACHINE_BOOT_DELAY);
                self.start_driver(node, MACHINE_BOOT_DELAY);
                self.update_proxy_of_machine(node);
                Ok(())
            }
        }
    }

    fn fence(
        &mut self,
        by: &Actor,
        node: &NodeName,
        mechanism: FenceMechanism,
        sink: &mut dyn Sink,
    ) -> Result<(), String> {
        self.existing_node(node)?;
        match mechanism {
            FenceMechanism::Power => {
                if self.existing_node(node)?.is_powered {
                    self.power_off(node, sink);
                }
            }
            FenceMechanism::Storage => {
                self.apply_machine_fault(node, &MachineFault::StorageRefused(true), sink)?;
            }
            FenceMechanism::Network => {
                self.network.fence(node);
                self.break_watches_over_cut_link(node);
            }
        }
        self.emit_node_record(by, Happening::Fenced { by: mechanism }, node, sink);
        Ok(())
    }

    /// Removes the storage and network fences of a node; a machine without power stays off.
    fn unfence(&mut self, by: &Actor, node: &NodeName, sink: &mut dyn Sink) -> Result<(), String> {
        let is_powered = self.existing_node(node)?.is_powered;
        let mut lifted = Vec::new();
        if self
            .nodes
            .get(node)
            .is_some_and(|state| state.machine.is_storage_refused())
        {
            lifted.push(FenceMechanism::Storage);
        }
        if self.network.is_fenced(node) {
            lifted.push(FenceMechanism::Network);
        }
        if lifted.is_empty() {
            let name = node.as_str();
            let more = if is_powered {
                String::new()
            } else {
                format!("; it has no power: fault boot {name}")
            };
            return Err(format!("machine {name:?} is not fenced from storage or network{more}"));
        }
        for mechanism in lifted {
            self.emit_node_record(by, repair_record(FaultKind::Fence(mechanism)), node, sink);
            if mechanism == FenceMechanism::Storage {
                self.apply_machine_fault(node, &MachineFault::StorageRefused(false), sink)?;
            } else {
                self.network.unfence(node);
                self.resume_watches_over_healed_link(node);
            }
        }
        Ok(())
    }
}

/// Returns the record of a fault without details.
fn fault_record(fault: FaultKind) -> Happening {
    let details = FaultDetails::None;
    Happening::Fault { fault, details }
}

/// Returns the record of a repair without details.
fn repair_record(fault: FaultKind) -> Happening {
    let details = FaultDetails::None;
    Happening::Healed { fault, details }
}

fn fault_or_repair_record(fault: FaultKind, up: bool) -> Happening {
    if up { repair_record(fault) } else { fault_record(fault) }
}
