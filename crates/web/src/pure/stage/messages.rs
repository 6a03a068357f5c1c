//! What travels between the processes: told by what a frame changed, in the order in which it changed.

use podscope_protocol::{Micros, PodView};

use super::wires::Wire;

/// A kind of message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A kubelet renews its lease.
    Heartbeat,
    /// A watch tells of a change.
    News,
    /// The scheduler gives a pod its node.
    Binding,
    /// A kubelet writes a pod's status.
    Status,
    /// A pod is to end.
    Deletion,
}

impl Kind {
    /// Its name in the document, and its class.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Heartbeat => "heartbeat",
            Self::News => "news",
            Self::Binding => "binding",
            Self::Status => "status",
            Self::Deletion => "deletion",
        }
    }
}

/// Who talks with the API server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum End {
    Scheduler,
    Controllers,
    Node(String),
}

/// A message between the API server and somebody.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sent {
    pub(crate) kind: Kind,
    pub(crate) end: End,
    /// It goes to the API server, not from it.
    pub(crate) is_up: bool,
}

fn sent(kind: Kind, end: End, is_up: bool) -> Sent {
    Sent { kind, end, is_up }
}

/// The messages by which a pod became another one.
pub(crate) fn between(old: Option<&PodView>, new: Option<&PodView>) -> Vec<Sent> {
    let node = |pod: &PodView| End::Node(pod.node.clone());
    match (old, new) {
        (None, Some(new)) if new.node.is_empty() => vec![
            sent(Kind::News, End::Controllers, true),
            sent(Kind::News, End::Scheduler, false),
        ],
        (Some(old), Some(new)) if old.node.is_empty() && !new.node.is_empty() => vec![
            sent(Kind::Binding, End::Scheduler, true),
            sent(Kind::News, node(new), false),
        ],
        (Some(old), Some(new)) if old.termination.is_none() && new.termination.is_some() && !new.node.is_empty() => {
            vec![sent(Kind::Deletion, node(new), false)]
        }
        (Some(old), Some(new))
            if !new.node.is_empty()
                && (&old.status, old.is_ready, &old.containers) != (&new.status, new.is_ready, &new.containers) =>
        {
            vec![sent(Kind::Status, node(new), true)]
        }
        (Some(old), None) if !old.node.is_empty() => vec![sent(Kind::Status, node(old), true)],
        _ => Vec::new(),
    }
}

/// A kubelet renews its lease this often (KL: nodeLeaseDurationSeconds × 0.25).
const EVERY: Micros = 10_000_000;

/// Whether the `nth` of so many kubelets renews its lease between two instants. They are spread evenly: in which order
/// they come is not told.
pub(crate) fn beats(nth: usize, of: usize, from: Micros, to: Micros) -> bool {
    let phase = EVERY * nth as Micros / of.max(1) as Micros;
    let count = |at: Micros| (at - phase).div_euclid(EVERY);
    from < to && count(to) > count(from)
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
    use podscope_protocol::TerminationView;

    fn pod(node: &str, status: &str) -> PodView {
        PodView {
            node: node.into(),
            status: status.into(),
            ..PodView::default()
        }
    }

    fn names(old: Option<&PodView>, new: Option<&PodView>) -> Vec<(&'static str, bool)> {
        between(old, new)
            .iter()
            .map(|sent| (sent.kind.name(), sent.is_up))
            .collect()
    }

    #[test]
    fn pod_changes_are_told_as_messages() {
        let (pending, starting, running) = (
            pod("", "Pending"),
            pod("a-1", "ContainerCreating"),
            pod("a-1", "Running"),
        );
        let ending = PodView {
            termination: Some(Box::new(TerminationView::default())),
            ..pod("a-1", "Terminating")
        };
        assert_eq!(names(None, Some(&pending)), [("news", true), ("news", false)]);
        assert_eq!(
            names(Some(&pending), Some(&starting)),
            [("binding", true), ("news", false)]
        );
        assert_eq!(names(Some(&starting), Some(&running)), [("status", true)]);
        assert_eq!(names(Some(&running), Some(&ending)), [("deletion", false)]);
        assert_eq!(names(Some(&ending), None), [("status", true)]);
        assert_eq!(names(Some(&running), Some(&running)), []);
    }

    #[test]
    fn every_kubelet_beats_once_in_ten_seconds() {
        for nth in 0..6 {
            let beats = (0..60)
                .filter(|tenth| beats(nth, 6, tenth * 500_000, (tenth + 1) * 500_000))
                .count();
            assert_eq!(beats, 3, "{nth}");
        }
        assert!(!beats(0, 6, 5, 5));
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
