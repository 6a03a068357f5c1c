//! Volumes that a driver provisions for a claim (CT-123).

use podscope_api::well_known::label;
use podscope_api::{
    AccessMode, CsiVolume, Node, NodeSelector, NodeSelectorRequirement, NodeSelectorTerm, ObjectMeta, ObjectReference,
    PersistentVolume, PersistentVolumeClaim, PersistentVolumeSpec, SelectorOperator, StorageClass, Str,
    VolumeNodeAffinity,
};

use super::PROVISIONED_BY_ANNOTATION;
use crate::template::set_entry;

/// Returns the provisioned volume: it has the requested size, and is in the zone of the selected node or in the class's
/// first allowed topology.
pub(super) fn provisioned_volume(
    claim: &PersistentVolumeClaim,
    class: &StorageClass,
    name: &str,
    node: Option<&Node>,
) -> PersistentVolume {
    let modes: Vec<AccessMode> = claim.spec.access_modes.clone();
    let requirement = |key: &Str, values: Vec<Str>| NodeSelectorRequirement {
        key: key.clone(),
        operator: SelectorOperator::In,
        values,
    };
    let allowed = class.allowed_topologies.first();
    let zone = node.and_then(|node| node.metadata.label(label::ZONE));
    let requirements: Vec<NodeSelectorRequirement> = match zone {
        Some(zone) => vec![requirement(&label::ZONE.into(), vec![zone.into()])],
        None => {
            let expressions = allowed.iter().flat_map(|term| &term.match_label_expressions);
            expressions
                .map(|expression| requirement(&expression.key, expression.values.iter().take(1).cloned().collect()))
                .collect()
        }
    };
    let node_affinity = (!requirements.is_empty()).then(|| VolumeNodeAffinity {
        required: Some(NodeSelector {
            node_selector_terms: vec![NodeSelectorTerm {
                match_expressions: requirements,
                ..NodeSelectorTerm::default()
            }],
        }),
    });
    let mut metadata = ObjectMeta {
        name: name.into(),
        ..ObjectMeta::default()
    };
    set_entry(&mut metadata.annotations, PROVISIONED_BY_ANNOTATION, &class.provisioner);
    let storage = claim.spec.resources.requests.get("storage").cloned();
    PersistentVolume {
        metadata,
        spec: PersistentVolumeSpec {
            capacity: storage.map(|size| ("storage".into(), size)).into_iter().collect(),
            access_modes: modes,
            claim_ref: Some(ObjectReference {
                kind: "PersistentVolumeClaim".into(),
                api_version: "v1".into(),
                namespace: claim.metadata.namespace.clone(),
                name: claim.metadata.name.clone(),
                uid: claim.metadata.uid.clone(),
                ..ObjectReference::default()
            }),
            persistent_volume_reclaim_policy: Some(class.reclaim_policy.clone().unwrap_or_else(|| "Delete".into())),
            storage_class_name: class.metadata.name.clone(),
            volume_mode: claim.spec.volume_mode.clone(),
            node_affinity,
            csi: Some(CsiVolume {
                driver: class.provisioner.clone(),
                volume_handle: name.into(),
                read_only: None,
            }),
            ..PersistentVolumeSpec::default()
        },
        ..PersistentVolume::default()
    }
}
