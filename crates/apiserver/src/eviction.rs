//! The eviction subresource: PodDisruptionBudgets are checked, then the pod is deleted gracefully (LC-024 to LC-029,
//! CT-101, CT-102).

use std::sync::Arc;

use podscope_api::well_known::condition;
use podscope_api::{
    ConditionStatus, Kind, Object, ObjectKey, Pod, PodCondition, PodDisruptionBudget, PodDisruptionBudgetStatus,
    PodPhase,
};

use super::{ApiServer, Caller, Outcome, binding::set_condition, records};
use podscope_sim::{Answer, ApiError, DeleteOptions, Updated};

/// Maximum number of entries in `disruptedPods`; beyond it, evictions are refused (LC-029).
const DISRUPTED_PODS_MAX: usize = 2000;

impl ApiServer {
    /// Handles POST pods/eviction. The budget is checked and updated in one step, so no conflict can arise. Deviation:
    /// the real server makes several writes with retries, with the same result.
    pub(super) fn evict(
        &mut self,
        key: &ObjectKey,
        options: &DeleteOptions,
        caller: &Caller<'_>,
        out: &mut Outcome,
    ) -> Answer {
        let Object::Pod(pod) = self.stored(Kind::Pod, key)? else {
            return Err(ApiError::not_found(Kind::Pod, &key.name));
        };
        if !ignores_budgets(&pod)
            && let Some(budget) = self.disruption_budget_of(&pod)?
            && !may_evict_unready(&pod, &budget)
        {
            self.use_allowed_disruption(&pod, &budget, caller, out)?;
        }
        if !pod.metadata.is_terminating() && !pod.is_terminal() {
            let old = Object::Pod(pod.clone());
            let mut with_condition = pod.clone();
            set_condition(
                &mut Arc::make_mut(&mut with_condition).status.conditions,
                PodCondition {
                    kind: condition::DISRUPTION_TARGET.into(),
                    status: ConditionStatus::True,
                    last_transition_time: Some(caller.wall_time()),
                    reason: "EvictionByEvictionAPI".into(),
                    message: "Eviction API: evicting".into(),
                    observed_generation: pod.metadata.generation,
                    ..PodCondition::default()
                },
            );
            let stored = self.write(Object::Pod(with_condition), out);
            out.record(records::updated_record(&old, &stored).into(), &stored);
            records::add_condition_and_taint_records(&old, &stored, out);
        }
        self.delete(Kind::Pod, key, options, caller, out)
    }

    /// Returns the PodDisruptionBudget that selects the pod; an error if there are several.
    fn disruption_budget_of(&self, pod: &Pod) -> Result<Option<Arc<PodDisruptionBudget>>, ApiError> {
        let mut matching = self.objects().budgets_of(pod);
        let first = matching.next().cloned();
        if matching.next().is_some() {
            return Err(ApiError::internal(
                "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
            ));
        }
        Ok(first)
    }

    /// Takes one disruption from the budget, or refuses the eviction.
    fn use_allowed_disruption(
        &mut self,
        pod: &Pod,
        budget: &Arc<PodDisruptionBudget>,
        caller: &Caller<'_>,
        out: &mut Outcome,
    ) -> Result<(), ApiError> {
        let (name, status) = (&budget.metadata.name, &budget.status);
        if status.observed_generation.unwrap_or(0) < budget.metadata.generation.unwrap_or(0) {
            return Err(ApiError::too_many_requests(
                format!("The disruption budget {name} is still being processed by the server."),
                Some(10),
            ));
        }
        if status.disruptions_allowed < 0 {
            return Err(ApiError::forbidden(
                Kind::PodDisruptionBudget,
                name,
                "pdb disruptions allowed is negative",
            ));
        }
        if status.disrupted_pods.len() > DISRUPTED_PODS_MAX {
            return Err(ApiError::forbidden(
                Kind::PodDisruptionBudget,
                name,
                "DisruptedPods map too big - too many evictions not confirmed by PDB controller",
            ));
        }
        if status.disruptions_allowed == 0 {
            return Err(ApiError::too_many_requests(no_disruption_message(name, status), None));
        }
        let mut new = budget.clone();
        let status = &mut Arc::make_mut(&mut new).status;
        status.disruptions_allowed -= 1;
        status
            .disrupted_pods
            .insert(pod.metadata.name.clone(), caller.wall_time());
        let allowed = status.disruptions_allowed;
        let stored = self.write(Object::PodDisruptionBudget(new), out);
        let updated = Updated {
            disruptions_allowed: Some(allowed),
            ..Updated::default()
        };
        out.record(updated.into(), &stored);
        Ok(())
    }
}

/// Returns the API server's message about the cause of a refused eviction (LC-026).
fn no_disruption_message(name: &str, status: &PodDisruptionBudgetStatus) -> String {
    let condition = status.conditions.iter().find(|one| &*one.kind == "DisruptionAllowed");
    let refuses = format!("The disruption budget {name} does not allow evicting pods currently");
    match condition.filter(|one| one.status == ConditionStatus::False) {
        Some(one) if &*one.reason == "SyncFailed" => {
            format!("{refuses} because it failed sync: {}", one.message)
        }
        _ if status.current_healthy <= status.desired_healthy => format!(
            "The disruption budget {name} needs {} healthy pods and has {} currently",
            status.desired_healthy, status.current_healthy
        ),
        Some(one) if !one.message.is_empty() => format!("{refuses} ({}): {}", one.reason, one.message),
        _ => refuses,
    }
}

/// Returns whether evictions of a pod ignore budgets: it is finished, terminating or pending (LC-024).
fn ignores_budgets(pod: &Pod) -> bool {
    pod.is_terminal() || pod.metadata.is_terminating() || pod.status.phase == Some(PodPhase::Pending)
}

/// Returns whether the budget's unhealthy pod eviction policy allows evicting an unready pod without using the budget
/// (LC-028).
fn may_evict_unready(pod: &Pod, budget: &PodDisruptionBudget) -> bool {
    !pod.is_ready()
        && match budget.spec.unhealthy_pod_eviction_policy.as_deref() {
            Some("AlwaysAllow") => true,
            _ => budget.status.current_healthy >= budget.status.desired_healthy && budget.status.desired_healthy > 0,
        }
}
