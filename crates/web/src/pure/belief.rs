//! Texts for what the API server believes about a node and what the control plane will do next; and how a pod is drawn
//! in each of the two views of the state (the API server's, and the machines').

use podscope_api::ConditionStatus;
use podscope_messages::{listed, t};
use podscope_protocol::{Micros, NodeNext, NodeView, PodMark, PodView, TerminationStage};

use crate::pure::clock;
use crate::state::StateView;

/// Describes the API server's belief about a node; `None` if the node is ready and no change is due.
pub(crate) fn belief_text(node: &NodeView, now: Micros) -> Option<String> {
    if !node.registered {
        return Some(t!(belief::no_such_node));
    }
    let ready = node.ready == ConditionStatus::True;
    let last_heartbeat = node.machine.last_heartbeat;
    if ready && node.next.is_none() && last_heartbeat.is_none() {
        return None;
    }
    let mut text = match (ready, &node.ready) {
        (true, _) => match last_heartbeat {
            Some(last_heartbeat) => t!(
                belief::ready_last_heard,
                time = clock::ago(last_heartbeat, now.max(last_heartbeat))
            ),
            None => t!(belief::ready),
        },
        (_, ConditionStatus::Unknown) => t!(belief::notready_since, instant = signed_instant(node.ready_since)),
        _ => t!(belief::not_ready_since, instant = signed_instant(node.ready_since)),
    };
    let next = match &node.next {
        Some(NodeNext::NotReady { at }) => t!(belief::notready_at, instant = clock::axis_label(*at)),
        Some(NodeNext::Evicts { at }) => evictions_text(at),
        Some(NodeNext::Nobody { down: Some(down) }) => t!(belief::nobody_judges_down, component = down),
        Some(NodeNext::Nobody { down: None }) => t!(belief::nobody_judges_no_leader),
        None => String::new(),
    };
    if !next.is_empty() {
        text.push_str(&format!(" · {next}"));
    }
    Some(text)
}

/// Formats an instant: `1:05`, `−59:20`. For a node from a dump the instant may be before the start.
fn signed_instant(at: Micros) -> String {
    match at {
        ..0 => format!("−{}", clock::axis_label(-at)),
        _ => clock::axis_label(at),
    }
}

/// Maximum number of evictions in the text; further evictions are only counted.
const MAX_LISTED_EVICTIONS: usize = 3;

/// Lists evictions in order of time. Each is given by its instant and the number of pods.
fn evictions_text(evictions: &[(Micros, u32)]) -> String {
    let shown = evictions.iter().take(MAX_LISTED_EVICTIONS).enumerate();
    let mut parts: Vec<String> = shown
        .map(|(nth, (at, pods))| match nth {
            0 => t!(belief::evicts, count = *pods, instant = clock::axis_label(*at)),
            _ => t!(belief::evicts_more, count = *pods, instant = clock::axis_label(*at)),
        })
        .collect();
    let later: u32 = evictions.iter().skip(MAX_LISTED_EVICTIONS).map(|(_, pods)| pods).sum();
    if later > 0 {
        parts.push(t!(belief::evicts_later, count = later));
    }
    listed(parts)
}

/// Returns whether a node is unhealthy in the view that `truth` selects. With both views, a node that is not Ready and
/// a node with a cut link are unhealthy.
pub(crate) fn is_unhealthy(node: &NodeView, truth: StateView) -> bool {
    let machine = &node.machine;
    let believed = node.ready != ConditionStatus::True;
    let real = !machine.cuts.is_empty() || !machine.exists || !machine.powered || !machine.kubelet || !machine.runtime;
    match truth {
        StateView::Both => believed || !machine.cuts.is_empty(),
        StateView::Api => believed,
        StateView::Machine => real,
    }
}

/// Returns how a pod is drawn in the view that `truth` selects; `None` if the pod does not exist in that view.
pub(crate) fn pod_mark_in_view(pod: &PodView, node: &NodeView, truth: StateView) -> Option<PodMark> {
    match truth {
        StateView::Both => Some(pod.mark),
        // The API server keeps the last reported state of a pod whose kubelet cannot be reached.
        StateView::Api => match pod.mark {
            PodMark::Ghost => None,
            PodMark::Unconfirmed if pod.is_ready => Some(PodMark::Ready),
            PodMark::Unconfirmed => Some(PodMark::NotReady),
            mark => Some(mark),
        },
        StateView::Machine => {
            let runs = node.machine.running.iter().any(|uid| uid == pod.uid());
            runs.then_some(match pod.mark {
                // On the machine a termination begins only when the kubelet acts.
                PodMark::Terminating if is_stopping(pod) => PodMark::Terminating,
                mark @ (PodMark::NotReady | PodMark::Starting) => mark,
                _ => PodMark::Ready,
            })
        }
    }
}

/// Returns whether a kubelet is terminating the pod.
fn is_stopping(pod: &PodView) -> bool {
    let stage = pod.termination.as_ref().map(|termination| termination.stage);
    !matches!(
        stage,
        None | Some(TerminationStage::NotObserved | TerminationStage::Unreachable)
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

    /// The text says what the API server believes about a node, how old its last information is, and what changes next.
    /// Shows: U-15
    #[test]
    fn text_of_api_servers_belief_has_age_and_next_change() {
        let now = 70_000_000;
        let text = |ready: &str, next| belief_text(&node(ready.into(), next), now).unwrap_or_default();
        let mut healthy = node("True".into(), None);
        healthy.machine.last_heartbeat = None;
        assert_eq!(belief_text(&healthy, now), None);
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
            assert_eq!(text(ready, next), expected);
        }
        let from_dump = NodeView {
            ready_since: -3_560_000_000,
            ..node("Unknown".into(), None)
        };
        assert_eq!(belief_text(&from_dump, now).as_deref(), Some("NotReady since −59:20"));
    }

    /// The API server's view shows pods as the API server believes them to be; the machine's view shows running
    /// processes.
    /// Shows: U-15
    #[test]
    fn api_and_machine_views_show_different_marks() {
        let node = node("Unknown".into(), None);
        let pod = |id: &str, mark| PodView {
            id: id.into(),
            mark,
            ..PodView::default()
        };
        let unconfirmed = pod("u2", PodMark::Unconfirmed);
        let ghost = pod("u1", PodMark::Ghost);
        assert_eq!(
            pod_mark_in_view(&unconfirmed, &node, StateView::Api),
            Some(PodMark::NotReady)
        );
        let ready = PodView {
            is_ready: true,
            ..unconfirmed.clone()
        };
        assert_eq!(pod_mark_in_view(&ready, &node, StateView::Api), Some(PodMark::Ready));
        assert_eq!(pod_mark_in_view(&unconfirmed, &node, StateView::Machine), None);
        assert_eq!(pod_mark_in_view(&ghost, &node, StateView::Api), None);
        assert_eq!(
            pod_mark_in_view(&ghost, &node, StateView::Machine),
            Some(PodMark::Ready)
        );
        assert_eq!(pod_mark_in_view(&ghost, &node, StateView::Both), Some(PodMark::Ghost));
        let mut terminating = pod("u1", PodMark::Terminating);
        assert_eq!(
            pod_mark_in_view(&terminating, &node, StateView::Machine),
            Some(PodMark::Ready)
        );
        terminating.termination = Some(Box::new(TerminationView {
            stage: TerminationStage::Sigterm,
            ..TerminationView::default()
        }));
        assert_eq!(
            pod_mark_in_view(&terminating, &node, StateView::Machine),
            Some(PodMark::Terminating)
        );
    }
}
