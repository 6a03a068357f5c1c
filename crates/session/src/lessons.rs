//! Built-in lessons (E-01): every file of `lessons/`. Adding a file adds the lesson (see `build.rs`).
//!
//! What the chooser lists is always here. The texts are in the program with the feature `lessons`; the page's engine is
//! built without it, and its worker brings them in one file when a lesson is first opened ([`provide`]).

use crate::scenario::{self, Loaded};
use podscope_api::ordered::StableSort as _;
use podscope_api::{Data, Tree};
use podscope_protocol::{LessonInfo, Problem, Request, Source};
use std::sync::OnceLock;

include!(concat!(env!("OUT_DIR"), "/lessons.rs"));

/// The small living cluster of a first visit (U-10).
const WELCOME: &str = concat!(include_str!("welcome.yaml"), include_str!("living.yaml"));
const FREE: &str = concat!(include_str!("free.yaml"), include_str!("living.yaml"));

/// What the chooser shows of a lesson, as it was read when the program was built: the list costs nothing.
struct Listed {
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

/// The lessons in the chooser's order: `podscope.dev/order`, so that groups come in the order of their first lesson.
pub fn list() -> Vec<LessonInfo> {
    let names = |list: &[&str]| list.iter().map(|name| (*name).to_owned()).collect();
    let mut lessons: Vec<&Listed> = LISTED.iter().collect();
    lessons.stable_sort_by_key(|lesson| (lesson.order, lesson.name));
    let info = |lesson: &Listed| LessonInfo {
        name: lesson.name.to_owned(),
        title: lesson.title.to_owned(),
        group: lesson.group.to_owned(),
        summary: lesson.summary.to_owned(),
        minutes: lesson.minutes,
        needs: names(lesson.needs),
        recap: names(lesson.recap),
        page: page(lesson.topic),
        topic: lesson.topic.to_owned(),
        rule: lesson.rule.to_owned(),
        own: lesson.own.to_owned(),
        variation: lesson.variation.to_owned(),
        asks: lesson.asks,
    };
    lessons.into_iter().map(info).collect()
}

/// Pages of the Kubernetes documentation, by their names.
const PAGES: &[(&str, &str)] = &[
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

/// The address of a page by its name; `Nodes, Rate limits on eviction` names a part of one. Empty if nobody knows it.
fn page(topic: &str) -> String {
    let name = topic.split(", ").next().unwrap_or_default();
    let known = PAGES.iter().filter(|(known, _)| *known == topic || *known == name);
    let address = known
        .map(|(_, path)| format!("https://kubernetes.io/docs/{path}"))
        .next();
    address.unwrap_or_default()
}

/// The texts that a program without the feature `lessons` was given.
static PROVIDED: OnceLock<Vec<(&'static str, &'static str)>> = OnceLock::new();

/// Name and text of each lesson, as far as they are here.
fn texts() -> &'static [(&'static str, &'static str)] {
    PROVIDED.get().map_or(LESSONS, Vec::as_slice)
}

/// Whether a request opens what may be a lesson, while their texts are not here.
pub fn are_missing_for(request: &Request) -> bool {
    let Request::Open { source } = request else {
        return false;
    };
    let may_need = matches!(
        source,
        Source::Lesson { .. } | Source::Recap { .. } | Source::Link { .. }
    );
    may_need && texts().is_empty()
}

/// Brings the lessons' texts: name and text in turn, each ended by a NUL.
///
/// # Errors
/// It is no such file.
pub fn provide(file: Vec<u8>) -> Result<(), Vec<Problem>> {
    let text = String::from_utf8(file).map_err(|error| missing(&error.to_string()))?;
    // As long as the program: the texts are looked at for every lesson that is opened.
    let parts: Vec<&'static str> = text.leak().split_terminator('\0').collect();
    let pair = |pair: &[&'static str]| match pair {
        [name, text] => Some((*name, *text)),
        _ => None,
    };
    let lessons: Option<Vec<_>> = parts.chunks(2).map(pair).collect();
    match lessons {
        Some(lessons) if !lessons.is_empty() => {
            PROVIDED.get_or_init(|| lessons);
            Ok(())
        }
        _ => Err(missing("the file is damaged")),
    }
}

/// What is answered to who wants a lesson when their texts cannot be had.
pub fn missing(why: &str) -> Vec<Problem> {
    vec![Problem::of(
        "lessons",
        format!("the lessons did not load ({why}): try it again"),
    )]
}

/// The text of a lesson.
pub fn text(name: &str) -> Option<&'static str> {
    texts().iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// What the run of a lesson depends on. A link carries it, so that it shows the same after the lesson was rewritten (T-03).
pub fn bare(name: &str) -> Option<String> {
    text(name).map(without_story)
}

/// A lesson's text without its story, solution and wrong attempts, and without what only the chooser shows
/// of it. What is without them stays as it is, so that links are compared whatever they still carried.
pub(crate) fn without_story(text: &str) -> String {
    let parsed = podscope_api::parse(text);
    let scenarios = parsed.configs.iter().filter(|config| &*config.value.kind == "Scenario");
    let mut left_out: Vec<(u32, u32)> = Vec::new();
    for config in scenarios {
        let tree = &config.value.tree;
        for (part, keys) in LEFT_OUT {
            left_out.extend(lines_of(tree, part, keys));
        }
    }
    let is_left_out = |line: u32| left_out.iter().any(|(from, to)| (*from..*to).contains(&line));
    // A document's end is no part of what ends it.
    let kept = |(number, line): &(u32, &str)| line.trim_end() == "---" || !is_left_out(*number);
    let mut bare = String::new();
    for (_, line) in (1..).zip(text.lines()).filter(kept) {
        bare.push_str(line);
        bare.push('\n');
    }
    bare
}

/// The lines of some keys of a part of a document, each from its own to before the next key of whatever part.
fn lines_of(document: &Tree<'_>, part: &str, keys: &[&str]) -> Vec<(u32, u32)> {
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

/// Parts of a lesson that its run does not depend on.
const LEFT_OUT: [(&str, &[&str]); 2] = [
    ("metadata", &["annotations"]),
    ("spec", &["steps", "solution", "wrong", "bypasses", "recap"]),
];

/// Names of the lessons.
pub fn names() -> impl Iterator<Item = &'static str> {
    LISTED.iter().map(|lesson| lesson.name)
}

/// Loads a lesson.
///
/// # Errors
/// There is none of that name.
pub fn load(name: &str) -> Result<Loaded, Vec<Problem>> {
    match text(name) {
        Some(text) => scenario::load(&[(format!("{name}.yaml"), text.to_owned())]),
        None => Err(vec![Problem::of(name, format!("there is no lesson {name:?}"))]),
    }
}

/// The cluster of a first visit: its story, and a rolling update that begins by itself.
pub fn welcome() -> (String, String) {
    ("welcome.yaml".into(), WELCOME.into())
}

/// The same cluster with nothing to follow and nothing that begins by itself.
pub fn free() -> (String, String) {
    ("free.yaml".into(), FREE.into())
}
