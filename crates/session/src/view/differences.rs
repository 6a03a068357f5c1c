//! Differences between a pod's state in the API and on its machine, and the causes of pod deletions.

use podscope_api::well_known::condition;
use podscope_api::{Node, NodeName, Pod};
use podscope_cluster::{SimTime, World};

use super::nodes::MachineState;
use podscope_protocol::{DeletionCause, MachineDifference, PodView};

/// Returns the differences between the pod's state in the API and its state on the machine (U-02).
pub(super) fn node_differences(
    world: &World,
    node: &NodeName,
    state: &MachineState,
    heartbeat: Option<SimTime>,
    ghosts: &[PodView],
) -> Vec<MachineDifference> {
    let mut out = Vec::new();
    let name = || node.to_string();
    if !state.powered {
        out.push(MachineDifference::NoPower {
            node: name(),
            listed: (world.objects().pods_on(node)).filter(|pod| !pod.is_terminal()).count(),
        });
    } else if state.is_silent && world.objects().named::<Node>(node.as_str()).is_none() {
        out.push(MachineDifference::Unknown {
            node: name(),
            is_kubelet_down: !state.kubelet,
        });
    } else if state.is_silent {
        out.push(MachineDifference::Dark {
            node: name(),
            is_kubelet_down: !state.kubelet,
            silent: heartbeat.map(|at| (world.now() - at).whole_seconds()),
        });
    }
    if state.receives_no_api_messages && !state.is_silent {
        out.push(MachineDifference::Deaf { node: name() });
    }
    if !state.runtime && state.powered {
        out.push(MachineDifference::NoRuntime { node: name() });
    }
    if state.storage_refused {
        out.push(MachineDifference::StorageRefused { node: name() });
    }
    let mut ghosts: Vec<&str> = ghosts.iter().map(|ghost| ghost.key.as_str()).collect();
    ghosts.dedup();
    out.extend(
        ghosts
            .into_iter()
            .map(|pod| MachineDifference::Ghost { pod: pod.to_owned() }),
    );
    out
}

/// Returns the cause of a pod's deletion (C-09).
pub(super) fn deletion_cause(pod: &Pod) -> DeletionCause {
    let Some(condition) = pod.condition(condition::DISRUPTION_TARGET) else {
        return DeletionCause::Request;
    };
    match &*condition.reason {
        "PreemptionByScheduler" => DeletionCause::Preemption,
        "DeletionByTaintManager" => DeletionCause::Taint,
        "EvictionByEvictionAPI" => DeletionCause::Eviction,
        "DeletionByPodGC" => DeletionCause::NodeGone,
        "TerminationByKubelet" => DeletionCause::Pressure,
        other => DeletionCause::Other(other.to_owned()),
    }
}
