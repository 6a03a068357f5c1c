//! Manifests on standard input, read as kubectl and the API server read them: syntax, what every object needs, kinds that
//! are served, and strict decoding, each in its own words (VA-238 to VA-255).

use podscope_api::schema::{self, Rejection, ServedKind};
use podscope_api::{Data, Kind, Object, ObjectKey, Str, Tree};
use podscope_cluster::client::Write;
use serde_json::{Value, json};

use super::{Plan, finish};
use crate::command::Validation;
use crate::refusals::{Refusal, no_mapping};

/// A manifest, as far as it can be read: its parts in order, and in their places what is wrong with others, as kubectl
/// prints it.
pub(super) struct Manifest(Vec<Result<Read, Refusal>>);

enum Read {
    Item(Item),
    /// One of a kind that is served and not simulated.
    LeftOut {
        kind: String,
        name: String,
    },
}

/// A part of a manifest with which something can be done.
pub(crate) enum Item {
    /// An object that the API server can read, and the document as kubectl sends it: keys sorted, the namespace filled
    /// in.
    Object {
        object: Object,
        document: Value,
        /// Fields that it does not know, left out: told where warnings are asked for.
        unknown: Vec<String>,
    },
    /// One that it cannot.
    Malformed {
        kind: Kind,
        key: ObjectKey,
        why: Rejection,
        document: Value,
    },
    /// A pod's binding: nothing that is stored by itself.
    Binding { pod: ObjectKey, node: Str },
}

impl Item {
    /// What is sent, and for which object; nothing of a binding.
    pub(super) fn sent(self) -> Option<(Kind, ObjectKey, Value)> {
        match self {
            Self::Object { object, document, .. } => Some((object.kind(), object.key(), document)),
            Self::Malformed {
                kind, key, document, ..
            } => Some((kind, key, document)),
            Self::Binding { .. } => None,
        }
    }
}

/// What came of the items of a manifest.
#[derive(Default)]
pub(super) struct Acted {
    pub(super) plan: Plan,
    pub(super) writes: Vec<Write>,
    pub(super) errors: Vec<Refusal>,
}

impl Manifest {
    /// Reads a text. A document that kubectl itself finds wrong ends the reading.
    pub(super) fn read(text: &str, namespace: Option<&str>, validation: Validation) -> Self {
        let (documents, error) = podscope_api::read_documents(text);
        let mut found = Vec::new();
        for document in &documents {
            if validation != Validation::Ignore
                && let Err(why) = validated(document)
            {
                found.push(Err(Refusal::own(format!(
                    "error validating \"STDIN\": error validating data: {why}; if you choose to ignore these errors, turn validation off with --validate=false"
                ))));
                return Self(found);
            }
            items(document, "", "", namespace, validation, &mut found);
        }
        found.extend(error.map(|error| Err(Refusal::own(format!("error parsing STDIN: {error}")))));
        Self(found)
    }

    /// Whether it holds nothing, and nothing wrong.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Without the objects that are not chosen.
    pub(super) fn retain(&mut self, is_chosen: impl Fn(&Object) -> bool) {
        self.0.retain(|read| match read {
            Ok(Read::Item(Item::Object { object, .. })) => is_chosen(object),
            _ => true,
        });
    }

    /// Its items, or what is wrong, for who stops there; nothing is said of what is left out.
    pub(super) fn items(self) -> impl Iterator<Item = Result<Item, Refusal>> {
        self.0.into_iter().filter_map(|read| match read {
            Ok(Read::Item(item)) => Some(Ok(item)),
            Ok(Read::LeftOut { .. }) => None,
            Err(why) => Some(Err(why)),
        })
    }

    /// Does something with each item, in order. What is left out is told, and what is wrong keeps nothing else from
    /// being done.
    pub(super) fn each(self, mut act: impl FnMut(Item, &mut Plan, &mut Vec<Write>) -> Result<(), Refusal>) -> Acted {
        let mut acted = Acted::default();
        for read in self.0 {
            let done = match read {
                Ok(Read::Item(item)) => act(item, &mut acted.plan, &mut acted.writes),
                Ok(Read::LeftOut { kind, name }) => {
                    let warning = format_args!("{kind} {name:?} is not simulated and is left out");
                    acted.plan.warn(warning);
                    Ok(())
                }
                Err(why) => Err(why),
            };
            acted.errors.extend(done.err());
        }
        acted
    }
}

impl Acted {
    /// The plan as it is carried out.
    pub(super) fn finish(self) -> Plan {
        finish(self.plan, self.writes, self.errors)
    }
}

/// The object, or those of a list, which may leave out what its kind says of each.
fn items(
    tree: &Tree<'_>,
    api_version: &str,
    kind: &str,
    namespace: Option<&str>,
    validation: Validation,
    found: &mut Vec<Result<Read, Refusal>>,
) {
    let undecodable = |why: String| Err(Refusal::own(format!("unable to decode \"STDIN\": {why}")));
    if !matches!(tree.data, Data::Map(_)) {
        let of = tree.json_kind();
        let why = format!("json: cannot unmarshal {of} into Go value of type unstructured.detector");
        return found.push(undecodable(why));
    }
    let word = |name: &str| tree.get(name).and_then(Tree::as_str).unwrap_or_default();
    let (own_version, own) = (word("apiVersion"), word("kind"));
    if own.is_empty() && kind.is_empty() || own_version.matches('/').count() > 1 {
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
    let kind = if own.is_empty() { kind } else { own };
    match (kind.strip_suffix("List"), tree.get("items").map(|items| &items.data)) {
        (Some(of), Some(Data::Seq(list))) => {
            let version = if of.is_empty() { "" } else { api_version };
            for item in list {
                items(item, version, of, namespace, validation, found);
            }
        }
        (Some(_), Some(_)) => found.push(undecodable("items is no list".to_owned())),
        _ => found.push(object(tree, api_version, kind, namespace, validation)),
    }
}

/// What kubectl misses of a document, or of the objects of a list of any kinds, before it reads them.
fn validated(tree: &Tree<'_>) -> Result<(), String> {
    let (api_version, kind) = typed(tree)?;
    if (api_version, kind) != ("v1", "List") {
        return Ok(());
    }
    let Some(Data::Seq(list)) = tree.get("items").map(|items| &items.data) else {
        return Err("invalid object to validate".to_owned());
    };
    let wrong: Vec<String> = list.iter().filter_map(|item| typed(item).err()).collect();
    match wrong.as_slice() {
        [] => Ok(()),
        [one] => Err(one.clone()),
        several => Err(format!("[{}]", several.join(", "))),
    }
}

/// `apiVersion` and `kind`, or what kubectl misses of them.
fn typed<'t>(tree: &'t Tree<'_>) -> Result<(&'t str, &'t str), String> {
    if !matches!(tree.data, Data::Map(_)) {
        return Err("invalid object to validate".to_owned());
    }
    let word = |name: &str| match tree.get(name).map(|value| &value.data) {
        None => Err(format!("{name} not set")),
        Some(Data::String(text)) if text.is_empty() => Err(format!("{name} not set")),
        Some(Data::String(_)) => Ok(tree.get(name).and_then(Tree::as_str).unwrap_or_default()),
        Some(_) => Err(format!("{name} isn't string type")),
    };
    let (api_version, kind) = match (word("apiVersion"), word("kind")) {
        (Ok(api_version), Ok(kind)) => (api_version, kind),
        (Err(one), Err(other)) => return Err(format!("[{one}, {other}]")),
        (Err(one), _) | (_, Err(one)) => return Err(one),
    };
    if api_version.matches('/').count() > 1 {
        return Err(format!("unexpected GroupVersion string: {api_version}"));
    }
    Ok((api_version, kind))
}

fn object(
    tree: &Tree<'_>,
    api_version: &str,
    kind: &str,
    namespace: Option<&str>,
    validation: Validation,
) -> Result<Read, Refusal> {
    if let Some(error) = schema::decode_metadata(tree) {
        return Err(Refusal::own(format!("unable to decode \"STDIN\": {error}")));
    }
    let metadata = |name: &str| {
        let value = tree.get("metadata").and_then(|metadata| metadata.get(name));
        value.and_then(Tree::as_str).unwrap_or_default()
    };
    let (name, own) = (metadata("name"), metadata("namespace"));
    let served = schema::served(api_version, kind).filter(|served| {
        // Subresources: nothing to post by themselves.
        !matches!(served.kind, "Eviction" | "Scale")
    });
    let lower = Kind::ALL
        .iter()
        .find(|known| known.api_version() == api_version && known.name().to_ascii_lowercase() == kind);
    if let Some(known) = lower {
        return Ok(Read::Item(Item::Malformed {
            kind: *known,
            key: ObjectKey::new(namespace.unwrap_or("default"), name),
            why: Rejection::Unregistered(kind.to_owned(), api_version.to_owned()),
            document: document(tree, ""),
        }));
    }
    let Some(served) = served else {
        return Err(Refusal::Own(no_mapping(name, own, api_version, kind)));
    };
    if let Some(wanted) = namespace.filter(|wanted| served.is_namespaced && !own.is_empty() && own != *wanted) {
        return Err(Refusal::own(format!(
            "the namespace from the provided object {own:?} does not match the namespace {wanted:?}. You must pass '--namespace={own}' to perform this operation."
        )));
    }
    let own = match (served.is_namespaced, own) {
        (false, _) => "",
        (true, "") => namespace.unwrap_or("default"),
        (true, own) => own,
    };
    if served.kind == "Binding" {
        return binding(tree, ObjectKey::new(own, name));
    }
    let stored = podscope_api::stored_form(api_version, kind, || tree.to_value());
    let Some(kind) = Kind::from_wire(api_version, kind).or(stored.as_ref().map(|(kind, _)| *kind)) else {
        return Ok(Read::LeftOut {
            kind: kind.to_owned(),
            name: name.to_owned(),
        });
    };
    let document = Document {
        tree,
        api_version,
        served,
        kind,
        key: ObjectKey::new(own, name),
        stored: stored.map(|(_, value)| value),
        as_sent: false,
    };
    Ok(Read::Item(document.item(validation)))
}

/// The binding of a pod, which names its node.
fn binding(tree: &Tree<'_>, pod: ObjectKey) -> Result<Read, Refusal> {
    let target = |field: &str| tree.get("target").and_then(|target| target.get(field)?.as_str());
    let wrong = match (target("kind").unwrap_or_default(), target("name").unwrap_or_default()) {
        ("" | "Node", "") => "target.name: Required value".to_owned(),
        ("" | "Node", node) => {
            let node = Str::from(node);
            return Ok(Read::Item(Item::Binding { pod, node }));
        }
        (other, _) => {
            format!("target.kind: Unsupported value: {other:?}: supported values: \"Node\", \"<empty>\"")
        }
    };
    Err(Refusal::told(format!(
        "Error from server: error when creating \"STDIN\": {wrong}"
    )))
}

/// A document of a kind that is stored.
pub(crate) struct Document<'t> {
    tree: &'t Tree<'t>,
    api_version: &'t str,
    served: ServedKind,
    kind: Kind,
    key: ObjectKey,
    /// The object in the version that is stored, where it is given in another.
    stored: Option<Value>,
    /// Whether its fields stand as a program sent them.
    as_sent: bool,
}

impl<'t> Document<'t> {
    /// A document that is sent for an object of that key, as it is in the version of its kind that is served; none of a
    /// kind that is not stored.
    pub(crate) fn sent(tree: &'t Tree<'t>, served: ServedKind, key: ObjectKey) -> Option<Self> {
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
            as_sent: true,
        })
    }

    fn malformed(&self, why: Rejection) -> Item {
        Item::Malformed {
            kind: self.kind,
            key: self.key.clone(),
            why,
            document: document(self.tree, &self.key.namespace),
        }
    }

    /// The object, of which fields that are not known are left out unless they are forbidden.
    pub(crate) fn item(&self, validation: Validation) -> Item {
        let mut unknown = Vec::new();
        let mut pruned = None;
        let decode = if self.as_sent {
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
            Err(why) => return self.malformed(why),
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
        // Deviation: what was applied last is told in the stored version.
        let stored = self.stored.as_ref().map(Tree::from_value);
        let tree = stored.as_ref().unwrap_or(self.tree);
        let known = pruned.as_ref().map(Tree::from_value);
        match podscope_api::object_from_tree(self.kind, known.as_ref().unwrap_or(tree)) {
            Ok(mut object) => {
                object.metadata_mut().namespace = self.key.namespace.clone();
                Item::Object {
                    object,
                    document: document(tree, &self.key.namespace),
                    unknown,
                }
            }
            Err(errors) => {
                let first = errors.into_iter().next();
                self.malformed(Rejection::Type(first.map_or_else(String::new, |error| error.message)))
            }
        }
    }
}

/// A value without fields, each given as `spec.containers[0].imag`.
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

/// What kubectl makes of a document before it does anything with it.
fn document(tree: &Tree<'_>, namespace: &str) -> Value {
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
