//! resource-quota: counts what a namespace uses of each of its quotas. The API server charges what is created; this
//! gives back what is gone, and counts everything anew now and then (VA-290, CT-190).
//!
//! Watches quotas and all that a quota can count; compares what the status says with a count.

use podscope_api::{Kind, Object, ResourceQuota, quota};
use podscope_sim::{Change, Part, Request, Span};

use super::controller::{Controller, ControllerContext};
use super::plan::{Action, Plan};
use super::queue::{Key, key_of};

/// How often a quota is counted although nothing has happened (`--resource-quota-sync-period`).
const RESYNC: Span = Span::seconds(300);

#[derive(Debug, Clone, Default)]
pub(super) struct ResourceQuotaController;

impl ResourceQuotaController {
    pub(super) fn boxed() -> Box<dyn Controller> {
        Box::new(Self)
    }
}

/// Whether a change can have given something back, or the quota itself asks for a count.
fn asks_for_a_count(change: &Change, cx: &ControllerContext<'_, '_>) -> bool {
    let now = cx.ctx.wall();
    match (&change.old, &change.new) {
        (None, Some(Object::ResourceQuota(_))) | (Some(_), None) => true,
        (Some(Object::ResourceQuota(old)), Some(Object::ResourceQuota(new))) => old.spec.hard != new.spec.hard,
        (Some(old @ (Object::Pod(_) | Object::Service(_) | Object::PersistentVolumeClaim(_))), Some(new)) => {
            let (before, after) = (quota::usage(old, now), quota::usage(new, now));
            before
                .iter()
                .any(|(name, amount)| after.get(name).is_none_or(|left| left < amount))
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
        if !asks_for_a_count(change, cx) {
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
        let Some(limit) = cx.objects.get::<ResourceQuota>(&key.1) else {
            return Plan::default();
        };
        let again = Plan::default().requeue_after(Some(RESYNC));
        let list = |kind| cx.objects.list_kind_in(kind, &key.1.namespace);
        let used = quota::used(limit, list, cx.ctx.wall());
        if limit.status.hard == limit.spec.hard && limit.status.used == used {
            return again;
        }
        let mut counted = ResourceQuota::clone(limit);
        counted.status.hard.clone_from(&limit.spec.hard);
        counted.status.used = used;
        // A charge that this cache has not seen makes the write stale: it is counted again.
        again.then_one(Action::from(Request::Update(
            Object::ResourceQuota(counted.into()),
            Part::Status,
        )))
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }
}
