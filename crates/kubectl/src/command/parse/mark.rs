//! Verbs about nodes and marks: `cordon`, `uncordon`, `drain`, `taint`, `label`, `annotate`.

use podscope_api::Kind;

use super::super::flags::Args;
use super::super::shell::Word;
use super::super::*;
use super::words::*;

/// The nodes that are named, as `a-1` or `node/a-1`.
fn node_names(args: &Args) -> Vec<String> {
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
}

/// `kubectl cordon` and `uncordon`.
pub(super) fn cordon(args: &Args, name: &str) -> Result<Kubectl, CommandError> {
    let selector = selector(args);
    let command = {
        let nodes = node_names(args);
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
    };
    Ok(command)
}

/// `kubectl drain`.
pub(super) fn drain(args: &Args) -> Result<Kubectl, CommandError> {
    let selector = selector(args);
    let command = {
        let nodes = node_names(args);
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
    };
    Ok(command)
}

/// `key=value:Effect`, `key:Effect`, `key:Effect-`, `key-` (KC-099).
pub(super) fn taint(args: &Args) -> Result<Kubectl, CommandError> {
    let selector = selector(args);
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
        dry_run: dry_run(args)?,
    })
}

fn changes_from_taint(words: &[Word]) -> usize {
    words
        .iter()
        .position(|word| word.text.contains('=') || word.text.contains(':') || word.text.ends_with('-'))
        .unwrap_or(words.len())
}

/// `kubectl label` and `kubectl annotate` (KC-100, KC-101).
pub(super) fn mark(args: &Args, name: &str) -> Result<Mark, CommandError> {
    let at = changes_from(&args.positional);
    let (what, specs) = args.positional.split_at(at);
    let list = args.bool("list", false)?;
    let target = if list { target(args, what)? } else { chosen(args, what)? };
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
    Ok(Mark {
        target,
        changes,
        overwrite: args.bool("overwrite", false)?,
        list,
        dry_run: dry_run(args)?,
    })
}
