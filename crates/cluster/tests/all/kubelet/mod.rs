//! Tests of kubelet and machine in a whole world: rows of (when, what) that refer to their fact. Expected values come
//! from the facts, never from a run.

mod causes;
mod eviction;
mod faults;
mod image_gc;
mod images;
mod lab;
mod objects;
mod probes;
mod properties;
mod resize;
mod restarts;
mod rules;
mod shutdown;
mod start;
mod static_pods;
mod termination;
mod timelines;
