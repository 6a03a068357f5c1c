//! Answers as plain text for terminals, and as Markdown.

use std::fmt::Write as _;

use podscope_api::ordered;

use super::{Answer, Blocked, Fit, MAX_COPIES, Move, NodeChange};

/// Maximum number of nodes that are listed for one reason.
const MAX_NODES: usize = 3;

/// Prints an answer as plain text.
#[must_use]
pub fn text(answer: &Answer) -> String {
    let mut out = String::new();
    for said in &answer.said {
        let _ = writeln!(out, "{said}");
    }
    section(
        &mut out,
        "PODS",
        answer.moves.iter().map(|one| move_line(one, answer.draws)),
    );
    section(
        &mut out,
        "BLOCKED",
        answer.blocked.iter().map(|one| blocked_line(&one.pod, one)),
    );
    section(&mut out, "NODES", answer.nodes.iter().map(node_line));
    section(&mut out, "BROKEN GUARANTEES", answer.broken.iter().cloned());
    if out.is_empty() {
        out.push_str("Nothing changes.\n");
    }
    let _ = writeln!(out, "{}", summary(answer));
    out
}

/// Prints an answer as Markdown.
#[must_use]
pub fn markdown(answer: &Answer) -> String {
    let mut out = String::new();
    if !answer.moves.is_empty() {
        out.push_str("| Pod | From | To |\n|---|---|---|\n");
        for one in &answer.moves {
            let to = one
                .to
                .clone()
                .unwrap_or_else(|| format!("none: {}", one.reason.as_deref().unwrap_or_default()));
            let _ = writeln!(
                out,
                "| `{}` | {} | {}{} |",
                escape_cell(&one.pod),
                escape_cell(one.from.as_deref().unwrap_or("none")),
                escape_cell(&to),
                share(one, answer.draws)
            );
        }
        out.push('\n');
    }
    for one in &answer.blocked {
        let _ = writeln!(out, "- {}", blocked_line(&format!("`{}`", one.pod), one));
    }
    for name in &answer.broken {
        let _ = writeln!(out, "- breaks **{name}**");
    }
    for said in &answer.said {
        let _ = writeln!(out, "- {}", said.replace('\n', " "));
    }
    let _ = writeln!(out, "\n{}", summary(answer));
    out
}

/// Prints the result of [`super::fit()`] as plain text.
#[must_use]
pub fn fit_text(fit: &Fit) -> String {
    let mut out = match fit.fits {
        0 => "No pod of this shape fits.\n".to_owned(),
        1 => "1 more pod of this shape fits.\n".to_owned(),
        MAX_COPIES => format!("{MAX_COPIES} more pods of this shape fit, and it was not counted on.\n"),
        fits => format!("{fits} more pods of this shape fit.\n"),
    };
    section(
        &mut out,
        "NODES",
        fit.on.iter().map(|(node, count)| format!("{node}  {count}")),
    );
    section(&mut out, "WHAT STOPS THE NEXT ONE", reasons(fit));
    out
}

/// Prints the result of [`super::fit()`] as Markdown.
#[must_use]
pub fn fit_markdown(fit: &Fit) -> String {
    let mut out = format!("**{}** more pods of this shape fit.\n\n", fit.fits);
    for line in reasons(fit) {
        let _ = writeln!(out, "- {line}");
    }
    out
}

/// Groups nodes by reason.
fn reasons(fit: &Fit) -> Vec<String> {
    let mut nodes_by_reason: ordered::Map<&str, Vec<&str>> = ordered::Map::new();
    for stopped in &fit.stopped_by {
        nodes_by_reason.entry(&stopped.reason).or_default().push(&stopped.node);
    }
    let line = |(reason, nodes): (&&str, &Vec<&str>)| match nodes.len() {
        more if more > MAX_NODES => format!(
            "{reason}: {} and {} more",
            nodes[..MAX_NODES].join(", "),
            more - MAX_NODES
        ),
        _ => format!("{reason}: {}", nodes.join(", ")),
    };
    nodes_by_reason.iter().map(line).collect()
}

fn section(out: &mut String, title: &str, lines: impl IntoIterator<Item = String>) {
    let mut lines = lines.into_iter().peekable();
    if lines.peek().is_some() {
        let _ = writeln!(out, "{title}");
    }
    for line in lines {
        let _ = writeln!(out, "  {line}");
    }
}

fn move_line(one: &Move, draws: u32) -> String {
    let from = one
        .from
        .as_deref()
        .map_or_else(|| "new".to_owned(), |from| format!("from {from}"));
    match (&one.to, &one.reason) {
        (Some(to), _) => format!("{} ({from}) -> {to}{}", one.pod, share(one, draws)),
        (None, reason) => format!(
            "{} ({from}) -> no node: {}{}",
            one.pod,
            reason.as_deref().unwrap_or_default(),
            share(one, draws)
        ),
    }
}

/// Sentence about a pod that a budget keeps from being evicted; `pod` is its name as it is printed.
fn blocked_line(pod: &str, one: &Blocked) -> String {
    format!(
        "{pod} stays: {} allows {} disruptions, {} needed",
        one.by, one.allowed, one.needed
    )
}

/// Number of draws with this move. Empty if it is in all draws.
fn share(one: &Move, draws: u32) -> String {
    let often = (one.share * f64::from(draws)).round();
    if draws <= 1 || often >= f64::from(draws) {
        return String::new();
    }
    format!(" (in {often} of {draws} draws)")
}

/// Line about a node with its changed resources.
pub(crate) fn node_line(change: &NodeChange) -> String {
    let one = |side: &ordered::Map<String, [String; 2]>, resource: &str| {
        side.get(resource)
            .map_or_else(|| "-".to_owned(), |[used, of]| format!("{used}/{of}"))
    };
    let names: ordered::Set<&String> = change.before.keys().chain(change.after.keys()).collect();
    let changes = names.into_iter().filter_map(|resource| {
        let (before, after) = (one(&change.before, resource), one(&change.after, resource));
        (before != after).then(|| format!("{resource} {before} -> {after}"))
    });
    format!("{}  {}", change.name, changes.collect::<Vec<_>>().join(", "))
}

fn summary(answer: &Answer) -> String {
    let placed = answer.moves.iter().filter(|one| one.to.is_some()).count();
    let left = answer.moves.len() - placed;
    let draws = if answer.draws > 1 {
        format!(", {} draws", answer.draws)
    } else {
        String::new()
    };
    format!(
        "{placed} placed, {left} without a node, {} blocked, after {} s{draws}.",
        answer.blocked.len(),
        answer.seconds
    )
}

fn escape_cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}
