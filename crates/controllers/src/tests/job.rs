//! Tests of the Job controller (C-03, CT-091 to CT-095).

use podscope_api::{Job, Kind, Pod, PodPhase};

use super::super::lab::Lab;
use podscope_sim::Span;

/// Returns the manifest of the Job `batch`.
fn batch_manifest(extra_spec: &str) -> String {
    format!(
        "{{apiVersion: batch/v1, kind: Job, metadata: {{name: batch}}, spec: {{{extra_spec} \
         template: {{spec: {{restartPolicy: Never, containers: [{{name: c, image: i}}]}}}}}}}}"
    )
}

fn finish_pod(lab: &mut Lab, pod: &str, phase: PodPhase) {
    lab.edit::<Pod>(pod, move |pod| pod.status.phase = Some(phase.clone()));
}

fn active_pods(lab: &Lab) -> Vec<String> {
    let active = lab
        .objects()
        .list::<Pod>()
        .filter(|pod| !pod.is_terminal() && !pod.metadata.is_terminating());
    active.map(|pod| pod.metadata.name.to_string()).collect()
}

/// Returns the conditions of the Job as `TYPE:REASON`.
fn job_conditions(lab: &Lab) -> Vec<String> {
    let job = lab.get::<Job>("batch").unwrap();
    job.status
        .conditions
        .iter()
        .map(|condition| format!("{}:{}", condition.kind, condition.reason))
        .collect()
}

/// A deadline of the maximum 64-bit value never passes.
/// Shows: Q-03
#[test]
fn maximum_active_deadline_does_not_overflow() {
    let mut lab = Lab::new(&["a-1"], &batch_manifest("activeDeadlineSeconds: 9223372036854775807,"));
    lab.run(Span::seconds(3));
    assert_eq!((active_pods(&lab).len(), job_conditions(&lab).len()), (1, 0));
}

/// At most `parallelism` pods run at a time until `completions` is reached. Finished pods are counted, then their
/// finalizers are removed.
/// Shows: CT-091, CT-093
#[test]
fn job_runs_until_completions_are_reached() {
    let mut lab = Lab::new(&["a-1"], &batch_manifest("completions: 3, parallelism: 2,"));
    lab.run(Span::seconds(3));
    assert_eq!(active_pods(&lab).len(), 2);
    let first = active_pods(&lab)[0].clone();
    finish_pod(&mut lab, &first, PodPhase::Succeeded);
    lab.run(Span::seconds(3));
    assert_eq!(active_pods(&lab).len(), 2);
    assert!(lab.get::<Pod>(&first).unwrap().metadata.finalizers.is_empty());
    for pod in active_pods(&lab) {
        finish_pod(&mut lab, &pod, PodPhase::Succeeded);
    }
    lab.run(Span::seconds(3));
    let job = lab.get::<Job>("batch").unwrap();
    assert_eq!(
        (job.status.succeeded, job.status.active, active_pods(&lab).len()),
        (Some(3), None, 0)
    );
    assert_eq!(
        job_conditions(&lab),
        ["SuccessCriteriaMet:CompletionsReached", "Complete:CompletionsReached"]
    );
    assert!(
        lab.events.contains(&"batch Completed: Job completed".to_owned()),
        "{:?}",
        lab.events
    );
}

/// Failed pods are retried after 10 s, 20 s, …; beyond the backoff limit the Job fails.
/// Shows: CT-094
#[test]
fn failed_pods_are_retried_with_back_off_until_limit() {
    let mut lab = Lab::new(&["a-1"], &batch_manifest("backoffLimit: 1,"));
    lab.run(Span::seconds(3));
    let first = active_pods(&lab)[0].clone();
    finish_pod(&mut lab, &first, PodPhase::Failed);
    lab.run(Span::seconds(5));
    assert_eq!(active_pods(&lab).len(), 0, "the retry is in back-off");
    lab.run(Span::seconds(10));
    let second = active_pods(&lab)[0].clone();
    finish_pod(&mut lab, &second, PodPhase::Failed);
    lab.run(Span::seconds(60));
    assert_eq!(active_pods(&lab).len(), 0);
    assert_eq!(
        job_conditions(&lab),
        ["FailureTarget:BackoffLimitExceeded", "Failed:BackoffLimitExceeded"]
    );
    assert_eq!(lab.get::<Job>("batch").unwrap().status.failed, Some(2));
}

/// A terminating pod is replaced at once by default, and with the policy `Failed` only after it has failed.
/// Shows: CT-092, CT-095
#[test]
fn pod_replacement_policy_decides_when_pod_is_replaced() {
    for (more, expected) in [("", 1), ("podReplacementPolicy: Failed,", 0)] {
        let mut lab = Lab::new(&["a-1", "b-1"], &batch_manifest(more));
        lab.run(Span::seconds(3));
        let pod = active_pods(&lab)[0].clone();
        let node = lab.get::<Pod>(&pod).unwrap().spec.node_name.clone().unwrap();
        lab.partition(&node);
        lab.delete(Kind::Pod, &pod, None);
        lab.run(Span::seconds(60));
        assert_eq!(active_pods(&lab).len(), expected, "{more}");
        assert_eq!(
            job_conditions(&lab),
            Vec::<String>::new(),
            "no condition before the pod is removed (CT-095)"
        );
    }
}

/// Each index runs once; a failed pod is retried with its index.
/// Shows: C-03
#[test]
fn indexed_job_runs_each_index_until_it_succeeds() {
    let mut lab = Lab::new(
        &["a-1"],
        &batch_manifest("completions: 3, parallelism: 3, completionMode: Indexed,"),
    );
    lab.run(Span::seconds(3));
    let pods = active_pods(&lab);
    assert!(
        pods[0].starts_with("batch-0-") && pods[2].starts_with("batch-2-"),
        "{pods:?}"
    );
    finish_pod(&mut lab, &pods[1], PodPhase::Failed);
    finish_pod(&mut lab, &pods[0], PodPhase::Succeeded);
    finish_pod(&mut lab, &pods[2], PodPhase::Succeeded);
    lab.run(Span::seconds(30));
    assert_eq!(&*lab.get::<Job>("batch").unwrap().status.completed_indexes, "0,2");
    assert!(active_pods(&lab)[0].starts_with("batch-1-"), "{:?}", active_pods(&lab));
}

/// A podFailurePolicy rule can ignore disruptions, or fail the Job for an exit code.
/// Shows: CT-094
#[test]
fn pod_failure_policy_ignores_disruption_or_fails_job() {
    let policy = "backoffLimit: 0, podFailurePolicy: {rules: [{action: Ignore, onPodConditions: [{type: DisruptionTarget}]}, \
                  {action: FailJob, onExitCodes: {operator: In, values: [42]}}]},";
    for (code, disrupted, expected) in [
        (1, true, ""),
        (1, false, "FailureTarget:BackoffLimitExceeded"),
        (42, false, "FailureTarget:PodFailurePolicy"),
    ] {
        let mut lab = Lab::new(&["a-1"], &batch_manifest(policy));
        lab.run(Span::seconds(3));
        let pod = active_pods(&lab)[0].clone();
        lab.edit::<Pod>(&pod, move |pod| {
            pod.status.phase = Some(PodPhase::Failed);
            let mut status = podscope_api::ContainerStatus::default();
            status.state.terminated = Some(podscope_api::ContainerStateTerminated {
                exit_code: code,
                ..Default::default()
            });
            pod.status.container_statuses = vec![status];
            if disrupted {
                let condition = podscope_api::PodCondition {
                    kind: "DisruptionTarget".into(),
                    status: podscope_api::ConditionStatus::True,
                    ..Default::default()
                };
                pod.status.conditions.push(condition);
            }
        });
        lab.run(Span::seconds(30));
        assert_eq!(
            job_conditions(&lab).first().cloned().unwrap_or_default(),
            expected,
            "{code} {disrupted}"
        );
    }
}
