//! `VolumeRestrictions`: rejects nodes on which another pod uses a disk or a ReadWriteOncePod claim of the pod
//! (SCH-061, SCH-062).

use podscope_api::ordered;
use podscope_messages::plugin as messages;

use podscope_api::{AccessMode, Kind, Str, Volume};

use super::Point::{Filter, PreFilter as AtPreFilter};
use super::volume_binding::{REFUSED_BY_VOLUME_PLUGIN, uses_claim};
use super::{ExtensionPoints, Plugin, PluginSpec};
use crate::cache::Cache;
use crate::cycle::{Cycle, CycleState, NodeSearch, PreFilter};
use crate::decide::Decision;
use crate::node_info::{NodeIdx, NodeInfo};
use crate::pod_info::PodInfo;
use crate::queue::events::{Event, EventKind, WaitingPod};
use crate::status::{Code, Status};

pub(super) const SPEC: PluginSpec = PluginSpec {
    has_pre_filter_extensions: true,
    events: &[
        EventKind::NodeAdd,
        EventKind::PodDelete,
        EventKind::Add(Kind::PersistentVolumeClaim),
    ],
    about: Some(messages::volume_restrictions_about),
    refused: REFUSED_BY_VOLUME_PLUGIN,
    short: &[
        (REASON_DISK, messages::volume_restrictions_disk_in_use),
        (REASON_CLAIM, messages::volume_restrictions_claim_in_use),
    ],
    ..PluginSpec::new("VolumeRestrictions", &[AtPreFilter, Filter], &VolumeRestrictions)
};

/// Reason why a node is rejected: an inline disk of the pod is in use.
pub const REASON_DISK: &str = "node(s) had no available disk";
/// Reason why a node is rejected: a claim with the access mode ReadWriteOncePod is in use.
pub const REASON_CLAIM: &str =
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod";

struct VolumeRestrictions;

impl ExtensionPoints for VolumeRestrictions {
    fn pre_filter(
        &self,
        search: &NodeSearch<'_>,
        cache: &mut Cache,
        state: &mut CycleState,
    ) -> Result<PreFilter, Status> {
        if search.incoming.has_volumes {
            state.restrictions = find_restrictions(&search.cycle(cache))?;
        }
        Ok(PreFilter::run_or_skip(state.restrictions.is_some()))
    }

    /// Updates the number of uses of the ReadWriteOncePod claims. As in kube-scheduler, claim names are compared
    /// without their namespace.
    fn update_for_changed_pod(&self, _: &Cycle<'_>, state: &mut CycleState, pod: &PodInfo, _: NodeIdx, delta: i64) {
        let Some(state) = &mut state.restrictions else {
            return;
        };
        for volume in pod.pod.spec.volumes.iter() {
            if let Some(source) = &volume.persistent_volume_claim
                && state.claims.contains(&source.claim_name)
            {
                state.conflicts += delta;
            }
        }
    }

    fn filter(&self, cycle: &Cycle<'_>, state: &CycleState, _: NodeIdx, node: &NodeInfo) -> Result<(), Status> {
        let state = CycleState::pre_filter_state(Plugin::VolumeRestrictions, state.restrictions.as_ref())?;
        let volumes = &cycle.incoming.info.pod.spec.volumes;
        for volume in volumes.iter().filter(|volume| is_restricted_disk(volume)) {
            let used = node.pods.iter().any(|pod| {
                pod.pod
                    .spec
                    .volumes
                    .iter()
                    .any(|other| has_disk_conflict(volume, other))
            });
            if used {
                return Err(Status::unschedulable(Plugin::VolumeRestrictions, REASON_DISK));
            }
        }
        if state.conflicts > 0 {
            return Err(Status::unschedulable(Plugin::VolumeRestrictions, REASON_CLAIM));
        }
        Ok(())
    }

    fn refusal_text(&self, cache: &Cache, decision: &Decision, _: NodeIdx, status: &Status) -> String {
        let message = status.message(&cache.symbols);
        if message != REASON_CLAIM {
            return message;
        }
        let pod = &decision.incoming.info;
        let holder = cache.examination_order().iter().find_map(|node| {
            let node = cache.node(*node);
            let mut pods = node.pods.iter().filter(|other| other.namespace == pod.namespace);
            let shares = |other: &&std::sync::Arc<PodInfo>| {
                let mut volumes = other.pod.spec.volumes.iter();
                volumes.any(|other| pod.pod.spec.volumes.iter().any(|own| shares_claim(own, other)))
            };
            let other = pods.find(|other| shares(other))?;
            Some(format!("{message}: {} on {}", other.pod.metadata.key(), node.name))
        });
        holder.unwrap_or(message)
    }

    fn queueing_hint(&self, _: &mut Cache, event: &Event<'_>, waiting: &WaitingPod<'_>) -> bool {
        let pod = &waiting.incoming.info;
        match event.kind {
            EventKind::PodDelete => event.old_pod.as_ref().is_some_and(|other| {
                let freed = || other.pod.spec.volumes.iter();
                other.namespace == pod.namespace
                    && pod.pod.spec.volumes.iter().any(|volume| {
                        freed().any(|freed| has_disk_conflict(volume, freed) || shares_claim(volume, freed))
                    })
            }),
            EventKind::Add(_) => uses_claim(&pod.pod, event.new),
            _ => true,
        }
    }
}

fn shares_claim(a: &Volume, b: &Volume) -> bool {
    match (&a.persistent_volume_claim, &b.persistent_volume_claim) {
        (Some(a), Some(b)) => a.claim_name == b.claim_name,
        _ => false,
    }
}

/// The ReadWriteOncePod claims of the pod, and the number of uses by other pods.
#[derive(Debug, Clone, Default)]
pub struct State {
    claims: ordered::Set<Str>,
    conflicts: i64,
}

fn is_restricted_disk(volume: &Volume) -> bool {
    volume.gce_persistent_disk.is_some()
        || volume.aws_elastic_block_store.is_some()
        || volume.rbd.is_some()
        || volume.iscsi.is_some()
}

/// Computes the state in PreFilter; returns `None` if the plugin is skipped.
fn find_restrictions(cycle: &Cycle<'_>) -> Result<Option<State>, Status> {
    let pod = &cycle.incoming.info.pod;
    let mut state = State::default();
    let mut restricted = false;
    for volume in pod.spec.volumes.iter() {
        restricted |= is_restricted_disk(volume);
        let Some(source) = &volume.persistent_volume_claim else {
            continue;
        };
        let Some(claim) = cycle.cache.stores.claim(&pod.metadata.namespace, &source.claim_name) else {
            return Err(Status::text(
                Plugin::VolumeRestrictions,
                Code::UnschedulableAndUnresolvable,
                format!("persistentvolumeclaim \"{}\" not found", source.claim_name),
            ));
        };
        if claim.spec.access_modes.contains(&AccessMode::ReadWriteOncePod) {
            state.claims.insert(source.claim_name.clone());
        }
    }
    for name in &state.claims {
        state.conflicts += i64::from(cycle.cache.is_claim_used(cycle.incoming.info.namespace, name));
    }
    Ok((restricted || state.conflicts > 0).then_some(state))
}

/// Returns whether two inline disks cannot be used on the same node (SCH-062).
fn has_disk_conflict(a: &Volume, b: &Volume) -> bool {
    let both_read_only = |a: Option<bool>, b: Option<bool>| a == Some(true) && b == Some(true);
    if let (Some(a), Some(b)) = (&a.gce_persistent_disk, &b.gce_persistent_disk)
        && a.pd_name == b.pd_name
        && !both_read_only(a.read_only, b.read_only)
    {
        return true;
    }
    if let (Some(a), Some(b)) = (&a.aws_elastic_block_store, &b.aws_elastic_block_store)
        && a.volume_id == b.volume_id
    {
        return true;
    }
    if let (Some(a), Some(b)) = (&a.iscsi, &b.iscsi)
        && a.iqn == b.iqn
        && !both_read_only(a.read_only, b.read_only)
    {
        return true;
    }
    if let (Some(a), Some(b)) = (&a.rbd, &b.rbd)
        && a.monitors.iter().any(|monitor| b.monitors.contains(monitor))
        && a.pool == b.pool
        && a.image == b.image
        && !both_read_only(a.read_only, b.read_only)
    {
        return true;
    }
    false
}
