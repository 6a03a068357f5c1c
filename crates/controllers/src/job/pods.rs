//! Determines the pods that a sync deletes or creates (CT-091, CT-092, CT-095).

use std::cmp::Reverse;
use std::sync::Arc;

use podscope_api::ordered::{self, StableSort as _};
use podscope_api::well_known::{finalizer, label};
use podscope_api::{Container, EnvVar, EnvVarSource, EventType, Job, Object, ObjectFieldSelector, Pod, PodPhase};
use podscope_sim::Request;

use super::backoff::remaining_backoff_of_pod;
use super::indexes::{
    FAILURE_COUNT_ANNOTATION, IGNORED_FAILURE_COUNT_ANNOTATION, INDEX_ANNOTATION, Indexes,
    counted_and_all_failures_before, index_of, is_indexed,
};
use super::sync::JobSync;
use super::{is_suspended, policy, replaces_only_failed_pods};
use crate::controller::note;
use crate::owner::controller_ref;
use crate::plan::{Accept, Action};
use crate::pod_util::{max_restarts, ready_since};
use crate::replicaset::BURST_REPLICAS;
use crate::template::{Template, set_entry};

/// The pods that a sync deletes or creates.
pub(super) enum JobPodsStep {
    Nothing,
    /// Delete these excess pods.
    Delete(Vec<Arc<Pod>>),
    /// Create one pod per entry. For an Indexed Job, the entry is the index of the pod.
    Create(Vec<Option<i32>>),
}

/// Compares the active pods with the desired number, and returns the necessary step.
pub(super) fn next_step(sync: &mut JobSync<'_, '_, '_>) -> JobPodsStep {
    let desired_active = desired_active_pods(sync);
    let mut victims = excess_pods(sync, sync.active.len().saturating_sub(desired_active));
    if !is_suspended(&sync.job) {
        victims.truncate(BURST_REPLICAS);
    }
    if !victims.is_empty() {
        return JobPodsStep::Delete(victims);
    }
    let terminating = sync.pods.iter().filter(|pod| is_stopping(pod)).count();
    let waiting = if replaces_only_failed_pods(&sync.job) {
        terminating
    } else {
        0
    };
    let count = desired_active.saturating_sub(sync.active.len() + waiting);
    if count == 0 {
        return JobPodsStep::Nothing;
    }
    let now = sync.cx.ctx.wall();
    if sync.failed_indexes.is_none()
        && let Some(left) = sync.record.remaining_backoff(now)
    {
        sync.requeue_after_at_most(left);
        return JobPodsStep::Nothing;
    }
    let count = count.min(BURST_REPLICAS);
    if !is_indexed(&sync.job) {
        return JobPodsStep::Create(vec![None; count]);
    }
    let free = indexes_without_pod(sync, count);
    let wait = |index: &i32| {
        let before = sync.replaced.get(index)?;
        remaining_backoff_of_pod(before, counted_and_all_failures_before(before).1, now)
    };
    let shortest_wait = free.iter().filter_map(wait).min();
    let ready: Vec<Option<i32>> = free
        .into_iter()
        .filter(|index| wait(index).is_none())
        .map(Some)
        .collect();
    match shortest_wait {
        Some(left) if ready.is_empty() => {
            sync.requeue_after_at_most(left);
            JobPodsStep::Nothing
        }
        // Indexes in back-off are checked again after these pods are created.
        _ => JobPodsStep::Create(ready),
    }
}

/// Returns the number of pods that should be active now (CT-091).
fn desired_active_pods(sync: &JobSync<'_, '_, '_>) -> usize {
    if is_suspended(&sync.job) {
        return 0;
    }
    let parallelism = sync.job.spec.parallelism.unwrap_or(1);
    let desired_active = match sync.job.spec.completions {
        Some(completions) => (completions - sync.succeeded).min(parallelism),
        None if sync.succeeded > 0 => return sync.active.len(),
        None => parallelism,
    };
    usize::try_from(desired_active).unwrap_or(0)
}

fn is_stopping(pod: &Pod) -> bool {
    pod.metadata.is_terminating() && !pod.is_terminal()
}

/// Selects at least `at_least` active pods for deletion, those with the least progress first. For an Indexed Job also
/// selects pods without an index or with a duplicate one.
fn excess_pods(sync: &JobSync<'_, '_, '_>, at_least: usize) -> Vec<Arc<Pod>> {
    let mut ranked = sync.active.clone();
    let phase = |pod: &Pod| match pod.status.phase {
        Some(PodPhase::Running) => 2,
        Some(PodPhase::Unknown) => 1,
        _ => 0,
    };
    ranked.stable_sort_by_key(|pod| {
        (
            pod.spec.node_name.is_some(),
            phase(pod),
            pod.is_ready(),
            Reverse(ready_since(pod)),
            Reverse(max_restarts(pod, false)),
            Reverse(pod.metadata.creation_timestamp),
        )
    });
    if !is_indexed(&sync.job) {
        ranked.truncate(at_least);
        return ranked;
    }
    // Keep the pod with the most progress of each index.
    let mut keepers = Indexes::new();
    let (mut kept, mut excess) = (Vec::new(), Vec::new());
    for pod in ranked.into_iter().rev() {
        let is_keeper = index_of(&sync.job, &pod).is_some_and(|index| keepers.insert(index));
        if is_keeper { kept.push(pod) } else { excess.push(pod) }
    }
    while excess.len() < at_least
        && let Some(pod) = kept.pop()
    {
        excess.push(pod);
    }
    excess
}

/// Returns the lowest indexes that have not succeeded, have not failed for good, and have no active pod.
fn indexes_without_pod(sync: &JobSync<'_, '_, '_>, count: usize) -> Vec<i32> {
    let awaited = sync
        .pods
        .iter()
        .filter(|pod| replaces_only_failed_pods(&sync.job) && is_stopping(pod));
    let busy: Indexes = sync
        .active
        .iter()
        .chain(awaited)
        .filter_map(|pod| index_of(&sync.job, pod))
        .collect();
    let is_given_up = |index: &i32| sync.failed_indexes.as_ref().is_some_and(|list| list.contains(index));
    let all = 0..sync.job.spec.completions.unwrap_or(0);
    all.filter(|index| !busy.contains(index) && !sync.succeeded_indexes.contains(index) && !is_given_up(index))
        .take(count)
        .collect()
}

/// Builds the create request of one pod.
pub(super) fn create_pod_action(sync: &JobSync<'_, '_, '_>, index: Option<i32>) -> Action {
    let job = &*sync.job;
    let replaced = index.and_then(|index| sync.replaced.get(&index));
    Action::from(Request::Create(Object::Pod(Arc::new(new_pod_for_job(
        job, index, replaced,
    )))))
    .accept(Accept::OrNamespaceTerminating)
    .on_success(note(job, EventType::Normal, "SuccessfulCreate", "Created pod: {name}"))
    .on_failure(note(job, EventType::Warning, "FailedCreate", "Error creating: {error}"))
}

fn new_pod_for_job(job: &Job, index: Option<i32>, replaced: Option<&Arc<Pod>>) -> Pod {
    let template = Template::of(&job.spec.template);
    let name = &job.metadata.name;
    let prefix = index.map_or_else(|| format!("{name}-"), |index| format!("{name}-{index}-"));
    let mut pod = template.pod(&job.metadata.namespace, &prefix, controller_ref(job));
    let labels: ordered::Map<&str, &str> = ordered::Map::from([
        (label::JOB_CONTROLLER_UID, job.metadata.uid.as_str()),
        (label::JOB_NAME, &**name),
        ("controller-uid", job.metadata.uid.as_str()),
        ("job-name", &**name),
    ]);
    for (key, value) in labels {
        set_entry(&mut pod.metadata.labels, key, value);
    }
    if !pod
        .metadata
        .finalizers
        .iter()
        .any(|known| &**known == finalizer::JOB_TRACKING)
    {
        pod.metadata.finalizers.push(finalizer::JOB_TRACKING.into());
    }
    if let Some(index) = index {
        set_entry(&mut pod.metadata.annotations, INDEX_ANNOTATION, &index.to_string());
        set_entry(&mut pod.metadata.labels, INDEX_ANNOTATION, &index.to_string());
        pod.spec.hostname = format!("{name}-{index}").into();
        add_index_variable(&mut pod);
        if job.spec.backoff_limit_per_index.is_some() {
            annotate_failure_counts(job, &mut pod, replaced);
        }
    }
    pod
}

/// Sets the environment variable with the completion index in every container.
fn add_index_variable(pod: &mut Pod) {
    const VARIABLE: &str = "JOB_COMPLETION_INDEX";
    let add_variable = |container: &mut Container| {
        if !container.env.iter().any(|variable| &*variable.name == VARIABLE) {
            container.env.push(EnvVar {
                name: VARIABLE.into(),
                value_from: Some(EnvVarSource {
                    field_ref: Some(ObjectFieldSelector {
                        api_version: "".into(),
                        field_path: format!("metadata.labels['{INDEX_ANNOTATION}']").into(),
                    }),
                    ..EnvVarSource::default()
                }),
                ..EnvVar::default()
            });
        }
    };
    Arc::make_mut(&mut pod.spec.init_containers)
        .iter_mut()
        .for_each(add_variable);
    Arc::make_mut(&mut pod.spec.containers)
        .iter_mut()
        .for_each(add_variable);
}

/// Annotates a new pod with the failure counts of its index.
fn annotate_failure_counts(job: &Job, pod: &mut Pod, replaced: Option<&Arc<Pod>>) {
    let (mut counted, mut ignored) = (0, 0);
    if let Some(replaced) = replaced {
        let (before, all) = counted_and_all_failures_before(replaced);
        (counted, ignored) = (before, all - before);
        if policy::decide(job, replaced).counts_towards_limits() {
            counted += 1;
        } else {
            ignored += 1;
        }
    }
    set_entry(
        &mut pod.metadata.annotations,
        FAILURE_COUNT_ANNOTATION,
        &counted.to_string(),
    );
    if ignored > 0 {
        set_entry(
            &mut pod.metadata.annotations,
            IGNORED_FAILURE_COUNT_ANNOTATION,
            &ignored.to_string(),
        );
    }
}
