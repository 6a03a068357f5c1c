//! Triage of storage: pending claims, failed attachments, and objects other than pods whose deletion does not finish.

use podscope_api::ordered;
use podscope_api::well_known::finalizer::PVC_PROTECTION;
use podscope_api::{
    ClaimPhase, ConditionStatus, Kind, Namespace, Object, ObjectKey, PersistentVolumeClaim, Pod, ResourceClaim,
    StorageClass, Str, VolumeAttachment, VolumeBindingMode,
};
use podscope_cluster::NOT_IN_THE_DUMP;
use podscope_messages::{Sentence, sentence};

use super::{Problem, Triage, held_by_finalizers, object_text, without_full_stop};

impl Triage<'_> {
    pub(super) fn add_storage_problems(&mut self) {
        let used = self.used_claims();
        self.add_claim_problems(&used);
        self.add_device_claim_problems();
        if self.scope.namespace.is_none() {
            self.add_attachment_problems();
        }
        self.add_unfinished_deletions(&used);
    }

    /// Returns the PersistentVolumeClaims that pods use, each with the name of one of these pods.
    fn used_claims(&self) -> ordered::Map<ObjectKey, Str> {
        let mut used = ordered::Map::new();
        for pod in self.objects.list::<Pod>().filter(|pod| !pod.is_terminal()) {
            for volume in pod.spec.volumes.iter() {
                if let Some(name) = podscope_cluster::claim_name(pod, volume) {
                    let key = ObjectKey::new(pod.metadata.namespace.clone(), name);
                    used.entry(key).or_insert_with(|| pod.metadata.name.clone());
                }
            }
        }
        used
    }

    fn add_claim_problems(&mut self, used: &ordered::Map<ObjectKey, Str>) {
        let objects = self.objects;
        for claim in objects.list::<PersistentVolumeClaim>() {
            let meta = &claim.metadata;
            let waits = matches!(claim.status.phase, Some(ClaimPhase::Pending) | None);
            let is_made_up = meta.annotation(NOT_IN_THE_DUMP).is_some();
            if !self.includes_namespace(&meta.namespace) || !waits || is_made_up || meta.is_terminating() {
                continue;
            }
            let name = claim.spec.storage_class_name.as_deref().unwrap_or_default();
            let class = objects.named::<StorageClass>(name);
            let class = class.filter(|class| class.metadata.annotation(NOT_IN_THE_DUMP).is_none());
            let said = self.newest_warning(&meta.uid, &["ProvisioningFailed", "FailedBinding", "VolumeMismatch"]);
            let user = used.get(&meta.key());
            let reason = match (said, class, user) {
                (Some(said), ..) => without_full_stop(said).into(),
                (None, _, _) if !claim.spec.volume_name.is_empty() => {
                    sentence!(problem::volume_not_bound, volume = &claim.spec.volume_name)
                }
                (None, None, _) if !name.is_empty() && objects.named::<StorageClass>(name).is_none() => {
                    format!("storageclass.storage.k8s.io \"{name}\" not found").into()
                }
                (None, Some(class), user)
                    if class.volume_binding_mode == Some(VolumeBindingMode::WaitForFirstConsumer) =>
                {
                    match user {
                        Some(pod) => sentence!(problem::waits_for_pod, class = name, pod = pod),
                        None => sentence!(problem::waits_for_first_pod, class = name),
                    }
                }
                (None, Some(class), _) => {
                    sentence!(problem::waits_for_provisioner, provisioner = &class.provisioner)
                }
                _ => sentence!(problem::no_volume_fits),
            };
            let owner = user.map(|pod| format!("Pod {}/{pod}", meta.namespace));
            let since = meta.creation_timestamp;
            let object = format!("PersistentVolumeClaim {}", meta.key());
            self.add_finding(Problem::ClaimPending, object, meta, reason, since)
                .owner = owner;
        }
    }

    /// Reports ResourceClaims that wait for devices, or for the end of the pods that use them.
    fn add_device_claim_problems(&mut self) {
        let objects = self.objects;
        for claim in objects.list::<ResourceClaim>() {
            let meta = &claim.metadata;
            if !self.includes_namespace(&meta.namespace) {
                continue;
            }
            if meta.is_terminating() {
                let users: Vec<&str> = claim.status.reserved_for.iter().map(|user| &*user.name).collect();
                let reason = match users.is_empty() {
                    true => sentence!(problem::finalizer_not_removed),
                    false => sentence!(problem::reserved_for, users = users),
                };
                let object = format!("ResourceClaim {}", meta.key());
                self.add_finding(Problem::Terminating, object, meta, reason, meta.deletion_timestamp);
                continue;
            }
            let uses = |pod: &&std::sync::Arc<Pod>| {
                let generated = pod.status.resource_claim_statuses.iter();
                let mut names = (pod.spec.resource_claims.iter())
                    .filter_map(|entry| entry.resource_claim_name.as_ref())
                    .chain(generated.filter_map(|status| status.resource_claim_name.as_ref()));
                !pod.is_terminal() && names.any(|name| *name == meta.name)
            };
            let user = objects.list_in::<Pod>(&meta.namespace).find(uses);
            let Some(user) = user.filter(|_| claim.status.allocation.is_none()) else {
                continue;
            };
            let pod = &user.metadata.name;
            let reason = match &user.spec.node_name {
                Some(node) => sentence!(problem::bound_without_devices, pod = pod, node = node.as_str()),
                None => sentence!(problem::gets_devices_with_node, pod = pod),
            };
            let owner = Some(format!("Pod {}/{pod}", meta.namespace));
            let object = format!("ResourceClaim {}", meta.key());
            let since = meta.creation_timestamp;
            self.add_finding(Problem::ClaimPending, object, meta, reason, since)
                .owner = owner;
        }
    }

    fn add_attachment_problems(&mut self) {
        let objects = self.objects;
        for attachment in objects.list::<VolumeAttachment>() {
            let (meta, status) = (&attachment.metadata, &attachment.status);
            let volume = attachment
                .spec
                .source
                .persistent_volume_name
                .as_deref()
                .unwrap_or_default();
            let node = &attachment.spec.node_name;
            let error = status.detach_error.as_ref().or(status.attach_error.as_ref());
            let reason = match error {
                Some(error) => sentence!(
                    problem::attachment_error,
                    volume = volume,
                    node = node.as_str(),
                    message = without_full_stop(&error.message)
                ),
                None if meta.is_terminating() => {
                    sentence!(problem::not_detached, volume = volume, node = node.as_str())
                }
                None => continue,
            };
            let since = error.and_then(|error| error.time).or(meta.deletion_timestamp);
            self.add_finding(
                Problem::VolumeStuck,
                format!("VolumeAttachment {}", meta.name),
                meta,
                reason,
                since,
            );
        }
    }

    /// Reports objects other than pods whose deletion does not finish.
    fn add_unfinished_deletions(&mut self, used: &ordered::Map<ObjectKey, Str>) {
        let objects = self.objects;
        let kinds = Kind::ALL
            .iter()
            .filter(|kind| !matches!(kind, Kind::Pod | Kind::Event | Kind::Lease | Kind::VolumeAttachment));
        for object in kinds.flat_map(|kind| objects.list_kind(*kind)) {
            let meta = object.metadata();
            let Some(since) = meta
                .deletion_timestamp
                .filter(|_| self.includes_namespace(&meta.namespace))
            else {
                continue;
            };
            let is_own = |name: &&Str| matches!(&***name, "foregroundDeletion" | "orphan");
            let foreign: Vec<&str> = meta
                .finalizers
                .iter()
                .filter(|name| !is_own(name))
                .map(|name| &**name)
                .collect();
            let reason = match &object {
                Object::Namespace(namespace) => reason_of_namespace_deletion(namespace),
                Object::PersistentVolumeClaim(_) if foreign == [PVC_PROTECTION] => match used.get(&object.key()) {
                    Some(pod) => sentence!(problem::used_by_pod, pod = pod, finalizer = PVC_PROTECTION),
                    None => sentence!(problem::used_by_none, finalizer = PVC_PROTECTION),
                },
                _ if foreign.is_empty() && !meta.finalizers.is_empty() => sentence!(problem::waits_for_owned),
                _ if foreign.is_empty() => continue,
                _ => held_by_finalizers(foreign),
            };
            let (name, meta) = (object_text(&object), meta.clone());
            self.add_finding(Problem::Terminating, name, &meta, reason, Some(since));
        }
    }
}

fn reason_of_namespace_deletion(namespace: &Namespace) -> Sentence {
    let told = namespace.status.conditions.iter();
    let told: Vec<&str> = told
        .filter(|one| one.status == ConditionStatus::True && !one.message.is_empty())
        .map(|one| without_full_stop(&one.message))
        .collect();
    match told.is_empty() {
        true => sentence!(problem::content_not_gone),
        false => told.join("; ").into(),
    }
}
