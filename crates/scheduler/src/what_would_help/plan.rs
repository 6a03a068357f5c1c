//! Plans the changes to try, based on the rejections, the pod's own rules and the cluster.

use podscope_api::ordered;
use podscope_api::ordered::StableSort as _;
use podscope_api::well_known::{label, taint};
use std::sync::Arc;

use podscope_api::{
    Affinity, Node, NodeInclusionPolicy, NodeSelectorTerm, Pod, PodSpec, PreemptionPolicy, PriorityClass, Quantity,
    SelectorOperator, Str, Taint, Toleration, TolerationOperator, TopologySpreadConstraint, UnsatisfiableAction,
};

use super::{Change, MAX_TRIALS, ReducibleResource, Trial, WhatWouldHelp};
use crate::node_info::{Effect, NodeIdx};
use crate::plugins::Plugin;
use crate::pod_info::Incoming;
use crate::resources::{Resources, is_extended};

impl WhatWouldHelp {
    pub(super) fn plan_trials(&mut self, classes: &[Arc<PriorityClass>]) {
        let pod = self.pod.clone();
        if !pod.spec.scheduling_gates.is_empty() {
            return self.plan_gate_removal();
        }
        let Some((found, _)) = self.schedule_on_copy(&pod) else {
            return self.plan_scheduler_names();
        };
        if !found.feasible.is_empty() {
            return;
        }
        let refused: Vec<(NodeIdx, Option<Plugin>)> = found
            .diagnosis
            .refused
            .iter()
            .map(|(node, status)| (*node, status.plugin))
            .collect();
        let is_rejected_by = |plugin: Plugin| refused.iter().any(|(_, rejector)| *rejector == Some(plugin));
        self.plan_uncordon();
        self.plan_taint_removal();
        if is_rejected_by(Plugin::TaintToleration) || is_rejected_by(Plugin::NodeUnschedulable) {
            self.plan_tolerations();
        }
        for resource in [
            ReducibleResource::Cpu,
            ReducibleResource::Memory,
            ReducibleResource::Ephemeral,
        ] {
            self.trials.push_back(Trial::Shrink(resource));
        }
        self.plan_node_labels();
        self.plan_extended_resources();
        self.plan_spread_changes();
        self.plan_rule_removals();
        self.plan_priority_changes(classes);
        self.trials.push_back(Trial::FindBlockers);
        if is_rejected_by(Plugin::InterPodAffinity) {
            self.plan_pod_with_required_labels();
        }
        self.plan_nodes();
        if is_rejected_by(Plugin::DynamicResources) {
            self.plan_device_changes();
        }
    }

    fn try_pod_edit(&mut self, change: Change, cost: i64, edit: &dyn Fn(&mut Pod)) {
        let mut pod = (*self.pod).clone();
        edit(&mut pod);
        self.trials.push_back(Trial::Pod(change, Arc::new(pod), cost));
    }

    fn try_node_change(&mut self, change: Change, node: &Arc<Node>, cost: i64, edit: &dyn Fn(&mut Node)) {
        let mut after = (**node).clone();
        edit(&mut after);
        let trial = Trial::Node(change, node.clone(), Arc::new(after), cost);
        self.trials.push_back(trial);
    }

    /// Plans changes of the scheduler name, for a pod whose scheduler does not run.
    fn plan_scheduler_names(&mut self) {
        let names: Vec<Str> = (self.config.profiles.iter())
            .map(|profile| profile.scheduler_name.clone())
            .collect();
        for name in names {
            let change = Change::Scheduler { to: name.to_string() };
            self.try_pod_edit(change, 10, &|pod| pod.spec.scheduler_name = name.clone());
        }
    }

    fn plan_uncordon(&mut self) {
        let cordoned: Vec<Arc<Node>> = self
            .cache
            .examination_order()
            .iter()
            .filter_map(|node| self.cache.node(*node).node.clone())
            .filter(|node| node.is_unschedulable())
            .take(MAX_TRIALS)
            .collect();
        for node in cordoned {
            let change = Change::Uncordon {
                node: node.metadata.name.to_string(),
            };
            self.try_node_change(change, &node, 10, &|node| {
                node.spec.unschedulable = None;
                let taints = &mut node.spec.taints;
                taints.retain(|taint| &*taint.key != taint::UNSCHEDULABLE);
            });
        }
    }

    /// Plans the removal of all scheduling gates, because a gated pod is not scheduled.
    fn plan_gate_removal(&mut self) {
        let gates = self.pod.spec.scheduling_gates.iter();
        let change = Change::Ungate {
            gates: gates.map(|gate| gate.name.to_string()).collect(),
        };
        self.try_pod_edit(change, 5, &|pod| pod.spec.scheduling_gates.clear());
    }

    /// Returns the NoSchedule and NoExecute taints of a node that the pod does not tolerate.
    fn untolerated_taints(&self, incoming: &Incoming, index: NodeIdx) -> Vec<Taint> {
        let info = self.cache.node(index);
        let Some(node) = &info.node else { return Vec::new() };
        let taints = node.spec.taints.iter().zip(info.taints.iter());
        taints
            .filter(|(_, taint)| matches!(taint.effect, Effect::NoSchedule | Effect::NoExecute))
            .filter(|(_, taint)| {
                let mut tolerations = incoming.tolerations.iter();
                !tolerations.any(|toleration| toleration.tolerates(taint))
            })
            .map(|(taint, _)| taint.clone())
            .collect()
    }

    /// Plans the removal of a taint, on nodes where it is the only untolerated taint.
    fn plan_taint_removal(&mut self) {
        let incoming = Incoming::new(&mut self.cache, &self.pod);
        let mut found: Vec<(Arc<Node>, Taint)> = Vec::new();
        for index in self.cache.examination_order() {
            let untolerated = self.untolerated_taints(&incoming, *index);
            if let [taint] = untolerated.as_slice()
                && is_user_taint(taint)
                && let Some(node) = &self.cache.node(*index).node
                && found.len() < MAX_TRIALS
            {
                found.push((node.clone(), taint.clone()));
            }
        }
        for (node, taint) in found {
            let change = Change::Untaint {
                node: node.metadata.name.to_string(),
                key: taint.key.to_string(),
                value: taint.value.to_string(),
                effect: taint.effect.as_str().to_owned(),
            };
            self.try_node_change(change, &node, 22, &|node| {
                node.spec.taints.retain(|known| *known != taint)
            });
        }
    }

    fn plan_tolerations(&mut self) {
        let mut seen: ordered::Set<(Str, Str, String)> = ordered::Set::new();
        let incoming = Incoming::new(&mut self.cache, &self.pod);
        for index in self.cache.examination_order() {
            // A single toleration helps only on nodes with a single untolerated taint.
            if let [taint] = self.untolerated_taints(&incoming, *index).as_slice()
                && is_user_taint(taint)
            {
                let effect = taint.effect.as_str().to_owned();
                seen.insert((taint.key.clone(), taint.value.clone(), effect));
            }
        }
        for (key, value, effect) in seen.into_iter().take(MAX_TRIALS) {
            let change = Change::Tolerate {
                key: key.to_string(),
                value: value.to_string(),
                effect: effect.clone(),
            };
            self.try_pod_edit(change, 20, &|pod| {
                Arc::make_mut(&mut pod.spec.tolerations).push(Toleration {
                    key: key.clone(),
                    operator: Some(TolerationOperator::Equal),
                    value: value.clone(),
                    effect: Some(effect.as_str().into()),
                    toleration_seconds: None,
                });
            });
        }
    }

    /// Plans a label that the pod's nodeSelector or node affinity requires, on nodes that lack only this label.
    fn plan_node_labels(&mut self) {
        let spec = &self.pod.spec;
        let terms = spec
            .required_node_affinity()
            .map_or(&[][..], |required| &required.node_selector_terms);
        let mut nodes_lacking_label: Vec<(Arc<Node>, Str, Str)> = Vec::new();
        for node in self.cache.examination_order() {
            let Some(node) = &self.cache.node(*node).node else {
                continue;
            };
            let mut label = match terms {
                [] => single_missing_label(spec, None, node),
                _ => None,
            };
            for term in terms {
                label = label.or_else(|| single_missing_label(spec, Some(term), node));
            }
            // A node that has the label with another value probably has it on purpose.
            if let Some((key, value)) = label
                && node.metadata.label(&key).is_none()
                && &*key != label::HOSTNAME
                && nodes_lacking_label.len() < MAX_TRIALS
            {
                nodes_lacking_label.push((node.clone(), key, value));
            }
        }
        for (node, key, value) in nodes_lacking_label {
            let change = Change::Label {
                node: node.metadata.name.to_string(),
                key: key.to_string(),
                value: value.to_string(),
            };
            self.try_node_change(change, &node, 25, &|node| {
                Arc::make_mut(&mut node.metadata.labels).insert(key.clone(), value.clone());
            });
        }
    }

    /// Plans to add an extended resource to a node, if no node has the requested amount.
    fn plan_extended_resources(&mut self) {
        let requests = Incoming::new(&mut self.cache, &self.pod).info.requests.requests.clone();
        for (symbol, request) in requests.scalars {
            let resource = self.cache.symbols.text(symbol).clone();
            let has_enough = |node: &NodeIdx| self.cache.node(*node).allocatable.scalar(symbol) >= Some(request);
            if request <= 0 || !is_extended(&resource) || self.cache.examination_order().iter().any(has_enough) {
                continue;
            }
            let nodes: Vec<NodeIdx> = self
                .cache
                .examination_order()
                .iter()
                .take(MAX_TRIALS)
                .copied()
                .collect();
            for index in nodes {
                let info = self.cache.node(index);
                let Some(node) = info.node.clone() else { continue };
                let amount = Quantity::from_units(request + info.requested.scalar(symbol).unwrap_or(0));
                let change = Change::Offer {
                    node: node.metadata.name.to_string(),
                    resource: resource.to_string(),
                    amount: amount.to_string(),
                };
                self.try_node_change(change, &node, 80, &|node| {
                    node.status.allocatable.insert(resource.clone(), amount);
                });
            }
        }
    }

    fn plan_spread_changes(&mut self) {
        let pod = self.pod.clone();
        for (index, constraint) in pod.spec.topology_spread_constraints.iter().enumerate() {
            if constraint.when_unsatisfiable == Some(UnsatisfiableAction::ScheduleAnyway) {
                continue;
            }
            let topology_key = constraint.topology_key.to_string();
            let edit_constraint = |pod: &mut Pod, change: &dyn Fn(&mut TopologySpreadConstraint)| {
                change(&mut Arc::make_mut(&mut pod.spec.topology_spread_constraints)[index]);
            };
            if constraint.node_taints_policy != Some(NodeInclusionPolicy::Honor) {
                let change = Change::HonorTaints {
                    index,
                    topology_key: topology_key.clone(),
                };
                self.try_pod_edit(change, 28, &|pod| {
                    edit_constraint(pod, &|constraint| {
                        constraint.node_taints_policy = Some(NodeInclusionPolicy::Honor)
                    });
                });
            }
            let domains = self.best_template_per_domain(&constraint.topology_key, &Resources::default());
            if let Ok(to) = i32::try_from(domains.len())
                && to > 0
                && constraint.min_domains.is_some_and(|wanted| wanted > to)
            {
                let change = Change::MinDomains {
                    index,
                    topology_key: topology_key.clone(),
                    to,
                };
                self.try_pod_edit(change, 30, &|pod| {
                    edit_constraint(pod, &|constraint| constraint.min_domains = Some(to))
                });
            }
            // Try a few larger values of maxSkew; if these do not help, it is better to make the constraint soft.
            for more in 1..=8 {
                let to = constraint.max_skew.saturating_add(more);
                let change = Change::MaxSkew {
                    index,
                    topology_key: topology_key.clone(),
                    to,
                };
                self.try_pod_edit(change, 30 + i64::from(more), &|pod| {
                    edit_constraint(pod, &|constraint| constraint.max_skew = to)
                });
            }
            let change = Change::Soften { index, topology_key };
            self.try_pod_edit(change, 42, &|pod| {
                edit_constraint(pod, &|constraint| {
                    constraint.when_unsatisfiable = Some(UnsatisfiableAction::ScheduleAnyway);
                    constraint.min_domains = None;
                });
            });
        }
    }

    fn plan_rule_removals(&mut self) {
        let original = self.pod.clone();
        let mut without = |left_out: Change, change: &dyn Fn(&mut Pod)| self.try_pod_edit(left_out, 50, change);
        let mut drop = |field: String, change: &dyn Fn(&mut Pod)| without(Change::Drop { field }, change);
        let spec = &original.spec;
        for key in spec.node_selector.keys() {
            drop(format!("spec.nodeSelector[{key}]"), &|pod| {
                Arc::make_mut(&mut pod.spec.node_selector).remove(key);
            });
        }
        for index in 0..spec.topology_spread_constraints.len() {
            drop(format!("spec.topologySpreadConstraints[{index}]"), &|pod| {
                Arc::make_mut(&mut pod.spec.topology_spread_constraints).remove(index);
            });
        }
        if let Some(affinity) = &spec.affinity {
            // The node affinity of a DaemonSet's pod contains its node. Without this rule, the pod would run on another
            // node, where another pod of the set belongs.
            drop_affinity_rules(
                affinity,
                original.is_daemon() && spec.pinned_node().is_some(),
                &mut drop,
            );
        }
        let has_host_ports = spec
            .all_containers()
            .any(|container| container.ports.iter().any(|port| port.host_port.unwrap_or(0) > 0));
        if has_host_ports {
            drop("spec.containers[*].ports[*].hostPort".to_owned(), &|pod| {
                for containers in [&mut pod.spec.containers, &mut pod.spec.init_containers] {
                    for container in Arc::make_mut(containers) {
                        for port in &mut container.ports {
                            port.host_port = None;
                        }
                    }
                }
            });
        }
        let resources = spec
            .all_containers()
            .flat_map(|container| container.resources.requests.keys());
        let extended: ordered::Set<&Str> = resources.filter(|name| name.contains('/')).collect();
        for name in extended {
            let resource = name.to_string();
            without(Change::DropRequest { resource }, &|pod| {
                for containers in [&mut pod.spec.containers, &mut pod.spec.init_containers] {
                    for container in Arc::make_mut(containers) {
                        let resources = Arc::make_mut(&mut container.resources);
                        resources.requests.remove(&**name);
                        resources.limits.remove(&**name);
                    }
                }
            });
        }
    }

    fn plan_priority_changes(&mut self, classes: &[Arc<PriorityClass>]) {
        let priority = self.pod.priority();
        if self.pod.spec.preemption_policy == Some(PreemptionPolicy::Never) {
            // A pod's preemptionPolicy must equal that of its PriorityClass; admission rejects a different one.
            let mut all = classes.iter();
            let own_class = all.find(|class| class.metadata.name == self.pod.spec.priority_class_name);
            let is_of_class = own_class.is_some_and(|class| class.preemption_policy == Some(PreemptionPolicy::Never));
            if !is_of_class {
                self.try_pod_edit(Change::AllowPreemption, 60, &|pod| {
                    pod.spec.preemption_policy = Some(PreemptionPolicy::PreemptLowerPriority);
                });
                return;
            }
        }
        // The system classes are not suitable for ordinary pods.
        let is_for_pods =
            |class: &&Arc<PriorityClass>| class.value > priority && !class.metadata.name.starts_with("system-");
        let mut higher: Vec<&Arc<PriorityClass>> = classes.iter().filter(is_for_pods).collect();
        higher.stable_sort_by_key(|class| (class.value, class.metadata.name.clone()));
        for class in higher.into_iter().take(MAX_TRIALS) {
            let change = Change::Priority {
                class: class.metadata.name.to_string(),
                value: class.value,
            };
            // Admission sets the preemptionPolicy of the PriorityClass.
            let policy = class.preemption_policy.clone();
            let policy = policy.unwrap_or(PreemptionPolicy::PreemptLowerPriority);
            self.try_pod_edit(change, 61, &|pod| {
                pod.spec.priority = Some(class.value);
                pod.spec.priority_class_name = class.metadata.name.clone();
                pod.spec.preemption_policy = Some(policy.clone());
            });
        }
    }
}

/// Returns whether a taint was set by a user. Pods should not tolerate taints that the cluster sets (unreachable,
/// pressure, cordoned), and Podscope's own taint does not exist on real nodes.
fn is_user_taint(taint: &Taint) -> bool {
    let mut prefixes = ["node.kubernetes.io/", "podscope.dev/"].iter();
    !prefixes.any(|prefix| taint.key.starts_with(prefix))
}

/// Plans the removal of each required affinity rule. With `is_pinned`, the node affinity is kept, because the pod's
/// owner sets it.
fn drop_affinity_rules(affinity: &Affinity, is_pinned: bool, drop: &mut impl FnMut(String, &dyn Fn(&mut Pod))) {
    const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";
    if let Some(node) = &affinity.node_affinity
        && node.required_during_scheduling_ignored_during_execution.is_some()
        && !is_pinned
    {
        drop(format!("spec.affinity.nodeAffinity.{REQUIRED}"), &|pod| {
            if let Some(affinity) = &mut pod.spec.affinity
                && let Some(node) = &mut Arc::make_mut(affinity).node_affinity
            {
                node.required_during_scheduling_ignored_during_execution = None;
            }
        });
    }
    for (name, is_anti) in [("podAffinity", false), ("podAntiAffinity", true)] {
        let rules = if is_anti {
            &affinity.pod_anti_affinity
        } else {
            &affinity.pod_affinity
        };
        let n_terms = rules.as_ref().map_or(0, |rules| {
            rules.required_during_scheduling_ignored_during_execution.len()
        });
        for index in 0..n_terms {
            drop(format!("spec.affinity.{name}.{REQUIRED}[{index}]"), &|pod| {
                if let Some(affinity) = &mut pod.spec.affinity {
                    let affinity = Arc::make_mut(affinity);
                    let rules = if is_anti {
                        &mut affinity.pod_anti_affinity
                    } else {
                        &mut affinity.pod_affinity
                    };
                    if let Some(rules) = rules {
                        rules.required_during_scheduling_ignored_during_execution.remove(index);
                    }
                }
            });
        }
    }
}

/// Returns the only label that a node lacks to satisfy the nodeSelector and a term of the required affinity; `None` if
/// it lacks none or several.
fn single_missing_label(spec: &PodSpec, term: Option<&NodeSelectorTerm>, node: &Node) -> Option<(Str, Str)> {
    let mut missing: Option<(&Str, &str)> = None;
    for (key, value) in spec.node_selector.iter() {
        if node.metadata.label(key) != Some(value) && missing.replace((key, value)).is_some() {
            return None;
        }
    }
    if let Some(term) = term {
        if !term.match_fields.is_empty() {
            return None;
        }
        for rule in &term.match_expressions {
            if rule
                .operator
                .is_satisfied_by(node.metadata.labels.get(&rule.key), &rule.values)
            {
                continue;
            }
            let value = match &rule.operator {
                SelectorOperator::In => rule.values.first()?,
                SelectorOperator::Exists => "true",
                _ => return None,
            };
            if missing.replace((&rule.key, value)).is_some() {
                return None;
            }
        }
    }
    missing.map(|(key, value)| (key.clone(), value.into()))
}
