//! Answers as plain text for terminals, and as Markdown.

use std::fmt::Write as _;

use podscope_api::ordered;

use super::{
    Answer, Blocked, Change, Consolidation, DrainedNode, Fit, Group, GroupAnswer, Grow, MAX_COPIES, Move, NodeChange,
    PodGroups, Rolling, Shortfall, StoppedNode, StuckVolume,
};

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
    for (title, lines) in sections(answer) {
        section(&mut out, &title.to_ascii_uppercase(), lines);
    }
    if out.is_empty() {
        out.push_str("Nothing changes.\n");
    }
    let _ = writeln!(out, "{}", summary(answer));
    out
}

/// Everything in an answer but the pods: headings with their lines.
#[must_use]
pub fn sections(answer: &Answer) -> [(&'static str, Vec<String>); 5] {
    [
        (
            "Blocked",
            answer.blocked.iter().map(|one| blocked_line(&one.pod, one)).collect(),
        ),
        ("Volumes that stay", answer.volumes.iter().map(volume_line).collect()),
        ("Nodes", answer.nodes.iter().map(node_line).collect()),
        (
            "Less than before",
            answer.shortfalls.iter().map(shortfall_line).collect(),
        ),
        ("Broken guarantees", answer.broken.clone()),
    ]
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
    for one in &answer.volumes {
        let _ = writeln!(out, "- {}", volume_line(one));
    }
    for one in &answer.shortfalls {
        let _ = writeln!(out, "- {}", shortfall_line(one));
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

/// Prints a rolling drain as plain text.
#[must_use]
pub fn rolling_text(rolling: &Rolling) -> String {
    let mut out = String::new();
    section(&mut out, "ORDER THAT WORKS", order_lines(rolling));
    section(&mut out, "STOPS AT", stop_lines(rolling));
    section(
        &mut out,
        "LESS THAN BEFORE",
        rolling.shortfalls.iter().map(shortfall_line),
    );
    let _ = writeln!(out, "{}", rolling_summary(rolling));
    out
}

/// Prints a rolling drain as Markdown.
#[must_use]
pub fn rolling_markdown(rolling: &Rolling) -> String {
    let mut out = String::new();
    for line in order_lines(rolling) {
        let _ = writeln!(out, "{line}");
    }
    for line in stop_lines(rolling) {
        let _ = writeln!(out, "- stops at {line}");
    }
    for one in &rolling.shortfalls {
        let _ = writeln!(out, "- {}", shortfall_line(one));
    }
    let _ = writeln!(out, "\n{}", rolling_summary(rolling));
    out
}

fn order_lines(rolling: &Rolling) -> impl Iterator<Item = String> {
    let numbered = rolling.order.iter().enumerate();
    numbered.map(|(at, one)| format!("{}. {}", at + 1, drained_line(one)))
}

fn stop_lines(rolling: &Rolling) -> impl Iterator<Item = String> {
    rolling.stopped.iter().map(stopped_line)
}

fn drained_line(one: &DrainedNode) -> String {
    let pods = match one.pods {
        1 => "1 pod leaves".to_owned(),
        more => format!("{more} pods leave"),
    };
    format!("{}: {pods} in {} s", one.node, one.seconds)
}

fn stopped_line(one: &StoppedNode) -> String {
    format!("{}: {}: {}", one.node, one.pod, one.reason)
}

fn rolling_summary(rolling: &Rolling) -> String {
    let (drained, stopped) = (rolling.order.len(), rolling.stopped.len());
    format!("{drained} nodes drained, {stopped} not, after {} s.", rolling.seconds)
}

fn volume_line(one: &StuckVolume) -> String {
    format!("{} volume {}: {}", one.pod, one.volume, one.reason)
}

fn shortfall_line(one: &Shortfall) -> String {
    let Shortfall {
        object,
        of,
        wanted,
        least,
        seconds,
        ..
    } = one;
    let end = if one.lasts { ", and still at the end" } else { "" };
    format!("{object}: {least} of {wanted} {of} for {seconds} s{end}")
}

/// Why a budget keeps a pod from being evicted.
pub(super) fn why_blocked(one: &Blocked) -> String {
    format!("{} allows {} disruptions, {} needed", one.by, one.allowed, one.needed)
}

/// Prints the nodes that can go as plain text.
#[must_use]
pub fn consolidation_text(found: &Consolidation) -> String {
    let mut out = String::new();
    for (title, lines) in consolidation_sections(found) {
        section(&mut out, &title.to_ascii_uppercase(), lines);
    }
    let _ = writeln!(out, "{}", consolidation_summary(found));
    out
}

/// The nodes that can go, those that are needed, and what had less meanwhile: headings with their lines.
#[must_use]
pub fn consolidation_sections(found: &Consolidation) -> [(&'static str, Vec<String>); 3] {
    [
        ("Can go", found.nodes.iter().map(drained_line).collect()),
        ("Are needed", found.kept.iter().map(stopped_line).collect()),
        (
            "Less than before",
            found.shortfalls.iter().map(shortfall_line).collect(),
        ),
    ]
}

/// Prints the nodes that can go as Markdown.
#[must_use]
pub fn consolidation_markdown(found: &Consolidation) -> String {
    let mut out = format!("**{}**\n\n", consolidation_summary(found));
    for one in &found.nodes {
        let _ = writeln!(out, "- can go: {}", drained_line(one));
    }
    for one in &found.kept {
        let _ = writeln!(out, "- is needed: {}", stopped_line(one));
    }
    out
}

/// The nodes that can go, in one sentence.
#[must_use]
pub fn consolidation_summary(found: &Consolidation) -> String {
    match found.nodes.len() {
        0 => "No node can go.".to_owned(),
        1 => "1 node can go; its drain was simulated.".to_owned(),
        more => format!("{more} nodes can go together; their drains were simulated."),
    }
}

/// Prints the result of [`super::fit()`] as plain text.
#[must_use]
pub fn fit_text(fit: &Fit) -> String {
    let mut out = format!("{}\n", fit_summary(fit));
    section(&mut out, "SHAPES", shape_lines(fit));
    section(
        &mut out,
        "NODES",
        fit.on.iter().map(|(node, count)| format!("{node}  {count}")),
    );
    section(&mut out, "WHAT STOPS THE NEXT ONE", reasons(fit));
    section(&mut out, "NOT WANTED ON", fit.unwanted.iter().cloned());
    section(&mut out, "WHAT MAKES ROOM", fit.changes.iter().map(change_line));
    out
}

/// Prints the result of [`super::fit()`] as Markdown.
#[must_use]
pub fn fit_markdown(fit: &Fit) -> String {
    let mut out = format!("**{}**\n\n", fit_summary(fit));
    for line in shape_lines(fit).into_iter().chain(reasons(fit)) {
        let _ = writeln!(out, "- {line}");
    }
    for change in &fit.changes {
        let _ = writeln!(out, "- room for {}: `{}`", change.fits, change.commands.join("; "));
    }
    out
}

/// The result of [`super::fit()`] in one sentence.
#[must_use]
pub fn fit_summary(fit: &Fit) -> String {
    if fit.shapes.is_empty() {
        let wanted = fit.fits + fit.stopped_by.len();
        return format!("The DaemonSet's pod fits on {} of {wanted} nodes.", fit.fits);
    }
    match fit.fits {
        0 => "No pod of this shape fits.".to_owned(),
        1 => "1 more pod of this shape fits.".to_owned(),
        MAX_COPIES => format!("{MAX_COPIES} more pods of this shape fit, and it was not counted on."),
        fits if fit.shapes.len() > 1 => format!("{fits} more pods of these shapes fit."),
        fits => format!("{fits} more pods of this shape fit."),
    }
}

/// The placed pods of each shape; nothing for a single one.
fn shape_lines(fit: &Fit) -> Vec<String> {
    if fit.shapes.len() < 2 {
        return Vec::new();
    }
    let line = |one: &super::ShapeFit| {
        let stops = if one.stops { "; the next one does not fit" } else { "" };
        format!("{}: {}{stops}", one.shape, one.fits)
    };
    fit.shapes.iter().map(line).collect()
}

fn change_line(change: &Change) -> String {
    format!("{} fit after: {}", change.fits, change.commands.join("; "))
}

/// Prints the result of [`super::grow()`] as plain text.
#[must_use]
pub fn grow_text(grow: &Grow) -> String {
    let mut out = String::new();
    section(&mut out, "NODE GROUPS", grow.groups.iter().map(described_group));
    for asked in &grow.pods {
        section(&mut out, &asked_title(asked), group_lines(asked));
    }
    let _ = writeln!(out, "{}", grow_summary(grow));
    out
}

/// Prints the result of [`super::grow()`] as Markdown.
#[must_use]
pub fn grow_markdown(grow: &Grow) -> String {
    let mut out = format!("**{}**\n\n", grow_summary(grow));
    for group in &grow.groups {
        let _ = writeln!(out, "- {}", described_group(group));
    }
    for asked in &grow.pods {
        let _ = writeln!(out, "\n{}\n", asked_title(asked));
        for line in group_lines(asked) {
            let _ = writeln!(out, "- {line}");
        }
    }
    out
}

fn described_group(group: &Group) -> String {
    let Group {
        name, nodes, min, max, ..
    } = group;
    let limits = match (min, max) {
        (Some(min), Some(max)) => format!("min {min}, max {max}"),
        (Some(min), None) => format!("min {min}, max not known"),
        (None, _) => "limits not known".to_owned(),
    };
    let like = group.like.as_deref().unwrap_or("the default machine");
    let s = if *nodes == 1 { "" } else { "s" };
    format!("{name}: {nodes} node{s}, {limits}, a new one like {like}")
}

/// The pod, with its workload if it has one and the number of such pods.
fn asked_title(asked: &PodGroups) -> String {
    let owner = asked.owner.as_ref().map(|owner| format!(" of {owner}"));
    let others = match asked.count {
        1 => String::new(),
        count => format!(", and {} more", count - 1),
    };
    format!("Pod {}{}{others}", asked.pod, owner.unwrap_or_default())
}

/// What each group would do for a pod, and what the cluster autoscaler would say.
#[must_use]
pub fn group_lines(asked: &PodGroups) -> Vec<String> {
    if let [_, ..] = asked.fits.as_slice() {
        let more = match asked.fits.len() {
            more if more > MAX_NODES => format!(" and {} more", more - MAX_NODES),
            _ => String::new(),
        };
        let shown: Vec<&str> = asked.fits.iter().take(MAX_NODES).map(String::as_str).collect();
        return vec![format!("fits on {}{more}: no group need grow", shown.join(", "))];
    }
    let line = |answer: &GroupAnswer| {
        let group = &answer.group;
        match (answer.helps, answer.accepts) {
            (true, _) => format!("{group}: one more node takes it"),
            (false, true) => format!("{group}: {}; one more node would take it", answer.reasons.join(", ")),
            (false, false) => format!("{group}: {}", answer.reasons.join(", ")),
        }
    };
    let mut lines: Vec<String> = asked.groups.iter().map(line).collect();
    lines.extend(asked.event.as_ref().map(|event| format!("event: {event}")));
    lines
}

/// What node groups would do for a pod, in one sentence.
pub(crate) fn group_help(asked: &PodGroups) -> Option<String> {
    let helping = asked.groups.iter().filter(|answer| answer.helps);
    let helping: Vec<&str> = helping.map(|answer| answer.group.as_str()).collect();
    match (&asked.event, helping.as_slice()) {
        (Some(event), _) => Some(format!(
            "No node group helps; the cluster autoscaler would say: {event}"
        )),
        (None, []) => None,
        (None, [group]) => Some(format!("One more node of node group {group}")),
        (None, groups) => Some(format!("One more node of a node group: {}", groups.join(", "))),
    }
}

fn grow_summary(grow: &Grow) -> String {
    let pods = |is_counted: &dyn Fn(&PodGroups) -> bool| -> usize {
        let counted = grow.pods.iter().filter(|asked| is_counted(asked));
        counted.map(|asked| asked.count).sum()
    };
    let helped = pods(&|asked| asked.groups.iter().any(|answer| answer.helps));
    let (asked, fitting) = (pods(&|_| true), pods(&|asked| !asked.fits.is_empty()));
    let not_asked = match grow.not_asked {
        0 => String::new(),
        more => format!(" {more} more pods were not asked about."),
    };
    if grow.groups.is_empty() {
        return format!("There is no node group; {asked} pods wait.{not_asked}");
    }
    format!(
        "Model of the cluster autoscaler: of {asked} waiting pods a node group helps {helped}, {fitting} fit without.{not_asked}"
    )
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
    format!("{pod} stays: {}", why_blocked(one))
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

/// The answer in one sentence.
#[must_use]
pub fn summary(answer: &Answer) -> String {
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
