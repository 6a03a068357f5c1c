//! Reviews and token requests: POST requests that store nothing (HT-119, HT-137 to HT-143).

use podscope_api::{Kind, ObjectKey};
use podscope_cluster::{ApiError, Cause};
use podscope_kubectl::rest::ApiPath;
use serde_json::{Value, json};

use crate::engine::Door;
use crate::http::{Asked, Reply};
use crate::route::Answered;

/// Default lifetime of a token in seconds.
const EXPIRATION: i64 = 3600;
const SHORTEST_EXPIRATION: i64 = 600;

/// Responds to a review or token request; None for other requests.
pub(crate) fn answer(asked: &Asked, path: &ApiPath, door: &Door) -> Option<Answered> {
    if asked.method != "POST" {
        return None;
    }
    let about = match (
        path.api_version.as_str(),
        path.resource.as_str(),
        path.subresource.as_str(),
    ) {
        ("v1", "serviceaccounts", "token") => "TokenRequest",
        ("authorization.k8s.io/v1", "selfsubjectaccessreviews", "") => "SelfSubjectAccessReview",
        ("authorization.k8s.io/v1", "subjectaccessreviews", "") => "SubjectAccessReview",
        ("authorization.k8s.io/v1", "localsubjectaccessreviews", "") => "LocalSubjectAccessReview",
        ("authorization.k8s.io/v1", "selfsubjectrulesreviews", "") => "SelfSubjectRulesReview",
        ("authentication.k8s.io/v1", "selfsubjectreviews", "") => "SelfSubjectReview",
        ("authentication.k8s.io/v1", "tokenreviews", "") => "TokenReview",
        _ => return None,
    };
    Some(
        body(asked)
            .and_then(|value| review(asked, path, about, value, door))
            .map_err(Into::into),
    )
}

fn body(asked: &Asked) -> Result<Value, ApiError> {
    if asked.body.is_empty() {
        return Ok(json!({}));
    }
    serde_json::from_slice(&asked.body)
        .map_err(|_| ApiError::bad_request("couldn't get version/kind; json parse error: unexpected end of JSON input"))
}

/// The user and groups that a request impersonates (HT-139).
fn user(asked: &Asked) -> (String, Vec<String>) {
    match asked.header("impersonate-user") {
        Some(user) => {
            let groups = asked.headers.get_all("impersonate-group").iter();
            let mut groups: Vec<String> = groups
                .filter_map(|group| group.to_str().ok())
                .map(str::to_owned)
                .collect();
            groups.push("system:authenticated".to_owned());
            (user.to_owned(), groups)
        }
        None => {
            let groups = ["system:masters", "system:authenticated"].map(str::to_owned).to_vec();
            ("kubernetes-admin".to_owned(), groups)
        }
    }
}

/// Checks that a request that impersonates groups also impersonates a user.
fn check_impersonation(asked: &Asked) -> Result<(), ApiError> {
    let groups = asked.headers.get_all("impersonate-group").iter();
    let groups: Vec<String> = groups
        .filter_map(|group| group.to_str().ok())
        .map(|group| format!("{group:?}"))
        .collect();
    if groups.is_empty() || asked.header("impersonate-user").is_some() {
        return Ok(());
    }
    Err(ApiError::bad_request(format!(
        "requested &user.DefaultInfo{{Name:\"\", UID:\"\", Groups:[]string{{{}}}, Extra:map[string][]string(nil)}} without impersonating a user name",
        groups.join(", ")
    )))
}

fn review(asked: &Asked, path: &ApiPath, about: &str, mut value: Value, door: &Door) -> Result<Reply, ApiError> {
    check_impersonation(asked)?;
    let snapshot = door.board.snapshot();
    let spec = value.get("spec").cloned().unwrap_or_else(|| json!({}));
    let metadata = value.get("metadata").cloned().unwrap_or_else(|| json!({}));
    let answer = match about {
        "TokenRequest" => return token(path, value, &snapshot),
        "SelfSubjectReview" => {
            let (username, groups) = user(asked);
            json!({
                "kind": about, "apiVersion": path.api_version,
                "metadata": {"creationTimestamp": snapshot.now.to_string()},
                "status": {"userInfo": {"username": username, "groups": groups}},
            })
        }
        "SelfSubjectRulesReview" => {
            if spec["namespace"].as_str().unwrap_or_default().is_empty() {
                return Err(ApiError::bad_request("no namespace on request"));
            }
            json!({
                "kind": about, "apiVersion": path.api_version, "metadata": {}, "spec": {},
                "status": {
                    "resourceRules": [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}],
                    "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}],
                    "incomplete": false,
                },
            })
        }
        "TokenReview" => json!({
            "kind": about, "apiVersion": path.api_version, "metadata": metadata, "spec": spec,
            "status": {"user": {}, "error": "invalid bearer token"},
        }),
        _ => {
            check_attributes(&spec)?;
            value = json!({"kind": about, "apiVersion": path.api_version, "metadata": metadata, "spec": spec});
            // Authorization is not simulated: everything is allowed.
            value["status"] = json!({"allowed": true});
            value
        }
    };
    Ok(Reply::json(201, &answer))
}

/// Checks the attributes of an access review (HT-140).
fn check_attributes(spec: &Value) -> Result<(), ApiError> {
    let given = |field: &str| spec.get(field).is_some_and(|value| !value.is_null());
    let cause = match (given("resourceAttributes"), given("nonResourceAttributes")) {
        (true, false) | (false, true) => return Ok(()),
        (false, false) => (
            "spec.resourceAttributes",
            "Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified"
                .to_owned(),
        ),
        (true, true) => {
            let text = |field: &str| {
                spec["nonResourceAttributes"][field]
                    .as_str()
                    .unwrap_or_default()
                    .to_owned()
            };
            let shown = json!({"Path": text("path"), "Verb": text("verb")});
            (
                "spec.nonResourceAttributes",
                format!("Invalid value: {shown}: cannot be specified in combination with resourceAttributes"),
            )
        }
    };
    let cause = Cause::new(cause.0, cause.1).with_reason("FieldValueInvalid");
    Err(ApiError::invalid_of(".authorization.k8s.io", "", vec![cause]))
}

/// Creates a token that is recognizably fake; nothing verifies it.
fn token(path: &ApiPath, mut value: Value, snapshot: &crate::board::Snapshot) -> Result<Reply, ApiError> {
    let key = ObjectKey::new(path.namespace.as_str(), path.name.as_str());
    let account = snapshot.objects.get_kind(Kind::ServiceAccount, &key);
    let account = account.ok_or_else(|| ApiError::not_found(Kind::ServiceAccount, &path.name))?;
    let seconds = value["spec"]["expirationSeconds"].as_i64().unwrap_or(EXPIRATION);
    if seconds < SHORTEST_EXPIRATION {
        let cause = Cause::new(
            "spec.expirationSeconds",
            format!("Invalid value: {seconds}: may not specify a duration less than 10 minutes"),
        )
        .with_reason("FieldValueInvalid");
        return Err(ApiError::invalid_of(
            "TokenRequest.authentication.k8s.io",
            "",
            vec![cause],
        ));
    }
    let spec = &mut value["spec"];
    if !spec.is_object() {
        *spec = json!({});
    }
    if spec["audiences"].is_null() {
        spec["audiences"] = json!(["https://kubernetes.default.svc"]);
    }
    spec["expirationSeconds"] = seconds.into();
    if spec["boundObjectRef"].is_null() {
        spec["boundObjectRef"] = Value::Null;
    }
    let spec = spec.clone();
    let expires = podscope_api::Time(snapshot.now.0 + seconds * 1_000_000);
    let answer = json!({
        "kind": "TokenRequest",
        "apiVersion": "authentication.k8s.io/v1",
        "metadata": {
            "name": path.name, "namespace": path.namespace, "uid": account.metadata().uid.as_str(),
            "creationTimestamp": snapshot.now.to_string(),
        },
        "spec": spec,
        "status": {
            "token": format!("podscope.{}.{}", account.metadata().uid, snapshot.now.0),
            "expirationTimestamp": expires.to_string(),
        },
    });
    Ok(Reply::json(201, &answer))
}
