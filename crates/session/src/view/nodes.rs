//! Nodes and the machines under them, and where the two differ (U-02).

use podscope_api::ordered::InOrder as _;
use podscope_api::ordered::{BTreeMap, BTreeSet};

use podscope_api::{ConditionStatus, Node, NodeName, Pod, UnsatisfiableAction};
use podscope_cluster::machine::ProcessView;
use podscope_cluster::{Place, World};

use crate::protocol::{GroupView, MachineView, NodeView, PodMark, PodView, SpreadCount};

/// What is known of one machine.
#[derive(Debug, Clone, Default)]
pub(crate) struct MachineState {
    pub(crate) powered: bool,
    pub(crate) kubelet: bool,
    pub(crate) runtime: bool,
    pub(crate) storage_refused: bool,
    pub(crate) cuts: Vec<String>,
    /// The API server does not hear from its kubelet.
    pub(crate) is_dark: bool,
    pub(crate) processes: Vec<ProcessView>,
}

/// All machines at an instant.
#[derive(Debug, Clone, Default)]
pub(crate) struct Machines(pub(crate) BTreeMap<NodeName, MachineState>);

impl Machines {
    pub(crate) fn of(world: &World) -> Machines {
        let kubelets: BTreeSet<&NodeName> = world.kubelets().map(|(name, _)| name).collect();
        let network = world.network();
        let names: Vec<&NodeName> = world.machines().map(|(name, _)| name).collect();
        let cut = network.cut_nodes();
        let mut machines = BTreeMap::new();
        for (name, machine) in world.machines() {
            let mut words = Vec::new();
            let mut is_cut = false;
            if !cut.is_empty() {
                let here = Place::Node(name.clone());
                // What is lost: (to the node, from the node).
                let lost = |other: &Place| (!network.is_open(other, &here), !network.is_open(&here, other));
                let mut say = |place: &str, cut: (bool, bool)| match cut {
                    (false, false) => {}
                    (true, true) => words.push(place.to_owned()),
                    (true, false) => words.push(format!("{place} in")),
                    (false, true) => words.push(format!("{place} out")),
                };
                let control_plane = lost(&Place::ControlPlane);
                is_cut = control_plane != (false, false);
                say("control-plane", control_plane);
                say("storage", lost(&Place::Storage));
                if cut.contains(name) {
                    let others: Vec<(&NodeName, (bool, bool))> = names
                        .iter()
                        .filter(|other| **other != name)
                        .map(|other| (*other, lost(&Place::Node((*other).clone()))))
                        .collect();
                    match others.first() {
                        Some((_, first)) if others.iter().all(|(_, cut)| cut == first) => say("nodes", *first),
                        _ => others.iter().for_each(|(other, cut)| say(other, *cut)),
                    }
                }
            }
            let kubelet = kubelets.contains(name);
            machines.insert(
                name.clone(),
                MachineState {
                    powered: machine.is_on(),
                    kubelet,
                    runtime: machine.is_runtime_up(),
                    storage_refused: machine.is_storage_refused(),
                    cuts: words,
                    is_dark: is_cut || !kubelet || !machine.is_on(),
                    processes: machine.processes(),
                },
            );
        }
        Machines(machines)
    }
    pub(crate) fn get(&self, node: &str) -> Option<&MachineState> {
        self.0.get(node)
    }
}

/// All nodes, and machines without a Node object.
pub(crate) fn views(world: &World, machines: &Machines) -> BTreeMap<String, NodeView> {
    let mut views = BTreeMap::new();
    let objects = world.objects();
    let names: BTreeSet<NodeName> = objects
        .list::<Node>()
        .map(|node| NodeName(node.metadata.name.clone()))
        .chain(machines.0.keys().cloned())
        .collect();
    for name in names {
        let node = objects.named::<Node>(&name);
        let mut view = NodeView {
            name: name.to_string(),
            registered: node.is_some(),
            ready: "Unknown".into(),
            ..NodeView::default()
        };
        if let Some(node) = node {
            view.zone = node.metadata.label(super::ZONE).unwrap_or_default().to_owned();
            if let Some(ready) = node.condition("Ready") {
                view.ready = ready.status.as_str().to_owned();
                if ready.status != ConditionStatus::True {
                    view.ready_reason = ready.reason.to_string();
                }
            }
            view.cordoned = node.is_unschedulable();
            view.taints = node
                .spec
                .taints
                .iter()
                .map(|taint| {
                    let value = if taint.value.is_empty() {
                        String::new()
                    } else {
                        format!("={}", taint.value)
                    };
                    format!("{}{value}:{}", taint.key, taint.effect)
                })
                .collect();
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
            for pod in objects.pods_on(&name).filter(|pod| !pod.is_terminal()) {
                let (milli, bytes) = requests(pod);
                cpu += milli;
                memory += bytes;
                pods += 1;
            }
            view.cpu = (cpu, allocatable("cpu").map_or(0, |quantity| quantity.milli_value()));
            view.memory = (memory, allocatable("memory").map_or(0, |quantity| quantity.value()));
            view.pods = (pods, allocatable("pods").map_or(0, |quantity| quantity.value()));
        }
        let heartbeat = world.heartbeats().last_renewal(&name, world.now());
        view.machine = match machines.get(&name) {
            Some(state) => MachineView {
                exists: true,
                powered: state.powered,
                kubelet: state.kubelet,
                runtime: state.runtime,
                cuts: state.cuts.clone(),
                fenced: if state.storage_refused {
                    vec!["storage".to_owned()]
                } else {
                    Vec::new()
                },
                last_heartbeat: heartbeat.map_or(0, |at| at.0),
                differs: super::words::differs(world, &name, state, heartbeat),
            },
            None => MachineView {
                last_heartbeat: heartbeat.map_or(0, |at| at.0),
                differs: vec![format!("{name}: there is a Node object, but no machine.")],
                ..MachineView::default()
            },
        };
        views.insert(name.to_string(), view);
    }
    views
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

/// Nodes by the value of a label, with the pods of each owner in each group (U-11).
pub(crate) fn groups(
    world: &World,
    nodes: &BTreeMap<String, NodeView>,
    pods: &BTreeMap<String, PodView>,
    key: &str,
) -> Vec<GroupView> {
    let mut groups: BTreeMap<String, GroupView> = BTreeMap::new();
    let mut group_of: BTreeMap<&str, String> = BTreeMap::new();
    for (name, node) in nodes {
        let value = node.labels.get(key).cloned().unwrap_or_default();
        let group = groups.entry(value.clone()).or_insert_with(|| GroupView {
            name: value.clone(),
            ..GroupView::default()
        });
        group.nodes.push(name.clone());
        group_of.insert(name, value);
    }
    // Owners that spread over this key, with the skew they allow.
    let mut skews: BTreeMap<String, Option<u32>> = BTreeMap::new();
    for pod in world.objects().list::<Pod>() {
        let constraint = pod
            .spec
            .topology_spread_constraints
            .iter()
            .find(|constraint| &*constraint.topology_key == key);
        if let Some(constraint) = constraint {
            let hard = constraint.when_unsatisfiable == Some(UnsatisfiableAction::DoNotSchedule);
            let owner = super::pods::owner_of(world, pod).0;
            let skew = hard.then_some(u32::try_from(constraint.max_skew).unwrap_or(0));
            skews.entry(owner).or_insert(skew);
        }
    }
    let mut counts: BTreeMap<(String, String), (u32, u32)> = BTreeMap::new();
    for pod in pods
        .values()
        .filter(|pod| !pod.node.is_empty() && !pod.owner.is_empty())
    {
        let Some(group) = group_of.get(pod.node.as_str()) else {
            continue;
        };
        let count = counts.entry((group.clone(), pod.owner.clone())).or_default();
        if pod.mark == PodMark::Ghost {
            count.1 += 1;
        } else if pod.termination.is_none()
            && !matches!(pod.mark, PodMark::Succeeded | PodMark::Failed | PodMark::Terminating)
        {
            count.0 += 1;
        }
    }
    let owners: BTreeSet<String> = counts
        .keys()
        .map(|(_, owner)| owner.clone())
        .chain(skews.keys().cloned())
        .filter(|owner| !owner.is_empty())
        .collect();
    for (name, group) in &mut groups {
        group.counts = owners
            .iter()
            .map(|owner| {
                let (pods, ghosts) = counts.get(&(name.clone(), owner.clone())).copied().unwrap_or_default();
                SpreadCount {
                    owner: owner.clone(),
                    pods,
                    ghosts,
                    max_skew: skews.get(owner).copied().flatten(),
                }
            })
            .filter(|count| count.pods > 0 || count.ghosts > 0 || skews.contains_key(&count.owner))
            .collect();
    }
    // Nodes without the key stand apart, at the end.
    let mut list: Vec<GroupView> = groups.into_values().collect();
    list.in_order_by_key(|group| group.name.is_empty());
    list
}
