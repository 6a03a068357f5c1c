//! Admission: what the API server checks and fills in before it stores an
//! object (LC-043, LC-046 to LC-050, S-04).

use std::sync::Arc;

use podscope_api::{
    Kind, LabelSelector, LabelSelectorRequirement, Namespace, NodeName, Object, ObjectKey, PersistentVolumeClaim, Pod,
    PodSpec, PreemptionPolicy, PriorityClass, QosClass, Quantity, ResourceList, RuntimeClass, SelectorOperator,
    ServiceAccount, StorageClass, Str, Taint, TaintEffect, Toleration, TolerationOperator, shared,
};

use super::{ApiServer, Caller, name_suffix};
use podscope_sim::{Actor, ApiError};

const NOT_READY: &str = "node.kubernetes.io/not-ready";
const UNREACHABLE: &str = "node.kubernetes.io/unreachable";
const DEFAULT_TOLERATION_SECONDS: i64 = 300;

impl ApiServer {
    fn default_tolerations(&mut self, spec: &mut PodSpec) {
        let (given, filled) = &mut self.tolerations;
        if filled.is_empty() || *given != spec.tolerations {
            *given = spec.tolerations.clone();
            *filled = spec.tolerations.clone();
            default_tolerations(Arc::make_mut(filled));
        }
        spec.tolerations = filled.clone();
    }

    /// Admission of a create.
    pub(super) fn admit(&mut self, object: &mut Object, caller: &Caller<'_>) -> Result<(), ApiError> {
        self.admit_namespace(object)?;
        if self.ignores_priority {
            drop_priority(object);
        }
        match object {
            Object::Pod(pod) => {
                let pod = Arc::make_mut(pod);
                if !self.ignores_priority {
                    self.admit_priority(pod)?;
                }
                self.default_tolerations(&mut pod.spec);
                if !pod.is_mirror() {
                    self.fill_from_limit_ranges(pod);
                }
                fold_match_label_keys(pod);
                if let Some(node) = pod.spec.node_name.clone() {
                    self.copy_topology_labels(pod, &node);
                }
                self.admit_runtime_class(pod, caller)?;
                if !pod.is_mirror() {
                    self.admit_account(pod)?;
                }
            }
            Object::PriorityClass(class) if class.global_default == Some(true) => {
                let name = &class.metadata.name;
                if let Some(other) = self.global_default().filter(|other| other.metadata.name != *name) {
                    return Err(second_default(name, &other.metadata.name));
                }
            }
            Object::PersistentVolumeClaim(claim) => {
                let class = self.default_storage_class();
                let claim = Arc::make_mut(claim);
                add_finalizer(&mut claim.metadata.finalizers, "kubernetes.io/pvc-protection");
                if claim.spec.storage_class_name.is_none() {
                    claim.spec.storage_class_name = class;
                }
            }
            Object::PersistentVolume(volume) => add_finalizer(
                &mut Arc::make_mut(volume).metadata.finalizers,
                "kubernetes.io/pv-protection",
            ),
            Object::Node(node) if matches!(caller.actor, Actor::Kubelet(_)) => {
                let taints = &mut Arc::make_mut(node).spec.taints;
                if !taints
                    .iter()
                    .any(|taint| &*taint.key == NOT_READY && taint.effect == TaintEffect::NoSchedule)
                {
                    taints.push(Taint {
                        key: NOT_READY.into(),
                        effect: TaintEffect::NoSchedule,
                        ..Taint::default()
                    });
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// PodTopologyLabels (since v1.35): a pod that gets a node gets the node's zone and region as labels, in place
    /// of its own.
    pub(super) fn copy_topology_labels(&self, pod: &mut Pod, node: &NodeName) {
        let Some(Object::Node(node)) = self.objects().get_kind(Kind::Node, &ObjectKey::cluster(node.0.clone())) else {
            return;
        };
        for key in ["topology.kubernetes.io/zone", "topology.kubernetes.io/region"] {
            if let Some(value) = node.metadata.label(key) {
                Arc::make_mut(&mut pod.metadata.labels).insert(key.into(), value.into());
            }
        }
    }

    /// The class of runtime that a pod names must be there, and says what the pod costs beside its containers.
    ///
    /// Deviation: only what a client posts is refused; pods of workloads that came from elsewhere may name what did not.
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
        let fixed = class
            .and_then(|class| class.overhead.as_ref())
            .map(|overhead| &overhead.pod_fixed);
        match fixed {
            Some(fixed) if pod.spec.overhead.is_empty() => pod.spec.overhead = fixed.clone(),
            Some(fixed) if pod.spec.overhead != *fixed => {
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

    /// The account that a pod names must be there; every namespace has one that is called `default`. It gives the pod
    /// its token and its secrets for images (VA-284).
    fn admit_account(&mut self, pod: &mut Pod) -> Result<(), ApiError> {
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
        let of_account = account.and_then(|account| account.automount_service_account_token);
        if spec.automount_service_account_token.or(of_account).unwrap_or(true) {
            spec.add_api_access(|| name_suffix(&mut self.access));
        }
        Ok(())
    }

    /// Admission of an update of the main resource.
    pub(super) fn admit_update(&self, old: &Object, object: &mut Object) -> Result<(), ApiError> {
        if let (Object::Pod(old), Object::Pod(pod)) = (old, &mut *object)
            && (pod.spec.priority, &pod.spec.preemption_policy) != (old.spec.priority, &old.spec.preemption_policy)
        {
            // What the admission of its creation computed.
            let spec = &mut Arc::make_mut(pod).spec;
            spec.priority = spec.priority.or(old.spec.priority);
            if spec.preemption_policy.is_none() {
                spec.preemption_policy.clone_from(&old.spec.preemption_policy);
            }
        }
        match object {
            Object::Pod(pod) if !has_tolerations(pod) => {
                default_tolerations(Arc::make_mut(&mut Arc::make_mut(pod).spec.tolerations));
            }
            Object::PersistentVolumeClaim(claim) => self.admit_growth(old, claim)?,
            Object::PriorityClass(class) if class.global_default == Some(true) => {
                let name = &class.metadata.name;
                if let Some(other) = self.global_default().filter(|other| other.metadata.name != *name) {
                    return Err(second_default(name, &other.metadata.name));
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// VA-288: what a class does not let grow stays as large as it is.
    fn admit_growth(&self, old: &Object, claim: &PersistentVolumeClaim) -> Result<(), ApiError> {
        let Object::PersistentVolumeClaim(old) = old else {
            return Ok(());
        };
        let size = |claim: &PersistentVolumeClaim| claim.spec.resources.requests.get("storage").cloned();
        let (Some(had), Some(wanted)) = (size(old), size(claim)) else {
            return Ok(());
        };
        let is_bound = old.status.phase == Some(podscope_api::ClaimPhase::Bound);
        if wanted <= had || !is_bound {
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

    /// The namespace must exist and not be ending (CT-119).
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

    /// LC-047 to LC-049.
    fn admit_priority(&self, pod: &mut Pod) -> Result<(), ApiError> {
        let name = pod.metadata.name.clone();
        let refuse = |why: String| Err(ApiError::forbidden(Kind::Pod, &name, &why));
        let class = if pod.spec.priority_class_name.is_empty() {
            self.global_default()
        } else {
            let wanted = &pod.spec.priority_class_name;
            match self.objects().named::<PriorityClass>(wanted) {
                Some(class) => Some(class.clone()),
                None => return refuse(format!("no PriorityClass with name {wanted} was found")),
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

    /// The default class; by a race there may be several, then the one of lowest value (LC-048).
    fn global_default(&self) -> Option<Arc<PriorityClass>> {
        self.objects()
            .list::<PriorityClass>()
            .filter(|class| class.global_default == Some(true))
            .min_by_key(|class| class.value)
            .cloned()
    }

    /// The newest class annotated as default, for claims without one.
    fn default_storage_class(&self) -> Option<Str> {
        self.objects()
            .list::<StorageClass>()
            .filter(|class| class.metadata.annotation("storageclass.kubernetes.io/is-default-class") == Some("true"))
            .max_by_key(|class| {
                (
                    class.metadata.creation_timestamp,
                    std::cmp::Reverse(class.metadata.name.clone()),
                )
            })
            .map(|class| class.metadata.name.clone())
    }
}

fn second_default(name: &str, other: &str) -> ApiError {
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

fn covers(toleration: &Toleration, key: &str) -> bool {
    (toleration.key.is_empty() || &*toleration.key == key)
        && toleration
            .effect
            .as_ref()
            .is_none_or(|effect| effect.as_str().is_empty() || *effect == TaintEffect::NoExecute)
}

fn has_tolerations(pod: &Pod) -> bool {
    [NOT_READY, UNREACHABLE]
        .iter()
        .all(|key| pod.spec.tolerations.iter().any(|toleration| covers(toleration, key)))
}

/// LC-046.
fn default_tolerations(tolerations: &mut Vec<Toleration>) {
    for key in [NOT_READY, UNREACHABLE] {
        if !tolerations.iter().any(|toleration| covers(toleration, key)) {
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

/// matchLabelKeys and mismatchLabelKeys become expressions of the selector, with the pod's own values.
fn fold_match_label_keys(pod: &mut Pod) {
    let labels = pod.metadata.labels.clone();
    let fold = |selector: &mut Option<LabelSelector>, keys: &[Str], operator: &SelectorOperator| {
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
                fold(&mut term.label_selector, &term.match_label_keys, &SelectorOperator::In);
                fold(
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
            fold(
                &mut constraint.label_selector,
                &constraint.match_label_keys,
                &SelectorOperator::In,
            );
        }
    }
}

/// LC-043.
pub(super) fn qos_class(spec: &PodSpec) -> QosClass {
    const COUNTED: [&str; 2] = ["cpu", "memory"];
    let positive = |list: &ResourceList| COUNTED.iter().any(|name| list.get(*name).is_some_and(|q| q.sign() > 0));
    if let Some(own) = &spec.resources {
        return if !positive(&own.requests) && !positive(&own.limits) {
            QosClass::BestEffort
        } else if COUNTED.iter().all(|name| {
            let limit = own.limits.get(*name);
            limit.is_some_and(|limit| limit.sign() > 0) && limit == own.requests.get(*name)
        }) {
            QosClass::Guaranteed
        } else {
            QosClass::Burstable
        };
    }
    let containers = || spec.init_containers.iter().chain(spec.containers.iter());
    if containers().all(|container| !positive(&container.resources.requests) && !positive(&container.resources.limits))
    {
        return QosClass::BestEffort;
    }
    let sum = |of: fn(&podscope_api::Container) -> &ResourceList, name: &str| {
        containers()
            .filter_map(|container| of(container).get(name).cloned())
            .reduce(Quantity::plus)
    };
    let is_guaranteed = containers().all(|container| {
        COUNTED.iter().all(|name| {
            container
                .resources
                .limits
                .get(*name)
                .is_some_and(|limit| limit.sign() > 0)
        })
    }) && COUNTED
        .iter()
        .all(|name| sum(|c| &c.resources.requests, name) == sum(|c| &c.resources.limits, name));
    if is_guaranteed {
        QosClass::Guaranteed
    } else {
        QosClass::Burstable
    }
}

/// Where priority is switched off, both of its fields are blanked, in pods and in templates (F-20; `dropDisabledFields`).
fn drop_priority(object: &mut Object) {
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
