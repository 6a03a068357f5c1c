//! Words of a command line, as a shell splits them: quotes, backslashes, pipes and
//! one here-document. Nothing is expanded; redirections are refused.

use super::CommandError;

/// Longest command line accepted, in bytes (a pasted manifest is the long part).
pub const MAX_COMMAND_BYTES: usize = 4 << 20;

/// A word and where it starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Word {
    pub(crate) text: String,
    /// From 1, in characters.
    pub(crate) column: u32,
}

/// A split line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Line {
    pub(crate) words: Vec<Word>,
    /// The words behind each `|`.
    pub(crate) pipe: Vec<Vec<Word>>,
    /// Where the last of them ends.
    pub(crate) end: u32,
    /// The here-document.
    pub(crate) stdin: Option<String>,
}

impl Line {
    /// A word that has ended, where it belongs.
    fn put(&mut self, word: Option<Word>) {
        self.pipe.last_mut().unwrap_or(&mut self.words).extend(word);
    }
}

/// Splits a line.
pub(crate) fn split(text: &str) -> Result<Line, CommandError> {
    if text.len() > MAX_COMMAND_BYTES {
        return Err(CommandError::new(
            1,
            format!("a command may not be longer than {MAX_COMMAND_BYTES} bytes"),
        ));
    }
    let mut line = Line::default();
    let mut chars = text.char_indices().peekable();
    let mut column = 0u32;
    let mut word: Option<Word> = None;
    let mut here: Option<String> = None;
    let mut body_from = text.len();
    let fail = |column: u32, message: &str| Err(CommandError::new(column, message));
    while let Some((at, c)) = chars.next() {
        column += 1;
        let current = |word: &mut Option<Word>, column: u32| {
            if word.is_none() {
                *word = Some(Word {
                    text: String::new(),
                    column,
                });
            }
        };
        match c {
            '\n' | '\r' => {
                body_from = at;
                break;
            }
            c if c.is_whitespace() => line.put(word.take()),
            '\'' | '"' => {
                let start = column;
                current(&mut word, column);
                loop {
                    let Some((_, inner)) = chars.next() else {
                        return fail(start, "this quote is never closed");
                    };
                    column += 1;
                    if inner == c {
                        break;
                    }
                    let mut pushed = inner;
                    if c == '"'
                        && inner == '\\'
                        && let Some((_, next @ ('"' | '\\' | '$' | '`'))) = chars.peek().copied()
                    {
                        chars.next();
                        column += 1;
                        pushed = next;
                    }
                    if let Some(word) = &mut word {
                        word.text.push(pushed);
                    }
                }
            }
            '\\' => {
                current(&mut word, column);
                match chars.next() {
                    // A continued line.
                    Some((_, '\n')) => {
                        if word.as_ref().is_some_and(|word| word.text.is_empty()) {
                            word = None;
                        }
                    }
                    Some((_, next)) => {
                        column += 1;
                        if let Some(word) = &mut word {
                            word.text.push(next);
                        }
                    }
                    None => {
                        let message = "a backslash at the end escapes nothing";
                        return Err(CommandError::unfinished(column, message));
                    }
                }
            }
            '<' if word.is_none() && text.get(at..).is_some_and(|rest| rest.starts_with("<<")) && here.is_none() => {
                let rest = text.get(at + 2..).unwrap_or_default();
                let end = rest.find(|c: char| c.is_whitespace()).unwrap_or(rest.len());
                let raw = rest.get(..end).unwrap_or_default();
                let marker = raw.trim_matches(|c| c == '\'' || c == '"');
                if marker.is_empty() || !marker.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
                    return fail(column, "a here-document needs a word after <<, e.g. <<EOF");
                }
                here = Some(marker.to_owned());
                for _ in 0..1 + raw.chars().count() {
                    chars.next();
                    column += 1;
                }
            }
            '|' if chars.peek().is_none_or(|(_, next)| *next != '|') => {
                line.put(word.take());
                line.pipe.push(Vec::new());
            }
            '|' | ';' | '&' | '<' | '>' if word.is_none() || c == '|' => {
                return fail(
                    column,
                    "one command at a time: redirections and lists are not supported here",
                );
            }
            c => {
                current(&mut word, column);
                if let Some(word) = &mut word {
                    word.text.push(c);
                }
            }
        }
    }
    line.put(word.take());
    line.end = column.max(1);
    let body = text.get(body_from..).unwrap_or_default();
    match here {
        Some(marker) => {
            let body = body
                .strip_prefix("\r\n")
                .or_else(|| body.strip_prefix('\n'))
                .unwrap_or(body);
            let mut content = String::new();
            let mut closed = false;
            for text_line in body.split_inclusive('\n') {
                if text_line.trim_end_matches(['\n', '\r']) == marker {
                    closed = true;
                    break;
                }
                content.push_str(text_line);
            }
            if !closed {
                let message = format!("the here-document is never closed by {marker}");
                return Err(CommandError::unfinished(column.max(1), message));
            }
            line.stdin = Some(content);
        }
        None if !body.trim().is_empty() => {
            return fail(column.max(1), "one command at a time: another line follows");
        }
        None => {}
    }
    Ok(line)
}

/// A word that [`split`] reads back as this text.
pub(crate) fn quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@%+[]{}!~^".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else if !word.contains('\'') {
        format!("'{word}'")
    } else {
        let mut out = String::from("\"");
        for c in word.chars() {
            if matches!(c, '"' | '\\' | '$' | '`') {
                out.push('\\');
            }
            out.push(c);
        }
        out.push('"');
        out
    }
}

/// A here-document that [`split`] reads back as this text (which ends with a newline, or one is added).
pub(crate) fn here_document(text: &str) -> String {
    let mut marker = String::from("EOF");
    while text.lines().any(|line| line == marker) {
        marker.push('F');
    }
    let newline = if text.is_empty() || text.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    format!("<<'{marker}'\n{text}{newline}{marker}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_quotes() {
        let words =
            |text: &str| split(text).map(|line| line.words.into_iter().map(|word| word.text).collect::<Vec<_>>());
        for (text, want) in [
            ("a  b", vec!["a", "b"]),
            (r#"a 'b c' "d \"e\"" f\ g"#, vec!["a", "b c", "d \"e\"", "f g"]),
            ("a ''", vec!["a", ""]),
            ("x='a b'c", vec!["x=a bc"]),
            ("a \\\n b", vec!["a", "b"]),
        ] {
            assert_eq!(words(text).unwrap(), want, "{text}");
        }
        for bad in ["a 'b", "a || b", "a\nb", "a <<", "a <<EOF\nx", "a \\"] {
            assert!(split(bad).is_err(), "{bad}");
        }
        assert_eq!(
            split("a <<EOF\nx\n y\nEOF\n").unwrap().stdin.as_deref(),
            Some("x\n y\n")
        );
        for word in ["a b", "it's", "", "a\\'b\"$", "ü", "{.a}"] {
            assert_eq!(words(&quote(word)).unwrap(), vec![word]);
        }
    }
}
