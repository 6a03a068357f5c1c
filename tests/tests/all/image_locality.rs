//! SCH-108, SCH-129: ImageLocality counts the images that nodes report, as they are reported (LC-068), and no longer those that
//! their kubelets collected.

use podscope_cluster::{Record, SimTime, What};
use podscope_scheduler::explain::NodeExplanation;
use podscope_session::scenario;
use podscope_session::timeline::{Session, Slice};

/// Two nodes, one of them with two images that fill 86 % of its disk; one is used, and so kept, by a pod.
const SCENARIO: &str = "\
apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: images}
spec:
  seed: 3
  cluster: {zones: []}
  components: {kubelet: {evictionHard: {nodefs.available: 5%}}}
  timeline:
  - {at: 10s, run: 'kubectl run early --image=registry.k8s.io/big:1'}
  - {at: 20s, run: 'kubectl run short --image=kept:1'}
  - {at: 100s, run: 'kubectl delete pod early'}
  - {at: 400s, run: 'kubectl run late --image=registry.k8s.io/big:1'}
---
apiVersion: v1
kind: Node
metadata: {name: with, labels: {kubernetes.io/hostname: with}}
status:
  capacity: {cpu: 4, memory: 8Gi, pods: 110, ephemeral-storage: 2G}
  images:
  - {names: [registry.k8s.io/big:1], sizeBytes: 900000000}
  - {names: [docker.io/library/kept:1], sizeBytes: 820000000}
---
apiVersion: v1
kind: Node
metadata: {name: without, labels: {kubernetes.io/hostname: without}}
status: {capacity: {cpu: 4, memory: 8Gi, pods: 110, ephemeral-storage: 2G}}
---
{apiVersion: v1, kind: Pod, metadata: {name: keeper}, spec: {nodeName: with, containers: [{name: c, image: 'kept:1'}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: filler}, spec: {nodeName: without, containers: [{name: c, image: 'other:1'}]}}
";

/// ImageLocality's score of each node in the attempt of that pod.
fn scores(session: &Session, name: &str) -> Vec<(String, i64)> {
    let is_it = |record: &Record| {
        record.what() == What::Attempt && record.object.as_ref().is_some_and(|one| &*one.key.name == name)
    };
    let attempt = session.trace().position(|record| is_it(&record)).expect("an attempt");
    let told = session.explain(attempt as u64).expect("an explanation");
    let at = told.plugins.iter().position(|one| one.name == "ImageLocality");
    let at = at.expect("ImageLocality scores");
    let row = |node: &NodeExplanation| (node.name.clone(), node.scores[at]);
    told.nodes.iter().map(row).collect()
}

/// Shows: SCH-108
#[test]
fn images_count_where_nodes_report_them_and_until_they_are_collected() {
    let file = ("images.yaml".to_owned(), SCENARIO.to_owned());
    let mut session = Session::new(scenario::load(&[file]).expect("it loads")).expect("a session");
    assert_eq!(session.advance(SimTime::from_seconds(500), u64::MAX), Slice::Done);
    // SCH-108: 900 MB on one of two nodes count half: 450 MB between 23 Mi and 1 000 Mi. Names are compared as they are
    // written: `kept:1` is not `docker.io/library/kept:1`.
    for (pod, with) in [("early", 41), ("short", 0), ("late", 0)] {
        let wanted = [("with".to_owned(), with), ("without".to_owned(), 0)];
        assert_eq!(scores(&session, pod), wanted, "{pod}");
    }
}
