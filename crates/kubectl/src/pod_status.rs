//! READY, STATUS and RESTARTS of a pod (KC-013 to KC-021).

use podscope_api::{ConditionStatus, ContainerStatus, Pod, PodPhase, Time};

use crate::duration::human_duration;

/// How `get pods` shows a pod.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PodRow {
    /// Ready containers.
    pub ready: usize,
    /// All containers, sidecars included.
    pub total: usize,
    /// STATUS.
    pub status: String,
    /// RESTARTS.
    pub restarts: String,
}

fn is_main_ready(status: &ContainerStatus) -> bool {
    status.ready && status.state.running.is_some()
}

/// The row of a pod at an instant.
pub fn pod_row(pod: &Pod, now: Time) -> PodRow {
    let sidecar = |name: &str| {
        pod.spec
            .init_containers
            .iter()
            .any(|container| &*container.name == name && container.is_sidecar())
    };
    let total = pod.spec.containers.len()
        + pod
            .spec
            .init_containers
            .iter()
            .filter(|container| container.is_sidecar())
            .count();
    let mut status = pod
        .status
        .phase
        .as_ref()
        .map_or_else(String::new, |phase| phase.as_str().to_owned());
    if !pod.status.reason.is_empty() {
        status = pod.status.reason.to_string();
    }
    if pod
        .condition("PodScheduled")
        .is_some_and(|condition| &*condition.reason == "SchedulingGated")
    {
        status = "SchedulingGated".into();
    }
    let (mut ready, mut initializing) = (0, false);
    let (mut restarts, mut sidecar_restarts) = (0, 0);
    let (mut last_restart, mut last_sidecar_restart): (Option<Time>, Option<Time>) = (None, None);
    let finished = |one: &ContainerStatus| one.last_state.terminated.as_ref().and_then(|ended| ended.finished_at);
    for (at, one) in pod.status.init_container_statuses.iter().enumerate() {
        restarts += one.restart_count;
        last_restart = last_restart.max(finished(one));
        if sidecar(&one.name) {
            sidecar_restarts += one.restart_count;
            last_sidecar_restart = last_sidecar_restart.max(finished(one));
        }
        if let Some(ended) = &one.state.terminated {
            if ended.exit_code == 0 {
                continue;
            }
            status = match (&*ended.reason, ended.signal) {
                ("", Some(signal)) if signal != 0 => format!("Init:Signal:{signal}"),
                ("", _) => format!("Init:ExitCode:{}", ended.exit_code),
                (reason, _) => format!("Init:{reason}"),
            };
        } else if sidecar(&one.name) && one.started == Some(true) {
            if one.ready {
                ready += 1;
            }
            continue;
        } else if let Some(waiting) = one
            .state
            .waiting
            .as_ref()
            .filter(|waiting| !waiting.reason.is_empty() && &*waiting.reason != "PodInitializing")
        {
            status = format!("Init:{}", waiting.reason);
        } else {
            status = format!("Init:{at}/{}", pod.spec.init_containers.len());
        }
        initializing = true;
        break;
    }
    let initialized = pod
        .condition("Initialized")
        .is_some_and(|condition| condition.status == ConditionStatus::True);
    if !initializing || initialized {
        restarts = sidecar_restarts;
        last_restart = last_sidecar_restart;
        let mut has_running = false;
        for one in pod.status.container_statuses.iter().rev() {
            restarts += one.restart_count;
            last_restart = last_restart.max(finished(one));
            if let Some(waiting) = one.state.waiting.as_ref().filter(|waiting| !waiting.reason.is_empty()) {
                status = waiting.reason.to_string();
            } else if let Some(ended) = &one.state.terminated {
                status = match (&*ended.reason, ended.signal) {
                    ("", Some(signal)) if signal != 0 => format!("Signal:{signal}"),
                    ("", _) => format!("ExitCode:{}", ended.exit_code),
                    (reason, _) => reason.to_owned(),
                };
            } else if is_main_ready(one) {
                has_running = true;
                ready += 1;
            }
        }
        if status == "Completed" && has_running {
            status = if pod.is_ready() { "Running" } else { "NotReady" }.into();
        }
    }
    if pod.metadata.is_terminating() {
        if &*pod.status.reason == "NodeLost" {
            status = "Unknown".into();
        } else if !matches!(pod.status.phase, Some(PodPhase::Succeeded | PodPhase::Failed)) {
            status = "Terminating".into();
        }
    }
    let restarts = match last_restart {
        Some(at) if restarts != 0 => format!(
            "{restarts} ({} ago)",
            human_duration((now.0 - at.0).div_euclid(1_000_000))
        ),
        _ => restarts.to_string(),
    };
    PodRow {
        ready,
        total,
        status,
        restarts,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn row(spec: Value, status: Value, meta: Value) -> (String, String, String) {
        let value = json!({"metadata": meta, "spec": spec, "status": status});
        let pod: Pod = podscope_api::wire::from_value(&value).unwrap();
        let row = pod_row(&pod, Time::from_seconds(1_000_000));
        (format!("{}/{}", row.ready, row.total), row.status, row.restarts)
    }

    /// KC-022.
    #[test]
    fn worked_pod_rows_are_printed_to_the_letter() {
        let ago = |seconds: i64| podscope_api::print_rfc3339((1_000_000 - seconds) * 1_000_000, 0);
        let c = |n: usize| json!((0..n).map(|i| json!({"name": format!("c{i}")})).collect::<Vec<_>>());
        let wait = |name: &str, reason: &str| json!({"name": name, "state": {"waiting": {"reason": reason}}});
        let run =
            |name: &str, ready: bool| json!({"name": name, "ready": ready, "started": true, "state": {"running": {}}});
        let end = |name: &str, code: i32, reason: &str| json!({"name": name, "state": {"terminated": {"exitCode": code, "reason": reason}}});
        let two_init = json!([{"name": "i0"}, {"name": "i1"}]);
        let deleted = json!({"deletionTimestamp": "1970-01-12T13:46:40Z"});
        let table = [
            (
                json!({"containers": c(2)}),
                json!({"phase": "Pending", "containerStatuses": [wait("c0", "ContainerCreating"), wait("c1", "ContainerCreating")]}),
                json!({}),
                "0/2",
                "ContainerCreating",
                "0",
            ),
            (
                json!({"containers": c(1), "initContainers": two_init}),
                json!({"phase": "Pending", "initContainerStatuses": [run("i0", false), wait("i1", "PodInitializing")]}),
                json!({}),
                "0/1",
                "Init:0/2",
                "0",
            ),
            (
                json!({"containers": c(1), "initContainers": two_init}),
                json!({"phase": "Pending", "initContainerStatuses": [end("i0", 0, "Completed"), {"name": "i1", "restartCount": 2, "state": {"terminated": {"exitCode": 1, "reason": "Error"}}, "lastState": {"terminated": {"exitCode": 1, "finishedAt": ago(30)}}}]}),
                json!({}),
                "0/1",
                "Init:Error",
                "2 (30s ago)",
            ),
            (
                json!({"containers": c(1), "initContainers": [{"name": "s", "restartPolicy": "Always"}]}),
                json!({"phase": "Running", "initContainerStatuses": [run("s", true)], "containerStatuses": [run("c0", true)]}),
                json!({}),
                "2/2",
                "Running",
                "0",
            ),
            (
                json!({"containers": c(1)}),
                json!({"phase": "Running", "containerStatuses": [{"name": "c0", "restartCount": 4, "state": {"waiting": {"reason": "CrashLoopBackOff"}}, "lastState": {"terminated": {"exitCode": 1, "finishedAt": ago(125)}}}]}),
                json!({}),
                "0/1",
                "CrashLoopBackOff",
                "4 (2m5s ago)",
            ),
            (
                json!({"containers": c(2)}),
                json!({"phase": "Running", "conditions": [{"type": "Ready", "status": "False"}], "containerStatuses": [end("c0", 0, "Completed"), run("c1", true)]}),
                json!({}),
                "1/2",
                "NotReady",
                "0",
            ),
            (
                json!({"containers": c(1)}),
                json!({"phase": "Failed", "reason": "Evicted"}),
                json!({}),
                "0/1",
                "Evicted",
                "0",
            ),
            (
                json!({"containers": c(1)}),
                json!({"phase": "Succeeded", "containerStatuses": [end("c0", 0, "Completed")]}),
                json!({}),
                "0/1",
                "Completed",
                "0",
            ),
            (
                json!({"containers": c(1)}),
                json!({"phase": "Succeeded", "containerStatuses": [end("c0", 0, "Completed")]}),
                deleted.clone(),
                "0/1",
                "Completed",
                "0",
            ),
            (
                json!({"containers": c(1)}),
                json!({"phase": "Running", "containerStatuses": [run("c0", true)]}),
                deleted,
                "1/1",
                "Terminating",
                "0",
            ),
            (
                json!({"containers": c(1)}),
                json!({"phase": "Failed", "containerStatuses": [{"name": "c0", "state": {"terminated": {"exitCode": 137, "signal": 9}}}]}),
                json!({}),
                "0/1",
                "Signal:9",
                "0",
            ),
        ];
        for (spec, status, meta, ready, text, restarts) in table {
            assert_eq!(row(spec, status, meta), (ready.into(), text.into(), restarts.into()));
        }
    }
}
