//! What comes next, in words; and where it stands on the timeline. The one place that makes these sentences.

use podscope_protocol::{Caption, Director, DueKind, DueView, FastRun, Lane, Micros};

use super::{actions, clock};
use crate::state::{Model, Page};

/// Who it happens to: `web-0`, `web-0/app`, `3 pods`.
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

/// One or several: `s` for one.
fn s(due: &DueView) -> &'static str {
    if due.count > 1 { "" } else { "s" }
}

/// What will happen: `a-1 becomes NotReady`.
pub(crate) fn says(due: &DueView) -> String {
    let (whom, s) = (whom(due), s(due));
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

/// When: `in 40 s`.
pub(crate) fn when(due: &DueView, now: Micros) -> String {
    format!("in {}", clock::left(due.at, now))
}

/// The word of an outlined mark.
pub(crate) fn mark(due: &DueView) -> &'static str {
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

/// The lane of an outlined mark.
pub(crate) fn lane(due: &DueView) -> Lane {
    match due.what {
        DueKind::NotReady | DueKind::Lease | DueKind::Job | DueKind::Script => Lane::Faults,
        DueKind::Story | DueKind::Solution => Lane::Faults,
        DueKind::Attempt => Lane::Decisions,
        DueKind::Evicted | DueKind::BackOff | DueKind::Probe => Lane::Terminations,
        DueKind::StopSignal | DueKind::Kill | DueKind::Exit => Lane::Terminations,
    }
}

/// What the forward button does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Forward {
    /// Ends the fast run.
    Stop,
    /// Leads to the question for which time waits, of that step.
    Answer(usize),
    /// Turns to that step of the story, which has shown.
    Page(usize),
    /// Runs to what is due next.
    Skip,
    /// Gives a command that is the reader's to give.
    Command(String),
    /// Runs until the scheduler decides something.
    Decision,
}

impl Forward {
    /// What it is called in the document.
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

/// What comes next on the page.
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

/// Whether the node that a command names is as the command would make it.
fn is_done(line: &str, model: &Model) -> bool {
    let node = line.split_whitespace().last().and_then(|name| model.nodes.get(name));
    node.is_some_and(|node| actions::undone(line, &node.view).is_some())
}

/// Its words: what, and how far away or whose move.
pub(crate) fn words(next: &Forward, page: &Page, now: Micros) -> (String, String) {
    let director = &page.model.director;
    match next {
        Forward::Stop => {
            let until = director.running.map(|run| match run {
                FastRun::Skip(to) | FastRun::Decision(to) => format!("until {}", clock::axis(to)),
            });
            ("Stop".into(), until.unwrap_or_default())
        }
        Forward::Answer(_) => ("Answer first".into(), "time waits".into()),
        Forward::Page(step) => ("Next page".into(), format!("step {}", step + 1)),
        Forward::Skip => {
            let due = director.next.first();
            due.map_or_else(Default::default, |due| (to(due).to_owned(), clock::left(due.at, now)))
        }
        Forward::Command(line) => (actions::words(line).unwrap_or_default(), "your move".into()),
        Forward::Decision => ("Next decision".into(), String::new()),
    }
}

/// Its tool-tip: a sentence.
pub(crate) fn sentence(forward: &Forward, page: &Page, now: Micros) -> String {
    match forward {
        Forward::Stop => page.model.director.running.map(runs).unwrap_or_default(),
        Forward::Answer(_) => "Time waits for the answer to the story's question".to_owned(),
        Forward::Page(_) => "The story goes on".to_owned(),
        Forward::Skip => match next(&page.model.director) {
            Some((first, Some(then))) => {
                format!(
                    "{} {}, {} {}",
                    says(first),
                    when(first, now),
                    says(then),
                    when(then, now)
                )
            }
            Some((first, None)) => format!("{} {}", says(first), when(first, now)),
            None => String::new(),
        },
        Forward::Command(line) => line.clone(),
        Forward::Decision => "Runs until the scheduler decides something (n)".to_owned(),
    }
}

/// What a fast run goes to: `NotReady`, `the eviction`.
fn to(due: &DueView) -> &'static str {
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

/// What a fast run does.
pub(crate) fn runs(run: FastRun) -> String {
    match run {
        FastRun::Skip(to) => format!("Skipping to {}", clock::axis(to)),
        FastRun::Decision(until) => format!("Looking for a decision, no further than {}", clock::axis(until)),
    }
}

/// How a fast run ended.
pub(crate) fn ended(caption: &Caption) -> String {
    let later = |waited: &Micros| format!("{} later", clock::took(*waited));
    match caption {
        Caption::Came(due, _) if due.what == DueKind::Solution => {
            format!("Showing: {} at {}.", due.name, clock::axis(due.at))
        }
        Caption::Came(due, waited) => format!("{}: {}.", later(waited), came(due)),
        Caption::Gone(due, waited) => format!("{}: it did not come to it that {}.", later(waited), says(due)),
        Caption::Story(waited) => format!("{}: the story goes on.", later(waited)),
        Caption::Decided(waited) => format!("{}: the scheduler made a decision.", later(waited)),
        Caption::NoDecision(waited, at) => format!(
            "Nothing was decided for {}, up to {}: the scheduler waits for a pod, or for something that helps one.",
            clock::took(*waited),
            clock::axis(*at)
        ),
        Caption::Before(due, waited) => format!("{}: {}, before any decision.", later(waited), came(due)),
        Caption::Event { by, what, of } if of.is_empty() => format!("{by}: {what}."),
        Caption::Event { by, what, of } => format!("{by}: {what} {of}."),
        Caption::NothingDue => "Nothing is due: as long as nobody does anything, nothing changes.".to_owned(),
    }
}

fn came(due: &DueView) -> String {
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

/// The next thing, and what follows from it.
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
    fn what_comes_is_told_with_its_distance() {
        let fall = due(DueKind::NotReady, "a-1", 105, 1);
        let evict = due(DueKind::Evicted, "web", 405, 3);
        assert_eq!(
            format!("{} {}", says(&fall), when(&fall, 65_000_000)),
            "a-1 becomes NotReady in 40 s"
        );
        assert_eq!(
            format!("{} {}", says(&evict), when(&evict, 65_000_000)),
            "3 pods are evicted in 5:40"
        );
        let director = Director {
            next: vec![fall.clone(), evict.clone()],
            ..Director::default()
        };
        assert_eq!(next(&director), Some((&fall, Some(&evict))));
        assert_eq!(
            ended(&Caption::Came(fall, 40_000_000)),
            "40 s later: a-1 became NotReady."
        );
        assert!(ended(&Caption::Gone(evict, 9_000_000)).starts_with("9 s later: it did not come to it that 3 pods"));
        assert_eq!(lane(&due(DueKind::Attempt, "p", 0, 1)), Lane::Decisions);
    }
}
