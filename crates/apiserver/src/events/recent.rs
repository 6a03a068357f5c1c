//! What a recorder remembers: so many entries, the least recently used of which goes first.

use std::sync::Arc;

use super::fifo::Fifo;

/// As many as the caches of client-go's recorders hold.
const KEPT: usize = 4096;
/// Former uses are forgotten when there are more uses than these.
const USES: usize = 4 * KEPT;
/// Buckets of entries. A put looks through one, and copies it if a checkpoint holds it too.
const BUCKETS: usize = 256;

#[derive(Debug, Clone)]
struct Entry<V> {
    hash: u64,
    /// The number of its last use.
    used: u64,
    value: V,
}

/// Values by a hash.
///
/// Invariant: each entry's last use stands in `uses`; what else stands there are former ones.
#[derive(Debug, Clone)]
pub(super) struct Recent<V> {
    /// None before the first put, then all.
    buckets: Vec<Arc<Vec<Entry<V>>>>,
    len: usize,
    uses: Fifo<u64>,
}

impl<V> Default for Recent<V> {
    fn default() -> Self {
        Self {
            buckets: Vec::new(),
            len: 0,
            uses: Fifo::default(),
        }
    }
}

fn bucket_of(hash: u64) -> usize {
    (hash % BUCKETS as u64) as usize
}

impl<V: Clone> Recent<V> {
    pub(super) fn get(&self, hash: u64) -> Option<&V> {
        let bucket = self.buckets.get(bucket_of(hash))?;
        let entry = bucket.iter().find(|entry| entry.hash == hash)?;
        Some(&entry.value)
    }

    pub(super) fn put(&mut self, hash: u64, value: V) {
        if self.buckets.is_empty() {
            self.buckets = vec![Arc::default(); BUCKETS];
        }
        let used = self.uses.push(hash);
        let bucket = Arc::make_mut(&mut self.buckets[bucket_of(hash)]);
        match bucket.iter_mut().find(|entry| entry.hash == hash) {
            Some(entry) => *entry = Entry { hash, used, value },
            None => {
                bucket.push(Entry { hash, used, value });
                self.len += 1;
            }
        }
        while self.len > KEPT {
            self.forget_a_use();
        }
        if self.uses.len() > USES {
            self.forget_former_uses();
        }
        debug_assert!(
            self.len <= self.uses.len() && self.len == self.buckets.iter().map(|bucket| bucket.len()).sum::<usize>(),
            "each entry is counted, and has a use"
        );
    }

    /// Takes the oldest use away, and with it the entry whose last one it was.
    fn forget_a_use(&mut self) {
        let (used, hash) = self.uses.pop().expect("each entry has a use");
        if let Some(at) = self.find(hash, used) {
            Arc::make_mut(&mut self.buckets[bucket_of(hash)]).swap_remove(at);
            self.len -= 1;
        }
    }

    /// Keeps the last use of each entry alone.
    fn forget_former_uses(&mut self) {
        for _ in 0..self.uses.len() {
            let (used, hash) = self.uses.pop().expect("as many as were counted");
            if let Some(at) = self.find(hash, used) {
                let used = self.uses.push(hash);
                Arc::make_mut(&mut self.buckets[bucket_of(hash)])[at].used = used;
            }
        }
    }

    /// Where the entry is whose last use that was.
    fn find(&self, hash: u64, used: u64) -> Option<usize> {
        let bucket = &self.buckets[bucket_of(hash)];
        bucket.iter().position(|entry| entry.hash == hash && entry.used == used)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The least recently used one goes, however often the others were used.
    #[test]
    fn the_least_recently_used_goes_first() {
        let mut recent = Recent::default();
        for hash in 0..KEPT as u64 {
            recent.put(hash, hash);
        }
        for round in 0..20 {
            (1..1024).for_each(|hash| recent.put(hash, hash + round));
        }
        assert_eq!(recent.len, KEPT);
        let before = recent.clone();
        recent.put(1 << 40, 1);
        recent.put(1 << 41, 2);
        assert_eq!(
            (recent.get(0), recent.get(1024)),
            (None, None),
            "unused since the beginning"
        );
        assert_eq!((recent.get(1), recent.get(1025)), (Some(&20), Some(&1025)));
        assert_eq!((before.get(0), before.get(1 << 40)), (Some(&0), None));
        (2..KEPT as u64).for_each(|more| recent.put((1 << 40) + more, 3));
        assert_eq!((recent.len, recent.get(1), recent.get(1 << 40)), (KEPT, None, Some(&1)));
    }
}
