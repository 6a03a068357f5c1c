//! The one hash of the engine: FNV-1a of 64 bits. It names and finds things and fingerprints traces;
//! nothing that an adversary could gain from collisions rests on it.

/// The hash of nothing: where every hash begins.
pub const EMPTY: u64 = 0xcbf2_9ce4_8422_2325;

/// The hash of what `before` stands for and `bytes` after it, so that long texts can be hashed in parts.
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
