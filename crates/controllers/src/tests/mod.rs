//! Longer tests of controllers, on the test bench [`super::lab`].

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
