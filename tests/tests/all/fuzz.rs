//! links, files, lessons, settings, commands, queries and annotations that were changed or made at random
//! give an answer within their budget of work, never a panic.
//! What `cargo xtask fuzz` throws for an hour, counted in texts here.

use podscope_tests::fuzz::{Fuzzer, keep, target};

/// Throws the corpus and `executions` changed texts; again one by one: `cargo xtask fuzz TARGET FILE`.
fn check(name: &str, executions: usize) {
    let target = target(name).expect("a target of that name");
    let mut fuzzer = Fuzzer::new(target, 1);
    let corpus = fuzzer.corpus();
    assert!(corpus.len() > 3, "the corpus of {name} is missing");
    for text in &corpus {
        if let Err(broken) = fuzzer.throw(text) {
            panic!("{name} of the corpus: {broken:.300}: {}", keep(name, "broken", text));
        }
    }
    let known = fuzzer.n_forms();
    for at in 0..executions {
        let text = fuzzer.next_input();
        if let Err(broken) = fuzzer.throw(&text) {
            panic!(
                "{name}, text {at} of seed 1: {broken:.300}: {}",
                keep(name, "broken", &text)
            );
        }
    }
    // A fuzzer that gets nowhere shows nothing.
    assert!(
        fuzzer.n_forms() > known + executions / 50,
        "{name}: {} forms after {known}",
        fuzzer.n_forms()
    );
}

/// Shows: Q-03
#[test]
fn changed_links_are_opened_or_refused() {
    check("links", 400);
}

/// Shows: Q-03
#[test]
fn changed_files_are_opened_or_refused() {
    check("yaml", 400);
}

/// Shows: Q-03
#[test]
fn changed_commands_are_run_or_refused() {
    check("commands", 2000);
}

/// Shows: Q-03
#[test]
fn changed_annotations_are_followed_or_refused() {
    check("annotations", 1000);
}

/// Shows: Q-03
#[test]
fn lessons_made_of_lessons_are_opened_or_refused() {
    check("lessons", 300);
}

/// Shows: Q-03
#[test]
fn settings_at_their_bounds_are_refused_or_cost_no_more_than_a_minute_may() {
    check("settings", 300);
}

/// Shows: Q-03
#[test]
fn made_queries_are_answered_or_refused() {
    check("queries", 6000);
}
