//! Node groups: machines that a cloud creates from one template. A scenario declares them (`spec.cluster.nodeGroups`);
//! in a dump, the labels of clouds name the group of each node (CA-001, CA-002).

mod cloud;
mod template;

use std::sync::Arc;

use podscope_api::well_known::label;
use podscope_api::{
    DaemonSet, Node, NodeName, Object, ObjectKey, Pod, ResourceList, ResourceSlice, Str, Taint, Uid, ordered,
};

pub(crate) use cloud::SimulatedCloud;
pub(crate) use template::MachineTemplate;

use crate::controllers::daemon_pods_on;
use crate::{Objects, Span};

/// Labels whose value is the name of a node's group, in the order in which they are tried.
pub const GROUP_LABELS: [&str; 4] = [
    label::NODE_GROUP,
    "eks.amazonaws.com/nodegroup",
    "cloud.google.com/gke-nodepool",
    "kubernetes.azure.com/agentpool",
];

/// Default time from the request for a machine to its boot: a cloud takes minutes (CA-017).
const DEFAULT_MACHINE_DELAY: Span = Span::seconds(180);

/// A declared node group.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeGroup {
    pub name: Str,
    pub min: u32,
    /// Maximum number of machines; `None` if it is not known.
    pub max: Option<u32>,
    /// Number of machines at t = 0, named `NAME-1` to `NAME-SIZE`.
    pub size: u32,
    /// A Node whose properties the machines copy, except those that the other fields set.
    pub like: Option<NodeName>,
    /// Additional labels with which the kubelets register.
    pub labels: ordered::Map<Str, Str>,
    /// Additional taints with which the kubelets register.
    pub taints: Vec<Taint>,
    /// Overrides of the capacity.
    pub capacity: ResourceList,
    /// Time from the request for a machine to its boot.
    pub delay: Span,
}

impl NodeGroup {
    /// Returns a node group with this name and default values of all other fields.
    #[must_use]
    pub fn named(name: Str) -> Self {
        Self {
            name,
            min: 0,
            max: None,
            size: 0,
            like: None,
            labels: ordered::Map::new(),
            taints: Vec::new(),
            capacity: ResourceList::new(),
            delay: DEFAULT_MACHINE_DELAY,
        }
    }

    /// Returns the names of the machines at t = 0.
    pub fn initial_machine_names(&self) -> impl Iterator<Item = String> {
        (1..=self.size).map(|nth| format!("{}-{nth}", self.name))
    }
}

/// A node group with the Nodes that belong to it now.
#[derive(Debug, Clone)]
pub struct NodeGroupWithNodes {
    pub group: NodeGroup,
    /// Whether the scenario declares the group; otherwise its limits are not known.
    pub is_declared: bool,
    /// Nodes of the group, by name.
    pub nodes: Vec<Arc<Node>>,
}

/// Returns the name of the node group that a node belongs to.
#[must_use]
pub fn group_of(node: &Node) -> Option<&str> {
    GROUP_LABELS.iter().find_map(|key| node.metadata.label(key))
}

/// Returns the declared node groups in their order, followed by the node groups that appear only in labels of Nodes, by
/// name.
#[must_use]
pub fn node_groups(objects: &Objects, declared: &[NodeGroup]) -> Vec<NodeGroupWithNodes> {
    let mut members: ordered::Map<&str, Vec<Arc<Node>>> = ordered::Map::new();
    for node in objects.list::<Node>() {
        if let Some(name) = group_of(node) {
            members.entry(name).or_default().push(node.clone());
        }
    }
    let declared = declared.iter().map(|group| NodeGroupWithNodes {
        group: group.clone(),
        is_declared: true,
        nodes: members.remove(&*group.name).unwrap_or_default(),
    });
    let mut all: Vec<NodeGroupWithNodes> = declared.collect();
    all.extend(members.into_iter().map(|(name, nodes)| NodeGroupWithNodes {
        group: NodeGroup::named(name.into()),
        is_declared: false,
        nodes,
    }));
    all
}

impl NodeGroupWithNodes {
    /// Returns the Node whose properties the group's template copies: the one that the group names, or else its first
    /// Ready and schedulable node, or else its first node (CA-003). `None` if the template is the scenario's default
    /// machine.
    #[must_use]
    pub fn template_source<'o>(&'o self, objects: &'o Objects) -> Option<&'o Arc<Node>> {
        match &self.group.like {
            Some(like) => objects.named::<Node>(like.as_str()),
            None => {
                let is_usable = |node: &&Arc<Node>| node.is_ready() && !node.is_unschedulable();
                self.nodes.iter().find(is_usable).or(self.nodes.first())
            }
        }
    }

    /// Returns the template with which the group's machines register.
    pub(crate) fn template(&self, objects: &Objects, default_capacity: &ResourceList) -> MachineTemplate {
        let mut template = match self.template_source(objects) {
            Some(model) => MachineTemplate::of_existing_node(objects, model),
            None => MachineTemplate::default(),
        };
        template.apply_node_group(&self.group, default_capacity);
        template
    }

    /// Returns the Node that one more machine of the node group would register, with the pods of DaemonSets and static
    /// pods that would run on it (CA-004).
    #[must_use]
    pub fn new_node(&self, objects: &Objects, default_capacity: &ResourceList, name: &str) -> NewGroupNode {
        let node = self.template(objects, default_capacity).node(name);
        let mut daemons = daemon_pods_on(objects, &node);
        let mut company = Vec::new();
        if let Some(model) = self.template_source(objects) {
            daemons.extend(daemon_and_static_pods(objects, model, name));
            company.extend(copied_resource_slices(objects, model, name));
        }
        company.extend(daemons.into_iter().map(Object::Pod));
        NewGroupNode {
            node: Arc::new(node),
            company,
        }
    }

    /// Returns a name for the next machine of the node group: `GROUP-N` with the lowest free number.
    #[must_use]
    pub fn next_name(&self, is_taken: impl Fn(&str) -> bool) -> String {
        let mut number: u64 = 1;
        while is_taken(&format!("{}-{number}", self.group.name)) {
            number += 1;
        }
        format!("{}-{number}", self.group.name)
    }
}

/// Copies the static pods of the node `model` for a node `name`; also its daemon pods whose DaemonSet is missing, as in
/// a dump without DaemonSets.
fn daemon_and_static_pods(objects: &Objects, model: &Node, name: &str) -> Vec<Arc<Pod>> {
    let is_unexplained = |pod: &&Arc<Pod>| {
        let owner = pod
            .metadata
            .controller_ref()
            .filter(|owner| &*owner.kind == "DaemonSet");
        let is_of_unknown_set = owner.is_some_and(|owner| {
            let key = ObjectKey::new(pod.metadata.namespace.clone(), owner.name.clone());
            objects.get::<DaemonSet>(&key).is_none()
        });
        !pod.metadata.is_terminating() && (is_of_unknown_set || pod.is_mirror())
    };
    let own = objects
        .pods_on(&NodeName(model.metadata.name.clone()))
        .filter(is_unexplained);
    let copies = own.map(|pod| {
        let mut copy = Pod::clone(pod);
        copy.metadata.name = format!("{}-{name}", pod.metadata.name).into();
        copy.metadata.uid = Uid(format!("{}-{name}", pod.metadata.uid).into());
        copy.spec.node_name = Some(NodeName(name.into()));
        Arc::new(copy)
    });
    copies.collect()
}

/// Copies the ResourceSlices of the node `model` for a node `name`, as the drivers of that node would publish them
/// (CA-004).
fn copied_resource_slices(objects: &Objects, model: &Node, name: &str) -> Vec<Object> {
    let is_own = |slice: &&Arc<ResourceSlice>| slice.spec.node_name.as_ref() == Some(&model.metadata.name);
    let copies = objects.list::<ResourceSlice>().filter(is_own).map(|slice| {
        let mut copy = ResourceSlice::clone(slice);
        copy.metadata.name = format!("{}-{name}", slice.metadata.name).into();
        copy.metadata.uid = Uid(format!("{}-{name}", slice.metadata.uid).into());
        copy.spec.node_name = Some(name.into());
        copy.spec.pool.name = format!("{}-{name}", slice.spec.pool.name).into();
        Object::ResourceSlice(Arc::new(copy))
    });
    copies.collect()
}

/// The node that a group would add next, with the objects that would be created with it.
#[derive(Debug, Clone)]
pub struct NewGroupNode {
    pub node: Arc<Node>,
    /// Objects that are created with the node: pods of DaemonSets and static pods, bound to the node, and its
    /// ResourceSlices.
    pub company: Vec<Object>,
}
