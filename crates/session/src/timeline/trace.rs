//! The trace of a branch: its records in order. The latest records are stored unpacked. Older records are packed in
//! blocks of 1024, because a run of a large cluster writes millions of records, which are rarely read: a record takes
//! about 400 bytes unpacked and about 20 bytes packed. Branches share the blocks that they have in common.

mod block;

use std::collections::BinaryHeap;
use std::sync::Arc;

use podscope_api::ObjectKey;
use podscope_api::hash::{self, fnv1a};
use podscope_cluster::{Record, What};

/// Number of records in a packed block.
const RECORDS_PER_BLOCK: usize = 1024;
/// Minimum number of the latest records that stay unpacked.
const MIN_UNPACKED: usize = 8 * RECORDS_PER_BLOCK;

/// All records of a branch, in order: the trace.
#[derive(Debug, Clone, Default)]
pub struct Trace {
    /// Packed blocks of the oldest records, with [`RECORDS_PER_BLOCK`] records each.
    blocks: Vec<Arc<[u8]>>,
    /// The latest records, unpacked. They follow the records in the blocks.
    recent: Vec<Arc<Record>>,
    /// Sequence numbers of the scheduling attempts, each with a hash of the pod's key.
    attempts: Vec<(u32, u32)>,
    /// The records of violated invariants.
    violations: Vec<Arc<Record>>,
}

impl Trace {
    pub fn len(&self) -> usize {
        self.packed_len() + self.recent.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the record with this sequence number.
    pub fn get(&self, index: usize) -> Option<Arc<Record>> {
        RecordReader::new(self).at(index)
    }

    /// Returns the records with sequence numbers in `from..until`.
    pub fn range(&self, from: usize, until: usize) -> Records<'_> {
        let until = until.min(self.len());
        Records {
            from: from.min(until),
            until,
            front: RecordReader::new(self),
            back: RecordReader::new(self),
        }
    }

    pub fn iter(&self) -> Records<'_> {
        self.range(0, self.len())
    }

    /// Returns the scheduling attempts for pods with this key whose sequence number is less than `until`, oldest first.
    pub fn attempts_of(&self, key: &ObjectKey, until: usize) -> impl Iterator<Item = Arc<Record>> {
        let hash = hash_of_key(key);
        let mut reader = RecordReader::new(self);
        self.attempts
            .iter()
            .filter(move |(_, key_hash)| *key_hash == hash)
            .map(|(index, _)| *index as usize)
            .take_while(move |index| *index < until)
            .filter_map(move |index| reader.at(index))
            .filter(|record| record.object.as_ref().is_some_and(|subject| subject.key == *key))
    }

    /// Returns the records with those sequence numbers, together with all records that caused them, in order.
    pub fn with_causes(&self, seqs: impl IntoIterator<Item = u64>) -> Vec<Arc<Record>> {
        let mut wanted: BinaryHeap<u64> = seqs.into_iter().collect();
        let mut reader = RecordReader::new(self);
        let mut found = Vec::new();
        // The loop goes from the latest record to the earliest. A cause precedes its effects, so each block is unpacked
        // only once.
        while let Some(seq) = wanted.pop() {
            if found.last().is_some_and(|known: &Arc<Record>| known.seq == seq) {
                continue;
            }
            let Some(record) = usize::try_from(seq).ok().and_then(|index| reader.at(index)) else {
                continue;
            };
            let cause = record.caused_by.seq();
            debug_assert!(
                cause.is_none_or(|cause| cause < seq),
                "record {seq} has a cause that is not earlier"
            );
            wanted.extend(cause);
            found.push(record);
        }
        found.reverse();
        found
    }

    /// Returns the records of violated invariants, in order.
    pub(super) fn violations(&self) -> &[Arc<Record>] {
        &self.violations
    }

    fn packed_len(&self) -> usize {
        self.blocks.len() * RECORDS_PER_BLOCK
    }

    /// Returns whether the record at this index equals `record`. In a packed block only the first record is compared,
    /// because unpacking all others would take longer than the replay itself.
    pub(super) fn equals_known_record(&self, index: usize, record: &Record) -> bool {
        let is_expensive = index < self.packed_len() && !index.is_multiple_of(RECORDS_PER_BLOCK);
        is_expensive || self.get(index).is_some_and(|known| *known == *record)
    }

    /// Appends a record to the trace.
    pub(super) fn push(&mut self, record: Record) {
        assert_eq!(record.seq, self.len() as u64, "sequence numbers have no gaps");
        let record = Arc::new(record);
        match (record.what(), &record.object) {
            (What::Attempt, Some(pod)) => {
                let index = u32::try_from(self.len()).expect("a branch holds no more than `MAX_RECORDS`");
                self.attempts.push((index, hash_of_key(&pod.key)));
            }
            (What::InvariantViolated, _) => self.violations.push(record.clone()),
            _ => {}
        }
        self.recent.push(record);
        if self.recent.len() >= MIN_UNPACKED + RECORDS_PER_BLOCK {
            let old: Vec<Arc<Record>> = self.recent.drain(..RECORDS_PER_BLOCK).collect();
            self.blocks.push(block::pack(&old));
        }
    }

    /// Removes all records after the first `len`.
    pub(super) fn truncate(&mut self, len: usize) {
        if len < self.packed_len() {
            self.recent = self.block(len / RECORDS_PER_BLOCK);
            self.blocks.truncate(len / RECORDS_PER_BLOCK);
        }
        self.recent.truncate(len - self.packed_len().min(len));
        debug_assert!(self.len() <= len, "{} records remain, the limit is {len}", self.len());
        self.attempts.retain(|(index, _)| (*index as usize) < len);
        self.violations.retain(|record| record.seq < len as u64);
    }

    /// Unpacks the block with this number, which must be less than the number of packed blocks.
    fn block(&self, number: usize) -> Vec<Arc<Record>> {
        let records = block::unpack(&self.blocks[number]);
        assert_eq!(records.len(), RECORDS_PER_BLOCK, "block {number} was packed whole");
        debug_assert_eq!(
            records[0].seq,
            (number * RECORDS_PER_BLOCK) as u64,
            "blocks stand in order"
        );
        records
    }
}

/// Returns a hash of a pod's key. Different keys can have the same hash.
fn hash_of_key(key: &ObjectKey) -> u32 {
    fnv1a(hash::EMPTY, key.namespace.bytes().chain([0]).chain(key.name.bytes())) as u32
}

/// Reads single records of a trace, and caches the block that was unpacked last.
#[derive(Debug, Clone)]
struct RecordReader<'a> {
    trace: &'a Trace,
    unpacked: Option<(usize, Vec<Arc<Record>>)>,
}

impl<'a> RecordReader<'a> {
    fn new(trace: &'a Trace) -> Self {
        Self { trace, unpacked: None }
    }

    fn at(&mut self, index: usize) -> Option<Arc<Record>> {
        if let Some(recent) = index.checked_sub(self.trace.packed_len()) {
            return self.trace.recent.get(recent).cloned();
        }
        let number = index / RECORDS_PER_BLOCK;
        if self.unpacked.as_ref().is_none_or(|(unpacked, _)| *unpacked != number) {
            self.unpacked = Some((number, self.trace.block(number)));
        }
        self.unpacked.as_ref()?.1.get(index % RECORDS_PER_BLOCK).cloned()
    }
}

/// Iterator over a range of records of a trace.
#[derive(Debug, Clone)]
pub struct Records<'a> {
    from: usize,
    until: usize,
    front: RecordReader<'a>,
    back: RecordReader<'a>,
}

impl Iterator for Records<'_> {
    type Item = Arc<Record>;
    fn next(&mut self) -> Option<Arc<Record>> {
        let index = (self.from < self.until).then_some(self.from)?;
        self.from += 1;
        self.front.at(index)
    }

    /// Skips records without unpacking them. `Iterator::skip` calls this method.
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
        let index = (self.from < self.until).then(|| self.until - 1)?;
        self.until = index;
        self.back.at(index)
    }
}

impl ExactSizeIterator for Records<'_> {}

#[cfg(test)]
mod tests;
