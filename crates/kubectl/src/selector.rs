//! `-l` and `--field-selector` (KC-059, KC-060).

use podscope_api::{Kind, LabelSelectorRequirement, Object, SelectorOperator, Str};

/// A parsed label selector: requirements, ANDed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LabelQuery(Vec<(LabelSelectorRequirement, bool)>);

impl LabelQuery {
    /// Reads `a=b,c!=d,e in (f,g),h notin (i),j,!k`.
    ///
    /// # Errors
    /// The API server's words.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut requirements = Vec::new();
        let mut rest = text.trim();
        let fail = |found: &str| format!("found '{found}', expected: !, identifier, or 'end of string'");
        while !rest.is_empty() {
            // A requirement ends at a comma outside parentheses.
            let mut depth = 0;
            let end = rest
                .char_indices()
                .find(|(_, c)| {
                    match c {
                        '(' => depth += 1,
                        ')' => depth -= 1,
                        _ => {}
                    }
                    *c == ',' && depth == 0
                })
                .map_or(rest.len(), |(at, _)| at);
            let one = rest.get(..end).unwrap_or_default().trim();
            let had_comma = end < rest.len();
            rest = rest.get(end + 1..).unwrap_or_default().trim_start();
            if one.is_empty() {
                return Err(fail(","));
            }
            requirements.push(requirement(one)?);
            if had_comma && (rest.is_empty() || rest.starts_with(',')) {
                let found = rest.get(..1).unwrap_or_default();
                return Err(format!("found '{found}', expected: identifier after ','"));
            }
        }
        Ok(Self(requirements))
    }
    /// Whether an object's labels satisfy every requirement.
    pub fn matches(&self, object: &Object) -> bool {
        self.0.iter().all(|(requirement, _)| {
            requirement.matches(&object.metadata().labels)
                // `!=` and `notin` also match objects without the key.
                || (requirement.operator == SelectorOperator::NotIn
                    && object.metadata().label(&requirement.key).is_none())
        })
    }
    /// As a `LabelSelector` of expressions.
    pub fn to_selector(&self) -> podscope_api::LabelSelector {
        podscope_api::LabelSelector {
            match_expressions: self.0.iter().map(|(requirement, _)| requirement.clone()).collect(),
            ..podscope_api::LabelSelector::default()
        }
    }
    /// As `matchLabels`-like pairs, if it is nothing but equalities (`create pdb`).
    pub fn equalities(&self) -> Option<Vec<(Str, Str)>> {
        self.0
            .iter()
            .map(
                |(requirement, _)| match (&requirement.operator, requirement.values.as_slice()) {
                    (SelectorOperator::In, [value]) => Some((requirement.key.clone(), value.clone())),
                    _ => None,
                },
            )
            .collect()
    }
}

fn key(text: &str) -> Result<Str, String> {
    let text = text.trim();
    let fits = |part: &str| {
        !part.is_empty()
            && part.len() <= 253
            && part
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
    };
    let good = match text.split_once('/') {
        Some((prefix, name)) => fits(prefix) && fits(name),
        None => fits(text),
    };
    if good {
        Ok(Str::from(text))
    } else {
        Err(format!(
            "unable to parse requirement: <nil>: Invalid value: {text:?}: name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
        ))
    }
}

fn requirement(text: &str) -> Result<(LabelSelectorRequirement, bool), String> {
    let make = |name: &str, operator: SelectorOperator, values: Vec<Str>| -> Result<_, String> {
        Ok((
            LabelSelectorRequirement {
                key: key(name)?,
                operator,
                values,
            },
            true,
        ))
    };
    let one = |value: &str| vec![Str::from(value.trim())];
    if let Some((name, value)) = text.split_once("!=") {
        return make(name, SelectorOperator::NotIn, one(value));
    }
    if let Some((name, value)) = text.split_once("==").or_else(|| text.split_once('=')) {
        return make(name, SelectorOperator::In, one(value));
    }
    if let Some(name) = text.strip_prefix('!') {
        return make(name, SelectorOperator::DoesNotExist, Vec::new());
    }
    if let Some((head, list)) = text.split_once('(') {
        let list = list
            .strip_suffix(')')
            .ok_or_else(|| String::from("unable to parse requirement: found '', expected: ',', or ')'"))?;
        let values: Vec<Str> = list.split(',').map(|value| Str::from(value.trim())).collect();
        let mut words = head.split_whitespace();
        return match (words.next(), words.next(), words.next()) {
            (Some(name), Some("in"), None) => make(name, SelectorOperator::In, values),
            (Some(name), Some("notin"), None) => make(name, SelectorOperator::NotIn, values),
            _ => Err(format!(
                "unable to parse requirement: found '{}', expected: in, notin, =, ==, !=, gt, lt",
                head.trim()
            )),
        };
    }
    make(text, SelectorOperator::Exists, Vec::new())
}

/// A parsed field selector.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FieldQuery(Vec<(String, bool, String)>);

/// Why a field selector is refused, as the server words it.
fn unsupported(kind: Kind, text: &str, label: &str, field: &str) -> String {
    let (group, version) = kind.api_version().split_once('/').unwrap_or(("", kind.api_version()));
    format!(
        "Unable to find \"{group}/{version}, Resource={}\" that match label selector \"{label}\", field selector \"{text}\": field label not supported: {field}",
        kind.plural()
    )
}

impl FieldQuery {
    /// Reads `a=b,c!=d` and checks that the kind has these fields.
    ///
    /// # Errors
    /// The API server's words.
    pub fn parse(kind: Kind, text: &str, label: &str) -> Result<Self, String> {
        let mut terms = Vec::new();
        for term in text.split(',').filter(|term| !term.trim().is_empty()) {
            let (field, equal, value) = if let Some((field, value)) = term.split_once("!=") {
                (field, false, value)
            } else if let Some((field, value)) = term.split_once("==").or_else(|| term.split_once('=')) {
                (field, true, value)
            } else {
                return Err(format!("invalid selector: '{text}'; can't understand '{term}'"));
            };
            let field = field.trim();
            if !supported(kind, field) {
                return Err(unsupported(kind, text, label, field));
            }
            terms.push((field.to_owned(), equal, value.trim().to_owned()));
        }
        Ok(Self(terms))
    }
    /// Whether an object satisfies every term.
    pub fn matches(&self, object: &Object) -> bool {
        self.0
            .iter()
            .all(|(field, equal, value)| (field_value(object, field) == *value) == *equal)
    }
}

fn supported(kind: Kind, field: &str) -> bool {
    if field == "metadata.name" || (field == "metadata.namespace" && kind.is_namespaced()) {
        return true;
    }
    let fields: &[&str] = match kind {
        Kind::Pod => &[
            "spec.nodeName",
            "spec.restartPolicy",
            "spec.schedulerName",
            "spec.serviceAccountName",
            "spec.hostNetwork",
            "status.phase",
            "status.podIP",
            "status.podIPs",
            "status.nominatedNodeName",
            "spec.host",
        ],
        Kind::Node => &["spec.unschedulable"],
        Kind::Event => &[
            "involvedObject.kind",
            "involvedObject.namespace",
            "involvedObject.name",
            "involvedObject.uid",
            "involvedObject.apiVersion",
            "involvedObject.resourceVersion",
            "involvedObject.fieldPath",
            "reason",
            "reportingComponent",
            "source",
            "type",
        ],
        Kind::Service => &["spec.clusterIP", "spec.type"],
        Kind::Namespace => &["status.phase"],
        Kind::Job => &["status.successful"],
        Kind::ReplicaSet | Kind::ReplicationController => &["status.replicas"],
        Kind::Secret => &["type"],
        _ => &[],
    };
    fields.contains(&field)
}

fn field_value(object: &Object, field: &str) -> String {
    let field = if field == "spec.host" { "spec.nodeName" } else { field };
    if field == "source"
        && let Object::Event(event) = object
    {
        return event.source.component.to_string();
    }
    let defaults_false = matches!(field, "spec.unschedulable" | "spec.hostNetwork");
    let value = object.typed_value();
    let mut at = Some(&value);
    for part in field.split('.') {
        at = at.and_then(|value| value.get(part));
    }
    match at {
        Some(serde_json::Value::String(text)) => text.clone(),
        Some(serde_json::Value::Null) | None if defaults_false => "false".into(),
        Some(serde_json::Value::Null) | None => String::new(),
        Some(other) => other.to_string(),
    }
}
