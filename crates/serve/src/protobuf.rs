//! Decodes protobuf bodies, which typed Go clients send, to JSON (HT-001, HT-051 to HT-054). The table of field numbers
//! was generated from the `generated.proto` files of v1.36.

mod encode;

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde_json::{Map, Value, json};

pub(crate) use encode::encode;

const TAG_TABLE: &str = include_str!("protobuf-tags.tsv");
/// Magic bytes at the start of a Kubernetes protobuf body.
pub(crate) const MAGIC: &[u8] = b"k8s\0";
/// Maximum nesting depth of messages, far above that of any Kubernetes kind.
const MAX_MESSAGE_DEPTH: usize = 100;
/// Fields whose struct Go embeds: protobuf has them as separate messages, JSON has their fields inline.
const EMBEDDED_FIELDS: [&str; 9] = [
    "localObjectReference",
    "volumeSource",
    "persistentVolumeSource",
    "ephemeralContainerCommon",
    "ingressRuleValue",
    "deviceConfiguration",
    "ruleWithOperations",
    "rule",
    "handler",
];

/// String fields in which an empty value has a meaning. In all other fields an empty value means absent, because Go's
/// encoder also writes unset strings.
const FIELDS_WITH_MEANINGFUL_EMPTY: [&str; 2] = ["storageClassName", "volumeAttributesClassName"];

/// A field of a message, from the table.
#[derive(Debug, Clone, Copy)]
struct Field {
    name: &'static str,
    of: &'static str,
    is_repeated: bool,
}

/// The fields of a message by their field numbers.
type Message = BTreeMap<u64, Field>;

fn messages_by_name() -> &'static BTreeMap<&'static str, Message> {
    static MESSAGES: OnceLock<BTreeMap<&'static str, Message>> = OnceLock::new();
    MESSAGES.get_or_init(|| {
        let rows = TAG_TABLE.lines().filter(|line| !line.starts_with('#'));
        rows.filter_map(|line| {
            let (name, fields) = line.split_once('\t').unwrap_or((line, ""));
            let fields = fields.split(' ').filter_map(|field| {
                let (number, rest) = field.split_once(':')?;
                let (name, of) = rest.split_once(':')?;
                let is_repeated = of.ends_with('*');
                let of = of.trim_end_matches('*');
                // The only field whose JSON name differs from its protobuf name.
                let name = if name == "uID" { "uid" } else { name };
                Some((number.parse().ok()?, Field { name, of, is_repeated }))
            });
            (!name.is_empty()).then(|| (name, fields.collect()))
        })
        .collect()
    })
}

/// The value of a field, before it is decoded to the type of the field.
enum RawValue<'a> {
    Varint(u64),
    Bytes(&'a [u8]),
    Fixed,
}

/// Reads the fields of a message in order.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn read_varint(&mut self) -> Result<u64, String> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let (byte, rest) = self.0.split_first().ok_or("unexpected EOF")?;
            self.0 = rest;
            value |= u64::from(byte & 0x7f).checked_shl(shift).unwrap_or(0);
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err("proto: integer overflow".to_owned())
    }

    fn take_bytes(&mut self, size: u64) -> Result<&'a [u8], String> {
        let size = usize::try_from(size).map_err(|_| "unexpected EOF")?;
        if size > self.0.len() {
            return Err("unexpected EOF".to_owned());
        }
        let (taken, rest) = self.0.split_at(size);
        self.0 = rest;
        Ok(taken)
    }

    /// Returns the number and the value of the next field; None at the end.
    fn next_field(&mut self) -> Result<Option<(u64, RawValue<'a>)>, String> {
        if self.0.is_empty() {
            return Ok(None);
        }
        let tag = self.read_varint()?;
        let raw = match tag & 7 {
            0 => RawValue::Varint(self.read_varint()?),
            1 => self.take_bytes(8).map(|_| RawValue::Fixed)?,
            2 => {
                let size = self.read_varint()?;
                RawValue::Bytes(self.take_bytes(size)?)
            }
            5 => self.take_bytes(4).map(|_| RawValue::Fixed)?,
            other => return Err(format!("proto: illegal wireType {other}")),
        };
        Ok(Some((tag >> 3, raw)))
    }
}

/// Decodes a body to JSON, with `apiVersion` and `kind` first.
///
/// # Errors
/// The body is truncated, or its message type is unknown.
pub(crate) fn decode(body: &[u8]) -> Result<Value, String> {
    let inner = body
        .strip_prefix(MAGIC)
        .ok_or("provided data does not appear to be a protobuf message")?;
    let (mut api_version, mut kind, mut raw) = (String::new(), String::new(), &[][..]);
    let mut envelope = Reader(inner);
    while let Some((number, value)) = envelope.next_field()? {
        match (number, value) {
            (1, RawValue::Bytes(bytes)) => {
                let mut meta = Reader(bytes);
                while let Some((number, value)) = meta.next_field()? {
                    if let (1 | 2, RawValue::Bytes(text)) = (number, value) {
                        let text = String::from_utf8_lossy(text).into_owned();
                        if number == 1 { api_version = text } else { kind = text }
                    }
                }
            }
            (2, RawValue::Bytes(bytes)) => raw = bytes,
            _ => {}
        }
    }
    let name = message_name(&api_version, &kind);
    let unknown = || format!("no kind {kind:?} is registered for version {api_version:?}");
    if !messages_by_name().contains_key(name.as_str()) {
        return Err(unknown());
    }
    let mut value = json!({"apiVersion": api_version, "kind": kind});
    if let (Some(to), Value::Object(from)) = (value.as_object_mut(), decode_message(&name, raw, 0)?) {
        to.extend(from);
    }
    Ok(value)
}

/// Returns the message name of a kind, such as `core.v1.Pod` or `rbac.v1.Role`. Kinds of options, such as
/// `DeleteOptions`, have the same name in every group.
pub(crate) fn message_name(api_version: &str, kind: &str) -> String {
    if kind.ends_with("Options") && messages_by_name().contains_key(format!("meta.{kind}").as_str()) {
        return format!("meta.{kind}");
    }
    let (group, version) = api_version.rsplit_once('/').unwrap_or(("core", api_version));
    let package = group.split('.').next().unwrap_or_default();
    format!("{package}.{version}.{kind}")
}

/// Returns the full name of a type to which a message (`parent_message`) refers.
fn full_type_name<'t>(type_name: &'t str, parent_message: &str) -> std::borrow::Cow<'t, str> {
    if type_name.contains('.') {
        return type_name.into();
    }
    let package = parent_message.rsplit_once('.').map_or("", |(package, _)| package);
    format!("{package}.{type_name}").into()
}

pub(crate) fn has_message(name: &str) -> bool {
    messages_by_name().contains_key(name)
}

/// A field of the JSON form of a message.
pub(crate) struct JsonField {
    pub(crate) name: &'static str,
    /// Type of the field: a scalar type, `map<K,V>`, or the full name of a message.
    pub(crate) of: String,
    pub(crate) is_repeated: bool,
}

/// Returns the fields of the JSON form of a message, sorted by name. Fields of embedded structs are inlined.
pub(crate) fn json_fields(name: &str) -> Vec<JsonField> {
    let is_message = |of: &str| of.contains('.') || of.chars().next().is_some_and(char::is_uppercase);
    let mut all = Vec::new();
    for field in messages_by_name()
        .get(name)
        .into_iter()
        .flat_map(|message| message.values())
    {
        let of = match field.of.strip_prefix("map<").and_then(|types| types.split_once(',')) {
            Some((key, value)) if is_message(value) => {
                format!("map<{key},{}>", full_type_name(value.trim_end_matches('>'), name))
            }
            None if is_message(field.of) => full_type_name(field.of, name).into_owned(),
            _ => field.of.to_owned(),
        };
        if EMBEDDED_FIELDS.contains(&field.name) && is_message(field.of) && is_embedded(field, name) {
            all.extend(json_fields(&of));
            continue;
        }
        all.push(JsonField {
            name: field.name,
            of,
            is_repeated: field.is_repeated,
        });
    }
    all.sort_unstable_by_key(|field| field.name);
    all
}

fn decode_message(name: &str, bytes: &[u8], depth: usize) -> Result<Value, String> {
    if depth > MAX_MESSAGE_DEPTH {
        return Err("proto: too deep".to_owned());
    }
    match name {
        "meta.Time" | "meta.MicroTime" => return decode_time(bytes, name == "meta.MicroTime"),
        "meta.Duration" => {
            return first_field_value(bytes).map(|raw| raw.map_or(Value::Null, |raw| decode_scalar("int64", &raw)));
        }
        "resource.Quantity" => return decode_quantity(bytes),
        "intstr.IntOrString" => return decode_int_or_string(bytes),
        "runtime.RawExtension" | "meta.FieldsV1" => return decode_embedded_json(bytes),
        _ => {}
    }
    let fields = messages_by_name()
        .get(name)
        .ok_or_else(|| format!("proto: no message {name}"))?;
    let mut map = Map::new();
    let mut reader = Reader(bytes);
    while let Some((number, raw)) = reader.next_field()? {
        let Some(field) = fields.get(&number) else { continue };
        if let Some(types) = field.of.strip_prefix("map<") {
            let (key, value) = decode_map_entry(types.trim_end_matches('>'), &raw, name, depth)?;
            let slot = map.entry(field.name).or_insert_with(|| json!({}));
            slot[key] = value;
            continue;
        }
        let value = decode_value(field.of, &raw, name, depth)?;
        if EMBEDDED_FIELDS.contains(&field.name) && value.is_object() && is_embedded(field, name) {
            map.extend(value.as_object().cloned().unwrap_or_default());
            continue;
        }
        match field.is_repeated {
            true => {
                let slot = map.entry(field.name).or_insert_with(|| json!([]));
                if let Some(list) = slot.as_array_mut() {
                    list.push(value);
                }
            }
            false if value.is_null() || value == "" && !FIELDS_WITH_MEANINGFUL_EMPTY.contains(&field.name) => {}
            false => drop(map.insert(field.name.to_owned(), value)),
        }
    }
    // Messages that stand for a Go slice type; in JSON they are arrays.
    if let (1, Some(items)) = (fields.len(), map.get("items"))
        && matches!(name.rsplit('.').next(), Some("ExtraValue" | "Verbs"))
    {
        return Ok(items.clone());
    }
    Ok(Value::Object(map))
}

/// Returns whether JSON has the fields of this struct inline. The handler of a probe is inline; the handlers in a
/// container's `lifecycle` are not.
fn is_embedded(field: &Field, parent_message: &str) -> bool {
    match field.name {
        "handler" => parent_message.ends_with(".Probe"),
        "rule" => parent_message.ends_with(".RuleWithOperations"),
        _ => true,
    }
}

fn decode_value(type_name: &str, raw: &RawValue<'_>, parent_message: &str, depth: usize) -> Result<Value, String> {
    match raw {
        RawValue::Bytes(bytes)
            if type_name.chars().next().is_some_and(char::is_uppercase) || type_name.contains('.') =>
        {
            decode_message(&full_type_name(type_name, parent_message), bytes, depth + 1)
        }
        raw => Ok(decode_scalar(type_name, raw)),
    }
}

fn decode_scalar(type_name: &str, raw: &RawValue<'_>) -> Value {
    match (type_name, raw) {
        ("bool", RawValue::Varint(number)) => (*number != 0).into(),
        // Negative numbers are encoded with 64 bits for all integer types.
        ("int32", RawValue::Varint(number)) => (*number as i64 as i32).into(),
        (_, RawValue::Varint(number)) => (*number as i64).into(),
        ("bytes", RawValue::Bytes(bytes)) => {
            use base64::Engine as _;
            base64::engine::general_purpose::STANDARD.encode(bytes).into()
        }
        (_, RawValue::Bytes(bytes)) => String::from_utf8_lossy(bytes).into_owned().into(),
        (_, RawValue::Fixed) => Value::Null,
    }
}

/// Decodes an entry of a map with string keys.
fn decode_map_entry(
    types: &str,
    raw: &RawValue<'_>,
    parent_message: &str,
    depth: usize,
) -> Result<(String, Value), String> {
    let of = types.split_once(',').map_or("string", |(_, of)| of);
    let RawValue::Bytes(bytes) = raw else {
        return Err("proto: a map has entries".to_owned());
    };
    let is_message = of.contains('.') || of.chars().next().is_some_and(char::is_uppercase);
    let (mut key, mut found) = (String::new(), if is_message { json!({}) } else { json!("") });
    let mut reader = Reader(bytes);
    while let Some((number, raw)) = reader.next_field()? {
        match (number, &raw) {
            (1, RawValue::Bytes(text)) => key = String::from_utf8_lossy(text).into_owned(),
            (2, raw) => found = decode_value(of, raw, parent_message, depth)?,
            _ => {}
        }
    }
    Ok((key, found))
}

fn first_field_value(bytes: &[u8]) -> Result<Option<RawValue<'_>>, String> {
    Ok(Reader(bytes).next_field()?.map(|(_, raw)| raw))
}

fn decode_quantity(bytes: &[u8]) -> Result<Value, String> {
    Ok(match first_field_value(bytes)? {
        Some(RawValue::Bytes(text)) => String::from_utf8_lossy(text).into_owned().into(),
        _ => Value::Null,
    })
}

/// Decodes JSON that is stored as bytes in protobuf.
fn decode_embedded_json(bytes: &[u8]) -> Result<Value, String> {
    match first_field_value(bytes)? {
        Some(RawValue::Bytes(text)) if !text.is_empty() => {
            serde_json::from_slice(text).map_err(|error| error.to_string())
        }
        _ => Ok(Value::Null),
    }
}

/// Decodes a timestamp; an empty message is an unset time.
fn decode_time(bytes: &[u8], is_micro: bool) -> Result<Value, String> {
    let (mut seconds, mut nanos) = (0i64, 0i64);
    let mut reader = Reader(bytes);
    while let Some((number, raw)) = reader.next_field()? {
        match (number, raw) {
            (1, RawValue::Varint(value)) => seconds = value as i64,
            (2, RawValue::Varint(value)) => nanos = value as i64,
            _ => {}
        }
    }
    if bytes.is_empty() || (seconds, nanos) == (0, 0) {
        return Ok(Value::Null);
    }
    let micros = seconds
        .checked_mul(1_000_000)
        .and_then(|micros| micros.checked_add(nanos / 1000));
    let micros = micros.ok_or("proto: a time out of range")?;
    let digits = if is_micro { 6 } else { 0 };
    Ok(podscope_api::print_rfc3339(micros, digits).into())
}

fn decode_int_or_string(bytes: &[u8]) -> Result<Value, String> {
    let (mut is_text, mut number, mut text) = (false, 0i64, String::new());
    let mut reader = Reader(bytes);
    while let Some((field, raw)) = reader.next_field()? {
        match (field, raw) {
            (1, RawValue::Varint(kind)) => is_text = kind == 1,
            (2, RawValue::Varint(value)) => number = value as i64,
            (3, RawValue::Bytes(value)) => text = String::from_utf8_lossy(value).into_owned(),
            _ => {}
        }
    }
    Ok(if is_text { text.into() } else { number.into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Encodes a field of bytes.
    fn encoded_field(number: u8, bytes: &[u8]) -> Vec<u8> {
        let mut all = vec![number << 3 | 2, u8::try_from(bytes.len()).expect("short")];
        all.extend(bytes);
        all
    }

    fn encoded_object(api_version: &str, kind: &str, raw: &[u8]) -> Vec<u8> {
        let meta = [
            encoded_field(1, api_version.as_bytes()),
            encoded_field(2, kind.as_bytes()),
        ]
        .concat();
        [MAGIC.to_vec(), encoded_field(1, &meta), encoded_field(2, raw)].concat()
    }

    /// Shows: HT-001, HT-051
    #[test]
    fn message_is_decoded_to_json() {
        let metadata = [
            encoded_field(1, b"a"),
            encoded_field(2, b""),
            encoded_field(8, b""),
            encoded_field(11, &[encoded_field(1, b"k"), encoded_field(2, b"v")].concat()),
        ]
        .concat();
        // A volume embeds its source, here a Secret.
        let secret = [encoded_field(1, b"s")].concat();
        let volume = [encoded_field(1, b"data"), encoded_field(2, &encoded_field(6, &secret))].concat();
        let probe = [
            encoded_field(1, &encoded_field(2, &encoded_field(1, b"/ok"))),
            vec![2 << 3, 5],
        ]
        .concat();
        let container = [encoded_field(1, b"c"), encoded_field(10, &probe)].concat();
        let spec = [
            encoded_field(1, &volume),
            encoded_field(2, &container),
            vec![4 << 3, 30],
        ]
        .concat();
        let pod = [
            encoded_field(1, &metadata),
            encoded_field(2, &spec),
            encoded_field(3, b""),
        ]
        .concat();
        let value = decode(&encoded_object("v1", "Pod", &pod)).expect("it is read");
        let wanted = json!({
            "apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": "a", "labels": {"k": "v"}},
            "spec": {
                "volumes": [{"name": "data", "secret": {"secretName": "s"}}],
                "containers": [{"name": "c", "livenessProbe": {"httpGet": {"path": "/ok"}, "initialDelaySeconds": 5}}],
                "terminationGracePeriodSeconds": 30,
            },
            "status": {},
        });
        assert_eq!(value, wanted);
    }

    #[test]
    fn truncated_or_unknown_message_is_an_error() {
        let whole = encoded_object("v1", "ConfigMap", &encoded_field(1, &encoded_field(1, b"a")));
        for length in 0..whole.len() {
            // Some truncations leave a valid message.
            let _ = decode(&whole[..length]);
        }
        assert!(decode(&whole[..whole.len() - 1]).is_err());
        assert!(decode(b"k8s\0garbage").is_err());
        assert!(decode(&encoded_object("ex.io/v1", "Widget", b"")).is_err());
    }
}
