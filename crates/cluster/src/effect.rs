//! What the world's components may ask of it: their timers and acts in one enum each.

use crate::fault::Fault;

/// A context of any component.
pub type Ctx<'a> = podscope_sim::Ctx<'a, Timer, Act>;
/// An effect of any component.
pub type Effect = podscope_sim::Effect<Timer, Act>;
/// An input of any process that talks to the API server.
pub type Input = podscope_sim::Input<Timer>;

/// Timers of all components; each sets only its own.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Timer {
    /// Of a leader election.
    Election,
    /// Of the scheduler.
    Scheduler,
    /// Of a controller-manager.
    Controller(crate::controllers::ControllerTimer),
    /// Of a kubelet or its machine.
    Node(podscope_node::Timer),
    /// Of a client.
    Client(crate::client::ClientTimer),
}

/// What a component does to the world beside calls, timers and records.
#[derive(Debug, Clone)]
pub enum Act {
    /// Print a line (clients only).
    Print {
        /// True for stderr.
        is_error: bool,
        /// Text without newline.
        text: String,
    },
    /// The actor ends (clients: with that exit status).
    Exit(u8),
    /// Cause a fault (fencing).
    Fault(Fault),
    /// The power of the actor's machine goes off.
    PowerOff,
}

impl From<podscope_node::Timer> for Timer {
    fn from(timer: podscope_node::Timer) -> Self {
        Self::Node(timer)
    }
}

impl From<podscope_node::Act> for Act {
    fn from(act: podscope_node::Act) -> Self {
        match act {
            podscope_node::Act::PowerOff => Self::PowerOff,
        }
    }
}
