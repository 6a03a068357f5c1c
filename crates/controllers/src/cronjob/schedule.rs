//! The schedule of a CronJob: finds the missed scheduled times and the next one.

use podscope_api::{CronJob, Time, Zone, cron};
use podscope_sim::Span;

/// Delay of a sync after the scheduled time, so that the time has certainly passed.
const SYNC_DELAY_AFTER_SCHEDULE: Span = Span::millis(100);
/// Number of missed times beyond which a warning is reported.
const MAX_MISSED_TIMES: i64 = 100;

/// A schedule, and the time from which scheduled times are considered.
pub(super) struct Schedule {
    schedule: cron::Schedule,
    zone: Zone,
    since: Time,
}

/// The scheduled times that passed since the last scheduled Job.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct MissedTimes {
    pub(super) latest: Option<Time>,
    pub(super) are_too_many: bool,
}

impl Schedule {
    pub(super) fn of(job: &CronJob) -> Result<Self, String> {
        let created = job.metadata.creation_timestamp.unwrap_or_default();
        Ok(Self {
            schedule: cron::Schedule::parse(&job.spec.schedule)?,
            // Without a time zone, the schedule is in UTC, as on a controller-manager whose local time is UTC.
            zone: job.spec.time_zone.as_deref().and_then(Zone::named).unwrap_or_default(),
            since: job.status.last_schedule_time.unwrap_or(created),
        })
    }

    fn next_time_after(&self, after: Time) -> Option<Time> {
        self.schedule.next(after, self.zone)
    }

    /// Returns the missed times until `now`. Times older than the starting deadline are ignored.
    pub(super) fn missed_times(&self, now: Time, starting_deadline_seconds: Option<i64>) -> MissedTimes {
        let oldest =
            starting_deadline_seconds.map(|seconds| Time(now.0.saturating_sub(seconds.saturating_mul(1_000_000))));
        self.missed_times_since(oldest.map_or(self.since, |oldest| oldest.max(self.since)), now)
    }

    /// Returns the missed times after `since`, until `now`.
    fn missed_times_since(&self, since: Time, now: Time) -> MissedTimes {
        let none = MissedTimes {
            latest: None,
            are_too_many: false,
        };
        let Some(first) = self.next_time_after(since).filter(|first| *first <= now) else {
            return none;
        };
        let one = MissedTimes {
            latest: Some(first),
            ..none
        };
        let Some(second) = self.next_time_after(first).filter(|second| *second <= now) else {
            return one;
        };
        // Like the real controller, estimates the number of missed times from the interval between the first two, and
        // iterates only over the last few.
        let distance = (second.seconds() - first.seconds()).max(1);
        let count = (now.seconds() - first.seconds()) / distance + 1;
        let mut at = Time::from_seconds(first.seconds().saturating_add((count - 2).saturating_mul(distance)));
        let mut latest = None;
        while let Some(next) = self.next_time_after(at).filter(|next| *next <= now) {
            latest = Some(next);
            at = next;
        }
        MissedTimes {
            latest,
            are_too_many: count > MAX_MISSED_TIMES,
        }
    }

    /// Returns the time until the controller's sync for the next scheduled time.
    pub(super) fn until_next(&self, now: Time) -> Option<Span> {
        let from = match self.missed_times_since(self.since, now).latest {
            Some(latest) => latest,
            None if self.next_time_after(self.since)? > now => self.since,
            None => now,
        };
        let next = self.next_time_after(from)?;
        Some(Span((next.0 - now.0).max(0)) + SYNC_DELAY_AFTER_SCHEDULE)
    }
}
