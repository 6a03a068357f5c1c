//! Every field of every built-in kind of Kubernetes v1.36 with its Go type, from one table
//! ([`table.txt`](./table.txt)). The table is used to find misspelt fields, to word the type errors of Go's decoder
//! (VA-238, VA-239), to print objects as the API server's internal structs and to answer `kubectl explain`.
//!
//! A line `= apiVersion Kind plural scope Struct` declares a kind that is served but is not a [`Kind`]. Any other line
//! is a struct with its fields as `name:type`:
//!
//! - `group/Name` and `v2.Name` are structs whose plain name is taken by another struct.
//! - `~` before the name of a struct: error messages print it as it is on the wire. Other structs that error messages
//!   print have their fields in Go's order.
//! - `Outer/name` is a field of the embedded struct `Outer`.
//! - `+` after the name of a field: Go writes it even if it is empty. Any other number, boolean, list or map that is no
//!   pointer has `omitempty`.
//! - `[]` and `{}` are lists and maps; `string=X` is a string type that Go calls `v1.X`.
//! - `*` is a pointer; a string has it only in structs that error messages print.
//! - `#` after the type of a list: the fields whose names follow identify an element; if none follow, its own value
//!   identifies it. A list without `#` is atomic.

mod decode;
mod node;
mod omit;
pub(crate) mod values;

use std::sync::OnceLock;

use crate::Kind;

pub use self::decode::{Rejection, convert_object, decode_as_sent, decode_object, first_metadata_error, unknown_field};
pub use self::node::SchemaNode;
pub(crate) use self::omit::without_omitted_empty_fields;

/// A struct of the API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Struct {
    name: &'static str,
    fields: &'static str,
    /// Whether error messages print the struct with the names on the wire instead of Go's names.
    pub(crate) is_wire_form: bool,
}

/// A field of a Go struct: its name, its type, and whether it is omitted when empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StructField {
    pub name: &'static str,
    /// The embedded Go struct that holds the field, if any.
    pub(crate) embedded: Option<&'static str>,
    /// Whether Go prints the field even if it is empty.
    is_printed_if_empty: bool,
    pub of: GoType,
    /// The names of the fields that identify the elements of a list, separated by commas; None for an atomic list.
    element_keys: Option<&'static str>,
}

/// A Go type, as written in the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GoType(&'static str);

/// The structure of a [`GoType`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    List(GoType),
    /// A map with string keys.
    Map(GoType),
    Struct(Struct),
    /// A scalar such as a string, a number or a time, by its name in the table.
    Leaf(&'static str),
}

/// Returns the plain type of a leaf: `string` for `string=RestartPolicy`.
#[must_use]
pub fn plain_type_name(leaf: &str) -> &str {
    leaf.split_once('=').map_or(leaf, |(plain, _)| plain)
}

/// Returns Go's name for the type of a leaf: `RestartPolicy` for `string=RestartPolicy`, `bool` for `bool`.
#[must_use]
pub fn go_type_name(leaf: &str) -> &str {
    leaf.split_once('=').map_or(leaf, |(_, named)| named)
}

/// A kind that the API server serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServedKind {
    /// The `apiVersion` of the kind's objects.
    pub api_version: &'static str,
    /// The `kind` of the kind's objects.
    pub kind: &'static str,
    /// The plural resource name (`pods`).
    pub plural: &'static str,
    /// Whether objects of this kind live in a namespace.
    pub is_namespaced: bool,
    pub fields: Struct,
}

struct SchemaTables {
    /// All structs, sorted by name.
    structs: Vec<Struct>,
    kinds: Vec<ServedKind>,
}

fn schema_tables() -> &'static SchemaTables {
    static TABLES: OnceLock<SchemaTables> = OnceLock::new();
    TABLES.get_or_init(|| {
        let lines = || include_str!("table.txt").lines();
        let mut structs: Vec<Struct> = lines()
            .filter(|line| !line.starts_with('='))
            .map(|line| {
                let (name, fields) = line.split_once(' ').unwrap_or((line, ""));
                let in_wire_form = name.strip_prefix('~');
                Struct {
                    name: in_wire_form.unwrap_or(name),
                    fields,
                    is_wire_form: in_wire_form.is_some(),
                }
            })
            .collect();
        structs.sort_unstable_by_key(|entry| entry.name);
        let stored = Kind::ALL.iter().filter_map(|kind| {
            let fields = struct_of_kind(*kind, &structs)?;
            Some(to_served_kind(*kind, fields))
        });
        let others = lines().filter_map(|line| {
            let mut words = line.strip_prefix("= ")?.split(' ');
            let (api_version, kind, plural) = (words.next()?, words.next()?, words.next()?);
            let (scope, name) = (words.next()?, words.next()?);
            Some(ServedKind {
                api_version,
                kind,
                plural,
                is_namespaced: scope == "namespaced",
                fields: find_struct(&structs, name)?,
            })
        });
        let kinds = stored.chain(others).collect();
        SchemaTables { structs, kinds }
    })
}

/// Returns the struct of a stored kind. The table may use the plain name of the kind for another version or group.
fn struct_of_kind(kind: Kind, structs: &[Struct]) -> Option<Struct> {
    let (group, version) = kind.group_and_version();
    let group = group.split('.').next().unwrap_or_default();
    let name = kind.name();
    let of_version = find_struct(structs, &format!("{version}.{name}"));
    of_version
        .or_else(|| find_struct(structs, &format!("{group}/{name}")))
        .or_else(|| find_struct(structs, name))
}

fn to_served_kind(kind: Kind, fields: Struct) -> ServedKind {
    ServedKind {
        api_version: kind.api_version(),
        kind: kind.name(),
        plural: kind.plural(),
        is_namespaced: kind.is_namespaced(),
        fields,
    }
}

/// Returns the struct with this name in the table.
pub(crate) fn struct_named(name: &str) -> Option<Struct> {
    find_struct(&schema_tables().structs, name)
}

fn find_struct(structs: &[Struct], name: &str) -> Option<Struct> {
    let at = structs.binary_search_by_key(&name, |entry| entry.name).ok()?;
    structs.get(at).copied()
}

/// Returns the kind with this name and version, if it is served and the table contains its fields.
#[must_use]
pub fn served(api_version: &str, kind: &str) -> Option<ServedKind> {
    let kinds = &schema_tables().kinds;
    let found = kinds
        .iter()
        .find(|served| served.api_version == api_version && served.kind == kind);
    found.copied()
}

/// Returns the kind with this version and plural resource name, if it is served and the table contains its fields.
#[must_use]
pub fn served_resource(api_version: &str, plural: &str) -> Option<ServedKind> {
    let mut kinds = schema_tables().kinds.iter();
    let found = kinds.find(|served| served.api_version == api_version && served.plural == plural);
    found.copied()
}

/// Describes a custom kind as it is served; its struct contains only the fields that every object has.
#[must_use]
pub fn served_custom_kind(kind: Kind) -> ServedKind {
    let fields = Struct {
        name: "CustomResource",
        fields: "apiVersion:string kind:string metadata:ObjectMeta",
        is_wire_form: false,
    };
    to_served_kind(kind, fields)
}

impl Struct {
    /// Returns the struct's name without group and version.
    #[must_use]
    pub fn name(self) -> &'static str {
        let name = self.name.rsplit_once('/').map_or(self.name, |(_, name)| name);
        name.rsplit_once('.').map_or(name, |(_, name)| name)
    }

    /// Returns the fields: in Go's order if error messages print the struct, otherwise sorted by name.
    pub fn fields(self) -> impl Iterator<Item = StructField> {
        self.fields.split(' ').filter_map(|row| {
            let (name, go_type) = row.split_once(':')?;
            let (go_type, element_keys) = match go_type.split_once('#') {
                Some((go_type, keys)) => (go_type, Some(keys)),
                None => (go_type, None),
            };
            let kept = name.strip_suffix('+');
            let name = kept.unwrap_or(name);
            let (embedded, name) = match name.split_once('/') {
                Some((embedded, name)) => (Some(embedded), name),
                None => (None, name),
            };
            Some(StructField {
                name,
                embedded,
                is_printed_if_empty: kept.is_some(),
                of: GoType(go_type),
                element_keys,
            })
        })
    }

    /// Returns the field with this name.
    #[must_use]
    pub fn field(self, name: &str) -> Option<StructField> {
        self.fields().find(|field| field.name == name)
    }
}

impl StructField {
    /// Returns the names of the fields that identify the elements of the list. Empty if the elements are identified by
    /// their own value; None for an atomic list.
    #[must_use]
    pub fn element_keys(self) -> Option<Vec<&'static str>> {
        let keys = self.element_keys?.split(',');
        Some(keys.filter(|key| !key.is_empty()).collect())
    }
}

impl GoType {
    #[must_use]
    pub fn shape(self) -> Shape {
        let name = self.0.strip_prefix('*').unwrap_or(self.0);
        if let Some(element) = name.strip_prefix("[]") {
            return Shape::List(GoType(element));
        }
        if let Some(element) = name.strip_prefix("{}") {
            return Shape::Map(GoType(element));
        }
        match struct_named(name) {
            Some(found) => Shape::Struct(found),
            None => Shape::Leaf(name),
        }
    }

    /// Returns whether Go's type is a pointer. For strings, the table says so only in structs that error messages
    /// print.
    #[must_use]
    pub fn is_pointer(self) -> bool {
        self.0.starts_with('*')
    }

    /// Returns this struct; for a list or map, the struct of its innermost elements. None for scalars, and for lists
    /// and maps of them.
    #[must_use]
    pub fn innermost_struct(self) -> Option<Struct> {
        match self.shape() {
            Shape::List(element) | Shape::Map(element) => element.innermost_struct(),
            Shape::Struct(found) => Some(found),
            Shape::Leaf(_) => None,
        }
    }

    /// Returns the type as Go's messages name it: `[]v1.Container`, `map[string]string`, `int32`.
    fn go_name(self) -> String {
        match self.shape() {
            Shape::List(element) => format!("[]{}", element.go_name()),
            // Of the map types, only a map of quantities has its own type name in Go.
            Shape::Map(GoType("Quantity")) => "v1.ResourceList".to_owned(),
            Shape::Map(element) => format!("map[string]{}", element.go_name()),
            Shape::Struct(found) => match found.name.rsplit_once('/').map_or(found.name, |(_, name)| name) {
                name if name.contains('.') => name.to_owned(),
                name => format!("v1.{name}"),
            },
            Shape::Leaf(leaf) => match go_type_name(leaf) {
                named if named != leaf && named.contains('.') => named.to_owned(),
                named if named != leaf => format!("v1.{named}"),
                "bytes" => "[]uint8".to_owned(),
                "raw" => "runtime.RawExtension".to_owned(),
                "Quantity" => "resource.Quantity".to_owned(),
                "Time" => "v1.Time".to_owned(),
                "MicroTime" => "v1.MicroTime".to_owned(),
                "IntOrString" => "intstr.IntOrString".to_owned(),
                plain => plain.to_owned(),
            },
        }
    }

    /// Returns the type as `kubectl explain` names it: `[]Container`, `map[string]Quantity`, `integer`.
    #[must_use]
    pub fn to_explain_type(self) -> String {
        match self.shape() {
            Shape::List(element) => format!("[]{}", element.to_explain_type()),
            Shape::Map(element) => format!("map[string]{}", element.to_explain_type()),
            Shape::Struct(found) => found.name().to_owned(),
            Shape::Leaf(leaf) => match plain_type_name(leaf) {
                "int32" | "int64" => "integer",
                "bool" => "boolean",
                "float64" => "number",
                "Time" | "MicroTime" | "bytes" => "string",
                "raw" => "Object",
                plain => plain,
            }
            .to_owned(),
        }
    }
}
