//! Queueing hints: determines which events may make a pod schedulable that waits for its claims (DRA-090 to DRA-092).

use podscope_api::{Object, ResourceClaim};

use super::claims::claims_of_pod;
use crate::cache::Cache;
use crate::queue::events::{Event, EventKind, WaitingPod};

pub(super) fn event_may_help(cache: &mut Cache, event: &Event<'_>, waiting: &WaitingPod<'_>) -> bool {
    let pod = &waiting.incoming.info.pod;
    let resolve = || claims_of_pod(&cache.stores, pod).collect::<Result<Vec<_>, String>>();
    match (event.kind, event.old, event.new) {
        (EventKind::PodGeneratedClaims, ..) => event.is_update_of_pod(waiting) && resolve().is_ok(),
        (_, old, Some(Object::ResourceClaim(new))) => {
            let old = match old {
                Some(Object::ResourceClaim(old)) => Some(&**old),
                _ => None,
            };
            resolve().is_ok_and(|claims| claim_change_may_help(&claims, old, new))
        }
        _ => true,
    }
}

fn claim_change_may_help(
    claims: &[&std::sync::Arc<ResourceClaim>],
    old: Option<&ResourceClaim>,
    new: &ResourceClaim,
) -> bool {
    let had_devices = old.is_some_and(|old| old.status.allocation.is_some());
    if had_devices && new.status.allocation.is_none() {
        return true;
    }
    claims.iter().any(|claim| claim.metadata.uid == new.metadata.uid) && old.is_none_or(|old| old.status != new.status)
}
