//! Tests of the StatefulSet controller (C-02, CT-070 to CT-086).

use podscope_api::{ControllerRevision, Kind, PersistentVolumeClaim, Pod, PodPhase, StatefulSet};

use super::super::lab::Lab;
use podscope_sim::Span;

/// Returns the manifest of the StatefulSet `db`.
fn db_manifest(replicas: i32, extra_spec: &str) -> String {
    format!(
        "{{apiVersion: apps/v1, kind: StatefulSet, metadata: {{name: db}}, spec: {{replicas: {replicas}, serviceName: db, {extra_spec} \
         selector: {{matchLabels: {{app: db}}}}, \
         template: {{metadata: {{labels: {{app: db}}}}, spec: {{containers: [{{name: db, image: 'db:1'}}]}}}}}}}}"
    )
}

fn set_image(lab: &mut Lab, image: &'static str) {
    lab.edit::<StatefulSet>("db", move |set| {
        let template = std::sync::Arc::make_mut(&mut set.spec.template);
        std::sync::Arc::make_mut(&mut template.spec.containers)[0].image = image.into();
    });
}

/// Returns the image of a pod; `-` if the pod does not exist.
fn image_of_pod(lab: &Lab, pod: &str) -> String {
    lab.get::<Pod>(pod)
        .map_or_else(|| "-".into(), |pod| pod.spec.containers[0].image.to_string())
}

fn set_replicas(lab: &mut Lab, replicas: i32) {
    lab.edit::<StatefulSet>("db", move |set| set.spec.replicas = Some(replicas));
}

/// Pods are created in order, each after the previous one is ready, and deleted in reverse order, one at a time.
/// Shows: CT-074, CT-075
#[test]
fn pods_are_created_and_deleted_in_order() {
    let mut lab = Lab::new(&["a-1"], &db_manifest(3, ""));
    for expected in [
        vec!["!db-0"],
        vec!["db-0", "!db-1"],
        vec!["db-0", "db-1", "!db-2"],
        vec!["db-0", "db-1", "db-2"],
    ] {
        lab.run(Span::millis(900));
        assert_eq!(lab.pods(), expected);
        lab.run(Span::millis(120));
    }
    assert!(
        lab.events
            .contains(&"db SuccessfulCreate: Create Pod db-0 in StatefulSet db successful".to_owned()),
        "{:?}",
        lab.events
    );
    set_replicas(&mut lab, 1);
    for expected in [vec!["db-0", "db-1", "-db-2"], vec!["db-0", "-db-1"], vec!["db-0"]] {
        lab.run(Span::millis(900));
        assert_eq!(lab.pods(), expected);
        lab.run(Span::millis(120));
    }
    assert!(
        lab.events
            .contains(&"db SuccessfulDelete: Delete Pod db-2 in StatefulSet db successful".to_owned())
    );
    let pod = lab.get::<Pod>("db-0").unwrap();
    assert_eq!(pod.metadata.label("apps.kubernetes.io/pod-index"), Some("0"));
    assert_eq!((&*pod.spec.hostname, &*pod.spec.subdomain), ("db-0", "db"));
}

/// A change event from before the controller's own writes triggers a sync. The controller waits until its cache
/// contains those writes, instead of creating db-0 twice.
/// Shows: CT-159
#[test]
fn sync_waits_until_cache_contains_own_writes() {
    let mut lab = Lab::new(&["a-1"], &db_manifest(2, ""));
    lab.watch_lag = Span::millis(50);
    lab.edit::<StatefulSet>("db", |set| {
        set.metadata.labels = std::sync::Arc::new([("tier".into(), "data".into())].into());
    });
    lab.run(Span::millis(54));
    assert_eq!(lab.pods(), ["!db-0"], "db-0 was created before the cache shows it");
    let creations = |lab: &Lab| {
        lab.writes
            .iter()
            .filter(|(_, write)| write.starts_with("create pod"))
            .count()
    };
    assert_eq!(creations(&lab), 1);
    lab.run(Span::seconds(10));
    assert_eq!(lab.pods(), ["db-0", "db-1"]);
    let failures: Vec<&String> = lab.events.iter().filter(|event| event.contains("Failed")).collect();
    assert!(failures.is_empty(), "{failures:?}");
}

/// A sync of a set with more replicas than a cluster can hold is not slower than others.
/// Shows: CT-074
#[test]
fn maximum_replica_count_does_not_slow_down_sync() {
    let mut lab = Lab::new(&["a-1"], &db_manifest(i32::MAX, ""));
    lab.run(Span::millis(2_100));
    assert_eq!(lab.pods(), ["db-0", "db-1", "!db-2"]);
}

/// A pod that cannot be confirmed dead blocks its identity; a force delete releases it.
/// Shows: C-02, CT-083, CT-084
#[test]
fn lost_pod_blocks_its_identity_until_force_deleted() {
    let mut lab = Lab::new(&["a-1", "b-1"], &db_manifest(2, ""));
    lab.run(Span::seconds(5));
    let node = lab.get::<Pod>("db-1").unwrap().spec.node_name.clone().unwrap();
    let uid = lab.get::<Pod>("db-1").unwrap().metadata.uid.clone();
    lab.partition(&node);
    lab.delete(Kind::Pod, "db-1", None);
    lab.run(Span::seconds(40));
    assert_eq!(lab.pods(), ["db-0", "-db-1"]);
    lab.delete(Kind::Pod, "db-1", Some(0));
    lab.run(Span::millis(20));
    let successor = lab.get::<Pod>("db-1").unwrap();
    assert_ne!(
        successor.metadata.uid, uid,
        "the successor is created within milliseconds"
    );
}

/// With OrderedReady, pods with lower ordinals are replaced, but not those with higher ordinals. With Parallel, only
/// the slot of the lost pod is blocked.
/// Shows: CT-086
#[test]
fn lost_pod_blocks_higher_ordinals_only_if_ordered() {
    for (more, expected) in [
        ("", vec!["db-0", "-db-1"]),
        ("podManagementPolicy: Parallel,", vec!["db-0", "-db-1", "db-2"]),
    ] {
        let mut lab = Lab::new(&["a-1", "b-1", "c-1"], &db_manifest(3, more));
        lab.run(Span::seconds(8));
        let node = lab.get::<Pod>("db-1").unwrap().spec.node_name.clone().unwrap();
        lab.partition(&node);
        lab.delete(Kind::Pod, "db-1", None);
        lab.delete(Kind::Pod, "db-0", None);
        lab.delete(Kind::Pod, "db-2", None);
        lab.run(Span::seconds(10));
        assert_eq!(lab.pods(), expected, "{more}");
    }
}

/// An update runs from the highest ordinal down to the partition. Pods below it keep the old revision, even if
/// recreated.
/// Shows: CT-077, CT-078
#[test]
fn rolling_update_stops_at_partition() {
    let mut lab = Lab::new(
        &["a-1"],
        &db_manifest(
            3,
            "updateStrategy: {type: RollingUpdate, rollingUpdate: {partition: 1}},",
        ),
    );
    lab.run(Span::seconds(8));
    set_image(&mut lab, "db:2");
    lab.run(Span::millis(500));
    assert_eq!(lab.pods(), ["db-0", "db-1", "-db-2"]);
    lab.run(Span::seconds(10));
    assert_eq!(
        ["db-0", "db-1", "db-2"].map(|pod| image_of_pod(&lab, pod)),
        ["db:1", "db:2", "db:2"]
    );
    lab.delete(Kind::Pod, "db-0", None);
    lab.run(Span::seconds(5));
    assert_eq!(image_of_pod(&lab, "db-0"), "db:1");
    let status = lab.get::<StatefulSet>("db").unwrap().status.clone();
    assert_ne!(status.current_revision, status.update_revision);
    assert_eq!((status.current_replicas, status.updated_replicas), (Some(1), Some(2)));
    lab.edit::<StatefulSet>("db", |set| {
        set.spec.update_strategy = podscope_api::StatefulSetUpdateStrategy::default()
    });
    lab.run(Span::seconds(10));
    let status = lab.get::<StatefulSet>("db").unwrap().status.clone();
    assert_eq!(status.current_revision, status.update_revision);
    assert_eq!(lab.objects().list::<ControllerRevision>().count(), 2);
    set_image(&mut lab, "db:1");
    lab.run(Span::seconds(20));
    assert_eq!(
        ["db-0", "db-1", "db-2"].map(|pod| image_of_pod(&lab, pod)),
        ["db:1", "db:1", "db:1"]
    );
    assert_eq!(
        lab.objects().list::<ControllerRevision>().count(),
        2,
        "the old revision becomes the newest again"
    );
}

/// A broken revision blocks the update; a rollback has no effect until the broken pod is deleted by hand.
/// Shows: CT-079
#[test]
fn broken_update_is_stuck_until_its_pod_is_deleted() {
    let mut lab = Lab::new(&["a-1"], &db_manifest(2, ""));
    lab.run(Span::seconds(8));
    lab.readiness_fails = true;
    set_image(&mut lab, "db:bad");
    lab.run(Span::seconds(10));
    assert_eq!(lab.pods(), ["db-0", "!db-1"]);
    set_image(&mut lab, "db:1");
    lab.readiness_fails = false;
    lab.run(Span::seconds(60));
    assert_eq!(image_of_pod(&lab, "db-1"), "db:bad");
    lab.delete(Kind::Pod, "db-1", None);
    lab.run(Span::seconds(5));
    assert_eq!(
        (lab.pods(), image_of_pod(&lab, "db-1")),
        (vec!["db-0".to_owned(), "db-1".to_owned()], "db:1".to_owned())
    );
}

/// A finished pod is deleted once, and recreated after its removal.
/// Shows: CT-072
#[test]
fn finished_pod_is_replaced() {
    let mut lab = Lab::new(&["a-1"], &db_manifest(1, ""));
    lab.run(Span::seconds(5));
    let uid = lab.get::<Pod>("db-0").unwrap().metadata.uid.clone();
    lab.edit::<Pod>("db-0", |pod| pod.status.phase = Some(PodPhase::Succeeded));
    lab.run(Span::seconds(5));
    let deletions = lab
        .writes
        .iter()
        .filter(|(_, write)| write == "delete pod db-0")
        .count();
    assert_eq!(deletions, 1);
    assert_ne!(lab.get::<Pod>("db-0").unwrap().metadata.uid, uid);
}

/// Claims are created before pods, and kept unless the retention policy deletes them.
/// Shows: CT-080, CT-081
#[test]
fn claims_follow_retention_policy() {
    let claims = "volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}],";
    let mut lab = Lab::new(&["a-1"], &db_manifest(2, claims));
    lab.run(Span::seconds(8));
    let first = lab
        .writes
        .iter()
        .position(|(_, write)| write == "create persistentvolumeclaim data-db-0");
    let pod = lab.writes.iter().position(|(_, write)| write == "create pod db-0");
    assert!(first.is_some() && first < pod);
    set_replicas(&mut lab, 1);
    lab.run(Span::seconds(8));
    assert!(
        lab.get::<PersistentVolumeClaim>("data-db-1")
            .unwrap()
            .metadata
            .owner_references
            .is_empty()
    );

    let delete = format!("{claims} persistentVolumeClaimRetentionPolicy: {{whenScaled: Delete, whenDeleted: Retain}},");
    let mut lab = Lab::new(&["a-1"], &db_manifest(2, &delete));
    lab.run(Span::seconds(8));
    set_replicas(&mut lab, 1);
    lab.run(Span::millis(500));
    let owner = lab
        .get::<PersistentVolumeClaim>("data-db-1")
        .unwrap()
        .metadata
        .owner_references[0]
        .clone();
    assert_eq!((&*owner.kind, &*owner.name, owner.controller), ("Pod", "db-1", None));
}

/// The switch `statefulset-replaces-unreachable` breaks the rule that a lost pod blocks its identity (CT-083).
/// Shows: F-20, CT-083
#[test]
fn switch_replaces_terminating_pod_on_unreachable_node() {
    let mut switches = podscope_sim::Switches::default();
    switches.turn_on("statefulset-replaces-unreachable");
    let mut lab = Lab::with_settings(
        &["a-1", "b-1"],
        &db_manifest(1, ""),
        super::super::ControllerManagerSettings::default(),
        switches,
    );
    lab.run(Span::seconds(5));
    let node = lab.get::<Pod>("db-0").unwrap().spec.node_name.clone().unwrap();
    let uid = lab.get::<Pod>("db-0").unwrap().metadata.uid.clone();
    lab.partition(&node);
    lab.delete(Kind::Pod, "db-0", None);
    lab.run(Span::seconds(70));
    assert_ne!(lab.get::<Pod>("db-0").unwrap().metadata.uid, uid);
}
