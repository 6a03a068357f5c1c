//! What a recorder remembers: so many entries, the least recently used of which goes first.

use rpds::RedBlackTreeMapSync;

/// As many as the caches of client-go's recorders hold.
const KEPT: usize = 4096;

/// Values by a hash. Invariant: `order` has one number for each entry, its last use.
#[derive(Debug, Clone)]
pub(super) struct Recent<V> {
    entries: RedBlackTreeMapSync<u64, (u64, V)>,
    order: RedBlackTreeMapSync<u64, u64>,
    next: u64,
}

impl<V> Default for Recent<V> {
    fn default() -> Self {
        Self {
            entries: RedBlackTreeMapSync::new_sync(),
            order: RedBlackTreeMapSync::new_sync(),
            next: 0,
        }
    }
}

impl<V: Clone> Recent<V> {
    pub(super) fn get(&self, hash: u64) -> Option<&V> {
        self.entries.get(&hash).map(|(_, value)| value)
    }
    pub(super) fn put(&mut self, hash: u64, value: V) {
        if let Some((used, _)) = self.entries.get(&hash) {
            self.order.remove_mut(used);
        }
        self.next += 1;
        self.entries.insert_mut(hash, (self.next, value));
        self.order.insert_mut(self.next, hash);
        if self.entries.size() > KEPT
            && let Some((used, oldest)) = self.order.first().map(|(used, oldest)| (*used, *oldest))
        {
            self.order.remove_mut(&used);
            self.entries.remove_mut(&oldest);
        }
        debug_assert_eq!(self.entries.size(), self.order.size(), "each entry has one number");
    }
}
