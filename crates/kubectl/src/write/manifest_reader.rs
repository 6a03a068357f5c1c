//! Reads manifests from standard input like kubectl and the API server: syntax, required fields, served kinds and
//! strict decoding, each with the original error messages (VA-238 to VA-255).

use podscope_api::schema::{self, Rejection, ServedKind};
use podscope_api::{Data, Kind, Object, ObjectKey, Str, Tree};
use podscope_cluster::Objects;
use podscope_cluster::client::Write;
use serde_json::{Value, json};

use super::{Plan, finish_plan};
use crate::command::Validation;
use crate::refusals::{Refusal, no_mapping};
use crate::rest::custom;

/// The parts of a manifest in order: for each part what was read, or the error that kubectl prints.
pub(super) struct Manifest(Vec<Result<ManifestPart, Refusal>>);

/// A part of a manifest that was read without an error.
enum ManifestPart {
    Item(ManifestItem),
    /// An object of a kind that is served but not simulated. It is skipped with a warning.
    NotSimulated {
        kind: String,
        name: String,
    },
}

/// A part of a manifest that a command can process.
pub(crate) enum ManifestItem {
    /// An object that the API server can decode. `document` is the JSON that kubectl sends: keys sorted, namespace
    /// filled in.
    Object {
        object: Object,
        document: Value,
        /// Unknown fields, which are dropped; empty unless the validation mode asks for warnings.
        unknown: Vec<String>,
    },
    /// An object that the API server cannot decode.
    Malformed {
        kind: Kind,
        key: ObjectKey,
        why: Rejection,
        document: Value,
    },
    /// A binding of a pod to a node. It is not stored as an object.
    Binding { pod: ObjectKey, node: Str },
}

impl ManifestItem {
    /// Returns the object's kind and key, and the document that is sent; `None` for a binding.
    pub(super) fn into_document(self) -> Option<(Kind, ObjectKey, Value)> {
        match self {
            Self::Object { object, document, .. } => Some((object.kind(), object.key(), document)),
            Self::Malformed {
                kind, key, document, ..
            } => Some((kind, key, document)),
            Self::Binding { .. } => None,
        }
    }
}

/// Result of processing the items of a manifest.
#[derive(Default)]
pub(super) struct ManifestOutcome {
    pub(super) plan: Plan,
    pub(super) writes: Vec<Write>,
    pub(super) errors: Vec<Refusal>,
}

impl Manifest {
    /// Reads a manifest. Reading ends at the first document that kubectl's own validation rejects. `defined` holds the
    /// CustomResourceDefinitions whose kinds are served.
    pub(super) fn read(text: &str, namespace: Option<&str>, validation: Validation, defined: &Objects) -> Self {
        let (documents, error) = podscope_api::read_documents(text);
        let mut found = Vec::new();
        for document in &documents {
            if validation != Validation::Ignore
                && let Err(why) = validate(document)
            {
                found.push(Err(Refusal::kubectl_error(format!(
                    "error validating \"STDIN\": error validating data: {why}; if you choose to ignore these errors, turn validation off with --validate=false"
                ))));
                return Self(found);
            }
            let source = ManifestOptions {
                namespace,
                validation,
                defined,
            };
            push_items(document, "", "", &source, &mut found);
        }
        found.extend(error.map(|error| Err(Refusal::kubectl_error(format!("error parsing STDIN: {error}")))));
        Self(found)
    }

    /// Returns whether the manifest has neither items nor errors.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Removes the objects that are not selected.
    pub(super) fn retain(&mut self, is_selected: impl Fn(&Object) -> bool) {
        self.0.retain(|read| match read {
            Ok(ManifestPart::Item(ManifestItem::Object { object, .. })) => is_selected(object),
            _ => true,
        });
    }

    /// Returns the items and errors in order. Objects that are not simulated are skipped without a warning.
    pub(super) fn items(self) -> impl Iterator<Item = Result<ManifestItem, Refusal>> {
        self.0.into_iter().filter_map(|read| match read {
            Ok(ManifestPart::Item(item)) => Some(Ok(item)),
            Ok(ManifestPart::NotSimulated { .. }) => None,
            Err(why) => Some(Err(why)),
        })
    }

    /// Processes each item in order. Objects that are not simulated give a warning. An error does not stop the
    /// processing of other items.
    pub(super) fn for_each_item(
        self,
        mut process: impl FnMut(ManifestItem, &mut Plan, &mut Vec<Write>) -> Result<(), Refusal>,
    ) -> ManifestOutcome {
        let mut outcome = ManifestOutcome::default();
        for part in self.0 {
            let result = match part {
                Ok(ManifestPart::Item(item)) => process(item, &mut outcome.plan, &mut outcome.writes),
                Ok(ManifestPart::NotSimulated { kind, name }) => {
                    let warning = format_args!("{kind} {name:?} is not simulated and is left out");
                    outcome.plan.warn(warning);
                    Ok(())
                }
                Err(why) => Err(why),
            };
            outcome.errors.extend(result.err());
        }
        outcome
    }
}

impl ManifestOutcome {
    /// Returns the complete plan.
    pub(super) fn finish(self) -> Plan {
        finish_plan(self.plan, self.writes, self.errors)
    }
}

/// What is needed to read the objects of a manifest: the options of the command, and the objects of the cluster.
struct ManifestOptions<'a> {
    /// The namespace of `-n`.
    namespace: Option<&'a str>,
    validation: Validation,
    /// The objects of the cluster, with the definitions of custom kinds.
    defined: &'a Objects,
}

/// Appends the object of a document, or the objects of a list. The items of a typed list (`PodList`) may omit
/// `apiVersion` and `kind`, which are then `api_version` and `kind`.
fn push_items(
    tree: &Tree<'_>,
    api_version: &str,
    kind: &str,
    source: &ManifestOptions<'_>,
    found: &mut Vec<Result<ManifestPart, Refusal>>,
) {
    let undecodable = |why: String| Err(Refusal::kubectl_error(format!("unable to decode \"STDIN\": {why}")));
    if !matches!(tree.data, Data::Map(_)) {
        let json_kind = tree.json_kind();
        let why = format!("json: cannot unmarshal {json_kind} into Go value of type unstructured.detector");
        return found.push(undecodable(why));
    }
    let text = |name: &str| tree.get(name).and_then(Tree::as_str).unwrap_or_default();
    let (own_version, own_kind) = (text("apiVersion"), text("kind"));
    if own_kind.is_empty() && kind.is_empty() || own_version.matches('/').count() > 1 {
        let mut document = tree.to_value();
        document.sort_all_objects();
        let why = format!(
            "Object 'Kind' is missing in '{}'",
            super::super::gotext::json(&document)
        );
        return found.push(undecodable(why));
    }
    let api_version = if own_version.is_empty() {
        api_version
    } else {
        own_version
    };
    let kind = if own_kind.is_empty() { kind } else { own_kind };
    match (kind.strip_suffix("List"), tree.get("items").map(|items| &items.data)) {
        (Some(item_kind), Some(Data::Seq(list))) => {
            let version = if item_kind.is_empty() { "" } else { api_version };
            for item in list {
                push_items(item, version, item_kind, source, found);
            }
        }
        (Some(_), Some(_)) => found.push(undecodable("items is no list".to_owned())),
        _ => found.push(read_object(tree, api_version, kind, source)),
    }
}

/// Validates a document before decoding, as kubectl does: the document, or each object of a `v1` `List`, needs
/// `apiVersion` and `kind`.
fn validate(tree: &Tree<'_>) -> Result<(), String> {
    let (api_version, kind) = api_version_and_kind(tree)?;
    if (api_version, kind) != ("v1", "List") {
        return Ok(());
    }
    let Some(Data::Seq(list)) = tree.get("items").map(|items| &items.data) else {
        return Err("invalid object to validate".to_owned());
    };
    let errors: Vec<String> = list
        .iter()
        .filter_map(|item| api_version_and_kind(item).err())
        .collect();
    match errors.as_slice() {
        [] => Ok(()),
        [one] => Err(one.clone()),
        several => Err(format!("[{}]", several.join(", "))),
    }
}

/// Returns `apiVersion` and `kind` of a document, or kubectl's error about them.
fn api_version_and_kind<'t>(tree: &'t Tree<'_>) -> Result<(&'t str, &'t str), String> {
    if !matches!(tree.data, Data::Map(_)) {
        return Err("invalid object to validate".to_owned());
    }
    let field = |name: &str| match tree.get(name).map(|value| &value.data) {
        None => Err(format!("{name} not set")),
        Some(Data::String(text)) if text.is_empty() => Err(format!("{name} not set")),
        Some(Data::String(_)) => Ok(tree.get(name).and_then(Tree::as_str).unwrap_or_default()),
        Some(_) => Err(format!("{name} isn't string type")),
    };
    let (api_version, kind) = match (field("apiVersion"), field("kind")) {
        (Ok(api_version), Ok(kind)) => (api_version, kind),
        (Err(one), Err(other)) => return Err(format!("[{one}, {other}]")),
        (Err(one), _) | (_, Err(one)) => return Err(one),
    };
    if api_version.matches('/').count() > 1 {
        return Err(format!("unexpected GroupVersion string: {api_version}"));
    }
    Ok((api_version, kind))
}

/// Reads one object of a manifest.
fn read_object(
    tree: &Tree<'_>,
    api_version: &str,
    kind: &str,
    source: &ManifestOptions<'_>,
) -> Result<ManifestPart, Refusal> {
    let namespace = source.namespace;
    if let Some(error) = schema::first_metadata_error(tree) {
        return Err(Refusal::kubectl_error(format!("unable to decode \"STDIN\": {error}")));
    }
    let metadata = |name: &str| {
        let value = tree.get("metadata").and_then(|metadata| metadata.get(name));
        value.and_then(Tree::as_str).unwrap_or_default()
    };
    let (name, own_namespace) = (metadata("name"), metadata("namespace"));
    let served = schema::served(api_version, kind).filter(|served| {
        // These kinds are subresources and cannot be created as objects.
        !matches!(served.kind, "Eviction" | "Scale")
    });
    let lower_case_kind = Kind::ALL
        .iter()
        .find(|known| known.api_version() == api_version && known.name().to_ascii_lowercase() == kind);
    if let Some(known) = lower_case_kind {
        return Ok(ManifestPart::Item(ManifestItem::Malformed {
            kind: *known,
            key: ObjectKey::new(namespace.unwrap_or("default"), name),
            why: Rejection::Unregistered(kind.to_owned(), api_version.to_owned()),
            document: sent_document(tree, ""),
        }));
    }
    let custom = match served {
        Some(_) => None,
        None => source.defined.served_kind(api_version, kind),
    };
    let Some(served) = served.or(custom.map(schema::served_custom_kind)) else {
        return Err(Refusal::KubectlError(no_mapping(
            name,
            own_namespace,
            api_version,
            kind,
        )));
    };
    if let Some(wanted) =
        namespace.filter(|wanted| served.is_namespaced && !own_namespace.is_empty() && own_namespace != *wanted)
    {
        return Err(Refusal::kubectl_error(format!(
            "the namespace from the provided object {own_namespace:?} does not match the namespace {wanted:?}. You must pass '--namespace={own_namespace}' to perform this operation."
        )));
    }
    let key_namespace = match (served.is_namespaced, own_namespace) {
        (false, _) => "",
        (true, "") => namespace.unwrap_or("default"),
        (true, own_namespace) => own_namespace,
    };
    if let Some(custom) = custom {
        let key = ObjectKey::new(key_namespace, name);
        return Ok(ManifestPart::Item(read_custom_item(tree, custom, key, source)));
    }
    if served.kind == "Binding" {
        return read_binding(tree, ObjectKey::new(key_namespace, name));
    }
    let stored = podscope_api::stored_form(api_version, kind, || tree.to_value());
    let Some(kind) = Kind::from_wire(api_version, kind).or(stored.as_ref().map(|(kind, _)| *kind)) else {
        return Ok(ManifestPart::NotSimulated {
            kind: kind.to_owned(),
            name: name.to_owned(),
        });
    };
    let document = Document {
        tree,
        api_version,
        served,
        kind,
        key: ObjectKey::new(key_namespace, name),
        stored: stored.map(|(_, value)| value),
        is_request_body: false,
    };
    Ok(ManifestPart::Item(document.decode_item(source.validation)))
}

/// Decodes an object of a custom kind.
fn read_custom_item(tree: &Tree<'_>, kind: Kind, key: ObjectKey, source: &ManifestOptions<'_>) -> ManifestItem {
    let malformed = |why: Rejection| ManifestItem::Malformed {
        kind,
        key: key.clone(),
        why,
        document: sent_document(tree, &key.namespace),
    };
    let value = tree.to_value();
    let mut unknown = match custom::unknown_fields(kind, &value, source.defined) {
        Ok(unknown) => unknown,
        Err(why) => return malformed(why),
    };
    match source.validation {
        Validation::Strict if !unknown.is_empty() => return malformed(Rejection::Unknown(unknown)),
        Validation::Ignore => unknown.clear(),
        Validation::Strict | Validation::Warn => {}
    }
    match custom::decode_object(kind, &value) {
        Ok(mut object) => {
            object.metadata_mut().namespace = key.namespace.clone();
            ManifestItem::Object {
                object,
                document: sent_document(tree, &key.namespace),
                unknown,
            }
        }
        Err(why) => malformed(Rejection::Type(why)),
    }
}

/// Reads the binding of a pod to its target node.
fn read_binding(tree: &Tree<'_>, pod: ObjectKey) -> Result<ManifestPart, Refusal> {
    let target = |field: &str| tree.get("target").and_then(|target| target.get(field)?.as_str());
    let error = match (target("kind").unwrap_or_default(), target("name").unwrap_or_default()) {
        ("" | "Node", "") => "target.name: Required value".to_owned(),
        ("" | "Node", node) => {
            let node = Str::from(node);
            return Ok(ManifestPart::Item(ManifestItem::Binding { pod, node }));
        }
        (other, _) => {
            format!("target.kind: Unsupported value: {other:?}: supported values: \"Node\", \"<empty>\"")
        }
    };
    Err(Refusal::as_is(format!(
        "Error from server: error when creating \"STDIN\": {error}"
    )))
}

/// A document whose kind the API server stores.
pub(crate) struct Document<'t> {
    tree: &'t Tree<'t>,
    api_version: &'t str,
    served: ServedKind,
    kind: Kind,
    key: ObjectKey,
    /// The object converted to the stored version, if the document has another version.
    stored: Option<Value>,
    /// Whether the document is the body of an HTTP request, as opposed to a manifest that kubectl reads.
    is_request_body: bool,
}

impl<'t> Document<'t> {
    /// Creates a document from the body of an HTTP request for the object with this key, in a served version of its
    /// kind; `None` if the kind is not stored.
    pub(crate) fn of_request_body(tree: &'t Tree<'t>, served: ServedKind, key: ObjectKey) -> Option<Self> {
        let (api_version, name) = (served.api_version, served.kind);
        let stored = podscope_api::stored_form(api_version, name, || tree.to_value());
        let kind = Kind::from_wire(api_version, name).or(stored.as_ref().map(|(kind, _)| *kind))?;
        Some(Self {
            tree,
            api_version,
            served,
            kind,
            key,
            stored: stored.map(|(_, value)| value),
            is_request_body: true,
        })
    }

    /// Returns the item for a document that the API server cannot decode.
    fn malformed_item(&self, why: Rejection) -> ManifestItem {
        ManifestItem::Malformed {
            kind: self.kind,
            key: self.key.clone(),
            why,
            document: sent_document(self.tree, &self.key.namespace),
        }
    }

    /// Decodes the object. Unknown fields are dropped, or are an error if the validation is strict.
    pub(crate) fn decode_item(&self, validation: Validation) -> ManifestItem {
        let mut unknown = Vec::new();
        let mut pruned = None;
        let decode = if self.is_request_body {
            schema::decode_as_sent
        } else {
            schema::decode_object
        };
        match decode(self.served.fields, self.tree) {
            Ok(()) => {}
            Err(Rejection::Unknown(fields)) if validation != Validation::Strict => {
                pruned = Some(without_fields(&self.tree.to_value(), &fields));
                unknown = fields;
            }
            Err(why) => return self.malformed_item(why),
        }
        if validation == Validation::Ignore {
            unknown.clear();
        }
        let pruned = match (pruned, &self.stored) {
            (Some(pruned), Some(_)) => {
                podscope_api::stored_form(self.api_version, self.served.kind, || pruned).map(|(_, value)| value)
            }
            (pruned, _) => pruned,
        };
        // Deviation: the last-applied annotation contains the stored version of the object, not the version of the
        // manifest.
        let stored = self.stored.as_ref().map(Tree::from_value);
        let tree = stored.as_ref().unwrap_or(self.tree);
        let known = pruned.as_ref().map(Tree::from_value);
        match podscope_api::object_from_tree(self.kind, known.as_ref().unwrap_or(tree)) {
            Ok(mut object) => {
                object.metadata_mut().namespace = self.key.namespace.clone();
                ManifestItem::Object {
                    object,
                    document: sent_document(tree, &self.key.namespace),
                    unknown,
                }
            }
            Err(errors) => {
                let first = errors.into_iter().next();
                self.malformed_item(Rejection::Type(first.map_or_else(String::new, |error| error.message)))
            }
        }
    }
}

/// Removes fields from a value. Each field is given by its path, such as `spec.containers[0].imag`.
pub(crate) fn without_fields(value: &Value, fields: &[String]) -> Value {
    let mut value = value.clone();
    for field in fields {
        let mut at = Some(&mut value);
        let (above, last) = field.rsplit_once('.').unwrap_or(("", field));
        for part in above.split('.').filter(|part| !part.is_empty()) {
            let (name, indices) = part.split_at(part.find('[').unwrap_or(part.len()));
            at = at.and_then(|at| at.get_mut(name));
            for index in indices.split(['[', ']']).filter(|index| !index.is_empty()) {
                at = at.and_then(|at| at.get_mut(index.parse::<usize>().ok()?));
            }
        }
        if let Some(Value::Object(map)) = at {
            map.shift_remove(last);
        }
    }
    value
}

/// Returns the document as kubectl sends it: with its namespace, and with sorted keys.
fn sent_document(tree: &Tree<'_>, namespace: &str) -> Value {
    let mut document = tree.to_value();
    if !namespace.is_empty()
        && let Some(map) = document.as_object_mut()
        && let Some(metadata) = map.entry("metadata").or_insert_with(|| json!({})).as_object_mut()
    {
        metadata.insert("namespace".to_owned(), namespace.into());
    }
    document.sort_all_objects();
    document
}
