//! Tests of controllers that are longer than their file should be, on the lab bench.

mod deployment;
mod fencing;
mod job;
mod nodes;
mod statefulset;
mod storage;
