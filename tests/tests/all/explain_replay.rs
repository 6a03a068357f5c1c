//! S-14: an attempt of long ago is explained as it was decided then, although only its place was kept.

use podscope_cluster::{OutputLine, Record, SimTime, Sink, What, World};
use podscope_scheduler::explain::explain;
use podscope_session::scenario::{self, Loaded};
use podscope_session::timeline::{Session, Slice};

struct Nothing;

impl Sink for Nothing {
    fn record(&mut self, _: Record) {}
    fn output(&mut self, _: OutputLine) {}
    fn finished(&mut self, _: u32, _: SimTime, _: u8) {}
}

/// Placements, refusals, preemption, ties.
fn load() -> Loaded {
    let text = "\
apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: attempts}
spec: {seed: 5, cluster: {zones: [a, b], nodesPerZone: 2, node: {cpu: 1}}}
---
{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 1000}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 6
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: c, image: i, resources: {requests: {cpu: 600m}}}]
      topologySpreadConstraints: [{maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: web}}}]
---
{apiVersion: v1, kind: Pod, metadata: {name: urgent}, spec: {priorityClassName: high, containers: [{name: c, image: i, resources: {requests: {cpu: 900m}}}]}}
";
    scenario::load(&[("attempts.yaml".to_owned(), text.to_owned())]).expect("it loads")
}

/// Shows: S-14
#[test]
fn an_old_attempt_is_explained_as_it_was_decided() {
    let end = SimTime::from_seconds(400);
    let mut world = World::new(load().setup, &mut Nothing).expect("a world");
    world.record_decisions(true);
    let mut decided = Vec::new();
    while world.next_at().is_some_and(|at| at <= end) {
        world.step(&mut Nothing);
        if let Some(recorded) = world.take_decision() {
            let told = explain(&recorded.cache, &recorded.decision);
            decided.push((recorded.pod.clone(), told));
        }
    }
    let mut session = Session::new(load()).expect("a session");
    assert_eq!(session.advance(end, u64::MAX), Slice::Done);
    // Also from the past: the replay is another one than the cursor's.
    for cursor in [end, SimTime::from_seconds(3)] {
        session.seek(cursor);
        session.advance(cursor, u64::MAX);
        let attempts: Vec<u64> = session
            .branch()
            .trace()
            .iter()
            .filter(|record| record.what() == What::Attempt)
            .map(|record| record.seq)
            .collect();
        assert!(
            attempts.len() > 8,
            "too few attempts to show anything: {}",
            attempts.len()
        );
        assert_eq!(attempts.len(), decided.len());
        for (attempt, (pod, told)) in attempts.into_iter().zip(&decided) {
            assert_eq!(
                session.explain(attempt).as_ref(),
                Some(told),
                "attempt {attempt} of {pod}"
            );
        }
    }
}
