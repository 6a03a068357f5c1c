//! The recording of a lesson: from the requests of the page to the lesson's file (E-10).

use podscope_protocol::{ExportKind, Request, SessionSource, SubjectRef, Update};
use podscope_session::host::Host;
use podscope_session::play::{self, Attempt};
use podscope_session::scenario::{self, Loaded};

/// A page on which a lesson is recorded, in a cluster of two nodes.
struct Recording {
    host: Host,
    clock: f64,
    /// The goals in the list on the page.
    goals: Vec<String>,
    /// Keys of the pods in all frames so far.
    pods: Vec<String>,
}

impl Recording {
    fn start() -> Recording {
        let mut page = Recording {
            host: Host::new(),
            clock: 0.0,
            goals: Vec::new(),
            pods: Vec::new(),
        };
        let text = "apiVersion: podscope.dev/v1alpha1\nkind: Scenario\nmetadata: {name: x}\nspec:\n  cluster: {zones: [a], nodesPerZone: 2}\n  seed: 1\n";
        let files = vec![("x.yaml".to_owned(), text.to_owned())];
        page.send(Request::Open {
            source: SessionSource::Files { files },
        });
        page
    }

    /// Sends a request, and lets the host work for a moment. Returns all updates.
    fn send(&mut self, request: Request) -> Vec<Update> {
        let mut updates = self.host.handle(request, self.clock);
        for _ in 0..20 {
            self.clock += 5.0;
            self.host.handle(Request::FrameDone, self.clock);
            updates.extend(self.host.work(self.clock));
        }
        for update in &updates {
            if let Update::Recorded { goals } = update {
                self.goals = goals.iter().map(ToString::to_string).collect();
            }
            if let Update::Frame(frame) = update {
                self.pods.extend(frame.pods.iter().map(|pod| pod.key.clone()));
            }
        }
        updates
    }

    fn run(&mut self, line: &str) {
        self.send(Request::Command { line: line.to_owned() });
    }

    /// Picks each field in a node's YAML as a goal, and removes all picked goals except `wanted`. Returns all goals
    /// that could be picked.
    fn pick_goal(&mut self, node: &str, wanted: &str) -> Vec<String> {
        let mut seen = Vec::new();
        for line in 1..200 {
            let before = self.goals.len();
            let subject = SubjectRef::Node { name: node.to_owned() };
            self.send(Request::RecordGoal { subject, line });
            if self.goals.len() == before {
                continue;
            }
            let new = self.goals[before].clone();
            if new != wanted {
                self.send(Request::ForgetGoal { index: before });
            }
            seen.push(new);
        }
        assert!(self.goals.iter().any(|goal| goal == wanted), "{seen:#?}");
        seen
    }

    fn saved_lesson_text(&mut self) -> String {
        let what = ExportKind::Lesson;
        let updates = self.send(Request::Export { what, anonymise: false });
        let text = updates.iter().find_map(|update| match update {
            Update::File { text, .. } => Some(text.clone()),
            _ => None,
        });
        text.expect("a file")
    }

    fn save(&mut self) -> Loaded {
        let text = self.saved_lesson_text();
        scenario::load(&[("lesson.yaml".to_owned(), text)]).expect("a lesson")
    }

    /// Returns the goals of each step in the lesson's file.
    fn saved_goals(&mut self) -> Vec<Vec<String>> {
        let steps = self.save().scenario.steps;
        let goals = steps.iter().map(|step| step.goals.iter());
        goals
            .map(|goals| goals.map(|goal| goal.description.to_string()).collect())
            .collect()
    }
}

/// Undoing a command removes the goal that was picked after it, from the page's list and from the lesson's file.
/// Earlier goals stay.
/// Shows: E-10
#[test]
fn undo_removes_goal_from_list_and_file() {
    let mut page = Recording::start();
    page.pick_goal("a-1", "Node a-1 is ready");
    page.run("kubectl cordon a-1");
    page.pick_goal("a-1", "Node a-1 is cordoned");
    page.run("kubectl cordon a-2");
    page.pick_goal("a-2", "Node a-2 is cordoned");
    assert_eq!(page.goals.len(), 3);

    page.send(Request::Undo);
    assert_eq!(page.goals, ["Node a-1 is ready", "Node a-1 is cordoned"]);
    let expected = [page.goals.clone(), Vec::new()];
    assert_eq!(page.saved_goals(), expected);

    page.send(Request::Undo);
    assert_eq!(page.goals, ["Node a-1 is ready"]);
    let expected = [page.goals.clone(), Vec::new()];
    assert_eq!(page.saved_goals(), expected, "goals without any command form a step");
}

/// In the recorded lesson, the last step is shown when all goals of the previous step are reached, in any order.
/// Shows: E-05, E-10
#[test]
fn last_step_waits_for_all_goals_before() {
    let mut page = Recording::start();
    page.pick_goal("a-1", "Node a-1 is ready");
    page.run("kubectl cordon a-1");
    page.pick_goal("a-1", "Node a-1 is cordoned");
    let shown = |loaded: Loaded, attempt| {
        let played = play::play(loaded, attempt, None).expect("the lesson can be played");
        played.session.progress().story().shown().len()
    };
    let loaded = page.save();
    assert!(
        loaded.scenario.steps[1].when.is_none(),
        "a step after two goals has no `when`"
    );
    assert_eq!(shown(loaded, Attempt::Nothing), 1, "only one of two goals is reached");
    assert_eq!(shown(page.save(), Attempt::Solution), 2);
}

/// A field whose value differs between runs cannot be a goal; the user gets the reason.
/// Shows: E-10
#[test]
fn run_dependent_field_is_refused_as_goal() {
    let mut page = Recording::start();
    let seen = page.pick_goal("a-1", "Node a-1 is ready");
    let run_dependent = [
        "uid",
        "creationTimestamp",
        "resourceVersion",
        "lastHeartbeatTime",
        "lastTransitionTime",
    ];
    for field in run_dependent {
        assert!(!seen.iter().any(|goal| goal.contains(field)), "{field}: {seen:#?}");
    }
    assert!(seen.iter().any(|goal| goal.contains("labels")), "{seen:#?}");
    let refused = (1..200).any(|line| {
        let subject = SubjectRef::Node { name: "a-1".into() };
        let updates = page.host.handle(Request::RecordGoal { subject, line }, page.clock);
        format!("{updates:?}").contains("DiffersPerRun")
    });
    assert!(refused);
}

/// A refused command does not become a step of the recorded lesson; a comment in the lesson's file lists it. Goals stay
/// in the step in which they were picked.
/// Shows: E-10
#[test]
fn refused_command_is_left_out_and_listed_in_comment() {
    let mut page = Recording::start();
    page.run("kubectl cordon nobody");
    page.send(Request::Seek { at: 1_000_000 });
    page.run("kubectl cordon a-1");
    page.pick_goal("a-1", "Node a-1 is cordoned");
    let text = page.saved_lesson_text();
    assert!(
        text.starts_with("# Left out, because it was refused: kubectl cordon nobody\n"),
        "{text}"
    );
    let loaded = page.save();
    assert_eq!(loaded.scenario.steps[0].hints, ["kubectl cordon a-1"]);
    assert_eq!(page.saved_goals()[0], ["Node a-1 is cordoned"]);
}

/// The names of a Deployment's pods differ between runs. So if a field of such a pod is picked, the goal is about all
/// pods with the pod's labels.
/// Shows: E-10
#[test]
fn goals_of_pods_with_generated_names_use_labels() {
    let mut page = Recording::start();
    page.run("kubectl create deployment web --image=web --replicas=2");
    page.send(Request::Seek { at: 30_000_000 });
    let key = page
        .pods
        .iter()
        .find(|key| key.starts_with("default/web-"))
        .cloned()
        .expect("a pod of web");
    let mut is_refused = false;
    for line in 1..200 {
        let subject = SubjectRef::Pod {
            key: key.clone(),
            uid: String::new(),
        };
        let updates = page.send(Request::RecordGoal { subject, line });
        is_refused |= updates.iter().any(|update| format!("{update:?}").contains("DrawnName"));
    }
    let goals = page.goals.join("; ");
    assert!(!goals.contains("web-"), "no name of a pod: {goals}");
    for wanted in [
        "at least 2 pods labelled app=web that are ready",
        "at least 2 Running pods labelled app=web",
        "at least 1 pod labelled app=web on a-",
    ] {
        assert!(goals.contains(wanted), "{wanted}: {goals}");
    }
    assert!(is_refused, "other fields are refused with a reason");
}
