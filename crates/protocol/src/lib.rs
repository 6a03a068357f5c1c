//! The messages between page and engine: the page sends [`Request`]s, the engine answers with [`Update`]s. The page
//! keeps a view model that consists of these types and depends on nothing else of the engine; the engine does not
//! depend on the page.
//!
//! In the browser, messages are sent as bytes between the page and its worker ([`pack`], [`unpack`]). Native tests
//! exchange the values with the same host directly.
//!
//! - **Times** are simulated microseconds since t = 0 ([`Micros`]).
//! - **Objects** are identified as in the page's elements: a pod by `NAMESPACE/NAME` and its UID, because a ghost and its
//!   successor share the name; a node by its name; anything else by its kind and `NAMESPACE/NAME` or its name.
//! - **A sentence is sent as data.** Its arguments have names, and only its `Display` in this crate turns it into text: see
//!   [`Summary`], [`MachineDifference`], [`MarkLabel`], [`LessonCondition`], [`Notice`], [`Remark`]; for explanations
//!   of decisions, [`explained`].
//! - **A frame is a delta.** It holds the differences to the previous frame; with [`Frame::reset`] it holds everything.
//!
//! ```
//! use podscope_protocol::{Request, pack, unpack};
//!
//! let request = Request::Command { line: "fault partition a-1".into() };
//! let bytes = pack(&request).expect("it is one of the protocol's own messages");
//! assert_eq!(unpack::<Request>(&bytes), Ok(request));
//! ```

mod condition;
mod course;
mod detail;
mod device;
pub mod device_words;
mod director;
pub mod duration;
pub mod explained;
pub mod glossary;
mod machine;
mod mark;
pub mod markdown;
mod missing_objects;
mod notice;
mod picture;
mod remark;
mod remedy;
mod request;
mod requests;
mod search;
mod status;
mod story;
mod summary;
pub mod template;
mod thread;
mod traffic;
pub mod triage;
mod trouble;
mod update;
mod what_if;

pub use podscope_api::clock;
pub use podscope_api::fault::{CutFrom, FaultKind, ViolationCause};
pub use podscope_api::pending_event::PendingEventKind;
use postcard::ser_flavors::Size;

pub use condition::{
    ConditionTimeLimit, CountedField, CountedNamespaces, CountedPods, LessonCondition, ObjectState, RequiredCount,
    RequiredObject, RequiredObjects, RequiredState, RequiredValue, WaitsFor,
};
pub use course::{
    CourseInfo, CourseItem, CourseRequest, CourseSource, CourseUpdate, ExamInfo, GradedAnswer, GradedRun, Practice,
    PracticeFamily, PracticeTask, TaskId, practice_run_name,
};
pub use detail::{ConditionLine, ContainerDetail, EventLine, InspectorContent};
pub use device::{DeviceHolder, DeviceView, NodeDevices};
pub use director::{Caption, Director, FastRun, UpcomingEvent, UpcomingEventKind};
pub use machine::{Cut, Fence, MachineDifference, MachineView, other_end_of_cut};
pub use mark::{Evictor, Lane, Mark, MarkKind, MarkLabel, fault_sentence};
pub use missing_objects::MissingObjectsView;
pub use notice::{ConsoleText, GoalRefusal, Notice, OtherEngine, RequestName, SessionLimit, UnrunLines};
pub use picture::{
    BranchView, BrokenInvariant, Component, ComponentState, ComponentView, ContainerStage, ControlPlaneView, Frame,
    GroupView, NodeNext, NodeView, OwnerView, PodMark, PodView, QueuePlace, QueueView, SpreadCount, SpreadLane,
    SpreadPoint, TerminationStage, TerminationView, cause_word,
};
pub use remark::{
    Assumption, FirstItems, NodeProblem, NodeWithProblems, PodWithAssumedObjects, PodWithProblem, Remark,
};
pub use remedy::{Remedy, gate_setter};
pub use request::{ExportKind, FIRST_VISIT_COMMAND, FIRST_VISIT_LESSON, Request, SessionSource, SubjectRef, TextKind};
pub use requests::{FailedStretch, MAX_REQUEST_ROUTES, RequestRoute, ServiceRequests, Thousandths, failures_title};
pub use search::{RunSize, Search, SearchUpdate, ShortestRun, TriedSeed};
pub use story::{
    GoalState, MomentNode, MomentPicture, MomentPod, Question, QuestionKind, StepState, StoryHalt, StoryState,
    StoryStep, TrueAnswer, is_command_hint,
};
pub use summary::{
    ContainerRole, ContainerState, DeletionCause, EmptyDirDataView, ProcessView, Subtitle, Summary, VolumeView,
};
pub use template::FilledTexts;
pub use thread::{CausalThread, MAX_THREAD_RECORDS, ThreadActor, ThreadEvent, ThreadLink};
pub use traffic::{MAX_MESSAGES, Message, MessageKind, OmittedMessages, Peer, Traffic};
pub use trouble::NodeTrouble;
pub use update::{
    AnswerLimitation, AttemptInfo, Completion, ConsoleLine, FilmRefusal, Guarantee, LessonInfo, LineKind, LinkLength,
    OpenedSession, Problem, Task, Update,
};
pub use what_if::{ComparedFigures, NodeFullness, NodeRoom, PodMove, RoomChange, WhatIf, WhatIfAnswer};

/// Maximum length of a link without a warning, in characters (T-03).
pub const LINK_WARNING_LENGTH: usize = 2_000;
/// Maximum length of a link that every supported browser opens, in characters. The limit of Chromium is 2 MiB, that of
/// Firefox 1 MiB, and Safari is known to accept 80 000 characters. Longer links are saved as a file.
pub const MAX_LINK_LENGTH: usize = 64_000;

/// Serializes a message to bytes. Field names are omitted, because both ends are of the same build.
///
/// # Errors
/// Does not occur with messages of this protocol. postcard rejects values of unknown length.
pub fn pack(message: &impl serde::Serialize) -> Result<Vec<u8>, String> {
    // Compute the size first: a growing buffer would need twice the memory, and a frame can be tens of megabytes.
    let size = postcard::serialize_with_flavor(message, Size::default());
    let packed = size.and_then(|size| {
        let mut bytes = vec![0; size];
        postcard::to_slice(message, &mut bytes)?;
        Ok(bytes)
    });
    packed.map_err(|error| error.to_string())
}

/// Deserializes a message.
///
/// # Errors
/// The bytes are not a message of type `T`.
pub fn unpack<T: serde::de::DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    postcard::from_bytes(bytes).map_err(|error| error.to_string())
}

/// Simulated microseconds since t = 0. JavaScript numbers represent them exactly up to 285 years.
pub type Micros = i64;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explained::{
        CandidateExplanation, Code, DecisionOutcome, DecisionSummary, DomainCount, Explanation, NodeExplanation,
        NodeRefusal, NodeSampling, NodeScores, NodeVerdict, PreemptionCriterion, PreemptionExplanation,
        PreemptionResult, ScoreNote, ScoringPlugin, SpreadExplanation, TooFewDomains, VictimExplanation, WinReason,
    };

    /// Returns one node for each kind of verdict. The first node has scores if `is_scored`.
    fn nodes_with_each_verdict(is_scored: bool) -> Vec<NodeExplanation> {
        let scores = NodeScores {
            weighted: vec![512, -1],
            raw: Vec::new(),
            total: Some(i64::MAX),
            notes: vec![(1, ScoreNote::Evenness { without: 62, with: 71 })],
        };
        let verdicts = [
            NodeVerdict::Fits(if is_scored { scores } else { NodeScores::default() }),
            NodeVerdict::Refused {
                refusal: NodeRefusal::NotNamed,
                code: Code::UnschedulableAndUnresolvable,
                reasons: vec!["node(s) didn't match".into()],
                short: "not named".into(),
            },
            NodeVerdict::NotExamined,
        ];
        let node = |verdict| NodeExplanation {
            name: "a-1".into(),
            zone: None,
            verdict,
        };
        verdicts.map(node).into()
    }

    /// Returns an explanation in which either all optional fields are set or none. Fields that only the JSON output
    /// contains are not set.
    fn explanation_with_options(is_full: bool) -> Explanation {
        let victim = |pod: &str| VictimExplanation {
            pod: pod.into(),
            priority: -1,
            budgets: if is_full {
                vec![("budget".into(), 0)]
            } else {
                Vec::new()
            },
        };
        let preemption = PreemptionExplanation {
            result: PreemptionResult::Found {
                candidates: 1,
                criterion: PreemptionCriterion::OnlyCandidate,
            },
            candidates: vec![CandidateExplanation {
                node: "a-1".into(),
                victims: vec![victim("default/a")],
                reprieved: vec![victim("default/b")],
                pdb_violations: 1,
            }],
            chosen: vec!["a-1".into()],
            not_helped_nodes: Vec::new(),
        };
        Explanation {
            scheduler_name: String::new(),
            priority: 0,
            conclusion: DecisionSummary {
                pod: "default/web".into(),
                outcome: DecisionOutcome::Failed("error".into()),
            },
            chosen: is_full.then(|| "a-1".into()),
            hosts: Vec::new(),
            won: is_full.then_some(WinReason::OnlyNode),
            message: is_full.then(|| "message".into()),
            plugins: vec![ScoringPlugin {
                name: "NodeResourcesFit".into(),
                about: "free".into(),
                weight: 1,
            }],
            nodes: nodes_with_each_verdict(is_full),
            spread: vec![SpreadExplanation {
                index: 2,
                topology_key: "zone".into(),
                hard: true,
                max_skew: 1,
                min: 0,
                too_few_domains: is_full.then_some(TooFewDomains {
                    found: 2,
                    min_domains: 3,
                }),
                own: 1,
                domains: vec![DomainCount {
                    value: "a".into(),
                    count: 1,
                    skew: 2,
                    allowed: false,
                    is_scored: true,
                }],
            }],
            preemption: is_full.then_some(preemption),
            sampling: is_full.then_some(NodeSampling {
                examined: 1,
                nodes: 2,
                wanted: 1,
            }),
        }
    }

    /// Packed messages have no field names: if a field were omitted, the fields after it would be read wrongly.
    #[test]
    fn explanation_survives_packing_with_and_without_options() {
        for is_full in [true, false] {
            let explanation = explanation_with_options(is_full);
            let bytes = pack(&explanation).expect("the explanation must be packable");
            assert_eq!(unpack::<Explanation>(&bytes), Ok(explanation));
        }
    }

    /// The page does not show the profile's name and the unweighted scores, so they are not sent.
    #[test]
    fn packed_explanation_omits_fields_of_json() {
        let sent = explanation_with_options(true);
        let mut full = sent.clone();
        full.scheduler_name = "default-scheduler".into();
        full.priority = 1000;
        full.hosts = vec!["a-1".into()];
        full.nodes[0].zone = Some("a".into());
        if let NodeVerdict::Fits(scores) = &mut full.nodes[0].verdict {
            scores.raw = vec![100, -1];
        }
        assert_eq!(pack(&full), pack(&sent));
    }

    #[test]
    fn node_with_labels_survives_pack_and_unpack() {
        let labels = [("zone", "a"), ("disk", "ssd")].map(|(key, value)| (key.to_string(), value.to_string()));
        let node = NodeView {
            name: "a-1".into(),
            labels: labels.into(),
            ..NodeView::default()
        };
        let bytes = pack(&node).expect("the node must be packable");
        assert_eq!(unpack::<NodeView>(&bytes), Ok(node));
    }

    /// `tests/e2e/wire.mjs` contains these bytes as constants, to send requests and recognise frames. This test fails
    /// if they are out of date.
    #[test]
    fn packed_bytes_match_those_used_by_wire_measurements() {
        assert_eq!(pack(&Request::FrameDone).as_deref(), Ok(&[25][..]));
        let files = vec![("a".to_owned(), "bc".to_owned())];
        let open = Request::Open {
            source: SessionSource::Files { files },
        };
        assert_eq!(pack(&open).as_deref(), Ok(&[0, 0, 1, 1, b'a', 2, b'b', b'c'][..]));
        assert_eq!(pack(&Request::Seek { at: 200 }).as_deref(), Ok(&[7, 144, 3][..]));
        let question = Request::WhatIf(Some(WhatIf::Fit {
            pod: "a/b".to_owned(),
            need: 0,
        }));
        assert_eq!(pack(&question).as_deref(), Ok(&[39, 1, 2, 3, b'a', b'/', b'b', 0][..]));
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
