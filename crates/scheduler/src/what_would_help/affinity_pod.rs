//! Suggests a pod that satisfies the required affinity of the pending pod, if a pod with a few labels is enough.

use std::sync::Arc;

use podscope_api::{NodeName, Object, Pod, Str};

use super::{Change, MAX_TRIALS, Trial, WhatWouldHelp, append_list_entry};
use crate::cycle::name_of_node;

impl WhatWouldHelp {
    /// Adds a trial of a pod that has the labels required by the only affinity term. The trial checks all other rules.
    pub(super) fn plan_pod_with_required_labels(&mut self) {
        let pod = self.pod.clone();
        let affinity = pod.spec.affinity.as_ref();
        let Some(rules) = affinity.and_then(|affinity| affinity.pod_affinity.as_ref()) else {
            return;
        };
        let [term] = &*rules.required_during_scheduling_ignored_during_execution else {
            return;
        };
        let Some(selector) = term
            .label_selector
            .as_ref()
            .filter(|selector| !selector.match_labels.is_empty())
        else {
            return;
        };
        let namespace = term.namespaces.first().unwrap_or(&pod.metadata.namespace);
        let mut other = Pod::default();
        other.metadata.name = self.free_pod_name(namespace, selector.match_labels.values().next());
        other.metadata.namespace = namespace.clone();
        other.spec.scheduler_name = pod.spec.scheduler_name.clone();
        other.metadata.labels = Arc::new(selector.match_labels.clone());
        let mut labels = String::new();
        for (key, value) in &selector.match_labels {
            append_list_entry(&mut labels, key, value);
        }
        let change = Change::AddPod {
            pod: other.metadata.name.to_string(),
            namespace: namespace.to_string(),
            labels,
        };
        self.trials.push_back(Trial::AddPod(change, Arc::new(other), 65));
    }

    /// Returns the number of nodes that are feasible for the pending pod after `other` was added. If `other` has
    /// several equal hosts, returns the smallest number over these hosts.
    pub(super) fn count_feasible_nodes_beside(&mut self, other: &Arc<Pod>) -> usize {
        let pod = self.pod.clone();
        let hosts = match self.schedule_on_copy(other) {
            Some((found, _)) if found.error.is_none() => found.hosts,
            _ => Vec::new(),
        };
        if hosts.len() > MAX_TRIALS {
            return 0;
        }
        let mut fewest = None;
        for host in hosts {
            let mut placed = (**other).clone();
            placed.spec.node_name = Some(NodeName(name_of_node(&self.cache, host)));
            let placed = Object::Pod(Arc::new(placed));
            self.cache.on_change(None, Some(&placed));
            let n_feasible = self.count_feasible_nodes(&pod);
            self.cache.on_change(Some(&placed), None);
            fewest = Some(fewest.unwrap_or(n_feasible).min(n_feasible));
        }
        fewest.unwrap_or(0)
    }

    /// Returns an unused pod name: the label's value, with a number appended if a pod has that name.
    fn free_pod_name(&self, namespace: &Str, value: Option<&Str>) -> Str {
        let is_name = |text: &&Str| {
            text.bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        };
        let stem = value.filter(is_name).map_or("neighbour", |value| value);
        let mut name = stem.to_owned();
        let is_taken = |name: &str| {
            let mut nodes = self.cache.examination_order().iter();
            nodes.any(|node| {
                let mut pods = self.cache.node(*node).pods.iter().map(|pod| &pod.pod.metadata);
                pods.any(|pod| *pod.name == *name && pod.namespace == *namespace)
            })
        };
        let mut number = 1;
        while is_taken(&name) {
            number += 1;
            name = format!("{stem}-{number}");
        }
        name.into()
    }
}
