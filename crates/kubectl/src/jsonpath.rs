//! kubectl's JSONPath (KC-054, KC-055): `{.items[*].metadata.name}`, with
//! fields, `['x']`, indexes, slices, `*`, `..`, filters, unions, and
//! `{range}…{end}`. It is not RFC 9535, which is why no crate reads it.

use std::cmp::Ordering;

use serde_json::Value;

use crate::work::{TooMuchWork, Work, of_text};

/// Longest text that a template prints, in bytes.
const MAX_OUTPUT: usize = 4 << 20;

type Found<'v> = Result<Vec<&'v Value>, TooMuchWork>;

/// A parsed template.
#[derive(Debug, Clone, PartialEq)]
pub struct Template(Vec<Piece>);

#[derive(Debug, Clone, PartialEq)]
enum Piece {
    Text(String),
    Path(Path),
    Range(Path, Vec<Piece>),
}

/// A path: steps from the current value, or from the root.
#[derive(Debug, Clone, PartialEq)]
pub struct Path {
    from_root: bool,
    steps: Vec<Step>,
}

#[derive(Debug, Clone, PartialEq)]
enum Step {
    Field(String),
    Fields(Vec<String>),
    Indexes(Vec<i64>),
    Slice(Option<i64>, Option<i64>, i64),
    Wildcard,
    Recursive,
    Filter(Operand, Option<(Compare, Operand)>),
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Compare {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

#[derive(Debug, Clone, PartialEq)]
enum Operand {
    Path(Path),
    Literal(Value),
}

impl Path {
    /// Reads a bare path such as `.status.conditions[?(@.type=="Ready")].status`; braces and a leading dot may be missing (KC-055).
    ///
    /// # Errors
    /// What is wrong.
    pub fn parse(text: &str) -> Result<Path, String> {
        let inner = text.trim();
        let inner = inner
            .strip_prefix('{')
            .and_then(|inner| inner.strip_suffix('}'))
            .unwrap_or(inner);
        let mut parser = Parser { rest: inner, depth: 0 };
        let path = parser.path()?;
        parser.rest = parser.rest.trim_start();
        if parser.rest.is_empty() {
            Ok(path)
        } else {
            Err(format!(
                "unrecognized character in action: {:?}",
                parser.rest.chars().next().unwrap_or(' ')
            ))
        }
    }
    /// Every value the path leads to.
    ///
    /// # Errors
    /// The command's work is used up.
    pub fn find<'v>(&self, root: &'v Value, work: &Work) -> Found<'v> {
        self.walk(root, root, work)
    }
    fn walk<'v>(&self, root: &'v Value, current: &'v Value, work: &Work) -> Found<'v> {
        let mut found = vec![if self.from_root { root } else { current }];
        for step in &self.steps {
            let mut next = Vec::new();
            for value in found {
                step.apply(root, value, work, &mut next)?;
            }
            found = next;
        }
        Ok(found)
    }
}

impl Step {
    fn apply<'v>(
        &self,
        root: &'v Value,
        value: &'v Value,
        work: &Work,
        out: &mut Vec<&'v Value>,
    ) -> Result<(), TooMuchWork> {
        work.spend(match (self, value) {
            (Step::Wildcard | Step::Filter(..) | Step::Slice(..), Value::Array(items)) => 1 + items.len() as u64,
            (Step::Wildcard, Value::Object(map)) => 1 + map.len() as u64,
            (Step::Field(name), _) => of_text(name),
            (Step::Fields(names), _) => names.iter().map(|name| of_text(name)).sum(),
            (Step::Indexes(indexes), _) => indexes.len() as u64,
            _ => 1,
        })?;
        match self {
            Step::Field(name) => out.extend(value.get(name.as_str()).filter(|value| !value.is_null())),
            Step::Fields(names) => out.extend(names.iter().filter_map(|name| value.get(name.as_str()))),
            Step::Indexes(indexes) => {
                if let Value::Array(items) = value {
                    let len = items.len() as i64;
                    out.extend(indexes.iter().filter_map(|index| {
                        let at = if *index < 0 { len + index } else { *index };
                        usize::try_from(at).ok().and_then(|at| items.get(at))
                    }));
                }
            }
            Step::Slice(from, to, step) => {
                if let Value::Array(items) = value {
                    let len = items.len() as i64;
                    let clamp = |at: i64| (if at < 0 { len + at } else { at }).clamp(0, len);
                    let (from, to) = (clamp(from.unwrap_or(0)), clamp(to.unwrap_or(len)));
                    let mut at = from;
                    while at < to {
                        out.extend(usize::try_from(at).ok().and_then(|at| items.get(at)));
                        at = at.saturating_add((*step).max(1));
                    }
                }
            }
            Step::Wildcard => match value {
                Value::Array(items) => out.extend(items),
                Value::Object(map) => out.extend(map.values()),
                _ => {}
            },
            Step::Recursive => descend(value, work, out)?,
            Step::Filter(left, right) => {
                if let Value::Array(items) = value {
                    for item in items {
                        let lefts = left.values(root, item, work)?;
                        let holds = match right {
                            None => !lefts.is_empty(),
                            Some((compare, right)) => {
                                let rights = right.values(root, item, work)?;
                                match (lefts.first(), rights.first()) {
                                    (Some(left), Some(right)) => {
                                        work.spend(weight(left).min(weight(right)))?;
                                        compare.holds(left, right)
                                    }
                                    _ => false,
                                }
                            }
                        };
                        if holds {
                            out.push(item);
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

fn descend<'v>(value: &'v Value, work: &Work, out: &mut Vec<&'v Value>) -> Result<(), TooMuchWork> {
    work.spend(1)?;
    out.push(value);
    match value {
        Value::Array(items) => items.iter().try_for_each(|item| descend(item, work, out)),
        Value::Object(map) => map.values().try_for_each(|item| descend(item, work, out)),
        _ => Ok(()),
    }
}

impl Operand {
    fn values<'a>(&'a self, root: &'a Value, current: &'a Value, work: &Work) -> Found<'a> {
        match self {
            Operand::Literal(value) => Ok(vec![value]),
            Operand::Path(path) => path.walk(root, current, work),
        }
    }
}

impl Compare {
    fn holds(self, left: &Value, right: &Value) -> bool {
        let order = match (left, right) {
            (Value::Number(a), Value::Number(b)) => match (a.as_i64(), b.as_i64()) {
                (Some(a), Some(b)) => Some(a.cmp(&b)),
                _ => a.as_f64().partial_cmp(&b.as_f64()),
            },
            (Value::String(a), Value::String(b)) => Some(a.cmp(b)),
            (a, b) if a == b => Some(Ordering::Equal),
            _ => None,
        };
        match self {
            Compare::Equal => order == Some(Ordering::Equal),
            Compare::NotEqual => order != Some(Ordering::Equal),
            Compare::Less => order == Some(Ordering::Less),
            Compare::LessEqual => matches!(order, Some(Ordering::Less | Ordering::Equal)),
            Compare::Greater => order == Some(Ordering::Greater),
            Compare::GreaterEqual => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
        }
    }
}

impl Template {
    /// Reads a template.
    ///
    /// # Errors
    /// KC-054's text, without `error: `.
    pub fn parse(text: &str) -> Result<Template, String> {
        let wrap = |why: String| format!("error parsing jsonpath {text}, {why}");
        // A template without braces is a path (kubectl relaxes `.a` to `{.a}`).
        if !text.contains('{') {
            let path = Path::parse(text).map_err(wrap)?;
            return Ok(Template(vec![Piece::Path(path)]));
        }
        let mut rest = text;
        let pieces = pieces(&mut rest, 0, false).map_err(wrap)?;
        Ok(Template(pieces))
    }
    /// Everything that the template's paths lead to, as one list (`-o jsonpath-as-json`).
    ///
    /// # Errors
    /// It takes too much work.
    pub(crate) fn found(&self, value: &Value) -> Result<Value, String> {
        let (work, mut all) = (Work::default(), Vec::new());
        for piece in &self.0 {
            if let Piece::Path(path) | Piece::Range(path, _) = piece {
                for found in path.find(value, &work).map_err(|why| why.to_string())? {
                    work.spend(weight(found)).map_err(|why| why.to_string())?;
                    all.push(found.clone());
                }
            }
        }
        Ok(Value::Array(all))
    }
    /// The text for a value; missing keys give nothing.
    ///
    /// # Errors
    /// It takes too much work, or is too long.
    pub fn print(&self, value: &Value) -> Result<String, String> {
        let mut out = String::new();
        print_pieces(&self.0, value, value, &Work::default(), &mut out)?;
        Ok(out)
    }
}

fn pieces(rest: &mut &str, depth: usize, in_range: bool) -> Result<Vec<Piece>, String> {
    if depth > 8 {
        return Err("ranges are nested too deeply".into());
    }
    let mut out = Vec::new();
    while !rest.is_empty() {
        let Some(open) = rest.find('{') else {
            out.push(Piece::Text(std::mem::take(rest).to_owned()));
            break;
        };
        if open > 0 {
            out.push(Piece::Text(rest.get(..open).unwrap_or_default().to_owned()));
        }
        let body = rest.get(open + 1..).unwrap_or_default();
        let close = closing(body).ok_or("unclosed action")?;
        let action = body.get(..close).unwrap_or_default().trim();
        *rest = body.get(close + 1..).unwrap_or_default();
        if action == "end" {
            return if in_range {
                Ok(out)
            } else {
                Err("not in range, nothing to end".into())
            };
        }
        if let Some(path) = action.strip_prefix("range") {
            let path = Path::parse(path)?;
            out.push(Piece::Range(path, pieces(rest, depth + 1, true)?));
        } else if let Some(text) = quoted(action) {
            out.push(Piece::Text(text));
        } else {
            out.push(Piece::Path(Path::parse(action)?));
        }
    }
    // A range that is never ended ends with the template.
    Ok(out)
}

fn closing(body: &str) -> Option<usize> {
    let mut quote = None;
    for (at, c) in body.char_indices() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(c),
            (None, '}') => return Some(at),
            _ => {}
        }
    }
    None
}

fn quoted(action: &str) -> Option<String> {
    let quote = action.chars().next().filter(|c| *c == '"' || *c == '\'')?;
    let inner = action.strip_prefix(quote)?.strip_suffix(quote)?;
    Some(
        inner
            .replace("\\n", "\n")
            .replace("\\t", "\t")
            .replace("\\\"", "\"")
            .replace("\\\\", "\\"),
    )
}

fn print_pieces(pieces: &[Piece], root: &Value, current: &Value, work: &Work, out: &mut String) -> Result<(), String> {
    let too_much = |why: TooMuchWork| why.to_string();
    for piece in pieces {
        work.spend(1).map_err(too_much)?;
        match piece {
            Piece::Text(text) => out.push_str(text),
            Piece::Path(path) => {
                for (at, value) in path
                    .walk(root, current, work)
                    .map_err(too_much)?
                    .into_iter()
                    .enumerate()
                {
                    if at > 0 {
                        out.push(' ');
                    }
                    work.spend(weight(value)).map_err(too_much)?;
                    out.push_str(&plain(value));
                    if out.len() > MAX_OUTPUT {
                        break;
                    }
                }
            }
            Piece::Range(path, body) => {
                for value in path.walk(root, current, work).map_err(too_much)? {
                    print_pieces(body, root, value, work, out)?;
                }
            }
        }
        if out.len() > MAX_OUTPUT {
            return Err(format!("the output is longer than {MAX_OUTPUT} bytes"));
        }
    }
    Ok(())
}

/// What a value costs who copies, compares or prints it: the values that it holds, itself included, long texts as several.
pub(crate) fn weight(value: &Value) -> u64 {
    match value {
        Value::String(text) => of_text(text),
        Value::Array(items) => 1 + items.iter().map(weight).sum::<u64>(),
        Value::Object(map) => 1 + map.values().map(weight).sum::<u64>(),
        _ => 1,
    }
}

/// A value as templates print it.
pub(crate) fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => super::gotext::json(other),
    }
}

struct Parser<'t> {
    rest: &'t str,
    depth: usize,
}

impl<'t> Parser<'t> {
    fn eat(&mut self, prefix: &str) -> bool {
        match self.rest.strip_prefix(prefix) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }
    fn name(&mut self) -> String {
        let mut name = String::new();
        let mut chars = self.rest.char_indices();
        let mut end = self.rest.len();
        while let Some((at, c)) = chars.next() {
            if c == '\\' {
                if let Some((_, escaped)) = chars.next() {
                    name.push(escaped);
                }
            } else if c.is_alphanumeric() || c == '_' || c == '-' || c == '/' {
                name.push(c);
            } else {
                end = at;
                break;
            }
        }
        self.rest = self.rest.get(end..).unwrap_or_default();
        name
    }
    fn path(&mut self) -> Result<Path, String> {
        self.depth += 1;
        if self.depth > 8 {
            return Err("filters are nested too deeply".into());
        }
        self.rest = self.rest.trim_start();
        let from_root = self.eat("$");
        if !from_root {
            self.eat("@");
        }
        let mut steps = Vec::new();
        let bare = self
            .rest
            .chars()
            .next()
            .is_some_and(|c| c.is_alphanumeric() || c == '_');
        if bare && !from_root {
            steps.push(Step::Field(self.name()));
        }
        loop {
            if steps.len() > 64 {
                return Err("the path is too long".into());
            }
            if self.eat("..") {
                steps.push(Step::Recursive);
                if self.eat("*") {
                    steps.push(Step::Wildcard);
                } else if !self.rest.starts_with('[') {
                    let name = self.name();
                    if name.is_empty() {
                        return Err("unterminated path".into());
                    }
                    steps.push(Step::Field(name));
                }
            } else if self.eat(".") {
                if self.eat("*") {
                    steps.push(Step::Wildcard);
                } else if !self.rest.is_empty() && !self.rest.starts_with('[') {
                    let name = self.name();
                    if name.is_empty() {
                        return Err(format!(
                            "unrecognized character in action: {:?}",
                            self.rest.chars().next().unwrap_or(' ')
                        ));
                    }
                    steps.push(Step::Field(name));
                }
            } else if self.eat("[") {
                steps.push(self.bracket()?);
            } else {
                self.depth -= 1;
                return Ok(Path { from_root, steps });
            }
        }
    }
    fn bracket(&mut self) -> Result<Step, String> {
        self.rest = self.rest.trim_start();
        if self.eat("?(") {
            let left = self.operand()?;
            self.rest = self.rest.trim_start();
            let compare = [
                ("==", Compare::Equal),
                ("!=", Compare::NotEqual),
                ("<=", Compare::LessEqual),
                (">=", Compare::GreaterEqual),
                ("<", Compare::Less),
                (">", Compare::Greater),
            ]
            .into_iter()
            .find(|(text, _)| self.eat(text))
            .map(|(_, compare)| compare);
            let right = match compare {
                Some(compare) => Some((compare, self.operand()?)),
                None => None,
            };
            self.rest = self.rest.trim_start();
            return if self.eat(")]") {
                Ok(Step::Filter(left, right))
            } else {
                Err("unterminated filter".into())
            };
        }
        let end = self.close()?;
        let inner = self.rest.get(..end).unwrap_or_default().trim();
        self.rest = self.rest.get(end + 1..).unwrap_or_default();
        if inner == "*" {
            return Ok(Step::Wildcard);
        }
        if inner.starts_with('"') {
            return Err(format!("invalid array index {inner}"));
        }
        if inner.starts_with('\'') {
            let names: Option<Vec<String>> = inner.split(',').map(|name| quoted(name.trim())).collect();
            return names
                .map(Step::Fields)
                .ok_or_else(|| format!("invalid array index {inner}"));
        }
        let number = |text: &str| -> Result<Option<i64>, String> {
            let text = text.trim();
            if text.is_empty() {
                return Ok(None);
            }
            text.parse()
                .map(Some)
                .map_err(|_| format!("invalid array index {inner}"))
        };
        if inner.contains(':') {
            let mut parts = inner.splitn(3, ':');
            let from = number(parts.next().unwrap_or_default())?;
            let to = number(parts.next().unwrap_or_default())?;
            let step = number(parts.next().unwrap_or_default())?.unwrap_or(1);
            return Ok(Step::Slice(from, to, step));
        }
        let indexes: Result<Vec<i64>, String> = inner
            .split(',')
            .map(|part| number(part)?.ok_or_else(|| format!("invalid array index {inner}")))
            .collect();
        indexes.map(Step::Indexes)
    }
    fn close(&self) -> Result<usize, String> {
        let mut quote = None;
        for (at, c) in self.rest.char_indices() {
            match (quote, c) {
                (Some(open), c) if c == open => quote = None,
                (Some(_), _) => {}
                (None, '\'' | '"') => quote = Some(c),
                (None, ']') => return Ok(at),
                _ => {}
            }
        }
        Err("unterminated array".into())
    }
    fn operand(&mut self) -> Result<Operand, String> {
        self.rest = self.rest.trim_start();
        if let Some(quote) = self.rest.chars().next().filter(|c| *c == '"' || *c == '\'') {
            let body = self.rest.get(1..).unwrap_or_default();
            let end = body.find(quote).ok_or("unterminated quoted string")?;
            let text = body.get(..end).unwrap_or_default().to_owned();
            self.rest = body.get(end + 1..).unwrap_or_default();
            return Ok(Operand::Literal(Value::String(text)));
        }
        if self.rest.starts_with('@') || self.rest.starts_with('$') || self.rest.starts_with('.') {
            return self.path().map(Operand::Path);
        }
        let end = self
            .rest
            .find(|c: char| !(c.is_alphanumeric() || c == '-' || c == '.' || c == '+'))
            .unwrap_or(self.rest.len());
        let word = self.rest.get(..end).unwrap_or_default();
        self.rest = self.rest.get(end..).unwrap_or_default();
        let value = match word {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            _ => serde_json::from_str(word).map_err(|_| format!("unrecognized identifier {word:?}"))?,
        };
        Ok(Operand::Literal(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    ///
    #[test]
    fn a_short_template_that_asks_for_a_lifetime_is_refused() {
        let items: Vec<Value> = (0..300).map(|n| json!({"a": {"b": n}})).collect();
        let value = json!({"items": items});
        for template in [
            "{.items[?($.items[?($.items[?(@.c)])])]}",
            "{range .items[*]}{range $.items[*]}{range $.items[*]}{end}{end}{end}",
            "{range .items[*]}{range $.items[*]}{$.items}{end}{end}",
        ] {
            let parsed = Template::parse(template).expect(template);
            assert!(parsed.print(&value).is_err(), "{template}");
        }
        // What is compared and copied costs what it holds; long names cost their length.
        let text = "x".repeat(1 << 20);
        let large = json!({"items": (0..3_000).collect::<Vec<_>>(), "text": text, "all": vec![text.as_str(); 20]});
        for template in [
            "{.items[?($==$)]}".to_owned(),
            "{.items[?($.text==$.text)]}".to_owned(),
            "{range .items[*]}{$.all}{end}".to_owned(),
            format!(
                "{{range .items[*]}}{{range $.items[*]}}{{.{}}}{{end}}{{end}}",
                "n".repeat(50_000)
            ),
        ] {
            let parsed = Template::parse(&template).expect("a template");
            assert!(parsed.print(&large).is_err(), "{template:.80}");
        }
        let steps = "{.items[1:9:9223372036854775807]}{.items[-9223372036854775808:2:9223372036854775807]}";
        assert_eq!(
            Template::parse(steps)
                .and_then(|parsed| parsed.print(&large))
                .as_deref(),
            Ok("10")
        );
        let work = Work::default();
        let found = Path::parse("..b").and_then(|path| {
            path.find(&value, &work)
                .map(|found| found.len())
                .map_err(|why| why.to_string())
        });
        assert_eq!(found, Ok(300));
        assert!(work.spent() < 3_000, "{}", work.spent());
    }

    /// KC-054.
    #[test]
    fn jsonpath_templates_print_what_kubectls_do() {
        let value = json!({"items": [
            {"metadata": {"name": "a", "annotations": {"x.y/z": "q"}}, "n": 1, "c": [{"t": "R", "s": "True"}, {"t": "S", "s": "False"}]},
            {"metadata": {"name": "b"}, "n": 2}
        ]});
        for (template, want) in [
            ("{.items[*].metadata.name}", "a b"),
            (".items[0].metadata.name", "a"),
            ("{.items[-1].metadata.name}", "b"),
            ("{.items[0:1].metadata.name}", "a"),
            (
                "{range .items[*]}{.metadata.name}{\"\\t\"}{.n}{\"\\n\"}{end}",
                "a\t1\nb\t2\n",
            ),
            ("{.items[?(@.n>1)].metadata.name}", "b"),
            ("{.items[*].c[?(@.t==\"R\")].s}", "True"),
            ("{.items[0].metadata.annotations['x.y/z']}", "q"),
            ("{.items[0].metadata.annotations.x\\.y/z}", "q"),
            ("{..name}", "a b"),
            ("{.missing}", ""),
            ("n={.items[0,1].n}", "n=1 2"),
        ] {
            assert_eq!(
                Template::parse(template)
                    .and_then(|parsed| parsed.print(&value))
                    .as_deref(),
                Ok(want),
                "{template}"
            );
        }
        assert_eq!(
            Template::parse("{.a"),
            Err("error parsing jsonpath {.a, unclosed action".into())
        );
        for bad in [
            "{.a[}",
            "{range .a}",
            "{end}",
            "{.a[?(@.b==]}",
            "{.a[x]}",
            "{?}",
            "{.",
            "{[",
            "{.a[?(",
            "{..}",
        ] {
            let _ = Template::parse(bad);
        }
    }
}
