//! `/.well-known/openid-configuration` and `/openid/v1/jwks`: the issuer of the tokens of ServiceAccounts, and its
//! keys.
//!
//! Deviation: there are no keys, because tokens are not signed (`authenticate`).

use serde_json::json;

use crate::http::{HttpRequest, JSON, Reply};
use crate::route::{HandlerResult, check_accepted};

pub(crate) const CONFIGURATION_PATH: &str = "/.well-known/openid-configuration";
pub(crate) const KEYS_PATH: &str = "/openid/v1/jwks";
const KEYS_MEDIA_TYPE: &str = "application/jwk-set+json";

pub(crate) fn answer(request: &HttpRequest, path: &str) -> HandlerResult {
    let content_type = if path == KEYS_PATH { KEYS_MEDIA_TYPE } else { JSON };
    check_accepted(request, content_type)?;
    let host = request.header("host").unwrap_or_default();
    let value = match path {
        KEYS_PATH => json!({"keys": []}),
        _ => json!({
            "issuer": "https://kubernetes.default.svc",
            "jwks_uri": format!("{}://{host}{KEYS_PATH}", request.scheme),
            "response_types_supported": ["id_token"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"],
        }),
    };
    Ok(Reply::new(200, content_type, value.to_string()).with_header("Cache-Control", "public, max-age=3600"))
}
