//! StatefulSet: C-02, CT-070 to CT-086.

use podscope_api::{ControllerRevision, Kind, PersistentVolumeClaim, Pod, PodPhase, StatefulSet};

use super::super::lab::Lab;
use podscope_sim::Span;

fn db(replicas: i32, more: &str) -> String {
    format!(
        "{{apiVersion: apps/v1, kind: StatefulSet, metadata: {{name: db}}, spec: {{replicas: {replicas}, serviceName: db, {more} \
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

fn image(lab: &Lab, pod: &str) -> String {
    lab.get::<Pod>(pod)
        .map_or_else(|| "-".into(), |pod| pod.spec.containers[0].image.to_string())
}

fn scale(lab: &mut Lab, replicas: i32) {
    lab.edit::<StatefulSet>("db", move |set| set.spec.replicas = Some(replicas));
}

/// Up in order, each when the one before is ready; down in reverse, one at a time.
/// Shows: CT-074, CT-075
#[test]
fn members_come_and_go_in_order() {
    let mut lab = Lab::new(&["a-1"], &db(3, ""));
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
    scale(&mut lab, 1);
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

/// A change that is older than what the controller wrote itself makes it sync; it waits until its cache has
/// caught up with its own writes, instead of creating db-0 a second time.
/// Shows: CT-159
#[test]
fn a_sync_waits_until_the_cache_has_seen_what_the_controller_wrote() {
    let mut lab = Lab::new(&["a-1"], &db(2, ""));
    lab.watch_lag = Span::millis(50);
    lab.edit::<StatefulSet>("db", |set| {
        set.metadata.labels = std::sync::Arc::new([("tier".into(), "data".into())].into());
    });
    lab.run(Span::millis(54));
    assert_eq!(lab.pods(), ["!db-0"], "created before the cache shows it");
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

/// One step of a set that wants more pods than any cluster holds costs what a step costs.
/// Shows: CT-074
#[test]
fn a_set_of_two_thousand_million() {
    let mut lab = Lab::new(&["a-1"], &db(i32::MAX, ""));
    lab.run(Span::millis(2_100));
    assert_eq!(lab.pods(), ["db-0", "db-1", "!db-2"]);
}

/// A pod that cannot be confirmed dead holds its identity; a force delete frees it.
/// Shows: C-02, CT-083, CT-084
#[test]
fn an_identity_stalls_until_someone_asserts_its_death() {
    let mut lab = Lab::new(&["a-1", "b-1"], &db(2, ""));
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
    assert_ne!(successor.metadata.uid, uid, "within milliseconds");
}

/// Under OrderedReady lower ordinals are repaired, higher ones are not; under Parallel only the slot stalls.
/// Shows: CT-086
#[test]
fn a_stuck_member_in_the_middle() {
    for (more, expected) in [
        ("", vec!["db-0", "-db-1"]),
        ("podManagementPolicy: Parallel,", vec!["db-0", "-db-1", "db-2"]),
    ] {
        let mut lab = Lab::new(&["a-1", "b-1", "c-1"], &db(3, more));
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

/// From the top down to the partition; below it pods stay and come back at the old revision.
/// Shows: CT-077, CT-078
#[test]
fn a_rolling_update_stops_at_its_partition() {
    let mut lab = Lab::new(
        &["a-1"],
        &db(
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
        ["db-0", "db-1", "db-2"].map(|pod| image(&lab, pod)),
        ["db:1", "db:2", "db:2"]
    );
    lab.delete(Kind::Pod, "db-0", None);
    lab.run(Span::seconds(5));
    assert_eq!(image(&lab, "db-0"), "db:1");
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
        ["db-0", "db-1", "db-2"].map(|pod| image(&lab, pod)),
        ["db:1", "db:1", "db:1"]
    );
    assert_eq!(
        lab.objects().list::<ControllerRevision>().count(),
        2,
        "the old revision is the newest again"
    );
}

/// A broken revision blocks before the update step; reverting does nothing until the pod is deleted by hand.
/// Shows: CT-079
#[test]
fn a_broken_update_is_stuck_until_its_pod_is_deleted() {
    let mut lab = Lab::new(&["a-1"], &db(2, ""));
    lab.run(Span::seconds(8));
    lab.broken = true;
    set_image(&mut lab, "db:bad");
    lab.run(Span::seconds(10));
    assert_eq!(lab.pods(), ["db-0", "!db-1"]);
    set_image(&mut lab, "db:1");
    lab.broken = false;
    lab.run(Span::seconds(60));
    assert_eq!(image(&lab, "db-1"), "db:bad");
    lab.delete(Kind::Pod, "db-1", None);
    lab.run(Span::seconds(5));
    assert_eq!(
        (lab.pods(), image(&lab, "db-1")),
        (vec!["db-0".to_owned(), "db-1".to_owned()], "db:1".to_owned())
    );
}

/// A finished pod is deleted once, and made again when it is gone.
/// Shows: CT-072
#[test]
fn a_finished_pod_is_replaced() {
    let mut lab = Lab::new(&["a-1"], &db(1, ""));
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

/// Claims come before pods and stay, unless the policy says otherwise.
/// Shows: CT-080, CT-081
#[test]
fn claims_are_made_kept_and_deleted_by_policy() {
    let claims = "volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}],";
    let mut lab = Lab::new(&["a-1"], &db(2, claims));
    lab.run(Span::seconds(8));
    let first = lab
        .writes
        .iter()
        .position(|(_, write)| write == "create persistentvolumeclaim data-db-0");
    let pod = lab.writes.iter().position(|(_, write)| write == "create pod db-0");
    assert!(first.is_some() && first < pod);
    scale(&mut lab, 1);
    lab.run(Span::seconds(8));
    assert!(
        lab.get::<PersistentVolumeClaim>("data-db-1")
            .unwrap()
            .metadata
            .owner_references
            .is_empty()
    );

    let delete = format!("{claims} persistentVolumeClaimRetentionPolicy: {{whenScaled: Delete, whenDeleted: Retain}},");
    let mut lab = Lab::new(&["a-1"], &db(2, &delete));
    lab.run(Span::seconds(8));
    scale(&mut lab, 1);
    lab.run(Span::millis(500));
    let owner = lab
        .get::<PersistentVolumeClaim>("data-db-1")
        .unwrap()
        .metadata
        .owner_references[0]
        .clone();
    assert_eq!((&*owner.kind, &*owner.name, owner.controller), ("Pod", "db-1", None));
}

/// The what-if breaks the rule that CT-083 keeps.
/// Shows: F-20, CT-083
#[test]
fn the_switch_lets_a_stateful_set_replace_an_unreachable_member() {
    let mut switches = podscope_sim::Switches::default();
    switches.turn_on("statefulset-replaces-unreachable");
    let mut lab = Lab::with(
        &["a-1", "b-1"],
        &db(1, ""),
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
