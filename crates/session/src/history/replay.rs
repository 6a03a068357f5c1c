//! Turns the records of histories into the objects at t = 0 and a timeline. Every record updates the last known state
//! of its object; the writes that a user or a failure made become commands of the timeline.

use podscope_api::ordered::StableSort as _;
use podscope_api::{Kind, ObjectKey, ordered};
use podscope_kubectl::command::PatchType;
use podscope_kubectl::patched;
use serde_json::{Value, json};

use super::node::LostNode;
use super::notes::{Note, NoteCounts};
use super::writer::{self, Deleter};
use super::{ChangeTarget, ChangeWriter, HistoryRecord, ObjectChange, clean, target_of, text, time_micros};

/// Objects by kind and key, in their last known state.
pub(super) type KnownObjects = ordered::Map<(Kind, ObjectKey), KnownObject>;

/// The last known state of an object.
#[derive(Debug, Clone)]
pub(super) struct KnownObject {
    pub(super) value: Value,
    /// Whether deletion of the object was requested, or the object was removed.
    pub(super) is_deleted: bool,
    /// Whether the object has another name in the simulation than in the history, because a controller generates the
    /// name.
    has_other_name: bool,
}

/// When and by whom an object was written.
#[derive(Debug, Clone, Copy)]
struct WriteContext {
    /// Wall-clock time in microseconds.
    at: i64,
    by: ChangeWriter,
    /// Whether the write is from the beginning of the history, so that the object exists at t = 0.
    is_initial: bool,
    /// Whether the object existed before the write.
    is_update: bool,
}

/// The content of the Scenario that is built from the histories: timeline and objects.
pub(super) struct ReplayResult {
    /// Entries of the timeline, ordered by time.
    pub(super) timeline: Vec<Value>,
    /// Objects at t = 0 that are not part of a dump.
    pub(super) objects: Vec<Value>,
    pub(super) notes: NoteCounts,
}

pub(super) struct Replay {
    /// Wall-clock time of t = 0 in microseconds.
    start: i64,
    /// Whether the objects at t = 0 are live objects, which keep UID and status.
    is_live: bool,
    known: KnownObjects,
    /// Kinds and keys of the objects of a dump.
    dumped: ordered::Set<(Kind, ObjectKey)>,
    /// Objects at t = 0 that are not in the dump.
    initial: ordered::Map<(Kind, ObjectKey), Value>,
    /// Objects at t = 0 whose kinds are not built in.
    others: Vec<Value>,
    timeline: Vec<(i64, Value)>,
    pub(super) lost: ordered::Map<ObjectKey, LostNode>,
    pub(super) notes: NoteCounts,
}

/// Returns whether a text can be a word of a command line without quotes. Names of objects always can.
pub(super) fn is_plain_word(text: &str) -> bool {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || "-._:/+".contains(c);
    !text.starts_with('-') && text.chars().all(is_allowed)
}

/// Returns the path of an object in the API.
pub(super) fn api_path(target: &ChangeTarget) -> String {
    let prefix = match target.kind.api_version() {
        "v1" => "/api/v1".to_owned(),
        version => format!("/apis/{version}"),
    };
    let namespace = match target.kind.is_namespaced() {
        true => format!("/namespaces/{}", target.key.namespace),
        false => String::new(),
    };
    format!("{prefix}{namespace}/{}/{}", target.kind.plural(), target.key.name)
}

impl Replay {
    pub(super) fn new(start: i64, is_live: bool, notes: NoteCounts) -> Self {
        Self {
            start,
            is_live,
            known: KnownObjects::new(),
            dumped: ordered::Set::new(),
            initial: ordered::Map::new(),
            others: Vec::new(),
            timeline: Vec::new(),
            lost: ordered::Map::new(),
            notes,
        }
    }

    /// Adds an object of the dump.
    pub(super) fn add_dumped(&mut self, kind: Kind, key: ObjectKey, value: Value) {
        self.dumped.insert((kind, key.clone()));
        self.remember_object(&ChangeTarget { kind, key }, value, false);
    }

    /// Adds a record. The records of the objects that existed at the beginning come first, then the others in order of
    /// time. `has_objects`: the history of the record lists the objects that existed when it began.
    pub(super) fn add(&mut self, record: HistoryRecord, has_objects: bool) {
        let is_before = !record.is_initial && record.at < self.start;
        if is_before && !has_objects {
            return self.notes.add(Note::BeforeStart, "");
        }
        let before = self.n_entries();
        let write = WriteContext {
            at: record.at,
            by: record.by,
            is_initial: record.is_initial || is_before,
            is_update: record.is_update,
        };
        match record.change {
            ObjectChange::Object(value) => self.add_object(value, write),
            ObjectChange::Patch(target, how, patch) => self.add_patch(&target, how, &patch, write),
            ObjectChange::Delete { target, grace, last } => self.add_deletion(&target, grace, last, write),
            ObjectChange::Request(entry) => self.add_entry(record.at, entry),
        }
        if record.is_undated && self.n_entries() > before {
            self.notes.add(Note::Undated, "");
        }
    }

    /// Number of entries of the timeline so far.
    pub(super) fn n_entries(&self) -> usize {
        self.timeline.len()
    }

    /// Adds an entry to the timeline.
    pub(super) fn add_entry(&mut self, at: i64, entry: Value) {
        self.timeline.push((at.max(self.start), entry));
    }

    /// Replaces the timeline entry at an index, but not its time.
    pub(super) fn replace_entry(&mut self, index: usize, entry: Value) {
        if let Some((_, known)) = self.timeline.get_mut(index) {
            *known = entry;
        }
    }

    fn remember_object(&mut self, target: &ChangeTarget, value: Value, has_other_name: bool) {
        let known = KnownObject {
            is_deleted: value
                .pointer("/metadata/deletionTimestamp")
                .is_some_and(|time| !time.is_null()),
            value,
            has_other_name,
        };
        self.known.insert((target.kind, target.key.clone()), known);
    }

    fn add_patch(&mut self, target: &ChangeTarget, how: PatchType, patch: &Value, write: WriteContext) {
        let known = self.known.get(&(target.kind, target.key.clone()));
        match known.and_then(|known| patched(&known.value, how, patch).ok()) {
            Some(value) => self.add_object(without_resource_version(value), write),
            None if write.by == ChangeWriter::Simulated => self.notes.add(Note::BySimulation, ""),
            None => self.notes.add(Note::NeverSeen, &target_text(target)),
        }
    }

    fn add_object(&mut self, value: Value, write: WriteContext) {
        let kind = text(&value, "/kind").to_owned();
        let Some(target) = target_of(&value) else {
            return match (write.is_initial, &*kind) {
                (_, "") => self.notes.add(Note::NoName, ""),
                (true, _) => self.others.push(value),
                (false, kind) => self.notes.add(Note::NotSimulated, kind),
            };
        };
        if !is_plain_word(&target.key.name) || !is_plain_word(&target.key.namespace) {
            return self.notes.add(Note::NoName, &kind);
        }
        let id = (target.kind, target.key.clone());
        if write.is_initial {
            return self.add_initial_object(&target, value);
        }
        if writer::is_written_by_components(&target, Some(&value)) {
            return self.notes.add(Note::BySimulation, "");
        }
        match self.known.get(&id).cloned() {
            None if write.is_update => self.add_first_seen_in_update(&target, value, write.by),
            None => self.add_creation(&target, value, write),
            Some(known) if is_older_version(&value, &known.value) => {}
            Some(known) if is_different_object(&value, &known.value) => {
                if !known.is_deleted {
                    self.add_delete_command(&target, &known, None, write);
                }
                self.known.remove(&id);
                self.add_creation(&target, value, write);
            }
            Some(known) => self.add_update(&target, &known, value, write),
        }
    }

    /// Adds an object that was not known before, although the record is an update: the object already existed at t = 0.
    fn add_first_seen_in_update(&mut self, target: &ChangeTarget, value: Value, by: ChangeWriter) {
        if by == ChangeWriter::Simulated {
            self.notes.add(Note::BySimulation, "");
            return self.remember_object(target, value, true);
        }
        self.notes.add(Note::SeenLate, &target_text(target));
        self.add_initial_object(target, value);
    }

    /// Adds an object at t = 0. If the dump contains the object, the state in the dump is kept.
    fn add_initial_object(&mut self, target: &ChangeTarget, value: Value) {
        let id = (target.kind, target.key.clone());
        if self.dumped.contains(&id) {
            return;
        }
        if podscope_api::object_from_value(&value).is_err() {
            return self.notes.add(Note::NotWhole, &target_text(target));
        }
        let begins = if self.is_live {
            value.clone()
        } else {
            clean::as_user_would_create(target.kind, &value)
        };
        self.initial.insert(id, begins);
        self.remember_object(target, value, false);
    }

    fn add_creation(&mut self, target: &ChangeTarget, value: Value, write: WriteContext) {
        let (at, by) = (write.at, write.by);
        // The creation time in the object is more precise than the time of the record, except in an audit log.
        let created = time_micros(&value, "/metadata/creationTimestamp").filter(|_| by == ChangeWriter::Unknown);
        let at = created.map_or(at, |created| created.min(at));
        if target.kind == Kind::Node {
            self.add_node_join(target, &value, at);
            return self.remember_object(target, value, false);
        }
        let owner = writer::simulated_owner(&value, &self.known);
        if by == ChangeWriter::Simulated || owner.is_some() {
            let has_stable_names = owner.as_ref().is_some_and(|owner| writer::has_stable_names(owner.kind));
            self.notes.add(Note::BySimulation, "");
            return self.remember_object(target, value, !has_stable_names);
        }
        if writer::has_owner(&value) {
            self.notes.add(Note::OwnerUnknown, &target_text(target));
        }
        let body = clean::as_user_would_create(target.kind, &value);
        let manifest = podscope_api::print_yaml(&body);
        self.add_entry(
            at,
            json!({"run": format!("kubectl create -f - <<'EOF'
{manifest}EOF")}),
        );
        if !target.key.name.is_empty() {
            self.remember_object(target, value, false);
        }
    }

    fn add_update(&mut self, target: &ChangeTarget, known: &KnownObject, value: Value, write: WriteContext) {
        let (at, by) = (write.at, write.by);
        let requested = clean::deletion_request_micros(&value);
        if target.kind == Kind::Node {
            self.add_ready_change(target, &known.value, &value, at);
        }
        if target.kind == Kind::Pod && restart_count(&value) > restart_count(&known.value) {
            self.notes.add(Note::Restarts, &target_text(target));
        }
        let patch = clean::merge_patch(
            &clean::user_set_fields(target.kind, &known.value),
            &clean::user_set_fields(target.kind, &value),
        );
        let is_owned = writer::simulated_owner(&value, &self.known).is_some();
        // If the history does not record the writer, a change of an object with a controller counts as a user's change
        // only if it changes the labels of a pod.
        let is_relabelled = patch.pointer("/metadata/labels").is_some() && target.kind == Kind::Pod;
        let is_replayed = by == ChangeWriter::External || by == ChangeWriter::Unknown && (!is_owned || is_relabelled);
        if is_replayed && !patch.is_null() {
            match known.has_other_name {
                true => self.notes.add(Note::NamedBySimulation, &target_text(target)),
                false => self.push_update_command(target, patch, at),
            }
        } else {
            self.notes.add(Note::BySimulation, "");
        }
        if let Some(requested) = requested.filter(|_| !known.is_deleted) {
            let grace = clean::deletion_grace_seconds(&value);
            let last = KnownObject {
                value: value.clone(),
                ..known.clone()
            };
            let at = requested.clamp(self.start.min(at), at);
            self.add_delete_command(target, &last, grace, WriteContext { at, ..write });
        }
        self.remember_object(target, value, known.has_other_name);
    }

    /// Adds the timeline command that repeats a user's change of an object.
    fn push_update_command(&mut self, target: &ChangeTarget, patch: Value, at: i64) {
        let (kind, name) = (target.kind, &*target.key.name);
        if let Some(replicas) = clean::only_spec_field(&patch, "replicas").and_then(Value::as_i64)
            && podscope_kubectl::has_scale(kind)
        {
            if writer::is_autoscaled(target, &self.known) {
                self.notes.add(Note::AutoscalerScales, &target_text(target));
            }
            let line = format!(
                "kubectl scale {} {name} --replicas={replicas}{}",
                kind.singular(),
                namespace_flag(target)
            );
            self.add_entry(at, json!({"run": line}));
            return;
        }
        if kind == Kind::Node
            && let Some(unschedulable) = clean::only_spec_field(&patch, "unschedulable")
        {
            let verb = if unschedulable.as_bool() == Some(true) {
                "cordon"
            } else {
                "uncordon"
            };
            self.add_entry(at, json!({"run": format!("kubectl {verb} {name}")}));
            return;
        }
        // JSON can escape an apostrophe, so the quotes of the command line stay intact.
        let patch = patch.to_string().replace('\'', r"\u0027");
        let kind = kind.singular();
        let line = format!(
            "kubectl patch {kind} {name}{} --type=merge -p '{patch}'",
            namespace_flag(target)
        );
        self.add_entry(at, json!({"run": line}));
    }

    fn add_deletion(&mut self, target: &ChangeTarget, grace: Option<i64>, last: Option<Value>, write: WriteContext) {
        let id = (target.kind, target.key.clone());
        if write.is_initial {
            if !self.dumped.contains(&id) {
                self.initial.remove(&id);
                self.known.remove(&id);
            }
            return;
        }
        let Some(mut known) = self.known.get(&id).cloned() else {
            let is_component =
                writer::is_written_by_components(target, last.as_ref()) || write.by == ChangeWriter::Simulated;
            let note = if is_component {
                Note::BySimulation
            } else {
                Note::NeverSeen
            };
            let name = if is_component {
                String::new()
            } else {
                target_text(target)
            };
            return self.notes.add(note, &name);
        };
        known.value = last.unwrap_or(known.value);
        if write.by == ChangeWriter::External {
            // The object is removed later, at the end of its grace period. In an audit log, this is another request,
            // which a component makes.
            if !known.is_deleted {
                self.add_delete_command(target, &known, grace, write);
            }
        } else if writer::is_written_by_components(target, Some(&known.value)) {
            self.notes.add(Note::BySimulation, "");
        } else if !known.is_deleted {
            let requested = clean::deletion_request_micros(&known.value).unwrap_or(write.at);
            let at = requested.min(write.at);
            self.add_delete_command(target, &known, grace, WriteContext { at, ..write });
        }
        if target.kind == Kind::Namespace {
            // The namespace is kept as deleted, so that the deletions of its objects are attributed to the namespace
            // controller.
            if let Some(namespace) = self.known.get_mut(&id) {
                namespace.is_deleted = true;
            }
        } else {
            self.known.remove(&id);
        }
    }

    /// Adds the command that deletes an object, if a user requested the deletion.
    fn add_delete_command(
        &mut self,
        target: &ChangeTarget,
        known: &KnownObject,
        grace: Option<i64>,
        write: WriteContext,
    ) {
        let (at, by) = (write.at, write.by);
        if target.kind == Kind::Node {
            return self.add_node_leave(target, at, by != ChangeWriter::External);
        }
        let deleter = match by {
            ChangeWriter::External => Deleter::User,
            ChangeWriter::Simulated => Deleter::Component,
            ChangeWriter::Unknown => writer::deleter(target, &known.value, &self.known),
        };
        match deleter {
            Deleter::Component => self.notes.add(Note::BySimulation, ""),
            Deleter::Unknown => self.notes.add(Note::UnknownDeleter, &target_text(target)),
            _ if known.has_other_name => self.notes.add(Note::NamedBySimulation, &target_text(target)),
            Deleter::Eviction => self.add_entry(at, eviction_entry(target)),
            Deleter::User => self.add_entry(at, json!({"run": delete_command_line(target, &known.value, grace)})),
        }
    }

    /// Returns the timeline, with times relative to t = 0, and the objects at t = 0.
    pub(super) fn finish(mut self) -> ReplayResult {
        let has_nodes = self.known.keys().any(|(kind, _)| *kind == Kind::Node);
        if !has_nodes && !self.is_live {
            self.notes.add(Note::NoNodes, "");
        }
        self.timeline.stable_sort_by_key(|(at, _)| *at);
        let entries = self.timeline.into_iter().map(|(at, entry)| {
            let at = podscope_api::print_duration_short(at - self.start);
            let mut timed = json!({"at": at});
            if let (Some(fields), Value::Object(entry)) = (timed.as_object_mut(), entry) {
                fields.extend(entry);
            }
            timed
        });
        ReplayResult {
            timeline: entries.collect(),
            objects: self.initial.into_values().chain(self.others).collect(),
            notes: self.notes,
        }
    }
}

/// Formats a target as `KIND NAMESPACE/NAME`, for notices.
pub(super) fn target_text(target: &ChangeTarget) -> String {
    format!("{} {}", target.kind.name(), target.key)
}

/// Returns the kubectl flag for the namespace of an object.
fn namespace_flag(target: &ChangeTarget) -> String {
    match &*target.key.namespace {
        "" | "default" => String::new(),
        namespace => format!(" -n {namespace}"),
    }
}

fn delete_command_line(target: &ChangeTarget, object: &Value, grace: Option<i64>) -> String {
    let (kind, name) = (target.kind.singular(), &*target.key.name);
    let mut line = format!("kubectl delete {kind} {name}{}", namespace_flag(target));
    let own = object
        .pointer("/spec/terminationGracePeriodSeconds")
        .and_then(Value::as_i64)
        .unwrap_or(30);
    match grace.filter(|grace| target.kind == Kind::Pod && *grace != own) {
        Some(0) => line.push_str(" --grace-period=0 --force"),
        Some(grace) => line.push_str(&format!(" --grace-period={grace}")),
        None => {}
    }
    line + " --wait=false"
}

/// Returns a timeline entry that requests the eviction of a pod, which a PodDisruptionBudget can refuse.
pub(super) fn eviction_entry(target: &ChangeTarget) -> Value {
    let path = format!("{}/eviction", api_path(target));
    let metadata = json!({"name": &*target.key.name, "namespace": &*target.key.namespace});
    let body = json!({"apiVersion": "policy/v1", "kind": "Eviction", "metadata": metadata});
    clean::api_request_entry("POST", &path, "application/json", body)
}

/// Returns the object without its resourceVersion, which is not the one that the object has in the simulation.
pub(super) fn without_resource_version(mut object: Value) -> Value {
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.shift_remove("resourceVersion");
    }
    object
}

/// Returns whether a value is an old state of an object: its resourceVersion is not greater than that of the known
/// state.
fn is_older_version(value: &Value, known: &Value) -> bool {
    let version = |value: &Value| text(value, "/metadata/resourceVersion").parse::<u64>().ok();
    matches!((version(value), version(known)), (Some(new), Some(old)) if new <= old)
}

/// Returns whether two objects with the same kind and key are different objects, because one was deleted and created
/// again.
fn is_different_object(value: &Value, known: &Value) -> bool {
    let (new, old) = (text(value, "/metadata/uid"), text(known, "/metadata/uid"));
    !new.is_empty() && !old.is_empty() && new != old
}

/// Returns the number of restarts of a pod's containers together.
fn restart_count(pod: &Value) -> i64 {
    let statuses = pod.pointer("/status/containerStatuses").and_then(Value::as_array);
    let each = statuses.into_iter().flatten();
    each.filter_map(|status| status.get("restartCount")?.as_i64()).sum()
}
