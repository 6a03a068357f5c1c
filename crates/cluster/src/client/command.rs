//! Commands that a client can execute. `podscope-kubectl` parses command lines into these: it resolves names and
//! selectors, builds objects and patches, and provides the texts to print. The client sends requests, waits and prints.

use std::sync::Arc;

use podscope_api::{Kind, NodeName, Object, ObjectKey, Str, Time, Uid};

use crate::{DeleteOptions, Request, Span};

#[derive(Debug, Clone)]
pub enum ClientCommand {
    /// Requests of a program that speaks HTTP: sent at once; the answers are returned to the program.
    Api(Vec<Request>),
    /// Requests that are sent one after the other: create, apply, patch, label, scale, cordon, taint, …. If one is
    /// refused, its error is printed and the next is sent; the exit status is then 1.
    Write(Vec<Write>),
    /// `kubectl delete`.
    Delete(DeleteCommand),
    /// `kubectl drain`.
    Drain(DrainCommand),
    /// `kubectl rollout status`.
    RolloutStatus(Vec<RolloutStatus>),
    /// `kubectl get --watch`.
    Watch(WatchCommand),
    /// `kubectl wait`.
    Wait(WaitCommand),
}

/// The condition of `kubectl wait`: a function that returns whether an object fulfils it. Its arguments are the object
/// (None if it does not exist) and the UID that the object had when the command began.
#[derive(Clone)]
pub struct WaitPredicate(pub Arc<ConditionFn>);

type ConditionFn = dyn Fn(Option<&Object>, &Uid) -> bool + Send + Sync;

impl std::fmt::Debug for WaitPredicate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Until")
    }
}

/// An object that `kubectl wait` waits for.
#[derive(Debug, Clone)]
pub struct AwaitedObject {
    pub kind: Kind,
    pub key: ObjectKey,
    /// UID of the object when the command began; empty if it did not exist.
    pub uid: Uid,
}

#[derive(Debug, Clone)]
pub struct WaitCommand {
    /// The objects, in the order in which they are awaited.
    pub objects: Vec<AwaitedObject>,
    pub until: WaitPredicate,
    /// Timeout for all objects together.
    pub timeout: Span,
    /// Whether the timeout error names the object.
    pub names_object: bool,
}

/// Value of the flag `--dry-run`, or the flag `--local`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DryRun {
    /// No dry run.
    #[default]
    None,
    /// `--dry-run=client`: nothing is sent.
    Client,
    /// `--dry-run` without a value, which is deprecated: nothing is sent.
    Bare,
    /// `--dry-run` with a boolean as Go parses it (`true`, `0`), which is deprecated: true sends nothing, false is no
    /// dry run.
    Boolean(&'static str),
    /// `--dry-run=server`: the server validates, but stores nothing.
    Server,
    /// `--local`: the object in the file is changed and printed; nothing is sent.
    Local,
}

impl DryRun {
    /// Returns whether the dry run takes place in kubectl alone, without a request to the server.
    #[must_use]
    pub const fn is_client_side(self) -> bool {
        match self {
            DryRun::Client | DryRun::Bare | DryRun::Local => true,
            DryRun::Boolean(word) => matches!(word.as_bytes().first(), Some(b'1' | b't' | b'T')),
            DryRun::None | DryRun::Server => false,
        }
    }

    /// Returns the text that the dry run appends to the success message, such as ` (dry run)` (KC-080).
    pub const fn suffix(self) -> &'static str {
        match self {
            DryRun::Server => " (server dry run)",
            DryRun::Local => "",
            _ if self.is_client_side() => " (dry run)",
            _ => "",
        }
    }

    /// Wraps the request in a dry run for `--dry-run=server`.
    pub fn wrap_request(self, request: Request) -> Request {
        match self {
            DryRun::Server => Request::DryRun(Arc::new(request)),
            _ => request,
        }
    }
}

/// Type of a watch event, which `kubectl get --watch --output-watch-events` prints in its first column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WatchEvent {
    /// The object was created, or began to match the selector of the command.
    Added,
    Modified,
    /// The object was deleted, or no longer matches the selector of the command.
    Deleted,
}

/// Formats the output of `kubectl get --watch`. The caller that knows the columns implements it; the client calls it
/// with each watch event.
pub trait WatchPrinter: std::fmt::Debug + Send + Sync {
    /// Returns whether the command selects the object.
    fn matches(&self, object: &Object) -> bool;
    /// Formats the lines of the initial list.
    fn format_list(&mut self, objects: &[Object], now: Time) -> Vec<String>;
    /// Formats the lines of one event.
    fn format_event(&mut self, event: WatchEvent, object: &Object, now: Time) -> Vec<String>;
    /// Clones the printer, because clients are part of checkpoints.
    fn clone_boxed(&self) -> Box<dyn WatchPrinter>;
}

impl Clone for Box<dyn WatchPrinter> {
    fn clone(&self) -> Self {
        self.as_ref().clone_boxed()
    }
}

/// The command `kubectl get --watch` (KC-057). It runs until the user stops it.
#[derive(Debug, Clone)]
pub struct WatchCommand {
    pub kind: Kind,
    pub printer: Box<dyn WatchPrinter>,
}

/// Formats a returned object for printing.
#[derive(Clone)]
pub struct ObjectFormatter(pub Arc<dyn Fn(&Object) -> String + Send + Sync>);

impl std::fmt::Debug for ObjectFormatter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Shows")
    }
}

/// Text that kubectl prints before the message of an API error.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ErrorContext {
    #[default]
    None,
    /// The action that failed: `error when creating "STDIN": `.
    Before(String),
    /// The action that failed, for an error that kubectl has wrapped: kubectl prints it as its own error, without the
    /// API reason (KC-097). Example: `failed to create job: `.
    Own(String),
}

/// A request that a command sends, with the texts that are printed about it.
#[derive(Debug, Clone)]
pub struct Write {
    /// The request to send. If it is None, only `success` is printed.
    pub request: Option<Request>,
    /// Text printed on success. It may have several lines; if it is empty, nothing is printed. `{name}` is replaced by
    /// the name of the returned object.
    pub success: String,
    /// Formats the returned object, which is printed instead of `success` (`-o yaml`).
    pub formatter: Option<ObjectFormatter>,
    /// `(resourceVersion, text)`: the text is printed instead of `success` if the returned object still has this
    /// version.
    pub unchanged: Option<(Str, String)>,
    /// Text printed before the server's message.
    pub context: ErrorContext,
    /// Writes that replace this one if the server refuses it as invalid or because of a conflict (`apply --force`).
    pub instead: Vec<Write>,
    /// Whether to wait, after this deletion, until the object is gone.
    pub until_gone: bool,
}

impl Write {
    /// Creates a request with the line that is printed on success.
    pub fn new(request: Request, success: impl Into<String>) -> Self {
        Self {
            request: Some(request),
            success: success.into(),
            formatter: None,
            unchanged: None,
            context: ErrorContext::None,
            instead: Vec::new(),
            until_gone: false,
        }
    }

    /// Creates a write without a request, which only prints a line.
    pub fn without_request(line: impl Into<String>) -> Self {
        Self {
            request: None,
            success: line.into(),
            formatter: None,
            unchanged: None,
            context: ErrorContext::None,
            instead: Vec::new(),
            until_gone: false,
        }
    }
}

/// The command `kubectl delete`, with the objects to which its arguments refer (KC-079 to KC-085).
#[derive(Debug, Clone, Default)]
pub struct DeleteCommand {
    /// The objects to delete, in order.
    pub targets: Vec<(Kind, ObjectKey)>,
    /// Options of every DELETE. With `grace_seconds` 0, a warning is printed and the success message says `force
    /// deleted`.
    pub options: DeleteOptions,
    /// Whether the command waits until each deleted UID is gone.
    pub wait: bool,
    /// Timeout of the wait; None waits for ever.
    pub timeout: Option<Span>,
    /// Whether a missing object is not an error.
    pub ignore_not_found: bool,
    /// Whether only `pod/web` is printed (`-o name`).
    pub output_name: bool,
    /// Value of `--dry-run`; a dry run does not wait until the objects are gone.
    pub dry_run: DryRun,
    /// Warnings printed before anything is sent.
    pub warnings: Vec<String>,
    /// The question of `--interactive`; the first line of output follows it on the same line.
    pub question: String,
    /// Text printed before the server's message.
    pub context: ErrorContext,
}

/// The command `kubectl drain` (KC-086 to KC-093, CT-105).
#[derive(Debug, Clone, Default)]
pub struct DrainCommand {
    /// The nodes, in the order in which they are drained.
    pub nodes: Vec<NodeName>,
    /// `--pod-selector`.
    pub pod_selector: Option<podscope_api::LabelSelector>,
    pub options: DrainOptions,
}

/// The options of `kubectl drain`, apart from its selectors.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DrainOptions {
    /// `--ignore-daemonsets`.
    pub ignore_daemonsets: bool,
    /// `--delete-emptydir-data`.
    pub delete_emptydir_data: bool,
    /// `--force`.
    pub force: bool,
    /// `--grace-period`; None uses that of the pod.
    pub grace_seconds: Option<i64>,
    /// `--timeout`; None waits for ever.
    pub timeout: Option<Span>,
    /// `--disable-eviction`: DELETE instead of the eviction API.
    pub disable_eviction: bool,
    /// `--skip-wait-for-delete-timeout`; None or zero waits for every pod.
    pub skip_wait_for_delete: Option<Span>,
    /// `--dry-run`; a dry run does not wait until the evicted pods are gone.
    pub dry_run: DryRun,
}

/// The command `kubectl rollout status` for one object (KC-104 to KC-107).
#[derive(Debug, Clone)]
pub struct RolloutStatus {
    /// Deployment, StatefulSet or DaemonSet.
    pub kind: Kind,
    pub key: ObjectKey,
    /// `--watch`; without it one line is printed.
    pub watch: bool,
    /// `--timeout`; None waits for ever.
    pub timeout: Option<Span>,
}
