//! The page's controls of time: lists pending events, skips to one of them, and runs to the next decision of the
//! scheduler. Every fast-forward has a maximum duration, shows its progress on the clock, and can be interrupted
//! (U-05).

use podscope_api::pending_event::PendingEventKind;
use podscope_cluster::{Happening, PendingEvent, SimTime, Span};

use super::reader::Reader;
use super::{ClockMillis, EVENTS_PER_PIECE, PageSession};
use crate::timeline::{Session, Slice};
use podscope_protocol::{Caption, Director, FastRun, Request, SubjectRef, UpcomingEvent, UpcomingEventKind};

/// Maximum number of rows in the page's list of pending events.
const MAX_PENDING_EVENT_ROWS: usize = 12;
/// Real time that a skip takes on the page, in milliseconds.
const SKIP_DURATION: ClockMillis = 900.0;
/// Maximum delay between the deadline of an event and the event itself: a kubelet checks its back-offs only at
/// intervals (LC-088).
const MAX_EVENT_LATENESS: Span = Span::seconds(20);
/// Simulated time that a skip continues after a scenario's command, to show the command's first effects.
const COMMAND_EFFECT_TIME: Span = Span::millis(500);
/// Maximum simulated time in which a fast-forward looks for a decision or the story's next step.
const MAX_SEARCH_TIME: Span = Span::seconds(600);
/// Maximum number of events that *Next event* processes while it waits for one that is recorded in the trace.
const MAX_EVENTS_PER_STEP: u32 = 20_000;
/// Maximum number of nodes of a cluster for which pending events are listed, because each frame queries every kubelet.
const MAX_NODES_FOR_PENDING_EVENTS: usize = 100;

/// A fast-forward: time runs faster than the selected speed until an event occurs.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum FastForward {
    /// A skip to a pending event.
    Skip(Box<Skip>),
    /// A run until the trace has a new record, if no pending event is known.
    Watch {
        from: SimTime,
        until: SimTime,
        /// Number of records in the trace when the run began.
        known: usize,
    },
    /// A run to the next decision of the scheduler, or to a notable event before it.
    Decision {
        from: SimTime,
        until: SimTime,
        /// The notable event at which the run stops. Set at the start, or during the run.
        stop: Option<Box<(UpcomingEvent, Option<PendingEvent>)>>,
    },
}

/// A skip to a pending event.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Skip {
    /// The pending event in the simulation. None if the skip leads to a command of the scenario or the solution, or to
    /// the story's next step.
    due: Option<PendingEvent>,
    to: SimTime,
    shown: UpcomingEvent,
    /// Time on the host machine's clock at which the skip began.
    since: ClockMillis,
    from: SimTime,
}

impl FastForward {
    /// Returns the simulated time at which the run began.
    fn start(&self) -> SimTime {
        match self {
            Self::Skip(skip) => skip.from,
            Self::Watch { from, .. } | Self::Decision { from, .. } => *from,
        }
    }

    /// Returns the fast-forward's type and target, for the page.
    fn view_for_page(&self) -> FastRun {
        match self {
            Self::Skip(skip) => FastRun::Skip(skip.to.0),
            Self::Watch { until, .. } => FastRun::Skip(until.0),
            Self::Decision { until, .. } => FastRun::Decision(until.0),
        }
    }
}

/// Returns the pending events of the cluster, the scenario and the story, as rows of the page's list. Events of one
/// type at about the same time share a row; the `PendingEvent` of the row is the first of them.
fn pending_event_rows(session: &Session) -> Vec<(UpcomingEvent, Option<PendingEvent>)> {
    let world = session.world();
    if world.machines().count() > MAX_NODES_FOR_PENDING_EVENTS {
        return Vec::new();
    }
    let mut rows: Vec<(UpcomingEvent, Option<PendingEvent>)> = Vec::new();
    for due in world.pending_events() {
        let last = rows.iter_mut().find(|(row, _)| {
            row.what == UpcomingEventKind::Pending(due.what)
                && row.is_projected == due.is_projected
                && (row.at - due.at.0).abs() < 1_000_000
        });
        match last {
            Some((row, _)) => row.count += 1,
            None => rows.push((upcoming_event(&due), Some(due))),
        }
    }
    let story = (session.progress().story()).waits_until(&session.loaded().scenario, session.now());
    let script = [
        (session.next_scenario_command(), UpcomingEventKind::Script),
        (story, UpcomingEventKind::Story),
    ];
    for (at, what) in script.into_iter().filter_map(|(at, what)| Some((at?, what))) {
        let place = rows.partition_point(|(known, _)| known.at <= at.0);
        rows.insert(place, (row_without_object(what, String::new(), at), None));
    }
    rows.truncate(MAX_PENDING_EVENT_ROWS);
    rows
}

fn upcoming_event(due: &PendingEvent) -> UpcomingEvent {
    use podscope_api::Kind;
    UpcomingEvent {
        at: due.at.0,
        what: UpcomingEventKind::Pending(due.what),
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

/// Returns the rows of the page's list of pending events. Empty while a question waits for an answer.
fn pending_events(session: &Session, reader: &Reader) -> Vec<UpcomingEvent> {
    if reader.question(session).is_some() {
        return Vec::new();
    }
    pending_event_rows(session).into_iter().map(|(row, _)| row).collect()
}

/// Returns each pending event of pods and nodes, for the chain of causes of the selected object. Empty while a question
/// waits for an answer.
pub(super) fn pending_object_events(
    session: &Session,
    reader: &Reader,
    subject: Option<&SubjectRef>,
) -> Vec<UpcomingEvent> {
    let has_due = matches!(subject, Some(SubjectRef::Pod { .. } | SubjectRef::Node { .. }));
    if !has_due
        || session.world().machines().count() > MAX_NODES_FOR_PENDING_EVENTS
        || reader.question(session).is_some()
    {
        return Vec::new();
    }
    session.world().pending_events().iter().map(upcoming_event).collect()
}

/// Starts a skip to a pending event: the one that the user selected on the page, even if an earlier one has become
/// pending in the meantime, or else the next one. If no pending event is known, time runs until something is recorded:
/// heartbeats and the events of large clusters are not predicted.
pub(super) fn start_skip_to_pending_event(
    session: &Session,
    selected: Option<&UpcomingEvent>,
    clock: ClockMillis,
) -> FastForward {
    let mut rows = pending_event_rows(session);
    let is_selected = |row: &UpcomingEvent| {
        selected.is_some_and(|selected| {
            (row.what, &row.subject, &row.container) == (selected.what, &selected.subject, &selected.container)
        })
    };
    let index = rows.iter().position(|(row, _)| is_selected(row)).unwrap_or_default();
    match (index < rows.len()).then(|| rows.swap_remove(index)) {
        Some((shown, due)) => start_skip(due, shown, session, clock),
        None => FastForward::Watch {
            from: session.now(),
            until: session.now() + MAX_SEARCH_TIME,
            known: session.trace().len(),
        },
    }
}

/// Starts a run to the next decision of the scheduler.
pub(super) fn start_run_to_decision(session: &Session) -> FastForward {
    let from = session.now();
    let until = from + MAX_SEARCH_TIME;
    FastForward::Decision {
        from,
        until,
        stop: None,
    }
}

/// Returns the first pending event, no later than `until`, at which a run to a decision stops.
fn next_notable_event(session: &Session, until: SimTime) -> Option<(UpcomingEvent, Option<PendingEvent>)> {
    let is_next = |(row, _): &(UpcomingEvent, Option<PendingEvent>)| is_notable_event(row.what) && row.at <= until.0;
    pending_event_rows(session).into_iter().find(is_next)
}

/// Returns whether a run to a decision also stops at events of this type. If it did not, the user would not see why the
/// cluster has changed.
fn is_notable_event(what: UpcomingEventKind) -> bool {
    use PendingEventKind::{Evicted, Job, Lease, NotReady};
    match what {
        UpcomingEventKind::Pending(kind) => matches!(kind, NotReady | Evicted | Lease | Job),
        UpcomingEventKind::Script => true,
        UpcomingEventKind::Story | UpcomingEventKind::Solution => false,
    }
}

/// Starts a skip to the next step of the story. If the step depends on a condition, the skip ends after
/// [`MAX_SEARCH_TIME`]. None if the story has no further step.
pub(super) fn start_skip_to_story_step(session: &Session, clock: ClockMillis) -> Option<FastForward> {
    let (scenario, story, now) = (&session.loaded().scenario, session.progress().story(), session.now());
    story.next(scenario)?;
    let to = story.waits_until(scenario, now).unwrap_or(now + MAX_SEARCH_TIME);
    let shown = row_without_object(UpcomingEventKind::Story, String::new(), to);
    Some(start_skip(None, shown, session, clock))
}

/// Starts a skip to the next command of the lesson's solution that is being shown. None if no command is left.
pub(super) fn start_skip_to_solution_command(session: &Session, clock: ClockMillis) -> Option<FastForward> {
    let next = session.next_user_command()?;
    let words = next.command.to_string();
    let words = words.lines().next().unwrap_or_default().to_owned();
    let shown = row_without_object(UpcomingEventKind::Solution, words, next.at);
    Some(start_skip(None, shown, session, clock))
}

/// Creates a row of the list of pending events that refers to no object.
fn row_without_object(what: UpcomingEventKind, name: String, at: SimTime) -> UpcomingEvent {
    UpcomingEvent {
        at: at.0,
        what,
        name,
        count: 1,
        ..UpcomingEvent::default()
    }
}

fn start_skip(due: Option<PendingEvent>, shown: UpcomingEvent, session: &Session, since: ClockMillis) -> FastForward {
    FastForward::Skip(Box::new(Skip {
        due,
        to: SimTime(shown.at),
        shown,
        since,
        from: session.now(),
    }))
}

/// Processes events until one is recorded in the trace, because the user does not see other events. Returns a caption
/// that describes the record.
pub(super) fn step_to_recorded_event(session: &mut Session) -> Caption {
    let (stop, end) = (session.trace().len(), session.now() + MAX_SEARCH_TIME);
    for _ in 0..MAX_EVENTS_PER_STEP {
        session.step();
        if let Some(caption) = event_caption(session, stop) {
            return caption;
        }
        if session.now() > end {
            break;
        }
    }
    Caption::NoUpcomingEvent
}

/// Returns the caption that describes the record with that index. None if the trace is shorter.
fn event_caption(session: &Session, index: usize) -> Option<Caption> {
    let record = session.trace().nth(index)?;
    let object = record.object.as_ref();
    Some(Caption::Event {
        by: record.actor.to_string(),
        what: match &record.happening {
            Happening::Event { reason, .. } => reason.to_string(),
            _ => record.what().as_str().to_owned(),
        },
        of: object.map_or_else(String::new, |object| {
            format!("{} {}", object.kind.name(), object.key.name)
        }),
    })
}

/// Returns the number of shown steps of the story, and whether the story is over: finished, or halted because a promise
/// was broken or a goal missed.
fn shown_step_count_and_is_over(session: &Session) -> (usize, bool) {
    let story = session.progress().story();
    (
        story.shown().len(),
        story.finished().is_some() || story.halt().is_some(),
    )
}

/// Continues a skip. Returns the caption that describes its result when it is over.
fn continue_skip(
    session: &mut Session,
    skip: &Skip,
    position_before: (usize, bool),
    clock: ClockMillis,
) -> Option<Caption> {
    let Skip {
        due,
        to,
        shown,
        since,
        from,
    } = skip;
    let part = ((clock - since) / SKIP_DURATION).clamp(0.0, 1.0);
    let step = SimTime(from.0 + ((*to - *from).0 as f64 * part) as i64);
    let is_script = matches!(shown.what, UpcomingEventKind::Script | UpcomingEventKind::Solution);
    let next_command = |session: &Session| match shown.what {
        UpcomingEventKind::Solution => session.next_user_command().map(|next| next.at),
        _ => session.next_scenario_command(),
    };
    let last = *to
        + if is_script {
            COMMAND_EFFECT_TIME
        } else {
            MAX_EVENT_LATENESS
        };
    let end = if step < *to { step } else { last };
    let is_waiting = |session: &Session| match due {
        Some(due) => !session.world().has_happened(due),
        // The clock may have reached the time of the command although the command has not run yet.
        None if is_script => next_command(session).is_some_and(|at| at <= *to) || session.now() < last,
        // Conditions of the story are checked when all events of an instant have been processed.
        None => session.now() < *to || session.now() == *to && shown_step_count_and_is_over(session) == position_before,
    };
    let mut slice = Slice::More;
    for _ in 0..EVENTS_PER_PIECE {
        let now = session.now();
        if now >= *to && !is_waiting(session) {
            slice = Slice::Done;
            break;
        }
        // First reach the target, then continue until the effects are visible.
        let target = if now < *to { end.min(*to) } else { end };
        slice = session.advance_story(target, 1, |_, _| true);
        if shown_step_count_and_is_over(session) != position_before || session.now() >= end {
            break;
        }
    }
    let waited = (if is_script { *to } else { session.now() } - *from).0;
    let is_reached = session.now() >= *to && !is_waiting(session);
    // The skip has reached its target, but the condition of the story's next step does not hold.
    let is_condition_false =
        shown.what == UpcomingEventKind::Story && shown_step_count_and_is_over(session) == position_before;
    if is_reached && !is_condition_false {
        Some(Caption::Occurred(shown.clone(), waited))
    } else if is_reached || session.now() >= last || slice == Slice::Limit {
        Some(Caption::DidNotOccur(shown.clone(), waited))
    } else {
        None
    }
}

/// Continues a fast-forward. Returns the caption that describes its result when it is over.
pub(super) fn continue_fast_forward(
    active: &mut PageSession,
    fast: &mut FastForward,
    clock: ClockMillis,
) -> Option<Caption> {
    let session = &mut active.session;
    let position_before = shown_step_count_and_is_over(session);
    let over = match fast {
        FastForward::Skip(skip) => continue_skip(session, skip, position_before, clock),
        FastForward::Watch { until, known, .. } => {
            let slice = session.advance_until(*until, EVENTS_PER_PIECE, |session| session.trace().len() > *known);
            match (event_caption(session, *known), slice) {
                (Some(caption), _) => Some(caption),
                (None, Slice::More) => None,
                (None, Slice::Done | Slice::Limit) => Some(Caption::NoUpcomingEvent),
            }
        }
        FastForward::Decision { from, until, stop } => {
            let attempts_before = session.progress().attempts;
            // A notable event may have become pending since the run began.
            if stop.is_none() {
                *stop = next_notable_event(session, *until).map(Box::new);
            }
            let stop = stop.as_deref();
            let has_happened = |session: &Session| match stop {
                Some((_, Some(due))) => session.world().has_happened(due),
                Some((row, None)) => session.next_scenario_command().is_none_or(|at| at.0 > row.at),
                None => false,
            };
            let slice = session.advance_until(*until, EVENTS_PER_PIECE, |session| {
                session.progress().attempts > attempts_before
                    || shown_step_count_and_is_over(session) != position_before
                    || has_happened(session)
            });
            let waited = (session.now() - *from).0;
            match (slice, stop) {
                _ if session.progress().attempts > attempts_before => Some(Caption::Decided(waited)),
                (_, Some(stop)) if has_happened(session) => Some(Caption::Before(stop.0.clone(), waited)),
                (Slice::More, _) => None,
                (Slice::Done | Slice::Limit, _) => Some(Caption::NoDecision(waited, session.now().0)),
            }
        }
    };
    // A fast-forward ends when the story shows a new step, even if it has not found its decision or event.
    let has_story_moved = shown_step_count_and_is_over(session) != position_before;
    if has_story_moved && matches!(over, None | Some(Caption::NoDecision(..))) {
        return Some(Caption::Story((session.now() - fast.start()).0));
    }
    over
}

/// Returns the rows of pending events, the fast-forward in progress and the last caption, for a frame.
pub(super) fn view_for_frame(
    session: &Session,
    reader: &Reader,
    running: Option<&FastForward>,
    caption: Option<&Caption>,
) -> Director {
    Director {
        next: pending_events(session, reader),
        running: running.map(FastForward::view_for_page),
        caption: caption.cloned(),
    }
}

/// Returns whether a request runs command lines or advances time from the cursor.
pub(super) fn proceeds_from_cursor(request: &Request) -> bool {
    let runs_lines = !request.command_lines().is_empty();
    runs_lines
        || matches!(
            request,
            Request::Play | Request::Step | Request::NextDecision | Request::SkipAhead { .. } | Request::SkipToStory
        )
}

/// Returns whether a request moves time or changes the cluster, so that the caption of the last fast-forward no longer
/// applies.
pub(super) fn clears_caption(request: &Request) -> bool {
    proceeds_from_cursor(request)
        || matches!(
            request,
            Request::Open { .. } | Request::Seek { .. } | Request::Branch { .. } | Request::Undo | Request::ShowMe
        )
}

/// Returns whether a request is an action of the user, such as a command or an undo, after which the lesson's solution
/// is no longer shown.
pub(super) fn is_user_action(request: &Request) -> bool {
    let runs_lines = !request.command_lines().is_empty();
    runs_lines
        || matches!(
            request,
            Request::Fork | Request::Branch { .. } | Request::Undo | Request::TryRemedy { .. }
        )
}
