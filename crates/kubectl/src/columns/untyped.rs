//! Table columns of kinds that are stored but not simulated ([`UntypedObject`]).

use podscope_api::{Kind, UntypedObject};
use serde_json::Value;

use super::row::RowBuilder;
use super::{join_first_texts, selector_from_value, selector_text, text_or_none};
use crate::jsonpath::value_text;

pub(super) fn add_untyped_columns(object: &UntypedObject, row: &mut RowBuilder) {
    let text = |pointer: &str| object.at(pointer).map(value_text).unwrap_or_default();
    let list = |pointer: &str| {
        let list = object.at(pointer).and_then(Value::as_array);
        list.cloned().unwrap_or_default()
    };
    row.add_name();
    match object.kind {
        Kind::Role | Kind::ClusterRole | Kind::CustomResourceDefinition => return row.add_created_at(),
        Kind::RoleBinding | Kind::ClusterRoleBinding => return add_role_binding_columns(object, row),
        Kind::NetworkPolicy => {
            let selector = object.at("/spec/podSelector");
            row.put("POD-SELECTOR", selector_text(selector_from_value(selector).as_ref()));
        }
        Kind::Ingress => {
            let hosts = list("/spec/rules");
            let hosts = hosts.iter().map(|rule| rule["host"].as_str().unwrap_or("*").to_owned());
            let addresses = list("/status/loadBalancer/ingress");
            let address = |one: &Value| value_text(one.get("ip").or(one.get("hostname")).unwrap_or(&Value::Null));
            let addresses: Vec<String> = addresses.iter().map(address).collect();
            let ports = if list("/spec/tls").is_empty() { "80" } else { "80, 443" };
            row.put("CLASS", text_or_none(&text("/spec/ingressClassName")));
            row.put("HOSTS", join_first_texts(hosts.collect(), 3, ",", "*"));
            row.put("ADDRESS", addresses.join(","));
            row.put("PORTS", ports.to_owned());
        }
        Kind::IngressClass => {
            let parameters = object.at("/spec/parameters");
            let parameters = parameters
                .map(|reference| format!("{}/{}", value_text(&reference["kind"]), value_text(&reference["name"])));
            row.put("CONTROLLER", text("/spec/controller"));
            row.put("PARAMETERS", parameters.unwrap_or_else(|| "<none>".to_owned()));
        }
        Kind::VolumeAttributesClass => row.put("DRIVERNAME", text("/driverName")),
        Kind::MutatingWebhookConfiguration | Kind::ValidatingWebhookConfiguration => {
            row.put("WEBHOOKS", list("/webhooks").len().to_string());
        }
        _ => {}
    }
    row.add_age();
}

/// Adds the columns of a RoleBinding or ClusterRoleBinding: its role, and with `-o wide` the subjects by kind.
fn add_role_binding_columns(object: &UntypedObject, row: &mut RowBuilder) {
    let text = |pointer: &str| object.at(pointer).map(value_text).unwrap_or_default();
    let subjects = object.at("/subjects").and_then(Value::as_array);
    let subject_names = |kind: &str| {
        let subjects = subjects.into_iter().flatten().filter(|subject| subject["kind"] == kind);
        let names = subjects.map(|subject| match (kind, subject["namespace"].as_str()) {
            ("ServiceAccount", Some(namespace)) => format!("{namespace}/{}", value_text(&subject["name"])),
            _ => value_text(&subject["name"]),
        });
        names.collect::<Vec<_>>().join(", ")
    };
    row.put("ROLE", format!("{}/{}", text("/roleRef/kind"), text("/roleRef/name")));
    row.add_age();
    row.put_wide("USERS", subject_names("User"));
    row.put_wide("GROUPS", subject_names("Group"));
    row.put_wide("SERVICEACCOUNTS", subject_names("ServiceAccount"));
}
