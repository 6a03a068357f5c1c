//! What the stage shows of the answer to a what-if question: the nodes that would leave, the pods that would come to
//! each of the other nodes, those that would stay Pending, how many copies of a pod each node has room for, and which
//! nodes the cluster could do without.

use podscope_messages::t;
use podscope_protocol::{PodMark, PodMove, WhatIf, WhatIfAnswer};

use super::names;
use super::overview::Rect;
use super::stage::NodePlan;
use super::stage::fit::DetailLevel;
use crate::state::{Model, OWNER_HUE_COUNT, Shared};

/// Side of the mark (pod icon) of an arriving pod for which its node has no free slot (cell), in units.
const ARRIVAL_MARK_SIDE: f64 = 24.0;
/// Maximum number of rows of arriving pods that have no free slot.
const MAX_ARRIVAL_ROWS: usize = 2;

/// A pod that would come to a node, or would stay Pending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Arrival {
    pub(crate) pod: PodMove,
    /// Short name and colour of the pod that it replaces.
    pub(crate) short: String,
    pub(crate) hue: u8,
}

impl Arrival {
    /// Returns the pod's key without the default namespace.
    pub(crate) fn name(&self) -> &str {
        names::without_default_namespace(&self.pod.pod)
    }

    /// Returns the name of the mark for screen readers; it begins with the text on the mark.
    pub(crate) fn label(&self) -> String {
        let mut words = self.short.clone();
        if !words.is_empty() {
            words.push_str(": ");
        }
        match &self.pod.to {
            Some(to) => words.push_str(&t!(what_if_stage::would_go, pod = self.name(), node = to)),
            None => words.push_str(&t!(what_if_stage::would_stay, pod = self.name())),
        }
        if let Some(from) = &self.pod.from {
            words.push_str(&format!(", {}", t!(what_if_stage::now_on, node = from)));
        }
        if let Some(reason) = &self.pod.reason {
            words.push_str(&format!(": {reason}"));
        }
        podscope_api::visible(&words).into_owned()
    }
}

/// What the card of a node shows of the answer to a what-if question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NodePreview {
    /// The node would be drained.
    Drained,
    /// The machine of the node would lose its power.
    Off,
    /// Pods would come to the node.
    Gets(Vec<Arrival>),
    /// This number of copies of the pod in question fits on the node.
    Fits(usize),
    /// The cluster could run without the node: its pods fit on other nodes.
    CanGo,
}

impl NodePreview {
    /// Returns whether the node would leave the cluster or lose its power.
    pub(crate) fn leaves(&self) -> bool {
        matches!(self, Self::Drained | Self::Off | Self::CanGo)
    }

    /// Returns the text in the card's header, which is shorter in a narrow header.
    pub(crate) fn words(&self, is_narrow: bool) -> String {
        match (self, is_narrow) {
            (Self::Drained, true) => t!(what_if_stage::drained_short),
            (Self::Drained, false) => t!(what_if_stage::drained),
            (Self::Off, true) => t!(what_if_stage::off_short),
            (Self::Off, false) => t!(what_if_stage::off),
            (Self::Gets(pods), true) => format!("+{}", pods.len()),
            (Self::Gets(pods), false) => t!(what_if_stage::would_come, count = pods.len()),
            (Self::CanGo, _) => t!(what_if_stage::can_go),
            (Self::Fits(pods), true) => format!("+{pods}"),
            (Self::Fits(pods), false) => t!(what_if_stage::more_fit, count = *pods),
        }
    }

    pub(crate) fn arrivals(&self) -> &[Arrival] {
        match self {
            Self::Gets(pods) => pods,
            _ => &[],
        }
    }
}

/// The answer to a what-if question, prepared for drawing on the stage.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct WhatIfPreview {
    answer: Shared<WhatIfAnswer>,
    /// The pods that would come to a node, in the order of the answer.
    pub(crate) arrivals: Vec<Arrival>,
    /// The pods that would stay Pending.
    pub(crate) waiting: Vec<Arrival>,
}

impl WhatIfPreview {
    pub(crate) fn of(answer: &Shared<WhatIfAnswer>, model: &Model) -> WhatIfPreview {
        // A pod that is not created again neither comes to a node nor stays Pending.
        let shown = answer.moves.iter().filter(|pod| pod.to.is_some() || pod.waits);
        let all = shown.filter_map(|pod| {
            let view = match &pod.from {
                // If time has run on since the question was asked, the pod may have left the node.
                Some(from) => {
                    let mut there = model.nodes.get(from)?.pods.iter();
                    Some(there.find(|one| one.key == pod.pod && one.mark != PodMark::Ghost)?)
                }
                None => None,
            };
            Some(Arrival {
                pod: pod.clone(),
                short: view.map(|view| view.short.clone()).unwrap_or_default(),
                hue: view.map_or(OWNER_HUE_COUNT, |view| model.hue(&view.owner)),
            })
        });
        let (arrivals, waiting) = all.partition(|arrival| arrival.pod.to.is_some());
        WhatIfPreview {
            answer: answer.clone(),
            arrivals,
            waiting,
        }
    }

    /// Returns what the card of a node shows, if the answer is about the node. `zone` is the node's zone.
    pub(crate) fn of_node(&self, name: &str, zone: &str) -> Option<NodePreview> {
        // A drained node, and a node without power, do not get pods.
        let answer = &*self.answer;
        match &answer.change {
            WhatIf::Drain(nodes) if nodes.iter().any(|node| node == name) => return Some(NodePreview::Drained),
            WhatIf::LoseZone(lost) if lost == zone => return Some(NodePreview::Off),
            WhatIf::Consolidate if answer.can_go.iter().any(|node| node == name) => return Some(NodePreview::CanGo),
            WhatIf::Fit { .. } => {
                let room = answer.room.iter().find(|room| room.node == name)?;
                return Some(NodePreview::Fits(room.pods));
            }
            _ => {}
        }
        let here = self.arrivals.iter().filter(|one| one.pod.to.as_deref() == Some(name));
        let here: Vec<Arrival> = here.cloned().collect();
        (!here.is_empty()).then_some(NodePreview::Gets(here))
    }
}

/// Returns where the nth pod that would come to a node is drawn, relative to the node: in a free slot (cell), so that
/// no other pod moves. If no slot is free, the pod is small and overlaps the lower edge of the other pods; `None` if
/// the rows of such small pods are full too.
pub(crate) fn place_of_arrival(plan: &NodePlan, taken: &[usize], nth: usize, unit: f64) -> Option<(Rect, DetailLevel)> {
    let fit = &plan.fit;
    let n_slots = fit.columns * fit.rows;
    let free: Vec<usize> = (0..n_slots).filter(|slot| !taken.contains(slot)).collect();
    if let Some(slot) = free.get(nth) {
        return Some((plan.mark_rect(*slot), fit.detail));
    }
    let area = plan.area;
    let side = (ARRIVAL_MARK_SIDE * unit)
        .min(area.w)
        .min(area.h / MAX_ARRIVAL_ROWS as f64)
        .min(fit.w);
    let columns = ((area.w / side.max(1.0)) as usize).max(1);
    let (row, column) = ((nth - free.len()) / columns, (nth - free.len()) % columns);
    let place = Rect {
        x: area.x + area.w - (column + 1) as f64 * side,
        y: area.y + area.h - (row + 1) as f64 * side,
        w: side,
        h: side,
    };
    (row < MAX_ARRIVAL_ROWS).then_some((place, DetailLevel::Dot))
}

#[cfg(test)]
mod tests {
    use podscope_messages::Sentence;
    use podscope_protocol::{ComparedFigures, NodeRoom, PodView};

    use super::super::stage::fit::MarkGrid;
    use super::*;
    use crate::state::NodeState;

    /// A model with four pods on the node `a-1`.
    fn model() -> Model {
        let pods = ["web-1", "web-2", "db-0", "agent"].map(|name| {
            Shared::new(PodView {
                key: format!("default/{name}"),
                short: name[..2].to_owned(),
                mark: PodMark::Ready,
                ..PodView::default()
            })
        });
        let node = NodeState {
            pods: pods.to_vec(),
            ..NodeState::default()
        };
        let mut model = Model::default();
        model.nodes.insert_mut("a-1".to_owned(), Shared::new(node));
        model
    }

    fn answer() -> WhatIfAnswer {
        let one = |pod: &str, to: Option<&str>, waits| PodMove {
            pod: format!("default/{pod}"),
            from: Some("a-1".to_owned()),
            to: to.map(str::to_owned),
            reason: to.is_none().then(|| "Insufficient cpu".into()),
            waits,
        };
        WhatIfAnswer {
            change: WhatIf::Drain(vec!["a-1".to_owned()]),
            at: 0,
            moves: vec![
                one("web-1", Some("a-2"), false),
                one("web-2", Some("a-2"), false),
                one("db-0", None, true),
                one("agent", None, false),
                one("gone", Some("a-2"), false),
            ],
            room: Vec::new(),
            changes: Vec::new(),
            can_go: vec!["c-1".to_owned()],
            figures: ComparedFigures::default(),
            sections: Vec::new(),
            summary: Sentence::default(),
            markdown: Vec::new(),
        }
    }

    /// A pod without a controller is lost, so it is not shown as Pending. A pod that has left the node since the
    /// question has no mark.
    /// Shows: P-14, U-08
    #[test]
    fn preview_names_targets_waiting_pods_and_leaving_nodes() {
        let preview = WhatIfPreview::of(&Shared::new(answer()), &model());
        let words = |node: &str| preview.of_node(node, "a").map(|node| node.words(false));
        assert_eq!(words("a-1").as_deref(), Some("would be drained"));
        assert_eq!(words("a-2").as_deref(), Some("2 would come"));
        assert_eq!(words("b-1"), None);
        let labels: Vec<String> = preview.arrivals.iter().map(Arrival::label).collect();
        assert_eq!(
            labels,
            [
                "we: web-1 would go to a-2, now on a-1",
                "we: web-2 would go to a-2, now on a-1"
            ]
        );
        let waiting: Vec<String> = preview.waiting.iter().map(Arrival::label).collect();
        assert_eq!(waiting, ["db: db-0 would stay Pending, now on a-1: Insufficient cpu"]);
    }

    /// Shows: P-14
    #[test]
    fn copies_preview_shows_count_for_each_node() {
        let room = |node: &str, pods| NodeRoom {
            node: node.to_owned(),
            pods,
            reason: "Insufficient cpu".to_owned(),
        };
        let answer = WhatIfAnswer {
            change: WhatIf::Fit {
                pod: "default/web-1".to_owned(),
                need: 0,
            },
            moves: Vec::new(),
            room: vec![room("a-1", 0), room("a-2", 1), room("b-1", 12)],
            ..answer()
        };
        let preview = WhatIfPreview::of(&Shared::new(answer.clone()), &model());
        let words = |node: &str, is_narrow| preview.of_node(node, "a").map(|node| node.words(is_narrow));
        let wide = ["a-1", "a-2", "b-1"].map(|node| words(node, false).unwrap_or_default());
        assert_eq!(wide, ["no more fit", "1 more fits", "12 more fit"]);
        assert_eq!(words("b-1", true).as_deref(), Some("+12"));
        assert_eq!(words("c-1", false), None, "a node that has joined since");
        assert_eq!(preview.of_node("a-1", "a").map(|node| node.leaves()), Some(false));
        let answer = WhatIfAnswer {
            change: WhatIf::Consolidate,
            ..answer
        };
        let preview = WhatIfPreview::of(&Shared::new(answer), &model());
        let marked = |node: &str| {
            preview
                .of_node(node, "a")
                .map(|node| (node.words(false), node.leaves()))
        };
        assert_eq!(marked("c-1"), Some(("removable".to_owned(), true)));
        assert_eq!(marked("a-1"), None);
    }

    #[test]
    fn arrivals_take_free_slots_then_lower_edge() {
        let plan = NodePlan {
            area: Rect {
                x: 10.0,
                y: 20.0,
                w: 100.0,
                h: 60.0,
            },
            fit: MarkGrid {
                w: 30.0,
                h: 28.0,
                columns: 3,
                rows: 2,
                gap: 4.0,
                detail: DetailLevel::Square,
            },
            ..NodePlan::default()
        };
        let place = |nth: usize| place_of_arrival(&plan, &[0, 2, 3, 5], nth, 1.0).map(|(place, _)| place);
        assert_eq!([place(0), place(1)], [Some(plan.mark_rect(1)), Some(plan.mark_rect(4))]);
        let corner = |nth: usize| place(nth).map(|rect| (rect.x, rect.y, rect.w));
        assert_eq!(corner(2), Some((86.0, 56.0, 24.0)));
        assert_eq!(corner(3), Some((62.0, 56.0, 24.0)));
        assert_eq!(corner(6), Some((86.0, 32.0, 24.0)), "the second row");
        assert_eq!(corner(10), None);
    }
}
