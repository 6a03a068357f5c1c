//! Metadata that every object carries: names, labels, owners, deletion state; and label selectors.

use crate::ordered::{self, StableSort as _};
use std::cmp::Ordering;
use std::sync::Arc;

use crate::macros::{string_enum, string_newtype};
use crate::wire_types;
use crate::{IntOrString, Kind, Str, Time};

string_newtype! {
    /// `metadata.uid`: identifies one lifetime of an object; a replacement with the same name has another UID (LC-001).
    pub struct Uid;
    /// The name of a Node object and of the simulated machine behind it.
    pub struct NodeName;
}

/// Labels or annotations. Shared: pods of one template point to the same map.
pub type Labels = Arc<ordered::Map<Str, Str>>;

/// Namespace and name of an object; the namespace is empty for cluster-scoped kinds.
#[derive(Debug, Clone, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct ObjectKey {
    /// The namespace; empty for cluster-scoped kinds.
    pub namespace: Str,
    pub name: Str,
}

impl ObjectKey {
    /// Creates the key of a namespaced object.
    pub fn new(namespace: impl Into<Str>, name: impl Into<Str>) -> Self {
        Self {
            namespace: namespace.into(),
            name: name.into(),
        }
    }

    /// Creates the key of an object of a kind; the namespace is dropped for a cluster-scoped kind.
    pub fn of(kind: Kind, namespace: impl Into<Str>, name: impl Into<Str>) -> Self {
        match kind.is_namespaced() {
            true => Self::new(namespace, name),
            false => Self::cluster(name),
        }
    }

    /// Creates the key of a cluster-scoped object.
    pub fn cluster(name: impl Into<Str>) -> Self {
        Self {
            namespace: Str::default(),
            name: name.into(),
        }
    }
}

/// A borrowed key, so that a map can be searched without allocating an [`ObjectKey`].
pub trait KeyParts {
    /// Returns the namespace and the name.
    fn parts(&self) -> (&str, &str);
}

impl KeyParts for ObjectKey {
    fn parts(&self) -> (&str, &str) {
        (&self.namespace, &self.name)
    }
}

impl KeyParts for (&str, &str) {
    fn parts(&self) -> (&str, &str) {
        *self
    }
}

impl<'k> std::borrow::Borrow<dyn KeyParts + 'k> for ObjectKey {
    fn borrow(&self) -> &(dyn KeyParts + 'k) {
        self
    }
}

impl PartialEq for dyn KeyParts + '_ {
    fn eq(&self, other: &Self) -> bool {
        self.parts() == other.parts()
    }
}

impl Eq for dyn KeyParts + '_ {}

impl PartialOrd for dyn KeyParts + '_ {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for dyn KeyParts + '_ {
    fn cmp(&self, other: &Self) -> Ordering {
        compare_key_parts(self.parts(), other.parts())
    }
}

impl PartialOrd for ObjectKey {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for ObjectKey {
    fn cmp(&self, other: &Self) -> Ordering {
        compare_key_parts(self.parts(), other.parts())
    }
}

fn compare_key_parts((namespace, name): (&str, &str), (other_namespace, other_name): (&str, &str)) -> Ordering {
    compare_key_strings(namespace, other_namespace).then_with(|| compare_key_strings(name, other_name))
}

/// Returns the same as `a.cmp(b)`, but faster for object keys. Keys of one namespace usually share the namespace's
/// string, so pointers are compared first. Names of pods with the same owner have long common prefixes: on wasm, `std`
/// compares them byte by byte, this function eight bytes at a time.
pub(crate) fn compare_key_strings(a: &str, b: &str) -> Ordering {
    if std::ptr::eq(a, b) {
        return Ordering::Equal;
    }
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let (eights, others) = (a.as_chunks::<8>().0, b.as_chunks::<8>().0);
    for (one, other) in eights.iter().zip(others) {
        // The first differing byte decides the order of two big-endian numbers.
        let (one, other) = (u64::from_be_bytes(*one), u64::from_be_bytes(*other));
        if one != other {
            return one.cmp(&other);
        }
    }
    let same = eights.len().min(others.len()) * 8;
    a[same..].cmp(&b[same..])
}

impl std::fmt::Display for ObjectKey {
    /// Prints `namespace/name`, or `name` alone for cluster-scoped objects.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.namespace.is_empty() {
            f.write_str(&self.name)
        } else {
            write!(f, "{}/{}", self.namespace, self.name)
        }
    }
}

wire_types! {
    /// Object metadata. `managedFields` and fields that are not simulated are kept in the object's `Extra`.
    pub struct ObjectMeta {
        pub name: Str,
        pub generate_name: Str,
        pub namespace: Str,
        pub uid: Uid,
        /// Opaque to clients; in Podscope, the store's revision as a decimal number.
        pub resource_version: Str,
        /// Incremented when the spec changes; None if the kind has no generation.
        pub generation: Option<i64>,
        pub creation_timestamp: Option<Time>,
        /// The time of the delete request plus the grace period (LC-013).
        pub deletion_timestamp: Option<Time>,
        /// Grace period of a deletion, in seconds; it can only be shortened (LC-014, CT-166).
        pub deletion_grace_period_seconds: Option<i64>,
        pub labels: Labels,
        pub annotations: Labels,
        pub owner_references: Vec<OwnerReference>,
        pub finalizers: Vec<Str>,
        /// The field managers of server-side apply, with the fields they own; not part of the object's JSON form.
        pub managers as "": crate::managed::FieldManagers,
    }

    /// A reference from a dependent to its owner.
    pub struct OwnerReference {
        pub api_version: Str,
        pub kind: Str,
        pub name: Str,
        pub uid: Uid,
        pub controller: Option<bool>,
        pub block_owner_deletion: Option<bool>,
    }

    /// A label selector (`metav1.LabelSelector`): all requirements must be met.
    pub struct LabelSelector {
        pub match_labels: ordered::Map<Str, Str>,
        pub match_expressions: Vec<LabelSelectorRequirement>,
    }

    /// One requirement of a [`LabelSelector`].
    pub struct LabelSelectorRequirement {
        pub key: Str,
        pub operator: SelectorOperator,
        pub values: Vec<Str>,
    }

    /// A reference to an object, such as the one an event is about.
    pub struct ObjectReference {
        pub kind: Str,
        pub namespace: Str,
        pub name: Str,
        pub uid: Uid,
        pub api_version: Str,
        pub resource_version: Str,
        pub field_path: Str,
    }
}

string_enum! {
    /// Operator of a label selector or node selector requirement.
    pub enum SelectorOperator {
        In, NotIn, Exists, DoesNotExist, Gt, Lt,
    }
}

impl Default for SelectorOperator {
    fn default() -> Self {
        Self::Other("".into())
    }
}

impl ObjectMeta {
    /// Returns the owner that controls this object, if any.
    pub fn controller_ref(&self) -> Option<&OwnerReference> {
        self.owner_references
            .iter()
            .find(|owner| owner.controller == Some(true))
    }

    /// Returns whether deletion was requested.
    pub fn is_terminating(&self) -> bool {
        self.deletion_timestamp.is_some()
    }

    pub fn key(&self) -> ObjectKey {
        ObjectKey {
            namespace: self.namespace.clone(),
            name: self.name.clone(),
        }
    }

    /// Returns the value of a label.
    pub fn label(&self, key: &str) -> Option<&str> {
        self.labels.get(key).map(|value| &**value)
    }

    /// Returns the value of an annotation.
    pub fn annotation(&self, key: &str) -> Option<&str> {
        self.annotations.get(key).map(|value| &**value)
    }
}

impl LabelSelector {
    /// Returns whether the selector has no requirement (`{}` matches everything).
    pub fn is_empty(&self) -> bool {
        self.match_labels.is_empty() && self.match_expressions.is_empty()
    }

    /// Returns whether the labels satisfy every requirement; a malformed requirement matches nothing (SCH-047).
    pub fn matches(&self, labels: &ordered::Map<Str, Str>) -> bool {
        self.match_labels
            .iter()
            .all(|(key, value)| labels.get(key) == Some(value))
            && self
                .match_expressions
                .iter()
                .all(|requirement| requirement.matches(labels))
    }
}

/// Prints the selector in query form, sorted by key: `a=b,c in (x,y),!z`; an empty selector prints as "".
impl std::fmt::Display for LabelSelector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let labels = self.match_labels.iter();
        let mut parts: Vec<(&Str, String)> = labels.map(|(key, value)| (key, format!("{key}={value}"))).collect();
        for requirement in &self.match_expressions {
            let mut values: Vec<&str> = requirement.values.iter().map(|value| &**value).collect();
            values.stable_sort();
            let text = match &requirement.operator {
                SelectorOperator::In => format!("{} in ({})", requirement.key, values.join(",")),
                SelectorOperator::NotIn => format!("{} notin ({})", requirement.key, values.join(",")),
                SelectorOperator::Exists => requirement.key.to_string(),
                SelectorOperator::DoesNotExist => format!("!{}", requirement.key),
                other => format!("{} {other} ({})", requirement.key, values.join(",")),
            };
            parts.push((&requirement.key, text));
        }
        parts.stable_sort();
        let parts: Vec<String> = parts.into_iter().map(|(_, text)| text).collect();
        f.write_str(&parts.join(","))
    }
}

impl LabelSelectorRequirement {
    /// Returns whether the labels satisfy this requirement (SCH-047).
    pub fn matches(&self, labels: &ordered::Map<Str, Str>) -> bool {
        self.operator.is_satisfied_by(labels.get(&self.key), &self.values)
    }
}

impl SelectorOperator {
    /// Returns whether a label with this value satisfies a requirement with this operator and these values; `value` is
    /// None if the label is absent.
    pub fn is_satisfied_by(&self, value: Option<&Str>, values: &[Str]) -> bool {
        match self {
            Self::In => value.is_some_and(|value| values.contains(value)),
            Self::NotIn => value.is_none_or(|value| !values.contains(value)),
            Self::Exists => value.is_some(),
            Self::DoesNotExist => value.is_none(),
            Self::Gt | Self::Lt => {
                let number = |text: &str| text.parse::<i64>().ok();
                match (value.and_then(|value| number(value)), values) {
                    (Some(have), [bound]) => {
                        number(bound).is_some_and(|bound| if *self == Self::Gt { have > bound } else { have < bound })
                    }
                    _ => false,
                }
            }
            Self::Other(_) => false,
        }
    }
}

/// Returns the number that an integer or a percentage of `total` stands for; None for any other string. A percentage is
/// rounded up or down, depending on `round_up` (CT-061).
pub fn scaled_value(value: &IntOrString, total: i64, round_up: bool) -> Option<i64> {
    match value {
        IntOrString::Int(number) => Some(i64::from(*number)),
        IntOrString::String(text) => {
            let percent: i64 = text.strip_suffix('%')?.parse().ok()?;
            let product = percent.checked_mul(total)?;
            Some(if round_up {
                (product + 99).div_euclid(100)
            } else {
                product.div_euclid(100)
            })
        }
    }
}
