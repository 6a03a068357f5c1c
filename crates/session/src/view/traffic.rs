//! Messages between components since the last frame. Each message is derived from a record of the trace and the latency
//! of its link. Heartbeats are derived from the times of the Lease renewals of their node.
//!
//! Deviation: the jitter of a link is not recorded, so messages have the usual latency. The time of arrival at the API
//! server is exact, because it is the record's time.

use podscope_api::well_known::condition;
use podscope_api::{Kind, NodeName, Pod, ordered};
use podscope_cluster::{Actor, Happening, Place, RENEW_INTERVAL, Record, SimTime, Span, Subject, World};
use podscope_protocol::{MAX_MESSAGES, Message, MessageKind, OmittedMessages, Peer, Traffic};

use crate::timeline::Session;

/// Maximum number of trace records that are examined for one frame; older records are skipped.
const MAX_RECORDS_PER_FRAME: usize = 4_000;
/// Maximum number of nodes of a cluster for which heartbeats are shown as messages. With more nodes, the user could not
/// distinguish individual heartbeats.
const MAX_HEARTBEAT_NODES: usize = 100;

/// The position in the trace of a branch up to which messages have been returned.
#[derive(Debug, Clone, Default)]
pub(crate) struct TrafficCursor {
    branch: usize,
    seen: usize,
    at: SimTime,
}

impl TrafficCursor {
    /// Returns the messages since the last call. Empty at the first call, and after a jump back or a switch of
    /// branches.
    pub(crate) fn update(&mut self, session: &Session, is_first: bool) -> Traffic {
        let (from, since) = (self.seen, self.at);
        let is_other = is_first || self.branch != session.current_branch_index() || since > session.now();
        (self.branch, self.seen, self.at) = (session.current_branch_index(), session.trace().len(), session.now());
        if is_other || from > self.seen {
            return Traffic::default();
        }
        let world = session.world();
        let latency = session.loaded().setup.settings.network.latency;
        let mut collector = MessageCollector {
            world,
            latency,
            messages: Vec::new(),
        };
        let from = from.max(self.seen.saturating_sub(MAX_RECORDS_PER_FRAME));
        let mut last: Option<(Actor, SimTime, String, bool)> = None;
        for record in session.trace().skip(from) {
            let about = record.object.as_deref().map_or_else(String::new, subject_name);
            // All records of one write form one message. An Event about the same object is a separate write, so it
            // forms its own message.
            let is_event = matches!(record.happening, Happening::Event { .. });
            let this = (record.actor.clone(), record.at, about.clone(), is_event);
            if last.as_ref() != Some(&this) {
                collector.add_record(&record, &about);
                last = Some(this);
            }
        }
        collector.add_heartbeats(since, self.at);
        limit_messages(collector.messages)
    }
}

struct MessageCollector<'a> {
    world: &'a World,
    latency: Span,
    messages: Vec<Message>,
}

impl MessageCollector<'_> {
    /// Adds the message of the request that led to a record, and the watch messages that follow.
    fn add_record(&mut self, record: &Record, about: &str) {
        let (Some(kind), Some(from)) = (message_kind(record), peer_of(&record.actor)) else {
            return;
        };
        let message_to = |from: Peer, to: Peer, kind: MessageKind, sent: SimTime, arrives: Option<SimTime>| Message {
            from,
            to,
            kind,
            sent: sent.0,
            arrives: arrives.map(|at| at.0),
            record: Some(record.seq),
            about: about.to_owned(),
        };
        let sent = SimTime(record.at.0 - self.latency_to(&from).0);
        let request = message_to(from.clone(), Peer::ApiServer, kind, sent, Some(record.at));
        self.messages.push(request);
        let Some(subject) = record.object.as_deref().filter(|_| kind != MessageKind::Refused) else {
            return;
        };
        for to in self.watchers(subject, &record.happening) {
            if to == from {
                continue;
            }
            let is_open = match &to {
                Peer::Node(node) => {
                    let node = Place::Node(NodeName::from(&**node));
                    self.world.network().is_open(&Place::ControlPlane, &node)
                }
                _ => true,
            };
            let arrives = is_open.then(|| record.at + self.latency_to(&to));
            let watch = message_to(Peer::ApiServer, to, MessageKind::Watch, record.at, arrives);
            self.messages.push(watch);
        }
    }

    /// Returns the latency of messages between the API server and a component.
    fn latency_to(&self, peer: &Peer) -> Span {
        let slow = match peer {
            Peer::Node(node) => self.world.network().extra_latency(&NodeName::from(&**node)),
            _ => Span::ZERO,
        };
        self.latency + slow
    }

    /// Returns the components that get a watch message about a change and act on it: the kubelet of the pod's node; the
    /// scheduler for a pod without a node; otherwise the controllers.
    fn watchers(&self, subject: &Subject, happening: &Happening) -> Vec<Peer> {
        let node = match (happening, subject.kind) {
            (Happening::Bound { node }, _) => Some(node.to_string()),
            (_, Kind::Node) => Some(subject.key.name.to_string()),
            (_, Kind::Pod) => {
                let pod = self.world.objects().get::<Pod>(&subject.key);
                pod.and_then(|pod| pod.spec.node_name.as_ref().map(ToString::to_string))
            }
            _ => None,
        };
        match (node, subject.kind) {
            (Some(node), _) => vec![Peer::Node(node)],
            (None, Kind::Pod) => vec![Peer::Scheduler],
            _ => vec![Peer::Controllers],
        }
    }

    /// Adds the messages of the Lease renewals between two times. A renewal is lost if the node is cut off while its
    /// kubelet is running.
    fn add_heartbeats(&mut self, since: SimTime, until: SimTime) {
        if self.world.machines().count() > MAX_HEARTBEAT_NODES {
            return;
        }
        let heartbeats = self.world.heartbeats();
        for (node, kubelet) in self.world.kubelets() {
            let Some(last) = heartbeats.last_renewal(kubelet.node(), until) else {
                continue;
            };
            let is_lost = heartbeats.is_silent(node) || !heartbeats.is_server_up();
            // The time of the latest renewal or, if it is lost, the time at which it would have arrived.
            let beats = if is_lost {
                (until - last).0 / RENEW_INTERVAL.0
            } else {
                0
            };
            let at = last + Span(beats * RENEW_INTERVAL.0);
            if at <= since || (is_lost && beats == 0) {
                continue;
            }
            let from = Peer::Node(node.to_string());
            let sent = SimTime(at.0 - self.latency_to(&from).0);
            self.messages.push(Message {
                from,
                to: Peer::ApiServer,
                kind: MessageKind::Heartbeat,
                sent: sent.0,
                arrives: (!is_lost).then_some(at.0),
                record: None,
                about: String::new(),
            });
        }
    }
}

/// Orders messages by departure and keeps only the latest; the earlier ones are counted per link.
fn limit_messages(mut messages: Vec<Message>) -> Traffic {
    use podscope_api::ordered::StableSort as _;
    messages.stable_sort_by_key(|message_kind| message_kind.sent);
    let surplus = messages.len().saturating_sub(MAX_MESSAGES);
    let mut more: ordered::Map<(Peer, Peer), u32> = ordered::Map::new();
    for message_kind in messages.drain(..surplus) {
        *more.entry((message_kind.from, message_kind.to)).or_default() += 1;
    }
    let more = more
        .into_iter()
        .map(|((from, to), count)| OmittedMessages { from, to, count });
    Traffic {
        messages,
        more: more.collect(),
    }
}

/// Returns the type of the request that led to a record. None if no request led to it.
fn message_kind(record: &Record) -> Option<MessageKind> {
    Some(match &record.happening {
        Happening::Created { .. } | Happening::NodeRegistered => MessageKind::Create,
        Happening::Bound { .. } => MessageKind::Bind,
        Happening::ConditionChanged { kind, reason, .. } if &**kind == condition::DISRUPTION_TARGET => {
            match reason.as_deref() {
                Some("EvictionByEvictionAPI" | "DeletionByTaintManager") => MessageKind::Evict,
                _ => MessageKind::Status,
            }
        }
        Happening::ConditionChanged { .. } => MessageKind::Status,
        Happening::Updated { changed } if changed.phase.is_some() => MessageKind::Status,
        Happening::Updated { .. }
        | Happening::Nominated { .. }
        | Happening::TaintAdded { .. }
        | Happening::TaintRemoved { .. } => MessageKind::Update,
        Happening::DeletionRequested { .. } | Happening::Deleted => MessageKind::Delete,
        Happening::Event { .. } => MessageKind::Event,
        Happening::Refused { .. } => MessageKind::Refused,
        _ => return None,
    })
}

fn peer_of(actor: &Actor) -> Option<Peer> {
    Some(match actor {
        Actor::Scheduler(_) => Peer::Scheduler,
        Actor::ControllerManager(_) | Actor::Attacher | Actor::Fencing | Actor::ClusterAutoscaler => Peer::Controllers,
        Actor::Kubelet(node) | Actor::Driver(node) => Peer::Node(node.to_string()),
        Actor::Client(_) => Peer::User,
        Actor::ApiServer | Actor::Machine(_) | Actor::World => return None,
    })
}

fn subject_name(subject: &Subject) -> String {
    match subject.kind {
        Kind::Pod => subject.key.to_string(),
        Kind::Node => subject.key.name.to_string(),
        kind => format!("{} {}", kind.name(), subject.key),
    }
}
