//! Runs the decision cases of the conformance corpus: a case is `{objects, pod, config?, expect}`, and the result has
//! the form of `expect`.

use podscope_api::ordered::StableSort as _;
use std::sync::Arc;

use podscope_api::{Kind, Object, Pod};
use serde_json::{Map, Value, json};

use crate::cache::{Cache, is_bound_and_not_terminal};
use crate::config::SchedulerConfiguration;
use crate::cycle::name_of_node;
use crate::decide::{Decision, decide};
use crate::nominator::Nominator;
use crate::plugins::default_preemption::not_eligible_text;
use crate::pod_info::PodInfo;
use crate::post_filter::Preemption;
use crate::status::Status;

/// Reads a Kubernetes object.
fn read_object(value: &Value) -> Result<Object, String> {
    let text = |field: &str| value.get(field).and_then(Value::as_str).unwrap_or("");
    let kind = Kind::from_wire(text("apiVersion"), text("kind"))
        .ok_or_else(|| format!("unknown kind {}/{}", text("apiVersion"), text("kind")))?;
    Object::from_typed_value(kind, value).map_err(|error| format!("{}: {error}", text("kind")))
}

/// Loads a cluster as a scheduler does when it starts: nodes in file order, pods sorted by namespace and name as the
/// API server lists them (which becomes their order on a node, SCH-098). Pods with a node are running; pods with only
/// `nominatedNodeName` are nominated, unless they are gated or have no profile (SCH-126).
pub fn load(objects: &[Object], config: &SchedulerConfiguration) -> (Cache, Nominator) {
    let mut cache = Cache::default();
    let mut nominator = Nominator::default();
    let mut pods: Vec<&Object> = Vec::new();
    for object in objects {
        match object {
            Object::Pod(_) => pods.push(object),
            _ => cache.on_change(None, Some(object)),
        }
    }
    pods.stable_sort_by_key(|pod| pod.key());
    for pod in &pods {
        cache.on_change(None, Some(pod));
    }
    for object in pods {
        if let Object::Pod(pod) = object
            && !is_bound_and_not_terminal(pod)
            && !pod.is_terminal()
            && !pod.status.nominated_node_name.is_empty()
            && pod.spec.scheduling_gates.is_empty()
            && config.profile(&pod.spec.scheduler_name).is_some()
        {
            let info = Arc::new(PodInfo::new(&mut cache, pod, false));
            nominator.add(info, &pod.status.nominated_node_name);
        }
    }
    (cache, nominator)
}

/// Makes the decision for the pod of one case, and returns it in the form of `expect`.
///
/// # Errors
/// Returns an error if the case cannot be read.
pub fn run_case(case: &Value) -> Result<Value, String> {
    let objects = case
        .get("objects")
        .and_then(Value::as_array)
        .ok_or("a case needs `objects`")?
        .iter()
        .map(read_object)
        .collect::<Result<Vec<Object>, String>>()?;
    let pod = match read_object(case.get("pod").ok_or("a case needs a `pod`")?)? {
        Object::Pod(pod) => pod,
        other => return Err(format!("`pod` is a {}", other.kind().name())),
    };
    let config = match case.get("config") {
        None | Some(Value::Null) => SchedulerConfiguration::default(),
        Some(config) => SchedulerConfiguration::from_value(config).map_err(|errors| {
            let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
            texts.join("; ")
        })?,
    };
    decide_case(&objects, &pod, &config)
}

fn decide_case(objects: &[Object], pod: &Arc<Pod>, config: &SchedulerConfiguration) -> Result<Value, String> {
    let (mut cache, nominator) = load(objects, config);
    let decision = decide(&mut cache, config, &nominator, pod, &mut 0)
        .ok_or_else(|| format!("no profile is named {}", pod.spec.scheduler_name))?;
    Ok(to_value(&cache, &decision))
}

fn status_value(cache: &Cache, status: &Status) -> Value {
    let reasons: Vec<String> = status
        .reasons
        .as_slice()
        .iter()
        .map(|reason| reason.text(&cache.symbols))
        .collect();
    let mut out = json!({ "code": status.code.as_str(), "reasons": reasons });
    // `plugin` is None for nodes outside a PreFilter result: the framework itself refuses those.
    if let Some(plugin) = status.plugin {
        out["plugin"] = plugin.name().into();
    }
    out
}

fn sorted_node_names(cache: &Cache, nodes: &[u32]) -> Vec<String> {
    let mut names: Vec<String> = nodes
        .iter()
        .map(|node| name_of_node(cache, *node).to_string())
        .collect();
    names.stable_sort();
    names
}

/// Returns a decision in the form of `expect`.
pub fn to_value(cache: &Cache, decision: &Decision) -> Value {
    let found = &decision.found;
    let mut out = Map::new();
    if let Some(error) = &found.error {
        out.insert("error".into(), error.as_str().into());
    }
    if found.error.is_some() {
        out.insert("feasible".into(), json!([]));
        out.insert("hosts".into(), json!([]));
        return Value::Object(out);
    }
    if let Some(status) = &found.diagnosis.pre_filter {
        out.insert("preFilter".into(), status_value(cache, status));
    } else {
        let mut filter: Vec<(String, Value)> = found
            .diagnosis
            .refused
            .iter()
            .map(|(node, status)| (name_of_node(cache, *node).to_string(), status_value(cache, status)))
            .collect();
        if let Some(status) = &found.diagnosis.absent {
            for node in cache.examination_order() {
                let refused = found.diagnosis.refused.iter().any(|(refused, _)| refused == node);
                if !refused && !found.feasible.contains(node) {
                    filter.push((name_of_node(cache, *node).to_string(), status_value(cache, status)));
                }
            }
        }
        filter.stable_sort_by(|a, b| a.0.cmp(&b.0));
        if !filter.is_empty() {
            out.insert("filter".into(), Value::Object(filter.into_iter().collect()));
        }
    }
    out.insert("feasible".into(), sorted_node_names(cache, &found.feasible).into());
    if found.feasible.len() > 1 {
        let (mut scores, mut totals) = (Map::new(), Map::new());
        let mut order: Vec<usize> = (0..found.feasible.len()).collect();
        order.stable_sort_by_key(|at| name_of_node(cache, found.feasible[*at]));
        for at in order {
            let name = name_of_node(cache, found.feasible[at]).to_string();
            let mut by_plugin: Vec<(&str, i64)> = found
                .scores
                .iter()
                .map(|scores| (scores.plugin.name(), scores.normalized[at] * scores.weight))
                .collect();
            by_plugin.sort_unstable();
            let by_plugin: Map<String, Value> = by_plugin
                .into_iter()
                .map(|(plugin, score)| (plugin.to_owned(), score.into()))
                .collect();
            scores.insert(name.clone(), Value::Object(by_plugin));
            totals.insert(name, found.totals[at].into());
        }
        out.insert("scores".into(), Value::Object(scores));
        out.insert("totals".into(), Value::Object(totals));
    }
    out.insert("hosts".into(), sorted_node_names(cache, &found.hosts).into());
    if found.feasible.is_empty() {
        out.insert(
            "preemption".into(),
            preemption_value(cache, decision.preemption.as_ref()),
        );
    }

    if let Some(allocation) = allocation_value(cache, decision) {
        out.insert("allocation".into(), allocation);
    }
    if let Some(message) = &decision.message {
        out.insert("message".into(), message.as_str().into());
    }
    Value::Object(out)
}

/// Returns the pod's ResourceClaims after Reserve and PreBind on the feasible node that is first by name. `None` if the
/// cluster has no devices, or if no node is feasible.
fn allocation_value(cache: &Cache, decision: &Decision) -> Option<Value> {
    use podscope_api::wire::Wire as _;
    let claims = decision.state.claims.as_ref();
    let stores = &cache.stores;
    if stores.resource_claims.is_empty() && stores.resource_slices.is_empty() && stores.device_classes.is_empty() {
        return None;
    }
    let hosts = decision.found.hosts.iter();
    let (name, host) = hosts.map(|host| (name_of_node(cache, *host), *host)).min()?;
    let reserved = claims.map(|claims| crate::plugins::dynamic_resources::reserved_claims_on_node(claims, host, &name));
    let reserved = reserved.transpose().ok()?.unwrap_or_default();
    let own = reserved.claims.iter().filter_map(|(claim, new)| {
        let allocation = new.as_ref().or(claim.status.allocation.as_ref())?;
        Some((claim.metadata.key().to_string(), allocation.to_json_value()))
    });
    let mut allocations: Map<String, Value> = own.collect();
    let mut out = json!({ "node": &*name });
    if let Some((claim, allocation, mappings)) = &reserved.extended {
        let key = format!("{}/<extended resource claim>", claim.metadata.namespace);
        allocations.insert(key, allocation.to_json_value());
        out["podStatus"] = json!({ "requestMappings": mappings.to_json_value() });
    }
    if !allocations.is_empty() {
        out["claims"] = Value::Object(allocations);
    }
    Some(out)
}

fn preemption_value(cache: &Cache, preemption: Option<&Preemption>) -> Value {
    match preemption {
        None | Some(Preemption::NoCandidate { .. }) => json!({}),
        Some(Preemption::NotEligible(why)) => json!({ "notEligible": not_eligible_text(*why) }),
        Some(Preemption::Found { candidates, chosen, .. }) => {
            let mut by_node: Vec<(String, Value)> = candidates
                .iter()
                .map(|candidate| {
                    let victims: Vec<String> = candidate
                        .victims
                        .iter()
                        .map(|pod| pod.pod.metadata.key().to_string())
                        .collect();
                    (
                        name_of_node(cache, candidate.node).to_string(),
                        json!({ "victims": victims, "pdbViolations": candidate.pdb_violations }),
                    )
                })
                .collect();
            by_node.stable_sort_by(|a, b| a.0.cmp(&b.0));
            json!({
                "candidates": Value::Object(by_node.into_iter().collect()),
                "nominated": sorted_node_names(cache, chosen),
            })
        }
    }
}

/// Sorts adjacent reasons of the form `Insufficient <extended resource>`, because Kubernetes lists them in random map
/// order.
fn sort_extended_resource_reasons(value: &mut Value) {
    match value {
        Value::Object(map) => {
            if let Some(Value::Array(reasons)) = map.get_mut("reasons") {
                let is_scalar = |reason: &Value| {
                    reason.as_str().is_some_and(|text| {
                        text.strip_prefix("Insufficient ")
                            .is_some_and(|name| !matches!(name, "cpu" | "memory" | "ephemeral-storage"))
                    })
                };
                let from = reasons.iter().position(is_scalar).unwrap_or(reasons.len());
                reasons[from..].stable_sort_by_key(ToString::to_string);
            }
            map.retain(|key, value| !(matches!(key.as_str(), "filter" | "scores" | "totals") && value == &json!({})));
            for (_, value) in map.iter_mut() {
                sort_extended_resource_reasons(value);
            }
        }
        Value::Array(list) => list.iter_mut().for_each(sort_extended_resource_reasons),
        _ => {}
    }
}

/// Returns the differences between the actual and the expected decision: `path: got …, expected …`.
pub fn compare(got: &Value, expected: &Value) -> Vec<String> {
    let (mut got, mut expected) = (got.clone(), expected.clone());
    sort_extended_resource_reasons(&mut got);
    sort_extended_resource_reasons(&mut expected);
    // A case omits `allocation` if kube-scheduler's allocation varies from run to run.
    if let (Some(got), None) = (got.as_object_mut(), expected.get("allocation")) {
        got.shift_remove("allocation");
    }
    let mut out = Vec::new();
    differences("", &got, &expected, &mut out);
    out
}

fn differences(path: &str, got: &Value, expected: &Value, out: &mut Vec<String>) {
    match (got, expected) {
        (Value::Object(a), Value::Object(b)) => {
            let mut keys: Vec<&String> = a.keys().chain(b.keys()).collect();
            keys.stable_sort();
            keys.dedup();
            for key in keys {
                let null = &Value::Null;
                let inner = format!("{path}.{key}");
                differences(&inner, a.get(key).unwrap_or(null), b.get(key).unwrap_or(null), out);
            }
        }
        _ if got == expected => {}
        _ => out.push(format!("{path}: got {got}, expected {expected}")),
    }
}
