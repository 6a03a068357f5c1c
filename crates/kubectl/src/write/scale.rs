//! `kubectl scale`: changes the number of replicas (KC-098).

use podscope_cluster::{Part, Request};
use serde_json::{Value, json};

use super::super::merge::json_merge;
use super::{Plan, View, change, typed_name, with_objects};
use crate::command::Target;
use crate::refusals::{NO_SUCH_RESOURCE, Refusal};
use crate::scale::has_scale;

pub(super) fn scale(
    target: &Target,
    replicas: i32,
    current: Option<i32>,
    version: Option<&str>,
    view: &View<'_>,
) -> Plan {
    // The first object that cannot be scaled ends the command. The objects before it are scaled.
    let mut has_failed = false;
    let plan = with_objects(target, view, |object, _, writes| {
        if std::mem::replace(&mut has_failed, true) {
            return Ok(());
        }
        if !has_scale(object.kind()) {
            return Err(Refusal::as_is(NO_SUCH_RESOURCE));
        }
        let typed = object.typed_value();
        let have = typed.pointer("/spec/replicas").and_then(Value::as_i64).unwrap_or(1);
        if let Some(current) = current.filter(|current| i64::from(*current) != have) {
            return Err(Refusal::kubectl_error(format!(
                "Expected replicas to be {current}, was {have}"
            )));
        }
        let actual_version = &object.metadata().resource_version;
        if let Some(version) = version.filter(|version| **version != **actual_version) {
            return Err(Refusal::kubectl_error(format!(
                "Expected resource version to be {version}, was {actual_version}"
            )));
        }
        let mut write = change(
            object,
            Part::Main,
            "kubectl",
            &format!("{} scaled", typed_name(object)),
            None,
            move |live| Ok(json_merge(live, &json!({"spec": {"replicas": replicas}}))),
        )?;
        if let Some(Request::Patch { change, .. }) = &mut write.request {
            *change = change.clone().through("scale");
        }
        writes.push(write);
        has_failed = false;
        Ok(())
    });
    match plan.is_empty() {
        true => Plan::refuse("error: no objects passed to scale"),
        false => plan,
    }
}
