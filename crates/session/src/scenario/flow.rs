//! Converts flow style to block style. For example, `spec: {containers: [{name: a, ` becomes
//!
//! ```yaml
//! spec:
//!   containers:
//!   - name: a
//! so that completion can derive the cursor's path from indentation in both styles. The text may end anywhere, because
//! it is being edited.

/// An open `{` or `[` of a value in flow style.
struct OpenBracket {
    is_map: bool,
    /// Column in which the entries between the brackets begin in block style.
    indent: usize,
    /// The text that precedes the first entry instead of indentation: the dashes of enclosing lists.
    lead: Option<String>,
}

/// Reads a value in flow style and writes it in block style.
struct FlowReader {
    /// The lines that have been written in block style so far.
    lines: String,
    open: Vec<OpenBracket>,
    /// The current entry, which is incomplete.
    entry: String,
    /// The open quote, with the quoted text so far. None outside of quotes.
    quoted: Option<(char, String)>,
    /// The outermost bracket of the value, until the reader has reached it.
    outermost: Option<OpenBracket>,
    /// Minimum indentation of the value's lines; a line with less indentation ends the value.
    min_indent: usize,
}

/// Returns the offset in a line at which a value in flow style begins. None if there is no such value.
fn flow_value_offset(line: &str) -> Option<usize> {
    let mut body = line.trim_start();
    while let Some(inner) = body.strip_prefix("- ") {
        body = inner.trim_start();
    }
    if !body.starts_with(['{', '[']) {
        if body.starts_with('#') {
            return None;
        }
        let (key, value) = body.split_once(": ")?;
        if key.contains(['{', '[', '#']) {
            return None;
        }
        body = value.trim_start();
    }
    body.starts_with(['{', '[']).then_some(line.len() - body.len())
}

impl FlowReader {
    /// Creates a reader for a value that follows the text `before` in its line.
    fn after(before: &str) -> FlowReader {
        let min_indent = before.len() - before.trim_start().len();
        let mut key = before.trim_start();
        while let Some(inner) = key.strip_prefix("- ") {
            key = inner.trim_start();
        }
        let column = before.len() - key.len();
        let (lines, outermost) = if key.is_empty() {
            let lead = Some(before.to_owned());
            (String::new(), (column, lead))
        } else {
            (format!("{}\n", before.trim_end()), (column + 2, None))
        };
        FlowReader {
            lines,
            open: Vec::new(),
            entry: String::new(),
            quoted: None,
            outermost: Some(OpenBracket {
                is_map: true,
                indent: outermost.0,
                lead: outermost.1,
            }),
            min_indent,
        }
    }

    /// Writes an entry without a line end.
    fn write(&mut self, entry: &str) {
        let Some(open) = self.open.last_mut() else { return };
        let lead = open.lead.take().unwrap_or_else(|| " ".repeat(open.indent));
        self.lines.push_str(&lead);
        if !open.is_map {
            self.lines.push_str("- ");
        }
        self.lines.push_str(entry);
    }

    /// Writes the current entry as a complete line.
    fn end_entry(&mut self) {
        let entry = std::mem::take(&mut self.entry);
        if !entry.trim().is_empty() {
            self.write(entry.trim());
            self.lines.push('\n');
        }
    }

    fn open_bracket(&mut self, is_map: bool) {
        let inner = match self.open.last_mut() {
            None => self
                .outermost
                .take()
                .map(|outermost| OpenBracket { is_map, ..outermost }),
            Some(list) if !list.is_map => {
                let lead = list.lead.take().unwrap_or_else(|| " ".repeat(list.indent));
                Some(OpenBracket {
                    is_map,
                    indent: list.indent + 2,
                    lead: Some(format!("{lead}- ")),
                })
            }
            Some(map) => {
                let indent = map.indent + 2;
                self.end_entry();
                Some(OpenBracket {
                    is_map,
                    indent,
                    lead: None,
                })
            }
        };
        self.entry.clear();
        self.open.extend(inner);
    }

    /// Reads the text of a value. Returns the offset behind the closing outermost bracket or, if this bracket is
    /// missing, the offset at which the value ends. None if the text ends within the value.
    fn read(&mut self, text: &str) -> Option<usize> {
        let mut chars = text.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            if let Some((quote, held)) = &mut self.quoted {
                if c == *quote {
                    let held = std::mem::take(held);
                    self.quoted = None;
                    self.entry.push_str(&held);
                } else if c != ',' {
                    held.push(c);
                }
                continue;
            }
            match c {
                '"' | '\'' if self.entry.is_empty() || self.entry.ends_with(' ') => {
                    self.quoted = Some((c, String::new()))
                }
                '{' | '[' => self.open_bracket(c == '{'),
                '}' | ']' => {
                    self.end_entry();
                    self.open.pop();
                    if self.open.is_empty() {
                        return Some(at + 1);
                    }
                }
                ',' => self.end_entry(),
                '#' if self.entry.is_empty() || self.entry.ends_with(' ') => {
                    while chars.next_if(|(_, c)| *c != '\n').is_some() {}
                }
                '\n' => {
                    let rest = text.get(at + 1..).unwrap_or_default();
                    let line = rest.split('\n').next().unwrap_or_default();
                    let indent = line.len() - line.trim_start().len();
                    if !line.trim().is_empty() && indent < self.min_indent {
                        return Some(at);
                    }
                }
                // In JSON, no space is required after a colon.
                ':' if self.entry.ends_with(|c: char| c.is_alphanumeric())
                    && chars.peek().is_some_and(|(_, next)| ['"', '{', '['].contains(next)) =>
                {
                    self.entry.push_str(": ");
                }
                c if c.is_whitespace() && self.entry.is_empty() => {}
                c => self.entry.push(c),
            }
        }
        None
    }
}

/// Converts the document around the cursor to block style. Returns the texts before and after the cursor. None if the
/// cursor is not in a value in flow style.
pub(crate) fn flow_to_block(before: &str, after: &str) -> Option<(String, String)> {
    let mut above = String::new();
    let mut rest = before;
    loop {
        let end = rest.find('\n');
        let line = rest.get(..end.unwrap_or(rest.len()))?;
        let Some(at) = flow_value_offset(line) else {
            above.push_str(line);
            above.push('\n');
            rest = rest.get(end? + 1..)?;
            continue;
        };
        let mut reader = FlowReader::after(line.get(..at)?);
        let value = rest.get(at..)?;
        let Some(read) = reader.read(value) else {
            return convert_around_cursor(&above, reader, after);
        };
        above.push_str(&reader.lines);
        // Behind the value, the line can only contain a comment.
        let behind = value.get(read..)?;
        rest = behind.get(behind.find('\n')? + 1..)?;
    }
}

/// Converts the value in flow style that contains the cursor.
fn convert_around_cursor(above: &str, mut reader: FlowReader, after: &str) -> Option<(String, String)> {
    if reader.quoted.is_some() || reader.open.is_empty() {
        return None;
    }
    let entry = std::mem::take(&mut reader.entry);
    reader.write(entry.trim_start());
    let before = format!("{above}{}", std::mem::take(&mut reader.lines));
    let end = reader.read(after);
    // The part of the current entry behind the cursor stays in the cursor's line.
    let mut below = format!("\n{}", reader.lines);
    if let Some(rest) = end.and_then(|end| after.get(end..))
        && let Some(next) = rest.find('\n')
    {
        below.push_str(rest.get(next + 1..)?);
    }
    Some((before, below))
}

#[cfg(test)]
mod tests {
    use super::flow_to_block;

    fn convert_at_cursor(text: &str) -> Option<(String, String)> {
        let (before, after) = text.split_once('¦').expect("a cursor");
        flow_to_block(before, after)
    }

    #[test]
    fn flow_style_is_converted_to_block_style() {
        for (text, before) in [
            (
                "{apiVersion: v1, kind: Pod, spec: {¦",
                "apiVersion: v1\nkind: Pod\nspec:\n  ",
            ),
            (
                "spec: {containers: [{name: a, im¦",
                "spec:\n  containers:\n    - name: a\n      im",
            ),
            (
                "spec:\n  containers:\n  - {name: a, image: ¦",
                "spec:\n  containers:\n  - name: a\n    image: ",
            ),
            (
                "kind: PersistentVolumeClaim\nspec: {accessModes: [¦",
                "kind: PersistentVolumeClaim\nspec:\n  accessModes:\n    - ",
            ),
            ("metadata: {labels: {a: b}, ¦", "metadata:\n  labels:\n    a: b\n  "),
            (
                "metadata: {name: a} # it {\nspec: {¦",
                "metadata:\n  name: a\nspec:\n  ",
            ),
            (
                "spec: {\n  # all of them [\n  containers: [\n    {name: 'a, b'},\n    {¦",
                "spec:\n  containers:\n    - name: a b\n    - ",
            ),
            (
                "{\"kind\":\"Pod\", \"spec\":{\"a\": 1, ¦",
                "kind: Pod\nspec:\n  a: 1\n  ",
            ),
            ("bypasses: [[{at: 1s, ¦", "bypasses:\n  - - at: 1s\n      "),
        ] {
            assert_eq!(
                convert_at_cursor(text).map(|(before, _)| before).as_deref(),
                Some(before),
                "{text}"
            );
        }
    }

    #[test]
    fn text_after_cursor_is_converted_too() {
        let (before, after) = convert_at_cursor("{spec: {a¦: 1, b: 2}, kind: Pod}\n").expect("inside");
        assert_eq!(before, "spec:\n  a");
        assert!(
            after.starts_with('\n') && after.contains("\n  b: 2\nkind: Pod\n"),
            "{after:?}"
        );
        let (_, after) = convert_at_cursor("spec: {¦}\nkind: Pod\n").expect("inside");
        assert_eq!(after, "\nkind: Pod\n");
    }

    #[test]
    fn cursor_in_block_style_or_quotes_is_not_converted() {
        for text in [
            "spec:\n  ¦",
            "metadata: {name: a}\nspec:\n  ¦",
            "metadata: {name: \"a¦",
            "text: a {¦",
            "# {¦",
            "      a: {unclosed\nspec:\n  ¦",
        ] {
            assert_eq!(convert_at_cursor(text), None, "{text}");
        }
    }
}
