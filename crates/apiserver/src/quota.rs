//! Admission by ResourceQuotas: a create, or an update that raises usage, is charged to every matching quota of the
//! namespace, or refused (VA-290, CT-189). The quota controller later subtracts the usage of deleted objects.
//!
//! Deviation: the usage of a new quota is computed here. The real server refuses requests until the quota controller
//! has computed it, shortly after the quota is created.

use std::sync::Arc;

use podscope_api::{Object, ResourceList, ResourceQuota, quota};

use super::{ApiServer, Caller, Outcome, is_unwatched};
use podscope_sim::{ApiError, Part};

impl ApiServer {
    /// Returns the namespace's quotas with the usage that the write adds; an error if a quota would be exceeded.
    pub(super) fn charged_quotas(
        &self,
        old: Option<&Object>,
        new: &Object,
        caller: &Caller<'_>,
    ) -> Result<Vec<Arc<ResourceQuota>>, ApiError> {
        let namespace = &new.metadata().namespace;
        if namespace.is_empty() || is_unwatched(new.kind()) {
            return Ok(Vec::new());
        }
        let refuse = |why: String| Err(ApiError::forbidden(new.kind(), &new.metadata().name, &why));
        let mut charges = Vec::new();
        for limit in self.objects().list_in::<ResourceQuota>(namespace) {
            if !quota::concerns(limit, new) {
                continue;
            }
            let name = &limit.metadata.name;
            if let Object::Pod(pod) = new
                && let Some(missing) = quota::missing_requests_and_limits(limit, pod)
            {
                return refuse(format!("failed quota: {name}: must specify {missing}"));
            }
            let added = added_usage(limit, old, new, caller);
            if added.is_empty() {
                continue;
            }
            let mut charged = limit.clone();
            if charged.status.hard != charged.spec.hard {
                let list = |kind| self.objects().list_kind_in(kind, namespace);
                let used = quota::recount_usage(limit, list, caller.wall_time());
                let status = &mut Arc::make_mut(&mut charged).status;
                (status.hard, status.used) = (limit.spec.hard.clone(), used);
            }
            if let Some(why) = exceeded_quota_message(&charged, &added) {
                return refuse(why);
            }
            let used = &mut Arc::make_mut(&mut charged).status.used;
            for (resource, amount) in &added {
                let sum = used.entry(resource.clone()).or_default();
                *sum = sum.plus(*amount);
            }
            charges.push(charged);
        }
        Ok(charges)
    }

    /// Stores the quotas that [`ApiServer::charged_quotas`] returned.
    pub(super) fn store_charged_quotas(&mut self, charges: Vec<Arc<ResourceQuota>>, out: &mut Outcome) {
        let charged = charges.into_iter().map(Object::ResourceQuota);
        out.changes.extend(self.store.put_all(charged));
    }
}

/// Returns whether an update of this part may increase the usage of a quota.
pub(super) fn may_increase_usage(new: &Object, part: Part) -> bool {
    match part {
        Part::Main => matches!(new, Object::Service(_) | Object::PersistentVolumeClaim(_)),
        Part::Resize => true,
        Part::Status | Part::EphemeralContainers => false,
    }
}

/// Returns the usage that a write adds to the quota.
fn added_usage(quota: &ResourceQuota, old: Option<&Object>, new: &Object, caller: &Caller<'_>) -> ResourceList {
    let before = old.map_or_else(ResourceList::new, |old| quota::usage(old, caller.wall_time()));
    let taken = quota::usage(new, caller.wall_time()).into_iter();
    taken
        .filter(|(resource, _)| quota.spec.hard.contains_key(resource))
        .map(|(resource, amount)| match before.get(&resource) {
            Some(before) => (resource, amount.minus(*before)),
            None => (resource, amount),
        })
        .filter(|(_, more)| more.sign() > 0 || (old.is_none() && more.is_zero()))
        .collect()
}

/// Returns the error message about the resources for which the quota would be exceeded; `None` if there are none.
fn exceeded_quota_message(quota: &ResourceQuota, added: &ResourceList) -> Option<String> {
    let used = |resource: &str| quota.status.used.get(resource).copied().unwrap_or_default();
    let (mut requested, mut before, mut hard) = (ResourceList::new(), ResourceList::new(), ResourceList::new());
    for (resource, amount) in added {
        let hard_limit = quota.status.hard.get(resource).copied().unwrap_or_default();
        if used(resource).plus(*amount) > hard_limit {
            requested.insert(resource.clone(), *amount);
            before.insert(resource.clone(), used(resource));
            hard.insert(resource.clone(), hard_limit);
        }
    }
    let print = |list: &ResourceList| -> String {
        let each: Vec<String> = list.iter().map(|(name, amount)| format!("{name}={amount}")).collect();
        each.join(",")
    };
    (!requested.is_empty()).then(|| {
        format!(
            "exceeded quota: {}, requested: {}, used: {}, limited: {}",
            quota.metadata.name,
            print(&requested),
            print(&before),
            print(&hard)
        )
    })
}
