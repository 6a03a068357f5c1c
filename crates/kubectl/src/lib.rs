//! The command language (`kubectl …`, `fault …`, `app …`), with the output of kubectl 1.36 (K-02, KC facts).
//! [`command`] parses a line into its canonical words and their meaning. A command that only reads is executed here on
//! a snapshot of the API objects ([`read`]). A command that writes becomes a client of the simulated world ([`plan`]).
//! This crate knows nothing of sessions, pages or JavaScript.
//!
//! ```
//! use podscope_kubectl::command::{self, Command};
//!
//! let command = command::parse("kubectl drain a-1 --ignore-daemonsets").expect("a command");
//! assert!(matches!(command, Command::Kubectl { .. }));
//! assert_eq!(command.to_string(), "kubectl drain a-1 --ignore-daemonsets");
//! ```

mod columns;
pub mod command;
mod danger;
mod describe;
mod diff;
pub mod duration;
mod event_watch;
mod events_and_metadata;
mod explain;
mod get;
mod gotemplate;
mod gotext;
mod history;
mod jsonpath;
mod kyaml;
mod logs;
mod merge;
mod output;
mod pod_status;
mod query;
mod refusals;
pub mod rest;
mod rollout;
mod scale;
mod selectable_fields;
mod selector;
mod sort_by;
mod text;
mod top;
mod unreachable;
mod watch;
mod work;
mod write;

use podscope_api::{Kind, NodeName, Time};
use podscope_cluster::client::ClientCommand;
use podscope_cluster::{Objects, OutputKind, OutputLine, SimTime};

pub use columns::{Column, PrinterColumn, cells, event_times_and_count, node_status};
pub use explain::field_description;
pub use get::{count_selected, list_value, printed_value, selected};
pub use jsonpath::{Path, Template};
pub use merge::patched;
pub use pod_status::{PodRow, pod_row};
pub use query::{USER, component_health};
pub use scale::{has_scale, scale_of};
pub use selector::{FieldQuery, LabelQuery};
pub use unreachable::{ControlPlaneReach, unreachable_error};
pub use work::{MAX_WORK, TooMuchWork, WorkCounter};
pub use write::{Plan, plan};

use crate::command::{Kubectl, Target, Watch};

/// Function that returns the log lines of a pod's container. The arguments are the pod, the name of the container, and
/// whether the log of the previous instance of the container is requested.
pub type Logs<'a> = dyn Fn(&podscope_api::Pod, &str, bool) -> Vec<(SimTime, String)> + 'a;

/// CPU usage in millicores, and memory usage in bytes.
pub type MillicoresAndBytes = (i64, i64);

/// Function that returns the resource usage of a pod's container.
pub type Usage<'a> = dyn Fn(&podscope_api::Pod, &str) -> Option<MillicoresAndBytes> + 'a;

/// Function that returns the time of a node's last lease renewal that the API server has stored.
pub type LeaseRenewals<'a> = dyn Fn(&NodeName) -> Option<Time> + 'a;

/// The data that is available to commands that only read.
pub struct View<'a> {
    /// The objects that the API server stores.
    pub objects: &'a Objects,
    /// Current wall-clock time.
    pub now: Time,
    /// Wall-clock time at t = 0.
    pub start: Time,
    /// Log lines of a container with their times, oldest first (`logs`).
    pub logs: &'a Logs<'a>,
    /// Current usage of a container: CPU in millicores, memory in bytes (`top`); `None` if it is not running.
    pub usage: &'a Usage<'a>,
    /// Last lease renewal of a node (`describe node`).
    pub renewed: &'a LeaseRenewals<'a>,
}

/// Output of a command that only reads.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Printed {
    /// Lines in order, each marked as output, warning or error.
    pub lines: Vec<(OutputKind, String)>,
    /// Exit status.
    pub status: u8,
}

impl Printed {
    /// Returns the output of a command that fails immediately.
    #[must_use]
    pub fn refused(why: impl Into<String>) -> Printed {
        let mut printed = Printed::default();
        printed.fail(why);
        printed
    }

    /// Prints to standard output.
    pub(crate) fn out(&mut self, text: impl Into<String>) {
        self.lines.push((OutputKind::Output, text.into()));
    }

    /// Prints to standard error.
    pub(crate) fn err(&mut self, text: impl Into<String>) {
        self.lines.push((OutputKind::Error, text.into()));
    }

    /// Prints kubectl's message about an empty list, which is no error.
    pub(crate) fn print_no_objects(&mut self, text: impl Into<String>) {
        self.lines.push((OutputKind::Remark, text.into()));
    }

    /// Prints a warning with kubectl's prefix; the command continues.
    pub(crate) fn warn(&mut self, text: impl std::fmt::Display) {
        self.lines.push((OutputKind::Warning, format!("Warning: {text}")));
    }

    /// Prints an error and sets the exit status to 1.
    pub(crate) fn fail(&mut self, text: impl Into<String>) {
        self.err(text);
        self.status = 1;
    }

    /// Returns the text of standard output: the lines that are neither warnings nor errors.
    pub fn stdout(&self) -> String {
        let mut text = String::new();
        for (_, line) in self.lines.iter().filter(|(kind, _)| !kind.is_stderr()) {
            text.push_str(line);
            text.push('\n');
        }
        text
    }

    /// Returns the lines as console output of command number `command`, printed at time `at`.
    pub fn output_lines(&self, at: SimTime, command: u32) -> Vec<OutputLine> {
        self.lines
            .iter()
            .map(|(kind, text)| OutputLine {
                at,
                command,
                kind: *kind,
                text: text.clone(),
            })
            .collect()
    }
}

/// Runs a command that only reads; `None` if the command writes.
pub fn read(command: &Kubectl, view: &View<'_>) -> Option<Printed> {
    let mut printed = Printed::default();
    let target = match command {
        Kubectl::Get(get) if get.watch == Watch::No => Some(&get.target),
        Kubectl::Describe(describe) => Some(&describe.target),
        _ => None,
    };
    for kind in target.map(Target::kinds).unwrap_or_default() {
        if let Some(warning) = deprecation_warning(kind, view.objects) {
            printed.warn(warning);
        }
    }
    match command {
        Kubectl::Get(get) if get.watch == Watch::No => get::get(get, view, &mut printed),
        Kubectl::Describe(describe) => describe::describe(describe, view, &mut printed),
        Kubectl::Events(events) if !events.watch => events_and_metadata::events(events, view, &mut printed),
        Kubectl::Explain { kind, path, recursive } => {
            explain::explain(*kind, path, *recursive, view.objects, &mut printed)
        }
        Kubectl::Top(top) => top::top(top, view, &mut printed),
        Kubectl::Logs(logs) => logs::logs(logs, view, &mut printed),
        Kubectl::Rollout {
            action: crate::command::RolloutAction::History { revision },
            target,
            output,
        } => history::print_rollout_history(target, *revision, output, view, &mut printed),
        Kubectl::Label(mark) | Kubectl::Annotate(mark) if mark.list => {
            events_and_metadata::print_metadata_list(mark, matches!(command, Kubectl::Label(_)), view, &mut printed);
        }
        Kubectl::Verbatim(verbatim) if query::execute_query(verbatim, view, &mut printed) => {}
        _ => return client_dry_run(command, view),
    }
    Some(printed)
}

/// Returns the deprecation warning of a kind or version; `None` if it is not deprecated.
fn deprecation_warning(kind: Kind, objects: &Objects) -> Option<String> {
    match kind {
        Kind::Endpoints => Some(podscope_api::DEPRECATED_ENDPOINTS.to_owned()),
        Kind::Custom(_) => objects
            .with_version(kind, |version| version.deprecation_warning())
            .flatten(),
        _ => None,
    }
}

/// Returns the output of a command that sends no request (`--dry-run=client`, `--local`); `None` if the command sends
/// one.
fn client_dry_run(command: &Kubectl, view: &View<'_>) -> Option<Printed> {
    if !command.dry_run().is_client_side() {
        return None;
    }
    let plan = plan(command, view.objects, view.now);
    let mut printed = Printed {
        lines: plan.lines,
        status: 0,
    };
    match plan.client {
        Some(ClientCommand::Write(writes)) if writes.iter().all(|write| write.request.is_none()) => {
            let with_message = writes.into_iter().filter(|write| !write.success.is_empty());
            with_message.for_each(|write| write.success.split('\n').for_each(|line| printed.out(line)));
        }
        Some(_) => return None,
        None => {}
    }
    if let Some(message) = plan.refused {
        printed.fail(message);
    }
    Some(printed)
}

/// A container whose log `logs -f` follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FollowedContainer {
    /// UID of the container's pod.
    pub uid: podscope_api::Uid,
    /// Name of the container.
    pub container: String,
    /// Text printed before each line (`--prefix`); empty without that flag.
    pub prefix: String,
    /// Wall-clock time at t = 0, if each line begins with its timestamp (`--timestamps`).
    pub start: Option<Time>,
}

impl FollowedContainer {
    /// Adds the prefix and the timestamp to a line.
    #[must_use]
    pub fn with_prefix_and_timestamp(&self, at: SimTime, text: &str) -> String {
        let time = self
            .start
            .map(|start| podscope_api::print_rfc3339(start.0 + at.0, 6) + " ");
        format!("{}{}{text}", self.prefix, time.unwrap_or_default())
    }
}

/// Returns the containers whose future log lines are printed as well (`logs -f`).
pub fn followed_containers(command: &Kubectl, view: &View<'_>) -> Vec<FollowedContainer> {
    match command {
        Kubectl::Logs(logs) if logs.follow => logs::followed_containers(logs, view),
        _ => Vec::new(),
    }
}
