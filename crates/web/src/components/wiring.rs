//! The wires from the API server to the nodes, or to the zones of a larger cluster. A cut wire has a gap.

use std::rc::Rc;

use yew::prelude::*;

use super::messages::NodeEnd;
use crate::pure::overview::Rect;
use crate::pure::stage::shape;
use crate::pure::stage::wires::{Wire, Wires, rail, wires, wires_to_zones};
use crate::pure::stage::{Plan, StageLengths, StageSize};

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) plan: Rc<Plan>,
    /// The nodes of each zone.
    pub(crate) nodes: Vec<Vec<NodeEnd>>,
}

#[component]
pub(crate) fn Wiring(props: &Props) -> Html {
    let plan = &*props.plan;
    let all = use_memo(props.plan.clone(), |plan| wires(plan));
    let measures = &plan.measures;
    let lines = match &*all {
        Wires::PerNode(nodes) => (nodes.iter().flatten().zip(props.nodes.iter().flatten()))
            .map(|(wire, node)| wire_line(wire, node.is_cut, measures))
            .collect::<Html>(),
        Wires::PerZone(zones) => (zones.iter().zip(&props.nodes))
            .map(|(wire, nodes)| {
                wire_line(
                    wire,
                    !nodes.is_empty() && nodes.iter().all(|node| node.is_cut),
                    measures,
                )
            })
            .collect::<Html>(),
    };
    html! {
        <svg class="wires" viewBox={format!("0 0 {:.1} {:.1}", plan.room.w, plan.height)} aria-hidden="true">
            { lines }
            { control_plane_wires(&plan.measures, plan.room) }
        </svg>
    }
}

/// The wires of a big cluster: one to each of these zones. `cut`: which of them have a gap.
pub(super) fn zone_wires(measures: &StageLengths, room: StageSize, zones: &[Rect], cut: &[bool]) -> Html {
    let lines = wires_to_zones(measures, &rail(measures, room.w), zones);
    html! {
        <svg class="wires" viewBox={format!("0 0 {:.1} {:.1}", room.w, room.h)} aria-hidden="true">
            { for lines.iter().zip(cut).map(|(wire, is_cut)| wire_line(wire, *is_cut, measures)) }
            { control_plane_wires(measures, room) }
        </svg>
    }
}

/// The wires from the scheduler and the controller-managers to the API server.
fn control_plane_wires(measures: &StageLengths, room: StageSize) -> Html {
    let rail = rail(measures, room.w);
    let y = rail.api.y + rail.api.h / 2.0;
    let path = |from: f64, to: f64| format!("M{from:.1} {y:.1}H{to:.1}");
    html! {
        <>
            <path class="wire" d={path(rail.scheduler.x + 8.0, rail.api.x)} />
            <path class="wire" d={path(rail.api.x + rail.api.w, rail.managers.x + rail.managers.w - 8.0)} />
        </>
    }
}

fn wire_line(wire: &Wire, is_cut: bool, measures: &StageLengths) -> Html {
    let radius = 7.0 * measures.unit;
    if !is_cut {
        return html! { <path class="wire" d={shape::rounded_polyline(&wire.points, radius)} /> };
    }
    let (from, to) = wire.cut_gap(measures.unit);
    let end = |length: f64| {
        let (x, y, degrees) = wire.point_at(length);
        let side = 5.0 * measures.unit;
        html! { <path class="wire cut" transform={format!("translate({x:.1} {y:.1}) rotate({degrees:.0})")} d={format!("M{:.1} {:.1}L{:.1} {side:.1}", -side * 0.5, -side, side * 0.5)} /> }
    };
    html! {
        <>
            <path class="wire cut" d={shape::rounded_polyline(&wire.part_between(0.0, from), radius)} />
            <path class="wire cut" d={shape::rounded_polyline(&wire.part_between(to, wire.length()), radius)} />
            { end(from) }{ end(to) }
        </>
    }
}
