//! Comparison of two runs with the same seed, as the page receives it (T-04). One test compares a ReplicaSet with a
//! StatefulSet during a partition. Another compares what a user may do about a lost node: wait, force delete the pod, or
//! set the out-of-service taint.

use podscope_api::ordered;
use podscope_api::ordered::StableSort as _;

use podscope_protocol::{Frame, PodMark, PodView, Request, SessionSource, Update};
use podscope_session::host::{Host, NextWork};

/// The state of one run as the page shows it.
#[derive(Debug, Default, PartialEq)]
struct ShownRun {
    now: i64,
    pods: ordered::Map<String, PodView>,
}

impl ShownRun {
    fn apply(&mut self, frame: &Frame) {
        if frame.reset {
            self.pods.clear();
        }
        self.now = frame.now;
        for id in &frame.pods_gone {
            self.pods.remove(id);
        }
        for pod in &frame.pods {
            self.pods.insert(pod.id.clone(), PodView::clone(pod));
        }
    }

    /// Returns for each pod the name of its node and the state in which the page draws the pod, sorted by node.
    fn pod_marks_by_node(&self) -> Vec<(String, PodMark)> {
        let mut marks: Vec<_> = self.pods.values().map(|pod| (pod.node.clone(), pod.mark)).collect();
        marks.stable_sort_by(|a, b| a.0.cmp(&b.0));
        marks
    }
}

/// A page that compares two runs.
struct Page {
    host: Host,
    clock: f64,
    sides: [ShownRun; 2],
}

impl Page {
    fn open(one: &str, other: &str) -> Page {
        let mut page = Page {
            host: Host::new(),
            clock: 0.0,
            sides: [ShownRun::default(), ShownRun::default()],
        };
        let files = vec![("one.yaml".to_owned(), one.to_owned())];
        page.send_request(Request::Open {
            source: SessionSource::Files { files },
        });
        page.send_request(Request::Compare {
            other: Some(other.to_owned()),
        });
        page
    }

    /// Seeks to an instant and returns both runs.
    fn seek(&mut self, seconds: i64) -> &[ShownRun; 2] {
        self.send_request(Request::Seek {
            at: seconds * 1_000_000,
        });
        for side in &self.sides {
            assert_eq!(side.now, seconds * 1_000_000, "a side is at a wrong instant");
        }
        &self.sides
    }

    /// Sends a request to the engine and applies all frames that it sends until its work is done.
    fn send_request(&mut self, request: Request) {
        let mut updates = self.host.handle(request, self.clock);
        for _ in 0..1_000_000 {
            self.host.handle(Request::FrameDone, self.clock);
            match self.host.next_work() {
                NextWork::AfterRequest => break,
                NextWork::Now => self.clock += 0.1,
                NextWork::At(at) => self.clock = at.max(self.clock + 0.1),
            }
            updates.extend(self.host.work(self.clock));
        }
        for update in &updates {
            match update {
                Update::Frame(frame) => {
                    self.sides[0].apply(frame);
                    if let Some(other) = &frame.other {
                        self.sides[1].apply(other);
                    }
                }
                Update::Refused { problems } => panic!("{problems:?}"),
                _ => {}
            }
        }
    }
}

/// Returns a scenario with one pod on node a-1, which a partition cuts off after 30 s.
fn scenario_with_cut_off_node(kind: &str, seed: u64, extra_timeline: &str) -> String {
    let name = if kind == "StatefulSet" {
        ", serviceName: web"
    } else {
        ""
    };
    format!(
        "apiVersion: podscope.dev/v1alpha1\nkind: Scenario\nmetadata: {{name: x}}\nspec:\n  seed: {seed}\n  \
         cluster: {{zones: [a, b], nodesPerZone: 1}}\n  timeline:\n  - {{at: 1s, run: kubectl cordon b-1}}\n  \
         - {{at: 20s, run: kubectl uncordon b-1}}\n  - {{at: 30s, run: fault partition a-1}}\n{extra_timeline}\
         ---\napiVersion: apps/v1\nkind: {kind}\nmetadata: {{name: web}}\nspec: {{replicas: 1{name}, selector: {{matchLabels: \
         {{app: web}}}}, template: {{metadata: {{labels: {{app: web}}}}, spec: {{containers: [{{name: c, image: i}}]}}}}}}\n"
    )
}

/// Shows: T-04
#[test]
fn replica_set_replaces_lost_pod_and_stateful_set_waits() {
    // The second run uses the seed of the first run, not the seed of its own file.
    let mut page = Page::open(
        &scenario_with_cut_off_node("ReplicaSet", 3, ""),
        &scenario_with_cut_off_node("StatefulSet", 4, ""),
    );
    let [replica_set, stateful_set] = page.seek(600);
    let cut_off_node = "a-1".to_owned();
    let other_node = "b-1".to_owned();
    assert_eq!(
        replica_set.pod_marks_by_node(),
        [
            (cut_off_node.clone(), PodMark::Terminating),
            (other_node, PodMark::Ready)
        ]
    );
    assert_eq!(stateful_set.pod_marks_by_node(), [(cut_off_node, PodMark::Terminating)]);
}

/// Shows: T-04
#[test]
fn outcomes_of_wait_force_delete_and_taint_differ() {
    let wait = scenario_with_cut_off_node("StatefulSet", 3, "");
    let force = scenario_with_cut_off_node(
        "StatefulSet",
        3,
        "  - {at: 400s, run: kubectl delete pod web-0 --grace-period=0 --force}\n",
    );
    let taint = scenario_with_cut_off_node(
        "StatefulSet",
        3,
        "  - {at: 390s, run: fault poweroff a-1}\n  - {at: 400s, run: 'kubectl taint node a-1 node.kubernetes.io/out-of-service=nodeshutdown:NoExecute'}\n",
    );
    let ghost = ("a-1".to_owned(), PodMark::Ghost);
    let ready = ("b-1".to_owned(), PodMark::Ready);
    for (other, expected) in [(force, vec![ghost, ready.clone()]), (taint, vec![ready])] {
        let mut page = Page::open(&wait, &other);
        // Both runs are equal until their commands differ, also after a seek back.
        for seconds in [385, 600, 100, 600] {
            let [one, two] = page.seek(seconds);
            if seconds < 390 {
                assert_eq!(one, two, "at {seconds} s");
            } else {
                assert_eq!(one.pod_marks_by_node(), [("a-1".to_owned(), PodMark::Terminating)]);
                assert_eq!(two.pod_marks_by_node(), expected);
            }
        }
    }
}
