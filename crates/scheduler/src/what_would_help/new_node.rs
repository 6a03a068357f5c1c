//! Nodes that would join: in a domain that is there or not yet, where a volume is, or larger than any.

use podscope_api::ordered;
use podscope_api::ordered::StableSort as _;
use std::sync::Arc;

use podscope_api::{Node, PersistentVolume, Quantity, ResourceList, SelectorOperator, Str};

use super::{Change, NewNode, TRIALS_MAX, Trial, WhatWouldHelp, amounts};
use crate::node_info::{NodeIdx, NodeInfo};
use crate::pod_info::Incoming;
use crate::resources::Resources;

const ZONE: &str = "topology.kubernetes.io/zone";
const REGION: &str = "topology.kubernetes.io/region";
const HOSTNAME: &str = "kubernetes.io/hostname";

/// Labels that a kubelet sets by itself, with what it says.
const OWN_LABELS: [(&str, &str); 4] = [
    ("kubernetes.io/os", "linux"),
    ("kubernetes.io/arch", "amd64"),
    ("beta.kubernetes.io/os", "linux"),
    ("beta.kubernetes.io/arch", "amd64"),
];

impl WhatWouldHelp {
    pub(super) fn plan_nodes(&mut self) {
        let requests = Incoming::new(&mut self.cache, &self.pod).info.requests.requests.clone();
        self.plan_node_for_volume(&requests);
        let constraints = self.pod.spec.topology_spread_constraints.iter();
        let mut keys: ordered::Set<Str> = constraints.map(|constraint| constraint.topology_key.clone()).collect();
        keys.insert(ZONE.into());
        keys.remove(HOSTNAME);
        for key in keys {
            let domains = self.likely(&key, &requests);
            for (domain, like) in domains.iter().take(TRIALS_MAX) {
                let (node, like) = self.another(Some(like), &[(key.clone(), domain.clone())], &[]);
                let change = Change::AddNode {
                    node,
                    topology_key: key.to_string(),
                    domain: domain.to_string(),
                };
                self.trials.push_back(Trial::AddNode(change, like, 90));
            }
            if let Some((last, _)) = domains.iter().next_back() {
                let like = self.most_likely(&requests);
                let domain = next_domain(last, |domain| domains.get(domain).is_some());
                let (node, like) = self.another(like.as_ref(), &[(key.clone(), domain)], &[]);
                let topology_key = key.to_string();
                self.trials
                    .push_back(Trial::AddNode(Change::AddDomain { node, topology_key }, like, 91));
            }
        }
        self.plan_larger_node(&requests);
    }

    /// A node that a bound volume of the pod can be reached from, where none is.
    fn plan_node_for_volume(&mut self, requests: &Resources) {
        let volumes = self.pod.spec.volumes.iter();
        let found = volumes.filter_map(|volume| {
            let name = &volume.persistent_volume_claim.as_ref()?.claim_name;
            let claim = self.cache.stores.claim(&self.pod.metadata.namespace, name)?;
            let volume = self.cache.stores.volume(&claim.spec.volume_name)?;
            Some((volume.metadata.name.to_string(), place_of(volume)?))
        });
        for (volume, place) in found.collect::<Vec<_>>() {
            let is_there = |node: &NodeIdx| {
                let labels = &self.cache.node(*node).node.as_ref().map(|node| &node.metadata);
                let mut place = place.iter();
                labels.is_some_and(|labels| place.all(|(key, value)| labels.label(key) == Some(value)))
            };
            if self.cache.order().iter().any(is_there) {
                continue;
            }
            let Some((key, domain)) = place.iter().find(|(key, _)| &**key == ZONE).or(place.first()) else {
                continue;
            };
            let (topology_key, domain) = (key.to_string(), domain.to_string());
            let like = self.most_likely(requests);
            let (node, like) = self.another(like.as_ref(), &place, &[]);
            let change = Change::AddNodeForVolume {
                node,
                volume,
                topology_key,
                domain,
            };
            self.trials.push_back(Trial::AddNode(change, like, 88));
        }
    }

    /// A node with as much as the pod requests, where none has.
    fn plan_larger_node(&mut self, requests: &Resources) {
        let most = |of: &dyn Fn(&Resources) -> i64| {
            let nodes = self.cache.order().iter();
            nodes.map(|node| of(&self.cache.node(*node).allocatable)).max()
        };
        let mut more: Vec<(Str, Quantity, String)> = Vec::new();
        if Some(requests.cpu) > most(&|amounts| amounts.cpu) && requests.cpu > 0 {
            let amount = Quantity::from_milli(amounts::cpu_rounded_up(requests.cpu));
            more.push(("cpu".into(), amount, amount.to_string()));
        }
        for (name, want, most) in [
            ("memory", requests.memory, most(&|amounts| amounts.memory)),
            (
                "ephemeral-storage",
                requests.ephemeral,
                most(&|amounts| amounts.ephemeral),
            ),
        ] {
            if Some(want) > most && want > 0 {
                let amount = amounts::bytes_rounded_up(want);
                more.push((name.into(), Quantity::from_bytes(amount), amounts::bytes(amount)));
            }
        }
        for (symbol, want) in &requests.scalars {
            let name = self.cache.symbols.text(*symbol);
            if crate::resources::is_extended(name) && Some(*want) > most(&|has| has.scalar(*symbol).unwrap_or(0)) {
                let amount = Quantity::from_units(*want);
                more.push((name.clone(), amount, amount.to_string()));
            }
        }
        let is_first = self.cache.order().is_empty();
        if more.is_empty() && !is_first {
            return;
        }
        let raised: Vec<(Str, Quantity)> = more.iter().map(|(name, amount, _)| (name.clone(), *amount)).collect();
        let told: Vec<(String, String)> = more
            .into_iter()
            .map(|(name, _, amount)| (name.to_string(), amount))
            .collect();
        // One like another of each zone, until one helps.
        let mut likes: Vec<Option<Arc<Node>>> = self.likely(ZONE, requests).into_values().map(Some).collect();
        if likes.is_empty() {
            likes.push(self.most_likely(requests));
        }
        for like in likes.into_iter().take(TRIALS_MAX) {
            let (node, like) = self.another(like.as_ref(), &[], &raised);
            let more = if is_first { node.capacity.clone() } else { told.clone() };
            self.trials
                .push_back(Trial::AddNode(Change::AddLargerNode { node, more }, like, 92));
        }
    }

    /// The domains of a key, each with the node in it that is most like one for the pod.
    pub(super) fn likely(&self, key: &str, requests: &Resources) -> ordered::Map<Str, Arc<Node>> {
        let mut domains: ordered::Map<Str, (u8, Arc<Node>)> = ordered::Map::new();
        for node in self.cache.order() {
            let info = self.cache.node(*node);
            if let Some(node) = &info.node
                && let Some(domain) = node.metadata.label(key)
            {
                let rank = self.unlikeliness(info, node, requests);
                if domains.get(domain).is_none_or(|(known, _)| *known > rank) {
                    domains.insert(domain.into(), (rank, node.clone()));
                }
            }
        }
        domains.into_iter().map(|(domain, (_, node))| (domain, node)).collect()
    }

    fn most_likely(&self, requests: &Resources) -> Option<Arc<Node>> {
        let nodes = self.cache.order().iter().filter_map(|node| {
            let info = self.cache.node(*node);
            let node = info.node.as_ref()?;
            Some((self.unlikeliness(info, node, requests), node))
        });
        nodes.min_by_key(|(rank, _)| *rank).map(|(_, node)| node.clone())
    }

    /// Less for a node that the pod selects and that would have room for it, and for one without taints.
    fn unlikeliness(&self, info: &NodeInfo, node: &Node, requests: &Resources) -> u8 {
        let has = &info.allocatable;
        let mut scalars = requests.scalars.iter();
        let is_enough = requests.cpu <= has.cpu
            && requests.memory <= has.memory
            && requests.ephemeral <= has.ephemeral
            && scalars.all(|(name, want)| *want <= has.scalar(*name).unwrap_or(0));
        u8::from(!self.pod.spec.selects(node)) * 4 + u8::from(!is_enough) * 2 + u8::from(!node.spec.taints.is_empty())
    }

    /// A new node like another one, empty and without its taints, at that place and with at least so much.
    fn another(
        &self,
        like: Option<&Arc<Node>>,
        place: &[(Str, Str)],
        at_least: &[(Str, Quantity)],
    ) -> (NewNode, Arc<Node>) {
        let mut node = like.map_or_else(Node::default, |like| (**like).clone());
        let own_name = node.metadata.name.clone();
        let name = self.free_node_name(&node, place);
        let taints = node.spec.taints.iter().filter(|taint| {
            let known = ["node.kubernetes.io/", "podscope.dev/"];
            !known.iter().any(|own| taint.key.starts_with(own))
        });
        let without = taints.map(|taint| match taint.value.is_empty() {
            true => taint.key.to_string(),
            false => format!("{}={}", taint.key, taint.value),
        });
        let without = without.collect();
        node.metadata.name = name.clone();
        node.metadata.uid = podscope_api::Uid::default();
        node.spec.unschedulable = None;
        node.spec.taints.clear();
        node.status.images.clear();
        let labels = Arc::make_mut(&mut node.metadata.labels);
        labels.retain(|_, value| *value != own_name);
        if like.is_none() {
            labels.extend(
                self.pod
                    .spec
                    .node_selector
                    .iter()
                    .map(|(key, value)| (key.clone(), value.clone())),
            );
        }
        labels.extend(place.iter().cloned());
        let is_own = |key: &str, value: &str| OWN_LABELS.contains(&(key, value));
        let told = labels.iter().filter(|(key, value)| !is_own(key, value));
        let told = told.map(|(key, value)| (key.to_string(), value.to_string())).collect();
        for (key, value) in OWN_LABELS {
            labels.entry(key.into()).or_insert_with(|| value.into());
        }
        labels.insert(HOSTNAME.into(), name.clone());
        let mut capacity: ResourceList = match like {
            Some(like) => like.status.allocatable.iter().map(rounded).collect(),
            None => [("cpu", 4), ("pods", 110)]
                .map(|(name, n)| (Str::from(name), Quantity::from_units(n)))
                .into(),
        };
        if like.is_none() {
            capacity.insert("memory".into(), Quantity::from_bytes(8 << 30));
        }
        for (name, amount) in at_least {
            let known = capacity.entry(name.clone()).or_insert(*amount);
            *known = (*known).max(*amount);
        }
        capacity.retain(|_, amount| !amount.is_zero());
        let new = NewNode {
            name: name.to_string(),
            like: own_name.to_string(),
            without,
            labels: told,
            capacity: capacity.iter().map(printed).collect(),
        };
        node.status.capacity = capacity.clone();
        node.status.allocatable = capacity;
        (new, Arc::new(node))
    }

    /// The name with the next number that is free: `a-1` becomes `a-2`, or `c-1` where it says the domain.
    fn free_node_name(&self, like: &Node, place: &[(Str, Str)]) -> Str {
        let name = &*like.metadata.name;
        let stem = name.trim_end_matches(|digit: char| digit.is_ascii_digit());
        let (stem, number) = match name[stem.len()..].parse::<u32>() {
            Ok(number) if stem.ends_with('-') => (stem.trim_end_matches('-'), number),
            _ if name.is_empty() => ("node", 0),
            _ => (name, 1),
        };
        let elsewhere = place
            .iter()
            .find(|(key, domain)| like.metadata.label(key) == Some(stem) && **domain != *stem);
        let (stem, number) = elsewhere.map_or((stem, number), |(_, domain)| (domain, 0));
        let is_taken = |name: &str| {
            let mut nodes = self.cache.order().iter();
            nodes.any(|node| *self.cache.node(*node).name == *name)
        };
        let mut names = (1..=u32::MAX).map(|more| format!("{stem}-{}", number.saturating_add(more)));
        names.find(|name| !is_taken(name)).unwrap_or_default().into()
    }
}

fn is_bytes(resource: &str) -> bool {
    matches!(resource, "memory" | "ephemeral-storage")
}

/// What a node has, rounded down to what people write.
fn rounded((name, amount): (&Str, &Quantity)) -> (Str, Quantity) {
    let amount = match &**name {
        "cpu" => Quantity::from_milli(amounts::cpu_rounded_down(amount.milli_value())),
        name if is_bytes(name) => Quantity::from_bytes(amounts::bytes_rounded_down(amount.value())),
        _ => *amount,
    };
    (name.clone(), amount)
}

fn printed((name, amount): (&Str, &Quantity)) -> (String, String) {
    let amount = match is_bytes(name) {
        true => amounts::bytes(amount.value()),
        false => amount.to_string(),
    };
    (name.to_string(), amount)
}

/// Labels of a node that reaches the volume: of its node affinity's first term, and of its own zone and region. None
/// for a disk of one machine, which no other one has.
fn place_of(volume: &PersistentVolume) -> Option<Vec<(Str, Str)>> {
    let affinity = volume.spec.node_affinity.as_ref();
    let term = affinity.and_then(|affinity| affinity.required.as_ref()?.node_selector_terms.first());
    let mut place: Vec<(Str, Str)> = Vec::new();
    for rule in term.into_iter().flat_map(|term| &term.match_expressions) {
        match rule.operator {
            SelectorOperator::In if &*rule.key != HOSTNAME => {
                place.push((rule.key.clone(), rule.values.first()?.clone()))
            }
            _ => return None,
        }
    }
    for key in [ZONE, REGION] {
        if let Some(values) = volume.metadata.label(key)
            && let Some(value) = values.split("__").map(str::trim).find(|value| !value.is_empty())
            && !place.iter().any(|(known, _)| &**known == key)
        {
            place.push((key.into(), value.into()));
        }
    }
    place.stable_sort();
    (!place.is_empty()).then_some(place)
}

/// A domain that is not there yet, named as the last one goes on: `c` after `b`, `eu-1c` after `eu-1b`.
fn next_domain(last: &str, is_there: impl Fn(&str) -> bool) -> Str {
    let mut name = last.to_owned();
    let letters = match name.pop() {
        Some(letter @ 'a'..='z') => letter..='z',
        Some(digit @ '0'..='9') => digit..='9',
        _ => 'z'..='a',
    };
    let mut next = letters.map(|letter| format!("{name}{letter}"));
    match next.find(|domain| !is_there(domain)) {
        Some(domain) => domain.into(),
        None => format!("{last}-new").into(),
    }
}
