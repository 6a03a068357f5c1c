//! Since when a Service's endpoints ought to be as they are: the instant that their controllers write beside them.

use podscope_api::ordered;
use podscope_api::{ObjectKey, Pod, Service, Str, Time};

/// The annotation that holds it.
pub(super) const ANNOTATION: &str = "endpoints.kubernetes.io/last-change-trigger-time";

/// What was seen of each Service.
#[derive(Debug, Clone, Default)]
pub(super) struct TriggerTimes {
    services: ordered::Map<ObjectKey, ordered::Map<Str, Time>>,
}

impl TriggerTimes {
    /// The earliest of the changes since the last look: that the Service was made, or that a pod became ready or ceased
    /// to be. None where nothing of that kind happened.
    pub(super) fn note(&mut self, service: &Service, pods: &[&Pod]) -> Option<Time> {
        let now: ordered::Map<Str, Time> = pods
            .iter()
            .filter_map(|pod| Some((pod.metadata.name.clone(), changed_at(pod)?)))
            .collect();
        let before = self.services.insert(service.metadata.key(), now.clone());
        let is_new = before.is_none();
        let before = before.unwrap_or_default();
        let pods = now
            .iter()
            .filter(|(name, at)| before.get(&**name).is_none_or(|known| known < at))
            .map(|(_, at)| *at);
        let made = is_new.then_some(service.metadata.creation_timestamp).flatten();
        pods.chain(made).min()
    }

    /// The Service is gone.
    pub(super) fn forget(&mut self, service: &ObjectKey) {
        self.services.remove(service);
    }
}

fn changed_at(pod: &Pod) -> Option<Time> {
    let conditions = &pod.status.conditions;
    let ready = conditions.iter().find(|condition| &*condition.kind == "Ready");
    ready.and_then(|condition| condition.last_transition_time)
}
