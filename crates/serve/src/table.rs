//! Table responses, which kubectl prints (HT-120 to HT-124). The column definitions were recorded from a real v1.36 API
//! server; the cells are those of the simulated `kubectl get`.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use podscope_api::{Object, Time};
use podscope_cluster::{ApiError, Objects};
use podscope_kubectl::PrinterColumn;
use podscope_kubectl::rest::ApiPath;
use serde_json::{Map, Value, json};

use crate::board::Snapshot;
use crate::object_json;

const COLUMN_TABLE: &str = include_str!("table-columns.tsv");

/// Pairs of resource and column: the type of the column is string, but its cells are numbers, as on a real server.
const NUMBERS_IN_STRING_COLUMNS: [(&str, &str); 8] = [
    ("configmaps", "Data"),
    ("secrets", "Data"),
    ("deployments", "Up-to-date"),
    ("deployments", "Available"),
    ("events", "Count"),
    ("horizontalpodautoscalers", "MaxPods"),
    ("horizontalpodautoscalers", "Replicas"),
    ("controllerrevisions", "Revision"),
];

/// Resources without a printer. An empty table of these has `rows: null`.
const RESOURCES_WITHOUT_PRINTER: [&str; 3] = ["csistoragecapacities", "customresourcedefinitions", "limitranges"];

/// Definition of a column of a built-in kind.
#[derive(Debug, Clone)]
struct ColumnDefinition {
    name: String,
    kind: &'static str,
    format: &'static str,
    priority: i64,
}

fn parse_definition(text: &'static str) -> Option<ColumnDefinition> {
    let mut parts = text.rsplitn(4, '/');
    let priority = parts.next()?.parse().ok()?;
    let (format, kind, name) = (parts.next()?, parts.next()?, parts.next()?);
    let name = name.replace('_', " ");
    Some(ColumnDefinition {
        name,
        kind,
        format,
        priority,
    })
}

/// Returns the columns of a built-in resource; name and age if it has no printer.
fn definitions(path: &ApiPath) -> &'static [ColumnDefinition] {
    static DEFINITIONS: OnceLock<BTreeMap<&'static str, Vec<ColumnDefinition>>> = OnceLock::new();
    let all = DEFINITIONS.get_or_init(|| {
        let rows = COLUMN_TABLE.lines().filter(|line| !line.starts_with('#'));
        let mut all: BTreeMap<&str, Vec<ColumnDefinition>> = rows
            .filter_map(|line| line.split_once('\t'))
            .map(|(resource, columns)| (resource, columns.split(' ').filter_map(parse_definition).collect()))
            .collect();
        let plain = ["Name/string/name/0", "Age/string//0"];
        all.insert("", plain.into_iter().filter_map(parse_definition).collect());
        let scale = [
            "Name/string/name/0",
            "Desired/integer//0",
            "Available/integer//0",
            "Age/string//0",
        ];
        all.insert("scale", scale.into_iter().filter_map(parse_definition).collect());
        all
    });
    if path.subresource == "scale" {
        return all.get("scale").map_or(&[], Vec::as_slice);
    }
    let resource = format!("{}/{}", path.api_version, path.resource);
    let found = all.get(resource.as_str()).or_else(|| all.get(""));
    found.map_or(&[], Vec::as_slice)
}

/// The columns of a resource.
pub(crate) struct Columns {
    path: ApiPath,
    /// Printer columns of a custom kind, after the name.
    custom: Option<Vec<PrinterColumn>>,
    /// Whether this is the scale subresource of a custom kind, whose age column has the type date.
    is_custom_scale: bool,
}

impl Columns {
    pub(crate) fn of(path: &ApiPath, objects: &Objects) -> Columns {
        let defined = objects.served_resource(&path.api_version, &path.resource);
        let is_scale = path.subresource == "scale";
        let printed = defined.filter(|_| !is_scale);
        Columns {
            path: path.clone(),
            custom: printed.and_then(|kind| objects.with_version(kind, PrinterColumn::of_version)),
            is_custom_scale: is_scale && defined.is_some(),
        }
    }

    /// Returns the column definitions of the Table.
    pub(crate) fn definitions(&self) -> Value {
        let column_json = |name: &str, kind: &str, format: &str, priority: i64| json!({"name": name, "type": kind, "format": format, "description": name, "priority": priority});
        match &self.custom {
            Some(custom) => {
                let name = std::iter::once(column_json("Name", "string", "name", 0));
                let own =
                    |column: &PrinterColumn| column_json(&column.name, &column.kind, &column.format, column.priority);
                name.chain(custom.iter().map(own)).collect()
            }
            None => {
                let own = |column: &ColumnDefinition| {
                    let kind = match (self.is_custom_scale, column.name.as_str()) {
                        (true, "Age") => "date",
                        _ => column.kind,
                    };
                    column_json(&column.name, kind, column.format, column.priority)
                };
                definitions(&self.path).iter().map(own).collect()
            }
        }
    }

    /// Creates the row of an object.
    pub(crate) fn row(&self, object: &Object, serialized: &Value, include: IncludedObject, now: Time) -> Value {
        match &self.custom {
            Some(custom) => {
                let name = Value::from(&*object.metadata().name);
                let cells = std::iter::once(name).chain(custom.iter().map(|column| column.cell(serialized, now)));
                json!({"cells": cells.collect::<Vec<_>>(), "object": row_object(serialized, include)})
            }
            None => row(&self.path, object, serialized, include, now),
        }
    }
}

/// Returns the `object` field of a row.
pub(crate) fn row_object(serialized: &Value, include: IncludedObject) -> Value {
    match include {
        IncludedObject::None => Value::Null,
        IncludedObject::Metadata => object_json::partial_object_metadata(serialized),
        IncludedObject::Object => serialized.clone(),
    }
}

/// The part of the object that a row contains (`includeObject`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IncludedObject {
    None,
    Metadata,
    Object,
}

/// Parses `includeObject`.
pub(crate) fn parse_included_object(path: &ApiPath) -> Result<IncludedObject, ApiError> {
    match path.query.get("includeObject").unwrap_or_default() {
        "" | "Metadata" => Ok(IncludedObject::Metadata),
        "None" => Ok(IncludedObject::None),
        "Object" => Ok(IncludedObject::Object),
        other => Err(ApiError::bad_request(format!(
            "Unable to convert to Table as requested: includeObject: Invalid value: {other:?}: must be 'Metadata', 'Object', 'None', or empty"
        ))),
    }
}

fn row(path: &ApiPath, object: &Object, serialized: &Value, include: IncludedObject, now: Time) -> Value {
    let cells = match path.subresource.as_str() {
        "scale" => scale_cells(serialized, object, now),
        _ => cells(path, object, now),
    };
    let mut row = json!({"cells": cells});
    if let Object::Pod(pod) = object
        && let Some(phase) = pod.status.phase.as_ref().filter(|_| pod.is_terminal())
    {
        row["conditions"] = json!([{
            "type": "Completed", "status": "True", "reason": phase.to_string(),
            "message": match phase.to_string().as_str() {
                "Succeeded" => "The pod has completed successfully.",
                _ => "The pod failed.",
            },
        }]);
    }
    row["object"] = row_object(serialized, include);
    row
}

fn scale_cells(serialized: &Value, object: &Object, now: Time) -> Vec<Value> {
    let number = |at: &str| serialized.pointer(at).cloned().unwrap_or_else(|| 0.into());
    let age = podscope_kubectl::cells(object, now)
        .into_iter()
        .find(|cell| cell.header == "AGE");
    vec![
        serialized.pointer("/metadata/name").cloned().unwrap_or_default(),
        number("/spec/replicas"),
        number("/status/replicas"),
        age.map_or(Value::Null, |cell| cell.text.into()),
    ]
}

fn cells(path: &ApiPath, object: &Object, now: Time) -> Vec<Value> {
    let known = podscope_kubectl::cells(object, now);
    let cell = |column: &ColumnDefinition| {
        let header = column.name.to_ascii_uppercase();
        let found = known.iter().find(|cell| cell.header.eq_ignore_ascii_case(&header));
        let Some(found) = found else {
            let created = object
                .metadata()
                .creation_timestamp
                .filter(|_| column.name == "Created At");
            return created.map_or(Value::Null, |created| created.to_string().into());
        };
        let text = found.text.as_str();
        if NUMBERS_IN_STRING_COLUMNS.contains(&(path.resource.as_str(), column.name.as_str())) {
            return text.parse::<i64>().map_or_else(|_| text.into(), Value::from);
        }
        match column.kind {
            "integer" => text.parse::<i64>().map_or(Value::Null, Value::from),
            // The column of CronJobs is declared as boolean, but the real server prints a string there.
            "boolean" if path.resource == "cronjobs" => text.into(),
            _ => match (text, column.kind) {
                ("true", _) if is_boolean(column) => true.into(),
                ("false", _) if is_boolean(column) => false.into(),
                (_, "boolean") => Value::Null,
                _ => text.into(),
            },
        }
    };
    definitions(path).iter().map(cell).collect()
}

/// Returns whether the cells of a column are booleans, whatever its declared type.
fn is_boolean(column: &ColumnDefinition) -> bool {
    column.kind == "boolean" || column.name == "AllowVolumeExpansion"
}

/// Creates the table of some objects with their serialized values.
///
/// # Errors
/// `includeObject` is invalid.
pub(crate) fn of_objects(
    path: &ApiPath,
    rows: &[(Object, Value)],
    snapshot: &Snapshot,
    metadata: impl FnOnce(&[(Object, Value)]) -> Map<String, Value>,
) -> Result<Value, ApiError> {
    let include = parse_included_object(path)?;
    let columns = Columns::of(path, &snapshot.objects);
    let lines: Vec<Value> = rows
        .iter()
        .map(|(object, serialized)| columns.row(object, serialized, include, snapshot.now))
        .collect();
    let mut table = table(metadata(rows), columns.definitions(), lines);
    if rows.is_empty() && RESOURCES_WITHOUT_PRINTER.contains(&path.resource.as_str()) {
        table["rows"] = Value::Null;
    }
    Ok(table)
}

pub(crate) fn table(metadata: Map<String, Value>, columns: Value, rows: Vec<Value>) -> Value {
    json!({
        "kind": "Table",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": metadata,
        "columnDefinitions": columns,
        "rows": rows,
    })
}
