//! Randomly mutated or generated links, files, lessons, settings, commands, queries and annotations are answered within
//! their budget of work and never cause a panic. `cargo xtask fuzz` runs the same targets for an hour; these tests
//! run a fixed number of inputs.

use podscope_tests::fuzz::{Fuzzer, save_finding, target};

/// Runs the corpus and `executions` mutated inputs. A saved input runs again with `cargo xtask fuzz TARGET FILE`.
fn run_fuzz_target(name: &str, executions: usize) {
    let target = target(name).expect("a target of that name");
    let mut fuzzer = Fuzzer::new(target, 1);
    let corpus = fuzzer.corpus();
    assert!(corpus.len() > 3, "the corpus of {name} is missing");
    for text in &corpus {
        if let Err(failure) = fuzzer.run_input(text) {
            panic!(
                "{name} of the corpus: {failure:.300}: {}",
                save_finding(name, "broken", text)
            );
        }
    }
    let kinds_of_corpus = fuzzer.n_answer_kinds();
    for at in 0..executions {
        let text = fuzzer.next_input();
        if let Err(failure) = fuzzer.run_input(&text) {
            panic!(
                "{name}, text {at} of seed 1: {failure:.300}: {}",
                save_finding(name, "broken", &text)
            );
        }
    }
    // If no new kinds of answers occur, the fuzzer does not reach the code.
    assert!(
        fuzzer.n_answer_kinds() > kinds_of_corpus + executions / 50,
        "{name}: {} kinds of answers after {kinds_of_corpus}",
        fuzzer.n_answer_kinds()
    );
}

/// A changed link opens a session or is answered with an error; it causes no panic and stays within its budget of work.
/// Shows: Q-03
#[test]
fn mutated_links_are_opened_or_refused() {
    run_fuzz_target("links", 400);
}

/// A changed scenario or manifest file is opened or answered with a list of problems, without a panic.
/// Shows: Q-03
#[test]
fn mutated_files_are_opened_or_refused() {
    run_fuzz_target("yaml", 400);
}

/// A changed command line is executed or answered with an error, without a panic.
/// Shows: Q-03
#[test]
fn mutated_commands_are_run_or_refused() {
    run_fuzz_target("commands", 2000);
}

/// A changed annotation takes effect or is reported as invalid, without a panic.
/// Shows: Q-03
#[test]
fn mutated_annotations_are_applied_or_refused() {
    run_fuzz_target("annotations", 1000);
}

/// A lesson made of parts of several lessons opens or is answered with a list of problems, without a panic.
/// Shows: Q-03
#[test]
fn recombined_lessons_are_opened_or_refused() {
    run_fuzz_target("lessons", 300);
}

/// Shows: Q-03
#[test]
fn extreme_settings_are_refused_or_stay_in_budget() {
    run_fuzz_target("settings", 300);
}

/// Shows: Q-03
#[test]
fn generated_queries_are_answered_or_refused() {
    run_fuzz_target("queries", 6000);
}
