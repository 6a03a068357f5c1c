//! Parses the verbs that read no objects: `auth can-i`, `create token`, `api-resources`, `version`,
//! `config use-context`.

use super::super::flags::Args;
use super::super::*;
use super::make;

type Parsed<T> = Result<T, CommandError>;

/// Parses `auth can-i`.
pub(super) fn parse_can_i(args: &Args) -> Parsed<Action> {
    let quiet = args.bool("quiet", false)?;
    let words = args.positional_texts();
    if args.bool("list", false)? {
        return match words.as_slice() {
            [] => Ok(Action::WhatCanI {
                no_headers: args.bool("no-headers", false)?,
            }),
            _ => Err(args.error(args.end, "list option must be specified with no arguments")),
        };
    }
    let [verb, resource] = words.as_slice() else {
        return Err(args.error(args.end, "you must specify two arguments: verb resource or verb resource/resourceName.\nSee 'kubectl auth can-i -h' for help and examples."));
    };
    let is_url = resource.starts_with('/');
    if is_url && args.value("subresource").is_some_and(|part| !part.is_empty()) {
        let why = "--subresource can not be used with NonResourceURL";
        return Err(args.error(args.column("subresource"), why));
    }
    let warnings = can_i_warnings(args, verb, resource, is_url)?;
    if args.bool("no-headers", false)? {
        let why = "--no-headers cannot be set without --list specified";
        return Err(args.error(args.column("no-headers"), why));
    }
    Ok(Action::CanI { warnings, quiet })
}

/// Returns kubectl's warnings about the verb and the resource of `auth can-i`.
fn can_i_warnings(args: &Args, verb: &str, resource: &str, is_url: bool) -> Parsed<Vec<String>> {
    let all_namespaces = args.bool("all-namespaces", false)?;
    let mut warnings = Vec::new();
    if !is_url && resource != "*" && !resource.starts_with("*/") {
        let bare = resource.split('/').next().unwrap_or_default();
        let group_suffix = |group: &str| match group {
            "" => String::new(),
            group => format!(" in group '{group}'"),
        };
        match args.kind_named(bare) {
            None => {
                let (name, group) = bare.split_once('.').unwrap_or((bare, ""));
                // These resources exist only for permission checks.
                if !matches!(name, "users" | "groups") {
                    let why = format!(
                        "the server doesn't have a resource type '{name}'{}",
                        group_suffix(group)
                    );
                    if args.custom.is_none() {
                        return Err(args.unknown_type_error(args.end, why));
                    }
                    warnings.push(why);
                }
            }
            Some(kind) if !kind.is_namespaced() && !all_namespaces => {
                let group = kind.group();
                warnings.push(format!(
                    "resource '{}' is not namespace scoped{}",
                    kind.plural(),
                    group_suffix(group)
                ));
            }
            Some(_) => {}
        }
    }
    let is_known = match is_url {
        true => make::URL_VERBS.contains(&verb),
        false => make::RESOURCE_VERBS.contains(&verb) || all_namespaces,
    };
    if !is_known {
        warnings.push(format!("verb '{verb}' is not a known verb"));
    }
    Ok(warnings)
}

/// Parses `config use-context NAME`. Only one context exists.
pub(super) fn parse_use_context(args: &Args) -> Parsed<Action> {
    match args.positional.as_slice() {
        [name] if name.text == CONTEXT => Ok(Action::Config(ConfigCommand::UseContext)),
        [name] => {
            let why = format!("no context exists with the name: {:?}", name.text);
            Err(args.error(name.column, why))
        }
        words => {
            let words: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
            Err(args.usage_error(args.end, format!("Unexpected args: {words:?}")))
        }
    }
}

/// Parses `create token ACCOUNT`.
pub(super) fn parse_token(args: &Args) -> Parsed<Action> {
    match args.positional.as_slice() {
        [name] => Ok(Action::Token(name.text.clone())),
        other => Err(args.usage_error(args.end, format!("exactly one NAME is required, got {}", other.len()))),
    }
}

/// Parses `api-resources`.
pub(super) fn parse_api_resources(args: &Args) -> Parsed<Action> {
    let output = args.value("output").unwrap_or_default();
    if !matches!(output.as_str(), "" | "wide" | "name" | "json" | "yaml") {
        let why = format!(
            "unable to match a printer suitable for the output format {output:?}, allowed formats are: json,kyaml,name,wide,yaml"
        );
        return Err(args.error(args.column("output"), why));
    }
    if let Some(extra) = args.positional.first() {
        return Err(args.usage_error(extra.column, format!("unexpected arguments: [{}]", extra.text)));
    }
    let sort_by = args.value("sort-by").unwrap_or_default();
    if !matches!(sort_by.as_str(), "" | "name" | "kind") {
        return Err(args.error(args.column("sort-by"), "--sort-by accepts only name or kind"));
    }
    Ok(Action::ApiResources {
        group: args.value("api-group"),
        namespaced: match args.value("namespaced") {
            Some(_) => Some(args.bool("namespaced", true)?),
            None => None,
        },
        no_headers: args.bool("no-headers", false)?,
        verbs: make::comma_separated_values(args, "verbs"),
        categories: make::comma_separated_values(args, "categories"),
        sort_by,
        output: match output.as_str() {
            "wide" => Output::Wide,
            "name" => Output::Name,
            "json" => Output::Json,
            "yaml" => Output::Yaml,
            _ => Output::Table,
        },
    })
}

/// Parses `version`.
pub(super) fn parse_version(args: &Args) -> Parsed<Action> {
    if !args.positional.is_empty() {
        let words = args.positional_texts();
        return Err(args.error(args.end, format!("extra arguments: [{}]", words.join(" "))));
    }
    let output = match args.value("output").as_deref() {
        None | Some("") => Output::Table,
        Some("yaml") => Output::Yaml,
        Some("json") => Output::Json,
        Some(_) => return Err(args.error(args.column("output"), "--output must be 'yaml' or 'json'")),
    };
    Ok(Action::Version {
        client: args.bool("client", false)?,
        output,
    })
}
