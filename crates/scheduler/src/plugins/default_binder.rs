//! `DefaultBinder`: posts the Binding (SCH-110). The API call itself is the caller's: an attempt
//! carries the binding to make, and [`crate::Scheduler::bind_finished`] its answer.

use super::{ExtensionPoints, PluginSpec, Point};

pub(super) const SPEC: PluginSpec = PluginSpec {
    about: "binds the pod to its node",
    ..PluginSpec::new("DefaultBinder", &[Point::Bind], &DefaultBinder)
};

struct DefaultBinder;

impl ExtensionPoints for DefaultBinder {}

/// The note of the `Scheduled` event (SCH-128).
pub fn scheduled_note(namespace: &str, name: &str, node: &str) -> String {
    format!("Successfully assigned {namespace}/{name} to {node}")
}
