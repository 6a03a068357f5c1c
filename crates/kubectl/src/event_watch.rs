//! `kubectl events --watch`: prints the existing events, then every created or updated event. Deletions are not printed
//! (KC-122).

use podscope_api::{Event, Kind, Object, Time};
use podscope_cluster::client::{ClientCommand, WatchCommand, WatchEvent, WatchPrinter};

use super::output::{ObjectFormat, object_text};
use super::text::ColumnWidths;
use super::write::Plan;
use crate::command::Events;

/// State of one watch: the command that selects events, and the column widths of the table so far.
#[derive(Debug, Clone)]
struct EventPrinter {
    command: Events,
    format: Option<ObjectFormat>,
    widths: ColumnWidths,
    has_printed: bool,
}

/// Returns the plan of `kubectl events --watch`: a client that watches events.
pub(super) fn plan(command: &Events) -> Plan {
    let format = match ObjectFormat::of(&command.output) {
        Ok(format) => format,
        Err(message) => return Plan::refuse(message),
    };
    Plan {
        client: Some(ClientCommand::Watch(WatchCommand {
            kind: Kind::Event,
            printer: Box::new(EventPrinter {
                command: command.clone(),
                format,
                widths: ColumnWidths::default(),
                has_printed: false,
            }),
        })),
        ..Plan::default()
    }
}

impl EventPrinter {
    /// Returns the table rows of some events; the header comes first if it has not been printed yet.
    fn lines(&mut self, events: &[&Event], now: Time) -> Vec<String> {
        let is_first = !self.has_printed;
        self.has_printed |= !events.is_empty();
        let command = &self.command;
        let header = (is_first && !command.no_headers && !events.is_empty()).then(|| command.table_header());
        let rows: Vec<Vec<String>> = header
            .into_iter()
            .chain(events.iter().map(|event| command.table_row(event, now)))
            .collect();
        self.widths.lay_out(&rows)
    }

    /// Returns the lines that print some events, as a table or in the format of `-o`.
    fn object_lines(&mut self, objects: &[Object], now: Time) -> Vec<String> {
        match self.format.clone() {
            None => {
                let events = objects.iter().filter_map(|object| match object {
                    Object::Event(event) => Some(&**event),
                    _ => None,
                });
                self.lines(&events.collect::<Vec<_>>(), now)
            }
            Some(format) => {
                let mut lines = Vec::new();
                for object in objects {
                    if std::mem::replace(&mut self.has_printed, true) && format.has_document_separators() {
                        lines.push("---".to_owned());
                    }
                    lines.extend(object_text(&format, object).lines().map(str::to_owned));
                }
                lines
            }
        }
    }
}

impl WatchPrinter for EventPrinter {
    fn matches(&self, object: &Object) -> bool {
        matches!(object, Object::Event(event) if self.command.selects(event))
    }

    fn format_list(&mut self, objects: &[Object], now: Time) -> Vec<String> {
        self.object_lines(objects, now)
    }

    fn format_event(&mut self, event: WatchEvent, object: &Object, now: Time) -> Vec<String> {
        match event {
            WatchEvent::Deleted => Vec::new(),
            WatchEvent::Added | WatchEvent::Modified => self.object_lines(std::slice::from_ref(object), now),
        }
    }

    fn clone_boxed(&self) -> Box<dyn WatchPrinter> {
        Box::new(self.clone())
    }
}
