//! T-04: two runs side by side on one seed, as the page sees them: a ReplicaSet and a StatefulSet in a
//! partition; to wait, to force the deletion, to declare the node out of service.

use podscope_api::ordered;
use podscope_api::ordered::StableSort as _;

use podscope_protocol::{Frame, PodMark, PodView, Request, Source, Update};
use podscope_session::host::{Host, Wants};

/// One side of the screen.
#[derive(Debug, Default, PartialEq)]
struct Side {
    now: i64,
    pods: ordered::Map<String, PodView>,
}

impl Side {
    fn take(&mut self, frame: &Frame) {
        if frame.reset {
            self.pods.clear();
        }
        self.now = frame.now;
        for gone in &frame.pods_gone {
            self.pods.remove(gone);
        }
        for pod in &frame.pods {
            self.pods.insert(pod.id.clone(), PodView::clone(pod));
        }
    }

    /// Node and mark of each pod.
    fn marks(&self) -> Vec<(String, PodMark)> {
        let mut marks: Vec<_> = self.pods.values().map(|pod| (pod.node.clone(), pod.mark)).collect();
        marks.stable_sort_by(|a, b| a.0.cmp(&b.0));
        marks
    }
}

/// A page with two runs.
struct Page {
    host: Host,
    clock: f64,
    sides: [Side; 2],
}

impl Page {
    fn open(one: &str, other: &str) -> Page {
        let mut page = Page {
            host: Host::new(),
            clock: 0.0,
            sides: [Side::default(), Side::default()],
        };
        let files = vec![("one.yaml".to_owned(), one.to_owned())];
        page.ask(Request::Open {
            source: Source::Files { files },
        });
        page.ask(Request::Compare {
            other: Some(other.to_owned()),
        });
        page
    }

    /// Both sides at an instant.
    fn at(&mut self, seconds: i64) -> &[Side; 2] {
        self.ask(Request::Seek {
            at: seconds * 1_000_000,
        });
        for side in &self.sides {
            assert_eq!(side.now, seconds * 1_000_000, "a side is at another instant");
        }
        &self.sides
    }

    fn ask(&mut self, request: Request) {
        let mut updates = self.host.handle(request, self.clock);
        for _ in 0..1_000_000 {
            self.host.handle(Request::FrameDone, self.clock);
            match self.host.wants() {
                Wants::Rest => break,
                Wants::Now => self.clock += 0.1,
                Wants::At(at) => self.clock = at.max(self.clock + 0.1),
            }
            updates.extend(self.host.work(self.clock));
        }
        for update in &updates {
            match update {
                Update::Frame(frame) => {
                    self.sides[0].take(frame);
                    if let Some(other) = &frame.other {
                        self.sides[1].take(other);
                    }
                }
                Update::Refused { problems } => panic!("{problems:?}"),
                _ => {}
            }
        }
    }
}

/// One pod on a-1, which is cut off at 30 s.
fn cut_off(kind: &str, seed: u64, also: &str) -> String {
    let name = if kind == "StatefulSet" {
        ", serviceName: web"
    } else {
        ""
    };
    format!(
        "apiVersion: podscope.dev/v1alpha1\nkind: Scenario\nmetadata: {{name: x}}\nspec:\n  seed: {seed}\n  \
         cluster: {{zones: [a, b], nodesPerZone: 1}}\n  timeline:\n  - {{at: 1s, run: kubectl cordon b-1}}\n  \
         - {{at: 20s, run: kubectl uncordon b-1}}\n  - {{at: 30s, run: fault partition a-1}}\n{also}\
         ---\napiVersion: apps/v1\nkind: {kind}\nmetadata: {{name: web}}\nspec: {{replicas: 1{name}, selector: {{matchLabels: \
         {{app: web}}}}, template: {{metadata: {{labels: {{app: web}}}}, spec: {{containers: [{{name: c, image: i}}]}}}}}}\n"
    )
}

/// Shows: T-04
#[test]
fn a_replica_set_replaces_what_a_stateful_set_waits_for() {
    // The other side runs on the first one's seed, whatever its file says.
    let mut page = Page::open(&cut_off("ReplicaSet", 3, ""), &cut_off("StatefulSet", 4, ""));
    let [set, stateful] = page.at(600);
    let a = "a-1".to_owned();
    let b = "b-1".to_owned();
    assert_eq!(set.marks(), [(a.clone(), PodMark::Terminating), (b, PodMark::Ready)]);
    assert_eq!(stateful.marks(), [(a, PodMark::Terminating)]);
}

/// Shows: T-04
#[test]
fn waiting_forcing_and_declaring_out_of_service_end_differently() {
    let wait = cut_off("StatefulSet", 3, "");
    let force = cut_off(
        "StatefulSet",
        3,
        "  - {at: 400s, run: kubectl delete pod web-0 --grace-period=0 --force}\n",
    );
    let taint = cut_off(
        "StatefulSet",
        3,
        "  - {at: 390s, run: fault poweroff a-1}\n  - {at: 400s, run: 'kubectl taint node a-1 node.kubernetes.io/out-of-service=nodeshutdown:NoExecute'}\n",
    );
    let ghost = ("a-1".to_owned(), PodMark::Ghost);
    let ready = ("b-1".to_owned(), PodMark::Ready);
    for (other, want) in [(force, vec![ghost, ready.clone()]), (taint, vec![ready])] {
        let mut page = Page::open(&wait, &other);
        // Until the commands differ, the runs do not; both ways through time.
        for seconds in [385, 600, 100, 600] {
            let [one, two] = page.at(seconds);
            if seconds < 390 {
                assert_eq!(one, two, "at {seconds} s");
            } else {
                assert_eq!(one.marks(), [("a-1".to_owned(), PodMark::Terminating)]);
                assert_eq!(two.marks(), want);
            }
        }
    }
}
