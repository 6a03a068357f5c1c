//! The `-o` flag of every verb: prints an object or a list of objects as text (KC-052 to KC-056).

use podscope_api::Object;
use podscope_cluster::client::object_name;
use serde_json::Value;

use super::gotemplate::GoTemplate;
use super::jsonpath::Template;
use super::kyaml;
use crate::command::Output;

/// Format in which a whole object is printed; tables are not such a format.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum ObjectFormat {
    Yaml,
    Json,
    Kyaml,
    Name,
    JsonPath(Template),
    JsonPathAsJson(Template),
    GoTemplate(GoTemplate),
    /// Another format, with `metadata.managedFields` included.
    WithManagedFields(Box<ObjectFormat>),
}

impl ObjectFormat {
    /// Returns the format of an `-o` value; `None` for tables.
    ///
    /// # Errors
    /// kubectl's message about an invalid template.
    pub(super) fn of(output: &Output) -> Result<Option<ObjectFormat>, String> {
        let with_prefix = |why: String| format!("error: {why}");
        Ok(Some(match output {
            Output::Table | Output::Wide | Output::CustomColumns(_) => return Ok(None),
            Output::Yaml => ObjectFormat::Yaml,
            Output::Json => ObjectFormat::Json,
            Output::Kyaml => ObjectFormat::Kyaml,
            Output::Name => ObjectFormat::Name,
            Output::JsonPath(text) => ObjectFormat::JsonPath(Template::parse(text).map_err(with_prefix)?),
            Output::JsonPathAsJson(text) => ObjectFormat::JsonPathAsJson(Template::parse(text).map_err(with_prefix)?),
            Output::GoTemplate(text) => ObjectFormat::GoTemplate(GoTemplate::parse(text).map_err(with_prefix)?),
            Output::WithManagedFields(output) => match ObjectFormat::of(output)? {
                Some(format) => ObjectFormat::WithManagedFields(Box::new(format)),
                None => return Ok(None),
            },
        }))
    }

    /// Formats a value, without the final line break.
    ///
    /// # Errors
    /// kubectl's message about a template that cannot be executed.
    pub(super) fn text(&self, value: &Value) -> Result<String, String> {
        let with_prefix = |why: String| format!("error: {why}");
        let trimmed = |text: String| text.strip_suffix('\n').map_or_else(|| text.clone(), str::to_owned);
        Ok(match self {
            ObjectFormat::Yaml => trimmed(podscope_api::print_yaml(value)),
            ObjectFormat::Json => trimmed(podscope_api::print_json(value)),
            ObjectFormat::Kyaml => kyaml::print(value),
            ObjectFormat::Name => typed_name_of_value(value),
            ObjectFormat::JsonPath(template) => template.print(value).map_err(with_prefix)?,
            ObjectFormat::JsonPathAsJson(template) => trimmed(template.print_as_json(value).map_err(with_prefix)?),
            ObjectFormat::GoTemplate(template) => template.print(value).map_err(with_prefix)?,
            ObjectFormat::WithManagedFields(format) => format.text(value)?,
        })
    }

    /// Returns whether documents in this format are separated by a line `---`.
    pub(super) fn has_document_separators(&self) -> bool {
        match self {
            ObjectFormat::Yaml => true,
            ObjectFormat::WithManagedFields(format) => format.has_document_separators(),
            _ => false,
        }
    }
}

/// Returns the kind, group and name of an object: `deployment.apps/web`.
fn typed_name_of_value(value: &Value) -> String {
    let text = |at: &str| value.pointer(at).and_then(Value::as_str).unwrap_or_default();
    let (kind, name) = (text("/kind"), text("/metadata/name"));
    match podscope_api::Kind::from_wire(text("/apiVersion"), kind) {
        Some(kind) => object_name(kind, name),
        None => format!("{}/{name}", kind.to_ascii_lowercase()),
    }
}

/// Formats a manifest that is printed without being sent to the API server.
pub(super) fn manifest_text(format: &ObjectFormat, value: &Value) -> String {
    format.text(value).unwrap_or_else(|why| why)
}

/// Formats an object as a command that writes prints it.
pub(super) fn object_text(format: &ObjectFormat, object: &Object) -> String {
    let value = super::printed_value(object, matches!(format, ObjectFormat::WithManagedFields(_)));
    format.text(&value).unwrap_or_else(|why| why)
}
