//! VA-284: a pod holds the volume with its account's token by five letters, and is read as it was written.

use podscope_api::{Object, default_object, object_from_value, parse};
use serde_json::Value;

const PATH: &str = "/var/run/secrets/kubernetes.io/serviceaccount";

fn mount(name: &str) -> String {
    format!("{{mountPath: {PATH}, name: {name}, readOnly: true}}")
}

fn volume(name: &str, seconds: u32) -> String {
    format!(
        "{{name: {name}, projected: {{defaultMode: 420, sources: [{{serviceAccountToken: {{expirationSeconds: {seconds}, \
         path: token}}}}, {{configMap: {{items: [{{key: ca.crt, path: ca.crt}}], name: kube-root-ca.crt}}}}, \
         {{downwardAPI: {{items: [{{fieldRef: {{apiVersion: v1, fieldPath: metadata.namespace}}, path: namespace}}]}}}}]}}}}"
    )
}

fn pod(mounts: &str, volumes: &str, status: &str) -> Object {
    let text = format!(
        "{{apiVersion: v1, kind: Pod, metadata: {{name: p, namespace: default, uid: u}}, spec: {{containers: [{{name: c, \
         image: i, volumeMounts: [{mounts}]}}], volumes: [{volumes}]}}, status: {{containerStatuses: [{{name: c, ready: true, \
         restartCount: 0, volumeMounts: [{status}]}}]}}}}"
    );
    let mut parsed = parse(&text);
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    parsed.objects.remove(0).value
}

/// Volumes and mounts on the wire.
fn told(object: &Object) -> [Value; 3] {
    let value = object.to_value();
    [
        "/spec/volumes",
        "/spec/containers/0/volumeMounts",
        "/status/containerStatuses/0/volumeMounts",
    ]
    .map(|path| value.pointer(path).cloned().unwrap_or_default())
}

#[test]
fn what_admission_made_is_held_by_five_letters_and_nothing_else_is() {
    let (name, other) = ("kube-api-access-8xk2d", "kube-api-access-other");
    let (token, scratch) = (volume(name, 3607), "{emptyDir: {}, name: v}");
    let rows = [
        ("as it is made", mount(name), token.clone(), true),
        (
            "behind others",
            format!("{{mountPath: /v, name: v}}, {}", mount(name)),
            format!("{scratch}, {token}"),
            true,
        ),
        (
            "not the last mount",
            format!("{}, {{mountPath: /v, name: v}}", mount(name)),
            format!("{scratch}, {token}"),
            false,
        ),
        ("not the last volume", mount(name), format!("{token}, {scratch}"), false),
        ("a token of an hour", mount(name), volume(name, 3600), false),
        ("another name", mount("token"), volume("token", 3607), false),
        (
            "mounted twice",
            format!("{{mountPath: /v, name: {name}}}, {}", mount(name)),
            token.clone(),
            false,
        ),
        ("not mounted", mount("v"), format!("{scratch}, {token}"), false),
        (
            "of another",
            mount(other),
            format!("{}, {token}", volume(other, 3607)),
            false,
        ),
    ];
    for (case, mounts, volumes, is_held) in rows {
        let known = mounts
            .rsplit_once("readOnly: true}")
            .map_or(String::new(), |(start, end)| {
                format!("{start}readOnly: true, recursiveReadOnly: Disabled}}{end}")
            });
        let given = pod(&mounts, &volumes, &known);
        let mut held = given.clone();
        default_object(&mut held);
        assert_eq!(told(&held), told(&given), "{case}");
        let Object::Pod(typed) = &held else { panic!("{case}") };
        assert_eq!(typed.spec.api_access.is_some(), is_held, "{case}");
        // A program that reads and writes the pod changes nothing.
        let mut again = object_from_value(&held.to_value()).expect(case);
        default_object(&mut again);
        assert_eq!(again, held, "{case}");
    }
}

/// An older kubelet told nothing of mounts: what it said stays as it is.
#[test]
fn a_status_that_tells_no_mounts_goes_on_telling_none() {
    let name = "kube-api-access-8xk2d";
    let mut held = pod(&mount(name), &volume(name, 3607), "");
    default_object(&mut held);
    assert_eq!(told(&held)[2], Value::Null);
}
