//! `kubectl delete`: of a manifest, of what is named, of what is selected (KC-079 to KC-085).

use podscope_api::{Kind, ObjectKey};
use podscope_cluster::DeleteOptions;
use podscope_cluster::client::{ClientCommand, DeleteCommand, object_name};

use super::reading::{Item, Manifest};
use super::{Plan, View, find};
use crate::command::{Delete, Doomed, Selection, Target, Validation};
use crate::refusals::NOT_ALLOWED;

pub(super) fn delete(what: &Delete, view: &View<'_>) -> Plan {
    let mut plan = Plan::default();
    let mut targets: Vec<(Kind, ObjectKey)> = Vec::new();
    let mut ignore_not_found = what.ignore_not_found;
    let is_scoped = match &what.what {
        Doomed::Manifest { text, namespace } => {
            let found = Manifest::read(text, namespace.as_deref(), Validation::Ignore);
            if found.is_empty() {
                plan.out("No resources found");
                return plan;
            }
            for item in found.items() {
                match item.map(Item::sent) {
                    Ok(Some((kind, key, _))) => targets.push((kind, key)),
                    Ok(None) => return Plan::refuse(NOT_ALLOWED),
                    Err(message) => return Plan::refuse(message),
                }
            }
            targets.retain(|(_, key)| !key.name.is_empty());
            if targets.is_empty() {
                return Plan::refuse("error: error when deleting \"STDIN\": resource name may not be empty");
            }
            namespace.is_some()
        }
        // What is named is deleted unseen, as it was named.
        Doomed::Target(target) if let Some(named) = named_keys(target) => {
            targets = named;
            target.namespace.is_some()
        }
        Doomed::Target(target) => {
            let found = match find(target, view.objects) {
                Ok(found) => found,
                Err(message) => return Plan::refuse(message),
            };
            for object in found.groups.iter().flat_map(|(_, objects)| objects) {
                targets.push((object.kind(), object.key()));
            }
            for (kind, name) in found.misses {
                targets.push((kind, ObjectKey::of(kind, target.namespace(), name.as_str())));
            }
            if target.all || target.selector.is_some() || target.field_selector.is_some() {
                ignore_not_found = true;
                if targets.is_empty() {
                    plan.out("No resources found");
                    return plan;
                }
            }
            target.namespace.is_some()
        }
    };
    let mut warnings = Vec::new();
    if is_scoped && targets.iter().any(|(kind, _)| !kind.is_namespaced()) {
        warnings.push("Warning: deleting cluster-scoped resources, not scoped to the provided namespace".to_owned());
    }
    if what.dry_run.is_of_client() {
        for warning in warnings {
            plan.err(warning);
        }
        for (kind, key) in &targets {
            let tail = if kind.is_namespaced() {
                format!(" from {} namespace", key.namespace)
            } else {
                String::new()
            };
            let kind = kind.qualified_singular();
            plan.out(match what.output_name {
                true => format!("{kind}/{}", key.name),
                false => format!("{kind} {:?} deleted{tail} (dry run)", &*key.name),
            });
        }
        return plan;
    }
    let (propagation, deprecated) = crate::command::cascading(what.cascade.as_deref());
    deprecated.into_iter().for_each(|warning| plan.err(warning));
    let mut question = String::new();
    if let Some(answer) = &what.answer {
        plan.out(format!(
            "You are about to delete the following {} resource(s):",
            targets.len()
        ));
        for (kind, key) in &targets {
            plan.out(object_name(*kind, &key.name));
        }
        "Do you want to continue? (y/n): ".clone_into(&mut question);
        let is_yes = answer
            .split_whitespace()
            .next()
            .is_some_and(|word| word.eq_ignore_ascii_case("y"));
        if !is_yes {
            plan.out(format!("{question}deletion is cancelled"));
            return plan;
        }
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
        ignore_not_found,
        output_name: what.output_name,
        dry_run: what.dry_run,
        warnings,
        context: match &what.what {
            Doomed::Manifest { .. } => "error when deleting \"STDIN\": ",
            Doomed::Target(_) => "",
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
