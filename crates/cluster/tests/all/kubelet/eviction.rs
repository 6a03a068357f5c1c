//! Node-pressure eviction (LC-186 to LC-201, L-15).

use std::sync::Arc;

use podscope_api::{ConditionStatus, Node};
use podscope_cluster::kubelet::{EvictionSignal, EvictionThreshold, KubeletSettings, ThresholdValue};
use podscope_cluster::{NodeShorthand, Settings, Setup, SimTime, Span, Switches, What};
use serde_json::{Value, json};

use crate::kubelet::lab::{Lab, assert_timeline_rows, pod, status, text_field};

/// Returns a pod that requests this amount of memory; `behavior` sets how much memory it uses.
fn memory_using_pod(name: &str, request: &str, behavior: &str, spec: Value) -> Value {
    let resources = json!({"resources": {"requests": {"memory": request}}});
    pod(name, spec, &[("main", resources, behavior)])
}

/// Returns a PriorityClass named `p` plus its value.
fn priority_class(value: i64) -> Value {
    json!({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": format!("p{value}")}, "value": value})
}

fn lab(objects: &[Value], settings: KubeletSettings, switches: Switches) -> Lab {
    let mut nodes = NodeShorthand::default();
    nodes
        .capacity
        .insert("ephemeral-storage".into(), "100Gi".parse().unwrap());
    Lab::with_setup(
        objects,
        Setup {
            nodes,
            settings: Settings {
                kubelet: Arc::new(settings),
                ..Settings::default()
            },
            switches,
            ..Setup::default()
        },
    )
}

fn phase(lab: &Lab, name: &str) -> String {
    status(lab.pod(name).unwrap())["phase"].as_str().unwrap().to_owned()
}

fn memory_pressure(lab: &Lab) -> ConditionStatus {
    let node = lab.world.objects().named::<Node>("a-1").unwrap();
    node.condition("MemoryPressure").unwrap().status.clone()
}

/// Shows: LC-037, LC-157, LC-191, LC-195, LC-199, LC-201
#[test]
fn memory_pressure_evicts_pod_over_its_request() {
    // The machine has 8Gi; the hard threshold is 100Mi available.
    let mut lab = lab(
        &[
            priority_class(100),
            priority_class(0),
            memory_using_pod(
                "web",
                "1Gi",
                "memory=1Gi..6100Mi@60s, sigterm=ignore",
                json!({"priorityClassName": "p100"}),
            ),
            memory_using_pod("within", "2Gi", "memory=2Gi", json!({"priorityClassName": "p0"})),
        ],
        KubeletSettings::default(),
        Switches::default(),
    );
    lab.run(120.0);
    // Pods that use more than they request are evicted first, whatever their priority: `within` stays.
    assert_eq!(phase(&lab, "within"), "Running");
    let evicted = status(lab.web().unwrap());
    assert_eq!(
        (&evicted["phase"], &evicted["reason"]),
        (&json!("Failed"), &json!("Evicted"))
    );
    let message = evicted["message"].as_str().unwrap();
    assert!(
        message.starts_with("The node was low on resource: memory. Threshold quantity: 100Mi, available: "),
        "{message}"
    );
    assert!(
        message.ends_with(", request is 1Gi, has larger consumption of memory. "),
        "{message}"
    );
    let disruption = evicted["conditions"]
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["type"] == "DisruptionTarget")
        .unwrap()
        .clone();
    assert_eq!(
        (&disruption["status"], &disruption["reason"]),
        (&json!("True"), &json!("TerminationByKubelet"))
    );
    // A hard eviction kills after two seconds, the minimum grace period (LC-157, LC-201).
    assert_timeline_rows(
        "hard eviction",
        &lab.kill_timeline(),
        &[(0.0, "SIGTERM main"), (2.0, "SIGKILL main"), (2.0, "exit 137 main")],
    );
    assert_eq!(memory_pressure(&lab), ConditionStatus::True);
    // The condition is reset five minutes after the last observation (LC-191).
    lab.run(500.0);
    assert_eq!(memory_pressure(&lab), ConditionStatus::False);
    // The evicted pod object stays (LC-037).
    assert!(lab.web().is_some());
}

/// Shows: L-11
#[test]
fn evicted_pod_keeps_its_grace_with_switch_grace_rules_v1_23() {
    let switches = Switches {
        grace_rules_v1_23: true,
        ..Switches::default()
    };
    let mut lab = lab(
        &[memory_using_pod(
            "web",
            "1Gi",
            "memory=1Gi..8150Mi@20s, sigterm=ignore",
            json!({}),
        )],
        KubeletSettings::default(),
        switches,
    );
    lab.run(120.0);
    assert_timeline_rows(
        "the override 0 counts as not set, so the pod's 30 s apply",
        &lab.kill_timeline(),
        &[(0.0, "SIGTERM main"), (30.0, "SIGKILL main"), (30.0, "exit 137 main")],
    );
}

/// Shows: LC-189, LC-198
#[test]
fn soft_eviction_waits_and_uses_max_pod_grace_period() {
    let settings = KubeletSettings {
        eviction: vec![EvictionThreshold {
            signal: EvictionSignal::MemoryAvailable,
            value: ThresholdValue::Quantity("1Gi".parse().unwrap()),
            grace: Some(Span::seconds(30)),
            min_reclaim: None,
        }],
        eviction_max_pod_grace_period: 12,
        ..KubeletSettings::default()
    };
    let mut lab = lab(
        &[memory_using_pod(
            "web",
            "1Gi",
            "memory=7500Mi, sigterm=ignore",
            json!({}),
        )],
        settings,
        Switches::default(),
    );
    lab.run(28.0);
    assert!(
        lab.records_of_kind(What::SignalSent).is_empty(),
        "the grace period of the threshold is not over"
    );
    lab.run(120.0);
    assert_timeline_rows(
        "the minimum of the configured maximum and the pod's own grace period",
        &lab.kill_timeline(),
        &[(0.0, "SIGTERM main"), (12.0, "SIGKILL main"), (12.0, "exit 137 main")],
    );
}

/// Shows: LC-195, LC-196
#[test]
fn eviction_kills_one_pod_per_pass_by_priority_first() {
    let mut lab = lab(
        &[
            priority_class(1),
            priority_class(50),
            memory_using_pod("low", "0", "memory=10Mi", json!({"priorityClassName": "p1"})),
            memory_using_pod(
                "high",
                "0",
                "memory=7Gi..8150Mi@5s",
                json!({"priorityClassName": "p50"}),
            ),
        ],
        KubeletSettings::default(),
        Switches::default(),
    );
    lab.run(200.0);
    let evicted: Vec<(i64, String)> = lab
        .trace
        .records
        .iter()
        .filter(|record| record.what() == What::Event && text_field(record, "reason") == "Evicted")
        .map(|record| {
            (
                (record.at - SimTime::ZERO).whole_seconds(),
                record.object.as_ref().unwrap().key.name.to_string(),
            )
        })
        .collect();
    let order: Vec<&str> = evicted.iter().map(|row| row.1.as_str()).collect();
    assert_eq!(
        order,
        ["low", "high"],
        "both pods exceed their request of 0, so priority decides"
    );
    assert!(evicted[1].0 > evicted[0].0);
}

/// Shows: LC-196
#[test]
fn within_requests_exempt_switch_prevents_eviction() {
    for (is_exempt, final_phase) in [(false, "Failed"), (true, "Running")] {
        let switches = Switches {
            within_requests_exempt: is_exempt,
            ..Switches::default()
        };
        let mut lab = lab(
            &[memory_using_pod("web", "8Gi", "memory=8150Mi", json!({}))],
            KubeletSettings::default(),
            switches,
        );
        lab.run(100.0);
        assert_eq!(phase(&lab, "web"), final_phase, "{is_exempt}");
    }
}

/// Shows: LC-200
#[test]
fn pod_over_local_storage_limit_is_evicted() {
    let limits = json!({"resources": {"limits": {"ephemeral-storage": "1Gi"}}});
    let scratch = json!({"volumeMounts": [{"name": "v", "mountPath": "/v"}]});
    let volume = json!({"volumes": [{"name": "v", "emptyDir": {"sizeLimit": "1Gi"}}]});
    let mut lab = lab(
        &[
            pod("web", json!({}), &[("main", limits, "disk=1Mi..2Gi@20s")]),
            pod("scratch", volume, &[("main", scratch, "disk=1Mi..2Gi@20s")]),
        ],
        KubeletSettings::default(),
        Switches::default(),
    );
    lab.run(60.0);
    for (name, message) in [
        (
            "web",
            "Pod ephemeral local storage usage exceeds the total limit of containers 1Gi. ",
        ),
        ("scratch", "Usage of EmptyDir volume \"v\" exceeds the limit \"1Gi\". "),
    ] {
        let found = status(lab.pod(name).unwrap());
        assert_eq!(
            (&found["reason"], &found["message"]),
            (&json!("Evicted"), &json!(message)),
            "{name}"
        );
        let has_condition = found["conditions"]
            .as_array()
            .unwrap()
            .iter()
            .any(|one| one["type"] == "DisruptionTarget");
        assert!(!has_condition, "{name}");
    }
}

/// Shows: L-15, LC-178
#[test]
fn eviction_timeout_emits_exceeded_grace_period() {
    let settings = KubeletSettings::default();
    let mut lab = lab(
        &[memory_using_pod(
            "web",
            "1Gi",
            "memory=8150Mi, sigterm=ignore, stop=60s",
            json!({}),
        )],
        settings,
        Switches::default(),
    );
    lab.run(60.0);
    let events: Vec<String> = lab.events().into_iter().map(|(_, text)| text).collect();
    assert!(
        events.contains(
            &"ExceededGracePeriod: Container runtime did not kill the pod within specified grace period.".to_owned()
        ),
        "{events:#?}"
    );
}

/// Shows: L-15, LC-195
#[test]
fn pid_pressure_evicts_by_priority() {
    let settings = KubeletSettings {
        // The node allows 32 768 PIDs. Its three pods use eight: two each, and one for each of the two additional
        // containers.
        eviction: vec![EvictionThreshold {
            signal: EvictionSignal::PidAvailable,
            value: ThresholdValue::Quantity("32761".parse().unwrap()),
            grace: None,
            min_reclaim: None,
        }],
        ..KubeletSettings::default()
    };
    let one = || [("main", json!({}), "")];
    let mut lab = lab(
        &[
            priority_class(1),
            priority_class(50),
            pod("low", json!({"priorityClassName": "p1"}), &one()),
            pod("high", json!({"priorityClassName": "p50"}), &one()),
            pod(
                "many",
                json!({"priorityClassName": "p50"}),
                &[("main", json!({}), ""), ("b", json!({}), ""), ("c", json!({}), "")],
            ),
        ],
        settings,
        Switches::default(),
    );
    lab.run(60.0);
    assert_eq!(
        phase(&lab, "low"),
        "Failed",
        "priority decides, not the number of processes"
    );
    let message = status(lab.pod("low").unwrap())["message"].as_str().unwrap().to_owned();
    assert_eq!(
        message,
        "The node was low on resource: pids. Threshold quantity: 32761, available: 32760. "
    );
    let node = lab.world.objects().named::<Node>("a-1").unwrap();
    let pressure = node.condition("PIDPressure").unwrap();
    assert_eq!(
        (&pressure.status, &*pressure.reason),
        (&ConditionStatus::True, "KubeletHasInsufficientPID")
    );
    let is_tainted = node
        .spec
        .taints
        .iter()
        .any(|taint| &*taint.key == "node.kubernetes.io/pid-pressure");
    assert!(is_tainted, "{:?}", node.spec.taints);
    assert_eq!(
        (phase(&lab, "high").as_str(), phase(&lab, "many").as_str()),
        ("Running", "Running")
    );
}

/// Shows: LC-187
#[test]
fn inode_threshold_evicts_and_sets_disk_pressure() {
    // The disk of 100Gi has 6 553 600 inodes; the 50Gi that the pod writes use half of them. There is no threshold for
    // bytes.
    let settings = KubeletSettings {
        eviction: vec![EvictionThreshold {
            signal: EvictionSignal::NodefsInodesFree,
            value: ThresholdValue::PerTenThousand(6000),
            grace: None,
            min_reclaim: None,
        }],
        ..KubeletSettings::default()
    };
    let mut lab = lab(
        &[pod("web", json!({}), &[("main", json!({}), "disk=1Mi..50Gi@20s")])],
        settings,
        Switches::default(),
    );
    lab.run(60.0);
    let found = status(lab.web().unwrap());
    let message = found["message"].as_str().unwrap();
    assert!(
        message.starts_with("The node was low on resource: inodes. Threshold quantity: 3932160, available: "),
        "{message}"
    );
    let node = lab.world.objects().named::<Node>("a-1").unwrap();
    assert_eq!(node.condition("DiskPressure").unwrap().status, ConditionStatus::True);
}

/// Shows: L-11, LC-198
#[test]
fn soft_eviction_grace_is_at_most_pod_grace_period() {
    let settings = KubeletSettings {
        eviction: vec![EvictionThreshold {
            signal: EvictionSignal::MemoryAvailable,
            value: ThresholdValue::Quantity("1Gi".parse().unwrap()),
            grace: Some(Span::seconds(10)),
            min_reclaim: None,
        }],
        eviction_max_pod_grace_period: 60,
        ..KubeletSettings::default()
    };
    let spec = json!({"terminationGracePeriodSeconds": 7});
    let mut lab = lab(
        &[memory_using_pod("web", "1Gi", "memory=7500Mi, sigterm=ignore", spec)],
        settings,
        Switches::default(),
    );
    lab.run(120.0);
    assert_timeline_rows(
        "the minimum of 60 and 7",
        &lab.kill_timeline(),
        &[(0.0, "SIGTERM main"), (7.0, "SIGKILL main"), (7.0, "exit 137 main")],
    );
}
