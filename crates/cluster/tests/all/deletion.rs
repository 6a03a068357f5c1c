//! Deletion at the API server by a client of the simulation (LC-011 to LC-020).

use crate::common;
use crate::common::{Trace, at, key, object, pod, world};
use podscope_api::{Kind, Pod};
use podscope_cluster::client::{ClientCommand, Write};
use podscope_cluster::{DeleteOptions, Request, Setup, SimTime, World};
use serde_json::json;

/// Returns the command `kubectl delete pod NAME`, which waits until the pod is gone.
fn delete_pod_command(name: &str, grace_seconds: Option<i64>) -> ClientCommand {
    common::delete(name, grace_seconds, true)
}

/// Shows: LC-016, LC-022
#[test]
fn forced_deletion_is_two_writes() {
    let mut trace = Trace::default();
    // The node has no machine, so no kubelet completes the deletion.
    let mut world = world(&[pod("web", Some("elsewhere"))], &mut trace);
    world.start_client(delete_pod_command("web", Some(0)), &mut trace);
    world.run_until(SimTime(100_000), &mut trace);
    assert!(world.objects().get::<Pod>(&key("web")).is_none());
    let seen = trace.record_kinds("web");
    assert_eq!(seen[seen.len() - 2..], ["DeletionRequested", "Deleted"]);
    // Output: the warning and the success line; the command exits when the UID is gone (LC-022).
    let lines: Vec<&str> = trace.output.iter().map(|line| line.text.as_str()).collect();
    assert!(lines[0].starts_with("Warning: Immediate deletion does not wait for confirmation"));
    assert_eq!(lines[1..], ["pod \"web\" force deleted from default namespace"]);
    assert_eq!(trace.finished.len(), 1);
}

/// Shows: LC-013, LC-014
#[test]
fn grace_period_only_shrinks() {
    let mut trace = Trace::default();
    let mut world = world(&[pod("web", Some("elsewhere"))], &mut trace);
    world.start_client(delete_pod_command("web", None), &mut trace);
    world.run_until(at(2), &mut trace);
    world.start_client(delete_pod_command("web", Some(60)), &mut trace);
    world.run_until(at(3), &mut trace);
    let grace = |world: &World| {
        let pod = world.objects().get::<Pod>(&key("web")).expect("the pod still exists");
        pod.metadata.deletion_grace_period_seconds
    };
    assert_eq!(grace(&world), Some(30));
    world.start_client(delete_pod_command("web", Some(10)), &mut trace);
    world.run_until(at(4), &mut trace);
    assert_eq!(grace(&world), Some(10));
}

/// Shows: LC-020
#[test]
fn finalizer_blocks_forced_deletion() {
    let mut trace = Trace::default();
    let mut held = pod("web", Some("elsewhere"));
    held["metadata"]["finalizers"] = json!(["example.com/hold"]);
    let mut world = world(&[held], &mut trace);
    world.start_client(delete_pod_command("web", Some(0)), &mut trace);
    world.run_until(at(1), &mut trace);
    let stored = world
        .objects()
        .get::<Pod>(&key("web"))
        .expect("the finalizer keeps the pod")
        .clone();
    assert_eq!(stored.metadata.deletion_grace_period_seconds, Some(0));
    let mut released = Pod::clone(&stored);
    released.metadata.finalizers.clear();
    let update = Request::Update(
        podscope_api::Object::Pod(std::sync::Arc::new(released)),
        podscope_cluster::Part::Main,
    );
    world.start_client(ClientCommand::Write(vec![Write::new(update, "")]), &mut trace);
    world.run_until(at(2), &mut trace);
    assert!(world.objects().get::<Pod>(&key("web")).is_none());
}

#[test]
fn refused_requests_print_the_servers_messages() {
    let mut trace = Trace::default();
    let mut world = world(&[pod("web", None)], &mut trace);
    let create = |value: serde_json::Value| Request::Create(object(&value));
    let mut unknown_class = pod("vip", None);
    unknown_class["spec"]["priorityClassName"] = json!("gold");
    let mut wrong_namespace = pod("lost", None);
    wrong_namespace["metadata"]["namespace"] = json!("nowhere");
    let requests = [
        create(pod("web", None)),
        create(unknown_class),
        create(wrong_namespace),
        Request::Delete {
            kind: Kind::Deployment,
            key: key("web"),
            options: DeleteOptions::default(),
        },
    ]
    .into_iter()
    .map(|request| Write::new(request, "done"))
    .collect();
    world.start_client(ClientCommand::Write(requests), &mut trace);
    world.run_until(at(1), &mut trace);
    let lines: Vec<&str> = trace.output.iter().map(|line| line.text.as_str()).collect();
    assert_eq!(
        lines,
        [
            "Error from server (AlreadyExists): pods \"web\" already exists",
            "Error from server (Forbidden): pods \"vip\" is forbidden: no PriorityClass with name gold was found",
            "Error from server (NotFound): namespaces \"nowhere\" not found",
            "Error from server (NotFound): deployments.apps \"web\" not found",
        ]
    );
    assert_eq!(trace.finished.len(), 1);
    assert_eq!(trace.finished[0].2, 1);
}

/// Shows: P-02
#[test]
fn same_seed_gives_same_trace() {
    let run = |seed: u64| {
        let mut trace = Trace::default();
        let setup = Setup {
            seed,
            objects: vec![object(&pod("web", Some("a-1")))],
            ..Setup::default()
        };
        let mut world = World::new(setup, &mut trace).expect("the scenario is valid");
        world.run_until(at(60), &mut trace);
        world.start_client(delete_pod_command("web", None), &mut trace);
        world.run_until(at(200), &mut trace);
        trace.lines()
    };
    assert_eq!(run(7), run(7));
    assert_ne!(run(7), run(8));
}

/// The deletion rules hold for random sequences of deletions, updates and forced deletions of one pod, with and without
/// a finalizer.
/// Shows: LC-012, LC-013, LC-014, LC-015, LC-016, LC-017, LC-018, LC-019, LC-020, CT-165, CT-166
#[test]
fn deletion_rules_hold_in_any_order() {
    use podscope_cluster::{Mutation, Part, Rng};
    for seed in 0..60_u64 {
        let mut rng = Rng::split(seed, "deletion");
        let mut trace = Trace::default();
        let mut manifest = pod("web", Some("elsewhere"));
        let has_finalizer = rng.below(2) == 0;
        if has_finalizer {
            manifest["metadata"]["finalizers"] = json!(["example.com/hold"]);
        }
        let mut world = world(&[manifest], &mut trace);
        let mut last: Option<(i64, i64)> = None;
        for step in 1..=8 {
            let request = match rng.below(6) {
                0 => Request::Patch {
                    kind: Kind::Pod,
                    key: key("web"),
                    uid: None,
                    part: Part::Main,
                    change: Mutation::new::<Pod>("release", |pod| pod.metadata.finalizers.clear()),
                },
                1 => Request::Patch {
                    kind: Kind::Pod,
                    key: key("web"),
                    uid: None,
                    part: Part::Main,
                    change: Mutation::new::<Pod>("revive", |pod| pod.metadata.deletion_timestamp = None),
                },
                draw => Request::Delete {
                    kind: Kind::Pod,
                    key: key("web"),
                    options: DeleteOptions {
                        grace_seconds: [None, Some(0), Some(5), Some(60)][(draw - 2) as usize],
                        ..DeleteOptions::default()
                    },
                },
            };
            let forces = matches!(&request, Request::Delete { options, .. } if options.grace_seconds == Some(0));
            world.start_client(ClientCommand::Write(vec![Write::new(request, "")]), &mut trace);
            world.run_until(at(step * 3), &mut trace);
            let Some(stored) = world.objects().get::<Pod>(&key("web")) else {
                break;
            };
            let metadata = &stored.metadata;
            if forces {
                assert!(
                    !metadata.finalizers.is_empty(),
                    "seed {seed}: only a finalizer keeps a pod after a forced deletion"
                );
            }
            let now = metadata
                .deletion_timestamp
                .map(|at| (at.0, metadata.deletion_grace_period_seconds.unwrap_or(0)));
            if let Some((at, grace)) = last {
                let (now_at, now_grace) = now.expect("a deletion is never revoked");
                assert!(now_grace <= grace, "seed {seed}: the grace period grew");
                // A shortened deletion time that lies in the past is set to now (LC-014).
                let wall = world.start_time().0 + step * 3_000_000;
                assert!(
                    now_at <= at.max(wall),
                    "seed {seed}: the deletion timestamp moved later"
                );
            }
            last = now;
        }
        let requested = trace
            .record_kinds("web")
            .iter()
            .filter(|what| *what == "DeletionRequested")
            .count();
        assert!(
            requested <= 1,
            "seed {seed}: DeletionRequested is recorded only for the first DELETE"
        );
        let deleted = trace
            .record_kinds("web")
            .iter()
            .filter(|what| *what == "Deleted")
            .count();
        assert_eq!(
            deleted,
            usize::from(world.objects().get::<Pod>(&key("web")).is_none()),
            "seed {seed}"
        );
    }
}
