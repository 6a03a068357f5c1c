//! `SchedulingGates`: a pod with gates does not enter the queue (SCH-037, S-03).

use podscope_api::Pod;

/// PreEnqueue: the text while any gate is left.
pub fn pre_enqueue(pod: &Pod) -> Result<(), String> {
    let gates = &pod.spec.scheduling_gates;
    if gates.is_empty() {
        return Ok(());
    }
    let names: Vec<&str> = gates.iter().map(|gate| &*gate.name).collect();
    Err(format!("waiting for scheduling gates: [{}]", names.join(" ")))
}
