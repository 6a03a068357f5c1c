//! Texts for upcoming events, and their lanes (rows) on the timeline; and what the forward button does.

use podscope_messages::t;
use podscope_protocol::{Caption, Director, FastRun, Lane, Micros, PendingEventKind, UpcomingEvent, UpcomingEventKind};

use super::{actions, clock};
use crate::state::{Model, Session};

/// Returns the object that an upcoming event is about, if any: `web-0`, `web-0/app`.
fn object_name(due: &UpcomingEvent) -> String {
    match due.container.is_empty() {
        true => due.name.clone(),
        false => format!("{}/{}", due.name, due.container),
    }
}

/// Describes the upcoming event as a sentence: `a-1 becomes NotReady`.
pub(crate) fn sentence_of(due: &UpcomingEvent) -> String {
    let (name, count) = (object_name(due), due.count.max(1));
    match due.what {
        UpcomingEventKind::Pending(kind) => match kind {
            PendingEventKind::NotReady => t!(upcoming::will_not_ready, name = name, count = count),
            PendingEventKind::Evicted => t!(upcoming::will_evicted, name = name, count = count),
            PendingEventKind::Lease => t!(upcoming::will_lease, name = name, count = count),
            PendingEventKind::Attempt => t!(upcoming::will_attempt, name = name, count = count),
            PendingEventKind::BackOff => t!(upcoming::will_back_off, name = name, count = count),
            PendingEventKind::Probe => t!(upcoming::will_probe, name = name, count = count),
            PendingEventKind::StopSignal => t!(upcoming::will_stop_signal, name = name, count = count),
            PendingEventKind::Kill => t!(upcoming::will_kill, name = name, count = count),
            PendingEventKind::Exit => t!(upcoming::will_exit, name = name, count = count),
            PendingEventKind::Job => t!(upcoming::will_job, name = name, count = count),
        },
        UpcomingEventKind::Script => t!(upcoming::will_script),
        UpcomingEventKind::Story => t!(upcoming::will_story),
        UpcomingEventKind::Solution => t!(upcoming::will_solution, name = name, count = count),
    }
}

/// Formats the time left until the event: `in 40 s`.
pub(crate) fn time_left(due: &UpcomingEvent, now: Micros) -> String {
    t!(upcoming::in_time, time = clock::countdown(due.at, now))
}

/// Returns the text of the event's outlined mark on the timeline.
pub(crate) fn mark_text(due: &UpcomingEvent) -> String {
    match due.what {
        UpcomingEventKind::Pending(kind) => match kind {
            PendingEventKind::NotReady => "NotReady".to_owned(),
            PendingEventKind::Evicted => t!(upcoming::mark_evicted),
            PendingEventKind::Lease => t!(upcoming::mark_lease),
            PendingEventKind::Attempt => t!(upcoming::mark_attempt),
            PendingEventKind::BackOff => t!(upcoming::mark_back_off),
            PendingEventKind::Probe => t!(upcoming::mark_probe),
            PendingEventKind::StopSignal => "SIGTERM".to_owned(),
            PendingEventKind::Kill => "SIGKILL".to_owned(),
            PendingEventKind::Exit => t!(upcoming::mark_exit),
            PendingEventKind::Job => "Job".to_owned(),
        },
        UpcomingEventKind::Script => t!(upcoming::mark_script),
        UpcomingEventKind::Story => t!(upcoming::mark_story),
        UpcomingEventKind::Solution => t!(upcoming::mark_solution),
    }
}

/// Returns the lane of the event's outlined mark.
pub(crate) fn lane(due: &UpcomingEvent) -> Lane {
    match due.what {
        UpcomingEventKind::Pending(kind) => match kind {
            PendingEventKind::NotReady | PendingEventKind::Lease | PendingEventKind::Job => Lane::Faults,
            PendingEventKind::Attempt => Lane::Decisions,
            PendingEventKind::Evicted | PendingEventKind::BackOff | PendingEventKind::Probe => Lane::Terminations,
            PendingEventKind::StopSignal | PendingEventKind::Kill | PendingEventKind::Exit => Lane::Terminations,
        },
        UpcomingEventKind::Script | UpcomingEventKind::Story | UpcomingEventKind::Solution => Lane::Commands,
    }
}

/// What the forward button does when it is pressed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Forward {
    /// Stops the fast run.
    Stop,
    /// Shows the step with this index: its question is open, and time is paused until the user answers it.
    Answer(usize),
    /// Shows the step with this index, which the run has already reached.
    Page(usize),
    /// Runs to the next upcoming event.
    Skip,
    /// Runs a command that the story suggests, or that heals a cut node.
    Command(String),
    /// Runs until the scheduler makes a decision.
    Decision,
}

impl Forward {
    /// Returns the value of the attribute `data-forward`.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Forward::Stop => "stop",
            Forward::Answer(_) => "answer",
            Forward::Page(_) => "page",
            Forward::Skip => "skip",
            Forward::Command(_) => "command",
            Forward::Decision => "decision",
        }
    }
}

/// Chooses the action of the forward button.
pub(crate) fn forward(session: &Session) -> Forward {
    let (model, story) = (&session.model, &session.model.story);
    if model.director.running.is_some() {
        return Forward::Stop;
    }
    if let Some(step) = story.question {
        return Forward::Answer(step);
    }
    if story.step + 1 < story.steps.len() {
        return Forward::Page(story.step + 1);
    }
    if !model.director.next.is_empty() {
        return Forward::Skip;
    }
    let suggested = (session.opened.as_ref()).and_then(|opened| opened.story.get(story.step)?.try_command.clone());
    let suggested = suggested.filter(|line| {
        !story.finished && actions::short_description(line).is_some() && !is_effect_present(line, model)
    });
    match suggested.or_else(|| model.cut_nodes().next().map(actions::toggle_cut_command)) {
        Some(line) => Forward::Command(line),
        None => Forward::Decision,
    }
}

/// Returns whether the effect of a command is already present on the node that it names.
fn is_effect_present(line: &str, model: &Model) -> bool {
    let node = line.split_whitespace().last().and_then(|name| model.nodes.get(name));
    node.is_some_and(|node| actions::reverse_command(line, &node.view).is_some())
}

/// Returns the two texts on the button: what it leads to, and the time until then, or who has to act next.
pub(crate) fn button_texts(next: &Forward, session: &Session, now: Micros) -> (String, String) {
    let director = &session.model.director;
    match next {
        Forward::Stop => {
            let until = director.running.map(|run| match run {
                FastRun::Skip(target) | FastRun::Decision(target) => {
                    t!(upcoming::until, time = clock::axis_label(target))
                }
            });
            (t!(upcoming::stop), until.unwrap_or_default())
        }
        Forward::Answer(_) => (t!(upcoming::answer_first), t!(upcoming::time_waits)),
        Forward::Page(step) => (t!(upcoming::next_page), t!(upcoming::step, step = step + 1)),
        Forward::Skip => {
            let due = director.next.first();
            due.map_or_else(Default::default, |due| {
                (target_name(due), clock::countdown(due.at, now))
            })
        }
        Forward::Command(line) => (
            actions::short_description(line).unwrap_or_default(),
            t!(upcoming::your_move),
        ),
        Forward::Decision => (t!(upcoming::next_decision), String::new()),
    }
}

/// Returns the button's tooltip.
pub(crate) fn forward_tooltip(forward: &Forward, session: &Session, now: Micros) -> String {
    match forward {
        Forward::Stop => session.model.director.running.map(fast_run_text).unwrap_or_default(),
        Forward::Answer(_) => t!(upcoming::waits_for_answer),
        Forward::Page(_) => t!(upcoming::story_goes_on),
        Forward::Skip => match next_two_events(&session.model.director) {
            Some((first, Some(then))) => t!(
                upcoming::events_in,
                event = sentence_of(first),
                time = clock::countdown(first.at, now),
                then = sentence_of(then),
                then_time = clock::countdown(then.at, now),
            ),
            Some((first, None)) => event_with_time_left(first, now),
            None => String::new(),
        },
        Forward::Command(line) => line.clone(),
        Forward::Decision => t!(upcoming::until_decision),
    }
}

/// Describes the event with the time left: `a-1 becomes NotReady in 40 s`.
fn event_with_time_left(due: &UpcomingEvent, now: Micros) -> String {
    t!(
        upcoming::event_in,
        event = sentence_of(due),
        time = clock::countdown(due.at, now)
    )
}

/// Names the event at which a fast run will stop: `NotReady`, `the eviction`.
fn target_name(due: &UpcomingEvent) -> String {
    match due.what {
        UpcomingEventKind::Pending(kind) => match kind {
            PendingEventKind::NotReady => "NotReady".to_owned(),
            PendingEventKind::Evicted => t!(upcoming::to_eviction),
            PendingEventKind::Lease => t!(upcoming::to_leader),
            PendingEventKind::Attempt => t!(upcoming::to_attempt),
            PendingEventKind::BackOff => t!(upcoming::to_restart),
            PendingEventKind::Probe => t!(upcoming::to_probe),
            PendingEventKind::StopSignal => "SIGTERM".to_owned(),
            PendingEventKind::Kill => "SIGKILL".to_owned(),
            PendingEventKind::Exit => t!(upcoming::to_exit),
            PendingEventKind::Job => t!(upcoming::to_job),
        },
        UpcomingEventKind::Script => t!(upcoming::to_script),
        UpcomingEventKind::Story => t!(upcoming::to_story),
        UpcomingEventKind::Solution => t!(upcoming::to_solution),
    }
}

/// Describes a fast run (time runs fast up to an event) that is in progress.
pub(crate) fn fast_run_text(run: FastRun) -> String {
    match run {
        FastRun::Skip(target) => t!(upcoming::skipping, time = clock::axis_label(target)),
        FastRun::Decision(until) => t!(upcoming::looking, time = clock::axis_label(until)),
    }
}

/// Describes the end of a fast run.
pub(crate) fn fast_run_outcome(caption: &Caption) -> String {
    let took = |waited: &Micros| clock::rounded_duration(*waited);
    match caption {
        Caption::Occurred(due, _) if due.what == UpcomingEventKind::Solution => {
            // Remove the redirection from a here-document, because the text of the document is not shown.
            let command = due.name.split(" <<").next().unwrap_or_default();
            t!(upcoming::showing, name = command, time = clock::axis_label(due.at))
        }
        Caption::Occurred(due, waited) => {
            t!(upcoming::occurred, waited = took(waited), event = past_sentence(due))
        }
        Caption::DidNotOccur(due, waited) => {
            t!(upcoming::did_not_occur, waited = took(waited), event = sentence_of(due))
        }
        Caption::Story(waited) => t!(upcoming::story_went_on, waited = took(waited)),
        Caption::Decided(waited) => t!(upcoming::decided, waited = took(waited)),
        Caption::NoDecision(waited, at) => {
            t!(
                upcoming::no_decision,
                waited = took(waited),
                time = clock::axis_label(*at)
            )
        }
        Caption::Before(due, waited) => {
            t!(
                upcoming::before_decision,
                waited = took(waited),
                event = past_sentence(due)
            )
        }
        Caption::Event { by, what, of } if of.is_empty() => t!(upcoming::one_event, by = by, what = what),
        Caption::Event { by, what, of } => t!(upcoming::one_event_of, by = by, what = what, of = of),
        Caption::NoUpcomingEvent => t!(upcoming::nothing_comes),
    }
}

fn past_sentence(due: &UpcomingEvent) -> String {
    let (name, count) = (object_name(due), due.count.max(1));
    match due.what {
        UpcomingEventKind::Pending(kind) => match kind {
            PendingEventKind::NotReady => t!(upcoming::was_not_ready, name = name, count = count),
            PendingEventKind::Evicted => t!(upcoming::was_evicted, name = name, count = count),
            PendingEventKind::Lease => t!(upcoming::was_lease, name = name, count = count),
            PendingEventKind::Attempt => t!(upcoming::was_attempt, name = name, count = count),
            PendingEventKind::BackOff => t!(upcoming::was_back_off, name = name, count = count),
            PendingEventKind::Probe => t!(upcoming::was_probe, name = name, count = count),
            PendingEventKind::StopSignal => t!(upcoming::was_stop_signal, name = name, count = count),
            PendingEventKind::Kill => t!(upcoming::was_kill, name = name, count = count),
            PendingEventKind::Exit => t!(upcoming::was_exit, name = name, count = count),
            PendingEventKind::Job => t!(upcoming::was_job, name = name, count = count),
        },
        UpcomingEventKind::Script => t!(upcoming::was_script),
        UpcomingEventKind::Story => t!(upcoming::was_story),
        UpcomingEventKind::Solution => t!(upcoming::was_solution, name = name, count = count),
    }
}

/// Returns the next event, and the first event after it that is later or results from it.
pub(crate) fn next_two_events(director: &Director) -> Option<(&UpcomingEvent, Option<&UpcomingEvent>)> {
    let first = director.next.first()?;
    let then = director
        .next
        .iter()
        .skip(1)
        .find(|due| due.is_projected || due.at > first.at);
    Some((first, then))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn upcoming_event(what: UpcomingEventKind, name: &str, at: i64, count: u32) -> UpcomingEvent {
        UpcomingEvent {
            at: at * 1_000_000,
            what,
            name: name.into(),
            count,
            ..UpcomingEvent::default()
        }
    }

    #[test]
    fn upcoming_events_are_described_with_time_left() {
        let fall = upcoming_event(UpcomingEventKind::Pending(PendingEventKind::NotReady), "a-1", 105, 1);
        let evict = upcoming_event(UpcomingEventKind::Pending(PendingEventKind::Evicted), "web", 405, 3);
        assert_eq!(event_with_time_left(&fall, 65_000_000), "a-1 becomes NotReady in 40 s");
        assert_eq!(event_with_time_left(&evict, 65_000_000), "3 pods are evicted in 5:40");
        let director = Director {
            next: vec![fall.clone(), evict.clone()],
            ..Director::default()
        };
        assert_eq!(next_two_events(&director), Some((&fall, Some(&evict))));
        assert_eq!(
            fast_run_outcome(&Caption::Occurred(fall, 40_000_000)),
            "40 s later: a-1 became NotReady."
        );
        assert!(
            fast_run_outcome(&Caption::DidNotOccur(evict, 9_000_000))
                .starts_with("9 s later: it did not come to it that 3 pods")
        );
        assert_eq!(
            lane(&upcoming_event(
                UpcomingEventKind::Pending(PendingEventKind::Attempt),
                "p",
                0,
                1
            )),
            Lane::Decisions
        );
    }
}
