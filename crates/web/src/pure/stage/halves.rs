//! The two halves of a pod's mark (icon): the API server's state of the pod above, the process on the machine below.
//! The halves are drawn apart if they differ.

use podscope_api::ConditionStatus;
use podscope_messages::t;
use podscope_protocol::{Micros, NodeView, PodMark, PodView, TerminationStage};

use crate::pure::clock;
use crate::state::StateView;

/// How one half is painted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HalfSurface {
    /// The half is in the owner's colour.
    Full,
    /// The half is in a pale form of the owner's colour: the API server is deleting the pod.
    Pale,
    /// The half is in a pale form of the owner's colour, with a dashed edge: the API server's state is out of date.
    Stale,
    /// The half has dots in the ghosts' colour: the API server has no such pod.
    Gone,
    /// The half has dots: no process of the pod runs.
    Empty,
}

impl HalfSurface {
    pub(crate) const fn class(self) -> &'static str {
        match self {
            Self::Full => "f-run",
            Self::Pale => "f-pale",
            Self::Stale => "f-stale",
            Self::Gone => "f-gone",
            Self::Empty => "f-none",
        }
    }
}

/// One half of a mark, with its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MarkHalf {
    pub(crate) surface: HalfSurface,
    pub(crate) words: String,
}

/// The content of a mark: one text, or where API server and machine differ, one text for each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum MarkContent {
    /// API server and machine agree. Holds a text for the state; empty for a pod that runs well.
    Whole(String),
    /// API server and machine differ.
    Torn {
        /// The API server's half.
        api: MarkHalf,
        process: MarkHalf,
        /// The next step of a termination, with the time left.
        next: String,
    },
}

/// Returns whether a process of the pod runs on its machine.
fn has_process(pod: &PodView, node: &NodeView) -> bool {
    node.machine.powered && node.machine.running.iter().any(|uid| uid == pod.uid())
}

/// Returns the content of a pod's mark. `truth`: whether it shows the API server's state, the machine's, or both.
pub(crate) fn mark_content(
    pod: &PodView,
    drawn: PodMark,
    node: &NodeView,
    truth: StateView,
    now: Micros,
) -> MarkContent {
    // Show one state only if the user chose one, or if the node has no machine (or none that is known).
    let has_single_truth = truth != StateView::Both || !node.machine.exists;
    if has_single_truth {
        return MarkContent::Whole(state_text(pod, drawn, now));
    }
    let process = if has_process(pod, node) {
        HalfSurface::Full
    } else {
        HalfSurface::Empty
    };
    let torn = |surface: HalfSurface, api: String, words: String, next: String| MarkContent::Torn {
        api: MarkHalf { surface, words: api },
        process: MarkHalf {
            surface: process,
            words,
        },
        next,
    };
    match drawn {
        PodMark::Ghost => torn(
            HalfSurface::Gone,
            t!(halves::api_no_such_pod),
            t!(halves::still_runs),
            String::new(),
        ),
        PodMark::Unconfirmed => {
            let api = match (&node.ready, pod.is_ready) {
                (ConditionStatus::Unknown, _) | (_, false) => t!(halves::api_nobody_knows),
                _ => t!(halves::api_running_unsure),
            };
            torn(HalfSurface::Stale, api, unreachable_text(pod, node), String::new())
        }
        PodMark::Terminating => {
            let (words, next) = termination_texts(pod, process == HalfSurface::Full, now);
            torn(HalfSurface::Pale, t!(halves::api_deleting), words, next)
        }
        PodMark::Ready | PodMark::NotReady if process == HalfSurface::Empty => torn(
            HalfSurface::Stale,
            t!(halves::api_says, status = pod.status),
            t!(halves::has_ended),
            t!(halves::not_reported),
        ),
        PodMark::Starting if process == HalfSurface::Full && node.machine.lost_directions().1 => torn(
            HalfSurface::Stale,
            t!(halves::api_says, status = pod.status),
            t!(halves::runs_unheard),
            String::new(),
        ),
        _ => MarkContent::Whole(state_text(pod, drawn, now)),
    }
}

/// Describes the process of a pod whose node is unreachable.
fn unreachable_text(pod: &PodView, node: &NodeView) -> String {
    match (has_process(pod, node), node.machine.powered) {
        (true, _) => t!(halves::runs_unheard),
        (false, true) => t!(halves::has_ended_unheard),
        (false, false) => t!(halves::no_power),
    }
}

/// Describes the progress of a termination, and its next step.
fn termination_texts(pod: &PodView, runs: bool, now: Micros) -> (String, String) {
    let Some(termination) = &pod.termination else {
        let words = if runs { t!(halves::runs) } else { t!(halves::has_ended) };
        return (words, String::new());
    };
    if !runs {
        let words = match termination.stage {
            TerminationStage::NotObserved | TerminationStage::Unreachable => t!(halves::nothing_runs),
            _ => t!(halves::has_ended),
        };
        return (words, String::new());
    }
    let left = termination.until.map(|until| clock::countdown(until, now));
    let sigterm = || {
        left.as_ref()
            .map_or_else(String::new, |left| t!(halves::sigterm_in, time = left))
    };
    let sigkill = || {
        left.as_ref()
            .map_or_else(String::new, |left| t!(halves::sigkill_in, time = left))
    };
    match termination.stage {
        TerminationStage::NotObserved => (t!(halves::runs_not_told), String::new()),
        TerminationStage::Unreachable => (t!(halves::runs_cannot_be_told), String::new()),
        TerminationStage::PreStop => (t!(halves::prestop_hook), sigterm()),
        TerminationStage::Turn => (t!(halves::waits_for_turn), sigterm()),
        TerminationStage::Sigterm => (t!(halves::got_sigterm), sigkill()),
        TerminationStage::Killed => (t!(halves::got_sigkill), String::new()),
    }
}

/// Describes the state of a pod about which API server and machine agree.
fn state_text(pod: &PodView, drawn: PodMark, now: Micros) -> String {
    match drawn {
        PodMark::Ready | PodMark::Ghost => String::new(),
        PodMark::NotReady => t!(halves::not_ready),
        PodMark::CrashLoop => pod.countdown.map_or_else(
            || pod.status.clone(),
            |until| t!(halves::next_start_in, time = clock::countdown(until, now)),
        ),
        PodMark::Terminating => termination_texts(pod, true, now).0,
        PodMark::Unconfirmed => t!(halves::nobody_knows),
        PodMark::Pending | PodMark::Starting | PodMark::Succeeded | PodMark::Failed => pod.status.clone(),
    }
}

impl MarkContent {
    /// Describes the API server's state and the process in one line.
    pub(crate) fn single_line_text(&self) -> String {
        match self {
            Self::Whole(words) => words.clone(),
            Self::Torn { api, process, next } if next.is_empty() => {
                t!(halves::both, api = api.words, process = process.words)
            }
            Self::Torn { api, process, next } => {
                t!(
                    halves::both_and_next,
                    api = api.words,
                    process = process.words,
                    next = next
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use podscope_protocol::{MachineView, TerminationView};

    fn node_running(running: &[&str]) -> NodeView {
        NodeView {
            registered: true,
            ready: ConditionStatus::True,
            machine: MachineView {
                exists: true,
                powered: true,
                running: running.iter().map(|uid| (*uid).to_owned()).collect(),
                ..MachineView::default()
            },
            ..NodeView::default()
        }
    }

    fn pod(mark: PodMark) -> PodView {
        PodView {
            id: "u1".into(),
            mark,
            is_ready: true,
            status: "Running".into(),
            ..PodView::default()
        }
    }

    fn line(pod: &PodView, node: &NodeView) -> String {
        mark_content(pod, pod.mark, node, StateView::Both, 0).single_line_text()
    }

    /// If API server and machine differ, each half has a text; if they agree, the mark of a healthy pod has none.
    /// Shows: U-02
    #[test]
    fn mark_is_torn_where_api_and_machine_differ() {
        assert_eq!(line(&pod(PodMark::Ready), &node_running(&["u1"])), "");
        assert_eq!(
            line(&pod(PodMark::Ready), &node_running(&[])),
            "API: Running; on the machine: has ended, not reported yet"
        );
        let ghost = PodView {
            id: "u1@a-1".into(),
            ..pod(PodMark::Ghost)
        };
        assert_eq!(
            line(&ghost, &node_running(&["u1"])),
            "API: no such pod; on the machine: still runs"
        );
        let unconfirmed = pod(PodMark::Unconfirmed);
        assert_eq!(
            line(&unconfirmed, &node_running(&["u1"])),
            "API: Running?; on the machine: runs, unheard"
        );
        let mut silent = node_running(&["u1"]);
        silent.ready = ConditionStatus::Unknown;
        assert_eq!(
            line(&unconfirmed, &silent),
            "API: nobody knows; on the machine: runs, unheard"
        );
        silent.machine.powered = false;
        assert_eq!(
            line(&unconfirmed, &silent),
            "API: nobody knows; on the machine: no power: nothing runs"
        );
    }

    /// A termination names its progress and the next signal.
    /// Shows: L-16
    #[test]
    fn termination_names_its_next_signal() {
        let ending = |stage, until| PodView {
            termination: Some(Box::new(TerminationView { stage, since: 0, until })),
            ..pod(PodMark::Terminating)
        };
        let sigterm = ending(TerminationStage::Sigterm, Some(18_000_000));
        assert_eq!(
            line(&sigterm, &node_running(&["u1"])),
            "API: deleting; on the machine: got SIGTERM, SIGKILL in 18 s"
        );
        assert_eq!(
            line(&sigterm, &node_running(&[])),
            "API: deleting; on the machine: has ended"
        );
        assert_eq!(
            line(&ending(TerminationStage::Unreachable, None), &node_running(&["u1"])),
            "API: deleting; on the machine: runs, cannot be told"
        );
    }

    /// A mark that shows only the API server's or only the machine's state is never torn.
    /// Shows: U-15
    #[test]
    fn mark_with_a_single_view_is_never_torn() {
        let unconfirmed = pod(PodMark::Unconfirmed);
        for truth in [StateView::Api, StateView::Machine] {
            let mark_content = mark_content(&unconfirmed, PodMark::Ready, &node_running(&[]), truth, 0);
            assert_eq!(mark_content, MarkContent::Whole(String::new()));
        }
    }
}
