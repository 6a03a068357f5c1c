//! A node: the machine, on which processes really run, and two programs on it, the kubelet and kube-proxy. The kubelet
//! calls the machine directly, without the network; it reaches the API server by requests only.
//!
//! ```
//! use podscope_api::ordered;
//! use podscope_node::machine::Machine;
//!
//! let machine = Machine::new("a-1".into(), ordered::Map::new(), ordered::Map::new());
//! assert!(machine.is_on() && machine.processes().is_empty());
//! ```

mod device_pools;
mod driver;
pub mod kubelet;
pub mod machine;
pub mod proxy;

pub use device_pools::{DevicePool, PoolSlice, device_pools};
pub use driver::{DeviceDriver, initial_slices};

/// Context of one step of a kubelet, a device driver or a machine.
pub type Context<'a> = podscope_sim::Context<'a, Timer, NodeAct>;

/// A timer of a node. When a kubelet calls its machine, the machine may set timers of its own.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Timer {
    Kubelet(kubelet::KubeletTimer),
    /// The device drivers must compare their slices with the description again.
    Driver,
    /// A timer of the machine, which stays set when the kubelet crashes.
    Machine(machine::MachineTimer),
}

/// An action of a node outside the API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeAct {
    /// A graceful shutdown is complete: the machine of the actor loses power (LC-212).
    PowerOff,
}
