//! What the scheduler knows of one node: the aggregates of the pods on it.

use std::sync::Arc;

use podscope_api::{Node, Str, TaintEffect};

use crate::pod_info::PodInfo;
use crate::resources::Resources;
use crate::selector::{LabelSet, intern_labels};
use crate::symbols::{Symbol, Symbols};

/// Index of a node in the cache's dense tables. Reused after the node and its pods are gone.
pub type NodeIdx = u32;

/// Effect of a taint, as an integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// `NoSchedule`.
    NoSchedule,
    /// `PreferNoSchedule`.
    PreferNoSchedule,
    /// `NoExecute`.
    NoExecute,
    /// Anything else: never refuses.
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

/// A taint as symbols.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TaintInfo {
    pub key: Symbol,
    pub value: Symbol,
    pub effect: Effect,
}

/// A port on the node itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostPort {
    /// `TCP`, `UDP`, `SCTP`.
    pub protocol: Symbol,
    /// Address; `0.0.0.0` is every address.
    pub ip: Symbol,
    /// Number.
    pub port: i32,
}

impl HostPort {
    /// Whether two uses exclude each other (SCH-049).
    pub fn conflicts(&self, other: &HostPort) -> bool {
        self.port == other.port
            && self.protocol == other.protocol
            && (self.ip == other.ip || self.ip == Symbol::ANY_IP || other.ip == Symbol::ANY_IP)
    }
}

/// A node and the sums over its pods, kept incrementally.
#[derive(Debug, Clone)]
pub struct NodeInfo {
    /// The object; `None` while only pods that name the node are known.
    pub node: Option<Arc<Node>>,
    pub name: Str,
    /// Its name, interned.
    pub name_symbol: Symbol,
    pub labels: LabelSet,
    /// Its taints in list order.
    pub taints: Arc<[TaintInfo]>,
    /// Cordoned.
    pub unschedulable: bool,
    /// What pods may use.
    pub allocatable: Resources,
    /// How many pods it may hold.
    pub allowed_pods: i64,
    /// Invariant: the sum of the pods' requests.
    pub requested: Resources,
    /// Invariant: the sum of the pods' defaulted cpu (SCH-056).
    pub nonzero_cpu: i64,
    /// Invariant: the sum of the pods' defaulted memory.
    pub nonzero_memory: i64,
    /// In the order of Kubernetes' list: arrival, the last moved into a removed one's slot (SCH-098).
    pub pods: Vec<Arc<PodInfo>>,
    /// A set, as in Kubernetes.
    pub ports: Vec<HostPort>,
    /// The names of the images that it holds, sorted.
    pub images: Vec<Symbol>,
}

impl NodeInfo {
    pub(crate) fn unknown(symbols: &mut Symbols, name: &Str) -> Self {
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
        self.sum(&pod, 1);
        for port in &pod.ports {
            if !self.ports.contains(port) {
                self.ports.push(*port);
            }
        }
        self.pods.push(pod);
    }

    /// Takes a pod of that UID out; the last of the list moves into its slot.
    pub fn remove_pod(&mut self, uid: &str) -> Option<Arc<PodInfo>> {
        let index = self.pods.iter().position(|pod| &*pod.uid == uid)?;
        let pod = self.pods.swap_remove(index);
        self.sum(&pod, -1);
        self.ports.retain(|port| !pod.ports.contains(port));
        Some(pod)
    }

    /// Whether the sums are those of the pods: what every decision rests on.
    pub(crate) fn sums_hold(&self) -> bool {
        let mut anew = Self {
            requested: Resources::default(),
            nonzero_cpu: 0,
            nonzero_memory: 0,
            ..self.clone()
        };
        for pod in &self.pods {
            anew.sum(pod, 1);
        }
        let scalars = |of: &Resources| -> Vec<(Symbol, i64)> {
            of.scalars.iter().filter(|(_, amount)| *amount != 0).copied().collect()
        };
        let (kept, anew_requested) = (&self.requested, &anew.requested);
        (kept.cpu, kept.memory, kept.ephemeral) == (anew_requested.cpu, anew_requested.memory, anew_requested.ephemeral)
            && (self.nonzero_cpu, self.nonzero_memory) == (anew.nonzero_cpu, anew.nonzero_memory)
            && scalars(kept) == scalars(anew_requested)
    }

    fn sum(&mut self, pod: &PodInfo, sign: i64) {
        self.requested.add(&pod.requests.requests, sign);
        self.nonzero_cpu = self
            .nonzero_cpu
            .wrapping_add(pod.requests.nonzero_cpu.wrapping_mul(sign));
        self.nonzero_memory = self
            .nonzero_memory
            .wrapping_add(pod.requests.nonzero_memory.wrapping_mul(sign));
    }
}
