//! The messages of a frame as dots: between the API server and whom each travels, and how far.

use podscope_protocol::{Message, MessageKind, Stop};

use super::wires::Wire;

/// Who talks with the API server in a message, and whether it goes to the API server; none of a command's, which has no
/// wire.
pub(crate) fn end(message: &Message) -> Option<(&Stop, bool)> {
    match (&message.from, &message.to) {
        (Stop::User, _) | (_, Stop::User) => None,
        (Stop::ApiServer, to) => Some((to, false)),
        (from, _) => Some((from, true)),
    }
}

/// A kind's name in the document, and its class.
pub(crate) const fn name(kind: MessageKind) -> &'static str {
    match kind {
        MessageKind::Heartbeat => "heartbeat",
        MessageKind::Watch => "watch",
        MessageKind::Create => "create",
        MessageKind::Bind => "binding",
        MessageKind::Status => "status",
        MessageKind::Update => "update",
        MessageKind::Delete => "deletion",
        MessageKind::Evict => "eviction",
        MessageKind::Event => "event",
        MessageKind::Refused => "refused",
    }
}

/// How a message runs along its wire, as parts of its length: from where to where; it stops at a cut.
pub(crate) fn run(wire: &Wire, cut: Option<f64>, is_up: bool) -> (f64, f64) {
    let parts = cut.map(|unit| {
        let (from, to) = wire.cut(unit);
        let length = wire.length().max(1.0);
        (from / length, to / length)
    });
    match (is_up, parts) {
        (true, Some((_, to))) => (1.0, to),
        (true, None) => (1.0, 0.0),
        (false, Some((from, _))) => (0.0, from),
        (false, None) => (0.0, 1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(from: Stop, to: Stop) -> Message {
        Message {
            from,
            to,
            kind: MessageKind::Status,
            sent: 0,
            arrives: None,
            record: None,
            about: String::new(),
        }
    }

    #[test]
    fn messages_travel_between_the_api_server_and_its_partner() {
        let node = || Stop::Node("a-1".to_owned());
        assert_eq!(end(&message(node(), Stop::ApiServer)), Some((&node(), true)));
        assert_eq!(end(&message(Stop::ApiServer, node())), Some((&node(), false)));
        assert_eq!(end(&message(Stop::User, Stop::ApiServer)), None);
    }

    #[test]
    fn messages_stop_at_a_cut() {
        let wire = Wire {
            points: vec![(0.0, 0.0), (0.0, 100.0)],
        };
        assert_eq!(run(&wire, None, true), (1.0, 0.0));
        let (from, to) = run(&wire, Some(1.0), true);
        assert!(from == 1.0 && to > 0.0 && to < 1.0);
        let (from, stop) = run(&wire, Some(1.0), false);
        assert!(from == 0.0 && stop < to);
    }
}
