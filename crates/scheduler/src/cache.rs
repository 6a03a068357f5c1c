//! The scheduler's cache: nodes with sums over their pods, and tables that are updated incrementally. With them, the
//! cost of a decision depends on the number of nodes and not on the number of pods.
//!
//! ```text
//!  watch events ──► on_change ──► nodes     [NodeInfo]        sums, pods, ports, images
//!                                 rows      [Row]             the part that most decisions read
//!                                 topology  key × node        domain of every node
//!                                 counters  query × node      pods that match (spread, affinity)
//!                                 terms     term × node       pods that carry the term
//!                                 stores    services, claims, volumes, budgets, …
//! ```
//! All tables are indexed by [`NodeIdx`]; [`Cache::examination_order`] is the order in which nodes are examined.

use podscope_api::ordered;
use std::sync::Arc;

use podscope_api::{ContainerStatus, Node, NodeName, Object, Pod, Str};

use crate::counters::{NamespaceLabels, PlacedAffinityTerms, PodClassIdx, PodCounters, PodQuery};
use crate::node_info::{NodeIdx, NodeInfo};
use crate::pod_info::{PodInfo, uid_of};
use crate::rows::{Row, Rows};
use crate::selector::{LabelSet, intern_labels};
use crate::stores::Stores;
use crate::symbols::{Symbol, Symbols};
use crate::topology::{KeyIdx, Topology};

#[derive(Debug, Clone)]
struct PlacedPod {
    info: Arc<PodInfo>,
    node: NodeIdx,
    assumed: bool,
}

/// The size of an image, and the nodes that have it.
#[derive(Debug, Clone, Default)]
pub(crate) struct ImageState {
    /// Size of the image in bytes.
    pub(crate) size: i64,
    /// Nodes that have the image.
    nodes: ordered::Set<NodeIdx>,
    /// For each node that has the image: how many nodes had the image when the row of this node was last updated; 0 for
    /// nodes without the image. Shared with clones of the cache.
    snapshot_node_counts: Arc<Vec<u32>>,
}

impl ImageState {
    /// Returns the number of nodes with the image, as recorded when the row of `node` was last updated; 0 if `node`
    /// does not have the image (SCH-109).
    pub(crate) fn snapshot_node_count(&self, node: NodeIdx) -> u32 {
        self.snapshot_node_counts.get(node as usize).copied().unwrap_or(0)
    }

    fn record_node_count(&mut self, node: NodeIdx, count: u32) {
        let at = node as usize;
        if self.snapshot_node_count(node) == count {
            return;
        }
        let counts = Arc::make_mut(&mut self.snapshot_node_counts);
        if counts.len() <= at {
            counts.resize(at + 1, 0);
        }
        counts[at] = count;
    }
}

/// Nodes by zone; the zones are in the order in which they first appeared (SCH-006).
#[derive(Debug, Clone, Default)]
struct NodeTree {
    zones: Vec<((Symbol, Symbol), Vec<NodeIdx>)>,
}

impl NodeTree {
    fn region_and_zone(labels: &[(Symbol, Symbol)]) -> (Symbol, Symbol) {
        let get = |beta, stable| {
            crate::selector::label(labels, beta)
                .or_else(|| crate::selector::label(labels, stable))
                .unwrap_or(Symbol::EMPTY)
        };
        (
            get(Symbol::BETA_REGION, Symbol::REGION),
            get(Symbol::BETA_ZONE, Symbol::ZONE),
        )
    }

    fn add(&mut self, zone: (Symbol, Symbol), node: NodeIdx) {
        match self.zones.iter_mut().find(|(known, _)| *known == zone) {
            Some((_, nodes)) => nodes.push(node),
            None => self.zones.push((zone, vec![node])),
        }
    }

    fn remove(&mut self, zone: (Symbol, Symbol), node: NodeIdx) {
        if let Some(at) = self.zones.iter().position(|(known, _)| *known == zone) {
            self.zones[at].1.retain(|known| *known != node);
            if self.zones[at].1.is_empty() {
                self.zones.remove(at);
            }
        }
    }

    fn in_examination_order(&self) -> Vec<NodeIdx> {
        let longest = self.zones.iter().map(|(_, nodes)| nodes.len()).max().unwrap_or(0);
        let mut list = Vec::new();
        for index in 0..longest {
            list.extend(self.zones.iter().filter_map(|(_, nodes)| nodes.get(index)));
        }
        list
    }
}

/// The scheduler's view of the cluster. A clone is a cheap checkpoint.
#[derive(Debug, Clone, Default)]
pub struct Cache {
    pub(crate) symbols: Symbols,
    /// Nodes by index. Clones of the cache share the nodes; a change copies only the changed node.
    pub(crate) nodes: Vec<Arc<NodeInfo>>,
    rows: Rows,
    node_ids: ordered::Map<Str, NodeIdx>,
    free_nodes: Vec<NodeIdx>,
    tree: NodeTree,
    order: Vec<NodeIdx>,
    order_is_stale: bool,
    pods: ordered::Map<Str, PlacedPod>,
    pub(crate) topology: Topology,
    pub(crate) counters: PodCounters,
    pub(crate) terms: PlacedAffinityTerms,
    pub(crate) namespaces: NamespaceLabels,
    images: ordered::Map<Symbol, ImageState>,
    /// Nodes whose rows and node counts of images must be recomputed at the next snapshot (SCH-109).
    dirty: Vec<NodeIdx>,
    /// For each PersistentVolumeClaim, by namespace and name: the node of each placed pod that uses the claim.
    claim_users: ordered::Map<(Symbol, Symbol), Vec<NodeIdx>>,
    pub(crate) stores: Stores,
    pub(crate) devices: crate::devices::Devices,
}

impl Cache {
    /// Returns the objects other than nodes and pods.
    pub fn stores(&self) -> &Stores {
        &self.stores
    }

    /// Returns the nodes in the order in which they are examined, as of the last [`Cache::update_snapshot`].
    pub fn examination_order(&self) -> &[NodeIdx] {
        &self.order
    }

    /// Returns a node with the sums over its pods.
    pub fn node(&self, index: NodeIdx) -> &NodeInfo {
        &self.nodes[index as usize]
    }

    /// Returns the compact row of a node, as of the last [`Cache::update_snapshot`].
    pub(crate) fn row(&self, index: NodeIdx) -> &Row {
        self.rows.get(index)
    }

    /// Returns the index of an existing node.
    pub fn node_index(&self, name: &str) -> Option<NodeIdx> {
        let index = *self.node_ids.get(name)?;
        self.nodes[index as usize].node.is_some().then_some(index)
    }

    /// Returns the table of interned strings.
    pub fn symbols(&self) -> &Symbols {
        &self.symbols
    }

    /// Returns the placed pod with this UID.
    pub fn pod(&self, uid: &str) -> Option<&Arc<PodInfo>> {
        self.pods.get(uid).map(|placed| &placed.info)
    }

    /// Returns all placed pods, ordered by UID.
    pub fn pods(&self) -> impl Iterator<Item = &Arc<PodInfo>> {
        self.pods.values().map(|placed| &placed.info)
    }

    /// Returns whether a pod is assumed: this scheduler chose its node, but the API does not show the binding yet.
    pub fn is_assumed(&self, uid: &str) -> bool {
        self.pods.get(uid).is_some_and(|placed| placed.assumed)
    }

    /// Returns whether a pod on an existing node uses the claim. Pods on deleted nodes do not count (SCH-004).
    pub(crate) fn is_claim_used(&self, namespace: Symbol, claim: &str) -> bool {
        let users = self
            .symbols
            .get(claim)
            .and_then(|claim| self.claim_users.get(&(namespace, claim)));
        let exists = |node: &NodeIdx| self.nodes[*node as usize].node.is_some();
        users.is_some_and(|users| users.iter().any(exists))
    }

    /// Returns the labels of a namespace; empty if no such Namespace object exists.
    pub fn namespace_labels(&self, namespace: Symbol) -> &[(Symbol, Symbol)] {
        self.namespaces.get(&namespace).map_or(&[], |labels| labels)
    }

    /// Returns the index of a topology key; adds the key at its first use.
    pub(crate) fn intern_topology_key(&mut self, key: Symbol) -> KeyIdx {
        self.topology.intern(key, &self.nodes)
    }

    /// Returns the number of pods that match a query, by node index.
    pub(crate) fn count_pods(&mut self, query: PodQuery) -> Arc<Vec<u32>> {
        self.counters.count_pods(query, &self.nodes, &self.namespaces)
    }

    /// Applies a change of any object. Pods without a node belong to the queue and are ignored here.
    pub fn on_change(&mut self, old: Option<&Object>, new: Option<&Object>) {
        match (old, new) {
            (Some(Object::Node(_)), Some(Object::Node(new))) => self.set_node(new),
            (_, Some(Object::Node(new))) => self.set_node(new),
            (Some(Object::Node(old)), None) => self.remove_node(&old.metadata.name),
            (old, Some(Object::Pod(new))) => {
                let was_placed = matches!(old, Some(Object::Pod(old)) if is_bound_and_not_terminal(old));
                if is_bound_and_not_terminal(new) {
                    self.set_pod(new);
                } else if was_placed {
                    self.remove_pod(&uid_of(new));
                }
            }
            (Some(Object::Pod(old)), None) => {
                if old.spec.node_name.is_some() {
                    self.remove_pod(&uid_of(old));
                }
            }
            (_, Some(Object::Namespace(new))) => {
                let name = self.symbols.intern(&new.metadata.name);
                let labels = intern_labels(&mut self.symbols, &new.metadata.labels);
                self.set_namespace_labels(name, Some(labels));
            }
            (Some(Object::Namespace(old)), None) => {
                let name = self.symbols.intern(&old.metadata.name);
                self.set_namespace_labels(name, None);
            }
            _ => {
                self.stores.on_change(old, new);
                match new.or(old) {
                    Some(Object::ResourceClaim(claim)) => self.resource_claim_changed(&claim.metadata.key()),
                    Some(Object::ResourceSlice(_)) => self.devices.slices_changed(),
                    _ => {}
                }
            }
        }
    }

    /// Updates the usage of the devices that a claim uses or used before.
    pub(crate) fn resource_claim_changed(&mut self, key: &podscope_api::ObjectKey) {
        let claim = self.stores.resource_claim(key).map(|claim| &**claim);
        self.devices.set_claim(key, claim);
    }

    fn set_namespace_labels(&mut self, name: Symbol, labels: Option<LabelSet>) {
        let before = match &labels {
            Some(labels) => self.namespaces.insert(name, labels.clone()),
            None => self.namespaces.remove(&name),
        };
        if before != labels {
            self.counters.namespaces_changed();
        }
    }

    /// Returns the index of the node with this name; adds an entry without a Node object if there is none.
    fn index_for_name(&mut self, name: &Str) -> NodeIdx {
        if let Some(index) = self.node_ids.get(name) {
            return *index;
        }
        let info = NodeInfo::without_node_object(&mut self.symbols, name);
        let index = match self.free_nodes.pop() {
            Some(index) => {
                self.nodes[index as usize] = Arc::new(info);
                index
            }
            None => {
                self.nodes.push(Arc::new(info));
                self.nodes.len() as NodeIdx - 1
            }
        };
        self.node_ids.insert(name.clone(), index);
        self.topology.update_node(index, &self.nodes[index as usize]);
        index
    }

    fn release_node_index_if_unused(&mut self, index: NodeIdx) {
        let info = &self.nodes[index as usize];
        if info.node.is_none() && info.pods.is_empty() {
            self.node_ids.remove(&info.name);
            self.free_nodes.push(index);
        }
    }

    fn set_node(&mut self, node: &Arc<Node>) {
        let index = self.index_for_name(&node.metadata.name);
        let info = Arc::make_mut(&mut self.nodes[index as usize]);
        let existed = info.node.is_some();
        let old_zone = NodeTree::region_and_zone(&info.labels);
        let old_labels = info.labels.clone();
        info.set_node(&mut self.symbols, node);
        let new_zone = NodeTree::region_and_zone(&info.labels);
        if !existed || old_labels != info.labels {
            self.topology.update_node(index, &self.nodes[index as usize]);
        }
        if !existed {
            self.tree.add(new_zone, index);
            self.order_is_stale = true;
        } else if old_zone != new_zone {
            self.tree.remove(old_zone, index);
            self.tree.add(new_zone, index);
        }
        self.remove_images(index);
        self.add_images(index, node);
        self.dirty.push(index);
    }

    fn remove_node(&mut self, name: &str) {
        let Some(index) = self.node_index(name) else {
            return;
        };
        self.remove_images(index);
        let info = Arc::make_mut(&mut self.nodes[index as usize]);
        self.tree.remove(NodeTree::region_and_zone(&info.labels), index);
        self.order_is_stale = true;
        info.node = None;
        self.topology.update_node(index, &self.nodes[index as usize]);
        self.release_node_index_if_unused(index);
    }

    fn add_images(&mut self, index: NodeIdx, node: &Node) {
        let mut images = Vec::new();
        for image in &node.status.images {
            for name in &image.names {
                let name = self.symbols.intern(name);
                let state = self.images.entry(name).or_insert_with(|| ImageState {
                    size: image.size_bytes,
                    ..ImageState::default()
                });
                state.nodes.insert(index);
                images.push(name);
            }
        }
        images.sort_unstable();
        images.dedup();
        Arc::make_mut(&mut self.nodes[index as usize]).images = images;
    }

    fn remove_images(&mut self, index: NodeIdx) {
        let info = Arc::make_mut(&mut self.nodes[index as usize]);
        for image in std::mem::take(&mut info.images) {
            if let Some(state) = self.images.get_mut(&image) {
                state.record_node_count(index, 0);
                state.nodes.remove(&index);
                if state.nodes.is_empty() {
                    self.images.remove(&image);
                }
            }
        }
    }

    fn set_pod(&mut self, pod: &Arc<Pod>) {
        let uid = uid_of(pod);
        let Some(name) = &pod.spec.node_name else {
            return;
        };
        if self.replace_if_counts_unchanged(&uid, pod) {
            return;
        }
        // Kubernetes removes and adds a pod on any update, so the pod moves to the end of its node's list (SCH-098).
        self.remove_pod(&uid);
        let info = PodInfo::new(self, pod, true);
        let node = self.index_for_name(&name.0);
        self.add_pod(info, node, false);
    }

    /// Replaces the object of a placed pod if no sum or counter changes, as in most status updates. Returns false if
    /// the pod must be removed and added again. The pod moves to the end of its node's list, as after a removal and
    /// addition.
    fn replace_if_counts_unchanged(&mut self, uid: &str, pod: &Arc<Pod>) -> bool {
        let Some(placed) = self.pods.get_mut(uid) else {
            return false;
        };
        let info = &placed.info;
        let is_plain = info.ports.is_empty() && info.terms.is_empty() && claim_names(pod).next().is_none();
        if placed.assumed || !is_plain || !has_same_contributions(&info.pod, pod) {
            return false;
        }
        let renewed = Arc::new(PodInfo {
            pod: pod.clone(),
            start_time: pod.status.start_time.map(|time| time.0),
            ..PodInfo::clone(info)
        });
        placed.info = renewed.clone();
        let pods = &mut Arc::make_mut(&mut self.nodes[placed.node as usize]).pods;
        let at = pods.iter().position(|pod| pod.uid == renewed.uid);
        pods.swap_remove(at.expect("the node of a placed pod lists it"));
        pods.push(renewed);
        self.dirty.push(placed.node);
        true
    }

    /// Adds a pod to the cache after the decision, before the API shows the binding (SCH-022).
    pub fn assume(&mut self, info: &PodInfo, node: NodeIdx) {
        let mut pod = (*info.pod).clone();
        pod.spec.node_name = Some(NodeName(self.nodes[node as usize].name.clone()));
        let mut info = info.clone();
        info.pod = Arc::new(pod);
        self.remove_pod(&info.uid.clone());
        self.add_pod(info, node, true);
    }

    /// Removes an assumed pod. Returns whether the pod was assumed.
    pub fn forget(&mut self, uid: &str) -> bool {
        let assumed = self.is_assumed(uid);
        if assumed {
            self.remove_pod(uid);
        }
        assumed
    }

    fn add_pod(&mut self, mut info: PodInfo, node: NodeIdx, assumed: bool) {
        info.class = self.counters.add(&info, node, &self.namespaces);
        info.term_ids = info.terms.iter().map(|term| self.terms.add(term, node)).collect();
        for claim in claim_names(&info.pod) {
            let key = (info.namespace, self.symbols.intern(claim));
            self.claim_users.entry(key).or_default().push(node);
        }
        let info = Arc::new(info);
        Arc::make_mut(&mut self.nodes[node as usize]).add_pod(info.clone());
        self.dirty.push(node);
        let before = self.pods.insert(info.uid.clone(), PlacedPod { info, node, assumed });
        assert!(
            before.is_none(),
            "a pod must be removed from its node before it is placed again"
        );
    }

    fn remove_pod(&mut self, uid: &str) {
        let Some(PlacedPod { info, node, .. }) = self.pods.remove(uid) else {
            return;
        };
        let removed = Arc::make_mut(&mut self.nodes[node as usize]).remove_pod(uid);
        assert!(removed.is_some(), "the node of a placed pod must list it");
        self.counters.remove(info.class, node);
        for id in &info.term_ids {
            self.terms.remove(*id, node);
        }
        for claim in claim_names(&info.pod) {
            let key = (info.namespace, self.symbols.intern(claim));
            if let Some(users) = self.claim_users.get_mut(&key) {
                if let Some(at) = users.iter().position(|user| *user == node) {
                    users.swap_remove(at);
                }
                if users.is_empty() {
                    self.claim_users.remove(&key);
                }
            }
        }
        self.dirty.push(node);
        self.release_node_index_if_unused(node);
    }

    /// Updates the state that does not change during a cycle: node order, rows, and the number of nodes with each image
    /// (SCH-006, SCH-109).
    pub fn update_snapshot(&mut self) {
        if self.order_is_stale {
            self.order = self.tree.in_examination_order();
            self.order_is_stale = false;
        }
        for index in std::mem::take(&mut self.dirty) {
            let info = &mut self.nodes[index as usize];
            debug_assert!(
                info.sums_match_pods(),
                "{}: the sums differ from those of its pods",
                info.name
            );
            self.rows.set(index, info);
            for image in &info.images {
                let state = self.images.get_mut(image).expect("every image on a node has an entry");
                state.record_node_count(index, state.nodes.len() as u32);
            }
        }
    }

    /// Returns the size of an image and the nodes that have it; `None` if no node has it.
    pub(crate) fn image(&self, image: Symbol) -> Option<&ImageState> {
        self.images.get(&image)
    }

    /// Returns whether there are no images on any node.
    pub(crate) fn has_no_images(&self) -> bool {
        self.images.is_empty()
    }

    /// Class index of pods that are not placed: they belong to no class of the counters.
    pub const NO_CLASS: PodClassIdx = PodClassIdx::MAX;
}

/// Returns whether a pod uses its node: it is bound and not terminal (SCH-004).
pub(crate) fn is_bound_and_not_terminal(pod: &Pod) -> bool {
    pod.spec.node_name.as_ref().is_some_and(|name| !name.is_empty()) && !pod.is_terminal()
}

/// Returns whether two versions of a pod contribute the same to sums, counters and preemption.
fn has_same_contributions(old: &Pod, new: &Pod) -> bool {
    let same_resources = |old: &[ContainerStatus], new: &[ContainerStatus]| {
        let is_same = |one: &ContainerStatus, other: &ContainerStatus| {
            one.name == other.name
                && one.resources == other.resources
                && one.allocated_resources == other.allocated_resources
        };
        old.len() == new.len() && old.iter().zip(new).all(|(old, new)| is_same(old, new))
    };
    let (old_status, new_status) = (&old.status, &new.status);
    old.spec == new.spec
        && old.metadata.labels == new.metadata.labels
        && old.metadata.is_terminating() == new.metadata.is_terminating()
        && old.is_resize_infeasible() == new.is_resize_infeasible()
        && old.pod_level_requests_in_use() == new.pod_level_requests_in_use()
        && same_resources(&old_status.container_statuses, &new_status.container_statuses)
        && same_resources(&old_status.init_container_statuses, &new_status.init_container_statuses)
}

fn claim_names(pod: &Pod) -> impl Iterator<Item = &Str> {
    pod.spec
        .volumes
        .iter()
        .filter_map(|volume| volume.persistent_volume_claim.as_ref().map(|claim| &claim.claim_name))
}
