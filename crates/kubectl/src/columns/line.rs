//! A line of a table: each column's header stands beside its cell (KC-013 to KC-049).

use podscope_api::{Object, PodTemplateSpec, Time};

use super::{age, containers};
use crate::text::cell;

/// One column of an object's line.
#[derive(Debug)]
pub struct Column {
    /// Above it.
    pub header: &'static str,
    /// Whether only `-o wide` shows it.
    pub is_wide: bool,
    pub text: String,
}

/// The columns of an object, in the order in which `kubectl get` shows them.
#[derive(Debug)]
pub(super) struct Line {
    columns: Vec<Column>,
    name: String,
    created: Option<Time>,
    pub(super) now: Time,
}

impl Line {
    /// The name is `prefix` + the object's.
    pub(super) fn of(object: &Object, prefix: &str, now: Time) -> Self {
        let meta = object.metadata();
        Self {
            columns: Vec::new(),
            name: format!("{prefix}{}", meta.name),
            created: meta.creation_timestamp,
            now,
        }
    }

    /// A column that is always shown.
    pub(super) fn put(&mut self, header: &'static str, text: String) {
        self.add(header, false, &text);
    }

    /// A column of `-o wide`.
    pub(super) fn wide(&mut self, header: &'static str, text: String) {
        self.add(header, true, &text);
    }

    fn add(&mut self, header: &'static str, is_wide: bool, text: &str) {
        let text = cell(text);
        self.columns.push(Column { header, is_wide, text });
    }

    pub(super) fn name(&mut self) {
        self.put("NAME", self.name.clone());
    }

    /// The name with a word behind it.
    pub(super) fn name_and(&mut self, word: &str) {
        self.put("NAME", format!("{}{word}", self.name));
    }

    /// The name where only `-o wide` shows it.
    pub(super) fn wide_name(&mut self) {
        self.wide("NAME", self.name.clone());
    }

    pub(super) fn age(&mut self) {
        self.put("AGE", age(self.created, self.now));
    }

    pub(super) fn created_at(&mut self) {
        let text = self.created.map_or_else(|| "<unknown>".to_owned(), |at| at.to_string());
        self.put("CREATED AT", text);
    }

    /// What a pod's template runs.
    pub(super) fn template(&mut self, template: &PodTemplateSpec) {
        let [names, images] = containers(template);
        self.wide("CONTAINERS", names);
        self.wide("IMAGES", images);
    }

    pub(super) fn columns(self) -> Vec<Column> {
        self.columns
    }
}
