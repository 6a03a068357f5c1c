//! `kubectl describe` of ServiceAccounts, ResourceQuotas, LimitRanges, Endpoints and CronJobs.

use std::sync::Arc;

use podscope_api::ordered::StableSort as _;
use podscope_api::{
    CronJob, Endpoints, LimitRange, Object, ObjectMeta, Quantity, ResourceList, ResourceQuota, ServiceAccount, Str,
    ordered,
};

use super::super::View;
use super::super::text::TabbedText;
use super::template::print_pod_template;
use super::{capitalized_bool, print_annotations, print_labels, print_list, rfc1123_time};

/// Prints name and namespace.
fn print_header(meta: &ObjectMeta, text: &mut TabbedText) {
    text.line(0, &format!("Name:\t{}", meta.name));
    text.line(0, &format!("Namespace:\t{}", meta.namespace));
}

pub(super) fn describe_service_account(account: &Arc<ServiceAccount>, text: &mut TabbedText) {
    print_header(&account.metadata, text);
    print_labels(text, "Labels", &account.metadata.labels);
    print_annotations(text, "Annotations", &account.metadata.annotations);
    let secrets: Vec<String> = account
        .image_pull_secrets
        .iter()
        .map(|secret| secret.name.to_string())
        .collect();
    print_list(text, "Image pull secrets", &secrets);
}

pub(super) fn describe_quota(quota: &Arc<ResourceQuota>, text: &mut TabbedText) {
    print_header(&quota.metadata, text);
    print_quota_rows(quota, 0, " * ", "----", text);
}

/// Prints all quotas in the description of their namespace.
pub(super) fn print_quotas(namespace: &str, view: &View<'_>, text: &mut TabbedText) {
    let mut quotas = view.objects.list_in::<ResourceQuota>(namespace).peekable();
    if quotas.peek().is_none() {
        return text.line(0, "No resource quota.");
    }
    text.line(0, "Resource Quotas");
    for quota in quotas {
        text.line(1, &format!("Name:\t{}", quota.metadata.name));
        print_quota_rows(quota, 1, "* ", "---", text);
    }
}

fn print_quota_rows(quota: &ResourceQuota, level: usize, bullet: &str, rule: &str, text: &mut TabbedText) {
    let mut scopes: Vec<&str> = quota.spec.scopes.iter().map(|scope| &**scope).collect();
    scopes.stable_sort();
    if !scopes.is_empty() {
        text.line(level, &format!("Scopes:\t{}", scopes.join(", ")));
    }
    for description in scopes.iter().filter_map(|scope| scope_description(scope)) {
        text.line(level, &format!("{bullet}{description}"));
    }
    text.line(level, "Resource\tUsed\tHard");
    text.line(level, &format!("--------\t{rule}\t{rule}"));
    for (resource, hard) in &quota.status.hard {
        let used = quota.status.used.get(resource).copied().unwrap_or_default();
        text.line(level, &format!("{resource}\t{used}\t{hard}"));
    }
}

/// Returns kubectl's description of a quota scope.
fn scope_description(scope: &str) -> Option<&'static str> {
    Some(match scope {
        "Terminating" => {
            "Matches all pods that have an active deadline. These pods have a limited lifespan on a node before being actively terminated by the system."
        }
        "NotTerminating" => {
            "Matches all pods that do not have an active deadline. These pods usually include long running pods whose container command is not expected to terminate."
        }
        "BestEffort" => {
            "Matches all pods that do not have resource requirements set. These pods have a best effort quality of service."
        }
        "NotBestEffort" => {
            "Matches all pods that have at least one resource requirement set. These pods have a burstable or guaranteed quality of service."
        }
        _ => return None,
    })
}

const LIMIT_RANGE_HEADER: &str = "Type\tResource\tMin\tMax\tDefault Request\tDefault Limit\tMax Limit/Request Ratio";
const LIMIT_RANGE_UNDERLINE: &str = "----\t--------\t---\t---\t---------------\t-------------\t-----------------------";

pub(super) fn describe_limit_range(range: &Arc<LimitRange>, text: &mut TabbedText) {
    print_header(&range.metadata, text);
    text.line(0, LIMIT_RANGE_HEADER);
    text.line(0, LIMIT_RANGE_UNDERLINE);
    print_limit_range_rows(range, "", text);
}

/// Prints all LimitRanges in the description of their namespace.
pub(super) fn print_limit_ranges(namespace: &str, view: &View<'_>, text: &mut TabbedText) {
    let mut ranges = view.objects.list_in::<LimitRange>(namespace).peekable();
    if ranges.peek().is_none() {
        return text.line(0, "No LimitRange resource.");
    }
    text.line(0, "Resource Limits");
    text.line(0, &format!(" {LIMIT_RANGE_HEADER}"));
    text.line(0, &format!(" {LIMIT_RANGE_UNDERLINE}"));
    for range in ranges {
        print_limit_range_rows(range, " ", text);
    }
}

fn print_limit_range_rows(range: &LimitRange, indent: &str, text: &mut TabbedText) {
    for item in &range.spec.limits {
        let lists = [
            &item.min,
            &item.max,
            &item.default_request,
            &item.default,
            &item.max_limit_request_ratio,
        ];
        let resources: ordered::Set<&Str> = lists.iter().flat_map(|list| list.keys()).collect();
        for resource in resources {
            let amount = |list: &&ResourceList| list.get(resource).map_or_else(|| "-".to_owned(), Quantity::to_string);
            let amounts: Vec<String> = lists.iter().map(amount).collect();
            text.line(0, &format!("{indent}{}\t{resource}\t{}", item.kind, amounts.join("\t")));
        }
    }
}

pub(super) fn describe_endpoints(endpoints: &Arc<Endpoints>, text: &mut TabbedText) {
    print_header(&endpoints.metadata, text);
    print_labels(text, "Labels", &endpoints.metadata.labels);
    print_annotations(text, "Annotations", &endpoints.metadata.annotations);
    text.line(0, "Subsets:");
    for subset in &endpoints.subsets {
        for (title, addresses) in [
            ("Addresses", &subset.addresses),
            ("NotReadyAddresses", &subset.not_ready_addresses),
        ] {
            let ips: Vec<&str> = addresses.iter().map(|address| &*address.ip).collect();
            let ips = if ips.is_empty() {
                "<none>".to_owned()
            } else {
                ips.join(",")
            };
            text.line(1, &format!("{title}:\t{ips}"));
        }
        if !subset.ports.is_empty() {
            text.line(1, "Ports:");
            text.line(2, "Name\tPort\tProtocol");
            text.line(2, "----\t----\t--------");
        }
        for port in &subset.ports {
            let name = port
                .name
                .as_deref()
                .filter(|name| !name.is_empty())
                .unwrap_or("<unset>");
            let protocol = port.protocol.as_deref().unwrap_or_default();
            text.line(2, &format!("{name}\t{}\t{protocol}", port.port.unwrap_or(0)));
        }
        text.line(0, "");
    }
}

pub(super) fn describe_cron_job(job: &Arc<CronJob>, text: &mut TabbedText) {
    let spec = &job.spec;
    print_header(&job.metadata, text);
    print_labels(text, "Labels", &job.metadata.labels);
    print_annotations(text, "Annotations", &job.metadata.annotations);
    text.line(0, &format!("Schedule:\t{}", spec.schedule));
    let policy = spec.concurrency_policy.as_ref().map_or("", |policy| policy.as_str());
    text.line(0, &format!("Concurrency Policy:\t{policy}"));
    text.line(
        0,
        &format!("Suspend:\t{}", capitalized_bool(spec.suspend == Some(true))),
    );
    let zone = spec.time_zone.as_deref().unwrap_or("<unset>");
    text.line(0, &format!("Time Zone:\t{zone}"));
    fn print_optional<T: std::fmt::Display>(text: &mut TabbedText, title: &str, value: Option<T>, unit: &str) {
        let value = value.map_or_else(|| "<unset>".to_owned(), |value| format!("{value}{unit}"));
        text.line(0, &format!("{title}:\t{value}"));
    }
    print_optional(
        text,
        "Successful Job History Limit",
        spec.successful_jobs_history_limit,
        "",
    );
    print_optional(text, "Failed Job History Limit", spec.failed_jobs_history_limit, "");
    print_optional(text, "Starting Deadline Seconds", spec.starting_deadline_seconds, "s");
    let job_spec = &spec.job_template.spec;
    let selector = job_spec
        .selector
        .as_ref()
        .map(|selector| super::super::columns::selector_text(Some(selector)));
    print_optional(text, "Selector", selector, "");
    print_optional(text, "Parallelism", job_spec.parallelism, "");
    print_optional(text, "Completions", job_spec.completions, "");
    if let Some(seconds) = job_spec.active_deadline_seconds {
        text.line(0, &format!("Active Deadline Seconds:\t{seconds}s"));
    }
    let value = Object::CronJob(job.clone()).to_value();
    print_pod_template(
        &job_spec.template,
        &value["spec"]["jobTemplate"]["spec"]["template"],
        text,
    );
    let last = job.status.last_schedule_time;
    let last = last.map_or_else(|| "<unset>".to_owned(), |last| rfc1123_time(Some(last)));
    text.line(0, &format!("Last Schedule Time:\t{last}"));
    let active: Vec<&str> = job.status.active.iter().map(|active| &*active.name).collect();
    let active = if active.is_empty() {
        "<none>".to_owned()
    } else {
        active.join(", ")
    };
    text.line(0, &format!("Active Jobs:\t{active}"));
}
