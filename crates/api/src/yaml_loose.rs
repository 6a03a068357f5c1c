//! Makes the YAML parser accept texts that the API server's YAML library (go-yaml) accepts: go-yaml requires no
//! indentation inside brackets and quotes, and allows tabs for indentation inside brackets.
//!
//! This is used only for a text that the parser refused because of its indentation. Lines that begin inside brackets or
//! quotes are indented, which does not change their meaning. The number of added columns is recorded, so that positions
//! refer to the original text.

/// A text with some lines indented.
pub(crate) struct Reindented {
    pub(crate) text: String,
    /// The numbers of the indented lines (from 1, ascending), each with the number of columns that were added to it.
    pub(crate) shifts: Vec<(u32, u32)>,
}

/// Indents lines that begin inside brackets or quotes beyond the opening character. Returns None if there are no such
/// lines.
pub(crate) fn reindent(text: &str) -> Option<Reindented> {
    let mut reindented = Reindented {
        text: String::with_capacity(text.len() + text.len() / 8),
        shifts: Vec::new(),
    };
    let mut state = Lexer::default();
    for (number, line) in (1_u32..).zip(text.split_inclusive('\n')) {
        let shift = state.missing_indent(line);
        if shift > 0 {
            reindented
                .shifts
                .push((number, u32::try_from(shift).unwrap_or(u32::MAX)));
            reindented.text.extend(std::iter::repeat_n(' ', shift));
        }
        reindented.text.push_str(line);
        state.read_line(line);
    }
    (!reindented.shifts.is_empty()).then_some(reindented)
}

/// The lexical state at a position in the text.
#[derive(Default)]
struct Lexer {
    /// Number of open brackets.
    depth: usize,
    /// The open quotation mark, if any.
    quote: Option<char>,
    /// The column after the outermost open bracket or quotation mark.
    inside_column: usize,
    /// The column (from 1) of the innermost mapping key or list dash in block style; 0 if there is none.
    block_column: usize,
    /// A scalar that continues on following lines with more indentation.
    continued_scalar: Option<MultilineScalar>,
}

/// A scalar of several lines.
#[derive(Clone, Copy, PartialEq)]
enum MultilineScalar {
    /// A block scalar (`|` or `>`).
    Block,
    /// A plain (unquoted) scalar.
    Plain,
}

impl Lexer {
    fn is_inside_brackets_or_quotes(&self) -> bool {
        self.depth > 0 || self.quote.is_some()
    }

    /// Returns the number of columns by which a line must be indented.
    fn missing_indent(&self, line: &str) -> usize {
        let body = line.trim_start_matches([' ', '\t']);
        let is_marker = line.starts_with("---") || line.starts_with("...");
        if !self.is_inside_brackets_or_quotes() || body.trim().is_empty() || is_marker {
            return 0;
        }
        let blanks = &line[..line.len() - body.len()];
        if blanks.contains('\t') {
            self.inside_column
        } else {
            self.inside_column.saturating_sub(blanks.len())
        }
    }

    fn read_line(&mut self, line: &str) {
        let characters: Vec<char> = line.trim_end_matches(['\n', '\r']).chars().collect();
        let start = characters.iter().take_while(|c| matches!(c, ' ' | '\t')).count();
        if start == characters.len() {
            return;
        }
        if !self.is_inside_brackets_or_quotes() {
            let is_further = start + 1 > self.block_column;
            match self.continued_scalar {
                Some(MultilineScalar::Block) if is_further => return,
                Some(MultilineScalar::Plain) if is_further && characters[start] != '#' => return,
                _ => self.continued_scalar = None,
            }
        }
        let mut at = start;
        while at < characters.len() {
            at = match self.quote {
                Some(quote) => self.read_quoted(&characters, at, quote),
                None => self.read_token(&characters, at),
            };
        }
    }

    /// Reads up to the end of a quoted text or of the line; returns the position after it.
    fn read_quoted(&mut self, line: &[char], mut at: usize, quote: char) -> usize {
        while let Some(c) = line.get(at) {
            let next = line.get(at + 1);
            if quote == '"' && *c == '\\' || quote == '\'' && *c == quote && next == Some(&quote) {
                at += 2;
            } else if *c == quote {
                self.quote = None;
                return at + 1;
            } else {
                at += 1;
            }
        }
        at
    }

    /// Reads one token outside quotes; returns the position of the next token.
    fn read_token(&mut self, line: &[char], at: usize) -> usize {
        let is_blank = |c: Option<&char>| c.is_none_or(|c| matches!(c, ' ' | '\t'));
        let next = line.get(at + 1);
        match line[at] {
            ' ' | '\t' => at + 1,
            '#' if at == 0 || is_blank(line.get(at - 1)) => line.len(),
            '%' if at == 0 => line.len(),
            '-' if at == 0 && line.starts_with(&['-', '-', '-']) && is_blank(line.get(3)) => {
                self.block_column = 0;
                3
            }
            '-' | '?' if self.depth == 0 && is_blank(next) => {
                self.block_column = at + 1;
                at + 1
            }
            ':' if is_blank(next) => at + 1,
            '&' | '*' | '!' => at + line[at..].iter().take_while(|c| !is_blank(Some(c))).count().max(1),
            '|' | '>' if self.depth == 0 => {
                self.continued_scalar = Some(MultilineScalar::Block);
                line.len()
            }
            '[' | '{' => {
                self.record_opening_column(at);
                self.depth += 1;
                at + 1
            }
            ']' | '}' => {
                self.depth = self.depth.saturating_sub(1);
                at + 1
            }
            ',' | ':' if self.depth > 0 => at + 1,
            quote @ ('"' | '\'') => {
                self.record_opening_column(at);
                self.quote = Some(quote);
                if self.depth == 0 && is_quoted_key(line, at, quote) {
                    self.block_column = at + 1;
                }
                at + 1
            }
            _ => self.read_plain(line, at),
        }
    }

    /// Records the column of an opening bracket or quotation mark.
    fn record_opening_column(&mut self, at: usize) {
        if self.depth == 0 {
            self.inside_column = at + 1;
        }
    }

    /// Reads a plain scalar: a key, or a value that ends with the line or with the bracket around it. Returns the
    /// position after the scalar.
    fn read_plain(&mut self, line: &[char], start: usize) -> usize {
        let is_blank = |c: Option<&char>| c.is_none_or(|c| matches!(c, ' ' | '\t'));
        let is_bracket = |c: Option<&char>| c.is_some_and(|c| matches!(c, ',' | '[' | ']' | '{' | '}'));
        for (at, c) in line.iter().enumerate().skip(start) {
            let next = line.get(at + 1);
            if self.depth > 0 && (is_bracket(Some(c)) || *c == ':' && is_bracket(next)) {
                return at.max(start + usize::from(*c == ':'));
            }
            if *c == ':' && is_blank(next) {
                if self.depth == 0 {
                    self.block_column = start + 1;
                }
                return at + 1;
            }
            if *c == '#' && at > start && is_blank(line.get(at - 1)) {
                return line.len();
            }
        }
        if self.depth == 0 {
            self.continued_scalar = Some(MultilineScalar::Plain);
        }
        line.len()
    }
}

/// Returns whether a colon follows a quoted text on its line, which makes the text a key.
fn is_quoted_key(line: &[char], start: usize, quote: char) -> bool {
    let mut inner = Lexer::default();
    let end = inner.read_quoted(line, start + 1, quote);
    let mut rest = line[end..].iter().skip_while(|c| matches!(c, ' ' | '\t'));
    rest.next() == Some(&':')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Text inside brackets and quotes needs no indentation (VA-246).
    #[test]
    fn lines_inside_brackets_and_quotes_are_indented() {
        let indented = |text: &str| reindent(text).map(|reindented| (reindented.text, reindented.shifts));
        for (text, lines, shifts) in [
            (
                "a:\n  b: [\n  1,\n2\n  ]\n",
                "a:\n  b: [\n      1,\n      2\n      ]\n",
                &[(3, 4), (4, 6), (5, 4)][..],
            ),
            ("- \"x\ny\"\n- z\n", "- \"x\n   y\"\n- z\n", &[(2, 3)]),
            ("a: {\n\tb: 1 }\n", "a: {\n    \tb: 1 }\n", &[(2, 4)]),
        ] {
            assert_eq!(indented(text), Some((lines.to_owned(), shifts.to_vec())), "{text}");
        }
        for text in [
            "a: |\n  [\nb: 1\n",
            "a: it's\nb: x[0\nc: 1\n",
            "a: x\n  \"y\nb: 1\n",
            "a: 'it''s'\nb: 1\n",
            "# [\na: 1 # {\nb: 2\n",
            "a: [b, c] # ok\nd: e\n",
        ] {
            assert_eq!(indented(text), None, "{text}");
        }
    }
}
