//! How an attachment is made and broken (CT-130, CT-132, CT-135, V-04).
//!
//! Volumes of a driver have a VolumeAttachment, which the driver's attacher
//! answers ([`super::attacher`]). Volumes without one (iSCSI, FC) are attached
//! by the protocol of seed 000: the controller swaps the holder recorded on the
//! PersistentVolume, from the value it observed, and the server refuses a stale
//! swap. Volumes that a pod names itself have no record but the node's list.

use podscope_api::{
    AttachedVolume, Kind, Node, NodeName, Object, ObjectKey, ObjectMeta, PersistentVolume, Str, VolumeAttachment,
    VolumeAttachmentSource, VolumeAttachmentSpec,
};
use std::fmt;
use std::sync::Arc;

use podscope_sim::volume::{Backend, driver_of};
use podscope_sim::{DeleteOptions, Mutation, Objects, Part, Request};
use sha2::{Digest, Sha256};

use super::controller::ControllerContext;
use super::plan::{Accept, Action, Plan};
use super::template::set_entry;

/// Where a PersistentVolume without a driver says who holds it (V-04, CT-174).
const ATTACHED_TO: &str = "podscope.dev/attached-to";

/// Who holds a volume without a driver: `NODE NAMESPACE/POD`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    /// The node that it is attached to.
    pub node: NodeName,
    /// For which pod; a person who writes it may leave that out.
    pod: Option<Str>,
}

impl Holder {
    /// What the annotation says, whoever wrote it.
    pub fn parse(text: &str) -> Self {
        let (node, pod) = match text.split_once(' ') {
            Some((node, pod)) => (node, Some(pod.into())),
            None => (text, None),
        };
        Self { node: node.into(), pod }
    }

    /// Who holds the volume, if somebody does.
    pub fn of(volume: &ObjectMeta) -> Option<Self> {
        volume.annotation(ATTACHED_TO).map(Self::parse)
    }

    /// Nobody holds it any more.
    pub fn strike(volume: &mut ObjectMeta) {
        Arc::make_mut(&mut volume.annotations).remove(ATTACHED_TO);
    }
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.pod {
            Some(pod) => write!(f, "{} {pod}", self.node),
            None => write!(f, "{}", self.node),
        }
    }
}

/// How a volume is attached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum AttachMethod<'a> {
    /// By that driver, through a VolumeAttachment.
    Driver(Str),
    /// By compare-and-swap on the PersistentVolume.
    Swap(&'a PersistentVolume),
    /// By the node's list alone.
    Bookkeeping,
}

pub(super) fn method_of<'a>(backend: &Backend, cx: &'a ControllerContext<'_, '_>) -> AttachMethod<'a> {
    let Some(volume) = cx.objects.named::<PersistentVolume>(&backend.name) else {
        return AttachMethod::Bookkeeping;
    };
    driver_of(volume).map_or(AttachMethod::Swap(volume), AttachMethod::Driver)
}

/// The name that kube-controller-manager gives: `csi-` and the SHA-256 of the volume's handle, its driver and the node
/// (`getAttachmentName` of `pkg/volume/csi`, CT-205).
fn attachment_name(backend: &Backend, driver: &str, node: &NodeName) -> Str {
    let volume = &*backend.unique_name;
    let last = || volume.rsplit('/').next().unwrap_or_default();
    let handle = volume.split_once('^').map_or_else(last, |(_, handle)| handle);
    let sum = Sha256::digest(format!("{handle}{driver}{node}"));
    let mut name = String::from("csi-");
    for byte in sum {
        name.push_str(&format!("{byte:02x}"));
    }
    name.into()
}

/// The attachment of a volume to a node, whoever made it and whatever its name is.
fn made(attacher: &str, volume: &str, node: &NodeName, objects: &Objects) -> Option<Arc<VolumeAttachment>> {
    let mut all = objects.list::<VolumeAttachment>();
    let found = all.find(|one| {
        let spec = &one.spec;
        let of = spec.source.persistent_volume_name.as_deref();
        *spec.attacher == *attacher && of == Some(volume) && spec.node_name == *node
    });
    found.cloned()
}

/// Attaches a volume to a node for a pod.
pub(super) fn attach(
    backend: &Backend,
    node: &NodeName,
    pod: Option<&ObjectKey>,
    cx: &ControllerContext<'_, '_>,
) -> Plan {
    match method_of(backend, cx) {
        AttachMethod::Driver(attacher) => {
            let there = made(&attacher, &backend.name, node, cx.objects);
            let name = there.map_or_else(
                || attachment_name(backend, &attacher, node),
                |there| there.metadata.name.clone(),
            );
            let attachment = VolumeAttachment {
                metadata: ObjectMeta {
                    name,
                    ..ObjectMeta::default()
                },
                spec: VolumeAttachmentSpec {
                    attacher,
                    node_name: node.clone(),
                    source: VolumeAttachmentSource {
                        persistent_volume_name: Some(backend.name.clone()),
                    },
                },
                ..VolumeAttachment::default()
            };
            let create = Request::Create(Object::VolumeAttachment(Arc::new(attachment)));
            Plan::one(Action::from(create).accept(Accept::OrAlreadyExists))
        }
        AttachMethod::Swap(volume) => {
            let mut held = volume.clone();
            let holder = Holder {
                node: node.clone(),
                pod: pod.map(|pod| pod.to_string().into()),
            };
            set_entry(&mut held.metadata.annotations, ATTACHED_TO, &holder.to_string());
            Plan::one(Request::Update(Object::PersistentVolume(Arc::new(held)), Part::Main))
        }
        AttachMethod::Bookkeeping => {
            Plan::default().then(report(&(backend.unique_name.clone(), node.clone()), true, cx))
        }
    }
}

/// Writes into the node's status that a volume is attached, or no more; nothing if it says so or the Node is gone.
pub(super) fn report((volume, node): &(Str, NodeName), attached: bool, cx: &ControllerContext<'_, '_>) -> Vec<Action> {
    let Some(object) = cx.objects.named::<Node>(node) else {
        return Vec::new();
    };
    let says_so = object.status.volumes_attached.iter().any(|own| own.name == *volume);
    if says_so == attached {
        return Vec::new();
    }
    let volume = volume.clone();
    let change = Mutation::new("volumesAttached", move |node: &mut Node| {
        let list = &mut node.status.volumes_attached;
        list.retain(|own| own.name != volume);
        if attached {
            list.push(AttachedVolume {
                name: volume.clone(),
                ..AttachedVolume::default()
            });
        }
    });
    let patch = Request::Patch {
        kind: Kind::Node,
        key: ObjectKey::cluster(node.0.clone()),
        uid: Some(object.metadata.uid.clone()),
        part: Part::Status,
        change,
    };
    vec![Action::from(patch).accept(Accept::OrNotFound)]
}

/// Detaches: first from the node's list; then, unless forced, the live node must not have it in use; then for good (CT-132).
pub(super) fn detach(backend: &Backend, place: &(Str, NodeName), verify: bool, cx: &ControllerContext<'_, '_>) -> Plan {
    let mut plan = Plan::default().then(report(place, false, cx));
    if verify {
        let read = Request::Get {
            kind: Kind::Node,
            key: ObjectKey::cluster(place.1.0.clone()),
        };
        plan = plan.then_one(Action::from(read).accept(Accept::NotInUse(place.0.clone())));
    }
    match method_of(backend, cx) {
        AttachMethod::Driver(attacher) => {
            let there = made(&attacher, &backend.name, &place.1, cx.objects);
            let name = there.map_or_else(
                || attachment_name(backend, &attacher, &place.1),
                |there| there.metadata.name.clone(),
            );
            let delete = Request::Delete {
                kind: Kind::VolumeAttachment,
                key: ObjectKey::cluster(name),
                options: DeleteOptions::default(),
            };
            plan.then_one(Action::from(delete).accept(Accept::OrNotFound))
        }
        AttachMethod::Swap(volume) => {
            let mut free = volume.clone();
            Holder::strike(&mut free.metadata);
            plan.then_one(Request::Update(Object::PersistentVolume(Arc::new(free)), Part::Main))
        }
        // The list was the only record; reading the node again ends it.
        AttachMethod::Bookkeeping => plan.then(report(place, false, cx)),
    }
}

#[cfg(test)]
mod tests {
    use super::Holder;

    /// What a person wrote is told as it was written.
    /// Shows: V-04
    #[test]
    fn a_holder_is_printed_as_it_was_read() {
        for (text, node) in [("a-1 default/db", "a-1"), ("a-1", "a-1"), ("a-1 ", "a-1"), ("", "")] {
            let holder = Holder::parse(text);
            assert_eq!((holder.node.as_str(), holder.to_string().as_str()), (node, text));
        }
    }
}
