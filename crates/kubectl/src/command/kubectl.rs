//! The kubectl commands of K-02 as values.

use podscope_api::{Kind, Time};
pub use podscope_cluster::client::DryRun;

use super::Delete;
use podscope_cluster::Span;

/// Which objects a command names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selection {
    /// `pods,deploy`, `pod a b`: every name in every kind; no names means all that match.
    Kinds {
        /// Kinds, in order.
        kinds: Vec<Kind>,
        names: Vec<String>,
    },
    /// `pod/a deploy/b`.
    Items(Vec<(Kind, String)>),
}

/// Which objects a command is about, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    pub selection: Selection,
    /// Namespace, if given.
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
    /// What is selected, in the default namespace, whatever its labels.
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

    /// Objects of one kind: those of the names, or all if there are none.
    pub fn kind(kind: Kind, names: Vec<String>) -> Target {
        let kinds = vec![kind];
        Target::of(Selection::Kinds { kinds, names })
    }

    /// The kinds it is about.
    pub fn kinds(&self) -> Vec<Kind> {
        match &self.selection {
            Selection::Kinds { kinds, .. } => kinds.clone(),
            Selection::Items(items) => items.iter().map(|(kind, _)| *kind).collect(),
        }
    }

    /// The namespace it looks into, unless it looks into all.
    pub fn namespace(&self) -> &str {
        self.namespace.as_deref().unwrap_or("default")
    }
}

/// How `get` prints.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Output {
    #[default]
    Table,
    /// A table with wide columns.
    Wide,
    Yaml,
    Json,
    Kyaml,
    /// `kind/name`.
    Name,
    /// `jsonpath=TEMPLATE`.
    JsonPath(String),
    /// `jsonpath-as-json=TEMPLATE`.
    JsonPathAsJson(String),
    /// `go-template=TEMPLATE`.
    GoTemplate(String),
    /// `custom-columns=SPEC`.
    CustomColumns(String),
    /// Another form, with the field managers (`--show-managed-fields` of a verb that writes).
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
    /// `--show-kind`: each name with its kind before it.
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
    /// `--subresource=scale`: the size alone.
    pub scale: bool,
    /// `--server-print=false`: names and ages, which is all that a client knows of any kind.
    pub bare_columns: bool,
}

/// Whether `get` goes on after the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Watch {
    /// It ends with the list.
    #[default]
    No,
    /// The list, then every change (`--watch`).
    Yes,
    /// The changes only (`--watch-only`).
    Only,
}

impl Get {
    /// `kubectl get` of what is selected, without options.
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
    /// `--show-events`; if it is not given, of a single object.
    pub show_events: Option<bool>,
}

/// `kubectl apply -f -`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Apply {
    pub manifest: String,
    /// Namespace, if given.
    pub namespace: Option<String>,
    /// `--force`: what cannot be changed is deleted and made anew.
    pub force: bool,
    /// `-l`: of the manifest only objects that it matches.
    pub selector: Option<String>,
    /// `--prune`: what was applied before and is not in the manifest goes.
    pub prune: bool,
    /// `--prune-allowlist`: of these kinds alone; of kubectl's own list where there are none.
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

/// What `apply --server-side` is called where nobody says.
pub const FIELD_MANAGER: &str = "kubectl";

/// `--validate`: what becomes of fields that the server does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Validation {
    /// They are an error.
    #[default]
    Strict,
    /// They are left out, and told.
    Warn,
    /// They are left out.
    Ignore,
}

/// `kubectl rollout …`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RolloutAction {
    /// `status`.
    Status {
        /// `--revision`: refused unless it is the one that runs; 0 is any.
        revision: i64,
        /// `--watch`.
        watch: bool,
        /// `--timeout`.
        timeout: Option<Span>,
    },
    /// `undo`.
    Undo {
        /// `--to-revision`; 0 is the previous one.
        to_revision: i64,
        /// `--dry-run`.
        dry_run: DryRun,
    },
    /// `restart`.
    Restart,
    /// `pause`.
    Pause,
    /// `resume`.
    Resume,
    /// `history`.
    History {
        /// `--revision`; 0 lists them.
        revision: i64,
    },
}

/// `kubectl drain`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Drain {
    pub nodes: Vec<String>,
    /// `-l`.
    pub selector: Option<String>,
    /// `--ignore-daemonsets`.
    pub ignore_daemonsets: bool,
    /// `--delete-emptydir-data`.
    pub delete_emptydir_data: bool,
    /// `--force`.
    pub force: bool,
    /// `--grace-period`; -1 is the pod's own.
    pub grace_period: i64,
    /// `--timeout`; zero waits for ever.
    pub timeout: Option<Span>,
    /// `--disable-eviction`.
    pub disable_eviction: bool,
    /// `--pod-selector`.
    pub pod_selector: Option<String>,
    /// `--skip-wait-for-delete-timeout`, seconds.
    pub skip_wait_for_delete_timeout: i64,
    /// `--dry-run`.
    pub dry_run: DryRun,
}

/// One taint to add or remove.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaintChange {
    pub key: String,
    pub value: String,
    /// Effect; empty on removal means every effect.
    pub effect: String,
    /// `key-`.
    pub remove: bool,
}

/// `kubectl label` or `annotate`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// Objects.
    pub target: Target,
    /// Pairs; no value removes the key.
    pub changes: Vec<(String, Option<String>)>,
    /// `--overwrite`.
    pub overwrite: bool,
    /// `--list`.
    pub list: bool,
    /// `--resource-version`: refused unless the object has it.
    pub resource_version: Option<String>,
    /// `--dry-run`.
    pub dry_run: DryRun,
    /// `-o`.
    pub output: Output,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PatchType {
    /// Strategic merge.
    #[default]
    Strategic,
    /// JSON merge (RFC 7396).
    Merge,
    /// JSON patch (RFC 6902).
    Json,
}

/// `kubectl events`: which, and how they are printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Events {
    /// Namespace, if given.
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
    /// True for nodes, else pods.
    pub nodes: bool,
    pub name: Option<String>,
    /// Namespace, if given.
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
    /// Pod, or a workload one of whose pods is meant: `deployment/web`. Empty where a selector says which.
    pub pod: String,
    /// `-l`: every pod that it matches.
    pub selector: Option<String>,
    /// Namespace, if given.
    pub namespace: Option<String>,
    pub container: Option<String>,
    /// `--previous`.
    pub previous: bool,
    /// `--all-containers`.
    pub all_containers: bool,
    /// `--timestamps`.
    pub timestamps: bool,
    /// `--prefix`: each line with its pod and container.
    pub prefix: bool,
    /// `-f`.
    pub follow: bool,
    /// `--since`, `--since-time`: only what is not older.
    pub since: Option<Since>,
    /// `--limit-bytes`: of each container; 0 is all.
    pub limit_bytes: u64,
    /// `--tail`; -1 is all.
    pub tail: i64,
}

impl Kubectl {
    /// `--dry-run`, of commands that have it.
    pub(crate) fn dry_run(&self) -> DryRun {
        match self {
            Kubectl::Apply(what) => what.dry_run,
            Kubectl::Delete(what) => what.dry_run,
            Kubectl::Drain(what) => what.dry_run,
            Kubectl::Label(what) | Kubectl::Annotate(what) => what.dry_run,
            Kubectl::Verbatim(what) => what.dry_run,
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
        /// Namespace, if given.
        namespace: Option<String>,
        /// `--validate`.
        validation: Validation,
        /// `--save-config`: each object says what it was made of.
        save_config: bool,
        /// `--dry-run`.
        dry_run: DryRun,
        /// `-o`; a table is the line that something was created.
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
        /// `--resource-version`: refused unless the object has it.
        resource_version: Option<String>,
        /// `--dry-run`.
        dry_run: DryRun,
        /// `-o`.
        output: Output,
    },
    /// `rollout`.
    Rollout {
        /// What is done.
        action: RolloutAction,
        /// To what.
        target: Target,
        /// `-o`; `status` has none.
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
    Label(Mark),
    /// `annotate`.
    Annotate(Mark),
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
        /// The object after editing.
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
        /// `--recursive`: fields of fields too, without descriptions.
        recursive: bool,
    },
    /// `top`.
    Top(Top),
    /// `logs`.
    Logs(Logs),
    /// What is kept with its words.
    Verbatim(Box<super::Verbatim>),
}

/// From when on lines of a log are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Since {
    /// That long before now.
    Ago(Span),
    /// An instant.
    At(Time),
}
