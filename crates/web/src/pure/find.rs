//! The filter. It finds pods and nodes by name, label, state, owner and cause of waiting, and pods also by image, IP
//! and PriorityClass. A word may match any part of a text, and all words have to match. A pod also matches if the name
//! of its node matches. Some of kubectl's notations are supported: `app=web,tier!=front`, `namespace=shop`,
//! `deploy/web`.

use podscope_api::ordered::StableSort as _;
use podscope_api::{ConditionStatus, Kind};
use podscope_messages::localized;
use podscope_protocol::{Mark, NodeView, PodMark, PodView, QueuePlace, QueueView, SubjectRef};

use crate::state::{Model, NodeState};

/// The words that must match. An empty filter matches everything.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Filter {
    words: Vec<FilterCondition>,
}

/// One condition of the filter. All its texts are in lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
enum FilterCondition {
    /// This text occurs anywhere in the searched texts.
    Text(String),
    /// The notation `key!=value`: the label does not have this value.
    Not(String, String),
    /// The notation `namespace=shop`: the object is in this namespace.
    Namespace(String),
    /// `deploy/web`: the full name of the resource kind, and the beginning of the object's name.
    OwnedBy(&'static str, String),
}

/// Resource kinds that can be written before a slash, as in kubectl.
const KINDS_BEFORE_SLASH: [Kind; 7] = [
    Kind::Pod,
    Kind::Node,
    Kind::ReplicaSet,
    Kind::Deployment,
    Kind::StatefulSet,
    Kind::DaemonSet,
    Kind::Job,
];

impl FilterCondition {
    fn read(text: &str) -> FilterCondition {
        if let Some((key, value)) = text.split_once("!=") {
            return FilterCondition::Not(key.to_owned(), value.to_owned());
        }
        if let Some(("namespace" | "ns", name)) = text.split_once('=') {
            return FilterCondition::Namespace(name.trim_start_matches('=').to_owned());
        }
        let kind = text.split_once('/').and_then(|(kind, name)| {
            let kind = Kind::from_resource_name(kind).filter(|kind| KINDS_BEFORE_SLASH.contains(kind))?;
            Some(FilterCondition::OwnedBy(kind.singular(), name.to_owned()))
        });
        kind.unwrap_or_else(|| FilterCondition::Text(text.replace("==", "=")))
    }
}

/// Number of matching pods and of matching nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct MatchCounts {
    pub(crate) pods: usize,
    pub(crate) nodes: usize,
}

impl Filter {
    /// Parses the typed text; `None` if it has no words.
    pub(crate) fn read(text: &str) -> Option<Filter> {
        let text = text.to_ascii_lowercase().replace("not ready", "notready");
        let parts = text.split_whitespace().flat_map(|word| {
            // A comma separates label conditions only; elsewhere it may be part of a word.
            word.split(if word.contains('=') { ',' } else { ' ' })
        });
        let words: Vec<FilterCondition> = parts
            .filter(|word| !word.is_empty())
            .map(FilterCondition::read)
            .collect();
        (!words.is_empty()).then_some(Filter { words })
    }

    fn all(&self, has: impl Fn(&FilterCondition) -> bool) -> bool {
        self.words.iter().all(has)
    }

    /// Returns whether a pod matches.
    pub(crate) fn finds_pod(&self, pod: &PodView) -> bool {
        let texts = [&pod.key, &pod.status, &pod.owner, &pod.node, &pod.nominated, &pod.also];
        let states = pod_state_words(pod.mark);
        self.all(|word| match word {
            FilterCondition::Text(word) => {
                texts.iter().any(|text| contains_ignoring_case(text, word))
                    || states.iter().any(|state| state.starts_with(word))
                    || pod.labels.iter().any(|label| contains_ignoring_case(label, word))
                    || pod.queue.as_ref().is_some_and(|queue| cause_contains(queue, word))
            }
            FilterCondition::Not(key, value) => !(pod.labels.iter())
                .filter_map(|label| label.split_once('='))
                .any(|(label, content)| label.eq_ignore_ascii_case(key) && content.eq_ignore_ascii_case(value)),
            FilterCondition::Namespace(name) => pod
                .key
                .split_once('/')
                .is_some_and(|(own, _)| own.eq_ignore_ascii_case(name)),
            FilterCondition::OwnedBy("pod", name) => starts_with_ignoring_case(name_of_key(&pod.key), name),
            FilterCondition::OwnedBy("node", name) => starts_with_ignoring_case(&pod.node, name) || starts_with_ignoring_case(&pod.nominated, name),
            FilterCondition::OwnedBy(kind, name) => {
                let (of, owner) = pod.owner.split_once(' ').unwrap_or_default();
                of.eq_ignore_ascii_case(kind) && starts_with_ignoring_case(name_of_key(owner), name)
                    // The name of a Deployment's pod begins with the name of its ReplicaSet.
                    || *kind == "replicaset" && name.contains('-') && starts_with_ignoring_case(name_of_key(&pod.key), name)
            }
        })
    }

    /// Returns whether a node itself matches; pods on it do not count.
    pub(crate) fn finds_node(&self, node: &NodeView) -> bool {
        let states = node_state_words(node);
        self.all(|word| match word {
            FilterCondition::Text(word) => {
                contains_ignoring_case(&node.name, word)
                    || states.iter().any(|state| state.starts_with(word))
                    || node
                        .taints
                        .iter()
                        .chain(&node.pressure)
                        .any(|text| contains_ignoring_case(text, word))
                    || (node.labels.iter()).any(|(key, value)| match word.split_once('=') {
                        Some((wanted_key, wanted_value)) => {
                            contains_ignoring_case(key, wanted_key) && contains_ignoring_case(value, wanted_value)
                        }
                        None => contains_ignoring_case(key, word) || contains_ignoring_case(value, word),
                    })
            }
            FilterCondition::Not(key, value) => (node.labels.iter())
                .any(|(label, content)| label.eq_ignore_ascii_case(key) && !content.eq_ignore_ascii_case(value)),
            FilterCondition::OwnedBy(kind, name) => *kind == "node" && starts_with_ignoring_case(&node.name, name),
            FilterCondition::Namespace(_) => false,
        })
    }

    /// Returns whether a node matches, or one of the pods on it.
    pub(crate) fn finds_node_or_pod_on_it(&self, node: &NodeState) -> bool {
        self.finds_node(&node.view) || node.pods.iter().any(|pod| self.finds_pod(pod))
    }

    /// Returns whether an event on the timeline, or the object that it is about, matches.
    pub(crate) fn finds_mark(&self, mark: &Mark, model: &Model) -> bool {
        let label = mark.label.to_string();
        let matches_text = |word: &FilterCondition, text: &str| matches!(word, FilterCondition::Text(word) if contains_ignoring_case(text, word));
        if self.all(|word| matches_text(word, &label)) {
            return true;
        }
        match &mark.subject {
            Some(SubjectRef::Pod { key, uid }) => (model.pod(key, uid))
                .map_or_else(|| self.all(|word| matches_text(word, key)), |pod| self.finds_pod(pod)),
            Some(SubjectRef::FailedRequests {
                endpoint: Some(key), ..
            }) => model.pod(key, "").is_some_and(|pod| self.finds_pod(pod)),
            Some(SubjectRef::Node { name }) => (model.nodes.get(name)).is_some_and(|node| self.finds_node(&node.view)),
            _ => false,
        }
    }

    /// Returns the next match after the selection, or the previous one: nodes first, then pods, in a cycle.
    pub(crate) fn next(&self, model: &Model, selected: Option<&SubjectRef>, back: bool) -> Option<SubjectRef> {
        let nodes = model.nodes.values().filter(|node| self.finds_node(&node.view));
        let nodes = nodes.map(|node| SubjectRef::Node {
            name: node.view.name.clone(),
        });
        let mut pods: Vec<_> = model.pods.values().filter(|pod| self.finds_pod(pod)).collect();
        pods.stable_sort_by(|one, other| one.key.cmp(&other.key));
        let pods = pods.into_iter().map(|pod| SubjectRef::Pod {
            key: pod.key.clone(),
            uid: pod.uid().to_owned(),
        });
        let mut all: Vec<SubjectRef> = nodes.chain(pods).collect();
        if back {
            all.reverse();
        }
        let here = all.iter().position(|one| Some(one) == selected);
        let next = here.map_or(0, |here| (here + 1) % all.len());
        (next < all.len()).then(|| all.swap_remove(next))
    }

    /// Counts the matches in a cluster.
    pub(crate) fn count(&self, model: &Model) -> MatchCounts {
        MatchCounts {
            pods: model.pods.values().filter(|pod| self.finds_pod(pod)).count(),
            nodes: model.nodes.values().filter(|node| self.finds_node(&node.view)).count(),
        }
    }
}

/// Returns whether a text contains a lower-case word, ignoring case.
fn contains_ignoring_case(text: &str, word: &str) -> bool {
    let (text, word) = (text.as_bytes(), word.as_bytes());
    !word.is_empty() && text.windows(word.len()).any(|part| part.eq_ignore_ascii_case(word)) || word.is_empty()
}

/// Returns whether a text begins with a lower-case word, ignoring case.
fn starts_with_ignoring_case(text: &str, word: &str) -> bool {
    !text.is_empty()
        && text
            .get(..word.len())
            .is_some_and(|head| head.eq_ignore_ascii_case(word))
}

/// Returns the name in a key, without the namespace.
fn name_of_key(key: &str) -> &str {
    key.rsplit('/').next().unwrap_or(key)
}

/// Returns whether a word occurs in the text for why a pod is pending.
fn cause_contains(queue: &QueueView, word: &str) -> bool {
    let refused = queue.refusal.iter().flat_map(|refusal| &refusal.causes);
    if refused
        .into_iter()
        .any(|cause| contains_ignoring_case(&cause.text, word) || contains_ignoring_case(&localized(&cause.text), word))
    {
        return true;
    }
    let (said, names): (&str, &[String]) = match &queue.place {
        QueuePlace::NotObserved | QueuePlace::Active => ("next in line not looked at yet", &[]),
        QueuePlace::Unknown(_) => ("nobody can say not in the files", &[]),
        QueuePlace::Stranded => ("no scheduler runs", &[]),
        QueuePlace::Halted(_) => ("waits for the api server etcd", &[]),
        QueuePlace::Foreign(name) => ("another scheduler does not run here", std::slice::from_ref(name)),
        QueuePlace::Binding { .. } => ("is being bound waits for its volume", &[]),
        QueuePlace::Backoff => ("backs off backoff", &[]),
        QueuePlace::Unschedulable(plugins) => ("unschedulable", plugins),
        QueuePlace::Gated(names) => ("held by a scheduling gate gated", names),
        QueuePlace::Victims { pods, .. } => ("room is being made waits nominated", pods),
    };
    said.contains(word) || names.iter().any(|name| contains_ignoring_case(name, word))
}

/// Returns the words by which users search for the state of a pod.
fn pod_state_words(mark: PodMark) -> &'static [&'static str] {
    match mark {
        PodMark::Pending => &["pending"],
        PodMark::Starting => &["starting", "notready"],
        PodMark::Ready => &["ready", "running"],
        PodMark::NotReady => &["notready", "running"],
        PodMark::Terminating => &["terminating"],
        PodMark::CrashLoop => &["crashing", "crashloop", "backoff"],
        PodMark::Succeeded => &["succeeded", "completed"],
        PodMark::Failed => &["failed"],
        PodMark::Ghost => &["ghost", "forgotten"],
        PodMark::Unconfirmed => &["unconfirmed", "unknown"],
    }
}

/// Returns the words by which users search for the state of a node.
fn node_state_words(node: &NodeView) -> Vec<&'static str> {
    let machine = &node.machine;
    let mut all = vec![match node.ready {
        ConditionStatus::True => "ready",
        _ => "notready",
    }];
    all.extend((node.ready == ConditionStatus::Unknown).then_some("unreachable"));
    all.extend(node.cordoned.then_some("cordoned"));
    all.extend((machine.exists && !machine.powered).then_some("off"));
    all.extend(
        (!machine.cuts.is_empty())
            .then_some(["cut", "partitioned"])
            .into_iter()
            .flatten(),
    );
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::Shared;
    use podscope_protocol::explained::{RefusalCause, RefusedNodes};

    fn pod() -> PodView {
        PodView {
            key: "shop/web-7c9d-x2v4q".into(),
            owner: "Deployment shop/web".into(),
            node: "a-1".into(),
            mark: PodMark::Unconfirmed,
            labels: vec!["app=web".into(), "tier=front".into()],
            ..PodView::default()
        }
    }

    /// A pod matches by name, label, state, owner and node; all words must match.
    /// Shows: U-14
    #[test]
    fn filter_matches_pod_name_label_state_owner_and_node() {
        for (text, found) in [
            ("x2v4", true),
            ("SHOP", true),
            ("tier=front", true),
            ("deployment", true),
            ("a-1", true),
            ("unknown", true),
            ("web unknown", true),
            ("web pending", false),
            ("tier=back", false),
        ] {
            let filter = Filter::read(text).unwrap_or_default();
            assert_eq!(filter.finds_pod(&pod()), found, "{text}");
        }
        assert_eq!(Filter::read("  "), None);
    }

    /// Shows: U-14
    #[test]
    fn filter_matches_pod_image_ip_and_priority_class() {
        let pod = PodView {
            also: "registry.example.com/Shop/web:1.2 envoy:3 high 10.1.2.3".into(),
            ..pod()
        };
        for (text, found) in [
            ("shop/web:1.2", true),
            ("envoy high", true),
            ("10.1.2.3", true),
            ("10.1.2.4", false),
            ("web:1.3", false),
        ] {
            let filter = Filter::read(text).unwrap_or_default();
            assert_eq!(filter.finds_pod(&pod), found, "{text}");
        }
    }

    /// The filter understands kubectl's notations.
    /// Shows: U-14
    #[test]
    fn filter_understands_kubectl_selectors_and_kinds() {
        for (text, found) in [
            ("namespace=shop", true),
            ("ns=sho", false),
            ("app=web,tier=front", true),
            ("app=web,tier=back", false),
            ("app!=web", false),
            ("app!=db", true),
            ("deploy/web", true),
            ("Deployment/db", false),
            ("ReplicaSet/web-7c9d", true),
            ("sts/web", false),
            ("pod/web-7c9d", true),
            ("shop/web", true),
            ("node/a-1", true),
        ] {
            let filter = Filter::read(text).unwrap_or_default();
            assert_eq!(filter.finds_pod(&pod()), found, "{text}");
        }
    }

    /// The words that the list of pending pods shows as causes can be searched.
    /// Shows: U-14
    #[test]
    fn filter_matches_cause_of_waiting() {
        let cause = |nodes, text: &str| RefusalCause {
            nodes,
            text: text.into(),
        };
        let refusal = RefusedNodes {
            nodes: 4,
            causes: vec![cause(3, "Insufficient cpu"), cause(1, "untolerated taint")],
        };
        let mut pod = pod();
        let queue = |place, refusal| {
            Some(Box::new(QueueView {
                place,
                refusal,
                ..QueueView::default()
            }))
        };
        pod.queue = queue(
            QueuePlace::Unschedulable(vec!["NodeResourcesFit".into()]),
            Some(refusal),
        );
        let finds = |pod: &PodView, text: &str| Filter::read(text).unwrap_or_default().finds_pod(pod);
        for text in ["Insufficient cpu", "untolerated taint", "noderesourcesfit"] {
            assert!(finds(&pod, text), "{text}");
        }
        assert!(!finds(&pod, "Insufficient memory"));
        pod.queue = queue(QueuePlace::Gated(vec!["example.com/quota".into()]), None);
        assert!(finds(&pod, "scheduling gate") && finds(&pod, "quota"));
    }

    #[test]
    fn next_cycles_through_matches_by_name() {
        let mut model = Model::default();
        for (id, key) in [
            ("1", "shop/web-c"),
            ("2", "shop/web-a"),
            ("3", "shop/db"),
            ("4", "shop/web-b"),
        ] {
            let pod = PodView {
                id: id.into(),
                key: key.into(),
                ..PodView::default()
            };
            model.pods.insert_mut(id.into(), Shared::new(pod));
        }
        let filter = Filter::read("web").unwrap_or_default();
        let mut at = None;
        let mut step = |back: bool| {
            at = filter.next(&model, at.as_ref(), back);
            match &at {
                Some(SubjectRef::Pod { uid, .. }) => uid.clone(),
                _ => String::new(),
            }
        };
        let visited = [false, false, false, false, true, true].map(&mut step);
        assert_eq!(visited, ["2", "4", "1", "2", "1", "4"]);
        let nothing = Filter::read("no-such-thing").unwrap_or_default();
        assert_eq!(nothing.next(&model, None, false), None);
    }

    #[test]
    fn filter_matches_node_name_label_taint_and_state() {
        let node = NodeView {
            name: "b-2".into(),
            ready: ConditionStatus::Unknown,
            taints: vec!["dedicated=db:NoSchedule".into()],
            labels: [("disk".to_owned(), "ssd".to_owned())].into_iter().collect(),
            ..NodeView::default()
        };
        for (text, found) in [
            ("b-2", true),
            ("disk=ssd", true),
            ("disk=hdd", false),
            ("dedicated", true),
            ("notready", true),
            ("not ready", true),
            ("ready", false),
            ("unreachable", true),
            ("cordoned", false),
            ("node/b-2", true),
            ("disk!=hdd", true),
            ("disk!=ssd", false),
            ("zone!=a", false),
            ("namespace=shop", false),
        ] {
            let filter = Filter::read(text).unwrap_or_default();
            assert_eq!(filter.finds_node(&node), found, "{text}");
        }
    }
}
