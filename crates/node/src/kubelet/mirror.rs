//! Static pods (LC-213): the machine has their manifests, and the API server has a mirror pod for each. A deleted
//! mirror pod is created again with the same name and another UID, while the processes keep running.
//!
//! ```text
//! (mirror) ──deleted, or terminal status──▶ unwanted ──DELETE with grace 0──▶ missing ──POST──▶ (mirror)
//! ```
//!
//! Deviation: the machine identifies the containers of a static pod by the UID of its present mirror pod, not by the
//! hash of the manifest, so that API state and machine state can be matched. A new mirror pod gives them its UID.

use podscope_api::ordered;
use std::sync::Arc;

use podscope_api::{Kind, Object, ObjectKey, ObjectMeta, OwnerReference, Pod, PodStatus, Uid};

use super::KubeletManagers;
use super::host::{Host, PendingCall};
use super::worker::WorkerStage;
use podscope_sim::{Answer, DeleteOptions, Request};

/// A request that must be sent about a mirror pod.
#[derive(Debug, Clone, PartialEq, Eq)]
enum MirrorAction {
    /// Delete the mirror pod with this UID, because it is unwanted.
    Delete(Uid),
    /// Create the mirror pod, because it is missing.
    Create,
}

/// Mirror pods that must be deleted or created.
#[derive(Debug, Clone, Default)]
pub(super) struct MirrorRequests {
    actions: ordered::Map<ObjectKey, MirrorAction>,
    /// Mirror pods for which a request is pending. Assumption: a failed request is sent again
    /// in the next status pass.
    requested: ordered::Set<ObjectKey>,
}

impl KubeletManagers {
    /// Starts the static pods. They need no API server: they run as soon as the kubelet does.
    pub(super) fn start_static_pods(&mut self, host: &mut Host<'_, '_>) {
        for pod in host.machine.static_pods().to_vec() {
            self.add_worker(&pod, host);
            self.advance_worker(&pod.metadata.uid, host);
        }
    }

    /// Handles a mirror pod that was created or changed in the API.
    pub(super) fn observe_mirror(&mut self, mirror: &Arc<Pod>, host: &mut Host<'_, '_>) {
        let key = mirror.metadata.key();
        let uid = &mirror.metadata.uid;
        let known = host.machine.static_pod(&key).map(|pod| pod.metadata.uid.clone());
        let Some(known) = known else {
            // The machine has no static pod for this mirror.
            self.mirrors.actions.insert(key, MirrorAction::Delete(uid.clone()));
            return;
        };
        if known != *uid {
            self.replace_mirror(&known, mirror, host);
        }
        self.mirrors.actions.remove(&key);
        let is_listed = self.has_listed;
        let runs = self
            .pods
            .get(uid)
            .is_none_or(|worker| worker.stage == WorkerStage::Syncing);
        if mirror.metadata.is_terminating() || (mirror.is_terminal() && runs) {
            self.mirrors.actions.insert(key, MirrorAction::Delete(uid.clone()));
        } else if let Some(worker) = self.pods.get_mut(uid) {
            if is_listed {
                worker.handle_api_change_of_pod(mirror, host);
            } else {
                worker.pod = mirror.clone();
            }
        } else {
            self.add_worker(mirror, host);
        }
        self.advance_worker(uid, host);
    }

    /// If the deleted API object was the mirror pod of a static pod, requests a new mirror pod and returns true: the
    /// static pod keeps running.
    pub(super) fn recreate_if_mirror(&mut self, uid: &Uid, host: &Host<'_, '_>) -> bool {
        let pods = host.machine.static_pods();
        let Some(pod) = pods.iter().find(|pod| pod.metadata.uid == *uid) else {
            return false;
        };
        let key = pod.metadata.key();
        self.mirrors.requested.remove(&key);
        self.mirrors.actions.insert(key, MirrorAction::Create);
        true
    }

    /// Moves all state of a static pod from the UID of its old mirror to that of the new one.
    fn replace_mirror(&mut self, old_uid: &Uid, mirror: &Arc<Pod>, host: &mut Host<'_, '_>) {
        host.machine.set_static_pod(mirror.clone());
        host.machine.change_mirror_uid(old_uid, mirror, host.ctx);
        let waiting = self.preemptions.iter_mut().map(|admission| &mut admission.pod);
        let named = host.shared.pulls.values_mut().chain(waiting);
        for uid in named.filter(|uid| *uid == old_uid) {
            uid.clone_from(&mirror.metadata.uid);
        }
        if let Some(mut worker) = self.pods.remove(old_uid) {
            worker.set_mirror(mirror, host);
            self.pods.insert(mirror.metadata.uid.clone(), worker);
        }
    }

    /// Allows failed requests to be sent again.
    pub(super) fn retry_failed_mirror_requests(&mut self, host: &Host<'_, '_>) {
        let pending_keys: ordered::Set<ObjectKey> =
            host.shared.calls.values().filter_map(mirror_pod_key).cloned().collect();
        self.mirrors.requested = pending_keys;
    }

    /// Sends the requests about mirror pods that are not pending yet.
    pub(super) fn send_mirror_requests(&mut self, host: &mut Host<'_, '_>) {
        if self.mirrors.actions.is_empty() {
            return;
        }
        for (key, actions) in self.mirrors.actions.clone() {
            if self.mirrors.requested.contains(&key) {
                continue;
            }
            let (request, call) = match actions {
                MirrorAction::Delete(uid) => {
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
                    (request, PendingCall::DeleteMirror(key.clone()))
                }
                MirrorAction::Create => match new_mirror_pod(&key, host) {
                    Some(mirror) => {
                        let request = Request::Create(Object::Pod(Arc::new(mirror)));
                        (request, PendingCall::CreateMirror(key.clone()))
                    }
                    None => continue,
                },
            };
            let id = host.ctx.call(request);
            host.shared.calls.insert(id, call);
            self.mirrors.requested.insert(key);
        }
    }

    /// Handles the response to a request about a mirror pod. The watch reports the deletion of a mirror pod.
    pub(super) fn handle_mirror_answer(&mut self, call: &PendingCall, answer: &Answer, host: &mut Host<'_, '_>) {
        match (call, answer) {
            (PendingCall::CreateMirror(key), Ok(Some(Object::Pod(mirror)))) => {
                self.mirrors.requested.remove(key);
                self.observe_mirror(mirror, host);
            }
            (PendingCall::DeleteMirror(_), Err(error)) if !matches!(error.code, 404 | 409) => {
                host.schedule_status_manager_pass()
            }
            (PendingCall::DeleteMirror(key), _) => {
                if matches!(self.mirrors.actions.get(key), Some(MirrorAction::Delete(_))) {
                    self.mirrors.requested.remove(key);
                    self.mirrors.actions.remove(key);
                }
            }
            _ => host.schedule_status_manager_pass(),
        }
    }
}

/// Returns a new mirror pod; None while there is no Node object to own it.
fn new_mirror_pod(key: &ObjectKey, host: &Host<'_, '_>) -> Option<Pod> {
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

/// Returns the key of the mirror pod that a request is about.
fn mirror_pod_key(call: &PendingCall) -> Option<&ObjectKey> {
    match call {
        PendingCall::DeleteMirror(key) | PendingCall::CreateMirror(key) => Some(key),
        _ => None,
    }
}
