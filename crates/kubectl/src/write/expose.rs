//! `kubectl expose`: creates a Service for the pods of an object.

use podscope_api::{Kind, Object};
use serde_json::{Map, Value, json};

use super::super::merge::patched;
use super::super::selector::LabelQuery;
use super::{View, find};
use crate::command::{Expose, GeneratedObjects};

/// Generates one Service per exposed object.
pub(super) fn services_for(expose: &Expose, view: &View<'_>) -> Result<GeneratedObjects, String> {
    let found = find(&expose.target, view.objects)?;
    let mut all = GeneratedObjects::default();
    for object in found.groups.iter().flat_map(|(_, objects)| objects) {
        let one = service_for(expose, object)?;
        let before = std::mem::take(&mut all.objects);
        all = GeneratedObjects {
            objects: before.into_iter().chain(one.objects).collect(),
            ..one
        };
    }
    let missing: Vec<String> = found.lookup_errors().map(String::from).collect();
    if all.objects.is_empty() {
        return Err(match missing.is_empty() {
            true => "error: no objects passed".to_owned(),
            false => missing.join("\n"),
        });
    }
    all.errors.extend(missing);
    Ok(all)
}

/// Generates the Service for the pods of one object.
fn service_for(expose: &Expose, object: &Object) -> Result<GeneratedObjects, String> {
    let value = object.to_value();
    let kind = object.kind();
    let selector = service_selector(expose, kind, &value)?;
    let ports = exposed_ports(expose, kind, &value)?;
    let metadata = service_metadata(expose, object, &value);
    let spec = service_spec(expose, ports, selector);
    let mut service = json!({"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": spec});
    if let Some((patch_type, overrides)) = &expose.overrides {
        service = patched(&service, *patch_type, overrides).map_err(|why| format!("error: {why}"))?;
    }
    Ok(GeneratedObjects {
        objects: vec![service],
        done: "exposed",
        empty_fields: vec![("/status", json!({"loadBalancer": {}}))],
        ..GeneratedObjects::default()
    })
}

/// Returns the selector of the Service: from `--selector`, or from the exposed object.
fn service_selector(expose: &Expose, kind: Kind, value: &Value) -> Result<Value, String> {
    let at = match kind {
        Kind::Pod => "/metadata/labels",
        Kind::Service | Kind::ReplicationController => "/spec/selector",
        Kind::Deployment | Kind::ReplicaSet => "/spec/selector/matchLabels",
        _ => {
            return Err(format!("error: cannot expose a {}", kind.qualified_name()));
        }
    };
    let selector = match &expose.selector {
        Some(text) => {
            let query = LabelQuery::parse(text).map_err(|why| format!("error: {why}"))?;
            let pairs = query.equalities().ok_or("error: a service selects by equality only")?;
            Value::Object(
                pairs
                    .iter()
                    .map(|(key, value)| (key.to_string(), Value::from(&**value)))
                    .collect(),
            )
        }
        None => value.pointer(at).cloned().unwrap_or_default(),
    };
    if selector.as_object().is_none_or(Map::is_empty) {
        return Err(match kind {
            Kind::Pod => "error: couldn't retrieve selectors via --selector flag or introspection: the pod has no labels and cannot be exposed".to_owned(),
            _ => "error: couldn't retrieve selectors via --selector flag or introspection".to_owned(),
        });
    }
    Ok(selector)
}

/// Returns the exposed ports as number and protocol: from `--port`, or from the exposed object.
fn exposed_ports(expose: &Expose, kind: Kind, value: &Value) -> Result<Vec<(i64, String)>, String> {
    let port_texts = expose.port.iter().flat_map(|list| list.split(','));
    let parse_port = |text: &str| match text.parse::<i64>() {
        Ok(number) => Ok((number, "TCP".to_owned())),
        Err(_) => Err(format!("error: strconv.Atoi: parsing {text:?}: invalid syntax")),
    };
    let ports = port_texts
        .map(parse_port)
        .collect::<Result<Vec<(i64, String)>, String>>()?;
    if !ports.is_empty() {
        return Ok(ports);
    }
    let declared = declared_ports(kind, value);
    if declared.is_empty() {
        let hint = match kind {
            Kind::Pod => "",
            _ => "\nSee 'kubectl expose -h' for help and examples",
        };
        return Err(format!(
            "error: couldn't find port via --port flag or introspection{hint}"
        ));
    }
    Ok(declared)
}

/// Returns the ports of a Service, or the ports that the containers declare.
fn declared_ports(kind: Kind, value: &Value) -> Vec<(i64, String)> {
    let list = |value: Option<&Value>| value.and_then(Value::as_array).cloned().unwrap_or_default();
    let (ports, field): (Vec<Value>, &str) = match kind {
        Kind::Service => (list(value.pointer("/spec/ports")), "port"),
        _ => {
            let at = match kind {
                Kind::Pod => "/spec/containers",
                _ => "/spec/template/spec/containers",
            };
            let containers = list(value.pointer(at));
            let ports = containers.iter().flat_map(|container| list(container.get("ports")));
            (ports.collect(), "containerPort")
        }
    };
    let port = |port: &Value| {
        let protocol = port.get("protocol").and_then(Value::as_str).unwrap_or("TCP");
        let number = port.get(field).and_then(Value::as_i64)?;
        Some((number, protocol.to_owned()))
    };
    ports.iter().filter_map(port).collect()
}

/// Returns the name, labels and namespace of the Service.
fn service_metadata(expose: &Expose, object: &Object, value: &Value) -> Value {
    let name = expose
        .name
        .clone()
        .unwrap_or_else(|| object.metadata().name.to_string());
    let mut metadata = json!({"name": name});
    let labels = match expose.labels.is_empty() {
        true => value.pointer("/metadata/labels").cloned().unwrap_or_default(),
        false => Value::Object(
            expose
                .labels
                .iter()
                .map(|(key, value)| (key.clone(), Value::from(value.as_str())))
                .collect(),
        ),
    };
    if labels.as_object().is_some_and(|labels| !labels.is_empty()) {
        metadata["labels"] = labels;
    }
    if object.kind().is_namespaced() && expose.target.namespace.is_some() {
        metadata["namespace"] = Value::from(expose.target.namespace());
    }
    metadata
}

fn service_spec(expose: &Expose, ports: Vec<(i64, String)>, selector: Value) -> Value {
    let is_multi_port = ports.len() > 1;
    let port = |(at, (port, protocol)): (usize, (i64, String))| {
        let target = match &expose.target_port {
            Some(text) => text
                .parse::<i64>()
                .map_or_else(|_| Value::from(text.as_str()), Value::from),
            None => Value::from(port),
        };
        let protocol = expose.protocol.clone().unwrap_or(protocol);
        let mut one = json!({"port": port, "protocol": protocol, "targetPort": target});
        if is_multi_port {
            one["name"] = Value::from(format!("port-{}", at + 1));
        }
        one
    };
    let ports: Vec<Value> = ports.into_iter().enumerate().map(port).collect();
    let mut spec = json!({"ports": ports, "selector": selector});
    let more = [
        ("type", &expose.service_type),
        ("clusterIP", &expose.cluster_ip),
        (
            "loadBalancerIP",
            // kubectl sets `loadBalancerIP` only for type LoadBalancer.
            if expose.service_type.as_deref() == Some("LoadBalancer") {
                &expose.load_balancer_ip
            } else {
                &None
            },
        ),
        ("sessionAffinity", &expose.session_affinity),
    ];
    for (field, given) in more {
        if let Some(text) = given.as_deref().filter(|text| !text.is_empty()) {
            spec[field] = Value::from(text);
        }
    }
    if let Some(ip) = &expose.external_ip {
        spec["externalIPs"] = json!([ip]);
    }
    spec
}
