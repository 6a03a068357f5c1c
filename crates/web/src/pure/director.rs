//! Texts for coming events, and their lanes on the timeline; and what the forward button does.

use podscope_protocol::{Caption, Director, FastRun, Lane, Micros, UpcomingEvent, UpcomingEventKind};

use super::{actions, clock};
use crate::state::{Model, Page};

/// The objects of a coming event: `web-0`, `web-0/app`, `3 pods`.
fn whom(due: &UpcomingEvent) -> String {
    let thing = match due.what {
        UpcomingEventKind::NotReady => "nodes",
        UpcomingEventKind::Lease => "leases",
        UpcomingEventKind::Exit
        | UpcomingEventKind::BackOff
        | UpcomingEventKind::Probe
        | UpcomingEventKind::StopSignal
        | UpcomingEventKind::Kill => "containers",
        UpcomingEventKind::Evicted
        | UpcomingEventKind::Attempt
        | UpcomingEventKind::Script
        | UpcomingEventKind::Story
        | UpcomingEventKind::Solution => "pods",
        UpcomingEventKind::Job => "CronJobs",
    };
    match (due.count, due.container.is_empty()) {
        (0 | 1, true) => due.name.clone(),
        (0 | 1, false) => format!("{}/{}", due.name, due.container),
        (count, _) => format!("{count} {thing}"),
    }
}

/// The ending of a verb: `verb_ending` for a single object.
fn verb_ending(due: &UpcomingEvent) -> &'static str {
    if due.count > 1 { "" } else { "s" }
}

/// The coming event as a sentence: `a-1 becomes NotReady`.
pub(crate) fn sentence_of(due: &UpcomingEvent) -> String {
    let (whom, s) = (whom(due), verb_ending(due));
    let are = if due.count > 1 { "are" } else { "is" };
    match due.what {
        UpcomingEventKind::NotReady => format!("{whom} become{s} NotReady"),
        UpcomingEventKind::Evicted => format!("{whom} {are} evicted"),
        UpcomingEventKind::Lease => format!("another process takes the lease {whom}"),
        UpcomingEventKind::Attempt => format!("the scheduler tries {whom} again"),
        UpcomingEventKind::BackOff => format!("{whom} {are} started again"),
        UpcomingEventKind::Probe => format!("the probe of {whom} has failed often enough"),
        UpcomingEventKind::StopSignal => format!("the preStop hook of {whom} has had its time"),
        UpcomingEventKind::Kill => format!("{whom} get{s} SIGKILL"),
        UpcomingEventKind::Exit if due.count > 1 => format!("{whom} end by themselves"),
        UpcomingEventKind::Exit => format!("{whom} ends by itself"),
        UpcomingEventKind::Job => format!("{whom} make{s} a Job"),
        UpcomingEventKind::Script => "the scenario goes on".to_owned(),
        UpcomingEventKind::Story => "the story goes on".to_owned(),
        UpcomingEventKind::Solution => format!("the solution runs {whom}"),
    }
}

/// The time left until the event: `in 40 s`.
pub(crate) fn time_left(due: &UpcomingEvent, now: Micros) -> String {
    format!("in {}", clock::left(due.at, now))
}

/// The text of the event's outlined mark on the timeline.
pub(crate) fn mark_text(due: &UpcomingEvent) -> &'static str {
    match due.what {
        UpcomingEventKind::NotReady => "NotReady",
        UpcomingEventKind::Evicted => "evicted",
        UpcomingEventKind::Lease => "lease",
        UpcomingEventKind::Attempt => "next try",
        UpcomingEventKind::BackOff => "restart",
        UpcomingEventKind::Probe => "probe fails",
        UpcomingEventKind::StopSignal => "SIGTERM",
        UpcomingEventKind::Kill => "SIGKILL",
        UpcomingEventKind::Exit => "ends",
        UpcomingEventKind::Job => "Job",
        UpcomingEventKind::Script => "scenario",
        UpcomingEventKind::Story => "story",
        UpcomingEventKind::Solution => "solution",
    }
}

/// The lane of the event's outlined mark.
pub(crate) fn lane(due: &UpcomingEvent) -> Lane {
    match due.what {
        UpcomingEventKind::NotReady | UpcomingEventKind::Lease | UpcomingEventKind::Job | UpcomingEventKind::Script => {
            Lane::Faults
        }
        UpcomingEventKind::Story | UpcomingEventKind::Solution => Lane::Faults,
        UpcomingEventKind::Attempt => Lane::Decisions,
        UpcomingEventKind::Evicted | UpcomingEventKind::BackOff | UpcomingEventKind::Probe => Lane::Terminations,
        UpcomingEventKind::StopSignal | UpcomingEventKind::Kill | UpcomingEventKind::Exit => Lane::Terminations,
    }
}

/// The action of the forward button.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Forward {
    /// Stops the fast run.
    Stop,
    /// Shows the step with this index, whose question time waits for.
    Answer(usize),
    /// Turns to the step with this index, which is already available.
    Page(usize),
    /// Runs to the next coming event.
    Skip,
    /// Runs a command that the story suggests, or that heals a cut node.
    Command(String),
    /// Runs until the scheduler makes a decision.
    Decision,
}

impl Forward {
    /// The value of the attribute `data-forward`.
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
pub(crate) fn forward(page: &Page) -> Forward {
    let (model, story) = (&page.model, &page.model.story);
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
    let suggested = (page.opened.as_ref()).and_then(|opened| opened.story.get(story.step)?.try_command.clone());
    let suggested = suggested.filter(|line| !story.finished && actions::words(line).is_some() && !is_done(line, model));
    match suggested.or_else(|| model.cut_nodes().next().map(actions::toggle_cut)) {
        Some(line) => Forward::Command(line),
        None => Forward::Decision,
    }
}

/// Returns whether the effect of a command is already present on the node that it names.
fn is_done(line: &str, model: &Model) -> bool {
    let node = line.split_whitespace().last().and_then(|name| model.nodes.get(name));
    node.is_some_and(|node| actions::reverse_command(line, &node.view).is_some())
}

/// The button's texts: the target, and its distance or whose turn it is.
pub(crate) fn words(next: &Forward, page: &Page, now: Micros) -> (String, String) {
    let director = &page.model.director;
    match next {
        Forward::Stop => {
            let until = director.running.map(|run| match run {
                FastRun::Skip(target) | FastRun::Decision(target) => format!("until {}", clock::axis(target)),
            });
            ("Stop".into(), until.unwrap_or_default())
        }
        Forward::Answer(_) => ("Answer first".into(), "time waits".into()),
        Forward::Page(step) => ("Next page".into(), format!("step {}", step + 1)),
        Forward::Skip => {
            let due = director.next.first();
            due.map_or_else(Default::default, |due| {
                (target(due).to_owned(), clock::left(due.at, now))
            })
        }
        Forward::Command(line) => (actions::words(line).unwrap_or_default(), "your move".into()),
        Forward::Decision => ("Next decision".into(), String::new()),
    }
}

/// The button's tooltip.
pub(crate) fn sentence(forward: &Forward, page: &Page, now: Micros) -> String {
    match forward {
        Forward::Stop => page.model.director.running.map(running_text).unwrap_or_default(),
        Forward::Answer(_) => "Time waits for the answer to the story's question".to_owned(),
        Forward::Page(_) => "The story goes on".to_owned(),
        Forward::Skip => match next(&page.model.director) {
            Some((first, Some(then))) => {
                format!(
                    "{} {}, {} {}",
                    sentence_of(first),
                    time_left(first, now),
                    sentence_of(then),
                    time_left(then, now)
                )
            }
            Some((first, None)) => format!("{} {}", sentence_of(first), time_left(first, now)),
            None => String::new(),
        },
        Forward::Command(line) => line.clone(),
        Forward::Decision => "Runs until the scheduler decides something (n)".to_owned(),
    }
}

/// The target of a fast run: `NotReady`, `the eviction`.
fn target(due: &UpcomingEvent) -> &'static str {
    match due.what {
        UpcomingEventKind::NotReady => "NotReady",
        UpcomingEventKind::Evicted => "the eviction",
        UpcomingEventKind::Lease => "the new leader",
        UpcomingEventKind::Attempt => "the next try",
        UpcomingEventKind::BackOff => "the restart",
        UpcomingEventKind::Probe => "the failed probe",
        UpcomingEventKind::StopSignal => "SIGTERM",
        UpcomingEventKind::Kill => "SIGKILL",
        UpcomingEventKind::Exit => "its end",
        UpcomingEventKind::Job => "the next Job",
        UpcomingEventKind::Script => "the next event",
        UpcomingEventKind::Story => "the story",
        UpcomingEventKind::Solution => "the solution",
    }
}

/// Text for a running fast run.
pub(crate) fn running_text(run: FastRun) -> String {
    match run {
        FastRun::Skip(target) => format!("Skipping to {}", clock::axis(target)),
        FastRun::Decision(until) => format!("Looking for a decision, no further than {}", clock::axis(until)),
    }
}

/// Text for the end of a fast run.
pub(crate) fn outcome(caption: &Caption) -> String {
    let later = |waited: &Micros| format!("{} later", clock::took(*waited));
    match caption {
        Caption::Occurred(due, _) if due.what == UpcomingEventKind::Solution => {
            format!("Showing: {} at {}.", due.name, clock::axis(due.at))
        }
        Caption::Occurred(due, waited) => format!("{}: {}.", later(waited), past_sentence(due)),
        Caption::DidNotOccur(due, waited) => {
            format!("{}: it did not come to it that {}.", later(waited), sentence_of(due))
        }
        Caption::Story(waited) => format!("{}: the story goes on.", later(waited)),
        Caption::Decided(waited) => format!("{}: the scheduler made a decision.", later(waited)),
        Caption::NoDecision(waited, at) => format!(
            "Nothing was decided for {}, up to {}: the scheduler waits for a pod, or for something that helps one.",
            clock::took(*waited),
            clock::axis(*at)
        ),
        Caption::Before(due, waited) => format!("{}: {}, before any decision.", later(waited), past_sentence(due)),
        Caption::Event { by, what, of } if of.is_empty() => format!("{by}: {what}."),
        Caption::Event { by, what, of } => format!("{by}: {what} {of}."),
        Caption::NoUpcomingEvent => {
            "Ten minutes went by, and nothing changed: as long as nobody does anything, nothing will.".to_owned()
        }
    }
}

fn past_sentence(due: &UpcomingEvent) -> String {
    let whom = whom(due);
    let were = if due.count > 1 { "were" } else { "was" };
    match due.what {
        UpcomingEventKind::NotReady => format!("{whom} became NotReady"),
        UpcomingEventKind::Evicted => format!("{whom} {were} evicted"),
        UpcomingEventKind::Lease => format!("the lease {whom} has a new holder"),
        UpcomingEventKind::Attempt => format!("the scheduler tried {whom} again"),
        UpcomingEventKind::BackOff => format!("{whom} {were} started again"),
        UpcomingEventKind::Probe => format!("the probe of {whom} failed"),
        UpcomingEventKind::StopSignal => format!("{whom} got the stop signal"),
        UpcomingEventKind::Kill => format!("{whom} got SIGKILL, or had ended by then"),
        UpcomingEventKind::Exit => format!("{whom} ended"),
        UpcomingEventKind::Job => format!("{whom} made a Job"),
        UpcomingEventKind::Script => "the scenario went on".to_owned(),
        UpcomingEventKind::Story => "the story went on".to_owned(),
        UpcomingEventKind::Solution => format!("the solution ran {whom}"),
    }
}

/// The next event, and the following one that is later or results from it.
pub(crate) fn next(director: &Director) -> Option<(&UpcomingEvent, Option<&UpcomingEvent>)> {
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

    fn due(what: UpcomingEventKind, name: &str, at: i64, count: u32) -> UpcomingEvent {
        UpcomingEvent {
            at: at * 1_000_000,
            what,
            name: name.into(),
            count,
            ..UpcomingEvent::default()
        }
    }

    #[test]
    fn coming_events_are_described_with_time_left() {
        let fall = due(UpcomingEventKind::NotReady, "a-1", 105, 1);
        let evict = due(UpcomingEventKind::Evicted, "web", 405, 3);
        assert_eq!(
            format!("{} {}", sentence_of(&fall), time_left(&fall, 65_000_000)),
            "a-1 becomes NotReady in 40 s"
        );
        assert_eq!(
            format!("{} {}", sentence_of(&evict), time_left(&evict, 65_000_000)),
            "3 pods are evicted in 5:40"
        );
        let director = Director {
            next: vec![fall.clone(), evict.clone()],
            ..Director::default()
        };
        assert_eq!(next(&director), Some((&fall, Some(&evict))));
        assert_eq!(
            outcome(&Caption::Occurred(fall, 40_000_000)),
            "40 s later: a-1 became NotReady."
        );
        assert!(
            outcome(&Caption::DidNotOccur(evict, 9_000_000))
                .starts_with("9 s later: it did not come to it that 3 pods")
        );
        assert_eq!(lane(&due(UpcomingEventKind::Attempt, "p", 0, 1)), Lane::Decisions);
    }
}
