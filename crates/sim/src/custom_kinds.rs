//! Looks up custom kinds in the CustomResourceDefinitions of the store.

use podscope_api::custom::{Definition, Version};
use podscope_api::{Kind, Object, ObjectKey};

use crate::Objects;

impl Objects {
    /// Returns all CustomResourceDefinitions, by name.
    pub fn definitions(&self) -> Vec<Object> {
        self.list_kind(Kind::CustomResourceDefinition)
    }

    /// Returns the CustomResourceDefinition of a custom kind; None for a built-in kind or if the definition is deleted.
    pub fn definition_of(&self, kind: Kind) -> Option<Object> {
        let Kind::Custom(custom) = kind else { return None };
        let name = format!("{}.{}", custom.plural, kind.group());
        self.get_kind(Kind::CustomResourceDefinition, &ObjectKey::cluster(name))
    }

    /// Calls a function with the version of the CustomResourceDefinition that a custom kind belongs to. Returns `None`
    /// for a built-in kind, and if the definition or the version no longer exists.
    pub fn with_version<T>(&self, kind: Kind, act: impl FnOnce(Version<'_>) -> T) -> Option<T> {
        self.with_named_version(kind, kind.group_and_version().1, act)
    }

    /// Like [`Objects::with_version`], but with the version of the given name (`v1`).
    pub fn with_named_version<T>(&self, kind: Kind, name: &str, act: impl FnOnce(Version<'_>) -> T) -> Option<T> {
        let definition = self.definition_of(kind)?;
        Definition::of(&definition)?.version(name).map(act)
    }

    /// Finds a built-in kind, or a served custom kind, by API version and kind name.
    pub fn served_kind(&self, api_version: &str, kind: &str) -> Option<Kind> {
        Kind::from_wire(api_version, kind)
            .or_else(|| self.find_custom_kind(api_version, |custom| custom.name() == kind))
    }

    /// Finds a served custom kind by API version and plural name.
    pub fn served_resource(&self, api_version: &str, plural: &str) -> Option<Kind> {
        self.find_custom_kind(api_version, |custom| custom.plural() == plural)
    }

    fn find_custom_kind(&self, api_version: &str, matches: impl Fn(Kind) -> bool) -> Option<Kind> {
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
                    .filter(|kind| matches(*kind))
            })
    }
}
