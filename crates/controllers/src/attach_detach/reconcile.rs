//! One pass of attach/detach: detaches unneeded volumes, then attaches needed ones.

use podscope_api::{AccessMode, EventType, Node, NodeName, PersistentVolume, Str, ordered};
use podscope_sim::volume::Backend;
use podscope_sim::{SimTime, Span};

use super::{
    AttachDetachController, Attachment, AttachmentState, VolumeOnNode, emit_event_for_pods, key_of_attachment,
};
use crate::attachment::{AttachMethod, attach_method};
use crate::controller::ControllerContext;
use crate::taints::is_out_of_service;

/// Time after which a volume that is still mounted on a node that is not ready is detached by force (CT-131).
const FORCED_DETACH_AFTER: Span = Span::seconds(360);

impl AttachDetachController {
    /// Runs one pass.
    pub(super) fn reconcile(&mut self, cx: &mut ControllerContext<'_, '_>) {
        self.verify_attachments(cx);
        let mut needed: ordered::Map<VolumeOnNode, Backend> = ordered::Map::new();
        for (backend, node) in self.needed.values().flatten() {
            needed.insert((backend.unique_name.clone(), node.clone()), backend.clone());
        }
        self.detach_unneeded(&needed, cx);
        self.attach_needed(&needed, cx);
    }

    fn detach_unneeded(&mut self, needed: &ordered::Map<VolumeOnNode, Backend>, cx: &mut ControllerContext<'_, '_>) {
        let now = cx.now();
        let mut next: Option<SimTime> = None;
        let mut detaches = Vec::new();
        for (place, known) in &mut self.actual {
            if needed.contains_key(place) {
                known.unneeded_since = None;
                continue;
            }
            let since = *known.unneeded_since.get_or_insert(now);
            if !matches!(known.state, AttachmentState::Attached | AttachmentState::Uncertain) {
                continue;
            }
            let wait = known.retry_at.max(if may_detach(place, since, &self.in_use, cx) {
                now
            } else {
                since + FORCED_DETACH_AFTER + Span(1)
            });
            if wait <= now && may_detach(place, since, &self.in_use, cx) {
                detaches.push(place.clone());
            } else if wait > now {
                next = Some(next.map_or(wait, |earliest| earliest.min(wait)));
            }
        }
        for place in detaches {
            // An inline volume in the state Uncertain was refused by its storage, so there is nothing to detach.
            let is_refused = self.actual.get(&place).is_some_and(|known| {
                known.state == AttachmentState::Uncertain
                    && attach_method(&known.backend, cx) == AttachMethod::NodeListOnly
            });
            if is_refused {
                self.remove_lost_attachment(&place, cx);
                continue;
            }
            self.set_attachment_state(&place, AttachmentState::Detaching);
            cx.enqueue(key_of_attachment(&place));
        }
        if let Some(at) = next {
            self.schedule_reconcile_pass_at(at, cx);
        }
    }

    fn attach_needed(&mut self, needed: &ordered::Map<VolumeOnNode, Backend>, cx: &mut ControllerContext<'_, '_>) {
        let now = cx.now();
        let mut next: Option<SimTime> = None;
        for (place, backend) in needed {
            match self.actual.get(place).map(|known| (known.state, known.retry_at)) {
                Some((AttachmentState::Attached | AttachmentState::Attaching | AttachmentState::Detaching, _)) => {
                    continue;
                }
                Some((AttachmentState::Uncertain, retry)) if retry > now => {
                    next = Some(next.map_or(retry, |earliest| earliest.min(retry)));
                    continue;
                }
                _ => {}
            }
            if forbids_multi_attach(backend, cx) {
                let others = self
                    .actual
                    .iter()
                    .filter(|(other, _)| other.0 == place.0 && other.1 != place.1);
                let states: Vec<(VolumeOnNode, AttachmentState)> =
                    others.map(|(other, known)| (other.clone(), known.state)).collect();
                // A volume with exclusive access allows only one operation at a time in the whole cluster.
                if states
                    .iter()
                    .any(|(_, state)| matches!(state, AttachmentState::Attaching | AttachmentState::Detaching))
                {
                    continue;
                }
                if let Some((other, _)) = states.iter().find(|(_, state)| *state == AttachmentState::Attached) {
                    self.report_multi_attach(place, &backend.spec_name, other, cx);
                    continue;
                }
            }
            match self.actual.get_mut(place) {
                Some(known) => known.state = AttachmentState::Attaching,
                None => self.insert_attachment(place.clone(), backend.clone(), AttachmentState::Attaching),
            }
            if let Some(holder) = self.node_refusing_attach(place, backend, cx) {
                let why = format!("volume {} is already attached to node {holder}", backend.spec_name);
                self.mark_uncertain(place, &why, cx);
                continue;
            }
            cx.enqueue(key_of_attachment(place));
        }
        if let Some(at) = next {
            self.schedule_reconcile_pass_at(at, cx);
        }
    }

    /// Returns the node that holds an inline disk whose storage refuses a second node. For PersistentVolumes the
    /// attacher checks this.
    fn node_refusing_attach(
        &self,
        place: &VolumeOnNode,
        backend: &Backend,
        cx: &ControllerContext<'_, '_>,
    ) -> Option<NodeName> {
        let asks_storage = backend.is_exclusive && attach_method(backend, cx) == AttachMethod::NodeListOnly;
        let mut others = self.actual.iter().filter(|(other, known)| {
            other.0 == place.0
                && other.1 != place.1
                && known.state != AttachmentState::Uncertain
                // Several nodes may use a disk if all of them only read it.
                && !(known.backend.is_read_only && backend.is_read_only)
        });
        let holder = others.next().filter(|_| asks_storage)?;
        Some(holder.0.1.clone())
    }

    /// Reports a Multi-Attach error, once for each volume and node (CT-129).
    fn report_multi_attach(
        &mut self,
        place: &VolumeOnNode,
        volume: &str,
        other: &VolumeOnNode,
        cx: &mut ControllerContext<'_, '_>,
    ) {
        if !self.reported.insert(place.clone()) {
            return;
        }
        let names: Vec<String> = self
            .pods_using_volume(other)
            .iter()
            .map(|pod| pod.name.to_string())
            .collect();
        let text = if names.is_empty() {
            format!(
                "Multi-Attach error for volume \"{volume}\" Volume is already exclusively attached to one node and can't be attached to another"
            )
        } else {
            format!(
                "Multi-Attach error for volume \"{volume}\" Volume is already used by pod(s) {}",
                names.join(", ")
            )
        };
        emit_event_for_pods(
            &self.pods_using_volume(place),
            EventType::Warning,
            "FailedAttachVolume",
            &text,
            cx,
        );
    }

    /// Returns whether the volume is detached by force, without the final check of `volumesInUse` (CT-132).
    pub(super) fn is_detach_forced(
        &self,
        place: &VolumeOnNode,
        known: &Attachment,
        cx: &ControllerContext<'_, '_>,
    ) -> bool {
        let has_timed_out = known
            .unneeded_since
            .is_some_and(|since| cx.now() > since + FORCED_DETACH_AFTER);
        let node = cx.objects.named::<Node>(&place.1);
        has_timed_out || node.is_some_and(|node| is_out_of_service(node))
    }
}

/// Returns whether a volume may be detached: it is not mounted, its unready node has timed out, or the node is out of
/// service (CT-131).
fn may_detach(
    place: &VolumeOnNode,
    unneeded_since: SimTime,
    in_use: &ordered::Map<NodeName, Vec<Str>>,
    cx: &ControllerContext<'_, '_>,
) -> bool {
    let node = cx.objects.named::<Node>(&place.1);
    let is_mounted = in_use.get(&place.1).is_some_and(|volumes| volumes.contains(&place.0));
    let is_ready = node.is_some_and(|node| node.is_ready());
    let has_timed_out = cx.now() > unneeded_since + FORCED_DETACH_AFTER && !cx.settings.disable_force_detach_on_timeout;
    !is_mounted || (has_timed_out && !is_ready) || node.is_some_and(|node| is_out_of_service(node))
}

/// Returns whether a volume must not be attached to several nodes: a PersistentVolume whose access modes all exclude
/// it, or an inline disk of a type whose attach to a second node is known to fail only after a long time (CT-129,
/// `isMultiAttachForbidden`).
fn forbids_multi_attach(backend: &Backend, cx: &ControllerContext<'_, '_>) -> bool {
    let is_slow = |plugin: &str| backend.unique_name.starts_with(&format!("kubernetes.io/{plugin}/"));
    cx.objects.named::<PersistentVolume>(&backend.name).map_or_else(
        || is_slow("azure-disk") || is_slow("cinder"),
        |volume| {
            let modes = &volume.spec.access_modes;
            !modes.is_empty()
                && !modes
                    .iter()
                    .any(|mode| matches!(mode, AccessMode::ReadWriteMany | AccessMode::ReadOnlyMany))
        },
    )
}
