//! Image garbage collection (`pkg/kubelet/images/image_gc_manager.go` of v1.36), and as the first means against a full
//! disk (LC-194).

use podscope_api::Node;
use podscope_cluster::kubelet::KubeletSettings;
use podscope_cluster::{NodeShorthand, Settings, Setup, SimTime, Span, What};
use serde_json::{Value, json};

use crate::kubelet::lab::{Lab, number, pod, seconds, text};

const MB: i64 = 1_000_000;

/// One node with a disk of 1 000 MB that holds images of so many MB.
fn lab(images: &[(&str, i64)], pods: &[Value], kubelet: KubeletSettings) -> Lab {
    lab_of(images, pods, kubelet, "")
}

fn lab_of(images: &[(&str, i64)], pods: &[Value], kubelet: KubeletSettings, uid: &str) -> Lab {
    let images: Vec<Value> = images
        .iter()
        .map(|(name, megabytes)| json!({"names": [format!("docker.io/library/{name}:1")], "sizeBytes": megabytes * MB}))
        .collect();
    let ready = json!([{"type": "Ready", "status": "True"}]);
    let node = json!({
        "apiVersion": "v1", "kind": "Node", "metadata": {"name": "a-1", "uid": uid},
        "status": {"images": images, "conditions": ready, "capacity":
            {"cpu": "4", "memory": "8Gi", "pods": "110", "ephemeral-storage": (1000 * MB).to_string()}},
    });
    let nodes = NodeShorthand {
        zones: Vec::new(),
        ..NodeShorthand::default()
    };
    let objects: Vec<Value> = [node].into_iter().chain(pods.iter().cloned()).collect();
    Lab::with(
        &objects,
        Setup {
            nodes,
            settings: Settings {
                kubelet: kubelet.into(),
                ..Settings::default()
            },
            ..Setup::default()
        },
    )
}

/// Nothing is evicted: only the image manager looks at the disk.
fn no_eviction() -> KubeletSettings {
    KubeletSettings {
        eviction: Vec::new(),
        ..KubeletSettings::default()
    }
}

/// A pod of that image that writes so many MB.
fn user(name: &str, image: &str, megabytes: i64) -> Value {
    let disk = format!("disk={megabytes}M, sigterm=0s");
    pod(
        name,
        json!({}),
        &[("main", json!({"image": format!("{image}:1")}), &disk)],
    )
}

/// The images that the Node reports, by short name.
fn reported(lab: &Lab) -> Vec<String> {
    let node = lab.world.objects().named::<Node>("a-1").expect("a node");
    let names = node.status.images.iter().map(|image| {
        let name = image.names.last().expect("a name");
        name.trim_start_matches("docker.io/library/")
            .trim_end_matches(":1")
            .to_owned()
    });
    let mut names: Vec<String> = names.collect();
    names.sort_unstable();
    names
}

/// `(second, REASON: message, count)` of the node's events.
fn events(lab: &Lab) -> Vec<(i64, String, i64)> {
    let of_node = |record: &&podscope_cluster::Record| {
        record.what() == What::Event && record.object.as_ref().is_some_and(|one| &*one.key.name == "a-1")
    };
    let rows = lab.trace.records.iter().filter(of_node).map(|record| {
        let at = seconds(record.at - SimTime::ZERO).round() as i64;
        let what = format!("{}: {}", text(record, "reason"), text(record, "message"));
        (at, what, number(record, "count").unwrap_or_default())
    });
    rows.filter(|row| row.1.contains("GCFailed") || row.1.contains("FreeDisk") || row.1.contains("Eviction"))
        .collect()
}

#[test]
fn images_go_from_85_to_80_per_cent_the_least_recently_used_first() {
    let held = [("old", 250), ("never", 250), ("base", 250)];
    // Seen in use at 300 s; at 75 % nothing has to go.
    let mut lab = lab(&held, &[user("web", "base", 0), user("early", "old", 0)], no_eviction());
    lab.run(400.0);
    lab.delete_pod("early", None);
    lab.run(700.0);
    assert_eq!(reported(&lab), ["base", "never", "old"]);
    lab.create(&user("writer", "base", 120));
    lab.run(899.0);
    assert_eq!(
        reported(&lab),
        ["base", "never", "old"],
        "passes come every five minutes"
    );
    // 87 %: 70 MB are too many, and one image has them.
    lab.run(915.0);
    assert_eq!(reported(&lab), ["base", "old"]);
    lab.create(&user("more", "base", 250));
    lab.run(1215.0);
    assert_eq!(reported(&lab), ["base"]);
    // What a container needs stays, and there is nothing else.
    lab.create(&user("most", "base", 300));
    lab.run(2110.0);
    assert_eq!(reported(&lab), ["base"]);
    let failure = "Failed to garbage collect required amount of images. Attempted to free 120007296 bytes, but only \
                   found 0 bytes eligible to free.";
    let (once, again) = (
        format!("FreeDiskSpaceFailed: {failure}"),
        format!("ImageGCFailed: {failure}"),
    );
    let wanted = [
        (1500, &once, 1),
        (1800, &once, 2),
        (1800, &again, 1),
        (2100, &once, 3),
        (2100, &again, 2),
    ];
    let wanted: Vec<(i64, String, i64)> = wanted.into_iter().map(|(at, what, n)| (at, what.clone(), n)).collect();
    assert_eq!(events(&lab), wanted);
    assert_eq!(lab.processes().len(), 4);
}

#[test]
fn an_image_is_kept_until_it_was_seen_for_two_minutes() {
    // `new` comes at 850 s and its pod goes again: at 900 s it is seen for the first time, at 1 200 s it is old enough.
    let pods = [user("web", "base", 120)];
    let mut lab = lab(&[("base", 750)], &pods, no_eviction());
    lab.run(850.0);
    lab.create(&user("short", "new", 0));
    lab.run(860.0);
    lab.delete_pod("short", None);
    lab.run(899.0);
    assert_eq!(reported(&lab), ["base", "new"]);
    lab.run(1199.0);
    assert_eq!(reported(&lab), ["base", "new"]);
    lab.run(1215.0);
    assert_eq!(reported(&lab), ["base"]);
    let passes: Vec<i64> = events(&lab).iter().map(|row| row.0).collect();
    assert!(passes.contains(&900), "the others are in use: {passes:?}");
}

/// Shows: P-05
#[test]
fn settings_of_image_collection_have_their_effect() {
    let (percent, hour) = (|high, low| (high, low, Span::ZERO), Span::seconds(3600));
    for (name, (high, low, max_age), wanted) in [
        ("85 and 80 are not reached", percent(85, 80), vec!["a", "b", "c"]),
        ("as much as for the low threshold", percent(70, 60), vec!["b", "c"]),
        ("more for a lower one", percent(70, 40), vec!["c"]),
        ("100: never", percent(100, 1), vec!["a", "b", "c"]),
        ("unused for an hour", (85, 80, hour), vec!["c"]),
    ] {
        let settings = KubeletSettings {
            image_gc_high_threshold_percent: high,
            image_gc_low_threshold_percent: low,
            image_maximum_gc_age: max_age,
            ..no_eviction()
        };
        let mut lab = lab(&[("a", 250), ("b", 250), ("c", 250)], &[user("web", "c", 0)], settings);
        lab.run(if max_age > Span::ZERO { 3915.0 } else { 315.0 });
        assert_eq!(reported(&lab), wanted, "{name}");
        assert!(events(&lab).is_empty(), "{name}: {:?}", events(&lab));
    }
}

/// Shows: LC-191, LC-194
#[test]
fn images_go_before_pods() {
    // 10 % of nodefs and 15 % of imagefs are the defaults: 870 MB are too many; without the unused images they are not.
    for (unused, evicted) in [(250, 0), (1, 1)] {
        let held = [("base", 500), ("unused", unused)];
        let mut lab = lab(&held, &[], KubeletSettings::default());
        lab.run(200.0);
        lab.create(&user("web", "base", 370 - if unused == 250 { 250 } else { 0 }));
        lab.run(280.0);
        assert!(!reported(&lab).contains(&"unused".to_owned()), "{unused}");
        let told = events(&lab);
        assert!(
            told[0]
                .1
                .contains("EvictionThresholdMet: Attempting to reclaim ephemeral-storage"),
            "{told:?}"
        );
        let n_evicted = lab.events().iter().filter(|row| row.1.starts_with("Evicted: ")).count();
        assert_eq!(n_evicted, evicted, "{unused}: {:?}", lab.events());
        // LC-191: the pressure was seen all the same.
        let node = lab.world.objects().named::<Node>("a-1").expect("a node");
        let pressure = node.condition("DiskPressure").expect("a condition");
        assert_eq!(pressure.status, podscope_api::ConditionStatus::True);
    }
}

/// What a live node holds fits it; images beyond its disk lie on another one.
/// Shows: P-03
#[test]
fn an_imported_node_keeps_its_images() {
    // Images younger than two minutes stay, so the pod goes first where they lie on the node's own disk.
    for (uid, wanted) in [("", vec![]), ("7c9f", vec!["a", "b", "c"])] {
        let held = [("a", 600), ("b", 600), ("c", 100)];
        let mut lab = lab_of(&held, &[], KubeletSettings::default(), uid);
        lab.create(&user("web", "c", 0));
        lab.run(400.0);
        assert_eq!(reported(&lab), wanted, "{uid}");
    }
}
