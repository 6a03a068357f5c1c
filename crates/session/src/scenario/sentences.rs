//! Conditions in words for people: what a lesson's goal says on the page (E-01). The file says it in the
//! form of an expectation; nobody has to write it twice.

use serde_json::Value;

use super::expect::{Check, Test, Timing};
use podscope_cluster::SimTime;
use podscope_kubectl::command::{Get, Selection};
use podscope_kubectl::duration::print_duration;

/// How a sentence that has no subject of its own opens: with a capital, unless a time stands before it.
struct Opening {
    the: &'static str,
    there: &'static str,
}

const FIRST: Opening = Opening {
    the: "The",
    there: "There",
};
const AFTER_TIME: Opening = Opening {
    the: "the",
    there: "there",
};

/// `Pod web-0 is being deleted`, `There are 3 Running pods labelled app=web`.
pub(super) fn condition(timing: Option<Timing>, check: Option<&Check>) -> String {
    let open = match timing {
        Some(Timing::At(_) | Timing::By(_)) => AFTER_TIME,
        Some(Timing::Always) | None => FIRST,
    };
    let words = check.map_or_else(String::new, |check| match check {
        Check::Object { kind, key, path, test } => {
            let mut subject = format!("{} {}", kind.name(), key.name);
            if !matches!(&*key.namespace, "" | "default") {
                subject.push_str(&format!(" in {}", key.namespace));
            }
            match path {
                Some((_, path)) => field(&open, &subject, path, test),
                None if *test == Test::Exists(false) => format!("{subject} is gone"),
                None => format!("{subject} exists"),
            }
        }
        Check::Count { get, test } => count(&open, get, test),
        Check::Invariant(name) => {
            let known = podscope_cluster::INVARIANTS.iter().find(|known| known.name == name);
            let statement = known.map_or(name.as_str(), |known| known.statement.trim_end_matches('.'));
            format!("To the end: {}", lower_first(statement))
        }
    });
    let instant = |at: SimTime| print_duration(at - SimTime::ZERO);
    let (at, inner) = match timing {
        Some(Timing::At(at)) => (format!("From {} on", instant(at)), words),
        Some(Timing::By(at)) => (format!("Until {}", instant(at)), words),
        Some(Timing::Always) | None => return words,
    };
    match inner.as_str() {
        "" => at,
        inner => format!("{at}: {inner}"),
    }
}

fn lower_first(text: &str) -> String {
    let mut text = text.to_owned();
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_lowercase();
    }
    text
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// A field of an object. The fields that lessons look at have words of their own.
fn field(open: &Opening, subject: &str, path: &str, test: &Test) -> String {
    let the = open.the;
    let path = path.trim_matches(|c| matches!(c, '{' | '}'));
    let value = match test {
        Test::Equals(value) | Test::Not(value) => plain(value),
        Test::Exists(_) | Test::Range { .. } => String::new(),
    };
    match (path, test) {
        (".spec.nodeName", Test::Exists(true)) => return format!("{subject} has a node"),
        (".spec.nodeName", Test::Exists(false)) => return format!("{subject} has no node"),
        (".spec.nodeName", Test::Equals(_)) => return format!("{subject} is placed on {value}"),
        (".spec.nodeName", Test::Not(_)) => return format!("{subject} is placed on another node than {value}"),
        (".status.phase", Test::Equals(_)) => return format!("{subject} is {value}"),
        (".status.phase", Test::Not(_)) => return format!("{subject} is not {value}"),
        (".metadata.deletionTimestamp", Test::Exists(true)) => return format!("{subject} is being deleted"),
        (".metadata.deletionTimestamp", Test::Exists(false)) => {
            return format!("A {subject} that is not being deleted exists");
        }
        (".spec.unschedulable", Test::Equals(Value::Bool(true))) => return format!("{subject} is cordoned"),
        (".status.nominatedNodeName", Test::Equals(_)) => return format!("{subject} is nominated to {value}"),
        (".spec.priority", Test::Equals(_)) => return format!("{subject} has the priority {value}"),
        (".metadata.generation", Test::Equals(_)) => {
            return format!("{the} spec of {subject} is at its generation {value}");
        }
        (".metadata.annotations['deployment.kubernetes.io/revision']", Test::Equals(_)) => {
            return format!("{subject} is at revision {value}");
        }
        _ => {}
    }
    if let Some(name) = quoted(path, ".status.conditions[?(@.type==", ")].status") {
        match (name, test, value.as_str()) {
            ("Ready", Test::Equals(_), "True") => return format!("{subject} is ready"),
            ("Ready", Test::Equals(_), "False") => return format!("{subject} is not ready"),
            ("ContainersReady", Test::Equals(_), "True") => return format!("{the} containers of {subject} are ready"),
            (_, Test::Equals(_), _) => return format!("{the} condition {name} of {subject} is {value}"),
            (_, Test::Not(_), _) => return format!("{the} condition {name} of {subject} is not {value}"),
            _ => {}
        }
    }
    if let Some(effect) = quoted(path, ".spec.taints[?(@.effect==", ")].key") {
        match test {
            Test::Exists(true) => return format!("{subject} has a taint with the effect {effect}"),
            Test::Exists(false) => return format!("{subject} has no taint with the effect {effect}"),
            _ => {}
        }
    }
    let known = pods_of(subject, path, test)
        .or_else(|| label(subject, path, test))
        .or_else(|| state(the, subject, path, test));
    if let Some(words) = known {
        return words;
    }
    let path = path.trim_start_matches('.');
    match test {
        Test::Exists(true) => format!("{subject} has {path}"),
        Test::Exists(false) => format!("{subject} has no {path}"),
        Test::Equals(_) => format!("{path} of {subject} is {value}"),
        Test::Not(_) => format!("{path} of {subject} is not {value}"),
        Test::Range { least, most } => format!("{path} of {subject} is {}", bounds(*least, *most)),
    }
}

/// How many pods a workload has or wants.
fn pods_of(subject: &str, path: &str, test: &Test) -> Option<String> {
    let (verb, before, after) = match path {
        ".spec.replicas" => ("wants", "", ""),
        ".status.replicas" => ("has", "", ""),
        ".status.readyReplicas" | ".status.numberReady" => ("has", "ready ", ""),
        ".status.availableReplicas" => ("has", "available ", ""),
        ".status.updatedReplicas" => ("has", "", " of its latest template"),
        ".status.failed" => ("has", "failed ", ""),
        ".status.succeeded" => ("has", "succeeded ", ""),
        ".status.currentHealthy" => ("has", "healthy ", ""),
        ".status.desiredHealthy" => ("wants", "healthy ", ""),
        _ => return None,
    };
    let (number, is_one) = match test {
        Test::Equals(number) => (plain(number), number.as_i64() == Some(1)),
        Test::Range { least, most } => (bounds(*least, *most), most.or(*least) == Some(1)),
        Test::Exists(_) | Test::Not(_) => return None,
    };
    let noun = if is_one { "pod" } else { "pods" };
    Some(format!("{subject} {verb} {number} {before}{noun}{after}"))
}

/// How far an object has come, from the fields that say so.
fn state(the: &str, subject: &str, path: &str, test: &Test) -> Option<String> {
    let value = match test {
        Test::Equals(value) => plain(value),
        Test::Range {
            least: Some(1),
            most: None,
        } if path.ends_with(".restartCount") => {
            return Some(format!("A container of {subject} was restarted"));
        }
        Test::Range {
            least: Some(least),
            most: None,
        } if path.ends_with(".restartCount") => {
            return Some(format!("A container of {subject} was restarted {least} times"));
        }
        Test::Exists(false) if path == ".spec.unschedulable" => return Some(format!("{subject} is not cordoned")),
        Test::Exists(true) if path == ".status.nominatedNodeName" => {
            return Some(format!("{subject} is nominated to a node"));
        }
        Test::Exists(_) | Test::Not(_) | Test::Range { .. } => return None,
    };
    if let Some(name) = quoted(path, ".status.conditions[?(@.type==", ")].reason") {
        return Some(match (name, &*value) {
            ("PodScheduled", "Unschedulable") => format!("{the} scheduler found no node for {subject}"),
            _ => format!("{the} condition {name} of {subject} has the reason {value}"),
        });
    }
    if path.ends_with(".state.waiting.reason") {
        return Some(format!("A container of {subject} waits: {value}"));
    }
    if path.ends_with(".state.terminated.reason") || path.ends_with(".lastState.terminated.reason") {
        return Some(format!("A container of {subject} has ended: {value}"));
    }
    match path {
        ".status.reason" => Some(format!("{subject} has the reason {value}")),
        ".spec.containers[0].image" | ".spec.template.spec.containers[0].image" => {
            Some(format!("{subject} has the image {value}"))
        }
        ".metadata.deletionGracePeriodSeconds" => Some(format!("{subject} has {value} s of grace")),
        _ => None,
    }
}

/// A label of an object.
fn label(subject: &str, path: &str, test: &Test) -> Option<String> {
    let rest = path.strip_prefix(".metadata.labels")?;
    let name = match rest.strip_prefix("['").and_then(|name| name.strip_suffix("']")) {
        Some(name) => name,
        None => rest.strip_prefix('.')?,
    };
    match test {
        Test::Exists(true) => Some(format!("{subject} has a label {name}")),
        Test::Exists(false) => Some(format!("{subject} has no label {name}")),
        Test::Equals(value) => Some(format!("{subject} has the label {name}={}", plain(value))),
        Test::Not(_) | Test::Range { .. } => None,
    }
}

fn bounds(least: Option<i64>, most: Option<i64>) -> String {
    match (least, most) {
        (Some(least), Some(most)) => format!("{least} to {most}"),
        (Some(least), None) => format!("at least {least}"),
        (None, most) => format!("at most {}", most.unwrap_or_default()),
    }
}

/// The quoted word of a path between two texts.
fn quoted<'a>(path: &'a str, before: &str, after: &str) -> Option<&'a str> {
    let inner = path.strip_prefix(before)?.strip_suffix(after)?.trim();
    Some(inner.trim_matches(|c| matches!(c, '"' | '\'')))
}

fn count(open: &Opening, get: &Get, test: &Test) -> String {
    let there = open.there;
    let Selection::Kinds { kinds, names } = &get.target.selection else {
        return String::new();
    };
    let is_one = matches!(test, Test::Equals(Value::Number(number)) if number.as_u64() == Some(1));
    let mut nouns: Vec<String> = Vec::new();
    for kind in kinds {
        nouns.push(match (kind.plural(), is_one) {
            ("pods", true) => "pod".to_owned(),
            ("pods", false) => "pods".to_owned(),
            ("nodes", true) => "node".to_owned(),
            ("nodes", false) => "nodes".to_owned(),
            (_, true) => kind.name().to_owned(),
            (plural, false) => plural.to_owned(),
        });
    }
    let mut what = nouns.join(" or ");
    if !names.is_empty() {
        what.push_str(&format!(" named {}", names.join(" or ")));
    }
    let mut rest = String::new();
    if let Some(selector) = get.target.selector.as_deref().filter(|text| !text.is_empty()) {
        rest.push_str(&format!(" labelled {selector}"));
    }
    for part in get.target.field_selector.as_deref().unwrap_or_default().split(',') {
        match part.split_once('=') {
            Some(("status.phase", phase)) if !phase.starts_with('=') => what = format!("{phase} {what}"),
            Some(("spec.nodeName", node)) if !node.starts_with('=') => rest.push_str(&format!(" on {node}")),
            _ if part.is_empty() => {}
            _ => rest.push_str(&format!(" with {part}")),
        }
    }
    if get.target.all_namespaces {
        rest.push_str(" in all namespaces");
    } else if let Some(namespace) = get.target.namespace.as_deref().filter(|name| *name != "default") {
        rest.push_str(&format!(" in {namespace}"));
    }
    match test {
        Test::Equals(Value::Number(number)) if number.as_u64() == Some(0) => format!("{there} are no {what}{rest}"),
        Test::Equals(value) if is_one => format!("{there} is {} {what}{rest}", plain(value)),
        Test::Equals(value) => format!("{there} are {} {what}{rest}", plain(value)),
        Test::Not(value) => format!("{there} are not {} {what}{rest}", plain(value)),
        Test::Range { least, most } => format!("{there} are {} {what}{rest}", bounds(*least, *most)),
        Test::Exists(_) => format!("{there} are {what}{rest}"),
    }
}

#[cfg(test)]
mod tests {
    /// The goal as the page shows it.
    fn words(goal: &str) -> String {
        let text = format!(
            "apiVersion: podscope.dev/v1alpha1\nkind: Scenario\nmetadata: {{name: x}}\nspec: {{steps: [{{text: x, goal: {goal}}}]}}\n"
        );
        let loaded =
            crate::scenario::load(&[("x.yaml".to_owned(), text)]).unwrap_or_else(|errors| panic!("{errors:?}"));
        let goal = loaded.scenario.steps[0].goals.first();
        goal.map(|goal| goal.text.clone()).unwrap_or_default()
    }

    /// E-01.
    #[test]
    #[expect(clippy::too_many_lines, reason = "a table of cases")]
    fn a_goal_has_words_for_people() {
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
            ("{by: 2m, count: nodes, not: 6}", "Until 2m: there are not 6 nodes"),
            ("{at: 30s}", "From 30s on"),
            (
                "{at: 30s, count: pods, least: 2}",
                "From 30s on: there are at least 2 pods",
            ),
        ] {
            assert_eq!(words(goal), want);
        }
    }
}
