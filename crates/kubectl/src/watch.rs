//! `kubectl get --watch`: what the client prints of each event (KC-006, KC-057).

use podscope_api::{Kind, Object, ObjectKey, Time};
use podscope_cluster::client::{ClientCommand, WatchCommand, WatchEvent, WatchPrinter};
use serde_json::{Value, json};

use super::get::{columns_of, columns_row, header_row, object_row, shown};
use super::jsonpath::{Path, Template};
use super::selector::{FieldQuery, LabelQuery};
use super::text::Widths;
use super::write::Plan;
use super::{View, not_found, qualified_singular};
use crate::command::{Get, Output, Selection, Watch};

/// How the objects are shown.
#[derive(Debug, Clone)]
enum Form {
    Table,
    Name,
    Yaml,
    Json,
    Path(Template),
    Columns(Vec<(String, Path)>),
}

/// A watch's own state: which objects, and the table as far as it is printed.
#[derive(Debug, Clone)]
struct Printer {
    get: Get,
    kind: Kind,
    name: Option<String>,
    labels: LabelQuery,
    fields: FieldQuery,
    form: Form,
    widths: Widths,
    has_printed: bool,
}

/// The client of a `get --watch`.
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
        let key = if kind.is_namespaced() {
            ObjectKey::new(namespace, name.as_str())
        } else {
            ObjectKey::cluster(name.as_str())
        };
        if view.objects.get_kind(kind, &key).is_none() {
            return Plan::refuse(not_found(kind, name));
        }
    }
    let bad = |why: String| format!("Error from server (BadRequest): {why}");
    let (labels, fields) = (
        get.target.selector.as_deref().unwrap_or_default(),
        get.target.field_selector.as_deref().unwrap_or_default(),
    );
    let queries = LabelQuery::parse(labels)
        .and_then(|query| Ok((query, FieldQuery::parse(kind, fields, labels)?)))
        .map_err(bad);
    let form = match &get.output {
        Output::Table | Output::Wide => Ok(Form::Table),
        Output::Name => Ok(Form::Name),
        Output::Yaml => Ok(Form::Yaml),
        Output::Json => Ok(Form::Json),
        Output::JsonPath(text) => Template::parse(text)
            .map(Form::Path)
            .map_err(|why| format!("error: {why}")),
        Output::CustomColumns(spec) => columns_of(spec).map(Form::Columns),
    };
    let ((labels, fields), form) = match (queries, form) {
        (Ok(queries), Ok(form)) => (queries, form),
        (Err(message), _) | (_, Err(message)) => return Plan::refuse(message),
    };
    let mut plan = Plan::default();
    if get.sort_by.is_some() {
        plan.err("warning: --watch requested, --sort-by will be ignored for watch events received");
    }
    plan.client = Some(ClientCommand::Watch(WatchCommand {
        kind,
        printer: Box::new(Printer {
            get: get.clone(),
            kind,
            name,
            labels,
            fields,
            form,
            widths: Widths::default(),
            has_printed: false,
        }),
    }));
    plan
}

impl Printer {
    fn lines(&mut self, objects: &[Object], event: &str, now: Time) -> Vec<String> {
        let is_first = !self.has_printed;
        self.has_printed |= !objects.is_empty();
        let with_event = |row: Vec<String>, first: &str| {
            let lead = self.get.output_watch_events.then(|| first.to_owned());
            lead.into_iter().chain(row).collect::<Vec<_>>()
        };
        let mut rows = Vec::new();
        match &self.form {
            Form::Table => {
                if is_first && !self.get.no_headers && !objects.is_empty() {
                    rows.push(with_event(header_row(&self.get, self.kind), "EVENT"));
                }
                rows.extend(
                    objects
                        .iter()
                        .map(|object| with_event(object_row(&self.get, object, "", now), event)),
                );
            }
            Form::Columns(columns) => {
                if is_first && !self.get.no_headers && !objects.is_empty() {
                    let titles = columns.iter().map(|(title, _)| title.clone()).collect();
                    rows.push(with_event(titles, "EVENT"));
                }
                rows.extend(
                    objects
                        .iter()
                        .map(|object| with_event(columns_row(columns, object), event)),
                );
            }
            Form::Name | Form::Yaml | Form::Json | Form::Path(_) => {
                let mut first = is_first;
                return objects
                    .iter()
                    .flat_map(|object| self.whole(object, event, std::mem::replace(&mut first, false)))
                    .collect();
            }
        }
        self.widths.lay_out(&rows)
    }
    fn whole(&self, object: &Object, event: &str, is_first: bool) -> Vec<String> {
        let value = || -> Value {
            let value = shown(object, self.get.show_managed_fields);
            if self.get.output_watch_events {
                json!({"object": value, "type": event.trim_end()})
            } else {
                value
            }
        };
        let split = |text: String| text.lines().map(str::to_owned).collect::<Vec<_>>();
        match &self.form {
            Form::Name => vec![format!(
                "{}/{}",
                qualified_singular(object.kind()),
                object.metadata().name
            )],
            Form::Yaml => {
                let mut lines = split(podscope_api::print_yaml(&value()));
                if !is_first {
                    lines.insert(0, "---".into());
                }
                lines
            }
            Form::Json => split(podscope_api::print_json(&value())),
            Form::Path(template) => split(template.print(&value())),
            Form::Table | Form::Columns(_) => Vec::new(),
        }
    }
}

impl WatchPrinter for Printer {
    fn matches(&self, object: &Object) -> bool {
        let meta = object.metadata();
        let target = &self.get.target;
        (target.all_namespaces || !self.kind.is_namespaced() || &*meta.namespace == target.namespace())
            && self.name.as_deref().is_none_or(|name| *meta.name == *name)
            && self.labels.matches(object)
            && self.fields.matches(object)
    }
    fn list(&mut self, objects: &[Object], now: Time) -> Vec<String> {
        if self.get.watch == Watch::Only {
            return Vec::new();
        }
        let mut objects = objects.to_vec();
        if let Some(path) = &self.get.sort_by {
            super::get::sort(&mut objects, path);
        }
        self.lines(&objects, "ADDED   ", now)
    }
    fn event(&mut self, event: WatchEvent, object: &Object, now: Time) -> Vec<String> {
        let word = match event {
            WatchEvent::Added => "ADDED   ",
            WatchEvent::Modified => "MODIFIED",
            WatchEvent::Deleted => "DELETED ",
        };
        self.lines(std::slice::from_ref(object), word, now)
    }
    fn boxed(&self) -> Box<dyn WatchPrinter> {
        Box::new(self.clone())
    }
}
