//! Commands that keep their original words; only flags are normalized. Their meaning is an [`Action`].

use podscope_api::Kind;
use podscope_cluster::Span;
use serde_json::Value;

use super::kubectl::{DryRun, Output, PatchType, Target};

/// A kubectl command that keeps its original words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verbatim {
    /// The verb, with its sub-commands: `create secret generic`.
    pub verb: &'static str,
    pub action: Action,
    /// Namespace (`-n`), if given.
    pub namespace: Option<String>,
    /// `--save-config`: adds the last-applied annotation to created objects.
    pub save_config: bool,
    /// `--dry-run`.
    pub dry_run: DryRun,
    /// `-o`.
    pub output: Output,
}

/// The action of a [`Verbatim`] command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// `create KIND NAME`, `run`: creates the objects generated from the flags.
    Create(GeneratedObjects),
    /// `create job NAME --from=cronjob/SOURCE`: creates a Job from the template of another object.
    JobFrom {
        /// Name of the new Job.
        name: String,
        /// Kind of the source object, whose template is used.
        kind: Kind,
        /// Name of the source object.
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
        options: ReplaceOptions,
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
    /// `apply edit-last-applied`: the edited text replaces the last applied configuration.
    EditLastApplied {
        target: Target,
        /// The configuration after editing.
        text: String,
    },
    /// A command with `--local`: works on the objects of standard input instead of those of the cluster.
    Local {
        /// The command without `--local`.
        command: Box<super::Kubectl>,
        /// Namespace of the objects; empty if none is given.
        namespace: String,
        /// The manifest.
        text: String,
    },
    /// `set env|resources|serviceaccount|selector`.
    Set {
        /// The objects to change.
        target: Target,
        change: SetChange,
    },
    /// `auth can-i`: always answers yes, because the user of the console has all permissions.
    CanI {
        /// kubectl's warnings about the verb and the resource.
        warnings: Vec<String>,
        /// `-q`.
        quiet: bool,
    },
    /// `auth can-i --list`.
    WhatCanI {
        /// `--no-headers`.
        no_headers: bool,
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
        /// `--verbs`: the resource must support all of them.
        verbs: Vec<String>,
        /// `--categories`: the resource must be in all of them.
        categories: Vec<String>,
        /// `--sort-by`: `name`, `kind`, or empty.
        sort_by: String,
        /// `-o`: wide, name, json or yaml.
        output: Output,
    },
    /// `get componentstatuses`: the given names, or all.
    ComponentStatuses(Vec<String>),
    /// `api-versions`.
    ApiVersions,
    /// `cluster-info`.
    ClusterInfo,
    /// `config view|current-context|get-contexts|get-clusters|get-users|use-context`.
    Config(ConfigCommand),
    /// `version`.
    Version {
        /// `--client`.
        client: bool,
        /// `-o`: yaml or json.
        output: Output,
    },
    /// `get --raw PATH`.
    Raw(String),
    /// The words of a command that names a resource type that is not built in ([`super::Kubectl::resolved_in`]).
    Unresolved(super::Words),
}

/// Name of the only cluster, user and context.
pub(crate) const CONTEXT: &str = "podscope";

/// Options of `replace`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplaceOptions {
    /// `--force`: deletes and recreates the objects.
    pub force: Option<ForceOptions>,
    /// `--validate`.
    pub validation: super::Validation,
}

/// Options of the deletion by `replace --force`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForceOptions {
    /// `--grace-period`, at least one second; `None` uses the grace period of the object.
    pub grace_seconds: Option<i64>,
    /// `--cascade`; `None` is background.
    pub cascade: Option<String>,
}

/// Objects generated from the flags of `create`, `run`, `expose` or `autoscale`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GeneratedObjects {
    /// The objects, without a namespace.
    pub objects: Vec<Value>,
    /// Text printed before an error of the server.
    pub context: podscope_cluster::client::ErrorContext,
    /// Warnings about the flags.
    pub warnings: Vec<String>,
    /// Errors about objects that could not be generated.
    pub errors: Vec<String>,
    /// Verb of the success message: `created`.
    pub done: &'static str,
    /// Empty fields that a client dry run prints, because Go prints them as part of the struct: path and value.
    pub empty_fields: Vec<(&'static str, Value)>,
}

/// `kubectl expose`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expose {
    /// The objects to expose.
    pub target: Target,
    /// `--name`.
    pub name: Option<String>,
    /// `--port` unparsed: kubectl parses it only after it has found the object.
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
    /// `--overrides`: a patch of the generated Service, with its type (`--override-type`).
    pub overrides: Option<(PatchType, Value)>,
    /// `--session-affinity`.
    pub session_affinity: Option<String>,
    /// `--labels`.
    pub labels: Vec<(String, String)>,
}

/// `kubectl autoscale`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Autoscale {
    /// The object to scale.
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
    /// `--for`: all conditions must be met.
    pub conditions: Vec<WaitCondition>,
    /// `--timeout`; a negative value means one week.
    pub timeout: Span,
}

/// A condition of `kubectl wait`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WaitCondition {
    /// The object exists.
    Create,
    /// The object is deleted.
    Delete,
    /// A status condition (type, status) is present; case is ignored.
    Condition(String, String),
    /// The value at a path equals the text; with `None`, the path finds a value.
    Path(String, Option<String>),
}

/// A change by `kubectl set`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SetChange {
    /// `set env`.
    Env {
        /// `NAME=VALUE`; `None` for `NAME-`, which removes the variable.
        changes: Vec<(String, Option<String>)>,
        /// `--from`: a ConfigMap or Secret whose keys become variables.
        from: Option<(Kind, String)>,
        /// `--prefix`.
        prefix: String,
        /// `--keys`; empty means all keys.
        keys: Vec<String>,
        /// `-c`: container name or pattern with `*`.
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
    /// `set subject`: kind, namespace and name of each added subject.
    Subjects(Vec<(&'static str, String, String)>),
}

/// Sub-command of `kubectl config`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConfigCommand {
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
    /// `use-context`, which accepts only the existing context.
    UseContext,
}
