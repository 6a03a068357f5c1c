//! Table columns of kinds that are stored but not simulated ([`UntypedObject`]).

use podscope_api::{Kind, UntypedObject};
use serde_json::Value;

use super::line::Line;
use super::{join_first_texts, selector_from_value, selector_text, text_or_none};
use crate::jsonpath::plain;

pub(super) fn add_untyped_columns(object: &UntypedObject, line: &mut Line) {
    let text = |pointer: &str| object.at(pointer).map(plain).unwrap_or_default();
    let list = |pointer: &str| {
        let list = object.at(pointer).and_then(Value::as_array);
        list.cloned().unwrap_or_default()
    };
    line.add_name();
    match object.kind {
        Kind::Role | Kind::ClusterRole | Kind::CustomResourceDefinition => return line.add_created_at(),
        Kind::RoleBinding | Kind::ClusterRoleBinding => return add_binding_columns(object, line),
        Kind::NetworkPolicy => {
            let selector = object.at("/spec/podSelector");
            line.put("POD-SELECTOR", selector_text(selector_from_value(selector).as_ref()));
        }
        Kind::Ingress => {
            let hosts = list("/spec/rules");
            let hosts = hosts.iter().map(|rule| rule["host"].as_str().unwrap_or("*").to_owned());
            let addresses = list("/status/loadBalancer/ingress");
            let address = |one: &Value| plain(one.get("ip").or(one.get("hostname")).unwrap_or(&Value::Null));
            let addresses: Vec<String> = addresses.iter().map(address).collect();
            let ports = if list("/spec/tls").is_empty() { "80" } else { "80, 443" };
            line.put("CLASS", text_or_none(&text("/spec/ingressClassName")));
            line.put("HOSTS", join_first_texts(hosts.collect(), 3, ",", "*"));
            line.put("ADDRESS", addresses.join(","));
            line.put("PORTS", ports.to_owned());
        }
        Kind::IngressClass => {
            let parameters = object.at("/spec/parameters");
            let parameters =
                parameters.map(|reference| format!("{}/{}", plain(&reference["kind"]), plain(&reference["name"])));
            line.put("CONTROLLER", text("/spec/controller"));
            line.put("PARAMETERS", parameters.unwrap_or_else(|| "<none>".to_owned()));
        }
        Kind::VolumeAttributesClass => line.put("DRIVERNAME", text("/driverName")),
        Kind::MutatingWebhookConfiguration | Kind::ValidatingWebhookConfiguration => {
            line.put("WEBHOOKS", list("/webhooks").len().to_string());
        }
        _ => {}
    }
    line.add_age();
}

/// Adds the columns of role bindings.
fn add_binding_columns(object: &UntypedObject, line: &mut Line) {
    let text = |pointer: &str| object.at(pointer).map(plain).unwrap_or_default();
    let subjects = object.at("/subjects").and_then(Value::as_array);
    let subject_names = |kind: &str| {
        let subjects = subjects.into_iter().flatten().filter(|subject| subject["kind"] == kind);
        let names = subjects.map(|subject| match (kind, subject["namespace"].as_str()) {
            ("ServiceAccount", Some(namespace)) => format!("{namespace}/{}", plain(&subject["name"])),
            _ => plain(&subject["name"]),
        });
        names.collect::<Vec<_>>().join(", ")
    };
    line.put("ROLE", format!("{}/{}", text("/roleRef/kind"), text("/roleRef/name")));
    line.add_age();
    line.put_wide("USERS", subject_names("User"));
    line.put_wide("GROUPS", subject_names("Group"));
    line.put_wide("SERVICEACCOUNTS", subject_names("ServiceAccount"));
}
