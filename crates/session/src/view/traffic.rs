//! Messages that were sent since the last frame: each follows from a record of the trace and the latency of its link, a
//! heartbeat from the phase of its node.
//!
//! Deviation: a link's jitter is not kept, so a message is told with its usual latency; its arrival at the API server,
//! which the record gives, is exact.

use podscope_api::{Kind, NodeName, Pod, ordered};
use podscope_cluster::{Actor, Happening, Place, RENEW_INTERVAL, Record, SimTime, Span, Subject, World};
use podscope_protocol::{MAX_MESSAGES, Message, MessageKind, Stop, Traffic, UncountedLink};

use crate::timeline::Session;

/// Records that are looked at in one frame; of more only the latest are.
const LOOKED_AT: usize = 4_000;
/// Larger clusters tell no heartbeats one by one: nobody sees which of so many dots is whose.
const MOST_HEARTS: usize = 100;

/// How far the messages of a branch have been told.
#[derive(Debug, Clone, Default)]
pub(crate) struct Travel {
    branch: usize,
    seen: usize,
    at: SimTime,
}

impl Travel {
    /// What was sent since the last call; nothing after a jump back, to another branch, or at the first call.
    pub(crate) fn follow(&mut self, session: &Session, is_first: bool) -> Traffic {
        let (from, since) = (self.seen, self.at);
        let is_other = is_first || self.branch != session.current() || since > session.now();
        (self.branch, self.seen, self.at) = (session.current(), session.trace().len(), session.now());
        if is_other || from > self.seen {
            return Traffic::default();
        }
        let world = session.world();
        let latency = session.loaded().setup.settings.network.latency;
        let mut told = Told {
            world,
            latency,
            messages: Vec::new(),
        };
        let from = from.max(self.seen.saturating_sub(LOOKED_AT));
        let mut last: Option<(Actor, SimTime, String, bool)> = None;
        for record in session.trace().skip(from) {
            let about = record.object.as_deref().map_or_else(String::new, name);
            // The records of one write are one message; an event about the same object is another write.
            let is_event = matches!(record.happening, Happening::Event { .. });
            let this = (record.actor.clone(), record.at, about.clone(), is_event);
            if last.as_ref() != Some(&this) {
                told.of_record(&record, &about);
                last = Some(this);
            }
        }
        told.heartbeats(since, self.at);
        bounded(told.messages)
    }
}

struct Told<'a> {
    world: &'a World,
    latency: Span,
    messages: Vec<Message>,
}

impl Told<'_> {
    /// The request that a record came from, and what watchers are told of it.
    fn of_record(&mut self, record: &Record, about: &str) {
        let (Some(kind), Some(from)) = (message(record), stop(&record.actor)) else {
            return;
        };
        let say = |from: Stop, to: Stop, kind: MessageKind, sent: SimTime, arrives: Option<SimTime>| Message {
            from,
            to,
            kind,
            sent: sent.0,
            arrives: arrives.map(|at| at.0),
            record: Some(record.seq),
            about: about.to_owned(),
        };
        let sent = SimTime(record.at.0 - self.takes(&from).0);
        let request = say(from.clone(), Stop::ApiServer, kind, sent, Some(record.at));
        self.messages.push(request);
        let Some(subject) = record.object.as_deref().filter(|_| kind != MessageKind::Refused) else {
            return;
        };
        for to in self.watchers(subject, &record.happening) {
            if to == from {
                continue;
            }
            let is_open = match &to {
                Stop::Node(node) => {
                    let node = Place::Node(NodeName::from(&**node));
                    self.world.network().is_open(&Place::ControlPlane, &node)
                }
                _ => true,
            };
            let arrives = is_open.then(|| record.at + self.takes(&to));
            let watch = say(Stop::ApiServer, to, MessageKind::Watch, record.at, arrives);
            self.messages.push(watch);
        }
    }

    /// How long a message between the API server and there takes.
    fn takes(&self, stop: &Stop) -> Span {
        let slow = match stop {
            Stop::Node(node) => self.world.network().slowness(&NodeName::from(&**node)),
            _ => Span::ZERO,
        };
        self.latency + slow
    }

    /// Who acts on a change: the kubelet of the pod's node, the scheduler for a pod without one, the controllers for
    /// whatever owns pods.
    fn watchers(&self, subject: &Subject, happening: &Happening) -> Vec<Stop> {
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
            (Some(node), _) => vec![Stop::Node(node)],
            (None, Kind::Pod) => vec![Stop::Scheduler],
            _ => vec![Stop::Controllers],
        }
    }

    /// The renewals of leases between two instants; those of a node that is cut off, whose kubelet runs, are lost.
    fn heartbeats(&mut self, since: SimTime, until: SimTime) {
        if self.world.machines().count() > MOST_HEARTS {
            return;
        }
        let hearts = self.world.heartbeats();
        for (node, kubelet) in self.world.kubelets() {
            let Some(last) = hearts.last_renewal(kubelet.node(), until) else {
                continue;
            };
            let is_lost = hearts.is_silent(node) || !hearts.is_server_up();
            // The latest one of the span: of a lost one, where it would have been.
            let beats = if is_lost {
                (until - last).0 / RENEW_INTERVAL.0
            } else {
                0
            };
            let at = last + Span(beats * RENEW_INTERVAL.0);
            if at <= since || (is_lost && beats == 0) {
                continue;
            }
            let from = Stop::Node(node.to_string());
            let sent = SimTime(at.0 - self.takes(&from).0);
            self.messages.push(Message {
                from,
                to: Stop::ApiServer,
                kind: MessageKind::Heartbeat,
                sent: sent.0,
                arrives: (!is_lost).then_some(at.0),
                record: None,
                about: String::new(),
            });
        }
    }
}

/// The latest messages, in order of departure; earlier ones are counted by link.
fn bounded(mut messages: Vec<Message>) -> Traffic {
    use podscope_api::ordered::StableSort as _;
    messages.stable_sort_by_key(|message| message.sent);
    let left_out = messages.len().saturating_sub(MAX_MESSAGES);
    let mut more: ordered::Map<(Stop, Stop), u32> = ordered::Map::new();
    for message in messages.drain(..left_out) {
        *more.entry((message.from, message.to)).or_default() += 1;
    }
    let more = more
        .into_iter()
        .map(|((from, to), count)| UncountedLink { from, to, count });
    Traffic {
        messages,
        more: more.collect(),
    }
}

/// What kind of request a record came from; none of what no request did.
fn message(record: &Record) -> Option<MessageKind> {
    Some(match &record.happening {
        Happening::Created { .. } | Happening::NodeRegistered => MessageKind::Create,
        Happening::Bound { .. } => MessageKind::Bind,
        Happening::ConditionChanged { kind, reason, .. } if &**kind == "DisruptionTarget" => match reason.as_deref() {
            Some("EvictionByEvictionAPI" | "DeletionByTaintManager") => MessageKind::Evict,
            _ => MessageKind::Status,
        },
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

fn stop(actor: &Actor) -> Option<Stop> {
    Some(match actor {
        Actor::Scheduler(_) => Stop::Scheduler,
        Actor::ControllerManager(_) | Actor::Attacher | Actor::Fencing => Stop::Controllers,
        Actor::Kubelet(node) => Stop::Node(node.to_string()),
        Actor::Client(_) => Stop::User,
        Actor::ApiServer | Actor::Machine(_) | Actor::World => return None,
    })
}

fn name(subject: &Subject) -> String {
    match subject.kind {
        Kind::Pod => subject.key.to_string(),
        Kind::Node => subject.key.name.to_string(),
        kind => format!("{} {}", kind.name(), subject.key),
    }
}
