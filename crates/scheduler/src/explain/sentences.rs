//! The words: why a node is refused, why the winner won, and the sentence that comes first.

use podscope_api::ordered::StableSort as _;

use super::{Explanation, Verdict, differences, name};
use crate::cache::Cache;
use crate::decide::Decision;
use crate::node_info::NodeIdx;
use crate::plugins::Plugin;
use crate::post_filter::Preemption;
use crate::status::Status;

/// Why a plugin refused a node, with numbers.
pub(super) fn refusal(cache: &Cache, decision: &Decision, node: NodeIdx, status: &Status) -> String {
    match status.plugin {
        Some(plugin) => plugin.does().refusal(cache, decision, node, status),
        None => "is not one of the nodes that the pod's affinity names".to_owned(),
    }
}

/// Why the winner won.
pub(super) fn why(cache: &Cache, decision: &Decision, explanation: &Explanation) -> Option<String> {
    let found = &decision.found;
    match (found.hosts.as_slice(), found.feasible.len()) {
        ([], _) => None,
        (_, 1) => Some("the only node that can take it, so nothing is scored".to_owned()),
        ([winner], _) => {
            let best = found.totals.iter().max()?;
            let second = found.totals.iter().filter(|total| *total != best).max()?;
            let at = found.totals.iter().position(|total| total == second)?;
            let runner_up = found.feasible[at];
            let reasons: Vec<String> = differences(decision, *winner, runner_up)
                .into_iter()
                .filter(|(_, difference)| *difference > 0)
                .take(2)
                .map(|(plugin, difference)| {
                    format!("{difference} points from {} ({})", plugin.name(), plugin.row().about)
                })
                .collect();
            Some(format!(
                "{best} points against {second} for the next, {}: {}",
                name(cache, runner_up),
                reasons.join(" and ")
            ))
        }
        (hosts, _) => Some(format!(
            "{} nodes share the highest score, {}; kube-scheduler draws one at random{}",
            hosts.len(),
            found.totals.iter().max()?,
            match &explanation.chosen {
                Some(chosen) => format!(", and drew {chosen}"),
                None => String::new(),
            }
        )),
    }
}

fn nodes(n: usize) -> String {
    match n {
        1 => "1 node".to_owned(),
        n => format!("{n} nodes"),
    }
}

/// One or two sentences for a beginner.
pub(super) fn sentence(cache: &Cache, decision: &Decision, explanation: &Explanation) -> String {
    let pod = &explanation.pod;
    let n_nodes = cache.order().len();
    let n_fit = decision.found.feasible.len();
    match explanation.verdict {
        Verdict::Error => format!(
            "Deciding {pod} failed: {}. The scheduler tries again after a pause.",
            decision.found.error.as_deref().unwrap_or("unknown error")
        ),
        Verdict::Scheduled => match (&explanation.chosen, n_fit) {
            (Some(chosen), 1) => format!(
                "{pod} goes to {chosen}, the only one of {} that can take it.",
                nodes(n_nodes)
            ),
            (Some(chosen), _) if explanation.hosts.len() == 1 => {
                format!(
                    "{pod} goes to {chosen}: {n_fit} of {} can take it, and {chosen} scores highest.",
                    nodes(n_nodes)
                )
            }
            (Some(chosen), _) => format!(
                "{pod} goes to {chosen}: it is one of {} that score equally high, and the draw took it.",
                nodes(explanation.hosts.len())
            ),
            (None, _) => format!(
                "{pod} goes to one of {}: they score equally high, and a draw decides.",
                explanation.hosts.join(", ")
            ),
        },
        Verdict::Unschedulable | Verdict::Preempts => {
            let mut text = if n_nodes == 0 {
                format!("{pod} waits: the cluster has no nodes.")
            } else if let Some(status) = &decision.found.diagnosis.pre_filter {
                format!("{pod} waits: {}, whatever the node.", status.message(&cache.symbols))
            } else {
                format!("{pod} waits: {}", causes(cache, decision))
            };
            if let Some(Preemption::Found { candidates, chosen, .. }) = &decision.preemption {
                let victims = candidates
                    .iter()
                    .find(|candidate| chosen.contains(&candidate.node))
                    .map_or(0, |candidate| candidate.victims.len());
                let place = explanation.chosen.clone().unwrap_or_else(|| {
                    let names: Vec<String> = chosen.iter().map(|node| name(cache, *node)).collect();
                    names.join(" or ")
                });
                let (who, whose) = if victims == 1 {
                    ("a less important pod".to_owned(), "its")
                } else {
                    (format!("{victims} less important pods"), "their")
                };
                text.push_str(&format!(" It may end {who} on {place} and take {whose} room."));
            }
            text
        }
    }
}

/// `none of 4 nodes can take it. Of these: 3 lack cpu or other room, 1 has a taint …`, most frequent first.
fn causes(cache: &Cache, decision: &Decision) -> String {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for node in cache.order() {
        let status = decision.found.diagnosis.status_of(*node);
        let plugin = status.and_then(|status| status.plugin);
        // No plugin: the node is not one of those that node affinity names.
        let cause = plugin.unwrap_or(Plugin::NodeAffinity).row().refused;
        match counts.iter_mut().find(|(known, _)| *known == cause) {
            Some((_, count)) => *count += 1,
            None => counts.push((cause, 1)),
        }
    }
    counts.stable_sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let parts: Vec<String> = counts.iter().map(|(cause, count)| format!("{count} {cause}")).collect();
    match (counts.as_slice(), cache.order().len()) {
        ([], n) => format!("none of {} can take it.", nodes(n)),
        ([(cause, _)], 1) => format!("the only node cannot take it: {cause}."),
        (_, n) => format!("none of {} can take it. Of these: {}.", nodes(n), parts.join(", ")),
    }
}
