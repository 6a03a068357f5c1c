//! How much a scenario may say: what is longer is refused before anything reads or shows it.

use podscope_api::{Data, Tree};

/// Most zones.
pub const MAX_ZONES: usize = 1_000;
/// Most steps, and most entries of one list within a step.
pub const MAX_STEPS: usize = 1_000;
/// Longest title and longest text of a step, in bytes.
pub const MAX_TEXT: usize = 64 * 1024;
/// All texts of all steps together, aliases counted each time, in bytes. The longest built-in lesson has 20 KiB.
pub(super) const MAX_TEXTS: usize = 1024 * 1024;

/// What is too much: field path and message of each.
pub(super) fn too_much(tree: &Tree<'_>) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let Some(spec) = tree.get("spec") else { return found };
    if let Some(zones) = spec.get("cluster").and_then(|cluster| cluster.get("zones")) {
        list("spec.cluster.zones", zones, MAX_ZONES, &mut found);
    }
    let mut total = 0;
    for key in ["title", "recap", "steps"] {
        if let Some(value) = spec.get(key) {
            texts(&format!("spec.{key}"), value, &mut total, &mut found);
        }
    }
    if total > MAX_TEXTS {
        found.push((
            "spec.steps".to_owned(),
            format!("Too long: all texts together may not be more than {MAX_TEXTS} bytes"),
        ));
    }
    found
}

fn list(path: &str, tree: &Tree<'_>, most: usize, found: &mut Vec<(String, String)>) {
    if let Data::Seq(items) = &tree.data
        && items.len() > most
    {
        found.push((
            path.to_owned(),
            format!("Too many: {}: must have at most {most} items", items.len()),
        ));
    }
}

/// Lists and texts of a step. A manifest that a step opens may be as long as any.
fn texts(path: &str, tree: &Tree<'_>, total: &mut usize, found: &mut Vec<(String, String)>) {
    if let Data::String(text) = &tree.data {
        *total += text.len();
    }
    match &tree.data {
        Data::String(text) if text.len() > MAX_TEXT => {
            found.push((
                path.to_owned(),
                format!("Too long: may not be more than {MAX_TEXT} bytes"),
            ));
        }
        Data::Seq(items) => {
            list(path, tree, MAX_STEPS, found);
            for (at, item) in items.iter().take(MAX_STEPS).enumerate() {
                texts(&format!("{path}[{at}]"), item, total, found);
            }
        }
        Data::Map(entries) => {
            for entry in entries.iter().filter(|entry| entry.key != "manifest") {
                texts(&format!("{path}.{}", entry.key), &entry.value, total, found);
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
    fn what_a_scenario_says_is_bounded() {
        let long = "x".repeat(super::MAX_TEXT + 1);
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
            assert!(problems[0].message.contains(message), "{}", problems[0]);
        }
    }
}
