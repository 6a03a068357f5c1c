//! Pods with a nominated node, usually set by preemption (SCH-126).

use podscope_api::ordered;
use std::sync::Arc;

use podscope_api::Str;

use crate::pod_info::PodInfo;

/// Nominated pods by node and by UID.
#[derive(Debug, Clone, Default)]
pub struct Nominator {
    by_node: ordered::Map<Str, Vec<Arc<PodInfo>>>,
    node_of: ordered::Map<Str, Str>,
}

impl Nominator {
    /// Nominates a node for a pod. Replaces an earlier nomination of the pod.
    pub fn add(&mut self, pod: Arc<PodInfo>, node: &str) {
        self.remove(&pod.uid);
        let node: Str = node.into();
        self.node_of.insert(pod.uid.clone(), node.clone());
        self.by_node.entry(node).or_default().push(pod);
    }

    /// Removes a pod's nomination. Returns the nominated node.
    pub fn remove(&mut self, uid: &str) -> Option<Str> {
        let node = self.node_of.remove(uid)?;
        if let Some(pods) = self.by_node.get_mut(&node) {
            pods.retain(|pod| &*pod.uid != uid);
            if pods.is_empty() {
                self.by_node.remove(&node);
            }
        }
        Some(node)
    }

    /// Returns the nominated node of a pod.
    pub fn node_of(&self, uid: &str) -> Option<&Str> {
        self.node_of.get(uid)
    }

    /// Returns the nodes with nominated pods, ordered by name.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = &Str> {
        self.by_node.keys()
    }

    /// Returns the pods nominated to a node, in the order of nomination.
    pub fn pods_nominated_to(&self, node: &str) -> &[Arc<PodInfo>] {
        if self.by_node.is_empty() {
            return &[];
        }
        self.by_node.get(node).map_or(&[], |pods| pods)
    }
}
