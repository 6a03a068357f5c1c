//! `PrioritySort`: orders activeQ by priority, then by time (SCH-038).

use super::{ExtensionPoints, PluginSpec, Point};
use podscope_messages::plugin as messages;

pub(super) const SPEC: PluginSpec = PluginSpec {
    about: Some(messages::priority_sort_about),
    ..PluginSpec::new("PrioritySort", &[Point::QueueSort], &PrioritySort)
};

struct PrioritySort;

impl ExtensionPoints for PrioritySort {}

/// A sort key in the plugin's order: the higher priority first, then the earlier timestamp (microseconds), then the
/// order of arrival.
pub type SortKey = (i64, i64, u64);

/// Returns the sort key of a queued pod.
pub fn sort_key(priority: i32, timestamp: i64, arrival: u64) -> SortKey {
    (-i64::from(priority), timestamp, arrival)
}

#[cfg(test)]
mod tests {
    use super::sort_key;

    /// Shows: SCH-038
    #[test]
    fn pods_sort_by_priority_then_time() {
        let mut pods = [
            ("old", sort_key(0, 1, 1)),
            ("new", sort_key(0, 2, 2)),
            ("high", sort_key(10, 3, 3)),
            ("low", sort_key(-5, 0, 0)),
        ];
        pods.sort_unstable_by_key(|(_, sort_key)| *sort_key);
        assert_eq!(pods.map(|(name, _)| name), ["high", "old", "new", "low"]);
    }
}
