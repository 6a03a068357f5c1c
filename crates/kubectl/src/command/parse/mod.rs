//! Parses the words of a kubectl command into [`Kubectl`]: verbs, flags and resources, with kubectl's errors (KC-085,
//! KC-118, KC-119).

mod local;
mod make;
mod nodes_and_labels;
mod operands;
mod query;
mod read;
mod verbatim;
mod verbs;
mod write;

use super::custom::CustomKinds;
use super::flags::Args;
use super::shell::Word;
use super::*;
pub(crate) use verbs::{API_EXTENSION_KINDS, KINDS_IN_CATEGORY_ALL, VERBS, Verb, is_in_category_all};
pub(crate) use write::EDITED_TEXT_MISSING;

/// Parses the words after `kubectl`. `custom` holds the custom kinds that the cluster serves; `None` if they are not
/// known.
pub(super) fn parse_kubectl(
    words: &[Word],
    stdin: Option<String>,
    custom: Option<&CustomKinds>,
) -> Result<Command, CommandError> {
    // The namespace flag may precede the verb: `kubectl -n web get pods`.
    let mut words = words.to_vec();
    let mut verb_args = Vec::new();
    while words
        .first()
        .is_some_and(|word| word.text == "-n" || word.text == "--namespace")
        && words.len() > 1
    {
        verb_args.extend(words.drain(..2));
    }
    if words.first().is_some_and(|word| word.text.starts_with("--namespace=")) {
        verb_args.push(words.remove(0));
    }
    let Some(verb) = words.first().cloned() else {
        return Ok(Command::Help("kubectl".into()));
    };
    if verb.text.starts_with('-') && !matches!(verb.text.as_str(), "--help" | "-h") {
        // Before the verb, no flag except the namespace is supported: report an unknown flag, or else an unknown
        // command.
        return Args::parse("kubectl", &[], &words, None, false).and_then(|args| {
            let why = format!("error: unknown command {:?} for \"kubectl\"", verb.text);
            Err(CommandError::new(args.end, why))
        });
    }
    if matches!(verb.text.as_str(), "help" | "--help" | "-h") {
        return Ok(Command::Help("kubectl".into()));
    }
    let rest = words.split_off(1);
    if let Some(why) = verbatim::unsupported_verb(&verb.text) {
        return Err(CommandError::new(verb.column, why));
    }
    let (spec, taken) = find_verb(&verb.text, &rest).map_err(|why| CommandError::new(verb.column, why))?;
    let Some(spec) = spec else {
        // A group without a sub-command prints its help: for `rollout` or with `--help` as output, otherwise as an
        // error.
        let group = rest.iter().take(taken).map(|word| expand_alias(&word.text));
        let topic = std::iter::once("kubectl").chain([verb.text.as_str()]).chain(group);
        let topic = topic.collect::<Vec<_>>().join(" ");
        let wants_help = rest.iter().any(|word| matches!(word.text.as_str(), "-h" | "--help"));
        return match wants_help || verb.text == "rollout" {
            true => Ok(Command::Help(topic)),
            false => Err(CommandError::new(verb.column, help_text(&topic))),
        };
    };
    let name = spec.name;
    verb_args.extend(rest.into_iter().skip(taken));
    let has_passthrough = matches!(name, "run" | "create deployment" | "create job" | "create cronjob");
    let mut args = Args::parse(
        &format!("kubectl {name}"),
        spec.flags,
        &verb_args,
        stdin,
        has_passthrough,
    )?;
    if args.help {
        return Ok(Command::Help(format!("kubectl {name}")));
    }
    args.custom = custom.cloned();
    check_ignored_flags(&args)?;
    let stdin_verbs = [
        "apply",
        "create",
        "delete",
        "edit",
        "replace",
        "diff",
        "apply edit-last-applied",
    ];
    let reads_variables = name == "set env" && args.positional.iter().any(|word| word.text == "-");
    if args.stdin.is_some() && !stdin_verbs.contains(&name) && !reads_variables && args.value("filename").is_none() {
        return Err(args.error(args.end, format!("{name} reads no text")));
    }
    let mut words = Words::of("kubectl", name);
    let action = parse_verb(name, &args, &mut words).or_else(|why| unresolved_or_error(name, &args, why))?;
    if let Kubectl::Verbatim(_) = &action {
        words = Words::as_typed(name, &args);
    }
    Ok(Command::Kubectl { action, words })
}

/// Returns an [`Action::Unresolved`] command if the error only means that the custom kinds are not known yet; otherwise
/// the error.
fn unresolved_or_error(name: &'static str, args: &Args, error: CommandError) -> Result<Kubectl, CommandError> {
    match error.needs_custom_kinds {
        true => {
            let action = Action::Unresolved(Words::as_typed(name, args));
            Ok(verbatim::verbatim(args, name, action, DryRun::None, Output::Table))
        }
        false => Err(error),
    }
}

/// Checks the values of flags that have no effect in the simulation, because kubectl reports invalid values.
fn check_ignored_flags(args: &Args) -> Result<(), CommandError> {
    for name in ["chunk-size", "v"] {
        args.int(name)?;
    }
    args.duration("timeout")
        .map(drop)
        .or_else(|why| match args.command.as_str() {
            // A negative timeout of `wait` means one week.
            "kubectl wait" => Ok(()),
            _ => Err(why),
        })?;
    let timeout = args.value("request-timeout").unwrap_or_default();
    let is_time = timeout.parse::<i64>().is_ok() || args.duration("request-timeout").is_ok();
    if !timeout.is_empty() && !is_time {
        let why = "Invalid timeout value. Timeout must be a single integer in seconds, or an integer followed by a corresponding time unit (e.g. 1s | 2m | 3h)";
        return Err(args.error(args.column("request-timeout"), why));
    }
    if let Some(path) = args.value("kubeconfig").filter(|path| !path.is_empty()) {
        let why = format!("stat {path}: no such file or directory");
        return Err(args.error(args.column("kubeconfig"), why));
    }
    let other_name = |flag: &str| args.value(flag).filter(|name| !name.is_empty() && name != CONTEXT);
    if args.command.starts_with("kubectl config") {
        return Ok(());
    }
    if let Some(name) = other_name("context") {
        let why = format!("Error in configuration: context was not found for specified context: {name}");
        return Err(CommandError::new(args.column("context"), why));
    }
    match other_name("cluster") {
        Some(name) => Err(args.error(args.column("cluster"), format!("no server found for cluster {name:?}"))),
        None => Ok(()),
    }
}

/// Finds the longest verb at the beginning of the words. Returns it with the number of its words after the first; the
/// verb is `None` for a group without a sub-command.
fn find_verb(first: &str, rest: &[Word]) -> Result<(Option<&'static Verb>, usize), String> {
    let mut names = vec![first.to_owned()];
    for word in rest.iter().take(2).take_while(|word| !word.text.starts_with('-')) {
        let last = names.last().cloned().unwrap_or_default();
        names.push(format!("{last} {}", expand_alias(&word.text)));
    }
    for (taken, name) in names.iter().enumerate().rev() {
        let known = VERBS.iter().find(|known| known.name == name);
        if let Some(known) = known {
            return Ok((Some(known), taken));
        }
        let is_group = VERBS.iter().any(|known| {
            known
                .name
                .strip_prefix(name.as_str())
                .is_some_and(|rest| rest.starts_with(' '))
        });
        if is_group {
            let more: Vec<&str> = rest.iter().skip(taken).map(|word| word.text.as_str()).collect();
            return match more.first() {
                Some(word) if !word.starts_with('-') => Err(format!(
                    "error: unknown command {:?}\nSee 'kubectl {name} -h' for help and examples",
                    more.join(" ")
                )),
                Some(flag) if !matches!(*flag, "-h" | "--help") => {
                    let word = rest.iter().skip(taken).cloned().collect::<Vec<_>>();
                    let unknown = Args::parse(&format!("kubectl {name}"), &[], &word, None, false);
                    unknown.map(|_| (None, taken)).map_err(|why| why.message)
                }
                _ => Ok((None, taken)),
            };
        }
    }
    Err(unknown_verb_message(first))
}

/// Returns the full name of a sub-command that may be abbreviated.
fn expand_alias(word: &str) -> &str {
    let known = SUBCOMMAND_ALIASES.iter().find(|(short, _)| *short == word);
    known.map_or(word, |(_, long)| long)
}

/// Abbreviations of sub-commands.
const SUBCOMMAND_ALIASES: &[(&str, &str)] = &[
    ("deploy", "deployment"),
    ("ns", "namespace"),
    ("cm", "configmap"),
    ("cj", "cronjob"),
    ("pc", "priorityclass"),
    ("pdb", "poddisruptionbudget"),
    ("sa", "serviceaccount"),
    ("svc", "service"),
    ("resourcequota", "quota"),
    ("ing", "ingress"),
];

/// Returns the error about an unknown verb, with similar verbs as suggestions.
fn unknown_verb_message(name: &str) -> String {
    let edit_distance = |a: &str, b: &str| {
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
    let lower = name.to_ascii_lowercase();
    let similar: Vec<&str> = super::help::commands()
        .filter(|verb| edit_distance(&lower, verb) <= 2 || verb.starts_with(&lower))
        .collect();
    let mut out = format!("error: unknown command {name:?} for \"kubectl\"");
    if !similar.is_empty() {
        out.push_str("\n\nDid you mean this?\n");
        out.push_str(
            &similar
                .iter()
                .map(|verb| format!("\t{verb}"))
                .collect::<Vec<_>>()
                .join("\n"),
        );
    }
    out
}

/// Parses the arguments of a verb, with or without `--local`.
fn parse_verb(name: &'static str, args: &Args, words: &mut Words) -> Result<Kubectl, CommandError> {
    match args.bool("local", false)? {
        true => local::parse_local(name, args),
        false => parse_arguments(name, args, words),
    }
}

/// Parses the arguments of a verb. Appends their canonical form to `words`, unless the command is [`Verbatim`].
fn parse_arguments(name: &'static str, args: &Args, words: &mut Words) -> Result<Kubectl, CommandError> {
    match name {
        "get" => read::parse_get(args, words),
        "describe" => read::parse_describe(args, words),
        "events" => read::parse_events(args, words),
        "explain" => read::parse_explain(args, words),
        "top" => read::parse_top(args, words),
        "logs" => read::parse_logs(args, words),
        "apply" => write::parse_apply(args, words),
        "create" => write::parse_create(args, words),
        "delete" => write::parse_delete(args, words),
        "scale" => write::parse_scale(args, words),
        "patch" => write::parse_patch(args, words),
        "edit" => write::parse_edit(args, words),
        "set image" => write::parse_set_image(args, words),
        "cordon" | "uncordon" => nodes_and_labels::parse_cordon(args, name, words),
        "drain" => nodes_and_labels::parse_drain(args, words),
        "taint" => nodes_and_labels::parse_taint(args, words),
        "label" => nodes_and_labels::parse_label_or_annotate(args, name, words).map(Kubectl::Label),
        "annotate" => nodes_and_labels::parse_label_or_annotate(args, name, words).map(Kubectl::Annotate),
        _ if name.starts_with("rollout ") => write::parse_rollout(args, name, words),
        _ => verbatim::parse(args, name),
    }
}
