//! What the filter finds: pods and nodes by name, label, state and owner. Words are looked for anywhere, all of them
//! must be found; what a pod's node is called counts for the pod as well.

use podscope_api::ConditionStatus;
use podscope_api::ordered::StableSort as _;
use podscope_protocol::{Mark, NodeView, PodMark, PodView, SubjectRef};

use crate::state::{Model, NodeState};

/// Words to look for, in lower case. Without any, everything is found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Filter {
    words: Vec<String>,
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
        let words: Vec<String> = text.split_whitespace().map(str::to_ascii_lowercase).collect();
        (!words.is_empty()).then_some(Filter { words })
    }

    fn all(&self, has: impl Fn(&str) -> bool) -> bool {
        self.words.iter().all(|word| has(word))
    }

    /// Whether a pod is found by itself.
    pub(crate) fn finds_pod(&self, pod: &PodView) -> bool {
        let texts = [&pod.key, &pod.status, &pod.owner, &pod.node, &pod.nominated];
        let states = states(pod.mark);
        self.all(|word| {
            texts.iter().any(|text| holds(text, word))
                || states.iter().any(|state| state.contains(word))
                || pod.labels.iter().any(|label| holds(label, word))
        })
    }

    /// Whether a node is found by itself, not by what runs on it.
    pub(crate) fn finds_node(&self, node: &NodeView) -> bool {
        let states = node_states(node);
        self.all(|word| {
            holds(&node.name, word)
                || states.iter().any(|state| state.contains(word))
                || node.taints.iter().chain(&node.pressure).any(|text| holds(text, word))
                || (node.labels.iter()).any(|(key, value)| match word.split_once('=') {
                    Some((k, v)) => holds(key, k) && holds(value, v),
                    None => holds(key, word) || holds(value, word),
                })
        })
    }

    /// Whether anything on a card is found.
    pub(crate) fn finds_on(&self, node: &NodeState) -> bool {
        self.finds_node(&node.view) || node.pods.iter().any(|pod| self.finds_pod(pod))
    }

    /// Whether a mark of the timeline is about something that is found.
    pub(crate) fn finds_mark(&self, mark: &Mark, model: &Model) -> bool {
        let label = mark.label.to_string();
        if self.all(|word| holds(&label, word)) {
            return true;
        }
        match &mark.subject {
            Some(SubjectRef::Pod { key, uid }) => {
                (model.pod(key, uid)).map_or_else(|| self.all(|word| holds(key, word)), |pod| self.finds_pod(pod))
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
            uid: pod.uid.clone(),
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

/// What people call a pod that looks like that.
fn states(mark: PodMark) -> &'static [&'static str] {
    match mark {
        PodMark::Pending => &["pending"],
        PodMark::Starting => &["starting", "not ready"],
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
        ConditionStatus::Unknown => "notready unreachable",
        _ => "notready",
    }];
    all.extend(node.cordoned.then_some("cordoned"));
    all.extend((machine.exists && !machine.powered).then_some("off"));
    all.extend((!machine.cuts.is_empty()).then_some("cut off partitioned"));
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::Shared;

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

    /// U-14: by name, label, state, owner and node; all words must be found.
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

    #[test]
    fn one_goes_from_what_is_found_to_the_next_by_name_and_round() {
        let mut model = Model::default();
        for (uid, key) in [
            ("1", "shop/web-c"),
            ("2", "shop/web-a"),
            ("3", "shop/db"),
            ("4", "shop/web-b"),
        ] {
            let pod = PodView {
                key: key.into(),
                uid: uid.into(),
                ..PodView::default()
            };
            model.pods.insert_mut(uid.into(), Shared::new(pod));
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
            ("cordoned", false),
        ] {
            let filter = Filter::read(text).unwrap_or_default();
            assert_eq!(filter.finds_node(&node), found, "{text}");
        }
    }
}
