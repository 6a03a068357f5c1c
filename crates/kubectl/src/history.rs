//! `kubectl rollout history`: lists the revisions of workloads, or prints one of them (KC-110).

use podscope_api::ordered;
use podscope_api::well_known::annotation;
use std::sync::Arc;

use podscope_api::{ControllerRevision, Object, ReplicaSet};

use super::describe::print_template_section;
use super::get::find;
use super::merge::strategic_merge;
use super::output::{ObjectFormat, object_text};
use super::text::TabbedText;
use super::{Printed, View};
use crate::command::{Output, Target};

/// One revision of a workload: the object that stores its template, and its change-cause annotation.
struct Revision {
    holder: Object,
    cause: Option<String>,
}

/// Prints the revisions of the selected objects, or the template of one revision.
pub(super) fn print_rollout_history(
    target: &Target,
    revision: i64,
    output: &Output,
    view: &View<'_>,
    printed: &mut Printed,
) {
    let format = match ObjectFormat::of(output) {
        Ok(format) => format,
        Err(message) => return printed.fail(message),
    };
    let found = match find(target, view.objects) {
        Ok(found) => found,
        Err(message) => return printed.fail(message),
    };
    for object in found.groups.iter().flat_map(|(_, objects)| objects) {
        match revisions(object, view) {
            Some(revisions) => match &format {
                Some(format) => print_revision_objects(format, &revisions, revision, printed),
                None => print_history(object, &revisions, revision, printed),
            },
            None => {
                printed.fail(super::rollout::no_revisions_error(
                    object.kind(),
                    "history viewer",
                    "history",
                ));
            }
        }
    }
    found.lookup_errors().for_each(|error| printed.fail(error));
}

/// Prints the objects that store the revisions in the format of `-o`, or only the object of the requested revision.
fn print_revision_objects(
    format: &ObjectFormat,
    revisions: &ordered::Map<i64, Revision>,
    revision: i64,
    printed: &mut Printed,
) {
    if revision > 0 && !revisions.contains_key(&revision) {
        return printed.fail("error: unable to find the specified revision");
    }
    let chosen = revisions
        .iter()
        .filter(|(number, _)| revision == 0 || **number == revision);
    for (at, (_, one)) in chosen.enumerate() {
        if at > 0 && format.has_document_separators() {
            printed.out("---");
        }
        let text = object_text(format, &one.holder);
        text.split('\n').for_each(|line| printed.out(line));
    }
}

/// Prints the table of revisions of an object, or the template of the requested revision.
fn print_history(object: &Object, revisions: &ordered::Map<i64, Revision>, revision: i64, printed: &mut Printed) {
    let name = super::write::typed_name(object);
    if revisions.is_empty() {
        printed.out(format!("{name} "));
        return printed.out("No rollout history found.");
    }
    if revision > 0 {
        let Some(one) = revisions.get(&revision) else {
            return printed.fail("error: unable to find the specified revision");
        };
        printed.out(format!("{name} with revision #{revision}"));
        // Unlike `describe`, `rollout history` prints tabs without aligning them.
        let mut text = TabbedText::default();
        print_template_section(&object_with_change_cause(one), &mut text);
        text.unaligned_lines().into_iter().for_each(|line| printed.out(line));
        return printed.out("");
    }
    printed.out(format!("{name} "));
    let mut text = TabbedText::default();
    text.line(0, "REVISION\tCHANGE-CAUSE");
    for (number, one) in revisions {
        let cause = one
            .cause
            .as_deref()
            .filter(|cause| !cause.is_empty())
            .unwrap_or("<none>");
        text.line(0, &format!("{number}\t{cause}"));
    }
    text.finish().into_iter().for_each(|line| printed.out(line));
    printed.out("");
}

/// Returns the object of a revision, with the change-cause of a ReplicaSet copied into its template, as kubectl prints
/// it.
fn object_with_change_cause(revision: &Revision) -> Object {
    let mut holder = revision.holder.clone();
    if let (Object::ReplicaSet(set), Some(cause)) = (&mut holder, &revision.cause) {
        let template = Arc::make_mut(&mut Arc::make_mut(set).spec.template);
        let annotations = Arc::make_mut(&mut template.metadata.annotations);
        annotations.insert(annotation::CHANGE_CAUSE.into(), cause.as_str().into());
    }
    holder
}

/// Returns the stored revisions of an object by number; `None` if its kind has no revisions.
fn revisions(object: &Object, view: &View<'_>) -> Option<ordered::Map<i64, Revision>> {
    let meta = object.metadata();
    let mut revisions = ordered::Map::new();
    match object {
        Object::Deployment(_) => {
            for set in view.objects.list_in::<ReplicaSet>(&meta.namespace) {
                let is_own = set.metadata.controller_ref().is_some_and(|owner| owner.uid == meta.uid);
                let number = set.metadata.annotation(annotation::DEPLOYMENT_REVISION);
                let Some(number) = number.and_then(|text| text.parse().ok()).filter(|_| is_own) else {
                    continue;
                };
                let cause = set.metadata.annotation(annotation::CHANGE_CAUSE).map(str::to_owned);
                let holder = Object::ReplicaSet(Arc::clone(set));
                revisions.insert(number, Revision { holder, cause });
            }
        }
        Object::StatefulSet(_) | Object::DaemonSet(_) => {
            for one in view.objects.list_in::<ControllerRevision>(&meta.namespace) {
                if one.metadata.controller_ref().is_none_or(|owner| owner.uid != meta.uid) {
                    continue;
                }
                let data = one.data.as_deref().cloned().unwrap_or_default();
                let restored = strategic_merge(&object.to_value(), &data);
                let holder = podscope_api::object_from_value(&restored).unwrap_or_else(|_| object.clone());
                let cause = one.metadata.annotation(annotation::CHANGE_CAUSE).map(str::to_owned);
                revisions.insert(one.revision, Revision { holder, cause });
            }
        }
        _ => return None,
    }
    Some(revisions)
}
