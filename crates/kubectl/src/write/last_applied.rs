//! `apply set-last-applied` and `apply edit-last-applied`: change only the last-applied-configuration annotation.

use podscope_api::Object;
use podscope_api::well_known::annotation;
use podscope_cluster::client::Write;
use serde_json::{Value, json};

use super::manifest_reader::{Manifest, ManifestItem};
use super::verbatim::merge_patch;
use super::{Plan, View, finish_plan, plan_for_objects, typed_name};
use crate::command::{Target, Validation, Verbatim};
use crate::refusals::{Refusal, not_found};

/// Returns the last applied configuration of an object, if the annotation exists and is valid.
fn last_applied(object: &Object) -> Option<Value> {
    let text = object.metadata().annotation(annotation::LAST_APPLIED)?;
    serde_json::from_str(text).ok()
}

/// Returns the request that sets the annotation. `outcome` is the last word of the success message.
fn annotation_request(object: &Object, document: &Value, outcome: &str) -> Result<Write, Refusal> {
    let success = format!("{} {outcome}", typed_name(object));
    let text = format!("{}\n", super::super::gotext::json(document));
    let patch = json!({"metadata": {"annotations": {annotation::LAST_APPLIED: text}}});
    merge_patch(object, "kubectl-last-applied", &success, patch)
}

/// Plans `apply set-last-applied -f -`. The first error ends the command, and nothing is changed.
pub(super) fn plan_set_last_applied(
    text: &str,
    creates_annotation: bool,
    verbatim: &Verbatim,
    view: &View<'_>,
) -> Plan {
    let (mut plan, mut writes) = (Plan::default(), Vec::new());
    let fail = |plan: Plan, why: Refusal| finish_plan(plan, Vec::new(), vec![why]);
    for item in Manifest::read(text, verbatim.namespace.as_deref(), Validation::Ignore, view.objects).items() {
        let (kind, key, document) = match item.map(ManifestItem::into_document) {
            Ok(Some(sent)) => sent,
            Ok(None) => continue,
            Err(why) => return fail(plan, why),
        };
        let Some(live) = view.objects.get_kind(kind, &key) else {
            return fail(plan, not_found(kind, &key.name));
        };
        if live.metadata().annotation(annotation::LAST_APPLIED).is_none() && !creates_annotation {
            let why = Refusal::kubectl_error(format!(
                "no last-applied-configuration annotation found on resource: {}, to create the annotation, run the command with --create-annotation",
                key.name
            ));
            return fail(plan, why);
        }
        if last_applied(&live).as_ref() == Some(&document) {
            plan.out(format!("set-last-applied {}: no changes required.", key.name));
            continue;
        }
        match annotation_request(&live, &document, "configured") {
            Ok(write) => writes.push(write),
            Err(why) => return fail(plan, why),
        }
    }
    finish_plan(plan, writes, Vec::new())
}

/// Plans `apply edit-last-applied`.
pub(super) fn plan_edit_last_applied(target: &Target, text: &str, view: &View<'_>) -> Plan {
    let document = match podscope_api::read_documents(text) {
        (documents, None) => documents.first().map(podscope_api::Tree::to_value),
        (_, Some(why)) => return Plan::refuse(format!("error: error parsing edited-file: {why}")),
    };
    let mut document = document.unwrap_or_default();
    document.sort_all_objects();
    plan_for_objects(target, view, |object, plan, writes| {
        if last_applied(object).as_ref() == Some(&document) {
            plan.out("Edit cancelled, no changes made.");
            return Ok(());
        }
        writes.push(annotation_request(object, &document, "edited")?);
        Ok(())
    })
}
