//! ResourceClaims between the decision and the writes to the API (DRA-087, DRA-106, DRA-107).

use std::sync::Arc;

use podscope_api::{ResourceClaim, Str, Time};

use super::Scheduler;
use crate::attempt::{FreedClaim, ReservedClaims};
use crate::cycle::CycleState;
use crate::node_info::NodeIdx;
use crate::queue::QueuedPod;

/// Returns the claim that PostFilter releases, if any.
pub(super) fn freed_claim(state: &CycleState) -> Option<FreedClaim> {
    if let Some(claims) = &state.claims {
        let deallocate = claims.deallocate.clone().map(FreedClaim::Deallocate);
        return deallocate.or_else(|| claims.delete.clone().map(FreedClaim::Delete));
    }
    None
}

/// Returns a substitute for the UID of a claim for extended resources. The claim does not exist yet.
fn extended_claim_uid(pod: &QueuedPod) -> Str {
    format!("{}/extended-resources", pod.incoming.info.uid).into()
}

impl Scheduler {
    /// Returns the allocations of the pod's claims on the chosen node.
    pub(super) fn reserved_claims(
        &self,
        state: &CycleState,
        host: NodeIdx,
    ) -> Result<Option<Box<ReservedClaims>>, String> {
        if let Some(claims) = &state.claims {
            let node = &self.cache.node(host).name;
            return crate::plugins::dynamic_resources::reserved_claims_on_node(claims, host, node)
                .map(|reserved| Some(Box::new(reserved)))
                .map_err(|text| format!("running Reserve plugin \"DynamicResources\": {text}"));
        }
        Ok(None)
    }

    /// Adds the allocations to the device usage in the cache before they are written. Returns the UIDs of their claims.
    pub(super) fn reserve_claims(&mut self, pod: &QueuedPod, reserved: &ReservedClaims) -> Vec<Str> {
        let own = reserved.claims.iter().filter_map(|(claim, allocation)| {
            let allocation = allocation.as_ref()?;
            Some((claim.metadata.uid.0.clone(), allocation))
        });
        let extended = reserved.extended.iter();
        let extended = extended.map(|(_, allocation, _)| (extended_claim_uid(pod), allocation));
        let mut uids = Vec::new();
        for (uid, allocation) in own.chain(extended) {
            self.cache.devices.reserve(&uid, allocation);
            uids.push(uid);
        }
        uids
    }

    pub(super) fn release_claims(&mut self, uids: &[Str]) {
        for uid in uids {
            self.cache.devices.release(uid);
        }
    }

    /// Sets the wall-clock time, which is used for the timeouts of devices.
    pub fn set_wall_clock(&mut self, now: Time) {
        self.cache.devices.now = Some(now.0);
    }

    /// Reports that a claim was written for a pod whose binding is in progress. The written object is used until the
    /// watch delivers a newer one.
    pub fn claim_written(&mut self, pod: &str, claim: Arc<ResourceClaim>) {
        let key = claim.metadata.key();
        let uid = match claim.is_for_extended_resources() {
            true => format!("{pod}/extended-resources").into(),
            false => claim.metadata.uid.0.clone(),
        };
        self.release_claims(&[uid]);
        let seen = self.cache.stores.resource_claims.get(&key);
        let version = |claim: &ResourceClaim| claim.metadata.resource_version.parse::<u64>().ok();
        if seen.is_none_or(|seen| version(seen) < version(&claim)) {
            self.cache.stores.assumed_resource_claims.insert(key.clone(), claim);
        }

        self.cache.resource_claim_changed(&key);
    }
}
