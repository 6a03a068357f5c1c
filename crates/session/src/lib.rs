//! A person's work on a world: commands, scenarios, timeline, links, lessons.

pub mod host;
pub mod protocol;
