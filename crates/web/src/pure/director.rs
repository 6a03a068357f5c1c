//! Texts for coming events, and their lanes on the timeline; and what the forward button does.

use podscope_protocol::{Caption, Director, DueKind, DueView, FastRun, Lane, Micros};

use super::{actions, clock};
use crate::state::{Model, Page};

/// The objects of a coming event: `web-0`, `web-0/app`, `3 pods`.
fn whom(due: &DueView) -> String {
    let thing = match due.what {
        DueKind::NotReady => "nodes",
        DueKind::Lease => "leases",
        DueKind::Exit | DueKind::BackOff | DueKind::Probe | DueKind::StopSignal | DueKind::Kill => "containers",
        DueKind::Evicted | DueKind::Attempt | DueKind::Script | DueKind::Story | DueKind::Solution => "pods",
        DueKind::Job => "CronJobs",
    };
    match (due.count, due.container.is_empty()) {
        (0 | 1, true) => due.name.clone(),
        (0 | 1, false) => format!("{}/{}", due.name, due.container),
        (count, _) => format!("{count} {thing}"),
    }
}

/// The ending of a verb: `verb_ending` for a single object.
fn verb_ending(due: &DueView) -> &'static str {
    if due.count > 1 { "" } else { "s" }
}

/// The coming event as a sentence: `a-1 becomes NotReady`.
pub(crate) fn sentence_of(due: &DueView) -> String {
    let (whom, s) = (whom(due), verb_ending(due));
    let are = if due.count > 1 { "are" } else { "is" };
    match due.what {
        DueKind::NotReady => format!("{whom} become{s} NotReady"),
        DueKind::Evicted => format!("{whom} {are} evicted"),
        DueKind::Lease => format!("another process takes the lease {whom}"),
        DueKind::Attempt => format!("the scheduler tries {whom} again"),
        DueKind::BackOff => format!("{whom} {are} started again"),
        DueKind::Probe => format!("the probe of {whom} has failed often enough"),
        DueKind::StopSignal => format!("the preStop hook of {whom} has had its time"),
        DueKind::Kill => format!("{whom} get{s} SIGKILL"),
        DueKind::Exit if due.count > 1 => format!("{whom} end by themselves"),
        DueKind::Exit => format!("{whom} ends by itself"),
        DueKind::Job => format!("{whom} make{s} a Job"),
        DueKind::Script => "the scenario goes on".to_owned(),
        DueKind::Story => "the story goes on".to_owned(),
        DueKind::Solution => format!("the solution runs {whom}"),
    }
}

/// The time left until the event: `in 40 s`.
pub(crate) fn time_left(due: &DueView, now: Micros) -> String {
    format!("in {}", clock::left(due.at, now))
}

/// The text of the event's outlined mark on the timeline.
pub(crate) fn mark_text(due: &DueView) -> &'static str {
    match due.what {
        DueKind::NotReady => "NotReady",
        DueKind::Evicted => "evicted",
        DueKind::Lease => "lease",
        DueKind::Attempt => "next try",
        DueKind::BackOff => "restart",
        DueKind::Probe => "probe fails",
        DueKind::StopSignal => "SIGTERM",
        DueKind::Kill => "SIGKILL",
        DueKind::Exit => "ends",
        DueKind::Job => "Job",
        DueKind::Script => "scenario",
        DueKind::Story => "story",
        DueKind::Solution => "solution",
    }
}

/// The lane of the event's outlined mark.
pub(crate) fn lane(due: &DueView) -> Lane {
    match due.what {
        DueKind::NotReady | DueKind::Lease | DueKind::Job | DueKind::Script => Lane::Faults,
        DueKind::Story | DueKind::Solution => Lane::Faults,
        DueKind::Attempt => Lane::Decisions,
        DueKind::Evicted | DueKind::BackOff | DueKind::Probe => Lane::Terminations,
        DueKind::StopSignal | DueKind::Kill | DueKind::Exit => Lane::Terminations,
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
    let suggested = suggested.filter(|line| actions::words(line).is_some() && !is_done(line, model));
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
fn target(due: &DueView) -> &'static str {
    match due.what {
        DueKind::NotReady => "NotReady",
        DueKind::Evicted => "the eviction",
        DueKind::Lease => "the new leader",
        DueKind::Attempt => "the next try",
        DueKind::BackOff => "the restart",
        DueKind::Probe => "the failed probe",
        DueKind::StopSignal => "SIGTERM",
        DueKind::Kill => "SIGKILL",
        DueKind::Exit => "its end",
        DueKind::Job => "the next Job",
        DueKind::Script => "the next event",
        DueKind::Story => "the story",
        DueKind::Solution => "the solution",
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
        Caption::Came(due, _) if due.what == DueKind::Solution => {
            format!("Showing: {} at {}.", due.name, clock::axis(due.at))
        }
        Caption::Came(due, waited) => format!("{}: {}.", later(waited), past_sentence(due)),
        Caption::Gone(due, waited) => format!("{}: it did not come to it that {}.", later(waited), sentence_of(due)),
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
        Caption::NothingDue => "Nothing is due: as long as nobody does anything, nothing changes.".to_owned(),
    }
}

fn past_sentence(due: &DueView) -> String {
    let whom = whom(due);
    let were = if due.count > 1 { "were" } else { "was" };
    match due.what {
        DueKind::NotReady => format!("{whom} became NotReady"),
        DueKind::Evicted => format!("{whom} {were} evicted"),
        DueKind::Lease => format!("the lease {whom} has a new holder"),
        DueKind::Attempt => format!("the scheduler tried {whom} again"),
        DueKind::BackOff => format!("{whom} {were} started again"),
        DueKind::Probe => format!("the probe of {whom} failed"),
        DueKind::StopSignal => format!("{whom} got the stop signal"),
        DueKind::Kill => format!("{whom} got SIGKILL, or had ended by then"),
        DueKind::Exit => format!("{whom} ended"),
        DueKind::Job => format!("{whom} made a Job"),
        DueKind::Script => "the scenario went on".to_owned(),
        DueKind::Story => "the story went on".to_owned(),
        DueKind::Solution => format!("the solution ran {whom}"),
    }
}

/// The next event, and the following one that is later or results from it.
pub(crate) fn next(director: &Director) -> Option<(&DueView, Option<&DueView>)> {
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

    fn due(what: DueKind, name: &str, at: i64, count: u32) -> DueView {
        DueView {
            at: at * 1_000_000,
            what,
            name: name.into(),
            count,
            ..DueView::default()
        }
    }

    #[test]
    fn coming_events_are_described_with_time_left() {
        let fall = due(DueKind::NotReady, "a-1", 105, 1);
        let evict = due(DueKind::Evicted, "web", 405, 3);
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
            outcome(&Caption::Came(fall, 40_000_000)),
            "40 s later: a-1 became NotReady."
        );
        assert!(outcome(&Caption::Gone(evict, 9_000_000)).starts_with("9 s later: it did not come to it that 3 pods"));
        assert_eq!(lane(&due(DueKind::Attempt, "p", 0, 1)), Lane::Decisions);
    }
}
