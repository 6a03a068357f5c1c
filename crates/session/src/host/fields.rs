//! What may be written at a place of a manifest: the fields that `kubectl explain` lists there, found by indentation,
//! because a text that is being written is seldom whole.

use podscope_api::{Kind, fields};
use podscope_kubectl::explained;
use podscope_protocol::Completion;

/// A line of a text, as far as it says where it belongs.
struct Line<'a> {
    /// Column of its key, and of the dash before it.
    key_at: usize,
    dash_at: Option<usize>,
    key: &'a str,
    value: &'a str,
}

fn line(text: &str) -> Option<Line<'_>> {
    let rest = text.trim_start();
    if rest.starts_with('#') {
        return None;
    }
    let indent = text.len() - rest.len();
    // Of several dashes the last counts: `- - name` is of no manifest.
    let dashed = rest.strip_prefix("- ").or((rest == "-").then_some(""));
    let body = dashed.map_or(rest, str::trim_start);
    let key_at = text.len() - body.len();
    let (key, value) = body.split_once(':').unwrap_or((body, ""));
    Some(Line {
        key_at: if dashed.is_some() && body.is_empty() {
            indent + 2
        } else {
            key_at
        },
        dash_at: dashed.map(|_| indent),
        key: key.trim().trim_matches(['"', '\'']),
        value: value.trim(),
    })
}

/// Where a manifest's fields stand: lines before and after the cursor's, and the column of its keys.
struct Manifest<'a> {
    before: &'a [&'a str],
    after: &'a [&'a str],
    key_at: usize,
}

impl Manifest<'_> {
    /// Its kind: the lines of its own level say it.
    fn kind(&self) -> Option<Kind> {
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
        Kind::from_wire(version, kind).or_else(|| Kind::named(kind))
    }
}

/// What fits at the end of `before`, whose last line has been begun; `after` is the text from there on. None where
/// no field is to be written, or in what is no manifest.
pub(super) fn at(before: &str, after: &str) -> Vec<Completion> {
    let is_end = |text: &&str| text.trim_end() == "---";
    let mut above: Vec<&str> = before.split('\n').collect();
    let Some(begun) = above.pop() else { return Vec::new() };
    let first = above.iter().rposition(is_end).map_or(0, |end| end + 1);
    let above = above.get(first..).unwrap_or_default();
    let below: Vec<&str> = after.split('\n').skip(1).take_while(|text| !is_end(text)).collect();
    let Some(here) = line(begun) else { return Vec::new() };
    if here.key == "kind" && begun.contains(':') {
        return kinds();
    }
    if begun.contains(':') {
        return Vec::new();
    }
    let (manifest, path) = place(&here, above, &below);
    // Of something else Podscope reads, or of a kind that is not written yet: every manifest begins alike.
    let Some(kind) = manifest.kind() else {
        let begins = ["apiVersion", "kind", "metadata", "spec"].map(|text| choice(text, "", None));
        return if path.is_empty() { begins.into() } else { Vec::new() };
    };
    let found = fields(kind, &path).unwrap_or_default();
    let wanted = |name: &str| !(path.is_empty() && name == "status");
    let full = |name: &str| path.iter().cloned().chain([name.to_owned()]).collect::<Vec<_>>();
    found
        .iter()
        .filter(|field| wanted(&field.name))
        .map(|field| choice(&field.name, &field.of, explained(kind, &full(&field.name))))
        .collect()
}

fn choice(name: &str, of: &str, words: Option<&str>) -> Completion {
    Completion {
        text: name.to_owned(),
        hint: [of, words.unwrap_or_default()].join(" ").trim().to_owned(),
    }
}

fn kinds() -> Vec<Completion> {
    Kind::ALL
        .iter()
        .map(|kind| choice(kind.name(), kind.api_version(), None))
        .collect()
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
        ] {
            let found = offered(&text);
            assert!(found.iter().any(|name| name == has), "{has} in {found:?} at {text}");
            assert!(!found.iter().any(|name| name == has_not), "no {has_not} at {text}");
        }
    }

    #[test]
    fn a_value_is_left_to_the_person_but_a_kind_is_offered() {
        assert!(offered("kind: Pod\nspec:\n  priority: ¦").is_empty());
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
