//! What the world's components may ask of it: their timers and acts in one enum each.

use std::convert::Infallible;

use crate::client::{ClientAct, ClientTimer};
use crate::scheduler_process::SchedulerTimer;

/// A context of any component.
pub(crate) type Context<'a> = podscope_sim::Context<'a, Timer, Act>;
/// An effect of any component.
pub(crate) type Effect = podscope_sim::Effect<Timer, Act>;
/// An input of any process that talks to the API server.
pub(crate) type Input = podscope_sim::Input<Timer>;

/// Timers of all components; each knows only its own.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Timer {
    /// Of a leader election.
    Election,
    Scheduler(SchedulerTimer),
    /// Of a controller-manager.
    Controller(podscope_controllers::Timer),
    /// Of a kubelet or its machine.
    Node(podscope_node::Timer),
    Client(ClientTimer),
}

/// What a component does to the world beside calls, timers and records.
#[derive(Debug, Clone)]
pub(crate) enum Act {
    Client(ClientAct),
    Controller(podscope_controllers::Act),
    /// Of a kubelet or its machine.
    Node(podscope_node::Act),
}

macro_rules! some_of {
    ($all:ident: $($part:ty => $variant:ident),* $(,)?) => {
        $(impl From<$part> for $all {
            fn from(part: $part) -> Self {
                Self::$variant(part)
            }
        })*
    };
}
some_of!(Timer: SchedulerTimer => Scheduler, podscope_controllers::Timer => Controller, podscope_node::Timer => Node,
    ClientTimer => Client);
some_of!(Act: ClientAct => Client, podscope_controllers::Act => Controller, podscope_node::Act => Node);

macro_rules! one_of_these {
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
one_of_these!(SchedulerTimer => Scheduler, podscope_controllers::Timer => Controller, podscope_node::Timer => Node,
    ClientTimer => Client);

impl From<Infallible> for Act {
    fn from(none: Infallible) -> Self {
        match none {}
    }
}
