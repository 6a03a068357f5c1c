//! A person's work on a world: commands, scenarios, timeline, links, lessons.

mod anonymise;
pub mod command;
pub mod duration;
pub mod explain;
pub mod export;
pub mod host;
pub mod kubectl;
pub mod lessons;
pub mod link;
pub mod protocol;
pub mod report;
pub mod scenario;
pub mod search;
pub mod timeline;
mod view;
