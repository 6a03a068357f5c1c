//! Tries seeds with as many threads as there are processors. The result does not depend on which thread tries which
//! seed.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use podscope_api::ordered::StableSort as _;
use podscope_protocol::Problem;
use podscope_session::search::{FoundViolation, Run, RunSource, SearchGoal};

use super::outcome::ViolationCounts;
use crate::interrupt;
use crate::progress::Progress;

/// Seeds that are tried: `count` seeds, starting with `first`, in steps of `step`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seeds {
    pub(super) first: u64,
    pub(super) step: u64,
    pub(super) count: u64,
}

impl Seeds {
    /// Returns the `nth` seed; None after the last one.
    pub(super) fn get(&self, nth: u64) -> Option<u64> {
        (nth < self.count).then(|| self.first.wrapping_add(nth.wrapping_mul(self.step)))
    }
}

/// Result of all tried seeds.
#[derive(Default)]
pub(super) struct TriedSeeds {
    pub(super) seeds: u64,
    /// Number of runs with a violation; `broken` counts the violations in them.
    pub(super) runs: u64,
    pub(super) broken: ViolationCounts,
    /// The smallest runs with a violation that meets the goal.
    pub(super) found: Vec<FoundViolation>,
}

/// Tries all seeds, and keeps the smallest runs, at most `max_found`.
///
/// # Errors
/// The files cannot be read.
pub(super) fn try_all(
    source: &RunSource,
    goal: &SearchGoal,
    seeds: &Seeds,
    max_found: usize,
) -> Result<TriedSeeds, Vec<Problem>> {
    let (next, has_failed) = (AtomicU64::new(0), AtomicBool::new(false));
    let tried = Mutex::new((TriedSeeds::default(), Progress::of_seeds(seeds.count)));
    let work = || -> Result<(), Vec<Problem>> {
        while let Some(seed) = seeds.get(next.fetch_add(1, Ordering::Relaxed)) {
            if interrupt::is_interrupted() || has_failed.load(Ordering::Relaxed) {
                break;
            }
            let played = Run::generate(source, seed).and_then(|run| run.play(goal));
            let played = played.inspect_err(|_| has_failed.store(true, Ordering::Relaxed))?;
            if let Ok(mut both) = tried.lock() {
                let (tried, progress) = &mut *both;
                tried.seeds += 1;
                tried.runs += u64::from(!played.broken.is_empty());
                tried.broken.add_all(&played.broken);
                tried.found.extend(played.found);
                tried.found.stable_sort_by_key(FoundViolation::ordering_key);
                tried.found.truncate(max_found);
                let runs = tried.runs;
                progress.update(tried.seeds, || format!("{runs} with a break"));
            }
        }
        Ok(())
    };
    let n_threads = thread::available_parallelism().map_or(1, usize::from);
    let ended: Vec<Result<(), Vec<Problem>>> = thread::scope(|scope| {
        let threads: Vec<_> = (0..n_threads).map(|_| scope.spawn(work)).collect();
        let joined = threads.into_iter().map(|thread| match thread.join() {
            Ok(ended) => ended,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        joined.collect()
    });
    ended.into_iter().collect::<Result<(), _>>()?;
    Ok(match tried.into_inner() {
        Ok((tried, _)) => tried,
        Err(poisoned) => poisoned.into_inner().0,
    })
}
