//! The instant at which a dump was taken: the newest timestamp of its objects (P-03, P-09).

use podscope_api::{ContainerState, Event, Lease, Node, Object, Pod, Time, parse_rfc3339};
use serde_json::Value;

use super::is_imported;

/// Names of the status fields whose timestamps are in the past. Timestamps in other fields may be in the future.
const PAST_TIME_FIELDS: [&str; 12] = [
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

/// Returns when the dump was taken: the newest past timestamp of all imported objects, rounded up to whole seconds.
pub fn dump_time(objects: &[Object]) -> Option<Time> {
    let live = objects.iter().filter(|object| is_imported(object));
    let newest = live.filter_map(newest_time_of_object).max()?;
    let second = 1_000_000;
    Some(Time((newest.0 + second - 1).div_euclid(second) * second))
}

/// Returns the newest past timestamp of one object. `deletionTimestamp` may lie in the future, so the instant of the
/// delete request is used instead.
fn newest_time_of_object(object: &Object) -> Option<Time> {
    let status_time = match object {
        Object::Pod(pod) => newest_time_of_pod(pod),
        Object::Node(node) => newest_time_of_node(node),
        Object::Event(event) => newest_time_of_event(event),
        Object::Lease(lease) => newest_time_of_lease(lease),
        // Objects of other kinds are few and their statuses are small, so searching their JSON is cheap.
        other => (other.typed_value().get("status")).and_then(newest_time_in_tree),
    };
    let managed_fields_time = object.extra().timestamps("time").max().map(Time);
    let created = object.metadata().creation_timestamp;
    created
        .max(status_time)
        .max(managed_fields_time)
        .max(deletion_request_time(object))
}

/// Returns the instant of the delete request: `deletionTimestamp` minus the grace period.
fn deletion_request_time(object: &Object) -> Option<Time> {
    let metadata = object.metadata();
    let grace = metadata.deletion_grace_period_seconds.or_else(|| match object {
        Object::Pod(pod) => pod.spec.termination_grace_period_seconds.or(Some(30)),
        _ => None,
    });
    let grace = grace.unwrap_or(0).max(0).saturating_mul(1_000_000);
    let gone = metadata.deletion_timestamp?;
    Some(Time(gone.0.saturating_sub(grace)))
}

fn newest_time_of_pod(pod: &Pod) -> Option<Time> {
    let status = &pod.status;
    let conditions = status.conditions.iter();
    let conditions = conditions.flat_map(|known| [known.last_probe_time, known.last_transition_time]);
    let containers = status.statuses().chain(&status.ephemeral_container_statuses);
    let containers = containers.flat_map(|one| {
        container_state_times(&one.state)
            .into_iter()
            .chain(container_state_times(&one.last_state))
    });
    conditions.chain(containers).chain([status.start_time]).flatten().max()
}

fn container_state_times(state: &ContainerState) -> [Option<Time>; 3] {
    let ended = state.terminated.as_ref();
    [
        state.running.as_ref().and_then(|running| running.started_at),
        ended.and_then(|ended| ended.started_at),
        ended.and_then(|ended| ended.finished_at),
    ]
}

fn newest_time_of_node(node: &Node) -> Option<Time> {
    let conditions = node.status.conditions.iter();
    let conditions = conditions.flat_map(|known| [known.last_heartbeat_time, known.last_transition_time]);
    conditions.flatten().max()
}

fn newest_time_of_event(event: &Event) -> Option<Time> {
    let series = event.series.as_ref().and_then(|series| series.last_observed_time);
    let micro = event.event_time.max(series).map(|at| Time(at.0));
    event.first_timestamp.max(event.last_timestamp).max(micro)
}

fn newest_time_of_lease(lease: &Lease) -> Option<Time> {
    let spec = &lease.spec;
    spec.acquire_time.max(spec.renew_time).map(|at| Time(at.0))
}

/// Returns the newest past timestamp in a JSON tree.
fn newest_time_in_tree(value: &Value) -> Option<Time> {
    match value {
        Value::Object(fields) => {
            let each = fields.iter().filter_map(|(key, value)| match value {
                Value::String(text) => PAST_TIME_FIELDS
                    .contains(&key.as_str())
                    .then(|| parse_rfc3339(text).map(Time))?,
                value => newest_time_in_tree(value),
            });
            each.max()
        }
        Value::Array(items) => items.iter().filter_map(newest_time_in_tree).max(),
        _ => None,
    }
}
