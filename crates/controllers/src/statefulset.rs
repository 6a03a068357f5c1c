//! StatefulSet: at most one pod object per identity, in order (C-02).
//!
//! Watches StatefulSets and pods; compares the slots `start .. start+replicas` with the pods that occupy them; creates
//! missing pods, deletes pods beyond the range, and replaces pods of an old revision. The states of an identity:
//!
//! ```text
//! Empty --create--> Occupied(uid) --deletionTimestamp--> Terminating(uid) --removed by the kubelet--> Empty
//! \______________ force delete (asserts that the pod is dead) _______________________/
//! ```
//!
//! Safety rests on the uniqueness of names in the API server (CT-070, CT-071, CT-085). [`claims`] handles the claims
//! and their retention.

mod claims;

use podscope_api::ordered;
use podscope_api::ordered::StableSort as _;
use podscope_api::well_known::condition;
use std::sync::Arc;

use podscope_api::{
    ConditionStatus, ControllerRevision, EventType, Kind, Node, Object, Pod, PodManagementPolicy, PodPhase,
    StatefulSet, StatefulSetStatus, Str, UpdateStrategyType,
};

use podscope_sim::{Change, DeleteOptions, MAX_OBJECTS_OF_KIND, Part, Request};

use super::controller::{Controller, ControllerContext, note};
use super::owner::{self, controller_ref};
use super::plan::{Accept, Action, Plan};
use super::pod_util::{is_available, next_available_in};
use super::queue::{Key, key_of};
use super::revision::{self, REVISION_LABEL};
use super::template::{Template, set_entry};

const POD_NAME_LABEL: &str = "statefulset.kubernetes.io/pod-name";
const POD_INDEX_LABEL: &str = "apps.kubernetes.io/pod-index";

#[derive(Debug, Clone, Default)]
pub(super) struct StatefulSetController;

/// Returns the ordinal of a pod of the set, parsed from the pod's name.
pub(super) fn ordinal_of(set: &StatefulSet, pod: &str) -> Option<i32> {
    let digits = pod.strip_prefix(&*set.metadata.name)?.strip_prefix('-')?;
    let ordinal: i32 = digits.parse().ok()?;
    (ordinal >= 0 && ordinal.to_string() == digits).then_some(ordinal)
}

fn first_ordinal(set: &StatefulSet) -> i32 {
    set.spec.ordinals.as_ref().map_or(0, |ordinals| ordinals.start)
}

fn revision_of(pod: &Pod) -> &str {
    pod.metadata.label(REVISION_LABEL).unwrap_or_default()
}

fn is_running_and_ready(pod: &Pod) -> bool {
    pod.status.phase == Some(PodPhase::Running) && pod.is_ready()
}

impl Controller for StatefulSetController {
    fn name(&self) -> &'static str {
        "statefulset-controller"
    }

    fn watches(&self) -> &'static [Kind] {
        &[Kind::StatefulSet, Kind::Pod, Kind::Node]
    }

    fn waits_for_own_writes(&self) -> bool {
        true
    }

    fn changed(&mut self, change: &Change, cx: &mut ControllerContext<'_, '_>) {
        match change.object() {
            Some(Object::StatefulSet(set)) => cx.enqueue(key_of(&**set)),
            Some(Object::Pod(_)) => {
                let (old, new) = owner::pods_of_change(change);
                let selector = |set: &StatefulSet| set.spec.selector.clone();
                let (old, new) = (old.map(|pod| &pod.metadata), new.map(|pod| &pod.metadata));
                for key in owner::affected_owners(cx, old, new, selector) {
                    cx.enqueue(key);
                }
            }
            // Node changes matter only with the switch that replaces pods of unreachable nodes (F-20).
            Some(Object::Node(node)) if cx.ctx.switches.statefulset_replaces_unreachable => {
                let name = node.metadata.name.as_ref().into();
                let sets: Vec<Key> = cx
                    .objects
                    .pods_on(&name)
                    .filter_map(|pod| owner::controller_of::<StatefulSet>(cx.objects, &pod.metadata))
                    .map(|set| key_of(&**set))
                    .collect();
                for key in sets {
                    cx.enqueue(key);
                }
            }
            _ => {}
        }
    }

    fn sync(&mut self, key: &Key, cx: &mut ControllerContext<'_, '_>) -> Plan {
        let Some(set) = cx.objects.get::<StatefulSet>(&key.1).cloned() else {
            return Plan::default();
        };
        if cx.objects.assumed().is_left_alone(&set.metadata.uid) {
            return Plan::default();
        }
        let selector = set.spec.selector.clone().unwrap_or_default();
        let claimed = owner::claim_dependents::<StatefulSet, Pod>(&set, &selector, owner::pod_candidates(cx, &*set));
        let mut plan = Plan::default();
        for step in claimed.steps {
            plan = plan.then(step);
        }
        let template = Template::of(&set.spec.template);
        let history = revision::revision_history(cx.objects, &*set, &template, set.status.collision_count);
        plan = plan.then(history.action.clone().into_iter().collect());
        let current = history
            .all
            .iter()
            .find(|revision| revision.metadata.name == set.status.current_revision);
        let current = current.unwrap_or(&history.update).clone();
        let sync = StatefulSetSync {
            pods: claimed
                .owned
                .into_iter()
                .filter(|pod| ordinal_of(&set, &pod.metadata.name).is_some())
                .collect(),
            current_template: revision::template_of(&current, &template),
            current,
            update: history.update.clone(),
            template,
            set: set.clone(),
            cx,
        };
        let live: ordered::Set<Str> = sync
            .pods
            .iter()
            .map(|pod| revision_of(pod).into())
            .chain([sync.current.metadata.name.clone()])
            .collect();
        let mut status = sync.status();
        let requeue = next_available_in(&sync.pods, set.spec.min_ready_seconds, sync.cx.ctx.wall());
        if !set.metadata.is_terminating() {
            plan = sync.reconcile(plan, &mut status);
        }
        complete_rolling_update(&set, &mut status);
        if status != set.status {
            let mut updated = (*set).clone();
            updated.status = status;
            let update = Request::Update(Object::StatefulSet(Arc::new(updated)), Part::Status);
            plan = plan.then_action(Action::from(update).even_after_failure());
        }
        plan.then(revision::truncate_history(
            &history,
            set.spec.revision_history_limit,
            &live,
        ))
        .requeue_after(requeue)
    }
}

/// The state of one sync of one StatefulSet.
struct StatefulSetSync<'c, 'a, 'x> {
    set: Arc<StatefulSet>,
    pods: Vec<Arc<Pod>>,
    current: Arc<ControllerRevision>,
    update: Arc<ControllerRevision>,
    current_template: Template,
    template: Template,
    cx: &'c mut ControllerContext<'a, 'x>,
}

/// The plan after a step of a sync, and whether the sync continues.
enum SyncStepResult {
    Continue(Plan),
    Wait(Plan),
}

impl StatefulSetSync<'_, '_, '_> {
    fn is_ordered(&self) -> bool {
        self.set.spec.pod_management_policy != Some(PodManagementPolicy::Parallel)
    }

    fn is_available(&self, pod: &Pod) -> bool {
        is_running_and_ready(pod) && is_available(pod, self.set.spec.min_ready_seconds, self.cx.ctx.wall())
    }

    /// Returns whether the pod is not available, or terminating.
    fn is_unavailable(&self, pod: &Pod) -> bool {
        pod.metadata.is_terminating() || !self.is_available(pod)
    }

    /// Returns the partition of a rolling update; `None` if the set has no settings for rolling updates.
    fn update_partition(&self) -> Option<i32> {
        let rolling = self.set.spec.update_strategy.rolling_update.as_ref()?;
        Some(rolling.partition.unwrap_or(0))
    }

    fn reconcile(mut self, plan: Plan, status: &mut StatefulSetStatus) -> Plan {
        let start = first_ordinal(&self.set);
        let replicas = self.set.spec.replicas.unwrap_or(1).max(0);
        let mut holders: ordered::Map<i32, Arc<Pod>> = ordered::Map::new();
        for pod in &self.pods {
            if let Some(ordinal) = ordinal_of(&self.set, &pod.metadata.name) {
                holders.entry(ordinal).or_insert(pod.clone());
            }
        }
        let end = start.saturating_add(replicas);
        // A cluster cannot have more pods than `MAX_OBJECTS_OF_KIND`, so empty slots beyond that number are skipped.
        let filled_to = start.saturating_add(replicas.min(MAX_OBJECTS_OF_KIND as i32));
        let mut slots: Vec<(i32, Option<Arc<Pod>>)> = (start..filled_to)
            .map(|ordinal| (ordinal, holders.get(&ordinal).cloned()))
            .collect();
        slots.extend(
            holders
                .range(filled_to..end)
                .map(|(ordinal, pod)| (*ordinal, Some(pod.clone()))),
        );
        let in_range = |pod: &Pod| {
            ordinal_of(&self.set, &pod.metadata.name)
                .is_some_and(|ordinal| ordinal >= start && ordinal - start < replicas)
        };
        let mut condemned: Vec<Arc<Pod>> = self.pods.iter().filter(|pod| !in_range(pod)).cloned().collect();
        condemned.stable_sort_by_key(|pod| std::cmp::Reverse(ordinal_of(&self.set, &pod.metadata.name)));
        let plan = match self.fill_slots(plan, &slots) {
            SyncStepResult::Continue(plan) => plan,
            SyncStepResult::Wait(plan) => return plan,
        };
        let plan = match self.scale_down(plan, &slots, &condemned) {
            SyncStepResult::Continue(plan) => plan,
            SyncStepResult::Wait(plan) => return plan,
        };
        self.replace_old_pods(plan, &slots, status)
    }

    /// Ensures that every slot has a pod. In ordered management, each slot waits for the pods in the slots before it
    /// (CT-074, CT-076).
    fn fill_slots(&mut self, mut plan: Plan, slots: &[(i32, Option<Arc<Pod>>)]) -> SyncStepResult {
        let ordered = self.is_ordered();
        let (mut claims_step, mut creations, mut deletions) = (Vec::new(), Vec::new(), Vec::new());
        let mut waits = false;
        for (ordinal, pod) in slots {
            waits = match pod {
                None => self.create_pod(*ordinal, &mut claims_step, &mut creations, &mut plan),
                Some(pod) => self.manage_pod(pod, &mut claims_step, &mut deletions),
            };
            if waits && ordered {
                break;
            }
        }
        let created = !creations.is_empty();
        let plan = plan
            .then(claims_step)
            .then(deletions)
            .then_in_growing_batches(creations);
        if ordered && (waits || created) {
            SyncStepResult::Wait(plan)
        } else {
            SyncStepResult::Continue(plan)
        }
    }

    /// Plans the creation of the pod of an empty slot. Always returns true: the next slot waits for this pod.
    fn create_pod(
        &mut self,
        ordinal: i32,
        claims_step: &mut Vec<Action>,
        creations: &mut Vec<Action>,
        plan: &mut Plan,
    ) -> bool {
        let pod = self.new_pod(ordinal);
        let set = self.set.clone();
        if claims::has_stale_claims(self.cx.objects, &set, &pod) {
            return true;
        }
        match claims::create_missing_claims(self.cx.objects, &set, &pod) {
            Ok(actions) => claims_step.extend(actions),
            Err(text) => {
                let text = format!(
                    "Create Pod {} in StatefulSet {} failed error: {text}",
                    pod.metadata.name, set.metadata.name
                );
                self.cx
                    .emit_event(note(&*set, EventType::Warning, "FailedCreate", text));
                *plan = std::mem::take(plan).and_retry(true);
                return true;
            }
        }
        let subject = format!("Create Pod {} in StatefulSet {}", pod.metadata.name, set.metadata.name);
        let failed = format!("{subject} failed error: {{error}}");
        creations.push(
            Action::from(Request::Create(Object::Pod(Arc::new(pod))))
                .on_success(note(
                    &*set,
                    EventType::Normal,
                    "SuccessfulCreate",
                    format!("{subject} successful"),
                ))
                .on_failure(note(&*set, EventType::Warning, "FailedCreate", failed)),
        );
        true
    }

    /// Handles the pod in a slot; returns whether the next slots wait for it.
    fn manage_pod(&mut self, pod: &Arc<Pod>, claims_step: &mut Vec<Action>, deletions: &mut Vec<Action>) -> bool {
        if self.cx.ctx.switches.statefulset_replaces_unreachable
            && pod.metadata.is_terminating()
            && self.is_unreachable(pod)
        {
            deletions.push(self.delete_pod(pod, Some(0)));
            return true;
        }
        if pod.is_terminal() {
            if !pod.metadata.is_terminating() {
                deletions.push(self.delete_pod(pod, None));
            }
            return true;
        }
        if pod
            .status
            .phase
            .as_ref()
            .is_none_or(|phase| *phase == PodPhase::Pending)
            && let Ok(actions) = claims::create_missing_claims(self.cx.objects, &self.set, pod)
        {
            claims_step.extend(actions);
        }
        claims_step.extend(claims::update_claim_owners(self.cx.objects, &self.set, pod, false));
        pod.metadata.is_terminating() || !self.is_available(pod)
    }

    /// Returns whether the condition Ready of the pod's node is Unknown.
    fn is_unreachable(&self, pod: &Pod) -> bool {
        let node = pod
            .spec
            .node_name
            .as_ref()
            .and_then(|name| self.cx.objects.named::<Node>(name));
        node.and_then(|node| node.condition(condition::READY).cloned())
            .is_some_and(|ready| ready.status == ConditionStatus::Unknown)
    }

    /// Deletes pods beyond the range. In ordered management, deletes one pod at a time, the highest ordinal first
    /// (CT-075).
    fn scale_down(&mut self, plan: Plan, slots: &[(i32, Option<Arc<Pod>>)], condemned: &[Arc<Pod>]) -> SyncStepResult {
        let mut retained = Vec::new();
        for pod in condemned {
            retained.extend(claims::update_claim_owners(self.cx.objects, &self.set, pod, true));
        }
        let plan = plan.then(retained);
        let replicas = slots.iter().filter_map(|(_, pod)| pod.as_ref());
        let first_unhealthy = replicas
            .chain(condemned.iter().rev())
            .find(|pod| self.is_unavailable(pod))
            .cloned();
        if !self.is_ordered() {
            let excess = condemned.iter().filter(|pod| !pod.metadata.is_terminating());
            let step: Vec<Action> = excess.map(|pod| self.delete_pod(pod, None)).collect();
            return SyncStepResult::Continue(plan.then_in_growing_batches(step));
        }
        let Some(pod) = condemned.first() else {
            return SyncStepResult::Continue(plan);
        };
        let is_first = first_unhealthy.is_some_and(|first| first.metadata.uid == pod.metadata.uid);
        if pod.metadata.is_terminating() || (!self.is_available(pod) && !is_first) {
            return SyncStepResult::Wait(plan);
        }
        let delete = self.delete_pod(pod, None);
        SyncStepResult::Wait(plan.then_action(delete))
    }

    /// Replaces pods of an old revision, from the highest ordinal down to the partition (CT-077).
    fn replace_old_pods(
        &mut self,
        plan: Plan,
        slots: &[(i32, Option<Arc<Pod>>)],
        status: &mut StatefulSetStatus,
    ) -> Plan {
        if self.set.spec.update_strategy.kind == Some(UpdateStrategyType::OnDelete) {
            return plan;
        }
        let least = first_ordinal(&self.set).saturating_add(self.update_partition().unwrap_or(0));
        for (_, pod) in slots.iter().rev().take_while(|(ordinal, _)| *ordinal >= least) {
            let Some(pod) = pod else {
                // The pod was created in this sync: it has the right revision but is not available yet.
                return plan;
            };
            if revision_of(pod) != &*self.update.metadata.name && !pod.metadata.is_terminating() {
                status.current_replicas = status
                    .current_replicas
                    .map(|count| count - 1)
                    .filter(|count| *count > 0);
                let delete = self.delete_pod(pod, None);
                return plan.then_action(delete);
            }
            if self.is_unavailable(pod) {
                return plan;
            }
        }
        plan
    }

    /// Builds a DELETE by name, without a UID precondition (CT-073).
    fn delete_pod(&self, pod: &Pod, grace_seconds: Option<i64>) -> Action {
        let subject = format!(
            "Delete Pod {} in StatefulSet {}",
            pod.metadata.name, self.set.metadata.name
        );
        let failed = format!("{subject} failed error: {{error}}");
        let options = DeleteOptions {
            grace_seconds,
            ..DeleteOptions::default()
        };
        Action::from(Request::Delete {
            kind: Kind::Pod,
            key: pod.metadata.key(),
            options,
        })
        .accept(Accept::OrNotFound)
        .on_success(note(
            &*self.set,
            EventType::Normal,
            "SuccessfulDelete",
            format!("{subject} successful"),
        ))
        .on_failure(note(&*self.set, EventType::Warning, "FailedDelete", failed))
    }

    /// Builds the pod of a slot. Below the partition it has the current revision, otherwise the update revision
    /// (CT-078).
    fn new_pod(&self, ordinal: i32) -> Pod {
        let set = &self.set;
        let offset = ordinal - first_ordinal(set);
        let is_below_partition = match self.update_partition() {
            Some(partition) => offset < partition,
            None => {
                set.spec.update_strategy.kind != Some(UpdateStrategyType::OnDelete)
                    && offset < set.status.current_replicas.unwrap_or(0)
            }
        };
        let (template, revision) = if is_below_partition {
            (&self.current_template, &self.current)
        } else {
            (&self.template, &self.update)
        };
        let mut pod = template.pod(
            &set.metadata.namespace,
            &format!("{}-", set.metadata.name),
            controller_ref(&**set),
        );
        let name = format!("{}-{ordinal}", set.metadata.name);
        pod.metadata.name = name.as_str().into();
        set_entry(&mut pod.metadata.labels, POD_NAME_LABEL, &name);
        set_entry(&mut pod.metadata.labels, POD_INDEX_LABEL, &ordinal.to_string());
        set_entry(&mut pod.metadata.labels, REVISION_LABEL, &revision.metadata.name);
        pod.spec.hostname = pod.metadata.name.clone();
        pod.spec.subdomain = set.spec.service_name.clone();
        claims::add_volumes(set, &mut pod);
        pod
    }

    fn status(&self) -> StatefulSetStatus {
        let pods: Vec<&Pod> = self.pods.iter().map(|pod| &**pod).collect();
        let count = |test: &dyn Fn(&Pod) -> bool| {
            i32::try_from(pods.iter().filter(|pod| test(pod)).count()).unwrap_or(i32::MAX)
        };
        let nonzero = |count: i32| (count > 0).then_some(count);
        let with_revision = |revision: &ControllerRevision| {
            count(&|pod| !pod.metadata.is_terminating() && revision_of(pod) == &*revision.metadata.name)
        };
        StatefulSetStatus {
            observed_generation: self.set.metadata.generation,
            replicas: count(&|_| true),
            ready_replicas: nonzero(count(&is_running_and_ready)),
            current_replicas: nonzero(with_revision(&self.current)),
            updated_replicas: nonzero(with_revision(&self.update)),
            current_revision: self.current.metadata.name.clone(),
            update_revision: self.update.metadata.name.clone(),
            collision_count: Some(self.set.status.collision_count.unwrap_or(0)),
            conditions: self.set.status.conditions.clone(),
            available_replicas: count(&|pod| self.is_available(pod)),
        }
    }
}

/// Makes the update revision the current revision when all pods are updated and ready.
fn complete_rolling_update(set: &StatefulSet, status: &mut StatefulSetStatus) {
    let replicas = set.spec.replicas.unwrap_or(1);
    if set.spec.update_strategy.kind != Some(UpdateStrategyType::OnDelete)
        && status.updated_replicas.unwrap_or(0) == replicas
        && status.ready_replicas.unwrap_or(0) == replicas
        && status.replicas == replicas
    {
        status.current_replicas = status.updated_replicas;
        status.current_revision = status.update_revision.clone();
    }
}
