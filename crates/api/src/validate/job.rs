//! Validation of Jobs (VA-195 to VA-197): indexes, failure and success policies.

use crate::ProblemKind;
use crate::ordered;
use crate::schema::values;
use crate::well_known::label;

use crate::wire::from_value;
use crate::wire_types;
use crate::{ConditionStatus, Job, JobSpec, RestartPolicy, Str};

use super::error_list::{IMMUTABLE, quoted, sorted_values};
use super::{ErrorList, Path, names, pod, selector};

/// Maximum parallelism of an Indexed Job.
const PARALLELISM_MAX: i32 = 100_000;
/// Maximum `parallelism` and `maxFailedIndexes` of a large Indexed Job with a back-off limit per index.
const MAX_PER_INDEX_PARALLELISM: i32 = 10_000;
/// Maximum number of rules in a pod failure or success policy, and of patterns in a rule.
const MAX_POLICY_RULES: usize = 20;
/// Maximum number of exit codes in a rule.
const EXIT_CODES_MAX: usize = 255;
/// Maximum length of `managedBy`, in bytes.
const MANAGED_BY_MAX: usize = 63;
const INVALID_PATH: &str = "Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')";
const REQUIRES_INDEXED_MODE: &str = "requires indexed completion mode";

wire_types! {
    /// A Job's rules for pod failures; the first matching rule applies.
    struct PodFailurePolicy { rules: Vec<FailureRule> }
    struct FailureRule { action: Str, on_exit_codes: Option<OnExitCodes>, on_pod_conditions: Vec<OnPodCondition> }
    /// A condition of a pod failure rule: the exit code of a container.
    struct OnExitCodes { container_name: Option<Str>, operator: Str, values: Vec<i32> }
    struct OnPodCondition { kind as "type": Str, status: Str }
    /// Rules for when a Job succeeds before all its indexes have succeeded.
    struct SuccessPolicy { rules: Vec<SuccessRule> }
    /// A rule of a success policy: the indexes that must succeed, and how many of them.
    struct SuccessRule { succeeded_indexes: Option<Str>, succeeded_count: Option<i32> }
}

pub(super) fn validate(object: &Job, errors: &mut ErrorList) {
    let path = Path::root("spec");
    let spec = &object.spec;
    check_generated_job_selector(object, &path, errors);
    validate_job_spec(spec, &path, errors);
    match &spec.selector {
        None => errors.required(&path.child("selector"), ""),
        Some(labels) => selector::validate(labels, &path.child("selector"), errors),
    }
    check_selector_matches_template(spec, &path, errors);
    if is_indexed(spec)
        && let Some(last) = spec.completions.filter(|completions| *completions > 0)
    {
        // The pod name of the last index must be a valid host name.
        let name = &object.metadata.name;
        let hostname = format!("{name}-{}", last - 1);
        if !names::label_faults(&hostname).is_empty() {
            let message = format!("will not able to create pod with invalid DNS label: {hostname}");
            let metadata = Path::root("metadata");
            errors.invalid_text(&metadata.child("name"), name, &message);
        }
    }
}

/// Checks the spec of a Job or of the Job template of a CronJob.
pub(super) fn validate_job_spec(spec: &JobSpec, path: &Path<'_>, errors: &mut ErrorList) {
    check_job_numbers_not_negative(spec, path, errors);
    if let Some(manager) = &spec.managed_by {
        let path = path.child("managedBy");
        check_domain_prefixed_path(manager, &path, errors);
        if manager.len() > MANAGED_BY_MAX {
            errors.too_long(&path, MANAGED_BY_MAX);
        }
    }
    check_completion_mode_fields(spec, path, errors);
    if let Some(policy) = &spec.pod_failure_policy
        && let Ok(policy) = from_value::<PodFailurePolicy>(policy)
    {
        check_failure_policy(&policy, spec, &path.child("podFailurePolicy"), errors);
    }
    if let Some(policy) = &spec.success_policy
        && let Ok(policy) = from_value::<SuccessPolicy>(policy)
    {
        check_success_policy(&policy, spec, &path.child("successPolicy"), errors);
    }
    check_pod_replacement_policy(spec, path, errors);
    check_job_pod_template(spec, path, errors);
}

/// Checks that the selector matches the labels of the template.
fn check_selector_matches_template(spec: &JobSpec, path: &Path<'_>, errors: &mut ErrorList) {
    let labels = &spec.template.metadata.labels;
    let selects = match &spec.selector {
        None => false,
        Some(given) => !selector::is_valid_selector(given) || given.matches(labels),
    };
    if !selects {
        let template = path.child("template");
        let metadata = template.child("metadata");
        let text = if labels.is_empty() {
            "null".to_owned()
        } else {
            selector::labels_json(labels)
        };
        errors.invalid_of_kind(
            ProblemKind::Selector,
            &metadata.child("labels"),
            text,
            "`selector` does not match template `labels`",
        );
    }
}

/// Checks that selector and labels are the generated ones, unless `manualSelector` is set.
fn check_generated_job_selector(object: &Job, path: &Path<'_>, errors: &mut ErrorList) {
    let Some(labels) = object
        .spec
        .selector
        .as_ref()
        .filter(|_| object.spec.manual_selector != Some(true))
    else {
        return;
    };
    let mut expected: ordered::Map<Str, Str> = ordered::Map::new();
    let template = path.child("template");
    let metadata = template.child("metadata");
    let in_template = metadata.child("labels");
    let given = &object.spec.template.metadata.labels;
    for (key, value) in [
        (label::JOB_CONTROLLER_UID, &object.metadata.uid.0),
        (label::JOB_NAME, &object.metadata.name),
        ("controller-uid", &object.metadata.uid.0),
        ("job-name", &object.metadata.name),
    ] {
        let message = format!("must be '{value}'");
        match given.get(key) {
            None => errors.required(&in_template.key(key), &message),
            Some(other) if other != value => {
                errors.invalid(&in_template.key(key), selector::labels_json(given), &message);
            }
            Some(_) => {}
        }
        expected.insert(key.into(), value.clone());
    }
    if !labels.matches(&expected) {
        errors.invalid(
            &path.child("selector"),
            selector::selector_json(labels),
            "`selector` not auto-generated",
        );
    }
}

fn check_job_numbers_not_negative(spec: &JobSpec, path: &Path<'_>, errors: &mut ErrorList) {
    errors.check_not_negative(&path.child("parallelism"), spec.parallelism);
    errors.check_not_negative(&path.child("completions"), spec.completions);
    errors.check_not_negative(&path.child("activeDeadlineSeconds"), spec.active_deadline_seconds);
    errors.check_not_negative(&path.child("backoffLimit"), spec.backoff_limit);
    errors.check_not_negative(&path.child("ttlSecondsAfterFinished"), spec.ttl_seconds_after_finished);
    errors.check_not_negative(&path.child("backoffLimitPerIndex"), spec.backoff_limit_per_index);
    errors.check_not_negative(&path.child("maxFailedIndexes"), spec.max_failed_indexes);
    if spec.max_failed_indexes.is_some() && spec.backoff_limit_per_index.is_none() {
        errors.required(
            &path.child("backoffLimitPerIndex"),
            "when maxFailedIndexes is specified",
        );
    }
}

/// Checks a domain-prefixed path such as `acme.io/foo`.
pub(super) fn check_domain_prefixed_path(text: &str, path: &Path<'_>, errors: &mut ErrorList) {
    match text.split_once('/') {
        Some((host, rest)) if !host.is_empty() && !rest.is_empty() => {
            errors.invalid_name(path, host, &names::subdomain_faults(host));
            if !rest
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-._~%!$&'()*+,;=:/".contains(&byte))
            {
                errors.invalid_text(path, rest, INVALID_PATH);
            }
        }
        _ => errors.invalid_text(path, text, "must be a domain-prefixed path (such as \"acme.io/foo\")"),
    }
}

fn is_indexed(spec: &JobSpec) -> bool {
    spec.completion_mode.as_deref() == Some("Indexed")
}

fn check_completion_mode_fields(spec: &JobSpec, path: &Path<'_>, errors: &mut ErrorList) {
    let (parallelism, failed) = (path.child("parallelism"), path.child("maxFailedIndexes"));
    match spec.completion_mode.as_deref() {
        None | Some("NonIndexed") => {
            for (name, value) in [
                ("backoffLimitPerIndex", spec.backoff_limit_per_index),
                ("maxFailedIndexes", spec.max_failed_indexes),
            ] {
                if let Some(value) = value {
                    errors.invalid(&path.child(name), value, REQUIRES_INDEXED_MODE);
                }
            }
            return;
        }
        Some("Indexed") => {}
        Some(other) => {
            return errors.unsupported_text(&path.child("completionMode"), other, values::COMPLETION_MODE);
        }
    }
    let above = |value: Option<i32>, limit: i32| value.filter(|value| *value > limit);
    if spec.completions.is_none() {
        errors.required(&path.child("completions"), "when completion mode is Indexed");
    }
    if let Some(value) = above(spec.parallelism, PARALLELISM_MAX) {
        let message = format!("must be less than or equal to {PARALLELISM_MAX} when completion mode is Indexed");
        errors.invalid(&parallelism, value, &message);
    }
    if let (Some(completions), Some(value)) = (spec.completions, spec.max_failed_indexes)
        && value > completions
    {
        errors.invalid(&failed, value, "must be less than or equal to completions");
    }
    if let Some(value) = above(spec.max_failed_indexes, PARALLELISM_MAX) {
        errors.invalid(
            &failed,
            value,
            &format!("must be less than or equal to {PARALLELISM_MAX}"),
        );
    }
    if above(spec.completions, PARALLELISM_MAX).is_some() && spec.backoff_limit_per_index.is_some() {
        if spec.max_failed_indexes.is_none() {
            let message = format!("must be specified when completions is above {PARALLELISM_MAX}");
            errors.required(&failed, &message);
        }
        let message = format!(
            "must be less than or equal to {MAX_PER_INDEX_PARALLELISM} when completions are above {PARALLELISM_MAX} and used with backoff limit per index"
        );
        for (path, value) in [(&parallelism, spec.parallelism), (&failed, spec.max_failed_indexes)] {
            if let Some(value) = above(value, MAX_PER_INDEX_PARALLELISM) {
                errors.invalid(path, value, &message);
            }
        }
    }
}

fn check_failure_policy(policy: &PodFailurePolicy, spec: &JobSpec, path: &Path<'_>, errors: &mut ErrorList) {
    let rules = path.child("rules");
    if policy.rules.len() > MAX_POLICY_RULES {
        errors.too_many(&rules, policy.rules.len(), MAX_POLICY_RULES);
    }
    for (index, rule) in policy.rules.iter().enumerate() {
        check_failure_rule(rule, spec, &rules.index(index), errors);
    }
}

fn check_failure_rule(rule: &FailureRule, spec: &JobSpec, path: &Path<'_>, errors: &mut ErrorList) {
    let action = path.child("action");
    check_required_one_of(&rule.action, values::POD_FAILURE_ACTION, &action, errors);
    if &*rule.action == "FailIndex" && spec.backoff_limit_per_index.is_none() {
        errors.invalid_text(&action, &rule.action, "requires the backoffLimitPerIndex to be set");
    }
    if let Some(codes) = &rule.on_exit_codes {
        check_exit_code_requirement(codes, spec, &path.child("onExitCodes"), errors);
    }
    let conditions = path.child("onPodConditions");
    if rule.on_pod_conditions.len() > MAX_POLICY_RULES {
        errors.too_many(&conditions, rule.on_pod_conditions.len(), MAX_POLICY_RULES);
    }
    for (index, pattern) in rule.on_pod_conditions.iter().enumerate() {
        let path = conditions.index(index);
        errors.invalid_name(
            &path.child("type"),
            &pattern.kind,
            &names::qualified_name_faults(&pattern.kind),
        );
        check_required_one_of(&pattern.status, ConditionStatus::KNOWN, &path.child("status"), errors);
    }
    match (rule.on_exit_codes.is_some(), rule.on_pod_conditions.is_empty()) {
        (true, false) => {
            errors.invalid_without_value(path, "specifying both OnExitCodes and OnPodConditions is not supported");
        }
        (false, true) => {
            errors.invalid_without_value(path, "specifying one of OnExitCodes and OnPodConditions is required");
        }
        _ => {}
    }
}

/// Checks a required string that must be one of the known values; messages list the values sorted.
fn check_required_one_of(text: &str, known: &[&str], path: &Path<'_>, errors: &mut ErrorList) {
    if text.is_empty() {
        let list: Vec<String> = sorted_values(known).into_iter().map(quoted).collect();
        errors.required(path, &format!("valid values: [{}]", list.join(" ")));
    } else {
        errors.check_one_of_sorted(path, text, known);
    }
}

fn check_exit_code_requirement(codes: &OnExitCodes, spec: &JobSpec, path: &Path<'_>, errors: &mut ErrorList) {
    check_required_one_of(
        &codes.operator,
        values::EXIT_CODES_OPERATOR,
        &path.child("operator"),
        errors,
    );
    if let Some(name) = &codes.container_name {
        let pod = &spec.template.spec;
        let mut containers = pod.containers.iter().chain(pod.init_containers.iter());
        if !containers.any(|container| container.name == *name) {
            errors.invalid_text(
                &path.child("containerName"),
                name,
                "must be one of the container or initContainer names in the pod template",
            );
        }
    }
    let values = path.child("values");
    let all = || {
        let texts: Vec<String> = codes.values.iter().map(ToString::to_string).collect();
        format!("[{}]", texts.join(","))
    };
    if codes.values.is_empty() {
        errors.invalid(&values, all(), "at least one value is required");
    } else if codes.values.len() > EXIT_CODES_MAX {
        errors.too_many(&values, codes.values.len(), EXIT_CODES_MAX);
    }
    for (index, code) in codes.values.iter().enumerate() {
        let path = values.index(index);
        if &*codes.operator == "In" && *code == 0 {
            errors.invalid(&path, code, "must not be 0 for the In operator");
        }
        if codes.values.iter().take(index).any(|before| before == code) {
            errors.duplicate(&path, code, "");
        }
    }
    if !codes.values.is_sorted() {
        errors.invalid(&values, all(), "must be ordered");
    }
}

fn check_success_policy(policy: &SuccessPolicy, spec: &JobSpec, path: &Path<'_>, errors: &mut ErrorList) {
    if !is_indexed(spec) {
        let rule = |rule: &SuccessRule| {
            format!(
                "{{\"SucceededIndexes\":{},\"SucceededCount\":{}}}",
                rule.succeeded_indexes
                    .as_ref()
                    .map_or_else(|| "null".to_owned(), |text| quoted(text)),
                rule.succeeded_count
                    .map_or_else(|| "null".to_owned(), |count| count.to_string()),
            )
        };
        let rules: Vec<String> = policy.rules.iter().map(rule).collect();
        let rules = if rules.is_empty() {
            "null".to_owned()
        } else {
            format!("[{}]", rules.join(","))
        };
        return errors.invalid(path, format!("{{\"Rules\":{rules}}}"), REQUIRES_INDEXED_MODE);
    }
    let rules = path.child("rules");
    if policy.rules.is_empty() {
        errors.required(
            &rules,
            "at least one rules must be specified when the successPolicy is specified",
        );
    }
    if policy.rules.len() > MAX_POLICY_RULES {
        errors.too_many(&rules, policy.rules.len(), MAX_POLICY_RULES);
    }
    for (index, rule) in policy.rules.iter().enumerate() {
        check_success_rule(rule, spec.completions.unwrap_or(0), &rules.index(index), errors);
    }
}

fn check_success_rule(rule: &SuccessRule, completions: i32, path: &Path<'_>, errors: &mut ErrorList) {
    let mut total = None;
    if let Some(indexes) = &rule.succeeded_indexes {
        let path = path.child("succeededIndexes");
        if indexes.len() > 64 * 1024 {
            errors.too_long(&path, 64 * 1024);
        }
        match count_indexes(indexes, completions) {
            Ok(count) => total = Some(count),
            Err(why) => {
                total = Some(0);
                errors.invalid_text(&path, indexes, &format!("error parsing succeededIndexes: {why}"));
            }
        }
    }
    let Some(count) = rule.succeeded_count else {
        if total.is_none() {
            errors.required(
                path,
                "at least one of succeededCount or succeededIndexes must be specified",
            );
        }
        return;
    };
    let path = path.child("succeededCount");
    errors.check_not_negative(&path, Some(count));
    if count > completions {
        let message = format!("must be less than or equal to {completions} (the number of specified completions)");
        errors.invalid(&path, count, &message);
    }
    if let Some(total) = total.filter(|total| count > *total) {
        let message = format!(
            "must be less than or equal to {total} (the number of indexes in the specified succeededIndexes field)"
        );
        errors.invalid(&path, count, &message);
    }
}

/// Returns the number of indexes in a list such as `0-2,5`.
///
/// # Errors
/// The API server's message for a malformed list.
fn count_indexes(text: &str, completions: i32) -> Result<i32, String> {
    let (mut total, mut last) = (0, None);
    for interval in text.split(',').filter(|_| !text.is_empty()) {
        let limits: Vec<&str> = interval.split('-').collect();
        if limits.len() > 2 {
            return Err(format!(
                "the fragment {interval:?} violates the requirement that an index interval can have at most two parts separated by '-'"
            ));
        }
        let first = total;
        for limit in limits {
            let index: i32 =
                (limit.parse()).map_err(|_| format!("cannot convert string to integer for index: {limit:?}"))?;
            if index >= completions {
                return Err(format!("too large index: {limit:?}"));
            }
            if let Some(before) = last.filter(|before| *before >= index) {
                return Err(format!("non-increasing order, previous: {before}, current: {index}"));
            }
            total += match last {
                Some(before) if total > first => index - before,
                _ => 1,
            };
            last = Some(index);
        }
    }
    Ok(total)
}

fn check_pod_replacement_policy(spec: &JobSpec, path: &Path<'_>, errors: &mut ErrorList) {
    let known: &[&str] = match spec.pod_failure_policy {
        Some(_) => &["Failed"],
        None => values::POD_REPLACEMENT_POLICY,
    };
    if let Some(policy) = &spec.pod_replacement_policy {
        errors.check_one_of_sorted(&path.child("podReplacementPolicy"), policy, known);
    }
}

fn check_job_pod_template(spec: &JobSpec, path: &Path<'_>, errors: &mut ErrorList) {
    let template = path.child("template");
    pod::validate_template(&spec.template, &[], &template, errors);
    let template_spec = template.child("spec");
    let policy = template_spec.child("restartPolicy");
    match &spec.template.spec.restart_policy {
        Some(RestartPolicy::Never) => {}
        Some(RestartPolicy::OnFailure) => {
            if spec.pod_failure_policy.is_some() {
                errors.invalid_text(
                    &policy,
                    "OnFailure",
                    "only \"Never\" is supported when podFailurePolicy is specified",
                );
            }
        }
        None | Some(RestartPolicy::Always) => errors.required(&policy, "valid values: \"OnFailure\", \"Never\""),
        Some(RestartPolicy::Other(other)) => errors.unsupported_text(&policy, other, &["OnFailure", "Never"]),
    }
}

/// Checks that `completions` changes only in an Indexed Job and together with `parallelism`.
pub(super) fn check_completions_update(old: &JobSpec, new: &JobSpec, path: &Path<'_>, errors: &mut ErrorList) {
    let path = path.child("completions");
    let value = || {
        new.completions
            .map_or_else(|| "null".to_owned(), |value| value.to_string())
    };
    if old.completions == new.completions {
        return;
    }
    if !is_indexed(new) {
        errors.invalid(&path, value(), IMMUTABLE);
    } else if new.completions.is_some() && new.completions != new.parallelism {
        errors.invalid(&path, value(), "can only be modified in tandem with spec.parallelism");
    }
}
