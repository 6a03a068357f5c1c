//! Parses the verbs that read: `get`, `describe`, `events`, `explain`, `top`, `logs`.

use podscope_api::Kind;

use super::super::flags::Args;
use super::super::shell::Word;
use super::super::*;
use super::operands::*;
use crate::refusals::{METHOD_NOT_ALLOWED, NO_SUCH_RESOURCE};

/// Parses `kubectl get`.
pub(super) fn parse_get(args: &Args, words: &mut Words) -> Result<Kubectl, CommandError> {
    if let Some(path) = args.value("raw").filter(|path| !path.is_empty()) {
        return parse_raw(args, path);
    }
    if let Some((resource, names)) = args.positional.split_first()
        && matches!(resource.text.as_str(), "cs" | "componentstatus" | "componentstatuses")
    {
        let names = names.iter().map(|word| word.text.clone()).collect();
        let output = output(args)?;
        return Ok(super::verbatim::verbatim(
            args,
            "get",
            Action::ComponentStatuses(names),
            DryRun::None,
            output,
        ));
    }
    check_filename(args)?;
    if let Some(why) = args
        .positional
        .split_first()
        .and_then(|(resource, names)| resource_without_objects(&resource.text, names, args.end))
    {
        return Err(why);
    }
    let (show_labels, output_watch_events) = (
        args.bool("show-labels", false)?,
        args.bool("output-watch-events", false)?,
    );
    if !args.positional.is_empty() || args.value("filename").is_some() {
        check_flags_of_get(args, show_labels, output_watch_events)?;
    }
    let Some(target) = optional_target(args, &args.positional)? else {
        return Err(CommandError::new(
            args.end,
            "You must specify the type of resource to get. Use \"kubectl api-resources\" for a complete list of supported resources.\n\nerror: Required resource not specified.\nUse \"kubectl explain <resource>\" for a detailed description of that resource (e.g. kubectl explain pods).\nSee 'kubectl get -h' for help and examples",
        ));
    };
    check_subresource(args, &target)?;
    let output = output(args)?;
    let watch = parse_watch(args, &target)?;
    Ok(Kubectl::Get(Get {
        target: words.push_target(target),
        output: words.push_output(output),
        label_columns: label_columns(args, words),
        show_labels: words.push_flag("--show-labels", show_labels),
        show_kind: words.push_flag("--show-kind", args.bool("show-kind", false)?),
        no_headers: words.push_flag("--no-headers", args.bool("no-headers", false)?),
        sort_by: words.push_flag_with_equals("--sort-by", args.value("sort-by").filter(|path| !path.is_empty())),
        ignore_not_found: words.push_flag("--ignore-not-found", args.bool("ignore-not-found", false)?),
        show_managed_fields: words.push_flag("--show-managed-fields", args.bool("show-managed-fields", false)?),
        watch: {
            words.push_flag("--watch", watch == Watch::Yes);
            words.push_flag("--watch-only", watch == Watch::Only);
            watch
        },
        output_watch_events: words.push_flag("--output-watch-events", output_watch_events),
        scale: words.push_flag(
            "--subresource=scale",
            args.value("subresource").as_deref() == Some("scale"),
        ),
        bare_columns: words.push_flag("--server-print=false", !args.bool("server-print", true)?),
    }))
}

/// Parses `-L`.
fn label_columns(args: &Args, words: &mut Words) -> Vec<String> {
    let lists = args.values("label-columns");
    let keys = lists.iter().flat_map(|list| list.split(','));
    let keys: Vec<String> = keys.filter(|key| !key.is_empty()).map(str::to_owned).collect();
    words.push_flag_value("-L", (!keys.is_empty()).then(|| keys.join(",")));
    keys
}

/// Returns an error for conflicting flags of `get`. kubectl checks them before it looks up resource types and output
/// formats.
fn check_flags_of_get(args: &Args, show_labels: bool, output_watch_events: bool) -> Result<(), CommandError> {
    let output = args.value("output").unwrap_or_default();
    if show_labels && !matches!(output.as_str(), "" | "wide") {
        let why = format!("--show-labels option cannot be used with {output} printer");
        return Err(args.error(args.column("show-labels"), why));
    }
    if output_watch_events && !args.bool("watch", false)? && !args.bool("watch-only", false)? {
        let why = "--output-watch-events option can only be used with --watch or --watch-only";
        return Err(args.error(args.column("output-watch-events"), why));
    }
    Ok(())
}

/// Parses `get --raw`.
fn parse_raw(args: &Args, path: String) -> Result<Kubectl, CommandError> {
    let column = args.column("raw");
    if !args.positional.is_empty() {
        return Err(args.error(column, "arguments may not be passed when --raw is specified"));
    }
    if !path.starts_with('/') && !path.contains("://") {
        let why = format!("--raw must be a valid URL path: parse {path:?}: invalid URI for request");
        return Err(args.error(column, why));
    }
    Ok(super::verbatim::raw_command(args, path))
}

/// Checks that `-f` is standard input and that no resources are given as arguments.
fn check_filename(args: &Args) -> Result<(), CommandError> {
    if let Some(path) = args.value("filename").filter(|path| path != "-") {
        return Err(args.error(args.column("filename"), format!("the path {path:?} does not exist")));
    }
    if args.value("filename").is_some() && !args.positional.is_empty() {
        let why = "when paths, URLs, or stdin is provided as input, you may not specify resource arguments as well";
        return Err(args.error(args.column("filename"), why));
    }
    Ok(())
}

/// Checks that the subresource of `--subresource` exists, and that the objects are selected by name.
fn check_subresource(args: &Args, target: &Target) -> Result<(), CommandError> {
    if let Some(subresource) = args.value("subresource").filter(|name| !name.is_empty()) {
        let is_named = match &target.selection {
            Selection::Kinds { names, .. } => !names.is_empty(),
            Selection::Items(_) => true,
        };
        if !is_named {
            let why = "subresource cannot be used when bulk resources are specified";
            return Err(args.error(args.column("subresource"), why));
        }
        if subresource != "status" && subresource != "scale" {
            return Err(CommandError::new(args.column("subresource"), NO_SUCH_RESOURCE));
        }
        let without_status = |kind: &Kind| subresource == "status" && !args.has_status_subresource(*kind);
        if let Some(kind) = target.kinds().into_iter().find(without_status) {
            let name = match &target.selection {
                Selection::Kinds { names, .. } => names.first(),
                Selection::Items(items) => items.first().map(|(_, name)| name),
            };
            let why = crate::refusals::not_found(kind, name.map_or("", |name| name));
            return Err(CommandError::new(args.column("subresource"), why));
        }
    }
    Ok(())
}

/// Parses `--watch` and `--watch-only`. Only one object, or the objects of one kind, can be watched.
fn parse_watch(args: &Args, target: &Target) -> Result<Watch, CommandError> {
    let watch = match (args.bool("watch", false)?, args.bool("watch-only", false)?) {
        (_, true) => Watch::Only,
        (true, false) => Watch::Yes,
        (false, false) => Watch::No,
    };
    let is_multiple = match &target.selection {
        Selection::Kinds { kinds, names } => kinds.len() > 1 || names.len() > 1,
        Selection::Items(items) => items.len() > 1,
    };
    if watch != Watch::No && is_multiple {
        return Err(args.error(
            args.column("watch"),
            "watch is only supported on individual resources and resource collections - more than 1 resource was found",
        ));
    }
    Ok(watch)
}

/// Returns kubectl's message about a resource that never has objects in the simulation: bindings and reviews (such as
/// `tokenreviews`) are not stored, and some kinds are not implemented. `None` for resources that may have objects.
fn resource_without_objects(resource: &str, names: &[Word], column: u32) -> Option<CommandError> {
    if Kind::from_resource_name(resource).is_some() {
        return None;
    }
    let (bare, group) = resource.split_once('.').unwrap_or((resource, ""));
    let lower = bare.to_ascii_lowercase();
    let known = podscope_api::OTHER_RESOURCES.iter().find(|one| {
        let known_group = one.api_version.split_once('/').map_or("", |(group, _)| group);
        let is_named = one.plural == lower || one.kind.to_ascii_lowercase() == lower || one.short_names.contains(&bare);
        is_named && (group.is_empty() || group == known_group)
    })?;
    let known_group = known.api_version.split_once('/').map_or("", |(group, _)| group);
    Some(match (known.verbs, names) {
        ("create", _) => CommandError::new(column, METHOD_NOT_ALLOWED),
        (podscope_api::ALL_VERBS, []) => CommandError::for_empty_list(column),
        (podscope_api::ALL_VERBS, names) => {
            let missing = |word: &Word| {
                format!(
                    "Error from server (NotFound): {}.{known_group} {:?} not found",
                    known.plural, word.text
                )
            };
            CommandError::new(column, names.iter().map(missing).collect::<Vec<_>>().join("\n"))
        }
        _ => return None,
    })
}

/// Parses `kubectl describe`.
pub(super) fn parse_describe(args: &Args, words: &mut Words) -> Result<Kubectl, CommandError> {
    if let Some(path) = args.value("filename").filter(|path| path != "-") {
        return Err(args.error(args.column("filename"), format!("the path {path:?} does not exist")));
    }
    if args.positional.is_empty() && args.value("filename").is_none() && args.value("kustomize").is_none() {
        let why = "You must specify the type of resource to describe. Use \"kubectl api-resources\" for a complete list of supported resources.";
        return Err(args.error(args.end, why));
    }
    Ok(Kubectl::Describe(Describe {
        target: words.push_target(target(args, &args.positional)?),
        show_events: match args.value("show-events") {
            Some(_) => words.push_flag_with_equals("--show-events", Some(args.bool("show-events", true)?)),
            None => None,
        },
    }))
}

/// Parses `kubectl events`.
pub(super) fn parse_events(args: &Args, words: &mut Words) -> Result<Kubectl, CommandError> {
    let command = {
        let involved = match args.value("for").filter(|text| !text.is_empty()) {
            None => None,
            Some(text) => {
                let column = args.column("for");
                if text.matches('/').count() > 1 {
                    let why = "arguments in resource/name form may not have more than one slash";
                    return Err(args.error(column, why));
                }
                let (kind, name) = text
                    .split_once('/')
                    .ok_or_else(|| args.error(column, "--for must be in resource/name form"))?;
                // The server reports an unknown resource type, so kubectl prints this error without `error: `.
                let known = args
                    .kind_named(kind)
                    .ok_or_else(|| args.unknown_type_error(column, no_such_type_message(kind)))?;
                Some((known, name.to_owned()))
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
            return Err(args.error(args.column("types"), "valid --types are Normal or Warning"));
        }
        Kubectl::Events(Events {
            namespace: words.push_flag_value("-n", namespace(args)),
            all_namespaces: words.push_flag("-A", args.bool("all-namespaces", false)?),
            involved: {
                let object = involved.as_ref();
                words.push_flag_value(
                    "--for",
                    object.map(|(kind, name)| format!("{}/{name}", kind.singular())),
                );
                involved
            },
            types: words.push_list("--types", types),
            no_headers: words.push_flag("--no-headers", args.bool("no-headers", false)?),
            watch: words.push_flag("--watch", args.bool("watch", false)?),
            output: words.push_output(output_of_write(args)?),
        })
    };
    Ok(command)
}

/// Parses `kubectl explain`.
pub(super) fn parse_explain(args: &Args, words: &mut Words) -> Result<Kubectl, CommandError> {
    let word = match args.positional.as_slice() {
        [word] => word,
        [] => {
            return Err(args.error(
                args.end,
                "You must specify the type of resource to explain. Use \"kubectl api-resources\" for a complete list of supported resources.",
            ));
        }
        _ => return Err(args.error(args.end, "We accept only this format: explain RESOURCE")),
    };
    let output = args.value("output").unwrap_or_default();
    if !matches!(output.as_str(), "" | "plaintext" | "plaintext-openapiv2") {
        return Err(args.error(args.column("output"), format!("unrecognized format: {output}")));
    }
    if word.text.starts_with('.') || word.text.contains("..") {
        return Err(args.error(word.column, "invalid jsonpath syntax, first node must be field node"));
    }
    let parts: Vec<&str> = word.text.split('.').filter(|part| !part.is_empty()).collect();
    // The resource type may be followed by its group (`deployments.apps.spec`), so use the longest prefix that names a
    // kind.
    let found = (1..=parts.len()).rev().find_map(|len| {
        let name = parts.get(..len)?.join(".");
        Some((args.kind_named(&name)?, len))
    });
    let Some((kind, len)) = found else {
        return Err(args.unknown_type_error(word.column, no_such_type_message(&word.text)));
    };
    let wanted = args
        .value("api-version")
        .filter(|version| *version != kind.api_version());
    let other = wanted
        .as_ref()
        .and_then(|version| args.kind_of_manifest(version, kind.name()));
    if let (Some(version), None) = (wanted, other) {
        let (group, version) = version.split_once('/').unwrap_or(("", &version));
        let why = format!(
            "couldn't find resource for \"{group}/{version}, Resource={}\"",
            kind.plural()
        );
        return Err(args.error(args.column("api-version"), why));
    }
    let kind = other.unwrap_or(kind);
    let path: Vec<String> = parts.into_iter().skip(len).map(str::to_owned).collect();
    let field_path = std::iter::once(kind.plural()).chain(path.iter().map(String::as_str));
    words.push_word(field_path.collect::<Vec<_>>().join("."));
    Ok(Kubectl::Explain {
        kind,
        path,
        recursive: words.push_flag("--recursive", args.bool("recursive", false)?),
    })
}

/// Parses `kubectl top`.
pub(super) fn parse_top(args: &Args, words: &mut Words) -> Result<Kubectl, CommandError> {
    let selector = selector(args);
    let Some((resource, rest)) = args.positional.split_first() else {
        return Err(CommandError::new(args.end, help_text("kubectl top")));
    };
    let nodes = match resource.text.as_str() {
        "node" | "nodes" | "no" => true,
        "pod" | "pods" | "po" => false,
        other => {
            return Err(CommandError::new(
                resource.column,
                format!("error: unknown command {other:?}\nSee 'kubectl top -h' for help and examples"),
            ));
        }
    };
    if let Some(extra) = rest.get(1) {
        let resource = if nodes { "node" } else { "pod" };
        let why = format!("error: {resource} [NAME | -l label]\nSee 'kubectl top {resource} -h' for help and examples");
        return Err(CommandError::new(extra.column, why));
    }
    if !rest.is_empty() && selector.is_some() {
        return Err(args.error(args.column("selector"), "only one of NAME or selector can be provided"));
    }
    let sort_by = args.value("sort-by");
    if !matches!(sort_by.as_deref(), None | Some("cpu" | "memory")) {
        return Err(args.error(args.column("sort-by"), "--sort-by accepts only cpu or memory"));
    }
    words.push_word(if nodes { "node" } else { "pod" });
    let name = rest.first().map(|word| word.text.clone());
    Ok(Kubectl::Top(Top {
        nodes,
        name: words.push_names(name.into_iter().collect()).pop(),
        namespace: words.push_flag_value("-n", namespace(args)),
        all_namespaces: words.push_flag("-A", args.bool("all-namespaces", false)?),
        selector: words.push_flag_value("-l", selector),
        containers: words.push_flag("--containers", args.bool("containers", false)?),
        sort_by: words.push_flag_with_equals("--sort-by", sort_by),
        no_headers: words.push_flag("--no-headers", args.bool("no-headers", false)?),
        sum: words.push_flag("--sum", args.bool("sum", false)?),
    }))
}

/// Parses `kubectl logs`.
pub(super) fn parse_logs(args: &Args, words: &mut Words) -> Result<Kubectl, CommandError> {
    let command = {
        let selector = selector(args);
        let pod = match (args.positional.as_slice(), &selector) {
            ([word] | [word, _], None) => pod_or_workload(args, word)?,
            ([], Some(_)) => String::new(),
            ([_], Some(_)) => {
                return Err(args.usage_error(args.end, "only a selector (-l) or a POD name is allowed"));
            }
            _ => {
                return Err(args.usage_error(args.end, "expected 'logs [-f] [-p] (POD | TYPE/NAME) [-c CONTAINER]'.\nPOD or TYPE/NAME is a required argument for the logs command"));
            }
        };
        // With a selector, kubectl prints only the last ten lines of each pod by default.
        let tail = if selector.is_some() { 10 } else { -1 };
        let tail = args.int("tail")?.unwrap_or(tail);
        if tail < -1 {
            return Err(args.error(args.column("tail"), "--tail must be greater than or equal to -1"));
        }
        let limit_bytes = args.int("limit-bytes")?.unwrap_or(0);
        let limit_bytes = u64::try_from(limit_bytes)
            .map_err(|_| args.error(args.column("limit-bytes"), "--limit-bytes must be greater than 0"))?;
        let (container, inline) = (args.value("container"), args.positional.get(1));
        if container.is_some() && inline.is_some() {
            return Err(args.error(args.end, "only one of -c or an inline [CONTAINER] arg is allowed"));
        }
        let container = container.or_else(|| inline.map(|word| word.text.clone()));
        let all_containers = args.bool("all-containers", false)?;
        if let Some(name) = container.as_deref().filter(|_| all_containers) {
            let why = format!("--all-containers=true should not be specified with container name {name}");
            return Err(args.error(args.column("all-containers"), why));
        }
        if selector.is_none() {
            words.push_word(&pod);
        }
        Kubectl::Logs(Logs {
            pod,
            selector: words.push_flag_value("-l", selector),
            namespace: words.push_flag_value("-n", namespace(args)),
            container: words.push_flag_value("-c", container),
            previous: words.push_flag("--previous", args.bool("previous", false)?),
            all_containers: words.push_flag("--all-containers", all_containers),
            timestamps: words.push_flag("--timestamps", args.bool("timestamps", false)?),
            prefix: words.push_flag("--prefix", args.bool("prefix", false)?),
            follow: words.push_flag("--follow", args.bool("follow", false)?),
            since: parse_since(args, words)?,
            limit_bytes: words.push_unless_default("--limit-bytes", 0, limit_bytes),
            tail: words.push_unless_default("--tail", -1, tail),
        })
    };
    Ok(command)
}

/// Parses `--since` or `--since-time`.
fn parse_since(args: &Args, words: &mut Words) -> Result<Option<Since>, CommandError> {
    let ago = args.duration("since")?.filter(|since| since.0 != 0);
    let Some(text) = args.value("since-time").filter(|text| !text.is_empty()) else {
        if ago.is_some_and(|ago| ago.0 < 0) {
            return Err(args.error(args.column("since"), "--since must be greater than 0"));
        }
        words.push_flag_with_equals("--since", ago.map(|ago| podscope_api::print_duration(ago.0)));
        return Ok(ago.map(Since::Ago));
    };
    let column = args.column("since-time");
    let Some(at) = podscope_api::parse_rfc3339(&text) else {
        return Err(args.error(column, podscope_api::go_time_error(&text)));
    };
    match ago {
        Some(_) => Err(args.error(column, "at most one of `sinceTime` or `sinceSeconds` may be specified")),
        None => {
            words.push_flag_with_equals("--since-time", Some(podscope_api::print_rfc3339(at, 6)));
            Ok(Some(Since::At(podscope_api::Time(at))))
        }
    }
}

/// Parses the first argument of `logs`: the name of a pod, or a workload as `TYPE/NAME`.
fn pod_or_workload(args: &Args, word: &Word) -> Result<String, CommandError> {
    let Some((kind, name)) = word.text.split_once('/') else {
        return Ok(word.text.clone());
    };
    let kind = parse_kinds(args, kind, word.column)?
        .first()
        .copied()
        .unwrap_or(Kind::Pod);
    Ok(match kind {
        Kind::Pod => name.to_owned(),
        kind @ Kind::Custom(_) => return Err(CommandError::new(word.column, custom::unregistered_kind_error(kind))),
        kind => format!("{}/{name}", kind.singular()),
    })
}
