//! `kubectl delete` of objects in a manifest, by name, or by selector (KC-079 to KC-085).

use podscope_api::{Kind, ObjectKey};
use podscope_cluster::client::{ClientCommand, DeleteCommand, ErrorContext, object_name};
use podscope_cluster::{DeleteOptions, Objects};

use super::manifest_reader::{Manifest, ManifestItem};
use super::{Plan, View, find};
use crate::command::{Delete, DeleteTarget, Selection, Target, Validation};
use crate::refusals::METHOD_NOT_ALLOWED;

const CONFIRM_DELETE_QUESTION: &str = "Do you want to continue? (y/N): ";

/// The objects that `kubectl delete` deletes.
struct Deletion {
    targets: Vec<(Kind, ObjectKey)>,
    /// Whether the command line gives a namespace.
    is_scoped: bool,
    /// Whether the objects were selected by kind or selector, not by name. It is no error if such an object no longer
    /// exists.
    is_selected: bool,
}

/// Finds the objects to delete; `None` if there are none.
fn find_targets(command: &Delete, view: &View<'_>) -> Result<Option<Deletion>, String> {
    match &command.objects {
        DeleteTarget::Manifest { text, namespace } => deletion_of_manifest(text, namespace.as_deref(), view),
        // Objects given by name are deleted without a lookup, so that the server reports missing ones.
        DeleteTarget::Target(target) if let Some(targets) = named_keys(target) => Ok(Some(Deletion {
            targets,
            is_scoped: target.namespace.is_some(),
            is_selected: false,
        })),
        DeleteTarget::Target(target) => deletion_of_target(target, view),
    }
}

fn deletion_of_manifest(text: &str, namespace: Option<&str>, view: &View<'_>) -> Result<Option<Deletion>, String> {
    let found = Manifest::read(text, namespace, Validation::Ignore, view.objects);
    if found.is_empty() {
        return Ok(None);
    }
    let mut targets: Vec<(Kind, ObjectKey)> = Vec::new();
    for item in found.items() {
        let (kind, key, _) = item.map(ManifestItem::into_document)?.ok_or(METHOD_NOT_ALLOWED)?;
        targets.push((kind, key));
    }
    targets.retain(|(_, key)| !key.name.is_empty());
    if targets.is_empty() {
        return Err("error: error when deleting \"STDIN\": resource name may not be empty".to_owned());
    }
    Ok(Some(Deletion {
        targets,
        is_scoped: namespace.is_some(),
        is_selected: false,
    }))
}

fn deletion_of_target(target: &Target, view: &View<'_>) -> Result<Option<Deletion>, String> {
    let found = find(target, view.objects)?;
    let mut targets: Vec<(Kind, ObjectKey)> = Vec::new();
    for object in found.groups.iter().flat_map(|(_, objects)| objects) {
        targets.push((object.kind(), object.key()));
    }
    for (kind, name) in found.missing {
        targets.push((kind, ObjectKey::of(kind, target.namespace(), name.as_str())));
    }
    let is_selected = target.all || target.selector.is_some() || target.field_selector.is_some();
    Ok((!is_selected || !targets.is_empty()).then(|| Deletion {
        targets,
        is_scoped: target.namespace.is_some(),
        is_selected,
    }))
}

/// Returns the kinds of the objects that a command deletes; custom kinds may be missing.
pub(in super::super) fn deleted_kinds(command: &Delete) -> Vec<Kind> {
    match &command.objects {
        DeleteTarget::Target(target) => target.kinds(),
        DeleteTarget::Manifest { text, namespace } => manifest_kinds(text, namespace.as_deref()),
    }
}

/// Returns the kinds of the objects in a manifest; custom kinds are missing.
pub(in super::super) fn manifest_kinds(text: &str, namespace: Option<&str>) -> Vec<Kind> {
    let found = Manifest::read(text, namespace, Validation::Ignore, &Objects::default());
    let documents = found.items().filter_map(|item| item.ok()?.into_document());
    documents.map(|(kind, ..)| kind).collect()
}

/// Returns the message of `--dry-run=client` about an object.
fn dry_run_message(kind: Kind, key: &ObjectKey, is_forced: bool, output_name: bool) -> String {
    let deleted = if is_forced { "force deleted" } else { "deleted" };
    let from = if kind.is_namespaced() {
        format!(" from {} namespace", key.namespace)
    } else {
        String::new()
    };
    let kind = kind.qualified_singular();
    match output_name {
        true => format!("{kind}/{}", key.name),
        false => format!("{kind} {:?} {deleted}{from} (dry run)", &*key.name),
    }
}

fn is_confirmation(answer: &str) -> bool {
    let first = answer.split_whitespace().next();
    first.is_some_and(|word| word.eq_ignore_ascii_case("y"))
}

/// Plans `kubectl delete`.
pub(super) fn plan_delete(command: &Delete, view: &View<'_>) -> Plan {
    let mut plan = Plan::default();
    let Deletion {
        targets,
        is_scoped,
        is_selected,
    } = match find_targets(command, view) {
        Ok(Some(deletion)) => deletion,
        Ok(None) => {
            plan.out("No resources found");
            return plan;
        }
        Err(message) => return Plan::refuse(message),
    };
    let mut warnings = Vec::new();
    if is_scoped && targets.iter().any(|(kind, _)| !kind.is_namespaced()) {
        warnings.push("deleting cluster-scoped resources, not scoped to the provided namespace".to_owned());
    }
    if command.dry_run.is_client_side() {
        let is_forced = command.grace_seconds() == Some(0);
        if command.force && is_forced {
            plan.warn(podscope_cluster::client::FORCE_WARNING);
        }
        for warning in warnings {
            plan.warn(warning);
        }
        for (kind, key) in &targets {
            plan.out(dry_run_message(*kind, key, is_forced, command.output_name));
        }
        return plan;
    }
    let (propagation, deprecated) = crate::command::propagation_of_cascade(command.cascade.as_deref());
    deprecated.into_iter().for_each(|warning| plan.warn_unprefixed(warning));
    let mut question = String::new();
    if let Some(answer) = &command.answer {
        plan.out(format!(
            "You are about to delete the following {} resource(s):",
            targets.len()
        ));
        for (kind, key) in &targets {
            plan.out(object_name(*kind, &key.name));
        }
        if !is_confirmation(answer) {
            plan.out(format!("{CONFIRM_DELETE_QUESTION}deletion is cancelled"));
            return plan;
        }
        CONFIRM_DELETE_QUESTION.clone_into(&mut question);
    }
    plan.client = Some(ClientCommand::Delete(DeleteCommand {
        question,
        targets,
        options: DeleteOptions {
            grace_seconds: command.grace_seconds(),
            propagation: Some(propagation),
            ..DeleteOptions::default()
        },
        wait: command.wait.unwrap_or(true),
        timeout: command.timeout,
        ignore_not_found: command.ignore_not_found || is_selected,
        output_name: command.output_name,
        dry_run: command.dry_run,
        warnings,
        context: match &command.objects {
            DeleteTarget::Manifest { .. } => ErrorContext::Before("error when deleting \"STDIN\": ".to_owned()),
            DeleteTarget::Target(_) => ErrorContext::None,
        },
    }));
    plan
}

/// Returns the keys of the objects that a target lists by name; `None` if it selects objects by kind.
fn named_keys(target: &Target) -> Option<Vec<(Kind, ObjectKey)>> {
    let pairs: Vec<(Kind, &String)> = match &target.selection {
        Selection::Items(items) => items.iter().map(|(kind, name)| (*kind, name)).collect(),
        Selection::Kinds { kinds, names } => kinds
            .iter()
            .flat_map(|kind| names.iter().map(move |name| (*kind, name)))
            .collect(),
    };
    let key = |(kind, name): (Kind, &String)| (kind, ObjectKey::of(kind, target.namespace(), name.as_str()));
    (!pairs.is_empty()).then(|| pairs.into_iter().map(key).collect())
}
