//! `ImageLocality`: prefers nodes that already have the pod's images (SCH-108, SCH-109).

use super::{ExtensionPoints, PluginSpec, Point};
use crate::cache::ImageState;
use crate::cycle::{Cycle, CycleState};
use crate::node_info::NodeIdx;
use podscope_messages::plugin as messages;

pub(super) const SPEC: PluginSpec = PluginSpec {
    weight: 1,
    about: Some(messages::image_locality_about),
    ..PluginSpec::new("ImageLocality", &[Point::Score], &ImageLocality)
};

const MIB: i64 = 1024 * 1024;
const MIN_IMAGE_BYTES: i64 = 23 * MIB;
const MAX_IMAGE_BYTES_PER_CONTAINER: i64 = 1000 * MIB;

struct ImageLocality;

impl ExtensionPoints for ImageLocality {
    fn score(&self, cycle: &Cycle<'_>, _: &CycleState, feasible: &[NodeIdx], scores: &mut [i64]) -> bool {
        if cycle.cache.has_no_images() {
            return false;
        }
        let max = MAX_IMAGE_BYTES_PER_CONTAINER * cycle.incoming.n_containers;
        if max <= MIN_IMAGE_BYTES {
            scores.fill(0);
            return true;
        }
        let n_nodes = cycle.cache.examination_order().len() as f64;
        let images = cycle.incoming.images.iter();
        let known: Vec<&ImageState> = images.filter_map(|image| cycle.cache.image(*image)).collect();
        for (score, node) in scores.iter_mut().zip(feasible) {
            let weighted_size =
                |image: &&ImageState| image.size as f64 * (f64::from(image.snapshot_node_count(*node)) / n_nodes);
            let sum: i64 = known.iter().map(|image| weighted_size(image) as i64).sum();
            *score = 100 * (sum.clamp(MIN_IMAGE_BYTES, max) - MIN_IMAGE_BYTES) / (max - MIN_IMAGE_BYTES);
        }
        true
    }
}
