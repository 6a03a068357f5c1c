//! Built-in lessons (E-01): every file of `lessons/`. Adding a file adds the lesson (see `build.rs`).

use crate::scenario::{self, Loaded};
use podscope_api::ordered::StableSort as _;
use podscope_protocol::{LessonInfo, Problem};

include!(concat!(env!("OUT_DIR"), "/lessons.rs"));

/// The small living cluster of a first visit (U-10).
const WELCOME: &str = include_str!("welcome.yaml");

/// The lessons in the chooser's order: `podscope.dev/order`, so that groups come in the order of their first lesson.
pub fn list() -> Vec<LessonInfo> {
    let mut lessons: Vec<(u32, LessonInfo)> = LESSONS
        .iter()
        .map(|(name, text)| {
            let field = |key: &str| line_value(text, key);
            let info = LessonInfo {
                name: (*name).to_owned(),
                title: field("title:"),
                group: field("podscope.dev/group:"),
                summary: field("podscope.dev/summary:"),
                minutes: field("podscope.dev/minutes:").parse().unwrap_or(0),
                needs: names_in(&field("podscope.dev/needs:")),
                recap: names_in(&field("recap:")),
                page: page(&field("podscope.dev/topic:")),
                topic: field("podscope.dev/topic:"),
                rule: field("podscope.dev/rule:"),
                own: field("podscope.dev/own:"),
                variation: field("podscope.dev/variation:"),
                asks: text.lines().any(|line| line.trim_start().starts_with("predict:")),
            };
            (field("podscope.dev/order:").parse().unwrap_or(u32::MAX), info)
        })
        .collect();
    lessons.stable_sort_by(|a, b| (a.0, &a.1.name).cmp(&(b.0, &b.1.name)));
    lessons.into_iter().map(|(_, info)| info).collect()
}

/// The first value of a key in a file, without reading it as YAML: the list of lessons must cost nothing.
fn line_value(text: &str, key: &str) -> String {
    text.lines()
        .find_map(|line| line.trim_start().strip_prefix(key))
        .map(|value| value.trim().trim_matches('"').trim_matches('\'').to_owned())
        .unwrap_or_default()
}

/// Names between commas, in brackets or not.
fn names_in(list: &str) -> Vec<String> {
    let names = list.trim_matches(['[', ']']).split(',').map(str::trim);
    names.filter(|name| !name.is_empty()).map(str::to_owned).collect()
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

/// The text of a lesson.
pub fn text(name: &str) -> Option<&'static str> {
    LESSONS.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// What the run of a lesson depends on. A link carries it, so that it shows the same after the lesson was rewritten (T-03).
pub fn bare(name: &str) -> Option<String> {
    text(name).map(without_story)
}

/// A lesson's text without its story, solution and wrong attempts, and without what only the chooser shows
/// of it. What is without them stays as it is, so that links are compared whatever they still carried.
pub(crate) fn without_story(text: &str) -> String {
    let mut bare = String::new();
    for document in text.split_inclusive("\n---\n") {
        let is_scenario = document.lines().any(|line| line == "kind: Scenario");
        let mut is_left_out = false;
        for line in document.lines() {
            // A key of `metadata` or `spec` begins a part, a line that is not indented ends it.
            if !line.starts_with("   ") && !line.starts_with("  -") && !line.trim().is_empty() {
                is_left_out = is_scenario && LEFT_OUT.iter().any(|part| line.starts_with(part));
            }
            if !is_left_out {
                bare.push_str(line);
                bare.push('\n');
            }
        }
    }
    bare
}

/// Parts of a lesson that its run does not depend on.
const LEFT_OUT: &[&str] = &[
    "  annotations:",
    "  steps:",
    "  solution:",
    "  wrong:",
    "  bypasses:",
    "  recap:",
];

/// Names of the lessons.
pub fn names() -> impl Iterator<Item = &'static str> {
    LESSONS.iter().map(|(name, _)| *name)
}

/// Loads a lesson.
///
/// # Errors
/// There is none of that name.
pub fn load(name: &str) -> Result<Loaded, Vec<Problem>> {
    match text(name) {
        Some(text) => scenario::load(&[(format!("{name}.yaml"), text.to_owned())]),
        None => Err(vec![Problem {
            file: name.to_owned(),
            document: 0,
            line: 0,
            column: 0,
            path: String::new(),
            message: format!("there is no lesson {name:?}"),
        }]),
    }
}

/// The cluster of a first visit.
pub fn welcome() -> (String, String) {
    ("welcome.yaml".into(), WELCOME.into())
}
