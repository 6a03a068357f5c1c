//! How a container's process behaves: the pod's annotations
//! (`behavior.podscope.dev/CONTAINER`), with the defaults of its role.

use std::sync::Arc;

use podscope_api::{
    BEHAVIOR_PREFIX, Container, ContainerBehavior, Errors, HookBehavior, LifecycleHandler, Listener, OnSigterm, Pod,
    ProbeAnswer, ProbeBehavior, Pull, Quantity, Str,
};

use podscope_sim::Span;

/// What a container is in its pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// An init container that must end.
    Init,
    /// A restartable init container.
    Sidecar,
    /// A main container.
    App,
    /// An ephemeral container.
    Ephemeral,
}

/// How an operation ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Succeeds after this long.
    Takes(Span),
    /// Fails at once.
    Fails,
    /// Never ends by itself.
    Hangs,
}

/// What a probe is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProbeResult {
    Success,
    Failure,
    /// An error, which counts as no answer at all (LC-117).
    Unknown,
}

/// Answers to one kind of probe over the time since the container's start.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Answers {
    /// From, until (none: for ever), what; the first that covers an instant counts. Elsewhere the answer is Ok.
    pub windows: Vec<(Span, Option<Span>, ProbeResult)>,
}

impl Answers {
    /// The answer that long after the start, for a process that serves after `startup`.
    pub fn at(&self, elapsed: Span, startup: Span) -> ProbeResult {
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

    /// When, after `elapsed`, the answer may next differ from Ok; none if it never does.
    pub fn next_trouble(&self, elapsed: Span) -> Option<Span> {
        self.windows
            .iter()
            .filter(|(_, until, result)| *result != ProbeResult::Success && until.is_none_or(|until| until > elapsed))
            .map(|(from, _, _)| (*from).max(elapsed))
            .min()
    }
}

/// Use of a resource over the time since the container's start: linear, then constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// At the start.
    pub from: i64,
    /// In the end.
    pub to: i64,
    /// How long it takes to get there.
    pub over: Span,
}

impl Usage {
    /// A constant use.
    pub const fn constant(amount: i64) -> Self {
        Self {
            from: amount,
            to: amount,
            over: Span::ZERO,
        }
    }

    /// The use that long after the start.
    pub fn at(&self, elapsed: Span) -> i64 {
        if elapsed >= self.over || self.over.0 <= 0 {
            return self.to;
        }
        let grown = i128::from(self.to - self.from) * i128::from(elapsed.0.max(0)) / i128::from(self.over.0);
        self.from + grown as i64
    }

    /// The first instant after the start at which the use is above `limit`.
    pub fn exceeds(&self, limit: i64) -> Option<Span> {
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

/// A container's behaviour.
#[derive(Debug, Clone, PartialEq)]
pub struct Behavior {
    /// Pulling its image where it is absent.
    pub pull: Outcome,
    /// From start until it serves.
    pub startup: Span,
    /// Exits by itself after this long.
    pub run: Option<Span>,
    /// Its exit code then.
    pub exit_code: i32,
    /// Whether it then is killed for the memory it uses.
    pub is_out_of_memory: bool,
    /// From the stop signal to its exit; none if it ignores it.
    pub sigterm: Option<Span>,
    /// The image's stop signal.
    pub stop_signal: Str,
    /// How the preStop hook ends.
    pub pre_stop: Outcome,
    /// How the postStart hook ends.
    pub post_start: Outcome,
    /// Answers to liveness probes.
    pub liveness: Answers,
    /// Answers to readiness probes.
    pub readiness: Answers,
    /// Answers to startup probes.
    pub started: Answers,
    /// Memory in bytes.
    pub memory: Usage,
    /// CPU in thousandths.
    pub cpu: Usage,
    /// Disk in bytes.
    pub disk: Usage,
    /// From SIGKILL to the end.
    pub stop: Span,
    /// Whether it accepts connections after its stop signal.
    pub accepts_after_signal: bool,
    /// From a request to its answer.
    pub latency: Span,
    /// How many requests it answers with an error.
    pub errors: Option<Errors>,
    /// The ports that it declares to listen on.
    pub ports: Vec<i32>,
}

/// What a probe of that behaviour is told over time.
fn answers(probe: Option<ProbeBehavior>) -> Answers {
    let window = |probe: ProbeBehavior| {
        let result = match probe.answer {
            ProbeAnswer::Ok => ProbeResult::Success,
            ProbeAnswer::Fail => ProbeResult::Failure,
            ProbeAnswer::Unknown => ProbeResult::Unknown,
        };
        (Span(probe.from.unwrap_or(0)), probe.until.map(Span), result)
    };
    Answers {
        windows: probe.map(window).into_iter().collect(),
    }
}

/// The behaviour of one container of a pod: the only place that reads the annotations. A malformed one (which the API
/// server refuses, but an import may carry) counts as absent.
pub fn behavior_of(pod: &Pod, container: &Container, role: Role) -> Arc<Behavior> {
    let text = pod.metadata.annotation(&format!("{BEHAVIOR_PREFIX}{}", container.name));
    let given = text
        .and_then(|text| ContainerBehavior::parse(text).ok())
        .unwrap_or_default();
    let lifecycle = container.lifecycle.as_ref();
    let hook = |handler: Option<&LifecycleHandler>, scripted: HookBehavior| {
        // A request to a port name that no port has is never made (`resolvePort`).
        let request = handler.and_then(|handler| handler.http_get.as_ref());
        if request.is_some_and(|request| request.port.port_of(container).is_err()) {
            return Outcome::Fails;
        }
        match (handler.and_then(|handler| handler.sleep.as_ref()), scripted) {
            // The manifest's own sleep wins.
            (Some(sleep), _) => Outcome::Takes(Span::seconds(sleep.seconds)),
            (None, HookBehavior::Takes(micros)) => Outcome::Takes(Span(micros)),
            (None, HookBehavior::Fails) => Outcome::Fails,
            (None, HookBehavior::Hangs) => Outcome::Hangs,
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
        Some(scripted) => Usage {
            from: amount(&scripted.from),
            to: amount(&scripted.to),
            over: Span(scripted.over),
        },
        None => Usage::constant(amount(&request(name))),
    };
    Arc::new(Behavior {
        pull: match given.pull() {
            Pull::Takes(micros) => Outcome::Takes(Span(micros)),
            Pull::Fails => Outcome::Fails,
        },
        startup: Span(given.startup()),
        run: given.run(role == Role::Init).map(Span),
        exit_code: given.exit(),
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
        liveness: answers(given.liveness),
        readiness: answers(given.readiness),
        started: answers(given.started),
        memory: usage(given.memory, "memory", Quantity::value),
        cpu: usage(given.cpu, "cpu", Quantity::milli_value),
        disk: usage(given.disk, "ephemeral-storage", Quantity::value),
        stop: Span(given.stop()),
        accepts_after_signal: given.listener() == Listener::Accepts,
        latency: Span(given.latency()),
        errors: given.errors,
        ports: container.ports.iter().map(|port| port.container_port).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usage_is_linear_then_constant() {
        let usage = Usage {
            from: 200,
            to: 600,
            over: Span::seconds(60),
        };
        for (at, amount) in [(0, 200), (30, 400), (60, 600), (90, 600)] {
            assert_eq!(usage.at(Span::seconds(at)), amount);
        }
        assert_eq!(usage.exceeds(600), None);
        let first = usage.exceeds(400).expect("it grows past 400");
        assert!(usage.at(first) > 400 && usage.at(Span(first.0 - 1)) <= 400);
        assert_eq!(Usage::constant(5).exceeds(4), Some(Span::ZERO));
    }
}
