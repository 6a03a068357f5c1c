//! How volumes are attached and detached (CT-130, CT-132, CT-135, V-04).
//!
//! A volume with a CSI driver has a VolumeAttachment, which the driver's attacher handles ([`super::attacher`]). A
//! volume without a driver (iSCSI, FC) is attached by compare-and-swap: the controller changes the holder annotation of
//! the PersistentVolume from the value that it observed, and the server refuses a stale update. An inline volume of a
//! pod is recorded only in the node's `volumesAttached`.

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

/// Annotation with the holder of a PersistentVolume that has no CSI driver (V-04, CT-174).
const HOLDER_ANNOTATION: &str = "podscope.dev/attached-to";

/// The holder of a volume without a driver, as `NODE NAMESPACE/POD`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    /// The node that the volume is attached to.
    pub node: NodeName,
    /// The pod that uses the volume; `None` if a user wrote the annotation without a pod.
    pod: Option<Str>,
}

impl Holder {
    /// Parses the value of the holder annotation.
    pub fn parse(text: &str) -> Self {
        let (node, pod) = match text.split_once(' ') {
            Some((node, pod)) => (node, Some(pod.into())),
            None => (text, None),
        };
        Self { node: node.into(), pod }
    }

    /// Returns the holder of the volume; `None` if the annotation is absent.
    pub fn of(volume: &ObjectMeta) -> Option<Self> {
        volume.annotation(HOLDER_ANNOTATION).map(Self::parse)
    }

    /// Removes the holder annotation.
    pub fn remove_annotation(volume: &mut ObjectMeta) {
        Arc::make_mut(&mut volume.annotations).remove(HOLDER_ANNOTATION);
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

/// The mechanism that attaches a volume.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum AttachMethod<'a> {
    /// The driver with this name attaches the volume, as a VolumeAttachment requests.
    Driver(Str),
    /// An update of the PersistentVolume's holder annotation attaches the volume. The update fails if the
    /// resourceVersion has changed.
    Swap(&'a PersistentVolume),
    /// An entry in the node's `volumesAttached` attaches the volume; there is no other record of it.
    NodeListOnly,
}

/// Determines how a volume is attached.
pub(super) fn attach_method<'a>(backend: &Backend, cx: &'a ControllerContext<'_, '_>) -> AttachMethod<'a> {
    let Some(volume) = cx.objects.named::<PersistentVolume>(&backend.name) else {
        return AttachMethod::NodeListOnly;
    };
    driver_of(volume).map_or(AttachMethod::Swap(volume), AttachMethod::Driver)
}

/// Returns the name that kube-controller-manager gives to a VolumeAttachment: `csi-` and the SHA-256 of the volume
/// handle, the driver and the node (`getAttachmentName` in `pkg/volume/csi`, CT-205).
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

/// Returns the VolumeAttachment that attaches a volume to a node, whatever its name and whoever created it.
fn existing_attachment(
    attacher: &str,
    volume: &str,
    node: &NodeName,
    objects: &Objects,
) -> Option<Arc<VolumeAttachment>> {
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
    match attach_method(backend, cx) {
        AttachMethod::Driver(attacher) => {
            let existing = existing_attachment(&attacher, &backend.name, node, cx.objects);
            let name = existing.map_or_else(
                || attachment_name(backend, &attacher, node),
                |existing| existing.metadata.name.clone(),
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
            set_entry(&mut held.metadata.annotations, HOLDER_ANNOTATION, &holder.to_string());
            Plan::one(Request::Update(Object::PersistentVolume(Arc::new(held)), Part::Main))
        }
        AttachMethod::NodeListOnly => Plan::default().then(update_volumes_attached(
            &(backend.unique_name.clone(), node.clone()),
            true,
            cx,
        )),
    }
}

/// Adds a volume to the node's `volumesAttached`, or removes it. Does nothing if the list is up to date or the Node
/// does not exist.
pub(super) fn update_volumes_attached(
    (volume, node): &(Str, NodeName),
    attached: bool,
    cx: &ControllerContext<'_, '_>,
) -> Vec<Action> {
    let Some(object) = cx.objects.named::<Node>(node) else {
        return Vec::new();
    };
    let is_listed = object.status.volumes_attached.iter().any(|own| own.name == *volume);
    if is_listed == attached {
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

/// Plans the detach of a volume (CT-132): removes it from the node's `volumesAttached`; with `verify`, checks that the
/// node does not use it; then detaches the storage.
pub(super) fn detach(backend: &Backend, place: &(Str, NodeName), verify: bool, cx: &ControllerContext<'_, '_>) -> Plan {
    let mut plan = Plan::default().then(update_volumes_attached(place, false, cx));
    if verify {
        let read = Request::Get {
            kind: Kind::Node,
            key: ObjectKey::cluster(place.1.0.clone()),
        };
        plan = plan.then_action(Action::from(read).accept(Accept::NotInUse(place.0.clone())));
    }
    match attach_method(backend, cx) {
        AttachMethod::Driver(attacher) => {
            let existing = existing_attachment(&attacher, &backend.name, &place.1, cx.objects);
            let name = existing.map_or_else(
                || attachment_name(backend, &attacher, &place.1),
                |existing| existing.metadata.name.clone(),
            );
            let delete = Request::Delete {
                kind: Kind::VolumeAttachment,
                key: ObjectKey::cluster(name),
                options: DeleteOptions::default(),
            };
            plan.then_action(Action::from(delete).accept(Accept::OrNotFound))
        }
        AttachMethod::Swap(volume) => {
            let mut released = volume.clone();
            Holder::remove_annotation(&mut released.metadata);
            plan.then_action(Request::Update(
                Object::PersistentVolume(Arc::new(released)),
                Part::Main,
            ))
        }
        // `volumesAttached` is the only record of the attachment, so its second update completes the detach.
        AttachMethod::NodeListOnly => plan.then(update_volumes_attached(place, false, cx)),
    }
}

#[cfg(test)]
mod tests {
    use super::Holder;

    /// A holder annotation written by a user is printed unchanged.
    /// Shows: V-04
    #[test]
    fn parsed_holder_annotation_prints_unchanged() {
        for (text, node) in [("a-1 default/db", "a-1"), ("a-1", "a-1"), ("a-1 ", "a-1"), ("", "")] {
            let holder = Holder::parse(text);
            assert_eq!((holder.node.as_str(), holder.to_string().as_str()), (node, text));
        }
    }
}
