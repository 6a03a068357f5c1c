//! The command language, and kubectl's printing as kubectl 1.36 does it (K-02, KC facts). [`command`] reads a line into a
//! value and prints it back. What only reads is answered here from the API's objects at an instant ([`read`]); what
//! writes becomes a client of the simulated world ([`plan`]). Nothing here knows sessions, pages or JavaScript.
//!
//! ```
//! use podscope_kubectl::command::{self, Command};
//!
//! let command = command::parse("kubectl drain a-1 --ignore-daemonsets").expect("a command");
//! assert!(matches!(command, Command::Kubectl(_)));
//! assert_eq!(command.to_string(), "kubectl drain a-1 --ignore-daemonsets");
//! ```

mod columns;
pub mod command;
mod describe;
mod diff;
pub mod duration;
mod event_watch;
mod explain;
mod get;
mod gotemplate;
mod gotext;
mod history;
mod jsonpath;
mod kyaml;
mod logs;
mod merge;
mod others;
mod output;
mod pod_status;
mod query;
mod refusals;
pub mod rest;
mod rollout;
mod scale;
mod selectable;
mod selector;
mod text;
mod top;
mod unreachable;
mod watch;
mod work;
mod write;

use podscope_api::{Kind, NodeName, Time};
use podscope_cluster::client::ClientCommand;
use podscope_cluster::{Objects, OutputKind, OutputLine, SimTime};

pub use columns::{Column, cells, event_times, node_status};
pub use explain::explained;
pub use get::{count, list_value, shown};
pub use jsonpath::{Path, Template};
pub(crate) use merge::overridden;
pub use pod_status::{PodRow, pod_row};
pub use scale::{has_scale, scale_of};
pub use selector::{FieldQuery, LabelQuery};
pub use unreachable::{Reach, unreachable};
pub use work::{TooMuchWork, WORK, Work};
pub use write::{Plan, plan};

use crate::command::{Kubectl, Watch};

/// Life events of a pod's container; the flag asks for the previous one.
pub type Logs<'a> = dyn Fn(&podscope_api::Pod, &str, bool) -> Vec<(SimTime, String)> + 'a;

/// Use of a pod's container: cpu in thousandths, memory in bytes.
pub type Usage<'a> = dyn Fn(&podscope_api::Pod, &str) -> Option<(i64, i64)> + 'a;

/// When a node's lease was last renewed, as the API server has it.
pub type Renewed<'a> = dyn Fn(&NodeName) -> Option<Time> + 'a;

/// What a reading command sees.
pub struct View<'a> {
    /// The API's objects.
    pub objects: &'a Objects,
    /// Wall-clock time now.
    pub now: Time,
    /// Wall-clock time at t = 0.
    pub start: Time,
    /// Life events of a container, oldest first (`logs`): instant, text.
    pub logs: &'a Logs<'a>,
    /// Use of a pod's container now: cpu in thousandths, memory in bytes (`top`); none if it does not run.
    pub usage: &'a Usage<'a>,
    /// Last renewal of a node's lease (`describe node`).
    pub renewed: &'a Renewed<'a>,
}

/// What a command printed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Printed {
    /// Lines, and what they are.
    pub lines: Vec<(OutputKind, String)>,
    /// Exit status.
    pub status: u8,
}

impl Printed {
    pub(crate) fn out(&mut self, text: impl Into<String>) {
        self.lines.push((OutputKind::Output, text.into()));
    }

    pub(crate) fn err(&mut self, text: impl Into<String>) {
        self.lines.push((OutputKind::Error, text.into()));
    }

    /// Says what is odd, as kubectl marks it; the command goes on.
    pub(crate) fn warn(&mut self, text: impl std::fmt::Display) {
        self.lines.push((OutputKind::Warning, format!("Warning: {text}")));
    }

    pub(crate) fn fail(&mut self, text: impl Into<String>) {
        self.err(text);
        self.status = 1;
    }

    /// Lines of stdout.
    pub fn stdout(&self) -> String {
        let mut text = String::new();
        for (_, line) in self.lines.iter().filter(|(kind, _)| !kind.is_stderr()) {
            text.push_str(line);
            text.push('\n');
        }
        text
    }

    /// As the console shows them.
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

/// Runs a command that only reads; none if it is one that writes.
pub fn read(command: &Kubectl, view: &View<'_>) -> Option<Printed> {
    let mut printed = Printed::default();
    let target = match command {
        Kubectl::Get(get) if get.watch == Watch::No => Some(&get.target),
        Kubectl::Describe(what) => Some(&what.target),
        _ => None,
    };
    if target.is_some_and(|target| target.kinds().contains(&Kind::Endpoints)) {
        printed.warn(podscope_api::DEPRECATED_ENDPOINTS);
    }
    match command {
        Kubectl::Get(get) if get.watch == Watch::No => get::get(get, view, &mut printed),
        Kubectl::Describe(what) => describe::describe(what, view, &mut printed),
        Kubectl::Events(wanted) if !wanted.watch => others::events(wanted, view, &mut printed),
        Kubectl::Explain { kind, path, recursive } => explain::explain(*kind, path, *recursive, &mut printed),
        Kubectl::Top(top) => top::top(top, view, &mut printed),
        Kubectl::Logs(asked) => logs::logs(asked, view, &mut printed),
        Kubectl::Rollout {
            action: crate::command::RolloutAction::History { revision },
            target,
            output,
        } => history::history(target, *revision, output, view, &mut printed),
        Kubectl::Label(mark) | Kubectl::Annotate(mark) if mark.list => {
            others::list_marks(mark, matches!(command, Kubectl::Label(_)), view, &mut printed);
        }
        Kubectl::Verbatim(what) if query::answer(what, view, &mut printed) => {}
        _ => return rehearsal(command, view),
    }
    Some(printed)
}

/// What a command prints that asks nobody (`--dry-run=client`, `--local`); none if it does.
fn rehearsal(command: &Kubectl, view: &View<'_>) -> Option<Printed> {
    if !command.dry_run().is_of_client() {
        return None;
    }
    let plan = plan(command, view.objects, view.now);
    let mut printed = Printed {
        lines: plan.lines,
        status: 0,
    };
    match plan.client {
        Some(ClientCommand::Write(writes)) if writes.iter().all(|write| write.request.is_none()) => {
            let says = writes.into_iter().filter(|write| !write.success.is_empty());
            says.for_each(|write| write.success.split('\n').for_each(|line| printed.out(line)));
        }
        Some(_) => return None,
        None => {}
    }
    if let Some(message) = plan.refused {
        printed.fail(message);
    }
    Some(printed)
}

/// A container whose log is followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Followed {
    /// The pod's.
    pub uid: podscope_api::Uid,
    /// Its name.
    pub container: String,
    /// Before each line (`--prefix`).
    pub lead: String,
    /// The wall clock at t = 0, where each line tells its time (`--timestamps`).
    pub start: Option<Time>,
}

impl Followed {
    /// A line as it is printed.
    #[must_use]
    pub fn line(&self, at: SimTime, text: &str) -> String {
        let time = self
            .start
            .map(|start| podscope_api::print_rfc3339(start.0 + at.0, 6) + " ");
        format!("{}{}{text}", self.lead, time.unwrap_or_default())
    }
}

/// Whose logs go on being printed after those that there are (`logs -f`).
pub fn followed(command: &Kubectl, view: &View<'_>) -> Vec<Followed> {
    match command {
        Kubectl::Logs(asked) if asked.follow => logs::followed(asked, view),
        _ => Vec::new(),
    }
}
