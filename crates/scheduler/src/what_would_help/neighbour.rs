//! A pod that the required affinity of the pending one asks for, where one with a few labels is enough.

use podscope_api::ordered;
use std::sync::Arc;

use podscope_api::{Container, LabelSelector, NodeName, Object, Pod, PodAffinityTerm, SelectorOperator, Str};

use super::{Change, TRIALS_MAX, Trial, WhatWouldHelp};
use crate::cycle::name_of;

/// An image that does nothing.
const IMAGE: &str = "registry.k8s.io/pause:3.10";

impl WhatWouldHelp {
    /// A pod with the labels that all terms ask for.
    pub(super) fn plan_neighbour(&mut self) {
        let affinity = self.pod.spec.affinity.as_ref();
        let Some(rules) = affinity.and_then(|affinity| affinity.pod_affinity.as_ref()) else {
            return;
        };
        let terms = &rules.required_during_scheduling_ignored_during_execution;
        let Some((namespace, labels)) = wanted(terms, &self.pod.metadata.namespace) else {
            return;
        };
        let name = self.free_pod_name(&namespace, &labels);
        let mut other = Pod::default();
        other.metadata.name = name.clone();
        other.metadata.namespace = namespace.clone();
        other.spec.scheduler_name = self.pod.spec.scheduler_name.clone();
        other.spec.containers = Arc::new(vec![Container {
            name: name.clone(),
            image: IMAGE.into(),
            ..Container::default()
        }]);
        let change = Change::AddPod {
            pod: name.to_string(),
            namespace: namespace.to_string(),
            labels: labels
                .iter()
                .map(|(key, value)| (key.to_string(), value.to_string()))
                .collect(),
        };
        other.metadata.labels = Arc::new(labels);
        self.trials.push_back(Trial::AddPod(change, Arc::new(other), 65));
    }

    /// How many nodes can take the pod beside that one, whichever of equal nodes that one gets.
    pub(super) fn n_feasible_beside(&mut self, other: &Arc<Pod>) -> usize {
        let pod = self.pod.clone();
        let hosts = match self.search(other) {
            Some((found, _)) if found.error.is_none() => found.hosts,
            _ => Vec::new(),
        };
        if hosts.len() > TRIALS_MAX {
            return 0;
        }
        let mut fewest = None;
        for host in hosts {
            let mut placed = (**other).clone();
            placed.spec.node_name = Some(NodeName(name_of(&self.cache, host)));
            let placed = Object::Pod(Arc::new(placed));
            self.cache.on_change(None, Some(&placed));
            let n_feasible = self.n_feasible(&pod);
            self.cache.on_change(Some(&placed), None);
            fewest = Some(fewest.unwrap_or(n_feasible).min(n_feasible));
        }
        fewest.unwrap_or(0)
    }

    /// The first label's value, or one with a number where a pod has that name.
    fn free_pod_name(&self, namespace: &Str, labels: &ordered::Map<Str, Str>) -> Str {
        let is_name = |text: &str| {
            let mut bytes = text.bytes();
            !text.is_empty() && bytes.all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        };
        let value = labels.values().find(|value| is_name(value));
        let stem = value.map_or("neighbour", |value| value);
        let is_taken = |name: &str| {
            let mut nodes = self.cache.order().iter().map(|node| self.cache.node(*node));
            nodes.any(|node| {
                let mut pods = node.pods.iter().map(|pod| &pod.pod.metadata);
                pods.any(|pod| &*pod.name == name && pod.namespace == *namespace)
            })
        };
        let numbered = (2..).map(|n| format!("{stem}-{n}"));
        let mut names = std::iter::once(stem.to_owned()).chain(numbered);
        names.find(|name| !is_taken(name)).unwrap_or_default().into()
    }
}

/// Namespace and labels of a pod that all terms mean; none where that takes more than a few labels.
fn wanted(terms: &[PodAffinityTerm], own: &Str) -> Option<(Str, ordered::Map<Str, Str>)> {
    let mut labels: ordered::Map<Str, Str> = ordered::Map::new();
    let mut namespace: Option<Str> = None;
    for term in terms {
        if term.namespace_selector.is_some() || !term.mismatch_label_keys.is_empty() {
            return None;
        }
        let of_term = term.namespaces.first().unwrap_or(own).clone();
        if namespace.replace(of_term.clone()).is_some_and(|other| other != of_term) {
            return None;
        }
        let selector = term.label_selector.as_ref()?;
        let one_of = selector
            .match_expressions
            .iter()
            .filter_map(|rule| match rule.operator {
                SelectorOperator::In => Some((&rule.key, rule.values.first()?)),
                _ => None,
            });
        for (key, value) in selector.match_labels.iter().chain(one_of) {
            labels.entry(key.clone()).or_insert_with(|| value.clone());
        }
    }
    let means = |selector: &LabelSelector| selector.matches(&labels);
    let mut selectors = terms.iter().filter_map(|term| term.label_selector.as_ref());
    (!labels.is_empty() && selectors.all(means)).then_some((namespace?, labels))
}
