//! Triage of workloads, PodDisruptionBudgets and HorizontalPodAutoscalers.

use podscope_api::well_known::{annotation, condition};
use podscope_api::{
    ConditionStatus, DaemonSet, Deployment, HorizontalPodAutoscaler, Job, ObjectMeta, Pod, PodDisruptionBudget,
    ReplicaSet, StatefulSet, Time, Uid, WorkloadCondition, parse_rfc3339,
};
use podscope_messages::{Sentence, sentence};

use super::{Problem, Triage, pods, without_full_stop};

fn condition_with_status<'c>(
    all: &'c [WorkloadCondition],
    kind: &str,
    status: &ConditionStatus,
) -> Option<&'c WorkloadCondition> {
    all.iter().find(|one| &*one.kind == kind && one.status == *status)
}

impl Triage<'_> {
    pub(super) fn add_workload_problems(&mut self) {
        self.add_deployment_problems();
        self.add_stateful_and_daemon_set_problems();
        self.add_job_problems();
        self.add_budget_problems();
        self.add_autoscaler_problems();
    }

    /// Describes the pod that blocks a rollout: the first pod that is not ready among those with the new template, or
    /// else among those with any template.
    fn blocking_pod(&self, owners: &[&Uid], is_new: impl Fn(&Pod) -> bool) -> Option<Sentence> {
        let all = owners.iter().flat_map(|owner| self.objects.pods_of(owner));
        let mut blocking_pod: Option<Sentence> = None;
        for pod in all.filter(|pod| !pod.is_ready() && !pod.is_terminal()) {
            let why = pods::reason_of_pod_problem(self, pod);
            let lost = pod.spec.node_name.as_ref().filter(|node| self.is_node_not_ready(node));
            let why = why
                .or_else(|| lost.map(|node| sentence!(problem::node_of_pod_not_ready, node = node.as_str())))
                .unwrap_or_else(|| sentence!(problem::not_ready));
            let text = sentence!(problem::pod_not_ready, pod = &pod.metadata.name, why = why);
            // A rollout first waits for the pods with the new template.
            if is_new(pod) {
                return Some(text);
            }
            blocking_pod.get_or_insert(text);
        }
        blocking_pod
    }

    fn add_deployment_problems(&mut self) {
        let objects = self.objects;
        for deployment in objects.list::<Deployment>() {
            let meta = &deployment.metadata;
            if !self.includes_namespace(&meta.namespace) {
                continue;
            }
            let status = &deployment.status;
            let name = format!("Deployment {}", meta.key());
            let sets: Vec<&ReplicaSet> = (objects.list_in::<ReplicaSet>(&meta.namespace))
                .filter(|set| set.metadata.controller_ref().is_some_and(|owner| owner.uid == meta.uid))
                .map(|set| &**set)
                .collect();
            let owners: Vec<&Uid> = sets.iter().map(|set| &set.metadata.uid).collect();
            let newest = sets.iter().max_by_key(|set| deployment_revision(&set.metadata));
            let newest = newest.map(|set| set.metadata.uid.clone());
            let is_new = |pod: &Pod| pod.metadata.controller_ref().map(|owner| &owner.uid) == newest.as_ref();
            if let Some(failed) =
                condition_with_status(&status.conditions, condition::REPLICA_FAILURE, &ConditionStatus::True)
            {
                let reason = sentence!(
                    problem::cannot_create_pods,
                    message = without_full_stop(&failed.message)
                );
                self.add_finding(Problem::RolloutStuck, name, meta, reason, failed.last_transition_time);
                continue;
            }
            let wanted = deployment.spec.replicas.unwrap_or(1);
            let updated = status.updated_replicas.unwrap_or(0);
            let stuck = condition_with_status(&status.conditions, condition::PROGRESSING, &ConditionStatus::False);
            let has_old = status.replicas.unwrap_or(0) > updated;
            let misses = updated < wanted || has_old;
            if stuck.is_none() && !(misses && status.unavailable_replicas.unwrap_or(0) > 0) {
                continue;
            }
            let Some(blocking_pod) = self
                .blocking_pod(&owners, is_new)
                .or_else(|| stuck.map(|stuck| without_full_stop(&stuck.message).into()))
            else {
                continue;
            };
            let reason = sentence!(problem::rollout, updated = updated, wanted = wanted, pod = blocking_pod);
            let since = stuck.and_then(|stuck| stuck.last_transition_time);
            let row = self.add_finding(Problem::RolloutStuck, name, meta, reason, since);
            let command = format!("kubectl rollout undo deployment {} -n {}", meta.name, meta.namespace);
            row.help.push(command.into());
        }
    }

    fn add_stateful_and_daemon_set_problems(&mut self) {
        let objects = self.objects;
        for set in objects.list::<StatefulSet>() {
            let (meta, status) = (&set.metadata, &set.status);
            let is_rolling = !status.update_revision.is_empty() && status.update_revision != status.current_revision;
            if !self.includes_namespace(&meta.namespace) || !is_rolling {
                continue;
            }
            let is_new = |pod: &Pod| pod.metadata.label("controller-revision-hash") == Some(&*status.update_revision);
            if let Some(blocking_pod) = self.blocking_pod(&[&meta.uid], is_new) {
                let (updated, wanted) = (status.updated_replicas.unwrap_or(0), set.spec.replicas.unwrap_or(1));
                let reason = sentence!(problem::rollout, updated = updated, wanted = wanted, pod = blocking_pod);
                self.add_finding(
                    Problem::RolloutStuck,
                    format!("StatefulSet {}", meta.key()),
                    meta,
                    reason,
                    None,
                );
            }
        }
        for set in objects.list::<DaemonSet>() {
            let (meta, status) = (&set.metadata, &set.status);
            let (updated, wanted) = (
                status.updated_number_scheduled.unwrap_or(0),
                status.desired_number_scheduled,
            );
            if !self.includes_namespace(&meta.namespace) || updated >= wanted {
                continue;
            }
            let newest = objects
                .pods_of(&meta.uid)
                .max_by_key(|pod| pod.metadata.creation_timestamp);
            let newest = newest.and_then(|pod| pod.metadata.label("controller-revision-hash").map(str::to_owned));
            let is_new = |pod: &Pod| pod.metadata.label("controller-revision-hash") == newest.as_deref();
            if let Some(blocking_pod) = self.blocking_pod(&[&meta.uid], is_new) {
                let allowed = set.spec.update_strategy.rolling_update.as_ref();
                let allowed = allowed.and_then(|rolling| rolling.max_unavailable.as_ref());
                let allowed = allowed.map_or_else(|| "1".to_owned(), ToString::to_string);
                let reason = sentence!(
                    problem::daemon_rollout,
                    updated = updated,
                    wanted = wanted,
                    pod = blocking_pod,
                    allowed = allowed
                );
                self.add_finding(
                    Problem::RolloutStuck,
                    format!("DaemonSet {}", meta.key()),
                    meta,
                    reason,
                    None,
                );
            }
        }
    }

    fn add_job_problems(&mut self) {
        for job in self
            .objects
            .list::<Job>()
            .filter(|job| self.includes_namespace(&job.metadata.namespace))
            .cloned()
            .collect::<Vec<_>>()
        {
            if let Some(failed) = condition_with_status(&job.status.conditions, "Failed", &ConditionStatus::True) {
                let reason = match without_full_stop(&failed.message) {
                    "" => Sentence::from(&*failed.reason),
                    message => format!("{}: {message}", failed.reason).into(),
                };
                let owner = self.owner(&job.metadata);
                let since = failed.last_transition_time;
                let row = self.add_finding(
                    Problem::Failed,
                    format!("Job {}", job.metadata.key()),
                    &job.metadata,
                    reason,
                    since,
                );
                row.owner = owner;
            }
        }
    }

    fn add_budget_problems(&mut self) {
        let objects = self.objects;
        for budget in objects.list::<PodDisruptionBudget>() {
            let (meta, status) = (&budget.metadata, &budget.status);
            if !self.includes_namespace(&meta.namespace) || status.disruptions_allowed > 0 || status.expected_pods == 0
            {
                continue;
            }
            let (healthy, needed) = (status.current_healthy, status.desired_healthy);
            let reason = if healthy < needed {
                sentence!(problem::too_few_healthy, healthy = healthy, needed = needed)
            } else {
                let pods = status.expected_pods;
                sentence!(problem::no_spare, healthy = healthy, pods = pods, needed = needed)
            };
            let since = status.conditions.iter().find(|one| &*one.kind == "DisruptionAllowed");
            let since = since.and_then(|one| one.last_transition_time);
            let row = self.add_finding(
                Problem::BudgetBlocks,
                format!("PodDisruptionBudget {}", meta.key()),
                meta,
                reason,
                since,
            );
            row.help.push(match healthy < needed {
                true => sentence!(problem::get_pods_ready),
                false => sentence!(problem::run_one_more),
            });
        }
    }

    fn add_autoscaler_problems(&mut self) {
        let objects = self.objects;
        for autoscaler in objects.list::<HorizontalPodAutoscaler>() {
            let meta = &autoscaler.metadata;
            if !self.includes_namespace(&meta.namespace) {
                continue;
            }
            let unable = autoscaler.status.conditions.iter().find(|one| {
                let is = |kind: &str| one["type"] == kind && one["status"] == "False";
                is("AbleToScale") || is("ScalingActive") && one["reason"] != "ScalingDisabled"
            });
            if let Some(unable) = unable {
                let word = |key: &str| unable[key].as_str().unwrap_or_default();
                let reason = match without_full_stop(word("message")) {
                    "" => Sentence::from(word("reason")),
                    message => message.into(),
                };
                let since = parse_rfc3339(word("lastTransitionTime")).map(Time);
                let name = format!("HorizontalPodAutoscaler {}", meta.key());
                let row = self.add_finding(Problem::AutoscalerUnable, name, meta, reason, since);
                let target = &autoscaler.spec.scale_target_ref;
                row.owner = Some(format!("{} {}/{}", target.kind, meta.namespace, target.name));
            }
        }
    }
}

fn deployment_revision(meta: &ObjectMeta) -> i64 {
    let told = meta.annotation(annotation::DEPLOYMENT_REVISION);
    told.and_then(|told| told.parse().ok()).unwrap_or(0)
}
