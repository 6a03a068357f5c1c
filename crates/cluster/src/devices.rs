//! Device drivers of nodes: when the driver process of a node runs, and the faults of drivers and devices (DRA-250,
//! DRA-270).
//!
//! A node has drivers if its Node describes devices in an annotation. Drivers that are known only from the
//! ResourceSlices of a scenario or dump get a process when a fault first names one of their devices; the process adopts
//! those slices.

use std::sync::Arc;

use podscope_api::fault::FaultKind;
use podscope_api::{CausedBy, DEVICES_ANNOTATION, Node, NodeName, Object, ResourceSlice, Str, Time};
use podscope_node::machine::DeviceState;
use podscope_node::{DeviceDriver, DevicePool, device_pools, initial_slices};
use podscope_sim::{FaultDetails, Happening};

use crate::effect::{Input, Timer};
use crate::event::Event;
use crate::fault::{DeviceChange, removes_taint};
use crate::watch::WatchState;
use crate::world::{ComponentState, ProcessState};
use crate::{Actor, Change, Objects, Rng, Sink, Span, World};

/// Time from the start of a driver process to its first action.
const DRIVER_START_DELAY: Span = Span::millis(100);

fn devices_annotation(node: &Node) -> Option<&str> {
    node.metadata.annotation(DEVICES_ANNOTATION)
}

impl World {
    /// Publishes the devices of all nodes before t = 0, unless the scenario contains their ResourceSlices.
    pub(crate) fn import_resource_slices(&mut self) {
        let nodes: Vec<Arc<Node>> = self.objects().list::<Node>().cloned().collect();
        for node in nodes {
            let mut rng = Rng::split(self.seed, &format!("slices/{}", node.metadata.name));
            for mut slice in initial_slices(&node) {
                let is_known =
                    |known: &Arc<ResourceSlice>| known.metadata.generate_name == slice.metadata.generate_name;
                if self.objects().list::<ResourceSlice>().any(is_known) {
                    continue;
                }
                let suffix = podscope_apiserver::name_suffix(&mut rng);
                slice.metadata.name = format!("{}{suffix}", slice.metadata.generate_name).into();
                slice.metadata.generation = Some(1);
                self.import(Object::ResourceSlice(Arc::new(slice)));
            }
        }
    }

    /// Starts the drivers that have been running since before t = 0.
    pub(crate) fn start_drivers(&mut self, revision: u64, objects: &Arc<Objects>, sink: &mut dyn Sink) {
        let described = objects.list::<Node>().filter(|node| devices_annotation(node).is_some());
        let names: Vec<NodeName> = described.map(|node| NodeName(node.metadata.name.clone())).collect();
        for name in names {
            self.create_driver_process(&name);
            self.start_running_process(&Actor::Driver(name), revision, objects, sink);
        }
    }

    fn create_driver_process(&mut self, node: &NodeName) {
        let seed = self.seed;
        let Some(state) = self.nodes.get_mut(node) else { return };
        let driver = state.driver.get_or_insert_with(|| {
            Box::new(ProcessState {
                incarnation: 0,
                component: ComponentState::Down,
                rng: Rng::split(seed, &format!("driver/{node}")),
                watch: WatchState::Closed,
                command: CausedBy::NOTHING,
                election: None,
            })
        });
        driver.incarnation += 1;
        driver.watch = WatchState::Closed;
        driver.component = ComponentState::Driver(Arc::new(DeviceDriver::new(node.clone())));
    }

    /// Starts the drivers of a node, if it has any.
    pub(crate) fn start_driver(&mut self, node: &NodeName, delay: Span) {
        let has_driver = self.nodes.get(node).is_some_and(|state| state.driver.is_some());
        if !has_driver {
            return;
        }
        self.create_driver_process(node);
        if let Some(process) = self.running(&Actor::Driver(node.clone())) {
            self.queue.push(self.now + delay, Event::Start(process));
        }
    }

    /// Stops the drivers of a node, if they run.
    pub(crate) fn stop_driver(&mut self, node: &NodeName, sink: &mut dyn Sink) {
        let actor = Actor::Driver(node.clone());
        if self.running(&actor).is_some() {
            self.kill(&actor);
            self.with_machine(node, sink, |machine, _| machine.set_driver_running(false));
        }
    }

    /// Stores the device description of a changed Node on its machine. Starts drivers on a powered machine that
    /// has had no driver process.
    pub(crate) fn observe_devices(&mut self, change: &Change) {
        let Some(Object::Node(node)) = &change.new else { return };
        let Some(text) = devices_annotation(node) else { return };
        let name = NodeName(node.metadata.name.clone());
        let Some(state) = self.nodes.get(&name) else { return };
        let is_new = state.driver.is_none() && state.is_powered;
        if **state.machine.device_description() != *text
            && let Some(state) = self.nodes.get_mut(&name)
        {
            Arc::make_mut(&mut state.machine).set_device_description(text.into());
        }
        if is_new {
            self.create_driver_process(&name);
            self.start_driver(&name, DRIVER_START_DELAY);
        }
    }

    /// Returns the pools that the drivers of a node publish.
    fn device_pools_of(&self, node: &NodeName) -> Vec<DevicePool> {
        let object = self.objects().named::<Node>(node.as_str());
        let machine = self.nodes.get(node).map(|state| &state.machine);
        match (object, machine) {
            (Some(object), Some(machine)) => device_pools(object, machine.devices()),
            _ => Vec::new(),
        }
    }

    /// Creates a driver process on a node for the ResourceSlices that are known only from the scenario or dump. A pool
    /// that also has slices of other nodes is left alone, because no driver of a single node owns it.
    fn adopt_resource_slices(&mut self, node: &NodeName, sink: &mut dyn Sink) {
        let known = self.device_pools_of(node);
        let slices: Vec<Arc<ResourceSlice>> = self.objects().list::<ResourceSlice>().cloned().collect();
        let is_local = |slice: &ResourceSlice| slice.spec.node_name.as_deref() == Some(node.as_str());
        let is_same_pool = |one: &ResourceSlice, other: &ResourceSlice| {
            one.spec.driver == other.spec.driver && one.spec.pool.name == other.spec.pool.name
        };
        let adopted: Vec<Arc<ResourceSlice>> = slices
            .iter()
            .filter(|slice| is_local(slice))
            .filter(|slice| {
                slices
                    .iter()
                    .all(|other| is_local(other) || !is_same_pool(slice, other))
            })
            .filter(|slice| {
                let is_known =
                    |pool: &DevicePool| pool.driver == slice.spec.driver && pool.name == slice.spec.pool.name;
                !known.iter().any(is_known)
            })
            .cloned()
            .collect();
        if adopted.is_empty() {
            return;
        }
        self.with_machine(node, sink, |machine, _| machine.devices_mut().adopted.extend(adopted));
        if self.running(&Actor::Driver(node.clone())).is_none() {
            self.create_driver_process(node);
            self.start_driver(node, Span::ZERO);
        }
    }

    /// Finds a device of a node, given as `DEVICE` or `DRIVER/DEVICE`; returns its driver and its name.
    fn find_driver_and_device(
        &mut self,
        node: &NodeName,
        device: &str,
        sink: &mut dyn Sink,
    ) -> Result<(Str, Str), String> {
        for attempt in 0..2 {
            let pools = self.device_pools_of(node);
            let all = pools.iter().flat_map(|pool| {
                let names = pool.device_names_with_parents();
                names.map(|(name, _)| (pool.driver.clone(), name.clone()))
            });
            let all: Vec<(Str, Str)> = all.collect();
            let is_meant = |(driver, name): &&(Str, Str)| **name == *device || format!("{driver}/{name}") == device;
            let found: Vec<&(Str, Str)> = all.iter().filter(is_meant).collect();
            match found.as_slice() {
                [one] => return Ok((*one).clone()),
                [] if attempt == 0 => self.adopt_resource_slices(node, sink),
                [] if all.is_empty() => return Err(format!("machine {:?} has no devices", node.as_str())),
                [] => {
                    let names: Vec<&str> = all.iter().map(|(_, name)| &**name).collect();
                    let names = names.join(", ");
                    return Err(format!(
                        "machine {:?} has no device called {device:?}; it has {names}",
                        node.as_str()
                    ));
                }
                [one, ..] => {
                    let node = node.as_str();
                    return Err(format!(
                        "several drivers of {node:?} have a device called {device:?}; name one as {}/{}",
                        one.0, one.1
                    ));
                }
            }
        }
        Err(format!("machine {:?} has no devices", node.as_str()))
    }

    /// Performs `fault device`.
    pub(crate) fn apply_device_fault(
        &mut self,
        by: &Actor,
        node: &NodeName,
        device: &str,
        change: &DeviceChange,
        sink: &mut dyn Sink,
    ) -> Result<(), String> {
        self.powered_node(node)?;
        let key = self.find_driver_and_device(node, device, sink)?;
        let devices = self.nodes.get(node).and_then(|state| state.machine.devices());
        let mut state = devices
            .and_then(|devices| devices.states.get(&key))
            .cloned()
            .unwrap_or_default();
        let now = Time::from_seconds(self.wall_time().seconds());
        apply_device_change(change, &mut state, now)
            .map_err(|why| format!("device {:?} of {:?} {why}", &*key.1, node.as_str()))?;
        let fault = FaultKind::Device;
        let details = FaultDetails::Device {
            device: key.1.clone(),
            change: change.to_string().into(),
        };
        let happening = match change {
            DeviceChange::Back | DeviceChange::Untaint { .. } => Happening::Healed { fault, details },
            _ => Happening::Fault { fault, details },
        };
        self.emit_node_record(by, happening, node, sink);
        self.with_machine(node, sink, |machine, _| {
            machine.devices_mut().states.insert(key, state);
            machine.notify_device_change();
        });
        if let Some(process) = self.running(&Actor::Driver(node.clone())) {
            let compare = Input::Timer(Timer::Node(podscope_node::Timer::Driver));
            self.on_input(&process, compare, sink);
        }
        Ok(())
    }

    /// Performs `fault crash|restart driver`.
    pub(crate) fn apply_driver_fault(
        &mut self,
        by: &Actor,
        node: &NodeName,
        up: bool,
        sink: &mut dyn Sink,
    ) -> Result<(), String> {
        if self.powered_node(node)?.driver.is_none() {
            self.adopt_resource_slices(node, sink);
        }
        if self.powered_node(node)?.driver.is_none() {
            return Err(format!("machine {:?} has no device drivers", node.as_str()));
        }
        let is_running = self.running(&Actor::Driver(node.clone())).is_some();
        if !up && !is_running {
            return Err(format!("the device drivers of {:?} do not run", node.as_str()));
        }
        let (fault, details) = (FaultKind::CrashDriver, FaultDetails::None);
        let happening = if up {
            Happening::Healed { fault, details }
        } else {
            Happening::Fault { fault, details }
        };
        self.emit_node_record(by, happening, node, sink);
        self.stop_driver(node, sink);
        if up {
            self.start_driver(node, DRIVER_START_DELAY);
        }
        Ok(())
    }
}

/// Changes the state of a device.
///
/// # Errors
/// Returns the reason why the change is not possible.
fn apply_device_change(change: &DeviceChange, state: &mut DeviceState, now: Time) -> Result<(), &'static str> {
    match change {
        DeviceChange::Gone if state.is_gone => return Err("is already gone"),
        DeviceChange::Gone => state.is_gone = true,
        DeviceChange::Unhealthy if state.is_unhealthy => return Err("is already unhealthy"),
        DeviceChange::Unhealthy => state.is_unhealthy = true,
        DeviceChange::Back if !state.is_gone && !state.is_unhealthy => return Err("is neither gone nor unhealthy"),
        DeviceChange::Back => (state.is_gone, state.is_unhealthy) = (false, false),
        DeviceChange::Taint { key, value, effect } => {
            state
                .taints
                .retain(|taint| taint.key != *key || taint.effect != *effect);
            state.taints.push(podscope_api::DeviceTaint {
                key: key.clone(),
                value: value.clone(),
                effect: effect.clone(),
                time_added: Some(now),
            });
        }
        DeviceChange::Untaint { key, effect } => {
            let before = state.taints.len();
            state.taints.retain(|taint| !removes_taint(key, effect.as_ref(), taint));
            if state.taints.len() == before {
                return Err("has no such taint by a fault");
            }
        }
    }
    Ok(())
}
