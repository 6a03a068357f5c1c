//! Descheduler: evicts pods that violate a topology spread constraint, so that they are scheduled again (S-12, CT-069,
//! CT-112). It implements the strategy RemovePodsViolatingTopologySpreadConstraint, and runs only if
//! `deschedulingInterval` is set. It uses the eviction API, so PodDisruptionBudgets apply.
//!
//! Deviation: the real descheduler is a separate program; here it runs in the controller-manager.

use podscope_api::ordered;
use podscope_api::ordered::StableSort as _;
use std::sync::Arc;

use podscope_api::{Kind, Node, Pod, Str, TopologySpreadConstraint};

use podscope_sim::{Change, DeleteOptions, Objects, Request, Span};

use super::controller::{Controller, ControllerContext};
use super::node_selector::counts_for_spread;
use super::plan::{Accept, Action, Plan};
use super::pod_util::is_active;
use super::queue::Key;

#[derive(Debug, Clone, Default)]
pub(super) struct Descheduler;

impl Controller for Descheduler {
    fn name(&self) -> &'static str {
        "sigs.k8s.io/descheduler"
    }

    fn watches(&self) -> &'static [Kind] {
        &[]
    }

    fn started(&mut self, cx: &mut ControllerContext<'_, '_>) {
        let interval = cx.settings.descheduling_interval;
        if interval > Span::ZERO {
            cx.tick_at(cx.now() + interval, 0);
        }
    }

    fn changed(&mut self, _change: &Change, _cx: &mut ControllerContext<'_, '_>) {}
    fn tick(&mut self, _tick: u8, cx: &mut ControllerContext<'_, '_>) {
        for pod in violating_pods(cx.objects) {
            cx.enqueue((Kind::Pod, pod.metadata.key()));
        }
        cx.tick_at(cx.now() + cx.settings.descheduling_interval, 0);
    }

    fn sync(&mut self, key: &Key, _cx: &mut ControllerContext<'_, '_>) -> Plan {
        let evict = Request::Evict {
            pod: key.1.clone(),
            options: DeleteOptions::default(),
        };
        // If a budget refuses the eviction, the next run tries again.
        Plan::one(Action::from(evict).accept(Accept::OrStop))
    }
}

/// Returns the pods whose eviction would satisfy all hard constraints, if each pod is rescheduled to the emptiest
/// domain.
fn violating_pods(objects: &Objects) -> Vec<Arc<Pod>> {
    let is_hard = |constraint: &&TopologySpreadConstraint| constraint.is_do_not_schedule();
    let mut seen: Vec<(Str, TopologySpreadConstraint)> = Vec::new();
    let mut evicted: Vec<Arc<Pod>> = Vec::new();
    for pod in objects
        .list::<Pod>()
        .filter(|pod| is_active(pod) && pod.spec.node_name.is_some())
    {
        for constraint in pod.spec.topology_spread_constraints.iter().filter(is_hard) {
            let identity = (pod.metadata.namespace.clone(), constraint.clone());
            if seen.contains(&identity) {
                continue;
            }
            evicted.extend(surplus_pods(objects, pod, constraint, &evicted));
            seen.push(identity);
        }
    }
    evicted
}

/// Returns the pods to evict for one constraint of the pod `example`. Nodes that the constraint does not count are not
/// domains, so no pod is evicted in favour of a cordoned node that the constraint excludes.
fn surplus_pods(
    objects: &Objects,
    example: &Pod,
    constraint: &TopologySpreadConstraint,
    already_evicted: &[Arc<Pod>],
) -> Vec<Arc<Pod>> {
    let key = &*constraint.topology_key;
    let mut domains: ordered::Map<Str, Vec<Arc<Pod>>> = ordered::Map::new();
    for node in objects.list::<Node>() {
        let keys = std::iter::once(&constraint.topology_key);
        if let Some(domain) = node.metadata.labels.get(key)
            && counts_for_spread(&example.spec, node, constraint, keys)
        {
            domains.entry(domain.clone()).or_default();
        }
    }
    let selector = constraint.label_selector.clone().unwrap_or_default();
    for pod in objects
        .list_in::<Pod>(&example.metadata.namespace)
        .filter(|pod| is_active(pod) && selector.matches(&pod.metadata.labels))
    {
        let node = pod.spec.node_name.as_ref().and_then(|name| objects.named::<Node>(name));
        let domain = node
            .and_then(|node| node.metadata.labels.get(key))
            .and_then(|domain| domains.get_mut(domain));
        if let Some(pods) = domain
            && !already_evicted
                .iter()
                .any(|other| other.metadata.uid == pod.metadata.uid)
        {
            pods.push(pod.clone());
        }
    }
    let mut sizes: ordered::Map<Str, i64> = domains
        .iter()
        .map(|(domain, pods)| (domain.clone(), pods.len() as i64))
        .collect();
    for pods in domains.values_mut() {
        // Pods are evicted from the end of the list: those with the lowest priority first, among equals the youngest.
        pods.stable_sort_by_key(|pod| {
            (
                std::cmp::Reverse(pod.priority()),
                pod.metadata.creation_timestamp,
                pod.metadata.name.clone(),
            )
        });
    }
    let mut evicted = Vec::new();
    loop {
        let fullest = sizes
            .iter()
            .max_by_key(|(_, size)| **size)
            .map(|(domain, size)| (domain.clone(), *size));
        let emptiest = sizes
            .iter()
            .min_by_key(|(_, size)| **size)
            .map(|(domain, size)| (domain.clone(), *size));
        let (Some((fullest, max_size)), Some((emptiest, min_size))) = (fullest, emptiest) else {
            return evicted;
        };
        if max_size - min_size <= i64::from(constraint.max_skew.max(1)) {
            return evicted;
        }
        let Some(pod) = domains.get_mut(&fullest).and_then(Vec::pop) else {
            return evicted;
        };
        evicted.push(pod);
        sizes.insert(fullest, max_size - 1);
        sizes.insert(emptiest, min_size + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::super::ControllerManagerSettings;
    use super::super::lab::Lab;
    use super::*;

    /// A scale-down left a zone without pods. A run evicts only as many pods as necessary to satisfy `maxSkew`.
    /// Shows: S-12
    #[test]
    fn descheduler_evicts_pods_that_violate_max_skew() {
        let pod = |name: &str, node: &str| {
            format!(
                "{{apiVersion: v1, kind: Pod, metadata: {{name: {name}, labels: {{app: web}}}}, spec: {{nodeName: {node}, containers: [{{name: c, image: i}}], \
                 topologySpreadConstraints: [{{maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule, \
                 labelSelector: {{matchLabels: {{app: web}}}}}}]}}}}"
            )
        };
        let pods = ["one", "two", "three", "four"]
            .map(|name| pod(name, "a-1"))
            .join("\n---\n");
        let settings = ControllerManagerSettings {
            descheduling_interval: Span::seconds(60),
            ..ControllerManagerSettings::default()
        };
        let mut lab = Lab::with_settings(&["a-1", "b-1"], &pods, settings, podscope_sim::Switches::default());
        lab.run(Span::seconds(59));
        assert_eq!(lab.pods().len(), 4);
        lab.run(Span::seconds(5));
        assert_eq!(lab.pods().len(), 2);
        lab.run(Span::seconds(120));
        assert_eq!(
            lab.pods().len(),
            1,
            "two pods in one zone and none in the other are a skew of two"
        );
    }

    /// A node that the constraint excludes is not a domain. When the constraint counts the node, pods are evicted to
    /// balance the domains.
    /// Shows: S-12
    #[test]
    fn excluded_node_does_not_form_a_spread_domain() {
        let pod = |name: &str| {
            format!(
                "{{apiVersion: v1, kind: Pod, metadata: {{name: {name}, labels: {{app: web}}}}, spec: {{nodeName: a-1, containers: [{{name: c, image: i}}], \
                 topologySpreadConstraints: [{{maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule, \
                 nodeTaintsPolicy: Honor, labelSelector: {{matchLabels: {{app: web}}}}}}]}}}}"
            )
        };
        let pods = ["one", "two", "three", "four"].map(pod).join("\n---\n");
        let settings = ControllerManagerSettings {
            descheduling_interval: Span::seconds(60),
            ..ControllerManagerSettings::default()
        };
        let mut lab = Lab::with_settings(&["a-1", "b-1"], &pods, settings, podscope_sim::Switches::default());
        lab.edit::<Node>("b-1", |node| {
            node.spec.taints = vec![podscope_api::Taint {
                key: "maintenance".into(),
                effect: podscope_api::TaintEffect::NoSchedule,
                ..podscope_api::Taint::default()
            }];
        });
        lab.run(Span::seconds(70));
        assert_eq!(lab.pods().len(), 4);
        lab.edit::<Node>("b-1", |node| node.spec.taints.clear());
        lab.run(Span::seconds(60));
        assert_eq!(lab.pods().len(), 2);
    }
}
