//! What the API server believes of a node and what the control plane will do next, in words; and which of the two
//! truths a pod's mark shows.

use podscope_api::ConditionStatus;
use podscope_protocol::{Micros, NodeNext, NodeView, PodMark, PodView, TerminationStage};

use crate::pure::clock;
use crate::state::Truth;

/// What the API server believes of a node; none where it is simply ready and will stay so.
pub(crate) fn words(node: &NodeView, now: Micros) -> Option<String> {
    if !node.registered {
        return Some("knows no such node".into());
    }
    let ready = node.ready == ConditionStatus::True;
    let heard = node.machine.last_heartbeat;
    if ready && node.next.is_none() && heard.is_none() {
        return None;
    }
    let mut text = match (ready, &node.ready) {
        (true, _) => match heard {
            Some(heard) => format!("Ready, last heard {} ago", clock::ago(heard, now.max(heard))),
            None => "Ready".into(),
        },
        (_, ConditionStatus::Unknown) => format!("NotReady since {}", clock::axis(node.ready_since)),
        _ => format!("not ready since {}", clock::axis(node.ready_since)),
    };
    match &node.next {
        Some(NodeNext::NotReady { at }) => text.push_str(&format!(" · NotReady at {}", clock::axis(*at))),
        Some(NodeNext::Evicts { at }) => text.push_str(&evicts(at)),
        Some(NodeNext::Nobody { down: Some(down) }) => text.push_str(&format!(" · nobody judges: {down} is down")),
        Some(NodeNext::Nobody { down: None }) => text.push_str(" · nobody judges: no controller-manager leads yet"),
        None => {}
    }
    Some(text)
}

/// Instants of evictions that are told; the rest is counted.
const EVICTIONS: usize = 3;

/// When pods are evicted: those that go first, and then the others.
fn evicts(at: &[(Micros, u32)]) -> String {
    let mut text = String::new();
    for (nth, (at, pods)) in at.iter().take(EVICTIONS).enumerate() {
        let whom = match (nth, pods) {
            (0, 1) => " · evicts 1 pod".into(),
            (0, pods) => format!(" · evicts {pods} pods"),
            (_, pods) => format!(", {pods} more"),
        };
        text.push_str(&format!("{whom} at {}", clock::axis(*at)));
    }
    let later: u32 = at.iter().skip(EVICTIONS).map(|(_, pods)| pods).sum();
    if later > 0 {
        text.push_str(&format!(", {later} later"));
    }
    text
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
            PodMark::Unconfirmed if pod.is_ready => Some(PodMark::Ready),
            PodMark::Unconfirmed => Some(PodMark::NotReady),
            mark => Some(mark),
        },
        Truth::Machine => {
            let runs = node.machine.running.iter().any(|uid| uid == pod.uid());
            runs.then_some(match pod.mark {
                // Until its kubelet acts nothing on the machine ends.
                PodMark::Terminating if is_stopping(pod) => PodMark::Terminating,
                mark @ (PodMark::NotReady | PodMark::Starting) => mark,
                _ => PodMark::Ready,
            })
        }
    }
}

/// Whether a kubelet ends it.
fn is_stopping(pod: &PodView) -> bool {
    let stage = pod.termination.as_ref().map(|termination| termination.stage);
    !matches!(
        stage,
        None | Some(TerminationStage::Unheard | TerminationStage::Unreachable)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use podscope_protocol::{Component, MachineView, TerminationView};

    fn node(ready: ConditionStatus, next: Option<NodeNext>) -> NodeView {
        NodeView {
            registered: true,
            ready,
            ready_since: 65_000_000,
            next,
            machine: MachineView {
                last_heartbeat: Some(20_000_000),
                running: vec!["u1".into()],
                ..MachineView::default()
            },
            ..NodeView::default()
        }
    }

    /// What the API believes, since when, and what it will do next.
    /// Shows: U-15
    #[test]
    fn a_belief_says_since_when_and_what_comes_next() {
        let now = 70_000_000;
        let told = |ready: &str, next| words(&node(ready.into(), next), now).unwrap_or_default();
        let mut well = node("True".into(), None);
        well.machine.last_heartbeat = None;
        assert_eq!(words(&well, now), None);
        for (ready, next, expected) in [
            ("True", None, "Ready, last heard 50 s ago"),
            (
                "True",
                Some(NodeNext::NotReady { at: 105_000_000 }),
                "Ready, last heard 50 s ago · NotReady at 1:45",
            ),
            (
                "True",
                Some(NodeNext::Nobody {
                    down: Some(Component::ControllerManager(0)),
                }),
                "Ready, last heard 50 s ago · nobody judges: controller-manager is down",
            ),
            (
                "Unknown",
                Some(NodeNext::Evicts {
                    at: vec![(365_000_000, 2)],
                }),
                "NotReady since 1:05 · evicts 2 pods at 6:05",
            ),
            (
                "Unknown",
                Some(NodeNext::Evicts {
                    at: vec![(90_000_000, 1), (365_000_000, 2)],
                }),
                "NotReady since 1:05 · evicts 1 pod at 1:30, 2 more at 6:05",
            ),
        ] {
            assert_eq!(told(ready, next), expected);
        }
    }

    /// The API draws what it believes, the machine what runs there, as far as it runs.
    /// Shows: U-15
    #[test]
    fn the_two_truths_draw_different_pods() {
        let node = node("Unknown".into(), None);
        let pod = |id: &str, mark| PodView {
            id: id.into(),
            mark,
            ..PodView::default()
        };
        let unsure = pod("u2", PodMark::Unconfirmed);
        let ghost = pod("u1", PodMark::Ghost);
        assert_eq!(mark(&unsure, &node, Truth::Api), Some(PodMark::NotReady));
        let ready = PodView {
            is_ready: true,
            ..unsure.clone()
        };
        assert_eq!(mark(&ready, &node, Truth::Api), Some(PodMark::Ready));
        assert_eq!(mark(&unsure, &node, Truth::Machine), None);
        assert_eq!(mark(&ghost, &node, Truth::Api), None);
        assert_eq!(mark(&ghost, &node, Truth::Machine), Some(PodMark::Ready));
        assert_eq!(mark(&ghost, &node, Truth::Both), Some(PodMark::Ghost));
        let mut ends = pod("u1", PodMark::Terminating);
        assert_eq!(mark(&ends, &node, Truth::Machine), Some(PodMark::Ready));
        ends.termination = Some(Box::new(TerminationView {
            stage: TerminationStage::Sigterm,
            ..TerminationView::default()
        }));
        assert_eq!(mark(&ends, &node, Truth::Machine), Some(PodMark::Terminating));
    }
}
