//! What page and engine say to each other: the page asks by [`Request`]s, the engine answers by [`Update`]s. The page
//! keeps a view model made of these types and knows nothing else of the engine; the engine knows nothing of the page.
//!
//! In the browser the messages cross between the page and its worker as bytes ([`pack`], [`unpack`]); natively the same
//! host takes and gives the values themselves, which is how it is tested.
//!
//! - **Times** are simulated microseconds since t = 0 ([`Micros`]).
//! - **Objects** are named as the page's elements name them: a pod is `NAMESPACE/NAME` with its UID, because a ghost and
//!   its successor share the name; a node is its name; anything else is its kind with `NAMESPACE/NAME` or its name.
//! - **A sentence is a message.** Its arguments have names, and its words are its `Display`, made here and nowhere else:
//!   see [`Summary`], [`Difference`], [`MarkLabel`], [`Wanted`], [`Notice`], [`Remark`]; for what the scheduler found,
//!   [`explained`].
//! - **A frame is a delta.** It holds what differs from the frame before; with [`Frame::reset`] it holds everything.
//!
//! ```
//! use podscope_protocol::{Request, pack, unpack};
//!
//! let request = Request::Command { line: "fault partition a-1".into() };
//! let bytes = pack(&request).expect("it is one of the protocol's own messages");
//! assert_eq!(unpack::<Request>(&bytes), Ok(request));
//! ```

mod detail;
mod director;
pub mod explained;
mod explanation;
pub mod glossary;
mod machine;
mod mark;
mod not_held;
mod notice;
mod picture;
mod remark;
mod remedy;
mod request;
mod requests;
mod status;
mod story;
mod thread;
mod told;
mod traffic;
pub mod triage;
mod trouble;
mod update;
mod wanted;

pub use podscope_api::clock;
use postcard::ser_flavors::Size;

pub use detail::{ConditionLine, ContainerDetail, Detail, EventLine};
pub use director::{Caption, Director, DueKind, DueView, FastRun};
pub use explanation::{
    CandidateExplanation, DomainCount, Explanation, NodeExplanation, NodeVerdict, Outcome, PreemptionExplanation,
    ScoringPlugin, SpreadExplanation, VictimExplanation,
};
pub use machine::{Cut, CutFrom, Difference, Fence, MachineView};
pub use mark::{Evictor, FaultView, Lane, Mark, MarkKind, MarkLabel};
pub use not_held::NotHeld;
pub use notice::{Asked, Limit, LinesLeft, NoGoal, Notice, OtherEngine, Said};
pub use picture::{
    BranchView, BreakCause, BrokenInvariant, Component, ComponentState, ComponentView, ContainerStage,
    ControlPlaneView, Frame, GroupView, NodeNext, NodeView, OwnerView, PodMark, PodView, QueuePlace, QueueView,
    RefusalView, SpreadCount, SpreadLane, SpreadPoint, TerminationStage, TerminationView,
};
pub use remark::{Assumption, Hopeful, Many, Remark, Strain, StrainedNode, Troubled};
pub use remedy::{Remedy, gate_setter};
pub use request::{ExportKind, Request, Source, SubjectRef, TextKind};
pub use requests::{FailedStretch, Thousandths};
pub use story::{
    GoalState, Halted, Moment, MomentNode, MomentPod, Question, QuestionKind, StepState, StoryState, StoryStep,
    TruthView,
};
pub use thread::{Deed, MAX_THREAD, Thread, ThreadActor, ThreadLink};
pub use told::{ContainerRole, ContainerState, DeletionCause, ProcessView, Subtitle, Summary, VolumeView, WrittenView};
pub use traffic::{MAX_MESSAGES, Message, MessageKind, Stop, Traffic, UncountedLink};
pub use trouble::NodeTrouble;
pub use update::{
    AttemptInfo, Basis, Completion, ConsoleLine, Guarantee, LessonInfo, LineKind, LinkLength, NoFilm, Opened, Problem,
    Task, Update,
};
pub use wanted::{
    CountedField, CountedPlace, ObjectState, PodsWhich, WaitsFor, Wanted, WantedCount, WantedObject, WantedState,
    WantedTime, WantedValue,
};

/// Longest link that is passed on without a word, in characters (T-03).
pub const LONG_LINK: usize = 2_000;
/// Longest link that every supported browser opens, in characters: Chromium stops at 2 MiB, Firefox at 1 MiB, Safari
/// is known to take 80 000. What is longer is a file.
pub const LONGEST_LINK: usize = 64_000;

/// A message as it crosses: bytes without names, because both ends are of one build.
///
/// # Errors
/// None for the protocol's own messages; postcard refuses values of unknown length.
pub fn pack(message: &impl serde::Serialize) -> Result<Vec<u8>, String> {
    // Counted first: a buffer that grew as it filled would be there twice, and a frame can be tens of megabytes.
    let size = postcard::serialize_with_flavor(message, Size::default());
    let packed = size.and_then(|size| {
        let mut bytes = vec![0; size];
        postcard::to_slice(message, &mut bytes)?;
        Ok(bytes)
    });
    packed.map_err(|error| error.to_string())
}

/// The message in these bytes.
///
/// # Errors
/// Bytes that are no such message.
pub fn unpack<T: serde::de::DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    postcard::from_bytes(bytes).map_err(|error| error.to_string())
}

/// Simulated microseconds since t = 0. JavaScript holds them exactly up to 285 years.
pub type Micros = i64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_with_labels_crosses() {
        let labels = [("zone", "a"), ("disk", "ssd")].map(|(key, value)| (key.to_string(), value.to_string()));
        let node = NodeView {
            name: "a-1".into(),
            labels: labels.into(),
            ..NodeView::default()
        };
        let bytes = pack(&node).expect("the length of its labels is known");
        assert_eq!(unpack::<NodeView>(&bytes), Ok(node));
    }

    /// `tests/e2e/wire.mjs` opens files, seeks and hears of frames with these.
    #[test]
    fn measurements_speak_these_bytes() {
        assert_eq!(pack(&Request::FrameDone).as_deref(), Ok(&[25][..]));
        let files = vec![("a".to_owned(), "bc".to_owned())];
        let open = Request::Open {
            source: Source::Files { files },
        };
        assert_eq!(pack(&open).as_deref(), Ok(&[0, 0, 1, 1, b'a', 2, b'b', b'c'][..]));
        assert_eq!(pack(&Request::Seek { at: 200 }).as_deref(), Ok(&[7, 144, 3][..]));
        let frame = Frame {
            now: 200,
            ..Frame::default()
        };
        let bytes = pack(&Update::Frame(Box::new(frame)));
        assert_eq!(bytes.map(|bytes| bytes[..3].to_vec()), Ok(vec![4, 144, 3]));
        let kind = |update: &Update| pack(update).map(|bytes| bytes[0]);
        let problems = Vec::new();
        let message = String::new();
        let hello = Update::Hello {
            version: String::new(),
            lessons: Vec::new(),
            guarantees: Vec::new(),
        };
        assert_eq!(kind(&hello), Ok(0));
        let (task, per_mille) = (Task::Open, 0);
        assert_eq!(kind(&Update::Progress { task, per_mille }), Ok(1));
        assert_eq!(kind(&Update::Opened(Box::default())), Ok(2));
        assert_eq!(kind(&Update::Refused { problems }), Ok(3));
        assert_eq!(kind(&Update::Frame(Box::default())), Ok(4));
        assert_eq!(kind(&Update::Crashed { message }), Ok(14));
    }
}
