//! The answers of a real control plane v1.36.3, asked again here: `tests/conformance/live/README.md`.

use podscope_tests::live;

/// Shows: K-05
#[test]
fn manifests_are_answered_as_the_real_server_answers_them() {
    live::hold("api", &live::api());
}

#[test]
fn objects_are_stored_as_the_real_server_stores_them() {
    live::hold("defaults", &live::defaults());
}

/// K-05, with the exceptions that are listed beside the corpora.
/// Shows: K-05
#[test]
fn commands_print_what_the_real_kubectl_prints() {
    live::hold("kubectl", &live::kubectl());
}

#[test]
fn watches_print_what_the_real_kubectl_prints() {
    live::hold("watches", &live::watches());
}

/// Events by their kinds, counts and series.
/// Shows: C-15
#[test]
fn stories_go_as_they_went_on_a_real_cluster() {
    let stories = live::stories();
    live::hold("events", &stories.events);
    live::hold("steps", &stories.steps);
    live::hold("objects", &stories.objects);
}
