//! The store: all objects at the newest revision, and a bounded log of the latest changes. Only the API server writes
//! it.

use std::collections::VecDeque;
use std::sync::Arc;

use podscope_api::{CausedBy, Kind, Object, ObjectKey};

use podscope_sim::{Assumed, Change, Objects, WatchResponse};

/// Maximum number of changes kept for watches that resume. A watch that is further behind must list again, as after a
/// compaction of etcd.
const MAX_LOGGED_CHANGES: usize = 1024;
/// Maximum number of changes kept for kinds that no process watches.
const UNWATCHED_CHANGES_MAX: usize = 512;

/// A change in the log of the store, with the trace record that reports it.
#[derive(Debug, Clone)]
struct LoggedChange {
    change: Arc<Change>,
    record: CausedBy,
}

/// The store of the API server: objects, revision and a log of the latest changes. Invariant: the log's revisions
/// increase, and all are greater than `compacted` and at most `revision`.
#[derive(Debug, Clone, Default)]
pub struct Store {
    objects: Arc<Objects>,
    revision: u64,
    log: VecDeque<LoggedChange>,
    /// Revision of the newest change that was dropped from the log.
    compacted: u64,
    /// The latest changes of kinds that no process in the simulation watches; HTTP clients may watch them.
    unwatched_changes: VecDeque<Arc<Change>>,
}

impl Store {
    /// Returns all stored objects.
    pub fn objects(&self) -> &Arc<Objects> {
        &self.objects
    }

    /// Returns the newest revision.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Returns the watch responses after a revision, each with the record of its change; `None` if the log no longer
    /// reaches back to it. The log stores no states: earlier states are reconstructed backwards from the newest one.
    pub fn since(&self, revision: u64) -> Option<Vec<(Arc<WatchResponse>, CausedBy)>> {
        if revision < self.compacted {
            return None;
        }
        let first = self.log.partition_point(|logged| logged.change.revision <= revision);
        let mut after = self.objects.clone();
        let mut responses = Vec::new();
        for logged in self.log.range(first..).rev() {
            let (change, then) = (logged.change.clone(), after.clone());
            let state = Arc::make_mut(&mut after);
            match (&change.old, &change.new) {
                (Some(old), _) => drop(state.put(old.clone())),
                (None, Some(new)) => drop(state.remove(new.kind(), &new.key())),
                (None, None) => unreachable!("a change has an old or a new object"),
            }
            responses.push((Arc::new(WatchResponse { change, after: then }), logged.record));
        }
        responses.reverse();
        Some(responses)
    }

    /// Returns the newest change in the log.
    pub fn last(&self) -> Option<&Arc<Change>> {
        self.log.back().map(|logged| &logged.change)
    }

    /// Returns the changes after the given one; `None` if the log does not contain that change, because it was dropped
    /// or belongs to another branch of the run.
    pub fn after(&self, last: &Arc<Change>) -> Option<impl Iterator<Item = &Arc<Change>>> {
        let at = self
            .log
            .partition_point(|logged| logged.change.revision < last.revision);
        let is_same_change = (self.log.get(at)).is_some_and(|logged| Arc::ptr_eq(&logged.change, last));
        is_same_change.then(|| self.log.range(at + 1..).map(|logged| &logged.change))
    }

    /// Returns the logged changes of unwatched kinds after a revision, oldest first.
    pub fn unwatched_changes_after(&self, revision: u64) -> impl Iterator<Item = &Arc<Change>> {
        let first = self
            .unwatched_changes
            .partition_point(|change| change.revision <= revision);
        self.unwatched_changes.range(first..)
    }

    /// Stores which record reports the change with this revision, if the log still contains that change.
    pub(super) fn note_record(&mut self, revision: u64, record: CausedBy) {
        let mut newest_first = self.log.iter_mut().rev();
        if let Some(logged) = newest_first.find(|logged| logged.change.revision == revision) {
            logged.record = record;
        }
    }

    /// Sets which objects are assumed to exist although a dump does not contain them. Called before anything is stored.
    pub(super) fn set_assumed_objects(&mut self, assumed: Arc<Assumed>) {
        Arc::make_mut(&mut self.objects).set_assumed_objects(assumed);
    }

    /// Creates or replaces an object and sets its resourceVersion.
    pub(super) fn put(&mut self, mut object: Object) -> Arc<WatchResponse> {
        self.revision += 1;
        object.metadata_mut().resource_version = self.revision.to_string().into();
        let old = Arc::make_mut(&mut self.objects).put(object.clone());
        self.append_to_log(self.revision, old, Some(object))
    }

    /// Stores several objects at once. Each watch response carries the state after all of them, so that only one state
    /// is kept.
    pub(super) fn put_all(&mut self, objects: impl Iterator<Item = Object>) -> Vec<Arc<WatchResponse>> {
        let mut written = Vec::new();
        for mut object in objects {
            self.revision += 1;
            object.metadata_mut().resource_version = self.revision.to_string().into();
            let old = Arc::make_mut(&mut self.objects).put(object.clone());
            written.push((self.revision, old, object));
        }
        let written = written.into_iter();
        written
            .map(|(revision, old, object)| self.append_to_log(revision, old, Some(object)))
            .collect()
    }

    /// Removes an object.
    pub(super) fn remove(&mut self, kind: Kind, key: &ObjectKey) -> Option<Arc<WatchResponse>> {
        let old = Arc::make_mut(&mut self.objects).remove(kind, key)?;
        self.revision += 1;
        Some(self.append_to_log(self.revision, Some(old), None))
    }

    /// Stores an object of an unwatched kind (events, leases), without an entry in the main log.
    pub(super) fn put_unwatched(&mut self, mut object: Object) -> Object {
        self.revision += 1;
        object.metadata_mut().resource_version = self.revision.to_string().into();
        let old = Arc::make_mut(&mut self.objects).put(object.clone());
        self.log_unwatched(old, Some(object.clone()));
        object
    }

    /// Removes an object of an unwatched kind.
    pub(super) fn remove_unwatched(&mut self, kind: Kind, key: &ObjectKey) -> Option<Object> {
        self.revision += 1;
        let old = Arc::make_mut(&mut self.objects).remove(kind, key);
        self.log_unwatched(old.clone(), None);
        old
    }

    fn log_unwatched(&mut self, old: Option<Object>, new: Option<Object>) {
        if self.unwatched_changes.len() >= UNWATCHED_CHANGES_MAX {
            self.unwatched_changes.pop_front();
        }
        let revision = self.revision;
        self.unwatched_changes
            .push_back(Arc::new(Change { revision, old, new }));
    }

    fn append_to_log(&mut self, revision: u64, old: Option<Object>, new: Option<Object>) -> Arc<WatchResponse> {
        let change = Arc::new(Change { revision, old, new });
        assert!(
            self.log
                .back()
                .is_none_or(|last| last.change.revision < change.revision),
            "revisions increase: watches find their position in the log by revision"
        );
        if self.log.len() >= MAX_LOGGED_CHANGES {
            self.compacted = self
                .log
                .pop_front()
                .map_or(self.compacted, |logged| logged.change.revision);
        }
        self.log.push_back(LoggedChange {
            change: change.clone(),
            record: CausedBy::NOTHING,
        });
        Arc::new(WatchResponse {
            change,
            after: self.objects.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use podscope_api::parse;

    use super::*;

    fn object(name: &str, value: &str) -> Object {
        let text = format!(
            "{{apiVersion: v1, kind: ConfigMap, metadata: {{name: {name}, namespace: default}}, data: {{v: '{value}'}}}}"
        );
        parse(&text).objects.remove(0).value
    }

    /// A watch that resumes receives the changes that it missed, each with the objects after the change (LC-208).
    /// Shows: LC-208
    #[test]
    fn resumed_watch_receives_missed_changes_with_their_states() {
        let mut store = Store::default();
        let responses = [
            store.put(object("a", "1")),
            store.put(object("b", "1")),
            store.put(object("a", "2")),
            store
                .remove(Kind::ConfigMap, &object("b", "1").key())
                .expect("the object exists"),
            store.put(object("b", "3")),
        ];
        let state = |objects: &Objects| format!("{:?}", objects.list_kind(Kind::ConfigMap));
        for from in 0..responses.len() {
            let resumed = store.since(from as u64).expect("the log reaches back to the revision");
            let states = |responses: &[Arc<WatchResponse>]| -> Vec<(u64, String)> {
                responses
                    .iter()
                    .map(|responses| (responses.revision, state(&responses.after)))
                    .collect()
            };
            let resumed: Vec<_> = resumed.into_iter().map(|(response, _)| response).collect();
            assert_eq!(states(&resumed), states(&responses[from..]));
        }
    }
}
