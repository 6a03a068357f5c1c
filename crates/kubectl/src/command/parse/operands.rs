//! Arguments that verbs share: resources, selectors, manifests and output formats (KC-056, KC-118).

use podscope_api::Kind;

use podscope_cluster::ApiError;

use super::super::flags::Args;
use super::super::shell::Word;
use super::super::*;
use crate::refusals::no_mapping;

pub(super) const NO_RESOURCES_ERROR: &str = "error: You must provide one or more resources by argument or filename.\nExample resource specifications include:\n   '-f rsrc.yaml'\n   '--filename=rsrc.json'\n   '<resource> <name>'\n   '<resource>'";

/// Returns the value of `-n`; `None` if empty.
pub(super) fn namespace(args: &Args) -> Option<String> {
    args.value("namespace").filter(|namespace| !namespace.is_empty())
}

/// Returns the objects that `words` and the namespace and selector flags select; `None` if `words` is empty.
pub(super) fn optional_target(args: &Args, words: &[Word]) -> Result<Option<Target>, CommandError> {
    reject_kustomization(args)?;
    if words.is_empty()
        && let Some(text) = manifest(args)?
    {
        return target_of_manifest(args, &text).map(Some);
    }
    let Some(operands) = Operands::of(words)? else {
        return Ok(None);
    };
    let (selector, all) = (selector(args), args.bool("all", false)?);
    let field_selector = args.value("field-selector").filter(|selector| !selector.is_empty());
    let has_selector = selector.is_some() || field_selector.is_some();
    if all && has_selector {
        return Err(args.error(
            args.column("all"),
            "setting 'all' parameter but found a non empty selector. ",
        ));
    }
    // For `delete`, `--all` counts as a selector, which cannot be combined with names.
    let selects_all = all && args.command == "kubectl delete";
    if has_selector || selects_all {
        operands.check_no_names(args)?;
    }
    let target = Target {
        selection: operands.selection(args)?,
        namespace: namespace(args),
        all_namespaces: args.bool("all-namespaces", false)?,
        all,
        selector,
        field_selector,
    };
    if target.all_namespaces && has_names(&target.selection) && has_namespaced_kind(&target.selection) {
        return Err(args.error(
            args.column("all-namespaces"),
            "a resource cannot be retrieved by name across all namespaces",
        ));
    }
    Ok(Some(target))
}

/// Rejects `-k`, because the console has no directories.
pub(super) fn reject_kustomization(args: &Args) -> Result<(), CommandError> {
    let why = match (args.value("kustomize"), args.value("filename")) {
        (None, _) => return Ok(()),
        (Some(_), Some(_)) => "only one of -f or -k can be specified",
        (Some(_), None) => "kustomizations are files, and there are none here: use -f -",
    };
    Err(args.error(args.column("kustomize"), why))
}

/// Returns the objects that a manifest contains (`-f -`). Only their kinds, names and namespaces are used.
fn target_of_manifest(args: &Args, text: &str) -> Result<Target, CommandError> {
    let column = args.column("filename");
    let (documents, error) = podscope_api::read_documents(text);
    if let Some(error) = error {
        return Err(args.error(column, format!("error parsing STDIN: {error}")));
    }
    let mut items = Vec::new();
    let mut manifest_namespace = None;
    for tree in &documents {
        let text = |tree: Option<&podscope_api::Tree<'_>>| {
            tree.and_then(podscope_api::Tree::as_str).unwrap_or_default().to_owned()
        };
        let (api_version, kind) = (text(tree.get("apiVersion")), text(tree.get("kind")));
        let metadata = |name: &str| text(tree.get("metadata").and_then(|metadata| metadata.get(name)));
        let (name, namespace) = (metadata("name"), metadata("namespace"));
        let Some(known) = args.kind_of_manifest(&api_version, &kind) else {
            let why = no_mapping(&name, &namespace, &api_version, &kind);
            let prefix = match args.command.as_str() {
                "kubectl get" | "kubectl describe" => "",
                _ => "error: ",
            };
            return Err(args.unknown_type_error(column, format!("{prefix}{why}")));
        };
        if !namespace.is_empty() {
            manifest_namespace.get_or_insert(namespace);
        }
        items.push((known, name));
    }
    let mut target = Target::of(Selection::Items(items));
    target.namespace = namespace(args).or(manifest_namespace);
    Ok(target)
}

/// Like [`optional_target`], but an empty `words` is an error.
pub(super) fn target(args: &Args, words: &[Word]) -> Result<Target, CommandError> {
    optional_target(args, words)?.ok_or_else(|| CommandError::new(args.end, NO_RESOURCES_ERROR))
}

/// Like [`target`], for verbs that require names, a selector or `--all`.
pub(super) fn explicit_target(args: &Args, words: &[Word]) -> Result<Target, CommandError> {
    let target = target(args, words)?;
    let is_selective = target.all || target.selector.is_some() || target.field_selector.is_some();
    if !has_names(&target.selection) && !is_selective {
        return Err(args.error(args.end, "resource(s) were provided, but no name was specified"));
    }
    Ok(target)
}

/// Like [`explicit_target`], for verbs that do not allow `--all` with a selector.
pub(super) fn explicit_target_or_all(args: &Args, words: &[Word]) -> Result<Target, CommandError> {
    if args.bool("all", false)? && selector(args).is_some() {
        return Err(args.error(args.column("all"), "cannot set --all and --selector at the same time"));
    }
    explicit_target(args, words)
}

/// Returns the value of `-l`; `None` if empty.
pub(super) fn selector(args: &Args) -> Option<String> {
    args.value("selector").filter(|selector| !selector.is_empty())
}

/// Parses a comma-separated list of resource types and categories; `all` stands for the kinds of `get all`.
pub(super) fn parse_kinds(args: &Args, text: &str, column: u32) -> Result<Vec<Kind>, CommandError> {
    let mut kinds: Vec<Kind> = Vec::new();
    // A kind that occurs twice is listed once; several versions of a custom kind are all listed.
    let mut add = |kind: Kind| {
        let is_same = |known: &Kind| *known == kind && known.api_version() == kind.api_version();
        if !kinds.iter().any(is_same) {
            kinds.push(kind);
        }
    };
    for name in text.split(',') {
        let category = args.kinds_of_category(name);
        if category.is_empty() {
            let unknown = || args.unknown_type_error(column, format!("error: {}", no_such_type_message(name)));
            add(args.kind_named(name).ok_or_else(unknown)?);
        } else {
            category.into_iter().for_each(&mut add);
        }
    }
    Ok(kinds)
}

/// Returns the server's message about an unknown resource type. It omits the group.
pub(super) fn no_such_type_message(name: &str) -> String {
    let bare = name.split('.').next().unwrap_or(name);
    format!("the server doesn't have a resource type {bare:?}")
}

/// Parses `TYPE/NAME`; `None` without a slash.
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

/// Operands as they are written, before their resource types are looked up.
enum Operands<'w> {
    /// `TYPE/NAME…`, each with its word.
    Items(Vec<(&'w Word, &'w str, &'w str)>),
    /// `TYPE NAME…`.
    Kinds { types: &'w Word, names: &'w [Word] },
}

impl<'w> Operands<'w> {
    /// Splits words into types and names; `None` if there are no words.
    fn of(words: &'w [Word]) -> Result<Option<Operands<'w>>, CommandError> {
        let Some((types, names)) = words.split_first() else {
            return Ok(None);
        };
        let mixed = |word: &Word| {
            CommandError::new(
                word.column,
                "error: there is no need to specify a resource type as a separate argument when passing arguments in resource/name form (e.g. 'kubectl get resource/<resource_name>' instead of 'kubectl get resource resource/<resource_name>'",
            )
        };
        if !types.text.contains('/') {
            let with_slash = names.iter().find(|word| word.text.contains('/'));
            return with_slash.map_or(Ok(Some(Operands::Kinds { types, names })), |word| Err(mixed(word)));
        }
        let item = |word: &'w Word| {
            let (kind, name) = resource_and_name(word)?.ok_or_else(|| mixed(word))?;
            Ok((word, kind, name))
        };
        words
            .iter()
            .map(item)
            .collect::<Result<_, _>>()
            .map(|items| Some(Operands::Items(items)))
    }

    /// Returns an error if names are combined with a selector. kubectl checks this before it looks up the types.
    fn check_no_names(&self, args: &Args) -> Result<(), CommandError> {
        let why = match self {
            Operands::Kinds { names: [], .. } => return Ok(()),
            Operands::Kinds { types, .. } if !types.text.contains(',') => {
                "name cannot be provided when a selector is specified"
            }
            _ => "selectors and the all flag cannot be used when passing resource/name arguments",
        };
        let flags = ["selector", "field-selector", "all"];
        let flag = flags.iter().find(|flag| args.value(flag).is_some()).unwrap_or(&"all");
        Err(args.error(args.column(flag), why))
    }

    /// Looks up the resource types of the operands.
    fn selection(&self, args: &Args) -> Result<Selection, CommandError> {
        match self {
            Operands::Items(words) => {
                let mut items = Vec::new();
                for (word, kind, name) in words {
                    let unknown =
                        || args.unknown_type_error(word.column, format!("error: {}", no_such_type_message(kind)));
                    let kind = args.kind_named(kind).ok_or_else(unknown)?;
                    items.push((kind, (*name).to_owned()));
                }
                Ok(Selection::Items(items))
            }
            Operands::Kinds { types, names } => {
                if !names.is_empty() && args.kinds_of_category(&types.text).len() > 1 {
                    return Err(CommandError::new(
                        types.column,
                        "error: you must specify only one resource",
                    ));
                }
                let kinds = parse_kinds(args, &types.text, types.column)?;
                if let Some(word) = names.iter().find(|word| word.text.is_empty()) {
                    return Err(CommandError::new(word.column, "error: resource name may not be empty"));
                }
                Ok(Selection::Kinds {
                    kinds,
                    names: names.iter().map(|word| word.text.clone()).collect(),
                })
            }
        }
    }
}

fn has_names(selection: &Selection) -> bool {
    match selection {
        Selection::Kinds { names, .. } => !names.is_empty(),
        Selection::Items(_) => true,
    }
}

fn has_namespaced_kind(selection: &Selection) -> bool {
    match selection {
        Selection::Kinds { kinds, .. } => kinds.iter().any(|kind| kind.is_namespaced()),
        Selection::Items(items) => items.iter().any(|(kind, _)| kind.is_namespaced()),
    }
}

/// The texts that Go parses as booleans.
const BOOLEAN_WORDS: &[&str] = &[
    "1", "t", "T", "true", "TRUE", "True", "0", "f", "F", "false", "FALSE", "False",
];

/// Parses `--dry-run`, together with `--local`.
pub(super) fn dry_run(args: &Args) -> Result<DryRun, CommandError> {
    let is_local = args.bool("local", false)?;
    match args.value("dry-run").as_deref() {
        Some("server") if is_local => Err(args.error(
            args.column("dry-run"),
            "cannot specify --local and --dry-run=server - did you mean --dry-run=client?",
        )),
        None | Some("none" | "unchanged" | "client") if is_local => Ok(DryRun::Local),
        None | Some("none") => Ok(DryRun::None),
        Some("unchanged") => Ok(DryRun::Bare),
        Some("client") => Ok(DryRun::Client),
        Some("server") => Ok(DryRun::Server),
        Some(text) if let Some(word) = BOOLEAN_WORDS.iter().find(|word| **word == text) => Ok(DryRun::Boolean(word)),
        Some(other) => Err(args.error(
            args.column("dry-run"),
            format!("Invalid dry-run value ({other}). Must be \"none\", \"server\", or \"client\"."),
        )),
    }
}

/// Returns the manifest of `-f -`; `None` without `-f`. Any other file is an error, because the console has no files.
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
        // Without a here-document, standard input is empty.
        (Some(path), None) if path == "-" => Ok(Some(String::new())),
        (Some(url), _) if url.starts_with("http://") || url.starts_with("https://") => {
            Err(connection_refused(args, &url))
        }
        (Some(path), _) => Err(args.error(args.column("filename"), format!("the path {path:?} does not exist"))),
        (None, Some(_)) => Err(args.error(args.end, "the text after the command needs -f -")),
        (None, None) => Ok(None),
    }
}

/// Returns kubectl's error for an unreachable URL, because the simulation has no network outside the cluster.
fn connection_refused(args: &Args, url: &str) -> CommandError {
    let host = url.split("://").nth(1).unwrap_or_default();
    let host = host.split(['/', '?', '#']).next().unwrap_or_default();
    CommandError::new(args.column("filename"), ApiError::refused_by(host))
}

/// Parses `-o` of `get`.
pub(super) fn output(args: &Args) -> Result<Output, CommandError> {
    let text = args.value("output").unwrap_or_default();
    let (format, argument) = text
        .split_once('=')
        .map_or((text.as_str(), None), |(format, argument)| (format, Some(argument)));
    match (format, argument) {
        ("wide", None) => Ok(Output::Wide),
        ("custom-columns", Some(spec)) if !spec.is_empty() => Ok(Output::CustomColumns(spec.to_owned())),
        ("custom-columns", _) => Err(args.error(
            args.column("output"),
            "custom-columns format specified but no custom columns given",
        )),
        _ => object_output(args, &text, "custom-columns,custom-columns-file,", ",wide"),
    }
}

/// Parses `-o` of a verb that writes, which prints the resulting object.
pub(super) fn output_of_write(args: &Args) -> Result<Output, CommandError> {
    let output = object_output(args, &args.value("output").unwrap_or_default(), "", "")?;
    // Tables and names have no managed fields, so the flag has no effect on them.
    let is_whole_object = !matches!(output, Output::Table | Output::Name);
    Ok(match is_whole_object && args.bool("show-managed-fields", false)? {
        true => Output::WithManagedFields(Box::new(output)),
        false => output,
    })
}

/// Parses an output format that prints whole objects. The error message lists the formats `formats_before` first and
/// `formats_after` before the last one.
fn object_output(args: &Args, text: &str, formats_before: &str, formats_after: &str) -> Result<Output, CommandError> {
    let column = args.column("output");
    let (format, argument) = text
        .split_once('=')
        .map_or((text, None), |(format, argument)| (format, Some(argument.to_owned())));
    let template = || {
        let template = argument
            .clone()
            .or_else(|| args.value("template"))
            .filter(|text| !text.is_empty());
        template.ok_or_else(|| args.error(column, "template format specified but no template given"))
    };
    let file_error = |noun: &str| {
        let path = template()?;
        Err(args.error(
            column,
            format!("error reading {noun} {path}, open {path}: no such file or directory"),
        ))
    };
    let lower = text.to_ascii_lowercase();
    let format = match lower.as_str() {
        "yaml" | "json" | "kyaml" | "name" => lower.as_str(),
        _ => format,
    };
    Ok(match format {
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
        "jsonpath-file" | "go-template-file" | "templatefile" => return file_error("--template"),
        "custom-columns-file" if !formats_before.is_empty() => return file_error("template"),
        _ => {
            return Err(args.error(
                column,
                format!(
                    "unable to match a printer suitable for the output format {text:?}, allowed formats are: {formats_before}go-template,go-template-file,json,jsonpath,jsonpath-as-json,jsonpath-file,kyaml,name,template,templatefile{formats_after},yaml"
                ),
            ));
        }
    })
}

/// Splits `KEY=VALUE`.
pub(super) fn split_key_value(text: &str) -> Option<(String, String)> {
    text.split_once('=')
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
}

/// Parses `--cascade`; `None` for the default, background.
pub(super) fn parse_cascade(args: &Args) -> Result<Option<String>, CommandError> {
    let cascade = args.value("cascade");
    match cascade.as_deref() {
        None | Some("background") => Ok(None),
        Some("foreground" | "orphan") => Ok(cascade),
        // Booleans are deprecated; kubectl prints a warning.
        Some(text) if BOOLEAN_WORDS.contains(&text) => Ok(cascade),
        Some(other) => Err(args.error(
            args.column("cascade"),
            format!("invalid cascade value ({other}). Must be \"background\", \"foreground\", or \"orphan\""),
        )),
    }
}

/// Parses a flag value as a 32-bit integer.
pub(super) fn parse_int32_flag(args: &Args, name: &str) -> Result<Option<i32>, CommandError> {
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

/// Returns an error unless all flags in `names` are given.
pub(super) fn check_required_flags(args: &Args, names: &[&str]) -> Result<(), CommandError> {
    let missing: Vec<String> = names
        .iter()
        .filter(|name| args.value(name).is_none())
        .map(|name| format!("{name:?}"))
        .collect();
    if missing.is_empty() {
        Ok(())
    } else {
        Err(args.error(args.end, format!("required flag(s) {} not set", missing.join(", "))))
    }
}
