//! Parser of Go templates: splits the text into literal text and actions, and parses the actions.

use serde_json::Value;

use super::{FUNCTIONS, MAX_NESTING_DEPTH, Node, Pipe, PipeTerm, TermRoot};

/// A token of a template: literal text, or the inside of an action.
pub(super) struct Token {
    line: usize,
    is_action: bool,
    text: String,
}

/// Line number and message of a syntax error.
pub(super) type SyntaxError = (usize, String);

/// Splits a template into tokens.
pub(super) fn tokens(text: &str) -> Parsed<Vec<Token>> {
    let mut out = Vec::new();
    let token = |line: usize, is_action: bool, text: &str| Token {
        line,
        is_action,
        text: text.to_owned(),
    };
    let (mut rest, mut line) = (text, 1);
    let mut trims_next = false;
    while let Some(open) = rest.find("{{") {
        let mut before = &rest[..open];
        let mut body = &rest[open + 2..];
        if trims_next {
            before = before.trim_start();
        }
        if let Some(inner) = body.strip_prefix("- ") {
            before = before.trim_end();
            body = inner;
        }
        if !before.is_empty() {
            out.push(token(line, false, before));
        }
        line += rest[..open].matches('\n').count();
        let close = end_of_action(body).ok_or_else(|| (line, "unclosed action".to_owned()))?;
        let mut action = &body[..close];
        trims_next = action.ends_with(" -");
        if trims_next {
            action = &action[..action.len() - 2];
        }
        if !action.trim_start().starts_with("/*") {
            out.push(token(line, true, action.trim()));
        }
        line += body[..close].matches('\n').count();
        rest = &body[close + 2..];
    }
    let rest = if trims_next { rest.trim_start() } else { rest };
    if !rest.is_empty() {
        out.push(token(line, false, rest));
    }
    Ok(out)
}

/// Returns the position of the `}}` that ends an action. Quoted text is skipped.
fn end_of_action(body: &str) -> Option<usize> {
    let (mut quote, mut escaped) = (None, false);
    for (at, c) in body.char_indices() {
        match (quote, c) {
            (Some('"'), '\\') if !escaped => {
                escaped = true;
                continue;
            }
            (Some(open), c) if c == open && !escaped => quote = None,
            (Some(_), _) => {}
            (None, '"' | '`') => quote = Some(c),
            (None, '}') if body[at..].starts_with("}}") => return Some(at),
            _ => {}
        }
        escaped = false;
    }
    None
}

/// Parses the tokens of a template into nodes.
pub(super) struct Parser<'t> {
    pub(super) tokens: &'t [Token],
    pub(super) at: usize,
    pub(super) depth: usize,
}

/// Result of parsing a part of a template.
pub(super) type Parsed<T> = Result<T, SyntaxError>;

impl Parser<'_> {
    pub(super) fn line(&self) -> usize {
        let token = self.tokens.get(self.at.saturating_sub(1)).or(self.tokens.last());
        token.map_or(1, |token| token.line)
    }

    fn fail<T>(&self, why: impl Into<String>) -> Parsed<T> {
        Err((self.line(), why.into()))
    }

    /// Parses nodes up to `end` or `else`, and returns that action.
    pub(super) fn parse_nodes(&mut self) -> Parsed<(Vec<Node>, Option<String>)> {
        self.depth += 1;
        if self.depth > MAX_NESTING_DEPTH {
            return self.fail("blocks are nested too deeply");
        }
        let mut nodes = Vec::new();
        while let Some(Token { is_action, text, .. }) = self.tokens.get(self.at) {
            self.at += 1;
            if !is_action {
                nodes.push(Node::Text(text.clone()));
                continue;
            }
            let (keyword, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
            match keyword {
                "end" | "else" => {
                    self.depth -= 1;
                    return Ok((nodes, Some(text.clone())));
                }
                "if" | "with" | "range" => nodes.push(self.parse_block(keyword, rest)?),
                "" => return self.fail("missing value for command"),
                _ => nodes.push(Node::Print(self.parse_pipe(text)?)),
            }
        }
        self.depth -= 1;
        Ok((nodes, None))
    }

    /// Parses an `if`, `with` or `range` block.
    fn parse_block(&mut self, keyword: &str, head: &str) -> Parsed<Node> {
        let (variables, pipe) = match (keyword, head.split_once(":=")) {
            ("range", Some((names, pipe))) => (
                names.split(',').map(|name| name.trim().to_owned()).collect(),
                self.parse_pipe(pipe)?,
            ),
            _ => (Vec::new(), self.parse_pipe(head)?),
        };
        if pipe.commands.is_empty() {
            return self.fail(format!("missing value for {keyword}"));
        }
        let (body, end) = self.parse_nodes()?;
        let otherwise = match end.as_deref() {
            Some("end") => Vec::new(),
            Some("else") => match self.parse_nodes()? {
                (nodes, Some(end)) if end == "end" => nodes,
                _ => return self.fail("unexpected EOF"),
            },
            Some(end) => match end
                .strip_prefix("else")
                .map(str::trim_start)
                .and_then(|rest| rest.strip_prefix("if "))
            {
                Some(head) if keyword == "if" => vec![self.parse_block("if", head)?],
                _ => return self.fail(format!("unexpected <{end}>")),
            },
            None => return self.fail("unexpected EOF"),
        };
        Ok(match keyword {
            "if" => Node::If(pipe, body, otherwise),
            "with" => Node::With(pipe, body, otherwise),
            _ => Node::Range(variables, pipe, body, otherwise),
        })
    }

    fn parse_pipe(&mut self, text: &str) -> Parsed<Pipe> {
        let words = self.split_words(text)?;
        let (variable, words) = match words.as_slice() {
            [name, sign, rest @ ..] if name.starts_with('$') && (sign == ":=" || sign == "=") => {
                (Some(name.clone()), rest)
            }
            all => (None, all),
        };
        let mut commands: Vec<Vec<PipeTerm>> = Vec::new();
        for command in words.split(|word| word == "|") {
            if command.is_empty() {
                continue;
            }
            commands.push(
                command
                    .iter()
                    .map(|word| self.parse_term(word))
                    .collect::<Parsed<_>>()?,
            );
        }
        Ok(Pipe { variable, commands })
    }

    /// Splits a pipeline into words. A quoted text or a group in parentheses is one word.
    fn split_words(&self, text: &str) -> Parsed<Vec<String>> {
        let mut words: Vec<String> = vec![String::new()];
        let (mut quote, mut depth, mut escaped) = (None, 0_usize, false);
        for c in text.chars() {
            let is_inside = quote.is_some() || depth > 0;
            match (quote, c) {
                (Some(open), c) if c == open && !escaped => quote = None,
                (Some(_), _) => {}
                (None, '"' | '`') => quote = Some(c),
                (None, '(') => depth += 1,
                (None, ')') if depth == 0 => return self.fail("unexpected right paren"),
                (None, ')') => depth -= 1,
                _ => {}
            }
            escaped = quote == Some('"') && c == '\\' && !escaped;
            match c {
                c if !is_inside && c.is_whitespace() => words.push(String::new()),
                '|' if !is_inside => words.extend(["|".to_owned(), String::new()]),
                c => {
                    if let Some(word) = words.last_mut() {
                        word.push(c);
                    }
                }
            }
        }
        if quote.is_some() {
            return self.fail("unterminated quoted string");
        }
        if depth > 0 {
            return self.fail("unclosed left paren");
        }
        words.retain(|word| !word.is_empty());
        Ok(words)
    }

    fn parse_term(&mut self, word: &str) -> Parsed<PipeTerm> {
        let fields = |text: &str| -> Vec<String> {
            text.split('.')
                .filter(|name| !name.is_empty())
                .map(str::to_owned)
                .collect()
        };
        if let Some(inner) = word.strip_prefix('(') {
            let close = inner.rfind(')').unwrap_or(inner.len());
            self.depth += 1;
            if self.depth > MAX_NESTING_DEPTH {
                return self.fail("parentheses are nested too deeply");
            }
            let group = self.parse_pipe(inner.get(..close).unwrap_or_default())?;
            self.depth -= 1;
            return Ok(PipeTerm::Path(
                TermRoot::Group(Box::new(group)),
                fields(inner.get(close + 1..).unwrap_or_default()),
            ));
        }
        if word.starts_with('.') {
            return Ok(PipeTerm::Path(TermRoot::Dot, fields(word)));
        }
        if word.starts_with('$') {
            let (name, path) = word.split_once('.').unwrap_or((word, ""));
            return Ok(PipeTerm::Path(TermRoot::Variable(name.to_owned()), fields(path)));
        }
        if let Some(raw) = word.strip_prefix('`') {
            return Ok(PipeTerm::Literal(Value::from(raw.trim_end_matches('`'))));
        }
        if word == "nil" {
            return Ok(PipeTerm::Literal(Value::Null));
        }
        if FUNCTIONS.contains(&word) {
            return Ok(PipeTerm::Function(word.to_owned()));
        }
        match serde_json::from_str::<Value>(word) {
            Ok(value) => Ok(PipeTerm::Literal(value)),
            Err(_) if word.chars().all(|c| c.is_alphanumeric() || c == '_') => {
                self.fail(format!("function {word:?} not defined"))
            }
            Err(_) => self.fail(format!("unexpected {word:?} in operand")),
        }
    }
}
