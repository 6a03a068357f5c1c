//! The trigger time of a Service's endpoints is the time of the change that caused their last update.

use podscope_api::ordered;
use podscope_api::well_known::condition;
use podscope_api::{ObjectKey, Pod, Service, Str, Time};

/// Annotation of EndpointSlices and Endpoints whose value is their trigger time.
pub(super) const TRIGGER_TIME_ANNOTATION: &str = "endpoints.kubernetes.io/last-change-trigger-time";

/// The last observed transitions of the Ready conditions of the pods of each Service.
#[derive(Debug, Clone, Default)]
pub(super) struct TriggerTimes {
    services: ordered::Map<ObjectKey, ordered::Map<Str, Time>>,
}

impl TriggerTimes {
    /// Returns the time of the earliest change since the last call: the creation of the Service, or a transition of a
    /// pod's Ready condition; `None` without such a change.
    pub(super) fn update(&mut self, service: &Service, pods: &[&Pod]) -> Option<Time> {
        let now: ordered::Map<Str, Time> = pods
            .iter()
            .filter_map(|pod| Some((pod.metadata.name.clone(), ready_transition_time(pod)?)))
            .collect();
        let before = self.services.insert(service.metadata.key(), now.clone());
        let is_new = before.is_none();
        let before = before.unwrap_or_default();
        let pods = now
            .iter()
            .filter(|(name, at)| before.get(&**name).is_none_or(|known| known < at))
            .map(|(_, at)| *at);
        let created = is_new.then_some(service.metadata.creation_timestamp).flatten();
        pods.chain(created).min()
    }

    /// Removes a deleted Service.
    pub(super) fn forget(&mut self, service: &ObjectKey) {
        self.services.remove(service);
    }
}

fn ready_transition_time(pod: &Pod) -> Option<Time> {
    let conditions = &pod.status.conditions;
    let ready = conditions.iter().find(|condition| &*condition.kind == condition::READY);
    ready.and_then(|condition| condition.last_transition_time)
}
