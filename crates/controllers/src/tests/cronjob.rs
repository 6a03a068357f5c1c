//! CronJob: C-14, CT-187, CT-188.

use podscope_api::{CronJob, Job, JobStatus, Kind, Time, WorkloadCondition};
use podscope_sim::Span;

use super::super::lab::Lab;

fn every_minute(more: &str) -> Lab {
    Lab::new(
        &["a-1"],
        &format!(
            "{{apiVersion: batch/v1, kind: CronJob, metadata: {{name: tick}}, spec: {{schedule: '* * * * *', {more} \
             jobTemplate: {{spec: {{template: {{spec: {{restartPolicy: Never, containers: [{{name: c, image: i}}]}}}}}}}}}}}}"
        ),
    )
}

/// Names of the Jobs that are there, without their common beginning.
fn jobs(lab: &Lab) -> Vec<String> {
    let names = lab.objects().list::<Job>().map(|job| &job.metadata.name);
    names
        .map(|name| name.trim_start_matches("tick-294537").to_owned())
        .collect()
}

fn active(lab: &Lab) -> usize {
    lab.get::<CronJob>("tick").unwrap().status.active.len()
}

fn end(lab: &mut Lab, name: &str, how: &'static str) {
    let now = lab.wall();
    lab.edit::<Job>(&format!("tick-294537{name}"), move |job| {
        let condition = WorkloadCondition {
            kind: how.into(),
            status: podscope_api::ConditionStatus::True,
            last_transition_time: Some(now),
            ..WorkloadCondition::default()
        };
        job.status = JobStatus {
            start_time: Some(now),
            completion_time: (how == "Complete").then_some(now),
            conditions: vec![condition],
            ..JobStatus::default()
        };
    });
}

fn said(lab: &Lab, text: &str) -> usize {
    lab.events.iter().filter(|event| event.starts_with(text)).count()
}

/// Shows: C-14, CT-187
#[test]
fn a_job_is_made_at_each_instant_of_the_schedule_and_named_after_its_minute() {
    let mut lab = every_minute("");
    lab.run(Span::seconds(59));
    assert_eq!(jobs(&lab), Vec::<String>::new());
    lab.run(Span::seconds(70));
    assert_eq!((jobs(&lab), active(&lab)), (vec!["61".to_owned(), "62".to_owned()], 2));
    let cron = lab.get::<CronJob>("tick").unwrap();
    assert_eq!(cron.status.last_schedule_time, Some(Time::from_seconds(1_767_225_720)));
    assert_eq!(said(&lab, "tick SuccessfulCreate: Created job tick-29453761"), 1);
    assert_eq!(said(&lab, "tick UnexpectedJob"), 0);
    let made = lab.get::<Job>("tick-29453762").unwrap();
    let instant = made
        .metadata
        .annotation("batch.kubernetes.io/cronjob-scheduled-timestamp");
    assert_eq!(instant, Some("2026-01-01T00:02:00Z"));
}

/// Shows: CT-188
#[test]
fn while_a_job_runs_forbid_skips_and_replace_deletes() {
    let mut lab = every_minute("concurrencyPolicy: Forbid,");
    lab.run(Span::seconds(130));
    assert_eq!(jobs(&lab), ["61"]);
    assert!(said(&lab, "tick JobAlreadyActive") > 0, "{:?}", lab.events);
    end(&mut lab, "61", "Complete");
    lab.run(Span::seconds(2));
    assert_eq!(
        said(
            &lab,
            "tick SawCompletedJob: Saw completed job: tick-29453761, condition: Complete"
        ),
        1
    );
    // The instant that was skipped is served late.
    assert_eq!(jobs(&lab), ["61", "62"]);
    let mut lab = every_minute("concurrencyPolicy: Replace,");
    lab.run(Span::seconds(130));
    assert_eq!((jobs(&lab), active(&lab)), (vec!["62".to_owned()], 1));
    assert_eq!(
        (said(&lab, "tick SuccessfulDelete"), said(&lab, "tick MissingJob")),
        (1, 0)
    );
}

/// Shows: CT-188
#[test]
fn jobs_that_were_replaced_are_not_missed_beside_other_schedules() {
    let cron = |name: &str| {
        format!(
            "{{apiVersion: batch/v1, kind: CronJob, metadata: {{name: {name}}}, spec: {{schedule: '* * * * *', \
             concurrencyPolicy: Replace, jobTemplate: {{spec: {{template: {{spec: {{restartPolicy: Never, containers: \
             [{{name: c, image: i}}]}}}}}}}}}}}}"
        )
    };
    let mut lab = Lab::new(&["a-1"], &["a", "b", "c"].map(cron).join("\n---\n"));
    lab.run(Span::seconds(310));
    let missed: Vec<&String> = (lab.events.iter())
        .filter(|event| event.contains("MissingJob"))
        .collect();
    assert!(missed.is_empty(), "{missed:?}");
    assert_eq!(lab.objects().list::<Job>().count(), 3);
}

/// Shows: CT-188
#[test]
fn only_the_last_ones_that_ended_are_kept() {
    let mut lab = every_minute("successfulJobsHistoryLimit: 2, failedJobsHistoryLimit: 1,");
    for name in ["61", "62", "63", "64", "65"] {
        lab.run(Span::seconds(61));
        end(
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
    assert_eq!(jobs(&lab), ["63", "64", "65"]);
    let last = lab.get::<CronJob>("tick").unwrap().status.last_successful_time;
    assert_eq!(last, Some(Time::from_seconds(1_767_225_600 + 305)));
}

#[test]
fn a_missing_job_is_told_of_and_a_suspended_cronjob_makes_none() {
    let mut lab = every_minute("");
    lab.run(Span::seconds(61));
    lab.delete(Kind::Job, "tick-29453761", None);
    lab.run(Span::seconds(1));
    assert_eq!(
        (
            said(&lab, "tick MissingJob: Active job went missing: tick-29453761"),
            active(&lab)
        ),
        (1, 0)
    );
    lab.edit::<CronJob>("tick", |cron| cron.spec.suspend = Some(true));
    lab.run(Span::seconds(200));
    assert_eq!(jobs(&lab), Vec::<String>::new());
}

/// The instants of a pause are not served one by one, and those older than the deadline not at all.
#[test]
fn after_a_pause_only_the_latest_instant_counts() {
    let mut lab = every_minute("suspend: true, startingDeadlineSeconds: 20,");
    lab.run(Span::seconds(190));
    lab.edit::<CronJob>("tick", |cron| cron.spec.suspend = Some(false));
    lab.run(Span::seconds(1));
    assert_eq!(jobs(&lab), ["63"]);
    lab.run(Span::seconds(20));
    lab.edit::<CronJob>("tick", |cron| cron.spec.suspend = Some(true));
    lab.run(Span::seconds(60));
    lab.edit::<CronJob>("tick", |cron| cron.spec.suspend = Some(false));
    lab.run(Span::seconds(1));
    assert_eq!(jobs(&lab), ["63"], "the instant of 240 s is 32 s old");
}

/// A process that takes over finds what the old one made, and makes nothing twice.
#[test]
fn a_new_leader_goes_on_where_the_old_one_stopped() {
    let mut lab = every_minute("");
    lab.run(Span::seconds(61));
    lab.restart();
    lab.run(Span::seconds(60));
    assert_eq!((jobs(&lab), active(&lab)), (vec!["61".to_owned(), "62".to_owned()], 2));
}
