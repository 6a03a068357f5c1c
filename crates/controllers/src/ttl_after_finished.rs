//! ttl-after-finished: deletes a Job and its pods `ttlSecondsAfterFinished` after it has finished.

use podscope_api::{Job, Kind, Object, Time};
use podscope_sim::{Change, DeleteOptions, Propagation, Request, Span};

use super::controller::{Controller, ControllerContext};
use super::job::final_condition;
use super::plan::{Accept, Action, Plan};
use super::queue::{Key, key_of};

#[derive(Debug, Clone, Default)]
pub(super) struct TtlAfterFinishedController;

/// Returns when a finished Job has to be deleted.
fn expiry_time(job: &Job) -> Option<Time> {
    let seconds = i64::from(job.spec.ttl_seconds_after_finished?);
    let ended = final_condition(&job.status)?.last_transition_time?;
    Some(Time(ended.0.saturating_add(seconds.saturating_mul(1_000_000))))
}

impl Controller for TtlAfterFinishedController {
    fn name(&self) -> &'static str {
        "ttl-after-finished-controller"
    }

    fn watches(&self) -> &'static [Kind] {
        &[Kind::Job]
    }

    fn changed(&mut self, change: &Change, cx: &mut ControllerContext<'_, '_>) {
        if let Some(Object::Job(job)) = &change.new
            && !job.metadata.is_terminating()
            && let Some(at) = expiry_time(job)
        {
            let remaining = Span((at.0 - cx.ctx.wall().0).max(0));
            cx.enqueue_after(key_of(&**job), remaining);
        }
    }

    fn sync(&mut self, key: &Key, cx: &mut ControllerContext<'_, '_>) -> Plan {
        let Some(job) = cx.objects.get::<Job>(&key.1) else {
            return Plan::default();
        };
        let Some(at) = expiry_time(job).filter(|_| !job.metadata.is_terminating()) else {
            return Plan::default();
        };
        let remaining = Span(at.0 - cx.ctx.wall().0);
        if remaining > Span::ZERO {
            return Plan::default().requeue_after(Some(remaining));
        }
        let delete = Request::Delete {
            kind: Kind::Job,
            key: key.1.clone(),
            options: DeleteOptions {
                uid: Some(job.metadata.uid.clone()),
                propagation: Some(Propagation::Foreground),
                ..DeleteOptions::default()
            },
        };
        Plan::one(Action::from(delete).accept(Accept::OrNotFound))
    }
}
