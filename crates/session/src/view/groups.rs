//! Nodes by the value of a label, and how the pods of each owner are spread over them (U-11).

use std::borrow::Cow;
use std::sync::Arc;

use podscope_api::ordered;
use podscope_api::ordered::StableSort as _;

use podscope_api::{Pod, TopologySpreadConstraint, UnsatisfiableAction};

use super::nodes::Nodes;
use super::pods::Seen;
use podscope_protocol::{GroupView, PodMark, PodView, SpreadCount};

/// What a pod adds to the counts: found once, because most pods stay as they are from frame to frame.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Share {
    /// Index of its node's group.
    group: Option<usize>,
    /// Whom it is counted with, if with anybody.
    owner: Option<usize>,
    /// Whether it is spread over the key, and the skew that it allows.
    skew: Option<Option<u32>>,
    /// Whether it counts: it has not ended and does not end.
    counts: bool,
}

/// The groups of a picture.
#[derive(Debug, Clone, Default)]
pub(crate) struct Groups {
    pub(crate) views: Vec<GroupView>,
    /// The key by which they are made.
    key: String,
    /// Everyone that pods were counted with, by name: an index.
    owners: ordered::Map<String, usize>,
}

/// What changed of the groups.
pub(crate) enum Regrouped {
    /// Other nodes, or another key: all of them.
    All,
    /// The same groups with other counts.
    Counts,
    Nothing,
}

/// The pods of one owner.
#[derive(Debug, Clone, Default)]
struct Spread {
    /// How many there are, whether they count or not.
    members: u32,
    skew: Option<Option<u32>>,
}

impl Groups {
    /// Groups the nodes by a key, unless they are grouped so already and none of them came, went or has another label;
    /// and counts the pods and ghosts of each owner in each group.
    pub(crate) fn follow(&mut self, nodes: &Nodes, pods: &mut [Seen], key: &str, are_others: bool) -> Regrouped {
        let is_other_key = self.key != key;
        let kept = !are_others && !is_other_key;
        if is_other_key {
            key.clone_into(&mut self.key);
            self.owners.clear();
        }
        let mut is_same = kept;
        if !kept {
            let views = by_label(nodes, key);
            is_same = !is_other_key && are_alike(&views, &self.views);
            if !is_same {
                pods.iter_mut().for_each(|seen| seen.share = None);
                self.views = views;
            }
        }
        debug_assert!(
            are_alike(&by_label(nodes, key), &self.views),
            "groups that are kept are those of the nodes"
        );
        for seen in pods.iter_mut().filter(|seen| seen.share.is_none()) {
            seen.share = Some(self.share(nodes, &seen.view, Some(&seen.pod)));
        }
        let haunting: Vec<Share> = (nodes.values().flat_map(|node| &node.ghosts))
            .map(|ghost| self.share(nodes, ghost, None))
            .collect();
        let groups = self.views.len();
        let mut spreads = vec![Spread::default(); self.owners.len()];
        let mut counts = vec![(0, 0); self.owners.len() * groups];
        let shares = pods.iter().filter_map(|seen| seen.share);
        for (share, is_ghost) in (shares.map(|share| (share, false))).chain(haunting.into_iter().map(|s| (s, true))) {
            let Some(owner) = share.owner else { continue };
            let spread = &mut spreads[owner];
            spread.members += 1;
            spread.skew = spread.skew.or(share.skew);
            let Some(group) = share.group else { continue };
            let count = &mut counts[owner * groups + group];
            count.0 += u32::from(share.counts);
            count.1 += u32::from(is_ghost);
        }
        let mut are_counts_same = true;
        for (at, view) in self.views.iter_mut().enumerate() {
            let told = self.owners.iter().filter_map(|(name, owner)| {
                let spread = &spreads[*owner];
                let (pods, ghosts) = counts[*owner * groups + at];
                let is_told = spread.members > 0 && (pods > 0 || ghosts > 0 || spread.skew.is_some());
                is_told.then_some((name, pods, ghosts, spread.skew.flatten()))
            });
            let is_as_before = told
                .clone()
                .eq((view.counts.iter()).map(|c| (&c.owner, c.pods, c.ghosts, c.max_skew)));
            if !is_as_before {
                are_counts_same = false;
                view.counts = told
                    .map(|(owner, pods, ghosts, max_skew)| SpreadCount {
                        owner: owner.clone(),
                        pods,
                        ghosts,
                        max_skew,
                    })
                    .collect();
            }
        }
        match (is_same, are_counts_same) {
            (false, _) => Regrouped::All,
            (true, false) => Regrouped::Counts,
            (true, true) => Regrouped::Nothing,
        }
    }

    /// What a pod, or a ghost, adds.
    fn share(&mut self, nodes: &Nodes, view: &PodView, pod: Option<&Pod>) -> Share {
        let value = (nodes.get(&*view.node)).map(|node| node.view.labels.get(&self.key).map_or("", String::as_str));
        let group = value.map(|value| {
            let named = (self.views).partition_point(|group| !group.name.is_empty() && *group.name < *value);
            if value.is_empty() { self.views.len() - 1 } else { named }
        });
        let constraint = pod.and_then(|pod| {
            let mut constraints = pod.spec.topology_spread_constraints.iter();
            constraints.find(|constraint| *constraint.topology_key == *self.key)
        });
        let owner = counted_with(view, constraint).map(|name| match self.owners.get(&*name) {
            Some(owner) => *owner,
            None => {
                let owner = self.owners.len();
                self.owners.insert(name.into_owned(), owner);
                owner
            }
        });
        Share {
            group,
            owner,
            skew: constraint.map(|constraint| {
                let is_hard = constraint.when_unsatisfiable == Some(UnsatisfiableAction::DoNotSchedule);
                is_hard.then_some(u32::try_from(constraint.max_skew).unwrap_or(0))
            }),
            counts: view.termination.is_none()
                && !matches!(
                    view.mark,
                    PodMark::Ghost | PodMark::Succeeded | PodMark::Failed | PodMark::Terminating
                ),
        }
    }
}

/// Whether two groupings are of the same nodes.
fn are_alike(new: &[GroupView], old: &[GroupView]) -> bool {
    let is_alike = |(new, old): (&GroupView, &GroupView)| new.name == old.name && new.nodes == old.nodes;
    new.len() == old.len() && new.iter().zip(old).all(is_alike)
}

/// Who a pod is counted with: its owner's, or, of a pod that nobody owns, those with the labels of its constraint; none
/// for a pod that is spread by nothing.
fn counted_with<'a>(view: &'a PodView, constraint: Option<&TopologySpreadConstraint>) -> Option<Cow<'a, str>> {
    if !view.owner.is_empty() {
        return Some(Cow::Borrowed(&view.owner));
    }
    let labels = (constraint?.label_selector.as_ref()?)
        .match_labels
        .iter()
        .map(|(name, value)| format!("{name}={value}"));
    Some(Cow::Owned(labels.collect::<Vec<_>>().join(",")))
}

/// Nodes by the value of a label; those without it stand apart, at the end.
fn by_label(nodes: &Nodes, key: &str) -> Vec<GroupView> {
    let mut groups: ordered::Map<&str, Vec<String>> = ordered::Map::new();
    for (name, node) in nodes {
        let value = node.view.labels.get(key).map_or("", String::as_str);
        match groups.get_mut(value) {
            Some(group) => group.push(name.to_string()),
            None => drop(groups.insert(value, vec![name.to_string()])),
        }
    }
    let mut groups: Vec<GroupView> = groups
        .into_iter()
        .map(|(name, nodes)| GroupView {
            name: name.to_owned(),
            nodes: Arc::new(nodes),
            counts: Vec::new(),
        })
        .collect();
    groups.stable_sort_by_key(|group| group.name.is_empty());
    groups
}
