//! Actions on objects: a label and the command that performs the action (K-01), and warnings before dangerous commands.
//! Which commands are dangerous is decided by the engine ([`Update::Dangerous`](podscope_protocol::Update::Dangerous)).

use podscope_api::Danger;
use podscope_api::well_known::taint::OUT_OF_SERVICE;
use podscope_messages::{actions as messages, t};
use podscope_protocol::{Component, ComponentView, NodeView, PodMark, PodView};

/// An action: the label of its button, and the command that it runs.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Action {
    pub(crate) label: String,
    pub(crate) command: String,
    /// Whether the button looks dangerous. Only the engine decides whether the command has to be confirmed.
    pub(crate) is_dangerous: bool,
}

fn new_action(label: String, command: String) -> Action {
    Action {
        label,
        command,
        is_dangerous: false,
    }
}

fn new_dangerous_action(label: String, command: String) -> Action {
    Action {
        is_dangerous: true,
        ..new_action(label, command)
    }
}

/// Returns `NAMESPACE/NAME` as arguments of kubectl.
fn kubectl_target(key: &str) -> String {
    match key.split_once('/') {
        Some(("default", name)) => name.to_string(),
        Some((namespace, name)) => format!("{name} -n {namespace}"),
        None => key.to_string(),
    }
}

/// Returns the command that deletes a pod gracefully.
pub(crate) fn delete_pod_command(key: &str) -> String {
    format!("kubectl delete pod {} --wait=false", kubectl_target(key))
}

/// Returns the command that force-deletes a pod.
pub(crate) fn force_delete_pod_command(key: &str) -> String {
    format!("kubectl delete pod {} --grace-period=0 --force", kubectl_target(key))
}

/// The command that heals every partition at once.
pub(crate) const HEAL_ALL_COMMAND: &str = "fault heal --all";

/// Returns the command that cuts a node's links, or heals them if one is cut.
pub(crate) fn toggle_cut_command(node: &NodeView) -> String {
    if node.machine.cuts.is_empty() {
        format!("fault partition {}", node.name)
    } else {
        format!("fault heal {}", node.name)
    }
}

/// Actions on a node and its machine.
pub(crate) fn node(node: &NodeView) -> Vec<Action> {
    let (name, machine) = (&node.name, &node.machine);
    let mut all = Vec::new();
    if machine.exists {
        if machine.cuts.is_empty() {
            all.push(new_action(t!(actions::cut_off), format!("fault partition {name}")));
            all.push(new_action(
                t!(actions::lose_inbound),
                format!("fault partition {name} --one-way in"),
            ));
        } else {
            all.push(new_action(t!(actions::heal_links), format!("fault heal {name}")));
        }
    }
    if node.registered {
        if node.cordoned {
            all.push(new_action(t!(actions::uncordon), format!("kubectl uncordon {name}")));
        } else {
            all.push(new_action(t!(actions::cordon), format!("kubectl cordon {name}")));
        }
        all.push(new_action(
            t!(actions::drain),
            format!("kubectl drain {name} --ignore-daemonsets --delete-emptydir-data"),
        ));
    }
    if machine.exists {
        if machine.powered {
            if machine.kubelet {
                all.push(new_action(
                    t!(actions::crash_kubelet),
                    format!("fault crash kubelet {name}"),
                ));
            } else {
                all.push(new_action(
                    t!(actions::restart_kubelet),
                    format!("fault restart kubelet {name}"),
                ));
            }
            if machine.runtime {
                all.push(new_action(
                    t!(actions::crash_runtime),
                    format!("fault crash runtime {name}"),
                ));
            } else {
                all.push(new_action(
                    t!(actions::restart_runtime),
                    format!("fault restart runtime {name}"),
                ));
            }
            all.push(new_action(t!(actions::power_off), format!("fault poweroff {name}")));
        } else {
            all.push(new_action(t!(actions::boot), format!("fault boot {name}")));
        }
    }
    if node.registered {
        if node.taints.iter().any(|taint| taint.starts_with(OUT_OF_SERVICE)) {
            all.push(new_action(
                t!(actions::back_in_service),
                format!("kubectl taint nodes {name} {OUT_OF_SERVICE}-"),
            ));
        } else {
            all.push(new_dangerous_action(
                t!(actions::out_of_service),
                format!("kubectl taint nodes {name} {OUT_OF_SERVICE}=nodeshutdown:NoExecute"),
            ));
        }
        all.push(new_dangerous_action(
            t!(actions::delete_node),
            format!("kubectl delete node {name}"),
        ));
    }
    all
}

/// Actions on a zone.
pub(crate) fn zone(name: &str, cut: bool) -> Vec<Action> {
    if cut {
        vec![new_action(t!(actions::heal_zone), format!("fault heal --zone {name}"))]
    } else {
        vec![new_action(
            t!(actions::cut_zone),
            format!("fault partition --zone {name}"),
        )]
    }
}

/// Returns the actions on a pod. If the API server has forgotten the pod, returns the actions on the machine where its
/// process still runs.
pub(crate) fn pod(pod: &PodView) -> Vec<Action> {
    if pod.mark == PodMark::Ghost {
        return vec![
            new_action(t!(actions::heal_node_links), format!("fault heal {}", pod.node)),
            new_action(t!(actions::power_machine_off), format!("fault poweroff {}", pod.node)),
        ];
    }
    let mut all = vec![
        new_action(t!(actions::delete_pod), delete_pod_command(&pod.key)),
        new_dangerous_action(t!(actions::force_delete_pod), force_delete_pod_command(&pod.key)),
    ];
    if matches!(pod.mark, PodMark::Ready | PodMark::NotReady) {
        all.push(new_action(
            t!(actions::break_sandbox),
            format!("fault sandbox {}", pod.key),
        ));
    }
    all
}

/// Returns whether the engine can count how many more pods like this one fit. A DaemonSet's pod and a mirror pod are
/// bound to their node.
pub(crate) fn can_be_counted(pod: &PodView) -> bool {
    let is_for_one_node = ["DaemonSet ", "Node "].iter().any(|kind| pod.owner.starts_with(kind));
    pod.mark != PodMark::Ghost && !is_for_one_node
}

/// Actions on any other object.
pub(crate) fn object(kind: &str, key: &str, replicas: Option<i64>) -> Vec<Action> {
    let (kind, name) = (kind.to_ascii_lowercase(), kubectl_target(key));
    let mut all = Vec::new();
    if let Some(count) = replicas {
        let scale = |count: i64| format!("kubectl scale {kind}/{name} --replicas={count}");
        all.push(new_action(t!(actions::scale_up), scale(count + 1)));
        if count > 0 {
            all.push(new_action(t!(actions::scale_down), scale(count - 1)));
        }
    }
    if matches!(&*kind, "deployment" | "statefulset" | "daemonset") {
        all.push(new_action(
            t!(actions::restart_rollout),
            format!("kubectl rollout restart {kind}/{name}"),
        ));
    }
    let delete = match &*kind {
        "namespace" | "node" => new_dangerous_action,
        _ => new_action,
    };
    all.push(delete(
        t!(actions::delete_object),
        format!("kubectl delete {kind} {name} --wait=false"),
    ));
    all
}

/// Actions on a component of the control plane.
pub(crate) fn component(one: ComponentView) -> Vec<Action> {
    let (name, can_be_two) = match one.component {
        Component::ApiServer => ("apiserver", false),
        Component::Etcd => ("etcd", false),
        Component::Scheduler(_) => ("scheduler", true),
        Component::ControllerManager(_) => ("controller-manager", true),
        Component::Attacher | Component::Fencing => return Vec::new(),
    };
    let mut all = vec![match (one.component, one.state.is_up()) {
        (Component::Etcd, true) => new_action(t!(actions::stop_etcd), "fault etcd down".into()),
        (Component::Etcd, false) => new_action(t!(actions::start_etcd), "fault etcd up".into()),
        (_, true) => new_action(t!(actions::crash_component), format!("fault crash {name}")),
        (_, false) => new_action(t!(actions::restart_component), format!("fault restart {name}")),
    }];
    if can_be_two {
        all.push(new_action(t!(actions::start_second), format!("fault second {name}")));
    }
    all
}

/// Returns a short description of a command; `None` if the command is clear without one.
pub(crate) fn short_description(line: &str) -> Option<String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let (say, name): (fn(&str) -> String, &str) = match *words.as_slice() {
        ["fault", "heal", "--all"] => return Some(t!(actions::heal_all)),
        ["fault", "heal", "--zone", zone] => (|zone| t!(actions::heal_zone_named, zone = zone), zone),
        ["fault", "partition", "--zone", zone] => (|zone| t!(actions::cut_zone_named, zone = zone), zone),
        ["fault", "partition", name] => (|node| t!(actions::cut_off_named, node = node), name),
        ["fault", "heal", name] => (|node| t!(actions::heal_named, node = node), name),
        ["fault", "poweroff", name] => (|node| t!(actions::power_off_named, node = node), name),
        ["fault", "boot", name] => (|node| t!(actions::boot_named, node = node), name),
        ["kubectl", "delete", "pod", name, ..] if words.contains(&"--force") => {
            (|pod| t!(actions::force_delete_named, pod = pod), name)
        }
        ["kubectl", "delete", "pod", name, ..] => (|pod| t!(actions::delete_named, pod = pod), name),
        ["kubectl", "cordon", name, ..] => (|node| t!(actions::cordon_named, node = node), name),
        ["kubectl", "uncordon", name, ..] => (|node| t!(actions::uncordon_named, node = node), name),
        ["kubectl", "drain", name, ..] => (|node| t!(actions::drain_named, node = node), name),
        _ => return None,
    };
    let is_plain = !name.starts_with(['-', '\'', '"']) && !line.contains('|');
    is_plain.then(|| say(name))
}

/// Returns the reverse of a command whose effect is already present on the node.
pub(crate) fn reverse_command(line: &str, node: &NodeView) -> Option<String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    match *words.as_slice() {
        ["fault", "partition", name] if name == node.name && !node.machine.cuts.is_empty() => {
            Some(toggle_cut_command(node))
        }
        ["fault", "poweroff", name] if name == node.name && !node.machine.powered => Some(format!("fault boot {name}")),
        _ => None,
    }
}

/// Describes the effect of a command that is already present on the node.
pub(crate) fn present_effect_text(node: &NodeView) -> String {
    let name = &node.name;
    if node.machine.powered {
        t!(actions::node_is_cut_off, node = name)
    } else {
        t!(actions::node_is_off, node = name)
    }
}

/// Returns the warning before a dangerous command.
pub(crate) fn warning(danger: Danger) -> String {
    let message = match danger {
        Danger::Detach => messages::detach_warning,
        Danger::ForceDelete => messages::force_delete_warning,
        Danger::DeleteNode => messages::delete_node_warning,
        Danger::DeleteNamespace => messages::delete_namespace_warning,
        Danger::ForceDrain => messages::force_drain_warning,
        Danger::OutOfService => messages::out_of_service_warning,
    };
    message.text()
}

/// Explains why dropping a pod on another node does not move it (U-12).
pub(crate) fn why_pod_cannot_move(pod: &PodView, node: &str) -> String {
    let name = pod.key.rsplit('/').next().unwrap_or(&pod.key);
    if pod.mark == PodMark::Ghost {
        t!(actions::cannot_move_ghost, pod = name, node = node)
    } else if pod.node.is_empty() {
        t!(actions::cannot_move_pending, pod = name, node = node)
    } else {
        t!(actions::cannot_move_bound, pod = name, from = pod.node, node = node)
    }
}

#[cfg(test)]
mod tests;
