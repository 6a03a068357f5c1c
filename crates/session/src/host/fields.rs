//! Completion in the editor: offers the fields that `kubectl explain` lists at the cursor's position in a manifest or
//! scenario, or the values that a field accepts. The path of the field is derived from indentation, because a text that
//! is being edited is seldom valid YAML.

use podscope_api::{Kind, field_values, fields};
use podscope_kubectl::field_description;
use podscope_protocol::Completion;

use super::scenario_fields;
use crate::scenario::flow_to_block;

/// A line of YAML: the columns of its dash and key, and its key and value.
struct YamlLine<'a> {
    /// Column at which the line's key begins.
    key_at: usize,
    dash_at: Option<usize>,
    key: &'a str,
    value: &'a str,
}

/// Returns the text behind the dash of a YAML list item. None if there is no dash.
fn text_after_dash(text: &str) -> Option<&str> {
    let inner = text.strip_prefix("- ").or((text == "-").then_some(""));
    inner.map(str::trim_start)
}

fn parse_line(text: &str) -> Option<YamlLine<'_>> {
    let rest = text.trim_start();
    if rest.starts_with('#') {
        return None;
    }
    // In a list of lists, a line can have several dashes: `dash_at` is the column of the last one.
    let (mut body, mut dash_at) = (rest, None);
    while let Some(inner) = text_after_dash(body) {
        dash_at = Some(text.len() - body.len());
        body = inner;
    }
    let key_at = text.len() - body.len();
    let (key, value) = body.split_once(':').unwrap_or((body, ""));
    Some(YamlLine {
        key_at: dash_at.filter(|_| body.is_empty()).map_or(key_at, |dash| dash + 2),
        dash_at,
        key: key.trim().trim_matches(['"', '\'']),
        value: value.trim(),
    })
}

/// The manifest around the cursor: the lines before and after the cursor's line, and the column of the manifest's keys.
struct ManifestAtCursor<'a> {
    before: &'a [&'a str],
    after: &'a [&'a str],
    key_at: usize,
    /// Whether a manifest may start here: at the beginning of a document, or in a field of a scenario that contains
    /// manifests.
    may_start_manifest: bool,
}

/// The type of a document, which determines the fields that completion offers.
#[derive(Clone, Copy)]
enum DocumentType {
    Object(Kind),
    Scenario,
}

impl DocumentType {
    /// Returns completions for the fields at a path.
    fn fields(self, path: &[String]) -> Vec<Completion> {
        let DocumentType::Object(kind) = self else {
            return scenario_fields::fields(path)
                .map(|row| completion(row.name, row.type_name, Some(row.description)))
                .collect();
        };
        let found = fields(kind, path).unwrap_or_default();
        let wanted = |name: &str| !(path.is_empty() && name == "status");
        let full = |name: &str| path.iter().cloned().chain([name.to_owned()]).collect::<Vec<_>>();
        (found.iter())
            .filter(|field| wanted(&field.name))
            .map(|field| {
                completion(
                    &field.name,
                    &field.type_name,
                    field_description(kind, &full(&field.name)),
                )
            })
            .collect()
    }

    /// Returns completions for the values that the field at a path accepts.
    fn values(self, path: &[String]) -> Vec<Completion> {
        let values = match self {
            DocumentType::Object(kind) => field_values(kind, path).to_vec(),
            DocumentType::Scenario => scenario_fields::values(path),
        };
        values.into_iter().map(|value| completion(value, "", None)).collect()
    }
}

impl ManifestAtCursor<'_> {
    /// Determines the document type from the fields `kind` and `apiVersion` at the indentation of the manifest.
    fn document_type(&self) -> Option<DocumentType> {
        fn line_with_text<'a>(text: &&'a str) -> Option<YamlLine<'a>> {
            parse_line(text).filter(|_| !text.trim().is_empty())
        }
        let above = self.before.iter().filter_map(line_with_text);
        // Below the cursor, a line with less indentation or with a dash belongs to another manifest.
        let level = self.key_at;
        let is_own = |line: &YamlLine<'_>| line.key_at > level || line.key_at == level && line.dash_at.is_none();
        let below = self.after.iter().filter_map(line_with_text).take_while(is_own);
        let (mut kind, mut version) = ("", "");
        for line in above.chain(below).filter(|line| line.key_at == self.key_at) {
            match line.key {
                "kind" => kind = line.value,
                "apiVersion" => version = line.value,
                _ => {}
            }
        }
        if kind == "Scenario" {
            return Some(DocumentType::Scenario);
        }
        Kind::from_wire(version, kind)
            .or_else(|| Kind::named(kind))
            .map(DocumentType::Object)
    }
}

/// Returns completions at the cursor, which is between `before` and `after`; the last line of `before` is being typed.
/// Empty where any value is valid, and outside of manifests.
pub(super) fn completions_at_cursor(before: &str, after: &str) -> Vec<Completion> {
    let is_end = |line: &&str| line.trim_end() == "---";
    // Only the YAML document that contains the cursor is considered.
    let own_lines = before.split_inclusive('\n').rev().take_while(|line| !is_end(line));
    let own_length: usize = own_lines.map(str::len).sum();
    let before = before.get(before.len() - own_length..).unwrap_or_default();
    let own_lines = after.split_inclusive('\n').take_while(|line| !is_end(line));
    let after = after.get(..own_lines.map(str::len).sum()).unwrap_or_default();
    match flow_to_block(before, after) {
        Some((before, after)) => completions_in_block_style(&before, &after),
        None => completions_in_block_style(before, after),
    }
}

/// Returns completions at the cursor like [`completions_at_cursor`], for a document in block style.
fn completions_in_block_style(before: &str, after: &str) -> Vec<Completion> {
    let mut above: Vec<&str> = before.split('\n').collect();
    let Some(typed) = above.pop() else { return Vec::new() };
    let below: Vec<&str> = after.split('\n').skip(1).collect();
    let Some(cursor_line) = parse_line(typed) else {
        return Vec::new();
    };
    let is_value = typed.contains(':');
    match cursor_line.key {
        "kind" if is_value => return kind_completions(),
        "apiVersion" if is_value => return api_version_completions(),
        _ => {}
    }
    let (manifest, mut path) = manifest_at(&cursor_line, &above, &below);
    let Some(document_type) = manifest.document_type() else {
        // The document type is not known yet: offer the fields with which every manifest begins.
        let first_fields = [
            ("apiVersion", "string"),
            ("kind", "string"),
            ("metadata", "ObjectMeta"),
            ("spec", "Object"),
        ];
        let first_fields = first_fields.map(|(name, document_type)| completion(name, document_type, None));
        let offers_first_fields = path.is_empty() && !is_value && manifest.may_start_manifest;
        return if offers_first_fields {
            first_fields.into()
        } else {
            Vec::new()
        };
    };
    if is_value {
        path.push(cursor_line.key.to_owned());
        return document_type.values(&path);
    }
    let found = document_type.fields(&path);
    // For an item of a list of strings, offer the values that the list accepts.
    if found.is_empty() && cursor_line.dash_at.is_some() {
        document_type.values(&path)
    } else {
        found
    }
}

fn completion(name: &str, type_name: &str, description: Option<&str>) -> Completion {
    Completion {
        text: name.to_owned(),
        hint: [type_name, description.unwrap_or_default()].join(" ").trim().to_owned(),
    }
}

/// `apiVersion` of a Scenario.
const SCENARIO_API_VERSION: &str = "podscope.dev/v1alpha1";

fn kind_completions() -> Vec<Completion> {
    let objects = Kind::ALL
        .iter()
        .map(|kind| completion(kind.name(), kind.api_version(), None));
    objects
        .chain([completion("Scenario", SCENARIO_API_VERSION, None)])
        .collect()
}

fn api_version_completions() -> Vec<Completion> {
    let mut all: Vec<&str> = Kind::ALL
        .iter()
        .map(|kind| kind.api_version())
        .chain([SCENARIO_API_VERSION])
        .collect();
    all.sort_unstable();
    all.dedup();
    all.into_iter().map(|version| completion(version, "", None)).collect()
}

/// Returns the manifest that contains the cursor's line, and the path of YAML keys from the manifest to that line.
fn manifest_at<'a>(
    cursor_line: &YamlLine<'_>,
    above: &'a [&'a str],
    below: &'a [&'a str],
) -> (ManifestAtCursor<'a>, Vec<String>) {
    let mut path = Vec::new();
    // Keys with less indentation than `within` are parents. A dash may be in the column of its parent key.
    let mut within = cursor_line.dash_at.map_or(cursor_line.key_at, |dash| dash + 1);
    let mut item = cursor_line.dash_at.map(|dash| (above.len(), dash));
    for (at, text) in above
        .iter()
        .enumerate()
        .rev()
        .filter(|(_, text)| !text.trim().is_empty())
    {
        let Some(line) = parse_line(text) else { continue };
        let is_inside = line.dash_at.is_some_and(|dash| dash < within);
        if line.key_at < within && !is_inside {
            if line.value.starts_with(['|', '>']) {
                // The manifest is in a block scalar of a scenario.
                let lines = above.get(at + 1..).unwrap_or_default();
                let indent = |text: &&str| text.len() - text.trim_start().len();
                let key_at = lines
                    .iter()
                    .find(|text| !text.trim().is_empty())
                    .map_or(cursor_line.key_at, indent);
                let end = below
                    .iter()
                    .position(|text| !text.trim().is_empty() && indent(text) < key_at);
                let after = below.get(..end.unwrap_or(below.len())).unwrap_or_default();
                path.reverse();
                return (
                    ManifestAtCursor {
                        before: lines,
                        after,
                        key_at,
                        may_start_manifest: ["apply", "manifest"].contains(&line.key),
                    },
                    path,
                );
            }
            if line.key == "items"
                && line.key_at == 0
                && let Some((start, dash)) = item
            {
                // The manifest is an item of a List.
                path.reverse();
                let before = above.get(start..).unwrap_or_default();
                return (
                    ManifestAtCursor {
                        before,
                        after: below,
                        key_at: dash + 2,
                        may_start_manifest: true,
                    },
                    path,
                );
            }
            path.push(line.key.to_owned());
            within = line.key_at;
            item = None;
        }
        if let Some(dash) = line.dash_at.filter(|dash| *dash < within) {
            if line.key_at < within {
                // The line `- name: x` is the start of a list item whose next keys have more indentation than the dash.
                path.push(line.key.to_owned());
            }
            within = dash + 1;
            item = Some((at, dash));
        }
    }
    path.reverse();
    (
        ManifestAtCursor {
            before: above,
            after: below,
            key_at: 0,
            may_start_manifest: true,
        },
        path,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the names that completion offers at the position of `¦` in a text.
    fn offered_completions(text: &str) -> Vec<String> {
        let (before, after) = text.split_once('¦').expect("a cursor");
        completions_at_cursor(before, after)
            .into_iter()
            .map(|choice| choice.text)
            .collect()
    }

    #[test]
    fn completion_offers_fields_of_kubectl_explain() {
        let deployment =
            |rest: &str| format!("apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web}}\nspec:\n{rest}");
        let scenario = |rest: &str| format!("apiVersion: podscope.dev/v1alpha1\nkind: Scenario\nspec:\n{rest}");
        for (text, has, has_not) in [
            ("apiVersion: v1\nkind: Pod\n¦".to_owned(), "metadata", "status"),
            ("kind: Pod\nspec:\n  ¦\n".to_owned(), "tolerations", "replicas"),
            ("spec:\n  ¦\nkind: Pod\napiVersion: v1\n".to_owned(), "tolerations", "replicas"),
            (deployment("  re¦"), "replicas", "tolerations"),
            (deployment("  template:\n    spec:\n      containers:\n      - name: a\n        ¦"), "image", "containers"),
            (deployment("  template:\n    spec:\n      containers:\n      - ¦"), "image", "containers"),
            (deployment("  template:\n    spec:\n      containers:\n        - name: a\n          ports:\n          - containerPort: 80\n          res¦"), "resources", "protocol"),
            (deployment("  template:\n    spec:\n      containers:\n      - name: a\n        ports:\n        - containerPort: 80\n      ¦"), "tolerations", "image"),
            (deployment("  template:\n    spec:\n      topologySpreadConstraints:\n      - maxSkew: 1\n        ¦"), "minDomains", "image"),
            ("kind: Node\n---\nkind: Pod\nspec:\n  ¦\n---\nkind: Service\n".to_owned(), "tolerations", "taints"),
            ("apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Node\n  spec:\n    ¦\n- kind: Pod\n".to_owned(), "taints", "containers"),
            ("kind: Scenario\nspec:\n  timeline:\n  - at: 1s\n    apply: |\n      kind: Pod\n      spec:\n        ¦\n  - at: 2s\n".to_owned(), "tolerations", "timeline"),
            ("¦".to_owned(), "kind", "spec.x"),
            (scenario("  ¦"), "timeline", "ask"),
            (scenario("  cluster:\n    ¦"), "nodesPerZone", "timeline"),
            (scenario("  steps:\n  - text: |\n      Words.\n    predict:\n      ¦"), "ask", "goal"),
            (scenario("  steps:\n  - goal:\n    - object: Pod default/a\n      ¦\n  expect: []\n"), "equals", "goal"),
            (scenario("  bypasses:\n  - - at: 1s\n      ¦"), "run", "bypasses"),
            (scenario("  bypasses:\n  - - ¦"), "run", "bypasses"),
            (scenario("  timeline:\n  - at: 1s\n    apply: |\n      ¦"), "kind", "run"),
            // In flow style, the same completions are offered.
            ("{apiVersion: v1, kind: Pod, spec: {¦".to_owned(), "tolerations", "replicas"),
            ("{spec: {¦}, kind: Pod, apiVersion: v1}\n".to_owned(), "tolerations", "replicas"),
            (deployment("  template: {spec: {containers: [{name: a, ¦}]}}"), "image", "containers"),
            (deployment("  template:\n    spec: {containers: [{name: a, ports: [{containerPort: 80}], res¦"), "resources", "protocol"),
            ("{kind: Deployment, spec: {template: {spec: {topologySpreadConstraints: [{maxSkew: 1, ¦".to_owned(), "minDomains", "image"),
            ("{apiVersion: v1, kind: List, items: [{kind: Node, spec: {¦}}, {kind: Pod}]}".to_owned(), "taints", "containers"),
            ("{apiVersion: podscope.dev/v1alpha1, kind: Scenario, spec: {cluster: {¦".to_owned(), "nodesPerZone", "timeline"),
            (scenario("  timeline:\n  - {at: 1s, ¦}\n"), "run", "timeline"),
            (scenario("  timeline:\n  - at: 1s\n    apply: |\n      {kind: Pod, spec: {¦"), "tolerations", "timeline"),
            ("{¦".to_owned(), "kind", "spec.x"),
        ] {
            let found = offered_completions(&text);
            assert!(found.iter().any(|name| name == has), "{has} in {found:?} at {text}");
            assert!(!found.iter().any(|name| name == has_not), "no {has_not} at {text}");
        }
    }

    #[test]
    fn completion_offers_values_that_field_accepts() {
        for (text, values) in [
            ("kind: Pod\nspec:\n  restartPolicy: ¦", "Always OnFailure Never"),
            ("kind: Pod\nspec:\n  tolerations:\n  - operator: E¦", "Exists Equal"),
            (
                "kind: PersistentVolumeClaim\nspec:\n  accessModes:\n  - ¦",
                "ReadWriteOnce ReadOnlyMany ReadWriteMany ReadWriteOncePod",
            ),
            (
                "kind: Scenario\nspec:\n  components:\n    fencing:\n      mechanism: ¦",
                "power storage network",
            ),
            (
                "kind: Scenario\nspec:\n  search:\n    faults:\n    - ¦",
                "partition crash poweroff slow second-manager driver",
            ),
            ("kind: Pod\nspec:\n  priority: ¦", ""),
            ("{kind: Pod, spec: {restartPolicy: ¦}}", "Always OnFailure Never"),
            (
                "kind: PersistentVolumeClaim\nspec: {accessModes: [ReadWriteOnce, ¦]}",
                "ReadWriteOnce ReadOnlyMany ReadWriteMany ReadWriteOncePod",
            ),
            // Nothing is offered in prose.
            ("kind: Scenario\nspec:\n  steps:\n  - text: |\n      ¦", ""),
        ] {
            assert_eq!(offered_completions(text).join(" "), values, "{text}");
        }
        assert!(offered_completions("kind: Scenario\nspec:\n  expect:\n  - always: ¦").len() > 5);
        assert!(offered_completions("apiVersion: apps¦").contains(&"apps/v1".to_owned()));
        assert!(
            offered_completions("apiVersion: v1\nkind: Po¦")
                .iter()
                .any(|kind| kind == "PodDisruptionBudget")
        );
        let choices = completions_at_cursor("kind: Pod\nspec:\n  ", "");
        let grace = choices
            .iter()
            .find(|choice| choice.text == "terminationGracePeriodSeconds");
        assert!(
            grace.is_some_and(|choice| choice.hint.starts_with("integer ")),
            "{grace:?}"
        );
    }
}
