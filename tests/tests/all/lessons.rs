//! Each lesson is solved by its solution, but neither by doing nothing nor by its wrong attempts (E-01, E-02); the link
//! with twenty actions stays short (T-03); the trace equals the golden one.

use podscope_session::author;
use podscope_session::lessons;
use podscope_session::play::{self, Attempt, Played};
use podscope_session::report;
use podscope_tests::assert_golden;

/// Runs a lesson with these commands as its solution.
fn play_lesson(name: &str, attempt: Attempt) -> Played {
    let loaded = lessons::load(name).unwrap_or_else(|problems| panic!("{name}: {problems:?}"));
    play::play(loaded, attempt, None).unwrap_or_else(|problems| panic!("{name}: {problems:?}"))
}

/// The topics that E-01 demands.
const REQUIRED_TOPICS: &str = "first-pod scheduling-gates spread-by-zone two-constraints conflicting-constraints min-domains \
    match-label-keys inclusion-policies default-constraints spread-against-affinity scaling-down-unbalances empty-zone \
    priorities preemption-and-grace non-preempting pdb-best-effort anti-affinity-across-nodes graceful-termination \
    prestop-overrun init-containers sidecars startup-liveness-probes readiness-and-endpoints readiness-gates \
    crashloopbackoff rolling-update-bad-image drain-with-pdb node-pressure-soft node-pressure-hard partition-replicaset \
    partition-statefulset force-delete-split-brain out-of-service-taint node-deletion-returning-kubelet podgc \
    namespace-stuck etcd-quorum zone-outage attach-protocol-fencing corrupting-nfs";

/// The groups in the order of the course: each builds on earlier ones (E-08).
const COURSE_GROUPS: [&str; 14] = [
    "From Docker to Kubernetes",
    "First steps",
    "Life and death of a pod",
    "Controllers",
    "Requests",
    "Disruption",
    "Priority and preemption",
    "Spreading",
    "Pressure and shutdown",
    "Safety",
    "Storage",
    "Control plane",
    "Devices",
    "Incidents",
];

/// Shows: E-06, E-09
#[test]
fn course_covers_topics_after_their_prerequisites() {
    let listed = lessons::list();
    for topic in REQUIRED_TOPICS.split_whitespace() {
        assert!(listed.iter().any(|lesson| lesson.name == topic), "no lesson {topic}");
    }
    let mut groups: Vec<&str> = listed.iter().map(|lesson| lesson.group.as_str()).collect();
    groups.dedup();
    assert_eq!(
        groups, COURSE_GROUPS,
        "the lessons of a group must be adjacent, and the groups in this order"
    );
    let mut complaints = Vec::new();
    for (at, lesson) in listed.iter().enumerate() {
        let is_earlier = |name: &String| listed.iter().take(at).any(|earlier| earlier.name == *name);
        for need in lesson.needs.iter().filter(|need| !is_earlier(need)) {
            complaints.push(format!("{} needs {need}, which is not before it", lesson.name));
        }
        for (what, exists) in [
            ("minutes", lesson.minutes > 0),
            ("a rule", !lesson.rule.is_empty()),
            ("a command for an own cluster", !lesson.own.is_empty()),
            ("a page of the documentation", !lesson.page.is_empty()),
            ("a variation", !lesson.variation.is_empty()),
        ] {
            if !exists {
                complaints.push(format!("{} lacks {what}", lesson.name));
            }
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    assert!(
        listed.iter().filter(|lesson| lesson.asks).count() >= 25,
        "E-06: at least 25 ask"
    );
}

/// A lesson has at least 60 words, links the explanation of each command that real kubectl does not have, and mentions
/// the behaviour annotations that it uses.
/// Shows: E-10
#[test]
fn lesson_has_enough_words_links_and_explanations() {
    let mut complaints = Vec::new();
    for name in lessons::names() {
        let loaded = lessons::load(name).unwrap_or_else(|problems| panic!("{name}: {problems:?}"));
        let text: String = loaded.scenario.steps.iter().map(|step| step.text.as_str()).collect();
        let words = text.split_whitespace().count();
        if words < 60 {
            complaints.push(format!("{name} has only {words} words"));
        }
        // Commands that real kubectl does not have must be explained in the lessons that need them.
        let hints: Vec<&String> = loaded.scenario.steps.iter().flat_map(|step| &step.hints).collect();
        for command in ["fault", "app member"] {
            let is_needed = hints.iter().any(|hint| hint.starts_with(&format!("{command} ")));
            if is_needed && !text.contains(&format!("[[{command}]]")) {
                complaints.push(format!("{name} needs `{command}`, but does not link its explanation"));
            }
        }
        let has_behavior_annotation = lessons::text(name).is_some_and(|text| text.contains("behavior.podscope.dev/"));
        if has_behavior_annotation && !text.contains("behavior.podscope.dev/") {
            complaints.push(format!("{name} uses a behaviour that it does not explain"));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// With each seed, the correct answer is one of the options, and each wrong option has an explanation. `LESSON_SEEDS` is
/// the number of seeds for each lesson.
/// Shows: E-06
#[test]
fn correct_answer_is_an_option_on_each_seed() {
    let given = std::env::var("LESSON_SEEDS").ok();
    let n_seeds: u64 = given.and_then(|n| n.parse().ok()).unwrap_or(4);
    let mut complaints = Vec::new();
    for name in lessons::names() {
        let loaded = lessons::load(name).unwrap_or_else(|problems| panic!("{name}: {problems:?}"));
        if loaded.scenario.steps.iter().all(|step| step.predict.is_none()) {
            continue;
        }
        for seed in 1..=n_seeds {
            let mut loaded = loaded.clone();
            loaded.setup.seed = seed;
            let played = play::play(loaded, Attempt::Solution, None).unwrap_or_else(|p| panic!("{name}: {p:?}"));
            let steps = &played.session.loaded().scenario.steps;
            for (shown, step) in played.session.progress().story().shown().iter().zip(steps) {
                let Some(ask) = step.predict.as_ref().filter(|ask| !ask.options.is_empty()) else {
                    continue;
                };
                let value = shown.truth.as_ref().map_or("never", |truth| truth.value.as_str());
                if ask.option_for_value(value).is_none() {
                    complaints.push(format!(
                        "{name}, seed {seed}: {} is {value}, none of {:?}",
                        ask.ask, ask.options
                    ));
                }
                let wrong = ask
                    .options
                    .iter()
                    .filter(|option| ask.option_for_value(value) != Some(option));
                for option in wrong.filter(|option| !ask.why.contains_key(*option) && !ask.why.contains_key("else")) {
                    complaints.push(format!("{name}: {}: no explanation for {option}", ask.ask));
                }
            }
        }
    }
    complaints.dedup();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// The checks for authors of lessons succeed: the solution solves the lesson, doing nothing and the wrong attempts do
/// not, and each answer to a mistake is reached. The trace of the solution equals the golden trace.
/// Shows: E-01, E-07, E-10
#[test]
fn every_lesson_passes_the_checks_for_authors() {
    let mut complaints = Vec::new();
    for name in lessons::names() {
        let loaded = lessons::load(name).unwrap_or_else(|problems| panic!("{name}: {problems:?}"));
        let found = author::violated_lesson_rules(&loaded).into_iter();
        complaints.extend(found.map(|complaint| format!("{name}: {complaint}")));
        let solved = play_lesson(name, Attempt::Solution);
        if solved.session.progress().bug_count() > 0 {
            complaints.push(format!("{name}: {}", solved.report()));
        }
        assert_golden(&format!("lessons/{name}.trace"), &report::trace(solved.session.trace()));
    }
    assert!(
        complaints.is_empty(),
        "{} complaints:\n{}",
        complaints.len(),
        complaints.join("\n")
    );
}

/// Wrong attempts to which a lesson cannot respond, because they neither change an object nor fail: name of the lesson,
/// index of the attempt.
const UNANSWERED_ATTEMPTS: [(&str, usize); 4] = [
    // The server ignores a patch of the status that does not use the subresource.
    ("readiness-gates", 2),
    // A termination in progress ignores a new grace period.
    ("shorten-a-grace", 1),
    // This attempt runs no command that changes anything.
    ("node-deletion-returning-kubelet", 2),
    // Restarting a kubelet changes no API object.
    ("incident-will-not-go", 2),
];

/// Each wrong attempt gets a response: an answer to the mistake, a violated invariant or a refusal of kubectl.
/// Shows: E-07
#[test]
fn every_wrong_attempt_is_answered() {
    let mut complaints = Vec::new();
    for name in lessons::names() {
        let loaded = lessons::load(name).unwrap_or_else(|problems| panic!("{name}: {problems:?}"));
        for number in 1..=play::wrong_attempts(&loaded.scenario).len() {
            let played = play_lesson(name, Attempt::Bypass(number));
            let story = played.session.progress().story();
            let has_answer = story
                .shown()
                .iter()
                .any(|shown| shown.mistakes.iter().any(Option::is_some));
            let is_refused = played.session.finished_commands().iter().any(|(_, _, code)| *code != 0);
            let is_answered = has_answer || is_refused || story.halt().is_some();
            if is_answered == UNANSWERED_ATTEMPTS.contains(&(name, number)) {
                complaints.push(format!("{name}, bypass {number}: answered: {is_answered}"));
            }
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}
