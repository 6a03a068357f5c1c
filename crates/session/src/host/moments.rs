//! The two small pictures of a lesson's end: the run before and after its key moment, drawn from its own states.

use podscope_cluster::SimTime;
use podscope_protocol::{Moment, MomentNode, MomentPod, NodeTrouble, NodeView, PodMark, PodView, StoryState};

use super::Show;
use crate::timeline::{Session, Slice};
use crate::view::{Owners, Picture, ZONE};

/// Larger clusters are no small pictures.
const MOST_NODES: usize = 24;

/// The pictures of the run that finished last, kept as long as it is that one.
#[derive(Debug, Default)]
pub(super) struct Moments {
    of: Option<(usize, SimTime)>,
    drawn: Vec<Moment>,
}

impl Moments {
    /// The pictures of a finished story; none before its end.
    pub(super) fn of(&mut self, show: &Show) -> Vec<Moment> {
        let session = &show.session;
        let end = session.progress().story().finished().map(|at| (session.current(), at));
        if self.of != end {
            self.of = end;
            self.drawn = match end {
                Some((_, at)) if session.world().machines().count() <= MOST_NODES => {
                    key_moment(session, &show.owners, at)
                }
                _ => Vec::new(),
            };
        }
        self.drawn.clone()
    }
}

/// The run before and after its key moment: what was asked first, then what a step waited for, the last one first;
/// the first of them that can be seen.
fn key_moment(session: &Session, owners: &Owners, end: SimTime) -> Vec<Moment> {
    let shown = session.progress().story().shown();
    let asked = (shown.iter().rev()).filter_map(|step| Some((step.at, step.truth.as_ref()?.at)));
    let after = |at: usize| shown.get(at + 1).map_or(end, |next| next.at);
    let steps = (0..shown.len()).rev().map(|at| (shown[at].at, after(at)));
    let whole = shown.first().map(|first| (first.at, end));
    for (before, after) in asked.chain(steps).chain(whole) {
        let pair = [before, after].map(|at| moment(session, owners, at));
        let [a, b] = &pair;
        if (&a.groups, &a.pending) != (&b.groups, &b.pending) {
            return pair.into();
        }
    }
    whole.map_or_else(Vec::new, |(a, b)| {
        vec![moment(session, owners, a), moment(session, owners, b)]
    })
}

fn moment(session: &Session, owners: &Owners, at: SimTime) -> Moment {
    let mut then = session.clone();
    then.seek(at);
    while then.advance(at, u64::MAX) == Slice::More {}
    let mut owners = owners.clone();
    let frame = Picture::default().follow(&then, ZONE, &mut owners, StoryState::default());
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
    let on = |name: &str| -> Vec<MomentPod> {
        let all = frame.pods.iter().filter(|one| one.node == name);
        all.map(|one| pod(one)).collect()
    };
    let groups = frame.groups.unwrap_or_default();
    Moment {
        at: at.0,
        groups: (groups.into_iter())
            .map(|group| {
                let nodes = group
                    .nodes
                    .iter()
                    .filter_map(|name| frame.nodes.iter().find(|node| node.name == *name));
                let nodes = nodes.map(|node| MomentNode {
                    name: node.name.clone(),
                    trouble: trouble(node),
                    pods: on(&node.name),
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

fn trouble(node: &NodeView) -> Option<NodeTrouble> {
    match node.registered {
        true => node.trouble(),
        false => Some(NodeTrouble::NoObject),
    }
}
