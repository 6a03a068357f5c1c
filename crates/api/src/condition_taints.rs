//! Which condition of a node means which taint (CT-027).

use crate::ConditionStatus;

/// The taint of a node that is not ready.
pub const NOT_READY: &str = "node.kubernetes.io/not-ready";
/// The taint of a node that is not heard.
pub const UNREACHABLE: &str = "node.kubernetes.io/unreachable";

/// A status of a condition that means a taint.
#[derive(Debug)]
pub struct ConditionTaint {
    /// The condition's type.
    pub condition: &'static str,
    pub status: ConditionStatus,
    /// The taint's key.
    pub taint: &'static str,
    /// Whether a kubelet says by it that something is short.
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

/// All of them.
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
