//! What a client can be asked to do. `podscope-kubectl` turns command lines
//! into these: it resolves names and selectors, builds objects and patches, and
//! says what is printed on success; the client sends, waits and prints.

use std::sync::Arc;

use podscope_api::{Kind, NodeName, Object, ObjectKey, Str, Time, Uid};

use crate::{DeleteOptions, Request, Span};

#[derive(Debug, Clone)]
pub enum ClientCommand {
    /// Requests of a program that speaks HTTP, sent at once; their answers go back to it.
    Api(Vec<Request>),
    /// Requests one after the other: create, apply, patch, label, scale, cordon, taint, ….
    /// A refusal is printed and the next one is sent; the exit status is 1 if there was one.
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

/// Whether an object is as it is awaited; none if it is not there. The UID is of the one that was there first.
#[derive(Clone)]
pub struct Until(pub Arc<Holds>);

type Holds = dyn Fn(Option<&Object>, &Uid) -> bool + Send + Sync;

impl std::fmt::Debug for Until {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Until")
    }
}

/// One object that is waited for.
#[derive(Debug, Clone)]
pub struct Awaited {
    pub kind: Kind,
    /// Namespace and name.
    pub key: ObjectKey,
    /// Its UID when the command began; empty if it was not there.
    pub uid: Uid,
}

/// `kubectl wait`.
#[derive(Debug, Clone)]
pub struct WaitCommand {
    /// What is waited for, in order.
    pub objects: Vec<Awaited>,
    /// Until when.
    pub until: Until,
    /// How long for all of them.
    pub timeout: Span,
    /// Whether the error of a time-out names the object.
    pub names_object: bool,
}

/// `--dry-run`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DryRun {
    /// Really do it.
    #[default]
    None,
    /// Only say it.
    Client,
    /// Only say it, asked for by `--dry-run` alone, which is deprecated.
    Bare,
    /// Only say it, or really do it, asked for as Go writes a boolean, which is deprecated: `true`, `0`.
    Boolean(&'static str),
    /// Ask the server, which stores nothing.
    Server,
    /// Nobody is asked, and what is changed is a text (`--local`).
    Local,
}

impl DryRun {
    /// Whether nothing is sent.
    #[must_use]
    pub const fn is_of_client(self) -> bool {
        match self {
            DryRun::Client | DryRun::Bare | DryRun::Local => true,
            DryRun::Boolean(word) => matches!(word.as_bytes().first(), Some(b'1' | b't' | b'T')),
            DryRun::None | DryRun::Server => false,
        }
    }

    /// What stands after the line of a success (KC-080).
    pub const fn suffix(self) -> &'static str {
        match self {
            DryRun::Server => " (server dry run)",
            DryRun::Local => "",
            _ if self.is_of_client() => " (dry run)",
            _ => "",
        }
    }

    /// The request as it is sent.
    pub fn request(self, request: Request) -> Request {
        match self {
            DryRun::Server => Request::DryRun(Arc::new(request)),
            _ => request,
        }
    }
}

/// What happened to an object that is watched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WatchEvent {
    /// It came, or began to match.
    Added,
    /// It changed.
    Modified,
    /// It went, or matches no more.
    Deleted,
}

/// What a watch shows and how; made by who knows the columns, asked by the client as its watch tells it.
pub trait WatchPrinter: std::fmt::Debug + Send + Sync {
    /// Whether the command is about the object.
    fn matches(&self, object: &Object) -> bool;
    /// Lines of the list that a watch begins with.
    fn list(&mut self, objects: &[Object], now: Time) -> Vec<String>;
    /// Lines of one event.
    fn event(&mut self, event: WatchEvent, object: &Object, now: Time) -> Vec<String>;
    /// A copy: clients are part of checkpoints.
    fn boxed(&self) -> Box<dyn WatchPrinter>;
}

impl Clone for Box<dyn WatchPrinter> {
    fn clone(&self) -> Self {
        self.as_ref().boxed()
    }
}

/// `kubectl get --watch` (KC-057). It goes on until it is ended.
#[derive(Debug, Clone)]
pub struct WatchCommand {
    /// What is watched.
    pub kind: Kind,
    /// What is printed.
    pub printer: Box<dyn WatchPrinter>,
}

/// How an answered object is printed.
#[derive(Clone)]
pub struct Shows(pub Arc<dyn Fn(&Object) -> String + Send + Sync>);

impl std::fmt::Debug for Shows {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Shows")
    }
}

/// What kubectl says of an error before the server's own message.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ErrorContext {
    #[default]
    None,
    /// What it was doing: `error when creating "STDIN": `.
    Before(String),
    /// The same of an error that it has wrapped: that is no longer the server's, and its reason is not named (KC-097):
    /// `failed to create job: `.
    Own(String),
}

/// A request and what is printed.
#[derive(Debug, Clone)]
pub struct Write {
    /// The request; none only prints what is said, in its turn.
    pub request: Option<Request>,
    /// Printed on success (several lines allowed, nothing if empty); `{name}` stands for the answered object's name.
    pub success: String,
    /// Prints the answered object in its place (`-o yaml`).
    pub shows: Option<Shows>,
    /// Printed instead if the answered object still has this resourceVersion: `(version, text)`.
    pub unchanged: Option<(Str, String)>,
    /// What is said before the server's message.
    pub context: ErrorContext,
    /// Sent in its place where the server refuses it as invalid or because of a conflict (`apply --force`).
    pub instead: Vec<Write>,
    /// Whether the next one waits until the object of this deletion is gone.
    pub until_gone: bool,
}

impl Write {
    /// A request with the line printed on success.
    pub fn new(request: Request, success: impl Into<String>) -> Self {
        Self {
            request: Some(request),
            success: success.into(),
            shows: None,
            unchanged: None,
            context: ErrorContext::None,
            instead: Vec::new(),
            until_gone: false,
        }
    }

    /// A line in its turn, without a request.
    pub fn say(line: impl Into<String>) -> Self {
        Self {
            request: None,
            success: line.into(),
            shows: None,
            unchanged: None,
            context: ErrorContext::None,
            instead: Vec::new(),
            until_gone: false,
        }
    }
}

/// `kubectl delete` of objects already found (KC-079 to KC-085).
#[derive(Debug, Clone, Default)]
pub struct DeleteCommand {
    /// What to delete, in order.
    pub targets: Vec<(Kind, ObjectKey)>,
    /// Options of every DELETE; `grace_seconds` 0 also changes the printed word and warns.
    pub options: DeleteOptions,
    /// Wait until each UID is gone.
    pub wait: bool,
    /// How long to wait; none is for ever.
    pub timeout: Option<Span>,
    /// A missing object is no error.
    pub ignore_not_found: bool,
    /// Print `pod/web` only (`-o name`).
    pub output_name: bool,
    /// Whether anything is deleted; nothing is waited for if not.
    pub dry_run: DryRun,
    /// What is warned of before anything happens.
    pub warnings: Vec<String>,
    /// A question on whose line the answer goes on (`--interactive`).
    pub question: String,
    /// What is said before the server's message.
    pub context: ErrorContext,
}

/// `kubectl drain` (KC-086 to KC-093, CT-105).
#[derive(Debug, Clone, Default)]
pub struct DrainCommand {
    /// Nodes, in order.
    pub nodes: Vec<NodeName>,
    /// `--ignore-daemonsets`.
    pub ignore_daemonsets: bool,
    /// `--delete-emptydir-data`.
    pub delete_emptydir_data: bool,
    /// `--force`.
    pub force: bool,
    /// `--grace-period`; none is the pod's own.
    pub grace_seconds: Option<i64>,
    /// `--timeout`; none is for ever.
    pub timeout: Option<Span>,
    /// `--disable-eviction`: DELETE instead of the eviction API.
    pub disable_eviction: bool,
    /// `--pod-selector`.
    pub pod_selector: Option<podscope_api::LabelSelector>,
    /// `--skip-wait-for-delete-timeout`; none or zero waits for every pod.
    pub skip_wait_for_delete: Option<Span>,
    /// Whether anything is cordoned and evicted; nothing is waited for if not.
    pub dry_run: DryRun,
}

/// `kubectl rollout status` (KC-104 to KC-107).
#[derive(Debug, Clone)]
pub struct RolloutStatus {
    /// Deployment, StatefulSet or DaemonSet.
    pub kind: Kind,
    pub key: ObjectKey,
    /// `--watch`; without it one line is printed.
    pub watch: bool,
    /// `--timeout`; none is for ever.
    pub timeout: Option<Span>,
}
