//! Admission: the checks and defaults that the API server applies before it stores an object (LC-043, LC-046 to LC-050,
//! S-04).

use std::sync::Arc;

use podscope_api::well_known::{annotation, finalizer, label, taint};
use podscope_api::{
    Kind, LabelSelector, LabelSelectorRequirement, Namespace, NodeName, Object, ObjectKey, PersistentVolumeClaim, Pod,
    PodSpec, PreemptionPolicy, PriorityClass, QosClass, Quantity, ResourceList, RuntimeClass, SelectorOperator,
    ServiceAccount, StorageClass, Str, Taint, TaintEffect, Toleration, TolerationOperator, shared,
};

use super::{ApiServer, Caller, name_suffix};
use podscope_sim::{Actor, ApiError};

const DEFAULT_TOLERATION_SECONDS: i64 = 300;

impl ApiServer {
    fn set_default_tolerations(&mut self, spec: &mut PodSpec) {
        let (given, defaulted) = &mut self.last_defaulted_tolerations;
        if defaulted.is_empty() || *given != spec.tolerations {
            *given = spec.tolerations.clone();
            *defaulted = spec.tolerations.clone();
            add_default_tolerations(Arc::make_mut(defaulted));
        }
        spec.tolerations = defaulted.clone();
    }

    /// Applies admission to a create request.
    pub(super) fn admit(&mut self, object: &mut Object, caller: &Caller<'_>) -> Result<(), ApiError> {
        self.admit_namespace(object)?;
        if self.ignores_priority {
            clear_priority(object);
        }
        match object {
            Object::Pod(pod) => {
                let pod = Arc::make_mut(pod);
                if !self.ignores_priority {
                    self.admit_priority(pod)?;
                }
                self.set_default_tolerations(&mut pod.spec);
                if !pod.is_mirror() {
                    self.default_from_limit_ranges(pod);
                }
                merge_match_label_keys(pod);
                if let Some(node) = pod.spec.node_name.clone() {
                    self.copy_topology_labels(pod, &node);
                }
                self.admit_runtime_class(pod, caller)?;
                if !pod.is_mirror() {
                    self.admit_service_account(pod)?;
                }
            }
            Object::PriorityClass(class) if class.global_default == Some(true) => {
                let name = &class.metadata.name;
                if let Some(other) = self
                    .default_priority_class()
                    .filter(|other| other.metadata.name != *name)
                {
                    return Err(second_default_class_error(name, &other.metadata.name));
                }
            }
            Object::PersistentVolumeClaim(claim) => {
                let class = self.default_storage_class();
                let claim = Arc::make_mut(claim);
                add_finalizer(&mut claim.metadata.finalizers, finalizer::PVC_PROTECTION);
                if claim.spec.storage_class_name.is_none() {
                    claim.spec.storage_class_name = class;
                }
            }
            Object::PersistentVolume(volume) => {
                add_finalizer(&mut Arc::make_mut(volume).metadata.finalizers, finalizer::PV_PROTECTION)
            }
            Object::Untyped(class) if class.kind == Kind::VolumeAttributesClass => {
                add_finalizer(&mut Arc::make_mut(class).metadata.finalizers, finalizer::VAC_PROTECTION)
            }
            // Admission plugin TaintNodesByCondition: a new Node gets the taint `not-ready`. A Node that the scenario
            // defines gets none, because it was Ready before the run began.
            Object::Node(node) if matches!(caller.actor, Actor::Kubelet(_) | Actor::Client(_)) => {
                let taints = &mut Arc::make_mut(node).spec.taints;
                if !taints
                    .iter()
                    .any(|taint| &*taint.key == taint::NOT_READY && taint.effect == TaintEffect::NoSchedule)
                {
                    taints.push(Taint {
                        key: taint::NOT_READY.into(),
                        effect: TaintEffect::NoSchedule,
                        ..Taint::default()
                    });
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Admission plugin PodTopologyLabels (since v1.35): copies the zone and region labels of the node to a pod that is
    /// assigned to it; they overwrite the pod's own labels with these keys.
    pub(super) fn copy_topology_labels(&self, pod: &mut Pod, node: &NodeName) {
        let Some(Object::Node(node)) = self.objects().get_kind(Kind::Node, &ObjectKey::cluster(node.0.clone())) else {
            return;
        };
        for key in [label::ZONE, label::REGION] {
            if let Some(value) = node.metadata.label(key) {
                Arc::make_mut(&mut pod.metadata.labels).insert(key.into(), value.into());
            }
        }
    }

    /// Admission plugin RuntimeClass: the pod's class must exist; it sets the pod's overhead, nodeSelector and
    /// tolerations.
    ///
    /// Deviation: a pod is refused only if a client creates it, because an imported workload may name a RuntimeClass
    /// that was not imported.
    fn admit_runtime_class(&self, pod: &mut Pod, caller: &Caller<'_>) -> Result<(), ApiError> {
        let refuse = |why: &str| {
            let why = format!("pod rejected: {why}");
            Err(ApiError::forbidden(Kind::Pod, &pod.metadata.name, &why))
        };
        let class = match pod.spec.runtime_class_name.as_deref() {
            None | Some("") => None,
            Some(name) => match self.objects().named::<RuntimeClass>(name) {
                Some(class) => Some(class),
                None if matches!(caller.actor, Actor::Client(_)) => {
                    return refuse(&format!("RuntimeClass {name:?} not found"));
                }
                None => return Ok(()),
            },
        };
        let overhead = class
            .and_then(|class| class.overhead.as_ref())
            .map(|overhead| &overhead.pod_fixed);
        match overhead {
            Some(overhead) if pod.spec.overhead.is_empty() => pod.spec.overhead = overhead.clone(),
            Some(overhead) if pod.spec.overhead != *overhead => {
                return refuse("Pod's Overhead doesn't match RuntimeClass's defined Overhead");
            }
            None if !pod.spec.overhead.is_empty() && matches!(caller.actor, Actor::Client(_)) => {
                return refuse("Pod Overhead set without corresponding RuntimeClass defined Overhead");
            }
            _ => {}
        }
        if let Some(scheduling) = class.and_then(|class| class.scheduling.as_ref()) {
            let selector = Arc::make_mut(&mut pod.spec.node_selector);
            for (key, value) in &scheduling.node_selector {
                match selector.get(key) {
                    Some(given) if given != value => {
                        return refuse(&format!(
                            "conflict: runtimeClass.scheduling.nodeSelector[{key}] = {value}; pod.spec.nodeSelector[{key}] = {given}"
                        ));
                    }
                    _ => drop(selector.insert(key.clone(), value.clone())),
                }
            }
            Arc::make_mut(&mut pod.spec.tolerations).extend(scheduling.tolerations.iter().cloned());
        }
        Ok(())
    }

    /// Admission plugin ServiceAccount: the pod's account must exist, except `default`, which every namespace has. The
    /// pod gets a token volume and the account's imagePullSecrets (VA-284).
    fn admit_service_account(&mut self, pod: &mut Pod) -> Result<(), ApiError> {
        let namespace = pod.metadata.namespace.clone();
        let spec = &mut pod.spec;
        if spec.service_account_name.is_empty() {
            spec.service_account_name = shared("default");
            spec.service_account = spec.service_account_name.clone();
        }
        let name = spec.service_account_name.clone();
        let account = self
            .objects()
            .get::<ServiceAccount>(&ObjectKey::new(namespace.clone(), name.clone()));
        if account.is_none() && &*name != "default" {
            let why = format!("error looking up service account {namespace}/{name}: serviceaccount {name:?} not found");
            return Err(ApiError::forbidden(Kind::Pod, &pod.metadata.name, &why));
        }
        if let Some(account) = account.filter(|_| spec.image_pull_secrets.is_empty()) {
            spec.image_pull_secrets.clone_from(&account.image_pull_secrets);
        }
        let by_account = account.and_then(|account| account.automount_service_account_token);
        if spec.automount_service_account_token.or(by_account).unwrap_or(true) {
            spec.mount_service_account_token(|| name_suffix(&mut self.token_names));
        }
        Ok(())
    }

    /// Applies admission to an update of the main resource.
    pub(super) fn admit_update(&self, old: &Object, object: &mut Object) -> Result<(), ApiError> {
        if let (Object::Pod(old), Object::Pod(pod)) = (old, &mut *object)
            && (pod.spec.priority, &pod.spec.preemption_policy) != (old.spec.priority, &old.spec.preemption_policy)
        {
            // Keep the values that admission computed when the pod was created.
            let spec = &mut Arc::make_mut(pod).spec;
            spec.priority = spec.priority.or(old.spec.priority);
            if spec.preemption_policy.is_none() {
                spec.preemption_policy.clone_from(&old.spec.preemption_policy);
            }
        }
        match object {
            Object::Pod(pod) if !has_default_tolerations(pod) => {
                add_default_tolerations(Arc::make_mut(&mut Arc::make_mut(pod).spec.tolerations));
            }
            Object::PersistentVolumeClaim(claim) => self.admit_volume_expansion(old, claim)?,
            Object::PriorityClass(class) if class.global_default == Some(true) => {
                let name = &class.metadata.name;
                if let Some(other) = self
                    .default_priority_class()
                    .filter(|other| other.metadata.name != *name)
                {
                    return Err(second_default_class_error(name, &other.metadata.name));
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Checks that a bound claim grows only if its StorageClass allows volume expansion (VA-288).
    fn admit_volume_expansion(&self, old: &Object, claim: &PersistentVolumeClaim) -> Result<(), ApiError> {
        let Object::PersistentVolumeClaim(old) = old else {
            return Ok(());
        };
        let size = |claim: &PersistentVolumeClaim| claim.spec.resources.requests.get("storage").cloned();
        let (Some(old_size), Some(new_size)) = (size(old), size(claim)) else {
            return Ok(());
        };
        let is_bound = old.status.phase == Some(podscope_api::ClaimPhase::Bound);
        if new_size <= old_size || !is_bound {
            return Ok(());
        }
        let class = claim.spec.storage_class_name.as_deref().unwrap_or_default();
        let class = self.objects().named::<StorageClass>(class);
        if class.is_some_and(|class| class.allow_volume_expansion == Some(true)) {
            return Ok(());
        }
        let why = "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize";
        Err(ApiError::forbidden(
            Kind::PersistentVolumeClaim,
            &claim.metadata.name,
            why,
        ))
    }

    /// Checks that the namespace of an object exists and is not terminating (CT-119).
    fn admit_namespace(&self, object: &Object) -> Result<(), ApiError> {
        let namespace = &object.metadata().namespace;
        if namespace.is_empty() || object.kind() == Kind::Event {
            return Ok(());
        }
        let Some(stored) = self.objects().named::<Namespace>(namespace) else {
            return Err(ApiError::not_found(Kind::Namespace, namespace));
        };
        if stored.metadata.is_terminating() {
            let text = format!("unable to create new content in namespace {namespace} because it is being terminated");
            return Err(
                ApiError::forbidden(object.kind(), &object.metadata().name, &text).with_cause(
                    "NamespaceTerminating",
                    &format!("namespace {namespace} is being terminated"),
                ),
            );
        }
        Ok(())
    }

    /// Admission plugin Priority: computes priority and preemptionPolicy from the PriorityClass, and refuses other
    /// values (LC-047 to LC-049).
    fn admit_priority(&self, pod: &mut Pod) -> Result<(), ApiError> {
        let name = pod.metadata.name.clone();
        let refuse = |why: String| Err(ApiError::forbidden(Kind::Pod, &name, &why));
        let class = if pod.spec.priority_class_name.is_empty() {
            self.default_priority_class()
        } else {
            let class_name = &pod.spec.priority_class_name;
            match self.objects().named::<PriorityClass>(class_name) {
                Some(class) => Some(class.clone()),
                None => return refuse(format!("no PriorityClass with name {class_name} was found")),
            }
        };
        let (priority, policy) = match &class {
            Some(class) => {
                pod.spec.priority_class_name = class.metadata.name.clone();
                (class.value, class.preemption_policy.clone())
            }
            None => (0, None),
        };
        let policy = policy.unwrap_or(PreemptionPolicy::PreemptLowerPriority);
        if let Some(given) = pod.spec.priority.filter(|given| *given != priority) {
            return refuse(format!(
                "the integer value of priority ({given}) must not be provided in pod spec; priority admission controller computed {priority} from the given PriorityClass name"
            ));
        }
        if let Some(given) = pod.spec.preemption_policy.as_ref().filter(|given| **given != policy) {
            return refuse(format!(
                "the string value of PreemptionPolicy ({given}) must not be provided in pod spec; priority admission controller computed {policy} from the given PriorityClass name"
            ));
        }
        pod.spec.priority = Some(priority);
        pod.spec.preemption_policy = Some(policy);
        Ok(())
    }

    /// Returns the default PriorityClass. If concurrent requests have created several, the one with the lowest value
    /// applies (LC-048).
    fn default_priority_class(&self) -> Option<Arc<PriorityClass>> {
        self.objects()
            .list::<PriorityClass>()
            .filter(|class| class.global_default == Some(true))
            .min_by_key(|class| class.value)
            .cloned()
    }

    /// Returns the newest StorageClass annotated as default, for claims without a class.
    fn default_storage_class(&self) -> Option<Str> {
        self.objects()
            .list::<StorageClass>()
            .filter(|class| class.metadata.annotation(annotation::DEFAULT_STORAGE_CLASS) == Some("true"))
            .max_by_key(|class| {
                (
                    class.metadata.creation_timestamp,
                    std::cmp::Reverse(class.metadata.name.clone()),
                )
            })
            .map(|class| class.metadata.name.clone())
    }
}

/// Returns the error for a second PriorityClass with `globalDefault: true`.
fn second_default_class_error(name: &str, other: &str) -> ApiError {
    ApiError::forbidden(
        Kind::PriorityClass,
        name,
        &format!("PriorityClass {other} is already marked as default. Only one default can exist"),
    )
}

fn add_finalizer(finalizers: &mut Vec<Str>, name: &str) {
    if !finalizers.iter().any(|finalizer| &**finalizer == name) {
        finalizers.push(name.into());
    }
}

fn tolerates(toleration: &Toleration, key: &str) -> bool {
    (toleration.key.is_empty() || &*toleration.key == key)
        && toleration
            .effect
            .as_ref()
            .is_none_or(|effect| effect.as_str().is_empty() || *effect == TaintEffect::NoExecute)
}

fn has_default_tolerations(pod: &Pod) -> bool {
    [taint::NOT_READY, taint::UNREACHABLE]
        .iter()
        .all(|key| pod.spec.tolerations.iter().any(|toleration| tolerates(toleration, key)))
}

/// Adds the tolerations of `not-ready` and `unreachable` for 300 seconds unless the pod has its own (LC-046).
fn add_default_tolerations(tolerations: &mut Vec<Toleration>) {
    for key in [taint::NOT_READY, taint::UNREACHABLE] {
        if !tolerations.iter().any(|toleration| tolerates(toleration, key)) {
            tolerations.reserve_exact(1);
            tolerations.push(Toleration {
                key: shared(key),
                operator: Some(TolerationOperator::Exists),
                effect: Some(TaintEffect::NoExecute),
                toleration_seconds: Some(DEFAULT_TOLERATION_SECONDS),
                ..Toleration::default()
            });
        }
    }
}

/// Converts matchLabelKeys and mismatchLabelKeys to expressions of the selector, with the pod's own label values.
fn merge_match_label_keys(pod: &mut Pod) {
    let labels = pod.metadata.labels.clone();
    let merge_keys = |selector: &mut Option<LabelSelector>, keys: &[Str], operator: &SelectorOperator| {
        let Some(selector) = selector else { return };
        for key in keys {
            if let Some(value) = labels.get(key) {
                selector.match_expressions.push(LabelSelectorRequirement {
                    key: key.clone(),
                    operator: operator.clone(),
                    values: vec![value.clone()],
                });
            }
        }
    };
    let has_keys = |affinity: &podscope_api::PodAffinity| {
        affinity
            .terms()
            .any(|term| !term.match_label_keys.is_empty() || !term.mismatch_label_keys.is_empty())
    };
    if let Some(affinity) = &mut pod.spec.affinity
        && [&affinity.pod_affinity, &affinity.pod_anti_affinity]
            .into_iter()
            .flatten()
            .any(has_keys)
    {
        let affinity = Arc::make_mut(affinity);
        for rules in [&mut affinity.pod_affinity, &mut affinity.pod_anti_affinity]
            .into_iter()
            .flatten()
        {
            let preferred = rules
                .preferred_during_scheduling_ignored_during_execution
                .iter_mut()
                .map(|weighted| &mut weighted.pod_affinity_term);
            for term in rules
                .required_during_scheduling_ignored_during_execution
                .iter_mut()
                .chain(preferred)
            {
                merge_keys(&mut term.label_selector, &term.match_label_keys, &SelectorOperator::In);
                merge_keys(
                    &mut term.label_selector,
                    &term.mismatch_label_keys,
                    &SelectorOperator::NotIn,
                );
            }
        }
    }
    if pod
        .spec
        .topology_spread_constraints
        .iter()
        .any(|constraint| !constraint.match_label_keys.is_empty())
    {
        for constraint in Arc::make_mut(&mut pod.spec.topology_spread_constraints) {
            merge_keys(
                &mut constraint.label_selector,
                &constraint.match_label_keys,
                &SelectorOperator::In,
            );
        }
    }
}

/// Returns the quality-of-service class of a pod (LC-043).
pub(super) fn qos_class(spec: &PodSpec) -> QosClass {
    const COMPUTE_RESOURCES: [&str; 2] = ["cpu", "memory"];
    let has_positive = |list: &ResourceList| {
        COMPUTE_RESOURCES
            .iter()
            .any(|name| list.get(*name).is_some_and(|q| q.sign() > 0))
    };
    if let Some(own) = &spec.resources {
        return if !has_positive(&own.requests) && !has_positive(&own.limits) {
            QosClass::BestEffort
        } else if COMPUTE_RESOURCES.iter().all(|name| {
            let limit = own.limits.get(*name);
            limit.is_some_and(|limit| limit.sign() > 0) && limit == own.requests.get(*name)
        }) {
            QosClass::Guaranteed
        } else {
            QosClass::Burstable
        };
    }
    let containers = || spec.init_containers.iter().chain(spec.containers.iter());
    if containers()
        .all(|container| !has_positive(&container.resources.requests) && !has_positive(&container.resources.limits))
    {
        return QosClass::BestEffort;
    }
    let sum = |of: fn(&podscope_api::Container) -> &ResourceList, name: &str| {
        containers()
            .filter_map(|container| of(container).get(name).cloned())
            .reduce(Quantity::plus)
    };
    let is_guaranteed = containers().all(|container| {
        COMPUTE_RESOURCES.iter().all(|name| {
            container
                .resources
                .limits
                .get(*name)
                .is_some_and(|limit| limit.sign() > 0)
        })
    }) && COMPUTE_RESOURCES
        .iter()
        .all(|name| sum(|c| &c.resources.requests, name) == sum(|c| &c.resources.limits, name));
    if is_guaranteed {
        QosClass::Guaranteed
    } else {
        QosClass::Burstable
    }
}

/// Clears `priority` and `priorityClassName` of a pod or pod template, because the switch `pod-priority-off` is on
/// (F-20; `dropDisabledFields`).
fn clear_priority(object: &mut Object) {
    let spec = match object {
        Object::Pod(pod) => &mut Arc::make_mut(pod).spec,
        _ => match object.template_mut() {
            Some(template) => &mut template.spec,
            None => return,
        },
    };
    spec.priority = None;
    spec.priority_class_name = Str::default();
}
