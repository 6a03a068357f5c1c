//! A least-recently-used cache with a fixed capacity, for the state of event recorders.

use std::sync::Arc;

use super::fifo::Fifo;

/// Capacity of the LRU caches of client-go's recorders.
const CAPACITY: usize = 4096;
/// Maximum number of recorded uses; beyond it, all uses except the last of each entry are dropped.
const MAX_RECORDED_USES: usize = 4 * CAPACITY;
/// Number of hash buckets. A put searches one bucket, and copies it if a checkpoint shares it.
const BUCKETS: usize = 256;

#[derive(Debug, Clone)]
struct Entry<V> {
    hash: u64,
    /// Number of the entry's last use in `uses`.
    use_number: u64,
    value: V,
}

/// A least-recently-used cache of values by hash.
///
/// Invariant: `uses` holds the last use of each entry; its other elements are earlier uses.
#[derive(Debug, Clone)]
pub(super) struct LruCache<V> {
    /// Empty before the first put, then [`BUCKETS`] elements.
    buckets: Vec<Arc<Vec<Entry<V>>>>,
    len: usize,
    uses: Fifo<u64>,
}

impl<V> Default for LruCache<V> {
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

impl<V: Clone> LruCache<V> {
    pub(super) fn get(&self, hash: u64) -> Option<&V> {
        let bucket = self.buckets.get(bucket_of(hash))?;
        let entry = bucket.iter().find(|entry| entry.hash == hash)?;
        Some(&entry.value)
    }

    pub(super) fn put(&mut self, hash: u64, value: V) {
        if self.buckets.is_empty() {
            self.buckets = vec![Arc::default(); BUCKETS];
        }
        let use_number = self.uses.push(hash);
        let bucket = Arc::make_mut(&mut self.buckets[bucket_of(hash)]);
        match bucket.iter_mut().find(|entry| entry.hash == hash) {
            Some(entry) => {
                *entry = Entry {
                    hash,
                    use_number,
                    value,
                }
            }
            None => {
                bucket.push(Entry {
                    hash,
                    use_number,
                    value,
                });
                self.len += 1;
            }
        }
        while self.len > CAPACITY {
            self.drop_oldest_use();
        }
        if self.uses.len() > MAX_RECORDED_USES {
            self.keep_last_use_of_each_entry();
        }
        debug_assert!(
            self.len <= self.uses.len() && self.len == self.buckets.iter().map(|bucket| bucket.len()).sum::<usize>(),
            "the length counts every entry, and every entry has a use"
        );
    }

    /// Removes the oldest use, and its entry if that was its last use.
    fn drop_oldest_use(&mut self) {
        let (use_number, hash) = self.uses.pop().expect("every entry has a use");
        if let Some(at) = self.find(hash, use_number) {
            Arc::make_mut(&mut self.buckets[bucket_of(hash)]).swap_remove(at);
            self.len -= 1;
        }
    }

    /// Drops all uses except the last one of each entry.
    fn keep_last_use_of_each_entry(&mut self) {
        for _ in 0..self.uses.len() {
            let (use_number, hash) = self.uses.pop().expect("the loop pops as many uses as there were");
            if let Some(at) = self.find(hash, use_number) {
                let use_number = self.uses.push(hash);
                Arc::make_mut(&mut self.buckets[bucket_of(hash)])[at].use_number = use_number;
            }
        }
    }

    /// Returns the index, in its bucket, of the entry whose last use has this number.
    fn find(&self, hash: u64, use_number: u64) -> Option<usize> {
        let bucket = &self.buckets[bucket_of(hash)];
        bucket
            .iter()
            .position(|entry| entry.hash == hash && entry.use_number == use_number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The least recently used entry is evicted, however often other entries were used.
    #[test]
    fn least_recently_used_entry_is_evicted_first() {
        let mut recent = LruCache::default();
        for hash in 0..CAPACITY as u64 {
            recent.put(hash, hash);
        }
        for round in 0..20 {
            (1..1024).for_each(|hash| recent.put(hash, hash + round));
        }
        assert_eq!(recent.len, CAPACITY);
        let before = recent.clone();
        recent.put(1 << 40, 1);
        recent.put(1 << 41, 2);
        assert_eq!(
            (recent.get(0), recent.get(1024)),
            (None, None),
            "entries that were not used since the start are evicted"
        );
        assert_eq!((recent.get(1), recent.get(1025)), (Some(&20), Some(&1025)));
        assert_eq!((before.get(0), before.get(1 << 40)), (Some(&0), None));
        (2..CAPACITY as u64).for_each(|more| recent.put((1 << 40) + more, 3));
        assert_eq!(
            (recent.len, recent.get(1), recent.get(1 << 40)),
            (CAPACITY, None, Some(&1))
        );
    }
}
