//! Faults, application groups, a second scheduler, fencing, and the cost of idle nodes.

use podscope_api::ordered;

use crate::common;
use crate::common::{Trace, at, key, partition, world};
use podscope_api::fault::ControlPlaneProcess;
use podscope_api::{Node, NodeName, Pod};
use podscope_cluster::fault::{Fault, Targets};
use podscope_cluster::{NodeShorthand, Setup, World};
use serde_json::{Value, json};

/// Returns a StatefulSet of three pods that are members of the application group `etcd`.
fn etcd_stateful_set() -> Value {
    json!({
        "apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "etcd", "namespace": "default"},
        "spec": {
            "replicas": 3, "serviceName": "etcd", "podManagementPolicy": "Parallel",
            "selector": {"matchLabels": {"app": "etcd"}},
            "template": {
                "metadata": {"labels": {"app": "etcd"}, "annotations": {"podscope.dev/group": "etcd"}},
                "spec": {
                    "containers": [{"name": "main", "image": "etcd"}],
                    "topologySpreadConstraints": [{
                        "maxSkew": 1, "topologyKey": "kubernetes.io/hostname", "whenUnsatisfiable": "DoNotSchedule",
                        "labelSelector": {"matchLabels": {"app": "etcd"}},
                    }],
                },
            },
        },
    })
}

fn node_of(world: &World, pod: &str) -> NodeName {
    let pod = world.objects().get::<Pod>(&key(pod)).expect("the pod exists");
    pod.spec.node_name.clone().expect("the pod is scheduled")
}

fn membership_fault(name: &str, add: bool) -> Fault {
    Fault::Member {
        group: "etcd".into(),
        member: name.into(),
        add,
    }
}

/// Shows: C-13
#[test]
fn membership_changes_need_a_quorum() {
    let mut trace = Trace::default();
    let mut world = world(&[etcd_stateful_set()], &mut trace);
    world.run_until(at(30), &mut trace);
    let nodes = [node_of(&world, "etcd-1"), node_of(&world, "etcd-2")];
    world
        .apply_fault(&partition(&nodes), &mut trace)
        .expect("the nodes exist");
    let mut check = |world: &mut World, fault: Fault, expected: Result<(), &str>| {
        let answer = world.apply_fault(&fault, &mut trace);
        assert_eq!(answer, expected.map_err(str::to_owned), "{fault:?}");
    };
    check(
        &mut world,
        membership_fault("etcd-9", false),
        Err("etcd-9 is not a member of etcd"),
    );
    check(
        &mut world,
        membership_fault("etcd-2", true),
        Err("etcd-2 is already a member of etcd"),
    );
    check(
        &mut world,
        membership_fault("etcd-2", false),
        Err("no quorum in etcd: 1 of 3 members run and reach each other, 2 are needed"),
    );
    check(&mut world, Fault::Heal(Targets::Nodes(vec![nodes[0].clone()])), Ok(()));
    check(&mut world, membership_fault("etcd-2", false), Ok(()));
    assert_eq!(world.groups().get("etcd").map(Vec::len), Some(2));
    check(&mut world, membership_fault("etcd-2", true), Ok(()));
}

/// Shows: F-05
#[test]
fn machine_join_registers_node_and_leave_makes_it_not_ready() {
    let mut trace = Trace::default();
    let mut world = world(&[], &mut trace);
    let join = Fault::Join {
        node: "d-1".into(),
        count: None,
        like: None,
        labels: ordered::Map::from([("topology.kubernetes.io/zone".into(), "d".into())]),
        capacity: Default::default(),
    };
    world.apply_fault(&join, &mut trace).expect("the name is free");
    assert!(
        world.objects().named::<Node>("d-1").is_none(),
        "the Node exists only after the kubelet registered it"
    );
    world.run_until(at(30), &mut trace);
    let node = world
        .objects()
        .named::<Node>("d-1")
        .expect("the kubelet has registered")
        .clone();
    assert!(node.is_ready());
    assert!(node.spec.taints.is_empty(), "{:?}", node.spec.taints);
    world
        .apply_fault(&Fault::Leave("d-1".into()), &mut trace)
        .expect("the machine exists");
    world.run_until(at(120), &mut trace);
    assert!(
        !world
            .objects()
            .named::<Node>("d-1")
            .expect("the Node object stays")
            .is_ready()
    );
}

/// Shows: F-01
#[test]
fn cluster_recovers_from_power_kubelet_and_zone_faults() {
    let mut trace = Trace::default();
    let mut world = world(&[etcd_stateful_set()], &mut trace);
    world.run_until(at(30), &mut trace);
    let node = node_of(&world, "etcd-0");
    let faults = [
        Fault::Power {
            node: node.clone(),
            on: false,
        },
        Fault::Kubelet {
            node: NodeName::from("b-2"),
            up: false,
        },
        Fault::Partition {
            targets: Targets::Zone("c".into()),
            from: None,
            one_way: None,
        },
    ];
    for fault in faults {
        world.apply_fault(&fault, &mut trace).expect("the fault is possible");
    }
    world.run_until(at(100), &mut trace);
    assert!(
        !world
            .objects()
            .named::<Node>(node.as_str())
            .expect("the Node object stays")
            .is_ready()
    );
    assert!(
        !world
            .objects()
            .named::<Node>("b-2")
            .expect("the Node object stays")
            .is_ready()
    );
    let repairs = [
        Fault::Power {
            node: node.clone(),
            on: true,
        },
        Fault::Kubelet {
            node: NodeName::from("b-2"),
            up: true,
        },
        Fault::Heal(Targets::All),
    ];
    for repair in repairs {
        world.apply_fault(&repair, &mut trace).expect("the repair is possible");
    }
    world.run_until(at(220), &mut trace);
    assert!(world.objects().list::<Node>().all(|node| node.is_ready()));
    assert_eq!(trace.violations(), [""; 0]);
}

/// Shows: F-01
#[test]
fn two_schedulers_bind_a_pod_once() {
    let mut trace = Trace::default();
    let mut world = world(&[], &mut trace);
    world.run_until(at(5), &mut trace);
    world
        .apply_fault(&Fault::Second(ControlPlaneProcess::Scheduler), &mut trace)
        .expect("a scheduler runs");
    world.run_until(at(10), &mut trace);
    let create = podscope_cluster::Request::Create(common::object(&common::pod("web", None)));
    let write = podscope_cluster::client::Write::new(create, "pod/web created");
    world.start_client(podscope_cluster::client::ClientCommand::Write(vec![write]), &mut trace);
    world.run_until(at(40), &mut trace);
    let attempts = trace
        .record_kinds("web")
        .iter()
        .filter(|what| *what == "Attempt")
        .count();
    assert!(attempts >= 2, "both schedulers decide");
    assert_eq!(
        trace.record_kinds("web").iter().filter(|what| *what == "Bound").count(),
        1
    );
    let restart = Fault::ControlPlane {
        process: ControlPlaneProcess::Scheduler,
        up: true,
    };
    world
        .apply_fault(&restart, &mut trace)
        .expect("a scheduler can be restarted");
    world.run_until(at(80), &mut trace);
    let running = world.control_plane_processes();
    assert_eq!(
        running
            .iter()
            .filter(|process| process.runs && process.actor.to_string().starts_with("scheduler"))
            .count(),
        1
    );
}

/// Shows: Q-02
#[test]
fn idle_nodes_create_few_simulation_events() {
    let mut trace = Trace::default();
    let setup = Setup {
        nodes: NodeShorthand {
            nodes_per_zone: 100,
            ..NodeShorthand::default()
        },
        ..Setup::default()
    };
    let mut world = World::new(setup, &mut trace).expect("the scenario is valid");
    world.run_until(at(60), &mut trace);
    let (_, before) = world.pending_and_processed_events();
    world.run_until(at(660), &mut trace);
    let (pending, after) = world.pending_and_processed_events();
    // The remaining events are leader elections, passes of the node controller, liveness checks, and one status update
    // per node every five minutes.
    assert!(after - before < 6_000, "{} events in ten idle minutes", after - before);
    assert!(pending < 2_000, "{pending} events are pending");
}

/// The fencing controller powers off a lost node before it sets the out-of-service taint; the pod of the
/// StatefulSet moves and never runs on two nodes at once.
/// Shows: V-05, CT-144
#[test]
fn fencing_controller_moves_stateful_pod_safely() {
    let mut trace = Trace::default();
    let mut single = etcd_stateful_set();
    single["spec"]["replicas"] = json!(1);
    let mut setup = Setup {
        objects: vec![common::object(&single)],
        ..Setup::default()
    };
    setup.settings.fencing.enabled = true;
    let mut world = World::new(setup, &mut trace).expect("the scenario is valid");
    world.run_until(at(30), &mut trace);
    let node = node_of(&world, "etcd-0");
    world
        .apply_fault(&partition(std::slice::from_ref(&node)), &mut trace)
        .expect("the node exists");
    world.run_until(at(300), &mut trace);
    assert_ne!(node_of(&world, "etcd-0"), node);
    let what: Vec<&str> = trace.records.iter().map(|record| record.what().as_str()).collect();
    let first = |name: &str| what.iter().position(|what| *what == name);
    assert!(first("Fenced").is_some());
    assert_eq!(trace.violations(), [""; 0]);
}

/// Shows: F-05
#[test]
fn machine_joined_as_copy_of_node_has_its_zone_and_capacity() {
    let mut trace = Trace::default();
    let mut world = world(&[], &mut trace);
    let join = |count| Fault::Join {
        node: "pool".into(),
        count,
        like: Some("a-1".into()),
        labels: Default::default(),
        capacity: ordered::Map::from([("cpu".into(), "16".parse().expect("16 is a quantity"))]),
    };
    world
        .apply_fault(&join(Some(2)), &mut trace)
        .expect("the names are free");
    assert_eq!(
        world.apply_fault(&join(Some(3)), &mut trace),
        Err("there is already a machine called \"pool-1\"".to_owned()),
        "if one name is taken, no machine joins"
    );
    world.run_until(at(30), &mut trace);
    let like = world.objects().named::<Node>("a-1").expect("the Node exists").clone();
    for name in ["pool-1", "pool-2"] {
        let node = world.objects().named::<Node>(name).expect("the kubelet has registered");
        let label = |node: &Node, key: &str| node.metadata.labels.get(key).map(ToString::to_string);
        let zone = "topology.kubernetes.io/zone";
        assert_eq!(label(node, zone), label(&like, zone));
        assert_eq!(label(node, "kubernetes.io/hostname").as_deref(), Some(name));
        assert_eq!(node.status.capacity.get("memory"), like.status.capacity.get("memory"));
        assert_eq!(node.status.capacity["cpu"].to_string(), "16");
    }
    assert!(world.objects().named::<Node>("pool-3").is_none());
}
