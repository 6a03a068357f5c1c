//! The process of the device drivers on a node. It publishes the node's devices as ResourceSlices, and keeps the slices
//! equal to the description in the Node's annotation (DRA-270, DRA-271). The kubelet calls it through [`Machine`] to
//! prepare claims.
//!
//! ```text
//! Node annotation, faults ──▶ plan of a pool ──equal to the slices──▶ nothing
//!                                   ├──one slice differs──▶ update, same generation
//!                                   └──otherwise──▶ generation + 1: write every slice, then delete the obsolete ones
//! ```
//!
//! A started process publishes each pool with a new generation, because it cannot know what changed while it was down.
//!
//! Deviation: the drivers of a node are one process, so they crash and start together.

use std::sync::Arc;

use podscope_api::{
    Kind, Node, NodeName, Object, ObjectMeta, OwnerReference, ResourceSlice, ResourceSliceSpec, Str, ordered,
};
use podscope_sim::{CallId, DeleteOptions, Input, Mutation, Objects, Part, Request, SimTime, Span};

use crate::device_pools::{DevicePool, device_pools};
use crate::machine::Machine;
use crate::{Context, Timer};

/// Delay before a failed request is sent again.
const FAILED_REQUEST_RETRY_DELAY: Span = Span::seconds(1);

/// In-memory state of the driver process; a crash deletes it.
#[derive(Debug, Clone)]
pub struct DeviceDriver {
    name: NodeName,
    /// The Node object: its annotation describes the devices, and it owns the slices.
    node: Option<Arc<Node>>,
    /// The slices of this node, by name.
    slices: ordered::Map<Str, Arc<ResourceSlice>>,
    /// Requests whose answers are pending.
    calls: ordered::Set<CallId>,
    /// Driver and name of each pool that this process has published. Any other pool gets a new generation when it is
    /// published.
    published: ordered::Set<(Str, Str)>,
    has_listed: bool,
}

/// Returns the slices that the drivers of a node publish before the simulation begins.
pub fn initial_slices(node: &Node) -> Vec<ResourceSlice> {
    let mut slices = Vec::new();
    for pool in device_pools(node, None) {
        for (index, spec) in pool.slice_specs(None, 1).into_iter().enumerate() {
            slices.push(new_slice(node, index, None, spec));
        }
    }
    slices
}

fn new_slice(node: &Node, index: usize, name: Option<&Str>, spec: ResourceSliceSpec) -> ResourceSlice {
    ResourceSlice {
        metadata: ObjectMeta {
            name: name.cloned().unwrap_or_default(),
            generate_name: match name {
                Some(_) => Str::default(),
                None => slice_name_prefix(node, index, &spec.driver).into(),
            },
            owner_references: vec![OwnerReference {
                api_version: "v1".into(),
                kind: "Node".into(),
                name: node.metadata.name.clone(),
                uid: node.metadata.uid.clone(),
                controller: Some(true),
                ..OwnerReference::default()
            }],
            ..ObjectMeta::default()
        },
        spec,
        ..ResourceSlice::default()
    }
}

/// Returns the prefix of generated slice names. It begins with the index, so that the slices are listed in the order of
/// the description.
fn slice_name_prefix(node: &Node, index: usize, driver: &str) -> String {
    format!("{index:x}-{driver}-{}-", node.metadata.name)
}

impl DeviceDriver {
    pub fn new(name: NodeName) -> Self {
        Self {
            name,
            node: None,
            slices: ordered::Map::new(),
            calls: ordered::Set::new(),
            published: ordered::Set::new(),
            has_listed: false,
        }
    }

    /// Handles one input, and then publishes the changes of the node's devices.
    pub fn handle(&mut self, input: Input<Timer>, machine: &mut Machine, ctx: &mut Context<'_>) {
        match input {
            Input::Started => machine.set_driver_running(true),
            Input::Listed { objects, .. } => self.observe_listed_slices(&objects, ctx.now, machine),
            Input::Changed(change) => match (&change.old, &change.new) {
                (_, Some(Object::Node(node))) => self.node = Some(node.clone()),
                (Some(Object::Node(_)), None) => self.node = None,
                (_, Some(Object::ResourceSlice(slice))) => self.observe_slice(slice),
                (Some(Object::ResourceSlice(slice)), None) => drop(self.slices.remove(&slice.metadata.name)),
                _ => return,
            },
            Input::Answered(id, answer) => {
                if !self.calls.remove(&id) {
                    return;
                }
                match answer {
                    Ok(Some(Object::ResourceSlice(slice))) if !slice.metadata.is_terminating() => {
                        self.observe_slice(&slice);
                    }
                    Ok(_) => {}
                    Err(_) => {
                        ctx.timer_in(FAILED_REQUEST_RETRY_DELAY, Timer::Driver);
                        return;
                    }
                }
            }
            Input::Timer(_) => {}
        }
        self.sync_slices(machine, ctx);
    }

    fn observe_listed_slices(&mut self, objects: &Objects, now: SimTime, machine: &mut Machine) {
        self.node = objects.named::<Node>(self.name.as_str()).cloned();
        let is_local = |slice: &&Arc<ResourceSlice>| slice.spec.node_name.as_deref() == Some(self.name.as_str());
        let own = objects.list::<ResourceSlice>().filter(is_local);
        self.slices = own.map(|slice| (slice.metadata.name.clone(), slice.clone())).collect();
        self.has_listed = true;
        // If the process runs when the simulation begins, it has already published its pools.
        if now == SimTime::ZERO {
            let pools = self
                .described_pools(machine)
                .into_iter()
                .map(|pool| (pool.driver, pool.name));
            self.published = pools.collect();
            for key in &self.published {
                machine.devices_mut().generations.insert(key.clone(), 1);
            }
        }
    }

    /// Stores the observed state of a slice, unless the answer to a request already contained a newer one.
    fn observe_slice(&mut self, slice: &Arc<ResourceSlice>) {
        let version = |slice: &ResourceSlice| slice.metadata.resource_version.parse::<u64>().unwrap_or(0);
        let known = self.slices.get(&slice.metadata.name);
        if known.is_none_or(|known| version(known) <= version(slice)) {
            self.slices.insert(slice.metadata.name.clone(), slice.clone());
        }
    }

    /// Returns the pools that the Node describes; none if there is no Node.
    fn described_pools(&self, machine: &Machine) -> Vec<DevicePool> {
        match &self.node {
            Some(node) => device_pools(node, machine.devices()),
            None => Vec::new(),
        }
    }

    /// Sends the requests that make the slices match the description, once earlier requests are answered.
    fn sync_slices(&mut self, machine: &mut Machine, ctx: &mut Context<'_>) {
        if !self.has_listed || !self.calls.is_empty() {
            return;
        }
        let Some(node) = self.node.clone() else { return };
        let pools = self.described_pools(machine);
        let mut requests = Vec::new();
        for pool in &pools {
            requests.extend(self.plan_pool_requests(&node, pool, machine));
        }
        // Delete the slices of pools that are no longer described.
        let mut generations = machine
            .devices()
            .map(|devices| devices.generations.clone())
            .unwrap_or_default();
        generations.retain(|(driver, name), _| !pools.iter().any(|pool| pool.driver == *driver && pool.name == *name));
        for slice in self.slices.values() {
            if generations.contains_key(&(slice.spec.driver.clone(), slice.spec.pool.name.clone())) {
                requests.push(delete_slice(slice));
            }
        }
        for request in requests {
            self.calls.insert(ctx.call(request));
        }
    }

    /// Returns the requests that create, update or delete the slices of a pool, so that they match its plan.
    fn plan_pool_requests(&mut self, node: &Node, pool: &DevicePool, machine: &mut Machine) -> Vec<Request> {
        let key = (pool.driver.clone(), pool.name.clone());
        let is_of_pool = |slice: &&Arc<ResourceSlice>| slice.spec.driver == key.0 && slice.spec.pool.name == key.1;
        let known: Vec<Arc<ResourceSlice>> = self.slices.values().filter(is_of_pool).cloned().collect();
        let present = |index: usize| {
            let published_as = pool.slices.get(index)?.published_as.as_ref();
            let generated = slice_name_prefix(node, index, &pool.driver);
            known.iter().find(|slice| match published_as {
                Some(name) => slice.metadata.name == *name,
                None => *slice.metadata.generate_name == *generated,
            })
        };
        let stored = machine
            .devices()
            .and_then(|devices| devices.generations.get(&key).copied());
        let current = known
            .iter()
            .map(|slice| slice.spec.pool.generation)
            .chain(stored)
            .max()
            .unwrap_or(0);
        let differs = |specs: &[ResourceSliceSpec]| {
            let all = specs.iter().enumerate();
            let changed = all.filter(|(index, spec)| present(*index).is_none_or(|slice| slice.spec != **spec));
            changed.map(|(index, _)| index).collect::<Vec<usize>>()
        };
        let obsolete: Vec<&Arc<ResourceSlice>> = known
            .iter()
            .filter(|slice| {
                !(0..pool.slices.len())
                    .any(|index| present(index).is_some_and(|one| one.metadata.uid == slice.metadata.uid))
            })
            .collect();
        let is_new = !self.published.contains(&key);
        let mut specs = pool.slice_specs(machine.devices(), current);
        let mut changed = differs(&specs);
        if !is_new && changed.is_empty() && obsolete.is_empty() {
            return Vec::new();
        }
        let is_one_update = changed.len() == 1 && obsolete.is_empty() && present(changed[0]).is_some();
        let generation = if is_one_update && !is_new { current } else { current + 1 };
        if generation != current {
            specs = pool.slice_specs(machine.devices(), generation);
            changed = differs(&specs);
        }
        machine.devices_mut().generations.insert(key.clone(), generation);
        self.published.insert(key);
        let mut requests: Vec<Request> = Vec::new();
        for index in changed {
            let Some(spec) = specs.get(index).cloned() else {
                continue;
            };
            requests.push(match present(index) {
                Some(slice) => update_slice(slice, spec),
                None => {
                    let name = pool.slices.get(index).and_then(|slice| slice.published_as.as_ref());
                    let slice = new_slice(node, index, name, spec);
                    Request::Create(Object::ResourceSlice(Arc::new(slice)))
                }
            });
        }
        requests.extend(obsolete.into_iter().map(|slice| delete_slice(slice)));
        requests
    }
}

fn update_slice(slice: &ResourceSlice, spec: ResourceSliceSpec) -> Request {
    Request::Patch {
        kind: Kind::ResourceSlice,
        key: slice.metadata.key(),
        uid: Some(slice.metadata.uid.clone()),
        part: Part::Main,
        change: Mutation::new("device driver", move |slice: &mut ResourceSlice| {
            slice.spec = spec.clone()
        }),
    }
}

pub(crate) fn delete_slice(slice: &ResourceSlice) -> Request {
    Request::Delete {
        kind: Kind::ResourceSlice,
        key: slice.metadata.key(),
        options: DeleteOptions {
            uid: Some(slice.metadata.uid.clone()),
            ..DeleteOptions::default()
        },
    }
}
