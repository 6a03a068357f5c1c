//! The world as a whole: workloads, partitions, elections, outages.

use crate::common;
use crate::common::{Trace, at, world};
use podscope_api::fault::ControlPlaneProcess;
use podscope_api::{Node, Pod};
use podscope_cluster::GivenCommand;
use podscope_cluster::fault::{Fault, Targets};
use serde_json::{Value, json};

fn replica_set(replicas: i32) -> Value {
    json!({
        "apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "web", "namespace": "default"},
        "spec": {
            "replicas": replicas, "selector": {"matchLabels": {"app": "web"}},
            "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "main", "image": "nginx"}]}},
        },
    })
}

fn partition(node: &str) -> Fault {
    common::partition(&[node.into()])
}

/// Shows: F-02
#[test]
fn controllers_create_pods_of_replica_set_over_links() {
    let mut trace = Trace::default();
    let mut world = world(&[replica_set(3)], &mut trace);
    world.run_until(at(5), &mut trace);
    assert_eq!(world.objects().list::<Pod>().count(), 3);
}

/// Shows: LC-206
#[test]
fn partitioned_node_becomes_unknown_and_recovers() {
    let mut trace = Trace::default();
    let mut world = world(&[], &mut trace);
    world.run_until(at(20), &mut trace);
    world
        .apply_fault(&partition("a-1"), &mut trace)
        .expect("the node exists");
    world.run_until(at(90), &mut trace);
    let is_ready = |world: &podscope_cluster::World| {
        let node = world.objects().named::<Node>("a-1").expect("the Node exists");
        node.is_ready()
    };
    assert!(!is_ready(&world), "{:#?}", trace.record_kinds("a-1"));
    world
        .apply_fault(&Fault::Heal(Targets::All), &mut trace)
        .expect("healing everything is always possible");
    world.run_until(at(200), &mut trace);
    assert_eq!(trace.violations(), [""; 0]);
}

/// Shows: CT-153
#[test]
fn restarted_controller_manager_waits_for_the_old_lease() {
    let mut trace = Trace::default();
    let mut world = world(&[replica_set(1)], &mut trace);
    world.run_until(at(5), &mut trace);
    let manager = |up| Fault::ControlPlane {
        process: ControlPlaneProcess::ControllerManager,
        up,
    };
    world
        .apply_fault(&manager(false), &mut trace)
        .expect("the controller-manager runs");
    world
        .apply_fault(&manager(true), &mut trace)
        .expect("the controller-manager can start");
    let pod = world
        .objects()
        .list::<Pod>()
        .next()
        .expect("the ReplicaSet has one pod")
        .metadata
        .name
        .clone();
    world.start_client(common::delete(&pod, None, false), &mut trace);
    world.run_until(at(18), &mut trace);
    assert_eq!(
        world.objects().list::<Pod>().count(),
        0,
        "no controller-manager leads yet"
    );
    world.run_until(at(30), &mut trace);
    assert_eq!(world.objects().list::<Pod>().count(), 1);
}

/// Shows: CT-155
#[test]
fn etcd_outage_ends_leadership_and_recovers() {
    let mut trace = Trace::default();
    let mut world = world(&[replica_set(2)], &mut trace);
    world.run_until(at(5), &mut trace);
    world
        .apply_fault(&Fault::Etcd { up: false }, &mut trace)
        .expect("etcd is up");
    world.run_until(at(60), &mut trace);
    world
        .apply_fault(&Fault::Etcd { up: true }, &mut trace)
        .expect("etcd is down");
    world.run_until(at(120), &mut trace);
    let pod = world
        .objects()
        .list::<Pod>()
        .next()
        .expect("the ReplicaSet has two pods")
        .metadata
        .name
        .clone();
    world.start_client(common::delete(&pod, None, false), &mut trace);
    world.run_until(at(130), &mut trace);
    assert_eq!(world.objects().list::<Pod>().count(), 2);
}

/// Shows: F-01
#[test]
fn faults_that_cannot_be_applied_are_refused_with_a_reason() {
    let mut trace = Trace::default();
    let mut world = world(&[], &mut trace);
    #[rustfmt::skip]
    let rows = [
        (partition("zzz"), "there is no machine called \"zzz\""),
        (Fault::Power { node: "a-1".into(), on: true }, "machine \"a-1\" already has power"),
        (Fault::Etcd { up: true }, "etcd is already up"),
        (Fault::Heal(Targets::Zone("q".into())), "there is no machine in zone \"q\""),
        (Fault::Sandbox(common::key("none")), "there is no pod default/none"),
    ];
    for (fault, expected) in rows {
        assert_eq!(world.apply_fault(&fault, &mut trace), Err(expected.to_owned()));
    }
}

/// Shows: S-01
#[test]
fn pods_are_scheduled_run_and_terminate() {
    let mut trace = Trace::default();
    let mut world = world(&[replica_set(3), common::pod("solo", None)], &mut trace);
    world.run_until(at(30), &mut trace);
    let phases: Vec<Option<&str>> = world
        .objects()
        .list::<Pod>()
        .map(|pod| pod.status.phase.as_ref().map(podscope_api::PodPhase::as_str))
        .collect();
    assert_eq!(phases, [Some("Running"); 4], "{:#?}", trace.lines());
    let command = world.start_client(common::delete("solo", None, true), &mut trace);
    world.run_until(at(70), &mut trace);
    assert!(world.objects().get::<Pod>(&common::key("solo")).is_none());
    assert!(!world.is_running(command));
    assert_eq!(trace.violations(), [""; 0]);
}

/// Shows: CT-037
#[test]
fn partition_evicts_pods_after_their_toleration_seconds() {
    let mut trace = Trace::default();
    let mut world = world(&[replica_set(1)], &mut trace);
    world.run_until(at(20), &mut trace);
    let first = world
        .objects()
        .list::<Pod>()
        .next()
        .expect("the ReplicaSet has one pod")
        .clone();
    let node = first.spec.node_name.clone().expect("the pod is scheduled");
    world
        .apply_fault(&partition(node.as_str()), &mut trace)
        .expect("the node exists");
    world.run_until(at(420), &mut trace);
    let pods: Vec<_> = world.objects().list::<Pod>().cloned().collect();
    assert_eq!(pods.len(), 2, "the old pod stays Terminating beside its replacement");
    world
        .apply_fault(&Fault::Heal(Targets::All), &mut trace)
        .expect("healing everything is always possible");
    world.run_until(at(500), &mut trace);
    assert_eq!(world.objects().list::<Pod>().count(), 1);
    assert_eq!(trace.violations(), [""; 0]);
}

/// Shows: F-04
#[test]
fn forced_deletion_in_partition_is_blamed_on_the_command() {
    let mut trace = Trace::default();
    let set = json!({
        "apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "db", "namespace": "default"},
        "spec": {
            "replicas": 1, "serviceName": "db", "selector": {"matchLabels": {"app": "db"}},
            "template": {"metadata": {"labels": {"app": "db"}}, "spec": {"containers": [{"name": "main", "image": "db"}]}},
        },
    });
    let mut world = world(&[set], &mut trace);
    world.run_until(at(20), &mut trace);
    let node = world
        .objects()
        .get::<Pod>(&common::key("db-0"))
        .expect("the StatefulSet has created its pod")
        .spec
        .node_name
        .clone();
    world
        .apply_fault(&partition(node.expect("the pod is scheduled").as_str()), &mut trace)
        .expect("the node exists");
    world.run_until(at(90), &mut trace);
    let text = "kubectl delete pod db-0 --grace-period=0 --force";
    world.record_command(GivenCommand { text, number: 1 }, None, &mut trace);
    world.start_client(common::delete("db-0", Some(0), false), &mut trace);
    world.run_until(at(130), &mut trace);
    let violations = trace.violations();
    let names = ["fence-before-break", "at-most-one", "safe-stall"];
    assert_eq!(violations.len(), names.len(), "{violations:#?}");
    for (line, name) in violations.iter().zip(names) {
        assert!(
            line.contains(&format!("\"invariant\":\"{name}\",\"cause\":\"command\"")),
            "{line}"
        );
        assert!(line.contains(text), "{line}");
    }
    let culprits = trace.records.iter().filter_map(|record| Some(&record.violation()?.by));
    assert!(
        culprits.into_iter().all(|by| by.command == Some(1)),
        "the culprit is the command of that number"
    );
}
