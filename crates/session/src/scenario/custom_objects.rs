//! Custom objects: their kinds are defined by CustomResourceDefinitions in the files. They are read after all files,
//! because a definition may follow its objects.

use podscope_api::custom::Definition;
use podscope_api::{ConvertedObjects, Kind, Located, ProblemKind, Tree, UnsimulatedObject, object_from_tree};
use podscope_protocol::{Problem, Remark};

use super::{ScenarioReader, with_default_namespace};

/// An object of a kind that is not built in, with the index and the name of its file.
pub(super) struct ForeignObject {
    pub(super) file: usize,
    pub(super) file_name: String,
    pub(super) object: Located<UnsimulatedObject>,
}

impl ScenarioReader {
    /// Adds the custom objects whose kinds are defined in the files. Other objects of unknown kinds are left out with a
    /// notice.
    pub(super) fn add_defined_objects(&mut self) {
        for foreign in std::mem::take(&mut self.foreign) {
            let Some(kind) = self.defined_kind(&foreign.object.value) else {
                let kind = foreign.object.value.kind.to_string();
                *self.others.entry(kind).or_default() += 1;
                continue;
            };
            match object_from_tree(kind, &Tree::from_value(&foreign.object.value.raw)) {
                Ok(object) => {
                    self.loaded.places.push((foreign.file, foreign.object.at));
                    self.loaded.setup.objects.push(with_default_namespace(object));
                }
                Err(errors) => {
                    let at = foreign.object.at;
                    for error in errors {
                        self.report_unread(Problem {
                            file: foreign.file_name.clone(),
                            document: at.document,
                            line: at.line,
                            column: at.column,
                            path: error.path,
                            message: error.message.into(),
                            kind: ProblemKind::Other,
                        });
                    }
                }
            }
        }
        for (kind, count) in std::mem::take(&mut self.others) {
            self.loaded.notices.push(Remark::NotSimulated { kind, count });
        }
    }

    /// Returns the kind of a custom object, if a CustomResourceDefinition in the files defines and serves it.
    fn defined_kind(&self, object: &UnsimulatedObject) -> Option<Kind> {
        let (group, version) = object.api_version.split_once('/')?;
        let definitions = self.loaded.setup.objects.iter().filter_map(Definition::of);
        let versions = definitions
            .filter(|definition| definition.group() == group)
            .filter_map(|definition| definition.version(version));
        versions
            .filter(|version| version.is_served())
            .map(|version| version.kind())
            .find(|kind| kind.name() == &*object.kind)
    }
}

/// Returns the notice about objects that were converted from an older API version.
pub(super) fn conversion_notice(from: &ConvertedObjects) -> Remark {
    Remark::Converted {
        kind: from.kind.name().to_owned(),
        api_version: from.api_version.to_string(),
        count: from.count,
    }
}
