//! `DynamicResources`: claims on devices (SCH-030, SCH-031, SCH-106).
//!
//! Deviation: device allocation is not simulated. A pod without claims is treated exactly as the real
//! plugin does; a pod with claims is refused everywhere with a text that says so.

use super::Point::{Filter, PostFilter as AtPostFilter, PreBind, PreEnqueue, PreFilter as AtPreFilter, Reserve, Score};
use super::{ExtensionPoints, Plugin, PluginSpec};
use crate::cache::Cache;
use crate::config::{Args, Errors, Fields};
use crate::cycle::{CycleState, Diagnosis, PreFilter, Search};
use crate::post_filter::{Limit, PostFilter};
use crate::queue::events::EventKind;
use crate::status::Status;

pub(super) const SPEC: PluginSpec = PluginSpec {
    weight: 2,
    events: &[EventKind::NodeAdd, EventKind::NodeLabel, EventKind::NodeAllocatable],
    about: "claims on devices",
    ..PluginSpec::new(
        "DynamicResources",
        // It has no PreScore that could skip: every node it scores gets its 0.
        &[PreEnqueue, AtPreFilter, Filter, AtPostFilter, Score, Reserve, PreBind],
        &DynamicResources,
    )
};

struct DynamicResources;

impl ExtensionPoints for DynamicResources {
    fn pre_filter(&self, search: &Search<'_>, _: &mut Cache, state: &mut CycleState) -> Result<PreFilter, Status> {
        state.dynamic_resources_ran = true;
        if search.incoming.info.pod.spec.resource_claims.is_empty() {
            return Ok(PreFilter::Skip);
        }
        Err(Status::unresolvable(
            Plugin::DynamicResources,
            "resource claims are not simulated here",
        ))
    }

    fn post_filter(
        &self,
        _: &Search<'_>,
        _: &mut Cache,
        state: &mut CycleState,
        _: &Diagnosis,
        _: Limit,
    ) -> PostFilter {
        // Aborted before its own PreFilter, it finds no state of its own: an error that ends PostFilter.
        if state.dynamic_resources_ran {
            PostFilter::Unschedulable("no new claims to deallocate".to_owned(), None)
        } else {
            PostFilter::Error("not found".to_owned())
        }
    }

    fn read_args(&self, fields: &mut Fields<'_>, _: &mut Args, _: &mut Errors) {
        fields.get("filterTimeout");
        fields.get("bindingTimeout");
    }
}
