//! `kubectl replace`: whole objects in place of those there are.

use podscope_api::{Kind, ObjectKey};
use podscope_cluster::client::{Write, deletion, object_name};
use podscope_cluster::{DeleteOptions, Part, Request};

use super::manifest::{BINDING, left_out};
use super::reading::{Read, read};
use super::{Plan, View, finish, not_found, saved};
use crate::command::{Forced, Replaces, Said, cascading};

/// `kubectl replace`: the whole object in place of the one there is. With force, all that are there go first.
pub(super) fn replace(text: &str, how: &Replaces, said: &Said, view: &View<'_>) -> Plan {
    let (mut plan, force) = (Plan::default(), how.force.as_ref());
    let found = read(text, said.namespace.as_deref(), how.validation);
    if found.is_empty() && force.is_some() {
        return Plan::refuse("error: no objects passed to replace");
    }
    let context = || "error when replacing \"STDIN\": ".to_owned();
    let (mut goes, mut writes, mut errors) = (Vec::new(), Vec::new(), Vec::new());
    for read in found {
        let (request, kind, key) = match read {
            Ok(Read::Object {
                mut object,
                document,
                unknown,
            }) => {
                if said.save_config {
                    saved::annotate_object(&mut object, &saved::of_document(&document));
                }
                for field in unknown {
                    plan.err(format!("Warning: unknown field {field:?}"));
                }
                let (kind, key) = (object.kind(), object.key());
                let request = match force {
                    Some(_) => Request::Create(object),
                    None => Request::Update(object, Part::Main),
                };
                (request, kind, key)
            }
            Ok(Read::Malformed { kind, key, why, .. }) => {
                let at = key.clone();
                (Request::Malformed { kind, key, why }, kind, at)
            }
            Ok(Read::Binding { .. }) => return Plan::refuse(BINDING),
            Ok(Read::LeftOut { kind, name }) => {
                plan.err(left_out(&kind, &name));
                continue;
            }
            Err(message) => {
                errors.push(message);
                continue;
            }
        };
        if key.name.is_empty() && force.is_none() {
            errors.push(format!("error: {}resource name may not be empty", context()));
            continue;
        }
        let replaced = format!("{} replaced", object_name(kind, &key.name));
        let is_there = view.objects.get_kind(kind, &key).is_some();
        match force {
            Some(how) => {
                if is_there {
                    goes.push(deleted(kind, key, how));
                }
                writes.push(Write::new(request, replaced));
            }
            None if is_there => writes.push(Write {
                context: context(),
                ..Write::new(request, replaced)
            }),
            None => {
                let missing = not_found(kind, &key.name);
                let head = "Error from server (NotFound): ";
                errors.push(missing.replacen(head, &format!("{head}{}", context()), 1));
            }
        }
    }
    goes.append(&mut writes);
    finish(plan, goes, errors)
}

/// The deletion of what is replaced by force, until it is gone.
fn deleted(kind: Kind, key: ObjectKey, how: &Forced) -> Write {
    let say = deletion(kind, &key, "deleted");
    let options = DeleteOptions {
        grace_seconds: how.grace,
        propagation: Some(cascading(how.cascade.as_deref()).0),
        ..DeleteOptions::default()
    };
    Write {
        until_gone: true,
        ..Write::new(Request::Delete { kind, key, options }, say)
    }
}
