//! The service account token volume of a pod (VA-284): to save memory, a pod stores only the five random letters at the
//! end of the volume's name. Volume and mounts are restored in full when the pod is printed. This applies only if they
//! are exactly as admission creates them.

use podscope_api::{Object, default_object, object_from_value, parse};
use serde_json::Value;

const TOKEN_MOUNT_PATH: &str = "/var/run/secrets/kubernetes.io/serviceaccount";

fn token_mount(name: &str) -> String {
    format!("{{mountPath: {TOKEN_MOUNT_PATH}, name: {name}, readOnly: true}}")
}

fn token_volume(name: &str, expiration_seconds: u32) -> String {
    format!(
        "{{name: {name}, projected: {{defaultMode: 420, sources: [{{serviceAccountToken: \
         {{expirationSeconds: {expiration_seconds}, path: token}}}}, \
         {{configMap: {{items: [{{key: ca.crt, path: ca.crt}}], name: kube-root-ca.crt}}}}, \
         {{downwardAPI: {{items: [{{fieldRef: {{apiVersion: v1, fieldPath: metadata.namespace}}, path: namespace}}]}}}}]}}}}"
    )
}

fn pod_with_volumes(mounts: &str, volumes: &str, status: &str) -> Object {
    let text = format!(
        "{{apiVersion: v1, kind: Pod, metadata: {{name: p, namespace: default, uid: u}}, spec: {{containers: [{{name: c, \
         image: i, volumeMounts: [{mounts}]}}], volumes: [{volumes}]}}, status: {{containerStatuses: [{{name: c, ready: true, \
         restartCount: 0, volumeMounts: [{status}]}}]}}}}"
    );
    let mut parsed = parse(&text);
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    parsed.objects.remove(0).value
}

/// Returns the printed volumes, volume mounts, and mounts in the status.
fn printed_volumes(object: &Object) -> [Value; 3] {
    let value = object.to_value();
    [
        "/spec/volumes",
        "/spec/containers/0/volumeMounts",
        "/status/containerStatuses/0/volumeMounts",
    ]
    .map(|path| value.pointer(path).cloned().unwrap_or_default())
}

#[test]
fn only_token_volume_added_by_admission_is_compacted() {
    let (name, other) = ("kube-api-access-8xk2d", "kube-api-access-other");
    let (token, scratch) = (token_volume(name, 3607), "{emptyDir: {}, name: v}");
    let rows = [
        ("as admission makes it", token_mount(name), token.clone(), true),
        (
            "after others",
            format!("{{mountPath: /v, name: v}}, {}", token_mount(name)),
            format!("{scratch}, {token}"),
            true,
        ),
        (
            "not the last mount",
            format!("{}, {{mountPath: /v, name: v}}", token_mount(name)),
            format!("{scratch}, {token}"),
            false,
        ),
        (
            "not the last volume",
            token_mount(name),
            format!("{token}, {scratch}"),
            false,
        ),
        (
            "a token that expires after an hour",
            token_mount(name),
            token_volume(name, 3600),
            false,
        ),
        ("another name", token_mount("token"), token_volume("token", 3607), false),
        (
            "mounted twice",
            format!("{{mountPath: /v, name: {name}}}, {}", token_mount(name)),
            token.clone(),
            false,
        ),
        ("not mounted", token_mount("v"), format!("{scratch}, {token}"), false),
        (
            "mount of another token volume",
            token_mount(other),
            format!("{}, {token}", token_volume(other, 3607)),
            false,
        ),
    ];
    for (case, mounts, volumes, is_compacted) in rows {
        let known = mounts
            .rsplit_once("readOnly: true}")
            .map_or(String::new(), |(start, end)| {
                format!("{start}readOnly: true, recursiveReadOnly: Disabled}}{end}")
            });
        let given = pod_with_volumes(&mounts, &volumes, &known);
        let mut compacted = given.clone();
        default_object(&mut compacted);
        assert_eq!(printed_volumes(&compacted), printed_volumes(&given), "{case}");
        let Object::Pod(typed) = &compacted else {
            panic!("{case}")
        };
        assert_eq!(typed.spec.token_volume_suffix.is_some(), is_compacted, "{case}");
        // Decoding the printed pod gives the same pod.
        let mut again = object_from_value(&compacted.to_value()).expect(case);
        default_object(&mut again);
        assert_eq!(again, compacted, "{case}");
    }
}

/// A container status without volume mounts, as older kubelets write it, is printed without them.
#[test]
fn status_without_volume_mounts_is_printed_unchanged() {
    let name = "kube-api-access-8xk2d";
    let mut compacted = pod_with_volumes(&token_mount(name), &token_volume(name, 3607), "");
    default_object(&mut compacted);
    assert_eq!(printed_volumes(&compacted)[2], Value::Null);
}
