//! `kubectl get` (KC-001 to KC-063).

use std::sync::Arc;

use podscope_api::{Kind, Object, ObjectKey, Time};
use podscope_cluster::Objects;
use serde_json::{Value, json};

use super::columns::{Column, PrinterColumn, columns};
use super::gotext::go_value_text;
use super::jsonpath::{Path, work_of_value};
use super::output::ObjectFormat;
use super::selector::{FieldQuery, LabelQuery, invalid_selector_message};
use super::sort_by::sort_groups;
use super::text::table;
use super::work::WorkCounter;
use super::{Printed, View};
use crate::command::{Get, Output, Selection, Target};
use crate::refusals::{Refusal, bad_request, not_found};

/// The objects that a selection matches, grouped by kind in the order of the command line.
pub(crate) struct FoundObjects {
    pub(crate) groups: Vec<(Kind, Vec<Object>)>,
    /// Objects that were requested by name and do not exist.
    pub(crate) missing: Vec<(Kind, String)>,
    /// The server's errors for kinds that do not support the field selector, if other kinds support it.
    refused: Vec<Refusal>,
    /// Whether exactly one object was requested by name.
    pub(crate) is_single: bool,
    /// The namespace of the target if it does not exist; `default` counts as existing. kubectl reports the missing
    /// namespace instead of the requested objects in it.
    absent_namespace: Option<String>,
}

impl FoundObjects {
    /// Returns kubectl's errors about kinds that the server refused to list, and NotFound errors about objects
    /// requested by name.
    pub(crate) fn lookup_errors(&self) -> impl Iterator<Item = Refusal> + '_ {
        let missing = self.missing.iter().map(|(kind, name)| match &self.absent_namespace {
            Some(namespace) if kind.is_namespaced() => not_found(Kind::Namespace, namespace),
            _ => not_found(*kind, name),
        });
        self.refused.iter().cloned().chain(missing)
    }
}

/// Returns the number of objects that a target matches; 0 if a selector is invalid.
pub fn count_selected(target: &Target, objects: &Objects) -> usize {
    find(target, objects).map_or(0, |found| found.groups.iter().map(|(_, objects)| objects.len()).sum())
}

/// Returns the objects that a target matches, in the order of `kubectl get`; none if a selector is invalid.
pub fn selected(target: &Target, objects: &Objects) -> Vec<Object> {
    let groups = find(target, objects).map_or(Vec::new(), |found| found.groups);
    groups.into_iter().flat_map(|(_, objects)| objects).collect()
}

/// Returns whether a namespace does not exist; `default` always exists.
pub(crate) fn is_namespace_absent(namespace: &str, objects: &Objects) -> bool {
    namespace != "default"
        && objects
            .get_kind(Kind::Namespace, &ObjectKey::cluster(namespace))
            .is_none()
}

/// Finds the objects that a target matches.
pub(crate) fn find(target: &Target, objects: &Objects) -> Result<FoundObjects, Refusal> {
    let namespace = target.namespace();
    let selector = target.selector.as_deref().unwrap_or_default();
    let field_selector = target.field_selector.as_deref().unwrap_or_default();
    let labels = match LabelQuery::parse(selector) {
        Ok(labels) => labels,
        Err(why) => {
            let answer = |kind: &Kind| bad_request(invalid_selector_message(*kind, selector, field_selector, &why));
            return Err(combine_refusals(target.kinds().iter().map(answer).collect()));
        }
    };
    let mut found = FoundObjects {
        groups: Vec::new(),
        missing: Vec::new(),
        refused: Vec::new(),
        is_single: false,
        absent_namespace: (!target.all_namespaces && is_namespace_absent(namespace, objects))
            .then(|| namespace.to_owned()),
    };
    let by_name = |kind: Kind, name: &str| {
        let object = objects.get_kind(kind, &ObjectKey::of(kind, namespace, name))?;
        Some(converted_to_version_of(kind, object, objects))
    };
    match &target.selection {
        Selection::Items(items) => {
            found.is_single = items.len() == 1;
            for (kind, name) in items {
                match by_name(*kind, name) {
                    Some(object) => match found.groups.iter_mut().find(|(known, _)| known == kind) {
                        Some((_, objects)) => objects.push(object),
                        None => found.groups.push((*kind, vec![object])),
                    },
                    None => found.missing.push((*kind, name.clone())),
                }
            }
        }
        Selection::Kinds { kinds, names } if !names.is_empty() => {
            found.is_single = kinds.len() == 1 && names.len() == 1;
            for kind in kinds {
                let mut objects = Vec::new();
                for name in names {
                    match by_name(*kind, name) {
                        Some(object) => objects.push(object),
                        None => found.missing.push((*kind, name.clone())),
                    }
                }
                found.groups.push((*kind, objects));
            }
        }
        Selection::Kinds { kinds, .. } => {
            let work = WorkCounter::default();
            for kind in kinds {
                let fields = match FieldQuery::parse_with_custom_fields(*kind, field_selector, selector, objects) {
                    Ok(fields) => fields,
                    Err(why) => {
                        found.refused.push(bad_request(why));
                        continue;
                    }
                };
                let listed = objects.list_kind(*kind);
                // Count the work, because evaluating thousands of selector terms for thousands of objects would take
                // too long.
                work.spend(listed.len() as u64 * (labels.work_per_object() + fields.work_per_object()))
                    .map_err(|why| Refusal::AsIs(why.to_string()))?;
                let listed = listed
                    .into_iter()
                    .filter(|object| {
                        !kind.is_namespaced() || target.all_namespaces || &*object.metadata().namespace == namespace
                    })
                    .filter(|object| labels.matches(object) && fields.matches(object))
                    .map(|object| converted_to_version_of(*kind, object, objects));
                found.groups.push((*kind, listed.collect()));
            }
            if found.groups.is_empty() && !found.refused.is_empty() {
                return Err(combine_refusals(found.refused));
            }
        }
    }
    Ok(found)
}

/// Combines the server's errors about several kinds into one error.
fn combine_refusals(answers: Vec<Refusal>) -> Refusal {
    let texts: Vec<String> = answers.into_iter().map(String::from).collect();
    Refusal::as_is(texts.join("\n"))
}

/// Converts a custom object to the API version of `kind`; returns other objects unchanged.
fn converted_to_version_of(kind: Kind, object: Object, objects: &Objects) -> Object {
    match object {
        Object::Untyped(mut stored) if stored.kind.api_version() != kind.api_version() => {
            objects.with_version(kind, |version| {
                let converted = Arc::make_mut(&mut stored);
                converted.kind = kind;
                version.prune_and_default(converted);
            });
            Object::Untyped(stored)
        }
        object => object,
    }
}

/// Returns the object as `-o yaml|json` prints it; `managedFields` are omitted unless requested (KC-053).
pub fn printed_value(object: &Object, managed_fields: bool) -> Value {
    let mut value = object.to_value();
    if managed_fields && let Some(entries) = object.metadata().managers.to_value(object) {
        value["metadata"]["managedFields"] = entries;
    }
    if !managed_fields && let Some(meta) = value.get_mut("metadata").and_then(Value::as_object_mut) {
        meta.shift_remove("managedFields");
    }
    if let (Object::Node(_), Some(Value::Object(info))) = (object, value.pointer_mut("/status/nodeInfo")) {
        let mut given = std::mem::take(info);
        for field in NODE_INFO_FIELDS {
            info.insert(field.to_owned(), given.shift_remove(field).unwrap_or_else(|| "".into()));
        }
        info.extend(given);
    }
    value
}

/// Fields of a node's `nodeInfo`, in Go's order. Go encodes empty fields too, and typed clients refuse a node without
/// them.
const NODE_INFO_FIELDS: [&str; 10] = [
    "machineID",
    "systemUUID",
    "bootID",
    "kernelVersion",
    "osImage",
    "containerRuntimeVersion",
    "kubeletVersion",
    "kubeProxyVersion",
    "operatingSystem",
    "architecture",
];

/// Creates a `v1` `List` of objects (KC-053).
pub fn list_value(objects: &[Object], managed_fields: bool) -> Value {
    list_of_items(
        objects
            .iter()
            .map(|object| printed_value(object, managed_fields))
            .collect(),
    )
}

/// Creates a `v1` `List` whose items are these JSON values.
pub(super) fn list_of_items(items: Vec<Value>) -> Value {
    json!({"apiVersion": "v1", "items": items, "kind": "List", "metadata": {"resourceVersion": ""}})
}

/// Executes `kubectl get` without `--watch`.
pub(super) fn get(get: &Get, view: &View<'_>, printed: &mut Printed) {
    let mut found = match find(&get.target, view.objects) {
        Ok(found) => found,
        Err(message) => return printed.fail(message),
    };
    let mut groups = std::mem::take(&mut found.groups);
    if let Some(path) = &get.sort_by
        && let Err(message) = sort_groups(get, path, found.is_single, &mut groups, view.now)
    {
        return printed.fail(message);
    }
    let objects: Vec<Object> = groups.iter().flat_map(|(_, objects)| objects.iter().cloned()).collect();
    let whole = || {
        if found.is_single && objects.len() == 1 {
            objects
                .first()
                .map(|object| printed_value(object, get.show_managed_fields))
                .unwrap_or_default()
        } else {
            list_value(&objects, get.show_managed_fields)
        }
    };
    let nothing_named = found.is_single && objects.is_empty();
    match &get.output {
        output if get.ignore_not_found && objects.is_empty() && !matches!(output, Output::Table | Output::Wide) => {}
        _ if get.scale => super::scale::print_scales(get, &objects, view, printed),
        Output::Table | Output::Wide => print_tables(get, &groups, !found.refused.is_empty(), view, printed),
        Output::Name => {
            for object in &objects {
                printed.out(format!(
                    "{}/{}",
                    object.kind().qualified_singular(),
                    object.metadata().name
                ));
            }
        }
        _ if nothing_named => {}
        Output::CustomColumns(spec) => print_custom_columns(get, spec, &objects, printed),
        output => {
            match ObjectFormat::of(output).and_then(|format| format.map(|format| format.text(&whole())).transpose()) {
                Ok(text) => text
                    .iter()
                    .flat_map(|text| text.split('\n'))
                    .for_each(|line| printed.out(line)),
                Err(why) => return printed.fail(why),
            }
        }
    }
    if !get.ignore_not_found {
        found.lookup_errors().for_each(|error| printed.fail(error));
    }
}

/// Prints one table for each kind that has objects. `is_incomplete` means that the server refused to list some kinds.
fn print_tables(
    get: &Get,
    groups: &[(Kind, Vec<Object>)],
    is_incomplete: bool,
    view: &View<'_>,
    printed: &mut Printed,
) {
    let has_several_kinds = match &get.target.selection {
        Selection::Kinds { names, .. } if names.is_empty() => groups.len() > 1,
        // If objects are requested by name, count only the kinds of which an object exists.
        _ => groups.iter().filter(|(_, objects)| !objects.is_empty()).count() > 1,
    };
    let (mut has_printed, mut has_namespace) = (false, false);
    for (kind, objects) in groups {
        // With `-A`, kubectl prints the NAMESPACE column in the table of a namespaced kind and in all tables after it,
        // because its printers share their options. This is so even if the namespaced kind has no objects.
        has_namespace |= get.target.all_namespaces && kind.is_namespaced();
        let Some(first) = objects.first() else { continue };
        if has_printed && !get.no_headers {
            printed.out("");
        }
        has_printed = true;
        let mut rows = Vec::new();
        let printers = PrinterColumn::of_kind(*kind, view.objects);
        if !get.no_headers {
            rows.push(header_row(get, first, &printers, has_namespace));
        }
        let prefix = name_prefix(get, *kind, has_several_kinds);
        let row = |object| object_row(get, object, &prefix, &printers, has_namespace, view.now);
        rows.extend(objects.iter().map(row));
        for line in table(&rows) {
            printed.out(line);
        }
    }
    let is_named = match &get.target.selection {
        Selection::Kinds { names, .. } => !names.is_empty(),
        Selection::Items(_) => true,
    };
    if !has_printed && !is_named && !get.ignore_not_found && !is_incomplete {
        let namespaced = groups.iter().all(|(kind, _)| kind.is_namespaced());
        printed.print_no_objects(if namespaced && !get.target.all_namespaces {
            format!("No resources found in {} namespace.", get.target.namespace())
        } else {
            "No resources found".into()
        });
    }
}

/// Returns the prefix of the NAME column: `kind/` if several kinds are printed or `--show-kind` is set.
pub(super) fn name_prefix(get: &Get, kind: Kind, has_several_kinds: bool) -> String {
    match has_several_kinds || get.show_kind {
        true => format!("{}/", kind.qualified_singular()),
        false => String::new(),
    }
}

/// Returns the columns of an object that the command prints. The NAME column holds `prefix` + name.
fn shown_columns(
    get: &Get,
    object: &Object,
    prefix: &str,
    printers: &[PrinterColumn],
    now: Time,
) -> impl Iterator<Item = Column> {
    let wide = get.output == Output::Wide;
    let is_bare = get.bare_columns;
    let all = columns(object, prefix, printers, now).into_iter();
    all.filter(move |column| match is_bare {
        true => matches!(&*column.header, "NAME" | "AGE"),
        false => wide || !column.is_wide,
    })
}

/// Returns the header of a table whose first row is this object.
pub(super) fn header_row(get: &Get, object: &Object, printers: &[PrinterColumn], has_namespace: bool) -> Vec<String> {
    let mut row = Vec::new();
    if has_namespace {
        row.push("NAMESPACE".into());
    }
    row.extend(shown_columns(get, object, "", printers, Time(0)).map(|column| column.header.into_owned()));
    row.extend(
        get.label_columns
            .iter()
            .map(|key| key.rsplit('/').next().unwrap_or(key).to_ascii_uppercase()),
    );
    if get.show_labels {
        row.push("LABELS".into());
    }
    row
}

/// Returns the table row of an object. The NAME column holds `prefix` + name.
pub(super) fn object_row(
    get: &Get,
    object: &Object,
    prefix: &str,
    printers: &[PrinterColumn],
    has_namespace: bool,
    now: Time,
) -> Vec<String> {
    let meta = object.metadata();
    let mut row = Vec::new();
    if has_namespace {
        row.push(meta.namespace.to_string());
    }
    row.extend(shown_columns(get, object, prefix, printers, now).map(|column| column.text));
    row.extend(
        get.label_columns
            .iter()
            .map(|key| meta.label(key).unwrap_or_default().to_owned()),
    );
    if get.show_labels {
        row.push(super::columns::label_map_text(&meta.labels));
    }
    row
}

/// Parses the headers and paths of `-o custom-columns` (KC-055).
pub(super) fn parse_custom_columns(spec: &str) -> Result<Vec<(String, Path)>, String> {
    spec.split(',')
        .map(|part| {
            let (header, path) = part.split_once(':').ok_or_else(|| {
                format!("error: unexpected custom-columns spec: {part}, expected <header>:<json-path-expr>")
            })?;
            let path = Path::parse(path).map_err(|why| format!("error: {why}"))?;
            Ok((header.to_owned(), path))
        })
        .collect()
}

/// Returns the row of an object in a table of custom columns.
///
/// # Errors
/// The paths visit more values than the work limit allows.
pub(super) fn custom_columns_row(
    columns: &[(String, Path)],
    object: &Object,
    work: &WorkCounter,
) -> Result<Vec<String>, String> {
    let value = object.to_value();
    let row = columns.iter().map(|(_, path)| {
        let found = path.find(&value, work).map_err(|why| format!("error: {why}"))?;
        work.spend(found.iter().map(|value| work_of_value(value)).sum())
            .map_err(|why| format!("error: {why}"))?;
        let texts: Vec<String> = found.iter().map(|value| go_value_text(value)).collect();
        Ok(if texts.is_empty() {
            "<none>".into()
        } else {
            texts.join(",")
        })
    });
    row.collect()
}

/// Maximum size of a table of custom columns, in bytes.
const MAX_TABLE_BYTES: usize = 32 << 20;

fn print_custom_columns(get: &Get, spec: &str, objects: &[Object], printed: &mut Printed) {
    let columns = match parse_custom_columns(spec) {
        Ok(columns) => columns,
        Err(message) => return printed.fail(message),
    };
    let mut rows: Vec<Vec<String>> = Vec::new();
    if !get.no_headers {
        rows.push(columns.iter().map(|(header, _)| header.clone()).collect());
    }
    let work = WorkCounter::default();
    for object in objects {
        match custom_columns_row(&columns, object, &work) {
            Ok(row) => rows.push(row),
            Err(why) => return printed.fail(why),
        }
    }
    // Check the size before laying out the table: every row is padded to the longest cell of each column, so one long
    // cell enlarges all rows.
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widest = |at: usize| rows.iter().filter_map(|row| row.get(at)).map(String::len).max();
    let wide: usize = (0..columns).filter_map(widest).sum();
    if wide.saturating_mul(rows.len()) > MAX_TABLE_BYTES {
        return printed.fail(format!("error: the table is larger than {MAX_TABLE_BYTES} bytes"));
    }
    for line in table(&rows) {
        printed.out(line);
    }
}
