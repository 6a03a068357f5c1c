//! Describes conditions of lessons as data, from which the page makes sentences for the lesson's reader (E-01), so that
//! authors write each condition only once. The sentences themselves are in the protocol crate.

use podscope_api::well_known::condition;
use podscope_protocol::{
    ConditionTimeLimit, CountedField, CountedNamespaces, CountedPods, LessonCondition, ObjectState, RequiredCount,
    RequiredObject, RequiredObjects, RequiredState, RequiredValue,
};
use serde_json::Value;

use super::expect::{Check, Test, Timing};
use podscope_kubectl::command::{Get, Selection};

/// Describes a condition, so that the page can show sentences such as `Pod web-0 is being deleted` or `There are 3
/// Running pods labelled app=web`.
pub(super) fn describe(timing: Option<Timing>, check: Option<&Check>) -> LessonCondition {
    LessonCondition::Required {
        when: match timing {
            Some(Timing::At(at)) => Some(ConditionTimeLimit::From(at.0)),
            Some(Timing::By(at)) => Some(ConditionTimeLimit::Until(at.0)),
            Some(Timing::Always) | None => None,
        },
        what: check.map(required_state),
    }
}

/// Describes the state that a check requires.
fn required_state(check: &Check) -> RequiredState {
    match check {
        Check::Object { kind, key, path, test } => RequiredState::Object {
            object: RequiredObject {
                kind: kind.name().to_owned(),
                namespace: named_namespace(&key.namespace),
                name: key.name.to_string(),
            },
            is: match path {
                Some((_, path)) => field_state(path.trim_matches(|c| matches!(c, '{' | '}')), test),
                None => ObjectState::Exists(*test != Test::Exists(false)),
            },
        },
        Check::Count { get, test } => RequiredState::Count(required_count(get, test)),
        Check::Ready { get, test } => RequiredState::Serving(required_count(get, test)),
        Check::Same(get) => RequiredState::Same(required_objects(get)),
        Check::Never(check) => RequiredState::Never(Box::new(required_state(check))),
        Check::Requests { counted, test } => RequiredState::Requests {
            service: counted.service.name.to_string(),
            outcome: counted.outcome().map(str::to_owned),
            number: compared_value(test).unwrap_or_else(|_| unreachable!("a count without a number is refused")),
        },
        Check::Invariant(name) => {
            let known = podscope_cluster::INVARIANTS.iter().find(|known| known.name == name);
            let statement = known.map_or(name.as_str(), |known| known.statement.english());
            RequiredState::Kept {
                statement: statement.to_owned(),
            }
        }
    }
}

/// Returns the namespace if the sentence must mention it, because it is not `default`.
fn named_namespace(namespace: &str) -> Option<String> {
    (!matches!(namespace, "" | "default")).then(|| namespace.to_owned())
}

fn value_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Describes the required value of an object's field: by its meaning if the meaning is known, otherwise by path and
/// value.
fn field_state(path: &str, test: &Test) -> ObjectState {
    let known = pod_or_node_state(path, test)
        .or_else(|| condition_state(path, test))
        .or_else(|| pod_count_state(path, test))
        .or_else(|| label_state(path, test))
        .or_else(|| container_status_state(path, test));
    known.unwrap_or_else(|| {
        let path = path.trim_start_matches('.').to_owned();
        match compared_value(test) {
            Ok(value) => ObjectState::Field { path, value },
            Err(is) => ObjectState::HasField { path, is },
        }
    })
}

/// Returns the value with which a test compares a field. If the test only requires that the field exists, returns
/// `Err(true)`; if it must not exist, `Err(false)`.
fn compared_value(test: &Test) -> Result<RequiredValue, bool> {
    Ok(match test {
        Test::Exists(is) => return Err(*is),
        Test::Equals(value) => RequiredValue::Is(value_text(value)),
        Test::Not(value) => RequiredValue::IsNot(value_text(value)),
        Test::Range { least, most } => RequiredValue::Within {
            least: *least,
            most: *most,
        },
    })
}

/// Describes a test of a field of a pod or node. None if there is no special sentence for the test.
fn pod_or_node_state(path: &str, test: &Test) -> Option<ObjectState> {
    Some(match (path, test) {
        (".spec.nodeName", Test::Exists(is)) => ObjectState::HasNode(*is),
        (".spec.nodeName", Test::Equals(node) | Test::Not(node)) => ObjectState::PlacedOn {
            node: value_text(node),
            is: matches!(test, Test::Equals(_)),
        },
        (".status.phase", Test::Equals(phase) | Test::Not(phase)) => ObjectState::Phase {
            phase: value_text(phase),
            is: matches!(test, Test::Equals(_)),
        },
        (".metadata.deletionTimestamp", Test::Exists(is)) => ObjectState::Deleting(*is),
        (".metadata.deletionGracePeriodSeconds", Test::Equals(seconds)) => ObjectState::Grace(value_text(seconds)),
        (".spec.unschedulable", Test::Equals(Value::Bool(true))) => ObjectState::Cordoned(true),
        (".spec.unschedulable", Test::Exists(false)) => ObjectState::Cordoned(false),
        (".status.nominatedNodeName", Test::Equals(node)) => ObjectState::Nominated {
            node: Some(value_text(node)),
        },
        (".status.nominatedNodeName", Test::Exists(true)) => ObjectState::Nominated { node: None },
        (".status.reason", Test::Equals(reason)) => ObjectState::Reason(value_text(reason)),
        (".spec.priority", Test::Equals(priority)) => ObjectState::Priority(value_text(priority)),
        (".metadata.generation", Test::Equals(number)) => ObjectState::Generation(value_text(number)),
        (".metadata.annotations['deployment.kubernetes.io/revision']", Test::Equals(number)) => {
            ObjectState::Revision(value_text(number))
        }
        (".spec.containers[0].image" | ".spec.template.spec.containers[0].image", Test::Equals(image)) => {
            ObjectState::Image(value_text(image))
        }
        _ => return None,
    })
}

/// Describes a test of a condition in an object's status, or of a taint. None if there is no special sentence for the
/// test.
fn condition_state(path: &str, test: &Test) -> Option<ObjectState> {
    const CONDITION_PATH_PREFIX: &str = ".status.conditions[?(@.type==";
    if let Some(name) = quoted_between(path, CONDITION_PATH_PREFIX, ")].status") {
        let (status, is) = match test {
            Test::Equals(status) => (value_text(status), true),
            Test::Not(status) => (value_text(status), false),
            Test::Exists(_) | Test::Range { .. } => return None,
        };
        return Some(match (name, status.as_str(), is) {
            (condition::READY, "True", true) => ObjectState::Ready(true),
            (condition::READY, "False", true) => ObjectState::Ready(false),
            (condition::CONTAINERS_READY, "True", true) => ObjectState::ContainersReady,
            _ => ObjectState::Condition {
                name: name.to_owned(),
                status,
                is,
            },
        });
    }
    if let (Some(effect), Test::Exists(is)) = (quoted_between(path, ".spec.taints[?(@.effect==", ")].key"), test) {
        return Some(ObjectState::Taint {
            effect: effect.to_owned(),
            is: *is,
        });
    }
    let (Some(name), Test::Equals(reason)) = (quoted_between(path, CONDITION_PATH_PREFIX, ")].reason"), test) else {
        return None;
    };
    let reason = value_text(reason);
    Some(match (name, reason.as_str()) {
        (condition::POD_SCHEDULED, "Unschedulable") => ObjectState::Unschedulable,
        _ => ObjectState::ConditionReason {
            name: name.to_owned(),
            reason,
        },
    })
}

/// Describes a test of a workload's desired or actual number of pods. None if there is no special sentence for the
/// test.
fn pod_count_state(path: &str, test: &Test) -> Option<ObjectState> {
    let (wants, which) = match path {
        ".spec.replicas" => (true, CountedPods::All),
        ".status.replicas" => (false, CountedPods::All),
        ".status.readyReplicas" | ".status.numberReady" => (false, CountedPods::Ready),
        ".status.availableReplicas" => (false, CountedPods::Available),
        ".status.updatedReplicas" => (false, CountedPods::Latest),
        ".status.failed" => (false, CountedPods::Failed),
        ".status.succeeded" => (false, CountedPods::Succeeded),
        ".status.currentHealthy" => (false, CountedPods::Healthy),
        ".status.desiredHealthy" => (true, CountedPods::Healthy),
        _ => return None,
    };
    let number = compared_value(test).ok()?;
    let is_number = !matches!(number, RequiredValue::IsNot(_));
    is_number.then_some(ObjectState::Pods { wants, number, which })
}

/// Describes a test of `status.containerStatuses`. None if there is no special sentence for the test.
fn container_status_state(path: &str, test: &Test) -> Option<ObjectState> {
    match test {
        Test::Range {
            least: Some(least),
            most: None,
        } if path.ends_with(".restartCount") => Some(ObjectState::Restarted(*least)),
        Test::Equals(reason) if path.ends_with(".state.waiting.reason") => {
            Some(ObjectState::ContainerWaits(value_text(reason)))
        }
        Test::Equals(reason)
            if path.ends_with(".state.terminated.reason") || path.ends_with(".lastState.terminated.reason") =>
        {
            Some(ObjectState::ContainerEnded(value_text(reason)))
        }
        _ => None,
    }
}

fn label_state(path: &str, test: &Test) -> Option<ObjectState> {
    let rest = path.strip_prefix(".metadata.labels")?;
    let name = match rest.strip_prefix("['").and_then(|name| name.strip_suffix("']")) {
        Some(name) => name,
        None => rest.strip_prefix('.')?,
    };
    let name = name.to_owned();
    match test {
        Test::Exists(true) => Some(ObjectState::Label { name, value: None }),
        Test::Exists(false) => Some(ObjectState::NoLabel(name)),
        Test::Equals(value) => Some(ObjectState::Label {
            name,
            value: Some(value_text(value)),
        }),
        Test::Not(_) | Test::Range { .. } => None,
    }
}

/// Returns the quoted word in a path between the texts `before` and `after`.
fn quoted_between<'a>(path: &'a str, before: &str, after: &str) -> Option<&'a str> {
    let inner = path.strip_prefix(before)?.strip_suffix(after)?.trim();
    Some(inner.trim_matches(|c| matches!(c, '"' | '\'')))
}

fn required_count(get: &Get, test: &Test) -> RequiredCount {
    RequiredCount {
        objects: required_objects(get),
        number: compared_value(test).unwrap_or_else(|_| unreachable!("a count without a number is refused")),
    }
}

/// Describes which objects are selected.
fn required_objects(get: &Get) -> RequiredObjects {
    let target = &get.target;
    let (kinds, names) = match &target.selection {
        Selection::Kinds { kinds, names } => (kinds.as_slice(), names.clone()),
        Selection::Items(_) => unreachable!("a count that names objects is refused when the file is read"),
    };
    let fields = target.field_selector.as_deref().unwrap_or_default().split(',');
    RequiredObjects {
        kinds: kinds
            .iter()
            .map(|kind| (kind.name().to_owned(), kind.plural().to_owned()))
            .collect(),
        names,
        labels: target.selector.clone().filter(|text| !text.is_empty()),
        fields: fields
            .filter(|part| !part.is_empty())
            .map(|part| match part.split_once('=') {
                Some(("status.phase", phase)) if !phase.starts_with('=') => CountedField::Phase(phase.to_owned()),
                Some(("spec.nodeName", node)) if !node.starts_with('=') => CountedField::Node(node.to_owned()),
                _ => CountedField::Other(part.to_owned()),
            })
            .collect(),
        place: match target.namespace.as_deref().and_then(named_namespace) {
            _ if target.all_namespaces => CountedNamespaces::Everywhere,
            Some(namespace) => CountedNamespaces::Namespace(namespace),
            None => CountedNamespaces::Default,
        },
    }
}

#[cfg(test)]
mod tests {
    /// Returns the sentence that describes a goal in YAML.
    fn sentence(goal: &str) -> String {
        let text = format!(
            "apiVersion: podscope.dev/v1alpha1\nkind: Scenario\nmetadata: {{name: x}}\nspec: {{steps: [{{text: x, goal: {goal}}}]}}\n"
        );
        let loaded =
            crate::scenario::load(&[("x.yaml".to_owned(), text)]).unwrap_or_else(|errors| panic!("{errors:?}"));
        let goal = loaded.scenario.steps[0].goals.first();
        goal.map(|goal| goal.description.to_string()).unwrap_or_default()
    }

    /// Shows: E-01
    #[test]
    #[expect(clippy::too_many_lines, reason = "a table of cases")]
    fn goal_is_described_by_sentence() {
        for (goal, want) in [
            (
                "{object: Pod default/p, path: .spec.nodeName, equals: a-1}",
                "Pod p is placed on a-1",
            ),
            (
                "{object: Pod shop/p, path: .spec.nodeName, exists: true}",
                "Pod p in shop has a node",
            ),
            (
                "{object: Pod p, path: .status.phase, equals: Running}",
                "Pod p is Running",
            ),
            ("{object: Namespace shop, exists: false}", "Namespace shop is gone"),
            (
                "{object: Node a-1, path: .spec.unschedulable, equals: true}",
                "Node a-1 is cordoned",
            ),
            (
                "{object: Node b-1, path: '.status.conditions[?(@.type==\"Ready\")].status', equals: Unknown}",
                "The condition Ready of Node b-1 is Unknown",
            ),
            (
                "{object: Pod p, path: '.status.conditions[?(@.type==\"Ready\")].status', equals: \"True\"}",
                "Pod p is ready",
            ),
            (
                "{object: Node a-1, path: '.spec.taints[?(@.effect==\"NoExecute\")].key', exists: false}",
                "Node a-1 has no taint with the effect NoExecute",
            ),
            (
                "{object: Service s, path: .spec.clusterIP, not: None}",
                "spec.clusterIP of Service s is not None",
            ),
            (
                "{object: Deployment web, path: .status.readyReplicas, equals: 3}",
                "Deployment web has 3 ready pods",
            ),
            (
                "{object: Deployment web, path: .status.updatedReplicas, most: 1}",
                "Deployment web has at most 1 pod of its latest template",
            ),
            (
                "{object: ReplicaSet web, path: .spec.replicas, least: 2}",
                "ReplicaSet web wants at least 2 pods",
            ),
            (
                "{object: Node b-1, path: .metadata.labels.disk, exists: false}",
                "Node b-1 has no label disk",
            ),
            (
                "{object: Node x-1, path: \".metadata.labels['topology.kubernetes.io/zone']\", equals: c}",
                "Node x-1 has the label topology.kubernetes.io/zone=c",
            ),
            (
                "{object: Pod p, path: '.status.conditions[?(@.type==\"PodScheduled\")].reason', equals: Unschedulable}",
                "The scheduler found no node for Pod p",
            ),
            (
                "{object: Pod p, path: '.status.containerStatuses[0].restartCount', least: 1}",
                "A container of Pod p was restarted",
            ),
            (
                "{object: Pod p, path: '.status.containerStatuses[0].lastState.terminated.reason', equals: OOMKilled}",
                "A container of Pod p has ended: OOMKilled",
            ),
            (
                "{object: Pod p, path: .status.reason, equals: Evicted}",
                "Pod p has the reason Evicted",
            ),
            ("{count: pods, equals: 0}", "There are no pods"),
            ("{count: pods -l app=db, equals: 1}", "There is 1 pod labelled app=db"),
            (
                "{count: 'pods -n shop -l app=web --field-selector=status.phase=Running,spec.nodeName=a-1', equals: 3}",
                "There are 3 Running pods labelled app=web on a-1 in shop",
            ),
            (
                "{always: at-most-one}",
                "To the end: of each StatefulSet member at most one has live processes, anywhere",
            ),
            ("{by: 2m, count: nodes, not: 6}", "By 2m: there are not 6 nodes"),
            ("{at: 30s}", "From 30s on"),
            (
                "{requests: svc/web --outcome=failed, equals: 0}",
                "There is no request to web that failed",
            ),
            (
                "{at: 30s, requests: svc/web -n shop --outcome reset, most: 5}",
                "From 30s on: there are at most 5 requests to web with the outcome reset",
            ),
            (
                "{requests: svc/web, least: 100}",
                "There are at least 100 requests to web",
            ),
            (
                "{ready: pods -l app=web, least: 2}",
                "There are at least 2 pods labelled app=web that are ready and not being deleted",
            ),
            (
                "{same: pods -l app=web}",
                "The pods labelled app=web stay the same: none goes, none is added",
            ),
            (
                "{never: {count: pods -l app=web, most: 1}}",
                "It never happens that there is at most 1 pod labelled app=web",
            ),
            (
                "{never: {object: Node a-1, path: .spec.unschedulable, equals: true}}",
                "It never happens that Node a-1 is cordoned",
            ),
            (
                "{at: 30s, count: pods, least: 2}",
                "From 30s on: there are at least 2 pods",
            ),
        ] {
            assert_eq!(sentence(goal), want);
        }
    }
}
