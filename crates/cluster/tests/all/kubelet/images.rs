//! Image pulls (LC-068 to LC-070).

use podscope_cluster::kubelet::KubeletSettings;
use podscope_cluster::{Setup, SimTime, What};
use serde_json::{Value, json};

use crate::kubelet::lab::{Lab, pod, seconds, text_field};

/// Returns a pod with one container of this image. Pulling the image takes 10 s.
fn image_pulling_pod(name: &str, image: &str) -> Value {
    pod(name, json!({}), &[("main", json!({"image": image}), "pull=10s")])
}

/// Returns `(seconds since the first pull began, pod)` of the finished pulls, rounded to seconds.
fn pull_end_times_and_pods(lab: &Lab) -> Vec<(i64, String)> {
    let of = |what: What| lab.trace.records.iter().filter(move |record| record.what() == what);
    let began = of(What::Event)
        .find(|record| text_field(record, "reason") == "Pulling")
        .map_or(SimTime::ZERO, |record| record.at);
    of(What::ImagePulled)
        .map(|record| {
            let name = record.object.as_ref().map(|object| object.key.name.to_string());
            (seconds(record.at - began).round() as i64, name.unwrap_or_default())
        })
        .collect()
}

/// Shows: P-05, LC-068, LC-070
#[test]
fn pulls_are_serial_unless_serialize_image_pulls_is_false() {
    let pods: Vec<Value> = [("p1", "one"), ("p2", "two"), ("p3", "three")]
        .map(|(name, image)| image_pulling_pod(name, image))
        .into();
    for (serialize, most, ends) in [
        (true, None, [10, 20, 30]),
        (false, None, [10, 10, 10]),
        (false, Some(2), [10, 10, 20]),
    ] {
        let settings = KubeletSettings {
            serialize_image_pulls: serialize,
            max_parallel_image_pulls: most,
            ..KubeletSettings::default()
        };
        let mut lab = Lab::with_kubelet(&pods, settings);
        lab.run(45.0);
        let found = pull_end_times_and_pods(&lab);
        let times: Vec<i64> = found.iter().map(|row| row.0).collect();
        assert_eq!(times, ends, "{serialize} {most:?}: {found:?}");
        assert_eq!(lab.processes().len(), 3, "{serialize} {most:?}");
        // The event gives the duration of the pull itself, and the duration including the wait (LC-068).
        let last = found.last().map(|row| row.1.clone()).unwrap_or_default();
        let pulled_event = lab.trace.records.iter().find(|record| {
            text_field(record, "reason") == "Pulled" && record.object.as_ref().is_some_and(|one| *one.key.name == last)
        });
        let message = pulled_event
            .map(|record| text_field(record, "message"))
            .unwrap_or_default();
        let waited: f64 = message
            .split_once(" in 10s (")
            .and_then(|(_, rest)| rest.split_once("s including waiting)")?.0.parse().ok())
            .unwrap_or_default();
        assert!((waited - ends[2] as f64).abs() < 0.1, "{serialize} {most:?}: {message}");
    }
}

#[test]
fn concurrent_pulls_of_one_image_end_together() {
    let settings = KubeletSettings {
        serialize_image_pulls: false,
        ..KubeletSettings::default()
    };
    let mut lab = Lab::with_kubelet(&[image_pulling_pod("p1", "same")], settings);
    lab.run(4.0);
    lab.create(&image_pulling_pod("p2", "same"));
    lab.run(12.0);
    let times: Vec<i64> = pull_end_times_and_pods(&lab).iter().map(|row| row.0).collect();
    assert_eq!(times, [10, 10]);
}

/// Shows: LC-068
#[test]
fn image_present_on_node_is_not_pulled() {
    let node = json!({
        "apiVersion": "v1", "kind": "Node", "metadata": {"name": "a-1"},
        "status": {
            "capacity": {"cpu": "4", "memory": "8Gi", "pods": "110"},
            "images": [{"names": ["docker.io/library/nginx@sha256:1", "docker.io/library/nginx:1.27"], "sizeBytes": 70_000_000}],
        },
    });
    let mut lab = Lab::with_setup(
        &[
            node,
            image_pulling_pod("p1", "nginx:1.27"),
            image_pulling_pod("p2", "nginx:1.28"),
        ],
        Setup {
            nodes: podscope_cluster::NodeShorthand {
                zones: Vec::new(),
                ..podscope_cluster::NodeShorthand::default()
            },
            ..Setup::default()
        },
    );
    lab.run(5.0);
    assert_eq!(lab.processes(), ["main"], "the other image is being pulled");
    let has_event = lab.trace.records.iter().any(|record| {
        text_field(record, "message")
            == "Container image \"nginx:1.27\" already present on machine and can be accessed by the pod"
    });
    assert!(has_event);
}

/// Pulled images are in the node's status, the largest first, with the size that the event reported.
/// Shows: SCH-129, LC-068
#[test]
fn node_status_lists_pulled_images_by_size() {
    let mut lab = Lab::new(&[
        image_pulling_pod("p1", "team/one:1"),
        image_pulling_pod("p2", "two"),
        image_pulling_pod("p3", "two"),
    ]);
    let reported = |lab: &Lab| -> Vec<(String, i64)> {
        let node = lab
            .world
            .objects()
            .named::<podscope_api::Node>("a-1")
            .expect("the node exists");
        let images = node.status.images.iter();
        images
            .map(|image| {
                assert!(image.names[0].contains("@sha256:"), "{image:?}");
                (image.names[1].to_string(), image.size_bytes)
            })
            .collect()
    };
    lab.run(5.0);
    assert!(reported(&lab).is_empty());
    lab.run(45.0);
    let found = reported(&lab);
    assert!(found.is_sorted_by_key(|image| -image.1), "{found:?}");
    for (requested, full) in [
        ("team/one:1", "docker.io/team/one:1"),
        ("two", "docker.io/library/two:latest"),
    ] {
        let bytes = found.iter().find(|image| image.0 == full).map(|image| image.1);
        let size = format!("Image size: {} bytes.", bytes.expect("the node reports the image"));
        let has_event = lab.trace.records.iter().any(|record| {
            let message = text_field(record, "message");
            message.starts_with(&format!("Successfully pulled image \"{requested}\"")) && message.ends_with(&size)
        });
        assert!(has_event, "{requested}: {found:?}");
    }
    assert_eq!(found.len(), 2);
}
