//! Simulated clients' requests in the form in which the page shows them: stretches of failures, and the current request
//! rate of each Service.

use podscope_api::{CausedBy, NodeName, ObjectKey, ordered};
use podscope_cluster::fault::Fault;
use podscope_cluster::{FailedRequests, FlowState, SimTime, TrafficCommand};
use podscope_kubectl::command::Command;
use podscope_protocol::{
    FailedStretch, MAX_REQUEST_ROUTES, Mark, MarkLabel, RequestRoute, ServiceRequests, SubjectRef,
};

use crate::timeline::Session;

/// Converts a stretch of failed requests for the page.
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
        believed_since: failed.believed_since.map(|at| at.0),
    }
}

/// Returns the key that orders the ongoing stretches of failures. The page shows the one with the greatest key: the one
/// that began last or, among those, the one with the most requests.
fn recency_key(failed: &FailedRequests) -> (SimTime, u64) {
    (failed.since, failed.count)
}

/// Where the causes of a stretch of failures are found: in the record about the stretch or, if the stretch has not
/// ended, in the simulation.
pub(crate) enum StretchOrigin {
    Recorded(u64),
    Ongoing(CausedBy),
}

/// The failed requests that the user has selected on the page.
pub(crate) struct SelectedFailures<'a> {
    /// The Service to which the requests were sent, as `NAMESPACE/NAME`.
    pub(crate) service: &'a str,
    pub(crate) endpoint: Option<&'a str>,
    pub(crate) record: Option<u64>,
}

impl SelectedFailures<'_> {
    /// Returns the stretch of failures that the user has selected: the stretch of the selected record if the cursor has
    /// reached its end; otherwise an ongoing stretch; otherwise the newest one.
    pub(crate) fn find(&self, session: &Session, marks: &[Mark]) -> Option<(FailedStretch, StretchOrigin)> {
        let now = session.now().0;
        let recorded = marks.iter().filter(|mark| mark.to.is_some_and(|to| to <= now));
        let recorded = recorded.filter_map(|mark| match (&mark.label, &mark.subject) {
            (MarkLabel::RequestsFailed(failed), Some(SubjectRef::FailedRequests { service, endpoint, .. }))
                if self.is_about(service, endpoint.as_deref()) =>
            {
                Some((mark, &**failed))
            }
            _ => None,
        });
        let recorded: Vec<_> = recorded.collect();
        let as_found = |(mark, failed): &(&Mark, &FailedStretch)| ((*failed).clone(), StretchOrigin::Recorded(mark.id));
        if let Some(selected) = recorded.iter().find(|(mark, _)| self.record == Some(mark.id)) {
            return Some(as_found(selected));
        }
        let ongoing = session.world().flow_states().into_iter().flat_map(|flow| flow.failing);
        let ongoing = ongoing
            .filter(|(failed, _)| self.is_about(&failed.service.to_string(), failed.endpoint.as_deref()))
            .max_by_key(|(failed, _)| recency_key(failed));
        if let Some((failed, cause)) = ongoing {
            return Some((failed_stretch(&failed), StretchOrigin::Ongoing(cause)));
        }
        recorded.iter().max_by_key(|(mark, _)| (mark.to, mark.id)).map(as_found)
    }

    fn is_about(&self, service: &str, endpoint: Option<&str>) -> bool {
        service == self.service && (self.endpoint.is_none() || self.endpoint == endpoint)
    }
}

/// Returns the current request rate of each Service, and the number of its requests that have failed since the start.
/// If the timeline sends requests to a Service only later, the Service is nevertheless listed from the beginning, so
/// that the page's layout does not change.
pub(crate) fn service_requests(session: &Session) -> Vec<ServiceRequests> {
    let world = session.world();
    let mut sums: ordered::Map<ObjectKey, ServiceTotals> = planned_services(session)
        .map(|service| (service, ServiceTotals::default()))
        .collect();
    for ((service, outcome), count) in world.requests() {
        let sum = sums.entry(service).or_default();
        if outcome.is_failed() {
            sum.failed += count;
        }
    }
    for flow in world.flow_states() {
        if flow.rate.per_second > 0 {
            sums.entry(flow.rate.service.clone()).or_default().add(&flow);
        }
    }
    sums.into_iter().map(|(service, sum)| sum.into_view(&service)).collect()
}

/// Returns the Services to which the scenario's timeline starts sending requests.
fn planned_services(session: &Session) -> impl Iterator<Item = ObjectKey> {
    let timeline = session.loaded().scenario.timeline.iter();
    timeline.filter_map(|timed| match &timed.command {
        Command::Fault {
            fault: Fault::Traffic(TrafficCommand::Start(start)),
            ..
        } => Some(start.service.clone()),
        _ => None,
    })
}

/// Totals of the requests of all clients to one Service.
#[derive(Default)]
struct ServiceTotals {
    clients: ordered::Set<String>,
    per_second: i64,
    failing_per_second: i64,
    failed: u64,
    /// Rate in thousandths of a request per second, by endpoint (pod and node) and by whether its requests fail.
    routes: ordered::Map<(Option<(ObjectKey, NodeName)>, bool), i64>,
    failing: Option<FailedRequests>,
}

impl ServiceTotals {
    fn add(&mut self, flow: &FlowState) {
        self.clients.insert(flow.rate.client.to_string());
        self.per_second += flow.rate.per_second;
        let failing = flow.rate.outcomes.iter().filter(|(outcome, _)| outcome.is_failed());
        self.failing_per_second += failing.map(|(_, rate)| rate).sum::<i64>();
        for lane in &flow.lanes {
            let route = (lane.to.clone(), lane.outcome.is_failed());
            *self.routes.entry(route).or_default() += lane.per_second;
        }
        for (stretch, _) in &flow.failing {
            if self
                .failing
                .as_ref()
                .is_none_or(|known| recency_key(known) < recency_key(stretch))
            {
                self.failing = Some(stretch.clone());
            }
        }
    }

    fn into_view(self, service: &ObjectKey) -> ServiceRequests {
        let routes = self.routes.into_iter().take(MAX_REQUEST_ROUTES + 1);
        let routes = routes.map(|((endpoint, fails), per_second)| RequestRoute {
            endpoint: endpoint.map(|(pod, node)| (pod.to_string(), node.to_string())),
            per_second,
            fails,
        });
        let mut routes: Vec<RequestRoute> = routes.collect();
        if routes.len() > MAX_REQUEST_ROUTES {
            routes.clear();
        }
        ServiceRequests {
            service: service.to_string(),
            clients: self.clients.into_iter().collect(),
            per_second: self.per_second,
            failing_per_second: self.failing_per_second,
            failed: self.failed,
            routes,
            failing: self.failing.as_ref().map(failed_stretch),
        }
    }
}
