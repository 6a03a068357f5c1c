//! Cells of kinds that other objects are checked against, and of those that are only kept.

use podscope_api::{
    CronJob, EndpointSubset, HorizontalPodAutoscaler, Kept, Kind, LabelSelector, Object, ResourceQuota, Time,
};
use serde_json::Value;

use super::{age, containers, or_none, selector_text};
use crate::jsonpath::plain;

pub(super) fn cells(object: &Object, name: String, created: String, now: Time) -> Vec<String> {
    match object {
        Object::CronJob(object) => cron_job(object, name, created, now),
        Object::ResourceQuota(quota) => {
            let [requests, limits] = quota_amounts(quota);
            vec![name, requests, limits, created]
        }
        Object::LimitRange(range) => vec![name, stamp(range.metadata.creation_timestamp)],
        Object::HorizontalPodAutoscaler(object) => {
            let spec = &object.spec;
            vec![
                name,
                format!("{}/{}", spec.scale_target_ref.kind, spec.scale_target_ref.name),
                targets(object),
                spec.min_replicas
                    .map_or_else(|| "<unset>".to_owned(), |least| least.to_string()),
                spec.max_replicas.to_string(),
                object.status.current_replicas.unwrap_or(0).to_string(),
                created,
            ]
        }
        Object::RuntimeClass(class) => vec![name, class.handler.to_string(), created],
        Object::Endpoints(endpoints) => vec![name, addresses(&endpoints.subsets), created],
        Object::Kept(object) => kept(object, name, created),
        _ => vec![name, created],
    }
}

fn stamp(at: Option<Time>) -> String {
    at.map_or_else(|| "<unknown>".to_owned(), |at| at.to_string())
}

fn cron_job(object: &CronJob, name: String, created: String, now: Time) -> Vec<String> {
    let spec = &object.spec;
    let last = object.status.last_schedule_time;
    let mut row = vec![
        name,
        spec.schedule.to_string(),
        or_none(spec.time_zone.as_deref().unwrap_or_default()),
        if spec.suspend == Some(true) { "True" } else { "False" }.to_owned(),
        object.status.active.len().to_string(),
        last.map_or_else(|| "<none>".to_owned(), |_| age(last, now)),
        created,
    ];
    row.extend(containers(&spec.job_template.spec.template));
    row.push(selector_text(spec.job_template.spec.selector.as_ref()));
    row
}

/// `pods: 1/2, requests.cpu: 0/1` of requests, and the same of limits.
fn quota_amounts(quota: &ResourceQuota) -> [String; 2] {
    let rows = quota.status.hard.iter().map(|(resource, hard)| {
        let used = quota.status.used.get(resource).copied().unwrap_or_default();
        (resource.starts_with("limits."), format!("{resource}: {used}/{hard}"))
    });
    let (limits, requests): (Vec<_>, Vec<_>) = rows.partition(|(is_limit, _)| *is_limit);
    [requests, limits].map(|rows| {
        let rows: Vec<String> = rows.into_iter().map(|(_, row)| row).collect();
        rows.join(", ")
    })
}

/// What an autoscaler looks at: the last value seen, and the one that is wanted.
fn targets(object: &HorizontalPodAutoscaler) -> String {
    let text = |value: &Value, pointer: &str| value.pointer(pointer).map(plain);
    let current = object.status.current_metrics.iter().flatten();
    let mut shown: Vec<String> = Vec::new();
    for (metric, current) in (object.spec.metrics.iter()).zip(current.map(Some).chain(std::iter::repeat(None))) {
        let kind = metric["type"].as_str().unwrap_or_default();
        let field = podscope_api::metric_source(kind);
        let name = text(metric, &format!("/{field}/name")).unwrap_or_default();
        let of = |part: &str| text(metric, &format!("/{field}/target/{part}"));
        let seen = |part: &str| current.and_then(|current| text(current, &format!("/{field}/current/{part}")));
        let unknown = || "<unknown>".to_owned();
        shown.push(match (of("averageUtilization"), of("averageValue"), of("value")) {
            (Some(wanted), ..) => {
                let seen = seen("averageUtilization").map_or_else(unknown, |seen| format!("{seen}%"));
                format!("{name}: {seen}/{wanted}%")
            }
            (None, Some(wanted), _) => format!("{name}: {}/{wanted}", seen("averageValue").unwrap_or_else(unknown)),
            (None, None, Some(wanted)) => format!("{name}: {}/{wanted}", seen("value").unwrap_or_else(unknown)),
            _ => format!("{name}: <unknown>"),
        });
    }
    let more = shown.len().saturating_sub(2);
    shown.truncate(2);
    let mut all = or_none(&shown.join(", "));
    if more > 0 {
        all.push_str(&format!(" + {more} more..."));
    }
    all
}

/// `10.0.0.1:80,10.0.0.2:80 + 1 more...`
fn addresses(subsets: &[EndpointSubset]) -> String {
    let mut all: Vec<String> = Vec::new();
    for subset in subsets {
        if subset.ports.is_empty() {
            all.extend(subset.addresses.iter().map(|address| address.ip.to_string()));
        }
        for port in &subset.ports {
            let number = port.port.unwrap_or(0);
            all.extend(
                subset
                    .addresses
                    .iter()
                    .map(|address| format!("{}:{number}", address.ip)),
            );
        }
    }
    let more = all.len().saturating_sub(3);
    all.truncate(3);
    let mut text = or_none(&all.join(","));
    if more > 0 {
        text.push_str(&format!(" + {more} more..."));
    }
    text
}

fn kept(object: &Kept, name: String, created: String) -> Vec<String> {
    let text = |pointer: &str| object.at(pointer).map(plain).unwrap_or_default();
    let list = |pointer: &str| {
        object
            .at(pointer)
            .and_then(Value::as_array)
            .cloned()
            .unwrap_or_default()
    };
    match object.kind {
        Kind::Role | Kind::ClusterRole => vec![name, stamp(object.metadata.creation_timestamp)],
        Kind::RoleBinding | Kind::ClusterRoleBinding => {
            let subjects = list("/subjects");
            let of = |kind: &str| {
                let subjects = subjects.iter().filter(|subject| subject["kind"] == kind);
                let names = subjects.map(|subject| match (kind, subject["namespace"].as_str()) {
                    ("ServiceAccount", Some(namespace)) => format!("{namespace}/{}", plain(&subject["name"])),
                    _ => plain(&subject["name"]),
                });
                names.collect::<Vec<_>>().join(", ")
            };
            let role = format!("{}/{}", text("/roleRef/kind"), text("/roleRef/name"));
            vec![name, role, created, of("User"), of("Group"), of("ServiceAccount")]
        }
        Kind::NetworkPolicy => {
            let selector = object.at("/spec/podSelector");
            let selector = selector.and_then(|value| podscope_api::wire::from_value::<LabelSelector>(value).ok());
            vec![name, selector_text(selector.as_ref()), created]
        }
        Kind::Ingress => {
            let hosts = list("/spec/rules")
                .iter()
                .map(|rule| rule["host"].as_str().unwrap_or("*").to_owned())
                .collect::<Vec<_>>();
            let addresses = list("/status/loadBalancer/ingress");
            let addresses = addresses
                .iter()
                .map(|one| plain(one.get("ip").or(one.get("hostname")).unwrap_or(&Value::Null)));
            let ports = if list("/spec/tls").is_empty() { "80" } else { "80, 443" };
            let more = hosts.len().saturating_sub(3);
            let mut shown = hosts.into_iter().take(3).collect::<Vec<_>>().join(",");
            if shown.is_empty() {
                shown = "*".to_owned();
            }
            if more > 0 {
                shown.push_str(&format!(" + {more} more..."));
            }
            let class = or_none(&text("/spec/ingressClassName"));
            vec![
                name,
                class,
                shown,
                addresses.collect::<Vec<_>>().join(","),
                ports.to_owned(),
                created,
            ]
        }
        Kind::IngressClass => {
            let parameters = match object.at("/spec/parameters") {
                Some(to) => format!("{}/{}", plain(&to["kind"]), plain(&to["name"])),
                None => "<none>".to_owned(),
            };
            vec![name, text("/spec/controller"), parameters, created]
        }
        Kind::VolumeAttributesClass => vec![name, text("/driverName"), created],
        Kind::MutatingWebhookConfiguration | Kind::ValidatingWebhookConfiguration => {
            vec![name, list("/webhooks").len().to_string(), created]
        }
        _ => vec![name, created],
    }
}
