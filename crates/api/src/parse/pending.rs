//! Objects of kinds that are not built in: they wait until all CustomResourceDefinitions of the text have been read.

use crate::custom::{Definition, Version};
use crate::tree::Tree;
use crate::{Kind, Object, limits, served};

use super::{Located, Location, Problem, Reader, typed, unserved};

/// An object that waits, and where its value or its problem belongs.
pub(super) struct Pending {
    tree: Tree<'static>,
    at: Location,
    api_version: String,
    kind: String,
    /// How many objects and problems stand before it.
    objects: usize,
    problems: usize,
}

/// Whether an API version may be one that a definition defines: its group is a domain.
pub(super) fn may_be_defined(api_version: &str) -> bool {
    let group = api_version.split_once('/').map_or("", |(group, _)| group);
    group.contains('.')
}

/// The kinds that the definitions among objects define.
fn defined<'o>(objects: impl Iterator<Item = &'o Object>) -> Vec<Kind> {
    let definitions = objects.filter_map(Definition::of);
    definitions
        .flat_map(|definition| definition.versions().map(Version::kind).collect::<Vec<_>>())
        .collect()
}

impl Reader {
    pub(super) fn wait(&mut self, node: &Tree<'_>, at: Location, api_version: &str, kind: &str) {
        self.pending.push(Pending {
            tree: node.owned(),
            at,
            api_version: api_version.to_owned(),
            kind: kind.to_owned(),
            objects: self.parsed.objects.len(),
            problems: self.parsed.problems.len(),
        });
    }

    /// Takes the waiting objects of a list, which is about to be put behind what was read so far.
    pub(super) fn take_pending(&mut self, items: Vec<Pending>) {
        let (objects, problems) = (self.parsed.objects.len(), self.parsed.problems.len());
        self.pending.extend(items.into_iter().map(|one| Pending {
            objects: one.objects + objects,
            problems: one.problems + problems,
            ..one
        }));
    }

    /// Puts each waiting object, or the problem that its kind is not served, where it belongs.
    pub(super) fn place_pending(&mut self) {
        let pending = std::mem::take(&mut self.pending);
        if pending.is_empty() {
            return;
        }
        let kinds = defined(self.parsed.objects.iter().map(|located| &located.value));
        let (mut objects, mut problems) = (Vec::new(), Vec::new());
        for one in pending {
            let is_it = |kind: &&Kind| kind.api_version() == one.api_version && kind.name() == one.kind;
            let problem = |path: &str, (line, column): (u32, u32), message: String, kind| Problem {
                document: one.at.document,
                line,
                column,
                path: path.to_owned(),
                message,
                kind,
            };
            match kinds.iter().find(is_it).map(|kind| typed(*kind, &one.tree)) {
                Some(Ok(value)) => objects.push((one.objects, Located { value, at: one.at })),
                Some(Err(errors)) => problems.extend(errors.into_iter().map(|error| {
                    let at = (error.line, error.column);
                    (one.problems, problem(&error.path, at, error.message, error.kind))
                })),
                None => {
                    let message = served::no_matches(&one.api_version, &one.kind);
                    let kind = unserved(&one.api_version, &one.kind);
                    let at = one.tree.position("kind");
                    problems.push((one.problems, problem("kind", at, message, kind)));
                }
            }
        }
        self.parsed.objects = merged(std::mem::take(&mut self.parsed.objects), objects);
        let all = merged(std::mem::take(&mut self.parsed.problems), problems);
        let mut left = all.into_iter();
        self.parsed.problems.extend(left.by_ref().take(limits::PROBLEMS));
        for one in left {
            self.problem_of(one.kind, one.document, (one.line, one.column), &one.path, one.message);
        }
    }
}

/// A list with others in their places.
fn merged<T>(list: Vec<T>, others: Vec<(usize, T)>) -> Vec<T> {
    let mut found = Vec::with_capacity(list.len() + others.len());
    let mut others = others.into_iter().peekable();
    for (index, item) in list.into_iter().enumerate() {
        while let Some((_, other)) = others.next_if(|(before, _)| *before <= index) {
            found.push(other);
        }
        found.push(item);
    }
    found.extend(others.map(|(_, other)| other));
    found
}
