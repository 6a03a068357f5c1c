//! Field managers of objects that the control plane itself created. The store records managers only for objects that a
//! client created or applied. For objects of the control plane, they are computed when an object is read.
//!
//! Deviation: Pods, Nodes, Events and Leases of the control plane are shown without managers, because there can be many of
//! them.

use podscope_api::managed::{FieldManager, FieldManagers, FieldSet, OwnershipSemantics, fields_set_at_creation};
use podscope_api::{Kind, Object};
use serde_json::Value;

const API_SERVER: &str = "kube-apiserver";
const CONTROLLER_MANAGER: &str = "kube-controller-manager";
const KUBELET: &str = "kubelet";

/// Returns the component that creates an object; None if a client creates it, or if its kind is shown without managers.
fn creating_component(object: &Object) -> Option<&'static str> {
    let metadata = object.metadata();
    let (namespace, name) = (&*metadata.namespace, &*metadata.name);
    match object.kind() {
        Kind::ConfigMap if name == "kube-root-ca.crt" => Some(CONTROLLER_MANAGER),
        Kind::ReplicaSet | Kind::ControllerRevision | Kind::EndpointSlice | Kind::Endpoints
            if metadata.controller_ref().is_some() =>
        {
            Some(CONTROLLER_MANAGER)
        }
        Kind::Namespace if name == "default" || name.starts_with("kube-") => Some(API_SERVER),
        Kind::Service | Kind::Endpoints | Kind::EndpointSlice if (namespace, name) == ("default", "kubernetes") => {
            Some(API_SERVER)
        }
        Kind::PriorityClass if name.starts_with("system-") => Some(API_SERVER),
        Kind::ServiceCidr if name == "kubernetes" => Some(API_SERVER),
        Kind::IpAddress => Some(API_SERVER),
        Kind::CsiNode => Some(KUBELET),
        _ => None,
    }
}

/// Adds `metadata.managedFields` to a serialized object that has none.
pub(crate) fn put_managed_fields(object: &Object, value: &mut Value) {
    if !object.metadata().managers.list().is_empty() || value.pointer("/metadata/managedFields").is_some() {
        return;
    }
    let Some(name) = creating_component(object) else { return };
    let fields = fields_set_at_creation(value, OwnershipSemantics::of_kind(object.kind()));
    let is_status = |path: &Vec<podscope_api::Str>| path.first().is_some_and(|step| &**step == "f:status");
    let (status, main): (Vec<_>, Vec<_>) = fields.into_iter().partition(is_status);
    // A namespace is created together with its phase, so its status has no separate entry.
    let status = if object.kind() == Kind::Namespace {
        Vec::new()
    } else {
        status
    };
    let manager = |subresource: &str, fields: &[_]| FieldManager {
        subresource: subresource.into(),
        time: object.metadata().creation_timestamp,
        fields: FieldSet::of(fields),
        ..FieldManager::of_sender(name)
    };
    let managers = [manager("", &main), manager("status", &status)];
    let managers = managers.into_iter().filter(|one| !one.fields.is_empty()).collect();
    if let Some(managers) = FieldManagers::of(managers).to_value(object) {
        value["metadata"]["managedFields"] = managers;
    }
}
