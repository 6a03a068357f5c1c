//! `/openapi/v3`: the served paths and their parameters. `kubectl apply` and `create -f` read it before they send
//! `fieldValidation` (HT-102 to HT-107). `/openapi/v2` has the same content as one document (HT-108).
//!
//! [`crate::schemas`] creates the schemas.

mod paths;
mod v2;

use std::collections::BTreeMap;
use std::sync::OnceLock;

use podscope_api::hash;
use podscope_cluster::Objects;
use serde_json::{Map, Value, json};

use self::paths::{has_delete, has_patch, is_connection, is_scale, put_resource_paths, root_path_item};
use crate::http::{HttpRequest, JSON, Reply};
use crate::resources::{self, Resource};
use crate::schemas::Schemas;

pub(crate) use self::v2::answer as answer_v2;

const INDEX_PATH: &str = "/openapi/v3";
/// Documents of paths that are not resources, with the protobuf messages whose schemas they contain.
const NON_RESOURCE_DOCUMENTS: [(&str, &[&str]); 5] = [
    (".well-known/openid-configuration", &[]),
    ("api", &["meta.APIVersions"]),
    ("apis", &["meta.APIGroupList"]),
    ("openid/v1/jwks", &[]),
    ("version", &[]),
];

/// The JSON text of an OpenAPI document, and its ETag: a hash of the text.
#[derive(Debug)]
struct Document {
    text: String,
    etag: String,
}

impl Document {
    fn of(paths: Map<String, Value>, schemas: Schemas) -> Document {
        let document = json!({
            "openapi": "3.0.0",
            "info": {"title": "Kubernetes", "version": "1.36"},
            "paths": paths,
            "components": {"schemas": schemas.finish()},
        });
        let text = document.to_string();
        let etag = format!("{:016X}", hash::fnv1a(hash::EMPTY, text.bytes()));
        Document { text, etag }
    }
}

/// Responds to a path below `/openapi/v3`.
pub(crate) fn answer(request: &HttpRequest, path: &str, objects: &Objects) -> Reply {
    if path == INDEX_PATH {
        return Reply::json(200, &document_index(objects));
    }
    let name = path
        .strip_prefix(INDEX_PATH)
        .unwrap_or_default()
        .trim_start_matches('/');
    let custom;
    let found = match built_in_documents().get(name) {
        Some(found) => Some(found),
        None => {
            custom = custom_document(name, objects);
            custom.as_ref()
        }
    };
    let Some(Document { text, etag }) = found else {
        return Reply::new(404, "", "");
    };
    let query = podscope_kubectl::rest::Query::of(request.path.split_once('?').map_or("", |(_, query)| query));
    let reply = match query.get("hash") {
        Some(wanted) if wanted != etag => {
            return Reply::new(301, "", "").with_header("Location", document_url(name, etag));
        }
        Some(_) => Reply::new(200, JSON, text.clone()).with_header("Cache-Control", "public, immutable"),
        None => Reply::new(200, JSON, text.clone()),
    };
    reply
        .with_header("ETag", format!("\"{etag}\""))
        .with_header("Vary", "Accept")
}

/// Returns the name of the document of an API version.
fn document_name(version: &str) -> String {
    if version.contains('/') {
        format!("apis/{version}")
    } else {
        format!("api/{version}")
    }
}

fn document_url(name: &str, etag: &str) -> String {
    format!("{INDEX_PATH}/{name}?hash={etag}")
}

fn document_index(objects: &Objects) -> Value {
    let entry = |name: &str, document: &Document| json!({"serverRelativeURL": document_url(name, &document.etag)});
    let mut paths: BTreeMap<String, Value> = built_in_documents()
        .iter()
        .map(|(name, document)| (name.clone(), entry(name, document)))
        .collect();
    for resource in resources::all_resources(objects) {
        let name = document_name(resource.api_version);
        if !paths.contains_key(&name)
            && let Some(document) = custom_document(&name, objects)
        {
            paths.insert(name.clone(), entry(&name, &document));
        }
    }
    json!({"paths": paths})
}

/// Returns the documents that do not depend on the objects of the cluster, by name.
fn built_in_documents() -> &'static BTreeMap<String, Document> {
    static DOCUMENTS: OnceLock<BTreeMap<String, Document>> = OnceLock::new();
    DOCUMENTS.get_or_init(|| {
        let mut versions: BTreeMap<&str, Vec<&Resource>> = BTreeMap::new();
        for resource in resources::built_in_resources() {
            versions.entry(resource.api_version).or_default().push(resource);
        }
        let mut all: BTreeMap<String, Document> = versions
            .iter()
            .map(|(version, resources)| (document_name(version), version_document(version, resources)))
            .collect();
        for (name, messages) in NON_RESOURCE_DOCUMENTS {
            all.insert(name.to_owned(), message_document(name, messages));
        }
        for (group, _) in versions.keys().filter_map(|version| version.split_once('/')) {
            let name = format!("apis/{group}");
            let document = message_document(&name, &["meta.APIGroup"]);
            all.insert(name, document);
        }
        all
    })
}

/// Creates a document with the only path `name`, which is read with GET, and with the schemas of these messages.
fn message_document(name: &str, messages: &[&str]) -> Document {
    let mut schemas = Schemas::default();
    messages.iter().for_each(|message| schemas.add_message(message));
    if name == "version" {
        schemas.add_version_info();
    }
    Document::of(Map::from_iter([root_path_item(name)]), schemas)
}

/// Creates the document of an API version of built-in resources.
fn version_document(version: &str, resources: &[&Resource]) -> Document {
    let mut paths = Map::from_iter([root_path_item(&document_name(version))]);
    let mut schemas = Schemas::default();
    schemas.add_message("meta.APIResourceList");
    for resource in resources {
        put_resource_paths(&mut paths, resource, true);
        if is_connection(resource) {
            continue;
        }
        schemas.add(
            resource.kind_group_version(),
            resource.kind,
            resource.verbs.contains(&"list"),
        );
        add_option_schemas(&mut schemas, resource);
        if resource.verbs.contains(&"watch") {
            schemas.add_message("meta.WatchEvent");
        }
    }
    Document::of(paths, schemas)
}

/// Adds the schemas that depend on the verbs of a resource, such as `DeleteOptions`.
fn add_option_schemas(schemas: &mut Schemas, resource: &Resource) {
    if has_delete(resource) {
        schemas.add_message("meta.DeleteOptions");
        schemas.add_message("meta.Status");
    }
    if has_patch(resource) {
        schemas.add_message("meta.Patch");
    }
    if is_scale(resource) {
        schemas.add(("autoscaling", "v1"), "Scale", false);
    }
}

/// Creates the document of an API version of custom resources; None if the version is not served.
fn custom_document(name: &str, objects: &Objects) -> Option<Document> {
    let version = name.strip_prefix("apis/")?;
    let mut paths = Map::new();
    let mut schemas = Schemas::default();
    for resource in resources::all_resources(objects)
        .iter()
        .filter(|resource| resource.custom_kind().is_some() && resource.api_version == version)
    {
        put_resource_paths(&mut paths, resource, false);
        if let Some(kind) = resource.custom_kind() {
            objects.with_version(kind, |version| schemas.add_custom(version));
        }
        add_option_schemas(&mut schemas, resource);
    }
    (!paths.is_empty()).then(|| Document::of(paths, schemas))
}
