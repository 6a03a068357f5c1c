//! Explanations of decisions (S-14): the attempt's world is replayed, and the
//! scheduler decides the pod once more with everything written down.

use std::sync::Arc;

use podscope_api::{Kind, ObjectKey, Pod};
use podscope_cluster::{Objects, What};
use podscope_scheduler::explain::{Explanation, explain};
use podscope_scheduler::{Scheduler, SchedulerConfiguration};

use crate::timeline::Session;

/// A scheduler that knows these objects, and nothing of what is under way.
pub(crate) fn scheduler_of(objects: &Objects, config: SchedulerConfiguration, now: i64) -> Scheduler {
    let mut scheduler = Scheduler::new(config, now);
    // Nodes, classes and volumes before pods, so that no pod is seen without its surroundings.
    for kind in Kind::ALL
        .iter()
        .filter(|kind| !matches!(kind, Kind::Pod | Kind::Event | Kind::Lease))
    {
        let known = objects.list_kind(*kind).into_iter();
        for object in known.filter(|object| !podscope_cluster::is_made_up_node(object)) {
            scheduler.on_change(None, Some(&object), now);
        }
    }
    for object in objects.list_kind(Kind::Pod) {
        scheduler.on_change(None, Some(&object), now);
    }
    scheduler
}

/// Decides a pod on these objects and explains it.
pub fn explain_pod(objects: &Objects, config: SchedulerConfiguration, pod: &Arc<Pod>) -> Option<Explanation> {
    let scheduler = scheduler_of(objects, config, 0);
    let (cache, decision) = scheduler.decide(pod)?;
    Some(explain(&cache, &decision))
}

impl Session {
    /// The explanation of the attempt with that place in the trace.
    pub fn explain(&self, attempt: u64) -> Option<Explanation> {
        let place = usize::try_from(attempt).ok()?;
        let record = self.branch().trace().get(place)?;
        if record.what() != What::Attempt {
            return None;
        }
        let subject = record.object.as_ref()?;
        let key = subject.key.clone();
        let recorded = self.decision(attempt)?;
        if recorded.pod != key {
            return None;
        }
        Some(explain(&recorded.cache, &recorded.decision))
    }

    /// The explanation of a pod's decision as the world is at the cursor.
    pub fn explain_now(&self, key: &ObjectKey) -> Option<Explanation> {
        let pod = self.world().objects().get::<Pod>(key)?.clone();
        explain_pod(self.world().objects(), self.scheduler_config(), &pod)
    }

    /// The scheduler's configuration.
    pub fn scheduler_config(&self) -> SchedulerConfiguration {
        self.loaded().setup.settings.scheduler.clone()
    }
}
