//! Creates the world at t = 0: the control plane runs, leaders are elected, and nodes are registered and Ready. Then
//! the scenario's objects are created in file order.

use podscope_api::ordered;
use podscope_api::well_known::{annotation, label};
use std::sync::Arc;

use podscope_api::{
    ConditionStatus, DEVICES_ANNOTATION, Kind, MicroTime, Namespace, Node, NodeAddress, NodeCondition, NodeName,
    NodeSystemInfo, Object, ObjectKey, ObjectMeta, PriorityClass, Quantity, ResourceList, Str, TaintEffect, Time,
    Toleration, TolerationOperator,
};

use podscope_apiserver::Caller;
use podscope_scheduler::SchedulerConfiguration;

use crate::controllers::{ClusterAutoscalerSettings, ControllerManagerSettings, FencingSettings};
use crate::dispatch::LIVENESS_CHECK_INTERVAL;
use crate::effect::Input;
use crate::fault::Targets;
use crate::kubelet::{self, KubeletSettings};
use crate::machine::Machine;
use crate::node_groups::NodeGroup;
use crate::scenario_objects::ImportedNodes;
use crate::watch::WatchState;
use crate::world::NodeState;
use crate::{
    Actor, ApiError, Assumed, NetworkSettings, Objects, OutputLine, RENEW_INTERVAL, Record, Rng, SimTime, Sink, Span,
    Switches, World,
};

/// Settings of all components.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// Settings of kube-controller-manager.
    pub controller_manager: ControllerManagerSettings,
    /// Settings of every kubelet.
    pub kubelet: Arc<KubeletSettings>,
    /// Settings of kube-scheduler.
    pub scheduler: SchedulerConfiguration,
    pub network: NetworkSettings,
    /// Settings of the fencing controller.
    pub fencing: FencingSettings,
    /// Settings of the modelled Cluster Autoscaler, which runs if a node group has a maximum.
    pub cluster_autoscaler: ClusterAutoscalerSettings,
}

/// Generated nodes, named `<zone>-1`, `<zone>-2`, … in each zone.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeShorthand {
    /// Zones; each name is a prefix and the value of `topology.kubernetes.io/zone`.
    pub zones: Vec<Str>,
    /// Number of nodes in each zone.
    pub nodes_per_zone: u32,
    /// Capacity and allocatable of each node; also of machines that join later without a capacity of their own.
    pub capacity: ResourceList,
    /// Description of the devices of each node, as in the annotation `podscope.dev/devices`; empty if there are none.
    pub devices: Str,
    /// Declared node groups, with machines of their own.
    pub groups: Vec<NodeGroup>,
}

impl Default for NodeShorthand {
    /// Returns three zones of two nodes with 4 CPUs, 8 GiB and room for 110 pods.
    fn default() -> Self {
        let quantity = |text: &str| text.parse::<Quantity>().expect("the quantities below");
        Self {
            zones: vec!["a".into(), "b".into(), "c".into()],
            nodes_per_zone: 2,
            capacity: ordered::Map::from([
                (Str::from("cpu"), quantity("4")),
                (Str::from("memory"), quantity("8Gi")),
                (Str::from("pods"), quantity("110")),
            ]),
            devices: Str::default(),
            groups: Vec::new(),
        }
    }
}

/// All inputs of a world except the timed commands.
#[derive(Debug, Clone)]
pub struct Setup {
    /// Seed of all randomness.
    pub seed: u64,
    /// Wall-clock time at t = 0.
    pub start: Time,
    /// Generated nodes.
    pub nodes: NodeShorthand,
    /// The scenario's objects in file order. Those with a UID are imported with their status; the others pass
    /// admission.
    pub objects: Vec<Object>,
    /// Objects that the imported objects refer to but that the scenario does not contain (P-09).
    pub assumed: Arc<Assumed>,
    pub settings: Settings,
    /// Switches that enable older rules of Kubernetes or what-if rules.
    pub switches: Switches,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            seed: 0,
            // 2026-01-01T00:00:00Z
            start: Time::from_seconds(1_767_225_600),
            nodes: NodeShorthand::default(),
            objects: Vec::new(),
            assumed: Arc::default(),
            settings: Settings::default(),
            switches: Switches::default(),
        }
    }
}

/// An object of the scenario that the API server refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetupError {
    /// Index in [`Setup::objects`].
    pub index: usize,
    /// The API server's error.
    pub error: ApiError,
}

impl World {
    /// Creates the world at t = 0.
    ///
    /// # Errors
    /// Returns an error for every object that the API server refuses.
    pub fn new(setup: Setup, sink: &mut dyn Sink) -> Result<World, Vec<SetupError>> {
        let mut errors = Vec::new();
        let (mut world, ImportedNodes { nodes, cut_off, .. }) = World::with_imports(&setup, &mut errors);
        if !cut_off.is_empty() {
            for node in &cut_off {
                world
                    .heartbeats
                    .end(node, SimTime::ZERO, podscope_api::CausedBy::NOTHING);
            }
            let targets = Targets::Nodes(cut_off.clone());
            world.partition(&targets, None, None);
        }
        world.start_all_processes(&nodes, &cut_off, sink);
        world.queue.push(
            SimTime::ZERO + LIVENESS_CHECK_INTERVAL,
            crate::event::Event::CheckLiveness,
        );
        world.create_scenario_objects(&setup, &mut errors, sink);
        world.settle_traffic(sink);
        if errors.is_empty() { Ok(world) } else { Err(errors) }
    }

    /// Returns the objects of [`World::new`] at t = 0, for callers that read nothing else. It starts no process and
    /// adopts no container, which would be most of the work for a large dump: at t = 0, the requests of the processes
    /// are still on the way to the API server, so they have changed no object.
    ///
    /// # Errors
    /// Returns an error for every object that the API server refuses.
    pub fn objects_at_start(setup: &Setup) -> Result<Arc<Objects>, Vec<SetupError>> {
        let mut errors = Vec::new();
        let (mut world, _) = World::with_imports(setup, &mut errors);
        world.start_control_plane();
        world.import_resource_slices();
        world.create_scenario_objects(setup, &mut errors, &mut NoRecords);
        if !errors.is_empty() {
            return Err(errors);
        }
        Ok(world.objects().clone())
    }

    /// Creates a world that contains the system's objects, the nodes and the imported objects, without processes.
    fn with_imports(setup: &Setup, errors: &mut Vec<SetupError>) -> (World, ImportedNodes) {
        let mut world = World::empty(setup);
        world.api.set_assumed_objects(setup.assumed.clone());
        world.import_system_objects(setup);
        let imported = world.import_scenario_objects(setup, errors);
        (world, imported)
    }

    /// Imports the objects that every cluster has: namespaces with their objects, and system PriorityClasses.
    fn import_system_objects(&mut self, setup: &Setup) {
        // A dump may contain the namespaces and classes; these are not imported twice.
        let is_imported = |kind: Kind, name: &str| {
            let given = setup.objects.iter();
            let mut given = given.filter(|object| object.kind() == kind && !object.metadata().uid.is_empty());
            given.any(|object| *object.metadata().name == *name)
        };
        for name in podscope_sim::INITIAL_NAMESPACES {
            if !is_imported(Kind::Namespace, name) {
                self.import(Object::Namespace(Arc::new(namespace(name))));
            }
        }
        // If there is a dump, `import_missing_objects` later imports the objects of these namespaces that it lacks.
        if !setup.objects.iter().any(|object| !object.metadata().uid.is_empty()) {
            for name in podscope_sim::INITIAL_NAMESPACES {
                crate::controllers::initial_namespace_objects(name)
                    .into_iter()
                    .for_each(|object| drop(self.import(object)));
            }
        }
        for (name, value, description) in [
            (
                "system-cluster-critical",
                2_000_000_000,
                "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.",
            ),
            (
                "system-node-critical",
                2_000_001_000,
                "Used for system critical pods that must not be moved from their current node.",
            ),
        ] {
            if is_imported(Kind::PriorityClass, name) {
                continue;
            }
            self.import(Object::PriorityClass(Arc::new(PriorityClass {
                metadata: ObjectMeta {
                    name: name.into(),
                    generation: Some(1),
                    ..ObjectMeta::default()
                },
                value,
                description: description.into(),
                preemption_policy: Some(podscope_api::PreemptionPolicy::PreemptLowerPriority),
                ..PriorityClass::default()
            })));
        }
    }

    /// Stores an object unchanged, without admission.
    pub(crate) fn import(&mut self, object: Object) -> Object {
        let caller = Caller {
            actor: &Actor::World,
            now: self.now,
            start: self.start,
        };
        self.api.import(object, &caller)
    }

    /// Adds a registered, Ready node with its machine and kubelet.
    pub(crate) fn add_node(&mut self, mut node: Node, index: usize, setup: &Setup) {
        let name = NodeName(node.metadata.name.clone());
        complete_registered_node(&mut node, index, setup);
        let mut machine = Machine::new(
            name.clone(),
            ordered::Map::clone(&node.metadata.labels),
            node.status.capacity.clone(),
        );
        if let Some(info) = &node.status.node_info {
            machine.install_kubelet(info.kubelet_version.clone());
        }
        // Images that the Node's status lists need not be pulled.
        for image in &node.status.images {
            machine.add_image(&image.names, image.size_bytes);
        }
        let zone = node.metadata.labels.get(label::ZONE).cloned();
        self.import(Object::Node(Arc::new(node)));
        self.nodes
            .insert_mut(name.clone(), NodeState::new(&name, machine, zone, setup.seed));
        let mut rng = Rng::split(setup.seed, &format!("heartbeat/{name}"));
        let phase = Span(rng.below(RENEW_INTERVAL.0 as u64) as i64);
        self.heartbeats.begin(&name, SimTime::ZERO - phase);
        self.create_node_lease(&name);
    }

    fn start_all_processes(&mut self, imported: &[NodeName], cut_off: &[NodeName], sink: &mut dyn Sink) {
        let names: Vec<NodeName> = self.nodes.keys().cloned().collect();
        let pods: Vec<Arc<podscope_api::Pod>> = self.objects().list::<podscope_api::Pod>().cloned().collect();
        let assumed = self.objects().assumed().clone();
        for (node, conditions) in assumed.node_conditions() {
            self.with_machine(&NodeName(node.clone()), sink, |machine, _| {
                machine.set_imported_conditions(conditions)
            });
        }
        for pod in pods {
            if let Some(node) = pod.spec.node_name.clone() {
                let container_problems = assumed.container_problems(&pod.metadata.uid);
                self.with_machine(&node, sink, |machine, ctx| {
                    machine.set_container_problems(&pod.metadata.uid, container_problems);
                    machine.adopt(&pod, ctx);
                });
            }
        }
        for name in imported {
            self.add_image_disk_if_needed(name, sink);
        }
        self.start_control_plane();
        self.import_resource_slices();
        let (revision, objects) = (self.api.store().revision(), self.api.objects().clone());
        for name in names {
            self.boot_kubelet(&name);
            // A kubelet that is cut off has not observed changes after the cut.
            let known = cut_off.contains(&name).then(|| self.known_before_cut(&name, &objects));
            let actor = Actor::Kubelet(name);
            self.start_running_process(&actor, revision, known.as_ref().unwrap_or(&objects), sink);
            if let Some(view) = known {
                let broken = WatchState::Broken {
                    since: None,
                    view,
                    cut_at: Some(self.now),
                };
                self.set_watch(&actor, broken);
            }
        }
        self.start_drivers(revision, &objects, sink);
        for actor in self.processes.keys().cloned().collect::<Vec<_>>() {
            self.start_running_process(&actor, revision, &objects, sink);
        }
    }

    /// Gives the machine of an imported node a separate image file system if its images and its pods' data would fill
    /// the disk above the threshold of image garbage collection. A real node would have collected images, so it must
    /// have one, although its Node does not report it.
    fn add_image_disk_if_needed(&mut self, name: &NodeName, sink: &mut dyn Sink) {
        let Some(node) = self.objects().named::<Node>(name.as_str()) else {
            return;
        };
        let disk = node.status.capacity.get("ephemeral-storage").map(|disk| disk.value());
        let Some(disk) = disk else { return };
        self.with_machine(name, sink, |machine, _| {
            let containers = machine.pods().flat_map(|(_, pod)| &pod.containers);
            let written = containers
                .map(|one| one.behavior.disk.from)
                .fold(0_i64, i64::saturating_add);
            let used = i128::from(written) + i128::from(machine.image_bytes());
            if used * 100 >= i128::from(disk) * 80 {
                machine.add_image_disk();
            }
        });
    }

    /// Starts a process that has been running since before t = 0: it lists and watches immediately.
    pub(crate) fn start_running_process(
        &mut self,
        actor: &Actor,
        revision: u64,
        objects: &Arc<Objects>,
        sink: &mut dyn Sink,
    ) {
        let Some(process) = self.running(actor) else { return };
        self.on_start(&process, sink);
        let objects = objects.clone();
        self.on_input(&process, Input::Listed { revision, objects }, sink);
        self.set_watch(actor, WatchState::Live);
    }

    /// Creates the Lease of a node. Its renewals are computed, not stored (LC-202).
    pub(crate) fn create_node_lease(&mut self, node: &NodeName) {
        let Some(stored) = self.objects().named::<Node>(node.as_str()).cloned() else {
            return;
        };
        let key = ObjectKey::new("kube-node-lease", node.0.clone());
        if self.objects().get::<podscope_api::Lease>(&key).is_some() {
            return;
        }
        self.import(Object::Lease(Arc::new(podscope_api::Lease {
            metadata: ObjectMeta {
                name: node.0.clone(),
                namespace: "kube-node-lease".into(),
                owner_references: vec![podscope_api::OwnerReference {
                    api_version: "v1".into(),
                    kind: "Node".into(),
                    name: node.0.clone(),
                    uid: stored.metadata.uid.clone(),
                    ..Default::default()
                }],
                ..ObjectMeta::default()
            },
            spec: podscope_api::LeaseSpec {
                holder_identity: Some(node.0.clone()),
                lease_duration_seconds: Some(40),
                renew_time: Some(MicroTime(self.start.0 + self.now.0)),
                ..Default::default()
            },
            ..Default::default()
        })));
    }
}

/// A sink that drops all records, for callers that read only the objects of the world.
struct NoRecords;

impl Sink for NoRecords {
    fn record(&mut self, _: Record) {}

    fn output(&mut self, _: OutputLine) {}

    fn finished(&mut self, _command: u32, _at: SimTime, _status: u8) {}
}

/// Adds the toleration of all NoExecute taints that a kubelet sets on mirror pods (LC-064).
pub(crate) fn with_mirror_toleration(mut object: Object) -> Object {
    if let Object::Pod(pod) = &mut object
        && pod.is_mirror()
    {
        let toleration = Toleration {
            operator: Some(TolerationOperator::Exists),
            effect: Some(TaintEffect::NoExecute),
            ..Toleration::default()
        };
        let tolerations = &mut Arc::make_mut(pod).spec.tolerations;
        if !tolerations.contains(&toleration) {
            Arc::make_mut(tolerations).push(toleration);
        }
    }
    object
}

fn namespace(name: &str) -> Namespace {
    Namespace {
        metadata: ObjectMeta {
            name: name.into(),
            labels: Arc::new(ordered::Map::from([(
                Str::from(label::NAMESPACE_NAME),
                Str::from(name),
            )])),
            ..ObjectMeta::default()
        },
        spec: podscope_api::NamespaceSpec {
            finalizers: vec!["kubernetes".into()],
        },
        status: podscope_api::NamespaceStatus {
            phase: "Active".into(),
            ..Default::default()
        },
        ..Namespace::default()
    }
}

impl NodeShorthand {
    /// Returns the names of all generated nodes: those of zones, then those of node groups.
    pub fn names(&self) -> impl Iterator<Item = String> {
        let of_groups = self.groups.iter().flat_map(NodeGroup::initial_machine_names);
        self.zoned_names().map(|(name, _)| name).chain(of_groups)
    }

    /// Sets the number of nodes per zone and the size of every node group to 0, so that the only nodes are those of the
    /// scenario.
    pub fn generate_no_nodes(&mut self) {
        self.nodes_per_zone = 0;
        for group in &mut self.groups {
            group.size = 0;
        }
    }

    /// Returns the names of the nodes that are generated per zone, each with its zone. Those of node groups are not
    /// included.
    pub fn zoned_names(&self) -> impl Iterator<Item = (String, &Str)> {
        self.zones
            .iter()
            .flat_map(|zone| (1..=self.nodes_per_zone).map(move |number| (format!("{zone}-{number}"), zone)))
    }
}

pub(crate) fn generated_nodes(shorthand: &NodeShorthand) -> Vec<Node> {
    let labelled = |(name, zone): (String, &Str)| {
        let mut node = Node::default();
        node.metadata.name = name.into();
        node.metadata.labels = Arc::new(ordered::Map::from([(Str::from(label::ZONE), zone.clone())]));
        if !shorthand.devices.is_empty() {
            let annotations = Arc::make_mut(&mut node.metadata.annotations);
            annotations.insert(DEVICES_ANNOTATION.into(), shorthand.devices.clone());
        }
        node
    };
    shorthand.zoned_names().map(labelled).collect()
}

/// Merges a node of the scenario into the generated node of the same name, like `kubectl apply`: labels that the
/// scenario does not set remain. An imported node is not changed.
pub(crate) fn merged_with_generated(node: &Node, generated: &[Node]) -> Node {
    let mut node = node.clone();
    let before = generated.iter().find(|one| one.metadata.name == node.metadata.name);
    if let Some(before) = before.filter(|_| node.metadata.uid.is_empty()) {
        let labels = Arc::make_mut(&mut node.metadata.labels);
        for (key, value) in before.metadata.labels.iter() {
            labels.entry(key.clone()).or_insert_with(|| value.clone());
        }
        if let Some(devices) = before.metadata.annotations.get(DEVICES_ANNOTATION) {
            let annotations = Arc::make_mut(&mut node.metadata.annotations);
            annotations
                .entry(DEVICES_ANNOTATION.into())
                .or_insert_with(|| devices.clone());
        }
    }
    node
}

/// Adds to the node's status the lasting conditions that are assumed for it (P-09), except those that it already has.
pub(crate) fn with_lasting_conditions(mut node: Node, setup: &Setup) -> Node {
    let conditions = setup.assumed.node_conditions().get(&node.metadata.name);
    for condition in conditions.into_iter().flatten() {
        if node.condition(&condition.kind).is_none() {
            node.status.conditions.push(condition.clone());
        }
    }
    node
}

/// Adds the fields that a registered, Ready node has. Fields of an imported node are kept.
fn complete_registered_node(node: &mut Node, index: usize, setup: &Setup) {
    let name = node.metadata.name.clone();
    let labels = Arc::make_mut(&mut node.metadata.labels);
    for (key, value) in kubelet::default_labels(&name) {
        labels.entry(key.into()).or_insert_with(|| value.into());
    }
    let status = &mut node.status;
    if status.capacity.is_empty() && status.allocatable.is_empty() {
        status.capacity.clone_from(&setup.nodes.capacity);
    }
    if status.capacity.is_empty() {
        status.capacity.clone_from(&status.allocatable);
    }
    if status.allocatable.is_empty() {
        status.allocatable.clone_from(&status.capacity);
    }
    if status.addresses.is_empty() {
        let address = |kind: &str, address: String| NodeAddress {
            kind: kind.into(),
            address: address.into(),
        };
        status.addresses = vec![
            address(
                "InternalIP",
                format!("10.0.{}.{}", (index / 250) & 255, index % 250 + 1),
            ),
            address("Hostname", name.to_string()),
        ];
    }
    if status.node_info.is_none() {
        status.node_info = Some(NodeSystemInfo {
            kernel_version: "6.12.0".into(),
            os_image: "Podscope Linux".into(),
            container_runtime_version: "containerd://2.1.4".into(),
            kubelet_version: podscope_api::KUBERNETES_VERSION.into(),
            operating_system: "linux".into(),
            architecture: "amd64".into(),
            ..NodeSystemInfo::default()
        });
    }
    let is_imported = !node.metadata.uid.is_empty();
    let is_stand_in = node.metadata.annotation(crate::NOT_IN_THE_DUMP).is_some();
    if !is_imported {
        // A running TTL controller would have set this annotation.
        let annotations = Arc::make_mut(&mut node.metadata.annotations);
        annotations
            .entry(annotation::NODE_TTL.into())
            .or_insert_with(|| "0".into());
    }
    if status.declared_features.is_empty() {
        let version = status.node_info.as_ref().map_or("", |info| &*info.kubelet_version);
        status.declared_features = podscope_api::features::declared_by(version);
    }
    for (kind, is_true, reason, message) in crate::kubelet::healthy_node_conditions() {
        let is_stated = status.conditions.iter().any(|condition| &*condition.kind == kind);
        if is_stated && is_imported && !is_stand_in {
            continue;
        }
        status.conditions.retain(|condition| &*condition.kind != kind);
        status.conditions.push(NodeCondition {
            kind: kind.into(),
            status: if is_true {
                ConditionStatus::True
            } else {
                ConditionStatus::False
            },
            last_heartbeat_time: Some(setup.start),
            last_transition_time: Some(setup.start),
            reason: reason.into(),
            message: message.into(),
        });
    }
}
