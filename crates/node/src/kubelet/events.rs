//! Kubernetes events of the kubelet, with its exact messages (LC-068, LC-069, LC-089, LC-117, LC-180 to LC-183).

use podscope_api::{EventType, Kind, NodeName, Pod, Str};

use super::host::Host;
use podscope_sim::{EventNote, Request, Span};

/// Reporting component of the events.
const COMPONENT: &str = "kubelet";

fn emit_event(
    pod: &Pod,
    container: Option<&str>,
    kind_of_event: EventType,
    reason: &str,
    message: String,
    host: &mut Host<'_, '_>,
) {
    let field = |name: &str| {
        let is_init = pod
            .spec
            .init_containers
            .iter()
            .any(|container| &*container.name == name);
        let list = if is_init { "initContainers" } else { "containers" };
        format!("spec.{list}{{{name}}}")
    };
    host.ctx.call(Request::Event(EventNote {
        component: COMPONENT.into(),
        kind: Kind::Pod,
        key: pod.metadata.key(),
        uid: pod.metadata.uid.clone(),
        field_path: container.map_or_else(String::new, field).into(),
        kind_of_event,
        reason: reason.into(),
        message: message.into(),
        action: "".into(),
        related: None,
    }));
}

/// Emits an event about a pod.
pub(super) fn emit_for_pod(
    pod: &Pod,
    kind: EventType,
    reason: &str,
    message: impl Into<String>,
    host: &mut Host<'_, '_>,
) {
    emit_event(pod, None, kind, reason, message.into(), host);
}

/// Emits an event about a container.
pub(super) fn emit_for_container(
    pod: &Pod,
    container: &str,
    kind: EventType,
    reason: &str,
    message: impl Into<String>,
    host: &mut Host<'_, '_>,
) {
    emit_event(pod, Some(container), kind, reason, message.into(), host);
}

/// Emits an event about the node. Its UID is the node's name, as in the real kubelet.
pub(super) fn emit_for_node(
    node: &NodeName,
    kind: EventType,
    reason: &str,
    message: impl Into<Str>,
    host: &mut Host<'_, '_>,
) {
    host.ctx.call(Request::Event(EventNote {
        component: COMPONENT.into(),
        kind: Kind::Node,
        key: podscope_api::ObjectKey::cluster(node.0.clone()),
        uid: node.as_str().into(),
        field_path: "".into(),
        kind_of_event: kind,
        reason: reason.into(),
        message: message.into(),
        action: "".into(),
        related: None,
    }));
}

/// Emits event `Killing`.
pub(super) fn emit_killing(pod: &Pod, container: &str, message: &str, host: &mut Host<'_, '_>) {
    emit_for_container(pod, container, EventType::Normal, "Killing", message, host);
}

/// Emits event `FailedPreStopHook` (LC-143).
pub(super) fn emit_pre_stop_failed(pod: &Pod, container: &str, host: &mut Host<'_, '_>) {
    emit_for_container(
        pod,
        container,
        EventType::Warning,
        "FailedPreStopHook",
        "PreStopHook failed",
        host,
    );
}

/// Emits event `Pulled` after a pull; `took` is the duration of the pull itself, `waited` includes the time in the
/// queue (LC-068).
pub(super) fn emit_pulled(pod: &Pod, container: &str, image: &str, took: Span, waited: Span, host: &mut Host<'_, '_>) {
    let bytes = host.machine.image(image).map_or(0, |image| image.bytes);
    let message = format!(
        "Successfully pulled image \"{image}\" in {} ({} including waiting). Image size: {bytes} bytes.",
        format_go_duration(took),
        format_go_duration(waited)
    );
    emit_for_container(pod, container, EventType::Normal, "Pulled", message, host);
}

/// Formats a duration as Go does, in whole milliseconds (`1.2s`, `350ms`, `1m30s`).
fn format_go_duration(span: Span) -> String {
    let millis = span.0.max(0) / 1000;
    let (minutes, rest) = (millis / 60_000, millis % 60_000);
    let (seconds, fraction) = (rest / 1000, rest % 1000);
    if millis == 0 {
        return "0s".into();
    }
    if millis < 1000 {
        return format!("{millis}ms");
    }
    let decimals = format!("{fraction:03}");
    let seconds = match decimals.trim_end_matches('0') {
        "" => format!("{seconds}s"),
        digits => format!("{seconds}.{digits}s"),
    };
    if minutes == 0 {
        seconds
    } else {
        format!("{minutes}m{seconds}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_formatted_as_in_go() {
        for (millis, text) in [
            (0, "0s"),
            (350, "350ms"),
            (1200, "1.2s"),
            (1000, "1s"),
            (90_000, "1m30s"),
            (61_050, "1m1.05s"),
        ] {
            assert_eq!(format_go_duration(Span::millis(millis)), text);
        }
    }
}
