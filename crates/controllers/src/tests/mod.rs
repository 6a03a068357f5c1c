//! Tests of controllers that are longer than their file should be, on the lab bench.

mod autoscaler;
mod cronjob;
mod daemonset;
mod deployment;
mod fencing;
mod job;
mod nodes;
mod quota;
mod statefulset;
mod storage;
