//! Scenario files (T-02). Several files are read as one scenario: a `Scenario` document defines the cluster, settings
//! of components, timeline, story and expectations. Every other document is a Kubernetes object; the objects keep their
//! order.

mod awaited_condition;
mod bounds;
mod components;
mod condition;
mod counted_requests;
mod custom_objects;
mod document;
mod entries;
mod expect;
mod flow;
mod lesson;
mod live_dump;
mod missing_uids;
mod node_groups;
mod pasted_text;
mod problems;
mod reading;
mod recognise;
mod recorded_state;
mod truncated_list;
mod value_cache;

use podscope_api::ordered;
use podscope_api::ordered::StableSort as _;

use podscope_api::{FieldError, Location, Object, Parsed, ProblemKind, Str, Time, Tree};
use podscope_cluster::{Cause, Setup, SimTime, Span};

use crate::history;
pub use awaited_condition::AwaitedCondition;
pub use bounds::{MAX_STEPS, MAX_TEXT_BYTES, MAX_ZONES};
pub use counted_requests::{CountedRequests, RequestFilter};
#[cfg(test)]
pub(crate) use document::accepted_fields;
use document::{ClusterDocument, Document};
pub use expect::{Check, Condition, Expect, Test, Timing, parse_object_ref};
pub(crate) use expect::{WorldState, count};
pub(crate) use flow::flow_to_block;
pub(crate) use lesson::describe_condition;
pub use lesson::{AnswerSource, CountSubject, Mistake, PredictionQuestion, Step};
use podscope_kubectl::command::Command;
use podscope_messages::Sentence;
use podscope_protocol::{Problem, Remark};
pub use problems::MAX_PROBLEMS_WITH_POSITION;
pub(crate) use reading::extract_manifests;
pub use recognise::recognise;
pub use recorded_state::RecordedState;
pub(crate) use value_cache::ValueCache;

/// Maximum number of generated nodes: the number of zones times the nodes per zone.
pub const MAX_GENERATED_NODES: u64 = 10_000;
/// Maximum number of warnings about manifests in [`Loaded::advice`].
pub const MAX_ADVICE: usize = 200;
/// Maximum number of entries in a scenario's timeline. The command line accepts the recordings of `podscope serve
/// --record`, which can be longer than what the page accepts.
pub const MAX_ENTRIES: usize = if cfg!(target_family = "wasm") { 10_000 } else { 500_000 };

/// Name and text of a file.
pub type File = (String, String);

/// A position in one of the files of a scenario.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FilePosition {
    pub file: String,
    /// Number of the document in the file, from 1.
    pub document: u32,
    /// Line in the file, from 1.
    pub line: u32,
    /// Column in the line, from 1.
    pub column: u32,
    /// Path of the field, such as `spec.steps[0].text`.
    pub path: String,
}

impl FilePosition {
    /// Creates a problem about this position.
    pub fn problem(&self, message: impl Into<Sentence>) -> Problem {
        self.problem_of(ProblemKind::Other, message)
    }

    /// Creates a problem about this position, with the given kind of problem.
    pub(crate) fn problem_of(&self, kind: ProblemKind, message: impl Into<Sentence>) -> Problem {
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

/// A command with the time at which it runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Timed {
    /// Time at which the command runs, before other events at the same time.
    pub at: SimTime,
    pub command: Command,
}

/// Parameters of a seed search, from `spec.search` of a scenario.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchSettings {
    /// The types of faults that are generated.
    pub faults: Vec<SearchFault>,
    /// Simulated length of a run.
    pub horizon: Span,
    /// Maximum number of faults in a run.
    pub max: u32,
}

/// A type of fault that a seed search generates, as in `spec.search.faults`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchFault {
    /// `partition`: cuts a node or zone off from all or some endpoints.
    Partition,
    /// `crash`: crashes a process of the control plane or of a node.
    Crash,
    /// `poweroff`: switches a machine off.
    PowerOff,
    /// `slow`: slows the links of a node down.
    Slow,
    /// `second-manager`: starts a second controller-manager.
    SecondManager,
    /// `driver`: crashes the device drivers of a node. Only used if a scenario lists it.
    Driver,
}

impl SearchFault {
    /// The types of faults that a seed search generates by default. Their order determines the run of a seed.
    pub const ALL: [Self; 5] = [
        Self::Partition,
        Self::Crash,
        Self::PowerOff,
        Self::Slow,
        Self::SecondManager,
    ];
    /// Names of all types of faults: those of `ALL` in the same order, then the others.
    pub const NAMES: [&str; 6] = ["partition", "crash", "poweroff", "slow", "second-manager", "driver"];

    /// Returns the type of fault with that name.
    pub fn from_name(name: &str) -> Option<Self> {
        let place = Self::NAMES.iter().position(|known| *known == name)?;
        Some(Self::ALL.get(place).copied().unwrap_or(Self::Driver))
    }
}

impl Default for SearchSettings {
    fn default() -> Self {
        Self {
            faults: SearchFault::ALL.to_vec(),
            horizon: Span::seconds(600),
            max: 6,
        }
    }
}

/// Content of the `Scenario` document.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Scenario {
    pub name: String,
    /// Annotations (`podscope.dev/group`, `podscope.dev/summary`, `podscope.dev/topic`).
    pub annotations: ordered::Map<String, String>,
    pub title: String,
    /// Commands of the timeline, ordered by time. Commands at equal times keep the order of the file.
    pub timeline: Vec<Timed>,
    /// Steps of the lesson's story.
    pub steps: Vec<Step>,
    /// Commands with which every goal of the lesson is reached.
    pub solution: Vec<Timed>,
    /// Commands of a plausible attempt that does not reach every goal of the lesson.
    pub wrong: Vec<Timed>,
    /// Commands of more attempts that look like solutions but do not reach every goal of the lesson.
    pub bypasses: Vec<Vec<Timed>>,
    /// Names of lessons whose questions are asked again later.
    pub recap: Vec<String>,
    pub expect: Vec<Expect>,
    pub search: SearchSettings,
}

/// Who determined the wall-clock time at t = 0 of a scenario.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StartTimeSource {
    /// Nobody: the time is the default, which is the same for all scenarios.
    #[default]
    Default,
    /// The files set the time.
    Given,
    /// The caller has set the time with [`Loaded::begin_at`].
    Chosen,
}

/// One or more files that have been read as one scenario.
#[derive(Debug, Clone)]
pub struct Loaded {
    pub files: Vec<File>,
    pub has_scenario: bool,
    /// The content of the Scenario document, or the default if there is none.
    pub scenario: Scenario,
    /// Initial state of the simulated cluster, and settings of its components.
    pub setup: Setup,
    /// Who determined `setup.start`, the wall-clock time at t = 0.
    pub start: StartTimeSource,
    /// For each object of the setup: the index of its file, and its position in the file.
    pub places: Vec<(usize, Location)>,
    /// Notices about what was translated, ignored or kept while reading the files, such as `3 × Ingress (not
    /// simulated)`.
    pub notices: Vec<Remark>,
    /// Reasons why answers about this cluster are limited: the files lack objects (P-09).
    pub basis: Vec<podscope_protocol::AnswerLimitation>,
    /// Warnings about manifests that are valid but behave unexpectedly (P-08).
    pub advice: Vec<Problem>,
}

impl Loaded {
    /// Returns whether the files contain objects of a live cluster, and no story (P-09).
    pub fn is_dump(&self) -> bool {
        let has_story = !self.scenario.steps.is_empty();
        let mut objects = self.setup.objects.iter();
        !has_story && objects.any(|object| !object.metadata().uid.is_empty())
    }

    /// Sets the wall-clock time at t = 0, unless the files set it. If the session is exported as a scenario, that
    /// scenario contains this time.
    pub fn begin_at(&mut self, start: Time) {
        if self.start == StartTimeSource::Default {
            self.setup.start = start;
            self.start = StartTimeSource::Chosen;
        }
    }

    /// Returns the time at which a run ends by default: 60 s after the last timeline entry or expectation.
    pub fn default_until(&self) -> SimTime {
        let timeline = self.scenario.timeline.iter().map(|timed| timed.at);
        let expect = self.scenario.expect.iter().filter_map(|expect| match expect.timing {
            Timing::At(at) | Timing::By(at) => Some(at),
            Timing::Always => None,
        });
        timeline.chain(expect).max().unwrap_or_default() + Span::seconds(60)
    }
}

/// Reads files as one scenario.
///
/// # Errors
/// All problems with their positions.
pub fn load(files: &[File]) -> Result<Loaded, Vec<Problem>> {
    load_owned(files.to_vec())
}

/// Like [`load`], but takes ownership of the texts, which may be large, instead of copying them.
///
/// # Errors
/// See [`load`].
pub fn load_owned(files: Vec<File>) -> Result<Loaded, Vec<Problem>> {
    load_or_return_files(files).map_err(|unreadable| unreadable.problems)
}

/// Files that cannot be read as one scenario, with the problems.
pub(crate) struct Unreadable {
    pub(crate) files: Vec<File>,
    pub(crate) problems: Vec<Problem>,
}

/// Returns whether a text has another known format than a manifest, for example a table of kubectl. The error message
/// can then explain the format.
pub(crate) fn is_other_known_text(text: &str) -> bool {
    pasted_text::explain_unreadable_output(text).is_some() || truncated_list::is_truncated_yaml(text)
}

/// Like [`load_owned`], but the error also contains the files.
pub(crate) fn load_or_return_files(files: Vec<File>) -> Result<Loaded, Unreadable> {
    let history::ConvertedFiles { files, notices } = history::convert_histories(files)?;
    let mut reader = ScenarioReader::new(notices);
    reader.read(&files);
    reader.add_defined_objects();
    reader.drop_older_duplicates();
    reader.drop_generated_nodes_of_dump();
    reader.add_assumed_objects();
    reader.add_missing_namespaces();
    reader.start_at_newest_time();
    reader.add_basis();
    reader.report_unknown_machines();
    reader.report_unknown_types();
    if !files.is_empty() {
        reader.add_notice_if_empty();
    }
    reader
        .loaded
        .notices
        .stable_sort_by_key(podscope_protocol::Remark::importance_rank);
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

struct ScenarioReader {
    problems: Vec<Problem>,
    /// Number of the current document in its file, from 1.
    document: u32,
    loaded: Loaded,
    others: ordered::Map<String, usize>,
    /// Objects of kinds that are not built in. Their kinds may be defined in files that are read later.
    foreign: Vec<custom_objects::ForeignObject>,
    machines: entries::FaultMachines,
    custom_types: entries::CustomTypes,
    /// Whether `spec.cluster` defines nodes other than those of node groups.
    has_cluster: bool,
    /// Whether files that cannot be read are left out with a notice, instead of being a problem.
    is_lenient: bool,
    /// Number of problems in the files that were left out.
    n_unread: usize,
}

impl ScenarioReader {
    fn add_file(&mut self, index: usize, name: &str, parsed: Parsed) {
        for problem in parsed.problems {
            // Old manifests may have beta API versions that are no longer served. Such objects are left out, with a
            // notice.
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
                message: problem.message.into(),
                kind: problem.kind,
            };
            self.report_unread(problem);
        }
        self.loaded
            .notices
            .extend(parsed.converted.iter().map(custom_objects::conversion_notice));
        for object in parsed.others {
            self.foreign.push(custom_objects::ForeignObject {
                file: index,
                file_name: name.to_owned(),
                object,
            });
        }
        for located in parsed.configs {
            self.document = located.at.document;
            match &*located.value.kind {
                "Scenario" => self.read_scenario(name, &located.value.tree),
                "KubeSchedulerConfiguration" => {
                    let value = located.value.tree.to_value();
                    self.read_scheduler(name, &located.value.tree, "", value);
                }
                "KubeletConfiguration" => {
                    self.read_kubelet(name, &located.value.tree, "");
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
            self.loaded.setup.objects.push(with_default_namespace(object));
        }
    }

    /// Returns the position of the field at `path` in the current document.
    fn place(&self, file: &str, tree: &Tree<'_>, path: &str) -> FilePosition {
        let (line, column) = tree.position(path);
        FilePosition {
            file: file.to_owned(),
            document: self.document,
            line,
            column,
            path: path.to_owned(),
        }
    }

    fn problem(&mut self, file: &str, tree: &Tree<'_>, path: &str, message: impl Into<Sentence>) {
        self.problem_of(ProblemKind::Other, file, tree, path, message);
    }

    /// Reports a problem with the given kind at the field `path`.
    fn problem_of(&mut self, kind: ProblemKind, file: &str, tree: &Tree<'_>, path: &str, message: impl Into<Sentence>) {
        self.problems
            .push(self.place(file, tree, path).problem_of(kind, message));
    }

    /// Reports that a field of the Scenario document has an invalid value.
    fn field_problem(&mut self, file: &str, tree: &Tree<'_>, error: &FieldError) {
        let mut place = self.place(file, tree, &error.path);
        if error.line != 0 {
            (place.line, place.column) = (error.line, error.column);
        }
        let (kind, message) = lesson::plain_message(error);
        self.problems.push(place.problem_of(kind, message));
    }

    fn read_scenario(&mut self, file: &str, tree: &Tree<'_>) {
        if std::mem::replace(&mut self.loaded.has_scenario, true) {
            return self.problem(file, tree, "kind", "there is already a Scenario: only one may be given");
        }
        let exceeded_limits = bounds::exceeded_limits(tree);
        if !exceeded_limits.is_empty() {
            for (path, message) in exceeded_limits {
                self.problem(file, tree, &path, message);
            }
            return;
        }
        let (document, errors): (Document, _) = podscope_api::decode_lenient(tree, true);
        errors.iter().for_each(|error| self.field_problem(file, tree, error));
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
            self.read_start(file, tree, &start);
        }
        self.has_cluster = spec.cluster.as_ref().is_some_and(ClusterDocument::defines_nodes);
        self.read_cluster(file, tree, spec.cluster);
        self.read_components(file, tree, spec.components);
        if let Some(search) = spec.search {
            self.read_search(file, tree, search);
        }
        let timeline = self.read_entries(file, tree, "spec.timeline", &spec.timeline);
        let solution = self.read_entries(file, tree, "spec.solution", &spec.solution);
        let wrong = self.read_entries(file, tree, "spec.wrong", &spec.wrong);
        let bypasses = spec.bypasses.iter().enumerate();
        let bypasses = bypasses
            .map(|(at, entries)| self.read_entries(file, tree, &format!("spec.bypasses[{at}]"), entries))
            .collect();
        let steps = spec.steps.into_iter().enumerate();
        let steps = steps
            .map(|(at, step)| self.read_step(file, tree, &format!("spec.steps[{at}]"), step))
            .collect();
        let mut expectations = Vec::new();
        for (index, document) in spec.expect.iter().enumerate() {
            let path = format!("spec.expect[{index}]");
            match expect::read_expectation(document, self.place(file, tree, &path)) {
                Ok(expectation) => expectations.push(expectation),
                Err(error) => self.problem_of(
                    error.kind,
                    file,
                    tree,
                    &join_field_paths(&path, &error.field),
                    error.message,
                ),
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

    fn read_start(&mut self, file: &str, tree: &Tree<'_>, start: &str) {
        self.loaded.start = StartTimeSource::Given;
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

    fn read_search(&mut self, file: &str, tree: &Tree<'_>, search: document::SearchDocument) {
        let known = SearchSettings::default();
        let mut faults = known.faults;
        if let Some(names) = &search.faults {
            faults.clear();
            for (index, name) in names.iter().enumerate() {
                match SearchFault::from_name(name) {
                    Some(fault) => faults.push(fault),
                    None => self.problem_of(
                        ProblemKind::Unsupported,
                        file,
                        tree,
                        &format!("spec.search.faults[{index}]"),
                        format!(
                            "Unsupported value: {name:?}: supported values: {}",
                            quoted(&SearchFault::NAMES)
                        ),
                    ),
                }
            }
        }
        let horizon = match &search.horizon {
            Some(text) => self.read_duration(file, tree, "spec.search.horizon", text),
            None => known.horizon,
        };
        self.loaded.scenario.search = SearchSettings {
            faults,
            horizon,
            max: search.max.unwrap_or(known.max).clamp(1, 100),
        };
    }

    fn read_duration(&mut self, file: &str, tree: &Tree<'_>, path: &str, text: &str) -> Span {
        match expect::written_duration(text) {
            Ok(span) => span,
            Err(why) => {
                self.problem(file, tree, path, why);
                Span::ZERO
            }
        }
    }
}

/// Formats names in the form in which the API server lists supported values: `"a", "b"`.
fn quoted(names: &[&str]) -> String {
    names
        .iter()
        .map(|name| format!("{name:?}"))
        .collect::<Vec<_>>()
        .join(", ")
}

fn join_field_paths(path: &str, inner: &str) -> String {
    match (path.is_empty(), inner.is_empty()) {
        (true, _) => inner.to_owned(),
        (_, true) => path.to_owned(),
        _ => format!("{path}.{inner}"),
    }
}

/// Returns the object with the namespace `default` if it is namespaced and has no namespace, like `kubectl apply`.
pub(crate) fn with_default_namespace(mut object: Object) -> Object {
    if object.kind().is_namespaced() && object.metadata().namespace.is_empty() {
        object.metadata_mut().namespace = Str::from("default");
    }
    object
}
