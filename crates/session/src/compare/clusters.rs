//! Difference between two clusters at t = 0.

use podscope_api::ordered;
use podscope_messages::Sentence;
use podscope_protocol::Problem;
use serde::Serialize;
use serde_json::Value;

use crate::report;
use crate::scenario::Loaded;
use crate::timeline::Session;
use crate::triage::{Finding, Scope, triage};
use crate::whatif::{ClusterState, NodeChange};

/// Difference between two clusters: what the second one has in addition to the first, what it lacks, and what has
/// changed.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Difference {
    /// Objects that exist only in the second cluster, as `KIND NAMESPACE/NAME`.
    pub added: Vec<String>,
    /// Objects that exist only in the first cluster.
    pub removed: Vec<String>,
    /// Objects that exist in both clusters and differ in fields other than their status and the fields that the server
    /// sets.
    pub changed: Vec<ChangedObject>,
    /// Pods that exist in both clusters and run on different nodes.
    pub moved: Vec<MovedPod>,
    /// Nodes whose requested or allocatable resources differ.
    pub nodes: Vec<NodeChange>,
    /// Problems that exist only in the first cluster.
    pub gone: Vec<ClusterProblem>,
    /// Problems that exist only in the second cluster.
    pub new: Vec<ClusterProblem>,
}

/// An object that differs between the clusters, with its differing fields.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChangedObject {
    pub object: String,
    /// Paths of the differing fields, such as `spec.template.spec.containers[0].image`.
    pub fields: Vec<String>,
}

/// A pod whose node differs between the clusters. It may have no node in one of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MovedPod {
    pub pod: String,
    pub from: Option<String>,
    pub to: Option<String>,
}

/// A problem that triage finds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClusterProblem {
    pub object: String,
    pub problem: String,
    #[serde(serialize_with = "podscope_messages::as_english")]
    pub reason: Sentence,
}

/// Kinds that are not compared, because their objects change all the time.
const IGNORED_KINDS: [&str; 2] = ["Event", "Lease"];
/// Metadata fields that the server sets, which are not compared.
const SERVER_FIELDS: [&str; 6] = [
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "managedFields",
    "selfLink",
];

/// Compares two clusters at t = 0, each loaded from files.
///
/// # Errors
/// The problems of the objects of either cluster that the API server refuses.
pub fn clusters(one: Loaded, other: Loaded) -> Result<Difference, Vec<Problem>> {
    let (one, other) = (Session::new(one)?, Session::new(other)?);
    let (before, after) = (comparable_objects_by_name(&one), comparable_objects_by_name(&other));
    let mut difference = Difference::default();
    for (name, object) in &before {
        match after.get(name) {
            None => difference.removed.push(name.clone()),
            Some(now) => {
                let mut fields = Vec::new();
                add_differences(object, now, &mut String::new(), &mut fields);
                if !fields.is_empty() {
                    difference.changed.push(ChangedObject {
                        object: name.clone(),
                        fields,
                    });
                }
            }
        }
    }
    difference.added = after
        .keys()
        .filter(|name| !before.contains_key(*name))
        .cloned()
        .collect();
    let (before_state, after_state) = (ClusterState::of(&one), ClusterState::of(&other));
    let places = after_state.nodes_of_pods();
    difference.moved = (before_state.nodes_of_pods().into_iter())
        .filter_map(|(pod, from)| {
            let to = places.get(&pod)?.clone();
            (from != to).then_some(MovedPod { pod, from, to })
        })
        .collect();
    difference.nodes = before_state.changes(&after_state);
    let (problems_before, problems_after) = (problems_by_key(&one), problems_by_key(&other));
    difference.gone = problems_only_in(&problems_before, &problems_after);
    difference.new = problems_only_in(&problems_after, &problems_before);
    Ok(difference)
}

/// Problems of a cluster by object, problem name and English reason, so that their order does not depend on the
/// language.
type ProblemsByKey = ordered::Map<[String; 3], ClusterProblem>;

fn problems_by_key(session: &Session) -> ProblemsByKey {
    let found = triage(session, &Scope::default()).into_iter();
    let problem = |found: Finding| {
        let problem = found.problem.name().to_owned();
        let key = [found.object.clone(), problem.clone(), found.reason.english()];
        let problem = ClusterProblem {
            object: found.object,
            problem,
            reason: found.reason,
        };
        (key, problem)
    };
    found.map(problem).collect()
}

fn problems_only_in(these: &ProblemsByKey, others: &ProblemsByKey) -> Vec<ClusterProblem> {
    let only = these.iter().filter(|(key, _)| !others.contains_key(*key));
    only.map(|(_, problem)| problem.clone()).collect()
}

/// Returns the session's objects without ignored kinds and fields, by `KIND NAMESPACE/NAME`.
fn comparable_objects_by_name(session: &Session) -> ordered::Map<String, Value> {
    let mut list = report::object_list(session);
    let items = list.get_mut("items").and_then(Value::as_array_mut).map(std::mem::take);
    let mut named = ordered::Map::new();
    for mut object in items.unwrap_or_default() {
        let text = |path: &str| {
            object
                .pointer(path)
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned()
        };
        let (kind, namespace, name) = (text("/kind"), text("/metadata/namespace"), text("/metadata/name"));
        if IGNORED_KINDS.contains(&&*kind) {
            continue;
        }
        if let Some(fields) = object.as_object_mut() {
            fields.remove("status");
            if let Some(metadata) = fields.get_mut("metadata").and_then(Value::as_object_mut) {
                metadata.retain(|field, _| !SERVER_FIELDS.contains(&field.as_str()));
            }
        }
        let name = match namespace.as_str() {
            "" => format!("{kind} {name}"),
            namespace => format!("{kind} {namespace}/{name}"),
        };
        named.insert(name, object);
    }
    named
}

/// Collects the paths at which two values differ.
fn add_differences(one: &Value, other: &Value, path: &mut String, paths: &mut Vec<String>) {
    let length = path.len();
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            let names: ordered::Set<&String> = one.keys().chain(other.keys()).collect();
            for name in names {
                let separator = if path.is_empty() { "" } else { "." };
                path.push_str(separator);
                path.push_str(name);
                let nothing = Value::Null;
                add_differences(
                    one.get(name).unwrap_or(&nothing),
                    other.get(name).unwrap_or(&nothing),
                    path,
                    paths,
                );
                path.truncate(length);
            }
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            for (index, (one, other)) in one.iter().zip(other).enumerate() {
                path.push_str(&format!("[{index}]"));
                add_differences(one, other, path, paths);
                path.truncate(length);
            }
        }
        _ if one == other => {}
        _ => paths.push(path.clone()),
    }
}
