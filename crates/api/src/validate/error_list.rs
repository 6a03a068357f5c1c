//! Field errors and their text form (VA-001 to VA-017).

use std::fmt::{self, Display, Write};

use super::names::NameFault;
use crate::ordered::StableSort as _;
use crate::schema::values;
use crate::{Kind, ProblemKind};

/// A validation error of one field of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValidationError {
    /// The field, such as `spec.containers[0].image`.
    pub path: String,
    /// `causes[].reason` in the API's response, such as `FieldValueRequired`.
    pub reason: &'static str,
    /// The message without the field: `Invalid value: 0: must be greater than zero`.
    pub message: String,
    /// Classification of the problem, for callers that offer help.
    pub kind: ProblemKind,
}

impl Display for ValidationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.message)
    }
}

/// All errors of an object, in the API server's order (VA-018).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ErrorList(Vec<ValidationError>);

impl ErrorList {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn iter(&self) -> std::slice::Iter<'_, ValidationError> {
        self.0.iter()
    }

    /// Returns the message with which the API refuses the object, without repeated errors: `Pod "web" is invalid: [a,
    /// b]` (VA-016).
    pub fn to_status_message(&self, kind: Kind, name: &str) -> String {
        format!("{} {} is invalid: {self}", kind.qualified_name(), quoted(name))
    }

    /// Adds an error for a string with an invalid value; for checks in other crates.
    pub fn add_invalid(&mut self, path: &str, value: &str, detail: &str) {
        self.invalid_text(&Path::root(path), value, detail);
    }

    /// Adds an error for a forbidden field; for checks in other crates.
    pub fn add_forbidden(&mut self, path: &str, detail: &str) {
        self.forbidden(&Path::root(path), detail);
    }

    /// Appends more errors to the list.
    pub fn extend(&mut self, more: impl IntoIterator<Item = ValidationError>) {
        self.0.extend(more);
    }

    fn push(&mut self, path: &Path<'_>, reason: &'static str, message: String) {
        self.0.push(ValidationError {
            path: path.to_string(),
            reason,
            message,
            kind: match reason {
                "FieldValueRequired" => ProblemKind::Required,
                "FieldValueNotSupported" => ProblemKind::Unsupported,
                "FieldValueDuplicate" => ProblemKind::Duplicate,
                _ => ProblemKind::Other,
            },
        });
    }

    /// Adds an error for an invalid value with a more specific kind of problem.
    pub(crate) fn invalid_of_kind(&mut self, kind: ProblemKind, path: &Path<'_>, value: impl Display, detail: &str) {
        self.invalid(path, value, detail);
        if let Some(last) = self.0.last_mut() {
            last.kind = kind;
        }
    }

    pub(crate) fn required(&mut self, path: &Path<'_>, detail: &str) {
        let message = if detail.is_empty() {
            "Required value".to_owned()
        } else {
            format!("Required value: {detail}")
        };
        self.push(path, "FieldValueRequired", message);
    }

    /// Adds an error for an invalid value. `value` is already formatted: numbers bare, strings through [`quoted`],
    /// other values as JSON.
    pub(crate) fn invalid(&mut self, path: &Path<'_>, value: impl Display, detail: &str) {
        let detail = if detail.is_empty() {
            String::new()
        } else {
            format!(": {detail}")
        };
        self.push(path, "FieldValueInvalid", format!("Invalid value: {value}{detail}"));
    }

    pub(crate) fn invalid_text(&mut self, path: &Path<'_>, value: &str, detail: &str) {
        self.invalid(path, quoted(value), detail);
    }

    /// Adds an error for a value with a wrong type or format.
    pub(crate) fn type_invalid(&mut self, path: &Path<'_>, value: impl Display, detail: &str) {
        let message = format!("Invalid value: {value}: {detail}");
        self.push(path, "FieldValueTypeInvalid", message);
    }

    pub(crate) fn unsupported(&mut self, path: &Path<'_>, value: impl Display, supported: &[&str]) {
        let list: Vec<String> = supported.iter().map(|known| quoted(known)).collect();
        self.push(
            path,
            "FieldValueNotSupported",
            format!("Unsupported value: {value}: supported values: {}", list.join(", ")),
        );
    }

    pub(crate) fn unsupported_text(&mut self, path: &Path<'_>, value: &str, supported: &[&str]) {
        self.unsupported(path, quoted(value), supported);
    }

    /// Adds an error for an unsupported value; the message lists the supported values sorted.
    pub(crate) fn unsupported_sorted(&mut self, path: &Path<'_>, value: &str, supported: &[&str]) {
        self.unsupported_text(path, value, &sorted_values(supported));
    }

    /// Checks that a text is one of the supported values, which the message lists in the given order.
    pub(crate) fn check_one_of(&mut self, path: &Path<'_>, value: &str, supported: &[&str]) {
        if !supported.contains(&value) {
            self.unsupported_text(path, value, supported);
        }
    }

    /// Checks that a text is one of the supported values, which the message lists sorted.
    pub(crate) fn check_one_of_sorted(&mut self, path: &Path<'_>, value: &str, supported: &[&str]) {
        if !supported.contains(&value) {
            self.unsupported_sorted(path, value, supported);
        }
    }

    pub(crate) fn forbidden(&mut self, path: &Path<'_>, detail: &str) {
        self.push(path, "FieldValueForbidden", format!("Forbidden: {detail}"));
    }

    /// Adds an error that the API server reports as an internal error.
    pub(crate) fn internal(&mut self, path: &Path<'_>, detail: &str) {
        self.push(path, "InternalError", format!("Internal error: {detail}"));
    }

    pub(crate) fn duplicate(&mut self, path: &Path<'_>, value: impl Display, detail: &str) {
        let detail = if detail.is_empty() {
            String::new()
        } else {
            format!(": {detail}")
        };
        self.push(path, "FieldValueDuplicate", format!("Duplicate value: {value}{detail}"));
    }

    pub(crate) fn not_found(&mut self, path: &Path<'_>, value: &str, detail: &str) {
        let detail = if detail.is_empty() {
            String::new()
        } else {
            format!(": {detail}")
        };
        self.push(
            path,
            "FieldValueNotFound",
            format!("Not found: {}{detail}", quoted(value)),
        );
    }

    pub(crate) fn too_long(&mut self, path: &Path<'_>, max: usize) {
        let unit = if max == 1 { "byte" } else { "bytes" };
        self.push(
            path,
            "FieldValueTooLong",
            format!("Too long: may not be more than {max} {unit}"),
        );
    }

    pub(crate) fn too_many(&mut self, path: &Path<'_>, count: usize, max: usize) {
        let unit = if max == 1 { "item" } else { "items" };
        self.push(
            path,
            "FieldValueTooMany",
            format!("Too many: {count}: must have at most {max} {unit}"),
        );
    }

    /// Adds an error that does not refer to a single value.
    pub(crate) fn invalid_without_value(&mut self, path: &Path<'_>, detail: &str) {
        self.push(path, "FieldValueInvalid", format!("Invalid value: {detail}"));
    }

    /// Adds an error for each problem of a name, all at the same field.
    pub(crate) fn invalid_name(&mut self, path: &Path<'_>, value: &str, faults: &[NameFault]) {
        for fault in faults {
            self.invalid_of_kind(fault.kind.clone(), path, quoted(value), &fault.text);
        }
    }

    /// Checks that a required name satisfies a rule.
    pub(crate) fn check_name(&mut self, path: &Path<'_>, name: &str, rule: impl Fn(&str) -> Vec<NameFault>) {
        match name {
            "" => self.required(path, ""),
            name => self.invalid_name(path, name, &rule(name)),
        }
    }

    /// Checks that a number is a valid port.
    pub(crate) fn check_port(&mut self, path: &Path<'_>, number: impl Into<i64>) {
        let number = number.into();
        if !(1..=65_535).contains(&number) {
            self.invalid(path, number, &super::names::out_of_range_message(1, 65_535));
        }
    }

    /// Checks a required network protocol.
    pub(crate) fn check_protocol(&mut self, path: &Path<'_>, protocol: &str) {
        match protocol {
            "" => self.required(path, ""),
            given => self.check_one_of_sorted(path, given, values::PROTOCOL),
        }
    }

    /// Checks that a number is not negative.
    pub(crate) fn check_not_negative(&mut self, path: &Path<'_>, value: Option<impl Into<i64> + Copy>) {
        if let Some(value) = value.map(Into::into)
            && value < 0
        {
            self.invalid(path, value, NEGATIVE);
        }
    }
}

/// Returns the values in alphabetical order, in which most messages list them.
pub(super) fn sorted_values<'v>(values: &[&'v str]) -> Vec<&'v str> {
    let mut values = values.to_vec();
    values.stable_sort();
    values
}

/// Message for a negative number (VA-067).
pub(crate) const NEGATIVE: &str = "must be greater than or equal to 0";
/// Message for a number that is not positive (VA-067).
pub(crate) const NOT_POSITIVE: &str = "must be greater than zero";
/// Message for a changed field that is immutable.
pub(crate) const IMMUTABLE: &str = "field is immutable";

impl Display for ErrorList {
    /// Prints a single error bare, and several errors as `[a, b, c]` without repetitions.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut texts: Vec<String> = Vec::new();
        for error in &self.0 {
            let text = error.to_string();
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
        match texts.as_slice() {
            [one] => f.write_str(one),
            many => write!(f, "[{}]", many.join(", ")),
        }
    }
}

impl FromIterator<ValidationError> for ErrorList {
    fn from_iter<I: IntoIterator<Item = ValidationError>>(errors: I) -> Self {
        Self(errors.into_iter().collect())
    }
}

impl IntoIterator for ErrorList {
    type Item = ValidationError;
    type IntoIter = std::vec::IntoIter<ValidationError>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

/// A path to a field. It is built on the stack and formatted only when an error is reported.
#[derive(Clone, Copy)]
pub(crate) struct Path<'a> {
    parent: Option<&'a Path<'a>>,
    part: PathPart<'a>,
}

#[derive(Clone, Copy)]
enum PathPart<'a> {
    Field(&'a str),
    Index(usize),
    Key(&'a str),
}

impl<'a> Path<'a> {
    pub(crate) const fn root(name: &'a str) -> Path<'a> {
        Path {
            parent: None,
            part: PathPart::Field(name),
        }
    }

    pub(crate) const fn child(&'a self, name: &'a str) -> Path<'a> {
        Path {
            parent: Some(self),
            part: PathPart::Field(name),
        }
    }

    pub(crate) const fn index(&'a self, index: usize) -> Path<'a> {
        Path {
            parent: Some(self),
            part: PathPart::Index(index),
        }
    }

    pub(crate) const fn key(&'a self, key: &'a str) -> Path<'a> {
        Path {
            parent: Some(self),
            part: PathPart::Key(key),
        }
    }
}

impl Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(parent) = self.parent {
            parent.fmt(f)?;
        }
        match self.part {
            PathPart::Field(name) if self.parent.is_some() => write!(f, ".{name}"),
            PathPart::Field(name) => f.write_str(name),
            PathPart::Index(index) => write!(f, "[{index}]"),
            PathPart::Key(key) => write!(f, "[{key}]"),
        }
    }
}

/// Quotes a string like Go's `%q`.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\u{b}' => out.push_str("\\v"),
            '\u{c}' => out.push_str("\\f"),
            letter if letter.is_control() && u32::from(letter) < 0x80 => {
                let _ = write!(out, "\\x{:02x}", u32::from(letter));
            }
            letter if letter.is_control() => {
                let _ = write!(out, "\\u{:04x}", u32::from(letter));
            }
            letter => out.push(letter),
        }
    }
    out.push('"');
    out
}
