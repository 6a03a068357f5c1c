//! Comparison with recorded answers of a real control plane v1.36.3: `tests/conformance/live/README.md`.

use podscope_tests::live;

/// Shows: K-05
#[test]
fn answers_to_manifests_match_the_real_server() {
    live::check_against_known_differences("api", &live::compare_api_cases());
}

#[test]
fn stored_objects_match_the_real_server() {
    live::check_against_known_differences("defaults", &live::compare_defaults_cases());
}

/// The cases that are known to differ are listed in `tests/conformance/live/differing`.
/// Shows: K-05
#[test]
fn output_of_commands_matches_real_kubectl() {
    live::check_against_known_differences("kubectl", &live::compare_kubectl_cases());
}

#[test]
fn output_of_watches_matches_real_kubectl() {
    live::check_against_known_differences("watches", &live::compare_watch_cases());
}

/// Compares the Events of each recorded run (story), the answers of its commands, and the objects at its end.
/// Shows: C-15
#[test]
fn stories_match_the_real_cluster() {
    let stories = live::compare_stories();
    live::check_against_known_differences("events", &stories.events);
    live::check_against_known_differences("steps", &stories.steps);
    live::check_against_known_differences("objects", &stories.objects);
}
