//! The result of parsing: objects and problems with their source positions.

use serde::{Deserialize, Serialize};

use std::sync::Arc;

use serde_json::Value;

use crate::json::JsonReader;
use crate::tree::{Data, Tree};
use crate::{Kind, Object, Str, yaml};

/// The objects, configurations and problems of a text, in the order of the text.
#[derive(Debug, Default)]
pub struct Parsed {
    /// Objects of known kinds.
    pub objects: Vec<Located<Object>>,
    /// Objects of kinds that are not simulated, such as custom resources. They are stored and listed, never dropped.
    pub others: Vec<Located<UnsimulatedObject>>,
    /// Objects of an older version of `resource.k8s.io` that were converted to the current one.
    pub converted: Vec<ConvertedObjects>,
    /// Scenarios and component configurations, as trees.
    pub configs: Vec<Located<Config>>,
    /// Problems, in the order of the text. If there are too many, the last one says how many are not listed.
    pub problems: Vec<Problem>,
}

impl Parsed {
    /// Converts an object of an older version of `resource.k8s.io` to the current version, and counts it in
    /// `converted`. Returns None for other objects.
    pub(super) fn convert_device_object(
        &mut self,
        api_version: &str,
        kind: &str,
        node: &Tree<'_>,
    ) -> Option<(Kind, Value)> {
        let (kind, value) = crate::versions::current_device_form(api_version, kind, || node.to_value())?;
        let mut known = self.converted.iter_mut();
        match known.find(|one| one.kind == kind && *one.api_version == *api_version) {
            Some(one) => one.count += 1,
            None => self.converted.push(ConvertedObjects {
                kind,
                api_version: api_version.into(),
                count: 1,
            }),
        }
        Some((kind, value))
    }
}

/// Objects of one kind and version that were converted to the stored version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConvertedObjects {
    pub kind: Kind,
    /// The `apiVersion` in the text.
    pub api_version: Str,
    pub count: usize,
}

/// A value and its source position.
#[derive(Debug, Clone, PartialEq)]
pub struct Located<T> {
    pub value: T,
    pub at: Location,
}

/// The position of an object in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Location {
    /// Number of the document, from 1.
    pub document: u32,
    /// Line of the object's first character, from 1.
    pub line: u32,
    /// Column of the object's first character, from 1.
    pub column: u32,
}

/// An object of a kind that is not simulated.
#[derive(Debug, Clone, PartialEq)]
pub struct UnsimulatedObject {
    /// The object's `apiVersion`.
    pub api_version: Str,
    /// The object's `kind`.
    pub kind: Str,
    /// The object's `metadata.namespace`; empty if it has none.
    pub namespace: Str,
    /// The object's `metadata.name`; empty if it has none.
    pub name: Str,
    /// The whole object as JSON.
    pub raw: Arc<Value>,
}

/// A document that configures Podscope: `Scenario`, `KubeSchedulerConfiguration`, `KubeletConfiguration`.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// The document's `apiVersion`.
    pub api_version: Str,
    /// The document's `kind`.
    pub kind: Str,
    /// The document as a tree, for [`crate::decode`].
    pub tree: Tree<'static>,
}

/// A problem in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Number of the document, from 1; 0 if the problem concerns the whole text.
    pub document: u32,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
    /// The field, such as `spec.containers[0].image`; empty if the problem does not belong to one field.
    pub path: String,
    /// The message, worded like the API server's where it has one.
    pub message: String,
    /// The class of the problem, for callers that offer help.
    pub kind: ProblemKind,
}

/// The category of a problem, so that no caller needs to parse the message.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum ProblemKind {
    /// A problem in none of the other categories.
    #[default]
    Other,
    /// The text is neither valid YAML nor valid JSON.
    Syntax,
    /// The API type has no field with this name.
    UnknownField,
    /// A string is required, but the value is not a string.
    NoText,
    /// The value has a wrong type; a string is not required.
    OtherType,
    NoQuantity,
    /// A required value is missing.
    Required,
    /// The value is not one of the supported values.
    Unsupported,
    /// A value that must be unique occurs twice.
    Duplicate,
    /// The value is not a valid name: it has characters that are not allowed, or not allowed at their position.
    NoName,
    /// The selector does not match the labels of its own pod template.
    Selector,
    /// The API server does not serve this kind, or not in this version.
    Unserved {
        /// The `apiVersion` of the object.
        api_version: String,
        /// The `kind` of the object.
        kind: String,
    },
}

impl std::fmt::Display for Problem {
    /// Prints `LINE:COL: field.path: message`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}: ", self.line, self.column)?;
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.message)
    }
}

impl Problem {
    /// Creates a problem with a field of an object at a known location; `text` is the text from which the object was
    /// parsed.
    pub fn of_field(text: &str, at: &Location, path: &str, message: impl Into<String>) -> Self {
        let (line, column) = at.position(text, path);
        Self {
            document: at.document,
            line,
            column,
            path: path.to_owned(),
            message: message.into(),
            kind: ProblemKind::Other,
        }
    }
}

impl Location {
    /// Returns line and column of a field of the object at this location, or of the field's nearest parent in the text.
    ///
    /// `text` is the text from which the object was parsed; only this object is parsed again.
    pub fn position(&self, text: &str, path: &str) -> (u32, u32) {
        self.parse_tree(text)
            .map_or((self.line, self.column), |node| node.position(path))
    }

    /// Parses the object at this location of `text` again. Returns None if `text` has no value there.
    pub fn parse_tree(&self, text: &str) -> Option<Tree<'static>> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let before = self.line.checked_sub(1)?;
        let mut offset = 0;
        for _ in 0..before {
            offset += text[offset..].find('\n')? + 1;
        }
        self.parse_tree_at_line_offset(text, offset)
    }

    /// Like [`Self::parse_tree`]; `offset` is the byte offset of the object's first line.
    fn parse_tree_at_line_offset(&self, text: &str, offset: usize) -> Option<Tree<'static>> {
        let before = self.line.checked_sub(1)?;
        let line = text[offset..].lines().next()?;
        let column = usize::try_from(self.column.checked_sub(1)?).ok()?;
        let start = offset + line.char_indices().nth(column).map(|(at, _)| at)?;
        let body = &text[start..];
        if body.starts_with('{') {
            let mut reader = JsonReader::new(body, self.line);
            if let Ok(mut node) = reader.read_value() {
                shift_columns_of_line(&mut node, self.line, self.column - 1);
                return Some(node.owned());
            }
        }
        // Spaces replace the text before the object on its first line, so that the line's indentation stays the same.
        let indent = " ".repeat(column);
        let indented = format!("{indent}{}", block_until_outdented(body, column));
        yaml::read_first_value(&indented, before).or_else(|| {
            // Inside brackets and quotes, lines may be indented less than the object: parse the rest of the document.
            let to_document_end = format!("{indent}{}", block_until_outdented(body, 0));
            yaml::read_first_value(&to_document_end, before)
        })
    }
}

/// A text with the byte offsets of its lines, to look up many positions in a long text.
#[derive(Debug)]
pub struct LineIndex<'t> {
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> LineIndex<'t> {
    /// Scans the text for line breaks.
    pub fn new(text: &'t str) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        Self {
            text,
            starts: std::iter::once(0).chain(ends.map(|(at, _)| at + 1)).collect(),
        }
    }

    /// Like [`Location::parse_tree`], but does not scan the text before the object.
    pub fn parse_tree_at(&self, at: &Location) -> Option<Tree<'static>> {
        let line = usize::try_from(at.line.checked_sub(1)?).ok()?;
        at.parse_tree_at_line_offset(self.text, *self.starts.get(line)?)
    }
}

/// Adds `by` to the columns of all keys and values on line `line`, because the parser saw this line without its first
/// `by` columns.
fn shift_columns_of_line(node: &mut Tree<'_>, line: u32, by: u32) {
    if node.line == line {
        node.column += by;
    }
    match &mut node.data {
        Data::Seq(items) => items.iter_mut().for_each(|item| shift_columns_of_line(item, line, by)),
        Data::Map(entries) => {
            for entry in entries {
                if entry.line == line {
                    entry.column += by;
                }
                shift_columns_of_line(&mut entry.value, line, by);
            }
        }
        _ => {}
    }
}

/// Returns the lines of a block that starts at column `indent`, up to the next line with less indentation.
fn block_until_outdented(body: &str, indent: usize) -> &str {
    let mut end = 0;
    for (number, line) in body.split_inclusive('\n').enumerate() {
        let blanks = line.len() - line.trim_start_matches(' ').len();
        let outdented = blanks < indent && !line.trim().is_empty() && !line.trim_start().starts_with('#');
        let marker = line.starts_with("---") || line.starts_with("...");
        if number > 0 && (outdented || (indent == 0 && marker)) {
            break;
        }
        end += line.len();
    }
    &body[..end]
}
