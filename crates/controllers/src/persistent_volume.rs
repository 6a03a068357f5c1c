//! Persistent volumes: binds claims to volumes, provisions volumes for claims, and reclaims released volumes (V-01,
//! CT-123, CT-138).
//!
//! ```text
//! claim:  Pending ──► Bound ──► Lost            volume:  Available ──► Bound ──► Released ──► (deleted)
//! ```
//!
//! Watches claims, volumes and StorageClasses. A bound claim and its volume refer to each other: the volume's
//! `claimRef` has the claim's UID, the claim has a `volumeName`. Deviation: this controller also acts as the external
//! provisioners of the CSI drivers; each operation takes one second.

mod provisioned;
mod with_volume_name;

use podscope_api::ordered;
use podscope_api::well_known::{annotation, provisioner};
use std::sync::Arc;

use podscope_api::{
    ClaimPhase, EventType, Kind, Node, Object, ObjectKey, ObjectReference, PersistentVolume, PersistentVolumeClaim,
    Pod, StorageClass, Str, VolumeBindingMode, VolumePhase,
};

use podscope_sim::{Change, DeleteOptions, Mutation, Part, Request, Span};

use super::controller::{Controller, ControllerContext, note};
use super::plan::{Accept, Action, Plan};
use super::queue::{Key, key_of};
use super::template::set_entry;
use provisioned::provisioned_volume;

/// Annotation of a volume with the name of the driver that provisioned it.
const PROVISIONED_BY_ANNOTATION: &str = "pv.kubernetes.io/provisioned-by";
/// Duration of the creation or deletion of a volume by its driver.
const PROVISIONING_TIME: Span = Span::seconds(1);
/// Interval of syncs of pending claims.
const RESYNC_PERIOD: Span = Span::seconds(15);

#[derive(Debug, Clone, Default)]
pub(super) struct PersistentVolumeController {
    /// Claims whose volume is being created, and released volumes that are being deleted, with the time of completion.
    in_progress: ordered::Map<Key, podscope_sim::SimTime>,
}

impl Controller for PersistentVolumeController {
    fn name(&self) -> &'static str {
        "persistentvolume-controller"
    }

    fn watches(&self) -> &'static [Kind] {
        &[
            Kind::PersistentVolume,
            Kind::PersistentVolumeClaim,
            Kind::StorageClass,
            Kind::Pod,
        ]
    }

    fn changed(&mut self, change: &Change, cx: &mut ControllerContext<'_, '_>) {
        match change.object() {
            Some(Object::PersistentVolumeClaim(claim)) => {
                cx.enqueue(key_of(&**claim));
                if !claim.spec.volume_name.is_empty() {
                    cx.enqueue((
                        Kind::PersistentVolume,
                        ObjectKey::cluster(claim.spec.volume_name.clone()),
                    ));
                }
            }
            Some(Object::PersistentVolume(volume)) => {
                cx.enqueue(key_of(&**volume));
                if let Some(claim) = &volume.spec.claim_ref {
                    cx.enqueue((
                        Kind::PersistentVolumeClaim,
                        ObjectKey::new(claim.namespace.clone(), claim.name.clone()),
                    ));
                } else if change.new.is_some() {
                    enqueue_pending_claims(cx);
                }
            }
            Some(Object::StorageClass(_)) => enqueue_pending_claims(cx),
            // A change of a pod affects only the event message of a pending claim, so no sync is needed.
            _ => {}
        }
    }

    fn sync(&mut self, key: &Key, cx: &mut ControllerContext<'_, '_>) -> Plan {
        if key.0 == Kind::PersistentVolume {
            let volume = cx.objects.get::<PersistentVolume>(&key.1).cloned();
            return volume.map_or_else(Plan::default, |volume| self.sync_volume(key, &volume, cx));
        }
        let Some(claim) = cx.objects.get::<PersistentVolumeClaim>(&key.1).cloned() else {
            self.in_progress.remove(key);
            return Plan::default();
        };
        if claim.spec.volume_name.is_empty() && !with_volume_name::is_bound(&claim) {
            self.sync_unbound(key, &claim, cx)
        } else {
            self.in_progress.remove(key);
            with_volume_name::sync(&claim, cx)
        }
    }
}

/// Enqueues all claims that are not bound.
fn enqueue_pending_claims(cx: &mut ControllerContext<'_, '_>) {
    let pending = cx
        .objects
        .list::<PersistentVolumeClaim>()
        .filter(|claim| claim.status.phase != Some(ClaimPhase::Bound));
    let keys: Vec<Key> = pending.map(|claim| key_of(&**claim)).collect();
    keys.into_iter().for_each(|key| cx.enqueue(key));
}

fn class_of(claim: &PersistentVolumeClaim) -> &str {
    claim.spec.storage_class_name.as_deref().unwrap_or_default()
}

/// Returns whether a volume's `claimRef` refers to this claim. The UID must match if it is set.
fn refers_to(reference: &ObjectReference, claim: &PersistentVolumeClaim) -> bool {
    reference.name == claim.metadata.name
        && reference.namespace == claim.metadata.namespace
        && (reference.uid.is_empty() || reference.uid == claim.metadata.uid)
}

/// Returns the smallest volume that satisfies the claim; prefers a volume that is reserved for the claim (CT-123).
fn best_matching_volume<'o>(
    claim: &PersistentVolumeClaim,
    cx: &'o ControllerContext<'_, '_>,
    reserved_only: bool,
) -> Option<&'o Arc<PersistentVolume>> {
    let wanted = claim.spec.resources.requests.get("storage");
    let satisfies_claim = |volume: &&Arc<PersistentVolume>| {
        let spec = &volume.spec;
        let mode = |mode: &Option<Str>| mode.clone().unwrap_or_else(|| "Filesystem".into());
        let selector = claim.spec.selector.as_ref();
        !volume.metadata.is_terminating()
            && claim
                .spec
                .access_modes
                .iter()
                .all(|wanted| spec.access_modes.contains(wanted))
            && mode(&spec.volume_mode) == mode(&claim.spec.volume_mode)
            && wanted.is_none_or(|wanted| spec.capacity.get("storage").is_some_and(|size| size >= wanted))
            && match &spec.claim_ref {
                Some(reference) => refers_to(reference, claim),
                None => {
                    !reserved_only
                        && *spec.storage_class_name == *class_of(claim)
                        && matches!(
                            volume.status.phase,
                            None | Some(VolumePhase::Available | VolumePhase::Pending)
                        )
                        && selector.is_none_or(|selector| selector.matches(&volume.metadata.labels))
                }
            }
    };
    let candidates = cx.objects.list::<PersistentVolume>().filter(satisfies_claim);
    candidates.min_by_key(|volume| {
        (
            volume.spec.claim_ref.is_none(),
            volume.spec.capacity.get("storage").cloned(),
            volume.metadata.name.clone(),
        )
    })
}

/// Binds the volume first, then the claim.
fn bind_volume_and_claim(volume: &PersistentVolume, claim: &PersistentVolumeClaim, plan: Plan) -> Plan {
    let mut plan = plan;
    let mut bound = volume.clone();
    if bound
        .spec
        .claim_ref
        .as_ref()
        .is_none_or(|reference| reference.uid != claim.metadata.uid)
    {
        if bound.spec.claim_ref.is_none() {
            set_entry(&mut bound.metadata.annotations, annotation::BOUND_BY_CONTROLLER, "yes");
        }
        bound.spec.claim_ref = Some(ObjectReference {
            kind: "PersistentVolumeClaim".into(),
            api_version: "v1".into(),
            namespace: claim.metadata.namespace.clone(),
            name: claim.metadata.name.clone(),
            uid: claim.metadata.uid.clone(),
            resource_version: claim.metadata.resource_version.clone(),
            ..ObjectReference::default()
        });
        plan = plan.then_action(Request::Update(Object::PersistentVolume(Arc::new(bound)), Part::Main));
    }
    let mut named = claim.clone();
    if named.spec.volume_name.is_empty() {
        set_entry(&mut named.metadata.annotations, annotation::BOUND_BY_CONTROLLER, "yes");
        named.spec.volume_name = volume.metadata.name.clone();
    }
    set_entry(&mut named.metadata.annotations, annotation::BIND_COMPLETED, "yes");
    if named != *claim {
        // The claim's status is updated in a later sync, after the cache shows the `volumeName`.
        return plan.then_action(Request::Update(
            Object::PersistentVolumeClaim(Arc::new(named)),
            Part::Main,
        ));
    }
    named.status.phase = Some(ClaimPhase::Bound);
    named.status.access_modes = volume.spec.access_modes.clone();
    named.status.capacity = volume.spec.capacity.clone();
    if named.status == claim.status {
        return plan;
    }
    plan.then_action(Request::Update(
        Object::PersistentVolumeClaim(Arc::new(named)),
        Part::Status,
    ))
}

fn set_claim_phase(claim: &PersistentVolumeClaim, phase: ClaimPhase) -> Plan {
    if claim.status.phase.as_ref() == Some(&phase) {
        return Plan::default();
    }
    let mut updated = claim.clone();
    updated.status.phase = Some(phase);
    Plan::one(Request::Update(
        Object::PersistentVolumeClaim(Arc::new(updated)),
        Part::Status,
    ))
}

impl PersistentVolumeController {
    /// Handles a claim without `volumeName`.
    fn sync_unbound(
        &mut self,
        key: &Key,
        claim: &Arc<PersistentVolumeClaim>,
        cx: &mut ControllerContext<'_, '_>,
    ) -> Plan {
        if claim.metadata.is_terminating() {
            return Plan::default();
        }
        let class = cx.objects.named::<StorageClass>(class_of(claim)).cloned();
        let waits_for_consumer = class
            .as_ref()
            .is_some_and(|class| class.volume_binding_mode == Some(VolumeBindingMode::WaitForFirstConsumer));
        let selected = claim.metadata.annotation(annotation::SELECTED_NODE).map(str::to_owned);
        if let Some(volume) = best_matching_volume(claim, cx, waits_for_consumer) {
            return bind_volume_and_claim(&volume.clone(), claim, Plan::default());
        }
        let pending = set_claim_phase(claim, ClaimPhase::Pending);
        if waits_for_consumer && selected.is_none() {
            self.emit_waiting_event(claim, cx);
            return pending.requeue_after(Some(RESYNC_PERIOD));
        }
        match class {
            None if class_of(claim).is_empty() => {
                let text = "no persistent volumes available for this claim and no storage class is set";
                cx.emit_event(note(&**claim, EventType::Normal, "FailedBinding", text));
                pending.requeue_after(Some(RESYNC_PERIOD))
            }
            None => {
                let text = format!("storageclass.storage.k8s.io \"{}\" not found", class_of(claim));
                cx.emit_event(note(&**claim, EventType::Warning, "ProvisioningFailed", text));
                pending.requeue_after(Some(RESYNC_PERIOD))
            }
            Some(class) if &*class.provisioner == provisioner::NONE => {
                let text = "no volume plugin matched name: kubernetes.io/no-provisioner";
                cx.emit_event(note(&**claim, EventType::Warning, "ProvisioningFailed", text));
                pending.requeue_after(Some(RESYNC_PERIOD))
            }
            Some(class) => self.provision_volume(key, claim, &class, selected.as_deref(), pending, cx),
        }
    }

    /// Emits an event with the reason why a claim of the mode WaitForFirstConsumer is pending.
    fn emit_waiting_event(&self, claim: &PersistentVolumeClaim, cx: &mut ControllerContext<'_, '_>) {
        let key = claim.metadata.key();
        let users = cx
            .index
            .pods_using_claim(&key)
            .filter_map(|pod| cx.objects.get::<Pod>(pod));
        let waiting = users
            .filter(|pod| pod.spec.node_name.is_none())
            .map(|pod| pod.metadata.name.to_string())
            .next();
        let (reason, text) = match waiting {
            Some(pod) => ("WaitForPodScheduled", format!("waiting for pod {pod} to be scheduled")),
            None => (
                "WaitForFirstConsumer",
                "waiting for first consumer to be created before binding".to_owned(),
            ),
        };
        cx.emit_event(note(claim, EventType::Normal, reason, text));
    }

    /// Requests a new volume from the driver of the class, and adds its creation to `plan` when the driver is done.
    fn provision_volume(
        &mut self,
        key: &Key,
        claim: &PersistentVolumeClaim,
        class: &StorageClass,
        selected: Option<&str>,
        plan: Plan,
        cx: &mut ControllerContext<'_, '_>,
    ) -> Plan {
        let now = cx.now();
        let ready = self.in_progress.get(key).copied();
        let Some(ready) = ready else {
            let driver = &class.provisioner;
            let text = format!(
                "Waiting for a volume to be created either by the external provisioner '{driver}' or manually by the system administrator. \
                 If volume creation is delayed, please verify that the provisioner is running and correctly registered."
            );
            cx.emit_event(note(claim, EventType::Normal, "ExternalProvisioning", text));
            let text = format!(
                "External provisioner is provisioning volume for claim \"{}\"",
                claim.metadata.key()
            );
            cx.emit_event(note(claim, EventType::Normal, "Provisioning", text));
            self.in_progress.insert(key.clone(), now + PROVISIONING_TIME);
            return plan.requeue_after(Some(PROVISIONING_TIME));
        };
        if ready > now {
            return plan.requeue_after(Some(ready - now));
        }
        let name = format!("pvc-{}", claim.metadata.uid);
        let text = format!("Successfully provisioned volume {name}");
        let node = selected.and_then(|name| cx.objects.named::<Node>(name)).cloned();
        let volume = provisioned_volume(claim, class, &name, node.as_deref());
        let create = Action::from(Request::Create(Object::PersistentVolume(Arc::new(volume))))
            .accept(Accept::OrAlreadyExists)
            .on_success(note(claim, EventType::Normal, "ProvisioningSucceeded", text));
        plan.then_action(create)
    }

    fn sync_volume(&mut self, key: &Key, volume: &PersistentVolume, cx: &mut ControllerContext<'_, '_>) -> Plan {
        let Some(reference) = &volume.spec.claim_ref else {
            return set_volume_phase(volume, VolumePhase::Available, cx);
        };
        if reference.uid.is_empty() {
            return set_volume_phase(volume, VolumePhase::Available, cx);
        }
        let claim_key = ObjectKey::new(reference.namespace.clone(), reference.name.clone());
        let claim = cx.objects.get::<PersistentVolumeClaim>(&claim_key).cloned();
        match claim.filter(|claim| claim.metadata.uid == reference.uid) {
            Some(claim) if claim.spec.volume_name == volume.metadata.name => {
                self.in_progress.remove(key);
                set_volume_phase(volume, VolumePhase::Bound, cx)
            }
            Some(claim) if claim.spec.volume_name.is_empty() => {
                if with_volume_name::report_mode_mismatch(volume, &claim, cx) {
                    return Plan::default().requeue_after(Some(RESYNC_PERIOD));
                }
                // The claim will refer to the volume after its next sync.
                Plan::default()
            }
            // The volume was not dynamically provisioned, and its claim is bound to another volume.
            Some(_) if !is_deleted_with_claim(volume) => with_volume_name::unbind(volume),
            _ => self.release_volume(key, volume, cx),
        }
    }

    /// Reclaims the volume of a deleted claim: `Retain` keeps it, `Delete` lets its driver delete it.
    fn release_volume(&mut self, key: &Key, volume: &PersistentVolume, cx: &mut ControllerContext<'_, '_>) -> Plan {
        let plan = match volume.status.phase {
            Some(VolumePhase::Failed) => Plan::default(),
            _ => set_volume_phase(volume, VolumePhase::Released, cx),
        };
        let is_deleted = volume.spec.persistent_volume_reclaim_policy.as_deref() == Some("Delete");
        if !is_deleted {
            return plan;
        }
        // The driver does not delete a volume that is still attached (external-provisioner checks that).
        let attached = cx
            .objects
            .list::<podscope_api::VolumeAttachment>()
            .any(|attachment| attachment.spec.source.persistent_volume_name.as_ref() == Some(&volume.metadata.name));
        let of_driver = |name: &Str| {
            name.starts_with("external-attacher/") || name.starts_with("external-provisioner.volume.kubernetes.io/")
        };
        if volume.metadata.is_terminating() {
            // Only imported volumes have finalizers of a driver. The controller removes them, as the driver would.
            let is_held = volume.metadata.finalizers.iter().any(of_driver);
            if !is_held || attached {
                return plan;
            }
            let change = Mutation::new("finalizers", move |volume: &mut PersistentVolume| {
                volume.metadata.finalizers.retain(|name| !of_driver(name));
            });
            let patch = Request::Patch {
                kind: Kind::PersistentVolume,
                key: key.1.clone(),
                uid: Some(volume.metadata.uid.clone()),
                part: Part::Main,
                change,
            };
            return plan.then_action(Action::from(patch).accept(Accept::OrNotFound));
        }
        let now = cx.now();
        let ready = *self.in_progress.entry(key.clone()).or_insert(now + PROVISIONING_TIME);
        if attached || ready > now {
            return plan.requeue_after(Some((ready - now).max(PROVISIONING_TIME)));
        }
        self.in_progress.remove(key);
        let delete = Request::Delete {
            kind: Kind::PersistentVolume,
            key: key.1.clone(),
            options: DeleteOptions::default(),
        };
        plan.then_action(Action::from(delete).accept(Accept::OrNotFound))
    }
}

/// Returns whether the volume was dynamically provisioned and is deleted with its claim.
fn is_deleted_with_claim(volume: &PersistentVolume) -> bool {
    volume.metadata.annotation(PROVISIONED_BY_ANNOTATION).is_some()
        && volume.spec.persistent_volume_reclaim_policy.as_deref() == Some("Delete")
}

fn set_volume_phase(volume: &PersistentVolume, phase: VolumePhase, cx: &ControllerContext<'_, '_>) -> Plan {
    if volume.status.phase.as_ref() == Some(&phase) {
        return Plan::default();
    }
    let mut updated = volume.clone();
    updated.status.phase = Some(phase);
    updated.status.last_phase_transition_time = Some(cx.time());
    Plan::one(Request::Update(
        Object::PersistentVolume(Arc::new(updated)),
        Part::Status,
    ))
}

#[cfg(test)]
mod tests {
    use super::super::lab::Lab;
    use super::*;

    /// Returns the manifest of a PersistentVolume.
    fn volume_manifest(name: &str, size: &str, extra_spec: &str) -> String {
        format!(
            "{{apiVersion: v1, kind: PersistentVolume, metadata: {{name: {name}}}, spec: {{capacity: {{storage: {size}}}, accessModes: [ReadWriteOnce], \
             storageClassName: disk, nfs: {{server: s, path: /{name}}}{extra_spec}}}}}"
        )
    }

    /// Returns the manifest of a claim for 5 GiB.
    fn claim_manifest(name: &str, class: &str) -> String {
        format!(
            "{{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {{name: {name}}}, spec: {{accessModes: [ReadWriteOnce], storageClassName: {class}, \
             resources: {{requests: {{storage: 5Gi}}}}}}}}"
        )
    }

    /// Returns the claims as `CLAIM:VOLUME:PHASE`, then the volumes as `VOLUME:PHASE`.
    fn phases(lab: &Lab) -> Vec<String> {
        let claims = lab.objects().list::<PersistentVolumeClaim>().map(|claim| {
            format!(
                "{}:{}:{}",
                claim.metadata.name,
                claim.spec.volume_name,
                claim.status.phase.as_ref().map_or("", |phase| phase.as_str())
            )
        });
        let volumes = lab.objects().list::<PersistentVolume>().map(|volume| {
            format!(
                "{}:{}",
                volume.metadata.name,
                volume.status.phase.as_ref().map_or("", |phase| phase.as_str())
            )
        });
        claims.chain(volumes).collect()
    }

    fn join_yaml(parts: &[String]) -> String {
        parts.join("\n---\n")
    }

    /// A claim binds to the smallest sufficient volume. When the claim is deleted, the volume is released; the policy
    /// Retain keeps it, and it is not bound again.
    /// Shows: V-01, CT-123
    #[test]
    fn claim_binds_smallest_volume_that_is_later_released() {
        let parts = [
            volume_manifest("big", "50Gi", ""),
            volume_manifest("small", "1Gi", ""),
            volume_manifest("mid", "5Gi", ""),
            claim_manifest("data", "disk"),
        ];
        let mut lab = Lab::new(&["a-1"], &join_yaml(&parts));
        lab.run(Span::seconds(1));
        assert_eq!(
            phases(&lab),
            ["data:mid:Bound", "big:Available", "mid:Bound", "small:Available"]
        );
        lab.delete(Kind::PersistentVolumeClaim, "data", None);
        lab.run(Span::seconds(5));
        assert_eq!(phases(&lab), ["big:Available", "mid:Released", "small:Available"]);
        lab.apply(&claim_manifest("data", "disk"));
        lab.run(Span::seconds(1));
        assert_eq!(
            phases(&lab)[0],
            "data:big:Bound",
            "a released volume is not bound again"
        );
        lab.delete(Kind::PersistentVolume, "big", None);
        lab.run(Span::seconds(1));
        assert_eq!(phases(&lab)[0], "data:big:Lost");
    }

    /// A class with WaitForFirstConsumer provisions a volume in the zone of the node that the scheduler selected. The
    /// policy Delete deletes it with the claim.
    /// Shows: V-01, CT-123
    #[test]
    fn volume_is_provisioned_in_zone_of_selected_node() {
        let class = "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: fast}, provisioner: ebs.csi.aws.com, volumeBindingMode: WaitForFirstConsumer}";
        let mut lab = Lab::new(&["b-1"], &join_yaml(&[class.into(), claim_manifest("data", "fast")]));
        lab.run(Span::seconds(5));
        assert_eq!(phases(&lab), ["data::Pending"]);
        assert!(
            lab.events.contains(
                &"data WaitForFirstConsumer: waiting for first consumer to be created before binding".to_owned()
            ),
            "{:?}",
            lab.events
        );
        lab.edit::<PersistentVolumeClaim>("data", |claim| {
            set_entry(&mut claim.metadata.annotations, annotation::SELECTED_NODE, "b-1");
        });
        lab.run(Span::seconds(2));
        let made = lab.objects().list::<PersistentVolume>().next().unwrap().clone();
        let terms = &made
            .spec
            .node_affinity
            .as_ref()
            .unwrap()
            .required
            .as_ref()
            .unwrap()
            .node_selector_terms;
        assert_eq!(*terms[0].match_expressions[0].values[0], *"b");
        assert_eq!(phases(&lab)[0], format!("data:{}:Bound", made.metadata.name));
        lab.delete(Kind::PersistentVolumeClaim, "data", None);
        lab.run(Span::seconds(3));
        assert_eq!(phases(&lab), Vec::<String>::new());
    }

    /// Unsatisfiable claims stay pending and get events with the reason.
    /// Shows: CT-123
    #[test]
    fn unsatisfiable_claims_get_events_with_reason() {
        let mut lab = Lab::new(
            &["a-1"],
            &join_yaml(&[claim_manifest("one", "\"\""), claim_manifest("two", "none")]),
        );
        lab.run(Span::seconds(1));
        lab.events.sort_unstable();
        lab.events.dedup();
        assert_eq!(
            lab.events,
            [
                "one FailedBinding: no persistent volumes available for this claim and no storage class is set",
                "two ProvisioningFailed: storageclass.storage.k8s.io \"none\" not found"
            ]
        );
    }
}
