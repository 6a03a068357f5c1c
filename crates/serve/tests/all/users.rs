//! Authentication: tokens of ServiceAccounts, impersonation, and the reviews that report the user.

use std::net::SocketAddr;

use serde_json::{Value, json};

use crate::client::{Answer, get, post, send, serve};

const SELF_REVIEW_PATH: &str = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
const TOKEN_PATH: &str = "/api/v1/namespaces/default/serviceaccounts/default/token";

fn who_am_i(at: SocketAddr, headers: &[(&str, &str)]) -> Answer {
    let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    let mut headers: Vec<(String, String)> = headers.iter().map(own).collect();
    headers.push(("Content-Type".to_owned(), "application/json".to_owned()));
    send(at, "POST", SELF_REVIEW_PATH, &headers, b"{}")
}

/// Shows: HT-005, HT-026, HT-119
#[test]
fn token_of_service_account_identifies_its_user() {
    let server = serve("");
    let at = server.address();
    let made = post(at, TOKEN_PATH, r#"{"spec": {"expirationSeconds": 600}}"#).json();
    let token = made["status"]["token"].as_str().expect("a token").to_owned();
    let bearer = format!("Bearer {token}");
    let user = who_am_i(at, &[("Authorization", &bearer)]).json()["status"]["userInfo"].clone();
    assert_eq!(user["username"], "system:serviceaccount:default:default");
    assert_eq!(user["uid"], made["metadata"]["uid"]);
    let groups = [
        "system:serviceaccounts",
        "system:serviceaccounts:default",
        "system:authenticated",
    ];
    assert_eq!(user["groups"], json!(groups));
    let review = |token: &str| {
        let body = json!({"spec": {"token": token}}).to_string();
        post(at, "/apis/authentication.k8s.io/v1/tokenreviews", &body).json()["status"].clone()
    };
    let status = review(&token);
    assert_eq!((&status["authenticated"], &status["user"]), (&json!(true), &user));
    assert_eq!(review("x")["error"], "invalid bearer token");
    post(at, "/podscope/v1/advance", r#"{"seconds": 601}"#);
    assert_eq!(who_am_i(at, &[("Authorization", &bearer)]).status, 401);
}

/// Shows: HT-005, HT-026
#[test]
fn unknown_credentials_are_unauthorized() {
    let server = serve("");
    let at = server.address();
    for credentials in ["Bearer nope", "Basic YTpi", "Bearer podscope.x.0.9"] {
        let headers = [("Authorization".to_owned(), credentials.to_owned())];
        for path in ["/api/v1/nodes", "/livez", "/version"] {
            let answer = send(at, "GET", path, &headers, b"");
            let status = answer.json();
            assert_eq!(
                (answer.status, &status["reason"]),
                (401, &json!("Unauthorized")),
                "{path}"
            );
        }
    }
    assert_eq!(get(at, "/api/v1/nodes").status, 200);
}

/// Shows: HT-139
#[test]
fn impersonated_user_gets_default_groups() {
    let server = serve("");
    let at = server.address();
    let groups = |headers: &[(&str, &str)]| who_am_i(at, headers).json()["status"]["userInfo"]["groups"].clone();
    for (user, wanted) in [
        ("bob", json!(["system:authenticated"])),
        ("system:anonymous", json!(["system:unauthenticated"])),
        (
            "system:serviceaccount:ns:sa",
            json!([
                "system:serviceaccounts",
                "system:serviceaccounts:ns",
                "system:authenticated"
            ]),
        ),
    ] {
        assert_eq!(groups(&[("Impersonate-User", user)]), wanted, "{user}");
    }
    let devs = groups(&[("Impersonate-User", "bob"), ("Impersonate-Group", "devs")]);
    assert_eq!(devs, json!(["devs", "system:authenticated"]));
    let extra = [("Impersonate-User", "bob"), ("Impersonate-Extra-Scopes", "view")];
    let info = who_am_i(at, &extra).json()["status"]["userInfo"].clone();
    assert_eq!(info["extra"], json!({"scopes": ["view"]}));
    let nobody = who_am_i(at, &[("Impersonate-Group", "devs")]);
    assert_eq!(nobody.status, 400);
    assert!(nobody.body.contains("without impersonating a user name"));
}

/// Shows: HT-140
#[test]
fn access_review_without_subject_is_invalid() {
    let server = serve("");
    let at = server.address();
    let fields = |resource: &str, spec: Value| -> Vec<String> {
        let path = format!("/apis/authorization.k8s.io/v1/{resource}");
        let status = post(at, &path, &json!({ "spec": spec }).to_string()).json();
        let causes = status["details"]["causes"].as_array().cloned().unwrap_or_default();
        causes
            .iter()
            .filter_map(|cause| cause["field"].as_str().map(str::to_owned))
            .collect()
    };
    let attributes = json!({"namespace": "other", "verb": "get", "resource": "pods"});
    let reviewed = fields("subjectaccessreviews", json!({"resourceAttributes": attributes}));
    assert_eq!(reviewed, ["spec.user"]);
    let reviewed = fields("selfsubjectaccessreviews", json!({}));
    assert_eq!(reviewed, ["spec.resourceAttributes"]);
    let local = json!({"user": "bob", "resourceAttributes": attributes});
    let reviewed = fields("namespaces/default/localsubjectaccessreviews", local);
    assert_eq!(reviewed, ["spec.resourceAttributes.namespace"]);
}
