//! Removes the data of Secrets from scenarios and traces that are shared. Keys are kept; each value is replaced by a
//! stand-in. Equal values have equal stand-ins and different values have different ones, so that a replay changes the
//! same objects.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use podscope_api::{Tree, ordered};
use podscope_protocol::Update;
use podscope_session::timeline::Session;
use podscope_session::{export, link};
use serde_json::{Map, Value};

/// The fields of a Secret that hold its data.
const DATA_FIELDS: [&str; 2] = ["data", "stringData"];

/// A run as a link and as a scenario file, for sharing.
#[derive(Debug, Clone)]
pub struct SharedRun {
    /// The fragment of a link to the page.
    pub link: String,
    /// A scenario file.
    pub scenario: String,
}

/// Returns a run as a link and as a scenario, without the data of Secrets.
#[must_use]
pub fn share_without_secrets(session: &Session) -> SharedRun {
    let link = link::Link::of(session, None, String::new()).encode();
    SharedRun {
        link: link_without_data(&link).unwrap_or(link),
        scenario: without_data(&export::scenario(session)),
    }
}

/// Returns the scenario without the data of Secrets, including the bodies of HTTP requests.
pub(crate) fn without_data(scenario: &str) -> String {
    StandIns::default().scenario_without_data(scenario)
}

/// Returns the trace of a scenario without the data of Secrets in the bodies of HTTP requests. The stand-ins are those of
/// [`without_data`].
pub(crate) fn without_data_in_trace(trace: &str, scenario: &str) -> String {
    let mut stand_ins = StandIns::default();
    stand_ins.scenario_without_data(scenario);
    stand_ins.trace_without_data(trace)
}

/// Removes the data of Secrets from the links and exported files in an update for a page.
pub(crate) fn without_data_in_update(update: Update, session: &Session) -> Update {
    match update {
        Update::Link {
            fragment,
            whole,
            revision,
            length,
            anonymised,
        } => {
            let without = link_without_data(&fragment);
            Update::Link {
                length: without.as_deref().map_or(length, link::length_warning),
                fragment: without.unwrap_or(fragment),
                whole: whole.map(|whole| link_without_data(&whole).unwrap_or(whole)),
                revision,
                anonymised,
            }
        }
        Update::File { name, media_type, text } => {
            let text = match media_type.as_str() {
                "application/yaml" => StandIns::default().file_without_data(&text).unwrap_or(text),
                "application/jsonl" => without_data_in_trace(&text, &export::scenario(session)),
                _ => text,
            };
            Update::File { name, media_type, text }
        }
        other => other,
    }
}

/// Returns the link without the data of Secrets; None if it contains none.
fn link_without_data(fragment: &str) -> Option<String> {
    let mut link = link::decode(fragment).ok()?;
    let mut stand_ins = StandIns::default();
    for (_, text) in &mut link.files {
        if let Some(without) = stand_ins.file_without_data(text) {
            *text = without;
        }
    }
    let others = link.others.iter_mut().flat_map(|other| &mut other.commands);
    for (_, command) in link.commands.iter_mut().chain(others) {
        if let Some(without) = stand_ins.command_without_data(command) {
            *command = without;
        }
    }
    // The hash was computed from a trace with the data, so it would not match.
    link.facts_hash.clear();
    stand_ins.has_replaced().then(|| link.encode())
}

/// Stand-ins for the values of Secrets. They are numbered in the order in which the scenario contains the values.
#[derive(Default)]
struct StandIns {
    numbers: ordered::Map<Vec<u8>, usize>,
    /// Number of replacements.
    n_replaced: usize,
}

impl StandIns {
    fn has_replaced(&self) -> bool {
        self.n_replaced > 0
    }

    /// Returns a scenario file without the data of Secrets; None if the file contains no such data.
    fn file_without_data(&mut self, text: &str) -> Option<String> {
        let n_before = self.n_replaced;
        let without = self.scenario_without_data(text);
        (self.n_replaced > n_before).then_some(without)
    }

    fn scenario_without_data(&mut self, scenario: &str) -> String {
        let (documents, _) = podscope_api::read_documents(scenario);
        let mut text = String::new();
        for document in &documents {
            let mut document = document.to_value();
            self.drop_data_of_objects(&mut document);
            // The export of a lesson contains the requests in its solution, and also as command texts in its steps.
            if let Some(steps) = document.pointer_mut("/spec/steps") {
                self.drop_data_in_commands(steps);
            }
            for list in ["/spec/timeline", "/spec/solution"] {
                let entries = document.pointer_mut(list).and_then(Value::as_array_mut);
                for entry in entries.into_iter().flatten() {
                    if let Some(call) = entry.get_mut("api").and_then(Value::as_object_mut) {
                        self.drop_data_of_call(call);
                    }
                }
            }
            if !text.is_empty() {
                text.push_str("---\n");
            }
            text.push_str(&podscope_api::print_yaml(&document));
        }
        text
    }

    /// Replaces the data of Secrets in all strings of a value that are commands.
    fn drop_data_in_commands(&mut self, value: &mut Value) {
        match value {
            Value::String(text) => {
                if let Some(without) = self.command_without_data(text) {
                    *text = without;
                }
            }
            Value::Object(map) => map.values_mut().for_each(|value| self.drop_data_in_commands(value)),
            Value::Array(items) => items.iter_mut().for_each(|value| self.drop_data_in_commands(value)),
            _ => {}
        }
    }

    /// Replaces the data of a Secret, and of the Secrets in a list.
    fn drop_data_of_objects(&mut self, object: &mut Value) {
        if object.get("kind").is_some_and(|kind| kind == "Secret") {
            self.drop_data(object);
        }
        let items = object.get_mut("items").and_then(Value::as_array_mut);
        for item in items.into_iter().flatten() {
            self.drop_data_of_objects(item);
        }
    }

    /// Replaces the data of Secrets in the records of commands, which contain the bodies of HTTP requests.
    fn trace_without_data(&mut self, trace: &str) -> String {
        let mut text = String::with_capacity(trace.len());
        for line in trace.lines() {
            let is_call = line.contains("\"what\":\"Command\"") && line.contains("/secrets");
            match is_call.then(|| self.record_without_data(line)).flatten() {
                Some(record) => text.push_str(&record),
                None => text.push_str(line),
            }
            text.push('\n');
        }
        text
    }

    /// Returns this trace record of a command with the data of Secrets removed; None if it contains no such data.
    fn record_without_data(&mut self, line: &str) -> Option<String> {
        let mut record: Value = serde_json::from_str(line).ok()?;
        let command = self.command_without_data(record.get("command")?.as_str()?)?;
        record["command"] = command.into();
        Some(record.to_string())
    }

    /// Returns the command that stands for an HTTP request, with the data of Secrets removed; None if it contains no
    /// such data.
    fn command_without_data(&mut self, command: &str) -> Option<String> {
        let (call, rest) = command.split_once("<<'EOF'\n")?;
        let body = rest.strip_suffix("\nEOF")?;
        let path = call.strip_prefix("api ")?.split(' ').nth(1)?;
        let body = self.body_without_data(path, body)?;
        Some(format!("{call}<<'EOF'\n{body}\nEOF"))
    }

    fn drop_data_of_call(&mut self, call: &mut Map<String, Value>) {
        let text = |field: &str| call.get(field).and_then(Value::as_str).unwrap_or_default();
        if let Some(body) = self.body_without_data(text("path"), text("body")) {
            call.insert("body".to_owned(), body.into());
        }
    }

    /// Returns the body of a request about Secrets (an object or a patch) without their data; None if it contains none.
    /// An invalid body is left as it is, because the server refuses it anyway.
    fn body_without_data(&mut self, path: &str, body: &str) -> Option<String> {
        if !path.split(['/', '?']).any(|part| part == "secrets") {
            return None;
        }
        let sent = podscope_api::read_yaml(body)
            .map(|tree: Tree<'_>| tree.to_value())
            .ok()?;
        let mut value = sent.clone();
        match &mut value {
            Value::Array(operations) => {
                for operation in operations {
                    self.drop_data_of_operation(operation);
                }
            }
            value => self.drop_data(value),
        }
        (value != sent).then(|| value.to_string())
    }

    /// Replaces the value of a JSON patch operation that writes data.
    fn drop_data_of_operation(&mut self, operation: &mut Value) {
        let path = operation.get("path").and_then(Value::as_str).unwrap_or_default();
        let field = path.split('/').nth(1).unwrap_or_default().to_owned();
        match operation.get_mut("value") {
            Some(value) if field.is_empty() => self.drop_data(value),
            Some(value) if DATA_FIELDS.contains(&field.as_str()) => self.replace_strings(value, field == "data"),
            _ => {}
        }
    }

    /// Replaces the fields of a Secret that hold its data.
    fn drop_data(&mut self, secret: &mut Value) {
        for field in DATA_FIELDS {
            if let Some(data) = secret.get_mut(field) {
                self.replace_strings(data, field == "data");
            }
        }
    }

    /// Replaces each string in a value by its stand-in. With `is_encoded`, the strings and their stand-ins are Base64;
    /// if a string is invalid Base64, its stand-in is invalid too.
    fn replace_strings(&mut self, value: &mut Value, is_encoded: bool) {
        match value {
            Value::String(text) if text.is_empty() => {}
            Value::String(text) => {
                let bytes = is_encoded.then(|| STANDARD.decode(text.as_bytes()).ok());
                let key = bytes.clone().flatten().unwrap_or_else(|| text.clone().into_bytes());
                let next = self.numbers.len() + 1;
                let number = *self.numbers.entry(key).or_insert(next);
                self.n_replaced += 1;
                let name = format!("hidden-{number}");
                *text = match bytes {
                    None => name,
                    Some(Some(_)) => STANDARD.encode(name),
                    Some(None) => format!("*{name}"),
                };
            }
            Value::Object(map) => map
                .values_mut()
                .for_each(|value| self.replace_strings(value, is_encoded)),
            Value::Array(items) => items
                .iter_mut()
                .for_each(|value| self.replace_strings(value, is_encoded)),
            _ => {}
        }
    }
}
