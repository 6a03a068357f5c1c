//! The output of `help` and `--help`: kubectl's list of commands, and the usage of each verb and fault.

use podscope_api::ordered::StableSort as _;

use super::app::APP_COMMANDS;
use super::fault::{FAULTS, FaultVerb};
use super::flags::FlagTakes;
use super::parse::{VERBS, Verb};

/// kubectl's commands in the sections of its own help.
const HELP_SECTIONS: &[(&str, &[(&str, &str)])] = &[
    (
        "Basic Commands (Beginner)",
        &[
            ("create", "Create a resource from a file or from stdin"),
            (
                "expose",
                "Take a replication controller, service, deployment or pod and expose it as a new Kubernetes service",
            ),
            ("run", "Run a particular image on the cluster"),
            ("set", "Set specific features on objects"),
        ],
    ),
    (
        "Basic Commands (Intermediate)",
        &[
            ("explain", "Get documentation for a resource"),
            ("get", "Display one or many resources"),
            ("edit", "Edit a resource on the server"),
            (
                "delete",
                "Delete resources by file names, stdin, resources and names, or by resources and label selector",
            ),
        ],
    ),
    (
        "Deploy Commands",
        &[
            ("rollout", "Manage the rollout of a resource"),
            (
                "scale",
                "Set a new size for a deployment, replica set, or replication controller",
            ),
            (
                "autoscale",
                "Auto-scale a deployment, replica set, stateful set, or replication controller",
            ),
        ],
    ),
    (
        "Cluster Management Commands",
        &[
            ("certificate", "Modify certificate resources"),
            ("cluster-info", "Display cluster information"),
            ("top", "Display resource (CPU/memory) usage"),
            ("cordon", "Mark node as unschedulable"),
            ("uncordon", "Mark node as schedulable"),
            ("drain", "Drain node in preparation for maintenance"),
            ("taint", "Update the taints on one or more nodes"),
        ],
    ),
    (
        "Troubleshooting and Debugging Commands",
        &[
            ("describe", "Show details of a specific resource or group of resources"),
            ("logs", "Print the logs for a container in a pod"),
            ("attach", "Attach to a running container"),
            ("exec", "Execute a command in a container"),
            ("port-forward", "Forward one or more local ports to a pod"),
            ("proxy", "Run a proxy to the Kubernetes API server"),
            ("cp", "Copy files and directories to and from containers"),
            ("auth", "Inspect authorization"),
            (
                "debug",
                "Create debugging sessions for troubleshooting workloads and nodes",
            ),
            ("events", "List events"),
        ],
    ),
    (
        "Advanced Commands",
        &[
            ("diff", "Diff the live version against a would-be applied version"),
            ("apply", "Apply a configuration to a resource by file name or stdin"),
            ("patch", "Update fields of a resource"),
            ("replace", "Replace a resource by file name or stdin"),
            ("wait", "Wait for a specific condition on one or many resources"),
            ("kustomize", "Build a kustomization target from a directory or URL"),
        ],
    ),
    (
        "Settings Commands",
        &[
            ("label", "Update the labels on a resource"),
            ("annotate", "Update the annotations on a resource"),
            (
                "completion",
                "Output shell completion code for the specified shell (bash, zsh, fish, or powershell)",
            ),
        ],
    ),
    ("Subcommands provided by plugins", &[]),
    (
        "Other Commands",
        &[
            ("api-resources", "Print the supported API resources on the server"),
            (
                "api-versions",
                "Print the supported API versions on the server, in the form of \"group/version\"",
            ),
            ("config", "Modify kubeconfig files"),
            ("kuberc", "Manage kuberc configuration files"),
            ("plugin", "Provides utilities for interacting with plugins"),
            ("version", "Print the client and server version information"),
        ],
    ),
];

/// Help texts of command groups, printed before their sub-commands.
const GROUP_TEXTS: &[(&str, &str)] = &[
    (
        "rollout",
        "Manage the rollout of one or many resources.\n        \n Valid resource types include:\n\n  *  deployments\n  *  daemonsets\n  *  statefulsets\n\nExamples:\n  # Rollback to the previous deployment\n  kubectl rollout undo deployment/abc\n  \n  # Check the rollout status of a daemonset\n  kubectl rollout status daemonset/foo\n  \n  # Restart a deployment\n  kubectl rollout restart deployment/abc\n  \n  # Restart deployments with the 'app=nginx' label\n  kubectl rollout restart deployment --selector=app=nginx",
    ),
    (
        "set",
        "Configure application resources.\n\n These commands help you make changes to existing application resources.",
    ),
    (
        "create",
        "Create a resource from a file or from stdin.\n\n JSON and YAML formats are accepted.",
    ),
    (
        "create secret",
        "Create a secret with specified type.\n\n A docker-registry type secret is for accessing a container registry.\n\n A generic type secret indicate an Opaque secret type.\n\n A tls type secret holds TLS certificate and its associated key.",
    ),
    (
        "create service",
        "Create a service using a specified subcommand.\n\nAliases:\nservice, svc",
    ),
    ("auth", "Inspect authorization."),
    (
        "config",
        "Modify kubeconfig files using subcommands like \"kubectl config set current-context my-context\".\n\n The loading order follows these rules:\n\n  1.  If the --kubeconfig flag is set, then only that file is loaded. The flag may only be set once and no merging takes place.\n  2.  If $KUBECONFIG environment variable is set, then it is used as a list of paths (normal path delimiting rules for your system). These paths are merged. When a value is modified, it is modified in the file that defines the stanza. When a value is created, it is created in the first file that exists. If no files in the chain exist, then it creates the last file in the list.\n  3.  Otherwise, ${HOME}/.kube/config is used and no merging takes place.",
    ),
    (
        "top",
        "Display resource (CPU/memory) usage.\n\n The top command allows you to see the resource consumption for nodes or pods.\n\n This command requires Metrics Server to be correctly configured and working on the server.",
    ),
];

/// Sub-commands that kubectl lists but that are not in [`VERBS`].
const OTHER_SUBCOMMANDS: &[(&str, &str)] = &[
    (
        "auth reconcile",
        "Reconciles rules for RBAC role, role binding, cluster role, and cluster role binding objects",
    ),
    (
        "config delete-cluster",
        "Delete the specified cluster from the kubeconfig",
    ),
    (
        "config delete-context",
        "Delete the specified context from the kubeconfig",
    ),
    ("config delete-user", "Delete the specified user from the kubeconfig"),
    ("config rename-context", "Rename a context from the kubeconfig file"),
    ("config set", "Set an individual value in a kubeconfig file"),
    ("config set-cluster", "Set a cluster entry in kubeconfig"),
    ("config set-credentials", "Set a user entry in kubeconfig"),
    ("config unset", "Unset an individual value in a kubeconfig file"),
    ("top node", "Display resource (CPU/memory) usage of nodes"),
    ("top pod", "Display resource (CPU/memory) usage of pods"),
    ("create secret", "Create a secret using a specified subcommand"),
    ("create service", "Create a service using a specified subcommand"),
];

/// Usage lines of groups that differ from `GROUP SUBCOMMAND`.
const GROUP_USAGES: &[(&str, &str)] = &[
    ("create", "create -f FILENAME"),
    ("create secret", "create secret (docker-registry | generic | tls)"),
    ("create service", "create service [flags]"),
    ("auth", "auth [flags]"),
    ("top", "top [flags]"),
];

const OPTIONS_HINT: &str =
    "Use \"kubectl options\" for a list of global command-line options (applies to all commands).";

/// Returns the commands in the order of kubectl's help.
pub(super) fn commands() -> impl Iterator<Item = &'static str> {
    HELP_SECTIONS
        .iter()
        .flat_map(|(_, commands)| commands.iter().map(|(name, _)| *name))
}

/// Returns the output of `help TOPIC`.
pub fn help_text(topic: &str) -> String {
    match topic {
        "" => "Commands:\n  kubectl …   API work, as kubectl 1.36 does it\n  fault …     break or repair machines and links\n  app …       requests of clients; membership of an application group\n  stop        end the command that was given last and still runs, as Ctrl-C does: a watch, a drain,\n              a delete that waits; with --all, every one\n\nhelp kubectl, help fault, help kubectl get say more.".into(),
        "fault" | "app" => fault_help(),
        _ => {
            let wanted = topic.strip_prefix("kubectl").unwrap_or(topic).trim();
            let group = GROUP_TEXTS.iter().find(|(name, _)| *name == wanted);
            match (group, VERBS.iter().find(|verb| verb.name == wanted)) {
                (Some((name, about)), _) => group_help(name, about),
                (None, Some(verb)) => verb_help(verb),
                (None, None) if wanted.is_empty() => kubectl_help(),
                (None, None) => group_help(wanted, ""),
            }
        }
    }
}

fn fault_help() -> String {
    let mut out = String::from("Faults come from outside: they change machines and links, not API objects.\n\n");
    for FaultVerb {
        name,
        usage,
        description,
        ..
    } in FAULTS
    {
        out.push_str(&format!("  fault {name} {usage}\n      {description}\n"));
    }
    let apps: Vec<String> = APP_COMMANDS
        .iter()
        .map(|(usage, description)| format!("  app {usage}\n      {description}"))
        .collect();
    out.push_str(&apps.join("\n"));
    out
}

fn kubectl_help() -> String {
    let mut out = String::from(
        "kubectl controls the Kubernetes cluster manager.\n\n Find more information at: https://kubernetes.io/docs/reference/kubectl/\n",
    );
    for (title, commands) in HELP_SECTIONS {
        out.push_str(&format!("\n{title}:\n"));
        for (name, summary) in *commands {
            out.push_str(&format!("  {name:<15} {summary}\n"));
        }
    }
    out.push_str("\nUsage:\n  kubectl [flags] [options]\n\n");
    out.push_str(&format!(
        "Use \"kubectl <command> --help\" for more information about a given command.\n{OPTIONS_HINT}"
    ));
    out
}

fn group_help(name: &str, about: &str) -> String {
    let mut out = format!("{about}\n\nAvailable Commands:\n");
    let mut commands: Vec<(&str, &str)> = Vec::new();
    let sub_command = |full: &'static str| full.strip_prefix(name)?.strip_prefix(' ');
    let verbs = VERBS.iter().map(|verb| (verb.name, verb.summary));
    for (sub, summary) in verbs
        .chain(OTHER_SUBCOMMANDS.iter().copied())
        .filter_map(|(full, summary)| Some((sub_command(full)?, summary)))
        // Nested sub-commands are listed in the help of their own group.
        .filter(|(sub, _)| !sub.contains(' '))
    {
        commands.push((sub, summary));
    }
    commands.stable_sort_by_key(|(sub, _)| *sub);
    let width = commands.iter().map(|(sub, _)| sub.len()).max().unwrap_or(0).max(9) + 2;
    for (sub, summary) in commands {
        out.push_str(&format!("  {sub:<width$} {summary}\n"));
    }
    let usage = GROUP_USAGES.iter().find(|(group, _)| *group == name);
    let usage = usage.map_or_else(|| format!("{name} SUBCOMMAND"), |(_, usage)| (*usage).to_owned());
    out.push_str(&format!(
        "\nUsage:\n  kubectl {usage} [options]\n\nUse \"kubectl {name} <command> --help\" for more information about a given command.\n{OPTIONS_HINT}"
    ));
    out
}

/// Default values of flags: verb (empty: all verbs), flag, value. The first matching row applies. Flags without a row
/// have the default `false`, an empty text or `none`.
const FLAG_DEFAULTS: &[(&str, &str, &str)] = &[
    ("apply", "field-manager", "'kubectl-client-side-apply'"),
    ("apply", "overwrite", "true"),
    ("autoscale", "cpu-percent", "-1"),
    ("autoscale", "max", "-1"),
    ("autoscale", "min", "-1"),
    ("delete", "wait", "true"),
    ("describe", "show-events", "true"),
    ("get", "server-print", "true"),
    ("patch", "type", "'strategic'"),
    ("rollout status", "watch", "true"),
    ("run", "env", "[]"),
    ("run", "pod-running-timeout", "1m0s"),
    ("run", "restart", "'Always'"),
    ("scale", "replicas", "0"),
    ("wait", "timeout", "30s"),
    ("", "allow-missing-template-keys", "true"),
    ("", "cascade", "'background'"),
    ("", "chunk-size", "500"),
    ("", "current-replicas", "-1"),
    ("", "filename", "[]"),
    ("", "grace-period", "-1"),
    ("", "limit-bytes", "0"),
    ("", "max-log-requests", "5"),
    ("", "pod-running-timeout", "20s"),
    ("", "prune-allowlist", "[]"),
    ("", "revision", "0"),
    ("", "since", "0s"),
    ("", "skip-wait-for-delete-timeout", "0"),
    ("", "tail", "-1"),
    ("", "timeout", "0s"),
    ("", "to-revision", "0"),
    ("", "validate", "'strict'"),
];

/// Returns the default value of a flag as `-h` prints it.
fn default_value(verb: &str, long: &str, takes: FlagTakes) -> String {
    let row = FLAG_DEFAULTS
        .iter()
        .find(|(row_verb, flag, _)| *flag == long && (row_verb.is_empty() || *row_verb == verb));
    match (row, takes) {
        (Some((.., value)), _) => (*value).to_owned(),
        (None, _) if long == "field-manager" => {
            let first = verb.split(' ').next().unwrap_or_default();
            format!("'kubectl-{first}'")
        }
        (None, FlagTakes::Bool) => "false".to_owned(),
        (None, FlagTakes::Value) => "''".to_owned(),
        (None, FlagTakes::Maybe(_)) => "'none'".to_owned(),
    }
}

fn verb_help(verb: &Verb) -> String {
    let mut out = format!("{}.", verb.summary);
    if verb.flags.iter().any(|(long, ..)| *long == "filename") {
        let name = verb.name;
        out.push_str(&format!(
            "\n\nExamples:\n  # Read the objects from the lines that follow the command\n  kubectl {name} -f - <<'EOF'"
        ));
    }
    let mut flags = verb.flags.to_vec();
    flags.stable_sort_by_key(|(long, ..)| *long);
    if !flags.is_empty() {
        out.push_str("\n\nOptions:");
        for (long, short, takes) in flags {
            let letter = if short == '-' {
                String::new()
            } else {
                format!("-{short}, ")
            };
            out.push_str(&format!(
                "\n    {letter}--{long}={}",
                default_value(verb.name, long, takes)
            ));
        }
    }
    let words = [verb.name, verb.usage, "[options]"]
        .into_iter()
        .filter(|words| !words.is_empty());
    let usage: Vec<&str> = words.collect();
    out.push_str(&format!(
        "\n\nUsage:\n  kubectl {}\n\nUse \"kubectl options\" for a list of global command-line options (applies to all commands).",
        usage.join(" ")
    ));
    out
}
