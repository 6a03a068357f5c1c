//! Node conditions and the taints that the node lifecycle controller sets for them (CT-027).

use crate::ConditionStatus;
use crate::well_known::{condition, taint};

/// A condition with a status, and the taint set for it.
#[derive(Debug)]
pub struct ConditionTaint {
    /// The condition's type.
    pub condition: &'static str,
    pub status: ConditionStatus,
    /// The taint's key.
    pub taint: &'static str,
    /// Whether the condition reports a resource shortage on the node.
    pub is_pressure: bool,
}

const fn row(condition: &'static str, status: ConditionStatus, taint: &'static str) -> ConditionTaint {
    ConditionTaint {
        condition,
        status,
        taint,
        is_pressure: false,
    }
}

const fn pressure(condition: &'static str, taint: &'static str) -> ConditionTaint {
    ConditionTaint {
        condition,
        status: ConditionStatus::True,
        taint,
        is_pressure: true,
    }
}

/// All conditions that lead to a taint.
pub const CONDITION_TAINTS: &[ConditionTaint] = &[
    row(condition::READY, ConditionStatus::False, taint::NOT_READY),
    row(condition::READY, ConditionStatus::Unknown, taint::UNREACHABLE),
    pressure(condition::MEMORY_PRESSURE, taint::MEMORY_PRESSURE),
    pressure(condition::DISK_PRESSURE, taint::DISK_PRESSURE),
    row(
        condition::NETWORK_UNAVAILABLE,
        ConditionStatus::True,
        taint::NETWORK_UNAVAILABLE,
    ),
    pressure(condition::PID_PRESSURE, taint::PID_PRESSURE),
];
