//! Custom kinds in a command line (KC-056). The grammar knows the built-in kinds only; which custom kinds exist depends
//! on the cluster at the time of the command. A command that names an unknown type is parsed to [`Action::Unresolved`],
//! and [`Kubectl::resolved_in`] parses it again with the names of the cluster's CustomResourceDefinitions.

use std::borrow::Cow;
use std::sync::Arc;

use podscope_api::Kind;
use podscope_api::custom::Definition;
use podscope_api::ordered::StableSort as _;
use podscope_cluster::Objects;

use super::flags::Args;
use super::parse::{API_EXTENSION_KINDS, KINDS_IN_CATEGORY_ALL};
use super::{Action, Command, CommandError, DeleteTarget, Kubectl, Selection, Target, Words, parse_line, shell};

/// The custom kinds that a cluster serves, in the order in which kubectl looks them up: by group, then by plural name.
#[derive(Debug, Clone, Default)]
pub(crate) struct CustomKinds(Arc<[CustomKind]>);

/// One custom kind and the names by which command lines refer to it.
#[derive(Debug)]
struct CustomKind {
    /// The kind in each served version, the preferred one first; at least one.
    versions: Vec<Kind>,
    short_names: Vec<String>,
    categories: Vec<String>,
    has_status: bool,
}

impl CustomKinds {
    /// Collects the kinds of all CustomResourceDefinitions that are established.
    pub(crate) fn served_by(objects: &Objects) -> Self {
        let definitions = objects.definitions();
        let established = definitions
            .iter()
            .filter_map(Definition::of)
            .filter(|definition| definition.is_established());
        let kinds = established.filter_map(|definition| {
            let served = definition.served_versions();
            let first = served.first()?;
            let owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect();
            Some(CustomKind {
                versions: served.iter().map(|version| version.kind()).collect(),
                short_names: owned(first.short_names()),
                categories: owned(first.categories()),
                has_status: first.has_status(),
            })
        });
        let mut kinds: Vec<CustomKind> = kinds.collect();
        kinds.stable_sort_by(|a, b| a.group_and_plural().cmp(&b.group_and_plural()));
        Self(kinds.into())
    }

    /// Finds the kind for a resource name: the plural, singular or short name, which may be followed by a group, the
    /// beginning of a group, or version and group. Case is ignored except for short names.
    pub(crate) fn find_named_kind(&self, name: &str) -> Option<Kind> {
        let (bare, qualifier) = name.split_once('.').unwrap_or((name, ""));
        let is_full_name = |kind: &CustomKind| {
            let preferred = kind.preferred_kind();
            let is = |own: &str| own.eq_ignore_ascii_case(bare);
            is(preferred.plural()) || is(preferred.singular())
        };
        let is_short_name = |kind: &CustomKind| kind.short_names.iter().any(|short| short == bare);
        self.find_qualified(qualifier, is_full_name)
            .or_else(|| self.find_qualified(qualifier, is_short_name))
    }

    /// Finds a kind that satisfies `is_named` and that `qualifier` denotes: as `VERSION.GROUP`, or else as `GROUP`, or
    /// else as the beginning of a group.
    fn find_qualified(&self, qualifier: &str, is_named: impl Fn(&CustomKind) -> bool) -> Option<Kind> {
        let named: Vec<&CustomKind> = self.0.iter().filter(|kind| is_named(kind)).collect();
        let of_version = named.iter().flat_map(|kind| &kind.versions).find(|kind| {
            let (group, version) = kind.group_and_version();
            qualifier.strip_prefix(version) == Some(&format!(".{group}"))
        });
        let of_group = || named.iter().find(|kind| kind.preferred_kind().group() == qualifier);
        let of_prefix = || {
            named
                .iter()
                .find(|kind| kind.preferred_kind().group().starts_with(qualifier))
        };
        of_version
            .copied()
            .or_else(|| of_group().or_else(of_prefix).map(|kind| kind.preferred_kind()))
    }

    /// Finds a kind by API version and kind name.
    pub(crate) fn served_kind(&self, api_version: &str, name: &str) -> Option<Kind> {
        self.kinds_in_all_versions()
            .find(|kind| kind.api_version() == api_version && kind.name() == name)
    }

    /// Returns each kind once per served version.
    pub(crate) fn kinds_in_all_versions(&self) -> impl Iterator<Item = Kind> {
        self.0.iter().flat_map(|kind| kind.versions.iter().copied())
    }

    /// Returns each kind in its preferred version, with its short names and its categories.
    pub(crate) fn into_names_and_categories(self) -> Vec<(Kind, Vec<String>, Vec<String>)> {
        let listed = |kind: &CustomKind| (kind.preferred_kind(), kind.short_names.clone(), kind.categories.clone());
        self.0.iter().map(listed).collect()
    }

    /// Returns the custom kinds of a category.
    pub(crate) fn of_category(&self, category: &str) -> Vec<Kind> {
        let members = self
            .0
            .iter()
            .filter(|kind| kind.categories.iter().any(|own| own == category));
        members.map(CustomKind::preferred_kind).collect()
    }
}

impl CustomKind {
    /// Returns the kind in its preferred version.
    fn preferred_kind(&self) -> Kind {
        self.versions[0]
    }

    fn group_and_plural(&self) -> (&'static str, &'static str) {
        let kind = self.preferred_kind();
        (kind.group(), kind.plural())
    }
}

/// Returns kubectl's error for kinds that are not in its scheme, because it has no Go types for them.
pub(super) fn unregistered_kind_error(kind: Kind) -> String {
    format!(
        "error: no kind {:?} is registered for version {:?} in scheme \"pkg/scheme/scheme.go:28\"",
        kind.name(),
        kind.api_version()
    )
}

impl Args {
    /// Finds the kind of a resource name.
    pub(super) fn kind_named(&self, name: &str) -> Option<Kind> {
        let custom = || self.custom.as_ref()?.find_named_kind(name);
        Kind::from_resource_name(name).or_else(custom)
    }

    /// Finds a kind by API version and kind name.
    pub(super) fn kind_of_manifest(&self, api_version: &str, name: &str) -> Option<Kind> {
        let custom = || self.custom.as_ref()?.served_kind(api_version, name);
        Kind::from_wire(api_version, name).or_else(custom)
    }

    /// Returns the kinds of a category; empty if the category does not exist.
    pub(super) fn kinds_of_category(&self, category: &str) -> Vec<Kind> {
        let built_in = match category {
            "all" => KINDS_IN_CATEGORY_ALL,
            podscope_api::API_EXTENSIONS => API_EXTENSION_KINDS,
            _ => &[],
        };
        let custom = self.custom.as_ref().map(|custom| custom.of_category(category));
        built_in.iter().copied().chain(custom.unwrap_or_default()).collect()
    }

    /// Returns whether objects of a kind have the `status` subresource; assumed for built-in kinds.
    pub(super) fn has_status_subresource(&self, kind: Kind) -> bool {
        let custom = self.custom.as_ref().map(|custom| custom.0.iter());
        let found = custom
            .into_iter()
            .flatten()
            .find(|custom| custom.preferred_kind() == kind);
        found.is_none_or(|custom| custom.has_status)
    }

    /// Returns an error about a resource type that is not built in and not among the known custom kinds. If the line is
    /// parsed without custom kinds, the type may exist: `needs_custom_kinds` is set, and the command is then kept
    /// unresolved ([`Kubectl::resolved_in`]) instead of refused.
    pub(super) fn unknown_type_error(&self, column: u32, message: String) -> CommandError {
        CommandError {
            needs_custom_kinds: self.custom.is_none(),
            ..CommandError::new(column, message)
        }
    }
}

impl Kubectl {
    /// Returns the command with its resource types resolved to the custom kinds of a cluster.
    ///
    /// # Errors
    /// The command names a type that the cluster does not have, or has errors that kubectl reports only after it has
    /// looked up the types.
    pub fn resolved_in(&self, objects: &Objects) -> Result<Cow<'_, Kubectl>, CommandError> {
        let command = self.resolved(&CustomKinds::served_by(objects))?;
        command.check_no_custom_targets(objects)?;
        Ok(command)
    }

    /// Like [`Kubectl::resolved_in`], but looks up the types in `custom`.
    pub(super) fn resolved(&self, custom: &CustomKinds) -> Result<Cow<'_, Kubectl>, CommandError> {
        let Some(words) = self.unresolved_words() else {
            return Ok(self.with_custom_kinds_of_all(custom));
        };
        let line = shell::split(&words.to_string())?;
        match parse_line(line, Some(custom))? {
            Command::Kubectl { action, .. } => Ok(Cow::Owned(action)),
            _ => Ok(Cow::Borrowed(self)),
        }
    }

    /// Returns an error if custom objects are the target of a verb that kubectl supports for built-in types only.
    fn check_no_custom_targets(&self, objects: &Objects) -> Result<(), CommandError> {
        let target = match self {
            Kubectl::Rollout { target, .. } | Kubectl::SetImage { target, .. } => target,
            Kubectl::Verbatim(verbatim) => match &verbatim.action {
                Action::Set { target, .. } => target,
                Action::Expose(expose) => &expose.target,
                _ => return Ok(()),
            },
            _ => return Ok(()),
        };
        let custom = target.kinds().into_iter().find(|kind| matches!(kind, Kind::Custom(_)));
        match custom {
            Some(kind) if crate::count_selected(target, objects) > 0 => {
                Err(CommandError::new(1, unregistered_kind_error(kind)))
            }
            _ => Ok(()),
        }
    }

    /// Returns whether the command names types that are not built in.
    pub fn is_unresolved(&self) -> bool {
        self.unresolved_words().is_some()
    }

    fn unresolved_words(&self) -> Option<&Words> {
        match self {
            Kubectl::Verbatim(verbatim) => match &verbatim.action {
                Action::Unresolved(words) => Some(words),
                _ => None,
            },
            _ => None,
        }
    }

    /// Adds the custom kinds of the category `all` to a command whose target is that category.
    fn with_custom_kinds_of_all(&self, custom: &CustomKinds) -> Cow<'_, Kubectl> {
        let further = custom.of_category("all");
        if further.is_empty() {
            return Cow::Borrowed(self);
        }
        let mut command = self.clone();
        match command.target_mut().map(|target| &mut target.selection) {
            Some(Selection::Kinds { kinds, .. }) if kinds == KINDS_IN_CATEGORY_ALL => kinds.extend(further),
            _ => return Cow::Borrowed(self),
        }
        Cow::Owned(command)
    }

    /// Returns the target of a verb that accepts the category `all`.
    fn target_mut(&mut self) -> Option<&mut Target> {
        match self {
            Kubectl::Get(get) => Some(&mut get.target),
            Kubectl::Describe(describe) => Some(&mut describe.target),
            Kubectl::Delete(delete) => match &mut delete.objects {
                DeleteTarget::Target(target) => Some(target),
                DeleteTarget::Manifest { .. } => None,
            },
            Kubectl::Label(mark) | Kubectl::Annotate(mark) => Some(&mut mark.target),
            _ => None,
        }
    }
}
