//! The rail with the control plane, and the wires from it to the nodes.

use super::{Measures, Plan};
use crate::pure::overview::Rect;

/// From so many nodes on the zones have wires instead.
pub(crate) const NODES_WITH_WIRES: usize = 24;

/// On a narrower stage the processes have short names, in units.
pub(crate) const SHORT_NAMES: f64 = 960.0;

/// Where the processes of the control plane stand. All three keep their places, whatever waits at the scheduler.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rail {
    /// The room that the scheduler's box can fill.
    pub(crate) scheduler: Rect,
    pub(crate) api: Rect,
    /// The room of the controller-managers, which stand at its right.
    pub(crate) managers: Rect,
}

/// Places of the rail.
pub(crate) fn rail(m: &Measures, width: f64) -> Rail {
    let u = m.unit;
    let inner = width - 2.0 * m.pad;
    let (scheduler, managers, gap) = if m.is_narrow {
        // The other two have the room that their names take, also on the narrowest phone.
        let (managers, gap) = ((inner * 0.27).max(108.0 * u), 8.0 * u);
        let api = 88.0 * u;
        ((inner * 0.4).min(inner - managers - api - 2.0 * gap), managers, gap)
    } else if width < SHORT_NAMES * u {
        (inner * 0.36, 132.0 * u, 20.0 * u)
    } else {
        (
            (inner * 0.34).min(620.0 * u),
            (inner * 0.17).clamp(236.0 * u, 300.0 * u),
            26.0 * u,
        )
    };
    let at = |x: f64, w: f64| Rect {
        x,
        y: m.rail_top,
        w,
        h: m.rail,
    };
    let api = m.pad + scheduler + gap;
    let right = m.pad + inner - managers;
    Rail {
        scheduler: at(m.pad, scheduler),
        api: at(api, (right - gap - api).max(40.0 * u)),
        managers: at(right, managers),
    }
}

/// A wire from the API server, as a polyline.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Wire {
    pub(crate) points: Vec<(f64, f64)>,
}

/// Half of the gap that a cut leaves, in units.
const GAP: f64 = 6.0;

impl Wire {
    pub(crate) fn length(&self) -> f64 {
        self.points.windows(2).map(|pair| distance(pair[0], pair[1])).sum()
    }

    /// The point at some length from its beginning, and its direction there in degrees.
    pub(crate) fn at(&self, length: f64) -> (f64, f64, f64) {
        let mut left = length.max(0.0);
        let mut last = (0.0, 0.0, 0.0);
        for pair in self.points.windows(2) {
            let (a, b) = (pair[0], pair[1]);
            let long = distance(a, b);
            let part = if long > 0.0 { (left / long).min(1.0) } else { 1.0 };
            let degrees = (b.1 - a.1).atan2(b.0 - a.0).to_degrees();
            last = (a.0 + (b.0 - a.0) * part, a.1 + (b.1 - a.1) * part, degrees);
            if left <= long {
                return last;
            }
            left -= long;
        }
        last
    }

    /// Its part between two lengths.
    pub(crate) fn part(&self, from: f64, to: f64) -> Vec<(f64, f64)> {
        let (x, y, _) = self.at(from);
        let mut part = vec![(x, y)];
        let mut passed = 0.0;
        for pair in self.points.windows(2) {
            passed += distance(pair[0], pair[1]);
            if passed > from && passed < to {
                part.push(pair[1]);
            }
        }
        let (x, y, _) = self.at(to);
        part.push((x, y));
        part
    }

    /// Where a cut parts it: the gap begins and ends at these lengths. It lies near the node, whose wire it is seen to be.
    pub(crate) fn cut(&self, unit: f64) -> (f64, f64) {
        let length = self.length();
        let gap = (GAP * unit).min(length / 4.0);
        // Before the corner to the node, so that it is on the longer part.
        let tail = (self.points.windows(2).last()).map_or(0.0, |pair| distance(pair[0], pair[1]));
        let at = (length - tail - gap - 9.0 * unit).max(length * 0.5);
        (at - gap, at + gap)
    }
}

fn distance(a: (f64, f64), b: (f64, f64)) -> f64 {
    (b.0 - a.0).hypot(b.1 - a.1)
}

/// The wires of the nodes by zone and node, or of the zones, if the nodes are too many.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Wires {
    Nodes(Vec<Vec<Wire>>),
    Zones(Vec<Wire>),
}

/// Wires for a plan.
pub(crate) fn wires(plan: &Plan) -> Wires {
    let rail = rail(&plan.measures, plan.room.w);
    let nodes: usize = plan.zones.iter().map(|zone| zone.nodes.len()).sum();
    if nodes > NODES_WITH_WIRES {
        let zones: Vec<Rect> = plan.zones.iter().map(|zone| zone.rect).collect();
        return Wires::Zones(to_zones(&plan.measures, &rail, &zones));
    }
    let m = &plan.measures;
    let u = m.unit;
    Wires::Nodes(
        (plan.zones.iter())
            .map(|zone| {
                let rows = zone.nodes.iter().map(|node| node.at.1).max().unwrap_or(0) + 1;
                (zone.nodes.iter())
                    .map(|node| {
                        let (x, y) = (zone.rect.x + node.rect.x, zone.rect.y + node.rect.y);
                        let middle = y + m.node_header / 2.0;
                        // Wires of one column come down beside each other, that of the lowest node leftmost.
                        let room = if node.at.0 == 0 { m.gutter } else { m.node_gap + 6.0 * u };
                        let step = (room * 0.6 / rows as f64).min(5.0 * u);
                        let lane = x - room * 0.3 - node.at.1 as f64 * step;
                        from_api(m, &rail, lane, &[(lane, middle), (x, middle)])
                    })
                    .collect()
            })
            .collect(),
    )
}

/// Wires to zones at these places.
pub(crate) fn to_zones(m: &Measures, rail: &Rail, zones: &[Rect]) -> Vec<Wire> {
    let first = zones.first().map_or(0.0, |zone| zone.y);
    zones
        .iter()
        .map(|zone| {
            if zone.y <= first + 1.0 {
                let x = zone.x + zone.w / 2.0;
                from_api(m, rail, x, &[(x, zone.y)])
            } else {
                let x = (zone.x - m.zone_gap / 2.0).max(2.0);
                let y = zone.y + m.zone_header / 2.0;
                from_api(m, rail, x, &[(x, y), (zone.x, y)])
            }
        })
        .collect()
}

/// Down from the API server's box, across to `x` below the rail, and on.
fn from_api(m: &Measures, rail: &Rail, x: f64, rest: &[(f64, f64)]) -> Wire {
    let bottom = rail.api.y + rail.api.h;
    let edge = 12.0 * m.unit;
    let start = x.clamp(
        rail.api.x + edge,
        (rail.api.x + rail.api.w - edge).max(rail.api.x + edge),
    );
    let mut points = vec![(start, bottom)];
    if (start - x).abs() > 0.5 {
        let bus = bottom + m.bus * 0.42;
        points.extend([(start, bus), (x, bus)]);
    }
    points.extend(rest);
    Wire { points }
}
