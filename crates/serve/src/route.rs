//! Dispatches requests to the modules that answer them.

use std::borrow::Cow;

use hyper::header::HeaderValue;
use podscope_api::schema::ServedKind;
use podscope_api::{DEPRECATED_ENDPOINTS, Kind};
use podscope_cluster::{ApiError, Objects, StatusReason};
use podscope_kubectl::rest::{ApiPath, no_subresource};

use crate::board::Snapshot;
use crate::engine::{EngineHandle, EngineStopped};
use crate::http::{ConnectionClosed, HttpRequest, JSON, Reply};
use crate::negotiate::{Media, NotAcceptableReason, OfferedForms, ResponseForm, ResponseShape, negotiate_form};
use crate::resources::{self, Resource};
use crate::{
    authenticate, components, health, logs, metrics, object_json, openapi, openid, podscope_v1, protobuf, read,
    reviews, watch, write,
};

/// The reason why a request fails.
#[derive(Debug)]
pub(crate) enum Failure {
    Error(Box<ApiError>),
    /// The API server does not run: the connection is closed without a response.
    ConnectionClosed,
}

impl From<ApiError> for Failure {
    fn from(error: ApiError) -> Failure {
        // Code 0 means that no answer arrived.
        if error.code == 0 {
            Failure::ConnectionClosed
        } else {
            Failure::Error(Box::new(error))
        }
    }
}

impl From<EngineStopped> for Failure {
    fn from(_: EngineStopped) -> Failure {
        Failure::ConnectionClosed
    }
}

pub(crate) type HandlerResult = Result<Reply, Failure>;

/// A request for stored objects, with the resource that its path names.
#[derive(Clone, Copy)]
pub(crate) struct ResourceRequest<'a> {
    pub(crate) http: &'a HttpRequest,
    pub(crate) path: &'a ApiPath,
    /// The kind in the version that the client asks for.
    pub(crate) served: ServedKind,
    /// The kind in which the objects are stored.
    pub(crate) kind: Kind,
    pub(crate) engine: &'a EngineHandle,
}

/// Creates the error 406 (HT-030).
fn not_acceptable(message: String, has_details: bool) -> ApiError {
    ApiError {
        code: 406,
        reason: StatusReason::NotAcceptable,
        resource: has_details.then(Default::default),
        ..ApiError::bad_request(message)
    }
}

const OBJECT_MEDIA_TYPES: &str = "application/json, application/yaml, application/vnd.kubernetes.protobuf";

/// Creates the error 406 of a route that serves only these media types.
fn not_acceptable_except(types: &str) -> ApiError {
    let message = format!("406: Not Acceptable\n\nAvailable representations: {types}");
    not_acceptable(message, true)
}

/// Checks that the client accepts the only media type that this route serves.
pub(crate) fn check_accepted(request: &HttpRequest, content_type: &str) -> Result<(), ApiError> {
    let accept = request.header("accept").unwrap_or_default();
    let mut accepted = accept
        .split(',')
        .map(|clause| clause.split(';').next().unwrap_or_default().trim());
    match accept.is_empty() || accepted.any(|media| media == "*/*" || media == content_type) {
        true => Ok(()),
        false => Err(not_acceptable_except(content_type)),
    }
}

/// Creates the error 406 for a media type that can be served, but not for this response.
pub(crate) fn not_acceptable_media() -> ApiError {
    not_acceptable(
        format!("only the following media types are accepted: {OBJECT_MEDIA_TYPES}"),
        false,
    )
}

/// Returns the form of the response that the client accepts.
pub(crate) fn negotiated_form(
    request: &HttpRequest,
    offer: OfferedForms,
    is_list: bool,
) -> Result<ResponseForm, ApiError> {
    negotiate_form(request.header("accept"), offer).map_err(|refused| match refused {
        NotAcceptableReason::Transform => not_acceptable_media(),
        NotAcceptableReason::Media => {
            let streams = match is_list {
                true => ", application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch",
                false => "",
            };
            not_acceptable_except(&format!("{OBJECT_MEDIA_TYPES}{streams}"))
        }
    })
}

/// Refuses `PartialObjectMetadata` for a list, and `PartialObjectMetadataList` for an object (HT-044).
pub(crate) fn check_transform(form: ResponseForm, kind: Kind, is_list: bool) -> Result<(), ApiError> {
    check_transform_of_type(form, &crate::object_json::go_type(kind, is_list), is_list)
}

/// Like [`check_transform`], for a Go type that is not a kind of stored objects.
pub(crate) fn check_transform_of_type(form: ResponseForm, go_type: &str, is_list: bool) -> Result<(), ApiError> {
    match form.shape {
        ResponseShape::Partial { is_list: wants } if wants != is_list => {
            let (requested, found) = match is_list {
                true => ("PartialObjectMetadata", "a list"),
                false => ("PartialObjectMetadataList", "not a list"),
            };
            let message = format!("you requested {requested}, but the requested object is {found} ({go_type})");
            Err(not_acceptable(message, false))
        }
        _ => Ok(()),
    }
}

/// Returns whether the response is indented (HT-047).
pub(crate) fn is_pretty(request: &HttpRequest) -> bool {
    let query = podscope_kubectl::rest::Query::of(request.path.split_once('?').map_or("", |(_, query)| query));
    match query.get("pretty") {
        Some(_) => query.is_true("pretty"),
        None => {
            let agent = request.header("user-agent").unwrap_or_default();
            ["curl", "Wget", "Mozilla/5.0"]
                .iter()
                .any(|known| agent.starts_with(known))
        }
    }
}

/// Handles a request.
///
/// # Errors
/// The API server does not run, or it did not answer.
pub(crate) async fn answer(request: HttpRequest, engine: EngineHandle) -> Result<Reply, ConnectionClosed> {
    let path = request.path.split('?').next().unwrap_or_default().to_owned();
    if path.starts_with("/podscope/") {
        return podscope_v1::answer(&request, &engine)
            .await
            .map_err(|_| ConnectionClosed);
    }
    // A crashed API server does not accept connections.
    if !engine.board.snapshot().control_plane.0 {
        return Err(ConnectionClosed);
    }
    let accept_header = request.header("accept").unwrap_or_default().to_owned();
    let answered = match authenticate::user_of_request(&request, &engine.board.snapshot()) {
        Ok(_) => dispatch(&request, &path, &engine).await,
        Err(error) => Err(error.into()),
    };
    match answered {
        Ok(reply) => Ok(reply),
        Err(Failure::Error(error)) => Ok(error_reply_in_form(&accept_header, &error)),
        Err(Failure::ConnectionClosed) => Err(ConnectionClosed),
    }
}

async fn dispatch(request: &HttpRequest, path: &str, engine: &EngineHandle) -> HandlerResult {
    match path.trim_start_matches('/').split('/').next().unwrap_or_default() {
        "api" | "apis" => answer_api(request, path, engine).await,
        _ => answer_non_resource(request, path, &engine.board.snapshot()),
    }
}

/// Formats an error in the requested form, if that is possible for errors.
fn error_reply_in_form(accept: &str, error: &ApiError) -> Reply {
    match negotiate_form(Some(accept), OfferedForms::Objects) {
        Ok(form) if form.media != Media::Json && error.code != 406 => {
            Reply::value(error.code, &crate::status::of(error), form, false)
        }
        _ => Reply::error(error),
    }
}

/// Responds to paths that are not resources: health checks, version, OpenAPI.
fn answer_non_resource(request: &HttpRequest, path: &str, snapshot: &Snapshot) -> HandlerResult {
    let is_read = request.method == "GET";
    let objects = &snapshot.objects;
    if let Some(reply) = health::answer(request, path, snapshot.control_plane.1) {
        return Ok(reply);
    }
    let path = if path.len() > 1 {
        path.trim_end_matches('/')
    } else {
        path
    };
    Ok(match path {
        "/version" if !is_read => return Err(ApiError::method_not_allowed().into()),
        "/version" => {
            check_accepted(request, JSON)?;
            Reply::value(200, &resources::version_response(), ResponseForm::JSON, true)
        }
        "/" => Reply::value(
            200,
            &serde_json::json!({"paths": served_paths(objects)}),
            ResponseForm::JSON,
            true,
        ),
        openid::CONFIGURATION_PATH | openid::KEYS_PATH if is_read => return openid::answer(request, path),
        "/openapi/v2" if is_read => openapi::answer_v2(request, objects),
        path if path.starts_with("/openapi/v3") && is_read => openapi::answer(request, path, objects),
        path if path.starts_with("/version/") => return Err(ApiError::no_such_resource().into()),
        _ => Reply::page_not_found(),
    })
}

/// Returns the served paths in alphabetical order.
fn served_paths(objects: &Objects) -> Vec<String> {
    let own = [
        openid::CONFIGURATION_PATH,
        openid::KEYS_PATH,
        "/api",
        "/api/v1",
        "/apis",
        "/apis/",
        "/openapi/v2",
        "/openapi/v3",
        "/openapi/v3/",
        "/version",
    ];
    let mut paths = health::endpoint_and_check_paths();
    paths.extend(own.map(String::from));
    let all = resources::all_resources(objects);
    for resource in all.iter().filter(|resource| resource.api_version != "v1") {
        let path = format!("/apis/{}", resource.api_version);
        let group = path.rsplit_once('/').map_or("", |(group, _)| group).to_owned();
        paths.extend([group, path]);
    }
    paths.sort_unstable();
    paths.dedup();
    paths
}

/// Responds to paths below `/api` and `/apis`: discovery or resources.
async fn answer_api(request: &HttpRequest, path: &str, engine: &EngineHandle) -> HandlerResult {
    let parts: Vec<&str> = path.trim_end_matches('/').split('/').skip(1).collect();
    let snapshot = engine.board.snapshot();
    let objects = &snapshot.objects;
    let discovered = match parts.as_slice() {
        ["api"] => Some(answer_discovery(request, true, objects)?),
        ["apis"] => Some(answer_discovery(request, false, objects)?),
        ["api", version] => Some(resource_list(request, version, None, objects)?),
        ["apis", group] => Some(match resources::has_group(group, objects) {
            true => reply_in_negotiated_form(request, &resources::api_group_response(group, objects))?,
            false => Reply::page_not_found(),
        }),
        ["apis", group, version] => Some(resource_list(request, version, Some(group), objects)?),
        // 404 for every method: no handler has the path, e.g. because the definition of the group was deleted.
        ["apis", group, ..] if !resources::has_group(group, objects) => return Ok(Reply::page_not_found()),
        _ => None,
    };
    if let Some(reply) = discovered {
        return match request.method.as_str() {
            "GET" | "HEAD" => Ok(reply),
            // `/apis/GROUP` accepts every method.
            _ if matches!(parts.as_slice(), ["apis", _]) => Ok(reply),
            _ => Err(ApiError::method_not_allowed().into()),
        };
    }
    let raw = request.path.split('?').next().unwrap_or_default();
    // Names contain no slash, so an encoded slash is invalid. Only the namespace can be empty.
    let has_empty_namespace = raw.starts_with("/api/v1/namespaces//");
    if raw.to_ascii_lowercase().contains("%2f") || raw.contains("//") && !has_empty_namespace {
        return Err(ApiError::no_such_resource().into());
    }
    let found = ApiPath::of(&request.path).ok_or_else(ApiError::no_such_resource)?;
    answer_resource(request, found, engine).await
}

fn reply_in_negotiated_form(request: &HttpRequest, value: &serde_json::Value) -> HandlerResult {
    let form = negotiated_form(request, OfferedForms::Plain, false)?;
    Ok(Reply::value(200, value, form, is_pretty(request)))
}

fn resource_list(request: &HttpRequest, version: &str, group: Option<&str>, objects: &Objects) -> HandlerResult {
    let api_version = match group {
        Some(group) if !resources::has_group(group, objects) => return Ok(Reply::page_not_found()),
        Some(group) => format!("{group}/{version}"),
        None => version.to_owned(),
    };
    let value = resources::api_resource_list_response(&api_version, objects).ok_or_else(ApiError::no_such_resource)?;
    reply_in_negotiated_form(request, &value)
}

/// Responds to discovery in both forms, aggregated or not (HT-095, HT-098).
fn answer_discovery(request: &HttpRequest, is_core: bool, objects: &Objects) -> HandlerResult {
    let form = negotiated_form(request, OfferedForms::Discovery, false)?;
    if let ResponseShape::Discovery { .. } = form.shape {
        let value = resources::aggregated_discovery(is_core, form.shape, objects);
        let text = format!("{value}\n");
        let tag = format!(
            "\"{:016X}\"",
            podscope_api::hash::fnv1a(podscope_api::hash::EMPTY, text.bytes())
        );
        if request.header("if-none-match") == Some(tag.as_str()) {
            return Ok(Reply::new(304, "", "")
                .with_header("ETag", tag)
                .with_header("Vary", "Accept"));
        }
        let kind = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
        return Ok(Reply::new(200, kind, text)
            .with_header("ETag", tag)
            .with_header("Cache-Control", "public")
            .with_header("Vary", "Accept"));
    }
    let value = match is_core {
        true => resources::api_versions_response(request.header("host").unwrap_or_default()),
        false => resources::api_group_list_response(objects),
    };
    let reply = Reply::value(200, &value, form, is_pretty(request));
    Ok(reply.with_header("Vary", "Accept"))
}

/// Dispatches a request for a resource.
async fn answer_resource(request: &HttpRequest, path: ApiPath, engine: &EngineHandle) -> HandlerResult {
    let snapshot = engine.board.snapshot();
    let known = resources::find(&path.api_version, &path.resource, &path.subresource, &snapshot.objects);
    let group = path.api_version.split_once('/').map_or("", |(group, _)| group);
    if known.is_none() && resources::is_custom_group(group) {
        return match snapshot.objects.served_resource(&path.api_version, &path.resource) {
            Some(kind) => Err(no_subresource(kind, &path.name).into()),
            None => Ok(Reply::page_not_found()),
        };
    }
    let known = &*known.ok_or_else(ApiError::no_such_resource)?;
    check_scope_and_method(request, &path, known)?;
    if matches!(path.name.as_str(), "." | "..") {
        let why = format!("Name parameter invalid: {:?}: may not be '{}'", path.name, path.name);
        return Err(ApiError::bad_request(why).into());
    }
    let request = &with_json_body(request, known)?;
    if let Some(answered) = reviews::answer(request, &path, engine) {
        return answered;
    }
    // Errors also carry the warning about a deprecated version.
    let reply = match answer_stored(request, &path, known, engine).await {
        Err(Failure::Error(error)) => error_reply_in_form(request.header("accept").unwrap_or_default(), &error),
        answered => answered?,
    };
    let is_endpoints = path.api_version == "v1" && path.resource == "endpoints";
    let of_version = known
        .custom_kind()
        .and_then(|kind| object_json::deprecation_warning(kind, &snapshot.objects));
    Ok(match (is_endpoints, of_version) {
        (true, _) => reply.with_warnings(&[DEPRECATED_ENDPOINTS.to_owned()]),
        (_, Some(warning)) => reply.with_warnings(&[warning]),
        _ => reply,
    })
}

/// Converts a protobuf body to JSON.
fn with_json_body<'a>(request: &'a HttpRequest, known: &Resource) -> Result<Cow<'a, HttpRequest>, ApiError> {
    let is_protobuf = |kind: &str| kind.starts_with("application/vnd.kubernetes.protobuf");
    if !request.header("content-type").is_some_and(is_protobuf) {
        return Ok(Cow::Borrowed(request));
    }
    let mut request = request.clone();
    if !request.body.is_empty() {
        let value = protobuf::decode(&request.body).map_err(|why| {
            let shown: String = request.body.iter().take(30).map(|byte| format!("{byte:02x}")).collect();
            let more = if request.body.len() > 30 { " ..." } else { "" };
            ApiError::bad_request(format!(
                "the object provided is unrecognized (must be of type {}): {why} ({shown}{more})",
                known.kind
            ))
        })?;
        request.body = value.to_string().into();
    }
    request
        .headers
        .insert("content-type", HeaderValue::from_static("application/json"));
    Ok(Cow::Owned(request))
}

/// Dispatches a request for stored objects.
async fn answer_stored(
    request: &HttpRequest,
    path: &ApiPath,
    known: &Resource,
    engine: &EngineHandle,
) -> HandlerResult {
    let is_get = request.method == "GET";
    if path.api_version == metrics::VERSION {
        return metrics::answer(path, engine).await;
    }
    if path.api_version == "v1" && path.resource == "bindings" {
        return write::binding(request, path, engine).await;
    }
    if known.kind == "ComponentStatus" {
        return components::answer(request, path, engine);
    }
    let Some((served, kind)) = known.served_and_stored_kind() else {
        return read::answer_without_objects(request, path, known);
    };
    match path.subresource.as_str() {
        "log" => return logs::log(request, path, engine).await,
        "exec" | "attach" | "portforward" | "proxy" => return logs::refuse_unsimulated_subresource(path, kind, engine),
        _ => {}
    }
    let is_collection = path.name.is_empty();
    let resource_request = ResourceRequest {
        http: request,
        path,
        served,
        kind,
        engine,
    };
    match is_get {
        true if is_collection && (path.is_watch || path.query.is_true("watch")) => watch::watch(resource_request),
        // The deprecated watch path with a name watches one object.
        true if path.is_watch => watch::watch(resource_request),
        true if is_collection => read::list(resource_request),
        true => read::get(resource_request),
        false => write::write(resource_request).await,
    }
}

/// Checks that the path matches the resource's scope, and that the resource supports the method (HT-019 to HT-022).
fn check_scope_and_method(request: &HttpRequest, path: &ApiPath, known: &Resource) -> Result<(), ApiError> {
    let is_named = !path.name.is_empty();
    let has_namespace = !path.namespace.is_empty();
    if has_namespace && !known.is_namespaced || !has_namespace && known.is_namespaced && is_named {
        return Err(ApiError::no_such_resource());
    }
    if !path.rest.is_empty() && path.subresource != "proxy" {
        return Err(ApiError::no_such_resource());
    }
    let verb = match (request.method.as_str(), is_named) {
        ("GET", true) => "get",
        ("GET", false) => "list",
        ("POST", _) => "create",
        ("PUT", true) => "update",
        ("PATCH", true) => "patch",
        ("DELETE", true) => "delete",
        ("DELETE", false) if !has_namespace && known.is_namespaced => "",
        ("DELETE", false) => "deletecollection",
        _ => "",
    };
    let is_whole = path.subresource.is_empty();
    let is_misplaced = verb == "create" && is_whole && (is_named || known.is_namespaced && !has_namespace)
        || verb == "create" && !is_whole && !is_named;
    if is_misplaced || !known.verbs.contains(&verb) {
        return Err(ApiError::method_not_allowed());
    }
    Ok(())
}
