//! JSONPath text → its pieces.

use super::*;

pub(super) fn pieces(rest: &mut &str, depth: usize, in_range: bool) -> Result<Vec<Piece>, String> {
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

pub(super) struct Parser<'t> {
    pub(super) rest: &'t str,
    pub(super) depth: usize,
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
    pub(super) fn path(&mut self) -> Result<Path, String> {
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
