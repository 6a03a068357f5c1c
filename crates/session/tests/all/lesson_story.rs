//! The story of a lesson, played in a session or in a host: its steps, goals and questions, its promises (`keep`
//! conditions, which the learner must not break) and its replies to mistakes.

use podscope_cluster::SimTime;
use podscope_messages::Sentence;
use podscope_protocol::{ExportKind, GoalState, Request, SessionSource, StoryState, SubjectRef, Update};
use podscope_session::host::Host;
use podscope_session::play::{self, Attempt, Played};
use podscope_session::scenario;
use podscope_session::story::{Goal, UnmetCondition};
use podscope_session::timeline::{Session, Slice};

fn lesson_text(spec: &str) -> String {
    format!(
        "apiVersion: podscope.dev/v1alpha1\nkind: Scenario\nmetadata: {{name: x}}\nspec:\n  cluster: {{zones: [a], nodesPerZone: 1}}\n{spec}"
    )
}

fn lesson_problems(spec: &str) -> Vec<String> {
    match scenario::load(&[("x.yaml".to_owned(), lesson_text(spec))]) {
        Ok(_) => Vec::new(),
        Err(problems) => problems.iter().map(ToString::to_string).collect(),
    }
}

fn play_lesson(spec: &str, attempt: Attempt) -> Played {
    let loaded =
        scenario::load(&[("x.yaml".to_owned(), lesson_text(spec))]).unwrap_or_else(|problems| panic!("{problems:?}"));
    play::play(loaded, attempt, None).unwrap_or_else(|problems| panic!("{problems:?}"))
}

const POD: &str = "{object: Pod default/p, exists: true}";

/// The first step of a lesson is shown when its `when` holds. Without `when`, it is shown immediately.
/// Shows: E-05
#[test]
fn first_step_waits_for_its_condition() {
    let at_once = play_lesson("  steps: [{text: a}]\n", Attempt::Nothing);
    assert_eq!(at_once.session.progress().story().shown()[0].at, SimTime::ZERO);
    let waits = format!("  steps: [{{text: a, when: {POD}}}]\n");
    assert!(
        play_lesson(&waits, Attempt::Nothing)
            .session
            .progress()
            .story()
            .shown()
            .is_empty()
    );
    let late = play_lesson("  steps: [{text: a, when: {at: 30s}}]\n", Attempt::Nothing);
    assert_eq!(late.session.progress().story().shown()[0].at, SimTime::from_seconds(30));
}

/// A step whose `when` is a time also waits until the goals of earlier steps are reached.
/// Shows: E-05
#[test]
fn step_with_time_waits_for_earlier_goals() {
    let spec = format!(
        "  steps:\n  - {{text: a, goal: {POD}}}\n  - {{text: b, when: {{at: 5s}}}}\n  solution: [{{at: 20s, run: \"kubectl run p --image=p:1\"}}]\n"
    );
    assert_eq!(
        play_lesson(&spec, Attempt::Nothing)
            .session
            .progress()
            .story()
            .shown()
            .len(),
        1
    );
    let solved = play_lesson(&spec, Attempt::Solution);
    let shown = solved.session.progress().story().shown();
    assert!(
        shown.len() == 2 && shown[1].at >= SimTime::from_seconds(20),
        "{shown:?}"
    );
    assert!(solved.behaves_as_intended());
}

/// After a promise (`keep`) was broken, no goal is reached. A seek back to before that time restores the story.
/// Shows: E-07
#[test]
fn broken_promise_halts_story() {
    let spec = format!(
        "  steps:\n  - {{text: a, keep: {{count: nodes, least: 1, say: one node}}, goal: {POD}}}\n  \
         bypasses: [[{{at: 5s, run: \"kubectl delete node a-1\"}}, {{at: 9s, run: \"kubectl run p --image=p:1\"}}]]\n  \
         solution: [{{at: 9s, run: \"kubectl run p --image=p:1\"}}]\n"
    );
    let bypass = play_lesson(&spec, Attempt::Bypass(1));
    let story = bypass.session.progress().story();
    let halt = story.halt().expect("the story is halted");
    assert_eq!((halt.step, halt.unmet_condition), (0, UnmetCondition::Keep(0)));
    assert_eq!(story.shown()[0].goals, [Goal::Open]);
    assert!(bypass.behaves_as_intended());
    assert!(bypass.report().contains("keep  broken at 5"), "{}", bypass.report());
    let mut session = bypass.session;
    session.seek(SimTime::from_seconds(4));
    assert_eq!(session.advance(SimTime::from_seconds(4), u64::MAX), Slice::Done);
    assert!(
        session.progress().story().halt().is_none(),
        "the promise holds before it was broken"
    );
    assert!(play_lesson(&spec, Attempt::Solution).behaves_as_intended());
}

/// A goal for the whole run (`always`) is reached together with the last other goal.
/// Shows: E-07
#[test]
fn always_goal_is_reached_with_last_other_goal() {
    let spec = format!(
        "  steps:\n  - {{text: a, goal: [{{always: at-most-one}}, {POD}]}}\n  solution: [{{at: 9s, run: \"kubectl run p --image=p:1\"}}]\n"
    );
    let nothing = play_lesson(&spec, Attempt::Nothing);
    assert_eq!(
        nothing.session.progress().story().shown()[0].goals,
        [Goal::Open, Goal::Open]
    );
    let solved = play_lesson(&spec, Attempt::Solution);
    let story = solved.session.progress().story();
    let [Goal::Reached(always), Goal::Reached(pod)] = story.shown()[0].goals[..] else {
        panic!("{story:?}");
    };
    assert_eq!(always, pod);
    assert_eq!(story.finished(), Some(pod));
}

const THREE_QUESTIONS: &str = "  timeline: [{at: 10s, run: \"kubectl run p --image=p:1\"}, {at: 40s, run: \"kubectl delete pod p --wait=false\"}]\n  steps:\n  \
    - {text: a, predict: {ask: Where?, options: [a-1, b-1], is: {object: Pod default/p, path: .spec.nodeName}, why: {b-1: There is no b-1.}}}\n  \
    - {text: b, when: {object: Pod default/p, path: .metadata.deletionTimestamp, exists: true}, predict: {ask: When?, options: [1s, 30s], until: {count: pods, equals: 0}}}\n  \
    - {text: c, predict: {ask: How many?, options: [0, 1], is: {count: pods, at: 20s}}}\n";

/// The run determines the answers to questions about a value, about a duration, and about a number.
/// Shows: E-06
#[test]
fn run_answers_questions() {
    let nothing = play_lesson(THREE_QUESTIONS, Attempt::Nothing);
    let shown = nothing.session.progress().story().shown();
    let value = |step: usize| {
        shown[step]
            .truth
            .as_ref()
            .map(|truth| truth.value.as_str())
            .unwrap_or_default()
    };
    assert_eq!((value(0), value(2)), ("a-1", "1"));
    let steps = &nothing.session.loaded().scenario.steps;
    let when = steps[1].predict.as_ref().expect("a question");
    assert_eq!(when.option_for_value(value(1)), Some("1s"), "{}", value(1));
    assert!(when.is_right("1s", value(1)) && !when.is_right("30s", value(1)));
    assert!(
        when.is_right("1.5s", value(1)),
        "a time set on the timeline may be off by a second"
    );
}

/// A host on which a reader plays a lesson, with the state of the story in its last frame.
struct LessonReader {
    host: Host,
    clock: f64,
    story: StoryState,
    playing: bool,
    now: i64,
}

impl LessonReader {
    /// Returns the sentence about what the next step waits for.
    fn waits_for(&self) -> String {
        self.story
            .waits_for
            .as_ref()
            .expect("the next step has a condition")
            .to_string()
    }

    fn open(spec: &str) -> LessonReader {
        let mut reading = LessonReader {
            host: Host::new(),
            clock: 0.0,
            story: StoryState::default(),
            playing: false,
            now: 0,
        };
        let files = vec![("x.yaml".to_owned(), lesson_text(spec))];
        reading.send(Request::Open {
            source: SessionSource::Files { files },
        });
        reading
    }

    fn open_recap(name: &str, seed: u64) -> LessonReader {
        let mut reading = LessonReader::open("  steps: []\n");
        let name = name.to_owned();
        reading.send(Request::Open {
            source: SessionSource::Recap { name, seed },
        });
        reading
    }

    fn apply(&mut self, updates: Vec<Update>) {
        for update in updates {
            if let Update::Frame(frame) = update {
                self.playing = frame.playing;
                self.now = frame.now;
                self.story = frame.story.unwrap_or_else(|| self.story.clone());
            }
        }
    }

    fn send(&mut self, request: Request) {
        let updates = self.host.handle(request, self.clock);
        self.apply(updates);
        self.run(0.1);
    }

    fn run(&mut self, seconds: f64) {
        let end = self.clock + seconds * 1000.0;
        while self.clock < end {
            self.clock += 5.0;
            self.host.handle(Request::FrameDone, self.clock);
            let updates = self.host.work(self.clock);
            self.apply(updates);
        }
    }

    fn answer(&mut self, step: usize, answer: &str) {
        let answer = Some(answer.to_owned());
        self.send(Request::Predict { step, answer });
    }
}

/// Time is paused until the reader answers a question, and then continues. The run's answer is sent to the page after
/// the reader's answer.
/// Shows: E-05, E-06
#[test]
fn time_is_paused_until_question_is_answered() {
    let mut reading = LessonReader::open(THREE_QUESTIONS);
    reading.send(Request::Speed { per_mille: 100_000 });
    assert_eq!(reading.story.question, Some(0));
    reading.send(Request::Play);
    reading.run(1.0);
    assert_eq!((reading.playing, reading.now), (false, 0), "time is paused");
    reading.send(Request::Seek { at: 50_000_000 });
    assert_eq!(reading.now, 0, "an open question prevents seeking ahead");
    reading.answer(0, "b-1");
    reading.send(Request::Play);
    reading.run(2.0);
    assert_eq!((reading.playing, reading.story.question), (false, Some(1)));
    assert!((40_000_000..40_100_000).contains(&reading.now), "{}", reading.now);
    let first = reading.story.steps[0].truth.clone().expect("the run's answer");
    assert_eq!((first.value.as_str(), first.is_right), ("a-1", false));
    assert!(reading.story.steps[1].truth.is_none());
    reading.answer(1, "1s");
    reading.send(Request::Predict { step: 2, answer: None });
    assert!(reading.playing, "time plays on");
    reading.run(1.0);
    let second = reading.story.steps[1].truth.clone().expect("the run's answer");
    assert!(second.is_right && second.value == "1s");
    assert_eq!(
        reading.story.steps[2].answer.as_deref(),
        Some(""),
        "the question was skipped"
    );
    assert_eq!(
        reading.story.step, 0,
        "the reader's step stays until the reader moves on"
    );
    assert!(reading.story.finished);
}

/// *Show me* runs the rest of the solution from the last shown step, even if the user has given other commands since.
/// Shows: E-07
#[test]
fn show_me_runs_rest_of_solution() {
    let spec = format!(
        "  steps:\n  - {{text: a, goal: {POD}}}\n  - {{text: b, goal: {{object: Pod default/q, exists: true}}}}\n  \
         solution: [{{at: 10s, run: \"kubectl run p --image=p:1\"}}, {{at: 20s, run: \"kubectl run q --image=p:1\"}}]\n"
    );
    let mut reading = LessonReader::open(&spec);
    reading.send(Request::Speed { per_mille: 10_000 });
    reading.send(Request::Play);
    reading.run(0.5);
    reading.send(Request::Command {
        line: "kubectl run p --image=p:1".into(),
    });
    reading.run(0.5);
    assert_eq!(reading.story.steps.len(), 2);
    assert_eq!(reading.story.waits_for, None, "the next step is shown");
    reading.send(Request::StoryStep { step: 1 });
    assert!(reading.story.waits_for.is_none() && reading.story.step == 1);
    reading.send(Request::ShowMe);
    reading.run(4.0);
    assert!(reading.story.finished, "{:?}", reading.story);
    assert_eq!(reading.story.steps[1].goals, [GoalState::Reached]);
}

/// The page lists the goals that are not reached. Of the condition for which the next step waits, it only shows the
/// type.
/// Shows: E-05
#[test]
fn condition_of_next_step_is_described() {
    let spec = format!("  steps:\n  - {{text: a, goal: {POD}}}\n  - {{text: b, when: {{count: nodes, equals: 2}}}}\n");
    let mut reading = LessonReader::open(&spec);
    assert_eq!(reading.waits_for(), "Pod p exists");
    reading.send(Request::Play);
    reading.send(Request::Command {
        line: "kubectl run p --image=p:1".into(),
    });
    reading.run(1.0);
    assert_eq!(reading.waits_for(), "a change among the nodes");
}

/// All problems of a lesson file are reported at once, in messages for authors of lessons.
/// Shows: E-10
#[test]
fn lesson_problems_are_reported_for_authors() {
    let spec = "  timeline: [{at: 5, run: \"kubectl get pods\"}]\n  steps:\n  - text: a\n    when: {at: 5}\n    hints: look\n    \
         goal: [{count: pods, equals: 1, least: 2}, {count: pods, gaol: 1}]\n    predict: {ask: \"\", options: [a], is: {count: pods}}\n    \
         mistakes: [{say: no}]\n  - {text: \"\", predict: {ask: When?, options: [5, 6s], until: {count: pods, equals: 0}, why: {7s: no}}}\n  \
         solution: [{at: 5 minutes, run: \"kubectl get pods\"}]\n";
    let all = lesson_problems(spec);
    for wanted in [
        "spec.timeline[0].at: 5 has no unit: write 5s",
        "spec.steps[0].when.at: 5 has no unit: write 5s",
        "spec.steps[0].hints: this is a text, and must be a list: one `- ` before each item",
        "only one of exists, equals, not and least or most may be given",
        "unknown field \"gaol\"",
        "a question needs its words",
        "one option is no choice",
        "a mistake needs a condition to know it by",
        "a step needs a text",
        "spec.steps[1].predict.options[0]: 5 has no unit: write 5s",
        "7s is none of the options",
        "\"5 minutes\" is not a time: write it like 90s, 1m30s or 250ms",
    ] {
        assert!(all.iter().any(|problem| problem.contains(wanted)), "{wanted}: {all:#?}");
    }
    assert!(
        all.iter()
            .all(|problem| !problem.contains("Go ") && !problem.contains("v1.")),
        "{all:#?}"
    );
}

/// A bypass is a wrong attempt at a lesson. If one reaches the final goal, the lesson does not behave as intended.
#[test]
fn lesson_is_faulty_if_bypass_reaches_final_goal() {
    let spec = format!(
        "  steps: [{{text: a, goal: {POD}}}]\n  wrong: [{{at: 9s, run: \"kubectl run p --image=p:1\"}}]\n  bypasses: [[{{at: 1s, run: \"kubectl get pods\"}}]]\n"
    );
    assert!(play_lesson(&spec, Attempt::Bypass(1)).behaves_as_intended());
    assert!(
        !play_lesson(&spec, Attempt::Bypass(2)).behaves_as_intended(),
        "`wrong` is the last bypass"
    );
    assert!(!play_lesson(&spec, Attempt::Bypass(0)).behaves_as_intended());
    let loaded = scenario::load(&[("x.yaml".to_owned(), lesson_text(&spec))]).expect("the lesson loads");
    assert!(play::play(loaded, Attempt::Bypass(3), None).is_err());
    assert!(Session::new(scenario::load(&[]).expect("empty")).is_ok());
}

/// The template for lessons violates no rule. The violated rules of a lesson are all listed at once.
/// Shows: E-10
#[test]
fn template_lesson_violates_no_rule_and_changed_one_does() {
    let template = include_str!("../../../web/examples/lesson.yaml");
    let complaints = |text: &str| {
        let loaded = scenario::load(&[("lesson.yaml".into(), text.into())]).expect("the lesson loads");
        let found = podscope_session::author::violated_lesson_rules(&loaded);
        found.iter().map(Sentence::english).collect::<Vec<String>>()
    };
    assert_eq!(complaints(template), Vec::<String>::new());
    let spoilt = template
        .replace("equals: b-1, say", "exists: true, say")
        .replace("options: [a, b]", "options: [a, c]")
        .replace("must.\", b:", "must.\", c:")
        .replace("[[pod]]", "[[pud]]")
        .replace("zone: ___}", "zone: b}");
    let found = complaints(&spoilt);
    for part in [
        "links [[pud]], which is no term of the glossary",
        "has no gap",
        "that is none of the options",
        "Bypass 1 reaches the last goals",
    ] {
        assert!(
            found.iter().any(|complaint| complaint.contains(part)),
            "{part}: {found:#?}"
        );
    }
}

/// A question whose answer is already visible when its step is shown is not asked.
/// Shows: E-06
#[test]
fn question_with_visible_answer_is_not_asked() {
    let spec = format!(
        "  steps:\n  - {{text: a, goal: {POD}}}\n  - {{text: b, when: {{object: Pod default/q, path: .spec.nodeName, exists: true}}, \
         predict: {{ask: Where?, is: {{object: Pod default/q, path: .spec.nodeName}}}}}}\n"
    );
    let mut reading = LessonReader::open(&spec);
    reading.send(Request::Speed { per_mille: 10_000 });
    reading.send(Request::Play);
    for pod in ["q", "p"] {
        reading.send(Request::Command {
            line: format!("kubectl run {pod} --image=p:1"),
        });
        reading.run(1.0);
    }
    assert_eq!((reading.story.steps.len(), reading.story.question), (2, None));
    let step = &reading.story.steps[1];
    assert_eq!(step.answer.as_deref(), Some(""));
    assert_eq!(step.truth.as_ref().map(|truth| truth.value.as_str()), Some("a-1"));
}

/// A recap asks a question of a lesson again in a run with another seed, and continues with the solution after the
/// answer.
/// Shows: E-08
#[test]
fn recap_asks_question_with_another_seed() {
    let mut reading = LessonReader::open_recap("prestop-overrun", 1000);
    assert_eq!((reading.story.question, reading.story.step), (Some(1), 1));
    assert!(
        reading.now >= 15_000_000,
        "the solution was played up to the question: {}",
        reading.now
    );
    reading.send(Request::Speed { per_mille: 100_000 });
    reading.answer(1, "32s");
    reading.run(2.0);
    let truth = reading.story.steps[1].truth.clone().expect("the run's answer");
    assert!(truth.is_right && reading.story.finished, "{truth:?}");
}

/// At the end of a lesson, two pictures show the cluster before and after the key moment.
/// Shows: E-08
#[test]
fn finished_story_shows_states_around_key_moment() {
    let spec = format!(
        "  steps:\n  - {{text: a, goal: {POD}}}\n  - {{text: b, when: {POD}}}\n  \
         solution: [{{at: 10s, run: \"kubectl run p --image=p:1\"}}]\n"
    );
    let mut reading = LessonReader::open(&spec);
    reading.send(Request::Speed { per_mille: 10_000 });
    reading.send(Request::ShowMe);
    reading.run(0.5);
    assert!(reading.story.moments.is_empty(), "no pictures before the end");
    reading.run(2.0);
    assert!(reading.story.finished);
    let [before, after] = &reading.story.moments[..] else {
        panic!("{:?}", reading.story.moments)
    };
    let pods = |moment: &podscope_protocol::MomentPicture| {
        let on: usize = moment
            .groups
            .iter()
            .flat_map(|(_, nodes)| nodes)
            .map(|node| node.pods.len())
            .sum();
        on + moment.pending.len()
    };
    assert_eq!((pods(before), pods(after)), (0, 1));
    assert!(before.at < after.at);
}

/// The second picture shows the cluster at the end of the story, even if the question was answered before the last
/// task.
/// Shows: E-08
#[test]
fn second_picture_shows_end_of_story() {
    let spec = format!(
        "  steps:\n  - {{text: a, predict: {{ask: How many?, options: [0, 1], is: {{count: pods}}, why: {{0: wrong}}}}, goal: {POD}}}\n  \
         - {{text: b, when: {POD}, goal: {{object: Pod default/q, exists: true}}}}\n  \
         solution: [{{at: 10s, run: \"kubectl run p --image=p:1\"}}, {{at: 20s, run: \"kubectl run q --image=q:1\"}}]\n"
    );
    let mut reading = LessonReader::open(&spec);
    reading.send(Request::Speed { per_mille: 10_000 });
    reading.answer(0, "1");
    for name in ["p", "q"] {
        let line = format!("kubectl run {name} --image=p:1");
        reading.send(Request::Command { line });
        reading.send(Request::Play);
        reading.run(1.0);
    }
    assert!(reading.story.finished);
    let pods: Vec<usize> = (reading.story.moments.iter())
        .map(|moment| {
            let nodes = moment.groups.iter().flat_map(|(_, nodes)| nodes);
            nodes.map(|node| node.pods.len()).sum::<usize>() + moment.pending.len()
        })
        .collect();
    assert_eq!(pods, [0, 2]);
}

/// If several mistakes were made, the reply is about the last one, even if the same mistake was made before. The reply
/// disappears when the story continues.
/// Shows: E-07
#[test]
fn reply_is_about_last_mistake_until_story_continues() {
    let spec = format!(
        "  steps:\n  - text: a\n    goal: {POD}\n    mistakes: [{{when: {{object: Pod default/m, exists: true}}, say: one}}, {{when: {{object: Pod default/n, exists: true}}, say: two}}]\n  \
         - {{text: b, when: {POD}}}\n"
    );
    let mut reading = LessonReader::open(&spec);
    reading.send(Request::Play);
    let mut replies = Vec::new();
    for line in [
        "kubectl run m --image=a",
        "kubectl run n --image=a",
        "kubectl delete pod m --grace-period=0 --force",
        "kubectl run m --image=a",
        "kubectl run p --image=a",
    ] {
        reading.send(Request::Command { line: line.into() });
        reading.run(1.0);
        replies.push(reading.story.steps[0].mistakes.clone());
    }
    assert_eq!(replies, [vec![0], vec![1], vec![1], vec![0], Vec::new()]);
}

/// When the run has determined the answer to a question, the page no longer shows that the story waits for the outcome.
/// Shows: E-06
#[test]
fn story_does_not_wait_for_answered_question() {
    let spec = format!(
        "  steps:\n  - {{text: a, predict: {{ask: When?, options: [1s, 9s], until: {POD}, why: {{9s: wrong}}}}}}\n  \
         - {{text: b, when: {{count: pods, equals: 2}}}}\n"
    );
    let mut reading = LessonReader::open(&spec);
    reading.answer(0, "1s");
    reading.send(Request::Play);
    assert_eq!(reading.waits_for(), "the outcome");
    reading.send(Request::Command {
        line: "kubectl run p --image=a".into(),
    });
    reading.run(1.0);
    assert_eq!(reading.waits_for(), "a change among the pods");
}

/// A field that the user picks while recording a lesson becomes a goal of the current step.
/// Shows: E-10
#[test]
fn picked_field_becomes_goal_of_step() {
    let mut reading = LessonReader::open("  seed: 1\n");
    reading.send(Request::Command {
        line: "kubectl cordon a-1".into(),
    });
    let node = SubjectRef::Node { name: "a-1".into() };
    let mut goals: Vec<String> = Vec::new();
    for line in 1..200 {
        let subject = node.clone();
        for update in reading
            .host
            .handle(Request::RecordGoal { subject, line }, reading.clock)
        {
            if let Update::Recorded { goals: now } = update {
                goals = now.iter().map(ToString::to_string).collect();
            }
        }
    }
    let cordoned = goals.iter().position(|goal| goal == "Node a-1 is cordoned");
    let ready = goals.iter().any(|goal| goal == "Node a-1 is ready");
    assert!(ready, "conditions are identified by their type: {goals:#?}");
    let cordoned = cordoned.unwrap_or_else(|| panic!("{goals:#?}"));
    for index in (0..goals.len()).rev().filter(|index| *index != cordoned) {
        reading.host.handle(Request::ForgetGoal { index }, reading.clock);
    }
    let updates = reading.host.handle(
        Request::Export {
            what: ExportKind::Lesson,
            anonymise: false,
        },
        reading.clock,
    );
    let text = updates.iter().find_map(|update| match update {
        Update::File { text, .. } => Some(text.clone()),
        _ => None,
    });
    let loaded = scenario::load(&[("lesson.yaml".to_owned(), text.expect("a file"))]).expect("a lesson");
    let steps = &loaded.scenario.steps;
    assert_eq!(steps[0].goals.len(), 1);
    assert!(steps[0].hints[0].contains("kubectl cordon a-1"));
    assert_eq!(
        steps[1]
            .when
            .as_ref()
            .map(|when| when.description.to_string())
            .as_deref(),
        Some("Node a-1 is cordoned")
    );
    let play_lesson = play::play(loaded, Attempt::Solution, None).expect("the lesson can be played");
    assert!(play_lesson.is_finished(), "{}", play_lesson.report());
}
