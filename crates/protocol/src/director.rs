//! What comes next by itself, and going there.

use serde::{Deserialize, Serialize};

use crate::{Micros, SubjectRef};

/// What is due, what runs fast, and how the last fast run ended.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Director {
    /// What is due, the next first; nothing while a question is open, for it could be the answer.
    pub next: Vec<DueView>,
    /// What runs fast now.
    pub running: Option<FastRun>,
    /// How the last fast run ended, until time or a command goes on.
    pub caption: Option<Caption>,
}

/// Something that comes by itself.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DueView {
    pub at: Micros,
    pub what: DueKind,
    /// To whom; to the first of several.
    pub subject: Option<SubjectRef>,
    pub name: String,
    /// The container; empty if it is about all of it.
    pub container: String,
    /// How many of its kind come at that instant.
    pub count: u32,
    /// It needs something before it that is due itself.
    pub is_projected: bool,
}

/// What kind of thing comes by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum DueKind {
    /// A silent node becomes NotReady.
    #[default]
    NotReady,
    /// A pod has tolerated a taint for long enough, and is deleted.
    Evicted,
    /// A candidate takes a lease that nobody holds.
    Lease,
    /// The scheduler looks at a pod again.
    Attempt,
    /// A container's back-off ends.
    BackOff,
    /// One more failure, and a probe has failed.
    Probe,
    /// A preStop hook has had its time.
    StopSignal,
    /// A container has had its grace.
    Kill,
    /// A container ends by itself.
    Exit,
    /// A CronJob makes its next Job.
    Job,
    /// The scenario's own next event.
    Script,
    /// A lesson's next step shows then, or the run has the answer to its question.
    Story,
    /// A command of the solution that is shown; the name is the command.
    Solution,
}

/// A fast run under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum FastRun {
    /// To what is due at that instant.
    Skip(Micros),
    /// To the next decision, no further than that instant.
    Decision(Micros),
}

/// How a fast run ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Caption {
    /// What was due has come, after so long.
    Came(DueView, Micros),
    /// Its time is over, and it has not come: something else happened first.
    Gone(DueView, Micros),
    /// The story went on first, after so long.
    Story(Micros),
    /// A decision was made, after so long.
    Decided(Micros),
    /// Nothing was decided for so long, up to that instant.
    NoDecision(Micros, Micros),
    /// Nothing is due: nothing comes by itself.
    NothingDue,
    /// This came before any decision, after so long.
    Before(DueView, Micros),
    /// A step led to an event that is written down.
    Event {
        /// Who did it.
        by: String,
        /// What, as the trace calls it; of an event its reason.
        what: String,
        /// To what: kind and name; empty if to nothing.
        of: String,
    },
}
