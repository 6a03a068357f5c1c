//! Seed search for the page: tries one seed per piece of work. The page divides the seeds among several engines that do
//! nothing else, so a piece of work may be as long as a run.

use std::collections::VecDeque;

use podscope_api::ordered;
use podscope_protocol::{RunSize, Search, SearchUpdate, ShortestRun, TriedSeed, Update};

use super::Host;
use crate::link::Link;
use crate::search::{FoundViolation, Run, SearchGoal, shrink};

/// A seed search in progress.
#[derive(Debug)]
pub(super) struct SeedSearch {
    search: Search,
    /// The seeds that have not been tried yet.
    seeds: VecDeque<u64>,
    shortest: Option<FoundViolation>,
}

impl SeedSearch {
    pub(super) fn start(search: Search) -> Self {
        Self {
            seeds: search.seeds.iter().copied().collect(),
            search,
            shortest: None,
        }
    }
}

impl Host {
    /// Plays the run of the next seed. Returns its result or, after the last seed, the shortest run with a violation.
    pub(super) fn continue_search(&mut self) -> Option<Update> {
        let searching = self.search.as_mut()?;
        let Some(seed) = searching.seeds.pop_front() else {
            let shortest = self.search.take()?.shortest;
            return Some(Update::Search(SearchUpdate::Shortest(shortest.and_then(shortest_run))));
        };
        let run = Run::generate_faults(&searching.search.files, seed);
        let played = match run.and_then(|run| run.play(&SearchGoal::default())) {
            Ok(played) => played,
            Err(problems) => {
                self.search = None;
                return Some(Update::Refused { problems });
            }
        };
        let broken = played.broken.iter().filter_map(|record| record.violation());
        let broken: ordered::Set<String> = broken.map(|violation| violation.invariant.to_string()).collect();
        let tried = TriedSeed {
            seed,
            broken: broken.iter().cloned().collect(),
            size: played.found.as_ref().map(run_size),
        };
        if searching.search.shrinks {
            let smaller = searching.shortest.take().into_iter().chain(played.found.map(shrink));
            searching.shortest = smaller.min_by_key(FoundViolation::ordering_key);
        }
        Some(Update::Search(SearchUpdate::Tried(tried)))
    }
}

fn run_size(found: &FoundViolation) -> RunSize {
    let (parts, commands, at, seed) = found.ordering_key();
    RunSize {
        parts: u32::try_from(parts).unwrap_or(u32::MAX),
        commands: u32::try_from(commands).unwrap_or(u32::MAX),
        at: at.0,
        seed,
    }
}

/// Converts a run with a violation for the page. `None` only if its record is not a violation; a search finds no such
/// run.
fn shortest_run(found: FoundViolation) -> Option<Box<ShortestRun>> {
    let schedule = found.schedule();
    let violation = found.record.violation()?;
    Some(Box::new(ShortestRun {
        broken: violation.invariant.to_string(),
        at: found.record.at.0,
        seed: found.run.seed,
        seen: violation.seen.clone(),
        by: violation.by.sentence(),
        commands: (schedule.iter())
            .map(|timed| (timed.at.0, timed.command.to_string()))
            .collect(),
        link: Link::of(&found.into_session(), None, String::new()).encode(),
    }))
}
