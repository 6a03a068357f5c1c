//! The records of a branch. The latest stand as they are; older ones are packed
//! a thousand to a block, because a run of a large cluster writes millions and
//! hardly anyone looks back: a record takes some 400 bytes, a packed one about
//! twenty. Blocks are shared between the branches that have them in common.

mod block;

use std::collections::BinaryHeap;
use std::sync::Arc;

use podscope_api::ObjectKey;
use podscope_api::hash::{self, fnv1a};
use podscope_cluster::{Record, What};

/// Records of a block.
const BLOCK: usize = 1024;
/// Records that stand as they are, at least, before older ones are packed.
const RECENT: usize = 8 * BLOCK;

/// Everything that happened on a branch, in order.
#[derive(Debug, Clone, Default)]
pub struct Trace {
    /// The oldest, [`BLOCK`] each.
    blocks: Vec<Arc<[u8]>>,
    /// Those after them.
    recent: Vec<Arc<Record>>,
    /// Places of scheduling attempts, each with a hash of its pod's key.
    attempts: Vec<(u32, u32)>,
    /// Invariants that broke.
    violations: Vec<Arc<Record>>,
}

impl Trace {
    /// How many records there are.
    pub fn len(&self) -> usize {
        self.packed() + self.recent.len()
    }

    /// Whether nothing has happened.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The record at a place.
    pub fn get(&self, place: usize) -> Option<Arc<Record>> {
        Reader::new(self).at(place)
    }

    /// The records from one place to before another.
    pub fn range(&self, from: usize, until: usize) -> Records<'_> {
        let until = until.min(self.len());
        Records {
            from: from.min(until),
            until,
            front: Reader::new(self),
            back: Reader::new(self),
        }
    }

    /// All records.
    pub fn iter(&self) -> Records<'_> {
        self.range(0, self.len())
    }

    /// The attempts to schedule pods of that key before a place, oldest first.
    pub fn attempts_of(&self, key: &ObjectKey, until: usize) -> impl Iterator<Item = Arc<Record>> {
        let hash = hash_of(key);
        let mut reader = Reader::new(self);
        self.attempts
            .iter()
            .filter(move |(_, of)| *of == hash)
            .map(|(place, _)| *place as usize)
            .take_while(move |place| *place < until)
            .filter_map(move |place| reader.at(place))
            .filter(|record| record.object.as_ref().is_some_and(|subject| subject.key == *key))
    }

    /// The records of those numbers and all that led to them, in order.
    pub fn with_causes(&self, of: impl IntoIterator<Item = u64>) -> Vec<Arc<Record>> {
        let mut wanted: BinaryHeap<u64> = of.into_iter().collect();
        let mut reader = Reader::new(self);
        let mut found = Vec::new();
        // From the latest back: what led to a record stands before it, so each block is unpacked once.
        while let Some(seq) = wanted.pop() {
            if found.last().is_some_and(|known: &Arc<Record>| known.seq == seq) {
                continue;
            }
            let Some(record) = usize::try_from(seq).ok().and_then(|place| reader.at(place)) else {
                continue;
            };
            let cause = record.caused_by.seq();
            debug_assert!(
                cause.is_none_or(|cause| cause < seq),
                "record {seq} was caused by a later one"
            );
            wanted.extend(cause);
            found.push(record);
        }
        found.reverse();
        found
    }

    /// The violations of invariants, in order.
    pub(super) fn violations(&self) -> &[Arc<Record>] {
        &self.violations
    }

    fn packed(&self) -> usize {
        self.blocks.len() * BLOCK
    }

    /// Whether the record at a place is this one. Of packed ones the first of each block is looked at: to unpack all
    /// of them would cost more than to play them.
    pub(super) fn agrees(&self, place: usize, record: &Record) -> bool {
        let is_dear = place < self.packed() && !place.is_multiple_of(BLOCK);
        is_dear || self.get(place).is_some_and(|known| *known == *record)
    }

    /// Writes down what happened next.
    pub(super) fn push(&mut self, record: Record) {
        assert_eq!(record.seq, self.len() as u64, "a record stands at its number");
        let record = Arc::new(record);
        match (record.what(), &record.object) {
            (What::Attempt, Some(pod)) => {
                let place = u32::try_from(self.len()).expect("a branch holds no more than `MAX_RECORDS`");
                self.attempts.push((place, hash_of(&pod.key)));
            }
            (What::InvariantViolated, _) => self.violations.push(record.clone()),
            _ => {}
        }
        self.recent.push(record);
        if self.recent.len() >= RECENT + BLOCK {
            let old: Vec<Arc<Record>> = self.recent.drain(..BLOCK).collect();
            self.blocks.push(block::pack(&old));
        }
    }

    /// Forgets all but the first records.
    pub(super) fn truncate(&mut self, len: usize) {
        if len < self.packed() {
            self.recent = self.block(len / BLOCK);
            self.blocks.truncate(len / BLOCK);
        }
        self.recent.truncate(len - self.packed().min(len));
        debug_assert!(self.len() <= len, "{} are left of {len}", self.len());
        self.attempts.retain(|(place, _)| (*place as usize) < len);
        self.violations.retain(|record| record.seq < len as u64);
    }

    /// The records of a block, which is there: its place is one of those that are packed.
    fn block(&self, number: usize) -> Vec<Arc<Record>> {
        let records = block::unpack(&self.blocks[number]);
        assert_eq!(records.len(), BLOCK, "block {number} was packed whole");
        debug_assert_eq!(records[0].seq, (number * BLOCK) as u64, "blocks stand in order");
        records
    }
}

/// A hash of a pod's key; different ones may share it.
fn hash_of(key: &ObjectKey) -> u32 {
    fnv1a(hash::EMPTY, key.namespace.bytes().chain([0]).chain(key.name.bytes())) as u32
}

/// Reads records, and keeps the block that it unpacked last.
#[derive(Debug, Clone)]
struct Reader<'a> {
    trace: &'a Trace,
    open: Option<(usize, Vec<Arc<Record>>)>,
}

impl<'a> Reader<'a> {
    fn new(trace: &'a Trace) -> Self {
        Self { trace, open: None }
    }

    fn at(&mut self, place: usize) -> Option<Arc<Record>> {
        if let Some(recent) = place.checked_sub(self.trace.packed()) {
            return self.trace.recent.get(recent).cloned();
        }
        let number = place / BLOCK;
        if self.open.as_ref().is_none_or(|(open, _)| *open != number) {
            self.open = Some((number, self.trace.block(number)));
        }
        self.open.as_ref()?.1.get(place % BLOCK).cloned()
    }
}

/// Records in a row.
#[derive(Debug, Clone)]
pub struct Records<'a> {
    from: usize,
    until: usize,
    front: Reader<'a>,
    back: Reader<'a>,
}

impl Iterator for Records<'_> {
    type Item = Arc<Record>;
    fn next(&mut self) -> Option<Arc<Record>> {
        let place = (self.from < self.until).then_some(self.from)?;
        self.from += 1;
        self.front.at(place)
    }

    /// Without reading what is passed over: `skip` comes here.
    fn nth(&mut self, passed: usize) -> Option<Arc<Record>> {
        self.from = self.from.saturating_add(passed).min(self.until);
        self.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.until - self.from, Some(self.until - self.from))
    }
}

impl DoubleEndedIterator for Records<'_> {
    fn next_back(&mut self) -> Option<Arc<Record>> {
        let place = (self.from < self.until).then(|| self.until - 1)?;
        self.until = place;
        self.back.at(place)
    }
}

impl ExactSizeIterator for Records<'_> {}

#[cfg(test)]
mod tests;
