//! The nodes grouped by a label, and the number of each owner's pods in each group (U-11).

use std::borrow::Cow;
use std::sync::Arc;

use podscope_api::ordered;
use podscope_api::ordered::StableSort as _;

use podscope_api::{Pod, TopologySpreadConstraint, UnsatisfiableAction};

use super::nodes::Nodes;
use super::pods::PodEntry;
use podscope_protocol::{GroupView, PodMark, PodView, SpreadCount};

/// What a pod contributes to the counts of a group. It is cached, because most pods do not change between frames.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PodContribution {
    /// Index of the group that contains the pod's node. None if the node is not known.
    group: Option<usize>,
    /// Index of the owner for which the pod is counted, if there is one.
    owner: Option<usize>,
    /// `Some` if the pod has a spread constraint for the label key. The inner value is the maximum skew of a hard
    /// constraint.
    skew: Option<Option<u32>>,
    /// Whether the pod is counted: it has not ended and is not terminating.
    counts: bool,
}

/// The groups of nodes with the same value of a label, in the last frame.
#[derive(Debug, Clone, Default)]
pub(crate) struct LabelGroups {
    pub(crate) views: Vec<GroupView>,
    /// Label key by which nodes are grouped.
    key: String,
    /// Indices of owners by name.
    owners: ordered::Map<String, usize>,
}

/// What has changed in the groups since the last frame.
pub(crate) enum GroupChange {
    /// Everything: the nodes or the key have changed.
    All,
    /// Only the counts have changed.
    Counts,
    Unchanged,
}

/// The pods of one owner, over all groups.
#[derive(Debug, Clone, Default)]
struct OwnerPods {
    /// Number of pods, including ended and terminating ones.
    members: u32,
    skew: Option<Option<u32>>,
}

impl LabelGroups {
    /// Groups the nodes by a label key, unless neither the key nor the nodes have changed. Counts the pods and ghosts
    /// (deleted pods whose processes still run) of each owner in each group.
    pub(crate) fn update(
        &mut self,
        nodes: &Nodes,
        pods: &mut [PodEntry],
        key: &str,
        have_nodes_changed: bool,
    ) -> GroupChange {
        let is_other_key = self.key != key;
        let is_kept = !have_nodes_changed && !is_other_key;
        if is_other_key {
            key.clone_into(&mut self.key);
            self.owners.clear();
        }
        let mut is_same = is_kept;
        if !is_kept {
            let views = group_nodes_by_label(nodes, key);
            is_same = !is_other_key && are_same_groups(&views, &self.views);
            if !is_same {
                pods.iter_mut().for_each(|entry| entry.contribution = None);
                self.views = views;
            }
        }
        debug_assert!(
            are_same_groups(&group_nodes_by_label(nodes, key), &self.views),
            "unchanged groups match the nodes"
        );
        for entry in pods.iter_mut().filter(|entry| entry.contribution.is_none()) {
            entry.contribution = Some(self.contribution(nodes, &entry.view, Some(&entry.pod)));
        }
        let ghosts: Vec<PodContribution> = (nodes.values().flat_map(|node| &node.ghosts))
            .map(|ghost| self.contribution(nodes, ghost, None))
            .collect();
        let groups = self.views.len();
        let mut owner_pods = vec![OwnerPods::default(); self.owners.len()];
        let mut counts = vec![(0, 0); self.owners.len() * groups];
        let contributions = pods.iter().filter_map(|entry| entry.contribution);
        for (contribution, is_ghost) in (contributions.map(|contribution| (contribution, false)))
            .chain(ghosts.into_iter().map(|ghost| (ghost, true)))
        {
            let Some(owner) = contribution.owner else { continue };
            let spread = &mut owner_pods[owner];
            spread.members += 1;
            spread.skew = spread.skew.or(contribution.skew);
            let Some(group) = contribution.group else { continue };
            let count = &mut counts[owner * groups + group];
            count.0 += u32::from(contribution.counts);
            count.1 += u32::from(is_ghost);
        }
        let mut are_counts_same = true;
        for (index, view) in self.views.iter_mut().enumerate() {
            let new_counts = self.owners.iter().filter_map(|(name, owner)| {
                let spread = &owner_pods[*owner];
                let (pods, ghosts) = counts[*owner * groups + index];
                let is_shown = spread.members > 0 && (pods > 0 || ghosts > 0 || spread.skew.is_some());
                is_shown.then_some((name, pods, ghosts, spread.skew.flatten()))
            });
            let is_as_before = new_counts
                .clone()
                .eq((view.counts.iter()).map(|count| (&count.owner, count.pods, count.ghosts, count.max_skew)));
            if !is_as_before {
                are_counts_same = false;
                view.counts = new_counts
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
            (false, _) => GroupChange::All,
            (true, false) => GroupChange::Counts,
            (true, true) => GroupChange::Unchanged,
        }
    }

    /// Computes what a pod or ghost contributes to the counts of a group.
    fn contribution(&mut self, nodes: &Nodes, view: &PodView, pod: Option<&Pod>) -> PodContribution {
        let value = (nodes.get(&*view.node)).map(|node| node.view.labels.get(&self.key).map_or("", String::as_str));
        let group = value.map(|value| {
            let named = (self.views).partition_point(|group| !group.name.is_empty() && *group.name < *value);
            if value.is_empty() { self.views.len() - 1 } else { named }
        });
        let constraint = pod.and_then(|pod| {
            let mut constraints = pod.spec.topology_spread_constraints.iter();
            constraints.find(|constraint| *constraint.topology_key == *self.key)
        });
        let owner = counting_owner(view, constraint).map(|name| match self.owners.get(&*name) {
            Some(owner) => *owner,
            None => {
                let owner = self.owners.len();
                self.owners.insert(name.into_owned(), owner);
                owner
            }
        });
        PodContribution {
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

/// Returns whether two lists of groups have the same names and nodes.
fn are_same_groups(new: &[GroupView], old: &[GroupView]) -> bool {
    let is_same_group = |(new, old): (&GroupView, &GroupView)| new.name == old.name && new.nodes == old.nodes;
    new.len() == old.len() && new.iter().zip(old).all(is_same_group)
}

/// Returns the owner for which a pod is counted. For a pod without an owner, the labels that its spread constraint
/// selects are used as the owner. None if the pod has neither.
fn counting_owner<'a>(view: &'a PodView, constraint: Option<&TopologySpreadConstraint>) -> Option<Cow<'a, str>> {
    if !view.owner.is_empty() {
        return Some(Cow::Borrowed(&view.owner));
    }
    let labels = (constraint?.label_selector.as_ref()?)
        .match_labels
        .iter()
        .map(|(name, value)| format!("{name}={value}"));
    Some(Cow::Owned(labels.collect::<Vec<_>>().join(",")))
}

/// Groups nodes by the value of a label. Nodes without the label are in the last group.
fn group_nodes_by_label(nodes: &Nodes, key: &str) -> Vec<GroupView> {
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
