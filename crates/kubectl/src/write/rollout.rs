//! `kubectl rollout`, planned for each object of a target.

use podscope_api::well_known::annotation;
use podscope_api::{Kind, Object};
use podscope_cluster::client::{ClientCommand, RolloutStatus};

use super::super::rollout::{RolloutStep, step};
use super::{NotFoundErrorPosition, Plan, View, plan_for_objects_and_errors, plan_nothing_found};
use crate::command::{RolloutAction, Selection, Target};
use crate::refusals::Refusal;

/// Plans a `kubectl rollout` sub-command for all objects of a target.
pub(super) fn plan(action: &RolloutAction, target: &Target, view: &View<'_>) -> Plan {
    // kubectl looks up all objects before it patches them, so NotFound errors come first.
    let position = match action {
        RolloutAction::Pause | RolloutAction::Resume | RolloutAction::Restart => NotFoundErrorPosition::First,
        _ => NotFoundErrorPosition::Last,
    };
    let plan = plan_for_objects_and_errors(position, target, view, |object, plan, writes| {
        match action {
            RolloutAction::Status {
                revision,
                watch,
                timeout,
            } => {
                let rollout = RolloutStatus {
                    kind: object.kind(),
                    key: object.key(),
                    watch: *watch,
                    timeout: *timeout,
                };
                return add_watched_rollout(rollout, *revision, object, plan);
            }
            RolloutAction::Undo { .. } => warn_about_undo(object, plan),
            _ => {}
        }
        match step(action, object, view)? {
            RolloutStep::Write(write) => writes.push(*write),
            RolloutStep::Print(text) => text.lines().for_each(|line| plan.out(line)),
        }
        Ok(())
    });
    let is_undo = matches!(action, RolloutAction::Undo { .. });
    match &target.selection {
        Selection::Kinds { names, .. } if plan.is_empty() && names.is_empty() && !is_undo => plan_nothing_found(target),
        _ => plan,
    }
}

/// `rollout status`: adds the rollout to those that the client watches. Fails for a kind without rollout status, and
/// for a Deployment with another revision than that of `--revision`.
fn add_watched_rollout(rollout: RolloutStatus, revision: i64, object: &Object, plan: &mut Plan) -> Result<(), Refusal> {
    if !matches!(object.kind(), Kind::Deployment | Kind::StatefulSet | Kind::DaemonSet) {
        let kind = object.kind().name();
        return Err(Refusal::kubectl_error(format!(
            "no status viewer has been implemented for {kind}"
        )));
    }
    if let Object::Deployment(one) = object
        && let Some(running) = one.metadata.annotation(annotation::DEPLOYMENT_REVISION)
        && revision > 0
        && running != revision.to_string()
    {
        return Err(Refusal::kubectl_error(format!(
            "desired revision ({revision}) is different from the running revision ({running})"
        )));
    }
    match &mut plan.client {
        Some(ClientCommand::RolloutStatus(rollouts)) => rollouts.push(rollout),
        client => *client = Some(ClientCommand::RolloutStatus(vec![rollout])),
    }
    Ok(())
}

/// Warns that `rollout undo` does not update the last-applied annotation.
fn warn_about_undo(object: &Object, plan: &mut Plan) {
    let last_applied = annotation::LAST_APPLIED;
    if object.metadata().annotation(last_applied).is_some() {
        let (plural, name) = (object.kind().plural(), &object.metadata().name);
        plan.warn(format_args!("resource {plural}/{name} was previously managed with 'kubectl apply'. Rolling back will not update the {last_applied} annotation, which may cause unexpected behavior on future 'kubectl apply' operations. Consider using 'kubectl apply' with your previous configuration file instead."));
    }
}
