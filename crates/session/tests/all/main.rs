//! Integration tests of this crate. They are one program, which is linked only once and runs long tests in parallel.
#![allow(clippy::too_many_lines, reason = "tables of cases, and long scenarios")]

mod describe;
mod devices;
mod director;
mod host;
mod kubectl;
mod kubelet_configuration;
mod monkey;
mod ownership;
mod promises;
mod recording;
mod replies;
mod rules_of_v1_36;
mod spread;
mod stop;
mod story;
