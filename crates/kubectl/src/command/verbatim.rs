//! Commands that are kept with their words: what they ask for is a value, and they print back as they were said.

use podscope_api::Kind;
use podscope_cluster::Span;
use serde_json::Value;

use super::kubectl::{DryRun, Output, PatchType, Target};

/// The words of a command, as they were read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Words {
    /// The verb, with its sub-commands: `create secret generic`.
    pub verb: &'static str,
    /// Words that are no flags.
    pub positional: Vec<String>,
    /// Flags with their values, in order.
    pub flags: Vec<(&'static str, String)>,
    /// What follows `--`.
    pub handed_on: Option<Vec<String>>,
    /// Standard input.
    pub stdin: Option<String>,
}

/// A command of kubectl that is kept with its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verbatim {
    pub words: Words,
    /// What they ask for.
    pub action: Action,
    /// Namespace, if given.
    pub namespace: Option<String>,
    /// `--save-config`: what is made says what it was made of.
    pub save_config: bool,
    /// `--dry-run`.
    pub dry_run: DryRun,
    /// `-o`.
    pub output: Output,
}

/// What such a command does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// `create KIND NAME`, `run`: objects that the words describe wholly.
    Make(Made),
    /// `create job NAME --from=cronjob/SOURCE`.
    JobFrom {
        /// The job's name.
        name: String,
        /// Of what kind its template is.
        kind: Kind,
        /// And whose.
        source: String,
    },
    /// `expose`.
    Expose(Box<Expose>),
    /// `autoscale`.
    Autoscale(Autoscale),
    /// `wait`.
    Wait(Wait),
    /// `replace -f -`.
    Replace {
        /// The manifest.
        text: String,
        how: ReplaceOptions,
    },
    /// `diff -f -`.
    Diff {
        /// The manifest.
        text: String,
    },
    /// `apply view-last-applied`.
    LastApplied(Target),
    /// `apply set-last-applied -f -`.
    SetLastApplied {
        /// The manifest.
        text: String,
        /// `--create-annotation`.
        creates: bool,
    },
    /// `apply edit-last-applied`: the edited text replaces what was applied last.
    EditLastApplied {
        target: Target,
        /// What was applied last, after editing.
        text: String,
    },
    /// A verb with `--local`: done to the objects of standard input.
    Local {
        /// The verb, as if they were the cluster's.
        command: Box<super::Kubectl>,
        /// Their namespace; empty where nobody says it.
        namespace: String,
    },
    /// `set env|resources|serviceaccount|selector`.
    Set {
        /// What is changed.
        target: Target,
        /// How.
        change: SetChange,
    },
    /// `auth can-i`: who asks may do everything here.
    CanI {
        /// What is odd about the question.
        warnings: Vec<String>,
        /// `-q`.
        quiet: bool,
    },
    /// `auth whoami`.
    WhoAmI,
    /// `create token ACCOUNT`.
    Token(String),
    /// `api-resources`.
    ApiResources {
        /// `--api-group`.
        group: Option<String>,
        /// `--namespaced`.
        namespaced: Option<bool>,
        /// `--no-headers`.
        no_headers: bool,
        /// `--verbs`: all of them can be done.
        verbs: Vec<String>,
        /// `--categories`: it is in all of them.
        categories: Vec<String>,
        /// `--sort-by`.
        by_kind: bool,
        /// `-o`: wide, name, json or yaml.
        output: Output,
    },
    /// `get componentstatuses`, all or those of the names.
    ComponentStatuses(Vec<String>),
    /// `api-versions`.
    ApiVersions,
    /// `cluster-info`.
    ClusterInfo,
    /// `config view|current-context|get-contexts|get-clusters|get-users|use-context`.
    Config(ConfigWhat),
    /// `version`.
    Version {
        /// `--client`.
        client: bool,
    },
    /// `get --raw PATH`.
    Raw(String),
}

/// The one cluster, user and context there is.
pub(crate) const CONTEXT: &str = "podscope";

/// How `replace` goes about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplaceOptions {
    /// `--force`: deleted and made anew.
    pub force: Option<ForceOptions>,
    /// `--validate`.
    pub validation: super::Validation,
}

/// How `replace --force` deletes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForceOptions {
    /// `--grace-period`, at least a second; none: the object's own.
    pub grace: Option<i64>,
    /// `--cascade`, other than in the background.
    pub cascade: Option<String>,
}

/// Objects that a generator makes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Made {
    /// The objects, without a namespace.
    pub objects: Vec<Value>,
    /// What is said before the server's message.
    pub context: podscope_cluster::client::ErrorContext,
    /// What is odd about it.
    pub warnings: Vec<String>,
    /// What could not be made, beside what was.
    pub errors: Vec<String>,
    /// The word of success: `created`.
    pub word: &'static str,
    /// Fields that stand in what a client prints though they say nothing, as Go prints the structs of the type.
    pub empties: Vec<(&'static str, Value)>,
}

/// `kubectl expose`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expose {
    /// What is exposed.
    pub target: Target,
    /// `--name`.
    pub name: Option<String>,
    /// `--port`, as it was given: read when the object is there.
    pub port: Option<String>,
    /// `--target-port`: a number or a name.
    pub target_port: Option<String>,
    /// `--protocol`.
    pub protocol: Option<String>,
    /// `--type`.
    pub service_type: Option<String>,
    /// `--selector`.
    pub selector: Option<String>,
    /// `--cluster-ip`.
    pub cluster_ip: Option<String>,
    /// `--external-ip`.
    pub external_ip: Option<String>,
    /// `--load-balancer-ip`.
    pub load_balancer_ip: Option<String>,
    /// `--overrides`, by `--override-type`.
    pub overrides: Option<(PatchType, Value)>,
    /// `--session-affinity`.
    pub session_affinity: Option<String>,
    /// `--labels`.
    pub labels: Vec<(String, String)>,
}

/// `kubectl autoscale`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Autoscale {
    /// What is scaled.
    pub target: Target,
    /// `--name`.
    pub name: Option<String>,
    /// `--min`.
    pub min: Option<i64>,
    /// `--max`.
    pub max: i64,
    /// `--cpu-percent` or `--cpu=50%`.
    pub cpu_percent: Option<i64>,
}

/// `kubectl wait`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wait {
    pub target: Target,
    /// `--for`: all of them.
    pub conditions: Vec<Awaited>,
    /// `--timeout`; below zero a week.
    pub timeout: Span,
}

/// What is waited for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Awaited {
    /// It is there.
    Create,
    /// It is gone.
    Delete,
    /// A condition of that type has that status, whatever their case.
    Condition(String, String),
    /// What a path leads to is that text; none: it leads to something.
    Path(String, Option<String>),
}

/// How a pod template, or a Service's selector, is changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SetChange {
    /// `set env`.
    Env {
        /// `NAME=VALUE`; none: `NAME-`.
        changes: Vec<(String, Option<String>)>,
        /// `--from`: a config map or secret, all of whose keys become variables.
        from: Option<(Kind, String)>,
        /// `--prefix`.
        prefix: String,
        /// `--keys`; none: all.
        keys: Vec<String>,
        /// `-c`: which containers, a name or `*`.
        containers: String,
        /// `--overwrite`.
        overwrite: bool,
        /// `--list`.
        list: bool,
        /// `--resolve`.
        resolve: bool,
    },
    /// `set resources`.
    Resources {
        /// `--limits`.
        limits: Vec<(String, String)>,
        /// `--requests`.
        requests: Vec<(String, String)>,
        /// `-c`.
        containers: String,
    },
    /// `set serviceaccount`.
    ServiceAccount(String),
    /// `set selector`.
    Selector(String),
    /// `set subject`: kind, namespace and name of each that is added.
    Subjects(Vec<(&'static str, String, String)>),
}

/// What `kubectl config` shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConfigWhat {
    /// `view`.
    View,
    /// `current-context`.
    CurrentContext,
    /// `get-contexts`.
    GetContexts,
    /// `get-clusters`.
    GetClusters,
    /// `get-users`.
    GetUsers,
    /// `use-context` of the one there is.
    UseContext,
}
