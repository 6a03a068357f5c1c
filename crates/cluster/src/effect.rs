//! One enum for the timers of all components, and one for their acts (effects other than requests, timers and records).

use std::convert::Infallible;

use crate::client::{ClientAct, ClientTimer};
use crate::scheduler_process::SchedulerTimer;

/// Context of any component.
pub(crate) type Context<'a> = podscope_sim::Context<'a, Timer, Act>;
/// Effect of any component.
pub(crate) type Effect = podscope_sim::Effect<Timer, Act>;
/// Input of any process that calls the API server.
pub(crate) type Input = podscope_sim::Input<Timer>;

/// Timers of all components. A component receives only timers of its own type.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Timer {
    Election,
    Scheduler(SchedulerTimer),
    Controller(podscope_controllers::Timer),
    /// Timer of a kubelet or its machine.
    Node(podscope_node::Timer),
    Client(ClientTimer),
}

/// Effects of components on the world other than calls, timers and records.
#[derive(Debug, Clone)]
pub(crate) enum Act {
    Client(ClientAct),
    Controller(podscope_controllers::Act),
    /// Act of a kubelet or its machine.
    Node(podscope_node::NodeAct),
}

macro_rules! impl_from_parts {
    ($all:ident: $($part:ty => $variant:ident),* $(,)?) => {
        $(impl From<$part> for $all {
            fn from(part: $part) -> Self {
                Self::$variant(part)
            }
        })*
    };
}

impl_from_parts!(Timer: SchedulerTimer => Scheduler, podscope_controllers::Timer => Controller, podscope_node::Timer => Node,
    ClientTimer => Client);
impl_from_parts!(Act: ClientAct => Client, podscope_controllers::Act => Controller, podscope_node::NodeAct => Node);

macro_rules! impl_try_from_timer {
    ($($part:ty => $variant:ident),* $(,)?) => {
        $(impl TryFrom<Timer> for $part {
            type Error = Timer;
            fn try_from(timer: Timer) -> Result<Self, Timer> {
                match timer {
                    Timer::$variant(timer) => Ok(timer),
                    other => Err(other),
                }
            }
        })*
    };
}

impl_try_from_timer!(SchedulerTimer => Scheduler, podscope_controllers::Timer => Controller, podscope_node::Timer => Node,
    ClientTimer => Client);

impl From<Infallible> for Act {
    fn from(none: Infallible) -> Self {
        match none {}
    }
}
