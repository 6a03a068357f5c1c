//! The two small pictures of the cluster at the end of a lesson: before and after the lesson's key moment.

use podscope_api::well_known::label;
use podscope_cluster::SimTime;
use podscope_protocol::{MomentNode, MomentPicture, MomentPod, NodeTrouble, NodeView, PodMark, PodView, StoryState};

use super::PageSession;
use crate::timeline::{Session, Slice};
use crate::view::{Owners, ViewState};

/// Maximum number of nodes of a cluster that is shown in the pictures at the end of a lesson. A larger cluster gets no
/// pictures.
const MAX_PICTURED_NODES: usize = 24;

/// The two pictures at the end of a lesson, cached until another run finishes the lesson.
#[derive(Debug, Default)]
pub(super) struct KeyMomentPictures {
    finished: Option<(usize, SimTime)>,
    pictures: Vec<MomentPicture>,
}

impl KeyMomentPictures {
    /// Returns the pictures of a finished lesson. Empty while the lesson is unfinished.
    pub(super) fn pictures(&mut self, active: &PageSession) -> Vec<MomentPicture> {
        let session = &active.session;
        let end = session
            .progress()
            .story()
            .finished()
            .map(|at| (session.current_branch_index(), at));
        if self.finished != end {
            self.finished = end;
            self.pictures = match end {
                Some((_, at)) if session.world().machines().count() <= MAX_PICTURED_NODES => {
                    pictures_of_key_moment(session, &active.owners, at)
                }
                _ => Vec::new(),
            };
        }
        self.pictures.clone()
    }
}

/// Returns the states of the cluster before and after the key moment of a lesson: the first of the following pairs of
/// times whose states differ visibly. First, for each question, the time of the question and the end of the story, so
/// that the second picture includes the effect of later tasks; then the time of each question and that of its answer;
/// then the start and the end of each step; then the start and the end of the run. Later questions and steps are tried
/// first.
fn pictures_of_key_moment(session: &Session, owners: &Owners, end: SimTime) -> Vec<MomentPicture> {
    let shown = session.progress().story().shown();
    let asked = (shown.iter().rev()).filter_map(|step| Some((step.at, step.truth.as_ref()?.at)));
    let to_end = asked.clone().map(|(at, _)| (at, end));
    let after = |at: usize| shown.get(at + 1).map_or(end, |next| next.at);
    let steps = (0..shown.len()).rev().map(|at| (shown[at].at, after(at)));
    let whole = shown.first().map(|first| (first.at, end));
    for (before, after) in to_end.chain(asked).chain(steps).chain(whole) {
        let pair = [before, after].map(|at| picture_at(session, owners, at));
        let [a, b] = &pair;
        if (&a.groups, &a.pending) != (&b.groups, &b.pending) {
            return pair.into();
        }
    }
    whole.map_or_else(Vec::new, |(a, b)| {
        vec![picture_at(session, owners, a), picture_at(session, owners, b)]
    })
}

fn picture_at(session: &Session, owners: &Owners, at: SimTime) -> MomentPicture {
    let mut replay = session.clone();
    replay.seek(at);
    while replay.advance(at, u64::MAX) == Slice::More {}
    let mut owners = owners.clone();
    let frame = ViewState::default().update(&replay, label::ZONE, &mut owners, StoryState::default());
    let hue = |owner: &str| {
        owners
            .views()
            .iter()
            .find(|known| known.id == owner)
            .map(|known| known.hue)
    };
    let pod = |pod: &PodView| MomentPod {
        short: pod.short.clone(),
        key: pod.key.clone(),
        hue: hue(&pod.owner),
        mark: pod.mark,
    };
    let pods_on = |name: &str| -> Vec<MomentPod> {
        let all = frame.pods.iter().filter(|one| one.node == name);
        all.map(|one| pod(one)).collect()
    };
    let groups = frame.groups.unwrap_or_default();
    MomentPicture {
        at: at.0,
        groups: (groups.into_iter())
            .map(|group| {
                let nodes = group
                    .nodes
                    .iter()
                    .filter_map(|name| frame.nodes.iter().find(|node| node.name == *name));
                let nodes = nodes.map(|node| MomentNode {
                    name: node.name.clone(),
                    trouble: node_trouble(node),
                    pods: pods_on(&node.name),
                });
                (group.name, nodes.collect())
            })
            .collect(),
        pending: (frame.pods.iter())
            .filter(|one| one.node.is_empty() && one.mark != PodMark::Ghost)
            .map(|one| pod(one))
            .collect(),
    }
}

fn node_trouble(node: &NodeView) -> Option<NodeTrouble> {
    match node.registered {
        true => node.trouble(),
        false => Some(NodeTrouble::NoObject),
    }
}
