//! `VolumeZone`: a volume with a zone or region label needs a node in that zone or region (SCH-069).

use podscope_api::ordered;
use podscope_api::well_known::label;
use podscope_messages::plugin as messages;

use podscope_api::{Kind, Object, VolumeBindingMode};

use super::Point::{Filter, PreFilter as AtPreFilter};
use super::location_texts::domain_text;
use super::volume_binding::{REFUSED_BY_VOLUME_PLUGIN, class_name, uses_claim};
use super::{ExtensionPoints, Plugin, PluginSpec};
use crate::cache::Cache;
use crate::cycle::{Cycle, CycleState, NodeSearch, PreFilter};
use crate::decide::Decision;
use crate::node_info::{NodeIdx, NodeInfo};
use crate::queue::events::{Event, EventKind, WaitingPod};
use crate::selector::label;
use crate::status::{Code, Status};
use crate::symbols::Symbol;

pub(super) const SPEC: PluginSpec = PluginSpec {
    events: &[
        EventKind::NodeAdd,
        EventKind::NodeLabel,
        EventKind::Add(Kind::PersistentVolumeClaim),
        EventKind::Update(Kind::PersistentVolumeClaim),
        EventKind::Add(Kind::PersistentVolume),
        EventKind::Update(Kind::PersistentVolume),
        EventKind::Add(Kind::StorageClass),
    ],
    about: Some(messages::volume_zone_about),
    refused: REFUSED_BY_VOLUME_PLUGIN,
    short: &[(REASON, messages::volume_zone_its_volume_s_zone_is_elsewhere)],
    ..PluginSpec::new("VolumeZone", &[AtPreFilter, Filter], &VolumeZone)
};

pub const REASON: &str = "node(s) had no available volume zone";

/// The zone and region labels as (symbol, name, symbol of the stable label).
const ZONE_AND_REGION_LABELS: [(Symbol, &str, Symbol); 4] = [
    (Symbol::BETA_ZONE, label::BETA_ZONE, Symbol::ZONE),
    (Symbol::BETA_REGION, label::BETA_REGION, Symbol::REGION),
    (Symbol::ZONE, label::ZONE, Symbol::ZONE),
    (Symbol::REGION, label::REGION, Symbol::REGION),
];

struct VolumeZone;

impl ExtensionPoints for VolumeZone {
    fn pre_filter(
        &self,
        search: &NodeSearch<'_>,
        cache: &mut Cache,
        state: &mut CycleState,
    ) -> Result<PreFilter, Status> {
        if search.incoming.has_volumes {
            state.zone = collect_zones(&search.cycle(cache))?;
        }
        Ok(PreFilter::run_or_skip(state.zone.is_some()))
    }

    fn filter(&self, _: &Cycle<'_>, state: &CycleState, _: NodeIdx, node: &NodeInfo) -> Result<(), Status> {
        let state = CycleState::pre_filter_state(Plugin::VolumeZone, state.zone.as_ref())?;
        if ZONE_AND_REGION_LABELS
            .iter()
            .all(|(symbol, ..)| label(&node.labels, *symbol).is_none())
        {
            return Ok(());
        }
        for (symbol, stable, values) in &state.topologies {
            let value = label(&node.labels, *symbol).or_else(|| label(&node.labels, *stable));
            if value.is_none() || !values.contains(&value) {
                return Err(Status::unresolvable(Plugin::VolumeZone, REASON));
            }
        }
        Ok(())
    }

    fn refusal_text(&self, cache: &Cache, decision: &Decision, node: NodeIdx, status: &Status) -> String {
        find_mismatch(cache, decision, node).unwrap_or_else(|| status.message(&cache.symbols))
    }

    fn queueing_hint(&self, _: &mut Cache, event: &Event<'_>, waiting: &WaitingPod<'_>) -> bool {
        match (event.old, event.new) {
            (_, Some(Object::PersistentVolumeClaim(_))) => uses_claim(&waiting.incoming.info.pod, event.new),
            (Some(Object::PersistentVolume(old)), Some(Object::PersistentVolume(new))) => ZONE_AND_REGION_LABELS
                .iter()
                .any(|(_, key, _)| old.metadata.label(key) != new.metadata.label(key)),
            (None, Some(Object::StorageClass(class))) => {
                class.volume_binding_mode == Some(VolumeBindingMode::WaitForFirstConsumer)
            }
            _ => true,
        }
    }
}

/// Returns a text about the first volume of the pod whose zone or region label does not match the node.
fn find_mismatch(cache: &Cache, decision: &Decision, node: NodeIdx) -> Option<String> {
    let pod = &decision.incoming.info.pod;
    let node = cache.node(node).node.as_ref()?;
    let volumes = pod.spec.volumes.iter().filter_map(|volume| {
        let name = &volume.persistent_volume_claim.as_ref()?.claim_name;
        let claim = cache.stores.claim(&pod.metadata.namespace, name)?;
        cache.stores.volume(&claim.spec.volume_name)
    });
    for volume in volumes {
        for (_, key, stable) in ZONE_AND_REGION_LABELS {
            let Some(zones) = volume.metadata.label(key) else {
                continue;
            };
            let own = node
                .metadata
                .label(key)
                .or_else(|| node.metadata.label(cache.symbols.text(stable)));
            if !zones.split("__").any(|zone| Some(zone.trim()) == own) {
                let name = &volume.metadata.name;
                let theirs = domain_text(key, &zones.replace("__", " or "));
                return Some(match own {
                    Some(own) => format!("is in {}, but volume {name} is in {theirs}", domain_text(key, own)),
                    None => format!("has no label {key}, and volume {name} is in {theirs}"),
                });
            }
        }
    }
    None
}

/// The zone or region labels of the pod's volumes: for each, the label, the stable label, and the accepted values.
#[derive(Debug, Clone, Default)]
pub struct State {
    topologies: Vec<(Symbol, Symbol, ordered::Set<Option<Symbol>>)>,
}

fn unresolvable_status(text: String) -> Status {
    Status::text(Plugin::VolumeZone, Code::UnschedulableAndUnresolvable, text)
}

/// Computes the state in PreFilter; returns `None` if the plugin is skipped.
fn collect_zones(cycle: &Cycle<'_>) -> Result<Option<State>, Status> {
    let pod = &cycle.incoming.info.pod;
    let stores = &cycle.cache.stores;
    let mut state = State::default();
    for volume in pod.spec.volumes.iter() {
        let Some(source) = &volume.persistent_volume_claim else {
            continue;
        };
        if source.claim_name.is_empty() {
            return Err(unresolvable_status("PersistentVolumeClaim had no name".into()));
        }
        let Some(claim) = stores.claim(&pod.metadata.namespace, &source.claim_name) else {
            return Err(unresolvable_status(format!(
                "persistentvolumeclaim \"{}\" not found",
                source.claim_name
            )));
        };
        if claim.spec.volume_name.is_empty() {
            let Some(name) = class_name(claim) else {
                return Err(unresolvable_status(
                    "PersistentVolumeClaim had no pv name and storageClass name".into(),
                ));
            };
            let Some(class) = stores.storage_class(&name) else {
                return Err(unresolvable_status(format!(
                    "storageclass.storage.k8s.io \"{name}\" not found"
                )));
            };
            match &class.volume_binding_mode {
                None => {
                    return Err(unresolvable_status(format!(
                        "VolumeBindingMode not set for StorageClass \"{name}\""
                    )));
                }
                Some(VolumeBindingMode::WaitForFirstConsumer) => continue,
                Some(_) => return Err(unresolvable_status("PersistentVolume had no name".into())),
            }
        }
        let Some(volume) = stores.volume(&claim.spec.volume_name) else {
            return Err(unresolvable_status(format!(
                "persistentvolume \"{}\" not found",
                claim.spec.volume_name
            )));
        };
        for (symbol, name, stable) in ZONE_AND_REGION_LABELS {
            let zones = |value: &str| -> Option<ordered::Set<Option<Symbol>>> {
                let mut parts = value.split("__").map(str::trim);
                // A value that was never interned is on no node; it becomes `None`, which matches nothing.
                let values = parts.clone().map(|part| cycle.cache.symbols.get(part)).collect();
                // A list that contains an empty zone is invalid and ignored.
                parts.all(|part| !part.is_empty()).then_some(values)
            };
            if let Some(values) = volume.metadata.label(name).and_then(zones) {
                state.topologies.push((symbol, stable, values));
            }
        }
    }
    Ok((!state.topologies.is_empty()).then_some(state))
}
