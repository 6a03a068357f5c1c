//! Tests of the Deployment controller (C-01, CT-061 to CT-068).

use podscope_api::{Deployment, IntOrString, Kind, ReplicaSet};

use super::super::deployment::max_surge_and_unavailable;
use super::super::lab::Lab;
use podscope_sim::Span;

/// Returns the manifest of the Deployment `web`.
fn web_manifest(replicas: i32, extra_spec: &str) -> String {
    format!(
        "{{apiVersion: apps/v1, kind: Deployment, metadata: {{name: web}}, spec: {{replicas: {replicas}, {extra_spec} \
         selector: {{matchLabels: {{app: web}}}}, \
         template: {{metadata: {{labels: {{app: web}}}}, spec: {{containers: [{{name: web, image: 'web:1'}}]}}}}}}}}"
    )
}

fn set_image(lab: &mut Lab, image: &'static str) {
    lab.edit::<Deployment>("web", move |deployment| {
        let template = std::sync::Arc::make_mut(&mut deployment.spec.template);
        std::sync::Arc::make_mut(&mut template.spec.containers)[0].image = image.into();
    });
}

/// Returns each ReplicaSet's revision and size, sorted by revision.
fn replica_set_sizes(lab: &Lab) -> Vec<(String, i32)> {
    let mut sizes: Vec<(String, i32)> = lab
        .objects()
        .list::<ReplicaSet>()
        .map(|set| {
            let revision = set
                .metadata
                .annotation("deployment.kubernetes.io/revision")
                .unwrap_or("?");
            (revision.to_owned(), set.spec.replicas.unwrap_or(1))
        })
        .collect();
    sizes.sort_unstable();
    sizes
}

/// Returns the reason of a condition of the Deployment; empty if it has no such condition.
fn condition_reason(lab: &Lab, kind: &str) -> String {
    let deployment = lab.get::<Deployment>("web").unwrap();
    let condition = deployment
        .status
        .conditions
        .iter()
        .find(|condition| &*condition.kind == kind);
    condition.map_or_else(String::new, |condition| condition.reason.to_string())
}

/// Shows: CT-061
#[test]
fn max_surge_rounds_up_and_max_unavailable_rounds_down() {
    let percent = |text: &str| Some(IntOrString::String(text.into()));
    for (replicas, surge, unavailable, expected) in [
        (10, None, None, (3, 2)),
        (1, None, None, (1, 0)),
        (3, Some(IntOrString::Int(0)), Some(IntOrString::Int(0)), (0, 1)),
        (10, percent("0%"), percent("0%"), (0, 1)),
        (10, percent("100%"), percent("50%"), (10, 5)),
    ] {
        let mut deployment = Deployment::default();
        deployment.spec.replicas = Some(replicas);
        let rolling = podscope_api::RollingUpdateDeployment {
            max_surge: surge,
            max_unavailable: unavailable,
        };
        deployment.spec.strategy.rolling_update = Some(rolling);
        assert_eq!(max_surge_and_unavailable(&deployment), expected, "{replicas}");
    }
}

/// A rollout stays within maxSurge and maxUnavailable, keeps its history, and a rollback reuses the old ReplicaSet.
/// Shows: CT-062, CT-065, CT-068
#[test]
fn rolling_update_stays_within_bounds_and_can_roll_back() {
    let mut lab = Lab::new(&["a-1", "b-1"], &web_manifest(10, ""));
    lab.run(Span::seconds(10));
    assert_eq!(replica_set_sizes(&lab), [("1".to_owned(), 10)]);
    assert_eq!(condition_reason(&lab, "Available"), "MinimumReplicasAvailable");
    assert_eq!(condition_reason(&lab, "Progressing"), "NewReplicaSetAvailable");
    set_image(&mut lab, "web:2");
    let mut steps = 0;
    while replica_set_sizes(&lab) != [("1".to_owned(), 0), ("2".to_owned(), 10)] {
        lab.run(Span::millis(1));
        let total: i32 = replica_set_sizes(&lab).iter().map(|(_, size)| size).sum();
        let available: i32 = lab
            .objects()
            .list::<ReplicaSet>()
            .map(|set| set.status.available_replicas.unwrap_or(0))
            .sum();
        assert!(total <= 13, "{:?}", replica_set_sizes(&lab));
        assert!(available >= 8, "{available}");
        steps += 1;
        assert!(steps < 60_000, "{:?}", replica_set_sizes(&lab));
    }
    lab.run(Span::seconds(10));
    assert_eq!(condition_reason(&lab, "Progressing"), "NewReplicaSetAvailable");
    let first = lab.get::<Deployment>("web").unwrap();
    assert_eq!(
        first.metadata.annotation("deployment.kubernetes.io/revision"),
        Some("2")
    );
    set_image(&mut lab, "web:1");
    lab.run(Span::seconds(30));
    assert_eq!(replica_set_sizes(&lab), [("2".to_owned(), 0), ("3".to_owned(), 10)]);
    let rolled_back = lab
        .objects()
        .list::<ReplicaSet>()
        .find(|set| set.spec.replicas == Some(10))
        .unwrap();
    assert_eq!(
        rolled_back
            .metadata
            .annotation("deployment.kubernetes.io/revision-history"),
        Some("1")
    );
    assert!(
        lab.events
            .iter()
            .any(|event| event.contains("ScalingReplicaSet: Scaled up replica set") && event.ends_with("from 0 to 10"))
    );
}

/// Terminating pods are counted in addition to the replicas that replace them.
/// Shows: CT-063
#[test]
fn status_counts_terminating_pods() {
    let mut lab = Lab::new(&["a-1"], &web_manifest(3, ""));
    lab.run(Span::seconds(10));
    let counts = |lab: &Lab| {
        let status = lab.get::<Deployment>("web").unwrap().status.clone();
        (status.replicas, status.terminating_replicas)
    };
    assert_eq!(counts(&lab), (Some(3), Some(0)));
    let victim = lab.pods()[0].clone();
    lab.delete(Kind::Pod, &victim, None);
    lab.run(Span::millis(500));
    assert_eq!(counts(&lab), (Some(3), Some(1)), "{:?}", lab.pods());
    lab.run(Span::seconds(5));
    assert_eq!(counts(&lab), (Some(3), Some(0)));
}

/// A rollout that exceeds its deadline is reported but not rolled back; the minimum number of old pods keep running.
/// Shows: CT-067
#[test]
fn stalled_rollout_is_reported_but_not_rolled_back() {
    let mut lab = Lab::new(&["a-1"], &web_manifest(4, "progressDeadlineSeconds: 60,"));
    lab.run(Span::seconds(10));
    lab.readiness_fails = true;
    set_image(&mut lab, "web:bad");
    lab.run(Span::seconds(55));
    assert_eq!(condition_reason(&lab, "Progressing"), "ReplicaSetUpdated");
    assert_eq!(replica_set_sizes(&lab), [("1".to_owned(), 3), ("2".to_owned(), 2)]);
    lab.run(Span::seconds(15));
    assert_eq!(condition_reason(&lab, "Progressing"), "ProgressDeadlineExceeded");
    assert_eq!(replica_set_sizes(&lab), [("1".to_owned(), 3), ("2".to_owned(), 2)]);
    lab.readiness_fails = false;
    set_image(&mut lab, "web:1");
    lab.run(Span::seconds(20));
    assert_eq!(replica_set_sizes(&lab), [("2".to_owned(), 0), ("3".to_owned(), 4)]);
}

/// No new pod is created before the last old pod is removed, including terminating pods.
/// Shows: CT-064
#[test]
fn recreate_waits_until_all_old_pods_are_removed() {
    let mut lab = Lab::new(&["a-1"], &web_manifest(3, "strategy: {type: Recreate},"));
    lab.run(Span::seconds(10));
    let old = lab.pods();
    set_image(&mut lab, "web:2");
    for _ in 0..4000 {
        lab.run(Span::millis(1));
        let pods = lab.pods();
        let n_old = pods
            .iter()
            .filter(|pod| old.contains(&pod.trim_start_matches('-').to_owned()))
            .count();
        assert!(n_old == 0 || n_old == pods.len(), "{pods:?}");
    }
    assert_eq!(replica_set_sizes(&lab), [("1".to_owned(), 0), ("2".to_owned(), 3)]);
    let pods = lab.pods();
    assert!(pods.len() == 3 && pods.iter().all(|pod| !old.contains(pod)), "{pods:?}");
}

/// A change of `spec.replicas` during a rollout is distributed in proportion.
/// Shows: CT-066
#[test]
fn scaling_during_rollout_is_proportional() {
    let mut lab = Lab::new(&["a-1"], &web_manifest(10, ""));
    lab.run(Span::seconds(10));
    lab.readiness_fails = true;
    set_image(&mut lab, "web:2");
    lab.run(Span::seconds(10));
    assert_eq!(replica_set_sizes(&lab), [("1".to_owned(), 8), ("2".to_owned(), 5)]);
    lab.edit::<Deployment>("web", |deployment| deployment.spec.replicas = Some(20));
    lab.run(Span::millis(100));
    // 20 replicas and a surge of 5 are 25 pods, in proportion to the previous 8 and 5: 8·25/13 = 15, 5·25/13 = 10.
    assert_eq!(replica_set_sizes(&lab), [("1".to_owned(), 15), ("2".to_owned(), 10)]);
    lab.edit::<Deployment>("web", |deployment| deployment.spec.paused = Some(true));
    lab.run(Span::millis(100));
    assert_eq!(condition_reason(&lab, "Progressing"), "DeploymentPaused");
    lab.delete(Kind::Deployment, "web", None);
    lab.run(Span::millis(100));
    assert!(lab.get::<Deployment>("web").is_none());
}

/// ReplicaSets beyond the revision history limit are deleted.
/// Shows: CT-065
#[test]
fn revisions_beyond_history_limit_are_deleted() {
    let mut lab = Lab::new(&["a-1"], &web_manifest(1, "revisionHistoryLimit: 2,"));
    lab.run(Span::seconds(10));
    for image in ["web:2", "web:3", "web:4", "web:5"] {
        set_image(&mut lab, image);
        lab.run(Span::seconds(10));
    }
    assert_eq!(
        replica_set_sizes(&lab),
        [("3".to_owned(), 0), ("4".to_owned(), 0), ("5".to_owned(), 1)]
    );
}
