//! Claims with a `volumeName`, and volumes whose claim is bound to another volume (CT-123, CT-230).

use std::sync::Arc;

use podscope_api::well_known::annotation;
use podscope_api::{ClaimPhase, EventType, Object, PersistentVolume, PersistentVolumeClaim, Str};
use podscope_sim::{Part, Request};

use super::{RESYNC_PERIOD, bind_volume_and_claim, class_of, refers_to, set_claim_phase};
use crate::controller::{ControllerContext, note};
use crate::plan::Plan;

/// Returns whether the claim has been completely bound (annotation `bind-completed`).
pub(super) fn is_bound(claim: &PersistentVolumeClaim) -> bool {
    claim.metadata.annotation(annotation::BIND_COMPLETED).is_some()
}

/// Handles a claim that has a `volumeName` or was bound before.
pub(super) fn sync(claim: &PersistentVolumeClaim, cx: &mut ControllerContext<'_, '_>) -> Plan {
    let name = &claim.spec.volume_name;
    let volume = cx.objects.named::<PersistentVolume>(name).cloned();
    if !is_bound(claim) {
        return sync_claim_that_requests_volume(claim, volume.as_deref(), cx);
    }
    let Some(volume) = volume else {
        let what = if name.is_empty() {
            "reference to PersistentVolume"
        } else {
            "its PersistentVolume"
        };
        let text = format!("Bound claim has lost {what}. Data on the volume is lost!");
        return set_claim_lost(claim, "ClaimLost", &text, cx);
    };
    match &volume.spec.claim_ref {
        Some(reference) if !refers_to(reference, claim) => {
            let text = "Two claims are bound to the same volume, this one is bound incorrectly";
            set_claim_lost(claim, "ClaimMisbound", text, cx)
        }
        _ => bind_volume_and_claim(&volume, claim, Plan::default()),
    }
}

/// Handles an unbound claim that requests a volume by name. If the claim cannot bind, the reason is reported at each
/// resync.
fn sync_claim_that_requests_volume(
    claim: &PersistentVolumeClaim,
    volume: Option<&PersistentVolume>,
    cx: &mut ControllerContext<'_, '_>,
) -> Plan {
    let pending = set_claim_phase(claim, ClaimPhase::Pending);
    let Some(volume) = volume else {
        return pending;
    };
    let name = &volume.metadata.name;
    let (reason, text) = match &volume.spec.claim_ref {
        Some(reference) if refers_to(reference, claim) => return bind_volume_and_claim(volume, claim, Plan::default()),
        Some(_) => (
            "FailedBinding",
            format!("volume {name:?} already bound to a different claim."),
        ),
        None => match check_volume_satisfies_claim(volume, claim) {
            Ok(()) => return bind_volume_and_claim(volume, claim, Plan::default()),
            Err(why) => {
                let text = format!("Cannot bind to requested volume {name:?}: {why}");
                ("VolumeMismatch", text)
            }
        },
    };
    cx.emit_event(note(claim, EventType::Warning, reason, text));
    pending.requeue_after(Some(RESYNC_PERIOD))
}

/// Checks that the volume satisfies the claim.
///
/// # Errors
/// Returns the first mismatch, with the controller's message.
fn check_volume_satisfies_claim(volume: &PersistentVolume, claim: &PersistentVolumeClaim) -> Result<(), String> {
    let requested = claim.spec.resources.requests.get("storage");
    let size = volume.spec.capacity.get("storage");
    let value = |amount: Option<&podscope_api::Quantity>| amount.map_or(0, |amount| amount.value());
    if volume.metadata.is_terminating() {
        return Err(format!(
            "the volume is marked for deletion {:?}",
            &*volume.metadata.name
        ));
    }
    let mismatch = if value(size) < value(requested) {
        "requested PV is too small"
    } else if *volume.spec.storage_class_name != *class_of(claim) {
        "storageClassName does not match"
    } else if volume_attributes_class_or_empty(&volume.spec.volume_attributes_class_name)
        != volume_attributes_class_or_empty(&claim.spec.volume_attributes_class_name)
    {
        "volumeAttributesClassName does not match"
    } else if has_other_volume_mode(volume, claim) {
        "incompatible volumeMode"
    } else if !(claim.spec.access_modes.iter()).all(|wanted| volume.spec.access_modes.contains(wanted)) {
        "incompatible accessMode"
    } else {
        return Ok(());
    };
    Err(mismatch.to_owned())
}

fn volume_attributes_class_or_empty(class: &Option<Str>) -> &str {
    class.as_deref().unwrap_or_default()
}

fn has_other_volume_mode(volume: &PersistentVolume, claim: &PersistentVolumeClaim) -> bool {
    let mode = |mode: &Option<Str>| mode.clone().unwrap_or_else(|| "Filesystem".into());
    mode(&volume.spec.volume_mode) != mode(&claim.spec.volume_mode)
}

fn set_claim_lost(claim: &PersistentVolumeClaim, reason: &str, text: &str, cx: &mut ControllerContext<'_, '_>) -> Plan {
    if claim.status.phase != Some(ClaimPhase::Lost) {
        cx.emit_event(note(claim, EventType::Warning, reason, text));
    }
    set_claim_phase(claim, ClaimPhase::Lost)
}

/// If the volume and the claim that it is reserved for have different volume modes, emits events on both and returns
/// true.
pub(super) fn report_mode_mismatch(
    volume: &PersistentVolume,
    claim: &PersistentVolumeClaim,
    cx: &mut ControllerContext<'_, '_>,
) -> bool {
    if !has_other_volume_mode(volume, claim) {
        return false;
    }
    let (of_volume, of_claim) = (&*volume.metadata.name, &*claim.metadata.name);
    let text = format!(
        "Cannot bind PersistentVolume to requested PersistentVolumeClaim {of_claim:?} due to incompatible volumeMode."
    );
    cx.emit_event(note(volume, EventType::Warning, "VolumeMismatch", text));
    let text = format!(
        "Cannot bind PersistentVolume {of_volume:?} to requested PersistentVolumeClaim due to incompatible volumeMode."
    );
    cx.emit_event(note(claim, EventType::Warning, "VolumeMismatch", text));
    true
}

/// Releases a volume whose claim is bound to another volume. Removes the `claimRef` if the controller had set it;
/// otherwise the volume stays reserved for the claim's name.
pub(super) fn unbind(volume: &PersistentVolume) -> Plan {
    let mut freed = volume.clone();
    if volume.metadata.annotation(annotation::BOUND_BY_CONTROLLER).is_some() {
        freed.spec.claim_ref = None;
        Arc::make_mut(&mut freed.metadata.annotations).remove(annotation::BOUND_BY_CONTROLLER);
    } else if let Some(reference) = &mut freed.spec.claim_ref {
        reference.uid = podscope_api::Uid::default();
    }
    // The volume's phase is updated in a later sync, after the cache shows the change of `claimRef`.
    Plan::one(Request::Update(Object::PersistentVolume(Arc::new(freed)), Part::Main))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::Lab;
    use podscope_sim::Span;

    /// Returns the manifest of a claim that requests the volume `pv`.
    fn claim_manifest(name: &str, class: &str, size: &str, extra_spec: &str) -> String {
        format!(
            "{{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {{name: {name}}}, spec: {{accessModes: [ReadWriteOnce], \
             storageClassName: {class}, volumeName: pv, {extra_spec} resources: {{requests: {{storage: {size}}}}}}}}}"
        )
    }

    /// Returns the manifest of the volume `pv`.
    fn volume_manifest(extra_spec: &str) -> String {
        format!(
            "{{apiVersion: v1, kind: PersistentVolume, metadata: {{name: pv}}, spec: {{capacity: {{storage: 1Gi}}, accessModes: \
             [ReadWriteOnce], storageClassName: a, hostPath: {{path: /x}} {extra_spec}}}}}"
        )
    }

    /// The mismatch between a claim and its requested volume is reported at each resync (CT-230).
    #[test]
    fn mismatch_of_requested_volume_is_reported_at_each_resync() {
        for (claim, mismatch) in [
            (claim_manifest("c", "a", "5Gi", ""), "requested PV is too small"),
            (claim_manifest("c", "b", "1Gi", ""), "storageClassName does not match"),
            (
                claim_manifest("c", "a", "1Gi", "volumeMode: Block,"),
                "incompatible volumeMode",
            ),
        ] {
            let mut lab = Lab::new(&["a-1"], &format!("{}\n---\n{claim}", volume_manifest("")));
            lab.run(Span::seconds(40));
            let event = format!("c VolumeMismatch: Cannot bind to requested volume \"pv\": {mismatch}");
            let count = lab.events.iter().filter(|one| **one == event).count();
            assert!(count >= 2, "{:?}", lab.events);
            assert_eq!(
                lab.get::<PersistentVolumeClaim>("c").unwrap().status.phase,
                Some(ClaimPhase::Pending)
            );
        }
    }

    /// A claim that requests a volume bound to another claim stays pending with an event (CT-230).
    #[test]
    fn claim_that_requests_bound_volume_stays_pending() {
        let texts = [volume_manifest(""), claim_manifest("first", "a", "1Gi", "")];
        let mut lab = Lab::new(&["a-1"], &texts.join("\n---\n"));
        lab.run(Span::seconds(3));
        lab.apply(&claim_manifest("second", "a", "1Gi", ""));
        lab.run(Span::seconds(3));
        let event = "second FailedBinding: volume \"pv\" already bound to a different claim.".to_owned();
        assert!(lab.events.contains(&event), "{:?}", lab.events);
    }
}
