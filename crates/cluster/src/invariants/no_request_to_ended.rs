//! `no-request-to-ended` (TR-025): while no link is cut, no new connection is made to an ended endpoint later than five
//! seconds after the client's node observed its end. kube-proxy writes its rules at most one second after it observed a
//! change. Kept connections do not count (TR-035).

use podscope_api::{Kind, NodeName, ObjectKey, ordered};
use podscope_messages::invariant;
use podscope_messages::sentence;
use podscope_sim::subject;

use super::{Check, DetectedViolation, Invariant, InvariantGroup, InvariantKind, Observation, View, blame};
use crate::{SimTime, Span, What};

pub(super) const NO_REQUEST_TO_ENDED: Invariant = Invariant {
    name: "no-request-to-ended",
    fact: "TR-025",
    group: InvariantGroup::Requests,
    kind: InvariantKind::Safety,
    statement: invariant::no_request_to_ended,
    keeper: invariant::no_request_to_ended_keeper,
    breaker: invariant::no_request_to_ended_breaker,
    lesson: "shutdown-without-errors",
};

/// Maximum time from when a kube-proxy observes that an endpoint has ended to the last new connection to this endpoint.
const MAX_NEW_CONNECTION_DELAY: Span = Span::seconds(5);

/// State of the check of `no-request-to-ended`: the violations that are already reported.
#[derive(Debug, Clone, Default)]
pub(super) struct NoRequestToEnded {
    reported: ordered::Set<(NodeName, ObjectKey, SimTime)>,
}

impl Check for NoRequestToEnded {
    fn check(&mut self, seen: &Observation<'_>, view: &View<'_>, out: &mut Vec<DetectedViolation>) {
        let must_check = match seen {
            Observation::Tick { .. } => true,
            Observation::Record(record) => matches!(record.what(), What::RequestsFailed | What::RequestRate),
            Observation::Request { .. } | Observation::Change { .. } => false,
        };
        if !must_check || view.traffic.is_idle() || !view.network.has_no_faults() {
            return;
        }
        for (service, node, pod, since) in view.traffic.stale_lanes() {
            let is_late = view.now - since > MAX_NEW_CONNECTION_DELAY;
            if !is_late || !self.reported.insert((node.clone(), pod.clone(), since)) {
                continue;
            }
            let (cause, by) = blame::of_proxy(node, "TR-025", view);
            out.push(DetectedViolation {
                corrupts: None,
                invariant: NO_REQUEST_TO_ENDED.name,
                object: Some(subject(Kind::Pod, pod.clone(), podscope_api::Uid::default())),
                cause,
                by,
                seen: sentence!(
                    seen::sends_to_ended,
                    node = &**node,
                    service = service.to_string(),
                    pod = pod.to_string(),
                    since = podscope_api::clock::instant(since.0)
                ),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use podscope_api::{Rate, ordered};
    use podscope_sim::RequestClient;
    use serde_json::json;

    use super::super::lab::{self, Trace};
    use crate::fault::Fault;
    use crate::invariants::Observation;
    use crate::traffic::{StartTraffic, TrafficCommand};
    use crate::{Objects, SimTime};

    /// A kube-proxy that observed the end of an endpoint and does not sync its rules is reported; one that syncs within
    /// a second is not.
    /// Shows: TR-025
    #[test]
    fn request_to_ended_endpoint_is_reported_once() {
        let mut trace = Trace::default();
        let web = json!({
            "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web", "namespace": "default", "labels": {"app": "web"}},
            "spec": {"nodeName": "b-1", "containers": [{"name": "main", "image": "web"}]},
        });
        let service = json!({
            "apiVersion": "v1", "kind": "Service", "metadata": {"name": "web", "namespace": "default"},
            "spec": {"selector": {"app": "web"}, "ports": [{"port": 80}]},
        });
        let mut world = lab::world(&[web, service], &mut trace);
        world.run_until(SimTime::from_seconds(10), &mut trace);
        let start = StartTraffic {
            service: podscope_api::ObjectKey::new("default", "web"),
            rate: Rate {
                requests: 10,
                micros: 1_000_000,
            },
            client: RequestClient::Node("a-1".into()),
            timeout: None,
            keep_alive: false,
            retries: 0,
        };
        let start = Fault::Traffic(TrafficCommand::Start(start));
        world.apply_fault(&start, &mut trace).expect("the service exists");
        world.run_until(SimTime::from_seconds(40), &mut trace);
        let none: ordered::Set<podscope_api::Uid> = ordered::Set::new();
        let tick = Observation::Tick {
            is_fault_free: true,
            fitting: &none,
        };
        world.check(&tick, &mut trace);
        assert_eq!(trace.violations(), [""; 0]);
        // Unlike any real kube-proxy, this one observes that no endpoint is left, but does not write its rules.
        world.suppress_proxy_sync(&"a-1".into(), Arc::new(Objects::default()));
        world.run_until(SimTime::from_seconds(44), &mut trace);
        world.check(&tick, &mut trace);
        assert_eq!(trace.violations(), [""; 0], "less than five seconds have passed");
        world.run_until(SimTime::from_seconds(46), &mut trace);
        world.check(&tick, &mut trace);
        world.check(&tick, &mut trace);
        assert_eq!(trace.violations(), ["no-request-to-ended bug kube-proxy/a-1"]);
    }
}
