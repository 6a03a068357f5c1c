//! Formats the answers to what-if questions as plain text for terminals and as Markdown, both in the current language.

use std::fmt::{Display, Write as _};

use podscope_api::ordered;
use podscope_messages::{Sentence, Value, sentence};
use podscope_protocol::markdown::{self, Block};

use super::shortfall::ShortfallUnit;
use super::{
    Answer, BlockedPod, Consolidation, DrainedNode, FitAnswer, MAX_COPIES, NodeChange, PodMove, RollingDrain,
    RoomChange, ShapeFit, Shortfall, StuckVolume, UndrainableNode,
};

/// Maximum number of nodes that are listed for the same reason.
pub(super) const MAX_LISTED_NODES: usize = 3;

/// A heading of an answer, with its lines.
type Section = (Sentence, Vec<Sentence>);

/// Formats the answer to a what-if question as plain text.
#[must_use]
pub fn text(answer: &Answer) -> String {
    let mut out = String::new();
    for said in &answer.said {
        let _ = writeln!(out, "{said}");
    }
    let moves = answer.moves.iter().map(|one| move_line(one, answer.draws));
    add_section(&mut out, &sentence!(what_if_table::pods), moves);
    for (title, lines) in sections(answer) {
        add_section(&mut out, &title, lines);
    }
    if out.is_empty() {
        let _ = writeln!(out, "{}", sentence!(what_if_print::nothing_changes));
    }
    let _ = writeln!(out, "{}", summary(answer));
    out
}

/// Returns all parts of an answer except the moved pods, each as a heading with its lines.
#[must_use]
pub fn sections(answer: &Answer) -> [Section; 5] {
    let blocked = answer.blocked.iter().map(|one| blocked_line(&one.pod, one));
    let broken = answer.broken.iter().map(Sentence::from);
    [
        (sentence!(what_if_answer::blocked), blocked.collect()),
        (
            sentence!(what_if_answer::volumes_that_stay),
            answer.volumes.iter().map(volume_line).collect(),
        ),
        (
            sentence!(what_if_table::nodes),
            answer.nodes.iter().map(|one| node_line(one).into()).collect(),
        ),
        shortfall_section(&answer.shortfalls),
        (sentence!(what_if_answer::broken_guarantees), broken.collect()),
    ]
}

/// Formats the answer to a what-if question as Markdown.
#[must_use]
pub fn markdown(answer: &Answer) -> Vec<Block> {
    let mut blocks = Vec::new();
    if !answer.moves.is_empty() {
        let head = vec![
            sentence!(what_if_table::pod),
            sentence!(what_if_table::from),
            sentence!(what_if_table::to),
        ];
        let rows = answer.moves.iter().map(|one| move_row(one, answer.draws));
        blocks.push(Block::Table(std::iter::once(head).chain(rows).collect()));
    }
    let blocked = (answer.blocked.iter()).map(|one| blocked_line(&format!("`{}`", one.pod), one));
    let broken = (answer.broken.iter()).map(|name| sentence!(what_if_answer::breaks, name = name));
    let said = answer.said.iter().map(|said| said.replace('\n', " ").into());
    let lines = blocked
        .chain(answer.volumes.iter().map(volume_line))
        .chain(answer.shortfalls.iter().map(shortfall_line))
        .chain(broken)
        .chain(said);
    blocks.push(Block::List(lines.collect()));
    blocks.push(Block::End(summary(answer)));
    blocks
}

/// Formats the result of a rolling drain as plain text.
#[must_use]
pub fn rolling_text(rolling: &RollingDrain) -> String {
    let mut out = String::new();
    add_section(
        &mut out,
        &sentence!(what_if_print::order_that_works),
        order_lines(rolling),
    );
    let stopped = rolling.stopped.iter().map(stopped_line);
    add_section(&mut out, &sentence!(what_if_print::stops_at), stopped);
    let (title, lines) = shortfall_section(&rolling.shortfalls);
    add_section(&mut out, &title, lines);
    let _ = writeln!(out, "{}", rolling_summary(rolling));
    out
}

/// Formats the result of a rolling drain as Markdown.
#[must_use]
pub fn rolling_markdown(rolling: &RollingDrain) -> String {
    let mut out = String::new();
    for line in order_lines(rolling) {
        let _ = writeln!(out, "{line}");
    }
    let stopped = rolling.stopped.iter().map(|one| {
        let line = stopped_line(one);
        sentence!(what_if_print::stops, node_and_why = line)
    });
    let lines = stopped.chain(rolling.shortfalls.iter().map(shortfall_line));
    out.push_str(&markdown::print(&[
        Block::List(lines.collect()),
        Block::End(rolling_summary(rolling)),
    ]));
    out
}

/// Returns a numbered list of the drained nodes, one line per node.
fn order_lines(rolling: &RollingDrain) -> impl Iterator<Item = String> {
    let numbered = rolling.order.iter().enumerate();
    numbered.map(|(at, one)| format!("{}. {}", at + 1, drained_line(one)))
}

fn drained_line(one: &DrainedNode) -> Sentence {
    let DrainedNode { node, pods, seconds } = one;
    sentence!(what_if_answer::drained, node = node, pods = *pods, seconds = *seconds)
}

fn stopped_line(one: &UndrainableNode) -> Sentence {
    let UndrainableNode { node, pod, reason } = one;
    sentence!(
        what_if_answer::not_drained,
        node = node,
        pod = pod,
        why = reason.clone()
    )
}

fn rolling_summary(rolling: &RollingDrain) -> Sentence {
    sentence!(
        what_if_print::rolling_summary,
        drained = rolling.order.len(),
        stopped = rolling.stopped.len(),
        seconds = rolling.seconds
    )
}

fn volume_line(one: &StuckVolume) -> Sentence {
    sentence!(
        what_if_answer::volume_stays,
        pod = &one.pod,
        volume = &one.volume,
        why = one.reason.clone()
    )
}

fn shortfall_section(shortfalls: &[Shortfall]) -> Section {
    let lines = shortfalls.iter().map(shortfall_line);
    (sentence!(what_if_answer::less_than_before), lines.collect())
}

fn shortfall_line(one: &Shortfall) -> Sentence {
    let Shortfall {
        object,
        of,
        wanted,
        least,
        seconds,
        lasts,
    } = one;
    let (least, wanted) = (*least, *wanted);
    let level = match of {
        ShortfallUnit::AvailableReplicas => {
            sentence!(what_if_answer::available_replicas, least = least, wanted = wanted)
        }
        ShortfallUnit::HealthyPods => sentence!(what_if_answer::healthy_pods, least = least, wanted = wanted),
        ShortfallUnit::ReadyEndpoints => sentence!(what_if_answer::ready_endpoints, least = least, wanted = wanted),
    };
    let seconds = *seconds;
    match lasts {
        true => sentence!(
            what_if_answer::less_still,
            object = object,
            level = level,
            seconds = seconds
        ),
        false => sentence!(what_if_answer::less, object = object, level = level, seconds = seconds),
    }
}

/// Returns a sentence that explains why a PodDisruptionBudget prevents the eviction of a pod.
pub(super) fn why_blocked(one: &BlockedPod) -> Sentence {
    sentence!(
        what_if_answer::budget_allows,
        budget = &one.by,
        allowed = one.allowed,
        needed = one.needed
    )
}

/// Formats the result of a consolidation as plain text.
#[must_use]
pub fn consolidation_text(found: &Consolidation) -> String {
    let mut out = String::new();
    for (title, lines) in consolidation_sections(found) {
        add_section(&mut out, &title, lines);
    }
    let _ = writeln!(out, "{}", consolidation_summary(found));
    out
}

/// Returns the result of a consolidation as headings with their lines: the removable nodes, the needed nodes, and the
/// shortfalls during the drains.
#[must_use]
pub fn consolidation_sections(found: &Consolidation) -> [Section; 3] {
    [
        (
            sentence!(what_if_answer::can_go),
            found.nodes.iter().map(drained_line).collect(),
        ),
        (
            sentence!(what_if_answer::are_needed),
            found.kept.iter().map(stopped_line).collect(),
        ),
        shortfall_section(&found.shortfalls),
    ]
}

/// Formats the result of a consolidation as Markdown.
#[must_use]
pub fn consolidation_markdown(found: &Consolidation) -> Vec<Block> {
    let nodes = found.nodes.iter().map(drained_line);
    let nodes = nodes.map(|line| sentence!(what_if_answer::node_can_go, drained = line));
    let kept = found.kept.iter().map(stopped_line);
    let kept = kept.map(|line| sentence!(what_if_answer::node_is_needed, not_drained = line));
    vec![
        Block::Lead(consolidation_summary(found)),
        Block::List(nodes.chain(kept).collect()),
    ]
}

/// Summarises the result of a consolidation in one sentence.
#[must_use]
pub fn consolidation_summary(found: &Consolidation) -> Sentence {
    sentence!(what_if_answer::nodes_can_go, count = found.nodes.len())
}

/// Formats the result of [`super::fit()`] as plain text.
#[must_use]
pub fn fit_text(fit: &FitAnswer) -> String {
    let mut out = format!("{}\n", fit_summary(fit));
    add_section(&mut out, &sentence!(what_if_print::shapes), shape_lines(fit));
    let on = fit.on.iter().map(|(node, count)| format!("{node}  {count}"));
    add_section(&mut out, &sentence!(what_if_table::nodes), on);
    add_section(&mut out, &sentence!(what_if::stops_next), reason_lines(fit));
    add_section(&mut out, &sentence!(what_if_print::not_wanted_on), &fit.unwanted);
    let changes = fit.changes.iter().map(change_line);
    add_section(&mut out, &sentence!(what_if_print::what_makes_room), changes);
    out
}

/// Formats the result of [`super::fit()`] as Markdown.
#[must_use]
pub fn fit_markdown(fit: &FitAnswer) -> Vec<Block> {
    let changes = fit.changes.iter().map(|change| {
        let commands = change.commands.join("; ");
        sentence!(what_if_answer::room_for, count = change.fits, commands = commands)
    });
    let lines = shape_lines(fit).into_iter().chain(reason_lines(fit)).chain(changes);
    vec![Block::Lead(fit_summary(fit)), Block::List(lines.collect())]
}

/// Summarises the result of [`super::fit()`] in one sentence.
#[must_use]
pub fn fit_summary(fit: &FitAnswer) -> Sentence {
    if fit.shapes.is_empty() {
        let wanted = fit.fits + fit.stopped_by.len();
        return sentence!(what_if_answer::fit_daemon_set, count = fit.fits, wanted = wanted);
    }
    match fit.fits {
        MAX_COPIES => sentence!(what_if_answer::fit_at_least, count = MAX_COPIES),
        2.. if fit.shapes.len() > 1 => sentence!(what_if_answer::fit_of_shapes, count = fit.fits),
        fits => sentence!(what_if_answer::fit, count = fits),
    }
}

/// Returns one line about the placed pods of each shape. Empty if there is only one shape.
fn shape_lines(fit: &FitAnswer) -> Vec<Sentence> {
    if fit.shapes.len() < 2 {
        return Vec::new();
    }
    let line = |one: &ShapeFit| match one.stops {
        true => sentence!(what_if_answer::shape_stops, shape = &one.shape, count = one.fits),
        false => sentence!(what_if_answer::shape, shape = &one.shape, count = one.fits),
    };
    fit.shapes.iter().map(line).collect()
}

fn change_line(change: &RoomChange) -> Sentence {
    let commands = change.commands.join("; ");
    sentence!(what_if_print::fit_after, count = change.fits, commands = commands)
}

/// Returns one line per reason why nodes refuse the next pod, with the nodes.
fn reason_lines(fit: &FitAnswer) -> Vec<Sentence> {
    let mut nodes_by_reason: ordered::Map<&str, Vec<&str>> = ordered::Map::new();
    for stopped in &fit.stopped_by {
        nodes_by_reason.entry(&stopped.reason).or_default().push(&stopped.node);
    }
    let line = |(reason, nodes): (&&str, &Vec<&str>)| match nodes.len() {
        all if all > MAX_LISTED_NODES => sentence!(
            what_if_answer::refused_by_more,
            reason = *reason,
            nodes = nodes[..MAX_LISTED_NODES].to_vec(),
            more = all - MAX_LISTED_NODES
        ),
        _ => sentence!(what_if_answer::refused_by, reason = *reason, nodes = nodes.clone()),
    };
    nodes_by_reason.iter().map(line).collect()
}

/// Returns a heading in capitals, in the current language.
#[expect(
    clippy::disallowed_methods,
    reason = "only the command line prints headings, and not all are ASCII"
)]
pub(crate) fn in_capitals(title: &Sentence) -> String {
    title.to_string().to_uppercase()
}

/// Appends a heading in capitals and the lines below it. Appends nothing if there are no lines.
pub(crate) fn add_section<T: Display>(out: &mut String, title: &Sentence, lines: impl IntoIterator<Item = T>) {
    let mut lines = lines.into_iter().peekable();
    if lines.peek().is_some() {
        let _ = writeln!(out, "{}", in_capitals(title));
    }
    for line in lines {
        let _ = writeln!(out, "  {line}");
    }
}

fn move_line(one: &PodMove, draws: u32) -> Sentence {
    let pod = &one.pod;
    let reason = || one.reason.clone().unwrap_or_default();
    let line = match (&one.from, &one.to) {
        (Some(from), Some(to)) => sentence!(what_if_print::goes, pod = pod, from = from, to = to),
        (None, Some(to)) => sentence!(what_if_print::new_goes, pod = pod, to = to),
        (Some(from), None) => sentence!(what_if_print::goes_nowhere, pod = pod, from = from, reason = reason()),
        (None, None) => sentence!(what_if_print::new_goes_nowhere, pod = pod, reason = reason()),
    };
    with_share(line, one, draws)
}

/// Returns the table cells for a move of a pod: pod, old node and new node.
fn move_row(one: &PodMove, draws: u32) -> Vec<Sentence> {
    let from = one.from.as_ref().map(Sentence::from);
    let to = one.to.as_ref().map(Sentence::from);
    let to = to.unwrap_or_else(|| {
        let reason = one.reason.clone().unwrap_or_default();
        sentence!(what_if_table::to_none, reason = reason)
    });
    vec![
        format!("`{}`", one.pod).into(),
        from.unwrap_or_else(|| sentence!(what_if_table::from_none)),
        with_share(to, one, draws),
    ]
}

/// Returns a sentence about a pod whose eviction a PodDisruptionBudget prevents. `pod` is the text that names the pod.
fn blocked_line(pod: &str, one: &BlockedPod) -> Sentence {
    sentence!(what_if_answer::stays, pod = pod, why = why_blocked(one))
}

/// Adds to the description of a move in how many draws (runs with different seeds) it occurs, unless it occurs in all
/// of them.
fn with_share(what: Sentence, one: &PodMove, draws: u32) -> Sentence {
    let often = (one.share * f64::from(draws)).round();
    if draws <= 1 || often >= f64::from(draws) {
        return what;
    }
    let often = Value::from(often as u32);
    sentence!(what_if_answer::in_draws, what = what, often = often, draws = draws)
}

/// Returns a line about a node whose resources have changed.
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

/// Summarises the answer to a what-if question in one sentence.
#[must_use]
pub fn summary(answer: &Answer) -> Sentence {
    let placed = answer.moves.iter().filter(|one| one.to.is_some()).count();
    let left = answer.moves.len() - placed;
    let (blocked, seconds) = (answer.blocked.len(), answer.seconds);
    match answer.draws {
        0 | 1 => sentence!(
            what_if_answer::summary,
            placed = placed,
            left = left,
            blocked = blocked,
            seconds = seconds
        ),
        draws => sentence!(
            what_if_answer::summary_of_draws,
            placed = placed,
            left = left,
            blocked = blocked,
            seconds = seconds,
            draws = draws
        ),
    }
}
