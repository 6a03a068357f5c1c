//! Table of kubectl's verbs with their flags, which parsing, help and completion use.

use podscope_api::Kind;

use super::super::flags::{Flag, FlagTakes};

const NAMESPACE: Flag = ("namespace", 'n', FlagTakes::Value);
const ALL_NAMESPACES: Flag = ("all-namespaces", 'A', FlagTakes::Bool);
const SELECTOR: Flag = ("selector", 'l', FlagTakes::Value);
const FIELD_SELECTOR: Flag = ("field-selector", '-', FlagTakes::Value);
const OUTPUT: Flag = ("output", 'o', FlagTakes::Value);
const FILENAME: Flag = ("filename", 'f', FlagTakes::Value);
const DRY_RUN: Flag = ("dry-run", '-', FlagTakes::Maybe("unchanged"));
const NO_HEADERS: Flag = ("no-headers", '-', FlagTakes::Bool);
const OVERWRITE: Flag = ("overwrite", '-', FlagTakes::Bool);
const ALL: Flag = ("all", '-', FlagTakes::Bool);
const TIMEOUT: Flag = ("timeout", '-', FlagTakes::Value);
const GRACE: Flag = ("grace-period", '-', FlagTakes::Value);
const FORCE: Flag = ("force", '-', FlagTakes::Bool);
const IGNORE_NOT_FOUND: Flag = ("ignore-not-found", '-', FlagTakes::Bool);
const WATCH: Flag = ("watch", 'w', FlagTakes::Bool);
const TEMPLATE: Flag = ("template", '-', FlagTakes::Value);
const RESOURCE_VERSION: Flag = ("resource-version", '-', FlagTakes::Value);
/// `--field-manager` has an effect only with `apply --server-side`.
const FIELD_MANAGER: Flag = ("field-manager", '-', FlagTakes::Value);
const ALLOW_MISSING: Flag = ("allow-missing-template-keys", '-', FlagTakes::Bool);
const LOCAL: Flag = ("local", '-', FlagTakes::Bool);
const REVISION: Flag = ("revision", '-', FlagTakes::Value);
const KUSTOMIZE: Flag = ("kustomize", 'k', FlagTakes::Value);
const RECURSIVE: Flag = ("recursive", 'R', FlagTakes::Bool);
const SAVE_CONFIG: Flag = ("save-config", '-', FlagTakes::Bool);
const FROM_LITERAL: Flag = ("from-literal", '-', FlagTakes::Value);
const FROM_FILE: Flag = ("from-file", '-', FlagTakes::Value);
const FROM_ENV_FILE: Flag = ("from-env-file", '-', FlagTakes::Value);
const APPEND_HASH: Flag = ("append-hash", '-', FlagTakes::Bool);
const IMAGE: Flag = ("image", '-', FlagTakes::Value);
const TCP: Flag = ("tcp", '-', FlagTakes::Value);
const CONTAINERS: Flag = ("containers", 'c', FlagTakes::Value);
const VALIDATE: Flag = ("validate", '-', FlagTakes::Maybe("strict"));
const CHUNK_SIZE: Flag = ("chunk-size", '-', FlagTakes::Value);

/// A kubectl verb. The name of a sub-command includes its group (`rollout status`).
pub(crate) struct Verb {
    pub(crate) name: &'static str,
    /// Text that kubectl prints after the name in its `Usage:` line, without `[options]` at the end.
    pub(crate) usage: &'static str,
    pub(crate) summary: &'static str,
    pub(crate) flags: &'static [Flag],
}

macro_rules! verbs {
    ($($name:literal, $usage:literal, $summary:literal, [$($flag:expr),* $(,)?];)*) => {
        /// All kubectl verbs that the parser knows.
        pub(crate) const VERBS: &[Verb] = &[$(Verb { name: $name, usage: $usage, summary: $summary, flags: &[$($flag),*] }),*];
    };
}
verbs! {
    "get", "[(-o|--output=)json|yaml|kyaml|name|go-template|go-template-file|template|templatefile|jsonpath|jsonpath-as-json|jsonpath-file|custom-columns|custom-columns-file|wide] (TYPE[.VERSION][.GROUP] [NAME | -l label] | TYPE[.VERSION][.GROUP]/NAME ...) [flags]", "Display one or many resources",
        [NAMESPACE, ALL_NAMESPACES, SELECTOR, FIELD_SELECTOR, OUTPUT, ("label-columns", 'L', FlagTakes::Value), ("show-labels", '-', FlagTakes::Bool),
         NO_HEADERS, ("sort-by", '-', FlagTakes::Value), IGNORE_NOT_FOUND,
         ("show-managed-fields", '-', FlagTakes::Bool),
         WATCH, ("watch-only", '-', FlagTakes::Bool), ("output-watch-events", '-', FlagTakes::Bool), TEMPLATE, ALLOW_MISSING, CHUNK_SIZE, FILENAME, KUSTOMIZE, RECURSIVE,
         ("show-kind", '-', FlagTakes::Bool), ("subresource", '-', FlagTakes::Value), ("raw", '-', FlagTakes::Value), ("server-print", '-', FlagTakes::Bool)];
    "describe", "(-f FILENAME | TYPE [NAME_PREFIX | -l label] | TYPE/NAME)", "Show details of a specific resource or group of resources",
        [NAMESPACE, ALL_NAMESPACES, SELECTOR, FILENAME, KUSTOMIZE, RECURSIVE, CHUNK_SIZE, ("show-events", '-', FlagTakes::Bool)];
    "apply", "(-f FILENAME | -k DIRECTORY)", "Apply a configuration to a resource by file name or stdin",
        [NAMESPACE, FILENAME, KUSTOMIZE, RECURSIVE, SELECTOR, ALL, VALIDATE, DRY_RUN, OUTPUT, TEMPLATE, FORCE, FIELD_MANAGER, OVERWRITE, ("prune", '-', FlagTakes::Bool), ("prune-allowlist", '-', FlagTakes::Value), ("wait", '-', FlagTakes::Bool), TIMEOUT, GRACE,
         ("server-side", '-', FlagTakes::Bool), ("force-conflicts", '-', FlagTakes::Bool)];
    "apply view-last-applied", "(TYPE [NAME | -l label] | TYPE/NAME | -f FILENAME)", "View the latest last-applied-configuration annotations of a resource", [NAMESPACE, SELECTOR, ALL, OUTPUT, FILENAME, KUSTOMIZE, RECURSIVE];
    "apply set-last-applied", "-f FILENAME", "Set the last-applied-configuration annotation on a live object to match the contents of a file",
        [NAMESPACE, FILENAME, DRY_RUN, OUTPUT, TEMPLATE, ("create-annotation", '-', FlagTakes::Bool)];
    "apply edit-last-applied", "(RESOURCE/NAME | -f FILENAME)", "Edit latest last-applied-configuration annotations of a resource", [NAMESPACE, OUTPUT, TEMPLATE, FIELD_MANAGER, VALIDATE];
    "create", "-f FILENAME", "Create a resource from a file or from stdin", [NAMESPACE, FILENAME, KUSTOMIZE, RECURSIVE, SELECTOR, VALIDATE, DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, ("edit", '-', FlagTakes::Bool)];
    "create clusterrole", "NAME --verb=verb --resource=resource.group [--resource-name=resourcename] [--dry-run=server|client|none]", "Create a cluster role",
        [DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, ("verb", '-', FlagTakes::Value), ("resource", '-', FlagTakes::Value), ("resource-name", '-', FlagTakes::Value), ("non-resource-url", '-', FlagTakes::Value), ("aggregation-rule", '-', FlagTakes::Value)];
    "create clusterrolebinding", "NAME --clusterrole=NAME [--user=username] [--group=groupname] [--serviceaccount=namespace:serviceaccountname] [--dry-run=server|client|none]", "Create a cluster role binding for a particular cluster role",
        [DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, ("clusterrole", '-', FlagTakes::Value), ("user", '-', FlagTakes::Value), ("group", '-', FlagTakes::Value), ("serviceaccount", '-', FlagTakes::Value)];
    "create configmap", "NAME [--from-file=[key=]source] [--from-literal=key1=value1] [--dry-run=server|client|none]", "Create a config map from a local file, directory or literal value",
        [NAMESPACE, DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, FROM_LITERAL, FROM_FILE, FROM_ENV_FILE, APPEND_HASH];
    "create cronjob", "NAME --image=image --schedule='0/5 * * * ?' -- [COMMAND] [args...] [flags]", "Create a cron job with the specified name",
        [NAMESPACE, DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, IMAGE, ("schedule", '-', FlagTakes::Value), ("restart", '-', FlagTakes::Value)];
    "create deployment", "NAME --image=image -- [COMMAND] [args...]", "Create a deployment with the specified name",
        [NAMESPACE, DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, IMAGE, ("replicas", 'r', FlagTakes::Value), ("port", '-', FlagTakes::Value)];
    "create ingress", "NAME --rule=host/path=service:port[,tls[=secret]]", "Create an ingress with the specified name",
        [NAMESPACE, DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, ("rule", '-', FlagTakes::Value), ("class", '-', FlagTakes::Value), ("default-backend", '-', FlagTakes::Value), ("annotation", '-', FlagTakes::Value)];
    "create job", "NAME --image=image [--from=cronjob/name] -- [COMMAND] [args...]", "Create a job with the specified name",
        [NAMESPACE, DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, IMAGE, ("from", '-', FlagTakes::Value)];
    "create namespace", "NAME [--dry-run=server|client|none]", "Create a namespace with the specified name", [NAMESPACE, DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE];
    "create poddisruptionbudget", "NAME --selector=SELECTOR --min-available=N [--dry-run=server|client|none]", "Create a pod disruption budget with the specified name",
        [NAMESPACE, DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, ("selector", '-', FlagTakes::Value), ("min-available", '-', FlagTakes::Value), ("max-unavailable", '-', FlagTakes::Value)];
    "create priorityclass", "NAME --value=VALUE --global-default=BOOL [--dry-run=server|client|none]", "Create a priority class with the specified name",
        [DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, ("value", '-', FlagTakes::Value), ("global-default", '-', FlagTakes::Bool), ("preemption-policy", '-', FlagTakes::Value), ("description", '-', FlagTakes::Value)];
    "create quota", "NAME [--hard=key1=value1,key2=value2] [--scopes=Scope1,Scope2] [--dry-run=server|client|none]", "Create a quota with the specified name",
        [NAMESPACE, DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, ("hard", '-', FlagTakes::Value), ("scopes", '-', FlagTakes::Value)];
    "create role", "NAME --verb=verb --resource=resource.group/subresource [--resource-name=resourcename] [--dry-run=server|client|none]", "Create a role with single rule",
        [NAMESPACE, DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, ("verb", '-', FlagTakes::Value), ("resource", '-', FlagTakes::Value), ("resource-name", '-', FlagTakes::Value)];
    "create rolebinding", "NAME --clusterrole=NAME|--role=NAME [--user=username] [--group=groupname] [--serviceaccount=namespace:serviceaccountname] [--dry-run=server|client|none]", "Create a role binding for a particular role or cluster role",
        [NAMESPACE, DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, ("role", '-', FlagTakes::Value), ("clusterrole", '-', FlagTakes::Value), ("user", '-', FlagTakes::Value), ("group", '-', FlagTakes::Value), ("serviceaccount", '-', FlagTakes::Value)];
    "create secret docker-registry", "NAME --docker-username=user --docker-password=password --docker-email=email [--docker-server=string] [--from-file=[key=]source] [--dry-run=server|client|none]", "Create a secret for use with a Docker registry",
        [NAMESPACE, DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, FROM_FILE, APPEND_HASH, ("docker-username", '-', FlagTakes::Value), ("docker-password", '-', FlagTakes::Value), ("docker-email", '-', FlagTakes::Value), ("docker-server", '-', FlagTakes::Value)];
    "create secret generic", "NAME [--type=string] [--from-file=[key=]source] [--from-literal=key1=value1] [--dry-run=server|client|none]", "Create a secret from a local file, directory, or literal value",
        [NAMESPACE, DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, FROM_LITERAL, FROM_FILE, FROM_ENV_FILE, APPEND_HASH, ("type", '-', FlagTakes::Value)];
    "create secret tls", "NAME --cert=path/to/cert/file --key=path/to/key/file [--dry-run=server|client|none]", "Create a TLS secret", [NAMESPACE, DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, APPEND_HASH, ("cert", '-', FlagTakes::Value), ("key", '-', FlagTakes::Value)];
    "create service clusterip", "NAME [--tcp=<port>:<targetPort>] [--dry-run=server|client|none]", "Create a ClusterIP service", [NAMESPACE, DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, TCP, ("clusterip", '-', FlagTakes::Value)];
    "create service externalname", "NAME --external-name external.name [--dry-run=server|client|none]", "Create an ExternalName service", [NAMESPACE, DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, TCP, ("external-name", '-', FlagTakes::Value)];
    "create service loadbalancer", "NAME [--tcp=port:targetPort] [--dry-run=server|client|none]", "Create a LoadBalancer service", [NAMESPACE, DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, TCP];
    "create service nodeport", "NAME [--tcp=port:targetPort] [--dry-run=server|client|none]", "Create a NodePort service", [NAMESPACE, DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, TCP, ("node-port", '-', FlagTakes::Value)];
    "create serviceaccount", "NAME [--dry-run=server|client|none]", "Create a service account with the specified name", [NAMESPACE, DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE];
    "create token", "SERVICE_ACCOUNT_NAME", "Request a service account token",
        [NAMESPACE, OUTPUT, TEMPLATE, ("audience", '-', FlagTakes::Value), ("duration", '-', FlagTakes::Value), ("bound-object-kind", '-', FlagTakes::Value), ("bound-object-name", '-', FlagTakes::Value), ("bound-object-uid", '-', FlagTakes::Value)];
    "run", "NAME --image=image [--env=\"key=value\"] [--port=port] [--dry-run=server|client] [--overrides=inline-json] [--command] -- [COMMAND] [args...]", "Run a particular image on the cluster",
        [NAMESPACE, DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, IMAGE, ("restart", '-', FlagTakes::Value), ("labels", 'l', FlagTakes::Value), ("env", '-', FlagTakes::Value), ("port", '-', FlagTakes::Value),
         ("expose", '-', FlagTakes::Bool), ("command", '-', FlagTakes::Bool), ("annotations", '-', FlagTakes::Value), ("image-pull-policy", '-', FlagTakes::Value), ("overrides", '-', FlagTakes::Value), ("override-type", '-', FlagTakes::Value),
         ("privileged", '-', FlagTakes::Bool), ("attach", '-', FlagTakes::Bool), ("stdin", 'i', FlagTakes::Bool), ("tty", 't', FlagTakes::Bool), ("rm", '-', FlagTakes::Bool), ("quiet", 'q', FlagTakes::Bool),
         ("leave-stdin-open", '-', FlagTakes::Bool), ("grace-period", '-', FlagTakes::Value), TIMEOUT, FORCE, ("wait", '-', FlagTakes::Bool), ("cascade", '-', FlagTakes::Maybe("background")), ("pod-running-timeout", '-', FlagTakes::Value)];
    "expose", "(-f FILENAME | TYPE NAME) [--port=port] [--protocol=TCP|UDP|SCTP] [--target-port=number-or-name] [--name=name] [--external-ip=external-ip-of-service] [--type=type]", "Take a replication controller, service, deployment or pod and expose it as a new Kubernetes service",
        [NAMESPACE, DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, FILENAME, KUSTOMIZE, RECURSIVE, ("name", '-', FlagTakes::Value), ("port", '-', FlagTakes::Value), ("target-port", '-', FlagTakes::Value), ("protocol", '-', FlagTakes::Value), ("type", '-', FlagTakes::Value),
         ("selector", '-', FlagTakes::Value), ("labels", 'l', FlagTakes::Value), ("cluster-ip", '-', FlagTakes::Value), ("external-ip", '-', FlagTakes::Value), ("load-balancer-ip", '-', FlagTakes::Value),
         ("session-affinity", '-', FlagTakes::Value), ("overrides", '-', FlagTakes::Value), ("override-type", '-', FlagTakes::Value)];
    "autoscale", "(-f FILENAME | TYPE NAME | TYPE/NAME) [--min=MINPODS] --max=MAXPODS [--cpu=CPU] [--memory=MEMORY]", "Auto-scale a deployment, replica set, stateful set, or replication controller",
        [NAMESPACE, DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, FILENAME, KUSTOMIZE, RECURSIVE, ("name", '-', FlagTakes::Value), ("min", '-', FlagTakes::Value), ("max", '-', FlagTakes::Value), ("cpu", '-', FlagTakes::Value), ("cpu-percent", '-', FlagTakes::Value), ("memory", '-', FlagTakes::Value)];
    "wait", "([-f FILENAME] | resource.group/resource.name | resource.group [(-l label | --all)]) [--for=create|--for=delete|--for condition=available|--for=jsonpath='{}'[=value]]", "Wait for a specific condition on one or many resources",
        [NAMESPACE, ALL_NAMESPACES, ALL, SELECTOR, FIELD_SELECTOR, FILENAME, KUSTOMIZE, RECURSIVE, OUTPUT, TEMPLATE, ("for", '-', FlagTakes::Value), TIMEOUT];
    "replace", "-f FILENAME", "Replace a resource by file name or stdin", [NAMESPACE, FILENAME, KUSTOMIZE, RECURSIVE, DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, FORCE, GRACE, TIMEOUT, ("cascade", '-', FlagTakes::Maybe("background")), ("wait", '-', FlagTakes::Bool)];
    "diff", "-f FILENAME", "Diff the live version against a would-be applied version", [NAMESPACE, FILENAME, KUSTOMIZE, RECURSIVE, SELECTOR, FIELD_MANAGER, ("server-side", '-', FlagTakes::Bool)];
    "delete", "([-f FILENAME] | [-k DIRECTORY] | TYPE [(NAME | -l label | --all)])", "Delete resources by names or by resources and label selector",
        [NAMESPACE, ALL_NAMESPACES, ALL, SELECTOR, FIELD_SELECTOR, FILENAME, KUSTOMIZE, RECURSIVE, GRACE, FORCE, ("now", '-', FlagTakes::Bool), ("wait", '-', FlagTakes::Bool),
         TIMEOUT, ("cascade", '-', FlagTakes::Maybe("background")), IGNORE_NOT_FOUND, OUTPUT, DRY_RUN, ("interactive", 'i', FlagTakes::Bool)];
    "scale", "[--resource-version=version] [--current-replicas=count] --replicas=COUNT (-f FILENAME | TYPE NAME)", "Set a new size for a deployment, replica set, or stateful set",
        [NAMESPACE, ALL, SELECTOR, ("replicas", '-', FlagTakes::Value), ("current-replicas", '-', FlagTakes::Value), RESOURCE_VERSION, TIMEOUT, FILENAME, KUSTOMIZE, RECURSIVE, DRY_RUN, OUTPUT, TEMPLATE];
    "rollout status", "(TYPE NAME | TYPE/NAME) [flags]", "Show the status of the rollout", [NAMESPACE, SELECTOR, FILENAME, KUSTOMIZE, RECURSIVE, WATCH, TIMEOUT, REVISION];
    "rollout undo", "(TYPE NAME | TYPE/NAME) [flags]", "Undo a previous rollout", [NAMESPACE, SELECTOR, FILENAME, KUSTOMIZE, RECURSIVE, ("to-revision", '-', FlagTakes::Value), DRY_RUN, OUTPUT, TEMPLATE];
    "rollout restart", "RESOURCE", "Restart a resource", [NAMESPACE, SELECTOR, FILENAME, KUSTOMIZE, RECURSIVE, OUTPUT, TEMPLATE, FIELD_MANAGER];
    "rollout pause", "RESOURCE", "Mark the provided resource as paused", [NAMESPACE, SELECTOR, FILENAME, KUSTOMIZE, RECURSIVE, OUTPUT, TEMPLATE, FIELD_MANAGER];
    "rollout resume", "RESOURCE", "Resume a paused resource", [NAMESPACE, SELECTOR, FILENAME, KUSTOMIZE, RECURSIVE, OUTPUT, TEMPLATE, FIELD_MANAGER];
    "rollout history", "(TYPE NAME | TYPE/NAME) [flags]", "View rollout history", [NAMESPACE, SELECTOR, FILENAME, KUSTOMIZE, RECURSIVE, REVISION, OUTPUT, TEMPLATE];
    "cordon", "NODE", "Mark node as unschedulable", [SELECTOR, DRY_RUN];
    "uncordon", "NODE", "Mark node as schedulable", [SELECTOR, DRY_RUN];
    "drain", "NODE", "Drain node in preparation for maintenance",
        [SELECTOR, ("ignore-daemonsets", '-', FlagTakes::Bool), ("delete-emptydir-data", '-', FlagTakes::Bool), FORCE, GRACE, TIMEOUT,
         CHUNK_SIZE, ("disable-eviction", '-', FlagTakes::Bool), ("pod-selector", '-', FlagTakes::Value), ("skip-wait-for-delete-timeout", '-', FlagTakes::Value), DRY_RUN];
    "taint", "NODE NAME KEY_1=VAL_1:TAINT_EFFECT_1 ... KEY_N=VAL_N:TAINT_EFFECT_N", "Update the taints on one or more nodes", [ALL, SELECTOR, OVERWRITE, DRY_RUN, OUTPUT, TEMPLATE, FIELD_MANAGER, VALIDATE];
    "label", "[--overwrite] (-f FILENAME | TYPE NAME) KEY_1=VAL_1 ... KEY_N=VAL_N [--resource-version=version]", "Update the labels on a resource",
        [NAMESPACE, ALL_NAMESPACES, ALL, SELECTOR, FIELD_SELECTOR, OVERWRITE, ("list", '-', FlagTakes::Bool), RESOURCE_VERSION, LOCAL, FILENAME, KUSTOMIZE, RECURSIVE, DRY_RUN, OUTPUT, TEMPLATE, FIELD_MANAGER];
    "annotate", "[--overwrite] (-f FILENAME | TYPE NAME) KEY_1=VAL_1 ... KEY_N=VAL_N [--resource-version=version]", "Update the annotations on a resource",
        [NAMESPACE, ALL_NAMESPACES, ALL, SELECTOR, FIELD_SELECTOR, OVERWRITE, ("list", '-', FlagTakes::Bool), RESOURCE_VERSION, LOCAL, FILENAME, KUSTOMIZE, RECURSIVE, DRY_RUN, OUTPUT, TEMPLATE, FIELD_MANAGER];
    "patch", "(-f FILENAME | TYPE NAME) [-p PATCH|--patch-file FILE]", "Update fields of a resource",
        [NAMESPACE, FILENAME, KUSTOMIZE, RECURSIVE, ("patch", 'p', FlagTakes::Value), ("type", '-', FlagTakes::Value), ("subresource", '-', FlagTakes::Value), ("patch-file", '-', FlagTakes::Value), LOCAL, DRY_RUN, OUTPUT, TEMPLATE, FIELD_MANAGER];
    "edit", "(RESOURCE/NAME | -f FILENAME)", "Edit a resource on the server", [NAMESPACE, OUTPUT, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, ("subresource", '-', FlagTakes::Value)];
    "set image", "(-f FILENAME | TYPE NAME) CONTAINER_NAME_1=CONTAINER_IMAGE_1 ... CONTAINER_NAME_N=CONTAINER_IMAGE_N", "Update the image of a pod template", [NAMESPACE, ALL, SELECTOR, LOCAL, FILENAME, KUSTOMIZE, RECURSIVE, DRY_RUN, OUTPUT, TEMPLATE, FIELD_MANAGER];
    "events", "[(-o|--output=)json|yaml|kyaml|name|go-template|go-template-file|template|templatefile|jsonpath|jsonpath-as-json|jsonpath-file] [--for TYPE/NAME] [--watch] [--types=Normal,Warning]", "List events", [NAMESPACE, ALL_NAMESPACES, OUTPUT, TEMPLATE, ("for", '-', FlagTakes::Value), ("types", '-', FlagTakes::Value), NO_HEADERS, WATCH, CHUNK_SIZE];
    "explain", "TYPE [--recursive=FALSE|TRUE] [--api-version=api-version-group] [-o|--output=plaintext|plaintext-openapiv2]", "Get documentation for a resource", [RECURSIVE, OUTPUT, ("api-version", '-', FlagTakes::Value)];
    "top", "[flags]", "Display resource (CPU/memory) usage",
        [NAMESPACE, ALL_NAMESPACES, SELECTOR, ("containers", '-', FlagTakes::Bool), ("sort-by", '-', FlagTakes::Value), NO_HEADERS, ("sum", '-', FlagTakes::Bool)];
    "logs", "[-f] [-p] (POD | TYPE/NAME) [-c CONTAINER]", "Print the logs for a container in a pod",
        [NAMESPACE, SELECTOR, ("container", 'c', FlagTakes::Value), ("follow", 'f', FlagTakes::Bool), ("since", '-', FlagTakes::Value), ("since-time", '-', FlagTakes::Value), ("limit-bytes", '-', FlagTakes::Value), ("prefix", '-', FlagTakes::Bool), ("previous", 'p', FlagTakes::Bool), ("all-containers", '-', FlagTakes::Bool), ("timestamps", '-', FlagTakes::Bool), ("tail", '-', FlagTakes::Value),
         ("ignore-errors", '-', FlagTakes::Bool), ("max-log-requests", '-', FlagTakes::Value), ("pod-running-timeout", '-', FlagTakes::Value), ("insecure-skip-tls-verify-backend", '-', FlagTakes::Bool)];
    "set env", "RESOURCE/NAME KEY_1=VAL_1 ... KEY_N=VAL_N", "Update environment variables on a pod template",
        [NAMESPACE, ALL, SELECTOR, DRY_RUN, OUTPUT, TEMPLATE, FIELD_MANAGER, FILENAME, KUSTOMIZE, RECURSIVE, LOCAL, OVERWRITE, CONTAINERS, ("from", '-', FlagTakes::Value), ("prefix", '-', FlagTakes::Value), ("keys", '-', FlagTakes::Value), ("list", '-', FlagTakes::Bool), ("resolve", '-', FlagTakes::Bool), ("env", 'e', FlagTakes::Value)];
    "set resources", "(-f FILENAME | TYPE NAME)  ([--limits=LIMITS & --requests=REQUESTS]", "Update resource requests/limits on objects with pod templates",
        [NAMESPACE, ALL, SELECTOR, DRY_RUN, OUTPUT, TEMPLATE, FIELD_MANAGER, FILENAME, KUSTOMIZE, RECURSIVE, LOCAL, CONTAINERS, ("limits", '-', FlagTakes::Value), ("requests", '-', FlagTakes::Value)];
    "set selector", "(-f FILENAME | TYPE NAME) EXPRESSIONS [--resource-version=version]", "Set the selector on a resource", [NAMESPACE, ALL, DRY_RUN, OUTPUT, TEMPLATE, FIELD_MANAGER, FILENAME, KUSTOMIZE, RECURSIVE, LOCAL, RESOURCE_VERSION];
    "set serviceaccount", "(-f FILENAME | TYPE NAME) SERVICE_ACCOUNT", "Update the service account of a resource", [NAMESPACE, ALL, DRY_RUN, OUTPUT, TEMPLATE, FIELD_MANAGER, FILENAME, KUSTOMIZE, RECURSIVE, LOCAL];
    "set subject", "(-f FILENAME | TYPE NAME) [--user=username] [--group=groupname] [--serviceaccount=namespace:serviceaccountname] [--dry-run=server|client|none]", "Update the user, group, or service account in a role binding or cluster role binding",
        [NAMESPACE, ALL, SELECTOR, DRY_RUN, OUTPUT, TEMPLATE, FIELD_MANAGER, FILENAME, KUSTOMIZE, RECURSIVE, LOCAL, ("user", '-', FlagTakes::Value), ("group", '-', FlagTakes::Value), ("serviceaccount", '-', FlagTakes::Value)];
    "auth can-i", "VERB [TYPE | TYPE/NAME | NONRESOURCEURL]", "Check whether an action is allowed", [NAMESPACE, ALL_NAMESPACES, ("list", '-', FlagTakes::Bool), ("quiet", 'q', FlagTakes::Bool), NO_HEADERS, ("subresource", '-', FlagTakes::Value)];
    "auth whoami", "", "Experimental: Check self subject attributes", [OUTPUT, TEMPLATE];
    "cluster-info", "[flags]", "Display cluster information", [];
    "api-resources", "[flags]", "Print the supported API resources on the server",
        [OUTPUT, NO_HEADERS, ("api-group", '-', FlagTakes::Value), ("namespaced", '-', FlagTakes::Bool), ("sort-by", '-', FlagTakes::Value), ("verbs", '-', FlagTakes::Value), ("cached", '-', FlagTakes::Bool), ("categories", '-', FlagTakes::Value)];
    "api-versions", "", "Print the supported API versions on the server, in the form of \"group/version\"", [];
    "config current-context", "[flags]", "Display the current-context", [];
    "config get-contexts", "[(-o|--output=)name)]", "Describe one or many contexts", [NO_HEADERS, OUTPUT];
    "config get-clusters", "[flags]", "Display clusters defined in the kubeconfig", [];
    "config get-users", "[flags]", "Display users defined in the kubeconfig", [];
    "config set-context", "[NAME | --current] [--cluster=cluster_nickname] [--user=user_nickname] [--namespace=namespace]", "Set a context entry in kubeconfig", [NAMESPACE, ("current", '-', FlagTakes::Bool), ("cluster", '-', FlagTakes::Value), ("user", '-', FlagTakes::Value)];
    "config use-context", "CONTEXT_NAME", "Set the current-context in a kubeconfig file", [];
    "config view", "[flags]", "Display merged kubeconfig settings or a specified kubeconfig file", [OUTPUT, ("minify", '-', FlagTakes::Bool), ("raw", '-', FlagTakes::Bool)];
    "version", "[flags]", "Print the client and server version information", [OUTPUT, ("client", '-', FlagTakes::Bool)];
}

/// The kinds that `get all` lists (KC-063).
pub(crate) const KINDS_IN_CATEGORY_ALL: &[Kind] = &[
    Kind::Pod,
    Kind::ReplicationController,
    Kind::Service,
    Kind::DaemonSet,
    Kind::Deployment,
    Kind::ReplicaSet,
    Kind::StatefulSet,
    Kind::HorizontalPodAutoscaler,
    Kind::CronJob,
    Kind::Job,
];

/// The kinds of the category `api-extensions`, in the order of discovery.
pub(crate) const API_EXTENSION_KINDS: &[Kind] = &[
    Kind::ApiService,
    Kind::MutatingWebhookConfiguration,
    Kind::ValidatingAdmissionPolicy,
    Kind::ValidatingAdmissionPolicyBinding,
    Kind::ValidatingWebhookConfiguration,
    Kind::CustomResourceDefinition,
];

/// Returns whether `get all` lists the kind.
pub(crate) fn is_in_category_all(kind: Kind) -> bool {
    KINDS_IN_CATEGORY_ALL.contains(&kind)
}
