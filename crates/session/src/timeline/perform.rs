//! Commands: given at the cursor, put into the schedule, performed on the world.

use podscope_api::{NodeName, Pod};
use podscope_cluster::Answer;
use podscope_cluster::client::ClientCommand;
use podscope_cluster::fault::Fault;
use podscope_cluster::{Given, Happening, OutputKind, OutputLine, SimTime, Sink as _, Span, World};

use super::branch::Entry;
use super::log::{Log, Nothing};
use super::{MAX_COMMANDS, MAX_RUNNING, Records, Session};
use crate::scenario::Timed;
use podscope_kubectl::command::{Command, Kubectl};
use podscope_kubectl::rest::ApiCall;
use podscope_kubectl::{Printed, Reach, View, unreachable};
use podscope_protocol::Limit;

/// Exit status of a command that was interrupted, as a shell tells it: 128 + SIGINT.
const INTERRUPTED: u8 = 130;

/// A program's request on its way.
#[derive(Debug, Clone)]
pub struct Called {
    /// The number that its answers come with.
    pub client: u32,
    /// What the API server warns of, whatever it answers.
    pub warnings: Vec<String>,
}

impl Session {
    /// Gives a command at the cursor. In the past this starts a branch. The command has acted when this returns.
    ///
    /// # Errors
    /// A limit is reached.
    pub fn command(&mut self, command: Command) -> Result<(), Limit> {
        if self.branch().schedule.iter().filter(|entry| entry.is_users).count() >= MAX_COMMANDS {
            return Err(Limit::Commands(MAX_COMMANDS));
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
            .iter()
            .position(|entry| entry.timed.at > at)
            .unwrap_or(branch.schedule.len())
            .max(self.progress.next_command);
        if branch.label.is_empty() {
            branch.label = command.to_string().lines().next().unwrap_or_default().to_owned();
        }
        branch.schedule.insert(
            index,
            Entry {
                timed: Timed { at, command },
                is_users: true,
            },
        );
        while self.progress.next_command <= index {
            if !self.advance_one(at) {
                break;
            }
        }
        Ok(())
    }

    /// Sends a program's request to the API server at the cursor. [`Session::take_answers`] has its answers once they
    /// have come.
    ///
    /// # Errors
    /// A limit is reached.
    pub fn call(&mut self, call: ApiCall) -> Result<Called, Limit> {
        self.answer_to = None;
        self.command(Command::Api(call))?;
        Ok(self.answer_to.take().expect("a call has been performed at once"))
    }

    /// What programs' requests were answered since this was asked last: the number of the call, and an answer for each
    /// request that it came to.
    pub fn take_answers(&mut self) -> Vec<(u32, Vec<Answer>)> {
        std::mem::take(&mut self.branches[self.current].answers)
    }

    /// Puts the user's commands of a link into a session at t = 0.
    pub fn schedule(&mut self, commands: Vec<Timed>) {
        let next = self.progress.next_command;
        self.branches[self.current].schedule(commands, next);
    }

    /// Runs a command on the world at the cursor, and records it.
    pub(super) fn perform(&mut self, command: &Command) {
        let text = command.to_string();
        let number = self.progress.next_command as u32;
        if let Command::Kubectl(kubectl) = command {
            let followed = self.viewing(|view| podscope_kubectl::followed(kubectl, view));
            if let Some(printed) = self.answer(kubectl) {
                let branch = &mut self.branches[self.current];
                let mut log = Log {
                    branch,
                    progress: &mut self.progress,
                };
                self.world.record_command(Given { text: &text, number }, None, &mut log);
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
        let given = Given { text: &text, number };
        match command {
            Command::Kubectl(kubectl) => start(&mut self.world, kubectl, given, &mut log),
            Command::Fault(fault) => inject(&mut self.world, fault, given, &mut log),
            Command::Api(call) => self.answer_to = call_api(&mut self.world, call, given, &mut log),
            Command::Stop { all } => stop(&mut self.world, *all, given, &mut log),
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

    /// What a person who gives a command that only reads is told now: its answer, or, while the control plane cannot
    /// give one, why; none if it is a command that writes.
    pub fn ask(&self, command: &Kubectl) -> Option<Printed> {
        // What goes on being printed is a command to the world.
        match self
            .viewing(|view| podscope_kubectl::followed(command, view))
            .is_empty()
        {
            true => self.answer(command),
            false => None,
        }
    }

    fn answer(&self, command: &Kubectl) -> Option<Printed> {
        let reach = match self.world.control_plane() {
            (false, _) => Reach::Nothing,
            (true, false) => Reach::Server,
            (true, true) => Reach::Store,
        };
        let printed = self.read(command)?;
        Some(unreachable(command, reach).unwrap_or(printed))
    }

    /// Answers a command that only reads, whatever the control plane can do; none if it is one that writes.
    pub fn read(&self, command: &Kubectl) -> Option<Printed> {
        self.viewing(|view| podscope_kubectl::read(command, view))
    }

    /// What a pod's container uses now, if it runs: cpu in thousandths, memory in bytes.
    pub fn usage(&self, pod: &Pod, container: &str) -> Option<(i64, i64)> {
        container_usage(&self.world, pod, container)
    }

    /// What somebody makes of the objects as they are now.
    fn viewing<R>(&self, how: impl FnOnce(&View<'_>) -> R) -> R {
        let trace = self.trace();
        let logs = |pod: &Pod, container: &str, previous: bool| container_log(trace.clone(), pod, container, previous);
        let usage = |pod: &Pod, container: &str| container_usage(&self.world, pod, container);
        let start = self.world.start();
        let renewed = |node: &NodeName| {
            let at = self.world.heartbeats().last_renewal(node, self.world.now())?;
            Some(podscope_api::Time(start.0 + at.0))
        };
        how(&View {
            objects: self.world.objects(),
            now: podscope_api::Time(start.0 + self.world.now().0),
            start,
            logs: &logs,
            usage: &usage,
            renewed: &renewed,
        })
    }
}

/// The life events of a container, for `logs` (K-02): what a scripted container has to tell.
fn container_log(trace: Records<'_>, pod: &Pod, container: &str, previous: bool) -> Vec<(SimTime, String)> {
    let mut lives: Vec<Vec<(SimTime, String)>> = Vec::new();
    for record in trace {
        let mine = record.container.as_deref() == Some(container)
            && record
                .object
                .as_ref()
                .is_some_and(|subject| subject.uid == pod.metadata.uid);
        if !mine {
            continue;
        }
        let Some(text) = told(&record.happening) else {
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

/// What a container's log says of what happened to it.
pub(super) fn told(happening: &Happening) -> Option<String> {
    Some(match happening {
        Happening::ContainerStarted { .. } => "process started".to_owned(),
        Happening::SignalSent { signal } => format!("received {signal}"),
        Happening::HookStarted { hook } => format!("{} hook started", hook.as_str()),
        Happening::HookFinished { hook, .. } => format!("{} hook finished", hook.as_str()),
        Happening::ContainerExited { exit_code, .. } => format!("exiting with code {exit_code}"),
        Happening::ProbeFailed { probe } => format!("{} probe failed", probe.as_str()),
        _ => return None,
    })
}

/// What a container uses now, if it runs, as its behaviour says: cpu in thousandths, memory in bytes.
fn container_usage(world: &World, pod: &Pod, container: &str) -> Option<(i64, i64)> {
    let machine = world.machine(pod.spec.node_name.as_ref()?)?;
    let process = machine.pod(&pod.metadata.uid)?.latest(container)?;
    let now = world.now();
    process.is_running().then(|| (process.cpu(now), process.memory(now)))
}

/// Sends what a program asks of the API server; the number of the client that waits for the answer.
fn call_api(world: &mut World, call: &ApiCall, given: Given<'_>, log: &mut Log<'_>) -> Option<Called> {
    let sent = podscope_kubectl::rest::sent(call, world.objects());
    world.record_command(given, None, log);
    Some(Called {
        client: world.start_client(ClientCommand::Api(sent.requests), log),
        warnings: sent.warnings,
    })
}

/// Begins a command that writes, or says why it cannot be.
fn start(world: &mut World, kubectl: &Kubectl, given: Given<'_>, log: &mut Log<'_>) {
    let now = podscope_api::Time(world.start().0 + world.now().0);
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
        log.complain(at, given.number, message);
    }
    match plan.client {
        Some(_) if world.clients() + log.progress.followed.len() >= MAX_RUNNING => {
            let message =
                format!("error: {MAX_RUNNING} commands are running: `stop` ends the last one, `stop --all` all");
            log.complain(at, given.number, message);
        }
        Some(client) => drop(world.start_client(client, log)),
        None => {}
    }
}

fn inject(world: &mut World, fault: &Fault, given: Given<'_>, log: &mut Log<'_>) {
    // The record of the command comes before those of its effects.
    let mut probe = world.clone();
    match probe.apply_fault(fault, &mut Nothing) {
        Ok(()) => {
            world.record_command(given, None, log);
            world
                .apply_fault(fault, log)
                .expect("a clone of this world has just taken it");
        }
        Err(message) => {
            world.record_command(given, Some(&message), log);
            log.complain(world.now(), given.number, format!("error: {message}"));
        }
    }
}

/// Stops the command that runs since last, or all.
fn stop(world: &mut World, all: bool, given: Given<'_>, log: &mut Log<'_>) {
    let mut running = world.running_clients();
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
        return log.complain(at, given.number, message.to_owned());
    }
    world.record_command(given, None, log);
    for client in stopped {
        world.stop_client(*client);
        log.progress.followed.retain(|(command, _)| command != client);
        log.output(OutputLine {
            at,
            command: *client,
            kind: OutputKind::Error,
            text: "^C".to_owned(),
        });
        log.finished(*client, at, INTERRUPTED);
    }
}
