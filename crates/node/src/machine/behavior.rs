//! Behaviour of a container's process: read from the pod's annotation `behavior.podscope.dev/CONTAINER`, with the
//! defaults of the container's role.

use std::sync::Arc;

use podscope_api::{
    BEHAVIOR_PREFIX, Container, ContainerBehavior, ErrorShare, HookBehavior, LifecycleHandler, ListenerOnStop,
    OnSigterm, Pod, ProbeAnswer, ProbeBehavior, PullOutcome, Quantity, Str, cpu_limit_milli,
};

use podscope_sim::Span;

/// Role of a container in its pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// An init container that must exit before the next container starts.
    Init,
    /// A restartable init container (`restartPolicy: Always`).
    Sidecar,
    /// A main container (`spec.containers`).
    App,
    Ephemeral,
}

/// Scripted result of an image pull or a lifecycle hook, and how long it takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimedOutcome {
    /// Succeeds after this time.
    Takes(Span),
    /// Fails at once.
    Fails,
    /// Does not end by itself.
    Hangs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProbeResult {
    Success,
    Failure,
    /// The probe itself failed: the kubelet ignores the result (LC-117).
    Unknown,
}

/// Scripted answers to one kind of probe, over the time since the container's start.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProbeAnswers {
    /// (from, until, answer) with times since the start; `until` None means for ever. The first window that contains an
    /// instant applies. Outside all windows the answer is Success.
    pub windows: Vec<(Span, Option<Span>, ProbeResult)>,
}

impl ProbeAnswers {
    /// Returns the probe result at the time `elapsed` after the container's start, for a process that begins to serve
    /// requests after the time `startup`.
    pub fn answer_at(&self, elapsed: Span, startup: Span) -> ProbeResult {
        let scripted = self
            .windows
            .iter()
            .find(|(from, until, _)| elapsed >= *from && until.is_none_or(|until| elapsed < until))
            .map(|(_, _, result)| *result);
        match scripted {
            Some(result @ (ProbeResult::Failure | ProbeResult::Unknown)) => result,
            _ if elapsed < startup => ProbeResult::Failure,
            _ => ProbeResult::Success,
        }
    }

    /// Returns the earliest time after the container's start, but not before `elapsed`, at which the script may give
    /// an answer other than Success; None if there is none.
    pub fn next_failure(&self, elapsed: Span) -> Option<Span> {
        self.windows
            .iter()
            .filter(|(_, until, result)| *result != ProbeResult::Success && until.is_none_or(|until| until > elapsed))
            .map(|(from, _, _)| (*from).max(elapsed))
            .min()
    }
}

/// A container's scripted use of one resource: from the container's start it changes linearly, then stays constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LinearUsage {
    /// Amount in use when the container starts.
    pub from: i64,
    /// Amount in use when the time `over` has passed, and from then on.
    pub to: i64,
    /// Duration of the linear change between the two amounts.
    pub over: Span,
}

impl LinearUsage {
    /// Creates a usage that never changes.
    pub const fn constant(amount: i64) -> Self {
        Self {
            from: amount,
            to: amount,
            over: Span::ZERO,
        }
    }

    /// Returns the amount in use at the time `elapsed` after the container's start.
    pub fn amount_at(&self, elapsed: Span) -> i64 {
        if elapsed >= self.over || self.over.0 <= 0 {
            return self.to;
        }
        let grown = i128::from(self.to - self.from) * i128::from(elapsed.0.max(0)) / i128::from(self.over.0);
        self.from + grown as i64
    }

    /// Returns how long after the container's start the use first exceeds `limit`; None if it never does.
    pub fn first_time_above(&self, limit: i64) -> Option<Span> {
        if self.from > limit {
            return Some(Span::ZERO);
        }
        if self.to <= limit {
            return None;
        }
        let above = i128::from(limit + 1 - self.from);
        let rise = i128::from(self.to - self.from);
        Some(Span(((above * i128::from(self.over.0) + rise - 1) / rise) as i64))
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Behavior {
    /// Outcome of pulling the container's image, if the image is not on the machine.
    pub pull: TimedOutcome,
    /// Time from the container's start until the process serves requests.
    pub startup: Span,
    /// Time after which the process exits by itself; None if it does not.
    pub run: Option<Span>,
    /// Exit code when the process exits by itself.
    pub exit_code: i32,
    /// Whether the process's exit after the time `run` is an OOM kill.
    pub is_out_of_memory: bool,
    /// Time from the stop signal to the exit; None if the process ignores the signal.
    pub sigterm: Option<Span>,
    /// Stop signal of the container, or else of the image.
    pub stop_signal: Str,
    pub pre_stop: TimedOutcome,
    pub post_start: TimedOutcome,
    pub liveness: ProbeAnswers,
    pub readiness: ProbeAnswers,
    pub started: ProbeAnswers,
    /// Memory use in bytes.
    pub memory: LinearUsage,
    /// CPU use in millicores, without the load of requests.
    pub cpu: LinearUsage,
    /// CPU time of one request.
    pub cpu_per_request: Span,
    /// Limit of the container's cpu, in millicores.
    pub cpu_limit: Option<i64>,
    /// Disk use in bytes.
    pub disk: LinearUsage,
    /// Time from SIGKILL to the exit.
    pub stop: Span,
    /// Whether the process still accepts connections after its stop signal.
    pub accepts_after_signal: bool,
    /// Time from a request to its response.
    pub latency: Span,
    /// Share of requests that the process answers with an error.
    pub errors: Option<ErrorShare>,
    /// Declared container ports.
    pub ports: Vec<i32>,
}

/// Returns the probe answers that the annotation defines.
fn probe_answers(probe: Option<ProbeBehavior>) -> ProbeAnswers {
    let window = |probe: ProbeBehavior| {
        let result = match probe.answer {
            ProbeAnswer::Ok => ProbeResult::Success,
            ProbeAnswer::Fail => ProbeResult::Failure,
            ProbeAnswer::Unknown => ProbeResult::Unknown,
        };
        (Span(probe.from.unwrap_or(0)), probe.until.map(Span), result)
    };
    ProbeAnswers {
        windows: probe.map(window).into_iter().collect(),
    }
}

/// Returns the behaviour of one container of a pod. Only this function reads the pod's behaviour annotations. A
/// malformed annotation counts as absent: the API server refuses it, but an imported pod may have one.
pub fn behavior_of(pod: &Pod, container: &Container, role: Role) -> Arc<Behavior> {
    let text = pod.metadata.annotation(&format!("{BEHAVIOR_PREFIX}{}", container.name));
    let given = text
        .and_then(|text| ContainerBehavior::parse(text).ok())
        .unwrap_or_default();
    let lifecycle = container.lifecycle.as_ref();
    let hook = |handler: Option<&LifecycleHandler>, scripted: HookBehavior| {
        // The kubelet sends no HTTP hook to a port name that the container does not declare (`resolvePort`), and cannot
        // run a `tcpSocket` hook, which the API accepts for old clients only (LC-144).
        let request = handler.and_then(|handler| handler.http_get.as_ref());
        if request.is_some_and(|request| request.port.port_of(container).is_err())
            || handler.is_some_and(|handler| handler.tcp_socket.is_some())
        {
            return TimedOutcome::Fails;
        }
        match (handler.and_then(|handler| handler.sleep.as_ref()), scripted) {
            // A `sleep` hook in the manifest overrides the annotation.
            (Some(sleep), _) => TimedOutcome::Takes(Span::seconds(sleep.seconds)),
            (None, HookBehavior::Takes(micros)) => TimedOutcome::Takes(Span(micros)),
            (None, HookBehavior::Fails) => TimedOutcome::Fails,
            (None, HookBehavior::Hangs) => TimedOutcome::Hangs,
        }
    };
    let request = |name: &str| {
        let resources = &container.resources;
        resources
            .requests
            .get(name)
            .or_else(|| resources.limits.get(name))
            .copied()
            .unwrap_or_default()
    };
    let usage = |scripted: Option<podscope_api::Usage>, name: &str, amount: fn(&Quantity) -> i64| match scripted {
        Some(scripted) => LinearUsage {
            from: amount(&scripted.from),
            to: amount(&scripted.to),
            over: Span(scripted.over),
        },
        None => LinearUsage::constant(amount(&request(name))),
    };
    Arc::new(Behavior {
        pull: match given.pull() {
            PullOutcome::Takes(micros) => TimedOutcome::Takes(Span(micros)),
            PullOutcome::Fails => TimedOutcome::Fails,
        },
        startup: Span(given.startup_micros()),
        run: given.run_micros(role == Role::Init).map(Span),
        exit_code: given.exit_code(),
        is_out_of_memory: false,
        sigterm: match given.sigterm() {
            OnSigterm::ExitsAfter(micros) => Some(Span(micros)),
            OnSigterm::Ignores => None,
        },
        stop_signal: lifecycle
            .and_then(|lifecycle| lifecycle.stop_signal.clone())
            .unwrap_or_else(|| given.stopsignal().into()),
        pre_stop: hook(
            lifecycle.and_then(|lifecycle| lifecycle.pre_stop.as_ref()),
            given.prestop(),
        ),
        post_start: hook(
            lifecycle.and_then(|lifecycle| lifecycle.post_start.as_ref()),
            given.poststart(),
        ),
        liveness: probe_answers(given.liveness),
        readiness: probe_answers(given.readiness),
        started: probe_answers(given.started),
        memory: usage(given.memory, "memory", Quantity::value),
        cpu: usage(given.cpu, "cpu", Quantity::milli_value),
        cpu_per_request: Span(given.cpu_per_request.unwrap_or(0)),
        cpu_limit: cpu_limit_milli(container),
        disk: usage(given.disk, "ephemeral-storage", Quantity::value),
        stop: Span(given.removal_micros()),
        accepts_after_signal: given.listener() == ListenerOnStop::Accepts,
        latency: Span(given.latency_micros()),
        errors: given.errors,
        ports: container.ports.iter().map(|port| port.container_port).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usage_is_linear_then_constant() {
        let usage = LinearUsage {
            from: 200,
            to: 600,
            over: Span::seconds(60),
        };
        for (at, amount) in [(0, 200), (30, 400), (60, 600), (90, 600)] {
            assert_eq!(usage.amount_at(Span::seconds(at)), amount);
        }
        assert_eq!(usage.first_time_above(600), None);
        let first = usage.first_time_above(400).expect("use grows past 400");
        assert!(usage.amount_at(first) > 400 && usage.amount_at(Span(first.0 - 1)) <= 400);
        assert_eq!(LinearUsage::constant(5).first_time_above(4), Some(Span::ZERO));
    }
}
