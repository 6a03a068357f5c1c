//! The words: why a node is refused, why the winner won, and the sentence that comes first.

use podscope_api::Quantity;
use podscope_api::ordered::StableSort as _;

use super::{Explanation, Verdict, differences, name};
use crate::cache::Cache;
use crate::decide::Decision;
use crate::node_info::{Effect, NodeIdx, NodeInfo};
use crate::plugins::{Plugin, default_preemption, inter_pod_affinity, node_affinity, volume_binding};
use crate::post_filter::Preemption;
use crate::resources::Resources;
use crate::status::{Reason, Status};
use crate::symbols::Symbol;
use crate::topology::NONE;

/// Why a plugin refused a node, with numbers.
pub(super) fn refusal(cache: &Cache, decision: &Decision, node: NodeIdx, status: &Status) -> String {
    let info = cache.node(node);
    let own = status.message(&cache.symbols);
    match status.plugin {
        Some(Plugin::NodeUnschedulable) => "is cordoned: no new pods until it is uncordoned".to_owned(),
        Some(Plugin::NodeName) => "is not the node the pod asks for by name".to_owned(),
        Some(Plugin::TaintToleration) => taint(cache, decision, info),
        Some(Plugin::NodeAffinity) if own == node_affinity::REASON_ENFORCED => {
            "does not match the node affinity that the scheduler's configuration adds".to_owned()
        }
        Some(Plugin::NodeAffinity) => "does not match the pod's nodeSelector or node affinity".to_owned(),
        Some(Plugin::NodePorts) => {
            let ports: Vec<String> = decision
                .incoming
                .info
                .ports
                .iter()
                .filter(|port| info.ports.iter().any(|used| used.conflicts(port)))
                .map(|port| format!("{}/{}", port.port, cache.symbols.text(port.protocol)))
                .collect();
            format!("already uses port {} of the node", ports.join(", "))
        }
        Some(Plugin::NodeResourcesFit) => fit(cache, decision, info, status),
        Some(Plugin::PodTopologySpread) => spread(cache, decision, node).unwrap_or(own),
        Some(Plugin::InterPodAffinity) => match own.as_str() {
            inter_pod_affinity::REASON_AFFINITY => {
                "has no pod in its domain that the pod's required affinity asks for".to_owned()
            }
            inter_pod_affinity::REASON_ANTI_AFFINITY => {
                "has a pod in its domain that the pod's required anti-affinity keeps away from".to_owned()
            }
            _ => "has a pod in its domain whose own anti-affinity keeps this pod away".to_owned(),
        },
        Some(Plugin::VolumeBinding) if own == volume_binding::REASON_NODE => {
            "cannot reach one of the pod's volumes".to_owned()
        }
        None => "is not one of the nodes that the pod's affinity names".to_owned(),
        _ => own,
    }
}

fn taint(cache: &Cache, decision: &Decision, info: &NodeInfo) -> String {
    let Some(taint) = decision.incoming.first_untolerated(info) else {
        return "has a taint the pod does not tolerate".to_owned();
    };
    let text = |symbol: Symbol| cache.symbols.text(symbol);
    let value = match taint.value {
        Symbol::EMPTY => String::new(),
        value => format!("={}", text(value)),
    };
    let effect = if taint.effect == Effect::NoExecute {
        "NoExecute"
    } else {
        "NoSchedule"
    };
    format!(
        "has the taint {}{value}:{effect}, which the pod does not tolerate",
        text(taint.key)
    )
}

fn amount(resource: &str, amount: i64) -> String {
    match resource {
        "cpu" => Quantity::from_milli(amount).to_string(),
        "memory" | "ephemeral-storage" => Quantity::from_bytes(amount).to_string(),
        _ => amount.to_string(),
    }
}

/// Reads one resource of some amounts.
type Read = Box<dyn Fn(&Resources) -> i64>;

fn fit(cache: &Cache, decision: &Decision, info: &NodeInfo, status: &Status) -> String {
    let want = &decision.incoming.info.requests.requests;
    let mut parts = Vec::new();
    for reason in status.reasons.as_slice() {
        let (resource, read): (&str, Read) = match reason {
            Reason::Fixed("Insufficient cpu") => ("cpu", Box::new(|amounts| amounts.cpu)),
            Reason::Fixed("Insufficient memory") => ("memory", Box::new(|amounts| amounts.memory)),
            Reason::Fixed("Insufficient ephemeral-storage") => {
                ("ephemeral-storage", Box::new(|amounts| amounts.ephemeral))
            }
            Reason::Insufficient(name) => {
                let name = *name;
                let read = move |amounts: &Resources| amounts.scalar(name).unwrap_or(0);
                (cache.symbols.text(name), Box::new(read))
            }
            Reason::Fixed("Too many pods") => {
                parts.push(format!("holds {} of {} pods", info.pods.len(), info.allowed_pods));
                continue;
            }
            other => {
                parts.push(other.text(&cache.symbols));
                continue;
            }
        };
        let (want, have, used) = (read(want), read(&info.allocatable), read(&info.requested));
        parts.push(if want > have {
            format!(
                "has {} {resource} in all, the pod asks for {}",
                amount(resource, have),
                amount(resource, want)
            )
        } else {
            format!(
                "has {} of {} {resource} left, the pod asks for {}",
                amount(resource, (have - used).max(0)),
                amount(resource, have),
                amount(resource, want)
            )
        });
    }
    parts.join("; ")
}

fn spread(cache: &Cache, decision: &Decision, node: NodeIdx) -> Option<String> {
    let state = decision.state.spread()?;
    for (at, constraint) in state.constraints.iter().enumerate() {
        let key = cache.topology.key(constraint.key);
        let label = cache.symbols.text(constraint.key_symbol);
        let domain = key.domain(node);
        if domain == NONE {
            return Some(format!("has no label {label}, over which the pod wants to be spread"));
        }
        let count = state.count(at, domain).unwrap_or(0);
        let (own, min) = (state.self_match(at), state.min(at));
        let skew = count + own - min;
        if skew > constraint.max_skew {
            let value = cache.symbols.text(key.values[domain as usize]);
            return Some(format!(
                "{label}={value} would have {} matching pods where the fewest is {min}: a skew of {skew}, and {} is allowed",
                count + own,
                constraint.max_skew
            ));
        }
    }
    None
}

/// Why preemption is not even tried.
pub(super) fn not_eligible(text: &str) -> &'static str {
    if text == default_preemption::REASON_NEVER {
        "the pod's preemptionPolicy is Never: it waits, and ends nobody"
    } else {
        "pods it preempted before are still ending on its nominated node: it waits for them"
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
                format!(
                    "{pod} waits: none of {} can take it. {}",
                    nodes(n_nodes),
                    causes(explanation)
                )
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
                let who = if victims == 1 {
                    "a less important pod".to_owned()
                } else {
                    format!("{victims} less important pods")
                };
                text.push_str(&format!(" It may end {who} on {place} and take their room."));
            }
            text
        }
    }
}

/// `3 lack cpu or other room, 1 has a taint …`, most frequent first.
fn causes(explanation: &Explanation) -> String {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for node in &explanation.nodes {
        let cause = match node.plugin.as_deref() {
            Some("NodeResourcesFit") => "too full for its requests",
            Some("TaintToleration") => "closed to it by a taint",
            Some("NodeUnschedulable") => "cordoned",
            Some("NodeAffinity") | None => "excluded by its node selector or affinity",
            Some("PodTopologySpread") => "against its spread constraints",
            Some("InterPodAffinity") => "against rules of affinity between pods",
            Some("NodePorts") => "using its port already",
            Some("VolumeBinding" | "VolumeZone" | "VolumeRestrictions" | "NodeVolumeLimits") => {
                "unable to serve its volumes"
            }
            Some(_) => "unsuitable for another reason",
        };
        match counts.iter_mut().find(|(known, _)| *known == cause) {
            Some((_, count)) => *count += 1,
            None => counts.push((cause, 1)),
        }
    }
    counts.stable_sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let parts: Vec<String> = counts.iter().map(|(cause, count)| format!("{count} {cause}")).collect();
    let text = parts.join(", ");
    if text.is_empty() {
        text
    } else {
        format!("Of these: {text}.")
    }
}
