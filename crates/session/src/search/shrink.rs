//! Shrinks a run of a seed search: finds the fewest parts and commands with which the run still violates the same
//! invariant for the same cause, then moves each command to the earliest possible time.

use podscope_api::fault::ViolationCause;
use podscope_cluster::{SimTime, Span};

use super::{FoundViolation, Run, RunPart, SearchGoal};

/// Maximum delay of the violation in a smaller run, compared with the original run.
const MAX_VIOLATION_DELAY: Span = Span::seconds(300);
/// Maximum number of rounds in which parts are removed and moved. Each round starts from the smallest run so far.
const MAX_ROUNDS: usize = 3;

/// Returns the smallest run found within `MAX_ROUNDS`.
pub fn shrink(found: FoundViolation) -> FoundViolation {
    let violation = found.record.violation();
    let goal = SearchGoal {
        invariant: violation.map(|violation| violation.invariant.to_string()),
        only_bugs: violation.is_some_and(|violation| violation.cause == ViolationCause::Bug),
    };
    let mut best = found;
    for _ in 0..MAX_ROUNDS {
        let before = best.ordering_key();
        best = move_earlier(remove_parts(best, &goal), &goal);
        if best.ordering_key() == before {
            break;
        }
    }
    best
}

/// Plays a run that has been changed. Returns the run with its violation if the violation still occurs by `until`.
fn play_changed(run: Run, goal: &SearchGoal, until: SimTime) -> Option<FoundViolation> {
    run.play_until(goal, until.min(run.until)).ok()?.found
}

/// Removes parts of a run, then repairs, as long as the violation still occurs.
fn remove_parts(mut best: FoundViolation, goal: &SearchGoal) -> FoundViolation {
    let all = best.run.clone();
    all.remove_parts(
        |run| match play_changed(run.clone(), goal, best.record.at + MAX_VIOLATION_DELAY) {
            Some(smaller) => {
                best = smaller;
                true
            }
            None => false,
        },
    );
    best
}

impl Run {
    /// Removes parts: first half of them, then quarters and so on down to single parts, then the repairs of the
    /// remaining parts. Calls `fails` with each smaller run, and keeps the smaller run if `fails` returns true.
    pub fn remove_parts(self, mut fails: impl FnMut(&Run) -> bool) -> Run {
        let mut best = self;
        let mut width = best.parts.len().div_ceil(2).max(1);
        loop {
            let mut from = 0;
            while from < best.parts.len() {
                let mut run = best.clone();
                let to = (from + width).min(run.parts.len());
                run.parts.drain(from..to);
                if fails(&run) {
                    best = run;
                } else {
                    from = to;
                }
            }
            if width == 1 {
                break;
            }
            width = width.div_ceil(2);
        }
        for index in 0..best.parts.len() {
            let mut run = best.clone();
            let Some(RunPart::Commands(commands)) = run.parts.get_mut(index) else {
                continue;
            };
            if commands.len() > 1 {
                commands.truncate(1);
                if fails(&run) {
                    best = run;
                }
            }
        }
        best
    }
}

/// Moves each command of a run to an earlier time, as long as the violation is not delayed.
fn move_earlier(mut best: FoundViolation, goal: &SearchGoal) -> FoundViolation {
    for index in 0..best.run.parts.len() {
        let Some(RunPart::Commands(commands)) = best.run.parts.get(index) else {
            continue;
        };
        for command_index in 0..commands.len() {
            best = move_command(best, goal, index, command_index);
        }
    }
    best
}

/// Finds the earliest possible time of a command by bisection between the time of the previous command in its part and
/// the command's current time. The later commands of the part are moved by the same span.
fn move_command(
    mut best: FoundViolation,
    goal: &SearchGoal,
    part_index: usize,
    command_index: usize,
) -> FoundViolation {
    let instant = |best: &FoundViolation| match best.run.parts.get(part_index) {
        Some(RunPart::Commands(commands)) => {
            let before = command_index.checked_sub(1).and_then(|before| commands.get(before));
            let low = before.map_or(SimTime::ZERO, |before| before.at);
            commands.get(command_index).map(|timed| (low, timed.at))
        }
        _ => None,
    };
    let Some((mut low, _)) = instant(&best) else {
        return best;
    };
    while let Some((_, high)) = instant(&best) {
        let gap = (high - low).whole_seconds();
        if gap < 1 {
            return best;
        }
        let target = low + Span::seconds(gap / 2);
        let mut run = best.run.clone();
        if let Some(RunPart::Commands(commands)) = run.parts.get_mut(part_index) {
            commands
                .iter_mut()
                .skip(command_index)
                .for_each(|timed| timed.at = timed.at - (high - target));
        }
        match play_changed(run, goal, best.record.at) {
            Some(moved) => best = moved,
            None => low = target + Span::seconds(1),
        }
    }
    best
}
