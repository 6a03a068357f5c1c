//! Printer columns of custom kinds, as the API server fills them (`tableconvertor` of k8s.io/apiextensions-apiserver).

use podscope_api::custom::Version;
use podscope_api::untyped::text;
use podscope_api::{Kind, Time, parse_rfc3339};
use podscope_cluster::Objects;
use serde_json::{Value, json};

use super::{Column, age};
use crate::jsonpath::{Path, value_text};
use crate::text::cell;
use crate::work::WorkCounter;

/// A table column of a custom kind, from `additionalPrinterColumns`.
#[derive(Debug, Clone)]
pub struct PrinterColumn {
    pub name: String,
    /// The `type` of the column: `integer`, `string`, `date`, …
    pub kind: String,
    pub format: String,
    /// Columns with priority 0 are always printed, others only with `-o wide`.
    pub priority: i64,
    path: Option<Path>,
}

impl PrinterColumn {
    /// Returns the table columns that follow NAME for a version of a custom kind: its printer columns, or only AGE if
    /// it has none.
    #[must_use]
    pub fn of_version(version: Version<'_>) -> Vec<PrinterColumn> {
        let age = json!({"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"});
        let own: Vec<&Value> = version.printer_columns().collect();
        let all = if own.is_empty() { vec![&age] } else { own };
        all.into_iter()
            .map(|column| PrinterColumn {
                name: text(column, "name").to_owned(),
                kind: text(column, "type").to_owned(),
                format: text(column, "format").to_owned(),
                priority: column.get("priority").and_then(Value::as_i64).unwrap_or(0),
                path: Path::parse(text(column, "jsonPath")).ok(),
            })
            .collect()
    }

    /// Returns the table columns of a custom kind that follow NAME; empty for a built-in kind.
    pub(crate) fn of_kind(kind: Kind, objects: &Objects) -> Vec<PrinterColumn> {
        objects
            .with_version(kind, PrinterColumn::of_version)
            .unwrap_or_default()
    }

    /// Returns this column with its header and an object's cell, as kubectl prints them.
    pub(crate) fn column(&self, object: &Value, now: Time) -> Column {
        let text = match self.cell(object, now) {
            Value::Null => String::new(),
            value => cell(&value_text(&value)),
        };
        Column {
            header: self.name.to_ascii_uppercase().into(),
            is_wide: self.priority != 0,
            text,
        }
    }

    /// Returns the value of an object's cell in this column; null if the object has no such value.
    #[must_use]
    pub fn cell(&self, object: &Value, now: Time) -> Value {
        let work = WorkCounter::default();
        let found = self.path.as_ref().and_then(|path| path.find(object, &work).ok());
        let found = found.unwrap_or_default();
        let Some(first) = found.first() else { return Value::Null };
        match (self.kind.as_str(), first.as_ref()) {
            ("integer", Value::Number(number)) => number
                .as_i64()
                .or_else(|| number.as_f64().map(|float| float as i64))
                .map_or(Value::Null, Value::from),
            ("number", value @ Value::Number(_)) | ("boolean", value @ Value::Bool(_)) => value.clone(),
            ("string", _) => {
                let all: Vec<String> = found.iter().map(|value| value_text(value)).collect();
                all.join(" ").into()
            }
            ("date", Value::String(time)) => match parse_rfc3339(time) {
                Some(at) => age(Some(Time(at)), now).into(),
                None => "<invalid>".into(),
            },
            _ => Value::Null,
        }
    }
}
