//! A fast line-by-line reader for the YAML that `kubectl get -o yaml` prints: block maps and lists, one-line scalars,
//! literal blocks.
//!
//! A dump of a large cluster has a hundred megabytes, and the full YAML parser takes ten times as long. Items in any
//! other form are passed to the full parser one by one. Invariant: this reader's result, including positions, equals
//! the full parser's; a test compares them.

use std::borrow::Cow;

use crate::limits;
use crate::ordered;
use crate::tree::{Data, Entry, Tree};
use crate::yaml::{self, YamlText, put_entry};
use crate::yaml_scalar::{key_text, plain_scalar};

/// An error: this reader does not support the form of the text.
#[derive(Debug)]
struct UnsupportedForm;

type BlockResult<T> = Result<T, UnsupportedForm>;

/// The text of one item of a list, beginning with its dash, and the number of lines before it.
pub(crate) type ItemText<'t> = (u32, &'t str);

/// Callback that receives the texts of a list's items, to be parsed with [`read_item`]; returns None if one cannot be
/// parsed.
type OnItems<'e, 't> = &'e mut dyn FnMut(&[ItemText<'t>]) -> Option<()>;

/// Reads a document that is a map with a list `items`; passes the items to the callback and omits them from the result.
/// Returns None if the text has another form; the caller must then discard the items it received.
pub(crate) fn read_items<'t>(text: &'t str, lines_before: u32, on_items: OnItems<'_, 't>) -> Option<YamlText<'t>> {
    let mut reader = BlockReader::new(text, lines_before);
    if text.starts_with("---\n") {
        reader.next_line();
    }
    reader.skip_to_content().ok()?;
    let document = reader.read_list_document(on_items).ok()?;
    let (before, after) = (&text[..reader.items.0], &text[reader.items.1..]);
    (is_printable_ascii(before) && is_printable_ascii(after)).then(|| YamlText {
        documents: vec![document],
        problems: Vec::new(),
    })
}

/// Returns whether the text is printable ASCII. Other characters may be line breaks, or may not be allowed in YAML.
fn is_printable_ascii(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b'\n' | b' '..=b'~'))
}

/// A reader whose position moves from the start of one value to the start of the next. Invariant: the part of the
/// current line before `at` is ASCII, so that columns are byte offsets.
struct BlockReader<'t> {
    text: &'t str,
    at: usize,
    line_start: usize,
    /// End of the current line, before its line break. It is cached, because it is needed several times per line.
    line_end: usize,
    /// Number of the current line, from 1.
    line: u32,
    n_values: usize,
    /// Byte range of the list `items` in the text.
    items: (usize, usize),
}

impl<'t> BlockReader<'t> {
    fn new(text: &'t str, lines_before: u32) -> Self {
        Self {
            text,
            at: 0,
            line_start: 0,
            line_end: end_of_line_at(text, 0),
            line: lines_before.saturating_add(1),
            n_values: 0,
            items: (0, 0),
        }
    }

    /// Returns the rest of the current line.
    fn rest_of_line(&self) -> &'t str {
        &self.text[self.at..self.line_end]
    }

    fn next_line(&mut self) {
        self.at = self.line_end;
        if self.at < self.text.len() {
            self.at += 1;
            self.line += 1;
        }
        self.line_start = self.at;
        self.line_end = end_of_line_at(self.text, self.at);
    }

    /// Returns the column of the current position, from 0; None at the end of the text.
    fn column(&self) -> Option<usize> {
        (self.at < self.text.len()).then(|| self.at - self.line_start)
    }

    /// Moves to the next line that is not empty.
    fn skip_to_content(&mut self) -> BlockResult<()> {
        loop {
            self.skip_spaces();
            let rest = &self.text.as_bytes()[self.at..];
            match rest {
                [] => return Ok(()),
                [b'\n', ..] => self.next_line(),
                [b'#' | b'%', ..] => return Err(UnsupportedForm),
                [b'-', b'-', b'-', ..] | [b'.', b'.', b'.', ..] if self.at == self.line_start => {
                    return Err(UnsupportedForm);
                }
                _ => return Ok(()),
            }
        }
    }

    fn skip_spaces(&mut self) {
        let rest = self.text.as_bytes()[self.at..].iter();
        self.at += rest.take_while(|byte| **byte == b' ').count();
    }

    fn line_and_column(&self) -> (u32, u32) {
        let column = u32::try_from(self.at - self.line_start).unwrap_or(u32::MAX);
        (self.line, column.saturating_add(1))
    }

    /// Returns whether a list item begins at the current position.
    fn is_at_list_item(&self) -> bool {
        let rest = &self.text.as_bytes()[self.at..];
        matches!(rest, [b'-'] | [b'-', b' ' | b'\n', ..])
    }

    /// Counts a value. Returns an error if the text has too many, or if this one is nested too deeply.
    fn check_limits_for_next_value(&mut self, depth: usize) -> BlockResult<()> {
        self.n_values += 1;
        let is_within = self.n_values <= limits::VALUES && depth <= limits::NESTING_DEPTH;
        is_within.then_some(()).ok_or(UnsupportedForm)
    }

    /// Reads the top-level map and passes the items of its list to the callback.
    fn read_list_document(&mut self, on_items: OnItems<'_, 't>) -> BlockResult<Tree<'t>> {
        if self.column() != Some(0) || self.is_at_list_item() {
            return Err(UnsupportedForm);
        }
        let (line, column) = self.line_and_column();
        let data = self.read_map(0, 0, &mut |reader, key| {
            if key != "items" || !reader.rest_of_line().trim_end_matches(' ').is_empty() {
                return Ok(None);
            }
            let (line, column, items) = reader.split_items()?;
            let Some(items) = items else { return Ok(None) };
            on_items(&items).ok_or(UnsupportedForm)?;
            Ok(Some(Tree {
                line,
                column,
                data: Data::Seq(Vec::new()),
            }))
        })?;
        Ok(Tree { line, column, data })
    }

    /// Splits the list below a top-level key into the text of its items, each with the number of lines before it. Also
    /// returns the position of the list. The reader moves to the line after the list.
    #[allow(clippy::type_complexity)]
    fn split_items(&mut self) -> BlockResult<(u32, u32, Option<Vec<ItemText<'t>>>)> {
        let before = (self.at, self.line_start, self.line_end, self.line);
        self.next_line();
        self.skip_to_content()?;
        if !self.is_at_list_item() {
            (self.at, self.line_start, self.line_end, self.line) = before;
            return Ok((0, 0, None));
        }
        let indent = self.at - self.line_start;
        let (line, column) = match indent {
            0 => self.line_and_column_after_dash()?,
            _ => self.line_and_column(),
        };
        let mut items = Vec::new();
        while self.column() == Some(indent) && self.is_at_list_item() {
            let (start, lines_before) = (self.line_start, self.line - 1);
            loop {
                self.next_line();
                self.skip_empty_lines();
                if self.column().is_none_or(|column| column <= indent) {
                    break;
                }
            }
            items.push((lines_before, &self.text[start..self.line_start]));
        }
        if let (Some(first), end) = (items.first(), self.line_start) {
            let start = end - items.iter().map(|(_, item)| item.len()).sum::<usize>();
            debug_assert!(self.text[start..].starts_with(first.1));
            self.items = (start, end);
        }
        // The text after the list is checked when it is read, not here.
        self.at = self.line_start;
        self.skip_to_content()?;
        Ok((line, column, Some(items)))
    }

    /// Skips empty lines. Unlike `skip_to_content`, accepts any following line, because it may be part of a literal
    /// block.
    fn skip_empty_lines(&mut self) {
        loop {
            self.skip_spaces();
            if self.text.as_bytes().get(self.at) != Some(&b'\n') {
                return;
            }
            self.next_line();
        }
    }

    /// Reads the value at the current position; `parent` is the column of the enclosing value.
    fn read_node(&mut self, parent: usize, depth: usize) -> BlockResult<Tree<'t>> {
        self.check_limits_for_next_value(depth)?;
        let at = self.column().ok_or(UnsupportedForm)?;
        if self.is_at_list_item() && at == parent && depth > 1 {
            return self.read_list_in_key_column(at, depth);
        }
        let (mut line, mut column) = self.line_and_column();
        let data = if self.is_at_list_item() {
            self.read_list(at, depth)?
        } else if self.is_at_map_key()? {
            self.read_map(at, depth, &mut |_, _| Ok(None))?
        } else {
            (line, column) = self.line_and_column_of_scalar();
            self.read_scalar(parent)?
        };
        Ok(Tree { line, column, data })
    }

    /// Reads a list whose dashes are in the same column as its key. As in the full parser, its position is the one
    /// after the first dash.
    fn read_list_in_key_column(&mut self, at: usize, depth: usize) -> BlockResult<Tree<'t>> {
        let (line, column) = self.line_and_column_after_dash()?;
        let data = self.read_list(at, depth)?;
        Ok(Tree { line, column, data })
    }

    fn line_and_column_after_dash(&self) -> BlockResult<(u32, u32)> {
        let (line, column) = self.line_and_column();
        let behind = &self.rest_of_line()[1..];
        let inner = behind.trim_start_matches(' ');
        let spaces = u32::try_from(behind.len() - inner.len()).map_err(|_| UnsupportedForm)?;
        let is_here = !inner.is_empty() && !inner.starts_with('#');
        is_here.then_some((line, column + 1 + spaces)).ok_or(UnsupportedForm)
    }

    /// Returns the position of a scalar; for a literal block, the position of its first line of text.
    fn line_and_column_of_scalar(&self) -> (u32, u32) {
        if !self.rest_of_line().starts_with('|') {
            return self.line_and_column();
        }
        let below = &self.text[self.line_end..];
        let spaces = below.bytes().skip(1).take_while(|byte| *byte == b' ').count();
        let column = u32::try_from(spaces).unwrap_or(u32::MAX).saturating_add(1);
        (self.line.saturating_add(1), column)
    }

    /// Reads the value on the lines after a key or dash at column `parent`, or null; the reader is at the end of that
    /// line.
    fn read_value_below(&mut self, parent: usize, depth: usize, may_be_list: bool) -> BlockResult<Tree<'t>> {
        let (line, column) = self.line_and_column();
        self.next_line();
        self.skip_to_content()?;
        match self.column() {
            Some(at) if at > parent || (may_be_list && at == parent && self.is_at_list_item()) => {
                self.read_node(parent, depth)
            }
            _ => {
                self.check_limits_for_next_value(depth)?;
                Ok(Tree {
                    line,
                    column,
                    data: Data::Null,
                })
            }
        }
    }

    fn read_list(&mut self, indent: usize, depth: usize) -> BlockResult<Data<'t>> {
        let mut items = Vec::new();
        loop {
            self.at += 1;
            let end = self.at;
            self.skip_spaces();
            items.push(if self.rest_of_line().is_empty() {
                self.at = end;
                self.read_value_below(indent, depth + 1, false)?
            } else {
                self.read_node(indent, depth + 1)?
            });
            match self.column() {
                Some(at) if at == indent && self.is_at_list_item() => {}
                Some(at) if at > indent => return Err(UnsupportedForm),
                _ => return Ok(Data::Seq(items)),
            }
        }
    }

    /// Reads a map. `special` is called for each key and may read the value of this key instead.
    fn read_map(
        &mut self,
        indent: usize,
        depth: usize,
        special: &mut dyn FnMut(&mut Self, &str) -> BlockResult<Option<Tree<'t>>>,
    ) -> BlockResult<Data<'t>> {
        let mut entries: Vec<Entry<'t>> = Vec::new();
        let (mut index, mut merged) = (ordered::Map::new(), Vec::new());
        loop {
            let (line, column) = self.line_and_column();
            let key = self.read_key()?.ok_or(UnsupportedForm)?;
            let end = self.at;
            self.skip_spaces();
            let value = match special(self, &key)? {
                Some(value) => value,
                None if self.rest_of_line().is_empty() => {
                    // For a null value, the full parser reports the position of the colon.
                    self.at = end - 1;
                    self.read_value_below(indent, depth + 1, true)?
                }
                None => {
                    self.check_limits_for_next_value(depth + 1)?;
                    let (line, column) = self.line_and_column_of_scalar();
                    let data = self.read_scalar(indent)?;
                    Tree { line, column, data }
                }
            };
            let entry = Entry {
                key,
                line,
                column,
                value,
            };
            if put_entry(&mut entries, &mut index, &mut merged, entry, false).is_some() {
                return Err(UnsupportedForm);
            }
            match self.column() {
                Some(at) if at == indent && !self.is_at_list_item() => {}
                Some(at) if at >= indent => return Err(UnsupportedForm),
                _ => return Ok(Data::Map(entries)),
            }
        }
    }

    /// Returns whether a map begins at the current position.
    fn is_at_map_key(&mut self) -> BlockResult<bool> {
        let before = self.at;
        let key = self.read_key()?;
        self.at = before;
        Ok(key.is_some())
    }

    /// Reads a key and its colon; returns None if there is no key at the current position.
    fn read_key(&mut self) -> BlockResult<Option<Cow<'t, str>>> {
        let rest = self.rest_of_line();
        let is_colon = |after: &str| matches!(after.as_bytes(), [b':'] | [b':', b' ', ..]);
        let (text, length, is_quoted) = match rest.as_bytes().first() {
            Some(b'"' | b'\'') => {
                let Ok((text, length)) = read_quoted_string(rest) else {
                    return Ok(None);
                };
                (text, length, true)
            }
            _ => {
                let Some(at) = colon_of_key(rest) else {
                    return Ok(None);
                };
                (Cow::Borrowed(&rest[..at]), at, false)
            }
        };
        if !is_colon(&rest[length..]) {
            return Ok(None);
        }
        // This reader does not support keys of 512 bytes and more; the full parser reads them.
        let is_printable_ascii =
            length > 0 && length < 512 && rest[..length].is_ascii() && (is_quoted || is_plain_scalar(&text));
        if !is_printable_ascii || text == "<<" || (!is_quoted && text.ends_with(' ')) {
            return Err(UnsupportedForm);
        }
        self.at += length + 1;
        let data = if is_quoted {
            Data::String(text)
        } else {
            plain_scalar(text)
        };
        key_text(data).map(Some).map_err(|_| UnsupportedForm)
    }

    /// Reads a one-line scalar or a literal block, and moves to the next value.
    fn read_scalar(&mut self, parent: usize) -> BlockResult<Data<'t>> {
        let rest = self.rest_of_line().trim_end_matches(' ');
        let data = match rest.as_bytes() {
            [b'"' | b'\'', ..] => {
                let (text, length) = read_quoted_string(rest)?;
                if length != rest.len() {
                    return Err(UnsupportedForm);
                }
                Data::String(text)
            }
            b"{}" => Data::Map(Vec::new()),
            b"[]" => Data::Seq(Vec::new()),
            b"|" | b"|-" => return self.read_literal(parent, rest.len() == 1).map(Data::String),
            _ if is_plain_scalar(rest) && colon_of_key(rest).is_none() => plain_scalar(Cow::Borrowed(rest)),
            _ => return Err(UnsupportedForm),
        };
        self.next_line();
        self.skip_to_content()?;
        // The scalar continues on the next line, which this reader does not support.
        if self.column().is_some_and(|at| at > parent) {
            return Err(UnsupportedForm);
        }
        Ok(data)
    }

    /// Reads the lines of a literal block: `|` ends with one line break, `|-` with none.
    fn read_literal(&mut self, parent: usize, has_break: bool) -> BlockResult<Cow<'t, str>> {
        self.next_line();
        self.skip_spaces();
        let indent = self.at - self.line_start;
        if indent <= parent || self.rest_of_line().is_empty() {
            return Err(UnsupportedForm);
        }
        let mut text = String::new();
        loop {
            self.at = self.line_start;
            let line = self.rest_of_line();
            let body = line.trim_start_matches(' ');
            let at = line.len() - body.len();
            match body.is_empty() {
                true if at > indent => return Err(UnsupportedForm),
                true => text.push('\n'),
                false if at < indent => break,
                false => {
                    text.push_str(&line[indent..]);
                    text.push('\n');
                }
            }
            let before = self.line_start;
            self.next_line();
            if self.line_start == before || self.at == self.text.len() {
                break;
            }
        }
        text.truncate(text.trim_end_matches('\n').len());
        if has_break {
            text.push('\n');
        }
        self.at = self.line_start.max(self.at);
        self.skip_to_content()?;
        if self.column().is_some_and(|at| at > parent) {
            return Err(UnsupportedForm);
        }
        Ok(text.into())
    }
}

/// Returns whether the text can be a plain scalar. The caller must check for a colon.
fn is_plain_scalar(text: &str) -> bool {
    let starts = match text.as_bytes() {
        [] => false,
        [b'-' | b'?' | b':', rest @ ..] => !matches!(rest, [] | [b' ', ..]),
        [first, ..] => !b",[]{}#&*!|>'\"%@` ".contains(first),
    };
    starts && !contains_byte_pair(text, *b" #")
}

/// Returns the position of the line break that ends the line of `at`, or the end of the text.
fn end_of_line_at(text: &str, at: usize) -> usize {
    let length = text.as_bytes()[at..].iter().position(|byte| *byte == b'\n');
    length.map_or(text.len(), |length| at + length)
}

/// Returns the position of the colon that ends a key: a colon before a space or at the end of the line.
fn colon_of_key(line: &str) -> Option<usize> {
    let bytes = line.as_bytes();
    let is_colon = |at: &usize| bytes[*at] == b':' && bytes.get(at + 1).is_none_or(|next| *next == b' ');
    (0..bytes.len()).find(is_colon)
}

/// Returns whether the text contains these two successive bytes. Lines are short, so a search with a preparation phase
/// would be slower.
fn contains_byte_pair(text: &str, pair: [u8; 2]) -> bool {
    text.as_bytes().windows(2).any(|window| window == pair)
}

/// Reads a quoted string that ends on this line; returns the string, and its length in the text including the quotes.
fn read_quoted_string(text: &str) -> BlockResult<(Cow<'_, str>, usize)> {
    let bytes = text.as_bytes();
    let quote = *bytes.first().ok_or(UnsupportedForm)?;
    let mut at = 1;
    let mut is_escaped = false;
    loop {
        match (bytes.get(at).ok_or(UnsupportedForm)?, bytes.get(at + 1)) {
            (b'\'', Some(b'\'')) if quote == b'\'' => (at, is_escaped) = (at + 2, true),
            (b'\\', Some(b'"' | b'\\' | b'n' | b't' | b'/')) if quote == b'"' => (at, is_escaped) = (at + 2, true),
            (b'\\', _) if quote == b'"' => return Err(UnsupportedForm),
            (byte, _) if *byte == quote => break,
            _ => at += 1,
        }
    }
    let inner = &text[1..at];
    let unquoted = match (is_escaped, quote) {
        (false, _) => Cow::Borrowed(inner),
        (true, b'\'') => Cow::Owned(inner.replace("''", "'")),
        (true, _) => Cow::Owned(unescape_double_quoted(inner)),
    };
    Ok((unquoted, at + 1))
}

fn unescape_double_quoted(text: &str) -> String {
    let mut unescaped = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(next) = rest.next() {
        unescaped.push(match next {
            '\\' => match rest.next() {
                Some('n') => '\n',
                Some('t') => '\t',
                Some(other) => other,
                None => break,
            },
            other => other,
        });
    }
    unescaped
}

/// Parses one item of a list; returns None if it is not valid YAML by itself.
pub(crate) fn read_item((lines_before, text): ItemText<'_>) -> Option<Tree<'_>> {
    let read = || {
        let mut reader = BlockReader::new(text, lines_before);
        reader.skip_to_content()?;
        let read = reader.read_node(0, 1)?;
        if reader.column().is_some() {
            return Err(UnsupportedForm);
        }
        Ok(read)
    };
    let list = match is_printable_ascii(text).then(read) {
        Some(Ok(list)) => list,
        _ => {
            let mut read = yaml::read(text, lines_before);
            if !read.problems.is_empty() || read.documents.len() != 1 {
                return None;
            }
            read.documents.pop()?
        }
    };
    match list.data {
        Data::Seq(mut items) if items.len() == 1 => items.pop(),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
