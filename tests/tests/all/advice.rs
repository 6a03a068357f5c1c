//! Advice as the editor gets it: P-08.

use podscope_protocol::{Request, Update};
use podscope_session::host::Host;

/// What is legal is no problem, and is advised against where it is written; a text without surprises is left alone.
/// Shows: P-08
#[test]
fn the_editor_is_advised_where_a_text_is_likely_to_surprise() {
    let pod = |grace: u32, key: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: p, labels: {{app: p}}, annotations: {{behavior.podscope.dev/c: 'prestop=9s, sigterm=1s'}}}}\n\
             spec:\n  terminationGracePeriodSeconds: {grace}\n  topologySpreadConstraints:\n  - maxSkew: 1\n    topologyKey: {key}\n    \
             whenUnsatisfiable: DoNotSchedule\n    labelSelector: {{matchLabels: {{app: p}}}}\n  containers:\n  - name: c\n    image: x\n    \
             lifecycle: {{preStop: {{exec: {{command: [x]}}}}}}\n"
        )
    };
    let advised = |text: String| {
        let updates = Host::new().handle(Request::Check { text, revision: 1 }, 0.0);
        let [Update::Checked { problems, advice, .. }] = updates.as_slice() else {
            panic!("{updates:?}");
        };
        assert_eq!(problems.as_slice(), [], "advice is no problem");
        let told = advice.iter().map(|one| (one.line, one.path.clone()));
        told.collect::<Vec<_>>()
    };
    assert_eq!(
        advised(pod(10, "zone")),
        [
            (5, "spec.terminationGracePeriodSeconds".to_owned()),
            (8, "spec.topologySpreadConstraints[0].topologyKey".to_owned()),
        ]
    );
    assert_eq!(advised(pod(11, "topology.kubernetes.io/zone")), []);
}
