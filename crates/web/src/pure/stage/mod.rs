//! Geometry of the stage (the drawing of the cluster): how zones, nodes and pod marks (icons) share the available
//! space. It is pure and tested natively; components draw what is planned here.

use super::overview::Rect;

pub(crate) mod arc;
pub(crate) mod fit;
pub(crate) mod halves;
pub(crate) mod messages;
pub(crate) mod requests;
pub(crate) mod shape;
pub(crate) mod slots;
pub(crate) mod wires;

use fit::{MarkGrid, fit_marks};

/// The size of the stage, in CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct StageSize {
    pub(crate) w: f64,
    pub(crate) h: f64,
    /// One pixel at the default font size of 14 pixels: the root's font size / 14.
    pub(crate) unit: f64,
}

/// For each zone, the number of slots (cells for pods) that each of its nodes needs.
pub(crate) type SlotsByNode = Vec<Vec<usize>>;

/// Lengths for a stage of a given size, in CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct StageLengths {
    pub(crate) unit: f64,
    /// The stage has the width of a phone.
    pub(crate) is_narrow: bool,
    pub(crate) pad: f64,
    /// Height of the control plane, its distance from the top, and the height of the area for wires below it.
    pub(crate) rail: f64,
    pub(crate) rail_top: f64,
    pub(crate) bus: f64,
    /// Heights of the headers of a zone and of a node.
    pub(crate) zone_header: f64,
    pub(crate) node_header: f64,
    /// Gaps between zones and between nodes.
    pub(crate) zone_gap: f64,
    pub(crate) node_gap: f64,
    /// Padding at a zone's left edge, where the wires of its nodes run, and padding at its other edges.
    pub(crate) gutter: f64,
    pub(crate) inset: f64,
    /// Padding between the edge of a node and its pods.
    pub(crate) margin: f64,
}

/// Width below which a stage has the layout for phones, in units.
const NARROW_WIDTH: f64 = 600.0;
/// Height below which a stage has smaller gaps and headers, in units.
const LOW_HEIGHT: f64 = 360.0;
/// Smallest useful size of a node, in units. If nodes would be smaller, the stage grows and scrolls.
const MIN_NODE_SIZE: (f64, f64) = (70.0, 46.0);

impl StageSize {
    /// Returns whether the stage has the width of a phone.
    pub(crate) fn is_narrow(self) -> bool {
        self.w < NARROW_WIDTH * self.unit
    }
}

impl StageLengths {
    pub(crate) fn of(stage: StageSize) -> StageLengths {
        let unit = stage.unit;
        let is_narrow = stage.is_narrow();
        let is_low = stage.h < LOW_HEIGHT * unit;
        let pick = |narrow: f64, low: f64, usual_slots: f64| {
            unit * if is_narrow && is_low {
                narrow.min(low)
            } else if is_narrow {
                narrow
            } else if is_low {
                low
            } else {
                usual_slots
            }
        };
        StageLengths {
            unit,
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

    /// Returns the y coordinate of the upper edge of the zones.
    pub(crate) fn zones_top(&self) -> f64 {
        self.rail_top + self.rail + self.bus
    }
}

/// The position of a node in its zone, and the areas inside the node.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct NodePlan {
    /// Rectangle of the node, relative to the zone.
    pub(crate) rect: Rect,
    /// The capacity bar, relative to the node.
    pub(crate) bar: Option<Rect>,
    /// The bar is high enough for names.
    pub(crate) is_bar_tall: bool,
    /// The area for pods, relative to the node.
    pub(crate) area: Rect,
    /// Height of the text below the pods: whole lines, or 0.
    pub(crate) foot: f64,
    pub(crate) fit: MarkGrid,
    /// Column and row of the node in the zone's grid.
    pub(crate) at: (usize, usize),
}

/// The position of a zone on the stage.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct ZonePlan {
    pub(crate) rect: Rect,
    pub(crate) nodes: Vec<NodePlan>,
}

/// The layout of the whole stage.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Plan {
    pub(crate) room: StageSize,
    pub(crate) measures: StageLengths,
    pub(crate) zones: Vec<ZonePlan>,
    /// Used height: the stage's height, or more if the stage has to scroll.
    pub(crate) height: f64,
}

/// An arrangement of zones and nodes.
#[derive(Debug, Clone, Copy, PartialEq)]
struct ZoneAndNodeGrid {
    zone_columns: usize,
    node_columns: usize,
    node: (f64, f64),
    score: f64,
}

/// Lays out the zones. Every node has space for at least `usual_slots` slots (cells for pods).
pub(crate) fn plan(room: StageSize, slots_by_node: &SlotsByNode, usual_slots: usize) -> Plan {
    let measures = StageLengths::of(room);
    let grid = best_grid(room, &measures, slots_by_node, usual_slots);
    let columns = grid.zone_columns;
    let zone_w = (room.w - 2.0 * measures.pad - (columns as f64 - 1.0) * measures.zone_gap) / columns as f64;
    let rows_of = |nodes: &Vec<usize>| nodes.len().max(1).div_ceil(grid.node_columns);
    let mut zones = Vec::with_capacity(slots_by_node.len());
    let mut y = measures.zones_top();
    for row in slots_by_node.chunks(columns) {
        let rows = row.iter().map(rows_of).max().unwrap_or(1);
        let zone_h =
            measures.zone_header + rows as f64 * (grid.node.1 + measures.node_gap) - measures.node_gap + measures.inset;
        for (column, nodes) in row.iter().enumerate() {
            let rect = Rect {
                x: measures.pad + column as f64 * (zone_w + measures.zone_gap),
                y,
                w: zone_w,
                h: zone_h,
            };
            zones.push(plan_zone(rect, nodes, &grid, &measures, usual_slots));
        }
        y += zone_h + measures.zone_gap;
    }
    let height = (y - measures.zone_gap + measures.pad * 0.9).max(room.h);
    Plan {
        room,
        measures,
        zones,
        height: if height < room.h + 1.0 { room.h } else { height },
    }
}

/// Returns the arrangement of zones and nodes in which pods are largest.
fn best_grid(
    room: StageSize,
    measures: &StageLengths,
    slots_by_node: &SlotsByNode,
    usual_slots: usize,
) -> ZoneAndNodeGrid {
    let zones = slots_by_node.len().max(1);
    let max_nodes = slots_by_node.iter().map(Vec::len).max().unwrap_or(1).max(1);
    let inner_h = room.h - measures.zones_top() - measures.pad * 0.9;
    let mut best: Option<ZoneAndNodeGrid> = None;
    for zone_columns in 1..=zones {
        let zone_w =
            (room.w - 2.0 * measures.pad - (zone_columns as f64 - 1.0) * measures.zone_gap) / zone_columns as f64;
        for node_columns in 1..=max_nodes {
            let gap = column_gap(measures, node_columns);
            let w =
                (zone_w - measures.inset - measures.gutter - (node_columns as f64 - 1.0) * gap) / node_columns as f64;
            if node_columns * zone_columns > 1 && w < MIN_NODE_SIZE.0 * measures.unit {
                break;
            }
            let (zone_rows, node_rows) = count_rows(slots_by_node, zone_columns, node_columns);
            let headers = zone_rows as f64
                * (measures.zone_header + measures.inset - measures.node_gap + measures.zone_gap)
                - measures.zone_gap;
            let available = (inner_h - headers) / node_rows as f64 - measures.node_gap;
            let h = available.max(MIN_NODE_SIZE.1 * measures.unit);
            let inner = node_layout(measures, w, h, usual_slots);
            let narrow_factor = if w < 150.0 * measures.unit && !measures.is_narrow {
                0.6
            } else {
                1.0
            };
            let slim_factor = if zone_columns > 1 && w / h < 0.8 { 0.7 } else { 1.0 };
            // An arrangement with all zones in one row or one column is preferred, because zones are then easier to
            // compare.
            let grid_factor = if zone_columns == zones || zone_columns == 1 {
                1.0
            } else {
                0.85
            };
            // An arrangement that has to scroll is chosen only if every arrangement has to.
            let scroll_factor = if available < h - 0.5 { 0.01 } else { 1.0 };
            let score = inner.fit.area() * narrow_factor * slim_factor * grid_factor * scroll_factor;
            if best.is_none_or(|best| score > best.score) {
                best = Some(ZoneAndNodeGrid {
                    zone_columns,
                    node_columns,
                    node: (w, h),
                    score,
                });
            }
        }
    }
    best.unwrap_or(ZoneAndNodeGrid {
        zone_columns: 1,
        node_columns: 1,
        node: (MIN_NODE_SIZE.0 * measures.unit, MIN_NODE_SIZE.1 * measures.unit),
        score: 0.0,
    })
}

/// Returns the gap between two columns of nodes; the wires of the right column run in it.
fn column_gap(measures: &StageLengths, node_columns: usize) -> f64 {
    if node_columns > 1 {
        measures.node_gap + 6.0 * measures.unit
    } else {
        measures.node_gap
    }
}

/// Returns the number of rows of zones, and the number of rows of nodes in all of them.
fn count_rows(slots_by_node: &SlotsByNode, zone_columns: usize, node_columns: usize) -> (usize, usize) {
    let mut sum = 0;
    for row in slots_by_node.chunks(zone_columns) {
        sum += (row.iter().map(|nodes| nodes.len().max(1).div_ceil(node_columns)))
            .max()
            .unwrap_or(1);
    }
    (slots_by_node.len().max(1).div_ceil(zone_columns), sum.max(1))
}

fn plan_zone(
    rect: Rect,
    nodes: &[usize],
    grid: &ZoneAndNodeGrid,
    measures: &StageLengths,
    usual_slots: usize,
) -> ZonePlan {
    // A zone with fewer nodes than others has larger nodes.
    let columns = grid.node_columns.min(nodes.len()).max(1);
    let rows = nodes.len().max(1).div_ceil(columns);
    let gap = column_gap(measures, columns);
    let w = (rect.w - measures.inset - measures.gutter - (columns as f64 - 1.0) * gap) / columns as f64;
    let h = (rect.h - measures.zone_header - measures.inset - (rows as f64 - 1.0) * measures.node_gap) / rows as f64;
    let nodes = nodes.iter().enumerate().map(|(nth, slots)| {
        let at = (nth % columns, nth / columns);
        NodePlan {
            rect: Rect {
                x: measures.gutter + at.0 as f64 * (w + gap),
                y: measures.zone_header + at.1 as f64 * (h + measures.node_gap),
                w,
                h,
            },
            at,
            ..node_layout(measures, w, h, (*slots).max(usual_slots))
        }
    });
    ZonePlan {
        rect,
        nodes: nodes.collect(),
    }
}

/// Lays out the inside of a node of this size: capacity bar, pods, text.
fn node_layout(measures: &StageLengths, w: f64, h: f64, slots: usize) -> NodePlan {
    let unit = measures.unit;
    let is_tall = h > 310.0 * unit && w > 280.0 * unit;
    let has_bar = h > 78.0 * unit;
    let inner = w - 2.0 * measures.margin;
    let top = measures.node_header + if has_bar && !is_tall { 14.0 * unit } else { 2.0 * unit };
    let below = if is_tall { 62.0 * unit } else { 8.0 * unit };
    let gap = (if measures.is_narrow {
        6.0
    } else if slots > 4 {
        8.0
    } else {
        11.0
    }) * unit;
    let area = Rect {
        x: measures.margin,
        y: top,
        w: inner,
        h: (h - top - below).max(0.0),
    };
    let fit = fit_marks(area.w, area.h, slots, gap, unit);
    let spare = area.h - fit.height();
    let bar = has_bar.then(|| {
        let (y, h) = if is_tall {
            (h - 44.0 * unit, 26.0 * unit)
        } else {
            (measures.node_header + 1.0 * unit, 5.0 * unit)
        };
        Rect {
            x: measures.margin,
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
        foot: (spare / (FOOT_LINE_HEIGHT * unit)).floor().max(0.0) * FOOT_LINE_HEIGHT * unit,
        fit,
        at: (0, 0),
    }
}

/// Height of a line of text below the pods, in CSS pixels at the default font size; see `.truth` in cluster.css.
const FOOT_LINE_HEIGHT: f64 = 22.0;

/// Lays out a single node, outside any zone.
pub(crate) fn single_node(measures: &StageLengths, rect: Rect, slots: usize) -> NodePlan {
    NodePlan {
        rect,
        ..node_layout(measures, rect.w, rect.h, slots)
    }
}

impl NodePlan {
    /// Returns the rectangle of the pod in a slot, relative to the node.
    pub(crate) fn mark_rect(&self, slot: usize) -> Rect {
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
