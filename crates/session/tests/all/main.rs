//! The tests of this crate through its public door, one program: linked once, and two long ones run side by side.
#![allow(
    clippy::too_many_lines,
    reason = "tables of cases, and stories told from their beginning"
)]

mod describe;
mod director;
mod host;
mod kubectl;
mod kubelet_configuration;
mod monkey;
mod ownership;
mod recording;
mod spread;
mod stop;
mod story;
mod told;
