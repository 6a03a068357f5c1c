//! Limits for the size of a scenario. A scenario that exceeds a limit is refused before it is decoded or shown.

use podscope_api::{Data, Tree};

/// Maximum number of zones of a scenario's cluster.
pub const MAX_ZONES: usize = 1_000;
/// Maximum number of steps of a scenario, and of items in each list of a step.
pub const MAX_STEPS: usize = 1_000;
/// Maximum length in bytes of a scenario's title, and of each text of a step.
pub const MAX_TEXT_BYTES: usize = 64 * 1024;
/// Maximum length in bytes of all texts of all steps together. The text behind a YAML alias counts each time that it is
/// used. The longest built-in lesson has 20 KiB.
pub(super) const MAX_TOTAL_TEXT_BYTES: usize = 1024 * 1024;

/// Returns the field path and an error message for each limit that the scenario exceeds.
pub(super) fn exceeded_limits(tree: &Tree<'_>) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let Some(spec) = tree.get("spec") else { return found };
    if let Some(zones) = spec.get("cluster").and_then(|cluster| cluster.get("zones")) {
        check_list_length("spec.cluster.zones", zones, MAX_ZONES, &mut found);
    }
    let mut total = 0;
    for key in ["title", "recap", "steps"] {
        if let Some(value) = spec.get(key) {
            check_text_lengths(&format!("spec.{key}"), value, &mut total, &mut found);
        }
    }
    if total > MAX_TOTAL_TEXT_BYTES {
        found.push((
            "spec.steps".to_owned(),
            format!("Too long: all texts together may not be more than {MAX_TOTAL_TEXT_BYTES} bytes"),
        ));
    }
    found
}

fn check_list_length(path: &str, tree: &Tree<'_>, max: usize, found: &mut Vec<(String, String)>) {
    if let Data::Seq(items) = &tree.data
        && items.len() > max
    {
        found.push((
            path.to_owned(),
            format!("Too many: {}: must have at most {max} items", items.len()),
        ));
    }
}

/// Checks the lengths of the lists and texts of a step. The length of a manifest is not limited here.
fn check_text_lengths(path: &str, tree: &Tree<'_>, total: &mut usize, found: &mut Vec<(String, String)>) {
    if let Data::String(text) = &tree.data {
        *total += text.len();
    }
    match &tree.data {
        Data::String(text) if text.len() > MAX_TEXT_BYTES => {
            found.push((
                path.to_owned(),
                format!("Too long: may not be more than {MAX_TEXT_BYTES} bytes"),
            ));
        }
        Data::Seq(items) => {
            check_list_length(path, tree, MAX_STEPS, found);
            for (index, item) in items.iter().take(MAX_STEPS).enumerate() {
                check_text_lengths(&format!("{path}[{index}]"), item, total, found);
            }
        }
        Data::Map(entries) => {
            for entry in entries.iter().filter(|entry| entry.key != "manifest") {
                check_text_lengths(&format!("{path}.{}", entry.key), &entry.value, total, found);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::super::load;

    /// Shows: Q-03
    #[test]
    fn oversized_scenario_parts_are_refused() {
        let long = "x".repeat(super::MAX_TEXT_BYTES + 1);
        let many = |text: &str| [text; 1_001].join(", ");
        for (spec, path, message) in [
            (format!("title: {long}"), "spec.title", "Too long"),
            (format!("steps: [{{text: {long}}}]"), "spec.steps[0].text", "Too long"),
            (format!("steps: [{}]", many("{text: a}")), "spec.steps", "Too many"),
            (
                format!(
                    "steps: [{{text: &t {}, hints: [{}]}}]",
                    "x".repeat(60_000),
                    ["*t"; 20].join(", ")
                ),
                "spec.steps",
                "all texts together",
            ),
            (
                format!("steps: [{{text: a, hints: [{}]}}]", many("b")),
                "spec.steps[0].hints",
                "Too many",
            ),
            (
                format!("cluster: {{zones: [{}]}}", many("a")),
                "spec.cluster.zones",
                "Too many",
            ),
            (
                "timeline: [{at: 2000000h, run: kubectl get pods}]".into(),
                "spec.timeline[0].at",
                "after the end of time",
            ),
            (
                "timeline: [{at: -1s, run: kubectl get pods}]".into(),
                "spec.timeline[0].at",
                "before the beginning",
            ),
            (
                "search: {horizon: 2000000h}".into(),
                "spec.search.horizon",
                "after the end of time",
            ),
            (
                "components: {controllerManager: {nodeMonitorPeriod: 0s}}".into(),
                "spec.components.controllerManager.nodeMonitorPeriod",
                "greater than or equal to 100ms",
            ),
        ] {
            let text =
                format!("apiVersion: podscope.dev/v1alpha1\nkind: Scenario\nmetadata: {{name: a}}\nspec: {{{spec}}}\n");
            let problems = load(&[("a.yaml".into(), text)]).expect_err(path);
            assert_eq!(problems[0].path, path, "{}", problems[0]);
            assert!(problems[0].message.english().contains(message), "{}", problems[0]);
        }
    }
}
