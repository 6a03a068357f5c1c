//! Frames: when they come, and what they add up to.

use podscope_api::ordered;
use podscope_protocol::{CutFrom, GroupView, MachineView, NodeView, PodView};

use super::*;
use crate::view::Picture;

/// Where a frame takes long to make, a simulation that is late gets as much time as the frames.
/// Shows: U-09
#[test]
fn frames_do_not_starve_the_simulation() {
    let mut host = playing();
    host.handle(
        Request::Speed {
            per_mille: 1_000_000_000,
        },
        900.0,
    );
    host.handle(Request::FrameDone, 900.0);
    // A frame that came at 1 000 and took 120 ms.
    while frames(&host.work(1_000.0)).is_empty() {}
    host.sent(1_120.0);
    host.handle(Request::FrameDone, 1_125.0);
    assert!(frames(&host.work(1_200.0)).is_empty(), "the simulation's turn");
    assert!(!frames(&host.work(1_240.0)).is_empty());
}

/// A frame that came at 1 000 was sent at `sent`: the next one begins 25 ms after the first.
fn the_next_begins_at_1_025(sent: f64) {
    let mut host = playing();
    while frames(&host.work(1_000.0)).is_empty() {}
    host.sent(sent);
    host.handle(Request::FrameDone, sent + 1.0);
    while host.wants() == Wants::Now {
        assert!(frames(&host.work(1_022.0)).is_empty());
    }
    assert_eq!(host.wants(), Wants::At(1_025.0));
    assert!(!frames(&host.work(1_025.0)).is_empty());
}

/// One that keeps up takes no time from frames that are costly.
/// Shows: U-09
#[test]
fn a_simulation_that_keeps_up_leaves_the_time_to_the_frames() {
    the_next_begins_at_1_025(1_020.0);
}

/// What a frame costs is part of the time between two.
#[test]
fn frames_begin_every_25_ms() {
    the_next_begins_at_1_025(1_010.0);
}

/// What the frames add up to: nodes and pods by their ids, the groups.
#[derive(Debug, Default, PartialEq)]
struct Seen {
    nodes: ordered::Map<String, NodeView>,
    pods: ordered::Map<String, PodView>,
    groups: Vec<GroupView>,
}

impl Seen {
    fn take(&mut self, frame: &Frame) {
        if frame.reset {
            *self = Seen::default();
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

/// A picture that followed the world is the one that is made anew at the same cursor,
/// whatever happened in between: faults, ghosts, nodes that come and go, seeks, branches, undo.
/// Shows: T-01, U-02
#[test]
fn a_picture_that_followed_is_as_one_made_anew() {
    let (mut host, updates) = welcome();
    let (mut clock, mut seen, mut ghosts) = (0.0, Seen::default(), 0);
    frames(&updates).into_iter().for_each(|frame| seen.take(frame));
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
        updates.extend(settle(&mut host, &mut clock));
        frames(&updates).into_iter().for_each(|frame| seen.take(frame));
        let show = host.show.as_ref().unwrap();
        let mut fresh = Seen::default();
        let mut owners = show.owners.clone();
        let made = Picture::default().follow(
            &show.session,
            &host.group_by,
            &mut owners,
            host.reader.state(&show.session),
        );
        fresh.take(&made);
        ghosts += (fresh.pods.values())
            .filter(|pod| pod.mark == podscope_protocol::PodMark::Ghost)
            .count();
        assert_eq!(seen, fresh, "after {what}");
        // A link's hash goes on from the last one, where that still stands.
        let hash = crate::timeline::trace_hash(show.session.trace(), podscope_cluster::Fingerprint::Facts);
        assert_eq!(show.session.trace_hash(), hash, "after {what}");
    }
    assert!(ghosts > 0, "no ghost was seen");
}

/// What a machine is cut from, as one would say it.
fn cuts_in_short(machine: &MachineView) -> String {
    let cuts = machine.cuts.iter().map(|cut| {
        let from = match &cut.from {
            CutFrom::ControlPlane => "control-plane",
            CutFrom::Storage => "storage",
            CutFrom::Nodes => "nodes",
            CutFrom::Node(name) => name,
        };
        let way = match (cut.is_in, cut.is_out) {
            (true, true) => "",
            (true, false) => " in",
            (false, _) => " out",
        };
        format!("{from}{way}")
    });
    cuts.collect::<Vec<_>>().join(" ")
}

/// A node tells what it is cut from; of a zone that is cut off each says so once, not for every other node.
/// Shows: F-01, U-02
#[test]
fn a_node_tells_what_it_is_cut_from() {
    let (mut host, mut clock) = (welcome().0, 0.0);
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
        settle(&mut host, &mut clock);
        let mut updates = host.handle(Request::Command { line: line.into() }, clock);
        updates.extend(settle(&mut host, &mut clock));
        let frames = frames(&updates);
        for (name, cuts) in cuts {
            let mut views = frames.iter().flat_map(|frame| &frame.nodes);
            let told = views.rfind(|node| node.name == name);
            let told = told.map_or_else(String::new, |node| cuts_in_short(&node.machine));
            assert_eq!(told, cuts, "{line}: {name}");
        }
        host.handle(Request::Undo, clock);
        settle(&mut host, &mut clock);
    }
}

/// Pods that nobody owns are counted in each domain by what their constraint selects.
/// Shows: U-03
#[test]
fn pods_without_an_owner_are_counted_in_each_zone() {
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
    let source = Source::Files { files };
    let mut updates = host.handle(Request::Open { source }, 0.0);
    updates.extend(host.handle(Request::Seek { at: 20_000_000 }, 1.0));
    updates.extend(settle(&mut host, &mut 2.0));
    let mut seen = Seen::default();
    frames(&updates).into_iter().for_each(|frame| seen.take(frame));
    let groups = seen.groups;
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

/// A pod tells once what it is found by besides its name: its images, its PriorityClass, its IP.
/// Shows: U-14
#[test]
fn a_pod_tells_its_images_its_class_and_its_ip() {
    let ((mut host, mut updates), mut clock) = (welcome(), 0.0);
    host.handle(Request::Seek { at: 30_000_000 }, clock);
    updates.extend(settle(&mut host, &mut clock));
    let told = frames(&updates);
    let mut pods = told.iter().flat_map(|frame| &frame.pods);
    let db = pods.rfind(|pod| pod.key == "default/db-0").expect("a pod");
    assert!(db.also.starts_with("db:1 10."), "{:?}", db.also);
}
