//! Node conditions and the taints that the node lifecycle controller sets for them (CT-027).

use crate::ConditionStatus;

/// The taint of a node whose Ready condition is False.
pub const NOT_READY: &str = "node.kubernetes.io/not-ready";
/// The taint of a node whose Ready condition is Unknown: its heartbeats are missing.
pub const UNREACHABLE: &str = "node.kubernetes.io/unreachable";

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
    row("Ready", ConditionStatus::False, NOT_READY),
    row("Ready", ConditionStatus::Unknown, UNREACHABLE),
    pressure("MemoryPressure", "node.kubernetes.io/memory-pressure"),
    pressure("DiskPressure", "node.kubernetes.io/disk-pressure"),
    row(
        "NetworkUnavailable",
        ConditionStatus::True,
        "node.kubernetes.io/network-unavailable",
    ),
    pressure("PIDPressure", "node.kubernetes.io/pid-pressure"),
];
