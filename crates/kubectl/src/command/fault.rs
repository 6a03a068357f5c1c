//! The `fault …` commands (F-01). Parses the text into a [`Fault`], and prints it.

mod device;

use podscope_api::ordered;

use podscope_api::{NodeName, ObjectKey, Quantity, Str};
use podscope_cluster::Span;
use podscope_cluster::fault::{ControlPlaneProcess, CutFrom, Direction, Fault, FenceMechanism, Targets};

use super::flags::{Args, Flag, Takes};
use super::shell::{Word, quote};
use super::{Command, CommandError};
use crate::duration::{parse_duration, print_duration};

/// The grammar of one sub-command of `fault`. [`print`] has an arm for its canonical text, and `World::inject` one for
/// its effect; the compiler requires both for each variant of [`Fault`].
pub(crate) struct FaultVerb {
    pub(crate) name: &'static str,
    /// Usage text after the name.
    pub(crate) usage: &'static str,
    /// Description for help and completion.
    pub(crate) description: &'static str,
    /// Type of each positional argument, for completion.
    arguments: &'static [Argument],
    pub(crate) flags: &'static [Flag],
    read: fn(&FaultLine<'_>) -> Result<Fault, CommandError>,
}

/// Type of a positional argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Argument {
    Node,
    /// One or more nodes, up to the last argument.
    Nodes,
    Pod,
    Volume,
    Device,
    Word(&'static [&'static str]),
    /// A new name or a value, which completion cannot propose.
    New,
}

impl FaultVerb {
    /// Type of the positional argument at an index.
    pub(crate) fn argument(&self, index: usize) -> Argument {
        match (self.arguments.get(index), self.arguments.last()) {
            (Some(argument), _) => *argument,
            (None, Some(Argument::Nodes)) => Argument::Nodes,
            (None, _) => Argument::New,
        }
    }
}

/// Values of `partition --from`, besides node names.
pub(crate) const CUTS: &[(&str, CutFrom)] = &[
    ("control-plane", CutFrom::ControlPlane),
    ("nodes", CutFrom::Nodes),
    ("storage", CutFrom::Storage),
];

/// Values of `partition --one-way`, with their descriptions.
pub(crate) const DIRECTIONS: &[(&str, Direction, &str)] = &[
    ("in", Direction::In, "lose what goes to the node"),
    ("out", Direction::Out, "lose what comes from the node"),
];

const fn verb(
    name: &'static str,
    usage: &'static str,
    description: &'static str,
    arguments: &'static [Argument],
    flags: &'static [Flag],
    read: fn(&FaultLine<'_>) -> Result<Fault, CommandError>,
) -> FaultVerb {
    FaultVerb {
        name,
        usage,
        description,
        arguments,
        flags,
        read,
    }
}

const PROCESSES: &[Argument] = &[
    Argument::Word(&[
        "kubelet",
        "runtime",
        "driver",
        "scheduler",
        "controller-manager",
        "apiserver",
    ]),
    Argument::Node,
];

const ZONE: Flag = ("zone", '-', Takes::Value);

/// Every sub-command, in the order of the help.
pub(crate) const FAULTS: &[FaultVerb] = &[
    verb(
        "partition",
        "NODE… [--from control-plane|nodes|storage|NODE] [--one-way in|out] | --zone ZONE",
        "cut the links of nodes or of a zone",
        &[Argument::Nodes],
        &[("from", '-', Takes::Value), ("one-way", '-', Takes::Value), ZONE],
        read_partition,
    ),
    verb(
        "heal",
        "NODE… | --zone ZONE | --all",
        "remove every cut; a fence stays",
        &[Argument::Nodes],
        &[ZONE, ("all", '-', Takes::Bool)],
        |line| Ok(Fault::Heal(line.targets()?)),
    ),
    verb(
        "join",
        "NAME [--like NODE] [--count N] [--labels K=V,…] [--capacity cpu=4,memory=8Gi,pods=110]",
        "bring a new machine, whose kubelet registers; of several NAME-1 to NAME-N",
        &[Argument::New],
        &[
            ("like", '-', Takes::Value),
            ("count", '-', Takes::Value),
            ("labels", '-', Takes::Value),
            ("capacity", '-', Takes::Value),
        ],
        read_join,
    ),
    verb(
        "leave",
        "NODE",
        "take the machine away for good",
        &[Argument::Node],
        &[],
        |line| Ok(Fault::Leave(line.node()?)),
    ),
    verb(
        "crash",
        "kubelet|runtime|driver NODE | scheduler|controller-manager|apiserver",
        "end a process",
        PROCESSES,
        &[],
        |line| read_process(line, false),
    ),
    verb(
        "restart",
        "kubelet|runtime|driver NODE | scheduler|controller-manager|apiserver",
        "start a process again",
        PROCESSES,
        &[],
        |line| read_process(line, true),
    ),
    verb("poweroff", "NODE", "cut the power", &[Argument::Node], &[], |line| {
        let node = line.node()?;
        Ok(Fault::Power { node, on: false })
    }),
    verb(
        "shutdown",
        "NODE",
        "shut the machine down in order; pods end first if the kubelet has a shutdownGracePeriod",
        &[Argument::Node],
        &[],
        |line| Ok(Fault::Shutdown(line.node()?)),
    ),
    verb("boot", "NODE", "power on", &[Argument::Node], &[], |line| {
        let node = line.node()?;
        Ok(Fault::Power { node, on: true })
    }),
    verb(
        "second",
        "controller-manager|scheduler",
        "start a second leader",
        &[Argument::Word(&["controller-manager", "scheduler"])],
        &[],
        |line| {
            let word = line.single_word()?;
            match ControlPlaneProcess::from_name(&word.text) {
                Some(process) if process != ControlPlaneProcess::ApiServer => Ok(Fault::Second(process)),
                _ => Err(line.usage_error(word.column)),
            }
        },
    ),
    verb(
        "etcd",
        "down|up",
        "cut the API server off from etcd, or mend it",
        &[Argument::Word(&["down", "up"])],
        &[],
        |line| {
            let word = line.single_word()?;
            match word.text.as_str() {
                "up" => Ok(Fault::Etcd { up: true }),
                "down" => Ok(Fault::Etcd { up: false }),
                _ => Err(line.usage_error(word.column)),
            }
        },
    ),
    verb(
        "slow",
        "NODE DURATION",
        "add latency to every link of a node; 0s removes it",
        &[Argument::Node],
        &[],
        read_slow,
    ),
    verb(
        "exit",
        "[NAMESPACE/]POD CONTAINER CODE",
        "end a container's process with that exit code",
        &[Argument::Pod],
        &[],
        read_exit,
    ),
    verb(
        "sandbox",
        "[NAMESPACE/]POD",
        "lose the pod's sandbox; one that is not there yet cannot be made once",
        &[Argument::Pod],
        &[],
        |line| Ok(Fault::Sandbox(pod_key(line.single_word()?)?)),
    ),
    verb(
        "fence",
        "NODE --by power|storage|network",
        "isolate a node so that it can do no harm",
        &[Argument::Node],
        &[("by", '-', Takes::Value)],
        |line| {
            let node = line.node()?;
            let mechanism = line.args.value("by").and_then(|by| FenceMechanism::from_name(&by));
            let mechanism = mechanism.ok_or_else(|| line.usage_error(line.args.column("by")))?;
            Ok(Fault::Fence(node, mechanism))
        },
    ),
    verb(
        "unfence",
        "NODE",
        "lift the fences of storage and network; power comes back with boot",
        &[Argument::Node],
        &[],
        |line| Ok(Fault::Unfence(line.node()?)),
    ),
    verb(
        "device",
        "NODE [DRIVER/]DEVICE taint KEY=VALUE:EFFECT|taint KEY[:EFFECT]-|gone|back|unhealthy",
        "change a device of a node",
        &[
            Argument::Node,
            Argument::Device,
            Argument::Word(&["taint", "gone", "back", "unhealthy"]),
        ],
        &[],
        device::read,
    ),
    verb(
        "detach",
        "VOLUME",
        "break a volume's attachment by force",
        &[Argument::Volume],
        &[],
        |line| Ok(Fault::Detach(Str::from(line.single_word()?.text.as_str()))),
    ),
];

/// The parsed words after a sub-command.
struct FaultLine<'l> {
    verb: &'l FaultVerb,
    args: Args,
}

impl FaultLine<'_> {
    fn usage_error(&self, column: u32) -> CommandError {
        let FaultVerb { name, usage, .. } = self.verb;
        CommandError::new(column, format!("error: use: fault {name} {usage}"))
    }

    /// Exactly `N` positional arguments, or a usage error.
    fn exactly<const N: usize>(&self) -> Result<&[Word; N], CommandError> {
        match self.args.positional.get(N) {
            Some(extra) => Err(self.usage_error(extra.column)),
            None => (&*self.args.positional)
                .try_into()
                .map_err(|_| self.usage_error(self.args.end)),
        }
    }

    fn single_word(&self) -> Result<&Word, CommandError> {
        let [word] = self.exactly()?;
        Ok(word)
    }

    fn node(&self) -> Result<NodeName, CommandError> {
        node_name(self.single_word()?)
    }

    fn targets(&self) -> Result<Targets, CommandError> {
        let zone = self.args.value("zone");
        let all = self.args.bool("all", false)?;
        match (zone, all, self.args.positional.is_empty()) {
            (Some(zone), false, true) => Ok(Targets::Zone(Str::from(zone))),
            (None, true, true) => Ok(Targets::All),
            (None, false, false) => Ok(Targets::Nodes(
                self.args.positional.iter().map(node_name).collect::<Result<_, _>>()?,
            )),
            _ => Err(self.usage_error(self.args.end)),
        }
    }

    /// Parses a flag value `K=V,…`.
    fn pairs(&self, flag: &str) -> Result<Vec<(String, String)>, CommandError> {
        let text = self.args.value(flag).unwrap_or_default();
        text.split(',')
            .filter(|pair| !pair.is_empty())
            .map(|pair| {
                pair.split_once('=')
                    .filter(|(key, _)| !key.is_empty())
                    .map(|(key, value)| (key.to_owned(), value.to_owned()))
                    .ok_or_else(|| self.usage_error(self.args.column(flag)))
            })
            .collect()
    }
}

fn read_partition(line: &FaultLine<'_>) -> Result<Fault, CommandError> {
    let args = &line.args;
    let from = match args.value("from") {
        None => CutFrom::Everything,
        Some(from) => match CUTS.iter().find(|(word, _)| *word == from) {
            Some((_, cut)) => cut.clone(),
            None => CutFrom::Node(node_name(&Word {
                text: from,
                column: args.column("from"),
            })?),
        },
    };
    let direction = match args.value("one-way") {
        None => Direction::Both,
        Some(way) => {
            let known = DIRECTIONS.iter().find(|(word, ..)| *word == way);
            known.ok_or_else(|| line.usage_error(args.column("one-way")))?.1
        }
    };
    Ok(Fault::Partition {
        targets: line.targets()?,
        from,
        direction,
    })
}

/// Maximum number of machines that one `fault join` adds.
const MAX_JOINING: u32 = 1_000;

fn read_join(line: &FaultLine<'_>) -> Result<Fault, CommandError> {
    let node = line.node()?;
    let mut labels = ordered::Map::new();
    let mut capacity = ordered::Map::new();
    for (key, value) in line.pairs("labels")? {
        labels.insert(Str::from(key), Str::from(value));
    }
    for (key, value) in line.pairs("capacity")? {
        let quantity: Quantity = value.parse().map_err(|_| {
            CommandError::new(
                line.args.column("capacity"),
                format!("error: {value:?} is not a quantity"),
            )
        })?;
        capacity.insert(Str::from(key), quantity);
    }
    let like = line.args.value("like").map(|text| {
        node_name(&Word {
            text,
            column: line.args.column("like"),
        })
    });
    let count = line.args.value("count").map(|text| {
        let number = text.parse().ok().filter(|number| (1..=MAX_JOINING).contains(number));
        number.ok_or_else(|| {
            let message = format!("error: --count takes a number from 1 to {MAX_JOINING}, not {text:?}");
            CommandError::new(line.args.column("count"), message)
        })
    });
    Ok(Fault::Join {
        node,
        count: count.transpose()?,
        like: like.transpose()?,
        labels,
        capacity,
    })
}

fn read_process(line: &FaultLine<'_>, up: bool) -> Result<Fault, CommandError> {
    match line.args.positional.as_slice() {
        [process] => Ok(Fault::ControlPlane {
            process: ControlPlaneProcess::from_name(&process.text).ok_or_else(|| line.usage_error(process.column))?,
            up,
        }),
        [process, node] if process.text == "kubelet" => Ok(Fault::Kubelet {
            node: node_name(node)?,
            up,
        }),
        [process, node] if process.text == "driver" => Ok(Fault::Driver {
            node: node_name(node)?,
            up,
        }),
        [process, node] if process.text == "runtime" => Ok(Fault::Runtime {
            node: node_name(node)?,
            up,
        }),
        _ => Err(line.usage_error(line.args.end)),
    }
}

fn read_slow(line: &FaultLine<'_>) -> Result<Fault, CommandError> {
    let [node, extra] = line.exactly()?;
    let span = parse_duration(&extra.text)
        .ok()
        .filter(|span| *span >= Span::ZERO)
        .ok_or_else(|| {
            CommandError::new(
                extra.column,
                format!("error: {:?} is not a duration like 200ms", extra.text),
            )
        })?;
    Ok(Fault::Slow(node_name(node)?, span))
}

fn read_exit(line: &FaultLine<'_>) -> Result<Fault, CommandError> {
    let [pod, container, code] = line.exactly()?;
    let number = code.text.parse::<i32>().ok();
    Ok(Fault::Exit {
        pod: pod_key(pod)?,
        container: Str::from(container.text.as_str()),
        code: number.filter(|code| (0..=255).contains(code)).ok_or_else(|| {
            CommandError::new(
                code.column,
                format!("error: {:?} is not an exit code from 0 to 255", code.text),
            )
        })?,
    })
}

pub(super) fn node_name(word: &Word) -> Result<NodeName, CommandError> {
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

pub(super) fn pod_key(word: &Word) -> Result<ObjectKey, CommandError> {
    let (namespace, name) = word.text.split_once('/').unwrap_or(("default", &word.text));
    if namespace.is_empty() || name.is_empty() || name.contains('/') {
        return Err(CommandError::new(
            word.column,
            format!("error: {:?} is not a pod: give NAME or NAMESPACE/NAME", word.text),
        ));
    }
    Ok(ObjectKey::new(namespace, name))
}

/// Parses the words after `fault`.
pub(super) fn parse(words: &[Word]) -> Result<Command, CommandError> {
    let Some((verb_word, rest)) = words.split_first() else {
        return Ok(Command::Help("fault".into()));
    };
    if matches!(verb_word.text.as_str(), "--help" | "-h" | "help") {
        return Ok(Command::Help("fault".into()));
    }
    let Some(verb) = FAULTS.iter().find(|verb| verb.name == verb_word.text) else {
        let known: Vec<&str> = FAULTS.iter().map(|verb| verb.name).collect();
        return Err(CommandError::new(
            verb_word.column,
            format!(
                "error: unknown fault {:?}; there are {}",
                verb_word.text,
                known.join(", ")
            ),
        ));
    };
    let args = Args::parse(&format!("fault {}", verb.name), verb.flags, rest, None, false)?;
    if args.help {
        return Ok(Command::Help("fault".into()));
    }
    (verb.read)(&FaultLine { verb, args }).map(Command::Fault)
}

fn targets_text(targets: &Targets) -> String {
    match targets {
        Targets::Nodes(nodes) => nodes.iter().map(|node| quote(node)).collect::<Vec<_>>().join(" "),
        Targets::Zone(zone) => format!("--zone {}", quote(zone)),
        Targets::All => "--all".into(),
    }
}

/// `NAME`, or `NAMESPACE/NAME` outside the default namespace.
pub(super) fn key_text(key: &ObjectKey) -> String {
    if &*key.namespace == "default" {
        quote(&key.name)
    } else {
        quote(&key.to_string())
    }
}

/// The canonical text of a fault.
pub(super) fn print(fault: &Fault) -> String {
    let process_verb = |up: bool| if up { "restart" } else { "crash" };
    let pairs = |pairs: Vec<String>| quote(&pairs.join(","));
    match fault {
        Fault::Partition {
            targets,
            from,
            direction,
        } => {
            let mut out = format!("fault partition {}", targets_text(targets));
            let word = CUTS.iter().find(|(_, cut)| cut == from).map(|(word, _)| *word);
            if let CutFrom::Node(node) = from {
                out.push_str(&format!(" --from {}", quote(node)));
            } else if let Some(word) = word {
                out.push_str(&format!(" --from {word}"));
            }
            if let Some((word, ..)) = DIRECTIONS.iter().find(|(_, way, _)| way == direction) {
                out.push_str(&format!(" --one-way {word}"));
            }
            out
        }
        Fault::Heal(targets) => format!("fault heal {}", targets_text(targets)),
        Fault::Join {
            node,
            count,
            like,
            labels,
            capacity,
        } => {
            let mut out = format!("fault join {}", quote(node));
            if let Some(like) = like {
                out.push_str(&format!(" --like {}", quote(like)));
            }
            if let Some(count) = count {
                out.push_str(&format!(" --count {count}"));
            }
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
        Fault::Kubelet { node, up } => format!("fault {} kubelet {}", process_verb(*up), quote(node)),
        Fault::Runtime { node, up } => format!("fault {} runtime {}", process_verb(*up), quote(node)),
        Fault::Power { node, on } => format!("fault {} {}", if *on { "boot" } else { "poweroff" }, quote(node)),
        Fault::Shutdown(node) => format!("fault shutdown {}", quote(node)),
        Fault::ControlPlane { process, up } => format!("fault {} {}", process_verb(*up), process.as_str()),
        Fault::Second(process) => format!("fault second {}", process.as_str()),
        Fault::Etcd { up } => format!("fault etcd {}", if *up { "up" } else { "down" }),
        Fault::Slow(node, span) => format!("fault slow {} {}", quote(node), print_duration(*span)),
        Fault::Exit { pod, container, code } => {
            format!("fault exit {} {} {code}", key_text(pod), quote(container))
        }
        Fault::Sandbox(pod) => format!("fault sandbox {}", key_text(pod)),
        Fault::Fence(node, mechanism) => format!("fault fence {} --by {}", quote(node), mechanism.as_str()),
        Fault::Unfence(node) => format!("fault unfence {}", quote(node)),
        Fault::Device { node, device, change } => {
            format!(
                "fault device {} {} {}",
                quote(node),
                quote(device),
                device::words(change)
            )
        }
        Fault::Driver { node, up } => format!("fault {} driver {}", process_verb(*up), quote(node)),
        Fault::Detach(volume) => format!("fault detach {}", quote(volume)),
        Fault::Member { .. } | Fault::Traffic(_) => super::app::print(fault),
    }
}
