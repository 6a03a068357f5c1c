//! The row of an object: a list of columns, each with its header and cell (KC-013 to KC-049).

use std::borrow::Cow;

use podscope_api::{Object, PodTemplateSpec, Time};

use super::{age, container_names_and_images};
use crate::text::cell;

/// Header and cell of one column in an object's row.
#[derive(Debug)]
pub struct Column {
    /// Column header.
    pub header: Cow<'static, str>,
    /// Whether the column is printed only with `-o wide`.
    pub is_wide: bool,
    pub text: String,
}

/// Builder for the table row of an object; columns are added in the order in which `kubectl get` prints them.
#[derive(Debug)]
pub(super) struct RowBuilder {
    columns: Vec<Column>,
    name: String,
    created: Option<Time>,
    pub(super) now: Time,
}

impl RowBuilder {
    /// Starts the row of an object. The NAME column holds `prefix` + name.
    pub(super) fn new(object: &Object, prefix: &str, now: Time) -> Self {
        let meta = object.metadata();
        Self {
            columns: Vec::new(),
            name: format!("{prefix}{}", meta.name),
            created: meta.creation_timestamp,
            now,
        }
    }

    /// Adds a column that is always printed.
    pub(super) fn put(&mut self, header: &'static str, text: String) {
        self.add(header, false, &text);
    }

    /// Adds a column that is printed only with `-o wide`.
    pub(super) fn put_wide(&mut self, header: &'static str, text: String) {
        self.add(header, true, &text);
    }

    fn add(&mut self, header: &'static str, is_wide: bool, text: &str) {
        let text = cell(text);
        let header = header.into();
        self.columns.push(Column { header, is_wide, text });
    }

    pub(super) fn add_name(&mut self) {
        self.put("NAME", self.name.clone());
    }

    /// Adds the NAME column; its cell is the name followed by `suffix`.
    pub(super) fn add_name_with_suffix(&mut self, suffix: &str) {
        self.put("NAME", format!("{}{suffix}", self.name));
    }

    /// Adds the NAME column for `-o wide` only.
    pub(super) fn add_wide_name(&mut self) {
        self.put_wide("NAME", self.name.clone());
    }

    pub(super) fn add_age(&mut self) {
        self.put("AGE", age(self.created, self.now));
    }

    pub(super) fn add_created_at(&mut self) {
        let text = self.created.map_or_else(|| "<unknown>".to_owned(), |at| at.to_string());
        self.put("CREATED AT", text);
    }

    /// Adds the wide columns CONTAINERS and IMAGES of a pod template.
    pub(super) fn add_template_columns(&mut self, template: &PodTemplateSpec) {
        let [names, images] = container_names_and_images(template);
        self.put_wide("CONTAINERS", names);
        self.put_wide("IMAGES", images);
    }

    /// Returns the columns added so far.
    pub(super) fn columns(self) -> Vec<Column> {
        self.columns
    }
}
