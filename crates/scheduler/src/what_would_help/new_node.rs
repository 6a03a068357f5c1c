//! Nodes that would join: in a domain that is there or not yet, where a volume is, or larger than any.

use podscope_api::ordered;
use std::sync::Arc;

use podscope_api::{Node, PersistentVolume, Quantity, ResourceList, SelectorOperator, Str};

use super::{Change, NewNode, TRIALS_MAX, Trial, WhatWouldHelp, amounts, append_entry};
use crate::node_info::{NodeIdx, NodeInfo};
use crate::pod_info::Incoming;
use crate::resources::{Resources, is_extended};

const ZONE: &str = "topology.kubernetes.io/zone";
const REGION: &str = "topology.kubernetes.io/region";
const HOSTNAME: &str = "kubernetes.io/hostname";

/// A label with its value.
type Label = (Str, Str);

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
            for (domain, _, like) in domains.iter().take(TRIALS_MAX) {
                let place = [(key.clone(), domain.clone())];
                self.try_node(Some(like), &place, (&key, domain, ""), &[], 90);
            }
            if let Some((last, ..)) = domains.last() {
                let is_there = |name: &str| domains.iter().any(|(domain, ..)| **domain == *name);
                let place = [(key.clone(), next_domain(last, is_there))];
                let like = self.most_likely(&requests);
                self.try_node(like.as_ref(), &place, (&key, "", ""), &[], 91);
            }
        }
        self.plan_larger_node(&requests);
    }

    /// A node that a bound volume of the pod can be reached from, where none is.
    fn plan_node_for_volume(&mut self, requests: &Resources) {
        let pod = self.pod.clone();
        for volume in pod.spec.volumes.iter() {
            let stores = &self.cache.stores;
            let Some(place) = (volume.persistent_volume_claim.as_ref())
                .and_then(|source| stores.claim(&pod.metadata.namespace, &source.claim_name))
                .and_then(|claim| stores.volume(&claim.spec.volume_name))
                .and_then(|volume| Some((volume.metadata.name.clone(), place_of(volume)?)))
            else {
                continue;
            };
            let (volume, place) = place;
            let is_there = |node: &NodeIdx| {
                let node = self.cache.node(*node).node.as_ref();
                let has = |(key, value): &Label| node.is_some_and(|node| node.metadata.label(key) == Some(value));
                place.iter().all(has)
            };
            if let Some((key, domain)) = place.iter().find(|(key, _)| &**key == ZONE).or(place.first())
                && !self.cache.order().iter().any(is_there)
            {
                let like = self.most_likely(requests);
                self.try_node(like.as_ref(), &place, (key, domain, &volume), &[], 88);
            }
        }
    }

    /// A node with as much as the pod requests, where none has.
    fn plan_larger_node(&mut self, requests: &Resources) {
        let nodes = self
            .cache
            .order()
            .iter()
            .map(|node| &self.cache.node(*node).allocatable);
        let lacks = |want: i64, of: &dyn Fn(&Resources) -> i64| want > 0 && nodes.clone().all(|has| of(has) < want);
        let mut more: Vec<(Str, Quantity)> = Vec::new();
        if lacks(requests.cpu, &|has| has.cpu) {
            let amount = amounts::cpu_rounded_up(requests.cpu);
            more.push(("cpu".into(), Quantity::from_milli(amount)));
        }
        if lacks(requests.memory, &|has| has.memory) {
            let amount = amounts::bytes_rounded_up(requests.memory);
            more.push(("memory".into(), Quantity::from_bytes(amount)));
        }
        if lacks(requests.ephemeral, &|has| has.ephemeral) {
            let amount = amounts::bytes_rounded_up(requests.ephemeral);
            more.push(("ephemeral-storage".into(), Quantity::from_bytes(amount)));
        }
        for (symbol, want) in &requests.scalars {
            let name = self.cache.symbols.text(*symbol);
            if is_extended(name) && lacks(*want, &|has| has.scalar(*symbol).unwrap_or(0)) {
                more.push((name.clone(), Quantity::from_units(*want)));
            }
        }
        if self.cache.order().is_empty() && more.is_empty() {
            more.push(("cpu".into(), Quantity::from_units(4)));
        }
        if more.is_empty() {
            return;
        }
        // One like another of each zone, until one helps.
        let likes = self.likely(ZONE, requests);
        for (.., like) in likes.iter().take(TRIALS_MAX) {
            self.try_node(Some(like), &[], ("", "", ""), &more, 92);
        }
        if likes.is_empty() {
            let like = self.most_likely(requests);
            self.try_node(like.as_ref(), &[], ("", "", ""), &more, 92);
        }
    }

    /// The domains of a key by name, each with the node in it that is most like one for the pod, and how little it is.
    pub(super) fn likely(&self, key: &str, requests: &Resources) -> Vec<(Str, u8, Arc<Node>)> {
        let mut domains: Vec<(Str, u8, Arc<Node>)> = Vec::new();
        for node in self.cache.order() {
            let info = self.cache.node(*node);
            if let Some(node) = &info.node
                && let Some(domain) = node.metadata.label(key)
            {
                let rank = self.unlikeliness(info, node, requests);
                let at = domains.partition_point(|(known, ..)| **known < *domain);
                match domains.get_mut(at) {
                    Some((known, least, like)) if **known == *domain => {
                        if *least > rank {
                            (*least, *like) = (rank, node.clone());
                        }
                    }
                    _ => domains.insert(at, (domain.into(), rank, node.clone())),
                }
            }
        }
        domains
    }

    fn most_likely(&self, requests: &Resources) -> Option<Arc<Node>> {
        let mut best: Option<(u8, &Arc<Node>)> = None;
        for node in self.cache.order() {
            let info = self.cache.node(*node);
            if let Some(node) = &info.node {
                let rank = self.unlikeliness(info, node, requests);
                if best.is_none_or(|(least, _)| rank < least) {
                    best = Some((rank, node));
                }
            }
        }
        best.map(|(_, node)| node.clone())
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

    /// Plans a new node like another one, empty and without its taints, at that place and with at least so much; told
    /// are the label that says where, its value, and the volume that it is for.
    fn try_node(
        &mut self,
        like: Option<&Arc<Node>>,
        place: &[Label],
        (topology_key, domain, volume): (&str, &str, &str),
        at_least: &[(Str, Quantity)],
        cost: i64,
    ) {
        let mut node = Node::default();
        let mut new = NewNode::default();
        let labels = Arc::make_mut(&mut node.metadata.labels);
        let mut capacity = ResourceList::default();
        capacity.insert("pods".into(), Quantity::from_units(110));
        let name = self.free_node_name(like.map(|like| &**like), place);
        if let Some(like) = like {
            let own_name = &like.metadata.name;
            new.like = own_name.to_string();
            for (key, value) in like.metadata.labels.iter() {
                let value = if value == own_name { &name } else { value };
                labels.insert(key.clone(), value.clone());
            }
            for (resource, amount) in &like.status.allocatable {
                capacity.insert(resource.clone(), rounded(resource, *amount));
            }
            for taint in &like.spec.taints {
                let is_ours = ["node.kubernetes.io/", "podscope.dev/"]
                    .iter()
                    .any(|own| taint.key.starts_with(own));
                let mut tolerations = self.pod.spec.tolerations.iter();
                if tolerations.any(|toleration| toleration.tolerates(taint)) && !is_ours {
                    node.spec.taints.push(taint.clone());
                } else if !is_ours {
                    let value = if taint.value.is_empty() { "" } else { "=" };
                    new.without.push(format!("{}{value}{}", taint.key, taint.value));
                }
            }
            node.status.declared_features = like.status.declared_features.clone();
        }
        for (key, value) in place {
            labels.insert(key.clone(), value.clone());
        }
        let mut more = String::new();
        for (resource, amount) in at_least {
            append_entry(&mut more, resource, &printed(resource, *amount));
            capacity.insert(resource.clone(), *amount);
        }
        for (key, value) in labels.iter() {
            // A kubelet says these by itself.
            if !matches!(&**value, "linux" | "amd64") && *value != name {
                append_entry(&mut new.labels, key, value);
            }
        }
        for (resource, amount) in &capacity {
            if !amount.is_zero() {
                append_entry(&mut new.capacity, resource, &printed(resource, *amount));
            }
        }
        new.name = name.to_string();
        node.metadata.name = name;
        node.status.allocatable = capacity;
        let change = Change::AddNode {
            node: new,
            topology_key: topology_key.to_owned(),
            domain: domain.to_owned(),
            volume: volume.to_owned(),
            more,
        };
        self.trials.push_back(Trial::AddNode(change, Arc::new(node), cost));
    }

    /// The name with the next number that is free: `a-1` becomes `a-2`, or `c-1` where it says the domain.
    fn free_node_name(&self, like: Option<&Node>, place: &[Label]) -> Str {
        let name = like.map_or("", |like| &*like.metadata.name);
        let stem = name.trim_end_matches(|digit: char| digit.is_ascii_digit());
        let (stem, number) = match name[stem.len()..].parse::<u32>() {
            Ok(number) if stem.ends_with('-') => (stem.trim_end_matches('-'), number),
            _ if name.is_empty() => ("node", 0),
            _ => (name, 1),
        };
        let elsewhere = place
            .iter()
            .find(|(key, domain)| **domain != *stem && like.and_then(|like| like.metadata.label(key)) == Some(stem));
        let (stem, number) = elsewhere.map_or((stem, number), |(_, domain)| (domain, 0));
        let is_taken = |name: &str| {
            let mut nodes = self.cache.order().iter();
            nodes.any(|node| *self.cache.node(*node).name == *name)
        };
        let mut number = number.saturating_add(1);
        while is_taken(&format!("{stem}-{number}")) {
            number = number.saturating_add(1);
        }
        format!("{stem}-{number}").into()
    }
}

fn is_bytes(resource: &str) -> bool {
    matches!(resource, "memory" | "ephemeral-storage")
}

/// What a node has, rounded down to what people write.
fn rounded(resource: &str, amount: Quantity) -> Quantity {
    match resource {
        "cpu" => Quantity::from_milli(amounts::cpu_rounded_down(amount.milli_value())),
        _ if is_bytes(resource) => Quantity::from_bytes(amounts::bytes_rounded_down(amount.value())),
        _ => amount,
    }
}

fn printed(resource: &str, amount: Quantity) -> String {
    match is_bytes(resource) {
        true => amounts::bytes(amount.value()),
        false => amount.to_string(),
    }
}

/// Labels of a node that reaches the volume: of its node affinity's first term, and of its own zone and region. None
/// for a disk of one machine, which no other one has.
fn place_of(volume: &PersistentVolume) -> Option<Vec<Label>> {
    let affinity = volume.spec.node_affinity.as_ref();
    let term = affinity.and_then(|affinity| affinity.required.as_ref()?.node_selector_terms.first());
    let mut place: Vec<Label> = Vec::new();
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
    (!place.is_empty()).then_some(place)
}

/// A domain that is not there yet, named as the last one goes on: `c` after `b`, `eu-1c` after `eu-1b`.
fn next_domain(last: &str, is_there: impl Fn(&str) -> bool) -> Str {
    let mut name = last.as_bytes().to_vec();
    // The last letter of a word counts nothing.
    let is_word = |bytes: &[u8]| matches!(bytes, [.., before, b'a'..=b'z'] if before.is_ascii_alphabetic());
    let counts = !is_word(&name);
    if let Some(end @ (b'a'..=b'y' | b'0'..=b'8')) = name.last_mut().filter(|_| counts) {
        *end += 1;
        if let Some(name) = String::from_utf8(name).ok().filter(|name| !is_there(name)) {
            return name.into();
        }
    }
    format!("{last}-new").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shows: S-15
    #[test]
    fn a_new_domain_is_named_as_the_last_one_goes_on() {
        for (last, want) in [
            ("b", "c"),
            ("eu-1b", "eu-1c"),
            ("rack-10", "rack-11"),
            ("z", "z-new"),
            ("west", "west-new"),
            ("e", "e-new"),
        ] {
            assert_eq!(&*next_domain(last, |name| name == "f"), want);
        }
    }
}
