//! Geometry of the stage: how zones, nodes and pod marks share the room there is. Pure, so that it is tested natively;
//! components only draw what is planned here.

use super::overview::Rect;

pub(crate) mod arc;
pub(crate) mod fit;
pub(crate) mod halves;
pub(crate) mod messages;
pub(crate) mod shape;
pub(crate) mod slots;
pub(crate) mod wires;

use fit::{Fit, fit};

/// The room of the stage, in CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Room {
    pub(crate) w: f64,
    pub(crate) h: f64,
    /// A fourteenth of the root's font size: 1 where text is 14 px.
    pub(crate) unit: f64,
}

/// A zone to be placed: the slots that each of its nodes needs, in order.
pub(crate) type Crowd = Vec<Vec<usize>>;

/// Lengths of a stage of some size, in CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Measures {
    pub(crate) unit: f64,
    /// As wide as a phone.
    pub(crate) is_narrow: bool,
    pub(crate) pad: f64,
    /// Height of the rail, its distance from the top, and the room for wires below it.
    pub(crate) rail: f64,
    pub(crate) rail_top: f64,
    pub(crate) bus: f64,
    /// Header of a zone and of a node.
    pub(crate) zone_header: f64,
    pub(crate) node_header: f64,
    /// Between zones and between nodes.
    pub(crate) zone_gap: f64,
    pub(crate) node_gap: f64,
    /// At a zone's left, where the wires of its nodes come down; and inside its other edges.
    pub(crate) gutter: f64,
    pub(crate) inset: f64,
    /// Inside a node, beside its marks.
    pub(crate) margin: f64,
}

/// A stage that is narrower than this is laid out as a phone's, in units.
const NARROW: f64 = 600.0;
/// A stage that is lower than this spares every line, in units.
const LOW: f64 = 360.0;
/// The smallest node that still says something, in units: below it the stage grows and scrolls.
const LEAST: (f64, f64) = (70.0, 46.0);

impl Measures {
    pub(crate) fn of(room: Room) -> Measures {
        let u = room.unit;
        let is_narrow = room.w < NARROW * u;
        let is_low = room.h < LOW * u;
        let pick = |narrow: f64, low: f64, usual: f64| {
            u * if is_narrow && is_low {
                narrow.min(low)
            } else if is_narrow {
                narrow
            } else if is_low {
                low
            } else {
                usual
            }
        };
        Measures {
            unit: u,
            is_narrow,
            pad: pick(7.0, 8.0, 12.0),
            rail: pick(32.0, 32.0, 40.0),
            rail_top: pick(7.0, 6.0, 11.0),
            bus: pick(14.0, 13.0, 27.0),
            zone_header: pick(24.0, 22.0, 30.0),
            node_header: pick(26.0, 25.0, 30.0),
            zone_gap: pick(7.0, 7.0, 10.0),
            node_gap: pick(7.0, 7.0, 10.0),
            gutter: pick(13.0, 14.0, 22.0),
            inset: pick(6.0, 6.0, 8.0),
            margin: pick(7.0, 7.0, 11.0),
        }
    }

    /// Where zones begin.
    pub(crate) fn top(&self) -> f64 {
        self.rail_top + self.rail + self.bus
    }
}

/// A node's place in its zone, and what is drawn inside.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct NodePlan {
    /// In its zone.
    pub(crate) rect: Rect,
    /// The capacity's bar, inside the node.
    pub(crate) bar: Option<Rect>,
    /// The bar is high enough for names.
    pub(crate) is_bar_tall: bool,
    /// The room for marks, inside the node.
    pub(crate) area: Rect,
    /// Height of the words below the marks: whole lines, or nothing.
    pub(crate) foot: f64,
    pub(crate) fit: Fit,
    /// Column and row in its zone.
    pub(crate) at: (usize, usize),
}

/// A zone's place on the stage.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct ZonePlan {
    pub(crate) rect: Rect,
    pub(crate) nodes: Vec<NodePlan>,
}

/// Where everything is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Plan {
    pub(crate) room: Room,
    pub(crate) measures: Measures,
    pub(crate) zones: Vec<ZonePlan>,
    /// Height used: the stage's, or more where it has to scroll.
    pub(crate) height: f64,
}

/// How zones and nodes are arranged.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Grid {
    zone_columns: usize,
    node_columns: usize,
    node: (f64, f64),
    score: f64,
}

/// Lays out zones whose nodes need so many slots; `usual` slots are those that most nodes need.
pub(crate) fn plan(room: Room, crowd: &Crowd, usual: usize) -> Plan {
    let m = Measures::of(room);
    let grid = arrange(room, &m, crowd, usual);
    let columns = grid.zone_columns;
    let zone_w = (room.w - 2.0 * m.pad - (columns as f64 - 1.0) * m.zone_gap) / columns as f64;
    let rows_of = |nodes: &Vec<usize>| nodes.len().max(1).div_ceil(grid.node_columns);
    let mut zones = Vec::with_capacity(crowd.len());
    let mut y = m.top();
    for row in crowd.chunks(columns) {
        let rows = row.iter().map(rows_of).max().unwrap_or(1);
        let zone_h = m.zone_header + rows as f64 * (grid.node.1 + m.node_gap) - m.node_gap + m.inset;
        for (column, nodes) in row.iter().enumerate() {
            let rect = Rect {
                x: m.pad + column as f64 * (zone_w + m.zone_gap),
                y,
                w: zone_w,
                h: zone_h,
            };
            zones.push(zone(rect, nodes, &grid, &m, usual));
        }
        y += zone_h + m.zone_gap;
    }
    let height = (y - m.zone_gap + m.pad * 0.9).max(room.h);
    Plan {
        room,
        measures: m,
        zones,
        height: if height < room.h + 1.0 { room.h } else { height },
    }
}

/// The arrangement with the largest marks.
fn arrange(room: Room, m: &Measures, crowd: &Crowd, usual: usize) -> Grid {
    let zones = crowd.len().max(1);
    let most = crowd.iter().map(Vec::len).max().unwrap_or(1).max(1);
    let inner_h = room.h - m.top() - m.pad * 0.9;
    let mut best: Option<Grid> = None;
    for zone_columns in 1..=zones {
        let zone_w = (room.w - 2.0 * m.pad - (zone_columns as f64 - 1.0) * m.zone_gap) / zone_columns as f64;
        for node_columns in 1..=most {
            let gap = lane(m, node_columns);
            let w = (zone_w - m.inset - m.gutter - (node_columns as f64 - 1.0) * gap) / node_columns as f64;
            if node_columns * zone_columns > 1 && w < LEAST.0 * m.unit {
                break;
            }
            let (zone_rows, node_rows) = rows(crowd, zone_columns, node_columns);
            let taken = zone_rows as f64 * (m.zone_header + m.inset - m.node_gap + m.zone_gap) - m.zone_gap;
            let fair = (inner_h - taken) / node_rows as f64 - m.node_gap;
            let h = fair.max(LEAST.1 * m.unit);
            let inside = inside(m, w, h, usual);
            let squat = if w < 150.0 * m.unit && !m.is_narrow { 0.6 } else { 1.0 };
            let lean = if zone_columns > 1 && w / h < 0.8 { 0.7 } else { 1.0 };
            // Zones side by side are what the eye compares.
            let split = if zone_columns == zones || zone_columns == 1 {
                1.0
            } else {
                0.85
            };
            // What has to scroll comes last.
            let fits = if fair < h - 0.5 { 0.01 } else { 1.0 };
            let score = inside.fit.area() * squat * lean * split * fits;
            if best.is_none_or(|best| score > best.score) {
                best = Some(Grid {
                    zone_columns,
                    node_columns,
                    node: (w, h),
                    score,
                });
            }
        }
    }
    best.unwrap_or(Grid {
        zone_columns: 1,
        node_columns: 1,
        node: (LEAST.0 * m.unit, LEAST.1 * m.unit),
        score: 0.0,
    })
}

/// Between two columns of nodes: the wires of the right one come down there.
fn lane(m: &Measures, node_columns: usize) -> f64 {
    if node_columns > 1 {
        m.node_gap + 6.0 * m.unit
    } else {
        m.node_gap
    }
}

/// Rows of zones, and of nodes in all of them together.
fn rows(crowd: &Crowd, zone_columns: usize, node_columns: usize) -> (usize, usize) {
    let mut sum = 0;
    for row in crowd.chunks(zone_columns) {
        sum += (row.iter().map(|nodes| nodes.len().max(1).div_ceil(node_columns)))
            .max()
            .unwrap_or(1);
    }
    (crowd.len().max(1).div_ceil(zone_columns), sum.max(1))
}

fn zone(rect: Rect, nodes: &[usize], grid: &Grid, m: &Measures, usual: usize) -> ZonePlan {
    // A zone with fewer nodes than others makes them larger.
    let columns = grid.node_columns.min(nodes.len()).max(1);
    let rows = nodes.len().max(1).div_ceil(columns);
    let gap = lane(m, columns);
    let w = (rect.w - m.inset - m.gutter - (columns as f64 - 1.0) * gap) / columns as f64;
    let h = (rect.h - m.zone_header - m.inset - (rows as f64 - 1.0) * m.node_gap) / rows as f64;
    let nodes = nodes.iter().enumerate().map(|(nth, slots)| {
        let at = (nth % columns, nth / columns);
        NodePlan {
            rect: Rect {
                x: m.gutter + at.0 as f64 * (w + gap),
                y: m.zone_header + at.1 as f64 * (h + m.node_gap),
                w,
                h,
            },
            at,
            ..inside(m, w, h, (*slots).max(usual))
        }
    });
    ZonePlan {
        rect,
        nodes: nodes.collect(),
    }
}

/// What is drawn inside a node of this size with so many slots: bar, marks, words.
fn inside(m: &Measures, w: f64, h: f64, slots: usize) -> NodePlan {
    let u = m.unit;
    let is_tall = h > 310.0 * u && w > 280.0 * u;
    let has_bar = h > 78.0 * u;
    let inner = w - 2.0 * m.margin;
    let top = m.node_header + if has_bar && !is_tall { 14.0 * u } else { 2.0 * u };
    let below = if is_tall { 62.0 * u } else { 8.0 * u };
    let gap = (if m.is_narrow {
        6.0
    } else if slots > 4 {
        8.0
    } else {
        11.0
    }) * u;
    let area = Rect {
        x: m.margin,
        y: top,
        w: inner,
        h: (h - top - below).max(0.0),
    };
    let fit = fit(area.w, area.h, slots, gap, u);
    let spare = area.h - fit.height();
    let bar = has_bar.then(|| {
        let (y, h) = if is_tall {
            (h - 44.0 * u, 26.0 * u)
        } else {
            (m.node_header + 1.0 * u, 5.0 * u)
        };
        Rect {
            x: m.margin,
            y,
            w: inner,
            h,
        }
    });
    NodePlan {
        rect: Rect { x: 0.0, y: 0.0, w, h },
        bar,
        is_bar_tall: is_tall,
        area,
        foot: (spare / (FOOT_LINE * u)).floor().max(0.0) * FOOT_LINE * u,
        fit,
        at: (0, 0),
    }
}

/// A line of words below the marks, in CSS pixels at the usual text size: see `.truth` in cluster.css.
const FOOT_LINE: f64 = 22.0;

/// A node by itself: one of a big cluster that is looked at.
pub(crate) fn alone(m: &Measures, rect: Rect, slots: usize) -> NodePlan {
    NodePlan {
        rect,
        ..inside(m, rect.w, rect.h, slots)
    }
}

impl NodePlan {
    /// Where the mark of a slot is, inside the node.
    pub(crate) fn mark(&self, slot: usize) -> Rect {
        let at = self.fit.slot(slot);
        Rect {
            x: self.area.x + at.x,
            y: self.area.y + at.y,
            ..at
        }
    }
}

#[cfg(test)]
mod tests;
