//! The default plugins: one file each, and the one table of their order, weights and extension points
//! (SCH-032, SCH-033).

pub mod balanced_allocation;
pub mod default_binder;
pub mod default_preemption;
pub mod dynamic_resources;
pub mod image_locality;
pub mod inter_pod_affinity;
pub mod node_affinity;
pub mod node_name;
pub mod node_ports;
pub mod node_resources_fit;
pub mod node_unschedulable;
pub mod node_volume_limits;
pub mod pod_topology_spread;
pub mod priority_sort;
pub mod scheduling_gates;
pub mod taint_toleration;
pub mod volume_binding;
pub mod volume_restrictions;
pub mod volume_zone;

use Point::{Bind, Filter, PostFilter, PreBind, PreEnqueue, PreFilter, PreScore, QueueSort, Reserve, Score};

/// Where a plugin is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Point {
    /// Before a pod enters activeQ.
    PreEnqueue,
    /// Order of activeQ.
    QueueSort,
    /// Once per cycle, before nodes are examined.
    PreFilter,
    /// Per node: can it run there?
    Filter,
    /// When no node passed.
    PostFilter,
    /// Once per cycle, before nodes are scored.
    PreScore,
    /// Per feasible node.
    Score,
    /// When a node is chosen.
    Reserve,
    /// Hold or let through.
    Permit,
    /// Before binding.
    PreBind,
    /// Binding.
    Bind,
    /// After binding.
    PostBind,
}

impl Point {
    /// Every point with its name in the configuration.
    pub const ALL: [(Point, &'static str); 12] = [
        (Point::PreEnqueue, "preEnqueue"),
        (Point::QueueSort, "queueSort"),
        (Point::PreFilter, "preFilter"),
        (Point::Filter, "filter"),
        (Point::PostFilter, "postFilter"),
        (Point::PreScore, "preScore"),
        (Point::Score, "score"),
        (Point::Reserve, "reserve"),
        (Point::Permit, "permit"),
        (Point::PreBind, "preBind"),
        (Point::Bind, "bind"),
        (Point::PostBind, "postBind"),
    ];
}

/// One row of the table.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// The plugin.
    pub plugin: Plugin,
    /// Its name in Kubernetes.
    pub name: &'static str,
    /// Its default weight; 0 means 1 where it scores.
    pub weight: i64,
    /// The points it implements.
    pub points: &'static [Point],
    /// In a few words, for people.
    pub about: &'static str,
}

macro_rules! plugins {
    ($($variant:ident $name:literal $weight:literal [$($point:ident),*] $about:literal;)*) => {
        /// A plugin. The order of the variants is the default order.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Plugin { $(#[doc = concat!("`", $name, "`: ", $about, ".")] $variant),* }
        /// The default plugins in MultiPoint order.
        pub const TABLE: &[Row] = &[$(Row {
            plugin: Plugin::$variant, name: $name, weight: $weight, points: &[$($point),*], about: $about,
        }),*];
    };
}
plugins! {
    SchedulingGates "SchedulingGates" 0 [PreEnqueue] "a pod with gates waits";
    PrioritySort "PrioritySort" 0 [QueueSort] "higher priority first";
    NodeUnschedulable "NodeUnschedulable" 0 [Filter] "cordoned nodes";
    NodeName "NodeName" 0 [Filter] "a node asked for by name";
    TaintToleration "TaintToleration" 3 [Filter, PreScore, Score] "taints and tolerations";
    NodeAffinity "NodeAffinity" 2 [PreFilter, Filter, PreScore, Score] "nodeSelector and node affinity";
    NodePorts "NodePorts" 0 [PreFilter, Filter] "ports of the node";
    NodeResourcesFit "NodeResourcesFit" 1 [PreFilter, Filter, PreScore, Score] "room for the pod's requests";
    VolumeRestrictions "VolumeRestrictions" 0 [PreFilter, Filter] "volumes only one pod may use";
    NodeVolumeLimits "NodeVolumeLimits" 0 [PreFilter, Filter] "how many volumes a node can attach";
    VolumeBinding "VolumeBinding" 0 [PreFilter, Filter, PreScore, Score, Reserve, PreBind] "volumes the node can reach";
    VolumeZone "VolumeZone" 0 [PreFilter, Filter] "volumes and nodes of one zone";
    PodTopologySpread "PodTopologySpread" 2 [PreFilter, Filter, PreScore, Score] "pods spread over domains";
    InterPodAffinity "InterPodAffinity" 2 [PreFilter, Filter, PreScore, Score] "near or far from other pods";
    DynamicResources "DynamicResources" 0 [PreEnqueue, PreFilter, Filter, PostFilter, Reserve, PreBind] "claims on devices";
    DefaultPreemption "DefaultPreemption" 0 [PreEnqueue, PostFilter] "room made by ending less important pods";
    BalancedAllocation "NodeResourcesBalancedAllocation" 1 [PreScore, Score] "cpu and memory used evenly";
    ImageLocality "ImageLocality" 1 [Score] "images already on the node";
    DefaultBinder "DefaultBinder" 0 [Bind] "binds the pod to its node";
}

/// Number of plugins.
pub const COUNT: usize = TABLE.len();

impl Plugin {
    /// Its row of the table.
    pub fn row(self) -> &'static Row {
        &TABLE[self as usize]
    }
    /// Its name in Kubernetes.
    pub fn name(self) -> &'static str {
        self.row().name
    }
    /// The plugin of that name.
    pub fn from_name(name: &str) -> Option<Plugin> {
        TABLE.iter().find(|row| row.name == name).map(|row| row.plugin)
    }
    /// Whether it can be asked there.
    pub fn implements(self, point: Point) -> bool {
        self.row().points.contains(&point)
    }
}

/// A set of plugins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PluginSet(u32);

impl PluginSet {
    /// Adds one.
    pub fn insert(&mut self, plugin: Plugin) {
        self.0 |= 1 << plugin as u8;
    }
    /// Whether it is in.
    pub fn contains(self, plugin: Plugin) -> bool {
        self.0 & (1 << plugin as u8) != 0
    }
    /// Whether none is in.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
    /// Both sets.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
    /// The plugins in table order.
    pub fn iter(self) -> impl Iterator<Item = Plugin> {
        TABLE
            .iter()
            .map(|row| row.plugin)
            .filter(move |plugin| self.contains(*plugin))
    }
}

/// `x / y`. A processor takes long over a division of integers; where the quotient is at most 100 and `y`
/// below 2^46, the nearest float never reaches the next whole number and can be cut off instead.
#[inline(always)]
pub(crate) fn quotient(x: i64, y: i64) -> i64 {
    if (1..1 << 46).contains(&y) && (0..=100 * y).contains(&x) {
        (x as f64 / y as f64) as i64
    } else {
        x.wrapping_div(y)
    }
}

/// `DefaultNormalizeScore`: scales to `[0, 100]` by the largest, reversed if asked (SCH-043, SCH-048).
pub(crate) fn default_normalize(scores: &mut [i64], reverse: bool) {
    let max = scores.iter().copied().max().unwrap_or(0);
    for score in scores {
        if max == 0 {
            if reverse {
                *score = 100;
            }
            continue;
        }
        *score = quotient(100 * *score, max);
        if reverse {
            *score = 100 - *score;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::quotient;

    #[test]
    fn quotients_are_those_of_integers() {
        let around = |x: i64| [x - 1, x, x.saturating_add(1)];
        for y in (0..62).flat_map(|bits| around(1 << bits)).filter(|y| *y != 0) {
            for times in 0..=101_i64 {
                for x in around(y.saturating_mul(times)) {
                    assert_eq!(quotient(x, y), x.wrapping_div(y), "{x} / {y}");
                }
            }
        }
        assert_eq!(quotient(-7, 2), -3);
        assert_eq!(quotient(i64::MIN, -1), i64::MIN);
    }
}
