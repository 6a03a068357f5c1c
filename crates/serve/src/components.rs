//! `componentstatuses`: the health of the control plane's components at the time of the request. These objects are not
//! stored.

use podscope_cluster::{ApiError, StatusReason};
use podscope_kubectl::component_health;
use podscope_kubectl::rest::ApiPath;
use serde_json::{Map, Value, json};

use crate::engine::EngineHandle;
use crate::http::{HttpRequest, Reply};
use crate::negotiate::{OfferedForms, ResponseShape};
use crate::route::{HandlerResult, check_transform_of_type, is_pretty, negotiated_form};
use crate::table::{self, Columns};
use crate::{object_json, read};

const DEPRECATION_WARNING: &str = "v1 ComponentStatus is deprecated in v1.19+";

pub(crate) fn answer(request: &HttpRequest, path: &ApiPath, engine: &EngineHandle) -> HandlerResult {
    let is_list = path.name.is_empty();
    let form = negotiated_form(request, OfferedForms::Objects, is_list)?;
    let snapshot = engine.board.snapshot();
    read::check_control_plane(&snapshot)?;
    let go_type = if is_list {
        "*core.ComponentStatusList"
    } else {
        "*core.ComponentStatus"
    };
    check_transform_of_type(form, go_type, is_list)?;
    let all = component_health(&snapshot.objects, snapshot.now);
    let chosen: Vec<&(&str, String)> = all.iter().filter(|(name, _)| is_list || *name == path.name).collect();
    if chosen.is_empty() {
        return Err(ApiError {
            code: 404,
            reason: StatusReason::NotFound,
            resource: Some(Box::new((path.resource.clone(), path.name.clone()))),
            ..ApiError::bad_request(format!("{} {:?} not found", path.resource, path.name))
        }
        .into());
    }
    let mut shown = chosen.iter().map(|(name, why)| component_status(name, why));
    let shown = match form.shape {
        ResponseShape::Table => {
            let include = table::parse_included_object(path)?;
            let rows = chosen.iter().zip(shown);
            let rows = rows.map(|((name, why), shown)| {
                let state = if why == "ok" { "Healthy" } else { "Unhealthy" };
                json!({"cells": [name, state, why, ""], "object": table::row_object(&shown, include)})
            });
            let columns = Columns::of(path, &snapshot.objects).definitions();
            table::table(Map::new(), columns, rows.collect())
        }
        ResponseShape::Partial { .. } if is_list => {
            let items = shown.map(|one| object_json::partial_object_metadata(&one)).collect();
            object_json::list("PartialObjectMetadataList", "meta.k8s.io/v1", Map::new(), items)
        }
        ResponseShape::Plain | ResponseShape::Discovery { .. } if is_list => {
            let items = shown.map(object_json::as_list_item).collect();
            object_json::list("ComponentStatusList", &path.api_version, Map::new(), items)
        }
        shape => {
            let one = shown.next().unwrap_or_default();
            match shape {
                ResponseShape::Partial { .. } => object_json::partial_object_metadata(&one),
                _ => one,
            }
        }
    };
    let reply = Reply::value(200, &shown, form, is_pretty(request));
    Ok(reply.with_warnings(&[DEPRECATION_WARNING.to_owned()]))
}

fn component_status(name: &str, message: &str) -> Value {
    json!({
        "kind": "ComponentStatus",
        "apiVersion": "v1",
        "metadata": {"name": name},
        "conditions": [{
            "type": "Healthy",
            "status": if message == "ok" { "True" } else { "False" },
            "message": message,
        }],
    })
}
