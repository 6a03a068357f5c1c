//! Image garbage collection (`pkg/kubelet/images/image_gc_manager.go` of v1.36), also as the first measure against disk
//! pressure (LC-194).

use podscope_api::Node;
use podscope_cluster::kubelet::KubeletSettings;
use podscope_cluster::{NodeShorthand, Settings, Setup, SimTime, Span, What};
use serde_json::{Value, json};

use crate::kubelet::lab::{Lab, number_field, pod, seconds, text_field};

const MB: i64 = 1_000_000;

/// Returns a lab with one node, whose disk of 1000 MB holds images of the given sizes in MB.
fn lab(image_megabytes: &[(&str, i64)], pods: &[Value], kubelet: KubeletSettings) -> Lab {
    lab_with_uid(image_megabytes, pods, kubelet, "")
}

/// Like [`lab`], but with this UID of the node; a node with a UID counts as imported.
fn lab_with_uid(image_megabytes: &[(&str, i64)], pods: &[Value], kubelet: KubeletSettings, uid: &str) -> Lab {
    let images: Vec<Value> = image_megabytes
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
    Lab::with_setup(
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

/// Returns settings without eviction thresholds: only image garbage collection watches the disk.
fn settings_without_eviction() -> KubeletSettings {
    KubeletSettings {
        eviction: Vec::new(),
        ..KubeletSettings::default()
    }
}

/// Returns a pod with this image that writes `megabytes` MB.
fn disk_writing_pod(name: &str, image: &str, megabytes: i64) -> Value {
    let disk = format!("disk={megabytes}M, sigterm=0s");
    pod(
        name,
        json!({}),
        &[("main", json!({"image": format!("{image}:1")}), &disk)],
    )
}

/// Returns the images that the Node reports, by short name.
fn reported_images(lab: &Lab) -> Vec<String> {
    let node = lab.world.objects().named::<Node>("a-1").expect("the node exists");
    let names = node.status.images.iter().map(|image| {
        let name = image.names.last().expect("an image has a name");
        name.trim_start_matches("docker.io/library/")
            .trim_end_matches(":1")
            .to_owned()
    });
    let mut names: Vec<String> = names.collect();
    names.sort_unstable();
    names
}

/// Returns `(second, REASON: message, count)` of the node's events about image garbage collection and eviction.
fn gc_events_with_time_and_count(lab: &Lab) -> Vec<(i64, String, i64)> {
    let of_node = |record: &&podscope_cluster::Record| {
        record.what() == What::Event && record.object.as_ref().is_some_and(|one| &*one.key.name == "a-1")
    };
    let rows = lab.trace.records.iter().filter(of_node).map(|record| {
        let at = seconds(record.at - SimTime::ZERO).round() as i64;
        let what = format!("{}: {}", text_field(record, "reason"), text_field(record, "message"));
        (at, what, number_field(record, "count").unwrap_or_default())
    });
    rows.filter(|row| row.1.contains("GCFailed") || row.1.contains("FreeDisk") || row.1.contains("Eviction"))
        .collect()
}

#[test]
fn image_gc_frees_least_recently_used_to_low_threshold() {
    let held = [("old", 250), ("never", 250), ("base", 250)];
    // The first pass, at 300 s, detects which images are in use. It removes none, because only 75 % of the disk is
    // full.
    let mut lab = lab(
        &held,
        &[disk_writing_pod("web", "base", 0), disk_writing_pod("early", "old", 0)],
        settings_without_eviction(),
    );
    lab.run(400.0);
    lab.delete_pod("early", None);
    lab.run(700.0);
    assert_eq!(reported_images(&lab), ["base", "never", "old"]);
    lab.create(&disk_writing_pod("writer", "base", 120));
    lab.run(899.0);
    assert_eq!(
        reported_images(&lab),
        ["base", "never", "old"],
        "passes run every five minutes"
    );
    // 87 % of the disk is full: 70 MB must be freed, so one image is removed.
    lab.run(915.0);
    assert_eq!(reported_images(&lab), ["base", "old"]);
    lab.create(&disk_writing_pod("more", "base", 250));
    lab.run(1215.0);
    assert_eq!(reported_images(&lab), ["base"]);
    // The only image left is in use, so nothing can be removed.
    lab.create(&disk_writing_pod("most", "base", 300));
    lab.run(2110.0);
    assert_eq!(reported_images(&lab), ["base"]);
    let failure = "Failed to garbage collect required amount of images. Attempted to free 120007296 bytes, but only \
                   found 0 bytes eligible to free.";
    let (once, again) = (
        format!("FreeDiskSpaceFailed: {failure}"),
        format!("ImageGCFailed: {failure}"),
    );
    let expected = [
        (1500, &once, 1),
        (1800, &once, 2),
        (1800, &again, 1),
        (2100, &once, 3),
        (2100, &again, 2),
    ];
    let expected: Vec<(i64, String, i64)> = expected
        .into_iter()
        .map(|(at, what, n)| (at, what.clone(), n))
        .collect();
    assert_eq!(gc_events_with_time_and_count(&lab), expected);
    assert_eq!(lab.processes().len(), 4);
}

#[test]
fn image_gc_keeps_images_detected_within_two_minutes() {
    // `new` is pulled at 850 s and its pod deleted at 860 s. The image is first detected at 900 s, and old enough at
    // 1200 s.
    let pods = [disk_writing_pod("web", "base", 120)];
    let mut lab = lab(&[("base", 750)], &pods, settings_without_eviction());
    lab.run(850.0);
    lab.create(&disk_writing_pod("short", "new", 0));
    lab.run(860.0);
    lab.delete_pod("short", None);
    lab.run(899.0);
    assert_eq!(reported_images(&lab), ["base", "new"]);
    lab.run(1199.0);
    assert_eq!(reported_images(&lab), ["base", "new"]);
    lab.run(1215.0);
    assert_eq!(reported_images(&lab), ["base"]);
    let passes: Vec<i64> = gc_events_with_time_and_count(&lab).iter().map(|row| row.0).collect();
    assert!(passes.contains(&900), "the other images are in use: {passes:?}");
}

/// Shows: P-05
#[test]
fn image_gc_follows_its_settings() {
    let (percent, hour) = (|high, low| (high, low, Span::ZERO), Span::seconds(3600));
    for (name, (high, low, max_age), expected) in [
        ("use is below 85 %", percent(85, 80), vec!["a", "b", "c"]),
        ("frees down to the low threshold", percent(70, 60), vec!["b", "c"]),
        ("frees more for a lower threshold", percent(70, 40), vec!["c"]),
        ("100 disables collection", percent(100, 1), vec!["a", "b", "c"]),
        ("removes images unused for an hour", (85, 80, hour), vec!["c"]),
    ] {
        let settings = KubeletSettings {
            image_gc_high_threshold_percent: high,
            image_gc_low_threshold_percent: low,
            image_maximum_gc_age: max_age,
            ..settings_without_eviction()
        };
        let mut lab = lab(
            &[("a", 250), ("b", 250), ("c", 250)],
            &[disk_writing_pod("web", "c", 0)],
            settings,
        );
        lab.run(if max_age > Span::ZERO { 3915.0 } else { 315.0 });
        assert_eq!(reported_images(&lab), expected, "{name}");
        assert!(
            gc_events_with_time_and_count(&lab).is_empty(),
            "{name}: {:?}",
            gc_events_with_time_and_count(&lab)
        );
    }
}

/// Shows: LC-191, LC-194
#[test]
fn disk_pressure_removes_images_before_pods() {
    // By default, 10 % of nodefs and 15 % of imagefs must be free: 870 MB of 1000 MB are too many. In the first case,
    // removing the unused image frees enough; in the second, the pod is evicted too.
    for (unused, evicted) in [(250, 0), (1, 1)] {
        let held = [("base", 500), ("unused", unused)];
        let mut lab = lab(&held, &[], KubeletSettings::default());
        lab.run(200.0);
        lab.create(&disk_writing_pod(
            "web",
            "base",
            370 - if unused == 250 { 250 } else { 0 },
        ));
        lab.run(280.0);
        assert!(!reported_images(&lab).contains(&"unused".to_owned()), "{unused}");
        let found = gc_events_with_time_and_count(&lab);
        assert!(
            found[0]
                .1
                .contains("EvictionThresholdMet: Attempting to reclaim ephemeral-storage"),
            "{found:?}"
        );
        let n_evicted = lab.events().iter().filter(|row| row.1.starts_with("Evicted: ")).count();
        assert_eq!(n_evicted, evicted, "{unused}: {:?}", lab.events());
        // The pressure was observed although removing images was enough (LC-191).
        let node = lab.world.objects().named::<Node>("a-1").expect("the node exists");
        let pressure = node.condition("DiskPressure").expect("the condition is set");
        assert_eq!(pressure.status, podscope_api::ConditionStatus::True);
    }
}

/// If the images of an imported node exceed its disk, they are on a separate image disk and are not removed.
/// Shows: P-03
#[test]
fn imported_node_keeps_its_images() {
    // The images exceed the node's disk. Without a UID of the node they are on that disk and are removed; with a UID
    // they are on a separate disk and stay.
    for (uid, expected) in [("", vec![]), ("7c9f", vec!["a", "b", "c"])] {
        let held = [("a", 600), ("b", 600), ("c", 100)];
        let mut lab = lab_with_uid(&held, &[], KubeletSettings::default(), uid);
        lab.create(&disk_writing_pod("web", "c", 0));
        lab.run(400.0);
        assert_eq!(reported_images(&lab), expected, "{uid}");
    }
}
