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

const WAIT: ComparisonRun = ComparisonRun {
    title: pairs::statefulset_waits,
    owner: "StatefulSet",
    loss: "fault partition a-1",
    reaction: "kubectl get pods",
};
const REPLACE: ComparisonRun = ComparisonRun {
    title: pairs::replicaset,
    owner: "ReplicaSet",
    ..WAIT
};
const FORCE: ComparisonRun = ComparisonRun {
    title: pairs::force_delete,
    reaction: "kubectl delete pod web-0 --grace-period=0 --force",
    ..WAIT
};
const OFF: ComparisonRun = ComparisonRun {
    title: pairs::off_wait,
    loss: "fault poweroff a-1",
    ..WAIT
};
const OUT_OF_SERVICE: ComparisonRun = ComparisonRun {
    title: pairs::off_out_of_service,
    reaction: "kubectl taint nodes a-1 node.kubernetes.io/out-of-service=nodeshutdown:NoExecute",
    ..OFF
};

/// The prepared comparisons: name, and the two runs.
pub(crate) const PAIRS: [(Message, [ComparisonRun; 2]); 3] = [
    (pairs::replicaset_or_statefulset, [REPLACE, WAIT]),
    (pairs::wait_or_force, [WAIT, FORCE]),
    (pairs::wait_or_declare, [OFF, OUT_OF_SERVICE]),
];

/// Returns the scenario of one side.
pub(crate) fn scenario(side: &ComparisonRun) -> String {
    // A title may contain any character, so it is quoted.
    let title = serde_json::Value::from(side.title.text()).to_string();
    let text = include_str!("../../examples/compare.yaml")
        .replace("TITLE", &title)
        .replace("LOSE", side.loss)
        .replace("THEN", side.reaction)
        .replace("kind: StatefulSet", &format!("kind: {}", side.owner));
    if side.owner == "StatefulSet" {
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
        for side in PAIRS.iter().flat_map(|(_, sides)| sides) {
            let loaded = podscope_session::scenario::load(&[("compare.yaml".into(), scenario(side))]);
            let loaded = loaded.unwrap_or_else(|problems| panic!("{}: {problems:?}", side.title.text()));
            assert_eq!(loaded.scenario.title, side.title.text());
            assert_eq!(loaded.scenario.timeline.len(), 2);
            assert!(
                loaded.advice.is_empty() && loaded.notices.is_empty(),
                "{:?}",
                loaded.advice
            );
        }
    }
}
