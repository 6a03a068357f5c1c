//! `VolumeBinding`: bound volumes must be reachable from the node; unbound claims must be bindable or provisionable
//! there (SCH-064 to SCH-070).

use podscope_api::ordered::StableSort as _;
use podscope_api::well_known::{annotation, provisioner};
use podscope_messages::{Message, plugin as messages};
use std::sync::Arc;

use podscope_api::{
    ClaimPhase, Kind, Object, ObjectReference, PersistentVolume, PersistentVolumeClaim, Pod, Quantity, Str, Volume,
    VolumeBindingMode, VolumeNodeAffinity, VolumePhase,
};

use super::Point::{Filter, PreBind, PreFilter as AtPreFilter, PreScore, Reserve, Score};
use super::csi_translation;
use super::location_texts::location_text;
use super::node_volume_limits::not_owner_text;
use super::{ExtensionPoints, Plugin, PluginSpec};
use crate::cache::Cache;
use crate::config::{Args, Errors, Fields};
use crate::cycle::{Cycle, CycleState, NodeSearch, PreFilter};
use crate::decide::Decision;
use crate::node_info::{NodeIdx, NodeInfo};
use crate::queue::events::{Event, EventKind, WaitingPod};
use crate::status::{Code, Reason, Reasons, Status};
use crate::stores::Stores;

pub(super) const SPEC: PluginSpec = PluginSpec {
    weight: 1,
    events: &[
        EventKind::NodeAdd,
        EventKind::NodeLabel,
        EventKind::Add(Kind::PersistentVolume),
        EventKind::Update(Kind::PersistentVolume),
        EventKind::Add(Kind::PersistentVolumeClaim),
        EventKind::Update(Kind::PersistentVolumeClaim),
        EventKind::Add(Kind::StorageClass),
        EventKind::Update(Kind::StorageClass),
        EventKind::Add(Kind::CsiNode),
        EventKind::Update(Kind::CsiNode),
        EventKind::Update(Kind::CsiDriver),
        EventKind::Add(Kind::CsiStorageCapacity),
        EventKind::Update(Kind::CsiStorageCapacity),
    ],
    about: Some(messages::volume_binding_about),
    refused: REFUSED_BY_VOLUME_PLUGIN,
    short: &[
        (REASON_NODE, messages::volume_binding_its_volume_is_elsewhere),
        (REASON_BIND, messages::volume_binding_no_volume_to_bind),
        (REASON_SPACE, messages::volume_binding_no_free_storage),
        (REASON_LOST, messages::volume_binding_its_volume_is_lost),
        (REASON_IMMEDIATE, messages::volume_binding_unbound_claims),
    ],
    ..PluginSpec::new(
        "VolumeBinding",
        &[AtPreFilter, Filter, PreScore, Score, Reserve, PreBind],
        &VolumeBinding,
    )
};

/// Text that follows the number of nodes that a volume plugin rejected (see [`PluginSpec::refused`]).
pub(super) const REFUSED_BY_VOLUME_PLUGIN: Message = messages::volumes_cannot_serve;
/// Default time that PreBind waits for volumes, in seconds.
pub(crate) const BIND_TIMEOUT_SECONDS: i64 = 600;

/// Reason why a node is rejected: it cannot reach a bound volume.
pub const REASON_NODE: &str = "node(s) didn't match PersistentVolume's node affinity";
/// Reason why a node is rejected: no volume is available for an unbound claim.
pub const REASON_BIND: &str = "node(s) didn't find available persistent volumes to bind";
/// Reason why a node is rejected: the storage driver has no capacity for the node.
pub const REASON_SPACE: &str = "node(s) did not have enough free storage";
/// Reason why a node is rejected: a claim is bound to a volume that does not exist.
pub const REASON_LOST: &str = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)";
/// Reason why the pod is rejected: a claim with immediate binding is not bound yet.
pub const REASON_IMMEDIATE: &str = "pod has unbound immediate PersistentVolumeClaims";

/// Annotation of a CSINode with a comma-separated list of the in-tree plugins that are migrated to CSI on the node.
pub(super) const MIGRATED_PLUGINS: &str = "storage.alpha.kubernetes.io/migrated-plugins";

struct VolumeBinding;

impl ExtensionPoints for VolumeBinding {
    fn pre_filter(
        &self,
        search: &NodeSearch<'_>,
        cache: &mut Cache,
        state: &mut CycleState,
    ) -> Result<PreFilter, Status> {
        if search.incoming.has_volumes {
            state.binding = collect_claims(&search.cycle(cache))?;
        }
        Ok(PreFilter::run_or_skip(state.binding.is_some()))
    }

    fn filter(&self, cycle: &Cycle<'_>, state: &CycleState, _: NodeIdx, node: &NodeInfo) -> Result<(), Status> {
        let state = CycleState::pre_filter_state(Plugin::VolumeBinding, state.binding.as_ref())?;
        find_bindings(cycle, state, node).map(|_| ())
    }

    /// Skips scoring, because the feature gate StorageCapacityScoring is off.
    fn pre_score(&self, _: &NodeSearch<'_>, _: &mut Cache, _: &mut CycleState, _: &[NodeIdx]) -> Result<bool, Status> {
        Ok(false)
    }

    fn queueing_hint(&self, _: &mut Cache, event: &Event<'_>, waiting: &WaitingPod<'_>) -> bool {
        match (event.old, event.new) {
            (_, Some(Object::PersistentVolumeClaim(_))) => uses_claim(&waiting.incoming.info.pod, event.new),
            (Some(Object::StorageClass(old)), Some(Object::StorageClass(new))) => {
                old.allowed_topologies != new.allowed_topologies
            }
            (Some(Object::CsiNode(old)), Some(Object::CsiNode(new))) => {
                old.metadata.annotation(MIGRATED_PLUGINS) != new.metadata.annotation(MIGRATED_PLUGINS)
            }
            (Some(Object::CsiDriver(old)), Some(Object::CsiDriver(new))) => {
                old.spec.storage_capacity == Some(true) && new.spec.storage_capacity != Some(true)
            }
            (Some(Object::CsiStorageCapacity(old)), Some(Object::CsiStorageCapacity(new))) => {
                let limit =
                    |capacity: &podscope_api::CsiStorageCapacity| capacity.maximum_volume_size.or(capacity.capacity);
                limit(new) > limit(old)
            }
            _ => true,
        }
    }

    fn read_args(&self, fields: &mut Fields<'_>, args: &mut Args, errors: &mut Errors) {
        if let Some(seconds) = fields.integer("bindTimeoutSeconds", errors) {
            args.bind_timeout_seconds = seconds;
            if seconds < 0 {
                errors.push_invalid_value(
                    fields.path_of("bindTimeoutSeconds"),
                    seconds,
                    "invalid BindTimeoutSeconds, should not be a negative value",
                );
            }
        }
        if fields.get("shape").is_some() {
            errors.push(
                fields.path_of("shape"),
                "unexpected field, remove it or turn on the feature gate StorageCapacityScoring",
            );
        }
    }

    fn refusal_text(&self, cache: &Cache, decision: &Decision, node: NodeIdx, status: &Status) -> String {
        let message = status.message(&cache.symbols);
        if message != REASON_NODE {
            return message;
        }
        let (stores, node) = (&cache.stores, cache.node(node));
        let state = decision.state.binding.as_ref();
        let mut volumes = state
            .into_iter()
            .flat_map(|state| &state.bound)
            .filter_map(|claim| Some((claim, stores.volume(&claim.spec.volume_name)?)));
        match volumes.find(|(_, volume)| !can_reach_bound_volume(stores, node, volume)) {
            Some((claim, volume)) => format!(
                "cannot reach volume {} of claim {}, which {}",
                volume.metadata.name,
                claim.metadata.name,
                location_text(volume).as_deref().unwrap_or("is elsewhere")
            ),
            None => "cannot reach one of the pod's volumes".to_owned(),
        }
    }
}

/// Returns whether the pod uses the PersistentVolumeClaim of an event.
pub(super) fn uses_claim(pod: &Pod, claim: Option<&Object>) -> bool {
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

/// The pod's claims: bound claims, and claims with delayed binding.
#[derive(Debug, Clone, Default)]
pub struct State {
    bound: Vec<Arc<PersistentVolumeClaim>>,
    delayed: Vec<Arc<PersistentVolumeClaim>>,
}

/// The result of Reserve: volumes to bind and claims to provision (SCH-070).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Bindings {
    /// Volumes to bind, each with its claim.
    pub binds: Vec<(Arc<PersistentVolume>, Arc<PersistentVolumeClaim>)>,
    /// Claims to provision by setting the selected-node annotation.
    pub provisions: Vec<Arc<PersistentVolumeClaim>>,
    /// Whether PreBind must wait for at least one claim.
    pub is_slow: bool,
}

/// Returns the name of the PersistentVolumeClaim of a generic ephemeral volume.
pub(crate) fn ephemeral_claim_name(pod: &Pod, volume: &Volume) -> Str {
    format!("{}-{}", pod.metadata.name, volume.name).into()
}

/// Returns whether the pod is the controller of the claim.
pub(crate) fn is_owned_by(claim: &PersistentVolumeClaim, pod: &Pod) -> bool {
    claim
        .metadata
        .controller_ref()
        .is_some_and(|owner| owner.uid == pod.metadata.uid)
}

/// Returns the StorageClass of a claim; the beta annotation takes precedence. `None` if the name is empty.
pub(crate) fn class_name(claim: &PersistentVolumeClaim) -> Option<Str> {
    claim
        .metadata
        .annotation(annotation::BETA_STORAGE_CLASS)
        .map(Str::from)
        .or_else(|| claim.spec.storage_class_name.clone())
        .filter(|name| !name.is_empty())
}

/// Returns the StorageClass of a volume; the beta annotation takes precedence.
fn storage_class_of_volume(volume: &PersistentVolume) -> &str {
    let old = volume.metadata.annotation(annotation::BETA_STORAGE_CLASS);
    old.unwrap_or(&volume.spec.storage_class_name)
}

fn unresolvable_status(text: impl Into<Str>) -> Status {
    Status::text(Plugin::VolumeBinding, Code::UnschedulableAndUnresolvable, text)
}

fn error_status(text: impl Into<Str>) -> Status {
    Status::text(Plugin::VolumeBinding, Code::Error, text)
}

/// Collects the pod's claims for PreFilter; returns `None` if it has no claims.
fn collect_claims(cycle: &Cycle<'_>) -> Result<Option<State>, Status> {
    let pod = &cycle.incoming.info.pod;
    let stores = &cycle.cache.stores;
    let mut claims = Vec::new();
    for volume in pod.spec.volumes.iter() {
        let (name, is_ephemeral) = match (&volume.persistent_volume_claim, &volume.ephemeral) {
            (Some(source), _) => (source.claim_name.clone(), false),
            (None, Some(_)) => (ephemeral_claim_name(pod, volume), true),
            (None, None) => continue,
        };
        let Some(claim) = stores.claim(&pod.metadata.namespace, &name) else {
            return Err(unresolvable_status(if is_ephemeral {
                format!("waiting for ephemeral volume controller to create the persistentvolumeclaim \"{name}\"")
            } else {
                format!("persistentvolumeclaim \"{name}\" not found")
            }));
        };
        if claim.status.phase == Some(ClaimPhase::Lost) {
            return Err(unresolvable_status(format!(
                "persistentvolumeclaim \"{name}\" bound to non-existent persistentvolume \"{}\"",
                claim.spec.volume_name
            )));
        }
        if claim.metadata.is_terminating() {
            return Err(unresolvable_status(format!(
                "persistentvolumeclaim \"{name}\" is being deleted"
            )));
        }
        if is_ephemeral && !is_owned_by(claim, pod) {
            return Err(unresolvable_status(not_owner_text(claim, pod)));
        }
        claims.push(claim.clone());
    }
    if claims.is_empty() {
        return Ok(None);
    }
    let mut state = State::default();
    let mut immediate = false;
    for claim in claims {
        if !claim.spec.volume_name.is_empty() && claim.metadata.annotation(annotation::BIND_COMPLETED).is_some() {
            state.bound.push(claim);
            continue;
        }
        let delayed = match class_name(&claim).and_then(|name| stores.storage_class(&name)) {
            None => false,
            Some(class) => match &class.volume_binding_mode {
                None => {
                    return Err(error_status(format!(
                        "VolumeBindingMode not set for StorageClass \"{}\"",
                        class.metadata.name
                    )));
                }
                Some(mode) => *mode == VolumeBindingMode::WaitForFirstConsumer,
            },
        };
        if delayed && claim.spec.volume_name.is_empty() {
            state.delayed.push(claim);
        } else {
            immediate = true;
        }
    }
    if immediate {
        return Err(unresolvable_status(REASON_IMMEDIATE));
    }
    Ok(Some(state))
}

fn requested_storage(claim: &PersistentVolumeClaim) -> Quantity {
    claim
        .spec
        .resources
        .requests
        .get("storage")
        .copied()
        .unwrap_or_default()
}

/// Returns whether a node satisfies a volume's node affinity. Only the node's labels are checked; `matchFields` are
/// ignored.
fn can_reach_volume(node: &NodeInfo, affinity: Option<&VolumeNodeAffinity>) -> bool {
    let Some(required) = affinity.and_then(|affinity| affinity.required.as_ref()) else {
        return true;
    };
    let Some(object) = &node.node else {
        return false;
    };
    required.node_selector_terms.iter().any(|term| {
        (!term.match_expressions.is_empty() || !term.match_fields.is_empty())
            && term.match_expressions.iter().all(|expression| {
                // The terms of volumes are compared as strings, not as interned symbols, because there are few volumes.
                podscope_api::LabelSelectorRequirement {
                    key: expression.key.clone(),
                    operator: expression.operator.clone(),
                    values: expression.values.clone(),
                }
                .matches(&object.metadata.labels)
            })
    })
}

/// Returns whether a node can reach a bound volume. An in-tree disk is checked as a CSI volume if the CSINode lists its
/// plugin as migrated.
fn can_reach_bound_volume(stores: &Stores, node: &NodeInfo, volume: &PersistentVolume) -> bool {
    let migration = csi_translation::migrated_disk_of_volume(volume).map(|(migration, _)| migration);
    let plugins = stores
        .csi_node(&node.name)
        .and_then(|csi_node| csi_node.metadata.annotation(MIGRATED_PLUGINS));
    match (migration, plugins) {
        (Some(migration), Some(plugins)) if plugins.split(',').any(|entry| entry == migration.plugin) => {
            can_reach_volume(node, csi_translation::translated_affinity(migration, volume).as_ref())
        }
        _ => can_reach_volume(node, volume.spec.node_affinity.as_ref()),
    }
}

fn is_reference_to_claim(reference: &ObjectReference, claim: &PersistentVolumeClaim) -> bool {
    reference.name == claim.metadata.name
        && reference.namespace == claim.metadata.namespace
        && (reference.uid.is_empty() || reference.uid == claim.metadata.uid)
}

fn volume_mode(mode: Option<&Str>) -> &str {
    mode.map_or("Filesystem", |mode| mode)
}

/// Returns the volume that an unbound claim would be bound to on this node (SCH-068).
fn find_volume<'a>(
    stores: &'a Stores,
    node: &NodeInfo,
    claim: &PersistentVolumeClaim,
    taken: &[(Arc<PersistentVolume>, Arc<PersistentVolumeClaim>)],
) -> Option<&'a Arc<PersistentVolume>> {
    let request = requested_storage(claim);
    let class = class_name(claim).unwrap_or_else(|| Str::from(""));
    let mut best: Option<&Arc<PersistentVolume>> = None;
    for volume in stores.all_volumes() {
        let spec = &volume.spec;
        if *storage_class_of_volume(volume) != *class
            || taken
                .iter()
                .any(|(other, _)| other.metadata.name == volume.metadata.name)
        {
            continue;
        }
        let pre_bound = match &spec.claim_ref {
            Some(reference) if !is_reference_to_claim(reference, claim) => continue,
            reference => reference.is_some(),
        };
        let capacity = spec.capacity.get("storage").copied().unwrap_or_default();
        if capacity < request
            || volume_mode(spec.volume_mode.as_ref()) != volume_mode(claim.spec.volume_mode.as_ref())
            || spec.volume_attributes_class_name.as_deref().unwrap_or("")
                != claim.spec.volume_attributes_class_name.as_deref().unwrap_or("")
            || volume.metadata.is_terminating()
        {
            continue;
        }
        if pre_bound {
            return can_reach_volume(node, volume.spec.node_affinity.as_ref()).then_some(volume);
        }
        let is_selected = claim
            .spec
            .selector
            .as_ref()
            .is_none_or(|selector| selector.matches(&volume.metadata.labels));
        let has_access_modes = claim
            .spec
            .access_modes
            .iter()
            .all(|mode| spec.access_modes.contains(mode));
        if volume.status.phase != Some(VolumePhase::Available)
            || !is_selected
            || !has_access_modes
            || !can_reach_volume(node, volume.spec.node_affinity.as_ref())
        {
            continue;
        }
        let capacity_of = |volume: &PersistentVolume| volume.spec.capacity.get("storage").copied().unwrap_or_default();
        if best.is_none_or(|best| capacity < capacity_of(best)) {
            best = Some(volume);
        }
    }
    best
}

/// The reasons why a node is rejected, as flags in the order of kube-scheduler's texts.
#[derive(Default)]
struct RejectionReasons {
    node: bool,
    bind: bool,
    space: bool,
    lost: bool,
}

/// Runs Filter on a node, and returns the bindings that Reserve would make (SCH-066, SCH-067).
fn find_bindings(cycle: &Cycle<'_>, state: &State, node: &NodeInfo) -> Result<Bindings, Status> {
    let stores = &cycle.cache.stores;
    let mut rejected = RejectionReasons::default();
    for claim in &state.bound {
        match stores.volume(&claim.spec.volume_name) {
            None => {
                rejected.lost = true;
                break;
            }
            Some(volume) if !can_reach_bound_volume(stores, node, volume) => {
                rejected.node = true;
                break;
            }
            Some(_) => {}
        }
    }
    let mut bindings = Bindings::default();
    find_bindings_of_delayed_claims(stores, state, node, &mut bindings, &mut rejected)?;
    let reasons: Vec<Reason> = [
        (rejected.node, REASON_NODE),
        (rejected.bind, REASON_BIND),
        (rejected.space, REASON_SPACE),
        (rejected.lost, REASON_LOST),
    ]
    .into_iter()
    .filter(|(is_short, _)| *is_short)
    .map(|(_, text)| Reason::Fixed(text))
    .collect();
    if reasons.is_empty() {
        return Ok(bindings);
    }
    Err(Status {
        plugin: Some(Plugin::VolumeBinding),
        code: Code::UnschedulableAndUnresolvable,
        reasons: Reasons::Many(reasons),
    })
}

fn find_bindings_of_delayed_claims(
    stores: &Stores,
    state: &State,
    node: &NodeInfo,
    bindings: &mut Bindings,
    rejected: &mut RejectionReasons,
) -> Result<(), Status> {
    let mut to_match = Vec::new();
    for claim in &state.delayed {
        match claim.metadata.annotation(annotation::SELECTED_NODE) {
            Some(selected) if *selected != *node.name => {
                rejected.bind = true;
                return Ok(());
            }
            Some(_) => bindings.provisions.push(claim.clone()),
            None => to_match.push(claim.clone()),
        }
    }
    to_match.stable_sort_by_key(|claim| requested_storage(claim));
    for claim in to_match {
        match find_volume(stores, node, &claim, &bindings.binds) {
            Some(volume) => bindings.binds.push((volume.clone(), claim)),
            None => bindings.provisions.push(claim),
        }
    }
    for claim in &bindings.provisions {
        let Some(name) = class_name(claim) else {
            return Err(error_status(format!("no class for claim \"{}\"", claim.metadata.key())));
        };
        let Some(class) = stores.storage_class(&name) else {
            return Err(error_status(format!("failed to find storage class \"{name}\"")));
        };
        let labels = node
            .node
            .as_ref()
            .map(|node| node.metadata.labels.clone())
            .unwrap_or_default();
        let allowed = class.allowed_topologies.is_empty()
            || class.allowed_topologies.iter().any(|term| {
                // A topology term without expressions matches no node.
                !term.match_label_expressions.is_empty()
                    && term.match_label_expressions.iter().all(|requirement| {
                        labels
                            .get(&requirement.key)
                            .is_some_and(|value| requirement.values.contains(value))
                    })
            });
        if class.provisioner.is_empty() || &*class.provisioner == provisioner::NONE || !allowed {
            rejected.bind = true;
            return Ok(());
        }
        let tracks_capacity = stores
            .csi_drivers
            .get(&podscope_api::ObjectKey::cluster(class.provisioner.clone()))
            .is_some_and(|driver| driver.spec.storage_capacity == Some(true));
        if tracks_capacity && let Some(size) = claim.spec.resources.requests.get("storage") {
            let room = stores.capacities.values().any(|capacity| {
                capacity.storage_class_name == name
                    && capacity
                        .node_topology
                        .as_ref()
                        .is_some_and(|topology| topology.matches(&labels))
                    && capacity
                        .maximum_volume_size
                        .or(capacity.capacity)
                        .is_some_and(|limit| limit >= *size)
            });
            if !room {
                rejected.space = true;
                return Ok(());
            }
        }
    }
    Ok(())
}

/// Implements Reserve: returns the bindings to assume, with the objects changed as the scheduler will write them
/// (SCH-070).
pub fn reserve(cycle: &Cycle<'_>, state: &State, node: &NodeInfo) -> Result<Bindings, Status> {
    let mut bindings = find_bindings(cycle, state, node)?;
    bindings.is_slow = !state.delayed.is_empty();
    for (volume, claim) in &mut bindings.binds {
        let volume = Arc::make_mut(volume);
        volume.spec.claim_ref = Some(ObjectReference {
            kind: "PersistentVolumeClaim".into(),
            namespace: claim.metadata.namespace.clone(),
            name: claim.metadata.name.clone(),
            uid: claim.metadata.uid.clone(),
            api_version: "v1".into(),
            resource_version: claim.metadata.resource_version.clone(),
            ..ObjectReference::default()
        });
        Arc::make_mut(&mut volume.metadata.annotations).insert(annotation::BOUND_BY_CONTROLLER.into(), "yes".into());
    }
    for claim in &mut bindings.provisions {
        let claim = Arc::make_mut(claim);
        Arc::make_mut(&mut claim.metadata.annotations).insert(annotation::SELECTED_NODE.into(), node.name.clone());
    }
    Ok(bindings)
}
