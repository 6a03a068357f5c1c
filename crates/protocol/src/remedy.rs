//! Remedies for a pending pod (S-15): a change and its result.

use std::fmt;

use podscope_api::remedy::{Change, ChangeEffect, ClaimEdit};
use serde::{Deserialize, Serialize};

/// A verified change that makes a pending pod schedulable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remedy {
    pub change: Change,
    /// Result of the change.
    pub effect: ChangeEffect,
    /// The command that makes the change; empty if there is none.
    pub command: String,
}

impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt_change(f, &self.change)?;
        f.write_str(": ")?;
        match &self.effect {
            ChangeEffect::Fits(1) => f.write_str("then one node can take it"),
            ChangeEffect::Fits(n) => write!(f, "then {n} nodes can take it"),
            ChangeEffect::Ends { victims, node } => write!(f, "it would end {} on {node}", victims.join(", ")),
        }
    }
}

/// The controller that sets a well-known scheduling gate; empty for other gates.
#[must_use]
pub fn gate_setter(gate: &str) -> &'static str {
    let domain = gate.split_once('/').map_or(gate, |(domain, _)| domain);
    let known = [
        ("kueue.x-k8s.io", "Kueue"),
        ("jobset.sigs.k8s.io", "JobSet"),
        ("leaderworkerset.sigs.k8s.io", "LeaderWorkerSet"),
        ("scheduling.x-k8s.io", "the Coscheduling plugin"),
        ("multiarch.openshift.io", "the Multiarch Tuning Operator"),
        ("karmada.io", "Karmada"),
        ("volcano.sh", "Volcano"),
        ("yunikorn.apache.org", "YuniKorn"),
        ("podgroup.run.ai", "Run:ai"),
        ("workload.codeflare.dev", "AppWrapper"),
    ];
    let is_in_domain =
        |known: &str| domain == known || domain.strip_suffix(known).is_some_and(|before| before.ends_with('.'));
    known
        .iter()
        .find(|(known, _)| is_in_domain(known))
        .map_or("", |(_, setter)| setter)
}

#[expect(clippy::too_many_lines, reason = "a table: one sentence a change")]
fn fmt_change(f: &mut fmt::Formatter<'_>, change: &Change) -> fmt::Result {
    match change {
        Change::Uncordon { node } => write!(f, "Uncordon {node}"),
        Change::Untaint {
            node,
            key,
            value,
            effect,
        } => match value.as_str() {
            "" => write!(f, "Remove the taint {key}:{effect} from node {node}"),
            value => write!(f, "Remove the taint {key}={value}:{effect} from node {node}"),
        },
        Change::Ungate { gates } => {
            let s = if gates.len() == 1 { "" } else { "s" };
            write!(f, "Remove the scheduling gate{s} {}", gates.join(", "))?;
            match gates.first().map(|gate| gate_setter(gate)) {
                Some(who) if !who.is_empty() => write!(f, ", which {who} does when it lets the pod go"),
                _ => f.write_str(", as the controller that set it does when it lets the pod go"),
            }
        }
        Change::HonorTaints { topology_key, .. } => write!(
            f,
            "Leave nodes with taints that the pod does not tolerate out of the spread over {topology_key} (nodeTaintsPolicy: Honor)"
        ),
        Change::Tolerate { key, value, effect } => match value.as_str() {
            "" => write!(f, "Let the pod tolerate the taint {key}:{effect}"),
            value => write!(f, "Let the pod tolerate the taint {key}={value}:{effect}"),
        },
        Change::Shrink { resource, from, to, .. } => write!(f, "Request {to} of {resource} instead of {from}"),
        Change::MaxSkew { topology_key, to, .. } => write!(f, "Allow a maxSkew of {to} over {topology_key}"),
        Change::MinDomains { topology_key, to, .. } => {
            write!(f, "Be content with {to} domains of {topology_key} (minDomains)")
        }
        Change::Soften { topology_key, .. } => write!(
            f,
            "Make the spread over {topology_key} a wish (ScheduleAnyway) instead of a rule"
        ),
        Change::Drop { field } => write!(f, "Leave out {field}"),
        Change::DropRequest { resource } => write!(f, "Leave out the request of {resource}"),
        Change::Priority { class, value } => write!(f, "Give the pod the PriorityClass {class} ({value})"),
        Change::AllowPreemption => f.write_str("Let the pod preempt (preemptionPolicy PreemptLowerPriority)"),
        Change::Scheduler { to } => write!(
            f,
            "Have the pod made anew with schedulerName {to}, as nobody can change it"
        ),
        Change::DeletePod { pod, node, remade_by } => {
            write!(f, "Delete pod {pod} on {node}")?;
            match remade_by.as_str() {
                "" => Ok(()),
                kind => write!(f, " (its {kind} makes another one, which may take the place)"),
            }
        }
        Change::Label { node, key, value } => write!(f, "Label node {node} with {key}={value}"),
        Change::Offer { node, resource, amount } => {
            write!(f, "Have {node} offer {amount} {resource}, as a device plugin would")
        }
        Change::AddPod { pod, namespace, labels } => {
            write!(
                f,
                "Run a pod {namespace}/{pod} with {labels}, which the affinity asks for"
            )
        }
        Change::Claim { claim, request, edit } => fmt_claim_edit(f, claim, request, edit),
        Change::DeleteClaim { claim } => write!(f, "Delete ResourceClaim {claim}, whose devices no pod uses"),
        Change::AddNodeWithDevices { node, drivers, .. } => write!(
            f,
            "Add a node like {}, with the same devices of {}",
            node.like,
            drivers.join(", ")
        ),
        Change::AddNode {
            node,
            topology_key,
            domain,
            volume,
            more,
        } => {
            match (node.like.as_str(), node.without.as_slice()) {
                ("", _) => f.write_str("Add a node")?,
                (like, []) => write!(f, "Add a node like {like}")?,
                (like, [taint]) => write!(f, "Add a node like {like}, without its taint {taint},")?,
                (like, taints) => write!(f, "Add a node like {like}, without its taints {},", taints.join(", "))?,
            }
            match (topology_key.as_str(), domain.as_str(), volume.as_str()) {
                ("", ..) => write!(f, " with {more}"),
                (key, "", _) => write!(f, " in a domain of {key} that is not there yet"),
                (key, domain, "") => write!(f, " with {key}={domain}"),
                (key, domain, volume) => write!(f, " with {key}={domain}, where volume {volume} can be reached"),
            }
        }
    }
}

fn fmt_claim_edit(f: &mut fmt::Formatter<'_>, claim: &str, request: &str, edit: &ClaimEdit) -> fmt::Result {
    match edit {
        ClaimEdit::Count { from, to } => write!(f, "Ask for {to} instead of {from} devices")?,
        ClaimEdit::Selector(expression) => write!(f, "Leave out the selector {expression}")?,
        ClaimEdit::Toleration(taint) => write!(f, "Tolerate the device taint {taint}")?,
        ClaimEdit::Capacity => f.write_str("Leave out the requests for capacity")?,
        ClaimEdit::Constraint(attribute) => write!(f, "Leave out the constraint on {attribute}")?,
    }
    match request {
        "" => write!(f, " in ResourceClaim {claim}"),
        request => write!(f, " in request {request} of ResourceClaim {claim}"),
    }
}

#[cfg(test)]
mod tests {
    use podscope_api::remedy::NewNode;

    use super::*;

    /// Shows: S-15
    #[test]
    fn remedies_format_as_sentences() {
        let text = str::to_owned;
        let zone = "topology.kubernetes.io/zone";
        let add = |like: &str, without: &[&str], key: &str, domain: &str, more: &str| Change::AddNode {
            node: NewNode {
                like: text(like),
                without: without.iter().map(|taint| text(taint)).collect(),
                ..NewNode::default()
            },
            topology_key: text(key),
            domain: text(domain),
            volume: String::new(),
            more: text(more),
        };
        let changes = [
            add("a-1", &["dedicated=db"], zone, "a", ""),
            add("a-1", &["x", "y"], zone, "", ""),
            add("", &[], "", "", "cpu=4,memory=8Gi"),
            Change::Scheduler {
                to: text("default-scheduler"),
            },
            Change::DeletePod {
                pod: text("default/w"),
                node: text("a-1"),
                remade_by: text("ReplicaSet"),
            },
        ];
        let want = [
            "Add a node like a-1, without its taint dedicated=db, with topology.kubernetes.io/zone=a",
            "Add a node like a-1, without its taints x, y, in a domain of topology.kubernetes.io/zone that is not there yet",
            "Add a node with cpu=4,memory=8Gi",
            "Have the pod made anew with schedulerName default-scheduler, as nobody can change it",
            "Delete pod default/w on a-1 (its ReplicaSet makes another one, which may take the place)",
        ];
        let remedies = changes.map(|change| Remedy {
            change,
            effect: ChangeEffect::Fits(1),
            command: String::new(),
        });
        let want = want.map(|words| format!("{words}: then one node can take it"));
        assert_eq!(remedies.map(|remedy| remedy.to_string()), want);
        let remedy = Remedy {
            change: Change::Uncordon { node: text("a-1") },
            effect: ChangeEffect::Ends {
                victims: vec![text("default/v"), text("default/w")],
                node: text("a-1"),
            },
            command: String::new(),
        };
        assert_eq!(
            remedy.to_string(),
            "Uncordon a-1: it would end default/v, default/w on a-1"
        );
    }
}
