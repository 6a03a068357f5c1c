//! Makes a run small: the fewest parts and acts that still break the same
//! invariant from the same cause, then every one as early as it goes.

use podscope_cluster::{BreakCause, SimTime, Span};

use super::{Found, Goal, Part, Run};

/// How much later than before a smaller run may break.
const LATER: Span = Span::seconds(300);
/// Rounds of leaving out and moving; each keeps what it gained.
const ROUNDS: usize = 3;

/// The smallest run that could be found in a few rounds.
pub fn shrink(found: Found) -> Found {
    let violation = found.record.violation();
    let goal = Goal {
        invariant: violation.map(|violation| violation.invariant.to_string()),
        only_bugs: violation.is_some_and(|violation| violation.cause == BreakCause::Bug),
    };
    let mut best = found;
    for _ in 0..ROUNDS {
        let before = best.size();
        best = earlier(fewer(best, &goal), &goal);
        if best.size() == before {
            break;
        }
    }
    best
}

/// Plays a changed run; it is the better one if it still meets the goal in time.
fn attempt(run: Run, goal: &Goal, until: SimTime) -> Option<Found> {
    run.play_until(goal, until.min(run.until)).ok()?.found
}

/// Leaves out parts, in halves, quarters, …, one by one; then the repairs.
fn fewer(mut best: Found, goal: &Goal) -> Found {
    let mut width = best.run.parts.len().div_ceil(2).max(1);
    loop {
        let mut from = 0;
        while from < best.run.parts.len() {
            let mut run = best.run.clone();
            let to = (from + width).min(run.parts.len());
            run.parts.drain(from..to);
            match attempt(run, goal, best.record.at + LATER) {
                Some(smaller) => best = smaller,
                None => from = to,
            }
        }
        if width == 1 {
            break;
        }
        width = width.div_ceil(2);
    }
    for index in 0..best.run.parts.len() {
        let mut run = best.run.clone();
        let Some(Part::Acts(acts)) = run.parts.get_mut(index) else {
            continue;
        };
        if acts.len() > 1 {
            acts.truncate(1);
            best = attempt(run, goal, best.record.at + LATER).unwrap_or(best);
        }
    }
    best
}

/// Moves each act towards the start, as far as the break does not come later.
fn earlier(mut best: Found, goal: &Goal) -> Found {
    for index in 0..best.run.parts.len() {
        let Some(Part::Acts(acts)) = best.run.parts.get(index) else {
            continue;
        };
        for act in 0..acts.len() {
            best = move_act(best, goal, index, act);
        }
    }
    best
}

/// Bisects the time between an act and the one before it in its part; moving the first takes the others along.
fn move_act(mut best: Found, goal: &Goal, index: usize, act: usize) -> Found {
    let instant = |best: &Found| match best.run.parts.get(index) {
        Some(Part::Acts(acts)) => {
            let before = act.checked_sub(1).and_then(|before| acts.get(before));
            let low = before.map_or(SimTime::ZERO, |before| before.at);
            acts.get(act).map(|timed| (low, timed.at))
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
        if let Some(Part::Acts(acts)) = run.parts.get_mut(index) {
            acts.iter_mut()
                .skip(act)
                .for_each(|timed| timed.at = timed.at - (high - target));
        }
        match attempt(run, goal, best.record.at) {
            Some(moved) => best = moved,
            None => low = target + Span::seconds(1),
        }
    }
    best
}
