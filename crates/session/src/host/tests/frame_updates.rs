//! Frames: when the host sends them, and what the page shows after it has applied them.

use podscope_api::ordered;
use podscope_protocol::{GroupView, MachineView, NodeView, PodView};

use super::*;
use crate::view::ViewState;

/// A simulation that lags gets as much time as building and sending the frames takes.
/// Shows: U-09
#[test]
fn lagging_simulation_gets_as_much_time_as_frames() {
    let mut host = playing_host();
    host.handle(
        Request::Speed {
            per_mille: 1_000_000_000,
        },
        900.0,
    );
    host.handle(Request::FrameDone, 900.0);
    // A frame is built at 1000 ms and takes 120 ms.
    while frames(&host.work(1_000.0)).is_empty() {}
    host.sent(1_120.0);
    host.handle(Request::FrameDone, 1_125.0);
    assert!(
        frames(&host.work(1_200.0)).is_empty(),
        "the simulation gets its share of time"
    );
    assert!(!frames(&host.work(1_240.0)).is_empty());
}

/// Asserts that after a frame that was built at 1000 ms and sent at `sent` ms, the next frame is built at 1025 ms.
fn assert_next_frame_at_1025_ms(sent: f64) {
    let mut host = playing_host();
    while frames(&host.work(1_000.0)).is_empty() {}
    host.sent(sent);
    host.handle(Request::FrameDone, sent + 1.0);
    while host.next_work() == NextWork::Now {
        assert!(frames(&host.work(1_022.0)).is_empty());
    }
    assert_eq!(host.next_work(), NextWork::At(1_025.0));
    assert!(!frames(&host.work(1_025.0)).is_empty());
}

/// A frame that takes long to send does not delay the next frame if the simulation does not lag.
/// Shows: U-09
#[test]
fn simulation_that_keeps_up_does_not_delay_frames() {
    assert_next_frame_at_1025_ms(1_020.0);
}

/// The interval between frames is counted from the start of the previous frame, not from its end.
#[test]
fn frame_interval_includes_time_to_build_frame() {
    assert_next_frame_at_1025_ms(1_010.0);
}

/// The page's state after it has applied all frames: nodes by name, pods by id, and groups.
#[derive(Debug, Default, PartialEq)]
struct PageState {
    nodes: ordered::Map<String, NodeView>,
    pods: ordered::Map<String, PodView>,
    groups: Vec<GroupView>,
}

impl PageState {
    fn apply(&mut self, frame: &Frame) {
        if frame.reset {
            *self = PageState::default();
        }
        frame.nodes_gone.iter().for_each(|name| drop(self.nodes.remove(name)));
        frame.pods_gone.iter().for_each(|id| drop(self.pods.remove(id)));
        let nodes = frame.nodes.iter().map(|node| (node.name.clone(), node.clone()));
        self.nodes.extend(nodes);
        self.pods
            .extend(frame.pods.iter().map(|pod| (pod.id.clone(), PodView::clone(pod))));
        let groups = frame.clone().take_groups(&self.groups);
        self.groups = groups.unwrap_or_else(|| std::mem::take(&mut self.groups));
    }
}

/// Applying all frames one after another results in the same page state as one complete frame at the same cursor, after
/// faults, ghosts, joining and leaving nodes, seeks, branches and undo.
/// Shows: T-01, U-02
#[test]
fn incremental_frames_equal_fresh_frame() {
    let (mut host, updates) = open_first_visit();
    let (mut clock, mut page, mut ghosts) = (0.0, PageState::default(), 0);
    frames(&updates).into_iter().for_each(|frame| page.apply(frame));
    let command = |line: &str| Request::Command { line: line.into() };
    let seek = |seconds: i64| Request::Seek {
        at: seconds * 1_000_000,
    };
    let group_by = |key: &str| Request::GroupBy { key: key.into() };
    let requests = [
        seek(5),
        seek(20),
        command("fault partition a-1"),
        seek(24),
        seek(95),
        command("kubectl delete pods --all --force --grace-period=0"),
        seek(97),
        group_by("kubernetes.io/hostname"),
        command("fault crash kubelet b-1"),
        seek(170),
        command("fault heal --all"),
        seek(171),
        command("fault join d-1 --labels topology.kubernetes.io/zone=d --capacity cpu=4,memory=8Gi"),
        seek(190),
        group_by(""),
        command("fault poweroff c-1"),
        command("fault fence b-2 --by storage"),
        seek(300),
        command("kubectl delete node c-1"),
        seek(310),
        command("fault leave d-1"),
        seek(400),
        seek(96),
        seek(30),
        command("kubectl cordon b-1"),
        seek(60),
        Request::Branch { branch: 0 },
        seek(200),
        Request::Undo,
        seek(0),
        seek(600),
    ];
    for request in requests {
        let what = format!("{request:?}");
        let mut updates = host.handle(request, clock);
        host.handle(Request::FrameDone, clock);
        updates.extend(work_until_idle(&mut host, &mut clock));
        frames(&updates).into_iter().for_each(|frame| page.apply(frame));
        let active = host.active.as_ref().unwrap();
        let mut fresh = PageState::default();
        let mut owners = active.owners.clone();
        let frame = ViewState::default().update(
            &active.session,
            &host.group_by,
            &mut owners,
            host.reader.state(&active.session),
        );
        fresh.apply(&frame);
        ghosts += (fresh.pods.values())
            .filter(|pod| pod.mark == podscope_protocol::PodMark::Ghost)
            .count();
        assert_eq!(page, fresh, "after {what}");
        // The session computes the hash of its trace incrementally; the result equals the hash of the complete trace.
        let hash = crate::timeline::trace_hash(active.session.trace(), podscope_cluster::Fingerprint::Facts);
        assert_eq!(active.session.trace_hash(), hash, "after {what}");
    }
    assert!(ghosts > 0, "the run has no ghosts");
}

/// Lists the endpoints from which a machine is cut off, as short text.
fn cut_off_endpoints(machine: &MachineView) -> String {
    let cuts = machine.cuts.iter().map(|cut| {
        let from = cut.from.as_str();
        let way = match (cut.is_in, cut.is_out) {
            (true, true) => "",
            (true, false) => " in",
            (false, _) => " out",
        };
        format!("{from}{way}")
    });
    cuts.collect::<Vec<_>>().join(" ")
}

/// The page lists for a node the endpoints from which it is cut off. If the node's zone is cut off, the list has one
/// entry for the zone instead of one entry per node outside the zone.
/// Shows: F-01, U-02
#[test]
fn node_lists_endpoints_it_is_cut_off_from() {
    let (mut host, mut clock) = (open_first_visit().0, 0.0);
    for (line, cuts) in [
        (
            "fault partition a-1",
            [("a-1", "control-plane storage nodes"), ("a-2", "")],
        ),
        (
            "fault partition --zone b",
            [("b-1", "control-plane storage nodes"), ("c-1", "")],
        ),
        (
            "fault partition c-1 --from nodes --one-way out",
            [("c-1", "nodes out"), ("c-2", "")],
        ),
        (
            "fault partition c-1 --from a-1 --one-way in",
            [("c-1", "a-1 in"), ("a-1", "c-1 out")],
        ),
    ] {
        host.handle(Request::Seek { at: 30_000_000 }, clock);
        work_until_idle(&mut host, &mut clock);
        let mut updates = host.handle(Request::Command { line: line.into() }, clock);
        updates.extend(work_until_idle(&mut host, &mut clock));
        let frames = frames(&updates);
        for (name, cuts) in cuts {
            let mut views = frames.iter().flat_map(|frame| &frame.nodes);
            let node = views.rfind(|node| node.name == name);
            let cuts_shown = node.map_or_else(String::new, |node| cut_off_endpoints(&node.machine));
            assert_eq!(cuts_shown, cuts, "{line}: {name}");
        }
        host.handle(Request::Undo, clock);
        work_until_idle(&mut host, &mut clock);
    }
}

/// In the groups of the page, pods without an owner are counted per zone if they match the selector of their spread
/// constraint.
/// Shows: U-03
#[test]
fn pods_without_owner_are_counted_per_zone() {
    let pod = |name: &str| {
        format!(
            "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: {name}, labels: {{app: solo}}}}\nspec:\n  topologySpreadConstraints:\n  - {{maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {{matchLabels: {{app: solo}}}}}}\n  containers: [{{name: c, image: app}}]\n"
        )
    };
    let text = format!(
        "apiVersion: podscope.dev/v1alpha1\nkind: Scenario\nmetadata: {{name: solo}}\nspec: {{seed: 1, cluster: {{zones: [a, b], nodesPerZone: 1}}}}\n{}{}{}",
        pod("one"),
        pod("two"),
        pod("three")
    );
    let files = vec![("solo.yaml".to_owned(), text)];
    let mut host = Host::new();
    let source = SessionSource::Files { files };
    let mut updates = host.handle(Request::Open { source }, 0.0);
    updates.extend(host.handle(Request::Seek { at: 20_000_000 }, 1.0));
    updates.extend(work_until_idle(&mut host, &mut 2.0));
    let mut page = PageState::default();
    frames(&updates).into_iter().for_each(|frame| page.apply(frame));
    let groups = page.groups;
    let counts: Vec<_> = (groups.iter().flat_map(|group| &group.counts))
        .map(|count| (count.owner.as_str(), count.pods, count.max_skew))
        .collect();
    let total: u32 = counts.iter().map(|(_, pods, _)| pods).sum();
    assert_eq!((counts.len(), total), (2, 3), "{counts:?}");
    assert!(
        counts
            .iter()
            .all(|(owner, _, skew)| *owner == "app=solo" && *skew == Some(1))
    );
}

/// The page receives the texts by which the user can search for a pod: images, PriorityClass, IP.
/// Shows: U-14
#[test]
fn pod_view_has_searchable_images_class_and_ip() {
    let ((mut host, mut updates), mut clock) = (open_first_visit(), 0.0);
    host.handle(Request::Seek { at: 30_000_000 }, clock);
    updates.extend(work_until_idle(&mut host, &mut clock));
    let frames = frames(&updates);
    let mut pods = frames.iter().flat_map(|frame| &frame.pods);
    let db = pods.rfind(|pod| pod.key == "default/db-0").expect("a pod");
    assert!(db.also.starts_with("db:1 10."), "{:?}", db.also);
}
