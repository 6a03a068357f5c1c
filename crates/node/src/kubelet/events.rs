//! Events of the kubelet with their exact texts (LC-068, LC-069, LC-089, LC-117, LC-180 to LC-183).

use podscope_api::{EventType, Kind, NodeName, Pod, Str};

use super::host::Host;
use podscope_sim::{EventNote, Request, Span};

/// Who says so.
const COMPONENT: &str = "kubelet";

fn emit(
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

/// An event about the pod.
pub(super) fn of_pod(pod: &Pod, kind: EventType, reason: &str, message: impl Into<String>, host: &mut Host<'_, '_>) {
    emit(pod, None, kind, reason, message.into(), host);
}

/// An event about a container.
pub(super) fn of_container(
    pod: &Pod,
    container: &str,
    kind: EventType,
    reason: &str,
    message: impl Into<String>,
    host: &mut Host<'_, '_>,
) {
    emit(pod, Some(container), kind, reason, message.into(), host);
}

/// An event about the node; nodes are named by their name in place of a UID, as the kubelet does.
pub(super) fn of_node(
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

/// `Killing`.
pub(super) fn killing(pod: &Pod, container: &str, message: &str, host: &mut Host<'_, '_>) {
    of_container(pod, container, EventType::Normal, "Killing", message, host);
}

/// `FailedPreStopHook` (LC-143).
pub(super) fn pre_stop_failed(pod: &Pod, container: &str, host: &mut Host<'_, '_>) {
    of_container(
        pod,
        container,
        EventType::Warning,
        "FailedPreStopHook",
        "PreStopHook failed",
        host,
    );
}

/// `Pulled` after a pull (LC-068).
pub(super) fn pulled(pod: &Pod, container: &str, image: &str, took: Span, waited: Span, host: &mut Host<'_, '_>) {
    let bytes = host.machine.image(image).map_or(0, |image| image.bytes);
    let message = format!(
        "Successfully pulled image \"{image}\" in {} ({} including waiting). Image size: {bytes} bytes.",
        go_duration(took),
        go_duration(waited)
    );
    of_container(pod, container, EventType::Normal, "Pulled", message, host);
}

/// A duration as Go prints it, to the millisecond (`1.2s`, `350ms`, `1m30s`).
fn go_duration(span: Span) -> String {
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
    fn durations_as_go_prints_them() {
        for (millis, text) in [
            (0, "0s"),
            (350, "350ms"),
            (1200, "1.2s"),
            (1000, "1s"),
            (90_000, "1m30s"),
            (61_050, "1m1.05s"),
        ] {
            assert_eq!(go_duration(Span::millis(millis)), text);
        }
    }
}
