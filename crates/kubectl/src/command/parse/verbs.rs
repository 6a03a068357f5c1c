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
/// `--field-manager` has an effect only with `apply --server-side`.
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
        [NAMESPACE, ALL_NAMESPACES, SELECTOR, FIELD_SELECTOR, OUTPUT, ("label-columns", 'L', Takes::Value), ("show-labels", '-', Takes::Bool),
         NO_HEADERS, ("sort-by", '-', Takes::Value), IGNORE_NOT_FOUND, ("show-managed-fields", '-', Takes::Bool),
         WATCH, ("watch-only", '-', Takes::Bool), ("output-watch-events", '-', Takes::Bool), TEMPLATE, ALLOW_MISSING, CHUNK_SIZE, FILENAME, KUSTOMIZE, RECURSIVE,
         ("show-kind", '-', Takes::Bool), ("subresource", '-', Takes::Value), ("raw", '-', Takes::Value), ("server-print", '-', Takes::Bool)];
    "describe", "(-f FILENAME | TYPE [NAME_PREFIX | -l label] | TYPE/NAME)", "Show details of a specific resource or group of resources",
        [NAMESPACE, ALL_NAMESPACES, SELECTOR, FILENAME, KUSTOMIZE, RECURSIVE, CHUNK_SIZE, ("show-events", '-', Takes::Bool)];
    "apply", "(-f FILENAME | -k DIRECTORY)", "Apply a configuration to a resource by file name or stdin",
        [NAMESPACE, FILENAME, KUSTOMIZE, RECURSIVE, SELECTOR, ALL, VALIDATE, DRY_RUN, OUTPUT, TEMPLATE, FORCE, FIELD_MANAGER, OVERWRITE, ("prune", '-', Takes::Bool), ("prune-allowlist", '-', Takes::Value), ("wait", '-', Takes::Bool), TIMEOUT, GRACE,
         ("server-side", '-', Takes::Bool), ("force-conflicts", '-', Takes::Bool)];
    "apply view-last-applied", "(TYPE [NAME | -l label] | TYPE/NAME | -f FILENAME)", "View the latest last-applied-configuration annotations of a resource", [NAMESPACE, SELECTOR, ALL, OUTPUT, FILENAME, KUSTOMIZE, RECURSIVE];
    "apply set-last-applied", "-f FILENAME", "Set the last-applied-configuration annotation on a live object to match the contents of a file",
        [NAMESPACE, FILENAME, DRY_RUN, OUTPUT, TEMPLATE, ("create-annotation", '-', Takes::Bool)];
    "apply edit-last-applied", "(RESOURCE/NAME | -f FILENAME)", "Edit latest last-applied-configuration annotations of a resource", [NAMESPACE, OUTPUT, TEMPLATE, FIELD_MANAGER, VALIDATE];
    "create", "-f FILENAME", "Create a resource from a file or from stdin", [NAMESPACE, FILENAME, KUSTOMIZE, RECURSIVE, SELECTOR, VALIDATE, DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, ("edit", '-', Takes::Bool)];
    "create clusterrole", "NAME --verb=verb --resource=resource.group [--resource-name=resourcename] [--dry-run=server|client|none]", "Create a cluster role",
        [DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, ("verb", '-', Takes::Value), ("resource", '-', Takes::Value), ("resource-name", '-', Takes::Value), ("non-resource-url", '-', Takes::Value), ("aggregation-rule", '-', Takes::Value)];
    "create clusterrolebinding", "NAME --clusterrole=NAME [--user=username] [--group=groupname] [--serviceaccount=namespace:serviceaccountname] [--dry-run=server|client|none]", "Create a cluster role binding for a particular cluster role",
        [DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, ("clusterrole", '-', Takes::Value), ("user", '-', Takes::Value), ("group", '-', Takes::Value), ("serviceaccount", '-', Takes::Value)];
    "create configmap", "NAME [--from-file=[key=]source] [--from-literal=key1=value1] [--dry-run=server|client|none]", "Create a config map from a local file, directory or literal value",
        [NAMESPACE, DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, FROM_LITERAL, FROM_FILE, FROM_ENV_FILE, APPEND_HASH];
    "create cronjob", "NAME --image=image --schedule='0/5 * * * ?' -- [COMMAND] [args...] [flags]", "Create a cron job with the specified name",
        [NAMESPACE, DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, IMAGE, ("schedule", '-', Takes::Value), ("restart", '-', Takes::Value)];
    "create deployment", "NAME --image=image -- [COMMAND] [args...]", "Create a deployment with the specified name",
        [NAMESPACE, DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, IMAGE, ("replicas", 'r', Takes::Value), ("port", '-', Takes::Value)];
    "create ingress", "NAME --rule=host/path=service:port[,tls[=secret]]", "Create an ingress with the specified name",
        [NAMESPACE, DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, ("rule", '-', Takes::Value), ("class", '-', Takes::Value), ("default-backend", '-', Takes::Value), ("annotation", '-', Takes::Value)];
    "create job", "NAME --image=image [--from=cronjob/name] -- [COMMAND] [args...]", "Create a job with the specified name",
        [NAMESPACE, DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, IMAGE, ("from", '-', Takes::Value)];
    "create namespace", "NAME [--dry-run=server|client|none]", "Create a namespace with the specified name", [NAMESPACE, DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE];
    "create poddisruptionbudget", "NAME --selector=SELECTOR --min-available=N [--dry-run=server|client|none]", "Create a pod disruption budget with the specified name",
        [NAMESPACE, DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, ("selector", '-', Takes::Value), ("min-available", '-', Takes::Value), ("max-unavailable", '-', Takes::Value)];
    "create priorityclass", "NAME --value=VALUE --global-default=BOOL [--dry-run=server|client|none]", "Create a priority class with the specified name",
        [DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, ("value", '-', Takes::Value), ("global-default", '-', Takes::Bool), ("preemption-policy", '-', Takes::Value), ("description", '-', Takes::Value)];
    "create quota", "NAME [--hard=key1=value1,key2=value2] [--scopes=Scope1,Scope2] [--dry-run=server|client|none]", "Create a quota with the specified name",
        [NAMESPACE, DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, ("hard", '-', Takes::Value), ("scopes", '-', Takes::Value)];
    "create role", "NAME --verb=verb --resource=resource.group/subresource [--resource-name=resourcename] [--dry-run=server|client|none]", "Create a role with single rule",
        [NAMESPACE, DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, ("verb", '-', Takes::Value), ("resource", '-', Takes::Value), ("resource-name", '-', Takes::Value)];
    "create rolebinding", "NAME --clusterrole=NAME|--role=NAME [--user=username] [--group=groupname] [--serviceaccount=namespace:serviceaccountname] [--dry-run=server|client|none]", "Create a role binding for a particular role or cluster role",
        [NAMESPACE, DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, ("role", '-', Takes::Value), ("clusterrole", '-', Takes::Value), ("user", '-', Takes::Value), ("group", '-', Takes::Value), ("serviceaccount", '-', Takes::Value)];
    "create secret docker-registry", "NAME --docker-username=user --docker-password=password --docker-email=email [--docker-server=string] [--from-file=[key=]source] [--dry-run=server|client|none]", "Create a secret for use with a Docker registry",
        [NAMESPACE, DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, FROM_FILE, APPEND_HASH, ("docker-username", '-', Takes::Value), ("docker-password", '-', Takes::Value), ("docker-email", '-', Takes::Value), ("docker-server", '-', Takes::Value)];
    "create secret generic", "NAME [--type=string] [--from-file=[key=]source] [--from-literal=key1=value1] [--dry-run=server|client|none]", "Create a secret from a local file, directory, or literal value",
        [NAMESPACE, DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, FROM_LITERAL, FROM_FILE, FROM_ENV_FILE, APPEND_HASH, ("type", '-', Takes::Value)];
    "create secret tls", "NAME --cert=path/to/cert/file --key=path/to/key/file [--dry-run=server|client|none]", "Create a TLS secret", [NAMESPACE, DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, APPEND_HASH, ("cert", '-', Takes::Value), ("key", '-', Takes::Value)];
    "create service clusterip", "NAME [--tcp=<port>:<targetPort>] [--dry-run=server|client|none]", "Create a ClusterIP service", [NAMESPACE, DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, TCP, ("clusterip", '-', Takes::Value)];
    "create service externalname", "NAME --external-name external.name [--dry-run=server|client|none]", "Create an ExternalName service", [NAMESPACE, DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, TCP, ("external-name", '-', Takes::Value)];
    "create service loadbalancer", "NAME [--tcp=port:targetPort] [--dry-run=server|client|none]", "Create a LoadBalancer service", [NAMESPACE, DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, TCP];
    "create service nodeport", "NAME [--tcp=port:targetPort] [--dry-run=server|client|none]", "Create a NodePort service", [NAMESPACE, DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, TCP, ("node-port", '-', Takes::Value)];
    "create serviceaccount", "NAME [--dry-run=server|client|none]", "Create a service account with the specified name", [NAMESPACE, DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE];
    "create token", "SERVICE_ACCOUNT_NAME", "Request a service account token",
        [NAMESPACE, OUTPUT, TEMPLATE, ("audience", '-', Takes::Value), ("duration", '-', Takes::Value), ("bound-object-kind", '-', Takes::Value), ("bound-object-name", '-', Takes::Value), ("bound-object-uid", '-', Takes::Value)];
    "run", "NAME --image=image [--env=\"key=value\"] [--port=port] [--dry-run=server|client] [--overrides=inline-json] [--command] -- [COMMAND] [args...]", "Run a particular image on the cluster",
        [NAMESPACE, DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, IMAGE, ("restart", '-', Takes::Value), ("labels", 'l', Takes::Value), ("env", '-', Takes::Value), ("port", '-', Takes::Value),
         ("expose", '-', Takes::Bool), ("command", '-', Takes::Bool), ("annotations", '-', Takes::Value), ("image-pull-policy", '-', Takes::Value), ("overrides", '-', Takes::Value), ("override-type", '-', Takes::Value),
         ("privileged", '-', Takes::Bool), ("attach", '-', Takes::Bool), ("stdin", 'i', Takes::Bool), ("tty", 't', Takes::Bool), ("rm", '-', Takes::Bool), ("quiet", 'q', Takes::Bool),
         ("leave-stdin-open", '-', Takes::Bool), ("grace-period", '-', Takes::Value), TIMEOUT, FORCE, ("wait", '-', Takes::Bool), ("cascade", '-', Takes::Maybe("background")), ("pod-running-timeout", '-', Takes::Value)];
    "expose", "(-f FILENAME | TYPE NAME) [--port=port] [--protocol=TCP|UDP|SCTP] [--target-port=number-or-name] [--name=name] [--external-ip=external-ip-of-service] [--type=type]", "Take a replication controller, service, deployment or pod and expose it as a new Kubernetes service",
        [NAMESPACE, DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, FILENAME, KUSTOMIZE, RECURSIVE, ("name", '-', Takes::Value), ("port", '-', Takes::Value), ("target-port", '-', Takes::Value), ("protocol", '-', Takes::Value), ("type", '-', Takes::Value),
         ("selector", '-', Takes::Value), ("labels", 'l', Takes::Value), ("cluster-ip", '-', Takes::Value), ("external-ip", '-', Takes::Value), ("load-balancer-ip", '-', Takes::Value),
         ("session-affinity", '-', Takes::Value), ("overrides", '-', Takes::Value), ("override-type", '-', Takes::Value)];
    "autoscale", "(-f FILENAME | TYPE NAME | TYPE/NAME) [--min=MINPODS] --max=MAXPODS [--cpu=CPU] [--memory=MEMORY]", "Auto-scale a deployment, replica set, stateful set, or replication controller",
        [NAMESPACE, DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, FILENAME, KUSTOMIZE, RECURSIVE, ("name", '-', Takes::Value), ("min", '-', Takes::Value), ("max", '-', Takes::Value), ("cpu", '-', Takes::Value), ("cpu-percent", '-', Takes::Value), ("memory", '-', Takes::Value)];
    "wait", "([-f FILENAME] | resource.group/resource.name | resource.group [(-l label | --all)]) [--for=create|--for=delete|--for condition=available|--for=jsonpath='{}'[=value]]", "Wait for a specific condition on one or many resources",
        [NAMESPACE, ALL_NAMESPACES, ALL, SELECTOR, FIELD_SELECTOR, FILENAME, KUSTOMIZE, RECURSIVE, OUTPUT, TEMPLATE, ("for", '-', Takes::Value), TIMEOUT];
    "replace", "-f FILENAME", "Replace a resource by file name or stdin", [NAMESPACE, FILENAME, KUSTOMIZE, RECURSIVE, DRY_RUN, OUTPUT, TEMPLATE, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, FORCE, GRACE, TIMEOUT, ("cascade", '-', Takes::Maybe("background")), ("wait", '-', Takes::Bool)];
    "diff", "-f FILENAME", "Diff the live version against a would-be applied version", [NAMESPACE, FILENAME, KUSTOMIZE, RECURSIVE, SELECTOR, FIELD_MANAGER, ("server-side", '-', Takes::Bool)];
    "delete", "([-f FILENAME] | [-k DIRECTORY] | TYPE [(NAME | -l label | --all)])", "Delete resources by names or by resources and label selector",
        [NAMESPACE, ALL_NAMESPACES, ALL, SELECTOR, FIELD_SELECTOR, FILENAME, KUSTOMIZE, RECURSIVE, GRACE, FORCE, ("now", '-', Takes::Bool), ("wait", '-', Takes::Bool),
         TIMEOUT, ("cascade", '-', Takes::Maybe("background")), IGNORE_NOT_FOUND, OUTPUT, DRY_RUN, ("interactive", 'i', Takes::Bool)];
    "scale", "[--resource-version=version] [--current-replicas=count] --replicas=COUNT (-f FILENAME | TYPE NAME)", "Set a new size for a deployment, replica set, or stateful set",
        [NAMESPACE, ALL, SELECTOR, ("replicas", '-', Takes::Value), ("current-replicas", '-', Takes::Value), RESOURCE_VERSION, TIMEOUT, FILENAME, KUSTOMIZE, RECURSIVE, DRY_RUN, OUTPUT, TEMPLATE];
    "rollout status", "(TYPE NAME | TYPE/NAME) [flags]", "Show the status of the rollout", [NAMESPACE, SELECTOR, FILENAME, KUSTOMIZE, RECURSIVE, WATCH, TIMEOUT, REVISION];
    "rollout undo", "(TYPE NAME | TYPE/NAME) [flags]", "Undo a previous rollout", [NAMESPACE, SELECTOR, FILENAME, KUSTOMIZE, RECURSIVE, ("to-revision", '-', Takes::Value), DRY_RUN, OUTPUT, TEMPLATE];
    "rollout restart", "RESOURCE", "Restart a resource", [NAMESPACE, SELECTOR, FILENAME, KUSTOMIZE, RECURSIVE, OUTPUT, TEMPLATE, FIELD_MANAGER];
    "rollout pause", "RESOURCE", "Mark the provided resource as paused", [NAMESPACE, SELECTOR, FILENAME, KUSTOMIZE, RECURSIVE, OUTPUT, TEMPLATE, FIELD_MANAGER];
    "rollout resume", "RESOURCE", "Resume a paused resource", [NAMESPACE, SELECTOR, FILENAME, KUSTOMIZE, RECURSIVE, OUTPUT, TEMPLATE, FIELD_MANAGER];
    "rollout history", "(TYPE NAME | TYPE/NAME) [flags]", "View rollout history", [NAMESPACE, SELECTOR, FILENAME, KUSTOMIZE, RECURSIVE, REVISION, OUTPUT, TEMPLATE];
    "cordon", "NODE", "Mark node as unschedulable", [SELECTOR, DRY_RUN];
    "uncordon", "NODE", "Mark node as schedulable", [SELECTOR, DRY_RUN];
    "drain", "NODE", "Drain node in preparation for maintenance",
        [SELECTOR, ("ignore-daemonsets", '-', Takes::Bool), ("delete-emptydir-data", '-', Takes::Bool), FORCE, GRACE, TIMEOUT,
         CHUNK_SIZE, ("disable-eviction", '-', Takes::Bool), ("pod-selector", '-', Takes::Value), ("skip-wait-for-delete-timeout", '-', Takes::Value), DRY_RUN];
    "taint", "NODE NAME KEY_1=VAL_1:TAINT_EFFECT_1 ... KEY_N=VAL_N:TAINT_EFFECT_N", "Update the taints on one or more nodes", [ALL, SELECTOR, OVERWRITE, DRY_RUN, OUTPUT, TEMPLATE, FIELD_MANAGER, VALIDATE];
    "label", "[--overwrite] (-f FILENAME | TYPE NAME) KEY_1=VAL_1 ... KEY_N=VAL_N [--resource-version=version]", "Update the labels on a resource",
        [NAMESPACE, ALL_NAMESPACES, ALL, SELECTOR, FIELD_SELECTOR, OVERWRITE, ("list", '-', Takes::Bool), RESOURCE_VERSION, LOCAL, FILENAME, KUSTOMIZE, RECURSIVE, DRY_RUN, OUTPUT, TEMPLATE, FIELD_MANAGER];
    "annotate", "[--overwrite] (-f FILENAME | TYPE NAME) KEY_1=VAL_1 ... KEY_N=VAL_N [--resource-version=version]", "Update the annotations on a resource",
        [NAMESPACE, ALL_NAMESPACES, ALL, SELECTOR, FIELD_SELECTOR, OVERWRITE, ("list", '-', Takes::Bool), RESOURCE_VERSION, LOCAL, FILENAME, KUSTOMIZE, RECURSIVE, DRY_RUN, OUTPUT, TEMPLATE, FIELD_MANAGER];
    "patch", "(-f FILENAME | TYPE NAME) [-p PATCH|--patch-file FILE]", "Update fields of a resource",
        [NAMESPACE, FILENAME, KUSTOMIZE, RECURSIVE, ("patch", 'p', Takes::Value), ("type", '-', Takes::Value), ("subresource", '-', Takes::Value), ("patch-file", '-', Takes::Value), LOCAL, DRY_RUN, OUTPUT, TEMPLATE, FIELD_MANAGER];
    "edit", "(RESOURCE/NAME | -f FILENAME)", "Edit a resource on the server", [NAMESPACE, OUTPUT, SAVE_CONFIG, FIELD_MANAGER, VALIDATE, ("subresource", '-', Takes::Value)];
    "set image", "(-f FILENAME | TYPE NAME) CONTAINER_NAME_1=CONTAINER_IMAGE_1 ... CONTAINER_NAME_N=CONTAINER_IMAGE_N", "Update the image of a pod template", [NAMESPACE, ALL, SELECTOR, LOCAL, FILENAME, KUSTOMIZE, RECURSIVE, DRY_RUN, OUTPUT, TEMPLATE, FIELD_MANAGER];
    "events", "[(-o|--output=)json|yaml|kyaml|name|go-template|go-template-file|template|templatefile|jsonpath|jsonpath-as-json|jsonpath-file] [--for TYPE/NAME] [--watch] [--types=Normal,Warning]", "List events", [NAMESPACE, ALL_NAMESPACES, OUTPUT, TEMPLATE, ("for", '-', Takes::Value), ("types", '-', Takes::Value), NO_HEADERS, WATCH, CHUNK_SIZE];
    "explain", "TYPE [--recursive=FALSE|TRUE] [--api-version=api-version-group] [-o|--output=plaintext|plaintext-openapiv2]", "Get documentation for a resource", [RECURSIVE, OUTPUT, ("api-version", '-', Takes::Value)];
    "top", "[flags]", "Display resource (CPU/memory) usage",
        [NAMESPACE, ALL_NAMESPACES, SELECTOR, ("containers", '-', Takes::Bool), ("sort-by", '-', Takes::Value), NO_HEADERS, ("sum", '-', Takes::Bool)];
    "logs", "[-f] [-p] (POD | TYPE/NAME) [-c CONTAINER]", "Print the logs for a container in a pod",
        [NAMESPACE, SELECTOR, ("container", 'c', Takes::Value), ("follow", 'f', Takes::Bool), ("since", '-', Takes::Value), ("since-time", '-', Takes::Value), ("limit-bytes", '-', Takes::Value), ("prefix", '-', Takes::Bool), ("previous", 'p', Takes::Bool), ("all-containers", '-', Takes::Bool), ("timestamps", '-', Takes::Bool), ("tail", '-', Takes::Value),
         ("ignore-errors", '-', Takes::Bool), ("max-log-requests", '-', Takes::Value), ("pod-running-timeout", '-', Takes::Value), ("insecure-skip-tls-verify-backend", '-', Takes::Bool)];
    "set env", "RESOURCE/NAME KEY_1=VAL_1 ... KEY_N=VAL_N", "Update environment variables on a pod template",
        [NAMESPACE, ALL, SELECTOR, DRY_RUN, OUTPUT, TEMPLATE, FIELD_MANAGER, FILENAME, KUSTOMIZE, RECURSIVE, LOCAL, OVERWRITE, CONTAINERS, ("from", '-', Takes::Value), ("prefix", '-', Takes::Value), ("keys", '-', Takes::Value), ("list", '-', Takes::Bool), ("resolve", '-', Takes::Bool), ("env", 'e', Takes::Value)];
    "set resources", "(-f FILENAME | TYPE NAME)  ([--limits=LIMITS & --requests=REQUESTS]", "Update resource requests/limits on objects with pod templates",
        [NAMESPACE, ALL, SELECTOR, DRY_RUN, OUTPUT, TEMPLATE, FIELD_MANAGER, FILENAME, KUSTOMIZE, RECURSIVE, LOCAL, CONTAINERS, ("limits", '-', Takes::Value), ("requests", '-', Takes::Value)];
    "set selector", "(-f FILENAME | TYPE NAME) EXPRESSIONS [--resource-version=version]", "Set the selector on a resource", [NAMESPACE, ALL, DRY_RUN, OUTPUT, TEMPLATE, FIELD_MANAGER, FILENAME, KUSTOMIZE, RECURSIVE, LOCAL, RESOURCE_VERSION];
    "set serviceaccount", "(-f FILENAME | TYPE NAME) SERVICE_ACCOUNT", "Update the service account of a resource", [NAMESPACE, ALL, DRY_RUN, OUTPUT, TEMPLATE, FIELD_MANAGER, FILENAME, KUSTOMIZE, RECURSIVE, LOCAL];
    "set subject", "(-f FILENAME | TYPE NAME) [--user=username] [--group=groupname] [--serviceaccount=namespace:serviceaccountname] [--dry-run=server|client|none]", "Update the user, group, or service account in a role binding or cluster role binding",
        [NAMESPACE, ALL, SELECTOR, DRY_RUN, OUTPUT, TEMPLATE, FIELD_MANAGER, FILENAME, KUSTOMIZE, RECURSIVE, LOCAL, ("user", '-', Takes::Value), ("group", '-', Takes::Value), ("serviceaccount", '-', Takes::Value)];
    "auth can-i", "VERB [TYPE | TYPE/NAME | NONRESOURCEURL]", "Check whether an action is allowed", [NAMESPACE, ALL_NAMESPACES, ("list", '-', Takes::Bool), ("quiet", 'q', Takes::Bool), NO_HEADERS, ("subresource", '-', Takes::Value)];
    "auth whoami", "", "Experimental: Check self subject attributes", [OUTPUT, TEMPLATE];
    "cluster-info", "[flags]", "Display cluster information", [];
    "api-resources", "[flags]", "Print the supported API resources on the server",
        [OUTPUT, NO_HEADERS, ("api-group", '-', Takes::Value), ("namespaced", '-', Takes::Bool), ("sort-by", '-', Takes::Value), ("verbs", '-', Takes::Value), ("cached", '-', Takes::Bool), ("categories", '-', Takes::Value)];
    "api-versions", "", "Print the supported API versions on the server, in the form of \"group/version\"", [];
    "config current-context", "[flags]", "Display the current-context", [];
    "config get-contexts", "[(-o|--output=)name)]", "Describe one or many contexts", [NO_HEADERS, OUTPUT];
    "config get-clusters", "[flags]", "Display clusters defined in the kubeconfig", [];
    "config get-users", "[flags]", "Display users defined in the kubeconfig", [];
    "config set-context", "[NAME | --current] [--cluster=cluster_nickname] [--user=user_nickname] [--namespace=namespace]", "Set a context entry in kubeconfig", [NAMESPACE, ("current", '-', Takes::Bool), ("cluster", '-', Takes::Value), ("user", '-', Takes::Value)];
    "config use-context", "CONTEXT_NAME", "Set the current-context in a kubeconfig file", [];
    "config view", "[flags]", "Display merged kubeconfig settings or a specified kubeconfig file", [OUTPUT, ("minify", '-', Takes::Bool), ("raw", '-', Takes::Bool)];
    "version", "[flags]", "Print the client and server version information", [OUTPUT, ("client", '-', Takes::Bool)];
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
pub(crate) fn is_in_all(kind: Kind) -> bool {
    ALL_KINDS.contains(&kind)
}
