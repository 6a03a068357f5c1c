//! Splits a command line into words like a shell: quotes, backslashes, pipes and one here-document. Variables and globs
//! are not expanded; redirections are errors.

use std::iter::Peekable;
use std::str::CharIndices;

use super::CommandError;

/// Maximum length of a command with its here-document, in bytes.
pub const MAX_COMMAND_BYTES: usize = 4 << 20;

/// A word of a command line, with its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Word {
    pub(crate) text: String,
    /// Column of the first character, from 1.
    pub(crate) column: u32,
}

/// A command line split into words.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct SplitLine {
    pub(crate) words: Vec<Word>,
    /// The words after each `|`.
    pub(crate) pipe: Vec<Vec<Word>>,
    /// Column after the last word.
    pub(crate) end: u32,
    /// Content of the here-document.
    pub(crate) stdin: Option<String>,
}

impl SplitLine {
    /// Appends a word to the command or to the last pipe.
    fn push(&mut self, word: Option<Word>) {
        self.pipe.last_mut().unwrap_or(&mut self.words).extend(word);
    }
}

/// State while a command line is split into words.
struct Splitter<'t> {
    text: &'t str,
    chars: Peekable<CharIndices<'t>>,
    /// Column of the last character read; the first column is 1.
    column: u32,
    line: SplitLine,
    /// The current word.
    word: Option<Word>,
    /// Delimiter of the here-document.
    delimiter: Option<String>,
}

impl<'t> Splitter<'t> {
    /// Reads the next character.
    fn next_char(&mut self) -> Option<(usize, char)> {
        let next = self.chars.next()?;
        self.column += 1;
        Some(next)
    }

    /// Returns an error at the current column.
    fn fail<T>(&self, message: &str) -> Result<T, CommandError> {
        Err(CommandError::new(self.column, message))
    }

    /// Returns the current word; starts one if necessary.
    fn word(&mut self) -> &mut Word {
        let column = self.column;
        self.word.get_or_insert_with(|| Word {
            text: String::new(),
            column,
        })
    }

    fn end_word(&mut self) {
        let word = self.word.take();
        self.line.push(word);
    }

    /// Splits the first line, and returns the text after it.
    fn split_first_line(&mut self) -> Result<&'t str, CommandError> {
        while let Some((at, c)) = self.next_char() {
            let rest = self.text.get(at..).unwrap_or_default();
            match c {
                '\n' | '\r' => {
                    self.end_word();
                    return Ok(rest);
                }
                c if c.is_whitespace() => self.end_word(),
                '\'' | '"' => self.read_quoted(c)?,
                '\\' => self.read_escaped()?,
                '<' if self.word.is_none() && self.delimiter.is_none() && rest.starts_with("<<") => {
                    self.read_delimiter(rest)?;
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

    /// Reads quoted text up to the closing quote.
    fn read_quoted(&mut self, quote: char) -> Result<(), CommandError> {
        let start = self.column;
        self.word();
        loop {
            let Some((_, mut inner)) = self.next_char() else {
                return Err(CommandError::new(start, "this quote is never closed"));
            };
            if inner == quote {
                return Ok(());
            }
            if quote == '"'
                && inner == '\\'
                && let Some((_, next @ ('"' | '\\' | '$' | '`'))) = self.chars.peek().copied()
            {
                self.next_char();
                inner = next;
            }
            self.word().text.push(inner);
        }
    }

    /// Reads the character after a backslash.
    fn read_escaped(&mut self) -> Result<(), CommandError> {
        self.word();
        match self.chars.next() {
            // A backslash at the end of a line continues the line.
            Some((_, '\n')) => {
                self.word.take_if(|word| word.text.is_empty());
            }
            Some((_, next)) => {
                self.word().text.push(next);
                self.column += 1;
            }
            None => {
                let message = "a backslash at the end escapes nothing";
                return Err(CommandError::for_unfinished_command(self.column, message));
            }
        }
        Ok(())
    }

    /// Reads the delimiter of a here-document: `<<EOF`.
    fn read_delimiter(&mut self, text: &str) -> Result<(), CommandError> {
        let rest = text.get(2..).unwrap_or_default();
        let end = rest.find(|c: char| c.is_whitespace()).unwrap_or(rest.len());
        let raw = rest.get(..end).unwrap_or_default();
        let delimiter = raw.trim_matches(|c| c == '\'' || c == '"');
        if delimiter.is_empty() || !delimiter.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            return self.fail("a here-document needs a word after <<, e.g. <<EOF");
        }
        self.delimiter = Some(delimiter.to_owned());
        for _ in 0..1 + raw.chars().count() {
            self.next_char();
        }
        Ok(())
    }
}

/// Returns the lines of a here-document; `None` if its closing delimiter is missing.
fn here_document_content(body: &str, delimiter: &str) -> Option<String> {
    let body = body
        .strip_prefix("\r\n")
        .or_else(|| body.strip_prefix('\n'))
        .unwrap_or(body);
    let mut content = String::new();
    for line in body.split_inclusive('\n') {
        if line.trim_end_matches(['\n', '\r']) == delimiter {
            return Some(content);
        }
        content.push_str(line);
    }
    None
}

/// Splits a command line.
pub(crate) fn split(text: &str) -> Result<SplitLine, CommandError> {
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
        line: SplitLine::default(),
        word: None,
        delimiter: None,
    };
    let body = splitter.split_first_line()?;
    let Splitter {
        mut line,
        delimiter,
        column,
        ..
    } = splitter;
    line.end = column.max(1);
    match delimiter {
        Some(delimiter) => {
            line.stdin = here_document_content(body, &delimiter);
            if line.stdin.is_none() {
                let message = format!("the here-document is never closed by {delimiter}");
                return Err(CommandError::for_unfinished_command(line.end, message));
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

/// Quotes a text so that [`split`] parses it as one word.
pub(crate) fn quote(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@%+[]{}!~^".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
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

/// Formats a text as a here-document, which [`split`] parses to the same text. A final newline is added if missing.
pub(crate) fn here_document(text: &str) -> String {
    let mut delimiter = String::from("EOF");
    while text.lines().any(|line| line == delimiter) {
        delimiter.push('F');
    }
    let newline = if text.is_empty() || text.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    format!("<<'{delimiter}'\n{text}{newline}{delimiter}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shows: K-01
    #[test]
    fn command_line_splits_into_words_and_here_document() {
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
        // Several commands on one line are an error, whose message asks to use separate lines (K-01).
        for joined in ["a; b", "a ; b", "a && b"] {
            let message = split(joined).expect_err("two commands").message;
            assert!(message.contains("a line of its own"), "{joined}: {message}");
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
