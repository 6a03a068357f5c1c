//! Advice that the editor shows (P-08).

use podscope_protocol::{Request, Update};
use podscope_session::host::Host;

/// A legal but surprising setting is reported as advice at its line, not as a problem; a text without surprises gets no
/// advice.
/// Shows: P-08
#[test]
fn advice_points_to_surprising_lines() {
    let pod = |grace: u32, key: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: p, labels: {{app: p}}, annotations: {{behavior.podscope.dev/c: 'prestop=9s, sigterm=1s'}}}}\n\
             spec:\n  terminationGracePeriodSeconds: {grace}\n  topologySpreadConstraints:\n  - maxSkew: 1\n    topologyKey: {key}\n    \
             whenUnsatisfiable: DoNotSchedule\n    labelSelector: {{matchLabels: {{app: p}}}}\n  containers:\n  - name: c\n    image: x\n    \
             lifecycle: {{preStop: {{exec: {{command: [x]}}}}}}\n"
        )
    };
    let advice_places = |text: String| {
        let updates = Host::new().handle(Request::Check { text, revision: 1 }, 0.0);
        let [Update::Checked { problems, advice, .. }] = updates.as_slice() else {
            panic!("{updates:?}");
        };
        assert_eq!(problems.as_slice(), [], "advice must not be reported as a problem");
        let places = advice.iter().map(|item| (item.line, item.path.clone()));
        places.collect::<Vec<_>>()
    };
    assert_eq!(
        advice_places(pod(10, "zone")),
        [
            (5, "spec.terminationGracePeriodSeconds".to_owned()),
            (8, "spec.topologySpreadConstraints[0].topologyKey".to_owned()),
        ]
    );
    assert_eq!(advice_places(pod(11, "topology.kubernetes.io/zone")), []);
}
