//! `/openapi/v3`: the served paths and their parameters. `kubectl apply` and `create -f` read it before they send
//! `fieldValidation` (HT-102 to HT-107).
//!
//! [`crate::schemas`] creates the schemas.

use podscope_api::{hash, schema};
use podscope_cluster::Objects;
use serde_json::{Map, Value, json};

use crate::http::{Asked, Reply};
use crate::resources::{self, Resource};
use crate::schemas::Schemas;

const INDEX: &str = "/openapi/v3";

/// Responds to a path below `/openapi/v3`.
pub(crate) fn answer(asked: &Asked, path: &str, objects: &Objects) -> Reply {
    if path == INDEX {
        return Reply::json(200, &index(objects));
    }
    let version = path.strip_prefix(INDEX).unwrap_or_default().trim_start_matches('/');
    let version = version
        .strip_prefix("apis/")
        .or_else(|| version.strip_prefix("api/"))
        .unwrap_or_default();
    let Some(text) = document(version, objects) else {
        return Reply::new(404, "", "");
    };
    let tag = tag(&text);
    let query = podscope_kubectl::rest::Query::of(asked.path.split_once('?').map_or("", |(_, query)| query));
    let reply = match query.get("hash") {
        Some(wanted) if wanted != tag => return Reply::new(301, "", "").with("Location", url(version, &tag)),
        Some(_) => Reply::new(200, crate::http::JSON, text).with("Cache-Control", "public, immutable"),
        None => Reply::new(200, crate::http::JSON, text),
    };
    reply.with("ETag", format!("\"{tag}\"")).with("Vary", "Accept")
}

fn tag(text: &str) -> String {
    format!("{:016X}", hash::fnv1a(hash::EMPTY, text.bytes()))
}

fn place(version: &str) -> String {
    if version.contains('/') {
        format!("apis/{version}")
    } else {
        format!("api/{version}")
    }
}

fn url(version: &str, tag: &str) -> String {
    format!("{INDEX}/{}?hash={tag}", place(version))
}

fn index(objects: &Objects) -> Value {
    let mut paths = Map::new();
    for resource in resources::with_custom(objects) {
        let version = resource.api_version;
        if let (false, Some(text)) = (paths.contains_key(&place(version)), document(version, objects)) {
            let url = url(version, &tag(&text));
            paths.insert(place(version), json!({"serverRelativeURL": url}));
        }
    }
    json!({"paths": paths})
}

/// The document of an API version; None if the version is not served.
fn document(version: &str, objects: &Objects) -> Option<String> {
    let mut paths = Map::new();
    let mut schemas = Schemas::default();
    for resource in resources::with_custom(objects)
        .iter()
        .filter(|resource| resource.api_version == version)
    {
        put(&mut paths, resource);
        if let Some(kind) = resource.custom() {
            objects.with_version(kind, |version| schemas.add_custom(version));
        }
        if let Some(served) = schema::served_resource(version, resource.name) {
            schemas.add(served);
        }
    }
    if paths.is_empty() {
        return None;
    }
    let document = json!({
        "openapi": "3.0.0",
        "info": {"title": "Kubernetes", "version": "1.36"},
        "paths": paths,
        "components": {"schemas": schemas.finish()},
    });
    Some(document.to_string())
}

/// Adds the paths of a resource: its collection, and single objects.
fn put(paths: &mut Map<String, Value>, resource: &Resource) {
    let root = format!("/{}", place(resource.api_version));
    let (name, subresource) = match resource.name.split_once('/') {
        Some((name, subresource)) => (name, format!("/{subresource}")),
        None => (resource.name, String::new()),
    };
    let within = if resource.is_namespaced {
        format!("{root}/namespaces/{{namespace}}")
    } else {
        root.clone()
    };
    let mut add = |path: String, verb: &str, method: &str| {
        if resource.verbs.contains(&verb) {
            let item = paths.entry(path).or_insert_with(|| json!({"parameters": []}));
            item[method] = operation(resource, verb);
        }
    };
    let one = format!("{within}/{name}/{{name}}{subresource}");
    for (verb, method) in [
        ("get", "get"),
        ("update", "put"),
        ("patch", "patch"),
        ("delete", "delete"),
    ] {
        add(one.clone(), verb, method);
    }
    if !subresource.is_empty() {
        return add(one, "create", "post");
    }
    for (verb, method) in [("list", "get"), ("create", "post"), ("deletecollection", "delete")] {
        add(format!("{within}/{name}"), verb, method);
    }
    if resource.is_namespaced {
        add(format!("{root}/{name}"), "list", "get");
    }
}

fn operation(resource: &Resource, verb: &str) -> Value {
    let names: &[&str] = match verb {
        "create" | "update" => &["dryRun", "fieldManager", "fieldValidation"],
        "patch" => &["dryRun", "fieldManager", "fieldValidation", "force"],
        "delete" | "deletecollection" => &["dryRun", "gracePeriodSeconds", "propagationPolicy"],
        _ => &[],
    };
    let parameters: Vec<Value> = names
        .iter()
        .map(|name| json!({"name": name, "in": "query", "schema": {"type": "string", "uniqueItems": true}}))
        .collect();
    let (group, version) = resource.kind_group();
    json!({
        "parameters": parameters,
        "responses": {"401": {"description": "Unauthorized"}},
        "x-kubernetes-action": verb,
        "x-kubernetes-group-version-kind": {"group": group, "version": version, "kind": resource.kind},
    })
}
