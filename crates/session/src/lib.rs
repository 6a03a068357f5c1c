//! A person's work on a world: commands, scenarios, timeline, links, lessons.

pub mod command;
pub mod duration;
pub mod host;
pub mod kubectl;
pub mod protocol;
pub mod report;
pub mod scenario;
pub mod timeline;
