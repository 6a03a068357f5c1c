//! `kubectl delete`: of a manifest, of what is named, of what is selected (KC-079 to KC-085).

use podscope_api::{Kind, ObjectKey};
use podscope_cluster::DeleteOptions;
use podscope_cluster::client::{ClientCommand, DeleteCommand, ErrorContext, object_name};

use super::reading::{Item, Manifest};
use super::{Plan, View, find};
use crate::command::{Delete, DeleteTarget, Selection, Target, Validation};
use crate::refusals::NOT_ALLOWED;

const QUESTION: &str = "Do you want to continue? (y/N): ";

/// What is to be deleted.
struct Chosen {
    targets: Vec<(Kind, ObjectKey)>,
    /// Whether a namespace was given.
    is_scoped: bool,
    /// Whether none of it was named: what is gone by then is no error.
    is_selected: bool,
}

/// What is to be deleted; none where there is nothing.
fn chosen(what: &Delete, view: &View<'_>) -> Result<Option<Chosen>, String> {
    match &what.what {
        DeleteTarget::Manifest { text, namespace } => of_manifest(text, namespace.as_deref()),
        // What is named is deleted unseen, as it was named.
        DeleteTarget::Target(target) if let Some(targets) = named_keys(target) => Ok(Some(Chosen {
            targets,
            is_scoped: target.namespace.is_some(),
            is_selected: false,
        })),
        DeleteTarget::Target(target) => of_target(target, view),
    }
}

fn of_manifest(text: &str, namespace: Option<&str>) -> Result<Option<Chosen>, String> {
    let found = Manifest::read(text, namespace, Validation::Ignore);
    if found.is_empty() {
        return Ok(None);
    }
    let mut targets: Vec<(Kind, ObjectKey)> = Vec::new();
    for item in found.items() {
        let (kind, key, _) = item.map(Item::sent)?.ok_or(NOT_ALLOWED)?;
        targets.push((kind, key));
    }
    targets.retain(|(_, key)| !key.name.is_empty());
    if targets.is_empty() {
        return Err("error: error when deleting \"STDIN\": resource name may not be empty".to_owned());
    }
    Ok(Some(Chosen {
        targets,
        is_scoped: namespace.is_some(),
        is_selected: false,
    }))
}

fn of_target(target: &Target, view: &View<'_>) -> Result<Option<Chosen>, String> {
    let found = find(target, view.objects)?;
    let mut targets: Vec<(Kind, ObjectKey)> = Vec::new();
    for object in found.groups.iter().flat_map(|(_, objects)| objects) {
        targets.push((object.kind(), object.key()));
    }
    for (kind, name) in found.misses {
        targets.push((kind, ObjectKey::of(kind, target.namespace(), name.as_str())));
    }
    let is_selected = target.all || target.selector.is_some() || target.field_selector.is_some();
    Ok((!is_selected || !targets.is_empty()).then(|| Chosen {
        targets,
        is_scoped: target.namespace.is_some(),
        is_selected,
    }))
}

/// What `--dry-run=client` says of an object.
fn rehearsal(kind: Kind, key: &ObjectKey, is_forced: bool, output_name: bool) -> String {
    let deleted = if is_forced { "force deleted" } else { "deleted" };
    let tail = if kind.is_namespaced() {
        format!(" from {} namespace", key.namespace)
    } else {
        String::new()
    };
    let kind = kind.qualified_singular();
    match output_name {
        true => format!("{kind}/{}", key.name),
        false => format!("{kind} {:?} {deleted}{tail} (dry run)", &*key.name),
    }
}

fn is_yes(answer: &str) -> bool {
    let first = answer.split_whitespace().next();
    first.is_some_and(|word| word.eq_ignore_ascii_case("y"))
}

pub(super) fn delete(what: &Delete, view: &View<'_>) -> Plan {
    let mut plan = Plan::default();
    let Chosen {
        targets,
        is_scoped,
        is_selected,
    } = match chosen(what, view) {
        Ok(Some(chosen)) => chosen,
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
    if what.dry_run.is_of_client() {
        let is_forced = what.grace_seconds() == Some(0);
        if what.force && is_forced {
            plan.warn(podscope_cluster::client::FORCE_WARNING);
        }
        for warning in warnings {
            plan.warn(warning);
        }
        for (kind, key) in &targets {
            plan.out(rehearsal(*kind, key, is_forced, what.output_name));
        }
        return plan;
    }
    let (propagation, deprecated) = crate::command::cascading(what.cascade.as_deref());
    deprecated.into_iter().for_each(|warning| plan.warn_so(warning));
    let mut question = String::new();
    if let Some(answer) = &what.answer {
        plan.out(format!(
            "You are about to delete the following {} resource(s):",
            targets.len()
        ));
        for (kind, key) in &targets {
            plan.out(object_name(*kind, &key.name));
        }
        if !is_yes(answer) {
            plan.out(format!("{QUESTION}deletion is cancelled"));
            return plan;
        }
        QUESTION.clone_into(&mut question);
    }
    plan.client = Some(ClientCommand::Delete(DeleteCommand {
        question,
        targets,
        options: DeleteOptions {
            grace_seconds: what.grace_seconds(),
            propagation: Some(propagation),
            ..DeleteOptions::default()
        },
        wait: what.wait.unwrap_or(true),
        timeout: what.timeout,
        ignore_not_found: what.ignore_not_found || is_selected,
        output_name: what.output_name,
        dry_run: what.dry_run,
        warnings,
        context: match &what.what {
            DeleteTarget::Manifest { .. } => ErrorContext::Before("error when deleting \"STDIN\": ".to_owned()),
            DeleteTarget::Target(_) => ErrorContext::None,
        },
    }));
    plan
}

/// The keys of what a target names, as it names them; none where it chooses.
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
