//! resource-quota: counts the usage of each quota. The API server adds created objects to the usage; this controller
//! subtracts deleted objects, and recounts periodically (VA-290, CT-190).
//!
//! Watches quotas and all kinds that a quota can count; compares the status with a new count.

use podscope_api::{Kind, Object, ResourceQuota, quota};
use podscope_sim::{Change, Part, Request, Span};

use super::controller::{Controller, ControllerContext};
use super::plan::{Action, Plan};
use super::queue::{Key, key_of};

/// Interval of recounts without a change (`--resource-quota-sync-period`).
const RECOUNT_PERIOD: Span = Span::seconds(300);

#[derive(Debug, Clone, Default)]
pub(super) struct ResourceQuotaController;

/// Returns whether a change may have lowered the usage, or changed the quota itself.
fn needs_recount(change: &Change, cx: &ControllerContext<'_, '_>) -> bool {
    let now = cx.ctx.wall();
    match (&change.old, &change.new) {
        (None, Some(Object::ResourceQuota(_))) | (Some(_), None) => true,
        (Some(Object::ResourceQuota(old)), Some(Object::ResourceQuota(new))) => old.spec.hard != new.spec.hard,
        (Some(old @ (Object::Pod(_) | Object::Service(_) | Object::PersistentVolumeClaim(_))), Some(new)) => {
            let (before, after) = (quota::usage(old, now), quota::usage(new, now));
            before
                .iter()
                .any(|(name, amount)| after.get(name).is_none_or(|rest| rest < amount))
        }
        _ => false,
    }
}

impl Controller for ResourceQuotaController {
    fn name(&self) -> &'static str {
        "resourcequota-controller"
    }

    fn watches(&self) -> &'static [Kind] {
        Kind::ALL
    }

    fn changed(&mut self, change: &Change, cx: &mut ControllerContext<'_, '_>) {
        if cx.objects.count_kind(Kind::ResourceQuota) == 0 {
            return;
        }
        let Some(object) = change.object() else { return };
        if !needs_recount(change, cx) {
            return;
        }
        let namespace = &object.metadata().namespace;
        let keys: Vec<Key> = (cx.objects.list_in::<ResourceQuota>(namespace))
            .filter(|quota| quota::concerns(quota, object) || quota.metadata.name == object.metadata().name)
            .map(|quota| key_of(&**quota))
            .collect();
        keys.into_iter().for_each(|key| cx.enqueue(key));
    }

    fn sync(&mut self, key: &Key, cx: &mut ControllerContext<'_, '_>) -> Plan {
        let Some(quota_object) = cx.objects.get::<ResourceQuota>(&key.1) else {
            return Plan::default();
        };
        let next_sync = Plan::default().requeue_after(Some(RECOUNT_PERIOD));
        let list = |kind| cx.objects.list_kind_in(kind, &key.1.namespace);
        let used = quota::recount_usage(quota_object, list, cx.ctx.wall());
        if quota_object.status.hard == quota_object.spec.hard && quota_object.status.used == used {
            return next_sync;
        }
        let mut counted = ResourceQuota::clone(quota_object);
        counted.status.hard.clone_from(&quota_object.spec.hard);
        counted.status.used = used;
        // If the API server has increased the usage of this quota and the cache does not show it yet, the update fails
        // with a conflict, and the controller counts again.
        next_sync.then_action(Action::from(Request::Update(
            Object::ResourceQuota(counted.into()),
            Part::Status,
        )))
    }
}
