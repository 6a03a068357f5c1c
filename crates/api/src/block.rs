//! YAML as `kubectl get -o yaml` prints it, read in one pass: block maps and lists, scalars of one or
//! several lines, literal blocks, `{}` and `[]`. It is a tenth of the work of reading any YAML, and a dump
//! of a cluster has a million lines.
//!
//! Whatever is not surely of that form makes the whole text be read by the real parser (`yaml.rs`), which
//! also words every problem: what is read here is what is read there (the test below changes every letter of a text).

use crate::limits;
use crate::ordered::BTreeMap;
use crate::tree::{Data, Entry, Tree};
use crate::yaml::{key_text, plain, put};

/// A text shorter than this is read by the real parser at no cost that anybody notices.
pub(crate) const WORTHWHILE: usize = 1 << 16;

/// Lines of a quoted text: each is looked at with all before it.
const FOLDS: usize = 200;

/// The one document of a text that starts after `lines_before` lines; none if it is not of the plain form.
pub(crate) fn read(text: &str, lines_before: u32) -> Option<Tree> {
    let text = text.strip_suffix('\n')?;
    is_plain(text.as_bytes()).then_some(())?;
    let mut lines = Lines {
        rest: text,
        number: lines_before,
        indent: 0,
        body: "",
        nodes: 0,
    };
    lines.next();
    if lines.indent == 0 && lines.body == "---" {
        lines.next();
    }
    let tree = lines.block(0)?;
    lines.is_over().then_some(tree)
}

/// No control characters, tabs or other line breaks, and none of the letters that YAML treats as such.
fn is_plain(bytes: &[u8]) -> bool {
    let mut before = 0;
    for byte in bytes {
        // Nearly every byte is of this kind, and there are millions of them.
        if byte.wrapping_sub(b' ') < 95 || *byte == b'\n' {
            continue;
        }
        let is_odd = match (before, *byte) {
            (_, 0..=127) => true,
            // C1 controls; general punctuation with U+2028 and U+2029; U+FEFF and its neighbours.
            (0xC2, 0x80..=0x9F) | (0xE2, 0x80) | (_, 0xEF) => true,
            _ => false,
        };
        if is_odd {
            return false;
        }
        before = *byte;
    }
    true
}

/// The lines of a text, one at hand.
struct Lines<'t> {
    rest: &'t str,
    /// Of the line at hand, from 1.
    number: u32,
    /// Blanks before it. `usize::MAX` when there are no more lines.
    indent: usize,
    /// The line without them.
    body: &'t str,
    nodes: usize,
}

impl<'t> Lines<'t> {
    fn is_over(&self) -> bool {
        self.indent == usize::MAX
    }

    /// The next line as it stands, without its end.
    fn take(&mut self) -> Option<&'t str> {
        if self.rest.is_empty() {
            return None;
        }
        let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
        self.rest = rest;
        self.number += 1;
        Some(line)
    }

    fn next(&mut self) {
        match self.take() {
            Some(line) => {
                self.indent = line.bytes().position(|byte| byte != b' ').unwrap_or(line.len());
                self.body = &line[self.indent..];
            }
            None => (self.indent, self.body) = (usize::MAX, ""),
        }
    }

    fn node(&mut self, at: (u32, usize), data: Data) -> Option<Tree> {
        self.nodes += 1;
        (self.nodes <= limits::NODES / 2).then(|| Tree {
            line: at.0,
            column: small(at.1),
            data,
        })
    }

    fn is_item(&self) -> bool {
        self.body.starts_with("- ")
    }

    /// The list or map whose first line is at hand.
    fn block(&mut self, depth: usize) -> Option<Tree> {
        if depth > limits::DEPTH / 2 || self.is_over() {
            return None;
        }
        let at = (self.number, self.indent);
        let indent = self.indent;
        if !self.is_item() {
            let entries = self.map(depth)?;
            return self.node(at, Data::Map(entries));
        }
        let mut items = Vec::new();
        while self.indent == indent && self.is_item() {
            // What follows the dash is a block of its own, two columns further in.
            self.indent += 2;
            self.body = &self.body[2..];
            let is_block = self.is_item() || self.key()?.is_some();
            items.push(match is_block {
                true => self.block(depth + 1)?,
                false => self.scalar(0, indent + 1)?,
            });
        }
        // A line that is further in belongs to nothing.
        (self.is_over() || self.indent <= indent).then_some(())?;
        self.node(at, Data::Seq(items))
    }

    /// The entries of a map whose first line is at hand.
    fn map(&mut self, depth: usize) -> Option<Vec<Entry>> {
        let indent = self.indent;
        let (mut entries, mut index, mut merged) = (Vec::new(), BTreeMap::new(), Vec::new());
        while self.indent == indent && !self.is_item() {
            let (key, after) = self.key()??;
            let (line, column) = (self.number, small(indent));
            let value = if after == self.body.len() {
                self.next();
                let is_inner = !self.is_over() && (self.indent > indent || (self.indent == indent && self.is_item()));
                is_inner.then_some(())?;
                let is_flush = self.indent == indent;
                let mut value = self.block(depth + 1)?;
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
        }
        (self.is_over() || self.indent < indent).then_some(entries)
    }

    /// The key of the line at hand and where its value begins; the inner none if it has no key.
    fn key(&self) -> Option<Option<(Box<str>, usize)>> {
        let body = self.body;
        let bytes = body.as_bytes();
        let is_end = |at: usize| bytes.get(at) == Some(&b':') && matches!(bytes.get(at + 1), None | Some(b' '));
        let (data, end) = match bytes.first()? {
            quote @ (b'"' | b'\'') => match quoted(body, *quote) {
                Some((text, end)) if is_end(end) => (Data::String(text.into()), end),
                _ => return Some(None),
            },
            _ => {
                let Some(end) = colon(bytes) else {
                    return Some(None);
                };
                let text = &body[..end];
                (is_simple(text) && text != "<<").then_some(())?;
                (plain(text), end)
            }
        };
        // A column is counted in characters, a key is of one line and short.
        (end < 512 && body[..end].is_ascii()).then_some(())?;
        let key = key_text(data).ok()?;
        let after = match bytes.len() - end {
            1 => end + 1,
            _ => end + 2,
        };
        Some(Some((key, after)))
    }

    /// The scalar that begins at a column of the line at hand; lines further in than `outer` continue it.
    fn scalar(&mut self, from: usize, outer: usize) -> Option<Tree> {
        let mut at = (self.number, self.indent + from);
        let text = &self.body[from..];
        let bytes = text.as_bytes();
        let data = match bytes.first()? {
            b'|' => {
                let (content, indent) = self.literal(text, outer)?;
                at = (at.0 + 1, indent);
                Data::String(content.into())
            }
            quote @ (b'"' | b'\'') => match quoted(text, *quote) {
                Some((content, end)) => {
                    (end == text.len()).then_some(())?;
                    self.next();
                    Data::String(content.into())
                }
                None => {
                    let whole = self.folded(text, outer, |whole| quoted(whole, *quote).is_some())?;
                    let (content, end) = quoted(&whole, *quote)?;
                    (end == whole.len()).then_some(())?;
                    Data::String(content.into())
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
                is_simple(text).then_some(())?;
                self.next();
                if self.is_over() || self.indent < outer {
                    plain(text)
                } else {
                    // It goes on in the next lines.
                    let mut whole = String::from(text);
                    while !self.is_over() && self.indent >= outer {
                        is_simple_within(self.body).then_some(())?;
                        whole.push(' ');
                        whole.push_str(self.body);
                        self.next();
                    }
                    plain(&whole)
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
            (!self.is_over() && self.indent >= outer && !self.body.is_empty()).then_some(())?;
            whole.push(' ');
            whole.push_str(self.body);
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
        let mut text = String::new();
        let indent = self.rest.bytes().position(|byte| byte != b' ')?;
        (indent >= outer && !self.rest[indent..].starts_with('\n')).then_some(())?;
        loop {
            let before = (self.rest, self.number);
            let Some(line) = self.take() else {
                // What is kept at the end of the text, the real parser knows.
                (header != "|+").then_some(())?;
                break;
            };
            let blanks = line.bytes().position(|byte| byte != b' ');
            match blanks {
                Some(blanks) if blanks < indent => {
                    (self.rest, self.number) = before;
                    break;
                }
                _ => text.push_str(line.get(indent..).unwrap_or("")),
            }
            text.push('\n');
        }
        self.next();
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

/// Where the first colon is that ends a key.
fn colon(bytes: &[u8]) -> Option<usize> {
    let mut from = 0;
    loop {
        let at = from + bytes.get(from..)?.iter().position(|byte| *byte == b':')?;
        if matches!(bytes.get(at + 1), None | Some(b' ')) {
            return Some(at);
        }
        from = at + 1;
    }
}

/// A column from 1.
fn small(column: usize) -> u32 {
    u32::try_from(column).unwrap_or(u32::MAX).saturating_add(1)
}

/// Whether a plain text may begin here and goes to the end.
fn is_simple(text: &str) -> bool {
    let bytes = text.as_bytes();
    let begins = match bytes.first() {
        Some(b'-') => bytes.len() > 1 && bytes[1] != b' ',
        Some(first) => !b" ?:,[]{}#&*!|>'\"%@`".contains(first),
        None => false,
    };
    begins && text != "---" && text != "..." && is_simple_within(text)
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
fn quoted(text: &str, quote: u8) -> Option<(String, usize)> {
    let mut content = String::new();
    let mut rest = &text[1..];
    loop {
        let stop = rest
            .bytes()
            .position(|byte| byte == quote || (byte == b'\\' && quote == b'"'))?;
        content.push_str(&rest[..stop]);
        let (mark, after) = rest[stop..].split_at(1);
        rest = after;
        if mark == "'" && rest.starts_with('\'') {
            content.push('\'');
            rest = &rest[1..];
        } else if mark == "\\" {
            content.push(match rest.as_bytes().first()? {
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
        let Some(tree) = read(text, 7) else { return false };
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
            assert!(read(odd, 0).is_none(), "{name}");
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
