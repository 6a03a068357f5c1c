//! Errors of commands that fail before a request is sent: kubectl's own errors, and the API server's answers to
//! requests that are certain to be rejected.

use podscope_api::schema::Rejection;
use podscope_api::{Kind, Object};
use podscope_cluster::ApiError;
use podscope_cluster::client::{ErrorContext, error_text};

/// The reason why a command fails. `Display` gives the text that kubectl prints.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// kubectl's own error: printed after `error: `, unless several errors are printed together (KC-116).
    KubectlError(String),
    /// A text that is printed without a prefix: the server's answer, or several errors in one.
    AsIs(String),
}

impl Refusal {
    pub(crate) fn kubectl_error(why: impl Into<String>) -> Refusal {
        Refusal::KubectlError(why.into())
    }

    pub(crate) fn as_is(text: impl Into<String>) -> Refusal {
        Refusal::AsIs(text.into())
    }

    /// Returns the text without the prefix `error: `, for a list of several errors.
    pub(crate) fn without_prefix(self) -> String {
        match self {
            Refusal::KubectlError(text) | Refusal::AsIs(text) => text,
        }
    }
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Refusal::KubectlError(why) => write!(f, "error: {why}"),
            Refusal::AsIs(text) => f.write_str(text),
        }
    }
}

impl From<Refusal> for String {
    fn from(refusal: Refusal) -> String {
        refusal.to_string()
    }
}

/// The server's error for a path that it does not have.
pub(crate) const NO_SUCH_RESOURCE: &str =
    "Error from server (NotFound): the server could not find the requested resource";

/// The server's error for a method that the path does not support.
pub(crate) const METHOD_NOT_ALLOWED: &str =
    "Error from server (MethodNotAllowed): the server does not allow this method on the requested resource";

/// Converts an error of the server to the text that kubectl prints.
pub(crate) fn api_error(error: ApiError) -> Refusal {
    Refusal::AsIs(error_text(&error, &ErrorContext::None))
}

/// Returns the server's error for a subresource that an object does not have.
pub(crate) fn no_subresource(object: &Object) -> Refusal {
    api_error(crate::rest::no_subresource(object.kind(), &object.metadata().name))
}

/// Returns the server's error for an object that does not exist.
pub(crate) fn not_found(kind: Kind, name: &str) -> Refusal {
    Refusal::AsIs(error_text(&ApiError::not_found(kind, name), &ErrorContext::None))
}

/// Returns kubectl's error about a manifest whose kind the server does not serve.
pub(crate) fn no_mapping(name: &str, namespace: &str, api_version: &str, kind: &str) -> String {
    format!(
        "resource mapping not found for name: {name:?} namespace: {namespace:?} from \"STDIN\": {}\nensure CRDs are installed first",
        podscope_api::no_matches_message(api_version, kind)
    )
}

/// Returns the server's error for an invalid request.
pub(crate) fn bad_request(why: impl Into<String>) -> Refusal {
    Refusal::AsIs(error_text(&ApiError::bad_request(why), &ErrorContext::None))
}

/// Returns the server's error for an object that it cannot decode.
pub(crate) fn undecodable(kind: Kind, why: &Rejection) -> Refusal {
    Refusal::AsIs(error_text(&ApiError::undecodable(kind, why), &ErrorContext::None))
}

/// Returns the server's conflict error: the object does not have the resourceVersion of the request.
pub(crate) fn version_conflict(object: &Object) -> Refusal {
    api_error(ApiError::stale(object.kind(), &object.metadata().name))
}
