//! Answers to single requests: checks, explanations, help, links, exports.

use podscope_api::schema::{self, Rejection};
use podscope_api::{Data, Kind, Object, Pod, PriorityClass, ProblemKind, Tree};
use podscope_cluster::{AttemptResult, Happening};
use podscope_scheduler::what_would_help::WhatWouldHelp;

use super::file_kind;
use super::reader::Reader;
use crate::report;
use crate::scenario::{self, Loaded};
use crate::timeline::Session;
use crate::view::{self, pod_key};
use podscope_protocol::{AttemptInfo, Basis, ExportKind, Outcome, Problem, TextKind, Update};

/// What is wrong with a text, without opening it. Manifests without a scenario may be meant for the running cluster:
/// they find its namespaces and priority classes.
pub(super) fn check(text: &str, revision: u64, running: Option<&Session>) -> Update {
    let loaded = scenario::load(&[(String::new(), text.to_owned())]).map(|mut loaded| {
        if let Some(session) = running.filter(|_| !loaded.has_scenario) {
            lend(&mut loaded, session);
        }
        loaded
    });
    let (problems, advice) = match loaded.and_then(Session::new) {
        Ok(session) => {
            let mut advice = session.loaded().advice.clone();
            // What opens when it is pasted is still to be finished by who writes it.
            let cut = session.loaded().basis.iter().find_map(|basis| match basis {
                Basis::Cut { line, .. } => Some((*line, basis.to_string())),
                _ => None,
            });
            // `kubectl apply` refuses them; what a scenario brings is kept, and kinds that are not served are listed.
            if session.loaded().has_scenario {
                advice.extend(unknown(text, false));
                (Vec::new(), advice)
            } else {
                let mut problems = unknown(text, true);
                problems.extend(cut.map(|(line, message)| Problem {
                    line,
                    column: 1,
                    ..Problem::of("", message)
                }));
                (problems, advice)
            }
        }
        Err(problems) if scenario::recognise(text) >= TextKind::Scenario => (problems, Vec::new()),
        // As the server does: strict decoding first, which says why a field is missing that looks to be there.
        Err(problems) => {
            let mut all = unknown(text, true);
            let is_said = |problem: &Problem| all.iter().any(|known| known.message == problem.message);
            let rest: Vec<Problem> = problems.into_iter().filter(|problem| !is_said(problem)).collect();
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

/// Fields of the objects in a text that the API server does not know, and their kinds if they are to be served, in its
/// words and at their places.
fn unknown(text: &str, with_kinds: bool) -> Vec<Problem> {
    let (documents, _) = podscope_api::read_documents(text);
    let mut found = Vec::new();
    for (document, number) in documents.iter().zip(1u32..) {
        unknown_in(document, number, with_kinds, &mut found);
    }
    found
}

fn unknown_in(tree: &Tree<'_>, document: u32, with_kinds: bool, found: &mut Vec<Problem>) {
    let word = |name: &str| tree.get(name).and_then(Tree::as_str).unwrap_or_default();
    if let Some(Data::Seq(items)) = tree.get("items").map(|items| &items.data) {
        return items
            .iter()
            .for_each(|item| unknown_in(item, document, with_kinds, found));
    }
    let (version, kind) = (word("apiVersion"), word("kind"));
    let Some(served) = schema::served(version, kind) else {
        // A component's configuration is for who starts anew.
        let is_told = with_kinds && kind != "List" && !version.contains(".config.k8s.io/");
        if is_told && !version.is_empty() && !kind.is_empty() {
            let (line, column) = place_of(tree, "kind");
            found.push(Problem {
                file: String::new(),
                document,
                line,
                column,
                path: "kind".to_owned(),
                message: format!("no matches for kind {kind:?} in version {version:?}"),
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
        let (line, column) = place_of(tree, &field);
        found.push(Problem {
            file: String::new(),
            document,
            line,
            column,
            path: String::new(),
            message: format!("strict decoding error: unknown field {field:?}"),
            kind: ProblemKind::UnknownField,
        });
    }
}

/// Line and column of a field such as `spec.containers[0].image`; of what holds it, as far as it is found.
fn place_of(tree: &Tree<'_>, path: &str) -> (u32, u32) {
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

/// Puts what manifests may refer to before them, where they do not bring it along.
fn lend(loaded: &mut Loaded, session: &Session) {
    let objects = session.world().objects();
    let lendable = [Kind::Namespace, Kind::PriorityClass].map(|kind| objects.list_kind(kind));
    let own: Vec<_> = loaded
        .setup
        .objects
        .iter()
        .map(|o| (o.kind(), o.metadata().name.clone()))
        .collect();
    let lent: Vec<Object> = lendable
        .into_iter()
        .flatten()
        .filter(|o| {
            let name = &o.metadata().name;
            !name.starts_with("system-")
                && !podscope_cluster::OWN_NAMESPACES.contains(&&**name)
                && !own.contains(&(o.kind(), name.clone()))
        })
        .collect();
    loaded
        .places
        .splice(..0, std::iter::repeat_n(Default::default(), lent.len()));
    loaded.setup.objects.splice(..0, lent);
}

/// Attempts of a pod up to the cursor, oldest first; of every pod of that name if `uid` is empty.
fn attempts(session: &Session, pod: &str, uid: &str) -> Vec<AttemptInfo> {
    let key = pod_key(pod);
    session
        .attempts_of(&key)
        .filter(|record| uid.is_empty() || (record.object.as_ref()).is_some_and(|subject| *subject.uid.0 == *uid))
        .filter_map(|record| match &record.happening {
            Happening::Attempt { result, .. } => Some(AttemptInfo {
                id: record.seq,
                at: record.at.0,
                outcome: outcome(result),
            }),
            _ => None,
        })
        .collect()
}

const fn outcome(result: &AttemptResult) -> Outcome {
    match result {
        AttemptResult::Scheduled { .. } => Outcome::Scheduled,
        AttemptResult::Unschedulable { preempts: Some(_), .. } => Outcome::Preempts,
        AttemptResult::Unschedulable { .. } => Outcome::Unschedulable,
        AttemptResult::Error { .. } | AttemptResult::Skipped => Outcome::Error,
    }
}

/// The explanation of an attempt; none if there is no such attempt.
pub(super) fn explain(session: &Session, pod: String, uid: String, attempt: Option<u64>) -> Option<Update> {
    let attempts = attempts(session, &pod, &uid);
    let (attempt, explanation) = match attempt.or(attempts.last().map(|last| last.id)) {
        Some(id) => {
            let known = attempts.iter().find(|known| known.id == id)?;
            (id, Some(Box::new(view::explanation(session.explain(known.id)?))))
        }
        None => (0, None),
    };
    Some(Update::Explanation {
        pod,
        uid,
        attempts,
        attempt,
        explanation,
    })
}

/// A search for what would help a pending pod (S-15).
#[derive(Debug)]
pub(super) struct Help {
    pod: String,
    search: WhatWouldHelp,
    maker: view::Maker,
    is_done: bool,
}

impl Help {
    /// None if there is no such pod, or it has a node, or no scheduler runs.
    pub(super) fn start(session: &Session, pod: &str) -> Option<Help> {
        let objects = session.world().objects();
        let found = objects.get::<Pod>(&pod_key(pod))?;
        if found.spec.node_name.is_some() {
            return None;
        }
        let classes: Vec<_> = objects.list::<PriorityClass>().cloned().collect();
        Some(Help {
            pod: pod.to_owned(),
            search: WhatWouldHelp::new(session.world().scheduler()?, found, &classes),
            maker: view::Maker::of(objects, found),
            is_done: false,
        })
    }

    /// The pod, `NAMESPACE/NAME`.
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
                .map(|suggestion| view::remedy(self.search.pod(), &self.maker, suggestion))
                .collect(),
            per_mille: if self.is_done { 1000 } else { per_mille },
            done: self.is_done,
        })
    }

    pub(super) fn command(&self, index: usize) -> Option<String> {
        let suggestion = self.search.suggestions().get(index)?;
        view::command(self.search.pod(), &self.maker, &suggestion.change)
    }
}

/// A link that was asked for.
#[derive(Debug)]
pub(super) struct Share {
    pub(super) screen: String,
    pub(super) anonymise: bool,
    pub(super) revision: u64,
}

impl Share {
    /// The link, and what to say about it.
    pub(super) fn answer(self, session: &Session, lesson: Option<&str>, reader: &Reader) -> Update {
        let has_story = !session.loaded().scenario.steps.is_empty();
        let link = crate::link::Link {
            reading: has_story.then(|| reader.kept()),
            ..crate::link::Link::of(session, lesson, self.screen)
        };
        let whole = link.whole(session).filter(|_| !self.anonymise);
        let link = if self.anonymise { link.anonymised() } else { link };
        let fragment = link.encode();
        Update::Link {
            length: crate::link::warning(&fragment),
            fragment,
            whole: whole.map(|link| link.encode()),
            revision: self.revision,
            anonymised: self.anonymise,
        }
    }
}

/// A text as a lesson: its mistakes, or else what is to be mended in it.
pub(super) fn check_lesson(text: String, revision: u64) -> Update {
    let kind = scenario::recognise(&text);
    let (problems, advice) = match crate::scenario::load(&[("editor.yaml".to_owned(), text)]) {
        Ok(loaded) => {
            let advice = crate::author::complaints(&loaded)
                .into_iter()
                .map(|message| Problem::of("", message));
            (Vec::new(), advice.collect())
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

/// What a session exports.
pub(super) fn export(session: &Session, what: ExportKind) -> Update {
    let text = match what {
        ExportKind::Objects => report::objects(session),
        ExportKind::Trace => report::trace(session.trace()),
        ExportKind::Scenario => crate::export::scenario(session),
        ExportKind::Picture | ExportKind::Image => crate::export::picture(session),
        ExportKind::Lesson => crate::export::lesson(session, &[]),
        ExportKind::Names => crate::rename::printed(&crate::link::Link::of(session, None, String::new()).renamed().1),
    };
    file(what, text)
}

/// What is wrong in a session's cluster.
pub(super) fn triage(session: &Session, anonymised: bool) -> Update {
    Update::Triage {
        findings: crate::triage::triage(session, &crate::triage::Scope::default()),
        at: session.now().0,
        anonymised,
    }
}

/// A file of that kind.
pub(super) fn file(what: ExportKind, text: String) -> Update {
    let (name, media_type) = file_kind(what);
    Update::File {
        name: name.into(),
        media_type: media_type.into(),
        text,
    }
}
