//! `kubectl rollout undo|restart|pause|resume` (KC-108, KC-109).

use podscope_api::ordered::StableSort as _;
use std::sync::Arc;

use podscope_api::{ControllerRevision, Kind, Object, ReplicaSet};
use podscope_cluster::Part;
use podscope_cluster::client::Write;
use serde_json::{Value, json};

use super::View;
use super::describe::template;
use super::merge::{json_merge, strategic};
use super::text::Elastic;
use super::write::{change, typed_name};
use crate::command::{DryRun, RolloutAction};

/// What is done.
pub(super) enum Act {
    /// A request.
    Write(Box<Write>),
    /// Nothing but a line.
    Say(String),
}

pub(super) fn act(action: &RolloutAction, object: &Object, view: &View<'_>) -> Result<Act, String> {
    let name = typed_name(object);
    let plural = object.kind().qualified_plural();
    let meta_name = object.metadata().name.to_string();
    let paused = matches!(object, Object::Deployment(deployment) if deployment.spec.paused == Some(true));
    let write = |word: &str, unchanged: Option<String>, patch: Value| {
        change(
            object,
            Part::Main,
            "kubectl-rollout",
            &format!("{name} {word}"),
            unchanged,
            move |live| Ok(json_merge(live, &patch)),
        )
        .map(|write| Act::Write(Box::new(write)))
    };
    match action {
        RolloutAction::Pause | RolloutAction::Resume => {
            let Object::Deployment(_) = object else {
                let word = if *action == RolloutAction::Pause {
                    "pausing"
                } else {
                    "resuming"
                };
                return Err(format!("error: {plural} {meta_name:?} {word} is not supported"));
            };
            match (action, paused) {
                (RolloutAction::Pause, true) => Err(format!("error: {plural} {meta_name:?} is already paused")),
                (RolloutAction::Pause, false) => write("paused", None, json!({"spec": {"paused": true}})),
                (_, true) => write("resumed", None, json!({"spec": {"paused": null}})),
                (_, false) => Err(format!("error: {plural} {meta_name:?} is not paused")),
            }
        }
        RolloutAction::Restart => {
            if paused {
                return Err(format!(
                    "error: {plural} {meta_name:?} can't restart paused deployment (run rollout resume first)"
                ));
            }
            if object.template().is_none()
                || !matches!(
                    object,
                    Object::Deployment(_) | Object::StatefulSet(_) | Object::DaemonSet(_)
                )
            {
                return Err(format!("error: {plural} {meta_name:?} restarting is not supported"));
            }
            let at = podscope_api::print_rfc3339(view.now.0, 0);
            write(
                "restarted",
                None,
                json!({"spec": {"template": {"metadata": {"annotations": {"kubectl.kubernetes.io/restartedAt": at}}}}}),
            )
        }
        RolloutAction::Undo { to_revision, dry_run } => undo(object, *to_revision, paused, *dry_run, view),
        RolloutAction::Status { .. } | RolloutAction::History { .. } => Err("error: not a change".into()),
    }
}

/// What kubectl says of a kind whose revisions it does not know: of some it knows that they hold pods.
pub(super) fn not_implemented(kind: Kind, what: &str, retrieved: &str) -> String {
    let (group, name) = (kind.group(), kind.name());
    let qualified = kind.qualified_name();
    match name {
        "Pod" | "ReplicaSet" | "ReplicationController" | "Job" | "CronJob" => {
            format!("error: no {what} has been implemented for {qualified:?}")
        }
        _ => format!(
            "error: error retrieving {retrieved} for {qualified:?}, no visitor method exists for {{{group} {name}}}"
        ),
    }
}

/// The pod template of a workload without the label that tells its revisions apart.
pub(super) fn bare_template(object: &Object) -> Value {
    let mut template = object.to_value().pointer("/spec/template").cloned().unwrap_or_default();
    if let Some(labels) = template.pointer_mut("/metadata/labels").and_then(Value::as_object_mut) {
        labels.shift_remove("pod-template-hash");
    }
    template
}

/// With `--dry-run=client` the template that would be gone back to is told, in `history`'s form.
fn rehearsal(name: &str, object: &Object) -> Act {
    let told = match object {
        Object::ReplicaSet(_) => "",
        _ => "will roll back to ",
    };
    let mut text = Elastic::default();
    template(object, &mut text);
    let lines = text.raw().join("\n");
    Act::Say(format!("{name} {told}{lines}\n{}", DryRun::Client.suffix()))
}

fn undo(object: &Object, to_revision: i64, paused: bool, dry_run: DryRun, view: &View<'_>) -> Result<Act, String> {
    let name = typed_name(object);
    let missing = || format!("error: unable to find specified revision {to_revision} in history");
    match object {
        Object::Deployment(deployment) => {
            let mut sets: Vec<(i64, &Arc<ReplicaSet>)> = view
                .objects
                .list_in::<ReplicaSet>(&deployment.metadata.namespace)
                .filter(|set| {
                    set.metadata
                        .controller_ref()
                        .is_some_and(|owner| owner.uid == deployment.metadata.uid)
                })
                .filter_map(|set| {
                    let text = set.metadata.annotation("deployment.kubernetes.io/revision")?;
                    Some((text.parse().ok()?, set))
                })
                .collect();
            sets.stable_sort_by_key(|(revision, _)| *revision);
            let chosen = if to_revision != 0 {
                sets.iter()
                    .find(|(revision, _)| *revision == to_revision)
                    .ok_or_else(missing)?
            } else {
                let place = sets.len().checked_sub(2);
                place.and_then(|place| sets.get(place)).ok_or_else(|| {
                    format!(
                        "error: no rollout history found for deployment {:?}",
                        &*deployment.metadata.name
                    )
                })?
            };
            let holder = Object::ReplicaSet(chosen.1.clone());
            if dry_run.is_of_client() {
                return Ok(rehearsal(&name, &holder));
            }
            if paused {
                return Err("error: you cannot rollback a paused deployment; resume it first with 'kubectl rollout resume' and try again".to_owned());
            }
            let template = bare_template(&holder);
            if object.to_value().pointer("/spec/template") == Some(&template) {
                return Ok(Act::Say(format!(
                    "{name} skipped rollback (current template already matches revision {to_revision})"
                )));
            }
            change(
                object,
                Part::Main,
                "kubectl-rollout",
                &format!("{name} rolled back"),
                None,
                move |live| {
                    let mut value = live.clone();
                    if let Some(slot) = value.pointer_mut("/spec/template") {
                        *slot = template.clone();
                    }
                    Ok(value)
                },
            )
            .map(|write| Act::Write(Box::new(write)))
        }
        Object::StatefulSet(_) | Object::DaemonSet(_) => {
            let uid = &object.metadata().uid;
            let mut revisions: Vec<&ControllerRevision> = view
                .objects
                .list_in::<ControllerRevision>(&object.metadata().namespace)
                .filter(|revision| {
                    revision
                        .metadata
                        .controller_ref()
                        .is_some_and(|owner| owner.uid == *uid)
                })
                .map(|revision| &**revision)
                .collect();
            revisions.stable_sort_by_key(|revision| revision.revision);
            let chosen = if to_revision > 0 {
                revisions
                    .iter()
                    .find(|one| one.revision == to_revision)
                    .ok_or_else(missing)?
            } else {
                let place = revisions.len().checked_sub(2);
                place
                    .and_then(|place| revisions.get(place))
                    .ok_or("error: no last revision to roll back to")?
            };
            let data = chosen.data.as_deref().cloned().unwrap_or_default();
            if dry_run.is_of_client()
                && let Ok(then) = podscope_api::object_from_value(&strategic(&object.to_value(), &data))
            {
                return Ok(rehearsal(&name, &then));
            }
            change(
                object,
                Part::Main,
                "kubectl-rollout",
                &format!("{name} rolled back"),
                Some(format!(
                    "{name} skipped rollback (current template already matches revision {to_revision})"
                )),
                move |live| Ok(strategic(live, &data)),
            )
            .map(|write| Act::Write(Box::new(write)))
        }
        other => Err(not_implemented(other.kind(), "rollbacker", "rollbacker")),
    }
}
