//! The default plugins, and the table of their order (SCH-032, SCH-033).
//!
//! Each plugin is one file: its spec (name, weight, extension points, events), its extension points, reasons, queueing
//! hints, arguments with their validation, and texts for explanations. To add a plugin, write its file and add a line
//! to the table.

pub mod balanced_allocation;
mod csi_translation;
pub mod default_binder;
pub mod default_preemption;
pub mod dynamic_resources;
pub mod image_locality;
pub mod inter_pod_affinity;
pub mod node_affinity;
pub mod node_declared_features;
pub mod node_name;
pub mod node_ports;
pub mod node_resources_fit;
pub mod node_unschedulable;
pub mod node_volume_limits;
pub mod pod_topology_spread;
pub mod priority_sort;
pub(crate) mod resource_allocation;
pub mod scheduling_gates;
pub mod taint_toleration;
pub mod volume_binding;
pub mod volume_restrictions;
pub mod volume_zone;

mod framework;
mod location_texts;

pub(crate) use framework::ExtensionPoints;
pub use framework::{PluginSpec, Point};

macro_rules! plugins {
    ($($variant:ident $module:ident;)*) => {
        /// A plugin. The order of the variants is the default order.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Plugin { $(#[doc = concat!("See [`", stringify!($module), "`].")] $variant),* }
        /// The default plugins in MultiPoint order.
        pub static TABLE: &[PluginSpec] = &[$($module::SPEC),*];
        impl Plugin {
            /// All plugins, in the default order.
            pub const ALL: &[Plugin] = &[$(Plugin::$variant),*];
        }
    };
}
plugins! {
    SchedulingGates scheduling_gates;
    PrioritySort priority_sort;
    NodeUnschedulable node_unschedulable;
    NodeName node_name;
    TaintToleration taint_toleration;
    NodeAffinity node_affinity;
    NodePorts node_ports;
    NodeResourcesFit node_resources_fit;
    VolumeRestrictions volume_restrictions;
    NodeVolumeLimits node_volume_limits;
    VolumeBinding volume_binding;
    VolumeZone volume_zone;
    PodTopologySpread pod_topology_spread;
    InterPodAffinity inter_pod_affinity;
    DynamicResources dynamic_resources;
    DefaultPreemption default_preemption;
    BalancedAllocation balanced_allocation;
    ImageLocality image_locality;
    DefaultBinder default_binder;
    NodeDeclaredFeatures node_declared_features;
}

/// Number of plugins.
pub const COUNT: usize = Plugin::ALL.len();

impl Plugin {
    /// Returns the plugin's static description.
    pub fn spec(self) -> &'static PluginSpec {
        &TABLE[self as usize]
    }

    /// Returns the plugin's name in Kubernetes.
    pub fn name(self) -> &'static str {
        self.spec().name
    }

    /// Finds a plugin by its name in Kubernetes.
    pub fn from_name(name: &str) -> Option<Plugin> {
        Self::ALL.iter().copied().find(|plugin| plugin.name() == name)
    }

    /// Returns whether the plugin implements an extension point.
    pub fn implements(self, point: Point) -> bool {
        self.spec().points.contains(&point)
    }

    /// Returns the implementation of the plugin's extension points.
    pub(crate) fn extension_points(self) -> &'static dyn ExtensionPoints {
        self.spec().extension_points
    }
}

/// A set of plugins, stored as one bit per plugin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PluginSet(u32);

const _: () = assert!(COUNT <= u32::BITS as usize, "PluginSet needs one bit for each plugin");

impl PluginSet {
    pub fn insert(&mut self, plugin: Plugin) {
        self.0 |= 1 << plugin as u8;
    }

    pub fn contains(self, plugin: Plugin) -> bool {
        self.0 & (1 << plugin as u8) != 0
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns the plugins in the order of [`TABLE`].
    pub fn iter(self) -> impl Iterator<Item = Plugin> {
        Plugin::ALL.iter().copied().filter(move |plugin| self.contains(*plugin))
    }
}

/// Returns `x / y`, faster than an integer division in the common case: if the quotient is at most 100 and `y` is below
/// 2^46, the float quotient never rounds up to the next whole number, so it can be truncated.
// `RangeInclusive::contains` is not inlined in development builds, where it took a quarter of the instructions of a
// decision.
#[expect(clippy::manual_range_contains)]
#[inline(always)]
pub(crate) fn quotient(x: i64, y: i64) -> i64 {
    if y >= 1 && y < 1 << 46 && x >= 0 && x <= 100 * y {
        (x as f64 / y as f64) as i64
    } else {
        x.wrapping_div(y)
    }
}

/// Implements `DefaultNormalizeScore`: scales scores to `[0, 100]`, so that the largest becomes 100; `reverse` inverts
/// them (SCH-043, SCH-048).
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
    fn quotient_equals_integer_division() {
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
