//! Fencing compared (V-06): how long a size-1 StatefulSet with a disk is gone when its node is cut off,
//! by what is done about it, and what each way breaks.

use podscope_api::ordered;

use podscope_api::{ObjectKey, Pod};
use podscope_cluster::{SimTime, Span};
use podscope_session::report::field;
use podscope_session::scenario;
use podscope_session::timeline::{Session, Slice};

/// When the node is cut off.
const CUT: i64 = 60;

/// Runs twenty minutes; how long after the cut the pod is Ready elsewhere, and `INVARIANT CAUSE` of what broke.
fn recovery(fencing: &str, timeline: &str) -> (Option<Span>, ordered::Set<String>) {
    let text = format!(
        "apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {{name: compared}}
spec:
  seed: 3
  cluster: {{zones: [a, b, c], nodesPerZone: 1}}
  components: {{fencing: {fencing}}}
  timeline:
  - {{at: {CUT}s, run: \"fault partition a-1\"}}
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
    let mut back = None;
    for second in CUT..CUT + 1200 {
        assert_eq!(session.advance(SimTime::from_seconds(second), u64::MAX), Slice::Done);
        let pod = session
            .world()
            .objects()
            .get::<Pod>(&ObjectKey::new("default", "db-0"))
            .cloned();
        let node = pod
            .as_ref()
            .and_then(|pod| pod.spec.node_name.as_deref().map(str::to_owned));
        if second == CUT {
            assert_eq!(node.as_deref(), Some("a-1"));
        }
        if back.is_none() && pod.is_some_and(|pod| pod.is_ready()) && node.is_some_and(|node| node != "a-1") {
            back = Some(Span::seconds(second - CUT));
        }
    }
    let broken = session
        .violations()
        .map(|record| format!("{} {}", field(record, "invariant"), field(record, "cause")));
    (back, broken.collect())
}

/// Nothing done, nothing back; force is fast and splits; saying "out of service" of a
/// machine that is off, and power fencing, are fast enough and break nothing; a fence that leaves processes running is
/// told as what it is.
/// Shows: V-06, CT-083, CT-140, CT-149
#[test]
fn ways_back_from_a_lost_node_are_told_apart() {
    let off = "{enabled: false}";
    let taint = "  - {at: 120s, run: \"fault poweroff a-1\"}
  - {at: 180s, run: \"kubectl taint nodes a-1 node.kubernetes.io/out-of-service=nodeshutdown:NoExecute\"}";
    let force = "  - {at: 180s, run: \"kubectl delete pod db-0 --force --grace-period=0 --wait=false\"}";
    let fence = |mechanism: &str| format!("{{enabled: true, mechanism: {mechanism}}}");
    let (nothing, broken) = recovery(off, "");
    assert_eq!((nothing, broken), (None, ordered::Set::new()));

    // The disk stays attached for six minutes after the object is gone (CT-131); then two may write.
    let (forced, broken) = recovery(off, force);
    let forced = forced.expect("force brings it back");
    assert!(forced > Span::seconds(120 + 360), "{forced}");
    assert!(
        broken.contains("at-most-one command") && broken.contains("fence-before-break command"),
        "{broken:?}"
    );

    let (tainted, broken) = recovery(off, taint);
    let tainted = tainted.expect("the taint brings it back");
    assert_eq!(broken, ordered::Set::new());
    assert!(tainted < forced && tainted < Span::seconds(240), "{tainted}");

    let mut fenced = Vec::new();
    for mechanism in ["power", "storage", "network"] {
        let (back, broken) = recovery(&fence(mechanism), "");
        let back = back.unwrap_or_else(|| panic!("{mechanism}: the controller brings it back"));
        assert!(
            broken.iter().all(|line| line.ends_with(" fault")),
            "{mechanism}: {broken:?}"
        );
        assert_eq!(
            broken.contains("at-most-one fault"),
            mechanism != "power",
            "{mechanism}: {broken:?}"
        );
        assert!(
            !broken.iter().any(|line| line.starts_with("single-writer")),
            "{mechanism}: {broken:?}"
        );
        fenced.push(back);
    }
    assert!(
        fenced.iter().all(|back| *back < tainted + Span::seconds(60)),
        "{fenced:?} {tainted}"
    );
}
