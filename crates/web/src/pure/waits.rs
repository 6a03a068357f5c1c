//! Texts for what a pending pod is waiting for, and why it has no node.

use podscope_api::ordered::StableSort as _;
use podscope_messages::{listed, localized, t};
use podscope_protocol::{Component, Micros, MissingObjectsView, PodView, QueuePlace, QueueView};

use crate::pure::{clock, names};
use crate::state::Shared;

/// Maximum number of causes that are listed; a pod may have a different cause for every node.
const MAX_CAUSES: usize = 3;

/// Describes what the pod is waiting for.
pub(crate) fn waiting_text(pod: &PodView, now: Micros) -> String {
    let Some(queue) = &pod.queue else { return String::new() };
    match &queue.place {
        QueuePlace::NotObserved | QueuePlace::Active => t!(waits::next),
        QueuePlace::Stranded => t!(waits::stranded),
        QueuePlace::Halted(Component::Etcd) => t!(waits::etcd),
        QueuePlace::Halted(_) => t!(waits::api_server),
        QueuePlace::Foreign(name) => t!(waits::foreign, scheduler = name),
        QueuePlace::Binding { has_volumes: true } => t!(waits::volume),
        QueuePlace::Binding { .. } => t!(waits::binding),
        QueuePlace::Backoff => match queue.until {
            Some(until) => t!(waits::backoff_until, time = clock::countdown(until, now)),
            None => t!(waits::backoff),
        },
        QueuePlace::Unschedulable(plugins) if plugins.is_empty() => t!(waits::event),
        QueuePlace::Unschedulable(plugins) => t!(waits::event_for, plugins = listed(plugins)),
        QueuePlace::Unknown(_) if queue.message.is_empty() => t!(waits::unknown),
        QueuePlace::Unknown(_) => t!(waits::unknown_said, message = queue.message),
        QueuePlace::Gated(names) => t!(waits::gated, gates = listed(names)),
        QueuePlace::Victims { node, pods } if pods.is_empty() => t!(waits::room, node = node),
        QueuePlace::Victims { node, pods } => {
            let (names, left) = (names_of_first_victims(pods), time_left(queue, now));
            match pods.len().saturating_sub(MAX_CAUSES) {
                0 => t!(
                    waits::victims,
                    count = pods.len(),
                    names = names,
                    node = node,
                    left = left
                ),
                more => t!(
                    waits::victims_and_more,
                    names = names,
                    more = more,
                    node = node,
                    left = left
                ),
            }
        }
    }
}

/// Lists the names of the first preemption victims.
fn names_of_first_victims(pods: &[String]) -> String {
    let names = pods
        .iter()
        .take(MAX_CAUSES)
        .map(|key| names::without_default_namespace(key));
    listed(names)
}

/// Returns a comma and the time until the pod's back-off or its victims' grace period ends, such as `, 23 s`; empty if
/// it waits for neither.
fn time_left(queue: &QueueView, now: Micros) -> String {
    let left = |until| format!(", {}", clock::countdown(until, now));
    queue.until.map_or_else(String::new, left)
}

/// Returns a sentence about the preemption victims that the pod waits for; `None` if it does not wait for any.
pub(crate) fn victim_waiting_text(pod: &PodView, now: Micros) -> Option<String> {
    let queue = pod.queue.as_ref()?;
    let QueuePlace::Victims { node, pods } = &queue.place else {
        return None;
    };
    let pod = names::without_default_namespace(&pod.key);
    let (names, left) = (names_of_first_victims(pods), time_left(queue, now));
    Some(match (pods.len(), pods.len().saturating_sub(MAX_CAUSES)) {
        (0, _) => t!(waits::pod_room, pod = pod, node = node),
        (count, 0) => t!(
            waits::pod_victims,
            pod = pod,
            count = count,
            names = names,
            node = node,
            left = left
        ),
        (_, more) => t!(
            waits::pod_victims_and_more,
            pod = pod,
            names = names,
            more = more,
            node = node,
            left = left
        ),
    })
}

/// Explains in a sentence why no scheduler tries the pod; `None` if a scheduler does.
pub(crate) fn why_no_scheduler_tries(pod: &PodView) -> Option<String> {
    let name = names::without_default_namespace(&pod.key);
    Some(match &pod.queue.as_ref()?.place {
        QueuePlace::Gated(names) => t!(waits::pod_gated, gates = listed(names)),
        QueuePlace::Foreign(scheduler) => t!(waits::pod_foreign, pod = name, scheduler = scheduler),
        QueuePlace::Stranded => t!(waits::pod_stranded, pod = name),
        QueuePlace::Halted(Component::Etcd) => t!(waits::pod_etcd, pod = name),
        QueuePlace::Halted(_) => t!(waits::pod_api_server, pod = name),
        QueuePlace::Binding { has_volumes: true } => t!(waits::pod_volume, pod = name),
        QueuePlace::Binding { .. } => t!(waits::pod_binding, pod = name),
        _ => return None,
    })
}

/// Returns the objects that are missing in the files of a dump, without which it is unknown why the pod waits; `None`
/// if the cause is known.
pub(crate) fn missing_dump_objects(pod: &PodView) -> Option<&MissingObjectsView> {
    match &pod.queue.as_ref()?.place {
        QueuePlace::Unknown(what) => Some(what),
        _ => None,
    }
}

/// Returns whether the engine can search for remedies for the pod. It cannot if only the names of the nodes are known.
pub(crate) fn can_search_remedies(pod: &PodView) -> bool {
    missing_dump_objects(pod) != Some(&MissingObjectsView::Nodes)
}

/// Describes the cause of waiting in a few words; pods are grouped by it.
pub(crate) fn waiting_cause(pod: &PodView) -> String {
    let Some(queue) = &pod.queue else {
        return t!(waits::cause_none);
    };
    match (&queue.place, &queue.refusal) {
        (QueuePlace::Gated(_), _) => t!(waits::cause_gated),
        (QueuePlace::Victims { .. }, _) => t!(waits::cause_room),
        (QueuePlace::Foreign(name), _) => t!(waits::cause_foreign, scheduler = name),
        (QueuePlace::Binding { .. }, _) => t!(waits::cause_binding),
        (QueuePlace::Unknown(what), _) => what.to_string(),
        (_, Some(refusal)) if refusal.nodes == 0 => t!(waits::cause_no_nodes),
        (_, Some(refusal)) if !refusal.causes.is_empty() => {
            let mut causes: Vec<String> = (refusal.causes.iter().take(MAX_CAUSES))
                .map(|cause| localized(&cause.text))
                .collect();
            causes.extend((refusal.causes.len() > MAX_CAUSES).then(|| "…".to_owned()));
            causes.join(&t!(explain::separator))
        }
        (QueuePlace::Stranded, _) => t!(waits::cause_stranded),
        (QueuePlace::Halted(Component::Etcd), _) => t!(waits::cause_etcd),
        (QueuePlace::Halted(_), _) => t!(waits::cause_api_server),
        _ => t!(waits::cause_not_looked),
    }
}

/// Describes why a pod is pending, with the number of nodes for each cause: `Insufficient cpu on 3 of 4 nodes`.
pub(crate) fn cause_with_node_counts(pod: &PodView) -> String {
    let refusal = pod.queue.as_ref().and_then(|queue| queue.refusal.as_ref());
    let Some(refusal) = refusal.filter(|refusal| !refusal.causes.is_empty()) else {
        return waiting_cause(pod);
    };
    let each: Vec<String> = (refusal.causes.iter().take(MAX_CAUSES))
        .map(|cause| {
            t!(
                waits::cause_counted,
                cause = localized(&cause.text),
                nodes = cause.nodes,
                all = refusal.nodes
            )
        })
        .collect();
    each.join(&t!(explain::separator))
}

/// Pending pods that wait for the same cause.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PendingGroup {
    pub(crate) cause: String,
    pub(crate) pods: Vec<Shared<PodView>>,
}

/// Groups pending pods by cause, largest group first.
pub(crate) fn groups_by_cause(pending: &[Shared<PodView>]) -> Vec<PendingGroup> {
    let mut groups: Vec<PendingGroup> = Vec::new();
    for pod in pending {
        let cause = waiting_cause(pod);
        match groups.iter_mut().find(|group| group.cause == cause) {
            Some(group) => group.pods.push(pod.clone()),
            None => groups.push(PendingGroup {
                cause,
                pods: vec![pod.clone()],
            }),
        }
    }
    groups.stable_sort_by_key(|group| std::cmp::Reverse(group.pods.len()));
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use podscope_protocol::explained::{RefusalCause, RefusedNodes};

    fn pending_pod(key: &str, place: QueuePlace, causes: &[(&str, usize)]) -> PodView {
        let refusal = (!causes.is_empty()).then(|| RefusedNodes {
            nodes: 4,
            causes: (causes.iter())
                .map(|(text, nodes)| RefusalCause {
                    nodes: *nodes,
                    text: (*text).to_owned(),
                })
                .collect(),
        });
        PodView {
            key: key.into(),
            queue: Some(Box::new(QueueView {
                place,
                refusal,
                until: Some(23_000_000),
                message: String::new(),
            })),
            ..PodView::default()
        }
    }

    /// Pods with a common cause are one group.
    /// Shows: U-14
    #[test]
    fn pods_with_a_common_cause_are_grouped() {
        let cpu: &[(&str, usize)] = &[("Insufficient cpu", 3), ("untolerated taint", 1)];
        let pods = ["a", "b", "c"].map(|name| Shared::new(pending_pod(name, QueuePlace::Backoff, cpu)));
        let mut all = vec![Shared::new(pending_pod("gated", QueuePlace::Gated(vec![]), &[]))];
        all.extend(pods);
        let groups = groups_by_cause(&all);
        assert_eq!(groups.len(), 2);
        assert_eq!(groups[0].cause, "Insufficient cpu, untolerated taint");
        assert_eq!(groups[0].pods.len(), 3);
        assert_eq!(
            cause_with_node_counts(&groups[0].pods[0]),
            "Insufficient cpu on 3 of 4, untolerated taint on 1 of 4"
        );
    }

    /// A pod that no scheduler tries has a sentence that names the reason.
    /// Shows: S-12, S-13
    #[test]
    fn pod_ignored_by_schedulers_has_a_reason() {
        let reason = |place| why_no_scheduler_tries(&pending_pod("p", place, &[]));
        assert_eq!(
            reason(QueuePlace::Gated(vec!["quota".into(), "team".into()])).as_deref(),
            Some("Scheduling is blocked due to non-empty scheduling gates: quota, team.")
        );
        assert_eq!(
            reason(QueuePlace::Foreign("volcano".into())).as_deref(),
            Some("p waits for the scheduler `volcano`, which does not run here.")
        );
        assert_eq!(
            reason(QueuePlace::Stranded).as_deref(),
            Some("p waits for a scheduler that runs.")
        );
        assert_eq!(
            reason(QueuePlace::Binding { has_volumes: true }).as_deref(),
            Some("p has a node: waits for its volume in PreBind.")
        );
        assert_eq!(
            reason(QueuePlace::Halted(Component::ApiServer)).as_deref(),
            Some("p waits for the API server, which does not run.")
        );
        let halted = pending_pod("p", QueuePlace::Halted(Component::Etcd), &[]);
        assert_eq!(
            waiting_text(&halted, 0),
            "waits for etcd, which the API server does not reach"
        );
        assert_eq!(waiting_cause(&halted), "etcd is out of reach");
        assert_eq!(reason(QueuePlace::Active), None);
    }

    /// If a dump does not contain the cause, the text says so, and the message of the real scheduler is shown. Remedies
    /// are offered only if they can be tried in the simulation.
    /// Shows: P-09
    #[test]
    fn pod_with_unknown_cause_names_what_the_files_lack() {
        let claims = MissingObjectsView::Claims(vec!["data-db-0".into()]);
        let mut waits = pending_pod("p", QueuePlace::Unknown(claims), &[]);
        assert_eq!(waiting_cause(&waits), "no file has its claim data-db-0");
        assert_eq!(waiting_text(&waits, 0), "nobody can say why it waits");
        assert!(can_search_remedies(&waits));
        if let Some(queue) = &mut waits.queue {
            queue.place = QueuePlace::Unknown(MissingObjectsView::Nodes);
            queue.message = "0/3 nodes are available".into();
        }
        assert_eq!(waiting_cause(&waits), "no file has a Node");
        assert_eq!(
            waiting_text(&waits, 0),
            "nobody can say why it waits; the real scheduler said: 0/3 nodes are available"
        );
        assert!(!can_search_remedies(&waits));
    }

    /// The text of a nominated pod names the victims that it waits for.
    /// Shows: S-12
    #[test]
    fn nominated_pod_names_its_victims() {
        let place = QueuePlace::Victims {
            node: "a-1".into(),
            pods: vec!["default/low".into()],
        };
        let pod = pending_pod("high", place, &[("Insufficient cpu", 4)]);
        assert_eq!(waiting_text(&pod, 0), "waits until low is gone from a-1, 23 s");
        assert_eq!(waiting_cause(&pod), "room is being made");
        let sentence = victim_waiting_text(&pod, 0);
        assert_eq!(
            sentence.as_deref(),
            Some("high waits until low is gone from a-1, 23 s.")
        );
    }
}
