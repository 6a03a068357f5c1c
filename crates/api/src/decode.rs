//! Decodes a [`Tree`] into typed structs, with Go's error messages for values of a wrong type (VA-238, VA-239). Fields
//! that the structs do not have are returned as a [`Residual`].
//!
//! Null decodes to the zero value, as in Go (VA-240).

use crate::ProblemKind;
use crate::limits;
use crate::ordered::StableSort as _;
use crate::residual::Residual;
use crate::tree::{Data, PathStep, Tree};
use crate::wire::{DecodeResult, Record, Wire};

/// A field that could not be decoded.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldError {
    /// Path of the field, such as `spec.containers[0].image`; empty if the error concerns the whole value.
    pub path: String,
    /// Line, from 1; 0 if the value does not come from a text.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
    /// The error message, as the API server words it.
    pub message: String,
    /// Classification of the problem, for callers that offer help.
    pub kind: ProblemKind,
    /// For a type mismatch: the found and the expected type.
    pub mismatch: Option<Mismatch>,
}

/// A type mismatch between a value and its field.
#[derive(Debug, Clone, PartialEq)]
pub struct Mismatch {
    /// The JSON type found: `number`, `string`, `bool`, `array`, `object`.
    pub found: &'static str,
    /// The type that the field accepts.
    pub expected: ExpectedType,
}

/// The type of value that a field accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExpectedType {
    Text,
    Number,
    /// A boolean: `true` or `false`.
    Bool,
    List,
    /// A JSON object: a struct or a map in Go.
    Fields,
}

impl ExpectedType {
    /// Returns the expected type for the name of a Go type.
    fn of(go_type: &str) -> Self {
        match go_type {
            "string" => Self::Text,
            "bool" => Self::Bool,
            _ if go_type.starts_with("[]") => Self::List,
            _ if go_type.starts_with("int") || go_type.starts_with("uint") || go_type.starts_with("float") => {
                Self::Number
            }
            _ => Self::Fields,
        }
    }
}

/// Decodes a tree into a typed value and reports all fields with wrong types at once.
///
/// With `strict`, fields that the type does not have are errors too (`unknown field "spec.foo"`).
///
/// # Errors
/// Every field that could not be decoded, in the order of the text.
pub fn decode<T: Wire>(node: &Tree<'_>, strict: bool) -> Result<T, Vec<FieldError>> {
    let mut value = T::from_null();
    let residual = decode_into(&mut value, node)?;
    if strict && let Some(residual) = residual {
        let mut errors = Vec::new();
        residual.push_unknown_field_errors(&mut String::new(), &mut errors);
        if !errors.is_empty() {
            return Err(errors);
        }
    }
    Ok(value)
}

/// Decodes a tree into an empty value; returns the part of the tree that the value does not represent.
pub(crate) fn decode_into<'n>(
    value: &mut dyn Wire,
    node: &'n Tree<'n>,
) -> Result<Option<Residual<'n>>, Vec<FieldError>> {
    let first = match value.decode(node, &mut Reader::default()) {
        Ok(residual) => return Ok(residual),
        Err(failure) => failure.0,
    };
    // After a wrong field: record it, erase it from a copy and decode again, so that all problems are reported.
    let mut errors = vec![first.field];
    let mut copy = node.clone();
    copy.set_null_at(&first.steps);
    while errors.len() < limits::TYPE_PROBLEMS_PER_OBJECT {
        let next = match value.decode(&copy, &mut Reader::default()) {
            Ok(_) => break,
            Err(failure) => failure.0,
        };
        if errors.iter().any(|known| known.path == next.field.path) {
            break;
        }
        errors.push(next.field);
        copy.set_null_at(&next.steps);
    }
    errors.stable_sort_by_key(|error| (error.line, error.column));
    Err(errors)
}

/// Like [`decode`], but returns the value without the wrong fields, together with the errors.
pub fn decode_lenient<T: Wire>(node: &Tree<'_>, strict: bool) -> (T, Vec<FieldError>) {
    let mut errors: Vec<FieldError> = Vec::new();
    let mut copy = node.clone();
    let value = loop {
        let mut value = T::from_null();
        let failure = match value.decode(&copy, &mut Reader::default()) {
            Ok(residual) => {
                if let Some(residual) = residual.filter(|_| strict) {
                    residual.push_unknown_field_errors(&mut String::new(), &mut errors);
                }
                break value;
            }
            Err(failure) => failure.0,
        };
        let is_known = errors.iter().any(|known| known.path == failure.field.path);
        if is_known || errors.len() >= limits::TYPE_PROBLEMS_PER_OBJECT {
            break T::from_null();
        }
        errors.push(failure.field);
        copy.set_null_at(&failure.steps);
    };
    errors.stable_sort_by_key(|error| (error.line, error.column));
    (value, errors)
}

/// Returns the message of the first error, with its field path.
pub(crate) fn first_error_message(errors: Vec<FieldError>) -> String {
    errors
        .into_iter()
        .next()
        .map_or_else(String::new, |error| match error.path.as_str() {
            "" => error.message,
            path => format!("{path}: {}", error.message),
        })
}

/// The error of a value that could not be decoded, with the path to the value.
#[derive(Debug)]
pub struct DecodeFailure(Box<FailedField>);

#[derive(Debug)]
struct FailedField {
    field: FieldError,
    steps: Vec<PathStep>,
}

/// One part of the path to the value being decoded.
#[derive(Clone, Copy)]
enum PathSegment<'n> {
    Field(&'n str),
    Key(&'n str),
    Index(usize),
}

/// Decodes the values of a tree, and keeps the path to the current value for error messages.
#[derive(Default)]
pub struct Reader<'n> {
    path: Vec<PathSegment<'n>>,
    /// Name of the struct whose field is being decoded.
    holder: &'static str,
}

impl<'n> Reader<'n> {
    /// Creates an error at this value.
    pub fn fail(&self, node: &Tree<'_>, message: impl Into<String>) -> DecodeFailure {
        self.failure_at(node, message.into())
    }

    /// Creates an error of a given kind at this value.
    pub(crate) fn fail_with_kind(
        &self,
        kind: ProblemKind,
        node: &Tree<'_>,
        message: impl Into<String>,
    ) -> DecodeFailure {
        let mut failure = self.failure_at(node, message.into());
        failure.0.field.kind = kind;
        failure
    }

    fn failure_at(&self, node: &Tree<'_>, message: String) -> DecodeFailure {
        let steps = self.path.iter().map(|segment| match segment {
            PathSegment::Field(key) | PathSegment::Key(key) => PathStep::Key((*key).into()),
            PathSegment::Index(index) => PathStep::Index(*index),
        });
        DecodeFailure(Box::new(FailedField {
            field: FieldError {
                path: field_path(&self.path),
                line: node.line,
                column: node.column,
                message,
                kind: ProblemKind::Other,
                mismatch: None,
            },
            steps: steps.collect(),
        }))
    }

    /// Creates the error for a list or map where a scalar is expected.
    pub(crate) fn not_a_scalar_failure(&self, node: &Tree<'_>, expected: &str) -> DecodeFailure {
        let found = match node.data {
            Data::Seq(_) => "sequence",
            _ => "map",
        };
        self.failure_at(node, format!("invalid type: {found}, expected {expected}"))
    }

    /// Creates the error for a value that does not have the Go type `go_type`.
    pub(crate) fn mismatch_failure(&self, node: &Tree<'_>, go_type: &str) -> DecodeFailure {
        let found = match &node.data {
            Data::Number(text) if go_type != "string" => format!("number {text}"),
            Data::Int(number) if go_type.starts_with("int") || go_type.starts_with("uint") => {
                format!("number {number}")
            }
            _ => node.json_kind().to_owned(),
        };
        let fields: Vec<&str> = self
            .path
            .iter()
            .filter_map(|segment| match segment {
                PathSegment::Field(key) => Some(*key),
                _ => None,
            })
            .collect();
        let target = if fields.is_empty() {
            "value".to_owned()
        } else {
            format!("struct field {}.{}", self.holder, fields.join("."))
        };
        let message = format!("json: cannot unmarshal {found} into Go {target} of type {go_type}");
        let mut failure = self.failure_at(node, message);
        failure.0.field.kind = match go_type {
            "string" => ProblemKind::NoText,
            _ => ProblemKind::OtherType,
        };
        failure.0.field.mismatch = Some(Mismatch {
            found: node.json_kind(),
            expected: ExpectedType::of(go_type),
        });
        failure
    }

    pub(crate) fn decode_text(&self, node: &'n Tree<'n>) -> Result<&'n str, DecodeFailure> {
        match &node.data {
            Data::Null => Ok(""),
            Data::String(text) => Ok(text),
            _ => Err(self.mismatch_failure(node, "string")),
        }
    }

    /// Decodes an integer of 64 bits, signed or unsigned; the caller narrows it to the field's type.
    pub(crate) fn decode_integer(&self, node: &Tree<'_>, go_type: &str) -> Result<i128, DecodeFailure> {
        match &node.data {
            Data::Null => Ok(0),
            Data::Int(number) => Ok((*number).into()),
            Data::Number(text) => text
                .parse::<u64>()
                .map(i128::from)
                .map_err(|_| self.mismatch_failure(node, go_type)),
            _ => Err(self.mismatch_failure(node, go_type)),
        }
    }

    pub(crate) fn decode_boolean(&self, node: &Tree<'_>) -> Result<bool, DecodeFailure> {
        match node.data {
            Data::Null => Ok(false),
            Data::Bool(value) => Ok(value),
            _ => Err(self.mismatch_failure(node, "bool")),
        }
    }

    /// Decodes the fields of a struct; returns entries that are not fields of the struct.
    ///
    /// # Errors
    /// See [`Wire::decode`].
    pub fn decode_record(&mut self, record: &mut dyn Record, node: &'n Tree<'n>) -> DecodeResult<'n> {
        let shape = record.shape();
        let entries = match &node.data {
            Data::Null => return Ok(None),
            Data::Map(entries) => entries,
            _ => return Err(self.mismatch_failure(node, &crate::wire::go_struct_name(shape.name))),
        };
        let holder = std::mem::replace(&mut self.holder, shape.name);
        let mut residuals = Vec::new();
        for entry in entries.iter().filter(|entry| !entry.value.is_null()) {
            let rest = match shape.field_index(&entry.key) {
                Some(at) => self.read_with_segment(PathSegment::Field(&entry.key), &mut |reader| {
                    record.field_mut(at).decode(&entry.value, reader)
                })?,
                None => Some(Residual::Raw(&entry.value)),
            };
            if let Some(rest) = rest {
                residuals.push((&*entry.key, rest));
            }
        }
        self.holder = holder;
        Ok((!residuals.is_empty()).then_some(Residual::Map(residuals)))
    }

    /// Decodes one field of a value that is not a [`Record`].
    pub(crate) fn decode_field(&mut self, key: &'n str, field: &mut dyn Wire, node: &'n Tree<'n>) -> DecodeResult<'n> {
        self.read_with_segment(PathSegment::Field(key), &mut |reader| field.decode(node, reader))
    }

    /// Decodes the elements of a list.
    pub(crate) fn decode_list(
        &mut self,
        node: &'n Tree<'n>,
        go_type: fn() -> String,
        element: &mut dyn FnMut(&'n Tree<'n>, &mut Self) -> DecodeResult<'n>,
    ) -> DecodeResult<'n> {
        let items = match &node.data {
            Data::Null => return Ok(None),
            Data::Seq(items) => items,
            _ => return Err(self.mismatch_failure(node, &go_type())),
        };
        let mut residuals = Vec::new();
        for (index, item) in items.iter().enumerate() {
            let rest = self.read_with_segment(PathSegment::Index(index), &mut |reader| element(item, reader))?;
            if rest.is_some() {
                residuals.resize_with(index, || None);
                residuals.push(rest);
            }
        }
        Ok((!residuals.is_empty()).then_some(Residual::List(items, residuals)))
    }

    /// Decodes the entries of a map.
    pub(crate) fn decode_map(
        &mut self,
        node: &'n Tree<'n>,
        go_type: fn() -> String,
        entry: &mut dyn FnMut(&'n str, &'n Tree<'n>, &mut Self) -> DecodeResult<'n>,
    ) -> DecodeResult<'n> {
        let entries = match &node.data {
            Data::Null => return Ok(None),
            Data::Map(entries) => entries,
            _ => return Err(self.mismatch_failure(node, &go_type())),
        };
        let mut residuals = Vec::new();
        for found in entries {
            let read = &mut |reader: &mut Self| entry(&found.key, &found.value, reader);
            if let Some(rest) = self.read_with_segment(PathSegment::Key(&found.key), read)? {
                residuals.push((&*found.key, rest));
            }
        }
        Ok((!residuals.is_empty()).then_some(Residual::Map(residuals)))
    }

    fn read_with_segment(
        &mut self,
        segment: PathSegment<'n>,
        read: &mut dyn FnMut(&mut Self) -> DecodeResult<'n>,
    ) -> DecodeResult<'n> {
        self.path.push(segment);
        let rest = read(self)?;
        self.path.pop();
        Ok(rest)
    }
}

fn field_path(path: &[PathSegment<'_>]) -> String {
    let mut text = String::new();
    for segment in path {
        match segment {
            PathSegment::Field(key) => {
                if !text.is_empty() {
                    text.push('.');
                }
                text.push_str(key);
            }
            PathSegment::Key(key) => {
                text.push('[');
                text.push_str(key);
                text.push(']');
            }
            PathSegment::Index(index) => text.push_str(&format!("[{index}]")),
        }
    }
    text
}
