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
use super::{Change, Record, Target, Writer, clean, target_of, text, time};

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
struct Write {
    /// Wall-clock time in microseconds.
    at: i64,
    by: Writer,
    /// Whether the write is from the beginning of the history, so that the object exists at t = 0.
    is_initial: bool,
    /// Whether the object existed before the write.
    is_update: bool,
}

/// The result of a replay.
pub(super) struct Replayed {
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
pub(super) fn is_plain(text: &str) -> bool {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || "-._:/+".contains(c);
    !text.starts_with('-') && text.chars().all(is_allowed)
}

/// Returns the path of an object in the API.
pub(super) fn api_path(target: &Target) -> String {
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
        self.remember(&Target { kind, key }, value, false);
    }

    /// Adds a record. The records of the objects that existed at the beginning come first, then the others in order of
    /// time. `has_objects`: the history of the record lists the objects that existed when it began.
    pub(super) fn add(&mut self, record: Record, has_objects: bool) {
        let is_before = !record.is_initial && record.at < self.start;
        if is_before && !has_objects {
            return self.notes.add(Note::BeforeStart, "");
        }
        let before = self.n_entries();
        let write = Write {
            at: record.at,
            by: record.by,
            is_initial: record.is_initial || is_before,
            is_update: record.is_update,
        };
        match record.change {
            Change::Object(value) => self.add_object(value, write),
            Change::Patch(target, how, patch) => self.add_patch(&target, how, &patch, write),
            Change::Delete { target, grace, last } => self.add_deletion(&target, grace, last, write),
            Change::Request(entry) => self.push(record.at, entry),
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
    pub(super) fn push(&mut self, at: i64, entry: Value) {
        self.timeline.push((at.max(self.start), entry));
    }

    /// Replaces the timeline entry at an index, but not its time.
    pub(super) fn replace(&mut self, index: usize, entry: Value) {
        if let Some((_, known)) = self.timeline.get_mut(index) {
            *known = entry;
        }
    }

    fn remember(&mut self, target: &Target, value: Value, has_other_name: bool) {
        let known = KnownObject {
            is_deleted: value
                .pointer("/metadata/deletionTimestamp")
                .is_some_and(|time| !time.is_null()),
            value,
            has_other_name,
        };
        self.known.insert((target.kind, target.key.clone()), known);
    }

    fn add_patch(&mut self, target: &Target, how: PatchType, patch: &Value, write: Write) {
        let known = self.known.get(&(target.kind, target.key.clone()));
        match known.and_then(|known| patched(&known.value, how, patch).ok()) {
            Some(value) => self.add_object(without_version(value), write),
            None if write.by == Writer::Simulated => self.notes.add(Note::BySimulation, ""),
            None => self.notes.add(Note::NeverSeen, &target_text(target)),
        }
    }

    fn add_object(&mut self, value: Value, write: Write) {
        let kind = text(&value, "/kind").to_owned();
        let Some(target) = target_of(&value) else {
            return match (write.is_initial, &*kind) {
                (_, "") => self.notes.add(Note::NoName, ""),
                (true, _) => self.others.push(value),
                (false, kind) => self.notes.add(Note::NotSimulated, kind),
            };
        };
        if !is_plain(&target.key.name) || !is_plain(&target.key.namespace) {
            return self.notes.add(Note::NoName, &kind);
        }
        let id = (target.kind, target.key.clone());
        if write.is_initial {
            return self.add_initial(&target, value);
        }
        if writer::is_written_by_components(&target, Some(&value)) {
            return self.notes.add(Note::BySimulation, "");
        }
        match self.known.get(&id).cloned() {
            None if write.is_update => self.add_late(&target, value, write.by),
            None => self.create(&target, value, write),
            Some(known) if is_older(&value, &known.value) => {}
            Some(known) if is_different_object(&value, &known.value) => {
                if !known.is_deleted {
                    self.delete(&target, &known, None, write);
                }
                self.known.remove(&id);
                self.create(&target, value, write);
            }
            Some(known) => self.update(&target, &known, value, write),
        }
    }

    /// Adds an object that was not known before, although the record is an update: the object already existed at t = 0.
    fn add_late(&mut self, target: &Target, value: Value, by: Writer) {
        if by == Writer::Simulated {
            self.notes.add(Note::BySimulation, "");
            return self.remember(target, value, true);
        }
        self.notes.add(Note::SeenLate, &target_text(target));
        self.add_initial(target, value);
    }

    /// Adds an object at t = 0. If the dump contains the object, the state in the dump is kept.
    fn add_initial(&mut self, target: &Target, value: Value) {
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
            clean::as_user_creates(target.kind, &value)
        };
        self.initial.insert(id, begins);
        self.remember(target, value, false);
    }

    fn create(&mut self, target: &Target, value: Value, write: Write) {
        let (at, by) = (write.at, write.by);
        // The creation time in the object is more precise than the time of the record, except in an audit log.
        let created = time(&value, "/metadata/creationTimestamp").filter(|_| by == Writer::Unknown);
        let at = created.map_or(at, |created| created.min(at));
        if target.kind == Kind::Node {
            self.add_joining(target, &value, at);
            return self.remember(target, value, false);
        }
        let owner = writer::simulated_owner(&value, &self.known);
        if by == Writer::Simulated || owner.is_some() {
            let has_stable_names = owner.as_ref().is_some_and(|owner| writer::has_stable_names(owner.kind));
            self.notes.add(Note::BySimulation, "");
            return self.remember(target, value, !has_stable_names);
        }
        if writer::has_owner(&value) {
            self.notes.add(Note::OwnerUnknown, &target_text(target));
        }
        let body = clean::as_user_creates(target.kind, &value);
        let manifest = podscope_api::print_yaml(&body);
        self.push(
            at,
            json!({"run": format!("kubectl create -f - <<'EOF'
{manifest}EOF")}),
        );
        if !target.key.name.is_empty() {
            self.remember(target, value, false);
        }
    }

    fn update(&mut self, target: &Target, known: &KnownObject, value: Value, write: Write) {
        let (at, by) = (write.at, write.by);
        let requested = clean::deletion_requested(&value);
        if target.kind == Kind::Node {
            self.add_readiness(target, &known.value, &value, at);
        }
        if target.kind == Kind::Pod && restarts(&value) > restarts(&known.value) {
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
        let is_replayed = by == Writer::External || by == Writer::Unknown && (!is_owned || is_relabelled);
        if is_replayed && !patch.is_null() {
            match known.has_other_name {
                true => self.notes.add(Note::NamedBySimulation, &target_text(target)),
                false => self.push_update(target, patch, at),
            }
        } else {
            self.notes.add(Note::BySimulation, "");
        }
        if let Some(requested) = requested.filter(|_| !known.is_deleted) {
            let grace = clean::deletion_grace(&value);
            let last = KnownObject {
                value: value.clone(),
                ..known.clone()
            };
            let at = requested.clamp(self.start.min(at), at);
            self.delete(target, &last, grace, Write { at, ..write });
        }
        self.remember(target, value, known.has_other_name);
    }

    /// Adds the command that makes a user's change of an object.
    fn push_update(&mut self, target: &Target, patch: Value, at: i64) {
        let (kind, name) = (target.kind, &*target.key.name);
        if let Some(replicas) = clean::only_field(&patch, "replicas").and_then(Value::as_i64)
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
            self.push(at, json!({"run": line}));
            return;
        }
        if kind == Kind::Node
            && let Some(unschedulable) = clean::only_field(&patch, "unschedulable")
        {
            let verb = if unschedulable.as_bool() == Some(true) {
                "cordon"
            } else {
                "uncordon"
            };
            self.push(at, json!({"run": format!("kubectl {verb} {name}")}));
            return;
        }
        // JSON can escape an apostrophe, so the quotes of the command line stay intact.
        let patch = patch.to_string().replace('\'', r"\u0027");
        let kind = kind.singular();
        let line = format!(
            "kubectl patch {kind} {name}{} --type=merge -p '{patch}'",
            namespace_flag(target)
        );
        self.push(at, json!({"run": line}));
    }

    fn add_deletion(&mut self, target: &Target, grace: Option<i64>, last: Option<Value>, write: Write) {
        let id = (target.kind, target.key.clone());
        if write.is_initial {
            if !self.dumped.contains(&id) {
                self.initial.remove(&id);
                self.known.remove(&id);
            }
            return;
        }
        let Some(mut known) = self.known.get(&id).cloned() else {
            let is_component = writer::is_written_by_components(target, last.as_ref()) || write.by == Writer::Simulated;
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
        if write.by == Writer::External {
            // The object is removed later, at the end of its grace period. In an audit log, this is another request,
            // which a component makes.
            if !known.is_deleted {
                self.delete(target, &known, grace, write);
            }
        } else if writer::is_written_by_components(target, Some(&known.value)) {
            self.notes.add(Note::BySimulation, "");
        } else if !known.is_deleted {
            let requested = clean::deletion_requested(&known.value).unwrap_or(write.at);
            let at = requested.min(write.at);
            self.delete(target, &known, grace, Write { at, ..write });
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
    fn delete(&mut self, target: &Target, known: &KnownObject, grace: Option<i64>, write: Write) {
        let (at, by) = (write.at, write.by);
        if target.kind == Kind::Node {
            return self.add_leaving(target, at, by != Writer::External);
        }
        let deleter = match by {
            Writer::External => Deleter::User,
            Writer::Simulated => Deleter::Component,
            Writer::Unknown => writer::deleter(target, &known.value, &self.known),
        };
        match deleter {
            Deleter::Component => self.notes.add(Note::BySimulation, ""),
            Deleter::Unknown => self.notes.add(Note::UnknownDeleter, &target_text(target)),
            _ if known.has_other_name => self.notes.add(Note::NamedBySimulation, &target_text(target)),
            Deleter::Eviction => self.push(at, eviction(target)),
            Deleter::User => self.push(at, json!({"run": delete_line(target, &known.value, grace)})),
        }
    }

    /// Returns the timeline, with times relative to t = 0, and the objects at t = 0.
    pub(super) fn finish(mut self) -> Replayed {
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
        Replayed {
            timeline: entries.collect(),
            objects: self.initial.into_values().chain(self.others).collect(),
            notes: self.notes,
        }
    }
}

/// Formats a target as `KIND NAMESPACE/NAME`, for notices.
pub(super) fn target_text(target: &Target) -> String {
    format!("{} {}", target.kind.name(), target.key)
}

/// Returns the kubectl flag for the namespace of an object.
fn namespace_flag(target: &Target) -> String {
    match &*target.key.namespace {
        "" | "default" => String::new(),
        namespace => format!(" -n {namespace}"),
    }
}

fn delete_line(target: &Target, object: &Value, grace: Option<i64>) -> String {
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
pub(super) fn eviction(target: &Target) -> Value {
    let path = format!("{}/eviction", api_path(target));
    let metadata = json!({"name": &*target.key.name, "namespace": &*target.key.namespace});
    let body = json!({"apiVersion": "policy/v1", "kind": "Eviction", "metadata": metadata});
    clean::request("POST", &path, "application/json", body)
}

/// Returns the object without its resourceVersion, which is not the one that the object has in the simulation.
pub(super) fn without_version(mut object: Value) -> Value {
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.shift_remove("resourceVersion");
    }
    object
}

/// Returns whether a value is an old state of an object: its resourceVersion is not greater than that of the known
/// state.
fn is_older(value: &Value, known: &Value) -> bool {
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
fn restarts(pod: &Value) -> i64 {
    let statuses = pod.pointer("/status/containerStatuses").and_then(Value::as_array);
    let each = statuses.into_iter().flatten();
    each.filter_map(|status| status.get("restartCount")?.as_i64()).sum()
}
