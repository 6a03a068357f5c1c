//! Label selectors (`-l`, KC-059) and field selectors (`--field-selector`, KC-060).

use podscope_api::{Kind, LabelSelectorRequirement, Object, SelectorOperator, Str};
use podscope_cluster::Objects;

use crate::selectable_fields;

/// A parsed label selector; all requirements must be met.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LabelQuery(Vec<LabelSelectorRequirement>);

impl LabelQuery {
    /// Parses a selector such as `a=b,c!=d,e in (f,g),h notin (i),j,!k,l>5`.
    ///
    /// # Errors
    /// The API server's message about an invalid selector.
    pub fn parse(text: &str) -> Result<Self, String> {
        let tokens = tokens(text);
        let mut parser = Parser { tokens: &tokens, at: 0 };
        parser.parse_requirements().map(Self)
    }

    /// Returns whether an object's labels satisfy every requirement.
    pub fn matches(&self, object: &Object) -> bool {
        self.0.iter().all(|requirement| {
            requirement.matches(&object.metadata().labels)
                // `!=` and `notin` also match objects without the key.
                || (requirement.operator == SelectorOperator::NotIn
                    && object.metadata().label(&requirement.key).is_none())
        })
    }

    /// Returns the number of values that matching one object compares, for the work limit.
    pub(crate) fn work_per_object(&self) -> u64 {
        self.0
            .iter()
            .map(|requirement| 1 + requirement.values.len() as u64)
            .sum()
    }

    /// Returns the query as a `LabelSelector` of expressions.
    pub fn to_selector(&self) -> podscope_api::LabelSelector {
        podscope_api::LabelSelector {
            match_expressions: self.0.clone(),
            ..podscope_api::LabelSelector::default()
        }
    }

    /// Returns the query as the JSON of a `LabelSelector` of expressions.
    pub fn to_value(&self) -> serde_json::Value {
        let one = |requirement: &LabelSelectorRequirement| {
            let mut value = serde_json::json!({"key": &*requirement.key, "operator": requirement.operator.to_string()});
            if !requirement.values.is_empty() {
                value["values"] = requirement
                    .values
                    .iter()
                    .map(|value| serde_json::Value::from(&**value))
                    .collect();
            }
            value
        };
        let all: Vec<serde_json::Value> = self.0.iter().map(one).collect();
        serde_json::json!({"matchExpressions": all})
    }

    /// Returns the query as `matchLabels` pairs (`create pdb`); `None` if a requirement is not an equality.
    pub fn equalities(&self) -> Option<Vec<(Str, Str)>> {
        self.0
            .iter()
            .map(
                |requirement| match (&requirement.operator, requirement.values.as_slice()) {
                    (SelectorOperator::In, [value]) => Some((requirement.key.clone(), value.clone())),
                    _ => None,
                },
            )
            .collect()
    }
}

/// Splits a label selector into words and operators.
fn tokens(text: &str) -> Vec<&str> {
    const OPERATORS: &[&str] = &["==", "!=", "=", "!", "(", ")", ",", "<", ">"];
    let (mut out, mut rest) = (Vec::new(), text.trim_start());
    while !rest.is_empty() {
        let sign = OPERATORS
            .iter()
            .find(|sign| rest.starts_with(**sign))
            .map(|sign| sign.len());
        let is_end = |c: char| c.is_whitespace() || "=!(),<>".contains(c);
        let len = sign.unwrap_or_else(|| rest.find(is_end).unwrap_or(rest.len()));
        out.push(&rest[..len]);
        rest = rest[len..].trim_start();
    }
    out
}

fn is_word(token: &str) -> bool {
    !token.is_empty() && !token.starts_with(|c| "=!(),<>".contains(c))
}

/// Parses label selectors like the API server and with its messages.
struct Parser<'t> {
    tokens: &'t [&'t str],
    at: usize,
}

impl<'t> Parser<'t> {
    /// Returns the next token; empty at the end.
    fn peek(&self) -> &'t str {
        self.tokens.get(self.at).copied().unwrap_or_default()
    }

    fn next(&mut self) -> &'t str {
        let token = self.peek();
        self.at += 1;
        token
    }

    fn parse_requirements(&mut self) -> Result<Vec<LabelSelectorRequirement>, String> {
        let mut all = Vec::new();
        loop {
            match self.peek() {
                token if token == "!" || is_word(token) => {
                    let one = self
                        .parse_requirement()
                        .map_err(|why| format!("unable to parse requirement: {why}"))?;
                    all.push(one);
                    match self.next() {
                        "" => return Ok(all),
                        "," => match self.peek() {
                            token if token == "!" || is_word(token) => {}
                            other => return Err(format!("found '{other}', expected: identifier after ','")),
                        },
                        other => return Err(format!("found '{other}', expected: ',' or 'end of string'")),
                    }
                }
                "" => return Ok(all),
                other => return Err(format!("found '{other}', expected: !, identifier, or 'end of string'")),
            }
        }
    }

    fn parse_requirement(&mut self) -> Result<LabelSelectorRequirement, String> {
        let is_absent = self.peek() == "!";
        if is_absent {
            self.at += 1;
        }
        let name = self.next();
        if !is_word(name) {
            return Err(format!("found '{name}', expected: identifier"));
        }
        let problems = podscope_api::qualified_name_problems(name);
        if !problems.is_empty() {
            return Err(format!("<nil>: Invalid value: {name:?}: {}", problems.join("; ")));
        }
        let make = |operator, values| LabelSelectorRequirement {
            key: Str::from(name),
            operator,
            values,
        };
        if is_absent || matches!(self.peek(), "" | ",") {
            let operator = if is_absent {
                SelectorOperator::DoesNotExist
            } else {
                SelectorOperator::Exists
            };
            return Ok(make(operator, Vec::new()));
        }
        let operator = match self.next() {
            "in" | "=" | "==" => SelectorOperator::In,
            "notin" | "!=" => SelectorOperator::NotIn,
            ">" | "gt" => SelectorOperator::Gt,
            "<" | "lt" => SelectorOperator::Lt,
            other => return Err(format!("found '{other}', expected: in, notin, =, ==, !=, gt, lt")),
        };
        let values = match self.tokens.get(self.at.saturating_sub(1)) {
            Some(&("in" | "notin")) => self.parse_values()?,
            _ => vec![self.parse_value()?],
        };
        for (index, value) in values.iter().enumerate() {
            let problems = podscope_api::label_value_problems(value);
            if !problems.is_empty() {
                let text = value.as_ref();
                return Err(format!(
                    "values[{index}][{name}]: Invalid value: {text:?}: {}",
                    problems.join("; ")
                ));
            }
        }
        if matches!(operator, SelectorOperator::Gt | SelectorOperator::Lt) {
            let number = values.first().map(|value| value.parse::<i64>());
            if let (Some(Err(_)), Some(value)) = (number, values.first()) {
                let text = value.as_ref();
                return Err(format!(
                    "values[0]: Invalid value: {text:?}: for 'Gt', 'Lt' operators, the value must be an integer"
                ));
            }
        }
        Ok(make(operator, values))
    }

    fn parse_value(&mut self) -> Result<Str, String> {
        match self.peek() {
            "" | "," => Ok(Str::from("")),
            token if is_word(token) => {
                self.at += 1;
                Ok(Str::from(token))
            }
            other => Err(format!("found '{other}', expected: identifier")),
        }
    }

    fn parse_values(&mut self) -> Result<Vec<Str>, String> {
        match self.next() {
            "(" => {}
            other => return Err(format!("found '{other}' expected: '('")),
        }
        let mut values = Vec::new();
        loop {
            match self.next() {
                ")" if values.is_empty() => return Ok(vec![Str::from("")]),
                "," if values.is_empty() => values.push(Str::from("")),
                token if is_word(token) => values.push(Str::from(token)),
                "," => values.push(Str::from("")),
                other => return Err(format!("found '{other}', expected: ',', ')' or identifier")),
            }
            match self.next() {
                // The API server collects the values in a set and sorts them.
                ")" => {
                    let sorted: podscope_api::ordered::Set<Str> = values.into_iter().collect();
                    return Ok(sorted.into_iter().collect());
                }
                "," => {}
                other => return Err(format!("found '{other}', expected: ',' or ')'")),
            }
        }
    }
}

/// A parsed field selector; all terms must be met.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FieldQuery(Vec<FieldTerm>);

/// One term of a field selector, such as `a=b` or `a!=b`.
#[derive(Debug, Clone, PartialEq)]
struct FieldTerm {
    field: String,
    must_equal: bool,
    value: String,
}

/// Returns kubectl's message about a selector that the server rejects for the reason `why`.
pub(crate) fn invalid_selector_message(kind: Kind, label_selector: &str, field_selector: &str, why: &str) -> String {
    let (group, version) = kind.group_and_version();
    let plural = kind.plural();
    format!(
        "Unable to find \"{group}/{version}, Resource={plural}\" that match label selector \"{label_selector}\", field selector \"{field_selector}\": {why}"
    )
}

/// Returns the server's message about an unsupported field. The wording depends on whether the kind has selectable
/// fields of its own.
fn unsupported_field_message(kind: Kind, field: &str) -> String {
    let is_custom = matches!(kind, Kind::Custom(_));
    if !is_custom && (selectable_fields::fields_of_built_in(kind).is_empty() || kind == Kind::ReplicaSet) {
        let namespace = if kind.is_namespaced() {
            ", \"metadata.namespace\""
        } else {
            ""
        };
        return format!("{field:?} is not a known field selector: only \"metadata.name\"{namespace}");
    }
    match kind {
        Kind::Job => format!("field label {field:?} not supported for Job"),
        Kind::ResourceSlice => {
            let version = kind.api_version();
            format!("field label not supported for {version}, Kind=ResourceSlice: {field}")
        }
        _ => format!("field label not supported: {field}"),
    }
}

impl FieldQuery {
    /// Parses a selector such as `a=b,c!=d`, and checks that the kind has these fields.
    ///
    /// # Errors
    /// kubectl's message about an invalid selector, which contains the label selector of the command too.
    pub fn parse(kind: Kind, text: &str, label_selector: &str) -> Result<Self, String> {
        Self::parse_without_context(kind, text, &[])
            .map_err(|why| invalid_selector_message(kind, label_selector, text, &why))
    }

    /// Like [`parse`](Self::parse), and also finds the selectable fields of a custom kind in `objects`.
    pub(crate) fn parse_with_custom_fields(
        kind: Kind,
        text: &str,
        label_selector: &str,
        objects: &Objects,
    ) -> Result<Self, String> {
        let selectable = match text.is_empty() {
            true => Vec::new(),
            false => selectable_fields::fields_of_custom(kind, objects),
        };
        Self::parse_without_context(kind, text, &selectable)
            .map_err(|why| invalid_selector_message(kind, label_selector, text, &why))
    }

    /// Like [`parse`](Self::parse), but the error is the server's message without kubectl's text. `selectable` holds
    /// the selectable fields of a custom kind.
    pub(crate) fn parse_without_context(kind: Kind, text: &str, selectable: &[String]) -> Result<Self, String> {
        let mut terms = Vec::new();
        for term in field_terms(text) {
            if term.trim().is_empty() {
                continue;
            }
            let (field, must_equal, value) =
                field_term(term).ok_or_else(|| format!("invalid selector: '{text}'; can't understand '{term}'"))?;
            let value = unescaped(value.trim())?;
            let field = field.trim();
            if !is_supported(kind, field) && !selectable.iter().any(|known| known == field) {
                return Err(unsupported_field_message(kind, field));
            }
            let field = field.to_owned();
            terms.push(FieldTerm {
                field,
                must_equal,
                value,
            });
        }
        Ok(Self(terms))
    }

    /// Returns the number of values that matching one object compares, for the work limit.
    pub(crate) fn work_per_object(&self) -> u64 {
        self.0.len() as u64
    }

    /// Returns whether an object satisfies every term.
    pub fn matches(&self, object: &Object) -> bool {
        self.0
            .iter()
            .all(|term| (selectable_fields::field_value(object, &term.field) == term.value.as_str()) == term.must_equal)
    }
}

/// Splits a field selector at its commas. A backslash escapes the next character.
fn field_terms(text: &str) -> Vec<&str> {
    let (mut terms, mut start, mut is_escaped) = (Vec::new(), 0, false);
    for (at, letter) in text.char_indices() {
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            ',' => {
                terms.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    terms.push(&text[start..]);
    terms
}

/// Parses a term: returns the field, whether it must be equal, and the escaped value.
fn field_term(term: &str) -> Option<(&str, bool, &str)> {
    let operators = [("!=", false), ("==", true), ("=", true)];
    term.char_indices().find_map(|(at, _)| {
        let (field, rest) = term.split_at(at);
        operators
            .iter()
            .find_map(|(operator, equal)| Some((field, *equal, rest.strip_prefix(operator)?)))
    })
}

/// Returns the value of a term without its escapes.
fn unescaped(value: &str) -> Result<String, String> {
    let (mut text, mut letters) = (String::new(), value.chars());
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                Some(next @ ('\\' | ',' | '=')) => text.push(next),
                next => {
                    let sequence: String = ['\\'].into_iter().chain(next).collect();
                    return Err(format!("invalid field selector: invalid escape sequence: {sequence}"));
                }
            },
            ',' | '=' => {
                let code = u32::from(letter);
                return Err(format!("invalid field selector: unescaped character in value: {code}"));
            }
            letter => text.push(letter),
        }
    }
    Ok(text)
}

fn is_supported(kind: Kind, field: &str) -> bool {
    field == "metadata.name"
        || (field == "metadata.namespace" && kind.is_namespaced())
        || selectable_fields::fields_of_built_in(kind).contains(&field)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The index in the error message refers to the sorted values, as in the API server.
    #[test]
    fn invalid_label_value_is_reported_with_its_index() {
        let error = |text: &str| LabelQuery::parse(text).err().unwrap_or_default();
        let alone = error("a in (ok,-bad)");
        assert!(alone.contains("values[0][a]: Invalid value: \"-bad\""), "{alone}");
        let behind = error("a in (bad-,Ok)");
        assert!(behind.contains("values[1][a]: Invalid value: \"bad-\""), "{behind}");
    }
}
