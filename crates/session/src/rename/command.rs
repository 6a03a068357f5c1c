//! Renaming in command lines.

use podscope_api::Kind;
use podscope_kubectl::command::{self, Action, Command, Kubectl, Selection, Target};
use serde_json::Value;

use super::names::{Names, Role};
use super::{documents, rename_document, rename_untyped};

/// Words of command lines that are not names: verbs, and kinds of their objects.
const WORDS: &[&str] = &[
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
    podscope_api::Rate::parse(word).is_ok() || WORDS.contains(&word) || Kind::from_resource_name(word).is_some()
}

/// Renames a line. None if the line would have no meaning without its private texts. Before all names are collected,
/// this only collects them.
pub(super) fn renamed(line: &str, names: &mut Names) -> Option<String> {
    let Ok(command) = command::parse(line) else { return None };
    // The body of an API call has any form, and the call has no meaning without it.
    if matches!(command, Command::Api(_)) {
        return None;
    }
    let Command::Kubectl(mut kubectl) = command else {
        return if_valid(rename_words(line, names));
    };
    match &mut kubectl {
        Kubectl::Annotate(_) => return None,
        Kubectl::Apply(apply) => {
            apply.manifest = rename_manifests(&apply.manifest, names);
            apply.namespace = apply.namespace.take().map(|name| names.text(Role::Name, &name));
        }
        Kubectl::Create {
            manifest, namespace, ..
        } => {
            *manifest = rename_manifests(manifest, names);
            *namespace = namespace.take().map(|name| names.text(Role::Name, &name));
        }
        Kubectl::Verbatim(verbatim) => {
            let namespace = verbatim.namespace.as_ref().map(|name| names.text(Role::Name, name));
            match &verbatim.action {
                // The generated objects are renamed, because options contain values of literals and variables.
                Action::Create(made) => {
                    let texts: Vec<String> = made.objects.iter().map(podscope_api::print_yaml).collect();
                    kubectl = Kubectl::Create {
                        manifest: rename_manifests(&texts.join("---\n"), names),
                        namespace,
                        validation: command::Validation::default(),
                        save_config: verbatim.save_config,
                        dry_run: verbatim.dry_run,
                        output: verbatim.output.clone(),
                    };
                }
                Action::Replace { text: manifest, .. } => {
                    kubectl = Kubectl::Apply(command::Apply {
                        manifest: rename_manifests(manifest, names),
                        namespace,
                        ..command::Apply::default()
                    });
                }
                Action::Diff { .. } => return None,
                _ => return if_valid(rename_words(line, names)),
            }
        }
        Kubectl::Edit {
            target, text: edited, ..
        } => {
            *edited = rename_manifests(edited, names);
            rename_target(target, names);
        }
        Kubectl::Patch { target, patch, .. } => {
            let mut value: Value = serde_json::from_str(patch).ok()?;
            rename_untyped(&mut value, names);
            *patch = value.to_string();
            rename_target(target, names);
        }
        _ => return if_valid(rename_words(line, names)),
    }
    if_valid(kubectl.to_string())
}

fn rename_target(target: &mut Target, names: &mut Names) {
    let mut named = |name: &str| names.text(Role::Name, name);
    target.namespace = target.namespace.take().map(|name| named(&name));
    match &mut target.selection {
        Selection::Kinds { names: all, .. } => all.iter_mut().for_each(|name| *name = named(name)),
        Selection::Items(items) => items.iter_mut().for_each(|(_, name)| *name = named(name)),
    }
}

/// Returns the line if it is still a valid command.
fn if_valid(line: String) -> Option<String> {
    command::parse(&line).is_ok().then_some(line)
}

/// The here-document of a command, with renamed objects.
fn rename_manifests(manifest: &str, names: &mut Names) -> String {
    let texts: Vec<String> = documents(manifest)
        .into_iter()
        .map(|mut document: Value| {
            rename_document(&mut document, names);
            podscope_api::print_yaml(&document)
        })
        .collect();
    texts.join("---\n")
}

fn rename_words(line: &str, names: &mut Names) -> String {
    let rename_words: Vec<String> = line.split(' ').map(|word| rename_word(word, names)).collect();
    rename_words.join(" ")
}

fn rename_word(word: &str, names: &mut Names) -> String {
    // The name of a flag is kept, its value is renamed.
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
                new.push_str(&names.text(Role::Name, name));
            }
            _ => new.push_str(&names.text(Role::Word, name)),
        }
        new.push_str(&piece[name.len()..]);
    }
    new
}
