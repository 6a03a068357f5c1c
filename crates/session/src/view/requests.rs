//! Failed requests, as the page shows them.

use podscope_cluster::FailedRequests;
use podscope_protocol::FailedStretch;

/// Converts a stretch of failures for the page.
pub(crate) fn failed_stretch(failed: &FailedRequests) -> FailedStretch {
    FailedStretch {
        service: failed.service.name.to_string(),
        endpoint: failed.endpoint.as_ref().map(ToString::to_string),
        client: failed.client.to_string(),
        node: failed.node.to_string(),
        outcome: failed.outcome.as_str().to_owned(),
        truth: failed.truth.as_str().to_owned(),
        since: failed.since.0,
        until: failed.until.0,
        count: failed.count,
        truth_since: failed.truth_since.map(|at| at.0),
    }
}
