//! Validation of the status that a client writes into a Job, such as a controller of its own (`managedBy`). Most rules
//! apply only if the write changes what they check (`getStatusValidationOptions`).

use crate::{ConditionStatus, Job, JobStatus};

use super::list::quoted;
use super::{ErrorList, Path};

pub(super) fn validate(old: &Job, new: &Job, errors: &mut ErrorList) {
    let mut write = StatusWrite { old, new, errors };
    write.check_completion();
    write.check_announcements();
    write.check_finished();
    write.check_success_criteria();
    write.check_against_old();
}

/// A status that replaces another.
struct StatusWrite<'w> {
    old: &'w Job,
    new: &'w Job,
    errors: &'w mut ErrorList,
}

fn has(job: &Job, kind: &str) -> bool {
    let mut all = job.status.conditions.iter();
    all.any(|condition| &*condition.kind == kind && condition.status == ConditionStatus::True)
}

fn is_finished(job: &Job) -> bool {
    has(job, "Complete") || has(job, "Failed")
}

impl StatusWrite<'_> {
    fn is_set(&self, kind: &str) -> bool {
        has(self.new, kind)
    }

    /// Returns whether the write turns one of these conditions on or off.
    fn turns(&self, kinds: [&str; 2]) -> bool {
        kinds.iter().any(|kind| has(self.old, kind) != self.is_set(kind))
    }

    fn changes<T: PartialEq>(&self, field: impl Fn(&JobStatus) -> T) -> bool {
        field(&self.old.status) != field(&self.new.status)
    }

    fn completion_time(&self) -> Option<String> {
        let time = self.new.status.completion_time?;
        Some(quoted(&time.to_string()))
    }

    /// Refuses a field. One without a value is required, except for the list of conditions, whose value is not told.
    fn refuse(&mut self, is_broken: bool, field: &str, value: Option<String>, detail: &str) {
        let status = Path::root("status");
        let path = status.child(field);
        match value {
            _ if !is_broken => {}
            Some(value) => self.errors.invalid(&path, value, detail),
            None if field == "conditions" => self.errors.invalid_without_value(&path, detail),
            None => self.errors.required(&path, detail),
        }
    }

    fn check_completion(&mut self) {
        for kind in ["Failed", "FailureTarget"] {
            let is_broken = self.turns(["Complete", kind]) && self.is_set("Complete") && self.is_set(kind);
            let detail = format!("cannot set Complete=True and {kind}=true conditions");
            self.refuse(is_broken, "conditions", None, &detail);
        }
        let time = self.completion_time();
        let is_complete = self.is_set("Complete");
        let has_new_time = self.changes(|status| status.completion_time);
        let is_new = has_new_time || self.turns(["Complete"; 2]);
        self.refuse(
            is_new && time.is_some() && !is_complete,
            "completionTime",
            time.clone(),
            "cannot set completionTime when there is no Complete=True condition",
        );
        self.refuse(
            is_new && time.is_none() && is_complete,
            "completionTime",
            None,
            "completionTime is required for Complete jobs",
        );
        let times = (self.new.status.start_time, self.new.status.completion_time);
        let is_early = matches!(times, (Some(start), Some(completion)) if completion < start);
        self.refuse(
            is_early && (has_new_time || self.changes(|status| status.start_time)),
            "completionTime",
            time,
            "completionTime cannot be set before startTime",
        );
    }

    /// A terminal condition is announced by another one, before the last pod has ended.
    fn check_announcements(&mut self) {
        self.refuse(
            self.turns(["Failed"; 2]) && self.is_set("Failed") && !self.is_set("FailureTarget"),
            "conditions",
            None,
            "cannot set Failed=True condition without the FailureTarget=true condition",
        );
        let is_new = self.turns(["Complete", "SuccessCriteriaMet"]);
        self.refuse(
            is_new && self.is_set("Complete") && !self.is_set("SuccessCriteriaMet"),
            "conditions",
            None,
            "cannot set Complete=True condition without the SuccessCriteriaMet=true condition",
        );
    }

    /// A finished Job has started, and none of its pods is left.
    fn check_finished(&mut self) {
        let status = &self.new.status;
        let is_finished = is_finished(self.new);
        let is_new = is_finished != self::is_finished(self.old);
        let count = |count: Option<i32>| count.unwrap_or(0);
        let (active, ready, terminating) = (count(status.active), count(status.ready), count(status.terminating));
        let has_no_start = status.start_time.is_none();
        let has_new_active = self.changes(|status| status.active);
        self.refuse(
            (is_new || has_new_active) && is_finished && active > 0,
            "active",
            Some(active.to_string()),
            "active>0 is invalid for finished job",
        );
        self.refuse(
            (is_new || self.changes(|status| status.start_time)) && is_finished && has_no_start,
            "startTime",
            None,
            "startTime is required for finished job",
        );
        self.refuse(
            (is_new || self.changes(|status| status.terminating)) && is_finished && terminating > 0,
            "terminating",
            Some(terminating.to_string()),
            "terminating>0 is invalid for finished job",
        );
        self.refuse(
            (has_new_active || self.changes(|status| status.ready)) && ready > active,
            "ready",
            Some(ready.to_string()),
            "cannot set more ready pods than active",
        );
    }

    fn check_success_criteria(&mut self) {
        for kind in ["Failed", "FailureTarget"] {
            let detail = format!("cannot set SuccessCriteriaMet=True and {kind}=true conditions");
            let is_broken = self.is_set("SuccessCriteriaMet") && self.is_set(kind);
            self.refuse(is_broken, "conditions", None, &detail);
        }
    }

    /// Terminal conditions stay, counters do not fall, and the completion has one time.
    fn check_against_old(&mut self) {
        for kind in ["Failed", "Complete", "FailureTarget", "SuccessCriteriaMet"] {
            let detail = format!("cannot disable the terminal {kind}=True condition");
            self.refuse(has(self.old, kind) && !self.is_set(kind), "conditions", None, &detail);
        }
        let (before, after, spec) = (&self.old.status, &self.new.status, &self.new.spec);
        let has_time = before.completion_time.is_some() && after.completion_time.is_some();
        // An indexed Job that is scaled down counts fewer successes.
        let is_elastic = spec.completion_mode.as_deref() == Some("Indexed") && spec.completions == spec.parallelism;
        for (field, now, earlier, may_fall) in [
            ("failed", after.failed, before.failed, false),
            ("succeeded", after.succeeded, before.succeeded, is_elastic),
        ] {
            let (now, earlier) = (now.unwrap_or(0), earlier.unwrap_or(0));
            let detail = format!("cannot decrease the {field} counter");
            self.refuse(now < earlier && !may_fall, field, Some(now.to_string()), &detail);
        }
        let time = self.completion_time();
        self.refuse(
            has_time && self.changes(|status| status.completion_time),
            "completionTime",
            time,
            "completionTime cannot be mutated",
        );
    }
}
