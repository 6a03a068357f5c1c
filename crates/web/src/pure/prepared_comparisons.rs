//! Prepared comparisons: a node fails, and two reactions are run on the same seed (T-04).

use podscope_messages::{Message, pairs};

/// One of the two runs of a prepared comparison.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ComparisonRun {
    title: Message,
    owner: &'static str,
    /// The command that makes the node fail.
    loss: &'static str,
    /// The command that reacts to the failure, 90 s after the start. A command that only reads stands for no reaction.
    reaction: &'static str,
}

const STATEFULSET_WAITS: ComparisonRun = ComparisonRun {
    title: pairs::statefulset_waits,
    owner: "StatefulSet",
    loss: "fault partition a-1",
    reaction: "kubectl get pods",
};
const REPLICASET_REPLACES: ComparisonRun = ComparisonRun {
    title: pairs::replicaset,
    owner: "ReplicaSet",
    ..STATEFULSET_WAITS
};
const FORCE_DELETION: ComparisonRun = ComparisonRun {
    title: pairs::force_delete,
    reaction: "kubectl delete pod web-0 --grace-period=0 --force",
    ..STATEFULSET_WAITS
};
const POWERED_OFF_NODE: ComparisonRun = ComparisonRun {
    title: pairs::off_wait,
    loss: "fault poweroff a-1",
    ..STATEFULSET_WAITS
};
const OUT_OF_SERVICE_TAINT: ComparisonRun = ComparisonRun {
    title: pairs::off_out_of_service,
    reaction: "kubectl taint nodes a-1 node.kubernetes.io/out-of-service=nodeshutdown:NoExecute",
    ..POWERED_OFF_NODE
};

/// The prepared comparisons: name, and the two runs.
pub(crate) const COMPARISONS: [(Message, [ComparisonRun; 2]); 3] = [
    (
        pairs::replicaset_or_statefulset,
        [REPLICASET_REPLACES, STATEFULSET_WAITS],
    ),
    (pairs::wait_or_force, [STATEFULSET_WAITS, FORCE_DELETION]),
    (pairs::wait_or_declare, [POWERED_OFF_NODE, OUT_OF_SERVICE_TAINT]),
];

/// Returns the text of the scenario for one run of a comparison.
pub(crate) fn scenario_of_run(run: &ComparisonRun) -> String {
    // A title may contain any character, so it is quoted.
    let title = serde_json::Value::from(run.title.text()).to_string();
    let text = include_str!("../../examples/compare.yaml")
        .replace("TITLE", &title)
        .replace("LOSE", run.loss)
        .replace("THEN", run.reaction)
        .replace("kind: StatefulSet", &format!("kind: {}", run.owner));
    if run.owner == "StatefulSet" {
        text
    } else {
        text.replace("  serviceName: web\n", "")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Each run of a prepared comparison is a scenario that loads.
    // Shows: T-04
    #[test]
    fn every_run_of_a_comparison_is_a_valid_scenario() {
        for run in COMPARISONS.iter().flat_map(|(_, runs)| runs) {
            let loaded = podscope_session::scenario::load(&[("compare.yaml".into(), scenario_of_run(run))]);
            let loaded = loaded.unwrap_or_else(|problems| panic!("{}: {problems:?}", run.title.text()));
            assert_eq!(loaded.scenario.title, run.title.text());
            assert_eq!(loaded.scenario.timeline.len(), 2);
            assert!(
                loaded.advice.is_empty() && loaded.notices.is_empty(),
                "{:?}",
                loaded.advice
            );
        }
    }
}
