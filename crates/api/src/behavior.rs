//! Container behaviour by annotation: `behavior.podscope.dev/CONTAINER: "KEY=VALUE, …"` (L-08).
//!
//! A manifest stays valid Kubernetes; what a process does, which no manifest
//! can say, is written beside it. All lengths of time are microseconds.

mod values;

use crate::ordered;
use std::fmt;

use self::values::{errors, hook, is_signal, listener, probe};
pub(crate) use self::values::{time, usage};
use crate::duration::print_duration_short;
use crate::{Container, Labels, PodSpec, Quantity, Str};

/// What every behaviour annotation's key starts with; the container's name follows.
pub const BEHAVIOR_PREFIX: &str = "behavior.podscope.dev/";

const SECOND: i64 = 1_000_000;

/// What one container does, as written; the accessors add the defaults.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ContainerBehavior {
    /// How the image is pulled where it is absent.
    pub pull: Option<Pull>,
    /// From process start until it serves.
    pub startup: Option<i64>,
    /// Exits by itself after this long.
    pub run: Option<i64>,
    /// Exit code when it exits by itself.
    pub exit: Option<i32>,
    /// Its answer to SIGTERM.
    pub sigterm: Option<OnSigterm>,
    /// The image's own stop signal.
    pub stopsignal: Option<Str>,
    /// Its preStop hook.
    pub prestop: Option<HookBehavior>,
    /// Its postStart hook.
    pub poststart: Option<HookBehavior>,
    /// Its answers to the liveness probe.
    pub liveness: Option<ProbeBehavior>,
    /// Its answers to the readiness probe.
    pub readiness: Option<ProbeBehavior>,
    /// Its answers to the startup probe.
    pub started: Option<ProbeBehavior>,
    /// Memory in use, bytes.
    pub memory: Option<Usage>,
    /// CPU in use.
    pub cpu: Option<Usage>,
    /// Disk in use, bytes.
    pub disk: Option<Usage>,
    /// How long the runtime needs to kill it after SIGKILL.
    pub stop: Option<i64>,
    /// What its stop signal does to the port that it listens on.
    pub listener: Option<Listener>,
    /// From a request to its answer.
    pub latency: Option<i64>,
    /// How many requests it answers with an error.
    pub errors: Option<Errors>,
}

/// What a stop signal does to the port that a process listens on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listener {
    /// New connections are refused; what is inside is answered until the process ends.
    Closes,
    /// It accepts until the process ends.
    Accepts,
}

/// The share of requests answered with an error, from `from` until `until` (since container start).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Errors {
    /// Parts in a million.
    pub per_million: u32,
    /// Start of the window; none for "always".
    pub from: Option<i64>,
    /// End of the window, exclusive; none for "for ever".
    pub until: Option<i64>,
}

/// How an image is pulled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pull {
    /// It takes that long.
    Takes(i64),
    Fails,
}

/// What a process does on SIGTERM.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnSigterm {
    /// It exits with code 0 after that long.
    ExitsAfter(i64),
    Ignores,
}

/// How a declared hook goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookBehavior {
    /// It succeeds after that long.
    Takes(i64),
    /// It fails at once.
    Fails,
    /// It never returns.
    Hangs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProbeAnswer {
    /// Success.
    Ok,
    /// Failure.
    Fail,
    /// Neither: the probe itself did not work.
    Unknown,
}

/// Answers to a probe over time: `answer` from `from` until `until` (since container start), `ok` otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProbeBehavior {
    /// The answer inside the window.
    pub answer: ProbeAnswer,
    /// Start of the window; none for "always".
    pub from: Option<i64>,
    /// End of the window, exclusive; none for "for ever".
    pub until: Option<i64>,
}

/// Use of a resource over time: linear from `from` at start to `to` at `over`, constant afterwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    /// At container start.
    pub from: Quantity,
    /// At `over` and later.
    pub to: Quantity,
    /// How long the climb takes; 0 for constant use.
    pub over: i64,
}

/// What is wrong with a behaviour annotation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BehaviorError {
    /// The container the annotation names.
    pub container: Str,
    /// The key; empty where it is not one key.
    pub key: Str,
    /// Position in the annotation's text, in characters from 1; 0 for the annotation as a whole.
    pub position: usize,
    /// What is wrong.
    pub message: String,
}

impl BehaviorError {
    /// The field path below the pod's metadata: `annotations[behavior.podscope.dev/CONTAINER]`.
    pub fn path(&self) -> String {
        format!("annotations[{BEHAVIOR_PREFIX}{}]", self.container)
    }
}

impl fmt::Display for BehaviorError {
    /// `KEY: message (at character N)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.key.is_empty() {
            write!(f, "{}: ", self.key)?;
        }
        f.write_str(&self.message)?;
        if self.position > 0 {
            write!(f, " (at character {})", self.position)?;
        }
        Ok(())
    }
}

/// Most mistakes told of one annotation.
pub const MAX_MISTAKES: usize = 20;

impl ContainerBehavior {
    /// Pull time, or failure; 1 s by default.
    pub fn pull(&self) -> Pull {
        self.pull.unwrap_or(Pull::Takes(SECOND))
    }

    /// From process start until it serves; 1 s by default.
    pub fn startup(&self) -> i64 {
        self.startup.unwrap_or(SECOND)
    }

    /// After how long it exits by itself: never by default, but init containers (no sidecars) after 1 s.
    pub fn run(&self, is_init: bool) -> Option<i64> {
        self.run.or(is_init.then_some(SECOND))
    }

    /// Exit code when it exits by itself; 0 by default.
    pub fn exit(&self) -> i32 {
        self.exit.unwrap_or(0)
    }

    /// Answer to SIGTERM; exits after 1 s by default.
    pub fn sigterm(&self) -> OnSigterm {
        self.sigterm.unwrap_or(OnSigterm::ExitsAfter(SECOND))
    }

    /// The image's stop signal; SIGTERM by default.
    pub fn stopsignal(&self) -> &str {
        self.stopsignal.as_deref().unwrap_or("SIGTERM")
    }

    /// The preStop hook; takes 1 s by default. A handler `sleep` of the manifest wins over it.
    pub fn prestop(&self) -> HookBehavior {
        self.prestop.unwrap_or(HookBehavior::Takes(SECOND))
    }

    /// The postStart hook; takes 1 s by default. A handler `sleep` of the manifest wins over it.
    pub fn poststart(&self) -> HookBehavior {
        self.poststart.unwrap_or(HookBehavior::Takes(SECOND))
    }

    /// How long the runtime needs after SIGKILL; nothing by default.
    pub fn stop(&self) -> i64 {
        self.stop.unwrap_or(0)
    }

    /// What its stop signal does to its listener: it closes by default, unless the signal is ignored.
    pub fn listener(&self) -> Listener {
        self.listener.unwrap_or(match self.sigterm() {
            OnSigterm::ExitsAfter(_) => Listener::Closes,
            OnSigterm::Ignores => Listener::Accepts,
        })
    }

    /// From a request to its answer; 20 ms by default.
    pub fn latency(&self) -> i64 {
        self.latency.unwrap_or(20_000)
    }

    /// The answer to a probe, that long after container start; nothing answers before it serves.
    pub fn answer(&self, probe: Option<ProbeBehavior>, since_start: i64) -> ProbeAnswer {
        match probe.map_or(ProbeAnswer::Ok, |probe| probe.at(since_start)) {
            ProbeAnswer::Ok if since_start < self.startup() => ProbeAnswer::Fail,
            answer => answer,
        }
    }

    /// Bytes of memory in use that long after container start; its request by default.
    pub fn memory_at(&self, container: &Container, since_start: i64) -> i64 {
        usage_or_request(self.memory, container, "memory", since_start).value()
    }

    /// Thousandths of a CPU in use; its request by default.
    pub fn cpu_milli_at(&self, container: &Container, since_start: i64) -> i64 {
        usage_or_request(self.cpu, container, "cpu", since_start).milli_value()
    }

    /// Bytes of disk in use; its `ephemeral-storage` request by default.
    pub fn disk_at(&self, container: &Container, since_start: i64) -> i64 {
        usage_or_request(self.disk, container, "ephemeral-storage", since_start).value()
    }

    /// Reads `KEY=VALUE, …`.
    ///
    /// # Errors
    /// The malformed parts, [`MAX_MISTAKES`] at most, with key and position; `container` is filled in by the caller.
    pub fn parse(text: &str) -> Result<Self, Vec<BehaviorError>> {
        let mut behavior = Self::default();
        let mut errors = Vec::new();
        let mut seen: Vec<&str> = Vec::new();
        let mut offset = 0;
        for part in text.split(',') {
            if errors.len() == MAX_MISTAKES {
                break;
            }
            let start = offset + (part.len() - part.trim_start().len());
            offset += part.len() + 1;
            let part = part.trim();
            let position = |at: usize| text.get(..at).map_or(0, |before| before.chars().count()) + 1;
            if part.is_empty() {
                if text.trim().is_empty() {
                    continue;
                }
                errors.push(error("", position(start), "nothing between two commas".into()));
                continue;
            }
            let Some((key, value)) = part.split_once('=') else {
                errors.push(error(
                    part,
                    position(start),
                    format!("expected KEY=VALUE, found {part:?}"),
                ));
                continue;
            };
            let value_at = position(start + key.len() + 1 + (value.len() - value.trim_start().len()));
            let (key, value) = (key.trim(), value.trim());
            if seen.contains(&key) {
                errors.push(error(key, position(start), "given twice".into()));
                continue;
            }
            seen.push(key);
            if !KEYS.contains(&key) {
                let message = format!("no such key; the keys are {}", KEYS.join(", "));
                errors.push(error(key, position(start), message));
            } else if let Err(message) = behavior.set(key, value) {
                errors.push(error(key, value_at, message));
            }
        }
        if errors.is_empty() { Ok(behavior) } else { Err(errors) }
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        match key {
            "pull" => {
                self.pull = Some(if value == "fail" {
                    Pull::Fails
                } else {
                    Pull::Takes(time(value)?)
                })
            }
            "startup" => self.startup = Some(time(value)?),
            "run" => self.run = Some(time(value)?),
            "stop" => self.stop = Some(time(value)?),
            "exit" => {
                let code = value.parse().ok().filter(|code| (0..=255).contains(code));
                self.exit = Some(code.ok_or_else(|| format!("{value:?} is not an exit code from 0 to 255"))?);
            }
            "sigterm" => {
                self.sigterm = Some(if value == "ignore" {
                    OnSigterm::Ignores
                } else {
                    OnSigterm::ExitsAfter(time(value)?)
                });
            }
            "stopsignal" => {
                if !is_signal(value) {
                    return Err(format!("{value:?} is not a signal such as SIGTERM or SIGQUIT"));
                }
                self.stopsignal = Some(value.into());
            }
            "prestop" => self.prestop = Some(hook(value)?),
            "poststart" => self.poststart = Some(hook(value)?),
            "liveness" => self.liveness = Some(probe(value)?),
            "readiness" => self.readiness = Some(probe(value)?),
            "started" => self.started = Some(probe(value)?),
            "memory" => self.memory = Some(usage(value)?),
            "cpu" => self.cpu = Some(usage(value)?),
            "listener" => self.listener = Some(listener(value)?),
            "latency" => self.latency = Some(time(value)?),
            "errors" => self.errors = Some(errors(value)?),
            _ => self.disk = Some(usage(value)?),
        }
        Ok(())
    }
}

const KEYS: [&str; 18] = [
    "pull",
    "startup",
    "run",
    "exit",
    "sigterm",
    "stopsignal",
    "prestop",
    "poststart",
    "liveness",
    "readiness",
    "started",
    "memory",
    "cpu",
    "disk",
    "stop",
    "listener",
    "latency",
    "errors",
];

fn error(key: &str, position: usize, message: String) -> BehaviorError {
    BehaviorError {
        container: "".into(),
        key: key.into(),
        position,
        message,
    }
}

impl fmt::Display for ContainerBehavior {
    /// The given keys, in the order of the table, as they are read.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let span = |micros: i64| print_duration_short(micros);
        let probe = |probe: ProbeBehavior| probe.to_string();
        let usage = |usage: Usage| usage.to_string();
        let parts = [
            (
                "pull",
                self.pull.map(|pull| match pull {
                    Pull::Takes(micros) => span(micros),
                    Pull::Fails => "fail".into(),
                }),
            ),
            ("startup", self.startup.map(span)),
            ("run", self.run.map(span)),
            ("exit", self.exit.map(|code| code.to_string())),
            (
                "sigterm",
                self.sigterm.map(|answer| match answer {
                    OnSigterm::ExitsAfter(micros) => span(micros),
                    OnSigterm::Ignores => "ignore".into(),
                }),
            ),
            ("stopsignal", self.stopsignal.as_ref().map(ToString::to_string)),
            ("prestop", self.prestop.map(|hook| hook.to_string())),
            ("poststart", self.poststart.map(|hook| hook.to_string())),
            ("liveness", self.liveness.map(probe)),
            ("readiness", self.readiness.map(probe)),
            ("started", self.started.map(probe)),
            ("memory", self.memory.map(usage)),
            ("cpu", self.cpu.map(usage)),
            ("disk", self.disk.map(usage)),
            ("stop", self.stop.map(span)),
            ("listener", self.listener.map(|listener| listener.to_string())),
            ("latency", self.latency.map(span)),
            ("errors", self.errors.map(|errors| errors.to_string())),
        ];
        let mut separator = "";
        for (key, value) in parts {
            if let Some(value) = value {
                write!(f, "{separator}{key}={value}")?;
                separator = ", ";
            }
        }
        Ok(())
    }
}

impl fmt::Display for HookBehavior {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Takes(micros) => f.write_str(&print_duration_short(*micros)),
            Self::Fails => f.write_str("fail"),
            Self::Hangs => f.write_str("hang"),
        }
    }
}

fn usage_or_request(usage: Option<Usage>, container: &Container, resource: &str, since_start: i64) -> Quantity {
    match usage {
        Some(usage) => usage.at(since_start),
        None => container.resources.requests.get(resource).copied().unwrap_or_default(),
    }
}

/// The behaviour of every container of a pod (or template), by container name; containers without an
/// annotation have the default behaviour and are absent here.
///
/// # Errors
/// Every malformed annotation; one for a container that the pod does not have; a hook key without that hook.
pub fn container_behaviors(
    annotations: &Labels,
    spec: &PodSpec,
) -> Result<ordered::Map<Str, ContainerBehavior>, Vec<BehaviorError>> {
    let mut found = ordered::Map::new();
    let mut errors = Vec::new();
    for (key, text) in annotations.iter() {
        let Some(name) = key.strip_prefix(BEHAVIOR_PREFIX) else {
            continue;
        };
        let name = Str::from(name);
        let mut refuse = |error: BehaviorError| {
            errors.push(BehaviorError {
                container: name.clone(),
                ..error
            });
        };
        let Some(container) = spec.all_containers().find(|container| container.name == name) else {
            refuse(error("", 0, format!("the pod has no container {name:?}")));
            continue;
        };
        match ContainerBehavior::parse(text) {
            Err(list) => list.into_iter().for_each(refuse),
            Ok(behavior) => {
                let lifecycle = container.lifecycle.as_ref();
                let hooks = [
                    (
                        "prestop",
                        "preStop",
                        behavior.prestop.is_some(),
                        lifecycle.is_some_and(|lifecycle| lifecycle.pre_stop.is_some()),
                    ),
                    (
                        "poststart",
                        "postStart",
                        behavior.poststart.is_some(),
                        lifecycle.is_some_and(|lifecycle| lifecycle.post_start.is_some()),
                    ),
                ];
                for (key, hook, given, declared) in hooks {
                    if given && !declared {
                        let position = text.find(key).map_or(0, |at| text[..at].chars().count() + 1);
                        refuse(error(key, position, format!("the container declares no {hook} hook")));
                    }
                }
                found.insert(name.clone(), behavior);
            }
        }
    }
    if errors.is_empty() { Ok(found) } else { Err(errors) }
}
