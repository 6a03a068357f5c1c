//! Tests of ResourceQuotas in the API server and their controller together (VA-290, CT-189, CT-190).

use podscope_api::{Kind, Pod, PodPhase, ResourceQuota};
use podscope_sim::Span;

use super::super::lab::Lab;

/// Returns a lab with a ReplicaSet of three pods and a quota of two.
fn lab_with_quota() -> Lab {
    Lab::new(
        &["a-1"],
        "{apiVersion: v1, kind: ResourceQuota, metadata: {name: q}, spec: {hard: {pods: '2', count/replicasets.apps: '5'}}}\n---\n\
         {apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: web}, spec: {replicas: 3, selector: {matchLabels: {app: web}}, \
         template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: i}]}}}}",
    )
}

/// Returns the usage in the quota's status as `NAME=AMOUNT`.
fn quota_usage(lab: &Lab) -> String {
    let quota = lab.get::<ResourceQuota>("q").unwrap();
    let each = quota
        .status
        .used
        .iter()
        .map(|(name, amount)| format!("{name}={amount}"));
    each.collect::<Vec<_>>().join(" ")
}

/// Shows: CT-190, VA-290
#[test]
fn quota_refuses_excess_pods_and_stops_counting_deleted_pods() {
    let mut lab = lab_with_quota();
    lab.run(Span::seconds(3));
    assert_eq!(
        (lab.pods().len(), quota_usage(&lab)),
        (2, "count/replicasets.apps=1 pods=2".to_owned())
    );
    let refused = "is forbidden: exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2";
    assert!(
        lab.events.iter().any(|event| event.contains(refused)),
        "{:?}",
        lab.events
    );
    let first = lab.objects().list::<Pod>().next().unwrap().metadata.name.to_string();
    lab.edit::<Pod>(&first, |pod| pod.status.phase = Some(PodPhase::Failed));
    lab.run(Span::seconds(10));
    assert_eq!(
        quota_usage(&lab),
        "count/replicasets.apps=1 pods=2",
        "another pod uses the quota of the failed one"
    );
    lab.delete(Kind::ReplicaSet, "web", None);
    lab.run(Span::seconds(60));
    assert_eq!(
        (lab.pods().len(), quota_usage(&lab)),
        (0, "count/replicasets.apps=0 pods=0".to_owned())
    );
}

/// Shows: CT-190
#[test]
fn refused_pods_are_created_after_quota_is_raised() {
    let mut lab = lab_with_quota();
    lab.run(Span::seconds(3));
    lab.edit::<ResourceQuota>("q", |quota| {
        quota
            .spec
            .hard
            .insert("pods".into(), podscope_api::Quantity::from_units(3));
    });
    lab.run(Span::seconds(60));
    assert_eq!(
        (lab.pods().len(), quota_usage(&lab)),
        (3, "count/replicasets.apps=1 pods=3".to_owned())
    );
}
