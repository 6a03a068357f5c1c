//! `kubectl replace`: replaces existing objects as a whole.

use podscope_api::{Kind, ObjectKey};
use podscope_cluster::client::{ErrorContext, Write, deletion_message, error_text, object_name};
use podscope_cluster::{ApiError, DeleteOptions, Part, Request};

use super::manifest_reader::{Manifest, ManifestItem};
use super::{Plan, View, saved_config};
use crate::command::{ForceOptions, ReplaceOptions, Verbatim, propagation_of_cascade};
use crate::refusals::{METHOD_NOT_ALLOWED, Refusal};

/// Plans `kubectl replace`. With `--force`, all existing objects are deleted before the first one is created.
pub(super) fn plan_replace(manifest: &str, options: &ReplaceOptions, verbatim: &Verbatim, view: &View<'_>) -> Plan {
    let force = options.force.as_ref();
    let found = Manifest::read(
        manifest,
        verbatim.namespace.as_deref(),
        options.validation,
        view.objects,
    );
    if found.is_empty() && force.is_some() {
        return Plan::refuse("error: no objects passed to replace");
    }
    let error_context = "error when replacing \"STDIN\": ";
    let context = || ErrorContext::Before(error_context.to_owned());
    let (mut deletions, mut has_binding) = (Vec::new(), false);
    let mut outcome = found.for_each_item(|item, plan, writes| {
        let (request, kind, key) = match item {
            ManifestItem::Object {
                mut object,
                document,
                unknown,
            } => {
                if verbatim.save_config {
                    let last_applied = saved_config::last_applied_of_manifest(&document);
                    saved_config::set_last_applied_of_object(&mut object, &last_applied);
                }
                plan.warn_unknown_fields(&unknown);
                let (kind, key) = (object.kind(), object.key());
                // kubectl sends the resourceVersion that it has read. It is added here only for custom kinds, which
                // require it.
                if let (Kind::Custom(_), Some(live)) = (kind, view.objects.get_kind(kind, &key))
                    && object.metadata().resource_version.is_empty()
                    && force.is_none()
                {
                    object.metadata_mut().resource_version = live.metadata().resource_version.clone();
                }
                let request = match force {
                    Some(_) => Request::Create(object),
                    None => Request::Update(object, Part::Main),
                };
                (request, kind, key)
            }
            ManifestItem::Malformed { kind, key, why, .. } => {
                let same_key = key.clone();
                (Request::Malformed { kind, key, why }, kind, same_key)
            }
            ManifestItem::Binding { .. } => {
                has_binding = true;
                return Ok(());
            }
        };
        if key.name.is_empty() && force.is_none() {
            return Err(Refusal::kubectl_error(format!(
                "{error_context}resource name may not be empty"
            )));
        }
        let replaced = format!("{} replaced", object_name(kind, &key.name));
        let exists = view.objects.get_kind(kind, &key).is_some();
        match force {
            Some(force) => {
                if exists {
                    deletions.push(delete_request(kind, key, force));
                }
                writes.push(Write::new(request, replaced));
            }
            None if exists => writes.push(Write {
                context: context(),
                ..Write::new(request, replaced)
            }),
            None => {
                return Err(Refusal::AsIs(error_text(
                    &ApiError::not_found(kind, &key.name),
                    &context(),
                )));
            }
        }
        Ok(())
    });
    if has_binding {
        return Plan::refuse(METHOD_NOT_ALLOWED);
    }
    outcome.writes.splice(0..0, deletions);
    outcome.finish()
}

/// Returns the request that deletes an object before `replace --force` creates it again. The client waits for the
/// deletion.
fn delete_request(kind: Kind, key: ObjectKey, force: &ForceOptions) -> Write {
    let success = deletion_message(kind, &key, "deleted");
    let options = DeleteOptions {
        grace_seconds: force.grace_seconds,
        propagation: Some(propagation_of_cascade(force.cascade.as_deref()).0),
        ..DeleteOptions::default()
    };
    Write {
        until_gone: true,
        ..Write::new(Request::Delete { kind, key, options }, success)
    }
}
