//! Admission by quotas: what a create or a larger object takes is charged to every quota of its namespace that asks
//! about it, or the write is refused (VA-290, CT-189). What goes is given back by the quota controller.
//!
//! Deviation: a quota whose use was never counted is counted here; the real server refuses until its controller has
//! done so, a moment after the quota was made.

use std::sync::Arc;

use podscope_api::{Object, ResourceList, ResourceQuota, quota};

use super::{ApiServer, Caller, Outcome, is_unwatched};
use podscope_sim::{ApiError, Part};

impl ApiServer {
    /// The quotas of the object's namespace with what the write adds to them; refused if one of them has no room.
    pub(super) fn charges(
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
                && let Some(missing) = quota::unspecified(limit, pod)
            {
                return refuse(format!("failed quota: {name}: must specify {missing}"));
            }
            let added = added(limit, old, new, caller);
            if added.is_empty() {
                continue;
            }
            let mut charged = limit.clone();
            if charged.status.hard != charged.spec.hard {
                let list = |kind| self.objects().list_kind_in(kind, namespace);
                let used = quota::used(limit, list, caller.wall());
                let status = &mut Arc::make_mut(&mut charged).status;
                (status.hard, status.used) = (limit.spec.hard.clone(), used);
            }
            if let Some(why) = exceeded(&charged, &added) {
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

    /// Writes down what [`ApiServer::charges`] found.
    pub(super) fn charge(&mut self, charges: Vec<Arc<ResourceQuota>>, out: &mut Outcome) {
        let charged = charges.into_iter().map(Object::ResourceQuota);
        out.changes.extend(self.store.put_all(charged));
    }
}

/// Which updates may take more of a quota than was charged before.
pub(super) fn may_take_more(new: &Object, part: Part) -> bool {
    match part {
        Part::Main => matches!(new, Object::Service(_) | Object::PersistentVolumeClaim(_)),
        Part::Resize => true,
        Part::Status => false,
    }
}

/// What a write takes of the quota beyond what the object took before.
fn added(limit: &ResourceQuota, old: Option<&Object>, new: &Object, caller: &Caller<'_>) -> ResourceList {
    let before = old.map_or_else(ResourceList::new, |old| quota::usage(old, caller.wall()));
    let taken = quota::usage(new, caller.wall()).into_iter();
    taken
        .filter(|(resource, _)| limit.spec.hard.contains_key(resource))
        .map(|(resource, amount)| match before.get(&resource) {
            Some(already) => (resource, amount.minus(*already)),
            None => (resource, amount),
        })
        .filter(|(_, more)| more.sign() > 0 || (old.is_none() && more.is_zero()))
        .collect()
}

/// Says which resources of the quota do not suffice.
fn exceeded(limit: &ResourceQuota, added: &ResourceList) -> Option<String> {
    let used = |resource: &str| limit.status.used.get(resource).copied().unwrap_or_default();
    let (mut requested, mut already, mut hard) = (ResourceList::new(), ResourceList::new(), ResourceList::new());
    for (resource, amount) in added {
        let most = limit.status.hard.get(resource).copied().unwrap_or_default();
        if used(resource).plus(*amount) > most {
            requested.insert(resource.clone(), *amount);
            already.insert(resource.clone(), used(resource));
            hard.insert(resource.clone(), most);
        }
    }
    let print = |list: &ResourceList| -> String {
        let each: Vec<String> = list.iter().map(|(name, amount)| format!("{name}={amount}")).collect();
        each.join(",")
    };
    (!requested.is_empty()).then(|| {
        format!(
            "exceeded quota: {}, requested: {}, used: {}, limited: {}",
            limit.metadata.name,
            print(&requested),
            print(&already),
            print(&hard)
        )
    })
}
