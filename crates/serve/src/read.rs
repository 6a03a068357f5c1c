//! GET of objects and collections: resource versions, paging, selectors, response forms (HT-055 to HT-066, HT-120 to
//! HT-124).

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use podscope_api::schema::ServedKind;
use podscope_api::{Kind, Object, ObjectKey};
use podscope_cluster::{ApiError, Cause, Objects, StatusReason};
use podscope_kubectl::rest::{
    ApiPath, Query, ScalePaths, Selectors, integer_parameter, limit, no_subresource, selected,
};
use serde_json::{Map, Value, json};

use crate::board::Snapshot;
use crate::engine::EngineHandle;
use crate::http::{HttpRequest, JSON, Reply};
use crate::items::ItemTextCache;
use crate::negotiate::{Media, OfferedForms, ResponseForm, ResponseShape};
use crate::resources::{self, Resource};
use crate::route::{HandlerResult, ResourceRequest, check_transform, is_pretty, negotiated_form};
use crate::{object_json, status, table};

/// Checks that the API server runs and reaches etcd. Deviation: a real request waits before it fails; this one fails
/// immediately.
pub(crate) fn check_control_plane(snapshot: &Snapshot) -> Result<(), ApiError> {
    match snapshot.control_plane {
        (true, true) => Ok(()),
        (true, false) => Err(ApiError::etcd_timeout()),
        (false, _) => Err(ApiError::refused_connection()),
    }
}

/// Responds to a read of a resource that is served but whose objects are not stored.
pub(crate) fn answer_without_objects(request: &HttpRequest, path: &ApiPath, known: &Resource) -> HandlerResult {
    if request.method != "GET" {
        return Err(ApiError::method_not_allowed().into());
    }
    if path.name.is_empty() {
        let list = object_json::list(
            &format!("{}List", known.kind),
            &path.api_version,
            Map::new(),
            Vec::new(),
        );
        return Ok(Reply::json(200, &list));
    }
    let group = path.api_version.rsplit_once('/').map_or("", |(group, _)| group);
    let resource = if group.is_empty() {
        path.resource.clone()
    } else {
        format!("{}.{group}", path.resource)
    };
    let message = format!("{resource} {:?} not found", path.name);
    Err(ApiError {
        code: 404,
        reason: StatusReason::NotFound,
        resource: Some(Box::new((resource, path.name.clone()))),
        ..ApiError::bad_request(message)
    }
    .into())
}

/// Responds with one object.
pub(crate) fn get(request: ResourceRequest<'_>) -> HandlerResult {
    let (path, kind) = (request.path, request.kind);
    let form = negotiated_form(request.http, OfferedForms::Objects, false)?;
    let snapshot = request.engine.board.snapshot();
    check_control_plane(&snapshot)?;
    requested_resource_version(&path.query, &snapshot)?;
    let key = ObjectKey::new(path.namespace.as_str(), path.name.as_str());
    let object = snapshot.objects_with_kind(kind).get_kind(kind, &key);
    let object = object.ok_or_else(|| ApiError::not_found(kind, &path.name))?;
    check_transform(form, kind, false)?;
    let shown = object_in_form(request, form, object, &snapshot)?;
    Ok(Reply::value(200, &shown, form, is_pretty(request.http)))
}

/// Returns the object at the path, or its subresource, in the negotiated form.
pub(crate) fn object_in_form(
    request: ResourceRequest<'_>,
    form: ResponseForm,
    object: Object,
    snapshot: &Snapshot,
) -> Result<Value, ApiError> {
    let shown = object_or_subresource(&object, request.path, request.served, snapshot)?;
    match form.shape {
        ResponseShape::Table => {
            table::of_objects(request.path, &[(object, shown)], snapshot, single_row_table_metadata)
        }
        ResponseShape::Partial { .. } => Ok(object_json::partial_object_metadata(&shown)),
        ResponseShape::Plain | ResponseShape::Discovery { .. } => Ok(shown),
    }
}

fn single_row_table_metadata(rows: &[(Object, Value)]) -> Map<String, Value> {
    let version = rows
        .first()
        .map(|(object, _)| object.metadata().resource_version.to_string());
    let mut metadata = Map::new();
    if let Some(version) = version {
        metadata.insert("resourceVersion".to_owned(), version.into());
    }
    metadata
}

/// Returns the object at a path, or its subresource, serialized.
fn object_or_subresource(
    object: &Object,
    path: &ApiPath,
    served: ServedKind,
    snapshot: &Snapshot,
) -> Result<Value, ApiError> {
    match path.subresource.as_str() {
        "scale" if podscope_kubectl::has_scale(object.kind()) => Ok(podscope_kubectl::scale_of(object)),
        "scale" => match ScalePaths::of(object.kind(), &snapshot.objects) {
            Some(paths) => paths.scale(object),
            None => Err(no_subresource(object.kind(), &object.metadata().name)),
        },
        "status" if !has_status_subresource(object.kind(), &snapshot.objects) => {
            Err(no_subresource(object.kind(), &object.metadata().name))
        }
        "" | "status" | "resize" | "ephemeralcontainers" | "approval" | "finalize" => {
            Ok(object_json::of(object, served, snapshot))
        }
        _ => Err(ApiError::no_such_resource()),
    }
}

/// Returns whether objects of a kind have the `status` subresource; for a custom kind, its definition decides.
fn has_status_subresource(kind: Kind, objects: &Objects) -> bool {
    objects
        .with_version(kind, |version| version.has_status())
        .unwrap_or(true)
}

/// Parses the `resourceVersion` parameter; None if it is absent (HT-061).
pub(crate) fn parse_resource_version(query: &Query) -> Result<Option<u64>, ApiError> {
    match query.get("resourceVersion") {
        None | Some("") => Ok(None),
        Some(text) => text.parse().map(Some).map_err(|_| {
            ApiError::bad_request(format!(
                "resourceVersion: Invalid value: {text:?}: strconv.ParseUint: parsing {text:?}: invalid syntax"
            ))
        }),
    }
}

/// Returns the requested resourceVersion, if any; it is an error if it is newer than the snapshot (HT-040, HT-058).
/// Deviation: it fails immediately; the real server waits three seconds for the version.
fn requested_resource_version(query: &Query, snapshot: &Snapshot) -> Result<Option<u64>, ApiError> {
    let requested = parse_resource_version(query)
        .map_err(|error| ApiError::bad_request(format!("invalid resource version: {}", error.message)))?;
    match requested {
        Some(requested) if requested > snapshot.revision => {
            Err(resource_version_too_large(requested, snapshot.revision))
        }
        requested => Ok(requested),
    }
}

fn resource_version_too_large(requested: u64, current: u64) -> ApiError {
    ApiError {
        message: format!("Timeout: Too large resource version: {requested}, current: {current}"),
        resource: Some(Default::default()),
        retry_after_seconds: Some(1),
        ..ApiError::etcd_timeout().with_cause("ResourceVersionTooLarge", "Too large resource version")
    }
}

fn expired_error(message: &str) -> ApiError {
    ApiError {
        code: 410,
        reason: StatusReason::Expired,
        ..ApiError::bad_request(message)
    }
}

const EXPIRED_CONTINUE_MESSAGE: &str = "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.";

pub(crate) fn forbidden_cause(field: &str, why: &str) -> Cause {
    Cause::new(field, format!("Forbidden: {why}")).with_reason("FieldValueForbidden")
}

pub(crate) fn invalid_list_options(causes: Vec<Cause>) -> ApiError {
    ApiError::invalid_of("ListOptions.meta.k8s.io", "", causes)
}

/// A continue token: the next key, and the version of the first page.
struct ContinueToken {
    version: u64,
    start: String,
}

impl ContinueToken {
    fn of(text: &str) -> Result<ContinueToken, ApiError> {
        let wrong =
            |why: &str| ApiError::bad_request(format!("invalid continue token: continue key is not valid: {why}"));
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|error| match error {
            base64::DecodeError::InvalidByte(at, _) => wrong(&format!("illegal base64 data at input byte {at}")),
            _ => wrong(&format!(
                "illegal base64 data at input byte {}",
                text.len().saturating_sub(1)
            )),
        })?;
        let value: Value = serde_json::from_slice(&bytes).map_err(|_| {
            let first = bytes.first().map_or('\0', |byte| char::from(*byte));
            wrong(&format!("invalid character {first:?} looking for beginning of value"))
        })?;
        match value["v"].as_str().unwrap_or_default() {
            "meta.k8s.io/v1" => {}
            other => {
                return Err(wrong(&format!(
                    "server does not recognize this encoded version {other}"
                )));
            }
        }
        let version = match value["rv"].as_i64() {
            // This token replaced an expired one: the list continues in the newest version.
            Some(-1) => u64::MAX,
            _ => value["rv"].as_u64().unwrap_or(0),
        };
        if version == 0 {
            return Err(wrong(
                "incorrect encoded start resourceVersion (version meta.k8s.io/v1)",
            ));
        }
        let start = value["start"].as_str().unwrap_or_default().to_owned();
        if start.is_empty() {
            return Err(wrong("empty encoded start key (version meta.k8s.io/v1)"));
        }
        if start.split('/').any(|part| part == "..") {
            return Err(wrong(&start));
        }
        Ok(ContinueToken { version, start })
    }

    fn encode(&self) -> String {
        let value = json!({"v": "meta.k8s.io/v1", "rv": self.version, "start": self.start});
        URL_SAFE_NO_PAD.encode(value.to_string())
    }

    /// Returns the key of the first object of the page.
    fn key(&self, namespace: &str) -> ObjectKey {
        let start = self.start.trim_start_matches('/');
        match namespace {
            "" => {
                let (namespace, name) = start.split_once('/').unwrap_or(("", start));
                ObjectKey::new(namespace, name)
            }
            namespace => ObjectKey::new(namespace, start),
        }
    }
}

/// Parameters of a list request.
struct ListRequest {
    limit: Option<usize>,
    token: Option<ContinueToken>,
    snapshot: Arc<Snapshot>,
    items: Arc<ItemTextCache>,
    version: u64,
}

impl ListRequest {
    fn of(query: &Query, engine: &EngineHandle) -> Result<ListRequest, ApiError> {
        integer_parameter(query, "timeoutSeconds")?;
        let limit = limit(query)?;
        check_version_match(query)?;
        let (snapshot, items) = engine.board.snapshot_with_items();
        check_control_plane(&snapshot)?;
        let token = query.get("continue").filter(|text| !text.is_empty());
        let is_given = query
            .get("resourceVersion")
            .is_some_and(|text| !matches!(text, "" | "0"));
        if token.is_some() && is_given {
            return Err(ApiError::bad_request(
                "specifying resource version is not allowed when using continue",
            ));
        }
        let requested = requested_resource_version(query, &snapshot)?;
        // With resourceVersion 0, any version is acceptable: the newest one is used, and the limit is ignored (HT-059).
        let limit = limit.filter(|_| requested != Some(0) || query.get("resourceVersionMatch").is_some());
        let oldest = engine.board.oldest_revision();
        if let Some(token) = token {
            let token = ContinueToken::of(token)?;
            if token.version < oldest {
                return Err(expired_error(EXPIRED_CONTINUE_MESSAGE));
            }
            // All pages show the version of the first page, if the history reaches back to it.
            let version = token.version.min(snapshot.revision);
            let snapshot = engine.board.snapshot_at(version).unwrap_or(snapshot);
            return Ok(ListRequest {
                limit,
                token: Some(token),
                snapshot,
                items,
                version,
            });
        }
        let is_exact = query.get("resourceVersionMatch") == Some("Exact")
            || query.get("resourceVersionMatch").is_none()
                && limit.is_some()
                && requested.is_some_and(|requested| requested > 0);
        match requested.filter(|requested| is_exact && *requested != snapshot.revision) {
            Some(requested) => {
                let snapshot = engine.board.snapshot_at(requested);
                let snapshot =
                    snapshot.ok_or_else(|| expired_error("The resourceVersion for the provided list is too old."))?;
                Ok(ListRequest {
                    limit,
                    token: None,
                    snapshot,
                    items,
                    version: requested,
                })
            }
            None => {
                let version = snapshot.revision;
                Ok(ListRequest {
                    limit,
                    token: None,
                    snapshot,
                    items,
                    version,
                })
            }
        }
    }
}

/// Checks `resourceVersionMatch` (HT-060).
fn check_version_match(query: &Query) -> Result<(), ApiError> {
    let mut causes = Vec::new();
    let version = query.get("resourceVersion").unwrap_or_default();
    let has_continue = query.get("continue").is_some_and(|text| !text.is_empty());
    match query.get("resourceVersionMatch").unwrap_or_default() {
        "" => {}
        text => {
            let field = "resourceVersionMatch";
            if version.is_empty() {
                causes.push(forbidden_cause(
                    field,
                    "resourceVersionMatch is forbidden unless resourceVersion is provided",
                ));
            }
            if has_continue {
                causes.push(forbidden_cause(
                    field,
                    "resourceVersionMatch is forbidden when continue is provided",
                ));
            }
            if !matches!(text, "Exact" | "NotOlderThan") {
                let known = "supported values: \"Exact\", \"NotOlderThan\", \"\"";
                causes.push(
                    Cause::new(field, format!("Unsupported value: {text:?}: {known}"))
                        .with_reason("FieldValueNotSupported"),
                );
            }
            if text == "Exact" && version == "0" {
                let why = "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"";
                causes.push(forbidden_cause(field, why));
            }
        }
    }
    if query.get("sendInitialEvents").is_some() {
        causes.push(forbidden_cause(
            "sendInitialEvents",
            "sendInitialEvents is forbidden for list",
        ));
    }
    if causes.is_empty() {
        Ok(())
    } else {
        Err(invalid_list_options(causes))
    }
}

/// Responds with a collection or one of its pages.
pub(crate) fn list(request: ResourceRequest<'_>) -> HandlerResult {
    let (path, served, kind) = (request.path, request.served, request.kind);
    let form = negotiated_form(request.http, OfferedForms::Objects, true)?;
    check_transform(form, kind, true)?;
    let query = &path.query;
    let page = match ListRequest::of(query, request.engine) {
        Err(error) if error.message == EXPIRED_CONTINUE_MESSAGE => return respond_expired_token(query, &error),
        page => page?,
    };
    let snapshot = &page.snapshot;
    let mut objects = selected(kind, &path.namespace, query, snapshot.objects_with_kind(kind))?;
    if let Some(token) = &page.token {
        let first = token.key(&path.namespace);
        objects.retain(|object| object.key() >= first);
    }
    let limit = page.limit.filter(|limit| *limit < objects.len());
    let left = limit.map_or(0, |limit| objects.len() - limit);
    objects.truncate(limit.unwrap_or(objects.len()));
    let has_selector = !Selectors::of(kind, query, &snapshot.objects)?.is_empty();
    let metadata = list_metadata(path, page.version, (left, has_selector), objects.last());
    let is_json = form.media == Media::Json && form.shape == ResponseShape::Plain;
    if is_json && !is_pretty(request.http) && !is_custom_kind(served) {
        return Ok(plain_list_reply(&objects, served, metadata, &page));
    }
    let shown = list_in_form(request, form, metadata, objects, snapshot)?;
    Ok(Reply::value(200, &shown, form, is_pretty(request.http)))
}

/// Creates a list in JSON from the cached texts of its items. As JSON values they would take ten times the memory.
fn plain_list_reply(objects: &[Object], served: ServedKind, metadata: Map<String, Value>, page: &ListRequest) -> Reply {
    let list = object_json::list(
        &format!("{}List", served.kind),
        served.api_version,
        metadata,
        Vec::new(),
    );
    let mut text = list.to_string();
    // The last field is the empty `items`: its closing bracket is moved behind the texts.
    debug_assert!(text.ends_with("[]}"), "{text}");
    text.truncate(text.len() - "]}".len());
    let mut bytes = text.into_bytes();
    for (at, object) in objects.iter().enumerate() {
        if at > 0 {
            bytes.push(b',');
        }
        bytes.extend_from_slice(&page.items.text(object, served, &page.snapshot));
    }
    bytes.extend_from_slice(b"]}\n");
    Reply::new(200, JSON, bytes)
}

/// Returns whether a kind is custom and so has no Go type.
fn is_custom_kind(served: ServedKind) -> bool {
    resources::is_custom_group(served.api_version.split_once('/').map_or("", |(group, _)| group))
}

/// Responds to an expired continue token with a token that continues at the same key in the newest version (HT-078).
fn respond_expired_token(query: &Query, error: &ApiError) -> HandlerResult {
    let token = ContinueToken::of(query.get("continue").unwrap_or_default())?;
    let newest = json!({"v": "meta.k8s.io/v1", "rv": -1, "start": token.start});
    let mut status = status::of(error);
    status["metadata"]["continue"] = URL_SAFE_NO_PAD.encode(newest.to_string()).into();
    Ok(Reply::json(error.code, &status))
}

/// Creates the metadata of a list. If objects are left after this page, it contains the token of the next page, and
/// their number unless a selector is set (HT-056).
pub(crate) fn list_metadata(
    path: &ApiPath,
    version: u64,
    (remaining, has_selector): (usize, bool),
    last: Option<&Object>,
) -> Map<String, Value> {
    let mut metadata = Map::new();
    metadata.insert("resourceVersion".to_owned(), version.to_string().into());
    if let Some(last) = last.filter(|_| remaining > 0) {
        let key = last.key();
        let start = match path.namespace.as_str() {
            "" if last.kind().is_namespaced() => format!("{}/{}\0", key.namespace, key.name),
            _ => format!("{}\0", key.name),
        };
        metadata.insert("continue".to_owned(), ContinueToken { version, start }.encode().into());
        if !has_selector {
            metadata.insert("remainingItemCount".to_owned(), remaining.into());
        }
    }
    metadata
}

/// Creates a list in the negotiated form.
pub(crate) fn list_in_form(
    request: ResourceRequest<'_>,
    form: ResponseForm,
    metadata: Map<String, Value>,
    objects: Vec<Object>,
    snapshot: &Snapshot,
) -> Result<Value, ApiError> {
    let served = request.served;
    let rows: Vec<(Object, Value)> = objects
        .into_iter()
        .map(|object| {
            let shown = object_json::of(&object, served, snapshot);
            (object, shown)
        })
        .collect();
    Ok(match form.shape {
        ResponseShape::Table => table::of_objects(request.path, &rows, snapshot, |_| metadata)?,
        ResponseShape::Partial { .. } => {
            let items = rows
                .iter()
                .map(|(_, shown)| object_json::partial_object_metadata(shown))
                .collect();
            let mut list = object_json::list("PartialObjectMetadataList", "meta.k8s.io/v1", metadata, items);
            // The real server returns null for an empty list, because Go encodes a nil slice as null.
            if rows.is_empty() {
                list["items"] = Value::Null;
            }
            list
        }
        ResponseShape::Plain | ResponseShape::Discovery { .. } => {
            // Lists of custom kinds have no Go type: items keep apiVersion and kind, and no empty field is omitted.
            let is_custom = is_custom_kind(served);
            let mut metadata = metadata;
            if is_custom {
                metadata.entry("continue").or_insert_with(|| "".into());
            }
            let items = rows
                .into_iter()
                .map(|(_, shown)| {
                    if is_custom {
                        shown
                    } else {
                        object_json::as_list_item(shown)
                    }
                })
                .collect();
            object_json::list(&format!("{}List", served.kind), served.api_version, metadata, items)
        }
    })
}
