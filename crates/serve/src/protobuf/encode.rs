//! Encodes JSON as protobuf, for clients that accept nothing else (HT-002, HT-051).

use base64::Engine as _;
use serde_json::{Map, Value};

use super::{EMBEDDED_FIELDS, Field, MAGIC, full_type_name, is_embedded, message_name, messages_by_name};

/// Encodes an object with its envelope; None if its kind has no protobuf message, e.g. a custom kind.
pub(crate) fn encode(value: &Value) -> Option<Vec<u8>> {
    let text = |field: &str| value.get(field).and_then(Value::as_str).unwrap_or_default();
    let (api_version, kind) = (text("apiVersion"), text("kind"));
    let own_name = message_name(api_version, kind);
    // `Status` and the kinds of discovery have apiVersion v1 but belong to the package meta.
    let name = [own_name, format!("meta.{kind}")]
        .into_iter()
        .find(|name| messages_by_name().contains_key(name.as_str()))?;
    let mut meta = Vec::new();
    put_bytes(1, api_version.as_bytes(), &mut meta);
    put_bytes(2, kind.as_bytes(), &mut meta);
    let mut all = MAGIC.to_vec();
    put_bytes(1, &meta, &mut all);
    put_bytes(2, &encode_message(&name, value), &mut all);
    put_bytes(3, b"", &mut all);
    put_bytes(4, b"", &mut all);
    Some(all)
}

fn put_varint(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn put_number(tag: u64, number: i64, out: &mut Vec<u8>) {
    put_varint(tag << 3, out);
    put_varint(number as u64, out);
}

fn put_bytes(tag: u64, bytes: &[u8], out: &mut Vec<u8>) {
    put_varint(tag << 3 | 2, out);
    put_varint(bytes.len() as u64, out);
    out.extend(bytes);
}

/// Encodes a value as the message with this name, without a tag.
fn encode_message(name: &str, value: &Value) -> Vec<u8> {
    let mut out = Vec::new();
    match (name, value) {
        ("meta.Time" | "meta.MicroTime", Value::String(text)) => {
            if let Some(micros) = podscope_api::parse_rfc3339(text) {
                put_number(1, micros.div_euclid(1_000_000), &mut out);
                put_number(2, micros.rem_euclid(1_000_000) * 1000, &mut out);
            }
        }
        ("resource.Quantity", Value::String(text)) => put_bytes(1, text.as_bytes(), &mut out),
        ("resource.Quantity", Value::Number(number)) => put_bytes(1, number.to_string().as_bytes(), &mut out),
        ("intstr.IntOrString", Value::String(text)) => {
            put_number(1, 1, &mut out);
            put_bytes(3, text.as_bytes(), &mut out);
        }
        ("intstr.IntOrString", value) => {
            put_number(1, 0, &mut out);
            put_number(2, value.as_i64().unwrap_or(0), &mut out);
        }
        ("runtime.RawExtension" | "meta.FieldsV1", value) => put_bytes(1, value.to_string().as_bytes(), &mut out),
        (_, Value::Object(map)) => encode_fields(name, map, &mut out),
        // Messages that stand for a Go slice type; in JSON they are arrays.
        (_, Value::Array(items)) => items
            .iter()
            .for_each(|item| put_bytes(1, item.as_str().unwrap_or_default().as_bytes(), &mut out)),
        _ => {}
    }
    out
}

fn encode_fields(name: &str, map: &Map<String, Value>, out: &mut Vec<u8>) {
    for (tag, field) in messages_by_name().get(name).into_iter().flatten() {
        if EMBEDDED_FIELDS.contains(&field.name) && is_embedded(field, name) && !map.contains_key(field.name) {
            let mut inner = Vec::new();
            encode_fields(&full_type_name(field.of, name), map, &mut inner);
            if !inner.is_empty() {
                put_bytes(*tag, &inner, out);
            }
            continue;
        }
        match map.get(field.name) {
            None | Some(Value::Null) => {}
            Some(Value::Array(items)) if field.is_repeated => {
                items.iter().for_each(|item| put_field(*tag, field.of, item, name, out));
            }
            Some(Value::Object(entries)) if field.of.starts_with("map<") => {
                put_map_entries(*tag, field, entries, name, out);
            }
            Some(value) => put_field(*tag, field.of, value, name, out),
        }
    }
}

/// Encodes a map as repeated entries.
fn put_map_entries(tag: u64, field: &Field, entries: &Map<String, Value>, parent_message: &str, out: &mut Vec<u8>) {
    let types = field.of.trim_start_matches("map<").trim_end_matches('>');
    let of = types.split_once(',').map_or("string", |(_, of)| of);
    for (key, value) in entries {
        let mut entry = Vec::new();
        put_bytes(1, key.as_bytes(), &mut entry);
        put_field(2, of, value, parent_message, &mut entry);
        put_bytes(tag, &entry, out);
    }
}

fn put_field(tag: u64, type_name: &str, value: &Value, parent_message: &str, out: &mut Vec<u8>) {
    match (type_name, value) {
        ("string", Value::String(text)) => put_bytes(tag, text.as_bytes(), out),
        ("bytes", Value::String(text)) => {
            let bytes = base64::engine::general_purpose::STANDARD.decode(text);
            put_bytes(tag, &bytes.unwrap_or_default(), out);
        }
        ("bool", value) => put_number(tag, value.as_bool().unwrap_or(false).into(), out),
        ("int32" | "int64", value) => put_number(tag, value.as_i64().unwrap_or(0), out),
        (type_name, value) if type_name.contains('.') || type_name.starts_with(char::is_uppercase) => {
            put_bytes(
                tag,
                &encode_message(&full_type_name(type_name, parent_message), value),
                out,
            );
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::decode;
    use super::*;

    /// Shows: HT-002, HT-051
    #[test]
    fn encoded_object_decodes_to_itself() {
        let pod = json!({
            "apiVersion": "v1", "kind": "Pod",
            "metadata": {
                "name": "a", "creationTimestamp": "2026-01-02T03:04:05Z", "labels": {"k": "v"},
                "managedFields": [{"manager": "m", "fieldsV1": {"f:spec": {}}}],
            },
            "spec": {
                "volumes": [{"name": "data", "secret": {"secretName": "s"}}],
                "containers": [{
                    "name": "c",
                    "resources": {"limits": {"cpu": "1"}},
                    "livenessProbe": {"httpGet": {"path": "/ok", "port": "web"}, "initialDelaySeconds": 5},
                    "ports": [{"containerPort": 80}],
                }],
                "terminationGracePeriodSeconds": 300,
            },
            "status": {"phase": "Running"},
        });
        let encoded = encode(&pod).expect("pods have a message");
        assert_eq!(decode(&encoded).expect("it is read"), pod);
        let secret = json!({"apiVersion": "v1", "kind": "Secret", "data": {"k": "AAEC"}});
        assert_eq!(
            decode(&encode(&secret).expect("a message")).expect("it is read"),
            secret
        );
        assert_eq!(encode(&json!({"apiVersion": "ex.io/v1", "kind": "Widget"})), None);
    }
}
