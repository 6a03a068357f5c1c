//! Probes: one worker per container and probe kind, which ticks at fixed intervals (LC-116 to LC-132). A tick is
//! scheduled only if its result can change something: a probe that keeps succeeding costs nothing.
//!
//! ```text
//! (new container) ─▶ probing ──liveness failed / startup decided──▶ on hold ──new container──▶ probing
//! ```
//!
//! A worker learns about a container only from the published pod status. It is on hold until the ID of a new container
//! is published there, and a tick at the very instant of the publication still belongs to the old container (LC-119,
//! LC-124).
//!
//! Deviation: every probe gets its answer at once. The behaviour annotations define the answer, not its latency; `fail`
//! and `unknown` also stand for a process that exceeds `timeoutSeconds`. The field `timeoutSeconds` is defaulted,
//! validated and shown (LC-039), but changes no result.

use std::sync::Arc;

use podscope_api::{Container, ContainerStatus, EventType, Pod, PodStatus, Probe};

use super::events;
use super::grace::KillReason;
use super::host::{Host, next_tick};
use super::worker::PodWorker;
use crate::machine::{Behavior, ContainerId, ProbeAnswers, ProbeResult, Role, containers_of};
use podscope_sim::{Happening, SimTime, Span};

pub(super) use podscope_sim::ProbeKind;

/// Properties of a probe kind that the kubelet uses.
pub(super) trait ProbeKindExt: Sized {
    /// All probe kinds, in the order in which the probes of a container are evaluated.
    const ALL: [Self; 3];
    /// Returns the name of the probe kind in events.
    fn name(self) -> &'static str;
    /// Returns the result before the first probe (LC-118).
    fn initial_result(self) -> bool;
    fn probe_spec(self, container: &Container) -> Option<&Probe>;
    fn scripted_answers(self, behavior: &Behavior) -> &ProbeAnswers;
}

impl ProbeKindExt for ProbeKind {
    const ALL: [Self; 3] = [Self::Startup, Self::Readiness, Self::Liveness];
    fn name(self) -> &'static str {
        match self {
            Self::Startup => "Startup",
            Self::Readiness => "Readiness",
            Self::Liveness => "Liveness",
        }
    }

    fn initial_result(self) -> bool {
        matches!(self, Self::Liveness)
    }

    fn probe_spec(self, container: &Container) -> Option<&Probe> {
        match self {
            Self::Startup => container.startup_probe.as_ref(),
            Self::Readiness => container.readiness_probe.as_ref(),
            Self::Liveness => container.liveness_probe.as_ref(),
        }
    }

    fn scripted_answers(self, behavior: &Behavior) -> &ProbeAnswers {
        match self {
            Self::Startup => &behavior.started,
            Self::Readiness => &behavior.readiness,
            Self::Liveness => &behavior.liveness,
        }
    }
}

/// The running container that a worker probes, from the published status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ProbeTarget {
    id: ContainerId,
    started_at: SimTime,
    /// Field `started` of the container's status. Liveness and readiness probes run only when it is true (LC-122).
    is_started: bool,
}

#[derive(Debug, Clone)]
pub(super) struct ProbeWorker {
    /// Index of the container among all containers of the pod.
    pub(super) container_idx: usize,
    pub(super) kind: ProbeKind,
    /// An instant at which the worker ticks; the other ticks follow from the period.
    tick_origin: SimTime,
    /// Time of the last tick, whether its probe was executed or skipped.
    last: SimTime,
    target: Option<ProbeTarget>,
    /// The container that `result` belongs to.
    container: Option<ContainerId>,
    pub(super) result: bool,
    /// The last answer; `run` is the number of consecutive probes that gave it.
    last_answer: bool,
    run: i32,
    is_on_hold: bool,
    is_stopped: bool,
}

impl ProbeWorker {
    /// Creates a worker at `now`; its first tick may be delayed by `offset` (LC-120).
    pub(super) fn new(container_idx: usize, kind: ProbeKind, now: SimTime, offset: Span) -> Self {
        let tick_origin = now + offset;
        Self {
            container_idx,
            kind,
            tick_origin,
            last: tick_origin - Span(1),
            target: None,
            container: None,
            result: kind.initial_result(),
            last_answer: false,
            run: 0,
            is_on_hold: false,
            is_stopped: false,
        }
    }

    /// Sets the result of a probe that was decided before this kubelet started or before the simulation began.
    pub(super) fn restore_result(&mut self, container: ContainerId, result: bool) {
        self.container = Some(container);
        self.result = result;
        self.last_answer = result;
        self.run = i32::from(result);
        self.is_on_hold = self.kind == ProbeKind::Startup && result;
    }

    /// Returns the published result for a container; the initial result if it belongs to another container.
    pub(super) fn result_for(&self, container: Option<ContainerId>) -> bool {
        if self.container == container {
            self.result
        } else {
            self.kind.initial_result()
        }
    }

    /// Stops the worker: it probes no more (LC-129).
    pub(super) fn stop(&mut self) {
        self.is_stopped = true;
    }

    /// Sets the target, which the caller has read from the container's published status (LC-119). `is_publication` is
    /// true while that status is being published. Returns whether a readiness probe must run at once (LC-121).
    fn update_target(&mut self, target: Option<ProbeTarget>, is_publication: bool, now: SimTime) -> bool {
        self.target = target;
        let mut is_new = false;
        if let Some(target) = self.target
            && self.container != Some(target.id)
        {
            is_new = true;
            self.container = Some(target.id);
            self.result = self.kind.initial_result();
            self.is_on_hold = false;
            if is_publication {
                // A tick at this instant belongs to the time before the publication.
                self.last = self.last.max(now);
            }
        }
        let triggers_probe = self.kind == ProbeKind::Readiness
            && !self.is_stopped
            && !self.result
            && self.target.is_some_and(|target| target.is_started);
        if triggers_probe && (is_new || self.last < now) {
            // A triggered probe always moves the times of the later ticks, even if that probe itself is skipped.
            self.tick_origin = now;
            self.last = now - Span(1);
        }
        triggers_probe
    }

    /// Returns the next tick at which the result can change, or at which an error event is emitted (`has_error`).
    pub(super) fn next_due(&self, spec: &Probe, behavior: &Behavior, has_error: bool) -> Option<SimTime> {
        let target = self.target.filter(|_| !self.is_stopped && !self.is_on_hold)?;
        if target.is_started == (self.kind == ProbeKind::Startup) {
            return None;
        }
        let period = Span::seconds(i64::from(spec.period_seconds.unwrap_or(10).max(1)));
        let tick_from = |at: SimTime| next_tick(at - Span(1), period, Span(self.tick_origin.0));
        let delay = Span::seconds(i64::from(spec.initial_delay_seconds.unwrap_or(0)));
        let earliest = tick_from((target.started_at + delay).max(self.last + Span(1)));
        let is_steady = self.result && (self.last_answer || self.run == 0);
        if !is_steady || has_error {
            return Some(earliest);
        }
        let elapsed = earliest - target.started_at;
        if elapsed < behavior.startup {
            return Some(earliest);
        }
        let failure = self.kind.scripted_answers(behavior).next_failure(elapsed)?;
        Some(tick_from((target.started_at + failure).max(earliest)))
    }

    /// Returns when a probe that is failing now reaches its failure threshold, if it keeps failing. None if it is not
    /// failing, or if it is a readiness probe that has already failed.
    pub(super) fn reaches_failure_threshold_at(&self, spec: &Probe, behavior: &Behavior) -> Option<SimTime> {
        let is_failing = self.run > 0 && !self.last_answer;
        let is_open = self.result || self.kind == ProbeKind::Startup;
        let next = self.next_due(spec, behavior, false).filter(|_| is_failing && is_open)?;
        let left = spec.failure_threshold.unwrap_or(3) - self.run - 1;
        let period = Span::seconds(i64::from(spec.period_seconds.unwrap_or(10).max(1)));
        Some(next + Span(period.0 * i64::from(left.max(0))))
    }

    /// Runs the probe against the IP of the published status. Returns the result if it must be published.
    pub(super) fn run_probe_tick(
        &mut self,
        pod: &Pod,
        pod_ip: &str,
        container: &Container,
        spec: &Probe,
        behavior: &Behavior,
        host: &mut Host<'_, '_>,
    ) -> Option<bool> {
        self.last = host.ctx.now;
        let target = self.target?;
        let elapsed = host.ctx.now - target.started_at;
        let answer = self
            .kind
            .scripted_answers(behavior)
            .answer_at(elapsed, behavior.startup);
        let error = undeclared_port_error(spec, container)
            .or_else(|| (answer == ProbeResult::Unknown).then(|| no_answer_message(spec, pod_ip, container)));
        if let Some(error) = error {
            // An errored probe emits an event; its result is ignored (LC-117).
            let message = format!(
                "{} probe errored and resulted in unknown state: {error}",
                self.kind.name()
            );
            events::emit_for_container(pod, &container.name, EventType::Warning, "Unhealthy", message, host);
            return None;
        }
        let is_success = match answer {
            ProbeResult::Success => true,
            ProbeResult::Failure | ProbeResult::Unknown => {
                let message = format!(
                    "{} probe failed: {}",
                    self.kind.name(),
                    failure_message(spec, pod_ip, container)
                );
                events::emit_for_container(pod, &container.name, EventType::Warning, "Unhealthy", message, host);
                record_probe(Happening::ProbeFailed { probe: self.kind }, pod, container, host);
                false
            }
        };
        if self.run > 0 && self.last_answer == is_success {
            self.run = self.run.saturating_add(1);
        } else {
            self.last_answer = is_success;
            self.run = 1;
        }
        let threshold = if is_success {
            spec.success_threshold.unwrap_or(1)
        } else {
            spec.failure_threshold.unwrap_or(3)
        };
        if self.run < threshold {
            return None;
        }
        let is_news = self.result != is_success;
        self.result = is_success;
        if (self.kind == ProbeKind::Liveness && !is_success) || self.kind == ProbeKind::Startup {
            self.is_on_hold = true;
            self.run = 0;
        }
        if is_success && is_news {
            record_probe(Happening::ProbeSucceeded { probe: self.kind }, pod, container, host);
        }
        (is_news || self.is_on_hold).then_some(is_success)
    }

    /// Returns whether the container must be killed because this probe failed (LC-125).
    pub(super) fn requires_kill(&self, container: ContainerId) -> bool {
        match self.kind {
            ProbeKind::Readiness => false,
            ProbeKind::Liveness => self.container == Some(container) && !self.result,
            // A startup probe is on hold only after it was decided. Before that, it has not failed.
            ProbeKind::Startup => self.container == Some(container) && !self.result && self.is_on_hold,
        }
    }
}

impl PodWorker {
    /// Creates the pod's probe workers at the first call (LC-119).
    pub(super) fn add_probes(&mut self, host: &mut Host<'_, '_>) {
        if std::mem::replace(&mut self.has_probes, true) {
            return;
        }
        let now = host.ctx.now;
        let pod = self.pod.clone();
        for (idx, (role, container)) in containers_of(&pod).enumerate() {
            if !matches!(role, Role::App | Role::Sidecar) {
                continue;
            }
            for kind in ProbeKind::ALL {
                let Some(spec) = kind.probe_spec(container) else {
                    continue;
                };
                let period = Span::seconds(i64::from(spec.period_seconds.unwrap_or(10).max(1)));
                let is_young = host.shared.is_restart && now - host.shared.started_at < period;
                let offset = if is_young {
                    host.ctx.rng.between(Span::ZERO, period - Span(1))
                } else {
                    Span::ZERO
                };
                let mut worker = ProbeWorker::new(idx, kind, now, offset);
                // The API status of a running container shows earlier probe results: of an earlier kubelet process or,
                // for an imported pod at t = 0, of this process (LC-131).
                let process = host
                    .machine
                    .pod(&pod.metadata.uid)
                    .and_then(|held| held.latest(&container.name));
                if let Some(process) = process.filter(|process| process.is_running())
                    && let Some(known) = pod.status.status_of(&container.name)
                    && let Some(result) = restored_probe_result(kind, known, process.started_at, &pod, host)
                {
                    worker.restore_result(process.id, result);
                }
                self.probes.reserve_exact(1);
                self.probes.push(worker);
            }
        }
        // Containers that already run are probed without waiting for another status.
        let status = self.status().clone();
        self.observe_probes(&status, false, host);
    }

    /// Updates the probe workers from a status. `is_publication` is true while the status is being published.
    pub(super) fn observe_probes(&mut self, status: &PodStatus, is_publication: bool, host: &Host<'_, '_>) {
        if self.probes.is_empty() {
            return;
        }
        let pod = self.pod.clone();
        let held = host.machine.pod(&pod.metadata.uid);
        for probe in &mut self.probes {
            let target = containers_of(&pod).nth(probe.container_idx).and_then(|(_, container)| {
                let one = status.status_of(&container.name)?;
                one.state.running.as_ref()?;
                // The instance that the status describes, which may not be the latest one.
                let process = held?.instance(&container.name, one.restart_count)?;
                Some(ProbeTarget {
                    id: process.id,
                    started_at: process.started_at,
                    is_started: one.started == Some(true),
                })
            });
            probe.update_target(target, is_publication, host.ctx.now);
        }
    }

    /// Returns the next tick whose result can change something.
    pub(super) fn next_probe_tick(&self, host: &Host<'_, '_>) -> Option<podscope_sim::SimTime> {
        self.probes
            .iter()
            .filter_map(|probe| self.next_tick_of(probe, host))
            .min()
    }

    /// Runs the probes that are due, and acts on changed results.
    pub(super) fn run_probes(&mut self, host: &mut Host<'_, '_>) {
        for idx in 0..self.probes.len() {
            let Some(probe) = self.probes.get(idx) else { return };
            if self.next_tick_of(probe, host).is_none_or(|due| due > host.ctx.now) {
                continue;
            }
            let pod = self.pod.clone();
            let Some((_, container)) = containers_of(&pod).nth(probe.container_idx) else {
                continue;
            };
            let Some(spec) = probe.kind.probe_spec(container) else {
                continue;
            };
            let Some(behavior) = latest_behavior(&pod, container, host) else {
                continue;
            };
            let pod_ip = self.status().pod_ip.clone();
            let Some(probe) = self.probes.get_mut(idx) else { return };
            // A container that ran before this kubelet keeps its readiness until its probe worker has run once
            // (LC-131).
            let begins = host.shared.is_restart && probe.kind == ProbeKind::Readiness && probe.run == 0;
            if probe
                .run_probe_tick(&pod, &pod_ip, container, spec, &behavior, host)
                .is_some()
                || begins
            {
                // In the trace, the record about the probe is the cause of what the kubelet does next.
                host.ctx.set_cause_to_last_record();
                self.set_readiness(host);
                self.request_sync(host);
            }
        }
    }

    /// Returns the next tick of one probe worker; None if no tick can change anything.
    fn next_tick_of(&self, probe: &ProbeWorker, host: &Host<'_, '_>) -> Option<podscope_sim::SimTime> {
        let (_, container) = containers_of(&self.pod).nth(probe.container_idx)?;
        let behavior = latest_behavior(&self.pod, container, host)?;
        let spec = probe.kind.probe_spec(container)?;
        probe.next_due(spec, &behavior, undeclared_port_error(spec, container).is_some())
    }

    /// Returns the name and kill reason of the failed probe for which a running container must be killed.
    pub(super) fn failed_probe_name_and_reason(
        &self,
        idx: usize,
        container: ContainerId,
    ) -> Option<(&'static str, KillReason)> {
        let has_failed = |kind: ProbeKind| {
            let mut own = self
                .probes
                .iter()
                .filter(|probe| probe.container_idx == idx && probe.kind == kind);
            own.any(|probe| probe.requires_kill(container))
        };
        if has_failed(ProbeKind::Liveness) {
            Some(("liveness", KillReason::Liveness))
        } else if has_failed(ProbeKind::Startup) {
            Some(("startup", KillReason::Startup))
        } else {
            None
        }
    }

    /// Stops the liveness and startup probes of app containers when termination starts (LC-129). Those of sidecars stop
    /// too, because their results no longer have an effect.
    pub(super) fn stop_probes_for_termination(&mut self) {
        for probe in &mut self.probes {
            if probe.kind != ProbeKind::Readiness {
                probe.stop();
            }
        }
    }
}

/// Containers that ran longer than this before the kubelet started keep their readiness (`kubeletRestartGracePeriod`).
const RESTART_GRACE_PERIOD: Span = Span::seconds(10);

/// Returns the probe result of a container that ran before this kubelet started, restored from its status: `started` is
/// kept, and so is the readiness of a Ready pod (LC-131).
fn restored_probe_result(
    kind: ProbeKind,
    known: &ContainerStatus,
    started_at: SimTime,
    pod: &Pod,
    host: &Host<'_, '_>,
) -> Option<bool> {
    let has_run_before = known.state.running.is_some();
    if !host.shared.is_restart {
        return (started_at <= SimTime::ZERO).then_some(match kind {
            ProbeKind::Startup => known.started == Some(true),
            ProbeKind::Readiness => known.ready,
            ProbeKind::Liveness => true,
        });
    }
    match kind {
        ProbeKind::Startup => (has_run_before && known.started == Some(true)).then_some(true),
        ProbeKind::Readiness => {
            (has_run_before && pod.is_ready() && started_at + RESTART_GRACE_PERIOD < host.shared.started_at)
                .then_some(true)
        }
        ProbeKind::Liveness => None,
    }
}

/// Returns the behaviour of the latest instance of a container.
fn latest_behavior(pod: &Pod, container: &Container, host: &Host<'_, '_>) -> Option<Arc<Behavior>> {
    Some(
        host.machine
            .pod(&pod.metadata.uid)?
            .latest(&container.name)?
            .behavior
            .clone(),
    )
}

fn record_probe(happening: Happening, pod: &Pod, container: &Container, host: &mut Host<'_, '_>) {
    let subject = podscope_sim::subject(podscope_api::Kind::Pod, pod.metadata.key(), pod.metadata.uid.clone());
    host.ctx
        .record_subject(happening, Some(subject), Some(container.name.clone()));
}

/// Returns the error of a probe that cannot run because it names a port that the container does not declare (LC-117).
fn undeclared_port_error(spec: &Probe, container: &Container) -> Option<String> {
    let http = spec.http_get.as_ref().map(|http| &http.port);
    let port = http.or_else(|| spec.tcp_socket.as_ref().map(|tcp| &tcp.port))?;
    port.port_of(container).err()
}

/// Returns the host and port that a probe connects to. A probe that names no host connects to the pod's IP in the
/// published status.
fn probe_address(host: &str, port: Option<i32>, pod_ip: &str) -> String {
    let host = if host.is_empty() { pod_ip } else { host };
    format!("{host}:{}", port.unwrap_or_default())
}

/// Returns the failure message of a probe handler.
fn failure_message(spec: &Probe, pod_ip: &str, container: &Container) -> String {
    if spec.http_get.is_some() {
        "HTTP probe failed with statuscode: 503".into()
    } else if let Some(tcp) = &spec.tcp_socket {
        let address = probe_address(&tcp.host, tcp.port.port_of(container).ok(), pod_ip);
        format!("dial tcp {address}: connect: connection refused")
    } else if spec.grpc.is_some() {
        "service unhealthy (responded with \"NOT_SERVING\")".into()
    } else {
        String::new()
    }
}

/// Returns the error message of a probe handler that gets no answer.
///
/// Deviation: in reality tcpSocket and grpc probes treat such an error as a failure, and so does httpGet unless the
/// response is cut off. Here the result of behaviour `unknown` is ignored for all handlers.
fn no_answer_message(spec: &Probe, pod_ip: &str, container: &Container) -> String {
    let timeout = spec.timeout_seconds.unwrap_or(1);
    if spec.http_get.is_some() {
        "unexpected EOF".into()
    } else if let Some(tcp) = &spec.tcp_socket {
        let address = probe_address(&tcp.host, tcp.port.port_of(container).ok(), pod_ip);
        format!("dial tcp {address}: i/o timeout")
    } else if spec.grpc.is_some() {
        format!("timeout: health rpc did not complete within {timeout}s")
    } else {
        "rpc error: code = Unknown desc = failed to exec in container".into()
    }
}
