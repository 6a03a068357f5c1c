//! `PrioritySort`: the order of activeQ (SCH-038).

use std::cmp::Ordering;

/// Higher priority first, then the earlier timestamp.
pub fn compare(a: (i32, i64), b: (i32, i64)) -> Ordering {
    b.0.cmp(&a.0).then(a.1.cmp(&b.1))
}
