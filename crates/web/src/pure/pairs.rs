//! Ready-made comparisons: one node is lost, two ways to go on, on one seed (T-04).

/// One side of a comparison.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Side {
    title: &'static str,
    owner: &'static str,
    /// How the node is lost.
    lose: &'static str,
    /// What is done about it at 90 s; looking at it changes nothing.
    then: &'static str,
}

const WAIT: Side = Side {
    title: "A StatefulSet that waits",
    owner: "StatefulSet",
    lose: "fault partition a-1",
    then: "kubectl get pods",
};
const REPLACE: Side = Side {
    title: "A ReplicaSet",
    owner: "ReplicaSet",
    ..WAIT
};
const FORCE: Side = Side {
    title: "Force delete",
    then: "kubectl delete pod web-0 --grace-period=0 --force",
    ..WAIT
};
const OFF: Side = Side {
    title: "The machine is off; wait",
    lose: "fault poweroff a-1",
    ..WAIT
};
const OUT_OF_SERVICE: Side = Side {
    title: "The machine is off; declare it out of service",
    then: "kubectl taint nodes a-1 node.kubernetes.io/out-of-service=nodeshutdown:NoExecute",
    ..OFF
};

/// The comparisons by name.
pub(crate) const PAIRS: [(&str, [Side; 2]); 3] = [
    ("A ReplicaSet, or a StatefulSet", [REPLACE, WAIT]),
    ("Wait, or force delete", [WAIT, FORCE]),
    ("Wait, or declare out of service", [OFF, OUT_OF_SERVICE]),
];

/// The scenario of one way.
pub(crate) fn scenario(way: &Side) -> String {
    let text = include_str!("../../examples/compare.yaml")
        .replace("TITLE", way.title)
        .replace("LOSE", way.lose)
        .replace("THEN", way.then)
        .replace("kind: StatefulSet", &format!("kind: {}", way.owner));
    if way.owner == "StatefulSet" {
        text
    } else {
        text.replace("  serviceName: web\n", "")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // T-04
    // Shows: T-04
    #[test]
    fn the_ways_are_scenarios_that_open() {
        for way in PAIRS.iter().flat_map(|(_, ways)| ways) {
            let loaded = podscope_session::scenario::load(&[("compare.yaml".into(), scenario(way))]);
            let loaded = loaded.unwrap_or_else(|problems| panic!("{}: {problems:?}", way.title));
            assert_eq!(loaded.scenario.title, way.title);
            assert_eq!(loaded.scenario.timeline.len(), 2);
            assert!(
                loaded.advice.is_empty() && loaded.notices.is_empty(),
                "{:?}",
                loaded.advice
            );
        }
    }
}
