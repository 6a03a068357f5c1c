//! Stand-ins: objects that are created for those that a dump refers to but does not contain. A stand-in holds only what
//! the objects that refer to it imply.

use std::sync::Arc;

use podscope_api::ordered;
use podscope_api::well_known::{annotation, condition, label, provisioner};
use podscope_api::{
    ClaimPhase, ConditionStatus, ConfigMap, Kind, Namespace, NamespaceSpec, NamespaceStatus, Node, NodeCondition,
    NodeName, NodeSelector, NodeSelectorRequirement, NodeSelectorTerm, Object, ObjectKey, ObjectMeta, ObjectReference,
    PersistentVolume, PersistentVolumeClaim, PodSpec, PreemptionPolicy, PriorityClass, Quantity, ResourceList, Secret,
    SelectorOperator, ServiceAccount, StorageClass, Str, Taint, TaintEffect, VolumeBindingMode, VolumeNodeAffinity,
    VolumePhase,
};

use super::container_problems::{MissingConfiguration, missing_configuration};
use super::unschedulable::{RefusedClaim, claims_of_refused_pods};
use super::{imported_pods, is_imported};
use crate::volume::claim_name;

/// Annotation key of every stand-in, and key of the taint of stand-in Nodes: their free capacity is unknown, so no new
/// pod may be placed there.
pub const NOT_IN_THE_DUMP: &str = "podscope.dev/not-in-the-dump";

/// Annotation of a claim with the name of its provisioner.
const PROVISIONER_ANNOTATION: &str = "volume.kubernetes.io/storage-provisioner";
/// Namespaces that every cluster has from the start.
pub const INITIAL_NAMESPACES: [&str; 4] = ["default", "kube-node-lease", "kube-public", "kube-system"];

/// Returns the stand-ins for a scenario's objects, in an order in which they can be imported.
pub(super) fn stand_ins_for(objects: &[Object], generated_nodes: &[Str]) -> Vec<Object> {
    let nodes = generated_nodes
        .iter()
        .map(|name| (Kind::Node, ObjectKey::cluster(name.clone())));
    // Pods are left out: no stand-in is a pod, and most objects are pods.
    let known = objects
        .iter()
        .filter(|object| object.kind() != Kind::Pod)
        .map(|object| (object.kind(), object.key()))
        .chain(nodes)
        .collect();
    let mut builder = StandInBuilder {
        known,
        created: Vec::new(),
        claims_of_refused_pods: claims_of_refused_pods(objects),
        missing: reported_missing(objects),
    };
    let imported = || objects.iter().filter(|object| is_imported(object));
    for object in imported() {
        builder.add_namespace(&object.metadata().namespace);
    }
    builder.add_nodes(objects);
    for (object, spec) in imported().filter_map(|object| Some((object, pod_spec_of(object)?))) {
        builder.add_priority_class(spec);
        builder.add_service_account(&object.metadata().namespace, &spec.service_account_name);
    }
    for object in imported() {
        match object {
            Object::PersistentVolume(volume) => builder.add_claim_of(volume),
            Object::PersistentVolumeClaim(claim) => builder.add_volume_or_class_of(claim),
            _ => {}
        }
    }
    for pod in imported_pods(objects).filter(|pod| !pod.is_terminal()) {
        for volume in pod.spec.volumes.iter() {
            if let Some(name) = claim_name(pod, volume) {
                builder.add_claim(&pod.metadata.namespace, &name);
            }
        }
    }
    for (object, spec) in imported().filter_map(|object| Some((object, pod_spec_of(object)?))) {
        builder.add_configuration(&object.metadata().namespace, spec);
    }
    builder.created
}

/// Returns the pod spec of a Pod, or of the pods that a workload creates.
fn pod_spec_of(object: &Object) -> Option<&PodSpec> {
    match object {
        Object::Pod(pod) => Some(&pod.spec),
        Object::CronJob(cron) => Some(&cron.spec.job_template.spec.template.spec),
        _ => object.template().map(|template| &template.spec),
    }
}

/// Returns the ConfigMaps, Secrets and keys of them that a kubelet reported as missing, by namespace. They get no
/// stand-in, whichever pod names them.
fn reported_missing(objects: &[Object]) -> ordered::Set<(Str, MissingConfiguration)> {
    let reported = imported_pods(objects).flat_map(|pod| {
        let waiting = pod.status.statuses().filter_map(|status| status.state.waiting.as_ref());
        waiting.filter_map(|waiting| {
            let missing = missing_configuration(&waiting.message)?;
            Some((pod.metadata.namespace.clone(), missing))
        })
    });
    reported.collect()
}

/// Returns the ConfigMaps and Secrets that a pod uses, each with the keys that it references.
pub(super) fn configuration_of(spec: &PodSpec) -> ordered::Map<(Kind, Str), ordered::Map<Str, Str>> {
    let mut asked: ordered::Map<(Kind, Str), ordered::Map<Str, Str>> = ordered::Map::new();
    for volume in spec.volumes.iter() {
        if let Some(source) = &volume.config_map {
            asked.entry((Kind::ConfigMap, source.name.clone())).or_default();
        }
        if let Some(source) = &volume.secret {
            asked.entry((Kind::Secret, source.secret_name.clone())).or_default();
        }
    }
    for container in spec.all_containers() {
        for source in &container.env_from {
            let references = [
                (Kind::ConfigMap, &source.config_map_ref),
                (Kind::Secret, &source.secret_ref),
            ];
            for (kind, reference) in references {
                if let Some(reference) = reference {
                    asked.entry((kind, reference.name.clone())).or_default();
                }
            }
        }
        for source in container.env.iter().filter_map(|variable| variable.value_from.as_ref()) {
            let references = [
                (Kind::ConfigMap, &source.config_map_key_ref),
                (Kind::Secret, &source.secret_key_ref),
            ];
            for (kind, selector) in references {
                if let Some(selector) = selector {
                    let keys = asked.entry((kind, selector.name.clone())).or_default();
                    keys.insert(selector.key.clone(), Str::default());
                }
            }
        }
    }
    asked
}

/// The stand-ins created so far, and the keys of all objects that exist.
struct StandInBuilder {
    known: ordered::Set<(Kind, ObjectKey)>,
    created: Vec<Object>,
    /// Claims that only unschedulable pods use.
    claims_of_refused_pods: ordered::Map<ObjectKey, RefusedClaim>,
    /// ConfigMaps, Secrets and keys that a kubelet reported as missing.
    missing: ordered::Set<(Str, MissingConfiguration)>,
}

impl StandInBuilder {
    /// Returns the metadata of a new stand-in; `None` if the object exists already.
    fn new_metadata(&mut self, kind: Kind, key: ObjectKey) -> Option<ObjectMeta> {
        if key.name.is_empty() || !self.known.insert((kind, key.clone())) {
            return None;
        }
        Some(ObjectMeta {
            uid: format!("{NOT_IN_THE_DUMP}/{}/{key}", kind.plural()).as_str().into(),
            name: key.name,
            namespace: key.namespace,
            annotations: Arc::new(ordered::Map::from([(Str::from(NOT_IN_THE_DUMP), Str::from("true"))])),
            generation: Some(1),
            ..ObjectMeta::default()
        })
    }

    fn add_namespace(&mut self, name: &Str) {
        if INITIAL_NAMESPACES.contains(&&**name) {
            return;
        }
        let Some(mut metadata) = self.new_metadata(Kind::Namespace, ObjectKey::cluster(name.clone())) else {
            return;
        };
        metadata.labels = Arc::new(ordered::Map::from([(Str::from(label::NAMESPACE_NAME), name.clone())]));
        self.created.push(Object::Namespace(Arc::new(Namespace {
            metadata,
            spec: NamespaceSpec {
                finalizers: vec!["kubernetes".into()],
            },
            status: NamespaceStatus {
                phase: "Active".into(),
                ..NamespaceStatus::default()
            },
            ..Namespace::default()
        })));
    }

    /// Creates Nodes that pods run on or volumes are attached to, sized by the requests of their known pods.
    fn add_nodes(&mut self, objects: &[Object]) {
        let mut asked: ordered::Map<NodeName, (u64, ResourceList)> = ordered::Map::new();
        for pod in imported_pods(objects) {
            let Some(node) = &pod.spec.node_name else { continue };
            let (count, sums) = asked.entry(node.clone()).or_default();
            *count += 1;
            for container in pod.spec.all_containers() {
                for name in ["cpu", "memory", "ephemeral-storage"] {
                    let resources = &container.resources;
                    let most = [resources.requests.get(name), resources.limits.get(name)];
                    if let Some(most) = most.into_iter().flatten().max() {
                        let sum = sums.remove(name).unwrap_or_default();
                        sums.insert(name.into(), sum.plus(*most));
                    }
                }
            }
        }
        for object in objects.iter().filter(|object| is_imported(object)) {
            if let Object::VolumeAttachment(attachment) = object {
                asked.entry(attachment.spec.node_name.clone()).or_default();
            }
        }
        for (name, (count, sums)) in asked {
            self.add_node(&name, count, sums);
        }
    }

    fn add_node(&mut self, name: &NodeName, pods: u64, mut sums: ResourceList) {
        let Some(metadata) = self.new_metadata(Kind::Node, ObjectKey::cluster(name.0.clone())) else {
            return;
        };
        let quantity = |text: &str| text.parse::<Quantity>().expect("the quantities below");
        for (resource, least) in [("cpu", "4"), ("memory", "8Gi"), ("ephemeral-storage", "100Gi")] {
            // Twice the known requests: unknown pods on the node must not cause pressure.
            let asked = sums.remove(resource).unwrap_or_default();
            let size = asked.plus(asked).max(quantity(least));
            sums.insert(resource.into(), size);
        }
        sums.insert("pods".into(), quantity(&pods.max(110).to_string()));
        let mut node = Node {
            metadata,
            ..Node::default()
        };
        node.spec.taints = vec![Taint {
            key: NOT_IN_THE_DUMP.into(),
            effect: TaintEffect::NoSchedule,
            ..Taint::default()
        }];
        node.status.capacity = sums;
        // The node is assumed to be Ready, because nothing in the dump says otherwise.
        node.status.conditions = vec![NodeCondition {
            kind: condition::READY.into(),
            status: ConditionStatus::True,
            reason: "KubeletReady".into(),
            ..NodeCondition::default()
        }];
        self.created.push(Object::Node(Arc::new(node)));
    }

    /// Creates a PriorityClass with the priority of its pods. If only templates name the class, its value is unknown
    /// and stays 0.
    fn add_priority_class(&mut self, spec: &PodSpec) {
        let name = &spec.priority_class_name;
        if name.starts_with("system-") {
            return;
        }
        if let Some(Object::PriorityClass(made)) = self
            .created
            .iter_mut()
            .find(|object| object.kind() == Kind::PriorityClass && object.metadata().name == *name)
        {
            if let (Some(value), 0) = (spec.priority, made.value) {
                Arc::make_mut(made).value = value;
            }
            return;
        }
        if let Some(metadata) = self.new_metadata(Kind::PriorityClass, ObjectKey::cluster(name.clone())) {
            let policy = spec.preemption_policy.clone();
            self.created.push(Object::PriorityClass(Arc::new(PriorityClass {
                metadata,
                value: spec.priority.unwrap_or(0),
                preemption_policy: policy.or(Some(PreemptionPolicy::PreemptLowerPriority)),
                ..PriorityClass::default()
            })));
        }
    }

    /// Creates the ServiceAccount that a pod runs as, which admission requires when the pod is recreated. The
    /// ServiceAccount controller creates the one called `default`.
    fn add_service_account(&mut self, namespace: &Str, name: &Str) {
        if &**name == "default" {
            return;
        }
        let key = ObjectKey::new(namespace.clone(), name.clone());
        if let Some(metadata) = self.new_metadata(Kind::ServiceAccount, key) {
            self.created.push(Object::ServiceAccount(Arc::new(ServiceAccount {
                metadata,
                ..ServiceAccount::default()
            })));
        }
    }

    /// Creates the claim that a bound volume names.
    fn add_claim_of(&mut self, volume: &PersistentVolume) {
        let Some(reference) = volume.spec.claim_ref.as_ref().filter(|claim| !claim.uid.is_empty()) else {
            return;
        };
        if volume.status.phase != Some(VolumePhase::Bound) {
            return;
        }
        let key = ObjectKey::new(reference.namespace.clone(), reference.name.clone());
        if let Some(mut metadata) = self.new_metadata(Kind::PersistentVolumeClaim, key) {
            metadata.uid = reference.uid.clone();
            self.add_bound_claim(metadata, volume);
        }
    }

    /// Creates a claim that is bound to the volume.
    fn add_bound_claim(&mut self, mut metadata: ObjectMeta, volume: &PersistentVolume) {
        self.add_namespace(&metadata.namespace.clone());
        Arc::make_mut(&mut metadata.annotations).insert(annotation::BIND_COMPLETED.into(), "yes".into());
        let mut claim = PersistentVolumeClaim {
            metadata,
            ..PersistentVolumeClaim::default()
        };
        claim.spec.access_modes = volume.spec.access_modes.clone();
        claim.spec.resources.requests = volume.spec.capacity.clone();
        claim.spec.storage_class_name = Some(volume.spec.storage_class_name.clone());
        claim.spec.volume_mode = volume.spec.volume_mode.clone();
        claim.spec.volume_name = volume.metadata.name.clone();
        claim.status.phase = Some(ClaimPhase::Bound);
        claim.status.access_modes = volume.spec.access_modes.clone();
        claim.status.capacity = volume.spec.capacity.clone();
        self.created.push(Object::PersistentVolumeClaim(Arc::new(claim)));
    }

    /// Creates the volume of a bound claim, or the StorageClass of an unbound one.
    fn add_volume_or_class_of(&mut self, claim: &PersistentVolumeClaim) {
        let class = claim.spec.storage_class_name.clone().unwrap_or_default();
        let name = &claim.spec.volume_name;
        let refusal = self.claims_of_refused_pods.get(&claim.metadata.key()).copied();
        if name.is_empty() {
            if refusal == Some(RefusedClaim::Unbound) {
                // No stand-in for the StorageClass: with it, the claim's binding would wait for the first consumer, but
                // the scheduler's message says that it does not.
                return;
            }
            // The binding mode is WaitForFirstConsumer: with Immediate the claim would be bound by now.
            if let Some(metadata) = self.new_metadata(Kind::StorageClass, ObjectKey::cluster(class)) {
                let known = claim.metadata.annotation(PROVISIONER_ANNOTATION);
                // A pod that uses the claim was unschedulable, so nothing provisions such volumes.
                let none = refusal.map(|_| provisioner::NONE);
                let provisioner = none.or(known).unwrap_or(NOT_IN_THE_DUMP);
                self.created.push(Object::StorageClass(Arc::new(StorageClass {
                    metadata,
                    provisioner: provisioner.into(),
                    volume_binding_mode: Some(VolumeBindingMode::WaitForFirstConsumer),
                    ..StorageClass::default()
                })));
            }
            return;
        }
        if let Some(metadata) = self.new_metadata(Kind::PersistentVolume, ObjectKey::cluster(name.clone())) {
            let mut volume = PersistentVolume {
                metadata,
                ..PersistentVolume::default()
            };
            volume.spec.access_modes = claim.spec.access_modes.clone();
            volume.spec.capacity = if claim.status.capacity.is_empty() {
                claim.spec.resources.requests.clone()
            } else {
                claim.status.capacity.clone()
            };
            volume.spec.storage_class_name = class;
            volume.spec.volume_mode = claim.spec.volume_mode.clone();
            volume.spec.claim_ref = Some(reference_to(&claim.metadata));
            volume.status.phase = Some(VolumePhase::Bound);
            volume.spec.node_affinity = refusal.map(|_| unreachable_affinity());
            self.created.push(Object::PersistentVolume(Arc::new(volume)));
        }
    }

    /// Creates a claim of which only the name is known: bound to a volume that every node can reach, or to one that no
    /// node can reach if only unschedulable pods use it.
    fn add_claim(&mut self, namespace: &Str, name: &Str) {
        let key = ObjectKey::new(namespace.clone(), name.clone());
        let refusal = self.claims_of_refused_pods.get(&key).copied();
        if refusal == Some(RefusedClaim::Missing) {
            return;
        }
        let Some(metadata) = self.new_metadata(Kind::PersistentVolumeClaim, key) else {
            return;
        };
        if refusal == Some(RefusedClaim::Unbound) {
            let mut claim = PersistentVolumeClaim {
                metadata,
                ..PersistentVolumeClaim::default()
            };
            claim.spec.storage_class_name = Some(NOT_IN_THE_DUMP.into());
            claim.status.phase = Some(ClaimPhase::Pending);
            self.created.push(Object::PersistentVolumeClaim(Arc::new(claim)));
            return;
        }
        let place = ObjectKey::cluster(format!("not-in-the-dump-{namespace}-{name}"));
        let Some(of_volume) = self.new_metadata(Kind::PersistentVolume, place) else {
            return;
        };
        let mut volume = PersistentVolume {
            metadata: of_volume,
            ..PersistentVolume::default()
        };
        volume.spec.claim_ref = Some(reference_to(&metadata));
        volume.status.phase = Some(VolumePhase::Bound);
        volume.spec.node_affinity = refusal.map(|_| unreachable_affinity());
        self.add_bound_claim(metadata, &volume);
        self.created.push(Object::PersistentVolume(Arc::new(volume)));
    }

    /// Creates the ConfigMaps and Secrets of a pod, with the keys that it references.
    fn add_configuration(&mut self, namespace: &Str, spec: &PodSpec) {
        for ((kind, name), mut keys) in configuration_of(spec) {
            let mut missing = MissingConfiguration {
                kind,
                name: name.clone(),
                key: None,
            };
            if self.missing.contains(&(namespace.clone(), missing.clone())) {
                continue;
            }
            keys.retain(|key, _| {
                missing.key = Some(key.clone());
                !self.missing.contains(&(namespace.clone(), missing.clone()))
            });
            self.add_configuration_object(kind, ObjectKey::new(namespace.clone(), name), keys);
        }
    }

    /// Creates a ConfigMap or Secret with these keys, or adds them to an existing stand-in. An imported object stays as
    /// it is.
    fn add_configuration_object(&mut self, kind: Kind, key: ObjectKey, keys: ordered::Map<Str, Str>) {
        if let Some(metadata) = self.new_metadata(kind, key.clone()) {
            self.created.push(match kind {
                Kind::Secret => Object::Secret(Arc::new(Secret {
                    metadata,
                    data: keys,
                    ..Secret::default()
                })),
                _ => Object::ConfigMap(Arc::new(ConfigMap {
                    metadata,
                    data: keys,
                    ..ConfigMap::default()
                })),
            });
            return;
        }
        let made = self
            .created
            .iter_mut()
            .find(|object| object.kind() == kind && object.key() == key);
        match made {
            Some(Object::Secret(secret)) => Arc::make_mut(secret).data.extend(keys),
            Some(Object::ConfigMap(map)) => Arc::make_mut(map).data.extend(keys),
            _ => {}
        }
    }
}

/// Returns a node affinity that matches no node: the scheduler found no node for the pod, and the volume's real
/// location is unknown.
fn unreachable_affinity() -> VolumeNodeAffinity {
    let requirement = NodeSelectorRequirement {
        key: NOT_IN_THE_DUMP.into(),
        operator: SelectorOperator::Exists,
        ..NodeSelectorRequirement::default()
    };
    let term = NodeSelectorTerm {
        match_expressions: vec![requirement],
        ..NodeSelectorTerm::default()
    };
    VolumeNodeAffinity {
        required: Some(NodeSelector {
            node_selector_terms: vec![term],
        }),
    }
}

fn reference_to(claim: &ObjectMeta) -> ObjectReference {
    ObjectReference {
        kind: "PersistentVolumeClaim".into(),
        api_version: "v1".into(),
        namespace: claim.namespace.clone(),
        name: claim.name.clone(),
        uid: claim.uid.clone(),
        ..ObjectReference::default()
    }
}
