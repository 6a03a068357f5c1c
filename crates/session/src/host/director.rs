//! The director for time: what comes next by itself, skipping there, and running to the next decision. Everything that
//! runs fast is bounded, shows the clock running, and stops at a word (U-05).

use podscope_cluster::{Coming, Due, Happening, SimTime, Span};

use super::reader::Reader;
use super::{ClockMillis, PIECE, Show};
use crate::timeline::{Session, Slice};
use podscope_protocol::{Caption, Director, DueKind, DueView, FastRun, Request, SubjectRef};

/// What is told at most.
const TOLD: usize = 12;
/// How long a skip takes to look at.
const SKIP: ClockMillis = 900.0;
/// What is due may need that much longer to come: a kubelet looks at its back-offs now and then (LC-088).
const LATE: Span = Span::seconds(20);
/// What the scenario does is shown with what it leads to at once.
const SETTLED: Span = Span::millis(500);
/// How far a decision, or the story, is looked for.
const FAR: Span = Span::seconds(600);
/// Events that a step takes at most to come to one that is written down.
const MOST_EVENTS: u32 = 20_000;
/// Larger clusters have no director: what is due is asked of every kubelet at every frame.
const MOST_NODES: usize = 100;

/// A fast run.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Fast {
    /// To what is due.
    Skip(Box<Skip>),
    /// To the next decision, or to what a reader has to see before it.
    Decision {
        from: SimTime,
        until: SimTime,
        /// Found when it is due: at the beginning, or while the run goes on.
        before: Option<Box<(DueView, Option<Due>)>>,
    },
}

/// A way to what is due.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Skip {
    /// None: the scenario's own next event, or the story's.
    due: Option<Due>,
    to: SimTime,
    shown: DueView,
    /// By the clock of the machine.
    since: ClockMillis,
    from: SimTime,
}

impl Fast {
    /// As the page has it.
    fn told(&self) -> FastRun {
        match self {
            Self::Skip(skip) => FastRun::Skip(skip.to.0),
            Self::Decision { until, .. } => FastRun::Decision(until.0),
        }
    }
}

/// What is told of the world's, the script's and the story's next events, and what stands behind the first of each row.
fn rows(session: &Session) -> Vec<(DueView, Option<Due>)> {
    let world = session.world();
    if world.machines().count() > MOST_NODES {
        return Vec::new();
    }
    let mut rows: Vec<(DueView, Option<Due>)> = Vec::new();
    for due in world.due() {
        let last = rows.iter_mut().find(|(row, _)| {
            row.what == kind(due.what) && row.is_projected == due.is_projected && (row.at - due.at.0).abs() < 1_000_000
        });
        match last {
            Some((row, _)) => row.count += 1,
            None => rows.push((view(&due), Some(due))),
        }
    }
    let story = (session.progress().story()).waits_until(&session.loaded().scenario, session.now());
    let script = [(session.next_scripted(), DueKind::Script), (story, DueKind::Story)];
    for (at, what) in script.into_iter().filter_map(|(at, what)| Some((at?, what))) {
        let place = rows.partition_point(|(known, _)| known.at <= at.0);
        rows.insert(place, (row(what, String::new(), at), None));
    }
    rows.truncate(TOLD);
    rows
}

fn kind(what: Coming) -> DueKind {
    match what {
        Coming::NotReady => DueKind::NotReady,
        Coming::Evicted => DueKind::Evicted,
        Coming::Lease => DueKind::Lease,
        Coming::Attempt => DueKind::Attempt,
        Coming::BackOff => DueKind::BackOff,
        Coming::Probe => DueKind::Probe,
        Coming::StopSignal => DueKind::StopSignal,
        Coming::Kill => DueKind::Kill,
        Coming::Exit => DueKind::Exit,
        Coming::Job => DueKind::Job,
    }
}

fn view(due: &Due) -> DueView {
    use podscope_api::Kind;
    DueView {
        at: due.at.0,
        what: kind(due.what),
        subject: match due.kind {
            Kind::Pod => Some(SubjectRef::Pod {
                key: due.key.to_string(),
                uid: due.uid.to_string(),
            }),
            Kind::Node => Some(SubjectRef::Node {
                name: due.key.name.to_string(),
            }),
            _ => None,
        },
        name: due.key.name.to_string(),
        container: due.container.to_string(),
        count: 1,
        is_projected: due.is_projected,
    }
}

/// What comes next, as the page has it; nothing while a question is open.
fn next(session: &Session, reader: &Reader) -> Vec<DueView> {
    if reader.question(session).is_some() {
        return Vec::new();
    }
    rows(session).into_iter().map(|(row, _)| row).collect()
}

/// What is due of pods and nodes, each by itself, for the thread of what is selected; nothing while a question is open.
pub(super) fn of_objects(session: &Session, reader: &Reader, subject: Option<&SubjectRef>) -> Vec<DueView> {
    let has_due = matches!(subject, Some(SubjectRef::Pod { .. } | SubjectRef::Node { .. }));
    if !has_due || session.world().machines().count() > MOST_NODES || reader.question(session).is_some() {
        return Vec::new();
    }
    session.world().due().iter().map(view).collect()
}

/// A skip to what is due next, if something is.
pub(super) fn skip(session: &Session, clock: ClockMillis) -> Option<Fast> {
    let (shown, due) = rows(session).into_iter().next()?;
    Some(leads_to(due, shown, session, clock))
}

/// A run to the next decision.
pub(super) fn decision(session: &Session) -> Fast {
    let from = session.now();
    let until = from + FAR;
    Fast::Decision {
        from,
        until,
        before: None,
    }
}

/// The first thing of note that is due up to an instant.
fn of_note(session: &Session, until: SimTime) -> Option<(DueView, Option<Due>)> {
    let is_it = |(row, _): &(DueView, Option<Due>)| is_of_note(row.what) && row.at <= until.0;
    rows(session).into_iter().find(is_it)
}

/// Whether a run to a decision stops at it: who only sees the end would miss why the cluster is another one.
fn is_of_note(what: DueKind) -> bool {
    use DueKind::{Evicted, Job, Lease, NotReady, Script};
    matches!(what, NotReady | Evicted | Lease | Job | Script)
}

/// A way to where the story goes on; of a condition nobody knows when it will hold. None where it does not go on.
pub(super) fn to_story(session: &Session, clock: ClockMillis) -> Option<Fast> {
    let (scenario, story, now) = (&session.loaded().scenario, session.progress().story(), session.now());
    story.next(scenario)?;
    let to = story.waits_until(scenario, now).unwrap_or(now + FAR);
    let shown = row(DueKind::Story, String::new(), to);
    Some(leads_to(None, shown, session, clock))
}

/// A way to the next command of the solution that is shown, if one is left.
pub(super) fn to_solution(session: &Session, clock: ClockMillis) -> Option<Fast> {
    let next = session.next_given()?;
    let words = next.command.to_string();
    let words = words.lines().next().unwrap_or_default().to_owned();
    let shown = row(DueKind::Solution, words, next.at);
    Some(leads_to(None, shown, session, clock))
}

/// What is due and is of no object.
fn row(what: DueKind, name: String, at: SimTime) -> DueView {
    DueView {
        at: at.0,
        what,
        name,
        count: 1,
        ..DueView::default()
    }
}

fn leads_to(due: Option<Due>, shown: DueView, session: &Session, since: ClockMillis) -> Fast {
    Fast::Skip(Box::new(Skip {
        due,
        to: SimTime(shown.at),
        shown,
        since,
        from: session.now(),
    }))
}

/// Takes events until one of them is written down: most only move a clock, and nobody sees them. What it was.
pub(super) fn step(session: &mut Session) -> Caption {
    let (before, end) = (session.trace().len(), session.now() + FAR);
    for _ in 0..MOST_EVENTS {
        session.step();
        if let Some(record) = session.trace().nth(before) {
            let object = record.object.as_ref();
            return Caption::Event {
                by: record.actor.to_string(),
                what: match &record.happening {
                    Happening::Event { reason, .. } => reason.to_string(),
                    _ => record.what().as_str().to_owned(),
                },
                of: object.map_or_else(String::new, |object| {
                    format!("{} {}", object.kind.name(), object.key.name)
                }),
            };
        }
        if session.now() > end {
            break;
        }
    }
    Caption::NothingDue
}

/// How far the story has come: its steps that show, and whether it is over, well or with a broken promise.
fn read(session: &Session) -> (usize, bool) {
    let story = session.progress().story();
    (
        story.shown().len(),
        story.finished().is_some() || story.halt().is_some(),
    )
}

/// A piece of a fast run; its caption once it is over.
pub(super) fn go_on(show: &mut Show, fast: &mut Fast, clock: ClockMillis) -> Option<Caption> {
    let session = &mut show.session;
    let read_before = read(session);
    let over = match fast {
        Fast::Skip(skip) => {
            let Skip {
                due,
                to,
                shown,
                since,
                from,
            } = &**skip;
            let part = ((clock - since) / SKIP).clamp(0.0, 1.0);
            let step = SimTime(from.0 + ((*to - *from).0 as f64 * part) as i64);
            let is_script = matches!(shown.what, DueKind::Script | DueKind::Solution);
            let next_command = |session: &Session| match shown.what {
                DueKind::Solution => session.next_given().map(|next| next.at),
                _ => session.next_scripted(),
            };
            let last = *to + if is_script { SETTLED } else { LATE };
            let end = if step < *to { step } else { last };
            let is_waiting = |session: &Session| match due {
                Some(due) => !session.world().has_come(due),
                // The clock may stand there already, and what the scenario does then is still to be done.
                None if is_script => next_command(session).is_some_and(|at| at <= *to) || session.now() < last,
                // What the story waits for is judged when its instant is over.
                None => session.now() < *to || session.now() == *to && read(session) == read_before,
            };
            let mut slice = Slice::More;
            for _ in 0..PIECE {
                let now = session.now();
                if now >= *to && !is_waiting(session) {
                    slice = Slice::Done;
                    break;
                }
                // The instant itself, and then whatever it leads to.
                let target = if now < *to { end.min(*to) } else { end };
                slice = session.advance_story(target, 1, |_, _| true);
                if read(session) != read_before || session.now() >= end {
                    break;
                }
            }
            let waited = (if is_script { *to } else { session.now() } - *from).0;
            let is_reached = session.now() >= *to && !is_waiting(session);
            // The story's condition does not hold yet.
            let is_vain = shown.what == DueKind::Story && read(session) == read_before;
            if is_reached && !is_vain {
                Some(Caption::Came(shown.clone(), waited))
            } else if is_reached || session.now() >= last || slice == Slice::Limit {
                Some(Caption::Gone(shown.clone(), waited))
            } else {
                None
            }
        }
        Fast::Decision { from, until, before } => {
            let made = session.progress().attempts;
            // What was not due when the run began may be by now.
            if before.is_none() {
                *before = of_note(session, *until).map(Box::new);
            }
            let before = before.as_deref();
            let has_come = |session: &Session| match before {
                Some((_, Some(due))) => session.world().has_come(due),
                Some((row, None)) => session.next_scripted().is_none_or(|at| at.0 > row.at),
                None => false,
            };
            let slice = session.advance_until(*until, PIECE, |session| {
                session.progress().attempts > made || read(session) != read_before || has_come(session)
            });
            let waited = (session.now() - *from).0;
            match (slice, before) {
                _ if session.progress().attempts > made => Some(Caption::Decided(waited)),
                (_, Some(before)) if has_come(session) => Some(Caption::Before(before.0.clone(), waited)),
                (Slice::More, _) => None,
                (Slice::Done | Slice::Limit, _) => Some(Caption::NoDecision(waited, session.now().0)),
            }
        }
    };
    // The story moved on: that ends a run that did not come to what it was for.
    if read(session) != read_before && matches!(over, None | Some(Caption::NoDecision(..))) {
        let from = match fast {
            Fast::Skip(skip) => skip.from,
            Fast::Decision { from, .. } => *from,
        };
        return Some(Caption::Story((session.now() - from).0));
    }
    over
}

/// The director of a frame.
pub(super) fn director(
    session: &Session,
    reader: &Reader,
    running: Option<&Fast>,
    caption: Option<&Caption>,
) -> Director {
    Director {
        next: next(session, reader),
        running: running.map(Fast::told),
        caption: caption.cloned(),
    }
}

/// Whether a request moves time or the world: how the last fast run ended is old then.
pub(super) fn takes_the_caption(request: &Request) -> bool {
    matches!(
        request,
        Request::Open { .. }
            | Request::Command { .. }
            | Request::Commands { .. }
            | Request::Play
            | Request::Step
            | Request::NextDecision
            | Request::SkipAhead
            | Request::SkipToStory
            | Request::Seek { .. }
            | Request::Branch { .. }
            | Request::Undo
            | Request::ShowMe
    )
}

/// Whether a request does something else than the solution that is shown.
pub(super) fn acts(request: &Request) -> bool {
    matches!(
        request,
        Request::Command { .. }
            | Request::Commands { .. }
            | Request::Fork
            | Request::Branch { .. }
            | Request::Undo
            | Request::TryRemedy { .. }
    )
}
