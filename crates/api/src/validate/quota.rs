//! Validation of CronJobs, ResourceQuotas, LimitRanges and RuntimeClasses.

use serde_json::Value;

use crate::Zone;
use crate::cron::Schedule;
use crate::untyped::{items, text};
use crate::{
    ConcurrencyPolicy, CronJob, LimitRange, LimitRangeItem, Quantity, ResourceList, ResourceQuota, RuntimeClass, Str,
    ordered,
};

use super::error_list::{IMMUTABLE, quoted};
use super::{ErrorList, Path, internal, job, names, resources, scheduling, selector};

/// Maximum length of a CronJob's name, in bytes; the names of its Jobs get a suffix.
const MAX_CRON_JOB_NAME_LEN: usize = 52;

pub(super) fn validate_cron_job(object: &CronJob, errors: &mut ErrorList) {
    let path = Path::root("spec");
    let spec = &object.spec;
    let schedule = path.child("schedule");
    if spec.schedule.is_empty() {
        errors.required(&schedule, "");
    } else {
        if let Err(why) = Schedule::parse(&spec.schedule) {
            errors.invalid_text(&schedule, &spec.schedule, &why);
        }
        if spec.schedule.contains("TZ") {
            let message = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead";
            errors.invalid_text(&schedule, &spec.schedule, message);
        }
    }
    errors.check_not_negative(&path.child("startingDeadlineSeconds"), spec.starting_deadline_seconds);
    check_time_zone(spec.time_zone.as_deref(), &path.child("timeZone"), errors);
    if let Some(policy) = spec.concurrency_policy.as_ref().filter(|policy| !policy.is_known()) {
        errors.unsupported_text(
            &path.child("concurrencyPolicy"),
            policy.as_str(),
            ConcurrencyPolicy::KNOWN,
        );
    }
    let template = path.child("jobTemplate");
    let of_job = template.child("spec");
    job::validate_job_spec(&spec.job_template.spec, &of_job, errors);
    // The selector is generated for each Job, so the Job template must not set it.
    if let Some(selector) = &spec.job_template.spec.selector {
        let message = "`selector` will be auto-generated";
        errors.invalid(
            &of_job.child("selector"),
            crate::wire::Wire::to_json_value(selector),
            message,
        );
    }
    if spec.job_template.spec.manual_selector == Some(true) {
        errors.unsupported(&of_job.child("manualSelector"), true, &["nil", "false"]);
    }
    errors.check_not_negative(
        &path.child("successfulJobsHistoryLimit"),
        spec.successful_jobs_history_limit,
    );
    errors.check_not_negative(&path.child("failedJobsHistoryLimit"), spec.failed_jobs_history_limit);
    if object.metadata.name.len() > MAX_CRON_JOB_NAME_LEN {
        let metadata = Path::root("metadata");
        let message = format!("must be no more than {MAX_CRON_JOB_NAME_LEN} characters");
        errors.invalid_text(&metadata.child("name"), &object.metadata.name, &message);
    }
}

fn check_time_zone(zone: Option<&str>, path: &Path<'_>, errors: &mut ErrorList) {
    match zone {
        None => {}
        Some("") => errors.invalid_text(path, "", "timeZone must be nil or non-empty string"),
        Some(zone) if zone.eq_ignore_ascii_case("Local") => errors.invalid_text(
            path,
            zone,
            "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones",
        ),
        Some(zone) if Zone::named(zone).is_none() => {
            errors.invalid_text(path, zone, &format!("unknown time zone {zone}"))
        }
        Some(_) => {}
    }
}

pub(super) fn validate_quota(object: &ResourceQuota, errors: &mut ErrorList) {
    let path = Path::root("spec");
    let hard = path.child("hard");
    for (resource, amount) in &object.spec.hard {
        let path = hard.key(resource);
        resources::check_quota_resource_name(resource, &path, errors);
        resources::check_amount(resource, *amount, &path, errors);
    }
    check_quota_scopes(object, &path.child("scopes"), errors);
    if let Some(selector) = &object.spec.scope_selector {
        check_scope_selector(object, selector, &path.child("scopeSelector"), errors);
    }
}

/// Valid scopes of a ResourceQuota.
pub const QUOTA_SCOPES: &[&str] = &[
    "Terminating",
    "NotTerminating",
    "BestEffort",
    "NotBestEffort",
    "PriorityClass",
    "CrossNamespacePodAffinity",
    "VolumeAttributesClass",
];

fn check_quota_scopes(object: &ResourceQuota, path: &Path<'_>, errors: &mut ErrorList) {
    let scopes = &object.spec.scopes;
    let all = || crate::wire::to_json(scopes);
    for scope in scopes {
        if !QUOTA_SCOPES.contains(&&**scope) {
            errors.invalid(path, all(), "unsupported scope");
        }
        for _ in resources_outside_scope(object, scope) {
            errors.invalid(path, all(), "unsupported scope applied to resource");
        }
    }
    for _ in conflicting_scopes(|name| scopes.iter().any(|scope| &**scope == name)) {
        errors.invalid(path, all(), "conflicting scopes");
    }
}

/// Returns the standard resources of the quota that the scope does not support.
fn resources_outside_scope<'q>(object: &'q ResourceQuota, scope: &'q str) -> impl Iterator<Item = &'q Str> {
    let fits = move |resource: &str| match scope {
        "Terminating" | "NotTerminating" | "NotBestEffort" | "PriorityClass" | "CrossNamespacePodAffinity" => {
            let suffix = ["requests.", "limits."]
                .iter()
                .find_map(|kind| resource.strip_prefix(kind));
            resource == "pods" || matches!(suffix.unwrap_or(resource), "cpu" | "memory")
        }
        "BestEffort" => resource == "pods",
        _ => true,
    };
    let standard = object
        .spec
        .hard
        .keys()
        .filter(|name| resources::is_standard_quota_resource(name));
    standard.filter(move |name| !fits(name))
}

/// Returns the pairs of scopes that exclude each other and are both set.
fn conflicting_scopes(has: impl Fn(&str) -> bool) -> impl Iterator<Item = [&'static str; 2]> {
    [["BestEffort", "NotBestEffort"], ["Terminating", "NotTerminating"]]
        .into_iter()
        .filter(move |[one, other]| has(one) && has(other))
}

/// Checks the scope selector (VA-310).
fn check_scope_selector(object: &ResourceQuota, selector: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    let path = path.child("matchExpressions");
    for (_, one) in items(selector, "matchExpressions") {
        let (scope, operator) = (text(one, "scopeName"), text(one, "operator"));
        if !QUOTA_SCOPES.contains(&scope) {
            errors.invalid_text(&path.child("scopeName"), scope, "unsupported scope");
        }
        for _ in resources_outside_scope(object, scope) {
            let shown = internal::to_internal_struct_json("ScopeSelector", selector);
            errors.invalid(&path, shown, "unsupported scope applied to resource");
        }
        if QUOTA_SCOPES.contains(&scope)
            && !matches!(scope, "PriorityClass" | "VolumeAttributesClass")
            && operator != "Exists"
        {
            let message = "must be 'Exist' when scope is any of ResourceQuotaScopeTerminating, \
                 ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or \
                 ResourceQuotaScopeCrossNamespacePodAffinity";
            errors.invalid_text(&path.child("operator"), operator, message);
        }
        let values = one
            .get("values")
            .filter(|values| values.as_array().is_some_and(|list| !list.is_empty()));
        match (operator, values) {
            ("In" | "NotIn", None) => {
                let message = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector";
                errors.required(&path.child("values"), message);
            }
            ("Exists" | "DoesNotExist", Some(values)) => {
                let message = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";
                errors.invalid(&path.child("values"), values, message);
            }
            ("In" | "NotIn" | "Exists" | "DoesNotExist", _) => {}
            _ => selector::report_invalid_operator(operator, &path, errors),
        }
    }
    for _ in
        conflicting_scopes(|name| items(selector, "matchExpressions").any(|(_, one)| text(one, "scopeName") == name))
    {
        // The server prints the field `scopes` instead of the selector; this field is usually empty.
        let scopes = Some(&object.spec.scopes).filter(|scopes| !scopes.is_empty());
        let shown = scopes.map_or_else(
            || Value::Null.to_string(),
            |scopes| crate::wire::to_json(scopes).to_string(),
        );
        errors.invalid(&path, shown, "conflicting scopes");
    }
}

pub(super) fn validate_quota_update(old: &ResourceQuota, new: &ResourceQuota, errors: &mut ErrorList) {
    validate_quota(new, errors);
    let sorted = |quota: &ResourceQuota| quota.spec.scopes.iter().cloned().collect::<ordered::Set<Str>>();
    if sorted(old) != sorted(new) {
        let path = Path::root("spec");
        let value = crate::wire::to_json(&new.spec.scopes);
        errors.invalid(&path.child("scopes"), value, IMMUTABLE);
    }
}

pub(super) fn validate_limit_range(object: &LimitRange, errors: &mut ErrorList) {
    let path = Path::root("spec");
    let limits = path.child("limits");
    let mut kinds = ordered::Set::new();
    for (index, item) in object.spec.limits.iter().enumerate() {
        let path = limits.index(index);
        errors.invalid_name(
            &path.child("type"),
            &item.kind,
            &names::qualified_name_faults(&item.kind),
        );
        if !item.kind.contains('/') && !matches!(&*item.kind, "Pod" | "Container" | "PersistentVolumeClaim") {
            let message = "must be a standard limit type or fully qualified";
            errors.invalid_text(&path.child("type"), &item.kind, message);
        }
        if !kinds.insert(&*item.kind) {
            errors.duplicate(&path.child("type"), quoted(&item.kind), "");
        }
        check_limit_range_item(item, &path, errors);
    }
}

fn check_limit_range_item(item: &LimitRangeItem, path: &Path<'_>, errors: &mut ErrorList) {
    let is_pod = &*item.kind == "Pod";
    for (field, list) in [
        ("max", &item.max),
        ("min", &item.min),
        ("default", &item.default),
        ("defaultRequest", &item.default_request),
    ] {
        let path = path.child(field);
        if is_pod && field.starts_with("default") {
            if !list.is_empty() {
                errors.forbidden(&path, "may not be specified when `type` is 'Pod'");
            }
            continue;
        }
        for resource in list.keys() {
            resources::check_limit_resource_name(resource, &item.kind, &path.key(resource), errors);
        }
    }
    if &*item.kind == "PersistentVolumeClaim" && !item.min.contains_key("storage") && !item.max.contains_key("storage")
    {
        let message = "either minimum or maximum storage value is required, but neither was provided";
        errors.required(&path.child("limits"), message);
    }
    let ratios = path.child("maxLimitRequestRatio");
    for resource in item.max_limit_request_ratio.keys() {
        resources::check_limit_resource_name(resource, &item.kind, &ratios.key(resource), errors);
    }
    let lists = [
        &item.max,
        &item.min,
        &item.default,
        &item.default_request,
        &item.max_limit_request_ratio,
    ];
    let all: ordered::Set<&Str> = lists.iter().flat_map(|list| list.keys()).collect();
    for resource in all {
        check_limit_range_bounds(item, resource, path, errors);
    }
}

/// Checks that minimum, maximum, defaults and ratio of a LimitRange item are consistent for one resource.
fn check_limit_range_bounds(item: &LimitRangeItem, resource: &Str, path: &Path<'_>, errors: &mut ErrorList) {
    let amount_in = |list: &ResourceList| list.get(resource).copied();
    let is_pod = &*item.kind == "Pod";
    let (min, max, ratio) = (
        amount_in(&item.min),
        amount_in(&item.max),
        amount_in(&item.max_limit_request_ratio),
    );
    let (default, request) = match is_pod {
        true => (None, None),
        false => (amount_in(&item.default), amount_in(&item.default_request)),
    };
    let mut check_order =
        |low: Option<Quantity>, high: Option<Quantity>, field: &str, value: Option<Quantity>, words: [&str; 2]| {
            if let (Some(low), Some(high), Some(value)) = (low, high, value)
                && low > high
            {
                let message = format!("{} value {low} is {} value {high}", words[0], words[1]);
                errors.invalid_text(&path.child(field).key(resource), &value.to_string(), &message);
            }
        };
    check_order(min, max, "min", min, ["min", "greater than max"]);
    check_order(
        min,
        request,
        "defaultRequest",
        request,
        ["min", "greater than default request"],
    );
    check_order(
        request,
        max,
        "defaultRequest",
        request,
        ["default request", "greater than max"],
    );
    check_order(
        request,
        default,
        "defaultRequest",
        request,
        ["default request", "greater than default limit"],
    );
    check_order(min, default, "default", min, ["min", "greater than default"]);
    check_order(default, max, "default", max, ["default", "greater than max"]);
    if let Some(ratio) = ratio {
        let path = path.child("maxLimitRequestRatio");
        if ratio.milli_value() < 1000 {
            let message = format!("ratio {ratio} is less than 1");
            errors.invalid_text(&path.key(resource), &ratio.to_string(), &message);
        }
        if let (Some(min), Some(max)) = (min, max) {
            let most = max.milli_value() as f64 / min.milli_value() as f64;
            if ratio.milli_value() as f64 / 1000.0 > most {
                let message = format!("ratio {ratio} is greater than max/min = {most:.6}");
                errors.invalid_text(&path.key(resource), &ratio.to_string(), &message);
            }
        }
    }
    if let (Some(default), Some(request)) = (default, request)
        && default != request
        && !resources::may_resource_be_overcommitted(resource)
    {
        let message = format!("default value {default} must equal to defaultRequest value {request} in {resource}");
        errors.invalid_text(
            &path.child("defaultRequest").key(resource),
            &request.to_string(),
            &message,
        );
    }
}

pub(super) fn validate_runtime_class(object: &RuntimeClass, errors: &mut ErrorList) {
    errors.invalid_name(
        &Path::root("handler"),
        &object.handler,
        &names::label_faults(&object.handler),
    );
    if let Some(overhead) = &object.overhead {
        let path = Path::root("overhead");
        resources::check_pod_overhead(&overhead.pod_fixed, &path.child("podFixed"), errors);
    }
    if let Some(scheduling) = &object.scheduling {
        let path = Path::root("scheduling");
        super::meta::check_labels(&scheduling.node_selector, &path.child("nodeSelector"), errors);
        scheduling::check_tolerations(&scheduling.tolerations, &path.child("tolerations"), errors);
    }
}

pub(super) fn validate_runtime_class_update(old: &RuntimeClass, new: &RuntimeClass, errors: &mut ErrorList) {
    if old.handler != new.handler {
        errors.invalid_text(&Path::root("handler"), &new.handler, IMMUTABLE);
    }
}
