//! Nodes and their machines for the page, with the differences between both states (U-02).

use std::cell::OnceCell;
use std::sync::Arc;

use podscope_api::ordered;
use podscope_api::ordered::StableSort as _;
use podscope_api::pending_event::PendingEventKind;
use podscope_api::well_known::{condition, label};

use podscope_api::{ConditionStatus, Node, NodeName, Object, Pod, Taint, TaintEffect};
use podscope_cluster::machine::Machine;
use podscope_cluster::{Actor, NOT_IN_THE_DUMP, Network, Place, SimTime, World};

use super::Owners;
use super::pods;
use podscope_protocol::{
    Component, Cut, CutFrom, Fence, Frame, MachineDifference, MachineView, NodeNext, NodeView, PodView,
};

/// The part of a node's view that comes from its machine instead of its Node object.
#[derive(Debug, Clone)]
pub(crate) struct MachineState {
    pub(crate) machine: Arc<Machine>,
    pub(crate) powered: bool,
    pub(crate) kubelet: bool,
    pub(crate) runtime: bool,
    pub(crate) storage_refused: bool,
    pub(crate) is_isolated: bool,
    pub(crate) cuts: Vec<Cut>,
    /// Whether the API server does not receive messages from the machine's kubelet.
    pub(crate) is_silent: bool,
    /// Whether the machine's kubelet does not receive messages from the API server.
    pub(crate) receives_no_api_messages: bool,
}

impl MachineState {
    /// Returns whether the machine has no fault, so that the view of the machine depends only on its processes.
    fn is_healthy(&self) -> bool {
        !self.is_silent && self.runtime && !self.storage_refused && !self.is_isolated && self.cuts.is_empty()
    }

    fn is_same_state(&self, other: &MachineState) -> bool {
        Arc::ptr_eq(&self.machine, &other.machine)
            && self.is_silent == other.is_silent
            && self.is_isolated == other.is_isolated
            && self.cuts == other.cuts
    }
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Machines(pub(crate) ordered::Map<NodeName, MachineState>);

impl Machines {
    pub(crate) fn of(world: &World) -> Machines {
        let mut kubelets = world.kubelets().map(|(name, _)| name).peekable();
        let network = world.network();
        let cut = network.cut_nodes();
        let cut_links = cut_links(network);
        let mut machines = ordered::Map::new();
        for (name, machine) in world.machines() {
            let mut cuts = Vec::new();
            let is_isolated = network.is_fenced(name);
            let mut control_plane = (is_isolated, is_isolated);
            if !cut.is_empty() && !is_isolated {
                let here = Place::Node(name.clone());
                // Returns whether messages between `other` and the machine are lost: (to the machine, from the
                // machine).
                let are_lost = |other: &Place| (!network.is_open(other, &here), !network.is_open(&here, other));
                let mut add_cut = |from: CutFrom, (is_in, is_out): (bool, bool)| {
                    if is_in || is_out {
                        cuts.push(Cut { from, is_in, is_out });
                    }
                };
                control_plane = are_lost(&Place::ControlPlane);
                add_cut(CutFrom::ControlPlane, control_plane);
                add_cut(CutFrom::Storage, are_lost(&Place::Storage));
                // The cut links to other nodes are listed only for a node that is cut off itself. A zone that is cut
                // off has very many such links.
                if cut.contains(name) {
                    add_cut(CutFrom::Nodes, network.is_cut_from_nodes(name));
                    for (other, cut) in cut_links.get(name).into_iter().flatten() {
                        add_cut(CutFrom::Node((*other).clone()), *cut);
                    }
                }
            }
            // Both lists are ordered by name.
            let kubelet = kubelets.next_if_eq(&name).is_some();
            let is_down = !kubelet || !machine.is_on();
            machines.insert(
                name.clone(),
                MachineState {
                    machine: Arc::clone(machine),
                    powered: machine.is_on(),
                    kubelet,
                    runtime: machine.is_runtime_up(),
                    storage_refused: machine.is_storage_refused(),
                    is_isolated,
                    cuts,
                    is_silent: is_down || control_plane.1,
                    receives_no_api_messages: is_down || control_plane.0,
                },
            );
        }
        Machines(machines)
    }

    pub(crate) fn get(&self, node: &str) -> Option<&MachineState> {
        self.0.get(node)
    }

    /// Returns whether the API server does not receive messages from the node's kubelet.
    pub(crate) fn is_silent(&self, node: &str) -> bool {
        self.get(node).is_none_or(|machine| machine.is_silent)
    }

    /// Returns whether the node's kubelet does not receive messages from the API server.
    pub(crate) fn receives_no_api_messages(&self, node: &str) -> bool {
        self.get(node).is_none_or(|machine| machine.receives_no_api_messages)
    }

    /// Returns whether both states have the same machines, and the same machines are silent.
    pub(crate) fn have_same_reachability(&self, others: &Machines) -> bool {
        let one = |((a, this), (b, that)): ((&NodeName, &MachineState), (&NodeName, &MachineState))| {
            a == b && this.is_silent == that.is_silent
        };
        self.0.len() == others.0.len() && self.0.iter().zip(&others.0).all(one)
    }
}

/// For each node, the nodes to which its link is cut, with the directions in which messages are lost: (to the first
/// node, from the first node).
type CutLinks<'w> = ordered::Map<&'w NodeName, ordered::Map<&'w NodeName, (bool, bool)>>;

fn cut_links(network: &Network) -> CutLinks<'_> {
    let mut links = CutLinks::new();
    for (from, to) in network.cuts() {
        if let (Place::Node(from), Place::Node(to)) = (from, to) {
            links.entry(from).or_default().entry(to).or_default().1 = true;
            links.entry(to).or_default().entry(from).or_default().0 = true;
        }
    }
    links
}

/// The view of a node and its ghosts, with the objects from which they were built.
#[derive(Debug, Clone)]
pub(crate) struct NodeEntry {
    node: Option<Arc<Node>>,
    state: Option<MachineState>,
    pub(crate) view: NodeView,
    /// Pods that were deleted from the API but still have processes, ordered by UID.
    pub(crate) ghosts: Vec<PodView>,
}

impl NodeEntry {
    /// Returns whether rebuilding the entry would give the same result: the objects are the same, and the node has no
    /// fault, so that nothing in its view depends on time.
    fn is_unchanged(&self, node: Option<&Arc<Node>>, state: Option<&MachineState>) -> bool {
        self.view.ready == ConditionStatus::True
            && self.node.as_ref().map(Arc::as_ptr) == node.map(Arc::as_ptr)
            && node.is_none_or(|node| !has_evicting_taint(node))
            && (self.state.as_ref().zip(state)).is_some_and(|(old, new)| new.is_healthy() && old.is_same_state(new))
    }
}

/// Entries of nodes, and of machines without a Node object. Entries are boxed because the map moves its values.
pub(crate) type Nodes = ordered::Map<NodeName, Box<NodeEntry>>;

/// Updates the entries of nodes to the cursor, and adds the changes to the frame. `changed_nodes` are the nodes whose
/// pods have changed. Returns whether nodes were added or removed, or labels have changed, so that the groups must be
/// rebuilt.
pub(crate) fn update(
    nodes: &mut Nodes,
    world: &World,
    machines: &Machines,
    owners: &Owners,
    changed_nodes: &ordered::Set<NodeName>,
    frame: &mut Frame,
) -> bool {
    let objects = world.objects();
    let mut before = std::mem::take(nodes).into_iter().peekable();
    // All three lists are ordered by name.
    let mut machine_states = machines.0.iter().peekable();
    let mut node_objects = objects.list::<Node>().peekable();
    let predictions = OnceCell::new();
    let mut gone = Vec::new();
    let mut have_nodes_changed = false;
    loop {
        let name = match (machine_states.peek(), node_objects.peek()) {
            (None, None) => break,
            (Some((name, _)), None) => (*name).clone(),
            (Some((name, _)), Some(node)) if name.0 <= node.metadata.name => (*name).clone(),
            (_, Some(node)) => NodeName(node.metadata.name.clone()),
        };
        let state = machine_states.next_if(|(at, _)| **at == name).map(|(_, state)| state);
        let node = node_objects.next_if(|node| node.metadata.name == name.0);
        while let Some(removed) = before.next_if(|(at, _)| *at < name) {
            gone.push(removed);
        }
        let old = before.next_if(|(at, _)| *at == name).map(|(_, old)| old);
        let entry = match old {
            Some(old) if old.is_unchanged(node, state) && !changed_nodes.contains(&name) => old,
            old => {
                let ghosts = state.map_or_else(Vec::new, |state| pods::ghost_pods(world, &state.machine, owners));
                let view = node_view(world, &name, node, state, &ghosts, &predictions);
                have_nodes_changed |= old.as_ref().is_none_or(|old| old.view.labels != view.labels);
                if old.as_ref().is_none_or(|old| old.view != view) {
                    frame.nodes.push(view.clone());
                }
                add_ghost_changes(old.map_or_else(Vec::new, |old| old.ghosts), &ghosts, frame);
                Box::new(NodeEntry {
                    node: node.cloned(),
                    state: state.cloned(),
                    view,
                    ghosts,
                })
            }
        };
        nodes.insert(name, entry);
    }
    for (name, old) in gone.into_iter().chain(before) {
        have_nodes_changed = true;
        add_ghost_changes(old.ghosts, &[], frame);
        frame.nodes_gone.push(name.to_string());
    }
    have_nodes_changed
}

/// Adds the new, changed and removed ghosts of a node (deleted pods whose processes still run) to the frame.
fn add_ghost_changes(old: Vec<PodView>, new: &[PodView], frame: &mut Frame) {
    frame
        .pods
        .extend(new.iter().filter(|ghost| !old.contains(ghost)).cloned().map(Arc::new));
    let gone = old.into_iter().map(|ghost| ghost.id);
    frame
        .pods_gone
        .extend(gone.filter(|id| new.iter().all(|ghost| ghost.id != *id)));
}

/// Returns the time of the last heartbeat of a node that the API server received. If a node was unreachable in the
/// dump, it has sent no heartbeat in the simulation, so the last heartbeat is the one in the dump.
pub(super) fn last_heartbeat(world: &World, name: &NodeName, node: Option<&Node>) -> Option<SimTime> {
    let ready = node.and_then(|node| node.condition(condition::READY));
    let from_dump = ready.filter(|ready| {
        let is_from_dump = ready.last_transition_time.is_some_and(|at| world.sim_time(at).0 < 0);
        is_from_dump && matches!(ready.status, ConditionStatus::Unknown)
    });
    from_dump
        .and_then(|ready| ready.last_heartbeat_time.map(|at| world.sim_time(at)))
        .or_else(|| world.heartbeats().last_renewal(name, world.now()))
}

fn node_view(
    world: &World,
    name: &NodeName,
    node: Option<&Arc<Node>>,
    state: Option<&MachineState>,
    ghosts: &[PodView],
    predictions: &OnceCell<NodePredictions>,
) -> NodeView {
    let mut view = NodeView {
        name: name.to_string(),
        registered: node.is_some(),
        ..NodeView::default()
    };
    if let Some(node) = node {
        view.zone = node.metadata.label(label::ZONE).unwrap_or_default().to_owned();
        if let Some(ready) = node.condition(condition::READY) {
            view.ready = ready.status.clone();
            if ready.status != ConditionStatus::True {
                view.ready_reason = ready.reason.to_string();
            }
            view.ready_since = (ready.last_transition_time).map_or(0, |at| world.sim_time(at).0);
        }
        view.cordoned = node.is_unschedulable();
        view.only_name = node.metadata.annotation(NOT_IN_THE_DUMP).is_some();
        // A taint by which Podscope marks assumed nodes is not shown.
        let own = node.spec.taints.iter().filter(|taint| &*taint.key != NOT_IN_THE_DUMP);
        view.taints = own.map(Taint::to_string).collect();
        view.pressure = node
            .status
            .conditions
            .iter()
            .filter(|condition| &*condition.kind != condition::READY && condition.status == ConditionStatus::True)
            .map(|condition| condition.kind.to_string())
            .collect();
        view.pressure_lasts = state.is_some_and(|state| {
            let mut kinds = view.pressure.iter();
            kinds.any(|kind| state.machine.imported_condition(kind).is_some())
        });
        view.labels = node
            .metadata
            .labels
            .iter()
            .map(|(key, value)| (key.to_string(), value.to_string()))
            .collect();
        let allocatable = |resource: &str| node.status.allocatable.get(resource);
        let (mut cpu, mut memory, mut pods) = (0, 0, 0);
        for pod in world.objects().pods_on(name).filter(|pod| !pod.is_terminal()) {
            let (milli, bytes) = requested_cpu_and_memory(pod);
            cpu += milli;
            memory += bytes;
            pods += 1;
        }
        view.cpu = (cpu, allocatable("cpu").map_or(0, |quantity| quantity.milli_value()));
        view.memory = (memory, allocatable("memory").map_or(0, |quantity| quantity.value()));
        view.pods = (pods, allocatable("pods").map_or(0, |quantity| quantity.value()));
    }
    let heartbeat = last_heartbeat(world, name, node.map(|node| &**node));
    // The time of the last heartbeat is sent only for silent nodes. Otherwise each node would change every ten seconds.
    let is_silent = view.ready != ConditionStatus::True || state.is_none_or(|state| state.is_silent);
    let last_heartbeat = heartbeat.filter(|_| is_silent).map(|at| at.0);
    view.next = node.filter(|node| is_silent || has_evicting_taint(node)).and_then(|_| {
        let predictions = predictions.get_or_init(|| NodePredictions::of(world));
        predictions.prediction_for(name)
    });
    view.machine = match state {
        Some(state) => MachineView {
            exists: true,
            running: running_pod_uids(&state.machine),
            powered: state.powered,
            kubelet: state.kubelet,
            runtime: state.runtime,
            cuts: state.cuts.clone(),
            fenced: [
                (Fence::Storage, state.storage_refused),
                (Fence::Network, state.is_isolated),
            ]
            .into_iter()
            .filter_map(|(by, is_fenced)| is_fenced.then_some(by))
            .collect(),
            last_heartbeat,
            differs: super::differences::node_differences(world, name, state, heartbeat, ghosts),
        },
        None => MachineView {
            last_heartbeat,
            differs: vec![MachineDifference::NoMachine { node: name.to_string() }],
            ..MachineView::default()
        },
    };
    view
}

/// Returns the UIDs of the pods that have running processes on a machine, sorted.
fn running_pod_uids(machine: &Machine) -> Vec<String> {
    let mut uids: Vec<String> = (machine.processes().iter())
        .map(|process| process.uid.to_string())
        .collect();
    uids.stable_sort();
    uids.dedup();
    uids
}

/// Returns whether the node has a NoExecute taint, which evicts pods that do not tolerate it without limit.
fn has_evicting_taint(node: &Node) -> bool {
    (node.spec.taints.iter()).any(|taint| taint.effect == TaintEffect::NoExecute)
}

/// Predicts what the node lifecycle controller will do about silent nodes: mark them NotReady (CT-021), then evict pods
/// that do not tolerate this without limit (CT-034).
#[derive(Debug, Default)]
struct NodePredictions {
    /// The prediction for every node if no controller-manager is active: nothing will happen.
    no_controller: Option<NodeNext>,
    not_ready_at: ordered::Map<NodeName, SimTime>,
    evictions: ordered::Map<NodeName, Vec<SimTime>>,
}

impl NodePredictions {
    fn of(world: &World) -> NodePredictions {
        let mut predictions = NodePredictions::default();
        let Some(due) = world.controller_events() else {
            predictions.no_controller = Some(NodeNext::Nobody {
                down: component_blocking_controllers(world),
            });
            return predictions;
        };
        for one in due.into_iter().filter(|one| !one.is_projected) {
            match one.what {
                PendingEventKind::NotReady => drop(predictions.not_ready_at.insert(NodeName(one.key.name), one.at)),
                PendingEventKind::Evicted => {
                    let Some(Object::Pod(pod)) = world.objects().by_uid(&one.uid) else {
                        continue;
                    };
                    if let Some(node) = (pod.spec.node_name.as_ref()).filter(|_| !pod.metadata.is_terminating()) {
                        predictions.evictions.entry(node.clone()).or_default().push(one.at);
                    }
                }
                _ => {}
            }
        }
        predictions
    }

    fn prediction_for(&self, node: &NodeName) -> Option<NodeNext> {
        if self.no_controller.is_some() {
            return self.no_controller.clone();
        }
        if let Some(at) = self.not_ready_at.get(node) {
            return Some(NodeNext::NotReady { at: at.0 });
        }
        let mut each = self.evictions.get(node)?.clone();
        each.stable_sort();
        let mut at: Vec<(i64, u32)> = Vec::new();
        for one in each {
            match at.last_mut() {
                // Evictions within one second are predicted as one group.
                Some((first, pods)) if one.0 - *first < 1_000_000 => *pods += 1,
                _ => at.push((one.0, 1)),
            }
        }
        Some(NodeNext::Evicts { at })
    }
}

/// Returns the component whose failure prevents controllers from acting on nodes. None if a controller-manager is
/// running, even if it is not the leader yet.
fn component_blocking_controllers(world: &World) -> Option<Component> {
    let is_manager = |actor: &Actor| matches!(actor, Actor::ControllerManager(_));
    let mut processes = world.control_plane_processes().into_iter();
    let runs = processes.any(|process| process.runs && is_manager(&process.actor));
    component_blocking_api(world).or_else(|| (!runs).then_some(Component::ControllerManager(0)))
}

/// Returns the component whose failure prevents reading and writing objects: the API server or etcd. None if both work.
pub(super) fn component_blocking_api(world: &World) -> Option<Component> {
    match world.api_server_runs_and_reaches_etcd() {
        (false, _) => Some(Component::ApiServer),
        (_, false) => Some(Component::Etcd),
        _ => None,
    }
}

/// Returns the resources that the scheduler counts for a pod: CPU in millicores and memory in bytes.
pub(crate) fn requested_cpu_and_memory(pod: &Pod) -> (i64, i64) {
    let sum_of = |name: &str, milli: bool| {
        let amount = |container: &podscope_api::Container| {
            container.resources.requests.get(name).map_or(0, |quantity| {
                if milli {
                    quantity.milli_value()
                } else {
                    quantity.value()
                }
            })
        };
        let sidecars: i64 = pod
            .spec
            .init_containers
            .iter()
            .filter(|container| container.is_sidecar())
            .map(amount)
            .sum();
        let main: i64 = pod.spec.containers.iter().map(amount).sum::<i64>() + sidecars;
        let init = pod
            .spec
            .init_containers
            .iter()
            .filter(|container| !container.is_sidecar())
            .map(amount)
            .max()
            .unwrap_or(0);
        let overhead = pod.spec.overhead.get(name).map_or(0, |quantity| {
            if milli {
                quantity.milli_value()
            } else {
                quantity.value()
            }
        });
        main.max(init) + overhead
    };
    (sum_of("cpu", true), sum_of("memory", false))
}
