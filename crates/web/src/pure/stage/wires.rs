//! Positions of the control plane's processes, and the wires from the API server to the nodes.

use super::{Plan, StageLengths};
use crate::pure::overview::Rect;

/// Maximum number of nodes that have a wire each; in a larger cluster each zone has one wire.
pub(crate) const MAX_NODES_WITH_WIRES: usize = 24;

/// Width of the stage below which processes have short names, in units.
pub(crate) const SHORT_NAMES_WIDTH: f64 = 960.0;

/// Positions of the control plane's processes. They do not depend on the number of pods that wait at the scheduler.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ControlPlaneRects {
    /// The largest area for the scheduler's box, which grows with the pods that wait in it.
    pub(crate) scheduler: Rect,
    pub(crate) api: Rect,
    /// The area of the controller-managers, which are aligned to its right edge.
    pub(crate) managers: Rect,
    /// Whether there is room only for the shortest names, as in a comparison on a phone. Then etcd is drawn only while
    /// it is down.
    pub(crate) is_tiny: bool,
}

/// Lays out the boxes of the control plane's processes.
pub(crate) fn rail(measures: &StageLengths, width: f64) -> ControlPlaneRects {
    let unit = measures.unit;
    let inner = width - 2.0 * measures.pad;
    let is_tiny = measures.is_narrow && inner < 264.0 * unit;
    let (scheduler, managers, gap) = if is_tiny {
        (58.0 * unit, 66.0 * unit, 6.0 * unit)
    } else if measures.is_narrow {
        // Scheduler and controller-managers get the width of their names, also on the narrowest phone.
        let (managers, gap) = ((inner * 0.27).max(108.0 * unit), 8.0 * unit);
        let api = 88.0 * unit;
        ((inner * 0.4).min(inner - managers - api - 2.0 * gap), managers, gap)
    } else if width < SHORT_NAMES_WIDTH * unit {
        (inner * 0.36, 132.0 * unit, 20.0 * unit)
    } else {
        (
            (inner * 0.34).min(620.0 * unit),
            (inner * 0.17).clamp(236.0 * unit, 300.0 * unit),
            26.0 * unit,
        )
    };
    let at = |x: f64, w: f64| Rect {
        x,
        y: measures.rail_top,
        w,
        h: measures.rail,
    };
    let api = measures.pad + scheduler + gap;
    let right = measures.pad + inner - managers;
    ControlPlaneRects {
        scheduler: at(measures.pad, scheduler),
        api: at(api, (right - gap - api).max(40.0 * unit)),
        managers: at(right, managers),
        is_tiny,
    }
}

/// A wire from the API server, as a polyline.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Wire {
    pub(crate) points: Vec<(f64, f64)>,
}

/// Half the length of the gap at a cut, in units.
const HALF_CUT_GAP: f64 = 6.0;

impl Wire {
    pub(crate) fn length(&self) -> f64 {
        self.points
            .windows(2)
            .map(|pair| point_distance(pair[0], pair[1]))
            .sum()
    }

    /// Returns the point of the wire at a distance from its beginning, and the wire's direction at this point, in
    /// degrees.
    pub(crate) fn point_at(&self, length: f64) -> (f64, f64, f64) {
        let mut left = length.max(0.0);
        let mut last = (0.0, 0.0, 0.0);
        for pair in self.points.windows(2) {
            let (begin, end) = (pair[0], pair[1]);
            let length = point_distance(begin, end);
            let part = if length > 0.0 { (left / length).min(1.0) } else { 1.0 };
            let degrees = (end.1 - begin.1).atan2(end.0 - begin.0).to_degrees();
            last = (
                begin.0 + (end.0 - begin.0) * part,
                begin.1 + (end.1 - begin.1) * part,
                degrees,
            );
            if left <= length {
                return last;
            }
            left -= length;
        }
        last
    }

    /// Returns the part of the wire between two distances from its beginning.
    pub(crate) fn part_between(&self, from: f64, to: f64) -> Vec<(f64, f64)> {
        let (x, y, _) = self.point_at(from);
        let mut part = vec![(x, y)];
        let mut passed = 0.0;
        for pair in self.points.windows(2) {
            passed += point_distance(pair[0], pair[1]);
            if passed > from && passed < to {
                part.push(pair[1]);
            }
        }
        let (x, y, _) = self.point_at(to);
        part.push((x, y));
        part
    }

    /// Returns the gap of a cut wire, as distances of its two ends from the wire's beginning. The gap is near the node.
    pub(crate) fn cut_gap(&self, unit: f64) -> (f64, f64) {
        let length = self.length();
        let gap = (HALF_CUT_GAP * unit).min(length / 4.0);
        // The gap is before the last corner, because the segment there is longer than the last segment.
        let tail = (self.points.windows(2).last()).map_or(0.0, |pair| point_distance(pair[0], pair[1]));
        let at = (length - tail - gap - 9.0 * unit).max(length * 0.5);
        (at - gap, at + gap)
    }
}

fn point_distance(one: (f64, f64), other: (f64, f64)) -> f64 {
    (other.0 - one.0).hypot(other.1 - one.1)
}

/// The wires from the API server: one to each node, or in a larger cluster one to each zone.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Wires {
    /// The wires by zone and node.
    PerNode(Vec<Vec<Wire>>),
    PerZone(Vec<Wire>),
}

/// Computes the wires of a plan.
pub(crate) fn wires(plan: &Plan) -> Wires {
    let rail = rail(&plan.measures, plan.room.w);
    let nodes: usize = plan.zones.iter().map(|zone| zone.nodes.len()).sum();
    if nodes > MAX_NODES_WITH_WIRES {
        let zones: Vec<Rect> = plan.zones.iter().map(|zone| zone.rect).collect();
        return Wires::PerZone(wires_to_zones(&plan.measures, &rail, &zones));
    }
    let measures = &plan.measures;
    let unit = measures.unit;
    Wires::PerNode(
        (plan.zones.iter())
            .map(|zone| {
                let rows = zone.nodes.iter().map(|node| node.at.1).max().unwrap_or(0) + 1;
                (zone.nodes.iter())
                    .map(|node| {
                        let (x, y) = (zone.rect.x + node.rect.x, zone.rect.y + node.rect.y);
                        let middle = y + measures.node_header / 2.0;
                        // Wires of a column run side by side; the wire of the lowest node is leftmost.
                        let room = if node.at.0 == 0 {
                            measures.gutter
                        } else {
                            measures.node_gap + 6.0 * unit
                        };
                        let step = (room * 0.6 / rows as f64).min(5.0 * unit);
                        let lane = x - room * 0.3 - node.at.1 as f64 * step;
                        wire_from_api_server(measures, &rail, lane, &[(lane, middle), (x, middle)])
                    })
                    .collect()
            })
            .collect(),
    )
}

/// Computes one wire for each of these zones.
pub(crate) fn wires_to_zones(measures: &StageLengths, rail: &ControlPlaneRects, zones: &[Rect]) -> Vec<Wire> {
    let first = zones.first().map_or(0.0, |zone| zone.y);
    zones
        .iter()
        .map(|zone| {
            if zone.y <= first + 1.0 {
                let x = zone.x + zone.w / 2.0;
                wire_from_api_server(measures, rail, x, &[(x, zone.y)])
            } else {
                let x = (zone.x - measures.zone_gap / 2.0).max(2.0);
                let y = zone.y + measures.zone_header / 2.0;
                wire_from_api_server(measures, rail, x, &[(x, y), (zone.x, y)])
            }
        })
        .collect()
}

/// Returns a wire that leaves the API server downwards, runs across to `x`, and continues with `rest`.
fn wire_from_api_server(measures: &StageLengths, rail: &ControlPlaneRects, x: f64, rest: &[(f64, f64)]) -> Wire {
    let bottom = rail.api.y + rail.api.h;
    let edge = 12.0 * measures.unit;
    let start = x.clamp(
        rail.api.x + edge,
        (rail.api.x + rail.api.w - edge).max(rail.api.x + edge),
    );
    let mut points = vec![(start, bottom)];
    if (start - x).abs() > 0.5 {
        let bus = bottom + measures.bus * 0.42;
        points.extend([(start, bus), (x, bus)]);
    }
    points.extend(rest);
    Wire { points }
}
