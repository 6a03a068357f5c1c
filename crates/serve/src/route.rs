//! Dispatches requests to the modules that answer them.

use std::borrow::Cow;

use hyper::header::HeaderValue;
use podscope_api::{DEPRECATED_ENDPOINTS, Kind};
use podscope_cluster::{ApiError, Objects, StatusReason};
use podscope_kubectl::rest::{ApiPath, no_subresource};

use crate::board::Snapshot;
use crate::engine::{Door, Gone};
use crate::http::{Asked, Cut, JSON, Reply};
use crate::negotiate::{Form, Media, Offer, Refused, Shape, form};
use crate::resources::{self, Resource};
use crate::{
    authenticate, components, health, logs, metrics, openapi, openid, own, protobuf, read, reviews, value, watch, write,
};

/// The reason why a request fails.
#[derive(Debug)]
pub(crate) enum Failure {
    Error(Box<ApiError>),
    /// The API server does not run, so there is no response.
    Cut,
}

impl From<ApiError> for Failure {
    fn from(error: ApiError) -> Failure {
        // Code 0 means that no answer arrived.
        if error.code == 0 {
            Failure::Cut
        } else {
            Failure::Error(Box::new(error))
        }
    }
}

impl From<Gone> for Failure {
    fn from(_: Gone) -> Failure {
        Failure::Cut
    }
}

pub(crate) type Answered = Result<Reply, Failure>;

/// The error 406 (HT-030).
fn not_acceptable(message: String, has_details: bool) -> ApiError {
    ApiError {
        code: 406,
        reason: StatusReason::NotAcceptable,
        resource: has_details.then(Default::default),
        ..ApiError::bad_request(message)
    }
}

const TYPES: &str = "application/json, application/yaml, application/vnd.kubernetes.protobuf";

/// The error 406 of a route that serves only these media types.
fn not_acceptable_of(types: &str) -> ApiError {
    let message = format!("406: Not Acceptable\n\nAvailable representations: {types}");
    not_acceptable(message, true)
}

/// Checks that a client accepts the only media type of a route outside the resources.
pub(crate) fn accepts(asked: &Asked, content_type: &str) -> Result<(), ApiError> {
    let accept = asked.header("accept").unwrap_or_default();
    let mut accepted = accept
        .split(',')
        .map(|clause| clause.split(';').next().unwrap_or_default().trim());
    match accept.is_empty() || accepted.any(|media| media == "*/*" || media == content_type) {
        true => Ok(()),
        false => Err(not_acceptable_of(content_type)),
    }
}

/// The error 406 for a media type that can be served, but not for this response.
pub(crate) fn not_acceptable_media() -> ApiError {
    not_acceptable(format!("only the following media types are accepted: {TYPES}"), false)
}

/// Negotiates the form of the response.
pub(crate) fn wanted(asked: &Asked, offer: Offer, is_list: bool) -> Result<Form, ApiError> {
    form(asked.header("accept"), offer).map_err(|refused| match refused {
        Refused::Transform => not_acceptable_media(),
        Refused::Media => {
            let streams = match is_list {
                true => ", application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch",
                false => "",
            };
            not_acceptable_of(&format!("{TYPES}{streams}"))
        }
    })
}

/// Refuses `PartialObjectMetadata` for a list, and `PartialObjectMetadataList` for an object (HT-044).
pub(crate) fn fits(form: Form, kind: Kind, is_list: bool) -> Result<(), ApiError> {
    fits_name(form, &crate::value::go_type(kind, is_list), is_list)
}

/// Like [`fits`], for a type that is no kind of stored objects.
pub(crate) fn fits_name(form: Form, go_type: &str, is_list: bool) -> Result<(), ApiError> {
    match form.shape {
        Shape::Partial { is_list: wants } if wants != is_list => {
            let (asked, found) = match is_list {
                true => ("PartialObjectMetadata", "a list"),
                false => ("PartialObjectMetadataList", "not a list"),
            };
            let message = format!("you requested {asked}, but the requested object is {found} ({go_type})");
            Err(not_acceptable(message, false))
        }
        _ => Ok(()),
    }
}

/// Returns whether the response is indented (HT-047).
pub(crate) fn is_pretty(asked: &Asked, path: &str) -> bool {
    let query = podscope_kubectl::rest::Query::of(path.split_once('?').map_or("", |(_, query)| query));
    match query.get("pretty") {
        Some(_) => query.is_true("pretty"),
        None => {
            let agent = asked.header("user-agent").unwrap_or_default();
            ["curl", "Wget", "Mozilla/5.0"]
                .iter()
                .any(|known| agent.starts_with(known))
        }
    }
}

/// Answers a request.
///
/// # Errors
/// The API server does not answer.
pub(crate) async fn answer(asked: Asked, door: Door) -> Result<Reply, Cut> {
    let path = asked.path.split('?').next().unwrap_or_default().to_owned();
    if path.starts_with("/podscope/") {
        return own::answer(&asked, &door).await.map_err(|_| Cut);
    }
    // A crashed API server does not accept connections.
    if !door.board.snapshot().control_plane.0 {
        return Err(Cut);
    }
    let asked_accept = asked.header("accept").unwrap_or_default().to_owned();
    let answered = match authenticate::user(&asked, &door.board.snapshot()) {
        Ok(_) => dispatch(&asked, &path, &door).await,
        Err(error) => Err(error.into()),
    };
    match answered {
        Ok(reply) => Ok(reply),
        Err(Failure::Error(error)) => Ok(in_form(&asked_accept, &error)),
        Err(Failure::Cut) => Err(Cut),
    }
}

async fn dispatch(asked: &Asked, path: &str, door: &Door) -> Answered {
    match path.trim_start_matches('/').split('/').next().unwrap_or_default() {
        "api" | "apis" => api(asked, path, door).await,
        _ => plain(asked, path, &door.board.snapshot()),
    }
}

/// Formats an error in the requested form, if that is possible for errors.
fn in_form(accept: &str, error: &ApiError) -> Reply {
    match form(Some(accept), Offer::Objects) {
        Ok(form) if form.media != Media::Json && error.code != 406 => {
            Reply::value(error.code, &crate::status::of(error), form, false)
        }
        _ => Reply::error(error),
    }
}

/// Responds to paths that are not resources: health checks, version, OpenAPI.
fn plain(asked: &Asked, path: &str, snapshot: &Snapshot) -> Answered {
    let is_read = asked.method == "GET";
    let objects = &snapshot.objects;
    if let Some(reply) = health::answer(asked, path, snapshot.control_plane.1) {
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
            accepts(asked, JSON)?;
            Reply::value(200, &resources::version(), Form::JSON, true)
        }
        "/" => Reply::value(200, &serde_json::json!({"paths": paths(objects)}), Form::JSON, true),
        openid::CONFIGURATION | openid::KEYS if is_read => return openid::answer(asked, path),
        "/openapi/v2" if is_read => openapi::answer_v2(asked, objects),
        path if path.starts_with("/openapi/v3") && is_read => openapi::answer(asked, path, objects),
        path if path.starts_with("/version/") => return Err(ApiError::no_such_resource().into()),
        _ => Reply::page_not_found(),
    })
}

/// The served paths, in the order of the alphabet.
fn paths(objects: &Objects) -> Vec<String> {
    let own = [
        openid::CONFIGURATION,
        openid::KEYS,
        "/api",
        "/api/v1",
        "/apis",
        "/apis/",
        "/openapi/v2",
        "/openapi/v3",
        "/openapi/v3/",
        "/version",
    ];
    let mut paths = health::paths();
    paths.extend(own.map(String::from));
    let all = resources::with_custom(objects);
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
async fn api(asked: &Asked, path: &str, door: &Door) -> Answered {
    let parts: Vec<&str> = path.trim_end_matches('/').split('/').skip(1).collect();
    let snapshot = door.board.snapshot();
    let objects = &snapshot.objects;
    let discovered = match parts.as_slice() {
        ["api"] => Some(discovery(asked, true, objects)?),
        ["apis"] => Some(discovery(asked, false, objects)?),
        ["api", version] => Some(listed(asked, version, None, objects)?),
        ["apis", group] => Some(match resources::has_group(group, objects) {
            true => negotiated(asked, &resources::group(group, objects))?,
            false => Reply::page_not_found(),
        }),
        ["apis", group, version] => Some(listed(asked, version, Some(group), objects)?),
        // No handler has the path, so the method does not matter: the definition of the group may have been deleted.
        ["apis", group, ..] if !resources::has_group(group, objects) => return Ok(Reply::page_not_found()),
        _ => None,
    };
    if let Some(reply) = discovered {
        return match asked.method.as_str() {
            "GET" | "HEAD" => Ok(reply),
            // Deeper paths below a group accept any method here.
            _ if matches!(parts.as_slice(), ["apis", _]) => Ok(reply),
            _ => Err(ApiError::method_not_allowed().into()),
        };
    }
    let raw = asked.path.split('?').next().unwrap_or_default();
    // Names contain no slash, so an encoded one is invalid.
    let is_anywhere = raw.starts_with("/api/v1/namespaces//");
    if raw.to_ascii_lowercase().contains("%2f") || raw.contains("//") && !is_anywhere {
        return Err(ApiError::no_such_resource().into());
    }
    let found = ApiPath::of(&asked.path).ok_or_else(ApiError::no_such_resource)?;
    resource(asked, found, door).await
}

fn negotiated(asked: &Asked, value: &serde_json::Value) -> Answered {
    let form = wanted(asked, Offer::Plain, false)?;
    Ok(Reply::value(200, value, form, is_pretty(asked, &asked.path)))
}

fn listed(asked: &Asked, version: &str, group: Option<&str>, objects: &Objects) -> Answered {
    let api_version = match group {
        Some(group) if !resources::has_group(group, objects) => return Ok(Reply::page_not_found()),
        Some(group) => format!("{group}/{version}"),
        None => version.to_owned(),
    };
    let value = resources::resources(&api_version, objects).ok_or_else(ApiError::no_such_resource)?;
    negotiated(asked, &value)
}

/// Responds to discovery in both forms, aggregated or not (HT-095, HT-098).
fn discovery(asked: &Asked, is_core: bool, objects: &Objects) -> Answered {
    let form = wanted(asked, Offer::Discovery, false)?;
    if let Shape::Discovery { .. } = form.shape {
        let value = resources::aggregated(is_core, form.shape, objects);
        let text = format!("{value}\n");
        let tag = format!(
            "\"{:016X}\"",
            podscope_api::hash::fnv1a(podscope_api::hash::EMPTY, text.bytes())
        );
        if asked.header("if-none-match") == Some(tag.as_str()) {
            return Ok(Reply::new(304, "", "").with("ETag", tag).with("Vary", "Accept"));
        }
        let kind = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
        return Ok(Reply::new(200, kind, text)
            .with("ETag", tag)
            .with("Cache-Control", "public")
            .with("Vary", "Accept"));
    }
    let value = match is_core {
        true => resources::core_versions(asked.header("host").unwrap_or_default()),
        false => resources::groups(objects),
    };
    let reply = Reply::value(200, &value, form, is_pretty(asked, &asked.path));
    Ok(reply.with("Vary", "Accept"))
}

/// Dispatches a request for a resource.
async fn resource(asked: &Asked, path: ApiPath, door: &Door) -> Answered {
    let snapshot = door.board.snapshot();
    let known = resources::find(&path.api_version, &path.resource, &path.subresource, &snapshot.objects);
    let group = path.api_version.split_once('/').map_or("", |(group, _)| group);
    if known.is_none() && resources::is_custom_group(group) {
        return match snapshot.objects.served_resource(&path.api_version, &path.resource) {
            Some(kind) => Err(no_subresource(kind, &path.name).into()),
            None => Ok(Reply::page_not_found()),
        };
    }
    let known = &*known.ok_or_else(ApiError::no_such_resource)?;
    allowed(asked, &path, known)?;
    if matches!(path.name.as_str(), "." | "..") {
        let why = format!("Name parameter invalid: {:?}: may not be '{}'", path.name, path.name);
        return Err(ApiError::bad_request(why).into());
    }
    let asked = &in_json(asked, known)?;
    if let Some(answered) = reviews::answer(asked, &path, door) {
        return answered;
    }
    // An error has the warnings of a deprecated version, too.
    let reply = match stored(asked, &path, known, door).await {
        Err(Failure::Error(error)) => in_form(asked.header("accept").unwrap_or_default(), &error),
        answered => answered?,
    };
    let is_endpoints = path.api_version == "v1" && path.resource == "endpoints";
    let of_version = known.custom().and_then(|kind| value::warning(kind, &snapshot.objects));
    Ok(match (is_endpoints, of_version) {
        (true, _) => reply.warned(&[DEPRECATED_ENDPOINTS.to_owned()]),
        (_, Some(warning)) => reply.warned(&[warning]),
        _ => reply,
    })
}

/// Converts a protobuf body to JSON.
fn in_json<'a>(asked: &'a Asked, known: &Resource) -> Result<Cow<'a, Asked>, ApiError> {
    let is_protobuf = |kind: &str| kind.starts_with("application/vnd.kubernetes.protobuf");
    if !asked.header("content-type").is_some_and(is_protobuf) {
        return Ok(Cow::Borrowed(asked));
    }
    let mut asked = asked.clone();
    if !asked.body.is_empty() {
        let value = protobuf::decode(&asked.body).map_err(|why| {
            let shown: String = asked.body.iter().take(30).map(|byte| format!("{byte:02x}")).collect();
            let more = if asked.body.len() > 30 { " ..." } else { "" };
            ApiError::bad_request(format!(
                "the object provided is unrecognized (must be of type {}): {why} ({shown}{more})",
                known.kind
            ))
        })?;
        asked.body = value.to_string().into();
    }
    asked
        .headers
        .insert("content-type", HeaderValue::from_static("application/json"));
    Ok(Cow::Owned(asked))
}

/// Dispatches a request for stored objects.
async fn stored(asked: &Asked, path: &ApiPath, known: &Resource, door: &Door) -> Answered {
    let is_get = asked.method == "GET";
    if path.api_version == metrics::VERSION {
        return metrics::answer(path, door).await;
    }
    if path.api_version == "v1" && path.resource == "bindings" {
        return write::binding(asked, path, door).await;
    }
    if known.kind == "ComponentStatus" {
        return components::answer(asked, path, door);
    }
    let Some((served, kind)) = known.stored() else {
        return read::not_stored(asked, path, known);
    };
    match path.subresource.as_str() {
        "log" => return logs::log(asked, path, door).await,
        "exec" | "attach" | "portforward" | "proxy" => return logs::refused(path, kind, door),
        _ => {}
    }
    let is_collection = path.name.is_empty();
    match is_get {
        true if is_collection && (path.is_watch || path.query.is_true("watch")) => {
            watch::watch(asked, path, served, kind, door)
        }
        // The deprecated watch path with a name watches one object.
        true if path.is_watch => watch::watch(asked, path, served, kind, door),
        true if is_collection => read::list(asked, path, served, kind, door),
        true => read::get(asked, path, served, kind, door),
        false => write::write(asked, path, served, kind, door).await,
    }
}

/// Checks that the path matches the resource's scope, and that the resource supports the method (HT-019 to HT-022).
fn allowed(asked: &Asked, path: &ApiPath, known: &Resource) -> Result<(), ApiError> {
    let is_named = !path.name.is_empty();
    let has_namespace = !path.namespace.is_empty();
    if has_namespace && !known.is_namespaced || !has_namespace && known.is_namespaced && is_named {
        return Err(ApiError::no_such_resource());
    }
    if !path.rest.is_empty() && path.subresource != "proxy" {
        return Err(ApiError::no_such_resource());
    }
    let verb = match (asked.method.as_str(), is_named) {
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
