//! Leader election by lease (CT-153). A candidate takes over a lease that did not change for its whole duration,
//! measured by the candidate's own clock. A leader renews the lease every retry period, and exits if it could not renew
//! it until the renew deadline.
//!
//! ```text
//!              takes the lease                 no renewal for 10 s
//!   Candidate ────────────────► Leader ─────────────────────────► (exits)
//! ```

use std::sync::Arc;

use podscope_api::{Kind, Lease, LeaseSpec, MicroTime, Object, ObjectKey, ObjectMeta, Str};

use crate::effect::{Context, Timer};
use crate::{Answer, CallId, Part, Request, SimTime, Span};

/// Settings of leader election.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ElectionSettings {
    /// Validity of a lease; default 15 s.
    pub lease_duration: Span,
    /// A leader exits after this time without a renewal; default 10 s.
    pub renew_deadline: Span,
    /// Time between attempts; default 2 s.
    pub retry_period: Span,
}

impl Default for ElectionSettings {
    fn default() -> Self {
        Self {
            lease_duration: Span::seconds(15),
            renew_deadline: Span::seconds(10),
            retry_period: Span::seconds(2),
        }
    }
}

/// Result of one step of a process in a leader election.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ElectionResult {
    Unchanged,
    /// The process leads from now on.
    Elected,
    /// The process must exit.
    Lost,
}

/// The pending request of a process in a leader election: it reads or writes the lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ElectionStage {
    Reading,
    Writing,
}

/// State of one process in a leader election.
#[derive(Debug, Clone)]
pub(crate) struct Election {
    lease: &'static str,
    identity: Str,
    settings: ElectionSettings,
    is_leader: bool,
    renewed_at: SimTime,
    /// resourceVersion of the lease as last observed, and when that version was first observed.
    observed: Option<(Str, SimTime)>,
    /// The lease as last read or written.
    stored: Option<Arc<Lease>>,
    pending: Option<(CallId, ElectionStage)>,
}

impl Election {
    /// Creates a candidate for this lease in namespace `kube-system`.
    pub(crate) fn new(lease: &'static str, identity: Str, settings: ElectionSettings) -> Self {
        Self {
            lease,
            identity,
            settings,
            is_leader: false,
            renewed_at: SimTime::ZERO,
            observed: None,
            stored: None,
            pending: None,
        }
    }

    /// Makes this process the leader from `now` on; `stored` is its lease.
    pub(crate) fn into_leader(mut self, stored: Arc<Lease>, now: SimTime) -> Self {
        self.is_leader = true;
        self.renewed_at = now;
        self.stored = Some(stored);
        self
    }

    /// Returns the lease with this process as its holder.
    pub(crate) fn claimed_lease(&self, ctx: &Context<'_>) -> Lease {
        let now = MicroTime(ctx.wall().0);
        let (metadata, spec) = match &self.stored {
            Some(lease) => (lease.metadata.clone(), lease.spec.clone()),
            None => (
                ObjectMeta {
                    name: self.lease.into(),
                    namespace: "kube-system".into(),
                    ..ObjectMeta::default()
                },
                LeaseSpec::default(),
            ),
        };
        let is_mine = spec.holder_identity.as_ref() == Some(&self.identity);
        Lease {
            metadata,
            spec: LeaseSpec {
                holder_identity: Some(self.identity.clone()),
                lease_duration_seconds: i32::try_from(self.settings.lease_duration.whole_seconds()).ok(),
                acquire_time: if is_mine { spec.acquire_time } else { Some(now) },
                renew_time: Some(now),
                lease_transitions: Some(match (spec.lease_transitions, is_mine || self.stored.is_none()) {
                    (count, true) => count.unwrap_or(0),
                    (count, false) => count.unwrap_or(0).saturating_add(1),
                }),
            },
            ..Lease::default()
        }
    }

    /// Returns the name of the lease, and the latest instant at which this candidate takes it over if it does not
    /// change. None for a leader.
    pub(crate) fn lease_and_takeover_time(&self) -> Option<(&'static str, SimTime)> {
        let (_, since) = self.observed.as_ref().filter(|_| !self.is_leader)?;
        Some((
            self.lease,
            *since + self.settings.lease_duration + self.settings.retry_period,
        ))
    }

    /// Handles the retry timer.
    pub(crate) fn tick(&mut self, ctx: &mut Context<'_>) -> ElectionResult {
        let deadline = self.renewed_at + self.settings.renew_deadline;
        if self.is_leader && ctx.now >= deadline {
            return ElectionResult::Lost;
        }
        let next = ctx.now + self.settings.retry_period;
        ctx.timer(if self.is_leader { next.min(deadline) } else { next }, Timer::Election);
        if self.pending.is_none() {
            if self.is_leader && self.stored.is_some() {
                self.write_lease(ctx);
            } else {
                let key = ObjectKey::new("kube-system", self.lease);
                let id = ctx.call(Request::Get { kind: Kind::Lease, key });
                self.pending = Some((id, ElectionStage::Reading));
            }
        }
        ElectionResult::Unchanged
    }

    /// Handles an answer; None if the call does not belong to the election.
    pub(crate) fn handle_answer(
        &mut self,
        id: CallId,
        answer: &Answer,
        ctx: &mut Context<'_>,
    ) -> Option<ElectionResult> {
        let (pending, stage) = self.pending?;
        if pending != id {
            return None;
        }
        self.pending = None;
        let lease = match answer {
            Ok(Some(Object::Lease(lease))) => lease,
            Err(error) if error.is_not_found() && stage == ElectionStage::Reading => {
                self.stored = None;
                self.write_lease(ctx);
                return Some(ElectionResult::Unchanged);
            }
            _ => {
                self.stored = None;
                return Some(ElectionResult::Unchanged);
            }
        };
        self.stored = Some(lease.clone());
        if stage == ElectionStage::Writing {
            self.renewed_at = ctx.now;
            if self.is_leader {
                return Some(ElectionResult::Unchanged);
            }
            self.is_leader = true;
            return Some(ElectionResult::Elected);
        }
        let version = &lease.metadata.resource_version;
        if self.observed.as_ref().is_none_or(|(known, _)| known != version) {
            self.observed = Some((version.clone(), ctx.now));
        }
        let is_mine = lease.spec.holder_identity.as_ref() == Some(&self.identity);
        let is_free = lease.spec.holder_identity.as_deref().is_none_or(str::is_empty);
        let has_expired = self
            .observed
            .as_ref()
            .is_some_and(|(_, since)| *since + self.settings.lease_duration < ctx.now);
        if is_mine || is_free || has_expired {
            self.write_lease(ctx);
        } else {
            self.stored = None;
        }
        Some(ElectionResult::Unchanged)
    }

    /// Sends the request that makes this process the holder of the lease, or renews it.
    fn write_lease(&mut self, ctx: &mut Context<'_>) {
        let lease = Object::Lease(Arc::new(self.claimed_lease(ctx)));
        let request = if self.stored.is_some() {
            Request::Update(lease, Part::Main)
        } else {
            Request::Create(lease)
        };
        let id = ctx.call(request);
        self.pending = Some((id, ElectionStage::Writing));
    }
}
