//! The button *Show me*: shows a lesson's solution command by command. Each press of the button runs to the next
//! command of the solution and performs only that one; then time continues, so that the effect is visible. If the next
//! command belongs to a step that has not been shown yet, the press runs to that step first.

use std::collections::VecDeque;

use podscope_cluster::{SimTime, Span};

use super::console::error;
use super::{ClockMillis, Host, director};
use crate::play::{self, Attempt};
use crate::scenario::Timed;
use crate::timeline::{Session, Slice};
use podscope_protocol::{Notice, Update};

/// The part of a lesson's solution that has not been shown yet.
#[derive(Debug)]
pub(super) struct ShownSolution {
    /// Commands that have not been performed yet, each with the index of its step.
    rest: VecDeque<(usize, Timed)>,
    /// Time of the last performed command.
    given_at: SimTime,
}

/// Returns the commands of the solution from a step on, shifted to the time at which this run showed the step. To find
/// the time of the step in the solution, plays the solution in a second session. None if there is no solution, or if
/// the solution does not reach the step.
fn rest_of_solution(session: &Session, step: usize) -> Option<ShownSolution> {
    let loaded = session.loaded();
    let shown_at = session.progress().story().shown().get(step)?.at;
    let played = play::play((**loaded).clone(), Attempt::Solution, None).ok()?;
    let shown = played.session.progress().story().shown();
    let solution_shown_at = shown.get(step)?.at;
    let rest = (loaded.scenario.solution.iter()).filter(|timed| timed.at >= solution_shown_at);
    let moved = rest.map(|timed| {
        let of_step = shown
            .iter()
            .take_while(|shown| shown.at <= timed.at)
            .count()
            .saturating_sub(1);
        let at = shown_at + (timed.at - solution_shown_at);
        let command = timed.command.clone();
        (of_step, Timed { at, command })
    });
    Some(ShownSolution {
        rest: moved.collect(),
        given_at: shown_at,
    })
}

impl Host {
    /// Shows the next command of the solution. The first press of the button continues the solution at the last shown
    /// step; commands that the user has given since then stay on their branch.
    pub(super) fn show_me(&mut self, clock: ClockMillis) -> Vec<Update> {
        let mut updates = Vec::new();
        let Some(active) = &mut self.active else {
            return updates;
        };
        let goes_on = (self.solution.as_ref()).is_some_and(|solution| active.session.now() >= solution.given_at);
        if !goes_on {
            let story = active.session.progress().story();
            let last = story
                .halt()
                .map_or(story.shown().len().saturating_sub(1), |halt| halt.step);
            let Some(solution) = rest_of_solution(&active.session, last) else {
                return vec![error(active, Notice::NoSolution)];
            };
            let (session, from) = (&mut active.session, solution.given_at);
            // The solution continues from the cursor if the user has given no command since the step and no command of
            // the solution is overdue. Otherwise the session goes back to the step.
            let is_early = solution.rest.front().is_none_or(|(_, first)| first.at >= session.now());
            let has_acted = session.commands().iter().any(|timed| timed.at >= from);
            if !is_early || has_acted || session.now() < from {
                session.seek(from);
                while session.advance(from, u64::MAX) == Slice::More {}
            }
            self.solution = Some(solution);
            updates = self.drop_waiting_requests();
            self.job = None;
        }
        if let Err(limit) = self.give_next_command(clock) {
            updates.push(limit);
        }
        self.restart_pace(clock);
        self.dirty = true;
        updates
    }

    /// Runs to the next command of the solution. If it belongs to a later step, or if no command is left, runs to the
    /// next step of the story.
    fn give_next_command(&mut self, clock: ClockMillis) -> Result<(), Update> {
        let (Some(active), Some(solution)) = (&mut self.active, &mut self.solution) else {
            return Ok(());
        };
        if self.reader.question(&active.session).is_some() {
            self.reader.plays_after_answer = true;
            return Ok(());
        }
        let session = &mut active.session;
        let n_shown = session.progress().story().shown().len();
        let is_of_later_step = solution.rest.front().is_none_or(|(step, _)| *step >= n_shown);
        let to_story = is_of_later_step
            .then(|| director::skip_to_story(session, clock))
            .flatten();
        let fast = match (to_story, solution.rest.is_empty()) {
            (Some(fast), _) => Some(fast),
            (None, true) => Some(director::skip_to_pending_event(session, None, clock)),
            (None, false) => {
                if session.now() < session.horizon()
                    && let Err(limit) = session.fork()
                {
                    return Err(error(active, limit));
                }
                if let Some((_, Timed { at, command })) = solution.rest.pop_front() {
                    let at = at.max(session.now() + Span(1));
                    solution.given_at = at;
                    session.schedule(vec![Timed { at, command }]);
                }
                director::skip_to_solution(session, clock)
            }
        };
        self.run_fast(fast);
        Ok(())
    }
}
