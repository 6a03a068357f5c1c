//! Anonymises names in command lines.

use podscope_api::Kind;
use podscope_kubectl::command::{self, Action, Apply, Command, Kubectl, Selection, Target, Words};
use serde_json::Value;

use super::names::{NameDictionary, TextRole};
use super::{parse_documents, rename_document, rename_untyped};

/// Words in command lines that are kept, such as verbs and the names of kinds.
const PUBLIC_WORDS: &[&str] = &[
    "kubectl",
    "fault",
    "app",
    "get",
    "describe",
    "create",
    "apply",
    "delete",
    "drain",
    "cordon",
    "uncordon",
    "taint",
    "label",
    "annotate",
    "patch",
    "scale",
    "rollout",
    "restart",
    "status",
    "undo",
    "pause",
    "resume",
    "history",
    "set",
    "image",
    "resources",
    "run",
    "expose",
    "autoscale",
    "top",
    "logs",
    "exec",
    "edit",
    "replace",
    "wait",
    "explain",
    "evict",
    "debug",
    "partition",
    "heal",
    "join",
    "leave",
    "crash",
    "poweroff",
    "boot",
    "second",
    "scheduler",
    "controller-manager",
    "apiserver",
    "etcd",
    "down",
    "up",
    "slow",
    "exit",
    "sandbox",
    "fence",
    "detach",
    "kubelet",
    "runtime",
    "member",
    "add",
    "remove",
    "traffic",
    "start",
    "stop",
    "zone",
    "outside",
    "control-plane",
    "nodes",
    "storage",
    "in",
    "out",
    "power",
    "network",
    "device",
    "gone",
    "back",
    "unhealthy",
    "clear",
    "auth",
];

fn is_public_word(word: &str) -> bool {
    podscope_api::Rate::parse(word).is_ok() || PUBLIC_WORDS.contains(&word) || Kind::from_resource_name(word).is_some()
}

/// Renames the names in a command line. None if the line has no meaning without its private texts. While names are
/// being collected, the result is not used.
pub(super) fn rename_command_line(line: &str, names: &mut NameDictionary) -> Option<String> {
    let Ok(command) = command::parse(line) else { return None };
    // The body of an API call can have any form, so it cannot be renamed, and without it the call has no meaning.
    if matches!(command, Command::Api(_)) {
        return None;
    }
    let Command::Kubectl { action, mut words } = command else {
        return keep_if_valid_command(rename_words(line, names));
    };
    match action {
        Kubectl::Annotate(_) => return None,
        Kubectl::Apply(Apply {
            manifest, namespace, ..
        })
        | Kubectl::Create {
            manifest, namespace, ..
        } => {
            words.set_stdin(rename_manifests(&manifest, names));
            rename_namespace(&mut words, namespace, names);
        }
        Kubectl::Verbatim(verbatim) => match verbatim.action {
            // The options of `kubectl create` contain the values of literals and variables. Therefore the command is
            // replaced by one whose input is the manifest of the generated objects, renamed.
            Action::Create(made) => {
                let texts: Vec<String> = made.objects.iter().map(podscope_api::print_yaml).collect();
                let namespace = verbatim.namespace.map(|name| names.rename_text(TextRole::Name, &name));
                let manifest = rename_manifests(&texts.join("---\n"), names);
                words = Words::create(
                    manifest,
                    namespace,
                    verbatim.save_config,
                    verbatim.dry_run,
                    verbatim.output,
                );
            }
            Action::Replace { text, .. } => {
                let namespace = verbatim.namespace.map(|name| names.rename_text(TextRole::Name, &name));
                words = Words::apply(rename_manifests(&text, names), namespace);
            }
            Action::Diff { .. } => return None,
            _ => return keep_if_valid_command(rename_words(line, names)),
        },
        Kubectl::Edit { target, text, .. } => {
            if !text.is_empty() {
                words.set_stdin(rename_manifests(&text, names));
            }
            rename_target(&mut words, target, names);
        }
        Kubectl::Patch { target, patch, .. } => {
            let mut value: Value = serde_json::from_str(&patch).ok()?;
            rename_untyped(&mut value, names);
            words.set_flag_value("-p", value.to_string());
            rename_target(&mut words, target, names);
        }
        _ => return keep_if_valid_command(rename_words(line, names)),
    }
    keep_if_valid_command(words.to_string())
}

fn rename_namespace(words: &mut Words, namespace: Option<String>, names: &mut NameDictionary) {
    if let Some(namespace) = namespace {
        words.set_flag_value("-n", names.rename_text(TextRole::Name, &namespace));
    }
}

/// Renames the objects that `kubectl edit` or `kubectl patch` changes: the arguments directly after the verb.
fn rename_target(words: &mut Words, target: Target, names: &mut NameDictionary) {
    rename_namespace(words, target.namespace, names);
    let arguments = words.arguments_mut().iter_mut();
    match target.selection {
        Selection::Kinds { names: all, .. } => {
            for (argument, name) in arguments.skip(1).zip(all) {
                *argument = names.rename_text(TextRole::Name, &name);
            }
        }
        Selection::Items(items) => {
            for (argument, (kind, name)) in arguments.zip(items) {
                *argument = format!("{}/{}", kind.singular(), names.rename_text(TextRole::Name, &name));
            }
        }
    }
}

/// Returns the command line, or None if it is no longer a valid command.
fn keep_if_valid_command(line: String) -> Option<String> {
    command::parse(&line).is_ok().then_some(line)
}

/// Renames the objects in the manifest that a command reads from its standard input.
fn rename_manifests(manifest: &str, names: &mut NameDictionary) -> String {
    let texts: Vec<String> = parse_documents(manifest)
        .into_iter()
        .map(|mut document: Value| {
            rename_document(&mut document, names);
            podscope_api::print_yaml(&document)
        })
        .collect();
    texts.join("---\n")
}

fn rename_words(line: &str, names: &mut NameDictionary) -> String {
    let rename_words: Vec<String> = line.split(' ').map(|word| rename_word(word, names)).collect();
    rename_words.join(" ")
}

fn rename_word(word: &str, names: &mut NameDictionary) -> String {
    // The name of a flag is kept. Its value is renamed.
    let (flag, rest) = match word.split_once('=') {
        Some((flag, _)) if word.starts_with('-') => word.split_at(flag.len() + 1),
        _ if word.starts_with('-') => (word, ""),
        _ => ("", word),
    };
    let mut new = flag.to_owned();
    for piece in rest.split_inclusive([',', '=', ':']) {
        let name = piece.trim_end_matches([',', '=', ':']);
        match name.split_once('/') {
            _ if is_public_word(name) => new.push_str(name),
            Some((kind, name)) if is_public_word(kind) => {
                new.push_str(kind);
                new.push('/');
                new.push_str(&names.rename_text(TextRole::Name, name));
            }
            _ => new.push_str(&names.rename_text(TextRole::Word, name)),
        }
        new.push_str(&piece[name.len()..]);
    }
    new
}
