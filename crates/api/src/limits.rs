//! The limits on input, in one place. Each one that is passed gives an
//! error that names it; nothing grows without bound.

/// Bytes of one text handed to [`crate::parse`]: a cluster of 1 500 nodes that are full of pods prints some 240 MB.
pub const INPUT_BYTES: usize = 256 * 1024 * 1024;
/// Bytes from which the items of a list are decoded as they are read, instead of when all are.
pub(crate) const LIST_BYTES: usize = 1 << 16;
/// Documents in one text.
pub const DOCUMENTS: usize = 20_000;
/// How deep lists and maps may nest in one document.
pub const DEPTH: usize = 128;
/// Values (scalars, lists, maps) in one text; where the items of a list are decoded as they are read, in one item.
pub const NODES: usize = 8_000_000;
/// Values that aliases (`*name`) and merge keys (`<<`) may add in one document.
pub const ALIAS_NODES: usize = 100_000;
/// Problems reported for one text; more are counted, not listed.
pub const PROBLEMS: usize = 1_000;
/// Fields of a wrong type reported for one object.
pub const TYPE_PROBLEMS: usize = 50;
/// Objects (typed and others together) in one text.
pub const OBJECTS: usize = 200_000;
/// Workloads and single pods that advice compares each workload with; what comes later is not looked at.
pub const ADVICE_SUBJECTS: usize = 2_000;
