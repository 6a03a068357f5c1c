//! Comparison of fencing methods (V-06): a StatefulSet with one replica and a volume loses its node to a partition. The
//! test measures for each method the recovery time and the violated invariants.

use podscope_api::ordered;

use podscope_api::{ObjectKey, Pod};
use podscope_cluster::{SimTime, Span};
use podscope_session::report::field;
use podscope_session::scenario;
use podscope_session::timeline::{Session, Slice};

/// Second at which the partition starts.
const PARTITION_SECOND: i64 = 60;

/// Runs a scenario until twenty minutes after the partition. Returns the time until the pod is Ready on another node,
/// and `INVARIANT CAUSE` for each violated invariant.
fn measure_recovery(fencing: &str, timeline: &str) -> (Option<Span>, ordered::Set<String>) {
    let text = format!(
        "apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {{name: compared}}
spec:
  seed: 3
  cluster: {{zones: [a, b, c], nodesPerZone: 1}}
  components: {{fencing: {fencing}}}
  timeline:
  - {{at: {PARTITION_SECOND}s, run: \"fault partition a-1\"}}
{timeline}
---
apiVersion: v1
kind: PersistentVolume
metadata: {{name: disk}}
spec: {{capacity: {{storage: 10Gi}}, accessModes: [ReadWriteOnce], storageClassName: disk, awsElasticBlockStore: {{volumeID: vol-1}}}}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {{name: db}}
spec:
  replicas: 1
  serviceName: db
  selector: {{matchLabels: {{app: db}}}}
  template:
    metadata: {{labels: {{app: db}}}}
    spec:
      containers: [{{name: db, image: 'db:1', volumeMounts: [{{name: data, mountPath: /data}}]}}]
      affinity:
        nodeAffinity:
          preferredDuringSchedulingIgnoredDuringExecution:
          - weight: 100
            preference: {{matchExpressions: [{{key: kubernetes.io/hostname, operator: In, values: [a-1]}}]}}
  volumeClaimTemplates:
  - metadata: {{name: data}}
    spec: {{accessModes: [ReadWriteOnce], storageClassName: disk, resources: {{requests: {{storage: 10Gi}}}}}}
"
    );
    let loaded = scenario::load(&[("compared.yaml".to_owned(), text)]).expect("a scenario");
    let mut session = Session::new(loaded).expect("admitted objects");
    let mut recovery_time = None;
    for second in PARTITION_SECOND..PARTITION_SECOND + 1200 {
        assert_eq!(session.advance(SimTime::from_seconds(second), u64::MAX), Slice::Done);
        let pod = session
            .world()
            .objects()
            .get::<Pod>(&ObjectKey::new("default", "db-0"))
            .cloned();
        let node = pod
            .as_ref()
            .and_then(|pod| pod.spec.node_name.as_deref().map(str::to_owned));
        if second == PARTITION_SECOND {
            assert_eq!(node.as_deref(), Some("a-1"));
        }
        if recovery_time.is_none() && pod.is_some_and(|pod| pod.is_ready()) && node.is_some_and(|node| node != "a-1") {
            recovery_time = Some(Span::seconds(second - PARTITION_SECOND));
        }
    }
    let violations = session
        .violations()
        .map(|record| format!("{} {}", field(record, "invariant"), field(record, "cause")));
    (recovery_time, violations.collect())
}

/// Without action the pod does not recover. Force deletion causes two running instances. The out-of-service taint on a
/// powered-off node and power fencing recover quickly without violations. Fencing that leaves processes running is
/// reported as a violation.
/// Shows: V-06, CT-083, CT-140, CT-149
#[test]
fn fencing_methods_differ_in_recovery_and_violations() {
    let no_fencing = "{enabled: false}";
    let taint = "  - {at: 120s, run: \"fault poweroff a-1\"}
  - {at: 180s, run: \"kubectl taint nodes a-1 node.kubernetes.io/out-of-service=nodeshutdown:NoExecute\"}";
    let force = "  - {at: 180s, run: \"kubectl delete pod db-0 --force --grace-period=0 --wait=false\"}";
    let fencing_by = |mechanism: &str| format!("{{enabled: true, mechanism: {mechanism}}}");
    let (recovery_without_action, violations) = measure_recovery(no_fencing, "");
    assert_eq!((recovery_without_action, violations), (None, ordered::Set::new()));

    // After the pod object is deleted, the volume stays attached for six minutes (CT-131). Then two instances may write.
    let (recovery_by_force, violations) = measure_recovery(no_fencing, force);
    let recovery_by_force = recovery_by_force.expect("the pod recovers after force deletion");
    assert!(recovery_by_force > Span::seconds(120 + 360), "{recovery_by_force}");
    assert!(
        violations.contains("at-most-one command") && violations.contains("fence-before-break command"),
        "{violations:?}"
    );

    let (recovery_by_taint, violations) = measure_recovery(no_fencing, taint);
    let recovery_by_taint = recovery_by_taint.expect("the pod recovers after the taint");
    assert_eq!(violations, ordered::Set::new());
    assert!(
        recovery_by_taint < recovery_by_force && recovery_by_taint < Span::seconds(240),
        "{recovery_by_taint}"
    );

    let mut recoveries_by_fencing = Vec::new();
    for mechanism in ["power", "storage", "network"] {
        let (recovery_time, violations) = measure_recovery(&fencing_by(mechanism), "");
        let recovery_time = recovery_time.unwrap_or_else(|| panic!("{mechanism}: the pod does not recover"));
        assert!(
            violations.iter().all(|line| line.ends_with(" fault")),
            "{mechanism}: {violations:?}"
        );
        assert_eq!(
            violations.contains("at-most-one fault"),
            mechanism != "power",
            "{mechanism}: {violations:?}"
        );
        assert!(
            !violations.iter().any(|line| line.starts_with("single-writer")),
            "{mechanism}: {violations:?}"
        );
        recoveries_by_fencing.push(recovery_time);
    }
    assert!(
        recoveries_by_fencing
            .iter()
            .all(|recovery_time| *recovery_time < recovery_by_taint + Span::seconds(60)),
        "{recoveries_by_fencing:?} {recovery_by_taint}"
    );
}
