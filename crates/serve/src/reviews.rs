//! Reviews and token requests: POST requests that store nothing (HT-119, HT-137 to HT-143).

use podscope_api::managed::{FieldSet, OwnershipSemantics, compare};
use podscope_api::{Kind, ObjectKey};
use podscope_cluster::{ApiError, Cause};
use podscope_kubectl::rest::ApiPath;
use serde_json::{Value, json};

use crate::authenticate;
use crate::engine::EngineHandle;
use crate::http::{HttpRequest, Reply};
use crate::route::HandlerResult;

/// Default lifetime of a token, in seconds.
const DEFAULT_TOKEN_LIFETIME: i64 = 3600;
/// Minimum lifetime of a token, in seconds.
const MIN_TOKEN_LIFETIME: i64 = 600;
/// Maximum lifetime of a token, in seconds.
const MAX_TOKEN_LIFETIME: i64 = 1 << 32;
/// The audience of the API server's tokens.
const DEFAULT_AUDIENCE: &str = "https://kubernetes.default.svc";

/// Responds to a review or a token request; None for other requests.
pub(crate) fn answer(request: &HttpRequest, path: &ApiPath, engine: &EngineHandle) -> Option<HandlerResult> {
    if request.method != "POST" {
        return None;
    }
    let review_kind = match (
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
        parse_body(request)
            .and_then(|value| answer_review(request, path, review_kind, value, engine))
            .map_err(Into::into),
    )
}

fn parse_body(request: &HttpRequest) -> Result<Value, ApiError> {
    if request.body.is_empty() {
        return Ok(json!({}));
    }
    serde_json::from_slice(&request.body)
        .map_err(|_| ApiError::bad_request("couldn't get version/kind; json parse error: unexpected end of JSON input"))
}

/// Creates the `managedFields` of a review: its sender owns the spec. The real server adds them although reviews are
/// not stored.
fn managed_fields_of_sender(path: &ApiPath, api_version: &str, spec: &Value, now: &str) -> Value {
    let (before, after) = (json!({"spec": {}}), json!({"spec": spec}));
    let fields = compare(&before, &after, OwnershipSemantics::Defined(&Value::Null)).written;
    let manager = path.query.get("fieldManager").filter(|name| !name.is_empty());
    let mut entry = json!({
        "manager": manager.unwrap_or("unknown"), "operation": "Update", "apiVersion": api_version, "time": now,
        "fieldsType": "FieldsV1", "fieldsV1": FieldSet::of(&fields).to_value(),
    });
    if !path.subresource.is_empty() {
        entry["subresource"] = path.subresource.as_str().into();
    }
    json!([entry])
}

fn answer_review(
    request: &HttpRequest,
    path: &ApiPath,
    review_kind: &str,
    mut value: Value,
    engine: &EngineHandle,
) -> Result<Reply, ApiError> {
    let snapshot = engine.board.snapshot();
    let spec = value.get("spec").cloned().unwrap_or_else(|| json!({}));
    let mut metadata = value.get("metadata").cloned().unwrap_or_else(|| json!({}));
    metadata["managedFields"] = managed_fields_of_sender(path, &path.api_version, &spec, &snapshot.now.to_string());
    if !path.namespace.is_empty() {
        metadata["namespace"] = path.namespace.as_str().into();
    }
    let answer = match review_kind {
        "TokenRequest" => return answer_token_request(path, value, &snapshot),
        "SelfSubjectReview" => {
            let user = authenticate::user_of_request(request, &snapshot)?;
            json!({
                "kind": review_kind, "apiVersion": path.api_version,
                "metadata": {"creationTimestamp": snapshot.now.to_string()},
                "status": {"userInfo": user.user_info()},
            })
        }
        "SelfSubjectRulesReview" => {
            if spec["namespace"].as_str().unwrap_or_default().is_empty() {
                return Err(ApiError::bad_request("no namespace on request"));
            }
            json!({
                "kind": review_kind, "apiVersion": path.api_version, "metadata": {}, "spec": {},
                "status": {
                    "resourceRules": [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}],
                    "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}],
                    "incomplete": false,
                },
            })
        }
        "TokenReview" => {
            let token = spec["token"].as_str().unwrap_or_default();
            if token.is_empty() {
                return Err(ApiError::bad_request(
                    "token is required for TokenReview in authentication",
                ));
            }
            let status = match authenticate::user_of_token(token, &snapshot) {
                Some(user) => json!({"authenticated": true, "user": user.user_info(), "audiences": [DEFAULT_AUDIENCE]}),
                None => json!({"user": {}, "error": "invalid bearer token"}),
            };
            json!({"kind": review_kind, "apiVersion": path.api_version, "metadata": metadata, "spec": spec, "status": status})
        }
        _ => {
            check_attributes(review_kind, &spec, path)?;
            value = json!({"kind": review_kind, "apiVersion": path.api_version, "metadata": metadata, "spec": spec});
            // Authorization is not simulated: everything is allowed.
            value["status"] = json!({"allowed": true});
            value
        }
    };
    Ok(Reply::json(201, &answer))
}

/// Checks the attributes of an access review (HT-140).
fn check_attributes(review_kind: &str, spec: &Value, path: &ApiPath) -> Result<(), ApiError> {
    let given = |field: &str| spec.get(field).is_some_and(|value| !value.is_null());
    let invalid =
        |field: &str, why: String| Cause::new(field, format!("Invalid value: {why}")).with_reason("FieldValueInvalid");
    let mut causes = Vec::new();
    match (given("resourceAttributes"), given("nonResourceAttributes")) {
        (true, false) | (false, true) => {}
        (false, false) => causes.push(invalid(
            "spec.resourceAttributes",
            "null: exactly one of nonResourceAttributes or resourceAttributes must be specified".to_owned(),
        )),
        (true, true) => {
            let text = |field: &str| spec["nonResourceAttributes"][field].as_str().unwrap_or_default();
            let shown = json!({"Path": text("path"), "Verb": text("verb")});
            causes.push(invalid(
                "spec.nonResourceAttributes",
                format!("{shown}: cannot be specified in combination with resourceAttributes"),
            ));
        }
    }
    let has_subject = spec["user"].as_str().is_some_and(|user| !user.is_empty())
        || spec["groups"].as_array().is_some_and(|groups| !groups.is_empty());
    if review_kind != "SelfSubjectAccessReview" && !has_subject {
        causes.push(invalid(
            "spec.user",
            "\"\": at least one of user or group must be specified".to_owned(),
        ));
    }
    if review_kind == "LocalSubjectAccessReview" && given("resourceAttributes") {
        let namespace = spec["resourceAttributes"]["namespace"].as_str().unwrap_or_default();
        if namespace != path.namespace {
            causes.push(invalid(
                "spec.resourceAttributes.namespace",
                format!("{namespace:?}: must match metadata.namespace"),
            ));
        }
    }
    match causes.is_empty() {
        true => Ok(()),
        false => Err(ApiError::invalid_of(".authorization.k8s.io", "", causes)),
    }
}

/// Responds to a request for a token of a ServiceAccount (HT-119).
fn answer_token_request(
    path: &ApiPath,
    mut value: Value,
    snapshot: &crate::board::Snapshot,
) -> Result<Reply, ApiError> {
    let key = ObjectKey::new(path.namespace.as_str(), path.name.as_str());
    let account = snapshot.objects.get_kind(Kind::ServiceAccount, &key);
    let account = account.ok_or_else(|| ApiError::not_found(Kind::ServiceAccount, &path.name))?;
    let seconds = value["spec"]["expirationSeconds"]
        .as_i64()
        .unwrap_or(DEFAULT_TOKEN_LIFETIME);
    let wrong = match seconds {
        ..MIN_TOKEN_LIFETIME => Some("less than 10 minutes"),
        MIN_TOKEN_LIFETIME..=MAX_TOKEN_LIFETIME => None,
        _ => Some("larger than 2^32 seconds"),
    };
    if let Some(wrong) = wrong {
        let cause = Cause::new(
            "spec.expirationSeconds",
            format!("Invalid value: {seconds}: may not specify a duration {wrong}"),
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
    let now = snapshot.now.to_string();
    let managed = managed_fields_of_sender(path, "authentication.k8s.io/v1", spec, &now);
    if spec["audiences"].is_null() {
        spec["audiences"] = json!([DEFAULT_AUDIENCE]);
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
            "creationTimestamp": now, "managedFields": managed,
        },
        "spec": spec,
        "status": {
            "token": authenticate::create_token(&account, snapshot.now, expires),
            "expirationTimestamp": expires.to_string(),
        },
    });
    Ok(Reply::json(201, &answer))
}
