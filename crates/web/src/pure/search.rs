//! Adds up the results of the engines that search for a broken guarantee. The totals do not depend on which engine
//! tried which seed.

use podscope_api::ordered;
use podscope_protocol::{RunSize, TriedSeed};

/// Number of runs that are shrunk: the smallest ones that break a guarantee.
const MAX_SHRUNK_RUNS: usize = 8;

/// Results for the seeds that a search has tried so far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SearchTally {
    pub(crate) tried: u32,
    /// Number of runs that break a guarantee.
    pub(crate) broke: u32,
    /// Number of runs that break each guarantee, by its name.
    pub(crate) by_guarantee: ordered::Map<String, u32>,
    smallest: Vec<RunSize>,
}

impl SearchTally {
    pub(crate) fn add(&mut self, tried: TriedSeed) {
        self.tried += 1;
        self.broke += u32::from(!tried.broken.is_empty());
        for name in tried.broken {
            *self.by_guarantee.entry(name).or_default() += 1;
        }
        if let Some(size) = tried.size {
            let at = self.smallest.partition_point(|smaller| *smaller < size);
            self.smallest.insert(at, size);
            self.smallest.truncate(MAX_SHRUNK_RUNS);
        }
    }

    /// Returns the seeds of the smallest runs, the smallest run first.
    pub(crate) fn seeds_to_shrink(&self) -> Vec<u64> {
        self.smallest.iter().map(|size| size.seed).collect()
    }
}

/// Returns the seeds that one engine tries, if several engines share them.
pub(crate) fn seeds_of_engine(engine: usize, engines: usize, first: u64, runs: u32) -> Vec<u64> {
    (0..u64::from(runs))
        .skip(engine)
        .step_by(engines.max(1))
        .map(|nth| first.wrapping_add(nth))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tried_seed(seed: u64, parts: u32) -> TriedSeed {
        let size = RunSize {
            parts,
            commands: parts,
            at: 0,
            seed,
        };
        TriedSeed {
            seed,
            broken: if parts > 0 {
                vec!["unique-name".into()]
            } else {
                Vec::new()
            },
            size: (parts > 0).then_some(size),
        }
    }

    /// Shows: P-16
    #[test]
    fn tally_is_the_same_for_any_division_of_seeds() {
        let all: Vec<TriedSeed> = (0..40).map(|seed| tried_seed(seed, (seed % 5) as u32)).collect();
        let count = |engines: usize| {
            let mut tally = SearchTally::default();
            for engine in 0..engines {
                for seed in seeds_of_engine(engine, engines, 0, 40) {
                    tally.add(all[seed as usize].clone());
                }
            }
            tally
        };
        let one = count(1);
        assert_eq!((one.tried, one.broke), (40, 32));
        assert_eq!(one.seeds_to_shrink(), [1, 6, 11, 16, 21, 26, 31, 36]);
        for engines in 2..5 {
            assert_eq!(count(engines), one, "{engines} engines");
        }
    }
}
