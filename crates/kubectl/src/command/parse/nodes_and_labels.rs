//! Parses the verbs that change nodes, labels and annotations: `cordon`, `uncordon`, `drain`, `taint`, `label`,
//! `annotate`.

use podscope_api::Kind;
use podscope_cluster::Span;

use super::super::flags::Args;
use super::super::shell::Word;
use super::super::*;
use super::operands::*;

/// Returns the names of the nodes in the arguments, written as `a-1` or `node/a-1`.
fn node_names(args: &Args) -> Result<Vec<String>, CommandError> {
    let name = |word: &Word| match resource_and_name(word)? {
        None => Ok(word.text.clone()),
        Some((kind, name)) => match parse_kinds(args, kind, word.column)?.first() {
            Some(kind @ Kind::Custom(_)) => Err(CommandError::new(word.column, custom::unregistered_kind_error(*kind))),
            // kubectl looks up an object of a namespaced kind without a namespace here, so it never finds the object.
            Some(kind) if kind.is_namespaced() => {
                Err(CommandError::new(word.column, crate::refusals::not_found(*kind, name)))
            }
            Some(Kind::Node) => Ok(name.to_owned()),
            _ => Err(args.error(word.column, format!("{} is no node", word.text))),
        },
    };
    if let Some(word) = args.positional.iter().find(|word| word.text.is_empty()) {
        return Err(args.error(word.column, "resource name may not be empty"));
    }
    args.positional.iter().map(name).collect()
}

/// Parses `kubectl cordon` and `kubectl uncordon`.
pub(super) fn parse_cordon(args: &Args, name: &str, words: &mut Words) -> Result<Kubectl, CommandError> {
    let selector = selector(args);
    let command = {
        let nodes = node_names(args)?;
        if nodes.is_empty() && selector.is_none() {
            return Err(args.usage_error(args.end, format!("USAGE: {name} NODE [flags]")));
        }
        if !nodes.is_empty() && selector.is_some() {
            return Err(args.usage_error(args.end, "cannot specify both a node name and a --selector option"));
        }
        Kubectl::Cordon {
            nodes: words.push_node_names(nodes),
            selector: words.push_flag_value("-l", selector),
            cordon: name == "cordon",
            dry_run: words.push_dry_run(dry_run(args)?),
        }
    };
    Ok(command)
}

/// Parses `kubectl drain`.
pub(super) fn parse_drain(args: &Args, words: &mut Words) -> Result<Kubectl, CommandError> {
    let selector = selector(args);
    let command = {
        let nodes = node_names(args)?;
        if nodes.is_empty() && selector.is_none() {
            return Err(args.usage_error(args.end, "USAGE: drain NODE [flags]"));
        }
        if !nodes.is_empty() && selector.is_some() {
            return Err(args.usage_error(args.end, "cannot specify both a node name and a --selector option"));
        }
        let nodes = words.push_node_names(nodes);
        let selector = words.push_flag_value("-l", selector);
        let mut options = DrainOptions {
            ignore_daemonsets: words.push_flag("--ignore-daemonsets", args.bool("ignore-daemonsets", false)?),
            delete_emptydir_data: words.push_flag("--delete-emptydir-data", args.bool("delete-emptydir-data", false)?),
            force: words.push_flag("--force", args.bool("force", false)?),
            grace_seconds: {
                let grace = words.push_unless_default("--grace-period", -1, args.int("grace-period")?.unwrap_or(-1));
                (grace >= 0).then_some(grace)
            },
            timeout: {
                let timeout = words.push_duration("--timeout", args.duration("timeout")?);
                timeout.filter(|timeout| *timeout > Span::ZERO)
            },
            disable_eviction: words.push_flag("--disable-eviction", args.bool("disable-eviction", false)?),
            ..DrainOptions::default()
        };
        let pod_selector = words.push_flag_with_equals("--pod-selector", args.value("pod-selector"));
        let skip_wait = "skip-wait-for-delete-timeout";
        let seconds = words.push_unless_default(&format!("--{skip_wait}"), 0, args.int(skip_wait)?.unwrap_or(0));
        options.skip_wait_for_delete = (seconds > 0).then(|| Span::seconds(seconds));
        options.dry_run = words.push_dry_run(dry_run(args)?);
        Kubectl::Drain(Drain {
            nodes,
            selector,
            pod_selector,
            options,
        })
    };
    Ok(command)
}

/// Splits the positional arguments at the first change (such as `key=value`). The arguments before it name resources.
pub(super) fn split_at_change(args: &Args, is_change: impl Fn(&str) -> bool) -> (&[Word], &[Word]) {
    let words = &args.positional;
    let at = words.iter().position(|word| is_change(&word.text));
    words.split_at(at.unwrap_or(words.len()))
}

/// Splits the positional arguments into resources and changes; an error if a resource follows a change.
fn split_changes<'w>(
    args: &'w Args,
    noun: &str,
    is_change: impl Fn(&str) -> bool,
) -> Result<(&'w [Word], &'w [Word]), CommandError> {
    let (resources, changes) = split_at_change(args, &is_change);
    match changes.iter().find(|word| !is_change(&word.text)) {
        Some(late) => Err(args.error(
            late.column,
            format!("all resources must be specified before {noun} changes: {}", late.text),
        )),
        None => Ok((resources, changes)),
    }
}

/// Parses `kubectl taint` with changes like `key=value:Effect`, `key:Effect`, `key:Effect-`, `key-` (KC-099).
pub(super) fn parse_taint(args: &Args, words: &mut Words) -> Result<Kubectl, CommandError> {
    let is_change = |word: &str| word.contains(['=', ':']) || word.ends_with('-');
    let (resources, specs) = split_changes(args, "taint", is_change)?;
    let Some((kind, names)) = resources.split_first() else {
        return Err(args.error(args.end, "one or more resources must be specified as <resource> <name>"));
    };
    let mut changes: Vec<TaintChange> = Vec::new();
    for spec in specs {
        let change = taint_change(&spec.text).map_err(|why| args.usage_error(spec.column, why))?;
        let same = |other: &&TaintChange| other.key == change.key && other.effect == change.effect && !other.remove;
        if !change.remove && changes.iter().any(|other| same(&other)) {
            let value = &change.value;
            let why = format!(
                "duplicated taints with the same key and effect: {{{} {value} {} <nil>}}",
                change.key, change.effect
            );
            return Err(args.usage_error(spec.column, why));
        }
        changes.push(change);
    }
    match args.kind_named(&kind.text) {
        // The server reports an unknown resource type, so kubectl prints this error without `error: `.
        None => {
            let why = format!("the server doesn't have a resource type {:?}", kind.text);
            return Err(args.unknown_type_error(kind.column, why));
        }
        Some(Kind::Node) => {}
        Some(_) => {
            let why = format!("invalid resource type {}, only node types are supported", kind.text);
            return Err(args.error(kind.column, why));
        }
    }
    if changes.is_empty() {
        return Err(args.error(args.end, "at least one taint update is required"));
    }
    let conflicts: Vec<String> = changes
        .iter()
        .filter(|added| !added.remove)
        .flat_map(|added| {
            let removes = |one: &&TaintChange| {
                one.remove && one.key == added.key && (one.effect.is_empty() || one.effect == added.effect)
            };
            changes.iter().filter(move |one| removes(one))
        })
        .map(|one| format!("{}={}", one.key, one.effect))
        .collect();
    if !conflicts.is_empty() {
        let why = "can not both modify and remove the following taint(s) in the same command";
        return Err(args.error(args.end, format!("{why}: {}", conflicts.join(", "))));
    }
    let (selector, all) = (selector(args), args.bool("all", false)?);
    if all && selector.is_some() {
        return Err(args.error(
            args.column("all"),
            "setting 'all' parameter with a non empty selector is prohibited",
        ));
    }
    if names.is_empty() && selector.is_none() && !all {
        return Err(args.error(
            args.end,
            "at least one resource name must be specified since 'all' parameter is not set",
        ));
    }
    words.push_word("nodes");
    Ok(Kubectl::Taint {
        nodes: words.push_names(names.iter().map(|word| word.text.clone()).collect()),
        all: words.push_flag("--all", all),
        selector: words.push_flag_value("-l", selector),
        overwrite: words.push_flag("--overwrite", args.bool("overwrite", false)?),
        changes: words.push_taints(changes),
        dry_run: words.push_dry_run(dry_run(args)?),
        output: words.push_output(output_of_write(args)?),
    })
}

/// Parses one change of a taint; the error is kubectl's message (KC-099).
fn taint_change(spec: &str) -> Result<TaintChange, String> {
    let (text, remove) = spec.strip_suffix('-').map_or((spec, false), |text| (text, true));
    let spec_error = |why: &str| match why {
        "" => format!("invalid taint spec: {text}"),
        why => format!("invalid taint spec: {text}, {why}"),
    };
    let (key, value, effect) = match text.split(':').collect::<Vec<_>>().as_slice() {
        [key] => (*key, "", ""),
        [key_value, effect] => {
            if !["NoSchedule", "PreferNoSchedule", "NoExecute"].contains(effect) {
                return Err(format!("invalid taint effect: {effect}, unsupported taint effect"));
            }
            match key_value.split('=').collect::<Vec<_>>().as_slice() {
                [key] => (*key, "", *effect),
                [key, value] => (*key, *value, *effect),
                _ => return Err(spec_error("")),
            }
        }
        _ => return Err(spec_error("")),
    };
    for problems in [
        podscope_api::label_value_problems(value),
        podscope_api::qualified_name_problems(key),
    ] {
        if !problems.is_empty() {
            return Err(spec_error(&problems.join("; ")));
        }
    }
    if !remove && effect.is_empty() {
        return Err(spec_error(""));
    }
    Ok(TaintChange {
        key: key.to_owned(),
        value: if remove { String::new() } else { value.to_owned() },
        effect: effect.to_owned(),
        remove,
    })
}

/// Parses the changes of labels or annotations; the value `None` removes the key.
fn parse_key_changes(args: &Args, specs: &[Word], noun: &str) -> Result<Vec<(String, Option<String>)>, CommandError> {
    let mut changes: Vec<(String, Option<String>)> = Vec::new();
    for spec in specs {
        let change = match spec.text.split_once('=') {
            Some((key, value)) => (key.to_owned(), Some(value.to_owned())),
            None => (spec.text.strip_suffix('-').unwrap_or_default().to_owned(), None),
        };
        if let (Some(value), "label") = (&change.1, noun) {
            if value.contains('=') {
                return Err(args.error(spec.column, format!("invalid label spec: {}", spec.text)));
            }
            let problems = podscope_api::label_value_problems(value);
            if !problems.is_empty() {
                let why = format!("invalid label value: {:?}: {}", spec.text, problems.join(";"));
                return Err(args.error(spec.column, why));
            }
        }
        if changes
            .iter()
            .any(|(key, value)| *key == change.0 && value.is_some() != change.1.is_some())
        {
            return Err(args.error(
                spec.column,
                match noun {
                    "label" => "can not both modify and remove a label in the same command".to_owned(),
                    _ => format!(
                        "can not both modify and remove the following annotation(s) in the same command: {}",
                        change.0
                    ),
                },
            ));
        }
        changes.retain(|(key, _)| *key != change.0);
        changes.push(change);
    }
    Ok(changes)
}

/// Checks that the objects are given in exactly one way: by name, selector, `--all` or manifest.
fn check_single_source(args: &Args, resources: &[Word]) -> Result<(), CommandError> {
    let all = args.bool("all", false)?;
    for (flag, given) in [
        ("selector", selector(args)),
        ("field-selector", args.value("field-selector")),
    ] {
        if all && given.is_some_and(|given| !given.is_empty()) {
            let why = format!("cannot set --all and --{flag} at the same time");
            return Err(args.error(args.column(flag), why));
        }
    }
    let is_manifest = resources.is_empty() && args.value("filename").is_some();
    if args.bool("local", false)? && !is_manifest {
        let why = match resources.is_empty() {
            true => "one or more files must be specified as -f pod.yaml or --filename=pod.json",
            false => "can only use local files by -f pod.yaml or --filename=pod.json when --local=true is set",
        };
        return Err(args.error(args.column("local"), why));
    }
    if resources.is_empty() && args.value("filename").is_none() {
        return Err(args.error(
            args.end,
            "one or more resources must be specified as <resource> <name> or <resource>/<name>",
        ));
    }
    Ok(())
}

/// Checks that `--resource-version` is used with a single object.
fn check_resource_version(args: &Args, resources: &[Word]) -> Result<(), CommandError> {
    let names = match resources {
        [_, names @ ..] if !resources.iter().any(|word| word.text.contains('/')) => names.len(),
        words => words.len(),
    };
    if names > 1
        && args
            .value("resource-version")
            .is_some_and(|version| !version.is_empty())
    {
        let why = "--resource-version may only be used with a single resource";
        return Err(args.error(args.column("resource-version"), why));
    }
    Ok(())
}

/// Parses `kubectl label` and `kubectl annotate` (KC-100, KC-101).
pub(super) fn parse_label_or_annotate(
    args: &Args,
    name: &str,
    words: &mut Words,
) -> Result<MetadataChange, CommandError> {
    let noun = if name == "label" { "label" } else { "annotation" };
    let is_change = |word: &str| (word.contains('=') && !word.starts_with('=')) || (word.ends_with('-') && word != "-");
    let (resources, specs) = split_changes(args, noun, is_change)?;
    let list = args.bool("list", false)?;
    let changes = parse_key_changes(args, specs, noun)?;
    check_single_source(args, resources)?;
    if changes.is_empty() && !list {
        return Err(args.error(args.end, format!("at least one {noun} update is required")));
    }
    if let Some(path) = args
        .value("filename")
        .filter(|path| path != "-" || args.stdin.is_none())
    {
        return Err(args.error(args.column("filename"), format!("the path {path:?} does not exist")));
    }
    if list && args.value("output").is_some_and(|output| !output.is_empty()) {
        let why = "--list and --output may not be specified together";
        return Err(args.error(args.column("output"), why));
    }
    check_resource_version(args, resources)?;
    let target = match list {
        true => target(args, resources)?,
        false => explicit_target(args, resources)?,
    };
    words.push_plural_selection(&target.selection);
    let changes = words.push_key_changes(changes);
    words.push_namespace_and_selectors(&target);
    Ok(MetadataChange {
        target,
        changes,
        overwrite: words.push_flag("--overwrite", args.bool("overwrite", false)?),
        list: words.push_flag("--list", list),
        dry_run: words.push_dry_run(dry_run(args)?),
        output: words.push_output(output_of_write(args)?),
        resource_version: words.push_flag_with_equals("--resource-version", args.value("resource-version")),
    })
}
