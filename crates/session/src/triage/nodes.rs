//! Nodes that are not heard, not ready, or short of something.

use podscope_api::condition_taints::CONDITION_TAINTS;
use podscope_api::well_known::condition;
use podscope_api::{ConditionStatus, Node, NodeName, Pod};

use super::{Problem, Triage, clause};

impl Triage<'_> {
    pub(super) fn nodes(&mut self) {
        if self.scope.namespace.is_some() {
            return;
        }
        let objects = self.objects;
        for node in objects.list::<Node>() {
            if node.metadata.annotation(podscope_cluster::NOT_IN_THE_DUMP).is_some() {
                continue;
            }
            let name = format!("Node {}", node.metadata.name);
            if let Some(ready) = node
                .condition(condition::READY)
                .filter(|ready| ready.status != ConditionStatus::True)
            {
                let pods = objects.pods_on(&NodeName(node.metadata.name.clone()));
                let pods = pods.filter(|pod: &&std::sync::Arc<Pod>| !pod.is_terminal()).count();
                let why = match (&ready.status, clause(&ready.message)) {
                    (ConditionStatus::False, "") => format!("not ready: {}", ready.reason),
                    (ConditionStatus::False, message) => message.to_owned(),
                    (_, "") => "its kubelet is not heard".to_owned(),
                    (_, message) => message.to_owned(),
                };
                let s = if pods == 1 { "" } else { "s" };
                let reason = format!("{why}; {pods} pod{s} there");
                let since = ready.last_transition_time;
                let row = self.add(Problem::NodeNotReady, name.clone(), &node.metadata, reason, since);
                row.help.push(format!(
                    "Bring the machine or its network back; while nobody knows that it is off, its pods may still run. Once it is surely off: kubectl taint node {} node.kubernetes.io/out-of-service=nodeshutdown:NoExecute",
                    node.metadata.name
                ));
            }
            for pressure in CONDITION_TAINTS.iter().filter(|row| row.is_pressure) {
                let Some(known) = node.condition(pressure.condition) else {
                    continue;
                };
                if known.status == ConditionStatus::True {
                    let reason = match clause(&known.message) {
                        "" => pressure.condition.to_owned(),
                        message => format!("{}: {message}", pressure.condition),
                    };
                    self.add(
                        Problem::NodePressure,
                        name.clone(),
                        &node.metadata,
                        reason,
                        known.last_transition_time,
                    );
                }
            }
        }
    }
}
