//! Errors of the API server, with the messages of the real one (KC-117).

use podscope_api::{Kind, Object, ObjectKey};
use serde_json::Value;

use crate::{ApiError, Cause};

/// Why a request failed: `metav1.StatusReason`, and failures of the client without a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatusReason {
    /// No reason is given.
    Unknown,
    /// HTTP status 401.
    Unauthorized,
    /// HTTP status 404.
    NotFound,
    /// HTTP status 409 for a create.
    AlreadyExists,
    /// HTTP status 409 for a write.
    Conflict,
    /// HTTP status 422.
    Invalid,
    /// HTTP status 403.
    Forbidden,
    /// HTTP status 400.
    BadRequest,
    /// HTTP status 405.
    MethodNotAllowed,
    /// HTTP status 406.
    NotAcceptable,
    /// HTTP status 410.
    Expired,
    /// HTTP status 415.
    UnsupportedMediaType,
    /// HTTP status 501.
    NotImplemented,
    /// HTTP status 429.
    TooManyRequests,
    /// HTTP status 500.
    InternalError,
    /// HTTP status 504; with code 0 the client's own timeout, when no answer arrived.
    Timeout,
    /// Nothing listens at the server's address. Not a reason of the API server.
    ConnectionRefused,
}

impl StatusReason {
    /// Returns the text in a `Status` and in kubectl's output.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unknown => "",
            Self::Unauthorized => "Unauthorized",
            Self::NotFound => "NotFound",
            Self::AlreadyExists => "AlreadyExists",
            Self::Conflict => "Conflict",
            Self::Invalid => "Invalid",
            Self::Forbidden => "Forbidden",
            Self::BadRequest => "BadRequest",
            Self::MethodNotAllowed => "MethodNotAllowed",
            Self::NotAcceptable => "NotAcceptable",
            Self::Expired => "Expired",
            Self::UnsupportedMediaType => "UnsupportedMediaType",
            Self::NotImplemented => "NotImplemented",
            Self::TooManyRequests => "TooManyRequests",
            Self::InternalError => "InternalError",
            Self::Timeout => "Timeout",
            Self::ConnectionRefused => "ConnectionRefused",
        }
    }
}

impl ApiError {
    fn of(code: u16, reason: StatusReason, message: String) -> Self {
        Self {
            code,
            reason,
            message,
            retry_after_seconds: None,
            causes: Vec::new(),
            about: None,
            resource: None,
            field_conflicts: 0,
        }
    }

    /// Creates an error about an object, given by its resource with group, and its name.
    fn error_about_object(code: u16, reason: StatusReason, (resource, name): (&str, &str), message: String) -> Self {
        Self {
            resource: Some(Box::new((resource.to_owned(), name.to_owned()))),
            ..Self::of(code, reason, message)
        }
    }

    /// Creates error 404: the object does not exist.
    pub fn not_found(kind: Kind, name: &str) -> Self {
        let resource = kind.qualified_plural();
        let message = format!("{resource} {name:?} not found");
        Self::error_about_object(404, StatusReason::NotFound, (&resource, name), message)
    }

    /// Creates error 409 for a create: an object with this name already exists.
    pub fn already_exists(kind: Kind, name: &str) -> Self {
        let resource = kind.qualified_plural();
        let message = format!("{resource} {name:?} already exists");
        Self::error_about_object(409, StatusReason::AlreadyExists, (&resource, name), message)
    }

    /// Creates error 409 for a write that conflicts with the stored object.
    pub fn conflict(kind: Kind, name: &str, why: &str) -> Self {
        Self::conflict_on(&kind.qualified_plural(), name, why)
    }

    /// Creates error 409 for a write to a resource given by name, e.g. `pods/binding`.
    pub fn conflict_on(resource: &str, name: &str, why: &str) -> Self {
        let message = format!("Operation cannot be fulfilled on {resource} {name:?}: {why}");
        Self::error_about_object(409, StatusReason::Conflict, (resource, name), message)
    }

    /// Creates error 409: the resourceVersion is stale (CT-161).
    pub fn stale(kind: Kind, name: &str) -> Self {
        Self::conflict(
            kind,
            name,
            "the object has been modified; please apply your changes to the latest version and try again",
        )
    }

    /// Checks the resourceVersion in a write; without one (`""`) the write is unconditional (CT-161).
    ///
    /// # Errors
    /// Error 409 if the stored object has another resourceVersion.
    pub fn check_resource_version(stored: &Object, written: &str) -> Result<(), Self> {
        let metadata = stored.metadata();
        if written.is_empty() || *written == *metadata.resource_version {
            return Ok(());
        }
        Err(Self::stale(stored.kind(), &metadata.name))
    }

    /// Checks the UID and the resourceVersion in the metadata of a written document; either may be absent.
    ///
    /// # Errors
    /// Error 422 if the stored object has another UID, or error 409 if it has another resourceVersion.
    pub fn check_uid_and_resource_version(stored: &Object, document: &Value) -> Result<(), Self> {
        let text = |field: &str| document.pointer(field).and_then(Value::as_str);
        let metadata = stored.metadata();
        if let Some(uid) = text("/metadata/uid").filter(|uid| **uid != *metadata.uid.as_str()) {
            return Err(Self::immutable_uid(stored.kind(), &metadata.name, uid));
        }
        Self::check_resource_version(stored, text("/metadata/resourceVersion").unwrap_or_default())
    }

    /// Creates error 422 for a write with another UID than the stored one. Its causes list the same cause twice,
    /// because two checks refuse the write: the one for objects of every kind, and the one for this kind. The message
    /// contains it once.
    pub fn immutable_uid(kind: Kind, name: &str, uid: &str) -> Self {
        let message = format!("Invalid value: {uid:?}: field is immutable");
        let cause = || Cause::new("metadata.uid", message.clone()).with_reason("FieldValueInvalid");
        let mut error = Self::invalid_of(&kind.qualified_name(), name, vec![cause()]);
        error.causes.push(cause());
        error
    }

    /// Creates error 409 for a PUT whose UID is not the stored one, as the storage reports it.
    pub fn uid_mismatch_in_storage(kind: Kind, key: &ObjectKey, wanted: &str, stored: &str) -> Self {
        let resource = match kind {
            Kind::Node => "minions",
            Kind::ReplicationController => "controllers",
            Kind::Service => "services/specs",
            Kind::Endpoints => "services/endpoints",
            Kind::Ingress => "ingress",
            kind => kind.plural(),
        };
        let group = match kind {
            Kind::Custom(_) => format!("{}/", kind.group()),
            _ => String::new(),
        };
        let namespace = match &*key.namespace {
            "" => String::new(),
            namespace => format!("{namespace}/"),
        };
        let why = format!(
            "StorageError: invalid object, Code: 4, Key: /registry/{group}{resource}/{namespace}{}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: {wanted}, UID in object meta: {stored}",
            key.name
        );
        Self::conflict(kind, &key.name, &why)
    }

    /// Creates error 409: the UID precondition of a write does not match the stored UID.
    pub fn uid_precondition_failed(resource: &str, name: &str, wanted: &str, stored: &str) -> Self {
        Self::conflict_on(
            resource,
            name,
            &format!("Precondition failed: UID in precondition: {wanted}, UID in object meta: {stored}"),
        )
    }

    /// Creates error 409 for server-side apply; the causes name the conflicting fields and their managers.
    pub fn apply_conflict(message: String, causes: impl Iterator<Item = (String, String)>) -> Self {
        let mut error = Self::of(409, StatusReason::Conflict, message);
        error.causes = causes.map(|(field, text)| Cause::new(field, text)).collect();
        error.field_conflicts = error.causes.len();
        error
    }

    /// Creates error 500 without a reason: an internal error that has no `Status`.
    pub fn without_reason(message: String) -> Self {
        Self::of(500, StatusReason::Unknown, message)
    }

    /// Creates error 403: the write is forbidden.
    pub fn forbidden(kind: Kind, name: &str, why: &str) -> Self {
        let resource = kind.qualified_plural();
        let message = format!("{resource} {name:?} is forbidden: {why}");
        Self::error_about_object(403, StatusReason::Forbidden, (&resource, name), message)
    }

    /// Creates error 422 with all validation errors.
    pub fn invalid(kind: Kind, name: &str, problems: podscope_api::ErrorList) -> Self {
        let mut error = Self::of(422, StatusReason::Invalid, problems.to_status_message(kind, name));
        error.causes = problems.into_iter().map(Cause::from).collect();
        error.about = Some((kind, name.into()));
        error
    }

    /// Creates error 422 for something that is no stored object, e.g. `DeleteOptions.meta.k8s.io` or
    /// `Scale.autoscaling`.
    pub fn invalid_of(what: &str, name: &str, causes: Vec<Cause>) -> Self {
        let line = |cause: &Cause| format!("{}: {}", cause.about, cause.message);
        let list = match causes.as_slice() {
            [one] => line(one),
            several => format!("[{}]", several.iter().map(line).collect::<Vec<_>>().join(", ")),
        };
        let message = format!("{what} {name:?} is invalid: {list}");
        Self {
            causes,
            ..Self::error_about_object(422, StatusReason::Invalid, (what, name), message)
        }
    }

    /// Creates error 422 for a patch that cannot be applied.
    pub fn patch_not_applicable() -> Self {
        let message = "the server rejected our request due to an error in our request";
        Self {
            resource: Some(Default::default()),
            ..Self::of(422, StatusReason::Invalid, message.into())
        }
    }

    /// Creates error 404: the path does not exist.
    pub fn no_such_resource() -> Self {
        let message = "the server could not find the requested resource";
        Self {
            resource: Some(Default::default()),
            ..Self::of(404, StatusReason::NotFound, message.into())
        }
    }

    /// Creates error 405: the resource does not support the method.
    pub fn method_not_allowed() -> Self {
        let message = "the server does not allow this method on the requested resource";
        Self {
            resource: Some(Default::default()),
            ..Self::of(405, StatusReason::MethodNotAllowed, message.into())
        }
    }

    /// Creates error 415; the message lists the accepted media types.
    pub fn unsupported_media_type(message: impl Into<String>) -> Self {
        Self::of(415, StatusReason::UnsupportedMediaType, message.into())
    }

    /// Creates error 400: the API server cannot read the object.
    pub fn undecodable(kind: Kind, why: &podscope_api::schema::Rejection) -> Self {
        let version = kind.api_version().rsplit('/').next().unwrap_or_default();
        let name = kind.name();
        let given = match why {
            podscope_api::schema::Rejection::Unregistered(given, _) => given,
            _ => name,
        };
        Self::bad_request(format!(
            "{given} in version {version:?} cannot be handled as a {name}: {why}"
        ))
    }

    /// Creates error 400: the request is malformed.
    pub fn bad_request(message: impl Into<String>) -> Self {
        Self::of(400, StatusReason::BadRequest, message.into())
    }

    /// Creates error 429 for an eviction that a disruption budget forbids (LC-026).
    pub fn too_many_requests(cause: String, retry_after_seconds: Option<i64>) -> Self {
        let mut error = Self::of(
            429,
            StatusReason::TooManyRequests,
            "Cannot evict pod as it would violate the pod's disruption budget.".into(),
        );
        error.retry_after_seconds = retry_after_seconds;
        error.causes = vec![Cause::new("DisruptionBudget", cause)];
        error
    }

    /// Creates error 429 of an overloaded server, with the message of client-go.
    pub fn overloaded(kind: Kind) -> Self {
        let mut error = Self::of(
            429,
            StatusReason::TooManyRequests,
            format!(
                "the server has received too many requests and has asked us to try again later (post {})",
                kind.qualified_plural()
            ),
        );
        error.retry_after_seconds = Some(1);
        error
    }

    /// Creates error 500: an internal error.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::of(500, StatusReason::InternalError, message.into())
    }

    /// Creates the error of a call without an answer in time. The write may still have happened (CT-155).
    pub fn timeout() -> Self {
        Self::of(0, StatusReason::Timeout, "context deadline exceeded".into())
    }

    /// Creates the error of a refused connection: the API server's process does not run (KC-120).
    pub fn refused_connection() -> Self {
        Self::of(0, StatusReason::ConnectionRefused, Self::refused_by("127.0.0.1:6443"))
    }

    /// Returns kubectl's message about a connection that a server refused.
    pub fn refused_by(server: &str) -> String {
        format!("The connection to the server {server} was refused - did you specify the right host or port?")
    }

    /// Creates error 504: etcd did not answer within the request's deadline.
    pub fn etcd_timeout() -> Self {
        Self::of(
            504,
            StatusReason::Timeout,
            "Timeout: request did not complete within requested timeout - context deadline exceeded".into(),
        )
    }

    /// Adds an entry to the causes of this error (`details.causes`).
    #[must_use]
    pub fn with_cause(mut self, kind: &str, text: &str) -> Self {
        self.causes.push(Cause::new(kind, text));
        self
    }

    /// Returns whether the request failed because the object does not exist.
    pub fn is_not_found(&self) -> bool {
        self.reason == StatusReason::NotFound
    }

    /// Returns whether the request failed because an object with this name already exists.
    pub fn is_already_exists(&self) -> bool {
        self.reason == StatusReason::AlreadyExists
    }

    /// Returns whether the request failed because another write came first or a precondition does not hold.
    pub fn is_conflict(&self) -> bool {
        self.reason == StatusReason::Conflict
    }
}
