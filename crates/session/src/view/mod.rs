//! The content of the page, derived from the world at the cursor. [`ViewState`] is updated from frame to frame: what
//! has not changed since the last frame is neither rebuilt nor sent again.

mod detail;
mod devices;
mod differences;
mod groups;
mod marks;
mod nodes;
mod pods;
mod queue;
mod remedies;
mod requests;
mod spread;
mod thread;
mod traffic;

use podscope_api::ordered;
use podscope_api::ordered::StableSort as _;
use podscope_api::{ObjectKey, Uid};
use podscope_cluster::{Actor, Invariant, SimTime, Violation};

pub(crate) use detail::detail;
pub(crate) use marks::Marks;
pub(crate) use queue::missing_objects_view;
pub(crate) use remedies::{PodCreator, command_for_change, remedy};
pub(crate) use requests::service_requests;
pub(crate) use spread::SpreadRow;
pub(crate) use thread::ThreadTracker;
pub(crate) use traffic::TrafficCursor;

use groups::{GroupChange, LabelGroups};

use crate::timeline::Session;
use podscope_protocol::{
    BranchView, BrokenInvariant, Component, ComponentState, ComponentView, ControlPlaneView, Frame, Guarantee, Mark,
    NodeDevices, OwnerView, StoryState,
};

/// The content of the page in the last frame.
///
/// Invariant: incremental updates lead to the same content as a new `ViewState` at the same cursor.
#[derive(Debug, Clone, Default)]
pub(crate) struct ViewState {
    is_drawn: bool,
    machines: nodes::Machines,
    nodes: nodes::Nodes,
    pods: pods::Pods,
    groups: LabelGroups,
    control_plane: ControlPlaneView,
    owners: Vec<OwnerView>,
    devices: Vec<NodeDevices>,
    branches: Vec<BranchView>,
    story: StoryState,
}

impl ViewState {
    /// Updates the content of the page to the cursor, and returns the changes since the last frame. The first frame
    /// contains everything. `owners` contains the colour of each owner, which stays the same for the whole session.
    pub(crate) fn update(
        &mut self,
        session: &Session,
        group_by: &str,
        owners: &mut Owners,
        story: StoryState,
    ) -> Frame {
        let world = session.world();
        let reset = !std::mem::replace(&mut self.is_drawn, true);
        let mut frame = Frame {
            reset,
            title: reset.then(|| session.loaded().title()),
            ..Frame::default()
        };
        let machines = nodes::Machines::of(world);
        let last_machines = std::mem::take(&mut self.machines);
        let mut changed_nodes = ordered::Set::new();
        pods::update(
            &mut self.pods,
            session,
            &machines,
            &last_machines,
            owners,
            &mut changed_nodes,
            &mut frame,
        );
        let have_nodes_changed = nodes::update(&mut self.nodes, world, &machines, owners, &changed_nodes, &mut frame);
        self.machines = machines;
        let group_change = (self.groups).update(&self.nodes, &mut self.pods.entries, group_by, have_nodes_changed);
        match group_change {
            change if reset || matches!(change, GroupChange::All) => frame.groups = Some(self.groups.views.clone()),
            GroupChange::Counts => {
                frame.counts = Some(self.groups.views.iter().map(|group| group.counts.clone()).collect());
            }
            GroupChange::All | GroupChange::Unchanged => {}
        }
        frame.control_plane = replace_if_changed(&mut self.control_plane, control_plane(session), reset);
        let devices = devices::devices(world);
        // A frame of a cluster without devices contains no devices.
        let has_devices = !devices.is_empty() || !self.devices.is_empty();
        frame.devices = replace_if_changed(&mut self.devices, devices, reset && has_devices);
        frame.branches = replace_if_changed(&mut self.branches, branches(session), reset);
        frame.story = replace_if_changed(&mut self.story, story, reset);
        if reset || self.owners != owners.views {
            self.owners.clone_from(&owners.views);
            frame.owners = Some(owners.views.clone());
        }
        frame
    }
}

/// Replaces the known value by a new one. Returns the new value if it differs or if `reset` is set.
fn replace_if_changed<T: Clone + PartialEq>(known: &mut T, new: T, reset: bool) -> Option<T> {
    let changed = (reset || *known != new).then(|| new.clone());
    *known = new;
    changed
}

/// Owners of pods in the order in which they appeared. Each owner has a fixed colour.
#[derive(Debug, Clone, Default)]
pub(crate) struct Owners {
    views: Vec<OwnerView>,
    /// For each pod by UID, the index of its owner. Entries are never removed, so that ghosts (deleted pods whose
    /// processes still run) keep the colour of their owner.
    pods: ordered::Map<Uid, usize>,
}

impl Owners {
    pub(crate) fn views(&self) -> &[OwnerView] {
        &self.views
    }

    pub(crate) fn add_pod(&mut self, owner_id: &str, owner_name: &str, pod: &Uid) {
        if self.pods.contains_key(pod) {
            return;
        }
        let at = self
            .views
            .iter()
            .position(|owner| owner.id == owner_id)
            .unwrap_or_else(|| {
                let hue = (self.views.len() % 12) as u8;
                self.views.push(OwnerView {
                    id: owner_id.to_owned(),
                    name: owner_name.to_owned(),
                    hue,
                });
                self.views.len() - 1
            });
        self.pods.insert(pod.clone(), at);
    }

    pub(crate) fn owner_of_uid(&self, uid: &Uid) -> String {
        self.pods
            .get(uid)
            .and_then(|at| self.views.get(*at))
            .map_or_else(String::new, |owner| owner.id.clone())
    }
}

fn control_plane(session: &Session) -> ControlPlaneView {
    let world = session.world();
    let (api, etcd) = world.api_server_runs_and_reaches_etcd();
    let state_of = |is_up: bool, down: ComponentState| if is_up { ComponentState::Up } else { down };
    let mut components = vec![
        ComponentView {
            component: Component::ApiServer,
            state: state_of(api, ComponentState::Down),
        },
        ComponentView {
            component: Component::Etcd,
            state: state_of(etcd, ComponentState::Unreachable),
        },
    ];
    for process in world.control_plane_processes() {
        let component = match process.actor {
            Actor::Scheduler(instance) => Component::Scheduler(instance),
            Actor::ControllerManager(instance) => Component::ControllerManager(instance),
            Actor::Attacher => Component::Attacher,
            Actor::Fencing => Component::Fencing,
            // The page does not show the cluster autoscaler itself, only its events and machines.
            Actor::ClusterAutoscaler
            | Actor::ApiServer
            | Actor::Kubelet(_)
            | Actor::Driver(_)
            | Actor::Client(_)
            | Actor::Machine(_)
            | Actor::World => continue,
        };
        let state = match (process.runs, process.leads) {
            (false, _) => ComponentState::Down,
            (true, true) => ComponentState::Leader,
            (true, false) => ComponentState::Standby,
        };
        components.push(ComponentView { component, state });
    }
    let mut broken: Vec<BrokenInvariant> = Vec::new();
    for record in session.violations() {
        let Some(violation) = record.violation() else { continue };
        if !broken.iter().any(|known| *known.name == *violation.invariant) {
            broken.push(broken_invariant(session, record.at, violation));
        }
    }
    ControlPlaneView { components, broken }
}

/// Converts the violation of an invariant for the page.
fn broken_invariant(session: &Session, at: SimTime, violation: &Violation) -> BrokenInvariant {
    let by = &violation.by;
    let command = by.command.and_then(|number| session.branch().command_time(number));
    BrokenInvariant {
        at: at.0,
        cause: violation.cause,
        by: by.who.clone(),
        seen: violation.seen.clone(),
        name: violation.invariant.to_string(),
        since: command.map(|(at, _)| at.0),
        is_last: command.is_some_and(|(_, is_last)| is_last),
    }
}

/// Parses the key of a pod: `namespace/name`, or a name in the namespace `default`.
pub(crate) fn pod_key(text: &str) -> ObjectKey {
    match text.split_once('/') {
        Some((namespace, name)) => ObjectKey::new(namespace, name),
        None => ObjectKey::new("default", text),
    }
}

/// Returns descriptions of all invariants, ordered by group.
pub(crate) fn guarantees() -> Vec<Guarantee> {
    let mut all: Vec<_> = podscope_cluster::INVARIANTS.iter().collect();
    all.stable_sort_by_key(|invariant| invariant.group);
    let guarantee = |invariant: &Invariant| Guarantee {
        name: invariant.name.to_owned(),
        group: invariant.group.title().english().to_owned(),
        is_safety: invariant.kind == podscope_cluster::InvariantKind::Safety,
        statement: invariant.statement.english().to_owned(),
        keeper: invariant.keeper.english().to_owned(),
        breaker: invariant.breaker.english().to_owned(),
        lesson: invariant.lesson.to_owned(),
    };
    all.into_iter().map(guarantee).collect()
}

fn branches(session: &Session) -> Vec<BranchView> {
    session
        .branches()
        .iter()
        .enumerate()
        .map(|(id, branch)| BranchView {
            id: id as u32,
            from: branch.from.0,
            parent: branch.parent.map(|parent| parent as u32),
            label: branch.label.clone(),
            current: id == session.current_branch_index(),
            is_touched: branch.commands().next().is_some(),
        })
        .collect()
}

/// Returns the marks that are new or changed since the last call, and the ids of removed marks.
pub(crate) fn new_marks(marks: &mut Marks, session: &Session) -> (Vec<Mark>, Vec<u64>) {
    marks.update(session.current_branch_index(), session.branch().trace())
}
