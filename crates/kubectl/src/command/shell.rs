//! Words of a command line, as a shell splits them: quotes, backslashes, pipes and
//! one here-document. Nothing is expanded; redirections are refused.

use std::iter::Peekable;
use std::str::CharIndices;

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

/// A line on its way into words.
struct Splitter<'t> {
    text: &'t str,
    chars: Peekable<CharIndices<'t>>,
    /// Of the character read last, from 1.
    column: u32,
    line: Line,
    /// The word that has begun.
    word: Option<Word>,
    /// The word that ends the here-document.
    marker: Option<String>,
}

impl<'t> Splitter<'t> {
    fn step(&mut self) -> Option<(usize, char)> {
        let next = self.chars.next()?;
        self.column += 1;
        Some(next)
    }

    fn fail<T>(&self, message: &str) -> Result<T, CommandError> {
        Err(CommandError::new(self.column, message))
    }

    /// The word that has begun, or else begins here.
    fn word(&mut self) -> &mut Word {
        let column = self.column;
        self.word.get_or_insert_with(|| Word {
            text: String::new(),
            column,
        })
    }

    fn end_word(&mut self) {
        let word = self.word.take();
        self.line.put(word);
    }

    /// Reads the line itself; what stands behind it.
    fn words(&mut self) -> Result<&'t str, CommandError> {
        while let Some((at, c)) = self.step() {
            let rest = self.text.get(at..).unwrap_or_default();
            match c {
                '\n' | '\r' => {
                    self.end_word();
                    return Ok(rest);
                }
                c if c.is_whitespace() => self.end_word(),
                '\'' | '"' => self.quoted(c)?,
                '\\' => self.escaped()?,
                '<' if self.word.is_none() && self.marker.is_none() && rest.starts_with("<<") => {
                    self.here_document(rest)?;
                }
                '|' if self.chars.peek().is_none_or(|(_, next)| *next != '|') => {
                    self.end_word();
                    self.line.pipe.push(Vec::new());
                }
                '|' | ';' | '&' | '<' | '>' if self.word.is_none() || c == '|' || c == ';' => {
                    return self
                        .fail("redirections and lists are not supported here: give each command a line of its own");
                }
                c => self.word().text.push(c),
            }
        }
        self.end_word();
        Ok("")
    }

    /// What stands behind a quote, up to the next.
    fn quoted(&mut self, quote: char) -> Result<(), CommandError> {
        let start = self.column;
        self.word();
        loop {
            let Some((_, mut inner)) = self.step() else {
                return Err(CommandError::new(start, "this quote is never closed"));
            };
            if inner == quote {
                return Ok(());
            }
            if quote == '"'
                && inner == '\\'
                && let Some((_, next @ ('"' | '\\' | '$' | '`'))) = self.chars.peek().copied()
            {
                self.step();
                inner = next;
            }
            self.word().text.push(inner);
        }
    }

    /// What stands behind a backslash.
    fn escaped(&mut self) -> Result<(), CommandError> {
        self.word();
        match self.chars.next() {
            // A continued line.
            Some((_, '\n')) => {
                self.word.take_if(|word| word.text.is_empty());
            }
            Some((_, next)) => {
                self.word().text.push(next);
                self.column += 1;
            }
            None => {
                let message = "a backslash at the end escapes nothing";
                return Err(CommandError::unfinished(self.column, message));
            }
        }
        Ok(())
    }

    /// `<<EOF`: the word that is to end the here-document.
    fn here_document(&mut self, text: &str) -> Result<(), CommandError> {
        let rest = text.get(2..).unwrap_or_default();
        let end = rest.find(|c: char| c.is_whitespace()).unwrap_or(rest.len());
        let raw = rest.get(..end).unwrap_or_default();
        let marker = raw.trim_matches(|c| c == '\'' || c == '"');
        if marker.is_empty() || !marker.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            return self.fail("a here-document needs a word after <<, e.g. <<EOF");
        }
        self.marker = Some(marker.to_owned());
        for _ in 0..1 + raw.chars().count() {
            self.step();
        }
        Ok(())
    }
}

/// The lines of a here-document; none if nothing ends it.
fn document(body: &str, marker: &str) -> Option<String> {
    let body = body
        .strip_prefix("\r\n")
        .or_else(|| body.strip_prefix('\n'))
        .unwrap_or(body);
    let mut content = String::new();
    for line in body.split_inclusive('\n') {
        if line.trim_end_matches(['\n', '\r']) == marker {
            return Some(content);
        }
        content.push_str(line);
    }
    None
}

/// Splits a line.
pub(crate) fn split(text: &str) -> Result<Line, CommandError> {
    if text.len() > MAX_COMMAND_BYTES {
        return Err(CommandError::new(
            1,
            format!("a command may not be longer than {MAX_COMMAND_BYTES} bytes"),
        ));
    }
    let mut splitter = Splitter {
        text,
        chars: text.char_indices().peekable(),
        column: 0,
        line: Line::default(),
        word: None,
        marker: None,
    };
    let body = splitter.words()?;
    let Splitter {
        mut line,
        marker,
        column,
        ..
    } = splitter;
    line.end = column.max(1);
    match marker {
        Some(marker) => {
            line.stdin = document(body, &marker);
            if line.stdin.is_none() {
                let message = format!("the here-document is never closed by {marker}");
                return Err(CommandError::unfinished(line.end, message));
            }
        }
        None if !body.trim().is_empty() => {
            return Err(CommandError::new(
                line.end,
                "one command at a time: another line follows",
            ));
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

    /// Shows: K-01
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
        // K-01: several commands in one line are told to be lines, wherever what joins them stands.
        for joined in ["a; b", "a ; b", "a && b"] {
            let said = split(joined).expect_err("two commands").message;
            assert!(said.contains("a line of its own"), "{joined}: {said}");
        }
        assert_eq!(words("a '{b};{c}'").unwrap(), ["a", "{b};{c}"]);
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
