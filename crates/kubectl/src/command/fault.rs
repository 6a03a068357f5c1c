//! The `fault …` commands (F-01). Parses the words of a command into a [`Fault`] and its canonical text.

mod device;

use podscope_api::ordered;

use podscope_api::fault::{ControlPlaneProcess, CutFrom, FenceMechanism, OneWay};
use podscope_api::{NodeName, ObjectKey, Quantity, Str};
use podscope_cluster::Span;
use podscope_cluster::fault::{Fault, Targets};

use super::flags::{Args, Flag, FlagTakes};
use super::shell::Word;
use super::{Command, CommandError, Words};
use crate::duration::{parse_duration, print_duration};

/// The grammar of one sub-command of `fault`. Its effect is implemented in `World::inject`, whose match covers each
/// variant of [`Fault`].
pub(crate) struct FaultVerb {
    pub(crate) name: &'static str,
    /// Usage text after the sub-command's name.
    pub(crate) usage: &'static str,
    /// Description for help and completion.
    pub(crate) description: &'static str,
    /// Type of each positional argument, for completion.
    arguments: &'static [FaultArgument],
    pub(crate) flags: &'static [Flag],
    read: fn(&mut FaultLine<'_>) -> Result<Fault, CommandError>,
}

/// Type of a positional argument of a `fault` command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FaultArgument {
    Node,
    /// One or more nodes, up to the last argument.
    Nodes,
    Pod,
    Volume,
    Device,
    Word(&'static [&'static str]),
    /// A new name or a value, for which completion has no candidates.
    New,
}

impl FaultVerb {
    /// Returns the type of the positional argument at an index.
    pub(crate) fn argument(&self, index: usize) -> FaultArgument {
        match (self.arguments.get(index), self.arguments.last()) {
            (Some(argument), _) => *argument,
            (None, Some(FaultArgument::Nodes)) => FaultArgument::Nodes,
            (None, _) => FaultArgument::New,
        }
    }
}

/// Values of `partition --from`, in addition to node names.
pub(crate) const PARTITION_CUTS: &[CutFrom] = &[CutFrom::ControlPlane, CutFrom::Nodes, CutFrom::Storage];

/// Values of `partition --one-way`, with their descriptions.
pub(crate) const PARTITION_DIRECTIONS: &[(OneWay, &str)] = &[
    (OneWay::In, "lose what goes to the node"),
    (OneWay::Out, "lose what comes from the node"),
];

const fn fault_verb(
    name: &'static str,
    usage: &'static str,
    description: &'static str,
    arguments: &'static [FaultArgument],
    flags: &'static [Flag],
    read: fn(&mut FaultLine<'_>) -> Result<Fault, CommandError>,
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

const PROCESS_ARGUMENTS: &[FaultArgument] = &[
    FaultArgument::Word(&[
        "kubelet",
        "runtime",
        "driver",
        "scheduler",
        "controller-manager",
        "apiserver",
    ]),
    FaultArgument::Node,
];

const ZONE_FLAG: Flag = ("zone", '-', FlagTakes::Value);

/// Every sub-command of `fault`, in the order of its help text.
pub(crate) const FAULTS: &[FaultVerb] = &[
    fault_verb(
        "partition",
        "NODE… [--from control-plane|nodes|storage|NODE] [--one-way in|out] | --zone ZONE",
        "cut the links of nodes or of a zone",
        &[FaultArgument::Nodes],
        &[
            ("from", '-', FlagTakes::Value),
            ("one-way", '-', FlagTakes::Value),
            ZONE_FLAG,
        ],
        parse_partition,
    ),
    fault_verb(
        "heal",
        "NODE… | --zone ZONE | --all",
        "remove every cut; a fence stays",
        &[FaultArgument::Nodes],
        &[ZONE_FLAG, ("all", '-', FlagTakes::Bool)],
        |line| Ok(Fault::Heal(line.target_arguments()?)),
    ),
    fault_verb(
        "join",
        "NAME [--like NODE] [--count N] [--labels K=V,…] [--capacity cpu=4,memory=8Gi,pods=110]",
        "bring a new machine, whose kubelet registers; of several NAME-1 to NAME-N",
        &[FaultArgument::New],
        &[
            ("like", '-', FlagTakes::Value),
            ("count", '-', FlagTakes::Value),
            ("labels", '-', FlagTakes::Value),
            ("capacity", '-', FlagTakes::Value),
        ],
        parse_node_join,
    ),
    fault_verb(
        "leave",
        "NODE",
        "take the machine away for good",
        &[FaultArgument::Node],
        &[],
        |line| Ok(Fault::Leave(line.node_argument()?)),
    ),
    fault_verb(
        "crash",
        "kubelet|runtime|driver NODE | scheduler|controller-manager|apiserver",
        "end a process",
        PROCESS_ARGUMENTS,
        &[],
        |line| parse_crash_or_restart(line, false),
    ),
    fault_verb(
        "restart",
        "kubelet|runtime|driver NODE | scheduler|controller-manager|apiserver",
        "start a process again",
        PROCESS_ARGUMENTS,
        &[],
        |line| parse_crash_or_restart(line, true),
    ),
    fault_verb(
        "poweroff",
        "NODE",
        "cut the power",
        &[FaultArgument::Node],
        &[],
        |line| {
            let node = line.node_argument()?;
            Ok(Fault::Power { node, on: false })
        },
    ),
    fault_verb(
        "shutdown",
        "NODE",
        "shut the machine down in order; pods end first if the kubelet has a shutdownGracePeriod",
        &[FaultArgument::Node],
        &[],
        |line| Ok(Fault::Shutdown(line.node_argument()?)),
    ),
    fault_verb("boot", "NODE", "power on", &[FaultArgument::Node], &[], |line| {
        let node = line.node_argument()?;
        Ok(Fault::Power { node, on: true })
    }),
    fault_verb(
        "second",
        "controller-manager|scheduler",
        "start a second leader",
        &[FaultArgument::Word(&["controller-manager", "scheduler"])],
        &[],
        |line| {
            let word = line.single_argument()?.clone();
            match ControlPlaneProcess::from_name(&word.text) {
                Some(process) if process != ControlPlaneProcess::ApiServer => {
                    line.words.push_word(process.as_str());
                    Ok(Fault::Second(process))
                }
                _ => Err(line.usage_error(word.column)),
            }
        },
    ),
    fault_verb(
        "etcd",
        "down|up",
        "cut the API server off from etcd, or mend it",
        &[FaultArgument::Word(&["down", "up"])],
        &[],
        |line| {
            let word = line.single_argument()?.clone();
            let up = match word.text.as_str() {
                "up" => true,
                "down" => false,
                _ => return Err(line.usage_error(word.column)),
            };
            line.words.push_word(word.text);
            Ok(Fault::Etcd { up })
        },
    ),
    fault_verb(
        "slow",
        "NODE DURATION",
        "add latency to every link of a node; 0s removes it",
        &[FaultArgument::Node],
        &[],
        parse_slow_links,
    ),
    fault_verb(
        "exit",
        "[NAMESPACE/]POD CONTAINER CODE",
        "end a container's process with that exit code",
        &[FaultArgument::Pod],
        &[],
        parse_container_exit,
    ),
    fault_verb(
        "sandbox",
        "[NAMESPACE/]POD",
        "lose the pod's sandbox; one that is not there yet cannot be made once",
        &[FaultArgument::Pod],
        &[],
        |line| {
            let pod = parse_pod_key(line.single_argument()?)?;
            Ok(Fault::Sandbox(line.words.push_object_key(pod)))
        },
    ),
    fault_verb(
        "fence",
        "NODE --by power|storage|network",
        "isolate a node so that it can do no harm",
        &[FaultArgument::Node],
        &[("by", '-', FlagTakes::Value)],
        |line| {
            let node = line.node_argument()?;
            let mechanism = line.args.value("by").and_then(|by| FenceMechanism::from_name(&by));
            let mechanism = mechanism.ok_or_else(|| line.usage_error(line.args.column("by")))?;
            line.words.push_flag_value("--by", Some(mechanism.as_str().to_owned()));
            Ok(Fault::Fence(node, mechanism))
        },
    ),
    fault_verb(
        "unfence",
        "NODE",
        "lift the fences of storage and network; power comes back with boot",
        &[FaultArgument::Node],
        &[],
        |line| Ok(Fault::Unfence(line.node_argument()?)),
    ),
    fault_verb(
        "device",
        "NODE [DRIVER/]DEVICE taint KEY=VALUE:EFFECT|taint KEY[:EFFECT]-|gone|back|unhealthy",
        "change a device of a node",
        &[
            FaultArgument::Node,
            FaultArgument::Device,
            FaultArgument::Word(&["taint", "gone", "back", "unhealthy"]),
        ],
        &[],
        device::parse,
    ),
    fault_verb(
        "detach",
        "VOLUME",
        "break a volume's attachment by force",
        &[FaultArgument::Volume],
        &[],
        |line| {
            let volume = line.single_argument()?.text.clone();
            line.words.push_word(volume.as_str());
            Ok(Fault::Detach(Str::from(volume)))
        },
    ),
];

/// A `fault` command that is being parsed: its arguments, and the canonical form of those processed so far.
struct FaultLine<'l> {
    verb: &'l FaultVerb,
    args: Args,
    words: Words,
}

impl FaultLine<'_> {
    fn usage_error(&self, column: u32) -> CommandError {
        let FaultVerb { name, usage, .. } = self.verb;
        CommandError::new(column, format!("error: use: fault {name} {usage}"))
    }

    /// Returns the positional arguments if there are exactly `N`; otherwise a usage error.
    fn exactly_n_arguments<const N: usize>(&self) -> Result<&[Word; N], CommandError> {
        match self.args.positional.get(N) {
            Some(extra) => Err(self.usage_error(extra.column)),
            None => (&*self.args.positional)
                .try_into()
                .map_err(|_| self.usage_error(self.args.end)),
        }
    }

    fn single_argument(&self) -> Result<&Word, CommandError> {
        let [word] = self.exactly_n_arguments()?;
        Ok(word)
    }

    fn node_argument(&mut self) -> Result<NodeName, CommandError> {
        let node = parse_node_name(self.single_argument()?)?;
        self.words.push_word(&*node);
        Ok(node)
    }

    fn target_arguments(&mut self) -> Result<Targets, CommandError> {
        let zone = self.args.value("zone");
        let all = self.args.bool("all", false)?;
        match (zone, all, self.args.positional.is_empty()) {
            (Some(zone), false, true) => {
                self.words.push_flag_value("--zone", Some(zone.clone()));
                Ok(Targets::Zone(Str::from(zone)))
            }
            (None, true, true) => {
                self.words.push_word("--all");
                Ok(Targets::All)
            }
            (None, false, false) => {
                let nodes = self.args.positional.iter().map(parse_node_name);
                let nodes: Vec<NodeName> = nodes.collect::<Result<_, _>>()?;
                nodes.iter().for_each(|node| self.words.push_word(&**node));
                Ok(Targets::Nodes(nodes))
            }
            _ => Err(self.usage_error(self.args.end)),
        }
    }

    /// Parses a flag value of the form `K=V,…`.
    fn key_value_pairs(&self, flag: &str) -> Result<Vec<(String, String)>, CommandError> {
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

fn parse_partition(line: &mut FaultLine<'_>) -> Result<Fault, CommandError> {
    let args = &line.args;
    let from = match args.value("from") {
        None => None,
        Some(from) => Some(match PARTITION_CUTS.iter().find(|cut| cut.as_str() == from) {
            Some(cut) => cut.clone(),
            None => CutFrom::Node(parse_node_name(&Word {
                text: from,
                column: args.column("from"),
            })?),
        }),
    };
    let one_way = match args.value("one-way") {
        None => None,
        Some(way) => Some(OneWay::from_name(&way).ok_or_else(|| line.usage_error(args.column("one-way")))?),
    };
    let targets = line.target_arguments()?;
    line.words.push_flag_value("--from", line.args.value("from"));
    line.words.push_flag_value("--one-way", line.args.value("one-way"));
    Ok(Fault::Partition { targets, from, one_way })
}

/// Maximum number of nodes that one `fault join` adds.
const MAX_JOINED_NODES: u32 = 1_000;

fn parse_node_join(line: &mut FaultLine<'_>) -> Result<Fault, CommandError> {
    let node = line.node_argument()?;
    let mut labels = ordered::Map::new();
    let mut capacity = ordered::Map::new();
    for (key, value) in line.key_value_pairs("labels")? {
        labels.insert(Str::from(key), Str::from(value));
    }
    for (key, value) in line.key_value_pairs("capacity")? {
        let quantity: Quantity = value.parse().map_err(|_| {
            CommandError::new(
                line.args.column("capacity"),
                format!("error: {value:?} is not a quantity"),
            )
        })?;
        capacity.insert(Str::from(key), quantity);
    }
    let like = line.args.value("like").map(|text| {
        parse_node_name(&Word {
            text,
            column: line.args.column("like"),
        })
    });
    let count = line.args.value("count").map(|text| {
        let number = text
            .parse()
            .ok()
            .filter(|number| (1..=MAX_JOINED_NODES).contains(number));
        number.ok_or_else(|| {
            let message = format!("error: --count takes a number from 1 to {MAX_JOINED_NODES}, not {text:?}");
            CommandError::new(line.args.column("count"), message)
        })
    });
    let (count, like) = (count.transpose()?, like.transpose()?);
    line.words
        .push_flag_value("--like", like.as_ref().map(ToString::to_string));
    line.words
        .push_flag_value("--count", count.map(|count: u32| count.to_string()));
    line.words.push_pairs("--labels", &labels);
    line.words.push_pairs("--capacity", &capacity);
    Ok(Fault::Join {
        node,
        count,
        like,
        labels,
        capacity,
    })
}

fn parse_crash_or_restart(line: &mut FaultLine<'_>, up: bool) -> Result<Fault, CommandError> {
    let fault = match line.args.positional.as_slice() {
        [process] => Fault::ControlPlane {
            process: ControlPlaneProcess::from_name(&process.text).ok_or_else(|| line.usage_error(process.column))?,
            up,
        },
        [process, node] if process.text == "kubelet" => Fault::Kubelet {
            node: parse_node_name(node)?,
            up,
        },
        [process, node] if process.text == "driver" => Fault::Driver {
            node: parse_node_name(node)?,
            up,
        },
        [process, node] if process.text == "runtime" => Fault::Runtime {
            node: parse_node_name(node)?,
            up,
        },
        _ => return Err(line.usage_error(line.args.end)),
    };
    line.words.push_positionals(&line.args);
    Ok(fault)
}

fn parse_slow_links(line: &mut FaultLine<'_>) -> Result<Fault, CommandError> {
    let [node, extra] = line.exactly_n_arguments()?;
    let span = parse_duration(&extra.text)
        .ok()
        .filter(|span| *span >= Span::ZERO)
        .ok_or_else(|| {
            CommandError::new(
                extra.column,
                format!("error: {:?} is not a duration like 200ms", extra.text),
            )
        })?;
    let node = parse_node_name(node)?;
    line.words.push_word(&*node);
    line.words.push_word(print_duration(span));
    Ok(Fault::Slow(node, span))
}

fn parse_container_exit(line: &mut FaultLine<'_>) -> Result<Fault, CommandError> {
    let [pod, container, code] = line.exactly_n_arguments()?;
    let number = code.text.parse::<i32>().ok();
    let (pod, container) = (parse_pod_key(pod)?, Str::from(container.text.as_str()));
    let code = number.filter(|code| (0..=255).contains(code)).ok_or_else(|| {
        CommandError::new(
            code.column,
            format!("error: {:?} is not an exit code from 0 to 255", code.text),
        )
    })?;
    let pod = line.words.push_object_key(pod);
    line.words.push_word(&*container);
    line.words.push_word(code.to_string());
    Ok(Fault::Exit { pod, container, code })
}

pub(super) fn parse_node_name(word: &Word) -> Result<NodeName, CommandError> {
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

pub(super) fn parse_pod_key(word: &Word) -> Result<ObjectKey, CommandError> {
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
    let words = Words::of("fault", verb.name);
    let mut line = FaultLine { verb, args, words };
    let fault = (verb.read)(&mut line)?;
    Ok(Command::Fault {
        fault,
        words: line.words,
    })
}
