//! Tests of decisions about volumes: volume limits, attachments, static and provisioned volumes, storage capacity,
//! ReadWriteOncePod claims.

use serde_json::{Value, json};

use crate::extra_decisions::{Row, check_rows, labelled_node, new_pod, node, node_in_zone, nodes_a_and_b, pod_on};

const REASON_VOLUME_LIMIT: &str = "node(s) exceed max volume count";
const REASON_NO_VOLUME: &str = "node(s) didn't find available persistent volumes to bind";
const REASON_VOLUME_AFFINITY: &str = "node(s) didn't match PersistentVolume's node affinity";
const REASON_NO_SPACE: &str = "node(s) did not have enough free storage";
const REASON_CLAIM_IN_USE: &str =
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod";

fn object(api: &str, kind: &str, name: &str, more: Value) -> Value {
    crate::extra_decisions::merged(
        json!({"apiVersion": api, "kind": kind, "metadata": {"name": name}}),
        &more,
    )
}

fn csi_node(name: &str, volume_limit: Option<i64>) -> Value {
    let allocatable = volume_limit.map(|count| json!({"count": count}));
    let driver = json!({"name": "csi.example.com", "nodeID": name, "topologyKeys": null, "allocatable": allocatable});
    object(
        "storage.k8s.io/v1",
        "CSINode",
        name,
        json!({"spec": {"drivers": [driver]}}),
    )
}

/// Returns a CSI volume with the name `v<number>`.
fn volume(number: u32, more: Value) -> Value {
    let base = json!({
        "spec": {
            "capacity": {"storage": "10Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": "fast",
            "csi": {"driver": "csi.example.com", "volumeHandle": format!("h{number}")},
        },
        "status": {"phase": "Bound"},
    });
    object(
        "v1",
        "PersistentVolume",
        &format!("v{number}"),
        crate::extra_decisions::merged(base, &more),
    )
}

fn claim(number: u32, more: Value) -> Value {
    let base = json!({
        "metadata": {"namespace": "default", "uid": format!("uid-{number}")},
        "spec": {
            "accessModes": ["ReadWriteOnce"], "storageClassName": "fast",
            "resources": {"requests": {"storage": "10Gi"}},
        },
        "status": {"phase": "Pending"},
    });
    object(
        "v1",
        "PersistentVolumeClaim",
        &format!("c{number}"),
        crate::extra_decisions::merged(base, &more),
    )
}

/// Returns a claim and the volume that it is bound to.
fn bound_claim_and_volume(number: u32, more: Value) -> Vec<Value> {
    let is_bound = json!({
        "metadata": {"annotations": {"pv.kubernetes.io/bind-completed": "yes"}},
        "spec": {"volumeName": format!("v{number}")}, "status": {"phase": "Bound"},
    });
    vec![claim(number, is_bound), volume(number, more)]
}

fn storage_class(name: &str, provisioner: &str, more: Value) -> Value {
    let base = json!({"provisioner": provisioner, "volumeBindingMode": "WaitForFirstConsumer"});
    object(
        "storage.k8s.io/v1",
        "StorageClass",
        name,
        crate::extra_decisions::merged(base, &more),
    )
}

fn attachment(name: &str, node: &str, volume: &str) -> Value {
    let spec = json!({"attacher": "csi.example.com", "nodeName": node, "source": {"persistentVolumeName": volume}});
    object("storage.k8s.io/v1", "VolumeAttachment", name, json!({"spec": spec}))
}

/// Returns the fields of a pod with volumes for the given claims.
fn with_claims(claims: &[u32]) -> Value {
    let volume = |number: &u32| json!({"name": format!("n{number}"), "persistentVolumeClaim": {"claimName": format!("c{number}")}});
    json!({"spec": {"volumes": claims.iter().map(volume).collect::<Vec<Value>>()}})
}

fn concat_objects(parts: &[&[Value]]) -> Vec<Value> {
    parts.concat()
}

/// Shows: SCH-063
#[test]
fn volume_limit_of_csi_node_is_enforced() {
    let a = [node("a", json!({}))];
    let (limit_one, limit_two, unlimited) = (
        [csi_node("a", Some(1))],
        [csi_node("a", Some(2))],
        [csi_node("a", None)],
    );
    let (first, second) = (
        bound_claim_and_volume(1, json!({})),
        bound_claim_and_volume(2, json!({})),
    );
    let runs = [pod_on("a", "old", with_claims(&[1]))];
    let unbound = [storage_class("fast", "csi.example.com", json!({})), claim(3, json!({}))];
    let attached = |number: u32| [attachment("va", "a", &format!("v{number}"))];
    let ephemeral = json!({"spec": {"volumes": [{"name": "n1", "ephemeral": {"volumeClaimTemplate": {}}}]}});
    let not_owned = crate::extra_decisions::merged(claim(9, json!({})), &json!({"metadata": {"name": "old-n1"}}));
    let full = format!("a: {REASON_VOLUME_LIMIT}");
    let rows: Vec<Row<'_>> = vec![
        (
            "volume of a running pod reaches the limit",
            concat_objects(&[&a, &limit_one, &first, &second, &runs]),
            new_pod(with_claims(&[2])),
            &full,
        ),
        (
            "one volume for two pods",
            concat_objects(&[&a, &limit_one, &first, &runs]),
            new_pod(with_claims(&[1])),
            "a ok",
        ),
        (
            "an unbound claim counts for its provisioner",
            concat_objects(&[&a, &limit_one, &first, &unbound, &runs]),
            new_pod(with_claims(&[3])),
            &full,
        ),
        (
            "attached volume without a pod counts",
            concat_objects(&[&a, &limit_one, &first, &second, &attached(1)]),
            new_pod(with_claims(&[2])),
            &full,
        ),
        (
            "attached and used volume counts once",
            concat_objects(&[&a, &limit_two, &first, &second, &attached(1), &runs]),
            new_pod(with_claims(&[2])),
            "a ok",
        ),
        (
            "attached volume of the new pod counts twice",
            concat_objects(&[&a, &limit_one, &second, &attached(2)]),
            new_pod(with_claims(&[2])),
            &full,
        ),
        (
            "volume attached to another node",
            concat_objects(&[&a, &limit_one, &first, &second, &[attachment("va", "b", "v1")]]),
            new_pod(with_claims(&[2])),
            "a ok",
        ),
        (
            "driver without a limit",
            concat_objects(&[&a, &unlimited, &first, &second, &runs]),
            new_pod(with_claims(&[2])),
            "a ok",
        ),
        (
            "no CSINode",
            concat_objects(&[&a, &first, &second, &runs]),
            new_pod(with_claims(&[2])),
            "a ok",
        ),
        (
            "ephemeral claim not owned by a running pod fails the cycle",
            concat_objects(&[&a, &limit_two, &second, &[not_owned], &[pod_on("a", "old", ephemeral)]]),
            new_pod(with_claims(&[2])),
            "running \"NodeVolumeLimits\" filter plugin: PVC default/old-n1 was not created for pod default/old (pod is not owner)",
        ),
    ];
    check_rows(rows);
}

/// Shows: SCH-067, SCH-068
#[test]
fn unbound_claim_needs_reachable_static_volume() {
    let local = || storage_class("fast", "kubernetes.io/no-provisioner", json!({}));
    let near = |term: Value| json!({"spec": {"nodeAffinity": {"required": {"nodeSelectorTerms": [term]}}}, "status": {"phase": "Available"}});
    let label = |key: &str, operator: &str, value: &str| json!({"matchExpressions": [{"key": key, "operator": operator, "values": [value]}]});
    let on_b = || near(label("kubernetes.io/hostname", "In", "b"));
    let racks = [
        labelled_node("a", "rack", "2"),
        labelled_node("b", "rack", "5"),
        labelled_node("c", "rack", "many"),
    ];
    let nodes = nodes_a_and_b();
    let claimed = [local(), claim(1, json!({}))];
    let only_b = format!("a! {REASON_NO_VOLUME}; b ok");
    let none = format!("a! {REASON_NO_VOLUME}; b! {REASON_NO_VOLUME}");
    let rows: Vec<Row<'_>> = vec![
        (
            "volume affinity to the hostname label",
            concat_objects(&[&nodes, &claimed, &[volume(1, on_b())]]),
            new_pod(with_claims(&[1])),
            &only_b,
        ),
        (
            "matchFields of a volume are ignored",
            concat_objects(&[
                &nodes,
                &claimed,
                &[volume(
                    1,
                    near(json!({"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["b"]}]})),
                )],
            ]),
            new_pod(with_claims(&[1])),
            "a ok; b ok",
        ),
        (
            "Gt compares whole numbers",
            concat_objects(&[&racks, &claimed, &[volume(1, near(label("rack", "Gt", "3")))]]),
            new_pod(with_claims(&[1])),
            "a! node(s) didn't find available persistent volumes to bind; b ok; c! node(s) didn't find available persistent volumes to bind",
        ),
        (
            "no volume at all",
            concat_objects(&[&nodes, &claimed]),
            new_pod(with_claims(&[1])),
            &none,
        ),
        (
            "volume pre-bound to another claim",
            concat_objects(&[
                &nodes,
                &claimed,
                &[volume(
                    1,
                    crate::extra_decisions::merged(
                        on_b(),
                        &json!({"spec": {"claimRef": {"namespace": "default", "name": "c7"}}}),
                    ),
                )],
            ]),
            new_pod(with_claims(&[1])),
            &none,
        ),
        (
            "volume pre-bound to this claim, not Available yet",
            concat_objects(&[
                &nodes,
                &claimed,
                &[volume(
                    1,
                    crate::extra_decisions::merged(
                        on_b(),
                        &json!({"spec": {"claimRef": {"namespace": "default", "name": "c1"}}, "status": {"phase": "Pending"}}),
                    ),
                )],
            ]),
            new_pod(with_claims(&[1])),
            &only_b,
        ),
        (
            "volume too small",
            concat_objects(&[
                &nodes,
                &claimed,
                &[volume(
                    1,
                    json!({"spec": {"capacity": {"storage": "9Gi"}}, "status": {"phase": "Available"}}),
                )],
            ]),
            new_pod(with_claims(&[1])),
            &none,
        ),
        (
            "volume with another volumeMode",
            concat_objects(&[
                &nodes,
                &claimed,
                &[volume(
                    1,
                    json!({"spec": {"volumeMode": "Block"}, "status": {"phase": "Available"}}),
                )],
            ]),
            new_pod(with_claims(&[1])),
            &none,
        ),
        (
            "released volume",
            concat_objects(&[&nodes, &claimed, &[volume(1, json!({"status": {"phase": "Released"}}))]]),
            new_pod(with_claims(&[1])),
            &none,
        ),
        (
            "class in the beta annotation",
            concat_objects(&[
                &nodes,
                &claimed,
                &[volume(
                    1,
                    crate::extra_decisions::merged(
                        on_b(),
                        &json!({"metadata": {"annotations": {"volume.beta.kubernetes.io/storage-class": "fast"}}, "spec": {"storageClassName": "slow"}}),
                    ),
                )],
            ]),
            new_pod(with_claims(&[1])),
            &only_b,
        ),
        (
            "two claims need two volumes",
            concat_objects(&[
                &nodes,
                &claimed,
                &[
                    claim(2, json!({})),
                    volume(1, on_b()),
                    volume(2, on_b()),
                    volume(3, near(label("kubernetes.io/hostname", "In", "a"))),
                ],
            ]),
            new_pod(with_claims(&[1, 2])),
            &only_b,
        ),
    ];
    check_rows(rows);
}

/// Shows: SCH-064, SCH-065, SCH-066, SCH-067, SCH-069
#[test]
fn claim_restricts_nodes_by_topology_and_capacity() {
    let zones = [node_in_zone("a", "z1"), node_in_zone("b", "z2")];
    let zone = |term: Value| json!({"allowedTopologies": [term]});
    let in_z2 = json!({"matchLabelExpressions": [{"key": "topology.kubernetes.io/zone", "values": ["z2"]}]});
    let driver = |tracks: bool| {
        object(
            "storage.k8s.io/v1",
            "CSIDriver",
            "csi.example.com",
            json!({"spec": {"storageCapacity": tracks}}),
        )
    };
    let capacity = |name: &str, zone: Value, sizes: Value| {
        let base = json!({"metadata": {"namespace": "default"}, "storageClassName": "fast", "nodeTopology": zone});
        object(
            "storage.k8s.io/v1",
            "CSIStorageCapacity",
            name,
            crate::extra_decisions::merged(base, &sizes),
        )
    };
    let in_zone = |zone: &str| json!({"matchLabels": {"topology.kubernetes.io/zone": zone}});
    let provisioned = |more: Value| [storage_class("fast", "csi.example.com", more), claim(1, json!({}))];
    let on_b = json!({"spec": {"nodeAffinity": {"required": {"nodeSelectorTerms": [
        {"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "In", "values": ["b"]}]}]}}}});
    let labelled_pv = |value: &str| json!({"metadata": {"labels": {"topology.kubernetes.io/zone": value}}});
    let both = concat_objects(&[
        &zones,
        &[
            storage_class("fast", "csi.example.com", json!({})),
            claim(2, json!({})),
            driver(true),
        ],
        &bound_claim_and_volume(1, on_b.clone()),
    ]);
    let (no_volume_a, no_space_a) = (
        format!("a! {REASON_NO_VOLUME}; b ok"),
        format!("a! {REASON_NO_SPACE}; b ok"),
    );
    let (elsewhere, reasons) = (
        format!("a! {REASON_VOLUME_AFFINITY}; b ok"),
        format!("a! {REASON_VOLUME_AFFINITY}, {REASON_NO_SPACE}; b! {REASON_NO_SPACE}"),
    );
    let no_space = format!("a! {REASON_NO_SPACE}; b! {REASON_NO_SPACE}");
    let none = format!("a! {REASON_NO_VOLUME}; b! {REASON_NO_VOLUME}");
    let rows: Vec<Row<'_>> = vec![
        (
            "provisionable on every node",
            concat_objects(&[&zones, &provisioned(json!({}))]),
            new_pod(with_claims(&[1])),
            "a ok; b ok",
        ),
        (
            "allowedTopologies with one zone",
            concat_objects(&[&zones, &provisioned(zone(in_z2))]),
            new_pod(with_claims(&[1])),
            &no_volume_a,
        ),
        (
            "allowedTopologies term without expressions",
            concat_objects(&[&zones, &provisioned(zone(json!({})))]),
            new_pod(with_claims(&[1])),
            &none,
        ),
        (
            "selected-node annotation",
            concat_objects(&[
                &zones,
                &[
                    storage_class("fast", "csi.example.com", json!({})),
                    claim(
                        1,
                        json!({"metadata": {"annotations": {"volume.kubernetes.io/selected-node": "b"}}}),
                    ),
                ],
            ]),
            new_pod(with_claims(&[1])),
            &no_volume_a,
        ),
        (
            "enough capacity in one zone",
            concat_objects(&[
                &zones,
                &provisioned(json!({})),
                &[
                    driver(true),
                    capacity("r1", in_zone("z1"), json!({"capacity": "9Gi"})),
                    capacity("r2", in_zone("z2"), json!({"capacity": "10Gi"})),
                ],
            ]),
            new_pod(with_claims(&[1])),
            &no_space_a,
        ),
        (
            "maximumVolumeSize takes precedence over capacity",
            concat_objects(&[
                &zones,
                &provisioned(json!({})),
                &[
                    driver(true),
                    capacity(
                        "r1",
                        json!({}),
                        json!({"capacity": "100Gi", "maximumVolumeSize": "9Gi"}),
                    ),
                ],
            ]),
            new_pod(with_claims(&[1])),
            &no_space,
        ),
        (
            "capacity without topology is ignored",
            concat_objects(&[
                &zones,
                &provisioned(json!({})),
                &[driver(true), capacity("r1", Value::Null, json!({"capacity": "100Gi"}))],
            ]),
            new_pod(with_claims(&[1])),
            &no_space,
        ),
        (
            "driver without capacity tracking",
            concat_objects(&[&zones, &provisioned(json!({})), &[driver(false)]]),
            new_pod(with_claims(&[1])),
            "a ok; b ok",
        ),
        (
            "bound volume reachable from one node",
            concat_objects(&[&zones, &bound_claim_and_volume(1, on_b)]),
            new_pod(with_claims(&[1])),
            &elsewhere,
        ),
        (
            "several reasons in kube-scheduler's order",
            both,
            new_pod(with_claims(&[1, 2])),
            &reasons,
        ),
        (
            "zone label with several zones",
            concat_objects(&[
                &zones,
                &[node("c", json!({}))],
                &bound_claim_and_volume(1, labelled_pv("z2__z3")),
            ]),
            new_pod(with_claims(&[1])),
            "a! node(s) had no available volume zone; b ok; c ok",
        ),
        (
            "invalid zone label is ignored",
            concat_objects(&[&zones, &bound_claim_and_volume(1, labelled_pv("z2__"))]),
            new_pod(with_claims(&[1])),
            "a ok; b ok",
        ),
        (
            "bound volume does not exist",
            concat_objects(&[&zones, &bound_claim_and_volume(1, json!({}))[..1]]),
            new_pod(with_claims(&[1])),
            "VolumeZone! persistentvolume \"v1\" not found",
        ),
        (
            "volumeName set but binding not completed",
            concat_objects(&[
                &zones,
                &[claim(1, json!({"spec": {"volumeName": "v1"}})), volume(1, json!({}))],
            ]),
            new_pod(with_claims(&[1])),
            "VolumeBinding! pod has unbound immediate PersistentVolumeClaims",
        ),
    ];
    check_rows(rows);
}

/// A claim in use counts as one conflict, however many pods use it, but each pod that preemption removes subtracts one.
/// So it seems enough to remove one of two users.
/// Shows: SCH-061
#[test]
fn read_write_once_pod_claim_excludes_other_pods_on_all_nodes() {
    let nodes = nodes_a_and_b();
    let exclusive = bound_claim_and_volume(1, json!({}));
    let exclusive = [
        crate::extra_decisions::merged(
            exclusive[0].clone(),
            &json!({"spec": {"accessModes": ["ReadWriteOncePod"]}}),
        ),
        exclusive[1].clone(),
    ];
    let high = |more: &Value| new_pod(crate::extra_decisions::merged(json!({"spec": {"priority": 10}}), more));
    let both_rejected = format!("a: {REASON_CLAIM_IN_USE}; b: {REASON_CLAIM_IN_USE}");
    let of_one = format!("{both_rejected}; a* without old");
    let of_two = format!("{both_rejected}; a* without old; b* without older");
    let rows: Vec<Row<'_>> = vec![
        (
            "user has equal priority",
            concat_objects(&[&nodes, &exclusive, &[pod_on("a", "old", with_claims(&[1]))]]),
            new_pod(with_claims(&[1])),
            &both_rejected,
        ),
        (
            "user is a victim",
            concat_objects(&[&nodes, &exclusive, &[pod_on("a", "old", with_claims(&[1]))]]),
            high(&with_claims(&[1])),
            &of_one,
        ),
        (
            "two users",
            concat_objects(&[
                &nodes,
                &exclusive,
                &[
                    pod_on("a", "old", with_claims(&[1])),
                    pod_on("b", "older", with_claims(&[1])),
                ],
            ]),
            high(&with_claims(&[1])),
            &of_two,
        ),
        (
            "node of the user does not exist",
            concat_objects(&[&nodes, &exclusive, &[pod_on("gone", "old", with_claims(&[1]))]]),
            new_pod(with_claims(&[1])),
            "a ok; b ok",
        ),
    ];
    check_rows(rows);
}
