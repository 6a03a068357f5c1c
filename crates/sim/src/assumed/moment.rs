//! When a dump was taken: no instant that its objects tell of is later (P-03, P-09).

use podscope_api::{ContainerState, Event, Lease, Node, Object, Pod, Time, parse_rfc3339};
use serde_json::Value;

use super::is_imported;

/// Fields of a status that tell when something was. Others may tell when something will be.
const PAST: [&str; 12] = [
    "completionTime",
    "finishedAt",
    "lastHeartbeatTime",
    "lastProbeTime",
    "lastScaleTime",
    "lastScheduleTime",
    "lastSuccessfulTime",
    "lastTransitionTime",
    "lastUpdateTime",
    "startTime",
    "startedAt",
    "time",
];

/// The newest instant that imported objects tell of, in whole seconds.
pub fn newest_time(objects: &[Object]) -> Option<Time> {
    let live = objects.iter().filter(|object| is_imported(object));
    let newest = live.filter_map(of_object).max()?;
    let second = 1_000_000;
    Some(Time((newest.0 + second - 1).div_euclid(second) * second))
}

/// The newest that one object tells of. When it is to be gone is not among them, for that may be to come; when somebody
/// asked for its deletion is.
fn of_object(object: &Object) -> Option<Time> {
    let told = match object {
        Object::Pod(pod) => of_pod(pod),
        Object::Node(node) => of_node(node),
        Object::Event(event) => of_event(event),
        Object::Lease(lease) => of_lease(lease),
        // A made object's past is short, and these are few.
        other => (other.typed_value().get("status")).and_then(newest_of),
    };
    let written = object.extra().instants("time").max().map(Time);
    let created = object.metadata().creation_timestamp;
    created.max(told).max(written).max(deletion_asked(object))
}

/// When the deletion of an object was asked for: its timestamp is later than that by the grace it was given.
fn deletion_asked(object: &Object) -> Option<Time> {
    let metadata = object.metadata();
    let grace = metadata.deletion_grace_period_seconds.or_else(|| match object {
        Object::Pod(pod) => pod.spec.termination_grace_period_seconds.or(Some(30)),
        _ => None,
    });
    let grace = grace.unwrap_or(0).max(0).saturating_mul(1_000_000);
    let gone = metadata.deletion_timestamp?;
    Some(Time(gone.0.saturating_sub(grace)))
}

fn of_pod(pod: &Pod) -> Option<Time> {
    let status = &pod.status;
    let conditions = status.conditions.iter();
    let conditions = conditions.flat_map(|known| [known.last_probe_time, known.last_transition_time]);
    let containers = status.statuses().chain(&status.ephemeral_container_statuses);
    let containers = containers.flat_map(|one| of_state(&one.state).into_iter().chain(of_state(&one.last_state)));
    conditions.chain(containers).chain([status.start_time]).flatten().max()
}

fn of_state(state: &ContainerState) -> [Option<Time>; 3] {
    let ended = state.terminated.as_ref();
    [
        state.running.as_ref().and_then(|running| running.started_at),
        ended.and_then(|ended| ended.started_at),
        ended.and_then(|ended| ended.finished_at),
    ]
}

fn of_node(node: &Node) -> Option<Time> {
    let conditions = node.status.conditions.iter();
    let conditions = conditions.flat_map(|known| [known.last_heartbeat_time, known.last_transition_time]);
    conditions.flatten().max()
}

fn of_event(event: &Event) -> Option<Time> {
    let series = event.series.as_ref().and_then(|series| series.last_observed_time);
    let micro = event.event_time.max(series).map(|at| Time(at.0));
    event.first_timestamp.max(event.last_timestamp).max(micro)
}

fn of_lease(lease: &Lease) -> Option<Time> {
    let spec = &lease.spec;
    spec.acquire_time.max(spec.renew_time).map(|at| Time(at.0))
}

/// The newest instant of the past in a tree.
fn newest_of(value: &Value) -> Option<Time> {
    match value {
        Value::Object(fields) => {
            let each = fields.iter().filter_map(|(key, value)| match value {
                Value::String(text) => PAST.contains(&key.as_str()).then(|| parse_rfc3339(text).map(Time))?,
                value => newest_of(value),
            });
            each.max()
        }
        Value::Array(items) => items.iter().filter_map(newest_of).max(),
        _ => None,
    }
}
