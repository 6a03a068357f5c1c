//! YAML as `kubectl get -o yaml` prints it, read in one pass: block maps and lists, scalars of one or
//! several lines, literal blocks, `{}` and `[]`. It is a tenth of the work of reading any YAML, and a dump
//! of a cluster has a million lines.
//!
//! Whatever is not surely of that form makes the whole text be read by the real parser (`yaml.rs`), which
//! also words every problem: what is read here is what is read there (the test below changes every letter of a text).

use std::borrow::Cow;

use crate::limits;
use crate::ordered;
use crate::tree::{Data, Entry, Tree};
use crate::yaml::{key_text, plain, put};

/// A text shorter than this is read by the real parser at no cost that anybody notices.
pub(crate) const WORTHWHILE: usize = 1 << 16;

/// Lines of a quoted text: each is looked at with all before it.
const FOLDS: usize = 200;

/// No place in a text.
const NOWHERE: usize = usize::MAX;

/// What is told every item of the list `items` at the top, instead of keeping them all.
pub(crate) type Each<'e, 't> = &'e mut dyn FnMut(Tree<'t>);

/// The one document of a text that starts after `lines_before` lines; none if it is not of the plain form, which may
/// turn out when many items have been told.
pub(crate) fn read<'t>(text: &'t str, lines_before: u32, each: Option<Each<'_, 't>>) -> Option<Tree<'t>> {
    text.ends_with('\n').then_some(())?;
    let mut lines = Lines {
        text,
        after: 0,
        number: lines_before,
        indent: 0,
        from: 0,
        to: 0,
        marks: [NOWHERE; 2],
        wide: NOWHERE,
        is_odd: false,
        nodes: 0,
        each,
    };
    lines.next();
    if lines.indent == 0 && lines.body() == "---" {
        lines.next();
    }
    let tree = lines.block(0)?;
    (lines.is_over() && !lines.is_odd).then_some(tree)
}

/// The lines of a text, one at hand.
struct Lines<'e, 't> {
    /// It ends with a line's end.
    text: &'t str,
    /// Where the next line begins.
    after: usize,
    /// Of the line at hand, from 1.
    number: u32,
    /// Blanks before it. `usize::MAX` when there are no more lines.
    indent: usize,
    /// Where it begins behind them.
    from: usize,
    /// Where it ends.
    to: usize,
    /// The first colons that end a key and number signs that begin a comment, whatever they stand in.
    marks: [usize; 2],
    /// The first byte that is not ASCII.
    wide: usize,
    /// There was something that is of no plain form.
    is_odd: bool,
    nodes: usize,
    each: Option<Each<'e, 't>>,
}

impl<'t> Lines<'_, 't> {
    fn is_over(&self) -> bool {
        self.indent == NOWHERE
    }

    /// The line at hand without the blanks before it.
    fn body(&self) -> &'t str {
        &self.text[self.from..self.to]
    }

    fn next(&mut self) {
        let bytes = self.text.as_bytes();
        let (start, mut at) = (self.after, self.after);
        (self.marks, self.wide) = ([NOWHERE; 2], NOWHERE);
        // The last line's end is not the beginning of another.
        if at >= bytes.len() - 1 || self.is_odd {
            (self.indent, self.from, self.to) = (NOWHERE, at.min(bytes.len()), at.min(bytes.len()));
            return;
        }
        while bytes[at] == b' ' {
            at += 1;
        }
        (self.indent, self.from) = (at - start, at);
        // Each byte is looked at once, and nearly all are letters.
        loop {
            let byte = bytes[at];
            if byte.wrapping_sub(b';') >= 0x7F - b';' {
                match byte {
                    b'\n' => break,
                    b':' if matches!(bytes[at + 1], b' ' | b'\n') => self.mark(at),
                    b'#' if at == self.from || bytes[at - 1] == b' ' => self.mark(at),
                    b' '..=b':' => {}
                    _ => self.look(bytes.get(at.wrapping_sub(1)).copied(), byte, at),
                }
            }
            at += 1;
        }
        (self.to, self.after) = (at, at + 1);
        self.number += 1;
    }

    fn mark(&mut self, at: usize) {
        let free = usize::from(self.marks[0] != NOWHERE);
        self.marks[free] = self.marks[free].min(at);
    }

    /// A byte that is no printable ASCII: nothing is plain with control characters, tabs, other line breaks, or the
    /// letters that YAML treats as such.
    #[cold]
    fn look(&mut self, before: Option<u8>, byte: u8, at: usize) {
        self.wide = self.wide.min(at);
        self.is_odd |= match (before, byte) {
            (_, 0..=127) => true,
            // C1 controls; general punctuation with U+2028 and U+2029; U+FEFF and its neighbours.
            (Some(0xC2), 0x80..=0x9F) | (Some(0xE2), 0x80) | (_, 0xEF) => true,
            _ => false,
        };
    }

    fn node(&mut self, at: (u32, usize), data: Data<'t>) -> Option<Tree<'t>> {
        self.nodes += 1;
        (self.nodes <= limits::NODES / 2).then(|| Tree {
            line: at.0,
            column: small(at.1),
            data,
        })
    }

    fn is_item(&self) -> bool {
        self.body().starts_with("- ")
    }

    /// The list or map whose first line is at hand.
    fn block(&mut self, depth: usize) -> Option<Tree<'t>> {
        if depth > limits::DEPTH / 2 || self.is_over() {
            return None;
        }
        if !self.is_item() {
            let first = self.key()??;
            return self.map(depth, first);
        }
        let at = (self.number, self.indent);
        let mut items = Vec::new();
        self.items(depth, &mut |item| items.push(item))?;
        self.node(at, Data::Seq(items))
    }

    /// The items of a list whose first line is at hand.
    fn items(&mut self, depth: usize, each: Each<'_, 't>) -> Option<()> {
        let indent = self.indent;
        while self.indent == indent && self.is_item() {
            // What follows the dash is a block of its own, two columns further in.
            self.indent += 2;
            self.from += 2;
            let item = if self.is_item() {
                self.block(depth + 1)?
            } else if let Some(first) = self.key()? {
                self.map(depth + 1, first)?
            } else {
                self.scalar(self.from, indent + 1)?
            };
            each(item);
        }
        // A line that is further in belongs to nothing.
        (self.is_over() || self.indent <= indent).then_some(())
    }

    /// The map whose first line is at hand, with its key and where that one's value begins.
    fn map(&mut self, depth: usize, first: (Cow<'t, str>, usize)) -> Option<Tree<'t>> {
        if depth > limits::DEPTH / 2 {
            return None;
        }
        let (at, indent) = ((self.number, self.indent), self.indent);
        let (mut entries, mut index, mut merged) = (Vec::new(), ordered::Map::new(), Vec::new());
        let (mut key, mut after) = first;
        loop {
            let (line, column) = (self.number, small(indent));
            let value = if after == self.to {
                self.next();
                let is_inner = !self.is_over() && (self.indent > indent || (self.indent == indent && self.is_item()));
                is_inner.then_some(())?;
                let is_flush = self.indent == indent;
                let mut value = match self.each.take_if(|_| depth == 0 && key == "items") {
                    Some(each) if self.is_item() => {
                        let at = (self.number, self.indent);
                        self.items(depth + 1, each)?;
                        self.node(at, Data::Seq(Vec::new()))?
                    }
                    _ => self.block(depth + 1)?,
                };
                if is_flush {
                    // The parser sees a list that is no further in than its key begin behind its first dash.
                    value.column += 2;
                }
                value
            } else {
                self.scalar(after, indent + 1)?
            };
            let entry = Entry {
                key,
                line,
                column,
                value,
            };
            if put(&mut entries, &mut index, &mut merged, entry, false).is_some() {
                return None;
            }
            if self.indent != indent || self.is_item() {
                break;
            }
            (key, after) = self.key()??;
        }
        (self.is_over() || self.indent < indent).then_some(())?;
        self.node(at, Data::Map(entries))
    }

    /// The key of the line at hand and where its value begins; the inner none if it has no key.
    fn key(&self) -> Option<Option<(Cow<'t, str>, usize)>> {
        let bytes = self.text.as_bytes();
        let (data, end) = match bytes[self.from] {
            b'\n' => return None,
            quote @ (b'"' | b'\'') => match quoted(self.body(), quote) {
                Some((text, end)) if is_key_end(bytes, self.from + end) => (Data::String(text), self.from + end),
                _ => return Some(None),
            },
            _ => {
                let end = self.marks[0];
                if end == NOWHERE {
                    return Some(None);
                }
                // Otherwise it is a comment.
                (bytes[end] == b':').then_some(())?;
                let text = &self.text[self.from..end];
                (begins_simple(text) && !text.ends_with(' ') && text != "<<").then_some(())?;
                (plain(Cow::Borrowed(text)), end)
            }
        };
        // A column is counted in characters, a key is of one line and short.
        (end - self.from < 512 && self.wide > end).then_some(())?;
        let key = key_text(data).ok()?;
        Some(Some((key, self.to.min(end + 2))))
    }

    /// The scalar that begins at a place of the line at hand; lines further in than `outer` continue it.
    fn scalar(&mut self, from: usize, outer: usize) -> Option<Tree<'t>> {
        let mut at = (self.number, self.indent + (from - self.from));
        let text = &self.text[from..self.to];
        let data = match text.as_bytes().first()? {
            b'|' => {
                let (content, indent) = self.literal(text, outer)?;
                at = (at.0 + 1, indent);
                Data::String(content.into())
            }
            quote @ (b'"' | b'\'') => match quoted(text, *quote) {
                Some((content, end)) => {
                    (end == text.len()).then_some(())?;
                    self.next();
                    Data::String(content)
                }
                None => {
                    let whole = self.folded(text, outer, |whole| quoted(whole, *quote).is_some())?;
                    let (content, end) = quoted(&whole, *quote)?;
                    (end == whole.len()).then_some(())?;
                    Data::String(content.into_owned().into())
                }
            },
            _ if text == "{}" || text == "[]" => {
                self.next();
                match text {
                    "{}" => Data::Map(Vec::new()),
                    _ => Data::Seq(Vec::new()),
                }
            }
            _ => {
                let [first, second] = self.marks;
                // What stands in a quoted key may look like a mark.
                let is_within = if first == NOWHERE || (first < from && second == NOWHERE) {
                    !text.ends_with(' ')
                } else {
                    first < from && is_simple_within(text)
                };
                (begins_simple(text) && is_within).then_some(())?;
                self.next();
                if self.is_over() || self.indent < outer {
                    plain(Cow::Borrowed(text))
                } else {
                    // It goes on in the next lines.
                    let mut whole = String::from(text);
                    while !self.is_over() && self.indent >= outer {
                        is_simple_within(self.body()).then_some(())?;
                        whole.push(' ');
                        whole.push_str(self.body());
                        self.next();
                    }
                    plain(Cow::Owned(whole))
                }
            }
        };
        self.node(at, data)
    }

    /// A quoted text of several lines as one line; goes on behind it.
    fn folded(&mut self, first: &str, outer: usize, is_whole: impl Fn(&str) -> bool) -> Option<String> {
        let mut whole = String::from(first);
        for _ in 0..FOLDS {
            (!whole.ends_with(['\\', ' '])).then_some(())?;
            self.next();
            (!self.is_over() && self.indent >= outer && self.from < self.to).then_some(())?;
            whole.push(' ');
            whole.push_str(self.body());
            // Two quotes within single ones may be cut by no line, so a text that looks whole is.
            if is_whole(&whole) {
                self.next();
                return Some(whole);
            }
        }
        None
    }

    /// The text of a literal block, whose header is given, and how far in it is: further than what it stands in.
    fn literal(&mut self, header: &str, outer: usize) -> Option<(String, usize)> {
        if !matches!(header, "|" | "|-" | "|+") {
            return None;
        }
        self.next();
        let indent = self.indent;
        (!self.is_over() && indent >= outer && self.from < self.to).then_some(())?;
        let mut text = String::new();
        // A line of blanks alone belongs to it, however few they are.
        while self.indent >= indent || self.from == self.to {
            if self.is_over() {
                // What is kept at the end of the text, the real parser knows.
                (header != "|+").then_some(())?;
                break;
            }
            let start = self.from - self.indent + indent;
            text.push_str(self.text.get(start..self.to).unwrap_or(""));
            text.push('\n');
            self.next();
        }
        if header != "|+" {
            text.truncate(text.trim_end_matches('\n').len());
            // A text of blank lines alone does not come here: its first line is not empty.
            if header == "|" {
                text.push('\n');
            }
        }
        Some((text, indent))
    }
}

/// Whether a colon at that place ends a key.
fn is_key_end(bytes: &[u8], at: usize) -> bool {
    bytes[at] == b':' && matches!(bytes[at + 1], b' ' | b'\n')
}

/// A column from 1.
fn small(column: usize) -> u32 {
    u32::try_from(column).unwrap_or(u32::MAX).saturating_add(1)
}

/// Whether a plain text may begin so.
fn begins_simple(text: &str) -> bool {
    match *text.as_bytes() {
        [b'-', next, ..] => next != b' ' && text != "---",
        [b'-'] | [] => false,
        #[rustfmt::skip]
        [b' ' | b'?' | b':' | b',' | b'[' | b']' | b'{' | b'}' | b'#' | b'&' | b'*' | b'!' | b'|' | b'>' | b'\'' | b'"'
            | b'%' | b'@' | b'`', ..] => false,
        _ => text != "...",
    }
}

/// Whether a plain text may go on so, to the end of the line.
fn is_simple_within(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_mark = |(at, byte): (usize, &u8)| match byte {
        b':' => matches!(bytes.get(at + 1), None | Some(b' ')),
        b'#' => at == 0 || bytes[at - 1] == b' ',
        _ => false,
    };
    !bytes.is_empty() && bytes.last() != Some(&b' ') && !bytes.iter().enumerate().any(is_mark)
}

/// The content of a quoted text of one line that begins here, and where it ends; none if it does not end, or
/// holds what only the real parser knows.
fn quoted(text: &str, quote: u8) -> Option<(Cow<'_, str>, usize)> {
    // Nothing is copied of a text without escapes.
    let mut content = Cow::Borrowed("");
    let mut rest = &text[1..];
    loop {
        let stop = rest
            .bytes()
            .position(|byte| byte == quote || (byte == b'\\' && quote == b'"'))?;
        content += &rest[..stop];
        let (mark, after) = rest[stop..].split_at(1);
        rest = after;
        if mark == "'" && rest.starts_with('\'') {
            content.to_mut().push('\'');
            rest = &rest[1..];
        } else if mark == "\\" {
            content.to_mut().push(match rest.as_bytes().first()? {
                b'n' => '\n',
                b't' => '\t',
                b'r' => '\r',
                escaped @ (b'"' | b'\\') => char::from(*escaped),
                _ => return None,
            });
            rest = &rest[1..];
        } else {
            return Some((content, text.len() - rest.len()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::read;
    use crate::yaml::read_any;

    const DUMP: &str = r#"apiVersion: v1
items:
- apiVersion: v1
  kind: Pod
  metadata:
    annotations:
      a: "0"
      b: '{"x":"it''s"}'
      c: |
        one
          two

        three
      d: |-
        last
    labels: {}
    managedFields:
    - fieldsV1:
        f:k:{"type":"Ready"}:
          .: {}
          'f:"q"': {}
      time: "2025-04-20T23:59:00Z"
    name: ä-1
  spec:
    args: []
    command:
    - - nested
      - -1
    - --flag=x
    - "a\n\t\"b\\"
    - 'a: b'
    - plain text
      that goes on
    "8080": yes
    message: 'The node was low
      on resource: memory.'
    text: "quoted
      twice"
    number: 0x1F
    none: null
kind: List
"#;

    fn agrees(text: &str) -> bool {
        let Some(tree) = read(text, 7, None) else { return false };
        let wanted = read_any(text, 7);
        assert_eq!(wanted.problems, [], "{text}");
        assert_eq!(wanted.documents, [tree], "{text}");
        true
    }

    #[test]
    fn what_kubectl_prints_is_read_as_the_real_parser_reads_it() {
        let text = DUMP;
        assert!(agrees(text));
        assert!(agrees(&format!("---\n{text}")));
        for (name, odd) in [
            ("a comment", "a: 1 # one\n"),
            ("a flow map", "a: {b: 1}\n"),
            ("an anchor", "a: &x 1\n"),
            ("a merge", "<<: {}\n"),
            ("a folded text", "a: >\n  b\n"),
            ("a tab", "a:\tb\n"),
            ("a key twice", "a: 1\na: 2\n"),
            ("nothing", "a:\nb: 1\n"),
            ("a blank line", "a: 1\n\nb: 1\n"),
            ("two documents", "a: 1\n---\nb: 1\n"),
            ("a mark", "a: 1\n...\n"),
            ("no end", "a: 1"),
            ("a line separator", "a: x\u{2028}y\n"),
        ] {
            assert!(read(odd, 0, None).is_none(), "{name}");
        }
    }

    /// Whatever becomes of the text: what is read at all is read as the real parser reads it.
    #[test]
    fn no_change_of_a_letter_is_read_otherwise() {
        let mut agreed = 0;
        let cut: Vec<usize> = DUMP.char_indices().map(|(at, _)| at).collect();
        for at in cut {
            let (before, after) = DUMP.split_at(at);
            let rest = after.chars().next().map_or("", |letter| &after[letter.len_utf8()..]);
            for change in [
                "", " ", "\n", "-", "- ", ":", ": ", "'", "\"", "#", "|", "{", "~", "\\", "x", "\n  ", "\n- ",
            ] {
                agreed += usize::from(agrees(&format!("{before}{change}{rest}")));
                agreed += usize::from(agrees(&format!("{before}{change}{after}")));
            }
        }
        assert!(agreed > 5_000, "{agreed}");
    }
}
