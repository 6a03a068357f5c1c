//! Advice about manifests that are valid but likely to surprise (P-08). The advice depends only on the given objects,
//! not on a running cluster. Its rules come from the seed documents on which Podscope is based.

use crate::ordered;
use crate::well_known::{annotation, label};

use crate::{
    Affinity, ContainerBehavior, HookBehavior, Labels, Object, OnSigterm, PersistentVolume, PersistentVolumeClaim,
    PersistentVolumeSpec, PodSpec, PriorityClass, StorageClass, Str, TopologySpreadConstraint, Volume,
    container_behaviors, limits, print_duration_short,
};

/// A warning about one object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Advice {
    /// Index of the object in the list that was passed to [`advice`].
    pub object: usize,
    /// The field that the advice is about.
    pub path: String,
    /// The warning, as a sentence.
    pub text: String,
}

/// Topology keys that nodes have in every cluster.
const WELL_KNOWN_TOPOLOGY_KEYS: [&str; 3] = [label::HOSTNAME, label::ZONE, label::REGION];

/// Returns advice about the given objects, in their order. Warns about volumes with several writers, short grace
/// periods, affinity to pods of lower priority, spread constraints that do not work as expected, and probes and hooks
/// that the kubelet cannot run.
pub fn advice(objects: &[Object]) -> Vec<Advice> {
    let lookup = ObjectIndex::new(objects);
    let mut found = Vec::new();
    for subject in &lookup.subjects {
        let mut warn_at = |path: String, text: String| {
            found.push(Advice {
                object: subject.object,
                path: format!("{}{path}", subject.prefix),
                text,
            });
        };
        warn_about_shared_volumes(subject, &lookup, &mut warn_at);
        warn_about_short_grace_period(subject, &mut warn_at);
        warn_about_affinity_to_lower_priority(subject, &lookup, &mut warn_at);
        warn_about_differing_spread_constraints(subject, &lookup, &mut warn_at);
        warn_about_spread_not_counting_own_pod(subject, &mut warn_at);
        warn_about_topology_keys_without_prefix(subject, &mut warn_at);
        warn_about_unusable_handlers(subject, &mut warn_at);
    }
    found
}

/// A bare pod or the pod template of a workload.
struct AdviceSubject<'o> {
    object: usize,
    kind: &'static str,
    namespace: &'o str,
    name: &'o str,
    labels: &'o Labels,
    annotations: &'o Labels,
    spec: &'o PodSpec,
    /// Prefix of field paths: empty for a bare pod, `spec.template.` for the pod template of a workload.
    prefix: &'static str,
}

struct ObjectIndex<'o> {
    subjects: Vec<AdviceSubject<'o>>,
    classes: ordered::Map<&'o str, &'o PriorityClass>,
    claims: ordered::Map<(&'o str, &'o str), &'o PersistentVolumeClaim>,
    volumes: ordered::Map<&'o str, &'o PersistentVolume>,
    storage: ordered::Map<&'o str, &'o StorageClass>,
}

impl<'o> ObjectIndex<'o> {
    fn new(objects: &'o [Object]) -> Self {
        let mut lookup = Self {
            subjects: Vec::new(),
            classes: ordered::Map::new(),
            claims: ordered::Map::new(),
            volumes: ordered::Map::new(),
            storage: ordered::Map::new(),
        };
        for (index, object) in objects.iter().enumerate() {
            match object {
                Object::PriorityClass(class) => {
                    lookup.classes.insert(&class.metadata.name, class);
                }
                Object::PersistentVolumeClaim(claim) => {
                    lookup
                        .claims
                        .insert((namespace_or_default(object), &claim.metadata.name), claim);
                }
                Object::PersistentVolume(volume) => {
                    lookup.volumes.insert(&volume.metadata.name, volume);
                }
                Object::StorageClass(class) => {
                    lookup.storage.insert(&class.metadata.name, class);
                }
                // Pods of a workload get no advice of their own: the workload's template represents them.
                Object::Pod(pod) if pod.metadata.controller_ref().is_none() => lookup.subjects.push(AdviceSubject {
                    object: index,
                    kind: "Pod",
                    namespace: namespace_or_default(object),
                    name: &pod.metadata.name,
                    labels: &pod.metadata.labels,
                    annotations: &pod.metadata.annotations,
                    spec: &pod.spec,
                    prefix: "",
                }),
                _ => {
                    let owned = object.metadata().controller_ref().is_some();
                    if let Some(template) = object.template().filter(|_| !owned) {
                        lookup.subjects.push(AdviceSubject {
                            object: index,
                            kind: object.kind().name(),
                            namespace: namespace_or_default(object),
                            name: &object.metadata().name,
                            labels: &template.metadata.labels,
                            annotations: &template.metadata.annotations,
                            spec: &template.spec,
                            prefix: "spec.template.",
                        });
                    }
                }
            }
        }
        lookup
    }

    /// Returns the volume that a claim is bound to, or the one it would bind to.
    fn volume_for_claim(&self, namespace: &str, claim: &PersistentVolumeClaim) -> Option<&'o PersistentVolume> {
        if !claim.spec.volume_name.is_empty() {
            return self.volumes.get(&*claim.spec.volume_name).copied();
        }
        let is_claimed =
            |volume: &&&PersistentVolume| {
                volume.spec.claim_ref.as_ref().is_some_and(|claim_ref| {
                    *claim_ref.name == *claim.metadata.name && *claim_ref.namespace == *namespace
                })
            };
        if let Some(volume) = self.volumes.values().find(is_claimed) {
            return Some(volume);
        }
        let class = self.own_or_default_class_name(claim);
        let fitting = self.volumes.values().filter(|volume| can_bind(claim, class, volume));
        fitting
            .min_by_key(|volume| volume.spec.capacity.get("storage").copied())
            .copied()
    }

    /// Returns the name of a claim's storage class, or of the default class if the claim names none.
    fn own_or_default_class_name<'a>(&'a self, claim: &'a PersistentVolumeClaim) -> &'a str {
        match &claim.spec.storage_class_name {
            Some(name) => name,
            None => {
                let is_default = |class: &&&StorageClass| {
                    class.metadata.annotation(annotation::DEFAULT_STORAGE_CLASS) == Some("true")
                };
                self.storage
                    .values()
                    .find(is_default)
                    .map_or("", |class| &class.metadata.name)
            }
        }
    }

    fn storage_class_of(&self, claim: &PersistentVolumeClaim) -> Option<&'o StorageClass> {
        self.storage.get(self.own_or_default_class_name(claim)).copied()
    }

    fn priority_of_pod(&self, spec: &PodSpec) -> Option<i32> {
        if let Some(priority) = spec.priority {
            return Some(priority);
        }
        match &*spec.priority_class_name {
            "" => Some(
                self.classes
                    .values()
                    .filter(|class| class.global_default == Some(true))
                    .map(|class| class.value)
                    .min()
                    .unwrap_or(0),
            ),
            "system-node-critical" => Some(2_000_001_000),
            "system-cluster-critical" => Some(2_000_000_000),
            name => self.classes.get(name).map(|class| class.value),
        }
    }
}

fn namespace_or_default(object: &Object) -> &str {
    match &*object.metadata().namespace {
        "" => "default",
        name => name,
    }
}

/// Warns about probes and hooks that the API server accepts, but the kubelet cannot run: those that refer to a port
/// name which the container does not define (LC-117), and `tcpSocket` hooks (LC-144).
fn warn_about_unusable_handlers(subject: &AdviceSubject<'_>, warn_at: &mut impl FnMut(String, String)) {
    let spec = subject.spec;
    for (list, containers) in [
        ("initContainers", &spec.init_containers),
        ("containers", &spec.containers),
    ] {
        for (idx, container) in containers.iter().enumerate() {
            let name = &container.name;
            let path = |field: &str, handler: &str| format!("spec.{list}[{idx}].{field}.{handler}.port");
            let probes = [
                ("readinessProbe", &container.readiness_probe, "it is never Ready"),
                (
                    "startupProbe",
                    &container.startup_probe,
                    "it neither starts nor is restarted",
                ),
                (
                    "livenessProbe",
                    &container.liveness_probe,
                    "it is never restarted for it",
                ),
            ];
            for (field, probe, outcome) in probes {
                let Some(probe) = probe else { continue };
                let ports = [
                    ("httpGet", probe.http_get.as_ref().map(|http| &http.port)),
                    ("tcpSocket", probe.tcp_socket.as_ref().map(|tcp| &tcp.port)),
                ];
                for (handler, port) in ports {
                    if let Some(port) = port.filter(|port| port.port_of(container).is_err()) {
                        warn_at(
                            path(field, handler),
                            format!(
                                "container {name} has no port named {port}: the kubelet cannot probe it, throws each result away, and {outcome}"
                            ),
                        );
                    }
                }
            }
            let Some(lifecycle) = &container.lifecycle else {
                continue;
            };
            for (field, hook) in [("postStart", &lifecycle.post_start), ("preStop", &lifecycle.pre_stop)] {
                let Some(hook) = hook else { continue };
                if hook.tcp_socket.is_some() {
                    warn_at(
                        format!("spec.{list}[{idx}].lifecycle.{field}.tcpSocket"),
                        format!("the kubelet cannot run the tcpSocket hook of container {name}: it always fails"),
                    );
                }
                let http = hook.http_get.as_ref();
                if let Some(http) = http.filter(|http| http.port.port_of(container).is_err()) {
                    warn_at(
                        path(&format!("lifecycle.{field}"), "httpGet"),
                        format!("container {name} has no port named {}: the hook fails", http.port),
                    );
                }
            }
        }
    }
}

/// Warns about storage that several nodes can write, used by a workload that may run two pods at once (CT-126).
fn warn_about_shared_volumes(
    subject: &AdviceSubject<'_>,
    lookup: &ObjectIndex<'_>,
    warn_at: &mut impl FnMut(String, String),
) {
    if !matches!(subject.kind, "ReplicaSet" | "Deployment" | "ReplicationController") {
        return;
    }
    for (index, volume) in subject.spec.volumes.iter().enumerate() {
        let mounted = subject.spec.all_containers().any(|container| {
            container
                .volume_mounts
                .iter()
                .any(|mount| mount.name == volume.name && mount.read_only != Some(true))
        });
        if !mounted {
            continue;
        }
        if let Some(backend) = multi_writer_backend(volume, subject.namespace, lookup) {
            warn_at(
                format!("spec.volumes[{index}]"),
                format!(
                    "{backend} lets several nodes write at once, and a {} may run two pods at once even with one replica: \
                     they can corrupt the data. Use a StatefulSet, or a backend that is attached to one node only.",
                    subject.kind
                ),
            );
        }
    }
}

/// Returns the name of a volume's storage backend, if the backend allows several writers.
fn multi_writer_backend(volume: &Volume, namespace: &str, lookup: &ObjectIndex<'_>) -> Option<&'static str> {
    match volume.volume_source_names().next()? {
        "nfs" if volume.nfs.as_ref()?.read_only != Some(true) => Some("NFS"),
        "iscsi" if volume.iscsi.as_ref()?.read_only != Some(true) => Some("iSCSI"),
        "fc" => Some("Fibre Channel"),
        "cephfs" => Some("CephFS"),
        "glusterfs" => Some("GlusterFS"),
        "persistentVolumeClaim" => {
            let source = volume.persistent_volume_claim.as_ref()?;
            if source.read_only == Some(true) {
                return None;
            }
            let claim = lookup.claims.get(&(namespace, &*source.claim_name))?;
            match lookup.volume_for_claim(namespace, claim) {
                Some(volume) => backend_of_volume(&volume.spec),
                None => backend_of_csi_driver(&lookup.storage_class_of(claim)?.provisioner),
            }
        }
        _ => None,
    }
}

/// Returns the name of a PersistentVolume's storage backend, if the backend allows several writers.
fn backend_of_volume(spec: &PersistentVolumeSpec) -> Option<&'static str> {
    Some(match spec.volume_source_names().next()? {
        "nfs" => "NFS",
        "iscsi" => "iSCSI",
        "fc" => "Fibre Channel",
        "cephfs" => "CephFS",
        "glusterfs" => "GlusterFS",
        "csi" => return backend_of_csi_driver(&spec.csi.as_ref()?.driver),
        _ => return None,
    })
}

/// Returns the name of the storage backend of a CSI driver or provisioner, if the backend allows several writers. Only
/// widely used drivers are covered.
fn backend_of_csi_driver(driver: &str) -> Option<&'static str> {
    Some(match driver {
        "nfs.csi.k8s.io" | "efs.csi.aws.com" | "filestore.csi.storage.gke.io" => "NFS",
        "file.csi.azure.com" | "smb.csi.k8s.io" => "SMB",
        "iscsi.csi.k8s.io" => "iSCSI",
        _ if driver.ends_with("cephfs.csi.ceph.com") => "CephFS",
        _ if driver.ends_with("nfs-subdir-external-provisioner") => "NFS",
        _ => return None,
    })
}

/// Returns whether a claim with the storage class `class` can bind to a volume (CT-123).
fn can_bind(claim: &PersistentVolumeClaim, class: &str, volume: &PersistentVolume) -> bool {
    let (requested, offered) = (&claim.spec, &volume.spec);
    let storage = |amounts: &crate::ResourceList| amounts.get("storage").copied();
    let is_large_enough = match (storage(&requested.resources.requests), storage(&offered.capacity)) {
        (Some(requested), Some(offered)) => offered >= requested,
        (requested, _) => requested.is_none(),
    };
    offered.claim_ref.is_none()
        && *offered.storage_class_name == *class
        && is_large_enough
        && requested
            .access_modes
            .iter()
            .all(|mode| offered.access_modes.contains(mode))
        && requested
            .selector
            .as_ref()
            .is_none_or(|selector| selector.matches(&volume.metadata.labels))
}

/// Warns about a grace period that is shorter than the preStop hook and the shutdown together: the kubelet then kills
/// the process (L-10).
fn warn_about_short_grace_period(subject: &AdviceSubject<'_>, warn_at: &mut impl FnMut(String, String)) {
    const MICROS_PER_SECOND: i64 = 1_000_000;
    let grace = subject.spec.grace_seconds();
    let behaviors = container_behaviors(subject.annotations, subject.spec).unwrap_or_default();
    let default = ContainerBehavior::default();
    let mut worst: Option<(i64, String)> = None;
    for container in subject.spec.containers.iter() {
        let behavior = behaviors.get(&container.name).unwrap_or(&default);
        let pre_stop = container
            .lifecycle
            .as_ref()
            .and_then(|lifecycle| lifecycle.pre_stop.as_ref());
        let hook = match pre_stop {
            None => 0,
            Some(handler) => match (&handler.sleep, behavior.prestop()) {
                (Some(sleep), _) => sleep.seconds.saturating_mul(MICROS_PER_SECOND),
                (None, HookBehavior::Takes(time)) => time,
                (None, HookBehavior::Fails) => 0,
                // A `Hangs` hook uses up the grace period on purpose, so no advice is given.
                (None, HookBehavior::Hangs) => continue,
            },
        };
        let OnSigterm::ExitsAfter(shutdown) = behavior.sigterm() else {
            continue;
        };
        if pre_stop.is_none() && behavior.sigterm.is_none() {
            continue;
        }
        let need = hook.saturating_add(shutdown);
        if grace.saturating_mul(MICROS_PER_SECOND) <= need && worst.as_ref().is_none_or(|(known, _)| *known < need) {
            let parts = if pre_stop.is_some() {
                format!(
                    "preStop ({}) plus shutdown ({})",
                    print_duration_short(hook),
                    print_duration_short(shutdown)
                )
            } else {
                format!("the shutdown ({})", print_duration_short(shutdown))
            };
            worst = Some((need, format!("{parts} of container {:?}", &*container.name)));
        }
    }
    if let Some((_, steps)) = worst {
        warn_at(
            "spec.terminationGracePeriodSeconds".into(),
            format!(
                "The grace period of {grace} s is not longer than {steps}: the process will be killed before it is done."
            ),
        );
    }
}

/// Warns about required affinity to a pod of lower priority: preemption cannot remove that pod from its node (seed
/// 001).
fn warn_about_affinity_to_lower_priority(
    subject: &AdviceSubject<'_>,
    lookup: &ObjectIndex<'_>,
    warn_at: &mut impl FnMut(String, String),
) {
    let Some(Affinity {
        pod_affinity: Some(rules),
        ..
    }) = subject.spec.affinity.as_deref()
    else {
        return;
    };
    let Some(own) = lookup.priority_of_pod(subject.spec) else {
        return;
    };
    for (index, term) in rules
        .required_during_scheduling_ignored_during_execution
        .iter()
        .enumerate()
    {
        let Some(selector) = &term.label_selector else { continue };
        let lower = lookup.subjects.iter().take(limits::ADVICE_SUBJECTS).find(|other| {
            let in_scope = if term.namespaces.is_empty() && term.namespace_selector.is_none() {
                other.namespace == subject.namespace
            } else {
                term.namespace_selector.is_some() || term.namespaces.iter().any(|name| **name == *other.namespace)
            };
            in_scope
                && selector.matches(other.labels)
                && lookup
                    .priority_of_pod(other.spec)
                    .is_some_and(|priority| priority < own)
        });
        if let Some(other) = lower {
            warn_at(
                format!("spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[{index}]"),
                format!(
                    "This needs pods of lower priority ({} {:?}). Where they run, preemption cannot make room by removing \
                     them, so this pod may stay Pending; ask only for pods of equal or higher priority.",
                    other.kind, other.name
                ),
            );
        }
    }
}

/// Warns about pods that count each other for topology spread but have different spread constraints (seed 004).
fn warn_about_differing_spread_constraints(
    subject: &AdviceSubject<'_>,
    lookup: &ObjectIndex<'_>,
    warn_at: &mut impl FnMut(String, String),
) {
    let own = &subject.spec.topology_spread_constraints;
    for (index, constraint) in own.iter().enumerate() {
        let Some(selector) = &constraint.label_selector else {
            continue;
        };
        let other = lookup.subjects.iter().take(limits::ADVICE_SUBJECTS).find(|other| {
            other.object != subject.object
                && other.namespace == subject.namespace
                && selector.matches(other.labels)
                && !have_equal_spread_constraints(own, &other.spec.topology_spread_constraints)
        });
        if let Some(other) = other {
            warn_at(
                format!("spec.topologySpreadConstraints[{index}].labelSelector"),
                format!(
                    "It also counts the pods of {} {:?}, which have other spread constraints: the result depends on the order \
                     in which pods arrive. Give all pods of a group the same constraints.",
                    other.kind, other.name
                ),
            );
        }
    }
}

fn have_equal_spread_constraints(one: &[TopologySpreadConstraint], other: &[TopologySpreadConstraint]) -> bool {
    one.len() == other.len() && one.iter().all(|constraint| other.contains(constraint))
}

/// Warns about a spread constraint that does not count the pod itself (seed 004).
fn warn_about_spread_not_counting_own_pod(subject: &AdviceSubject<'_>, warn_at: &mut impl FnMut(String, String)) {
    for (index, constraint) in subject.spec.topology_spread_constraints.iter().enumerate() {
        let path = format!("spec.topologySpreadConstraints[{index}].labelSelector");
        match &constraint.label_selector {
            None => warn_at(
                path,
                "Without a labelSelector the constraint counts no pod, and spreads nothing.".into(),
            ),
            Some(selector) if !selector.matches(subject.labels) => warn_at(
                path,
                "It does not match the pod's own labels: the pod is placed by where others are, and does not count itself."
                    .into(),
            ),
            Some(_) => {}
        }
    }
}

/// Warns about topology keys without a prefix, such as `zone`: nodes do not have such labels by default (seed 004).
fn warn_about_topology_keys_without_prefix(subject: &AdviceSubject<'_>, warn_at: &mut impl FnMut(String, String)) {
    let private = |key: &str| !key.is_empty() && !WELL_KNOWN_TOPOLOGY_KEYS.contains(&key) && !key.contains('/');
    let text = |key: &Str| {
        let known = match &**key {
            "zone" | "failure-domain" => label::ZONE,
            "region" => label::REGION,
            "host" | "hostname" | "node" => label::HOSTNAME,
            _ => {
                return format!(
                    "{key:?} is a private label key: no cluster has it on its nodes by itself, and nodes without it take no \
                     part in the spread."
                );
            }
        };
        format!("{key:?} is a private label key; every cluster knows {known:?} instead.")
    };
    for (index, constraint) in subject.spec.topology_spread_constraints.iter().enumerate() {
        if private(&constraint.topology_key) {
            warn_at(
                format!("spec.topologySpreadConstraints[{index}].topologyKey"),
                text(&constraint.topology_key),
            );
        }
    }
    let Some(affinity) = subject.spec.affinity.as_deref() else {
        return;
    };
    for (name, rules) in [
        ("podAffinity", &affinity.pod_affinity),
        ("podAntiAffinity", &affinity.pod_anti_affinity),
    ] {
        let Some(rules) = rules else { continue };
        for (index, term) in rules
            .required_during_scheduling_ignored_during_execution
            .iter()
            .enumerate()
        {
            if private(&term.topology_key) {
                warn_at(
                    format!("spec.affinity.{name}.requiredDuringSchedulingIgnoredDuringExecution[{index}].topologyKey"),
                    text(&term.topology_key),
                );
            }
        }
    }
}
