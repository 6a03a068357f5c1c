//! What would help a pending pod (S-15): a change, and what comes of it.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A change that would let a pod schedule, verified.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remedy {
    pub change: RemedyChange,
    /// What comes of it.
    pub then: RemedyThen,
    /// The command that makes it; empty where none does.
    pub command: String,
}

impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.change, self.then)
    }
}

/// A change that was verified.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum RemedyChange {
    /// `kubectl uncordon`.
    Uncordon { node: String },
    /// One more toleration.
    Tolerate {
        key: String,
        /// Value, may be empty.
        value: String,
        effect: String,
    },
    /// A smaller request (of the whole pod).
    Shrink {
        resource: String,
        /// What it asks for now.
        from: String,
        /// The largest amount that fits.
        to: String,
    },
    /// A larger maxSkew.
    MaxSkew {
        topology_key: String,
        /// The smallest value that fits.
        to: i32,
    },
    /// A smaller minDomains.
    MinDomains {
        topology_key: String,
        /// How many domains there are.
        to: i32,
    },
    /// ScheduleAnyway instead of DoNotSchedule.
    Soften { topology_key: String },
    /// A rule of the pod's spec left out.
    Drop {
        /// Field path.
        field: String,
    },
    /// A request left out.
    DropRequest { resource: String },
    /// Another priority.
    Priority {
        /// The PriorityClass, if one has that value.
        class: String,
        value: i32,
    },
    /// PreemptLowerPriority instead of Never.
    AllowPreemption,
    /// A scheduler that runs, instead of one that does not.
    Scheduler {
        /// Its name.
        to: String,
    },
    /// One pod less.
    DeletePod {
        /// `namespace/name`.
        pod: String,
        /// Where it runs.
        node: String,
        /// The kind of its controller, which makes another one; empty where there is none.
        remade_by: String,
    },
    /// A label that a node lacks.
    Label {
        node: String,
        /// The label.
        key: String,
        value: String,
    },
    /// A resource that a device plugin would bring to a node.
    Offer {
        node: String,
        resource: String,
        /// How much of it the node then has.
        amount: String,
    },
    /// A pod that required affinity asks for.
    AddPod {
        /// Its name.
        pod: String,
        namespace: String,
        /// Its labels, `KEY=VALUE,…`.
        labels: String,
    },
    /// One more node.
    AddNode {
        /// The node that it is like; empty in a cluster without nodes.
        like: String,
        /// Taints of that one that it does not have.
        without: Vec<String>,
        /// The label that says where; empty if that does not matter.
        topology_key: String,
        /// Its value; empty for one that no node has yet.
        domain: String,
        /// The PersistentVolume that can be reached there, if it is for one.
        volume: String,
        /// What it has more of than any node that is there, `RESOURCE=AMOUNT,…`.
        more: String,
    },
}

/// What comes of a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum RemedyThen {
    /// So many nodes can take the pod.
    Fits(usize),
    /// It would end these on that node.
    Ends {
        /// `namespace/name` of each.
        victims: Vec<String>,
        node: String,
    },
}

impl fmt::Display for RemedyThen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fits(1) => f.write_str("then one node can take it"),
            Self::Fits(n) => write!(f, "then {n} nodes can take it"),
            Self::Ends { victims, node } => write!(f, "it would end {} on {node}", victims.join(", ")),
        }
    }
}

impl fmt::Display for RemedyChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Uncordon { node } => write!(f, "Uncordon {node}"),
            Self::Tolerate { key, value, effect } => match value.as_str() {
                "" => write!(f, "Let the pod tolerate the taint {key}:{effect}"),
                value => write!(f, "Let the pod tolerate the taint {key}={value}:{effect}"),
            },
            Self::Shrink { resource, from, to } => write!(f, "Request {to} of {resource} instead of {from}"),
            Self::MaxSkew { topology_key, to } => write!(f, "Allow a maxSkew of {to} over {topology_key}"),
            Self::MinDomains { topology_key, to } => {
                write!(f, "Be content with {to} domains of {topology_key} (minDomains)")
            }
            Self::Soften { topology_key } => write!(
                f,
                "Make the spread over {topology_key} a wish (ScheduleAnyway) instead of a rule"
            ),
            Self::Drop { field } => write!(f, "Leave out {field}"),
            Self::DropRequest { resource } => write!(f, "Leave out the request of {resource}"),
            Self::Priority { class, value } => write!(f, "Give the pod the PriorityClass {class} ({value})"),
            Self::AllowPreemption => f.write_str("Let the pod preempt (preemptionPolicy PreemptLowerPriority)"),
            Self::Scheduler { to } => write!(
                f,
                "Have the pod made anew with schedulerName {to}, as nobody can change it"
            ),
            Self::DeletePod { pod, node, remade_by } => {
                write!(f, "Delete pod {pod} on {node}")?;
                match remade_by.as_str() {
                    "" => Ok(()),
                    kind => write!(f, " (its {kind} makes another one, which may take the place)"),
                }
            }
            Self::Label { node, key, value } => write!(f, "Label node {node} with {key}={value}"),
            Self::Offer { node, resource, amount } => {
                write!(f, "Have {node} offer {amount} {resource}, as a device plugin would")
            }
            Self::AddPod { pod, namespace, labels } => {
                write!(
                    f,
                    "Run a pod {namespace}/{pod} with {labels}, which the affinity asks for"
                )
            }
            Self::AddNode {
                like,
                without,
                topology_key,
                domain,
                volume,
                more,
            } => {
                match (like.as_str(), without.as_slice()) {
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
}

#[cfg(test)]
mod tests {
    use super::*;

    /// S-15: what people read of each kind of change, with its arguments in their places.
    #[test]
    fn remedies_read_as_sentences() {
        let text = str::to_owned;
        let zone = "topology.kubernetes.io/zone";
        let add = |like: &str, without: &[&str], key: &str, domain: &str, more: &str| RemedyChange::AddNode {
            like: text(like),
            without: without.iter().map(|taint| text(taint)).collect(),
            topology_key: text(key),
            domain: text(domain),
            volume: String::new(),
            more: text(more),
        };
        let changes = [
            add("a-1", &["dedicated=db"], zone, "a", ""),
            add("a-1", &["x", "y"], zone, "", ""),
            add("", &[], "", "", "cpu=4,memory=8Gi"),
            RemedyChange::Scheduler {
                to: text("default-scheduler"),
            },
            RemedyChange::DeletePod {
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
        assert_eq!(changes.map(|change| change.to_string()), want);
        let remedy = Remedy {
            change: RemedyChange::Uncordon { node: text("a-1") },
            then: RemedyThen::Ends {
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
