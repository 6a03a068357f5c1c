//! Namespace deletion: pods first, then everything else, then the finalizer
//! (C-07, CT-119 to CT-122). It only ever asks gracefully, so a pod on a node
//! that is cut off holds the namespace until the cut heals or someone resolves it.

use podscope_api::ordered;

use podscope_api::{ConditionStatus, Kind, Namespace, NamespaceCondition, Object, ObjectKey, Pod, Time};

use podscope_sim::{Change, DeleteOptions, Mutation, Part, Request, Span};

use super::controller::{Controller, ControllerContext};
use super::plan::{Accept, Action, Plan};
use super::queue::{Backoff, Key};

/// The controller takes up a deletion this long after it was asked for.
const DELAY: Span = Span::seconds(5);
/// How long things held by finalizers are expected to take, in seconds.
const FINALIZER_ESTIMATE: i64 = 15;

#[derive(Debug, Clone, Default)]
pub(super) struct Namespaces;

impl Namespaces {
    pub(super) fn boxed() -> Box<dyn Controller> {
        Box::new(Self)
    }
}

impl Controller for Namespaces {
    fn name(&self) -> &'static str {
        "namespace-controller"
    }
    fn watches(&self) -> &'static [Kind] {
        &[Kind::Namespace]
    }
    fn backoff(&self) -> Backoff {
        Backoff {
            max: Span::seconds(60),
            ..Backoff::default()
        }
    }
    fn changed(&mut self, change: &Change, cx: &mut ControllerContext<'_, '_>) {
        let was_terminating = change.old.as_ref().is_some_and(|old| old.metadata().is_terminating());
        if let Some(new) = &change.new
            && new.metadata().is_terminating()
            && !was_terminating
        {
            cx.enqueue_after((Kind::Namespace, new.key()), DELAY);
        }
    }
    fn sync(&mut self, key: &Key, cx: &mut ControllerContext<'_, '_>) -> Plan {
        let Some(namespace) = cx.objects.get::<Namespace>(&key.1).cloned() else {
            return Plan::default();
        };
        let Some(deleted_at) = namespace.metadata.deletion_timestamp else {
            return Plan::default();
        };
        if namespace.spec.finalizers.is_empty() || cx.objects.assumed().is_left_alone(&namespace.metadata.uid) {
            return Plan::default();
        }
        let name = &*namespace.metadata.name;
        let forced = cx.ctx.switches.namespace_controller_force_deletes;
        let pods = cx
            .objects
            .list_in::<Pod>(name)
            .map(|pod| Object::Pod(pod.clone()))
            .collect();
        let stage = Stage::of(pods, forced);
        if stage.remaining > 0 {
            let passed = Span(cx.ctx.wall().0 - deleted_at.0);
            let estimate = cx
                .objects
                .list_in::<Pod>(name)
                .filter_map(|pod| grace(pod))
                .max()
                .unwrap_or(0);
            let estimate = if passed >= Span::seconds(estimate) { 0 } else { estimate };
            return self.wait(&namespace, stage, estimate, &["/v1, Resource=pods"], false, cx.time());
        }
        let (mut rest, mut failing) = (Vec::new(), Vec::new());
        for kind in Kind::ALL.iter().filter(|kind| kind.is_namespaced()) {
            let of_kind: Vec<Object> = contents(cx, *kind, name);
            if !of_kind.is_empty() {
                failing.push(resource(*kind));
            }
            rest.extend(of_kind);
        }
        let stage = Stage::of(rest, forced);
        if stage.remaining > 0 {
            let failing: Vec<&str> = failing.iter().map(String::as_str).collect();
            // What no finalizer holds is gone with the answer; the next look comes as soon as the cache can show it.
            let estimate = if stage.finalizers.is_empty() {
                0
            } else {
                FINALIZER_ESTIMATE
            };
            if stage.finalizers.is_empty() && !stage.deletes.is_empty() {
                return Plan::default()
                    .then(stage.deletes)
                    .requeue_after(Some(Span::millis(100)));
            }
            return self.wait(&namespace, stage, estimate, &failing, true, cx.time());
        }
        let finalize = Request::Finalize {
            namespace: namespace.metadata.name.clone(),
        };
        let status = conditions(&namespace, None, None, None, cx.time());
        Plan::default()
            .then(status)
            .then_one(Action::from(finalize).accept(Accept::OrNotFound))
    }
    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }
}

/// One stage of emptying a namespace.
struct Stage {
    deletes: Vec<Action>,
    remaining: usize,
    /// How many objects each finalizer holds.
    finalizers: ordered::Map<String, usize>,
}

impl Stage {
    fn of(objects: Vec<Object>, forced: bool) -> Self {
        let mut finalizers: ordered::Map<String, usize> = ordered::Map::new();
        for name in objects.iter().flat_map(|object| &object.metadata().finalizers) {
            *finalizers.entry(name.to_string()).or_default() += 1;
        }
        let deletes = objects
            .iter()
            .filter(|object| forced || !object.metadata().is_terminating())
            .map(|object| delete(object.kind(), object.key(), forced))
            .collect();
        Self {
            deletes,
            remaining: objects.len(),
            finalizers,
        }
    }
}

fn delete(kind: Kind, key: ObjectKey, forced: bool) -> Action {
    let options = DeleteOptions {
        grace_seconds: forced.then_some(0),
        ..DeleteOptions::default()
    };
    Action::from(Request::Delete { kind, key, options }).accept(Accept::OrNotFound)
}

fn contents(cx: &ControllerContext<'_, '_>, kind: Kind, namespace: &str) -> Vec<Object> {
    // Events go with the namespace and hold nothing.
    if kind == Kind::Event || kind == Kind::Pod {
        return Vec::new();
    }
    cx.objects.list_kind_in(kind, namespace)
}

fn resource(kind: Kind) -> String {
    let (group, version) = kind.api_version().split_once('/').unwrap_or(("", kind.api_version()));
    format!("{group}/{version}, Resource={}", kind.plural())
}

/// Seconds a pod that is not finished may take.
fn grace(pod: &Pod) -> Option<i64> {
    (!pod.is_terminal()).then_some(pod.spec.termination_grace_period_seconds?)
}

impl Namespaces {
    /// Asks for the deletions and comes back; when the estimate is used up, says so and backs off (CT-121).
    fn wait(
        &self,
        namespace: &Namespace,
        stage: Stage,
        estimate: i64,
        failing: &[&str],
        past_pods: bool,
        now: Time,
    ) -> Plan {
        let plan = Plan::default();
        let name = &namespace.metadata.name;
        let held = (past_pods && !stage.finalizers.is_empty()).then(|| {
            let list: Vec<String> = stage
                .finalizers
                .iter()
                .map(|(name, count)| format!("{name} in {count} resource instances"))
                .collect();
            format!(
                "Some content in the namespace has finalizers remaining: {}",
                list.join(", ")
            )
        });
        let content = past_pods.then(|| {
            let count = stage.remaining;
            format!(
                "Some resources are remaining: {} has {count} resource instances",
                failing.join(", ")
            )
        });
        if estimate > 0 {
            let status = conditions(namespace, None, content, held, now);
            let again = Span::seconds(estimate / 2 + 1);
            return plan.then(stage.deletes).then(status).requeue_after(Some(again));
        }
        let text = format!(
            "Failed to delete all resource types, {} remaining: unexpected items still remain in namespace: {name} for gvr: {}",
            failing.len(),
            failing.join(", ")
        );
        let status = conditions(namespace, Some(text), content, held, now);
        plan.then(stage.deletes).then(status).and_retry(true)
    }
}

/// The five conditions of a namespace that is going; nothing if they already say so.
fn conditions(
    namespace: &Namespace,
    failure: Option<String>,
    content: Option<String>,
    finalizers: Option<String>,
    now: Time,
) -> Vec<Action> {
    let rows = [
        (
            "NamespaceDeletionDiscoveryFailure",
            None,
            "ResourcesDiscovered",
            "All resources successfully discovered",
        ),
        (
            "NamespaceDeletionGroupVersionParsingFailure",
            None,
            "ParsedGroupVersions",
            "All legacy kube types successfully parsed",
        ),
        (
            "NamespaceDeletionContentFailure",
            failure.map(|text| ("ContentDeletionFailed", text)),
            "ContentDeleted",
            "All content successfully deleted, may be waiting on finalization",
        ),
        (
            "NamespaceContentRemaining",
            content.map(|text| ("SomeResourcesRemain", text)),
            "ContentRemoved",
            "All content successfully removed",
        ),
        (
            "NamespaceFinalizersRemaining",
            finalizers.map(|text| ("SomeFinalizersRemain", text)),
            "ContentHasNoFinalizers",
            "All content-preserving finalizers finished",
        ),
    ];
    let mut status = namespace.status.clone();
    status.phase = "Terminating".into();
    for (kind, bad, good_reason, good_text) in rows {
        let (value, reason, text) = match &bad {
            Some((reason, text)) => (ConditionStatus::True, *reason, text.as_str()),
            None => (ConditionStatus::False, good_reason, good_text),
        };
        let old = status.conditions.iter().find(|condition| &*condition.kind == kind);
        if old.is_some_and(|old| old.status == value && &*old.reason == reason && &*old.message == text) {
            continue;
        }
        let since = old
            .filter(|old| old.status == value)
            .map_or(Some(now), |old| old.last_transition_time);
        let new = NamespaceCondition {
            kind: kind.into(),
            status: value,
            last_transition_time: since,
            reason: reason.into(),
            message: text.into(),
        };
        match status.conditions.iter_mut().find(|condition| &*condition.kind == kind) {
            Some(old) => *old = new,
            None => status.conditions.push(new),
        }
    }
    if status == namespace.status {
        return Vec::new();
    }
    let patch = Request::Patch {
        kind: Kind::Namespace,
        key: namespace.metadata.key(),
        uid: Some(namespace.metadata.uid.clone()),
        part: Part::Status,
        change: Mutation::new("conditions", move |namespace: &mut Namespace| {
            namespace.status = status.clone()
        }),
    };
    vec![Action::from(patch).accept(Accept::OrNotFound)]
}

#[cfg(test)]
mod tests {
    use super::super::lab::Lab;
    use super::*;

    const DEMO: &str = "{apiVersion: v1, kind: Namespace, metadata: {name: demo, finalizers: [lab/hold]}, spec: {finalizers: [kubernetes]}}\n---\n\
        {apiVersion: v1, kind: Secret, metadata: {name: s, namespace: demo}}\n---\n\
        {apiVersion: v1, kind: Pod, metadata: {name: one, namespace: demo}, spec: {nodeName: a-1, terminationGracePeriodSeconds: 30, containers: [{name: c, image: i}]}}";

    fn left(lab: &Lab) -> (usize, usize, bool) {
        let finalizers = lab
            .get::<Namespace>("demo")
            .map(|namespace| namespace.spec.finalizers.len());
        (
            lab.objects().list::<Pod>().count(),
            lab.objects().list::<podscope_api::Secret>().count(),
            finalizers == Some(1),
        )
    }
    fn failure(lab: &Lab) -> String {
        let namespace = lab.get::<Namespace>("demo").unwrap();
        let condition = namespace
            .status
            .conditions
            .iter()
            .find(|condition| &*condition.kind == "NamespaceDeletionContentFailure");
        condition.map_or_else(String::new, |condition| {
            format!("{}: {}", condition.status, condition.message)
        })
    }

    /// CT-119, CT-120: taken up after five seconds, pods first, others only then, the finalizer last.
    #[test]
    fn a_namespace_empties_itself_of_pods_first() {
        let mut lab = Lab::new(&["a-1"], DEMO);
        lab.run(Span::seconds(10));
        lab.delete(Kind::Namespace, "demo", None);
        lab.run(Span::millis(4900));
        assert!(!lab.get_pod_in("demo", "one").unwrap().metadata.is_terminating());
        lab.run(Span::millis(200));
        assert!(lab.get_pod_in("demo", "one").unwrap().metadata.is_terminating());
        lab.run(Span::seconds(5));
        assert_eq!(left(&lab), (0, 1, true), "the next look comes after half the estimate");
        lab.run(Span::seconds(12));
        assert_eq!(left(&lab), (0, 0, false));
    }

    /// C-07, CT-121, CT-122: a cut-off pod holds the namespace, and all else in it, until somebody resolves it.
    #[test]
    fn a_partition_blocks_until_resolved() {
        let mut lab = Lab::new(&["a-1", "b-1"], DEMO);
        lab.run(Span::seconds(10));
        lab.partition("a-1");
        lab.delete(Kind::Namespace, "demo", None);
        lab.run(Span::seconds(20));
        assert!(failure(&lab).starts_with("False"), "{}", failure(&lab));
        lab.run(Span::seconds(600));
        assert_eq!(left(&lab), (1, 1, true));
        assert_eq!(
            failure(&lab),
            "True: Failed to delete all resource types, 1 remaining: unexpected items still remain in namespace: demo for gvr: /v1, Resource=pods"
        );
        assert!(!lab.writes.iter().any(|(_, write)| write.starts_with("force")), "C-05");
        lab.heal("a-1");
        lab.run(Span::seconds(62));
        assert_eq!(left(&lab), (0, 0, false));
    }

    /// F-20: namespace-controller-force-deletes.
    #[test]
    fn the_switch_lets_a_namespace_force_its_deletions() {
        let mut switches = podscope_sim::Switches::default();
        switches.turn_on("namespace-controller-force-deletes");
        let mut lab = Lab::with(
            &["a-1"],
            DEMO,
            super::super::ControllerManagerSettings::default(),
            switches,
        );
        lab.run(Span::seconds(10));
        lab.partition("a-1");
        lab.delete(Kind::Namespace, "demo", None);
        lab.run(Span::seconds(30));
        assert_eq!(left(&lab), (0, 0, false));
    }
}
