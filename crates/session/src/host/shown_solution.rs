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

/// The commands of a lesson's solution that *Show me* has not performed yet.
#[derive(Debug)]
pub(super) struct RemainingSolution {
    /// The commands, each with the index of its step.
    commands: VecDeque<(usize, Timed)>,
    /// Time of the last performed command.
    performed_at: SimTime,
}

/// Returns the solution's commands for a step and the steps after it. Their times are shifted, because this run may
/// show the step earlier or later than the solution does; a second session plays the solution to find when it shows the
/// step. None if there is no solution, or if the solution does not reach the step.
fn remaining_solution(session: &Session, step: usize) -> Option<RemainingSolution> {
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
    Some(RemainingSolution {
        commands: moved.collect(),
        performed_at: shown_at,
    })
}

impl Host {
    /// Performs the next command of the solution. The first press of the button begins with the commands of the last
    /// shown step. If the user has already given commands in this step, a new branch begins before them.
    pub(super) fn show_me(&mut self, clock: ClockMillis) -> Vec<Update> {
        let mut updates = Vec::new();
        let Some(active) = &mut self.active else {
            return updates;
        };
        let goes_on = (self.solution.as_ref()).is_some_and(|solution| active.session.now() >= solution.performed_at);
        if !goes_on {
            let story = active.session.progress().story();
            let last = story
                .halt()
                .map_or(story.shown().len().saturating_sub(1), |halt| halt.step);
            let Some(solution) = remaining_solution(&active.session, last) else {
                return vec![error(active, Notice::NoSolution)];
            };
            let (session, from) = (&mut active.session, solution.performed_at);
            // If the user has given a command since the step was shown, or the time of the first of these commands has
            // already passed, the session seeks to the time at which the step was shown.
            let is_early = solution
                .commands
                .front()
                .is_none_or(|(_, first)| first.at >= session.now());
            let has_acted = session.commands().iter().any(|timed| timed.at >= from);
            if !is_early || has_acted || session.now() < from {
                session.seek(from);
                while session.advance(from, u64::MAX) == Slice::More {}
            }
            self.solution = Some(solution);
            updates = self.drop_waiting_requests();
            self.job = None;
        }
        if let Err(limit) = self.perform_next_command(clock) {
            updates.push(limit);
        }
        self.restart_pace(clock);
        self.dirty = true;
        updates
    }

    /// Performs the next command of the solution at its time. If the command belongs to a later step, or if no command
    /// is left, runs to the next step of the story instead.
    fn perform_next_command(&mut self, clock: ClockMillis) -> Result<(), Update> {
        let (Some(active), Some(solution)) = (&mut self.active, &mut self.solution) else {
            return Ok(());
        };
        if self.reader.question(&active.session).is_some() {
            self.reader.plays_after_answer = true;
            return Ok(());
        }
        let session = &mut active.session;
        let n_shown = session.progress().story().shown().len();
        let is_of_later_step = solution.commands.front().is_none_or(|(step, _)| *step >= n_shown);
        let to_story = is_of_later_step
            .then(|| director::start_skip_to_story_step(session, clock))
            .flatten();
        let fast = match (to_story, solution.commands.is_empty()) {
            (Some(fast), _) => Some(fast),
            (None, true) => Some(director::start_skip_to_pending_event(session, None, clock)),
            (None, false) => {
                if session.now() < session.horizon()
                    && let Err(limit) = session.fork()
                {
                    return Err(error(active, limit));
                }
                if let Some((_, Timed { at, command })) = solution.commands.pop_front() {
                    let at = at.max(session.now() + Span(1));
                    solution.performed_at = at;
                    session.schedule(vec![Timed { at, command }]);
                }
                director::start_skip_to_solution_command(session, clock)
            }
        };
        self.start_fast_forward(fast);
        Ok(())
    }
}
