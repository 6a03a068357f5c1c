//! Warnings that the API server returns for an accepted object: about fields that are deprecated, have no effect or are
//! likely to surprise. Clients print each as `Warning: …` (VA-350 to VA-354).

mod ip;
mod objects;
mod pem;
mod pod;

use serde_json::Value;

use crate::validate::dns_label_problems;
use crate::well_known::label;
use crate::{Kind, Object, Quantity};

pub use self::objects::DEPRECATED_ENDPOINTS;

/// Deprecated node labels: the label, the version that deprecated it, and its replacement.
const DEPRECATED_LABELS: &[(&str, &str, &str)] = &[
    (label::BETA_ARCH, "v1.14", label::ARCH),
    (label::BETA_OS, "v1.14", label::OS),
    (label::BETA_REGION, "v1.17", label::REGION),
    (label::BETA_ZONE, "v1.17", label::ZONE),
    (
        "beta.kubernetes.io/instance-type",
        "v1.17",
        "node.kubernetes.io/instance-type",
    ),
];

/// Returns the warning about a node label, if the label is deprecated.
fn deprecated_label_warning(key: &str) -> Option<String> {
    let (_, since, instead) = DEPRECATED_LABELS.iter().find(|(old, ..)| *old == key)?;
    Some(format!("deprecated since {since}; use {instead:?} instead"))
}

/// Returns the location of the pod template in objects of a kind: its JSON pointer, and the prefix of field paths.
fn template_location(kind: Kind) -> Option<(&'static str, &'static str)> {
    match kind {
        Kind::Pod => Some(("", "")),
        Kind::CronJob => Some(("/spec/jobTemplate/spec/template", "spec.jobTemplate.spec.template.")),
        Kind::PodTemplate => Some(("/template", "template.")),
        Kind::Deployment
        | Kind::ReplicaSet
        | Kind::StatefulSet
        | Kind::DaemonSet
        | Kind::Job
        | Kind::ReplicationController => Some(("/spec/template", "spec.template.")),
        _ => None,
    }
}

/// Returns the warnings for an object that a client writes, in the API server's order.
#[must_use]
pub fn warnings(object: &Object) -> Vec<String> {
    let value = object.to_value();
    let mut found = Vec::new();
    let name = &object.metadata().name;
    let hostname_warning = |usage: &str| {
        let wrong = dns_label_problems(name);
        (!wrong.is_empty() && !name.is_empty()).then(|| {
            format!(
                "metadata.name: this is used in {usage}, which can result in surprising behavior; a DNS label is recommended: [{}]",
                wrong.join(" ")
            )
        })
    };
    match object.kind() {
        Kind::Pod => found.extend(hostname_warning("the Pod's hostname")),
        Kind::Deployment | Kind::ReplicaSet | Kind::ReplicationController | Kind::Job | Kind::CronJob => {
            found.extend(hostname_warning("Pod names and hostnames"));
        }
        _ => {}
    }
    if let Some((pointer, at)) = template_location(object.kind())
        && let Some(template) = value.pointer(pointer)
    {
        pod::warn_about_pod(template, at, &mut found);
    }
    objects::object_warnings(object, &value, &mut found);
    found
}

/// Warns about an amount of memory or storage that is not a whole number of bytes.
fn warn_if_fractional(amount: &Value, path: &str, found: &mut Vec<String>) {
    let text = amount.as_str().map_or_else(|| amount.to_string(), str::to_owned);
    if let Ok(quantity) = text.parse::<Quantity>()
        && quantity.milli_value() % 1000 != 0
    {
        found.push(format!(
            "{path}: fractional byte value \"{quantity}\" is invalid, must be an integer"
        ));
    }
}
