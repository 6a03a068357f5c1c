//! POST: name generation, admission, defaults, validation, first write.

use std::sync::Arc;

use podscope_api::well_known::{annotation, condition, label};
use podscope_api::{ConditionStatus, ErrorList, Kind, Object, PodCondition, PodPhase, Str};
use podscope_api::{default_object, generate_job_selector, validate};

use super::{ApiServer, Caller, Outcome, admission, custom, is_unrecorded, name_suffix, object_parts};
use podscope_sim::{Actor, Answer, ApiError, Happening, MAX_OBJECTS_OF_KIND};

impl ApiServer {
    /// Creates an object that a client posted.
    pub(super) fn create(&mut self, mut object: Object, caller: &Caller<'_>, out: &mut Outcome) -> Answer {
        let kind = object.kind();
        let metadata = object.metadata_mut();
        if kind.is_namespaced() && metadata.namespace.is_empty() {
            metadata.namespace = Str::from("default");
        } else if !kind.is_namespaced() {
            metadata.namespace = Str::from("");
        }
        if !metadata.resource_version.is_empty() {
            return Err(ApiError::without_reason(
                "resourceVersion should not be set on objects to be created".into(),
            ));
        }
        let name = metadata.name.clone();
        self.check_kind_is_served(kind, &name)?;
        let metadata = object.metadata_mut();
        let was_unnamed = metadata.name.is_empty() && !metadata.generate_name.is_empty();
        if was_unnamed {
            // Like the real name generator, truncate the prefix so that the name with its suffix has at most 63
            // characters.
            let base: String = metadata.generate_name.chars().take(58).collect();
            metadata.name = format!("{base}{}", name_suffix(&mut self.rng)).into();
        }
        if self.store.objects().count_kind(kind) >= MAX_OBJECTS_OF_KIND {
            return Err(too_many_objects_error(kind, &metadata.name));
        }
        object.metadata_mut().uid = self.next_uid(&object);
        let metadata = object.metadata_mut();
        metadata.creation_timestamp = Some(caller.wall_time());
        metadata.deletion_timestamp = None;
        metadata.deletion_grace_period_seconds = None;
        metadata.generation = None;
        if self.has_status_subresource(kind) {
            object_parts::clear_status(&mut object);
        }
        object_parts::set_first_generations(&mut object);
        default_object(&mut object);
        super::device_taints::set_time_added(&mut object, caller.wall_time());
        self.prune_and_set_defaults(&mut object);
        self.set_creator_as_manager(&mut object, caller);
        if let Object::Job(job) = &mut object {
            generate_job_selector(Arc::make_mut(job));
        }
        self.admit_before_naming(&mut object, was_unnamed, caller)?;
        if let Object::Service(service) = &mut object {
            super::service::set_cluster_ips(&mut Arc::make_mut(service).spec);
            self.check_requested_addresses(service, None)?;
        }
        self.prepare_for_create(&mut object, caller);
        let mut problems = ErrorList::default();
        problems.extend(self.admin_access_on_create(&object));
        problems.extend(validate(&object));
        self.check_schema(&object, None, &mut problems);
        super::device_selectors::check(&object, &mut problems);
        if !problems.is_empty() {
            return Err(ApiError::invalid(kind, &object.metadata().name, problems));
        }
        self.check_limit_ranges(&object)?;
        let charges = self.charged_quotas(None, &object, caller)?;
        if self.objects().get_kind(kind, &object.key()).is_some() {
            return Err(ApiError::already_exists(kind, &object.metadata().name));
        }
        self.store_charged_quotas(charges, out);
        self.convert_to_storage_version(&mut object);
        let stored = self.write(object, out);
        if !is_unrecorded(kind) {
            out.record(created_record(&stored), &stored);
            if kind == Kind::Node && matches!(caller.actor, Actor::Kubelet(_)) {
                out.record(Happening::NodeRegistered, &stored);
            }
            if let Object::Pod(pod) = &stored
                && !pod.spec.scheduling_gates.is_empty()
            {
                let gates = pod.spec.scheduling_gates.iter().map(|gate| gate.name.clone());
                let gates = gates.collect();
                out.record(Happening::Gated { gates }, &stored);
            }
        }
        Ok(Some(stored))
    }

    /// Runs admission. For a generated name the object still carries its prefix (`generateName`), because the real
    /// server runs admission before it generates the name.
    fn admit_before_naming(
        &mut self,
        object: &mut Object,
        was_unnamed: bool,
        caller: &Caller<'_>,
    ) -> Result<(), ApiError> {
        if !was_unnamed {
            return self.admit(object, caller);
        }
        let metadata = object.metadata_mut();
        let generated = std::mem::replace(&mut metadata.name, metadata.generate_name.clone());
        self.admit(object, caller)?;
        object.metadata_mut().name = generated;
        Ok(())
    }

    /// Applies the defaults of the kind's create strategy (LC-040, LC-044).
    fn prepare_for_create(&mut self, object: &mut Object, caller: &Caller<'_>) {
        match object {
            Object::Pod(pod) => {
                let pod = Arc::make_mut(pod);
                let grace = &mut pod.spec.termination_grace_period_seconds;
                *grace = grace.map(podscope_api::stored_grace_period);
                pod.status.phase = Some(PodPhase::Pending);
                pod.status.qos_class = Some(admission::qos_class(&pod.spec));
                if !pod.spec.scheduling_gates.is_empty() {
                    pod.status.conditions.push(PodCondition {
                        kind: condition::POD_SCHEDULED.into(),
                        status: ConditionStatus::False,
                        reason: "SchedulingGated".into(),
                        last_transition_time: Some(caller.wall_time()),
                        message: "Scheduling is blocked due to non-empty scheduling gates".into(),
                        ..PodCondition::default()
                    });
                }
            }
            Object::Namespace(namespace) => {
                let namespace = Arc::make_mut(namespace);
                namespace.status.phase = "Active".into();
                if !namespace.spec.finalizers.iter().any(|name| &**name == "kubernetes") {
                    namespace.spec.finalizers.push("kubernetes".into());
                }
                let name = namespace.metadata.name.clone();
                let labels = Arc::make_mut(&mut namespace.metadata.labels);
                labels.insert(label::NAMESPACE_NAME.into(), name);
            }
            Object::PersistentVolume(volume) => {
                let volume = Arc::make_mut(volume);
                volume.status.phase = Some(podscope_api::VolumePhase::Pending);
                volume.status.last_phase_transition_time = Some(caller.wall_time());
            }
            Object::PersistentVolumeClaim(claim) => {
                Arc::make_mut(claim).status.phase = Some(podscope_api::ClaimPhase::Pending);
            }
            Object::Node(node) => {
                let node = Arc::make_mut(node);
                // The TTL controller, which sets this annotation in a real cluster, is not simulated.
                let annotations = Arc::make_mut(&mut node.metadata.annotations);
                annotations
                    .entry(annotation::NODE_TTL.into())
                    .or_insert_with(|| "0".into());
            }
            Object::StatefulSet(set) => {
                // The API server drops `maxUnavailable` of StatefulSets, because the feature gate of that field is off
                // by default.
                if let Some(bounds) = &mut Arc::make_mut(set).spec.update_strategy.rolling_update {
                    bounds.max_unavailable = None;
                }
            }
            Object::Service(service) => self.allocate_addresses_and_ports(Arc::make_mut(service), true),
            Object::Untyped(untyped) if untyped.kind == Kind::CustomResourceDefinition => {
                custom::set_initial_status(Arc::make_mut(untyped));
            }
            _ => {}
        }
    }
}

/// Returns the error for a kind that already has Podscope's maximum number of objects, worded like the error of an
/// exceeded object count quota.
fn too_many_objects_error(kind: Kind, name: &str) -> ApiError {
    let what = format!("count/{}", kind.qualified_plural());
    ApiError::forbidden(
        kind,
        name,
        &format!(
            "exceeded quota: podscope, requested: {what}=1, used: {what}={MAX_OBJECTS_OF_KIND}, limited: {what}={MAX_OBJECTS_OF_KIND}"
        ),
    )
}

fn created_record(object: &Object) -> Happening {
    let owner = object.metadata().controller_ref();
    Happening::Created {
        node: match object {
            Object::Pod(pod) => pod.spec.node_name.clone(),
            _ => None,
        },
        owner: owner.map(|owner| format!("{}/{}", owner.kind, owner.name)),
    }
}
