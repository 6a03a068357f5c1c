//! Nodes and the machines under them, and where the two differ (U-02).

use std::cell::OnceCell;
use std::sync::Arc;

use podscope_api::ordered;
use podscope_api::ordered::StableSort as _;

use podscope_api::{ConditionStatus, Node, NodeName, Object, Pod, Taint, TaintEffect};
use podscope_cluster::machine::Machine;
use podscope_cluster::{Actor, Coming, NOT_IN_THE_DUMP, Network, Place, SimTime, World};

use super::Owners;
use super::pods;
use podscope_protocol::{Component, Cut, CutFrom, Difference, Fence, Frame, MachineView, NodeNext, NodeView, PodView};

/// What is known of one machine.
#[derive(Debug, Clone)]
pub(crate) struct MachineState {
    pub(crate) machine: Arc<Machine>,
    pub(crate) powered: bool,
    pub(crate) kubelet: bool,
    pub(crate) runtime: bool,
    pub(crate) storage_refused: bool,
    pub(crate) is_isolated: bool,
    pub(crate) cuts: Vec<Cut>,
    /// The API server does not hear from its kubelet.
    pub(crate) is_dark: bool,
    /// Its kubelet does not hear from the API server.
    pub(crate) is_deaf: bool,
}

impl MachineState {
    /// Whether nothing is to be said of it but what its processes are.
    fn is_well(&self) -> bool {
        !self.is_dark && self.runtime && !self.storage_refused && !self.is_isolated && self.cuts.is_empty()
    }

    fn is_same(&self, other: &MachineState) -> bool {
        Arc::ptr_eq(&self.machine, &other.machine)
            && self.is_dark == other.is_dark
            && self.is_isolated == other.is_isolated
            && self.cuts == other.cuts
    }
}

/// All machines at an instant.
#[derive(Debug, Clone, Default)]
pub(crate) struct Machines(pub(crate) ordered::Map<NodeName, MachineState>);

impl Machines {
    pub(crate) fn of(world: &World) -> Machines {
        let mut kubelets = world.kubelets().map(|(name, _)| name).peekable();
        let network = world.network();
        let cut = network.cut_nodes();
        let pairs = pairs(network);
        let mut machines = ordered::Map::new();
        for (name, machine) in world.machines() {
            let mut cuts = Vec::new();
            let is_isolated = network.is_fenced(name);
            let mut control_plane = (is_isolated, is_isolated);
            if !cut.is_empty() && !is_isolated {
                let here = Place::Node(name.clone());
                // What is lost: (to the node, from the node).
                let lost = |other: &Place| (!network.is_open(other, &here), !network.is_open(&here, other));
                let mut say = |from: CutFrom, (is_in, is_out): (bool, bool)| {
                    if is_in || is_out {
                        cuts.push(Cut { from, is_in, is_out });
                    }
                };
                control_plane = lost(&Place::ControlPlane);
                say(CutFrom::ControlPlane, control_plane);
                say(CutFrom::Storage, lost(&Place::Storage));
                // One by one they would be a million links of a zone that is cut off.
                if cut.contains(name) {
                    say(CutFrom::Nodes, network.is_apart(name));
                    for (other, cut) in pairs.get(name).into_iter().flatten() {
                        say(CutFrom::Node(other.to_string()), *cut);
                    }
                }
            }
            // Both are in the order of names.
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
                    is_dark: is_down || control_plane.1,
                    is_deaf: is_down || control_plane.0,
                },
            );
        }
        Machines(machines)
    }

    pub(crate) fn get(&self, node: &str) -> Option<&MachineState> {
        self.0.get(node)
    }

    /// Whether the API server does not hear from a node's kubelet.
    pub(crate) fn is_dark(&self, node: &str) -> bool {
        self.get(node).is_none_or(|machine| machine.is_dark)
    }

    /// Whether a node's kubelet hears nothing from the API server.
    pub(crate) fn is_deaf(&self, node: &str) -> bool {
        self.get(node).is_none_or(|machine| machine.is_deaf)
    }

    /// Whether the API server hears of the same ones as in others.
    pub(crate) fn are_heard_as(&self, others: &Machines) -> bool {
        let one = |((a, this), (b, that)): ((&NodeName, &MachineState), (&NodeName, &MachineState))| {
            a == b && this.is_dark == that.is_dark
        };
        self.0.len() == others.0.len() && self.0.iter().zip(&others.0).all(one)
    }
}

/// Other nodes that a node is cut from one by one, with what is lost: (to the node, from the node).
type Pairs<'w> = ordered::Map<&'w NodeName, ordered::Map<&'w NodeName, (bool, bool)>>;

fn pairs(network: &Network) -> Pairs<'_> {
    let mut pairs = Pairs::new();
    for (from, to) in network.cuts() {
        if let (Place::Node(from), Place::Node(to)) = (from, to) {
            pairs.entry(from).or_default().entry(to).or_default().1 = true;
            pairs.entry(to).or_default().entry(from).or_default().0 = true;
        }
    }
    pairs
}

/// A node's view with its ghosts, and what they were made of.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    node: Option<Arc<Node>>,
    state: Option<MachineState>,
    pub(crate) view: NodeView,
    /// Processes that the API has forgotten, by UID.
    pub(crate) ghosts: Vec<PodView>,
}

impl Seen {
    /// Whether it would be made the same again: all that it was made of is still that, and of who
    /// is well nothing depends on the time.
    fn stays(&self, node: Option<&Arc<Node>>, state: Option<&MachineState>) -> bool {
        self.view.ready == ConditionStatus::True
            && self.node.as_ref().map(Arc::as_ptr) == node.map(Arc::as_ptr)
            && node.is_none_or(|node| !is_left(node))
            && (self.state.as_ref().zip(state)).is_some_and(|(old, new)| new.is_well() && old.is_same(new))
    }
}

/// The nodes of a picture, and machines without a Node object. They are boxed, because the map moves what it holds.
pub(crate) type Nodes = ordered::Map<NodeName, Box<Seen>>;

/// Makes the nodes those at the cursor and says what changed. `places` are the nodes of which a pod
/// is another one. True if other nodes stand in the picture, or one has other labels: its groups are others then.
pub(crate) fn follow(
    nodes: &mut Nodes,
    world: &World,
    machines: &Machines,
    owners: &Owners,
    places: &ordered::Set<NodeName>,
    frame: &mut Frame,
) -> bool {
    let objects = world.objects();
    let mut before = std::mem::take(nodes).into_iter().peekable();
    // All three are in the order of the names.
    let mut there = machines.0.iter().peekable();
    let mut known = objects.list::<Node>().peekable();
    let judged = OnceCell::new();
    let mut gone = Vec::new();
    let mut are_others = false;
    loop {
        let name = match (there.peek(), known.peek()) {
            (None, None) => break,
            (Some((name, _)), None) => (*name).clone(),
            (Some((name, _)), Some(node)) if name.0 <= node.metadata.name => (*name).clone(),
            (_, Some(node)) => NodeName(node.metadata.name.clone()),
        };
        let state = there.next_if(|(at, _)| **at == name).map(|(_, state)| state);
        let node = known.next_if(|node| node.metadata.name == name.0);
        while let Some(left) = before.next_if(|(at, _)| *at < name) {
            gone.push(left);
        }
        let old = before.next_if(|(at, _)| *at == name).map(|(_, old)| old);
        let seen = match old {
            Some(old) if old.stays(node, state) && !places.contains(&name) => old,
            old => {
                let ghosts = state.map_or_else(Vec::new, |state| pods::ghosts(world, &state.machine, owners));
                let view = view(world, &name, node, state, &ghosts, &judged);
                are_others |= old.as_ref().is_none_or(|old| old.view.labels != view.labels);
                if old.as_ref().is_none_or(|old| old.view != view) {
                    frame.nodes.push(view.clone());
                }
                haunt(old.map_or_else(Vec::new, |old| old.ghosts), &ghosts, frame);
                Box::new(Seen {
                    node: node.cloned(),
                    state: state.cloned(),
                    view,
                    ghosts,
                })
            }
        };
        nodes.insert(name, seen);
    }
    for (name, old) in gone.into_iter().chain(before) {
        are_others = true;
        haunt(old.ghosts, &[], frame);
        frame.nodes_gone.push(name.to_string());
    }
    are_others
}

/// Says which ghosts of a node came, changed and went.
fn haunt(old: Vec<PodView>, new: &[PodView], frame: &mut Frame) {
    frame
        .pods
        .extend(new.iter().filter(|ghost| !old.contains(ghost)).cloned().map(Arc::new));
    let gone = old.into_iter().map(|ghost| ghost.id);
    frame
        .pods_gone
        .extend(gone.filter(|id| new.iter().all(|ghost| ghost.id != *id)));
}

fn view(
    world: &World,
    name: &NodeName,
    node: Option<&Arc<Node>>,
    state: Option<&MachineState>,
    ghosts: &[PodView],
    judged: &OnceCell<Judged>,
) -> NodeView {
    let mut view = NodeView {
        name: name.to_string(),
        registered: node.is_some(),
        ..NodeView::default()
    };
    if let Some(node) = node {
        view.zone = node.metadata.label(super::ZONE).unwrap_or_default().to_owned();
        if let Some(ready) = node.condition("Ready") {
            view.ready = ready.status.clone();
            if ready.status != ConditionStatus::True {
                view.ready_reason = ready.reason.to_string();
            }
            view.ready_since = (ready.last_transition_time).map_or(0, |at| (at.0 - world.start().0).max(0));
        }
        view.cordoned = node.is_unschedulable();
        view.only_name = node.metadata.annotation(NOT_IN_THE_DUMP).is_some();
        // One that keeps pods away from what is made up is none of the cluster's.
        let own = node.spec.taints.iter().filter(|taint| &*taint.key != NOT_IN_THE_DUMP);
        view.taints = own.map(taint_text).collect();
        view.pressure = node
            .status
            .conditions
            .iter()
            .filter(|condition| &*condition.kind != "Ready" && condition.status == ConditionStatus::True)
            .map(|condition| condition.kind.to_string())
            .collect();
        view.pressure_lasts = state.is_some_and(|state| {
            let mut kinds = view.pressure.iter();
            kinds.any(|kind| state.machine.lasting(kind).is_some())
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
            let (milli, bytes) = requests(pod);
            cpu += milli;
            memory += bytes;
            pods += 1;
        }
        view.cpu = (cpu, allocatable("cpu").map_or(0, |quantity| quantity.milli_value()));
        view.memory = (memory, allocatable("memory").map_or(0, |quantity| quantity.value()));
        view.pods = (pods, allocatable("pods").map_or(0, |quantity| quantity.value()));
    }
    let heartbeat = world.heartbeats().last_renewal(name, world.now());
    // Of who is heard nobody asks when; told of all it would make each node another one every ten seconds.
    let silent = view.ready != ConditionStatus::True || state.is_none_or(|state| state.is_dark);
    let last_heartbeat = heartbeat.filter(|_| silent).map(|at| at.0);
    view.next = node.filter(|node| silent || is_left(node)).and_then(|_| {
        let judged = judged.get_or_init(|| Judged::of(world));
        judged.next(name)
    });
    view.machine = match state {
        Some(state) => MachineView {
            exists: true,
            running: running(&state.machine),
            powered: state.powered,
            kubelet: state.kubelet,
            runtime: state.runtime,
            cuts: state.cuts.clone(),
            fenced: [
                (Fence::Storage, state.storage_refused),
                (Fence::Network, state.is_isolated),
            ]
            .into_iter()
            .filter_map(|(by, is_so)| is_so.then_some(by))
            .collect(),
            last_heartbeat,
            differs: super::differences::differs(world, name, state, heartbeat, ghosts),
        },
        None => MachineView {
            last_heartbeat,
            differs: vec![Difference::NoMachine { node: name.to_string() }],
            ..MachineView::default()
        },
    };
    view
}

fn taint_text(taint: &Taint) -> String {
    let value = if taint.value.is_empty() {
        String::new()
    } else {
        format!("={}", taint.value)
    };
    format!("{}{value}:{}", taint.key, taint.effect)
}

/// UIDs of the pods of which a process runs, in order.
fn running(machine: &Machine) -> Vec<String> {
    let mut uids: Vec<String> = (machine.processes().iter())
        .map(|process| process.uid.to_string())
        .collect();
    uids.stable_sort();
    uids.dedup();
    uids
}

/// Whether pods that do not tolerate it for ever leave a node.
fn is_left(node: &Node) -> bool {
    (node.spec.taints.iter()).any(|taint| taint.effect == TaintEffect::NoExecute)
}

/// What the control plane does next about nodes from which nothing is heard, as it waits for it itself: they are taken
/// for not ready (CT-021), then the pods go that do not tolerate that for ever (CT-034).
#[derive(Debug, Default)]
struct Judged {
    /// Why nobody judges.
    nobody: Option<NodeNext>,
    falls: ordered::Map<NodeName, SimTime>,
    evicts: ordered::Map<NodeName, Vec<SimTime>>,
}

impl Judged {
    fn of(world: &World) -> Judged {
        let mut judged = Judged::default();
        let Some(due) = world.judged() else {
            judged.nobody = Some(NodeNext::Nobody { down: down(world) });
            return judged;
        };
        for one in due.into_iter().filter(|one| !one.is_projected) {
            match one.what {
                Coming::NotReady => drop(judged.falls.insert(NodeName(one.key.name), one.at)),
                Coming::Evicted => {
                    let Some(Object::Pod(pod)) = world.objects().by_uid(&one.uid) else {
                        continue;
                    };
                    if let Some(node) = (pod.spec.node_name.as_ref()).filter(|_| !pod.metadata.is_terminating()) {
                        judged.evicts.entry(node.clone()).or_default().push(one.at);
                    }
                }
                _ => {}
            }
        }
        judged
    }

    fn next(&self, node: &NodeName) -> Option<NodeNext> {
        if self.nobody.is_some() {
            return self.nobody.clone();
        }
        if let Some(at) = self.falls.get(node) {
            return Some(NodeNext::NotReady { at: at.0 });
        }
        let mut each = self.evicts.get(node)?.clone();
        each.stable_sort();
        let mut at: Vec<(i64, u32)> = Vec::new();
        for one in each {
            match at.last_mut() {
                // What goes within a second goes together.
                Some((first, pods)) if one.0 - *first < 1_000_000 => *pods += 1,
                _ => at.push((one.0, 1)),
            }
        }
        Some(NodeNext::Evicts { at })
    }
}

/// What is down, so that nobody judges; none if a controller-manager runs that does not lead yet.
fn down(world: &World) -> Option<Component> {
    let is_manager = |actor: &Actor| matches!(actor, Actor::ControllerManager(_));
    let mut processes = world.control_plane_processes().into_iter();
    let runs = processes.any(|(actor, is_up, _)| is_up && is_manager(&actor));
    halted_by(world).or_else(|| (!runs).then_some(Component::ControllerManager(0)))
}

/// What is down, so that nobody reads or writes an object.
pub(super) fn halted_by(world: &World) -> Option<Component> {
    match world.control_plane() {
        (false, _) => Some(Component::ApiServer),
        (_, false) => Some(Component::Etcd),
        _ => None,
    }
}

/// cpu in thousandths and memory in bytes that the scheduler counts for a pod.
pub(crate) fn requests(pod: &Pod) -> (i64, i64) {
    let of = |name: &str, milli: bool| {
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
    (of("cpu", true), of("memory", false))
}
