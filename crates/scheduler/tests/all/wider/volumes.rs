//! Volumes: limits of drivers, attachments, static and provisioned volumes, capacity, claims of one pod alone.

use serde_json::{Value, json};

use crate::wider::{Row, check, labelled, new, node, on, two, zoned};

const FULL: &str = "node(s) exceed max volume count";
const NO_VOLUME: &str = "node(s) didn't find available persistent volumes to bind";
const ELSEWHERE: &str = "node(s) didn't match PersistentVolume's node affinity";
const NO_SPACE: &str = "node(s) did not have enough free storage";
const IN_USE: &str =
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod";

fn object(api: &str, kind: &str, name: &str, more: Value) -> Value {
    crate::wider::merged(
        json!({"apiVersion": api, "kind": kind, "metadata": {"name": name}}),
        &more,
    )
}

fn csi_node(name: &str, count: Option<i64>) -> Value {
    let allocatable = count.map(|count| json!({"count": count}));
    let driver = json!({"name": "csi.example.com", "nodeID": name, "topologyKeys": null, "allocatable": allocatable});
    object(
        "storage.k8s.io/v1",
        "CSINode",
        name,
        json!({"spec": {"drivers": [driver]}}),
    )
}

/// A volume of the driver, bound to a claim of the same number.
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
        crate::wider::merged(base, &more),
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
        crate::wider::merged(base, &more),
    )
}

/// A claim and its volume, bound.
fn bound(number: u32, more: Value) -> Vec<Value> {
    let is_bound = json!({
        "metadata": {"annotations": {"pv.kubernetes.io/bind-completed": "yes"}},
        "spec": {"volumeName": format!("v{number}")}, "status": {"phase": "Bound"},
    });
    vec![claim(number, is_bound), volume(number, more)]
}

fn class(name: &str, provisioner: &str, more: Value) -> Value {
    let base = json!({"provisioner": provisioner, "volumeBindingMode": "WaitForFirstConsumer"});
    object(
        "storage.k8s.io/v1",
        "StorageClass",
        name,
        crate::wider::merged(base, &more),
    )
}

fn attachment(name: &str, node: &str, volume: &str) -> Value {
    let spec = json!({"attacher": "csi.example.com", "nodeName": node, "source": {"persistentVolumeName": volume}});
    object("storage.k8s.io/v1", "VolumeAttachment", name, json!({"spec": spec}))
}

/// The volumes of a pod that uses these claims.
fn uses(claims: &[u32]) -> Value {
    let volume = |number: &u32| json!({"name": format!("n{number}"), "persistentVolumeClaim": {"claimName": format!("c{number}")}});
    json!({"spec": {"volumes": claims.iter().map(volume).collect::<Vec<Value>>()}})
}

fn world(parts: &[&[Value]]) -> Vec<Value> {
    parts.concat()
}

/// Shows: SCH-063
#[test]
fn a_driver_attaches_no_more_volumes_than_its_node_allows() {
    let a = [node("a", json!({}))];
    let (one, two, unlimited) = (
        [csi_node("a", Some(1))],
        [csi_node("a", Some(2))],
        [csi_node("a", None)],
    );
    let (first, second) = (bound(1, json!({})), bound(2, json!({})));
    let runs = [on("a", "old", uses(&[1]))];
    let unbound = [class("fast", "csi.example.com", json!({})), claim(3, json!({}))];
    let attached = |number: u32| [attachment("va", "a", &format!("v{number}"))];
    let ephemeral = json!({"spec": {"volumes": [{"name": "n1", "ephemeral": {"volumeClaimTemplate": {}}}]}});
    let not_owned = crate::wider::merged(claim(9, json!({})), &json!({"metadata": {"name": "old-n1"}}));
    let full = format!("a: {FULL}");
    let rows: Vec<Row<'_>> = vec![
        (
            "a pod's volume fills it",
            world(&[&a, &one, &first, &second, &runs]),
            new(uses(&[2])),
            &full,
        ),
        (
            "one volume for two pods",
            world(&[&a, &one, &first, &runs]),
            new(uses(&[1])),
            "a ok",
        ),
        (
            "an unbound claim counts for its provisioner",
            world(&[&a, &one, &first, &unbound, &runs]),
            new(uses(&[3])),
            &full,
        ),
        (
            "what is attached and used by nobody",
            world(&[&a, &one, &first, &second, &attached(1)]),
            new(uses(&[2])),
            &full,
        ),
        (
            "attached and used is one",
            world(&[&a, &two, &first, &second, &attached(1), &runs]),
            new(uses(&[2])),
            "a ok",
        ),
        (
            "its own volume, attached already, counts twice",
            world(&[&a, &one, &second, &attached(2)]),
            new(uses(&[2])),
            &full,
        ),
        (
            "attached elsewhere",
            world(&[&a, &one, &first, &second, &[attachment("va", "b", "v1")]]),
            new(uses(&[2])),
            "a ok",
        ),
        (
            "a driver that says no count",
            world(&[&a, &unlimited, &first, &second, &runs]),
            new(uses(&[2])),
            "a ok",
        ),
        (
            "no CSINode",
            world(&[&a, &first, &second, &runs]),
            new(uses(&[2])),
            "a ok",
        ),
        (
            "another pod's ephemeral claim that is not its own fails the cycle",
            world(&[&a, &two, &second, &[not_owned], &[on("a", "old", ephemeral)]]),
            new(uses(&[2])),
            "running \"NodeVolumeLimits\" filter plugin: PVC default/old-n1 was not created for pod default/old (pod is not owner)",
        ),
    ];
    check(rows);
}

/// Shows: SCH-067, SCH-068
#[test]
fn an_unbound_claim_needs_a_static_volume_that_its_node_reaches() {
    let local = || class("fast", "kubernetes.io/no-provisioner", json!({}));
    let near = |term: Value| json!({"spec": {"nodeAffinity": {"required": {"nodeSelectorTerms": [term]}}}, "status": {"phase": "Available"}});
    let label = |key: &str, operator: &str, value: &str| json!({"matchExpressions": [{"key": key, "operator": operator, "values": [value]}]});
    let on_b = || near(label("kubernetes.io/hostname", "In", "b"));
    let racks = [
        labelled("a", "rack", "2"),
        labelled("b", "rack", "5"),
        labelled("c", "rack", "many"),
    ];
    let nodes = two();
    let claimed = [local(), claim(1, json!({}))];
    let only_b = format!("a! {NO_VOLUME}; b ok");
    let none = format!("a! {NO_VOLUME}; b! {NO_VOLUME}");
    let rows: Vec<Row<'_>> = vec![
        (
            "by its name's label",
            world(&[&nodes, &claimed, &[volume(1, on_b())]]),
            new(uses(&[1])),
            &only_b,
        ),
        (
            "matchFields of a volume say nothing",
            world(&[
                &nodes,
                &claimed,
                &[volume(
                    1,
                    near(json!({"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["b"]}]})),
                )],
            ]),
            new(uses(&[1])),
            "a ok; b ok",
        ),
        (
            "Gt compares whole numbers",
            world(&[&racks, &claimed, &[volume(1, near(label("rack", "Gt", "3")))]]),
            new(uses(&[1])),
            "a! node(s) didn't find available persistent volumes to bind; b ok; c! node(s) didn't find available persistent volumes to bind",
        ),
        ("no volume at all", world(&[&nodes, &claimed]), new(uses(&[1])), &none),
        (
            "one that is kept for another claim",
            world(&[
                &nodes,
                &claimed,
                &[volume(
                    1,
                    crate::wider::merged(
                        on_b(),
                        &json!({"spec": {"claimRef": {"namespace": "default", "name": "c7"}}}),
                    ),
                )],
            ]),
            new(uses(&[1])),
            &none,
        ),
        (
            "one that is kept for this claim, though it is not Available yet",
            world(&[
                &nodes,
                &claimed,
                &[volume(
                    1,
                    crate::wider::merged(
                        on_b(),
                        &json!({"spec": {"claimRef": {"namespace": "default", "name": "c1"}}, "status": {"phase": "Pending"}}),
                    ),
                )],
            ]),
            new(uses(&[1])),
            &only_b,
        ),
        (
            "too small",
            world(&[
                &nodes,
                &claimed,
                &[volume(
                    1,
                    json!({"spec": {"capacity": {"storage": "9Gi"}}, "status": {"phase": "Available"}}),
                )],
            ]),
            new(uses(&[1])),
            &none,
        ),
        (
            "of another mode",
            world(&[
                &nodes,
                &claimed,
                &[volume(
                    1,
                    json!({"spec": {"volumeMode": "Block"}, "status": {"phase": "Available"}}),
                )],
            ]),
            new(uses(&[1])),
            &none,
        ),
        (
            "released",
            world(&[&nodes, &claimed, &[volume(1, json!({"status": {"phase": "Released"}}))]]),
            new(uses(&[1])),
            &none,
        ),
        (
            "its class in the old annotation",
            world(&[
                &nodes,
                &claimed,
                &[volume(
                    1,
                    crate::wider::merged(
                        on_b(),
                        &json!({"metadata": {"annotations": {"volume.beta.kubernetes.io/storage-class": "fast"}}, "spec": {"storageClassName": "slow"}}),
                    ),
                )],
            ]),
            new(uses(&[1])),
            &only_b,
        ),
        (
            "two claims need two volumes",
            world(&[
                &nodes,
                &claimed,
                &[
                    claim(2, json!({})),
                    volume(1, on_b()),
                    volume(2, on_b()),
                    volume(3, near(label("kubernetes.io/hostname", "In", "a"))),
                ],
            ]),
            new(uses(&[1, 2])),
            &only_b,
        ),
    ];
    check(rows);
}

/// Shows: SCH-064, SCH-065, SCH-066, SCH-067, SCH-069
#[test]
fn a_claim_says_where_its_volume_is_or_can_be_made() {
    let zones = [zoned("a", "z1"), zoned("b", "z2")];
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
    let room = |name: &str, zone: Value, sizes: Value| {
        let base = json!({"metadata": {"namespace": "default"}, "storageClassName": "fast", "nodeTopology": zone});
        object(
            "storage.k8s.io/v1",
            "CSIStorageCapacity",
            name,
            crate::wider::merged(base, &sizes),
        )
    };
    let in_zone = |zone: &str| json!({"matchLabels": {"topology.kubernetes.io/zone": zone}});
    let provisioned = |more: Value| [class("fast", "csi.example.com", more), claim(1, json!({}))];
    let on_b = json!({"spec": {"nodeAffinity": {"required": {"nodeSelectorTerms": [
        {"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "In", "values": ["b"]}]}]}}}});
    let labelled_pv = |value: &str| json!({"metadata": {"labels": {"topology.kubernetes.io/zone": value}}});
    let both = world(&[
        &zones,
        &[
            class("fast", "csi.example.com", json!({})),
            claim(2, json!({})),
            driver(true),
        ],
        &bound(1, on_b.clone()),
    ]);
    let (no_volume_a, no_space_a) = (format!("a! {NO_VOLUME}; b ok"), format!("a! {NO_SPACE}; b ok"));
    let (elsewhere, reasons) = (
        format!("a! {ELSEWHERE}; b ok"),
        format!("a! {ELSEWHERE}, {NO_SPACE}; b! {NO_SPACE}"),
    );
    let no_space = format!("a! {NO_SPACE}; b! {NO_SPACE}");
    let none = format!("a! {NO_VOLUME}; b! {NO_VOLUME}");
    let rows: Vec<Row<'_>> = vec![
        (
            "provisioned anywhere",
            world(&[&zones, &provisioned(json!({}))]),
            new(uses(&[1])),
            "a ok; b ok",
        ),
        (
            "allowed in one zone",
            world(&[&zones, &provisioned(zone(in_z2))]),
            new(uses(&[1])),
            &no_volume_a,
        ),
        (
            "a term without expressions allows nothing",
            world(&[&zones, &provisioned(zone(json!({})))]),
            new(uses(&[1])),
            &none,
        ),
        (
            "promised to a node",
            world(&[
                &zones,
                &[
                    class("fast", "csi.example.com", json!({})),
                    claim(
                        1,
                        json!({"metadata": {"annotations": {"volume.kubernetes.io/selected-node": "b"}}}),
                    ),
                ],
            ]),
            new(uses(&[1])),
            &no_volume_a,
        ),
        (
            "room for it in one zone",
            world(&[
                &zones,
                &provisioned(json!({})),
                &[
                    driver(true),
                    room("r1", in_zone("z1"), json!({"capacity": "9Gi"})),
                    room("r2", in_zone("z2"), json!({"capacity": "10Gi"})),
                ],
            ]),
            new(uses(&[1])),
            &no_space_a,
        ),
        (
            "the largest volume counts before the room",
            world(&[
                &zones,
                &provisioned(json!({})),
                &[
                    driver(true),
                    room(
                        "r1",
                        json!({}),
                        json!({"capacity": "100Gi", "maximumVolumeSize": "9Gi"}),
                    ),
                ],
            ]),
            new(uses(&[1])),
            &no_space,
        ),
        (
            "room that says not where is nowhere",
            world(&[
                &zones,
                &provisioned(json!({})),
                &[driver(true), room("r1", Value::Null, json!({"capacity": "100Gi"}))],
            ]),
            new(uses(&[1])),
            &no_space,
        ),
        (
            "a driver that extension_points not track its room",
            world(&[&zones, &provisioned(json!({})), &[driver(false)]]),
            new(uses(&[1])),
            "a ok; b ok",
        ),
        (
            "bound where one node reaches it",
            world(&[&zones, &bound(1, on_b)]),
            new(uses(&[1])),
            &elsewhere,
        ),
        ("reasons stand in their order", both, new(uses(&[1, 2])), &reasons),
        (
            "labelled with zones",
            world(&[&zones, &[node("c", json!({}))], &bound(1, labelled_pv("z2__z3"))]),
            new(uses(&[1])),
            "a! node(s) had no available volume zone; b ok; c ok",
        ),
        (
            "labelled with what cannot be read",
            world(&[&zones, &bound(1, labelled_pv("z2__"))]),
            new(uses(&[1])),
            "a ok; b ok",
        ),
        (
            "bound to a volume that is gone",
            world(&[&zones, &bound(1, json!({}))[..1]]),
            new(uses(&[1])),
            "VolumeZone! persistentvolume \"v1\" not found",
        ),
        (
            "bound by name only",
            world(&[
                &zones,
                &[claim(1, json!({"spec": {"volumeName": "v1"}})), volume(1, json!({}))],
            ]),
            new(uses(&[1])),
            "VolumeBinding! pod has unbound immediate PersistentVolumeClaims",
        ),
    ];
    check(rows);
}

/// A claim counts once however many use it, a victim once for each.
/// Shows: SCH-061
#[test]
fn a_claim_of_one_pod_alone_keeps_others_out_of_every_node() {
    let nodes = two();
    let alone = bound(1, json!({}));
    let alone = [
        crate::wider::merged(
            alone[0].clone(),
            &json!({"spec": {"accessModes": ["ReadWriteOncePod"]}}),
        ),
        alone[1].clone(),
    ];
    let high = |more: &Value| new(crate::wider::merged(json!({"spec": {"priority": 10}}), more));
    let keeps_out = format!("a: {IN_USE}; b: {IN_USE}");
    let of_one = format!("{keeps_out}; a* without old");
    let of_two = format!("{keeps_out}; a* without old; b* without older");
    let rows: Vec<Row<'_>> = vec![
        (
            "without a victim",
            world(&[&nodes, &alone, &[on("a", "old", uses(&[1]))]]),
            new(uses(&[1])),
            &keeps_out,
        ),
        (
            "its user is a victim",
            world(&[&nodes, &alone, &[on("a", "old", uses(&[1]))]]),
            high(&uses(&[1])),
            &of_one,
        ),
        (
            "two users",
            world(&[
                &nodes,
                &alone,
                &[on("a", "old", uses(&[1])), on("b", "older", uses(&[1]))],
            ]),
            high(&uses(&[1])),
            &of_two,
        ),
        (
            "the user's node is gone",
            world(&[&nodes, &alone, &[on("gone", "old", uses(&[1]))]]),
            new(uses(&[1])),
            "a ok; b ok",
        ),
    ];
    check(rows);
}
