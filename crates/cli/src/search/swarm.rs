//! Seeds tried by as many threads as there are processors. What is found does not depend on which thread found it.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use podscope_api::ordered::{self, StableSort as _};
use podscope_cluster::Record;
use podscope_protocol::Problem;
use podscope_session::search::{Found, Goal, Run, Source};

use super::outcome::Broken;
use crate::interrupt;
use crate::progress::Progress;

/// What came of seeds.
#[derive(Default)]
pub(super) struct Tried {
    pub(super) seeds: u64,
    pub(super) tally: Tally,
    /// The smallest of the runs that were found.
    pub(super) found: Vec<Found>,
}

/// How often each invariant broke, by cause and exception.
#[derive(Default)]
pub(super) struct Tally {
    pub(super) runs: u64,
    rows: ordered::Map<(String, String, String), u64>,
}

/// Tries all seeds, and keeps so many of the smallest runs.
///
/// # Errors
/// The files cannot be read.
pub(super) fn try_all(source: &Source, goal: &Goal, seeds: &[u64], kept: usize) -> Result<Tried, Vec<Problem>> {
    let (next, has_failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let tried = Mutex::new((Tried::default(), Progress::of_seeds(seeds.len() as u64)));
    let work = || -> Result<(), Vec<Problem>> {
        while let Some(seed) = seeds.get(next.fetch_add(1, Ordering::Relaxed)) {
            if interrupt::came() || has_failed.load(Ordering::Relaxed) {
                break;
            }
            let played = Run::draw(source, *seed).and_then(|run| run.play(goal));
            let played = played.inspect_err(|_| has_failed.store(true, Ordering::Relaxed))?;
            if let Ok(mut both) = tried.lock() {
                let (tried, progress) = &mut *both;
                tried.seeds += 1;
                tried.tally.add(&played.broken);
                tried.found.extend(played.found);
                tried.found.stable_sort_by_key(Found::size);
                tried.found.truncate(kept);
                let runs = tried.tally.runs;
                progress.at(tried.seeds, || format!("{runs} with a break"));
            }
        }
        Ok(())
    };
    let n_threads = thread::available_parallelism()
        .map_or(1, usize::from)
        .min(seeds.len().max(1));
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

impl Tally {
    fn add(&mut self, broken: &[std::sync::Arc<Record>]) {
        self.runs += u64::from(!broken.is_empty());
        for violation in broken.iter().filter_map(|record| record.violation()) {
            let row = (
                violation.invariant.to_string(),
                violation.cause.as_str().to_owned(),
                violation
                    .by
                    .exception
                    .clone()
                    .unwrap_or_else(|| violation.by.who.to_string()),
            );
            *self.rows.entry(row).or_default() += 1;
        }
    }

    /// The rows, by invariant, cause and exception.
    pub(super) fn rows(&self) -> Vec<Broken> {
        let row = |((invariant, cause, exception), count): (&(String, String, String), &u64)| Broken {
            invariant: invariant.clone(),
            cause: cause.clone(),
            exception: exception.clone(),
            count: *count,
        };
        self.rows.iter().map(row).collect()
    }
}
