//! Recording of a lesson: the user picks fields of objects as goals. The commands of the lesson are those of the
//! session.

use std::sync::Arc;

use podscope_api::well_known::label;
use podscope_api::{Data, Pod, Tree};
use podscope_protocol::{GoalRefusal, LessonCondition, SubjectRef, Update};
use serde_json::{Value, json};

use crate::timeline::Session;
use crate::view;

/// A field of an object that the user picked as a goal of the recorded lesson.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PickedGoal {
    /// Number of commands before the cursor when the field was picked.
    pub(crate) after: usize,
    /// The condition of the goal, as in a lesson file.
    pub(crate) goal: Value,
    /// The condition of the goal, as the page describes it.
    description: LessonCondition,
}

/// All goals of the recorded lesson.
#[derive(Debug, Default)]
pub(super) struct RecordedGoals {
    goals: Vec<PickedGoal>,
}

impl RecordedGoals {
    pub(super) fn goals(&self) -> &[PickedGoal] {
        &self.goals
    }

    /// Makes a field a goal of the recorded lesson, unless it is one already. The field is in line `line` of the
    /// object's YAML.
    ///
    /// # Errors
    /// The reason why the field cannot be a goal.
    pub(super) fn pick_goal_field(
        &mut self,
        session: &Session,
        subject: &SubjectRef,
        line: u32,
    ) -> Result<(), GoalRefusal> {
        let object = match subject {
            SubjectRef::Pod { key, .. } => format!("Pod {key}"),
            SubjectRef::Node { name } => format!("Node {name}"),
            SubjectRef::Object { kind, key } => format!("{kind} {key}"),
            SubjectRef::Invariant { .. } => {
                return Err(GoalRefusal::Invariant);
            }
            SubjectRef::FailedRequests { .. } => return Err(GoalRefusal::NoObject),
        };
        let text = view::detail(session, subject, &[]).yaml;
        let tree = podscope_api::read_yaml(&text).map_err(|_| GoalRefusal::NoObject)?;
        let (path, value) = field_at_line(&tree, line).ok_or(GoalRefusal::NoField)?;
        // A goal can require that the object is being deleted, but not the time of the deletion.
        let value = value.filter(|_| path != ".metadata.deletionTimestamp");
        if value.as_ref().is_some_and(|value| depends_on_run(&path, value)) {
            return Err(GoalRefusal::DiffersPerRun);
        }
        let drawn = match subject {
            SubjectRef::Pod { key, .. } => pod_with_generated_name(session, key),
            _ => None,
        };
        let goal = match (drawn, value) {
            (Some(pod), value) => {
                pod_count_condition(session, pod, &path, value.as_ref()).ok_or(GoalRefusal::DrawnName)?
            }
            (None, Some(value)) => json!({"object": object, "path": path, "equals": value}),
            (None, None) => json!({"object": object, "path": path, "exists": true}),
        };
        let is_known = self.goals.iter().any(|known| known.goal == goal);
        if !is_known {
            let now = session.now();
            let after = session.commands().iter().filter(|timed| timed.at <= now).count();
            let description = crate::scenario::describe_condition(&goal).ok_or(GoalRefusal::UnsupportedField)?;
            self.goals.push(PickedGoal {
                after,
                goal,
                description,
            });
        }
        Ok(())
    }

    /// Removes the goal with this index.
    pub(super) fn remove_goal(&mut self, index: usize) {
        if index < self.goals.len() {
            self.goals.remove(index);
        }
    }

    /// Removes the goals that were picked after more than `commands` commands. Returns the update with the remaining
    /// goals if any goal was removed.
    pub(super) fn remove_goals_after(&mut self, commands: usize) -> Option<Update> {
        let before = self.goals.len();
        self.goals.retain(|picked| picked.after <= commands);
        (self.goals.len() < before).then(|| self.update())
    }

    /// Returns the update that sends all goals to the page.
    pub(super) fn update(&self) -> Update {
        let goals = self.goals.iter().map(|picked| picked.description.clone());
        Update::Recorded { goals: goals.collect() }
    }
}

/// Returns the pod with this key, if its controller generates names for its pods.
fn pod_with_generated_name<'a>(session: &'a Session, key: &str) -> Option<&'a Arc<Pod>> {
    let pod = (session.world().objects().list::<Pod>()).find(|pod| pod.metadata.key().to_string() == key)?;
    let has_controller = pod.metadata.controller_ref().is_some();
    (has_controller && !pod.metadata.generate_name.is_empty()).then_some(pod)
}

/// Returns whether the pod's author has set the label. The other labels are set by controllers and the API server, and
/// differ between pods.
fn is_authors_label(key: &str) -> bool {
    !LABELS_SET_BY_CONTROLLERS.contains(&key) && !key.starts_with("topology.kubernetes.io/")
}

const LABELS_SET_BY_CONTROLLERS: [&str; 6] = [
    "pod-template-hash",
    "controller-revision-hash",
    "pod-template-generation",
    "controller-uid",
    label::JOB_CONTROLLER_UID,
    "job-name",
];

/// Returns a condition on the number of pods that have this pod's labels and the same value in a field: there must be
/// at least as many as now. `None` if the condition cannot be expressed for this field, or if the pod's author has set
/// no labels.
fn pod_count_condition(session: &Session, pod: &Pod, path: &str, value: Option<&Value>) -> Option<Value> {
    let labels = &pod.metadata.labels;
    let given = || labels.iter().filter(|(key, _)| is_authors_label(key));
    let selector: Vec<String> = given().map(|(key, value)| format!("{key}={value}")).collect();
    if selector.is_empty() {
        return None;
    }
    let mut pods = "pods".to_owned();
    if &*pod.metadata.namespace != "default" {
        pods.push_str(&format!(" -n {}", pod.metadata.namespace));
    }
    pods.push_str(&format!(" -l {}", selector.join(",")));
    let count = |is_alike: &dyn Fn(&Pod) -> bool| {
        let all = session.world().objects().list_in::<Pod>(&pod.metadata.namespace);
        let has_labels = |one: &Pod| given().all(|(key, value)| one.metadata.labels.get(key) == Some(value));
        all.filter(|one| has_labels(one) && is_alike(one)).count()
    };
    let text = value.and_then(Value::as_str).unwrap_or_default();
    match path {
        ".status.phase" => {
            let least = count(&|one| one.status.phase == pod.status.phase);
            Some(json!({"count": format!("{pods} --field-selector=status.phase={text}"), "least": least}))
        }
        ".spec.nodeName" => {
            let least = count(&|one| one.spec.node_name == pod.spec.node_name);
            Some(json!({"count": format!("{pods} --field-selector=spec.nodeName={text}"), "least": least}))
        }
        ".status.conditions[?(@.type==\"Ready\")].status" if text == "True" => {
            Some(json!({"ready": pods, "least": count(&|one| one.is_ready())}))
        }
        path if path.starts_with(".metadata.labels") => Some(json!({"count": pods, "least": count(&|_| true)})),
        _ => None,
    }
}

/// Returns JSONPath and value of the field whose key or list item is in this line of the YAML. The value is None for a
/// mapping or list.
fn field_at_line(tree: &Tree<'_>, line: u32) -> Option<(String, Option<Value>)> {
    fn find_field_at_line(tree: &Tree<'_>, path: &str, line: u32) -> Option<(String, Option<Value>)> {
        let found = |path: String, value: &Tree<'_>| {
            let is_plain = !matches!(value.data, Data::Map(_) | Data::Seq(_));
            (path, is_plain.then(|| value.to_value()))
        };
        match &tree.data {
            Data::Map(entries) => entries.iter().find_map(|entry| {
                let path = format!("{path}{}", path_segment(&entry.key));
                if entry.line == line {
                    Some(found(path, &entry.value))
                } else {
                    find_field_at_line(&entry.value, &path, line)
                }
            }),
            Data::Seq(items) => items.iter().enumerate().find_map(|(index, item)| {
                let path = match item.get("type").and_then(Tree::as_str) {
                    Some(kind) => format!("{path}[?(@.type==\"{kind}\")]"),
                    None => format!("{path}[{index}]"),
                };
                let is_plain = !matches!(item.data, Data::Map(_) | Data::Seq(_));
                if item.line == line && is_plain {
                    Some(found(path, item))
                } else {
                    find_field_at_line(item, &path, line)
                }
            }),
            _ => None,
        }
    }
    find_field_at_line(tree, "", line)
}

/// Returns whether a field has another value in each run, because it is a timestamp, a counter or a generated name.
/// Labels and annotations are written by people and do not depend on the run.
fn depends_on_run(path: &str, value: &Value) -> bool {
    let is_instant = value.as_str().is_some_and(|text| {
        let bytes = text.as_bytes();
        bytes.len() >= 20 && bytes[4] == b'-' && bytes[10] == b'T' && bytes.ends_with(b"Z")
    });
    let is_in_metadata_or_status = path.starts_with(".metadata") || path.starts_with(".status");
    let is_user_text = path.starts_with(".metadata.labels") || path.starts_with(".metadata.annotations");
    let key = path.rsplit('.').next().unwrap_or_default();
    is_instant && !is_user_text || is_in_metadata_or_status && !is_user_text && RUN_DEPENDENT_FIELDS.contains(&key)
}

/// Fields of metadata and status whose values differ between runs.
const RUN_DEPENDENT_FIELDS: [&str; 7] = [
    "uid",
    "resourceVersion",
    "generation",
    "observedGeneration",
    "containerID",
    "podIP",
    "ip",
];

/// Formats a key as a JSONPath segment.
fn path_segment(key: &str) -> String {
    let is_word = key
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
    if is_word {
        format!(".{key}")
    } else {
        format!("['{key}']")
    }
}
