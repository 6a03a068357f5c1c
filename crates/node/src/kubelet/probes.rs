//! Probes: one worker per container and kind, with ticks on a raster
//! (LC-116 to LC-132). A tick is queued only if its answer can change
//! something: a probe that keeps succeeding costs nothing.
//!
//! ```text
//! (new container) ─▶ probing ──liveness failed / startup decided──▶ on hold ──new container──▶ probing
//! ```
//!
//! A worker knows a container by the published status alone: until the ID of
//! a new one stands there it is on hold, and a tick at the very instant of its
//! publication still belongs to the time before (LC-119, LC-124).
//!
//! Deviation: every probe answers at once. The behaviour annotations say what a
//! probe answers, not how long it takes, and a process that is `fail` or
//! `unknown` stands for one that lets `timeoutSeconds` pass; the field is
//! defaulted, validated and shown (LC-039), and changes no result.

use std::sync::Arc;

use podscope_api::{Container, ContainerStatus, EventType, Pod, PodStatus, Probe};

use super::events;
use super::grace::KillReason;
use super::host::{Host, next_tick};
use super::worker::PodWorker;
use crate::machine::{Answers, Behavior, ContainerId, ProbeResult, Role, containers_of};
use podscope_sim::{Happening, SimTime, Span};

pub(super) use podscope_sim::ProbeKind;

/// What a kind of probe is to a kubelet.
pub(super) trait Probing: Sized {
    /// In the order in which a container's probes are looked at.
    const ALL: [Self; 3];
    /// As events name it.
    fn name(self) -> &'static str;
    /// What holds before the first result (LC-118).
    fn initial(self) -> bool;
    fn spec(self, container: &Container) -> Option<&Probe>;
    fn answers(self, behavior: &Behavior) -> &Answers;
}

impl Probing for ProbeKind {
    const ALL: [Self; 3] = [Self::Startup, Self::Readiness, Self::Liveness];
    fn name(self) -> &'static str {
        match self {
            Self::Startup => "Startup",
            Self::Readiness => "Readiness",
            Self::Liveness => "Liveness",
        }
    }

    fn initial(self) -> bool {
        matches!(self, Self::Liveness)
    }

    fn spec(self, container: &Container) -> Option<&Probe> {
        match self {
            Self::Startup => container.startup_probe.as_ref(),
            Self::Readiness => container.readiness_probe.as_ref(),
            Self::Liveness => container.liveness_probe.as_ref(),
        }
    }

    fn answers(self, behavior: &Behavior) -> &Answers {
        match self {
            Self::Startup => &behavior.started,
            Self::Readiness => &behavior.readiness,
            Self::Liveness => &behavior.liveness,
        }
    }
}

/// The running container that a worker probes, as the published status shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Target {
    id: ContainerId,
    started_at: SimTime,
    /// `started` of its status: gates the other probes (LC-122).
    is_started: bool,
}

#[derive(Debug, Clone)]
pub(super) struct ProbeWorker {
    /// The container's place among all containers of the pod.
    pub(super) container_idx: usize,
    pub(super) kind: ProbeKind,
    /// An instant on the raster of its ticks.
    align: SimTime,
    /// The last tick, taken or skipped.
    last: SimTime,
    target: Option<Target>,
    /// The container that `result` is about.
    container: Option<ContainerId>,
    /// The published result.
    pub(super) result: bool,
    /// The last answer and how often it came in a row.
    last_answer: bool,
    run: i32,
    is_on_hold: bool,
    is_stopped: bool,
}

impl ProbeWorker {
    /// A worker made at `now`, whose first tick may be put off by `offset` (LC-120).
    pub(super) fn new(container_idx: usize, kind: ProbeKind, now: SimTime, offset: Span) -> Self {
        let align = now + offset;
        Self {
            container_idx,
            kind,
            align,
            last: align - Span(1),
            target: None,
            container: None,
            result: kind.initial(),
            last_answer: false,
            run: 0,
            is_on_hold: false,
            is_stopped: false,
        }
    }

    /// The result of a probe that was already answered before the simulation began (imported pods).
    pub(super) fn assume(&mut self, container: ContainerId, result: bool) {
        self.container = Some(container);
        self.result = result;
        self.last_answer = result;
        self.run = i32::from(result);
        self.is_on_hold = self.kind == ProbeKind::Startup && result;
    }

    /// The published result for a container.
    pub(super) fn result_for(&self, container: Option<ContainerId>) -> bool {
        if self.container == container {
            self.result
        } else {
            self.kind.initial()
        }
    }

    /// No more probes (LC-129).
    pub(super) fn stop(&mut self) {
        self.is_stopped = true;
    }

    /// What the published status shows of the container (LC-119); `is_news` if it is being published now. Returns true if
    /// readiness is to be probed at once (LC-121).
    pub(super) fn observe(
        &mut self,
        running: Option<(ContainerId, SimTime, bool)>,
        is_news: bool,
        now: SimTime,
    ) -> bool {
        self.target = running.map(|(id, started_at, is_started)| Target {
            id,
            started_at,
            is_started,
        });
        let mut is_new = false;
        if let Some(target) = self.target
            && self.container != Some(target.id)
        {
            is_new = true;
            self.container = Some(target.id);
            self.result = self.kind.initial();
            self.is_on_hold = false;
            if is_news {
                // The tick of this instant came before the status.
                self.last = self.last.max(now);
            }
        }
        let wants = self.kind == ProbeKind::Readiness
            && !self.is_stopped
            && !self.result
            && self.target.is_some_and(|target| target.is_started);
        if wants && (is_new || self.last < now) {
            // Every trigger moves the raster, even if the run itself is skipped.
            self.align = now;
            self.last = now - Span(1);
        }
        wants
    }

    /// The next tick at which something can change, or at which an error is told (`errs`).
    pub(super) fn next_due(&self, spec: &Probe, behavior: &Behavior, errs: bool) -> Option<SimTime> {
        let target = self.target.filter(|_| !self.is_stopped && !self.is_on_hold)?;
        if target.is_started == (self.kind == ProbeKind::Startup) {
            return None;
        }
        let period = Span::seconds(i64::from(spec.period_seconds.unwrap_or(10).max(1)));
        let tick_from = |at: SimTime| next_tick(at - Span(1), period, Span(self.align.0));
        let delay = Span::seconds(i64::from(spec.initial_delay_seconds.unwrap_or(0)));
        let earliest = tick_from((target.started_at + delay).max(self.last + Span(1)));
        let is_steady = self.result && (self.last_answer || self.run == 0);
        if !is_steady || errs {
            return Some(earliest);
        }
        let elapsed = earliest - target.started_at;
        if elapsed < behavior.startup {
            return Some(earliest);
        }
        let trouble = self.kind.answers(behavior).next_trouble(elapsed)?;
        Some(tick_from((target.started_at + trouble).max(earliest)))
    }

    /// When a probe that has begun to fail counts as failed, if it goes on so; none while it does not, and of a readiness
    /// probe that has failed already.
    pub(super) fn fails_at(&self, spec: &Probe, behavior: &Behavior) -> Option<SimTime> {
        let is_failing = self.run > 0 && !self.last_answer;
        let is_open = self.result || self.kind == ProbeKind::Startup;
        let next = self.next_due(spec, behavior, false).filter(|_| is_failing && is_open)?;
        let left = spec.failure_threshold.unwrap_or(3) - self.run - 1;
        let period = Span::seconds(i64::from(spec.period_seconds.unwrap_or(10).max(1)));
        Some(next + Span(period.0 * i64::from(left.max(0))))
    }

    /// Probes now. Returns the result if it is published anew.
    pub(super) fn tick(
        &mut self,
        pod: &Pod,
        container: &Container,
        spec: &Probe,
        behavior: &Behavior,
        host: &mut Host<'_, '_>,
    ) -> Option<bool> {
        self.last = host.ctx.now;
        let target = self.target?;
        let elapsed = host.ctx.now - target.started_at;
        let answer = self.kind.answers(behavior).at(elapsed, behavior.startup);
        let error = port_error(spec, container)
            .or_else(|| (answer == ProbeResult::Unknown).then(|| no_answer(spec, pod, container)));
        if let Some(error) = error {
            // An error is no result: it is told and thrown away (LC-117).
            let message = format!(
                "{} probe errored and resulted in unknown state: {error}",
                self.kind.name()
            );
            events::of_container(pod, &container.name, EventType::Warning, "Unhealthy", message, host);
            return None;
        }
        let is_success = match answer {
            ProbeResult::Success => true,
            ProbeResult::Failure | ProbeResult::Unknown => {
                let message = format!("{} probe failed: {}", self.kind.name(), output(spec, pod, container));
                events::of_container(pod, &container.name, EventType::Warning, "Unhealthy", message, host);
                record(Happening::ProbeFailed { probe: self.kind }, pod, container, host);
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
            record(Happening::ProbeSucceeded { probe: self.kind }, pod, container, host);
        }
        (is_news || self.is_on_hold).then_some(is_success)
    }

    /// Whether a decided failure asks for the container to be killed (LC-125).
    pub(super) fn condemns(&self, container: ContainerId) -> bool {
        match self.kind {
            ProbeKind::Readiness => false,
            ProbeKind::Liveness => self.container == Some(container) && !self.result,
            // Undecided is not failed: only a decided startup probe is on hold.
            ProbeKind::Startup => self.container == Some(container) && !self.result && self.is_on_hold,
        }
    }
}

impl PodWorker {
    /// Makes the pod's probe workers, once (LC-119).
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
                let Some(spec) = kind.spec(container) else { continue };
                let period = Span::seconds(i64::from(spec.period_seconds.unwrap_or(10).max(1)));
                let is_young = host.shared.is_restart && now - host.shared.started_at < period;
                let offset = if is_young {
                    host.ctx.rng.between(Span::ZERO, period - Span(1))
                } else {
                    Span::ZERO
                };
                let mut worker = ProbeWorker::new(idx, kind, now, offset);
                // What the API says of containers that ran before this kubelet is an earlier process's word, or, of
                // imported pods at t = 0, this one's own (LC-131).
                let process = host
                    .machine
                    .pod(&pod.metadata.uid)
                    .and_then(|held| held.latest(&container.name));
                if let Some(process) = process.filter(|process| process.is_running())
                    && let Some(known) = pod.status.status_of(&container.name)
                    && let Some(result) = result_before(kind, known, process.started_at, &pod, host)
                {
                    worker.assume(process.id, result);
                }
                self.probes.reserve_exact(1);
                self.probes.push(worker);
            }
        }
        // Containers that run already are probed without waiting for another status.
        let status = self.status().clone();
        self.observe_probes(&status, false, host);
    }

    /// Shows the probe workers what is being published (`is_news`) or was before they began.
    pub(super) fn observe_probes(&mut self, status: &PodStatus, is_news: bool, host: &Host<'_, '_>) {
        if self.probes.is_empty() {
            return;
        }
        let pod = self.pod.clone();
        let held = host.machine.pod(&pod.metadata.uid);
        for probe in &mut self.probes {
            let running = containers_of(&pod).nth(probe.container_idx).and_then(|(_, container)| {
                let one = status.status_of(&container.name)?;
                one.state.running.as_ref()?;
                // The one that the status speaks of, which may not be the latest any more.
                let process = held?.instance(&container.name, one.restart_count)?;
                Some((process.id, process.started_at, one.started == Some(true)))
            });
            probe.observe(running, is_news, host.ctx.now);
        }
    }

    /// The next probe that can change something.
    pub(super) fn next_probe(&self, host: &Host<'_, '_>) -> Option<podscope_sim::SimTime> {
        self.probes.iter().filter_map(|probe| self.probe_due(probe, host)).min()
    }

    /// Runs the probes that are due, and acts on what they publish.
    pub(super) fn run_probes(&mut self, host: &mut Host<'_, '_>) {
        for idx in 0..self.probes.len() {
            let Some(probe) = self.probes.get(idx) else { return };
            if self.probe_due(probe, host).is_none_or(|due| due > host.ctx.now) {
                continue;
            }
            let pod = self.pod.clone();
            let Some((_, container)) = containers_of(&pod).nth(probe.container_idx) else {
                continue;
            };
            let Some(spec) = probe.kind.spec(container) else {
                continue;
            };
            let Some(behavior) = behavior_in(&pod, container, host) else {
                continue;
            };
            let Some(probe) = self.probes.get_mut(idx) else { return };
            // Until its worker has begun, a container that ran before this kubelet shows the readiness it had (LC-131).
            let begins = host.shared.is_restart && probe.kind == ProbeKind::Readiness && probe.run == 0;
            if probe.tick(&pod, container, spec, &behavior, host).is_some() || begins {
                // The failure that passed the threshold, or the success, leads to what is done about it at once.
                host.ctx.because_of_last_record();
                self.set_readiness(host);
                self.kick(host);
            }
        }
    }

    fn probe_due(&self, probe: &ProbeWorker, host: &Host<'_, '_>) -> Option<podscope_sim::SimTime> {
        let (_, container) = containers_of(&self.pod).nth(probe.container_idx)?;
        let behavior = behavior_in(&self.pod, container, host)?;
        let spec = probe.kind.spec(container)?;
        probe.next_due(spec, &behavior, port_error(spec, container).is_some())
    }

    /// The probe for which a running container is to be killed.
    pub(super) fn condemned(&self, idx: usize, container: ContainerId) -> Option<(&'static str, KillReason)> {
        let by = |kind: ProbeKind| {
            let mut own = self
                .probes
                .iter()
                .filter(|probe| probe.container_idx == idx && probe.kind == kind);
            own.any(|probe| probe.condemns(container))
        };
        if by(ProbeKind::Liveness) {
            Some(("liveness", KillReason::Liveness))
        } else if by(ProbeKind::Startup) {
            Some(("startup", KillReason::Startup))
        } else {
            None
        }
    }

    /// At the start of termination liveness and startup probes of app containers end (LC-129); those of sidecars
    /// cannot act any more, so they end as well.
    pub(super) fn stop_probes_for_termination(&mut self) {
        for probe in &mut self.probes {
            if probe.kind != ProbeKind::Readiness {
                probe.stop();
            }
        }
    }
}

/// A container that has run for longer than this before the kubelet started keeps its readiness (`kubeletRestartGracePeriod`).
const RUNS_SINCE: Span = Span::seconds(10);

/// The result of a probe of a container that ran before this kubelet did, from what its status says: `started` is
/// kept, and so is the readiness of a pod that was Ready (LC-131).
fn result_before(
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
            (has_run_before && pod.is_ready() && started_at + RUNS_SINCE < host.shared.started_at).then_some(true)
        }
        ProbeKind::Liveness => None,
    }
}

/// The behaviour of the container that runs (or ran last).
fn behavior_in(pod: &Pod, container: &Container, host: &Host<'_, '_>) -> Option<Arc<Behavior>> {
    Some(
        host.machine
            .pod(&pod.metadata.uid)?
            .latest(&container.name)?
            .behavior
            .clone(),
    )
}

fn record(happening: Happening, pod: &Pod, container: &Container, host: &mut Host<'_, '_>) {
    let subject = podscope_sim::subject(podscope_api::Kind::Pod, pod.metadata.key(), pod.metadata.uid.clone());
    host.ctx
        .record_subject(happening, Some(subject), Some(container.name.clone()));
}

/// Why a probe cannot even be tried: it names a port that the container does not have (LC-117).
fn port_error(spec: &Probe, container: &Container) -> Option<String> {
    let http = spec.http_get.as_ref().map(|http| &http.port);
    let port = http.or_else(|| spec.tcp_socket.as_ref().map(|tcp| &tcp.port))?;
    port.port_of(container).err()
}

/// The address that a probe talks to.
fn address(host: &str, port: Option<i32>, pod: &Pod) -> String {
    let host = if host.is_empty() { &*pod.status.pod_ip } else { host };
    format!("{host}:{}", port.unwrap_or_default())
}

/// What a failing handler says.
fn output(spec: &Probe, pod: &Pod, container: &Container) -> String {
    if spec.http_get.is_some() {
        "HTTP probe failed with statuscode: 503".into()
    } else if let Some(tcp) = &spec.tcp_socket {
        let address = address(&tcp.host, tcp.port.port_of(container).ok(), pod);
        format!("dial tcp {address}: connect: connection refused")
    } else if spec.grpc.is_some() {
        "service unhealthy (responded with \"NOT_SERVING\")".into()
    } else {
        String::new()
    }
}

/// What a handler says that gets no answer at all.
///
/// Deviation: tcpSocket and grpc turn such an error into a failure, and httpGet does so unless the answer breaks off;
/// the behaviour `unknown` is thrown away for all of them.
fn no_answer(spec: &Probe, pod: &Pod, container: &Container) -> String {
    let timeout = spec.timeout_seconds.unwrap_or(1);
    if spec.http_get.is_some() {
        "unexpected EOF".into()
    } else if let Some(tcp) = &spec.tcp_socket {
        let address = address(&tcp.host, tcp.port.port_of(container).ok(), pod);
        format!("dial tcp {address}: i/o timeout")
    } else if spec.grpc.is_some() {
        format!("timeout: health rpc did not complete within {timeout}s")
    } else {
        "rpc error: code = Unknown desc = failed to exec in container".into()
    }
}
