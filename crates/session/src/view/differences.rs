//! Sentences: what is, then what it means.

use podscope_api::{NodeName, Pod};
use podscope_cluster::{SimTime, World};

use super::nodes::MachineState;
use podscope_protocol::PodView;

/// Where API and machine differ; empty where they agree (U-02).
pub(super) fn differs(
    world: &World,
    node: &NodeName,
    state: &MachineState,
    heartbeat: Option<SimTime>,
    ghosts: &[PodView],
) -> Vec<String> {
    let mut out = Vec::new();
    if !state.powered {
        let believed = (world.objects().pods_on(node)).filter(|pod| !pod.is_terminal()).count();
        out.push(format!(
            "{node} has no power: nothing runs here.{}",
            match believed {
                0 => String::new(),
                1 => " The API server still lists a pod on it.".to_owned(),
                _ => format!(" The API server still lists {believed} pods on it."),
            }
        ));
    } else if state.is_dark {
        let silent = heartbeat.map_or_else(
            || "no heartbeat yet".to_owned(),
            |at| {
                let silent = podscope_api::clock::length((world.now() - at).whole_seconds());
                format!("no heartbeat for {silent}")
            },
        );
        let why = if state.kubelet {
            "cut off"
        } else {
            "its kubelet does not run"
        };
        out.push(format!(
            "{node}: {why}, {silent}. The API server cannot know whether its pods still run."
        ));
    }
    if !state.runtime && state.powered {
        out.push(format!(
            "{node}: the container runtime does not answer; containers run on."
        ));
    }
    if state.storage_refused {
        out.push(format!(
            "{node}: storage refuses it; its processes can no longer write to shared volumes."
        ));
    }
    let mut ghosts: Vec<&str> = ghosts.iter().map(|ghost| ghost.key.as_str()).collect();
    ghosts.dedup();
    for ghost in ghosts {
        out.push(format!("{ghost} still runs here, but the API has forgotten it."));
    }
    out
}

/// Why a pod is being deleted (C-09).
pub(super) fn deletion_cause(pod: &Pod) -> String {
    if !pod.metadata.is_terminating() {
        return String::new();
    }
    match pod.condition("DisruptionTarget") {
        Some(condition) => match &*condition.reason {
            "PreemptionByScheduler" => "preempted by a pod of higher priority".into(),
            "DeletionByTaintManager" => "its node has a NoExecute taint that it does not tolerate".into(),
            "EvictionByEvictionAPI" => "evicted by a drain or another voluntary disruption".into(),
            "DeletionByPodGC" => "its node is gone: removed by the pod garbage collector".into(),
            "TerminationByKubelet" => "evicted by its kubelet: the node is under pressure".into(),
            other => other.to_owned(),
        },
        None => "deleted by request".into(),
    }
}
