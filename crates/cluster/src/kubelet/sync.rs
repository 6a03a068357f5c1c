//! SyncPod: brings the containers of a pod to where they should be (LC-058,
//! LC-071 to LC-090). A sync is one run of this machine; it blocks its worker.
//!
//! ```text
//! (plan) ─▶ kill what must go ─▶ new sandbox ─▶ next container ─▶ pull ─▶ create, start ─▶ postStart ─▶ next container … (end)
//! ```

use std::collections::VecDeque;
use std::sync::Arc;

use podscope_api::{Container, ContainerStateWaiting, EventType, Pod, PodPhase, PullPolicy, RestartPolicy};

use super::grace::{self, KillReason, Remaining};
use super::host::Host;
use super::kill::{Kill, Victim};
use super::status::should_start;
use super::worker::{Activity, PodWorker, Stage, SyncEnd};
use super::{backoff, config, events, volumes};
use crate::machine::{ContainerId, HookKind, Outcome, PullId, Role, behavior_of, containers_of};
use crate::{SimTime, Span};

/// A container to start.
#[derive(Debug, Clone, Copy)]
struct Start {
    /// Its place among all containers of the pod.
    idx: usize,
    /// When the latest exited instance ended, as of the beginning of the sync (LC-090).
    exited_at: Option<SimTime>,
}

/// What a sync waits for.
#[derive(Debug, Clone, Copy)]
enum Step {
    /// Nothing: the next container can be started.
    Next,
    /// The image of a container.
    Pull(Start, PullId),
    /// The image is there: create and start it.
    Create(Start),
    /// Its postStart hook.
    PostStart(usize, ContainerId),
}

/// A sync under way.
#[derive(Debug, Clone)]
pub(super) struct SyncRun {
    kill: Option<Kill>,
    stops_sandbox: bool,
    new_sandbox: bool,
    starts: VecDeque<Start>,
    step: Step,
    has_failed: bool,
}

impl SyncRun {
    pub(super) fn kill_mut(&mut self) -> Option<&mut Kill> {
        self.kill.as_mut()
    }
    pub(super) fn next_due(&self) -> Option<SimTime> {
        self.kill.as_ref().and_then(Kill::next_deadline)
    }
}

/// What a sync has to do.
#[derive(Debug, Default)]
struct Plan {
    /// Kill everything and the sandbox.
    kill_pod: bool,
    new_sandbox: bool,
    kill: Vec<(ContainerId, usize, String, KillReason)>,
    start: Vec<usize>,
}

impl PodWorker {
    /// The beginning of a sync: status, volumes, then the run.
    pub(super) fn begin_sync(&mut self, host: &mut Host<'_, '_>) {
        self.check_deadline(host);
        self.set_status(false, host);
        if matches!(self.status().phase, Some(PodPhase::Succeeded | PodPhase::Failed)) {
            self.finish_sync(SyncEnd::Ok, host);
            self.terminate(host);
            return;
        }
        match volumes::mount_all(&self.pod, host) {
            Ok(()) => self.begin_run(host),
            Err(problems) => self.activity = Activity::Volumes(volumes::Wait::begin(&self.pod, &problems, host)),
        }
    }
    /// Looks again at the volumes; true if the worker went on.
    pub(super) fn wait_for_volumes(&mut self, mut wait: volumes::Wait, host: &mut Host<'_, '_>) -> bool {
        if wait.next_try > host.ctx.now {
            self.activity = Activity::Volumes(wait);
            return false;
        }
        match volumes::mount_all(&self.pod, host) {
            Ok(()) => self.begin_run(host),
            Err(problems) if wait.is_over(host.ctx.now) => {
                wait.give_up(&self.pod, &problems, host);
                self.finish_sync(SyncEnd::Error, host);
            }
            Err(problems) => {
                wait.again(&self.pod, &problems, host);
                self.activity = Activity::Volumes(wait);
                return false;
            }
        }
        true
    }

    fn begin_run(&mut self, host: &mut Host<'_, '_>) {
        self.add_probes(host);
        let pod = self.pod.clone();
        let plan = self.plan(host);
        let had_sandbox = host
            .machine
            .pod(&pod.metadata.uid)
            .is_some_and(|held| held.sandbox.is_some());
        if plan.new_sandbox && had_sandbox {
            let message = "Pod sandbox changed, it will be killed and re-created.";
            events::of_pod(&pod, EventType::Normal, "SandboxChanged", message, host);
        }
        let exited_at = |idx: usize, host: &Host<'_, '_>| -> Option<SimTime> {
            let (_, container) = containers_of(&pod).nth(idx)?;
            let held = host.machine.pod(&pod.metadata.uid)?;
            let exit =
                |one: Option<&crate::machine::Container>| one.and_then(|one| one.exit.as_ref()).map(|exit| exit.at);
            exit(held.latest(&container.name)).or_else(|| exit(held.previous(&container.name)))
        };
        let starts = plan
            .start
            .iter()
            .map(|idx| Start {
                idx: *idx,
                exited_at: exited_at(*idx, host),
            })
            .collect();
        let kill = if plan.kill_pod {
            let victims = self.all_victims(None, host);
            Kill::begin(&pod, victims, true, host)
        } else {
            // Deviation: several are killed at once; the kubelet does it one after the other.
            let victims = plan
                .kill
                .into_iter()
                .filter_map(|(id, idx, message, reason)| self.victim(id, idx, None, reason, Some(message), host))
                .collect();
            Kill::begin(&pod, victims, false, host)
        };
        self.activity = Activity::Sync(Box::new(SyncRun {
            kill: Some(kill),
            stops_sandbox: plan.kill_pod,
            new_sandbox: plan.new_sandbox,
            starts,
            step: Step::Next,
            has_failed: false,
        }));
    }

    /// Takes the next step of a run; true if it took one.
    pub(super) fn go_on(&mut self, mut run: Box<SyncRun>, host: &mut Host<'_, '_>) -> bool {
        let pod = self.pod.clone();
        let uid = &pod.metadata.uid;
        if let Some(kill) = &mut run.kill {
            kill.tick(&pod, host);
            if !kill.is_done() {
                self.activity = Activity::Sync(run);
                return false;
            }
            run.kill = None;
            if std::mem::take(&mut run.stops_sandbox) {
                host.machine.stop_sandbox(uid);
            }
        }
        if std::mem::take(&mut run.new_sandbox) {
            let node = host.shared.node_object.clone();
            let cidr = node
                .as_ref()
                .map(|node| &*node.spec.pod_cidr)
                .filter(|cidr| !cidr.is_empty());
            let is_host_network = pod.spec.host_network == Some(true);
            let host_ip = is_host_network.then(|| self.status().host_ip.clone());
            host.machine.purge_init_containers(uid);
            host.machine.create_sandbox(&pod, cidr, host_ip);
            self.changed_machine();
        }
        match run.step {
            Step::Next => match run.starts.pop_front() {
                None => {
                    let end = if run.has_failed { SyncEnd::Error } else { SyncEnd::Ok };
                    self.finish_sync(end, host);
                    return true;
                }
                Some(start) => self.prepare(&pod, start, &mut run, host),
            },
            Step::Create(start) => self.create(&pod, start, &mut run, host),
            Step::Pull(..) | Step::PostStart(..) => {
                self.activity = Activity::Sync(run);
                return false;
            }
        }
        self.activity = Activity::Sync(run);
        true
    }
    /// An image pull of this pod ended.
    pub(super) fn pulled(
        &mut self,
        id: PullId,
        succeeded: bool,
        (took, waited): (Span, Span),
        host: &mut Host<'_, '_>,
    ) {
        let pod = self.pod.clone();
        let Activity::Sync(run) = &mut self.activity else {
            return;
        };
        let Step::Pull(start, pull) = run.step else { return };
        if pull != id {
            return;
        }
        let Some((role, container)) = containers_of(&pod).nth(start.idx) else {
            return;
        };
        let image = &container.image;
        if succeeded {
            run.step = Step::Create(start);
            events::pulled(&pod, &container.name, image, took, waited, host);
            return;
        }
        run.step = Step::Next;
        fail(run, role);
        if let Some(memory) = self.memory.get_mut(start.idx) {
            backoff::pull_failed(&mut memory.pulls, host.ctx.now);
        }
        let error = pull_error(image);
        let message = format!("Failed to pull image \"{image}\": {error}");
        events::of_container(&pod, &container.name, EventType::Warning, "Failed", message, host);
        self.refuse(&pod, start.idx, container, "ErrImagePull", error, host);
    }
    /// A postStart hook returned (LC-081).
    pub(super) fn post_start_finished(&mut self, id: ContainerId, succeeded: bool, host: &mut Host<'_, '_>) {
        let pod = self.pod.clone();
        let Activity::Sync(run) = &mut self.activity else {
            return;
        };
        let Step::PostStart(idx, waiting) = run.step else {
            return;
        };
        if waiting != id {
            return;
        }
        run.step = Step::Next;
        let Some((role, container)) = containers_of(&pod).nth(idx) else {
            return;
        };
        if succeeded {
            return;
        }
        fail(run, role);
        events::of_container(
            &pod,
            &container.name,
            EventType::Warning,
            "FailedPostStartHook",
            "PostStartHook failed",
            host,
        );
        let victim = self.victim(
            id,
            idx,
            None,
            KillReason::Other,
            Some("FailedPostStartHook".into()),
            host,
        );
        let kill = Kill::begin(&pod, victim.into_iter().collect(), false, host);
        if let Activity::Sync(run) = &mut self.activity {
            run.kill = Some(kill);
        }
        self.set_waiting(idx, "PostStartHookError", "PostStartHook failed".into());
    }
    /// Every running container, to be killed with the pod's grace, or with each one's own.
    pub(super) fn all_victims(&self, asked: Option<i64>, host: &Host<'_, '_>) -> Vec<Victim> {
        let Some(held) = host.machine.pod(self.uid()) else {
            return Vec::new();
        };
        let running: Vec<(ContainerId, usize)> = containers_of(&self.pod)
            .enumerate()
            .filter_map(|(idx, (_, container))| {
                Some((held.latest(&container.name).filter(|one| one.is_running())?.id, idx))
            })
            .collect();
        running
            .into_iter()
            .filter_map(|(id, idx)| {
                let name = &containers_of(&self.pod).nth(idx)?.1.name;
                self.victim(
                    id,
                    idx,
                    asked,
                    KillReason::Other,
                    Some(format!("Stopping container {name}")),
                    host,
                )
            })
            .collect()
    }

    fn victim(
        &self,
        id: ContainerId,
        idx: usize,
        asked: Option<i64>,
        reason: KillReason,
        message: Option<String>,
        host: &Host<'_, '_>,
    ) -> Option<Victim> {
        let (role, container) = containers_of(&self.pod).nth(idx)?;
        let process = host
            .machine
            .pod(self.uid())?
            .container(id)
            .filter(|process| process.is_running())?;
        let has_hook = container
            .lifecycle
            .as_ref()
            .is_some_and(|lifecycle| lifecycle.pre_stop.is_some());
        let base = grace::of_container(&self.pod, Some(container), reason);
        Some(Victim {
            container: id,
            name: container.name.clone(),
            role,
            init_idx: idx,
            left: Remaining::new(asked, base, host.ctx.switches),
            message,
            hook: has_hook.then_some(process.behavior.pre_stop),
        })
    }
    /// Back-off and image of the next container.
    fn prepare(&mut self, pod: &Arc<Pod>, start: Start, run: &mut SyncRun, host: &mut Host<'_, '_>) {
        let Some((role, container)) = containers_of(pod).nth(start.idx) else {
            return;
        };
        let now = host.ctx.now;
        let Some(memory) = self.memory.get_mut(start.idx) else {
            return;
        };
        if let Some(finished) = start.exited_at
            && let Err(delay) = backoff::restart(&mut memory.restarts, finished, now)
        {
            fail(run, role);
            let whom = format!("{}_{}({})", pod.metadata.name, pod.metadata.namespace, pod.metadata.uid);
            let event = format!("Back-off restarting failed container {} in pod {whom}", container.name);
            events::of_container(pod, &container.name, EventType::Warning, "BackOff", event, host);
            let delay = backoff::print_delay(delay);
            let message = format!(
                "back-off {delay} restarting failed container={} pod={whom}",
                container.name
            );
            self.set_waiting(start.idx, "CrashLoopBackOff", message);
            return;
        }
        let image = &container.image;
        let is_present = host.machine.has_image(image);
        let policy = container.image_pull_policy.clone().unwrap_or(PullPolicy::IfNotPresent);
        if image.is_empty()
            || image.contains(' ')
            || image.chars().any(|c| c.is_ascii_uppercase() && !image.contains(':'))
        {
            fail(run, role);
            let message = format!(
                "Failed to apply default image tag \"{image}\": couldn't parse image name \"{image}\": invalid reference format"
            );
            events::of_container(
                pod,
                &container.name,
                EventType::Warning,
                "InspectFailed",
                message.clone(),
                host,
            );
            self.refuse(pod, start.idx, container, "InvalidImageName", message, host);
            return;
        }
        match policy {
            PullPolicy::Never if !is_present => {
                fail(run, role);
                let message = format!("Container image \"{image}\" is not present with pull policy of Never");
                events::of_container(
                    pod,
                    &container.name,
                    EventType::Warning,
                    "ErrImageNeverPull",
                    message.clone(),
                    host,
                );
                self.refuse(pod, start.idx, container, "ErrImageNeverPull", message, host);
            }
            PullPolicy::Always => self.pull(pod, start, container, role, run, host),
            _ if is_present => {
                let message = format!("Container image \"{image}\" already present on machine");
                events::of_container(pod, &container.name, EventType::Normal, "Pulled", message, host);
                run.step = Step::Create(start);
            }
            _ => self.pull(pod, start, container, role, run, host),
        }
    }
    fn pull(
        &mut self,
        pod: &Arc<Pod>,
        start: Start,
        container: &Container,
        role: Role,
        run: &mut SyncRun,
        host: &mut Host<'_, '_>,
    ) {
        let image = &container.image;
        let entry = self.memory.get(start.idx).and_then(|memory| memory.pulls);
        if backoff::is_pull_blocked(&entry, host.ctx.now) {
            fail(run, role);
            let event = format!("Back-off pulling image \"{image}\"");
            let message = format!("{event}: ErrImagePull: {}", pull_error(image));
            events::of_container(pod, &container.name, EventType::Normal, "BackOff", event, host);
            self.refuse(pod, start.idx, container, "ImagePullBackOff", message, host);
            return;
        }
        events::of_container(
            pod,
            &container.name,
            EventType::Normal,
            "Pulling",
            format!("Pulling image \"{image}\""),
            host,
        );
        let outcome = behavior_of(pod, container, role).pull;
        let id = host.machine.pull(pod, image, outcome, host.ctx);
        host.shared.pulls.insert(id, pod.metadata.uid.clone());
        run.step = Step::Pull(start, id);
    }
    /// Creates and starts a container whose image is there.
    fn create(&mut self, pod: &Arc<Pod>, start: Start, run: &mut SyncRun, host: &mut Host<'_, '_>) {
        run.step = Step::Next;
        let Some((role, container)) = containers_of(pod).nth(start.idx) else {
            return;
        };
        if let Err(message) = config::check(pod, container, host.cache) {
            fail(run, role);
            self.fail_to_create(pod, start.idx, container, message, host);
            return;
        }
        let attempt = self.next_attempt(container, host);
        events::of_container(
            pod,
            &container.name,
            EventType::Normal,
            "Created",
            format!("Created container: {}", container.name),
            host,
        );
        let id = host.machine.start_container(pod, container, role, attempt, host.ctx);
        events::of_container(
            pod,
            &container.name,
            EventType::Normal,
            "Started",
            format!("Started container {}", container.name),
            host,
        );
        if let Some(memory) = self.memory.get_mut(start.idx) {
            memory.waiting = None;
        }
        self.changed_machine();
        if container
            .lifecycle
            .as_ref()
            .is_some_and(|lifecycle| lifecycle.post_start.is_some())
        {
            let outcome = behavior_of(pod, container, role).post_start;
            host.machine
                .start_hook(&pod.metadata.uid, id, HookKind::PostStart, outcome, host.ctx);
            run.step = Step::PostStart(start.idx, id);
            if outcome == Outcome::Hangs {
                // Nothing will come until the container ends (LC-081).
            }
        }
    }
    /// LC-097.
    fn next_attempt(&self, container: &Container, host: &Host<'_, '_>) -> i32 {
        if let Some(latest) = host
            .machine
            .pod(self.uid())
            .and_then(|held| held.latest(&container.name))
        {
            return latest.attempt + 1;
        }
        let status = self.status();
        let mut known = status.init_container_statuses.iter().chain(&status.container_statuses);
        known.find(|one| one.name == container.name).map_or(0, |one| {
            let ran = one.state.terminated.is_some() || one.state.running.is_some();
            one.restart_count + i32::from(ran)
        })
    }
    fn set_waiting(&mut self, idx: usize, reason: &str, message: String) {
        if let Some(memory) = self.memory.get_mut(idx) {
            memory.waiting = Some(Box::new(ContainerStateWaiting {
                reason: reason.into(),
                message: message.into(),
            }));
        }
    }
    /// A start that failed for its image: `Error: REASON`, and why the container waits.
    fn refuse(
        &mut self,
        pod: &Pod,
        idx: usize,
        container: &Container,
        reason: &str,
        message: String,
        host: &mut Host<'_, '_>,
    ) {
        events::of_container(
            pod,
            &container.name,
            EventType::Warning,
            "Failed",
            format!("Error: {reason}"),
            host,
        );
        self.set_waiting(idx, reason, message);
    }
    fn fail_to_create(
        &mut self,
        pod: &Pod,
        idx: usize,
        container: &Container,
        message: String,
        host: &mut Host<'_, '_>,
    ) {
        events::of_container(
            pod,
            &container.name,
            EventType::Warning,
            "Failed",
            format!("Error: {message}"),
            host,
        );
        self.set_waiting(idx, "CreateContainerConfigError", message);
    }

    /// What has to be done (LC-071 to LC-080, LC-125).
    fn plan(&self, host: &Host<'_, '_>) -> Plan {
        let pod = &*self.pod;
        let held = host.machine.pod(&pod.metadata.uid);
        let latest = |name: &str| held.and_then(|held| held.latest(name));
        let never = pod.spec.restart_policy == Some(RestartPolicy::Never);
        let on_failure = pod.spec.restart_policy == Some(RestartPolicy::OnFailure);
        let n_init = pod.spec.init_containers.len();
        let mut plan = Plan::default();
        if !held.is_some_and(|held| held.has_sandbox()) {
            plan.kill_pod = true;
            let ran_before = held.is_some_and(|held| held.sandbox.is_some() && !held.containers.is_empty());
            if never && ran_before {
                return plan;
            }
            let has_succeeded = |container: &Container| {
                let exit = latest(&container.name).and_then(|one| one.exit.as_ref());
                exit.is_some_and(|exit| exit.code == 0)
            };
            let apps: Vec<usize> = (0..pod.spec.containers.len())
                .filter(|idx| !(on_failure && has_succeeded(&pod.spec.containers[*idx])))
                .map(|idx| n_init + idx)
                .collect();
            let inits_done = pod.spec.init_containers.last().is_none_or(has_succeeded);
            if apps.is_empty() && inits_done {
                return plan;
            }
            plan.new_sandbox = true;
            plan.start = if n_init > 0 { vec![0] } else { apps };
            return plan;
        }
        if !self.plan_init(&mut plan, host) {
            return plan;
        }
        let mut n_kept = 0;
        let mut app_starts = Vec::new();
        for (idx, container) in pod
            .spec
            .containers
            .iter()
            .enumerate()
            .map(|(idx, container)| (n_init + idx, container))
        {
            let Some(process) = latest(&container.name).filter(|process| process.is_running()) else {
                if should_start(pod, Role::App, latest(&container.name)) {
                    app_starts.push(idx);
                }
                continue;
            };
            let is_changed = process.image != container.image;
            let (text, reason) = if is_changed {
                (
                    format!("Container {} definition changed", container.name),
                    KillReason::Other,
                )
            } else if let Some((what, reason)) = self.condemned(idx, process.id) {
                (format!("Container {} failed {what} probe", container.name), reason)
            } else {
                n_kept += 1;
                continue;
            };
            let restarts = is_changed || !never;
            let message = if restarts {
                format!("{text}, will be restarted")
            } else {
                text
            };
            plan.kill.push((process.id, idx, message, reason));
            if restarts {
                app_starts.push(idx);
            }
        }
        if n_kept == 0 && app_starts.is_empty() {
            // LC-078: sidecars do not keep a pod alive.
            plan.kill_pod = true;
            plan.start.clear();
        }
        plan.start.extend(app_starts);
        for (idx, (role, container)) in containers_of(pod).enumerate() {
            if role == Role::Ephemeral && latest(&container.name).is_none() && !plan.kill_pod {
                plan.start.push(idx);
            }
        }
        plan
    }
    /// Init containers and sidecars (LC-072 to LC-079), looked at from the last to the first; true if app containers may be looked at.
    fn plan_init(&self, plan: &mut Plan, host: &Host<'_, '_>) -> bool {
        let pod = &*self.pod;
        let inits = &pod.spec.init_containers;
        let held = host.machine.pod(&pod.metadata.uid);
        let latest = |name: &str| held.and_then(|held| held.latest(name));
        let app_runs = |container: &Container| latest(&container.name).is_some_and(|process| process.is_running());
        let mut is_initialized = inits.is_empty() || pod.spec.containers.iter().any(app_runs);
        // Whether a later init container has been reached, so that this one was initialized before.
        let mut was_reached = is_initialized;
        let never = pod.spec.restart_policy == Some(RestartPolicy::Never);
        let mut starts = Vec::new();
        for (idx, container) in inits.iter().enumerate().rev() {
            let is_sidecar = container.is_sidecar();
            let Some(process) = latest(&container.name) else {
                if was_reached && is_sidecar {
                    starts.push(idx);
                }
                continue;
            };
            if was_reached && !is_sidecar {
                continue;
            }
            match (&process.exit, is_sidecar) {
                (None, false) => {}
                (None, true) => {
                    let condemned = self.condemned(idx, process.id);
                    let has_started =
                        self.probe_result(idx, super::probes::ProbeKind::Startup, Some(process.id)) != Some(false);
                    if let Some((what, reason)) = condemned {
                        plan.kill.push((
                            process.id,
                            idx,
                            format!("Init container {} failed {what} probe", container.name),
                            reason,
                        ));
                        starts.push(idx);
                    }
                    if has_started && !was_reached {
                        if idx + 1 < inits.len() {
                            starts.push(idx + 1);
                        } else {
                            is_initialized = true;
                        }
                    }
                }
                (Some(_), true) => starts.push(idx),
                (Some(exit), false) if exit.code != 0 => {
                    if never {
                        plan.kill_pod = true;
                        return false;
                    }
                    starts.push(idx);
                }
                (Some(_), false) if idx + 1 < inits.len() => starts.push(idx + 1),
                (Some(_), false) => is_initialized = true,
            }
            was_reached = true;
        }
        if !was_reached {
            starts.push(0);
        }
        starts.sort_unstable();
        starts.dedup();
        plan.start = starts;
        is_initialized
    }
    fn check_deadline(&mut self, host: &Host<'_, '_>) {
        if self.verdict.is_none() && self.deadline(host).is_some_and(|deadline| deadline <= host.ctx.now) {
            self.verdict = Some(Box::new(super::conditions::Verdict {
                reason: "DeadlineExceeded".into(),
                message: "Pod was active on the node longer than the specified deadline".into(),
                disruption: None,
            }));
        }
    }
    /// When activeDeadlineSeconds are over (LC-219).
    pub(super) fn deadline(&self, host: &Host<'_, '_>) -> Option<SimTime> {
        let seconds = self.pod.spec.active_deadline_seconds?;
        let start = self.status().start_time?;
        (self.stage == Stage::Syncing).then(|| host.ctx.sim_time(start) + Span::seconds(seconds))
    }
}

/// A container could not be started: a plain init container keeps the rest from being tried.
fn fail(run: &mut SyncRun, role: Role) {
    run.has_failed = true;
    if role == Role::Init {
        run.starts.clear();
    }
}

fn pull_error(image: &str) -> String {
    format!("rpc error: code = NotFound desc = failed to pull and unpack image \"{image}\": not found")
}
