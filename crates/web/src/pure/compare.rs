//! Comparison of two runs on one clock: their first difference, and the pods that differ now.

use podscope_api::ordered::{Map, Set, StableSort as _};
use podscope_protocol::{Lane, Mark, MarkLabel, Micros, PodMark};

use crate::state::Model;

/// The first event that occurs in only one of the runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Difference {
    pub(crate) at: Micros,
    /// Label of the event's mark on the timeline.
    pub(crate) label: MarkLabel,
    /// True if only this run has the event; false if only the other run has it.
    pub(crate) is_ours: bool,
}

/// The properties of an event by which the events of two runs are compared.
type ComparedEvent<'a> = (Micros, Lane, &'a MarkLabel);

fn comparable_events(model: &Model, until: Micros) -> Vec<ComparedEvent<'_>> {
    let one = |mark: &Mark| (mark.from, mark.lane);
    let marks = model.marks.values().filter(|mark| mark.from <= until);
    let mut all: Vec<ComparedEvent<'_>> = marks
        .map(|mark| {
            let (at, lane) = one(mark);
            (at, lane, &mark.label)
        })
        .collect();
    all.stable_sort_by(Ord::cmp);
    all
}

/// Returns the first difference of two runs, up to the instant that both have reached.
pub(crate) fn first_difference(ours: &Model, other: &Model) -> Option<Difference> {
    let until = ours.horizon.max(ours.now).min(other.horizon.max(other.now));
    let (our_events, other_events) = (comparable_events(ours, until), comparable_events(other, until));
    let parting = our_events
        .iter()
        .zip(&other_events)
        .position(|(one, another)| one != another)
        .unwrap_or(our_events.len().min(other_events.len()));
    let difference = |what: &ComparedEvent<'_>, is_ours: bool| Difference {
        at: what.0,
        label: what.2.clone(),
        is_ours,
    };
    match (our_events.get(parting), other_events.get(parting)) {
        (None, None) => None,
        (Some(ours), None) => Some(difference(ours, true)),
        (None, Some(other)) => Some(difference(other, false)),
        (Some(ours), Some(other)) if other < ours => Some(difference(other, false)),
        (Some(ours), Some(_)) => Some(difference(ours, true)),
    }
}

/// Returns ids of the pods of `model` that differ in the other run: the pod is missing there, is on another node, or is
/// in another state.
pub(crate) fn differing_pods(model: &Model, other: &Model) -> Set<String> {
    let mut there: Map<&str, Vec<(&str, PodMark)>> = Map::new();
    for pod in other.pods.values() {
        there.entry(&pod.key).or_default().push((&pod.node, pod.mark));
    }
    let is_different = |pod: &&podscope_protocol::PodView| {
        !there
            .get(pod.key.as_str())
            .is_some_and(|all| all.contains(&(pod.node.as_str(), pod.mark)))
    };
    let pods = model.pods.values().map(|pod| &**pod);
    pods.filter(is_different).map(|pod| pod.id.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use podscope_protocol::{Frame, PodView};
    use std::sync::Arc;

    fn model_with(marks: &[(Micros, Lane, &str)], pods: &[(&str, &str, &str)]) -> Model {
        let mut model = Model::default();
        let marks = marks.iter().enumerate().map(|(id, (from, lane, label))| Mark {
            id: id as u64,
            from: *from,
            lane: *lane,
            label: MarkLabel::Written((*label).into()),
            ..Mark::default()
        });
        let pods = pods.iter().map(|(id, key, node)| {
            Arc::new(PodView {
                id: (*id).into(),
                key: (*key).into(),
                node: (*node).into(),
                mark: PodMark::Ready,
                ..PodView::default()
            })
        });
        model.apply(Frame {
            now: 90,
            horizon: 90,
            marks: marks.collect(),
            pods: pods.collect(),
            ..Frame::default()
        });
        model
    }

    #[test]
    fn first_difference_is_first_event_of_only_one_run() {
        let both = (10, Lane::Faults, "cut a-1");
        let healed = (50, Lane::Commands, "heal a-1");
        let (one, two) = (
            model_with(&[both, healed], &[]),
            model_with(&[both, (60, Lane::Decisions, "web-0")], &[]),
        );
        let found = first_difference(&one, &two).expect("they differ");
        assert_eq!(
            (found.at, found.label.to_string(), found.is_ours),
            (50, "heal a-1".to_owned(), true)
        );
        assert!(!first_difference(&two, &one).is_some_and(|found| found.is_ours));
        assert_eq!(first_difference(&one, &one), None);
        // Events after the end of the shorter run are not compared.
        let mut short = model_with(&[both], &[]);
        (short.now, short.horizon) = (40, 40);
        assert_eq!(first_difference(&one, &short), None);
    }

    #[test]
    fn pod_differs_if_on_another_node_or_missing() {
        let one = model_with(
            &[],
            &[
                ("1", "default/a", "n1"),
                ("2", "default/b", "n1"),
                ("3", "default/c", "n1"),
            ],
        );
        let two = model_with(&[], &[("9", "default/a", "n1"), ("8", "default/b", "n2")]);
        let found: Vec<String> = differing_pods(&one, &two).into_iter().collect();
        assert_eq!(found, ["2", "3"]);
    }
}
