//! `SchedulingGates`: keeps a pod with scheduling gates out of the queue (SCH-037, S-03).

use podscope_api::Pod;
use podscope_messages::plugin as messages;

use super::{ExtensionPoints, PluginSpec, Point};
use crate::cache::Cache;
use crate::queue::events::{Event, EventKind, WaitingPod};

pub(super) const SPEC: PluginSpec = PluginSpec {
    events: &[EventKind::PodGatesGone],
    about: Some(messages::scheduling_gates_about),
    ..PluginSpec::new("SchedulingGates", &[Point::PreEnqueue], &SchedulingGates)
};

struct SchedulingGates;

impl ExtensionPoints for SchedulingGates {
    fn pre_enqueue(&self, _: &Cache, pod: &Pod, _: bool) -> Result<(), String> {
        let gates = &pod.spec.scheduling_gates;
        if gates.is_empty() {
            return Ok(());
        }
        let names: Vec<&str> = gates.iter().map(|gate| &*gate.name).collect();
        Err(format!("waiting for scheduling gates: [{}]", names.join(" ")))
    }

    fn queueing_hint(&self, _: &mut Cache, event: &Event<'_>, waiting: &WaitingPod<'_>) -> bool {
        event.is_update_of_pod(waiting)
    }
}
