//! The store: all objects at the newest revision, and a bounded log of the
//! changes that led there. Only the API server can write it.

use std::collections::VecDeque;
use std::sync::Arc;

use podscope_api::{CausedBy, Kind, Object, ObjectKey};

use podscope_sim::{Assumed, Change, Objects, WatchResponse};

/// Changes kept for watches that resume; one that is further behind lists again (etcd's compaction).
const LOG_MAX: usize = 1024;
/// Changes kept of what no process watches.
const ASIDE_MAX: usize = 512;

/// A change with the record that tells of it.
#[derive(Debug, Clone)]
struct Logged {
    change: Arc<Change>,
    record: CausedBy,
}

/// Objects, revision and log. Invariant: the log's revisions rise, from after `compacted` to `revision` at most.
#[derive(Debug, Clone, Default)]
pub struct Store {
    objects: Arc<Objects>,
    revision: u64,
    log: VecDeque<Logged>,
    /// Revision of the newest change that the log has dropped.
    compacted: u64,
    /// The newest changes of what no process watches: programs that speak HTTP watch that too.
    aside: VecDeque<Arc<Change>>,
}

impl Store {
    /// All objects now.
    pub fn objects(&self) -> &Arc<Objects> {
        &self.objects
    }

    /// The newest revision.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// What watches are told of the time after a revision, with the record of each change; none if the log no longer reaches back that far. The log
    /// keeps no states, so that each goes while it is at hand: those between are made again from the newest one.
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
                (None, None) => unreachable!("a change is of an object"),
            }
            responses.push((Arc::new(WatchResponse { change, after: then }), logged.record));
        }
        responses.reverse();
        Some(responses)
    }

    /// The newest change that watches are told, if the log holds one.
    pub fn last(&self) -> Option<&Arc<Change>> {
        self.log.back().map(|logged| &logged.change)
    }

    /// The changes after this very one; none if the log does not hold it: it has been dropped, or belongs to another
    /// history.
    pub fn after(&self, last: &Arc<Change>) -> Option<impl Iterator<Item = &Arc<Change>>> {
        let at = self
            .log
            .partition_point(|logged| logged.change.revision < last.revision);
        let is_it = (self.log.get(at)).is_some_and(|logged| Arc::ptr_eq(&logged.change, last));
        is_it.then(|| self.log.range(at + 1..).map(|logged| &logged.change))
    }

    /// The changes after a revision of what no process watches, oldest first, as far as they are kept.
    pub fn aside_after(&self, revision: u64) -> impl Iterator<Item = &Arc<Change>> {
        let first = self.aside.partition_point(|change| change.revision <= revision);
        self.aside.range(first..)
    }

    /// Writes down which record tells of the change of that revision, if the log still holds it.
    pub(super) fn note_record(&mut self, revision: u64, record: CausedBy) {
        let mut newest_first = self.log.iter_mut().rev();
        if let Some(logged) = newest_first.find(|logged| logged.change.revision == revision) {
            logged.record = record;
        }
    }

    /// Takes for granted what a dump does not hold, before anything is put.
    pub(super) fn assume(&mut self, assumed: Arc<Assumed>) {
        Arc::make_mut(&mut self.objects).assume(assumed);
    }

    /// Creates or replaces an object; sets its resourceVersion, in place if nobody else holds it.
    pub(super) fn put(&mut self, mut object: Object) -> Arc<WatchResponse> {
        self.revision += 1;
        object.metadata_mut().resource_version = self.revision.to_string().into();
        let old = Arc::make_mut(&mut self.objects).put(object.clone());
        self.append(self.revision, old, Some(object))
    }

    /// The same of objects that are written together: watches are told of each with the objects after all of them, which
    /// are held once.
    pub(super) fn put_all(&mut self, objects: impl Iterator<Item = Object>) -> Vec<Arc<WatchResponse>> {
        let mut written = Vec::new();
        for mut object in objects {
            self.revision += 1;
            object.metadata_mut().resource_version = self.revision.to_string().into();
            let old = Arc::make_mut(&mut self.objects).put(object.clone());
            written.push((self.revision, old, object));
        }
        let told = written.into_iter();
        told.map(|(revision, old, object)| self.append(revision, old, Some(object)))
            .collect()
    }

    /// Removes an object.
    pub(super) fn remove(&mut self, kind: Kind, key: &ObjectKey) -> Option<Arc<WatchResponse>> {
        let old = Arc::make_mut(&mut self.objects).remove(kind, key)?;
        self.revision += 1;
        Some(self.append(self.revision, Some(old), None))
    }

    /// Writes what no process watches (events, leases): no log entry.
    pub(super) fn put_unwatched(&mut self, mut object: Object) -> Object {
        self.revision += 1;
        object.metadata_mut().resource_version = self.revision.to_string().into();
        let old = Arc::make_mut(&mut self.objects).put(object.clone());
        self.note_aside(old, Some(object.clone()));
        object
    }

    /// Removes what no process watches.
    pub(super) fn remove_unwatched(&mut self, kind: Kind, key: &ObjectKey) -> Option<Object> {
        self.revision += 1;
        let old = Arc::make_mut(&mut self.objects).remove(kind, key);
        self.note_aside(old.clone(), None);
        old
    }

    fn note_aside(&mut self, old: Option<Object>, new: Option<Object>) {
        if self.aside.len() >= ASIDE_MAX {
            self.aside.pop_front();
        }
        let revision = self.revision;
        self.aside.push_back(Arc::new(Change { revision, old, new }));
    }

    fn append(&mut self, revision: u64, old: Option<Object>, new: Option<Object>) -> Arc<WatchResponse> {
        let change = Arc::new(Change { revision, old, new });
        assert!(
            self.log
                .back()
                .is_none_or(|last| last.change.revision < change.revision),
            "a change comes after those before it: watches find their place by its revision"
        );
        if self.log.len() >= LOG_MAX {
            self.compacted = self
                .log
                .pop_front()
                .map_or(self.compacted, |logged| logged.change.revision);
        }
        self.log.push_back(Logged {
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

    /// A watch that resumes is told what it would have been told (LC-208): each change with the objects after it.
    /// Shows: LC-208
    #[test]
    fn what_a_watch_missed_is_told_as_it_was() {
        let mut store = Store::default();
        let told = [
            store.put(object("a", "1")),
            store.put(object("b", "1")),
            store.put(object("a", "2")),
            store
                .remove(Kind::ConfigMap, &object("b", "1").key())
                .expect("it is there"),
            store.put(object("b", "3")),
        ];
        let state = |objects: &Objects| format!("{:?}", objects.list_kind(Kind::ConfigMap));
        for from in 0..told.len() {
            let again = store.since(from as u64).expect("the log reaches back");
            let states = |responses: &[Arc<WatchResponse>]| -> Vec<(u64, String)> {
                responses
                    .iter()
                    .map(|told| (told.revision, state(&told.after)))
                    .collect()
            };
            let again: Vec<_> = again.into_iter().map(|(response, _)| response).collect();
            assert_eq!(states(&again), states(&told[from..]));
        }
    }
}
