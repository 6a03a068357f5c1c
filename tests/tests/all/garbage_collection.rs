//! Owner references and garbage collection of dependents (C-11, CT-150, CT-152).

use podscope_cluster::{SimTime, What};
use podscope_kubectl::command;
use podscope_session::scenario;
use podscope_session::timeline::{Session, Slice};

const WEB_DEPLOYMENT: &str = "
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: 'web:1'}], terminationGracePeriodSeconds: 10}
";

fn new_session(text: &str) -> Session {
    let loaded = scenario::load(&[("test.yaml".to_owned(), text.to_owned())]).expect("a scenario");
    let mut session = Session::new(loaded).expect("admitted objects");
    advance_to(&mut session, 30);
    session
}

fn advance_to(session: &mut Session, seconds: i64) {
    assert_eq!(session.advance(SimTime::from_seconds(seconds), u64::MAX), Slice::Done);
}

fn run_command(session: &mut Session, line: &str) {
    let parsed = command::parse(line).unwrap_or_else(|error| panic!("{line}: {}", error.message));
    session.command(parsed).expect("within the limits");
}

/// Returns the kinds of deleted objects in the order of deletion, without consecutive duplicates.
fn deleted_kinds(session: &Session) -> Vec<&'static str> {
    let deleted = session.trace().filter(|record| record.what() == What::Deleted);
    let kinds = deleted.filter_map(|record| record.object.as_ref().map(|object| object.kind.name()));
    let mut order: Vec<&'static str> = kinds
        .filter(|kind| matches!(*kind, "Deployment" | "ReplicaSet" | "Pod"))
        .collect();
    order.dedup();
    order
}

/// Returns the numbers of Deployments, ReplicaSets and pods.
fn object_counts(session: &Session) -> [usize; 3] {
    use podscope_api::Kind::{Deployment, Pod, ReplicaSet};
    [Deployment, ReplicaSet, Pod].map(|kind| session.world().objects().count_kind(kind))
}

/// Background deletion deletes the owner first, foreground deletion deletes it last, and orphan deletes only the owner.
/// Shows: C-11, CT-152
#[test]
fn propagation_policy_decides_order_of_deletion() {
    for (cascade, order, remaining) in [
        ("background", vec!["Deployment", "ReplicaSet", "Pod"], [0, 0, 0]),
        ("foreground", vec!["Pod", "ReplicaSet", "Deployment"], [0, 0, 0]),
        ("orphan", vec!["Deployment"], [0, 1, 2]),
    ] {
        let mut session = new_session(WEB_DEPLOYMENT);
        assert_eq!(object_counts(&session), [1, 1, 2]);
        run_command(
            &mut session,
            &format!("kubectl delete deployment web --cascade={cascade} --wait=false"),
        );
        advance_to(&mut session, 90);
        assert_eq!(deleted_kinds(&session), order, "{cascade}");
        assert_eq!(object_counts(&session), remaining, "{cascade}");
        let objects = session.world().objects();
        for set in objects.list::<podscope_api::ReplicaSet>() {
            assert!(set.metadata.owner_references.is_empty(), "an orphan has no owner");
            assert!(set.metadata.finalizers.is_empty() && !set.metadata.is_terminating());
        }
        for pod in objects.list::<podscope_api::Pod>() {
            assert!(pod.metadata.controller_ref().is_some() && !pod.metadata.is_terminating());
        }
    }
}

/// While a node is partitioned, the API server cannot know whether the node's pod has terminated. The pod's owner,
/// deleted in the foreground, waits until the partition heals.
/// Shows: C-11, CT-152
#[test]
fn partitioned_pod_blocks_foreground_deletion() {
    let mut session = new_session(WEB_DEPLOYMENT);
    let nodes = |session: &Session| -> Vec<String> {
        let pods = session.world().objects().list::<podscope_api::Pod>();
        pods.filter_map(|pod| Some(pod.spec.node_name.as_ref()?.to_string()))
            .collect()
    };
    let node = nodes(&session).first().expect("a pod runs").clone();
    run_command(&mut session, &format!("fault partition {node}"));
    run_command(
        &mut session,
        "kubectl delete deployment web --cascade=foreground --wait=false",
    );
    advance_to(&mut session, 300);
    assert_eq!(
        nodes(&session),
        std::slice::from_ref(&node),
        "only the partitioned pod is left"
    );
    assert_eq!(object_counts(&session), [1, 1, 1]);
    let owner = session
        .world()
        .objects()
        .list::<podscope_api::Deployment>()
        .next()
        .expect("the Deployment waits")
        .clone();
    assert!(owner.metadata.is_terminating());
    assert_eq!(owner.metadata.finalizers, ["foregroundDeletion".into()]);
    run_command(&mut session, &format!("fault heal {node}"));
    advance_to(&mut session, 400);
    assert_eq!(object_counts(&session), [0, 0, 0]);
}

/// An owner is identified by its UID. A pod whose owner does not exist is deleted gracefully.
/// Shows: C-11, CT-152
#[test]
fn pod_with_missing_owner_is_collected() {
    let pod = |name: &str, owner: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}{owner}}}\nspec: {{containers: [{{name: c, image: i}}], terminationGracePeriodSeconds: 5}}\n"
        )
    };
    let missing_owner = ", ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web, uid: another}]";
    let session = new_session(&format!("{}---\n{}", pod("own", ""), pod("stray", missing_owner)));
    let names: Vec<String> = session
        .world()
        .objects()
        .list::<podscope_api::Pod>()
        .map(|pod| pod.metadata.name.to_string())
        .collect();
    assert_eq!(names, ["own"]);
}

/// The Node owns its Lease, so that the Lease is collected after the Node is deleted.
/// Shows: C-11, CT-150
#[test]
fn lease_is_collected_with_its_node() {
    let mut session = new_session(WEB_DEPLOYMENT);
    let leases = |session: &Session| {
        let leases = session
            .world()
            .objects()
            .list_in::<podscope_api::Lease>("kube-node-lease");
        leases
            .map(|lease| lease.metadata.name.to_string())
            .filter(|name| name == "b-1")
            .count()
    };
    assert_eq!(leases(&session), 1);
    run_command(&mut session, "fault leave b-1");
    run_command(&mut session, "kubectl delete node b-1 --wait=false");
    advance_to(&mut session, 60);
    assert_eq!(leases(&session), 0);
}
