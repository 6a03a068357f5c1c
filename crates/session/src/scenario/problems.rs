//! What is wrong with the objects of a scenario, each problem with its place in the files.

use std::sync::Arc;

use podscope_api::{Kind, Lines, Object, Tree, default_object, generate_job_selector, validate};

use super::{Loaded, with_namespace};
use podscope_protocol::Problem;

/// Most problems of objects that are listed with their places.
pub const MAX_PLACED: usize = 1000;

impl Loaded {
    /// Problems of objects of the setup: index, field path and message of each. More than [`MAX_PLACED`] are
    /// counted, not listed.
    pub fn problems_of(&self, found: impl IntoIterator<Item = (usize, String, String)>) -> Vec<Problem> {
        let mut problems: Vec<Problem> = Vec::new();
        let mut unlisted = 0_usize;
        let mut lines: Vec<Option<Lines<'_>>> = self.files.iter().map(|_| None).collect();
        // The object that was read last: its problems come together.
        let mut last: Option<(usize, Option<Tree>)> = None;
        for (index, path, message) in found {
            if problems.len() >= MAX_PLACED {
                unlisted += 1;
                continue;
            }
            let (file, location) = self.places.get(index).copied().unwrap_or_default();
            let (name, text) = self
                .files
                .get(file)
                .map_or(("", ""), |(name, text)| (name.as_str(), text.as_str()));
            if last.as_ref().is_none_or(|(known, _)| *known != index) {
                let tree = lines
                    .get_mut(file)
                    .and_then(|lines| lines.get_or_insert_with(|| Lines::new(text)).tree(&location));
                last = Some((index, tree));
            }
            let tree = last.as_ref().and_then(|(_, tree)| tree.as_ref());
            let (line, column) = tree.map_or((location.line, location.column), |tree| tree.position(&path));
            problems.push(Problem {
                file: name.to_owned(),
                document: location.document,
                line,
                column,
                path,
                message,
            });
        }
        if let (1.., Some(last)) = (unlisted, problems.last_mut()) {
            last.message = format!("{} (and {unlisted} more problems)", last.message);
        }
        problems
    }

    /// What the API server would not accept of the objects that could be read, where others could not: each by itself,
    /// for what it names may be among the others.
    pub(super) fn invalid_objects(&self) -> Vec<Problem> {
        let objects = self.setup.objects.iter().enumerate();
        // Nodes and live objects are taken as they are.
        let posted = objects.filter(|(_, object)| object.kind() != Kind::Node && object.metadata().uid.is_empty());
        self.problems_of(posted.flat_map(|(index, object)| {
            let mut object = with_namespace(object.clone());
            let metadata = object.metadata_mut();
            if metadata.name.is_empty() && !metadata.generate_name.is_empty() {
                metadata.name = metadata
                    .generate_name
                    .chars()
                    .take(58)
                    .chain("00000".chars())
                    .collect::<String>()
                    .into();
            }
            default_object(&mut object);
            if let Object::Job(job) = &mut object {
                generate_job_selector(Arc::make_mut(job));
            }
            let found = validate(&object).into_pairs().into_iter();
            found.map(move |(path, message)| (index, path, message))
        }))
    }
}
