//! Cases that cannot agree with a real cluster, each with a reason: `tests/conformance/live/excused.txt`.

use std::sync::LazyLock;

/// Pairs of a corpus and the name of a case in it.
static EXCUSED: LazyLock<Vec<(String, String)>> = LazyLock::new(|| {
    let text = std::fs::read_to_string(super::live_file("excused.txt")).expect("the list is there");
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

/// Returns the names of the excused cases of a corpus.
#[must_use]
pub fn excused_names(corpus: &str) -> Vec<&'static str> {
    EXCUSED
        .iter()
        .filter(|(case_corpus, _)| case_corpus == corpus)
        .map(|(_, name)| name.as_str())
        .collect()
}
