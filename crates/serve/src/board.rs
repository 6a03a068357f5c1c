//! The state that the engine publishes for readers and watches: the current objects and the recent changes.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use podscope_api::Time;
use podscope_cluster::{Change, Heartbeats, Objects, SimTime};
use tokio::sync::broadcast;

/// Maximum number of kept changes of all kinds, for watches that start at a resourceVersion. Older versions are answered
/// with 410 (HT-191).
const HISTORY: usize = 20_000;
/// Maximum number of publications that a slow watch may lag behind before it is closed.
const BEHIND: usize = 4096;

/// The world at an instant, as far as reads need it.
#[derive(Debug, Clone)]
pub(crate) struct Snapshot {
    pub(crate) objects: Arc<Objects>,
    pub(crate) revision: u64,
    /// Wall-clock time of the simulation.
    pub(crate) now: Time,
    pub(crate) at: SimTime,
    /// Whether the API server runs, and whether it reaches etcd.
    pub(crate) control_plane: (bool, bool),
    pub(crate) heartbeats: Heartbeats,
}

/// A message to all watches.
#[derive(Debug, Clone)]
pub(crate) enum News {
    /// New changes in the order of their revisions, and the time of publication.
    Changes(Arc<Vec<Arc<Change>>>, Time),
    /// Watches must end: the session's history was replaced, or the API server stopped.
    Ended,
}

/// The initial state of a watch.
pub(crate) struct Subscription {
    pub(crate) snapshot: Arc<Snapshot>,
    /// Changes since the requested version; None if no version was requested or it is older than `oldest`.
    pub(crate) since: Option<Vec<Arc<Change>>>,
    pub(crate) oldest: u64,
    pub(crate) news: broadcast::Receiver<News>,
}

#[derive(Debug)]
struct Published {
    snapshot: Arc<Snapshot>,
    history: VecDeque<Arc<Change>>,
    /// The revision after which the history is whole.
    oldest: u64,
}

#[derive(Debug)]
pub(crate) struct Board {
    published: Mutex<Published>,
    sender: broadcast::Sender<News>,
}

impl Board {
    pub(crate) fn new(snapshot: Snapshot) -> Board {
        let oldest = snapshot.revision;
        Board {
            published: Mutex::new(Published {
                snapshot: Arc::new(snapshot),
                history: VecDeque::new(),
                oldest,
            }),
            sender: broadcast::channel(BEHIND).0,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Published> {
        // A panic of another thread leaves nothing half written.
        self.published.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn snapshot(&self) -> Arc<Snapshot> {
        self.lock().snapshot.clone()
    }

    /// The revision after which the history is whole.
    pub(crate) fn oldest(&self) -> u64 {
        self.lock().oldest
    }

    /// The snapshot at an earlier revision; None if the history does not reach back to it.
    pub(crate) fn at(&self, revision: u64) -> Option<Arc<Snapshot>> {
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
            if published.history.len() >= HISTORY
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
            let _ = self.sender.send(News::Changes(Arc::new(changes), now));
        }
    }

    /// Publishes a snapshot that does not continue the previous one: ends all watches and clears the history.
    pub(crate) fn begin_anew(&self, snapshot: Snapshot) {
        let mut published = self.lock();
        published.history.clear();
        published.oldest = snapshot.revision;
        published.snapshot = Arc::new(snapshot);
        let _ = self.sender.send(News::Ended);
    }
}
