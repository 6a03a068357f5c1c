//! One pod, two truths: what the API says of it, what its process does, and whether the two agree.

use podscope_api::ConditionStatus;
use podscope_protocol::{Micros, NodeView, PodMark, PodView, TerminationStage};

use crate::pure::clock;
use crate::state::Truth;

/// How one half of a mark is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Surface {
    /// The owner's colour.
    Full,
    /// A pale one: the API is about to forget it.
    Pale,
    /// A pale one with a dashed edge: what the API says is old.
    Stale,
    /// Dots in the ghost's colour: the API has nothing.
    Gone,
    /// Dots: nothing runs.
    Empty,
}

impl Surface {
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

/// One half and its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Half {
    pub(crate) surface: Surface,
    pub(crate) words: String,
}

/// What a mark says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Says {
    /// Both truths are one, with what happens to the pod in words; nothing of one that runs well.
    Whole(String),
    /// They part.
    Torn {
        /// The API's word.
        api: Half,
        process: Half,
        /// What comes next, and when.
        next: String,
    },
}

/// Whether a process of the pod runs on its machine.
fn runs(pod: &PodView, node: &NodeView) -> bool {
    node.machine.powered && node.machine.running.iter().any(|uid| uid == pod.uid())
}

/// What a pod's mark says, as `truth` has it.
pub(crate) fn says(pod: &PodView, drawn: PodMark, node: &NodeView, truth: Truth, now: Micros) -> Says {
    // A node of a dump of which only the name is known, or one without a machine, has no second truth.
    let is_one = truth != Truth::Both || !node.machine.exists;
    if is_one {
        return Says::Whole(whole(pod, drawn, now));
    }
    let process = if runs(pod, node) { Surface::Full } else { Surface::Empty };
    let torn = |surface: Surface, api: &str, words: String, next: String| Says::Torn {
        api: Half {
            surface,
            words: format!("API: {api}"),
        },
        process: Half {
            surface: process,
            words,
        },
        next,
    };
    match drawn {
        PodMark::Ghost => torn(Surface::Gone, "no such pod", "still runs".into(), String::new()),
        PodMark::Unconfirmed => {
            let api = match (&node.ready, pod.is_ready) {
                (ConditionStatus::Unknown, _) | (_, false) => "nobody knows",
                _ => "Running?",
            };
            torn(Surface::Stale, api, unheard(pod, node).into(), String::new())
        }
        PodMark::Terminating => {
            let (words, next) = ends(pod, process == Surface::Full, now);
            torn(Surface::Pale, "deleting", words, next)
        }
        PodMark::Ready | PodMark::NotReady if process == Surface::Empty => torn(
            Surface::Stale,
            &pod.status,
            "has ended".into(),
            "not reported yet".into(),
        ),
        PodMark::Starting if process == Surface::Full && node.machine.lost().1 => {
            torn(Surface::Stale, &pod.status, "runs, unheard".into(), String::new())
        }
        _ => Says::Whole(whole(pod, drawn, now)),
    }
}

/// What a machine that nobody hears does with a pod.
fn unheard(pod: &PodView, node: &NodeView) -> &'static str {
    match (runs(pod, node), node.machine.powered) {
        (true, _) => "runs, unheard",
        (false, true) => "has ended, unheard",
        (false, false) => "no power: nothing runs",
    }
}

/// How far a termination is, and what comes next.
fn ends(pod: &PodView, runs: bool, now: Micros) -> (String, String) {
    let Some(termination) = &pod.termination else {
        let words = if runs { "runs" } else { "has ended" };
        return (words.into(), String::new());
    };
    if !runs {
        let words = match termination.stage {
            TerminationStage::Unheard | TerminationStage::Unreachable => "nothing runs",
            _ => "has ended",
        };
        return (words.into(), String::new());
    }
    let left = termination.until.map(|until| clock::left(until, now));
    let at = |what: &str| {
        left.as_ref()
            .map_or_else(String::new, |left| format!("{what} in {left}"))
    };
    match termination.stage {
        TerminationStage::Unheard => ("runs, not told yet".into(), String::new()),
        TerminationStage::Unreachable => ("runs, cannot be told".into(), String::new()),
        TerminationStage::PreStop => ("preStop hook".into(), at("SIGTERM")),
        TerminationStage::Turn => ("waits for its turn".into(), at("SIGTERM")),
        TerminationStage::Sigterm => ("got SIGTERM".into(), at("SIGKILL")),
        TerminationStage::Killed => ("got SIGKILL".into(), String::new()),
    }
}

/// What happens to a pod of which both truths are one.
fn whole(pod: &PodView, drawn: PodMark, now: Micros) -> String {
    match drawn {
        PodMark::Ready | PodMark::Ghost => String::new(),
        PodMark::NotReady => "not ready".into(),
        PodMark::CrashLoop => pod.countdown.map_or_else(
            || pod.status.clone(),
            |until| format!("next start in {}", clock::left(until, now)),
        ),
        PodMark::Terminating => ends(pod, true, now).0,
        PodMark::Unconfirmed => "nobody knows".into(),
        PodMark::Pending | PodMark::Starting | PodMark::Succeeded | PodMark::Failed => pod.status.clone(),
    }
}

impl Says {
    /// Both truths in one line.
    pub(crate) fn line(&self) -> String {
        match self {
            Self::Whole(words) => words.clone(),
            Self::Torn { api, process, next } if next.is_empty() => {
                format!("{}; on the machine: {}", api.words, process.words)
            }
            Self::Torn { api, process, next } => {
                format!("{}; on the machine: {}, {next}", api.words, process.words)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use podscope_protocol::{MachineView, TerminationView};

    fn node(running: &[&str]) -> NodeView {
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
        says(pod, pod.mark, node, Truth::Both, 0).line()
    }

    /// Where API and machine part, each half says its own; where they agree nothing is said.
    /// Shows: U-02
    #[test]
    fn halves_part_where_the_truths_do() {
        assert_eq!(line(&pod(PodMark::Ready), &node(&["u1"])), "");
        assert_eq!(
            line(&pod(PodMark::Ready), &node(&[])),
            "API: Running; on the machine: has ended, not reported yet"
        );
        let ghost = PodView {
            id: "u1@a-1".into(),
            ..pod(PodMark::Ghost)
        };
        assert_eq!(
            line(&ghost, &node(&["u1"])),
            "API: no such pod; on the machine: still runs"
        );
        let unsure = pod(PodMark::Unconfirmed);
        assert_eq!(
            line(&unsure, &node(&["u1"])),
            "API: Running?; on the machine: runs, unheard"
        );
        let mut silent = node(&["u1"]);
        silent.ready = ConditionStatus::Unknown;
        assert_eq!(
            line(&unsure, &silent),
            "API: nobody knows; on the machine: runs, unheard"
        );
        silent.machine.powered = false;
        assert_eq!(
            line(&unsure, &silent),
            "API: nobody knows; on the machine: no power: nothing runs"
        );
    }

    /// A termination says how far it is and what comes next.
    /// Shows: L-16
    #[test]
    fn a_termination_says_its_next_signal() {
        let ending = |stage, until| PodView {
            termination: Some(Box::new(TerminationView { stage, since: 0, until })),
            ..pod(PodMark::Terminating)
        };
        let sigterm = ending(TerminationStage::Sigterm, Some(18_000_000));
        assert_eq!(
            line(&sigterm, &node(&["u1"])),
            "API: deleting; on the machine: got SIGTERM, SIGKILL in 18 s"
        );
        assert_eq!(line(&sigterm, &node(&[])), "API: deleting; on the machine: has ended");
        assert_eq!(
            line(&ending(TerminationStage::Unreachable, None), &node(&["u1"])),
            "API: deleting; on the machine: runs, cannot be told"
        );
    }

    /// One truth alone is never torn.
    /// Shows: U-15
    #[test]
    fn one_truth_alone_is_whole() {
        let unsure = pod(PodMark::Unconfirmed);
        for truth in [Truth::Api, Truth::Machine] {
            let says = says(&unsure, PodMark::Ready, &node(&[]), truth, 0);
            assert_eq!(says, Says::Whole(String::new()));
        }
    }
}
