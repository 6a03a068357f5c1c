//! `fault …` and `app member …` (F-01, C-13): text to [`Fault`] and back.

use podscope_api::ordered;

use podscope_api::{NodeName, ObjectKey, Quantity, Str};
use podscope_cluster::Span;
use podscope_cluster::fault::{ControlPlaneProcess, CutFrom, Direction, Fault, FenceMechanism, Targets};

use super::flags::{Args, Flag, Takes};
use super::shell::{Word, quote};
use super::{Command, CommandError};
use crate::duration::{parse_duration, print_duration};

/// Sub-commands with their use, for help and completion.
pub(crate) const FAULTS: &[(&str, &str, &str)] = &[
    (
        "partition",
        "NODE… [--from control-plane|nodes|storage|NODE] [--one-way in|out] | --zone ZONE",
        "cut the links of nodes or of a zone",
    ),
    ("heal", "NODE… | --zone ZONE | --all", "remove every cut"),
    (
        "join",
        "NODE [--labels K=V,…] [--capacity cpu=4,memory=8Gi,pods=110]",
        "bring a new machine, whose kubelet registers",
    ),
    ("leave", "NODE", "take the machine away for good"),
    (
        "crash",
        "kubelet|runtime NODE | scheduler|controller-manager|apiserver",
        "end a process",
    ),
    (
        "restart",
        "kubelet|runtime NODE | scheduler|controller-manager|apiserver",
        "start a process again",
    ),
    ("poweroff", "NODE", "cut the power"),
    (
        "shutdown",
        "NODE",
        "shut the machine down in order; pods end first if the kubelet has a shutdownGracePeriod",
    ),
    ("boot", "NODE", "power on"),
    ("second", "controller-manager|scheduler", "start a second leader"),
    ("etcd", "down|up", "cut the API server off from etcd, or mend it"),
    (
        "slow",
        "NODE DURATION",
        "add latency to every link of a node; 0s removes it",
    ),
    (
        "exit",
        "[NAMESPACE/]POD CONTAINER CODE",
        "end a container's process with that exit code",
    ),
    (
        "sandbox",
        "[NAMESPACE/]POD",
        "lose the pod's sandbox; one that is not there yet cannot be made once",
    ),
    (
        "fence",
        "NODE --by power|storage|network",
        "isolate a node so that it can do no harm",
    ),
    ("detach", "VOLUME", "break a volume's attachment by force"),
];

const FLAGS: &[Flag] = &[
    ("from", '-', Takes::Value),
    ("one-way", '-', Takes::Value),
    ("zone", '-', Takes::Value),
    ("all", '-', Takes::Bool),
    ("labels", '-', Takes::Value),
    ("capacity", '-', Takes::Value),
    ("by", '-', Takes::Value),
];

fn flags_of(name: &str) -> &'static [Flag] {
    match name {
        "partition" => FLAGS.get(0..3).unwrap_or_default(),
        "heal" => FLAGS.get(2..4).unwrap_or_default(),
        "join" => FLAGS.get(4..6).unwrap_or_default(),
        "fence" => FLAGS.get(6..7).unwrap_or_default(),
        _ => &[],
    }
}

fn node_name(word: &Word) -> Result<NodeName, CommandError> {
    let valid = !word.text.is_empty()
        && word.text.len() <= 253
        && word
            .text
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-' || byte == b'.');
    if valid {
        Ok(NodeName::from(word.text.as_str()))
    } else {
        Err(CommandError::new(
            word.column,
            format!("error: {:?} is not a node's name", word.text),
        ))
    }
}

fn pod_key(word: &Word) -> Result<ObjectKey, CommandError> {
    let (namespace, name) = word.text.split_once('/').unwrap_or(("default", &word.text));
    if namespace.is_empty() || name.is_empty() || name.contains('/') {
        return Err(CommandError::new(
            word.column,
            format!("error: {:?} is not a pod: give NAME or NAMESPACE/NAME", word.text),
        ));
    }
    Ok(ObjectKey::new(namespace, name))
}

fn control_plane(name: &str) -> Option<ControlPlaneProcess> {
    Some(match name {
        "scheduler" => ControlPlaneProcess::Scheduler,
        "controller-manager" => ControlPlaneProcess::ControllerManager,
        "apiserver" => ControlPlaneProcess::ApiServer,
        _ => return None,
    })
}

fn use_of(name: &str) -> String {
    FAULTS
        .iter()
        .find(|(known, ..)| *known == name)
        .map_or_else(String::new, |(name, form, _)| {
            format!("error: use: fault {name} {form}")
        })
}

pub(super) fn parse(words: &[Word]) -> Result<Command, CommandError> {
    let Some((verb, rest)) = words.split_first() else {
        return Ok(Command::Help("fault".into()));
    };
    if matches!(verb.text.as_str(), "--help" | "-h" | "help") {
        return Ok(Command::Help("fault".into()));
    }
    let name = verb.text.as_str();
    if !FAULTS.iter().any(|(known, ..)| *known == name) {
        let known: Vec<&str> = FAULTS.iter().map(|(known, ..)| *known).collect();
        return Err(CommandError::new(
            verb.column,
            format!("error: unknown fault {name:?}; there are {}", known.join(", ")),
        ));
    }
    let args = Args::parse(&format!("fault {name}"), flags_of(name), rest, None, false)?;
    if args.help {
        return Ok(Command::Help("fault".into()));
    }
    let wrong = |column: u32| CommandError::new(column, use_of(name));
    let exactly = |count: usize| -> Result<&[Word], CommandError> {
        match args.positional.get(count) {
            Some(extra) => Err(wrong(extra.column)),
            None if args.positional.len() < count => Err(wrong(args.end)),
            None => Ok(&args.positional),
        }
    };
    let targets = || -> Result<Targets, CommandError> {
        let zone = args.value("zone");
        let all = args.bool("all", false)?;
        match (zone, all, args.positional.is_empty()) {
            (Some(zone), false, true) => Ok(Targets::Zone(Str::from(zone))),
            (None, true, true) => Ok(Targets::All),
            (None, false, false) => Ok(Targets::Nodes(
                args.positional.iter().map(node_name).collect::<Result<_, _>>()?,
            )),
            _ => Err(wrong(args.end)),
        }
    };
    let fault = match name {
        "partition" => {
            let from = match args.value("from").as_deref() {
                None => CutFrom::Everything,
                Some("control-plane") => CutFrom::ControlPlane,
                Some("nodes") => CutFrom::Nodes,
                Some("storage") => CutFrom::Storage,
                Some(node) => CutFrom::Node(node_name(&Word {
                    text: node.to_owned(),
                    column: args.column("from"),
                })?),
            };
            let direction = match args.value("one-way").as_deref() {
                None => Direction::Both,
                Some("in") => Direction::In,
                Some("out") => Direction::Out,
                Some(_) => return Err(wrong(args.column("one-way"))),
            };
            Fault::Partition {
                targets: targets()?,
                from,
                direction,
            }
        }
        "heal" => Fault::Heal(targets()?),
        "join" => {
            let node = node_name(exactly(1)?.first().ok_or_else(|| wrong(args.end))?)?;
            let mut labels = ordered::Map::new();
            let mut capacity = ordered::Map::new();
            let pairs = |flag: &str| -> Result<Vec<(String, String)>, CommandError> {
                let text = args.value(flag).unwrap_or_default();
                text.split(',')
                    .filter(|pair| !pair.is_empty())
                    .map(|pair| {
                        pair.split_once('=')
                            .filter(|(key, _)| !key.is_empty())
                            .map(|(key, value)| (key.to_owned(), value.to_owned()))
                            .ok_or_else(|| wrong(args.column(flag)))
                    })
                    .collect()
            };
            for (key, value) in pairs("labels")? {
                labels.insert(Str::from(key), Str::from(value));
            }
            for (key, value) in pairs("capacity")? {
                let quantity: Quantity = value.parse().map_err(|_| {
                    CommandError::new(args.column("capacity"), format!("error: {value:?} is not a quantity"))
                })?;
                capacity.insert(Str::from(key), quantity);
            }
            Fault::Join { node, labels, capacity }
        }
        "crash" | "restart" => {
            let up = name == "restart";
            match args.positional.as_slice() {
                [process] => Fault::ControlPlane {
                    process: control_plane(&process.text).ok_or_else(|| wrong(process.column))?,
                    up,
                },
                [process, node] if process.text == "kubelet" => Fault::Kubelet {
                    node: node_name(node)?,
                    up,
                },
                [process, node] if process.text == "runtime" => Fault::Runtime {
                    node: node_name(node)?,
                    up,
                },
                _ => return Err(wrong(args.end)),
            }
        }
        "second" => match exactly(1)? {
            [process] => match control_plane(&process.text) {
                Some(process) if process != ControlPlaneProcess::ApiServer => Fault::Second(process),
                _ => return Err(wrong(process.column)),
            },
            _ => return Err(wrong(args.end)),
        },
        "etcd" => match exactly(1)? {
            [word] if word.text == "up" => Fault::Etcd { up: true },
            [word] if word.text == "down" => Fault::Etcd { up: false },
            words => return Err(wrong(words.first().map_or(args.end, |word| word.column))),
        },
        "slow" => match exactly(2)? {
            [node, extra] => {
                let span = parse_duration(&extra.text)
                    .ok()
                    .filter(|span| *span >= Span::ZERO)
                    .ok_or_else(|| {
                        CommandError::new(
                            extra.column,
                            format!("error: {:?} is not a duration like 200ms", extra.text),
                        )
                    })?;
                Fault::Slow(node_name(node)?, span)
            }
            _ => return Err(wrong(args.end)),
        },
        "exit" => match exactly(3)? {
            [pod, container, code] => Fault::Exit {
                pod: pod_key(pod)?,
                container: Str::from(container.text.as_str()),
                code: code
                    .text
                    .parse::<i32>()
                    .ok()
                    .filter(|code| (0..=255).contains(code))
                    .ok_or_else(|| {
                        CommandError::new(
                            code.column,
                            format!("error: {:?} is not an exit code from 0 to 255", code.text),
                        )
                    })?,
            },
            _ => return Err(wrong(args.end)),
        },
        "fence" => {
            let node = node_name(exactly(1)?.first().ok_or_else(|| wrong(args.end))?)?;
            let mechanism = match args.value("by").as_deref() {
                Some("power") => FenceMechanism::Power,
                Some("storage") => FenceMechanism::Storage,
                Some("network") => FenceMechanism::Network,
                _ => return Err(wrong(args.column("by"))),
            };
            Fault::Fence(node, mechanism)
        }
        _ => {
            let word = exactly(1)?.first().ok_or_else(|| wrong(args.end))?;
            match name {
                "leave" => Fault::Leave(node_name(word)?),
                "poweroff" | "boot" => Fault::Power {
                    node: node_name(word)?,
                    on: name == "boot",
                },
                "sandbox" => Fault::Sandbox(pod_key(word)?),
                "shutdown" => Fault::Shutdown(node_name(word)?),
                _ => Fault::Detach(Str::from(word.text.as_str())),
            }
        }
    };
    Ok(Command::Fault(fault))
}

pub(super) fn parse_app(words: &[Word]) -> Result<Command, CommandError> {
    let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    match texts.as_slice() {
        ["member", action @ ("add" | "remove"), group, member] => Ok(Command::Fault(Fault::Member {
            group: Str::from(*group),
            member: Str::from(*member),
            add: *action == "add",
        })),
        [] | ["--help" | "-h"] => Ok(Command::Help("app".into())),
        _ => Err(CommandError::new(
            words.first().map_or(1, |word| word.column),
            "error: use: app member add|remove GROUP MEMBER",
        )),
    }
}

fn targets_text(targets: &Targets) -> String {
    match targets {
        Targets::Nodes(nodes) => nodes.iter().map(|node| quote(node)).collect::<Vec<_>>().join(" "),
        Targets::Zone(zone) => format!("--zone {}", quote(zone)),
        Targets::All => "--all".into(),
    }
}

fn key_text(key: &ObjectKey) -> String {
    if &*key.namespace == "default" {
        quote(&key.name)
    } else {
        quote(&key.to_string())
    }
}

fn process_text(process: ControlPlaneProcess) -> &'static str {
    match process {
        ControlPlaneProcess::Scheduler => "scheduler",
        ControlPlaneProcess::ControllerManager => "controller-manager",
        ControlPlaneProcess::ApiServer => "apiserver",
    }
}

/// The canonical text of a fault.
pub(super) fn print(fault: &Fault) -> String {
    let crash = |up: bool| if up { "restart" } else { "crash" };
    let pairs = |pairs: Vec<String>| quote(&pairs.join(","));
    match fault {
        Fault::Partition {
            targets,
            from,
            direction,
        } => {
            let mut out = format!("fault partition {}", targets_text(targets));
            match from {
                CutFrom::Everything => {}
                CutFrom::ControlPlane => out.push_str(" --from control-plane"),
                CutFrom::Nodes => out.push_str(" --from nodes"),
                CutFrom::Storage => out.push_str(" --from storage"),
                CutFrom::Node(node) => out.push_str(&format!(" --from {}", quote(node))),
            }
            match direction {
                Direction::Both => {}
                Direction::In => out.push_str(" --one-way in"),
                Direction::Out => out.push_str(" --one-way out"),
            }
            out
        }
        Fault::Heal(targets) => format!("fault heal {}", targets_text(targets)),
        Fault::Join { node, labels, capacity } => {
            let mut out = format!("fault join {}", quote(node));
            if !labels.is_empty() {
                let text = labels.iter().map(|(key, value)| format!("{key}={value}")).collect();
                out.push_str(&format!(" --labels {}", pairs(text)));
            }
            if !capacity.is_empty() {
                let text = capacity.iter().map(|(key, value)| format!("{key}={value}")).collect();
                out.push_str(&format!(" --capacity {}", pairs(text)));
            }
            out
        }
        Fault::Leave(node) => format!("fault leave {}", quote(node)),
        Fault::Kubelet { node, up } => format!("fault {} kubelet {}", crash(*up), quote(node)),
        Fault::Runtime { node, up } => format!("fault {} runtime {}", crash(*up), quote(node)),
        Fault::Power { node, on } => format!("fault {} {}", if *on { "boot" } else { "poweroff" }, quote(node)),
        Fault::Shutdown(node) => format!("fault shutdown {}", quote(node)),
        Fault::ControlPlane { process, up } => format!("fault {} {}", crash(*up), process_text(*process)),
        Fault::Second(process) => format!("fault second {}", process_text(*process)),
        Fault::Etcd { up } => format!("fault etcd {}", if *up { "up" } else { "down" }),
        Fault::Slow(node, span) => format!("fault slow {} {}", quote(node), print_duration(*span)),
        Fault::Exit { pod, container, code } => {
            format!("fault exit {} {} {code}", key_text(pod), quote(container))
        }
        Fault::Sandbox(pod) => format!("fault sandbox {}", key_text(pod)),
        Fault::Fence(node, mechanism) => format!(
            "fault fence {} --by {}",
            quote(node),
            match mechanism {
                FenceMechanism::Power => "power",
                FenceMechanism::Storage => "storage",
                FenceMechanism::Network => "network",
            }
        ),
        Fault::Detach(volume) => format!("fault detach {}", quote(volume)),
        Fault::Member { group, member, add } => format!(
            "app member {} {} {}",
            if *add { "add" } else { "remove" },
            quote(group),
            quote(member)
        ),
    }
}
