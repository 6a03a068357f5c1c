//! `create -f -`, and the requests for manifest objects that `create` and `apply` share (KC-094, KC-097).

use podscope_api::managed::{FieldManager, FieldManagers};
use podscope_api::schema::Rejection;
use podscope_api::{Kind, NodeName, Object, ObjectKey, Str, Uid};
use podscope_cluster::Request;
use podscope_cluster::client::{ErrorContext, Write, object_name};
use serde_json::Value;

use super::super::output::{ObjectFormat, manifest_text};
use super::manifest_reader::{Manifest, ManifestItem};
use super::{Plan, View, saved_config};
use crate::command::{Output, Validation};
use crate::refusals::{METHOD_NOT_ALLOWED, Refusal, undecodable};

/// Plans `kubectl create -f - --dry-run=client`, which sends no request and validates only the text.
pub(super) fn plan_create_client_dry_run(manifest: Manifest, save_config: bool, output: &Output) -> Plan {
    let format = match ObjectFormat::of(output) {
        Ok(format) => format,
        Err(message) => return Plan::refuse(message),
    };
    let outcome = manifest.for_each_item(|item, _, writes| {
        if let ManifestItem::Binding { pod, .. } = &item {
            writes.push(Write::without_request(format!(
                "binding/{} created (dry run)",
                pod.name
            )));
        }
        let Some((kind, _, mut document)) = item.into_document() else {
            return Ok(());
        };
        if save_config {
            let text = saved_config::last_applied_of_manifest(&document);
            saved_config::set_last_applied_annotation(&mut document, &text);
        }
        let separator = match &format {
            Some(format) if format.has_document_separators() && !writes.is_empty() => "---\n",
            _ => "",
        };
        let name = document
            .pointer("/metadata/name")
            .and_then(Value::as_str)
            .unwrap_or_default();
        writes.push(Write::without_request(match &format {
            Some(format) => format!("{separator}{}", manifest_text(format, &document)),
            None => format!("{} created (dry run)", object_name(kind, name)),
        }));
        Ok(())
    });
    outcome.finish()
}

/// Plans `kubectl create -f -`.
pub(super) fn plan_create(manifest: Manifest, save_config: bool) -> Plan {
    if manifest.is_empty() {
        return Plan::refuse("error: no objects passed to create");
    }
    let outcome = manifest.for_each_item(|item, plan, writes| {
        writes.push(match item {
            ManifestItem::Object {
                mut object,
                unknown,
                document,
            } => {
                if save_config {
                    saved_config::set_last_applied_of_object(
                        &mut object,
                        &saved_config::last_applied_of_manifest(&document),
                    );
                }
                plan.warn_unknown_fields(&unknown);
                // kubectl never sends a resourceVersion when it creates an object.
                object.metadata_mut().resource_version = Str::default();
                object.metadata_mut().managers = FieldManagers::of(vec![FieldManager::of_sender("kubectl-create")]);
                let success = format!("{} created", object_name(object.kind(), "{name}"));
                write_with_create_error_prefix(Request::Create(object), success)
            }
            ManifestItem::Malformed { kind, key, why, .. } => malformed_object(kind, key, why),
            ManifestItem::Binding { pod, node } => {
                let success = format!("binding/{} created", pod.name);
                let uid = Uid::default();
                let node = NodeName::from(&*node);
                let metadata = None;
                let bind = Request::Bind {
                    uid,
                    node,
                    pod,
                    metadata,
                };
                write_with_create_error_prefix(bind, success)
            }
        });
        Ok(())
    });
    outcome.finish()
}

/// Returns the objects of a manifest (for `diff`).
///
/// # Errors
/// The error of the first object that cannot be read.
pub(in super::super) fn manifest_objects(
    text: &str,
    namespace: Option<&str>,
    view: &View<'_>,
) -> Result<Vec<Object>, Refusal> {
    let items = Manifest::read(text, namespace, Validation::Ignore, view.objects).items();
    let objects = items.map(|item| match item? {
        ManifestItem::Object { object, .. } => Ok(object),
        ManifestItem::Malformed { kind, why, .. } => Err(undecodable(kind, &why)),
        ManifestItem::Binding { .. } => Err(Refusal::as_is(METHOD_NOT_ALLOWED)),
    });
    objects.collect()
}

/// Returns the write that creates an object of the manifest. An error is printed after kubectl's prefix `error when
/// creating "STDIN"`.
pub(super) fn write_with_create_error_prefix(request: Request, success: String) -> Write {
    Write {
        context: ErrorContext::Before("error when creating \"STDIN\": ".to_owned()),
        ..Write::new(request, success)
    }
}

/// Returns the request for an object that the server cannot decode.
pub(super) fn malformed_object(kind: Kind, key: ObjectKey, why: Rejection) -> Write {
    // The success message is printed by a client dry run, because only the server rejects the object.
    let success = format!("{} created", object_name(kind, &key.name));
    write_with_create_error_prefix(Request::Malformed { kind, key, why }, success)
}
