//! Integration tests of this crate. They are one program, which is linked only once and runs long tests in parallel.
#![allow(clippy::too_many_lines, reason = "tables of cases, and long scenarios")]

mod describe;
mod devices;
mod director;
mod host;
mod kubectl;
mod kubelet_configuration;
mod lesson_promises;
mod lesson_story;
mod monkey;
mod recording;
mod replies_to_mistakes;
mod rules_of_v1_36;
mod server_side_apply;
mod stop_command;
mod topology_spread;
