//! Custom kinds, defined by CustomResourceDefinitions (P-12).
//!
//! A built-in kind is a variant of [`Kind`]; a custom kind is [`Kind::Custom`], a pointer to its names. Names are
//! interned: each distinct name is allocated once and never freed, so that [`Kind`] is `Copy`. Kinds are compared by
//! group and plural name, not by pointer.
//!
//! [`Definition`] reads a CustomResourceDefinition, [`Version`] one of its versions. Objects of a custom kind are
//! stored as [`UntypedObject`], whose `kind` includes the version in which the object was sent or is stored.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::sync::Mutex;

use serde_json::{Value, json};

use crate::ordered::StableSort as _;
use crate::untyped::{is_true, items, text, texts};
use crate::{ErrorList, Kind, Object, UntypedObject, structural};

const NULL: &Value = &Value::Null;

/// Finalizer that keeps a CustomResourceDefinition until all its objects are deleted.
pub const CLEANUP_FINALIZER: &str = "customresourcecleanup.apiextensions.k8s.io";
/// Message of the condition `Established` if the names have no conflicts.
pub const NAMES_ACCEPTED: &str = "the initial names have been accepted";
/// Message of the condition `NamesAccepted` if the names have no conflicts.
pub const NO_CONFLICTS: &str = "no conflicts found";

/// Names of a custom kind.
///
/// They are compared by group and plural name, so that all versions of a definition are the same kind.
#[derive(Debug, Clone, Copy)]
pub struct CustomKind {
    /// Group and version: `example.com/v1`.
    pub api_version: &'static str,
    /// The kind: `Widget`.
    pub kind: &'static str,
    /// The plural resource name: `widgets`.
    pub plural: &'static str,
    /// The singular resource name: `widget`.
    pub singular: &'static str,
    /// Whether objects of this kind live in a namespace.
    pub is_namespaced: bool,
}

impl CustomKind {
    /// Group and version, such as `example.com` and `v1`.
    pub(crate) fn group_and_version(&self) -> (&'static str, &'static str) {
        self.api_version.split_once('/').unwrap_or(("", self.api_version))
    }

    fn group_and_plural(&self) -> (&'static str, &'static str) {
        (self.group_and_version().0, self.plural)
    }
}

impl PartialEq for CustomKind {
    fn eq(&self, other: &Self) -> bool {
        self.group_and_plural() == other.group_and_plural()
    }
}

impl Eq for CustomKind {}

impl PartialOrd for CustomKind {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for CustomKind {
    fn cmp(&self, other: &Self) -> Ordering {
        self.group_and_plural().cmp(&other.group_and_plural())
    }
}

impl Hash for CustomKind {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.group_and_plural().hash(state);
    }
}

static INTERNED_TEXTS: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());
static INTERNED_KINDS: Mutex<Vec<&'static CustomKind>> = Mutex::new(Vec::new());

/// Interns a text for the lifetime of the process. Only for names of definitions, because the memory is never freed.
#[must_use]
pub fn intern(text: &str) -> &'static str {
    let mut texts = INTERNED_TEXTS.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    match texts.binary_search(&text) {
        Ok(at) => texts[at],
        Err(at) => {
            let text: &'static str = Box::leak(text.into());
            texts.insert(at, text);
            text
        }
    }
}

/// Returns the custom kind with these names.
#[must_use]
pub fn custom_kind(api_version: &str, name: &str, plural: &str, singular: &str, is_namespaced: bool) -> Kind {
    let named = CustomKind {
        api_version: intern(api_version),
        kind: intern(name),
        plural: intern(plural),
        singular: intern(singular),
        is_namespaced,
    };
    let mut kinds = INTERNED_KINDS.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let is_same = |known: &&&CustomKind| {
        let names = |one: &CustomKind| (one.api_version, one.kind, one.plural, one.singular, one.is_namespaced);
        names(known) == names(&named)
    };
    let known = kinds.iter().find(is_same).copied();
    Kind::Custom(known.unwrap_or_else(|| {
        let known: &'static CustomKind = Box::leak(Box::new(named));
        kinds.push(known);
        known
    }))
}

/// A CustomResourceDefinition.
#[derive(Debug, Clone, Copy)]
pub struct Definition<'d>(&'d UntypedObject);

impl<'d> Definition<'d> {
    /// Returns the definition if the object is a CustomResourceDefinition.
    #[must_use]
    pub fn of(object: &'d Object) -> Option<Self> {
        object
            .as_untyped()
            .filter(|kept| kept.kind == Kind::CustomResourceDefinition)
            .map(|kept| Self(kept))
    }

    /// Returns the stored CustomResourceDefinition.
    #[must_use]
    pub fn object(self) -> &'d UntypedObject {
        self.0
    }

    fn spec(self) -> &'d Value {
        self.0.at("/spec").unwrap_or(NULL)
    }

    /// Returns the API group: `example.com`.
    #[must_use]
    pub fn group(self) -> &'d str {
        text(self.spec(), "group")
    }

    /// Returns the requested names (`spec.names`).
    #[must_use]
    pub fn names(self) -> &'d Value {
        self.spec().get("names").unwrap_or(NULL)
    }

    /// Returns the accepted names (`status.acceptedNames`).
    #[must_use]
    pub fn accepted_names(self) -> &'d Value {
        self.0.at("/status/acceptedNames").unwrap_or(NULL)
    }

    /// Returns whether objects of the defined kind live in a namespace.
    #[must_use]
    pub fn is_namespaced(self) -> bool {
        text(self.spec(), "scope") == "Namespaced"
    }

    /// Returns whether the API server serves the definition's resources.
    #[must_use]
    pub fn is_established(self) -> bool {
        self.condition("Established")
            .is_some_and(|condition| text(condition, "status") == "True")
    }

    /// Returns a condition of the definition's status by its type.
    #[must_use]
    pub fn condition(self, kind: &str) -> Option<&'d Value> {
        let status = self.0.at("/status").unwrap_or(NULL);
        items(status, "conditions")
            .map(|(_, condition)| condition)
            .find(|condition| text(condition, "type") == kind)
    }

    /// Returns the versions, in the order of the manifest.
    pub fn versions(self) -> impl Iterator<Item = Version<'d>> {
        items(self.spec(), "versions").map(move |(_, value)| Version {
            definition: self,
            value,
        })
    }

    /// Returns the version with this name.
    #[must_use]
    pub fn version(self, name: &str) -> Option<Version<'d>> {
        self.versions().find(|version| version.name() == name)
    }

    /// Returns the storage version.
    #[must_use]
    pub fn storage_version(self) -> Option<Version<'d>> {
        self.versions().find(|version| is_true(version.value, "storage"))
    }

    /// Returns the served versions in the order of discovery: stable versions first, then newer versions first.
    #[must_use]
    pub fn served_versions(self) -> Vec<Version<'d>> {
        let mut served: Vec<Version<'d>> = self.versions().filter(|version| version.is_served()).collect();
        served.stable_sort_by(|a, b| version_sort_key(b.name()).cmp(&version_sort_key(a.name())));
        served
    }
}

/// Returns the sort key of a version name (`version.CompareKubeAwareVersionStrings`): `v2`, `v1`, `v1beta1`,
/// `v1alpha1`, then all other names.
fn version_sort_key(name: &str) -> (u8, u64, u64, std::cmp::Reverse<String>) {
    let other = (0, 0, 0, std::cmp::Reverse(name.to_owned()));
    let Some(rest) = name.strip_prefix('v') else {
        return other;
    };
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let (major, rest) = rest.split_at(digits(rest));
    let Ok(major) = major.parse() else { return other };
    let none = std::cmp::Reverse(String::new());
    let minor = |rest: &str| rest.parse::<u64>().ok();
    match (rest, rest.strip_prefix("beta"), rest.strip_prefix("alpha")) {
        ("", ..) => (3, major, 0, none),
        (_, Some(rest), _) if minor(rest).is_some() => (2, major, minor(rest).unwrap_or(0), none),
        (_, _, Some(rest)) if minor(rest).is_some() => (1, major, minor(rest).unwrap_or(0), none),
        _ => other,
    }
}

/// A version of a CustomResourceDefinition.
#[derive(Debug, Clone, Copy)]
pub struct Version<'d> {
    definition: Definition<'d>,
    value: &'d Value,
}

impl<'d> Version<'d> {
    /// Returns the version's name: `v1`.
    #[must_use]
    pub fn name(self) -> &'d str {
        text(self.value, "name")
    }

    /// Returns group and version: `example.com/v1`.
    #[must_use]
    pub fn api_version(self) -> String {
        format!("{}/{}", self.definition.group(), self.name())
    }

    /// Returns the definition that contains this version.
    #[must_use]
    pub fn definition(self) -> Definition<'d> {
        self.definition
    }

    #[must_use]
    pub fn is_served(self) -> bool {
        is_true(self.value, "served")
    }

    /// Returns the schema of the version's objects; null if it has none.
    #[must_use]
    pub fn schema(self) -> &'d Value {
        self.value.pointer("/schema/openAPIV3Schema").unwrap_or(NULL)
    }

    /// Returns whether the version has a status subresource.
    #[must_use]
    pub fn has_status(self) -> bool {
        self.value.pointer("/subresources/status").is_some()
    }

    /// Returns the `scale` subresource of the version, which consists of field paths; None if the version has none.
    #[must_use]
    pub fn scale(self) -> Option<&'d Value> {
        self.value.pointer("/subresources/scale")
    }

    /// Returns the printer columns: name, type, format, JSONPath, priority.
    pub fn printer_columns(self) -> impl Iterator<Item = &'d Value> {
        items(self.value, "additionalPrinterColumns").map(|(_, column)| column)
    }

    /// Returns the JSONPaths of the fields that field selectors support.
    #[must_use]
    pub fn selectable_fields(self) -> Vec<&'d str> {
        items(self.value, "selectableFields")
            .map(|(_, field)| text(field, "jsonPath"))
            .collect()
    }

    /// Returns the warning that requests to a deprecated version receive.
    #[must_use]
    pub fn deprecation_warning(self) -> Option<String> {
        let own = || format!("{} {} is deprecated", self.api_version(), text(self.names(), "kind"));
        let given = self.value.get("deprecationWarning").and_then(Value::as_str);
        is_true(self.value, "deprecated").then(|| given.map_or_else(own, ToOwned::to_owned))
    }

    fn names(self) -> &'d Value {
        self.definition.names()
    }

    /// Returns the accepted short names.
    #[must_use]
    pub fn short_names(self) -> Vec<&'d str> {
        texts(self.definition.accepted_names(), "shortNames")
    }

    /// Returns the accepted categories.
    #[must_use]
    pub fn categories(self) -> Vec<&'d str> {
        texts(self.definition.accepted_names(), "categories")
    }

    /// Removes the fields that the schema does not define from an object, and sets the schema's defaults. Returns the
    /// paths of the removed fields.
    pub fn prune_and_default(self, object: &mut UntypedObject) -> Vec<String> {
        let unknown = structural::prune(&mut object.fields, self.schema());
        structural::default(&mut object.fields, self.schema());
        unknown
    }

    /// Validates an object of this version against the version's schema; its metadata is not checked. `old` is the
    /// object that is replaced: values that did not change are not checked again (HT-164). Returns whether the schema's
    /// validation rules (CEL) can be evaluated.
    pub fn validate(self, object: &UntypedObject, old: Option<&UntypedObject>, errors: &mut ErrorList) -> bool {
        let old = old.map(|old| &old.fields);
        errors.extend(structural::validate(&object.fields, old, self.schema()));
        let replicas = self.scale().map(|scale| text(scale, "specReplicasPath"));
        if let Some(path) = replicas {
            structural::check_objects_above_path(&object.fields, path, errors);
        }
        !structural::are_rules_blocked(errors, self.schema())
    }

    /// Returns the kind of the version's objects, with this API version.
    #[must_use]
    pub fn kind(self) -> Kind {
        let names = self.names();
        let name = text(names, "kind");
        let singular = match text(names, "singular") {
            "" => name.to_ascii_lowercase(),
            singular => singular.to_owned(),
        };
        custom_kind(
            &self.api_version(),
            name,
            text(names, "plural"),
            &singular,
            self.definition.is_namespaced(),
        )
    }
}

/// Completes the status of a dumped definition that lacks one: the definition counts as established since its creation, so
/// that controllers do not change it.
pub fn assume_established(definition: &mut UntypedObject) {
    if definition.kind != Kind::CustomResourceDefinition || definition.fields.get("status").is_some() {
        return;
    }
    let spec = definition.at("/spec").cloned().unwrap_or_default();
    let since = definition.metadata.creation_timestamp.map(|time| time.to_string());
    let condition = |kind: &str, reason: &str, message: &str| json!({"type": kind, "status": "True", "lastTransitionTime": since, "reason": reason, "message": message});
    let status = json!({
        "acceptedNames": spec["names"],
        "conditions": [
            condition("NamesAccepted", "NoConflicts", NO_CONFLICTS),
            condition("Established", "InitialNamesAccepted", NAMES_ACCEPTED),
        ],
        "storedVersions": crate::stored_version(&spec).into_iter().collect::<Vec<_>>(),
    });
    definition.fields.insert("status".to_owned(), status);
}
