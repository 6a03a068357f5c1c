//! The fields that field selectors support, per kind (KC-060). Their values are read from the typed object instead of
//! its JSON, because a selector is evaluated for every object of its kind.

use std::borrow::Cow;

use podscope_api::{Event, Kind, Object, Pod};
use podscope_cluster::Objects;

/// Returns the selectable fields of a built-in kind, except name and namespace (KC-060); empty for a custom kind.
pub(crate) fn fields_of_built_in(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Pod => &[
            "spec.nodeName",
            "spec.restartPolicy",
            "spec.schedulerName",
            "spec.serviceAccountName",
            "spec.hostNetwork",
            "status.phase",
            "status.podIP",
            "status.podIPs",
            "status.nominatedNodeName",
            "spec.host",
        ],
        Kind::Node => &["spec.unschedulable"],
        Kind::Event => &[
            "involvedObject.kind",
            "involvedObject.namespace",
            "involvedObject.name",
            "involvedObject.uid",
            "involvedObject.apiVersion",
            "involvedObject.resourceVersion",
            "involvedObject.fieldPath",
            "reason",
            "reportingComponent",
            "source",
            "type",
        ],
        Kind::Service => &["spec.clusterIP", "spec.type"],
        Kind::Namespace => &["status.phase"],
        Kind::Job => &["status.successful"],
        Kind::ReplicationController => &["status.replicas"],
        Kind::Secret => &["type"],
        Kind::CertificateSigningRequest => &["spec.signerName"],
        Kind::ResourceSlice => &["spec.nodeName", "spec.driver"],
        _ => &[],
    }
}

/// Returns the selectable fields of a custom kind, except name and namespace; empty for a built-in kind.
pub(crate) fn fields_of_custom(kind: Kind, objects: &Objects) -> Vec<String> {
    let fields = objects.with_version(kind, |version| {
        let paths = version.selectable_fields().into_iter();
        paths.map(|path| path.trim_start_matches('.').to_owned()).collect()
    });
    fields.unwrap_or_default()
}

/// Returns the value of a selectable field; empty if the object does not set it.
pub(crate) fn field_value<'o>(object: &'o Object, field: &str) -> Cow<'o, str> {
    let metadata = object.metadata();
    match (object, field) {
        (_, "metadata.name") => Cow::Borrowed(&metadata.name),
        (_, "metadata.namespace") => Cow::Borrowed(&metadata.namespace),
        (Object::Pod(pod), field) => pod_field(pod, field),
        (Object::Event(event), field) => event_field(event, field),
        (Object::Node(node), _) => Cow::Owned(node.spec.unschedulable.unwrap_or(false).to_string()),
        (Object::Service(service), "spec.clusterIP") => Cow::Borrowed(&service.spec.cluster_ip),
        (Object::Service(service), _) => Cow::Borrowed(&service.spec.kind),
        (Object::Namespace(namespace), _) => Cow::Borrowed(&namespace.status.phase),
        (Object::Job(job), _) => Cow::Owned(job.status.succeeded.unwrap_or(0).to_string()),
        (Object::ReplicationController(one), _) => Cow::Owned(one.status.replicas.to_string()),
        (Object::ResourceSlice(slice), "spec.driver") => Cow::Borrowed(&slice.spec.driver),
        (Object::ResourceSlice(slice), _) => Cow::Borrowed(slice.spec.node_name.as_deref().unwrap_or_default()),
        (Object::Secret(secret), _) => Cow::Borrowed(&secret.kind),
        (Object::Untyped(untyped), field) => match untyped.at(&format!("/{}", field.replace('.', "/"))) {
            Some(serde_json::Value::String(text)) => Cow::Borrowed(text),
            Some(value @ (serde_json::Value::Bool(_) | serde_json::Value::Number(_))) => Cow::Owned(value.to_string()),
            _ => Cow::Borrowed(""),
        },
        _ => Cow::Borrowed(""),
    }
}

fn pod_field<'o>(pod: &'o Pod, field: &str) -> Cow<'o, str> {
    let (spec, status) = (&pod.spec, &pod.status);
    match field {
        "spec.nodeName" | "spec.host" => Cow::Borrowed(spec.node_name.as_deref().unwrap_or_default()),
        "spec.restartPolicy" => to_text(spec.restart_policy.as_ref()),
        "spec.schedulerName" => Cow::Borrowed(&spec.scheduler_name),
        "spec.serviceAccountName" => Cow::Borrowed(&spec.service_account_name),
        "spec.hostNetwork" => Cow::Owned(spec.host_network.unwrap_or(false).to_string()),
        "status.phase" => to_text(status.phase.as_ref()),
        "status.podIP" => Cow::Borrowed(&status.pod_ip),
        "status.nominatedNodeName" => Cow::Borrowed(&status.nominated_node_name),
        // The server accepts `status.podIPs`, but its value is always empty.
        _ => Cow::Borrowed(""),
    }
}

fn event_field<'o>(event: &'o Event, field: &str) -> Cow<'o, str> {
    let involved = &event.involved_object;
    Cow::Borrowed(match field {
        "involvedObject.kind" => &involved.kind,
        "involvedObject.namespace" => &involved.namespace,
        "involvedObject.name" => &involved.name,
        "involvedObject.uid" => &involved.uid.0,
        "involvedObject.apiVersion" => &involved.api_version,
        "involvedObject.resourceVersion" => &involved.resource_version,
        "involvedObject.fieldPath" => &involved.field_path,
        "reason" => &event.reason,
        "reportingComponent" => &event.reporting_component,
        "source" => event.emitter().0,
        "type" => &event.kind,
        _ => "",
    })
}

fn to_text(value: Option<&impl ToString>) -> Cow<'static, str> {
    value.map_or(Cow::Borrowed(""), |value| Cow::Owned(value.to_string()))
}

#[cfg(test)]
mod tests {
    use super::{field_value, fields_of_built_in};
    use podscope_api::{Kind, object_from_value};
    use serde_json::{Value, json};

    #[test]
    fn selectable_field_equals_value_at_its_json_path() {
        for kind in Kind::ALL.iter().copied() {
            for field in fields_of_built_in(kind) {
                let expected = match *field {
                    "spec.hostNetwork" | "spec.unschedulable" => json!(true),
                    "status.successful" | "status.replicas" => json!(3),
                    "spec.restartPolicy" => json!("Never"),
                    "status.podIPs" => continue,
                    _ => json!("said"),
                };
                let path = match *field {
                    "spec.host" => "spec.nodeName",
                    "source" => "source.component",
                    "status.successful" => "status.succeeded",
                    field => field,
                };
                let tree = (path.rsplit('.')).fold(expected.clone(), |below, name| json!({name: below}));
                let mut whole =
                    json!({"apiVersion": kind.api_version(), "kind": kind.name(), "metadata": {"name": "x"}});
                let (Value::Object(whole), Value::Object(tree)) = (&mut whole, tree) else {
                    unreachable!("maps")
                };
                whole.extend(tree);
                let object = object_from_value(&Value::Object(whole.clone())).expect(field);
                let expected = expected.as_str().map_or_else(|| expected.to_string(), str::to_owned);
                assert_eq!(field_value(&object, field), expected, "{kind:?} {field}");
            }
        }
    }
}
