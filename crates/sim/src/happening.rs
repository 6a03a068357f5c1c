//! Everything that can happen in a run, as one closed list (the `what` field of the trace). Details are typed for
//! readers of a record, and become fields of the printed line.

use podscope_api::explained::SchedulingVerdict;
use podscope_api::fault::{CutFrom, FaultKind, FenceMechanism, OneWay, ViolationCause};
use podscope_api::{ConditionStatus, EventType, NodeName, ObjectKey, Str, TaintEffect, named_enum};
use podscope_messages::{Sentence, sentence};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::requests::{FailedRequests, RequestFailureCause, RequestOutcome, RequestRate};
use crate::{SimTime, Span};

/// Names and values of a record's fields, in the order of the printed line.
pub type Fields = Vec<(&'static str, Value)>;

macro_rules! happenings {
    ($($(#[$doc:meta])* $name:ident $({ $($(#[$meta:meta])* $field:ident: $type:ty = $wire:literal),* $(,)? })?;)*) => {
        /// The kind of a [`Happening`], without its details.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum What { $(#[doc = concat!("`", stringify!($name), "`.")] $name),* }

        impl What {
            /// Returns the name in the trace.
            pub const fn as_str(self) -> &'static str { match self { $(Self::$name => stringify!($name)),* } }
        }

        /// Something that happened in the run, with its details.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        pub enum Happening { $($(#[$doc])* $name $({ $($(#[$meta])* $field: $type),* })?),* }

        impl Happening {
            /// Returns the kind of this happening.
            pub const fn what(&self) -> What { match self { $(Self::$name { .. } => What::$name),* } }
            /// Returns the fields of the trace line, besides actor, time and object.
            pub fn fields(&self) -> Fields {
                let mut fields = Fields::new();
                match self {
                    $(Self::$name $({ $($field),* })? => { $($($field.add_to_trace_fields($wire, &mut fields);)*)? }),*
                }
                fields
            }
        }
    };
}

happenings! {
    /// An object was stored for the first time.
    Created { #[serde(with = "texts")] node: Option<NodeName> = "node", owner: Option<String> = "owner" };
    /// An object was updated.
    Updated { changed: Updated = "" };
    /// An object got its deletion timestamp.
    DeletionRequested { grace: i64 = "grace" };
    /// An object was removed from the store.
    Deleted;
    /// A request was refused.
    Refused { code: u16 = "code", message: String = "message" };
    /// A pod was bound.
    Bound { #[serde(with = "text")] node: NodeName = "node" };
    /// A scheduler tried to place a pod.
    Attempt { number: u32 = "number", result: AttemptResult = "result", feasible: usize = "feasible", examined: usize = "examined" };
    /// A pod was nominated to a node.
    Nominated { #[serde(with = "text")] node: NodeName = "node" };
    /// A pod is deleted to make room for a pod of higher priority.
    Preempted { by: ObjectKey = "by", #[serde(with = "text")] node: NodeName = "node" };
    /// A pod was created with scheduling gates.
    Gated { gates: Vec<Str> = "gates" };
    /// An image was pulled to a node.
    ImagePulled { image: Str = "image", #[serde(with = "text")] node: NodeName = "node" };
    /// A container's process started.
    ContainerStarted { attempt: i32 = "attempt" };
    /// A container's process ended.
    ContainerExited { exit_code: i32 = "exitCode", reason: Str = "reason" };
    /// A lifecycle hook started.
    HookStarted { hook: HookKind = "hook" };
    /// A lifecycle hook ended.
    HookFinished { hook: HookKind = "hook", succeeded: bool = "succeeded" };
    /// A process got a signal.
    SignalSent { signal: Str = "signal" };
    /// A probe failed as often as its failure threshold.
    ProbeFailed { probe: ProbeKind = "probe" };
    /// A failed probe succeeds again.
    ProbeSucceeded { probe: ProbeKind = "probe" };
    /// A volume was attached to a node.
    VolumeAttached { volume: Str = "volume", #[serde(with = "text")] node: NodeName = "node" };
    /// A volume was detached from a node.
    VolumeDetached { volume: Str = "volume", #[serde(with = "text")] node: NodeName = "node", forced: Flag = "forced" };
    /// A pod's volume was mounted on its node.
    VolumeMounted { volume: Str = "volume", #[serde(with = "text")] node: NodeName = "node", writable: bool = "writable" };
    /// A pod's volume was unmounted.
    VolumeUnmounted { volume: Str = "volume", #[serde(with = "text")] node: NodeName = "node" };
    /// Two nodes wrote to a volume that does not support several writers.
    VolumeCorrupted { message: String = "message" };
    /// A kubelet created its Node.
    NodeRegistered;
    /// The status or reason of a condition changed.
    ConditionChanged {
        kind: Str = "type",
        #[serde(with = "text")] status: ConditionStatus = "status",
        reason: Option<Str> = "reason",
        message: Option<Str> = "message",
    };
    /// A node got a taint.
    TaintAdded { key: Str = "key", #[serde(with = "text")] effect: TaintEffect = "effect", value: Option<Str> = "value" };
    /// A node lost a taint.
    TaintRemoved { key: Str = "key", #[serde(with = "text")] effect: TaintEffect = "effect", value: Option<Str> = "value" };
    /// A fault was injected.
    Fault { fault: FaultKind = "fault", details: FaultDetails = "" };
    /// A fault was repaired.
    Healed { fault: FaultKind = "fault", details: FaultDetails = "" };
    /// A user's command was issued.
    Command { command: String = "command", error: Option<String> = "error" };
    /// A node was fenced.
    Fenced { by: FenceMechanism = "by" };
    /// An event object was recorded.
    Event { #[serde(with = "text")] kind: EventType = "type", reason: Str = "reason", message: Str = "message", count: i32 = "count" };
    /// An invariant was violated.
    InvariantViolated { violation: Violation = "" };
    /// An expectation of the scenario was evaluated.
    Expectation { expect: String = "expect", ok: bool = "ok", found: String = "found" };
    /// Similar requests of clients failed.
    RequestsFailed { failed: Box<FailedRequests> = "" };
    /// The rate of a client's requests changed, or the distribution of their outcomes.
    RequestRate { rate: Box<RequestRate> = "" };
}

/// The changed fields of an update that matter most to a reader; `None` for fields that did not change.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Updated {
    /// A pod's or namespace's phase.
    pub phase: Option<Str>,
    /// Grace period of a deletion, in seconds.
    pub grace: Option<i64>,
    /// The remaining finalizers.
    pub finalizers: Option<Vec<Str>>,
    /// Whether the node is cordoned.
    pub unschedulable: Option<bool>,
    /// The desired number of pods of a workload.
    pub replicas: Option<i32>,
    /// `status.disruptionsAllowed` of a PodDisruptionBudget.
    pub disruptions_allowed: Option<i32>,
}

impl From<Updated> for Happening {
    fn from(changed: Updated) -> Self {
        Self::Updated { changed }
    }
}

/// A violation of an invariant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Violation {
    pub invariant: Str,
    /// Whether a command, a fault or a bug of Podscope caused the violation.
    pub cause: ViolationCause,
    /// The command, fault or component that caused the violation.
    pub by: Originator,
    /// The observation that violates the invariant.
    pub seen: Sentence,
}

/// The originator of an invariant violation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Originator {
    /// The command, fault or component.
    pub who: Sentence,
    /// Number of the command that caused the violation, directly or through a fault. `None` if it was no command of
    /// this run.
    pub command: Option<u32>,
    /// The documented exception that permits the violation, if there is one.
    pub exception: Option<String>,
}

impl Originator {
    /// Creates an originator whose violation a documented exception permits.
    pub fn excused(who: impl Into<Sentence>, exception: impl Into<String>) -> Self {
        Self {
            who: who.into(),
            command: None,
            exception: Some(exception.into()),
        }
    }
}

impl<T: Into<Sentence>> From<T> for Originator {
    fn from(who: T) -> Self {
        Self {
            who: who.into(),
            command: None,
            exception: None,
        }
    }
}

impl Originator {
    /// Returns a sentence that names the originator, with the exception if there is one.
    #[must_use]
    pub fn sentence(&self) -> Sentence {
        let who = self.who.clone();
        match &self.exception {
            Some(exception) => sentence!(seen::by_exception, who = who, exception = exception),
            None => who,
        }
    }
}

/// The result of an attempt to schedule a pod.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum AttemptResult {
    /// A node was chosen.
    Scheduled {
        #[serde(with = "text")]
        node: NodeName,
        /// Number of nodes with the same highest score.
        ties: usize,
    },
    /// No node is feasible.
    Unschedulable {
        /// kube-scheduler's message.
        message: String,
        /// Number of preempted pods, and their node.
        preempts: Option<(usize, Str)>,
    },
    /// The attempt itself failed.
    Error { message: String },
    /// The pod did not need scheduling.
    Skipped,
}

impl AttemptResult {
    /// Returns the result in one word. A skipped attempt placed no pod either, so it counts as failed.
    pub const fn verdict(&self) -> SchedulingVerdict {
        match self {
            Self::Scheduled { .. } => SchedulingVerdict::Scheduled,
            Self::Unschedulable { preempts: Some(_), .. } => SchedulingVerdict::Preempts,
            Self::Unschedulable { .. } => SchedulingVerdict::Unschedulable,
            Self::Error { .. } | Self::Skipped => SchedulingVerdict::Error,
        }
    }
}

/// A boolean detail of a record that is printed only if it is true.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flag(pub bool);

named_enum! {
    /// A hook of a container.
    HookKind {
        /// `postStart`.
        PostStart = "postStart",
        /// `preStop`.
        PreStop = "preStop",
    }

    /// A probe of a container.
    ProbeKind {
        /// `startupProbe`.
        Startup = "startup",
        /// `readinessProbe`.
        Readiness = "readiness",
        /// `livenessProbe`.
        Liveness = "liveness",
    }
}

/// The objects and values that a fault affects, by the kind of fault.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum FaultDetails {
    None,
    Cut {
        /// The other end of the cut; `None` means everything.
        from: Option<CutFrom>,
        /// The blocked direction; `None` if both.
        one_way: Option<OneWay>,
    },
    /// The added latency of slow links.
    Latency(Span),
    /// The container whose process exits, and the exit code.
    Exit {
        container: Str,
        code: i32,
    },
    Volume {
        volume: Str,
        /// The node that the volume was attached to.
        #[serde(with = "text")]
        node: NodeName,
    },
    Device {
        device: Str,
        /// The change, as the command writes it: `gone`, `taint KEY=VALUE:EFFECT`, ….
        change: Str,
    },
}

/// A detail of a happening that can be printed into a trace line.
pub(crate) trait TraceField {
    fn add_to_trace_fields(&self, name: &'static str, fields: &mut Fields);
}

macro_rules! impl_trace_field {
    ($($type:ty: $value:expr),* $(,)?) => {$(
        impl TraceField for $type {
            fn add_to_trace_fields(&self, name: &'static str, fields: &mut Fields) {
                let value: fn(&$type) -> Value = $value;
                fields.push((name, value(self)));
            }
        }
    )*};
}

impl_trace_field! {
    bool: |it| (*it).into(),
    u16: |it| (*it).into(),
    i32: |it| (*it).into(),
    u32: |it| (*it).into(),
    i64: |it| (*it).into(),
    u64: |it| (*it).into(),
    SimTime: |it| crate::trace::seconds(it.0),
    usize: |it| (*it).into(),
    String: |it| it.as_str().into(),
    Str: |it| (&**it).into(),
    Vec<Str>: |it| it.iter().map(|one| Value::from(&**one)).collect(),
    NodeName: |it| it.as_str().into(),
    EventType: |it| it.as_str().into(),
    ConditionStatus: |it| it.as_str().into(),
    TaintEffect: |it| it.as_str().into(),
    FaultKind: |it| it.to_string().into(),
    FenceMechanism: |it| it.as_str().into(),
    HookKind: |it| it.as_str().into(),
    OneWay: |it| it.as_str().into(),
    ProbeKind: |it| it.as_str().into(),
    RequestOutcome: |it| it.as_str().into(),
    RequestFailureCause: |it| it.as_str().into(),
    ViolationCause: |it| it.as_str().into(),
    ObjectKey: |it| it.to_string().into(),
    Span: |it| it.to_string().into(),
}

impl<T: TraceField> TraceField for Option<T> {
    fn add_to_trace_fields(&self, name: &'static str, fields: &mut Fields) {
        if let Some(it) = self {
            it.add_to_trace_fields(name, fields);
        }
    }
}

impl TraceField for Flag {
    fn add_to_trace_fields(&self, name: &'static str, fields: &mut Fields) {
        if self.0 {
            fields.push((name, true.into()));
        }
    }
}

impl TraceField for Updated {
    fn add_to_trace_fields(&self, _: &'static str, fields: &mut Fields) {
        self.phase.add_to_trace_fields("phase", fields);
        self.grace.add_to_trace_fields("grace", fields);
        self.finalizers.add_to_trace_fields("finalizers", fields);
        self.unschedulable.add_to_trace_fields("unschedulable", fields);
        self.replicas.add_to_trace_fields("replicas", fields);
        self.disruptions_allowed
            .add_to_trace_fields("disruptionsAllowed", fields);
    }
}

impl TraceField for Violation {
    fn add_to_trace_fields(&self, _: &'static str, fields: &mut Fields) {
        self.invariant.add_to_trace_fields("invariant", fields);
        self.cause.add_to_trace_fields("cause", fields);
        self.by.sentence().english().add_to_trace_fields("by", fields);
        self.seen.english().add_to_trace_fields("message", fields);
    }
}

impl TraceField for AttemptResult {
    fn add_to_trace_fields(&self, name: &'static str, fields: &mut Fields) {
        match self {
            Self::Scheduled { node, ties } => {
                fields.push((name, "scheduled".into()));
                node.add_to_trace_fields("node", fields);
                (*ties > 1).then_some(*ties).add_to_trace_fields("ties", fields);
            }
            Self::Unschedulable { message, preempts } => {
                fields.push((name, "unschedulable".into()));
                message.add_to_trace_fields("message", fields);
                if let Some((victims, node)) = preempts {
                    victims.add_to_trace_fields("preempts", fields);
                    node.add_to_trace_fields("node", fields);
                }
            }
            Self::Error { message } => {
                fields.push((name, "error".into()));
                message.add_to_trace_fields("message", fields);
            }
            Self::Skipped => fields.push((name, "skipped".into())),
        }
    }
}

impl TraceField for FaultDetails {
    fn add_to_trace_fields(&self, _: &'static str, fields: &mut Fields) {
        match self {
            Self::None => {}
            Self::Cut { from, one_way } => {
                fields.push(("from", from.as_ref().map_or("everything", CutFrom::as_str).into()));
                one_way.add_to_trace_fields("oneWay", fields);
            }
            Self::Latency(latency) => latency.add_to_trace_fields("latency", fields),
            Self::Exit { container, code } => {
                container.add_to_trace_fields("container", fields);
                code.add_to_trace_fields("exitCode", fields);
            }
            Self::Volume { volume, node } => {
                volume.add_to_trace_fields("volume", fields);
                node.add_to_trace_fields("node", fields);
            }
            Self::Device { device, change } => {
                device.add_to_trace_fields("device", fields);
                change.add_to_trace_fields("change", fields);
            }
        }
    }
}

/// A string type of the API that a packed trace stores as text.
trait ApiTextType: for<'t> From<&'t str> {
    fn text(&self) -> &str;
}

macro_rules! impl_api_text_type {
    ($($type:ty),*) => {$(
        impl ApiTextType for $type {
            fn text(&self) -> &str {
                self.as_str()
            }
        }
    )*};
}

impl_api_text_type!(NodeName, EventType, ConditionStatus, TaintEffect);

mod text {
    use serde::{Deserialize as _, Deserializer, Serializer};
    use std::borrow::Cow;

    pub(super) fn serialize<S: Serializer>(it: &impl super::ApiTextType, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(it.text())
    }

    pub(super) fn deserialize<'d, D: Deserializer<'d>, T: super::ApiTextType>(from: D) -> Result<T, D::Error> {
        Cow::<str>::deserialize(from).map(|text| T::from(&text))
    }
}

mod texts {
    use serde::{Deserialize, Deserializer, Serialize as _, Serializer};
    use std::borrow::Cow;

    pub(super) fn serialize<S: Serializer>(it: &Option<impl super::ApiTextType>, to: S) -> Result<S::Ok, S::Error> {
        it.as_ref().map(super::ApiTextType::text).serialize(to)
    }

    pub(super) fn deserialize<'d, D: Deserializer<'d>, T: super::ApiTextType>(from: D) -> Result<Option<T>, D::Error> {
        Ok(Option::<Cow<'d, str>>::deserialize(from)?.map(|text| T::from(&text)))
    }
}
