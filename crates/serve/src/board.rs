//! What the engine has published: the objects as they are, and the changes that led there, for who reads and watches.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use podscope_api::Time;
use podscope_cluster::{Change, Heartbeats, Objects, SimTime};
use tokio::sync::broadcast;

/// Changes kept for watches that begin at a version, of all kinds together; what is older is answered with 410 (HT-191).
const HISTORY: usize = 20_000;
/// Publications that a slow watch may be behind; then it ends, and its client begins anew.
const BEHIND: usize = 4096;

/// The world at an instant, as far as who reads needs it.
#[derive(Debug, Clone)]
pub(crate) struct Snapshot {
    pub(crate) objects: Arc<Objects>,
    pub(crate) revision: u64,
    /// The wall clock of the simulation.
    pub(crate) now: Time,
    pub(crate) at: SimTime,
    /// Whether the API server's process runs, and whether it reaches etcd.
    pub(crate) control_plane: (bool, bool),
    pub(crate) heartbeats: Heartbeats,
}

/// What is told to watches.
#[derive(Debug, Clone)]
pub(crate) enum News {
    /// These happened, in the order of their revisions.
    Changes(Arc<Vec<Arc<Change>>>, Time),
    /// The history is another one, or the API server went away: watches end.
    Ended,
}

/// A watch's beginning: everything as it is, what happened since the version that it asked for, and what will.
pub(crate) struct Subscription {
    pub(crate) snapshot: Arc<Snapshot>,
    /// None where the history does not reach back that far; the oldest version it reaches is beside it.
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

    /// Everything as it was at a revision, if the history reaches back that far.
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

    /// Begins a watch, after a version if one is given.
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

    /// The engine has gone on: these changes led to that.
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
            // Nobody may be listening.
            let _ = self.sender.send(News::Changes(Arc::new(changes), now));
        }
    }

    /// What is published is not what followed on what was: watches end, and no version of before is known.
    pub(crate) fn begin_anew(&self, snapshot: Snapshot) {
        let mut published = self.lock();
        published.history.clear();
        published.oldest = snapshot.revision;
        published.snapshot = Arc::new(snapshot);
        let _ = self.sender.send(News::Ended);
    }
}
