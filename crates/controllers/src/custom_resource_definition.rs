//! CustomResourceDefinition controller: accepts the names of a definition and establishes it; before a definition is
//! deleted, deletes its objects.
//!
//! ```text
//!   created ──names are free──► NamesAccepted, Installing ──► Established
//!      └──────a name is taken─► NamesAccepted=False (until it is free)
//!   deleted ──► Terminating ──at once, then every 5 s: objects are deleted──► none is left: finalizer removed
//! ```
//!
//! Deviation: the real controllers run in the API server; this one runs in the controller-manager and stops with it.

use std::sync::Arc;

use podscope_api::custom::{CLEANUP_FINALIZER, Definition, NAMES_ACCEPTED, NO_CONFLICTS, Version};
use podscope_api::untyped::{text, texts};
use podscope_api::{Kind, Object, UntypedObject};
use podscope_sim::{Change, DeleteOptions, Mutation, Part, Request, Span};
use serde_json::{Value, json};

use super::controller::{Controller, ControllerContext};
use super::plan::{Accept, Action, Plan};
use super::queue::Key;

/// Interval of the checks whether all objects of a terminating definition are deleted.
const POLL_PERIOD: Span = Span::seconds(5);
/// Delay of the first check after the deletion of the objects.
const FIRST_POLL_DELAY: Span = Span::millis(50);

#[derive(Debug, Clone, Default)]
pub(super) struct CustomResourceDefinitionController;

impl Controller for CustomResourceDefinitionController {
    fn name(&self) -> &'static str {
        "customresourcedefinition-controller"
    }

    fn watches(&self) -> &'static [Kind] {
        &[Kind::CustomResourceDefinition]
    }

    fn changed(&mut self, change: &Change, cx: &mut ControllerContext<'_, '_>) {
        let Some(object) = change.object() else { return };
        // A name that this definition no longer uses is free for the other definitions of its group.
        let others = cx.objects.definitions();
        let group = Definition::of(object).map(Definition::group).unwrap_or_default();
        for other in others.iter().filter(|other| {
            let is_waiting =
                |definition: &Definition<'_>| definition.group() == group && !are_names_accepted(*definition);
            other.key() == object.key() || Definition::of(other).as_ref().is_some_and(is_waiting)
        }) {
            cx.enqueue((other.kind(), other.key()));
        }
    }

    fn sync(&mut self, key: &Key, cx: &mut ControllerContext<'_, '_>) -> Plan {
        let Some(object) = cx.objects.get_kind(key.0, &key.1) else {
            return Plan::default();
        };
        let Some(definition) = Definition::of(&object) else {
            return Plan::default();
        };
        if object.metadata().is_terminating() {
            return delete_custom_objects(&object, definition, cx);
        }
        let now = cx.time().to_string();
        let named = accept_names(definition, cx);
        let condition = |kind: &str, status: bool, reason: &str, message: &str| {
            json!({
                "type": kind, "status": if status { "True" } else { "False" }, "lastTransitionTime": now,
                "reason": reason, "message": message,
            })
        };
        let (reason, message) = named
            .conflict
            .clone()
            .unwrap_or(("NoConflicts", NO_CONFLICTS.to_owned()));
        let accepted = condition("NamesAccepted", named.conflict.is_none(), reason, &message);
        let is_told = definition
            .condition("NamesAccepted")
            .is_some_and(|old| is_same_condition(old, &accepted));
        if !is_told || named.names != *definition.accepted_names() {
            let established = match definition.condition("Established") {
                Some(old) if text(old, "status") == "True" => old.clone(),
                _ if named.conflict.is_none() => condition("Established", false, "Installing", NAMES_ACCEPTED),
                Some(old) => old.clone(),
                None => condition("Established", false, "NotAccepted", "not all names are accepted"),
            };
            let names = named.names;
            return change_status(&object, "names", move |status| {
                status["acceptedNames"] = names.clone();
                set_condition(status, &accepted);
                set_condition(status, &established);
            });
        }
        if named.conflict.is_none() && !definition.is_established() {
            let established = condition("Established", true, "InitialNamesAccepted", NAMES_ACCEPTED);
            return change_status(&object, "established", move |status| {
                set_condition(status, &established)
            });
        }
        Plan::default()
    }
}

fn are_names_accepted(definition: Definition<'_>) -> bool {
    let condition = definition.condition("NamesAccepted");
    condition.is_some_and(|condition| text(condition, "status") == "True")
}

/// Returns whether two conditions have the same status, reason and message; times are ignored.
fn is_same_condition(one: &Value, other: &Value) -> bool {
    ["status", "reason", "message"]
        .iter()
        .all(|field| text(one, field) == text(other, field))
}

/// Adds a condition to a status, or replaces the one of the same type.
fn set_condition(status: &mut Value, condition: &Value) {
    if !status["conditions"].is_array() {
        status["conditions"] = json!([]);
    }
    let conditions = status["conditions"].as_array_mut().into_iter();
    for conditions in conditions {
        match conditions.iter_mut().find(|old| old["type"] == condition["type"]) {
            Some(old) => *old = condition.clone(),
            None => conditions.push(condition.clone()),
        }
    }
}

/// The names of a definition that can be accepted, and the conflict if there is one.
struct AcceptedNames {
    names: Value,
    /// Reason and message of the last name that conflicts with another definition.
    conflict: Option<(&'static str, String)>,
}

/// Determines which names of a definition do not conflict with the names of other definitions.
fn accept_names(definition: Definition<'_>, cx: &ControllerContext<'_, '_>) -> AcceptedNames {
    let (wanted, had) = (definition.names(), definition.accepted_names());
    let (mut resources, mut kinds) = (Vec::new(), Vec::new());
    for other in cx.objects.definitions() {
        if let Some(other) = Definition::of(&other)
            && other.group() == definition.group()
            && other.object().metadata.name != definition.object().metadata.name
        {
            let names = other.accepted_names();
            let all = [text(names, "plural"), text(names, "singular")];
            resources.extend(
                all.iter()
                    .copied()
                    .chain(texts(names, "shortNames"))
                    .map(ToOwned::to_owned),
            );
            kinds.extend([text(names, "kind"), text(names, "listKind")].map(ToOwned::to_owned));
        }
    }
    let taken = |name: &str, used: &[String]| {
        let is_taken = !name.is_empty() && used.iter().any(|other| other == name);
        is_taken.then(|| format!("{name:?} is already in use"))
    };
    let mut names = had.as_object().cloned().unwrap_or_default();
    let mut conflict = None;
    for (field, used, reason) in [
        ("plural", &resources, "PluralConflict"),
        ("singular", &resources, "SingularConflict"),
        ("kind", &kinds, "KindConflict"),
        ("listKind", &kinds, "ListKindConflict"),
    ] {
        let name = text(wanted, field);
        match taken(name, used).filter(|_| name != text(had, field)) {
            Some(message) => conflict = Some((reason, message)),
            None if name.is_empty() => drop(names.shift_remove(field)),
            None => drop(names.insert(field.to_owned(), name.into())),
        }
    }
    let own = texts(had, "shortNames");
    let short: Vec<&str> = texts(wanted, "shortNames");
    let conflicts = short.iter().filter(|name| !own.contains(name));
    let conflicts: Vec<String> = conflicts.filter_map(|name| taken(name, &resources)).collect();
    match conflicts.as_slice() {
        [] if short.is_empty() => drop(names.shift_remove("shortNames")),
        [] => drop(names.insert("shortNames".to_owned(), json!(short))),
        [one] => conflict = Some(("ShortNamesConflict", one.clone())),
        several => conflict = Some(("ShortNamesConflict", format!("[{}]", several.join(", ")))),
    }
    let categories = texts(wanted, "categories");
    if categories.is_empty() {
        names.shift_remove("categories");
    } else {
        names.insert("categories".to_owned(), json!(categories));
    }
    AcceptedNames {
        names: Value::Object(names),
        conflict,
    }
}

fn patch_definition(object: &Object, part: Part, change: Mutation) -> Plan {
    let patch = Request::Patch {
        kind: object.kind(),
        key: object.key(),
        uid: Some(object.metadata().uid.clone()),
        part,
        change,
    };
    Plan::one(Action::from(patch).accept(Accept::OrNotFound))
}

fn change_status(object: &Object, name: &'static str, change: impl Fn(&mut Value) + Send + Sync + 'static) -> Plan {
    let change = untyped_mutation(name, move |untyped| {
        change(untyped.fields.entry("status").or_insert_with(|| json!({})));
    });
    patch_definition(object, Part::Status, change)
}

fn untyped_mutation(name: &'static str, change: impl Fn(&mut UntypedObject) + Send + Sync + 'static) -> Mutation {
    Mutation::of_object(name, move |object| {
        let mut object = object.clone();
        if let Object::Untyped(untyped) = &mut object {
            change(Arc::make_mut(untyped));
        }
        Some(object)
    })
}

/// Deletes the objects of a terminating definition. When none is left, removes the definition's finalizer.
fn delete_custom_objects(object: &Object, definition: Definition<'_>, cx: &ControllerContext<'_, '_>) -> Plan {
    if !object
        .metadata()
        .finalizers
        .iter()
        .any(|name| &**name == CLEANUP_FINALIZER)
    {
        return Plan::default();
    }
    let kind = definition.storage_version().map(Version::kind);
    let left = kind.map(|kind| cx.objects.list_kind(kind)).unwrap_or_default();
    if left.is_empty() {
        let change = untyped_mutation("finalizer", |untyped| {
            untyped.metadata.finalizers.retain(|name| &**name != CLEANUP_FINALIZER);
        });
        return patch_definition(object, Part::Main, change);
    }
    let deletes = left
        .iter()
        .filter(|object| !object.metadata().is_terminating())
        .map(|object| {
            let delete = Request::Delete {
                kind: object.kind(),
                key: object.key(),
                options: DeleteOptions::default(),
            };
            Action::from(delete).accept(Accept::OrNotFound)
        });
    let deletes: Vec<Action> = deletes.collect();
    let next = if deletes.is_empty() {
        POLL_PERIOD
    } else {
        FIRST_POLL_DELAY
    };
    Plan::default().then(deletes).requeue_after(Some(next))
}
