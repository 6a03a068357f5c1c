//! The token volume and the imagePullSecrets that a pod gets from its ServiceAccount.

use podscope_api::{Object, object_from_value};
use podscope_sim::{Part, Request};
use serde_json::{Value, json};

use crate::{create, send_request, server};

const TOKEN_MOUNT_PATH: &str = "/var/run/secrets/kubernetes.io/serviceaccount";

fn pod_manifest(spec: &str) -> String {
    format!("{{apiVersion: v1, kind: Pod, metadata: {{name: p, namespace: default}}, spec: {{{spec}}}}}")
}

fn account_manifest(name: &str, fields: &str) -> String {
    format!("{{apiVersion: v1, kind: ServiceAccount, metadata: {{name: {name}, namespace: default}}, {fields}}}")
}

/// Returns the names of the volumes and of each container's mounts, with generated suffixes replaced by `*`.
fn volume_and_mount_names(stored: &Object) -> String {
    let spec = &stored.to_value()["spec"];
    let names = |list: &Value| {
        let items = list.as_array().into_iter().flatten();
        let names: Vec<&str> = items.filter_map(|item| item["name"].as_str()).collect();
        names.join(" ")
    };
    let containers = ["initContainers", "containers"]
        .into_iter()
        .filter_map(|field| spec[field].as_array());
    let mounts: Vec<String> = containers
        .flatten()
        .map(|container| {
            format!(
                "{}: {}",
                container["name"].as_str().unwrap_or_default(),
                names(&container["volumeMounts"])
            )
        })
        .collect();
    let volumes = names(&spec["volumes"]);
    // The generated suffix has five letters.
    let text = format!("[{volumes}] {}", mounts.join(", "));
    match text.split_once("kube-api-access-") {
        Some((_, rest)) if !rest.starts_with("given") => text.replace(&rest[..5], "*"),
        _ => text,
    }
}

/// Shows: VA-284
#[test]
fn token_is_mounted_unless_its_path_or_volume_is_taken() {
    let own = format!("volumeMounts: [{{name: v, mountPath: {TOKEN_MOUNT_PATH}}}]");
    let given = "{name: kube-api-access-given, emptyDir: {}}";
    let rows = [
        (
            "initContainers: [{name: i, image: x}], containers: [{name: c, image: x}]".to_owned(),
            "[kube-api-access-*] i: kube-api-access-*, c: kube-api-access-*",
        ),
        (
            format!(
                "containers: [{{name: c, image: x, {own}}}, {{name: d, image: x}}], volumes: [{{name: v, emptyDir: {{}}}}]"
            ),
            "[v kube-api-access-*] c: v, d: kube-api-access-*",
        ),
        (
            format!("containers: [{{name: c, image: x, {own}}}], volumes: [{{name: v, emptyDir: {{}}}}]"),
            "[v] c: v",
        ),
        // A volume with the name prefix `kube-api-access-` counts as the token volume, whatever its type.
        (
            format!("containers: [{{name: c, image: x}}], volumes: [{given}]"),
            "[kube-api-access-given] c: kube-api-access-given",
        ),
        (
            "automountServiceAccountToken: false, containers: [{name: c, image: x}]".to_owned(),
            "[] c: ",
        ),
        (
            "serviceAccountName: shy, containers: [{name: c, image: x}]".to_owned(),
            "[] c: ",
        ),
        (
            "serviceAccountName: shy, automountServiceAccountToken: true, containers: [{name: c, image: x}]".to_owned(),
            "[kube-api-access-*] c: kube-api-access-*",
        ),
    ];
    for (spec, expected) in rows {
        let mut server = server();
        create(
            &mut server,
            &account_manifest("shy", "automountServiceAccountToken: false"),
        )
        .expect("an account");
        let stored = create(&mut server, &pod_manifest(&spec)).expect(&spec);
        assert_eq!(volume_and_mount_names(&stored), expected, "{spec}");
    }
}

/// Shows: VA-284
#[test]
fn pod_inherits_image_pull_secrets_of_its_account() {
    for (more, expected) in [
        ("", json!([{"name": "registry"}])),
        ("imagePullSecrets: [{name: own}], ", json!([{"name": "own"}])),
    ] {
        let mut server = server();
        create(
            &mut server,
            &account_manifest("default", "imagePullSecrets: [{name: registry}]"),
        )
        .expect("an account");
        let stored = create(
            &mut server,
            &pod_manifest(&format!("{more}containers: [{{name: c, image: x}}]")),
        )
        .expect("a pod");
        assert_eq!(stored.to_value()["spec"]["imagePullSecrets"], expected);
    }
}

/// An update that sends the stored pod back changes nothing. An update without the token volume is refused.
/// Shows: LC-042, VA-284
#[test]
fn update_without_token_volume_is_refused() {
    let mut server = server();
    let text = pod_manifest("containers: [{name: c, image: x}]");
    let stored = create(&mut server, &text).expect("a pod");
    let read = object_from_value(&stored.to_value()).expect("it is well formed");
    let written = send_request(&mut server, &Request::Update(read, Part::Main)).expect("nothing changes");
    assert_eq!(written, stored);
    // A new pod copied from a stored pod keeps its token volume.
    let mut copy = stored.to_value();
    for field in ["uid", "resourceVersion"] {
        copy["metadata"]
            .as_object_mut()
            .and_then(|metadata| metadata.shift_remove(field));
    }
    copy["metadata"]["name"] = "q".into();
    let copy = Request::Create(object_from_value(&copy).expect("it is well formed"));
    let copied = send_request(&mut server, &copy).expect("a pod of its own");
    for field in ["volumes", "containers"] {
        assert_eq!(copied.to_value()["spec"][field], stored.to_value()["spec"][field]);
    }
    // An update with the original manifest lacks the token volume.
    let mut bare = stored.to_value();
    bare["spec"]
        .as_object_mut()
        .and_then(|spec| spec.shift_remove("volumes"));
    bare["spec"]["containers"] = json!([{"name": "c", "image": "x"}]);
    let bare = Request::Update(object_from_value(&bare).expect("it is well formed"), Part::Main);
    let refused = send_request(&mut server, &bare).expect_err("the update would remove the token volume");
    for line in [
        "- \"Volumes\": [",
        "-     \"Name\": \"kube-api-access-",
        "+   \"VolumeMounts\": null,",
    ] {
        assert!(refused.contains(line), "{line}\n{refused}");
    }
}
