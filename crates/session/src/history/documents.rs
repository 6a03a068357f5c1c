//! Splits a stream of JSON or YAML into its documents. A recording that was interrupted ends in the middle of a
//! document; this is not an error.

use podscope_api::{SyntaxError, Tree};

#[derive(Debug, Default)]
pub(super) struct DocumentStream<'t> {
    /// The complete documents, as trees with line numbers.
    pub(super) complete: Vec<Tree<'t>>,
    /// Line at which the last document begins if it is incomplete; that document is not in `complete`.
    pub(super) incomplete_line: Option<u32>,
    /// Line and message of a syntax error in a document that is not the last one.
    pub(super) syntax_error: Option<(u32, String)>,
}

/// Reads a stream of JSON or YAML documents.
pub(super) fn split_documents(text: &str) -> DocumentStream<'_> {
    let (complete, wrong) = podscope_api::read_documents(text);
    let mut documents = DocumentStream {
        complete,
        ..DocumentStream::default()
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
    let after = documents.complete.last().map_or(0, |last| last.line as usize);
    let mut starts = (text.lines().enumerate().skip(after)).filter(|(_, line)| begins(line));
    let line = starts.next().map_or(after + 1, |(index, _)| index + 1);
    let line = u32::try_from(line).unwrap_or(u32::MAX);
    if starts.next().is_none() && !documents.complete.is_empty() {
        documents.incomplete_line = Some(line);
        return documents;
    }
    documents.syntax_error = Some(match wrong {
        SyntaxError::Json(message) => (line, message),
        SyntaxError::Yaml(within, message) => (line.saturating_add(within), message),
    });
    documents
}
