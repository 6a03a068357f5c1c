//! What may be written at a place of a manifest or scenario: the fields that `kubectl explain` lists there, or the
//! values that a field takes; found by indentation, because a text that is being written is seldom whole.

use podscope_api::{Kind, field_values, fields};
use podscope_kubectl::explained;
use podscope_protocol::Completion;

use super::scenario_fields;
use crate::scenario::unfolded;

/// A line of a text, as far as it says where it belongs.
struct Line<'a> {
    /// Column of its key, and of the dash before it.
    key_at: usize,
    dash_at: Option<usize>,
    key: &'a str,
    value: &'a str,
}

/// What follows a list's dash.
fn after_dash(text: &str) -> Option<&str> {
    let inner = text.strip_prefix("- ").or((text == "-").then_some(""));
    inner.map(str::trim_start)
}

fn line(text: &str) -> Option<Line<'_>> {
    let rest = text.trim_start();
    if rest.starts_with('#') {
        return None;
    }
    // Of several dashes the last counts: a list of lists is of scenarios only.
    let (mut body, mut dash_at) = (rest, None);
    while let Some(inner) = after_dash(body) {
        dash_at = Some(text.len() - body.len());
        body = inner;
    }
    let key_at = text.len() - body.len();
    let (key, value) = body.split_once(':').unwrap_or((body, ""));
    Some(Line {
        key_at: dash_at.filter(|_| body.is_empty()).map_or(key_at, |dash| dash + 2),
        dash_at,
        key: key.trim().trim_matches(['"', '\'']),
        value: value.trim(),
    })
}

/// Where a manifest's fields stand: lines before and after the cursor's, and the column of its keys.
struct Manifest<'a> {
    before: &'a [&'a str],
    after: &'a [&'a str],
    key_at: usize,
    /// It is a text of its own, or the kind of text in a scenario that a manifest is written in.
    may_begin: bool,
}

/// What a document is.
#[derive(Clone, Copy)]
enum Of {
    Object(Kind),
    Scenario,
}

impl Of {
    /// The fields of what stands at a path.
    fn fields(self, path: &[String]) -> Vec<Completion> {
        let Of::Object(kind) = self else {
            return scenario_fields::fields(path)
                .map(|row| choice(row.name, row.of, Some(row.words)))
                .collect();
        };
        let found = fields(kind, path).unwrap_or_default();
        let wanted = |name: &str| !(path.is_empty() && name == "status");
        let full = |name: &str| path.iter().cloned().chain([name.to_owned()]).collect::<Vec<_>>();
        (found.iter())
            .filter(|field| wanted(&field.name))
            .map(|field| choice(&field.name, &field.of, explained(kind, &full(&field.name))))
            .collect()
    }

    /// The values that what stands at a path takes.
    fn values(self, path: &[String]) -> Vec<Completion> {
        let values = match self {
            Of::Object(kind) => field_values(kind, path).to_vec(),
            Of::Scenario => scenario_fields::values(path),
        };
        values.into_iter().map(|value| choice(value, "", None)).collect()
    }
}

impl Manifest<'_> {
    /// What it is: the lines of its own level say it.
    fn of(&self) -> Option<Of> {
        fn own<'a>(text: &&'a str) -> Option<Line<'a>> {
            line(text).filter(|_| !text.trim().is_empty())
        }
        let above = self.before.iter().filter_map(own);
        // What stands further out after the cursor, or begins with a dash, is another's.
        let level = self.key_at;
        let is_own = |line: &Line<'_>| line.key_at > level || line.key_at == level && line.dash_at.is_none();
        let below = self.after.iter().filter_map(own).take_while(is_own);
        let (mut kind, mut version) = ("", "");
        for line in above.chain(below).filter(|line| line.key_at == self.key_at) {
            match line.key {
                "kind" => kind = line.value,
                "apiVersion" => version = line.value,
                _ => {}
            }
        }
        if kind == "Scenario" {
            return Some(Of::Scenario);
        }
        Kind::from_wire(version, kind)
            .or_else(|| Kind::named(kind))
            .map(Of::Object)
    }
}

/// What fits at the end of `before`, whose last line has been begun; `after` is the text from there on. None where
/// anything may be written, or in what is no manifest.
pub(super) fn at(before: &str, after: &str) -> Vec<Completion> {
    let is_end = |line: &&str| line.trim_end() == "---";
    // The cursor's document alone.
    let own = before.split_inclusive('\n').rev().take_while(|line| !is_end(line));
    let own: usize = own.map(str::len).sum();
    let before = before.get(before.len() - own..).unwrap_or_default();
    let own = after.split_inclusive('\n').take_while(|line| !is_end(line));
    let after = after.get(..own.map(str::len).sum()).unwrap_or_default();
    match unfolded(before, after) {
        Some((before, after)) => in_block_style(&before, &after),
        None => in_block_style(before, after),
    }
}

/// [`at`] in a document without flow style around the cursor.
fn in_block_style(before: &str, after: &str) -> Vec<Completion> {
    let mut above: Vec<&str> = before.split('\n').collect();
    let Some(begun) = above.pop() else { return Vec::new() };
    let below: Vec<&str> = after.split('\n').skip(1).collect();
    let Some(here) = line(begun) else { return Vec::new() };
    let is_value = begun.contains(':');
    match here.key {
        "kind" if is_value => return kinds(),
        "apiVersion" if is_value => return versions(),
        _ => {}
    }
    let (manifest, mut path) = place(&here, &above, &below);
    let Some(of) = manifest.of() else {
        // Of something else Podscope reads, or of a kind that is not written yet: every manifest begins alike.
        let begins = [
            ("apiVersion", "string"),
            ("kind", "string"),
            ("metadata", "ObjectMeta"),
            ("spec", "Object"),
        ];
        let begins = begins.map(|(name, of)| choice(name, of, None));
        let is_begun = path.is_empty() && !is_value && manifest.may_begin;
        return if is_begun { begins.into() } else { Vec::new() };
    };
    if is_value {
        path.push(here.key.to_owned());
        return of.values(&path);
    }
    let found = of.fields(&path);
    // An element of a list of words has no fields.
    if found.is_empty() && here.dash_at.is_some() {
        of.values(&path)
    } else {
        found
    }
}

fn choice(name: &str, of: &str, words: Option<&str>) -> Completion {
    Completion {
        text: name.to_owned(),
        hint: [of, words.unwrap_or_default()].join(" ").trim().to_owned(),
    }
}

/// What a Scenario says it is.
const OWN_VERSION: &str = "podscope.dev/v1alpha1";

fn kinds() -> Vec<Completion> {
    let objects = Kind::ALL
        .iter()
        .map(|kind| choice(kind.name(), kind.api_version(), None));
    objects.chain([choice("Scenario", OWN_VERSION, None)]).collect()
}

fn versions() -> Vec<Completion> {
    let mut all: Vec<&str> = Kind::ALL
        .iter()
        .map(|kind| kind.api_version())
        .chain([OWN_VERSION])
        .collect();
    all.sort_unstable();
    all.dedup();
    all.into_iter().map(|version| choice(version, "", None)).collect()
}

/// The manifest around a line, and the keys above it inside.
fn place<'a>(here: &Line<'_>, above: &'a [&'a str], below: &'a [&'a str]) -> (Manifest<'a>, Vec<String>) {
    let mut path = Vec::new();
    // Keys further out than this are parents; a dash may stand below its key.
    let mut within = here.dash_at.map_or(here.key_at, |dash| dash + 1);
    let mut item = here.dash_at.map(|dash| (above.len(), dash));
    for (at, text) in above
        .iter()
        .enumerate()
        .rev()
        .filter(|(_, text)| !text.trim().is_empty())
    {
        let Some(line) = line(text) else { continue };
        let is_inside = line.dash_at.is_some_and(|dash| dash < within);
        if line.key_at < within && !is_inside {
            if line.value.starts_with(['|', '>']) {
                // A manifest inside a text, as scenarios have them.
                let lines = above.get(at + 1..).unwrap_or_default();
                let indent = |text: &&str| text.len() - text.trim_start().len();
                let key_at = lines
                    .iter()
                    .find(|text| !text.trim().is_empty())
                    .map_or(here.key_at, indent);
                let end = below
                    .iter()
                    .position(|text| !text.trim().is_empty() && indent(text) < key_at);
                let after = below.get(..end.unwrap_or(below.len())).unwrap_or_default();
                path.reverse();
                return (
                    Manifest {
                        before: lines,
                        after,
                        key_at,
                        may_begin: ["apply", "manifest"].contains(&line.key),
                    },
                    path,
                );
            }
            if line.key == "items"
                && line.key_at == 0
                && let Some((start, dash)) = item
            {
                // One of a List.
                path.reverse();
                let before = above.get(start..).unwrap_or_default();
                return (
                    Manifest {
                        before,
                        after: below,
                        key_at: dash + 2,
                        may_begin: true,
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
                // `- name: x` above a key that stands deeper.
                path.push(line.key.to_owned());
            }
            within = dash + 1;
            item = Some((at, dash));
        }
    }
    path.reverse();
    (
        Manifest {
            before: above,
            after: below,
            key_at: 0,
            may_begin: true,
        },
        path,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is offered at the `|` of a text, by name.
    fn offered(text: &str) -> Vec<String> {
        let (before, after) = text.split_once('¦').expect("a cursor");
        at(before, after).into_iter().map(|choice| choice.text).collect()
    }

    #[test]
    fn fields_are_those_that_kubectl_explain_lists_at_the_place() {
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
            // Flow style says the same.
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
            let found = offered(&text);
            assert!(found.iter().any(|name| name == has), "{has} in {found:?} at {text}");
            assert!(!found.iter().any(|name| name == has_not), "no {has_not} at {text}");
        }
    }

    #[test]
    fn a_value_is_offered_where_only_some_are_taken() {
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
                "partition crash poweroff slow second-manager",
            ),
            ("kind: Pod\nspec:\n  priority: ¦", ""),
            ("{kind: Pod, spec: {restartPolicy: ¦}}", "Always OnFailure Never"),
            (
                "kind: PersistentVolumeClaim\nspec: {accessModes: [ReadWriteOnce, ¦]}",
                "ReadWriteOnce ReadOnlyMany ReadWriteMany ReadWriteOncePod",
            ),
            // Prose is no manifest.
            ("kind: Scenario\nspec:\n  steps:\n  - text: |\n      ¦", ""),
        ] {
            assert_eq!(offered(text).join(" "), values, "{text}");
        }
        assert!(offered("kind: Scenario\nspec:\n  expect:\n  - always: ¦").len() > 5);
        assert!(offered("apiVersion: apps¦").contains(&"apps/v1".to_owned()));
        assert!(
            offered("apiVersion: v1\nkind: Po¦")
                .iter()
                .any(|kind| kind == "PodDisruptionBudget")
        );
        let told = at("kind: Pod\nspec:\n  ", "");
        let grace = told
            .iter()
            .find(|choice| choice.text == "terminationGracePeriodSeconds");
        assert!(
            grace.is_some_and(|choice| choice.hint.starts_with("integer ")),
            "{grace:?}"
        );
    }
}
