//! Flows, their streams and lanes: what is dealt out to whom, what has been counted, and the stretches of failures
//! that are under way.
//!
//! ```text
//! lane:     Answered ──judged anew──▶ Fails ──judged anew──▶ Answered       each change counts what was sent till then
//! stretch:            begins │             │ ends: one record
//! in flight: what was sent within the latency before a change is decided by what its process does until its answer
//! ```

use std::sync::Arc;

use podscope_api::{CausedBy, Kind, NodeName, ObjectKey, Str, Uid, ordered};
use podscope_node::machine::ContainerId;
use podscope_node::proxy::Backend;
use podscope_sim::{FailedRequests, RequestClient, RequestOutcome, RequestRate, RequestTruth, SimTime, Span, subject};

use super::balancer::Health;
use super::count::{Numbering, Pace, part};
use super::fate::{Failing, Fate, Ground, Judged, Patience};
use super::{Failure, Outcomes};
use crate::Rng;

/// A stretch that goes on is told after this long for the first time.
const FIRST_TOLD: Span = Span::seconds(60);

/// Whose flow it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Origin {
    Command,
    /// The pod of that UID on that node.
    Pod(Uid, NodeName),
}

/// What is sent to one Service by one command or pod.
#[derive(Debug, Clone)]
pub(super) struct Flow {
    pub service: ObjectKey,
    pub client: RequestClient,
    pub origin: Origin,
    pub pace: Pace,
    pub patience: Patience,
    pub retries: u32,
    pub streams: Vec<Stream>,
    /// Whether it ends when it is settled next.
    pub is_over: bool,
    /// Of clients outside: which nodes they are sent to.
    pub health: ordered::Map<NodeName, Health>,
    /// What was told of it last.
    pub told: Option<RequestRate>,
    /// Draws endpoints of kept connections and of sessions.
    pub rng: Rng,
}

/// What one client of a flow sends.
#[derive(Debug, Clone)]
pub(super) struct Stream {
    /// The client's node, or where it enters the cluster.
    pub node: NodeName,
    pub numbering: Numbering,
    pub lanes: Vec<Lane>,
    /// What is under way on lanes that were dealt out anew or judged anew.
    pub in_flight: Vec<InFlight>,
    /// The connection that is kept.
    pub kept: Option<Kept>,
    /// The endpoint of its session (TR-021).
    pub session: Option<Backend>,
    /// What is carried of shares of errors, millionths.
    pub errors_carried: u64,
}

/// A connection that is kept.
#[derive(Debug, Clone)]
pub(super) struct Kept {
    pub backend: Backend,
    pub process: ContainerId,
    /// Since when nothing comes back on it.
    pub silent_since: Option<SimTime>,
}

/// One way that requests go.
#[derive(Debug, Clone)]
pub(super) struct Lane {
    pub backend: Option<Backend>,
    pub fate: Fate,
    /// How many of those that were sent have been counted or are in flight.
    pub counted: u64,
    /// Since when the rules list the endpoint, or are what they are.
    pub listed_since: SimTime,
    pub stretch: Option<Stretch>,
}

/// Failures under way.
#[derive(Debug, Clone)]
pub(super) struct Stretch {
    pub failing: Failing,
    /// When it began, and since when what is told next was sent.
    first: SimTime,
    pub since: SimTime,
    pub count: u64,
    cause: CausedBy,
    tell_at: SimTime,
}

/// Requests that were sent and are not answered yet.
#[derive(Debug, Clone)]
pub(super) struct InFlight {
    pub numbering: Numbering,
    pub lane: u64,
    /// How many of the lane are answered, and how many there are.
    pub answered: u64,
    pub sent: u64,
    pub after: Span,
    pub is_late: bool,
    backend: Backend,
    process: ContainerId,
    listed_since: SimTime,
    last_sent: SimTime,
}

pub(super) fn good(is_late: bool) -> RequestOutcome {
    if is_late {
        RequestOutcome::Late
    } else {
        RequestOutcome::Ok
    }
}

/// A lane as it is to be from now on.
pub(super) struct Planned {
    pub backend: Option<Backend>,
    pub judged: Judged,
    /// Requests of now that were refused before this endpoint was found.
    pub refused: u64,
}

impl Stream {
    fn new(node: NodeName, numbering: Numbering) -> Self {
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
    fn begin(planned: Planned, now: SimTime, because: CausedBy) -> Self {
        let mut lane = Self {
            backend: planned.backend,
            fate: planned.judged.fate,
            counted: planned.refused,
            listed_since: now,
            stretch: None,
        };
        lane.begin_stretch(planned.judged.cause, now, because);
        lane
    }

    fn begin_stretch(&mut self, cause: CausedBy, now: SimTime, because: CausedBy) {
        self.stretch = self.fate.failing().map(|failing| Stretch {
            failing,
            first: now,
            since: now,
            count: 0,
            cause: if cause == CausedBy::NOTHING { because } else { cause },
            tell_at: now + FIRST_TOLD,
        });
    }
}

impl Flow {
    /// A record of failures of this flow.
    pub(super) fn failure(
        &self,
        stream: &Stream,
        backend: Option<&Backend>,
        failing: &Failing,
        listed_since: SimTime,
    ) -> Failure {
        let pod = backend.filter(|backend| !backend.uid.is_empty());
        let endpoint: Option<Str> = backend.map(|backend| match pod {
            Some(pod) => pod.pod.to_string().into(),
            None => backend.address.clone(),
        });
        let client = match &self.client {
            RequestClient::Nodes | RequestClient::Zone(_) => RequestClient::Node(stream.node.0.clone()),
            client => client.clone(),
        };
        Failure {
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
            cause: CausedBy::NOTHING,
        }
    }

    /// Counts what a lane has carried up to now; what is under way goes on by itself.
    fn count_lane(&self, stream: &mut Stream, at: usize, now: SimTime, out: &mut Outcomes) {
        let Some(lane) = stream.lanes.get_mut(at) else { return };
        let sent = stream.numbering.of_lane(at as u64, now);
        let uncounted = sent.saturating_sub(lane.counted);
        let mut failed = 0;
        match lane.fate {
            Fate::Fails(failing) => {
                failed = uncounted;
                out.counts.push((self.service.clone(), failing.outcome, uncounted));
            }
            Fate::Answered {
                after,
                is_late,
                errors,
                process,
            } => {
                if errors > 0 {
                    failed = part(uncounted, errors, &mut stream.errors_carried);
                    out.counts.push((self.service.clone(), RequestOutcome::Error, failed));
                }
                let good_ones = uncounted - failed;
                let inside = sent - stream.numbering.of_lane(at as u64, now - after).min(sent);
                let inside = inside.min(good_ones);
                out.counts
                    .push((self.service.clone(), good(is_late), good_ones - inside));
                if let (true, Some(backend)) = (inside > 0, &lane.backend) {
                    stream.in_flight.push(InFlight {
                        numbering: stream.numbering,
                        lane: at as u64,
                        answered: sent - inside,
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

    /// A stretch is over, or is told because it goes on.
    fn tell_stretch(&self, stream: &Stream, lane: &Lane, stretch: &Stretch, until: SimTime, out: &mut Outcomes) {
        if stretch.count == 0 {
            return;
        }
        let mut failure = self.failure(stream, lane.backend.as_ref(), &stretch.failing, lane.listed_since);
        failure.failed.since = stretch.since;
        failure.failed.until = until;
        failure.failed.count = stretch.count;
        failure.cause = stretch.cause;
        out.failed.push(failure);
    }

    /// Counts what all lanes of a stream have carried.
    fn count_stream(&self, stream: &mut Stream, now: SimTime, out: &mut Outcomes) {
        for at in 0..stream.lanes.len() {
            self.count_lane(stream, at, now, out);
        }
    }

    /// Ends a stream whose client sends no more; it waits for what it has under way.
    pub(super) fn end_stream(&self, mut stream: Stream, now: SimTime, out: &mut Outcomes) {
        self.count_stream(&mut stream, now, out);
        for one in &stream.in_flight {
            out.counts
                .push((self.service.clone(), good(one.is_late), one.sent - one.answered));
        }
        for lane in &stream.lanes {
            if let Some(stretch) = &lane.stretch {
                self.tell_stretch(&stream, lane, stretch, now, out);
            }
        }
    }

    /// Puts a stream on the lanes that are planned.
    pub(super) fn follow_plan(
        &self,
        stream: &mut Stream,
        planned: Vec<Planned>,
        now: SimTime,
        because: CausedBy,
        out: &mut Outcomes,
    ) {
        let is_same = stream.lanes.len() == planned.len()
            && stream
                .lanes
                .iter()
                .zip(&planned)
                .all(|(lane, planned)| lane.backend == planned.backend && planned.refused == 0);
        for planned in &planned {
            out.wake_at(planned.judged.until);
            if planned.refused > 0 {
                out.counts
                    .push((self.service.clone(), RequestOutcome::Refused, planned.refused));
            }
        }
        if is_same {
            for (at, planned) in planned.into_iter().enumerate() {
                self.judge_lane(stream, at, planned.judged, now, because, out);
            }
            return;
        }
        self.count_stream(stream, now, out);
        let mut old = std::mem::take(&mut stream.lanes);
        stream.numbering.deal(planned.len() as u64, now);
        for planned in planned {
            let mut lane = Lane::begin(planned, now, because);
            // The rules went on listing it, and what fails goes on failing.
            if let Some(before) = old.iter_mut().find(|before| before.backend == lane.backend) {
                lane.listed_since = before.listed_since;
                let goes_on = |one: &Stretch, other: &Stretch| one.failing.is_like(&other.failing);
                if let (Some(before), Some(new)) = (&before.stretch, &lane.stretch)
                    && goes_on(before, new)
                {
                    lane.stretch = Some(before.clone());
                } else if let Some(stretch) = before.stretch.take() {
                    self.tell_stretch(stream, before, &stretch, now, out);
                }
                before.stretch = None;
            }
            stream.lanes.push(lane);
        }
        for lane in &old {
            if let Some(stretch) = &lane.stretch {
                self.tell_stretch(stream, lane, stretch, now, out);
            }
        }
        self.wake_for_stretches(stream, out);
    }

    fn judge_lane(
        &self,
        stream: &mut Stream,
        at: usize,
        judged: Judged,
        now: SimTime,
        because: CausedBy,
        out: &mut Outcomes,
    ) {
        let Some(lane) = stream.lanes.get(at) else { return };
        if lane.fate.is_like(&judged.fate) {
            return;
        }
        self.count_lane(stream, at, now, out);
        let Some(lane) = stream.lanes.get_mut(at) else { return };
        lane.fate = judged.fate;
        out.led = out.led.latest(judged.cause);
        let is_like = match (&lane.stretch, lane.fate.failing()) {
            (Some(stretch), Some(failing)) => stretch.failing.is_like(&failing),
            _ => false,
        };
        if !is_like {
            let ended = lane.stretch.take();
            lane.begin_stretch(judged.cause, now, because);
            if let (Some(stretch), Some(lane)) = (ended, stream.lanes.get(at)) {
                self.tell_stretch(stream, lane, &stretch, now, out);
            }
        }
        self.wake_for_stretches(stream, out);
    }

    fn wake_for_stretches(&self, stream: &Stream, out: &mut Outcomes) {
        let stretches = stream.lanes.iter().filter_map(|lane| lane.stretch.as_ref());
        out.wake_at(stretches.map(|stretch| stretch.tell_at).min());
    }

    /// Tells of stretches that go on for long, each time for as long as they have gone on.
    pub(super) fn tell_long_stretches(&self, stream: &mut Stream, now: SimTime, out: &mut Outcomes) {
        for at in 0..stream.lanes.len() {
            let is_due = |lane: &Lane| lane.stretch.as_ref().is_some_and(|stretch| stretch.tell_at <= now);
            if !stream.lanes.get(at).is_some_and(is_due) {
                continue;
            }
            self.count_lane(stream, at, now, out);
            if let Some(lane) = stream.lanes.get(at)
                && let Some(stretch) = &lane.stretch
            {
                self.tell_stretch(stream, lane, stretch, now, out);
            }
            if let Some(stretch) = stream.lanes.get_mut(at).and_then(|lane| lane.stretch.as_mut()) {
                stretch.since = now;
                stretch.count = 0;
                stretch.tell_at = now + (now - stretch.first);
            }
        }
        self.wake_for_stretches(stream, out);
    }

    /// Counts what has been answered of what is under way, and what never will be.
    pub(super) fn settle_in_flight(
        &self,
        stream: &mut Stream,
        ground: &Ground<'_>,
        because: CausedBy,
        out: &mut Outcomes,
    ) {
        let now = ground.now;
        // A client that repeats what failed gets its answer elsewhere, if there is one.
        let is_rescued = self.retries > 0
            && stream
                .lanes
                .iter()
                .any(|lane| matches!(lane.fate, Fate::Answered { .. }));
        let mut lost: Vec<(Failure, u64)> = Vec::new();
        for one in std::mem::take(&mut stream.in_flight) {
            let answered = one
                .numbering
                .of_lane(one.lane, now - one.after)
                .clamp(one.answered, one.sent);
            let done = answered - one.answered;
            out.counts.push((self.service.clone(), good(one.is_late), done));
            let rest = one.sent - answered;
            if rest == 0 {
                continue;
            }
            match ground.lost(&stream.node, &one.backend, one.process) {
                Some(_) if is_rescued => out.counts.push((self.service.clone(), good(one.is_late), rest)),
                Some((failing, cause)) => {
                    out.counts.push((self.service.clone(), failing.outcome, rest));
                    let mut failure = self.failure(stream, Some(&one.backend), &failing, one.listed_since);
                    failure.failed.since = now - one.after;
                    failure.failed.until = one.last_sent;
                    failure.cause = if cause == CausedBy::NOTHING { because } else { cause };
                    lost.push((failure, rest));
                }
                None => stream.in_flight.push(InFlight { answered, ..one }),
            }
        }
        let mut alike: Vec<Failure> = Vec::new();
        for (failure, rest) in lost {
            let is_like = |other: &&mut Failure| {
                other.failed.endpoint == failure.failed.endpoint && other.failed.truth == failure.failed.truth
            };
            match alike.iter_mut().find(is_like) {
                Some(known) => {
                    known.failed.count += rest;
                    known.failed.since = known.failed.since.min(failure.failed.since);
                    known.failed.until = known.failed.until.max(failure.failed.until);
                }
                None => {
                    let mut failure = failure;
                    failure.failed.count = rest;
                    alike.push(failure);
                }
            }
        }
        out.failed.extend(alike);
    }

    /// A refused attempt to open a connection, before one was opened elsewhere.
    pub(super) fn tell_refused(&self, stream: &Stream, backend: &Backend, judged: &Judged, now: SimTime) -> Failure {
        let failing = judged
            .fate
            .failing()
            .unwrap_or(Failing::new(RequestOutcome::Refused, RequestTruth::NotRunning));
        let mut failure = self.failure(stream, Some(backend), &failing, now);
        failure.failed.believed_since = None;
        (failure.failed.since, failure.failed.until) = (now, now);
        failure.failed.count = 1;
        failure.cause = judged.cause;
        failure
    }

    /// Its clients' places in the numbering, dealt out anew from now on.
    pub(super) fn deal_clients(&mut self, nodes: &[NodeName], now: SimTime, out: &mut Outcomes) {
        let old = std::mem::take(&mut self.streams);
        let mut old: ordered::Map<NodeName, Stream> =
            old.into_iter().map(|stream| (stream.node.clone(), stream)).collect();
        let before_clients = self.pace.sent(now);
        let mut streams = Vec::with_capacity(nodes.len());
        for (client, node) in nodes.iter().enumerate() {
            let numbering = Numbering {
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
                    stream.numbering.deal(lanes, now);
                    stream.numbering = Numbering {
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

    /// Whether the record is one of a pod's own calls.
    pub(super) fn is_of_pod(&self, uid: &Uid) -> bool {
        matches!(&self.origin, Origin::Pod(of, _) if of == uid)
    }

    /// The clients' names in order.
    pub(super) fn nodes(&self) -> impl Iterator<Item = &NodeName> {
        self.streams.iter().map(|stream| &stream.node)
    }

    /// What its generator is split by.
    pub(super) fn rng_name(service: &ObjectKey, client: &RequestClient) -> Arc<str> {
        format!("traffic/{service}/{client}").into()
    }
}
