//! Parser of JSONPath templates. It reads character by character like client-go's parser, so it accepts the same texts
//! and reports the same errors (KC-054).

use super::{Node, Segment, SliceParam};

/// Maximum nesting depth of unions and filters.
const MAX_NESTING_DEPTH: usize = 8;
/// Maximum number of nodes of one action.
const MAX_NODES_PER_ACTION: usize = 256;

/// Parses a template into its literal text and its actions.
pub(super) fn parse(text: &str, keys: QuotedKeys) -> Result<Vec<Segment>, String> {
    Parser::new(text, 0, keys).parse_template()
}

/// Meaning of the text between `['` and `']`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum QuotedKeys {
    /// The text is a path, as in kubectl: an unescaped dot separates fields.
    Paths,
    /// The text is one key, whatever characters it contains.
    Whole,
}

/// Parses the characters of a template.
struct Parser {
    input: Vec<char>,
    /// Index of the next character.
    pos: usize,
    /// Index of the first character of the current token.
    start: usize,
    depth: usize,
    keys: QuotedKeys,
}

impl Parser {
    fn new(text: &str, depth: usize, keys: QuotedKeys) -> Parser {
        Parser {
            input: text.chars().collect(),
            pos: 0,
            start: 0,
            depth,
            keys,
        }
    }

    fn parse_template(mut self) -> Result<Vec<Segment>, String> {
        let mut out = Vec::new();
        loop {
            let at_action = self.input.get(self.pos) == Some(&'{');
            if (at_action || self.pos >= self.input.len()) && self.pos > self.start {
                out.push(Segment::Text(self.take_token()));
            }
            if at_action {
                self.pos += 1;
                self.take_token();
                out.push(Segment::Action(self.parse_action()?));
            } else if self.pos >= self.input.len() {
                return Ok(out);
            } else {
                self.pos += 1;
            }
        }
    }

    /// Parses a part of a union or of a filter with a parser of its own.
    fn parse_nested(&self, text: &str) -> Result<Vec<Node>, String> {
        if self.depth >= MAX_NESTING_DEPTH {
            return Err("filters are nested too deeply".into());
        }
        let parts = Parser::new(&format!("{{{text}}}"), self.depth + 1, self.keys).parse_template()?;
        Ok(match parts.into_iter().next() {
            Some(Segment::Action(nodes)) => nodes,
            _ => Vec::new(),
        })
    }

    /// Returns the current token and starts the next one.
    fn take_token(&mut self) -> String {
        let taken = self
            .input
            .get(self.start..self.pos)
            .unwrap_or_default()
            .iter()
            .collect();
        self.start = self.pos;
        taken
    }

    /// Reads the next character; `None` at the end.
    fn next(&mut self) -> Option<char> {
        let next = self.input.get(self.pos).copied();
        self.pos += usize::from(next.is_some());
        next
    }

    fn peek(&self) -> Option<char> {
        self.input.get(self.pos).copied()
    }

    fn is_at(&self, prefix: &str) -> bool {
        prefix
            .chars()
            .enumerate()
            .all(|(at, c)| self.input.get(self.pos + at) == Some(&c))
    }

    /// Parses an action after its opening brace, up to and including the closing one.
    fn parse_action(&mut self) -> Result<Vec<Node>, String> {
        let mut nodes = Vec::new();
        loop {
            if nodes.len() > MAX_NODES_PER_ACTION {
                return Err("the path is too long".into());
            }
            if self.is_at("}") {
                self.pos += 1;
                self.take_token();
                return Ok(nodes);
            }
            if self.is_at("[?(") {
                self.parse_filter(&mut nodes)?;
                continue;
            }
            if self.is_at("..") {
                if matches!(nodes.last(), Some(Node::Recursive)) {
                    return Err("invalid multiple recursive descent".into());
                }
                self.pos += 2;
                self.take_token();
                nodes.push(Node::Recursive);
                if self.peek().is_some_and(is_alphanumeric) {
                    self.parse_field(&mut nodes);
                }
                continue;
            }
            match self.next() {
                None | Some('\r' | '\n') => return Err("unclosed action".into()),
                Some(' ' | '@' | '$') => drop(self.take_token()),
                Some('[') => self.parse_array(&mut nodes)?,
                Some(quote @ ('"' | '\'')) => self.parse_quote(quote, &mut nodes)?,
                Some('.') => self.parse_field(&mut nodes),
                Some(c) if c == '+' || c == '-' || c.is_numeric() => {
                    self.pos -= 1;
                    self.parse_number(&mut nodes)?;
                }
                Some(c) if is_alphanumeric(c) => {
                    while self.peek().is_some_and(|c| !is_terminator(c)) {
                        self.pos += 1;
                    }
                    nodes.push(match self.take_token().as_str() {
                        "true" => Node::Literal(true.into()),
                        "false" => Node::Literal(false.into()),
                        name => Node::Identifier(name.to_owned()),
                    });
                }
                Some(c) => {
                    return Err(format!(
                        "unrecognized character in action: {}",
                        crate::gotext::format_code_point(c)
                    ));
                }
            }
        }
    }

    /// Parses a field, up to a terminator that is not escaped by a backslash.
    fn parse_field(&mut self, nodes: &mut Vec<Node>) {
        self.take_token();
        while let Some(c) = self.peek() {
            if c == '\\' {
                self.pos += 1;
                self.next();
            } else if is_terminator(c) {
                break;
            } else {
                self.pos += 1;
            }
        }
        let name = self.take_token();
        nodes.push(match name.as_str() {
            "*" => Node::Wildcard,
            _ => Node::Field(name.replace('\\', "")),
        });
    }

    fn parse_number(&mut self, nodes: &mut Vec<Node>) -> Result<(), String> {
        if matches!(self.peek(), Some('+' | '-')) {
            self.pos += 1;
        }
        while self.peek().is_some_and(|c| c == '.' || c.is_numeric()) {
            self.pos += 1;
        }
        let text = self.take_token();
        let value = match (text.parse::<i64>(), text.parse::<f64>()) {
            (Ok(number), _) => number.into(),
            (_, Ok(number)) if text.ends_with(|c: char| c.is_ascii_digit() || c == '.') => number.into(),
            _ => return Err(format!("cannot parse number {text}")),
        };
        nodes.push(Node::Literal(value));
        Ok(())
    }

    /// Parses a quoted string with Go's escapes.
    fn parse_quote(&mut self, end: char, nodes: &mut Vec<Node>) -> Result<(), String> {
        loop {
            match self.next() {
                None | Some('\n') => return Err("unterminated quoted string".into()),
                Some(c) if c == end && self.input.get(self.pos.wrapping_sub(2)) != Some(&'\\') => break,
                Some(_) => {}
            }
        }
        let text = self.take_token();
        let inner = text.strip_prefix(end).and_then(|text| text.strip_suffix(end));
        match inner.and_then(unescaped) {
            Some(text) => nodes.push(Node::Literal(text.into())),
            None => return Err(format!("unquote string {text} error invalid syntax")),
        }
        Ok(())
    }

    /// Parses `[0]`, `[0:2]`, `['name']`, `[*]`, or several of them separated by commas.
    fn parse_array(&mut self, nodes: &mut Vec<Node>) -> Result<(), String> {
        loop {
            match self.next() {
                None | Some('\n') => return Err("unterminated array".into()),
                Some(']') => break,
                Some(_) => {}
            }
        }
        let text = self.take_token();
        let text = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
        let text = match text.unwrap_or_default() {
            "*" => ":",
            text => text,
        };
        if text.contains(',') {
            let parts: Result<Vec<Vec<Node>>, String> = text
                .split(',')
                .map(|part| self.parse_nested(&format!("[{}]", part.trim_matches(' '))))
                .collect();
            nodes.push(Node::Union(parts?));
            return Ok(());
        }
        let key = text.strip_prefix('\'').and_then(|text| text.strip_suffix('\''));
        if let Some(key) = key.filter(|key| !key.contains('\'')) {
            match self.keys {
                QuotedKeys::Paths => nodes.extend(self.parse_nested(&format!(".{key}"))?),
                QuotedKeys::Whole => nodes.push(Node::Field(key.replace('\\', ""))),
            }
            return Ok(());
        }
        nodes.push(Node::Array(parse_slice(text)?));
        Ok(())
    }

    /// Parses `[?(LEFT OPERATOR RIGHT)]` or `[?(PATH)]`.
    fn parse_filter(&mut self, nodes: &mut Vec<Node>) -> Result<(), String> {
        self.pos += "[?(".len();
        self.take_token();
        let (mut opening_quote, mut is_quote_closed) = (None, false);
        loop {
            match self.next() {
                None | Some('\n') => return Err("unterminated filter".into()),
                Some(quote @ ('"' | '\'')) => match opening_quote {
                    None => opening_quote = Some(quote),
                    Some(open) if open == quote && self.input.get(self.pos.wrapping_sub(2)) != Some(&'\\') => {
                        is_quote_closed = true;
                    }
                    Some(_) => {}
                },
                Some(')') if opening_quote.is_some() == is_quote_closed => break,
                Some(_) => {}
            }
        }
        if self.next() != Some(']') {
            return Err("unclosed array expect ]".into());
        }
        let text = self.take_token();
        let text = text.strip_suffix(")]").unwrap_or(&text);
        nodes.push(match split_comparison(text) {
            None => Node::Filter(self.parse_nested(text)?, None),
            Some((left, operator, right)) => Node::Filter(
                self.parse_nested(left)?,
                Some((operator.to_owned(), self.parse_nested(right)?)),
            ),
        });
        Ok(())
    }
}

/// Splits a comparison into left side, operator and right side. The operator is the first run of `!`, `<`, `>` and `=`.
fn split_comparison(text: &str) -> Option<(&str, &str, &str)> {
    let is_operator = |c: char| matches!(c, '!' | '<' | '>' | '=');
    let from = text.find(is_operator).filter(|from| *from > 0)?;
    let rest = text.get(from..)?;
    let mut len = rest.find(|c| !is_operator(c)).unwrap_or(rest.len());
    if len == rest.len() {
        // If the text ends with the operator, the last character of the operator becomes the right side.
        len = len.checked_sub(1).filter(|len| *len > 0)?;
    }
    Some((text.get(..from)?, rest.get(..len)?, rest.get(len..)?))
}

/// Parses `FROM`, `FROM:TO` or `FROM:TO:STEP`.
fn parse_slice(text: &str) -> Result<[SliceParam; 3], String> {
    let parts: Vec<&str> = text.split(':').collect();
    let is_number = |part: &&str| {
        part.strip_prefix('-')
            .unwrap_or(part)
            .bytes()
            .all(|b| b.is_ascii_digit())
    };
    if parts.len() > 3 || !parts.iter().all(is_number) {
        return Err(format!("invalid array index {text}"));
    }
    let mut params = [SliceParam::default(); 3];
    for (at, param) in params.iter_mut().enumerate() {
        if let Some(part) = parts.get(at).filter(|part| !part.is_empty()) {
            let number = part
                .parse()
                .map_err(|_| format!("array index {part} is not a number"))?;
            param.value = Some(number);
        }
    }
    // An index without a colon selects one element.
    if parts.len() == 1 {
        let [from, to, _] = &mut params;
        *to = SliceParam {
            value: Some(from.value.unwrap_or(0).saturating_add(1)),
            is_derived: true,
        };
    }
    Ok(params)
}

/// Replaces Go's escapes in a string; `None` if an escape is invalid.
fn unescaped(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(rest.get(..at)?);
        let escape = rest.get(at + 1..)?;
        let letter = escape.chars().next()?;
        let mut len = letter.len_utf8();
        out.push(match letter {
            'a' => '\u{7}',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'v' => '\u{b}',
            '\\' | '\'' | '"' => letter,
            'x' | 'u' | 'U' => {
                let digits = match letter {
                    'x' => escape.get(1..3)?,
                    'u' => escape.get(1..5)?,
                    _ => escape.get(1..9)?,
                };
                len += digits.len();
                char::from_u32(u32::from_str_radix(digits, 16).ok()?)?
            }
            _ => return None,
        });
        rest = escape.get(len..)?;
    }
    out.push_str(rest);
    Some(out)
}

fn is_alphanumeric(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

fn is_terminator(c: char) -> bool {
    matches!(
        c,
        ' ' | '\t' | '\r' | '\n' | '.' | ',' | '[' | ']' | '$' | '@' | '{' | '}'
    )
}
