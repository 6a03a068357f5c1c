//! What a text is: the one place that tells a scenario from manifests, and both from anything else. It is read, not
//! searched: block style, flow style and JSON are the same to it.

use podscope_api::{Data, Tree};
use podscope_protocol::TextKind;

use super::flow::unfolded;

/// What a document is; none for what says neither kind nor version.
fn of_document(document: &Tree<'_>) -> Option<TextKind> {
    let word = |name: &str| document.get(name).and_then(Tree::as_str).unwrap_or_default();
    let (version, kind) = (word("apiVersion"), word("kind"));
    if kind == "Scenario" && (version.is_empty() || version.starts_with("podscope.dev/")) {
        let steps = document.get("spec").and_then(|spec| spec.get("steps"));
        let tells = steps.is_some_and(|steps| matches!(&steps.data, Data::Seq(steps) if !steps.is_empty()));
        return Some(if tells { TextKind::Lesson } else { TextKind::Scenario });
    }
    (!version.is_empty() && !kind.is_empty()).then_some(TextKind::Manifests)
}

/// What a text is. One that cannot be read to its end is what its documents before that are; what then remains is
/// [`TextKind::Broken`] if it begins as a manifest does: its reader is told the place.
#[must_use]
pub fn recognise(text: &str) -> TextKind {
    let (found, is_whole) = read(text);
    match found {
        Some(kind) if is_whole || kind >= TextKind::Scenario => kind,
        Some(_) => TextKind::Broken,
        None if is_whole => TextKind::Other,
        // Brackets that are still open: what they hold so far says enough.
        None => unfolded(text.trim_end(), "")
            .and_then(|(block, _)| read(&block).0)
            .or(begins_as_one(text).then_some(TextKind::Broken))
            .unwrap_or_default(),
    }
}

/// What the documents of a text are, and whether it could be read to its end.
fn read(text: &str) -> (Option<TextKind>, bool) {
    let (documents, wrong) = podscope_api::read_documents(text);
    (documents.iter().filter_map(of_document).max(), wrong.is_none())
}

/// Whether a text that cannot be read was meant as a manifest.
fn begins_as_one(text: &str) -> bool {
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

    /// What `kubectl get -o yaml` or `-o json` printed is told from other texts, in every style.
    /// Shows: U-07
    #[test]
    fn texts_are_told_by_what_they_say() {
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
            // It only speaks of one.
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
