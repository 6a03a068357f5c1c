//! The limits on input, in one place. Exceeding a limit gives an error that names it, so no input can use
//! unbounded memory.

/// Bytes of one text passed to [`crate::parse`]. A dump of 1 500 full nodes has about 240 MB.
pub const INPUT_BYTES: usize = 256 * 1024 * 1024;
/// Texts longer than this many bytes are decoded item by item if they are a list, to use less memory.
pub(crate) const LIST_BYTES: usize = 1 << 16;
/// Documents in one text.
pub const DOCUMENTS: usize = 20_000;
/// Maximum nesting depth of lists and maps in one document.
pub const DEPTH: usize = 128;
/// Values (scalars, lists, maps) in one text, or in one item where a list is decoded item by item.
pub const NODES: usize = 8_000_000;
/// Values that aliases (`*name`) and merge keys (`<<`) may add in one document.
pub const ALIAS_NODES: usize = 100_000;
/// Problems reported for one text; more are counted, not listed.
pub const PROBLEMS: usize = 1_000;
/// Fields of a wrong type reported for one object.
pub const TYPE_PROBLEMS: usize = 50;
/// Objects (typed and others together) in one text.
pub const OBJECTS: usize = 200_000;
/// Maximum number of workloads and bare pods that advice compares each workload with; the rest is ignored.
pub const ADVICE_SUBJECTS: usize = 2_000;
