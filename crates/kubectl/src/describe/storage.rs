//! `kubectl describe` of PersistentVolumes, claims, StorageClasses and CSINodes.

use std::sync::Arc;

use podscope_api::{
    CsiNode, NodeSelectorTerm, Object, ObjectMeta, PersistentVolume, PersistentVolumeClaim, Pod, StorageClass,
};
use serde_json::Value;

use super::super::View;
use super::super::columns::{
    access_modes_text, claim_storage_class, is_default_storage_class, label_map_text, volume_storage_class,
};
use super::super::jsonpath::value_text;
use super::super::text::TabbedText;
use super::{
    bracketed, capitalized_bool, print_annotations, print_labels, print_list, rfc1123_time, terminating_status, volume,
};

/// Prints the phase, or for how long the object has been terminating.
fn print_phase(meta: &ObjectMeta, phase: Option<&impl ToString>, view: &View<'_>, text: &mut TabbedText) {
    let phase = if meta.is_terminating() {
        terminating_status(meta.deletion_timestamp, view.now)
    } else {
        phase.map_or_else(String::new, ToString::to_string)
    };
    text.line(0, &format!("Status:\t{phase}"));
}

pub(super) fn describe_volume(one: &Arc<PersistentVolume>, view: &View<'_>, text: &mut TabbedText) {
    let (meta, spec, status) = (&one.metadata, &one.spec, &one.status);
    text.line(0, &format!("Name:\t{}", meta.name));
    print_labels(text, "Labels", &meta.labels);
    print_annotations(text, "Annotations", &meta.annotations);
    text.line(0, &format!("Finalizers:\t{}", bracketed(&meta.finalizers)));
    text.line(0, &format!("StorageClass:\t{}", volume_storage_class(one)));
    print_phase(meta, status.phase.as_ref(), view, text);
    let claim = spec
        .claim_ref
        .as_ref()
        .map_or_else(String::new, |claim| format!("{}/{}", claim.namespace, claim.name));
    text.line(0, &format!("Claim:\t{claim}"));
    let policy = spec.persistent_volume_reclaim_policy.as_deref().unwrap_or_default();
    text.line(0, &format!("Reclaim Policy:\t{policy}"));
    text.line(0, &format!("Access Modes:\t{}", access_modes_text(&spec.access_modes)));
    if let Some(mode) = &spec.volume_mode {
        text.line(0, &format!("VolumeMode:\t{mode}"));
    }
    let capacity = spec.capacity.get("storage").copied().unwrap_or_default();
    text.line(0, &format!("Capacity:\t{capacity}"));
    match spec
        .node_affinity
        .as_ref()
        .and_then(|affinity| affinity.required.as_ref())
    {
        None => text.line(0, "Node Affinity:\t<none>"),
        Some(required) => {
            text.line(0, "Node Affinity:\t");
            if required.node_selector_terms.is_empty() {
                text.line(1, "Required Terms:\t<none>");
            } else {
                text.line(1, "Required Terms:\t");
            }
            for (at, term) in required.node_selector_terms.iter().enumerate() {
                print_node_term(at, term, text);
            }
        }
    }
    text.line(0, &format!("Message:\t{}", status.message));
    text.line(0, "Source:");
    let value = Object::PersistentVolume(one.clone()).to_value();
    volume::print_source(&value["spec"], true, text);
}

/// Prints a node selector term, one expression per line: `Term 0:  zone in [a, b]`.
fn print_node_term(at: usize, term: &NodeSelectorTerm, text: &mut TabbedText) {
    if term.match_expressions.is_empty() {
        return text.line(2, &format!("Term {at}:\t<none>"));
    }
    for (index, expression) in term.match_expressions.iter().enumerate() {
        let title = if index == 0 {
            format!("Term {at}:")
        } else {
            String::new()
        };
        let mut requirement = format!(
            "{} {}",
            expression.key,
            expression.operator.as_str().to_ascii_lowercase()
        );
        if !expression.values.is_empty() {
            let values: Vec<&str> = expression.values.iter().map(|value| &**value).collect();
            requirement.push_str(&format!(" [{}]", values.join(", ")));
        }
        text.line(2, &format!("{title}\t{requirement}"));
    }
}

pub(super) fn describe_claim(claim: &Arc<PersistentVolumeClaim>, view: &View<'_>, text: &mut TabbedText) {
    let (meta, spec, status) = (&claim.metadata, &claim.spec, &claim.status);
    let value = Object::PersistentVolumeClaim(claim.clone()).to_value();
    text.line(0, &format!("Name:\t{}", meta.name));
    text.line(0, &format!("Namespace:\t{}", meta.namespace));
    text.line(0, &format!("StorageClass:\t{}", claim_storage_class(meta, spec)));
    print_phase(meta, status.phase.as_ref(), view, text);
    text.line(0, &format!("Volume:\t{}", spec.volume_name));
    print_labels(text, "Labels", &meta.labels);
    print_annotations(text, "Annotations", &meta.annotations);
    text.line(0, &format!("Finalizers:\t{}", bracketed(&meta.finalizers)));
    let (mut capacity, mut modes) = (String::new(), String::new());
    if !spec.volume_name.is_empty() {
        modes = access_modes_text(&status.access_modes);
        capacity = status.capacity.get("storage").copied().unwrap_or_default().to_string();
    }
    text.line(0, &format!("Capacity:\t{capacity}"));
    text.line(0, &format!("Access Modes:\t{modes}"));
    if let Some(mode) = &spec.volume_mode {
        text.line(0, &format!("VolumeMode:\t{mode}"));
    }
    if let Some(source) = value.pointer("/spec/dataSource") {
        text.line(0, "DataSource:");
        for (title, field) in [("APIGroup", "apiGroup"), ("Kind", "kind"), ("Name", "name")] {
            if let Some(value) = source.get(field) {
                text.line(1, &format!("{title}:\t{}", value_text(value)));
            }
        }
    }
    let uses = |pod: &Pod| {
        let mounts = pod.spec.volumes.iter().any(|volume| {
            volume
                .persistent_volume_claim
                .as_ref()
                .is_some_and(|one| one.claim_name == meta.name)
        });
        let owns = meta.owner_references.iter().any(|owner| owner.uid == pod.metadata.uid);
        mounts || owns
    };
    let users: Vec<String> = view
        .objects
        .list_in::<Pod>(&meta.namespace)
        .filter(|pod| uses(pod))
        .map(|pod| pod.metadata.name.to_string())
        .collect();
    print_list(text, "Used By", &users);
    let conditions = value.pointer("/status/conditions").and_then(Value::as_array);
    let Some(conditions) = conditions.filter(|conditions| !conditions.is_empty()) else {
        return;
    };
    text.line(0, "Conditions:");
    text.line(1, "Type\tStatus\tLastProbeTime\tLastTransitionTime\tReason\tMessage");
    text.line(
        1,
        "----\t------\t-----------------\t------------------\t------\t-------",
    );
    for condition in conditions {
        let field = |name: &str| condition.get(name).map_or_else(String::new, value_text);
        let at = |name: &str| rfc1123_time(podscope_api::parse_rfc3339(&field(name)).map(podscope_api::Time));
        text.line(
            1,
            &format!(
                "{} \t{} \t{} \t{} \t{} \t{}",
                field("type"),
                field("status"),
                at("lastProbeTime"),
                at("lastTransitionTime"),
                field("reason"),
                field("message")
            ),
        );
    }
}

pub(super) fn describe_storage_class(class: &Arc<StorageClass>, text: &mut TabbedText) {
    let meta = &class.metadata;
    text.line(0, &format!("Name:\t{}", meta.name));
    let default = if is_default_storage_class(meta) { "Yes" } else { "No" };
    text.line(0, &format!("IsDefaultClass:\t{default}"));
    text.line(0, &format!("Annotations:\t{}", label_map_text(&meta.annotations)));
    text.line(0, &format!("Provisioner:\t{}", class.provisioner));
    text.line(0, &format!("Parameters:\t{}", label_map_text(&class.parameters)));
    let expansion = class.allow_volume_expansion.map_or("<unset>", capitalized_bool);
    text.line(0, &format!("AllowVolumeExpansion:\t{expansion}"));
    let value = Object::StorageClass(class.clone()).to_value();
    match value.get("mountOptions").and_then(Value::as_array) {
        Some(options) if !options.is_empty() => {
            text.line(0, "MountOptions:");
            for option in options {
                text.line(1, &value_text(option));
            }
        }
        _ => text.line(0, "MountOptions:\t<none>"),
    }
    if let Some(policy) = &class.reclaim_policy {
        text.line(0, &format!("ReclaimPolicy:\t{policy}"));
    }
    if let Some(mode) = &class.volume_binding_mode {
        text.line(0, &format!("VolumeBindingMode:\t{mode}"));
    }
    if class.allowed_topologies.is_empty() {
        return;
    }
    text.line(0, "AllowedTopologies:\t");
    for (at, term) in class.allowed_topologies.iter().enumerate() {
        if term.match_label_expressions.is_empty() {
            text.line(1, &format!("Term {at}:\t<none>"));
        }
        for (index, expression) in term.match_label_expressions.iter().enumerate() {
            let title = if index == 0 {
                format!("Term {at}:")
            } else {
                String::new()
            };
            let values: Vec<&str> = expression.values.iter().map(|value| &**value).collect();
            text.line(1, &format!("{title}\t{} in [{}]", expression.key, values.join(", ")));
        }
    }
}

pub(super) fn describe_csi_node(node: &Arc<CsiNode>, text: &mut TabbedText) {
    let meta = &node.metadata;
    text.line(0, &format!("Name:\t{}", meta.name));
    print_labels(text, "Labels", &meta.labels);
    print_annotations(text, "Annotations", &meta.annotations);
    text.line(
        0,
        &format!("CreationTimestamp:\t{}", rfc1123_time(meta.creation_timestamp)),
    );
    text.line(0, "Spec:");
    if !node.spec.drivers.is_empty() {
        text.line(1, "Drivers:");
    }
    for driver in &node.spec.drivers {
        text.line(2, &format!("{}:", driver.name));
        text.line(3, &format!("Node ID:\t{}", driver.node_id));
        if let Some(count) = driver.allocatable.as_ref().and_then(|allocatable| allocatable.count) {
            text.line(3, "Allocatables:");
            text.line(4, &format!("Count:\t{count}"));
        }
        if !driver.topology_keys.is_empty() {
            text.line(3, &format!("Topology Keys:\t{}", bracketed(&driver.topology_keys)));
        }
    }
}
