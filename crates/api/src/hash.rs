//! The only hash function of the engine: 64-bit FNV-1a. It is used for lookups, names and trace fingerprints, never
//! where a deliberate collision could do harm.

/// The hash of an empty sequence; the start value of every hash.
pub const EMPTY: u64 = 0xcbf2_9ce4_8422_2325;

/// Continues the hash `before` with `bytes`, so that a long text can be hashed in parts.
///
/// ```
/// use podscope_api::hash::{EMPTY, fnv1a};
/// assert_eq!(fnv1a(EMPTY, *b"foobar"), 0x8594_4171_f739_67e8);
/// assert_eq!(fnv1a(fnv1a(EMPTY, *b"foo"), *b"bar"), fnv1a(EMPTY, *b"foobar"));
/// ```
pub fn fnv1a(before: u64, bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes.into_iter().fold(before, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Builds a text in the form of a UUID (version 4) from two hashes.
#[must_use]
pub fn uuid(high: u64, low: u64) -> String {
    format!(
        "{:08x}-{:04x}-4{:03x}-a{:03x}-{:012x}",
        high >> 32,
        high >> 16 & 0xffff,
        high & 0xfff,
        low >> 48 & 0xfff,
        low & 0xffff_ffff_ffff
    )
}
