//! All limits on input. Input that exceeds a limit is refused with an error that names the limit, so no input
//! can use unbounded memory.

/// Maximum size of a text passed to [`crate::parse`], in bytes. A dump of a cluster with 1 500 full nodes has about 240
/// MB.
pub const INPUT_BYTES: usize = 256 * 1024 * 1024;
/// Minimum size, in bytes, of a list that is decoded item by item, to use less memory.
pub(crate) const MIN_SPLIT_LIST_BYTES: usize = 1 << 16;
/// Maximum number of documents in one text.
pub const DOCUMENTS: usize = 20_000;
/// Maximum nesting depth of lists and maps in one document.
pub const NESTING_DEPTH: usize = 128;
/// Maximum number of values (scalars, lists, maps) in one text, or in one item if a list is decoded item by item.
pub const VALUES: usize = 8_000_000;
/// Maximum number of values that aliases (`*name`) and merge keys (`<<`) may add to one document.
pub const ALIAS_VALUES: usize = 100_000;
/// Maximum number of problems that are listed for one text; further problems are only counted.
pub const LISTED_PROBLEMS: usize = 1_000;
/// Maximum number of fields with a wrong type that are reported for one object.
pub const TYPE_PROBLEMS_PER_OBJECT: usize = 50;
/// Maximum number of objects (typed and untyped together) in one text.
pub const OBJECTS: usize = 200_000;
/// Maximum number of workloads and bare pods that each workload is compared with for advice; further ones are ignored.
pub const ADVICE_SUBJECTS: usize = 2_000;
