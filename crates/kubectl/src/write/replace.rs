//! `kubectl replace`: whole objects in place of those there are.

use podscope_api::{Kind, ObjectKey};
use podscope_cluster::client::{ErrorContext, Write, deletion, error_text, object_name};
use podscope_cluster::{ApiError, DeleteOptions, Part, Request};

use super::reading::{Item, Manifest};
use super::{Plan, View, saved};
use crate::command::{Forced, Replaces, Verbatim, cascading};
use crate::refusals::{NOT_ALLOWED, Refusal};

/// `kubectl replace`: the whole object in place of the one there is. With force, all that are there go first.
pub(super) fn replace(text: &str, how: &Replaces, verbatim: &Verbatim, view: &View<'_>) -> Plan {
    let force = how.force.as_ref();
    let found = Manifest::read(text, verbatim.namespace.as_deref(), how.validation);
    if found.is_empty() && force.is_some() {
        return Plan::refuse("error: no objects passed to replace");
    }
    let doing = "error when replacing \"STDIN\": ";
    let context = || ErrorContext::Before(doing.to_owned());
    let (mut goes, mut is_bound) = (Vec::new(), false);
    let mut acted = found.each(|item, plan, writes| {
        let (request, kind, key) = match item {
            Item::Object {
                mut object,
                document,
                unknown,
            } => {
                if verbatim.save_config {
                    saved::annotate_object(&mut object, &saved::of_document(&document));
                }
                plan.warn_of_unknown(&unknown);
                let (kind, key) = (object.kind(), object.key());
                let request = match force {
                    Some(_) => Request::Create(object),
                    None => Request::Update(object, Part::Main),
                };
                (request, kind, key)
            }
            Item::Malformed { kind, key, why, .. } => {
                let at = key.clone();
                (Request::Malformed { kind, key, why }, kind, at)
            }
            Item::Binding { .. } => {
                is_bound = true;
                return Ok(());
            }
        };
        if key.name.is_empty() && force.is_none() {
            return Err(Refusal::own(format!("{doing}resource name may not be empty")));
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
                return Err(Refusal::Told(error_text(
                    &ApiError::not_found(kind, &key.name),
                    &context(),
                )));
            }
        }
        Ok(())
    });
    if is_bound {
        return Plan::refuse(NOT_ALLOWED);
    }
    acted.writes.splice(0..0, goes);
    acted.finish()
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
