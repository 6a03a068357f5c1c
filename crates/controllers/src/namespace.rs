//! Namespace deletion: deletes first the pods, then all other objects, then removes the finalizer (C-07, CT-119 to
//! CT-122). All deletions are graceful, so a pod on a partitioned node blocks the namespace until the partition heals
//! or someone deletes the pod by force.

use podscope_api::ordered::{self, StableSort as _};
use podscope_api::{ConditionStatus, Kind, Namespace, NamespaceCondition, Object, ObjectKey, Time};

use podscope_sim::{Change, DeleteOptions, Mutation, Part, Request, Span};

use super::controller::{Controller, ControllerContext};
use super::plan::{Accept, Action, Plan};
use super::queue::{Backoff, Key};

/// Delay between the deletion request and the controller's first pass.
const FIRST_PASS_DELAY: Span = Span::seconds(5);
/// Time that other controllers are assumed to need to remove their finalizers, in seconds.
const FINALIZER_ESTIMATE_SECONDS: i64 = 15;

#[derive(Debug, Clone, Default)]
pub(super) struct NamespaceController;

impl Controller for NamespaceController {
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
        if let Some(new) = &change.new
            && new.metadata().is_terminating()
        {
            cx.enqueue_after((Kind::Namespace, new.key()), FIRST_PASS_DELAY);
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
        let pods: Vec<Object> = cx.objects.list_kind_in(Kind::Pod, name);
        let elapsed = Span(cx.ctx.wall().0 - deleted_at.0);
        let pods = KindContent::of(Kind::Pod, &pods, forced, elapsed);
        let mut plan = Plan::default().then(pods.deletes);
        let mut report = RemainingContentReport::default();
        if pods.remaining > 0 {
            report.add_remaining_objects(name, Kind::Pod, pods.remaining, pods.finalizers, pods.estimate_seconds);
            // While pods remain, the conditions report only the number of pods (CT-121).
            report.content.clear();
            report.finalizers = ordered::Map::new();
        } else {
            let others = cx
                .objects
                .kinds()
                .filter(|kind| kind.is_namespaced() && *kind != Kind::Pod);
            for kind in others {
                let content = KindContent::of(kind, &cx.objects.list_kind_in(kind, name), forced, elapsed);
                plan = plan.then(content.deletes);
                if content.remaining > 0 {
                    report.add_remaining_objects(
                        name,
                        kind,
                        content.remaining,
                        content.finalizers,
                        content.estimate_seconds,
                    );
                }
            }
        }
        let plan = plan.then(report.conditions_update(&namespace, cx.time()));
        if !report.failures.is_empty() {
            plan.and_retry(true)
        } else if report.estimate_seconds > 0 {
            plan.requeue_after(Some(Span::seconds(report.estimate_seconds / 2 + 1)))
        } else {
            let finalize = Request::Finalize {
                namespace: namespace.metadata.name.clone(),
                finalizers: None,
            };
            plan.then_action(Action::from(finalize).accept(Accept::OrNotFound))
        }
    }
}

/// The objects of one kind in a namespace, and those that remain after the delete requests.
struct KindContent {
    deletes: Vec<Action>,
    remaining: usize,
    /// Number of remaining objects by finalizer.
    finalizers: ordered::Map<String, usize>,
    /// Seconds until the remaining pods should have terminated; 0 if that time has passed.
    estimate_seconds: i64,
}

impl KindContent {
    fn of(kind: Kind, objects: &[Object], forced: bool, elapsed: Span) -> Self {
        let mut finalizers: ordered::Map<String, usize> = ordered::Map::new();
        let remains = |object: &&Object| {
            !object.metadata().finalizers.is_empty() || (!forced && has_remaining_grace_period(object))
        };
        let remaining: Vec<&Object> = objects.iter().filter(remains).collect();
        for name in remaining.iter().flat_map(|object| &object.metadata().finalizers) {
            *finalizers.entry(name.to_string()).or_default() += 1;
        }
        let deletes = objects
            .iter()
            .filter(|object| forced || !object.metadata().is_terminating())
            .map(|object| delete_request(kind, object.key(), forced))
            .collect();
        let estimate = objects.iter().filter_map(grace_seconds).max().unwrap_or(0);
        Self {
            deletes,
            remaining: remaining.len(),
            finalizers,
            estimate_seconds: if elapsed >= Span::seconds(estimate) {
                0
            } else {
                estimate
            },
        }
    }
}

/// Returns whether the object is a pod that still exists after a delete request, because it has a grace period.
fn has_remaining_grace_period(object: &Object) -> bool {
    let Object::Pod(pod) = object else { return false };
    let has_remaining_grace = pod
        .metadata
        .deletion_grace_period_seconds
        .is_some_and(|grace| grace > 0);
    let has_grace = pod.spec.termination_grace_period_seconds != Some(0);
    has_remaining_grace || (pod.spec.node_name.is_some() && !pod.is_terminal() && has_grace)
}

/// Returns the grace period of an unfinished pod, in seconds.
fn grace_seconds(object: &Object) -> Option<i64> {
    let Object::Pod(pod) = object else { return None };
    pod.spec.termination_grace_period_seconds.filter(|_| !pod.is_terminal())
}

fn delete_request(kind: Kind, key: ObjectKey, forced: bool) -> Action {
    let options = DeleteOptions {
        grace_seconds: forced.then_some(0),
        ..DeleteOptions::default()
    };
    Action::from(Request::Delete { kind, key, options }).accept(Accept::OrNotFound)
}

/// The findings of a pass, which the namespace's conditions report.
#[derive(Default)]
struct RemainingContentReport {
    /// Messages about kinds with objects that remain for an unknown reason.
    failures: Vec<String>,
    content: Vec<String>,
    finalizers: ordered::Map<String, usize>,
    /// Seconds until all content should be deleted. The next pass runs after half of that time.
    estimate_seconds: i64,
}

impl RemainingContentReport {
    /// Adds the remaining objects of one kind to the report.
    fn add_remaining_objects(
        &mut self,
        namespace: &str,
        kind: Kind,
        count: usize,
        finalizers: ordered::Map<String, usize>,
        estimate_seconds: i64,
    ) {
        let (group, version) = kind.group_and_version();
        let plural = kind.plural();
        let estimate = match estimate_seconds {
            0 if finalizers.is_empty() => {
                self.failures.push(format!(
                    "unexpected items still remain in namespace: {namespace} for gvr: {group}/{version}, Resource={plural}"
                ));
                0
            }
            0 => FINALIZER_ESTIMATE_SECONDS,
            estimate => estimate,
        };
        self.estimate_seconds = self.estimate_seconds.max(estimate);
        self.content
            .push(format!("{plural}.{group} has {count} resource instances"));
        for (name, count) in finalizers {
            *self.finalizers.entry(name).or_default() += count;
        }
    }

    /// Builds the update of the namespace's conditions from the report.
    fn conditions_update(&mut self, namespace: &Namespace, now: Time) -> Vec<Action> {
        self.content.stable_sort();
        let (failures, content) = (&self.failures, &self.content);
        let failure = (!failures.is_empty()).then(|| {
            let list = failures.join(", ");
            format!(
                "Failed to delete all resource types, {} remaining: {list}",
                failures.len()
            )
        });
        let content = (!content.is_empty()).then(|| format!("Some resources are remaining: {}", content.join(", ")));
        let finalizers = (!self.finalizers.is_empty()).then(|| {
            let list: Vec<String> = self
                .finalizers
                .iter()
                .map(|(name, count)| format!("{name} in {count} resource instances"))
                .collect();
            format!(
                "Some content in the namespace has finalizers remaining: {}",
                list.join(", ")
            )
        });
        update_conditions(namespace, failure, content, finalizers, now)
    }
}

/// Builds the update of the five conditions of a terminating namespace; empty if they are up to date.
fn update_conditions(
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
    for (kind, problem, good_reason, good_text) in rows {
        let (value, reason, text) = match &problem {
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
    use podscope_api::Pod;

    const DEMO_NAMESPACE: &str = "{apiVersion: v1, kind: Namespace, metadata: {name: demo, finalizers: [lab/hold]}, spec: {finalizers: [kubernetes]}}\n---\n\
        {apiVersion: v1, kind: Secret, metadata: {name: s, namespace: demo}}\n---\n\
        {apiVersion: v1, kind: Pod, metadata: {name: one, namespace: demo}, spec: {nodeName: a-1, terminationGracePeriodSeconds: 30, containers: [{name: c, image: i}]}}";

    /// Returns the numbers of pods and Secrets, and whether the namespace `demo` has its finalizer.
    fn pods_secrets_and_finalizer(lab: &Lab) -> (usize, usize, bool) {
        let finalizers = lab
            .get::<Namespace>("demo")
            .map(|namespace| namespace.spec.finalizers.len());
        (
            lab.objects().list::<Pod>().count(),
            lab.objects().list::<podscope_api::Secret>().count(),
            finalizers == Some(1),
        )
    }

    /// Returns status and message of the condition NamespaceDeletionContentFailure of the namespace `demo`.
    fn deletion_failure(lab: &Lab) -> String {
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

    /// The deletion starts after five seconds: first pods, then other objects, finally the finalizer.
    /// Shows: CT-119, CT-120
    #[test]
    fn namespace_deletes_pods_before_other_objects() {
        let mut lab = Lab::new(&["a-1"], DEMO_NAMESPACE);
        lab.run(Span::seconds(10));
        lab.delete(Kind::Namespace, "demo", None);
        lab.run(Span::millis(4900));
        assert!(!lab.get_pod_in("demo", "one").unwrap().metadata.is_terminating());
        lab.run(Span::millis(200));
        assert!(lab.get_pod_in("demo", "one").unwrap().metadata.is_terminating());
        lab.run(Span::millis(4500));
        assert_eq!(
            pods_secrets_and_finalizer(&lab),
            (0, 1, true),
            "the change of its own conditions triggers the next pass five seconds later"
        );
        lab.run(Span::seconds(1));
        assert_eq!(pods_secrets_and_finalizer(&lab), (0, 0, false));
    }

    /// A pod on a partitioned node blocks the deletion of its namespace and of all other objects in it.
    /// Shows: C-05, C-07, CT-121, CT-122
    #[test]
    fn partitioned_pod_blocks_namespace_deletion() {
        let mut lab = Lab::new(&["a-1", "b-1"], DEMO_NAMESPACE);
        lab.run(Span::seconds(10));
        lab.partition("a-1");
        lab.delete(Kind::Namespace, "demo", None);
        lab.run(Span::seconds(20));
        assert!(
            deletion_failure(&lab).starts_with("False"),
            "{}",
            deletion_failure(&lab)
        );
        lab.run(Span::seconds(600));
        assert_eq!(pods_secrets_and_finalizer(&lab), (1, 1, true));
        assert_eq!(
            deletion_failure(&lab),
            "True: Failed to delete all resource types, 1 remaining: unexpected items still remain in namespace: demo for gvr: /v1, Resource=pods"
        );
        assert!(
            !lab.writes.iter().any(|(_, write)| write.starts_with("force")),
            "no pod is deleted by force (C-05)"
        );
        lab.heal("a-1");
        lab.run(Span::seconds(62));
        assert_eq!(pods_secrets_and_finalizer(&lab), (0, 0, false));
    }

    /// With the switch `namespace-controller-force-deletes`, pods on lost nodes do not block the namespace.
    /// Shows: F-20
    #[test]
    fn force_delete_switch_removes_partitioned_pods() {
        let mut switches = podscope_sim::Switches::default();
        switches.turn_on("namespace-controller-force-deletes");
        let mut lab = Lab::with_settings(
            &["a-1"],
            DEMO_NAMESPACE,
            super::super::ControllerManagerSettings::default(),
            switches,
        );
        lab.run(Span::seconds(10));
        lab.partition("a-1");
        lab.delete(Kind::Namespace, "demo", None);
        lab.run(Span::seconds(30));
        assert_eq!(pods_secrets_and_finalizer(&lab), (0, 0, false));
    }
}
