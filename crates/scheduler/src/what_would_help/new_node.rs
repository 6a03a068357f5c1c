//! Suggests new nodes: in an existing or a new domain, in the location of a volume, or larger than all existing nodes.

use podscope_api::ordered;
use podscope_api::well_known::label;
use std::sync::Arc;

use podscope_api::{Node, PersistentVolume, Quantity, ResourceList, SelectorOperator, Str};

use super::{Change, MAX_TRIALS, NewNode, Trial, WhatWouldHelp, amounts, append_list_entry};
use crate::node_info::{NodeIdx, NodeInfo};
use crate::pod_info::Incoming;
use crate::resources::{Resources, is_extended};

/// A label with its value.
type Label = (Str, Str);

impl WhatWouldHelp {
    pub(super) fn plan_nodes(&mut self) {
        let requests = Incoming::new(&mut self.cache, &self.pod).info.requests.requests.clone();
        self.plan_node_for_volume(&requests);
        let constraints = self.pod.spec.topology_spread_constraints.iter();
        let mut keys: ordered::Set<Str> = constraints.map(|constraint| constraint.topology_key.clone()).collect();
        keys.insert(label::ZONE.into());
        keys.remove(label::HOSTNAME);
        for key in keys {
            let domains = self.best_template_per_domain(&key, &requests);
            for (domain, _, template) in domains.iter().take(MAX_TRIALS) {
                let location_labels = [(key.clone(), domain.clone())];
                self.try_node(Some(template), &location_labels, (&key, domain, ""), &[], 90);
            }
            if let Some((last, ..)) = domains.last() {
                let exists = |name: &str| domains.iter().any(|(domain, ..)| **domain == *name);
                let location_labels = [(key.clone(), next_domain(last, exists))];
                let template = self.best_template(&requests);
                self.try_node(template.as_ref(), &location_labels, (&key, "", ""), &[], 91);
            }
        }
        self.plan_larger_node(&requests);
    }

    /// Plans a node that can reach a bound volume of the pod, if no existing node can.
    fn plan_node_for_volume(&mut self, requests: &Resources) {
        let pod = self.pod.clone();
        for volume in pod.spec.volumes.iter() {
            let stores = &self.cache.stores;
            let Some(location_labels) = (volume.persistent_volume_claim.as_ref())
                .and_then(|source| stores.claim(&pod.metadata.namespace, &source.claim_name))
                .and_then(|claim| stores.volume(&claim.spec.volume_name))
                .and_then(|volume| Some((volume.metadata.name.clone(), labels_for_volume(volume)?)))
            else {
                continue;
            };
            let (volume, location_labels) = location_labels;
            let exists = |node: &NodeIdx| {
                let node = self.cache.node(*node).node.as_ref();
                let allocatable =
                    |(key, value): &Label| node.is_some_and(|node| node.metadata.label(key) == Some(value));
                location_labels.iter().all(allocatable)
            };
            if let Some((key, domain)) = location_labels
                .iter()
                .find(|(key, _)| &**key == label::ZONE)
                .or(location_labels.first())
                && !self.cache.examination_order().iter().any(exists)
            {
                let template = self.best_template(requests);
                self.try_node(template.as_ref(), &location_labels, (key, domain, &volume), &[], 88);
            }
        }
    }

    /// Plans a node with at least the amounts that the pod requests, if no existing node is large enough.
    fn plan_larger_node(&mut self, requests: &Resources) {
        let nodes = self
            .cache
            .examination_order()
            .iter()
            .map(|node| &self.cache.node(*node).allocatable);
        let all_lack = |request: i64, amount_of: &dyn Fn(&Resources) -> i64| {
            request > 0 && nodes.clone().all(|allocatable| amount_of(allocatable) < request)
        };
        let mut more: Vec<(Str, Quantity)> = Vec::new();
        if all_lack(requests.cpu, &|allocatable| allocatable.cpu) {
            let amount = amounts::cpu_rounded_up(requests.cpu);
            more.push(("cpu".into(), Quantity::from_milli(amount)));
        }
        if all_lack(requests.memory, &|allocatable| allocatable.memory) {
            let amount = amounts::bytes_rounded_up(requests.memory);
            more.push(("memory".into(), Quantity::from_bytes(amount)));
        }
        if all_lack(requests.ephemeral, &|allocatable| allocatable.ephemeral) {
            let amount = amounts::bytes_rounded_up(requests.ephemeral);
            more.push(("ephemeral-storage".into(), Quantity::from_bytes(amount)));
        }
        for (symbol, request) in &requests.scalars {
            let name = self.cache.symbols.text(*symbol);
            if is_extended(name) && all_lack(*request, &|allocatable| allocatable.scalar(*symbol).unwrap_or(0)) {
                more.push((name.clone(), Quantity::from_units(*request)));
            }
        }
        if self.cache.examination_order().is_empty() && more.is_empty() {
            more.push(("cpu".into(), Quantity::from_units(4)));
        }
        if more.is_empty() {
            return;
        }
        // Try a node modelled on one node of each zone, until a node helps.
        let templates = self.best_template_per_domain(label::ZONE, requests);
        for (.., template) in templates.iter().take(MAX_TRIALS) {
            self.try_node(Some(template), &[], ("", "", ""), &more, 92);
        }
        if templates.is_empty() {
            let template = self.best_template(requests);
            self.try_node(template.as_ref(), &[], ("", "", ""), &more, 92);
        }
    }

    /// Returns a tuple for each domain of a topology key, sorted by name: the name, the rank of the domain's best
    /// template for a new node, and this template.
    pub(super) fn best_template_per_domain(&self, key: &str, requests: &Resources) -> Vec<(Str, u8, Arc<Node>)> {
        let mut domains: Vec<(Str, u8, Arc<Node>)> = Vec::new();
        for node in self.cache.examination_order() {
            let info = self.cache.node(*node);
            if let Some(node) = &info.node
                && let Some(domain) = node.metadata.label(key)
            {
                let rank = self.template_rank(info, node, requests);
                let at = domains.partition_point(|(known, ..)| **known < *domain);
                match domains.get_mut(at) {
                    Some((known, best_rank, template)) if **known == *domain => {
                        if *best_rank > rank {
                            (*best_rank, *template) = (rank, node.clone());
                        }
                    }
                    _ => domains.insert(at, (domain.into(), rank, node.clone())),
                }
            }
        }
        domains
    }

    fn best_template(&self, requests: &Resources) -> Option<Arc<Node>> {
        let mut best: Option<(u8, &Arc<Node>)> = None;
        for node in self.cache.examination_order() {
            let info = self.cache.node(*node);
            if let Some(node) = &info.node {
                let rank = self.template_rank(info, node, requests);
                if best.is_none_or(|(best_rank, _)| rank < best_rank) {
                    best = Some((rank, node));
                }
            }
        }
        best.map(|(_, node)| node.clone())
    }

    /// Returns the rank of a node as a template; lower is better. Criteria: the pod selects the node, the node is large
    /// enough, the node has no taints.
    fn template_rank(&self, info: &NodeInfo, node: &Node, requests: &Resources) -> u8 {
        let allocatable = &info.allocatable;
        let mut scalars = requests.scalars.iter();
        let is_enough = requests.cpu <= allocatable.cpu
            && requests.memory <= allocatable.memory
            && requests.ephemeral <= allocatable.ephemeral
            && scalars.all(|(name, request)| *request <= allocatable.scalar(*name).unwrap_or(0));
        u8::from(!self.pod.spec.selects(node)) * 4 + u8::from(!is_enough) * 2 + u8::from(!node.spec.taints.is_empty())
    }

    /// Plans a new, empty node modelled on `template`, without the taints that the pod does not tolerate, with the
    /// given labels and at least the given capacity. The suggestion tells the domain by topology key and value, and
    /// the volume that requires the node.
    fn try_node(
        &mut self,
        template: Option<&Arc<Node>>,
        location_labels: &[Label],
        (topology_key, domain, volume): (&str, &str, &str),
        at_least: &[(Str, Quantity)],
        cost: i64,
    ) {
        let mut node = Node::default();
        let mut new = NewNode::default();
        let labels = Arc::make_mut(&mut node.metadata.labels);
        let mut capacity = ResourceList::default();
        capacity.insert("pods".into(), Quantity::from_units(110));
        let name = self.free_node_name(template.map(|template| &**template), location_labels);
        if let Some(template) = template {
            let own_name = &template.metadata.name;
            new.like = own_name.to_string();
            for (key, value) in template.metadata.labels.iter() {
                let value = if value == own_name { &name } else { value };
                labels.insert(key.clone(), value.clone());
            }
            for (resource, amount) in &template.status.allocatable {
                capacity.insert(resource.clone(), rounded_amount(resource, *amount));
            }
            for taint in &template.spec.taints {
                let is_system_taint = ["node.kubernetes.io/", "podscope.dev/"]
                    .iter()
                    .any(|own| taint.key.starts_with(own));
                let mut tolerations = self.pod.spec.tolerations.iter();
                if tolerations.any(|toleration| toleration.tolerates(taint)) && !is_system_taint {
                    node.spec.taints.push(taint.clone());
                } else if !is_system_taint {
                    let value = if taint.value.is_empty() { "" } else { "=" };
                    new.without.push(format!("{}{value}{}", taint.key, taint.value));
                }
            }
            node.status.declared_features = template.status.declared_features.clone();
        }
        for (key, value) in location_labels {
            labels.insert(key.clone(), value.clone());
        }
        let mut more = String::new();
        for (resource, amount) in at_least {
            append_list_entry(&mut more, resource, &format_amount(resource, *amount));
            capacity.insert(resource.clone(), *amount);
        }
        for (key, value) in labels.iter() {
            // The suggestion omits labels that the kubelet sets itself.
            if !matches!(&**value, "linux" | "amd64") && *value != name {
                append_list_entry(&mut new.labels, key, value);
            }
        }
        for (resource, amount) in &capacity {
            if !amount.is_zero() {
                append_list_entry(&mut new.capacity, resource, &format_amount(resource, *amount));
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

    /// Returns the template's name with the next unused number: `a-2` for the template `a-1`. If the part
    /// before the number is the template's domain, the new node's domain replaces it: `c-1` for a node in domain `c`.
    pub(super) fn free_node_name(&self, template: Option<&Node>, location_labels: &[Label]) -> Str {
        let name = template.map_or("", |template| &*template.metadata.name);
        let stem = name.trim_end_matches(|digit: char| digit.is_ascii_digit());
        let (stem, number) = match name[stem.len()..].parse::<u32>() {
            Ok(number) if stem.ends_with('-') => (stem.trim_end_matches('-'), number),
            _ if name.is_empty() => ("node", 0),
            _ => (name, 1),
        };
        let other_domain = location_labels.iter().find(|(key, domain)| {
            **domain != *stem && template.and_then(|template| template.metadata.label(key)) == Some(stem)
        });
        let (stem, number) = other_domain.map_or((stem, number), |(_, domain)| (domain, 0));
        let is_taken = |name: &str| {
            let mut nodes = self.cache.examination_order().iter();
            nodes.any(|node| *self.cache.node(*node).name == *name)
        };
        let mut number = number.saturating_add(1);
        while is_taken(&format!("{stem}-{number}")) {
            number = number.saturating_add(1);
        }
        format!("{stem}-{number}").into()
    }
}

fn is_counted_in_bytes(resource: &str) -> bool {
    matches!(resource, "memory" | "ephemeral-storage")
}

/// Rounds a node's amount down to a common value.
fn rounded_amount(resource: &str, amount: Quantity) -> Quantity {
    match resource {
        "cpu" => Quantity::from_milli(amounts::cpu_rounded_down(amount.milli_value())),
        _ if is_counted_in_bytes(resource) => Quantity::from_bytes(amounts::bytes_rounded_down(amount.value())),
        _ => amount,
    }
}

fn format_amount(resource: &str, amount: Quantity) -> String {
    match is_counted_in_bytes(resource) {
        true => amounts::format_bytes(amount.value()),
        false => amount.to_string(),
    }
}

/// Returns the labels that a node needs to reach the volume: those of the first term of the volume's node affinity, and
/// its zone and region. Returns `None` for a disk that is local to one machine.
fn labels_for_volume(volume: &PersistentVolume) -> Option<Vec<Label>> {
    let affinity = volume.spec.node_affinity.as_ref();
    let term = affinity.and_then(|affinity| affinity.required.as_ref()?.node_selector_terms.first());
    let mut location_labels: Vec<Label> = Vec::new();
    for rule in term.into_iter().flat_map(|term| &term.match_expressions) {
        match rule.operator {
            SelectorOperator::In if &*rule.key != label::HOSTNAME => {
                location_labels.push((rule.key.clone(), rule.values.first()?.clone()))
            }
            _ => return None,
        }
    }
    for key in [label::ZONE, label::REGION] {
        if let Some(values) = volume.metadata.label(key)
            && let Some(value) = values.split("__").map(str::trim).find(|value| !value.is_empty())
            && !location_labels.iter().any(|(known, _)| &**known == key)
        {
            location_labels.push((key.into(), value.into()));
        }
    }
    (!location_labels.is_empty()).then_some(location_labels)
}

/// Returns a name for a new domain that continues the last one: `c` after `b`, `eu-1c` after `eu-1b`.
fn next_domain(last: &str, exists: impl Fn(&str) -> bool) -> Str {
    let mut name = last.as_bytes().to_vec();
    // A last letter that follows another letter belongs to a word, as in "west". Otherwise the last letter or digit
    // counts the domains, as in "eu-1b", and the next domain gets the next one.
    let is_word = |bytes: &[u8]| matches!(bytes, [.., before, b'a'..=b'z'] if before.is_ascii_alphabetic());
    let is_enumerated = !is_word(&name);
    if let Some(end @ (b'a'..=b'y' | b'0'..=b'8')) = name.last_mut().filter(|_| is_enumerated) {
        *end += 1;
        if let Some(name) = String::from_utf8(name).ok().filter(|name| !exists(name)) {
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
    fn new_domain_name_continues_last_one() {
        for (last, request) in [
            ("b", "c"),
            ("eu-1b", "eu-1c"),
            ("rack-10", "rack-11"),
            ("z", "z-new"),
            ("west", "west-new"),
            ("e", "e-new"),
        ] {
            assert_eq!(&*next_domain(last, |name| name == "f"), request);
        }
    }
}
