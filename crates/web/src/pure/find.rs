//! What the filter finds: pods and nodes by name, label, state, owner and what keeps a pod from its node; pods by image,
//! IP and PriorityClass as well. Words are looked for anywhere, all of them must be found; what a pod's node is called counts for the pod as well. Some are kubectl's:
//! `app=web,tier!=front`, `namespace=shop`, `deploy/web`.

use podscope_api::ordered::StableSort as _;
use podscope_api::{ConditionStatus, Kind};
use podscope_protocol::{Mark, NodeView, PodMark, PodView, QueuePlace, QueueView, SubjectRef};

use crate::state::{Model, NodeState};

/// Words to look for. Without any, everything is found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Filter {
    words: Vec<Word>,
}

/// One of them, in lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Word {
    /// Anywhere.
    Text(String),
    /// `key!=value`.
    Not(String, String),
    /// `namespace=shop`.
    Namespace(String),
    /// `deploy/web`: the whole name of the kind, and how the object's begins.
    Of(&'static str, String),
}

/// Kinds that are found by a word before a slash, which is kubectl's.
const KINDS: [Kind; 7] = [
    Kind::Pod,
    Kind::Node,
    Kind::ReplicaSet,
    Kind::Deployment,
    Kind::StatefulSet,
    Kind::DaemonSet,
    Kind::Job,
];

impl Word {
    fn read(text: &str) -> Word {
        if let Some((key, value)) = text.split_once("!=") {
            return Word::Not(key.to_owned(), value.to_owned());
        }
        if let Some(("namespace" | "ns", name)) = text.split_once('=') {
            return Word::Namespace(name.trim_start_matches('=').to_owned());
        }
        let kind = text.split_once('/').and_then(|(kind, name)| {
            let kind = Kind::from_resource_name(kind).filter(|kind| KINDS.contains(kind))?;
            Some(Word::Of(kind.singular(), name.to_owned()))
        });
        kind.unwrap_or_else(|| Word::Text(text.replace("==", "=")))
    }
}

/// How many pods and nodes are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Found {
    pub(crate) pods: usize,
    pub(crate) nodes: usize,
}

impl Filter {
    /// Reads what was typed; none if that leaves nothing out.
    pub(crate) fn read(text: &str) -> Option<Filter> {
        let text = text.to_ascii_lowercase().replace("not ready", "notready");
        let parts = text.split_whitespace().flat_map(|word| {
            // Labels stand in one list; what holds no label may hold a comma.
            word.split(if word.contains('=') { ',' } else { ' ' })
        });
        let words: Vec<Word> = parts.filter(|word| !word.is_empty()).map(Word::read).collect();
        (!words.is_empty()).then_some(Filter { words })
    }

    fn all(&self, has: impl Fn(&Word) -> bool) -> bool {
        self.words.iter().all(has)
    }

    /// Whether a pod is found by itself.
    pub(crate) fn finds_pod(&self, pod: &PodView) -> bool {
        let texts = [&pod.key, &pod.status, &pod.owner, &pod.node, &pod.nominated, &pod.also];
        let states = states(pod.mark);
        self.all(|word| match word {
            Word::Text(word) => {
                texts.iter().any(|text| holds(text, word))
                    || states.iter().any(|state| state.starts_with(word))
                    || pod.labels.iter().any(|label| holds(label, word))
                    || pod.queue.as_ref().is_some_and(|queue| waits_for(queue, word))
            }
            Word::Not(key, value) => !(pod.labels.iter())
                .filter_map(|label| label.split_once('='))
                .any(|(k, v)| k.eq_ignore_ascii_case(key) && v.eq_ignore_ascii_case(value)),
            Word::Namespace(name) => pod
                .key
                .split_once('/')
                .is_some_and(|(own, _)| own.eq_ignore_ascii_case(name)),
            Word::Of("pod", name) => begins(last(&pod.key), name),
            Word::Of("node", name) => begins(&pod.node, name) || begins(&pod.nominated, name),
            Word::Of(kind, name) => {
                let (of, owner) = pod.owner.split_once(' ').unwrap_or_default();
                of.eq_ignore_ascii_case(kind) && begins(last(owner), name)
                    // A Deployment's pod is called after its ReplicaSet.
                    || *kind == "replicaset" && name.contains('-') && begins(last(&pod.key), name)
            }
        })
    }

    /// Whether a node is found by itself, not by what runs on it.
    pub(crate) fn finds_node(&self, node: &NodeView) -> bool {
        let states = node_states(node);
        self.all(|word| match word {
            Word::Text(word) => {
                holds(&node.name, word)
                    || states.iter().any(|state| state.starts_with(word))
                    || node.taints.iter().chain(&node.pressure).any(|text| holds(text, word))
                    || (node.labels.iter()).any(|(key, value)| match word.split_once('=') {
                        Some((k, v)) => holds(key, k) && holds(value, v),
                        None => holds(key, word) || holds(value, word),
                    })
            }
            Word::Not(key, value) => {
                (node.labels.iter()).any(|(k, v)| k.eq_ignore_ascii_case(key) && !v.eq_ignore_ascii_case(value))
            }
            Word::Of(kind, name) => *kind == "node" && begins(&node.name, name),
            Word::Namespace(_) => false,
        })
    }

    /// Whether anything on a card is found.
    pub(crate) fn finds_on(&self, node: &NodeState) -> bool {
        self.finds_node(&node.view) || node.pods.iter().any(|pod| self.finds_pod(pod))
    }

    /// Whether a mark of the timeline is about something that is found.
    pub(crate) fn finds_mark(&self, mark: &Mark, model: &Model) -> bool {
        let label = mark.label.to_string();
        let said = |word: &Word, text: &str| matches!(word, Word::Text(word) if holds(text, word));
        if self.all(|word| said(word, &label)) {
            return true;
        }
        match &mark.subject {
            Some(SubjectRef::Pod { key, uid }) => {
                (model.pod(key, uid)).map_or_else(|| self.all(|word| said(word, key)), |pod| self.finds_pod(pod))
            }
            Some(SubjectRef::Node { name }) => (model.nodes.get(name)).is_some_and(|node| self.finds_node(&node.view)),
            _ => false,
        }
    }

    /// What is found after what is selected, or before it: nodes first, then pods, round and round.
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

    /// How much of a cluster is found.
    pub(crate) fn count(&self, model: &Model) -> Found {
        Found {
            pods: model.pods.values().filter(|pod| self.finds_pod(pod)).count(),
            nodes: model.nodes.values().filter(|node| self.finds_node(&node.view)).count(),
        }
    }
}

/// Whether a text holds a word that is in lower case.
fn holds(text: &str, word: &str) -> bool {
    let (text, word) = (text.as_bytes(), word.as_bytes());
    !word.is_empty() && text.windows(word.len()).any(|part| part.eq_ignore_ascii_case(word)) || word.is_empty()
}

/// Whether a text begins with a word that is in lower case.
fn begins(text: &str, word: &str) -> bool {
    !text.is_empty()
        && text
            .get(..word.len())
            .is_some_and(|head| head.eq_ignore_ascii_case(word))
}

/// A name without its namespace.
fn last(key: &str) -> &str {
    key.rsplit('/').next().unwrap_or(key)
}

/// Whether what keeps a pod from its node, as the tray says it, holds a word.
fn waits_for(queue: &QueueView, word: &str) -> bool {
    let refused = queue.refusal.iter().flat_map(|refusal| &refusal.causes);
    if refused.into_iter().any(|(cause, _)| holds(cause, word)) {
        return true;
    }
    let (said, names): (&str, &[String]) = match &queue.place {
        QueuePlace::Unheard | QueuePlace::Active => ("next in line not looked at yet", &[]),
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
    said.contains(word) || names.iter().any(|name| holds(name, word))
}

/// What people call a pod that looks like that.
fn states(mark: PodMark) -> &'static [&'static str] {
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

/// What people call a node in that state.
fn node_states(node: &NodeView) -> Vec<&'static str> {
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
    use podscope_protocol::RefusalView;

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

    /// By name, label, state, owner and node; all words must be found.
    /// Shows: U-14
    #[test]
    fn pods_are_found_by_name_label_state_owner_and_node() {
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
    fn pods_are_found_by_image_ip_and_priority_class() {
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

    /// Kubectl's own forms.
    /// Shows: U-14
    #[test]
    fn what_kubectl_takes_is_found() {
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

    /// The words that the tray says are words to look for.
    /// Shows: U-14
    #[test]
    fn pods_are_found_by_what_keeps_them() {
        let refusal = RefusalView {
            nodes: 4,
            causes: vec![("Insufficient cpu".into(), 3), ("untolerated taint".into(), 1)],
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
    fn one_goes_from_what_is_found_to_the_next_by_name_and_round() {
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
        let mut way = |back: bool| {
            at = filter.next(&model, at.as_ref(), back);
            match &at {
                Some(SubjectRef::Pod { uid, .. }) => uid.clone(),
                _ => String::new(),
            }
        };
        let went = [false, false, false, false, true, true].map(&mut way);
        assert_eq!(went, ["2", "4", "1", "2", "1", "4"]);
        let nothing = Filter::read("no-such-thing").unwrap_or_default();
        assert_eq!(nothing.next(&model, None, false), None);
    }

    #[test]
    fn nodes_are_found_by_name_label_taint_and_state() {
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
