//! PUT and PATCH: optimistic concurrency, the part that a write may change, and the removal of an object when its last
//! finalizer is removed.

use podscope_api::{ErrorList, Kind, Object, ObjectKey, ObjectMeta, Uid};

use super::apply::{FieldWriter, Ownership};
use super::{ApiServer, Caller, Outcome, custom, is_unrecorded, object_parts, quota, records};
use podscope_sim::{Actor, Answer, ApiError, Mutation, Part};

impl ApiServer {
    /// Handles a PUT: refused if the resourceVersion is stale, unconditional if it is empty (CT-161). The versions in
    /// other writes are checked where their documents are read: in an apply by `apply.rs`, in a patch or a Scale by
    /// `kubectl::rest`. A stale precondition of a DELETE has another message (`delete.rs`).
    pub(super) fn update(&mut self, object: &Object, part: Part, caller: &Caller<'_>, out: &mut Outcome) -> Answer {
        let (kind, key) = (object.kind(), object.key());
        let old = self.stored(kind, &key)?;
        let metadata = object.metadata();
        custom::check_has_resource_version(kind, &key, &metadata.resource_version)?;
        if !metadata.uid.is_empty() && metadata.uid != old.metadata().uid {
            let stored = old.metadata().uid.as_str();
            return Err(ApiError::uid_mismatch_in_storage(
                kind,
                &key,
                metadata.uid.as_str(),
                stored,
            ));
        }
        ApiError::check_resource_version(&old, &metadata.resource_version)?;
        // The body of an HTTP request has its field manager in an entry of managedFields without fields.
        let mut managers = metadata.managers.list().iter();
        let sender = managers.find(|manager| manager.fields.is_empty());
        let sender = sender.map_or("kubectl-replace", |manager| &*manager.name);
        let writer = FieldWriter::of(caller, (&old, object), sender, "", part);
        let new = with_stored_finalizers(&old, object.clone());
        self.replace_part(&old, new, part, Ownership::FieldWriter(writer), caller, out)
    }

    /// Handles a PATCH, which is applied to the stored object.
    pub(super) fn patch(
        &mut self,
        (kind, key): (Kind, &ObjectKey),
        uid: Option<&Uid>,
        (part, change): (Part, &Mutation),
        caller: &Caller<'_>,
        out: &mut Outcome,
    ) -> Answer {
        let old = self.stored(kind, key)?;
        if let Some(uid) = uid
            && *uid != old.metadata().uid
        {
            return Err(uid_mismatch_error(kind, key, uid, &old));
        }
        let new = change.apply(&old)?;
        if new.kind() != kind {
            return Err(ApiError::bad_request("the patch changes the kind of the object"));
        }
        let writer = FieldWriter::of(caller, (&old, &new), &change.name, change.subresource, part);
        let new = with_stored_finalizers(&old, new);
        self.replace_part(&old, new, part, Ownership::FieldWriter(writer), caller, out)
    }

    /// Returns the stored object, or error 404.
    pub(super) fn stored(&self, kind: Kind, key: &ObjectKey) -> Result<Object, ApiError> {
        self.objects()
            .get_kind(kind, key)
            .ok_or_else(|| ApiError::not_found(kind, &key.name))
    }

    /// Prunes the status that a client wrote, sets defaults and validates it.
    fn check_status(&self, old: &Object, merged: &mut Object) -> Result<(), ApiError> {
        self.prune_and_set_defaults(merged);
        let mut problems = ErrorList::default();
        problems.extend(self.admin_access_on_status(old, merged));
        problems.extend(podscope_api::validate_status_update(old, merged));
        self.check_schema(merged, Some(old), &mut problems);
        if problems.is_empty() {
            return Ok(());
        }
        Err(ApiError::invalid(old.kind(), &old.key().name, problems))
    }

    /// Copies the metadata that a status update may change, and checks the status if a client wrote it. Status updates
    /// of the cluster's own components need no validation.
    fn apply_status_update(
        &self,
        old: &Object,
        merged: &mut Object,
        sent: ObjectMeta,
        is_client: bool,
    ) -> Result<(), ApiError> {
        object_parts::copy_status_metadata(merged, sent);
        if !is_client {
            return Ok(());
        }
        if let Object::Pod(pod) = merged {
            object_parts::align_pod_ips(&mut std::sync::Arc::make_mut(pod).status);
        }
        self.check_status(old, merged)
    }

    /// Validates an object that replaces another: by its kind's rules, the schema of a custom kind, and device
    /// selectors.
    fn validate_replacement(&self, old: &Object, new: &Object) -> Result<(), ApiError> {
        let mut problems = podscope_api::validate_update(old, new);
        self.check_schema(new, Some(old), &mut problems);
        if new.kind() == Kind::DeviceClass {
            super::device_selectors::check(new, &mut problems);
        }
        if problems.is_empty() {
            return Ok(());
        }
        Err(ApiError::invalid(new.kind(), &old.key().name, problems))
    }

    /// Stores the object `new`, except for the fields that a write to `part` may not change: these keep the values of
    /// `old`.
    pub(super) fn replace_part(
        &mut self,
        old: &Object,
        new: Object,
        part: Part,
        by: Ownership,
        caller: &Caller<'_>,
        out: &mut Outcome,
    ) -> Answer {
        let (kind, key) = (old.kind(), old.key());
        let is_client = matches!(caller.actor, Actor::Client(_));
        if is_client {
            let problems = podscope_api::validate_metadata_update(old, &new);
            if !problems.is_empty() {
                // The real server lists these problems twice: in the checks for all objects and in those of the kind.
                let mut error = ApiError::invalid(kind, &key.name, problems);
                error.causes.extend(error.causes.clone());
                return Err(error);
            }
        }
        let has_status = self.has_status_subresource(new.kind());
        // Status updates of the cluster's own components change no metadata, except the revision annotation of a
        // Deployment.
        let has_metadata = part == Part::Status && (is_client || kind == Kind::Deployment);
        let sent = has_metadata.then(|| new.metadata().clone());
        let merged = match has_status {
            true => object_parts::merge(old, new, part),
            false => object_parts::with_server_metadata_of(old, new),
        };
        let mut merged = merged.ok_or_else(|| ApiError::bad_request(format!("the object is not a {}", kind.name())))?;
        if let Some(sent) = sent {
            self.apply_status_update(old, &mut merged, sent, is_client)?;
        }
        if part == Part::Main {
            podscope_api::default_object(&mut merged);
            super::device_taints::set_time_added(&mut merged, caller.wall_time());
            self.prune_and_set_defaults(&mut merged);
            if let (Object::Service(old), Object::Service(new)) = (old, &mut merged) {
                super::service::keep_omitted_fields(&old.spec, &mut std::sync::Arc::make_mut(new).spec);
                self.check_requested_addresses(new, Some(old))?;
                self.allocate_addresses_and_ports(std::sync::Arc::make_mut(new), false);
            }
            self.admit_update(old, &mut merged)?;
            self.validate_replacement(old, &merged)?;
            let has_new_spec = match kind {
                Kind::Custom(_) => custom::increments_generation(old, &merged, has_status),
                _ => object_parts::increments_generation(old, &merged),
            };
            if has_new_spec {
                increment_generation(&mut merged);
            }
            if let Object::Untyped(untyped) = &mut merged
                && untyped.kind == Kind::CustomResourceDefinition
            {
                custom::add_stored_version(std::sync::Arc::make_mut(untyped));
            }
            object_parts::update_template_generation(old, &mut merged);
        }
        if part == Part::Resize {
            podscope_api::default_object(&mut merged);
            self.admit_resize(old, &merged)?;
            if object_parts::increments_generation(old, &merged) {
                increment_generation(&mut merged);
            }
        }
        if part == Part::EphemeralContainers {
            admit_ephemeral_containers(old, &mut merged)?;
        }
        self.convert_to_storage_version(&mut merged);
        match by {
            Ownership::Managers(managers) => merged.metadata_mut().managers = managers,
            Ownership::FieldWriter(Some(writer)) => self.update_field_managers(old, &mut merged, &writer),
            Ownership::FieldWriter(_) => {}
        }
        if merged == *old {
            return Ok(Some(merged));
        }
        if quota::may_increase_usage(&merged, part) {
            self.check_limit_ranges(&merged)?;
            let charges = self.charged_quotas(Some(old), &merged, caller)?;
            self.store_charged_quotas(charges, out);
        }
        if completes_deletion(old, &merged) {
            self.remove(kind, &key, out);
            return Ok(Some(merged));
        }
        let stored = self.write(merged, out);
        if !is_unrecorded(kind) && !records::is_heartbeat(old, &stored) {
            out.record(records::updated_record(old, &stored).into(), &stored);
            records::add_condition_and_taint_records(old, &stored, out);
        }
        Ok(Some(stored))
    }

    /// Handles the `finalize` subresource of a namespace: removes `kubernetes` from spec.finalizers. The namespace is
    /// removed if no other finalizer is left (CT-120).
    pub(super) fn finalize(
        &mut self,
        name: &str,
        finalizers: Option<&[podscope_api::Str]>,
        caller: &Caller<'_>,
        out: &mut Outcome,
    ) -> Answer {
        let key = ObjectKey::cluster(name);
        let old = self.stored(Kind::Namespace, &key)?;
        let Object::Namespace(namespace) = &old else {
            return Err(ApiError::not_found(Kind::Namespace, name));
        };
        let mut new = namespace.clone();
        let left = &mut std::sync::Arc::make_mut(&mut new).spec.finalizers;
        match finalizers {
            Some(sent) => *left = sent.to_vec(),
            None => left.retain(|finalizer| &**finalizer != "kubernetes"),
        }
        if new.spec.finalizers.is_empty() && new.metadata.is_terminating() && new.metadata.finalizers.is_empty() {
            self.remove(Kind::Namespace, &key, out);
            return Ok(Some(Object::Namespace(new)));
        }
        self.replace_part(
            &old,
            Object::Namespace(new),
            Part::Main,
            Ownership::FieldWriter(None),
            caller,
            out,
        )
    }
}

/// Checks the ephemeral containers of a pod, and increments its generation if they change.
fn admit_ephemeral_containers(old: &Object, merged: &mut Object) -> Result<(), ApiError> {
    podscope_api::default_object(merged);
    if let (Object::Pod(old), Object::Pod(new)) = (old, &*merged) {
        let problems = podscope_api::validate_ephemeral_containers(old, new);
        if !problems.is_empty() {
            return Err(ApiError::invalid(Kind::Pod, &old.metadata.name, problems));
        }
    }
    if object_parts::increments_generation(old, merged) {
        increment_generation(merged);
    }
    Ok(())
}

/// Restores the stored `spec.finalizers` of a namespace: only the `finalize` subresource may change them.
fn with_stored_finalizers(old: &Object, mut new: Object) -> Object {
    if let (Object::Namespace(old), Object::Namespace(new)) = (old, &mut new)
        && new.spec.finalizers != old.spec.finalizers
    {
        std::sync::Arc::make_mut(new)
            .spec
            .finalizers
            .clone_from(&old.spec.finalizers);
    }
    new
}

fn increment_generation(object: &mut Object) {
    let metadata = object.metadata_mut();
    metadata.generation = metadata.generation.map(|generation| generation + 1);
}

/// Returns whether the write completes the deletion of the object: no finalizer is left, and the grace period stored
/// **before** the write is absent or 0 (LC-020).
fn completes_deletion(old: &Object, new: &Object) -> bool {
    let stored = old.metadata();
    new.metadata().finalizers.is_empty()
        && stored.is_terminating()
        && stored.deletion_grace_period_seconds.unwrap_or(0) == 0
        && !matches!(new, Object::Namespace(namespace) if !namespace.spec.finalizers.is_empty())
}

fn uid_mismatch_error(kind: Kind, key: &ObjectKey, wanted: &Uid, old: &Object) -> ApiError {
    ApiError::uid_precondition_failed(
        &kind.qualified_plural(),
        &key.name,
        wanted.as_str(),
        old.metadata().uid.as_str(),
    )
}
