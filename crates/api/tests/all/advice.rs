//! Advice about manifests (P-08).

use podscope_api::{Object, advice, parse};

/// Returns the advice about a manifest: the index of the object, the field path, and the text.
fn object_path_and_text_of_advice(text: &str) -> Vec<(usize, String, String)> {
    let parsed = parse(text);
    assert_eq!(parsed.problems, [], "{text}");
    let objects: Vec<Object> = parsed.objects.into_iter().map(|object| object.value).collect();
    advice(&objects)
        .into_iter()
        .map(|advice| (advice.object, advice.path, advice.text))
        .collect()
}

/// Asserts the advice about a manifest: the index of the object, the field path, and a part of the text.
fn assert_advice(text: &str, expected: &[(usize, &str, &str)]) {
    let got = object_path_and_text_of_advice(text);
    let same = got.len() == expected.len()
        && got
            .iter()
            .zip(expected)
            .all(|(got, expected)| got.0 == expected.0 && got.1 == expected.1 && got.2.contains(expected.2));
    assert!(same, "{text}\n  got: {got:#?}\n  expected: {expected:#?}");
}

/// Shows: P-08
#[test]
fn advice_warns_about_volumes_with_several_writers() {
    const CONTAINER_WITH_MOUNT: &str = "containers: [{name: c, volumeMounts: [{name: d, mountPath: /d}]}]";
    let deployment = |kind: &str, volume: &str| {
        format!(
            "apiVersion: apps/v1\nkind: {kind}\nmetadata: {{name: w}}\nspec: {{template: {{spec: {{{CONTAINER_WITH_MOUNT}, volumes: [{{name: d, {volume}}}]}}}}}}\n"
        )
    };
    let expected = [(
        0,
        "spec.template.spec.volumes[0]",
        "NFS lets several nodes write at once, and a Deployment",
    )];
    assert_advice(&deployment("Deployment", "nfs: {server: s, path: /p}"), &expected);
    assert_advice(&deployment("StatefulSet", "nfs: {server: s, path: /p}"), &[]);
    assert_advice(
        &deployment("Deployment", "nfs: {server: s, path: /p, readOnly: true}"),
        &[],
    );
    assert_advice(&deployment("Deployment", "awsElasticBlockStore: {volumeID: v}"), &[]);
    let claims = "---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: c1}\nspec: {volumeName: v1}\n---\n\
                  apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: v1}\nspec: {iscsi: {lun: 1}}\n";
    assert_advice(
        &format!(
            "{}{claims}",
            deployment("ReplicaSet", "persistentVolumeClaim: {claimName: c1}")
        ),
        &[(
            0,
            "spec.template.spec.volumes[0]",
            "iSCSI lets several nodes write at once, and a ReplicaSet",
        )],
    );
}

/// For an unbound claim, advice considers the volume it would bind to, or the backend that its class provisions.
/// Shows: P-08
#[test]
fn advice_resolves_unbound_claims_to_their_backend() {
    let deployment = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: w}\nspec: {template: {spec: {containers: \
        [{name: c, volumeMounts: [{name: d, mountPath: /d}]}], volumes: [{name: d, persistentVolumeClaim: {claimName: c1}}]}}}\n---\n";
    let claim = |spec: &str| {
        format!(
            "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {{name: c1}}\nspec: {{accessModes: [ReadWriteOnce], \
             resources: {{requests: {{storage: 5Gi}}}}, {spec}}}\n---\n"
        )
    };
    let volume = |name: &str, size: &str, source: &str| {
        format!(
            "apiVersion: v1\nkind: PersistentVolume\nmetadata: {{name: {name}}}\nspec: {{capacity: {{storage: {size}}}, \
             accessModes: [ReadWriteOnce, ReadWriteMany], storageClassName: slow, {source}}}\n---\n"
        )
    };
    let class = |name: &str, provisioner: &str, is_default: bool| {
        format!(
            "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {{name: {name}, annotations: \
             {{storageclass.kubernetes.io/is-default-class: '{is_default}'}}}}\nprovisioner: {provisioner}\n"
        )
    };
    let nfs = volume("v1", "5Gi", "nfs: {server: s, path: /p}");
    let (small, disk) = (
        volume("v0", "1Gi", "nfs: {server: s, path: /p}"),
        volume("v0", "5Gi", "awsElasticBlockStore: {volumeID: v}"),
    );
    let expected = |text| [(0, "spec.template.spec.volumes[0]", text)];
    let slow = claim("storageClassName: slow");
    assert_advice(
        &format!("{deployment}{slow}{nfs}"),
        &expected("NFS lets several nodes write"),
    );
    assert_advice(&format!("{deployment}{slow}{small}"), &[]);
    assert_advice(&format!("{deployment}{slow}{disk}"), &[]);
    assert_advice(&format!("{deployment}{}{nfs}", claim("storageClassName: other")), &[]);
    assert_advice(
        &format!(
            "{deployment}{slow}{}",
            class("slow", "rook-ceph.cephfs.csi.ceph.com", false)
        ),
        &expected("CephFS lets several nodes write"),
    );
    assert_advice(
        &format!(
            "{deployment}{}{}",
            claim("volumeMode: Filesystem"),
            class("std", "nfs.csi.k8s.io", true)
        ),
        &expected("NFS lets several nodes write"),
    );
    assert_advice(
        &format!(
            "{deployment}{}{}",
            claim("volumeMode: Filesystem"),
            class("std", "ebs.csi.aws.com", true)
        ),
        &[],
    );
}

/// Shows: P-08
#[test]
fn advice_warns_about_too_short_grace_period() {
    let pod = |annotation: &str, spec: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: p, annotations: {{{annotation}}}}}\nspec: {{{spec}, containers: \
             [{{name: c, lifecycle: {{preStop: {{exec: {{command: [x]}}}}}}}}]}}\n"
        )
    };
    let expected = |text| [(0, "spec.terminationGracePeriodSeconds", text)];
    assert_advice(
        &pod("behavior.podscope.dev/c: 'prestop=25s, sigterm=5s'", "priority: 1"),
        &expected("The grace period of 30 s is not longer than preStop (25s) plus shutdown (5s) of container \"c\""),
    );
    assert_advice(
        &pod("behavior.podscope.dev/c: 'prestop=25s, sigterm=4s'", "priority: 1"),
        &[],
    );
    assert_advice(
        &pod("a: b", "terminationGracePeriodSeconds: 2"),
        &expected("The grace period of 2 s is not longer than preStop (1s) plus shutdown (1s)"),
    );
    assert_advice(&pod("behavior.podscope.dev/c: prestop=hang", "priority: 1"), &[]);
}

/// Shows: P-08
#[test]
fn advice_warns_about_affinity_to_lower_priority_pod() {
    let text = |class: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: low, labels: {{app: db}}}}\nspec: {{containers: [{{name: c}}]}}\n---\n\
             apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {{name: high}}\nvalue: 100\n---\n\
             apiVersion: v1\nkind: Pod\nmetadata: {{name: p}}\nspec: {{{class}containers: [{{name: c}}], affinity: {{podAffinity: \
             {{requiredDuringSchedulingIgnoredDuringExecution: [{{topologyKey: kubernetes.io/hostname, labelSelector: \
             {{matchLabels: {{app: db}}}}}}]}}}}}}\n"
        )
    };
    assert_advice(
        &text("priorityClassName: high, "),
        &[(
            2,
            "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0]",
            "This needs pods of lower priority (Pod \"low\")",
        )],
    );
    assert_advice(&text(""), &[]);
}

/// Shows: P-08
#[test]
fn advice_warns_about_ineffective_spread_constraint() {
    let pod = |name: &str, label: &str, constraint: &str| {
        format!(
            "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: {name}, labels: {{app: {label}}}}}\nspec: \
             {{topologySpreadConstraints: [{{whenUnsatisfiable: DoNotSchedule, {constraint}}}], containers: [{{name: c}}]}}\n"
        )
    };
    const ZONE_CONSTRAINT: &str = "maxSkew: 1, topologyKey: topology.kubernetes.io/zone";
    let selecting = "labelSelector: {matchLabels: {app: a}}";
    let path = "spec.topologySpreadConstraints[0].labelSelector";
    assert_advice(&pod("p", "a", &format!("{ZONE_CONSTRAINT}, {selecting}")), &[]);
    assert_advice(
        &pod("p", "b", &format!("{ZONE_CONSTRAINT}, {selecting}")),
        &[(0, path, "does not match the pod's own labels")],
    );
    assert_advice(&pod("p", "a", ZONE_CONSTRAINT), &[(0, path, "counts no pod")]);
    assert_advice(
        &pod("p", "a", &format!("maxSkew: 1, topologyKey: zone, {selecting}")),
        &[(
            0,
            "spec.topologySpreadConstraints[0].topologyKey",
            "\"zone\" is a private label key; every cluster knows \"topology.kubernetes.io/zone\" instead",
        )],
    );
    let two = pod("p", "a", &format!("{ZONE_CONSTRAINT}, {selecting}"))
        + &pod(
            "q",
            "a",
            &format!("maxSkew: 2, topologyKey: topology.kubernetes.io/zone, {selecting}"),
        );
    assert_advice(
        &two,
        &[
            (
                0,
                path,
                "also counts the pods of Pod \"q\", which have other spread constraints",
            ),
            (1, path, "also counts the pods of Pod \"p\""),
        ],
    );
}

/// Shows: P-08, LC-117, LC-144
#[test]
fn advice_warns_about_handlers_that_kubelet_cannot_run() {
    let pod = |container: &str| {
        format!(
            "{{apiVersion: v1, kind: Pod, metadata: {{name: p}}, spec: {{containers: [{{name: c, {container}}}]}}}}"
        )
    };
    assert_advice(
        &pod("livenessProbe: {httpGet: {port: web}}"),
        &[(0, "spec.containers[0].livenessProbe.httpGet.port", "no port named web")],
    );
    assert_advice(
        &pod("lifecycle: {postStart: {httpGet: {port: web}}, preStop: {tcpSocket: {port: 80}}}"),
        &[
            (
                0,
                "spec.containers[0].lifecycle.postStart.httpGet.port",
                "the hook fails",
            ),
            (0, "spec.containers[0].lifecycle.preStop.tcpSocket", "it always fails"),
        ],
    );
    assert_advice(&pod("lifecycle: {preStop: {httpGet: {port: 80}}}"), &[]);
}
