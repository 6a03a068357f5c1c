//! What frames report about nodes, pods, timeline marks and predicted events during faults.

use podscope_api::ordered;
use podscope_protocol::{
    Component, Lane, MachineDifference, Mark, MarkLabel, Micros, NodeNext, NodeView, PodView, QueuePlace, SessionSource,
};

use super::*;

const SECOND: Micros = 1_000_000;

/// The page's state (nodes, pods, timeline marks), collected from the frames of a host.
struct Page {
    host: Host,
    clock: f64,
    nodes: ordered::Map<String, NodeView>,
    pods: ordered::Map<String, PodView>,
    marks: ordered::Map<u64, Mark>,
}

impl Page {
    fn open(source: SessionSource) -> Page {
        let mut page = Page {
            host: Host::new(),
            clock: 1.0,
            nodes: ordered::Map::new(),
            pods: ordered::Map::new(),
            marks: ordered::Map::new(),
        };
        page.send(Request::Open { source });
        page
    }

    /// Sends a request, lets the host work until it is idle, and applies all frames.
    fn send(&mut self, request: Request) {
        let mut updates = self.host.handle(request, self.clock);
        updates.extend(self.host.handle(Request::FrameDone, self.clock));
        updates.extend(work_until_idle(&mut self.host, &mut self.clock));
        updates.extend(self.host.handle(Request::FrameDone, self.clock));
        for frame in frames(&updates) {
            if frame.reset {
                self.nodes.clear();
                self.pods.clear();
                self.marks.clear();
            }
            frame.nodes_gone.iter().for_each(|name| drop(self.nodes.remove(name)));
            frame.pods_gone.iter().for_each(|id| drop(self.pods.remove(id)));
            frame.marks_gone.iter().for_each(|id| drop(self.marks.remove(id)));
            let nodes = frame.nodes.iter().map(|node| (node.name.clone(), node.clone()));
            self.nodes.extend(nodes);
            let pods = frame.pods.iter().map(|pod| (pod.id.clone(), PodView::clone(pod)));
            self.pods.extend(pods);
            self.marks
                .extend(frame.marks.iter().map(|mark| (mark.id, mark.clone())));
        }
    }

    fn seek(&mut self, seconds: i64) {
        self.send(Request::Seek { at: seconds * SECOND });
    }

    fn run_at(&mut self, seconds: i64, line: &str) {
        self.seek(seconds);
        self.send(Request::Command { line: line.to_owned() });
    }

    /// Opens the first visit's cluster and runs each command line at its time in seconds.
    fn after_commands(timed_lines: &[(i64, &str)]) -> Page {
        let mut page = Page::open(SessionSource::Welcome);
        for (seconds, line) in timed_lines {
            page.run_at(*seconds, line);
        }
        page
    }

    fn node(&self, name: &str) -> &NodeView {
        &self.nodes[name]
    }

    fn differences_of_node(&self, name: &str) -> Vec<&MachineDifference> {
        self.node(name).machine.differs.iter().collect()
    }

    /// Returns the bars of faults on the timeline: label, start and end in seconds.
    fn fault_bars(&self) -> Vec<(String, i64, Option<i64>)> {
        let faults = self.marks.values().filter(|mark| mark.lane == Lane::Faults);
        let bars = faults.filter(|mark| mark.to != Some(mark.from));
        bars.map(|mark| {
            (
                mark.label.to_string(),
                mark.from / SECOND,
                mark.to.map(|to| to / SECOND),
            )
        })
        .collect()
    }

    fn mark_labels(&self) -> Vec<String> {
        self.marks.values().map(|mark| mark.label.to_string()).collect()
    }
}

/// The predicted time at which a node becomes NotReady stays the same until the node becomes NotReady at that time.
/// Shows: U-15, CT-023
#[test]
fn not_ready_time_of_silent_node_is_predicted() {
    let mut page = Page::after_commands(&[(30, "fault partition c-2")]);
    let mut predicted = Vec::new();
    for at in [31, 50, 72, 79] {
        page.seek(at);
        match page.node("c-2").next {
            Some(NodeNext::NotReady { at }) => predicted.push(at / SECOND),
            ref other => panic!("{at}: {other:?}"),
        }
        assert!(page.node("c-2").machine.last_heartbeat.is_some());
    }
    page.seek(90);
    let not_ready = page
        .marks
        .values()
        .find(|mark| mark.label.to_string() == "c-2 NotReady");
    let not_ready = not_ready.map(|mark| mark.from / SECOND);
    assert_eq!(predicted.iter().map(|at| Some(*at)).collect::<Vec<_>>(), [not_ready; 4]);
    let next = &page.node("c-2").next;
    assert!(
        matches!(next, Some(NodeNext::Evicts { at }) if at.len() == 1),
        "{next:?}"
    );
}

/// Without a controller-manager, no node becomes NotReady and no pod is evicted, so the frames predict neither.
/// Shows: U-15
#[test]
fn nothing_is_predicted_without_controller_manager() {
    let unhandled = Some(NodeNext::Nobody {
        down: Some(Component::ControllerManager(0)),
    });
    let crash = "fault crash controller-manager";
    let mut page = Page::after_commands(&[(30, crash), (31, "fault partition c-2")]);
    page.seek(40);
    assert_eq!(page.node("c-2").next, unhandled);
    let mut page = Page::after_commands(&[(30, "fault partition c-2"), (95, crash)]);
    page.seek(100);
    assert_eq!(page.node("c-2").next, unhandled);
}

/// A node whose heartbeats arrive at the API server is not shown as silent, even if its other links are cut.
/// Shows: F-01, U-02
#[test]
fn node_is_silent_only_if_cut_off_from_control_plane() {
    for line in [
        "fault partition c-2 --from storage",
        "fault partition c-2 --from nodes",
        "fault partition c-2 --from a-1",
        "fault partition c-2 --one-way in",
    ] {
        let mut page = Page::after_commands(&[(30, line)]);
        page.seek(75);
        let node = page.node("c-2");
        assert_eq!((&node.next, node.machine.last_heartbeat), (&None, None), "{line}");
        assert_eq!(node.machine.lost_directions(), (line.ends_with("in"), false), "{line}");
        let deaf = MachineDifference::Deaf { node: "c-2".into() };
        let differs = page.differences_of_node("c-2");
        assert_eq!(differs.contains(&&deaf), line.ends_with("in"), "{line}: {differs:?}");
        assert!(!differs.iter().any(|one| matches!(one, MachineDifference::Dark { .. })));
        let is_unconfirmed = |pod: &PodView| pod.mark == podscope_protocol::PodMark::Unconfirmed;
        assert!(!page.pods.values().any(is_unconfirmed), "{line}");
    }
}

/// Pods with different tolerations are evicted at different times. A pod that tolerates the taint without limit is not
/// evicted.
/// Shows: U-15, CT-034
#[test]
fn predicted_evictions_are_grouped_by_time() {
    let pod = |name: &str, seconds: &str| {
        let tolerate =
            |key: &str| format!("{{key: node.kubernetes.io/{key}, operator: Exists, effect: NoExecute{seconds}}}");
        format!(
            "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: {name}}}\nspec:\n  nodeName: a-1\n  tolerations: [{}, {}]\n  containers: [{{name: c, image: app}}]\n",
            tolerate("unreachable"),
            tolerate("not-ready")
        )
    };
    let text = format!(
        "apiVersion: podscope.dev/v1alpha1\nkind: Scenario\nmetadata: {{name: stay}}\nspec: {{seed: 1, cluster: {{zones: [a], nodesPerZone: 2}}}}\n{}{}{}{}",
        pod("soon", ", tolerationSeconds: 30"),
        pod("later", ", tolerationSeconds: 300"),
        pod("late", ", tolerationSeconds: 300"),
        pod("ever", "")
    );
    let files = vec![("stay.yaml".to_owned(), text)];
    let mut page = Page::open(SessionSource::Files { files });
    page.run_at(20, "fault partition a-1");
    page.seek(85);
    let Some(NodeNext::Evicts { at }) = &page.node("a-1").next else {
        panic!("{:?}", page.node("a-1").next)
    };
    assert_eq!(at.iter().map(|(_, pods)| *pods).collect::<Vec<_>>(), [1, 2]);
    assert_eq!((at[1].0 - at[0].0) / SECOND, 270);
}

/// The bars of a Node end when the Node is deleted, and its missing heartbeats are no longer reported.
/// Shows: U-02, U-05
#[test]
fn deleted_node_ends_not_ready_bar() {
    let mut page = Page::after_commands(&[
        (30, "fault partition c-2"),
        (90, "kubectl delete node c-2 --wait=false"),
    ]);
    page.seek(120);
    assert!(matches!(
        page.differences_of_node("c-2").first(),
        Some(MachineDifference::Unknown { .. })
    ));
    let not_ready = page
        .fault_bars()
        .into_iter()
        .find(|(label, ..)| label == "c-2 NotReady");
    assert_eq!(not_ready.and_then(|(.., to)| to), Some(90));
}

/// Each fault has its own bar from its start to its repair. A fault without duration has no bar.
/// Shows: U-05
#[test]
fn each_fault_has_its_own_bar() {
    let mut page = Page::after_commands(&[
        (30, "fault partition c-2"),
        (35, "fault crash scheduler"),
        (40, "fault join a-3"),
        (45, "fault fence b-1 --by storage"),
        (50, "fault poweroff c-2"),
        (55, "fault restart scheduler"),
        (58, "fault unfence b-1"),
        (60, "fault heal c-2"),
        (90, "fault boot c-2"),
    ]);
    page.seek(100);
    let mut bars = page.fault_bars();
    bars.retain(|(label, ..)| !label.contains("Ready"));
    let bar = |label: &str, from, to| (label.to_owned(), from, Some(to));
    assert_eq!(
        bars,
        [
            bar("partition c-2", 30, 60),
            bar("crash scheduler", 35, 55),
            bar("fenced b-1", 45, 58),
            bar("poweroff c-2", 50, 90),
        ]
    );
    let labels = page.mark_labels();
    for wanted in [
        "a-3 joins",
        "scheduler starts",
        "unfenced b-1",
        "healed c-2",
        "c-2 boots",
    ] {
        assert!(labels.iter().any(|label| label == wanted), "{wanted}: {labels:?}");
    }
}

/// A cordon and the taint out-of-service, which users set, are marks on the timeline.
/// Shows: V-05, U-05
#[test]
fn cordon_and_out_of_service_taint_are_timeline_marks() {
    let mut page = Page::after_commands(&[
        (30, "kubectl cordon c-2"),
        (
            32,
            "kubectl taint nodes c-2 node.kubernetes.io/out-of-service=now:NoExecute",
        ),
        (34, "kubectl uncordon c-2"),
    ]);
    page.seek(40);
    let labels = page.mark_labels();
    for wanted in [
        "c-2 cordoned",
        "c-2 tainted node.kubernetes.io/out-of-service:NoExecute",
        "c-2 uncordoned",
        "db-0 evicted: a taint of its node",
    ] {
        assert!(labels.iter().any(|label| label == wanted), "{wanted}: {labels:?}");
    }
    let unschedulable = |label: &&String| label.contains("unschedulable");
    assert_eq!(labels.iter().find(unschedulable), None, "the cordon has no second mark");
}

/// A forced deletion violates the invariant at-most-one. The violation ends when only one process with the pod's name
/// is left.
/// Shows: U-15, E-04
#[test]
fn ended_violation_has_end_time() {
    let mut page = Page::after_commands(&[
        (30, "fault partition c-2"),
        (31, "kubectl delete pod db-0 --grace-period=0 --force"),
        (60, "fault heal c-2"),
    ]);
    page.seek(80);
    let broken = page
        .marks
        .values()
        .filter(|mark| matches!(mark.label, MarkLabel::Broken { .. }));
    let broken: Vec<_> = broken.collect();
    assert!(!broken.is_empty());
    for mark in broken {
        assert!(mark.to.is_some_and(|to| to > mark.from), "{mark:?}");
    }
}

/// A pod whose scheduler does not run is not shown in the scheduling queue.
/// Shows: S-12
#[test]
fn pod_without_scheduler_is_not_in_queue() {
    let pod = |name: &str, more: &str| {
        format!(
            "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: {name}}}\nspec: {{{more}containers: [{{name: c, image: app}}]}}\n"
        )
    };
    let text = format!(
        "apiVersion: podscope.dev/v1alpha1\nkind: Scenario\nmetadata: {{name: line}}\nspec: {{seed: 1, cluster: {{zones: [a], nodesPerZone: 1}}}}\n{}",
        pod("foreign", "schedulerName: volcano, "),
    );
    let files = vec![("line.yaml".to_owned(), text)];
    let mut page = Page::open(SessionSource::Files { files });
    page.run_at(20, "fault crash scheduler");
    page.run_at(21, "kubectl run plain --image=app");
    page.seek(25);
    let place = |page: &Page, key: &str| {
        let pod = page.pods.values().find(|pod| pod.key == key);
        pod.and_then(|pod| pod.queue.as_ref()).map(|queue| queue.place.clone())
    };
    assert_eq!(place(&page, "default/plain"), Some(QueuePlace::Stranded));
    page.run_at(26, "fault restart scheduler");
    // While the API server or etcd is down, the pod is not shown as waiting for the scheduler.
    page.run_at(60, "kubectl cordon a-1");
    page.run_at(61, "kubectl run waits --image=app");
    for (fault, repair, component) in [
        ("fault crash apiserver", "fault restart apiserver", Component::ApiServer),
        ("fault etcd down", "fault etcd up", Component::Etcd),
    ] {
        page.run_at(70, fault);
        page.seek(71);
        let halted = Some(QueuePlace::Halted(component));
        assert_eq!(place(&page, "default/waits"), halted);
        page.seek(100);
        assert_eq!(
            place(&page, "default/waits"),
            halted,
            "also after the scheduler has lost its lease"
        );
        page.run_at(101, repair);
        page.seek(160);
        let again = place(&page, "default/waits");
        assert!(matches!(again, Some(QueuePlace::Unschedulable(_))), "{again:?}");
        page.seek(65);
    }
    page.seek(60);
    assert_eq!(place(&page, "default/plain"), None, "the pod has a node");
    assert_eq!(
        place(&page, "default/foreign"),
        Some(QueuePlace::Foreign("volcano".into()))
    );
}

/// The timeline mark of `kubectl apply` lists the objects in the manifest.
/// Shows: U-05, U-15
#[test]
fn apply_mark_lists_applied_objects() {
    let pod = |name: &str| format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\n");
    let all = ["a", "b", "c", "d"].map(pod).join("---\n");
    let page = Page::after_commands(&[(5, &format!("kubectl apply -f - <<'EOF'\n{all}EOF"))]);
    let expected = "kubectl apply: ConfigMap a, ConfigMap b, ConfigMap c and 1 more";
    assert!(
        page.mark_labels().iter().any(|label| label == expected),
        "{:?}",
        page.mark_labels()
    );
}
