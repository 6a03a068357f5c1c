//! The page's whole conversation, in-process.

use super::*;
use podscope_api::ordered;
use podscope_protocol::{GroupView, NodeView, PodView, Source};

fn frames(updates: &[Update]) -> Vec<&Frame> {
    updates
        .iter()
        .filter_map(|update| match update {
            Update::Frame(frame) => Some(&**frame),
            _ => None,
        })
        .collect()
}

/// An engine that has opened the session of a first visit, with what it said.
fn welcome() -> (Host, Vec<Update>) {
    let mut host = Host::new();
    let source = Source::Welcome;
    let updates = host.handle(Request::Open { source }, 0.0);
    (host, updates)
}

/// The same, and time runs; all frames are done with.
fn playing() -> Host {
    let (mut host, _) = welcome();
    host.handle(Request::FrameDone, 0.0);
    host.handle(Request::Play, 10.0);
    host.handle(Request::FrameDone, 10.0);
    host
}

fn settle(host: &mut Host, clock: &mut f64) -> Vec<Update> {
    let mut all = Vec::new();
    for _ in 0..100_000 {
        match host.wants() {
            Wants::Rest => break,
            Wants::Now => *clock += 0.1,
            Wants::At(at) => *clock = at.max(*clock + 0.1),
        }
        let updates = host.work(*clock);
        if !frames(&updates).is_empty() {
            host.handle(Request::FrameDone, *clock);
        }
        all.extend(updates);
    }
    all
}

/// P-04: the editor hears every problem with its place, and the session is not asked.
#[test]
fn a_check_answers_with_places() {
    let mut host = Host::new();
    let text = "apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n---\n\
                apiVersion: v1\nkind: Pod\nmetadata: {name: 7}\nspec: {priority: high}\n"
        .to_string();
    let updates = host.handle(Request::Check { text, revision: 3 }, 0.0);
    let [
        Update::Checked {
            revision: 3, problems, ..
        },
    ] = updates.as_slice()
    else {
        panic!("{updates:?}")
    };
    let places: Vec<_> = problems.iter().map(|p| (p.document, p.line, p.path.as_str())).collect();
    assert_eq!(places, [(2, 7, "metadata.name"), (2, 8, "spec.priority")]);
}

/// U-09: where a frame takes long to make, the simulation gets as much time as the frames.
#[test]
fn frames_do_not_starve_the_simulation() {
    let mut host = playing();
    // A frame that came at 1 000 and took 120 ms.
    while frames(&host.work(1_000.0)).is_empty() {}
    host.sent(1_120.0);
    host.handle(Request::FrameDone, 1_125.0);
    assert!(frames(&host.work(1_200.0)).is_empty(), "the simulation's turn");
    assert!(!frames(&host.work(1_240.0)).is_empty());
}

/// What a frame costs is part of the time between two.
#[test]
fn frames_begin_every_33_ms() {
    let mut host = playing();
    while frames(&host.work(1_000.0)).is_empty() {}
    host.sent(1_010.0);
    host.handle(Request::FrameDone, 1_011.0);
    while host.wants() == Wants::Now {
        assert!(frames(&host.work(1_020.0)).is_empty());
    }
    assert_eq!(host.wants(), Wants::At(1_033.0));
    assert!(!frames(&host.work(1_033.0)).is_empty());
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

/// U-02, T-01: a picture that followed the world is the one that is made anew at the same cursor,
/// whatever happened in between: faults, ghosts, nodes that come and go, seeks, branches, undo.
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
        let hash = crate::timeline::trace_hash(show.session.trace());
        assert_eq!(show.session.trace_hash(), hash, "after {what}");
    }
    assert!(ghosts > 0, "no ghost was seen");
}

/// U-02, F-01: a node tells what it is cut from; of a zone that is cut off each says so once, not for every other node.
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
            let told = told.map_or_else(String::new, |node| node.machine.cuts.join(" "));
            assert_eq!(told, cuts, "{line}: {name}");
        }
        host.handle(Request::Undo, clock);
        settle(&mut host, &mut clock);
    }
}

/// T-01: open, play, seek both ways, command in the past forks, undo.
#[test]
fn a_session_plays_seeks_and_forks() {
    let (mut host, updates) = welcome();
    let mut clock = 0.0;
    assert!(matches!(updates.first(), Some(Update::Opened(_))), "{updates:?}");
    let first = frames(&updates);
    assert!(first.iter().all(|frame| frame.reset) && first.len() == 1);
    assert_eq!(first[0].nodes.len(), 6);
    host.handle(Request::FrameDone, clock);
    host.handle(Request::Seek { at: 30_000_000 }, clock);
    let updates = settle(&mut host, &mut clock);
    assert_eq!(frames(&updates).last().map(|frame| frame.now), Some(30_000_000));
    let updates = host.handle(
        Request::Command {
            line: "fault partition a-1".into(),
        },
        clock,
    );
    let frame = frames(&updates);
    assert_eq!(frame.last().map(|frame| frame.now), Some(30_000_001), "{updates:?}");
    assert!(frame.iter().any(|frame| {
        frame
            .nodes
            .iter()
            .any(|node| node.name == "a-1" && !node.machine.cuts.is_empty())
    }));
    host.handle(Request::Seek { at: 60_000_000 }, clock);
    settle(&mut host, &mut clock);
    host.handle(Request::Seek { at: 10_000_000 }, clock);
    let updates = settle(&mut host, &mut clock);
    let back = frames(&updates);
    assert!(back.iter().any(|frame| {
        frame
            .nodes
            .iter()
            .any(|node| node.name == "a-1" && node.machine.cuts.is_empty())
    }));
    host.handle(
        Request::Command {
            line: "kubectl cordon b-1".into(),
        },
        clock,
    );
    let session = host.show.as_ref().map(|show| &show.session).unwrap();
    assert_eq!(session.branches().len(), 2);
    let texts: Vec<String> = session
        .commands()
        .iter()
        .map(|timed| timed.command.to_string())
        .collect();
    assert_eq!(texts, ["kubectl cordon b-1"]);
    host.handle(Request::Undo, clock);
    settle(&mut host, &mut clock);
    assert!(host.show.as_ref().unwrap().session.commands().is_empty());
}

/// T-03: what is shared opens as the same state.
#[test]
fn a_shared_session_opens_as_it_was() {
    let mut host = welcome().0;
    let mut clock = 0.0;
    host.handle(Request::Seek { at: 20_000_000 }, clock);
    settle(&mut host, &mut clock);
    host.handle(
        Request::Command {
            line: "fault partition a-1".into(),
        },
        clock,
    );
    host.handle(Request::Seek { at: 90_000_000 }, clock);
    settle(&mut host, &mut clock);
    let hash = host.show.as_ref().unwrap().session.trace_hash();
    let updates = host.handle(
        Request::Share {
            screen: "x".into(),
            anonymise: false,
            revision: 0,
        },
        clock,
    );
    let Some(Update::Link { fragment, .. }) = updates.first() else {
        panic!("{updates:?}")
    };
    let mut other = Host::new();
    let updates = other.handle(
        Request::Open {
            source: Source::Link {
                fragment: fragment.clone(),
            },
        },
        clock,
    );
    assert!(
        matches!(updates.first(), Some(Update::Opened(opened)) if opened.screen.as_deref() == Some("x")),
        "{updates:?}"
    );
    settle(&mut other, &mut clock);
    let session = &other.show.as_ref().unwrap().session;
    assert_eq!(session.now(), SimTime(90_000_000));
    assert_eq!(session.trace_hash(), hash);
}

/// T-01, K-01: where time stands still a command is followed to its answer, and that is said once.
#[test]
fn a_command_in_a_session_that_stands_still_is_seen_at_once() {
    let (mut host, mut clock) = (welcome().0, 0.0);
    host.handle(Request::Seek { at: 30_000_000 }, clock);
    let updates = settle(&mut host, &mut clock);
    let pods = frames(&updates)
        .last()
        .map(|frame| frame.pods.clone())
        .unwrap_or_default();
    let victim = pods
        .iter()
        .find(|pod| pod.mark == podscope_protocol::PodMark::Ready && pod.key.starts_with("default/web-"))
        .expect("a ready pod");
    let name = victim.key.trim_start_matches("default/");
    let line = format!("kubectl delete pod {name} --wait=false");
    let mut updates = host.handle(Request::Command { line }, clock);
    updates.extend(settle(&mut host, &mut clock));
    let last = frames(&updates).last().copied().expect("a frame");
    assert!((30_000_000..30_100_000).contains(&last.now), "{}", last.now);
    let after = last.pods.iter().find(|pod| pod.id == victim.id).expect("it changed");
    assert_eq!(after.mark, podscope_protocol::PodMark::Terminating);
    let said = |updates: &[Update]| {
        updates
            .iter()
            .filter_map(|update| match update {
                Update::Console { lines } => Some(lines),
                _ => None,
            })
            .flatten()
            .filter(|line| line.text == STANDS_STILL)
            .count()
    };
    assert_eq!(said(&updates), 1);
    let line = "fault partition a-1".into();
    assert_eq!(said(&host.handle(Request::Command { line }, clock)), 0, "said once");
}

/// P-03: a large file is opened in pieces of work with progress; until then, and if it is refused, the running
/// session stays.
#[test]
fn a_large_file_opens_with_progress_and_leaves_the_session_until_then() {
    let mut host = welcome().0;
    let mut clock = 0.0;
    let padding = "# live\n".repeat(200_000);
    let open = |text: &str| Request::Open {
        source: Source::Files {
            files: vec![("dump.yaml".into(), format!("{padding}{text}"))],
        },
    };
    let per_mille = |updates: &[Update]| -> Vec<u32> {
        let progress = updates.iter().filter_map(|update| match update {
            Update::Progress { what, per_mille } if what == "open" => Some(*per_mille),
            _ => None,
        });
        progress.collect()
    };
    for (text, opens) in [
        (
            "{apiVersion: v1, kind: Pod, metadata: {name: UP}, spec: {containers: []}}\n",
            false,
        ),
        (
            "{apiVersion: v1, kind: Pod, metadata: {name: large}, spec: {containers: [{name: c, image: i}]}}\n",
            true,
        ),
    ] {
        let mut updates = host.handle(open(text), clock);
        assert_eq!(per_mille(&updates), [0], "{updates:?}");
        assert_eq!(host.wants(), Wants::Now);
        assert!(host.show.is_some());
        updates.extend(settle(&mut host, &mut clock));
        assert_eq!(per_mille(&updates), [0, 700]);
        let refused = updates.iter().any(|update| matches!(update, Update::Refused { .. }));
        let opened = updates.iter().any(|update| matches!(update, Update::Opened(_)));
        assert_eq!((refused, opened), (!opens, opens));
        let objects = host.show.as_ref().map(|show| show.session.world().objects().clone());
        let pods = objects.map_or(0, |objects| objects.list::<podscope_api::Pod>().count());
        assert_eq!(pods == 1, opens, "{pods} pods");
    }
}

/// U-03: pods that nobody owns are counted in each domain by what their constraint selects.
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

/// T-06: a film is made in pieces, with its progress, and the session stays where it is.
#[test]
fn a_film_is_made_beside_the_session() {
    let mut host = playing();
    let mut clock = 20.0;
    while clock < 4_000.0 {
        clock += 5.0;
        if !frames(&host.work(clock)).is_empty() {
            host.handle(Request::FrameDone, clock);
        }
    }
    host.handle(Request::Pause, clock);
    settle(&mut host, &mut clock);
    let film = Request::Film {
        from: 0,
        to: 3_000_000,
        seconds: 2,
    };
    host.handle(film, clock);
    let updates = settle(&mut host, &mut clock);
    assert!(frames(&updates).is_empty(), "time stands still");
    let progress = updates
        .iter()
        .filter(|update| matches!(update, Update::Progress { what, .. } if what == "film"));
    assert!(progress.count() > 3);
    let made = updates.iter().find_map(|update| match update {
        Update::Film(made) => Some(made.clone()),
        _ => None,
    });
    assert!(made.is_some_and(|film| film.is_ok_and(|text| text.contains("<animate "))));
    assert_eq!(host.wants(), Wants::Rest);
}

/// K-02: a field that the API server does not know is marked where it stands, as `kubectl apply` refuses it.
#[test]
fn a_check_marks_fields_that_the_server_does_not_know() {
    let mut host = Host::new();
    let text = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n  - name: c\n    image: app\n    imagePolicy: Always\n";
    let text = text.to_owned();
    let updates = host.handle(Request::Check { text, revision: 1 }, 0.0);
    let [Update::Checked { problems, .. }] = updates.as_slice() else {
        panic!("{updates:?}");
    };
    let found: Vec<_> = problems
        .iter()
        .map(|p| (p.line, p.column, p.message.as_str()))
        .collect();
    assert_eq!(
        found,
        [(
            8,
            5,
            "strict decoding error: unknown field \"spec.containers[0].imagePolicy\""
        )]
    );
}

/// K-01: commands that are pasted while time stands still are all followed to their answers.
#[test]
fn commands_given_at_once_are_all_answered() {
    let mut host = playing();
    let mut clock = 20.0;
    host.handle(Request::Pause, clock);
    settle(&mut host, &mut clock);
    let line = |text: &str| Request::Command { line: text.to_owned() };
    let pod = "kubectl apply -f - <<EOF\napiVersion: v1\nkind: Namespace\nmetadata: {name: pasted}\nEOF";
    let mut updates = host.handle(line(pod), clock);
    updates.extend(host.handle(line("kubectl label node a-1 looked=yes"), clock));
    updates.extend(settle(&mut host, &mut clock));
    let printed: Vec<String> = (updates.iter())
        .filter_map(|update| match update {
            Update::Console { lines } => Some(lines.iter().map(|line| line.text.clone())),
            _ => None,
        })
        .flatten()
        .collect();
    for wanted in ["namespace/pasted created", "node/a-1 labeled"] {
        assert!(printed.iter().any(|text| text == wanted), "{wanted}: {printed:?}");
    }
}

/// The link of what is shown, as a page keeps it: at once, or when the work under way allows.
fn kept(host: &mut Host, clock: &mut f64, revision: u64) -> Option<(String, String)> {
    let screen = String::new();
    let share = Request::Share {
        screen,
        anonymise: false,
        revision,
    };
    let mut updates = host.handle(share, *clock);
    updates.extend(settle(host, clock));
    let mut links = updates.into_iter().filter_map(|update| match update {
        Update::Link {
            fragment,
            whole,
            revision: answered,
            ..
        } if answered == revision => Some((whole.unwrap_or_else(|| fragment.clone()), fragment)),
        _ => None,
    });
    let link = links.next();
    assert_eq!(links.next(), None, "one answer");
    link
}

/// T-05, T-08: a page keeps what it opened while the engine is still on its way to the instant; what was done there
/// must not be missing in it.
#[test]
fn a_link_asked_for_on_the_way_holds_what_is_at_its_end() {
    let (mut host, mut clock) = (welcome().0, 0.0);
    host.handle(Request::Seek { at: 60_000_000 }, clock);
    settle(&mut host, &mut clock);
    let line = "fault poweroff c-2".to_owned();
    host.handle(Request::Command { line }, clock);
    settle(&mut host, &mut clock);
    let (whole, fragment) = kept(&mut host, &mut clock, 1).expect("at rest it is told");
    assert_eq!(whole, fragment);

    let mut other = Host::new();
    let source = Source::Link {
        fragment: fragment.clone(),
    };
    other.handle(Request::Open { source }, clock);
    other.work(clock);
    assert_ne!(other.wants(), Wants::Rest, "it is on its way");
    for revision in [1, 2] {
        let screen = String::new();
        let share = Request::Share {
            screen,
            anonymise: false,
            revision,
        };
        assert_eq!(other.handle(share, clock), [], "not yet");
    }
    let (again, _) = kept(&mut other, &mut clock, 3).expect("told at the end");
    assert_eq!(again, fragment);
}

/// T-05: once the page has kept the session by a link, each command comes with one, before it is seen.
#[test]
fn a_command_is_told_with_its_link_before_its_frame() {
    let (mut host, mut clock) = (welcome().0, 0.0);
    settle(&mut host, &mut clock);
    let give = |host: &mut Host, line: &str, clock| {
        let line = line.to_owned();
        let updates = host.handle(Request::Command { line }, clock);
        let links = updates.into_iter().filter_map(|update| match update {
            Update::Link { fragment, .. } => Some(fragment),
            _ => None,
        });
        links.last()
    };
    assert_eq!(give(&mut host, "fault poweroff c-2", clock), None, "nobody keeps it");
    settle(&mut host, &mut clock);
    kept(&mut host, &mut clock, 1).expect("a link");
    let link = give(&mut host, "fault poweroff a-1", clock).expect("a link with the command");
    let commands = crate::link::decode(&link).expect("a link").commands;
    assert_eq!(commands.len(), 2);
}

/// T-05: whoever goes back in time and reloads there finds again what was done; a link to share tells what led there.
#[test]
fn a_session_is_kept_with_what_came_after_the_cursor() {
    let (mut host, mut clock) = (welcome().0, 0.0);
    host.handle(Request::Seek { at: 20_000_000 }, clock);
    settle(&mut host, &mut clock);
    let line = "fault poweroff c-2".to_owned();
    host.handle(Request::Command { line }, clock);
    host.handle(Request::Seek { at: 5_000_000 }, clock);
    settle(&mut host, &mut clock);
    let (whole, fragment) = kept(&mut host, &mut clock, 1).expect("a link");
    let commands = |fragment: &str| crate::link::decode(fragment).expect("a link").commands.len();
    assert_eq!((commands(&whole), commands(&fragment)), (1, 0));

    let mut other = Host::new();
    let source = Source::Link { fragment: whole };
    other.handle(Request::Open { source }, clock);
    let updates = settle(&mut other, &mut clock);
    let said = |update: &Update| matches!(update, Update::Console { .. });
    assert!(!updates.iter().any(said), "it runs as it ran: {updates:?}");
    let session = &other.show.as_ref().expect("a session").session;
    assert_eq!(session.now(), SimTime(5_000_000));
    assert!(
        session.horizon() >= SimTime(20_000_000),
        "the timeline goes on: {}",
        session.horizon()
    );
    // A command before it begins a branch of its own, as it would have before.
    let line = "fault poweroff a-1".to_owned();
    other.handle(Request::Command { line }, clock);
    settle(&mut other, &mut clock);
    assert_eq!(other.show.as_ref().expect("a session").session.commands().len(), 1);
}
