//! `kubectl rollout undo|restart|pause|resume` (KC-108, KC-109).

use podscope_api::ordered::StableSort as _;
use podscope_api::well_known::annotation;
use std::sync::Arc;

use podscope_api::{ControllerRevision, Deployment, Kind, Object, ReplicaSet};
use podscope_cluster::Part;
use podscope_cluster::client::Write;
use serde_json::{Value, json};

use super::View;
use super::describe::print_template_section;
use super::merge::{json_merge, strategic_merge};
use super::text::TabbedText;
use super::write::{change_request, typed_name};
use crate::command::{DryRun, RolloutAction};
use crate::refusals::Refusal;

/// What `kubectl rollout` does for one object.
pub(super) enum RolloutStep {
    /// Sends a request.
    Write(Box<Write>),
    /// Only prints a line.
    Print(String),
}

/// Plans a `kubectl rollout` sub-command for one object.
pub(super) fn step(action: &RolloutAction, object: &Object, view: &View<'_>) -> Result<RolloutStep, Refusal> {
    let name = typed_name(object);
    let plural = object.kind().qualified_plural();
    let meta_name = object.metadata().name.to_string();
    let paused = matches!(object, Object::Deployment(deployment) if deployment.spec.paused == Some(true));
    let write = |done: &str, unchanged: Option<String>, patch: Value| {
        change_request(
            object,
            Part::Main,
            "kubectl-rollout",
            &format!("{name} {done}"),
            unchanged,
            move |live| Ok(json_merge(live, &patch)),
        )
        .map(|write| RolloutStep::Write(Box::new(write)))
    };
    match action {
        RolloutAction::Pause | RolloutAction::Resume => {
            let Object::Deployment(_) = object else {
                let doing = if *action == RolloutAction::Pause {
                    "pausing"
                } else {
                    "resuming"
                };
                return Err(Refusal::kubectl_error(format!(
                    "{plural} {meta_name:?} {doing} is not supported"
                )));
            };
            match (action, paused) {
                (RolloutAction::Pause, true) => Err(Refusal::kubectl_error(format!(
                    "{plural} {meta_name:?} is already paused"
                ))),
                (RolloutAction::Pause, false) => write("paused", None, json!({"spec": {"paused": true}})),
                (_, true) => write("resumed", None, json!({"spec": {"paused": null}})),
                (_, false) => Err(Refusal::kubectl_error(format!("{plural} {meta_name:?} is not paused"))),
            }
        }
        RolloutAction::Restart => {
            if paused {
                return Err(Refusal::kubectl_error(format!(
                    "{plural} {meta_name:?} can't restart paused deployment (run rollout resume first)"
                )));
            }
            if object.template().is_none()
                || !matches!(
                    object,
                    Object::Deployment(_) | Object::StatefulSet(_) | Object::DaemonSet(_)
                )
            {
                return Err(Refusal::kubectl_error(format!(
                    "{plural} {meta_name:?} restarting is not supported"
                )));
            }
            let at = podscope_api::print_rfc3339(view.now.0, 0);
            write(
                "restarted",
                None,
                json!({"spec": {"template": {"metadata": {"annotations": {"kubectl.kubernetes.io/restartedAt": at}}}}}),
            )
        }
        RolloutAction::Undo { to_revision, dry_run } => RolloutUndo {
            object,
            to_revision: *to_revision,
            paused,
            dry_run: *dry_run,
            view,
        }
        .step(),
        RolloutAction::Status { .. } | RolloutAction::History { .. } => Err(Refusal::kubectl_error("not a change")),
    }
}

/// Returns kubectl's message about a kind without revisions. `feature` is the missing feature in the message for kinds
/// that run pods, `retrieved` in the message for other kinds.
pub(super) fn no_revisions_error(kind: Kind, feature: &str, retrieved: &str) -> Refusal {
    let (group, name) = (kind.group(), kind.name());
    let qualified = kind.qualified_name();
    match name {
        "Pod" | "ReplicaSet" | "ReplicationController" | "Job" | "CronJob" => {
            Refusal::kubectl_error(format!("no {feature} has been implemented for {qualified:?}"))
        }
        _ => Refusal::kubectl_error(format!(
            "error retrieving {retrieved} for {qualified:?}, no visitor method exists for {{{group} {name}}}"
        )),
    }
}

/// Returns the pod template of a workload without the `pod-template-hash` label.
pub(super) fn template_without_hash(object: &Object) -> Value {
    let mut template = object.to_value().pointer("/spec/template").cloned().unwrap_or_default();
    if let Some(labels) = template.pointer_mut("/metadata/labels").and_then(Value::as_object_mut) {
        labels.shift_remove("pod-template-hash");
    }
    template
}

/// Prints the template to which `--dry-run=client` would roll back, in the format of `rollout history`.
fn client_dry_run(name: &str, object: &Object) -> RolloutStep {
    let intro = match object {
        Object::ReplicaSet(_) => "",
        _ => "will roll back to ",
    };
    let mut text = TabbedText::default();
    print_template_section(object, &mut text);
    let lines = text.unaligned_lines().join("\n");
    RolloutStep::Print(format!("{name} {intro}{lines}\n{}", DryRun::Client.suffix()))
}

/// `kubectl rollout undo` for one object.
struct RolloutUndo<'a> {
    object: &'a Object,
    to_revision: i64,
    paused: bool,
    dry_run: DryRun,
    view: &'a View<'a>,
}

impl RolloutUndo<'_> {
    fn step(&self) -> Result<RolloutStep, Refusal> {
        match self.object {
            Object::Deployment(deployment) => self.undo_deployment(deployment),
            Object::StatefulSet(_) | Object::DaemonSet(_) => self.undo_stateful_or_daemon_set(),
            other => Err(no_revisions_error(other.kind(), "rollbacker", "rollbacker")),
        }
    }

    /// Returns the error about a requested revision that does not exist.
    fn missing_revision_error(&self) -> Refusal {
        Refusal::kubectl_error(format!(
            "unable to find specified revision {} in history",
            self.to_revision
        ))
    }

    fn name(&self) -> String {
        typed_name(self.object)
    }

    /// Returns the message printed if the template is already that of the requested revision.
    fn skipped_message(&self) -> String {
        format!(
            "{} skipped rollback (current template already matches revision {})",
            self.name(),
            self.to_revision
        )
    }

    /// Rolls a Deployment back to the template of one of its ReplicaSets.
    fn undo_deployment(&self, deployment: &Deployment) -> Result<RolloutStep, Refusal> {
        let target = Object::ReplicaSet(self.replica_set(deployment)?.clone());
        if self.dry_run.is_client_side() {
            return Ok(client_dry_run(&self.name(), &target));
        }
        if self.paused {
            return Err(Refusal::kubectl_error(
                "you cannot rollback a paused deployment; resume it first with 'kubectl rollout resume' and try again",
            ));
        }
        let template = template_without_hash(&target);
        if self.object.to_value().pointer("/spec/template") == Some(&template) {
            return Ok(RolloutStep::Print(self.skipped_message()));
        }
        change_request(
            self.object,
            Part::Main,
            "kubectl-rollout",
            &format!("{} rolled back", self.name()),
            None,
            move |live| {
                let mut value = live.clone();
                if let Some(current) = value.pointer_mut("/spec/template") {
                    *current = template.clone();
                }
                Ok(value)
            },
        )
        .map(|write| RolloutStep::Write(Box::new(write)))
    }

    /// Returns the ReplicaSet of the requested revision; by default, of the previous revision.
    fn replica_set(&self, deployment: &Deployment) -> Result<&Arc<ReplicaSet>, Refusal> {
        let mut sets: Vec<(i64, &Arc<ReplicaSet>)> = self
            .view
            .objects
            .list_in::<ReplicaSet>(&deployment.metadata.namespace)
            .filter(|set| {
                set.metadata
                    .controller_ref()
                    .is_some_and(|owner| owner.uid == deployment.metadata.uid)
            })
            .filter_map(|set| {
                let text = set.metadata.annotation(annotation::DEPLOYMENT_REVISION)?;
                Some((text.parse().ok()?, set))
            })
            .collect();
        sets.stable_sort_by_key(|(revision, _)| *revision);
        if self.to_revision != 0 {
            let chosen = sets.iter().find(|(revision, _)| *revision == self.to_revision);
            return chosen.map(|(_, set)| *set).ok_or_else(|| self.missing_revision_error());
        }
        let index = sets.len().checked_sub(2);
        let last_but_one = index.and_then(|index| sets.get(index));
        last_but_one.map(|(_, set)| *set).ok_or_else(|| {
            Refusal::kubectl_error(format!(
                "no rollout history found for deployment {:?}",
                &*deployment.metadata.name
            ))
        })
    }

    /// Rolls a StatefulSet or DaemonSet back to the template that a ControllerRevision holds.
    fn undo_stateful_or_daemon_set(&self) -> Result<RolloutStep, Refusal> {
        let data = self.controller_revision()?.data.as_deref().cloned().unwrap_or_default();
        if self.dry_run.is_client_side()
            && let Ok(target) = podscope_api::object_from_value(&strategic_merge(&self.object.to_value(), &data))
        {
            return Ok(client_dry_run(&self.name(), &target));
        }
        change_request(
            self.object,
            Part::Main,
            "kubectl-rollout",
            &format!("{} rolled back", self.name()),
            Some(self.skipped_message()),
            move |live| Ok(strategic_merge(live, &data)),
        )
        .map(|write| RolloutStep::Write(Box::new(write)))
    }

    /// Returns the requested ControllerRevision; by default, the previous one.
    fn controller_revision(&self) -> Result<&ControllerRevision, Refusal> {
        let meta = self.object.metadata();
        let mut revisions: Vec<&ControllerRevision> = self
            .view
            .objects
            .list_in::<ControllerRevision>(&meta.namespace)
            .filter(|revision| {
                revision
                    .metadata
                    .controller_ref()
                    .is_some_and(|owner| owner.uid == meta.uid)
            })
            .map(|revision| &**revision)
            .collect();
        revisions.stable_sort_by_key(|revision| revision.revision);
        if self.to_revision > 0 {
            let chosen = revisions.iter().find(|one| one.revision == self.to_revision);
            return chosen.copied().ok_or_else(|| self.missing_revision_error());
        }
        let index = revisions.len().checked_sub(2);
        let last_but_one = index.and_then(|index| revisions.get(index));
        last_but_one
            .copied()
            .ok_or_else(|| Refusal::kubectl_error("no last revision to roll back to"))
    }
}
