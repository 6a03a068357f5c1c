//! Cases that cannot agree, each with its reason: `tests/conformance/live/excused.txt`.

use std::sync::LazyLock;

/// Corpus and name.
static EXCUSED: LazyLock<Vec<(String, String)>> = LazyLock::new(|| {
    let text = std::fs::read_to_string(super::path("excused.txt")).expect("the list is there");
    let mut found = Vec::new();
    let mut has_reason = false;
    for line in text.lines() {
        if line.starts_with('#') {
            has_reason = true;
        } else if line.trim().is_empty() {
            has_reason = false;
        } else {
            assert!(has_reason, "{line:?} has no reason above it");
            let (corpus, name) = line.split_once(": ").expect("CORPUS: \"NAME\"");
            found.push((corpus.to_owned(), serde_json::from_str(name).expect("a JSON string")));
        }
    }
    found
});

/// Names of the cases of a corpus that are excused.
#[must_use]
pub fn excused(corpus: &str) -> Vec<&'static str> {
    EXCUSED
        .iter()
        .filter(|(of, _)| of == corpus)
        .map(|(_, name)| name.as_str())
        .collect()
}
