//! Nodes and the machines under them, and where the two differ (U-02).

use std::sync::Arc;

use podscope_api::ordered;
use podscope_api::ordered::StableSort as _;

use podscope_api::{ConditionStatus, Node, NodeName, Pod, Taint, TaintEffect};
use podscope_cluster::controllers::stay;
use podscope_cluster::machine::Machine;
use podscope_cluster::{Network, Place, SimTime, Span, World};

use super::Owners;
use super::pods;
use podscope_protocol::{Cut, CutFrom, Difference, Fence, Frame, MachineView, NodeNext, NodeView, PodView};

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
            let mut is_cut = is_isolated;
            if !cut.is_empty() && !is_isolated {
                let here = Place::Node(name.clone());
                // What is lost: (to the node, from the node).
                let lost = |other: &Place| (!network.is_open(other, &here), !network.is_open(&here, other));
                let mut say = |from: CutFrom, (is_in, is_out): (bool, bool)| {
                    if is_in || is_out {
                        cuts.push(Cut { from, is_in, is_out });
                    }
                };
                let control_plane = lost(&Place::ControlPlane);
                is_cut = control_plane != (false, false);
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
                    is_dark: is_cut || !kubelet || !machine.is_on(),
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
                let view = view(world, &name, node, state, &ghosts);
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
        view.taints = node.spec.taints.iter().map(taint_text).collect();
        view.pressure = node
            .status
            .conditions
            .iter()
            .filter(|condition| &*condition.kind != "Ready" && condition.status == ConditionStatus::True)
            .map(|condition| condition.kind.to_string())
            .collect();
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
    let last_heartbeat = heartbeat.filter(|_| silent).map_or(0, |at| at.0);
    view.next = node.and_then(|node| next(world, node, heartbeat.filter(|_| silent)));
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

/// What the control plane does next about a node from which nothing is heard: it is taken for not ready (CT-021), then
/// the pods go that do not tolerate that for ever (CT-034).
fn next(world: &World, node: &Node, heartbeat: Option<SimTime>) -> Option<NodeNext> {
    let taints = || (node.spec.taints.iter()).filter(|taint| taint.effect == TaintEffect::NoExecute);
    let Some(tainted) = taints().filter_map(|taint| taint.time_added).min() else {
        let is_ready = (node.condition("Ready")).is_some_and(|ready| ready.status == ConditionStatus::True);
        let at = heartbeat.filter(|_| is_ready)? + world.controller_settings().node_monitor_grace_period;
        return (at > world.now()).then_some(NodeNext::NotReady { at: at.0 });
    };
    let name = NodeName(node.metadata.name.clone());
    let stays = (world.objects().pods_on(&name))
        .filter(|pod| !pod.metadata.is_terminating() && !pod.is_terminal())
        .filter_map(|pod| stay(taints(), &pod.spec.tolerations));
    let (mut first, mut pods) = (None::<Span>, 0);
    for span in stays {
        pods += 1;
        first = Some(first.map_or(span, |known| known.min(span)));
    }
    first.map(|span| NodeNext::Evicts {
        at: tainted.0 - world.start().0 + span.0,
        pods,
    })
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
