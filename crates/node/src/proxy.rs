//! kube-proxy of a node: which endpoints its rules choose for a Service (TR-009 to TR-034).
//!
//! It hears of Services and EndpointSlices by a watch of its own, and writes its rules from what it has heard: at once
//! where the last write is a second ago, else when that second is over (TR-025). Its rules are therefore as old as what
//! it heard, and on a node that is cut off they stay as they were.
//!
//! ```text
//!            hear                 hear within a second of the last sync
//!   Synced ───────► Synced    Synced ─────────────────────────────────► Due ──sync──► Synced
//! ```
//!
//! The rules are the state of the API at the last sync; what they say of one Service is worked out when it is asked
//! for. Deviation: a sync takes no time, and an unchanged state is never written again (TR-026). Hints of topology are
//! not kept in slices: they say the zone and the node of each ready endpoint, which the slice has beside them (TR-029).

mod choose;

use std::sync::Arc;

use podscope_api::{Node, NodeName, ObjectKey, Service, Str, Uid};
use podscope_sim::{Objects, SimTime, Span};

pub use choose::{resolve, usable};

/// The shortest time between two syncs (TR-024).
pub const MIN_SYNC_PERIOD: Span = Span::seconds(1);

/// Which way a packet comes to a Service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entry {
    /// From the node or its pods, by the cluster address.
    Inside,
    /// From outside, by a port of the node.
    Outside,
}

/// Where the rules send a new connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Route {
    /// They do not know the Service: nothing answers (TR-018).
    Unknown,
    /// It is refused: there is no endpoint (TR-017).
    Reject,
    /// It is dropped: there are endpoints, but a policy `Local` and none on this node (TR-015).
    Drop,
    /// One of these, each with the same probability (TR-019).
    Any(Vec<Backend>),
}

/// An endpoint as a rule names it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Backend {
    pub address: Str,
    /// The port of the pod; none of a headless Service without ports.
    pub port: Option<i32>,
    /// Its pod's UID and name; empty for an endpoint that is no pod.
    pub uid: Uid,
    pub pod: ObjectKey,
    /// Where it runs.
    pub node: NodeName,
}

/// What there is to do after a change was heard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sync {
    /// The rules are written.
    Done,
    /// They are written at that instant.
    At(SimTime),
    /// They will be, as was asked for before.
    Asked,
}

/// A kube-proxy with what it knows.
#[derive(Debug, Clone)]
pub struct Proxy {
    node: NodeName,
    heard: Option<Arc<Objects>>,
    rules: Option<Arc<Objects>>,
    synced_at: Option<SimTime>,
    due: Option<SimTime>,
    /// When the first change that the rules do not have was heard.
    behind_since: Option<SimTime>,
}

impl Proxy {
    /// One that has heard of nothing yet, and has no rules (TR-027).
    pub fn new(node: NodeName) -> Self {
        Self {
            node,
            heard: None,
            rules: None,
            synced_at: None,
            due: None,
            behind_since: None,
        }
    }

    /// One that has run for long, with the rules of that state.
    pub fn running(node: NodeName, objects: Arc<Objects>) -> Self {
        Self {
            heard: Some(objects.clone()),
            rules: Some(objects),
            ..Self::new(node)
        }
    }

    /// It hears of the state of the API, by a list or by a change.
    pub fn hear(&mut self, objects: Arc<Objects>, now: SimTime) -> Sync {
        self.heard = Some(objects);
        self.behind_since.get_or_insert(now);
        if self.due.is_some() {
            return Sync::Asked;
        }
        let at = self.synced_at.map_or(now, |last| (last + MIN_SYNC_PERIOD).max(now));
        if at > now {
            self.due = Some(at);
            return Sync::At(at);
        }
        self.write(now);
        Sync::Done
    }

    /// The instant that it asked for has come; whether the rules were written.
    pub fn sync(&mut self, now: SimTime) -> bool {
        let is_due = self.due.is_some_and(|due| due <= now);
        if is_due {
            self.write(now);
        }
        is_due
    }

    fn write(&mut self, now: SimTime) {
        self.rules.clone_from(&self.heard);
        self.synced_at = Some(now);
        self.due = None;
        self.behind_since = None;
    }

    /// Whether it has written its first rules.
    pub fn has_rules(&self) -> bool {
        self.rules.is_some()
    }

    /// What its rules do with a new connection to a Service.
    pub fn route(&self, service: &ObjectKey, entry: Entry) -> Route {
        match &self.rules {
            Some(rules) => choose::route(rules, service, &self.node, entry),
            None => Route::Unknown,
        }
    }

    /// The Service as its rules have it.
    pub fn service(&self, service: &ObjectKey) -> Option<&Arc<Service>> {
        self.rules.as_ref()?.get(service)
    }

    /// Since when it has heard that an endpoint is not to be used any more, although its rules still use it.
    pub fn heard_of_end(&self, service: &ObjectKey, backend: &Backend) -> Option<SimTime> {
        let since = self.behind_since?;
        let heard = self.heard.as_ref()?;
        (!usable(heard, service, &backend.address)).then_some(since)
    }
}

/// The zone that a node is in, as the API knows it.
fn zone_of(objects: &Objects, node: &NodeName) -> Option<Str> {
    let node = objects.named::<Node>(node.as_str())?;
    node.metadata.labels.get("topology.kubernetes.io/zone").cloned()
}
