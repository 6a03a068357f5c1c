//! The state of a flow at an instant: requests that are not in the totals yet, its rate, its lanes. This module only
//! reads state.

use podscope_api::ordered;
use podscope_sim::{FailedRequests, RequestOutcome, RequestRate, SimTime};

use super::count::per_million_share;
use super::fate::RequestFate;
use super::flow::{Flow, Stream, success_outcome};
use super::{FlowState, LaneState};

impl Flow {
    /// Returns the requests that are not in the totals yet, by outcome.
    pub(super) fn uncounted(&self, now: SimTime) -> Vec<(RequestOutcome, u64)> {
        let mut found = Vec::new();
        for stream in &self.streams {
            let mut carried = stream.errors_carried;
            for (at, lane) in stream.lanes.iter().enumerate() {
                let sent = stream.numbering.sent_on_lane(at as u64, now);
                let uncounted = sent.saturating_sub(lane.counted);
                match lane.fate {
                    RequestFate::Fails(failing) => found.push((failing.outcome, uncounted)),
                    RequestFate::Answered {
                        after, is_late, errors, ..
                    } => {
                        let failed = per_million_share(uncounted, errors, &mut carried);
                        let n_in_flight = sent - stream.numbering.sent_on_lane(at as u64, now - after).min(sent);
                        let n_successful = uncounted - failed;
                        found.push((RequestOutcome::Error, failed));
                        found.push((success_outcome(is_late), n_successful - n_in_flight.min(n_successful)));
                    }
                }
            }
            for one in &stream.in_flight {
                let answered = one
                    .numbering
                    .sent_on_lane(one.lane, now - one.after)
                    .clamp(one.answered, one.sent);
                found.push((success_outcome(one.is_late), answered - one.answered));
            }
        }
        found
    }

    /// Returns the rate of requests on each lane of a stream, in millionths of a request per second.
    pub(super) fn lane_rate(&self, stream: &Stream) -> i128 {
        let numbering = &stream.numbering;
        self.pace.per_second() / i128::from(numbering.clients) / i128::from(numbering.lanes)
    }

    /// Returns the rate of the flow's requests and of their outcomes.
    pub(super) fn rate(&self) -> RequestRate {
        let mut outcomes: ordered::Map<RequestOutcome, i128> = ordered::Map::new();
        for stream in &self.streams {
            let each = self.lane_rate(stream);
            for lane in &stream.lanes {
                let (outcome, errors) = match lane.fate {
                    RequestFate::Fails(failing) => (failing.outcome, 0),
                    RequestFate::Answered { is_late, errors, .. } => (success_outcome(is_late), errors),
                };
                let failed = each * i128::from(errors) / 1_000_000;
                *outcomes.entry(outcome).or_default() += each - failed;
                if failed > 0 {
                    *outcomes.entry(RequestOutcome::Error).or_default() += failed;
                }
            }
        }
        let thousandths = |millionths: i128| i64::try_from((millionths + 500) / 1000).unwrap_or(i64::MAX);
        let per_second = if self.streams.is_empty() {
            0
        } else {
            thousandths(self.pace.per_second())
        };
        let outcomes = outcomes.into_iter();
        RequestRate {
            service: self.service.clone(),
            client: self.client.clone(),
            per_second,
            outcomes: outcomes
                .map(|(outcome, amount)| (outcome, thousandths(amount)))
                .filter(|(_, amount)| *amount > 0)
                .collect(),
        }
    }

    /// Returns the present state of the flow.
    pub(super) fn state_at(&self, now: SimTime) -> FlowState {
        let mut lanes = Vec::new();
        let mut failing = Vec::new();
        for stream in &self.streams {
            let per_second = i64::try_from(self.lane_rate(stream) / 1000).unwrap_or(i64::MAX);
            for (at, lane) in stream.lanes.iter().enumerate() {
                let outcome = match lane.fate {
                    RequestFate::Fails(failing) => failing.outcome,
                    RequestFate::Answered { is_late, .. } => success_outcome(is_late),
                };
                lanes.push(LaneState {
                    from: stream.node.clone(),
                    to: lane.backend.as_ref().map(|one| (one.pod.clone(), one.node.clone())),
                    per_second,
                    outcome,
                });
                let Some(stretch) = &lane.stretch else { continue };
                let uncounted = (stream.numbering.sent_on_lane(at as u64, now)).saturating_sub(lane.counted);
                let more = match lane.fate {
                    RequestFate::Fails(_) => uncounted,
                    RequestFate::Answered { errors, .. } => {
                        per_million_share(uncounted, errors, &mut { stream.errors_carried })
                    }
                };
                let failure = self.failure_record(stream, lane.backend.as_ref(), &stretch.failing, lane.listed_since);
                let failed = FailedRequests {
                    since: stretch.since,
                    until: now,
                    count: stretch.count + more,
                    ..failure.failed
                };
                failing.push((failed, stretch.cause));
            }
        }
        failing.retain(|(failed, _)| failed.count > 0);
        FlowState {
            rate: self.rate(),
            lanes,
            failing,
        }
    }
}
