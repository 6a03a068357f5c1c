//! `skew-at-bind` (CT-172): when a scheduler places a pod, the pod's own DoNotSchedule constraints hold in the state
//! that the scheduler knew. The check counts pods in the scheduler's watch cache plus its placements that the cache
//! does not contain yet; it does not use the scheduler's plugin (SCH-072, SCH-075 to SCH-077).

use podscope_api::ordered;
use podscope_messages::invariant;
use podscope_messages::sentence;
use std::sync::Arc;

use podscope_api::{Node, NodeName, Object, Pod, Str, TopologySpreadConstraint, Uid};

use super::{Check, DetectedViolation, Invariant, InvariantGroup, InvariantKind, Observation, View, blame};
use crate::controllers::counts_for_spread;
use crate::world::ComponentState;
use crate::{Actor, AttemptResult, Happening, Objects, Record, Subject};

pub(super) const SKEW_AT_BIND: Invariant = Invariant {
    name: "skew-at-bind",
    fact: "CT-172",
    group: InvariantGroup::Scheduling,
    kind: InvariantKind::Safety,
    statement: invariant::skew_at_bind,
    keeper: invariant::skew_at_bind_keeper,
    breaker: invariant::skew_at_bind_breaker,
    lesson: "spread-by-zone",
};

/// Each time `assumed` has grown to a multiple of this size, the placements whose binding the scheduler's watch cache
/// contains by then are dropped.
const PLACEMENTS_BETWEEN_PRUNES: usize = 256;

/// State of the check of `skew-at-bind`: the chosen node of each placed pod whose binding the scheduler's watch cache
/// may not contain yet, by scheduler and pod UID. If the cache has a node for the pod, that one counts.
#[derive(Debug, Clone, Default)]
pub(super) struct SkewAtBind {
    assumed: ordered::Map<(Actor, Uid), NodeName>,
}

impl Check for SkewAtBind {
    fn check(&mut self, seen: &Observation<'_>, view: &View<'_>, out: &mut Vec<DetectedViolation>) {
        let Observation::Record(record) = seen else { return };
        let (Happening::Attempt { result, .. }, Some(object)) = (&record.happening, &record.object) else {
            return;
        };
        let place = (record.actor.clone(), object.uid.clone());
        let AttemptResult::Scheduled { node, .. } = result else {
            self.assumed.remove(&place);
            return;
        };
        self.check_placement(record, object, node, view, out);
        self.assumed.insert(place, node.clone());
    }
}

impl SkewAtBind {
    fn check_placement(
        &mut self,
        record: &Record,
        about: &Subject,
        node: &NodeName,
        view: &View<'_>,
        out: &mut Vec<DetectedViolation>,
    ) {
        let Some(ComponentState::Scheduler(scheduler)) =
            view.processes.get(&record.actor).map(|state| &state.component)
        else {
            return;
        };
        let known = scheduler.watch_cache();
        let drop_cached = |assumed: &mut ordered::Map<(Actor, Uid), NodeName>| {
            assumed.retain(|(actor, uid), _| {
                let cached = known.by_uid(uid);
                *actor != record.actor || matches!(cached, Some(Object::Pod(pod)) if pod.spec.node_name.is_none())
            });
        };
        if self.assumed.len() % PLACEMENTS_BETWEEN_PRUNES == PLACEMENTS_BETWEEN_PRUNES - 1 {
            drop_cached(&mut self.assumed);
        }
        let pod = known.get::<Pod>(&about.key).filter(|pod| pod.metadata.uid == about.uid);
        let Some(pod) = pod.filter(|pod| !pod.spec.topology_spread_constraints.is_empty()) else {
            return;
        };
        let Some(node) = known
            .named::<Node>(node.as_str())
            .filter(|_| scheduler.filters_by_spread(pod))
        else {
            return;
        };
        let all = pod.spec.topology_spread_constraints.iter();
        let hard: Vec<_> = all.filter(|one| one.is_do_not_schedule()).collect();
        if !hard.is_empty() {
            drop_cached(&mut self.assumed);
        }
        for constraint in &hard {
            let counts = self.pods_per_domain(&record.actor, pod, constraint, &hard, known);
            let (skew, domain) = skew_and_domain(pod, node, constraint, &counts);
            if skew <= i64::from(constraint.max_skew) {
                continue;
            }
            let (cause, by) = blame::of_component(&record.actor, "CT-172", view);
            out.push(DetectedViolation {
                corrupts: None,
                invariant: SKEW_AT_BIND.name,
                object: record.object.clone(),
                cause,
                by,
                seen: sentence!(
                    seen::skew_exceeded,
                    key = &*constraint.topology_key,
                    domain = domain.to_string(),
                    skew = skew,
                    limit = constraint.max_skew
                ),
            });
        }
    }

    /// Returns the number of matching pods per domain. Every domain with an eligible node has an entry.
    fn pods_per_domain(
        &self,
        actor: &Actor,
        pod: &Pod,
        constraint: &TopologySpreadConstraint,
        hard: &[&TopologySpreadConstraint],
        known: &Objects,
    ) -> ordered::Map<Str, i64> {
        let mut domains: ordered::Map<NodeName, Str> = ordered::Map::new();
        let keys = || hard.iter().map(|other| &other.topology_key);
        let counting = |node: &&Arc<Node>| counts_for_spread(&pod.spec, node, constraint, keys());
        for node in known.list::<Node>().filter(counting) {
            let domain = node.metadata.labels.get(&constraint.topology_key).cloned();
            domains.extend(domain.map(|domain| (NodeName(node.metadata.name.clone()), domain)));
        }
        let mut sums: ordered::Map<Str, i64> = domains.values().map(|domain| (domain.clone(), 0)).collect();
        for other in known
            .list_in::<Pod>(&pod.metadata.namespace)
            .filter(|other| is_counted_for_spread(other, constraint))
        {
            let assumed = || self.assumed.get(&(actor.clone(), other.metadata.uid.clone()));
            let place = other.spec.node_name.as_ref().or_else(assumed);
            if let Some(sum) = place
                .and_then(|node| domains.get(node))
                .and_then(|domain| sums.get_mut(domain))
            {
                *sum += 1;
            }
        }
        sums
    }
}

/// Returns whether a placed pod counts for a constraint.
fn is_counted_for_spread(pod: &Arc<Pod>, constraint: &TopologySpreadConstraint) -> bool {
    constraint.selects(&pod.metadata.labels) && !pod.metadata.is_terminating() && !pod.is_terminal()
}

/// Returns the skew after placing the pod on the node, and the node's domain (SCH-076, SCH-077).
fn skew_and_domain(
    pod: &Pod,
    node: &Node,
    constraint: &TopologySpreadConstraint,
    counts: &ordered::Map<Str, i64>,
) -> (i64, Str) {
    let domain = node
        .metadata
        .labels
        .get(&constraint.topology_key)
        .cloned()
        .unwrap_or_else(|| "".into());
    let known: ordered::Set<&Str> = counts.keys().collect();
    let wanted = usize::try_from(constraint.min_domains.unwrap_or(1)).unwrap_or(1);
    let least = if known.len() < wanted {
        0
    } else {
        counts.values().min().copied().unwrap_or(0)
    };
    // An empty selector matches the pod itself, although `is_counted_for_spread` counts no other pod for it.
    let selector = constraint.label_selector.as_ref();
    let itself = i64::from(selector.is_some_and(|selector| selector.matches(&pod.metadata.labels)));
    (counts.get(&domain).copied().unwrap_or(0) + itself - least, domain)
}

#[cfg(test)]
mod tests {
    use super::super::lab::{self, Trace};
    use super::*;
    use crate::{SimTime, World, subject};
    use podscope_api::{Kind, ObjectKey};
    use serde_json::{Value, json};

    /// Returns a pod with label `app=web` and a DoNotSchedule constraint with maxSkew 1 over zones.
    fn spread_web_pod(name: &str) -> Value {
        json!({
            "apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": name, "namespace": "default", "labels": {"app": "web"}},
            "spec": {
                "containers": [{"name": "main", "image": "web"}],
                "topologySpreadConstraints": [{
                    "maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "DoNotSchedule",
                    "labelSelector": {"matchLabels": {"app": "web"}},
                }],
            },
        })
    }

    /// Reports a placement to the checks as if the scheduler had made it.
    fn emit_placement(world: &mut World, pod: &str, node: &str, trace: &mut Trace) {
        let key = ObjectKey::new("default", pod);
        let uid = world
            .objects()
            .get::<Pod>(&key)
            .expect("the pod exists")
            .metadata
            .uid
            .clone();
        let record = Record {
            caused_by: podscope_api::CausedBy::NOTHING,
            at: world.now(),
            seq: 0,
            actor: Actor::Scheduler(0),
            happening: Happening::Attempt {
                number: 1,
                result: AttemptResult::Scheduled {
                    node: node.into(),
                    ties: 1,
                },
                feasible: 1,
                examined: 1,
            },
            object: Some(subject(Kind::Pod, key, uid)),
            container: None,
        };
        world.check(&Observation::Record(&record), trace);
    }

    /// The scheduler places pods evenly. If it placed one in the fuller zone, that would be a violation.
    /// Shows: CT-172
    #[test]
    fn placement_beyond_max_skew_is_violation() {
        let mut trace = Trace::default();
        let mut pods: Vec<Value> = ["one", "two", "three", "four"].map(spread_web_pod).to_vec();
        let mut gated = spread_web_pod("late");
        gated["spec"]["schedulingGates"] = json!([{"name": "wait"}]);
        pods.push(gated);
        let mut world = lab::world(&pods, &mut trace);
        world.run_until(SimTime::from_seconds(30), &mut trace);
        assert!(trace.violations().is_empty(), "{:?}", trace.violations());
        // There are four pods in three zones, so one zone has two pods.
        let zone_of = |name: &str| {
            let pod = world
                .objects()
                .get::<Pod>(&ObjectKey::new("default", name))
                .expect("the pod exists");
            let node = pod.spec.node_name.clone().expect("the pod is placed").to_string();
            node.split('-').next().unwrap_or_default().to_owned()
        };
        let zones = ["one", "two", "three", "four"].map(zone_of);
        let full = zones
            .iter()
            .find(|zone| zones.iter().filter(|other| other == zone).count() == 2);
        let full = format!("{}-1", full.expect("one zone has two pods"));
        let empty = zones
            .iter()
            .find(|zone| !full.starts_with(zone.as_str()))
            .map(|zone| format!("{zone}-1"));
        emit_placement(&mut world, "late", &empty.expect("there is another zone"), &mut trace);
        assert!(trace.violations().is_empty(), "{:?}", trace.violations());
        emit_placement(&mut world, "late", &full, &mut trace);
        assert_eq!(trace.violations(), ["skew-at-bind bug scheduler"]);
    }
}
