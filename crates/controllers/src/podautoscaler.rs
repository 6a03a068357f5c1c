//! HorizontalPodAutoscaler: every fifteen seconds compares the resource usage of a workload's pods with the target, and
//! sets the workload's number of replicas (C-14, CT-192, CT-193).
//!
//! Watches autoscalers. The usage of pods is computed from the scripted behaviour of their containers and the requests
//! that they answer, or from the autoscaler's own load annotation ([`podscope_api::parse_load_annotation`]), whose
//! amount the pods share.
//!
//! ```text
//! metrics.rs     the proposed number of replicas of each metric; the largest one is used
//! calculator.rs  the arithmetic of one metric
//! limits.rs      stabilization windows, scaling policies, minimum and maximum
//! ```
//!
//! Deviation: the metrics of every ready pod are current; in a real cluster, the metrics are delayed by about half a
//! minute.

mod calculator;
mod limits;
mod metrics;

use std::sync::Arc;

use podscope_api::{
    Deployment, EventType, HorizontalPodAutoscaler, Kind, LabelSelector, Object, ObjectKey, Pod, ReplicaSet,
    ReplicationController, StatefulSet, Time, ordered,
};
use podscope_sim::{Change, Mutation, Objects, Part, Request, Span};
use serde_json::{Value, json};

use super::controller::{Controller, ControllerContext, note};
use super::plan::{Action, Failure, Plan};
use super::queue::{Backoff, Key, key_of};
use limits::{AllowedReplicas, ScalingHistory};

/// Interval between the evaluations of an autoscaler (`--horizontal-pod-autoscaler-sync-period`).
const SYNC_PERIOD: Span = Span::seconds(15);
/// The back-off between attempts: always one period, also before the first retry.
const BACKOFF: Backoff = Backoff {
    base: SYNC_PERIOD,
    max: SYNC_PERIOD,
};

#[derive(Debug, Clone, Default)]
pub(super) struct HorizontalController {
    /// Recent recommendations and scaling actions, by autoscaler.
    histories: ordered::Map<Key, ScalingHistory>,
    /// Selectors of the autoscalers whose metrics were evaluated. A pod that two of them select is ambiguous.
    selectors: ordered::Map<Key, LabelSelector>,
}

/// The scale subresource of a workload.
struct ScaleTarget {
    kind: Kind,
    key: ObjectKey,
    replicas: i32,
    status_replicas: i32,
    selector: LabelSelector,
}

impl ScaleTarget {
    /// Returns the scale of an autoscaler's target.
    fn of(autoscaler: &HorizontalPodAutoscaler, objects: &Objects) -> Result<Self, String> {
        let target = &autoscaler.spec.scale_target_ref;
        let key = ObjectKey::new(autoscaler.metadata.namespace.clone(), target.name.clone());
        let no_match = || {
            let group = target.api_version.split_once('/').map_or("", |(group, _)| group);
            let dot = if group.is_empty() { "" } else { "." };
            format!(
                "no matches for kind {:?} in group {group:?}",
                format!("{}{dot}", target.kind).trim_end_matches('.')
            )
        };
        let kind = Kind::from_wire(&target.api_version, &target.kind).ok_or_else(no_match)?;
        let found = match objects.get_kind(kind, &key) {
            Some(Object::Deployment(one)) => (
                one.spec.replicas,
                one.status.replicas.unwrap_or(0),
                one.spec.selector.clone(),
            ),
            Some(Object::ReplicaSet(one)) => (one.spec.replicas, one.status.replicas, one.spec.selector.clone()),
            Some(Object::StatefulSet(one)) => (one.spec.replicas, one.status.replicas, one.spec.selector.clone()),
            Some(Object::ReplicationController(one)) => {
                let match_labels = one.spec.selector.clone();
                let selector = LabelSelector {
                    match_labels: match_labels.into_iter().collect(),
                    ..LabelSelector::default()
                };
                (one.spec.replicas, one.status.replicas, Some(selector))
            }
            Some(_) => return Err("the server could not find the requested resource".to_owned()),
            None => return Err(format!("{} {:?} not found", kind.qualified_plural(), &*target.name)),
        };
        Ok(Self {
            kind,
            key,
            replicas: found.0.unwrap_or(1),
            status_replicas: found.1,
            selector: found.2.unwrap_or_default(),
        })
    }

    /// Builds the request that sets the number of replicas.
    fn set_replicas(&self, replicas: i32) -> Request {
        let change = match self.kind {
            Kind::Deployment => Mutation::new::<Deployment>("scale", move |one| one.spec.replicas = Some(replicas)),
            Kind::ReplicaSet => Mutation::new::<ReplicaSet>("scale", move |one| one.spec.replicas = Some(replicas)),
            Kind::StatefulSet => Mutation::new::<StatefulSet>("scale", move |one| one.spec.replicas = Some(replicas)),
            _ => Mutation::new::<ReplicationController>("scale", move |one| one.spec.replicas = Some(replicas)),
        };
        Request::Patch {
            kind: self.kind,
            key: self.key.clone(),
            uid: None,
            part: Part::Main,
            change,
        }
    }
}

/// The state of one sync of one autoscaler; `new` has the updated status.
struct AutoscalerSync<'c, 'x, 'a> {
    autoscaler: Arc<HorizontalPodAutoscaler>,
    new: HorizontalPodAutoscaler,
    selectors: &'c mut ordered::Map<Key, LabelSelector>,
    cx: &'c mut ControllerContext<'x, 'a>,
}

/// Returns whether an imported autoscaler is left unchanged, because the usage of its pods is unknown and the size of
/// its target is within its limits (P-09).
fn is_left_unchanged(autoscaler: &HorizontalPodAutoscaler, objects: &podscope_sim::Objects) -> bool {
    let meta = &autoscaler.metadata;
    let has_load = podscope_api::parse_load_annotation(&meta.annotations).is_ok_and(|load| !load.is_empty());
    if has_load || !objects.assumed().autoscalers_without_load().contains(&meta.uid) {
        return false;
    }
    let spec = &autoscaler.spec;
    ScaleTarget::of(autoscaler, objects).is_ok_and(|scale| {
        scale.replicas == 0 || (spec.min_replicas.unwrap_or(1)..=spec.max_replicas).contains(&scale.replicas)
    })
}

/// A new number of replicas, and the reason.
struct RescaleDecision {
    to: i32,
    why: String,
}

impl AutoscalerSync<'_, '_, '_> {
    fn now(&self) -> Time {
        self.cx.time()
    }

    fn emit_warning(&mut self, reason: &str, message: &str) {
        let event = note(&*self.autoscaler, EventType::Warning, reason, message);
        self.cx.emit_event(event);
    }

    /// Sets a condition; its transition time changes only with its status.
    fn set_condition(&mut self, kind: &str, is_true: bool, reason: &str, message: &str) {
        let status = if is_true { "True" } else { "False" };
        let now = podscope_api::print_rfc3339(self.now().0, 0);
        let conditions = &mut self.new.status.conditions;
        let at = conditions
            .iter()
            .position(|one| one["type"] == kind)
            .unwrap_or_else(|| {
                conditions.push(json!({"type": kind}));
                conditions.len() - 1
            });
        let Some(old) = conditions.get_mut(at) else { return };
        let since = if old["status"] == status {
            old["lastTransitionTime"].clone()
        } else {
            Value::from(now)
        };
        *old =
            json!({"lastTransitionTime": since, "message": message, "reason": reason, "status": status, "type": kind});
    }

    /// Determines the new number of replicas from the metrics, limits and policies; `None` for no change.
    ///
    /// # Errors
    /// Returns a summary of the metrics if the number cannot be determined.
    fn decide(&mut self, scale: &ScaleTarget, history: &mut ScalingHistory) -> Result<Option<RescaleDecision>, String> {
        let spec = self.autoscaler.spec.clone();
        let (current, min_replicas) = (scale.replicas, spec.min_replicas.unwrap_or(1));
        let rescale = |to: i32, why: &str| {
            Ok(Some(RescaleDecision {
                to,
                why: why.to_owned(),
            }))
        };
        // The status shows only metrics that this sync evaluates.
        self.new.status.current_metrics = None;
        if current == 0 && min_replicas != 0 {
            let text = "scaling is disabled since the replica count of the target is zero";
            self.set_condition("ScalingActive", false, "ScalingDisabled", text);
            return Ok(None);
        }
        if current > spec.max_replicas {
            return rescale(spec.max_replicas, "Current number of replicas above Spec.MaxReplicas");
        }
        if current < min_replicas {
            return rescale(min_replicas, "Current number of replicas below Spec.MinReplicas");
        }
        let (recommended, metric) = self.recommended_replicas(scale)?;
        let AllowedReplicas {
            replicas,
            able,
            limited,
        } = history.apply_limits(&spec, current, recommended, self.cx.now());
        self.set_condition("AbleToScale", true, able.reason, able.message);
        self.set_condition(
            "ScalingLimited",
            limited.is_limited,
            limited.text.reason,
            limited.text.message,
        );
        let why = if recommended > current {
            format!("{metric} above target")
        } else {
            "All metrics below target".to_owned()
        };
        Ok((replicas != current).then_some(RescaleDecision { to: replicas, why }))
    }

    /// Checks that no other autoscaler selects the pods of the scale (CT-229).
    fn check_pods_have_one_autoscaler(&mut self, scale: &ScaleTarget, pods: &[Arc<Pod>]) -> Result<(), String> {
        let selector = scale.selector.to_string();
        if selector.is_empty() {
            self.emit_warning("SelectorRequired", "selector is required");
            let text = "the HPA target's scale is missing a selector";
            self.set_condition("ScalingActive", false, "InvalidSelector", text);
            return Err("selector is required".to_owned());
        }
        let own = key_of(&*self.autoscaler);
        self.selectors.insert(own.clone(), scale.selector.clone());
        let selecting = self.selectors.iter().filter(|((_, key), selector)| {
            key.namespace == own.1.namespace && pods.iter().any(|pod| selector.matches(&pod.metadata.labels))
        });
        let selecting: Vec<String> = selecting.map(|((_, key), _)| key.to_string()).collect();
        if selecting.len() > 1 {
            let text = format!(
                "pods by selector {selector} are controlled by multiple HPAs: [{}]",
                selecting.join(" ")
            );
            self.emit_warning("AmbiguousSelector", &text);
            self.set_condition("ScalingActive", false, "AmbiguousSelector", &text);
            return Err(text);
        }
        Ok(())
    }

    /// Returns the largest number of replicas that a metric proposes, and the name of the metric. If a metric is
    /// missing, the workload may be scaled up but not down.
    fn recommended_replicas(&mut self, scale: &ScaleTarget) -> Result<(i32, String), String> {
        let usage = metrics::UsageOfPods::new(
            &self.autoscaler,
            scale,
            self.cx.objects,
            self.cx.ctx.wall(),
            self.cx.ctx.request_load(),
        );
        self.check_pods_have_one_autoscaler(scale, &usage.pods)?;
        let metrics = self.autoscaler.spec.metrics.clone();
        let mut best: Option<(i32, String)> = None;
        let (mut shown, mut failures) = (Vec::new(), Vec::new());
        for metric in &metrics {
            match usage.proposal(metric) {
                Ok(proposal) => {
                    shown.push(proposal.status);
                    if best.as_ref().is_none_or(|(most, _)| proposal.replicas > *most) {
                        best = Some((proposal.replicas, proposal.name));
                    }
                }
                Err(failure) => {
                    // A placeholder keeps the positions of the other metrics in the list.
                    shown.push(json!({"type": ""}));
                    self.emit_warning(failure.reason, &failure.message);
                    failures.push(failure);
                }
            }
        }
        self.new.status.current_metrics = Some(shown);
        match (best, failures.first()) {
            (Some((replicas, metric)), first) if first.is_none() || replicas >= scale.replicas => {
                let text = format!("the HPA was able to successfully calculate a replica count from {metric}");
                self.set_condition("ScalingActive", true, "ValidMetricFound", &text);
                Ok((replicas, metric))
            }
            (_, first) => {
                let (reason, message, summary) = first.map_or(("", "", ""), |first| {
                    (first.reason, first.message.as_str(), first.summary.as_str())
                });
                let text = format!("the HPA was unable to compute the replica count: {message}");
                self.set_condition("ScalingActive", false, reason, &text);
                let (count, all) = (failures.len(), metrics.len());
                Err(format!(
                    "invalid metrics ({count} invalid out of {all}), first error is: {summary}"
                ))
            }
        }
    }

    /// Builds the update of the status, if it changed.
    fn status_update(self) -> Option<Action> {
        (self.new.status != self.autoscaler.status).then(|| {
            let update = Request::Update(Object::HorizontalPodAutoscaler(Arc::new(self.new)), Part::Status);
            Action::from(update)
        })
    }
}

impl Controller for HorizontalController {
    fn name(&self) -> &'static str {
        "horizontal-pod-autoscaler"
    }

    fn watches(&self) -> &'static [Kind] {
        &[Kind::HorizontalPodAutoscaler]
    }

    fn backoff(&self) -> Backoff {
        BACKOFF
    }

    fn changed(&mut self, change: &Change, cx: &mut ControllerContext<'_, '_>) {
        if let Some(Object::HorizontalPodAutoscaler(autoscaler)) = change.object() {
            // An autoscaler is evaluated once per period, independently of changes.
            let key = key_of(&**autoscaler);
            if change.new.is_none() {
                self.selectors.remove(&key);
                cx.enqueue(key);
            } else if !self.histories.contains_key(&key) {
                self.histories.insert(key.clone(), ScalingHistory::default());
                cx.enqueue_after(key, SYNC_PERIOD);
            }
        }
    }

    fn sync(&mut self, key: &Key, cx: &mut ControllerContext<'_, '_>) -> Plan {
        let Some(autoscaler) = cx.objects.get::<HorizontalPodAutoscaler>(&key.1).cloned() else {
            self.histories.remove(key);
            self.selectors.remove(key);
            return Plan::default();
        };
        let history = self.histories.entry(key.clone()).or_default();
        let next_sync = Plan::default().requeue_after(Some(SYNC_PERIOD));
        if is_left_unchanged(&autoscaler, cx.objects) {
            return next_sync;
        }
        let mut sync = AutoscalerSync {
            new: HorizontalPodAutoscaler::clone(&autoscaler),
            autoscaler,
            selectors: &mut self.selectors,
            cx,
        };
        let scale = match ScaleTarget::of(&sync.autoscaler, sync.cx.objects) {
            Ok(scale) => scale,
            Err(why) => {
                sync.emit_warning("FailedGetScale", &why);
                let text = format!("the HPA controller was unable to get the target's current scale: {why}");
                sync.set_condition("AbleToScale", false, "FailedGetScale", &text);
                return next_sync.then(sync.status_update().into_iter().collect());
            }
        };
        let text = "the HPA controller was able to get the target's current scale";
        sync.set_condition("AbleToScale", true, "SucceededGetScale", text);
        history.record_initial(scale.replicas, sync.cx.now());
        let decided = sync.decide(&scale, history);
        let status = &mut sync.new.status;
        status.current_replicas = Some(scale.replicas);
        let rescale = match decided {
            Ok(rescale) => rescale,
            Err(summary) => {
                sync.emit_warning("FailedComputeMetricsReplicas", &summary);
                return next_sync.then(sync.status_update().into_iter().collect());
            }
        };
        status.desired_replicas = rescale.as_ref().map_or(scale.replicas, |rescale| rescale.to);
        let mut plan = next_sync;
        if let Some(RescaleDecision { to, why }) = rescale {
            sync.new.status.last_scale_time = Some(sync.now());
            let text = format!("the HPA controller was able to update the target scale to {to}");
            sync.set_condition("AbleToScale", true, "SucceededRescale", &text);
            let size = format!("New size: {to}; reason: {why}");
            let about = &*sync.autoscaler;
            let set = Action::from(scale.set_replicas(to))
                .on_success(note(about, EventType::Normal, "SuccessfulRescale", size.clone()))
                .on_failure(note(
                    about,
                    EventType::Warning,
                    "FailedRescale",
                    format!("{size}; error: {{error}}"),
                ));
            history.record_change(scale.replicas, to, sync.cx.now());
            plan = plan.then_action(set);
        }
        plan.then(sync.status_update().into_iter().collect())
    }

    /// If the scale could not be updated, the status reports the error and keeps the previous desired number of
    /// replicas.
    fn failed(&mut self, key: &Key, failure: &Failure, cx: &mut ControllerContext<'_, '_>) -> Plan {
        let is_scale = matches!(&failure.request, Request::Patch { change, .. } if change.name == "scale");
        let status = failure.dropped.iter().find_map(|request| match request {
            Request::Update(Object::HorizontalPodAutoscaler(new), Part::Status) => Some(new.clone()),
            _ => None,
        });
        let (true, Some(new), Some(autoscaler)) = (
            is_scale,
            status,
            cx.objects.get::<HorizontalPodAutoscaler>(&key.1).cloned(),
        ) else {
            return Plan::default();
        };
        if let Some(history) = self.histories.get_mut(key) {
            history.remove_latest_change();
        }
        let mut new = HorizontalPodAutoscaler::clone(&new);
        new.status.last_scale_time = autoscaler.status.last_scale_time;
        new.status.desired_replicas = autoscaler.status.desired_replicas;
        let mut sync = AutoscalerSync {
            new,
            autoscaler,
            selectors: &mut self.selectors,
            cx,
        };
        let text = format!(
            "the HPA controller was unable to update the target scale: {}",
            failure.error.message
        );
        sync.set_condition("AbleToScale", false, "FailedUpdateScale", &text);
        Plan::default().then(sync.status_update().into_iter().collect())
    }
}
