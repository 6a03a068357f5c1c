//! ImageLocality scores the images in the node status (SCH-108, SCH-129), under the names in the status (LC-068). It
//! ignores images that the kubelet has garbage-collected.

use podscope_api::explained::{NodeExplanation, NodeVerdict};
use podscope_cluster::{Record, SimTime, What};
use podscope_session::scenario;
use podscope_session::timeline::{Session, Slice};

/// Two nodes. Two images fill 86 % of the disk of one node. A pod uses one of the images, so the kubelet collects only
/// the other.
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

/// Returns the ImageLocality score of each node in the first attempt of the pod.
fn image_scores(session: &Session, name: &str) -> Vec<(String, i64)> {
    let is_attempt = |record: &Record| {
        record.what() == What::Attempt && record.object.as_ref().is_some_and(|object| &*object.key.name == name)
    };
    let attempt = session
        .trace()
        .position(|record| is_attempt(&record))
        .expect("an attempt");
    let explained = session.explain(attempt as u64).expect("an explanation");
    let explanation = explained.explanation;
    let index = explanation
        .plugins
        .iter()
        .position(|plugin| plugin.name == "ImageLocality");
    let index = index.expect("ImageLocality scores");
    let row = |node: &NodeExplanation| match &node.verdict {
        NodeVerdict::Fits(scores) => (node.name.clone(), scores.weighted[index]),
        other => panic!("{} does not fit: {other:?}", node.name),
    };
    explanation.nodes.iter().map(row).collect()
}

/// Shows: SCH-108
#[test]
fn reported_images_score_until_garbage_collected() {
    let file = ("images.yaml".to_owned(), SCENARIO.to_owned());
    let mut session = Session::new(scenario::load(&[file]).expect("the scenario loads")).expect("a session");
    assert_eq!(session.advance(SimTime::from_seconds(500), u64::MAX), Slice::Done);
    // The size of an image is scaled by the share of nodes that have it (SCH-108): 900 MB on one of two nodes count as
    // 450 MB, between the bounds 23 Mi and 1000 Mi. Names are not normalized: `kept:1` is not `docker.io/library/kept:1`.
    for (pod, score) in [("early", 41), ("short", 0), ("late", 0)] {
        let expected = [("with".to_owned(), score), ("without".to_owned(), 0)];
        assert_eq!(image_scores(&session, pod), expected, "{pod}");
    }
}
