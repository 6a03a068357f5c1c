//! Client requests on the page's timeline: a bar as long as rate and outcome are constant, and a mark for each stretch
//! of failures.

use podscope_cluster::{FailedRequests, Record, RequestRate};
use podscope_protocol::{Lane, MarkKind, MarkLabel, SubjectRef};

use super::{Marks, OpenBarKey};

impl Marks {
    /// Ends the bar of the previous request rate and starts a bar for the new one.
    pub(super) fn add_request_rate(&mut self, record: &Record, rate: &RequestRate) -> Vec<u64> {
        let open = OpenBarKey::Requests {
            service: rate.service.to_string(),
            client: rate.client.to_string(),
        };
        let mut changed: Vec<u64> = self.end_bar(&open, record.at).into_iter().collect();
        if rate.per_second == 0 {
            return changed;
        }
        let failed = rate.outcomes.iter().filter(|(outcome, _)| outcome.is_failed());
        let failing = failed.map(|(_, amount)| amount).sum();
        let kind = match failing {
            0 => MarkKind::Requests,
            _ => MarkKind::RequestsFailing,
        };
        let label = MarkLabel::Requests {
            service: rate.service.name.to_string(),
            per_second: rate.per_second,
            failing,
        };
        let id = self.add_point_mark(record, Lane::Requests, kind, label);
        if let Some(mark) = self.marks.get_mut(&id) {
            mark.to = None;
        }
        self.open.insert(open, id);
        changed.push(id);
        changed
    }

    /// Adds the mark of a stretch of failed requests that has ended.
    pub(super) fn add_failed_requests(&mut self, record: &Record, failed: &FailedRequests) -> u64 {
        let label = MarkLabel::RequestsFailed(Box::new(crate::view::requests::failed_stretch(failed)));
        let id = self.add_point_mark(record, Lane::Requests, MarkKind::RequestsFailed, label);
        if let Some(mark) = self.marks.get_mut(&id) {
            mark.from = failed.since.0;
            mark.subject = Some(SubjectRef::FailedRequests {
                service: failed.service.to_string(),
                endpoint: failed.endpoint.as_ref().map(ToString::to_string),
                record: Some(record.seq),
            });
        }
        id
    }
}
