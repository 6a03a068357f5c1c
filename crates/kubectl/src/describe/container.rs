//! `kubectl describe` of the containers of a pod or template (KC-069, KC-070).

use podscope_api::ordered::StableSort as _;
use podscope_api::{Container, ContainerState, ContainerStatus, EnvVar, Pod, Probe, Quantity, ResourceRequirements};
use serde_json::Value;

use super::super::text::TabbedText;
use super::{bracketed, capitalized_bool, rfc1123_time};
use crate::columns::text_or_none;

/// The object whose containers are described.
pub(super) enum ContainerOwner<'a> {
    /// A pod, with the container statuses.
    Pod(&'a Pod, &'a [ContainerStatus]),
    /// A pod template, whose containers are indented and have no status.
    Template,
}

/// Prints a titled list of containers. `raw` is the JSON of the same list, for fields that [`Container`] lacks.
pub(super) fn describe(
    title: &str,
    containers: &[Container],
    raw: &Value,
    owner: &ContainerOwner<'_>,
    text: &mut TabbedText,
) {
    let (indent, name_indent) = match owner {
        ContainerOwner::Pod(..) => ("", ""),
        ContainerOwner::Template => ("  ", " "),
    };
    let none = if containers.is_empty() { " <none>" } else { "" };
    text.line(0, &format!("{indent}{title}:{none}"));
    for (at, container) in containers.iter().enumerate() {
        let raw = &raw[at];
        let status = match owner {
            ContainerOwner::Pod(_, statuses) => statuses.iter().find(|status| status.name == container.name),
            ContainerOwner::Template => None,
        };
        text.line(1, &format!("{name_indent}{}:", container.name));
        if let Some(status) = status {
            text.line(2, &format!("Container ID:\t{}", status.container_id));
        }
        text.line(2, &format!("Image:\t{}", container.image));
        if let Some(status) = status {
            text.line(2, &format!("Image ID:\t{}", status.image_id));
        }
        print_ports(container, text);
        if let Some(profile) = raw.pointer("/securityContext/seccompProfile") {
            print_seccomp(2, 3, profile, text);
        }
        for (title, words) in [("Command", &container.command), ("Args", &container.args)] {
            if !words.is_empty() {
                text.line(2, &format!("{title}:"));
                for line in words.iter().flat_map(|word| word.split('\n')) {
                    text.line(3, line);
                }
            }
        }
        if let Some(status) = status {
            print_state("State", &status.state, text);
            if status.last_state.terminated.is_some() {
                print_state("Last State", &status.last_state, text);
            }
            text.line(2, &format!("Ready:\t{}", capitalized_bool(status.ready)));
            text.line(2, &format!("Restart Count:\t{}", status.restart_count));
        }
        print_resources(&container.resources, 2, text);
        for (title, probe) in [
            ("Liveness", &container.liveness_probe),
            ("Readiness", &container.readiness_probe),
            ("Startup", &container.startup_probe),
        ] {
            if let Some(probe) = probe {
                text.line(2, &format!("{title}:\t{}", probe_text(probe)));
            }
        }
        print_environment(container, raw, owner, text);
        print_mounts(container, raw, text);
    }
}

/// Prints a seccomp profile with indentation `level`, and its file with indentation `inner`.
pub(super) fn print_seccomp(level: usize, inner: usize, profile: &Value, text: &mut TabbedText) {
    let field = |name: &str| profile.get(name).and_then(Value::as_str).unwrap_or_default();
    text.line(level, &format!("SeccompProfile:\t{}", field("type")));
    if field("type") == "Localhost" {
        text.line(inner, &format!("LocalhostProfile:\t{}", field("localhostProfile")));
    }
}

fn print_ports(container: &Container, text: &mut TabbedText) {
    let port_list = |number: fn(&podscope_api::ContainerPort) -> i32| {
        let all: Vec<String> = container
            .ports
            .iter()
            .map(|port| {
                let protocol = if port.protocol.is_empty() {
                    "TCP"
                } else {
                    &port.protocol
                };
                let name = if port.name.is_empty() {
                    String::new()
                } else {
                    format!(" ({})", port.name)
                };
                format!("{}/{protocol}{name}", number(port))
            })
            .collect();
        all.join(", ")
    };
    let plural = if container.ports.len() > 1 { "s" } else { "" };
    let container_ports = port_list(|port| port.container_port);
    text.line(2, &format!("Port{plural}:\t{}", text_or_none(&container_ports)));
    let host_ports = port_list(|port| port.host_port.unwrap_or(0));
    text.line(2, &format!("Host Port{plural}:\t{}", text_or_none(&host_ports)));
}

fn print_state(title: &str, state: &ContainerState, text: &mut TabbedText) {
    let optional = |text: &mut TabbedText, title: &str, value: &str| {
        if !value.is_empty() {
            text.line(3, &format!("{title}:\t{value}"));
        }
    };
    if let Some(running) = &state.running {
        text.line(2, &format!("{title}:\tRunning"));
        text.line(3, &format!("Started:\t{}", rfc1123_time(running.started_at)));
    } else if let Some(waiting) = &state.waiting {
        text.line(2, &format!("{title}:\tWaiting"));
        optional(text, "Reason", &waiting.reason);
    } else if let Some(ended) = &state.terminated {
        text.line(2, &format!("{title}:\tTerminated"));
        optional(text, "Reason", &ended.reason);
        optional(text, "Message", &ended.message);
        text.line(3, &format!("Exit Code:\t{}", ended.exit_code));
        if let Some(signal) = ended.signal.filter(|signal| *signal > 0) {
            text.line(3, &format!("Signal:\t{signal}"));
        }
        text.line(3, &format!("Started:\t{}", rfc1123_time(ended.started_at)));
        text.line(3, &format!("Finished:\t{}", rfc1123_time(ended.finished_at)));
    } else {
        text.line(2, &format!("{title}:\tWaiting"));
    }
}

/// Prints limits and requests.
pub(super) fn print_resources(resources: &ResourceRequirements, level: usize, text: &mut TabbedText) {
    for (title, amounts) in [("Limits", &resources.limits), ("Requests", &resources.requests)] {
        if !amounts.is_empty() {
            text.line(level, &format!("{title}:"));
        }
        for (resource, amount) in amounts {
            text.line(level + 1, &format!("{resource}:\t{amount}"));
        }
    }
}

/// Formats a probe: `http-get http://:8080/healthz delay=0s timeout=1s period=10s #success=1 #failure=3` (KC-070).
fn probe_text(probe: &Probe) -> String {
    let number = |value: Option<i32>| value.unwrap_or(0);
    let handler = if let Some(exec) = &probe.exec {
        format!("exec {}", bracketed(&exec.command))
    } else if let Some(get) = &probe.http_get {
        let path = get.path.replace('%', "%25").replace('?', "%3F").replace(' ', "%20");
        let slash = if path.is_empty() || path.starts_with('/') {
            ""
        } else {
            "/"
        };
        let host = if get.host.contains(':') {
            format!("[{}]", get.host)
        } else {
            get.host.to_string()
        };
        format!(
            "http-get {}://{host}:{}{slash}{path}",
            get.scheme.to_ascii_lowercase(),
            get.port
        )
    } else if let Some(socket) = &probe.tcp_socket {
        format!("tcp-socket {}:{}", socket.host, socket.port)
    } else if let Some(grpc) = &probe.grpc {
        format!(
            "grpc <pod>:{} {}",
            grpc.port,
            grpc.service.as_deref().unwrap_or_default()
        )
    } else {
        "unknown".to_owned()
    };
    format!(
        "{handler} delay={}s timeout={}s period={}s #success={} #failure={}",
        number(probe.initial_delay_seconds),
        number(probe.timeout_seconds),
        number(probe.period_seconds),
        number(probe.success_threshold),
        number(probe.failure_threshold)
    )
}

fn print_environment(container: &Container, raw: &Value, owner: &ContainerOwner<'_>, text: &mut TabbedText) {
    if !container.env_from.is_empty() {
        text.line(2, "Environment Variables from:");
        for source in &container.env_from {
            let (from, reference) = match (&source.config_map_ref, &source.secret_ref) {
                (Some(reference), _) => ("ConfigMap", Some(reference)),
                (None, Some(reference)) => ("Secret", Some(reference)),
                (None, None) => ("", None),
            };
            let name = reference.map_or("", |reference| &reference.name);
            let optional = reference.is_some_and(|reference| reference.optional == Some(true));
            let prefix = if source.prefix.is_empty() {
                String::new()
            } else {
                format!(" with prefix '{}'", source.prefix)
            };
            text.line(3, &format!("{name}\t{from}{prefix}\tOptional: {optional}"));
        }
    }
    if container.env.is_empty() {
        text.line(2, "Environment:\t<none>");
        return;
    }
    text.line(2, "Environment:");
    for (at, variable) in container.env.iter().enumerate() {
        let name = &variable.name;
        let Some(from) = &variable.value_from else {
            for (at, line) in variable.value.split('\n').enumerate() {
                let title = if at == 0 { format!("{name}:") } else { String::new() };
                text.line(3, &format!("{title}\t{line}"));
            }
            continue;
        };
        if let Some(field) = &from.field_ref {
            let value = match owner {
                ContainerOwner::Pod(pod, _) => pod_field_value(pod, &field.field_path),
                ContainerOwner::Template => String::new(),
            };
            let version = if field.api_version.is_empty() {
                "v1"
            } else {
                &field.api_version
            };
            text.line(3, &format!("{name}:\t{value} ({version}:{})", field.field_path));
        } else if from.resource_field_ref.is_some() {
            let (value, resource) = container_resource_value(container, variable, &raw["env"][at]);
            text.line(3, &format!("{name}:\t{value} ({resource})"));
        } else if let Some(key) = &from.secret_key_ref {
            let optional = key.optional == Some(true);
            text.line(
                3,
                &format!(
                    "{name}:\t<set to the key '{}' in secret '{}'>\tOptional: {optional}",
                    key.key, key.name
                ),
            );
        } else if let Some(key) = &from.config_map_key_ref {
            let optional = key.optional == Some(true);
            text.line(
                3,
                &format!(
                    "{name}:\t<set to the key '{}' of config map '{}'>\tOptional: {optional}",
                    key.key, key.name
                ),
            );
        }
    }
}

/// Returns the value of a `fieldRef`. kubectl resolves only metadata.
fn pod_field_value(pod: &Pod, path: &str) -> String {
    let meta = &pod.metadata;
    let keyed = |prefix: &str| {
        path.strip_prefix(prefix)
            .and_then(|rest| rest.strip_prefix("['"))
            .and_then(|rest| rest.strip_suffix("']"))
    };
    match path {
        "metadata.name" => meta.name.to_string(),
        "metadata.namespace" => meta.namespace.to_string(),
        "metadata.uid" => meta.uid.0.to_string(),
        _ => keyed("metadata.labels")
            .and_then(|key| meta.label(key))
            .or_else(|| keyed("metadata.annotations").and_then(|key| meta.annotation(key)))
            .unwrap_or_default()
            .to_owned(),
    }
}

/// Returns the value of a `resourceFieldRef` in units of its divisor, and the name of the resource.
fn container_resource_value(container: &Container, variable: &EnvVar, raw: &Value) -> (String, String) {
    let resource = variable
        .value_from
        .as_ref()
        .and_then(|from| from.resource_field_ref.as_ref())
        .map_or_else(String::new, |field| field.resource.to_string());
    let amounts = &container.resources;
    let list = if resource.starts_with("limits.") {
        &amounts.limits
    } else {
        &amounts.requests
    };
    let name = resource.split_once('.').map_or("", |(_, name)| name);
    let amount = list.get(name).copied().unwrap_or_default();
    let divisor = raw
        .pointer("/valueFrom/resourceFieldRef/divisor")
        .and_then(Value::as_str)
        .and_then(|text| text.parse::<Quantity>().ok())
        .filter(|divisor| !divisor.is_zero())
        .unwrap_or(Quantity::from_units(1));
    let (dividend, divisor) = if name == "cpu" {
        (amount.milli_value(), divisor.milli_value())
    } else {
        (amount.value(), divisor.value())
    };
    // The value is rounded up, as kubectl does.
    let value = dividend / divisor.max(1) + i64::from(dividend % divisor.max(1) != 0);
    if value == 0 && matches!(&*resource, "limits.cpu" | "limits.memory") {
        return ("node allocatable".into(), resource);
    }
    (value.to_string(), resource)
}

fn print_mounts(container: &Container, raw: &Value, text: &mut TabbedText) {
    let none = if container.volume_mounts.is_empty() {
        "\t<none>"
    } else {
        ""
    };
    text.line(2, &format!("Mounts:{none}"));
    let mut mounts: Vec<_> = container.volume_mounts.iter().collect();
    mounts.stable_sort_by(|a, b| a.mount_path.cmp(&b.mount_path));
    for mount in mounts {
        let access = if mount.read_only == Some(true) { "ro" } else { "rw" };
        let path = if mount.sub_path.is_empty() {
            String::new()
        } else {
            format!(",path={:?}", &*mount.sub_path)
        };
        text.line(3, &format!("{} from {} ({access}{path})", mount.mount_path, mount.name));
    }
    let devices = raw.get("volumeDevices").and_then(Value::as_array);
    let Some(devices) = devices.filter(|devices| !devices.is_empty()) else {
        return;
    };
    text.line(2, &format!("Devices:{none}"));
    let field = |device: &Value, name: &str| device.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut devices: Vec<(String, String)> = devices
        .iter()
        .map(|device| (field(device, "devicePath"), field(device, "name")))
        .collect();
    devices.stable_sort();
    for (path, name) in devices {
        text.line(3, &format!("{path} from {name}"));
    }
}
