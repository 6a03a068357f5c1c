//! Parses JSON into maps like Go's decoder: the value of a duplicate field is merged into the first value, and the
//! field is reported.

use std::fmt;

use podscope_api::SyntaxError;
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// Parses JSON. Also returns the paths of duplicate fields, such as `data.a`.
///
/// # Errors
/// The text is not JSON.
pub(super) fn parse_json(text: &str) -> Result<(Value, Vec<String>), serde_json::Error> {
    let mut found = Vec::new();
    let mut reader = serde_json::Deserializer::from_str(text);
    let seed = DuplicatesSeed {
        path: String::new(),
        found: &mut found,
    };
    let value = seed.deserialize(&mut reader)?;
    reader.end()?;
    Ok((value, found))
}

/// Parses a body in YAML or JSON, such as an apply patch. Also returns a message for each duplicate key:
/// `line 7: key "a" already set in map`. The last value of such a key is used.
///
/// # Errors
/// The message of go-yaml for invalid YAML, such as `line 1: did not find expected node content`.
pub(super) fn parse_yaml_or_json(text: &str) -> Result<(Value, Vec<String>), String> {
    let document = podscope_api::read_yaml_document(text).map_err(|error| match error {
        SyntaxError::Yaml(0, message) | SyntaxError::Json(message) => message,
        SyntaxError::Yaml(line, message) => format!("line {line}: {message}"),
    })?;
    let problems = podscope_api::read_yaml(text).err().unwrap_or_default().into_iter();
    let duplicates = problems
        .filter(|problem| problem.message.ends_with("already set in map"))
        .map(|problem| format!("line {}: {}", problem.line, problem.message))
        .collect();
    Ok((document.map_or(Value::Null, |document| document.to_value()), duplicates))
}

/// Deserializer of one value, which collects the paths of duplicate fields.
struct DuplicatesSeed<'a> {
    path: String,
    found: &'a mut Vec<String>,
}

impl<'de> DeserializeSeed<'de> for DuplicatesSeed<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for DuplicatesSeed<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        loop {
            let seed = DuplicatesSeed {
                path: format!("{}[{}]", self.path, list.len()),
                found: &mut *self.found,
            };
            match items.next_element_seed(seed)? {
                Some(item) => list.push(item),
                None => return Ok(Value::Array(list)),
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map: Map<String, Value> = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            let path = match self.path.as_str() {
                "" => key.clone(),
                path => format!("{path}.{key}"),
            };
            let seed = DuplicatesSeed {
                path: path.clone(),
                found: &mut *self.found,
            };
            let value = entries.next_value_seed(seed)?;
            let is_again = map.contains_key(&key);
            if is_again && !self.found.contains(&path) {
                self.found.push(path);
            }
            match (map.get_mut(&key), value) {
                (Some(Value::Object(had)), Value::Object(more)) => had.extend(more),
                (_, value) => drop(map.insert(key, value)),
            }
        }
        Ok(Value::Object(map))
    }
}

#[cfg(test)]
mod tests {
    use super::parse_json;

    #[test]
    fn duplicate_fields_are_merged_and_reported_once() {
        let (value, found) = parse_json(r#"{"data":{"a":"1","a":"2"},"data":{"b":[{"c":1,"c":2}]}}"#).expect("JSON");
        assert_eq!(value.to_string(), r#"{"data":{"a":"2","b":[{"c":2}]}}"#);
        assert_eq!(found, ["data.a", "data.b[0].c", "data"]);
    }
}
