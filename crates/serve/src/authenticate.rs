//! Determines the user who sends a request by its bearer token or its impersonation headers (HT-005, HT-119, HT-139).
//!
//! Deviation: a request without credentials is treated as one of `kubernetes-admin`, because clients send no
//! credentials over plain HTTP. A server for other machines has checked its own token before (`access`). Authorization
//! is not simulated: every authenticated user may do everything.

use podscope_api::{Kind, Object, Time, hash};
use podscope_cluster::{ApiError, StatusReason};
use serde_json::{Value, json};

use crate::board::Snapshot;
use crate::http::HttpRequest;

const AUTHENTICATED_GROUP: &str = "system:authenticated";
const UNAUTHENTICATED_GROUP: &str = "system:unauthenticated";
const ANONYMOUS_USER: &str = "system:anonymous";

/// The user who sends a request, as `SelfSubjectReview` and `TokenReview` report it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct User {
    name: String,
    uid: String,
    groups: Vec<String>,
    extra: Vec<(String, Vec<String>)>,
}

impl User {
    fn admin() -> User {
        User {
            name: podscope_kubectl::USER.to_owned(),
            groups: vec!["system:masters".to_owned(), AUTHENTICATED_GROUP.to_owned()],
            ..User::default()
        }
    }

    /// Returns the user in the form in which a review reports it (`userInfo`), without empty fields.
    pub(crate) fn user_info(&self) -> Value {
        let mut info = json!({"username": self.name});
        if !self.uid.is_empty() {
            info["uid"] = self.uid.as_str().into();
        }
        info["groups"] = self.groups.clone().into();
        if !self.extra.is_empty() {
            info["extra"] = self
                .extra
                .iter()
                .map(|(key, values)| (key.clone(), Value::from(values.clone())))
                .collect();
        }
        info
    }
}

fn service_account_groups(namespace: &str) -> Vec<String> {
    vec![
        "system:serviceaccounts".to_owned(),
        format!("system:serviceaccounts:{namespace}"),
    ]
}

/// Creates the token of a ServiceAccount. The token is recognizably fake; it contains the UID of the account and the
/// expiration.
pub(crate) fn create_token(account: &Object, now: Time, expires: Time) -> String {
    format!("podscope.{}.{}.{}", account.metadata().uid, now.0, expires.0)
}

/// Returns the user of a token that this server has issued; None if the token is unknown or has expired, or its account
/// was deleted.
pub(crate) fn user_of_token(token: &str, snapshot: &Snapshot) -> Option<User> {
    let mut parts = token.strip_prefix("podscope.")?.splitn(3, '.');
    let (uid, _, expires) = (parts.next()?, parts.next()?, parts.next()?);
    if expires.parse::<i64>().ok()? <= snapshot.now.0 {
        return None;
    }
    let account = snapshot
        .objects
        .list_kind(Kind::ServiceAccount)
        .into_iter()
        .find(|account| account.metadata().uid.as_str() == uid)?;
    let metadata = account.metadata();
    let mut groups = service_account_groups(&metadata.namespace);
    groups.push(AUTHENTICATED_GROUP.to_owned());
    Some(User {
        name: format!("system:serviceaccount:{}:{}", metadata.namespace, metadata.name),
        uid: uid.to_owned(),
        groups,
        extra: vec![(
            "authentication.kubernetes.io/credential-id".to_owned(),
            vec![format!("JTI={}", token_id(token))],
        )],
    })
}

/// Returns the ID of a token, in the form of a UUID.
fn token_id(token: &str) -> String {
    let high = hash::fnv1a(hash::EMPTY, token.bytes());
    let low = hash::fnv1a(high, token.bytes());
    hash::uuid(high, low)
}

/// Determines the user of a request.
///
/// # Errors
/// The credentials are not accepted (401), or groups are impersonated without a user (400).
pub(crate) fn user_of_request(request: &HttpRequest, snapshot: &Snapshot) -> Result<User, ApiError> {
    let user = match request
        .header("authorization")
        .map(str::trim)
        .filter(|text| !text.is_empty())
    {
        None => User::admin(),
        Some(text) => {
            let (scheme, token) = text.split_once(' ').unwrap_or((text, ""));
            let is_bearer = scheme.eq_ignore_ascii_case("bearer");
            user_of_token(token.trim(), snapshot)
                .filter(|_| is_bearer)
                .ok_or_else(unauthorized_error)?
        }
    };
    Ok(impersonated_user(request)?.unwrap_or(user))
}

pub(crate) fn unauthorized_error() -> ApiError {
    ApiError {
        code: 401,
        reason: StatusReason::Unauthorized,
        ..ApiError::bad_request("Unauthorized")
    }
}

/// Returns the user whom a request impersonates, if any.
fn impersonated_user(request: &HttpRequest) -> Result<Option<User>, ApiError> {
    let texts = |name: &str| -> Vec<String> {
        let values = request.headers.get_all(name).iter();
        values
            .filter_map(|value| value.to_str().ok())
            .map(str::to_owned)
            .collect()
    };
    let name = request.header("impersonate-user").unwrap_or_default().to_owned();
    let uid = request.header("impersonate-uid").unwrap_or_default().to_owned();
    let mut groups = texts("impersonate-group");
    let prefix = "impersonate-extra-";
    let extra: Vec<(String, Vec<String>)> = request
        .headers
        .keys()
        .filter_map(|key| Some((key.as_str().strip_prefix(prefix)?.to_owned(), texts(key.as_str()))))
        .collect();
    if name.is_empty() {
        if groups.is_empty() && uid.is_empty() && extra.is_empty() {
            return Ok(None);
        }
        return Err(ApiError::bad_request(format!(
            "requested {} without impersonating a user name",
            format_as_go_user(&uid, &groups, &extra)
        )));
    }
    if let (true, Some(account)) = (groups.is_empty(), name.strip_prefix("system:serviceaccount:")) {
        groups = service_account_groups(account.split(':').next().unwrap_or_default());
    }
    let all = match name.as_str() {
        ANONYMOUS_USER => UNAUTHENTICATED_GROUP,
        _ => AUTHENTICATED_GROUP,
    };
    if !groups
        .iter()
        .any(|group| matches!(group.as_str(), AUTHENTICATED_GROUP | UNAUTHENTICATED_GROUP))
    {
        groups.push(all.to_owned());
    }
    Ok(Some(User {
        name,
        uid,
        groups,
        extra,
    }))
}

/// Formats a user without a name as Go prints its struct `user.DefaultInfo` in error messages.
fn format_as_go_user(uid: &str, groups: &[String], extra: &[(String, Vec<String>)]) -> String {
    let quoted = |texts: &[String]| {
        let texts: Vec<String> = texts.iter().map(|text| format!("{text:?}")).collect();
        format!("[]string{{{}}}", texts.join(", "))
    };
    let groups = match groups {
        [] => "[]string(nil)".to_owned(),
        groups => quoted(groups),
    };
    let pairs: Vec<String> = extra
        .iter()
        .map(|(key, values)| format!("{key:?}:{}", quoted(values)))
        .collect();
    let extra = match pairs.as_slice() {
        [] => "map[string][]string(nil)".to_owned(),
        pairs => format!("map[string][]string{{{}}}", pairs.join(", ")),
    };
    format!("&user.DefaultInfo{{Name:\"\", UID:{uid:?}, Groups:{groups}, Extra:{extra}}}")
}
