//! Built-in lessons (E-01): all files in `lessons/`. To add a lesson, add a file (see `build.rs`).
//!
//! The list of lessons is always compiled in. The lessons' texts are compiled in with the feature `lessons`. The page's
//! engine is built without this feature; its worker loads all texts as one file when a lesson is first opened
//! ([`provide`]).

use crate::scenario::{self, Loaded};
use podscope_api::ordered::StableSort as _;
use podscope_api::{Data, Tree};
use podscope_messages::sentence;
use podscope_protocol::{CourseRequest, FIRST_VISIT_LESSON, LessonInfo, Problem, Request, SessionSource};
use std::sync::OnceLock;

include!(concat!(env!("OUT_DIR"), "/lessons.rs"));

/// Text of the lesson that a first visit offers (the guided start). It is always compiled in, so that it opens without
/// a download. The first visit's cluster (U-10) and free play use its objects.
const GUIDED_LESSON: &str = include_str!("../lessons/cut-a-node-off.yaml");
const WELCOME_SCENARIO: &str = include_str!("welcome.yaml");
const FREE_PLAY_SCENARIO: &str = include_str!("free.yaml");

/// An entry of the list of lessons. `build.rs` generates the entries, so that listing the lessons needs no parsing.
struct ListEntry {
    name: &'static str,
    order: u32,
    title: &'static str,
    group: &'static str,
    summary: &'static str,
    minutes: u32,
    needs: &'static [&'static str],
    recap: &'static [&'static str],
    topic: &'static str,
    rule: &'static str,
    own: &'static str,
    variation: &'static str,
    asks: bool,
}

/// Returns the title of a lesson in the list.
pub fn title(name: &str) -> Option<&'static str> {
    let found = LISTED.iter().find(|lesson| lesson.name == name)?;
    Some(found.title)
}

/// Lists the lessons ordered by `podscope.dev/order`. The page orders groups by their first lesson.
pub fn list() -> Vec<LessonInfo> {
    let names = |list: &[&str]| list.iter().map(|name| (*name).to_owned()).collect();
    let mut lessons: Vec<&ListEntry> = LISTED.iter().collect();
    lessons.stable_sort_by_key(|lesson| (lesson.order, lesson.name));
    let info = |lesson: &ListEntry| LessonInfo {
        name: lesson.name.to_owned(),
        title: lesson.title.to_owned(),
        group: lesson.group.to_owned(),
        summary: lesson.summary.to_owned(),
        minutes: lesson.minutes,
        needs: names(lesson.needs),
        recap: names(lesson.recap),
        page: doc_page_address(lesson.topic),
        topic: lesson.topic.to_owned(),
        rule: lesson.rule.to_owned(),
        own: lesson.own.to_owned(),
        variation: lesson.variation.to_owned(),
        asks: lesson.asks,
    };
    lessons.into_iter().map(info).collect()
}

/// Pages of the Kubernetes documentation to which lessons refer: name and path.
const DOC_PAGES: &[(&str, &str)] = &[
    (
        "Assigning Pods to Nodes",
        "concepts/scheduling-eviction/assign-pod-node/",
    ),
    (
        "Configure Liveness, Readiness and Startup Probes",
        "tasks/configure-pod-container/configure-liveness-readiness-startup-probes/",
    ),
    (
        "Container Lifecycle Hooks",
        "concepts/containers/container-lifecycle-hooks/",
    ),
    ("Controllers", "concepts/architecture/controller/"),
    ("DaemonSet", "concepts/workloads/controllers/daemonset/"),
    ("Debug Pods", "tasks/debug/debug-application/debug-pods/"),
    ("Deployments", "concepts/workloads/controllers/deployment/"),
    ("Disruptions", "concepts/workloads/pods/disruptions/"),
    (
        "Dynamic Resource Allocation",
        "concepts/scheduling-eviction/dynamic-resource-allocation/",
    ),
    (
        "Force Delete StatefulSet Pods",
        "tasks/run-application/force-delete-stateful-set-pod/",
    ),
    ("Init Containers", "concepts/workloads/pods/init-containers/"),
    ("Jobs", "concepts/workloads/controllers/job/"),
    ("Labels and Selectors", "concepts/overview/working-with-objects/labels/"),
    ("Leases", "concepts/architecture/leases/"),
    ("Namespaces", "concepts/overview/working-with-objects/namespaces/"),
    ("Node Shutdowns", "concepts/cluster-administration/node-shutdown/"),
    (
        "Node-pressure Eviction",
        "concepts/scheduling-eviction/node-pressure-eviction/",
    ),
    ("Nodes", "concepts/architecture/nodes/"),
    ("Persistent Volumes", "concepts/storage/persistent-volumes/"),
    ("Pod Lifecycle", "concepts/workloads/pods/pod-lifecycle/"),
    (
        "Pod Priority and Preemption",
        "concepts/scheduling-eviction/pod-priority-preemption/",
    ),
    ("Pod Quality of Service Classes", "concepts/workloads/pods/pod-qos/"),
    (
        "Pod Scheduling Readiness",
        "concepts/scheduling-eviction/pod-scheduling-readiness/",
    ),
    (
        "Pod Topology Spread Constraints",
        "concepts/scheduling-eviction/topology-spread-constraints/",
    ),
    ("ReplicaSet", "concepts/workloads/controllers/replicaset/"),
    (
        "Resource Management for Pods and Containers",
        "concepts/configuration/manage-resources-containers/",
    ),
    ("Safely Drain a Node", "tasks/administer-cluster/safely-drain-node/"),
    ("Service", "concepts/services-networking/service/"),
    ("Sidecar Containers", "concepts/workloads/pods/sidecar-containers/"),
    ("StatefulSets", "concepts/workloads/controllers/statefulset/"),
    ("Storage Classes", "concepts/storage/storage-classes/"),
    (
        "Taints and Tolerations",
        "concepts/scheduling-eviction/taint-and-toleration/",
    ),
    ("Volumes", "concepts/storage/volumes/"),
];

/// Returns the URL of a page of the Kubernetes documentation, or an empty text for an unknown page. A topic such as
/// `Nodes, Rate limits on eviction` names a page and one of its sections.
fn doc_page_address(topic: &str) -> String {
    let name = topic.split(", ").next().unwrap_or_default();
    let known = DOC_PAGES.iter().filter(|(known, _)| *known == topic || *known == name);
    let address = known
        .map(|(_, path)| format!("https://kubernetes.io/docs/{path}"))
        .next();
    address.unwrap_or_default()
}

/// Names and texts of the lessons that were loaded at run time. Used without the feature `lessons`.
static PROVIDED_TEXTS: OnceLock<Vec<(&'static str, &'static str)>> = OnceLock::new();

/// Returns names and texts of the lessons whose texts are available.
fn lesson_texts() -> &'static [(&'static str, &'static str)] {
    PROVIDED_TEXTS.get().map_or(LESSONS, Vec::as_slice)
}

/// Returns whether a request may open a lesson whose text has not been loaded.
pub fn are_texts_missing_for(request: &Request) -> bool {
    let may_need = match request {
        Request::Open { source } => match source {
            SessionSource::Lesson { name, .. } => name != FIRST_VISIT_LESSON,
            SessionSource::Recap { .. } | SessionSource::Link { .. } => true,
            SessionSource::Files { .. } | SessionSource::Welcome | SessionSource::Free => false,
        },
        // To grade a run, the lesson's text is needed: the run's link does not contain the story with its goals.
        Request::Course(request) => matches!(request, CourseRequest::Grade { .. }),
        _ => false,
    };
    may_need && lesson_texts().is_empty()
}

/// Stores the lessons' texts from a file that contains alternating names and texts, each terminated by a NUL.
///
/// # Errors
/// The file has another format.
pub fn provide(lesson_texts_file: Vec<u8>) -> Result<(), Vec<Problem>> {
    let text = String::from_utf8(lesson_texts_file).map_err(|error| missing_texts_problem(&error.to_string()))?;
    // The memory is leaked on purpose: the texts are needed until the program ends.
    let parts: Vec<&'static str> = text.leak().split_terminator('\0').collect();
    let pair = |pair: &[&'static str]| match pair {
        [name, text] => Some((*name, *text)),
        _ => None,
    };
    let lessons: Option<Vec<_>> = parts.chunks(2).map(pair).collect();
    match lessons {
        Some(lessons) if !lessons.is_empty() => {
            PROVIDED_TEXTS.get_or_init(|| lessons);
            Ok(())
        }
        _ => Err(missing_texts_problem("the file is damaged")),
    }
}

/// Returns the problem that is reported if the lessons' texts cannot be loaded.
pub fn missing_texts_problem(why: &str) -> Vec<Problem> {
    vec![Problem::of_file(
        "lessons",
        format!("the lessons did not load ({why}): try it again"),
    )]
}

pub fn text(name: &str) -> Option<&'static str> {
    let known = lesson_texts()
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, text)| *text);
    known.or_else(|| (name == FIRST_VISIT_LESSON).then_some(GUIDED_LESSON))
}

/// Returns a lesson's text without the parts that do not affect its run (see `without_story`). Links contain this text,
/// so that they show the same run after the lesson has been edited (T-03).
pub fn text_without_story(name: &str) -> Option<String> {
    text(name).map(without_story)
}

/// Removes story, solution, wrong attempts and annotations from a lesson's text. A text without these parts is returned
/// unchanged.
pub(crate) fn without_story(text: &str) -> String {
    let parsed = podscope_api::parse(text);
    let scenarios = parsed.configs.iter().filter(|config| &*config.value.kind == "Scenario");
    let mut removed_ranges: Vec<(u32, u32)> = Vec::new();
    for config in scenarios {
        let tree = &config.value.tree;
        for (part, keys) in KEYS_WITHOUT_EFFECT_ON_RUN {
            removed_ranges.extend(line_ranges_of_keys(tree, part, keys));
        }
    }
    let is_removed = |line: u32| removed_ranges.iter().any(|(from, to)| (*from..*to).contains(&line));
    // The `---` between documents does not belong to a removed key.
    let kept = |(number, line): &(u32, &str)| line.trim_end() == "---" || !is_removed(*number);
    let mut bare = String::new();
    for (_, line) in (1..).zip(text.lines()).filter(kept) {
        bare.push_str(line);
        bare.push('\n');
    }
    bare
}

/// Returns the line ranges of the given keys in the top-level key `part` of a document. Each range begins with the line
/// of the key and ends before the line of the next key.
fn line_ranges_of_keys(document: &Tree<'_>, part: &str, keys: &[&str]) -> Vec<(u32, u32)> {
    let entries = |tree: &Tree<'_>| match &tree.data {
        Data::Map(entries) => entries
            .iter()
            .map(|entry| (entry.key.to_string(), entry.line))
            .collect(),
        _ => Vec::new(),
    };
    let top = entries(document);
    let Some(inside) = document.get(part).map(entries) else {
        return Vec::new();
    };
    let starts = || top.iter().chain(&inside).map(|(_, line)| *line);
    let until = |from: u32| starts().filter(|line| *line > from).min().unwrap_or(u32::MAX);
    let named = inside.iter().filter(|(key, _)| keys.contains(&key.as_str()));
    named.map(|(_, from)| (*from, until(*from))).collect()
}

/// Keys of a lesson that do not affect its run, by the top-level key of which they are part.
const KEYS_WITHOUT_EFFECT_ON_RUN: [(&str, &[&str]); 2] = [
    ("metadata", &["annotations"]),
    ("spec", &["steps", "solution", "wrong", "bypasses", "recap"]),
];

pub fn names() -> impl Iterator<Item = &'static str> {
    LISTED.iter().map(|lesson| lesson.name)
}

///
/// # Errors
/// There is no lesson with that name, or its file has problems.
pub fn load(name: &str) -> Result<Loaded, Vec<Problem>> {
    match text(name) {
        Some(text) => scenario::load(&[(format!("{name}.yaml"), text.to_owned())]),
        None => Err(vec![Problem::of_file(
            name,
            sentence!(refused::no_lesson, name = format!("{name:?}")),
        )]),
    }
}

/// Returns name and text of the file with the first visit's scenario, in which a rolling update starts automatically.
pub fn first_visit_file() -> (String, String) {
    ("welcome.yaml".into(), with_guided_start_objects(WELCOME_SCENARIO))
}

/// Returns name and text of the file with the free play scenario: the first visit's cluster without the rolling update.
pub fn free_play_file() -> (String, String) {
    ("free.yaml".into(), with_guided_start_objects(FREE_PLAY_SCENARIO))
}

/// Appends the Kubernetes objects of the guided start to a scenario.
fn with_guided_start_objects(scenario: &str) -> String {
    let objects = GUIDED_LESSON.split_once("\n---\n").map_or("", |(_, objects)| objects);
    format!("{scenario}---\n{objects}")
}
