//! Claims that name a volume, and volumes whose claim is bound elsewhere (CT-123, CT-230).

use std::sync::Arc;

use podscope_api::{ClaimPhase, EventType, Object, PersistentVolume, PersistentVolumeClaim, Str};
use podscope_sim::{Part, Request};

use super::{BIND_COMPLETED, BOUND_BY_CONTROLLER, RESYNC, bind, class_of, refers_to, set_claim_phase};
use crate::controller::{ControllerContext, note};
use crate::plan::Plan;

/// Whether the claim was bound before.
pub(super) fn is_bound(claim: &PersistentVolumeClaim) -> bool {
    claim.metadata.annotation(BIND_COMPLETED).is_some()
}

/// A claim that names its volume, or was bound to one before.
pub(super) fn sync(claim: &PersistentVolumeClaim, cx: &mut ControllerContext<'_, '_>) -> Plan {
    let name = &claim.spec.volume_name;
    let volume = cx.objects.named::<PersistentVolume>(name).cloned();
    if !is_bound(claim) {
        return asks_for(claim, volume.as_deref(), cx);
    }
    let Some(volume) = volume else {
        let what = if name.is_empty() {
            "reference to PersistentVolume"
        } else {
            "its PersistentVolume"
        };
        let text = format!("Bound claim has lost {what}. Data on the volume is lost!");
        return lose(claim, "ClaimLost", &text, cx);
    };
    match &volume.spec.claim_ref {
        Some(reference) if !refers_to(reference, claim) => {
            let text = "Two claims are bound to the same volume, this one is bound incorrectly";
            lose(claim, "ClaimMisbound", text, cx)
        }
        _ => bind(&volume, claim, Plan::default()),
    }
}

/// A claim that asks for a volume and has it not yet. What hinders it is said again at each resync.
fn asks_for(
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
        Some(reference) if refers_to(reference, claim) => return bind(volume, claim, Plan::default()),
        Some(_) => (
            "FailedBinding",
            format!("volume {name:?} already bound to a different claim."),
        ),
        None => match satisfies(volume, claim) {
            Ok(()) => return bind(volume, claim, Plan::default()),
            Err(why) => {
                let text = format!("Cannot bind to requested volume {name:?}: {why}");
                ("VolumeMismatch", text)
            }
        },
    };
    cx.event(note(claim, EventType::Warning, reason, text));
    pending.requeue_after(Some(RESYNC))
}

/// Whether the volume is such as the claim asks for.
///
/// # Errors
/// The first thing that differs, in the controller's words.
fn satisfies(volume: &PersistentVolume, claim: &PersistentVolumeClaim) -> Result<(), String> {
    let asked = claim.spec.resources.requests.get("storage");
    let size = volume.spec.capacity.get("storage");
    let value = |amount: Option<&podscope_api::Quantity>| amount.map_or(0, |amount| amount.value());
    if volume.metadata.is_terminating() {
        return Err(format!(
            "the volume is marked for deletion {:?}",
            &*volume.metadata.name
        ));
    }
    let wrong = if value(size) < value(asked) {
        "requested PV is too small"
    } else if *volume.spec.storage_class_name != *class_of(claim) {
        "storageClassName does not match"
    } else if attributes(&volume.spec.volume_attributes_class_name)
        != attributes(&claim.spec.volume_attributes_class_name)
    {
        "volumeAttributesClassName does not match"
    } else if is_other_mode(volume, claim) {
        "incompatible volumeMode"
    } else if !(claim.spec.access_modes.iter()).all(|wanted| volume.spec.access_modes.contains(wanted)) {
        "incompatible accessMode"
    } else {
        return Ok(());
    };
    Err(wrong.to_owned())
}

fn attributes(class: &Option<Str>) -> &str {
    class.as_deref().unwrap_or_default()
}

fn is_other_mode(volume: &PersistentVolume, claim: &PersistentVolumeClaim) -> bool {
    let mode = |mode: &Option<Str>| mode.clone().unwrap_or_else(|| "Filesystem".into());
    mode(&volume.spec.volume_mode) != mode(&claim.spec.volume_mode)
}

fn lose(claim: &PersistentVolumeClaim, reason: &str, text: &str, cx: &mut ControllerContext<'_, '_>) -> Plan {
    if claim.status.phase != Some(ClaimPhase::Lost) {
        cx.event(note(claim, EventType::Warning, reason, text));
    }
    set_claim_phase(claim, ClaimPhase::Lost)
}

/// A volume that is reserved for a claim which names none: a claim of another mode never takes it, which both are told.
/// Returns whether that is so.
pub(super) fn tell_mode_mismatch(
    volume: &PersistentVolume,
    claim: &PersistentVolumeClaim,
    cx: &mut ControllerContext<'_, '_>,
) -> bool {
    if !is_other_mode(volume, claim) {
        return false;
    }
    let (of_volume, of_claim) = (&*volume.metadata.name, &*claim.metadata.name);
    let text = format!(
        "Cannot bind PersistentVolume to requested PersistentVolumeClaim {of_claim:?} due to incompatible volumeMode."
    );
    cx.event(note(volume, EventType::Warning, "VolumeMismatch", text));
    let text = format!(
        "Cannot bind PersistentVolume {of_volume:?} to requested PersistentVolumeClaim due to incompatible volumeMode."
    );
    cx.event(note(claim, EventType::Warning, "VolumeMismatch", text));
    true
}

/// Frees a volume whose claim is bound elsewhere: one that the controller chose is for anybody again, one that was
/// reserved by hand stays reserved.
pub(super) fn unbind(volume: &PersistentVolume) -> Plan {
    let mut freed = volume.clone();
    if volume.metadata.annotation(BOUND_BY_CONTROLLER).is_some() {
        freed.spec.claim_ref = None;
        Arc::make_mut(&mut freed.metadata.annotations).remove(BOUND_BY_CONTROLLER);
    } else if let Some(reference) = &mut freed.spec.claim_ref {
        reference.uid = podscope_api::Uid::default();
    }
    // The phase follows when the cache shows that the volume is free.
    Plan::one(Request::Update(Object::PersistentVolume(Arc::new(freed)), Part::Main))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::Lab;
    use podscope_sim::Span;

    fn claim(name: &str, class: &str, size: &str, more: &str) -> String {
        format!(
            "{{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {{name: {name}}}, spec: {{accessModes: [ReadWriteOnce], \
             storageClassName: {class}, volumeName: pv, {more} resources: {{requests: {{storage: {size}}}}}}}}}"
        )
    }

    fn volume(more: &str) -> String {
        format!(
            "{{apiVersion: v1, kind: PersistentVolume, metadata: {{name: pv}}, spec: {{capacity: {{storage: 1Gi}}, accessModes: \
             [ReadWriteOnce], storageClassName: a, hostPath: {{path: /x}} {more}}}}}"
        )
    }

    /// CT-230: what hinders a claim that names its volume, said at each resync.
    #[test]
    fn a_claim_that_asks_for_another_volume_says_what_is_wrong() {
        for (claim, says) in [
            (claim("c", "a", "5Gi", ""), "requested PV is too small"),
            (claim("c", "b", "1Gi", ""), "storageClassName does not match"),
            (claim("c", "a", "1Gi", "volumeMode: Block,"), "incompatible volumeMode"),
        ] {
            let mut lab = Lab::new(&["a-1"], &format!("{}\n---\n{claim}", volume("")));
            lab.run(Span::seconds(40));
            let event = format!("c VolumeMismatch: Cannot bind to requested volume \"pv\": {says}");
            let count = lab.events.iter().filter(|one| **one == event).count();
            assert!(count >= 2, "{:?}", lab.events);
            assert_eq!(
                lab.get::<PersistentVolumeClaim>("c").unwrap().status.phase,
                Some(ClaimPhase::Pending)
            );
        }
    }

    /// CT-230.
    #[test]
    fn a_claim_waits_for_a_volume_that_another_one_has() {
        let texts = [volume(""), claim("first", "a", "1Gi", "")];
        let mut lab = Lab::new(&["a-1"], &texts.join("\n---\n"));
        lab.run(Span::seconds(3));
        lab.apply(&claim("second", "a", "1Gi", ""));
        lab.run(Span::seconds(3));
        let event = "second FailedBinding: volume \"pv\" already bound to a different claim.".to_owned();
        assert!(lab.events.contains(&event), "{:?}", lab.events);
    }
}
