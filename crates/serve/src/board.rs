//! The state that the engine publishes for readers and watches: the current objects and the recent changes.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use podscope_api::{Kind, Time};
use podscope_cluster::{Change, Heartbeats, Objects, SimTime};
use tokio::sync::broadcast;

use crate::derived_objects::DerivedObjects;
use crate::items::ItemTextCache;

/// Maximum number of recent changes that are kept, for watches that start at a resourceVersion. A watch from an older
/// version is answered with 410 (HT-191).
const MAX_HISTORY_CHANGES: usize = 20_000;
/// Maximum number of publications that a slow watch may lag behind before it is closed.
const MAX_WATCH_LAG: usize = 4096;

/// The state of the cluster at one time, with all that read requests need.
#[derive(Debug, Clone)]
pub(crate) struct Snapshot {
    pub(crate) objects: Arc<Objects>,
    pub(crate) derived: DerivedObjects,
    pub(crate) revision: u64,
    /// Wall-clock time of the simulation.
    pub(crate) now: Time,
    pub(crate) at: SimTime,
    /// Whether the API server runs, and whether it reaches etcd.
    pub(crate) control_plane: (bool, bool),
    pub(crate) heartbeats: Heartbeats,
}

impl Snapshot {
    /// Returns a set of objects that contains all objects of this kind, stored and derived.
    pub(crate) fn objects_with_kind(&self, kind: Kind) -> &Objects {
        self.derived.objects_with_kind(kind).unwrap_or(&self.objects)
    }
}

/// Key of an encoded event: events that are equal in these fields are encoded to the same bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct EncodedEventKey {
    pub(crate) revision: u64,
    /// `ADDED`, `MODIFIED`, `DELETED`.
    pub(crate) event: &'static str,
    pub(crate) api_version: &'static str,
    pub(crate) kind: &'static str,
    /// Whether the object is a `PartialObjectMetadata`.
    pub(crate) is_partial: bool,
}

/// Changes that the engine publishes to all watches at once.
#[derive(Debug)]
pub(crate) struct PublishedChanges {
    /// The changes, in the order of their revisions.
    pub(crate) changes: Vec<Arc<Change>>,
    pub(crate) now: Time,
    /// Cache of encoded events: encoding an object takes longer than sending it, and most watches of a kind send the
    /// same bytes.
    encoded: Mutex<BTreeMap<EncodedEventKey, Bytes>>,
}

impl PublishedChanges {
    /// Encodes an event, or returns the bytes that another watch has already encoded.
    pub(crate) fn encoded_event(&self, key: EncodedEventKey, encode: impl FnOnce() -> Bytes) -> Bytes {
        let mut encoded = self.encoded.lock().unwrap_or_else(PoisonError::into_inner);
        encoded.entry(key).or_insert_with(encode).clone()
    }
}

/// A message to all watches.
#[derive(Debug, Clone)]
pub(crate) enum WatchMessage {
    Changes(Arc<PublishedChanges>),
    /// Watches must end: the session's history was replaced, or the API server stopped.
    Ended,
}

/// The initial state of a watch.
pub(crate) struct Subscription {
    pub(crate) snapshot: Arc<Snapshot>,
    /// Changes since the requested version; None if no version was requested or it is older than `oldest`.
    pub(crate) since: Option<Vec<Arc<Change>>>,
    pub(crate) oldest: u64,
    pub(crate) news: broadcast::Receiver<WatchMessage>,
}

#[derive(Debug)]
struct PublishedState {
    snapshot: Arc<Snapshot>,
    history: VecDeque<Arc<Change>>,
    /// Revision at which the history begins: it contains all later changes.
    oldest: u64,
    /// JSON texts of objects of this history. They are cleared with the history: after a restore, the same versions
    /// belong to other objects.
    items: Arc<ItemTextCache>,
}

/// The latest snapshot and the recent changes. The engine writes them; the threads of the HTTP server read them.
#[derive(Debug)]
pub(crate) struct SnapshotBoard {
    published: Mutex<PublishedState>,
    sender: broadcast::Sender<WatchMessage>,
}

impl SnapshotBoard {
    pub(crate) fn new(snapshot: Snapshot) -> SnapshotBoard {
        let oldest = snapshot.revision;
        SnapshotBoard {
            published: Mutex::new(PublishedState {
                snapshot: Arc::new(snapshot),
                history: VecDeque::new(),
                oldest,
                items: Arc::default(),
            }),
            sender: broadcast::channel(MAX_WATCH_LAG).0,
        }
    }

    fn lock(&self) -> MutexGuard<'_, PublishedState> {
        // Ignores poisoning: a panic of another thread leaves no incomplete state.
        self.published.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn snapshot(&self) -> Arc<Snapshot> {
        self.lock().snapshot.clone()
    }

    /// Returns the snapshot, and the cached JSON texts of its objects.
    pub(crate) fn snapshot_with_items(&self) -> (Arc<Snapshot>, Arc<ItemTextCache>) {
        let published = self.lock();
        (published.snapshot.clone(), published.items.clone())
    }

    /// Returns the revision at which the history begins: it contains all later changes.
    pub(crate) fn oldest_revision(&self) -> u64 {
        self.lock().oldest
    }

    /// Returns the snapshot at an earlier revision; None if the history does not reach back to it.
    pub(crate) fn snapshot_at(&self, revision: u64) -> Option<Arc<Snapshot>> {
        let (snapshot, later) = {
            let published = self.lock();
            if revision < published.oldest {
                return None;
            }
            let first = published.history.partition_point(|change| change.revision <= revision);
            let later: Vec<Arc<Change>> = published.history.range(first..).cloned().collect();
            (published.snapshot.clone(), later)
        };
        let mut snapshot = Snapshot::clone(&snapshot);
        let objects = Arc::make_mut(&mut snapshot.objects);
        for change in later.iter().rev() {
            snapshot.derived.undo_change(change);
            match (&change.old, &change.new) {
                (Some(old), _) => drop(objects.put(old.clone())),
                (None, Some(new)) => drop(objects.remove(new.kind(), &new.key())),
                (None, None) => {}
            }
        }
        snapshot.revision = revision;
        Some(Arc::new(snapshot))
    }

    /// Starts a watch, after a revision if one is given.
    pub(crate) fn subscribe(&self, since: Option<u64>) -> Subscription {
        let published = self.lock();
        let since = since.and_then(|since| {
            let first = published.history.partition_point(|change| change.revision <= since);
            (since >= published.oldest).then(|| published.history.range(first..).cloned().collect())
        });
        Subscription {
            snapshot: published.snapshot.clone(),
            since,
            oldest: published.oldest,
            news: self.sender.subscribe(),
        }
    }

    /// Publishes a new snapshot and the changes since the previous one.
    pub(crate) fn publish(&self, snapshot: Snapshot, changes: Vec<Arc<Change>>) {
        let mut published = self.lock();
        for change in &changes {
            if published.history.len() >= MAX_HISTORY_CHANGES
                && let Some(gone) = published.history.pop_front()
            {
                published.oldest = gone.revision;
            }
            published.history.push_back(change.clone());
        }
        let now = snapshot.now;
        published.snapshot = Arc::new(snapshot);
        if !changes.is_empty() {
            // Sending fails if there are no watches.
            let _ = self.sender.send(WatchMessage::Changes(Arc::new(PublishedChanges {
                changes,
                now,
                encoded: Mutex::default(),
            })));
        }
    }

    /// Publishes a snapshot that does not continue the previous one: ends all watches and clears the history.
    pub(crate) fn publish_new_history(&self, snapshot: Snapshot) {
        let mut published = self.lock();
        published.history.clear();
        published.oldest = snapshot.revision;
        published.snapshot = Arc::new(snapshot);
        published.items = Arc::default();
        let _ = self.sender.send(WatchMessage::Ended);
    }
}
