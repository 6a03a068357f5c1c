//! The tree of values that YAML and JSON are parsed into: JSON's data model, with the position of every value and key.

use std::borrow::Cow;

use serde::ser::{SerializeMap, SerializeSeq};

/// A value and its position. Lines and columns count from 1; 0 means that the value does not come from a text.
///
/// Strings borrow from the input where the input contains them verbatim.
#[derive(Debug, Clone, PartialEq)]
pub struct Tree<'t> {
    /// Line of the first character, from 1.
    pub line: u32,
    /// Column of the first character, from 1, in characters.
    pub column: u32,
    pub data: Data<'t>,
}

/// The data of a [`Tree`].
#[derive(Debug, Clone, PartialEq)]
pub enum Data<'t> {
    /// `null`; a field with this value counts as absent (VA-240).
    Null,
    /// A boolean: `true` or `false`.
    Bool(bool),
    /// An integer that fits into 64 bits.
    Int(i64),
    /// Any other number, as the text of a JSON number.
    Number(Cow<'t, str>),
    String(Cow<'t, str>),
    /// A list.
    Seq(Vec<Tree<'t>>),
    /// A map, in the order of the text. Invariant: no duplicate keys.
    Map(Vec<Entry<'t>>),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Entry<'t> {
    pub key: Cow<'t, str>,
    /// Line of the key, from 1.
    pub line: u32,
    /// Column of the key, from 1.
    pub column: u32,
    pub value: Tree<'t>,
}

impl<'t> Tree<'t> {
    /// Returns the value of a key; None if this is not a map, or the key is absent or null.
    pub fn get(&self, key: &str) -> Option<&Tree<'t>> {
        match &self.data {
            Data::Map(entries) => entries
                .iter()
                .find(|entry| &*entry.key == key)
                .map(|entry| &entry.value)
                .filter(|value| !value.is_null()),
            _ => None,
        }
    }

    pub fn is_null(&self) -> bool {
        matches!(self.data, Data::Null)
    }

    /// Returns the text, if this is a string.
    pub fn as_str(&self) -> Option<&str> {
        match &self.data {
            Data::String(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the name of the value's JSON type in the messages of Go's decoder.
    pub fn json_kind(&self) -> &'static str {
        match self.data {
            Data::Null => "null",
            Data::Bool(_) => "bool",
            Data::Int(_) | Data::Number(_) => "number",
            Data::String(_) => "string",
            Data::Seq(_) => "array",
            Data::Map(_) => "object",
        }
    }

    /// Returns the position to report for a field path such as `spec.containers[0].resources.limits[cpu]`: the position
    /// of a scalar's value, of the key of a list or map, or of the nearest existing parent.
    pub fn position(&self, path: &str) -> (u32, u32) {
        let mut at = (self.line, self.column);
        let mut node = self;
        let mut rest = path;
        while !rest.is_empty() {
            let Some((next, key_at, left)) = node.resolve_first_element(rest) else {
                break;
            };
            at = match next.data {
                Data::Seq(_) | Data::Map(_) | Data::Null => key_at,
                _ => (next.line, next.column),
            };
            node = next;
            rest = left;
        }
        at
    }

    /// Resolves the first element of a field path: returns the value there, the line and column of its key, and the
    /// remaining path.
    fn resolve_first_element<'n, 'p>(&'n self, path: &'p str) -> Option<(&'n Tree<'t>, (u32, u32), &'p str)> {
        match &self.data {
            Data::Seq(items) => {
                let (index, rest) = path.strip_prefix('[')?.split_once(']')?;
                let item = items.get(index.parse::<usize>().ok()?)?;
                Some((item, (item.line, item.column), rest.strip_prefix('.').unwrap_or(rest)))
            }
            Data::Map(entries) => {
                let (bracketed, body) = match path.strip_prefix('[') {
                    Some(body) => (true, body),
                    None => (false, path),
                };
                let mut best: Option<(&Entry<'_>, &str)> = None;
                for entry in entries {
                    let Some(rest) = body.strip_prefix(&*entry.key) else {
                        continue;
                    };
                    let rest = if bracketed {
                        match rest.strip_prefix(']') {
                            Some(rest) => rest.strip_prefix('.').unwrap_or(rest),
                            None => continue,
                        }
                    } else if let Some(rest) = rest.strip_prefix('.') {
                        rest
                    } else if rest.is_empty() || rest.starts_with('[') {
                        rest
                    } else {
                        continue;
                    };
                    if best.is_none_or(|(known, _)| known.key.len() < entry.key.len()) {
                        best = Some((entry, rest));
                    }
                }
                best.map(|(entry, rest)| (&entry.value, (entry.line, entry.column), rest))
            }
            _ => None,
        }
    }

    /// Converts the tree to plain JSON.
    pub fn to_value(&self) -> serde_json::Value {
        use serde_json::Value;
        match &self.data {
            Data::Null => Value::Null,
            Data::Bool(value) => Value::Bool(*value),
            Data::Int(number) => Value::from(*number),
            Data::Number(text) => number_value(text),
            Data::String(text) => Value::String(text.clone().into_owned()),
            Data::Seq(items) => Value::Array(items.iter().map(Tree::to_value).collect()),
            Data::Map(entries) => Value::Object(
                entries
                    .iter()
                    .map(|entry| (entry.key.clone().into_owned(), entry.value.to_value()))
                    .collect(),
            ),
        }
    }

    /// Converts plain JSON to a tree without positions.
    pub fn from_value(value: &'t serde_json::Value) -> Self {
        use serde_json::Value;
        let data = match value {
            Value::Null => Data::Null,
            Value::Bool(value) => Data::Bool(*value),
            Value::Number(number) => match number.as_i64() {
                Some(number) => Data::Int(number),
                None => Data::Number(number.to_string().into()),
            },
            Value::String(text) => Data::String(text.as_str().into()),
            Value::Array(items) => Data::Seq(items.iter().map(Tree::from_value).collect()),
            Value::Object(map) => Data::Map(
                map.iter()
                    .map(|(key, value)| Entry {
                        key: key.as_str().into(),
                        line: 0,
                        column: 0,
                        value: Tree::from_value(value),
                    })
                    .collect(),
            ),
        };
        Tree {
            line: 0,
            column: 0,
            data,
        }
    }

    /// Returns a copy that does not borrow from the text.
    pub fn owned(&self) -> Tree<'static> {
        let to_static = |text: &Cow<'_, str>| Cow::Owned(text.clone().into_owned());
        let data = match &self.data {
            Data::Null => Data::Null,
            Data::Bool(value) => Data::Bool(*value),
            Data::Int(number) => Data::Int(*number),
            Data::Number(text) => Data::Number(to_static(text)),
            Data::String(text) => Data::String(to_static(text)),
            Data::Seq(items) => Data::Seq(items.iter().map(Tree::owned).collect()),
            Data::Map(entries) => Data::Map(
                entries
                    .iter()
                    .map(|entry| Entry {
                        key: to_static(&entry.key),
                        line: entry.line,
                        column: entry.column,
                        value: entry.value.owned(),
                    })
                    .collect(),
            ),
        };
        Tree {
            line: self.line,
            column: self.column,
            data,
        }
    }

    /// Returns the number of values in the tree, including this one.
    pub(crate) fn count_tree_values(&self) -> usize {
        1 + match &self.data {
            Data::Seq(items) => items.iter().map(Tree::count_tree_values).sum(),
            Data::Map(entries) => entries.iter().map(|entry| entry.value.count_tree_values()).sum(),
            _ => 0,
        }
    }

    /// Sets the value at a path to null, so that decoding can continue after a field of a wrong type.
    pub(crate) fn set_null_at(&mut self, path: &[PathStep]) {
        let mut node = self;
        for step in path {
            let next = match (&mut node.data, step) {
                (Data::Seq(items), PathStep::Index(index)) => items.get_mut(*index),
                (Data::Map(entries), PathStep::Key(key)) => entries
                    .iter_mut()
                    .find(|entry| *entry.key == **key)
                    .map(|entry| &mut entry.value),
                _ => None,
            };
            match next {
                Some(next) => node = next,
                None => return,
            }
        }
        node.data = Data::Null;
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum PathStep {
    /// A key of a map.
    Key(Box<str>),
    /// An index of a list.
    Index(usize),
}

/// Converts the text of a number that is not a 64-bit integer to JSON.
fn number_value(text: &str) -> serde_json::Value {
    if let Ok(number) = text.parse::<u64>() {
        return number.into();
    }
    text.parse::<f64>()
        .ok()
        .and_then(serde_json::Number::from_f64)
        .map_or(serde_json::Value::Null, serde_json::Value::Number)
}

impl serde::Serialize for Tree<'_> {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match &self.data {
            Data::Null => s.serialize_unit(),
            Data::Bool(value) => s.serialize_bool(*value),
            Data::Int(number) => s.serialize_i64(*number),
            Data::Number(text) => number_value(text).serialize(s),
            Data::String(text) => s.serialize_str(text),
            Data::Seq(items) => {
                let mut list = s.serialize_seq(Some(items.len()))?;
                for item in items {
                    list.serialize_element(item)?;
                }
                list.end()
            }
            Data::Map(entries) => {
                let mut map = s.serialize_map(Some(entries.len()))?;
                for entry in entries.iter().filter(|entry| !entry.value.is_null()) {
                    map.serialize_entry(&*entry.key, &entry.value)?;
                }
                map.end()
            }
        }
    }
}
