//! Static pods (LC-213): the machine has their manifests, the API a mirror of each. A mirror that goes is made anew,
//! with the same name and another UID, while the processes run on.
//!
//! ```text
//! (mirror) ──deleted, or says that it ended──▶ unwanted ──DELETE with grace 0──▶ missing ──POST──▶ (mirror)
//! ```
//!
//! Deviation: the machine knows a static pod's containers by the UID of its present mirror, not by the hash of the
//! manifest, so that the two truths find each other; a new mirror gives them its UID.

use podscope_api::ordered;
use std::sync::Arc;

use podscope_api::{Kind, Object, ObjectKey, ObjectMeta, OwnerReference, Pod, PodStatus, Uid};

use super::Managers;
use super::host::{Call, Host};
use super::worker::Stage;
use podscope_sim::{Answer, DeleteOptions, Request};

/// What is to be done about a mirror.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Todo {
    /// It is unwanted.
    Delete(Uid),
    /// It is missing.
    Create,
}

/// Mirrors that are not as they should be.
#[derive(Debug, Clone, Default)]
pub(super) struct Mirrors {
    todo: ordered::Map<ObjectKey, Todo>,
    /// Those that were asked for. `~` What failed is asked for again in the next status pass.
    asked: ordered::Set<ObjectKey>,
}

impl Managers {
    /// Static pods need no API server: they run as soon as the kubelet does.
    pub(super) fn start_static_pods(&mut self, host: &mut Host<'_, '_>) {
        for pod in host.machine.static_pods().to_vec() {
            self.add(&pod, host);
            self.advance(&pod.metadata.uid, host);
        }
    }

    /// A mirror as the API shows it.
    pub(super) fn mirror_seen(&mut self, mirror: &Arc<Pod>, host: &mut Host<'_, '_>) {
        let key = mirror.metadata.key();
        let uid = &mirror.metadata.uid;
        let known = host.machine.static_pod(&key).map(|pod| pod.metadata.uid.clone());
        let Some(known) = known else {
            // A mirror of nothing.
            self.mirrors.todo.insert(key, Todo::Delete(uid.clone()));
            return;
        };
        if known != *uid {
            self.rename(&known, mirror, host);
        }
        self.mirrors.todo.remove(&key);
        let is_listed = self.has_listed;
        let runs = self.pods.get(uid).is_none_or(|worker| worker.stage == Stage::Syncing);
        if mirror.metadata.is_terminating() || (mirror.is_terminal() && runs) {
            self.mirrors.todo.insert(key, Todo::Delete(uid.clone()));
        } else if let Some(worker) = self.pods.get_mut(uid) {
            if is_listed {
                worker.update(mirror, host);
            } else {
                worker.pod = mirror.clone();
            }
        } else {
            self.add(mirror, host);
        }
        self.advance(uid, host);
    }

    /// The object of that UID is gone; true if it was a mirror: its pod stays.
    pub(super) fn mirror_gone(&mut self, uid: &Uid, host: &Host<'_, '_>) -> bool {
        let pods = host.machine.static_pods();
        let Some(pod) = pods.iter().find(|pod| pod.metadata.uid == *uid) else {
            return false;
        };
        let key = pod.metadata.key();
        self.mirrors.asked.remove(&key);
        self.mirrors.todo.insert(key, Todo::Create);
        true
    }

    /// Another mirror than the machine knows.
    fn rename(&mut self, known: &Uid, mirror: &Arc<Pod>, host: &mut Host<'_, '_>) {
        host.machine.keep_static(mirror.clone());
        host.machine.rename(known, mirror, host.ctx);
        let waiting = self.preemptions.iter_mut().map(|admission| &mut admission.pod);
        let named = host.shared.pulls.values_mut().chain(waiting);
        for uid in named.filter(|uid| *uid == known) {
            uid.clone_from(&mirror.metadata.uid);
        }
        if let Some(mut worker) = self.pods.remove(known) {
            worker.take_mirror(mirror, host);
            self.pods.insert(mirror.metadata.uid.clone(), worker);
        }
    }

    /// What failed is to be tried again.
    pub(super) fn retry_mirrors(&mut self, host: &Host<'_, '_>) {
        let under_way: ordered::Set<ObjectKey> = host.shared.calls.values().filter_map(mirror_of).cloned().collect();
        self.mirrors.asked = under_way;
    }

    /// Asks for what is to be done and was not asked for yet.
    pub(super) fn mirror_pass(&mut self, host: &mut Host<'_, '_>) {
        if self.mirrors.todo.is_empty() {
            return;
        }
        for (key, todo) in self.mirrors.todo.clone() {
            if self.mirrors.asked.contains(&key) {
                continue;
            }
            let (request, call) = match todo {
                Todo::Delete(uid) => {
                    let options = DeleteOptions {
                        grace_seconds: Some(0),
                        uid: Some(uid),
                        ..DeleteOptions::default()
                    };
                    let request = Request::Delete {
                        kind: Kind::Pod,
                        key: key.clone(),
                        options,
                    };
                    (request, Call::DeleteMirror(key.clone()))
                }
                Todo::Create => match new_mirror(&key, host) {
                    Some(mirror) => {
                        let request = Request::Create(Object::Pod(Arc::new(mirror)));
                        (request, Call::CreateMirror(key.clone()))
                    }
                    None => continue,
                },
            };
            let id = host.ctx.call(request);
            host.shared.calls.insert(id, call);
            self.mirrors.asked.insert(key);
        }
    }

    /// The answer to what was asked about a mirror. That it has gone is told by the watch.
    pub(super) fn mirror_answered(&mut self, call: &Call, answer: &Answer, host: &mut Host<'_, '_>) {
        match (call, answer) {
            (Call::CreateMirror(key), Ok(Some(Object::Pod(mirror)))) => {
                self.mirrors.asked.remove(key);
                self.mirror_seen(mirror, host);
            }
            (Call::DeleteMirror(_), Err(error)) if !matches!(error.code, 404 | 409) => host.want_status_pass(),
            (Call::DeleteMirror(key), _) => {
                if matches!(self.mirrors.todo.get(key), Some(Todo::Delete(_))) {
                    self.mirrors.asked.remove(key);
                    self.mirrors.todo.remove(key);
                }
            }
            _ => host.want_status_pass(),
        }
    }
}

/// A mirror to be created; none without a Node to own it.
fn new_mirror(key: &ObjectKey, host: &Host<'_, '_>) -> Option<Pod> {
    let node = host.shared.node_object.as_ref()?;
    if node.metadata.is_terminating() {
        return None;
    }
    let mut pod = Pod::clone(host.machine.static_pod(key)?);
    let owner = OwnerReference {
        api_version: "v1".into(),
        kind: Kind::Node.name().into(),
        name: node.metadata.name.clone(),
        uid: node.metadata.uid.clone(),
        controller: Some(true),
        ..OwnerReference::default()
    };
    pod.metadata = ObjectMeta {
        name: pod.metadata.name,
        namespace: pod.metadata.namespace,
        labels: pod.metadata.labels,
        annotations: pod.metadata.annotations,
        owner_references: vec![owner],
        ..ObjectMeta::default()
    };
    pod.status = PodStatus::default();
    Some(pod)
}

/// The mirror that a call is about.
fn mirror_of(call: &Call) -> Option<&ObjectKey> {
    match call {
        Call::DeleteMirror(key) | Call::CreateMirror(key) => Some(key),
        _ => None,
    }
}
