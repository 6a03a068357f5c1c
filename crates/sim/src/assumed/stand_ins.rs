//! Objects that are made up for those that a dump refers to and does not hold: each says no more than what refers to
//! it says.

use std::sync::Arc;

use podscope_api::ordered;
use podscope_api::{
    ClaimPhase, ConditionStatus, ConfigMap, Kind, Namespace, NamespaceSpec, NamespaceStatus, Node, NodeCondition,
    NodeName, NodeSelector, NodeSelectorRequirement, NodeSelectorTerm, Object, ObjectKey, ObjectMeta, ObjectReference,
    PersistentVolume, PersistentVolumeClaim, PodSpec, PreemptionPolicy, PriorityClass, Quantity, ResourceList, Secret,
    SelectorOperator, ServiceAccount, StorageClass, Str, Taint, TaintEffect, VolumeBindingMode, VolumeNodeAffinity,
    VolumePhase,
};

use super::troubles::{Missing, missing_configuration};
use super::unplaced::{Sought, sought};
use super::{is_imported, pods};
use crate::volume::claim_name;

/// Key of the annotation of every stand-in, and of the taint of a Node that is one: what else would fit there nobody
/// knows, so nothing new is placed there.
pub const NOT_IN_THE_DUMP: &str = "podscope.dev/not-in-the-dump";

const BIND_COMPLETED: &str = "pv.kubernetes.io/bind-completed";
const NO_PROVISIONER: &str = "kubernetes.io/no-provisioner";
const PROVISIONER: &str = "volume.kubernetes.io/storage-provisioner";
/// Namespaces of a cluster that are there before any object is.
pub const OWN_NAMESPACES: [&str; 4] = ["default", "kube-node-lease", "kube-public", "kube-system"];

/// The stand-ins for a scenario's objects, in the order in which they can be imported.
pub(super) fn of(objects: &[Object], generated: &[Str]) -> Vec<Object> {
    let nodes = generated
        .iter()
        .map(|name| (Kind::Node, ObjectKey::cluster(name.clone())));
    let known = objects
        .iter()
        .map(|object| (object.kind(), object.key()))
        .chain(nodes)
        .collect();
    let mut making = Making {
        known,
        made: Vec::new(),
        sought: sought(objects),
        missing: told_missing(objects),
    };
    let imported = || objects.iter().filter(|object| is_imported(object));
    for object in imported() {
        making.namespace(&object.metadata().namespace);
    }
    making.nodes(objects);
    for (object, spec) in imported().filter_map(|object| Some((object, spec_of(object)?))) {
        making.priority_class(spec);
        making.service_account(&object.metadata().namespace, &spec.service_account_name);
    }
    for object in imported() {
        match object {
            Object::PersistentVolume(volume) => making.claim_of(volume),
            Object::PersistentVolumeClaim(claim) => making.volume_of(claim),
            _ => {}
        }
    }
    for pod in pods(objects).filter(|pod| !pod.is_terminal()) {
        for volume in pod.spec.volumes.iter() {
            if let Some(name) = claim_name(pod, volume) {
                making.claim(&pod.metadata.namespace, &name);
            }
        }
    }
    for (object, spec) in imported().filter_map(|object| Some((object, spec_of(object)?))) {
        making.configuration(&object.metadata().namespace, spec);
    }
    making.made
}

/// The pod an object is or makes.
fn spec_of(object: &Object) -> Option<&PodSpec> {
    match object {
        Object::Pod(pod) => Some(&pod.spec),
        Object::CronJob(cron) => Some(&cron.spec.job_template.spec.template.spec),
        _ => object.template().map(|template| &template.spec),
    }
}

/// ConfigMaps and Secrets that a kubelet has looked for in vain, by namespace: whoever else names them.
fn told_missing(objects: &[Object]) -> ordered::Set<(Str, Missing)> {
    let told = pods(objects).flat_map(|pod| {
        let waiting = pod.status.statuses().filter_map(|status| status.state.waiting.as_ref());
        waiting.filter_map(|waiting| {
            let missing = missing_configuration(&waiting.message)?;
            Some((pod.metadata.namespace.clone(), missing))
        })
    });
    told.collect()
}

/// ConfigMaps and Secrets that a pod uses, each with the keys that it names.
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
            let of_kinds = [
                (Kind::ConfigMap, &source.config_map_ref),
                (Kind::Secret, &source.secret_ref),
            ];
            for (kind, reference) in of_kinds {
                if let Some(reference) = reference {
                    asked.entry((kind, reference.name.clone())).or_default();
                }
            }
        }
        for source in container.env.iter().filter_map(|variable| variable.value_from.as_ref()) {
            let of_kinds = [
                (Kind::ConfigMap, &source.config_map_key_ref),
                (Kind::Secret, &source.secret_key_ref),
            ];
            for (kind, selector) in of_kinds {
                if let Some(selector) = selector {
                    let keys = asked.entry((kind, selector.name.clone())).or_default();
                    keys.insert(selector.key.clone(), Str::default());
                }
            }
        }
    }
    asked
}

struct Making {
    known: ordered::Set<(Kind, ObjectKey)>,
    made: Vec<Object>,
    /// Claims that pods wait for which could not be placed.
    sought: ordered::Map<ObjectKey, Sought>,
    /// What a kubelet has looked for in vain.
    missing: ordered::Set<(Str, Missing)>,
}

impl Making {
    /// The metadata of a stand-in, unless there is such an object already.
    fn metadata(&mut self, kind: Kind, key: ObjectKey) -> Option<ObjectMeta> {
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

    fn namespace(&mut self, name: &Str) {
        if OWN_NAMESPACES.contains(&&**name) {
            return;
        }
        let Some(mut metadata) = self.metadata(Kind::Namespace, ObjectKey::cluster(name.clone())) else {
            return;
        };
        metadata.labels = Arc::new(ordered::Map::from([(
            Str::from("kubernetes.io/metadata.name"),
            name.clone(),
        )]));
        self.made.push(Object::Namespace(Arc::new(Namespace {
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

    /// Machines that pods run on, or volumes are attached to: as large as what is known to run there asks for.
    fn nodes(&mut self, objects: &[Object]) {
        let mut asked: ordered::Map<NodeName, (u64, ResourceList)> = ordered::Map::new();
        for pod in pods(objects) {
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
            self.node(&name, count, sums);
        }
    }

    fn node(&mut self, name: &NodeName, pods: u64, mut sums: ResourceList) {
        let Some(metadata) = self.metadata(Kind::Node, ObjectKey::cluster(name.0.clone())) else {
            return;
        };
        let quantity = |text: &str| text.parse::<Quantity>().expect("the quantities below");
        for (resource, least) in [("cpu", "4"), ("memory", "8Gi"), ("ephemeral-storage", "100Gi")] {
            // What runs has room, with some to spare: no pressure comes of what nobody knows.
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
        // Nothing says that it does not work.
        node.status.conditions = vec![NodeCondition {
            kind: "Ready".into(),
            status: ConditionStatus::True,
            reason: "KubeletReady".into(),
            ..NodeCondition::default()
        }];
        self.made.push(Object::Node(Arc::new(node)));
    }

    /// Its value is the priority of the pods that carry it; of one that only templates name nobody knows it.
    fn priority_class(&mut self, spec: &PodSpec) {
        let name = &spec.priority_class_name;
        if name.starts_with("system-") {
            return;
        }
        if let Some(Object::PriorityClass(made)) = self
            .made
            .iter_mut()
            .find(|object| object.kind() == Kind::PriorityClass && object.metadata().name == *name)
        {
            if let (Some(value), 0) = (spec.priority, made.value) {
                Arc::make_mut(made).value = value;
            }
            return;
        }
        if let Some(metadata) = self.metadata(Kind::PriorityClass, ObjectKey::cluster(name.clone())) {
            let policy = spec.preemption_policy.clone();
            self.made.push(Object::PriorityClass(Arc::new(PriorityClass {
                metadata,
                value: spec.priority.unwrap_or(0),
                preemption_policy: policy.or(Some(PreemptionPolicy::PreemptLowerPriority)),
                ..PriorityClass::default()
            })));
        }
    }

    /// The account that a pod runs as: admission asks for it when a pod is made. The one called `default` comes by
    /// itself.
    fn service_account(&mut self, namespace: &Str, name: &Str) {
        if &**name == "default" {
            return;
        }
        let key = ObjectKey::new(namespace.clone(), name.clone());
        if let Some(metadata) = self.metadata(Kind::ServiceAccount, key) {
            self.made.push(Object::ServiceAccount(Arc::new(ServiceAccount {
                metadata,
                ..ServiceAccount::default()
            })));
        }
    }

    /// The claim that a volume says it is bound to.
    fn claim_of(&mut self, volume: &PersistentVolume) {
        let Some(reference) = volume.spec.claim_ref.as_ref().filter(|claim| !claim.uid.is_empty()) else {
            return;
        };
        if volume.status.phase != Some(VolumePhase::Bound) {
            return;
        }
        let key = ObjectKey::new(reference.namespace.clone(), reference.name.clone());
        if let Some(mut metadata) = self.metadata(Kind::PersistentVolumeClaim, key) {
            metadata.uid = reference.uid.clone();
            self.bound(metadata, volume);
        }
    }

    /// A claim that is bound to the volume.
    fn bound(&mut self, mut metadata: ObjectMeta, volume: &PersistentVolume) {
        self.namespace(&metadata.namespace.clone());
        Arc::make_mut(&mut metadata.annotations).insert(BIND_COMPLETED.into(), "yes".into());
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
        self.made.push(Object::PersistentVolumeClaim(Arc::new(claim)));
    }

    /// The volume of a bound claim; the class of one that is not bound yet.
    fn volume_of(&mut self, claim: &PersistentVolumeClaim) {
        let class = claim.spec.storage_class_name.clone().unwrap_or_default();
        let name = &claim.spec.volume_name;
        let sought = self.sought.get(&claim.metadata.key()).copied();
        if name.is_empty() {
            if sought == Some(Sought::Unbound) {
                // The scheduler has looked for its class, and would have waited for the pod.
                return;
            }
            // Bound at once, it would be bound by now.
            if let Some(metadata) = self.metadata(Kind::StorageClass, ObjectKey::cluster(class)) {
                let known = claim.metadata.annotation(PROVISIONER);
                // A pod that found no node for it: nothing makes such volumes.
                let none = sought.map(|_| NO_PROVISIONER);
                let provisioner = none.or(known).unwrap_or(NOT_IN_THE_DUMP);
                self.made.push(Object::StorageClass(Arc::new(StorageClass {
                    metadata,
                    provisioner: provisioner.into(),
                    volume_binding_mode: Some(VolumeBindingMode::WaitForFirstConsumer),
                    ..StorageClass::default()
                })));
            }
            return;
        }
        if let Some(metadata) = self.metadata(Kind::PersistentVolume, ObjectKey::cluster(name.clone())) {
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
            volume.spec.node_affinity = sought.map(|_| out_of_reach());
            self.made.push(Object::PersistentVolume(Arc::new(volume)));
        }
    }

    /// A claim of which only the name is known: bound to a volume that every node reaches, or none if pods wait for it.
    fn claim(&mut self, namespace: &Str, name: &Str) {
        let key = ObjectKey::new(namespace.clone(), name.clone());
        let sought = self.sought.get(&key).copied();
        if sought == Some(Sought::Missing) {
            return;
        }
        let Some(metadata) = self.metadata(Kind::PersistentVolumeClaim, key) else {
            return;
        };
        if sought == Some(Sought::Unbound) {
            let mut claim = PersistentVolumeClaim {
                metadata,
                ..PersistentVolumeClaim::default()
            };
            claim.spec.storage_class_name = Some(NOT_IN_THE_DUMP.into());
            claim.status.phase = Some(ClaimPhase::Pending);
            self.made.push(Object::PersistentVolumeClaim(Arc::new(claim)));
            return;
        }
        let place = ObjectKey::cluster(format!("not-in-the-dump-{namespace}-{name}"));
        let Some(of_volume) = self.metadata(Kind::PersistentVolume, place) else {
            return;
        };
        let mut volume = PersistentVolume {
            metadata: of_volume,
            ..PersistentVolume::default()
        };
        volume.spec.claim_ref = Some(reference_to(&metadata));
        volume.status.phase = Some(VolumePhase::Bound);
        volume.spec.node_affinity = sought.map(|_| out_of_reach());
        self.bound(metadata, &volume);
        self.made.push(Object::PersistentVolume(Arc::new(volume)));
    }

    /// ConfigMaps and Secrets of a pod, with the keys it asks for.
    fn configuration(&mut self, namespace: &Str, spec: &PodSpec) {
        for ((kind, name), mut keys) in configuration_of(spec) {
            let mut missing = Missing {
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
            self.keys_of(kind, ObjectKey::new(namespace.clone(), name), keys);
        }
    }

    /// A ConfigMap or Secret with at least these keys; one that the dump holds stays as it is.
    fn keys_of(&mut self, kind: Kind, key: ObjectKey, keys: ordered::Map<Str, Str>) {
        if let Some(metadata) = self.metadata(kind, key.clone()) {
            self.made.push(match kind {
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
            .made
            .iter_mut()
            .find(|object| object.kind() == kind && object.key() == key);
        match made {
            Some(Object::Secret(secret)) => Arc::make_mut(secret).data.extend(keys),
            Some(Object::ConfigMap(map)) => Arc::make_mut(map).data.extend(keys),
            _ => {}
        }
    }
}

/// Where no node is: a pod has found none, and where the volume is nobody knows.
fn out_of_reach() -> VolumeNodeAffinity {
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
