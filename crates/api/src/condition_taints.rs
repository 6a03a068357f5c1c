//! Node conditions and the taints that the node lifecycle controller sets for them (CT-027).

use crate::ConditionStatus;
use crate::well_known::{condition, taint};

/// A node condition with a status, and the taint that the node lifecycle controller sets for it.
#[derive(Debug)]
pub struct ConditionTaint {
    /// The type of the node condition, such as `DiskPressure`.
    pub condition: &'static str,
    pub status: ConditionStatus,
    /// The key of the taint.
    pub taint: &'static str,
    /// Whether the condition reports a resource shortage on the node.
    pub is_pressure: bool,
}

const fn condition_taint(condition: &'static str, status: ConditionStatus, taint: &'static str) -> ConditionTaint {
    ConditionTaint {
        condition,
        status,
        taint,
        is_pressure: false,
    }
}

const fn pressure_taint(condition: &'static str, taint: &'static str) -> ConditionTaint {
    ConditionTaint {
        condition,
        status: ConditionStatus::True,
        taint,
        is_pressure: true,
    }
}

/// All node conditions for which the node lifecycle controller sets a taint.
pub const CONDITION_TAINTS: &[ConditionTaint] = &[
    condition_taint(condition::READY, ConditionStatus::False, taint::NOT_READY),
    condition_taint(condition::READY, ConditionStatus::Unknown, taint::UNREACHABLE),
    pressure_taint(condition::MEMORY_PRESSURE, taint::MEMORY_PRESSURE),
    pressure_taint(condition::DISK_PRESSURE, taint::DISK_PRESSURE),
    condition_taint(
        condition::NETWORK_UNAVAILABLE,
        ConditionStatus::True,
        taint::NETWORK_UNAVAILABLE,
    ),
    pressure_taint(condition::PID_PRESSURE, taint::PID_PRESSURE),
];
