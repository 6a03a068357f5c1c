//! Recognises whether a text is a scenario, manifests, or something else. The text is parsed, so that block style, flow
//! style and JSON give the same result.

use podscope_api::{Data, Tree};
use podscope_protocol::TextKind;

use super::flow::flow_to_block;

/// Returns what sort of text a document is. None if it has neither `kind` nor `apiVersion`.
fn document_kind(document: &Tree<'_>) -> Option<TextKind> {
    let field = |name: &str| document.get(name).and_then(Tree::as_str).unwrap_or_default();
    let (version, kind) = (field("apiVersion"), field("kind"));
    if kind == "Scenario" && (version.is_empty() || version.starts_with("podscope.dev/")) {
        let steps = document.get("spec").and_then(|spec| spec.get("steps"));
        let has_steps = steps.is_some_and(|steps| matches!(&steps.data, Data::Seq(steps) if !steps.is_empty()));
        return Some(if has_steps {
            TextKind::Lesson
        } else {
            TextKind::Scenario
        });
    }
    (!version.is_empty() && !kind.is_empty()).then_some(TextKind::Manifests)
}

/// Returns what sort of text this is. A text with a syntax error is still recognised as a scenario or a lesson if a
/// complete document before the error is one. Otherwise, if the text begins like a manifest, it is
/// [`TextKind::Broken`].
#[must_use]
pub fn recognise(text: &str) -> TextKind {
    let (found, is_whole) = greatest_kind_and_validity(text);
    match found {
        Some(kind) if is_whole || kind >= TextKind::Scenario => kind,
        Some(_) => TextKind::Broken,
        None if is_whole => TextKind::Other,
        // The text may end within open brackets, because it is being typed. It is then examined up to its end.
        None => flow_to_block(text.trim_end(), "")
            .and_then(|(block, _)| greatest_kind_and_validity(&block).0)
            .or(begins_like_manifest(text).then_some(TextKind::Broken))
            .unwrap_or_default(),
    }
}

/// Returns the greatest `TextKind` among the documents of a text, and whether the text has no syntax error.
fn greatest_kind_and_validity(text: &str) -> (Option<TextKind>, bool) {
    let (documents, wrong) = podscope_api::read_documents(text);
    (documents.iter().filter_map(document_kind).max(), wrong.is_none())
}

/// Returns whether a text with a syntax error begins like a manifest.
fn begins_like_manifest(text: &str) -> bool {
    let first = text
        .lines()
        .find(|line| !line.trim().is_empty() && !line.starts_with(['#', '-']));
    let is_key = |line: &str| {
        ["apiVersion:", "kind:", "metadata:"]
            .iter()
            .any(|key| line.starts_with(key))
    };
    first.is_some_and(|line| is_key(line) || line.trim_start().starts_with('{') && text.contains("apiVersion"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Output of `kubectl get -o yaml` and `-o json` is recognised in every style.
    /// Shows: U-07
    #[test]
    fn kind_of_text_is_recognised_by_its_content() {
        for (text, kind) in [
            ("apiVersion: v1\nkind: List\nitems: []\n", TextKind::Manifests),
            ("---\n# x\nkind: Pod\napiVersion: v1\n", TextKind::Manifests),
            (" {\n  \"apiVersion\": \"v1\", \"kind\": \"List\"}", TextKind::Manifests),
            ("{apiVersion: v1, kind: Pod, metadata: {name: a}}", TextKind::Manifests),
            (
                "{apiVersion: podscope.dev/v1alpha1, kind: Scenario, spec: {seed: 3}}",
                TextKind::Scenario,
            ),
            (
                "apiVersion: podscope.dev/v1alpha1\nkind: \"Scenario\" # mine\n",
                TextKind::Scenario,
            ),
            (
                "{apiVersion: v1, kind: Pod}\n---\n{kind: Scenario, apiVersion: podscope.dev/v1alpha1, spec: {steps: [{text: a}]}}",
                TextKind::Lesson,
            ),
            // The word Scenario occurs only in the text of a field.
            (
                "apiVersion: v1\nkind: ConfigMap\ndata:\n  a: |\n    kind: Scenario\n",
                TextKind::Manifests,
            ),
            ("kubectl apply -f - <<EOF\nkind: Pod\nEOF", TextKind::Other),
            ("what is apiVersion: v1?", TextKind::Other),
            ("kubectl get pods\nkubectl get nodes", TextKind::Other),
            ("{a: b}", TextKind::Other),
            ("apiVersion: v1\nkind: Pod\n  name: a\n", TextKind::Broken),
            ("{apiVersion: v1, kind: Pod, ", TextKind::Manifests),
            (
                "{apiVersion: podscope.dev/v1alpha1, kind: Scenario, spec: {ti",
                TextKind::Scenario,
            ),
            ("{apiVersion: v1, kind: \"Pod", TextKind::Broken),
            ("", TextKind::Other),
        ] {
            assert_eq!(recognise(text), kind, "{text}");
        }
    }
}
