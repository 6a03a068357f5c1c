//! `kubectl get --watch`: the lines that the client prints for each watch event (KC-006, KC-057).

use podscope_api::{Kind, Object, ObjectKey, Time};
use podscope_cluster::client::{ClientCommand, WatchCommand, WatchEvent, WatchPrinter};
use serde_json::json;

use super::View;
use super::columns::PrinterColumn;
use super::get::{
    custom_columns_row, header_row, is_namespace_absent, name_prefix, object_row, parse_custom_columns, printed_value,
};
use super::jsonpath::Path;
use super::output::ObjectFormat;
use super::selector::{FieldQuery, LabelQuery};
use super::text::ColumnWidths;
use super::work::WorkCounter;
use super::write::Plan;
use crate::command::{Get, Output, Selection, Watch};
use crate::refusals::{bad_request, not_found};

/// Format in which the watched objects are printed.
#[derive(Debug, Clone)]
enum WatchFormat {
    Table,
    Whole(ObjectFormat),
    Columns(Vec<(String, Path)>),
}

/// State of one watch: which objects it prints, and the column widths of the table so far.
#[derive(Debug, Clone)]
struct ObjectPrinter {
    get: Get,
    kind: Kind,
    name: Option<String>,
    labels: LabelQuery,
    fields: FieldQuery,
    /// Printer columns of a custom kind, as they were when the watch started.
    printers: Vec<PrinterColumn>,
    format: WatchFormat,
    widths: ColumnWidths,
    has_printed: bool,
}

/// Returns the plan of `kubectl get --watch`: a client that watches the objects.
pub(super) fn plan(get: &Get, view: &View<'_>) -> Plan {
    let (kind, name) = match &get.target.selection {
        Selection::Kinds { kinds, names } => (kinds.first().copied(), names.first().cloned()),
        Selection::Items(items) => match items.first() {
            Some((kind, name)) => (Some(*kind), Some(name.clone())),
            None => (None, None),
        },
    };
    let Some(kind) = kind else {
        return Plan::refuse("error: there is nothing to watch");
    };
    let namespace = get.target.namespace();
    if let Some(name) = &name {
        let key = ObjectKey::of(kind, namespace, name.as_str());
        if view.objects.get_kind(kind, &key).is_none() {
            let is_absent = kind.is_namespaced() && is_namespace_absent(namespace, view.objects);
            let (kind, name) = if is_absent {
                (Kind::Namespace, namespace)
            } else {
                (kind, name.as_str())
            };
            return Plan::refuse(not_found(kind, name));
        }
    }
    let (labels, fields) = (
        get.target.selector.as_deref().unwrap_or_default(),
        get.target.field_selector.as_deref().unwrap_or_default(),
    );
    let queries = LabelQuery::parse(labels)
        .map_err(|why| super::selector::invalid_selector_message(kind, labels, fields, &why))
        .and_then(|query| {
            Ok((
                query,
                FieldQuery::parse_with_custom_fields(kind, fields, labels, view.objects)?,
            ))
        })
        .map_err(|why| bad_request(why).to_string());
    let format = match &get.output {
        Output::Table | Output::Wide => Ok(WatchFormat::Table),
        Output::CustomColumns(spec) => parse_custom_columns(spec).map(WatchFormat::Columns),
        output => ObjectFormat::of(output).map(|format| format.map_or(WatchFormat::Table, WatchFormat::Whole)),
    };
    let ((labels, fields), format) = match (queries, format) {
        (Ok(queries), Ok(format)) => (queries, format),
        (Err(message), _) | (_, Err(message)) => return Plan::refuse(message),
    };
    let mut plan = Plan::default();
    if get.sort_by.is_some() {
        plan.warn_unprefixed("warning: --watch requested, --sort-by will be ignored for watch events received");
    }
    plan.client = Some(ClientCommand::Watch(WatchCommand {
        kind,
        printer: Box::new(ObjectPrinter {
            get: get.clone(),
            kind,
            name,
            labels,
            fields,
            printers: PrinterColumn::of_kind(kind, view.objects),
            format,
            widths: ColumnWidths::default(),
            has_printed: false,
        }),
    }));
    plan
}

impl ObjectPrinter {
    /// Returns the lines that print some objects; the table header comes first if it has not been printed yet.
    fn lines(&mut self, objects: &[Object], event: &str, now: Time) -> Vec<String> {
        let is_first = !self.has_printed;
        self.has_printed |= !objects.is_empty();
        let with_event = |row: Vec<String>, first: &str| {
            let event_cell = self.get.output_watch_events.then(|| first.to_owned());
            event_cell.into_iter().chain(row).collect::<Vec<_>>()
        };
        let mut rows = Vec::new();
        match &self.format {
            WatchFormat::Table => {
                let has_namespace = self.get.target.all_namespaces && self.kind.is_namespaced();
                if let Some(first) = objects.first().filter(|_| is_first && !self.get.no_headers) {
                    rows.push(with_event(
                        header_row(&self.get, first, &self.printers, has_namespace),
                        "EVENT",
                    ));
                }
                let prefix = name_prefix(&self.get, self.kind, false);
                let row = |object| object_row(&self.get, object, &prefix, &self.printers, has_namespace, now);
                rows.extend(objects.iter().map(|object| with_event(row(object), event)));
            }
            WatchFormat::Columns(columns) => {
                if is_first && !self.get.no_headers && !objects.is_empty() {
                    let titles = columns.iter().map(|(title, _)| title.clone()).collect();
                    rows.push(with_event(titles, "EVENT"));
                }
                let work = WorkCounter::default();
                for object in objects {
                    match custom_columns_row(columns, object, &work) {
                        Ok(row) => rows.push(with_event(row, event)),
                        Err(why) => return vec![why],
                    }
                }
            }
            WatchFormat::Whole(format) => {
                let mut first = is_first;
                return objects
                    .iter()
                    .flat_map(|object| self.object_lines(format, object, event, std::mem::replace(&mut first, false)))
                    .collect();
            }
        }
        self.widths.lay_out(&rows)
    }

    /// Returns the lines of one object in a format such as YAML.
    fn object_lines(&self, format: &ObjectFormat, object: &Object, event: &str, is_first: bool) -> Vec<String> {
        let mut value = printed_value(object, self.get.show_managed_fields);
        if self.get.output_watch_events && *format != ObjectFormat::Name {
            value = json!({"object": value, "type": event.trim_end()});
        }
        let text = format.text(&value).unwrap_or_else(|why| why);
        let separator = (format.has_document_separators() && !is_first).then(|| "---".to_owned());
        separator.into_iter().chain(text.lines().map(str::to_owned)).collect()
    }
}

impl WatchPrinter for ObjectPrinter {
    fn matches(&self, object: &Object) -> bool {
        let meta = object.metadata();
        let target = &self.get.target;
        (target.all_namespaces || !self.kind.is_namespaced() || &*meta.namespace == target.namespace())
            && self.name.as_deref().is_none_or(|name| *meta.name == *name)
            && self.labels.matches(object)
            && self.fields.matches(object)
    }

    fn format_list(&mut self, objects: &[Object], now: Time) -> Vec<String> {
        if self.get.watch == Watch::Only {
            return Vec::new();
        }
        let mut objects = objects.to_vec();
        if let Some(path) = &self.get.sort_by
            && let Err(why) = super::sort_by::sort(&mut objects, path, now)
        {
            return vec![why];
        }
        self.lines(&objects, "ADDED   ", now)
    }

    fn format_event(&mut self, event: WatchEvent, object: &Object, now: Time) -> Vec<String> {
        let label = match event {
            WatchEvent::Added => "ADDED   ",
            WatchEvent::Modified => "MODIFIED",
            WatchEvent::Deleted => "DELETED ",
        };
        self.lines(std::slice::from_ref(object), label, now)
    }

    fn clone_boxed(&self) -> Box<dyn WatchPrinter> {
        Box::new(self.clone())
    }
}
