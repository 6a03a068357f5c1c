//! K-02: describe prints a pod and a node with their events. KC-064 to KC-075.

use podscope_cluster::SimTime;
use podscope_session::command::{Command, parse};
use podscope_session::scenario;
use podscope_session::timeline::{Session, Slice};

#[test]
fn k_02_describe_shows_pod_and_node() {
    let text = "apiVersion: v1\nkind: Pod\nmetadata: {name: p, labels: {app: web}}\nspec: {containers: [{name: c, image: 'x:1', resources: {requests: {cpu: 250m}}}]}\n";
    let loaded = scenario::load(&[("p.yaml".to_owned(), text.to_owned())]).unwrap();
    let mut session = Session::new(loaded).unwrap();
    while session.advance(SimTime::from_seconds(20), 10_000) == Slice::More {}
    let read = |line: &str| match parse(line) {
        Ok(Command::Kubectl(kubectl)) => session.read(&kubectl).unwrap().stdout(),
        other => panic!("{other:?}"),
    };
    let pod = read("kubectl describe pod p");
    for want in [
        "Name:             p\n",
        "Labels:           app=web\n",
        "    State:          Running\n",
        "Events:\n",
        "Scheduled",
    ] {
        assert!(pod.contains(want), "{want:?} in\n{pod}");
    }
    let node = read("kubectl describe node a-1");
    assert!(node.contains("Taints:") && node.contains("Conditions:"), "{node}");
}
