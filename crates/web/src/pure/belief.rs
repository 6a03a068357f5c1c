//! What the API server believes of a node and what the control plane will do next, in words; and which of the two
//! truths a pod's mark shows.

use podscope_api::ConditionStatus;
use podscope_protocol::{Micros, NodeNext, NodeView, PodMark, PodView};

use crate::pure::clock;
use crate::state::Truth;

/// What the API server believes of a node; none where it is simply ready and will stay so.
pub(crate) fn words(node: &NodeView, now: Micros) -> Option<String> {
    if !node.registered {
        return Some("knows no such node".into());
    }
    let ready = node.ready == ConditionStatus::True;
    if ready && node.next.is_none() {
        return None;
    }
    let heard = node.machine.last_heartbeat;
    let mut text = match (ready, &node.ready) {
        (true, _) if heard > 0 => format!("Ready, last heard {} ago", clock::ago(heard, now.max(heard))),
        (true, _) => "Ready".into(),
        (_, ConditionStatus::Unknown) => format!("NotReady since {}", clock::axis(node.ready_since)),
        _ => format!("not ready since {}", clock::axis(node.ready_since)),
    };
    match node.next {
        Some(NodeNext::NotReady { at }) => text.push_str(&format!(" · NotReady at {}", clock::axis(at))),
        Some(NodeNext::Evicts { at, pods }) if at > now => {
            let pods = if pods == 1 {
                "1 pod".into()
            } else {
                format!("{pods} pods")
            };
            text.push_str(&format!(" · evicts {pods} at {}", clock::axis(at)));
        }
        Some(NodeNext::Evicts { .. }) | None => {}
    }
    Some(text)
}

/// Whether something is wrong with a node in one of the truths.
pub(crate) fn is_unwell(node: &NodeView, truth: Truth) -> bool {
    let machine = &node.machine;
    let believed = node.ready != ConditionStatus::True;
    let real = !machine.cuts.is_empty() || !machine.exists || !machine.powered || !machine.kubelet || !machine.runtime;
    match truth {
        Truth::Both => believed || !machine.cuts.is_empty(),
        Truth::Api => believed,
        Truth::Machine => real,
    }
}

/// How a pod is drawn in one of the truths; none if it is not there.
pub(crate) fn mark(pod: &PodView, node: &NodeView, truth: Truth) -> Option<PodMark> {
    match truth {
        Truth::Both => Some(pod.mark),
        // Whether anybody can confirm it is nothing that the API server knows.
        Truth::Api => match pod.mark {
            PodMark::Ghost => None,
            PodMark::Unconfirmed => Some(PodMark::Ready),
            mark => Some(mark),
        },
        Truth::Machine => {
            let runs = node.machine.running.contains(&pod.uid);
            runs.then_some(PodMark::Ready)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use podscope_protocol::MachineView;

    fn node(ready: ConditionStatus, next: Option<NodeNext>) -> NodeView {
        NodeView {
            registered: true,
            ready,
            ready_since: 65_000_000,
            next,
            machine: MachineView {
                last_heartbeat: 20_000_000,
                running: vec!["u1".into()],
                ..MachineView::default()
            },
            ..NodeView::default()
        }
    }

    /// U-15: what the API believes, since when, and what it will do next.
    #[test]
    fn a_belief_says_since_when_and_what_comes_next() {
        let now = 70_000_000;
        assert_eq!(words(&node(ConditionStatus::True, None), now), None);
        let soon = node(ConditionStatus::True, Some(NodeNext::NotReady { at: 105_000_000 }));
        assert_eq!(
            words(&soon, now).as_deref(),
            Some("Ready, last heard 50 s ago · NotReady at 1:45")
        );
        let next = NodeNext::Evicts {
            at: 365_000_000,
            pods: 2,
        };
        let lost = node(ConditionStatus::Unknown, Some(next));
        assert_eq!(
            words(&lost, now).as_deref(),
            Some("NotReady since 1:05 · evicts 2 pods at 6:05")
        );
    }

    /// U-15: the API draws what it believes, the machine what runs.
    #[test]
    fn the_two_truths_draw_different_pods() {
        let node = node(ConditionStatus::Unknown, None);
        let pod = |uid: &str, mark| PodView {
            uid: uid.into(),
            mark,
            ..PodView::default()
        };
        let unsure = pod("u2", PodMark::Unconfirmed);
        let ghost = pod("u1", PodMark::Ghost);
        assert_eq!(mark(&unsure, &node, Truth::Api), Some(PodMark::Ready));
        assert_eq!(mark(&unsure, &node, Truth::Machine), None);
        assert_eq!(mark(&ghost, &node, Truth::Api), None);
        assert_eq!(mark(&ghost, &node, Truth::Machine), Some(PodMark::Ready));
        assert_eq!(mark(&ghost, &node, Truth::Both), Some(PodMark::Ghost));
    }
}
