//! `kubectl explain` of custom kinds: the fields and descriptions of their structural schemas.

use podscope_api::ordered::StableSort as _;
use podscope_api::{Kind, fields};
use podscope_cluster::Objects;
use serde_json::Value;

use super::{Printed, print_header, wrap_lines};

/// Maximum depth of the fields that `--recursive` prints.
const MAX_PRINTED_DEPTH: usize = 32;

/// What `explain` prints about a field, or about the kind itself.
struct ExplainedField {
    type_name: String,
    description: String,
    values: Vec<String>,
    /// Names of the fields of the object, each with whether it is required.
    fields: Vec<(String, bool)>,
}

/// A custom kind with its schema, in which paths are looked up.
struct SchemaExplainer<'s> {
    kind: Kind,
    schema: &'s Value,
}

/// Prints the fields of a custom kind, or the field at a path below it.
pub(super) fn explain(kind: Kind, path: &[String], recursive: bool, objects: &Objects, printed: &mut Printed) {
    objects.with_version(kind, |version| {
        let schema = version.schema();
        SchemaExplainer { kind, schema }.print_path(path, recursive, printed);
    });
}

impl SchemaExplainer<'_> {
    fn print_path(&self, path: &[String], recursive: bool, printed: &mut Printed) {
        print_header(self.kind, printed);
        let Some(explained) = self.field_at(path) else {
            let unknown = path.last().map_or("", |name| name);
            return printed.fail(format!("error: field {unknown:?} does not exist"));
        };
        if let Some(name) = path.last() {
            printed.out(format!("FIELD: {name} <{}>", explained.type_name));
            if explained.values.is_empty() {
                printed.out("");
            } else {
                printed.out("ENUM:");
                let values = explained.values.iter();
                values.for_each(|value| printed.out(format!("    {value}")));
            }
            printed.out("");
        }
        printed.out("DESCRIPTION:");
        match explained.description.as_str() {
            "" => printed.out("    <empty>"),
            text => {
                wrap_lines(text)
                    .iter()
                    .for_each(|line| printed.out(format!("    {line}")));
                printed.out("    ");
            }
        }
        if !explained.fields.is_empty() {
            printed.out("FIELDS:");
            match recursive {
                true => self.print_names(path, &explained, 1, printed),
                false => self.print_fields(path, &explained, printed),
            }
        }
        printed.out("");
    }

    fn print_fields(&self, path: &[String], parent: &ExplainedField, printed: &mut Printed) {
        for (name, is_required, field) in self.fields_below(path, parent) {
            let required = if is_required { " -required-" } else { "" };
            printed.out(format!("  {name}\t<{}>{required}", field.type_name));
            if !field.values.is_empty() {
                printed.out(format!("  enum: {}", field.values.join(", ")));
            }
            match field.description.as_str() {
                "" => printed.out("    <no description>"),
                text => wrap_lines(text)
                    .iter()
                    .for_each(|line| printed.out(format!("    {line}"))),
            }
            printed.out("");
        }
    }

    /// Prints name and type of all fields below a path (`--recursive`).
    fn print_names(&self, path: &[String], parent: &ExplainedField, level: usize, printed: &mut Printed) {
        let indent = "  ".repeat(level);
        for (name, is_required, field) in self.fields_below(path, parent) {
            let required = if is_required { " -required-" } else { "" };
            printed.out(format!("{indent}{name}\t<{}>{required}", field.type_name));
            if !field.values.is_empty() {
                printed.out(format!("{indent}enum: {}", field.values.join(", ")));
            }
            if level < MAX_PRINTED_DEPTH {
                let full: Vec<String> = path.iter().cloned().chain([name]).collect();
                self.print_names(&full, &field, level + 1, printed);
            }
        }
    }

    /// Returns the fields directly below a path: name, whether it is required, and description.
    fn fields_below(&self, path: &[String], parent: &ExplainedField) -> Vec<(String, bool, ExplainedField)> {
        let field = |(name, is_required): &(String, bool)| {
            let full: Vec<String> = path.iter().chain([name]).cloned().collect();
            Some((name.clone(), *is_required, self.field_at(&full)?))
        };
        parent.fields.iter().filter_map(field).collect()
    }

    /// Returns the field at a path; `None` if it does not exist. `metadata` and other fields that every object has are
    /// not in the schema.
    fn field_at(&self, path: &[String]) -> Option<ExplainedField> {
        if let Some(found) = field_of_every_object(path) {
            return found;
        }
        let mut schema = self.schema;
        for name in path {
            schema = element_schema(schema).get("properties")?.get(name)?;
        }
        let mut explained = explain_schema(schema);
        if path.is_empty() {
            let common_fields = ["apiVersion", "kind", "metadata"].map(|name| (name.to_owned(), false));
            explained.fields.retain(|field| !common_fields.contains(field));
            explained.fields.extend(common_fields);
            explained.fields.stable_sort();
        }
        Some(explained)
    }
}

/// Returns a field of `apiVersion`, `kind` or `metadata`, which every object has; `None` for other paths, `Some(None)`
/// if these fields do not contain the path.
fn field_of_every_object(path: &[String]) -> Option<Option<ExplainedField>> {
    let (name, above) = path.split_last()?;
    let first = path
        .first()
        .filter(|first| matches!(first.as_str(), "apiVersion" | "kind" | "metadata"))?;
    // The metadata has the same fields in all kinds, so those of ConfigMaps are looked up.
    let kind = Kind::ConfigMap;
    let known = fields(kind, above).and_then(|siblings| siblings.into_iter().find(|field| field.name == *name));
    let below = match *first == "metadata" {
        true => fields(kind, path).unwrap_or_default(),
        false => Vec::new(),
    };
    Some(known.map(|field| ExplainedField {
        type_name: field.type_name,
        description: super::field_description(kind, path).unwrap_or_default().to_owned(),
        values: Vec::new(),
        fields: below.into_iter().map(|field| (field.name, false)).collect(),
    }))
}

/// Returns the schema of the innermost elements of a list or map; returns any other schema unchanged.
fn element_schema(schema: &Value) -> &Value {
    let inner = schema.get("items").or_else(|| schema.get("additionalProperties"));
    inner.filter(|inner| inner.is_object()).map_or(schema, element_schema)
}

/// Returns what `explain` prints about the field with this schema.
fn explain_schema(schema: &Value) -> ExplainedField {
    let texts = |field: &str| -> Vec<String> {
        let list = schema.get(field).and_then(Value::as_array).into_iter().flatten();
        list.map(crate::jsonpath::value_text).collect()
    };
    let inner = element_schema(schema);
    let required: Vec<&str> = inner["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let properties = inner.get("properties").and_then(Value::as_object).into_iter().flatten();
    let mut fields: Vec<(String, bool)> = properties
        .map(|(name, _)| (name.clone(), required.contains(&name.as_str())))
        .collect();
    fields.stable_sort();
    ExplainedField {
        type_name: type_name(schema),
        description: schema["description"].as_str().unwrap_or_default().to_owned(),
        values: texts("enum"),
        fields,
    }
}

/// Returns the type as kubectl derives it from the schema: `[]Object`, `map[string]string`, `integer`.
fn type_name(schema: &Value) -> String {
    if let Some(items) = schema.get("items") {
        return format!("[]{}", type_name(items));
    }
    if let Some(values) = schema.get("additionalProperties").filter(|values| values.is_object()) {
        return format!("map[string]{}", type_name(values));
    }
    match schema["type"].as_str() {
        None | Some("" | "object") => "Object".to_owned(),
        Some(name) => name.to_owned(),
    }
}
