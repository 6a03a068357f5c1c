//! Simulated behaviour of containers, configured by the annotation `behavior.podscope.dev/CONTAINER: "KEY=VALUE, …"`
//! (L-08).
//!
//! The manifest stays valid Kubernetes; the annotation adds what no manifest contains: what the process does. All
//! durations are in microseconds.
//!
//! `cpu` may name the CPU time of one request: `cpu=50m+20ms/request` uses 50 millicores without requests, and 20 ms of
//! CPU time for each request that the container answers, so 1050 millicores at 50 requests per second. `kubectl top`
//! and HorizontalPodAutoscalers measure the sum, which does not exceed the container's cpu limit.

mod values;

use crate::ordered;
use std::fmt;

use self::values::{
    is_signal_name, parse_cpu_and_micros_per_request, parse_error_share, parse_hook_behavior, parse_listener,
    parse_probe_behavior,
};
pub(crate) use self::values::{parse_micros, parse_usage};
use crate::duration::print_duration_short;
use crate::{Container, Labels, PodSpec, Quantity, Str};

/// Prefix of behaviour annotation keys; the container's name follows.
pub const BEHAVIOR_PREFIX: &str = "behavior.podscope.dev/";

const MICROS_PER_SECOND: i64 = 1_000_000;

/// The behaviour of one container as written in the annotation; the accessor methods apply the defaults.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ContainerBehavior {
    /// Duration or failure of pulling an absent image.
    pub pull: Option<PullOutcome>,
    /// Duration from process start until the process serves requests, in microseconds.
    pub startup: Option<i64>,
    /// Duration after which the process exits on its own, in microseconds; None if it does not.
    pub run: Option<i64>,
    /// Exit code when the process exits on its own.
    pub exit: Option<i32>,
    /// Reaction to SIGTERM.
    pub sigterm: Option<OnSigterm>,
    /// The stop signal defined by the image.
    pub stopsignal: Option<Str>,
    /// Outcome of the preStop hook.
    pub prestop: Option<HookBehavior>,
    /// Outcome of the postStart hook.
    pub poststart: Option<HookBehavior>,
    /// Results of the liveness probe.
    pub liveness: Option<ProbeBehavior>,
    /// Results of the readiness probe.
    pub readiness: Option<ProbeBehavior>,
    /// Results of the startup probe.
    pub started: Option<ProbeBehavior>,
    /// Memory usage in bytes.
    pub memory: Option<Usage>,
    /// CPU usage while the container answers no requests.
    pub cpu: Option<Usage>,
    /// CPU time that the container uses to answer one request, in microseconds.
    pub cpu_per_request: Option<i64>,
    /// Disk usage in bytes.
    pub disk: Option<Usage>,
    /// Duration from SIGKILL until the container runtime has removed the process, in microseconds.
    pub stop: Option<i64>,
    /// What the stop signal does to the process's listening port.
    pub listener: Option<ListenerOnStop>,
    /// Duration from a request to its response, in microseconds.
    pub latency: Option<i64>,
    /// The share of requests that the process answers with an error.
    pub errors: Option<ErrorShare>,
}

/// What the stop signal does to the process's listening port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListenerOnStop {
    /// New connections are refused; accepted requests are answered until the process ends.
    Closes,
    /// Connections are accepted until the process ends.
    Accepts,
}

/// A share of requests answered with an error in a time window relative to container start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ErrorShare {
    /// Errors per million requests.
    pub per_million: u32,
    /// Start of the window, in microseconds after container start; None for container start.
    pub from: Option<i64>,
    /// End of the window (exclusive), in microseconds after container start; None for no end.
    pub until: Option<i64>,
}

/// Outcome of an image pull.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PullOutcome {
    /// The pull succeeds after this duration, in microseconds.
    Takes(i64),
    Fails,
}

/// Reaction of a process to SIGTERM.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnSigterm {
    /// The process exits with code 0 after this duration, in microseconds.
    ExitsAfter(i64),
    Ignores,
}

/// Outcome of a preStop or postStart hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookBehavior {
    /// The hook succeeds after this duration, in microseconds.
    Takes(i64),
    /// The hook fails at once.
    Fails,
    /// The hook never returns.
    Hangs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProbeAnswer {
    /// The probe succeeds.
    Ok,
    /// The probe fails.
    Fail,
    /// The probe itself failed, so its result is ignored.
    Unknown,
}

/// Results of a probe over time: `answer` inside a time window relative to container start, `Ok` outside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProbeBehavior {
    /// The result of the probe inside the time window.
    pub answer: ProbeAnswer,
    /// Start of the window, in microseconds after container start; None for container start.
    pub from: Option<i64>,
    /// End of the window (exclusive), in microseconds after container start; None for no end.
    pub until: Option<i64>,
}

/// Resource usage over time: it changes linearly from `from` at container start to `to` after the duration `over`, then
/// it stays constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    /// Usage at container start.
    pub from: Quantity,
    /// Usage from the end of the duration `over` on.
    pub to: Quantity,
    /// Duration of the linear change from `from` to `to`, in microseconds; 0 for constant usage.
    pub over: i64,
}

/// An error in a behaviour annotation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BehaviorError {
    /// The container named by the annotation.
    pub container: Str,
    /// The key in the annotation, such as `startup`; empty if the error does not belong to one key.
    pub key: Str,
    /// Position in the annotation's text, in characters from 1; 0 for the annotation as a whole.
    pub position: usize,
    pub message: String,
}

impl BehaviorError {
    /// Returns the field path of the annotation below the pod's metadata:
    /// `annotations[behavior.podscope.dev/CONTAINER]`.
    pub fn path(&self) -> String {
        format!("annotations[{BEHAVIOR_PREFIX}{}]", self.container)
    }
}

impl fmt::Display for BehaviorError {
    /// Prints `KEY: message (at character N)`.
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

/// Maximum number of errors reported for one annotation.
pub const MAX_ERRORS: usize = 20;

impl ContainerBehavior {
    /// Returns the outcome of an image pull: by default, it succeeds after 1 s.
    pub fn pull(&self) -> PullOutcome {
        self.pull.unwrap_or(PullOutcome::Takes(MICROS_PER_SECOND))
    }

    /// Returns the duration from process start until the process serves requests, in microseconds; 1 s by default.
    pub fn startup_micros(&self) -> i64 {
        self.startup.unwrap_or(MICROS_PER_SECOND)
    }

    /// Returns the duration after which the process exits on its own, in microseconds; None if it does not. By default,
    /// only init containers that are not sidecars exit, after 1 s.
    pub fn run_micros(&self, is_init: bool) -> Option<i64> {
        self.run.or(is_init.then_some(MICROS_PER_SECOND))
    }

    /// Returns the exit code of a process that exits on its own; 0 by default.
    pub fn exit_code(&self) -> i32 {
        self.exit.unwrap_or(0)
    }

    /// Returns the reaction to SIGTERM; by default the process exits after 1 s.
    pub fn sigterm(&self) -> OnSigterm {
        self.sigterm.unwrap_or(OnSigterm::ExitsAfter(MICROS_PER_SECOND))
    }

    /// Returns the stop signal that the image defines; SIGTERM by default.
    pub fn stopsignal(&self) -> &str {
        self.stopsignal.as_deref().unwrap_or("SIGTERM")
    }

    /// Returns the outcome of the preStop hook: by default, it succeeds after 1 s. A `sleep` handler in the manifest
    /// takes precedence.
    pub fn prestop(&self) -> HookBehavior {
        self.prestop.unwrap_or(HookBehavior::Takes(MICROS_PER_SECOND))
    }

    /// Returns the outcome of the postStart hook: by default, it succeeds after 1 s. A `sleep` handler in the manifest
    /// takes precedence.
    pub fn poststart(&self) -> HookBehavior {
        self.poststart.unwrap_or(HookBehavior::Takes(MICROS_PER_SECOND))
    }

    /// Returns the duration from SIGKILL until the container runtime has removed the process, in microseconds; 0 by
    /// default.
    pub fn removal_micros(&self) -> i64 {
        self.stop.unwrap_or(0)
    }

    /// Returns the effect of the stop signal on the listening port: by default the port closes, unless the process
    /// ignores SIGTERM.
    pub fn listener(&self) -> ListenerOnStop {
        self.listener.unwrap_or(match self.sigterm() {
            OnSigterm::ExitsAfter(_) => ListenerOnStop::Closes,
            OnSigterm::Ignores => ListenerOnStop::Accepts,
        })
    }

    /// Returns the duration from a request to its response, in microseconds; 20 ms by default.
    pub fn latency_micros(&self) -> i64 {
        self.latency.unwrap_or(20_000)
    }

    /// Returns the result of a probe, `since_start` microseconds after container start. Before the process serves
    /// requests, `Ok` becomes `Fail`.
    pub fn answer(&self, probe: Option<ProbeBehavior>, since_start: i64) -> ProbeAnswer {
        match probe.map_or(ProbeAnswer::Ok, |probe| probe.at(since_start)) {
            ProbeAnswer::Ok if since_start < self.startup_micros() => ProbeAnswer::Fail,
            answer => answer,
        }
    }

    /// Returns the memory usage in bytes, `since_start` microseconds after container start; by default the memory
    /// request.
    pub fn memory_at(&self, container: &Container, since_start: i64) -> i64 {
        usage_or_resource_request(self.memory, container, "memory", since_start).value()
    }

    /// Returns the CPU usage in millicores, `since_start` microseconds after container start: the idle usage (by
    /// default the container's cpu request) plus `request_load`, the usage for the traffic that the container answers.
    pub fn cpu_milli_at(&self, container: &Container, since_start: i64, request_load: i64) -> i64 {
        let idle = usage_or_resource_request(self.cpu, container, "cpu", since_start).milli_value();
        cpu_milli_with_load(idle, request_load, cpu_limit_milli(container))
    }

    /// Returns the disk usage in bytes, `since_start` microseconds after container start; by default the
    /// `ephemeral-storage` request.
    pub fn disk_at(&self, container: &Container, since_start: i64) -> i64 {
        usage_or_resource_request(self.disk, container, "ephemeral-storage", since_start).value()
    }

    /// Parses `KEY=VALUE, …`.
    ///
    /// # Errors
    /// At most [`MAX_ERRORS`] errors with key and position; the caller sets `container`.
    pub fn parse(text: &str) -> Result<Self, Vec<BehaviorError>> {
        let mut behavior = Self::default();
        let mut errors = Vec::new();
        let mut seen: Vec<&str> = Vec::new();
        let mut offset = 0;
        for part in text.split(',') {
            if errors.len() == MAX_ERRORS {
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
                errors.push(behavior_error("", position(start), "nothing between two commas".into()));
                continue;
            }
            let Some((key, value)) = part.split_once('=') else {
                errors.push(behavior_error(
                    part,
                    position(start),
                    format!("expected KEY=VALUE, found {part:?}"),
                ));
                continue;
            };
            let value_at = position(start + key.len() + 1 + (value.len() - value.trim_start().len()));
            let (key, value) = (key.trim(), value.trim());
            if seen.contains(&key) {
                errors.push(behavior_error(key, position(start), "given twice".into()));
                continue;
            }
            seen.push(key);
            if !BEHAVIOR_KEYS.contains(&key) {
                let message = format!("no such key; the keys are {}", BEHAVIOR_KEYS.join(", "));
                errors.push(behavior_error(key, position(start), message));
            } else if let Err(message) = behavior.set(key, value) {
                errors.push(behavior_error(key, value_at, message));
            }
        }
        if errors.is_empty() { Ok(behavior) } else { Err(errors) }
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        match key {
            "pull" => {
                self.pull = Some(if value == "fail" {
                    PullOutcome::Fails
                } else {
                    PullOutcome::Takes(parse_micros(value)?)
                })
            }
            "startup" => self.startup = Some(parse_micros(value)?),
            "run" => self.run = Some(parse_micros(value)?),
            "stop" => self.stop = Some(parse_micros(value)?),
            "exit" => {
                let code = value.parse().ok().filter(|code| (0..=255).contains(code));
                self.exit = Some(code.ok_or_else(|| format!("{value:?} is not an exit code from 0 to 255"))?);
            }
            "sigterm" => {
                self.sigterm = Some(if value == "ignore" {
                    OnSigterm::Ignores
                } else {
                    OnSigterm::ExitsAfter(parse_micros(value)?)
                });
            }
            "stopsignal" => {
                if !is_signal_name(value) {
                    return Err(format!("{value:?} is not a signal such as SIGTERM or SIGQUIT"));
                }
                self.stopsignal = Some(value.into());
            }
            "prestop" => self.prestop = Some(parse_hook_behavior(value)?),
            "poststart" => self.poststart = Some(parse_hook_behavior(value)?),
            "liveness" => self.liveness = Some(parse_probe_behavior(value)?),
            "readiness" => self.readiness = Some(parse_probe_behavior(value)?),
            "started" => self.started = Some(parse_probe_behavior(value)?),
            "memory" => self.memory = Some(parse_usage(value)?),
            "cpu" => (self.cpu, self.cpu_per_request) = parse_cpu_and_micros_per_request(value)?,
            "listener" => self.listener = Some(parse_listener(value)?),
            "latency" => self.latency = Some(parse_micros(value)?),
            "errors" => self.errors = Some(parse_error_share(value)?),
            _ => self.disk = Some(parse_usage(value)?),
        }
        Ok(())
    }
}

const BEHAVIOR_KEYS: [&str; 18] = [
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

fn behavior_error(key: &str, position: usize, message: String) -> BehaviorError {
    BehaviorError {
        container: "".into(),
        key: key.into(),
        position,
        message,
    }
}

impl fmt::Display for ContainerBehavior {
    /// Prints the given keys in the order of `BEHAVIOR_KEYS`, in the format that [`ContainerBehavior::parse`] reads.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let span = |micros: i64| print_duration_short(micros);
        let probe = |probe: ProbeBehavior| probe.to_string();
        let usage = |usage: Usage| usage.to_string();
        let per_request = self.cpu_per_request.map(|micros| format!("+{}/request", span(micros)));
        let parts = [
            (
                "pull",
                self.pull.map(|pull| match pull {
                    PullOutcome::Takes(micros) => span(micros),
                    PullOutcome::Fails => "fail".into(),
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
            (
                "cpu",
                self.cpu
                    .map(|cpu| usage(cpu) + per_request.as_deref().unwrap_or_default()),
            ),
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

fn usage_or_resource_request(
    usage: Option<Usage>,
    container: &Container,
    resource: &str,
    since_start: i64,
) -> Quantity {
    match usage {
        Some(usage) => usage.at(since_start),
        None => container.resources.requests.get(resource).copied().unwrap_or_default(),
    }
}

/// Returns the cpu limit of a container in millicores.
pub fn cpu_limit_milli(container: &Container) -> Option<i64> {
    container.resources.limits.get("cpu").map(Quantity::milli_value)
}

/// Returns the CPU usage in millicores of a container that also answers requests: its usage without requests plus
/// `request_load`. The limit throttles the sum, but not below `idle`.
pub fn cpu_milli_with_load(idle: i64, request_load: i64, limit: Option<i64>) -> i64 {
    let demand = idle.saturating_add(request_load);
    limit.map_or(demand, |limit| demand.min(limit.max(idle)))
}

/// Returns the behaviour of a pod's (or template's) containers by name. Containers without an annotation have the
/// default behaviour and are absent from the map.
///
/// # Errors
/// Malformed annotations, annotations for missing containers, and hook keys for containers without that hook.
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
            refuse(behavior_error("", 0, format!("the pod has no container {name:?}")));
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
                        refuse(behavior_error(
                            key,
                            position,
                            format!("the container declares no {hook} hook"),
                        ));
                    }
                }
                found.insert(name.clone(), behavior);
            }
        }
    }
    if errors.is_empty() { Ok(found) } else { Err(errors) }
}
