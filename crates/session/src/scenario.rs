//! Scenario files (T-02): several texts read as one. A `Scenario` document
//! gives the cluster, the components' settings, the timeline, narration and
//! expectations; every other document is a Kubernetes object, in file order.

mod bounds;
mod components;
mod counted_requests;
mod cut;
mod document;
mod entries;
mod expect;
mod findings;
mod flow;
mod foreign;
mod lesson;
mod live;
mod problems;
mod reading;
mod recognise;
mod scrubbed;
mod wanted;

use podscope_api::ordered;
use podscope_api::ordered::StableSort as _;

use podscope_api::{FieldError, Location, Object, Parsed, ProblemKind, Str, Time, Tree};
use podscope_cluster::{Cause, Setup, SimTime, Span};

pub use bounds::{MAX_STEPS, MAX_TEXT, MAX_ZONES};
pub use counted_requests::{CountedRequests, WhichRequests};
use document::Document;
#[cfg(test)]
pub(crate) use document::written_fields;
pub use expect::{Check, Condition, Expect, Test, Timing, object_ref};
pub(crate) use expect::{Seen, count};
pub(crate) use findings::Findings;
pub(crate) use flow::unfolded;
pub(crate) use lesson::wanted;
pub use lesson::{About, Counted, Mistake, Predict, Step};
use podscope_kubectl::command::Command;
use podscope_protocol::{Problem, Remark};
pub use problems::MAX_PLACED;
pub(crate) use reading::readable;
pub use recognise::recognise;

/// Most zones times nodes a scenario may generate.
pub const MAX_GENERATED_NODES: u64 = 10_000;
/// Most warnings of advice.
pub const MAX_ADVICE: usize = 200;
/// Most entries of a timeline.
pub const MAX_ENTRIES: usize = 10_000;

/// A file of a scenario: name and text.
pub type File = (String, String);

/// The place of something in the files.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Place {
    /// Name of the file.
    pub file: String,
    /// Number of the document in it, from 1.
    pub document: u32,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
    /// Field path.
    pub path: String,
}

impl Place {
    /// A problem that stands here.
    pub fn problem(&self, message: impl Into<String>) -> Problem {
        self.problem_of(ProblemKind::Other, message)
    }

    /// The same where more is known of it.
    pub(crate) fn problem_of(&self, kind: ProblemKind, message: impl Into<String>) -> Problem {
        Problem {
            file: self.file.clone(),
            document: self.document,
            line: self.line,
            column: self.column,
            path: self.path.clone(),
            message: message.into(),
            kind,
        }
    }
}

/// A command at an instant.
#[derive(Debug, Clone, PartialEq)]
pub struct Timed {
    /// When; before the simulated events of that instant.
    pub at: SimTime,
    pub command: Command,
}

/// What a seed search draws from (`spec.search`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Search {
    /// Kinds of faults.
    pub faults: Vec<SearchFault>,
    /// How long a run is.
    pub horizon: Span,
    /// Most faults in a run.
    pub max: u32,
}

/// A kind of fault that a seed search draws: what `spec.search.faults` may name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchFault {
    /// `partition`: of a node or a zone, whole or in part.
    Partition,
    /// `crash`: of a process of the control plane or of a node.
    Crash,
    /// `poweroff`: of a machine.
    PowerOff,
    /// `slow`: the links of a node.
    Slow,
    /// `second-manager`: two controller-managers at once.
    SecondManager,
}

impl SearchFault {
    /// All of them; a seed draws one by its place.
    pub const ALL: [Self; 5] = [
        Self::Partition,
        Self::Crash,
        Self::PowerOff,
        Self::Slow,
        Self::SecondManager,
    ];
    /// The names of all of them.
    pub const NAMES: [&str; 5] = ["partition", "crash", "poweroff", "slow", "second-manager"];

    /// The one of that name.
    pub fn named(name: &str) -> Option<Self> {
        let place = Self::NAMES.iter().position(|known| *known == name)?;
        Some(Self::ALL[place])
    }
}

impl Default for Search {
    fn default() -> Self {
        Self {
            faults: SearchFault::ALL.to_vec(),
            horizon: Span::seconds(600),
            max: 6,
        }
    }
}

/// The `Scenario` document.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Scenario {
    /// `metadata.name`.
    pub name: String,
    /// Annotations (`podscope.dev/group`, `podscope.dev/summary`, `podscope.dev/topic`).
    pub annotations: ordered::Map<String, String>,
    /// `spec.title`.
    pub title: String,
    /// Commands with their times, by time, equal times in file order.
    pub timeline: Vec<Timed>,
    /// The story.
    pub steps: Vec<Step>,
    /// A list of commands that reaches every goal.
    pub solution: Vec<Timed>,
    /// A tempting attempt that does not.
    pub wrong: Vec<Timed>,
    /// More attempts that look like solutions and are none.
    pub bypasses: Vec<Vec<Timed>>,
    /// Lessons whose questions are asked again later.
    pub recap: Vec<String>,
    /// What is checked.
    pub expect: Vec<Expect>,
    /// Seed search.
    pub search: Search,
}

/// Who says at which time of the wall clock a scenario begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Start {
    /// Nobody: it is the same for all such scenarios.
    #[default]
    Default,
    /// Its files.
    Given,
    /// Who runs it ([`Loaded::begin_at`]).
    Chosen,
}

/// Files read as one.
#[derive(Debug, Clone)]
pub struct Loaded {
    pub files: Vec<File>,
    /// Whether a Scenario document was among them.
    pub has_scenario: bool,
    /// It, or the default.
    pub scenario: Scenario,
    /// What the world begins with.
    pub setup: Setup,
    /// Who says when t = 0 is.
    pub start: Start,
    /// Where each object of the setup stands: file and location.
    pub places: Vec<(usize, Location)>,
    /// What was translated, ignored or kept: `3 × Ingress (not simulated)`.
    pub notices: Vec<Remark>,
    /// What answers rest on because of what the files do not have (P-09).
    pub basis: Vec<podscope_protocol::Basis>,
    /// Warnings on manifests that are legal and still surprise (P-08).
    pub advice: Vec<Problem>,
}

impl Loaded {
    /// Whether this is a live cluster as it was, and no story that somebody wrote with its objects (P-09).
    pub fn is_dump(&self) -> bool {
        let is_told = !self.scenario.steps.is_empty();
        let mut objects = self.setup.objects.iter();
        !is_told && objects.any(|object| !object.metadata().uid.is_empty())
    }

    /// Begins at that time, unless the files say when. A scenario that is made of the session says so.
    pub fn begin_at(&mut self, start: Time) {
        if self.start == Start::Default {
            self.setup.start = start;
            self.start = Start::Chosen;
        }
    }

    /// The default end of a run: the last timeline or expect instant + 60 s.
    pub fn default_until(&self) -> SimTime {
        let timeline = self.scenario.timeline.iter().map(|timed| timed.at);
        let expect = self.scenario.expect.iter().filter_map(|expect| match expect.timing {
            Timing::At(at) | Timing::By(at) => Some(at),
            Timing::Always => None,
        });
        timeline.chain(expect).max().unwrap_or_default() + Span::seconds(60)
    }
}

/// Reads files as one, in order.
///
/// # Errors
/// Every problem, with its place.
pub fn load(files: &[File]) -> Result<Loaded, Vec<Problem>> {
    load_owned(files.to_vec())
}

/// The same without a copy of the texts, which may be large.
///
/// # Errors
/// As [`load`].
pub fn load_owned(files: Vec<File>) -> Result<Loaded, Vec<Problem>> {
    load_own(files).map_err(|unreadable| unreadable.problems)
}

/// Files that cannot be read as one, and why.
pub(crate) struct Unreadable {
    pub(crate) files: Vec<File>,
    pub(crate) problems: Vec<Problem>,
}

/// Whether a text is no manifest, and what it is instead is known: its reader is told.
pub(crate) fn is_known_otherwise(text: &str) -> bool {
    foreign::explained(text).is_some() || cut::is_cut_yaml(text)
}

/// [`load`] without a copy of the files.
pub(crate) fn load_own(files: Vec<File>) -> Result<Loaded, Unreadable> {
    let mut reader = Reader {
        problems: Vec::new(),
        document: 0,
        loaded: Loaded {
            files: Vec::new(),
            has_scenario: false,
            scenario: Scenario::default(),
            setup: Setup::default(),
            start: Start::default(),
            places: Vec::new(),
            notices: Vec::new(),
            basis: Vec::new(),
            advice: Vec::new(),
        },
        others: ordered::Map::new(),
        machines: entries::Machines::default(),
        has_cluster: false,
        is_lenient: false,
        n_unread: 0,
    };
    reader.read(&files);
    for (kind, count) in std::mem::take(&mut reader.others) {
        reader.loaded.notices.push(Remark::NotSimulated { kind, count });
    }
    reader.one_of_each();
    reader.nodes();
    reader.assume();
    reader.namespaces();
    reader.start_of_live_objects();
    reader.basis();
    reader.unknown_machines();
    if !files.is_empty() {
        reader.nothing();
    }
    reader
        .loaded
        .notices
        .stable_sort_by_key(podscope_protocol::Remark::weight);
    if reader.problems.is_empty() {
        reader.loaded.files = files;
        reader.loaded.scenario.timeline.stable_sort_by_key(|timed| timed.at);
        let advice = podscope_api::advice(&reader.loaded.setup.objects);
        let advice = advice.into_iter().take(MAX_ADVICE);
        reader.loaded.advice = reader
            .loaded
            .problems_of(advice.map(|advice| (advice.object, Cause::new(advice.path, advice.text))));
        Ok(reader.loaded)
    } else {
        reader.loaded.files = files;
        reader.problems.extend(reader.loaded.invalid_objects());
        let files = &reader.loaded.files;
        let order = |problem: &Problem| {
            let file = files.iter().position(|(name, _)| *name == problem.file);
            (file, problem.line, problem.column)
        };
        reader.problems.stable_sort_by_key(order);
        Err(Unreadable {
            files: reader.loaded.files,
            problems: reader.problems,
        })
    }
}

struct Reader {
    problems: Vec<Problem>,
    /// The document that is being read.
    document: u32,
    loaded: Loaded,
    others: ordered::Map<String, usize>,
    machines: entries::Machines,
    /// `spec.cluster` is given.
    has_cluster: bool,
    /// Whether what cannot be read is left out.
    is_lenient: bool,
    /// Problems of what was left out.
    n_unread: usize,
}

impl Reader {
    fn file(&mut self, index: usize, name: &str, parsed: Parsed) {
        for problem in parsed.problems {
            // Manifests outlive API versions: what a current server no longer serves is left out, and said.
            if let ProblemKind::Unserved { api_version, kind } = &problem.kind
                && api_version.contains("beta")
            {
                self.loaded.notices.push(Remark::Unserved {
                    kind: kind.to_string(),
                    api_version: api_version.to_string(),
                    file: name.to_owned(),
                    line: problem.line,
                });
                continue;
            }
            let problem = Problem {
                file: name.to_owned(),
                document: problem.document,
                line: problem.line,
                column: problem.column,
                path: problem.path,
                message: problem.message,
                kind: problem.kind,
            };
            self.unread(problem);
        }
        for located in parsed.others {
            *self.others.entry(located.value.kind.to_string()).or_default() += 1;
        }
        for located in parsed.configs {
            self.document = located.at.document;
            match &*located.value.kind {
                "Scenario" => self.scenario(name, &located.value.tree),
                "KubeSchedulerConfiguration" => {
                    let value = located.value.tree.to_value();
                    self.scheduler(name, &located.value.tree, "", value);
                }
                "KubeletConfiguration" => {
                    self.kubelet(name, &located.value.tree, "");
                }
                other => self.problem(name, &located.value.tree, "kind", format!("{other} is not read here")),
            }
        }
        for located in parsed.objects {
            let object = located.value;
            if object.kind().is_only_stored() {
                *self.others.entry(object.kind().name().to_owned()).or_default() += 1;
            }
            self.loaded.places.push((index, located.at));
            self.loaded.setup.objects.push(with_namespace(object));
        }
    }

    /// A field of the document that is being read.
    fn place(&self, file: &str, tree: &Tree<'_>, path: &str) -> Place {
        let (line, column) = tree.position(path);
        Place {
            file: file.to_owned(),
            document: self.document,
            line,
            column,
            path: path.to_owned(),
        }
    }

    fn problem(&mut self, file: &str, tree: &Tree<'_>, path: &str, message: impl Into<String>) {
        self.problem_of(ProblemKind::Other, file, tree, path, message);
    }

    /// The same where more is known of it.
    fn problem_of(&mut self, kind: ProblemKind, file: &str, tree: &Tree<'_>, path: &str, message: impl Into<String>) {
        self.problems
            .push(self.place(file, tree, path).problem_of(kind, message));
    }

    /// A field of the scenario that could not be read.
    fn misread(&mut self, file: &str, tree: &Tree<'_>, error: &FieldError) {
        let mut place = self.place(file, tree, &error.path);
        if error.line != 0 {
            (place.line, place.column) = (error.line, error.column);
        }
        let (kind, message) = lesson::in_plain_words(error);
        self.problems.push(place.problem_of(kind, message));
    }

    fn scenario(&mut self, file: &str, tree: &Tree<'_>) {
        if std::mem::replace(&mut self.loaded.has_scenario, true) {
            return self.problem(file, tree, "kind", "there is already a Scenario: only one may be given");
        }
        let too_much = bounds::too_much(tree);
        if !too_much.is_empty() {
            for (path, message) in too_much {
                self.problem(file, tree, &path, message);
            }
            return;
        }
        let (document, errors): (Document, _) = podscope_api::decode_what_fits(tree, true);
        errors.iter().for_each(|error| self.misread(file, tree, error));
        if &*document.api_version != "podscope.dev/v1alpha1" {
            self.problem_of(
                ProblemKind::Unsupported,
                file,
                tree,
                "apiVersion",
                format!(
                    "Unsupported value: {:?}: supported values: \"podscope.dev/v1alpha1\"",
                    document.api_version
                ),
            );
        }
        let spec = document.spec;
        let scenario = &mut self.loaded.scenario;
        scenario.name = document.metadata.name;
        scenario.annotations = document.metadata.annotations;
        scenario.title = spec.title;
        if let Some(seed) = spec.seed {
            self.loaded.setup.seed = seed;
        }
        if let Some(start) = spec.start {
            self.start(file, tree, &start);
        }
        self.has_cluster = spec.cluster.is_some();
        self.cluster(file, tree, spec.cluster);
        self.components(file, tree, spec.components);
        if let Some(search) = spec.search {
            self.search(file, tree, search);
        }
        let timeline = self.entries(file, tree, "spec.timeline", &spec.timeline);
        let solution = self.entries(file, tree, "spec.solution", &spec.solution);
        let wrong = self.entries(file, tree, "spec.wrong", &spec.wrong);
        let bypasses = spec.bypasses.iter().enumerate();
        let bypasses = bypasses
            .map(|(at, entries)| self.entries(file, tree, &format!("spec.bypasses[{at}]"), entries))
            .collect();
        let steps = spec.steps.into_iter().enumerate();
        let steps = steps
            .map(|(at, step)| self.step(file, tree, &format!("spec.steps[{at}]"), step))
            .collect();
        let mut expectations = Vec::new();
        for (at, document) in spec.expect.iter().enumerate() {
            let path = format!("spec.expect[{at}]");
            match expect::expectation(document, self.place(file, tree, &path)) {
                Ok(expectation) => expectations.push(expectation),
                Err(bad) => self.problem_of(bad.kind, file, tree, &join(&path, &bad.field), bad.message),
            }
        }
        let scenario = &mut self.loaded.scenario;
        scenario.timeline = timeline;
        scenario.solution = solution;
        scenario.wrong = wrong;
        scenario.bypasses = bypasses;
        scenario.recap = spec.recap;
        scenario.steps = steps;
        scenario.expect = expectations;
    }

    fn start(&mut self, file: &str, tree: &Tree<'_>, start: &str) {
        self.loaded.start = Start::Given;
        match podscope_api::parse_rfc3339(start) {
            Some(micros) => self.loaded.setup.start = Time(micros),
            None => self.problem(
                file,
                tree,
                "spec.start",
                format!("Invalid value: {start:?}: must be a time such as 2026-01-01T00:00:00Z"),
            ),
        }
    }

    fn search(&mut self, file: &str, tree: &Tree<'_>, search: document::SearchDocument) {
        let known = Search::default();
        let mut faults = known.faults;
        if let Some(names) = &search.faults {
            faults.clear();
            for (at, name) in names.iter().enumerate() {
                match SearchFault::named(name) {
                    Some(fault) => faults.push(fault),
                    None => self.problem_of(
                        ProblemKind::Unsupported,
                        file,
                        tree,
                        &format!("spec.search.faults[{at}]"),
                        format!(
                            "Unsupported value: {name:?}: supported values: {}",
                            quoted(&SearchFault::NAMES)
                        ),
                    ),
                }
            }
        }
        let horizon = match &search.horizon {
            Some(text) => self.duration(file, tree, "spec.search.horizon", text),
            None => known.horizon,
        };
        self.loaded.scenario.search = Search {
            faults,
            horizon,
            max: search.max.unwrap_or(known.max).clamp(1, 100),
        };
    }

    fn duration(&mut self, file: &str, tree: &Tree<'_>, path: &str, text: &str) -> Span {
        match expect::written_duration(text) {
            Ok(span) => span,
            Err(why) => {
                self.problem(file, tree, path, why);
                Span::ZERO
            }
        }
    }
}

/// `"a", "b"`, as the API server lists supported values.
fn quoted(names: &[&str]) -> String {
    names
        .iter()
        .map(|name| format!("{name:?}"))
        .collect::<Vec<_>>()
        .join(", ")
}

fn join(path: &str, inner: &str) -> String {
    match (path.is_empty(), inner.is_empty()) {
        (true, _) => inner.to_owned(),
        (_, true) => path.to_owned(),
        _ => format!("{path}.{inner}"),
    }
}

/// A namespaced object without a namespace goes to `default`, as `kubectl apply` sends it.
pub(crate) fn with_namespace(mut object: Object) -> Object {
    if object.kind().is_namespaced() && object.metadata().namespace.is_empty() {
        object.metadata_mut().namespace = Str::from("default");
    }
    object
}
