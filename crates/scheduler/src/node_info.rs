//! The scheduler's state of one node: its object and the sums over its pods.

use std::sync::Arc;

use podscope_api::{Node, Str, TaintEffect};

use crate::pod_info::PodInfo;
use crate::resources::Resources;
use crate::selector::{LabelSet, intern_labels};
use crate::symbols::{Symbol, Symbols};

/// Index of a node in the cache's dense tables. The index is reused after the node and its pods are deleted.
pub type NodeIdx = u32;

/// The effect of a taint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// `NoSchedule`.
    NoSchedule,
    /// `PreferNoSchedule`.
    PreferNoSchedule,
    /// `NoExecute`.
    NoExecute,
    /// Any other effect; it never excludes a pod.
    Unknown,
}

impl From<&TaintEffect> for Effect {
    fn from(effect: &TaintEffect) -> Self {
        match effect {
            TaintEffect::NoSchedule => Self::NoSchedule,
            TaintEffect::PreferNoSchedule => Self::PreferNoSchedule,
            TaintEffect::NoExecute => Self::NoExecute,
            TaintEffect::Other(_) => Self::Unknown,
        }
    }
}

/// A taint with interned strings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TaintInfo {
    pub key: Symbol,
    pub value: Symbol,
    pub effect: Effect,
}

/// A port of the host network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostPort {
    /// The protocol: `TCP`, `UDP` or `SCTP`.
    pub protocol: Symbol,
    /// IP address of the host; `0.0.0.0` means every address.
    pub ip: Symbol,
    pub port: i32,
}

impl HostPort {
    /// Returns whether two pods with these ports cannot share a node (SCH-049).
    pub fn conflicts(&self, other: &HostPort) -> bool {
        self.port == other.port
            && self.protocol == other.protocol
            && (self.ip == other.ip || self.ip == Symbol::ANY_IP || other.ip == Symbol::ANY_IP)
    }
}

/// A node and the sums over its pods, updated incrementally.
#[derive(Debug, Clone)]
pub struct NodeInfo {
    /// The Node object; `None` if only pods that refer to the node exist.
    pub node: Option<Arc<Node>>,
    pub name: Str,
    /// The node's name as a symbol.
    pub name_symbol: Symbol,
    pub labels: LabelSet,
    /// Taints in the order of the spec.
    pub taints: Arc<[TaintInfo]>,
    /// Whether the node is cordoned (`spec.unschedulable`).
    pub unschedulable: bool,
    /// The allocatable resources (`status.allocatable`), except pods.
    pub allocatable: Resources,
    /// The maximum number of pods (`status.allocatable.pods`).
    pub allowed_pods: i64,
    /// Invariant: the sum of the pods' requests.
    pub requested: Resources,
    /// Invariant: the sum of the pods' cpu requests, with a default for pods without a request (SCH-056).
    pub nonzero_cpu: i64,
    /// Invariant: the sum of the pods' memory requests, with a default for pods without a request.
    pub nonzero_memory: i64,
    /// Pods in the order of kube-scheduler's list: in order of arrival, except that the last pod moves to the position
    /// of a removed pod (SCH-098).
    pub pods: Vec<Arc<PodInfo>>,
    /// Host ports in use. As in kube-scheduler, the list is a set: two pods with the same port share an entry.
    pub ports: Vec<HostPort>,
    /// Names of the images on the node, sorted.
    pub images: Vec<Symbol>,
}

impl NodeInfo {
    /// Creates the entry of a node that only pods refer to so far.
    pub(crate) fn without_node_object(symbols: &mut Symbols, name: &Str) -> Self {
        Self {
            node: None,
            name: name.clone(),
            name_symbol: symbols.intern(name),
            labels: Arc::from(Vec::new()),
            taints: Arc::from(Vec::new()),
            unschedulable: false,
            allocatable: Resources::default(),
            allowed_pods: 0,
            requested: Resources::default(),
            nonzero_cpu: 0,
            nonzero_memory: 0,
            pods: Vec::new(),
            ports: Vec::new(),
            images: Vec::new(),
        }
    }

    pub(crate) fn set_node(&mut self, symbols: &mut Symbols, node: &Arc<Node>) {
        self.labels = intern_labels(symbols, &node.metadata.labels);
        self.taints = node
            .spec
            .taints
            .iter()
            .map(|taint| TaintInfo {
                key: symbols.intern(&taint.key),
                value: symbols.intern(&taint.value),
                effect: Effect::from(&taint.effect),
            })
            .collect();
        self.unschedulable = node.is_unschedulable();
        self.allocatable = Resources::from_list(symbols, &node.status.allocatable);
        self.allowed_pods = node.status.allocatable.get("pods").map_or(0, |pods| pods.value());
        self.node = Some(node.clone());
    }

    /// Adds a pod to the sums and the list.
    pub fn add_pod(&mut self, pod: Arc<PodInfo>) {
        self.add_to_sums(&pod, 1);
        for port in &pod.ports {
            if !self.ports.contains(port) {
                self.ports.push(*port);
            }
        }
        self.pods.push(pod);
    }

    /// Removes the pod with this UID; the last pod of the list moves to its position.
    pub fn remove_pod(&mut self, uid: &str) -> Option<Arc<PodInfo>> {
        let index = self.pods.iter().position(|pod| &*pod.uid == uid)?;
        let pod = self.pods.swap_remove(index);
        self.add_to_sums(&pod, -1);
        self.ports.retain(|port| !pod.ports.contains(port));
        Some(pod)
    }

    /// Returns whether the sums equal those recomputed from the pods.
    pub(crate) fn sums_match_pods(&self) -> bool {
        let mut recomputed = Self {
            requested: Resources::default(),
            nonzero_cpu: 0,
            nonzero_memory: 0,
            ..self.clone()
        };
        for pod in &self.pods {
            recomputed.add_to_sums(pod, 1);
        }
        let scalars = |of: &Resources| -> Vec<(Symbol, i64)> {
            of.scalars.iter().filter(|(_, amount)| *amount != 0).copied().collect()
        };
        let (kept, recomputed_requests) = (&self.requested, &recomputed.requested);
        (kept.cpu, kept.memory, kept.ephemeral)
            == (
                recomputed_requests.cpu,
                recomputed_requests.memory,
                recomputed_requests.ephemeral,
            )
            && (self.nonzero_cpu, self.nonzero_memory) == (recomputed.nonzero_cpu, recomputed.nonzero_memory)
            && scalars(kept) == scalars(recomputed_requests)
    }

    fn add_to_sums(&mut self, pod: &PodInfo, sign: i64) {
        self.requested.add(&pod.requests.requests, sign);
        self.nonzero_cpu = self
            .nonzero_cpu
            .wrapping_add(pod.requests.nonzero_cpu.wrapping_mul(sign));
        self.nonzero_memory = self
            .nonzero_memory
            .wrapping_add(pod.requests.nonzero_memory.wrapping_mul(sign));
    }
}
