//! `create`, and what `create` and `apply` have in common: objects from texts (KC-094, KC-097).

use podscope_api::managed::{Manager, Managers};
use podscope_api::schema::Rejection;
use podscope_api::{Kind, NodeName, Object, ObjectKey, Str, Uid};
use podscope_cluster::client::{Write, object_name};
use podscope_cluster::{ApiError, Request};
use serde_json::Value;

use super::super::output::{Form, shown_value};
use super::reading::{Read, read};
use super::{Plan, finish, saved};
use crate::command::{Output, Validation};

/// `kubectl create -f - --dry-run=client`: nothing is asked of the server, and nothing checked but the text.
pub(super) fn create_of_client(
    manifest: &str,
    namespace: Option<&str>,
    validation: Validation,
    save_config: bool,
    output: &Output,
) -> Plan {
    let form = match Form::of(output) {
        Ok(form) => form,
        Err(message) => return Plan::refuse(message),
    };
    let mut plan = Plan::default();
    let mut errors = Vec::new();
    let mut writes = Vec::new();
    for read in read(manifest, namespace, validation) {
        let (kind, mut document) = match read {
            Ok(Read::Object { object, document, .. }) => (object.kind(), document),
            Ok(Read::Malformed { kind, document, .. }) => (kind, document),
            Ok(Read::Binding { pod, .. }) => {
                writes.push(Write::say(format!("binding/{} created (dry run)", pod.name)));
                continue;
            }
            Ok(Read::LeftOut { kind, name }) => {
                plan.err(left_out(&kind, &name));
                continue;
            }
            Err(message) => {
                errors.push(message);
                continue;
            }
        };
        if save_config {
            let text = saved::of_document(&document);
            saved::annotate(&mut document, &text);
        }
        let separator = match &form {
            Some(form) if form.is_separated() && !writes.is_empty() => "---\n",
            _ => "",
        };
        let name = document
            .pointer("/metadata/name")
            .and_then(Value::as_str)
            .unwrap_or_default();
        writes.push(Write::say(match &form {
            Some(form) => format!("{separator}{}", shown_value(form, &document)),
            None => format!("{} created (dry run)", object_name(kind, name)),
        }));
    }
    finish(plan, writes, errors)
}

pub(super) fn create(manifest: &str, namespace: Option<&str>, validation: Validation, save_config: bool) -> Plan {
    let mut plan = Plan::default();
    let mut writes = Vec::new();
    let mut errors = Vec::new();
    let found = read(manifest, namespace, validation);
    if found.is_empty() {
        return Plan::refuse("error: no objects passed to create");
    }
    for read in found {
        match read {
            Ok(Read::Object {
                mut object,
                unknown,
                document,
                ..
            }) => {
                if save_config {
                    saved::annotate_object(&mut object, &saved::of_document(&document));
                }
                for field in unknown {
                    plan.err(format!("Warning: unknown field {field:?}"));
                }
                // Left out by kubectl, whoever wrote it.
                object.metadata_mut().resource_version = Str::default();
                object.metadata_mut().managers = Managers::of(vec![Manager::creating("kubectl-create")]);
                let success = format!("{} created", object_name(object.kind(), "{name}"));
                writes.push(Write {
                    context: CREATING.to_owned(),
                    ..Write::new(Request::Create(object), success)
                });
            }
            Ok(Read::Malformed { kind, key, why, .. }) => writes.push(malformed(kind, key, why)),
            Ok(Read::Binding { pod, node }) => writes.push(Write {
                context: CREATING.to_owned(),
                ..Write::new(
                    Request::Bind {
                        uid: Uid::default(),
                        node: NodeName::from(&*node),
                        pod: pod.clone(),
                    },
                    format!("binding/{} created", pod.name),
                )
            }),
            Ok(Read::LeftOut { kind, name }) => plan.err(left_out(&kind, &name)),
            Err(message) => errors.push(message),
        }
    }
    finish(plan, writes, errors)
}

/// The objects of a manifest, if all of them can be read (`diff`).
pub(in super::super) fn manifest_objects(
    text: &str,
    namespace: Option<&str>,
    plan: &mut Plan,
) -> Result<Vec<Object>, String> {
    let found = read(text, namespace, Validation::Ignore);
    let mut objects = Vec::new();
    for read in found {
        match read? {
            Read::Object { object, .. } => objects.push(object),
            Read::Malformed { kind, why, .. } => return Err(undecodable(kind, &why)),
            Read::Binding { .. } => return Err(BINDING.to_owned()),
            Read::LeftOut { kind, name } => plan.err(left_out(&kind, &name)),
        }
    }
    Ok(objects)
}

/// What the server says of an object that it cannot read.
pub(super) fn undecodable(kind: Kind, why: &Rejection) -> String {
    let error = ApiError::undecodable(kind, why);
    format!("Error from server ({}): {}", error.reason, error.message)
}

/// A binding can only be made.
pub(super) const BINDING: &str =
    "Error from server (MethodNotAllowed): the server does not allow this method on the requested resource";

/// Put before what the server says of an object that is created from a manifest.
pub(super) const CREATING: &str = "error when creating \"STDIN\": ";

/// A request that the server cannot read.
pub(super) fn malformed(kind: Kind, key: ObjectKey, why: Rejection) -> Write {
    // A client that only says what it would do does not read what the server would refuse.
    let success = format!("{} created", object_name(kind, &key.name));
    Write {
        context: CREATING.into(),
        ..Write::new(Request::Malformed { kind, key, why }, success)
    }
}

pub(super) fn left_out(kind: &str, name: &str) -> String {
    format!("Warning: {kind} {name:?} is not simulated and is left out")
}
