//! Clients: commands that run for a while (drain, delete that waits, rollout status, watches). They are actors of the
//! simulation, so partitions and outages affect them like real clients. A client only knows its command, the answers to
//! its calls, and its watch.

mod api;
mod command;
mod delete;
pub use delete::FORCE_WARNING;
mod drain;
mod rollout;
mod wait;
mod watch;
mod write;

use std::sync::Arc;

use podscope_api::{Kind, Node, Object, ObjectKey};

use crate::{ApiError, Cause, Mutation, Objects, OutputKind, Part, Request, StatusReason};

pub use command::{
    AwaitedObject, ClientCommand, DeleteCommand, DrainCommand, DrainOptions, DryRun, ErrorContext, ObjectFormatter,
    RolloutStatus, WaitCommand, WaitPredicate, WatchCommand, WatchEvent, WatchPrinter, Write,
};

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ClientTimer {
    /// The timeout of the command, except that of `kubectl wait`, is reached.
    Timeout,
    /// `kubectl drain` requests the eviction of this pod again.
    Retry(ObjectKey),
    /// The command checks whether the deleted objects are gone.
    Poll,
    /// The timeout of `kubectl wait` is reached.
    WaitEnds,
}

/// Effects of a client other than its requests: output, answers and its exit.
#[derive(Debug, Clone)]
pub(crate) enum ClientAct {
    /// Prints a line.
    Print {
        kind: OutputKind,
        /// The printed line, without newline.
        text: String,
    },
    /// Returns these answers to a caller outside of the simulation.
    Answer(Vec<crate::Answer>),
    /// Exits with this status.
    Exit(u8),
}

type Context<'a> = podscope_sim::Context<'a, ClientTimer, ClientAct>;
type Input = podscope_sim::Input<ClientTimer>;

/// The objects that the watch of a client has delivered so far, with their revision.
#[derive(Debug, Clone, Default)]
struct View {
    objects: Arc<Objects>,
    /// Revision of the objects; 0 before the first list.
    revision: u64,
}

/// The state of the command that a client executes.
#[derive(Debug, Clone)]
enum CommandState {
    Api(api::ApiClient),
    Write(write::WriteClient),
    Delete(delete::DeleteClient),
    Drain(drain::DrainClient),
    Rollout(rollout::RolloutClient),
    Watch(watch::WatchClient),
    Wait(wait::WaitClient),
}

/// A client that executes a command.
#[derive(Debug, Clone)]
pub(crate) struct Client {
    view: View,
    state: CommandState,
}

impl Client {
    /// Creates a client that has not started.
    pub(crate) fn new(command: ClientCommand) -> Self {
        let state = match command {
            ClientCommand::Api(requests) => CommandState::Api(api::ApiClient::new(requests)),
            ClientCommand::Write(writes) => CommandState::Write(write::WriteClient::new(writes)),
            ClientCommand::Delete(command) => CommandState::Delete(delete::DeleteClient::new(command)),
            ClientCommand::Drain(command) => CommandState::Drain(drain::DrainClient::new(command)),
            ClientCommand::RolloutStatus(commands) => match rollout::RolloutClient::new(commands) {
                Some(following) => CommandState::Rollout(following),
                None => CommandState::Write(write::WriteClient::new(Vec::new())),
            },
            ClientCommand::Watch(command) => CommandState::Watch(watch::WatchClient::new(command)),
            ClientCommand::Wait(command) => CommandState::Wait(wait::WaitClient::new(command)),
        };
        Self {
            view: View::default(),
            state,
        }
    }

    /// Returns whether the command needs a watch.
    pub(crate) fn needs_watch(&self) -> bool {
        match &self.state {
            CommandState::Api(_) | CommandState::Write(_) => false,
            CommandState::Delete(state) => state.must_wait(),
            CommandState::Drain(_) | CommandState::Rollout(_) | CommandState::Watch(_) | CommandState::Wait(_) => true,
        }
    }

    pub(crate) fn handle(&mut self, input: Input, ctx: &mut Context<'_>) {
        match &input {
            Input::Listed { revision, objects } => {
                self.view = View {
                    objects: objects.clone(),
                    revision: *revision,
                };
            }
            Input::Changed(change) => {
                self.view = View {
                    objects: change.after.clone(),
                    revision: change.revision,
                };
            }
            Input::Started | Input::Answered(..) | Input::Timer(_) => {}
        }
        match &mut self.state {
            CommandState::Api(state) => state.handle(input, ctx),
            CommandState::Write(state) => state.handle(input, ctx),
            CommandState::Delete(state) => state.handle(input, &self.view, ctx),
            CommandState::Drain(state) => state.handle(input, &self.view, ctx),
            CommandState::Rollout(state) => state.handle(&input, &self.view, ctx),
            CommandState::Watch(state) => state.handle(&input, ctx),
            CommandState::Wait(state) => state.handle(&input, &self.view, ctx),
        }
    }
}

fn print(ctx: &mut Context<'_>, text: impl Into<String>) {
    let text: String = text.into();
    if text.is_empty() {
        return;
    }
    print_lines(ctx, OutputKind::Output, &text);
}

fn print_error(ctx: &mut Context<'_>, text: impl AsRef<str>) {
    print_lines(ctx, OutputKind::Error, text.as_ref());
}

/// Prints a warning in kubectl's format; the command continues.
fn print_warning(ctx: &mut Context<'_>, text: impl std::fmt::Display) {
    print_lines(ctx, OutputKind::Warning, &format!("Warning: {text}"));
}

fn print_lines(ctx: &mut Context<'_>, kind: OutputKind, text: &str) {
    for line in text.split('\n') {
        ctx.act(ClientAct::Print {
            kind,
            text: line.to_owned(),
        });
    }
}

/// Exits with status 1 if the command has failed, otherwise with status 0.
fn exit(ctx: &mut Context<'_>, has_failed: bool) {
    ctx.act(ClientAct::Exit(u8::from(has_failed)));
}

/// Text that kubectl appends to the conflicts of server-side apply.
const RESOLVE_CONFLICTS: &str = "Please review the fields above--they currently have other managers. Here
are the ways you can resolve this warning:
* If you intend to manage all of these fields, please re-run the apply
  command with the `--force-conflicts` flag.
* If you do not intend to manage all of the fields, please edit your
  manifest to remove references to the fields that should keep their
  current managers.
* You may co-own fields by updating your manifest to match the existing
  value; in this case, you'll become the manager if the other manager(s)
  stop managing the field (remove it from their configuration).
See https://kubernetes.io/docs/reference/using-api/server-side-apply/#conflicts";

/// Formats an API error as kubectl prints it (KC-116, KC-117).
pub fn error_text(error: &ApiError, context: &ErrorContext) -> String {
    let message = &error.message;
    let context = match context {
        ErrorContext::None => "",
        ErrorContext::Before(text) => text,
        ErrorContext::Own(text) => return format!("error: {text}{message}"),
    };
    if error.field_conflicts > 0 {
        return format!("error: {message}\n{RESOLVE_CONFLICTS}");
    }
    match error.reason {
        StatusReason::ConnectionRefused => message.clone(),
        StatusReason::Unknown => format!("Error from server: {context}{message}"),
        StatusReason::Timeout if error.code == 0 => format!("Unable to connect to the server: {context}{message}"),
        StatusReason::Invalid => match &error.about {
            Some((kind, name)) => invalid_text(*kind, name, &error.causes),
            None => format!("The {message}"),
        },
        reason => format!("Error from server ({}): {context}{message}", reason.as_str()),
    }
}

/// Returns the text of an Invalid error: the kind without its group, and each distinct cause once.
fn invalid_text(kind: Kind, name: &str, causes: &[Cause]) -> String {
    let mut lines: Vec<String> = Vec::new();
    for Cause { about, message, .. } in causes {
        let line = format!("{about}: {message}");
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    let head = format!("The {} {name:?} is invalid", kind.name());
    match lines.as_slice() {
        [] => head,
        [one] => format!("{head}: {one}"),
        several => format!("{head}: \n* {}", several.join("\n* ")),
    }
}

/// Formats the errors of one command as kubectl prints them at its end: a single error in full, several one per line
/// (KC-116).
fn errors_text(errors: &[(ApiError, ErrorContext)]) -> Vec<String> {
    let in_list = |error: &ApiError, context: &ErrorContext| match (error.reason, context) {
        (_, ErrorContext::Own(text)) => format!("{text}{}", error.message),
        (StatusReason::Invalid, ErrorContext::None) => format!("Error from server (Invalid): {}", error.message),
        (StatusReason::Invalid, ErrorContext::Before(text)) => {
            format!("Error from server (Invalid): {text}{}", error.message)
        }
        _ => error_text(error, context),
    };
    match errors {
        [(error, context)] => vec![error_text(error, context)],
        several => several.iter().map(|(error, context)| in_list(error, context)).collect(),
    }
}

/// Formats the name of an object as kubectl does: `pod/web`, `deployment.apps/web`.
pub fn object_name(kind: Kind, name: &str) -> String {
    format!("{}/{name}", kind.qualified_singular())
}

/// Formats kubectl's message about a deleted object: `pod "web" deleted from default namespace`.
pub fn deletion_message(kind: Kind, key: &ObjectKey, how: &str) -> String {
    let from = match key.namespace.is_empty() {
        true => String::new(),
        false => format!(" from {} namespace", key.namespace),
    };
    format!("{} {:?} {how}{from}", kind.qualified_singular(), &*key.name)
}

/// Returns the patch that cordons or uncordons a node; `manager` is the field manager.
pub fn cordon_request(node: &Node, unschedulable: bool, manager: &'static str) -> Request {
    Request::Patch {
        kind: Kind::Node,
        key: node.metadata.key(),
        uid: None,
        part: Part::Main,
        change: Mutation::new::<Node>(manager, move |node| {
            node.spec.unschedulable = unschedulable.then_some(true)
        }),
    }
}

/// Returns the resourceVersion of an object as a number; 0 if it has none.
fn resource_version_of(object: &Object) -> u64 {
    object.metadata().resource_version.parse().unwrap_or(0)
}

fn set_timeout(timeout: Option<crate::Span>, ctx: &mut Context<'_>) {
    if let Some(timeout) = timeout.filter(|timeout| timeout.0 > 0) {
        ctx.timer_in(timeout, ClientTimer::Timeout);
    }
}
