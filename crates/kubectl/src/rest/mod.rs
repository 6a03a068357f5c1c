//! Translates HTTP requests of programs into requests of the simulation. `path` parses URLs, `body` decodes bodies, and
//! `options` parses query parameters; `patch`, `delete` and `subresource` handle one kind of write each. Sockets are
//! not handled here: `podscope serve` passes an [`ApiCall`] to a session, which records it with its time, so that the
//! run can be replayed, shared and rewound.
//!
//! Deviation: a call is decoded when it is sent, not when it arrives. The stored object is read when the call arrives.

mod body;
pub(crate) mod custom;
mod delete;
mod duplicates;
mod event;
mod options;
mod patch;
mod path;
mod subresource;

use podscope_api::schema::{self, ServedKind};
use podscope_api::{Kind, ObjectKey};
use podscope_cluster::{ApiError, Objects, Part, Request};

pub use custom::ScalePaths;
pub(crate) use delete::deleted_kind_and_options;
pub use delete::{Selectors, integer_parameter, limit, selected};
pub use path::{ApiPath, Query};

/// The method of a request that can write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    Post,
    Put,
    Patch,
    Delete,
}

impl Method {
    pub const ALL: [Method; 4] = [Method::Post, Method::Put, Method::Patch, Method::Delete];

    /// Returns the name of the method in HTTP.
    pub const fn as_str(self) -> &'static str {
        match self {
            Method::Post => "POST",
            Method::Put => "PUT",
            Method::Patch => "PATCH",
            Method::Delete => "DELETE",
        }
    }

    /// Returns the method with this HTTP name.
    pub fn named(name: &str) -> Option<Method> {
        Method::ALL.into_iter().find(|method| method.as_str() == name)
    }
}

/// An HTTP request to the API server that can write, as it was sent.
#[derive(Debug, Clone, PartialEq)]
pub struct ApiCall {
    pub method: Method,
    /// Path with query parameters: `/api/v1/namespaces/default/pods?fieldManager=kubectl`.
    pub path: String,
    /// Content-Type of the body; empty if the request had none.
    pub content_type: String,
    /// JSON or YAML. Invariant: ends with a line break, or is empty, so that it can be a here-document of a command.
    pub body: String,
}

impl ApiCall {
    /// Creates a call; appends a line break to the body if it lacks one.
    pub fn new(method: Method, path: impl Into<String>, content_type: impl Into<String>, body: &str) -> Self {
        let mut body = body.to_owned();
        if !body.is_empty() && !body.ends_with('\n') {
            body.push('\n');
        }
        Self {
            method,
            path: path.into(),
            content_type: content_type.into(),
            body,
        }
    }

    /// Returns the media type of the body, without parameters.
    fn media_type(&self) -> &str {
        self.content_type.split(';').next().unwrap_or_default().trim()
    }
}

/// The requests to the simulated API server that a call of the HTTP API causes, and its warnings.
#[derive(Debug, Default)]
pub struct TranslatedCall {
    /// Requests that arrive at the API server together.
    pub requests: Vec<Request>,
    /// Texts of `Warning` headers that are known before the API server answers.
    pub warnings: Vec<String>,
}

/// The object or collection that a call addresses.
#[derive(Debug, Clone)]
struct Target {
    /// The kind in the version of the URL.
    served: ServedKind,
    /// The kind in which the objects are stored.
    kind: Kind,
    /// Namespace and name; the name is empty for a collection, the namespace for all namespaces.
    key: ObjectKey,
    subresource: String,
}

impl Target {
    /// Resolves a path.
    ///
    /// # Errors
    /// The resource does not exist.
    fn of(path: &ApiPath, objects: &Objects) -> Result<Target, ApiError> {
        let found = served_resource(&path.api_version, &path.resource, objects);
        let (served, kind) = found.ok_or_else(ApiError::no_such_resource)?;
        Ok(Target {
            served,
            kind,
            key: ObjectKey::new(path.namespace.as_str(), path.name.as_str()),
            subresource: path.subresource.clone(),
        })
    }

    fn is_collection(&self) -> bool {
        self.key.name.is_empty()
    }
}

/// Finds a resource, including custom resources: the served kind, and the kind in which its objects are stored.
pub fn served_resource(api_version: &str, plural: &str, objects: &Objects) -> Option<(ServedKind, Kind)> {
    if let Some(served) = schema::served_resource(api_version, plural) {
        return Some((served, stored_kind(served)?));
    }
    let kind = objects.served_resource(api_version, plural)?;
    Some((schema::served_custom_kind(kind), kind))
}

/// Returns the kind in which objects of a served version are stored.
pub fn stored_kind(served: ServedKind) -> Option<Kind> {
    let (version, kind) = (served.api_version, served.kind);
    let other = || podscope_api::stored_form(version, kind, || serde_json::json!({})).map(|(kind, _)| kind);
    Kind::from_wire(version, kind).or_else(other)
}

/// Translates a call, given the objects at the time of sending. A call that the API server refuses before it reads its
/// store also becomes a request, because its result is different while the API server is down.
pub fn translate(call: &ApiCall, objects: &Objects) -> TranslatedCall {
    let path = ApiPath::of(&call.path);
    let target = path
        .as_ref()
        .ok_or_else(ApiError::no_such_resource)
        .and_then(|path| Target::of(path, objects));
    let (path, target) = match (path, target) {
        (Some(path), Ok(target)) => (path, target),
        (_, found) => {
            let error = found.err().unwrap_or_else(ApiError::no_such_resource);
            return refused_call(Kind::Namespace, ObjectKey::new("", ""), error);
        }
    };
    match translate_call(call, &path, &target, objects) {
        Ok(sent) => sent,
        Err(error) => refused_call(target.kind, target.key, error),
    }
}

/// Returns a request that the API server refuses with this error.
fn refused_call(kind: Kind, key: ObjectKey, error: ApiError) -> TranslatedCall {
    let error = Box::new(error);
    TranslatedCall {
        requests: vec![Request::Refused { kind, key, error }],
        warnings: Vec::new(),
    }
}

/// Translates a call whose path names a served resource.
fn translate_call(
    call: &ApiCall,
    path: &ApiPath,
    target: &Target,
    objects: &Objects,
) -> Result<TranslatedCall, ApiError> {
    let query = &path.query;
    let mut options = options::Options::of(call.method, query)?;
    if target.subresource == "ephemeralcontainers" {
        subresource::refuse_ephemeral_containers(target, objects)?;
    }
    let mut translated = match (call.method, target.subresource.as_str()) {
        (Method::Delete, "") => delete::translate_delete(call, query, target, &mut options, objects)?,
        (Method::Patch, _) => patch::translate_patch(call, target, &options, objects)?,
        (Method::Post, "binding") => subresource::translate_binding(call, target)?,
        (Method::Post, "eviction") => subresource::translate_eviction(call, target, &mut options)?,
        (Method::Put, "scale") => subresource::translate_put_scale(call, target, &options, objects)?,
        (Method::Put, "finalize") if target.kind == Kind::Namespace => subresource::translate_finalize(call, target)?,
        (Method::Post, "") if target.is_collection() => translate_create(call, target, &options, objects)?,
        (Method::Put, subresource) if !target.is_collection() => {
            let part = part_of_subresource(target.kind, subresource, objects).ok_or_else(ApiError::no_such_resource)?;
            translate_put(call, target, part, &options, objects)?
        }
        _ => return Err(ApiError::method_not_allowed()),
    };
    if options.is_dry_run {
        translated.requests = translated.requests.into_iter().map(options::as_dry_run).collect();
    }
    Ok(translated)
}

/// Returns the part of an object that a write to the subresource changes; `None` if the subresource does not exist.
fn part_of_subresource(kind: Kind, subresource: &str, objects: &Objects) -> Option<Part> {
    match subresource {
        "" => Some(Part::Main),
        "status" if matches!(kind, Kind::Custom(_)) => {
            let has_status = objects.with_version(kind, |version| version.has_status());
            has_status.unwrap_or(false).then_some(Part::Status)
        }
        "status" | "approval" => Some(Part::Status),
        "resize" if kind == Kind::Pod => Some(Part::Resize),
        "ephemeralcontainers" if kind == Kind::Pod => Some(Part::EphemeralContainers),
        _ => None,
    }
}

/// Returns the server's error for a subresource that an object does not have.
#[must_use]
pub fn no_subresource(kind: Kind, name: &str) -> ApiError {
    match kind {
        Kind::Custom(_) => ApiError::not_found(kind, name),
        _ => ApiError::no_such_resource(),
    }
}

/// Translates a POST that creates an object.
fn translate_create(
    call: &ApiCall,
    target: &Target,
    options: &options::Options,
    objects: &Objects,
) -> Result<TranslatedCall, ApiError> {
    let sent = body::decode_with_duplicates(call, target.served.kind)?;
    Ok(match body::read_body(&sent, target, options, objects)? {
        body::BodyObject::Object { mut object, warnings } => {
            // Clients that create a copy of an object may send the resourceVersion "0".
            if &*object.metadata().resource_version == "0" {
                object.metadata_mut().resource_version = Default::default();
            }
            event::check_sent_event(target, &object, objects)?;
            options.set_field_manager(&mut object);
            TranslatedCall {
                requests: vec![Request::Create(object)],
                warnings,
            }
        }
        body::BodyObject::Malformed(request) => TranslatedCall {
            requests: vec![request],
            warnings: Vec::new(),
        },
    })
}

/// Returns whether a PUT creates a missing object of the kind (`AllowCreateOnUpdate`).
fn is_created_on_update(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Event
            | Kind::Lease
            | Kind::Endpoints
            | Kind::LimitRange
            | Kind::Role
            | Kind::RoleBinding
            | Kind::ClusterRole
            | Kind::ClusterRoleBinding
    )
}

/// Translates a PUT of an object or of a subresource such as `status`.
fn translate_put(
    call: &ApiCall,
    target: &Target,
    part: Part,
    options: &options::Options,
    objects: &Objects,
) -> Result<TranslatedCall, ApiError> {
    let sent = body::decode_with_duplicates(call, target.served.kind)?;
    body::check_name(&sent.value, &target.key.name)?;
    let is_there = objects.get_kind(target.kind, &target.key).is_some();
    Ok(match body::read_body(&sent, target, options, objects)? {
        body::BodyObject::Object { mut object, warnings } => {
            let version = object.metadata().resource_version.clone();
            if &*version == "0" {
                object.metadata_mut().resource_version = Default::default();
            } else if !version.is_empty() && version.parse::<u64>().is_err() {
                let why = format!("strconv.ParseUint: parsing {version:?}: invalid syntax");
                return Err(ApiError::without_reason(why));
            }
            event::check_sent_event(target, &object, objects)?;
            let is_made = !is_there && part == Part::Main && is_created_on_update(target.kind);
            match is_made {
                true => options.set_field_manager(&mut object),
                false => options.set_field_managers_of_replacement(&mut object, &sent.value),
            }
            TranslatedCall {
                requests: vec![if is_made {
                    Request::Create(object)
                } else {
                    Request::Update(object, part)
                }],
                warnings,
            }
        }
        body::BodyObject::Malformed(request) => TranslatedCall {
            requests: vec![request],
            warnings: Vec::new(),
        },
    })
}
