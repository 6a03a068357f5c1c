//! An old scheduling attempt is explained exactly as it was decided, although the session stores only the attempt's
//! position in the trace (S-14).

use podscope_cluster::{OutputLine, Record, SimTime, Sink, What, World};
use podscope_scheduler::explain::explain;
use podscope_session::scenario::{self, Loaded};
use podscope_session::timeline::{Session, Slice};

struct NullSink;

impl Sink for NullSink {
    fn record(&mut self, _: Record) {}
    fn output(&mut self, _: OutputLine) {}
    fn finished(&mut self, _command: u32, _at: SimTime, _status: u8) {}
}

/// Loads a scenario with bindings, unschedulable pods, preemption and ties.
fn load_scenario() -> Loaded {
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
    scenario::load(&[("attempts.yaml".to_owned(), text.to_owned())]).expect("the scenario loads")
}

/// Shows: S-14
#[test]
fn old_attempt_is_explained_as_it_was_decided() {
    let end = SimTime::from_seconds(400);
    let mut world = World::new(load_scenario().setup, &mut NullSink).expect("a world");
    world.record_decisions(true);
    let mut decided = Vec::new();
    while world.next_at().is_some_and(|at| at <= end) {
        world.step(&mut NullSink);
        if let Some(recorded) = world.take_decision() {
            let explanation = explain(&recorded.cache, &recorded.decision);
            decided.push((recorded.pod.clone(), explanation));
        }
    }
    let mut session = Session::new(load_scenario()).expect("a session");
    assert_eq!(session.advance(end, u64::MAX), Slice::Done);
    // If the cursor is in the past, the explanation is computed in a separate replay.
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
            "too few attempts for a meaningful test: {}",
            attempts.len()
        );
        assert_eq!(attempts.len(), decided.len());
        for (attempt, (pod, explanation)) in attempts.into_iter().zip(&decided) {
            assert_eq!(
                session.explain(attempt).as_ref(),
                Some(explanation),
                "attempt {attempt} of {pod}"
            );
        }
    }
}
