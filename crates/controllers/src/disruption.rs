//! Disruption: computes how many pods each PodDisruptionBudget allows to be evicted now (C-10, CT-097 to CT-100,
//! CT-113).

use podscope_api::ordered;
use podscope_api::well_known::condition;
use std::sync::Arc;

use podscope_api::{
    BudgetCondition, ConditionStatus, Deployment, EventType, IntOrString, Kind, Object, Pod, PodDisruptionBudget,
    PodDisruptionBudgetStatus, ReplicaSet, ReplicationController, StatefulSet, Str, Time, Uid, scaled_value,
};

use podscope_sim::{Change, Mutation, Part, Request, Span};

use super::controller::{Controller, ControllerContext, note};
use super::owner::{self, controller_of};
use super::plan::{Accept, Action, Plan};
use super::pod_util::set_condition;
use super::queue::{Key, key_of};

/// Maximum time until an approved eviction deletes its pod, and until a stale DisruptionTarget condition is reset.
const APPROVED_EVICTION_TIMEOUT: Span = Span::seconds(120);

#[derive(Debug, Clone, Default)]
pub(super) struct DisruptionController;

fn selects_pod(budget: &PodDisruptionBudget, pod: &Pod) -> bool {
    let selector = budget.spec.selector.as_ref();
    budget.metadata.namespace == pod.metadata.namespace
        && selector.is_some_and(|selector| selector.matches(&pod.metadata.labels))
}

impl Controller for DisruptionController {
    fn name(&self) -> &'static str {
        "controllermanager"
    }

    fn watches(&self) -> &'static [Kind] {
        &[
            Kind::PodDisruptionBudget,
            Kind::Pod,
            Kind::Deployment,
            Kind::ReplicaSet,
            Kind::StatefulSet,
            Kind::ReplicationController,
        ]
    }

    fn changed(&mut self, change: &Change, cx: &mut ControllerContext<'_, '_>) {
        match change.object() {
            Some(Object::PodDisruptionBudget(budget)) => cx.enqueue(key_of(&**budget)),
            Some(Object::Pod(pod)) => {
                let (old, new) = owner::pods_of_change(change);
                for pod in [old, new].into_iter().flatten() {
                    enqueue_budgets_of(pod, cx);
                }
                if new.is_some() && is_stale_disruption_target(pod) {
                    cx.enqueue_after((Kind::Pod, pod.metadata.key()), APPROVED_EVICTION_TIMEOUT);
                }
            }
            // A change of the workload's scale changes the expected number of pods (CT-097).
            Some(object) if change.old.is_some() => {
                let scaled = match (&change.old, &change.new) {
                    (Some(old), Some(new)) => old.metadata().generation != new.metadata().generation,
                    _ => true,
                };
                if scaled {
                    let namespace = object.metadata().namespace.clone();
                    let keys: Vec<Key> = cx
                        .objects
                        .list_in::<PodDisruptionBudget>(&namespace)
                        .map(|budget| key_of(&**budget))
                        .collect();
                    keys.into_iter().for_each(|key| cx.enqueue(key));
                }
            }
            _ => {}
        }
    }

    fn sync(&mut self, key: &Key, cx: &mut ControllerContext<'_, '_>) -> Plan {
        if key.0 == Kind::Pod {
            return reset_stale_disruption_target(key, cx);
        }
        let Some(budget) = cx.objects.get::<PodDisruptionBudget>(&key.1).cloned() else {
            return Plan::default();
        };
        if cx.objects.assumed().is_left_alone(&budget.metadata.uid) {
            return Plan::default();
        }
        let pods: Vec<Arc<Pod>> = cx
            .objects
            .list_in::<Pod>(&key.1.namespace)
            .filter(|pod| selects_pod(&budget, pod))
            .cloned()
            .collect();
        if pods.is_empty() {
            cx.emit_event(note(&*budget, EventType::Normal, "NoPods", "No matching pods found"));
        }
        let (expected, desired) = match expected_and_desired_pods(&budget, &pods, cx) {
            Ok(counts) => counts,
            Err(error) => {
                let text = format!("Failed to calculate the number of expected pods: {error}");
                cx.emit_event(note(
                    &*budget,
                    EventType::Warning,
                    "CalculateExpectedPodCountFailed",
                    text,
                ));
                let mut status = budget.status.clone();
                status.disruptions_allowed = 0;
                set_disruption_allowed_condition(
                    &mut status,
                    &budget,
                    ConditionStatus::False,
                    "SyncFailed",
                    &error,
                    cx.time(),
                );
                return update_status(&budget, status).and_retry(true);
            }
        };
        let now = cx.ctx.wall();
        let (disrupted, recheck) = pending_disruptions(&budget, &pods, now, cx);
        let healthy = pods.iter().filter(|pod| {
            pod.is_ready() && !pod.metadata.is_terminating() && !disrupted.contains_key(&pod.metadata.name)
        });
        let healthy = i32::try_from(healthy.count()).unwrap_or(i32::MAX);
        let allowed = if expected <= 0 { 0 } else { (healthy - desired).max(0) };
        let mut status = PodDisruptionBudgetStatus {
            observed_generation: budget.metadata.generation,
            disrupted_pods: disrupted,
            disruptions_allowed: allowed,
            current_healthy: healthy,
            desired_healthy: desired,
            expected_pods: expected,
            conditions: budget.status.conditions.clone(),
        };
        let (value, reason) = if allowed > 0 {
            (ConditionStatus::True, "SufficientPods")
        } else {
            (ConditionStatus::False, "InsufficientPods")
        };
        set_disruption_allowed_condition(&mut status, &budget, value, reason, "", cx.time());
        update_status(&budget, status).requeue_after(recheck)
    }
}

fn enqueue_budgets_of(pod: &Pod, cx: &mut ControllerContext<'_, '_>) {
    let budgets = cx.objects.budgets_of(pod);
    let keys: Vec<Key> = budgets.map(|budget| key_of(&**budget)).collect();
    keys.into_iter().for_each(|key| cx.enqueue(key));
}

/// Updates the status with the observed resourceVersion. If it is stale, the key is retried after the conflict
/// (CT-098).
fn update_status(budget: &PodDisruptionBudget, status: PodDisruptionBudgetStatus) -> Plan {
    if status == budget.status {
        return Plan::default();
    }
    let mut updated = budget.clone();
    updated.status = status;
    Plan::one(Request::Update(
        Object::PodDisruptionBudget(Arc::new(updated)),
        Part::Status,
    ))
}

fn set_disruption_allowed_condition(
    status: &mut PodDisruptionBudgetStatus,
    budget: &PodDisruptionBudget,
    value: ConditionStatus,
    reason: &str,
    message: &str,
    now: Time,
) {
    let old = status
        .conditions
        .iter()
        .find(|condition| &*condition.kind == "DisruptionAllowed");
    let since = old
        .filter(|old| old.status == value)
        .map_or(Some(now), |old| old.last_transition_time);
    let new = BudgetCondition {
        kind: "DisruptionAllowed".into(),
        status: value,
        observed_generation: budget.metadata.generation,
        last_transition_time: since,
        reason: reason.into(),
        message: message.into(),
    };
    status
        .conditions
        .retain(|condition| &*condition.kind != "DisruptionAllowed");
    status.conditions.push(new);
}

/// Returns the expected number of pods, and the number that must stay healthy (CT-097).
fn expected_and_desired_pods(
    budget: &PodDisruptionBudget,
    pods: &[Arc<Pod>],
    cx: &mut ControllerContext<'_, '_>,
) -> Result<(i32, i32), String> {
    let number = |value: i64| i32::try_from(value).unwrap_or(i32::MAX);
    let percent =
        |value: &IntOrString, of: i64| scaled_value(value, of, true).ok_or_else(|| format!("invalid value {value}"));
    match (&budget.spec.max_unavailable, &budget.spec.min_available) {
        (Some(max), _) => {
            let expected = expected_pods_of_controllers(budget, pods, cx)?;
            Ok((number(expected), number((expected - percent(max, expected)?).max(0))))
        }
        (None, Some(IntOrString::Int(min))) => Ok((i32::try_from(pods.len()).unwrap_or(i32::MAX), *min)),
        (None, Some(min)) => {
            let expected = expected_pods_of_controllers(budget, pods, cx)?;
            Ok((number(expected), number(percent(min, expected)?)))
        }
        (None, None) => Ok((i32::try_from(pods.len()).unwrap_or(i32::MAX), 0)),
    }
}

/// Returns the sum of the scales of the pods' distinct controllers. Pods without a controller do not count (CT-113).
fn expected_pods_of_controllers(
    budget: &PodDisruptionBudget,
    pods: &[Arc<Pod>],
    cx: &mut ControllerContext<'_, '_>,
) -> Result<i64, String> {
    let mut scales: ordered::Map<Uid, i64> = ordered::Map::new();
    let mut unmanaged = Vec::new();
    for pod in pods {
        if pod.metadata.controller_ref().is_none() {
            unmanaged.push(pod.metadata.name.to_string());
            continue;
        }
        let (uid, scale) = controller_scale_of(pod, cx)
            .ok_or_else(|| format!("found no controllers for pod \"{}\"", pod.metadata.name))?;
        scales.insert(uid, scale);
    }
    if !unmanaged.is_empty() {
        let text = format!(
            "Pods selected by this PodDisruptionBudget (selector: {}) were found to be unmanaged. As a result, the status of the PDB cannot be \
             calculated correctly, which may result in undefined behavior. To account for these pods please set \".spec.minAvailable\" field of \
             the PDB to an integer value.",
            selector_text(budget)
        );
        cx.emit_event(note(budget, EventType::Warning, "UnmanagedPods", text));
    }
    Ok(scales.values().sum())
}

fn selector_text(budget: &PodDisruptionBudget) -> String {
    let selector = budget.spec.selector.clone().unwrap_or_default();
    let parts: Vec<String> = selector
        .match_labels
        .iter()
        .map(|(key, value)| format!("{key}:{value}"))
        .collect();
    format!("&LabelSelector{{MatchLabels:map[string]string{{{}}}}}", parts.join(" "))
}

/// Returns the workload that determines the expected number of pods, and its scale.
fn controller_scale_of(pod: &Pod, cx: &ControllerContext<'_, '_>) -> Option<(Uid, i64)> {
    let meta = &pod.metadata;
    if let Some(set) = controller_of::<ReplicaSet>(cx.objects, meta) {
        if let Some(deployment) = controller_of::<Deployment>(cx.objects, &set.metadata) {
            return Some((
                deployment.metadata.uid.clone(),
                i64::from(deployment.spec.replicas.unwrap_or(1)),
            ));
        }
        return Some((set.metadata.uid.clone(), i64::from(set.spec.replicas.unwrap_or(1))));
    }
    if let Some(set) = controller_of::<StatefulSet>(cx.objects, meta) {
        return Some((set.metadata.uid.clone(), i64::from(set.spec.replicas.unwrap_or(1))));
    }
    if let Some(old) = controller_of::<ReplicationController>(cx.objects, meta) {
        return Some((old.metadata.uid.clone(), i64::from(old.spec.replicas.unwrap_or(1))));
    }
    // If the owner was not imported, its scale is assumed to be the number of its pods that were imported.
    let reference = meta.controller_ref()?;
    let owner = cx.objects.assumed().owner(&reference.uid)?;
    Some((reference.uid.clone(), owner.controlled))
}

/// Returns the approved evictions whose pods are not yet terminating, and the time until the next of them expires
/// (CT-099).
fn pending_disruptions(
    budget: &PodDisruptionBudget,
    pods: &[Arc<Pod>],
    now: Time,
    cx: &mut ControllerContext<'_, '_>,
) -> (ordered::Map<Str, Time>, Option<Span>) {
    let (mut disrupted, mut recheck) = (ordered::Map::new(), None);
    for pod in pods {
        let Some(approved) = budget.status.disrupted_pods.get(&pod.metadata.name) else {
            continue;
        };
        if pod.metadata.is_terminating() {
            continue;
        }
        let remaining = Span(approved.0 + APPROVED_EVICTION_TIMEOUT.0 - now.0);
        if remaining < Span::ZERO {
            let text = format!(
                "Pod was expected by PDB {} to be deleted but it wasn't",
                budget.metadata.key()
            );
            cx.emit_event(note(&**pod, EventType::Warning, "NotDeleted", text));
        } else {
            disrupted.insert(pod.metadata.name.clone(), *approved);
            recheck = Some(recheck.map_or(remaining, |least: Span| least.min(remaining)) + Span(1));
        }
    }
    (disrupted, recheck)
}

/// Returns whether a pod has DisruptionTarget=True although it is not terminating. Conditions set by the kubelet do not
/// count (CT-100).
fn is_stale_disruption_target(pod: &Pod) -> bool {
    !pod.metadata.is_terminating()
        && !pod.is_terminal()
        && pod.condition(condition::DISRUPTION_TARGET).is_some_and(|condition| {
            condition.status == ConditionStatus::True && &*condition.reason != "TerminationByKubelet"
        })
}

fn reset_stale_disruption_target(key: &Key, cx: &ControllerContext<'_, '_>) -> Plan {
    let Some(pod) = cx
        .objects
        .get::<Pod>(&key.1)
        .filter(|pod| is_stale_disruption_target(pod))
    else {
        return Plan::default();
    };
    let since = pod
        .condition(condition::DISRUPTION_TARGET)
        .and_then(|condition| condition.last_transition_time)
        .unwrap_or_default();
    let remaining = Span(since.0 + APPROVED_EVICTION_TIMEOUT.0 - cx.ctx.wall().0);
    if remaining > Span::ZERO {
        return Plan::default().requeue_after(Some(remaining));
    }
    let now = cx.time();
    let change = Mutation::new("stale disruption", move |pod: &mut Pod| {
        set_condition(pod, condition::DISRUPTION_TARGET, ConditionStatus::False, "", "", now);
    });
    let patch = Request::Patch {
        kind: Kind::Pod,
        key: key.1.clone(),
        uid: Some(pod.metadata.uid.clone()),
        part: Part::Status,
        change,
    };
    Plan::one(Action::from(patch).accept(Accept::OrNotFound))
}

#[cfg(test)]
mod tests {
    use super::super::lab::Lab;
    use super::*;

    /// Returns a lab with a Deployment of `replicas` pods and a PodDisruptionBudget, after 10 s.
    fn lab_with_budget(budget: &str, replicas: i32) -> Lab {
        let mut lab = Lab::new(
            &["a-1", "b-1"],
            &format!(
                "{{apiVersion: apps/v1, kind: Deployment, metadata: {{name: web}}, spec: {{replicas: {replicas}, selector: {{matchLabels: {{app: web}}}}, \
                 template: {{metadata: {{labels: {{app: web}}}}, spec: {{containers: [{{name: web, image: web}}]}}}}}}}}\n---\n\
                 {{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {{name: web}}, spec: {{selector: {{matchLabels: {{app: web}}}}, {budget}}}}}"
            ),
        );
        lab.run(Span::seconds(10));
        lab
    }

    /// Returns the expected, desired healthy, current healthy and allowed numbers in the budget's status.
    fn expected_desired_healthy_allowed(lab: &Lab) -> (i32, i32, i32, i32) {
        let status = lab.get::<PodDisruptionBudget>("web").unwrap().status.clone();
        (
            status.expected_pods,
            status.desired_healthy,
            status.current_healthy,
            status.disruptions_allowed,
        )
    }

    /// The status has the expected, desired, healthy and allowed numbers of pods for various budgets.
    /// Shows: CT-097
    #[test]
    fn budget_status_counts_expected_and_healthy_pods() {
        for (budget, replicas, expected) in [
            ("minAvailable: 2", 3, (3, 2, 3, 1)),
            ("minAvailable: 5", 3, (3, 5, 3, 0)),
            ("minAvailable: 50%", 3, (3, 2, 3, 1)),
            ("maxUnavailable: 1", 3, (3, 2, 3, 1)),
            ("maxUnavailable: 30%", 3, (3, 2, 3, 1)),
            ("maxUnavailable: 0", 3, (3, 3, 3, 0)),
            ("maxUnavailable: 1", 0, (0, 0, 0, 0)),
        ] {
            assert_eq!(
                expected_desired_healthy_allowed(&lab_with_budget(budget, replicas)),
                expected,
                "{budget} of {replicas}"
            );
        }
    }

    /// A pod that is not Ready, for example on a lost node, does not count as healthy.
    /// Shows: CT-097, CT-118
    #[test]
    fn unready_pod_uses_up_the_budget() {
        let mut lab = lab_with_budget("minAvailable: 2", 3);
        let pod = lab.pods()[0].clone();
        lab.edit::<Pod>(&pod, |pod| {
            super::super::pod_util::set_condition(pod, "Ready", ConditionStatus::False, "", "", Time::default());
        });
        lab.run(Span::millis(50));
        assert_eq!(expected_desired_healthy_allowed(&lab), (3, 2, 2, 0));
        let budget = lab.get::<PodDisruptionBudget>("web").unwrap();
        assert_eq!(&*budget.status.conditions[0].reason, "InsufficientPods");
    }

    /// An approved eviction counts against the budget until its pod terminates, for at most two minutes.
    /// Shows: CT-099
    #[test]
    fn approved_eviction_counts_for_at_most_two_minutes() {
        let mut lab = lab_with_budget("minAvailable: 2", 3);
        let pod = lab.pods()[0].clone();
        let (name, at) = (pod.clone(), lab.wall());
        lab.edit::<PodDisruptionBudget>("web", move |budget| {
            budget.status.disrupted_pods.insert(name.as_str().into(), at);
            budget.status.disruptions_allowed = 0;
        });
        lab.run(Span::seconds(1));
        assert_eq!(expected_desired_healthy_allowed(&lab), (3, 2, 2, 0));
        lab.run(Span::seconds(120));
        assert_eq!(expected_desired_healthy_allowed(&lab), (3, 2, 3, 1));
        let text = format!("{pod} NotDeleted: Pod was expected by PDB default/web to be deleted but it wasn't");
        assert!(lab.events.contains(&text), "{:?}", lab.events);
    }

    /// If a pod's controller is not found, the sync fails and no eviction is allowed.
    /// Shows: CT-113
    #[test]
    fn missing_controller_sets_reason_sync_failed() {
        let mut lab = lab_with_budget("minAvailable: 50%", 3);
        let pod = lab.pods()[0].clone();
        lab.edit::<Pod>(&pod, |pod| pod.metadata.owner_references[0].uid = "gone".into());
        lab.run(Span::millis(20));
        let budget = lab.get::<PodDisruptionBudget>("web").unwrap();
        assert_eq!(
            (budget.status.disruptions_allowed, &*budget.status.conditions[0].reason),
            (0, "SyncFailed")
        );
    }
}
