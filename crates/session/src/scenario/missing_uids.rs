//! Restores UIDs in dumps from which a person or program has removed them (P-09). Only an object with a UID is treated
//! as part of a dump; an object without one is treated as a manifest to be created. So an object of a dump gets its UID
//! back from references to it, or gets a generated UID, before the objects are used.

use std::sync::Arc;

use podscope_api::ordered;
use podscope_api::{Kind, Located, Object, ObjectKey, OwnerReference, Parsed, Uid, VolumePhase};
use podscope_cluster::Rng;
use serde_json::Value;

use podscope_protocol::{FirstItems, Remark};

/// Maximum number of names in a notice.
const MAX_NAMES_IN_NOTICE: usize = 3;

/// The UIDs that occur in the files, by kind and key of the object.
type KnownUids = ordered::Map<(Kind, ObjectKey), Uid>;

/// Restores missing UIDs of dumped objects, and replaces UIDs that several objects share. Returns notices about both.
pub(super) fn restore_uids(files: &mut [(usize, Parsed)]) -> Vec<Remark> {
    let shared_notice = separate_shared_uids(files);
    shared_notice.into_iter().chain(restore_missing_uids(files)).collect()
}

/// Gives each object its own UID if several objects have the same one, for example a placeholder. References with a
/// shared UID become references by name only.
fn separate_shared_uids(files: &mut [(usize, Parsed)]) -> Option<Remark> {
    let mut owners: ordered::Map<Uid, (Kind, ObjectKey)> = ordered::Map::new();
    let mut shared: ordered::Set<Uid> = ordered::Set::new();
    for located in objects(files).filter(|located| has_uid(&located.value)) {
        let (object, uid) = (&located.value, &located.value.metadata().uid);
        let this = (object.kind(), key_of(object));
        match owners.get(uid) {
            Some(other) if *other != this => drop(shared.insert(uid.clone())),
            Some(_) => {}
            None => drop(owners.insert(uid.clone(), this)),
        }
    }
    if shared.is_empty() {
        return None;
    }
    let (mut count, mut names) = (0, Vec::new());
    for located in files.iter_mut().flat_map(|(_, parsed)| &mut parsed.objects) {
        let object = &mut located.value;
        if shared.contains(&object.metadata().uid) {
            let key = key_of(object);
            count += 1;
            if names.len() < MAX_NAMES_IN_NOTICE {
                names.push(format!("{} {key}", object.kind().name()));
            }
            object.metadata_mut().uid = generated_uid(object.kind().name(), &key);
        }
        for owner in &mut object.metadata_mut().owner_references {
            if shared.contains(&owner.uid) {
                owner.uid = Uid::default();
            }
        }
        if let Object::PersistentVolume(volume) = object
            && (volume.spec.claim_ref.as_ref()).is_some_and(|claim| shared.contains(&claim.uid))
            && let Some(claim) = &mut Arc::make_mut(volume).spec.claim_ref
        {
            claim.uid = Uid::default();
        }
        if let Object::Event(event) = object
            && shared.contains(&event.involved_object.uid)
        {
            Arc::make_mut(event).involved_object.uid = Uid::default();
        }
    }
    Some(Remark::SharedUid(FirstItems::of(
        count,
        names.into_iter(),
        MAX_NAMES_IN_NOTICE,
    )))
}

/// Generates UIDs for objects of a dump that lack theirs, and completes owner references to them. Returns a remark that
/// names the objects, if there are any.
fn restore_missing_uids(files: &mut [(usize, Parsed)]) -> Option<Remark> {
    let mut lacking: Vec<(usize, usize)> = Vec::new();
    for (file, (_, parsed)) in files.iter().enumerate() {
        let all = || parsed.objects.iter().map(|located| &located.value);
        let is_dump = all().any(|object| has_uid(object) || is_live_object(object));
        let candidates = all().enumerate().filter(|(_, object)| !has_uid(object));
        let candidates = candidates.filter(|(_, object)| is_dump && has_server_field(object));
        lacking.extend(candidates.map(|(at, _)| (file, at)));
    }
    let has_no_uid = |owner: &OwnerReference| owner.uid.is_empty();
    let has_complete_references = |object: &Object| !object.metadata().owner_references.iter().any(has_no_uid);
    if lacking.is_empty() && objects(files).all(|located| has_complete_references(&located.value)) {
        return None;
    }
    let mut known = known_uids(files);
    for (file, at) in &lacking {
        let object = &mut files[*file].1.objects[*at].value;
        let key = key_of(object);
        let uid = known
            .entry((object.kind(), key.clone()))
            .or_insert_with(|| generated_uid(object.kind().name(), &key));
        object.metadata_mut().uid = uid.clone();
    }
    let dumped = (files.iter_mut())
        .flat_map(|(_, parsed)| &mut parsed.objects)
        .filter(|located| has_uid(&located.value));
    for located in dumped {
        fill_in_references(&mut located.value, &known);
    }
    let names = lacking.iter().map(|(file, at)| {
        let object = &files[*file].1.objects[*at].value;
        format!("{} {}", object.kind().name(), object.key())
    });
    (!lacking.is_empty()).then(|| Remark::Scrubbed(FirstItems::of(lacking.len(), names, MAX_NAMES_IN_NOTICE)))
}

fn objects(files: &[(usize, Parsed)]) -> impl Iterator<Item = &Located<Object>> {
    files.iter().flat_map(|(_, parsed)| &parsed.objects)
}

fn has_uid(object: &Object) -> bool {
    !object.metadata().uid.is_empty()
}

/// Returns whether the object has metadata that only an API server sets.
fn was_served(object: &Object) -> bool {
    let metadata = object.metadata();
    !metadata.resource_version.is_empty() || metadata.creation_timestamp.is_some()
}

/// Returns whether the object is certainly part of a dump: it has metadata that only an API server sets, and a status
/// or a node.
fn is_live_object(object: &Object) -> bool {
    let is_bound = matches!(object, Object::Pod(pod) if pod.spec.node_name.is_some());
    was_served(object) && !object.metadata().name.is_empty() && (is_bound || has_status(object))
}

/// Returns whether the object has a name and also a field that people do not write: metadata that only an API server
/// sets, a deletion time, or a status.
fn has_server_field(object: &Object) -> bool {
    let metadata = object.metadata();
    let is_marked = was_served(object) || metadata.deletion_timestamp.is_some() || has_status(object);
    is_marked && !metadata.name.is_empty()
}

/// Returns whether the status has any content except a node's capacity, which people also write by hand.
fn has_status(object: &Object) -> bool {
    let mut value = object.typed_value();
    let Some(status) = value.get_mut("status") else {
        return false;
    };
    if let (Kind::Node, Value::Object(fields)) = (object.kind(), &mut *status) {
        fields.remove("capacity");
        fields.remove("allocatable");
    }
    has_content(status)
}

/// Returns whether the value contains any value that is not null, false, zero or empty.
fn has_content(value: &Value) -> bool {
    match value {
        Value::Object(fields) => fields.values().any(has_content),
        Value::Array(items) => items.iter().any(has_content),
        Value::Null => false,
        Value::Bool(is_true) => *is_true,
        Value::Number(number) => number.as_i64() != Some(0),
        Value::String(text) => !text.is_empty(),
    }
}

fn key_of(object: &Object) -> ObjectKey {
    let metadata = object.metadata();
    match object.kind().is_namespaced() {
        true if metadata.namespace.is_empty() => ObjectKey::new("default", metadata.name.clone()),
        true => metadata.key(),
        false => ObjectKey::cluster(metadata.name.clone()),
    }
}

/// Returns kind and key of an object's owner, if the kind is known.
fn owner_of(object: &ObjectKey, owner: &OwnerReference) -> Option<(Kind, ObjectKey)> {
    let kind = Kind::from_wire(&owner.api_version, &owner.kind)?;
    let key = match kind.is_namespaced() {
        true => ObjectKey::new(object.namespace.clone(), owner.name.clone()),
        false => ObjectKey::cluster(owner.name.clone()),
    };
    Some((kind, key))
}

/// Collects the UIDs that occur in the files: of objects, and in references to objects.
fn known_uids(files: &[(usize, Parsed)]) -> KnownUids {
    let mut known = KnownUids::new();
    let with_uid = || objects(files).filter(|located| has_uid(&located.value));
    for located in with_uid() {
        let object = &located.value;
        known.insert((object.kind(), key_of(object)), object.metadata().uid.clone());
    }
    for located in objects(files) {
        let object = &located.value;
        let key = key_of(object);
        let owners = object.metadata().owner_references.iter();
        for owner in owners.filter(|owner| !owner.uid.is_empty()) {
            if let Some(owned_by) = owner_of(&key, owner) {
                known.entry(owned_by).or_insert_with(|| owner.uid.clone());
            }
        }
        if let Object::PersistentVolume(volume) = object
            && let Some(claim) = &volume.spec.claim_ref
            && !claim.uid.is_empty()
        {
            let key = ObjectKey::new(claim.namespace.clone(), claim.name.clone());
            known
                .entry((Kind::PersistentVolumeClaim, key))
                .or_insert_with(|| claim.uid.clone());
        }
    }
    known
}

/// Adds the missing UIDs to the references in a dumped object that contain only names.
fn fill_in_references(object: &mut Object, known: &KnownUids) {
    let key = key_of(object);
    if object
        .metadata()
        .owner_references
        .iter()
        .any(|owner| owner.uid.is_empty())
    {
        let owners = &mut object.metadata_mut().owner_references;
        for owner in owners.iter_mut().filter(|owner| owner.uid.is_empty()) {
            let owned_by = owner_of(&key, owner);
            let uid = owned_by.as_ref().and_then(|owned_by| known.get(owned_by)).cloned();
            let place = owned_by.map_or_else(|| ObjectKey::cluster(owner.name.clone()), |(_, key)| key);
            owner.uid = uid.unwrap_or_else(|| generated_uid(&owner.kind, &place));
        }
    }
    if let Object::PersistentVolume(volume) = object
        && volume.status.phase == Some(VolumePhase::Bound)
        && let Some(claim) = &volume.spec.claim_ref
        && claim.uid.is_empty()
    {
        let kind = Kind::PersistentVolumeClaim;
        let place = ObjectKey::new(claim.namespace.clone(), claim.name.clone());
        let uid = known.get(&(kind, place.clone())).cloned();
        let uid = uid.unwrap_or_else(|| generated_uid(kind.name(), &place));
        if let Some(claim) = &mut Arc::make_mut(volume).spec.claim_ref {
            claim.uid = uid;
        }
    }
}

/// Generates a UID that depends only on the object's kind and key.
fn generated_uid(kind: &str, key: &ObjectKey) -> Uid {
    Rng::split(0, &format!("uid/{kind}/{key}")).uid()
}
