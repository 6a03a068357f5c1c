//! Pods in compiled form: a [`PodInfo`] for every pod that is placed, nominated or queued, and an [`Incoming`] with
//! additional fields for the pod that is being scheduled.

use std::sync::Arc;

use podscope_api::{self as api, Pod, Str, TolerationOperator};

use crate::cache::Cache;
use crate::counters::PodClassIdx;
use crate::node_info::{Effect, HostPort, NodeInfo, TaintInfo};
use crate::resources::PodRequests;
use crate::selector::{LabelSet, NodeSelector, NodeTerm, Selector, intern_labels};
use crate::symbols::{Symbol, Symbols};
use crate::topology::KeyIdx;

/// The kind of a pod affinity or anti-affinity term.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TermKind {
    /// Required affinity.
    Affinity,
    /// Required anti-affinity.
    AntiAffinity,
    /// Preferred affinity with its weight.
    Preferred(i32),
    /// Preferred anti-affinity with its weight.
    PreferredAnti(i32),
}

/// The pods that a term selects (SCH-084). The type is `Ord` so that equal terms share one counter.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PodMatcher {
    /// The listed namespaces, sorted; if none are listed, the namespace of the pod that has the term.
    pub namespaces: Vec<Symbol>,
    /// Selects namespaces by label, in addition to `namespaces`.
    pub namespace_selector: Selector,
    /// Selects pods by label.
    pub selector: Selector,
}

impl PodMatcher {
    /// Returns whether a pod matches a term of an existing pod. Uses the labels of the pod's namespace (SCH-084).
    pub fn matches(
        &self,
        namespace: Symbol,
        namespace_labels: &[(Symbol, Symbol)],
        labels: &[(Symbol, Symbol)],
    ) -> bool {
        (self.namespaces.contains(&namespace) || self.namespace_selector.matches(namespace_labels))
            && self.selector.matches(labels)
    }

    /// Returns whether a pod matches a term of the incoming pod. The namespace selector must match the labels of
    /// the Namespace object, or an empty label set (SCH-085).
    pub fn matches_incoming(
        &self,
        namespace: Symbol,
        namespace_labels: Option<&[(Symbol, Symbol)]>,
        labels: &[(Symbol, Symbol)],
    ) -> bool {
        (self.namespaces.contains(&namespace)
            || namespace_labels.is_some_and(|have| self.namespace_selector.matches(have))
            || self.namespace_selector.matches(&[]))
            && self.selector.matches(labels)
    }
}

/// A term of pod affinity or anti-affinity.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Term {
    pub kind: TermKind,
    /// Topology key of the term.
    pub key: KeyIdx,
    pub pods: PodMatcher,
}

/// The fields of a pod that plugins read, in compiled form. [`Incoming`] has more fields, for the pod that is being
/// scheduled.
#[derive(Debug, Clone)]
pub struct PodInfo {
    pub pod: Arc<Pod>,
    /// UID of the pod, or `namespace/name` if it has none.
    pub uid: Str,
    pub namespace: Symbol,
    pub labels: LabelSet,
    /// `spec.priority`; 0 if it is not set.
    pub priority: i32,
    /// `status.startTime` in microseconds.
    pub start_time: Option<i64>,
    /// Whether the pod has a deletionTimestamp.
    pub terminating: bool,
    /// Resource requests.
    pub requests: PodRequests,
    /// Host ports that the pod uses.
    pub ports: Vec<HostPort>,
    /// Pod affinity terms, in the order: required affinity, required anti-affinity, preferred affinity, preferred
    /// anti-affinity.
    pub terms: Vec<Term>,
    /// Error of the first invalid selector among the terms.
    pub malformed: Option<String>,
    /// Index of the class of pods with equal namespace, labels and deletion state that contains this pod;
    /// [`PodClassIdx::MAX`] if the pod is not placed.
    pub(crate) class: PodClassIdx,
    /// Indices of `terms` in the cache's table, if the pod is placed.
    pub(crate) term_ids: Vec<u32>,
}

/// Returns the pod's UID, or `namespace/name` if it has none.
pub(crate) fn uid_of(pod: &Pod) -> Str {
    if pod.metadata.uid.is_empty() {
        pod.metadata.key().to_string().into()
    } else {
        pod.metadata.uid.0.clone()
    }
}

impl PodInfo {
    /// Compiles a pod. The requests of a `placed` pod include the resources reported in its status (SCH-052).
    pub fn new(cache: &mut Cache, pod: &Arc<Pod>, placed: bool) -> Self {
        let symbols = &mut cache.symbols;
        let namespace = symbols.intern(&pod.metadata.namespace);
        let mut info = Self {
            uid: uid_of(pod),
            namespace,
            labels: intern_labels(symbols, &pod.metadata.labels),
            priority: pod.priority(),
            start_time: pod.status.start_time.map(|time| time.0),
            terminating: pod.metadata.is_terminating(),
            requests: PodRequests::of(symbols, pod, placed),
            ports: host_ports(symbols, pod),
            terms: Vec::new(),
            malformed: None,
            class: PodClassIdx::MAX,
            term_ids: Vec::new(),
            pod: pod.clone(),
        };
        if let Some(affinity) = &pod.spec.affinity {
            let empty = api::PodAffinity::default();
            let positive = affinity.pod_affinity.as_ref().unwrap_or(&empty);
            let negative = affinity.pod_anti_affinity.as_ref().unwrap_or(&empty);
            for (rules, kind) in [(positive, TermKind::Affinity), (negative, TermKind::AntiAffinity)] {
                for term in &rules.required_during_scheduling_ignored_during_execution {
                    info.push_term(cache, kind, term);
                }
            }
            for (rules, kind) in [
                (positive, TermKind::Preferred as fn(i32) -> TermKind),
                (negative, TermKind::PreferredAnti),
            ] {
                for term in &rules.preferred_during_scheduling_ignored_during_execution {
                    info.push_term(cache, kind(term.weight), &term.pod_affinity_term);
                }
            }
        }
        info
    }

    fn push_term(&mut self, cache: &mut Cache, kind: TermKind, term: &api::PodAffinityTerm) {
        let symbols = &mut cache.symbols;
        let mut namespaces: Vec<Symbol> = term.namespaces.iter().map(|name| symbols.intern(name)).collect();
        if namespaces.is_empty() && term.namespace_selector.is_none() {
            namespaces.push(self.namespace);
        }
        namespaces.sort_unstable();
        namespaces.dedup();
        let selectors = Selector::compile(symbols, term.namespace_selector.as_ref()).and_then(|namespace_selector| {
            Selector::compile(symbols, term.label_selector.as_ref()).map(|selector| (namespace_selector, selector))
        });
        match selectors {
            Ok((namespace_selector, selector)) => {
                let key = symbols.intern(&term.topology_key);
                let key = cache.intern_topology_key(key);
                self.terms.push(Term {
                    kind,
                    key,
                    pods: PodMatcher {
                        namespaces,
                        namespace_selector,
                        selector,
                    },
                });
            }
            Err(error) => {
                self.malformed.get_or_insert(error);
            }
        }
    }

    /// Returns whether the pod has a node or a nominated node.
    pub fn is_bound_or_nominated(&self) -> bool {
        self.pod.spec.node_name.is_some() || !self.pod.status.nominated_node_name.is_empty()
    }

    /// Returns the terms whose kind satisfies `wanted`.
    pub fn terms_where(&self, wanted: impl Fn(TermKind) -> bool) -> impl Iterator<Item = &Term> {
        self.terms.iter().filter(move |term| wanted(term.kind))
    }
}

fn host_ports(symbols: &mut Symbols, pod: &Pod) -> Vec<HostPort> {
    let sidecars = pod
        .spec
        .init_containers
        .iter()
        .filter(|container| container.is_sidecar());
    let mut ports = Vec::new();
    for container in pod.spec.containers.iter().chain(sidecars) {
        for port in container.ports.iter() {
            let number = port.host_port.unwrap_or(0);
            if number > 0 {
                let or = |symbols: &mut Symbols, text: &str, default| {
                    if text.is_empty() { default } else { symbols.intern(text) }
                };
                let port = HostPort {
                    protocol: or(symbols, &port.protocol, Symbol::TCP),
                    ip: or(symbols, &port.host_ip, Symbol::ANY_IP),
                    port: number,
                };
                if !ports.contains(&port) {
                    ports.push(port);
                }
            }
        }
    }
    ports
}

/// A toleration with interned strings (SCH-042).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TolerationInfo {
    key: Option<Symbol>,
    value: Option<Symbol>,
    /// The effect; `None` tolerates every effect.
    pub effect: Option<Effect>,
    /// Whether the operator is unknown, so that the toleration matches no taint.
    matches_nothing: bool,
}

impl TolerationInfo {
    fn new(symbols: &mut Symbols, from: &api::Toleration) -> Self {
        let (any_value, matches_nothing) = match &from.operator {
            None | Some(TolerationOperator::Equal) => (false, false),
            Some(TolerationOperator::Exists) => (true, false),
            Some(TolerationOperator::Other(text)) => (false, !text.is_empty()),
        };
        Self {
            key: (!from.key.is_empty()).then(|| symbols.intern(&from.key)),
            value: (!any_value).then(|| symbols.intern(&from.value)),
            effect: from
                .effect
                .as_ref()
                .filter(|effect| !effect.as_str().is_empty())
                .map(Effect::from),
            matches_nothing,
        }
    }

    /// Returns whether the toleration matches the taint.
    pub fn tolerates(&self, taint: &TaintInfo) -> bool {
        !self.matches_nothing
            && self.effect.is_none_or(|effect| effect == taint.effect)
            && self.key.is_none_or(|key| key == taint.key)
            && self.value.is_none_or(|value| value == taint.value)
    }
}

/// The rules about the nodes of a pod: `nodeSelector` and required node affinity, which must both match.
#[derive(Debug, Clone, Default)]
pub struct RequiredNodeAffinity {
    /// `spec.nodeSelector`; `None` if it is empty.
    pub selector: Option<Selector>,
    /// The terms of the required node affinity; `None` if there is none.
    pub affinity: Option<NodeSelector>,
}

impl RequiredNodeAffinity {
    /// Returns whether the pod has neither a nodeSelector nor required node affinity.
    pub fn is_absent(&self) -> bool {
        self.selector.is_none() && self.affinity.is_none()
    }

    /// Returns whether the node satisfies both rules.
    pub fn matches(&self, symbols: &Symbols, node: &NodeInfo) -> bool {
        self.selector
            .as_ref()
            .is_none_or(|selector| selector.matches(&node.labels))
            && self
                .affinity
                .as_ref()
                .is_none_or(|affinity| affinity.matches(symbols, node))
    }
}

/// A topology spread constraint with interned strings (SCH-071, SCH-072).
#[derive(Debug, Clone)]
pub struct SpreadConstraint {
    /// Index in the pod's list of constraints, or in the list of default constraints.
    pub index: usize,
    /// `maxSkew`: the largest allowed difference to the domain with the fewest pods.
    pub max_skew: i64,
    /// Index of the topology key in the cache's tables.
    pub key: KeyIdx,
    /// The topology key as a symbol.
    pub key_symbol: Symbol,
    /// Selects the pods that are counted.
    pub selector: Selector,
    /// `minDomains`: if there are fewer domains, the global minimum count is 0.
    pub min_domains: usize,
    /// Whether nodes that the pod's node affinity excludes are ignored.
    pub honor_affinity: bool,
    /// Whether nodes with taints that the pod does not tolerate are ignored.
    pub honor_taints: bool,
    /// Whether `whenUnsatisfiable` is DoNotSchedule.
    pub hard: bool,
}

/// The pod that is being scheduled, in compiled form.
#[derive(Debug, Clone)]
pub struct Incoming {
    /// The fields that every compiled pod has. The requests are those of the spec only.
    pub info: Arc<PodInfo>,
    pub tolerations: Vec<TolerationInfo>,
    /// The nodeSelector and the required node affinity.
    pub required: RequiredNodeAffinity,
    /// Preferred node affinity terms, with their weights.
    pub preferred: Vec<(i64, NodeTerm)>,
    /// The pod's own spread constraints, hard and soft; empty if the default constraints apply.
    pub spread: Vec<SpreadConstraint>,
    /// Images of containers, init containers and image volumes, with the names used in node status (SCH-108).
    pub images: Vec<Symbol>,
    /// Number of containers and init containers.
    pub n_containers: i64,
    /// Whether the pod has at least one volume.
    pub has_volumes: bool,
    /// Error of the first invalid selector among the spread constraints.
    pub spread_error: Option<String>,
}

/// Returns the image name in the form that kubelets report: with `:latest` if no tag is given.
fn normalized_image(symbols: &mut Symbols, image: &str) -> Symbol {
    let has_tag = match (image.rfind(':'), image.rfind('/')) {
        (Some(colon), Some(slash)) => colon > slash,
        (Some(_), None) => true,
        (None, _) => false,
    };
    if has_tag {
        symbols.intern(image)
    } else {
        symbols.intern(&format!("{image}:latest"))
    }
}

impl Incoming {
    /// Compiles the pending pod.
    pub fn new(cache: &mut Cache, pod: &Arc<Pod>) -> Self {
        let info = Arc::new(PodInfo::new(cache, pod, false));
        Self::of(cache, info)
    }

    /// Builds an `Incoming` from a compiled pod.
    pub fn of(cache: &mut Cache, info: Arc<PodInfo>) -> Self {
        let pod = info.pod.clone();
        let spec = &pod.spec;
        let node_affinity = spec
            .affinity
            .as_ref()
            .and_then(|affinity| affinity.node_affinity.as_ref());
        let symbols = &mut cache.symbols;
        let required = RequiredNodeAffinity {
            selector: (!spec.node_selector.is_empty()).then(|| Selector::from_map(symbols, &spec.node_selector)),
            affinity: node_affinity
                .and_then(|rules| rules.required_during_scheduling_ignored_during_execution.as_ref())
                .map(|selector| NodeSelector::compile(symbols, selector)),
        };
        let preferred = node_affinity.map_or(Vec::new(), |rules| {
            rules
                .preferred_during_scheduling_ignored_during_execution
                .iter()
                .map(|term| (i64::from(term.weight), NodeTerm::compile(symbols, &term.preference)))
                .filter(|(weight, term)| *weight != 0 && !term.empty)
                .collect()
        });
        let tolerations = spec
            .tolerations
            .iter()
            .map(|from| TolerationInfo::new(symbols, from))
            .collect();
        let volumes = spec.volumes.iter().filter_map(|volume| volume.image.as_ref());
        let images = spec
            .containers
            .iter()
            .chain(spec.init_containers.iter())
            .map(|container| &*container.image)
            .chain(volumes.filter_map(|image| image.get("reference")?.as_str()))
            .map(|image| normalized_image(symbols, image))
            .collect();
        let mut incoming = Self {
            tolerations,
            required,
            preferred,
            spread: Vec::new(),
            images,
            n_containers: (spec.containers.len() + spec.init_containers.len()) as i64,
            has_volumes: !spec.volumes.is_empty(),
            spread_error: None,
            info,
        };
        for (index, constraint) in spec.topology_spread_constraints.iter().enumerate() {
            match spread_constraint(cache, &incoming.info, index, constraint) {
                Ok(constraint) => incoming.spread.push(constraint),
                Err(error) => {
                    incoming.spread_error.get_or_insert(error);
                }
            }
        }
        incoming
    }

    /// Returns the node's first NoSchedule or NoExecute taint that the pod does not tolerate.
    pub fn first_untolerated<'a>(&self, node: &'a NodeInfo) -> Option<&'a TaintInfo> {
        node.taints.iter().find(|taint| {
            matches!(taint.effect, Effect::NoSchedule | Effect::NoExecute)
                && !self.tolerations.iter().any(|toleration| toleration.tolerates(taint))
        })
    }
}

/// Compiles a spread constraint of the pod, or a default constraint.
pub(crate) fn spread_constraint(
    cache: &mut Cache,
    pod: &PodInfo,
    index: usize,
    from: &api::TopologySpreadConstraint,
) -> Result<SpreadConstraint, String> {
    let mut selector = Selector::compile(&mut cache.symbols, from.label_selector.as_ref())?;
    for key in &from.match_label_keys {
        let key = cache.symbols.intern(key);
        if let Some(value) = crate::selector::label(&pod.labels, key) {
            selector.require(key, value);
        }
    }
    let key_symbol = cache.symbols.intern(&from.topology_key);
    Ok(SpreadConstraint {
        index,
        max_skew: i64::from(from.max_skew),
        key: cache.intern_topology_key(key_symbol),
        key_symbol,
        selector,
        min_domains: usize::try_from(from.min_domains.unwrap_or(1)).unwrap_or(1),
        honor_affinity: from.node_affinity_policy != Some(api::NodeInclusionPolicy::Ignore),
        honor_taints: from.node_taints_policy == Some(api::NodeInclusionPolicy::Honor),
        hard: from.is_do_not_schedule(),
    })
}
