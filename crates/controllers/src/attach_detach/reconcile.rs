//! The loop: what nobody wants is detached first, then what is wanted is attached.

use podscope_api::{AccessMode, EventType, Node, NodeName, PersistentVolume, Str, ordered};
use podscope_sim::volume::Backend;
use podscope_sim::{SimTime, Span};

use super::{AttachDetachController, Attachment, Place, State, key_of_place, say};
use crate::attachment::{AttachMethod, method_of};
use crate::controller::ControllerContext;
use crate::taints::is_out_of_service;

/// How long a volume may stay mounted on a node that is not ready (CT-131).
const FORCE_AFTER: Span = Span::seconds(360);

impl AttachDetachController {
    pub(super) fn reconcile(&mut self, cx: &mut ControllerContext<'_, '_>) {
        self.verify(cx);
        let mut wanted: ordered::Map<Place, Backend> = ordered::Map::new();
        for (backend, node) in self.wanted.values().flatten() {
            wanted.insert((backend.unique_name.clone(), node.clone()), backend.clone());
        }
        self.detach_unwanted(&wanted, cx);
        self.attach_wanted(&wanted, cx);
    }

    fn detach_unwanted(&mut self, wanted: &ordered::Map<Place, Backend>, cx: &mut ControllerContext<'_, '_>) {
        let now = cx.now();
        let mut next: Option<SimTime> = None;
        let mut detaches = Vec::new();
        for (place, known) in &mut self.actual {
            if wanted.contains_key(place) {
                known.unwanted_since = None;
                continue;
            }
            let since = *known.unwanted_since.get_or_insert(now);
            if !matches!(known.state, State::Attached | State::Uncertain) {
                continue;
            }
            let wait = known.retry_at.max(if may_detach(place, since, &self.in_use, cx) {
                now
            } else {
                since + FORCE_AFTER + Span(1)
            });
            if wait <= now && may_detach(place, since, &self.in_use, cx) {
                detaches.push(place.clone());
            } else if wait > now {
                next = Some(next.map_or(wait, |least| least.min(wait)));
            }
        }
        for place in detaches {
            // What was refused has no record that would have to go.
            let is_refused = self.actual.get(&place).is_some_and(|known| {
                known.state == State::Uncertain && method_of(&known.backend, cx) == AttachMethod::Bookkeeping
            });
            if is_refused {
                self.lost(&place, cx);
                continue;
            }
            self.set(&place, State::Detaching);
            cx.enqueue(key_of_place(&place));
        }
        if let Some(at) = next {
            self.wake_at(at, cx);
        }
    }

    fn attach_wanted(&mut self, wanted: &ordered::Map<Place, Backend>, cx: &mut ControllerContext<'_, '_>) {
        let now = cx.now();
        let mut next: Option<SimTime> = None;
        for (place, backend) in wanted {
            match self.actual.get(place).map(|known| (known.state, known.retry_at)) {
                Some((State::Attached | State::Attaching | State::Detaching, _)) => continue,
                Some((State::Uncertain, retry)) if retry > now => {
                    next = Some(next.map_or(retry, |least| least.min(retry)));
                    continue;
                }
                _ => {}
            }
            if is_single(backend, cx) {
                let others = self
                    .actual
                    .iter()
                    .filter(|(other, _)| other.0 == place.0 && other.1 != place.1);
                let states: Vec<(Place, State)> = others.map(|(other, known)| (other.clone(), known.state)).collect();
                // One operation at a time for such a volume, in the whole cluster.
                if states
                    .iter()
                    .any(|(_, state)| matches!(state, State::Attaching | State::Detaching))
                {
                    continue;
                }
                if let Some((other, _)) = states.iter().find(|(_, state)| *state == State::Attached) {
                    self.report_multi_attach(place, &backend.name, other, cx);
                    continue;
                }
            }
            match self.actual.get_mut(place) {
                Some(known) => known.state = State::Attaching,
                None => self.remember(place.clone(), backend.clone(), State::Attaching),
            }
            if let Some(holder) = self.refuses(place, backend, cx) {
                let why = format!("volume {} is already attached to node {holder}", backend.name);
                self.uncertain(place, &why, cx);
                continue;
            }
            cx.enqueue(key_of_place(place));
        }
        if let Some(at) = next {
            self.wake_at(at, cx);
        }
    }

    /// The node that has a disk which a pod names itself, if its storage refuses a second one. A PersistentVolume's is
    /// asked by its attacher.
    fn refuses(&self, place: &Place, backend: &Backend, cx: &ControllerContext<'_, '_>) -> Option<NodeName> {
        let asks_storage = backend.is_exclusive && method_of(backend, cx) == AttachMethod::Bookkeeping;
        let mut others = self.actual.iter().filter(|(other, known)| {
            other.0 == place.0
                && other.1 != place.1
                && known.state != State::Uncertain
                // Many may read a disk that nobody writes.
                && !(known.backend.is_read_only && backend.is_read_only)
        });
        let holder = others.next().filter(|_| asks_storage)?;
        Some(holder.0.1.clone())
    }

    /// Said once (CT-129).
    fn report_multi_attach(&mut self, place: &Place, volume: &str, other: &Place, cx: &mut ControllerContext<'_, '_>) {
        if !self.reported.insert(place.clone()) {
            return;
        }
        let names: Vec<String> = self.users(other).iter().map(|pod| pod.name.to_string()).collect();
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
        say(&self.users(place), EventType::Warning, "FailedAttachVolume", &text, cx);
    }

    /// Whether the last look at `volumesInUse` is skipped (CT-132).
    pub(super) fn is_forced(&self, place: &Place, known: &Attachment, cx: &ControllerContext<'_, '_>) -> bool {
        let elapsed = known.unwanted_since.is_some_and(|since| cx.now() > since + FORCE_AFTER);
        let node = cx.objects.named::<Node>(&place.1);
        elapsed || node.is_some_and(|node| is_out_of_service(node))
    }
}

/// CT-131.
fn may_detach(
    place: &Place,
    since: SimTime,
    in_use: &ordered::Map<NodeName, Vec<Str>>,
    cx: &ControllerContext<'_, '_>,
) -> bool {
    let node = cx.objects.named::<Node>(&place.1);
    let is_mounted = in_use.get(&place.1).is_some_and(|volumes| volumes.contains(&place.0));
    let is_ready = node.is_some_and(|node| node.is_ready());
    let has_timed_out = cx.now() > since + FORCE_AFTER && !cx.settings.disable_force_detach_on_timeout;
    !is_mounted || (has_timed_out && !is_ready) || node.is_some_and(|node| is_out_of_service(node))
}

/// Not multi-attachable: a volume that lists modes, none of which admits several nodes; of those that a pod names itself
/// the kinds that are known to take long to refuse (CT-129, `isMultiAttachForbidden`).
fn is_single(backend: &Backend, cx: &ControllerContext<'_, '_>) -> bool {
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
