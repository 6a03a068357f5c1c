//! Custom objects over HTTP.

use std::net::SocketAddr;
use std::time::Duration;

use podscope_cluster::SimTime;
use podscope_session::timeline::Session;
use podscope_session::{report, scenario};
use serde_json::{Value, json};

use crate::client::{OpenWatch, get, post, send, serve};

const DEFINITIONS_PATH: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const CABINETS_PATH: &str = "/apis/shop.example/v1/namespaces/default/cabinets";

fn cabinet_definition() -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "cabinets.shop.example"},
        "spec": {
            "group": "shop.example", "scope": "Namespaced",
            "names": {"plural": "cabinets", "kind": "Cabinet", "shortNames": ["cab"]},
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                    "spec": {"type": "object", "properties": {
                        "drawers": {"type": "integer", "default": 2, "minimum": 1},
                        "label": {"type": "string", "pattern": "^[a-z]+$"},
                    }},
                    "status": {"type": "object", "properties": {"open": {"type": "integer"}}},
                }}},
            }],
        },
    })
}

fn advance(at: SocketAddr, seconds: u32) {
    post(at, "/podscope/v1/advance", &json!({"seconds": seconds}).to_string());
}

fn create_cabinet(at: SocketAddr, name: &str, more: Value) -> (u16, Value) {
    let mut cabinet = json!({"apiVersion": "shop.example/v1", "kind": "Cabinet", "metadata": {"name": name}});
    if let (Some(map), Value::Object(more)) = (cabinet.as_object_mut(), more) {
        map.extend(more);
    }
    let answer = post(at, CABINETS_PATH, &cabinet.to_string());
    (answer.status, answer.json())
}

fn delete(at: SocketAddr, path: &str) -> u16 {
    send(at, "DELETE", path, &[], b"").status
}

/// Shows: HT-144, HT-145, HT-147, HT-160, HT-161, HT-162, HT-168, P-12
#[test]
fn objects_of_established_definition_are_served() {
    let server = serve("");
    let at = server.address();
    assert_eq!(get(at, CABINETS_PATH).status, 404);
    // Before the definition exists, the path is not found for any method. `kubectl replace --force` relies on this: it
    // deletes the definition before its objects.
    assert_eq!(delete(at, &format!("{CABINETS_PATH}/a")), 404);
    assert_eq!(
        post(at, DEFINITIONS_PATH, &cabinet_definition().to_string()).status,
        201
    );
    advance(at, 1);
    let stored = get(at, &format!("{DEFINITIONS_PATH}/cabinets.shop.example")).json();
    let conditions: Vec<&Value> = (0..2).map(|at| &stored["status"]["conditions"][at]["type"]).collect();
    assert_eq!(conditions, ["NamesAccepted", "Established"]);
    let (code, made) = create_cabinet(
        at,
        "a",
        json!({"spec": {"label": "oak", "legs": 4}, "status": {"open": 1}}),
    );
    assert_eq!((code, &made["spec"]), (201, &json!({"label": "oak", "drawers": 2})));
    assert_eq!(made["status"], Value::Null);
    let missing = get(at, &format!("{CABINETS_PATH}/a/scale")).json();
    assert_eq!(missing["message"], "cabinets.shop.example \"a\" not found");
    let (code, refused) = create_cabinet(at, "b", json!({"spec": {"label": "OAK", "drawers": 0}}));
    assert_eq!(code, 422, "{refused}");
    let message = refused["message"].as_str().unwrap_or_default();
    assert!(
        message.contains("spec.label in body should match '^[a-z]+$'"),
        "{message}"
    );
    assert!(
        message.contains("spec.drawers in body should be greater than or equal to 1"),
        "{message}"
    );
    let merge = [("Content-Type".to_owned(), "application/merge-patch+json".to_owned())];
    let path = format!("{CABINETS_PATH}/a/status");
    let patched = send(
        at,
        "PATCH",
        &path,
        &merge,
        br#"{"status":{"open":2},"spec":{"drawers":9}}"#,
    )
    .json();
    assert_eq!(
        (&patched["status"]["open"], &patched["spec"]["drawers"]),
        (&json!(2), &json!(2))
    );
}

/// Shows: HT-175, HT-177, HT-178
#[test]
fn deleting_owner_namespace_or_definition_cascades() {
    let server = serve("");
    let at = server.address();
    post(at, DEFINITIONS_PATH, &cabinet_definition().to_string());
    advance(at, 1);
    // A ConfigMap is deleted with the custom object that owns it.
    let (_, owner) = create_cabinet(at, "owner", json!({}));
    let owned = json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": "owned", "ownerReferences": [{
            "apiVersion": "shop.example/v1", "kind": "Cabinet", "name": "owner", "uid": owner["metadata"]["uid"],
        }]},
    });
    post(at, "/api/v1/namespaces/default/configmaps", &owned.to_string());
    advance(at, 5);
    assert_eq!(get(at, "/api/v1/namespaces/default/configmaps/owned").status, 200);
    delete(at, &format!("{CABINETS_PATH}/owner"));
    advance(at, 5);
    assert_eq!(get(at, "/api/v1/namespaces/default/configmaps/owned").status, 404);
    // A custom object is deleted with its namespace.
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}});
    post(at, "/api/v1/namespaces", &namespace.to_string());
    let cabinet = json!({"apiVersion": "shop.example/v1", "kind": "Cabinet", "metadata": {"name": "c"}});
    let there = CABINETS_PATH.replace("default", "shop");
    assert_eq!(post(at, &there, &cabinet.to_string()).status, 201);
    delete(at, "/api/v1/namespaces/shop");
    advance(at, 30);
    assert_eq!(get(at, "/api/v1/namespaces/shop").status, 404);
    // All custom objects are deleted with their definition.
    create_cabinet(at, "last", json!({}));
    delete(at, &format!("{DEFINITIONS_PATH}/cabinets.shop.example"));
    advance(at, 30);
    assert_eq!(
        get(at, &format!("{DEFINITIONS_PATH}/cabinets.shop.example")).status,
        404
    );
    assert_eq!(get(at, "/apis/shop.example/v1").status, 404);
}

/// Shows: P-11
#[test]
fn advance_until_stops_when_condition_is_met() {
    let server = serve("");
    let at = server.address();
    let pod = json!({"metadata": {"name": "a"}, "spec": {"containers": [{"name": "c", "image": "nginx"}]}});
    post(at, "/api/v1/namespaces/default/pods", &pod.to_string());
    let until = json!({"until": {"object": "Pod default/a", "path": ".status.phase", "equals": "Running"}});
    let answer = post(at, "/podscope/v1/advance", &until.to_string()).json();
    assert_eq!(answer["met"], true, "{answer}");
    let seconds = answer["t"].as_f64().expect("seconds");
    assert!((1.0..60.0).contains(&seconds), "{answer}");
    assert_eq!(
        get(at, "/api/v1/namespaces/default/pods/a").json()["status"]["phase"],
        "Running"
    );
    let never = json!({"seconds": 5, "until": {"count": "pods", "equals": 7}});
    let answer = post(at, "/podscope/v1/advance", &never.to_string()).json();
    assert_eq!(answer["met"], false, "{answer}");
    let bad = post(at, "/podscope/v1/advance", r#"{"until": {"count": 7}}"#);
    assert_eq!(bad.status, 400, "{}", bad.body);
}

/// A run in which a client wrote custom objects is exported as a scenario that replays to the same trace.
#[test]
fn run_with_custom_objects_replays_to_same_trace() {
    let server = serve("");
    let at = server.address();
    post(at, DEFINITIONS_PATH, &cabinet_definition().to_string());
    advance(at, 1);
    create_cabinet(at, "a", json!({"spec": {"drawers": 3}}));
    advance(at, 1);
    let trace = get(at, "/podscope/v1/trace").body;
    let text = get(at, "/podscope/v1/scenario").body;
    let now = get(at, "/podscope/v1/time").json()["t"].as_f64().expect("seconds");
    let loaded = scenario::load(&[("scenario.yaml".to_owned(), text)]).expect("the scenario is read");
    let mut session = Session::new(loaded).expect("it is admitted");
    session.advance(SimTime((now * 1e6).round() as i64), u64::MAX);
    assert!(trace.contains("Cabinet"), "{trace}");
    assert_eq!(trace, report::trace(session.trace()));
}

/// Shows: P-12
#[test]
fn custom_objects_in_scenario_file_exist_at_start() {
    let cabinet = json!({"apiVersion": "shop.example/v1", "kind": "Cabinet", "metadata": {"name": "a"}, "spec": {"label": "oak"}});
    // In this file, the definition comes after its object.
    let file = format!("{cabinet}\n---\n{}\n", cabinet_definition());
    let server = serve(&file);
    let stored = get(server.address(), &format!("{CABINETS_PATH}/a"));
    assert_eq!(stored.status, 200, "{}", stored.body);
    assert_eq!(stored.json()["spec"], json!({"label": "oak", "drawers": 2}));
    let scenario = get(server.address(), "/podscope/v1/scenario").body;
    assert!(scenario.contains("Cabinet"), "{scenario}");
}

/// Shows: P-12
#[test]
fn console_applies_and_deletes_custom_objects() {
    let server = serve(&format!("{}\n", cabinet_definition()));
    let at = server.address();
    advance(at, 1);
    let run = |verb: &str, cabinet: Value| {
        let line = format!("kubectl {verb} -f -");
        let body = json!({"run": line, "stdin": cabinet.to_string()});
        let answer = post(at, "/podscope/v1/command", &body.to_string());
        advance(at, 1);
        answer.json()["lines"].to_string()
    };
    let cabinet = |drawers: i64| json!({"apiVersion": "shop.example/v1", "kind": "Cabinet", "metadata": {"name": "a"}, "spec": {"drawers": drawers, "label": "oak"}});
    let said = run("apply", cabinet(3));
    assert!(said.contains("cabinet.shop.example/a created"), "{said}");
    let said = run("apply", cabinet(4));
    assert!(said.contains("cabinet.shop.example/a configured"), "{said}");
    assert_eq!(get(at, &format!("{CABINETS_PATH}/a")).json()["spec"]["drawers"], 4);
    let said = run("apply", cabinet(0));
    assert!(said.contains("should be greater than or equal to 1"), "{said}");
    run("delete", cabinet(4));
    assert_eq!(get(at, &format!("{CABINETS_PATH}/a")).status, 404);
}

/// Shows: HT-164, HT-165, HT-166
#[test]
fn validation_rules_refuse_objects_and_definitions() {
    let server = serve("");
    let at = server.address();
    let with_rule = |rule: &str| {
        let mut definition = cabinet_definition();
        let spec = "/spec/versions/0/schema/openAPIV3Schema/properties/spec";
        if let Some(spec) = definition.pointer_mut(spec) {
            spec["x-kubernetes-validations"] = json!([{"rule": rule, "message": "too many drawers"}]);
        }
        definition
    };
    let refused = post(at, DEFINITIONS_PATH, &with_rule("self.drawer < 5").to_string());
    assert_eq!(refused.status, 422);
    assert!(refused.body.contains("undefined field 'drawer'"), "{}", refused.body);
    assert_eq!(
        post(at, DEFINITIONS_PATH, &with_rule("self.drawers < 5").to_string()).status,
        201
    );
    advance(at, 1);
    assert_eq!(create_cabinet(at, "a", json!({"spec": {"drawers": 4}})).0, 201);
    let (code, refused) = create_cabinet(at, "b", json!({"spec": {"drawers": 5}}));
    assert_eq!(code, 422);
    let message = refused["message"].as_str().unwrap_or_default();
    assert!(message.ends_with("spec: Invalid value: too many drawers"), "{message}");
}

/// Shows: HT-196
#[test]
fn definition_change_ends_watches_of_its_objects() {
    let server = serve("");
    let at = server.address();
    post(at, DEFINITIONS_PATH, &cabinet_definition().to_string());
    advance(at, 1);
    let watch = OpenWatch::open(at, &format!("{CABINETS_PATH}?watch=true"), &[]);
    let label = json!({"metadata": {"labels": {"a": "b"}}}).to_string();
    let merge = [("Content-Type".to_owned(), "application/merge-patch+json".to_owned())];
    let path = format!("{DEFINITIONS_PATH}/cabinets.shop.example");
    send(at, "PATCH", &path, &merge, label.as_bytes());
    advance(at, 2);
    create_cabinet(at, "a", json!({}));
    assert_eq!(watch.wait_for_lines(1, Duration::from_secs(10)).len(), 1);
    let names = json!({"spec": {"names": {"shortNames": ["cb"]}}}).to_string();
    send(at, "PATCH", &path, &merge, names.as_bytes());
    advance(at, 2);
    create_cabinet(at, "b", json!({}));
    let lines = watch.wait_for_lines(2, Duration::from_secs(10));
    assert!(watch.has_ended() && lines.len() == 1, "{lines:?}");
}

/// Shows: HT-159
#[test]
fn body_with_wrong_version_or_kind_is_refused() {
    let server = serve("");
    let at = server.address();
    post(at, DEFINITIONS_PATH, &cabinet_definition().to_string());
    advance(at, 1);
    let (code, refused) = create_cabinet(at, "a", json!({"apiVersion": "shop.example/v2"}));
    let why = "the API version in the data (shop.example/v2) does not match the expected API version (shop.example/v1)";
    assert_eq!((code, &refused["message"]), (400, &json!(why)));
    let (code, refused) = create_cabinet(at, "a", json!({"kind": "Drawer"}));
    let why = "Drawer.shop.example \"a\" is invalid: kind: Invalid value: \"Drawer\": must be Cabinet";
    assert_eq!((code, &refused["message"]), (422, &json!(why)));
}

/// Shows: HT-175
#[test]
fn definition_is_deleted_at_once_if_objects_lack_finalizers() {
    let server = serve("");
    let at = server.address();
    post(at, DEFINITIONS_PATH, &cabinet_definition().to_string());
    advance(at, 1);
    create_cabinet(at, "a", json!({}));
    delete(at, &format!("{DEFINITIONS_PATH}/cabinets.shop.example"));
    advance(at, 1);
    assert_eq!(get(at, "/apis/shop.example").status, 404);
}
