//! The view model, built from the engine's frames. Large parts are persistent maps, so that each render can keep its
//! own snapshot. A node's allocation is replaced only when its content changes.

use podscope_api::ordered;
use podscope_api::ordered::StableSort as _;
use podscope_api::well_known::label;
use std::sync::Arc;

use podscope_protocol::{
    BranchView, CausalThread, ControlPlaneView, DeviceView, Director, Frame, GroupView, Mark, MarkLabel, Micros,
    NodeView, OwnerView, PodMark, PodView, ServiceRequests, SpreadLane, StoryState, Traffic,
};
use rpds::RedBlackTreeMap;

use super::shared::Shared;

/// A node with its pods.
#[derive(Debug, Clone, Default)]
pub(crate) struct NodeState {
    pub(crate) view: NodeView,
    /// Pods and ghosts on the node, by key and id.
    pub(crate) pods: Vec<Shared<PodView>>,
    /// Pods nominated to the node.
    pub(crate) nominated: Vec<Shared<PodView>>,
}

impl NodeState {
    /// Returns whether the node's card shows a countdown or an age. Only such nodes are redrawn as time passes.
    pub(crate) fn changes_with_time(&self) -> bool {
        self.view.machine.last_heartbeat.is_some()
            || self
                .pods
                .iter()
                .any(|pod| pod.termination.is_some() || pod.countdown.is_some())
    }
}

/// The state of one run as the page knows it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Model {
    pub(crate) title: String,
    pub(crate) now: Micros,
    pub(crate) horizon: Micros,
    pub(crate) playing: bool,
    pub(crate) speed: u64,
    pub(crate) achieved: u64,
    pub(crate) groups: Shared<Vec<GroupView>>,
    /// Label keys by which nodes can be grouped, besides the zone.
    pub(crate) keys: Shared<Vec<String>>,
    pub(crate) nodes: RedBlackTreeMap<String, Shared<NodeState>>,
    pub(crate) pods: RedBlackTreeMap<String, Shared<PodView>>,
    /// Number of ready pods.
    pub(crate) ready: usize,
    /// Number of processes whose pod the API server has forgotten.
    pub(crate) ghosts: usize,
    /// Unbound pods: highest priority first, then by key.
    pub(crate) pending: Shared<Vec<Shared<PodView>>>,
    pub(crate) plane: Shared<ControlPlaneView>,
    /// Owners of pods by id; each has a colour of the palette.
    pub(crate) owners: Shared<ordered::Map<String, OwnerView>>,
    pub(crate) marks: RedBlackTreeMap<u64, Shared<Mark>>,
    /// Revision of the marks on the timeline (`marks`), incremented with each change.
    pub(crate) marks_rev: u64,
    pub(crate) branches: Shared<Vec<BranchView>>,
    pub(crate) story: Shared<StoryState>,
    /// The topology spread of the selection; without domains if the selection has no spread constraint.
    pub(crate) spread: Shared<SpreadLane>,
    /// The chain of causes of the selection; without records if nothing is selected.
    pub(crate) thread: Shared<CausalThread>,
    /// Upcoming events, the current fast run, and the result of the last one.
    pub(crate) director: Shared<Director>,
    /// Ids of pods that arrived on a node in the last frame.
    pub(crate) moved: Shared<Vec<String>>,
    /// Messages sent since the previous frame.
    pub(crate) sent: Shared<Traffic>,
    /// Requests of clients by Service.
    pub(crate) requests: Shared<Vec<ServiceRequests>>,
    /// Devices by node.
    pub(crate) devices: Shared<ordered::Map<String, Vec<DeviceView>>>,
}

impl Model {
    /// Applies a frame.
    pub(crate) fn apply(&mut self, mut frame: Frame) {
        if frame.reset {
            *self = Model {
                owners: self.owners.clone(),
                marks_rev: self.marks_rev + 1,
                ..Model::default()
            };
        }
        if let Some(groups) = frame.take_groups(&self.groups) {
            self.groups = Shared::new(groups);
        }
        if let Some(title) = frame.title {
            self.title = title;
        }
        self.now = frame.now;
        self.horizon = frame.horizon;
        self.playing = frame.playing;
        self.speed = frame.speed_per_mille;
        self.achieved = frame.achieved_per_mille;
        if let Some(plane) = frame.control_plane {
            self.plane = Shared::new(plane);
        }
        if let Some(owners) = frame.owners {
            self.owners = Shared::new(owners.into_iter().map(|owner| (owner.id.clone(), owner)).collect());
        }
        if let Some(branches) = frame.branches {
            self.branches = Shared::new(branches);
        }
        if let Some(story) = frame.story {
            self.story = Shared::new(story);
        }
        if let Some(director) = frame.director {
            self.director = Shared::new(director);
        }
        if let Some(spread) = frame.spread {
            self.spread = Shared::new(spread);
        }
        if let Some(thread) = frame.thread {
            self.thread = Shared::new(thread);
        }
        if !frame.traffic.is_empty() || !self.sent.is_empty() {
            self.sent = Shared::new(frame.traffic);
        }
        if let Some(requests) = frame.requests {
            self.requests = Shared::new(requests);
        }
        if let Some(devices) = frame.devices {
            self.devices = Shared::new(devices.into_iter().map(|one| (one.node, one.devices)).collect());
        }
        self.marks_rev += u64::from(!frame.marks.is_empty() || !frame.marks_gone.is_empty());
        for id in frame.marks_gone {
            self.marks.remove_mut(&id);
        }
        for mark in frame.marks {
            self.marks.insert_mut(mark.id, Shared::new(mark));
        }
        self.apply_nodes(
            frame.nodes,
            &frame.nodes_gone,
            frame.pods,
            &frame.pods_gone,
            frame.reset,
        );
    }

    fn apply_nodes(
        &mut self,
        nodes: Vec<NodeView>,
        nodes_gone: &[String],
        pods: Vec<Arc<PodView>>,
        pods_gone: &[String],
        reset: bool,
    ) {
        let mut drafts: ordered::Map<String, NodeState> = ordered::Map::new();
        let mut moved = Vec::new();
        let mut pending: Vec<Shared<PodView>> = self.pending.to_vec();
        let before = pending.len();
        let mut labels_changed = !nodes_gone.is_empty();
        for view in nodes {
            let name = view.name.clone();
            labels_changed |= self.nodes.get(&name).is_none_or(|node| node.view.labels != view.labels);
            self.draft_node(&mut drafts, &name).view = view;
        }
        let mut gone: ordered::Set<&str> = pods_gone.iter().map(String::as_str).collect();
        let changed: Vec<Shared<PodView>> = pods
            .into_iter()
            .map(|pod| Shared::new(Arc::unwrap_or_clone(pod)))
            .collect();
        gone.extend(changed.iter().map(|pod| pod.id.as_str()));
        for id in gone {
            let Some(old) = self.pods.get(id).cloned() else {
                continue;
            };
            self.remove_pod(&mut drafts, &old);
            if old.node.is_empty() {
                pending.retain(|pod| pod.id != id);
            }
        }
        let mut pending_changed = pending.len() != before;
        for id in pods_gone {
            self.pods.remove_mut(id);
        }
        for pod in changed {
            // A pod that appears together with its node also counts as arrived.
            let has_arrived = (self.pods.get(&pod.id)).map_or(!pod.node.is_empty(), |old| old.node != pod.node);
            if !reset && has_arrived {
                moved.push(pod.id.clone());
            }
            if !pod.node.is_empty() {
                let list = &mut self.draft_node(&mut drafts, &pod.node).pods;
                let at = list.partition_point(|other| (&other.key, &other.id) < (&pod.key, &pod.id));
                list.insert(at, pod.clone());
            }
            if !pod.nominated.is_empty() && pod.node.is_empty() {
                self.draft_node(&mut drafts, &pod.nominated).nominated.push(pod.clone());
            }
            self.ready += usize::from(pod.mark == PodMark::Ready);
            self.ghosts += usize::from(pod.mark == PodMark::Ghost);
            if pod.node.is_empty() && pod.mark == PodMark::Pending {
                pending.push(pod.clone());
                pending_changed = true;
            }
            self.pods.insert_mut(pod.id.clone(), pod);
        }
        for (name, state) in drafts {
            self.nodes.insert_mut(name, Shared::new(state));
        }
        for name in nodes_gone {
            self.nodes.remove_mut(name);
        }
        if labels_changed {
            self.keys = Shared::new(label_keys(self.nodes.values().map(|node| &node.view)));
        }
        if pending_changed {
            pending.stable_sort_by(|a, b| b.priority.cmp(&a.priority).then_with(|| a.key.cmp(&b.key)));
            self.pending = Shared::new(pending);
        }
        if !moved.is_empty() || !self.moved.is_empty() {
            self.moved = Shared::new(moved);
        }
    }

    /// Removes a pod from the nodes where it runs or is nominated, and from the counts.
    fn remove_pod(&mut self, drafts: &mut ordered::Map<String, NodeState>, old: &PodView) {
        if !old.node.is_empty() {
            self.draft_node(drafts, &old.node).pods.retain(|pod| pod.id != old.id);
        }
        if !old.nominated.is_empty() {
            self.draft_node(drafts, &old.nominated)
                .nominated
                .retain(|pod| pod.id != old.id);
        }
        self.ready -= usize::from(old.mark == PodMark::Ready);
        self.ghosts -= usize::from(old.mark == PodMark::Ghost);
    }

    fn draft_node<'a>(&self, drafts: &'a mut ordered::Map<String, NodeState>, name: &str) -> &'a mut NodeState {
        drafts
            .entry(name.to_string())
            .or_insert_with(|| match self.nodes.get(name) {
                Some(state) => (**state).clone(),
                // A pod may arrive before its node.
                None => NodeState {
                    view: NodeView {
                        name: name.to_string(),
                        ..NodeView::default()
                    },
                    ..NodeState::default()
                },
            })
    }

    /// Returns the pod of a subject: the one with this UID, or without a UID the one that the API server knows.
    pub(crate) fn pod(&self, key: &str, uid: &str) -> Option<&Shared<PodView>> {
        let fits = |pod: &&Shared<PodView>| pod.key == key && (uid.is_empty() || pod.uid() == uid);
        if let Some(pod) = self.pods.get(uid) {
            return Some(pod);
        }
        let mut ghost = None;
        for pod in self.pods.values().filter(fits) {
            if pod.mark != PodMark::Ghost {
                return Some(pod);
            }
            ghost = Some(pod);
        }
        ghost
    }

    /// Returns the palette index of a pod's owner.
    pub(crate) fn hue(&self, owner: &str) -> u8 {
        self.owners
            .get(owner)
            .map_or(OWNER_HUE_COUNT, |owner| owner.hue % OWNER_HUE_COUNT)
    }

    /// Returns broken guarantees that hold again, each with the instant of its repair.
    pub(crate) fn restored_guarantees(&self) -> Vec<(String, Micros)> {
        if self.plane.broken.is_empty() {
            return Vec::new();
        }
        let mut restored: ordered::Map<&str, Option<Micros>> = ordered::Map::new();
        for mark in self.marks.values().filter(|mark| mark.from <= self.now) {
            if let MarkLabel::Broken { invariant, .. } = &mark.label {
                let to = mark.to.filter(|to| *to > mark.from && *to <= self.now);
                let restored_at = restored.entry(invariant).or_insert(Some(0));
                *restored_at = restored_at.zip(to).map(|(one, other)| one.max(other));
            }
        }
        let of = |name: &str| restored.get(name).copied().flatten();
        let all = self.plane.broken.iter();
        all.filter_map(|broken| Some((broken.name.clone(), of(&broken.name)?)))
            .collect()
    }

    /// Returns the nodes with at least one cut link.
    pub(crate) fn cut_nodes(&self) -> impl Iterator<Item = &NodeView> {
        let nodes = self.nodes.values().map(|node| &node.view);
        nodes.filter(|node| !node.machine.cuts.is_empty())
    }

    /// Returns the nodes that no group lists: machines without a Node object.
    pub(crate) fn nodes_without_object(&self) -> Vec<Shared<NodeState>> {
        if self.groups.iter().map(|group| group.nodes.len()).sum::<usize>() == self.nodes.size() {
            return Vec::new();
        }
        let grouped: ordered::Set<&str> = self
            .groups
            .iter()
            .flat_map(|group| group.nodes.iter().map(String::as_str))
            .collect();
        self.nodes
            .values()
            .filter(|node| !grouped.contains(node.view.name.as_str()))
            .cloned()
            .collect()
    }
}

fn label_keys<'a>(nodes: impl Iterator<Item = &'a NodeView>) -> Vec<String> {
    let keys: ordered::Set<&str> = (nodes.take(400))
        .flat_map(|node| node.labels.keys().map(String::as_str))
        .filter(|key| *key != label::HOSTNAME && *key != label::ZONE)
        .collect();
    keys.into_iter().take(40).map(str::to_string).collect()
}

/// Number of owner colours in the palette.
pub(crate) const OWNER_HUE_COUNT: u8 = 8;

#[cfg(test)]
mod tests {
    use super::*;

    fn pod(id: &str, node: &str) -> PodView {
        PodView {
            id: id.into(),
            key: format!("default/{id}"),
            node: node.into(),
            mark: if node.is_empty() {
                PodMark::Pending
            } else {
                PodMark::Ready
            },
            ..PodView::default()
        }
    }

    fn node(name: &str) -> NodeView {
        NodeView {
            name: name.into(),
            registered: true,
            ..NodeView::default()
        }
    }

    fn first_model() -> Model {
        let mut model = Model::default();
        model.apply(Frame {
            reset: true,
            nodes: vec![node("a-1"), node("b-1")],
            groups: Some(vec![GroupView {
                name: "a".into(),
                nodes: vec!["a-1".into()].into(),
                counts: vec![],
            }]),
            pods: [pod("w0", "a-1"), pod("w1", "b-1"), pod("p", "")].map(Arc::new).into(),
            ..Frame::default()
        });
        model
    }

    #[test]
    fn bound_pod_moves_from_pending_to_its_node() {
        let mut model = first_model();
        assert_eq!((model.pending.len(), model.ready, model.ghosts), (1, 2, 0));
        assert!(model.moved.is_empty(), "the first frame moves no pod");
        model.apply(Frame {
            pods: vec![pod("p", "b-1").into()],
            ..Frame::default()
        });
        assert!(model.pending.is_empty());
        assert_eq!((model.nodes["b-1"].pods.len(), model.ready), (2, 3));
        assert_eq!(*model.moved, ["p"]);
        model.apply(Frame {
            pods_gone: vec!["p".into()],
            ..Frame::default()
        });
        assert_eq!(model.nodes["b-1"].pods.len(), 1);
        assert!(model.moved.is_empty());
    }

    /// Memoised components compare nodes by identity, so an unchanged node must keep its allocation.
    #[test]
    fn unchanged_nodes_keep_their_identity() {
        let mut model = first_model();
        let before = model.nodes["a-1"].clone();
        model.apply(Frame {
            now: 5,
            pods: vec![pod("w1", "b-1").into()],
            ..Frame::default()
        });
        assert!(model.nodes["a-1"] == before);
        assert_eq!(model.nodes_without_object().len(), 1, "b-1 is in no group");
    }

    /// A ghost (a process whose pod the API server has forgotten) and the pod that replaced it under the same name are
    /// separate.
    /// Shows: U-02
    #[test]
    fn ghost_and_its_successor_are_separate_pods() {
        let mut model = first_model();
        let ghost = PodView {
            id: "old@b-1".into(),
            mark: PodMark::Ghost,
            ..pod("w0", "b-1")
        };
        model.apply(Frame {
            pods: vec![ghost.into()],
            ..Frame::default()
        });
        assert_eq!(model.pod("default/w0", "").map(|pod| pod.node.as_str()), Some("a-1"));
        assert_eq!(model.pod("default/w0", "old").map(|pod| pod.node.as_str()), Some("b-1"));
    }

    #[test]
    fn nominated_pod_is_listed_on_node_until_bound() {
        let mut model = first_model();
        model.apply(Frame {
            pods: vec![Arc::new(PodView {
                nominated: "a-1".into(),
                ..pod("p", "")
            })],
            ..Frame::default()
        });
        assert_eq!(model.nodes["a-1"].nominated.len(), 1);
        model.apply(Frame {
            pods: vec![pod("p", "a-1").into()],
            ..Frame::default()
        });
        assert!(model.nodes["a-1"].nominated.is_empty());
    }
}
