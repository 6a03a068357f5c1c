//! What the page draws, from the world at the cursor: the picture is built
//! whole, and only what differs from the last one is sent.

mod detail;
mod marks;
mod nodes;
mod pods;
mod words;

use podscope_api::ordered::BTreeMap;

pub(crate) use detail::detail;
pub(crate) use marks::Marks;

use crate::protocol::{
    BranchView, BrokenInvariant, ControlPlaneView, Frame, GroupView, Mark, NodeView, OwnerView, PodView, StoryState,
};
use crate::timeline::{GoalState, Session};

/// The key nodes are grouped by unless the page says otherwise.
pub(crate) const ZONE: &str = "topology.kubernetes.io/zone";

/// Everything that is drawn.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Picture {
    title: String,
    groups: Vec<GroupView>,
    nodes: BTreeMap<String, NodeView>,
    pods: BTreeMap<String, PodView>,
    control_plane: ControlPlaneView,
    owners: Vec<OwnerView>,
    branches: Vec<BranchView>,
    story: StoryState,
}

impl Picture {
    /// The picture at the cursor. `owners` keeps each owner's colour for the session.
    pub(crate) fn of(session: &Session, group_by: &str, owners: &mut Owners, step: Option<usize>) -> Picture {
        let machines = nodes::Machines::of(session.world());
        let pods = pods::views(session, &machines, owners);
        let nodes = nodes::views(session.world(), &machines);
        let groups = nodes::groups(session.world(), &nodes, &pods, group_by);
        Picture {
            title: session.loaded().title(),
            groups,
            nodes,
            pods,
            control_plane: control_plane(session),
            owners: owners.views.clone(),
            branches: branches(session),
            story: story(session, step),
        }
    }

    /// What differs from an earlier picture; everything without one.
    pub(crate) fn delta(&self, last: Option<&Picture>) -> Frame {
        let empty = Picture::default();
        let reset = last.is_none();
        let last = last.unwrap_or(&empty);
        let changed = |same: bool| reset || !same;
        Frame {
            reset,
            title: reset.then(|| self.title.clone()),
            groups: changed(self.groups == last.groups).then(|| self.groups.clone()),
            nodes: self
                .nodes
                .iter()
                .filter(|(name, node)| last.nodes.get(*name) != Some(node))
                .map(|(_, node)| node.clone())
                .collect(),
            nodes_gone: last
                .nodes
                .keys()
                .filter(|name| !self.nodes.contains_key(*name))
                .cloned()
                .collect(),
            pods: self
                .pods
                .iter()
                .filter(|(id, pod)| last.pods.get(*id) != Some(pod))
                .map(|(_, pod)| pod.clone())
                .collect(),
            pods_gone: last
                .pods
                .keys()
                .filter(|id| !self.pods.contains_key(*id))
                .cloned()
                .collect(),
            control_plane: changed(self.control_plane == last.control_plane).then(|| self.control_plane.clone()),
            owners: changed(self.owners == last.owners).then(|| self.owners.clone()),
            branches: changed(self.branches == last.branches).then(|| self.branches.clone()),
            story: changed(self.story == last.story).then(|| self.story.clone()),
            ..Frame::default()
        }
    }
}

/// Owners of pods in order of appearance: each keeps its colour.
#[derive(Debug, Clone, Default)]
pub(crate) struct Owners {
    views: Vec<OwnerView>,
    /// Owner by the UID of a pod: ghosts keep their colour.
    pods: BTreeMap<String, usize>,
}

impl Owners {
    pub(crate) fn see(&mut self, id: &str, name: &str, uid: &str) {
        if self.pods.contains_key(uid) {
            return;
        }
        let at = self.views.iter().position(|owner| owner.id == id).unwrap_or_else(|| {
            let hue = (self.views.len() % 12) as u8;
            self.views.push(OwnerView {
                id: id.to_owned(),
                name: name.to_owned(),
                hue,
            });
            self.views.len() - 1
        });
        self.pods.insert(uid.to_owned(), at);
    }
    pub(crate) fn of_uid(&self, uid: &str) -> String {
        self.pods
            .get(uid)
            .and_then(|at| self.views.get(*at))
            .map_or_else(String::new, |owner| owner.id.clone())
    }
}

fn control_plane(session: &Session) -> ControlPlaneView {
    let world = session.world();
    let (api, etcd) = world.control_plane();
    let mut components = vec![
        ("apiserver".to_owned(), api, if api { "" } else { "down" }.to_owned()),
        (
            "etcd".to_owned(),
            etcd,
            if etcd { "" } else { "unreachable" }.to_owned(),
        ),
    ];
    for (name, is_up, leads) in world.control_plane_processes() {
        let word = match (is_up, leads) {
            (false, _) => "down",
            (true, true) => "leader",
            (true, false) => "standby",
        };
        components.push((name.to_string(), is_up, word.to_owned()));
    }
    let mut broken: Vec<BrokenInvariant> = Vec::new();
    for record in session.violations() {
        let field = |name: &str| crate::report::field(record, name);
        let name = field("invariant");
        if broken.iter().any(|known| known.name == name) {
            continue;
        }
        broken.push(BrokenInvariant {
            at: record.at.0,
            cause: field("cause"),
            by: field("by"),
            text: field("message"),
            name,
        });
    }
    ControlPlaneView { components, broken }
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
            current: id == session.current(),
        })
        .collect()
}

fn story(session: &Session, step: Option<usize>) -> StoryState {
    let progress = session.progress();
    let reached = progress.shown_step().unwrap_or(0);
    StoryState {
        step: step.unwrap_or(reached).min(reached),
        reached,
        goals: progress
            .goals()
            .iter()
            .map(|goal| match goal {
                GoalState::None => None,
                GoalState::Reached => Some(true),
                GoalState::Open | GoalState::Missed => Some(false),
            })
            .collect(),
    }
}

/// Marks that are new or changed since the last time.
pub(crate) fn new_marks(marks: &mut Marks, session: &Session) -> (Vec<Mark>, Vec<u64>) {
    marks.update(session.current(), session.branch().trace(), session.horizon())
}
