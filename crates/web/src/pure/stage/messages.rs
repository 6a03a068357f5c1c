//! The messages of a frame as moving dots: the two ends of each message, and how far it travels.

use podscope_protocol::{Message, MessageKind, Peer};

use super::wires::Wire;

/// Returns the process with which the API server exchanges a message, and whether the message is sent to the API
/// server. `None` for messages of commands, which have no wire.
pub(crate) fn partner_of_api_server(message: &Message) -> Option<(&Peer, bool)> {
    match (&message.from, &message.to) {
        (Peer::User, _) | (_, Peer::User) => None,
        (Peer::ApiServer, to) => Some((to, false)),
        (from, _) => Some((from, true)),
    }
}

/// Returns the name of a message type in the attribute `data-message`; also its CSS class.
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

/// Returns the points of the wire where the motion of a message starts and ends, as fractions of the wire's length. A
/// message stops at a cut.
pub(crate) fn motion_start_and_end(wire: &Wire, cut: Option<f64>, is_up: bool) -> (f64, f64) {
    let parts = cut.map(|unit| {
        let (from, to) = wire.cut_gap(unit);
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

    fn message_between(from: Peer, to: Peer) -> Message {
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
    fn message_end_is_the_partner_of_the_api_server() {
        let node = || Peer::Node("a-1".to_owned());
        assert_eq!(
            partner_of_api_server(&message_between(node(), Peer::ApiServer)),
            Some((&node(), true))
        );
        assert_eq!(
            partner_of_api_server(&message_between(Peer::ApiServer, node())),
            Some((&node(), false))
        );
        assert_eq!(
            partner_of_api_server(&message_between(Peer::User, Peer::ApiServer)),
            None
        );
    }

    #[test]
    fn messages_stop_at_a_cut() {
        let wire = Wire {
            points: vec![(0.0, 0.0), (0.0, 100.0)],
        };
        assert_eq!(motion_start_and_end(&wire, None, true), (1.0, 0.0));
        let (from, to) = motion_start_and_end(&wire, Some(1.0), true);
        assert!(from == 1.0 && to > 0.0 && to < 1.0);
        let (from, stop) = motion_start_and_end(&wire, Some(1.0), false);
        assert!(from == 0.0 && stop < to);
    }
}
