//! Explanations of scheduling decisions (S-14). The session is replayed up to the attempt, and the scheduler repeats
//! its decision with every detail recorded.

use std::sync::Arc;

use podscope_api::{ObjectKey, Pod};
use podscope_cluster::{Objects, What, scheduler_of};
use podscope_scheduler::SchedulerConfiguration;
use podscope_scheduler::explain::{Explained, explain};

use crate::timeline::Session;

/// Lets the scheduler decide about a pod in a cluster with these objects, and explains the decision.
pub fn explain_pod(objects: &Objects, config: SchedulerConfiguration, pod: &Arc<Pod>) -> Option<Explained> {
    let scheduler = scheduler_of(objects, config, 0);
    let (cache, decision) = scheduler.decide(pod)?;
    Some(explain(&cache, &decision))
}

impl Session {
    /// Explains the scheduling attempt whose record has the sequence number `attempt`. None if that record is no
    /// attempt.
    pub fn explain(&self, attempt: u64) -> Option<Explained> {
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

    /// Explains the decision that the scheduler would make about a pod in the state of the cluster at the cursor.
    pub fn explain_now(&self, key: &ObjectKey) -> Option<Explained> {
        let pod = self.world().objects().get::<Pod>(key)?.clone();
        explain_pod(self.world().objects(), self.scheduler_config(), &pod)
    }

    pub fn scheduler_config(&self) -> SchedulerConfiguration {
        self.loaded().setup.settings.scheduler.clone()
    }
}
