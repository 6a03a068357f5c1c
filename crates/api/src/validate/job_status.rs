//! Validation of a Job's status that a client writes, such as a custom controller (`managedBy`). Most rules apply only
//! if the write changes the fields that they check (`getStatusValidationOptions`).

use crate::{ConditionStatus, Job, JobStatus};

use super::error_list::quoted;
use super::{ErrorList, Path};

pub(super) fn validate(old: &Job, new: &Job, errors: &mut ErrorList) {
    let mut write = StatusWrite { old, new, errors };
    write.check_complete_condition();
    write.check_announcing_conditions();
    write.check_finished_job();
    write.check_success_criteria();
    write.check_changes_from_old_status();
}

/// A write that replaces the status of a Job.
struct StatusWrite<'w> {
    old: &'w Job,
    new: &'w Job,
    errors: &'w mut ErrorList,
}

fn has_condition(job: &Job, kind: &str) -> bool {
    let mut all = job.status.conditions.iter();
    all.any(|condition| &*condition.kind == kind && condition.status == ConditionStatus::True)
}

fn is_finished(job: &Job) -> bool {
    has_condition(job, "Complete") || has_condition(job, "Failed")
}

impl StatusWrite<'_> {
    fn has_new_condition(&self, kind: &str) -> bool {
        has_condition(self.new, kind)
    }

    /// Returns whether one of these conditions is true before the write but not after it, or the reverse.
    fn changes_condition(&self, kinds: [&str; 2]) -> bool {
        kinds
            .iter()
            .any(|kind| has_condition(self.old, kind) != self.has_new_condition(kind))
    }

    fn changes_field<T: PartialEq>(&self, field: impl Fn(&JobStatus) -> T) -> bool {
        field(&self.old.status) != field(&self.new.status)
    }

    fn completion_time(&self) -> Option<String> {
        let time = self.new.status.completion_time?;
        Some(quoted(&time.to_string()))
    }

    /// Reports an error for a field if `is_broken`. If `value` is None, the field is reported as required. The error
    /// for the list of conditions has no value, because messages do not print this list.
    fn refuse_if(&mut self, is_broken: bool, field: &str, value: Option<String>, detail: &str) {
        let status = Path::root("status");
        let path = status.child(field);
        match value {
            _ if !is_broken => {}
            Some(value) => self.errors.invalid(&path, value, detail),
            None if field == "conditions" => self.errors.invalid_without_value(&path, detail),
            None => self.errors.required(&path, detail),
        }
    }

    fn check_complete_condition(&mut self) {
        for kind in ["Failed", "FailureTarget"] {
            let is_broken = self.changes_condition(["Complete", kind])
                && self.has_new_condition("Complete")
                && self.has_new_condition(kind);
            let detail = format!("cannot set Complete=True and {kind}=true conditions");
            self.refuse_if(is_broken, "conditions", None, &detail);
        }
        let time = self.completion_time();
        let is_complete = self.has_new_condition("Complete");
        let has_new_time = self.changes_field(|status| status.completion_time);
        let is_new = has_new_time || self.changes_condition(["Complete"; 2]);
        self.refuse_if(
            is_new && time.is_some() && !is_complete,
            "completionTime",
            time.clone(),
            "cannot set completionTime when there is no Complete=True condition",
        );
        self.refuse_if(
            is_new && time.is_none() && is_complete,
            "completionTime",
            None,
            "completionTime is required for Complete jobs",
        );
        let times = (self.new.status.start_time, self.new.status.completion_time);
        let is_early = matches!(times, (Some(start), Some(completion)) if completion < start);
        self.refuse_if(
            is_early && (has_new_time || self.changes_field(|status| status.start_time)),
            "completionTime",
            time,
            "completionTime cannot be set before startTime",
        );
    }

    /// Checks that a new terminal condition comes with the condition that announces it: Failed with FailureTarget,
    /// Complete with SuccessCriteriaMet.
    fn check_announcing_conditions(&mut self) {
        self.refuse_if(
            self.changes_condition(["Failed"; 2])
                && self.has_new_condition("Failed")
                && !self.has_new_condition("FailureTarget"),
            "conditions",
            None,
            "cannot set Failed=True condition without the FailureTarget=true condition",
        );
        let is_new = self.changes_condition(["Complete", "SuccessCriteriaMet"]);
        self.refuse_if(
            is_new && self.has_new_condition("Complete") && !self.has_new_condition("SuccessCriteriaMet"),
            "conditions",
            None,
            "cannot set Complete=True condition without the SuccessCriteriaMet=true condition",
        );
    }

    /// Checks that a finished Job has a start time and no remaining pods.
    fn check_finished_job(&mut self) {
        let status = &self.new.status;
        let is_finished = is_finished(self.new);
        let is_new = is_finished != self::is_finished(self.old);
        let count = |count: Option<i32>| count.unwrap_or(0);
        let (active, ready, terminating) = (count(status.active), count(status.ready), count(status.terminating));
        let has_no_start = status.start_time.is_none();
        let has_new_active = self.changes_field(|status| status.active);
        self.refuse_if(
            (is_new || has_new_active) && is_finished && active > 0,
            "active",
            Some(active.to_string()),
            "active>0 is invalid for finished job",
        );
        self.refuse_if(
            (is_new || self.changes_field(|status| status.start_time)) && is_finished && has_no_start,
            "startTime",
            None,
            "startTime is required for finished job",
        );
        self.refuse_if(
            (is_new || self.changes_field(|status| status.terminating)) && is_finished && terminating > 0,
            "terminating",
            Some(terminating.to_string()),
            "terminating>0 is invalid for finished job",
        );
        self.refuse_if(
            (has_new_active || self.changes_field(|status| status.ready)) && ready > active,
            "ready",
            Some(ready.to_string()),
            "cannot set more ready pods than active",
        );
    }

    fn check_success_criteria(&mut self) {
        for kind in ["Failed", "FailureTarget"] {
            let detail = format!("cannot set SuccessCriteriaMet=True and {kind}=true conditions");
            let is_broken = self.has_new_condition("SuccessCriteriaMet") && self.has_new_condition(kind);
            self.refuse_if(is_broken, "conditions", None, &detail);
        }
    }

    /// Checks that terminal conditions stay true, counters do not decrease, and the completion time does not change.
    fn check_changes_from_old_status(&mut self) {
        for kind in ["Failed", "Complete", "FailureTarget", "SuccessCriteriaMet"] {
            let detail = format!("cannot disable the terminal {kind}=True condition");
            self.refuse_if(
                has_condition(self.old, kind) && !self.has_new_condition(kind),
                "conditions",
                None,
                &detail,
            );
        }
        let (before, after, spec) = (&self.old.status, &self.new.status, &self.new.spec);
        let has_time = before.completion_time.is_some() && after.completion_time.is_some();
        // Scaling down an elastic Indexed Job may reduce the number of its succeeded indexes.
        let is_elastic = spec.completion_mode.as_deref() == Some("Indexed") && spec.completions == spec.parallelism;
        for (field, now, earlier, may_fall) in [
            ("failed", after.failed, before.failed, false),
            ("succeeded", after.succeeded, before.succeeded, is_elastic),
        ] {
            let (now, earlier) = (now.unwrap_or(0), earlier.unwrap_or(0));
            let detail = format!("cannot decrease the {field} counter");
            self.refuse_if(now < earlier && !may_fall, field, Some(now.to_string()), &detail);
        }
        let time = self.completion_time();
        self.refuse_if(
            has_time && self.changes_field(|status| status.completion_time),
            "completionTime",
            time,
            "completionTime cannot be mutated",
        );
    }
}
