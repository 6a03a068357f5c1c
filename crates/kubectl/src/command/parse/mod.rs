//! Words to [`Kubectl`]: verbs, flags, resources and their errors (KC-085, KC-118, KC-119).

mod mark;
mod read;
mod verbs;
mod words;
mod write;

use super::flags::Args;
use super::shell::Word;
use super::*;
pub(crate) use verbs::VERBS;

/// Parses what follows `kubectl`.
pub(super) fn kubectl(words: &[Word], stdin: Option<String>) -> Result<Command, CommandError> {
    // Global flags may come before the verb: `kubectl -n web get pods`.
    let mut words = words.to_vec();
    let mut front = Vec::new();
    while words
        .first()
        .is_some_and(|word| word.text == "-n" || word.text == "--namespace")
        && words.len() > 1
    {
        front.extend(words.drain(..2));
    }
    if words.first().is_some_and(|word| word.text.starts_with("--namespace=")) {
        front.push(words.remove(0));
    }
    let Some(verb) = words.first().cloned() else {
        return Ok(Command::Help("kubectl".into()));
    };
    if matches!(verb.text.as_str(), "help" | "--help" | "-h") {
        return Ok(Command::Help("kubectl".into()));
    }
    let mut name = verb.text.clone();
    let mut rest = words.split_off(1);
    let is_group = VERBS
        .iter()
        .any(|known| known.name.split(' ').next() == Some(name.as_str()) && known.name.contains(' '));
    if is_group {
        let Some(sub) = rest.first().cloned().filter(|sub| !sub.text.starts_with('-')) else {
            return Ok(Command::Help(format!("kubectl {name}")));
        };
        let full = format!("{name} {}", sub.text);
        if !VERBS.iter().any(|known| known.name == full) {
            return Err(CommandError::new(
                sub.column,
                format!(
                    "error: unknown command {:?}\nSee 'kubectl {name} -h' for help and examples",
                    sub.text
                ),
            ));
        }
        name = full;
        rest.remove(0);
    }
    let Some(spec) = VERBS.iter().find(|known| known.name == name) else {
        return Err(CommandError::new(verb.column, unknown_verb(&name)));
    };
    front.extend(rest);
    let args = Args::parse(&format!("kubectl {name}"), spec.flags, &front, stdin)?;
    if args.help {
        return Ok(Command::Help(format!("kubectl {name}")));
    }
    if args.stdin.is_some() && !matches!(spec.name, "apply" | "create" | "delete" | "edit") {
        return Err(args.plain(args.end, format!("{name} reads no text")));
    }
    parse_verb(spec.name, &args).map(Command::Kubectl)
}

/// Commands of kubectl that have nothing to do here.
const NOT_SIMULATED: &[&str] = &[
    "api-versions",
    "attach",
    "auth",
    "autoscale",
    "certificate",
    "cluster-info",
    "completion",
    "config",
    "cp",
    "debug",
    "diff",
    "exec",
    "expose",
    "kustomize",
    "plugin",
    "port-forward",
    "proxy",
    "replace",
    "wait",
];

fn unknown_verb(name: &str) -> String {
    if NOT_SIMULATED.contains(&name) {
        return format!("error: kubectl {name} is not simulated; `help kubectl` lists what is");
    }
    let distance = |a: &str, b: &str| {
        let (a, b): (Vec<char>, Vec<char>) = (a.chars().take(32).collect(), b.chars().collect());
        let mut row: Vec<usize> = (0..=b.len()).collect();
        for (i, x) in a.iter().enumerate() {
            let mut previous = i;
            if let Some(first) = row.first_mut() {
                *first = i + 1;
            }
            for (j, y) in b.iter().enumerate() {
                let above = row.get(j + 1).copied().unwrap_or(0);
                let left = row.get(j).copied().unwrap_or(0);
                let value = (previous + usize::from(x != y)).min(above + 1).min(left + 1);
                previous = above;
                if let Some(cell) = row.get_mut(j + 1) {
                    *cell = value;
                }
            }
        }
        row.last().copied().unwrap_or(0)
    };
    let mut close: Vec<&str> = VERBS
        .iter()
        .filter_map(|verb| verb.name.split(' ').next())
        .filter(|verb| distance(name, verb) <= 2 || (name.len() > 1 && verb.starts_with(name)))
        .collect();
    close.dedup();
    let mut out = format!("error: unknown command {name:?} for \"kubectl\"");
    if !close.is_empty() {
        out.push_str("\n\nDid you mean this?\n");
        out.push_str(
            &close
                .iter()
                .map(|verb| format!("\t{verb}"))
                .collect::<Vec<_>>()
                .join("\n"),
        );
    }
    out
}

fn parse_verb(name: &str, args: &Args) -> Result<Kubectl, CommandError> {
    match name {
        "get" => read::get(args),
        "describe" => read::describe(args),
        "events" => read::events(args),
        "explain" => read::explain(args),
        "top" => read::top(args),
        "logs" => read::logs(args),
        "api-resources" => Ok(Kubectl::ApiResources),
        "version" => Ok(Kubectl::Version),
        "apply" => write::apply(args),
        "create" => write::create(args),
        "run" => write::run(args),
        "delete" => write::delete(args),
        "scale" => write::scale(args),
        "patch" => write::patch(args),
        "edit" => write::edit(args),
        "set image" => write::set_image(args),
        "cordon" | "uncordon" => mark::cordon(args, name),
        "drain" => mark::drain(args),
        "taint" => mark::taint(args),
        "label" => mark::mark(args, name).map(Kubectl::Label),
        "annotate" => mark::mark(args, name).map(Kubectl::Annotate),
        rollout => write::rollout(args, rollout),
    }
}
