//! Triage of nodes: nodes that are silent, not ready, or short of a resource.

use podscope_api::condition_taints::CONDITION_TAINTS;
use podscope_api::well_known::condition;
use podscope_api::{ConditionStatus, Node, NodeName, Pod};
use podscope_messages::{Sentence, sentence};

use super::{Problem, Triage, out_of_service_command, without_full_stop};

impl Triage<'_> {
    pub(super) fn add_node_problems(&mut self) {
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
                let why = match (&ready.status, without_full_stop(&ready.message)) {
                    (ConditionStatus::False, "") => sentence!(problem::not_ready_for, reason = &ready.reason),
                    (_, "") => sentence!(problem::kubelet_not_heard),
                    (_, message) => message.into(),
                };
                let reason = sentence!(problem::node_not_ready, pods = pods, why = why);
                let since = ready.last_transition_time;
                let row = self.add_finding(Problem::NodeNotReady, name.clone(), &node.metadata, reason, since);
                let command = out_of_service_command(&node.metadata.name);
                row.help.push(sentence!(problem::bring_machine_back, command = command));
            }
            for pressure in CONDITION_TAINTS.iter().filter(|row| row.is_pressure) {
                let Some(known) = node.condition(pressure.condition) else {
                    continue;
                };
                if known.status == ConditionStatus::True {
                    let reason = match without_full_stop(&known.message) {
                        "" => Sentence::from(pressure.condition),
                        message => format!("{}: {message}", pressure.condition).into(),
                    };
                    self.add_finding(
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
