//! Longer tests of controllers, in the test environment [`super::lab`].

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
