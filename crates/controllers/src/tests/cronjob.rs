//! Tests of the CronJob controller (C-14, CT-187, CT-188).

use podscope_api::{CronJob, Job, JobStatus, Kind, Time, WorkloadCondition};
use podscope_sim::Span;

use super::super::lab::Lab;

/// Returns a lab with the CronJob `tick`, which creates a Job every minute.
fn lab_with_cron_job(extra_spec: &str) -> Lab {
    Lab::new(
        &["a-1"],
        &format!(
            "{{apiVersion: batch/v1, kind: CronJob, metadata: {{name: tick}}, spec: {{schedule: '* * * * *', {extra_spec} \
             jobTemplate: {{spec: {{template: {{spec: {{restartPolicy: Never, containers: [{{name: c, image: i}}]}}}}}}}}}}}}"
        ),
    )
}

/// Returns the names of the existing Jobs, without their common prefix.
fn job_names(lab: &Lab) -> Vec<String> {
    let names = lab.objects().list::<Job>().map(|job| &job.metadata.name);
    names
        .map(|name| name.trim_start_matches("tick-294537").to_owned())
        .collect()
}

fn active_job_count(lab: &Lab) -> usize {
    lab.get::<CronJob>("tick").unwrap().status.active.len()
}

fn finish_job(lab: &mut Lab, name: &str, condition_type: &'static str) {
    let now = lab.wall();
    // The API server accepts Complete only with SuccessCriteriaMet, and Failed only with FailureTarget.
    let interim_condition = match condition_type {
        "Complete" => "SuccessCriteriaMet",
        _ => "FailureTarget",
    };
    lab.edit::<Job>(&format!("tick-294537{name}"), move |job| {
        let condition = |kind: &str| WorkloadCondition {
            kind: kind.into(),
            status: podscope_api::ConditionStatus::True,
            last_transition_time: Some(now),
            ..WorkloadCondition::default()
        };
        job.status = JobStatus {
            start_time: Some(now),
            completion_time: (condition_type == "Complete").then_some(now),
            conditions: [interim_condition, condition_type].map(condition).into(),
            ..JobStatus::default()
        };
    });
}

fn count_events(lab: &Lab, text: &str) -> usize {
    lab.events.iter().filter(|event| event.starts_with(text)).count()
}

/// Shows: C-14, CT-187
#[test]
fn job_is_created_at_each_scheduled_time_and_named_by_minute() {
    let mut lab = lab_with_cron_job("");
    lab.run(Span::seconds(59));
    assert_eq!(job_names(&lab), Vec::<String>::new());
    lab.run(Span::seconds(70));
    assert_eq!(
        (job_names(&lab), active_job_count(&lab)),
        (vec!["61".to_owned(), "62".to_owned()], 2)
    );
    let cron = lab.get::<CronJob>("tick").unwrap();
    assert_eq!(cron.status.last_schedule_time, Some(Time::from_seconds(1_767_225_720)));
    assert_eq!(
        count_events(&lab, "tick SuccessfulCreate: Created job tick-29453761"),
        1
    );
    assert_eq!(count_events(&lab, "tick UnexpectedJob"), 0);
    let job = lab.get::<Job>("tick-29453762").unwrap();
    let instant = job
        .metadata
        .annotation("batch.kubernetes.io/cronjob-scheduled-timestamp");
    assert_eq!(instant, Some("2026-01-01T00:02:00Z"));
}

/// Shows: CT-188
#[test]
fn concurrency_policy_forbid_skips_and_replace_deletes_job() {
    let mut lab = lab_with_cron_job("concurrencyPolicy: Forbid,");
    lab.run(Span::seconds(130));
    assert_eq!(job_names(&lab), ["61"]);
    assert!(count_events(&lab, "tick JobAlreadyActive") > 0, "{:?}", lab.events);
    finish_job(&mut lab, "61", "Complete");
    lab.run(Span::seconds(2));
    assert_eq!(
        count_events(
            &lab,
            "tick SawCompletedJob: Saw completed job: tick-29453761, condition: Complete"
        ),
        1
    );
    // The Job for the skipped time is created late, after the running Job has finished.
    assert_eq!(job_names(&lab), ["61", "62"]);
    let mut lab = lab_with_cron_job("concurrencyPolicy: Replace,");
    lab.run(Span::seconds(130));
    assert_eq!((job_names(&lab), active_job_count(&lab)), (vec!["62".to_owned()], 1));
    assert_eq!(
        (
            count_events(&lab, "tick SuccessfulDelete"),
            count_events(&lab, "tick MissingJob")
        ),
        (1, 0)
    );
}

/// Shows: CT-188
#[test]
fn replaced_jobs_are_not_reported_missing() {
    let cron = |name: &str| {
        format!(
            "{{apiVersion: batch/v1, kind: CronJob, metadata: {{name: {name}}}, spec: {{schedule: '* * * * *', \
             concurrencyPolicy: Replace, jobTemplate: {{spec: {{template: {{spec: {{restartPolicy: Never, containers: \
             [{{name: c, image: i}}]}}}}}}}}}}}}"
        )
    };
    let mut lab = Lab::new(&["a-1"], &["a", "b", "c"].map(cron).join("\n---\n"));
    lab.run(Span::seconds(310));
    let missing: Vec<&String> = (lab.events.iter())
        .filter(|event| event.contains("MissingJob"))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
    assert_eq!(lab.objects().list::<Job>().count(), 3);
}

/// Shows: CT-188
#[test]
fn finished_jobs_beyond_history_limits_are_deleted() {
    let mut lab = lab_with_cron_job("successfulJobsHistoryLimit: 2, failedJobsHistoryLimit: 1,");
    for name in ["61", "62", "63", "64", "65"] {
        lab.run(Span::seconds(61));
        finish_job(
            &mut lab,
            name,
            if name == "62" || name == "63" {
                "Failed"
            } else {
                "Complete"
            },
        );
    }
    lab.run(Span::seconds(2));
    assert_eq!(job_names(&lab), ["63", "64", "65"]);
    let last = lab.get::<CronJob>("tick").unwrap().status.last_successful_time;
    assert_eq!(last, Some(Time::from_seconds(1_767_225_600 + 305)));
}

#[test]
fn missing_job_is_reported_and_suspended_cronjob_creates_none() {
    let mut lab = lab_with_cron_job("");
    lab.run(Span::seconds(61));
    lab.delete(Kind::Job, "tick-29453761", None);
    lab.run(Span::seconds(1));
    assert_eq!(
        (
            count_events(&lab, "tick MissingJob: Active job went missing: tick-29453761"),
            active_job_count(&lab)
        ),
        (1, 0)
    );
    lab.edit::<CronJob>("tick", |cron| cron.spec.suspend = Some(true));
    lab.run(Span::seconds(200));
    assert_eq!(job_names(&lab), Vec::<String>::new());
}

/// After a pause, only the latest missed time is used, unless it is older than the starting deadline.
#[test]
fn resumed_cronjob_starts_job_for_latest_missed_time_only() {
    let mut lab = lab_with_cron_job("suspend: true, startingDeadlineSeconds: 20,");
    lab.run(Span::seconds(190));
    lab.edit::<CronJob>("tick", |cron| cron.spec.suspend = Some(false));
    lab.run(Span::seconds(1));
    assert_eq!(job_names(&lab), ["63"]);
    lab.run(Span::seconds(20));
    lab.edit::<CronJob>("tick", |cron| cron.spec.suspend = Some(true));
    lab.run(Span::seconds(60));
    lab.edit::<CronJob>("tick", |cron| cron.spec.suspend = Some(false));
    lab.run(Span::seconds(1));
    assert_eq!(
        job_names(&lab),
        ["63"],
        "the scheduled time of 240 s was missed 32 s ago"
    );
}

/// A new leader finds the Jobs that the old leader created, and does not create them again.
#[test]
fn new_leader_creates_no_job_twice() {
    let mut lab = lab_with_cron_job("");
    lab.run(Span::seconds(61));
    lab.restart();
    lab.run(Span::seconds(60));
    assert_eq!(
        (job_names(&lab), active_job_count(&lab)),
        (vec!["61".to_owned(), "62".to_owned()], 2)
    );
}
