//! Actions on objects: a label and the command that performs the action (K-01), and warnings before dangerous commands.

use podscope_api::well_known::taint::OUT_OF_SERVICE;
use podscope_messages::{Message, actions as messages, t};
use podscope_protocol::{Component, ComponentView, NodeView, PodMark, PodView};

/// An action: the label of its button, and the command that it runs.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Action {
    pub(crate) label: String,
    pub(crate) command: String,
    /// The warning shown before the command runs; empty for a harmless command.
    pub(crate) warning: String,
}

fn action(label: String, command: String) -> Action {
    let warning = consequence(&command).unwrap_or_default();
    Action {
        label,
        command,
        warning,
    }
}

/// `NAMESPACE/NAME` as arguments of kubectl.
fn target(key: &str) -> String {
    match key.split_once('/') {
        Some(("default", name)) => name.to_string(),
        Some((namespace, name)) => format!("{name} -n {namespace}"),
        None => key.to_string(),
    }
}

/// A graceful delete of a pod.
pub(crate) fn delete_pod(key: &str) -> String {
    format!("kubectl delete pod {} --wait=false", target(key))
}

/// A forced delete of a pod.
pub(crate) fn force_delete_pod(key: &str) -> String {
    format!("kubectl delete pod {} --grace-period=0 --force", target(key))
}

/// The command that heals every partition at once.
pub(crate) const HEAL_ALL: &str = "fault heal --all";

/// The command that cuts or heals a node's links.
pub(crate) fn toggle_cut(node: &NodeView) -> String {
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
            all.push(action(t!(actions::cut_off), format!("fault partition {name}")));
            all.push(action(
                t!(actions::lose_inbound),
                format!("fault partition {name} --one-way in"),
            ));
        } else {
            all.push(action(t!(actions::heal_links), format!("fault heal {name}")));
        }
    }
    if node.registered {
        if node.cordoned {
            all.push(action(t!(actions::uncordon), format!("kubectl uncordon {name}")));
        } else {
            all.push(action(t!(actions::cordon), format!("kubectl cordon {name}")));
        }
        all.push(action(
            t!(actions::drain),
            format!("kubectl drain {name} --ignore-daemonsets --delete-emptydir-data"),
        ));
    }
    if machine.exists {
        if machine.powered {
            if machine.kubelet {
                all.push(action(
                    t!(actions::crash_kubelet),
                    format!("fault crash kubelet {name}"),
                ));
            } else {
                all.push(action(
                    t!(actions::restart_kubelet),
                    format!("fault restart kubelet {name}"),
                ));
            }
            if machine.runtime {
                all.push(action(
                    t!(actions::crash_runtime),
                    format!("fault crash runtime {name}"),
                ));
            } else {
                all.push(action(
                    t!(actions::restart_runtime),
                    format!("fault restart runtime {name}"),
                ));
            }
            all.push(action(t!(actions::power_off), format!("fault poweroff {name}")));
        } else {
            all.push(action(t!(actions::boot), format!("fault boot {name}")));
        }
    }
    if node.registered {
        if node.taints.iter().any(|taint| taint.starts_with(OUT_OF_SERVICE)) {
            all.push(action(
                t!(actions::back_in_service),
                format!("kubectl taint nodes {name} {OUT_OF_SERVICE}-"),
            ));
        } else {
            all.push(action(
                t!(actions::out_of_service),
                format!("kubectl taint nodes {name} {OUT_OF_SERVICE}=nodeshutdown:NoExecute"),
            ));
        }
        all.push(action(t!(actions::delete_node), format!("kubectl delete node {name}")));
    }
    all
}

/// Actions on a zone.
pub(crate) fn zone(name: &str, cut: bool) -> Vec<Action> {
    if cut {
        vec![action(t!(actions::heal_zone), format!("fault heal --zone {name}"))]
    } else {
        vec![action(t!(actions::cut_zone), format!("fault partition --zone {name}"))]
    }
}

/// Actions on a pod, or on the machine that still runs a forgotten one.
pub(crate) fn pod(pod: &PodView) -> Vec<Action> {
    if pod.mark == PodMark::Ghost {
        return vec![
            action(t!(actions::heal_node_links), format!("fault heal {}", pod.node)),
            action(t!(actions::power_machine_off), format!("fault poweroff {}", pod.node)),
        ];
    }
    let mut all = vec![
        action(t!(actions::delete_pod), delete_pod(&pod.key)),
        action(t!(actions::force_delete_pod), force_delete_pod(&pod.key)),
    ];
    if matches!(pod.mark, PodMark::Ready | PodMark::NotReady) {
        all.push(action(t!(actions::break_sandbox), format!("fault sandbox {}", pod.key)));
    }
    all
}

/// Returns whether one can ask how many more pods like this one fit. A DaemonSet's pod and a mirror pod are for their
/// node alone.
pub(crate) fn can_be_counted(pod: &PodView) -> bool {
    let is_for_one_node = ["DaemonSet ", "Node "].iter().any(|kind| pod.owner.starts_with(kind));
    pod.mark != PodMark::Ghost && !is_for_one_node
}

/// Actions on any other object.
pub(crate) fn object(kind: &str, key: &str, replicas: Option<i64>) -> Vec<Action> {
    let (kind, name) = (kind.to_ascii_lowercase(), target(key));
    let mut all = Vec::new();
    if let Some(count) = replicas {
        let scale = |count: i64| format!("kubectl scale {kind}/{name} --replicas={count}");
        all.push(action(t!(actions::scale_up), scale(count + 1)));
        if count > 0 {
            all.push(action(t!(actions::scale_down), scale(count - 1)));
        }
    }
    if matches!(&*kind, "deployment" | "statefulset" | "daemonset") {
        all.push(action(
            t!(actions::restart_rollout),
            format!("kubectl rollout restart {kind}/{name}"),
        ));
    }
    all.push(action(
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
        (Component::Etcd, true) => action(t!(actions::stop_etcd), "fault etcd down".into()),
        (Component::Etcd, false) => action(t!(actions::start_etcd), "fault etcd up".into()),
        (_, true) => action(t!(actions::crash_component), format!("fault crash {name}")),
        (_, false) => action(t!(actions::restart_component), format!("fault restart {name}")),
    }];
    if can_be_two {
        all.push(action(t!(actions::start_second), format!("fault second {name}")));
    }
    all
}

/// Splits a line into words, grouped by the commands of its pipe, as a shell does. A here-document is not included.
fn split(line: &str) -> Vec<Vec<String>> {
    let mut commands = vec![Vec::new()];
    let (mut word, mut quote) = (String::new(), None);
    let mut chars = line.chars();
    loop {
        let next = chars.next();
        match (next, quote) {
            (Some(symbol), Some(open)) if symbol == open => quote = None,
            (Some('\\'), None | Some('"')) => word.extend(chars.next().filter(|symbol| *symbol != '\n')),
            (Some(symbol @ ('\'' | '"')), None) => quote = Some(symbol),
            (Some(symbol), _) if quote.is_some() || !(symbol.is_whitespace() || symbol == '|') => word.push(symbol),
            (end, _) => {
                if !word.is_empty() {
                    commands
                        .last_mut()
                        .expect("there is one")
                        .push(std::mem::take(&mut word));
                }
                match end {
                    Some('|') => commands.push(Vec::new()),
                    None | Some('\n') => return commands,
                    _ => {}
                }
            }
        }
    }
}

/// The first word that is neither a flag nor a flag's value. A word after a flag may be the flag's value or not, so it
/// is returned too: a superfluous warning is better than a missing one.
fn first_words(words: &[String]) -> Vec<(&str, &[String])> {
    let mut found = Vec::new();
    let mut follows_flag = false;
    for (word, rest) in words.iter().zip((1..).filter_map(|at| words.get(at..))) {
        if word.starts_with('-') {
            follows_flag = !word.contains('=');
            continue;
        }
        found.push((word.as_str(), rest));
        if !std::mem::take(&mut follows_flag) {
            break;
        }
    }
    found
}

/// Returns whether a boolean flag is set; the last occurrence counts.
fn has_flag(words: &[String], name: &str) -> bool {
    let value = words.iter().rev().find_map(|word| match word.strip_prefix(name)? {
        "" => Some("true"),
        value => value.strip_prefix('='),
    });
    value.is_some_and(|value| !matches!(value, "0" | "f" | "F" | "false" | "False" | "FALSE"))
}

/// A short description of a command, or `None` if the command itself is as clear.
pub(crate) fn words(line: &str) -> Option<String> {
    let commands = split(line);
    let [command] = commands.as_slice() else {
        return None;
    };
    let words: Vec<&str> = command.iter().map(String::as_str).collect();
    let (say, name): (fn(&str) -> String, &str) = match *words.as_slice() {
        ["fault", "heal", "--all"] => return Some(t!(actions::heal_all)),
        ["fault", "heal", "--zone", zone] => (|zone| t!(actions::heal_zone_named, zone = zone), zone),
        ["fault", "partition", "--zone", zone] => (|zone| t!(actions::cut_zone_named, zone = zone), zone),
        ["fault", "partition", name] => (|node| t!(actions::cut_off_named, node = node), name),
        ["fault", "heal", name] => (|node| t!(actions::heal_named, node = node), name),
        ["fault", "poweroff", name] => (|node| t!(actions::power_off_named, node = node), name),
        ["fault", "boot", name] => (|node| t!(actions::boot_named, node = node), name),
        ["kubectl", "delete", "pod", name, ..] if has_flag(command, "--force") => {
            (|pod| t!(actions::force_delete_named, pod = pod), name)
        }
        ["kubectl", "delete", "pod", name, ..] => (|pod| t!(actions::delete_named, pod = pod), name),
        ["kubectl", "cordon", name, ..] => (|node| t!(actions::cordon_named, node = node), name),
        ["kubectl", "uncordon", name, ..] => (|node| t!(actions::uncordon_named, node = node), name),
        ["kubectl", "drain", name, ..] => (|node| t!(actions::drain_named, node = node), name),
        _ => return None,
    };
    (!name.starts_with('-')).then(|| say(name))
}

/// The reverse of a command whose effect is already present on the node.
pub(crate) fn reverse_command(line: &str, node: &NodeView) -> Option<String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    match *words.as_slice() {
        ["fault", "partition", name] if name == node.name && !node.machine.cuts.is_empty() => Some(toggle_cut(node)),
        ["fault", "poweroff", name] if name == node.name && !node.machine.powered => Some(format!("fault boot {name}")),
        _ => None,
    }
}

/// Text for the present effect of such a command.
pub(crate) fn effect_text(node: &NodeView) -> String {
    let name = &node.name;
    if node.machine.powered {
        t!(actions::node_is_cut_off, node = name)
    } else {
        t!(actions::node_is_off, node = name)
    }
}

/// The warning before a dangerous command; `None` for a harmless one.
pub(crate) fn consequence(line: &str) -> Option<String> {
    let commands = split(line);
    let found = commands
        .iter()
        .find_map(|command| warning_for(command, &commands, line));
    found.map(Message::text)
}

/// The warning for one command of a line. The objects may come through the pipe, or from the here-document.
fn warning_for(command: &[String], piped: &[Vec<String>], line: &str) -> Option<Message> {
    let (program, rest) = match command.split_first()? {
        (xargs, rest) if xargs == "xargs" => rest.split_first()?,
        own => own,
    };
    let verbs = first_words(rest);
    let arguments_of = |verb: &str| verbs.iter().find(|(word, _)| *word == verb).map(|(_, rest)| *rest);
    match program.as_str() {
        "kubectl" | "k" => {}
        "fault" => {
            return arguments_of("detach").map(|_| messages::detach_warning);
        }
        _ => return None,
    }
    if let Some(targets) = arguments_of("delete") {
        // `xargs` and `-f -` take the names of the objects from the pipe.
        let piped_words = piped.iter().filter(|_| piped.len() > 1).flatten();
        let is_about = |kinds: &[&str]| {
            let is_kind = |word: &str| {
                let kind = word.split(['/', '.']).next().unwrap_or_default();
                kinds.contains(&&*kind.to_ascii_lowercase())
            };
            first_words(targets)
                .iter()
                .any(|(word, _)| word.split(',').any(is_kind))
                || targets.iter().any(|word| word.contains('/') && is_kind(word))
                || piped_words.clone().any(|word| word.split(',').any(is_kind))
                || kinds_in_document(line).any(is_kind)
        };
        if has_flag(rest, "--force") {
            return Some(messages::force_delete_warning);
        }
        if is_about(&["node", "nodes", "no"]) {
            return Some(messages::delete_node_warning);
        }
        if is_about(&["namespace", "namespaces", "ns"]) {
            return Some(messages::delete_namespace_warning);
        }
    }
    if arguments_of("drain").is_some() && has_flag(rest, "--force") {
        return Some(messages::force_drain_warning);
    }
    let adds_out_of_service_taint = |word: &String| word.contains(OUT_OF_SERVICE) && !word.ends_with('-');
    if arguments_of("taint").is_some_and(|words| words.iter().any(adds_out_of_service_taint)) {
        return Some(messages::out_of_service_warning);
    }
    None
}

/// The kinds of the objects in a line's here-document, in YAML or JSON.
fn kinds_in_document(line: &str) -> impl Iterator<Item = &str> {
    let words = || {
        line.split(|c: char| !c.is_ascii_alphanumeric())
            .filter(|word| !word.is_empty())
    };
    words()
        .zip(words().skip(1))
        .filter_map(|(key, kind)| (key == "kind").then_some(kind))
}

/// Explains why dropping a pod on another node does not move it (U-12).
pub(crate) fn cannot_move(pod: &PodView, node: &str) -> String {
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
