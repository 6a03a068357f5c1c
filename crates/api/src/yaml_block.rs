//! The YAML that `kubectl get -o yaml` prints, read line by line: block maps and lists, scalars of one line, literal blocks.
//!
//! A dump of a large cluster is a hundred megabytes of it, and a parser of all of YAML takes ten times as long. What has
//! any other form is left to that parser, one item of the list at a time. Invariant: what is read here is what the
//! parser reads, positions included; a test compares them.

use std::borrow::Cow;

use crate::limits;
use crate::ordered;
use crate::tree::{Data, Entry, Tree};
use crate::yaml::{self, Each, YamlText, put};
use crate::yaml_scalar::{key_text, plain};

/// The text, or this part of it, is not of this form.
#[derive(Debug)]
struct Odd;

type Found<T> = Result<T, Odd>;

/// Reads a document that is a map with a list `items`, whose items are told one by one and left out of what comes back.
/// None if it is not of this form: then what was told is to be forgotten.
pub(crate) fn read_items<'t>(text: &'t str, lines_before: u32, each: Each<'_, 't>) -> Option<YamlText<'t>> {
    let mut reader = Reader::new(text, lines_before);
    if text.starts_with("---\n") {
        reader.next_line();
    }
    reader.find_content().ok()?;
    let document = reader.list_document(each).ok()?;
    let (before, after) = (&text[..reader.items.0], &text[reader.items.1..]);
    (is_usual(before) && is_usual(after)).then(|| YamlText {
        documents: vec![document],
        problems: Vec::new(),
    })
}

/// Whether there are no other characters than ASCII has: they may be line breaks, or none that may stand there.
fn is_usual(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b'\n' | b' '..=b'~'))
}

/// Stands before a value, or at the end. Invariant: all of its line that was passed is ASCII, so that columns are bytes.
struct Reader<'t> {
    text: &'t str,
    at: usize,
    line_start: usize,
    /// From 1.
    line: u32,
    nodes: usize,
    /// The part of the text that is the list `items`.
    items: (usize, usize),
}

impl<'t> Reader<'t> {
    fn new(text: &'t str, lines_before: u32) -> Self {
        Self {
            text,
            at: 0,
            line_start: 0,
            line: lines_before.saturating_add(1),
            nodes: 0,
            items: (0, 0),
        }
    }

    /// What is left of the line.
    fn rest(&self) -> &'t str {
        let rest = &self.text[self.at..];
        rest.split_once('\n').map_or(rest, |(line, _)| line)
    }

    fn next_line(&mut self) {
        self.at += self.rest().len();
        if self.at < self.text.len() {
            self.at += 1;
            self.line += 1;
        }
        self.line_start = self.at;
    }

    /// Where the next value begins, if not at the end: its column, from 0.
    fn column(&self) -> Option<usize> {
        (self.at < self.text.len()).then(|| self.at - self.line_start)
    }

    /// Goes on to the next line that is not empty, from the start of one.
    fn find_content(&mut self) -> Found<()> {
        loop {
            self.skip_spaces();
            let rest = &self.text.as_bytes()[self.at..];
            match rest {
                [] => return Ok(()),
                [b'\n', ..] => self.next_line(),
                [b'#' | b'%', ..] => return Err(Odd),
                [b'-', b'-', b'-', ..] | [b'.', b'.', b'.', ..] if self.at == self.line_start => return Err(Odd),
                _ => return Ok(()),
            }
        }
    }

    fn skip_spaces(&mut self) {
        let rest = self.text.as_bytes()[self.at..].iter();
        self.at += rest.take_while(|byte| **byte == b' ').count();
    }

    fn place(&self) -> (u32, u32) {
        let column = u32::try_from(self.at - self.line_start).unwrap_or(u32::MAX);
        (self.line, column.saturating_add(1))
    }

    /// Whether an item of a list begins here.
    fn is_item(&self) -> bool {
        let rest = &self.text.as_bytes()[self.at..];
        matches!(rest, [b'-'] | [b'-', b' ' | b'\n', ..])
    }

    fn spend(&mut self, depth: usize) -> Found<()> {
        self.nodes += 1;
        let is_within = self.nodes <= limits::NODES && depth <= limits::DEPTH;
        is_within.then_some(()).ok_or(Odd)
    }

    /// The map at the top, whose items are told.
    fn list_document(&mut self, each: Each<'_, 't>) -> Found<Tree<'t>> {
        if self.column() != Some(0) || self.is_item() {
            return Err(Odd);
        }
        let (line, column) = self.place();
        let data = self.map(0, 0, &mut |reader, key| {
            if key != "items" || !reader.rest().trim_end_matches(' ').is_empty() {
                return Ok(None);
            }
            let (line, column, items) = reader.items_below()?;
            let Some(items) = items else { return Ok(None) };
            for (lines_before, item) in items {
                each(one_item(item, lines_before).ok_or(Odd)?);
            }
            Ok(Some(Tree {
                line,
                column,
                data: Data::Seq(Vec::new()),
            }))
        })?;
        Ok(Tree { line, column, data })
    }

    /// The lines of each item of the list below a key at the left edge, with the number of lines before it; and where the
    /// list begins. The reader goes behind it.
    #[allow(clippy::type_complexity)]
    fn items_below(&mut self) -> Found<(u32, u32, Option<Vec<(u32, &'t str)>>)> {
        let before = (self.at, self.line_start, self.line);
        self.next_line();
        self.find_content()?;
        if !self.is_item() {
            (self.at, self.line_start, self.line) = before;
            return Ok((0, 0, None));
        }
        let indent = self.at - self.line_start;
        let (line, column) = match indent {
            0 => self.place_behind_dash()?,
            _ => self.place(),
        };
        let mut items = Vec::new();
        while self.column() == Some(indent) && self.is_item() {
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
        // What follows the list is checked as it is read.
        self.at = self.line_start;
        self.find_content()?;
        Ok((line, column, Some(items)))
    }

    /// Goes on to the next line that is not empty; it may be anything, as in a literal block.
    fn skip_empty_lines(&mut self) {
        loop {
            self.skip_spaces();
            if self.text.as_bytes().get(self.at) != Some(&b'\n') {
                return;
            }
            self.next_line();
        }
    }

    /// A value that begins here, within one whose column is `parent`.
    fn node(&mut self, parent: usize, depth: usize) -> Found<Tree<'t>> {
        self.spend(depth)?;
        let at = self.column().ok_or(Odd)?;
        if self.is_item() && at == parent && depth > 1 {
            return self.list_at_its_key(at, depth);
        }
        let (mut line, mut column) = self.place();
        let data = if self.is_item() {
            self.list(at, depth)?
        } else if self.is_key()? {
            self.map(at, depth, &mut |_, _| Ok(None))?
        } else {
            (line, column) = self.place_of_scalar();
            self.scalar(parent)?
        };
        Ok(Tree { line, column, data })
    }

    /// A list whose dashes stand below the first letter of its key: the parser says that it begins behind the first dash.
    fn list_at_its_key(&mut self, at: usize, depth: usize) -> Found<Tree<'t>> {
        let (line, column) = self.place_behind_dash()?;
        let data = self.list(at, depth)?;
        Ok(Tree { line, column, data })
    }

    fn place_behind_dash(&self) -> Found<(u32, u32)> {
        let (line, column) = self.place();
        let behind = &self.rest()[1..];
        let inner = behind.trim_start_matches(' ');
        let spaces = u32::try_from(behind.len() - inner.len()).map_err(|_| Odd)?;
        let is_here = !inner.is_empty() && !inner.starts_with('#');
        is_here.then_some((line, column + 1 + spaces)).ok_or(Odd)
    }

    /// Where a scalar begins: the text of a literal block in the line below its sign.
    fn place_of_scalar(&self) -> (u32, u32) {
        if !self.rest().starts_with('|') {
            return self.place();
        }
        let below = &self.text[self.at + self.rest().len()..];
        let spaces = below.bytes().skip(1).take_while(|byte| *byte == b' ').count();
        let column = u32::try_from(spaces).unwrap_or(u32::MAX).saturating_add(1);
        (self.line.saturating_add(1), column)
    }

    /// A value below its key or dash at `parent`, if there is one; the reader stands at the end of their line.
    fn below(&mut self, parent: usize, depth: usize, may_be_list: bool) -> Found<Tree<'t>> {
        let (line, column) = self.place();
        self.next_line();
        self.find_content()?;
        match self.column() {
            Some(at) if at > parent || (may_be_list && at == parent && self.is_item()) => self.node(parent, depth),
            _ => {
                self.spend(depth)?;
                Ok(Tree {
                    line,
                    column,
                    data: Data::Null,
                })
            }
        }
    }

    fn list(&mut self, indent: usize, depth: usize) -> Found<Data<'t>> {
        let mut items = Vec::new();
        loop {
            self.at += 1;
            let end = self.at;
            self.skip_spaces();
            items.push(if self.rest().is_empty() {
                self.at = end;
                self.below(indent, depth + 1, false)?
            } else {
                self.node(indent, depth + 1)?
            });
            match self.column() {
                Some(at) if at == indent && self.is_item() => {}
                Some(at) if at > indent => return Err(Odd),
                _ => return Ok(Data::Seq(items)),
            }
        }
    }

    /// `special` may read the value of a key in its own way.
    fn map(
        &mut self,
        indent: usize,
        depth: usize,
        special: &mut dyn FnMut(&mut Self, &str) -> Found<Option<Tree<'t>>>,
    ) -> Found<Data<'t>> {
        let mut entries: Vec<Entry<'t>> = Vec::new();
        let (mut index, mut merged) = (ordered::Map::new(), Vec::new());
        loop {
            let (line, column) = self.place();
            let key = self.key()?.ok_or(Odd)?;
            let end = self.at;
            self.skip_spaces();
            let value = match special(self, &key)? {
                Some(value) => value,
                None if self.rest().is_empty() => {
                    // Nothing is said to stand at the colon.
                    self.at = end - 1;
                    self.below(indent, depth + 1, true)?
                }
                None => {
                    self.spend(depth + 1)?;
                    let (line, column) = self.place_of_scalar();
                    let data = self.scalar(indent)?;
                    Tree { line, column, data }
                }
            };
            let entry = Entry {
                key,
                line,
                column,
                value,
            };
            if put(&mut entries, &mut index, &mut merged, entry, false).is_some() {
                return Err(Odd);
            }
            match self.column() {
                Some(at) if at == indent && !self.is_item() => {}
                Some(at) if at >= indent => return Err(Odd),
                _ => return Ok(Data::Map(entries)),
            }
        }
    }

    /// Whether a map begins here.
    fn is_key(&mut self) -> Found<bool> {
        let before = self.at;
        let key = self.key()?;
        self.at = before;
        Ok(key.is_some())
    }

    /// The key that stands here, with its colon behind the reader; none if there is none.
    fn key(&mut self) -> Found<Option<Cow<'t, str>>> {
        let rest = self.rest();
        let is_colon = |after: &str| matches!(after.as_bytes(), [b':'] | [b':', b' ', ..]);
        let (text, length, is_quoted) = match rest.as_bytes().first() {
            Some(b'"' | b'\'') => {
                let Ok((text, length)) = quoted(rest) else {
                    return Ok(None);
                };
                (text, length, true)
            }
            _ => {
                let colons = rest.match_indices(':').map(|(at, _)| at);
                let Some(at) = colons.into_iter().find(|at| is_colon(&rest[*at..])) else {
                    return Ok(None);
                };
                (Cow::Borrowed(&rest[..at]), at, false)
            }
        };
        if !is_colon(&rest[length..]) {
            return Ok(None);
        }
        // Longer ones are no keys of this kind; what is around of others is not looked at here.
        let is_usual = length > 0 && length < 512 && rest[..length].is_ascii() && (is_quoted || is_plain(&text));
        if !is_usual || text == "<<" || (!is_quoted && text.ends_with(' ')) {
            return Err(Odd);
        }
        self.at += length + 1;
        let data = if is_quoted { Data::String(text) } else { plain(text) };
        key_text(data).map(Some).map_err(|_| Odd)
    }

    /// A scalar that ends with its line, or a literal block; the reader goes to what follows it.
    fn scalar(&mut self, parent: usize) -> Found<Data<'t>> {
        let rest = self.rest().trim_end_matches(' ');
        let data = match rest.as_bytes() {
            [b'"' | b'\'', ..] => {
                let (text, length) = quoted(rest)?;
                if length != rest.len() {
                    return Err(Odd);
                }
                Data::String(text)
            }
            b"{}" => Data::Map(Vec::new()),
            b"[]" => Data::Seq(Vec::new()),
            b"|" | b"|-" => return self.literal(parent, rest.len() == 1).map(Data::String),
            _ if is_plain(rest) && !rest.contains(": ") && !rest.ends_with(':') => plain(Cow::Borrowed(rest)),
            _ => return Err(Odd),
        };
        self.next_line();
        self.find_content()?;
        // A scalar that goes on in the next line.
        if self.column().is_some_and(|at| at > parent) {
            return Err(Odd);
        }
        Ok(data)
    }

    /// The lines below `|`, which ends with one line break, or `|-`, which ends with none.
    fn literal(&mut self, parent: usize, has_break: bool) -> Found<Cow<'t, str>> {
        self.next_line();
        self.skip_spaces();
        let indent = self.at - self.line_start;
        if indent <= parent || self.rest().is_empty() {
            return Err(Odd);
        }
        let mut text = String::new();
        loop {
            self.at = self.line_start;
            let line = self.rest();
            let body = line.trim_start_matches(' ');
            let at = line.len() - body.len();
            match body.is_empty() {
                true if at > indent => return Err(Odd),
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
        self.find_content()?;
        if self.column().is_some_and(|at| at > parent) {
            return Err(Odd);
        }
        Ok(text.into())
    }
}

/// Whether this may be a scalar without quotes, which nothing in it ends but a colon.
fn is_plain(text: &str) -> bool {
    let starts = match text.as_bytes() {
        [] => false,
        [b'-' | b'?' | b':', rest @ ..] => !matches!(rest, [] | [b' ', ..]),
        [first, ..] => !b",[]{}#&*!|>'\"%@` ".contains(first),
    };
    starts && !text.contains(" #")
}

/// A text in quotes that ends in this line: what it says, and its length with them.
fn quoted(text: &str) -> Found<(Cow<'_, str>, usize)> {
    let bytes = text.as_bytes();
    let quote = *bytes.first().ok_or(Odd)?;
    let mut at = 1;
    let mut is_escaped = false;
    loop {
        match (bytes.get(at).ok_or(Odd)?, bytes.get(at + 1)) {
            (b'\'', Some(b'\'')) if quote == b'\'' => (at, is_escaped) = (at + 2, true),
            (b'\\', Some(b'"' | b'\\' | b'n' | b't' | b'/')) if quote == b'"' => (at, is_escaped) = (at + 2, true),
            (b'\\', _) if quote == b'"' => return Err(Odd),
            (byte, _) if *byte == quote => break,
            _ => at += 1,
        }
    }
    let inner = &text[1..at];
    let said = match (is_escaped, quote) {
        (false, _) => Cow::Borrowed(inner),
        (true, b'\'') => Cow::Owned(inner.replace("''", "'")),
        (true, _) => Cow::Owned(unescaped(inner)),
    };
    Ok((said, at + 1))
}

fn unescaped(text: &str) -> String {
    let mut said = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(next) = rest.next() {
        said.push(match next {
            '\\' => match rest.next() {
                Some('n') => '\n',
                Some('t') => '\t',
                Some(other) => other,
                None => break,
            },
            other => other,
        });
    }
    said
}

/// An item of the list, from its dash on; none if it is not YAML by itself.
fn one_item(text: &str, lines_before: u32) -> Option<Tree<'_>> {
    let read = || {
        let mut reader = Reader::new(text, lines_before);
        reader.find_content()?;
        let read = reader.node(0, 1)?;
        if reader.column().is_some() {
            return Err(Odd);
        }
        Ok(read)
    };
    let list = match is_usual(text).then(read) {
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
