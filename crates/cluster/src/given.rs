//! How a scenario's objects come into the world: what was dumped as it was, what was written as a client creates it.

use std::sync::Arc;

use podscope_api::{Kind, Node, NodeName, Object, ObjectKey, Str, ordered};

use crate::setup::{applied, as_mirrored, generated, lasting};
use crate::{Actor, ApiError, Part, Request, Setup, SetupError, Sink, World};

/// Nodes that were there before.
#[derive(Default)]
pub(crate) struct Imported {
    /// No object was there before.
    is_empty: bool,
    pub(crate) nodes: Vec<NodeName>,
    /// Those that nobody hears.
    pub(crate) cut_off: Vec<NodeName>,
}

impl World {
    /// The nodes, and the objects that come with a UID: as they were.
    pub(crate) fn import_given(&mut self, setup: &Setup, errors: &mut Vec<SetupError>) -> Imported {
        // A node that is given takes the place of the generated one of its name.
        let given = setup.objects.iter().filter(|object| object.kind() == Kind::Node);
        let given: ordered::Set<Str> = given.map(|node| node.metadata().name.clone()).collect();
        let (replaced, generated): (Vec<Node>, Vec<Node>) = generated(&setup.nodes)
            .into_iter()
            .partition(|node| given.contains(&node.metadata.name));
        for (index, node) in generated.into_iter().enumerate() {
            self.add_node(node, index, setup);
        }
        let mut imported = Imported {
            is_empty: !setup.objects.iter().any(|object| !object.metadata().uid.is_empty()),
            ..Imported::default()
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
                        if !podscope_sim::is_heard(node, newest) {
                            imported.cut_off.push(name.clone());
                        }
                        imported.nodes.push(name);
                    }
                    self.add_node(lasting(applied(node, &replaced), setup), place, setup);
                }
                object if !object.metadata().uid.is_empty() => {
                    // That of a node was made with it.
                    let is_known = object.kind() != Kind::Lease;
                    if is_known && self.objects().get_kind(object.kind(), &object.key()).is_some() {
                        let error = ApiError::already_exists(object.kind(), &object.metadata().name);
                        errors.push(SetupError { index, error });
                        continue;
                    }
                    let mut object = object.clone();
                    podscope_api::default_object(&mut object);
                    self.import(object);
                }
                _ => {}
            }
        }
        if !imported.is_empty {
            self.import_unheld();
        }
        imported
    }

    /// What every cluster has and what controllers had made, where a dump does not hold it: it was there before.
    fn import_unheld(&mut self) {
        let namespaces: Vec<Str> = (self.objects().list::<podscope_api::Namespace>())
            .filter(|namespace| !namespace.metadata.is_terminating())
            .map(|namespace| namespace.metadata.name.clone())
            .collect();
        let own = namespaces.iter().flat_map(|name| crate::controllers::objects_of(name));
        let made = crate::controllers::unheld(self.objects());
        for object in own.chain(made) {
            if self.objects().get_kind(object.kind(), &object.key()).is_none() {
                self.import(object);
            }
        }
    }

    /// What a kubelet that nobody hears had read before it was cut off: nobody had asked for the end of a pod, and what
    /// was bound to its node later is not known there.
    pub(crate) fn known_before_cut(&self, node: &NodeName, objects: &Arc<crate::Objects>) -> Arc<crate::Objects> {
        let heard = self.objects().named::<Node>(node.as_str()).and_then(|node| {
            let beats = node.status.conditions.iter();
            beats.filter_map(|known| known.last_heartbeat_time).max()
        });
        let mut view = crate::Objects::clone(objects);
        let pods: Vec<Arc<podscope_api::Pod>> = objects.pods_on(node).cloned().collect();
        for mut pod in pods {
            let is_later = heard.is_some_and(|heard| pod.metadata.creation_timestamp > Some(heard));
            if is_later && pod.status.start_time.is_none() {
                view.remove(Kind::Pod, &pod.metadata.key());
                continue;
            }
            let grace = pod.metadata.deletion_grace_period_seconds.unwrap_or(0).max(0);
            let asked = pod.metadata.deletion_timestamp;
            let asked = asked.map(|at| podscope_api::Time(at.0.saturating_sub(grace.saturating_mul(1_000_000))));
            if asked.is_some() && heard.is_none_or(|heard| asked > Some(heard)) {
                let metadata = &mut Arc::make_mut(&mut pod).metadata;
                metadata.deletion_timestamp = None;
                metadata.deletion_grace_period_seconds = None;
                view.put(Object::Pod(pod));
            }
        }
        Arc::new(view)
    }

    /// The others: created as by a client.
    pub(crate) fn create_given(&mut self, setup: &Setup, errors: &mut Vec<SetupError>, sink: &mut dyn Sink) {
        let is_imported = |object: &Object| {
            setup
                .objects
                .iter()
                .any(|given| given.metadata().uid == object.metadata().uid)
        };
        let unnamed = setup.objects.iter().filter(|object| object.metadata().uid.is_empty());
        let mut own: ordered::Set<(Kind, ObjectKey)> = unnamed
            .filter_map(|object| self.objects().get_kind(object.kind(), &object.key()))
            .filter(|there| !is_imported(there))
            .map(|there| (there.kind(), there.key()))
            .collect();
        for (index, object) in setup.objects.iter().enumerate() {
            if object.kind() == Kind::Node || !object.metadata().uid.is_empty() {
                continue;
            }
            let mut request = Request::Create(as_mirrored(object.clone()));
            // What every cluster has is changed to what the file says.
            let there = self.objects().get_kind(object.kind(), &object.key());
            if let Some(there) = there.filter(|there| own.contains(&(there.kind(), there.key()))) {
                own.remove(&(there.kind(), there.key()));
                request = Request::Update(as_changed(object.clone(), &there), Part::Main);
            }
            match self.serve(&Actor::Client(0), &request, sink) {
                Err(error) => errors.push(SetupError { index, error }),
                Ok(Some(Object::Pod(pod))) if pod.is_mirror() => {
                    // LC-213: a mirror among the scenario's objects says what its node has on disk.
                    if let Some(node) = pod.spec.node_name.clone() {
                        self.with_machine(&node, sink, |machine, _| machine.keep_static(pod));
                    }
                }
                Ok(_) => {}
            }
        }
    }
}

/// An object that every cluster has, as a file without its UID wants it.
fn as_changed(mut object: Object, there: &Object) -> Object {
    let before = there.metadata();
    let metadata = object.metadata_mut();
    metadata.uid = before.uid.clone();
    metadata.creation_timestamp = before.creation_timestamp;
    if let (Object::Namespace(namespace), Object::Namespace(there)) = (&mut object, there) {
        let namespace = Arc::make_mut(namespace);
        namespace.spec = there.spec.clone();
        namespace.status = there.status.clone();
    }
    object
}
