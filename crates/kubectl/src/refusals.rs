//! What the server would say to a request that is not sent, because its answer is known: printed as kubectl prints it.

use podscope_api::schema::Rejection;
use podscope_api::{Kind, Object};
use podscope_cluster::ApiError;
use podscope_cluster::client::{ErrorContext, error_text};

/// Why a command does not do what was asked; printed it is a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// kubectl's own reason: it stands behind `error: `, unless several are told at once (KC-116).
    Own(String),
    /// What is always told as it is: the server's answer, or several reasons in one.
    Told(String),
}

impl Refusal {
    pub(crate) fn own(why: impl Into<String>) -> Refusal {
        Refusal::Own(why.into())
    }

    pub(crate) fn told(text: impl Into<String>) -> Refusal {
        Refusal::Told(text.into())
    }

    /// The text where it is told with others.
    pub(crate) fn among_others(self) -> String {
        match self {
            Refusal::Own(text) | Refusal::Told(text) => text,
        }
    }
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Refusal::Own(why) => write!(f, "error: {why}"),
            Refusal::Told(text) => f.write_str(text),
        }
    }
}

impl From<Refusal> for String {
    fn from(refusal: Refusal) -> String {
        refusal.to_string()
    }
}

/// The server has no such path.
pub(crate) const NO_SUCH_RESOURCE: &str =
    "Error from server (NotFound): the server could not find the requested resource";

/// The path is there, and this is not done with it.
pub(crate) const NOT_ALLOWED: &str =
    "Error from server (MethodNotAllowed): the server does not allow this method on the requested resource";

/// There is no such object.
pub(crate) fn not_found(kind: Kind, name: &str) -> Refusal {
    Refusal::Told(error_text(&ApiError::not_found(kind, name), &ErrorContext::None))
}

/// An object of standard input whose kind the server does not serve.
pub(crate) fn no_mapping(name: &str, namespace: &str, api_version: &str, kind: &str) -> String {
    format!(
        "resource mapping not found for name: {name:?} namespace: {namespace:?} from \"STDIN\": {}\nensure CRDs are installed first",
        podscope_api::no_matches(api_version, kind)
    )
}

/// A request that the server cannot take.
pub(crate) fn bad_request(why: impl Into<String>) -> Refusal {
    Refusal::Told(error_text(&ApiError::bad_request(why), &ErrorContext::None))
}

/// An object that the server cannot read.
pub(crate) fn undecodable(kind: Kind, why: &Rejection) -> Refusal {
    Refusal::Told(error_text(&ApiError::undecodable(kind, why), &ErrorContext::None))
}

/// The object is another version than the one that was named.
pub(crate) fn stale(object: &Object) -> Refusal {
    Refusal::Told(error_text(&stale_error(object), &ErrorContext::None))
}

/// The same, as the server tells it.
pub(crate) fn stale_error(object: &Object) -> ApiError {
    ApiError::stale(object.kind(), &object.metadata().name)
}
