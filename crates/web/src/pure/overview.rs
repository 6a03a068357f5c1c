//! The layout of the picture of a big cluster: squares for zones, nodes and pods that fill the available space, and the
//! search for the node at a point (U-09).

/// Maximum numbers of pods and nodes for which the cluster, or the zone shown alone, is drawn as cards instead of one
/// picture (U-09): the browser lays out and paints some seventy boxes for a card, and a few squares for a node of the
/// picture.
const MAX_PODS_AS_CARDS: usize = 800;
const MAX_NODES_AS_CARDS: usize = 80;

/// Returns whether this number of nodes and pods is drawn as one picture instead of cards.
pub(crate) fn needs_picture(n_nodes: usize, n_pods: usize) -> bool {
    n_nodes > MAX_NODES_AS_CARDS || n_pods > MAX_PODS_AS_CARDS
}

/// A rectangle, in CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Rect {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) w: f64,
    pub(crate) h: f64,
}

impl Rect {
    fn contains(self, x: f64, y: f64) -> bool {
        x >= self.x && x < self.x + self.w && y >= self.y && y < self.y + self.h
    }
}

/// The layout of the whole picture.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct OverviewLayout {
    /// Rectangle of each zone.
    pub(crate) zones: Vec<Rect>,
    /// Square of each node, by zone and index of the node.
    pub(crate) nodes: Vec<Vec<Rect>>,
    /// Side length of a pod's square.
    pub(crate) pod_side: f64,
    /// Number of pods in a row of a node's square.
    pub(crate) per_row: usize,
    /// Height that the picture uses.
    pub(crate) height: f64,
}

const ZONE_GAP: f64 = 10.0;
/// Padding inside a zone, in CSS pixels.
const ZONE_PADDING: f64 = 8.0;
/// Height of a zone's title.
pub(crate) const ZONE_TITLE_HEIGHT: f64 = 28.0;

/// Returns the number of squares for pods in each node: enough for the fullest node. The number stays the same while
/// more than half of the squares are used, because every change repaints the whole picture.
pub(crate) fn pod_square_count(before: usize, fullest: usize) -> usize {
    let side = squares_per_row(fullest);
    let room = side * side;
    if room < before && room * 2 > before {
        before
    } else {
        room
    }
}

/// Returns the number of squares per row for this number of pods.
fn squares_per_row(pods: usize) -> usize {
    (1..=32).find(|n| n * n >= pods.max(1)).unwrap_or(32)
}

/// Smallest side of a node's cell that is still visible, in CSS pixels.
const MIN_NODE_CELL_SIDE: f64 = 5.0;
/// Largest side of a node's cell, in CSS pixels.
const MAX_NODE_CELL_SIDE: f64 = 120.0;

/// Returns the side of a node's cell, and the number of cells per row, so that `max_nodes` cells fit into the area.
fn cell_size(max_nodes: usize, w: f64, h: f64) -> (f64, usize) {
    let mut best = (0.0_f64, 1);
    for per_row_of_cells in 1..=max_nodes.max(1) {
        let rows = max_nodes.max(1).div_ceil(per_row_of_cells);
        let cell = (w / per_row_of_cells as f64)
            .min(h / rows as f64)
            .min(MAX_NODE_CELL_SIDE);
        if cell > best.0 {
            best = (cell, per_row_of_cells);
        }
    }
    if best.0 < MIN_NODE_CELL_SIDE {
        return (MIN_NODE_CELL_SIDE, ((w / MIN_NODE_CELL_SIDE).max(1.0)) as usize);
    }
    // A row is filled completely before another row begins.
    (best.0, ((w / best.0 + 1e-6) as usize).max(best.1))
}

/// Lays out zones with the given numbers of nodes so that all nodes are visible. Each node has space for `pods`
/// squares.
pub(crate) fn overview_layout(zones: &[usize], pods: usize, width: f64, height: f64) -> OverviewLayout {
    let max_nodes = zones.iter().copied().max().unwrap_or(0).max(1);
    let count = zones.len().max(1);
    let of = |columns: usize| {
        let rows = count.div_ceil(columns);
        let zone_w = (width - ZONE_GAP * (columns as f64 - 1.0)) / columns as f64;
        let zone_h = (height - ZONE_GAP * (rows as f64 - 1.0)) / rows as f64;
        let (cell, per_row_of_cells) = cell_size(
            max_nodes,
            (zone_w - 2.0 * ZONE_PADDING).max(MIN_NODE_CELL_SIDE),
            (zone_h - ZONE_TITLE_HEIGHT - ZONE_PADDING).max(MIN_NODE_CELL_SIDE),
        );
        (cell, per_row_of_cells, zone_w, zone_h, columns)
    };
    let mut best = of(1);
    for columns in 2..=count {
        let next = of(columns);
        if next.2 >= 60.0 && next.0 > best.0 {
            best = next;
        }
    }
    let (cell, per_row_of_cells, zone_w, zone_h, columns) = best;
    let between = if cell < 16.0 { 1.5 } else { 4.0 };
    let per_row = squares_per_row(pods);
    let pod_side = ((cell - between - 2.0) / per_row as f64).clamp(0.5, 12.0);
    let zone_h = zone_h.max(ZONE_TITLE_HEIGHT + ZONE_PADDING + max_nodes.div_ceil(per_row_of_cells) as f64 * cell);
    let mut out = OverviewLayout {
        pod_side,
        per_row,
        ..OverviewLayout::default()
    };
    for (zone_index, n_nodes) in zones.iter().enumerate() {
        let (col, row) = (zone_index % columns, zone_index / columns);
        let zone = Rect {
            x: col as f64 * (zone_w + ZONE_GAP),
            y: row as f64 * (zone_h + ZONE_GAP),
            w: zone_w,
            h: zone_h,
        };
        out.height = out.height.max(zone.y + zone.h);
        out.nodes.push(
            (0..*n_nodes)
                .map(|node_index| Rect {
                    x: zone.x + ZONE_PADDING + (node_index % per_row_of_cells) as f64 * cell,
                    y: zone.y + ZONE_TITLE_HEIGHT + (node_index / per_row_of_cells) as f64 * cell,
                    w: cell - between,
                    h: cell - between,
                })
                .collect(),
        );
        out.zones.push(zone);
    }
    out
}

impl OverviewLayout {
    /// Returns the square of a node, by zone and index.
    pub(crate) fn node(&self, (zone, node): (usize, usize)) -> Rect {
        let of = |nodes: &Vec<Rect>| nodes.get(node).copied();
        self.nodes.get(zone).and_then(of).unwrap_or_default()
    }

    /// Returns zone and index of the node at a point.
    pub(crate) fn node_at(&self, x: f64, y: f64) -> Option<(usize, usize)> {
        let zone = self.zones.iter().position(|zone| zone.contains(x, y))?;
        let node = self.nodes.get(zone)?.iter().position(|node| node.contains(x, y))?;
        Some((zone, node))
    }

    /// Returns the square of the k-th pod of a node.
    pub(crate) fn pod_rect(&self, node: Rect, pod_index: usize) -> Rect {
        let (col, row) = (pod_index % self.per_row, pod_index / self.per_row);
        Rect {
            x: node.x + 1.0 + col as f64 * self.pod_side,
            y: node.y + 1.0 + row as f64 * self.pod_side,
            w: self.pod_side,
            h: self.pod_side,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A thousand nodes with ten pods each are drawn without overlap, inside their zones.
    /// Shows: U-09
    #[test]
    fn thousand_nodes_fit_inside_their_zones() {
        let plan = overview_layout(&[334, 333, 333], 10, 800.0, 600.0);
        assert_eq!(plan.nodes.iter().map(Vec::len).sum::<usize>(), 1000);
        for (zone, nodes) in plan.zones.iter().zip(&plan.nodes) {
            for node in nodes {
                assert!(node.x >= zone.x && node.x + node.w <= zone.x + zone.w + 0.5);
                assert!(node.y + node.h <= zone.y + zone.h + 0.5);
                assert!(node.w >= 12.0);
            }
        }
        let node = plan.nodes[1][17];
        assert_eq!(plan.node_at(node.x + 3.0, node.y + 3.0), Some((1, 17)));
        let last = plan.pod_rect(node, 9);
        assert!(last.x + last.w <= node.x + node.w && last.y + last.h <= node.y + node.h);
    }

    /// Ten zones of a hundred nodes are visible on a laptop and on a phone.
    /// Shows: U-09
    #[test]
    fn ten_zones_of_hundred_nodes_fit_the_stage() {
        for (w, h) in [(1416.0, 620.0), (1342.0, 420.0), (376.0, 420.0)] {
            let plan = overview_layout(&[100; 10], 3, w, h);
            assert!(plan.height <= h + 0.5, "{w}×{h}: {}", plan.height);
            assert!(plan.zones.iter().all(|zone| zone.x + zone.w <= w + 0.5));
            assert!(plan.nodes[9][99].w >= 3.0);
        }
    }

    /// The number of squares does not shrink at the end of a short peak, so a rollout does not repaint the whole
    /// picture twice.
    #[test]
    fn square_count_grows_at_once_and_shrinks_below_half() {
        let mut before = 0;
        for (fullest, room_for) in [
            (10, 16),
            (17, 25),
            (16, 25),
            (10, 25),
            (9, 9),
            (1, 1),
            (0, 1),
            (5_000, 1024),
        ] {
            before = pod_square_count(before, fullest);
            assert_eq!(before, room_for, "{fullest}");
        }
    }

    #[test]
    fn empty_and_narrow_pictures_are_laid_out() {
        overview_layout(&[], 0, 0.0, 0.0);
        let narrow = overview_layout(&[5, 5], 500, 200.0, 10.0);
        assert_eq!(narrow.zones.len(), 2);
        assert_eq!(narrow.node_at(-1.0, -1.0), None);
    }
}
