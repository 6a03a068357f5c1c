//! Every lesson can be solved, is not solved by doing nothing, and not by its tempting wrong attempt
//! (E-01, E-02); its link with twenty actions stays short (T-03); its run is the golden one.

use podscope_session::author;
use podscope_session::lessons;
use podscope_session::play::{self, Attempt, Played};
use podscope_session::report;
use podscope_tests::golden;

/// A lesson played.
fn play(name: &str, attempt: Attempt) -> Played {
    let loaded = lessons::load(name).unwrap_or_else(|problems| panic!("{name}: {problems:?}"));
    play::play(loaded, attempt, None).unwrap_or_else(|problems| panic!("{name}: {problems:?}"))
}

/// The topics that E-01 names.
const TOPICS: &str = "first-pod scheduling-gates spread-by-zone two-constraints conflicting-constraints min-domains \
    match-label-keys inclusion-policies default-constraints spread-against-affinity scaling-down-unbalances empty-zone \
    priorities preemption-and-grace non-preempting pdb-best-effort anti-affinity-across-nodes graceful-termination \
    prestop-overrun init-containers sidecars startup-liveness-probes readiness-and-endpoints readiness-gates \
    crashloopbackoff rolling-update-bad-image drain-with-pdb node-pressure-soft node-pressure-hard partition-replicaset \
    partition-statefulset force-delete-split-brain out-of-service-taint node-deletion-returning-kubelet podgc \
    namespace-stuck etcd-quorum zone-outage attach-protocol-fencing corrupting-nfs";

/// The course's order, by need (E-08).
const GROUPS: [&str; 12] = [
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
    "Incidents",
];

/// Shows: E-06, E-09
#[test]
fn the_course_covers_every_topic_in_the_order_of_need() {
    let listed = lessons::list();
    for topic in TOPICS.split_whitespace() {
        assert!(listed.iter().any(|lesson| lesson.name == topic), "no lesson {topic}");
    }
    let mut groups: Vec<&str> = listed.iter().map(|lesson| lesson.group.as_str()).collect();
    groups.dedup();
    assert_eq!(groups, GROUPS, "groups stand together, in the order of need");
    let mut complaints = Vec::new();
    for (at, lesson) in listed.iter().enumerate() {
        let before = |name: &String| listed.iter().take(at).any(|earlier| earlier.name == *name);
        for need in lesson.needs.iter().filter(|need| !before(need)) {
            complaints.push(format!("{} needs {need}, which is not before it", lesson.name));
        }
        for (what, is_there) in [
            ("minutes", lesson.minutes > 0),
            ("a rule", !lesson.rule.is_empty()),
            ("a command for an own cluster", !lesson.own.is_empty()),
            ("a page of the documentation", !lesson.page.is_empty()),
            ("a variation", !lesson.variation.is_empty()),
        ] {
            if !is_there {
                complaints.push(format!("{} has not {what}", lesson.name));
            }
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    assert!(
        listed.iter().filter(|lesson| lesson.asks).count() >= 25,
        "E-06: at least 25 ask"
    );
}

/// Nobody is left with a sentence or two where something is new, and how containers behave is said in words.
/// Shows: E-10
#[test]
fn a_lesson_tells_enough() {
    let mut complaints = Vec::new();
    for name in lessons::names() {
        let loaded = lessons::load(name).unwrap_or_else(|problems| panic!("{name}: {problems:?}"));
        let told: String = loaded.scenario.steps.iter().map(|step| step.text.as_str()).collect();
        let words = told.split_whitespace().count();
        if words < 60 {
            complaints.push(format!("{name} tells {words} words"));
        }
        // The commands that no kubectl has are told of where they are needed.
        let hints: Vec<&String> = loaded.scenario.steps.iter().flat_map(|step| &step.hints).collect();
        for command in ["fault", "app member"] {
            let is_needed = hints.iter().any(|hint| hint.starts_with(&format!("{command} ")));
            if is_needed && !told.contains(&format!("[[{command}]]")) {
                complaints.push(format!("{name} needs `{command}`, and links no word of it"));
            }
        }
        let behaves = lessons::text(name).is_some_and(|text| text.contains("behavior.podscope.dev/"));
        if behaves && !told.contains("behavior.podscope.dev/") {
            complaints.push(format!("{name} uses a behaviour that it does not explain"));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// On any seed the run's answer is among the options, and each `why` belongs to one.
/// Shows: E-06
#[test]
fn the_runs_answer_is_among_the_options_on_seeds_1_to_20() {
    let mut complaints = Vec::new();
    for name in lessons::names() {
        let loaded = lessons::load(name).unwrap_or_else(|problems| panic!("{name}: {problems:?}"));
        if loaded.scenario.steps.iter().all(|step| step.predict.is_none()) {
            continue;
        }
        for seed in 1..=20 {
            let mut loaded = loaded.clone();
            loaded.setup.seed = seed;
            let played = play::play(loaded, Attempt::Solution, None).unwrap_or_else(|p| panic!("{name}: {p:?}"));
            let steps = &played.session.loaded().scenario.steps;
            for (shown, step) in played.session.progress().story().shown().iter().zip(steps) {
                let Some(ask) = step.predict.as_ref().filter(|ask| !ask.options.is_empty()) else {
                    continue;
                };
                let value = shown.truth.as_ref().map_or("never", |truth| truth.value.as_str());
                if ask.option_of(value).is_none() {
                    complaints.push(format!(
                        "{name}, seed {seed}: {} is {value}, none of {:?}",
                        ask.ask, ask.options
                    ));
                }
                let wrong = ask.options.iter().filter(|option| ask.option_of(value) != Some(option));
                for option in wrong.filter(|option| !ask.why.contains_key(*option) && !ask.why.contains_key("else")) {
                    complaints.push(format!("{name}: {}: nothing is said to {option}", ask.ask));
                }
            }
        }
    }
    complaints.dedup();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// What a lesson promises of its solution, of doing nothing, and of each attempt that looks like a
/// solution; each answer to a mistake is heard by who makes it.
/// Shows: E-01, E-07, E-10
#[test]
fn every_lesson_keeps_the_rules_of_its_authors() {
    let mut complaints = Vec::new();
    for name in lessons::names() {
        let loaded = lessons::load(name).unwrap_or_else(|problems| panic!("{name}: {problems:?}"));
        let found = author::complaints(&loaded).into_iter();
        complaints.extend(found.map(|complaint| format!("{name}: {complaint}")));
        let solved = play(name, Attempt::Solution);
        if solved.session.progress().bugs() > 0 {
            complaints.push(format!("{name}: {}", solved.report()));
        }
        golden(&format!("lessons/{name}.trace"), &report::trace(solved.session.trace()));
    }
    assert!(
        complaints.is_empty(),
        "{} complaints:\n{}",
        complaints.len(),
        complaints.join("\n")
    );
}

/// Attempts that nobody can answer: what they leave in the API is what was there before, and no command was refused.
const UNANSWERED: [(&str, usize); 4] = [
    // A patch of the status without its subresource is dropped.
    ("readiness-gates", 2),
    // A stop that runs hears of no other grace.
    ("shorten-a-grace", 1),
    // It only waits for what comes of nothing.
    ("node-deletion-returning-kubelet", 2),
    // A kubelet that restarts changes no object.
    ("incident-will-not-go", 2),
];

/// Who tries what tempts hears why it does not do: an answer, a promise that broke, or kubectl's refusal.
/// Shows: E-07
#[test]
fn each_attempt_that_tempts_is_answered() {
    let mut complaints = Vec::new();
    for name in lessons::names() {
        let loaded = lessons::load(name).unwrap_or_else(|problems| panic!("{name}: {problems:?}"));
        for number in 1..=play::bypasses(&loaded.scenario).len() {
            let played = play(name, Attempt::Bypass(number));
            let story = played.session.progress().story();
            let is_told = story
                .shown()
                .iter()
                .any(|shown| shown.mistakes.iter().any(Option::is_some));
            let is_refused = played.session.finished().iter().any(|(_, _, code)| *code != 0);
            let is_answered = is_told || is_refused || story.halt().is_some();
            if is_answered == UNANSWERED.contains(&(name, number)) {
                complaints.push(format!("{name}, bypass {number}: answered: {is_answered}"));
            }
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}
