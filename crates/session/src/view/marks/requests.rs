//! Requests on the timeline: a bar for as long as a rate and its outcomes last, and one for each stretch of failures.

use podscope_cluster::{FailedRequests, Record, RequestRate};
use podscope_protocol::{Lane, MarkKind, MarkLabel};

use super::{Bar, Marks};

impl Marks {
    /// What is sent changes: the bar of what was sent before ends.
    pub(super) fn rate(&mut self, record: &Record, rate: &RequestRate) -> Vec<u64> {
        let open = Bar::Requests {
            service: rate.service.to_string(),
            client: rate.client.to_string(),
        };
        let mut changed: Vec<u64> = self.close(&open, record.at).into_iter().collect();
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
        let id = self.point(record, Lane::Requests, kind, label);
        if let Some(mark) = self.marks.get_mut(&id) {
            mark.to = None;
        }
        self.open.insert(open, id);
        changed.push(id);
        changed
    }

    /// A stretch of failures is over.
    pub(super) fn failed(&mut self, record: &Record, failed: &FailedRequests) -> u64 {
        let label = MarkLabel::RequestsFailed(Box::new(crate::view::requests::told(failed)));
        let id = self.point(record, Lane::Requests, MarkKind::RequestsFailed, label);
        if let Some(mark) = self.marks.get_mut(&id) {
            mark.from = failed.since.0;
        }
        id
    }
}
