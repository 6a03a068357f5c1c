//! Reports problems of a scenario's objects with their positions in the files.

use std::borrow::Cow;
use std::sync::Arc;

use podscope_api::{Kind, LineIndex, Object, Tree, default_object, generate_job_selector, validate};

use podscope_cluster::Cause;

use super::{Loaded, with_default_namespace};
use podscope_messages::sentence;
use podscope_protocol::Problem;

/// Maximum number of problems that are listed with their positions.
pub const MAX_PROBLEMS_WITH_POSITION: usize = 1000;

impl Loaded {
    /// Adds positions in the files to problems of objects. Each problem is given with the index of its object in the
    /// setup. Problems beyond [`MAX_PROBLEMS_WITH_POSITION`] are only counted.
    pub fn problems_of(&self, found: impl IntoIterator<Item = (usize, Cause)>) -> Vec<Problem> {
        let mut problems: Vec<Problem> = Vec::new();
        let mut unlisted = 0_usize;
        let texts: Vec<std::cell::OnceCell<Cow<'_, str>>> = self.files.iter().map(|_| Default::default()).collect();
        let mut lines: Vec<Option<LineIndex<'_>>> = self.files.iter().map(|_| None).collect();
        // Parsed document of the previous problem's object. It is reused, because the problems of one object are
        // consecutive.
        let mut last: Option<(usize, Option<Tree>)> = None;
        for (index, cause) in found {
            if problems.len() >= MAX_PROBLEMS_WITH_POSITION {
                unlisted += 1;
                continue;
            }
            let (file, location) = self.places.get(index).copied().unwrap_or_default();
            let (name, text) = self
                .files
                .get(file)
                .map_or(("", ""), |(name, text)| (name.as_str(), text.as_str()));
            // Positions refer to the text of the manifest, without other text around it.
            let text = texts
                .get(file)
                .map_or(text, |known| known.get_or_init(|| super::extract_manifests(text).text));
            if last.as_ref().is_none_or(|(known, _)| *known != index) {
                let tree = lines.get_mut(file).and_then(|lines| {
                    lines
                        .get_or_insert_with(|| LineIndex::new(text))
                        .parse_tree_at(&location)
                });
                last = Some((index, tree));
            }
            let tree = last.as_ref().and_then(|(_, tree)| tree.as_ref());
            let (line, column) = tree.map_or((location.line, location.column), |tree| tree.position(&cause.about));
            problems.push(Problem {
                file: name.to_owned(),
                document: location.document,
                line,
                column,
                path: cause.about,
                message: cause.message.into(),
                kind: cause.kind,
            });
        }
        if let (1.., Some(last)) = (unlisted, problems.last_mut()) {
            let problem = std::mem::take(&mut last.message);
            last.message = sentence!(refused::and_more, problem = problem, count = unlisted);
        }
        problems
    }

    /// Returns the problems of the objects that could be read, if other objects could not be read. Each object is
    /// validated alone, because objects to which it refers may be among the unreadable ones.
    pub(super) fn invalid_objects(&self) -> Vec<Problem> {
        let objects = self.setup.objects.iter().enumerate();
        // Nodes and live objects are not validated.
        let posted = objects.filter(|(_, object)| object.kind() != Kind::Node && object.metadata().uid.is_empty());
        self.problems_of(posted.flat_map(|(index, object)| {
            let mut object = with_default_namespace(object.clone());
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
            validate(&object).into_iter().map(move |error| (index, error.into()))
        }))
    }
}

#[cfg(test)]
mod tests {
    use podscope_api::ProblemKind;

    /// Each problem has a kind, by which the page finds further explanations. The messages are those of the API server.
    /// Shows: U-07
    #[test]
    fn problems_have_the_expected_kind() {
        let pod =
            |name: &str, spec: &str| format!("apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}}}\nspec: {spec}\n");
        let unserved = ProblemKind::Unserved {
            api_version: "v1".into(),
            kind: "Deployment".into(),
        };
        for (text, wanted) in [
            (
                "apiVersion: podscope.dev/v1alpha1\nkind: Scenario\nmetadata: {name: x}\nspec: {step: 1}\n".to_owned(),
                ProblemKind::UnknownField,
            ),
            (pod("Big", "{containers: [{name: c, image: x}]}"), ProblemKind::NoName),
            (pod("p", "{containers: []}"), ProblemKind::Required),
            (pod("p", "{containers: [{name: 1, image: x}]}"), ProblemKind::NoText),
            (pod("p", "{containers: {a: 1}}"), ProblemKind::OtherType),
            (
                pod("p", "{containers: [{name: c, image: x, resources: {requests: {cpu: much}}}]}"),
                ProblemKind::NoQuantity,
            ),
            (pod("p", "{restartPolicy: Sometimes, containers: [{name: c, image: x}]}"), ProblemKind::Unsupported),
            (
                pod("p", "{containers: [{name: c, image: x}, {name: c, image: z}]}"),
                ProblemKind::Duplicate,
            ),
            (
                "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\nspec: {selector: {matchLabels: {app: a}}, \
                 template: {metadata: {labels: {app: b}}, spec: {containers: [{name: c, image: x}]}}}\n"
                    .to_owned(),
                ProblemKind::Selector,
            ),
            ("apiVersion: v1\nkind: Deployment\nmetadata: {name: x}\n".to_owned(), unserved),
            ("a: b: c\n".to_owned(), ProblemKind::Syntax),
        ] {
            let files = [("x.yaml".to_owned(), text.clone())];
            let opened = crate::scenario::load(&files).and_then(crate::timeline::Session::new);
            let problems = opened.err().unwrap_or_default();
            let kinds: Vec<_> = problems.iter().map(|problem| &problem.kind).collect();
            assert!(kinds.contains(&&wanted), "{text}{problems:#?}");
        }
    }
}
