//! A node: the machine, on which things really run, and two programs on it: the kubelet, and kube-proxy. The kubelet calls the machine
//! directly, without the network, and the API server by requests only.
//!
//! ```
//! use podscope_api::ordered;
//! use podscope_node::machine::Machine;
//!
//! let machine = Machine::new("a-1".into(), ordered::Map::new(), ordered::Map::new());
//! assert!(machine.is_on() && machine.processes().is_empty());
//! ```

pub mod kubelet;
pub mod machine;
pub mod proxy;

/// The context of a step of a kubelet or a machine.
pub type Context<'a> = podscope_sim::Context<'a, Timer, Act>;

/// A timer of a node: a kubelet that asks its machine for something makes the machine set its own.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Timer {
    Kubelet(kubelet::KubeletTimer),
    /// Of the machine, which outlives the kubelet that made it set it.
    Machine(machine::MachineTimer),
}

/// What a node does to the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    /// An orderly shutdown is over: the power of the actor's machine goes off (LC-212).
    PowerOff,
}
