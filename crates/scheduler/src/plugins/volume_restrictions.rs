//! `VolumeRestrictions`: disks and claims that only one pod may use (SCH-061, SCH-062).

use podscope_api::ordered;

use podscope_api::{AccessMode, Str, Volume};

use crate::cycle::Cycle;
use crate::node_info::NodeInfo;
use crate::plugins::Plugin;
use crate::pod_info::PodInfo;
use crate::status::{Code, Status};

/// An inline disk is in use.
pub const REASON_DISK: &str = "node(s) had no available disk";
/// A claim of access mode ReadWriteOncePod is in use.
pub const REASON_CLAIM: &str =
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod";

/// ReadWriteOncePod claims of the pod, and how often others use them.
#[derive(Debug, Clone, Default)]
pub struct State {
    claims: ordered::Set<Str>,
    conflicts: i64,
}

fn is_restricted(volume: &Volume) -> bool {
    volume.gce_persistent_disk.is_some()
        || volume.aws_elastic_block_store.is_some()
        || volume.rbd.is_some()
        || volume.iscsi.is_some()
}

/// PreFilter; `None` skips.
pub fn pre_filter(cycle: &Cycle<'_>) -> Result<Option<State>, Status> {
    let pod = &cycle.incoming.info.pod;
    let mut state = State::default();
    let mut restricted = false;
    for volume in pod.spec.volumes.iter() {
        restricted |= is_restricted(volume);
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
        let user = cycle.cache.symbols.get(name).is_some_and(|name| {
            cycle
                .cache
                .claim_users
                .contains_key(&(cycle.incoming.info.namespace, name))
        });
        state.conflicts += i64::from(user);
    }
    Ok((restricted || state.conflicts > 0).then_some(state))
}

impl State {
    /// AddPod (`1`) and RemovePod (`-1`): claim names are compared without their namespace.
    pub(crate) fn update(&mut self, pod: &PodInfo, delta: i64) {
        for volume in pod.pod.spec.volumes.iter() {
            if let Some(source) = &volume.persistent_volume_claim
                && self.claims.contains(&source.claim_name)
            {
                self.conflicts += delta;
            }
        }
    }
}

/// Filter.
pub fn filter(cycle: &Cycle<'_>, state: &State, node: &NodeInfo) -> Result<(), Status> {
    for volume in cycle
        .incoming
        .info
        .pod
        .spec
        .volumes
        .iter()
        .filter(|volume| is_restricted(volume))
    {
        let used = node
            .pods
            .iter()
            .any(|pod| pod.pod.spec.volumes.iter().any(|other| conflicts(volume, other)));
        if used {
            return Err(Status::unschedulable(Plugin::VolumeRestrictions, REASON_DISK));
        }
    }
    if state.conflicts > 0 {
        return Err(Status::unschedulable(Plugin::VolumeRestrictions, REASON_CLAIM));
    }
    Ok(())
}

/// Whether two inline disks exclude each other (SCH-062).
pub(crate) fn conflicts(a: &Volume, b: &Volume) -> bool {
    let both = |a: Option<bool>, b: Option<bool>| a == Some(true) && b == Some(true);
    if let (Some(a), Some(b)) = (&a.gce_persistent_disk, &b.gce_persistent_disk)
        && a.pd_name == b.pd_name
        && !both(a.read_only, b.read_only)
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
        && !both(a.read_only, b.read_only)
    {
        return true;
    }
    if let (Some(a), Some(b)) = (&a.rbd, &b.rbd)
        && a.monitors.iter().any(|monitor| b.monitors.contains(monitor))
        && a.pool == b.pool
        && a.image == b.image
        && !both(a.read_only, b.read_only)
    {
        return true;
    }
    false
}
