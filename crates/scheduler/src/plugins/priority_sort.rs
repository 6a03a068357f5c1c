//! `PrioritySort`: the order of activeQ (SCH-038).

use super::{ExtensionPoints, PluginSpec, Point};

pub(super) const SPEC: PluginSpec = PluginSpec {
    about: "higher priority first",
    ..PluginSpec::new("PrioritySort", &[Point::QueueSort], &PrioritySort)
};

struct PrioritySort;

impl ExtensionPoints for PrioritySort {}

/// A key that sorts as the plugin does: higher priority first, then the earlier timestamp (microseconds,
/// and for equal instants the order of arrival).
pub type SortKey = (i64, i64, u64);

/// The key of a pod.
pub fn key(priority: i32, timestamp: i64, arrival: u64) -> SortKey {
    (-i64::from(priority), timestamp, arrival)
}

#[cfg(test)]
mod tests {
    use super::key;

    /// Shows: SCH-038
    #[test]
    fn priority_then_time() {
        let mut pods = [
            ("old", key(0, 1, 1)),
            ("new", key(0, 2, 2)),
            ("high", key(10, 3, 3)),
            ("low", key(-5, 0, 0)),
        ];
        pods.sort_unstable_by_key(|(_, key)| *key);
        assert_eq!(pods.map(|(name, _)| name), ["high", "old", "new", "low"]);
    }
}
