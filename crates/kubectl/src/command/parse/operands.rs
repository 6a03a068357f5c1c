//! What verbs have in common: resources, selectors, manifests, output formats (KC-056, KC-118).

use podscope_api::Kind;

use podscope_cluster::ApiError;

use super::super::flags::Args;
use super::super::shell::Word;
use super::super::*;
use super::verbs::ALL_KINDS;
use crate::refusals::no_mapping;

pub(super) const NO_RESOURCES: &str = "error: You must provide one or more resources by argument or filename.\nExample resource specifications include:\n   '-f rsrc.yaml'\n   '--filename=rsrc.json'\n   '<resource> <name>'\n   '<resource>'";

/// `-n`.
pub(super) fn namespace(args: &Args) -> Option<String> {
    args.value("namespace").filter(|namespace| !namespace.is_empty())
}

/// What `words` and the flags of scope select; none without words.
pub(super) fn some_target(args: &Args, words: &[Word]) -> Result<Option<Target>, CommandError> {
    no_kustomization(args)?;
    if words.is_empty()
        && let Some(text) = manifest(args)?
    {
        return of_text(args, &text).map(Some);
    }
    let Some(selection) = selection(words)? else {
        return Ok(None);
    };
    let target = Target {
        selection,
        namespace: namespace(args),
        all_namespaces: args.bool("all-namespaces", false)?,
        all: args.bool("all", false)?,
        selector: selector(args),
        field_selector: args.value("field-selector").filter(|selector| !selector.is_empty()),
    };
    let is_named = names_any(&target.selection);
    // Others take `--all` for leave to name none.
    let is_all = target.all && args.command == "kubectl delete";
    let is_chosen = target.selector.is_some() || target.field_selector.is_some() || is_all;
    if is_chosen && is_named && !target.all_namespaces {
        let flags = ["selector", "field-selector", "all"];
        let flag = flags.iter().find(|flag| args.value(flag).is_some()).unwrap_or(&"all");
        let why = match target.selection {
            Selection::Items(_) => "selectors and the all flag cannot be used when passing resource/name arguments",
            Selection::Kinds { .. } => "name cannot be provided when a selector is specified",
        };
        return Err(args.plain(args.column(flag), why));
    }
    if target.all_namespaces && is_named {
        return Err(args.plain(
            args.column("all-namespaces"),
            "a resource cannot be retrieved by name across all namespaces",
        ));
    }
    if target.all && (target.selector.is_some() || target.field_selector.is_some()) {
        return Err(args.plain(
            args.column("all"),
            "setting 'all' parameter but found a non empty selector. ",
        ));
    }
    Ok(Some(target))
}

/// `-k` names a directory.
pub(super) fn no_kustomization(args: &Args) -> Result<(), CommandError> {
    let why = match (args.value("kustomize"), args.value("filename")) {
        (None, _) => return Ok(()),
        (Some(_), Some(_)) => "only one of -f or -k can be specified",
        (Some(_), None) => "kustomizations are files, and there are none here: use -f -",
    };
    Err(args.plain(args.column("kustomize"), why))
}

/// The objects that a text names (`-f -`): they are looked up, whatever else it says.
fn of_text(args: &Args, text: &str) -> Result<Target, CommandError> {
    let column = args.column("filename");
    let (documents, error) = podscope_api::read_documents(text);
    if let Some(error) = error {
        return Err(args.plain(column, format!("error parsing STDIN: {error}")));
    }
    let mut items = Vec::new();
    let mut own = None;
    for tree in &documents {
        let word = |tree: Option<&podscope_api::Tree<'_>>| {
            tree.and_then(podscope_api::Tree::as_str).unwrap_or_default().to_owned()
        };
        let (api_version, kind) = (word(tree.get("apiVersion")), word(tree.get("kind")));
        let metadata = |name: &str| word(tree.get("metadata").and_then(|metadata| metadata.get(name)));
        let (name, namespace) = (metadata("name"), metadata("namespace"));
        let Some(known) = Kind::from_wire(&api_version, &kind) else {
            return Err(args.plain(column, no_mapping(&name, &namespace, &api_version, &kind)));
        };
        if !namespace.is_empty() {
            own.get_or_insert(namespace);
        }
        items.push((known, name));
    }
    let mut target = Target::of(Selection::Items(items));
    target.namespace = namespace(args).or(own);
    Ok(target)
}

/// What the words select; an error if there are none.
pub(super) fn target(args: &Args, words: &[Word]) -> Result<Target, CommandError> {
    some_target(args, words)?.ok_or_else(|| CommandError::new(args.end, NO_RESOURCES))
}

/// The same for verbs that take all objects of a kind only if told so.
pub(super) fn chosen(args: &Args, words: &[Word]) -> Result<Target, CommandError> {
    let target = target(args, words)?;
    let has_choice = target.all || target.selector.is_some() || target.field_selector.is_some();
    if !names_any(&target.selection) && !has_choice {
        return Err(args.plain(args.end, "resource(s) were provided, but no name was specified"));
    }
    Ok(target)
}

/// The same for verbs that take all objects or some that are selected, but not both.
pub(super) fn chosen_or_all(args: &Args, words: &[Word]) -> Result<Target, CommandError> {
    if args.bool("all", false)? && selector(args).is_some() {
        return Err(args.plain(args.column("all"), "cannot set --all and --selector at the same time"));
    }
    chosen(args, words)
}

/// `-l`.
pub(super) fn selector(args: &Args) -> Option<String> {
    args.value("selector").filter(|selector| !selector.is_empty())
}

pub(super) fn kinds_of(text: &str, column: u32) -> Result<Vec<Kind>, CommandError> {
    let mut kinds = Vec::new();
    for name in text.split(',') {
        if name == "all" {
            kinds.extend_from_slice(ALL_KINDS);
        } else {
            let unknown = || CommandError::new(column, format!("error: {}", no_such_type(name)));
            kinds.push(Kind::from_resource_name(name).ok_or_else(unknown)?);
        }
    }
    Ok(kinds)
}

/// What the server says of a type it has not; the group that was given is not named.
pub(super) fn no_such_type(name: &str) -> String {
    let bare = name.split('.').next().unwrap_or(name);
    format!("the server doesn't have a resource type {bare:?}")
}

/// Reads `TYPE/NAME`; none where there is no slash.
pub(super) fn resource_and_name(word: &Word) -> Result<Option<(&str, &str)>, CommandError> {
    let Some((kind, name)) = word.text.split_once('/') else {
        return Ok(None);
    };
    let why = match name.contains('/') {
        true => "may not have more than one slash",
        false if kind.is_empty() || name.is_empty() || kind.contains(',') => "must have a single resource and name",
        false => return Ok(Some((kind, name))),
    };
    let message = format!("error: arguments in resource/name form {why}");
    Err(CommandError::new(word.column, message))
}

/// Reads `TYPE NAME…` or `TYPE/NAME…`.
pub(super) fn selection(words: &[Word]) -> Result<Option<Selection>, CommandError> {
    let Some((first, rest)) = words.split_first() else {
        return Ok(None);
    };
    if first.text.contains('/') {
        let mut items = Vec::new();
        for word in words {
            let Some((kind, name)) = resource_and_name(word)? else {
                return Err(CommandError::new(
                    word.column,
                    "error: there is no need to specify a resource type as a separate argument when passing arguments in resource/name form (e.g. 'kubectl get resource/<resource_name>' instead of 'kubectl get resource resource/<resource_name>'",
                ));
            };
            if kind == "all" {
                return Err(CommandError::new(word.column, format!("error: {}", no_such_type(kind))));
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
    if first.text == "all" && !rest.is_empty() {
        return Err(CommandError::new(
            first.column,
            "error: you must specify only one resource",
        ));
    }
    let kinds = kinds_of(&first.text, first.column)?;
    if let Some(word) = rest.iter().find(|word| word.text.is_empty()) {
        return Err(CommandError::new(word.column, "error: resource name may not be empty"));
    }
    Ok(Some(Selection::Kinds {
        kinds,
        names: rest.iter().map(|word| word.text.clone()).collect(),
    }))
}

fn names_any(selection: &Selection) -> bool {
    match selection {
        Selection::Kinds { names, .. } => !names.is_empty(),
        Selection::Items(_) => true,
    }
}

/// What Go reads as true or false.
const BOOLEANS: &[&str] = &[
    "1", "t", "T", "true", "TRUE", "True", "0", "f", "F", "false", "FALSE", "False",
];

pub(super) fn dry_run(args: &Args) -> Result<DryRun, CommandError> {
    let is_local = args.bool("local", false)?;
    match args.value("dry-run").as_deref() {
        Some("server") if is_local => Err(args.plain(
            args.column("dry-run"),
            "cannot specify --local and --dry-run=server - did you mean --dry-run=client?",
        )),
        None | Some("none" | "unchanged" | "client") if is_local => Ok(DryRun::Local),
        None | Some("none") => Ok(DryRun::None),
        Some("unchanged") => Ok(DryRun::Bare),
        Some("client") => Ok(DryRun::Client),
        Some("server") => Ok(DryRun::Server),
        Some(text) if let Some(word) = BOOLEANS.iter().find(|word| **word == text) => Ok(DryRun::Boolean(word)),
        Some(other) => Err(args.plain(
            args.column("dry-run"),
            format!("Invalid dry-run value ({other}). Must be \"none\", \"server\", or \"client\"."),
        )),
    }
}

pub(super) fn manifest(args: &Args) -> Result<Option<String>, CommandError> {
    let missing: Vec<String> = args.values("filename").into_iter().filter(|path| path != "-").collect();
    if missing.len() > 1 {
        let lines: Vec<String> = missing
            .iter()
            .map(|path| format!("the path {path:?} does not exist"))
            .collect();
        return Err(CommandError::new(args.column("filename"), lines.join("\n")));
    }
    match (args.value("filename"), &args.stdin) {
        (Some(path), Some(text)) if path == "-" => Ok(Some(text.clone())),
        // Nothing stands on standard input.
        (Some(path), None) if path == "-" => Ok(Some(String::new())),
        (Some(url), _) if url.starts_with("http://") || url.starts_with("https://") => Err(unreached(args, &url)),
        (Some(path), _) => Err(args.plain(args.column("filename"), format!("the path {path:?} does not exist"))),
        (None, Some(_)) => Err(args.plain(args.end, "the text after the command needs -f -")),
        (None, None) => Ok(None),
    }
}

/// What kubectl says of a URL: nothing is reached from here.
fn unreached(args: &Args, url: &str) -> CommandError {
    let host = url.split("://").nth(1).unwrap_or_default();
    let host = host.split(['/', '?', '#']).next().unwrap_or_default();
    CommandError::new(args.column("filename"), ApiError::refused_by(host))
}

/// `-o` of `get`.
pub(super) fn output(args: &Args) -> Result<Output, CommandError> {
    let text = args.value("output").unwrap_or_default();
    let (form, given) = text
        .split_once('=')
        .map_or((text.as_str(), None), |(form, given)| (form, Some(given)));
    match (form, given) {
        ("wide", None) => Ok(Output::Wide),
        ("custom-columns", Some(spec)) if !spec.is_empty() => Ok(Output::CustomColumns(spec.to_owned())),
        ("custom-columns", _) => Err(args.plain(
            args.column("output"),
            "custom-columns format specified but no custom columns given",
        )),
        _ => printed_as(args, &text, "custom-columns,custom-columns-file,", ",wide"),
    }
}

/// `-o` of a verb that writes: it prints the object that came of it.
pub(super) fn output_of_write(args: &Args) -> Result<Output, CommandError> {
    let output = printed_as(args, &args.value("output").unwrap_or_default(), "", "")?;
    // Names and lines have no managers.
    let is_shown = !matches!(output, Output::Table | Output::Name);
    Ok(match is_shown && args.bool("show-managed-fields", false)? {
        true => Output::WithManagedFields(Box::new(output)),
        false => output,
    })
}

fn printed_as(args: &Args, text: &str, more_before: &str, more: &str) -> Result<Output, CommandError> {
    let column = args.column("output");
    let (form, given) = text
        .split_once('=')
        .map_or((text, None), |(form, given)| (form, Some(given.to_owned())));
    let template = || {
        let given = given
            .clone()
            .or_else(|| args.value("template"))
            .filter(|text| !text.is_empty());
        given.ok_or_else(|| args.plain(column, "template format specified but no template given"))
    };
    let file = |what: &str| {
        let path = template()?;
        Err(args.plain(
            column,
            format!("error reading {what} {path}, open {path}: no such file or directory"),
        ))
    };
    let lower = text.to_ascii_lowercase();
    let form = match lower.as_str() {
        "yaml" | "json" | "kyaml" | "name" => lower.as_str(),
        _ => form,
    };
    Ok(match form {
        "" => match args.value("template") {
            Some(template) if !template.is_empty() => Output::GoTemplate(template),
            _ => Output::Table,
        },
        "yaml" => Output::Yaml,
        "json" => Output::Json,
        "kyaml" => Output::Kyaml,
        "name" => Output::Name,
        "jsonpath" => Output::JsonPath(template()?),
        "jsonpath-as-json" => Output::JsonPathAsJson(template()?),
        "go-template" | "template" => Output::GoTemplate(template()?),
        "jsonpath-file" | "go-template-file" | "templatefile" => return file("--template"),
        "custom-columns-file" if !more_before.is_empty() => return file("template"),
        _ => {
            return Err(args.plain(
                column,
                format!(
                    "unable to match a printer suitable for the output format {text:?}, allowed formats are: {more_before}go-template,go-template-file,json,jsonpath,jsonpath-as-json,jsonpath-file,kyaml,name,template,templatefile{more},yaml"
                ),
            ));
        }
    })
}

pub(super) fn pair(text: &str) -> Option<(String, String)> {
    text.split_once('=')
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
}

/// `--cascade`; the background goes without saying.
pub(super) fn cascade(args: &Args) -> Result<Option<String>, CommandError> {
    let cascade = args.value("cascade");
    match cascade.as_deref() {
        None | Some("background") => Ok(None),
        Some("foreground" | "orphan") => Ok(cascade),
        // Deprecated, which kubectl tells.
        Some(text) if BOOLEANS.contains(&text) => Ok(cascade),
        Some(other) => Err(args.plain(
            args.column("cascade"),
            format!("invalid cascade value ({other}). Must be \"background\", \"foreground\", or \"orphan\""),
        )),
    }
}

pub(super) fn small(args: &Args, name: &str) -> Result<Option<i32>, CommandError> {
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

pub(super) fn required(args: &Args, names: &[&str]) -> Result<(), CommandError> {
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
