//! The parts of Go's `text/template` that `-o go-template` commonly uses: fields, pipelines, `if`, `range`, `with`,
//! variables, and the functions that compare, index and print. No maintained crate implements this dialect.

mod functions;
mod parse;

use serde_json::Value;

use self::functions::{call_function, go_type_of_value, is_truthy, print_value};
use self::parse::{Parser, SyntaxError, tokens};
use super::gotext::{go_value_text, sorted_entries};
use super::jsonpath::work_of_value;
use super::work::{WorkCounter, work_of_text};

/// Maximum length of the output in bytes.
const MAX_OUTPUT_BYTES: usize = 4 << 20;
const OUTPUT_TOO_LONG: &str = "the output is too long";
/// Maximum nesting depth of blocks and parentheses.
const MAX_NESTING_DEPTH: usize = 32;

/// A parsed template.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct GoTemplate {
    text: String,
    nodes: Vec<Node>,
}

/// A part of a parsed template: text, a printed pipeline, or a block.
#[derive(Debug, Clone, PartialEq)]
enum Node {
    Text(String),
    Print(Pipe),
    /// `if`: condition, body, `else` body.
    If(Pipe, Vec<Node>, Vec<Node>),
    /// `with`: value of the dot in the body, body, `else` body.
    With(Pipe, Vec<Node>, Vec<Node>),
    /// `range`: variable names, list or map, body, `else` body.
    Range(Vec<String>, Pipe, Vec<Node>, Vec<Node>),
}

/// A pipeline, optionally assigned to a variable: `$x := a | b`.
#[derive(Debug, Clone, PartialEq)]
struct Pipe {
    variable: Option<String>,
    commands: Vec<Vec<PipeTerm>>,
}

/// The function name or an argument of a command in a pipeline.
#[derive(Debug, Clone, PartialEq)]
enum PipeTerm {
    Literal(Value),
    /// Fields of the dot, of a variable, or of a pipeline in parentheses.
    Path(TermRoot, Vec<String>),
    Function(String),
}

/// The value in which the fields of a path are looked up.
#[derive(Debug, Clone, PartialEq)]
enum TermRoot {
    Dot,
    Variable(String),
    Group(Box<Pipe>),
}

/// Names of the functions that templates can call.
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
    /// Parses a template.
    ///
    /// # Errors
    /// kubectl's message without `error: `.
    pub(crate) fn parse(text: &str) -> Result<GoTemplate, String> {
        let fail = |(line, why): SyntaxError| format!("error parsing template {text}, template: output:{line}: {why}");
        let tokens = tokens(text).map_err(fail)?;
        let mut parser = Parser {
            tokens: &tokens,
            at: 0,
            depth: 0,
        };
        let (nodes, end) = parser.parse_nodes().map_err(fail)?;
        if let Some(end) = end {
            return Err(fail((parser.line(), format!("unexpected {{{{{end}}}}}"))));
        }
        let text = text.to_owned();
        Ok(GoTemplate { text, nodes })
    }

    /// Executes the template on a value. A missing field prints `<no value>`.
    ///
    /// # Errors
    /// kubectl's message about a failed execution, without `error: `.
    pub(crate) fn print(&self, value: &Value) -> Result<String, String> {
        let mut execution = TemplateExecution {
            variables: vec![("$".to_owned(), Some(value.clone()))],
            out: String::new(),
            work: WorkCounter::default(),
        };
        let dot = Some(value.clone());
        match execution.execute_nodes(&self.nodes, &dot) {
            Ok(()) => Ok(execution.out),
            Err(why) => Err(format!(
                "error executing template {:?}: template: output: executing \"output\": {why}",
                self.text
            )),
        }
    }
}

/// A value; `None` for a missing field.
type MaybeValue = Option<Value>;

/// State of one execution of a template.
struct TemplateExecution {
    variables: Vec<(String, MaybeValue)>,
    out: String,
    work: WorkCounter,
}

impl TemplateExecution {
    fn execute_nodes(&mut self, nodes: &[Node], dot: &MaybeValue) -> Result<(), String> {
        let n_outer = self.variables.len();
        for node in nodes {
            if self.out.len() > MAX_OUTPUT_BYTES {
                return Err(OUTPUT_TOO_LONG.to_owned());
            }
            self.spend_work(1)?;
            match node {
                Node::Text(text) => self.out.push_str(text),
                Node::Print(pipe) => {
                    let value = self.evaluate_pipe(pipe, dot)?;
                    if pipe.variable.is_none() {
                        self.out.push_str(&print_value(&value));
                    }
                }
                Node::If(pipe, body, else_body) => {
                    let is_true = is_truthy(&self.evaluate_pipe(pipe, dot)?);
                    self.execute_nodes(if is_true { body } else { else_body }, dot)?;
                }
                Node::With(pipe, body, else_body) => {
                    let value = self.evaluate_pipe(pipe, dot)?;
                    match is_truthy(&value) {
                        true => self.execute_nodes(body, &value)?,
                        false => self.execute_nodes(else_body, dot)?,
                    }
                }
                Node::Range(names, pipe, body, else_body) => self.execute_range(names, pipe, body, else_body, dot)?,
            }
            if !matches!(node, Node::Print(_)) {
                self.variables.truncate(n_outer.max(1));
            }
        }
        Ok(())
    }

    fn execute_range(
        &mut self,
        variable_names: &[String],
        pipe: &Pipe,
        body: &[Node],
        else_body: &[Node],
        dot: &MaybeValue,
    ) -> Result<(), String> {
        let items: Vec<(Value, Value)> = match self.evaluate_pipe(pipe, dot)? {
            Some(Value::Array(items)) => items
                .into_iter()
                .enumerate()
                .map(|(at, item)| (Value::from(at), item))
                .collect(),
            Some(Value::Object(map)) => sorted_entries(&map)
                .into_iter()
                .map(|(key, item)| (Value::from(key.as_str()), item.clone()))
                .collect(),
            None | Some(Value::Null) => Vec::new(),
            Some(other) => return Err(format!("range can't iterate over {}", go_value_text(&other))),
        };
        if items.is_empty() {
            return self.execute_nodes(else_body, dot);
        }
        let n_outer = self.variables.len();
        let work_of_names: u64 = variable_names.iter().map(|name| work_of_text(name)).sum();
        for (key, item) in items {
            self.spend_work(work_of_names)?;
            match variable_names {
                [value] => self.variables.push((value.clone(), Some(item.clone()))),
                [index, value, ..] => {
                    self.variables.push((index.clone(), Some(key)));
                    self.variables.push((value.clone(), Some(item.clone())));
                }
                [] => {}
            }
            self.execute_nodes(body, &Some(item))?;
            self.variables.truncate(n_outer);
        }
        Ok(())
    }

    fn evaluate_pipe(&mut self, pipe: &Pipe, dot: &MaybeValue) -> Result<MaybeValue, String> {
        let mut value: Option<MaybeValue> = None;
        for command in &pipe.commands {
            let mut arguments = Vec::new();
            for term in command.iter().skip(1) {
                arguments.push(self.evaluate_term(term, dot)?);
            }
            let piped = value.take();
            value = Some(match command.first() {
                Some(PipeTerm::Function(name)) => {
                    arguments.extend(piped);
                    self.spend_work(arguments.iter().flatten().map(work_of_value).sum())?;
                    call_function(name, &arguments)?
                }
                Some(other) if arguments.is_empty() && piped.is_none() => self.evaluate_term(other, dot)?,
                _ => return Err("can't give argument to non-function".to_owned()),
            });
        }
        let value = value.ok_or("missing value for command")?;
        if let Some(name) = &pipe.variable {
            self.variables.push((name.clone(), value.clone()));
        }
        Ok(value)
    }

    /// Counts visited values towards the work limit.
    fn spend_work(&self, values: u64) -> Result<(), String> {
        self.work.spend(values).map_err(|why| why.to_string())
    }

    /// Copies a value, and counts the values that it contains towards the work limit.
    fn copy_within_work_limit(&self, value: &MaybeValue) -> Result<MaybeValue, String> {
        self.spend_work(value.as_ref().map_or(1, work_of_value))?;
        Ok(value.clone())
    }

    fn evaluate_term(&mut self, term: &PipeTerm, dot: &MaybeValue) -> Result<MaybeValue, String> {
        Ok(match term {
            PipeTerm::Literal(value) => {
                self.spend_work(work_of_value(value))?;
                Some(value.clone())
            }
            PipeTerm::Function(name) => call_function(name, &[])?,
            PipeTerm::Path(root, path) => {
                let mut value = match root {
                    TermRoot::Dot => self.copy_within_work_limit(dot)?,
                    TermRoot::Variable(name) => {
                        self.spend_work(work_of_text(name).saturating_mul(1 + self.variables.len() as u64 / 8))?;
                        let known = self.variables.iter().rev().find(|(known, _)| known == name);
                        self.copy_within_work_limit(&known.ok_or_else(|| format!("undefined variable {name:?}"))?.1)?
                    }
                    TermRoot::Group(pipe) => self.evaluate_pipe(pipe, dot)?,
                };
                for name in path {
                    value = match value {
                        Some(Value::Object(mut map)) => map.shift_remove(name),
                        // A field of a missing value is missing too.
                        None => None,
                        Some(Value::Null) => {
                            return Err(format!("nil pointer evaluating interface {{}}.{name}"));
                        }
                        Some(other) => {
                            return Err(format!(
                                "can't evaluate field {name} in type {}",
                                go_type_of_value(&other)
                            ));
                        }
                    };
                }
                value
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Shows: Q-03
    #[test]
    fn nested_go_template_ranges_exceed_work_limit() {
        let items: Vec<Value> = (0..300).map(Value::from).collect();
        let value = serde_json::json!({"items": items});
        let text = "{{range .items}}{{range $.items}}{{range $.items}}{{end}}{{end}}{{end}}";
        let printed = GoTemplate::parse(text).and_then(|template| template.print(&value));
        assert!(printed.is_err_and(|why| why.contains("would look at more than")));
    }

    /// Covers texts that double repeatedly, padded formats, copies of long texts, and very long names.
    /// Shows: Q-03
    #[test]
    fn go_template_with_growing_text_exceeds_a_limit() {
        let items: Vec<Value> = (0..300).map(Value::from).collect();
        let value = json!({"items": items, "long": "x".repeat(1 << 20)});
        let doubled = "{{$x := printf \"%s%s\" $x $x}}".repeat(60);
        let padded = "%999s".repeat(5_000);
        let long = "y".repeat(20_000);
        for template in [
            format!("{{{{$x := \"aaaaaaaa\"}}}}{doubled}"),
            format!("{{{{$x := println .long}}}}{}", "{{$x := print $x $x $x}}".repeat(60)),
            format!("{{{{$x := printf \"{padded}\"}}}}"),
            format!("{{{{$x := print {}}}}}", ".long ".repeat(2_000)),
            format!(
                "{{{{range .items}}}}{{{{range $.items}}}}{{{{range $.items}}}}{{{{$x := \"{long}\"}}}}{{{{end}}}}{{{{end}}}}{{{{end}}}}"
            ),
            format!(
                "{{{{range .items}}}}{{{{range $.items}}}}{{{{range ${long} := $.items}}}}{{{{end}}}}{{{{end}}}}{{{{end}}}}"
            ),
            "{{range .items}}{{range $.items}}{{$x := eq $.long $.long}}{{end}}{{end}}".to_owned(),
        ] {
            let printed = GoTemplate::parse(&template).and_then(|parsed| parsed.print(&value));
            let why = printed.expect_err(&template[..60]);
            let is_refused = why.contains("would look at more than") || why.contains(OUTPUT_TOO_LONG);
            assert!(is_refused, "{}: {why:.300}", &template[..60]);
        }
    }

    #[test]
    fn go_templates_print_like_go_and_reject_bad_syntax() {
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
