//! The columns READY, STATUS and RESTARTS of a pod (KC-013 to KC-021).

use podscope_api::well_known::condition;
use podscope_api::{ConditionStatus, Container, ContainerStateTerminated, ContainerStatus, Pod, PodPhase, Time};

use crate::duration::human_duration;

/// The row of a pod in `kubectl get pods`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PodRow {
    /// Number of ready containers.
    pub ready: usize,
    /// Number of containers, sidecars included.
    pub total: usize,
    pub status: String,
    pub restarts: String,
}

/// Returns whether a main container is running and ready.
fn is_main_ready(status: &ContainerStatus) -> bool {
    status.ready && status.state.running.is_some()
}

/// Number of container restarts, and the time when the last terminated instance ended.
#[derive(Default)]
struct RestartCount {
    count: i32,
    last: Option<Time>,
}

impl RestartCount {
    fn add(&mut self, one: &ContainerStatus) {
        let ended = one.last_state.terminated.as_ref();
        self.count += one.restart_count;
        self.last = self.last.max(ended.and_then(|ended| ended.finished_at));
    }

    fn text(&self, now: Time) -> String {
        let count = self.count;
        match self.last {
            Some(at) if count != 0 => {
                format!("{count} ({} ago)", human_duration((now.0 - at.0).div_euclid(1_000_000)))
            }
            _ => count.to_string(),
        }
    }
}

/// Returns the STATUS text of a terminated container.
fn termination_text(ended: &ContainerStateTerminated) -> String {
    match (&*ended.reason, ended.signal) {
        ("", Some(signal)) if signal != 0 => format!("Signal:{signal}"),
        ("", _) => format!("ExitCode:{}", ended.exit_code),
        (reason, _) => reason.to_owned(),
    }
}

/// Builder for the row of a pod; its containers are evaluated one after the other.
struct PodRowBuilder<'p> {
    pod: &'p Pod,
    status: String,
    ready: usize,
    restarts: RestartCount,
}

impl<'p> PodRowBuilder<'p> {
    /// Creates a builder whose STATUS text comes from the fields of the pod; its containers are not evaluated yet.
    fn of(pod: &'p Pod) -> PodRowBuilder<'p> {
        let mut status = pod
            .status
            .phase
            .as_ref()
            .map_or_else(String::new, |phase| phase.as_str().to_owned());
        if !pod.status.reason.is_empty() {
            status = pod.status.reason.to_string();
        }
        if pod
            .condition(condition::POD_SCHEDULED)
            .is_some_and(|condition| &*condition.reason == "SchedulingGated")
        {
            status = "SchedulingGated".into();
        }
        PodRowBuilder {
            pod,
            status,
            ready: 0,
            restarts: RestartCount::default(),
        }
    }

    fn sidecars(&self) -> impl Iterator<Item = &'p Container> {
        let all = self.pod.spec.init_containers.iter();
        all.filter(|container| container.is_sidecar())
    }

    /// Adds the init containers up to the first one that blocks the others. Returns whether one blocks the pod's
    /// initialization.
    fn add_init_containers(&mut self) -> bool {
        let mut sidecar_restarts = RestartCount::default();
        let mut is_blocked = false;
        for (at, one) in self.pod.status.init_container_statuses.iter().enumerate() {
            let is_sidecar = self.sidecars().any(|container| container.name == one.name);
            self.restarts.add(one);
            if is_sidecar {
                sidecar_restarts.add(one);
            }
            if one.state.terminated.as_ref().is_some_and(|ended| ended.exit_code == 0) {
                continue;
            }
            if one.state.terminated.is_none() && is_sidecar && one.started == Some(true) {
                self.ready += usize::from(one.ready);
                continue;
            }
            self.status = format!("Init:{}", self.blocking_status(at, one));
            is_blocked = true;
            break;
        }
        let initialized = self.pod.condition(condition::INITIALIZED);
        let is_initialized = initialized.is_some_and(|condition| condition.status == ConditionStatus::True);
        // After initialization only the restarts of sidecars are counted, not those of other init containers.
        if !is_blocked || is_initialized {
            self.restarts = sidecar_restarts;
        }
        is_blocked && !is_initialized
    }

    /// Returns the STATUS text for the init container that blocks the others; `at` is its index.
    fn blocking_status(&self, at: usize, one: &ContainerStatus) -> String {
        let waiting = one.state.waiting.as_ref().map_or("", |waiting| &*waiting.reason);
        match (&one.state.terminated, waiting) {
            (Some(ended), _) => termination_text(ended),
            (None, "" | "PodInitializing") => format!("{at}/{}", self.pod.spec.init_containers.len()),
            (None, reason) => reason.to_owned(),
        }
    }

    fn add_main_containers(&mut self) {
        let (mut has_running, mut failure) = (false, None);
        for one in self.pod.status.container_statuses.iter().rev() {
            self.restarts.add(one);
            if let Some(waiting) = one.state.waiting.as_ref().filter(|waiting| !waiting.reason.is_empty()) {
                self.status = waiting.reason.to_string();
            } else if let Some(ended) = &one.state.terminated {
                self.status = termination_text(ended);
                failure = (ended.exit_code != 0).then(|| self.status.clone()).or(failure);
            } else if is_main_ready(one) {
                has_running = true;
                self.ready += 1;
            }
        }
        if self.status == "Completed" {
            match failure {
                _ if has_running && self.pod.is_ready() => self.status = "Running".into(),
                Some(failure) => self.status = failure,
                None if has_running => self.status = "NotReady".into(),
                None => {}
            }
        }
    }
}

/// Returns the row of a pod at the time `now`.
pub fn pod_row(pod: &Pod, now: Time) -> PodRow {
    let mut row = PodRowBuilder::of(pod);
    if !row.add_init_containers() {
        row.add_main_containers();
    }
    if pod.metadata.is_terminating() {
        if &*pod.status.reason == "NodeLost" {
            row.status = "Unknown".into();
        } else if !matches!(pod.status.phase, Some(PodPhase::Succeeded | PodPhase::Failed)) {
            row.status = "Terminating".into();
        }
    }
    PodRow {
        ready: row.ready,
        total: pod.spec.containers.len() + row.sidecars().count(),
        status: row.status,
        restarts: row.restarts.text(now),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    /// Returns the cells READY, STATUS and RESTARTS of a pod with these JSON fields.
    fn ready_status_and_restarts(spec: Value, status: Value, meta: Value) -> (String, String, String) {
        let value = json!({"metadata": meta, "spec": spec, "status": status});
        let pod: Pod = podscope_api::wire::from_value(&value).unwrap();
        let row = pod_row(&pod, Time::from_seconds(1_000_000));
        (format!("{}/{}", row.ready, row.total), row.status, row.restarts)
    }

    /// Shows: KC-022
    #[test]
    #[expect(clippy::too_many_lines, reason = "a table of cases")]
    fn pod_rows_equal_kubectl_output() {
        let ago = |seconds: i64| podscope_api::print_rfc3339((1_000_000 - seconds) * 1_000_000, 0);
        let containers = |n: usize| json!((0..n).map(|i| json!({"name": format!("c{i}")})).collect::<Vec<_>>());
        let wait = |name: &str, reason: &str| json!({"name": name, "state": {"waiting": {"reason": reason}}});
        let run =
            |name: &str, ready: bool| json!({"name": name, "ready": ready, "started": true, "state": {"running": {}}});
        let end = |name: &str, code: i32, reason: &str| json!({"name": name, "state": {"terminated": {"exitCode": code, "reason": reason}}});
        let two_init = json!([{"name": "i0"}, {"name": "i1"}]);
        let deleted = json!({"deletionTimestamp": "1970-01-12T13:46:40Z"});
        let table = [
            (
                json!({"containers": containers(2)}),
                json!({"phase": "Pending", "containerStatuses": [wait("c0", "ContainerCreating"), wait("c1", "ContainerCreating")]}),
                json!({}),
                "0/2",
                "ContainerCreating",
                "0",
            ),
            (
                json!({"containers": containers(1), "initContainers": two_init}),
                json!({"phase": "Pending", "initContainerStatuses": [run("i0", false), wait("i1", "PodInitializing")]}),
                json!({}),
                "0/1",
                "Init:0/2",
                "0",
            ),
            (
                json!({"containers": containers(1), "initContainers": two_init}),
                json!({"phase": "Pending", "initContainerStatuses": [end("i0", 0, "Completed"), {"name": "i1", "restartCount": 2, "state": {"terminated": {"exitCode": 1, "reason": "Error"}}, "lastState": {"terminated": {"exitCode": 1, "finishedAt": ago(30)}}}]}),
                json!({}),
                "0/1",
                "Init:Error",
                "2 (30s ago)",
            ),
            (
                json!({"containers": containers(1), "initContainers": [{"name": "s", "restartPolicy": "Always"}]}),
                json!({"phase": "Running", "initContainerStatuses": [run("s", true)], "containerStatuses": [run("c0", true)]}),
                json!({}),
                "2/2",
                "Running",
                "0",
            ),
            (
                json!({"containers": containers(1)}),
                json!({"phase": "Running", "containerStatuses": [{"name": "c0", "restartCount": 4, "state": {"waiting": {"reason": "CrashLoopBackOff"}}, "lastState": {"terminated": {"exitCode": 1, "finishedAt": ago(125)}}}]}),
                json!({}),
                "0/1",
                "CrashLoopBackOff",
                "4 (2m5s ago)",
            ),
            (
                json!({"containers": containers(2)}),
                json!({"phase": "Running", "conditions": [{"type": "Ready", "status": "False"}], "containerStatuses": [end("c0", 0, "Completed"), run("c1", true)]}),
                json!({}),
                "1/2",
                "NotReady",
                "0",
            ),
            (
                json!({"containers": containers(2)}),
                json!({"phase": "Failed", "containerStatuses": [end("c0", 0, "Completed"), end("c1", 2, "Error")]}),
                json!({}),
                "0/2",
                "Error",
                "0",
            ),
            (
                json!({"containers": containers(3)}),
                json!({"phase": "Running", "conditions": [{"type": "Ready", "status": "False"}], "containerStatuses": [end("c0", 0, "Completed"), run("c1", true), end("c2", 137, "OOMKilled")]}),
                json!({}),
                "1/3",
                "OOMKilled",
                "0",
            ),
            (
                json!({"containers": containers(1)}),
                json!({"phase": "Failed", "reason": "Evicted"}),
                json!({}),
                "0/1",
                "Evicted",
                "0",
            ),
            (
                json!({"containers": containers(1)}),
                json!({"phase": "Succeeded", "containerStatuses": [end("c0", 0, "Completed")]}),
                json!({}),
                "0/1",
                "Completed",
                "0",
            ),
            (
                json!({"containers": containers(1)}),
                json!({"phase": "Succeeded", "containerStatuses": [end("c0", 0, "Completed")]}),
                deleted.clone(),
                "0/1",
                "Completed",
                "0",
            ),
            (
                json!({"containers": containers(1)}),
                json!({"phase": "Running", "containerStatuses": [run("c0", true)]}),
                deleted,
                "1/1",
                "Terminating",
                "0",
            ),
            (
                json!({"containers": containers(1)}),
                json!({"phase": "Failed", "containerStatuses": [{"name": "c0", "state": {"terminated": {"exitCode": 137, "signal": 9}}}]}),
                json!({}),
                "0/1",
                "Signal:9",
                "0",
            ),
        ];
        for (spec, status, meta, ready, text, restarts) in table {
            assert_eq!(
                ready_status_and_restarts(spec, status, meta),
                (ready.into(), text.into(), restarts.into())
            );
        }
    }
}
