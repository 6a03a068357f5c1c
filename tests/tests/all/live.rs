//! Comparison with recorded answers of a real control plane v1.36.3: `tests/conformance/live/README.md`.

use podscope_tests::live;

/// Shows: K-05
#[test]
fn answers_to_manifests_match_the_real_server() {
    live::check_against_known_differences("api", &live::api());
}

#[test]
fn stored_objects_match_the_real_server() {
    live::check_against_known_differences("defaults", &live::defaults());
}

/// The folder `differing` beside the corpora lists the known differences.
/// Shows: K-05
#[test]
fn output_of_commands_matches_real_kubectl() {
    live::check_against_known_differences("kubectl", &live::kubectl());
}

#[test]
fn output_of_watches_matches_real_kubectl() {
    live::check_against_known_differences("watches", &live::watches());
}

/// Compares a story's events by kind, count and series, the answers of its commands, and the objects at its end.
/// Shows: C-15
#[test]
fn stories_match_the_real_cluster() {
    let stories = live::stories();
    live::check_against_known_differences("events", &stories.events);
    live::check_against_known_differences("steps", &stories.steps);
    live::check_against_known_differences("objects", &stories.objects);
}
