//! Upcoming events of the simulation, and fast runs (time runs at full speed until an event).

use podscope_api::pending_event::PendingEventKind;
use serde::{Deserialize, Serialize};

use crate::{Micros, SubjectRef};

/// State of the controls that move time to the next event or decision: upcoming events, the current fast run, and the
/// result of the last one.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Director {
    /// Upcoming events, earliest first. Empty while a question is open, because an event could reveal the answer.
    pub next: Vec<UpcomingEvent>,
    /// The current fast run.
    pub running: Option<FastRun>,
    /// Result of the last fast run, until time runs on or a command is given.
    pub caption: Option<Caption>,
}

/// An event that will occur if the user gives no further command.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UpcomingEvent {
    pub at: Micros,
    pub what: UpcomingEventKind,
    /// The object that the event affects; if several events occur at once, that of the first.
    pub subject: Option<SubjectRef>,
    pub name: String,
    /// Name of the container; empty if the event concerns the whole subject.
    pub container: String,
    /// Number of equal events at this time.
    pub count: u32,
    /// Whether the event only occurs if another upcoming event occurs first.
    pub is_projected: bool,
}

/// The sort of an upcoming event, by who or what causes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum UpcomingEventKind {
    /// A component or machine waits for this event.
    Pending(PendingEventKind),
    /// The next entry of the scenario's timeline.
    #[default]
    Script,
    /// The next step of a lesson is shown, or the answer to the step's question becomes known.
    Story,
    /// The next command of the lesson's solution, which is being played. The event's `name` is the command.
    Solution,
}

/// A fast run in progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum FastRun {
    /// Runs to the upcoming event at this time.
    Skip(Micros),
    /// Runs to the next scheduling decision, but no further than this time.
    Decision(Micros),
}

/// Result of a fast run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Caption {
    /// The awaited event occurred. Holds the event and the simulated time until it.
    Occurred(UpcomingEvent, Micros),
    /// The awaited event did not occur, because something else happened first. Holds the event and the simulated time
    /// of the run.
    DidNotOccur(UpcomingEvent, Micros),
    /// The next step of the lesson was shown before the awaited event. Holds the simulated time until it.
    Story(Micros),
    /// The scheduler made a decision. Holds the simulated time until it.
    Decided(Micros),
    /// The scheduler made no decision. Holds the simulated duration of the fast run, and the instant at which it
    /// stopped.
    NoDecision(Micros, Micros),
    /// A single step or a fast run found no upcoming event.
    NoUpcomingEvent,
    /// This event occurred before any scheduling decision. Holds the event and the simulated time until it.
    Before(UpcomingEvent, Micros),
    /// A single step processed this trace record.
    Event {
        /// The component or user that acted.
        by: String,
        /// Kind of the trace record; for an Event object, the reason of the event.
        what: String,
        /// Kind and name of the object that the record affects; empty if there is none.
        of: String,
    },
}
