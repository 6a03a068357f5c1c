//! Randomness: one generator per component, split from the scenario's seed by the component's name, so that a new
//! component does not change the random numbers of the others (ARCHITECTURE, "How an event is processed").

use podscope_api::Uid;
use podscope_api::hash::{self, fnv1a};
use rand_core::Rng as _;
use rand_pcg::Pcg32;

use crate::Span;

/// A seeded generator of integers, with the same sequence on every target.
#[derive(Debug, Clone, PartialEq)]
pub struct Rng(Pcg32);

impl Rng {
    /// Creates the generator of the component `name` under `seed`.
    pub fn split(seed: u64, name: &str) -> Self {
        Self(Pcg32::new(seed, fnv64([name])))
    }

    /// Returns the next 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Returns a uniform random number in `0..bound`; 0 if `bound` is 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        if bound == 0 {
            return 0;
        }
        // Multiply-shift with rejection: unbiased and portable.
        let threshold = bound.wrapping_neg() % bound;
        loop {
            let wide = u128::from(self.bits()) * u128::from(bound);
            if (wide as u64) >= threshold {
                return (wide >> 64) as u64;
            }
        }
    }

    /// Returns a uniform random span between `low` and `high`, both inclusive.
    pub fn between(&mut self, low: Span, high: Span) -> Span {
        let width = u64::try_from((high - low).0).unwrap_or(0);
        Span(low.0 + self.below(width.saturating_add(1)) as i64)
    }

    /// Returns a random version-4 UUID.
    pub fn uid(&mut self) -> Uid {
        let (high, low) = (self.bits(), self.bits());
        Uid(format!(
            "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
            high >> 32,
            (high >> 16) & 0xffff,
            high & 0xfff,
            0x8000 | ((low >> 48) & 0x3fff),
            low & 0xffff_ffff_ffff,
        )
        .into())
    }

    /// Returns true with a probability of `n` in a thousand.
    pub fn per_mille(&mut self, n: u64) -> bool {
        self.below(1000) < n
    }
}

/// Computes the FNV-1a hash (64 bits) of the texts, separated by a zero byte.
pub fn fnv64<'t>(texts: impl IntoIterator<Item = &'t str>) -> u64 {
    let mut hash = hash::EMPTY;
    for (at, text) in texts.into_iter().enumerate() {
        let between = (at > 0).then_some(0);
        hash = fnv1a(hash, between.into_iter().chain(text.bytes()));
    }
    hash
}
