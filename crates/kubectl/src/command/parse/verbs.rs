//! Table of kubectl's verbs with their flags, which parsing, help and completion use.

use podscope_api::Kind;

use super::super::flags::{Flag, Takes};

const NAMESPACE: Flag = ("namespace", 'n', Takes::Value);
const ALL_NAMESPACES: Flag = ("all-namespaces", 'A', Takes::Bool);
const SELECTOR: Flag = ("selector", 'l', Takes::Value);
const FIELD_SELECTOR: Flag = ("field-selector", '-', Takes::Value);
const OUTPUT: Flag = ("output", 'o', Takes::Value);
const FILENAME: Flag = ("filename", 'f', Takes::Value);
const DRY_RUN: Flag = ("dry-run", '-', Takes::Maybe("unchanged"));
const NO_HEADERS: Flag = ("no-headers", '-', Takes::Bool);
const OVERWRITE: Flag = ("overwrite", '-', Takes::Bool);
const ALL: Flag = ("all", '-', Takes::Bool);
const TIMEOUT: Flag = ("timeout", '-', Takes::Value);
const GRACE: Flag = ("grace-period", '-', Takes::Value);
const FORCE: Flag = ("force", '-', Takes::Bool);
const IGNORE_NOT_FOUND: Flag = ("ignore-not-found", '-', Takes::Bool);
const WATCH: Flag = ("watch", 'w', Takes::Bool);
const TEMPLATE: Flag = ("template", '-', Takes::Value);
const RESOURCE_VERSION: Flag = ("resource-version", '-', Takes::Value);
/// Accepted without effect except by `apply --server-side`.
const FIELD_MANAGER: Flag = ("field-manager", '-', Takes::Value);
const ALLOW_MISSING: Flag = ("allow-missing-template-keys", '-', Takes::Bool);
const LOCAL: Flag = ("local", '-', Takes::Bool);
const REVISION: Flag = ("revision", '-', Takes::Value);
const KUSTOMIZE: Flag = ("kustomize", 'k', Takes::Value);
const RECURSIVE: Flag = ("recursive", 'R', Takes::Bool);
const SAVE_CONFIG: Flag = ("save-config", '-', Takes::Bool);
const FROM_LITERAL: Flag = ("from-literal", '-', Takes::Value);
const FROM_FILE: Flag = ("from-file", '-', Takes::Value);
const FROM_ENV_FILE: Flag = ("from-env-file", '-', Takes::Value);
const APPEND_HASH: Flag = ("append-hash", '-', Takes::Bool);
const IMAGE: Flag = ("image", '-', Takes::Value);
const TCP: Flag = ("tcp", '-', Takes::Value);
const CONTAINERS: Flag = ("containers", 'c', Takes::Value);
const VALIDATE: Flag = ("validate", '-', Takes::Maybe("strict"));
const CHUNK_SIZE: Flag = ("chunk-size", '-', Takes::Value);

/// A kubectl verb. The name of a sub-command includes its group (`rollout status`).
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
         WATCH, ("watch-only", '-', Takes::Bool), ("output-watch-events", '-', Takes::Bool), TEMPLATE, ALLOW_MISSING, CHUNK_SIZE, FILENAME, KUSTOMIZE, RECURSIVE,
         ("show-kind", '-', Takes::Bool), ("subresource", '-', Takes::Value), ("raw", '-', Takes::Value), ("server-print", '-', Takes::Bool)];
    "describe", "TYPE [NAME…] | TYPE/NAME…", "Show details of a specific resource or group of resources",
        [NAMESPACE, ALL_NAMESPACES, SELECTOR, FILENAME, KUSTOMIZE, RECURSIVE, CHUNK_SIZE, ("show-events", '-', Takes::Bool)];
    "apply", "-f - <<'EOF'", "Apply a configuration to a resource by file name or stdin",
        [NAMESPACE, FILENAME, KUSTOMIZE, RECURSIVE, SELECTOR, ALL, VALIDATE, DRY_RUN, OUTPUT, TEMPLATE, FORCE, FIELD_MANAGER, OVERWRITE, ("prune", '-', Takes::Bool), ("prune-allowlist", '-', Takes::Value), ("wait", '-', Takes::Bool), TIMEOUT, GRACE,
         ("server-side", '-', Takes::Bool), ("force-conflicts", '-', Takes::Bool)];
    "apply view-last-applied", "TYPE/NAME", "View the latest last-applied-configuration annotations of a resource", [NAMESPACE, SELECTOR, ALL, OUTPUT, FILENAME, KUSTOMIZE, RECURSIVE];
    "apply set-last-applied", "-f - <<'EOF'", "Set the last-applied-configuration annotation on a live object to match the contents of a file",
        [NAMESPACE, FILENAME, DRY_RUN, OUTPUT, TEMPLATE, ("create-annotation", '-', Takes::Bool)];
    "apply edit-last-applied", "TYPE/NAME <<'EOF'", "Edit latest last-applied-configuration annotations of a resource", [NAMESPACE, OUTPUT, TEMPLATE, FIELD_MANAGER, VALIDATE];
    "create", "-f - <<'EOF' | KIND NAME", "Create a resource from a file or from stdin", [NAMESPACE, FILENAME, KUSTOMIZE, RECURSIVE, SELECTOR, VALIDATE, DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, ("edit", '-', Takes::Bool)];
    "create clusterrole", "NAME --verb=VERB --resource=TYPE", "Create a cluster role",
        [DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, ("verb", '-', Takes::Value), ("resource", '-', Takes::Value), ("resource-name", '-', Takes::Value), ("non-resource-url", '-', Takes::Value), ("aggregation-rule", '-', Takes::Value)];
    "create clusterrolebinding", "NAME --clusterrole=NAME", "Create a cluster role binding for a particular cluster role",
        [DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, ("clusterrole", '-', Takes::Value), ("user", '-', Takes::Value), ("group", '-', Takes::Value), ("serviceaccount", '-', Takes::Value)];
    "create configmap", "NAME [--from-literal=KEY=VALUE]", "Create a config map from a local file, directory or literal value",
        [NAMESPACE, DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, FROM_LITERAL, FROM_FILE, FROM_ENV_FILE, APPEND_HASH];
    "create cronjob", "NAME --image=IMAGE --schedule='0/5 * * * ?' [-- COMMAND]", "Create a cron job with the specified name",
        [NAMESPACE, DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, IMAGE, ("schedule", '-', Takes::Value), ("restart", '-', Takes::Value)];
    "create deployment", "NAME --image=IMAGE [-- COMMAND]", "Create a deployment with the specified name",
        [NAMESPACE, DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, IMAGE, ("replicas", 'r', Takes::Value), ("port", '-', Takes::Value)];
    "create ingress", "NAME --rule=HOST/PATH=SERVICE:PORT", "Create an ingress with the specified name",
        [NAMESPACE, DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, ("rule", '-', Takes::Value), ("class", '-', Takes::Value), ("default-backend", '-', Takes::Value), ("annotation", '-', Takes::Value)];
    "create job", "NAME --image=IMAGE [--from=cronjob/NAME] [-- COMMAND]", "Create a job with the specified name",
        [NAMESPACE, DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, IMAGE, ("from", '-', Takes::Value)];
    "create namespace", "NAME", "Create a namespace with the specified name", [NAMESPACE, DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE];
    "create poddisruptionbudget", "NAME --selector=SELECTOR --min-available=N", "Create a pod disruption budget with the specified name",
        [NAMESPACE, DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, ("selector", '-', Takes::Value), ("min-available", '-', Takes::Value), ("max-unavailable", '-', Takes::Value)];
    "create priorityclass", "NAME --value=VALUE", "Create a priority class with the specified name",
        [DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, ("value", '-', Takes::Value), ("global-default", '-', Takes::Bool), ("preemption-policy", '-', Takes::Value), ("description", '-', Takes::Value)];
    "create quota", "NAME --hard=KEY=VALUE", "Create a quota with the specified name",
        [NAMESPACE, DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, ("hard", '-', Takes::Value), ("scopes", '-', Takes::Value)];
    "create role", "NAME --verb=VERB --resource=TYPE", "Create a role with single rule",
        [NAMESPACE, DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, ("verb", '-', Takes::Value), ("resource", '-', Takes::Value), ("resource-name", '-', Takes::Value)];
    "create rolebinding", "NAME --role=NAME|--clusterrole=NAME", "Create a role binding for a particular role or cluster role",
        [NAMESPACE, DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, ("role", '-', Takes::Value), ("clusterrole", '-', Takes::Value), ("user", '-', Takes::Value), ("group", '-', Takes::Value), ("serviceaccount", '-', Takes::Value)];
    "create secret docker-registry", "NAME --docker-username=USER --docker-password=PASSWORD", "Create a secret for use with a Docker registry",
        [NAMESPACE, DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, FROM_FILE, APPEND_HASH, ("docker-username", '-', Takes::Value), ("docker-password", '-', Takes::Value), ("docker-email", '-', Takes::Value), ("docker-server", '-', Takes::Value)];
    "create secret generic", "NAME [--from-literal=KEY=VALUE]", "Create a secret from a local file, directory, or literal value",
        [NAMESPACE, DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, FROM_LITERAL, FROM_FILE, FROM_ENV_FILE, APPEND_HASH, ("type", '-', Takes::Value)];
    "create secret tls", "NAME --cert=FILE --key=FILE", "Create a TLS secret", [NAMESPACE, DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, APPEND_HASH, ("cert", '-', Takes::Value), ("key", '-', Takes::Value)];
    "create service clusterip", "NAME --tcp=PORT[:TARGET]", "Create a ClusterIP service", [NAMESPACE, DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, TCP, ("clusterip", '-', Takes::Value)];
    "create service externalname", "NAME --external-name=NAME", "Create an ExternalName service", [NAMESPACE, DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, TCP, ("external-name", '-', Takes::Value)];
    "create service loadbalancer", "NAME --tcp=PORT[:TARGET]", "Create a LoadBalancer service", [NAMESPACE, DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, TCP];
    "create service nodeport", "NAME --tcp=PORT[:TARGET]", "Create a NodePort service", [NAMESPACE, DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, TCP, ("node-port", '-', Takes::Value)];
    "create serviceaccount", "NAME", "Create a service account with the specified name", [NAMESPACE, DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE];
    "create token", "ACCOUNT", "Request a service account token",
        [NAMESPACE, OUTPUT, TEMPLATE, ("audience", '-', Takes::Value), ("duration", '-', Takes::Value), ("bound-object-kind", '-', Takes::Value), ("bound-object-name", '-', Takes::Value), ("bound-object-uid", '-', Takes::Value)];
    "run", "NAME --image=IMAGE [-- COMMAND]", "Run a particular image on the cluster",
        [NAMESPACE, DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, IMAGE, ("restart", '-', Takes::Value), ("labels", 'l', Takes::Value), ("env", '-', Takes::Value), ("port", '-', Takes::Value),
         ("expose", '-', Takes::Bool), ("command", '-', Takes::Bool), ("annotations", '-', Takes::Value), ("image-pull-policy", '-', Takes::Value), ("overrides", '-', Takes::Value), ("override-type", '-', Takes::Value),
         ("privileged", '-', Takes::Bool), ("attach", '-', Takes::Bool), ("stdin", 'i', Takes::Bool), ("tty", 't', Takes::Bool), ("rm", '-', Takes::Bool), ("quiet", 'q', Takes::Bool),
         ("leave-stdin-open", '-', Takes::Bool), ("grace-period", '-', Takes::Value), TIMEOUT, FORCE, ("wait", '-', Takes::Bool), ("cascade", '-', Takes::Maybe("background")), ("pod-running-timeout", '-', Takes::Value)];
    "expose", "TYPE/NAME --port=PORT [--target-port=PORT] [--name=NAME]", "Take a replication controller, service, deployment or pod and expose it as a new Kubernetes service",
        [NAMESPACE, DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, FILENAME, KUSTOMIZE, RECURSIVE, ("name", '-', Takes::Value), ("port", '-', Takes::Value), ("target-port", '-', Takes::Value), ("protocol", '-', Takes::Value), ("type", '-', Takes::Value),
         ("selector", '-', Takes::Value), ("labels", 'l', Takes::Value), ("cluster-ip", '-', Takes::Value), ("external-ip", '-', Takes::Value), ("load-balancer-ip", '-', Takes::Value),
         ("session-affinity", '-', Takes::Value), ("overrides", '-', Takes::Value), ("override-type", '-', Takes::Value)];
    "autoscale", "TYPE/NAME [--min=MINPODS] --max=MAXPODS [--cpu=PERCENT]", "Auto-scale a deployment, replica set, stateful set, or replication controller",
        [NAMESPACE, DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, FILENAME, KUSTOMIZE, RECURSIVE, ("name", '-', Takes::Value), ("min", '-', Takes::Value), ("max", '-', Takes::Value), ("cpu", '-', Takes::Value), ("cpu-percent", '-', Takes::Value), ("memory", '-', Takes::Value)];
    "wait", "TYPE/NAME --for=delete|create|condition=NAME|jsonpath='{.path}'=VALUE", "Wait for a specific condition on one or many resources",
        [NAMESPACE, ALL_NAMESPACES, ALL, SELECTOR, FIELD_SELECTOR, FILENAME, KUSTOMIZE, RECURSIVE, OUTPUT, TEMPLATE, ("for", '-', Takes::Value), TIMEOUT];
    "replace", "-f - <<'EOF'", "Replace a resource by file name or stdin", [NAMESPACE, FILENAME, KUSTOMIZE, RECURSIVE, DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, FORCE, GRACE, TIMEOUT, ("cascade", '-', Takes::Maybe("background")), ("wait", '-', Takes::Bool)];
    "diff", "-f - <<'EOF'", "Diff the live version against a would-be applied version", [NAMESPACE, FILENAME, KUSTOMIZE, RECURSIVE, SELECTOR, FIELD_MANAGER, ("server-side", '-', Takes::Bool)];
    "delete", "TYPE NAME… | TYPE/NAME… | TYPE -l SELECTOR | -f - <<'EOF'", "Delete resources by names or by resources and label selector",
        [NAMESPACE, ALL_NAMESPACES, ALL, SELECTOR, FIELD_SELECTOR, FILENAME, KUSTOMIZE, RECURSIVE, GRACE, FORCE, ("now", '-', Takes::Bool), ("wait", '-', Takes::Bool),
         TIMEOUT, ("cascade", '-', Takes::Maybe("background")), IGNORE_NOT_FOUND, OUTPUT, DRY_RUN, ("interactive", 'i', Takes::Bool)];
    "scale", "TYPE/NAME --replicas=COUNT", "Set a new size for a deployment, replica set, or stateful set",
        [NAMESPACE, ALL, SELECTOR, ("replicas", '-', Takes::Value), ("current-replicas", '-', Takes::Value), RESOURCE_VERSION, TIMEOUT, FILENAME, KUSTOMIZE, RECURSIVE, DRY_RUN, OUTPUT, TEMPLATE];
    "rollout status", "TYPE/NAME", "Show the status of the rollout", [NAMESPACE, SELECTOR, FILENAME, KUSTOMIZE, RECURSIVE, WATCH, TIMEOUT, REVISION];
    "rollout undo", "TYPE/NAME", "Undo a previous rollout", [NAMESPACE, SELECTOR, FILENAME, KUSTOMIZE, RECURSIVE, ("to-revision", '-', Takes::Value), DRY_RUN, OUTPUT, TEMPLATE];
    "rollout restart", "TYPE/NAME", "Restart a resource", [NAMESPACE, SELECTOR, FILENAME, KUSTOMIZE, RECURSIVE, OUTPUT, TEMPLATE, FIELD_MANAGER];
    "rollout pause", "TYPE/NAME", "Mark the provided resource as paused", [NAMESPACE, SELECTOR, FILENAME, KUSTOMIZE, RECURSIVE, OUTPUT, TEMPLATE, FIELD_MANAGER];
    "rollout resume", "TYPE/NAME", "Resume a paused resource", [NAMESPACE, SELECTOR, FILENAME, KUSTOMIZE, RECURSIVE, OUTPUT, TEMPLATE, FIELD_MANAGER];
    "rollout history", "TYPE/NAME", "View rollout history", [NAMESPACE, SELECTOR, FILENAME, KUSTOMIZE, RECURSIVE, REVISION, OUTPUT, TEMPLATE];
    "cordon", "NODE", "Mark node as unschedulable", [SELECTOR, DRY_RUN];
    "uncordon", "NODE", "Mark node as schedulable", [SELECTOR, DRY_RUN];
    "drain", "NODE", "Drain node in preparation for maintenance",
        [SELECTOR, ("ignore-daemonsets", '-', Takes::Bool), ("delete-emptydir-data", '-', Takes::Bool), FORCE, GRACE, TIMEOUT,
         CHUNK_SIZE, ("disable-eviction", '-', Takes::Bool), ("pod-selector", '-', Takes::Value), ("skip-wait-for-delete-timeout", '-', Takes::Value), DRY_RUN];
    "taint", "NODE NAME KEY=VALUE:EFFECT… | KEY:EFFECT-…", "Update the taints on one or more nodes", [ALL, SELECTOR, OVERWRITE, DRY_RUN, OUTPUT, TEMPLATE, FIELD_MANAGER, VALIDATE];
    "label", "TYPE NAME KEY=VALUE… KEY-…", "Update the labels on a resource",
        [NAMESPACE, ALL_NAMESPACES, ALL, SELECTOR, FIELD_SELECTOR, OVERWRITE, ("list", '-', Takes::Bool), RESOURCE_VERSION, LOCAL, FILENAME, KUSTOMIZE, RECURSIVE, DRY_RUN, OUTPUT, TEMPLATE, FIELD_MANAGER];
    "annotate", "TYPE NAME KEY=VALUE… KEY-…", "Update the annotations on a resource",
        [NAMESPACE, ALL_NAMESPACES, ALL, SELECTOR, FIELD_SELECTOR, OVERWRITE, ("list", '-', Takes::Bool), RESOURCE_VERSION, LOCAL, FILENAME, KUSTOMIZE, RECURSIVE, DRY_RUN, OUTPUT, TEMPLATE, FIELD_MANAGER];
    "patch", "TYPE NAME -p PATCH", "Update fields of a resource",
        [NAMESPACE, FILENAME, KUSTOMIZE, RECURSIVE, ("patch", 'p', Takes::Value), ("type", '-', Takes::Value), ("subresource", '-', Takes::Value), ("patch-file", '-', Takes::Value), LOCAL, DRY_RUN, OUTPUT, TEMPLATE, FIELD_MANAGER];
    "edit", "TYPE/NAME <<'EOF'", "Edit a resource on the server", [NAMESPACE, OUTPUT, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, ("subresource", '-', Takes::Value)];
    "set image", "TYPE/NAME CONTAINER=IMAGE…", "Update the image of a pod template", [NAMESPACE, ALL, SELECTOR, LOCAL, FILENAME, KUSTOMIZE, RECURSIVE, DRY_RUN, OUTPUT, TEMPLATE, FIELD_MANAGER];
    "events", "", "List events", [NAMESPACE, ALL_NAMESPACES, OUTPUT, TEMPLATE, ("for", '-', Takes::Value), ("types", '-', Takes::Value), NO_HEADERS, WATCH, CHUNK_SIZE];
    "explain", "TYPE[.FIELD…]", "Get documentation for a resource", [RECURSIVE, OUTPUT, ("api-version", '-', Takes::Value)];
    "top", "node [NAME] | pod [NAME]", "Display resource (CPU/memory) usage",
        [NAMESPACE, ALL_NAMESPACES, SELECTOR, ("containers", '-', Takes::Bool), ("sort-by", '-', Takes::Value), NO_HEADERS, ("sum", '-', Takes::Bool)];
    "logs", "POD | TYPE/NAME | -l SELECTOR [-c CONTAINER]", "Print the logs for a container in a pod",
        [NAMESPACE, SELECTOR, ("container", 'c', Takes::Value), ("follow", 'f', Takes::Bool), ("since", '-', Takes::Value), ("since-time", '-', Takes::Value), ("limit-bytes", '-', Takes::Value), ("prefix", '-', Takes::Bool), ("previous", 'p', Takes::Bool), ("all-containers", '-', Takes::Bool), ("timestamps", '-', Takes::Bool), ("tail", '-', Takes::Value),
         ("ignore-errors", '-', Takes::Bool), ("max-log-requests", '-', Takes::Value), ("pod-running-timeout", '-', Takes::Value), ("insecure-skip-tls-verify-backend", '-', Takes::Bool)];
    "set env", "TYPE/NAME NAME=VALUE… NAME-…", "Update environment variables on a pod template",
        [NAMESPACE, ALL, SELECTOR, DRY_RUN, OUTPUT, TEMPLATE, FIELD_MANAGER, FILENAME, KUSTOMIZE, RECURSIVE, LOCAL, OVERWRITE, CONTAINERS, ("from", '-', Takes::Value), ("prefix", '-', Takes::Value), ("keys", '-', Takes::Value), ("list", '-', Takes::Bool), ("resolve", '-', Takes::Bool), ("env", 'e', Takes::Value)];
    "set resources", "TYPE/NAME --limits=… --requests=…", "Update resource requests/limits on objects with pod templates",
        [NAMESPACE, ALL, SELECTOR, DRY_RUN, OUTPUT, TEMPLATE, FIELD_MANAGER, FILENAME, KUSTOMIZE, RECURSIVE, LOCAL, CONTAINERS, ("limits", '-', Takes::Value), ("requests", '-', Takes::Value)];
    "set selector", "svc NAME KEY=VALUE", "Set the selector on a resource", [NAMESPACE, ALL, DRY_RUN, OUTPUT, TEMPLATE, FIELD_MANAGER, FILENAME, KUSTOMIZE, RECURSIVE, LOCAL, RESOURCE_VERSION];
    "set serviceaccount", "TYPE/NAME ACCOUNT", "Update the service account of a resource", [NAMESPACE, ALL, DRY_RUN, OUTPUT, TEMPLATE, FIELD_MANAGER, FILENAME, KUSTOMIZE, RECURSIVE, LOCAL];
    "set subject", "(ROLEBINDING | CLUSTERROLEBINDING) NAME [--user=USER] [--group=GROUP] [--serviceaccount=NAMESPACE:NAME]", "Update the user, group, or service account in a role binding or cluster role binding",
        [NAMESPACE, ALL, SELECTOR, DRY_RUN, OUTPUT, TEMPLATE, FIELD_MANAGER, FILENAME, KUSTOMIZE, RECURSIVE, LOCAL, ("user", '-', Takes::Value), ("group", '-', Takes::Value), ("serviceaccount", '-', Takes::Value)];
    "auth can-i", "VERB TYPE[/NAME]", "Check whether an action is allowed", [NAMESPACE, ALL_NAMESPACES, ("list", '-', Takes::Bool), ("quiet", 'q', Takes::Bool), NO_HEADERS, ("subresource", '-', Takes::Value)];
    "auth whoami", "", "Experimental: Check self subject attributes", [OUTPUT, TEMPLATE];
    "cluster-info", "", "Display cluster information", [];
    "api-resources", "", "Print the supported API resources on the server",
        [OUTPUT, NO_HEADERS, ("api-group", '-', Takes::Value), ("namespaced", '-', Takes::Bool), ("sort-by", '-', Takes::Value), ("verbs", '-', Takes::Value), ("cached", '-', Takes::Bool), ("categories", '-', Takes::Value)];
    "api-versions", "", "Print the supported API versions on the server, in the form of \"group/version\"", [];
    "config current-context", "", "Display the current-context", [];
    "config get-contexts", "", "Describe one or many contexts", [NO_HEADERS, OUTPUT];
    "config get-clusters", "", "Display clusters defined in the kubeconfig", [];
    "config get-users", "", "Display users defined in the kubeconfig", [];
    "config set-context", "[NAME | --current] [--namespace=NAMESPACE]", "Set a context entry in kubeconfig", [NAMESPACE, ("current", '-', Takes::Bool), ("cluster", '-', Takes::Value), ("user", '-', Takes::Value)];
    "config use-context", "CONTEXT_NAME", "Set the current-context in a kubeconfig file", [];
    "config view", "", "Display merged kubeconfig settings or a specified kubeconfig file", [OUTPUT, ("minify", '-', Takes::Bool), ("raw", '-', Takes::Bool)];
    "version", "", "Print the client and server version information", [OUTPUT, ("client", '-', Takes::Bool)];
}

/// The kinds that `get all` lists (KC-063).
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

/// Returns whether `get all` lists the kind.
pub(crate) fn is_in_all(kind: Kind) -> bool {
    ALL_KINDS.contains(&kind)
}
