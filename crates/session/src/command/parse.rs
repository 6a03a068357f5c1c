//! Words to [`Kubectl`]: flags, resources and their errors (KC-085, KC-118, KC-119).

use podscope_api::Kind;

use super::flags::{Args, Flag, Takes};
use super::shell::Word;
use super::*;

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
         NO_HEADERS, ("sort-by", '-', Takes::Value), IGNORE_NOT_FOUND, ("show-managed-fields", '-', Takes::Bool)];
    "describe", "TYPE [NAME…] | TYPE/NAME…", "Show details of a specific resource or group of resources",
        [NAMESPACE, ALL_NAMESPACES, SELECTOR, ("show-events", '-', Takes::Bool)];
    "apply", "-f - <<'EOF'", "Apply a configuration to a resource", [NAMESPACE, FILENAME, DRY_RUN];
    "create", "-f - <<'EOF' | deployment NAME --image=IMAGE | namespace NAME | job NAME --image=IMAGE | configmap NAME | priorityclass NAME --value=N | poddisruptionbudget NAME",
        "Create a resource from standard input or by name",
        [NAMESPACE, FILENAME, DRY_RUN, ("image", '-', Takes::Value), ("replicas", 'r', Takes::Value), ("from-literal", '-', Takes::Value), ("value", '-', Takes::Value),
         ("global-default", '-', Takes::Bool), ("preemption-policy", '-', Takes::Value), ("description", '-', Takes::Value), SELECTOR,
         ("min-available", '-', Takes::Value), ("max-unavailable", '-', Takes::Value)];
    "run", "NAME --image=IMAGE", "Run a particular image on the cluster",
        [NAMESPACE, DRY_RUN, ("image", '-', Takes::Value), ("restart", '-', Takes::Value), ("labels", 'l', Takes::Value)];
    "delete", "TYPE NAME… | TYPE/NAME… | TYPE -l SELECTOR | -f - <<'EOF'", "Delete resources by names or by resources and label selector",
        [NAMESPACE, ALL_NAMESPACES, ALL, SELECTOR, FIELD_SELECTOR, FILENAME, GRACE, FORCE, ("now", '-', Takes::Bool), ("wait", '-', Takes::Bool),
         TIMEOUT, ("cascade", '-', Takes::Maybe("background")), IGNORE_NOT_FOUND, OUTPUT, DRY_RUN];
    "scale", "TYPE/NAME --replicas=COUNT", "Set a new size for a deployment, replica set, or stateful set",
        [NAMESPACE, ("replicas", '-', Takes::Value), ("current-replicas", '-', Takes::Value)];
    "rollout status", "TYPE/NAME", "Show the status of the rollout", [NAMESPACE, WATCH, TIMEOUT];
    "rollout undo", "TYPE/NAME", "Undo a previous rollout", [NAMESPACE, ("to-revision", '-', Takes::Value)];
    "rollout restart", "TYPE/NAME", "Restart a resource", [NAMESPACE];
    "rollout pause", "TYPE/NAME", "Mark the provided resource as paused", [NAMESPACE];
    "rollout resume", "TYPE/NAME", "Resume a paused resource", [NAMESPACE];
    "rollout history", "TYPE/NAME", "View rollout history", [NAMESPACE, ("revision", '-', Takes::Value)];
    "cordon", "NODE", "Mark node as unschedulable", [SELECTOR, DRY_RUN];
    "uncordon", "NODE", "Mark node as schedulable", [SELECTOR, DRY_RUN];
    "drain", "NODE", "Drain node in preparation for maintenance",
        [SELECTOR, ("ignore-daemonsets", '-', Takes::Bool), ("delete-emptydir-data", '-', Takes::Bool), FORCE, GRACE, TIMEOUT,
         ("disable-eviction", '-', Takes::Bool), ("pod-selector", '-', Takes::Value), ("skip-wait-for-delete-timeout", '-', Takes::Value), DRY_RUN];
    "taint", "NODE NAME KEY=VALUE:EFFECT… | KEY:EFFECT-…", "Update the taints on one or more nodes", [ALL, SELECTOR, OVERWRITE];
    "label", "TYPE NAME KEY=VALUE… KEY-…", "Update the labels on a resource", [NAMESPACE, ALL_NAMESPACES, ALL, SELECTOR, OVERWRITE, ("list", '-', Takes::Bool)];
    "annotate", "TYPE NAME KEY=VALUE… KEY-…", "Update the annotations on a resource", [NAMESPACE, ALL_NAMESPACES, ALL, SELECTOR, OVERWRITE, ("list", '-', Takes::Bool)];
    "patch", "TYPE NAME -p PATCH", "Update fields of a resource",
        [NAMESPACE, ("patch", 'p', Takes::Value), ("type", '-', Takes::Value), ("subresource", '-', Takes::Value)];
    "edit", "TYPE/NAME <<'EOF'", "Edit a resource on the server", [NAMESPACE];
    "set image", "TYPE/NAME CONTAINER=IMAGE…", "Update the image of a pod template", [NAMESPACE];
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

const NO_RESOURCES: &str = "error: You must provide one or more resources by argument or filename.\nExample resource specifications include:\n   '-f rsrc.yaml'\n   '--filename=rsrc.json'\n   '<resource> <name>'\n   '<resource>'";

fn kinds_of(text: &str, column: u32) -> Result<Vec<Kind>, CommandError> {
    let mut kinds = Vec::new();
    for name in text.split(',') {
        if name == "all" {
            kinds.extend_from_slice(ALL_KINDS);
        } else {
            kinds.push(Kind::from_resource_name(name).ok_or_else(|| {
                CommandError::new(
                    column,
                    format!("error: the server doesn't have a resource type {name:?}"),
                )
            })?);
        }
    }
    Ok(kinds)
}

/// Reads `TYPE NAME…` or `TYPE/NAME…`.
pub(crate) fn selection(words: &[Word]) -> Result<Option<Selection>, CommandError> {
    let Some((first, rest)) = words.split_first() else {
        return Ok(None);
    };
    if first.text.contains('/') {
        let mut items = Vec::new();
        for word in words {
            let Some((kind, name)) = word.text.split_once('/') else {
                return Err(CommandError::new(
                    word.column,
                    "error: there is no need to specify a resource type as a separate argument when passing arguments in resource/name form (e.g. 'kubectl get resource/<resource_name>' instead of 'kubectl get resource resource/<resource_name>'",
                ));
            };
            if kind.is_empty() || name.is_empty() || name.contains('/') {
                return Err(CommandError::new(
                    word.column,
                    "error: arguments in resource/name form may not have more than one slash",
                ));
            }
            for kind in kinds_of(kind, word.column)? {
                items.push((kind, name.to_owned()));
            }
        }
        return Ok(Some(Selection::Items(items)));
    }
    if let Some(word) = rest.iter().find(|word| word.text.contains('/')) {
        return Err(CommandError::new(
            word.column,
            "error: there is no need to specify a resource type as a separate argument when passing arguments in resource/name form (e.g. 'kubectl get resource/<resource_name>' instead of 'kubectl get resource resource/<resource_name>'",
        ));
    }
    Ok(Some(Selection::Kinds {
        kinds: kinds_of(&first.text, first.column)?,
        names: rest.iter().map(|word| word.text.clone()).collect(),
    }))
}

fn names_any(selection: &Selection) -> bool {
    match selection {
        Selection::Kinds { names, .. } => !names.is_empty(),
        Selection::Items(_) => true,
    }
}

fn check_names(args: &Args, selection: &Selection, all: bool, selector: &Option<String>) -> Result<(), CommandError> {
    if all && names_any(selection) {
        return Err(args.plain(
            args.column("all-namespaces"),
            "a resource cannot be retrieved by name across all namespaces",
        ));
    }
    if selector.is_some() && names_any(selection) {
        return Err(args.plain(
            args.column("selector"),
            "name cannot be provided when a selector is specified",
        ));
    }
    Ok(())
}

fn dry_run(args: &Args) -> Result<DryRun, CommandError> {
    match args.value("dry-run").as_deref() {
        None | Some("none") => Ok(DryRun::None),
        Some("client") => Ok(DryRun::Client),
        Some("server") => Err(args.plain(
            args.column("dry-run"),
            "--dry-run=server is not simulated: use --dry-run=client",
        )),
        Some(other) => Err(args.plain(
            args.column("dry-run"),
            format!("Invalid dry-run value ({other}). Must be \"none\", \"server\", or \"client\"."),
        )),
    }
}

fn manifest(args: &Args) -> Result<Option<String>, CommandError> {
    match (args.value("filename"), &args.stdin) {
        (Some(path), Some(text)) if path == "-" => Ok(Some(text.clone())),
        (Some(path), None) if path == "-" => Err(args.plain(
            args.column("filename"),
            "the manifest is missing: write it after the command, kubectl apply -f - <<'EOF' … EOF",
        )),
        (Some(path), _) => Err(args.plain(args.column("filename"), format!("the path {path:?} does not exist"))),
        (None, Some(_)) => Err(args.plain(args.end, "the text after the command needs -f -")),
        (None, None) => Ok(None),
    }
}

fn output(args: &Args) -> Result<Output, CommandError> {
    let Some(text) = args.value("output") else {
        return Ok(Output::Table);
    };
    let column = args.column("output");
    Ok(match text.as_str() {
        "" => Output::Table,
        "wide" => Output::Wide,
        "yaml" => Output::Yaml,
        "json" => Output::Json,
        "name" => Output::Name,
        _ => match text.split_once('=') {
            Some(("jsonpath", template)) => Output::JsonPath(template.to_owned()),
            Some(("custom-columns", spec)) => Output::CustomColumns(spec.to_owned()),
            _ => {
                return Err(args.plain(
                    column,
                    format!(
                        "unable to match a printer suitable for the output format {text:?}, allowed formats are: custom-columns,custom-columns-file,go-template,go-template-file,json,jsonpath,jsonpath-as-json,jsonpath-file,name,template,templatefile,wide,yaml"
                    ),
                ));
            }
        },
    })
}

fn pair(text: &str) -> Option<(String, String)> {
    text.split_once('=')
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
}

/// Where the resources end and the `k=v` / `k-` changes begin.
fn changes_from(words: &[Word]) -> usize {
    words
        .iter()
        .position(|word| word.text.contains('=') || word.text.ends_with('-'))
        .unwrap_or(words.len())
}

fn small(args: &Args, name: &str) -> Result<Option<i32>, CommandError> {
    match args.int(name)? {
        None => Ok(None),
        Some(value) => i32::try_from(value).map(Some).map_err(|_| {
            CommandError::new(
                args.column(name),
                format!(
                    "error: invalid argument \"{value}\" for \"--{name}\" flag: strconv.ParseInt: parsing \"{value}\": value out of range\nSee '{} --help' for usage.",
                    args.command
                ),
            )
        }),
    }
}

fn required(args: &Args, names: &[&str]) -> Result<(), CommandError> {
    let missing: Vec<String> = names
        .iter()
        .filter(|name| args.value(name).is_none())
        .map(|name| format!("{name:?}"))
        .collect();
    if missing.is_empty() {
        Ok(())
    } else {
        Err(args.plain(args.end, format!("required flag(s) {} not set", missing.join(", "))))
    }
}

/// Parses what follows `kubectl`.
pub(super) fn kubectl(words: &[Word], stdin: Option<String>) -> Result<Command, CommandError> {
    // Global flags may come before the verb: `kubectl -n web get pods`.
    let mut words = words.to_vec();
    let mut front = Vec::new();
    while words
        .first()
        .is_some_and(|word| word.text == "-n" || word.text == "--namespace")
        && words.len() > 1
    {
        front.extend(words.drain(..2));
    }
    if words.first().is_some_and(|word| word.text.starts_with("--namespace=")) {
        front.push(words.remove(0));
    }
    let Some(verb) = words.first().cloned() else {
        return Ok(Command::Help("kubectl".into()));
    };
    if matches!(verb.text.as_str(), "help" | "--help" | "-h") {
        return Ok(Command::Help("kubectl".into()));
    }
    let mut name = verb.text.clone();
    let mut rest = words.split_off(1);
    let is_group = VERBS
        .iter()
        .any(|known| known.name.split(' ').next() == Some(name.as_str()) && known.name.contains(' '));
    if is_group {
        let Some(sub) = rest.first().cloned().filter(|sub| !sub.text.starts_with('-')) else {
            return Ok(Command::Help(format!("kubectl {name}")));
        };
        let full = format!("{name} {}", sub.text);
        if !VERBS.iter().any(|known| known.name == full) {
            return Err(CommandError::new(
                sub.column,
                format!(
                    "error: unknown command {:?}\nSee 'kubectl {name} -h' for help and examples",
                    sub.text
                ),
            ));
        }
        name = full;
        rest.remove(0);
    }
    let Some(spec) = VERBS.iter().find(|known| known.name == name) else {
        return Err(CommandError::new(verb.column, unknown_verb(&name)));
    };
    front.extend(rest);
    let args = Args::parse(&format!("kubectl {name}"), spec.flags, &front, stdin)?;
    if args.help {
        return Ok(Command::Help(format!("kubectl {name}")));
    }
    if args.stdin.is_some() && !matches!(spec.name, "apply" | "create" | "delete" | "edit") {
        return Err(args.plain(args.end, format!("{name} reads no text")));
    }
    parse_verb(spec.name, &args).map(Command::Kubectl)
}

fn unknown_verb(name: &str) -> String {
    let distance = |a: &str, b: &str| {
        let (a, b): (Vec<char>, Vec<char>) = (a.chars().take(32).collect(), b.chars().collect());
        let mut row: Vec<usize> = (0..=b.len()).collect();
        for (i, x) in a.iter().enumerate() {
            let mut previous = i;
            if let Some(first) = row.first_mut() {
                *first = i + 1;
            }
            for (j, y) in b.iter().enumerate() {
                let above = row.get(j + 1).copied().unwrap_or(0);
                let left = row.get(j).copied().unwrap_or(0);
                let value = (previous + usize::from(x != y)).min(above + 1).min(left + 1);
                previous = above;
                if let Some(cell) = row.get_mut(j + 1) {
                    *cell = value;
                }
            }
        }
        row.last().copied().unwrap_or(0)
    };
    let mut close: Vec<&str> = VERBS
        .iter()
        .filter_map(|verb| verb.name.split(' ').next())
        .filter(|verb| distance(name, verb) <= 2 || (name.len() > 1 && verb.starts_with(name)))
        .collect();
    close.dedup();
    let mut out = format!("error: unknown command {name:?} for \"kubectl\"");
    if !close.is_empty() {
        out.push_str("\n\nDid you mean this?\n");
        out.push_str(
            &close
                .iter()
                .map(|verb| format!("\t{verb}"))
                .collect::<Vec<_>>()
                .join("\n"),
        );
    }
    out
}

fn parse_verb(name: &str, args: &Args) -> Result<Kubectl, CommandError> {
    let namespace = args.value("namespace").filter(|namespace| !namespace.is_empty());
    let selector = args.value("selector").filter(|selector| !selector.is_empty());
    let field_selector = args.value("field-selector").filter(|selector| !selector.is_empty());
    let no_resources = || CommandError::new(args.end, NO_RESOURCES);
    let some_selection = || selection(&args.positional)?.ok_or_else(no_resources);
    let nodes = || -> Vec<String> {
        args.positional
            .iter()
            .map(|word| {
                ["node/", "nodes/", "no/"]
                    .iter()
                    .find_map(|prefix| word.text.strip_prefix(prefix))
                    .unwrap_or(&word.text)
                    .to_owned()
            })
            .collect()
    };
    Ok(match name {
        "get" => {
            let Some(selection) = selection(&args.positional)? else {
                return Err(CommandError::new(
                    args.end,
                    "You must specify the type of resource to get. Use \"kubectl api-resources\" for a complete list of supported resources.\n\nerror: Required resource not specified.\nUse \"kubectl explain <resource>\" for a detailed description of that resource (e.g. kubectl explain pods).\nSee 'kubectl get -h' for help and examples",
                ));
            };
            let all_namespaces = args.bool("all-namespaces", false)?;
            check_names(args, &selection, all_namespaces, &selector)?;
            let output = output(args)?;
            let show_labels = args.bool("show-labels", false)?;
            if show_labels && !matches!(output, Output::Table | Output::Wide) {
                return Err(args.plain(
                    args.column("show-labels"),
                    format!(
                        "--show-labels option cannot be used with {} printer",
                        args.value("output").unwrap_or_default()
                    ),
                ));
            }
            Kubectl::Get(Get {
                selection,
                namespace,
                all_namespaces,
                selector,
                field_selector,
                output,
                label_columns: args
                    .values("label-columns")
                    .iter()
                    .flat_map(|list| list.split(','))
                    .filter(|key| !key.is_empty())
                    .map(str::to_owned)
                    .collect(),
                show_labels,
                no_headers: args.bool("no-headers", false)?,
                sort_by: args.value("sort-by").filter(|path| !path.is_empty()),
                ignore_not_found: args.bool("ignore-not-found", false)?,
                show_managed_fields: args.bool("show-managed-fields", false)?,
            })
        }
        "describe" => {
            let selection = some_selection()?;
            let all_namespaces = args.bool("all-namespaces", false)?;
            check_names(args, &selection, all_namespaces, &selector)?;
            Kubectl::Describe(Describe {
                selection,
                namespace,
                all_namespaces,
                selector,
                show_events: args.bool("show-events", true)?,
            })
        }
        "apply" => Kubectl::Apply {
            manifest: manifest(args)?.ok_or_else(|| args.plain(args.end, "must specify one of -f and -k"))?,
            namespace,
            dry_run: dry_run(args)?,
        },
        "create" => Kubectl::Create {
            what: create(args)?,
            namespace,
            dry_run: dry_run(args)?,
        },
        "run" => {
            let [name] = args.positional.as_slice() else {
                return Err(args.usage(args.end, "NAME is required for run"));
            };
            let image = args
                .value("image")
                .ok_or_else(|| args.plain(args.end, "required flag(s) \"image\" not set"))?;
            let restart = args.value("restart");
            if !matches!(restart.as_deref(), None | Some("Always" | "OnFailure" | "Never")) {
                return Err(args.plain(
                    args.column("restart"),
                    format!("invalid restart policy: {}", restart.unwrap_or_default()),
                ));
            }
            Kubectl::Create {
                what: CreateWhat::Run {
                    name: name.text.clone(),
                    image,
                    restart,
                    labels: args
                        .values("labels")
                        .iter()
                        .flat_map(|list| list.split(','))
                        .filter_map(pair)
                        .collect(),
                },
                namespace,
                dry_run: dry_run(args)?,
            }
        }
        "delete" => Kubectl::Delete(delete(args, namespace, selector, field_selector)?),
        "scale" => {
            let selection = some_selection()?;
            required(args, &["replicas"])?;
            let replicas = small(args, "replicas")?.unwrap_or(-1);
            if replicas < 0 {
                return Err(args.plain(
                    args.column("replicas"),
                    "The --replicas=COUNT flag is required, and COUNT must be greater than or equal to 0",
                ));
            }
            Kubectl::Scale {
                selection,
                namespace,
                replicas,
                current_replicas: small(args, "current-replicas")?.filter(|current| *current >= 0),
            }
        }
        "cordon" | "uncordon" => {
            let nodes = nodes();
            if nodes.is_empty() && selector.is_none() {
                return Err(args.usage(args.end, format!("USAGE: {name} NODE [flags]")));
            }
            if !nodes.is_empty() && selector.is_some() {
                return Err(args.usage(args.end, "cannot specify both a node name and a --selector option"));
            }
            Kubectl::Cordon {
                nodes,
                selector,
                cordon: name == "cordon",
                dry_run: dry_run(args)?,
            }
        }
        "drain" => {
            let nodes = nodes();
            if nodes.is_empty() && selector.is_none() {
                return Err(args.usage(args.end, "USAGE: drain NODE [flags]"));
            }
            if !nodes.is_empty() && selector.is_some() {
                return Err(args.usage(args.end, "cannot specify both a node name and a --selector option"));
            }
            Kubectl::Drain(Drain {
                nodes,
                selector,
                ignore_daemonsets: args.bool("ignore-daemonsets", false)?,
                delete_emptydir_data: args.bool("delete-emptydir-data", false)?,
                force: args.bool("force", false)?,
                grace_period: args.int("grace-period")?.unwrap_or(-1),
                timeout: args.duration("timeout")?,
                disable_eviction: args.bool("disable-eviction", false)?,
                pod_selector: args.value("pod-selector"),
                skip_wait_for_delete_timeout: args.int("skip-wait-for-delete-timeout")?.unwrap_or(0),
                dry_run: dry_run(args)?,
            })
        }
        "taint" => taint(args, selector)?,
        "label" | "annotate" => {
            let mark = mark(name, args, namespace, selector)?;
            if name == "label" {
                Kubectl::Label(mark)
            } else {
                Kubectl::Annotate(mark)
            }
        }
        "patch" => {
            let selection = some_selection()?;
            if !names_any(&selection) {
                return Err(args.plain(args.end, "resource(s) were provided, but no name was specified"));
            }
            let patch = args.value("patch").filter(|patch| !patch.is_empty()).ok_or_else(|| {
                args.plain(
                    args.end,
                    "must specify --patch or --patch-file containing the contents of the patch",
                )
            })?;
            let patch_type = match args.value("type").as_deref() {
                None | Some("strategic") => PatchType::Strategic,
                Some("merge") => PatchType::Merge,
                Some("json") => PatchType::Json,
                Some(other) => {
                    return Err(args.plain(
                        args.column("type"),
                        format!("--type must be one of [json merge strategic], not {other:?}"),
                    ));
                }
            };
            let subresource = args.value("subresource");
            if !matches!(subresource.as_deref(), None | Some("status" | "scale")) {
                return Err(args.plain(
                    args.column("subresource"),
                    format!(
                        "invalid subresource value: {:?}. Must be one of [status scale resize]",
                        subresource.unwrap_or_default()
                    ),
                ));
            }
            Kubectl::Patch {
                selection,
                namespace,
                patch_type,
                patch,
                subresource,
            }
        }
        "edit" => Kubectl::Edit {
            selection: some_selection()?,
            namespace,
            text: args.stdin.clone().ok_or_else(|| {
                args.plain(
                    args.end,
                    "the edited object is missing: write it after the command, <<'EOF' … EOF",
                )
            })?,
        },
        "set image" => {
            let at = changes_from(&args.positional);
            let (what, images) = args.positional.split_at(at.min(args.positional.len()));
            let selection = selection(what)?.ok_or_else(no_resources)?;
            let images: Vec<(String, String)> = images.iter().filter_map(|word| pair(&word.text)).collect();
            if images.is_empty() {
                return Err(args.plain(args.end, "at least one image update is required"));
            }
            Kubectl::SetImage {
                selection,
                namespace,
                images,
            }
        }
        "events" => {
            let involved = match args.value("for") {
                None => None,
                Some(text) => {
                    let column = args.column("for");
                    let (kind, name) = text
                        .split_once('/')
                        .ok_or_else(|| args.plain(column, "--for must be in resource/name form"))?;
                    let kind = kinds_of(kind, column)?.first().copied();
                    kind.map(|kind| (kind, name.to_owned()))
                }
            };
            let types: Vec<String> = args
                .values("types")
                .iter()
                .flat_map(|list| list.split(','))
                .map(str::to_owned)
                .collect();
            if types
                .iter()
                .any(|one| !one.eq_ignore_ascii_case("Normal") && !one.eq_ignore_ascii_case("Warning"))
            {
                return Err(args.plain(args.column("types"), "valid --types are Normal or Warning"));
            }
            Kubectl::Events {
                namespace,
                all_namespaces: args.bool("all-namespaces", false)?,
                involved,
                types,
                no_headers: args.bool("no-headers", false)?,
            }
        }
        "explain" => {
            let [word] = args.positional.as_slice() else {
                return Err(args.plain(
                    args.end,
                    "You must specify the type of resource to explain. Use \"kubectl api-resources\" for a complete list of supported resources.",
                ));
            };
            let mut parts = word.text.split('.');
            let kind = kinds_of(parts.next().unwrap_or_default(), word.column)?
                .first()
                .copied();
            Kubectl::Explain {
                kind: kind.ok_or_else(no_resources)?,
                path: parts.filter(|part| !part.is_empty()).map(str::to_owned).collect(),
            }
        }
        "top" => top(args, namespace, selector)?,
        "logs" => {
            let [word] = args.positional.as_slice() else {
                return Err(args.usage(args.end, "expected 'logs [-f] [-p] (POD | TYPE/NAME) [-c CONTAINER]'.\nPOD or TYPE/NAME is a required argument for the logs command"));
            };
            let pod = ["pod/", "pods/", "po/"]
                .iter()
                .find_map(|prefix| word.text.strip_prefix(prefix))
                .unwrap_or(&word.text);
            Kubectl::Logs {
                pod: pod.to_owned(),
                namespace,
                container: args.value("container"),
                previous: args.bool("previous", false)?,
                all_containers: args.bool("all-containers", false)?,
                timestamps: args.bool("timestamps", false)?,
                tail: args.int("tail")?.unwrap_or(-1),
            }
        }
        "api-resources" => Kubectl::ApiResources,
        "version" => Kubectl::Version,
        rollout => Kubectl::Rollout {
            action: match rollout.strip_prefix("rollout ").unwrap_or_default() {
                "status" => RolloutAction::Status {
                    watch: args.bool("watch", true)?,
                    timeout: args.duration("timeout")?,
                },
                "undo" => RolloutAction::Undo {
                    to_revision: args.int("to-revision")?.unwrap_or(0),
                },
                "restart" => RolloutAction::Restart,
                "pause" => RolloutAction::Pause,
                "resume" => RolloutAction::Resume,
                _ => RolloutAction::History {
                    revision: args.int("revision")?.unwrap_or(0),
                },
            },
            selection: selection(&args.positional)?
                .ok_or_else(|| args.plain(args.end, "required resource not specified"))?,
            namespace,
        },
    })
}

fn create(args: &Args) -> Result<CreateWhat, CommandError> {
    if let Some(text) = manifest(args)? {
        return Ok(CreateWhat::Manifest(text));
    }
    let Some((what, rest)) = args.positional.split_first() else {
        return Err(args.plain(args.end, "must specify one of -f and -k"));
    };
    let [name] = rest else {
        return Err(args.usage(args.end, format!("exactly one NAME is required, got {}", rest.len())));
    };
    let name = name.text.clone();
    Ok(match what.text.as_str() {
        "deployment" | "deploy" => {
            required(args, &["image"])?;
            CreateWhat::Deployment {
                name,
                images: args.values("image"),
                replicas: small(args, "replicas")?.unwrap_or(1),
            }
        }
        "namespace" | "ns" => CreateWhat::Namespace(name),
        "job" => {
            required(args, &["image"])?;
            CreateWhat::Job {
                name,
                image: args.value("image").unwrap_or_default(),
            }
        }
        "configmap" | "cm" => {
            let mut literals = Vec::new();
            for literal in args.values("from-literal") {
                literals.push(pair(&literal).ok_or_else(|| {
                    args.plain(
                        args.column("from-literal"),
                        format!("invalid literal source {literal}, expected key=value"),
                    )
                })?);
            }
            CreateWhat::ConfigMap { name, literals }
        }
        "priorityclass" | "pc" => CreateWhat::PriorityClass {
            name,
            value: small(args, "value")?.unwrap_or(0),
            global_default: args.bool("global-default", false)?,
            preemption_policy: args.value("preemption-policy"),
            description: args.value("description").unwrap_or_default(),
        },
        "poddisruptionbudget" | "pdb" => {
            let selector = args
                .value("selector")
                .ok_or_else(|| args.plain(args.end, "a selector must be specified"))?;
            let (min_available, max_unavailable) = (args.value("min-available"), args.value("max-unavailable"));
            match (&min_available, &max_unavailable) {
                (None, None) => {
                    return Err(args.plain(args.end, "one of min-available or max-unavailable must be specified"));
                }
                (Some(_), Some(_)) => {
                    return Err(args.plain(args.end, "min-available and max-unavailable cannot be both specified"));
                }
                _ => {}
            }
            CreateWhat::PodDisruptionBudget {
                name,
                selector,
                min_available,
                max_unavailable,
            }
        }
        other => {
            return Err(args.usage(
                what.column,
                format!("cannot create {other:?} by name: use deployment, namespace, job, configmap, priorityclass, poddisruptionbudget, or -f -"),
            ));
        }
    })
}

fn delete(
    args: &Args,
    namespace: Option<String>,
    selector: Option<String>,
    field_selector: Option<String>,
) -> Result<Delete, CommandError> {
    let manifest = manifest(args)?;
    let selection = selection(&args.positional)?;
    let all = args.bool("all", false)?;
    let all_namespaces = args.bool("all-namespaces", false)?;
    match (&selection, &manifest) {
        (None, None) => return Err(CommandError::new(args.end, NO_RESOURCES)),
        (Some(_), Some(_)) => {
            return Err(args.plain(
                args.end,
                "when paths, URLs, or stdin is provided as input, you may not specify resource arguments as well",
            ));
        }
        (Some(selection), None) => {
            check_names(args, selection, all_namespaces, &selector)?;
            if !names_any(selection) && selector.is_none() && field_selector.is_none() && !all {
                return Err(args.plain(args.end, "resource(s) were provided, but no name was specified"));
            }
        }
        (None, Some(_)) => {}
    }
    if all && selector.is_some() {
        return Err(args.plain(
            args.column("all"),
            "setting 'all' parameter but found a non empty selector. ",
        ));
    }
    let grace_period = args.int("grace-period")?.unwrap_or(-1);
    let (force, now) = (args.bool("force", false)?, args.bool("now", false)?);
    if force && grace_period > 0 {
        return Err(args.plain(
            args.column("force"),
            "--force and --grace-period greater than 0 cannot be specified together",
        ));
    }
    if now && grace_period != -1 {
        return Err(args.plain(
            args.column("now"),
            "--now and --grace-period cannot be specified together",
        ));
    }
    let output_name = match args.value("output").as_deref() {
        None | Some("") => false,
        Some("name") => true,
        Some(other) => {
            return Err(args.plain(
                args.column("output"),
                format!("unexpected -o output mode: {other}. We only support '-o name'"),
            ));
        }
    };
    let cascade = args.value("cascade");
    if !matches!(cascade.as_deref(), None | Some("background" | "foreground" | "orphan")) {
        return Err(args.plain(
            args.column("cascade"),
            format!(
                "invalid cascade value ({}). Must be \"background\", \"foreground\", or \"orphan\"",
                cascade.unwrap_or_default()
            ),
        ));
    }
    Ok(Delete {
        selection,
        manifest,
        namespace,
        all_namespaces,
        all,
        selector,
        field_selector,
        grace_period,
        force,
        now,
        wait: if args.value("wait").is_some() {
            Some(args.bool("wait", true)?)
        } else {
            None
        },
        timeout: args.duration("timeout")?,
        cascade: cascade.filter(|cascade| cascade != "background"),
        ignore_not_found: args.bool("ignore-not-found", false)?,
        output_name,
        dry_run: dry_run(args)?,
    })
}

/// `key=value:Effect`, `key:Effect`, `key:Effect-`, `key-` (KC-099).
fn taint(args: &Args, selector: Option<String>) -> Result<Kubectl, CommandError> {
    let at = changes_from_taint(&args.positional);
    let (what, specs) = args.positional.split_at(at);
    let nodes = match selection(what)? {
        None => return Err(CommandError::new(args.end, NO_RESOURCES)),
        Some(Selection::Kinds { kinds, names }) if kinds == [Kind::Node] => names,
        Some(Selection::Items(items)) if items.iter().all(|(kind, _)| *kind == Kind::Node) => {
            items.into_iter().map(|(_, name)| name).collect()
        }
        Some(_) => return Err(args.usage(args.end, "invalid resource type, only node types are supported")),
    };
    let all = args.bool("all", false)?;
    if nodes.is_empty() && selector.is_none() && !all {
        return Err(args.usage(
            args.end,
            "at least one resource name must be specified since 'all' parameter is not set",
        ));
    }
    if specs.is_empty() {
        return Err(args.usage(args.end, "at least one taint update is required"));
    }
    let mut changes = Vec::new();
    for spec in specs {
        let (text, remove) = match spec.text.strip_suffix('-') {
            Some(text) => (text, true),
            None => (spec.text.as_str(), false),
        };
        let (key_value, effect) = text.split_once(':').unwrap_or((text, ""));
        let (key, value) = key_value.split_once('=').unwrap_or((key_value, ""));
        if key.is_empty() || (!remove && effect.is_empty()) {
            return Err(args.usage(spec.column, format!("invalid taint spec: {}", spec.text)));
        }
        if !effect.is_empty() && !["NoSchedule", "PreferNoSchedule", "NoExecute"].contains(&effect) {
            return Err(args.usage(
                spec.column,
                format!("invalid taint effect: {effect}, unsupported taint effect"),
            ));
        }
        changes.push(TaintChange {
            key: key.to_owned(),
            value: value.to_owned(),
            effect: effect.to_owned(),
            remove,
        });
    }
    Ok(Kubectl::Taint {
        nodes,
        all,
        selector,
        changes,
        overwrite: args.bool("overwrite", false)?,
    })
}

fn changes_from_taint(words: &[Word]) -> usize {
    words
        .iter()
        .position(|word| word.text.contains('=') || word.text.contains(':') || word.text.ends_with('-'))
        .unwrap_or(words.len())
}

fn mark(
    name: &str,
    args: &Args,
    namespace: Option<String>,
    selector: Option<String>,
) -> Result<super::Mark, CommandError> {
    let at = changes_from(&args.positional);
    let (what, specs) = args.positional.split_at(at);
    let Some(selection) = selection(what)? else {
        return Err(CommandError::new(args.end, NO_RESOURCES));
    };
    let all = args.bool("all", false)?;
    let all_namespaces = args.bool("all-namespaces", false)?;
    check_names(args, &selection, all_namespaces, &selector)?;
    let list = args.bool("list", false)?;
    let mut changes: Vec<(String, Option<String>)> = Vec::new();
    let noun = if name == "label" { "label" } else { "annotation" };
    for spec in specs {
        let change = match spec.text.split_once('=') {
            Some((key, value)) => (key.to_owned(), Some(value.to_owned())),
            None => (spec.text.trim_end_matches('-').to_owned(), None),
        };
        if change.0.is_empty() {
            return Err(args.plain(spec.column, format!("invalid {noun} spec: {}", spec.text)));
        }
        if changes
            .iter()
            .any(|(key, value)| *key == change.0 && value.is_some() != change.1.is_some())
        {
            return Err(args.plain(
                spec.column,
                format!("can not both modify and remove a {noun} in the same command"),
            ));
        }
        changes.retain(|(key, _)| *key != change.0);
        changes.push(change);
    }
    if changes.is_empty() && !list {
        return Err(args.plain(args.end, format!("at least one {noun} update is required")));
    }
    if !names_any(&selection) && selector.is_none() && !all && !list {
        return Err(args.plain(args.end, "resource(s) were provided, but no name was specified"));
    }
    Ok(super::Mark {
        selection,
        namespace,
        all_namespaces,
        all,
        selector,
        changes,
        overwrite: args.bool("overwrite", false)?,
        list,
    })
}

fn top(args: &Args, namespace: Option<String>, selector: Option<String>) -> Result<Kubectl, CommandError> {
    let Some((what, rest)) = args.positional.split_first() else {
        return Err(args.usage(args.end, "use: kubectl top node|pod [NAME]"));
    };
    let nodes = match what.text.as_str() {
        "node" | "nodes" | "no" => true,
        "pod" | "pods" | "po" => false,
        other => {
            return Err(CommandError::new(
                what.column,
                format!("error: unknown command {other:?}\nSee 'kubectl top -h' for help and examples"),
            ));
        }
    };
    if let Some(extra) = rest.get(1) {
        return Err(args.usage(extra.column, "only one name may be given"));
    }
    let sort_by = args.value("sort-by");
    if !matches!(sort_by.as_deref(), None | Some("cpu" | "memory")) {
        return Err(args.plain(args.column("sort-by"), "--sort-by accepts only cpu or memory"));
    }
    Ok(Kubectl::Top(Top {
        nodes,
        name: rest.first().map(|word| word.text.clone()),
        namespace,
        all_namespaces: args.bool("all-namespaces", false)?,
        selector,
        containers: args.bool("containers", false)?,
        sort_by,
        no_headers: args.bool("no-headers", false)?,
        sum: args.bool("sum", false)?,
    }))
}
