//! Parses YAML text to a [`Tree`]. Plain scalars are resolved as in the API server's YAML library (YAML 1.1 booleans
//! and octals, VA-246 to VA-253).
//!
//! One document at a time. Aliases and merge keys are expanded up to a limit; duplicate keys are reported.

use crate::ordered;
use std::borrow::Cow;

use saphyr_parser::{Event, Parser, ScalarStyle, Span, StrInput};

use crate::json::{TextError, TextErrorKind};
use crate::limits;
use crate::tree::{Data, Entry, Tree};
use crate::yaml_loose::{Reindented, reindent};
use crate::yaml_scalar::{key_text, plain_scalar, resolve_scalar};

/// Splits a YAML text at `---` lines; returns each document with the number of lines before it.
pub(crate) fn split_documents(text: &str) -> Vec<(u32, &str)> {
    let mut found = Vec::new();
    if !may_have_document_markers(text.as_bytes()) {
        return vec![(0, text)];
    }
    let (mut start, mut start_line, mut only_prelude) = (0, 0_u32, true);
    let mut at = 0;
    for (line_number, line) in (0_u32..).zip(text.split_inclusive('\n')) {
        let marker = line
            .strip_prefix("---")
            .is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t', '\r', '\n']));
        if marker && !only_prelude {
            found.push((start_line, &text[start..at]));
            (start, start_line, only_prelude) = (at, line_number, true);
        }
        if only_prelude {
            let body = line.trim();
            only_prelude = body.is_empty() || body.starts_with('#') || line.starts_with('%');
        }
        at += line.len();
    }
    found.push((start_line, &text[start..]));
    found
}

/// Returns whether a line after the first may begin with `---`. This test is fast: it looks at every third byte only.
fn may_have_document_markers(bytes: &[u8]) -> bool {
    let mut at = 3;
    while let Some(byte) = bytes.get(at) {
        if *byte == b'-' && (at - 3..at).any(|start| bytes[start..].starts_with(b"\n---")) {
            return true;
        }
        at += 3;
    }
    false
}

/// The result of parsing a text: its documents and problems.
#[derive(Default)]
pub(crate) struct YamlText<'t> {
    pub(crate) documents: Vec<Tree<'t>>,
    pub(crate) problems: Vec<TextError>,
}

/// Parses all documents of a text that is preceded by `lines_before` lines.
pub(crate) fn read(text: &str, lines_before: u32) -> YamlText<'_> {
    let read = Reader::new(text, lines_before).parse_text();
    match read.reindented(text) {
        Some(reindented) => Reader::new_reindented(&reindented, lines_before)
            .parse_text()
            .into_owned(),
        None => read,
    }
}

/// Callback that receives each item of a top-level list `items`; these items are omitted from the returned tree.
pub(crate) type OnItem<'e, 't> = &'e mut dyn FnMut(Tree<'t>);

/// Like [`read`], but passes each item of a top-level list `items` to the callback as soon as it is parsed and omits it
/// from the result. The dump of a cluster is thus never completely in memory as a tree.
pub(crate) fn read_items<'t>(text: &'t str, lines_before: u32, each: OnItem<'_, 't>) -> YamlText<'t> {
    let mut n_passed = 0_usize;
    let mut counted = |item| {
        n_passed += 1;
        each(item);
    };
    let mut reader = Reader::new(text, lines_before);
    reader.each = Some(&mut counted);
    let read = reader.parse_text();
    let Some(reindented) = read.reindented(text) else {
        return read;
    };
    // The text is parsed again from its start; items that were passed to the callback before the error are not passed
    // again.
    let mut n_seen = 0_usize;
    let mut rest = |item: Tree<'_>| {
        n_seen += 1;
        if n_seen > n_passed {
            each(item.owned());
        }
    };
    let mut reader = Reader::new_reindented(&reindented, lines_before);
    reader.each = Some(&mut rest);
    reader.parse_text().into_owned()
}

/// Parses the first value of a text and ignores what follows.
pub(crate) fn read_first_value(text: &str, lines_before: u32) -> Option<Tree<'static>> {
    let first = |mut reader: Reader<'_, '_>| reader.parse_document().ok().flatten().map(|node| node.owned());
    first(Reader::new(text, lines_before))
        .or_else(|| reindent(text).and_then(|reindented| first(Reader::new_reindented(&reindented, lines_before))))
}

impl<'t> YamlText<'t> {
    /// If the parser refused the indentation of the text, returns the text with all lines inside brackets and quotes
    /// indented.
    fn reindented(&self, text: &'t str) -> Option<Reindented> {
        let of_indentation = |problem: &TextError| {
            problem.kind == TextErrorKind::Tab || problem.message.starts_with("invalid indentation")
        };
        self.problems.iter().any(of_indentation).then(|| reindent(text))?
    }

    fn into_owned(self) -> YamlText<'static> {
        YamlText {
            documents: self.documents.iter().map(Tree::owned).collect(),
            problems: self.problems,
        }
    }
}

struct Reader<'e, 't> {
    events: Parser<'t, StrInput<'t>>,
    each: Option<OnItem<'e, 't>>,
    lines_before: u32,
    /// Lines that were indented, with the number of added columns; used to report positions in the original text.
    shifts: &'e [(u32, u32)],
    anchors: ordered::Map<usize, Tree<'t>>,
    n_values: usize,
    n_alias_values: usize,
    problems: Vec<TextError>,
}

impl<'e, 't> Reader<'e, 't> {
    fn new_reindented(reindented: &'t Reindented, lines_before: u32) -> Self
    where
        't: 'e,
    {
        Self {
            shifts: &reindented.shifts,
            ..Self::new(&reindented.text, lines_before)
        }
    }

    fn new(text: &'t str, lines_before: u32) -> Self {
        Self {
            events: Parser::new_from_str(text),
            each: None,
            lines_before,
            shifts: &[],
            anchors: ordered::Map::new(),
            n_values: 0,
            n_alias_values: 0,
            problems: Vec::new(),
        }
    }

    fn line_and_column(&self, span: Span) -> (u32, u32) {
        let small = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let (line, column) = (small(span.start.line()), small(span.start.col()));
        let moved = self.shifts.binary_search_by_key(&line, |(line, _)| *line);
        let shift = moved.ok().and_then(|at| self.shifts.get(at)).map_or(0, |(_, by)| *by);
        (
            line.saturating_add(self.lines_before),
            column.saturating_sub(shift).saturating_add(1),
        )
    }

    fn error(&self, span: Span, message: impl Into<String>) -> TextError {
        self.error_of_kind(TextErrorKind::Syntax, span, message)
    }

    fn error_of_kind(&self, kind: TextErrorKind, span: Span, message: impl Into<String>) -> TextError {
        let (line, column) = self.line_and_column(span);
        TextError {
            line,
            column,
            message: message.into(),
            kind,
        }
    }

    fn next_event(&mut self) -> Result<(Event<'t>, Span), TextError> {
        match self.events.next() {
            Some(Ok(event)) => Ok(event),
            Some(Err(error)) => {
                let mark = *error.marker();
                let (kind, message) = reword_parser_error(error.info());
                Err(self.error_of_kind(kind, Span::empty(mark), message))
            }
            None => Ok((Event::StreamEnd, Span::default())),
        }
    }

    /// Parses all documents up to the first error.
    fn parse_text(mut self) -> YamlText<'t> {
        let mut documents = Vec::new();
        loop {
            match self.parse_document() {
                Ok(Some(node)) => documents.push(node),
                Ok(None) => break,
                Err(error) => {
                    self.problems.push(error);
                    break;
                }
            }
        }
        YamlText {
            documents,
            problems: self.problems,
        }
    }

    /// Parses the next document that is not empty.
    fn parse_document(&mut self) -> Result<Option<Tree<'t>>, TextError> {
        loop {
            let (event, span) = self.next_event()?;
            match event {
                Event::StreamEnd => return Ok(None),
                Event::StreamStart | Event::DocumentStart(_) | Event::DocumentEnd | Event::Nothing => {}
                event => {
                    self.anchors.clear();
                    self.n_alias_values = 0;
                    let node = self.parse_node(event, span, 0)?;
                    if node.data != Data::Null {
                        return Ok(Some(node));
                    }
                }
            }
        }
    }

    /// Counts parsed values. Returns an error if the text has too many.
    fn add_to_value_count(&mut self, count: usize, span: Span) -> Result<(), TextError> {
        self.n_values = self.n_values.saturating_add(count);
        if self.n_values > limits::VALUES {
            return Err(self.error(span, format!("more than {} values", limits::VALUES)));
        }
        Ok(())
    }

    /// Returns a copy of the value that an alias refers to; the number of copied values is limited.
    fn parse_alias(&mut self, anchor: usize, span: Span) -> Result<Tree<'t>, TextError> {
        let Some(node) = self.anchors.get(&anchor) else {
            return Err(self.error_of_kind(TextErrorKind::Recursion, span, "anchor value contains itself"));
        };
        let count = node.count_tree_values();
        self.n_alias_values = self.n_alias_values.saturating_add(count);
        if self.n_alias_values > limits::ALIAS_VALUES {
            return Err(self.error_of_kind(TextErrorKind::Meaning, span, "document contains excessive aliasing"));
        }
        let copy = node.clone();
        self.add_to_value_count(count, span)?;
        Ok(copy)
    }

    fn parse_node(&mut self, event: Event<'t>, span: Span, depth: usize) -> Result<Tree<'t>, TextError> {
        if depth > limits::NESTING_DEPTH {
            return Err(self.error(span, format!("nested deeper than {} levels", limits::NESTING_DEPTH)));
        }
        self.add_to_value_count(1, span)?;
        let (line, column) = self.line_and_column(span);
        let (data, anchor) = match event {
            Event::Alias(anchor) => return self.parse_alias(anchor, span),
            Event::Scalar(text, style, anchor, tag) => {
                let data = resolve_scalar(text, style, tag.as_deref())
                    .map_err(|message| self.error_of_kind(TextErrorKind::Meaning, span, message))?;
                (data, anchor)
            }
            Event::SequenceStart(anchor, _) => {
                let mut items = Vec::new();
                self.parse_items(depth, |item| items.push(item))?;
                (Data::Seq(items), anchor)
            }
            Event::MappingStart(anchor, _) => (self.parse_mapping(depth)?, anchor),
            _ => return Err(self.error(span, "did not find expected node content")),
        };
        let node = Tree { line, column, data };
        if anchor != 0 {
            let count = node.count_tree_values();
            self.add_to_value_count(count, span)?;
            self.anchors.insert(anchor, node.clone());
        }
        Ok(node)
    }

    /// Parses the items of a list that has begun.
    fn parse_items(&mut self, depth: usize, mut each: impl FnMut(Tree<'t>)) -> Result<(), TextError> {
        loop {
            match self.next_event()? {
                (Event::SequenceEnd, _) => return Ok(()),
                (event, span) => each(self.parse_node(event, span, depth + 1)?),
            }
        }
    }

    fn parse_mapping(&mut self, depth: usize) -> Result<Data<'t>, TextError> {
        let mut entries: Vec<Entry<'t>> = Vec::new();
        // The index of each key's entry in the map; used only for large maps.
        let mut index: ordered::Map<Cow<'t, str>, usize> = ordered::Map::new();
        let mut merged: Vec<bool> = Vec::new();
        loop {
            let (event, span) = self.next_event()?;
            let key = match event {
                Event::MappingEnd => return Ok(Data::Map(entries)),
                Event::Scalar(text, ScalarStyle::Plain, _, None) if text == "<<" => {
                    for entry in self.parse_merge_source(depth)? {
                        put_entry(&mut entries, &mut index, &mut merged, entry, true);
                    }
                    continue;
                }
                // Most keys are plain scalars without an anchor, which need no further parsing.
                Event::Scalar(text, style, 0, None) => {
                    let data = if style == ScalarStyle::Plain {
                        plain_scalar(text)
                    } else {
                        Data::String(text)
                    };
                    key_text(data).map_err(|message| self.error_of_kind(TextErrorKind::Key, span, message))?
                }
                event => {
                    let node = self.parse_node(event, span, depth + 1)?;
                    key_text(node.data).map_err(|message| self.error_of_kind(TextErrorKind::Key, span, message))?
                }
            };
            let (line, column) = self.line_and_column(span);
            let (event, value_span) = self.next_event()?;
            let streaming_callback = match (&event, depth, &*key) {
                (Event::SequenceStart(0, _), 0, "items") => self.each.take(),
                _ => None,
            };
            let value = match streaming_callback {
                Some(each) => self.parse_streamed_items(each, value_span)?,
                None => self.parse_node(event, value_span, depth + 1)?,
            };
            let entry = Entry {
                key,
                line,
                column,
                value,
            };
            if let Some(key) = put_entry(&mut entries, &mut index, &mut merged, entry, false)
                && self.problems.len() < limits::LISTED_PROBLEMS
            {
                let message = format!("key {key:?} already set in map");
                let problem = self.error_of_kind(TextErrorKind::Duplicate, span, message);
                self.problems.push(problem);
            }
        }
    }

    /// Parses the list `items` of a document and passes each item to the callback.
    fn parse_streamed_items(&mut self, each: OnItem<'_, 't>, span: Span) -> Result<Tree<'t>, TextError> {
        let (line, column) = self.line_and_column(span);
        self.parse_items(1, each)?;
        Ok(Tree {
            line,
            column,
            data: Data::Seq(Vec::new()),
        })
    }

    /// Parses the value of a merge key (`<<: value`) and returns its entries; in a list, earlier maps take precedence.
    fn parse_merge_source(&mut self, depth: usize) -> Result<Vec<Entry<'t>>, TextError> {
        let (event, span) = self.next_event()?;
        let node = self.parse_node(event, span, depth + 1)?;
        let message = "map merge requires map or sequence of maps as the value";
        let wrong = self.error_of_kind(TextErrorKind::Meaning, span, message);
        let mut found = Vec::new();
        match node.data {
            Data::Map(entries) => found = entries,
            Data::Seq(items) => {
                for item in items.into_iter().rev() {
                    match item.data {
                        Data::Map(entries) => found.extend(entries),
                        _ => return Err(wrong),
                    }
                }
            }
            _ => return Err(wrong),
        }
        Ok(found)
    }
}

/// Adds an entry to a map. Returns the key if it is a duplicate; a merged entry may be overridden without being a
/// duplicate.
pub(crate) fn put_entry<'t>(
    entries: &mut Vec<Entry<'t>>,
    index: &mut ordered::Map<Cow<'t, str>, usize>,
    merged: &mut Vec<bool>,
    entry: Entry<'t>,
    by_merge: bool,
) -> Option<Cow<'t, str>> {
    const MIN_INDEXED_ENTRIES: usize = 24;
    let known = if entries.len() < MIN_INDEXED_ENTRIES {
        // Different keys of equal length usually differ in the last letter, so it is compared first.
        let key = entry.key.as_bytes();
        let is_same = |other: &Entry<'_>| other.key.as_bytes().last() == key.last() && *other.key == *entry.key;
        entries.iter().position(is_same)
    } else {
        if index.is_empty() {
            *index = entries
                .iter()
                .enumerate()
                .map(|(at, entry)| (entry.key.clone(), at))
                .collect();
        }
        index.get(&entry.key).copied()
    };
    match known {
        None => {
            if !index.is_empty() {
                index.insert(entry.key.clone(), entries.len());
            }
            entries.push(entry);
            // `merged` has entries only for maps with a merge key.
            if by_merge || !merged.is_empty() {
                merged.resize(entries.len() - 1, false);
                merged.push(by_merge);
            }
            None
        }
        Some(at) => {
            let was_merged = merged.get(at).copied().unwrap_or(false);
            if by_merge || was_merged {
                if let Some(flag) = merged.get_mut(at) {
                    *flag = by_merge;
                }
                if let Some(slot) = entries.get_mut(at) {
                    *slot = entry;
                }
                None
            } else {
                // The last value of a duplicate key is stored, for callers that tolerate duplicate keys.
                let key = entry.key.clone();
                if let Some(slot) = entries.get_mut(at) {
                    *slot = entry;
                }
                Some(key)
            }
        }
    }
}

/// Converts an error message of the YAML parser to the message of kubectl's parser; also returns the category of the
/// error.
fn reword_parser_error(message: &str) -> (TextErrorKind, String) {
    if message.contains("tab") && !message.contains("table") {
        let words = "found a tab character that violates indentation";
        (TextErrorKind::Tab, words.into())
    } else if message == "recursion limit exceeded" {
        (
            TextErrorKind::Syntax,
            format!("nested deeper than {} levels", limits::NESTING_DEPTH),
        )
    } else {
        (TextErrorKind::Syntax, message.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn yaml_text_is_split_at_document_markers() {
        let cut = |text| split_documents(text);
        assert_eq!(cut("a: 1\n---\nb: 2\n"), [(0, "a: 1\n"), (1, "---\nb: 2\n")]);
        assert_eq!(cut("# hi\n---\nb: 2\n---"), [(0, "# hi\n---\nb: 2\n"), (3, "---")]);
        assert_eq!(cut("%YAML 1.1\n---\nb: 2"), [(0, "%YAML 1.1\n---\nb: 2")]);
        assert_eq!(cut("a: |\n  ---\n---x: 2"), [(0, "a: |\n  ---\n---x: 2")]);
        for key in ["a", "-a", "a-b", "a--b"] {
            let text = format!("{key}: 1\n---\nb: 2");
            assert_eq!(split_documents(&text).len(), 2, "{text}");
        }
    }
}
