//! The parsed kubectl commands (K-02).

use podscope_api::{Kind, Time};
pub use podscope_cluster::client::{DrainOptions, DryRun};

use super::Delete;
use podscope_cluster::Span;

/// The objects that a command line selects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selection {
    /// `pods,deploy` or `pod a b`: for each kind the objects with these names, or without names all objects that match
    /// the selectors.
    Kinds {
        /// Kinds in the order of the command line.
        kinds: Vec<Kind>,
        names: Vec<String>,
    },
    /// Objects of any kinds by name: `pod/a deploy/b`.
    Items(Vec<(Kind, String)>),
}

/// The objects that a command applies to, with namespace and selectors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    pub selection: Selection,
    /// Namespace (`-n`), if given.
    pub namespace: Option<String>,
    /// `-A`.
    pub all_namespaces: bool,
    /// `--all`.
    pub all: bool,
    /// `-l`.
    pub selector: Option<String>,
    /// `--field-selector`.
    pub field_selector: Option<String>,
}

impl Target {
    /// Creates a target from a selection in the default namespace, without selectors.
    pub fn of(selection: Selection) -> Target {
        Target {
            selection,
            namespace: None,
            all_namespaces: false,
            all: false,
            selector: None,
            field_selector: None,
        }
    }

    /// Creates a target for objects of one kind, by name, or for all of them if `names` is empty.
    pub fn of_kind(kind: Kind, names: Vec<String>) -> Target {
        let kinds = vec![kind];
        Target::of(Selection::Kinds { kinds, names })
    }

    /// Returns the kinds of the selected objects.
    pub fn kinds(&self) -> Vec<Kind> {
        match &self.selection {
            Selection::Kinds { kinds, .. } => kinds.clone(),
            Selection::Items(items) => items.iter().map(|(kind, _)| *kind).collect(),
        }
    }

    /// Returns the namespace of the selected objects; it does not apply if `all_namespaces` is set.
    pub fn namespace(&self) -> &str {
        self.namespace.as_deref().unwrap_or("default")
    }
}

/// The `-o` flag.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Output {
    #[default]
    Table,
    /// `wide`: a table with additional columns.
    Wide,
    Yaml,
    Json,
    Kyaml,
    /// `name`: prints `kind/name`.
    Name,
    /// `jsonpath=TEMPLATE`.
    JsonPath(String),
    /// `jsonpath-as-json=TEMPLATE`.
    JsonPathAsJson(String),
    /// `go-template=TEMPLATE`.
    GoTemplate(String),
    /// `custom-columns=SPEC`.
    CustomColumns(String),
    /// Another format with `managedFields` (`--show-managed-fields` of a verb that writes).
    WithManagedFields(Box<Output>),
}

/// `kubectl get`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Get {
    pub target: Target,
    /// `-o`.
    pub output: Output,
    /// `-L`.
    pub label_columns: Vec<String>,
    /// `--show-labels`.
    pub show_labels: bool,
    /// `--show-kind`: prefixes each name with its kind.
    pub show_kind: bool,
    /// `--no-headers`.
    pub no_headers: bool,
    /// `--sort-by`.
    pub sort_by: Option<String>,
    /// `--ignore-not-found`.
    pub ignore_not_found: bool,
    /// `--show-managed-fields`.
    pub show_managed_fields: bool,
    /// `--watch`, `--watch-only`.
    pub watch: Watch,
    /// `--output-watch-events`.
    pub output_watch_events: bool,
    /// `--subresource=scale`: prints the `Scale` of each object.
    pub scale: bool,
    /// `--server-print=false`: prints only name and age, the columns that a client can compute for every kind.
    pub bare_columns: bool,
}

/// Whether `get` prints changes after the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Watch {
    /// Prints only the list.
    #[default]
    No,
    /// Prints the list, then every change (`--watch`).
    Yes,
    /// Prints the changes only (`--watch-only`).
    Only,
}

impl Get {
    /// Creates a `kubectl get` of a target without options.
    pub fn of(target: Target) -> Get {
        Get {
            target,
            output: Output::Table,
            label_columns: Vec::new(),
            show_labels: false,
            show_kind: false,
            no_headers: false,
            sort_by: None,
            ignore_not_found: false,
            show_managed_fields: false,
            watch: Watch::No,
            output_watch_events: false,
            scale: false,
            bare_columns: false,
        }
    }
}

/// `kubectl describe`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Describe {
    pub target: Target,
    /// `--show-events`; if absent, events are printed for a single object only.
    pub show_events: Option<bool>,
}

/// `kubectl apply -f -`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Apply {
    pub manifest: String,
    /// Namespace (`-n`), if given.
    pub namespace: Option<String>,
    /// `--force`: objects that cannot be patched are deleted and created again.
    pub force: bool,
    /// `-l`: applies only the objects of the manifest that the selector matches.
    pub selector: Option<String>,
    /// `--prune`: deletes objects that were applied before and are not in the manifest.
    pub prune: bool,
    /// `--prune-allowlist`: prunes only these kinds; if empty, kubectl's default list.
    pub prune_allowlist: Vec<Kind>,
    /// `--validate`.
    pub validation: Validation,
    /// `--dry-run`.
    pub dry_run: DryRun,
    /// `-o`.
    pub output: Output,
    /// `--server-side`.
    pub server_side: Option<ServerSide>,
}

/// `apply --server-side`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerSide {
    /// `--field-manager`.
    pub manager: String,
    /// `--force-conflicts`.
    pub force_conflicts: bool,
}

/// Default field manager of `apply --server-side`.
pub const FIELD_MANAGER: &str = "kubectl";

/// `--validate`: treatment of fields that the server does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Validation {
    /// Unknown fields are an error.
    #[default]
    Strict,
    /// Unknown fields are dropped with a warning.
    Warn,
    /// Unknown fields are dropped silently.
    Ignore,
}

/// `kubectl rollout …`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RolloutAction {
    /// `kubectl rollout status`.
    Status {
        /// `--revision`: the command fails unless it is the current revision; 0 accepts any.
        revision: i64,
        /// `--watch`.
        watch: bool,
        /// `--timeout`.
        timeout: Option<Span>,
    },
    /// `kubectl rollout undo`.
    Undo {
        /// `--to-revision`; 0 is the previous revision.
        to_revision: i64,
        /// `--dry-run`.
        dry_run: DryRun,
    },
    /// `kubectl rollout restart`.
    Restart,
    /// `kubectl rollout pause`.
    Pause,
    /// `kubectl rollout resume`.
    Resume,
    /// `kubectl rollout history`.
    History {
        /// `--revision`; 0 lists all revisions.
        revision: i64,
    },
}

/// `kubectl drain`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Drain {
    pub nodes: Vec<String>,
    /// `-l`.
    pub selector: Option<String>,
    /// `--pod-selector`.
    pub pod_selector: Option<String>,
    pub options: DrainOptions,
}

/// One taint to add or remove.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaintChange {
    pub key: String,
    pub value: String,
    /// Effect; empty on removal means every effect.
    pub effect: String,
    /// `key-`: removes the taint.
    pub remove: bool,
}

/// `kubectl label` or `annotate`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MetadataChange {
    /// The objects to change.
    pub target: Target,
    /// Keys and values; `None` removes the key.
    pub changes: Vec<(String, Option<String>)>,
    /// `--overwrite`.
    pub overwrite: bool,
    /// `--list`.
    pub list: bool,
    /// `--resource-version`: an error unless the object has this version.
    pub resource_version: Option<String>,
    /// `--dry-run`.
    pub dry_run: DryRun,
    /// `-o`.
    pub output: Output,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PatchType {
    /// Strategic merge patch.
    #[default]
    Strategic,
    /// JSON merge patch (RFC 7396).
    Merge,
    /// JSON patch (RFC 6902).
    Json,
}

/// `kubectl events`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Events {
    /// Namespace (`-n`), if given.
    pub namespace: Option<String>,
    /// `-A`.
    pub all_namespaces: bool,
    /// `--for`.
    pub involved: Option<(Kind, String)>,
    /// `--types`.
    pub types: Vec<String>,
    /// `--no-headers`.
    pub no_headers: bool,
    /// `--watch`.
    pub watch: bool,
    /// `-o`.
    pub output: Output,
}

/// `kubectl top`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Top {
    /// True for `top nodes`, false for `top pods`.
    pub nodes: bool,
    pub name: Option<String>,
    /// Namespace (`-n`), if given.
    pub namespace: Option<String>,
    /// `-A`.
    pub all_namespaces: bool,
    /// `-l`.
    pub selector: Option<String>,
    /// `--containers`.
    pub containers: bool,
    /// `--sort-by`: `cpu` or `memory`.
    pub sort_by: Option<String>,
    /// `--no-headers`.
    pub no_headers: bool,
    /// `--sum`.
    pub sum: bool,
}

/// `kubectl logs`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Logs {
    /// Name of a pod, or a workload (`deployment/web`) of which one pod is used; empty with a selector.
    pub pod: String,
    /// `-l`: selects all matching pods.
    pub selector: Option<String>,
    /// Namespace (`-n`), if given.
    pub namespace: Option<String>,
    pub container: Option<String>,
    /// `--previous`.
    pub previous: bool,
    /// `--all-containers`.
    pub all_containers: bool,
    /// `--timestamps`.
    pub timestamps: bool,
    /// `--prefix`: prefixes each line with its pod and container.
    pub prefix: bool,
    /// `-f`.
    pub follow: bool,
    /// `--since`, `--since-time`: prints only newer lines.
    pub since: Option<Since>,
    /// `--limit-bytes` per container; 0 is unlimited.
    pub limit_bytes: u64,
    /// `--tail`; -1 prints all lines.
    pub tail: i64,
}

impl Kubectl {
    /// Returns the value of `--dry-run`; `DryRun::None` for commands without this flag.
    pub(crate) fn dry_run(&self) -> DryRun {
        match self {
            Kubectl::Apply(command) => command.dry_run,
            Kubectl::Delete(command) => command.dry_run,
            Kubectl::Drain(command) => command.options.dry_run,
            Kubectl::Label(command) | Kubectl::Annotate(command) => command.dry_run,
            Kubectl::Verbatim(command) => command.dry_run,
            Kubectl::Rollout {
                action: RolloutAction::Undo { dry_run, .. },
                ..
            }
            | Kubectl::Create { dry_run, .. }
            | Kubectl::Scale { dry_run, .. }
            | Kubectl::Cordon { dry_run, .. }
            | Kubectl::Taint { dry_run, .. }
            | Kubectl::Patch { dry_run, .. }
            | Kubectl::SetImage { dry_run, .. } => *dry_run,
            _ => DryRun::None,
        }
    }
}

/// A kubectl command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kubectl {
    /// `get`.
    Get(Get),
    /// `describe`.
    Describe(Describe),
    /// `apply -f -`.
    Apply(Apply),
    /// `create -f -`.
    Create {
        manifest: String,
        /// Namespace (`-n`), if given.
        namespace: Option<String>,
        /// `--validate`.
        validation: Validation,
        /// `--save-config`: adds the last-applied annotation.
        save_config: bool,
        /// `--dry-run`.
        dry_run: DryRun,
        /// `-o`; the default `Table` prints the line `… created`.
        output: Output,
    },
    /// `delete`.
    Delete(Delete),
    /// `scale`.
    Scale {
        target: Target,
        /// `--replicas`.
        replicas: i32,
        /// `--current-replicas`.
        current_replicas: Option<i32>,
        /// `--resource-version`: an error unless the object has this version.
        resource_version: Option<String>,
        /// `--dry-run`.
        dry_run: DryRun,
        /// `-o`.
        output: Output,
    },
    /// `rollout`.
    Rollout {
        /// The sub-command.
        action: RolloutAction,
        /// The objects to act on.
        target: Target,
        /// `-o`; `rollout status` has no such flag.
        output: Output,
    },
    /// `cordon` and `uncordon`.
    Cordon {
        nodes: Vec<String>,
        /// `-l`.
        selector: Option<String>,
        /// True for `cordon`.
        cordon: bool,
        /// `--dry-run`.
        dry_run: DryRun,
    },
    /// `drain`.
    Drain(Drain),
    /// `taint`.
    Taint {
        /// Nodes; empty with `--all` or a selector.
        nodes: Vec<String>,
        /// `--all`.
        all: bool,
        /// `-l`.
        selector: Option<String>,
        changes: Vec<TaintChange>,
        /// `--overwrite`.
        overwrite: bool,
        /// `--dry-run`.
        dry_run: DryRun,
        /// `-o`.
        output: Output,
    },
    /// `label`.
    Label(MetadataChange),
    /// `annotate`.
    Annotate(MetadataChange),
    /// `patch`.
    Patch {
        target: Target,
        /// `--type`.
        patch_type: PatchType,
        /// `-p`.
        patch: String,
        /// `--subresource`: `status` or `scale`.
        subresource: Option<String>,
        /// `--dry-run`.
        dry_run: DryRun,
        /// `-o`.
        output: Output,
    },
    /// `edit`: the edited text replaces the object.
    Edit {
        target: Target,
        /// The object after editing; empty if the command has no here-document. Such a command is refused, but only
        /// after the objects have been looked up, because kubectl opens its editor only for objects that exist.
        text: String,
        /// `--subresource`: `status` or `resize`.
        subresource: Option<String>,
    },
    /// `set image`.
    SetImage {
        target: Target,
        /// Container and image; `*` is every container.
        images: Vec<(String, String)>,
        /// `--dry-run`.
        dry_run: DryRun,
        /// `-o`.
        output: Output,
    },
    /// `events`.
    Events(Events),
    /// `explain`.
    Explain {
        kind: Kind,
        /// Field path.
        path: Vec<String>,
        /// `--recursive`: prints all nested fields, without descriptions.
        recursive: bool,
    },
    /// `top`.
    Top(Top),
    /// `logs`.
    Logs(Logs),
    /// A command whose canonical text consists of its original words.
    Verbatim(Box<super::Verbatim>),
}

/// Start of the log lines that `kubectl logs` prints (`--since`, `--since-time`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Since {
    /// A duration before the current time.
    Ago(Span),
    /// An instant.
    At(Time),
}
