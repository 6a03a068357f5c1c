//! Splits a stream into its documents. An interrupted recording ends in the middle of a document, which is no error.

use podscope_api::{SyntaxError, Tree};

#[derive(Debug, Default)]
pub(super) struct Documents<'t> {
    /// The complete documents, with their lines.
    pub(super) all: Vec<Tree<'t>>,
    /// Line of the last document if it is incomplete; it is not in `all`.
    pub(super) cut: Option<u32>,
    /// Line and message of a syntax error in a document that is not the last one.
    pub(super) broken: Option<(u32, String)>,
}

/// Reads a stream of JSON or YAML documents.
pub(super) fn read(text: &str) -> Documents<'_> {
    let (all, wrong) = podscope_api::read_documents(text);
    let mut documents = Documents {
        all,
        ..Documents::default()
    };
    let Some(wrong) = wrong else { return documents };
    let is_json = text.trim_start_matches('\u{feff}').trim_start().starts_with('{');
    let begins = |line: &str| {
        if is_json {
            line.starts_with('{')
        } else {
            line.starts_with("---")
        }
    };
    let after = documents.all.last().map_or(0, |last| last.line as usize);
    let mut starts = (text.lines().enumerate().skip(after)).filter(|(_, line)| begins(line));
    let line = starts.next().map_or(after + 1, |(index, _)| index + 1);
    let line = u32::try_from(line).unwrap_or(u32::MAX);
    if starts.next().is_none() && !documents.all.is_empty() {
        documents.cut = Some(line);
        return documents;
    }
    documents.broken = Some(match wrong {
        SyntaxError::Json(message) => (line, message),
        SyntaxError::Yaml(within, message) => (line.saturating_add(within), message),
    });
    documents
}
