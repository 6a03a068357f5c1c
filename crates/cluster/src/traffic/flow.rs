//! Flows with their streams and lanes: how requests are distributed, which of them are counted, and the present
//! stretches of failures.
//!
//! ```text
//! lane:     Answered ──new fate──▶ Fails ──new fate──▶ Answered       each change counts the requests sent until then
//! stretch:            begins │           │ ends: one record
//! in flight: requests sent within the latency before a change depend on what their process does until their response
//! ```

use std::sync::Arc;

use podscope_api::{CausedBy, Kind, NodeName, ObjectKey, Str, Uid, ordered};
use podscope_node::machine::ContainerId;
use podscope_node::proxy::Backend;
use podscope_sim::{
    FailedRequests, RequestClient, RequestFailureCause, RequestOutcome, RequestRate, SimTime, Span, subject,
};

use super::balancer::TargetHealth;
use super::count::{RequestPace, RoundRobinPosition, per_million_share};
use super::fate::{ClientOptions, ClusterView, FailureReason, RequestAssessment, RequestFate};
use super::{FailedRequestsRecord, SettledOutcomes};
use crate::Rng;

/// Time after which a stretch of failures that has not ended is reported for the first time.
const FIRST_STRETCH_REPORT_AFTER: Span = Span::seconds(60);

/// Sender of requests to a Service: a command or a pod.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FlowOrigin {
    /// `app traffic start`.
    Command,
    /// The pod with this UID on this node.
    Pod(Uid, NodeName),
}

/// The requests of one command or pod to one Service.
#[derive(Debug, Clone)]
pub(super) struct Flow {
    pub service: ObjectKey,
    pub client: RequestClient,
    pub origin: FlowOrigin,
    pub pace: RequestPace,
    pub options: ClientOptions,
    pub retries: u32,
    pub streams: Vec<Stream>,
    /// Whether the next `World::settle_traffic` removes the flow.
    pub is_ended: bool,
    /// Health of the nodes as the load balancer sees it; only for clients outside the cluster.
    pub health: ordered::Map<NodeName, TargetHealth>,
    /// The rate in the last record about this flow.
    pub reported_rate: Option<RequestRate>,
    /// Chooses endpoints for kept connections and for sessions.
    pub rng: Rng,
}

/// The requests of one client to one Service (a part of a flow).
#[derive(Debug, Clone)]
pub(super) struct Stream {
    /// The client's node, or the node through which it enters the cluster.
    pub node: NodeName,
    pub numbering: RoundRobinPosition,
    pub lanes: Vec<Lane>,
    /// Requests in flight on lanes that have been replaced or have a new fate.
    pub in_flight: Vec<InFlight>,
    /// The client's connection that is kept alive.
    pub kept: Option<KeptConnection>,
    /// The endpoint of the client's session (TR-021).
    pub session: Option<Backend>,
    /// Remainder of the shares of error responses, in millionths.
    pub errors_carried: u64,
}

/// A connection of a client to an endpoint that is kept alive.
#[derive(Debug, Clone)]
pub(super) struct KeptConnection {
    pub backend: Backend,
    pub process: ContainerId,
    /// Since when no response has arrived on the connection.
    pub silent_since: Option<SimTime>,
}

/// Requests of one client to one endpoint.
#[derive(Debug, Clone)]
pub(super) struct Lane {
    pub backend: Option<Backend>,
    pub fate: RequestFate,
    /// Number of the lane's requests that are counted or in flight.
    pub counted: u64,
    /// Since when the rules of kube-proxy have listed the endpoint; without an endpoint, since when the lane has
    /// existed.
    pub listed_since: SimTime,
    pub stretch: Option<FailureStretch>,
}

/// Consecutive failures of requests with the same reason.
#[derive(Debug, Clone)]
pub(super) struct FailureStretch {
    pub failing: FailureReason,
    /// When the first of these requests failed.
    first: SimTime,
    /// Beginning of the part that is not reported yet.
    pub since: SimTime,
    pub count: u64,
    /// The process that answers with errors.
    process: Option<ContainerId>,
    pub cause: CausedBy,
    report_at: SimTime,
}

/// Requests of one client to one endpoint that are sent but not answered yet.
#[derive(Debug, Clone)]
pub(super) struct InFlight {
    pub numbering: RoundRobinPosition,
    pub lane: u64,
    /// Number of the lane's requests that are already answered.
    pub answered: u64,
    /// Number of the lane's requests that were sent until `last_sent`, answered ones included.
    pub sent: u64,
    pub after: Span,
    pub is_late: bool,
    backend: Backend,
    process: ContainerId,
    listed_since: SimTime,
    last_sent: SimTime,
}

/// Returns the outcome of a successful request.
pub(super) fn success_outcome(is_late: bool) -> RequestOutcome {
    if is_late {
        RequestOutcome::Late
    } else {
        RequestOutcome::Ok
    }
}

/// A lane that a stream will get, with the fate of its requests.
pub(super) struct PlannedLane {
    pub backend: Option<Backend>,
    pub assessed: RequestAssessment,
    /// Number of connection attempts that other endpoints refused at this instant, before this endpoint accepted the
    /// connection.
    pub refused: u64,
}

impl Stream {
    fn new(node: NodeName, numbering: RoundRobinPosition) -> Self {
        Self {
            node,
            numbering,
            lanes: Vec::new(),
            in_flight: Vec::new(),
            kept: None,
            session: None,
            errors_carried: 0,
        }
    }
}

impl Lane {
    fn begin(planned: PlannedLane, now: SimTime, because: CausedBy) -> Self {
        let mut lane = Self {
            backend: planned.backend,
            fate: planned.assessed.fate,
            counted: planned.refused,
            listed_since: now,
            stretch: None,
        };
        lane.begin_stretch(planned.assessed.cause, now, because);
        lane
    }

    fn begin_stretch(&mut self, process_cause: CausedBy, now: SimTime, fallback_cause: CausedBy) {
        self.stretch = self.fate.failure_reason().map(|failing| FailureStretch {
            failing,
            first: now,
            since: now,
            count: 0,
            process: match self.fate {
                RequestFate::Answered { process, .. } => Some(process),
                RequestFate::Fails(_) => None,
            },
            cause: if process_cause == CausedBy::NOTHING {
                fallback_cause
            } else {
                process_cause
            },
            report_at: now + FIRST_STRETCH_REPORT_AFTER,
        });
    }
}

impl Flow {
    /// Returns a record of failures of this flow. The caller sets its times and its count.
    pub(super) fn failure_record(
        &self,
        stream: &Stream,
        backend: Option<&Backend>,
        failing: &FailureReason,
        listed_since: SimTime,
    ) -> FailedRequestsRecord {
        let pod = backend.filter(|backend| !backend.uid.is_empty());
        let endpoint: Option<Str> = backend.map(|backend| match pod {
            Some(pod) => pod.pod.to_string().into(),
            None => backend.address.clone(),
        });
        let client = match &self.client {
            RequestClient::Nodes | RequestClient::Zone(_) => RequestClient::Node(stream.node.0.clone()),
            client => client.clone(),
        };
        FailedRequestsRecord {
            failed: FailedRequests {
                service: self.service.clone(),
                endpoint,
                client,
                node: stream.node.0.clone(),
                outcome: failing.outcome,
                since: SimTime::ZERO,
                until: SimTime::ZERO,
                count: 0,
                believed_since: Some(listed_since),
                truth: failing.truth,
                truth_since: failing.since,
            },
            pod: pod.map(|pod| subject(Kind::Pod, pod.pod.clone(), pod.uid.clone())),
            process: None,
            cause: CausedBy::NOTHING,
        }
    }

    /// Counts the requests that a lane has sent since its last count, by outcome. Requests that fail are counted when
    /// they are sent, and lengthen the lane's stretch of failures. Successful requests whose response is still on its
    /// way are moved to `in_flight`, where [`Self::settle_in_flight`] counts them.
    fn count_lane(&self, stream: &mut Stream, lane_index: usize, now: SimTime, out: &mut SettledOutcomes) {
        let Some(lane) = stream.lanes.get_mut(lane_index) else {
            return;
        };
        let sent = stream.numbering.sent_on_lane(lane_index as u64, now);
        let uncounted = sent.saturating_sub(lane.counted);
        let mut failed = 0;
        match lane.fate {
            RequestFate::Fails(failing) => {
                failed = uncounted;
                out.counts.push((self.service.clone(), failing.outcome, uncounted));
            }
            RequestFate::Answered {
                after,
                is_late,
                errors,
                process,
                ..
            } => {
                if errors > 0 {
                    failed = per_million_share(uncounted, errors, &mut stream.errors_carried);
                    out.counts.push((self.service.clone(), RequestOutcome::Error, failed));
                }
                let n_successful = uncounted - failed;
                let n_in_flight = sent - stream.numbering.sent_on_lane(lane_index as u64, now - after).min(sent);
                let n_in_flight = n_in_flight.min(n_successful);
                out.counts.push((
                    self.service.clone(),
                    success_outcome(is_late),
                    n_successful - n_in_flight,
                ));
                if let (true, Some(backend)) = (n_in_flight > 0, &lane.backend) {
                    stream.in_flight.push(InFlight {
                        numbering: stream.numbering,
                        lane: lane_index as u64,
                        answered: sent - n_in_flight,
                        sent,
                        after,
                        is_late,
                        backend: backend.clone(),
                        process,
                        listed_since: lane.listed_since,
                        last_sent: now,
                    });
                }
            }
        }
        lane.counted = lane.counted.max(sent);
        if let Some(stretch) = &mut lane.stretch {
            stretch.count += failed;
        }
    }

    /// Adds the record of a stretch of failures that has ended, or whose next report is due.
    fn report_stretch(
        &self,
        stream: &Stream,
        lane: &Lane,
        stretch: &FailureStretch,
        until: SimTime,
        out: &mut SettledOutcomes,
    ) {
        if stretch.count == 0 {
            return;
        }
        let mut failure = self.failure_record(stream, lane.backend.as_ref(), &stretch.failing, lane.listed_since);
        failure.failed.since = stretch.since;
        failure.failed.until = until;
        failure.failed.count = stretch.count;
        failure.process =
            (lane.backend.as_ref().zip(stretch.process)).map(|(backend, process)| (backend.node.clone(), process));
        failure.cause = stretch.cause;
        out.failed.push(failure);
    }

    /// Counts the requests of all lanes of a stream.
    fn count_stream(&self, stream: &mut Stream, now: SimTime, out: &mut SettledOutcomes) {
        for at in 0..stream.lanes.len() {
            self.count_lane(stream, at, now, out);
        }
    }

    /// Ends a stream whose client sends no more. Its requests in flight count as successful.
    pub(super) fn end_stream(&self, mut stream: Stream, now: SimTime, out: &mut SettledOutcomes) {
        self.count_stream(&mut stream, now, out);
        for one in &stream.in_flight {
            out.counts.push((
                self.service.clone(),
                success_outcome(one.is_late),
                one.sent - one.answered,
            ));
        }
        for lane in &stream.lanes {
            if let Some(stretch) = &lane.stretch {
                self.report_stretch(&stream, lane, stretch, now, out);
            }
        }
    }

    /// Replaces or updates the lanes of a stream according to the plan.
    pub(super) fn apply_lane_plan(
        &self,
        stream: &mut Stream,
        planned: Vec<PlannedLane>,
        now: SimTime,
        because: CausedBy,
        out: &mut SettledOutcomes,
    ) {
        let is_same = stream.lanes.len() == planned.len()
            && stream
                .lanes
                .iter()
                .zip(&planned)
                .all(|(lane, planned)| lane.backend == planned.backend && planned.refused == 0);
        for planned in &planned {
            out.wake_at(planned.assessed.until);
            if planned.refused > 0 {
                out.counts
                    .push((self.service.clone(), RequestOutcome::Refused, planned.refused));
            }
        }
        if is_same {
            for (at, planned) in planned.into_iter().enumerate() {
                self.update_lane(stream, at, planned.assessed, now, because, out);
            }
            return;
        }
        self.count_stream(stream, now, out);
        let mut old = std::mem::take(&mut stream.lanes);
        stream.numbering.redistribute(planned.len() as u64, now);
        for planned in planned {
            let mut lane = Lane::begin(planned, now, because);
            // If the rules still list the endpoint, its lane keeps `listed_since`, and a stretch of the same failures
            // continues.
            if let Some(before) = old.iter_mut().find(|before| before.backend == lane.backend) {
                lane.listed_since = before.listed_since;
                let continues =
                    |one: &FailureStretch, other: &FailureStretch| one.failing.has_same_result(&other.failing);
                if let (Some(before), Some(new)) = (&before.stretch, &lane.stretch)
                    && continues(before, new)
                {
                    lane.stretch = Some(before.clone());
                } else if let Some(stretch) = before.stretch.take() {
                    self.report_stretch(stream, before, &stretch, now, out);
                }
                before.stretch = None;
            }
            stream.lanes.push(lane);
        }
        for lane in &old {
            if let Some(stretch) = &lane.stretch {
                self.report_stretch(stream, lane, stretch, now, out);
            }
        }
        self.schedule_stretch_reports(stream, out);
    }

    /// Sets the new fate of a lane's requests, if it differs from the present one.
    fn update_lane(
        &self,
        stream: &mut Stream,
        lane_index: usize,
        assessed: RequestAssessment,
        now: SimTime,
        because: CausedBy,
        out: &mut SettledOutcomes,
    ) {
        let Some(lane) = stream.lanes.get(lane_index) else {
            return;
        };
        if lane.fate.has_same_result(&assessed.fate) {
            return;
        }
        self.count_lane(stream, lane_index, now, out);
        let Some(lane) = stream.lanes.get_mut(lane_index) else {
            return;
        };
        lane.fate = assessed.fate;
        out.cause = out.cause.latest(assessed.cause);
        let has_same_result = match (&lane.stretch, lane.fate.failure_reason()) {
            (Some(stretch), Some(failing)) => stretch.failing.has_same_result(&failing),
            _ => false,
        };
        if !has_same_result {
            let ended = lane.stretch.take();
            lane.begin_stretch(assessed.cause, now, because);
            if let (Some(stretch), Some(lane)) = (ended, stream.lanes.get(lane_index)) {
                self.report_stretch(stream, lane, &stretch, now, out);
            }
        }
        self.schedule_stretch_reports(stream, out);
    }

    fn schedule_stretch_reports(&self, stream: &Stream, out: &mut SettledOutcomes) {
        let stretches = stream.lanes.iter().filter_map(|lane| lane.stretch.as_ref());
        out.wake_at(stretches.map(|stretch| stretch.report_at).min());
    }

    /// Reports stretches of failures that have not ended and whose next report is due. The interval doubles each time.
    pub(super) fn report_long_stretches(&self, stream: &mut Stream, now: SimTime, out: &mut SettledOutcomes) {
        for at in 0..stream.lanes.len() {
            let is_due = |lane: &Lane| lane.stretch.as_ref().is_some_and(|stretch| stretch.report_at <= now);
            if !stream.lanes.get(at).is_some_and(is_due) {
                continue;
            }
            self.count_lane(stream, at, now, out);
            if let Some(lane) = stream.lanes.get(at)
                && let Some(stretch) = &lane.stretch
            {
                self.report_stretch(stream, lane, stretch, now, out);
            }
            if let Some(stretch) = stream.lanes.get_mut(at).and_then(|lane| lane.stretch.as_mut()) {
                stretch.since = now;
                stretch.count = 0;
                stretch.report_at = now + (now - stretch.first);
            }
        }
        self.schedule_stretch_reports(stream, out);
    }

    /// Counts requests in flight whose response has arrived or can no longer arrive.
    pub(super) fn settle_in_flight(
        &self,
        stream: &mut Stream,
        cluster: &ClusterView<'_>,
        because: CausedBy,
        out: &mut SettledOutcomes,
    ) {
        let now = cluster.now;
        // A client that retries gets its response from another endpoint, if one answers.
        let retry_succeeds = self.retries > 0
            && stream
                .lanes
                .iter()
                .any(|lane| matches!(lane.fate, RequestFate::Answered { .. }));
        let mut lost: Vec<(FailedRequestsRecord, u64)> = Vec::new();
        for one in std::mem::take(&mut stream.in_flight) {
            let answered = one
                .numbering
                .sent_on_lane(one.lane, now - one.after)
                .clamp(one.answered, one.sent);
            let done = answered - one.answered;
            out.counts
                .push((self.service.clone(), success_outcome(one.is_late), done));
            let rest = one.sent - answered;
            if rest == 0 {
                continue;
            }
            match cluster.failure_in_flight(&stream.node, &one.backend, one.process) {
                Some(_) if retry_succeeds => {
                    out.counts
                        .push((self.service.clone(), success_outcome(one.is_late), rest))
                }
                Some((failing, cause)) => {
                    out.counts.push((self.service.clone(), failing.outcome, rest));
                    let mut failure = self.failure_record(stream, Some(&one.backend), &failing, one.listed_since);
                    failure.failed.since = now - one.after;
                    failure.failed.until = one.last_sent;
                    failure.cause = if cause == CausedBy::NOTHING { because } else { cause };
                    lost.push((failure, rest));
                }
                None => stream.in_flight.push(InFlight { answered, ..one }),
            }
        }
        let mut merged: Vec<FailedRequestsRecord> = Vec::new();
        for (failure, rest) in lost {
            let has_same_result = |other: &&mut FailedRequestsRecord| {
                other.failed.endpoint == failure.failed.endpoint && other.failed.truth == failure.failed.truth
            };
            match merged.iter_mut().find(has_same_result) {
                Some(known) => {
                    known.failed.count += rest;
                    known.failed.since = known.failed.since.min(failure.failed.since);
                    known.failed.until = known.failed.until.max(failure.failed.until);
                }
                None => {
                    let mut failure = failure;
                    failure.failed.count = rest;
                    merged.push(failure);
                }
            }
        }
        out.failed.extend(merged);
    }

    /// Returns the record of a connection attempt that this endpoint refused before another endpoint accepted one.
    pub(super) fn refused_attempt_record(
        &self,
        stream: &Stream,
        backend: &Backend,
        assessed: &RequestAssessment,
        now: SimTime,
    ) -> FailedRequestsRecord {
        let failing = assessed.fate.failure_reason().unwrap_or(FailureReason::new(
            RequestOutcome::Refused,
            RequestFailureCause::NotRunning,
        ));
        let mut failure = self.failure_record(stream, Some(backend), &failing, now);
        failure.failed.believed_since = None;
        (failure.failed.since, failure.failed.until) = (now, now);
        failure.failed.count = 1;
        failure.cause = assessed.cause;
        failure
    }

    /// Begins a new distribution of the flow's requests to clients on these nodes.
    pub(super) fn redistribute_to_clients(&mut self, nodes: &[NodeName], now: SimTime, out: &mut SettledOutcomes) {
        let old = std::mem::take(&mut self.streams);
        let mut old: ordered::Map<NodeName, Stream> =
            old.into_iter().map(|stream| (stream.node.clone(), stream)).collect();
        let before_clients = self.pace.sent(now);
        let mut streams = Vec::with_capacity(nodes.len());
        for (client, node) in nodes.iter().enumerate() {
            let numbering = RoundRobinPosition {
                pace: self.pace,
                before_clients,
                clients: nodes.len() as u64,
                client: client as u64,
                before_lanes: 0,
                lanes: 1,
                first: client as u64,
            };
            let stream = match old.remove(node) {
                Some(mut stream) => {
                    self.count_stream(&mut stream, now, out);
                    stream.lanes.iter_mut().for_each(|lane| lane.counted = 0);
                    let lanes = stream.numbering.lanes;
                    stream.numbering.redistribute(lanes, now);
                    stream.numbering = RoundRobinPosition {
                        lanes,
                        first: stream.numbering.first,
                        ..numbering
                    };
                    stream
                }
                None => Stream::new(node.clone(), numbering),
            };
            streams.push(stream);
        }
        for (_, stream) in old {
            self.end_stream(stream, now, out);
        }
        self.streams = streams;
    }

    /// Returns whether the flow consists of calls of this pod.
    pub(super) fn is_of_pod(&self, uid: &Uid) -> bool {
        matches!(&self.origin, FlowOrigin::Pod(of, _) if of == uid)
    }

    /// Returns the nodes of the clients, in the order of the round-robin distribution.
    pub(super) fn nodes(&self) -> impl Iterator<Item = &NodeName> {
        self.streams.iter().map(|stream| &stream.node)
    }

    /// Returns the name that, with the seed of the world, determines the flow's random generator.
    pub(super) fn rng_name(service: &ObjectKey, client: &RequestClient) -> Arc<str> {
        format!("traffic/{service}/{client}").into()
    }
}
