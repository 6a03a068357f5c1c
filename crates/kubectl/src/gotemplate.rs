//! Go's `text/template` as far as `-o go-template` is used: fields, pipelines, `if`, `range`, `with`, variables, and the
//! functions that compare, index and print. No crate that is kept up reads it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};

use super::gotext::{float, plain, sorted};
use super::jsonpath::weight;
use super::work::Work;

/// Longest output; templates come from users.
const MAX_OUTPUT: usize = 4 << 20;
/// Deepest nesting of blocks.
const MAX_DEPTH: usize = 32;

/// A parsed template.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct GoTemplate {
    text: String,
    nodes: Vec<Node>,
}

#[derive(Debug, Clone, PartialEq)]
enum Node {
    Text(String),
    Print(Pipe),
    If(Pipe, Vec<Node>, Vec<Node>),
    With(Pipe, Vec<Node>, Vec<Node>),
    Range(Vec<String>, Pipe, Vec<Node>, Vec<Node>),
}

/// `$x := a | b`.
#[derive(Debug, Clone, PartialEq)]
struct Pipe {
    assigns: Option<String>,
    commands: Vec<Vec<Term>>,
}

#[derive(Debug, Clone, PartialEq)]
enum Term {
    Literal(Value),
    /// Fields of the dot, of a variable, or of what parentheses give.
    Path(Root, Vec<String>),
    Function(String),
}

#[derive(Debug, Clone, PartialEq)]
enum Root {
    Dot,
    Variable(String),
    Group(Box<Pipe>),
}

const FUNCTIONS: &[&str] = &[
    "and",
    "or",
    "not",
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
    "len",
    "index",
    "print",
    "printf",
    "println",
    "exists",
    "base64decode",
];

impl GoTemplate {
    /// Reads a template.
    ///
    /// # Errors
    /// kubectl's text, without `error: `.
    pub(crate) fn parse(text: &str) -> Result<GoTemplate, String> {
        let fail =
            |(line, why): (usize, String)| format!("error parsing template {text}, template: output:{line}: {why}");
        let tokens = tokens(text).map_err(fail)?;
        let mut parser = Parser {
            tokens: &tokens,
            at: 0,
            depth: 0,
        };
        let (nodes, end) = parser.list().map_err(fail)?;
        if let Some(end) = end {
            return Err(fail((parser.line(), format!("unexpected {{{{{end}}}}}"))));
        }
        let text = text.to_owned();
        Ok(GoTemplate { text, nodes })
    }
    /// The text for a value. A field that is missing prints `<no value>`.
    ///
    /// # Errors
    /// Why it cannot be executed, as kubectl says it, without `error: `.
    pub(crate) fn print(&self, value: &Value) -> Result<String, String> {
        let mut run = Run {
            variables: vec![("$".to_owned(), Some(value.clone()))],
            out: String::new(),
            work: Work::default(),
        };
        let dot = Some(value.clone());
        match run.list(&self.nodes, &dot) {
            Ok(()) => Ok(run.out),
            Err(why) => Err(format!(
                "error executing template {:?}: template: output: executing \"output\": {why}",
                self.text
            )),
        }
    }
}

/// A piece of text or the inside of an action, with its line.
type Token = (usize, bool, String);

fn tokens(text: &str) -> Result<Vec<Token>, (usize, String)> {
    let mut out: Vec<Token> = Vec::new();
    let (mut rest, mut line) = (text, 1);
    let mut trims = false;
    while let Some(open) = rest.find("{{") {
        let mut before = &rest[..open];
        let mut body = &rest[open + 2..];
        if trims {
            before = before.trim_start();
        }
        if let Some(inner) = body.strip_prefix("- ") {
            before = before.trim_end();
            body = inner;
        }
        if !before.is_empty() {
            out.push((line, false, before.to_owned()));
        }
        line += rest[..open].matches('\n').count();
        let close = closing(body).ok_or_else(|| (line, "unclosed action".to_owned()))?;
        let mut action = &body[..close];
        trims = action.ends_with(" -");
        if trims {
            action = &action[..action.len() - 2];
        }
        if !action.trim_start().starts_with("/*") {
            out.push((line, true, action.trim().to_owned()));
        }
        line += body[..close].matches('\n').count();
        rest = &body[close + 2..];
    }
    let rest = if trims { rest.trim_start() } else { rest };
    if !rest.is_empty() {
        out.push((line, false, rest.to_owned()));
    }
    Ok(out)
}

/// Where an action ends, outside of quotes.
fn closing(body: &str) -> Option<usize> {
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

struct Parser<'t> {
    tokens: &'t [Token],
    at: usize,
    depth: usize,
}

type Parsed<T> = Result<T, (usize, String)>;

impl Parser<'_> {
    fn line(&self) -> usize {
        let token = self.tokens.get(self.at.saturating_sub(1)).or(self.tokens.last());
        token.map_or(1, |(line, ..)| *line)
    }
    fn fail<T>(&self, why: impl Into<String>) -> Parsed<T> {
        Err((self.line(), why.into()))
    }
    /// Nodes up to `end` or `else`, which is given back.
    fn list(&mut self) -> Parsed<(Vec<Node>, Option<String>)> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.fail("blocks are nested too deeply");
        }
        let mut nodes = Vec::new();
        while let Some((_, is_action, text)) = self.tokens.get(self.at) {
            self.at += 1;
            if !is_action {
                nodes.push(Node::Text(text.clone()));
                continue;
            }
            let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
            match word {
                "end" | "else" => {
                    self.depth -= 1;
                    return Ok((nodes, Some(text.clone())));
                }
                "if" | "with" | "range" => nodes.push(self.block(word, rest)?),
                "" => return self.fail("missing value for command"),
                _ => nodes.push(Node::Print(self.pipe(text)?)),
            }
        }
        self.depth -= 1;
        Ok((nodes, None))
    }
    fn block(&mut self, word: &str, head: &str) -> Parsed<Node> {
        let (variables, pipe) = match (word, head.split_once(":=")) {
            ("range", Some((names, pipe))) => (
                names.split(',').map(|name| name.trim().to_owned()).collect(),
                self.pipe(pipe)?,
            ),
            _ => (Vec::new(), self.pipe(head)?),
        };
        if pipe.commands.is_empty() {
            return self.fail(format!("missing value for {word}"));
        }
        let (body, end) = self.list()?;
        let otherwise = match end.as_deref() {
            Some("end") => Vec::new(),
            Some("else") => match self.list()? {
                (nodes, Some(end)) if end == "end" => nodes,
                _ => return self.fail("unexpected EOF"),
            },
            Some(end) => match end
                .strip_prefix("else")
                .map(str::trim_start)
                .and_then(|rest| rest.strip_prefix("if "))
            {
                Some(head) if word == "if" => vec![self.block("if", head)?],
                _ => return self.fail(format!("unexpected <{end}>")),
            },
            None => return self.fail("unexpected EOF"),
        };
        Ok(match word {
            "if" => Node::If(pipe, body, otherwise),
            "with" => Node::With(pipe, body, otherwise),
            _ => Node::Range(variables, pipe, body, otherwise),
        })
    }
    fn pipe(&mut self, text: &str) -> Parsed<Pipe> {
        let words = self.words(text)?;
        let (assigns, words) = match words.as_slice() {
            [name, sign, rest @ ..] if name.starts_with('$') && (sign == ":=" || sign == "=") => {
                (Some(name.clone()), rest)
            }
            all => (None, all),
        };
        let mut commands: Vec<Vec<Term>> = Vec::new();
        for command in words.split(|word| word == "|") {
            if command.is_empty() {
                continue;
            }
            commands.push(command.iter().map(|word| self.term(word)).collect::<Parsed<_>>()?);
        }
        Ok(Pipe { assigns, commands })
    }
    /// Words of a pipeline; quoted texts and parentheses are one word each.
    fn words(&self, text: &str) -> Parsed<Vec<String>> {
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
    fn term(&mut self, word: &str) -> Parsed<Term> {
        let fields = |text: &str| -> Vec<String> {
            text.split('.')
                .filter(|name| !name.is_empty())
                .map(str::to_owned)
                .collect()
        };
        if let Some(inner) = word.strip_prefix('(') {
            let close = inner.rfind(')').unwrap_or(inner.len());
            self.depth += 1;
            if self.depth > MAX_DEPTH {
                return self.fail("parentheses are nested too deeply");
            }
            let group = self.pipe(inner.get(..close).unwrap_or_default())?;
            self.depth -= 1;
            return Ok(Term::Path(
                Root::Group(Box::new(group)),
                fields(inner.get(close + 1..).unwrap_or_default()),
            ));
        }
        if word.starts_with('.') {
            return Ok(Term::Path(Root::Dot, fields(word)));
        }
        if word.starts_with('$') {
            let (name, path) = word.split_once('.').unwrap_or((word, ""));
            return Ok(Term::Path(Root::Variable(name.to_owned()), fields(path)));
        }
        if let Some(raw) = word.strip_prefix('`') {
            return Ok(Term::Literal(Value::from(raw.trim_end_matches('`'))));
        }
        if word == "nil" {
            return Ok(Term::Literal(Value::Null));
        }
        if FUNCTIONS.contains(&word) {
            return Ok(Term::Function(word.to_owned()));
        }
        match serde_json::from_str::<Value>(word) {
            Ok(value) => Ok(Term::Literal(value)),
            Err(_) if word.chars().all(|c| c.is_alphanumeric() || c == '_') => {
                self.fail(format!("function {word:?} not defined"))
            }
            Err(_) => self.fail(format!("unexpected {word:?} in operand")),
        }
    }
}

/// A value, or none where a field is missing.
type Found = Option<Value>;

struct Run {
    variables: Vec<(String, Found)>,
    out: String,
    work: Work,
}

impl Run {
    fn list(&mut self, nodes: &[Node], dot: &Found) -> Result<(), String> {
        let known = self.variables.len();
        for node in nodes {
            if self.out.len() > MAX_OUTPUT {
                return Err("the output is too long".to_owned());
            }
            self.work.spend(1).map_err(|why| why.to_string())?;
            match node {
                Node::Text(text) => self.out.push_str(text),
                Node::Print(pipe) => {
                    let value = self.pipe(pipe, dot)?;
                    if pipe.assigns.is_none() {
                        self.out.push_str(&printed(&value));
                    }
                }
                Node::If(pipe, body, otherwise) => {
                    let is_true = truth(&self.pipe(pipe, dot)?);
                    self.list(if is_true { body } else { otherwise }, dot)?;
                }
                Node::With(pipe, body, otherwise) => {
                    let value = self.pipe(pipe, dot)?;
                    match truth(&value) {
                        true => self.list(body, &value)?,
                        false => self.list(otherwise, dot)?,
                    }
                }
                Node::Range(names, pipe, body, otherwise) => self.range(names, pipe, body, otherwise, dot)?,
            }
            if !matches!(node, Node::Print(_)) {
                self.variables.truncate(known.max(1));
            }
        }
        Ok(())
    }
    fn range(
        &mut self,
        names: &[String],
        pipe: &Pipe,
        body: &[Node],
        otherwise: &[Node],
        dot: &Found,
    ) -> Result<(), String> {
        let items: Vec<(Value, Value)> = match self.pipe(pipe, dot)? {
            Some(Value::Array(items)) => items
                .into_iter()
                .enumerate()
                .map(|(at, item)| (Value::from(at), item))
                .collect(),
            Some(Value::Object(map)) => sorted(&map)
                .into_iter()
                .map(|(key, item)| (Value::from(key.as_str()), item.clone()))
                .collect(),
            None | Some(Value::Null) => Vec::new(),
            Some(other) => return Err(format!("range can't iterate over {}", plain(&other))),
        };
        if items.is_empty() {
            return self.list(otherwise, dot);
        }
        let known = self.variables.len();
        for (key, item) in items {
            match names {
                [value] => self.variables.push((value.clone(), Some(item.clone()))),
                [index, value, ..] => {
                    self.variables.push((index.clone(), Some(key)));
                    self.variables.push((value.clone(), Some(item.clone())));
                }
                [] => {}
            }
            self.list(body, &Some(item))?;
            self.variables.truncate(known);
        }
        Ok(())
    }
    fn pipe(&mut self, pipe: &Pipe, dot: &Found) -> Result<Found, String> {
        let mut value: Option<Found> = None;
        for command in &pipe.commands {
            let mut arguments = Vec::new();
            for term in command.iter().skip(1) {
                arguments.push(self.term(term, dot)?);
            }
            let piped = value.take();
            value = Some(match command.first() {
                Some(Term::Function(name)) => {
                    arguments.extend(piped);
                    call(name, &arguments)?
                }
                Some(other) if arguments.is_empty() && piped.is_none() => self.term(other, dot)?,
                _ => return Err("can't give argument to non-function".to_owned()),
            });
        }
        let value = value.ok_or("missing value for command")?;
        if let Some(name) = &pipe.assigns {
            self.variables.push((name.clone(), value.clone()));
        }
        Ok(value)
    }
    /// A copy of a value, which costs what it holds.
    fn copy(&self, value: &Found) -> Result<Found, String> {
        self.work
            .spend(value.as_ref().map_or(1, weight))
            .map_err(|why| why.to_string())?;
        Ok(value.clone())
    }
    fn term(&mut self, term: &Term, dot: &Found) -> Result<Found, String> {
        Ok(match term {
            Term::Literal(value) => Some(value.clone()),
            Term::Function(name) => call(name, &[])?,
            Term::Path(root, path) => {
                let mut value = match root {
                    Root::Dot => self.copy(dot)?,
                    Root::Variable(name) => {
                        let known = self.variables.iter().rev().find(|(known, _)| known == name);
                        self.copy(&known.ok_or_else(|| format!("undefined variable {name:?}"))?.1)?
                    }
                    Root::Group(pipe) => self.pipe(pipe, dot)?,
                };
                for name in path {
                    value = match value {
                        Some(Value::Object(mut map)) => map.shift_remove(name),
                        None | Some(Value::Null) => {
                            return Err(format!("nil pointer evaluating interface {{}}.{name}"));
                        }
                        Some(other) => {
                            return Err(format!("can't evaluate field {name} in type {}", go_type(&other)));
                        }
                    };
                }
                value
            }
        })
    }
}

fn go_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "nil",
        Value::Bool(_) => "bool",
        Value::Number(_) => "float64",
        Value::String(_) => "string",
        Value::Array(_) => "[]interface {}",
        Value::Object(_) => "map[string]interface {}",
    }
}

fn truth(value: &Found) -> bool {
    match value {
        None | Some(Value::Null) => false,
        Some(Value::Bool(value)) => *value,
        Some(Value::Number(value)) => value.as_f64() != Some(0.0),
        Some(Value::String(text)) => !text.is_empty(),
        Some(Value::Array(items)) => !items.is_empty(),
        Some(Value::Object(map)) => !map.is_empty(),
    }
}

/// As `%v` writes it; numbers of JSON are floats to Go's templates.
fn printed(value: &Found) -> String {
    fn with_floats(value: &Value) -> Value {
        match value {
            Value::Number(number) => Value::from(number.as_f64().map_or_else(|| number.to_string(), float)),
            Value::Array(items) => Value::Array(items.iter().map(with_floats).collect()),
            Value::Object(map) => {
                let entries = map.iter().map(|(key, value)| (key.clone(), with_floats(value)));
                Value::Object(entries.collect::<Map<_, _>>())
            }
            other => other.clone(),
        }
    }
    match value {
        None | Some(Value::Null) => "<no value>".to_owned(),
        Some(value) => plain(&with_floats(value)),
    }
}

fn call(name: &str, arguments: &[Found]) -> Result<Found, String> {
    let least = match name {
        "print" | "println" | "exists" => 0,
        "eq" | "ne" | "lt" | "le" | "gt" | "ge" => 2,
        _ => 1,
    };
    if arguments.len() < least {
        return Err(format!(
            "wrong number of args for {name}: want at least {least} got {}",
            arguments.len()
        ));
    }
    let first = arguments.first().cloned().flatten();
    let texts = |arguments: &[Found]| arguments.iter().map(printed).collect::<Vec<_>>();
    Ok(Some(match name {
        "and" | "or" => {
            let decides = |value: &&Found| truth(value) == (name == "or");
            return Ok(arguments.iter().find(decides).or(arguments.last()).cloned().flatten());
        }
        "not" => Value::from(!truth(&first)),
        "eq" => Value::from(arguments.iter().skip(1).any(|other| compare(&first, other) == Some(0))),
        "ne" => Value::from(compare(&first, &arguments[1]) != Some(0)),
        "lt" | "le" | "gt" | "ge" => {
            let order = compare(&first, &arguments[1])
                .ok_or_else(|| format!("error calling {name}: incompatible types for comparison"))?;
            Value::from(match name {
                "lt" => order < 0,
                "le" => order <= 0,
                "gt" => order > 0,
                _ => order >= 0,
            })
        }
        "len" => match &first {
            Some(Value::String(text)) => Value::from(text.len()),
            Some(Value::Array(items)) => Value::from(items.len()),
            Some(Value::Object(map)) => Value::from(map.len()),
            _ => return Err("error calling len: len of nil pointer".to_owned()),
        },
        "index" | "exists" => {
            let mut value = first;
            for key in arguments.iter().skip(1).flatten() {
                value = match (&value, key) {
                    (Some(Value::Object(map)), Value::String(key)) => map.get(key).cloned(),
                    (Some(Value::Array(items)), Value::Number(at)) => {
                        let found = at.as_u64().and_then(|at| items.get(at as usize)).cloned();
                        if found.is_none() && name == "index" {
                            return Err(format!("error calling index: reflect: slice index out of range: {at}"));
                        }
                        found
                    }
                    _ if name == "index" => return Err("error calling index: index of untyped nil".to_owned()),
                    _ => None,
                };
            }
            match name {
                "exists" => Value::from(value.is_some()),
                _ => return Ok(value),
            }
        }
        "print" => Value::from(texts(arguments).join(" ")),
        "println" => Value::from(texts(arguments).join(" ") + "\n"),
        "printf" => Value::from(formatted(&printed(&first), arguments.get(1..).unwrap_or_default())),
        _ => {
            let text = printed(&first);
            let bytes = STANDARD
                .decode(&text)
                .map_err(|_| "error calling base64decode: illegal base64 data")?;
            Value::from(String::from_utf8_lossy(&bytes).into_owned())
        }
    }))
}

fn compare(left: &Found, right: &Found) -> Option<i8> {
    let order = match (left, right) {
        (Some(Value::Number(a)), Some(Value::Number(b))) => a.as_f64().partial_cmp(&b.as_f64())?,
        (Some(Value::String(a)), Some(Value::String(b))) => a.cmp(b),
        (a, b) if a == b => std::cmp::Ordering::Equal,
        _ => return None,
    };
    Some(order as i8)
}

/// `%s`, `%v`, `%d`, `%q` with widths, as `printf` takes them.
fn formatted(format: &str, arguments: &[Found]) -> String {
    let mut out = String::new();
    let (mut chars, mut arguments) = (format.chars().peekable(), arguments.iter());
    while let Some(c) = chars.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        let is_left = chars.next_if_eq(&'-').is_some();
        let mut width = 0_usize;
        while let Some(digit) = chars.peek().and_then(|c| c.to_digit(10)) {
            width = (width * 10 + digit as usize).min(1000);
            chars.next();
        }
        let text = match chars.next() {
            Some('%') => "%".to_owned(),
            Some('q') => format!("{:?}", arguments.next().map(printed).unwrap_or_default()),
            Some(_) => arguments.next().map(printed).unwrap_or_default(),
            None => "%!(NOVERB)".to_owned(),
        };
        match is_left {
            true => out.push_str(&format!("{text:<width$}")),
            false => out.push_str(&format!("{text:>width$}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    ///
    #[test]
    fn nested_ranges_over_everything_are_refused() {
        let items: Vec<Value> = (0..300).map(Value::from).collect();
        let value = serde_json::json!({"items": items});
        let text = "{{range .items}}{{range $.items}}{{range $.items}}{{end}}{{end}}{{end}}";
        let printed = GoTemplate::parse(text).and_then(|template| template.print(&value));
        assert!(printed.is_err_and(|why| why.contains("would look at more than")));
    }

    #[test]
    fn templates_print_as_go_prints_them() {
        let value = json!({"items": [{"n": "a", "k": 1}, {"n": "b", "k": 2_000_000}], "m": {"y": "2", "x": "1"}, "big": 1_000_000});
        for (template, want) in [
            ("{{.big}}", "1e+06"),
            ("{{range .items}}{{.n}}{{\"\\n\"}}{{end}}", "a\nb\n"),
            ("{{range $i, $x := .items}}{{$i}}={{$x.n}} {{end}}", "0=a 1=b "),
            ("{{range $k, $v := .m}}{{$k}}{{$v}}{{end}}", "x1y2"),
            ("{{.nope}}", "<no value>"),
            ("{{if eq (len .items) 2}}two{{else}}no{{end}}", "two"),
            ("{{if .nope}}a{{else if .big}}b{{end}}", "b"),
            (
                "{{with .m}}{{.x}}{{end}} {{- index .items 0 \"n\" | printf \"%-3s|\"}}",
                "1a  |",
            ),
            ("{{.m}}", "map[x:1 y:2]"),
        ] {
            let parsed = GoTemplate::parse(template).unwrap();
            assert_eq!(parsed.print(&value).as_deref(), Ok(want), "{template}");
        }
        assert_eq!(
            GoTemplate::parse("{{.metadata"),
            Err("error parsing template {{.metadata, template: output:1: unclosed action".to_owned())
        );
        for bad in [
            "{{",
            "{{end}}",
            "{{range .x}}",
            "{{(}}",
            "{{foo .x}}",
            "{{\"}}",
            "{{|}}",
            "{{if}}{{end}}",
        ] {
            assert!(
                GoTemplate::parse(bad).and_then(|parsed| parsed.print(&value)).is_err(),
                "{bad}"
            );
        }
    }
}
