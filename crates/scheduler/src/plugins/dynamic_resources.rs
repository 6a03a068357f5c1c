//! `DynamicResources`: allocates devices to ResourceClaims (SCH-030, SCH-031, DRA-080 to DRA-121).
//!
//! The search for devices is in the module `devices`.

mod claims;
mod explain;
mod extended;
mod filter;
mod hints;
mod reserve;

use podscope_api::explained::NodeDevices;
use podscope_api::{Kind, Pod};
use podscope_messages::plugin as messages;

use super::Point::{Filter, PostFilter as AtPostFilter, PreBind, PreEnqueue, PreFilter as AtPreFilter, Reserve, Score};
use super::{ExtensionPoints, Plugin, PluginSpec};
use crate::cache::Cache;
use crate::config::{Args, Errors, Fields};
use crate::cycle::{Cycle, CycleState, Diagnosis, NodeSearch, PreFilter};
use crate::decide::Decision;
use crate::node_info::{NodeIdx, NodeInfo};
use crate::post_filter::{DryRunLimit, PostFilter};
use crate::queue::events::{Event, EventKind, WaitingPod};
use crate::status::{Code, Status};

pub(crate) use self::claims::{ClaimsState, claims_of_pod as claims_of};
pub(crate) use self::reserve::reserved_claims_on_node;

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
fn unresolvable_status(text: String) -> Status {
    Status::text(Plugin::DynamicResources, Code::UnschedulableAndUnresolvable, text)
}

impl ExtensionPoints for DynamicResources {
    fn pre_enqueue(&self, cache: &Cache, pod: &Pod, _: bool) -> Result<(), String> {
        for claim in claims::claims_of_pod(&cache.stores, pod) {
            claim?;
        }
        Ok(())
    }

    fn pre_filter(
        &self,
        search: &NodeSearch<'_>,
        cache: &mut Cache,
        state: &mut CycleState,
    ) -> Result<PreFilter, Status> {
        state.dynamic_resources_ran = true;
        Self::pre_filter_claims(search, cache, state)
    }

    fn filter(&self, cycle: &Cycle<'_>, state: &CycleState, index: NodeIdx, node: &NodeInfo) -> Result<(), Status> {
        match &state.claims {
            Some(claims) => filter::filter(cycle, claims, index, node),
            None => Ok(()),
        }
    }

    fn post_filter(
        &self,
        search: &NodeSearch<'_>,
        _: &mut Cache,
        state: &mut CycleState,
        _: &Diagnosis,
        _: DryRunLimit,
    ) -> PostFilter {
        // If the PreFilter of another plugin ended the cycle earlier, this plugin's state is missing. As in
        // kube-scheduler, the missing state ends PostFilter with an error.
        if !state.dynamic_resources_ran {
            return PostFilter::Error("not found".to_owned());
        }

        let text = reserve::choose_claim_to_deallocate(search, state);
        PostFilter::Unschedulable(text.to_owned(), None)
    }

    fn score(&self, _: &Cycle<'_>, state: &CycleState, feasible: &[NodeIdx], scores: &mut [i64]) -> bool {
        let claims = state.claims.as_ref();
        claims.is_some_and(|claims| claims.score(feasible, scores))
    }

    fn normalize(&self, _: &CycleState, scores: &mut [i64]) {
        super::default_normalize(scores, false);
    }

    fn queueing_hint(&self, cache: &mut Cache, event: &Event<'_>, waiting: &WaitingPod<'_>) -> bool {
        hints::event_may_help(cache, event, waiting)
    }

    fn explain_devices(&self, cache: &Cache, decision: &Decision, node: NodeIdx) -> Option<NodeDevices> {
        explain::explain(cache, decision, node)
    }

    fn read_args(&self, fields: &mut Fields<'_>, _: &mut Args, _: &mut Errors) {
        fields.get("filterTimeout");
        fields.get("bindingTimeout");
    }
}
