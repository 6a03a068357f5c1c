//! `DynamicResources`: allocates devices to ResourceClaims (SCH-030, SCH-031, DRA-080 to DRA-121).
//!
//! The search for devices is in the module `devices`. Without the cargo feature `devices`, a pod with claims is
//! rejected with an explanatory text; other pods are scheduled in the same way as with the feature.

#[cfg(feature = "devices")]
mod claims;
#[cfg(feature = "devices")]
mod explain;
#[cfg(feature = "devices")]
mod extended;
#[cfg(feature = "devices")]
mod filter;
#[cfg(feature = "devices")]
mod hints;
#[cfg(feature = "devices")]
mod reserve;

#[cfg(feature = "devices")]
use podscope_api::explained::NodeDevices;
use podscope_api::{Kind, Pod};
use podscope_messages::plugin as messages;

use super::Point::{Filter, PostFilter as AtPostFilter, PreBind, PreEnqueue, PreFilter as AtPreFilter, Reserve, Score};
use super::{ExtensionPoints, Plugin, PluginSpec};
use crate::cache::Cache;
use crate::config::{Args, Errors, Fields};
#[cfg(feature = "devices")]
use crate::cycle::Cycle;
use crate::cycle::{CycleState, Diagnosis, PreFilter, Search};
#[cfg(feature = "devices")]
use crate::decide::Decision;
#[cfg(feature = "devices")]
use crate::node_info::{NodeIdx, NodeInfo};
use crate::post_filter::{Limit, PostFilter};
use crate::queue::events::EventKind;
#[cfg(feature = "devices")]
use crate::queue::events::{Event, Waiting};
use crate::status::{Code, Status};

#[cfg(feature = "devices")]
pub(crate) use self::claims::{State, of_pod as claims_of};
#[cfg(feature = "devices")]
pub(crate) use self::reserve::reserved_on;

pub(super) const SPEC: PluginSpec = PluginSpec {
    weight: 2,
    events: &[
        EventKind::NodeAdd,
        EventKind::NodeLabel,
        EventKind::NodeAllocatable,
        EventKind::Add(Kind::ResourceClaim),
        EventKind::Update(Kind::ResourceClaim),
        EventKind::PodGeneratedClaims,
        EventKind::Add(Kind::DeviceClass),
        EventKind::Update(Kind::DeviceClass),
        EventKind::Add(Kind::ResourceSlice),
        EventKind::Update(Kind::ResourceSlice),
    ],
    about: Some(messages::dynamic_resources_about),
    refused: messages::dynamic_resources_refused,
    short: &[
        (
            "cannot allocate all claims",
            messages::dynamic_resources_no_free_devices,
        ),
        (
            "resourceclaim not available on the node",
            messages::dynamic_resources_claim_is_elsewhere,
        ),
    ],
    ..PluginSpec::new(
        "DynamicResources",
        // There is no PreScore that could skip the plugin, so Score runs and gives every node 0.
        &[PreEnqueue, AtPreFilter, Filter, AtPostFilter, Score, Reserve, PreBind],
        &DynamicResources,
    )
};

struct DynamicResources;

/// Returns a rejection that preemption cannot resolve, because preemption never releases devices (DRA-082).
fn unresolvable(text: String) -> Status {
    Status::text(Plugin::DynamicResources, Code::UnschedulableAndUnresolvable, text)
}

#[cfg(not(feature = "devices"))]
impl DynamicResources {
    fn prepare(search: &Search<'_>, cache: &mut Cache, _: &mut CycleState) -> Result<PreFilter, Status> {
        if search.incoming.info.pod.spec.resource_claims.is_empty() {
            return Ok(PreFilter::Skip);
        }
        cache.lacks_devices = true;
        Err(unresolvable("resource claims are not simulated here".to_owned()))
    }
}

impl ExtensionPoints for DynamicResources {
    fn pre_enqueue(&self, cache: &Cache, pod: &Pod, _: bool) -> Result<(), String> {
        #[cfg(feature = "devices")]
        for claim in claims::of_pod(&cache.stores, pod) {
            claim?;
        }
        let _ = (cache, pod);
        Ok(())
    }

    fn pre_filter(&self, search: &Search<'_>, cache: &mut Cache, state: &mut CycleState) -> Result<PreFilter, Status> {
        state.dynamic_resources_ran = true;
        Self::prepare(search, cache, state)
    }

    #[cfg(feature = "devices")]
    fn filter(&self, cycle: &Cycle<'_>, state: &CycleState, index: NodeIdx, node: &NodeInfo) -> Result<(), Status> {
        match &state.claims {
            Some(claims) => filter::filter(cycle, claims, index, node),
            None => Ok(()),
        }
    }

    fn post_filter(
        &self,
        search: &Search<'_>,
        cache: &mut Cache,
        state: &mut CycleState,
        _: &Diagnosis,
        _: Limit,
    ) -> PostFilter {
        // If the PreFilter of another plugin ended the cycle earlier, this plugin's state is missing. As in
        // kube-scheduler, the missing state ends PostFilter with an error.
        if !state.dynamic_resources_ran {
            return PostFilter::Error("not found".to_owned());
        }

        #[cfg(feature = "devices")]
        let text = reserve::deallocate(search, state);
        #[cfg(not(feature = "devices"))]
        let text = "no new claims to deallocate";
        let _ = (search, cache);
        PostFilter::Unschedulable(text.to_owned(), None)
    }

    #[cfg(feature = "devices")]
    fn score(&self, _: &Cycle<'_>, state: &CycleState, feasible: &[NodeIdx], scores: &mut [i64]) -> bool {
        let claims = state.claims.as_ref();
        claims.is_some_and(|claims| claims.score(feasible, scores))
    }

    fn normalize(&self, _: &CycleState, scores: &mut [i64]) {
        super::default_normalize(scores, false);
    }

    #[cfg(feature = "devices")]
    fn hint(&self, cache: &mut Cache, event: &Event<'_>, waiting: &Waiting<'_>) -> bool {
        hints::may_help(cache, event, waiting)
    }

    #[cfg(feature = "devices")]
    fn explain_devices(&self, cache: &Cache, decision: &Decision, node: NodeIdx) -> Option<NodeDevices> {
        explain::explain(cache, decision, node)
    }

    fn read_args(&self, fields: &mut Fields<'_>, _: &mut Args, _: &mut Errors) {
        fields.get("filterTimeout");
        fields.get("bindingTimeout");
    }
}
