//! What can happen, as one closed list (the contract's `what`), with what there is to say of each: typed for who
//! looks at a record, as fields for the line that is printed of it.

use podscope_api::{ConditionStatus, EventType, NodeName, ObjectKey, Phrase, Str, TaintEffect};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use std::fmt;

use crate::requests::{FailedRequests, RequestRate};
use crate::{SimTime, Span};

/// Names and values in the order in which a line has them.
pub type Fields = Vec<(&'static str, Value)>;

macro_rules! happenings {
    ($($(#[$doc:meta])* $name:ident $({ $($(#[$meta:meta])* $field:ident: $type:ty = $wire:literal),* $(,)? })?;)*) => {
        /// Which kind of thing happened.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum What { $(#[doc = concat!("`", stringify!($name), "`.")] $name),* }

        impl What {
            /// The wire form.
            pub const fn as_str(self) -> &'static str { match self { $(Self::$name => stringify!($name)),* } }
        }

        /// What happened, with its details.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        pub enum Happening { $($(#[$doc])* $name $({ $($(#[$meta])* $field: $type),* })?),* }

        impl Happening {
            /// Which kind of thing.
            pub const fn what(&self) -> What { match self { $(Self::$name { .. } => What::$name),* } }
            /// What its line says besides who, when and about what.
            pub fn fields(&self) -> Fields {
                let mut fields = Fields::new();
                match self { $(Self::$name $({ $($field),* })? => { $($($field.say($wire, &mut fields);)*)? }),* }
                fields
            }
        }
    };
}

happenings! {
    /// An object was stored for the first time.
    Created { #[serde(with = "texts")] node: Option<NodeName> = "node", owner: Option<String> = "owner" };
    /// An object was stored anew.
    Updated { changed: Updated = "" };
    /// An object got its deletion timestamp.
    DeletionRequested { grace: i64 = "grace" };
    /// An object is gone from the store.
    Deleted;
    /// A request was refused.
    Refused { code: u16 = "code", message: String = "message" };
    /// A pod was bound.
    Bound { #[serde(with = "text")] node: NodeName = "node" };
    /// A scheduler tried to place a pod.
    Attempt { number: u32 = "number", result: AttemptResult = "result", feasible: usize = "feasible", examined: usize = "examined" };
    /// A pod was nominated to a node.
    Nominated { #[serde(with = "text")] node: NodeName = "node" };
    /// A pod is ended for another's sake.
    Preempted { by: ObjectKey = "by", #[serde(with = "text")] node: NodeName = "node" };
    /// A pod came with scheduling gates.
    Gated { gates: Vec<Str> = "gates" };
    /// An image is on a node.
    ImagePulled { image: Str = "image", #[serde(with = "text")] node: NodeName = "node" };
    /// A process runs.
    ContainerStarted { attempt: i32 = "attempt" };
    /// A process is no more.
    ContainerExited { exit_code: i32 = "exitCode", reason: Str = "reason" };
    /// A hook runs.
    HookStarted { hook: HookKind = "hook" };
    /// A hook ended.
    HookFinished { hook: HookKind = "hook", succeeded: bool = "succeeded" };
    /// A process got a signal.
    SignalSent { signal: Str = "signal" };
    /// A probe's failures passed its threshold.
    ProbeFailed { probe: ProbeKind = "probe" };
    /// A probe succeeds again.
    ProbeSucceeded { probe: ProbeKind = "probe" };
    /// Storage serves a volume to a node.
    VolumeAttached { volume: Str = "volume", #[serde(with = "text")] node: NodeName = "node" };
    /// Storage serves a volume to a node no longer.
    VolumeDetached { volume: Str = "volume", #[serde(with = "text")] node: NodeName = "node", forced: Flag = "forced" };
    /// A pod has a volume on its node.
    VolumeMounted { volume: Str = "volume", #[serde(with = "text")] node: NodeName = "node", writable: bool = "writable" };
    /// A pod has it no longer.
    VolumeUnmounted { volume: Str = "volume", #[serde(with = "text")] node: NodeName = "node" };
    /// Two nodes wrote to a volume that does not prevent it.
    VolumeCorrupted { message: String = "message" };
    /// A kubelet created its Node.
    NodeRegistered;
    /// A condition's status or reason changed.
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
    /// Something broke.
    Fault { fault: FaultKind = "fault", details: FaultDetails = "" };
    /// It was repaired.
    Healed { fault: FaultKind = "fault", details: FaultDetails = "" };
    /// A command was given.
    Command { command: String = "command", error: Option<String> = "error" };
    /// A node was fenced.
    Fenced { by: FenceMechanism = "by" };
    /// An event was recorded.
    Event { #[serde(with = "text")] kind: EventType = "type", reason: Str = "reason", message: Str = "message", count: i32 = "count" };
    /// An invariant broke.
    InvariantViolated { violation: Violation = "" };
    /// A scenario's expectation was judged.
    Expectation { expect: String = "expect", ok: bool = "ok", found: String = "found" };
    /// Requests failed that are alike.
    RequestsFailed { failed: Box<FailedRequests> = "" };
    /// Clients send at another rate, or other things become of what they send.
    RequestRate { rate: Box<RequestRate> = "" };
}

/// What a reader looks for first in an update, where it changed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Updated {
    /// A pod's or namespace's phase.
    pub phase: Option<Str>,
    /// Seconds of grace that a deletion gives.
    pub grace: Option<i64>,
    /// The finalizers that are left.
    pub finalizers: Option<Vec<Str>>,
    /// Whether the node is cordoned.
    pub unschedulable: Option<bool>,
    /// How many pods a workload wants.
    pub replicas: Option<i32>,
    /// What a budget allows.
    pub disruptions_allowed: Option<i32>,
}

impl From<Updated> for Happening {
    fn from(changed: Updated) -> Self {
        Self::Updated { changed }
    }
}

/// A break of an invariant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Violation {
    pub invariant: Str,
    /// What kind of thing caused it.
    pub cause: BreakCause,
    /// Who did it.
    pub by: Culprit,
    /// What was seen.
    pub seen: Phrase,
}

/// Who broke an invariant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Culprit {
    /// The command, fault or component.
    pub who: Phrase,
    /// The number of the command that was given, if it is one of this run: of a fault the one that caused it.
    pub command: Option<u32>,
    /// The exception of the facts' table that covers it, if one does.
    pub exception: Option<String>,
}

impl Culprit {
    /// One whom an exception of the facts' table covers.
    pub fn excused(who: impl Into<Phrase>, exception: impl Into<String>) -> Self {
        Self {
            who: who.into(),
            command: None,
            exception: Some(exception.into()),
        }
    }
}

impl<T: Into<Phrase>> From<T> for Culprit {
    fn from(who: T) -> Self {
        Self {
            who: who.into(),
            command: None,
            exception: None,
        }
    }
}

impl fmt::Display for Culprit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.exception {
            Some(exception) => write!(f, "{} ({exception})", self.who),
            None => self.who.fmt(f),
        }
    }
}

/// What came of an attempt to place a pod.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum AttemptResult {
    /// A node was chosen.
    Scheduled {
        #[serde(with = "text")]
        node: NodeName,
        /// Among how many of the same score.
        ties: usize,
    },
    /// No node is feasible.
    Unschedulable {
        /// kube-scheduler's message.
        message: String,
        /// How many pods are preempted, and where.
        preempts: Option<(usize, Str)>,
    },
    /// The attempt itself failed.
    Error { message: String },
    /// There was nothing to do.
    Skipped,
}

/// Said only where it holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flag(pub bool);

macro_rules! words {
    ($($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $text:literal),* $(,)? })*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum $name { $($(#[$variant_doc])* $variant),* }

        impl $name {
            /// Its name in manifests, commands and records.
            pub const fn as_str(self) -> &'static str { match self { $(Self::$variant => $text),* } }

            /// Every name.
            pub const NAMES: &'static [&'static str] = &[$($text),*];

            pub fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($text => Some(Self::$variant),)*
                    _ => None,
                }
            }
        }

        impl Field for $name {
            fn say(&self, name: &'static str, fields: &mut Fields) {
                fields.push((name, self.as_str().into()));
            }
        }
    )*};
}

pub(crate) use words;

words! {
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

    /// A part of the control plane that can crash.
    ControlPlaneProcess {
        /// kube-scheduler.
        Scheduler = "scheduler",
        /// kube-controller-manager.
        ControllerManager = "controller-manager",
        /// kube-apiserver.
        ApiServer = "apiserver",
    }

    /// How a node is fenced (CT-142, V-05).
    FenceMechanism {
        /// Power off.
        Power = "power",
        /// The storage servers refuse the node.
        Storage = "storage",
        /// The node is isolated from every network.
        Network = "network",
    }

    /// Who caused a break of an invariant.
    BreakCause {
        Command = "command",
        Fault = "fault",
        /// Podscope itself.
        Bug = "bug",
    }

    /// Which way a cut link still leads nowhere.
    OneWay {
        /// To the node.
        In = "in",
        /// From the node.
        Out = "out",
    }
}

/// Which fault; the repair of one has the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum FaultKind {
    /// Links are cut.
    Partition,
    /// Links are slow.
    Slow,
    /// A machine comes.
    Join,
    /// A machine goes for good.
    Leave,
    /// A machine is shut down in order.
    Shutdown,
    /// A machine loses its power.
    PowerOff,
    /// A kubelet ends.
    CrashKubelet,
    /// A container runtime ends.
    CrashRuntime,
    /// A part of the control plane ends.
    Crash(ControlPlaneProcess),
    /// A second instance of a part of the control plane believes that it leads.
    Second(ControlPlaneProcess),
    /// etcd cannot be reached.
    EtcdDown,
    /// A process exits.
    Exit,
    /// A sandbox is lost.
    Sandbox,
    /// A volume is taken from its node.
    Detach,
    /// A fence; it is told when it is lifted.
    Fence(FenceMechanism),
}

impl std::fmt::Display for FaultKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Partition => "partition",
            Self::Slow => "slow",
            Self::Join => "join",
            Self::Leave => "leave",
            Self::Shutdown => "shutdown",
            Self::PowerOff => "poweroff",
            Self::CrashKubelet => "crash kubelet",
            Self::CrashRuntime => "crash runtime",
            Self::Crash(process) => return write!(f, "crash {}", process.as_str()),
            Self::Second(process) => return write!(f, "second {}", process.as_str()),
            Self::EtcdDown => "etcd down",
            Self::Exit => "exit",
            Self::Sandbox => "sandbox",
            Self::Detach => "detach",
            Self::Fence(mechanism) => return write!(f, "fence {}", mechanism.as_str()),
        })
    }
}

/// What else there is to say of a fault.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum FaultDetails {
    None,
    Cut {
        /// What the node is cut from.
        from: Str,
        /// Which way, where not both.
        one_way: Option<OneWay>,
    },
    /// Of slow links: how much later everything comes.
    Latency(Span),
    /// Of a process that exits.
    Exit {
        container: Str,
        code: i32,
    },
    Volume {
        /// Its name.
        volume: Str,
        /// Where it was attached.
        #[serde(with = "text")]
        node: NodeName,
    },
}

/// A detail of a happening, as it is printed.
pub(crate) trait Field {
    fn say(&self, name: &'static str, fields: &mut Fields);
}

macro_rules! as_json {
    ($($type:ty: $value:expr),* $(,)?) => {$(
        impl Field for $type {
            fn say(&self, name: &'static str, fields: &mut Fields) {
                let value: fn(&$type) -> Value = $value;
                fields.push((name, value(self)));
            }
        }
    )*};
}
as_json! {
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
    ObjectKey: |it| it.to_string().into(),
    Span: |it| it.to_string().into(),
}

impl<T: Field> Field for Option<T> {
    fn say(&self, name: &'static str, fields: &mut Fields) {
        if let Some(it) = self {
            it.say(name, fields);
        }
    }
}

impl Field for Flag {
    fn say(&self, name: &'static str, fields: &mut Fields) {
        if self.0 {
            fields.push((name, true.into()));
        }
    }
}

impl Field for Updated {
    fn say(&self, _: &'static str, fields: &mut Fields) {
        self.phase.say("phase", fields);
        self.grace.say("grace", fields);
        self.finalizers.say("finalizers", fields);
        self.unschedulable.say("unschedulable", fields);
        self.replicas.say("replicas", fields);
        self.disruptions_allowed.say("disruptionsAllowed", fields);
    }
}

impl Field for Violation {
    fn say(&self, _: &'static str, fields: &mut Fields) {
        self.invariant.say("invariant", fields);
        self.cause.say("cause", fields);
        self.by.to_string().say("by", fields);
        self.seen.to_string().say("message", fields);
    }
}

impl Field for AttemptResult {
    fn say(&self, name: &'static str, fields: &mut Fields) {
        match self {
            Self::Scheduled { node, ties } => {
                fields.push((name, "scheduled".into()));
                node.say("node", fields);
                (*ties > 1).then_some(*ties).say("ties", fields);
            }
            Self::Unschedulable { message, preempts } => {
                fields.push((name, "unschedulable".into()));
                message.say("message", fields);
                if let Some((victims, node)) = preempts {
                    victims.say("preempts", fields);
                    node.say("node", fields);
                }
            }
            Self::Error { message } => {
                fields.push((name, "error".into()));
                message.say("message", fields);
            }
            Self::Skipped => fields.push((name, "skipped".into())),
        }
    }
}

impl Field for FaultDetails {
    fn say(&self, _: &'static str, fields: &mut Fields) {
        match self {
            Self::None => {}
            Self::Cut { from, one_way } => {
                from.say("from", fields);
                one_way.say("oneWay", fields);
            }
            Self::Latency(latency) => latency.say("latency", fields),
            Self::Exit { container, code } => {
                container.say("container", fields);
                code.say("exitCode", fields);
            }
            Self::Volume { volume, node } => {
                volume.say("volume", fields);
                node.say("node", fields);
            }
        }
    }
}

/// An API string among the bytes of a packed trace.
trait Text: for<'t> From<&'t str> {
    fn text(&self) -> &str;
}

macro_rules! texts {
    ($($type:ty),*) => {$(
        impl Text for $type {
            fn text(&self) -> &str {
                self.as_str()
            }
        }
    )*};
}
texts!(NodeName, EventType, ConditionStatus, TaintEffect);

mod text {
    use serde::{Deserialize as _, Deserializer, Serializer};
    use std::borrow::Cow;

    pub(super) fn serialize<S: Serializer>(it: &impl super::Text, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(it.text())
    }

    pub(super) fn deserialize<'d, D: Deserializer<'d>, T: super::Text>(from: D) -> Result<T, D::Error> {
        Cow::<str>::deserialize(from).map(|text| T::from(&text))
    }
}

mod texts {
    use serde::{Deserialize, Deserializer, Serialize as _, Serializer};
    use std::borrow::Cow;

    pub(super) fn serialize<S: Serializer>(it: &Option<impl super::Text>, to: S) -> Result<S::Ok, S::Error> {
        it.as_ref().map(super::Text::text).serialize(to)
    }

    pub(super) fn deserialize<'d, D: Deserializer<'d>, T: super::Text>(from: D) -> Result<Option<T>, D::Error> {
        Ok(Option::<Cow<'d, str>>::deserialize(from)?.map(|text| T::from(&text)))
    }
}
