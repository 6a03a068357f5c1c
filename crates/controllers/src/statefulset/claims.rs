//! The claims of a StatefulSet's pods: they are created before the pod, and kept or deleted according to the retention
//! policy (CT-080, CT-081).

use std::sync::Arc;

use podscope_api::{
    ClaimVolume, EventType, Object, ObjectKey, ObjectMeta, OwnerReference, PersistentVolumeClaim,
    PersistentVolumeClaimTemplate, Pod, Resource, StatefulSet, Str, Volume,
};

use podscope_sim::{Objects, Request};

use crate::controller::note;
use crate::owner::patch_owners;
use crate::plan::{Accept, Action};

fn claim_name(template: &PersistentVolumeClaimTemplate, pod: &Pod) -> Str {
    // The pod is named `set-ordinal`, so the claim is named `template-set-ordinal` (CT-070).
    format!("{}-{}", template.metadata.name, pod.metadata.name).into()
}

fn claims_of<'s>(set: &'s StatefulSet, pod: &Pod) -> Vec<(&'s PersistentVolumeClaimTemplate, ObjectKey)> {
    let key = |template| ObjectKey::new(set.metadata.namespace.clone(), claim_name(template, pod));
    set.spec
        .volume_claim_templates
        .iter()
        .map(|template| (template, key(template)))
        .collect()
}

/// Adds a volume for each claim template. The volume replaces another volume of the same name.
pub(super) fn add_volumes(set: &StatefulSet, pod: &mut Pod) {
    if set.spec.volume_claim_templates.is_empty() {
        return;
    }
    let mut volumes: Vec<Volume> = Vec::new();
    for template in set.spec.volume_claim_templates.iter() {
        volumes.push(Volume {
            name: template.metadata.name.clone(),
            persistent_volume_claim: Some(ClaimVolume {
                claim_name: claim_name(template, pod),
                read_only: None,
            }),
            ..Volume::default()
        });
    }
    let not_replaced = |volume: &&Volume| {
        set.spec
            .volume_claim_templates
            .iter()
            .all(|template| template.metadata.name != volume.name)
    };
    volumes.extend(pod.spec.volumes.iter().filter(not_replaced).cloned());
    pod.spec.volumes = Arc::new(volumes);
}

/// Builds create requests for the claims that do not exist.
///
/// # Errors
/// Returns a message if a claim is being deleted, because the pod must wait for the deletion.
pub(super) fn create_missing_claims(objects: &Objects, set: &StatefulSet, pod: &Pod) -> Result<Vec<Action>, String> {
    let mut actions = Vec::new();
    for (template, key) in claims_of(set, pod) {
        if let Some(claim) = objects.get::<PersistentVolumeClaim>(&key) {
            if claim.metadata.is_terminating() {
                return Err(format!("pvc {} is being deleted", key.name));
            }
            continue;
        }
        let mut labels = (*template.metadata.labels).clone();
        let selector = set.spec.selector.clone().unwrap_or_default();
        labels.extend(selector.match_labels);
        let claim = PersistentVolumeClaim {
            metadata: ObjectMeta {
                name: key.name.clone(),
                namespace: key.namespace.clone(),
                labels: Arc::new(labels),
                annotations: template.metadata.annotations.clone(),
                ..ObjectMeta::default()
            },
            spec: template.spec.clone(),
            ..PersistentVolumeClaim::default()
        };
        let subject = format!(
            "Create Claim {} Pod {} in StatefulSet {}",
            key.name, pod.metadata.name, set.metadata.name
        );
        let failed = format!("{subject} failed error: {{error}}");
        actions.push(
            Action::from(Request::Create(Object::PersistentVolumeClaim(Arc::new(claim))))
                .accept(Accept::OrAlreadyExists)
                .on_success(note(
                    set,
                    EventType::Normal,
                    "SuccessfulCreate",
                    format!("{subject} success"),
                ))
                .on_failure(note(set, EventType::Warning, "FailedCreate", failed)),
        );
    }
    Ok(actions)
}

/// Whether the retention policy of a StatefulSet deletes claims when the set is deleted, and when it is scaled down.
struct ClaimDeletion {
    when_deleted: bool,
    when_scaled: bool,
}

fn claim_deletion(set: &StatefulSet) -> ClaimDeletion {
    let policy = set.spec.persistent_volume_claim_retention_policy.as_ref();
    let deletes = |text: Option<&Str>| text.is_some_and(|text| &**text == "Delete");
    ClaimDeletion {
        when_deleted: deletes(policy.map(|policy| &policy.when_deleted)),
        when_scaled: deletes(policy.map(|policy| &policy.when_scaled)),
    }
}

/// Returns whether a claim belongs to an earlier pod with this name and will be deleted with that pod.
pub(super) fn has_stale_claims(objects: &Objects, set: &StatefulSet, pod: &Pod) -> bool {
    claim_deletion(set).when_scaled
        && claims_of(set, pod)
            .iter()
            .filter_map(|(_, key)| objects.get::<PersistentVolumeClaim>(key))
            .any(|claim| {
                let owners = &claim.metadata.owner_references;
                owners.iter().any(|owner| {
                    &*owner.kind == "Pod" && owner.name == pod.metadata.name && owner.uid != pod.metadata.uid
                })
            })
}

/// Builds patches that set the owners of the claims according to the retention policy; `condemned` is true if the pod
/// is beyond the set's range.
pub(super) fn update_claim_owners(objects: &Objects, set: &StatefulSet, pod: &Pod, condemned: bool) -> Vec<Action> {
    let deletion = claim_deletion(set);
    let owned_by_pod = condemned && deletion.when_scaled;
    let owned_by_set = deletion.when_deleted && !owned_by_pod;
    let mut actions = Vec::new();
    for (_, key) in claims_of(set, pod) {
        let Some(claim) = objects.get::<PersistentVolumeClaim>(&key) else {
            continue;
        };
        let wanted = [
            (owned_by_set, plain_owner_reference(set)),
            (owned_by_pod, plain_owner_reference(pod)),
        ];
        let has_owner = |reference: &OwnerReference| {
            claim
                .metadata
                .owner_references
                .iter()
                .any(|theirs| theirs.uid == reference.uid)
        };
        if wanted.iter().all(|(wanted, reference)| *wanted == has_owner(reference)) {
            continue;
        }
        actions.push(patch_owners::<PersistentVolumeClaim>(
            &claim.metadata,
            "retention",
            move |owners| {
                for (wanted, reference) in &wanted {
                    owners.retain(|theirs| theirs.uid != reference.uid);
                    if *wanted {
                        owners.push(reference.clone());
                    }
                }
            },
        ));
    }
    actions
}

/// Returns an owner reference without `controller: true`.
fn plain_owner_reference<T: Resource>(owner: &T) -> OwnerReference {
    OwnerReference {
        api_version: T::KIND.api_version().into(),
        kind: T::KIND.name().into(),
        name: owner.metadata().name.clone(),
        uid: owner.metadata().uid.clone(),
        ..OwnerReference::default()
    }
}
