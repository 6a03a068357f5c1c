//! The `app …` commands: membership of application groups, and clients that send requests (C-13, facts TR-001 to
//! TR-086). Parses the words of a command into a [`Fault`] and its canonical text.

use podscope_api::{MAX_RETRIES, ObjectKey, Rate, Str};
use podscope_cluster::fault::Fault;
use podscope_cluster::{RequestClient, Span, StartTraffic, TrafficCommand};

use super::fault::{parse_node_name, parse_pod_key};
use super::flags::{Args, Flag, FlagTakes};
use super::shell::Word;
use super::{Command, CommandError, Words};
use crate::duration::{parse_duration, print_duration};

/// The sub-commands of `app`: usage and description.
pub(crate) const APP_COMMANDS: &[(&str, &str)] = &[
    (
        "traffic start [NAMESPACE/]SERVICE --rate N/s [--from zone/ZONE|node/NODE|pod/[NAMESPACE/]POD|outside] [--timeout 1s] \
         [--keep-alive] [--retries N]",
        "let clients send requests to a Service, or to a pod of a StatefulSet by its name POD.SERVICE: from every node whose \
         machine runs, if --from says nothing else",
    ),
    (
        "traffic stop [NAMESPACE/]SERVICE",
        "end what commands have started to send to a Service",
    ),
    (
        "member add|remove GROUP MEMBER",
        "change an application group's membership; needs a quorum of members that reach each other",
    ),
];

/// The flags of `app traffic start`.
pub(crate) const TRAFFIC_FLAGS: &[Flag] = &[
    ("rate", '-', FlagTakes::Value),
    ("from", '-', FlagTakes::Value),
    ("timeout", '-', FlagTakes::Value),
    ("keep-alive", '-', FlagTakes::Bool),
    ("retries", '-', FlagTakes::Value),
];

/// Returns a usage error that lists the sub-commands that begin with a word.
fn usage_error(column: u32, word: &str) -> CommandError {
    let usages = APP_COMMANDS.iter().filter(|(usage, _)| usage.starts_with(word));
    let usages: Vec<String> = usages.map(|(usage, _)| format!("app {usage}")).collect();
    CommandError::new(column, format!("error: use: {}", usages.join(", or ")))
}

pub(super) fn parse(words: &[Word]) -> Result<Command, CommandError> {
    let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    let column = words.first().map_or(1, |word| word.column);
    match texts.as_slice() {
        ["member", action @ ("add" | "remove"), group, member] => {
            let mut words = Words::of("app", "member");
            texts.iter().skip(1).for_each(|text| words.push_word(*text));
            let fault = Fault::Member {
                group: Str::from(*group),
                member: Str::from(*member),
                add: *action == "add",
            };
            Ok(Command::Fault { fault, words })
        }
        ["member", ..] => Err(usage_error(column, "member")),
        ["traffic", "start", ..] => parse_traffic_start(words.get(2..).unwrap_or_default()),
        ["traffic", "stop", ..] => match words.get(2..).unwrap_or_default() {
            [service] => {
                let mut words = Words::of("app", "traffic stop");
                let service = words.push_object_key(parse_service_key(service)?);
                Ok(traffic_command(TrafficCommand::Stop(service), words))
            }
            _ => Err(usage_error(column, "traffic stop")),
        },
        ["traffic", ..] => Err(usage_error(column, "traffic")),
        [] | ["--help" | "-h", ..] => Ok(Command::Help("app".into())),
        _ => Err(usage_error(column, "")),
    }
}

fn traffic_command(command: TrafficCommand, words: Words) -> Command {
    let fault = Fault::Traffic(command);
    Command::Fault { fault, words }
}

/// Parses the name of a Service: `web`, `shop/web` or `svc/web`.
fn parse_service_key(word: &Word) -> Result<ObjectKey, CommandError> {
    let name = word.text.strip_prefix("svc/").unwrap_or(&word.text);
    let (namespace, name) = name.split_once('/').unwrap_or(("default", name));
    if namespace.is_empty() || name.is_empty() || name.contains('/') {
        let message = format!("error: {:?} is not a service: give NAME or NAMESPACE/NAME", word.text);
        return Err(CommandError::new(word.column, message));
    }
    Ok(ObjectKey::new(namespace, name))
}

/// Parses `app traffic start`.
fn parse_traffic_start(words: &[Word]) -> Result<Command, CommandError> {
    let args = Args::parse("app traffic start", TRAFFIC_FLAGS, words, None, false)?;
    if args.help {
        return Ok(Command::Help("app".into()));
    }
    let service = match &*args.positional {
        [service] => parse_service_key(service)?,
        [_, extra, ..] => return Err(usage_error(extra.column, "traffic start")),
        [] => return Err(usage_error(args.end, "traffic start")),
    };
    let flag_error = |flag: &str, why: String| CommandError::new(args.column(flag), format!("error: --{flag}: {why}"));
    let Some(rate) = args.value("rate") else {
        return Err(CommandError::new(
            args.end,
            "error: --rate is missing, e.g. --rate 50/s",
        ));
    };
    let rate = Rate::parse(&rate).map_err(|why| flag_error("rate", why))?;
    let timeout = match args.value("timeout") {
        None => None,
        Some(text) => {
            let span = parse_duration(&text).ok().filter(|span| *span > Span::ZERO);
            Some(span.ok_or_else(|| {
                flag_error(
                    "timeout",
                    format!("{text:?} is not a length of time such as 1s or 250ms"),
                )
            })?)
        }
    };
    let retries = match args.value("retries") {
        None => 0,
        Some(text) => {
            let number = text.parse::<u32>().ok().filter(|n| *n <= MAX_RETRIES);
            number.ok_or_else(|| flag_error("retries", format!("{text:?} is not a number from 0 to {MAX_RETRIES}")))?
        }
    };
    let mut words = Words::of("app", "traffic start");
    let start = StartTraffic {
        service: words.push_object_key(service),
        rate: {
            words.push_flag_value("--rate", Some(rate.to_string()));
            rate
        },
        client: {
            let client = parse_client(&args)?;
            words.push_flag_value("--from", (client != RequestClient::Nodes).then(|| client.to_string()));
            client
        },
        timeout: {
            words.push_flag_value("--timeout", timeout.map(print_duration));
            timeout
        },
        keep_alive: words.push_flag("--keep-alive", args.bool("keep-alive", false)?),
        retries: {
            words.push_flag_value("--retries", (retries > 0).then(|| retries.to_string()));
            retries
        },
    };
    Ok(traffic_command(TrafficCommand::Start(start), words))
}

/// Parses `--from`: the client that sends the requests.
fn parse_client(args: &Args) -> Result<RequestClient, CommandError> {
    let Some(from) = args.value("from") else {
        return Ok(RequestClient::Nodes);
    };
    let rest = |text: &str| Word {
        text: text.to_owned(),
        column: args.column("from"),
    };
    match from.split_once('/') {
        None if from == "outside" => Ok(RequestClient::Outside),
        Some(("zone", zone)) if !zone.is_empty() => Ok(RequestClient::Zone(zone.into())),
        Some(("node", node)) => Ok(RequestClient::Node(parse_node_name(&rest(node))?.0)),
        Some(("pod", pod)) => Ok(RequestClient::Pod(parse_pod_key(&rest(pod))?)),
        _ => Err(CommandError::new(
            args.column("from"),
            format!("error: --from: {from:?} is not zone/ZONE, node/NODE, pod/POD or outside"),
        )),
    }
}
