//! `-o` of every verb: an object or a list of objects as text (KC-052 to KC-056).

use podscope_api::Object;
use podscope_cluster::client::object_name;
use serde_json::Value;

use super::gotemplate::GoTemplate;
use super::jsonpath::Template;
use super::kyaml;
use crate::command::Output;

/// How an object is printed whole; a table is not such a way.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Form {
    Yaml,
    Json,
    Kyaml,
    Name,
    Path(Template),
    PathAsJson(Template),
    GoTemplate(GoTemplate),
    /// Another one, with the field managers.
    Managed(Box<Form>),
}

impl Form {
    /// The form of an output; none of a table.
    ///
    /// # Errors
    /// A bad template, in kubectl's words.
    pub(super) fn of(output: &Output) -> Result<Option<Form>, String> {
        let wrong = |why: String| format!("error: {why}");
        Ok(Some(match output {
            Output::Table | Output::Wide | Output::CustomColumns(_) => return Ok(None),
            Output::Yaml => Form::Yaml,
            Output::Json => Form::Json,
            Output::Kyaml => Form::Kyaml,
            Output::Name => Form::Name,
            Output::JsonPath(text) => Form::Path(Template::parse(text).map_err(wrong)?),
            Output::JsonPathAsJson(text) => Form::PathAsJson(Template::parse(text).map_err(wrong)?),
            Output::GoTemplate(text) => Form::GoTemplate(GoTemplate::parse(text).map_err(wrong)?),
            Output::Managed(output) => match Form::of(output)? {
                Some(form) => Form::Managed(Box::new(form)),
                None => return Ok(None),
            },
        }))
    }

    /// The text of a value, without the last line end.
    ///
    /// # Errors
    /// A template that cannot be executed.
    pub(super) fn text(&self, value: &Value) -> Result<String, String> {
        let wrong = |why: String| format!("error: {why}");
        let trimmed = |text: String| text.strip_suffix('\n').map_or_else(|| text.clone(), str::to_owned);
        Ok(match self {
            Form::Yaml => trimmed(podscope_api::print_yaml(value)),
            Form::Json => trimmed(podscope_api::print_json(value)),
            Form::Kyaml => kyaml::print(value),
            Form::Name => name_of(value),
            Form::Path(template) => template.print(value).map_err(wrong)?,
            Form::PathAsJson(template) => trimmed(template.print_as_json(value).map_err(wrong)?),
            Form::GoTemplate(template) => template.print(value).map_err(wrong)?,
            Form::Managed(form) => form.text(value)?,
        })
    }

    /// Whether a document of this form stands below another one after a line of `---`.
    pub(super) fn is_separated(&self) -> bool {
        match self {
            Form::Yaml => true,
            Form::Managed(form) => form.is_separated(),
            _ => false,
        }
    }
}

/// `deployment.apps/web`.
fn name_of(value: &Value) -> String {
    let text = |at: &str| value.pointer(at).and_then(Value::as_str).unwrap_or_default();
    let (kind, name) = (text("/kind"), text("/metadata/name"));
    match podscope_api::Kind::from_wire(text("/apiVersion"), kind) {
        Some(kind) => object_name(kind, name),
        None => format!("{}/{name}", kind.to_ascii_lowercase()),
    }
}

/// A document that no server has seen.
pub(super) fn shown_value(form: &Form, value: &Value) -> String {
    form.text(value).unwrap_or_else(|why| why)
}

/// The object as a verb that writes prints it.
pub(super) fn shown_object(form: &Form, object: &Object) -> String {
    let value = super::shown(object, matches!(form, Form::Managed(_)));
    form.text(&value).unwrap_or_else(|why| why)
}
