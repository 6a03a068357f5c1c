//! The verbs of kubectl with their flags, as data: parsing, help and completion read this table.

use podscope_api::Kind;

use super::super::flags::{Flag, Takes};

const NAMESPACE: Flag = ("namespace", 'n', Takes::Value);
const ALL_NAMESPACES: Flag = ("all-namespaces", 'A', Takes::Bool);
const SELECTOR: Flag = ("selector", 'l', Takes::Value);
const FIELD_SELECTOR: Flag = ("field-selector", '-', Takes::Value);
const OUTPUT: Flag = ("output", 'o', Takes::Value);
const FILENAME: Flag = ("filename", 'f', Takes::Value);
const DRY_RUN: Flag = ("dry-run", '-', Takes::Maybe("client"));
const NO_HEADERS: Flag = ("no-headers", '-', Takes::Bool);
const OVERWRITE: Flag = ("overwrite", '-', Takes::Bool);
const ALL: Flag = ("all", '-', Takes::Bool);
const TIMEOUT: Flag = ("timeout", '-', Takes::Value);
const GRACE: Flag = ("grace-period", '-', Takes::Value);
const FORCE: Flag = ("force", '-', Takes::Bool);
const IGNORE_NOT_FOUND: Flag = ("ignore-not-found", '-', Takes::Bool);
const WATCH: Flag = ("watch", 'w', Takes::Bool);

/// A kubectl verb: name, use, what it does, flags. Sub-commands carry their parent (`rollout status`).
pub(crate) struct Verb {
    pub(crate) name: &'static str,
    pub(crate) usage: &'static str,
    pub(crate) summary: &'static str,
    pub(crate) flags: &'static [Flag],
}

macro_rules! verbs {
    ($($name:literal, $usage:literal, $summary:literal, [$($flag:expr),* $(,)?];)*) => {
        /// Every verb.
        pub(crate) const VERBS: &[Verb] = &[$(Verb { name: $name, usage: $usage, summary: $summary, flags: &[$($flag),*] }),*];
    };
}
verbs! {
    "get", "TYPE[,TYPE] [NAME…] | TYPE/NAME…", "Display one or many resources",
        [NAMESPACE, ALL_NAMESPACES, SELECTOR, FIELD_SELECTOR, OUTPUT, ("label-columns", 'L', Takes::Value), ("show-labels", '-', Takes::Bool),
         NO_HEADERS, ("sort-by", '-', Takes::Value), IGNORE_NOT_FOUND, ("show-managed-fields", '-', Takes::Bool),
         WATCH, ("watch-only", '-', Takes::Bool), ("output-watch-events", '-', Takes::Bool)];
    "describe", "TYPE [NAME…] | TYPE/NAME…", "Show details of a specific resource or group of resources",
        [NAMESPACE, ALL_NAMESPACES, SELECTOR, ("show-events", '-', Takes::Bool)];
    "apply", "-f - <<'EOF'", "Apply a configuration to a resource", [NAMESPACE, FILENAME, DRY_RUN];
    "create", "-f - <<'EOF' | deployment NAME --image=IMAGE | namespace NAME | job NAME --image=IMAGE | configmap NAME | priorityclass NAME --value=N | poddisruptionbudget NAME",
        "Create a resource from standard input or by name",
        [NAMESPACE, FILENAME, DRY_RUN, OUTPUT, ("image", '-', Takes::Value), ("replicas", 'r', Takes::Value), ("from-literal", '-', Takes::Value), ("value", '-', Takes::Value),
         ("global-default", '-', Takes::Bool), ("preemption-policy", '-', Takes::Value), ("description", '-', Takes::Value), SELECTOR,
         ("min-available", '-', Takes::Value), ("max-unavailable", '-', Takes::Value)];
    "run", "NAME --image=IMAGE", "Run a particular image on the cluster",
        [NAMESPACE, DRY_RUN, OUTPUT, ("image", '-', Takes::Value), ("restart", '-', Takes::Value), ("labels", 'l', Takes::Value)];
    "delete", "TYPE NAME… | TYPE/NAME… | TYPE -l SELECTOR | -f - <<'EOF'", "Delete resources by names or by resources and label selector",
        [NAMESPACE, ALL_NAMESPACES, ALL, SELECTOR, FIELD_SELECTOR, FILENAME, GRACE, FORCE, ("now", '-', Takes::Bool), ("wait", '-', Takes::Bool),
         TIMEOUT, ("cascade", '-', Takes::Maybe("background")), IGNORE_NOT_FOUND, OUTPUT, DRY_RUN];
    "scale", "TYPE/NAME --replicas=COUNT", "Set a new size for a deployment, replica set, or stateful set",
        [NAMESPACE, ALL, SELECTOR, ("replicas", '-', Takes::Value), ("current-replicas", '-', Takes::Value), DRY_RUN];
    "rollout status", "TYPE/NAME", "Show the status of the rollout", [NAMESPACE, SELECTOR, WATCH, TIMEOUT];
    "rollout undo", "TYPE/NAME", "Undo a previous rollout", [NAMESPACE, SELECTOR, ("to-revision", '-', Takes::Value), DRY_RUN];
    "rollout restart", "TYPE/NAME", "Restart a resource", [NAMESPACE, SELECTOR];
    "rollout pause", "TYPE/NAME", "Mark the provided resource as paused", [NAMESPACE, SELECTOR];
    "rollout resume", "TYPE/NAME", "Resume a paused resource", [NAMESPACE, SELECTOR];
    "rollout history", "TYPE/NAME", "View rollout history", [NAMESPACE, SELECTOR, ("revision", '-', Takes::Value)];
    "cordon", "NODE", "Mark node as unschedulable", [SELECTOR, DRY_RUN];
    "uncordon", "NODE", "Mark node as schedulable", [SELECTOR, DRY_RUN];
    "drain", "NODE", "Drain node in preparation for maintenance",
        [SELECTOR, ("ignore-daemonsets", '-', Takes::Bool), ("delete-emptydir-data", '-', Takes::Bool), FORCE, GRACE, TIMEOUT,
         ("disable-eviction", '-', Takes::Bool), ("pod-selector", '-', Takes::Value), ("skip-wait-for-delete-timeout", '-', Takes::Value), DRY_RUN];
    "taint", "NODE NAME KEY=VALUE:EFFECT… | KEY:EFFECT-…", "Update the taints on one or more nodes", [ALL, SELECTOR, OVERWRITE, DRY_RUN];
    "label", "TYPE NAME KEY=VALUE… KEY-…", "Update the labels on a resource", [NAMESPACE, ALL_NAMESPACES, ALL, SELECTOR, OVERWRITE, ("list", '-', Takes::Bool), DRY_RUN];
    "annotate", "TYPE NAME KEY=VALUE… KEY-…", "Update the annotations on a resource", [NAMESPACE, ALL_NAMESPACES, ALL, SELECTOR, OVERWRITE, ("list", '-', Takes::Bool), DRY_RUN];
    "patch", "TYPE NAME -p PATCH", "Update fields of a resource",
        [NAMESPACE, ("patch", 'p', Takes::Value), ("type", '-', Takes::Value), ("subresource", '-', Takes::Value), DRY_RUN];
    "edit", "TYPE/NAME <<'EOF'", "Edit a resource on the server", [NAMESPACE];
    "set image", "TYPE/NAME CONTAINER=IMAGE…", "Update the image of a pod template", [NAMESPACE, ALL, SELECTOR, DRY_RUN];
    "events", "", "List events", [NAMESPACE, ALL_NAMESPACES, ("for", '-', Takes::Value), ("types", '-', Takes::Value), NO_HEADERS];
    "explain", "TYPE[.FIELD…]", "Get documentation for a resource", [];
    "top", "node [NAME] | pod [NAME]", "Display resource (CPU/memory) usage",
        [NAMESPACE, ALL_NAMESPACES, SELECTOR, ("containers", '-', Takes::Bool), ("sort-by", '-', Takes::Value), NO_HEADERS, ("sum", '-', Takes::Bool)];
    "logs", "POD [-c CONTAINER]", "Print the logs for a container in a pod",
        [NAMESPACE, ("container", 'c', Takes::Value), ("previous", 'p', Takes::Bool), ("all-containers", '-', Takes::Bool), ("timestamps", '-', Takes::Bool), ("tail", '-', Takes::Value)];
    "api-resources", "", "Print the supported API resources on the server", [];
    "version", "", "Print the client and server version information", [];
}

/// `get all` (KC-063).
pub(crate) const ALL_KINDS: &[Kind] = &[
    Kind::Pod,
    Kind::ReplicationController,
    Kind::Service,
    Kind::DaemonSet,
    Kind::Deployment,
    Kind::ReplicaSet,
    Kind::StatefulSet,
    Kind::Job,
];
