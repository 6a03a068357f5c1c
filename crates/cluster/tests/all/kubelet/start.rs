//! Starting pods: sandbox, images, init containers, sidecars, hooks, volumes.

use podscope_cluster::What;
use serde_json::json;

use crate::kubelet::lab::{Lab, status, web_pod};

/// Shows: L-01, L-04, LC-106, LC-107, LC-108, LC-109, LC-110, LC-180
#[test]
fn pod_starts_and_becomes_ready() {
    let mut lab = Lab::new(&[web_pod(json!({}), &[("main", json!({}), "")])]);
    lab.run(0.5);
    let pending = status(lab.web().unwrap());
    assert_eq!(pending["phase"], "Pending");
    assert_eq!(
        pending["containerStatuses"][0]["state"]["waiting"]["reason"],
        "ContainerCreating"
    );
    assert!(pending["startTime"].is_string());
    lab.run(4.0);
    let running = status(lab.web().unwrap());
    assert_eq!(running["phase"], "Running");
    assert_eq!(running["containerStatuses"][0]["ready"], true);
    assert_eq!(running["containerStatuses"][0]["started"], true);
    assert!(running["containerStatuses"][0]["state"]["running"]["startedAt"].is_string());
    // Order and values of the conditions (LC-106 to LC-110).
    let conditions: Vec<(String, String)> = running["conditions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            (
                one["type"].as_str().unwrap().into(),
                one["status"].as_str().unwrap().into(),
            )
        })
        .collect();
    let wanted = [
        "PodReadyToStartContainers",
        "Initialized",
        "Ready",
        "ContainersReady",
        "PodScheduled",
    ];
    assert_eq!(conditions, wanted.map(|kind| (kind.to_owned(), "True".to_owned())));
    assert_eq!(running["observedGeneration"], 1);
    // Events in order, with their messages (LC-180).
    let events: Vec<String> = lab.events().into_iter().map(|(_, text)| text).collect();
    assert_eq!(
        events,
        [
            "Pulling: Pulling image \"busybox\"",
            "Pulled: Successfully pulled image \"busybox\" in 1s (1s including waiting). Image size: 66000000 bytes.",
            "Created: Container created",
            "Started: Container started",
        ]
    );
    assert_eq!(lab.records_of_kind(What::ContainerStarted).len(), 1);
}

/// Shows: L-05, LC-072, LC-073, LC-074, LC-075
#[test]
fn init_containers_and_sidecars_start_in_order() {
    let init = |extra: serde_json::Value| {
        let mut one = json!({"init": true});
        for (key, value) in extra.as_object().unwrap() {
            one[key] = value.clone();
        }
        one
    };
    let probe = json!({"restartPolicy": "Always", "startupProbe": {"exec": {"command": ["up"]}, "periodSeconds": 1, "failureThreshold": 30}});
    let mut lab = Lab::new(&[web_pod(
        json!({}),
        &[
            ("prepare", init(json!({})), "run=2s"),
            ("side", init(probe), "startup=5s"),
            ("migrate", init(json!({})), "run=1s"),
            ("app", json!({}), ""),
        ],
    )]);
    lab.run(5.0);
    let early = status(lab.web().unwrap());
    assert_eq!(early["phase"], "Pending");
    assert_eq!(
        early["containerStatuses"][0]["state"]["waiting"]["reason"],
        "PodInitializing"
    );
    let initialized = early["conditions"]
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["type"] == "Initialized")
        .unwrap();
    assert_eq!(initialized["reason"], "ContainersNotInitialized");
    assert_eq!(
        initialized["message"],
        "containers with incomplete status: [side migrate]"
    );
    lab.run(40.0);
    let order: Vec<String> = lab
        .records_of_kind(What::ContainerStarted)
        .iter()
        .map(|record| record.container.as_deref().unwrap().into())
        .collect();
    assert_eq!(order, ["prepare", "side", "migrate", "app"]);
    let starts = lab.times_of_kind(What::ContainerStarted, podscope_cluster::SimTime::ZERO);
    // `migrate` waits for the startup probe of the sidecar, which serves 5 s after its start (LC-074).
    assert!(starts[2] - starts[1] >= 5.0, "{starts:?}");
    assert_eq!(status(lab.web().unwrap())["phase"], "Running");
}

/// Shows: LC-073
#[test]
fn pod_fails_if_init_container_fails_with_policy_never() {
    let mut lab = Lab::new(&[web_pod(
        json!({"restartPolicy": "Never"}),
        &[
            ("prepare", json!({"init": true}), "run=1s, exit=3"),
            ("app", json!({}), ""),
        ],
    )]);
    lab.run(20.0);
    let failed = status(lab.web().unwrap());
    assert_eq!(failed["phase"], "Failed");
    assert_eq!(failed["initContainerStatuses"][0]["state"]["terminated"]["exitCode"], 3);
    assert_eq!(lab.records_of_kind(What::ContainerStarted).len(), 1);
}

/// Shows: LC-069
#[test]
fn failed_pull_is_retried_with_back_off() {
    let mut lab = Lab::new(&[web_pod(json!({}), &[("main", json!({}), "pull=fail")])]);
    assert!(lab.happens_by(60.0, |lab| lab.waiting_reason() == "ErrImagePull"));
    assert!(lab.happens_by(60.0, |lab| lab.waiting_reason() == "ImagePullBackOff"));
    let waiting = status(lab.web().unwrap())["containerStatuses"][0]["state"]["waiting"].clone();
    let events: Vec<String> = lab.events().into_iter().map(|(_, text)| text).collect();
    for wanted in [
        "Pulling: Pulling image \"busybox\"",
        "Failed: Error: ErrImagePull",
        "BackOff: Back-off pulling image \"busybox\"",
        "Failed: Error: ImagePullBackOff",
    ] {
        assert!(events.iter().any(|event| event == wanted), "{wanted} in {events:#?}");
    }
    assert!(
        waiting["message"]
            .as_str()
            .unwrap()
            .starts_with("Back-off pulling image \"busybox\": ErrImagePull: ")
    );
}

/// Shows: L-06, LC-081
#[test]
fn failed_post_start_hook_kills_the_container() {
    let hook = json!({"lifecycle": {"postStart": {"exec": {"command": ["warm"]}}}});
    let mut lab = Lab::new(&[web_pod(json!({}), &[("main", hook, "poststart=fail")])]);
    lab.run(8.0);
    let events: Vec<String> = lab.events().into_iter().map(|(_, text)| text).collect();
    assert!(
        events.contains(&"FailedPostStartHook: PostStartHook failed".to_owned()),
        "{events:#?}"
    );
    assert!(
        events.contains(&"Killing: FailedPostStartHook".to_owned()),
        "{events:#?}"
    );
    assert!(!lab.records_of_kind(What::SignalSent).is_empty());
}

#[test]
fn missing_config_map_blocks_container_creation() {
    let env = json!({"envFrom": [{"configMapRef": {"name": "settings"}}]});
    let mut lab = Lab::new(&[web_pod(json!({}), &[("main", env, "")])]);
    lab.run(30.0);
    let waiting = status(lab.web().unwrap())["containerStatuses"][0]["state"]["waiting"].clone();
    assert_eq!(
        waiting,
        json!({"reason": "CreateContainerConfigError", "message": "configmap \"settings\" not found"})
    );
    lab.create(
        &json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings", "namespace": "default"}}),
    );
    lab.run(60.0);
    assert_eq!(status(lab.web().unwrap())["phase"], "Running");
}

/// An env file exists once a container that can write it has run. A key that is too long is always refused.
/// Shows: LC-231
#[test]
fn env_file_needs_a_container_that_wrote_it() {
    let from = |key: &str, optional: bool| {
        let file = json!({"volumeName": "made", "path": "app.env", "key": key, "optional": optional});
        json!({"env": [{"name": "COLOR", "valueFrom": {"fileKeyRef": file}}]})
    };
    let mounts = |read_only: bool| json!({"init": true, "volumeMounts": [{"name": "made", "mountPath": "/data", "readOnly": read_only}]});
    let long = "K".repeat(129);
    let too_long = format!("environment variable key \"{long}\" exceeds maximum length of 128 characters");
    for (who_writes, needs, refusal) in [
        (Some(mounts(false)), from("COLOR", false), None),
        (Some(mounts(true)), from("COLOR", true), Some("couldn't parse env file")),
        (None, from("COLOR", true), Some("couldn't parse env file")),
        (Some(mounts(false)), from(&long, true), Some(too_long.as_str())),
    ] {
        let spec = json!({"volumes": [{"name": "made", "emptyDir": {}}]});
        let mut containers = vec![("main", needs.clone(), "")];
        if let Some(writer) = &who_writes {
            containers.insert(0, ("prepare", writer.clone(), "run=1s, exit=0"));
        }
        let mut lab = Lab::new(&[web_pod(spec, &containers)]);
        lab.run(30.0);
        let found = status(lab.web().unwrap());
        let what = format!("{who_writes:?} {needs}");
        match refusal {
            None => assert_eq!(found["phase"], "Running", "{what}"),
            Some(message) => assert_eq!(
                found["containerStatuses"][0]["state"]["waiting"],
                json!({"reason": "CreateContainerConfigError", "message": message}),
                "{what}"
            ),
        }
    }
}

#[test]
fn missing_secret_blocks_volume_mount() {
    let spec = json!({"volumes": [{"name": "key", "secret": {"secretName": "tls"}}]});
    let mut lab = Lab::new(&[web_pod(spec, &[("main", json!({}), "")])]);
    lab.run(30.0);
    let events: Vec<String> = lab.events().into_iter().map(|(_, text)| text).collect();
    assert!(
        events.contains(
            &"FailedMount: MountVolume.SetUp failed for volume \"key\" : secret \"tls\" not found".to_owned()
        ),
        "{events:#?}"
    );
    assert_eq!(status(lab.web().unwrap())["phase"], "Pending");
    lab.create(&json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "tls", "namespace": "default"}}));
    lab.run(100.0);
    assert_eq!(status(lab.web().unwrap())["phase"], "Running");
}

/// Shows: LC-062, LC-063
#[test]
fn kubelet_rejects_pod_that_does_not_fit() {
    for (name, spec, container, reason) in [
        (
            "cpu",
            json!({}),
            json!({"resources": {"requests": {"cpu": "5"}}}),
            "OutOfcpu",
        ),
        (
            "affinity",
            json!({"nodeSelector": {"disk": "ssd"}}),
            json!({}),
            "NodeAffinity",
        ),
    ] {
        let mut lab = Lab::new(&[web_pod(spec, &[("main", container, "")])]);
        lab.run(5.0);
        let rejected = status(lab.web().unwrap());
        assert_eq!(rejected["phase"], "Failed", "{name}");
        assert_eq!(rejected["reason"], reason, "{name}");
        assert!(
            rejected["message"].as_str().unwrap().starts_with("Pod was rejected: "),
            "{name}"
        );
        assert!(rejected["containerStatuses"].is_null(), "{name}");
        assert!(lab.processes().is_empty());
    }
}

/// Shows: LC-109
#[test]
fn false_readiness_gate_keeps_pod_not_ready() {
    let gate = "www.example.com/feature-1";
    let mut lab = Lab::new(&[web_pod(
        json!({"readinessGates": [{"conditionType": gate}]}),
        &[("main", json!({}), "")],
    )]);
    lab.run(6.0);
    let condition = |lab: &Lab, kind: &str| -> serde_json::Value {
        let status = status(lab.web().unwrap());
        status["conditions"]
            .as_array()
            .unwrap()
            .iter()
            .find(|one| one["type"] == kind)
            .unwrap()
            .clone()
    };
    assert_eq!(condition(&lab, "ContainersReady")["status"], "True");
    assert_eq!(condition(&lab, "Ready")["status"], "False");
    assert_eq!(condition(&lab, "Ready")["reason"], "ReadinessGatesNotReady");
    assert_eq!(
        condition(&lab, "Ready")["message"],
        format!("corresponding condition of pod readiness gate \"{gate}\" does not exist.")
    );
}

/// Shows: CT-128
#[test]
fn attachable_volume_is_attached_mounted_and_unmounted() {
    use podscope_api::Node;
    let volume = json!({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "disk"},
        "spec": {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"],
                 "claimRef": {"namespace": "default", "name": "data", "kind": "PersistentVolumeClaim"},
                 "gcePersistentDisk": {"pdName": "pd-1"}}});
    let claim = json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data", "namespace": "default"},
        "spec": {"accessModes": ["ReadWriteOnce"], "volumeName": "disk", "resources": {"requests": {"storage": "1Gi"}}}});
    let spec = json!({"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]});
    let mounts = json!({"volumeMounts": [{"name": "v", "mountPath": "/v"}]});
    let mut lab = Lab::new(&[volume, claim, web_pod(spec, &[("main", mounts, "")])]);
    let node = |lab: &Lab| lab.world.objects().named::<Node>("a-1").unwrap().clone();
    let name = "kubernetes.io/gce-pd/pd-1";
    assert!(lab.happens_by(15.0, |lab| {
        node(lab).status.volumes_in_use.iter().any(|own| &**own == name)
    }));
    // The kubelet reports the volume in use and waits, while the attach/detach controller and the attacher attach it.
    assert!(lab.happens_by(60.0, |lab| lab.processes() == ["main"]));
    let attached = lab
        .trace
        .records
        .iter()
        .position(|record| record.what() == What::VolumeAttached);
    let mounted = lab
        .trace
        .records
        .iter()
        .position(|record| record.what() == What::VolumeMounted);
    assert!(attached.is_some() && attached < mounted, "{attached:?} {mounted:?}");
    let mounted = lab.records_of_kind(What::VolumeMounted);
    let fields: Vec<String> = mounted[0]
        .happening
        .fields()
        .iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    assert_eq!(fields, ["volume=\"disk\"", "node=\"a-1\"", "writable=true"]);
    lab.run(70.0);
    lab.delete(None);
    lab.run(90.0);
    assert!(lab.web().is_none());
    assert_eq!(lab.records_of_kind(What::VolumeUnmounted).len(), 1);
    assert!(node(&lab).status.volumes_in_use.is_empty());
}

#[test]
fn idle_pods_create_few_events() {
    let nodes = podscope_cluster::NodeShorthand {
        zones: vec!["a".into()],
        nodes_per_zone: 20,
        ..podscope_cluster::NodeShorthand::default()
    };
    let mut pods = Vec::new();
    for node in 1..=20 {
        for idx in 0..50 {
            let probe = json!({"readinessProbe": {"exec": {"command": ["ok"]}, "periodSeconds": 1}});
            let mut one = crate::kubelet::lab::pod(&format!("p-{node}-{idx}"), json!({}), &[("main", probe, "")]);
            one["spec"]["nodeName"] = json!(format!("a-{node}"));
            pods.push(one);
        }
    }
    let setup = podscope_cluster::Setup {
        nodes,
        ..podscope_cluster::Setup::default()
    };
    let mut lab = Lab::with_setup(&pods, setup);
    lab.run(150.0);
    let ready = lab
        .world
        .objects()
        .list::<podscope_api::Pod>()
        .filter(|pod| pod.is_ready())
        .count();
    assert_eq!(ready, pods.len());
    let (_, before) = lab.world.pending_and_processed_events();
    lab.run(450.0);
    let (_, after) = lab.world.pending_and_processed_events();
    // The remaining events are those of the control plane: a few per second, whatever the number of pods.
    assert!(after - before < 3000, "{}", after - before);
}
