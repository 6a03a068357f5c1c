//! The conditions `same`, `never` and `ready` of lessons, as promises (`keep`: the learner must not break them) and as
//! goals: which actions they detect, and where they are refused.

use podscope_session::play::{self, Attempt, Played};
use podscope_session::scenario;
use podscope_session::story::{Goal, UnmetCondition};

const WEB: &str = "  timeline:\n  - at: 1s\n    apply: |\n      {apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, \
    spec: {replicas: 2, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, \
    spec: {containers: [{name: c, image: \"web:1\"}]}}}}\n";

fn lesson_text(spec: &str) -> String {
    format!(
        "apiVersion: podscope.dev/v1alpha1\nkind: Scenario\nmetadata: {{name: x}}\nspec:\n  cluster: {{zones: [a], nodesPerZone: 1}}\n{spec}"
    )
}

/// Plays a lesson with one step, which is shown when two pods are ready and has this promise or goal. The solution runs
/// `command` at 20 s.
fn play_with_promise(promise: &str, command: &str) -> Played {
    // A lesson without a goal is finished when its last step is shown, and promises end when the lesson is finished. So
    // the lesson needs a goal.
    let goal = if promise.starts_with("goal") {
        ""
    } else {
        ", goal: {object: Pod other, exists: true}"
    };
    let spec = format!(
        "{WEB}  steps:\n  - {{text: a, when: {{ready: pods -l app=web, equals: 2}}, {promise}{goal}}}\n  \
         solution: [{{at: 20s, run: {command:?}}}, {{at: 60s, run: \"kubectl run other --image=o:1\"}}]\n"
    );
    let loaded = scenario::load(&[("x.yaml".to_owned(), lesson_text(&spec))]).unwrap_or_else(|all| panic!("{all:?}"));
    play::play(loaded, Attempt::Solution, None).unwrap_or_else(|all| panic!("{all:?}"))
}

/// Returns whether the promise is broken or the goal missed after `command` has run.
fn is_promise_broken(promise: &str, command: &str) -> bool {
    play_with_promise(promise, command)
        .session
        .progress()
        .story()
        .halt()
        .is_some()
}

/// Shows: E-07
#[test]
fn condition_same_fails_if_pod_is_replaced_relabelled_or_added() {
    let same = "keep: {same: pods -l app=web}";
    for command in [
        "kubectl delete pods -l app=web",
        "kubectl delete pods -l app=web --grace-period=0 --force",
        "kubectl rollout restart deployment/web",
        "kubectl label pods -l app=web app=other --overwrite",
        "kubectl scale deployment/web --replicas=3",
        "kubectl scale deployment/web --replicas=1",
    ] {
        assert!(is_promise_broken(same, command), "{command}");
    }
    for command in ["kubectl annotate deployment web note=x", "kubectl cordon a-1"] {
        assert!(!is_promise_broken(same, command), "{command}");
    }
}

/// Shows: E-07
#[test]
fn ready_does_not_count_terminating_pods() {
    let running = "keep: {count: pods -l app=web --field-selector=status.phase=Running, least: 2}";
    let ready = "keep: {ready: pods -l app=web, least: 2}";
    let delete = "kubectl delete pods -l app=web --wait=false";
    assert!(is_promise_broken(ready, delete));
    assert!(
        !is_promise_broken(ready, "kubectl rollout restart deployment/web"),
        "old pods go when new ones are ready"
    );
    assert!(is_promise_broken(running, "kubectl scale deployment/web --replicas=0"));
    assert!(is_promise_broken(ready, "kubectl scale deployment/web --replicas=0"));
}

/// Shows: E-07
#[test]
fn never_promise_fails_after_its_condition_held_once() {
    let never = "keep: {never: {object: Node a-1, path: .spec.unschedulable, equals: true}}";
    assert!(is_promise_broken(never, "kubectl cordon a-1"));
    assert!(!is_promise_broken(never, "kubectl label nodes a-1 x=y"));
    let mistake = "mistakes: [{when: [{never: {object: Pod other, exists: true}}, {object: Node a-1, path: .spec.unschedulable, equals: true}], say: too early}]";
    let made = play_with_promise(mistake, "kubectl cordon a-1");
    assert!(made.session.progress().story().shown()[0].mistakes[0].is_some());
}

/// As goals of a lesson, `same` and `never` are reached together with the last other goal, and missed when they no
/// longer hold.
/// Shows: E-07
#[test]
fn goal_with_condition_same_is_reached_with_last_other_goal() {
    let goals = "goal: [{object: Pod other, exists: true}, {same: pods -l app=web}]";
    let kept = play_with_promise(goals, "kubectl cordon a-1");
    let [Goal::Reached(other), Goal::Reached(same)] = kept.session.progress().story().shown()[0].goals[..] else {
        panic!("{}", kept.report());
    };
    assert_eq!(other, same);
    let missed = play_with_promise(goals, "kubectl delete pods -l app=web");
    let halt = missed.session.progress().story().halt().expect("the story halts");
    assert_eq!(halt.unmet_condition, UnmetCondition::Goal(1));
    assert!(!missed.is_finished());
}

/// A lesson file is refused if it contains a condition with `same`, `never` or `ready` that is invalid or in a wrong
/// place.
/// Shows: E-10
#[test]
fn same_never_and_ready_conditions_are_refused_if_invalid() {
    let problems = |spec: &str| match scenario::load(&[("x.yaml".to_owned(), lesson_text(spec))]) {
        Ok(_) => String::new(),
        Err(problems) => problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"),
    };
    for (spec, want) in [
        (
            "  expect: [{at: 5s, same: pods}]\n",
            "same and never compare with the start of a step: an expectation has none",
        ),
        (
            "  steps: [{text: a, when: {same: pods}}]\n",
            "x.yaml:6:21: spec.steps[0].when: same and never compare with the start of the step: only goal, keep and mistakes take them",
        ),
        (
            "  steps: [{text: a, keep: {same: pods, at: 5s}}]\n",
            "same and never take no at or by: they begin with the step",
        ),
        (
            "  steps: [{text: a, keep: {same: pods, equals: 3}}]\n",
            "same and never take no test",
        ),
        (
            "  steps: [{text: a, keep: {never: {count: pods}}}]\n",
            "keep.never.equals: Required value",
        ),
        (
            "  steps: [{text: a, keep: {never: {same: pods}}}]\n",
            "cannot contain same or never",
        ),
        (
            "  steps: [{text: a, keep: {never: {cuont: pods}}}]\n",
            "keep.never.cuont",
        ),
        (
            "  steps: [{text: a, keep: {ready: nodes, least: 1}}]\n",
            "only pods are counted",
        ),
        (
            "  steps: [{text: a, keep: {ready: pods, count: pods, least: 1}}]\n",
            "only one of object, count, ready, requests, same, never and always may be given",
        ),
    ] {
        let found = problems(spec);
        assert!(found.contains(want), "{spec}: {found}");
    }
}
