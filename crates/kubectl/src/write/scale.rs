//! `kubectl scale`: changes the number of replicas (KC-098).

use podscope_cluster::{Part, Request};
use serde_json::Value;

use super::super::merge::json_merge;
use super::{Plan, View, change_request, plan_for_objects, typed_name};
use crate::command::Target;
use crate::refusals::{Refusal, api_error, no_subresource};
use crate::scale::ScaleSubresource;

/// Plans `kubectl scale`.
pub(super) fn plan_scale(
    target: &Target,
    replicas: i32,
    current_replicas: Option<i32>,
    resource_version: Option<&str>,
    view: &View<'_>,
) -> Plan {
    // The first object that cannot be scaled ends the command, after the objects before it have been scaled.
    let mut has_failed = false;
    let plan = plan_for_objects(target, view, |object, _, writes| {
        if std::mem::replace(&mut has_failed, true) {
            return Ok(());
        }
        let Some(scale) = ScaleSubresource::of_kind(object.kind(), view.objects) else {
            return Err(no_subresource(object));
        };
        let present = scale.scale(object).map_err(api_error)?;
        let have = present.pointer("/spec/replicas").and_then(Value::as_i64).unwrap_or(0);
        if let Some(current) = current_replicas.filter(|current| i64::from(*current) != have) {
            return Err(Refusal::kubectl_error(format!(
                "Expected replicas to be {current}, was {have}"
            )));
        }
        let actual_version = &object.metadata().resource_version;
        if let Some(version) = resource_version.filter(|version| **version != **actual_version) {
            return Err(Refusal::kubectl_error(format!(
                "Expected resource version to be {version}, was {actual_version}"
            )));
        }
        let mut write = change_request(
            object,
            Part::Main,
            "kubectl",
            &format!("{} scaled", typed_name(object)),
            None,
            move |live| Ok(json_merge(live, &scale.patch(i64::from(replicas)))),
        )?;
        if let Some(Request::Patch { change, .. }) = &mut write.request {
            *change = change.clone().with_subresource("scale");
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
