//! kube-proxy of a node: decides to which endpoints a new connection to a Service is sent (TR-009 to TR-034).
//!
//! kube-proxy observes Services and EndpointSlices through its own watch and writes its rules from them. It writes at
//! once if the last sync is at least one second ago, otherwise when that second is over (TR-025). The rules are
//! therefore as old as the last observed state; on a node that is cut off they do not change.
//!
//! ```text
//!          observe              observe within a second of the last sync
//!   Synced ───────► Synced    Synced ─────────────────────────────────► Due ──sync──► Synced
//! ```
//!
//! The rules are the API objects as of the last sync; the choice for one Service is computed on demand. Deviation: a
//! sync takes no time, and an unchanged state is never written again (TR-026). Slices do not store topology hints: a
//! hint would repeat the zone and the node of each ready endpoint, which the slice already lists (TR-029).

mod choose;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use podscope_api::{Node, NodeName, ObjectKey, Service, Str, Uid};
use podscope_sim::{Objects, SimTime, Span};

pub use choose::{is_usable, resolve_headless_service, service_by_dns_name};

/// Minimum time between two syncs (TR-024).
pub const MIN_SYNC_PERIOD: Span = Span::seconds(1);

/// Origin of a packet to a Service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PacketOrigin {
    /// The packet comes from the node or its pods, and is sent to the cluster IP.
    Inside,
    /// The packet comes from outside the cluster, and is sent to a node port.
    Outside,
}

/// Decision of kube-proxy's rules about a new connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Route {
    /// The rules do not know the Service: nothing answers (TR-018).
    Unknown,
    /// The connection is refused because there is no endpoint (TR-017).
    Reject,
    /// The packet is dropped: endpoints exist, but the traffic policy is `Local` and none is on this node (TR-015).
    Drop,
    /// The connection goes to one of these endpoints, each with the same probability (TR-019).
    Any(Vec<Backend>),
}

/// An endpoint in kube-proxy's rules.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Backend {
    pub address: Str,
    /// Port of the pod; None for a headless Service without ports.
    pub port: Option<i32>,
    /// UID of the endpoint's pod; empty, like `pod`, if the endpoint is not a pod.
    pub uid: Uid,
    pub pod: ObjectKey,
    /// Node on which the endpoint runs.
    pub node: NodeName,
}

/// Result of observing a change: when kube-proxy's rules will contain the change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SyncSchedule {
    /// The rules already contain the change.
    Done,
    /// The caller must call [`Proxy::sync`] at this instant.
    At(SimTime),
    /// A sync is already scheduled; it will include the change.
    Scheduled,
}

/// State of one kube-proxy.
#[derive(Debug, Clone)]
pub struct Proxy {
    node: NodeName,
    observed: Option<Arc<Objects>>,
    rules: Option<Arc<Objects>>,
    synced_at: Option<SimTime>,
    due: Option<SimTime>,
    /// When kube-proxy observed the first change that the rules do not contain yet.
    behind_since: Option<SimTime>,
}

impl Proxy {
    /// Creates a kube-proxy that has observed nothing yet and has no rules (TR-027).
    pub fn new(node: NodeName) -> Self {
        Self {
            node,
            observed: None,
            rules: None,
            synced_at: None,
            due: None,
            behind_since: None,
        }
    }

    /// Creates a kube-proxy that has been running for long: its rules match `objects`.
    pub fn running(node: NodeName, objects: Arc<Objects>) -> Self {
        Self {
            observed: Some(objects.clone()),
            rules: Some(objects),
            ..Self::new(node)
        }
    }

    /// Observes a new state of the API objects, from a list or a watch event.
    pub fn observe(&mut self, objects: Arc<Objects>, now: SimTime) -> SyncSchedule {
        self.observed = Some(objects);
        self.behind_since.get_or_insert(now);
        if self.due.is_some() {
            return SyncSchedule::Scheduled;
        }
        let at = self.synced_at.map_or(now, |last| (last + MIN_SYNC_PERIOD).max(now));
        if at > now {
            self.due = Some(at);
            return SyncSchedule::At(at);
        }
        self.write_rules(now);
        SyncSchedule::Done
    }

    /// Writes the rules if a sync is due; returns whether it did.
    pub fn sync(&mut self, now: SimTime) -> bool {
        let is_due = self.due.is_some_and(|due| due <= now);
        if is_due {
            self.write_rules(now);
        }
        is_due
    }

    /// Writes the rules from the observed state.
    fn write_rules(&mut self, now: SimTime) {
        self.rules.clone_from(&self.observed);
        self.synced_at = Some(now);
        self.due = None;
        self.behind_since = None;
    }

    /// Returns whether kube-proxy has written its first rules.
    pub fn has_rules(&self) -> bool {
        self.rules.is_some()
    }

    /// Returns the decision of the rules about a new connection to a Service.
    pub fn route(&self, service: &ObjectKey, origin: PacketOrigin) -> Route {
        match &self.rules {
            Some(rules) => choose::route(rules, service, &self.node, origin),
            None => Route::Unknown,
        }
    }

    /// Returns the Service as of the last sync.
    pub fn service(&self, service: &ObjectKey) -> Option<&Arc<Service>> {
        self.rules.as_ref()?.get(service)
    }

    /// Returns whether the health check of a Service with `externalTrafficPolicy: Local` succeeds on this node: it has
    /// a ready endpoint. A terminating one that still serves does not count (TR-079).
    pub fn has_ready_local_endpoint(&self, service: &ObjectKey) -> bool {
        (self.rules.as_ref()).is_some_and(|rules| choose::has_ready_local_endpoint(rules, service, &self.node))
    }

    /// Returns the time since which this kube-proxy has known that an endpoint must not be used any more, although its
    /// rules still use it. None if the rules are right or kube-proxy has not observed the change.
    pub fn stale_since(&self, service: &ObjectKey, backend: &Backend) -> Option<SimTime> {
        let since = self.behind_since?;
        let observed = self.observed.as_ref()?;
        (!is_usable(observed, service, &backend.address)).then_some(since)
    }
}

/// Returns the zone of a node, from the label of its Node object.
fn node_zone(objects: &Objects, node: &NodeName) -> Option<Str> {
    let node = objects.named::<Node>(node.as_str())?;
    node.metadata.labels.get("topology.kubernetes.io/zone").cloned()
}
