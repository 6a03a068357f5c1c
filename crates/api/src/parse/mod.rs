//! Parses text into objects: YAML with several documents, JSON, and `kind: List`. Every object has its source position,
//! and every problem has line, column and field (P-03, P-04).

mod list;
#[cfg(not(target_family = "wasm"))]
mod parallel;
mod parsed;

use std::sync::Arc;

use serde_json::Value;

use crate::decode::FieldError;
use crate::extra::Extra;
use crate::json::{JsonReader, TextError, TextErrorKind};
use crate::residual::Residual;
use crate::served::{self, ServedAs};
use crate::tree::{Data, Entry, Tree};
use crate::{Kind, Object, limits, yaml, yaml_words};

pub use parsed::{
    Config, ConvertedObjects, LineIndex, Located, Location, Parsed, Problem, ProblemKind, UnsimulatedObject,
};

/// Parses a text into objects. Nothing is dropped: objects of unknown kinds are in `others`, errors are in `problems`.
pub fn parse(text: &str) -> Parsed {
    let mut reader = ObjectReader::default();
    if text.len() > limits::INPUT_BYTES {
        reader.report_input_too_long(text);
        return reader.parsed;
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim_start().starts_with('{') {
        reader.read_json(text);
    } else {
        reader.read_yaml_text(text, 0);
    }
    reader.parsed
}

/// Parses a text with exactly one YAML or JSON value of any shape, such as a patch or a settings file.
///
/// # Errors
/// All syntax errors, or an error if there is not exactly one value.
pub fn read_yaml(text: &str) -> Result<Tree<'_>, Vec<Problem>> {
    let mut reader = ObjectReader {
        document: 1,
        ..ObjectReader::default()
    };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut found = Vec::new();
    if text.len() > limits::INPUT_BYTES {
        reader.report_input_too_long(text);
    } else {
        for (before, piece) in yaml::split_documents(text) {
            let read = yaml::read(piece, before);
            read.problems
                .into_iter()
                .for_each(|error| reader.report_text_error(error));
            found.extend(read.documents);
        }
    }
    let mut problems = reader.parsed.problems;
    if problems.is_empty() && found.len() == 1 {
        return Ok(found.remove(0));
    }
    if problems.is_empty() {
        problems.push(Problem {
            document: 1,
            line: 1,
            column: 1,
            path: String::new(),
            message: format!("expected one document, found {}", found.len()),
            kind: ProblemKind::Other,
        });
    }
    Err(problems)
}

/// The first syntax error of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SyntaxError {
    /// An error of the YAML parser: the line from 1 (0 if unknown), and the message.
    Yaml(u32, String),
    /// An error of the JSON decoder: the message.
    Json(String),
}

impl std::fmt::Display for SyntaxError {
    /// Prints the text that follows kubectl's `error parsing STDIN: `.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            SyntaxError::Yaml(0, message) => write!(f, "error converting YAML to JSON: yaml: {message}"),
            SyntaxError::Yaml(line, message) => {
                write!(f, "error converting YAML to JSON: yaml: line {line}: {message}")
            }
            SyntaxError::Json(message) => f.write_str(message),
        }
    }
}

/// Reads the non-empty documents of a text as kubectl does, up to the first syntax error. If a key occurs twice, the
/// last value is used.
///
/// A text that begins like JSON but is not valid JSON is parsed as YAML from the first invalid value on, unless more
/// than one JSON value precedes it. If the YAML parser fails there too, the JSON error is returned.
pub fn read_documents(text: &str) -> (Vec<Tree<'_>>, Option<SyntaxError>) {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut found = Vec::new();
    if text.len() > limits::INPUT_BYTES {
        let message = format!("input of {} bytes: the limit is {}", text.len(), limits::INPUT_BYTES);
        return (found, Some(SyntaxError::Yaml(1, message)));
    }
    let (mut rest, mut not_json) = (text, None);
    if text.trim_start().starts_with('{') {
        let mut reader = JsonReader::new(text, 1);
        loop {
            rest = reader.rest_with_line().0;
            if rest.trim_start().is_empty() {
                return (found, None);
            }
            let wrong = match reader.read_value() {
                Ok(document) => {
                    found.push(document);
                    continue;
                }
                Err(wrong) => wrong.message,
            };
            let message = match wrong.as_str() {
                // Go's decoder has this message for a stream that ends too early.
                "unexpected end of JSON input" => "unexpected EOF".to_owned(),
                _ if found.len() > 1 => wrong,
                _ => format!("json: offset {}: {wrong}", reader.offset()),
            };
            if found.len() > 1 {
                return (found, Some(SyntaxError::Json(message)));
            }
            not_json = Some(SyntaxError::Json(message));
            let next = rest.trim_start_matches([' ', '\t', '\r']);
            rest = next.strip_prefix('\n').unwrap_or(next);
            break;
        }
    }
    let mut last = 0;
    let above = text[..text.len() - rest.len()].matches('\n').count() as u32;
    for (before, piece) in yaml::split_documents(rest) {
        match read_first_document_of_piece(piece, above + before) {
            Ok(document) => {
                last = found.len();
                found.extend(document);
            }
            Err(wrong) => {
                // kubectl finds an invalid document marker while it reads the document before the marker, so it drops
                // that document too.
                if matches!(wrong, SyntaxError::Json(_)) {
                    found.truncate(last);
                }
                return (found, not_json.or(Some(wrong)));
            }
        }
        not_json = None;
    }
    (found, None)
}

/// Reads the first document of a YAML text as the API server does. If a key occurs twice, the last value is used.
///
/// # Errors
/// The first syntax error, with the message of go-yaml.
pub fn read_yaml_document(text: &str) -> Result<Option<Tree<'_>>, SyntaxError> {
    match text.len() > limits::INPUT_BYTES {
        true => {
            let message = format!("input of {} bytes: the limit is {}", text.len(), limits::INPUT_BYTES);
            Err(SyntaxError::Yaml(1, message))
        }
        false => read_first_document_of_piece(text, 0),
    }
}

/// Reads the first document of a piece of text between two document markers; `above` is the number of lines before the
/// piece. Further documents in the piece are ignored.
fn read_first_document_of_piece(piece: &str, above: u32) -> Result<Option<Tree<'_>>, SyntaxError> {
    let piece = piece.strip_prefix('\u{feff}').unwrap_or(piece);
    // The text after the last document marker; line numbers in errors count from its first line.
    let mut body = piece;
    let mut left = piece;
    while let Some((line, after)) = left.split_once('\n').or((!left.is_empty()).then_some((left, ""))) {
        if let Some(rest) = line.strip_prefix("---").map(str::trim) {
            if !rest.is_empty() && !rest.starts_with('#') {
                return Err(SyntaxError::Json(format!("invalid Yaml document separator: {rest}")));
            }
            body = after;
        }
        left = after;
    }
    let above = above + piece[..piece.len() - body.len()].matches('\n').count() as u32;
    let read = yaml::read(body, above);
    let wrong = read
        .problems
        .into_iter()
        .find(|problem| problem.kind != TextErrorKind::Duplicate);
    let mut documents = read.documents.into_iter().filter(|document| !document.is_null());
    match wrong {
        Some(mut wrong) if !wrong.message.contains("<document start>") => {
            wrong.line = wrong.line.saturating_sub(above);
            let (line, message) = yaml_words::go_yaml_message(wrong, body);
            Err(SyntaxError::Yaml(line, message))
        }
        _ => Ok(documents.next()),
    }
}

/// Decodes a typed object of a kind from a tree, including its untyped fields.
///
/// # Errors
/// All fields with a wrong type.
pub fn object_from_tree(kind: Kind, tree: &Tree<'_>) -> Result<Object, Vec<FieldError>> {
    decode_typed(kind, tree)
}

/// Decodes a typed object from JSON, including its untyped fields. `apiVersion` and `kind` must name a known kind.
///
/// # Errors
/// All fields with a wrong type, or an error for an unknown kind.
pub fn object_from_value(value: &Value) -> Result<Object, Vec<FieldError>> {
    let node = Tree::from_value(value);
    let wire = |key: &str| node.get(key).and_then(Tree::as_str).unwrap_or("");
    let (api_version, kind) = (wire("apiVersion"), wire("kind"));
    match Kind::from_wire(api_version, kind) {
        Some(kind) => decode_typed(kind, &node),
        None => Err(vec![FieldError {
            mismatch: None,
            path: String::new(),
            line: 0,
            column: 0,
            message: served::no_matches_message(api_version, kind),
            kind: unserved_problem_kind(api_version, kind),
        }]),
    }
}

fn decode_typed(kind: Kind, node: &Tree<'_>) -> Result<Object, Vec<FieldError>> {
    let pruned = crate::schema::without_omitted_empty_fields(kind, node);
    let (mut object, residual) = Object::from_tree(kind, pruned.as_ref().unwrap_or(node))?;
    let (own, template) = separate_untyped_template_fields(residual);
    object.set_extra(own);
    if !template.is_empty()
        && let Some(slot) = object.template_mut()
    {
        slot.extra = template;
    }
    Ok(object)
}

/// Separates the untyped fields of the pod template from those of the object, so that pods of one template share them.
fn separate_untyped_template_fields(untyped: Option<Residual<'_>>) -> (Extra, Extra) {
    let Some(mut untyped) = untyped else {
        return (Extra::default(), Extra::default());
    };
    // `apiVersion` and `kind` are printed from the object's `Kind`, so they need not be stored.
    let _ = (untyped.take_at_path(&["apiVersion"]), untyped.take_at_path(&["kind"]));
    let template = match untyped.take_at_path(&["spec", "template"]) {
        // The kind has no typed pod template but a field `spec.template`, which stays with the object's other untyped
        // fields.
        Some(raw @ Residual::Raw(_)) => {
            if let Residual::Map(fields) = &mut untyped {
                match fields.iter_mut().find(|(key, _)| *key == "spec") {
                    Some((_, Residual::Map(spec))) => spec.push(("template", raw)),
                    _ => fields.push(("spec", Residual::Map(vec![("template", raw)]))),
                }
            }
            None
        }
        other => other,
    };
    (Extra::from_residual(Some(untyped)), Extra::from_residual(template))
}

#[derive(Default)]
struct ObjectReader {
    parsed: Parsed,
    document: u32,
    objects: usize,
    n_unlisted: usize,
}

impl ObjectReader {
    fn add_problem(&mut self, document: u32, line: u32, column: u32, path: &str, message: String) {
        self.add_problem_of_kind(ProblemKind::Other, document, (line, column), path, message);
    }

    fn add_problem_of_kind(&mut self, kind: ProblemKind, document: u32, at: (u32, u32), path: &str, message: String) {
        let (line, column) = at;
        let problems = &mut self.parsed.problems;
        if problems.len() < limits::LISTED_PROBLEMS {
            problems.push(Problem {
                document,
                line,
                column,
                path: path.to_owned(),
                message,
                kind,
            });
        } else {
            self.n_unlisted += 1;
            if let Some(last) = problems.last_mut() {
                last.message = format!("and {} more problems", self.n_unlisted + 1);
                last.path.clear();
                last.kind = ProblemKind::Other;
            }
        }
    }

    fn report_input_too_long(&mut self, text: &str) {
        let message = format!("input of {} bytes: the limit is {}", text.len(), limits::INPUT_BYTES);
        self.add_problem(0, 1, 1, "", message);
    }

    fn report_text_error(&mut self, error: TextError) {
        let at = (error.line, error.column);
        self.add_problem_of_kind(ProblemKind::Syntax, self.document, at, "", error.message);
    }

    /// Counts a document that begins at `line`. Returns false if the text has more documents than allowed.
    fn try_begin_document(&mut self, line: u32) -> bool {
        self.document += 1;
        let limit = u32::try_from(limits::DOCUMENTS).unwrap_or(u32::MAX);
        if self.document == limit + 1 {
            self.add_problem(
                self.document,
                line,
                1,
                "",
                format!("more than {} documents", limits::DOCUMENTS),
            );
        }
        self.document <= limit
    }

    fn read_yaml_text(&mut self, text: &str, lines_before: u32) {
        for (before, piece) in yaml::split_documents(text) {
            let piece = piece.strip_prefix('\u{feff}').unwrap_or(piece);
            if self.read_yaml_list(piece, lines_before + before) {
                continue;
            }
            let read = yaml::read(piece, lines_before + before);
            if read.documents.is_empty()
                && !read.problems.is_empty()
                && !self.try_begin_document(lines_before + before + 1)
            {
                return;
            }
            for (index, node) in read.documents.iter().enumerate() {
                if !self.try_begin_document(node.line) {
                    return;
                }
                if index == 0 {
                    read.problems
                        .iter()
                        .for_each(|error| self.report_text_error(error.clone()));
                }
                self.read_object(node, None);
            }
            if read.documents.is_empty() {
                read.problems
                    .into_iter()
                    .for_each(|error| self.report_text_error(error));
            }
        }
    }

    fn read_json(&mut self, text: &str) {
        let mut reader = JsonReader::new(text, 1);
        // A text without the key `items` is not a list; this test avoids parsing the text twice.
        let may_be_long = text.len() >= limits::MIN_SPLIT_LIST_BYTES && text.contains("\"items\"");
        while reader.skip_to_next_value() {
            if let Some(behind) = may_be_long.then(|| self.read_json_list(&mut reader)).flatten() {
                reader = behind;
                continue;
            }
            let (rest, line) = reader.rest_with_line();
            if !self.try_begin_document(line) {
                return;
            }
            match reader.read_value() {
                Ok(node) => {
                    for error in std::mem::take(&mut reader.duplicates) {
                        self.report_text_error(error);
                    }
                    self.read_object(&node, None);
                }
                Err(error) => {
                    // The rest of the text is not JSON: it may be YAML in flow style, or YAML documents after JSON
                    // documents.
                    let as_yaml = yaml::split_documents(rest);
                    let quoted = rest
                        .strip_prefix('{')
                        .is_some_and(|body| body.trim_start().starts_with(['"', '}']));
                    let is_valid_yaml = || {
                        as_yaml
                            .iter()
                            .all(|(before, piece)| yaml::read(piece, line - 1 + before).problems.is_empty())
                    };
                    if !quoted || is_valid_yaml() {
                        self.document -= 1;
                        self.read_yaml_text(rest, line - 1);
                    } else {
                        self.report_text_error(error);
                    }
                    return;
                }
            }
        }
    }

    fn read_typed(&mut self, kind: Kind, node: &Tree<'_>, at: Location) {
        match decode_typed(kind, node) {
            Ok(value) => self.parsed.objects.push(Located { value, at }),
            Err(errors) => {
                for error in errors {
                    let position = (error.line, error.column);
                    self.add_problem_of_kind(error.kind, at.document, position, &error.path, error.message);
                }
            }
        }
    }

    /// Reads one object or a list of objects. `inherited_version_and_kind` are those of the items of a typed list
    /// (`PodList`).
    fn read_object(&mut self, node: &Tree<'_>, inherited_version_and_kind: Option<(&str, &str)>) {
        let at = Location {
            document: self.document,
            line: node.line,
            column: node.column,
        };
        if !matches!(node.data, Data::Map(_)) {
            self.add_problem(at.document, at.line, at.column, "", "invalid object to validate".into());
            return;
        }
        self.objects += 1;
        if self.objects > limits::OBJECTS {
            if self.objects == limits::OBJECTS + 1 {
                let message = format!("more than {} objects", limits::OBJECTS);
                self.add_problem(at.document, at.line, at.column, "", message);
            }
            return;
        }
        let (api_version, kind) = match api_version_and_kind(node, inherited_version_and_kind) {
            Ok(both) => both,
            Err(message) => return self.add_problem(at.document, at.line, at.column, "", message.into()),
        };
        if let Some(item_kind) = kind.strip_suffix("List")
            && let Data::Map(entries) = &node.data
            && let Some(Entry { value: items, .. }) = entries.iter().find(|entry| &*entry.key == "items")
        {
            match &items.data {
                Data::Seq(items) => {
                    let inherited = (!item_kind.is_empty()).then_some((api_version, item_kind));
                    items.iter().for_each(|item| self.read_object(item, inherited));
                }
                // Go encodes a nil slice as null, for example in `kubectl cluster-info dump`.
                Data::Null => {}
                _ => {
                    let message = format!(
                        "json: cannot unmarshal {} into Go struct field List.items of type []runtime.RawExtension",
                        items.json_kind()
                    );
                    let position = (items.line, items.column);
                    self.add_problem_of_kind(ProblemKind::OtherType, at.document, position, "items", message);
                }
            }
            return;
        }
        if kind == "List" && api_version == "v1" {
            return;
        }
        if is_configuration_kind(api_version, kind) {
            self.parsed.configs.push(Located {
                value: Config {
                    api_version: api_version.into(),
                    kind: kind.into(),
                    tree: node.owned(),
                },
                at,
            });
            return;
        }
        let stored = crate::stored_form(api_version, kind, || node.to_value());
        if let Some((kind, value)) = stored.or_else(|| self.parsed.convert_device_object(api_version, kind, node)) {
            return self.read_typed(kind, &Tree::from_value(&value), at);
        }
        match served::look_up(api_version, kind) {
            ServedAs::Simulated(kind) => self.read_typed(kind, node, at),
            ServedAs::Untyped => {
                let metadata = |key: &str| {
                    node.get("metadata")
                        .and_then(|metadata| metadata.get(key))
                        .and_then(Tree::as_str)
                        .unwrap_or("")
                };
                let value = UnsimulatedObject {
                    api_version: api_version.into(),
                    kind: kind.into(),
                    namespace: metadata("namespace").into(),
                    name: metadata("name").into(),
                    raw: Arc::new(node.to_value()),
                };
                self.parsed.others.push(Located { value, at });
            }
            ServedAs::Unserved => self.report_unserved_kind(node, at.document, api_version, kind),
        }
    }

    fn report_unserved_kind(&mut self, node: &Tree<'_>, document: u32, api_version: &str, kind: &str) {
        let (line, column) = node.position("kind");
        let message = served::no_matches_message(api_version, kind);
        self.add_problem_of_kind(
            unserved_problem_kind(api_version, kind),
            document,
            (line, column),
            "kind",
            message,
        );
    }
}

fn unserved_problem_kind(api_version: &str, kind: &str) -> ProblemKind {
    ProblemKind::Unserved {
        api_version: api_version.to_owned(),
        kind: kind.to_owned(),
    }
}

/// Returns `apiVersion` and `kind` of the object; where they are absent, those of the list that holds it. The error
/// says which of them is missing.
fn api_version_and_kind<'t>(
    node: &'t Tree<'_>,
    inherited: Option<(&'t str, &'t str)>,
) -> Result<(&'t str, &'t str), &'static str> {
    let wire = |key: &str| node.get(key).and_then(Tree::as_str).filter(|text| !text.is_empty());
    let api_version = wire("apiVersion").or(inherited.map(|(api_version, _)| api_version));
    let kind = wire("kind").or(inherited.map(|(_, kind)| kind));
    match (api_version, kind) {
        (Some(api_version), Some(kind)) => Ok((api_version, kind)),
        (None, None) => Err("[apiVersion not set, kind not set]"),
        (None, _) => Err("apiVersion not set"),
        _ => Err("kind not set"),
    }
}

fn is_configuration_kind(api_version: &str, kind: &str) -> bool {
    matches!(kind, "KubeSchedulerConfiguration" | "KubeletConfiguration") || api_version.starts_with("podscope.dev/")
}
