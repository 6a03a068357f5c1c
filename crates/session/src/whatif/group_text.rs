//! Formats the answers about node groups for pending pods as plain text for terminals and as Markdown, both in the
//! current language.

use std::fmt::Write as _;

use podscope_messages::{Sentence, sentence};
use podscope_protocol::markdown::{self, Block};

use super::text::{MAX_LISTED_NODES, add_section};
use super::{GroupAnswer, GroupGrowth, NodeGroupSummary, PodGroupAnswers};

/// Formats the result of [`super::evaluate_node_groups()`] as plain text.
#[must_use]
pub fn group_growth_text(grow: &GroupGrowth) -> String {
    let mut out = String::new();
    let groups = grow.groups.iter().map(described_group);
    add_section(&mut out, &sentence!(what_if_print::node_groups), groups);
    for asked in &grow.pods {
        let _ = writeln!(out, "{}", pods_title(asked));
        for line in group_lines(asked) {
            let _ = writeln!(out, "  {line}");
        }
    }
    let _ = writeln!(out, "{}", group_growth_summary(grow));
    out
}

/// Formats the result of [`super::evaluate_node_groups()`] as Markdown.
#[must_use]
pub fn group_growth_markdown(grow: &GroupGrowth) -> String {
    let mut out = markdown::print(&[
        Block::Lead(group_growth_summary(grow)),
        Block::List(grow.groups.iter().map(described_group).collect()),
    ]);
    for asked in &grow.pods {
        let _ = writeln!(out, "\n{}\n", pods_title(asked));
        out.push_str(&markdown::print(&[Block::List(group_lines(asked))]));
    }
    out
}

fn described_group(group: &NodeGroupSummary) -> Sentence {
    let NodeGroupSummary {
        name,
        nodes,
        min,
        max,
        like,
    } = group;
    let limits = match (*min, *max) {
        (Some(min), Some(max)) => sentence!(what_if_print::limits, min = min, max = max),
        (Some(min), None) => sentence!(what_if_print::limits_without_max, min = min),
        (None, _) => sentence!(what_if_print::limits_not_known),
    };
    match like {
        Some(like) => sentence!(
            what_if_print::group,
            name = name,
            nodes = *nodes,
            limits = limits,
            like = like
        ),
        None => sentence!(
            what_if_print::group_of_default_machine,
            name = name,
            nodes = *nodes,
            limits = limits
        ),
    }
}

/// Returns a title for pending pods: the key of the pod, or the workload with its number of pending pods.
fn pods_title(asked: &PodGroupAnswers) -> Sentence {
    let pod = &asked.pod;
    match (&asked.owner, asked.count.saturating_sub(1)) {
        (None, 0) => sentence!(what_if_print::pod, pod = pod),
        (None, more) => sentence!(what_if_print::pods, pod = pod, more = more),
        (Some(owner), 0) => sentence!(what_if_print::pod_of_owner, pod = pod, owner = owner),
        (Some(owner), more) => sentence!(what_if_print::pods_of_owner, pod = pod, owner = owner, more = more),
    }
}

/// Returns one line per node group about whether the group could help a pod; then a line with the cluster autoscaler's
/// event, if there is one. If the pod fits on existing nodes, returns only a line about these nodes.
#[must_use]
pub fn group_lines(asked: &PodGroupAnswers) -> Vec<Sentence> {
    let fits = asked.fits.as_slice();
    match fits.len().saturating_sub(MAX_LISTED_NODES) {
        0 if fits.is_empty() => {}
        0 => return vec![sentence!(node_groups::fits_on, nodes = fits.to_vec())],
        more => {
            let nodes = fits[..MAX_LISTED_NODES].to_vec();
            return vec![sentence!(node_groups::fits_on_more, nodes = nodes, more = more)];
        }
    }
    let line = |answer: &GroupAnswer| {
        let (group, reasons) = (&answer.group, answer.reasons.clone());
        match (answer.helps, answer.accepts) {
            (true, _) => sentence!(node_groups::takes_it, group = group),
            (false, true) => sentence!(node_groups::would_take_it, group = group, reasons = reasons),
            (false, false) => sentence!(node_groups::does_not_help, group = group, reasons = reasons),
        }
    };
    let mut lines: Vec<Sentence> = asked.groups.iter().map(line).collect();
    lines.extend((asked.event.as_ref()).map(|event| sentence!(node_groups::event, message = event)));
    lines
}

/// Returns one sentence about how node groups could help a pod. None if there is no node group.
pub(crate) fn group_help(asked: &PodGroupAnswers) -> Option<Sentence> {
    let helping = asked.groups.iter().filter(|answer| answer.helps);
    let helping: Vec<&str> = helping.map(|answer| answer.group.as_str()).collect();
    match (&asked.event, helping.as_slice()) {
        (Some(event), _) => Some(sentence!(node_groups::none_helps, message = event)),
        (None, []) => None,
        (None, [group]) => Some(sentence!(node_groups::one_helps, group = *group)),
        (None, _) => Some(sentence!(node_groups::several_help, groups = helping)),
    }
}

fn group_growth_summary(grow: &GroupGrowth) -> Sentence {
    let pods = |is_counted: &dyn Fn(&PodGroupAnswers) -> bool| -> usize {
        let counted = grow.pods.iter().filter(|asked| is_counted(asked));
        counted.map(|asked| asked.count).sum()
    };
    let helped = pods(&|asked| asked.groups.iter().any(|answer| answer.helps));
    let (waiting, fitting) = (pods(&|_| true), pods(&|asked| !asked.fits.is_empty()));
    let summary = match grow.groups.is_empty() {
        true => sentence!(what_if_print::no_group, pods = waiting),
        false => sentence!(
            what_if_print::grow_summary,
            waiting = waiting,
            helped = helped,
            fitting = fitting
        ),
    };
    match grow.not_asked {
        0 => summary,
        more => sentence!(what_if_print::with_not_asked, summary = summary, more = more),
    }
}
