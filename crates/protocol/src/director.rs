//! Upcoming events of the simulation, and fast runs to them.

use podscope_api::pending_event::PendingEventKind;
use serde::{Deserialize, Serialize};

use crate::{Micros, SubjectRef};

/// Upcoming events, the current fast run, and the result of the last one.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Director {
    /// Upcoming events, earliest first. Empty while a question is open, because an event could reveal the answer.
    pub next: Vec<UpcomingEvent>,
    /// The current fast run.
    pub running: Option<FastRun>,
    /// Result of the last fast run, until time or a command continues.
    pub caption: Option<Caption>,
}

/// An upcoming event that needs no further command.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UpcomingEvent {
    pub at: Micros,
    pub what: UpcomingEventKind,
    /// The affected object; the first one if there are several.
    pub subject: Option<SubjectRef>,
    pub name: String,
    /// Name of the container; empty if the event concerns the whole subject.
    pub container: String,
    /// Number of events of this kind at the same time.
    pub count: u32,
    /// Whether the event depends on another upcoming event.
    pub is_projected: bool,
}

/// What an upcoming event does, or who causes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum UpcomingEventKind {
    /// An event that a component waits for.
    Pending(PendingEventKind),
    /// The next entry of the scenario's timeline.
    #[default]
    Script,
    /// The next step of a lesson is shown, or the answer to its question is known.
    Story,
    /// The next command of the solution being played; `name` is the command.
    Solution,
}

/// A fast run in progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum FastRun {
    /// A run to the upcoming event at this time.
    Skip(Micros),
    /// A run to the next scheduling decision, but at most to this time.
    Decision(Micros),
}

/// Result of a fast run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Caption {
    /// The awaited event occurred after this time.
    Occurred(UpcomingEvent, Micros),
    /// The awaited event did not occur, because something else happened first; with the elapsed time.
    DidNotOccur(UpcomingEvent, Micros),
    /// The story continued first, after this time.
    Story(Micros),
    /// A decision was made after this time.
    Decided(Micros),
    /// No decision was made; with the elapsed time, and the time at which the run stopped.
    NoDecision(Micros, Micros),
    /// There are no upcoming events.
    NoUpcomingEvent,
    /// This event occurred before any decision, after this time.
    Before(UpcomingEvent, Micros),
    /// A single step led to a recorded event.
    Event {
        /// The actor.
        by: String,
        /// Kind of the trace record; for an Event object, the reason of the event.
        what: String,
        /// Kind and name of the affected object; empty if there is none.
        of: String,
    },
}
