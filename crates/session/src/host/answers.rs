//! Answers to single requests: checks, explanations, help, links, exports.

use podscope_api::explained::{NodeDevices, NodeExplanation};
use podscope_api::schema::{self, Rejection};
use podscope_api::{Data, Kind, Object, Pod, PriorityClass, ProblemKind, Tree};
use podscope_cluster::{Happening, SimTime};
use podscope_messages::Sentence;
use podscope_scheduler::explain::Explained;
use podscope_scheduler::what_would_help::WhatWouldHelp;

use super::export_name_and_media_type;
use super::reader::Reader;
use crate::link::Compared;
use crate::report;
use crate::scenario::{self, Loaded};
use crate::timeline::Session;
use crate::view::{self, pod_key};
use crate::whatif;
use podscope_protocol::{AnswerLimitation, AttemptInfo, ExportKind, Problem, TextKind, Update, device_words};

/// Checks a text of the editor without opening it. Manifests without a Scenario may be meant for the running cluster,
/// so they may refer to its namespaces and PriorityClasses.
pub(super) fn check_text(text: &str, revision: u64, running: Option<&Session>) -> Update {
    let loaded = scenario::load(&[(String::new(), text.to_owned())]).map(|mut loaded| {
        if let Some(session) = running.filter(|_| !loaded.has_scenario) {
            add_sharable_cluster_objects(&mut loaded, session);
        }
        loaded
    });
    let (problems, advice) = match loaded.and_then(Session::new) {
        Ok(session) => {
            let mut advice = session.loaded().advice.clone();
            // A truncated text can be opened when pasted, but in the editor it is an error: the text is unfinished.
            let cut = session.loaded().basis.iter().find_map(|basis| match basis {
                AnswerLimitation::Cut { line, .. } => Some((*line, basis.sentence())),
                _ => None,
            });
            // `kubectl apply` refuses unknown fields. In a scenario, unknown fields are kept, and kinds that are not
            // served are listed in notices.
            if session.loaded().has_scenario {
                advice.extend(unknown_fields(text, false));
                (Vec::new(), advice)
            } else {
                let mut problems = unknown_fields(text, true);
                problems.extend(cut.map(|(line, message)| Problem {
                    line,
                    column: 1,
                    ..Problem::of_file("", message)
                }));
                (problems, advice)
            }
        }
        Err(problems) if scenario::recognise(text) >= TextKind::Scenario => (problems, Vec::new()),
        // Problems of strict decoding come first, as on the API server: an unknown field often explains why a required
        // one is missing.
        Err(problems) => {
            let mut all = unknown_fields(text, true);
            let is_listed = |problem: &Problem| all.iter().any(|known| known.message == problem.message);
            let rest: Vec<Problem> = problems.into_iter().filter(|problem| !is_listed(problem)).collect();
            all.extend(rest);
            (all, Vec::new())
        }
    };
    Update::Checked {
        revision,
        kind: scenario::recognise(text),
        problems,
        advice,
    }
}

/// Returns the unknown fields of the objects in a text as problems and, if `reports_unserved_kinds` is true, also the
/// kinds that the API server does not serve. The messages are those of the API server.
fn unknown_fields(text: &str, reports_unserved_kinds: bool) -> Vec<Problem> {
    let (documents, _) = podscope_api::read_documents(text);
    let mut found = Vec::new();
    for (document, number) in documents.iter().zip(1u32..) {
        add_unknown_fields(document, number, reports_unserved_kinds, &mut found);
    }
    found
}

fn add_unknown_fields(tree: &Tree<'_>, document: u32, reports_unserved_kinds: bool, found: &mut Vec<Problem>) {
    let text = |name: &str| tree.get(name).and_then(Tree::as_str).unwrap_or_default();
    if let Some(Data::Seq(items)) = tree.get("items").map(|items| &items.data) {
        return items
            .iter()
            .for_each(|item| add_unknown_fields(item, document, reports_unserved_kinds, found));
    }
    let (version, kind) = (text("apiVersion"), text("kind"));
    let Some(served) = schema::served(version, kind) else {
        // Configuration files of components are not objects of the API.
        let is_checked = reports_unserved_kinds && kind != "List" && !version.contains(".config.k8s.io/");
        if is_checked && !version.is_empty() && !kind.is_empty() {
            let (line, column) = line_and_column_of(tree, "kind");
            found.push(Problem {
                file: String::new(),
                document,
                line,
                column,
                path: "kind".to_owned(),
                message: format!("no matches for kind {kind:?} in version {version:?}").into(),
                kind: ProblemKind::Unserved {
                    api_version: version.to_owned(),
                    kind: kind.to_owned(),
                },
            });
        }
        return;
    };
    let Err(Rejection::Unknown(fields)) = schema::decode_object(served.fields, tree) else {
        return;
    };
    for field in fields {
        let (line, column) = line_and_column_of(tree, &field);
        let why = Rejection::Unknown(vec![field]);
        found.push(Problem {
            file: String::new(),
            document,
            line,
            column,
            path: String::new(),
            message: why.to_string().into(),
            kind: ProblemKind::UnknownField,
        });
    }
}

/// Returns line and column of a field such as `spec.containers[0].image`, or of its nearest ancestor in the text.
fn line_and_column_of(tree: &Tree<'_>, path: &str) -> (u32, u32) {
    let (mut at, mut place) = (tree, (tree.line, tree.column));
    for part in path.split('.') {
        let (name, indices) = part.split_at(part.find('[').unwrap_or(part.len()));
        if let Data::Map(entries) = &at.data
            && let Some(entry) = entries.iter().find(|entry| entry.key == name)
        {
            (at, place) = (&entry.value, (entry.line, entry.column));
        }
        for index in indices
            .split(['[', ']'])
            .filter_map(|index| index.parse::<usize>().ok())
        {
            if let Data::Seq(items) = &at.data
                && let Some(item) = items.get(index)
            {
                at = item;
            }
        }
    }
    place
}

/// Adds the running cluster's namespaces and PriorityClasses that the loaded manifests do not define themselves.
fn add_sharable_cluster_objects(loaded: &mut Loaded, session: &Session) {
    let objects = session.world().objects();
    let sharable = [Kind::Namespace, Kind::PriorityClass].map(|kind| objects.list_kind(kind));
    let defined: Vec<_> = loaded
        .setup
        .objects
        .iter()
        .map(|object| (object.kind(), object.metadata().name.clone()))
        .collect();
    let added: Vec<Object> = sharable
        .into_iter()
        .flatten()
        .filter(|object| {
            let name = &object.metadata().name;
            !name.starts_with("system-")
                && !podscope_cluster::INITIAL_NAMESPACES.contains(&&**name)
                && !defined.contains(&(object.kind(), name.clone()))
        })
        .collect();
    loaded
        .places
        .splice(..0, std::iter::repeat_n(Default::default(), added.len()));
    loaded.setup.objects.splice(..0, added);
}

/// Returns the scheduling attempts of a pod up to the cursor, oldest first. If `uid` is empty, returns the attempts of
/// all pods with that name.
fn attempts_of_pod(session: &Session, pod: &str, uid: &str) -> Vec<AttemptInfo> {
    let key = pod_key(pod);
    session
        .attempts_of(&key)
        .filter(|record| uid.is_empty() || (record.object.as_ref()).is_some_and(|subject| *subject.uid.0 == *uid))
        .filter_map(|record| match &record.happening {
            Happening::Attempt { result, .. } => Some(AttemptInfo {
                id: record.seq,
                at: record.at.0,
                verdict: result.verdict(),
            }),
            _ => None,
        })
        .collect()
}

/// Explains the scheduling attempt with the given sequence number, by default the pod's last one. None if the pod has
/// no such attempt.
pub(super) fn explain(session: &Session, pod: String, uid: String, attempt: Option<u64>) -> Option<Update> {
    let attempts = attempts_of_pod(session, &pod, &uid);
    let (attempt, explained) = match attempt.or(attempts.last().map(|last| last.id)) {
        Some(id) => {
            let known = attempts.iter().find(|known| known.id == id)?;
            (id, Some(session.explain(known.id)?))
        }
        None => (0, None),
    };
    Some(Update::Explanation {
        pod,
        uid,
        attempts,
        attempt,
        devices: explained.as_ref().map(device_lines).unwrap_or_default(),
        explanation: explained.map(|explained| Box::new(explained.explanation)),
    })
}

/// Returns, for each node with explained devices, its name and the sentences about its devices.
fn device_lines(explained: &Explained) -> Vec<(String, Vec<Sentence>)> {
    let lines = |(node, devices): (&NodeExplanation, Option<&NodeDevices>)| {
        Some((node.name.clone(), device_words::node_device_lines(devices?)))
    };
    explained.nodes().filter_map(lines).collect()
}

/// A search for remedies: changes after which a pending pod could be scheduled (S-15).
#[derive(Debug)]
pub(super) struct RemedySearch {
    pod: String,
    search: WhatWouldHelp,
    creator: view::PodCreator,
    /// Sentences about whether existing nodes, or a new node of each node group, could run the pod.
    groups: Vec<Sentence>,
    is_done: bool,
}

impl RemedySearch {
    /// Starts a search for changes that would help a pod. None if the pod does not exist or has a node, or if no
    /// scheduler runs.
    pub(super) fn start(session: &Session, pod: &str) -> Option<RemedySearch> {
        let objects = session.world().objects();
        let found = objects.get::<Pod>(&pod_key(pod))?;
        if found.spec.node_name.is_some() {
            return None;
        }
        let classes: Vec<_> = objects.list::<PriorityClass>().cloned().collect();
        Some(RemedySearch {
            pod: pod.to_owned(),
            search: WhatWouldHelp::new(session.world().scheduler()?, found, &classes),
            creator: view::PodCreator::of(objects, found),
            groups: whatif::group_answers_for_pod(session, found)
                .map_or_else(Vec::new, |asked| whatif::group_lines(&asked)),
            is_done: false,
        })
    }

    /// Returns the key of the pod for which changes are searched, as `NAMESPACE/NAME`.
    pub(super) fn pod(&self) -> &str {
        &self.pod
    }

    pub(super) fn is_done(&self) -> bool {
        self.is_done
    }

    pub(super) fn work(&mut self) -> Option<Update> {
        let before = self.search.suggestions().len();
        let progress = self.search.step();
        self.is_done = progress.finished;
        let per_mille = u32::try_from(progress.done * 1000 / progress.total.max(1))
            .unwrap_or(1000)
            .min(1000);
        (self.is_done || self.search.suggestions().len() != before).then(|| Update::Help {
            pod: self.pod.clone(),
            remedies: self
                .search
                .suggestions()
                .iter()
                .map(|suggestion| view::remedy(self.search.pod(), &self.creator, suggestion))
                .collect(),
            groups: self.groups.clone(),
            per_mille: if self.is_done { 1000 } else { per_mille },
            done: self.is_done,
        })
    }

    pub(super) fn remedy_command(&self, index: usize) -> Option<String> {
        let suggestion = self.search.suggestions().get(index)?;
        view::command_for_change(self.search.pod(), &self.creator, &suggestion.change)
    }
}

/// A link that the page has requested.
#[derive(Debug)]
pub(super) struct RequestedLink {
    pub(super) screen: String,
    pub(super) anonymise: bool,
    pub(super) revision: u64,
}

impl RequestedLink {
    /// Creates the link of the session at the cursor.
    pub(super) fn create_link(
        self,
        session: &Session,
        lesson: Option<&str>,
        reader: &Reader,
        compared: Option<&Compared>,
    ) -> Update {
        let has_story = !session.loaded().scenario.steps.is_empty();
        let link = crate::link::Link {
            reading: has_story.then(|| reader.saved_state()),
            ..crate::link::Link::of(session, lesson, self.screen)
        }
        .with_comparison(compared, session);
        let whole = link.with_all_branches(session).filter(|_| !self.anonymise);
        let link = match self.anonymise {
            true => link.anonymised(),
            false => link,
        };
        let fragment = link.encode();
        Update::Link {
            length: crate::link::length_warning(&fragment),
            fragment,
            whole: whole.map(|link| link.encode()),
            revision: self.revision,
            anonymised: self.anonymise,
        }
    }
}

/// Checks a text as a lesson. Returns its problems or, if it has none, the violated rules for lessons.
pub(super) fn check_lesson(text: String, revision: u64) -> Update {
    let kind = scenario::recognise(&text);
    let (problems, advice) = match crate::scenario::load(&[("editor.yaml".to_owned(), text)]) {
        Ok(loaded) => {
            let complaints = crate::author::violated_lesson_rules(&loaded).into_iter();
            (
                Vec::new(),
                complaints.map(|complaint| Problem::of_file("", complaint)).collect(),
            )
        }
        Err(problems) => (problems, Vec::new()),
    };
    Update::Checked {
        revision,
        kind,
        problems,
        advice,
    }
}

/// Exports a session as a file of the given kind.
pub(super) fn export(session: &Session, what: ExportKind) -> Update {
    let text = match what {
        ExportKind::Objects => report::objects(session),
        ExportKind::Trace => report::trace(session.trace()),
        ExportKind::Scenario => crate::export::scenario(session),
        ExportKind::Picture | ExportKind::Image => crate::export::picture(session),
        ExportKind::Lesson => crate::export::lesson_draft(session, &[]),
        ExportKind::Names => crate::rename::table_text(
            &crate::link::Link::of(session, None, String::new())
                .renamed_with_table()
                .1,
        ),
    };
    download_update(what, text)
}

/// Lists the problems of a session's cluster by triage.
pub(super) fn triage(session: &Session, anonymised: bool) -> Update {
    Update::Triage {
        findings: crate::triage::triage(session, &crate::triage::Scope::default()),
        at: session.now().0,
        anonymised,
        is_early: false,
    }
}

/// Lists the problems of a dump by triage before its session starts. `None` if objects of the dump are invalid: the
/// start of the session then reports the errors.
pub(super) fn early_triage(loaded: &Loaded) -> Option<Update> {
    let objects = loaded.objects_at_start().ok()?;
    let scope = crate::triage::Scope::default();
    Some(Update::Triage {
        findings: crate::triage::triage_objects(&objects, loaded, SimTime::ZERO, &scope),
        at: 0,
        anonymised: false,
        is_early: true,
    })
}

/// Returns the update that offers a text as a download.
pub(super) fn download_update(what: ExportKind, text: String) -> Update {
    let (name, media_type) = export_name_and_media_type(what);
    Update::File {
        name: name.into(),
        media_type: media_type.into(),
        text,
    }
}
