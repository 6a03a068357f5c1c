//! Which pods and nodes are highlighted or dimmed on the stage (the drawing of the cluster), and why: the selection, a
//! shown decision, a comparison, a violated guarantee, an answer to a question, the filter.

use podscope_protocol::{NodeView, PodView};

use super::story::AnswerMark;
use crate::pure::find::Filter;
use crate::state::Shared;

/// How one pod is highlighted or dimmed.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct PodEmphasis {
    pub(crate) selected: bool,
    /// The pod is a preemption victim of the shown decision.
    pub(crate) victim: bool,
    /// The pod differs between the two compared runs.
    pub(crate) differs: bool,
    /// The pod takes part in the shown violation of a guarantee.
    pub(crate) breaks: bool,
    /// The pod does not match the filter.
    pub(crate) is_filtered_out: bool,
    /// The pod is the user's answer to a question, or the right one.
    pub(crate) answer_mark: Option<AnswerMark>,
}

/// The pods of a node, or the pending pods, that are highlighted or dimmed.
#[derive(Clone, PartialEq, Default)]
pub(crate) struct PodsEmphasis {
    /// Id of the selected pod, if it is among these pods.
    pub(crate) selected: Option<String>,
    /// Keys of the preemption victims of the shown decision.
    pub(crate) victims: Vec<String>,
    /// Ids of the pods that differ between the two compared runs.
    pub(crate) differing: Vec<String>,
    /// Ids of pods that break a guarantee.
    pub(crate) breaking: Vec<String>,
    /// Answers to a question that are marked on pods, by pod id.
    pub(crate) answer_marks: Vec<(String, AnswerMark)>,
    /// Pods that do not match the filter are dimmed.
    pub(crate) filter: Option<Shared<Filter>>,
}

impl PodsEmphasis {
    /// Returns how a pod is highlighted or dimmed; `node` is the node on which it is drawn.
    pub(crate) fn of(&self, pod: &PodView, node: Option<&NodeView>) -> PodEmphasis {
        let matches =
            |filter: &Shared<Filter>| node.is_some_and(|node| filter.finds_node(node)) || filter.finds_pod(pod);
        PodEmphasis {
            selected: self.is_selected(pod),
            victim: self.victims.contains(&pod.key),
            differs: self.differing.contains(&pod.id),
            breaks: self.breaking.contains(&pod.id),
            is_filtered_out: self.filter.as_ref().is_some_and(|filter| !matches(filter)),
            answer_mark: AnswerMark::of_pod(&self.answer_marks, &pod.id),
        }
    }

    pub(crate) fn is_selected(&self, pod: &PodView) -> bool {
        self.selected.as_ref() == Some(&pod.id)
    }
}

/// How the card of a node, and the pods on it, are highlighted or dimmed.
#[derive(Clone, PartialEq, Default)]
pub(crate) struct NodeEmphasis {
    pub(crate) selected: bool,
    /// The story points at the node.
    pub(crate) highlighted: bool,
    /// The node is the user's answer to a question, or the right one.
    pub(crate) answer_mark: Option<AnswerMark>,
    pub(crate) pods: PodsEmphasis,
}
