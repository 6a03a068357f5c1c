//! Health checks, component statuses, OpenAPI and other paths that are not stored resources.

use serde_json::{Value, json};

use crate::client::{get, post, send, serve};

fn run_console_command(at: std::net::SocketAddr, command: &str) {
    post(at, "/podscope/v1/command", &json!({ "run": command }).to_string());
}

/// Shows: HT-197
#[test]
fn each_health_check_has_own_path_and_can_be_excluded() {
    let server = serve("");
    let at = server.address();
    let answer = |path: &str| {
        let answer = get(at, path);
        (answer.status, answer.body)
    };
    let ok = (200, "ok".to_owned());
    for path in [
        "/livez/ping",
        "/healthz/etcd",
        "/readyz/shutdown",
        "/livez/poststarthook/crd-informer-synced",
    ] {
        assert_eq!(answer(path), ok, "{path}");
    }
    for path in ["/livez/shutdown", "/readyz/etcd", "/healthz/nope", "/healthz/"] {
        assert_eq!(answer(path).0, 404, "{path}");
    }
    let (_, all) = answer("/livez?verbose&exclude=etcd&exclude=nope");
    assert!(all.starts_with("[+]ping ok\n[+]log ok\n"), "{all}");
    assert!(all.contains("\n[+]etcd excluded: ok\n"), "{all}");
    let end = "warn: some health checks cannot be excluded: no matches for \"nope\"\nlivez check passed\n";
    assert!(all.ends_with(end), "{all}");
    run_console_command(at, "fault etcd down");
    let (code, text) = answer("/livez");
    assert_eq!(code, 500, "{text}");
    assert!(text.contains("[-]etcd failed: reason withheld\n"), "{text}");
    assert!(text.ends_with("livez check failed\n"), "{text}");
    assert_eq!(answer("/livez?exclude=etcd"), ok);
    assert_eq!(answer("/readyz").0, 500);
    assert_eq!(answer("/healthz/etcd").0, 500);
}

/// Shows: HT-042, HT-120
#[test]
fn component_without_leader_is_unhealthy() {
    let server = serve("");
    let at = server.address();
    post(at, "/podscope/v1/advance", r#"{"seconds": 30}"#);
    let health = |name: &str| {
        let answer = get(at, &format!("/api/v1/componentstatuses/{name}"));
        let warning = answer.header("Warning").unwrap_or_default();
        assert!(warning.contains("v1 ComponentStatus is deprecated in v1.19+"));
        answer.json()["conditions"][0]["status"].clone()
    };
    assert_eq!((health("scheduler"), health("etcd-0")), (json!("True"), json!("True")));
    run_console_command(at, "fault crash scheduler");
    post(at, "/podscope/v1/advance", r#"{"seconds": 60}"#);
    assert_eq!(health("scheduler"), "False");
    let table = [(
        "Accept".to_owned(),
        "application/json;as=Table;v=v1;g=meta.k8s.io".to_owned(),
    )];
    let rows = send(at, "GET", "/api/v1/componentstatuses", &table, b"").json()["rows"].clone();
    let cells: Vec<&Value> = rows
        .as_array()
        .into_iter()
        .flatten()
        .map(|row| &row["cells"][1])
        .collect();
    assert_eq!(cells, ["Healthy", "Unhealthy", "Healthy"]);
    assert_eq!(get(at, "/api/v1/componentstatuses/nope").status, 404);
}

#[test]
fn error_about_endpoints_carries_deprecation_warning() {
    let server = serve("");
    for (path, status) in [("kubernetes", 200), ("nope", 404)] {
        let answer = get(
            server.address(),
            &format!("/api/v1/namespaces/default/endpoints/{path}"),
        );
        assert_eq!(answer.status, status);
        let warning = answer.header("Warning").unwrap_or_default();
        assert!(
            warning.contains("v1 Endpoints is deprecated in v1.33+"),
            "{path}: {warning}"
        );
    }
}

/// Shows: HT-102, HT-105, HT-108
#[test]
fn openapi_v2_and_v3_define_all_referenced_schemas() {
    fn collect_refs(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::Object(map) => {
                found.extend(map.get("$ref").and_then(Value::as_str).map(str::to_owned));
                map.values().for_each(|value| collect_refs(value, found));
            }
            Value::Array(items) => items.iter().for_each(|value| collect_refs(value, found)),
            _ => {}
        }
    }
    let server = serve("");
    let at = server.address();
    let index = get(at, "/openapi/v3").json();
    let documents = index["paths"].as_object().expect("documents");
    assert!(documents.contains_key("apis/apps") && documents.contains_key("version"));
    let mut urls: Vec<&str> = documents
        .values()
        .filter_map(|document| document["serverRelativeURL"].as_str())
        .collect();
    urls.push("/openapi/v2");
    for url in urls {
        let document = get(at, url).json();
        let mut found = Vec::new();
        collect_refs(&document, &mut found);
        for reference in found {
            let pointer = reference.trim_start_matches('#');
            assert!(
                document.pointer(pointer).is_some_and(Value::is_object),
                "{url}: {reference}"
            );
        }
    }
    let core = get(at, "/openapi/v3/api/v1").json();
    let methods = core["paths"]["/api/v1/namespaces/{namespace}/pods/{name}/exec"].clone();
    assert!(methods["get"].is_object() && methods["post"].is_object());
}

/// Shows: HT-105
#[test]
fn schemas_have_required_fields_defaults_and_enums() {
    let server = serve("");
    let at = server.address();
    let schemas = |url: &str| get(at, url).json()["components"]["schemas"].clone();
    let (core, apps) = (schemas("/openapi/v3/api/v1"), schemas("/openapi/v3/apis/apps/v1"));
    let (core, apps) = (
        |name: &str| core[format!("io.k8s.api.core.v1.{name}")].clone(),
        |name: &str| apps[format!("io.k8s.api.apps.v1.{name}")].clone(),
    );
    assert_eq!(core("Taint")["required"], json!(["key", "effect"]));
    assert_eq!(core("PodSpec")["required"], json!(["containers"]));
    assert_eq!(core("Pod")["required"], Value::Null);
    assert_eq!(apps("DeploymentSpec")["required"], json!(["selector", "template"]));
    let policies = json!(["Always", "Never", "OnFailure"]);
    assert_eq!(core("PodSpec")["properties"]["restartPolicy"]["enum"], policies);
    let modes = json!(["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"]);
    let claim = core("PersistentVolumeClaimSpec")["properties"].clone();
    assert_eq!(claim["accessModes"]["items"]["enum"], modes);
    let limit = core("LimitRangeItem")["properties"]["type"].clone();
    assert_eq!((&limit["type"], &limit["enum"]), (&json!("string"), &Value::Null));
    let signals = &core("Lifecycle")["properties"]["stopSignal"]["enum"];
    assert_eq!(
        (signals[0].as_str(), signals.as_array().map(Vec::len)),
        (Some("SIGABRT"), Some(65))
    );
    let mounts = core("SecurityContext")["properties"]["procMount"]["enum"].clone();
    assert_eq!(mounts, json!(["Default", "Unmasked"]));
    let port = core("ServicePort")["properties"].clone();
    assert_eq!(
        (&port["protocol"]["default"], &port["port"]["default"]),
        (&json!("TCP"), &json!(0))
    );
    let deployment = apps("DeploymentSpec")["properties"].clone();
    assert_eq!(
        (&deployment["template"]["default"], &deployment["selector"]["default"]),
        (&json!({}), &Value::Null)
    );

    let older = get(at, "/openapi/v2").json()["definitions"]["io.k8s.api.core.v1.ServicePort"].clone();
    assert_eq!(
        (&older["required"], &older["properties"]["protocol"]["default"]),
        (&json!(["port"]), &Value::Null)
    );
}

/// Shows: HT-198
#[test]
fn openid_keys_are_served_in_their_media_type() {
    let server = serve("");
    let at = server.address();
    let configuration = get(at, "/.well-known/openid-configuration").json();
    let url = configuration["jwks_uri"].as_str().expect("a URL");
    assert!(url.ends_with("/openid/v1/jwks"));
    let answer = get(at, "/openid/v1/jwks");
    assert_eq!(
        answer.header("Content-Type").as_deref(),
        Some("application/jwk-set+json")
    );
    let json = [("Accept".to_owned(), "application/json".to_owned())];
    assert_eq!(send(at, "GET", "/openid/v1/jwks", &json, b"").status, 406);
    let yaml = [("Accept".to_owned(), "application/yaml".to_owned())];
    assert_eq!(send(at, "GET", "/version", &yaml, b"").status, 406);
}

/// Shows: HT-055, HT-065, HT-066
#[test]
fn list_parameters_are_parsed_like_on_real_server() {
    let server = serve("");
    let at = server.address();
    let integer = "strconv.ParseInt: parsing \"abc\": invalid syntax";
    let sequence = "invalid field selector: invalid escape sequence: \\x";
    for (path, code, why) in [
        ("/api/v1/pods?timeoutSeconds=abc", 400, integer),
        ("/api/v1/pods?limit=abc", 400, integer),
        ("/api/v1/pods?timeoutSeconds=-1", 200, ""),
        ("/api/v1/pods?fieldSelector=metadata.name%3Da%5C%2Cb", 200, ""),
        ("/api/v1/pods?fieldSelector=metadata.name%3Da%5Cx", 400, sequence),
        (
            "/api/v1/pods?fieldSelector=metadata.name%3Da%3Db",
            400,
            "invalid field selector: unescaped character in value: 61",
        ),
        (
            "/apis/resource.k8s.io/v1/resourceslices?fieldSelector=spec.driver%3Dx",
            200,
            "",
        ),
        (
            "/apis/resource.k8s.io/v1/resourceslices?fieldSelector=zz.y%3Dx",
            400,
            "field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: zz.y",
        ),
        (
            "/apis/batch/v1/jobs?fieldSelector=zz.y%3Dx",
            400,
            "field label \"zz.y\" not supported for Job",
        ),
    ] {
        let answer = get(at, path);
        let message = answer.json()["message"].as_str().unwrap_or_default().to_owned();
        assert_eq!((answer.status, message.as_str()), (code, why), "{path}");
    }
    let deleted = send(
        at,
        "DELETE",
        "/api/v1/namespaces/default/configmaps?timeoutSeconds=x",
        &[],
        b"",
    );
    assert_eq!(deleted.status, 400);
}

/// Typed clients refuse a node whose `nodeInfo` lacks a field; Go encodes empty fields too.
#[test]
fn node_info_has_every_field_in_order() {
    let server = serve("");
    let node = get(server.address(), "/api/v1/nodes/a-1").json();
    let info = node["status"]["nodeInfo"].as_object().expect("nodeInfo");
    let fields: Vec<&str> = info.keys().map(String::as_str).collect();
    assert_eq!(
        fields,
        [
            "machineID",
            "systemUUID",
            "bootID",
            "kernelVersion",
            "osImage",
            "containerRuntimeVersion",
            "kubeletVersion",
            "kubeProxyVersion",
            "operatingSystem",
            "architecture"
        ]
    );
    assert_eq!(
        (&info["machineID"], &info["operatingSystem"]),
        (&"".into(), &"linux".into())
    );
}
