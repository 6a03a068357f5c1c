//! Tests of the kubelet and its machine in a complete world. They compare events with expected rows (time, text), which
//! are taken from the table of facts (LC-…), never from a run.

mod causes;
mod eviction;
mod faults;
mod image_gc;
mod images;
mod lab;
mod pod_statuses;
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
