//! `metrics.k8s.io`: resource usage of pods and nodes, as metrics-server would report it (HT-188).

use podscope_api::{Kind, NodeName, Pod};
use podscope_cluster::ApiError;
use podscope_kubectl::rest::{ApiPath, selected};
use podscope_session::timeline::Session;
use serde_json::{Value, json};

use crate::engine::EngineHandle;
use crate::http::Reply;
use crate::route::HandlerResult;

pub(crate) const VERSION: &str = "metrics.k8s.io/v1beta1";

pub(crate) async fn answer(path: &ApiPath, engine: &EngineHandle) -> HandlerResult {
    crate::read::check_control_plane(&engine.board.snapshot())?;
    let (kind, plural) = match path.resource.as_str() {
        "nodes" => (Kind::Node, "NodeMetrics"),
        _ => (Kind::Pod, "PodMetrics"),
    };
    let owned_path = path.clone();
    let found = engine
        .ask(move |engine| metrics_at_path(engine.session(), &owned_path, kind))
        .await??;
    if path.name.is_empty() {
        let list = json!({"kind": format!("{plural}List"), "apiVersion": VERSION, "metadata": {}, "items": found});
        return Ok(Reply::json(200, &list));
    }
    match found.into_iter().next() {
        Some(one) => Ok(Reply::json(200, &one)),
        None => {
            let mut error = ApiError::not_found(kind, &path.name);
            error.message = format!("{}.metrics.k8s.io {:?} not found", path.resource, path.name);
            Err(error.into())
        }
    }
}

/// Returns the metrics of the objects that a path selects: of one object if the path has a name.
fn metrics_at_path(session: &Session, path: &ApiPath, kind: Kind) -> Result<Vec<Value>, ApiError> {
    let objects = session.world().objects();
    let now = session.world().wall_time().to_string();
    let chosen = selected(kind, &path.namespace, &path.query, objects)?;
    let chosen = chosen
        .into_iter()
        .filter(|object| path.name.is_empty() || *object.metadata().name == *path.name);
    let one = |object: podscope_api::Object| {
        let metadata = object.metadata();
        let mut shown = json!({"name": &*metadata.name, "creationTimestamp": now});
        if kind == Kind::Pod {
            shown["namespace"] = Value::from(&*metadata.namespace);
        }
        if !metadata.labels.is_empty() {
            shown["labels"] = metadata
                .labels
                .iter()
                .map(|(key, value)| (key.to_string(), Value::from(&**value)))
                .collect();
        }
        let mut value = json!({
            "kind": if kind == Kind::Pod { "PodMetrics" } else { "NodeMetrics" },
            "apiVersion": VERSION, "metadata": shown, "timestamp": now, "window": "10s",
        });
        match &object {
            podscope_api::Object::Pod(pod) => {
                let containers: Vec<Value> = container_usages(session, pod)
                    .map(|(name, usage)| json!({"name": name, "usage": usage_json(usage)}))
                    .collect();
                // Pods without running containers have no metrics.
                if containers.is_empty() {
                    return None;
                }
                value["containers"] = containers.into();
            }
            _ => {
                let pods = objects.pods_on(&NodeName(metadata.name.clone()));
                let all = pods.flat_map(|pod| {
                    container_usages(session, pod)
                        .map(|(_, usage)| usage)
                        .collect::<Vec<_>>()
                });
                let sum = all.fold((0, 0), |(cpu, memory), (more, bytes)| (cpu + more, memory + bytes));
                value["usage"] = usage_json(sum);
            }
        }
        Some(value)
    };
    Ok(chosen.filter_map(one).collect())
}

/// Returns CPU and memory usage of the pod's running containers, by container name.
fn container_usages<'a>(session: &'a Session, pod: &'a Pod) -> impl Iterator<Item = (&'a str, (i64, i64))> {
    let containers = pod.spec.containers.iter();
    containers.filter_map(|one| Some((&*one.name, session.usage(pod, &one.name)?)))
}

fn usage_json((cpu, memory): (i64, i64)) -> Value {
    json!({"cpu": format!("{cpu}m"), "memory": format!("{}Ki", memory / 1024)})
}
