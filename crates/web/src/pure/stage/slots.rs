//! Assigns a slot (cell) of a node to each of its pods. A pod keeps its slot while it is on the node, so that pods that
//! come or go move no other pod. The number of slots that a node shows changes rarely.

use podscope_api::ordered::{self, StableSort as _};

/// Slots by node and pod.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Slots {
    nodes: ordered::Map<String, NodeSlots>,
    /// Number of slots that most nodes show.
    usual: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct NodeSlots {
    /// Slot by pod id.
    pods: ordered::Map<String, usize>,
    /// Number of shown slots.
    n_shown: usize,
}

/// Numbers of slots that fill a grid well. Only these numbers occur, so a node's number changes rarely.
const SLOT_COUNTS: [usize; 16] = [1, 2, 4, 6, 9, 12, 16, 20, 25, 30, 42, 56, 72, 90, 120, 160];

fn next_slot_count(slots: usize) -> usize {
    (SLOT_COUNTS.into_iter().find(|count| *count >= slots)).unwrap_or_else(|| slots.next_multiple_of(40))
}

/// Returns the number of slots to show for `needed` pods; `before` is the number shown now. It stays the same while
/// more than half of the slots are used, because every change moves all pods of the node.
fn slot_count_to_show(before: usize, needed: usize) -> usize {
    if needed > before || needed * 2 <= before {
        next_slot_count(needed)
    } else {
        before
    }
}

impl Slots {
    /// Assigns slots to the pods of a node in the given order: a pod keeps its slot, and a new pod takes the first free
    /// slot.
    pub(crate) fn assign<'a>(&mut self, node: &str, pods: impl Iterator<Item = &'a str> + Clone) {
        let node = match self.nodes.get_mut(node) {
            Some(node) => node,
            None => self.nodes.entry(node.to_owned()).or_default(),
        };
        let here: ordered::Set<&str> = pods.clone().collect();
        if node.pods.len() == here.len() && here.iter().all(|id| node.pods.contains_key(*id)) {
            return;
        }
        node.pods.retain(|id, _| here.contains(id.as_str()));
        let mut taken: ordered::Set<usize> = node.pods.values().copied().collect();
        for id in pods {
            if !node.pods.contains_key(id) {
                let free = (0..).find(|slot| !taken.contains(slot)).unwrap_or_default();
                taken.insert(free);
                node.pods.insert(id.to_owned(), free);
            }
        }
    }

    /// Removes nodes that do not satisfy the predicate.
    pub(crate) fn retain_nodes(&mut self, is_there: impl Fn(&str) -> bool) {
        self.nodes.retain(|name, _| is_there(name));
    }

    /// Returns the number of slots that most nodes show.
    pub(crate) fn usual_slot_count(&mut self) -> usize {
        let mut all: Vec<usize> = self.nodes.values().map(|node| node.pods.len()).collect();
        all.stable_sort();
        // Choose the number that is enough for three quarters of the nodes. The other nodes show more slots, which are
        // smaller.
        let needed = all.get(all.len() * 3 / 4).copied().unwrap_or(0).max(2);
        self.usual = slot_count_to_show(self.usual, needed);
        self.usual
    }

    /// Returns the number of slots that a node shows, at least `usual`.
    pub(crate) fn shown_slot_count(&mut self, node: &str, usual: usize) -> usize {
        let Some(node) = self.nodes.get_mut(node) else {
            return usual;
        };
        node.n_shown = slot_count_to_show(node.n_shown, node.pods.len().max(usual));
        node.move_into_shown_slots();
        node.n_shown
    }

    /// Returns the slot of a pod.
    pub(crate) fn slot(&self, node: &str, pod: &str) -> usize {
        let of = |node: &NodeSlots| node.pods.get(pod).copied();
        self.nodes.get(node).and_then(of).unwrap_or_default()
    }
}

impl NodeSlots {
    /// Moves pods whose slots are no longer shown into free slots.
    fn move_into_shown_slots(&mut self) {
        let moved: Vec<String> = (self.pods.iter())
            .filter(|(_, slot)| **slot >= self.n_shown)
            .map(|(id, _)| id.clone())
            .collect();
        for id in moved {
            let taken: ordered::Set<usize> = self.pods.values().copied().collect();
            let free = (0..).find(|slot| !taken.contains(slot)).unwrap_or_default();
            self.pods.insert(id, free);
        }
    }
}
