//! The OpenAPI paths of resources, with one operation for each method.

use serde_json::{Map, Value, json};

use crate::resources::Resource;

/// Returns the methods of a subresource that connects the client with a container or server, such as `exec` or `proxy`.
fn connection_methods(subresource: &str) -> &'static [&'static str] {
    match subresource {
        "exec" | "attach" | "portforward" => &["get", "post"],
        "proxy" => &["delete", "get", "head", "options", "patch", "post", "put"],
        _ => &[],
    }
}

fn subresource(resource: &Resource) -> &str {
    resource.name.split_once('/').map_or("", |(_, subresource)| subresource)
}

/// Returns whether the resource is a connection like `exec` or `proxy`, which has no schemas.
pub(super) fn is_connection(resource: &Resource) -> bool {
    !connection_methods(subresource(resource)).is_empty()
}

pub(super) fn has_delete(resource: &Resource) -> bool {
    resource.verbs.contains(&"delete")
}

pub(super) fn has_patch(resource: &Resource) -> bool {
    resource.verbs.contains(&"patch")
}

pub(super) fn is_scale(resource: &Resource) -> bool {
    subresource(resource) == "scale"
}

/// Returns the path at which a group lists its versions, or a version its resources; and the path item.
pub(super) fn root_path_item(name: &str) -> (String, Value) {
    let read = json!({"responses": {"401": {"description": "Unauthorized"}}});
    (format!("/{name}/"), json!({"get": read}))
}

/// Adds the paths of a resource: its collection, single objects, and watches of both in the deprecated form.
pub(super) fn put_resource_paths(paths: &mut Map<String, Value>, resource: &Resource, has_watches: bool) {
    let root = format!("/{}", super::document_name(resource.api_version));
    let base = resource.name.split('/').next().unwrap_or_default();
    let subresource = subresource(resource);
    let scope = if resource.is_namespaced {
        "/namespaces/{namespace}"
    } else {
        ""
    };
    let mut put = |path: String, verb: &str, method: &str| {
        let names = path_item_with_parameters(&path);
        let item = paths.entry(path).or_insert(names);
        item[method] = operation_for_verb(resource, verb);
    };
    let one = match subresource {
        "" => format!("{root}{scope}/{base}/{{name}}"),
        subresource => format!("{root}{scope}/{base}/{{name}}/{subresource}"),
    };
    for method in connection_methods(subresource) {
        put(one.clone(), "connect", method);
        if subresource == "proxy" {
            put(format!("{one}/{{path}}"), "connect", method);
        }
    }
    if !connection_methods(subresource).is_empty() {
        return;
    }
    let mut add = |path: String, verb: &str, method: &str| {
        if resource.verbs.contains(&verb) {
            put(path, verb, method);
        }
    };
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
    let all = format!("{root}{scope}/{base}");
    for (verb, method) in [("list", "get"), ("create", "post"), ("deletecollection", "delete")] {
        add(all.clone(), verb, method);
    }
    if resource.is_namespaced {
        add(format!("{root}/{base}"), "list", "get");
    }
    if has_watches {
        add(format!("{root}/watch{scope}/{base}"), "watch", "get");
        add(format!("{root}/watch{scope}/{base}/{{name}}"), "watch", "get");
        if resource.is_namespaced {
            add(format!("{root}/watch/{base}"), "watch", "get");
        }
    }
}

/// Creates a path item with the parameters that its path contains.
fn path_item_with_parameters(path: &str) -> Value {
    let names = path
        .split('/')
        .filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let parameters: Vec<Value> = names
        .map(|name| {
            let schema = json!({"type": "string", "uniqueItems": true});
            json!({"name": name, "in": "path", "required": true, "schema": schema})
        })
        .collect();
    json!({"parameters": parameters})
}

fn operation_for_verb(resource: &Resource, verb: &str) -> Value {
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
    let (group, version) = resource.kind_group_version();
    json!({
        "parameters": parameters,
        "responses": {"401": {"description": "Unauthorized"}},
        "x-kubernetes-action": verb,
        "x-kubernetes-group-version-kind": {"group": group, "version": version, "kind": resource.kind},
    })
}
