//! Two runs on one clock: where they first differ, and which pods are not the same now.

use podscope_api::ordered::{Map, Set, StableSort as _};
use podscope_protocol::{Lane, Mark, MarkLabel, Micros, PodMark};

use crate::state::Model;

/// The first thing that happened in one run and not in the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Difference {
    pub(crate) at: Micros,
    /// What happened.
    pub(crate) label: MarkLabel,
    /// Whether it is this run's, or the other's.
    pub(crate) is_ours: bool,
}

/// What both would have to have.
type Happened<'a> = (Micros, Lane, &'a MarkLabel);

fn happened(model: &Model, until: Micros) -> Vec<Happened<'_>> {
    let one = |mark: &Mark| (mark.from, mark.lane);
    let marks = model.marks.values().filter(|mark| mark.from <= until);
    let mut all: Vec<Happened<'_>> = marks
        .map(|mark| {
            let (at, lane) = one(mark);
            (at, lane, &mark.label)
        })
        .collect();
    all.stable_sort_by(Ord::cmp);
    all
}

/// Where two runs part, as far as both have been played.
pub(crate) fn first_difference(ours: &Model, other: &Model) -> Option<Difference> {
    let until = ours.horizon.max(ours.now).min(other.horizon.max(other.now));
    let (a, b) = (happened(ours, until), happened(other, until));
    let parting = a
        .iter()
        .zip(&b)
        .position(|(a, b)| a != b)
        .unwrap_or(a.len().min(b.len()));
    let told = |what: &Happened<'_>, is_ours: bool| Difference {
        at: what.0,
        label: what.2.clone(),
        is_ours,
    };
    match (a.get(parting), b.get(parting)) {
        (None, None) => None,
        (Some(ours), None) => Some(told(ours, true)),
        (None, Some(other)) => Some(told(other, false)),
        (Some(ours), Some(other)) if other < ours => Some(told(other, false)),
        (Some(ours), Some(_)) => Some(told(ours, true)),
    }
}

/// Ids of the pods of one run that the other does not have like that: another node, another state, or not at all.
pub(crate) fn differing(model: &Model, other: &Model) -> Set<String> {
    let mut there: Map<&str, Vec<(&str, PodMark)>> = Map::new();
    for pod in other.pods.values() {
        there.entry(&pod.key).or_default().push((&pod.node, pod.mark));
    }
    let is_other = |pod: &&podscope_protocol::PodView| {
        !there
            .get(pod.key.as_str())
            .is_some_and(|all| all.contains(&(pod.node.as_str(), pod.mark)))
    };
    let pods = model.pods.values().map(|pod| &**pod);
    pods.filter(is_other).map(|pod| pod.id.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use podscope_protocol::{Frame, PodView};
    use std::sync::Arc;

    fn model(marks: &[(Micros, Lane, &str)], pods: &[(&str, &str, &str)]) -> Model {
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
    fn two_runs_part_where_one_has_what_the_other_lacks() {
        let both = (10, Lane::Faults, "cut a-1");
        let healed = (50, Lane::Commands, "heal a-1");
        let (one, two) = (
            model(&[both, healed], &[]),
            model(&[both, (60, Lane::Decisions, "web-0")], &[]),
        );
        let found = first_difference(&one, &two).expect("they differ");
        assert_eq!(
            (found.at, found.label.to_string(), found.is_ours),
            (50, "heal a-1".to_owned(), true)
        );
        assert!(!first_difference(&two, &one).is_some_and(|found| found.is_ours));
        assert_eq!(first_difference(&one, &one), None);
        // What lies beyond the shorter run says nothing.
        let mut short = model(&[both], &[]);
        (short.now, short.horizon) = (40, 40);
        assert_eq!(first_difference(&one, &short), None);
    }

    #[test]
    fn a_pod_differs_that_stands_elsewhere_or_nowhere() {
        let one = model(
            &[],
            &[
                ("1", "default/a", "n1"),
                ("2", "default/b", "n1"),
                ("3", "default/c", "n1"),
            ],
        );
        let two = model(&[], &[("9", "default/a", "n1"), ("8", "default/b", "n2")]);
        let found: Vec<String> = differing(&one, &two).into_iter().collect();
        assert_eq!(found, ["2", "3"]);
    }
}
