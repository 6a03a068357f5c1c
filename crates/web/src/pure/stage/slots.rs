//! Which slot each pod has on its node: it keeps it for as long as it is there, so that one that comes or goes moves
//! no other. And how many slots a node shows, which changes rarely.

use podscope_api::ordered::{self, StableSort as _};

/// Slots by node and pod.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Slots {
    nodes: ordered::Map<String, Node>,
    /// Slots that most nodes show.
    usual: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Node {
    /// Slot by pod.
    pods: ordered::Map<String, usize>,
    /// Slots that are shown.
    room: usize,
}

/// Numbers of slots that fill a grid well. A node's room is one of them, so that it changes rarely.
const ROOMS: [usize; 16] = [1, 2, 4, 6, 9, 12, 16, 20, 25, 30, 42, 56, 72, 90, 120, 160];

fn rounded(slots: usize) -> usize {
    (ROOMS.into_iter().find(|room| *room >= slots)).unwrap_or_else(|| slots.next_multiple_of(40))
}

/// The room for so many slots after it was `before`: while more than half of it is used it stays, because another room
/// is another picture.
fn steady(before: usize, needed: usize) -> usize {
    if needed > before || needed * 2 <= before {
        rounded(needed)
    } else {
        before
    }
}

impl Slots {
    /// Gives the pods of a node their slots, in this order: those that have one keep it, new ones take the first free.
    pub(crate) fn settle<'a>(&mut self, node: &str, pods: impl Iterator<Item = &'a str> + Clone) {
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

    /// Forgets the nodes that are not among these.
    pub(crate) fn keep(&mut self, is_there: impl Fn(&str) -> bool) {
        self.nodes.retain(|name, _| is_there(name));
    }

    /// How many slots most nodes show.
    pub(crate) fn usual(&mut self) -> usize {
        let mut all: Vec<usize> = self.nodes.values().map(|node| node.pods.len()).collect();
        all.stable_sort();
        // Three nodes of four have room; the others have smaller marks.
        let needed = all.get(all.len() * 3 / 4).copied().unwrap_or(0).max(2);
        self.usual = steady(self.usual, needed);
        self.usual
    }

    /// How many slots a node shows where most show `usual`.
    pub(crate) fn room(&mut self, node: &str, usual: usize) -> usize {
        let Some(node) = self.nodes.get_mut(node) else {
            return usual;
        };
        node.room = steady(node.room, node.pods.len().max(usual));
        node.fold();
        node.room
    }

    /// The slot of a pod.
    pub(crate) fn slot(&self, node: &str, pod: &str) -> usize {
        let of = |node: &Node| node.pods.get(pod).copied();
        self.nodes.get(node).and_then(of).unwrap_or_default()
    }
}

impl Node {
    /// Pods whose slot is not shown any longer take free ones that are.
    fn fold(&mut self) {
        let out: Vec<String> = (self.pods.iter())
            .filter(|(_, slot)| **slot >= self.room)
            .map(|(id, _)| id.clone())
            .collect();
        for id in out {
            let taken: ordered::Set<usize> = self.pods.values().copied().collect();
            let free = (0..).find(|slot| !taken.contains(slot)).unwrap_or_default();
            self.pods.insert(id, free);
        }
    }
}
