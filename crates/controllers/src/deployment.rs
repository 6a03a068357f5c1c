//! Deployment: a rollout moves pods from the ReplicaSet of the old template to that of the new one, within the bounds
//! of maxSurge and maxUnavailable, and can be rolled back (C-01).
//!
//! Watches Deployments, ReplicaSets and the deletion of pods; compares the template with those of its ReplicaSets;
//! scales the ReplicaSets. [`status`] computes the status and conditions, [`scaling`] the sizes of the ReplicaSets.

mod scaling;
mod status;

use podscope_api::ordered::StableSort as _;
use podscope_api::well_known::{annotation, condition};
use std::sync::Arc;

use podscope_api::{
    ConditionStatus, Deployment, DeploymentStrategyType, EventType, Extra, IntOrString, Kind, LabelSelector, Object,
    ObjectMeta, PodPhase, ReplicaSet, ReplicaSetSpec, ReplicaSetStatus, scaled_value,
};

use podscope_sim::{Change, DeleteOptions, Mutation, Part, Request};

use super::controller::{Controller, ControllerContext, note};
use super::owner::{self, controller_of, controller_ref};
use super::plan::{Accept, Action, Failure, Plan};
use super::queue::{Key, key_of};
use super::template::{Template, set_entry, with_label};
use status::ProgressConditionUpdate;

pub(super) const HASH_LABEL: &str = "pod-template-hash";
/// Annotation of a ReplicaSet with `spec.replicas` of its Deployment.
const DESIRED_REPLICAS_ANNOTATION: &str = "deployment.kubernetes.io/desired-replicas";
/// Annotation of a ReplicaSet with the maximum number of pods that its Deployment has during a rollout.
const MAX_REPLICAS_ANNOTATION: &str = "deployment.kubernetes.io/max-replicas";
/// Annotations of a Deployment that are not copied to its ReplicaSets.
const ANNOTATIONS_NOT_COPIED: &[&str] = &[
    annotation::LAST_APPLIED,
    annotation::DEPLOYMENT_REVISION,
    annotation::DEPLOYMENT_REVISION_HISTORY,
    DESIRED_REPLICAS_ANNOTATION,
    MAX_REPLICAS_ANNOTATION,
];

#[derive(Debug, Clone, Default)]
pub(super) struct DeploymentController;

/// Returns the resolved maxSurge and maxUnavailable of a rolling update (CT-061).
pub(super) fn max_surge_and_unavailable(deployment: &Deployment) -> (i32, i32) {
    let replicas = i64::from(replicas_of(deployment));
    let rolling = deployment.spec.strategy.rolling_update.clone().unwrap_or_default();
    let quarter = IntOrString::String("25%".into());
    let resolve = |value: &Option<IntOrString>, round_up: bool| {
        let value = scaled_value(value.as_ref().unwrap_or(&quarter), replicas, round_up).unwrap_or(0);
        i32::try_from(value).unwrap_or(0).max(0)
    };
    let surge = resolve(&rolling.max_surge, true);
    let unavailable = resolve(&rolling.max_unavailable, false);
    if surge == 0 && unavailable == 0 {
        (0, 1)
    } else {
        (surge, unavailable)
    }
}

/// Returns the resolved maxUnavailable: 0 for Recreate, and at most the number of replicas.
pub(super) fn max_unavailable(deployment: &Deployment) -> i32 {
    let replicas = replicas_of(deployment);
    if is_recreate(deployment) || replicas == 0 {
        return 0;
    }
    max_surge_and_unavailable(deployment).1.min(replicas)
}

fn max_surge(deployment: &Deployment) -> i32 {
    if is_recreate(deployment) {
        0
    } else {
        max_surge_and_unavailable(deployment).0
    }
}

pub(super) fn replicas_of(deployment: &Deployment) -> i32 {
    deployment.spec.replicas.unwrap_or(1)
}

fn is_recreate(deployment: &Deployment) -> bool {
    deployment.spec.strategy.kind == Some(DeploymentStrategyType::Recreate)
}

/// Returns `spec.replicas` of a ReplicaSet.
fn size(set: &ReplicaSet) -> i32 {
    set.spec.replicas.unwrap_or(1)
}

/// Returns the saturating sum of replica counts.
pub(super) fn sum(counts: impl Iterator<Item = i32>) -> i32 {
    counts.fold(0, i32::saturating_add)
}

/// Returns the revision number of a ReplicaSet; 0 if it has none.
fn revision(set: &ReplicaSet) -> i64 {
    set.metadata
        .annotation(annotation::DEPLOYMENT_REVISION)
        .and_then(|text| text.parse().ok())
        .unwrap_or(0)
}

/// The state of one sync: copies of the Deployment and its ReplicaSets, updated as requests are added to the plan.
struct Rollout<'c, 'a, 'x> {
    deployment: Deployment,
    original: Arc<Deployment>,
    new: Option<ReplicaSet>,
    old: Vec<ReplicaSet>,
    plan: Plan,
    cx: &'c ControllerContext<'a, 'x>,
}

impl Controller for DeploymentController {
    fn name(&self) -> &'static str {
        "deployment-controller"
    }

    fn watches(&self) -> &'static [Kind] {
        &[Kind::Deployment, Kind::ReplicaSet, Kind::Pod]
    }

    fn changed(&mut self, change: &Change, cx: &mut ControllerContext<'_, '_>) {
        match change.object() {
            Some(Object::Deployment(deployment)) => cx.enqueue(key_of(&**deployment)),
            Some(Object::ReplicaSet(_)) => {
                let meta = |object: &Option<Object>| object.as_ref().map(|object| object.metadata().clone());
                let (old, new) = (meta(&change.old), meta(&change.new));
                let selector = |deployment: &Deployment| deployment.spec.selector.clone();
                for key in owner::affected_owners(cx, old.as_ref(), new.as_ref(), selector) {
                    cx.enqueue(key);
                }
            }
            // A Recreate rollout waits until the last old pod has stopped (CT-064).
            Some(Object::Pod(pod)) if change.new.is_none() || pod.is_terminal() => {
                let set = controller_of::<ReplicaSet>(cx.objects, &pod.metadata);
                let deployment = set.and_then(|set| controller_of::<Deployment>(cx.objects, &set.metadata));
                if let Some(deployment) = deployment.filter(|deployment| is_recreate(deployment)) {
                    cx.enqueue(key_of(&**deployment));
                }
            }
            _ => {}
        }
    }

    fn sync(&mut self, key: &Key, cx: &mut ControllerContext<'_, '_>) -> Plan {
        let Some(original) = cx.objects.get::<Deployment>(&key.1).cloned() else {
            return Plan::default();
        };
        if cx.objects.assumed().is_left_alone(&original.metadata.uid) {
            return Plan::default();
        }
        let selector = original.spec.selector.clone().unwrap_or_default();
        if selector.is_empty() {
            let text = "This deployment is selecting all pods. A non-empty selector is required.";
            cx.emit_event(note(&*original, EventType::Warning, "SelectingAll", text));
            return Plan::default();
        }
        let candidates: Vec<Arc<ReplicaSet>> = cx.objects.list_in(&original.metadata.namespace).cloned().collect();
        let claimed = owner::claim_dependents::<Deployment, ReplicaSet>(&original, &selector, candidates);
        let mut plan = Plan::default();
        for step in claimed.steps {
            plan = plan.then(step);
        }
        let mut sets: Vec<ReplicaSet> = claimed.owned.iter().map(|set| (**set).clone()).collect();
        sets.stable_sort_by(compare_by_age);
        let template = Template::of(&original.spec.template);
        let position = sets.iter().position(|set| is_of_template(set, &template));
        let new = position.map(|position| sets.remove(position));
        let rollout = Rollout {
            deployment: (*original).clone(),
            original,
            new,
            old: sets,
            plan,
            cx,
        };
        rollout.plan_sync(&template)
    }

    fn failed(&mut self, key: &Key, failure: &Failure, cx: &mut ControllerContext<'_, '_>) -> Plan {
        let (Some(deployment), Request::Create(Object::ReplicaSet(set))) =
            (cx.objects.get::<Deployment>(&key.1), &failure.request)
        else {
            return Plan::default();
        };
        let mut updated = (**deployment).clone();
        let exists = failure.error.is_already_exists();
        let existing = cx.objects.get::<ReplicaSet>(&set.metadata.key());
        if exists {
            let template = Template::of(&deployment.spec.template);
            let is_ours = existing.is_none_or(|existing| {
                existing
                    .metadata
                    .controller_ref()
                    .is_some_and(|owner| owner.uid == deployment.metadata.uid)
                    && is_of_template(existing, &template)
            });
            if is_ours {
                return Plan::default();
            }
            // Another template has the same hash: a higher collision count changes the name of the next ReplicaSet
            // (CT-065).
            updated.status.collision_count = Some(updated.status.collision_count.unwrap_or(0) + 1);
        } else {
            let text = format!(
                "Failed to create new replica set \"{}\": {}",
                set.metadata.name, failure.error.message
            );
            cx.emit_event(note(
                &**deployment,
                EventType::Warning,
                "ReplicaSetCreateError",
                text.clone(),
            ));
            if !status::has_deadline(deployment) {
                return Plan::default();
            }
            status::set_condition(
                &mut updated.status,
                condition::PROGRESSING,
                ConditionStatus::False,
                "ReplicaSetCreateError",
                &text,
                cx.time(),
            );
        }
        Plan::one(Request::Update(Object::Deployment(Arc::new(updated)), Part::Status))
    }
}

/// Compares two ReplicaSets by creation time, then by name.
fn compare_by_age(left: &ReplicaSet, right: &ReplicaSet) -> std::cmp::Ordering {
    let key = |set: &ReplicaSet| (set.metadata.creation_timestamp, set.metadata.name.clone());
    key(left).cmp(&key(right))
}

/// Returns whether a ReplicaSet has this template, ignoring the hash label.
fn is_of_template(set: &ReplicaSet, template: &Template) -> bool {
    let mut set_template = Template::of(&set.spec.template);
    if set_template.0.metadata.labels.contains_key(HASH_LABEL) {
        Arc::make_mut(&mut Arc::make_mut(&mut set_template.0).metadata.labels).remove(HASH_LABEL);
    }
    let mut expected = template.clone();
    if expected.0.metadata.labels.contains_key(HASH_LABEL) {
        Arc::make_mut(&mut Arc::make_mut(&mut expected.0).metadata.labels).remove(HASH_LABEL);
    }
    set_template == expected
}

impl Rollout<'_, '_, '_> {
    /// Returns the requests of one sync of the Deployment.
    fn plan_sync(mut self, template: &Template) -> Plan {
        if self.deployment.metadata.is_terminating() {
            self.sync_revision(None);
            return self.finish_sync(ProgressConditionUpdate::Keep);
        }
        self.update_paused_condition();
        let paused = self.deployment.spec.paused == Some(true);
        if paused || self.is_scaling() {
            self.sync_revision(None);
            self.scale_proportionally();
            if paused {
                self.delete_surplus_replica_sets();
            }
            return self.finish_sync(ProgressConditionUpdate::Keep);
        }
        if is_recreate(&self.deployment) {
            self.recreate(template)
        } else {
            self.roll(template)
        }
    }

    /// Rolls the Deployment with the strategy RollingUpdate: scales up the new ReplicaSet, or otherwise scales down old
    /// ones (CT-062).
    fn roll(mut self, template: &Template) -> Plan {
        self.sync_revision(Some(template));
        if self.scale_up_new_replica_set() || self.scale_down_old_replica_sets() {
            return self.finish_sync(ProgressConditionUpdate::Report);
        }
        if status::is_complete(&self.deployment, &self.deployment.status) {
            self.delete_surplus_replica_sets();
        }
        self.finish_sync(ProgressConditionUpdate::Report)
    }

    /// Rolls the Deployment with the strategy Recreate: creates new pods after all old ones have stopped (CT-064).
    fn recreate(mut self, template: &Template) -> Plan {
        self.sync_revision(None);
        let mut was_scaled = false;
        for index in 0..self.old.len() {
            was_scaled |= size(&self.old[index]) > 0 && self.scale_old_replica_set(index, 0);
        }
        if was_scaled || self.has_running_old_pods() {
            return self.finish_sync(ProgressConditionUpdate::Report);
        }
        if self.new.is_none() {
            self.sync_revision(Some(template));
        }
        self.scale_new_replica_set(replicas_of(&self.deployment));
        if status::is_complete(&self.deployment, &self.deployment.status) {
            self.delete_surplus_replica_sets();
        }
        self.finish_sync(ProgressConditionUpdate::Report)
    }

    fn has_running_old_pods(&self) -> bool {
        self.old.iter().any(|set| {
            set.status.replicas > 0
                || self
                    .cx
                    .objects
                    .pods_of(&set.metadata.uid)
                    .any(|pod| !matches!(pod.status.phase, Some(PodPhase::Failed | PodPhase::Succeeded)))
        })
    }

    fn all_replica_sets(&self) -> impl Iterator<Item = &ReplicaSet> {
        self.old.iter().chain(&self.new)
    }

    /// Updates the new ReplicaSet; if it does not exist, creates it from `create_from`, if given. Also updates the
    /// revision numbers (CT-065).
    fn sync_revision(&mut self, create_from: Option<&Template>) {
        let next = self.old.iter().map(revision).max().unwrap_or(0) + 1;
        if let Some(mut set) = self.new.take() {
            let before = set.clone();
            self.annotate_replica_set(&mut set, next, true);
            set.spec.min_ready_seconds = self.deployment.spec.min_ready_seconds;
            if set != before {
                self.update_replica_set(&set, None);
            }
            let current = revision(&set).to_string();
            self.set_deployment_revision(&current);
            if status::has_deadline(&self.deployment)
                && status::find_condition(&self.deployment.status, condition::PROGRESSING).is_none()
            {
                let text = format!("Found new replica set \"{}\"", set.metadata.name);
                self.set_progressing_condition(ConditionStatus::True, "FoundNewReplicaSet", &text);
            }
            self.new = Some(set);
            return;
        }
        let Some(template) = create_from else { return };
        let hash = template.hash(self.deployment.status.collision_count);
        let mut labelled_template = template.clone();
        let meta = &mut Arc::make_mut(&mut labelled_template.0).metadata;
        meta.labels = with_label(&meta.labels, HASH_LABEL, &hash);
        let mut selector: LabelSelector = self.deployment.spec.selector.clone().unwrap_or_default();
        selector.match_labels.insert(HASH_LABEL.into(), hash.as_str().into());
        let name = format!("{}-{hash}", self.deployment.metadata.name);
        let mut set = ReplicaSet {
            metadata: ObjectMeta {
                name: name.as_str().into(),
                namespace: self.deployment.metadata.namespace.clone(),
                labels: labelled_template.0.metadata.labels.clone(),
                owner_references: vec![controller_ref(&self.deployment)],
                ..ObjectMeta::default()
            },
            spec: ReplicaSetSpec {
                replicas: Some(0),
                min_ready_seconds: self.deployment.spec.min_ready_seconds,
                selector: Some(selector),
                template: labelled_template.0,
            },
            status: ReplicaSetStatus::default(),
            extra: Extra::default(),
        };
        let others = sum(self.old.iter().map(size));
        let replicas = self.allowed_size_of_new_replica_set(others, 0);
        set.spec.replicas = Some(replicas);
        self.annotate_replica_set(&mut set, next, false);
        let mut create = Action::from(Request::Create(Object::ReplicaSet(Arc::new(set.clone()))));
        if replicas > 0 {
            let text = format!("Scaled up replica set {name} from 0 to {replicas}");
            create = create.on_success(note(&self.deployment, EventType::Normal, "ScalingReplicaSet", text));
        }
        self.push_plan_step(vec![create]);
        self.set_deployment_revision(&next.to_string());
        if status::has_deadline(&self.deployment) {
            let text = format!("Created new replica set \"{name}\"");
            self.set_progressing_condition(ConditionStatus::True, "NewReplicaSetCreated", &text);
        }
        self.new = Some(set);
    }

    /// Copies the Deployment's annotations to a ReplicaSet, and updates its revision.
    fn annotate_replica_set(&self, set: &mut ReplicaSet, next_revision: i64, exists: bool) {
        for (key, value) in self.deployment.metadata.annotations.iter() {
            let assumed = self.cx.objects.assumed();
            let is_known = exists && assumed.had_annotation(&self.deployment.metadata.uid, key, value);
            if !ANNOTATIONS_NOT_COPIED.contains(&&**key) && !is_known {
                set_entry(&mut set.metadata.annotations, key, value);
            }
        }
        let old = revision(set);
        if old < next_revision {
            set_entry(
                &mut set.metadata.annotations,
                annotation::DEPLOYMENT_REVISION,
                &next_revision.to_string(),
            );
            if old > 0 {
                let history = match set.metadata.annotation(annotation::DEPLOYMENT_REVISION_HISTORY) {
                    Some(history) if !history.is_empty() => format!("{history},{old}"),
                    _ => old.to_string(),
                };
                set_entry(
                    &mut set.metadata.annotations,
                    annotation::DEPLOYMENT_REVISION_HISTORY,
                    &history,
                );
            }
        }
        if !exists {
            self.annotate_desired_and_max_replicas(set);
        }
    }

    /// Writes the desired and the maximum number of pods into a ReplicaSet's annotations; returns whether they changed.
    fn annotate_desired_and_max_replicas(&self, set: &mut ReplicaSet) -> bool {
        let replicas = replicas_of(&self.deployment);
        let max = replicas.saturating_add(max_surge(&self.deployment));
        let desired = set_entry(
            &mut set.metadata.annotations,
            DESIRED_REPLICAS_ANNOTATION,
            &replicas.to_string(),
        );
        set_entry(&mut set.metadata.annotations, MAX_REPLICAS_ANNOTATION, &max.to_string()) || desired
    }

    fn set_deployment_revision(&mut self, revision: &str) {
        set_entry(
            &mut self.deployment.metadata.annotations,
            annotation::DEPLOYMENT_REVISION,
            revision,
        );
    }

    fn set_progressing_condition(&mut self, value: ConditionStatus, reason: &str, text: &str) {
        let now = self.cx.time();
        status::set_condition(
            &mut self.deployment.status,
            condition::PROGRESSING,
            value,
            reason,
            text,
            now,
        );
    }

    fn push_plan_step(&mut self, step: Vec<Action>) {
        self.plan = std::mem::take(&mut self.plan).then(step);
    }

    fn update_replica_set(&mut self, set: &ReplicaSet, event: Option<String>) {
        let mut action = Action::from(Request::Update(Object::ReplicaSet(Arc::new(set.clone())), Part::Main));
        if let Some(text) = event {
            action = action.on_success(note(&self.deployment, EventType::Normal, "ScalingReplicaSet", text));
        }
        self.push_plan_step(vec![action]);
    }

    /// Deletes old ReplicaSets beyond the history limit (10 by default).
    fn delete_surplus_replica_sets(&mut self) {
        let limit = usize::try_from(self.deployment.spec.revision_history_limit.unwrap_or(10)).unwrap_or(0);
        let mut live_sets: Vec<&ReplicaSet> = self.old.iter().filter(|set| !set.metadata.is_terminating()).collect();
        let surplus = live_sets.len().saturating_sub(limit);
        live_sets.stable_sort_by_key(|set| revision(set));
        let delete = live_sets.into_iter().take(surplus).filter(|set| {
            set.status.replicas == 0 && size(set) == 0 && set.metadata.generation <= set.status.observed_generation
        });
        let step = delete
            .map(|set| {
                Action::from(Request::Delete {
                    kind: Kind::ReplicaSet,
                    key: set.metadata.key(),
                    options: DeleteOptions::default(),
                })
                .accept(Accept::OrNotFound)
            })
            .collect();
        self.push_plan_step(step);
    }

    /// Updates the condition Progressing if the Deployment was paused or resumed.
    fn update_paused_condition(&mut self) {
        if !status::has_deadline(&self.deployment) {
            return;
        }
        let reason = status::find_condition(&self.deployment.status, condition::PROGRESSING)
            .map(|condition| condition.reason.clone());
        let was_paused = reason.as_deref() == Some("DeploymentPaused");
        if reason.as_deref() == Some("ProgressDeadlineExceeded") {
            return;
        }
        match (self.deployment.spec.paused == Some(true), was_paused) {
            (true, false) => {
                self.set_progressing_condition(ConditionStatus::Unknown, "DeploymentPaused", "Deployment is paused")
            }
            (false, true) => {
                self.set_progressing_condition(ConditionStatus::Unknown, "DeploymentResumed", "Deployment is resumed")
            }
            _ => {}
        }
    }

    /// Updates the status, and schedules a sync for the time when the progress deadline may have passed. A new revision
    /// and the conditions are written first, through the status subresource, as in `getNewReplicaSet`.
    fn finish_sync(mut self, progress: ProgressConditionUpdate) -> Plan {
        let old: Vec<&ReplicaSet> = self.old.iter().collect();
        let now = self.cx.time();
        let next = status::compute_status(&self.deployment, self.new.as_ref(), &old, progress, now);
        let requeue = status::progress_recheck_delay(&self.deployment, &next, self.cx.ctx.wall());
        let mut updated = (*self.original).clone();
        let revision = self.deployment.metadata.annotation(annotation::DEPLOYMENT_REVISION);
        let is_status_changed = status::has_changed(&next, &self.original.status);
        if let Some(revision) = revision
            .filter(|revision| self.original.metadata.annotation(annotation::DEPLOYMENT_REVISION) != Some(revision))
        {
            set_entry(
                &mut updated.metadata.annotations,
                annotation::DEPLOYMENT_REVISION,
                revision,
            );
            updated.status.conditions = self.deployment.status.conditions.clone();
            self.push_plan_step(vec![status_update(updated)]);
            if is_status_changed {
                let patch = Request::Patch {
                    kind: Kind::Deployment,
                    key: self.original.metadata.key(),
                    uid: Some(self.original.metadata.uid.clone()),
                    part: Part::Status,
                    change: Mutation::new("status", move |deployment: &mut Deployment| {
                        deployment.status.clone_from(&next);
                    }),
                };
                self.push_plan_step(vec![patch.into()]);
            }
        } else if is_status_changed {
            updated.status = next;
            self.push_plan_step(vec![status_update(updated)]);
        }
        self.plan.requeue_after(requeue)
    }
}

fn status_update(deployment: Deployment) -> Action {
    Request::Update(Object::Deployment(Arc::new(deployment)), Part::Status).into()
}
