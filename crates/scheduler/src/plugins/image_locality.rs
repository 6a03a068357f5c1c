//! `ImageLocality`: nodes that already hold the pod's images (SCH-108, SCH-109).

use super::{ExtensionPoints, Point, Row};
use crate::cycle::{Cycle, CycleState};
use crate::node_info::{NodeIdx, NodeInfo};

pub(super) const ROW: Row = Row {
    weight: 1,
    about: "images already on the node",
    ..Row::new("ImageLocality", &[Point::Score], &ImageLocality)
};

const MIB: i64 = 1024 * 1024;
const MIN: i64 = 23 * MIB;
const MAX_PER_CONTAINER: i64 = 1000 * MIB;

struct ImageLocality;

impl ExtensionPoints for ImageLocality {
    fn score(&self, cycle: &Cycle<'_>, _: &CycleState, feasible: &[NodeIdx], scores: &mut [i64]) -> bool {
        if cycle.cache.has_no_images() {
            return false;
        }
        for (score, node) in scores.iter_mut().zip(feasible) {
            *score = of_node(cycle, cycle.cache.node(*node));
        }
        true
    }
}

fn of_node(cycle: &Cycle<'_>, node: &NodeInfo) -> i64 {
    let max = MAX_PER_CONTAINER * cycle.incoming.n_containers;
    if node.images.is_empty() || max <= MIN {
        return 0;
    }
    let n_nodes = cycle.cache.order().len() as f64;
    let mut sum = 0_i64;
    for image in &cycle.incoming.images {
        if let Ok(index) = node.images.binary_search_by_key(image, |held| held.name) {
            let held = &node.images[index];
            sum += (held.size as f64 * (f64::from(held.nodes) / n_nodes)) as i64;
        }
    }
    100 * (sum.clamp(MIN, max) - MIN) / (max - MIN)
}
