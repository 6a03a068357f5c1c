//! Brings a scenario's objects into the world: imported objects as they are, all others by create requests.

use std::sync::Arc;

use podscope_api::{Kind, Node, NodeName, Object, ObjectKey, Str, ordered};

use crate::node_groups::node_groups;
use crate::setup::{generated_nodes, merged_with_generated, with_lasting_conditions, with_mirror_toleration};
use crate::{Actor, ApiError, Part, Request, Setup, SetupError, Sink, World};

/// The imported nodes of a scenario.
#[derive(Default)]
pub(crate) struct ImportedNodes {
    /// Whether the scenario contains no imported object.
    is_empty: bool,
    pub(crate) nodes: Vec<NodeName>,
    /// Nodes whose heartbeats had stopped: they begin with their links cut.
    pub(crate) cut_off: Vec<NodeName>,
}

impl World {
    /// Adds the nodes, and imports the other objects that have a UID, without admission.
    pub(crate) fn import_scenario_objects(&mut self, setup: &Setup, errors: &mut Vec<SetupError>) -> ImportedNodes {
        // A Node in the scenario replaces the generated node of the same name.
        let given = setup.objects.iter().filter(|object| object.kind() == Kind::Node);
        let given: ordered::Set<Str> = given.map(|node| node.metadata().name.clone()).collect();
        let (replaced, generated): (Vec<Node>, Vec<Node>) = generated_nodes(&setup.nodes)
            .into_iter()
            .partition(|node| given.contains(&node.metadata.name));
        for (index, node) in generated.into_iter().enumerate() {
            self.add_node(node, index, setup);
        }
        let mut imported = ImportedNodes {
            is_empty: !setup.objects.iter().any(|object| !object.metadata().uid.is_empty()),
            ..ImportedNodes::default()
        };
        let newest = podscope_sim::newest_heartbeat(&setup.objects);
        for (index, object) in setup.objects.iter().enumerate() {
            match object {
                Object::Node(node) => {
                    let place = self.nodes.size();
                    if self.objects().named::<Node>(&node.metadata.name).is_some() {
                        let error = ApiError::already_exists(Kind::Node, &node.metadata.name);
                        errors.push(SetupError { index, error });
                        continue;
                    }
                    if !node.metadata.uid.is_empty() {
                        let name = NodeName(node.metadata.name.clone());
                        if !podscope_sim::was_kubelet_reporting(node, newest) {
                            imported.cut_off.push(name.clone());
                        }
                        imported.nodes.push(name);
                    }
                    self.add_node(
                        with_lasting_conditions(merged_with_generated(node, &replaced), setup),
                        place,
                        setup,
                    );
                }
                object if !object.metadata().uid.is_empty() => {
                    // The Lease of a node exists already, because `add_node` created it; the imported Lease replaces
                    // it.
                    let is_known = object.kind() != Kind::Lease;
                    if is_known && self.objects().get_kind(object.kind(), &object.key()).is_some() {
                        let error = ApiError::already_exists(object.kind(), &object.metadata().name);
                        errors.push(SetupError { index, error });
                        continue;
                    }
                    let mut object = object.clone();
                    podscope_api::default_object(&mut object);
                    if let Object::Untyped(untyped) = &mut object {
                        podscope_api::custom::assume_established(Arc::make_mut(untyped));
                    }
                    self.import(object);
                }
                _ => {}
            }
        }
        self.add_nodes_of_groups(setup);
        if !imported.is_empty {
            self.import_missing_objects();
        }
        imported
    }

    /// Adds the machines of node groups at t = 0. A Node of the scenario replaces the generated Node of the same name.
    fn add_nodes_of_groups(&mut self, setup: &Setup) {
        for group in node_groups(self.objects(), &setup.nodes.groups) {
            for name in group.group.initial_machine_names() {
                if self.objects().named::<Node>(&name).is_some() {
                    continue;
                }
                let template = group.template(self.objects(), &setup.nodes.capacity);
                self.add_node(template.node(&name), self.nodes.size(), setup);
            }
        }
    }

    /// Imports the objects that the dump lacks although they exist in every cluster or controllers create them.
    fn import_missing_objects(&mut self) {
        let namespaces: Vec<Str> = (self.objects().list::<podscope_api::Namespace>())
            .filter(|namespace| !namespace.metadata.is_terminating())
            .map(|namespace| namespace.metadata.name.clone())
            .collect();
        let defaults = namespaces
            .iter()
            .flat_map(|name| crate::controllers::initial_namespace_objects(name));
        let created = crate::controllers::missing_controller_objects(self.objects());
        for object in defaults.chain(created) {
            if self.objects().get_kind(object.kind(), &object.key()).is_none() {
                self.import(object);
            }
        }
    }

    /// Returns the objects as a kubelet read them before its link was cut: without later deletion requests, and without
    /// later bindings to its node.
    pub(crate) fn known_before_cut(&self, node: &NodeName, objects: &Arc<crate::Objects>) -> Arc<crate::Objects> {
        let last_heartbeat = self.objects().named::<Node>(node.as_str()).and_then(|node| {
            let beats = node.status.conditions.iter();
            beats.filter_map(|known| known.last_heartbeat_time).max()
        });
        let mut view = crate::Objects::clone(objects);
        let pods: Vec<Arc<podscope_api::Pod>> = objects.pods_on(node).cloned().collect();
        for mut pod in pods {
            let is_later = last_heartbeat.is_some_and(|last| pod.metadata.creation_timestamp > Some(last));
            if is_later && pod.status.start_time.is_none() {
                view.remove(Kind::Pod, &pod.metadata.key());
                continue;
            }
            let grace = pod.metadata.deletion_grace_period_seconds.unwrap_or(0).max(0);
            let requested_at = pod.metadata.deletion_timestamp;
            let requested_at =
                requested_at.map(|at| podscope_api::Time(at.0.saturating_sub(grace.saturating_mul(1_000_000))));
            if requested_at.is_some() && last_heartbeat.is_none_or(|last| requested_at > Some(last)) {
                let metadata = &mut Arc::make_mut(&mut pod).metadata;
                metadata.deletion_timestamp = None;
                metadata.deletion_grace_period_seconds = None;
                view.put(Object::Pod(pod));
            }
        }
        Arc::new(view)
    }

    /// Creates the scenario's objects that have no UID, by requests like those of a client.
    pub(crate) fn create_scenario_objects(&mut self, setup: &Setup, errors: &mut Vec<SetupError>, sink: &mut dyn Sink) {
        let is_imported = |object: &Object| {
            setup
                .objects
                .iter()
                .any(|given| given.metadata().uid == object.metadata().uid)
        };
        let unnamed = setup.objects.iter().filter(|object| object.metadata().uid.is_empty());
        let mut defaults: ordered::Set<(Kind, ObjectKey)> = unnamed
            .filter_map(|object| self.objects().get_kind(object.kind(), &object.key()))
            .filter(|existing| !is_imported(existing))
            .map(|existing| (existing.kind(), existing.key()))
            .collect();
        for (index, object) in setup.objects.iter().enumerate() {
            if object.kind() == Kind::Node || !object.metadata().uid.is_empty() {
                continue;
            }
            let mut request = Request::Create(with_mirror_toleration(object.clone()));
            // An object that exists in every cluster is updated to the scenario's content.
            let existing = self.objects().get_kind(object.kind(), &object.key());
            if let Some(existing) = existing.filter(|existing| defaults.contains(&(existing.kind(), existing.key()))) {
                defaults.remove(&(existing.kind(), existing.key()));
                request = Request::Update(as_update_of_existing(object.clone(), &existing), Part::Main);
            }
            match self.serve(&Actor::Client(0), &request, sink) {
                Err(error) => errors.push(SetupError { index, error }),
                Ok(Some(Object::Pod(pod))) if pod.is_mirror() => {
                    // If the scenario contains a mirror pod, its node gets the manifest of the static pod on its disk
                    // (LC-213).
                    if let Some(node) = pod.spec.node_name.clone() {
                        self.with_machine(&node, sink, |machine, _| machine.set_static_pod(pod));
                    }
                }
                Ok(Some(definition)) if defines_scenario_kind(&definition, setup) => {
                    self.import_established_definition(definition)
                }
                Ok(_) => {}
            }
        }
    }

    /// Stores a CustomResourceDefinition as Established at once, so that its custom objects in the same file can be
    /// created.
    fn import_established_definition(&mut self, mut definition: Object) {
        if let Object::Untyped(untyped) = &mut definition {
            let untyped = Arc::make_mut(untyped);
            untyped.fields.shift_remove("status");
            podscope_api::custom::assume_established(untyped);
        }
        self.import(definition);
    }
}

/// Returns whether an object is the CustomResourceDefinition of another object of the scenario.
fn defines_scenario_kind(object: &Object, setup: &Setup) -> bool {
    let Some(definition) = podscope_api::custom::Definition::of(object) else {
        return false;
    };
    let kind = definition.versions().next().map(|version| version.kind());
    setup.objects.iter().any(|object| Some(object.kind()) == kind)
}

/// Returns the update that gives an existing default object the content of the scenario's object.
fn as_update_of_existing(mut object: Object, existing: &Object) -> Object {
    let before = existing.metadata();
    let metadata = object.metadata_mut();
    metadata.uid = before.uid.clone();
    metadata.creation_timestamp = before.creation_timestamp;
    if let (Object::Namespace(namespace), Object::Namespace(existing)) = (&mut object, existing) {
        let namespace = Arc::make_mut(namespace);
        namespace.spec = existing.spec.clone();
        namespace.status = existing.status.clone();
    }
    object
}
