//! `NodeVolumeLimits`: limits the number of volumes of a CSI driver on a node (SCH-063).

use podscope_api::ordered;
use podscope_messages::plugin as messages;

use podscope_api::{CsiNode, Kind, Object, PersistentVolume, PersistentVolumeClaim, Pod, Str, Volume};

use super::Point::{Filter, PreFilter as AtPreFilter};
use super::csi_translation::{self, CsiMigration};
use super::volume_binding::{
    MIGRATED_PLUGINS, REFUSED_BY_VOLUME_PLUGIN, class_name, ephemeral_claim_name, is_owned_by, uses_claim,
};
use super::{ExtensionPoints, Plugin, PluginSpec};
use crate::cache::Cache;
use crate::cycle::{Cycle, CycleState, NodeSearch, PreFilter};
use crate::decide::Decision;
use crate::node_info::{NodeIdx, NodeInfo};
use crate::queue::events::{Event, EventKind, WaitingPod};
use crate::status::{Code, Status};
use crate::stores::Stores;

pub(super) const SPEC: PluginSpec = PluginSpec {
    events: &[
        EventKind::Add(Kind::CsiNode),
        EventKind::Update(Kind::CsiNode),
        EventKind::PodDelete,
        EventKind::Add(Kind::PersistentVolumeClaim),
        EventKind::Delete(Kind::VolumeAttachment),
    ],
    about: Some(messages::node_volume_limits_about),
    refused: REFUSED_BY_VOLUME_PLUGIN,
    short: &[(REASON, messages::node_volume_limits_too_many_volumes)],
    ..PluginSpec::new("NodeVolumeLimits", &[AtPreFilter, Filter], &NodeVolumeLimits)
};

pub const REASON: &str = "node(s) exceed max volume count";

struct NodeVolumeLimits;

impl ExtensionPoints for NodeVolumeLimits {
    fn pre_filter(&self, search: &NodeSearch<'_>, _: &mut Cache, _: &mut CycleState) -> Result<PreFilter, Status> {
        let counts = |volume: &Volume| {
            volume.persistent_volume_claim.is_some()
                || volume.ephemeral.is_some()
                || csi_translation::migrated_disk_of_inline_volume(volume).is_some()
        };
        Ok(PreFilter::run_or_skip(
            search.incoming.info.pod.spec.volumes.iter().any(counts),
        ))
    }

    fn filter(&self, cycle: &Cycle<'_>, _: &CycleState, _: NodeIdx, node: &NodeInfo) -> Result<(), Status> {
        match find_exceeded_limit(&cycle.cache.stores, &cycle.incoming.info.pod, node)? {
            Some(_) => Err(Status::unschedulable(Plugin::NodeVolumeLimits, REASON)),
            None => Ok(()),
        }
    }

    fn refusal_text(&self, cache: &Cache, decision: &Decision, node: NodeIdx, status: &Status) -> String {
        let message = status.message(&cache.symbols);
        match find_exceeded_limit(&cache.stores, &decision.incoming.info.pod, cache.node(node)) {
            Ok(Some(over)) => format!(
                "{message}: {} of {} volumes of {} are attached, and the pod brings {} more",
                over.used, over.limit, over.driver, over.new
            ),
            _ => message,
        }
    }

    fn queueing_hint(&self, _: &mut Cache, event: &Event<'_>, waiting: &WaitingPod<'_>) -> bool {
        let pod = &waiting.incoming.info.pod;
        match (event.kind, event.old, event.new) {
            (EventKind::Update(_), Some(Object::CsiNode(old)), Some(Object::CsiNode(new))) => raises_limit(old, new),
            (EventKind::PodDelete, ..) => event.deleted_pod().is_some_and(|other| has_claims(&other.pod)),
            (EventKind::Add(Kind::PersistentVolumeClaim), _, claim) => uses_claim(pod, claim),
            (EventKind::Delete(_), ..) => has_claims(pod),
            _ => true,
        }
    }
}

fn has_claims(pod: &Pod) -> bool {
    let has_claim = |volume: &Volume| volume.persistent_volume_claim.is_some() || volume.ephemeral.is_some();
    pod.spec.volumes.iter().any(has_claim)
}

fn driver_volume_limit(csi_node: &CsiNode, driver: &Str) -> Option<i32> {
    let known = csi_node.spec.drivers.iter().find(|known| known.name == *driver)?;
    known.allocatable.as_ref()?.count
}

fn raises_limit(old: &CsiNode, new: &CsiNode) -> bool {
    new.spec.drivers.iter().any(|driver| {
        let before = driver_volume_limit(old, &driver.name).unwrap_or(0);
        driver_volume_limit(new, &driver.name).is_some_and(|after| after > before)
    })
}

/// Returns whether the in-tree disk is migrated to a CSI driver on the node. Only Portworx requires the annotation of
/// the CSINode.
fn is_migrated(csi_node: Option<&CsiNode>, migration: &CsiMigration) -> bool {
    let Some(csi_node) = csi_node else {
        return false;
    };
    let lists = |list: &str| list.split(',').any(|entry| entry == migration.plugin);
    !migration.requires_annotation || csi_node.metadata.annotation(MIGRATED_PLUGINS).is_some_and(lists)
}

fn migrated_driver_and_handle(
    csi_node: Option<&CsiNode>,
    disk: Option<(&CsiMigration, String)>,
) -> Option<(Str, String)> {
    let (migration, handle) = disk.filter(|(migration, _)| is_migrated(csi_node, migration))?;
    Some((migration.driver.into(), handle))
}

/// Returns the driver and the volume handle of a claim's volume, if a CSI driver attaches it.
fn driver_and_handle_of_claim(
    stores: &Stores,
    csi_node: Option<&CsiNode>,
    claim: &PersistentVolumeClaim,
) -> Option<(Str, String)> {
    if !claim.spec.volume_name.is_empty()
        && let Some(volume) = stores.volume(&claim.spec.volume_name)
    {
        return driver_and_handle_of_volume(csi_node, volume);
    }
    let class = stores.storage_class(&class_name(claim)?)?;
    let driver: Str = match csi_translation::migration_of_provisioner(&class.provisioner) {
        None => class.provisioner.clone(),
        Some(migration) if is_migrated(csi_node, migration) => migration.driver.into(),
        Some(_) => return None,
    };
    Some((driver, format!("unbound-{}", claim.metadata.key())))
}

fn driver_and_handle_of_volume(csi_node: Option<&CsiNode>, volume: &PersistentVolume) -> Option<(Str, String)> {
    match &volume.spec.csi {
        Some(csi) => Some((csi.driver.clone(), csi.volume_handle.to_string())),
        None => migrated_driver_and_handle(csi_node, csi_translation::migrated_disk_of_volume(volume)),
    }
}

/// A set of volumes as `(driver, handle)`; a volume that several pods share is counted once.
type VolumeSet = ordered::Map<(Str, String), ()>;

/// Adds the CSI volumes of a pod to `into`. `is_incoming` tells whether the pod is the incoming one, for which a
/// missing claim is an error.
fn collect_volumes(
    stores: &Stores,
    csi_node: Option<&CsiNode>,
    pod: &Pod,
    is_incoming: bool,
    into: &mut VolumeSet,
) -> Result<(), Status> {
    let namespace = &pod.metadata.namespace;
    for volume in pod.spec.volumes.iter() {
        let (name, is_ephemeral) = if let Some(source) = &volume.persistent_volume_claim {
            (source.claim_name.clone(), false)
        } else if volume.ephemeral.is_some() {
            (ephemeral_claim_name(pod, volume), true)
        } else {
            if let Some(found) =
                migrated_driver_and_handle(csi_node, csi_translation::migrated_disk_of_inline_volume(volume))
            {
                into.insert(found, ());
            }
            continue;
        };
        let Some(claim) = stores.claim(namespace, &name) else {
            if is_incoming {
                let text = format!("looking up PVC {namespace}/{name}: persistentvolumeclaim \"{name}\" not found");
                let code = Code::UnschedulableAndUnresolvable;
                return Err(Status::text(Plugin::NodeVolumeLimits, code, text));
            }
            // If the claim of a placed pod does not exist, its volume is unknown and not counted.
            continue;
        };
        if is_ephemeral && !is_owned_by(claim, pod) {
            // A claim that its pod does not own fails the cycle, even if that pod is already placed.
            return Err(Status::text(
                Plugin::NodeVolumeLimits,
                Code::Error,
                not_owner_text(claim, pod),
            ));
        }
        if let Some(found) = driver_and_handle_of_claim(stores, csi_node, claim) {
            into.insert(found, ());
        }
    }
    Ok(())
}

/// Returns the error text for the claim of an ephemeral volume that the pod does not own (SCH-064).
pub(crate) fn not_owner_text(claim: &PersistentVolumeClaim, pod: &Pod) -> String {
    format!(
        "PVC {} was not created for pod {} (pod is not owner)",
        claim.metadata.key(),
        pod.metadata.key()
    )
}

/// A CSI driver whose volume limit on a node would be exceeded.
struct ExceededLimit {
    driver: Str,
    used: usize,
    new: usize,
    limit: i32,
}

fn find_exceeded_limit(stores: &Stores, pod: &Pod, node: &NodeInfo) -> Result<Option<ExceededLimit>, Status> {
    let csi_node = stores.csi_node(&node.name).map(|csi_node| &**csi_node);
    let mut new = VolumeSet::new();
    collect_volumes(stores, csi_node, pod, true, &mut new)?;
    let has_limits = |csi_node: &&CsiNode| {
        let mut counts = csi_node.spec.drivers.iter().map(|driver| driver.allocatable.as_ref());
        counts.any(|allocatable| allocatable.is_some_and(|allocatable| allocatable.count.is_some()))
    };
    let Some(csi_node) = csi_node.filter(has_limits).filter(|_| !new.is_empty()) else {
        return Ok(None);
    };
    let mut used = VolumeSet::new();
    for pod in &node.pods {
        collect_volumes(stores, Some(csi_node), &pod.pod, false, &mut used)?;
    }
    for volume in used.keys() {
        new.remove(volume);
    }
    for attachment in stores.attachments.values() {
        if attachment.spec.node_name.0 == node.name
            && let Some(name) = &attachment.spec.source.persistent_volume_name
            && let Some(volume) = stores.volume(name)
            && let Some(csi) = &volume.spec.csi
        {
            // As in kube-scheduler, only attachments of CSI volumes are counted; the attacher counts as the driver.
            let attacher = attachment.spec.attacher.clone();
            used.insert((attacher, csi.volume_handle.to_string()), ());
        }
    }
    let mut drivers: Vec<&Str> = new.keys().map(|(driver, _)| driver).collect();
    drivers.dedup();
    for driver in drivers {
        let count = |volumes: &VolumeSet| volumes.keys().filter(|(known, _)| known == driver).count();
        if let Some(limit) = driver_volume_limit(csi_node, driver)
            && (count(&used) + count(&new)) as i64 > i64::from(limit)
        {
            return Ok(Some(ExceededLimit {
                driver: driver.clone(),
                used: count(&used),
                new: count(&new),
                limit,
            }));
        }
    }
    Ok(None)
}
