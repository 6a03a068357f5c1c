//! Remedies for a pending pod (S-15): a change of the cluster, and its verified result.

use std::fmt;

use podscope_api::remedy::{Change, ChangeEffect, ClaimEdit, NewNode};
use podscope_messages::{Sentence, sentence};
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

impl Remedy {
    /// Formats the change and its result.
    #[must_use]
    pub fn sentence(&self) -> Sentence {
        let change = change_text(&self.change);
        match &self.effect {
            ChangeEffect::Fits(nodes) => sentence!(remedy::fits, change = change, nodes = *nodes),
            ChangeEffect::Ends { victims, node } => {
                sentence!(remedy::ends, change = change, victims = victims.clone(), node = node)
            }
        }
    }
}

impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.sentence().fmt(f)
    }
}

/// Names of controllers that sentences replace by a phrase with an article, such as `the Coscheduling plugin`.
const COSCHEDULING_NAME: &str = "Coscheduling";
const MULTIARCH_OPERATOR_NAME: &str = "Multiarch Tuning Operator";

/// Returns the controller that sets a well-known scheduling gate; `None` for other gates.
#[must_use]
pub fn gate_setter(gate: &str) -> Option<Sentence> {
    let domain = gate.split_once('/').map_or(gate, |(domain, _)| domain);
    let known = [
        ("kueue.x-k8s.io", "Kueue"),
        ("jobset.sigs.k8s.io", "JobSet"),
        ("leaderworkerset.sigs.k8s.io", "LeaderWorkerSet"),
        ("scheduling.x-k8s.io", COSCHEDULING_NAME),
        ("multiarch.openshift.io", MULTIARCH_OPERATOR_NAME),
        ("karmada.io", "Karmada"),
        ("volcano.sh", "Volcano"),
        ("yunikorn.apache.org", "YuniKorn"),
        ("podgroup.run.ai", "Run:ai"),
        ("workload.codeflare.dev", "AppWrapper"),
    ];
    let is_in_domain =
        |known: &str| domain == known || domain.strip_suffix(known).is_some_and(|before| before.ends_with('.'));
    let (_, setter) = known.iter().find(|(known, _)| is_in_domain(known))?;
    Some(match *setter {
        COSCHEDULING_NAME => sentence!(remedy::coscheduling_plugin),
        MULTIARCH_OPERATOR_NAME => sentence!(remedy::multiarch_operator),
        setter => setter.into(),
    })
}

fn taint_text(key: &str, value: &str, effect: &str) -> String {
    match value {
        "" => format!("{key}:{effect}"),
        value => format!("{key}={value}:{effect}"),
    }
}

fn change_text(change: &Change) -> Sentence {
    match change {
        Change::Uncordon { node } => sentence!(remedy::uncordon, node = node),
        Change::Untaint {
            node,
            key,
            value,
            effect,
        } => sentence!(remedy::untaint, taint = taint_text(key, value, effect), node = node),
        Change::Ungate { gates } => {
            let (count, names) = (gates.len(), gates.clone());
            match gates.first().and_then(|gate| gate_setter(gate)) {
                None => sentence!(remedy::ungate, count = count, gates = names),
                Some(setter) => sentence!(remedy::ungate_by, count = count, gates = names, setter = setter),
            }
        }
        Change::HonorTaints { topology_key, .. } => sentence!(remedy::honor_taints, topology_key = topology_key),
        Change::Tolerate { key, value, effect } => sentence!(remedy::tolerate, taint = taint_text(key, value, effect)),
        Change::Shrink { resource, from, to, .. } => {
            sentence!(remedy::shrink, to = to, resource = resource, from = from)
        }
        Change::MaxSkew { topology_key, to, .. } => sentence!(remedy::max_skew, to = *to, topology_key = topology_key),
        Change::MinDomains { topology_key, to, .. } => {
            sentence!(remedy::min_domains, to = *to, topology_key = topology_key)
        }
        Change::Soften { topology_key, .. } => sentence!(remedy::soften, topology_key = topology_key),
        Change::Drop { field } => sentence!(remedy::drop, field = field),
        Change::DropRequest { resource } => sentence!(remedy::drop_request, resource = resource),
        Change::Priority { class, value } => sentence!(remedy::priority, class = class, value = *value),
        Change::AllowPreemption => sentence!(remedy::allow_preemption),
        Change::Scheduler { to } => sentence!(remedy::scheduler, to = to),
        Change::DeletePod { pod, node, remade_by } => match remade_by.as_str() {
            "" => sentence!(remedy::delete_pod, pod = pod, node = node),
            kind => sentence!(remedy::delete_pod_of, pod = pod, node = node, kind = kind),
        },
        Change::Label { node, key, value } => sentence!(remedy::label, node = node, key = key, value = value),
        Change::Offer { node, resource, amount } => {
            sentence!(remedy::offer, node = node, amount = amount, resource = resource)
        }
        Change::AddPod { pod, namespace, labels } => {
            sentence!(remedy::add_pod, pod = format!("{namespace}/{pod}"), labels = labels)
        }
        Change::Claim { claim, request, edit } => claim_edit_text(claim, request, edit),
        Change::DeleteClaim { claim } => sentence!(remedy::delete_claim, claim = claim),
        Change::AddNodeWithDevices { node, drivers, .. } => sentence!(
            remedy::add_node_with_devices,
            like = &node.like,
            drivers = drivers.clone()
        ),
        Change::AddNode {
            node,
            topology_key,
            domain,
            volume,
            more,
        } => {
            let node = new_node_text(node);
            match (topology_key.as_str(), domain.as_str(), volume.as_str()) {
                ("", ..) => sentence!(remedy::add_node_with, node = node, more = more),
                (key, "", _) => sentence!(remedy::add_node_in_new_domain, node = node, topology_key = key),
                (key, domain, "") => sentence!(
                    remedy::add_node_in_domain,
                    node = node,
                    topology_key = key,
                    domain = domain
                ),
                (key, domain, volume) => sentence!(
                    remedy::add_node_near_volume,
                    node = node,
                    topology_key = key,
                    domain = domain,
                    volume = volume
                ),
            }
        }
    }
}

fn new_node_text(node: &NewNode) -> Sentence {
    match (node.like.as_str(), node.without.as_slice()) {
        ("", _) => sentence!(remedy::any_node),
        (like, []) => sentence!(remedy::node_like, like = like),
        (like, taints) => sentence!(
            remedy::node_like_without,
            count = taints.len(),
            like = like,
            taints = taints.to_vec()
        ),
    }
}

fn claim_edit_text(claim: &str, request: &str, edit: &ClaimEdit) -> Sentence {
    let place = match request {
        "" => sentence!(remedy::in_claim, claim = claim),
        request => sentence!(remedy::in_request, request = request, claim = claim),
    };
    match edit {
        ClaimEdit::Count { from, to } => sentence!(remedy::fewer_devices, to = *to, from = *from, place = place),
        ClaimEdit::Selector(expression) => sentence!(remedy::drop_selector, expression = expression, place = place),
        ClaimEdit::Toleration(taint) => sentence!(remedy::tolerate_device_taint, taint = taint, place = place),
        ClaimEdit::Capacity => sentence!(remedy::drop_capacity, place = place),
        ClaimEdit::Constraint(attribute) => sentence!(remedy::drop_constraint, attribute = attribute, place = place),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shows: S-15
    #[test]
    fn remedies_are_formatted_as_sentences() {
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
