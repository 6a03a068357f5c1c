//! `DynamicResources`: claims on devices (SCH-030, SCH-031, SCH-106).
//!
//! Deviation: device allocation is not simulated. A pod without claims is treated exactly as the real
//! plugin does; a pod with claims is refused everywhere with a text that says so.

use crate::cycle::Cycle;
use crate::plugins::Plugin;
use crate::status::{Code, Status};

/// PreFilter: `Ok(false)` skips.
pub fn pre_filter(cycle: &Cycle<'_>) -> Result<bool, Status> {
    if cycle.incoming.info.pod.spec.resource_claims.is_empty() {
        return Ok(false);
    }
    Err(Status::fixed(
        Plugin::DynamicResources,
        Code::UnschedulableAndUnresolvable,
        "resource claims are not simulated here",
    ))
}

/// PostFilter: what it says, and whether PostFilter goes on.
pub fn post_filter(pre_filter_ran: bool) -> Result<&'static str, &'static str> {
    // Aborted before its own PreFilter, it finds no state of its own: an error that ends PostFilter.
    if pre_filter_ran {
        Ok("no new claims to deallocate")
    } else {
        Err("not found")
    }
}
