//! `VolumeZone`: a volume labelled with a zone or region needs a node of it (SCH-069).

use podscope_api::ordered;

use podscope_api::{Kind, Object, VolumeBindingMode};

use super::Point::{Filter, PreFilter as AtPreFilter};
use super::places::place;
use super::volume_binding::{CANNOT_SERVE, class_name, uses_claim};
use super::{ExtensionPoints, Plugin, PluginSpec};
use crate::cache::Cache;
use crate::cycle::{Cycle, CycleState, PreFilter, Search};
use crate::decide::Decision;
use crate::node_info::{NodeIdx, NodeInfo};
use crate::queue::events::{Event, EventKind, Waiting};
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
    about: "volumes and nodes of one zone",
    refused: CANNOT_SERVE,
    short: &[(REASON, "its volume's zone is elsewhere")],
    ..PluginSpec::new("VolumeZone", &[AtPreFilter, Filter], &VolumeZone)
};

pub const REASON: &str = "node(s) had no available volume zone";

/// Labels that name a zone or region, with the one that replaced the beta ones.
const LABELS: [(Symbol, &str, Symbol); 4] = [
    (
        Symbol::BETA_ZONE,
        "failure-domain.beta.kubernetes.io/zone",
        Symbol::ZONE,
    ),
    (
        Symbol::BETA_REGION,
        "failure-domain.beta.kubernetes.io/region",
        Symbol::REGION,
    ),
    (Symbol::ZONE, "topology.kubernetes.io/zone", Symbol::ZONE),
    (Symbol::REGION, "topology.kubernetes.io/region", Symbol::REGION),
];

struct VolumeZone;

impl ExtensionPoints for VolumeZone {
    fn pre_filter(&self, search: &Search<'_>, cache: &mut Cache, state: &mut CycleState) -> Result<PreFilter, Status> {
        if search.incoming.has_volumes {
            state.zone = zones(&search.cycle(cache))?;
        }
        Ok(PreFilter::run_if(state.zone.is_some()))
    }

    fn filter(&self, _: &Cycle<'_>, state: &CycleState, _: NodeIdx, node: &NodeInfo) -> Result<(), Status> {
        let state = CycleState::kept(Plugin::VolumeZone, state.zone.as_ref())?;
        if LABELS.iter().all(|(symbol, ..)| label(&node.labels, *symbol).is_none()) {
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

    fn refusal(&self, cache: &Cache, decision: &Decision, node: NodeIdx, status: &Status) -> String {
        elsewhere(cache, decision, node).unwrap_or_else(|| status.message(&cache.symbols))
    }

    fn hint(&self, _: &mut Cache, event: &Event<'_>, waiting: &Waiting<'_>) -> bool {
        match (event.old, event.new) {
            (_, Some(Object::PersistentVolumeClaim(_))) => uses_claim(&waiting.incoming.info.pod, event.new),
            (Some(Object::PersistentVolume(old)), Some(Object::PersistentVolume(new))) => LABELS
                .iter()
                .any(|(_, key, _)| old.metadata.label(key) != new.metadata.label(key)),
            (None, Some(Object::StorageClass(class))) => {
                class.volume_binding_mode == Some(VolumeBindingMode::WaitForFirstConsumer)
            }
            _ => true,
        }
    }
}

/// The first volume of the pod that is labelled with another place than the node, and where it is.
fn elsewhere(cache: &Cache, decision: &Decision, node: NodeIdx) -> Option<String> {
    let pod = &decision.incoming.info.pod;
    let node = cache.node(node).node.as_ref()?;
    let volumes = pod.spec.volumes.iter().filter_map(|volume| {
        let name = &volume.persistent_volume_claim.as_ref()?.claim_name;
        let claim = cache.stores.claim(&pod.metadata.namespace, name)?;
        cache.stores.volume(&claim.spec.volume_name)
    });
    for volume in volumes {
        for (_, key, stable) in LABELS {
            let Some(places) = volume.metadata.label(key) else {
                continue;
            };
            let own = node
                .metadata
                .label(key)
                .or_else(|| node.metadata.label(cache.symbols.text(stable)));
            if !places.split("__").any(|place| Some(place.trim()) == own) {
                let name = &volume.metadata.name;
                let theirs = place(key, &places.replace("__", " or "));
                return Some(match own {
                    Some(own) => format!("is in {}, but volume {name} is in {theirs}", place(key, own)),
                    None => format!("has no label {key}, and volume {name} is in {theirs}"),
                });
            }
        }
    }
    None
}

/// For each zone label of each volume: the label, its replacement, and the values that do.
#[derive(Debug, Clone, Default)]
pub struct State {
    topologies: Vec<(Symbol, Symbol, ordered::Set<Option<Symbol>>)>,
}

fn refuse(text: String) -> Status {
    Status::text(Plugin::VolumeZone, Code::UnschedulableAndUnresolvable, text)
}

/// What PreFilter finds; `None` skips.
fn zones(cycle: &Cycle<'_>) -> Result<Option<State>, Status> {
    let pod = &cycle.incoming.info.pod;
    let stores = &cycle.cache.stores;
    let mut state = State::default();
    for volume in pod.spec.volumes.iter() {
        let Some(source) = &volume.persistent_volume_claim else {
            continue;
        };
        if source.claim_name.is_empty() {
            return Err(refuse("PersistentVolumeClaim had no name".into()));
        }
        let Some(claim) = stores.claim(&pod.metadata.namespace, &source.claim_name) else {
            return Err(refuse(format!(
                "persistentvolumeclaim \"{}\" not found",
                source.claim_name
            )));
        };
        if claim.spec.volume_name.is_empty() {
            let Some(name) = class_name(claim) else {
                return Err(refuse(
                    "PersistentVolumeClaim had no pv name and storageClass name".into(),
                ));
            };
            let Some(class) = stores.storage_class(&name) else {
                return Err(refuse(format!("storageclass.storage.k8s.io \"{name}\" not found")));
            };
            match &class.volume_binding_mode {
                None => return Err(refuse(format!("VolumeBindingMode not set for StorageClass \"{name}\""))),
                Some(VolumeBindingMode::WaitForFirstConsumer) => continue,
                Some(_) => return Err(refuse("PersistentVolume had no name".into())),
            }
        }
        let Some(volume) = stores.volume(&claim.spec.volume_name) else {
            return Err(refuse(format!(
                "persistentvolume \"{}\" not found",
                claim.spec.volume_name
            )));
        };
        for (symbol, name, stable) in LABELS {
            let zones = |value: &str| -> Option<ordered::Set<Option<Symbol>>> {
                let mut parts = value.split("__").map(str::trim);
                // A value no node has was never interned: it stays None and matches nothing.
                let values = parts.clone().map(|part| cycle.cache.symbols.get(part)).collect();
                // A list with an empty zone in it cannot be read, and counts for nothing.
                parts.all(|part| !part.is_empty()).then_some(values)
            };
            if let Some(values) = volume.metadata.label(name).and_then(zones) {
                state.topologies.push((symbol, stable, values));
            }
        }
    }
    Ok((!state.topologies.is_empty()).then_some(state))
}
