//! Kinds that the CustomResourceDefinitions among the objects define.

use podscope_api::custom::{Definition, Version};
use podscope_api::{Kind, Object, ObjectKey};

use crate::Objects;

impl Objects {
    /// All CustomResourceDefinitions, by name.
    pub fn definitions(&self) -> Vec<Object> {
        self.list_kind(Kind::CustomResourceDefinition)
    }

    /// The definition of a kind; none of a built-in one, and where it is gone.
    pub fn definition_of(&self, kind: Kind) -> Option<Object> {
        let Kind::Custom(custom) = kind else { return None };
        let name = format!("{}.{}", custom.plural, kind.group());
        self.get_kind(Kind::CustomResourceDefinition, &ObjectKey::cluster(name))
    }

    /// Calls a function with the version of its definition that a kind names; returns `None` for a built-in kind, and
    /// where the definition or the version is gone.
    pub fn with_version<T>(&self, kind: Kind, act: impl FnOnce(Version<'_>) -> T) -> Option<T> {
        self.with_named_version(kind, kind.group_and_version().1, act)
    }

    /// Like [`Objects::with_version`], with the version of that name (`v1`) of the kind's definition.
    pub fn with_named_version<T>(&self, kind: Kind, name: &str, act: impl FnOnce(Version<'_>) -> T) -> Option<T> {
        let definition = self.definition_of(kind)?;
        Definition::of(&definition)?.version(name).map(act)
    }

    /// The kind that is served under that name and version.
    pub fn served_kind(&self, api_version: &str, kind: &str) -> Option<Kind> {
        Kind::from_wire(api_version, kind).or_else(|| self.defined(api_version, |custom| custom.name() == kind))
    }

    /// The kind that is served as that resource.
    pub fn served_resource(&self, api_version: &str, plural: &str) -> Option<Kind> {
        self.defined(api_version, |custom| custom.plural() == plural)
    }

    fn defined(&self, api_version: &str, is_it: impl Fn(Kind) -> bool) -> Option<Kind> {
        let (group, version) = api_version.split_once('/')?;
        self.definitions()
            .iter()
            .filter_map(Definition::of)
            .find_map(|definition| {
                let served = definition.group() == group && definition.is_established();
                let version = served.then(|| definition.version(version)).flatten();
                version
                    .filter(|version| version.is_served())
                    .map(Version::kind)
                    .filter(|kind| is_it(*kind))
            })
    }
}
