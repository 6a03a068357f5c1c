//! Validation of the status that a client writes into a Job, such as a controller of its own (`managedBy`). Most rules
//! apply only if the write changes what they check (`getStatusValidationOptions`).

use crate::{ConditionStatus, Job};

use super::list::quoted;
use super::{ErrorList, Path};

pub(super) fn validate(old: &Job, new: &Job, errors: &mut ErrorList) {
    let is = |job: &Job, kind: &str| {
        let mut all = job.status.conditions.iter();
        all.any(|condition| &*condition.kind == kind && condition.status == ConditionStatus::True)
    };
    let has = |kind: &str| is(new, kind);
    let turned = |kind: &str| is(old, kind) != has(kind);
    let (before, after) = (&old.status, &new.status);
    let is_finished = has("Complete") || has("Failed");
    let finished = (is(old, "Complete") || is(old, "Failed")) != is_finished;
    let started = before.start_time != after.start_time;
    let completed = before.completion_time != after.completion_time;
    let times = (after.start_time, after.completion_time);
    let completion_time = after.completion_time.map(|time| quoted(&time.to_string()));
    let count = |count: Option<i32>| count.unwrap_or(0);
    let (active, ready) = (count(after.active), count(after.ready));

    // A field without a value is required, except for the list of conditions, whose value is not told.
    let status = Path::root("status");
    let mut refuse = |is_broken: bool, field: &str, value: Option<String>, detail: &str| {
        let path = status.child(field);
        match value {
            _ if !is_broken => {}
            Some(value) => errors.invalid(&path, value, detail),
            None if field == "conditions" => errors.invalid_without_value(&path, detail),
            None => errors.required(&path, detail),
        }
    };
    let number = |number: i32| Some(number.to_string());
    refuse(
        (turned("Complete") || turned("Failed")) && has("Complete") && has("Failed"),
        "conditions",
        None,
        "cannot set Complete=True and Failed=true conditions",
    );
    refuse(
        (turned("Complete") || turned("FailureTarget")) && has("Complete") && has("FailureTarget"),
        "conditions",
        None,
        "cannot set Complete=True and FailureTarget=true conditions",
    );
    let is_new = turned("Complete") || completed;
    refuse(
        is_new && completion_time.is_some() && !has("Complete"),
        "completionTime",
        completion_time.clone(),
        "cannot set completionTime when there is no Complete=True condition",
    );
    refuse(
        is_new && completion_time.is_none() && has("Complete"),
        "completionTime",
        None,
        "completionTime is required for Complete jobs",
    );
    refuse(
        (started || completed) && matches!(times, (Some(start), Some(completion)) if completion < start),
        "completionTime",
        completion_time.clone(),
        "completionTime cannot be set before startTime",
    );
    refuse(
        turned("Failed") && has("Failed") && !has("FailureTarget"),
        "conditions",
        None,
        "cannot set Failed=True condition without the FailureTarget=true condition",
    );
    refuse(
        (turned("Complete") || turned("SuccessCriteriaMet")) && has("Complete") && !has("SuccessCriteriaMet"),
        "conditions",
        None,
        "cannot set Complete=True condition without the SuccessCriteriaMet=true condition",
    );
    refuse(
        (finished || before.active != after.active) && is_finished && active > 0,
        "active",
        number(active),
        "active>0 is invalid for finished job",
    );
    refuse(
        (finished || started) && is_finished && after.start_time.is_none(),
        "startTime",
        None,
        "startTime is required for finished job",
    );
    refuse(
        (finished || before.terminating != after.terminating) && is_finished && count(after.terminating) > 0,
        "terminating",
        number(count(after.terminating)),
        "terminating>0 is invalid for finished job",
    );
    refuse(
        (before.ready != after.ready || before.active != after.active) && ready > active,
        "ready",
        number(ready),
        "cannot set more ready pods than active",
    );
    for kind in ["Failed", "FailureTarget"] {
        let detail = format!("cannot set SuccessCriteriaMet=True and {kind}=true conditions");
        refuse(has("SuccessCriteriaMet") && has(kind), "conditions", None, &detail);
    }
    for kind in ["Failed", "Complete", "FailureTarget", "SuccessCriteriaMet"] {
        let detail = format!("cannot disable the terminal {kind}=True condition");
        refuse(is(old, kind) && !has(kind), "conditions", None, &detail);
    }
    // An indexed Job that is scaled down counts fewer successes.
    let is_indexed = new.spec.completion_mode.as_deref() == Some("Indexed");
    let is_elastic = is_indexed && new.spec.completions == new.spec.parallelism;
    for (field, now, earlier, may_fall) in [
        ("failed", after.failed, before.failed, false),
        ("succeeded", after.succeeded, before.succeeded, is_elastic),
    ] {
        let detail = format!("cannot decrease the {field} counter");
        let has_fallen = count(now) < count(earlier) && !may_fall;
        refuse(has_fallen, field, number(count(now)), &detail);
    }
    refuse(
        completed && before.completion_time.is_some() && completion_time.is_some(),
        "completionTime",
        completion_time,
        "completionTime cannot be mutated",
    );
}
