//! Watches: which changes are sent to whom, what happens when the link is cut, and how a watch resumes.
//!
//! ```text
//!             starts                list answered              link cut
//!   Closed ───────────► Broken ──────────────────────► Live ─────────────► Broken
//!                                                       ▲                     │
//!                                                       └── resumed or listed ┘
//! ```

use std::sync::Arc;

use podscope_api::{CausedBy, NodeName, Object};

use crate::event::{Event, Process};
use crate::world::{ComponentState, ProcessState};
use crate::{Actor, Change, Objects, Place, SimTime, Span, WatchResponse, World};

/// Minimum and maximum back-off before a broken watch is tried again.
const RESUME_BACKOFF: (Span, Span) = (Span::millis(800), Span::millis(1600));
/// Time after which a client detects a dead connection: 30 s without data, then a ping of 15 s. If the link heals
/// earlier, the watch resumes and receives the missed changes; afterwards the client lists again and sees only the
/// present state (LC-208).
const CONNECTION_TIMEOUT: Span = Span::seconds(45);

/// The state of a process's watch.
#[derive(Debug, Clone)]
pub(crate) enum WatchState {
    /// The process does not run or does not watch.
    Closed,
    /// Changes are sent as they happen.
    Live,
    /// Changes after revision `since` were not sent; `view` is the state that the process could last read.
    Broken {
        since: Option<u64>,
        view: Arc<Objects>,
        /// When the link was cut; None if only the API server is down, which then refuses connections.
        cut_at: Option<SimTime>,
    },
}

impl World {
    /// Sends a change to every process that watches it.
    pub(crate) fn fan_out(&mut self, change: &Arc<WatchResponse>) {
        let mut nodes: Vec<NodeName> = Vec::new();
        for object in [&change.old, &change.new].into_iter().flatten() {
            let node = match object {
                Object::Pod(pod) => pod.spec.node_name.clone(),
                Object::Node(node) => Some(NodeName(node.metadata.name.clone())),
                Object::ResourceSlice(slice) => slice.spec.node_name.clone().map(NodeName),
                _ => None,
            };
            nodes.extend(node.filter(|node| !nodes.contains(node)));
        }
        for node in nodes {
            for actor in [Actor::Kubelet(node.clone()), Actor::Driver(node)] {
                if watches_change(&actor, change) {
                    self.send_change(&actor, change);
                }
            }
        }
        let watching: Vec<Actor> = self
            .processes
            .iter()
            .filter(|(actor, state)| matches!(state.watch, WatchState::Live) && watches_change(actor, change))
            .map(|(actor, _)| actor.clone())
            .collect();
        for actor in watching {
            self.send_change(&actor, change);
        }
        self.notify_proxies(change);
    }

    fn send_change(&mut self, actor: &Actor, change: &Arc<WatchResponse>) {
        // Read-only access: `process_mut` would copy state that a checkpoint shares.
        let live = |state: &&ProcessState| matches!(state.watch, WatchState::Live) && state.runs();
        let Some(state) = self.process(actor).filter(live) else {
            return;
        };
        let process = Process {
            actor: actor.clone(),
            incarnation: state.incarnation,
        };
        match self.network.delivery(self.now, &Place::ControlPlane, &actor.place()) {
            Some(at) => self.queue.push(at, Event::Watch(process, change.clone())),
            None => self.break_watch(actor, change.revision - 1),
        }
    }

    /// Breaks the watch of a process: it receives no changes after revision `since`.
    pub(crate) fn break_watch(&mut self, actor: &Actor, since: u64) {
        let view = self.api.objects().clone();
        let is_open = self.network.is_open(&Place::ControlPlane, &actor.place());
        let cut_at = (!is_open).then_some(self.now);
        if let Some(watch) = self.watch_mut(actor)
            && matches!(watch, WatchState::Live)
        {
            *watch = WatchState::Broken {
                since: Some(since),
                view,
                cut_at,
            };
        }
    }

    /// Opens the watch of a process, which begins with a list.
    pub(crate) fn open_watch(&mut self, process: &Process) {
        let watches = match self.process(&process.actor).map(|state| &state.component) {
            Some(ComponentState::Manager(core)) => core.is_some(),
            Some(ComponentState::Scheduler(_)) => true,
            Some(ComponentState::Kubelet(_)) => self.is_current(process),
            Some(ComponentState::Driver(_)) => self.is_current(process),
            Some(ComponentState::Client(client)) => client.needs_watch(),
            Some(ComponentState::Down) | None => false,
        };
        if !watches {
            return;
        }
        let view = match self.watch_mut(&process.actor) {
            Some(WatchState::Broken { view, .. }) => view.clone(),
            _ => Arc::default(),
        };
        let broken = WatchState::Broken {
            since: None,
            view,
            cut_at: None,
        };
        self.set_watch(&process.actor, broken);
        let place = process.actor.place();
        if let Some(at) = self.network.delivery(self.now, &place, &Place::ControlPlane) {
            self.queue.push(at, Event::List(process.clone()));
        }
    }

    /// Handles a list request at the API server.
    pub(crate) fn on_list(&mut self, process: &Process) {
        if !self.is_api_up || !self.is_current(process) {
            self.retry_watch(process);
            return;
        }
        let place = process.actor.place();
        let Some(at) = self.network.delivery(self.now, &Place::ControlPlane, &place) else {
            return;
        };
        let (revision, objects) = (self.api.store().revision(), self.api.objects().clone());
        self.queue.push(at, Event::Listed(process.clone(), revision, objects));
        self.set_watch(&process.actor, WatchState::Live);
    }

    /// Schedules another attempt to resume a broken watch.
    pub(crate) fn retry_watch(&mut self, process: &Process) {
        if !self.is_current(process) {
            return;
        }
        let pause = self.world_rng.between(RESUME_BACKOFF.0, RESUME_BACKOFF.1);
        self.queue.push(self.now + pause, Event::Resume(process.clone()));
    }

    /// Tries a broken watch again: resumes from its position, or lists again if the log no longer has it or the
    /// connection is dead.
    pub(crate) fn on_resume(&mut self, process: &Process) {
        if !self.is_current(process) {
            return;
        }
        let now = self.now;
        let Some(WatchState::Broken { since, cut_at, .. }) = self.watch_mut(&process.actor) else {
            return;
        };
        let is_dead = cut_at.is_some_and(|at| now - at > CONNECTION_TIMEOUT);
        let since = since.filter(|_| !is_dead);
        let place = process.actor.place();
        let is_open =
            self.network.is_open(&place, &Place::ControlPlane) && self.network.is_open(&Place::ControlPlane, &place);
        if !is_open {
            return;
        }
        if !self.is_api_up {
            return;
        }
        let missed: Option<Vec<(Arc<WatchResponse>, CausedBy)>> = since.and_then(|since| {
            let changes = self.api.store().since(since)?;
            let concerning = (changes.into_iter()).filter(|(change, _)| watches_change(&process.actor, change));
            Some(concerning.collect())
        });
        let Some(missed) = missed else {
            self.open_watch(process);
            return;
        };
        self.set_watch(&process.actor, WatchState::Live);
        for (change, record) in missed {
            self.queue.set_cause(record);
            self.send_change(&process.actor, &change);
        }
    }

    /// Schedules a retry of every broken watch whose actor `is_included` accepts.
    pub(crate) fn retry_broken_watches(&mut self, is_included: impl Fn(&Actor) -> bool) {
        let broken: Vec<Actor> = self
            .all_processes()
            .filter(|(_, state)| matches!(state.watch, WatchState::Broken { .. }))
            .map(|(actor, _)| actor)
            .filter(is_included)
            .collect();
        for actor in broken {
            if let Some(process) = self.running(&actor) {
                self.retry_watch(&process);
            }
        }
    }
}

/// Returns whether an actor's watch selects the object of a change.
fn watches_change(actor: &Actor, change: &Change) -> bool {
    let node = match actor {
        Actor::Kubelet(node) | Actor::Driver(node) => node,
        Actor::Attacher => return matches!(change.object(), Some(Object::VolumeAttachment(_))),
        _ => return true,
    };
    [&change.old, &change.new]
        .into_iter()
        .flatten()
        .any(|object| match object {
            Object::Pod(pod) => matches!(actor, Actor::Kubelet(_)) && pod.spec.node_name.as_ref() == Some(node),
            Object::Node(own) => own.metadata.name == node.0,
            Object::ResourceSlice(slice) => {
                matches!(actor, Actor::Driver(_)) && slice.spec.node_name.as_ref() == Some(&node.0)
            }
            _ => false,
        })
}
