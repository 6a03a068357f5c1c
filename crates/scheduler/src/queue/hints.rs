//! Queueing hints: may this event make that pod schedulable? Asked only of the plugins that refused it
//! (SCH-120 to SCH-123).

use podscope_api::{Kind, Object, PersistentVolumeClaim, Pod, VolumeBindingMode};

use super::events::{Event, EventKind};
use crate::cache::Cache;
use crate::config::Profile;
use crate::cycle::AddedAffinity;
use crate::node_info::{Effect, NodeInfo, TaintInfo};
use crate::plugins::{Plugin, pod_topology_spread, volume_restrictions};
use crate::pod_info::{Incoming, PodInfo, TermKind};
use crate::selector::label;
use crate::symbols::Symbol;

/// What a hint may look at.
pub(crate) struct Waiting<'a> {
    pub(crate) profile: &'a Profile,
    pub(crate) added_affinity: &'a AddedAffinity,
    pub(crate) incoming: &'a Incoming,
}

/// Whether the plugin that refused the pod says: queue it again.
pub(crate) fn hint(cache: &mut Cache, plugin: Plugin, event: &Event<'_>, waiting: &Waiting<'_>) -> bool {
    use EventKind as E;
    let pod = &waiting.incoming.info;
    let is_self = event.new_pod.as_ref().is_some_and(|other| other.uid == pod.uid);
    match plugin {
        Plugin::SchedulingGates => event.kind == E::PodGatesGone && is_self,
        Plugin::NodeUnschedulable => match event.kind {
            E::NodeAdd => event.new_node.as_ref().is_some_and(|node| !node.unschedulable),
            E::NodeTaint => {
                event.old_node.as_ref().is_some_and(|node| node.unschedulable)
                    && event.new_node.as_ref().is_some_and(|node| !node.unschedulable)
            }
            E::PodToleration => {
                let taint = TaintInfo {
                    key: Symbol::UNSCHEDULABLE_TAINT,
                    value: Symbol::EMPTY,
                    effect: Effect::NoSchedule,
                };
                let tolerations = &waiting.incoming.tolerations;
                is_self && tolerations.iter().any(|toleration| toleration.tolerates(&taint))
            }
            _ => false,
        },
        Plugin::TaintToleration => match event.kind {
            E::NodeAdd | E::NodeTaint => {
                let tolerated = |node: &NodeInfo| waiting.incoming.first_untolerated(node).is_none();
                event.new_node.as_ref().is_some_and(tolerated) && !event.old_node.as_ref().is_some_and(tolerated)
            }
            E::PodToleration => is_self,
            _ => false,
        },
        Plugin::NodeAffinity => match event.kind {
            E::NodeAdd | E::NodeLabel => {
                let added = &waiting.added_affinity.required;
                let matches = |node: &NodeInfo| {
                    added.as_ref().is_none_or(|added| added.matches(&cache.symbols, node))
                        && waiting.incoming.required.matches(&cache.symbols, node)
                };
                event.new_node.as_ref().is_some_and(matches) && !event.old_node.as_ref().is_some_and(matches)
            }
            E::NodeTaint => true,
            _ => false,
        },
        Plugin::NodeName | Plugin::DynamicResources if matches!(event.kind, E::NodeAdd | E::NodeTaint) => true,
        Plugin::DynamicResources => matches!(event.kind, E::NodeLabel | E::NodeAllocatable),
        Plugin::NodePorts => match event.kind {
            E::NodeAdd | E::NodeTaint => true,
            E::PodDelete => gone(event).is_some_and(|other| {
                other
                    .ports
                    .iter()
                    .any(|freed| pod.ports.iter().any(|port| port.conflicts(freed)))
            }),
            _ => false,
        },
        Plugin::NodeResourcesFit => fit(event, pod, is_self),
        Plugin::VolumeRestrictions => match event.kind {
            E::NodeAdd | E::NodeTaint => true,
            E::PodDelete => event.old_pod.as_ref().is_some_and(|other| {
                other.namespace == pod.namespace
                    && pod.pod.spec.volumes.iter().any(|volume| {
                        other.pod.spec.volumes.iter().any(|freed| {
                            volume_restrictions::conflicts(volume, freed)
                                || volume.persistent_volume_claim.is_some()
                                    && volume.persistent_volume_claim.as_ref().map(|claim| &claim.claim_name)
                                        == freed.persistent_volume_claim.as_ref().map(|claim| &claim.claim_name)
                        })
                    })
            }),
            E::Add(Kind::PersistentVolumeClaim) => uses_claim(&pod.pod, event.new),
            _ => false,
        },
        Plugin::NodeVolumeLimits => volume_limits(event, pod),
        Plugin::VolumeBinding => volume_binding(event, pod),
        Plugin::VolumeZone => match event.kind {
            E::NodeAdd | E::NodeLabel | E::NodeTaint | E::Add(Kind::PersistentVolume) => true,
            E::Add(Kind::PersistentVolumeClaim) | E::Update(Kind::PersistentVolumeClaim) => {
                uses_claim(&pod.pod, event.new)
            }
            E::Update(Kind::PersistentVolume) => zone_labels(event.old) != zone_labels(event.new),
            E::Add(Kind::StorageClass) => matches!(
                event.new,
                Some(Object::StorageClass(class))
                    if class.volume_binding_mode == Some(VolumeBindingMode::WaitForFirstConsumer)
            ),
            _ => false,
        },
        Plugin::PodTopologySpread => spread(cache, event, waiting, is_self),
        Plugin::InterPodAffinity => inter_pod_affinity(cache, event, pod),
        _ => false,
    }
}

/// The pod of a deletion, if it used or reserved a node.
fn gone<'a>(event: &'a Event<'_>) -> Option<&'a PodInfo> {
    event
        .old_pod
        .as_ref()
        .filter(|pod| pod.pod.spec.node_name.is_some() || !pod.pod.status.nominated_node_name.is_empty())
}

fn fits_empty(node: &NodeInfo, pod: &PodInfo) -> bool {
    let (want, have) = (&pod.requests.requests, &node.allocatable);
    node.allowed_pods >= 1
        && want.cpu <= have.cpu.max(0)
        && want.memory <= have.memory.max(0)
        && want.ephemeral <= have.ephemeral.max(0)
        && want
            .scalars
            .iter()
            .all(|(name, amount)| *amount <= have.scalar(*name).unwrap_or(0))
}

fn fit(event: &Event<'_>, pod: &PodInfo, is_self: bool) -> bool {
    match event.kind {
        EventKind::PodDelete => gone(event).is_some(),
        EventKind::PodScaleDown if is_self => true,
        EventKind::PodScaleDown => match (&event.old_pod, &event.new_pod) {
            (Some(old), Some(new)) if new.pod.spec.node_name.is_some() => {
                let (old, new, want) = (&old.requests.requests, &new.requests.requests, &pod.requests.requests);
                (want.cpu > 0 && new.cpu < old.cpu)
                    || (want.memory > 0 && new.memory < old.memory)
                    || (want.ephemeral > 0 && new.ephemeral < old.ephemeral)
                    || want.scalars.iter().any(|(name, amount)| {
                        *amount > 0 && new.scalar(*name).unwrap_or(0) < old.scalar(*name).unwrap_or(0)
                    })
            }
            _ => false,
        },
        EventKind::NodeAdd => event.new_node.as_ref().is_some_and(|node| fits_empty(node, pod)),
        EventKind::NodeAllocatable => match (&event.old_node, &event.new_node) {
            (Some(old), Some(new)) => {
                let want = &pod.requests.requests;
                let (before, after) = (&old.allocatable, &new.allocatable);
                fits_empty(new, pod)
                    && (new.allowed_pods > old.allowed_pods
                        || (want.cpu > 0 && after.cpu > before.cpu)
                        || (want.memory > 0 && after.memory > before.memory)
                        || (want.ephemeral > 0 && after.ephemeral > before.ephemeral)
                        || want.scalars.iter().any(|(name, amount)| {
                            *amount > 0 && after.scalar(*name).unwrap_or(0) > before.scalar(*name).unwrap_or(0)
                        }))
            }
            _ => false,
        },
        EventKind::NodeTaint => true,
        _ => false,
    }
}

fn uses_claim(pod: &Pod, claim: Option<&Object>) -> bool {
    let Some(Object::PersistentVolumeClaim(claim)) = claim else {
        return false;
    };
    let used = |claim: &PersistentVolumeClaim| {
        pod.spec.volumes.iter().any(|volume| {
            volume
                .persistent_volume_claim
                .as_ref()
                .is_some_and(|source| source.claim_name == claim.metadata.name)
                || volume.ephemeral.is_some()
                    && *claim.metadata.name == *format!("{}-{}", pod.metadata.name, volume.name)
        })
    };
    claim.metadata.namespace == pod.metadata.namespace && used(claim)
}

fn has_claims(pod: &Pod) -> bool {
    pod.spec
        .volumes
        .iter()
        .any(|volume| volume.persistent_volume_claim.is_some() || volume.ephemeral.is_some())
}

fn volume_limits(event: &Event<'_>, pod: &PodInfo) -> bool {
    match event.kind {
        EventKind::Add(Kind::CsiNode) => true,
        EventKind::Update(Kind::CsiNode) => match (event.old, event.new) {
            (Some(Object::CsiNode(old)), Some(Object::CsiNode(new))) => new.spec.drivers.iter().any(|driver| {
                let count =
                    |driver: &podscope_api::CsiNodeDriver| driver.allocatable.as_ref().and_then(|limit| limit.count);
                let before = old
                    .spec
                    .drivers
                    .iter()
                    .find(|known| known.name == driver.name)
                    .and_then(count);
                count(driver).is_some_and(|after| after > before.unwrap_or(0))
            }),
            _ => false,
        },
        EventKind::PodDelete => gone(event).is_some_and(|other| has_claims(&other.pod)),
        EventKind::Add(Kind::PersistentVolumeClaim) => uses_claim(&pod.pod, event.new),
        EventKind::Delete(Kind::VolumeAttachment) => has_claims(&pod.pod),
        _ => false,
    }
}

fn volume_binding(event: &Event<'_>, pod: &PodInfo) -> bool {
    use EventKind::{Add, Update};
    const MIGRATED: &str = "storage.alpha.kubernetes.io/migrated-plugins";
    match (event.kind, event.old, event.new) {
        (EventKind::NodeAdd | EventKind::NodeLabel | EventKind::NodeTaint, ..) => true,
        (Add(Kind::PersistentVolume | Kind::StorageClass | Kind::CsiNode | Kind::CsiStorageCapacity), ..)
        | (Update(Kind::PersistentVolume), ..) => true,
        (Add(Kind::PersistentVolumeClaim) | Update(Kind::PersistentVolumeClaim), _, new) => uses_claim(&pod.pod, new),
        (_, Some(Object::StorageClass(old)), Some(Object::StorageClass(new))) => {
            old.allowed_topologies != new.allowed_topologies
        }
        (_, Some(Object::CsiNode(old)), Some(Object::CsiNode(new))) => {
            old.metadata.annotation(MIGRATED) != new.metadata.annotation(MIGRATED)
        }
        (_, Some(Object::CsiDriver(old)), Some(Object::CsiDriver(new))) => {
            old.spec.storage_capacity == Some(true) && new.spec.storage_capacity != Some(true)
        }
        (_, Some(Object::CsiStorageCapacity(old)), Some(Object::CsiStorageCapacity(new))) => {
            let limit =
                |capacity: &podscope_api::CsiStorageCapacity| capacity.maximum_volume_size.or(capacity.capacity);
            limit(new) > limit(old)
        }
        _ => false,
    }
}

fn zone_labels(volume: Option<&Object>) -> [Option<&str>; 4] {
    let Some(Object::PersistentVolume(volume)) = volume else {
        return [None; 4];
    };
    [
        "failure-domain.beta.kubernetes.io/zone",
        "failure-domain.beta.kubernetes.io/region",
        "topology.kubernetes.io/zone",
        "topology.kubernetes.io/region",
    ]
    .map(|key| volume.metadata.label(key))
}

fn spread(cache: &mut Cache, event: &Event<'_>, waiting: &Waiting<'_>, is_self: bool) -> bool {
    use EventKind as E;
    let relevant = matches!(
        event.kind,
        E::PodAdd
            | E::PodDelete
            | E::PodLabel
            | E::PodToleration
            | E::NodeAdd
            | E::NodeDelete
            | E::NodeLabel
            | E::NodeTaint
    );
    if !relevant {
        return false;
    }
    let Ok(constraints) = pod_topology_spread::constraints(cache, waiting.profile, waiting.incoming, true) else {
        // A hint that fails queues.
        return true;
    };
    let own = &waiting.incoming.info;
    if let Some(other) = event.new_pod.as_ref().or(event.old_pod.as_ref()) {
        let involved = other.uid == own.uid || (other.pod.spec.node_name.is_some() && other.namespace == own.namespace);
        if !involved {
            return false;
        }
        let matches = |pod: &PodInfo| -> Vec<bool> {
            let matches = constraints
                .iter()
                .map(|constraint| constraint.selector.matches(&pod.labels));
            matches.collect()
        };
        return match (&event.old_pod, &event.new_pod) {
            (Some(old), Some(new)) => {
                let honors = constraints.iter().any(|constraint| constraint.honor_taints);
                (is_self && honors && old.pod.spec.tolerations != new.pod.spec.tolerations)
                    || matches(old) != matches(new)
            }
            (Some(one), None) | (None, Some(one)) => matches(one).contains(&true),
            (None, None) => false,
        };
    }
    let has_keys = |node: &NodeInfo| {
        constraints
            .iter()
            .all(|constraint| label(&node.labels, constraint.key_symbol).is_some())
    };
    match (&event.old_node, &event.new_node) {
        (Some(old), Some(new)) => {
            let value_changed = constraints.iter().any(|constraint| {
                label(&old.labels, constraint.key_symbol) != label(&new.labels, constraint.key_symbol)
            });
            has_keys(old) != has_keys(new) || (has_keys(new) && (value_changed || old.taints != new.taints))
        }
        (Some(one), None) | (None, Some(one)) => has_keys(one),
        (None, None) => false,
    }
}

fn inter_pod_affinity(cache: &Cache, event: &Event<'_>, own: &PodInfo) -> bool {
    use EventKind as E;
    // Selectors of namespaces are read on no labels here (SCH-123).
    let all = |kind: TermKind, pod: &PodInfo| {
        let mut any = false;
        let all = own.terms_where(|known| known == kind).all(|term| {
            any = true;
            term.pods.matches(pod.namespace, &[], &pod.labels)
        });
        any && all
    };
    let bound = |pod: &Option<PodInfo>| pod.as_ref().is_none_or(|pod| pod.pod.spec.node_name.is_some());
    match event.kind {
        E::PodAdd | E::PodDelete | E::PodLabel => {
            if !bound(&event.old_pod) || !bound(&event.new_pod) {
                return false;
            }
            match (&event.old_pod, &event.new_pod) {
                (Some(old), Some(new)) => {
                    (!all(TermKind::Affinity, old) && all(TermKind::Affinity, new))
                        || (all(TermKind::AntiAffinity, old) && !all(TermKind::AntiAffinity, new))
                }
                (None, Some(new)) => all(TermKind::Affinity, new),
                (Some(old), None) => all(TermKind::AntiAffinity, old),
                (None, None) => false,
            }
        }
        E::NodeAdd => own
            .terms_where(|kind| matches!(kind, TermKind::Affinity | TermKind::AntiAffinity))
            .any(|term| {
                let key = cache.topology.key(term.key).symbol;
                let has_key = event
                    .new_node
                    .as_ref()
                    .is_some_and(|node| label(&node.labels, key).is_some());
                term.kind == TermKind::AntiAffinity || has_key
            }),
        E::NodeLabel => {
            let (Some(old), Some(new)) = (&event.old_node, &event.new_node) else {
                return false;
            };
            own.terms_where(|kind| matches!(kind, TermKind::Affinity | TermKind::AntiAffinity))
                .any(|term| {
                    let key = cache.topology.key(term.key).symbol;
                    match (label(&old.labels, key), label(&new.labels, key), term.kind) {
                        (Some(before), Some(after), _) => before != after,
                        (None, Some(_), TermKind::Affinity) | (Some(_), None, TermKind::AntiAffinity) => true,
                        _ => false,
                    }
                })
        }
        E::NodeTaint => true,
        _ => false,
    }
}
