//! Parses the verbs that keep their original words ([`Verbatim`]): `create KIND`, `run`, `expose`, `autoscale`, `wait`,
//! `set`, `auth`, `config` and others.

use podscope_api::Kind;
use podscope_api::ordered::StableSort as _;
use podscope_cluster::Span;

use super::super::flags::Args;
use super::super::shell::Word;
use super::super::*;
use super::make;
use super::nodes_and_labels::split_at_change;
use super::operands::*;
use super::query::{parse_api_resources, parse_can_i, parse_token, parse_use_context, parse_version};
use super::write::parse_validation;
use crate::{LabelQuery, Path};

type Parsed<T> = Result<T, CommandError>;

/// Parses the arguments of a verb whose command keeps its original words.
pub(super) fn parse(args: &Args, verb: &'static str) -> Parsed<Kubectl> {
    let dry_run = dry_run(args)?;
    let prints_objects = !matches!(
        verb,
        "version" | "api-resources" | "config view" | "config get-contexts" | "api-versions"
    );
    if verb == "apply view-last-applied" {
        let output = args.value("output").unwrap_or_default();
        if !matches!(output.as_str(), "" | "yaml" | "json") {
            let why = format!("Unexpected -o output mode: {output}, the flag 'output' must be one of yaml|json");
            return Err(args.usage_error(args.column("output"), why));
        }
    }
    let output = if prints_objects {
        output_of_write(args)?
    } else {
        Output::Table
    };
    let action = match verb {
        "run" => make::run(args)?,
        "wait" => parse_wait(args)?,
        "expose" => parse_expose(args)?,
        "autoscale" => parse_autoscale(args)?,
        "replace" => Action::Replace {
            text: required_manifest(args)?,
            options: ReplaceOptions {
                force: force_options(args)?,
                validation: parse_validation(args)?,
            },
        },
        "diff" => Action::Diff {
            text: required_manifest(args)?,
        },
        "apply view-last-applied" => Action::LastApplied(explicit_target(args, &args.positional)?),
        "apply set-last-applied" => Action::SetLastApplied {
            text: manifest(args)?.ok_or_else(|| CommandError::new(args.end, NO_RESOURCES_ERROR))?,
            creates: args.bool("create-annotation", false)?,
        },
        "apply edit-last-applied" => Action::EditLastApplied {
            target: target(args, &args.positional)?,
            text: args
                .stdin
                .clone()
                .ok_or_else(|| args.error(args.end, super::write::EDITED_TEXT_MISSING))?,
        },
        "auth can-i" => parse_can_i(args)?,
        "auth whoami" => Action::WhoAmI,
        "api-resources" => parse_api_resources(args)?,
        "api-versions" => parse_api_versions(args)?,
        "cluster-info" => parse_cluster_info(args)?,
        "config view" => Action::Config(ConfigCommand::View),
        "config current-context" => Action::Config(ConfigCommand::CurrentContext),
        "config get-contexts" => parse_get_contexts(args)?,
        "config get-clusters" => Action::Config(ConfigCommand::GetClusters),
        "config get-users" => Action::Config(ConfigCommand::GetUsers),
        "config use-context" => parse_use_context(args)?,
        "config set-context" => {
            let why = "kubectl config set-context: there is one context here, and no file that it is written to; give each command its -n NAMESPACE";
            return Err(args.error(args.end, why));
        }
        "create token" => parse_token(args)?,
        "version" => parse_version(args)?,
        verb => match verb.split_once(' ') {
            Some(("create", kind)) => make::create(args, kind)?,
            Some((_, field)) => parse_set(args, field)?,
            None => return Err(args.error(args.end, format!("{verb} is not known"))),
        },
    };
    Ok(verbatim(args, verb, action, dry_run, output))
}

fn parse_api_versions(args: &Args) -> Parsed<Action> {
    match args.positional.first() {
        Some(extra) => {
            let words = args.positional_texts();
            Err(args.usage_error(extra.column, format!("unexpected arguments: [{}]", words.join(" "))))
        }
        None => Ok(Action::ApiVersions),
    }
}

fn parse_cluster_info(args: &Args) -> Parsed<Action> {
    match args.positional.first() {
        Some(word) if word.text == "dump" => {
            let why = "kubectl cluster-info dump writes all objects and all logs; \
                       `kubectl get all,nodes,events -A -o yaml` prints the objects, `kubectl logs POD` a log";
            Err(args.error(word.column, why))
        }
        _ => Ok(Action::ClusterInfo),
    }
}

fn parse_get_contexts(args: &Args) -> Parsed<Action> {
    match args.value("output").as_deref() {
        None | Some("") => Ok(Action::Config(ConfigCommand::GetContexts)),
        Some("name") => Ok(Action::Config(ConfigCommand::CurrentContext)),
        Some(other) => {
            let why = format!("output must be one of '' or 'name': {other}");
            Err(args.error(args.column("output"), why))
        }
    }
}

/// Creates a [`Verbatim`] command with an action.
pub(super) fn verbatim(args: &Args, verb: &'static str, action: Action, dry_run: DryRun, output: Output) -> Kubectl {
    Kubectl::Verbatim(Box::new(Verbatim {
        verb,
        action,
        namespace: namespace(args),
        save_config: args.bool("save-config", false).unwrap_or_default(),
        dry_run,
        output,
    }))
}

/// Parses `replace --force` and the options of its deletions.
fn force_options(args: &Args) -> Parsed<Option<ForceOptions>> {
    let grace = args.int("grace-period")?.filter(|grace| *grace >= 0);
    let timeout = args.duration("timeout")?.filter(|timeout| timeout.0 > 0);
    if !args.bool("force", false)? {
        for (flag, is_given) in [("grace-period", grace.is_some()), ("timeout", timeout.is_some())] {
            if is_given {
                return Err(args.error(args.column(flag), format!("--{flag} must have --force specified")));
            }
        }
        return Ok(None);
    }
    if dry_run(args)? != DryRun::None {
        return Err(args.error(args.column("dry-run"), "--dry-run can not be used when --force is set"));
    }
    Ok(Some(ForceOptions {
        // `replace --force` never deletes with grace period 0: the minimum is one second.
        grace_seconds: grace.map(|grace| grace.max(1)),
        cascade: parse_cascade(args)?,
    }))
}

/// Returns the manifest of `-f -`, which is required.
fn required_manifest(args: &Args) -> Parsed<String> {
    manifest(args)?.ok_or_else(|| args.error(args.end, "must specify one of -f and -k"))
}

/// Parses `expose`.
fn parse_expose(args: &Args) -> Parsed<Action> {
    let labels = make::parse_flag_pairs(args, "labels", "label")?;
    let selector = args.value("selector").filter(|selector| !selector.is_empty());
    if selector.is_some() {
        make::parse_flag_pairs(args, "selector", "label")?;
    }
    let affinity = args.value("session-affinity").filter(|affinity| !affinity.is_empty());
    if let Some(other) = affinity.as_deref().filter(|one| !matches!(*one, "None" | "ClientIP")) {
        let why = format!("unknown session affinity: {other}");
        return Err(args.error(args.column("session-affinity"), why));
    }
    let overrides = make::parse_overrides(args)?;
    // `--selector` becomes the selector of the Service; it does not select the objects to expose.
    let words = &args.positional;
    let without = args.without(&["selector"]);
    let target = optional_target(&without, words)?;
    if target.is_some() {
        explicit_target(&without, words)?;
    }
    Ok(Action::Expose(Box::new(Expose {
        target: target.ok_or_else(|| CommandError::new(args.end, NO_RESOURCES_ERROR))?,
        name: args.value("name").filter(|name| !name.is_empty()),
        port: args.value("port").filter(|port| !port.is_empty()),
        target_port: args.value("target-port").filter(|port| !port.is_empty()),
        protocol: args.value("protocol"),
        service_type: args.value("type").filter(|kind| !kind.is_empty()),
        selector,
        cluster_ip: args.value("cluster-ip"),
        external_ip: args.value("external-ip").filter(|ip| !ip.is_empty()),
        load_balancer_ip: args.value("load-balancer-ip").filter(|ip| !ip.is_empty()),
        session_affinity: affinity,
        overrides,
        labels: labels
            .into_iter()
            .map(|(key, value)| (key, value.as_str().unwrap_or_default().to_owned()))
            .collect(),
    })))
}

/// Parses `autoscale`.
fn parse_autoscale(args: &Args) -> Parsed<Action> {
    check_required_flags(args, &["max"])?;
    let (min, max) = (args.int("min")?.filter(|min| *min >= 0), args.int("max")?.unwrap_or(-1));
    if max < 1 {
        let why = format!("--max=MAXPODS is required and must be at least 1, max: {max}");
        return Err(args.error(args.column("max"), why));
    }
    if let Some(min) = min.filter(|min| *min > max) {
        let why = format!("--max=MAXPODS must be larger or equal to --min=MINPODS, max: {max}, min: {min}");
        return Err(args.error(args.column("max"), why));
    }
    let cpu = match args.value("cpu") {
        Some(text) => text.strip_suffix('%').and_then(|number| number.parse().ok()),
        None => args.int("cpu-percent")?.filter(|percent| *percent >= 0),
    };
    let name = args.value("name").filter(|name| !name.is_empty());
    let target = explicit_target(args, &args.positional)?;
    Ok(Action::Autoscale(Autoscale {
        target,
        name,
        min,
        max,
        cpu_percent: cpu,
    }))
}

/// Parses `wait`.
fn parse_wait(args: &Args) -> Parsed<Action> {
    let for_values = args.values("for");
    let timeout = match args.value("timeout") {
        Some(text) => match text.strip_prefix('-') {
            // A negative timeout, whose sign is stripped here, means one week.
            Some(rest) if crate::duration::parse_duration(rest).is_ok() => Span::seconds(7 * 86_400),
            _ => args.duration("timeout")?.unwrap_or(make::DEFAULT_WAIT_TIMEOUT),
        },
        None => make::DEFAULT_WAIT_TIMEOUT,
    };
    if for_values.is_empty() {
        return Err(args.error(args.end, "unrecognized condition: []"));
    }
    let conditions = for_values
        .iter()
        .map(|text| wait_condition(args, text))
        .collect::<Parsed<_>>()?;
    let target = target(args, &args.positional)?;
    let is_explicit = match &target.selection {
        Selection::Kinds { names, .. } => {
            !names.is_empty() || target.all || target.selector.is_some() || target.field_selector.is_some()
        }
        Selection::Items(_) => true,
    };
    if !is_explicit {
        return Err(args.error(args.end, "resource(s) were provided, but no name was specified"));
    }
    Ok(Action::Wait(Wait {
        target,
        conditions,
        timeout,
    }))
}

/// Parses a value of `wait --for`.
fn wait_condition(args: &Args, text: &str) -> Parsed<WaitCondition> {
    let column = args.column("for");
    let lower = text.to_ascii_lowercase();
    if lower == "delete" {
        return Ok(WaitCondition::Delete);
    }
    if lower == "create" {
        return Ok(WaitCondition::Create);
    }
    if let Some(condition) = text.strip_prefix("condition=") {
        let (name, status) = condition.split_once('=').unwrap_or((condition, "true"));
        return Ok(WaitCondition::Condition(name.to_owned(), status.to_owned()));
    }
    if let Some(rest) = text.strip_prefix("jsonpath=") {
        let (path, value) = match rest.find("}=") {
            Some(at) => (&rest[..=at], Some(&rest[at + 2..])),
            None => match rest.split_once('=') {
                Some((path, value)) if !rest.starts_with('{') => (path, Some(value)),
                _ => (rest, None),
            },
        };
        let value = value.map(|value| value.trim_matches(['\'', '"']).to_owned());
        if value.as_deref() == Some("") {
            let why =
                "jsonpath wait has to have a value after equal sign, like --for=jsonpath='{.status.readyReplicas}'=3";
            return Err(args.error(column, why));
        }
        if path.is_empty() {
            return Err(args.error(column, "jsonpath expression cannot be empty"));
        }
        Path::parse(path).map_err(|why| args.error(column, why))?;
        return Ok(WaitCondition::Path(path.to_owned(), value));
    }
    Err(args.error(column, format!("unrecognized condition: {text:?}")))
}

/// Parses `set FIELD`. The changes follow the resources.
fn parse_set(args: &Args, field: &str) -> Parsed<Action> {
    let is_change = |word: &str| match field {
        "env" => (word.contains('=') && !word.starts_with('=')) || word.ends_with('-'),
        "selector" => word.contains('='),
        _ => false,
    };
    let (resources, changes) = split_at_change(args, is_change);
    let containers = args.value("containers").unwrap_or_else(|| "*".to_owned());
    let (resources, change) = match field {
        "env" => (resources, parse_set_env(args, resources, changes, containers)?),
        "resources" => {
            optional_target(args, resources)?.ok_or_else(|| CommandError::new(args.end, NO_RESOURCES_ERROR))?;
            let (limits, requests) = (
                make::parse_resource_amounts(args, "limits")?,
                make::parse_resource_amounts(args, "requests")?,
            );
            if limits.is_empty() && requests.is_empty() {
                return Err(args.error(
                    args.end,
                    "you must specify an update to requests or limits (in the form of --requests/--limits)",
                ));
            }
            (
                resources,
                SetChange::Resources {
                    limits,
                    requests,
                    containers,
                },
            )
        }
        "serviceaccount" => match resources.split_last() {
            Some((account, rest)) => (rest, SetChange::ServiceAccount(account.text.clone())),
            _ => return Err(args.error(args.end, "serviceaccount is required")),
        },
        "subject" => (resources, parse_subjects(args)?),
        _ => {
            // The last argument of `set selector` is the selector, whatever it contains.
            let Some((selector, resources)) = args.positional.split_last() else {
                return Err(args.error(args.end, "one selector is required"));
            };
            if let Err(why) = LabelQuery::parse(&selector.text) {
                let why = format!("couldn't parse the selector string {:?}: {why}", selector.text);
                return Err(args.error(selector.column, why));
            }
            (resources, SetChange::Selector(selector.text.clone()))
        }
    };
    let target = explicit_target_or_all(args, resources)?;
    Ok(Action::Set { target, change })
}

/// Parses `set env`.
fn parse_set_env(args: &Args, resources: &[Word], changes: &[Word], containers: String) -> Parsed<SetChange> {
    let list = args.bool("list", false)?;
    let from = args
        .value("from")
        .map(|from| parse_env_source(args, &from))
        .transpose()?;
    if resources.is_empty() && args.value("filename").is_none() {
        let why = "one or more resources must be specified as <resource> <name> or <resource>/<name>";
        return Err(args.error(args.end, why));
    }
    let pairs = parse_variables(args, changes)?;
    if pairs.is_empty() && from.is_none() && !list && !resources.is_empty() {
        // An error about the resources has precedence over the error about missing variables.
        explicit_target(args, resources)?;
        return Err(args.error(args.end, "at least one environment variable must be provided"));
    }
    let keys = args.values("keys");
    let keys = keys
        .iter()
        .flat_map(|list| list.split(','))
        .filter(|key| !key.is_empty())
        .map(str::to_owned);
    Ok(SetChange::Env {
        changes: pairs,
        from,
        prefix: args.value("prefix").unwrap_or_default(),
        keys: keys.collect(),
        containers,
        overwrite: args.bool("overwrite", true)?,
        list,
        resolve: args.bool("resolve", false)?,
    })
}

/// Parses the value of `set env --from`, which names a ConfigMap or a Secret.
fn parse_env_source(args: &Args, from: &str) -> Parsed<(Kind, String)> {
    let column = args.column("from");
    let (kind, name) = from.split_once('/').unwrap_or((from, ""));
    let kind = parse_kinds(args, kind, column)?
        .first()
        .copied()
        .unwrap_or(Kind::ConfigMap);
    if name.is_empty() {
        return Err(args.error(column, "resource(s) were provided, but no name was specified"));
    }
    Ok((kind, name.to_owned()))
}

/// Collects the variables of `set env`: from the words after the resources, from `-e`, and from standard input if a
/// word is `-`.
fn parse_variables(args: &Args, words: &[Word]) -> Parsed<Vec<(String, Option<String>)>> {
    let mut texts = Vec::new();
    for word in words {
        match (word.text.as_str(), &args.stdin) {
            ("-", Some(text)) => texts.extend(text.lines().map(str::to_owned)),
            ("-", None) => {}
            (text, _) => texts.push(text.to_owned()),
        }
    }
    texts.extend(args.values("env"));
    let mut variables: Vec<(String, Option<String>)> = Vec::new();
    for text in texts {
        let variable = match text.split_once('=') {
            Some((name, value)) => {
                let is_first = |c: char| c.is_ascii_alphabetic() || "-._".contains(c);
                let is_name = name.starts_with(is_first) && name.chars().all(|c| is_first(c) || c.is_ascii_digit());
                if !is_name {
                    let why = format!(
                        "{name:?} is not a valid key name: a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit (e.g. 'my.env-name',  or 'MY_ENV.NAME',  or 'MyEnvName1', regex used for validation is '[-._a-zA-Z][-._a-zA-Z0-9]*')"
                    );
                    return Err(args.error(args.end, why));
                }
                (name.to_owned(), Some(value.to_owned()))
            }
            None => match text.strip_suffix('-') {
                Some(name) => (name.to_owned(), None),
                None => return Err(args.error(args.end, format!("unknown argument: {text}"))),
            },
        };
        variables.push(variable);
    }
    let is_set_and_removed = |(name, value): &(String, Option<String>)| {
        value.is_some() && variables.iter().any(|(other, value)| other == name && value.is_none())
    };
    if variables.iter().any(is_set_and_removed) {
        let why = "can not both modify and remove the same environment variable in the same command";
        return Err(args.error(args.end, why));
    }
    Ok(variables)
}

/// Parses `--user`, `--group` and `--serviceaccount` of `set subject`.
fn parse_subjects(args: &Args) -> Parsed<SetChange> {
    optional_target(args, &args.positional)?.ok_or_else(|| CommandError::new(args.end, NO_RESOURCES_ERROR))?;
    let mut subjects = Vec::new();
    for (flag, kind) in [("user", "User"), ("group", "Group")] {
        let mut names = args.values(flag);
        names.stable_sort();
        subjects.extend(names.into_iter().map(|name| (kind, String::new(), name)));
    }
    let mut accounts = args.values("serviceaccount");
    accounts.stable_sort();
    for account in accounts {
        match account.split(':').collect::<Vec<_>>().as_slice() {
            [namespace, name] if !name.is_empty() => {
                subjects.push(("ServiceAccount", (*namespace).to_owned(), (*name).to_owned()));
            }
            _ => {
                let why = "serviceaccount must be <namespace>:<name>";
                return Err(args.error(args.column("serviceaccount"), why));
            }
        }
    }
    if subjects.is_empty() {
        let why = "you must specify at least one value of user, group or serviceaccount";
        return Err(args.error(args.end, why));
    }
    Ok(SetChange::Subjects(subjects))
}

/// Returns the error for a verb that the simulation does not support, with an alternative.
pub(super) fn unsupported_verb(verb: &str) -> Option<String> {
    const NO_PROGRAMS: &str = "containers here are scripts of what they do and run no programs";
    Some(match verb {
        "run -i" => format!(
            "error: kubectl run -i: {NO_PROGRAMS}; leave -i, -t, --attach and --rm out, and `kubectl logs POD` tells what it went through"
        ),
        "exec" | "attach" | "debug" => format!(
            "error: kubectl {verb}: {NO_PROGRAMS}; `kubectl logs POD` tells what one went through, `fault exit POD CONTAINER CODE` ends one"
        ),
        "cp" => {
            format!(
                "error: kubectl cp: {NO_PROGRAMS} and have no files; `kubectl describe pod POD` shows what is mounted"
            )
        }
        "port-forward" | "proxy" => format!(
            "error: kubectl {verb}: {NO_PROGRAMS} and serve nothing; `kubectl get endpointslices` shows who would be reached"
        ),
        "certificate" | "completion" | "kuberc" | "kustomize" | "options" | "plugin" => format!(
            "error: kubectl {verb} has nothing to do with a cluster in a tab; `help kubectl` lists what there is"
        ),
        _ => return None,
    })
}

/// Creates the command `get --raw`.
pub(super) fn raw_command(args: &Args, path: String) -> Kubectl {
    verbatim(args, "get", Action::Raw(path), DryRun::None, Output::Table)
}
