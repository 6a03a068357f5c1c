//! Checks a tree as Go's JSON decoder does when it reads the API server's structs: reports the first type error in its
//! wording and all unknown fields. [`crate::parse`] decodes the value itself.

use std::borrow::Cow;

use super::{GoType, Shape, Struct};
use crate::tree::{Data, Entry, Tree};
use crate::{Quantity, Time};

/// The reason why the API server cannot decode an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rejection {
    /// The decoder's message for the first value of a wrong type.
    Type(String),
    /// The kind is written in the wrong case: kubectl accepts it, the API server does not. The fields are the kind and
    /// the version.
    Unregistered(String, String),
    /// Paths of unknown fields, such as `spec.foo`; reported only in strict decoding.
    Unknown(Vec<String>),
}

impl std::fmt::Display for Rejection {
    /// Prints the part of the API server's error message that follows `cannot be handled as a Pod: `.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Rejection::Type(message) => f.write_str(message),
            Rejection::Unregistered(kind, version) => write!(
                f,
                "no kind {kind:?} is registered for version {version:?} in scheme \"pkg/api/legacyscheme/scheme.go:30\""
            ),
            Rejection::Unknown(fields) => {
                let fields: Vec<String> = fields.iter().map(|field| unknown_field(field)).collect();
                write!(f, "strict decoding error: {}", fields.join(", "))
            }
        }
    }
}

/// Returns the API server's message about a field that the kind does not have, given its path: `unknown field
/// "spec.foo"`.
pub fn unknown_field(path: &str) -> String {
    format!("unknown field {path:?}")
}

/// Decodes an object strictly into the structs of its kind.
///
/// # Errors
/// The first value of a wrong type, or else all unknown fields.
pub fn decode_object(fields: Struct, tree: &Tree<'_>) -> Result<(), Rejection> {
    Decoder::default().decode_root(fields, tree)
}

/// Like [`decode_object`], for JSON whose keys are not sorted (kubectl sorts them before sending).
///
/// # Errors
/// As [`decode_object`], with fields decoded in the order in which they were sent.
pub fn decode_as_sent(fields: Struct, tree: &Tree<'_>) -> Result<(), Rejection> {
    let decoder = Decoder {
        as_sent: true,
        ..Decoder::default()
    };
    decoder.decode_root(fields, tree)
}

/// Checks an object that resulted from a patch: reports the first value that does not fit, in the wording of the API
/// server's unstructured converter, or else all unknown fields.
///
/// # Errors
/// As [`decode_object`], with the converter's messages for types.
pub fn convert_object(fields: Struct, tree: &Tree<'_>) -> Result<(), Rejection> {
    let decoder = Decoder {
        converts: true,
        ..Decoder::default()
    };
    decoder.decode_root(fields, tree)
}

/// Decodes only `metadata`, as a client without knowledge of the kind does. Returns the decoder's first error.
#[must_use]
pub fn first_metadata_error(tree: &Tree<'_>) -> Option<String> {
    let metadata = tree.get("metadata")?;
    let mut decoder = Decoder::default();
    decoder.fields.push("metadata".into());
    decoder.decode_value(GoType("ObjectMeta"), "metadataOnlyObject", metadata);
    decoder.fatal.or(decoder.saved)
}

#[derive(Default)]
struct Decoder<'n> {
    /// Names of the fields on the path to the current value, including fields that hold embedded structs.
    fields: Vec<Cow<'n, str>>,
    /// The path to the current value, with indices and keys, without embedded structs.
    path: String,
    /// The message of the first type error; decoding continues after this error.
    saved: Option<String>,
    /// The error message of a Go type with its own `UnmarshalJSON`; decoding stops and returns this message.
    fatal: Option<String>,
    unknown: Vec<String>,
    /// Whether to emulate the unstructured converter instead of the decoder: it has other messages, and stops at the
    /// first error.
    converts: bool,
    /// Whether to decode fields in the order in which they were sent instead of sorted by name.
    as_sent: bool,
}

/// Returns the error text of Kubernetes' unstructured converter for a value whose type does not match the field's type.
fn conversion_error_message(found_type: &str, go_type: GoType) -> String {
    let found_type = match found_type {
        "array" => "slice",
        "object" => "map",
        other => match other.strip_prefix("number ") {
            Some(digits) if digits.contains(['.', 'e']) => "float64",
            Some(_) => "int64",
            // All other JSON types have the same name in the converter's messages.
            None => other,
        },
    };
    match go_type.shape() {
        Shape::List(_) => format!("cannot restore slice from {found_type}"),
        Shape::Map(_) => format!("cannot restore map from {found_type}"),
        Shape::Struct(_) => format!("cannot restore struct from: {found_type}"),
        Shape::Leaf(leaf) => {
            let kind = super::plain_type_name(leaf);
            match (found_type, kind) {
                // Go can convert a number to a string or to an integer, but the API server refuses such a value.
                ("int64", "string") => format!("cannot convert int64 to {}", go_type.go_name()),
                ("float64", "int32" | "int64") => format!("cannot convert float64 to {kind}"),
                _ => format!("unrecognized type: {kind}"),
            }
        }
    }
}

impl<'n> Decoder<'n> {
    fn decode_root(mut self, fields: Struct, tree: &'n Tree<'n>) -> Result<(), Rejection> {
        self.decode_struct(fields, fields.name(), tree, true);
        match self.fatal.or(self.saved) {
            Some(message) => Err(Rejection::Type(message)),
            None if self.unknown.is_empty() => Ok(()),
            None => Err(Rejection::Unknown(self.unknown)),
        }
    }

    fn save_error(&mut self, message: String) {
        self.saved.get_or_insert(message);
    }

    /// Records that a value does not have type `go_type`; `holder` is the struct whose field is being decoded.
    fn save_mismatch(&mut self, holder: &str, found_type: &str, go_type: &str) {
        let target = if self.fields.is_empty() {
            "value".to_owned()
        } else {
            format!("struct field {holder}.{}", self.fields.join("."))
        };
        self.save_error(format!(
            "json: cannot unmarshal {found_type} into Go {target} of type {go_type}"
        ));
    }

    fn decode_struct(&mut self, fields: Struct, holder: &str, tree: &'n Tree<'n>, is_root_object: bool) {
        let entries = match &tree.data {
            Data::Null => return,
            Data::Map(entries) => entries,
            _ => return self.save_type_error(holder, tree, GoType(fields.name)),
        };
        let name = fields.name();
        for entry in entries_in_decoding_order(entries, self.as_sent) {
            if self.fatal.is_some() {
                return;
            }
            let length = self.path.len();
            if !self.path.is_empty() {
                self.path.push('.');
            }
            self.path.push_str(&entry.key);
            let depth = self.fields.len();
            let type_meta = is_root_object && matches!(&*entry.key, "apiVersion" | "kind");
            match fields.field(&entry.key) {
                Some(field) => {
                    self.fields.extend(field.embedded.map(Cow::Borrowed));
                    self.fields.push(Cow::Borrowed(&entry.key));
                    self.decode_value(field.of, name, &entry.value);
                }
                None if type_meta => {
                    self.fields.push(Cow::Borrowed("TypeMeta"));
                    self.fields.push(Cow::Borrowed(&entry.key));
                    self.decode_value(GoType("string"), name, &entry.value);
                }
                None => self.unknown.push(self.path.clone()),
            }
            self.fields.truncate(depth);
            self.path.truncate(length);
        }
    }

    fn decode_value(&mut self, go_type: GoType, holder: &str, tree: &'n Tree<'n>) {
        if tree.is_null() || self.fatal.is_some() {
            return;
        }
        let length = self.path.len();
        match go_type.shape() {
            Shape::Struct(fields) => self.decode_struct(fields, holder, tree, false),
            Shape::List(element) => match &tree.data {
                Data::Seq(items) => {
                    for (index, item) in items.iter().enumerate() {
                        self.path.push_str(&format!("[{index}]"));
                        self.decode_value(element, holder, item);
                        self.path.truncate(length);
                    }
                }
                _ => self.save_type_error(holder, tree, go_type),
            },
            Shape::Map(element) => match &tree.data {
                Data::Map(entries) => {
                    for entry in entries_in_decoding_order(entries, self.as_sent) {
                        self.path.push('.');
                        self.path.push_str(&entry.key);
                        self.decode_value(element, holder, &entry.value);
                        self.path.truncate(length);
                    }
                }
                _ => self.save_type_error(holder, tree, go_type),
            },
            Shape::Leaf(leaf) => self.decode_leaf(go_type, leaf, holder, tree),
        }
    }

    fn decode_leaf(&mut self, go_type: GoType, leaf: &str, holder: &str, tree: &Tree<'_>) {
        match (super::plain_type_name(leaf), &tree.data) {
            ("raw", _) | ("string", Data::String(_)) | ("bool", Data::Bool(_)) => {}
            ("float64", Data::Int(_) | Data::Number(_)) | ("int64", Data::Int(_)) => {}
            ("int32" | "IntOrString", Data::Int(number)) if i32::try_from(*number).is_ok() => {}
            ("IntOrString", Data::String(_)) => {}
            ("int32" | "int64" | "IntOrString", Data::Int(_) | Data::Number(_)) => {
                if self.converts && leaf != "IntOrString" {
                    return self.save_type_error(holder, tree, go_type);
                }
                let go_type = if leaf == "int64" { "int64" } else { "int32" };
                let found_type = format!("number {}", go_number_text(tree));
                self.save_mismatch(holder, &found_type, go_type);
                self.stop_if_type_has_own_decoder(leaf == "IntOrString");
            }
            ("IntOrString", _) => {
                self.save_mismatch(holder, &json_type_name(tree), "int32");
                self.stop_if_type_has_own_decoder(true);
            }
            ("Quantity", _) => {
                let text = match &tree.data {
                    Data::String(text) => text.trim().to_owned(),
                    Data::Int(_) | Data::Number(_) => go_number_text(tree),
                    // A boolean, list or map is no quantity: this text makes the parser fail.
                    _ => "?".to_owned(),
                };
                if let Err(error) = text.parse::<Quantity>() {
                    self.fatal = Some(error.to_string());
                }
            }
            ("Time" | "MicroTime", Data::String(text)) => {
                let error = match leaf {
                    "Time" => text.parse::<Time>().err(),
                    _ => crate::time::go_micro_time_error(text),
                };
                if !text.is_empty() {
                    self.fatal = error;
                }
            }
            ("Time" | "MicroTime", _) => {
                self.save_mismatch(holder, &json_type_name(tree), "string");
                self.stop_if_type_has_own_decoder(true);
            }
            ("bytes", Data::String(text)) => {
                if let Err(at) = base64_decoded_length(text) {
                    self.save_error(format!("illegal base64 data at input byte {at}"));
                }
            }
            _ => self.save_type_error(holder, tree, go_type),
        }
    }

    fn save_type_error(&mut self, holder: &str, tree: &Tree<'_>, go_type: GoType) {
        if self.converts {
            let found_type = match &tree.data {
                Data::Int(_) | Data::Number(_) => format!("number {}", go_number_text(tree)),
                _ => json_type_name(tree),
            };
            self.fatal = Some(conversion_error_message(&found_type, go_type));
        } else {
            self.save_mismatch(holder, &json_type_name(tree), &go_type.go_name());
        }
    }

    /// Makes the saved error fatal if the Go type of the value has its own `UnmarshalJSON`.
    fn stop_if_type_has_own_decoder(&mut self, has_own_decoder: bool) {
        if has_own_decoder && self.fatal.is_none() {
            self.fatal = self.saved.clone();
        }
    }
}

/// Returns the entries in decoding order: sorted by key as kubectl sends them, or as sent by other clients.
fn entries_in_decoding_order<'n>(entries: &'n [Entry<'n>], as_sent: bool) -> Vec<&'n Entry<'n>> {
    let mut sorted: Vec<&Entry<'_>> = entries.iter().collect();
    if !as_sent {
        sorted.sort_unstable_by(|a, b| a.key.cmp(&b.key));
    }
    sorted
}

fn json_type_name(tree: &Tree<'_>) -> String {
    tree.json_kind().to_owned()
}

/// Prints a number as Go prints it to JSON: a number that is not a 64-bit integer is converted to a float first.
fn go_number_text(tree: &Tree<'_>) -> String {
    match &tree.data {
        Data::Int(number) => number.to_string(),
        Data::Number(text) => match text.parse::<f64>() {
            Ok(float) if float.abs() >= 1e21 || (float != 0.0 && float.abs() < 1e-6) => {
                let text = format!("{float:e}");
                match text.split_once('e') {
                    Some((digits, exponent)) if !exponent.starts_with('-') => format!("{digits}e+{exponent:0>2}"),
                    Some((digits, exponent)) => format!("{digits}e-{:0>2}", &exponent[1..]),
                    None => text,
                }
            }
            Ok(float) => float.to_string(),
            Err(_) => text.to_string(),
        },
        _ => String::new(),
    }
}

/// Returns the number of bytes that a base64 text encodes.
///
/// # Errors
/// The byte offset of the error, as Go reports it.
pub(crate) fn base64_decoded_length(text: &str) -> Result<usize, usize> {
    let bytes = text.as_bytes();
    let is_blank = |at: usize| matches!(bytes.get(at), Some(b'\n' | b'\r'));
    let (mut at, mut length) = (0, 0);
    loop {
        let mut digits = 0;
        while digits < 4 {
            let Some(byte) = bytes.get(at) else {
                return if digits == 0 { Ok(length) } else { Err(at - digits) };
            };
            at += 1;
            match byte {
                b'\n' | b'\r' => continue,
                b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'+' | b'/' => digits += 1,
                b'=' if digits >= 2 => {
                    if digits == 2 {
                        while is_blank(at) {
                            at += 1;
                        }
                        match bytes.get(at) {
                            None => return Err(bytes.len()),
                            Some(b'=') => at += 1,
                            Some(_) => return Err(at - 1),
                        }
                    }
                    while is_blank(at) {
                        at += 1;
                    }
                    return if at < bytes.len() {
                        Err(at)
                    } else {
                        Ok(length + digits - 1)
                    };
                }
                _ => return Err(at - 1),
            }
        }
        length += 3;
    }
}
