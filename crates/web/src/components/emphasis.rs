//! How marks on the stage stand out: by the selection, a shown decision, a comparison, a violated guarantee, an answer
//! to a question, the filter.

use podscope_protocol::{NodeView, PodView};

use super::story::AnswerMark;
use crate::pure::find::Filter;
use crate::state::Shared;

/// How the mark of one pod stands out.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct PodEmphasis {
    pub(crate) selected: bool,
    /// The pod is a preemption victim of the shown decision.
    pub(crate) victim: bool,
    /// The pod differs from the compared run.
    pub(crate) differs: bool,
    /// The pod takes part in the shown violation of a guarantee.
    pub(crate) breaks: bool,
    /// The pod does not match the filter.
    pub(crate) is_filtered_out: bool,
    /// Mark for an answer to a question.
    pub(crate) answer_mark: Option<AnswerMark>,
}

/// Which pods of a node, or of the pending ones, stand out.
#[derive(Clone, PartialEq, Default)]
pub(crate) struct PodsEmphasis {
    /// Id of the selected pod, if it is one of them.
    pub(crate) selected: Option<String>,
    /// Keys of the preemption victims of the shown decision.
    pub(crate) victims: Vec<String>,
    /// Ids of pods that differ from the compared run.
    pub(crate) differing: Vec<String>,
    /// Ids of pods that break a guarantee.
    pub(crate) breaking: Vec<String>,
    /// Answers to a question that are marked on pods, by pod id.
    pub(crate) answer_marks: Vec<(String, AnswerMark)>,
    /// Marks that do not match are dimmed.
    pub(crate) filter: Option<Shared<Filter>>,
}

impl PodsEmphasis {
    /// How the mark of a pod stands out; `node` is the node on which it is drawn.
    pub(crate) fn of(&self, pod: &PodView, node: Option<&NodeView>) -> PodEmphasis {
        let matches =
            |filter: &Shared<Filter>| node.is_some_and(|node| filter.finds_node(node)) || filter.finds_pod(pod);
        PodEmphasis {
            selected: self.is_selected(pod),
            victim: self.victims.contains(&pod.key),
            differs: self.differing.contains(&pod.id),
            breaks: self.breaking.contains(&pod.id),
            is_filtered_out: self.filter.as_ref().is_some_and(|filter| !matches(filter)),
            answer_mark: AnswerMark::on(&self.answer_marks, &pod.id),
        }
    }

    pub(crate) fn is_selected(&self, pod: &PodView) -> bool {
        self.selected.as_ref() == Some(&pod.id)
    }
}

/// How a node's card and the marks on it stand out.
#[derive(Clone, PartialEq, Default)]
pub(crate) struct NodeEmphasis {
    pub(crate) selected: bool,
    /// The story points at the node.
    pub(crate) highlighted: bool,
    /// Mark for an answer to a question.
    pub(crate) answer_mark: Option<AnswerMark>,
    pub(crate) pods: PodsEmphasis,
}
