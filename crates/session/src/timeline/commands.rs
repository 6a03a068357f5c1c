//! Performs commands: inserts them into the schedule at the cursor and applies them to the simulated world.

use std::borrow::Cow;

use podscope_api::{NodeName, Pod};
use podscope_cluster::Answer;
use podscope_cluster::client::ClientCommand;
use podscope_cluster::fault::Fault;
use podscope_cluster::{GivenCommand, Happening, OutputKind, OutputLine, SimTime, Sink as _, Span, World};

use super::branch::ScheduledCommand;
use super::log::{Log, NullSink};
use super::{MAX_RUNNING_COMMANDS, Records, Session};
use crate::scenario::Timed;
use podscope_kubectl::command::{Command, CommandError, Kubectl};
use podscope_kubectl::rest::ApiCall;
use podscope_kubectl::{ControlPlaneReach, Printed, View, unreachable_error};
use podscope_protocol::SessionLimit;

/// Exit status of an interrupted command, as in a shell: 128 + SIGINT.
const INTERRUPTED_EXIT_STATUS: u8 = 130;

/// An API call that has been sent to the simulation.
#[derive(Debug, Clone)]
pub struct SentCall {
    /// Number of the client that receives the answers.
    pub client: u32,
    /// Warnings of the API server. They are known before the call is answered.
    pub warnings: Vec<String>,
}

impl Session {
    /// Performs a command at the cursor and inserts it into the schedule. If the cursor is before the horizon, a new
    /// branch is forked first.
    ///
    /// # Errors
    /// A limit is reached.
    pub fn command(&mut self, command: Command) -> Result<(), SessionLimit> {
        if self.command_count() >= self.commands_max {
            return Err(SessionLimit::Commands(self.commands_max));
        }
        let at = if self.progress.before_events {
            self.world.now()
        } else {
            self.world.now() + Span(1)
        };
        if self.world.now() < self.horizon() || self.progress.recorded < self.branch().trace.len() {
            self.fork()?;
        }
        let branch = &mut self.branches[self.current];
        let index = branch
            .schedule
            .partition_point(|entry| entry.timed.at <= at)
            .max(self.progress.next_command);
        if branch.label.is_empty() {
            branch.label = command.to_string().lines().next().unwrap_or_default().to_owned();
        }
        branch.schedule.insert(
            index,
            ScheduledCommand {
                timed: Timed { at, command },
                is_from_user: true,
            },
        );
        while self.progress.next_command <= index {
            if !self.advance_one(at) {
                break;
            }
        }
        Ok(())
    }

    /// Sends an API call at the cursor. [`Session::take_answers`] returns its answers once they have arrived.
    ///
    /// # Errors
    /// A limit is reached.
    pub fn call(&mut self, call: ApiCall) -> Result<SentCall, SessionLimit> {
        self.last_call = None;
        self.command(Command::Api(call))?;
        Ok(self
            .last_call
            .take()
            .expect("`command` performs the call before it returns"))
    }

    /// Returns and removes the answers that have arrived since the last call of this function: for each API call the
    /// number of its client, and one answer per request.
    pub fn take_answers(&mut self) -> Vec<(u32, Vec<Answer>)> {
        std::mem::take(&mut self.branches[self.current].answers)
    }

    /// Inserts the commands of a link into the schedule, in a session at t = 0.
    pub fn schedule(&mut self, commands: Vec<Timed>) {
        let next = self.progress.next_command;
        self.branches[self.current].schedule(commands, next);
    }

    /// Applies a command to the world at the cursor, and records it in the trace.
    pub(super) fn perform(&mut self, command: &Command) {
        let text = command.to_string();
        let number = self.progress.next_command as u32;
        let given = GivenCommand { text: &text, number };
        let command = match self.resolve_custom_kinds(command) {
            Ok(command) => command,
            Err(error) => return self.refuse(&error.message, given),
        };
        if let Command::Kubectl { action: kubectl, .. } = &*command {
            let followed = self.with_view(|view| podscope_kubectl::followed_containers(kubectl, view));
            if let Some(printed) = self.read_if_reachable(kubectl) {
                let branch = &mut self.branches[self.current];
                let mut log = Log {
                    branch,
                    progress: &mut self.progress,
                };
                self.world.record_command(given, None, &mut log);
                let at = self.world.now();
                for line in printed.output_lines(at, number) {
                    log.output(line);
                }
                if printed.status == 0 {
                    let followed = followed.into_iter().map(|one| (number, one));
                    log.progress.followed.extend(followed);
                }
                return;
            }
        }
        let branch = &mut self.branches[self.current];
        let mut log = Log {
            branch,
            progress: &mut self.progress,
        };
        match &*command {
            Command::Kubectl { action: kubectl, .. } => start_kubectl(&mut self.world, kubectl, given, &mut log),
            Command::Fault { fault, .. } => inject_fault(&mut self.world, fault, given, &mut log),
            Command::Api(call) => self.last_call = call_api(&mut self.world, call, given, &mut log),
            Command::Stop { all } => stop_commands(&mut self.world, *all, given, &mut log),
            Command::Help(topic) => {
                let at = self.world.now();
                for line in podscope_kubectl::command::help_text(topic).lines() {
                    log.output(OutputLine {
                        at,
                        command: number,
                        kind: OutputKind::Output,
                        text: line.to_owned(),
                    });
                }
            }
        }
    }

    /// Returns the command in which names of custom kinds are replaced by the kinds that the API server has at the
    /// cursor.
    ///
    /// # Errors
    /// The command mentions a resource type that does not exist.
    pub fn resolve_custom_kinds<'c>(&self, command: &'c Command) -> Result<Cow<'c, Command>, CommandError> {
        let Command::Kubectl { action, words } = command else {
            return Ok(Cow::Borrowed(command));
        };
        Ok(match action.resolved_in(self.world.objects())? {
            Cow::Borrowed(_) => Cow::Borrowed(command),
            Cow::Owned(action) => Cow::Owned(Command::Kubectl {
                action,
                words: words.clone(),
            }),
        })
    }

    /// Records a command that fails before it sends a request, and prints the error.
    fn refuse(&mut self, why: &str, given: GivenCommand<'_>) {
        let branch = &mut self.branches[self.current];
        let mut log = Log {
            branch,
            progress: &mut self.progress,
        };
        self.world.record_command(given, Some(why), &mut log);
        log.print_error(self.world.now(), given.number, why.to_owned());
    }

    /// Returns the output of a command that only reads, or an error message while the control plane is unreachable.
    /// None if the command writes or follows logs.
    pub fn immediate_output(&self, command: &Kubectl) -> Option<Printed> {
        let command = match command.resolved_in(self.world.objects()) {
            Ok(command) => command,
            Err(error) => return Some(Printed::refused(error.message)),
        };
        // A command that follows logs must be applied to the world, because its output continues.
        match self
            .with_view(|view| podscope_kubectl::followed_containers(&command, view))
            .is_empty()
        {
            true => self.read_if_reachable(&command),
            false => None,
        }
    }

    fn read_if_reachable(&self, command: &Kubectl) -> Option<Printed> {
        let reach = match self.world.api_server_runs_and_reaches_etcd() {
            (false, _) => ControlPlaneReach::Nothing,
            (true, false) => ControlPlaneReach::ApiServer,
            (true, true) => ControlPlaneReach::ApiServerAndEtcd,
        };
        let printed = self.read(command)?;
        Some(unreachable_error(command, reach).unwrap_or(printed))
    }

    /// Returns the output of a command that only reads, even if the control plane is unreachable. None if the command
    /// writes.
    pub fn read(&self, command: &Kubectl) -> Option<Printed> {
        match command.resolved_in(self.world.objects()) {
            Ok(command) => self.with_view(|view| podscope_kubectl::read(&command, view)),
            Err(error) => Some(Printed::refused(error.message)),
        }
    }

    /// Returns the resource usage of a running container: CPU in millicores, memory in bytes. None if it is not
    /// running.
    pub fn usage(&self, pod: &Pod, container: &str) -> Option<(i64, i64)> {
        container_usage(&self.world, pod, container)
    }

    /// Calls `read` with a view of the objects, logs and resource usage at the cursor.
    fn with_view<R>(&self, read: impl FnOnce(&View<'_>) -> R) -> R {
        let trace = self.trace();
        let logs = |pod: &Pod, container: &str, previous: bool| container_log(trace.clone(), pod, container, previous);
        let usage = |pod: &Pod, container: &str| container_usage(&self.world, pod, container);
        let renewed = |node: &NodeName| {
            let at = self.world.heartbeats().last_renewal(node, self.world.now())?;
            Some(self.world.wall_at(at))
        };
        read(&View {
            objects: self.world.objects(),
            now: self.world.wall_time(),
            start: self.world.start_time(),
            logs: &logs,
            usage: &usage,
            renewed: &renewed,
        })
    }
}

/// Returns the log of a container (K-02): one line for each of its life-cycle events. If `previous` is set, it is the
/// log of the container before its last restart.
fn container_log(trace: Records<'_>, pod: &Pod, container: &str, previous: bool) -> Vec<(SimTime, String)> {
    let mut lives: Vec<Vec<(SimTime, String)>> = Vec::new();
    for record in trace {
        let is_of_container = record.container.as_deref() == Some(container)
            && record
                .object
                .as_ref()
                .is_some_and(|subject| subject.uid == pod.metadata.uid);
        if !is_of_container {
            continue;
        }
        let Some(text) = container_log_line(&record.happening) else {
            continue;
        };
        if matches!(record.happening, Happening::ContainerStarted { .. }) {
            lives.push(Vec::new());
        }
        match lives.last_mut() {
            Some(life) => life.push((record.at, text)),
            None => lives.push(vec![(record.at, text)]),
        }
    }
    let index = lives.len().checked_sub(if previous { 2 } else { 1 });
    index.and_then(|index| lives.get(index)).cloned().unwrap_or_default()
}

/// Returns the line in a container's log for an event. None if the log does not contain such events.
pub(super) fn container_log_line(happening: &Happening) -> Option<String> {
    Some(match happening {
        Happening::ContainerStarted { .. } => "process started".to_owned(),
        Happening::SignalSent { signal } => format!("received {signal}"),
        Happening::HookStarted { hook } => format!("{} hook started", hook.as_str()),
        Happening::HookFinished { hook, .. } => format!("{} hook finished", hook.as_str()),
        Happening::ContainerExited { exit_code, .. } => format!("exiting with code {exit_code}"),
        Happening::RequestsFailed { failed } => {
            let (count, from, service) = (failed.count, &failed.node, &failed.service);
            format!("answered {count} requests from {from} to {service} with an error")
        }
        Happening::ProbeFailed { probe } => format!("{} probe failed", probe.as_str()),
        _ => return None,
    })
}

/// Computes the resource usage of a running container from its scripted behavior and the client requests to it: CPU in
/// millicores, memory in bytes.
fn container_usage(world: &World, pod: &Pod, container: &str) -> Option<(i64, i64)> {
    let machine = world.machine(pod.spec.node_name.as_ref()?)?;
    let process = machine.pod(&pod.metadata.uid)?.latest(container)?;
    let now = world.now();
    let load = world.request_load().of(&pod.metadata.uid, &process.name);
    process
        .is_running()
        .then(|| (process.cpu(now, load), process.memory(now)))
}

/// Starts a client in the simulation that sends an API call. Returns the number of the client and the warnings.
fn call_api(world: &mut World, call: &ApiCall, given: GivenCommand<'_>, log: &mut Log<'_>) -> Option<SentCall> {
    let sent = podscope_kubectl::rest::translate(call, world.objects());
    world.record_command(given, None, log);
    Some(SentCall {
        client: world.start_client(ClientCommand::Api(sent.requests), log),
        warnings: sent.warnings,
    })
}

/// Starts a client in the simulation for a kubectl command that writes, or prints the reason why the command is
/// refused.
fn start_kubectl(world: &mut World, kubectl: &Kubectl, given: GivenCommand<'_>, log: &mut Log<'_>) {
    let now = world.wall_time();
    let plan = podscope_kubectl::plan(kubectl, world.objects(), now);
    world.record_command(given, plan.refused.as_deref(), log);
    let at = world.now();
    for (kind, line) in plan.lines {
        log.output(OutputLine {
            at,
            command: given.number,
            kind,
            text: line,
        });
    }
    if let Some(message) = plan.refused {
        log.print_error(at, given.number, message);
    }
    match plan.client {
        Some(_) if world.client_count() + log.progress.followed.len() >= MAX_RUNNING_COMMANDS => {
            let message = format!(
                "error: {MAX_RUNNING_COMMANDS} commands are running: `stop` ends the last one, `stop --all` all"
            );
            log.print_error(at, given.number, message);
        }
        Some(client) => drop(world.start_client(client, log)),
        None => {}
    }
}

fn inject_fault(world: &mut World, fault: &Fault, given: GivenCommand<'_>, log: &mut Log<'_>) {
    // The fault is tried on a clone of the world first, because its record must precede the records of its effects.
    let mut probe = world.clone();
    match probe.apply_fault(fault, &mut NullSink) {
        Ok(()) => {
            world.record_command(given, None, log);
            world
                .apply_fault(fault, log)
                .expect("a clone of this world has accepted the fault");
        }
        Err(message) => {
            world.record_command(given, Some(&message), log);
            log.print_error(world.now(), given.number, format!("error: {message}"));
        }
    }
}

/// Stops the latest running command, or all running commands.
fn stop_commands(world: &mut World, all: bool, given: GivenCommand<'_>, log: &mut Log<'_>) {
    let mut running: Vec<u32> = world.running_commands().collect();
    running.extend(log.progress.followed.iter().map(|(command, _)| *command));
    running.sort_unstable();
    running.dedup();
    let stopped = if all {
        running.as_slice()
    } else {
        running.get(running.len().saturating_sub(1)..).unwrap_or_default()
    };
    let at = world.now();
    if stopped.is_empty() {
        let message = "error: no command is running";
        world.record_command(given, Some(message), log);
        return log.print_error(at, given.number, message.to_owned());
    }
    world.record_command(given, None, log);
    for command in stopped {
        world.stop_command(*command);
        log.progress.followed.retain(|(following, _)| following != command);
        log.output(OutputLine {
            at,
            command: *command,
            kind: OutputKind::Error,
            text: "^C".to_owned(),
        });
        log.finished(*command, at, INTERRUPTED_EXIT_STATUS);
    }
}
