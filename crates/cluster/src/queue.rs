//! The event queue: what will happen, by instant, and at equal instants in
//! the order in which it was decided.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::sync::Arc;

use podscope_api::NodeName;

use crate::machine::MachineTimer;
use crate::{Actor, Answer, CallId, Change, Objects, Request, SimTime, Timer};

/// One life of a process. What is under way for an earlier life is dropped.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Process {
    pub actor: Actor,
    pub incarnation: u32,
}

/// A call on its way to the API server.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub from: Process,
    pub id: CallId,
    pub request: Request,
    pub sent: SimTime,
}

/// Something that will happen.
#[derive(Debug, Clone)]
pub(crate) enum Event {
    /// A process starts, with empty memory.
    Start(Process),
    /// A request arrives at the API server.
    Call(Arc<Call>),
    /// A call's answer, or its time-out, arrives.
    Answer(Process, CallId, Arc<Answer>),
    /// A process that is not watching asks for everything; arrives at the API server.
    List(Process),
    /// The answer to a list arrives.
    Listed(Process, u64, Arc<Objects>),
    /// A watch event arrives.
    Watch(Process, Arc<Change>),
    /// A broken watch is tried again.
    Resume(Process),
    /// A process's timer.
    Timer(Process, Timer),
    /// A machine's timer.
    Machine(NodeName, MachineTimer),
    /// The liveness checks look again.
    Look,
    /// A request that waits for etcd reaches its deadline.
    Held(CallId),
}

#[derive(Debug, Clone)]
struct Entry {
    at: SimTime,
    seq: u64,
    event: Event,
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Entry {}
impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Entry {
    /// The earliest is the greatest, for the heap.
    fn cmp(&self, other: &Self) -> Ordering {
        (other.at, other.seq).cmp(&(self.at, self.seq))
    }
}

/// The queue.
#[derive(Debug, Clone, Default)]
pub(crate) struct Queue {
    heap: BinaryHeap<Entry>,
    next_seq: u64,
    popped: u64,
}

impl Queue {
    /// Adds an event.
    pub(crate) fn push(&mut self, at: SimTime, event: Event) {
        let seq = self.next_seq;
        self.next_seq += 1;
        self.heap.push(Entry { at, seq, event });
    }
    /// When the next event is due.
    pub(crate) fn next_at(&self) -> Option<SimTime> {
        self.heap.peek().map(|entry| entry.at)
    }
    /// Takes the next event.
    pub(crate) fn pop(&mut self) -> Option<(SimTime, Event)> {
        let entry = self.heap.pop()?;
        self.popped += 1;
        Some((entry.at, entry.event))
    }
    /// How many events wait, and how many were taken so far.
    pub(crate) fn stats(&self) -> (usize, u64) {
        (self.heap.len(), self.popped)
    }
}
